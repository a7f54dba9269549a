/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Bit layouts of the NV50 family as pure functions: no MMIO, no state.
 *
 * The kernel driver, its KUnit suites, libnvfifo and the nvfifo command compile
 * this same file; nvfifo_fmt_user.h has the directions that the driver does not
 * need. "G80 layout" and "G84 layout" name the two generations of the channel
 * structure; the second holds for every chipset from G84 on.
 *
 * Words are in host order; the card's side is little endian.
 */
#ifndef _NVFIFO_FMT_H_
#define _NVFIFO_FMT_H_

#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#endif

#include "nvfifo_code_names.h"
#include "nvfifo_layout_table.h"

#define NVFIFO_VA_BITS		40
#define NVFIFO_VA_MASK		((1ULL << NVFIFO_VA_BITS) - 1)

/* --- Chipsets ------------------------------------------------------------- */

/* GT215 and later widen the fields of the VM fault status word. */
static inline bool nvfifo_chipset_is_gt215(__u32 chipset)
{
	return chipset == 0xa3 || chipset == 0xa5 || chipset == 0xa8 || chipset == 0xaf;
}

/* --- Fields --------------------------------------------------------------- */

/**
 * nvfifo_field_set() - Put a value into a field
 * @mask: the field, NVFIFO_*__*
 * @value: the value, truncated to the field's width
 *
 * Return: the field in its place, all other bits 0.
 */
static inline __u64 nvfifo_field_set(__u64 mask, __u64 value)
{
	return value << __builtin_ctzll(mask) & mask;
}

/**
 * nvfifo_field_get() - Extract a field
 * @mask: the field, NVFIFO_*__*
 * @word: the word with the field
 *
 * Return: the value.
 */
static inline __u64 nvfifo_field_get(__u64 mask, __u64 word)
{
	return (word & mask) >> __builtin_ctzll(mask);
}

/* --- Storage types ------------------------------------------------------- */

/* Class of a storage type, on the chipset that has most of them. */
static inline enum nvfifo_kind_class nvfifo_kind_class(__u32 kind)
{
	static const __u32 map[8] = NVFIFO_KIND_MAP;

	if (kind > 0x7f)
		return NVFIFO_KIND_INVALID;

	return (enum nvfifo_kind_class)((map[kind >> 4] >> ((kind & 0xf) * 2)) & 3);
}

/* Storage types that G200 added. */
static inline bool nvfifo_kind_is_g200(__u32 kind)
{
	return (kind >= 0x44 && kind <= 0x46) || (kind >= 0x4b && kind <= 0x4d) ||
	       (kind >= 0x68 && kind <= 0x6f);
}

/* --- Page table entries -------------------------------------------------- */

/**
 * struct nvfifo_pte - A page table entry
 * @address: linear address, 40 bits, a multiple of 4 KiB
 * @target: enum nvfifo_target
 * @contig: log2 of the pages in the contig block, up to NVFIFO_PTE_CONTIG_MAX
 * @kind: storage type
 * @comp: compression: 0 none, 1 single, 2 double
 * @tag: first compression tag cell, 12 bits
 * @present: the entry maps a page
 * @read_only: writes fault
 * @supervisor: accesses fault unless the DMA object is a supervisor object
 * @long_cycle: long partition cycle, G80 only
 * @encrypted: encrypted system memory, G84 and later
 */
struct nvfifo_pte {
	__u64 address;
	__u8 target;
	__u8 contig;
	__u8 kind;
	__u8 comp;
	__u16 tag;
	bool present;
	bool read_only;
	bool supervisor;
	bool long_cycle;
	bool encrypted;
};

/**
 * nvfifo_pte_encode() - Encode a page table entry
 * @p: the entry; values are truncated to the width of their fields
 *
 * Return: the word.
 */
