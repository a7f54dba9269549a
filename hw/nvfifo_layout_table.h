/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Places of the fields of the hardware's structures, and constants of them.
 *
 * NVFIFO_<STRUCTURE>__<FIELD> is the mask of a field in its word; where the structure has
 * several words, a comment says which. nvfifo_field_set() and nvfifo_field_get() take masks;
 * nvfifo_fmt.h has the structs, encoders and decoders.
 */
#ifndef _NVFIFO_LAYOUT_TABLE_H_
#define _NVFIFO_LAYOUT_TABLE_H_

#include "nvfifo_code_table.h"

/* Mask of the bits from @lo to @hi of a word of up to 64 bits */
#define NVFIFO_MASK(hi, lo)	((~0ULL >> (63 - (hi))) & (~0ULL << (lo)))

/* Page table entry, one word of 64 bits */
#define NVFIFO_PTE_PRESENT		(1ULL << 0)
#define NVFIFO_PTE_TARGET_SHIFT		4
#define NVFIFO_PTE_CONTIG_SHIFT		7
#define NVFIFO_PTE_CONTIG_MAX		7
#define NVFIFO_PTE_COMP_SHIFT		47
#define NVFIFO_PTE_TAG_SHIFT		49
#define NVFIFO_PTE_ADDR_MASK		0x000000fffffff000ULL
#define NVFIFO_PTE__PRESENT		NVFIFO_MASK(0, 0)
#define NVFIFO_PTE__READ_ONLY		NVFIFO_MASK(3, 3)
#define NVFIFO_PTE__TARGET		NVFIFO_MASK(5, 4)
#define NVFIFO_PTE__SUPERVISOR		NVFIFO_MASK(6, 6)
#define NVFIFO_PTE__CONTIG		NVFIFO_MASK(9, 7)
#define NVFIFO_PTE__PAGE		NVFIFO_MASK(39, 12)	/* linear address >> 12 */
#define NVFIFO_PTE__KIND		NVFIFO_MASK(46, 40)
#define NVFIFO_PTE__COMP		NVFIFO_MASK(48, 47)
#define NVFIFO_PTE__TAG			NVFIFO_MASK(60, 49)
#define NVFIFO_PTE__LONG_CYCLE		NVFIFO_MASK(61, 61)
#define NVFIFO_PTE__ENCRYPTED		NVFIFO_MASK(62, 62)

/* Page directory entry, one word of 64 bits. Without a table only the type counts. */
#define NVFIFO_PD_ENTRIES		0x800
#define NVFIFO_PDE_SHIFT		29	/* log2 of the addresses of an entry */
#define NVFIFO_PDE__TYPE		NVFIFO_MASK(1, 0)
#define NVFIFO_PDE__TARGET		NVFIFO_MASK(3, 2)
#define NVFIFO_PDE__SIZE		NVFIFO_MASK(6, 5)
#define NVFIFO_PDE__PAGE		NVFIFO_MASK(39, 12)	/* linear address >> 12 */

/* DMA object; _VM: the PTE decides */
#define NVFIFO_DMAOBJ_WORDS		6
#define NVFIFO_DMAOBJ_WORD_HIGH		3	/* upper bits of start and limit */
#define NVFIFO_DMAOBJ_KIND_VM		0x7f
#define NVFIFO_DMAOBJ_COMP_VM		3
#define NVFIFO_DMAOBJ_ENCRYPTED_VM	2
#define NVFIFO_CLASS_DMA_READ		0x0002
#define NVFIFO_CLASS_DMA_WRITE		0x0003
#define NVFIFO_CLASS_DMA_RW		0x003d
#define NVFIFO_CLASS_SOFTWARE		0x506e	/* nouveau's, for objects without an engine */
#define NVFIFO_DMAOBJ__CLASS		NVFIFO_MASK(15, 0)	/* word 0 */
#define NVFIFO_DMAOBJ__TARGET		NVFIFO_MASK(17, 16)
#define NVFIFO_DMAOBJ__ACCESS		NVFIFO_MASK(19, 18)
#define NVFIFO_DMAOBJ__USER		NVFIFO_MASK(21, 20)
#define NVFIFO_DMAOBJ__KIND		NVFIFO_MASK(28, 22)
#define NVFIFO_DMAOBJ__COMP		NVFIFO_MASK(30, 29)
#define NVFIFO_DMAOBJ__SUPERVISOR	NVFIFO_MASK(31, 31)
#define NVFIFO_DMAOBJ__LIMIT_LOW	NVFIFO_MASK(31, 0)	/* word 1 */
#define NVFIFO_DMAOBJ__START_LOW	NVFIFO_MASK(31, 0)	/* word 2 */
#define NVFIFO_DMAOBJ__START_HIGH	NVFIFO_MASK(7, 0)	/* word 3 */
#define NVFIFO_DMAOBJ__LIMIT_HIGH	NVFIFO_MASK(31, 24)
#define NVFIFO_DMAOBJ__TAG_START	NVFIFO_MASK(11, 0)	/* word 4 */
#define NVFIFO_DMAOBJ__TAG_LIMIT	NVFIFO_MASK(27, 16)
#define NVFIFO_DMAOBJ__COMP_START	NVFIFO_MASK(15, 0)	/* word 5 */
#define NVFIFO_DMAOBJ__CYCLE		NVFIFO_MASK(17, 16)
#define NVFIFO_DMAOBJ__ENCRYPTED	NVFIFO_MASK(19, 18)

