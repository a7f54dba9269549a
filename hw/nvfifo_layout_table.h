/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Where the fields of the hardware's structures lie, and constants of them. nvfifo_fmt.h makes
 * structs, encoders and decoders from the rows.
 *
 * A row F(type, name, word, lowest bit, width, shift) is a field of that type. The bits hold
 * its value >> shift; what does not fit into them is cut. A row P(...) tells the same of a
 * further part of the field above it.
 */
#ifndef _NVFIFO_LAYOUT_TABLE_H_
#define _NVFIFO_LAYOUT_TABLE_H_

#include "nvfifo_code_table.h"

/* Page table entry, one word of 64 bits */
#define NVFIFO_PTE_PRESENT	(1ULL << 0)
#define NVFIFO_PTE_TARGET_SHIFT	4
#define NVFIFO_PTE_CONTIG_SHIFT	7
#define NVFIFO_PTE_CONTIG_MAX	7
#define NVFIFO_PTE_COMP_SHIFT	47
#define NVFIFO_PTE_TAG_SHIFT	49
#define NVFIFO_PTE_ADDR_MASK	0x000000fffffff000ULL
#define NVFIFO_PTE_FIELDS(F, P) \
	F(__u64, address, 0, 12, 28, 12)	/* linear, 40 bits, a multiple of 4 KiB */ \
	F(__u8, target, 0, NVFIFO_PTE_TARGET_SHIFT, 2, 0)	/* enum nvfifo_target */ \
	F(__u8, contig, 0, NVFIFO_PTE_CONTIG_SHIFT, 3, 0)	/* log2 of the block's pages */ \
	F(__u8, kind, 0, 40, 7, 0)		/* storage type */ \
	F(__u8, comp, 0, NVFIFO_PTE_COMP_SHIFT, 2, 0)	/* 0 none, 1 single, 2 double */ \
	F(__u16, tag, 0, NVFIFO_PTE_TAG_SHIFT, 12, 0)	/* first compression tag cell */ \
	F(bool, present, 0, 0, 1, 0) \
	F(bool, read_only, 0, 3, 1, 0)		/* writes fault */ \
	F(bool, supervisor, 0, 6, 1, 0)		/* faults where the DMA object is not */ \
	F(bool, long_cycle, 0, 61, 1, 0)	/* long partition cycle, G80 only */ \
	F(bool, encrypted, 0, 62, 1, 0)		/* encrypted system memory, G84 and later */

/* Page directory entry, one word of 64 bits; of one without a table only the type counts. */
#define NVFIFO_PD_ENTRIES	0x800
#define NVFIFO_PDE_SHIFT	29	/* log2 of the addresses of an entry */
#define NVFIFO_PDE_FIELDS(F, P) \
	F(__u64, address, 0, 12, 28, 12)	/* of the table, linear, a multiple of 4 KiB */ \
	F(__u8, target, 0, 2, 2, 0)		/* enum nvfifo_target of the page table */ \
	F(__u8, type, 0, 0, 2, 0)		/* enum nvfifo_pt_type */ \
	F(__u8, size, 0, 5, 2, 0)		/* PT_SIZE, see nvfifo_pt_entries() */

/* DMA object; _VM: as the PTE says */
#define NVFIFO_DMAOBJ_WORDS	6
#define NVFIFO_DMAOBJ_WORD_HIGH	3	/* holds the upper bits of start and limit */
#define NVFIFO_DMAOBJ_KIND_VM		0x7f
#define NVFIFO_DMAOBJ_COMP_VM		3
#define NVFIFO_DMAOBJ_ENCRYPTED_VM	2
#define NVFIFO_CLASS_DMA_READ		0x0002
#define NVFIFO_CLASS_DMA_WRITE		0x0003
#define NVFIFO_CLASS_DMA_RW		0x003d
#define NVFIFO_DMAOBJ_FIELDS(F, P) \
	F(__u16, oclass, 0, 0, 16, 0)	/* NVFIFO_CLASS_DMA_*; the MMU ignores it */ \
	F(__u8, target, 0, 16, 2, 0)	/* enum nvfifo_dmaobj_target */ \
	F(__u8, access, 0, 18, 2, 0)	/* enum nvfifo_dmaobj_access */ \
	F(__u8, user, 0, 20, 2, 0)	/* enum nvfifo_dmaobj_user, who may access */ \
	F(__u8, kind, 0, 22, 7, 0)	/* storage type, or NVFIFO_DMAOBJ_KIND_VM */ \
	F(__u8, comp, 0, 29, 2, 0)	/* compression mode, or NVFIFO_DMAOBJ_COMP_VM */ \
	F(bool, supervisor, 0, 31, 1, 0)	/* accesses through it are supervisor accesses */ \
	F(__u64, start, 2, 0, 32, 0)	/* first virtual (or linear) address, 40 bits */ \
	P(__u64, start, 3, 0, 8, 32) \
	F(__u64, limit, 1, 0, 32, 0)	/* last address, inclusive, 40 bits */ \
	P(__u64, limit, 3, 24, 8, 32) \
	F(__u16, tag_start, 4, 0, 12, 0)	/* first compression tag of an unpaged object */ \
	F(__u16, tag_limit, 4, 16, 12, 0)	/* last one */ \
	F(__u16, comp_start, 5, 0, 16, 0)	/* VRAM address >> 16 of tag_start */ \
	F(__u8, cycle, 5, 16, 2, 0)	/* partitions: 0 as in the PTE, 1 short, 2 long */ \
	F(__u8, encrypted, 5, 18, 2, 0)	/* 0, 1 or ..._ENCRYPTED_VM; G84 and later */