static inline __u64 nvfifo_pte_encode(const struct nvfifo_pte *p)
{
	return nvfifo_field_set(NVFIFO_PTE__PAGE, p->address >> 12) |
	       nvfifo_field_set(NVFIFO_PTE__TARGET, p->target) |
	       nvfifo_field_set(NVFIFO_PTE__CONTIG, p->contig) |
	       nvfifo_field_set(NVFIFO_PTE__KIND, p->kind) |
	       nvfifo_field_set(NVFIFO_PTE__COMP, p->comp) |
	       nvfifo_field_set(NVFIFO_PTE__TAG, p->tag) |
	       nvfifo_field_set(NVFIFO_PTE__PRESENT, p->present) |
	       nvfifo_field_set(NVFIFO_PTE__READ_ONLY, p->read_only) |
	       nvfifo_field_set(NVFIFO_PTE__SUPERVISOR, p->supervisor) |
	       nvfifo_field_set(NVFIFO_PTE__LONG_CYCLE, p->long_cycle) |
	       nvfifo_field_set(NVFIFO_PTE__ENCRYPTED, p->encrypted);
}

/**
 * nvfifo_pte_decode() - Read a page table entry
 * @pte: the word
 *
 * Return: its fields.
 */
static inline struct nvfifo_pte nvfifo_pte_decode(__u64 pte)
{
	struct nvfifo_pte p;

	memset(&p, 0, sizeof(p));
	p.address = nvfifo_field_get(NVFIFO_PTE__PAGE, pte) << 12;
	p.target = (__u8)nvfifo_field_get(NVFIFO_PTE__TARGET, pte);
	p.contig = (__u8)nvfifo_field_get(NVFIFO_PTE__CONTIG, pte);
	p.kind = (__u8)nvfifo_field_get(NVFIFO_PTE__KIND, pte);
	p.comp = (__u8)nvfifo_field_get(NVFIFO_PTE__COMP, pte);
	p.tag = (__u16)nvfifo_field_get(NVFIFO_PTE__TAG, pte);
	p.present = pte & NVFIFO_PTE__PRESENT;
	p.read_only = pte & NVFIFO_PTE__READ_ONLY;
	p.supervisor = pte & NVFIFO_PTE__SUPERVISOR;
	p.long_cycle = pte & NVFIFO_PTE__LONG_CYCLE;
	p.encrypted = pte & NVFIFO_PTE__ENCRYPTED;

	return p;
}

/*
 * log2 of the largest contig block at PTE @index of a table, when @count PTEs from there
 * on map contiguous memory with equal attributes. A block of 2^n starts at an index that
 * is a multiple of 2^n; the linear address need not be aligned.
 */
static inline unsigned int nvfifo_pte_contig(__u32 index, __u32 count)
{
	unsigned int n = 0;

	while (n < NVFIFO_PTE_CONTIG_MAX && !(index >> n & 1) && (2u << n) <= count)
		n++;

	return n;
}

static inline __u8 nvfifo_pte_comp(__u64 pte)
{
	return pte >> NVFIFO_PTE_COMP_SHIFT & 3;
}

/* The step of a PTE from one page to the next: address, and tags if it is compressed. */
static inline __u64 nvfifo_pte_step(unsigned int page_shift, __u64 pte)
{
	return (1ULL << page_shift) + ((__u64)nvfifo_pte_comp(pte) << NVFIFO_PTE_TAG_SHIFT);
}

/* --- Page directory entries ---------------------------------------------- */

/**
 * struct nvfifo_pde - A page directory entry
 * @address: linear address of the page table, 40 bits, a multiple of 4 KiB
 * @target: enum nvfifo_target of the page table
 * @type: enum nvfifo_pt_type; NVFIFO_PT_NONE means that there is no table
 * @size: PT_SIZE, see nvfifo_pt_entries()
 */
struct nvfifo_pde {
	__u64 address;
	__u8 target;
	__u8 type;
	__u8 size;
};

/**
 * nvfifo_pde_encode() - Encode a page directory entry
 * @p: the entry; values are truncated to the width of their fields
 *
 * Return: the word.
 */
static inline __u64 nvfifo_pde_encode(const struct nvfifo_pde *p)
{
	return nvfifo_field_set(NVFIFO_PDE__PAGE, p->address >> 12) |
	       nvfifo_field_set(NVFIFO_PDE__TARGET, p->target) |
	       nvfifo_field_set(NVFIFO_PDE__TYPE, p->type) |
	       nvfifo_field_set(NVFIFO_PDE__SIZE, p->size);
}