/*
 * IB entry. Documents call bit 31 a part of the length or a flag; nouveau and Mesa use it as
 * the flag on this family.
 */
#define NVFIFO_IB_WORDS_MAX		((1u << 21) - 1)
#define NVFIFO_IB__ADDRESS_LOW		NVFIFO_MASK(31, 2)	/* word 0: address >> 2 */
#define NVFIFO_IB__ADDRESS_HIGH		NVFIFO_MASK(7, 0)	/* word 1 */
#define NVFIFO_IB__NOT_MAIN		NVFIFO_MASK(9, 9)
#define NVFIFO_IB__WORDS		NVFIFO_MASK(30, 10)
#define NVFIFO_IB__NO_PREFETCH		NVFIFO_MASK(31, 31)

/*
 * The MMU's fault record. Its word 0 has four fields of nvfifo_fault_width() bits each:
 * engine, reason, client and slot, from the lowest bit up.
 */
#define NVFIFO_FAULT_WORDS		6
#define NVFIFO_FAULT_READ		(1u << 8)		/* in word 5 */
#define NVFIFO_FAULT__INST_LOW		NVFIFO_MASK(15, 0)	/* word 1: address >> 12 */
#define NVFIFO_FAULT__INST_HIGH		NVFIFO_MASK(15, 0)	/* word 2: address >> 28 */
#define NVFIFO_FAULT__ADDRESS_LOW	NVFIFO_MASK(15, 0)	/* word 3 */
#define NVFIFO_FAULT__ADDRESS_MIDDLE	NVFIFO_MASK(15, 0)	/* word 4: address >> 16 */
#define NVFIFO_FAULT__ADDRESS_HIGH	NVFIFO_MASK(7, 0)	/* word 5: address >> 32 */

/* DMA_STATE */
#define NVFIFO_DMA_STATE__NONINCR	NVFIFO_MASK(0, 0)
#define NVFIFO_DMA_STATE__METHOD	NVFIFO_MASK(12, 2)	/* method >> 2 */
#define NVFIFO_DMA_STATE__SUBC		NVFIFO_MASK(15, 13)
#define NVFIFO_DMA_STATE__LONG_PENDING	NVFIFO_MASK(16, 16)
#define NVFIFO_DMA_STATE__SUBROUTINE	NVFIFO_MASK(17, 17)
#define NVFIFO_DMA_STATE__NOT_MAIN	NVFIFO_MASK(18, 18)
#define NVFIFO_DMA_STATE__ERROR		NVFIFO_MASK(31, 29)

/* Channel ids, and an entry of the channel table */
#define NVFIFO_CHAN_MIN		1	/* 0 is the PIO channel */
#define NVFIFO_CHAN_MAX		126	/* 127 means "no channel" */
#define NVFIFO_CHANNELS		128
#define NVFIFO_CHAN_TABLE_ENABLE	(1u << 31)

/* RAMHT, log2 of its entries, and its register */
#define NVFIFO_RAMHT_BITS_MIN	9
#define NVFIFO_RAMHT_SEARCH_FULL	(1u << 26)

/* RAMFC */
/* SLI: commands reach the engine while ACTIVE; ENABLE makes the SLI command change that. */
#define NVFIFO_SLI_MASK		0xfff
#define NVFIFO_SLI_ACTIVE	(1u << 28)
#define NVFIFO_SLI_ENABLE	(1u << 29)
#define NVFIFO_RAMFC_WORDS	0x29	/* with the words of MCP89 */
/* Fetch 128 bytes at a time, 63 requests in flight. */
#define NVFIFO_DMA_FETCH	0x003f6078
#define NVFIFO_DMA_FETCH_IB	(1u << 30)
/* The channel gives way to others after its timeslice. */
#define NVFIFO_TIMESLICE_ON	(1u << 24)
#define NVFIFO_TIMESLICE_DEFAULT	0x3fff
#define NVFIFO_TIMESLICE_MAX	0x1ffff

/*
 * Offsets of the parts of the channel structure. The hardware fixes those of the G80, and of the
 * G84 the engines and, by PD_OFFSET's reset value, the page directory. The driver chose the
 * others, RAMHT's for both.
 */
enum nvfifo_chan_part {
	NVFIFO_G80_RAMFC = 0x0000,
	NVFIFO_G80_ENGINES = 0x0200,
	NVFIFO_G80_CACHE = 0x0400,
	NVFIFO_G80_PD = 0x1400,
	NVFIFO_G84_ENGINES = 0x0000,
	NVFIFO_G84_PD = 0x0200,
	NVFIFO_G84_RAMFC = 0x4200,	/* a multiple of 256 */
	NVFIFO_G84_CACHE = 0x4400,	/* a multiple of 1 KiB */
	NVFIFO_CHAN_RAMHT = 0x5400,
};

#endif
