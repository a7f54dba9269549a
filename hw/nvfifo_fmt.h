/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Bit layouts of the NV50 family as pure functions: no MMIO, no state.
 *
 * The kernel driver, its KUnit suites, libnvfifo and the nvfifo command compile
 * this same file; nvfifo_cmd.h has the directions that the driver does not
 * need. "G80 layout" and "G84 layout" name the two generations of the channel
 * structure; the second holds for every chipset from G84 on.
 *
 * Words are in host order; the card's side is little endian.
 */
#ifndef _NVFIFO_FMT_H_
#define _NVFIFO_FMT_H_

#include <linux/types.h>

#ifndef __KERNEL__
#include <stdbool.h>
#include <stddef.h>
#endif

#include "nvfifo_layout_table.h"

#define NVFIFO_VA_BITS		40
#define NVFIFO_VA_MASK		((1ULL << NVFIFO_VA_BITS) - 1)

/* --- Names of codes ------------------------------------------------------ */

#define NVFIFO_NAME_FN(fn, list, row, unknown) \
static inline const char *fn(unsigned int code) \
{ \
	switch (code) { \
	list(row) \
	} \
	return unknown; \
}

#define NVFIFO_CASE(block, name, value) case value: return #name;
#define NVFIFO_CHIPSET_CASE(id, name) case id: return name;
NVFIFO_NAME_FN(nvfifo_chipset_name, NVFIFO_CHIPSET_IDS, NVFIFO_CHIPSET_CASE, NULL)
NVFIFO_NAME_FN(nvfifo_pusher_error_name, NVFIFO_PUSHER_ERRORS, NVFIFO_CASE, "UNKNOWN")
NVFIFO_NAME_FN(nvfifo_semaphore_error_name, NVFIFO_SEMAPHORE_ERRORS, NVFIFO_CASE, "UNKNOWN")
NVFIFO_NAME_FN(nvfifo_data_error_name, NVFIFO_DATA_ERRORS, NVFIFO_CASE, "UNKNOWN")
NVFIFO_NAME_FN(nvfifo_vm_engine_name, NVFIFO_VM_ENGINE_IDS, NVFIFO_CASE, "UNKNOWN")
NVFIFO_NAME_FN(nvfifo_vm_client_name, NVFIFO_VM_CLIENT_IDS, NVFIFO_CASE, "UNKNOWN")
NVFIFO_NAME_FN(nvfifo_fault_reason_name, NVFIFO_FAULT_REASONS, NVFIFO_CASE, "UNKNOWN")

#define NVFIFO_BIT_NAME(block, name, bit) intr >> (bit) & 1 ? #name :
/* The first of the bits that are set. */
static inline const char *nvfifo_gr_intr_name(__u32 intr)
{
	return NVFIFO_GR_INTRS(NVFIFO_BIT_NAME) "UNKNOWN";
}

/* GT215 and later widen the fields of the VM fault status word. */
static inline bool nvfifo_chipset_is_gt215(__u32 chipset)
{
	return chipset == 0xa3 || chipset == 0xa5 || chipset == 0xa8 || chipset == 0xaf;
}

static inline const char *nvfifo_target_name(unsigned int target)
{
	static const char * const names[] = { "VRAM", "INVALID", "SYSRAM_SNOOP", "SYSRAM_NOSNOOP" };

	return names[target & 3];
}

/* --- Layouts -------------------------------------------------------------- */

/*
 * What the rows of a layout become: members of a struct, and statements that put the struct *p
 * into the words w, or take the struct p out of them.
 */
#define NVFIFO_MEMBER(type, name, ...) type name;
#define NVFIFO_NO_MEMBER(...)
#define NVFIFO_BITS(width) ((1ULL << (width)) - 1)
#define NVFIFO_PUT(type, name, word, lowest, width, shift) \
	w[word] |= (p->name >> (shift) & NVFIFO_BITS(width)) << (lowest);
#define NVFIFO_GET(type, name, word, lowest, width, shift) \
	p.name |= (type)((w[word] >> (lowest) & NVFIFO_BITS(width)) << (shift));

/* struct @type, <fn>_encode() and <fn>_decode() for a layout of several words of 32 bits. */
#define NVFIFO_LAYOUT(fn, type, words, fields) \
struct type { fields(NVFIFO_MEMBER, NVFIFO_NO_MEMBER) }; \
static inline void fn##_encode(const struct type *p, __u32 w[words]) \
{ \
	unsigned int i; \
\
	for (i = 0; i < (words); i++) \
		w[i] = 0; \
	fields(NVFIFO_PUT, NVFIFO_PUT) \
} \
static inline struct type fn##_decode(const __u32 w[words]) \
{ \
	struct type p = {}; \
\
	fields(NVFIFO_GET, NVFIFO_GET) \
	return p; \
}