/**
 * nvfifo_pde_decode() - Read a page directory entry
 * @pde: the word
 *
 * Return: its fields.
 */
static inline struct nvfifo_pde nvfifo_pde_decode(__u64 pde)
{
	struct nvfifo_pde p;

	memset(&p, 0, sizeof(p));
	p.address = nvfifo_field_get(NVFIFO_PDE__PAGE, pde) << 12;
	p.target = (__u8)nvfifo_field_get(NVFIFO_PDE__TARGET, pde);
	p.type = (__u8)nvfifo_field_get(NVFIFO_PDE__TYPE, pde);
	p.size = (__u8)nvfifo_field_get(NVFIFO_PDE__SIZE, pde);

	return p;
}

/* log2 of the page size of a table type; 0 for none. */
static inline unsigned int nvfifo_pt_page_shift(unsigned int type)
{
	switch (type) {
	case NVFIFO_PT_4K:
		return 12;
	case NVFIFO_PT_16K:
		return 14;
	case NVFIFO_PT_64K:
		return 16;
	default:
		return 0;
	}
}

/*
 * Entries of a table: enough for all addresses of a PDE. Tables of 4 KiB pages can be shorter,
 * as PT_SIZE says.
 */
static inline __u32 nvfifo_pt_entries(unsigned int type, unsigned int size)
{
	if (type == NVFIFO_PT_NONE)
		return 0;
	if (type == NVFIFO_PT_4K && size)
		return 0x10000 >> size;

	return 1u << (NVFIFO_PDE_SHIFT - nvfifo_pt_page_shift(type));
}

/* Smallest table of 4 KiB pages, as PT_SIZE, that holds @entries entries. */
static inline unsigned int nvfifo_pt_size_for(__u32 entries)
{
	unsigned int size = 3;

	while (size && entries > nvfifo_pt_entries(NVFIFO_PT_4K, size))
		size--;

	return size;
}

/* --- DMA objects --------------------------------------------------------- */

/**
 * struct nvfifo_dmaobj - A DMA object
 * @oclass: NVFIFO_CLASS_DMA_*; the MMU ignores it
 * @target: enum nvfifo_dmaobj_target
 * @access: enum nvfifo_dmaobj_access
 * @user: enum nvfifo_dmaobj_user, the permitted users
 * @kind: storage type, or NVFIFO_DMAOBJ_KIND_VM
 * @comp: compression mode, or NVFIFO_DMAOBJ_COMP_VM
 * @supervisor: accesses through the object are supervisor accesses
 * @start: first virtual (or linear) address, 40 bits
 * @limit: last address, inclusive, 40 bits
 * @tag_start: first compression tag cell of an unpaged object, 12 bits
 * @tag_limit: last compression tag cell, 12 bits
 * @comp_start: VRAM address >> 16 that @tag_start belongs to
 * @cycle: partition cycle: 0 the PTE decides, 1 short, 2 long
 * @encrypted: 0, 1 or NVFIFO_DMAOBJ_ENCRYPTED_VM; G84 and later
 */
struct nvfifo_dmaobj {
	__u16 oclass;
	__u8 target;
	__u8 access;
	__u8 user;
	__u8 kind;
	__u8 comp;
	bool supervisor;
	__u64 start;
	__u64 limit;
	__u16 tag_start;
	__u16 tag_limit;
	__u16 comp_start;
	__u8 cycle;
	__u8 encrypted;
};

/**
 * nvfifo_dmaobj_encode() - Encode a DMA object
 * @p: the object; values are truncated to the width of their fields
 * @w: out: its words
 */