/*
 * IB entry. Documents call bit 31 a part of the length or a flag; nouveau and Mesa use it as
 * the flag on this family.
 */
#define NVFIFO_IB_WORDS_MAX	((1u << 21) - 1)
#define NVFIFO_IB_FIELDS(F, P) \
	F(__u64, address, 0, 2, 30, 2)	/* virtual, of the segment, a multiple of 4 */ \
	P(__u64, address, 1, 0, 8, 32) \
	F(__u32, words, 1, 10, 21, 0)	/* 1 to NVFIFO_IB_WORDS_MAX */ \
	F(bool, not_main, 1, 9, 1, 0)	/* it does not move DMA_MGET */ \
	F(bool, no_prefetch, 1, 31, 1, 0)	/* it is not read before its turn */

/* The MMU's fault record, but for the direction; n is nvfifo_fault_width(). */
#define NVFIFO_FAULT_WORDS	6
#define NVFIFO_FAULT_READ	(1u << 8)	/* in word 5 */
#define NVFIFO_FAULT_FIELDS(F, P) \
	F(__u64, address, 3, 0, 16, 0)	/* virtual, 40 bits */ \
	P(__u64, address, 4, 0, 16, 16) \
	P(__u64, address, 5, 0, 8, 32) \
	F(__u64, inst, 1, 0, 16, 12)	/* VRAM address of the channel structure */ \
	P(__u64, inst, 2, 0, 16, 28) \
	F(__u8, engine, 0, 0, n, 0)	/* enum nvfifo_vm_engine */ \
	F(__u8, reason, 0, n, n, 0)	/* enum nvfifo_fault_reason */ \
	F(__u8, client, 0, 2 * n, n, 0)	/* who in the engine */ \
	F(__u8, slot, 0, 3 * n, n, 0)	/* DMA slot */

/* DMA_STATE */
#define NVFIFO_DMA_STATE_FIELDS(F, P) \
	F(__u16, method, 0, 2, 11, 2)	/* of the next data word */ \
	F(__u8, subc, 0, 13, 3, 0) \
	F(__u8, error, 0, 29, 3, 0)	/* enum nvfifo_pusher_error */ \
	F(bool, nonincr, 0, 0, 1, 0)	/* the command does not increase its method */ \
	F(bool, long_pending, 0, 16, 1, 0)	/* the next word is a long command's count */ \
	F(bool, subroutine, 0, 17, 1, 0)	/* inside of a subroutine */ \
	F(bool, not_main, 0, 18, 1, 0)	/* the segment is not the main buffer */

/* Channel ids, and an entry of the channel table */
#define NVFIFO_CHAN_MIN		1	/* 0 is the PIO channel */
#define NVFIFO_CHAN_MAX		126	/* 127 means "no channel" */
#define NVFIFO_CHANNELS		128
#define NVFIFO_CHAN_TABLE_ENABLE	(1u << 31)

/* RAMHT, log2 of its entries, and its register */
#define NVFIFO_RAMHT_BITS_MIN	9
#define NVFIFO_RAMHT_SEARCH_FULL	(1u << 26)

/* RAMFC */
#define NVFIFO_RAMFC_WORDS	0x29	/* with the words of MCP89 */
/* Fetch 128 bytes at a time, 63 requests in flight. */
#define NVFIFO_DMA_FETCH	0x003f6078
#define NVFIFO_DMA_FETCH_IB	(1u << 30)
/* The channel gives way to others after its timeslice. */
#define NVFIFO_TIMESLICE_ON	(1u << 24)
#define NVFIFO_TIMESLICE_DEFAULT	0x3fff
#define NVFIFO_TIMESLICE_MAX	0x1ffff

/*
 * Parts of the channel structure, X(layout, name, offset): what the hardware fixes, and what
 * the driver chose (G84).
 */
#define NVFIFO_CHAN_PARTS(X) \
	X(G80, RAMFC, 0x0000)	/* fixed */ \
	X(G80, ENGINES, 0x0200)	/* fixed */ \
	X(G80, CACHE, 0x0400)	/* fixed */ \
	X(G80, PD, 0x1400)	/* fixed */ \
	X(G84, ENGINES, 0x0000)	/* fixed */ \
	X(G84, PD, 0x0200)	/* fixed by PD_OFFSET's reset value */ \
	X(G84, RAMFC, 0x4200)	/* chosen, a multiple of 256 */ \
	X(G84, CACHE, 0x4400)	/* chosen, a multiple of 1 KiB */ \
	X(CHAN, RAMHT, 0x5400)	/* chosen, past all the above in both layouts */

enum nvfifo_chan_part { NVFIFO_CHAN_PARTS(NVFIFO_ENUMERATOR) };

#endif
