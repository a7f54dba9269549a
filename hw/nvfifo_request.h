/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Pure functions for the fields of user space's requests: they check the fields and compute the
 * card's values. The driver answers requests with these functions, and so does the model in a
 * program's own process. Driver and model check the rights of a file by themselves.
 */
#ifndef _NVFIFO_REQUEST_H_
#define _NVFIFO_REQUEST_H_

#include "nvfifo_chan_fmt.h"
#include "nvfifo_map_rule.h"
#include "nvfifo_object_rule.h"
#include "nvfifo_reg_table.h"
#include "uapi/nvfifo_drm.h"

/* Range of user addresses. The region of the last PDE holds the driver's own mappings. */
#define NVFIFO_VA_START			0x10000ULL
#define NVFIFO_VA_END			((1ULL << NVFIFO_VA_BITS) - (1ULL << NVFIFO_PDE_SHIFT))

#define NVFIFO_RING_ORDER_MIN		3
#define NVFIFO_RING_ORDER_MAX		12
#define NVFIFO_RING_ORDER_DEFAULT	9

/* The smallest limit of a channel, ms. */
#define NVFIFO_HANG_LIMIT_MIN		100u

/* A rule about a call's arguments. If it is broken, the call is invalid, and the text says why. */
struct nvfifo_rule {
	bool broken;
	const char *text;
};

/* Find the first broken rule; a rule without a text ends them. Return: its text, or NULL. */
static inline const char *nvfifo_rule_find(const struct nvfifo_rule *rule)
{
	while (rule->text && !rule->broken)
		rule++;

	return rule->text;
}

/* --- BO_CREATE ----------------------------------------------------------- */

/**
 * nvfifo_bo_rule() - Find the rule that a BO_CREATE breaks
 * @args: its arguments
 *
 * Return: its text, or NULL.
 */
static inline const char *nvfifo_bo_rule(const struct drm_nvfifo_bo_create *args)
{
	const bool vram = args->domain == DRM_NVFIFO_DOMAIN_VRAM;
	const __u32 flags = vram ? DRM_NVFIFO_BO_CONTIGUOUS | DRM_NVFIFO_BO_LSR : DRM_NVFIFO_BO_WC;
	const struct nvfifo_rule rules[] = {
		{ !args->size || args->size > 1ULL << NVFIFO_VA_BITS, "size is not in 1 to 2^40" },
		{ args->domain > DRM_NVFIFO_DOMAIN_VRAM, "domain is not in 0 to 1" },
		{ args->flags & ~flags, "flags has bits that do not go with the domain" },
		{ args->pad, "pad is not 0" },
		{ false, NULL }
	};

	return nvfifo_rule_find(rules);
}

/* --- VM_BIND ------------------------------------------------------------- */

#define NVFIFO_BIND_FLAGS (DRM_NVFIFO_VM_BIND_READ_ONLY | DRM_NVFIFO_VM_BIND_SUPERVISOR | \
			   DRM_NVFIFO_VM_BIND_NOSNOOP | DRM_NVFIFO_VM_BIND_REPLACE | \
			   DRM_NVFIFO_VM_BIND_LONG_CYCLE | DRM_NVFIFO_VM_BIND_ENCRYPTED)

/**
 * nvfifo_bind_request() - Describe a mapping for the rules of mappings
 * @op: the operation
 * @chip: the card's
 * @tags: the card has compression tags
 *
 * Return: the request without the memory, whose rules then do not apply.
 */
static inline struct nvfifo_map_request
nvfifo_bind_request(const struct drm_nvfifo_vm_bind_op *op, enum nv_chip chip, bool tags)
{
	const struct nvfifo_map_request m = {
		.g84 = chip >= NV_CHIP_G84,
		.g200 = chip >= NV_CHIP_G200,
		.gt215 = chip >= NV_CHIP_GT215,
		.tags = tags,
		.nosnoop = op->flags & DRM_NVFIFO_VM_BIND_NOSNOOP,
		.long_cycle = op->flags & DRM_NVFIFO_VM_BIND_LONG_CYCLE,
		.encrypted = op->flags & DRM_NVFIFO_VM_BIND_ENCRYPTED,
		.page_shift = op->page_shift,
		.kind = op->kind,
		.compression = op->compression,
		.address = op->va | op->range | op->bo_offset,
	};

	return m;
}

/**
 * nvfifo_bind_rule() - Find the rule that an operation of VM_BIND breaks
 * @op: the operation
 * @m: of nvfifo_bind_request(), with the memory if it is known
 * @size: of the buffer, 0 if it is not known
 *
 * Return: its text, or NULL.
 */
