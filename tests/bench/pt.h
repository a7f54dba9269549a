/* SPDX-License-Identifier: MIT */
/* The interface between the page table benchmark and the two drivers */
#ifndef NVFIFO_BENCH_PT_H
#define NVFIFO_BENCH_PT_H

#include <stdbool.h>
#include <stdint.h>

/**
 * enum pt_memory - The mapped memory
 * @PT_VRAM: VRAM in one piece
 * @PT_SYSTEM: system memory in one piece
 * @PT_SYSTEM_64K: another driver's system memory in pieces of 64 KiB
 * @PT_SYSTEM_4K: system memory in pieces of one page
 */
enum pt_memory {
	PT_VRAM,
	PT_SYSTEM,
	PT_SYSTEM_64K,
	PT_SYSTEM_4K,
	PT_MEMORIES
};

/* As large as the kernel's on 64-bit machines. */
struct scatterlist {
	unsigned long page_link;
	unsigned int offset;
	unsigned int length;
	uint64_t dma_address;
	unsigned int dma_length;
};

/**
 * struct pt_source - Memory, from the first page that is to be mapped on
 * @memory: kind of the memory
 * @address: of the first page
 * @sgl: pieces, if it has several
 * @dma: addresses of the pages of the driver's own system memory, which nouveau reads
 */
struct pt_source {
	enum pt_memory memory;
	uint64_t address;
	struct scatterlist *sgl;
	uint64_t *dma;
};

/* Counts of stores, and of the times that a driver closed the window to its tables. */
struct pt_counts {
	uint64_t stores, store_bytes;
	uint64_t filled;		/* bytes that memset() cleared */
	uint64_t released;
};

/**
 * struct pt_driver - A driver
 * @map: write @count PTEs from @index on
 * @unmap: clear them
 * @counts: stores of calls with @counted since the last call
 */
struct pt_driver {
	void (*map)(uint64_t *table, unsigned int shift, uint32_t index, uint32_t count,
		    const struct pt_source *from, bool counted);
	void (*unmap)(uint64_t *table, unsigned int shift, uint32_t index, uint32_t count,
		      bool counted);
	struct pt_counts (*counts)(void);
};

extern const struct pt_driver pt_nouveau, pt_nvfifo;

/* The PTE of a page as nvfifo reads it: with its own address, in no block. */
uint64_t pt_page(uint64_t *table, unsigned int shift, uint32_t index);

/* Accesses of registers in nouveau's TLB flush for an address space that PGRAPH uses. */
void pt_nouveau_flush(uint32_t *reads, uint32_t *writes);

#endif
