/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Bit layouts of the NV50 family as pure functions: no MMIO, no state.
 *
 * The kernel driver, its KUnit suites, libnvfifo and the nvfifo command compile
 * this same file; lib/nvfifo_cmd.h has the directions that the driver does not
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

#define NVFIFO_VA_BITS		40
#define NVFIFO_VA_MASK		((1ULL << NVFIFO_VA_BITS) - 1)

/* Chipset ids, PMC_BOOT_0[28:20]. Numeric order is not the order of age. */
#define NVFIFO_CHIPSET_IDS(X) \
	X(0x50, "G80") X(0x84, "G84") X(0x86, "G86") X(0x92, "G92") X(0x94, "G94") \
	X(0x96, "G96") X(0x98, "G98") X(0xa0, "G200") X(0xaa, "MCP77") X(0xac, "MCP79") \
	X(0xa3, "GT215") X(0xa5, "GT216") X(0xa8, "GT218") X(0xaf, "MCP89")

static inline const char *nvfifo_chipset_name(__u32 chipset)
{
#define NVFIFO_CASE(id, name) case id: return name;
	switch (chipset) {
	NVFIFO_CHIPSET_IDS(NVFIFO_CASE)
	}
#undef NVFIFO_CASE
	return NULL;
}

/* GT215 and later widen the fields of the VM fault status word. */
static inline bool nvfifo_chipset_is_gt215(__u32 chipset)
{
	return chipset == 0xa3 || chipset == 0xa5 || chipset == 0xa8 || chipset == 0xaf;
}

/*
 * Memory targets, the same code in PTEs, PDEs, channel descriptors, the playlist
 * and the PRAMIN window. DMA objects have their own list.
 */
enum nvfifo_target {
	NVFIFO_TARGET_VRAM = 0,
	NVFIFO_TARGET_INVALID = 1,
	NVFIFO_TARGET_SYS_SNOOP = 2,
	NVFIFO_TARGET_SYS_NOSNOOP = 3,
};

static inline const char *nvfifo_target_name(unsigned int target)
{
	static const char * const names[] = { "VRAM", "INVALID", "SYSRAM_SNOOP", "SYSRAM_NOSNOOP" };

	return names[target & 3];
}

/* --- Storage types ------------------------------------------------------- */

enum nvfifo_kind_class {
	NVFIFO_KIND_INVALID = 0,
	NVFIFO_KIND_PLAIN = 1,		/* normal bank order */
	NVFIFO_KIND_SWIZZLED = 2,	/* swapped bank order ("LSR") */
};

/**
 * nvfifo_kind_class() - What a storage type is
 * @kind: storage type, 7 bits
 *
 * The list is that of all chipsets together, see nvfifo_kind_is_g200().
 *
 * Return: its class.
 */