static inline const char *nvfifo_bind_rule(const struct drm_nvfifo_vm_bind_op *op,
					   const struct nvfifo_map_request *m, __u64 size)
{
	const bool map = op->op == DRM_NVFIFO_VM_BIND_OP_MAP;
	const struct nvfifo_rule rules[] = {
		{ !map && op->op != DRM_NVFIFO_VM_BIND_OP_UNMAP, "op is not in 0 to 1" },
		{ !map && (op->flags || op->bo_handle || op->bo_offset || op->kind ||
			   op->page_shift || op->compression), "an unmap has only va and range" },
		{ op->flags & ~NVFIFO_BIND_FLAGS, "flags has unknown bits" },
		{ !op->range, "range is 0" },
		{ (op->va | op->range) % 0x1000, "va or range is no multiple of the page" },
		{ op->va < NVFIFO_VA_START || op->va >= NVFIFO_VA_END ||
		  op->range > NVFIFO_VA_END - op->va,
		  "va with range is not in 0x10000 to 0xffe0000000" },
		{ size && (op->bo_offset > size || op->range > size - op->bo_offset),
		  "bo_offset with range is outside of the BO" },
		{ false, NULL }
	};
	const char *why = nvfifo_rule_find(rules);

	return why || !map ? why : nvfifo_map_rule(m);
}

/* The PTE of a mapping, without its address and tag. The target of VRAM is 0. */
static inline struct nvfifo_pte nvfifo_bind_pte(const struct drm_nvfifo_vm_bind_op *op)
{
	struct nvfifo_pte pte = {
		.present = true,
		.read_only = op->flags & DRM_NVFIFO_VM_BIND_READ_ONLY,
		.supervisor = op->flags & DRM_NVFIFO_VM_BIND_SUPERVISOR,
		.long_cycle = op->flags & DRM_NVFIFO_VM_BIND_LONG_CYCLE,
		.encrypted = op->flags & DRM_NVFIFO_VM_BIND_ENCRYPTED,
		.kind = (__u8)op->kind,
		.comp = (__u8)op->compression,
	};

	if (op->flags & DRM_NVFIFO_VM_BIND_NOSNOOP)
		pte.target = NVFIFO_TARGET_SYS_NOSNOOP;

	return pte;
}

/* The type of the page table of a mapping */
static inline unsigned int nvfifo_bind_table(const struct drm_nvfifo_vm_bind_op *op, bool vram)
{
	if (op->page_shift == 14)
		return NVFIFO_PT_16K;
	if (vram && op->page_shift != 12 && !((op->va | op->range | op->bo_offset) & 0xffff))
		return NVFIFO_PT_64K;

	return NVFIFO_PT_4K;
}

/* --- CHANNEL_CREATE ------------------------------------------------------ */

#define NVFIFO_CHANNEL_FLAGS (DRM_NVFIFO_CHANNEL_EVENT | DRM_NVFIFO_CHANNEL_DMA_MODE | \
			      DRM_NVFIFO_CHANNEL_USER_QUEUE | DRM_NVFIFO_CHANNEL_NO_SLI)

/**
 * nvfifo_channel_rule() - Find the rule that a CHANNEL_CREATE breaks
 * @args: its arguments
 * @hang_limit_max: the largest limit of a channel, ms
 *
 * Return: its text, or NULL.
 */
static inline const char *nvfifo_channel_rule(const struct drm_nvfifo_channel_create *args,
					      __u32 hang_limit_max)
{
	const bool dma = args->flags & DRM_NVFIFO_CHANNEL_DMA_MODE;
	const bool user = args->flags & DRM_NVFIFO_CHANNEL_USER_QUEUE;
	const bool start = args->start >= NVFIFO_VA_START;
	const struct nvfifo_rule rules[] = {
		{ args->flags & ~NVFIFO_CHANNEL_FLAGS, "flags has unknown bits" },
		{ args->timeslice > NVFIFO_TIMESLICE_MAX, "timeslice is not in 0 to 0x1ffff" },
		{ args->sli_mask > NVFIFO_SLI_MASK, "sli_mask is not in 0 to 0xfff" },
		{ args->sli_mask && args->flags & DRM_NVFIFO_CHANNEL_NO_SLI,
		  "sli_mask is not 0, with NO_SLI" },
		{ args->user_data && !(args->flags & DRM_NVFIFO_CHANNEL_EVENT),
		  "user_data without EVENT" },
		{ args->ring_order && (args->ring_order < NVFIFO_RING_ORDER_MIN ||
				       args->ring_order > NVFIFO_RING_ORDER_MAX),
		  "ring_order is not 0 or in 3 to 12" },
		{ args->hang_limit_ms && (args->hang_limit_ms < NVFIFO_HANG_LIMIT_MIN ||
					  args->hang_limit_ms > hang_limit_max),
		  "hang_limit_ms is not 0 or in 100 to job_timeout_ms" },
		{ !dma && !user && args->start, "start without DMA_MODE or USER_QUEUE" },
		{ dma && (args->start % 4 || !start || args->start >= 1ULL << 32),
		  "start is no multiple of 4 in 0x10000 to 0xfffffffc" },
		{ user && !dma && (args->start % 0x1000 || !start || args->start >= NVFIFO_VA_END),
		  "start is no multiple of 4096 in 0x10000 to 0xffdffff000" },
		{ !dma && args->dma_limit, "dma_limit without DMA_MODE" },
		{ args->dma_limit && (args->dma_limit % 4 || args->dma_limit < args->start),
		  "dma_limit is not 0 or a multiple of 4 in start to 0xfffffffc" },
		{ false, NULL }
	};

	return nvfifo_rule_find(rules);
}

