// SPDX-License-Identifier: MIT
/*
 * The page table code of nouveau for this family, called as its vmm.c calls it. pt.sh takes
 * it from the kernel's source package. Without that package this file is empty.
 */
#if __has_include("vmmnv50.c")
#include "vmm.h"

#include <core/mm.h>
#include <subdev/fb.h>

#include "pt.h"

u64 bench_filled;

/* Instance memory as the CPU sees it through BAR3, here ordinary memory. */
struct window {
	struct nvkm_memory memory;
	enum nvkm_memory_target target;
	void *map;
	struct pt_counts counts;
};

#define window(m) container_of((m), struct window, memory)

static u32 rd32(struct nvkm_memory *memory, u64 offset)
{
	return *(volatile u32 *)((char *)window(memory)->map + offset);
}

static void wr32(struct nvkm_memory *memory, u64 offset, u32 data)
{
	*(volatile u32 *)((char *)window(memory)->map + offset) = data;
}

static void counted_wr32(struct nvkm_memory *memory, u64 offset, u32 data)
{
	window(memory)->counts.stores++;
	window(memory)->counts.store_bytes += sizeof(data);
	wr32(memory, offset, data);
}

static void *acquire(struct nvkm_memory *memory)
{
	return window(memory)->map;
}

/* nouveau's wait for its writes: wmb() and a BAR flush. */
static void release(struct nvkm_memory *memory)
{
	window(memory)->counts.released++;
}

static enum nvkm_memory_target target(struct nvkm_memory *memory)
{
	return window(memory)->target;
}

static const struct nvkm_memory_func func = {
	.target = target,
	.acquire = acquire,
	.release = release,
};

static const struct nvkm_memory_ptrs ptrs = { .rd32 = rd32, .wr32 = wr32 };
static const struct nvkm_memory_ptrs counted_ptrs = { .rd32 = rd32, .wr32 = counted_wr32 };

static struct window plain = { .memory = { .func = &func, .ptrs = &ptrs } };
static struct window counted_window = { .memory = { .func = &func, .ptrs = &counted_ptrs } };

static const u8 *kind(struct nvkm_mmu *mmu, int *count, u8 *invalid)
{
	static const u8 pitch = 1;

	(void)mmu;
	*count = 1;
	*invalid = 0;
	return &pitch;
}

static const struct nvkm_mmu_func mmu_func = { .kind = kind };
static struct nvkm_ram ram;
static struct nvkm_fb fb = { .ram = &ram };
static struct nvkm_device device = { .fb = &fb };
static struct nvkm_mmu mmu = { .func = &mmu_func, .subdev = { .device = &device } };
static struct nvkm_vmm vmm = { .mmu = &mmu };

/* Only a compressed mapping would ask for tags. */
int nvkm_memory_tags_get(struct nvkm_memory *memory, struct nvkm_device *dev, u32 tags,
			 void (*clear)(struct nvkm_device *, u32, u32), struct nvkm_tags **ptags)
{
	(void)memory;
	(void)dev;
	(void)tags;
	(void)clear;
	(void)ptags;
	return -ENOSPC;
}

static const struct nvkm_vmm_desc_func *pgt(unsigned int shift)
{
	return shift == 12 ? nv50_vmm_desc_12[0].func : nv50_vmm_desc_16[0].func;
}

static struct nvkm_mmu_pt table_of(uint64_t *table, bool counted)
{
	struct window *w = counted ? &counted_window : &plain;

	w->map = table;
	return (struct nvkm_mmu_pt){ .memory = &w->memory };
}

static void map(uint64_t *table, unsigned int shift, uint32_t index, uint32_t count,
		const struct pt_source *from, bool counted)
{
	const struct nvkm_vmm_page page = { .shift = (u8)shift };
	struct window memory = {
		.memory = { .func = &func },
		.target = from->memory == PT_VRAM ? NVKM_MEM_TARGET_VRAM : NVKM_MEM_TARGET_HOST,
	};
	struct nvkm_mm_node node = {
		.type = 1,
		.offset = (u32)(from->address >> NVKM_RAM_MM_SHIFT),
		.length = count << (shift - NVKM_RAM_MM_SHIFT),
	};
	struct nvkm_vmm_map m = { .memory = &memory.memory, .page = &page };
	struct nvkm_mmu_pt pt = table_of(table, counted);

	if (from->memory == PT_VRAM)
		m.mem = &node;
	if (nv50_vmm_valid(&vmm, NULL, 0, &m))
		abort();
	if (from->memory == PT_VRAM) {
		pgt(shift)->mem(&vmm, &pt, index, count, &m);
	} else if (from->memory == PT_SYSTEM_64K) {
		m.sgl = from->sgl;
		pgt(shift)->sgl(&vmm, &pt, index, count, &m);
	} else {
		m.dma = from->dma;
		pgt(shift)->dma(&vmm, &pt, index, count, &m);
	}
}

static void unmap(uint64_t *table, unsigned int shift, uint32_t index, uint32_t count,
		  bool counted)
{
	struct nvkm_mmu_pt pt = table_of(table, counted);

	if (counted)
		bench_filled = 0;
	pgt(shift)->unmap(&vmm, &pt, index, count);
	if (counted)
		counted_window.counts.filled += bench_filled;
}

static struct pt_counts counts(void)
{
	struct pt_counts c = counted_window.counts;

	counted_window.counts = (struct pt_counts){ 0 };
	return c;
}

const struct pt_driver pt_nouveau = { map, unmap, counts };

void pt_nouveau_flush(uint32_t *reads, uint32_t *writes)
{
	vmm.engref[NVKM_ENGINE_FIFO].count = 1;
	vmm.engref[NVKM_ENGINE_GR].count = 1;
	device.reads = 0;
	device.writes = 0;
	nv50_vmm_flush(&vmm, 0);
	*reads = device.reads;
	*writes = device.writes;
}
#endif
