/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The rules that a DMA object must keep on a chip, as a pure function. The driver refuses other
 * objects with EINVAL. "nvfifo lint" and "nvfifo run" report the reason before the call.
 */
#ifndef _NVFIFO_OBJECT_RULE_H_
#define _NVFIFO_OBJECT_RULE_H_

#include "nvfifo_fmt.h"

/**
 * struct nvfifo_object_request - A DMA object of a channel
 * @g84: the chip is G84 or later
 * @g200: the chip is G200 or later in the order of the hardware documents
 * @tags: the card has compression tags
 * @unpaged: the object leads past the page tables
 * @has_kind: @kind overrides the page's
 * @encrypted: accesses are encrypted
 * @vram: with @unpaged, the memory is VRAM
 * @system: with @unpaged, it is system memory; with neither, rules about it do not apply
 * @lsr: VRAM in whole row blocks, for kinds with the other bank order
 * @oclass: class
 * @access: 0 the page decides, 1 read only, 2 read and write
 * @user: 0 the page decides, 1 all accesses, 2 those of supervisors
 * @cycle: 0 the page decides, 1 short, 2 long
 * @kind: storage type
 * @compression: 0 none, 1 single, 2 double
 * @start: first address, or with @unpaged first byte of the memory
 * @size: bytes
 * @end: end of the address space, or with @unpaged of the memory, 0 if not known
 */
struct nvfifo_object_request {
	bool g84;
	bool g200;
	bool tags;
	bool unpaged;
	bool has_kind;
	bool encrypted;
	bool vram;
	bool system;
	bool lsr;
	__u32 oclass;
	__u32 access;
	__u32 user;
	__u32 cycle;
	__u32 kind;
	__u32 compression;
	__u64 start;
	__u64 size;
	__u64 end;
};

/* The 3D class of a chip, by its number in PMC.BOOT_0 */
static inline __u32 nvfifo_class_3d(__u32 chipset)
{
	switch (chipset) {
	case 0x50:
		return 0x5097;
	case 0xa0:
	case 0xaa:
	case 0xac:
		return 0x8397;
	case 0xa3:
	case 0xa5:
	case 0xa8:
		return 0x8597;
	case 0xaf:
		return 0x8697;
	default:
		return 0x8297;
	}
}

static inline const char *nvfifo_object_rule_rights(const struct nvfifo_object_request *o)
{
	if (o->oclass != NVFIFO_CLASS_DMA_READ && o->oclass != NVFIFO_CLASS_DMA_WRITE &&
	    o->oclass != NVFIFO_CLASS_DMA_RW)
		return "class: a DMA object's is 0x2, 0x3 or 0x3d";

	if (o->access > 2)
		return "access: it is 0, 1 (readonly) or 2 (readwrite)";
	if (o->unpaged && !o->access)
		return "access: an unpaged object is readonly or readwrite";

	if (o->user > 2)
		return "user: it is 0, 1 (both) or 2 (supervisor)";
	if (o->unpaged && !o->user)
		return "user: an unpaged object is for both or for supervisors";

	if (o->cycle > 2)
		return "cycle: it is 0, 1 (short) or 2 (long)";
	if (o->cycle == 2 && o->g84)
		return "cycle: only G80 has the long one";

	if (o->encrypted && !o->g84)
		return "encrypted: G80 does not have it";
	if (o->encrypted && o->unpaged && o->vram)
		return "encrypted: it is for system memory";

	return NULL;
}

static inline const char *nvfifo_object_rule_kind(const struct nvfifo_object_request *o)
{
	if (o->kind && !o->unpaged && !o->has_kind)
		return "kind: it counts with OBJECT_KIND only";
	if (nvfifo_kind_class(o->kind) == NVFIFO_KIND_INVALID)
		return "kind: there is no such storage type";
	if (nvfifo_kind_is_g200(o->kind) && !o->g200)
		return "kind: this storage type exists from G200 on";

	if (o->unpaged && o->system && o->kind && !o->g84)
		return "kind: G80 has none for system memory";
	if (o->unpaged && o->vram &&
	    o->lsr != (nvfifo_kind_class(o->kind) == NVFIFO_KIND_SWIZZLED))
		return "kind: LSR kinds go with VRAM made for them (lsr), others without";

	return NULL;
}

static inline const char *nvfifo_object_rule_compression(const struct nvfifo_object_request *o)
{
	if (!o->compression)
		return NULL;

	/*
	 * The tag would be the page's. A page without one has tag 0, which belongs to another
	 * buffer.
	 */
	if (!o->unpaged)
		return "compression: it is for unpaged objects";

	if (o->compression > 2)
		return "compression: it is single or double";
	if (!o->tags)
		return "compression: the card has no tags";
	if (o->system)
		return "compression: it is for VRAM";

	return NULL;
}

/**
 * nvfifo_object_rule() - Find the rule that a DMA object breaks
 * @o: the object
 *
 * Return: NULL, or a text with the wrong attribute and the reason.
 */
static inline const char *nvfifo_object_rule(const struct nvfifo_object_request *o)
{
	const char *why = nvfifo_object_rule_rights(o);

	if (!why)
		why = nvfifo_object_rule_kind(o);
	if (!why)
		why = nvfifo_object_rule_compression(o);
	if (!why && !o->size)
		why = "size: it is 0";
	if (!why && o->end && (o->start >= o->end || o->size > o->end - o->start))
		why = "size: the object reaches past the end of its memory or address space";

	return why;
}

#endif
