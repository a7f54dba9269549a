// SPDX-License-Identifier: MIT
/* The page table code of nvfifo (hw/nvfifo_pt.c), called as the driver calls it */
#include <stddef.h>

#include "../../hw/nvfifo_pt.h"
#include "pt.h"

static uint64_t stores;

/* A store through BAR3. The table that the card reads is its own copy here. */
static void store(struct nvfifo_pt *pt, __u32 word, __u32 val)
{
	((volatile uint32_t *)pt->entries)[word] = val;
}

static void store_counted(struct nvfifo_pt *pt, __u32 word, __u32 val)
{
	store(pt, word, val);
	stores++;
}

static struct nvfifo_pt table_of(uint64_t *entries, unsigned int shift, bool counted)
{
	unsigned int type = shift == 12 ? NVFIFO_PT_4K : NVFIFO_PT_64K;

	return (struct nvfifo_pt){
		.entries = (__u64 *)entries,
		.count = nvfifo_pt_entries(type, 0),
		.type = (__u8)type,
		.store = counted ? store_counted : store,
	};
}

/* The driver gathers single pages on the stack. */
static void map_pages(struct nvfifo_pt *pt, uint32_t index, uint32_t count, uint64_t pte,
		      struct scatterlist *sg)
{
	__u64 addresses[64];
	uint32_t n;

	for (; count; count -= n, index += n) {
		for (n = 0; n < count && n < sizeof(addresses) / sizeof(addresses[0]); n++, sg++)
			addresses[n] = sg->dma_address;
		nvfifo_pt_write(pt, index, n, pte, addresses);
	}
}

static void map(uint64_t *table, unsigned int shift, uint32_t index, uint32_t count,
		const struct pt_source *from, bool counted)
{
	const struct nvfifo_pte attributes = {
		.present = true,
		.target = from->memory == PT_VRAM ? NVFIFO_TARGET_VRAM : NVFIFO_TARGET_SYS_SNOOP,
	};
	struct nvfifo_pt pt = table_of(table, shift, counted);
	uint64_t pte = nvfifo_pte_encode(&attributes);
	struct scatterlist *sg;
	uint32_t done, pages;

	if (!from->sgl) {
		nvfifo_pt_write(&pt, index, count, pte | from->address, NULL);
		return;
	}
	if (from->memory == PT_SYSTEM_4K) {
		map_pages(&pt, index, count, pte, from->sgl);
		return;
	}
	for (done = 0, sg = from->sgl; done < count; done += pages, sg++) {
		pages = sg->dma_length >> shift;
		nvfifo_pt_write(&pt, index + done, pages, pte | sg->dma_address, NULL);
	}
}

static void unmap(uint64_t *table, unsigned int shift, uint32_t index, uint32_t count,
		  bool counted)
{
	struct nvfifo_pt pt = table_of(table, shift, counted);

	nvfifo_pt_write(&pt, index, count, 0, NULL);
}

static struct pt_counts counts(void)
{
	struct pt_counts c = { .stores = stores, .store_bytes = stores * sizeof(__u32) };

	stores = 0;
	return c;
}

const struct pt_driver pt_nvfifo = { map, unmap, counts };

uint64_t pt_page(uint64_t *table, unsigned int shift, uint32_t index)
{
	struct nvfifo_pt pt = table_of(table, shift, false);

	return nvfifo_pt_lookup(&pt, index);
}
