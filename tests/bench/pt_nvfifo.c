// SPDX-License-Identifier: MIT
/* The page table code of nvfifo (hw/nvfifo_pt.c), called as the driver calls it */
#include <stddef.h>

#include "../../hw/nvfifo_pt.h"
#include "pt.h"

typedef void pt_write_fn(struct nvfifo_pt *pt, __u32 index, __u32 count, __u64 pte,
			 const __u64 *addresses);

/* The same function compiled again; this one reports each store. */
pt_write_fn counted_pt_write;

static uint64_t stores;

static void on_store(struct nvfifo_pt *pt, __u32 index)
{
	(void)pt;
	(void)index;
	stores++;
}

static struct nvfifo_pt table_of(uint64_t *entries, unsigned int shift)
{
	unsigned int type = shift == 12 ? NVFIFO_PT_4K : NVFIFO_PT_64K;

	return (struct nvfifo_pt){
		.entries = (__le64 *)entries,
		.count = nvfifo_pt_entries(type, 0),
		.type = (__u8)type,
		.on_store = on_store,
	};
}

/* The driver gathers single pages on the stack. */
static void map_pages(struct nvfifo_pt *pt, uint32_t index, uint32_t count, uint64_t pte,
		      struct scatterlist *sg, pt_write_fn *pt_write)
{
	__u64 addresses[64];
	uint32_t n;

	for (; count; count -= n, index += n) {
		for (n = 0; n < count && n < sizeof(addresses) / sizeof(addresses[0]); n++, sg++)
			addresses[n] = sg->dma_address;
		pt_write(pt, index, n, pte, addresses);
	}
}

static void map(uint64_t *table, unsigned int shift, uint32_t index, uint32_t count,
		const struct pt_source *from, bool counted)
{
	const struct nvfifo_pte attributes = {
		.present = true,
		.target = from->memory == PT_VRAM ? NVFIFO_TARGET_VRAM : NVFIFO_TARGET_SYS_SNOOP,
	};
	pt_write_fn *pt_write = counted ? counted_pt_write : nvfifo_pt_write;
	struct nvfifo_pt pt = table_of(table, shift);
	uint64_t pte = nvfifo_pte_encode(&attributes);
	struct scatterlist *sg;
	uint32_t done, pages;

	if (!from->sgl) {
		pt_write(&pt, index, count, pte | from->address, NULL);
		return;
	}
	if (from->memory == PT_SYSTEM_4K) {
		map_pages(&pt, index, count, pte, from->sgl, pt_write);
		return;
	}
	for (done = 0, sg = from->sgl; done < count; done += pages, sg++) {
		pages = sg->dma_length >> shift;
		pt_write(&pt, index + done, pages, pte | sg->dma_address, NULL);
	}
}

static void unmap(uint64_t *table, unsigned int shift, uint32_t index, uint32_t count,
		  bool counted)
{
	struct nvfifo_pt pt = table_of(table, shift);

	(counted ? counted_pt_write : nvfifo_pt_write)(&pt, index, count, 0, NULL);
}

static struct pt_counts counts(void)
{
	struct pt_counts c = { .stores = stores, .store_bytes = stores * sizeof(__le64) };

	stores = 0;
	return c;
}

const struct pt_driver pt_nvfifo = { map, unmap, counts };

uint64_t pt_page(uint64_t *table, unsigned int shift, uint32_t index)
{
	struct nvfifo_pt pt = table_of(table, shift);

	return nvfifo_pt_lookup(&pt, index);
}