static inline void nvfifo_dmaobj_encode(const struct nvfifo_dmaobj *p,
					__u32 w[NVFIFO_DMAOBJ_WORDS])
{
	w[0] = (__u32)(nvfifo_field_set(NVFIFO_DMAOBJ__CLASS, p->oclass) |
		       nvfifo_field_set(NVFIFO_DMAOBJ__TARGET, p->target) |
		       nvfifo_field_set(NVFIFO_DMAOBJ__ACCESS, p->access) |
		       nvfifo_field_set(NVFIFO_DMAOBJ__USER, p->user) |
		       nvfifo_field_set(NVFIFO_DMAOBJ__KIND, p->kind) |
		       nvfifo_field_set(NVFIFO_DMAOBJ__COMP, p->comp) |
		       nvfifo_field_set(NVFIFO_DMAOBJ__SUPERVISOR, p->supervisor));
	w[1] = (__u32)nvfifo_field_set(NVFIFO_DMAOBJ__LIMIT_LOW, p->limit);
	w[2] = (__u32)nvfifo_field_set(NVFIFO_DMAOBJ__START_LOW, p->start);
	w[3] = (__u32)(nvfifo_field_set(NVFIFO_DMAOBJ__START_HIGH, p->start >> 32) |
		       nvfifo_field_set(NVFIFO_DMAOBJ__LIMIT_HIGH, p->limit >> 32));
	w[4] = (__u32)(nvfifo_field_set(NVFIFO_DMAOBJ__TAG_START, p->tag_start) |
		       nvfifo_field_set(NVFIFO_DMAOBJ__TAG_LIMIT, p->tag_limit));
	w[5] = (__u32)(nvfifo_field_set(NVFIFO_DMAOBJ__COMP_START, p->comp_start) |
		       nvfifo_field_set(NVFIFO_DMAOBJ__CYCLE, p->cycle) |
		       nvfifo_field_set(NVFIFO_DMAOBJ__ENCRYPTED, p->encrypted));
}

/**
 * nvfifo_dmaobj_decode() - Read a DMA object
 * @w: its words
 *
 * Return: its fields.
 */
static inline struct nvfifo_dmaobj nvfifo_dmaobj_decode(const __u32 w[NVFIFO_DMAOBJ_WORDS])
{
	struct nvfifo_dmaobj p;

	memset(&p, 0, sizeof(p));
	p.oclass = (__u16)nvfifo_field_get(NVFIFO_DMAOBJ__CLASS, w[0]);
	p.target = (__u8)nvfifo_field_get(NVFIFO_DMAOBJ__TARGET, w[0]);
	p.access = (__u8)nvfifo_field_get(NVFIFO_DMAOBJ__ACCESS, w[0]);
	p.user = (__u8)nvfifo_field_get(NVFIFO_DMAOBJ__USER, w[0]);
	p.kind = (__u8)nvfifo_field_get(NVFIFO_DMAOBJ__KIND, w[0]);
	p.comp = (__u8)nvfifo_field_get(NVFIFO_DMAOBJ__COMP, w[0]);
	p.supervisor = w[0] & NVFIFO_DMAOBJ__SUPERVISOR;
	p.start = nvfifo_field_get(NVFIFO_DMAOBJ__START_HIGH, w[3]) << 32 | w[2];
	p.limit = nvfifo_field_get(NVFIFO_DMAOBJ__LIMIT_HIGH, w[3]) << 32 | w[1];
	p.tag_start = (__u16)nvfifo_field_get(NVFIFO_DMAOBJ__TAG_START, w[4]);
	p.tag_limit = (__u16)nvfifo_field_get(NVFIFO_DMAOBJ__TAG_LIMIT, w[4]);
	p.comp_start = (__u16)nvfifo_field_get(NVFIFO_DMAOBJ__COMP_START, w[5]);
	p.cycle = (__u8)nvfifo_field_get(NVFIFO_DMAOBJ__CYCLE, w[5]);
	p.encrypted = (__u8)nvfifo_field_get(NVFIFO_DMAOBJ__ENCRYPTED, w[5]);

	return p;
}

/* A paged object whose attributes, and rights, all come from the PTE. */
static inline struct nvfifo_dmaobj nvfifo_dmaobj_vm(__u16 oclass, __u64 start, __u64 limit)
{
	struct nvfifo_dmaobj o;

	memset(&o, 0, sizeof(o));
	o.oclass = oclass;
	o.kind = NVFIFO_DMAOBJ_KIND_VM;
	o.comp = NVFIFO_DMAOBJ_COMP_VM;
	o.start = start;
	o.limit = limit;

	return o;
}