/* The same for one word, which is passed by value. */
#define NVFIFO_WORD_LAYOUT(type, word, fields) \
struct type { fields(NVFIFO_MEMBER, NVFIFO_NO_MEMBER) }; \
static inline word type##_encode(const struct type *p) \
{ \
	word w[1] = { 0 }; \
\
	fields(NVFIFO_PUT, NVFIFO_PUT) \
	return w[0]; \
} \
static inline struct type type##_decode(word value) \
{ \
	const word w[1] = { value }; \
	struct type p = {}; \
\
	fields(NVFIFO_GET, NVFIFO_GET) \
	return p; \
}

/* --- Storage types ------------------------------------------------------- */

/* What a storage type is, on the chipset that has most of them. */
static inline enum nvfifo_kind_class nvfifo_kind_class(__u32 kind)
{
	static const __u32 map[8] = NVFIFO_KIND_MAP;

	if (kind > 0x7f)
		return NVFIFO_KIND_INVALID;
	return (enum nvfifo_kind_class)((map[kind >> 4] >> ((kind & 0xf) * 2)) & 3);
}

/* Storage types that came with the G200. */
static inline bool nvfifo_kind_is_g200(__u32 kind)
{
	return (kind >= 0x44 && kind <= 0x46) || (kind >= 0x4b && kind <= 0x4d) ||
	       (kind >= 0x68 && kind <= 0x6f);
}

/* --- Page table entries -------------------------------------------------- */

NVFIFO_WORD_LAYOUT(nvfifo_pte, __u64, NVFIFO_PTE_FIELDS)

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

/* What a PTE grows by from one page to the next: address, and tags if it is compressed. */
static inline __u64 nvfifo_pte_step(unsigned int page_shift, __u64 pte)
{
	return (1ULL << page_shift) + ((__u64)nvfifo_pte_comp(pte) << NVFIFO_PTE_TAG_SHIFT);
}

/* --- Page directory entries ---------------------------------------------- */

NVFIFO_WORD_LAYOUT(nvfifo_pde, __u64, NVFIFO_PDE_FIELDS)

/* log2 of the page size of a table type; 0 for none. */
static inline unsigned int nvfifo_pt_page_shift(unsigned int type)
{
	return type == NVFIFO_PT_4K ? 12 : type == NVFIFO_PT_16K ? 14 :
	       type == NVFIFO_PT_64K ? 16 : 0;
}

/* Entries of a table: for all that a PDE covers, or as PT_SIZE says if pages are small. */
static inline __u32 nvfifo_pt_entries(unsigned int type, unsigned int size)
{
	if (type == NVFIFO_PT_4K && size)
		return 0x10000 >> size;
	return type ? 1u << (NVFIFO_PDE_SHIFT - nvfifo_pt_page_shift(type)) : 0;
}

/* Smallest table of 4 KiB pages, as PT_SIZE, that holds @entries entries. */
static inline unsigned int nvfifo_pt_size_for(__u32 entries)
{
	return entries <= 0x2000 ? 3 : entries <= 0x4000 ? 2 : entries <= 0x8000 ? 1 : 0;
}

/* --- DMA objects --------------------------------------------------------- */

NVFIFO_LAYOUT(nvfifo_dmaobj, nvfifo_dmaobj, NVFIFO_DMAOBJ_WORDS, NVFIFO_DMAOBJ_FIELDS)

/* A paged object whose attributes, and rights, all come from the PTE. */
static inline struct nvfifo_dmaobj nvfifo_dmaobj_vm(__u16 oclass, __u64 start, __u64 limit)
{
	struct nvfifo_dmaobj o = {};

	o.oclass = oclass;
	o.kind = NVFIFO_DMAOBJ_KIND_VM;
	o.comp = NVFIFO_DMAOBJ_COMP_VM;
	o.start = start;
	o.limit = limit;
	return o;
}

/* --- RAMHT --------------------------------------------------------------- */

/*
 * Slot at which the search for a handle starts, in a table of 2^@bits entries: the
 * exclusive or of the handle's pieces, as all known drivers place them. The channel id
 * is no part of it: each channel has its own table.
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

/* Channel descriptor, and what the PLAYLIST register takes: [27:0] address >> 12, [29:28] target */
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