/**
 * nvfifo_channel_ramfc() - Describe RAMFC of a new channel
 * @args: of CHANNEL_CREATE, or of the driver for its own channel
 * @g84: the chip is G84 or later
 * @inst: address of the channel structure
 * @ring: address of the IB ring in the channel's address space
 * @order: log2 of the entries of the ring
 *
 * Return: the values for nvfifo_ramfc_encode().
 */
static inline struct nvfifo_ramfc
nvfifo_channel_ramfc(const struct drm_nvfifo_channel_create *args, bool g84, __u64 inst,
		     __u64 ring, unsigned int order)
{
	struct nvfifo_ramfc fc = {
		.g84 = g84,
		.ib = !(args->flags & DRM_NVFIFO_CHANNEL_DMA_MODE),
		.inst = inst,
		.push_offset = NVFIFO_OBJECTS,
		.ramht_offset = NVFIFO_CHAN_RAMHT,
		.ramht_bits = NVFIFO_RAMHT_BITS,
		.ib_address = ring,
		.ib_order = order,
		.dma_start = args->start,
		.dma_limit = args->dma_limit,
		.sli_off = args->flags & DRM_NVFIFO_CHANNEL_NO_SLI,
		.sli_mask = args->sli_mask,
		.timeslice = args->timeslice,
	};

	if (!fc.sli_mask)
		fc.sli_mask = NVFIFO_SLI_MASK;

	return fc;
}

/*
 * The object that the pusher reads through. The fence segments of all channels are secret; only the
 * driver's ring leads to them.
 */
static inline struct nvfifo_dmaobj nvfifo_channel_push_object(bool driver_ring)
{
	return nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_READ, 0,
				driver_ring ? NVFIFO_VA_MASK : NVFIFO_VA_END - 1);
}

/* --- OBJECT_CREATE ------------------------------------------------------- */

#define NVFIFO_OBJECT_FLAGS (DRM_NVFIFO_OBJECT_UNPAGED | DRM_NVFIFO_OBJECT_SUPERVISOR | \
			     DRM_NVFIFO_OBJECT_KIND | DRM_NVFIFO_OBJECT_COMPRESSION | \
			     DRM_NVFIFO_OBJECT_ENCRYPTED)

/**
 * nvfifo_object_request() - Describe an object for the rules of DMA objects
 * @args: arguments of OBJECT_CREATE
 * @chip: the card's
 * @tags: the card has compression tags
 *
 * Return: the request without the memory of an unpaged object, whose rules then do not apply.
 */
static inline struct nvfifo_object_request
nvfifo_object_request(const struct drm_nvfifo_object_create *args, enum nv_chip chip, bool tags)
{
	struct nvfifo_object_request o = {
		.g84 = chip >= NV_CHIP_G84,
		.g200 = chip >= NV_CHIP_G200,
		.tags = tags,
		.unpaged = args->flags & DRM_NVFIFO_OBJECT_UNPAGED,
		.has_kind = args->flags & DRM_NVFIFO_OBJECT_KIND,
		.encrypted = args->flags & DRM_NVFIFO_OBJECT_ENCRYPTED,
		.oclass = args->oclass,
		.access = args->access,
		.user = args->user,
		.cycle = args->cycle,
		.kind = args->kind,
		.compression = args->compression,
		.start = args->start,
		.size = args->size,
	};

	if (!o.unpaged)
		o.end = NVFIFO_VA_END;

	return o;
}

/**
 * nvfifo_object_args_rule() - Find the rule that an OBJECT_CREATE breaks
 * @args: its arguments
 * @o: of nvfifo_object_request()
 *
 * Return: its text, or NULL. Whether the card has an engine's class is not checked.
 */