/* --- RAMHT --------------------------------------------------------------- */

/*
 * Slot at which the search for a handle starts, in a table of 2^@bits entries. It is the exclusive
 * or of parts of the handle, as in all known drivers. The channel id is not part of the hash: each
 * channel has its own table.
 */
static inline __u32 nvfifo_ramht_hash(__u32 handle, unsigned int bits)
{
	__u32 h = 0;

	for (; handle; handle >>= bits)
		h ^= handle & ((1u << bits) - 1);

	return h;
}

/* Context word: engine id and instance, an offset in the channel structure >> 4. */
static inline __u32 nvfifo_ramht_context(unsigned int engine, __u32 offset)
{
	return (engine & 0xf) << 20 | (offset >> 4 & 0xffff);
}

static inline unsigned int nvfifo_ramht_context_engine(__u32 context)
{
	return context >> 20 & 0xf;
}

static inline __u32 nvfifo_ramht_context_offset(__u32 context)
{
	return (context & 0xffff) << 4;
}

/* The RAMHT register and RAMFC word; always with a search of the complete table. */
static inline __u32 nvfifo_ramht_reg(__u32 offset, unsigned int bits)
{
	return (bits - NVFIFO_RAMHT_BITS_MIN) << 27 | NVFIFO_RAMHT_SEARCH_FULL |
	       (offset >> 4 & 0xffff);
}

/* --- Channel structure, descriptor, channel table, playlist -------------- */

/* Channel descriptor, and value of the PLAYLIST register: [27:0] address >> 12, [29:28] target */
static inline __u32 nvfifo_chan_desc(__u64 address, unsigned int target)
{
	return (__u32)(address >> 12 & 0x0fffffff) | (target & 3) << 28;
}

/* Entry of CHAN_TABLE: the structure >> 12 on G80, RAMFC >> 8 from G84 on. */
static inline __u32 nvfifo_chan_table(bool g84, __u64 inst, unsigned int target)
{
	if (!g84)
		return nvfifo_chan_desc(inst, target);

	return (__u32)((inst + NVFIFO_G84_RAMFC) >> 8 & 0x00ffffff) | (target & 3) << 24;
}

/* --- RAMFC --------------------------------------------------------------- */

/**
 * struct nvfifo_ramfc - Parameters of a new channel's RAMFC
 * @g84: G84 layout
 * @ib: IB mode, else the linear buffer mode of NV04
 * @sli_off: the channel's SLI commands are not known to the pusher
 * @inst: VRAM address of the channel structure
 * @push_offset: offset of the push DMA object in the structure
 * @ramht_offset: offset of RAMHT in the structure
 * @ramht_bits: log2 of RAMHT's entries
 * @ib_address: virtual address of the IB ring (IB mode)
 * @ib_order: log2 of the ring's entries (IB mode)
 * @dma_start: first address of the buffer (NV04 mode)
 * @dma_limit: highest address that GET may have (NV04 mode), 0 for 0xffffffff
 * @sli_mask: mask of SLI positions, 12 bits
 * @timeslice: 17 bits, units unknown, 0 for NVFIFO_TIMESLICE_DEFAULT
 */
struct nvfifo_ramfc {
	bool g84;
	bool ib;
	bool sli_off;
	__u64 inst;
	__u32 push_offset;
	__u32 ramht_offset;
	unsigned int ramht_bits;
	__u64 ib_address;
	unsigned int ib_order;
	__u64 dma_start;
	__u32 dma_limit;
	__u32 sli_mask;
	__u32 timeslice;
};

/* DMA_TIMESLICE: PFIFO switches to another channel after the timeslice. */
static inline __u32 nvfifo_ramfc_timeslice(__u32 timeslice)
{
	if (!timeslice)
		timeslice = NVFIFO_TIMESLICE_DEFAULT;

	return NVFIFO_TIMESLICE_ON | (timeslice & NVFIFO_TIMESLICE_MAX);
}