/* What a new channel's RAMFC is made from. */
struct nvfifo_ramfc {
	bool g84;		/* G84 layout */
	bool ib;		/* IB mode, else the linear buffer mode of NV04 */
	__u64 inst;		/* VRAM address of the channel structure */
	__u32 push_offset;	/* of the push DMA object in the structure */
	__u32 ramht_offset;	/* of RAMHT in the structure */
	unsigned int ramht_bits;	/* log2 of RAMHT's entries */
	__u64 ib_address;	/* virtual address of the IB ring (IB mode) */
	unsigned int ib_order;	/* log2 of its entries */
	__u64 dma_start;	/* first address of the buffer (NV04 mode), below 4 GiB */
	__u32 sli_mask;		/* mask of SLI positions, 12 bits */
	__u32 timeslice;	/* 17 bits, units unknown, 0 for NVFIFO_TIMESLICE_DEFAULT */
};

/* The RAMFC image of a channel that has done nothing yet. */
static inline void nvfifo_ramfc_encode(const struct nvfifo_ramfc *r, __u32 w[NVFIFO_RAMFC_WORDS])
{
	unsigned int i;

	for (i = 0; i < NVFIFO_RAMFC_WORDS; i++)
		w[i] = 0;

#define W(name) w[NVFIFO_RAMFC_##name / 4]
	W(DMA_FETCH) = NVFIFO_DMA_FETCH;
	if (r->ib) {
		W(DMA_FETCH) |= NVFIFO_DMA_FETCH_IB;
		W(IB_ADDRESS_LOW) = (__u32)r->ib_address;
		W(IB_CONFIG) = (__u32)(r->ib_address >> 32 & 0xff) | r->ib_order << 16;
	} else {
		W(DMA_PUT) = (__u32)r->dma_start;
		W(DMA_PUT_HIGH) = (__u32)(r->dma_start >> 32 & 0xff);
		W(DMA_GET) = W(DMA_PUT);
		W(DMA_GET_HIGH) = W(DMA_PUT_HIGH);
		W(DMA_LIMIT) = 0xffffffff;
	}
	W(DMA_TIMESLICE) = NVFIFO_TIMESLICE_ON |
			   (r->timeslice ? r->timeslice & NVFIFO_TIMESLICE_MAX :
					   NVFIFO_TIMESLICE_DEFAULT);
	W(DMA_INSTANCE) = r->push_offset >> 4;
	W(ACQUIRE_TIMEOUT) = 0x7fffffff;
	W(SLI) = 0x30000000 | (r->sli_mask & 0xfff);
	W(RAMHT) = nvfifo_ramht_reg(r->ramht_offset, r->ramht_bits);
	if (r->g84) {
		W(CACHE_INST) = (__u32)((r->inst + NVFIFO_G84_CACHE) >> 10);
		W(CHAN_INST) = nvfifo_chan_desc(r->inst, NVFIFO_TARGET_VRAM);
	}
#undef W
}

/* --- IB entries ---------------------------------------------------------- */

NVFIFO_LAYOUT(nvfifo_ib, nvfifo_ib_entry, 2, NVFIFO_IB_FIELDS)

/* --- Commands ------------------------------------------------------------ */

/* Header of @count increasing methods. The library has the other types, and the decoders. */
static inline __u32 nvfifo_mthd(unsigned int subc, __u32 method, __u32 count)
{
	return (count & 0x7ff) << 18 | (subc & 7) << 13 | (method & 0x1ffc);
}

/* --- Errors -------------------------------------------------------------- */

/* Why the puller stopped with CACHE_ERROR, from PULL0. */
static inline const char *nvfifo_cache_error_name(__u32 pull0)
{
	return pull0 & 1u << 4 ? "HASH_FAILED" : pull0 & 1u << 24 ? "INVALID_ENGINE" :
	       pull0 & 1u << 8 ? "EMPTY_SUBCHANNEL" : "UNKNOWN";
}

/* --- VM faults ----------------------------------------------------------- */

struct nvfifo_fault {
	NVFIFO_FAULT_FIELDS(NVFIFO_MEMBER, NVFIFO_NO_MEMBER)
	bool write;
};

/* Bits of a field of the status word: 8 from GT215 on, else 4. */
static inline unsigned int nvfifo_fault_width(__u32 chipset)
{
	return nvfifo_chipset_is_gt215(chipset) ? 8 : 4;
}

static inline struct nvfifo_fault nvfifo_fault_decode(__u32 chipset,
						      const __u32 w[NVFIFO_FAULT_WORDS])
{
	const unsigned int n = nvfifo_fault_width(chipset);
	struct nvfifo_fault p = {};

	NVFIFO_FAULT_FIELDS(NVFIFO_GET, NVFIFO_GET)
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