static inline enum nvfifo_kind_class nvfifo_kind_class(__u32 kind)
{
	/* Two bits a type, 16 types a word, type 0x00 in the lowest bits. */
	static const __u32 map[8] = {
		0x00000001,	/* 00-0f: 00 */
		0x00aa0055,	/* 10-1f: 10-13, LSR 18-1b */
		0x2aaa1555,	/* 20-2f: 20-26, LSR 28-2e */
		0x00000000,	/* 30-3f */
		0x0aaa9555,	/* 40-4f: 40-46, LSR 47-4d */
		0x00001500,	/* 50-5f: 54-56 */
		0xaa551555,	/* 60-6f: 60-66, 68-6b, LSR 6c-6f */
		0x05a52121,	/* 70-7f: 70, 74, 78, 79, 7c, 7d, LSR 72, 76, 7a, 7b */
	};

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

#define NVFIFO_PTE_PRESENT	(1ULL << 0)
#define NVFIFO_PTE_TARGET_SHIFT	4
#define NVFIFO_PTE_CONTIG_SHIFT	7
#define NVFIFO_PTE_CONTIG_MAX	7
#define NVFIFO_PTE_COMP_SHIFT	47
#define NVFIFO_PTE_TAG_SHIFT	49
#define NVFIFO_PTE_ADDR_MASK	0x000000fffffff000ULL

/**
 * struct nvfifo_pte - A page table entry, decoded
 * @address: linear address, bytes, 40 bits, a multiple of 4 KiB
 * @target: enum nvfifo_target
 * @contig: log2 of the pages that share this entry, 0 to 7
 * @kind: storage type, 0 to 0x7f
 * @comp: compression mode, 0 none, 1 single, 2 double
 * @tag: first compression tag cell, 12 bits
 * @present: the page can be used
 * @read_only: writes fault
 * @supervisor: accesses without the supervisor bit of the DMA object fault
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

static inline __u64 nvfifo_pte_encode(const struct nvfifo_pte *p)
{
	return (p->present ? NVFIFO_PTE_PRESENT : 0) |
	       (__u64)p->read_only << 3 |
	       (__u64)(p->target & 3) << NVFIFO_PTE_TARGET_SHIFT |
	       (__u64)p->supervisor << 6 |
	       (__u64)(p->contig & 7) << NVFIFO_PTE_CONTIG_SHIFT |
	       (p->address & NVFIFO_PTE_ADDR_MASK) |
	       (__u64)(p->kind & 0x7f) << 40 |
	       (__u64)(p->comp & 3) << NVFIFO_PTE_COMP_SHIFT |
	       (__u64)(p->tag & 0xfff) << NVFIFO_PTE_TAG_SHIFT |
	       (__u64)p->long_cycle << 61 |
	       (__u64)p->encrypted << 62;
}

static inline struct nvfifo_pte nvfifo_pte_decode(__u64 v)
{
	struct nvfifo_pte p = {
		.address = v & NVFIFO_PTE_ADDR_MASK,
		.target = v >> NVFIFO_PTE_TARGET_SHIFT & 3,
		.contig = v >> NVFIFO_PTE_CONTIG_SHIFT & 7,
		.kind = v >> 40 & 0x7f,
		.comp = v >> NVFIFO_PTE_COMP_SHIFT & 3,
		.tag = v >> NVFIFO_PTE_TAG_SHIFT & 0xfff,
		.present = v & NVFIFO_PTE_PRESENT,
		.read_only = v >> 3 & 1,
		.supervisor = v >> 6 & 1,
		.long_cycle = v >> 61 & 1,
		.encrypted = v >> 62 & 1,
	};

	return p;
}

/**
 * nvfifo_pte_contig() - Largest contig block at a place
 * @index: index of the PTE in its table
 * @count: PTEs from there on that map contiguous memory with equal attributes
 *
 * A block of 2^n PTEs starts at an index that is a multiple of 2^n; the linear
 * address need not be aligned.
 *
 * Return: log2 of the block, 0 to 7.
 */
static inline unsigned int nvfifo_pte_contig(__u32 index, __u32 count)
{
	unsigned int n = 0;

	while (n < NVFIFO_PTE_CONTIG_MAX && !(index >> n & 1) && (2u << n) <= count)
		n++;
	return n;
}

static inline unsigned int nvfifo_pte_contig_of(__u64 pte)
{
	return (unsigned int)(pte >> NVFIFO_PTE_CONTIG_SHIFT) & NVFIFO_PTE_CONTIG_MAX;
}

/* What a PTE grows by from one page to the next: address, and tags if it is compressed. */
static inline __u64 nvfifo_pte_step(unsigned int page_shift, __u64 pte)
{
	return (1ULL << page_shift) + ((pte >> NVFIFO_PTE_COMP_SHIFT & 3) << NVFIFO_PTE_TAG_SHIFT);
}

/* --- Page directory entries ---------------------------------------------- */

#define NVFIFO_PD_ENTRIES	0x800
#define NVFIFO_PD_BYTES		(NVFIFO_PD_ENTRIES * 8)
#define NVFIFO_PDE_SHIFT	29

enum nvfifo_pt_type {
	NVFIFO_PT_NONE = 0,
	NVFIFO_PT_64K = 1,
	NVFIFO_PT_16K = 2,		/* GT215 and later */
	NVFIFO_PT_4K = 3,
};

/**
 * struct nvfifo_pde - A page directory entry, decoded
 * @address: linear address of the page table, a multiple of 4 KiB
 * @target: enum nvfifo_target of the page table
 * @type: enum nvfifo_pt_type
 * @size: PT_SIZE of a 4 KiB-page table: 0 0x20000 entries, 1 0x8000, 2 0x4000, 3 0x2000
 */
struct nvfifo_pde {
	__u64 address;
	__u8 target;
	__u8 type;
	__u8 size;
};

static inline __u64 nvfifo_pde_encode(const struct nvfifo_pde *p)
{
	if (p->type == NVFIFO_PT_NONE)
		return 0;
	return (__u64)(p->type & 3) | (__u64)(p->target & 3) << 2 |
	       (__u64)(p->size & 3) << 5 | (p->address & NVFIFO_PTE_ADDR_MASK);
}

static inline struct nvfifo_pde nvfifo_pde_decode(__u64 v)
{
	struct nvfifo_pde p = {
		.address = v & NVFIFO_PTE_ADDR_MASK,
		.target = v >> 2 & 3,
		.type = v & 3,
		.size = v >> 5 & 3,
	};

	return p;
}

/* log2 of the page size of a table type; 0 for none. */
static inline unsigned int nvfifo_pt_page_shift(unsigned int type)
{
	return type == NVFIFO_PT_4K ? 12 : type == NVFIFO_PT_16K ? 14 :
	       type == NVFIFO_PT_64K ? 16 : 0;
}

/* Entries of a table: fixed for large and medium pages, by PT_SIZE for small. */
static inline __u32 nvfifo_pt_entries(unsigned int type, unsigned int size)
{
	switch (type) {
	case NVFIFO_PT_64K:
		return 0x2000;
	case NVFIFO_PT_16K:
		return 0x8000;
	case NVFIFO_PT_4K:
		return size == 0 ? 0x20000 : 0x10000 >> size;
	}
	return 0;
}

/* Smallest table of 4 KiB pages, as PT_SIZE, that holds @entries entries. */
static inline unsigned int nvfifo_pt_size_for(__u32 entries)
{
	return entries <= 0x2000 ? 3 : entries <= 0x4000 ? 2 : entries <= 0x8000 ? 1 : 0;
}

/* --- DMA objects --------------------------------------------------------- */

#define NVFIFO_DMAOBJ_WORDS	6
#define NVFIFO_DMAOBJ_BYTES	24

enum nvfifo_dmaobj_target {
	NVFIFO_DMAOBJ_VM = 0,
	NVFIFO_DMAOBJ_VRAM = 1,
	NVFIFO_DMAOBJ_SYS_SNOOP = 2,
	NVFIFO_DMAOBJ_SYS_NOSNOOP = 3,
};

#define NVFIFO_DMAOBJ_ACCESS_VM		0	/* as the PTE says */
#define NVFIFO_DMAOBJ_ACCESS_RO		1
#define NVFIFO_DMAOBJ_ACCESS_RW		2
#define NVFIFO_DMAOBJ_USER_VM		0	/* as the PTE says */
#define NVFIFO_DMAOBJ_USER_BOTH		1
#define NVFIFO_DMAOBJ_USER_SUPERVISOR	2
#define NVFIFO_DMAOBJ_KIND_VM		0x7f
#define NVFIFO_DMAOBJ_COMP_VM		3
#define NVFIFO_DMAOBJ_ENCRYPTED_VM	2

#define NVFIFO_CLASS_DMA_READ		0x0002
#define NVFIFO_CLASS_DMA_WRITE		0x0003
#define NVFIFO_CLASS_DMA_RW		0x003d

/**
 * struct nvfifo_dmaobj - A DMA object, decoded
 * @oclass: class, 16 bits; the MMU ignores it
 * @target: enum nvfifo_dmaobj_target
 * @access: NVFIFO_DMAOBJ_ACCESS_*
 * @user: NVFIFO_DMAOBJ_USER_*, who may access
 * @kind: storage type, or NVFIFO_DMAOBJ_KIND_VM
 * @comp: compression mode, or NVFIFO_DMAOBJ_COMP_VM
 * @supervisor: accesses through the object are supervisor accesses
 * @start: first virtual (or linear) address, 40 bits
 * @limit: last address, inclusive, 40 bits
 * @tag_start: first compression tag of an unpaged object, 12 bits
 * @tag_limit: last one
 * @comp_start: VRAM address >> 16 that @tag_start belongs to
 * @cycle: partition cycle, 0 as the PTE says, 1 short, 2 long
 * @encrypted: G84 and later, 0 no, 1 yes, NVFIFO_DMAOBJ_ENCRYPTED_VM
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

static inline void nvfifo_dmaobj_encode(const struct nvfifo_dmaobj *o, __u32 w[NVFIFO_DMAOBJ_WORDS])
{
	w[0] = (__u32)o->oclass | (__u32)(o->target & 3) << 16 | (__u32)(o->access & 3) << 18 |
	       (__u32)(o->user & 3) << 20 | (__u32)(o->kind & 0x7f) << 22 |
	       (__u32)(o->comp & 3) << 29 | (__u32)o->supervisor << 31;
	w[1] = (__u32)o->limit;
	w[2] = (__u32)o->start;
	w[3] = (__u32)(o->limit >> 32 & 0xff) << 24 | (__u32)(o->start >> 32 & 0xff);
	w[4] = (__u32)(o->tag_limit & 0xfff) << 16 | (o->tag_start & 0xfff);
	w[5] = (__u32)o->comp_start | (__u32)(o->cycle & 3) << 16 |
	       (__u32)(o->encrypted & 3) << 18;
}

/**
 * nvfifo_dmaobj_vm() - A paged object whose attributes all come from the PTE
 * @oclass: NVFIFO_CLASS_DMA_*
 * @start: first virtual address
 * @limit: last virtual address
 *
 * Return: the object, without the right to more than the pages give.
 */
static inline struct nvfifo_dmaobj nvfifo_dmaobj_vm(__u16 oclass, __u64 start, __u64 limit)
{
	struct nvfifo_dmaobj o = {
		.oclass = oclass,
		.kind = NVFIFO_DMAOBJ_KIND_VM,
		.comp = NVFIFO_DMAOBJ_COMP_VM,
		.start = start,
		.limit = limit,
	};

	return o;
}

/**
 * nvfifo_dmaobj_engine() - The object that leads an engine to its context image
 * @start: VRAM address of the image
 * @size: its bytes
 *
 * Return: an unpaged object, without class.
 */
static inline struct nvfifo_dmaobj nvfifo_dmaobj_engine(__u64 start, __u64 size)
{
	struct nvfifo_dmaobj o = {
		.target = NVFIFO_DMAOBJ_VRAM,
		.access = NVFIFO_DMAOBJ_ACCESS_RW,
		.user = NVFIFO_DMAOBJ_USER_BOTH,
		.start = start,
		.limit = start + size - 1,
	};

	return o;
}

/* --- RAMHT --------------------------------------------------------------- */

#define NVFIFO_RAMHT_BITS_MIN	9
#define NVFIFO_RAMHT_BITS_MAX	12

/**
 * nvfifo_ramht_hash() - Slot at which the search for a handle starts
 * @handle: any value
 * @bits: log2 of the table's entries, 9 to 12
 *
 * The exclusive or of the handle's pieces of @bits bits, as all known drivers
 * place them. The channel id is no part of it: each channel has its own table.
 *
 * Return: the slot, 0 to 2^bits - 1.
 */
static inline __u32 nvfifo_ramht_hash(__u32 handle, unsigned int bits)
{
	__u32 h = 0;

	while (handle) {
		h ^= handle & ((1u << bits) - 1);
		handle >>= bits;
	}
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
#define NVFIFO_RAMHT_SEARCH_FULL	(1u << 26)

static inline __u32 nvfifo_ramht_reg(__u32 offset, unsigned int bits)
{
	return (bits - NVFIFO_RAMHT_BITS_MIN) << 27 | NVFIFO_RAMHT_SEARCH_FULL |
	       (offset >> 4 & 0xffff);
}

/* --- Channel structure, descriptor, channel table, playlist -------------- */

#define NVFIFO_CHAN_MIN		1	/* 0 is the PIO channel */
#define NVFIFO_CHAN_MAX		126	/* 127 means "no channel" */
#define NVFIFO_CHANNELS		128

/* Where the parts lie; what the hardware fixes, and what the driver chose (G84). */
#define NVFIFO_G80_RAMFC	0x0000	/* fixed */
#define NVFIFO_G80_ENGINES	0x0200	/* fixed */
#define NVFIFO_G80_CACHE	0x0400	/* fixed */
#define NVFIFO_G80_PD		0x1400	/* fixed */
#define NVFIFO_G84_ENGINES	0x0000	/* fixed */
#define NVFIFO_G84_PD		0x0200	/* fixed by PD_OFFSET's reset value */
#define NVFIFO_G84_RAMFC	0x4200	/* chosen, a multiple of 256 */
#define NVFIFO_G84_CACHE	0x4400	/* chosen, a multiple of 1 KiB */
#define NVFIFO_CHAN_RAMHT	0x5400	/* chosen, past all the above in both layouts */

/* Channel descriptor: [27:0] address >> 12, [29:28] target. */
static inline __u32 nvfifo_chan_desc(__u64 address, unsigned int target)
{
	return (__u32)(address >> 12 & 0x0fffffff) | (target & 3) << 28;
}

/**
 * nvfifo_engine_ctx() - Where the object of an engine's context image lies
 * @g84: G84 layout
 * @vm_engine: VM engine, see enum nvfifo_vm_engine
 *
 * Return: offset in the channel structure, 0 if the engine has none.
 */
static inline __u32 nvfifo_engine_ctx(bool g84, unsigned int vm_engine)
{
	/* By VM engine: PGRAPH, PVP, ..., PME or PVCOMP, PMPEG, PBSP, PCIPHER, ..., PCOPY */
	static const __u16 g80_offsets[] = { 0x200, 0x220, 0, 0, 0, 0, 0, 0x240, 0x260 };
	static const __u16 g84_offsets[] = {
		0x20, 0x40, 0, 0, 0, 0, 0, 0xa0, 0x60, 0x80, 0xa0, 0, 0, 0xc0,
	};

	if (g84)
		return vm_engine < sizeof(g84_offsets) / 2 ? g84_offsets[vm_engine] : 0;
	return vm_engine < sizeof(g80_offsets) / 2 ? g80_offsets[vm_engine] : 0;
}

#define NVFIFO_CHAN_TABLE_ENABLE	(1u << 31)
#define NVFIFO_CHAN_TABLE_PENDING	(1u << 30)

/* Entry of CHAN_TABLE: the structure >> 12 on G80, RAMFC >> 8 from G84 on. */
static inline __u32 nvfifo_chan_table(bool g84, __u64 inst, unsigned int target)
{
	if (!g84)
		return nvfifo_chan_desc(inst, target);
	return (__u32)((inst + NVFIFO_G84_RAMFC) >> 8 & 0x00ffffff) | (target & 3) << 24;
}

/* Value of the PLAYLIST register: address >> 12 and target. */
static inline __u32 nvfifo_playlist_reg(__u64 address, unsigned int target)
{
	return nvfifo_chan_desc(address, target);
}

/* --- RAMFC --------------------------------------------------------------- */

enum nvfifo_ramfc_offset {
	NVFIFO_RAMFC_IB_PUT = 0x00,
	NVFIFO_RAMFC_IB_GET = 0x04,
	NVFIFO_RAMFC_DMA_PUT = 0x08,
	NVFIFO_RAMFC_DMA_PUT_HIGH = 0x0c,
	NVFIFO_RAMFC_DMA_GET = 0x10,
	NVFIFO_RAMFC_DMA_GET_HIGH = 0x14,
	NVFIFO_RAMFC_DMA_MGET = 0x18,
	NVFIFO_RAMFC_DMA_MGET_HIGH = 0x1c,
	NVFIFO_RAMFC_GET_HIGH_RDSHADOW = 0x20,
	NVFIFO_RAMFC_PUT_HIGH_RDSHADOW = 0x24,
	NVFIFO_RAMFC_PUT_HIGH_WRSHADOW = 0x28,
	NVFIFO_RAMFC_MGET_HIGH_RDSHADOW = 0x2c,
	NVFIFO_RAMFC_DMA_STATE = 0x30,
	NVFIFO_RAMFC_METHOD_COUNT = 0x34,
	NVFIFO_RAMFC_DMA_DCOUNT_SHADOW = 0x38,
	NVFIFO_RAMFC_DMA_FETCH = 0x3c,
	NVFIFO_RAMFC_SUBROUTINE = 0x40,
	NVFIFO_RAMFC_DMA_TIMESLICE = 0x44,
	NVFIFO_RAMFC_DMA_INSTANCE = 0x48,
	NVFIFO_RAMFC_DMA_LIMIT = 0x4c,
	NVFIFO_RAMFC_IB_ADDRESS_LOW = 0x50,
	NVFIFO_RAMFC_IB_CONFIG = 0x54,
	NVFIFO_RAMFC_ENGINE = 0x58,
	NVFIFO_RAMFC_PULL1 = 0x5c,
	NVFIFO_RAMFC_ACQUIRE_TIMEOUT = 0x60,
	NVFIFO_RAMFC_ACQUIRE_TIMESTAMP = 0x64,
	NVFIFO_RAMFC_ACQUIRE_VALUE = 0x68,
	NVFIFO_RAMFC_SEMAPHORE = 0x6c,
	NVFIFO_RAMFC_UNK0E4 = 0x70,
	NVFIFO_RAMFC_REF = 0x74,
	NVFIFO_RAMFC_DEBUG_2 = 0x78,
	NVFIFO_RAMFC_SLI = 0x7c,
	NVFIFO_RAMFC_RAMHT = 0x80,
	NVFIFO_RAMFC_CACHE_CNT = 0x84,
	/* G84 and later */
	NVFIFO_RAMFC_CACHE_INST = 0x88,
	NVFIFO_RAMFC_SEMAPHORE_ADDRESS_HIGH = 0x8c,
	NVFIFO_RAMFC_SEMAPHORE_ADDRESS_LOW = 0x90,
	NVFIFO_RAMFC_SEMAPHORE_SEQUENCE = 0x94,
	NVFIFO_RAMFC_CHAN_INST = 0x98,
	/* MCP89 */
	NVFIFO_RAMFC_MTHD_UNK28 = 0x9c,
	NVFIFO_RAMFC_UNK504 = 0xa0,
};

#define NVFIFO_RAMFC_WORDS	0x29	/* with the words of MCP89 */

/**
 * struct nvfifo_ramfc - What a new channel's RAMFC is made from
 * @g84: G84 layout
 * @ib: IB mode, else the linear buffer mode of NV04
 * @inst: VRAM address of the channel structure
 * @push_offset: offset of the push DMA object in the structure
 * @ramht_offset: offset of RAMHT in the structure
 * @ramht_bits: log2 of RAMHT's entries
 * @ib_address: virtual address of the IB ring (IB mode)
 * @ib_order: log2 of its entries
 * @dma_start: first address of the buffer (NV04 mode), below 4 GiB
 * @sli_mask: mask of SLI positions, 12 bits
 * @timeslice: 17 bits, units unknown, 0 for NVFIFO_TIMESLICE_DEFAULT
 */
struct nvfifo_ramfc {
	bool g84;
	bool ib;
	__u64 inst;
	__u32 push_offset;
	__u32 ramht_offset;
	unsigned int ramht_bits;
	__u64 ib_address;
	unsigned int ib_order;
	__u64 dma_start;
	__u32 sli_mask;
	__u32 timeslice;
};

/* Fetch 128 bytes at a time, 63 requests in flight. */
#define NVFIFO_DMA_FETCH	0x003f6078
#define NVFIFO_DMA_FETCH_IB	(1u << 30)
/* The channel gives way to others after its timeslice. */
#define NVFIFO_TIMESLICE_ON	(1u << 24)
#define NVFIFO_TIMESLICE_DEFAULT	0x3fff
#define NVFIFO_TIMESLICE_MAX	0x1ffff

/**
 * nvfifo_ramfc_encode() - The RAMFC image of a channel that has done nothing yet
 * @r: the channel
 * @w: image, NVFIFO_RAMFC_WORDS words, written completely
 */
static inline void nvfifo_ramfc_encode(const struct nvfifo_ramfc *r, __u32 w[NVFIFO_RAMFC_WORDS])
{
	unsigned int i;

	for (i = 0; i < NVFIFO_RAMFC_WORDS; i++)
		w[i] = 0;

	w[NVFIFO_RAMFC_DMA_FETCH / 4] = NVFIFO_DMA_FETCH;
	if (r->ib) {
		w[NVFIFO_RAMFC_DMA_FETCH / 4] |= NVFIFO_DMA_FETCH_IB;
		w[NVFIFO_RAMFC_IB_ADDRESS_LOW / 4] = (__u32)r->ib_address;
		w[NVFIFO_RAMFC_IB_CONFIG / 4] = (__u32)(r->ib_address >> 32 & 0xff) |
						r->ib_order << 16;
	} else {
		w[NVFIFO_RAMFC_DMA_PUT / 4] = (__u32)r->dma_start;
		w[NVFIFO_RAMFC_DMA_PUT_HIGH / 4] = (__u32)(r->dma_start >> 32 & 0xff);
		w[NVFIFO_RAMFC_DMA_GET / 4] = (__u32)r->dma_start;
		w[NVFIFO_RAMFC_DMA_GET_HIGH / 4] = (__u32)(r->dma_start >> 32 & 0xff);
		w[NVFIFO_RAMFC_DMA_LIMIT / 4] = 0xffffffff;
	}
	w[NVFIFO_RAMFC_DMA_TIMESLICE / 4] = NVFIFO_TIMESLICE_ON |
					   (r->timeslice ? r->timeslice & NVFIFO_TIMESLICE_MAX :
							   NVFIFO_TIMESLICE_DEFAULT);
	w[NVFIFO_RAMFC_DMA_INSTANCE / 4] = r->push_offset >> 4;
	w[NVFIFO_RAMFC_ACQUIRE_TIMEOUT / 4] = 0x7fffffff;
	w[NVFIFO_RAMFC_SLI / 4] = 0x30000000 | (r->sli_mask & 0xfff);
	w[NVFIFO_RAMFC_RAMHT / 4] = nvfifo_ramht_reg(r->ramht_offset, r->ramht_bits);
	if (r->g84) {
		w[NVFIFO_RAMFC_CACHE_INST / 4] = (__u32)((r->inst + NVFIFO_G84_CACHE) >> 10);
		w[NVFIFO_RAMFC_CHAN_INST / 4] = nvfifo_chan_desc(r->inst, NVFIFO_TARGET_VRAM);
	}
}

/* --- IB entries ---------------------------------------------------------- */

#define NVFIFO_IB_WORDS_MAX	((1u << 21) - 1)
#define NVFIFO_IB_NOT_MAIN	(1u << 9)

/**
 * struct nvfifo_ib_entry - An entry of the IB ring, decoded
 * @address: virtual address of the segment, a multiple of 4
 * @words: its length in words; 0 is an error to the card. Keep it at or below
 *	NVFIFO_IB_WORDS_MAX: the sources disagree on bit 31 of the entry.
 * @not_main: the segment does not move DMA_MGET
 */
struct nvfifo_ib_entry {
	__u64 address;
	__u32 words;
	bool not_main;
};

static inline void nvfifo_ib_encode(const struct nvfifo_ib_entry *e, __u32 w[2])
{
	w[0] = (__u32)e->address & ~3u;
	w[1] = (__u32)(e->address >> 32 & 0xff) | (e->not_main ? NVFIFO_IB_NOT_MAIN : 0) |
	       e->words << 10;
}

/* --- Command words ------------------------------------------------------- */

/* Header of @count increasing methods. The library has the other types, and the decoders. */
static inline __u32 nvfifo_mthd(unsigned int subc, __u32 method, __u32 count)
{
	return (count & 0x7ff) << 18 | (subc & 7) << 13 | (method & 0x1ffc);
}

/* --- Methods of PFIFO itself --------------------------------------------- */

enum nvfifo_pfifo_method {
	NVFIFO_MTHD_OBJECT = 0x00,
	NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH = 0x10,	/* G84 and later */
	NVFIFO_MTHD_SEMAPHORE_ADDRESS_LOW = 0x14,
	NVFIFO_MTHD_SEMAPHORE_SEQUENCE = 0x18,
	NVFIFO_MTHD_SEMAPHORE_TRIGGER = 0x1c,
	NVFIFO_MTHD_NOTIFY_INTR = 0x20,
	NVFIFO_MTHD_WRCACHE_FLUSH = 0x24,
	NVFIFO_MTHD_UNK28 = 0x28,			/* MCP89 */
	NVFIFO_MTHD_UNK2C = 0x2c,			/* MCP89 */
	NVFIFO_MTHD_REF_CNT = 0x50,
	NVFIFO_MTHD_DMA_SEMAPHORE = 0x60,
	NVFIFO_MTHD_SEMAPHORE_OFFSET = 0x64,
	NVFIFO_MTHD_SEMAPHORE_ACQUIRE = 0x68,
	NVFIFO_MTHD_SEMAPHORE_RELEASE = 0x6c,
	NVFIFO_MTHD_YIELD = 0x80,
};

#define NVFIFO_TRIGGER_ACQUIRE_EQUAL	1
#define NVFIFO_TRIGGER_RELEASE		2
#define NVFIFO_TRIGGER_ACQUIRE_GEQUAL	4

/* --- Errors -------------------------------------------------------------- */

/* Codes of DMA_STATE[31:29] and PULL0[23:20] that are told apart by more than a name. */
#define NVFIFO_PUSHER_INVALID_MTHD	2
#define NVFIFO_PUSHER_MEM_FAULT		6
#define NVFIFO_SEMAPHORE_MEM_FAULT	4

static inline const char *nvfifo_pusher_error_name(unsigned int code)
{
	static const char * const names[] = {
		"NONE", "CALL_SUBR_ACTIVE", "INVALID_MTHD", "RET_SUBR_INACTIVE",
		"INVALID_CMD", "IB_EMPTY", "MEM_FAULT", "UNKNOWN",
	};

	return names[code & 7];
}

static inline const char *nvfifo_semaphore_error_name(unsigned int code)
{
	static const char * const names[] = {
		"NONE", "ADDRESS_UNALIGNED", "INVALID_STATE", "ADDRESS_TOO_LARGE", "MEM_FAULT",
	};

	return code < sizeof(names) / sizeof(names[0]) ? names[code] : "UNKNOWN";
}

/* Why the puller stopped with CACHE_ERROR, from PULL0. */
static inline const char *nvfifo_cache_error_name(__u32 pull0)
{
	if (pull0 & 1u << 4)
		return "HASH_FAILED";
	if (pull0 & 1u << 24)
		return "INVALID_ENGINE";
	if (pull0 & 1u << 8)
		return "EMPTY_SUBCHANNEL";
	return "UNKNOWN";
}

/**
 * struct nvfifo_dma_state - DMA_STATE, decoded
 * @method: method of the next data word
 * @subc: its subchannel
 * @error: code of the pusher error
 * @nonincr: the command does not increase its method
 * @long_pending: the next word is the count of a long command
 * @subroutine: inside of a subroutine
 * @not_main: the segment is not the main buffer
 */
struct nvfifo_dma_state {
	__u16 method;
	__u8 subc;
	__u8 error;
	bool nonincr;
	bool long_pending;
	bool subroutine;
	bool not_main;
};

static inline struct nvfifo_dma_state nvfifo_dma_state_decode(__u32 v)
{
	struct nvfifo_dma_state s = {
		.method = v & 0x1ffc,
		.subc = v >> 13 & 7,
		.error = v >> 29,
		.nonincr = v & 1,
		.long_pending = v >> 16 & 1,
		.subroutine = v >> 17 & 1,
		.not_main = v >> 18 & 1,
	};

	return s;
}

/* --- VM faults ----------------------------------------------------------- */

#define NVFIFO_FAULT_WORDS	6

/**
 * struct nvfifo_fault - The MMU's fault record, decoded
 * @address: virtual address, 40 bits
 * @inst: VRAM address of the channel structure
 * @engine: VM engine
 * @reason: why
 * @client: who in the engine
 * @slot: DMA slot
 * @write: it was a write
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
	return nvfifo_chipset_is_gt215(chipset) ? 8 : 4;
}

static inline struct nvfifo_fault nvfifo_fault_decode(__u32 chipset,
						      const __u32 w[NVFIFO_FAULT_WORDS])
{
	unsigned int n = nvfifo_fault_width(chipset);
	__u32 mask = (1u << n) - 1;
	struct nvfifo_fault f = {
		.address = (__u64)(w[5] & 0xff) << 32 | (w[4] & 0xffff) << 16 | (w[3] & 0xffff),
		.inst = (__u64)((w[2] & 0xffff) << 16 | (w[1] & 0xffff)) << 12,
		.engine = w[0] & mask,
		.reason = w[0] >> n & mask,
		.client = w[0] >> 2 * n & mask,
		.slot = w[0] >> 3 * n & mask,
		.write = !(w[5] & 0x100),
	};

	return f;
}

/* VM engines; the number is that of TLB_FLUSH as well. */
enum nvfifo_vm_engine {
	NVFIFO_VM_PGRAPH = 0x0,
	NVFIFO_VM_PVP = 0x1,
	NVFIFO_VM_PEEPHOLE = 0x4,
	NVFIFO_VM_PFIFO = 0x5,
	NVFIFO_VM_BAR = 0x6,
	NVFIFO_VM_PME = 0x7,
	NVFIFO_VM_PMPEG = 0x8,
	NVFIFO_VM_PBSP = 0x9,
	NVFIFO_VM_PCIPHER = 0xa,
	NVFIFO_VM_PCOUNTER = 0xb,
	NVFIFO_VM_SEMAPHORE_BG = 0xc,	/* G84 and later */
	NVFIFO_VM_PCOPY = 0xd,
	NVFIFO_VM_PDAEMON = 0xe,
};

static inline const char *nvfifo_vm_engine_name(unsigned int engine)
{
	static const char * const names[] = {
		"PGRAPH", "PVP", NULL, NULL, "PEEPHOLE", "PFIFO", "BAR", "PME", "PMPEG", "PBSP",
		"PCIPHER", "PCOUNTER", "SEMAPHORE_BG", "PCOPY", "PDAEMON",
	};
	const char *name = engine < sizeof(names) / sizeof(names[0]) ? names[engine] : NULL;

	return name ? name : "UNKNOWN";
}

static inline const char *nvfifo_vm_client_name(unsigned int client)
{
	static const char * const names[] = {
		"STRMOUT", NULL, NULL, "DISPATCH", "PFIFO_WRITE", "CCACHE", "PPPP", "CLIPID",
		"PFIFO_READ", "VFETCH", "TEXTURE", "PROP", "PVP", "PBSP", "PCIPHER", "PCOUNTER",
		NULL, "PDAEMON", NULL, "PCOPY", "PVCOMP",
	};
	const char *name = client < sizeof(names) / sizeof(names[0]) ? names[client] : NULL;

	return name ? name : "UNKNOWN";
}

enum nvfifo_fault_reason {
	NVFIFO_FAULT_PT_NOT_PRESENT = 0x0,
	NVFIFO_FAULT_PT_TOO_SHORT = 0x1,
	NVFIFO_FAULT_PAGE_NOT_PRESENT = 0x2,
	NVFIFO_FAULT_PAGE_SUPERVISOR_ONLY = 0x3,
	NVFIFO_FAULT_PAGE_READ_ONLY = 0x4,
	NVFIFO_FAULT_NO_CHANNEL = 0x5,
	NVFIFO_FAULT_NULL_DMAOBJ = 0x6,
	NVFIFO_FAULT_WRONG_MEMTYPE = 0x7,
	NVFIFO_FAULT_VRAM_LIMIT = 0xb,
	NVFIFO_FAULT_DMAOBJ_LIMIT = 0xf,
};

static inline const char *nvfifo_fault_reason_name(unsigned int reason)
{
	static const char * const names[16] = {
		"PT_NOT_PRESENT", "PT_TOO_SHORT", "PAGE_NOT_PRESENT", "PAGE_SUPERVISOR_ONLY",
		"PAGE_READ_ONLY", "NO_CHANNEL", "NULL_DMAOBJ", "WRONG_MEMTYPE", NULL, NULL,
		NULL, "VRAM_LIMIT", NULL, NULL, NULL, "DMAOBJ_LIMIT",
	};
	const char *name = reason < 16 ? names[reason] : NULL;

	return name ? name : "UNKNOWN";
}

/* --- TLB flush ----------------------------------------------------------- */

#define NVFIFO_TLB_FLUSH_TRIGGER	(1u << 0)

static inline __u32 nvfifo_tlb_flush_value(unsigned int engine)
{
	return (engine & 0xf) << 16 | NVFIFO_TLB_FLUSH_TRIGGER;
}

#endif