/* Encode the words of the pushbuffer's source */
static inline void nvfifo_ramfc_encode_source(const struct nvfifo_ramfc *r,
					      __u32 w[NVFIFO_RAMFC_WORDS])
{
	__u32 start_high = (__u32)(r->dma_start >> 32 & 0xff);
	__u32 start = (__u32)r->dma_start;
	__u32 limit = r->dma_limit;

	w[NVFIFO_RAMFC_DMA_FETCH / 4] = NVFIFO_DMA_FETCH;

	if (r->ib) {
		w[NVFIFO_RAMFC_DMA_FETCH / 4] |= NVFIFO_DMA_FETCH_IB;
		w[NVFIFO_RAMFC_IB_ADDRESS_LOW / 4] = (__u32)r->ib_address;
		w[NVFIFO_RAMFC_IB_CONFIG / 4] = (__u32)(r->ib_address >> 32 & 0xff) |
						r->ib_order << 16;
		return;
	}

	if (!limit)
		limit = 0xffffffff;

	w[NVFIFO_RAMFC_DMA_PUT / 4] = start;
	w[NVFIFO_RAMFC_DMA_PUT_HIGH / 4] = start_high;
	w[NVFIFO_RAMFC_DMA_GET / 4] = start;
	w[NVFIFO_RAMFC_DMA_GET_HIGH / 4] = start_high;
	w[NVFIFO_RAMFC_DMA_LIMIT / 4] = limit;
}

/**
 * nvfifo_ramfc_encode() - Encode the RAMFC of a new channel
 * @r: its parameters
 * @w: out: its words
 */
static inline void nvfifo_ramfc_encode(const struct nvfifo_ramfc *r, __u32 w[NVFIFO_RAMFC_WORDS])
{
	unsigned int i;

	for (i = 0; i < NVFIFO_RAMFC_WORDS; i++)
		w[i] = 0;

	nvfifo_ramfc_encode_source(r, w);
	w[NVFIFO_RAMFC_DMA_TIMESLICE / 4] = nvfifo_ramfc_timeslice(r->timeslice);
	w[NVFIFO_RAMFC_DMA_INSTANCE / 4] = r->push_offset >> 4;
	w[NVFIFO_RAMFC_ACQUIRE_TIMEOUT / 4] = 0x7fffffff;
	w[NVFIFO_RAMFC_SLI / 4] = NVFIFO_SLI_ACTIVE | (r->sli_mask & NVFIFO_SLI_MASK);

	if (!r->sli_off)
		w[NVFIFO_RAMFC_SLI / 4] |= NVFIFO_SLI_ENABLE;

	w[NVFIFO_RAMFC_RAMHT / 4] = nvfifo_ramht_reg(r->ramht_offset, r->ramht_bits);

	if (!r->g84)
		return;

	w[NVFIFO_RAMFC_CACHE_INST / 4] = (__u32)((r->inst + NVFIFO_G84_CACHE) >> 10);
	w[NVFIFO_RAMFC_CHAN_INST / 4] = nvfifo_chan_desc(r->inst, NVFIFO_TARGET_VRAM);
}

/* --- IB entries ---------------------------------------------------------- */

/**
 * struct nvfifo_ib_entry - An entry of the IB ring: one segment of the pushbuffer
 * @address: virtual address of the segment, 40 bits, a multiple of 4
 * @words: its length, 1 to NVFIFO_IB_WORDS_MAX
 * @not_main: the segment does not move DMA_MGET
 * @no_prefetch: the pusher does not read the segment before its turn
 */
struct nvfifo_ib_entry {
	__u64 address;
	__u32 words;
	bool not_main;
	bool no_prefetch;
};

/**
 * nvfifo_ib_encode() - Encode an IB entry
 * @p: the entry; values are truncated to the width of their fields
 * @w: out: its words
 */
static inline void nvfifo_ib_encode(const struct nvfifo_ib_entry *p, __u32 w[2])
{
	w[0] = (__u32)nvfifo_field_set(NVFIFO_IB__ADDRESS_LOW, p->address >> 2);
	w[1] = (__u32)(nvfifo_field_set(NVFIFO_IB__ADDRESS_HIGH, p->address >> 32) |
		       nvfifo_field_set(NVFIFO_IB__WORDS, p->words) |
		       nvfifo_field_set(NVFIFO_IB__NOT_MAIN, p->not_main) |
		       nvfifo_field_set(NVFIFO_IB__NO_PREFETCH, p->no_prefetch));
}