static inline const char *nvfifo_object_args_rule(const struct drm_nvfifo_object_create *args,
						  const struct nvfifo_object_request *o)
{
	const bool dma = args->type == DRM_NVFIFO_OBJECT_DMA;
	const struct nvfifo_rule rules[] = {
		{ !args->handle, "handle is 0" },
		{ args->pad, "pad is not 0" },
		{ args->type > DRM_NVFIFO_OBJECT_SOFTWARE, "type is not in 0 to 2" },
		{ !dma && (args->access || args->flags || args->start || args->size ||
			   args->bo_handle || args->user || args->kind || args->compression ||
			   args->cycle), "an engine or software object has only a class" },
		{ args->type == DRM_NVFIFO_OBJECT_SOFTWARE && args->oclass != NVFIFO_CLASS_SOFTWARE,
		  "oclass of a software object is not 0x506e" },
		{ args->flags & ~NVFIFO_OBJECT_FLAGS, "flags has unknown bits" },
		{ !o->unpaged && args->bo_handle, "bo_handle without UNPAGED" },
		{ false, NULL }
	};
	const char *why = nvfifo_rule_find(rules);

	return why || !dma ? why : nvfifo_object_rule(o);
}

/**
 * nvfifo_object_dmaobj() - Describe the words of a DMA object
 * @args: arguments of OBJECT_CREATE
 * @g84: the chip is G84 or later
 *
 * Return: the object; nvfifo_object_unpage() adds the memory of an unpaged one.
 */
static inline struct nvfifo_dmaobj
nvfifo_object_dmaobj(const struct drm_nvfifo_object_create *args, bool g84)
{
	struct nvfifo_dmaobj obj = nvfifo_dmaobj_vm((__u16)args->oclass, args->start,
						    args->start + args->size - 1);
	const bool unpaged = args->flags & DRM_NVFIFO_OBJECT_UNPAGED;

	obj.access = (__u8)args->access;
	obj.user = (__u8)args->user;
	obj.supervisor = args->flags & DRM_NVFIFO_OBJECT_SUPERVISOR;
	obj.cycle = (__u8)args->cycle;

	if (unpaged && !obj.cycle)
		obj.cycle = DRM_NVFIFO_CYCLE_SHORT;
	if (unpaged || args->flags & DRM_NVFIFO_OBJECT_KIND)
		obj.kind = (__u8)args->kind;
	if (unpaged || args->flags & DRM_NVFIFO_OBJECT_COMPRESSION)
		obj.comp = (__u8)args->compression;

	if (args->flags & DRM_NVFIFO_OBJECT_ENCRYPTED)
		obj.encrypted = 1;
	else if (g84 && !unpaged)
		obj.encrypted = NVFIFO_DMAOBJ_ENCRYPTED_VM;

	return obj;
}

/* Memory of an unpaged object: address for the card, and compression tags if it uses them */
struct nvfifo_object_memory {
	bool vram;
	bool wc;		/* system memory that the CPU maps write-combined */
	__u64 address;
	__u32 tag;
	__u32 tags;
};

static inline void nvfifo_object_unpage(struct nvfifo_dmaobj *obj,
					const struct nvfifo_object_memory *mem)
{
	if (mem->vram)
		obj->target = NVFIFO_DMAOBJ_VRAM;
	else if (mem->wc)
		obj->target = NVFIFO_DMAOBJ_SYS_NOSNOOP;
	else
		obj->target = NVFIFO_DMAOBJ_SYS_SNOOP;

	obj->start += mem->address;
	obj->limit += mem->address;

	if (obj->comp) {
		obj->comp_start = (__u16)(mem->address >> 16);
		obj->tag_start = (__u16)mem->tag;
		obj->tag_limit = (__u16)(mem->tag + mem->tags - 1);
	}
}

/* --- SUBMIT -------------------------------------------------------------- */

/**
 * nvfifo_entry_error() - Check an entry of the ring
 * @e: the entry
 *
 * Return: the rule that the entry breaks, or NULL.
 */
static inline const char *nvfifo_entry_error(const struct drm_nvfifo_entry *e)
{
	if (e->address % 4)
		return "address is no multiple of 4";
	if (!e->words || e->words > NVFIFO_IB_WORDS_MAX)
		return "words is not in 1 to 2097151";
	if (e->address < NVFIFO_VA_START || e->address > NVFIFO_VA_END - e->words * 4ULL)
		return "address with words is not in 0x10000 to 0xffe0000000";
	if (e->flags & ~(DRM_NVFIFO_ENTRY_NOT_MAIN | DRM_NVFIFO_ENTRY_NO_PREFETCH))
		return "flags has unknown bits";

	return NULL;
}

/* Check the entry of a SUBMIT in DMA mode: the new PUT. Return: as nvfifo_entry_error(). */
static inline const char *nvfifo_put_error(const struct drm_nvfifo_entry *e)
{
	if (e->words || e->flags)
		return "words or flags in DMA mode";
	if (e->address % 4)
		return "address is no multiple of 4";
	if (e->address < NVFIFO_VA_START || e->address >= 1ULL << 32)
		return "address is not in 0x10000 to 0xfffffffc";

	return NULL;
}

#endif