/**
 * nvfifo_ib_decode() - Read an IB entry
 * @w: its words
 *
 * Return: its fields.
 */
static inline struct nvfifo_ib_entry nvfifo_ib_decode(const __u32 w[2])
{
	struct nvfifo_ib_entry p;

	memset(&p, 0, sizeof(p));
	p.address = nvfifo_field_get(NVFIFO_IB__ADDRESS_HIGH, w[1]) << 32 |
		    nvfifo_field_get(NVFIFO_IB__ADDRESS_LOW, w[0]) << 2;
	p.words = (__u32)nvfifo_field_get(NVFIFO_IB__WORDS, w[1]);
	p.not_main = w[1] & NVFIFO_IB__NOT_MAIN;
	p.no_prefetch = w[1] & NVFIFO_IB__NO_PREFETCH;

	return p;
}

/* --- Commands ------------------------------------------------------------ */

/* Header of @count increasing methods. The library has the other types, and the decoders. */
static inline __u32 nvfifo_mthd(unsigned int subc, __u32 method, __u32 count)
{
	return (count & 0x7ff) << 18 | (subc & 7) << 13 | (method & 0x1ffc);
}

/* --- VM faults ----------------------------------------------------------- */

/**
 * struct nvfifo_fault - The MMU's fault record
 * @address: virtual address of the access, 40 bits
 * @inst: VRAM address of the channel structure
 * @engine: VM engine, see nvfifo_fault_engine()
 * @reason: enum nvfifo_fault_reason
 * @client: unit of the engine, see nvfifo_fault_client()
 * @slot: DMA slot, see nvfifo_fault_slot()
 * @write: the access was a write
 */
struct nvfifo_fault {
	__u64 address;
	__u64 inst;
	__u8 engine;
	__u8 reason;
	__u8 client;
	__u8 slot;
	bool write;
};

/* Bits of a field of the status word: 8 from GT215 on, else 4. */
static inline unsigned int nvfifo_fault_width(__u32 chipset)
{
	if (nvfifo_chipset_is_gt215(chipset))
		return 8;

	return 4;
}

/**
 * nvfifo_fault_decode() - Read the fault record
 * @chipset: the chipset's id
 * @w: the record's words
 *
 * Return: its fields.
 */
static inline struct nvfifo_fault nvfifo_fault_decode(__u32 chipset,
						      const __u32 w[NVFIFO_FAULT_WORDS])
{
	const unsigned int n = nvfifo_fault_width(chipset);
	const __u32 mask = (1u << n) - 1;
	struct nvfifo_fault p;

	memset(&p, 0, sizeof(p));
	p.address = nvfifo_field_get(NVFIFO_FAULT__ADDRESS_HIGH, w[5]) << 32 |
		    nvfifo_field_get(NVFIFO_FAULT__ADDRESS_MIDDLE, w[4]) << 16 |
		    nvfifo_field_get(NVFIFO_FAULT__ADDRESS_LOW, w[3]);
	p.inst = nvfifo_field_get(NVFIFO_FAULT__INST_HIGH, w[2]) << 28 |
		 nvfifo_field_get(NVFIFO_FAULT__INST_LOW, w[1]) << 12;
	p.engine = w[0] & mask;
	p.reason = w[0] >> n & mask;
	p.client = w[0] >> 2 * n & mask;
	p.slot = w[0] >> 3 * n & mask;
	p.write = !(w[5] & NVFIFO_FAULT_READ);

	return p;
}

/* --- TLB flush ----------------------------------------------------------- */

#define NVFIFO_TLB_FLUSH_TRIGGER	(1u << 0)

static inline __u32 nvfifo_tlb_flush_value(unsigned int engine)
{
	return (engine & 0xf) << 16 | NVFIFO_TLB_FLUSH_TRIGGER;
}

#endif
