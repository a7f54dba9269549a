// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: VRAM, instance memory and the BARs
 *
 * The CPU reaches the card's memory in three ways:
 *
 * - PRAMIN, a window of 1 MiB in BAR0 at 0x700000. It needs no set-up, shows
 *   linear VRAM addresses, and must be moved for each megabyte.
 * - BAR3 (config dword 3, Linux resource 3), translated by the MMU through a DMA object and page
 *   tables of its own. The driver maps the instance heap through it, once and for all, and
 *   allocates from it all memory that the card reads without translation: channel structures,
 *   RAMFC, RAMHT, playlist, page tables. The CPU reaches each word with one MMIO access.
 * - BAR1, translated in the same way, for mappings of VRAM buffers in user space, and for clearing
 *   VRAM. A window is a multiple of 64 KiB.
 *
 * The two BARs share a channel structure that PFIFO does not run: two DMA objects, a page directory
 * and two page tables. The driver writes it through PRAMIN, because BAR3 does not translate yet.
 *
 * Accesses to BAR1 and BAR3 go through PFIFO, and are lost while it is off in PMC.ENABLE. So a
 * reset of PFIFO holds bars_lock, and page faults in mappings of BAR1 wait for its end.
 *
 * CPU writes may sit in buffers between the bus and the memory controller. A BAR flush pushes them
 * out; it comes before every hand-over to the card.
 *
 * On the IGPs (MCP77, MCP79, MCP89) VRAM is stolen system memory. Registers and structures with
 * linear VRAM addresses take offsets in stolen memory. Only PTEs hold the real system address.
 */
#include <linux/dma-mapping.h>
#include <linux/lcm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include <drm/drm_drv.h>

#include "nvfifo_drv.h"
#include "nvfifo_chan_fmt.h"
#include "card/nvfifo_card.h"
#include "card/nvfifo_hw.h"
#include "mem/nvfifo_mem.h"
#include "mmu/nvfifo_mmu.h"

#define PRAMIN_SIZE	SZ_1M

/* Places of the BARs' DMA objects and page tables: after the directory in their instance block. */
#define BAR_OBJECT_BAR1	0x5400
#define BAR_OBJECT_BAR3	0x5420
#define BAR_PT		0x6000	/* BAR1's, then BAR3's */
#define BAR_PT_SIZE	(8 << (NVFIFO_PDE_SHIFT - BAR_PAGE_SHIFT))
#define BAR_INST_SIZE	(BAR_PT + 2 * BAR_PT_SIZE)

/* BAR1 uses the first PDE, BAR3 the second: each is at most 512 MiB here. */
#define BAR1_VA		0ULL
#define BAR3_VA		BIT_ULL(NVFIFO_PDE_SHIFT)
#define BAR_VA_MAX	BIT_ULL(NVFIFO_PDE_SHIFT)
#define BAR_PAGE_SHIFT	16

/* Size of instance memory, with the page tables of 126 address spaces */
#define HEAP_SIZE_MAX	SZ_32M

/* Target of PDISPLAY's objects, other than those of DMA objects and PTEs */
#define DISPLAY_IN_VRAM	1

/* Colour of nodes of VRAM that are not buffers: the instance heap, and memory of the display */
#define NOT_A_BUFFER	1

/* A word of VRAM in BAR3, or NULL if it is not in the heap. */
static void __iomem *bar3_io(struct nvfifo_device *ndev, u64 addr)
{
	u64 offset = addr - ndev->mem.heap_node.start;

	if (!ndev->mem.heap_mapped || offset >= ndev->mem.facts.heap_size)
		return NULL;

	return ndev->mem.bar3 + (addr - ndev->mem.heap_node.start);
}

/* Trace an access, if the event nvfifo_access is on. */
static void bar3_note(struct nvfifo_device *ndev, enum nvfifo_access_op op, u64 addr, u64 val)
{
	nvfifo_access_note(ndev, op, 3, addr - ndev->mem.heap_node.start, val);
}

/* Move the window if needed and return the register that shows @addr. */
static u32 pramin(struct nvfifo_device *ndev, u64 addr)
{
	u32 base = (u32)(addr >> 16) & ~0xfu;

	if (ndev->mem.pmem_base != base) {
		nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_PMEM, base);
		ndev->mem.pmem_base = base;
	}

	return NV_PMEM_WINDOW + (u32)(addr & (PRAMIN_SIZE - 1));
}

/**
 * nvfifo_vram_rd32() - Read a word of VRAM
 * @ndev: the device
 * @addr: VRAM address, a multiple of 4
 *
 * Uses BAR3 if it shows the address, else PRAMIN.
 *
 * Context: Process context, sleeps. Takes bars_lock, or pmem_lock for PRAMIN.
 *
 * Return: the word.
 */
u32 nvfifo_vram_rd32(struct nvfifo_device *ndev, u64 addr)
{
	void __iomem *io = bar3_io(ndev, addr);
	u32 val;

	if (io) {
		scoped_guard(rwsem_read, &ndev->mem.bars_lock)
			val = ioread32(io);

		bar3_note(ndev, NVFIFO_ACCESS_READ, addr, val);

		return val;
	}

	spin_lock(&ndev->mem.pmem_lock);
	val = nvfifo_rd32(ndev, pramin(ndev, addr));
	spin_unlock(&ndev->mem.pmem_lock);

	return val;
}

/**
 * nvfifo_vram_wr32_locked() - Write a word of VRAM, one of many
 * @ndev: the device, with bars_lock held for reading
 * @addr: VRAM address, a multiple of 4
 * @val: the word
 *
 * As nvfifo_vram_wr32().
 */
void nvfifo_vram_wr32_locked(struct nvfifo_device *ndev, u64 addr, u32 val)
{
	void __iomem *io = bar3_io(ndev, addr);

	if (io) {
		iowrite32(val, io);

		/* BAR3 may be write-combined: keep the order of single words. */
		wmb();
		bar3_note(ndev, NVFIFO_ACCESS_WRITE, addr, val);

		return;
	}

	guard(spinlock)(&ndev->mem.pmem_lock);
	nvfifo_wr32(ndev, pramin(ndev, addr), val);
}

/**
 * nvfifo_vram_wr32() - Write a word of VRAM
 * @ndev: the device
 * @addr: VRAM address, a multiple of 4
 * @val: the word
 *
 * The card sees the word after nvfifo_bar_flush(). Words arrive in the order of the calls.
 *
 * Context: Process context, sleeps. Takes bars_lock, and pmem_lock for PRAMIN.
 */
void nvfifo_vram_wr32(struct nvfifo_device *ndev, u64 addr, u32 val)
{
	guard(rwsem_read)(&ndev->mem.bars_lock);

	nvfifo_vram_wr32_locked(ndev, addr, val);
}

/**
 * nvfifo_vram_fill() - Fill a range of VRAM with a word
 * @ndev: the device
 * @addr: VRAM address, a multiple of 4
 * @size: bytes, a multiple of 4
 * @val: the word; 0 is fast in instance memory
 *
 * The card sees it after nvfifo_bar_flush().
 */
void nvfifo_vram_fill(struct nvfifo_device *ndev, u64 addr, u32 size, u32 val)
{
	void __iomem *io = bar3_io(ndev, addr);
	u32 i, n;

	guard(rwsem_read)(&ndev->mem.bars_lock);

	if (!io || val) {
		for (i = 0; i < size; i += 4)
			nvfifo_vram_wr32_locked(ndev, addr + i, val);
		return;
	}

	/*
	 * memset_io() may store single bytes, and without write-combining each one is a bus access.
	 */
	for (i = 0; i < size; i += n) {
		n = min_t(u32, size - i, PAGE_SIZE);
		memcpy_toio(io + i, page_address(ZERO_PAGE(0)), n);
	}

	/* Keep the order of the words that the caller writes next. */
	wmb();
	bar3_note(ndev, NVFIFO_ACCESS_CLEAR, addr, size);
}

/**
 * nvfifo_vram_write() - Write words to VRAM
 * @ndev: the device
 * @addr: VRAM address, a multiple of 4
 * @words: the words
 * @count: their number
 *
 * Fast in instance memory, where the words may arrive in any order. The card sees them after
 * nvfifo_bar_flush().
 */
void nvfifo_vram_write(struct nvfifo_device *ndev, u64 addr, const __le32 *words, u32 count)
{
	void __iomem *io = bar3_io(ndev, addr);
	u32 i;

	guard(rwsem_read)(&ndev->mem.bars_lock);

	if (!io) {
		for (i = 0; i < count; i++)
			nvfifo_vram_wr32_locked(ndev, addr + i * 4, le32_to_cpu(words[i]));
		return;
	}

	memcpy_toio(io, words, count * 4);

	/* Keep the order of the words that the caller writes next. */
	wmb();

	for (i = 0; i < count; i++)
		bar3_note(ndev, NVFIFO_ACCESS_WRITE, addr + i * 4, le32_to_cpu(words[i]));
}

/**
 * nvfifo_bar_flush_once() - Try to make the CPU's writes to VRAM visible to the card
 * @ndev: the device
 * @data: unused, for nvfifo_run_procedure()
 *
 * Return: 0, -ETIMEDOUT, -EIO or -ENODEV.
 */
int nvfifo_bar_flush_once(struct nvfifo_device *ndev, void *data)
{
	u32 reg = ndev->chip->g84 ? NV_PFLUSH_BAR_FLUSH : NV_CACHE1_FLUSH_CTRL_G80;
	int ret;

	guard(mutex)(&ndev->mem.flush_lock);

	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	if (nvfifo_is_other_recovering(ndev))
		return -ETIMEDOUT;

	/* Drain the CPU's own write buffers first. */
	wmb();
	nvfifo_wr32(ndev, reg, NV_FLD_MASK(NV_PFLUSH_BAR_FLUSH__TRIGGER));

	return nvfifo_wait(ndev, reg, NV_FLD_MASK(NV_PFLUSH_BAR_FLUSH__BUSY), 0, "BAR flush");
}

/**
 * nvfifo_bar_flush() - Make the CPU's writes to VRAM visible to the card
 * @ndev: the device, without fifo_lock, which is taken if the flush does not end
 *
 * Return: 0, -EIO or -ENODEV.
 */
int nvfifo_bar_flush(struct nvfifo_device *ndev)
{
	return nvfifo_run_procedure(ndev, "BAR flush", nvfifo_bar_flush_once, NULL);
}

/**
 * nvfifo_inst_alloc() - Allocate instance memory, which is not cleared
 * @ndev: the device
 * @inst: set to the memory
 * @size: bytes
 * @align: bytes, a power of two
 *
 * Context: Takes mem.lock.
 *
 * Return: 0 or -ENOSPC.
 */
int nvfifo_inst_alloc(struct nvfifo_device *ndev, struct nvfifo_inst *inst, u32 size, u32 align)
{
	int ret;

	scoped_guard(mutex, &ndev->mem.lock)
		ret = drm_mm_insert_node_generic(&ndev->mem.heap, &inst->node, size, align, 0,
						 DRM_MM_INSERT_BEST);

	inst->addr = inst->node.start;

	return ret;
}

/**
 * nvfifo_inst_free() - Free instance memory
 * @ndev: the device
 * @inst: the memory; nothing happens if it was never allocated
 *
 * Context: Takes mem.lock.
 */
void nvfifo_inst_free(struct nvfifo_device *ndev, struct nvfifo_inst *inst)
{
	guard(mutex)(&ndev->mem.lock);

	if (drm_mm_node_allocated(&inst->node))
		drm_mm_remove_node(&inst->node);
}

/**
 * nvfifo_pte_vram() - Get the address and target of a PTE for a VRAM address
 * @ndev: the device
 * @addr: VRAM address
 * @target: set to enum nvfifo_target
 *
 * On IGPs a PTE names stolen memory as system memory without snooping.
 *
 * Return: the address that the PTE holds.
 */
u64 nvfifo_pte_vram(struct nvfifo_device *ndev, u64 addr, u8 *target)
{
	*target = ndev->chip->igp ? NVFIFO_TARGET_SYS_NOSNOOP : NVFIFO_TARGET_VRAM;

	return ndev->mem.facts.igp_base + addr;
}

/* Write one PTE of a BAR. The word with the present bit is written last, and cleared first. */
static void bar_pte(struct nvfifo_device *ndev, u32 page, u64 pte)
{
	u64 addr = ndev->mem.bar_inst.addr + BAR_PT + page * 8;

	if (!(pte & NVFIFO_PTE_PRESENT))
		nvfifo_vram_wr32(ndev, addr, 0);

	nvfifo_vram_wr32(ndev, addr + 4, upper_32_bits(pte));

	if (pte & NVFIFO_PTE_PRESENT)
		nvfifo_vram_wr32(ndev, addr, lower_32_bits(pte));
}

/**
 * nvfifo_bar_map() - Let the BARs show VRAM
 * @ndev: the device
 * @page: page of 64 KiB in their address space, in which BAR1 comes first
 * @extent: the VRAM to show, multiples of 64 KiB
 *
 * The card sees it after nvfifo_bar1_flush().
 */
void nvfifo_bar_map(struct nvfifo_device *ndev, u32 page, const struct nvfifo_extent_walk *extent)
{
	u32 end = page + (extent->size >> BAR_PAGE_SHIFT), i;
	struct nvfifo_pte pte = {
		.present = true,
		.target = extent->target,
		.address = extent->address,
	};

	for (; page < end; page += 1u << pte.contig) {
		pte.contig = nvfifo_pte_contig(page, end - page);
		for (i = 0; i < 1u << pte.contig; i++)
			bar_pte(ndev, page + i, nvfifo_pte_encode(&pte));

		pte.address += 1ULL << (BAR_PAGE_SHIFT + pte.contig);
	}
}

/**
 * nvfifo_bar1_flush() - Make new pages of the BARs visible to the card
 * @ndev: the device
 *
 * Return: 0, -EIO or -ENODEV.
 */
int nvfifo_bar1_flush(struct nvfifo_device *ndev)
{
	int ret = nvfifo_bar_flush(ndev);

	if (ret)
		return ret;

	return nvfifo_tlb_flush(ndev, NVFIFO_VM_BAR);
}

/**
 * nvfifo_bar1_unmap() - Remove a window from BAR1
 * @ndev: the device
 * @node: the window's pages of 64 KiB, which are free afterwards
 *
 * A card that no longer answers is not accessed.
 *
 * Context: bar1.lock is held.
 */
void nvfifo_bar1_unmap(struct nvfifo_device *ndev, struct drm_mm_node *node)
{
	u32 i;

	CLASS(nvfifo_enter, entered)(ndev);
	for (i = 0; entered.is_open && nvfifo_is_usable(ndev) && i < node->size; i++)
		bar_pte(ndev, node->start + i, 0);
	if (entered.is_open)
		nvfifo_bar1_flush(ndev);

	drm_mm_remove_node(node);
}

/**
 * nvfifo_vram_io() - Find a place where the CPU sees VRAM
 * @ndev: the device
 * @addr: VRAM address; outside of BAR3 a multiple of 64 KiB
 * @size: bytes, at most NVFIFO_VRAM_IO_MAX; outside of BAR3 a multiple of 64 KiB
 *
 * The pointer is into BAR3, or into a write-combined window in BAR1 that the next call moves. The
 * caller holds bars_lock while it uses the pointer.
 *
 * Context: bar1.lock is held.
 *
 * Return: the place, NULL if BAR1 is too small, or an error pointer to -EIO or -ENODEV.
 */
void __iomem *nvfifo_vram_io(struct nvfifo_device *ndev, u64 addr, u32 size)
{
	struct nvfifo_extent_walk extent = { .size = size };
	void __iomem *io = bar3_io(ndev, addr);
	int ret;

	if (io || !ndev->bar1.clear_io)
		return io;

	extent.address = nvfifo_pte_vram(ndev, addr, &extent.target);
	nvfifo_bar_map(ndev, ndev->bar1.clear.start, &extent);
	ret = nvfifo_bar1_flush(ndev);

	return ret ? IOMEM_ERR_PTR(ret) : ndev->bar1.clear_io;
}

/*
 * The caller drops the lock after each part, so that page faults in BAR1 do not wait for the whole.
 */
static int vram_clear_part(struct nvfifo_device *ndev, u64 addr, u32 size)
{
	void __iomem *io;

	guard(mutex)(&ndev->bar1.lock);

	io = nvfifo_vram_io(ndev, addr, size);
	if (IS_ERR(io))
		return PTR_ERR(io);

	if (!io) {
		nvfifo_vram_fill(ndev, addr, size, 0);
		return 0;
	}

	guard(rwsem_read)(&ndev->mem.bars_lock);
	memset_io(io, 0, size);

	/* The writes must leave the CPU before a reset of PFIFO. */
	wmb();

	return 0;
}

/**
 * nvfifo_vram_clear() - Fill VRAM with zeros
 * @ndev: the device
 * @addr: VRAM address, a multiple of 64 KiB
 * @size: bytes, a multiple of 64 KiB
 *
 * Context: Process context, sleeps. Takes bar1.lock for each NVFIFO_VRAM_IO_MAX bytes.
 *
 * Return: 0, -EINTR if the process is being killed, -EIO or -ENODEV.
 */
int nvfifo_vram_clear(struct nvfifo_device *ndev, u64 addr, u64 size)
{
	u64 end = addr + size;
	int ret;

	for (; addr < end; addr += size) {
		if (fatal_signal_pending(current))
			return -EINTR;

		ret = nvfifo_check_ending(ndev);
		if (ret)
			return ret;

		size = min(end - addr, (u64)NVFIFO_VRAM_IO_MAX);
		ret = vram_clear_part(ndev, addr, size);
		if (ret)
			return ret;

		cond_resched();
	}

	return nvfifo_bar_flush(ndev);
}

/**
 * nvfifo_mem_facts() - Return the facts about the card's memory
 * @ndev: the device
 *
 * Return: the facts.
 */
const struct nvfifo_mem_facts *nvfifo_mem_facts(const struct nvfifo_device *ndev)
{
	return &ndev->mem.facts;
}

/**
 * nvfifo_mem_free_amounts() - Count the free memory and tag cells
 * @ndev: the device
 * @vram: set to bytes of VRAM
 * @tags: set to the number of tag cells
 */
void nvfifo_mem_free_amounts(struct nvfifo_device *ndev, u64 *vram, u32 *tags)
{
	guard(mutex)(&ndev->mem.lock);

	*vram = ndev->mem.vram_free;
	*tags = ndev->mem.tags_free;
}

/**
 * nvfifo_mem_visit_used() - Visit all VRAM in use that nvfifo_mem_start() does not write
 * @ndev: the device
 * @use: called for each extent, with mem.lock held, until it returns an error
 *
 * Return: 0, or the errno of @use.
 */
int nvfifo_mem_visit_used(struct nvfifo_device *ndev, nvfifo_extent_fn use)
{
	struct drm_mm_node *node;
	int ret;

	guard(mutex)(&ndev->mem.lock);

	drm_mm_for_each_node(node, &ndev->mem.heap) {
		if (node == &ndev->mem.bar_inst.node)
			continue;

		ret = use(ndev, node->start, node->size);
		if (ret)
			return ret;
	}

	drm_mm_for_each_node(node, &ndev->mem.vram) {
		if (node->color == NOT_A_BUFFER)
			continue;

		ret = use(ndev, node->start, node->size);
		if (ret)
			return ret;
	}

	return 0;
}

/**
 * nvfifo_mem_keep_console() - Keep the firmware's frame buffer out of the allocator
 * @ndev: the device, before nvfifo_mem_init()
 * @first: first byte of the frame buffer in BAR1
 * @end: its end, 0 if the place is not known
 */
void nvfifo_mem_keep_console(struct nvfifo_device *ndev, u64 first, u64 end)
{
	ndev->mem.was_console = true;
	ndev->mem.fb_first = first;
	ndev->mem.fb_end = end;
}

/**
 * nvfifo_bar_flush_detach() - Stop BAR flushes for good
 * @ndev: the device that is being removed, with fifo_lock and tlb.lock held
 *
 * Waits for a flush that has begun. The card is gone from then on, or lost.
 */
void nvfifo_bar_flush_detach(struct nvfifo_device *ndev)
{
	guard(mutex)(&ndev->mem.flush_lock);

	nvfifo_set_phase(ndev, NVFIFO_GONE);
}

static void vram_detect(struct nvfifo_device *ndev)
{
	u32 amount = nvfifo_rd32(ndev, NV_PFB_MEM_AMOUNT);
	u32 max_tag = nvfifo_rd32(ndev, NV_PFB_COMP_MAX_TAG);

	if (ndev->chip->igp) {
		ndev->mem.facts.igp_base = (u64)nvfifo_rd32(ndev, NV_PFB_FAKEFB_BASE) << 12;
		ndev->mem.facts.vram_size = (u64)nvfifo_rd32(ndev, NV_PFB_FAKEFB_SIZE) << 12;
		return;
	}

	/* A VRAM address has 32 bits. */
	ndev->mem.facts.vram_size = (u64)NV_FLD_GET(NV_PFB_MEM_AMOUNT__SIZE_HIGH, amount) << 32 |
				    (amount & NV_FLD_MASK(NV_PFB_MEM_AMOUNT__SIZE));
	ndev->mem.facts.vram_size = min_t(u64, ndev->mem.facts.vram_size, SZ_4G);

	/* The register holds the last cell, a PTE has 12 bits for it. */
	ndev->mem.facts.num_tags = max_tag ? min(max_tag, 0xfffu) + 1 : 0;
}

/**
 * nvfifo_vram_find() - Find VRAM, and check that the driver can use it
 * @ndev: the device
 *
 * Return: 0, or -ENODEV if VRAM is too small or stolen memory too high.
 */
int nvfifo_vram_find(struct nvfifo_device *ndev)
{
	struct nvfifo_mem_facts *facts = &ndev->mem.facts;

	vram_detect(ndev);

	if (facts->vram_size < SZ_32M) {
		drm_err(&ndev->drm, "%llu bytes of VRAM, need 32 MiB\n", facts->vram_size);
		return -ENODEV;
	}

	/* A PTE holds 40 bits of an address. More would change its other fields. */
	if (facts->igp_base + facts->vram_size > NVFIFO_VA_MASK + 1) {
		drm_err(&ndev->drm, "stolen memory at %#llx is not below 2^40\n",
			facts->igp_base);
		return -ENODEV;
	}

	return 0;
}

/*
 * The IGPs order their reads after posted writes by polling three words in stolen memory: 32 bytes
 * each, in the reserved end. nouveau of 6.12 runs the same code on all three.
 */
static void pollers_init(struct nvfifo_device *ndev)
{
	static const struct { u32 reg, enable; } pollers[] = {
		{ NV_PFB_POLLER_DNISO, NV_FLD_MASK(NV_PFB_POLLER_CFG__DNISO) },
		{ NV_PFB_POLLER_HOSTNB, NV_FLD_MASK(NV_PFB_POLLER_CFG__HOSTNB) },
		{ NV_PFB_POLLER_FLUSH, NV_FLD_MASK(NV_PFB_POLLER_CFG__FLUSH) },
	};
	unsigned int i;

	if (!ndev->chip->igp)
		return;

	for (i = 0; i < ARRAY_SIZE(pollers); i++) {
		/* The register counts from the end. */
		nvfifo_wr32(ndev, pollers[i].reg, ((SZ_1M + SZ_4K) >> 5) - i - 1);
		nvfifo_mask(ndev, NV_PFB_POLLER_CFG, 0, pollers[i].enable);
	}
}

/* Write the DMA object and the PDE that translate a BAR's part of their address space. */
static void bar_object(struct nvfifo_device *ndev, u32 object, u64 va, u64 size)
{
	const struct nvfifo_dmaobj obj = nvfifo_dmaobj_vm(0, va, va + size - 1);
	const struct nvfifo_pde pde = {
		.address = ndev->mem.bar_inst.addr + BAR_PT + (va >> BAR_PAGE_SHIFT) * 8,
		.target = NVFIFO_TARGET_VRAM,
		.type = NVFIFO_PT_64K,
	};
	u64 addr = ndev->mem.bar_inst.addr + nvfifo_chan_directory(ndev->chip->g84);
	u64 val = nvfifo_pde_encode(&pde);
	u32 w[NVFIFO_DMAOBJ_WORDS], i;

	nvfifo_dmaobj_encode(&obj, w);

	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
		nvfifo_vram_wr32(ndev, ndev->mem.bar_inst.addr + object + i * 4, w[i]);

	addr += (va >> NVFIFO_PDE_SHIFT) * 8;
	nvfifo_vram_wr32(ndev, addr + 4, upper_32_bits(val));
	nvfifo_vram_wr32(ndev, addr, lower_32_bits(val));
}

/* BAR3 translates if it reads back the words that PRAMIN wrote. */
static bool bar3_translates(struct nvfifo_device *ndev)
{
	u64 probe = ndev->mem.bar_inst.addr + BAR_PT + BAR_PT_SIZE;

	return ioread32(ndev->mem.bar3 + (probe - ndev->mem.heap_node.start)) ==
	       nvfifo_vram_rd32(ndev, probe);
}

/* Both values of HOST_MEM.CHAN in nouveau's order: PEEPHOLE's channel, then that of the BARs. */
static int bars_set_channel(struct nvfifo_device *ndev)
{
	const u32 desc = nvfifo_chan_desc(ndev->mem.bar_inst.addr, NVFIFO_TARGET_VRAM);
	int ret;

	nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_CHAN, desc);
	nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_CHAN,
		    desc | NV_FLD_MASK(NV_PBUS_HOST_MEM_CHAN__WHICH_BAR));
	nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_BAR3, nvfifo_bar_reg(BAR_OBJECT_BAR3));
	ret = nvfifo_tlb_flush(ndev, NVFIFO_VM_BAR);
	if (ret)
		return ret;

	if (bar3_translates(ndev))
		return 0;

	drm_err(&ndev->drm, "BAR3 does not show the instance heap\n");

	return -EIO;
}

/* Set up the page tables of the BARs, and let BAR3 show the instance heap. */
static int bars_start(struct nvfifo_device *ndev)
{
	u64 inst = ndev->mem.bar_inst.addr;
	struct nvfifo_extent_walk heap = { .size = ndev->mem.facts.heap_size };
	int ret, i;

	/* A flush that an earlier driver started may still be running. */
	ret = nvfifo_wait(ndev, NV_PFB_TLB_FLUSH, NVFIFO_TLB_FLUSH_TRIGGER, 0, "earlier TLB flush");
	if (ret == -ETIMEDOUT)
		ret = -EIO;
	if (ret)
		return ret;

	/* The MMU never reads PTEs past the objects' limits, so they stay unwritten. */
	nvfifo_vram_fill(ndev, inst, BAR_PT, 0);
	heap.address = nvfifo_pte_vram(ndev, ndev->mem.heap_node.start, &heap.target);
	nvfifo_bar_map(ndev, BAR3_VA >> BAR_PAGE_SHIFT, &heap);
	bar_object(ndev, BAR_OBJECT_BAR3, BAR3_VA, ndev->mem.facts.heap_size);
	bar_object(ndev, BAR_OBJECT_BAR1, BAR1_VA, ndev->mem.facts.bar1_size);
	ret = nvfifo_bar_flush(ndev);
	if (ret)
		return ret;

	for (i = 0; i < NV_PBUS_REMAP__COUNT; i++)
		nvfifo_wr32(ndev, NV_REG_AT(NV_PBUS_REMAP, i), 0);

	ret = bars_set_channel(ndev);
	if (ret)
		return ret;

	ndev->mem.heap_mapped = true;

	/* BAR1 has no window yet. */
	nvfifo_vram_fill(ndev, inst + BAR_PT, (ndev->mem.facts.bar1_size >> BAR_PAGE_SHIFT) * 8, 0);
	ret = nvfifo_bar_flush(ndev);
	if (!ret)
		nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_BAR1, nvfifo_bar_reg(BAR_OBJECT_BAR1));

	return ret;
}

/* The card prepends the upper bits to each address of system memory, which has 40 bits. */
static void sysram_start(struct nvfifo_device *ndev)
{
	u32 high = nvfifo_rd32(ndev, NV_PFB_SYSRAM_ADDR_HIGH);

	if (high) {
		drm_info(&ndev->drm, "the firmware left %08x above the addresses of system memory\n",
			 high);
		nvfifo_wr32(ndev, NV_PFB_SYSRAM_ADDR_HIGH, 0);
	}

	nvfifo_wr32(ndev, NV_PFB_SYSRAM_ADDR, (u32)(ndev->mem.flush_dma >> 8));
}

/**
 * nvfifo_mem_start() - Program the card's memory state, at probe and after a suspend
 * @ndev: the device
 *
 * So far only the BARs' part of instance memory is written.
 *
 * Return: 0, -EIO if the memory or BAR3 do not work, or -ENODEV.
 */
int nvfifo_mem_start(struct nvfifo_device *ndev)
{
	u64 first = ndev->mem.heap_node.start;
	u64 size = ndev->mem.facts.vram_size;
	u64 base = ndev->mem.facts.igp_base;
	u32 old;

	vram_detect(ndev);

	if (ndev->mem.facts.vram_size != size || ndev->mem.facts.igp_base != base) {
		drm_err(&ndev->drm, "%llu bytes of VRAM at %#llx, and were %llu at %#llx\n",
			ndev->mem.facts.vram_size, ndev->mem.facts.igp_base, size, base);
		return -EIO;
	}

	ndev->mem.heap_mapped = false;
	ndev->mem.pmem_base = ~0u;
	sysram_start(ndev);
	old = nvfifo_vram_rd32(ndev, first);
	nvfifo_vram_wr32(ndev, first, ~old);

	if (nvfifo_vram_rd32(ndev, first) != ~old) {
		drm_err(&ndev->drm, "VRAM at %#llx does not keep its contents\n", first);
		return -EIO;
	}

	pollers_init(ndev);

	return bars_start(ndev);
}

static void map_bar3(struct nvfifo_device *ndev)
{
	resource_size_t bar3 = pci_resource_start(ndev->pdev, 3);
	struct device *dev = ndev->drm.dev;

	/* BAR3 is not prefetchable up to G200, and such a BAR must not be write-combined. */
	ndev->mem.bar3_wc = pci_resource_flags(ndev->pdev, 3) & IORESOURCE_PREFETCH;
	if (ndev->mem.bar3_wc)
		ndev->mem.bar3 = devm_ioremap_wc(dev, bar3, ndev->mem.facts.heap_size);
	else
		ndev->mem.bar3 = devm_ioremap(dev, bar3, ndev->mem.facts.heap_size);
}

/* Map the window through which the CPU clears VRAM. Without it the CPU clears word by word. */
static void map_clear_window(struct nvfifo_device *ndev)
{
	resource_size_t bar1 = pci_resource_start(ndev->pdev, 1);
	int ret;

	if (ndev->mem.facts.bar1_size < 4 * NVFIFO_VRAM_IO_MAX)
		return;

	ret = drm_mm_insert_node(&ndev->bar1.va, &ndev->bar1.clear,
				 NVFIFO_VRAM_IO_MAX >> BAR_PAGE_SHIFT);
	if (!ret)
		ndev->bar1.clear_io = devm_ioremap_wc(ndev->drm.dev, bar1 +
						      (ndev->bar1.clear.start << BAR_PAGE_SHIFT),
						      NVFIFO_VRAM_IO_MAX);
}

/* Detect the facts about memory that vram_detect() leaves open. */
static void facts_find(struct nvfifo_device *ndev)
{
	u64 bar3 = round_down(pci_resource_len(ndev->pdev, 3), SZ_1M);
	struct nvfifo_mem_facts *facts = &ndev->mem.facts;
	u64 row_block;

	facts->heap_size = min3(bar3, (u64)HEAP_SIZE_MAX, round_down(facts->vram_size / 4, SZ_1M));
	facts->bar1_size = min_t(u64, pci_resource_len(ndev->pdev, 1), BAR_VA_MAX);
	facts->graph_units = nvfifo_rd32(ndev, NV_PBUS_HWUNITS_0);

	/* Buffers are multiples of 64 KiB. */
	row_block = nvfifo_row_block(facts->graph_units, nvfifo_rd32(ndev, NV_PFB_CFG1),
				     nvfifo_rd32(ndev, NV_PFB_BANKCFG));
	facts->row_block = lcm(row_block, SZ_64K);
}

/*
 * Keep a part of VRAM from all buffers. Return: false if it is not free, because it is outside of
 * the allocator, or kept already.
 */
static bool keep(struct nvfifo_device *ndev, struct drm_mm_node *node, u64 start, u64 size)
{
	node->start = start;
	node->size = size;
	node->color = NOT_A_BUFFER;
	if (drm_mm_reserve_node(&ndev->mem.vram, node))
		return false;

	ndev->mem.vram_free -= size;

	return true;
}

/*
 * PDISPLAY still scans out the firmware's frame buffer, which no buffer may get. The text modes and
 * VESA modes of a VBIOS place it at the start of VRAM. EFI may put it anywhere; the claim on BAR1
 * tells where. After POST BAR1 shows VRAM without a translation.
 *
 * @first and @end are the limits of VRAM for the allocators.
 */
static void keep_screen(struct nvfifo_device *ndev, u64 first, u64 end)
{
	u64 low = min_t(u64, NVFIFO_VRAM_RESERVED_CONSOLE, ndev->mem.facts.vram_size / 4);
	u64 fb_first = max(round_down(ndev->mem.fb_first, SZ_64K), low);
	u64 fb_end = min(round_up(ndev->mem.fb_end, SZ_64K), end);
	u32 bar1;

	if (!ndev->mem.was_console)
		return;

	keep(ndev, &ndev->mem.kept[0], first, low - first);
	bar1 = nvfifo_rd32(ndev, NV_PBUS_HOST_MEM_BAR1);

	if (bar1 & NV_FLD_MASK(NV_PBUS_HOST_MEM_BAR1__MODE_DMAOBJ))
		drm_warn(&ndev->drm, "the firmware translates BAR1, so the screen may show buffers\n");
	else if (fb_first < fb_end)
		keep(ndev, &ndev->mem.kept[1], fb_first, fb_end - fb_first);
}

/*
 * A display engine that the firmware has started reads DMA objects and push buffers. A client that
 * could write there would reach all memory. nouveau reserves 64 KiB there, and aligns them.
 * Return: 0, or -ENODEV if this memory is not VRAM.
 */
static int keep_display(struct nvfifo_device *ndev)
{
	u32 objects;
	u64 start;

	if (!nvfifo_card_has_display(ndev))
		return 0;

	objects = nvfifo_rd32(ndev, NV_PDISPLAY_OBJECTS);
	if (!NV_FLD_GET(NV_PDISPLAY_OBJECTS__VALID, objects))
		return 0;

	start = (u64)NV_FLD_GET(NV_PDISPLAY_OBJECTS__ADDRESS, objects) << 16;
	if (NV_FLD_GET(NV_PDISPLAY_OBJECTS__TARGET, objects) != DISPLAY_IN_VRAM) {
		drm_err(&ndev->drm, "the objects of the display are not in VRAM: %08x\n", objects);
		return -ENODEV;
	}

	keep(ndev, &ndev->mem.kept[2], start, SZ_64K);

	return 0;
}

/* The allocators of VRAM, with the heap at its end, of instance memory, BAR1 and tag cells. */
static int allocators_init(struct nvfifo_device *ndev)
{
	u64 end = round_down(ndev->mem.facts.vram_size - NVFIFO_VRAM_RESERVED_HIGH, SZ_64K);
	u64 first = NVFIFO_VRAM_RESERVED_LOW, heap_size = ndev->mem.facts.heap_size;
	int ret;

	drm_mm_init(&ndev->mem.vram, first, end - first);
	drm_mm_init(&ndev->bar1.va, 0, ndev->mem.facts.bar1_size >> BAR_PAGE_SHIFT);
	drm_mm_init(&ndev->mem.tags, 0, max(ndev->mem.facts.num_tags, 1u));
	ndev->mem.tags_free = ndev->mem.facts.num_tags;
	ndev->mem.vram_free = end - first - heap_size;

	keep_screen(ndev, first, end);
	ret = keep_display(ndev);
	if (ret)
		return ret;

	ret = drm_mm_insert_node_generic(&ndev->mem.vram, &ndev->mem.heap_node, heap_size, SZ_1M,
					 NOT_A_BUFFER, DRM_MM_INSERT_HIGH);
	if (ret) {
		drm_err(&ndev->drm, "the screen's frame buffer leaves too little VRAM\n");
		return ret;
	}

	drm_mm_init(&ndev->mem.heap, ndev->mem.heap_node.start, heap_size);
	ndev->mem.facts.vram_pool = ndev->mem.vram_free;

	return 0;
}

/**
 * nvfifo_mem_init() - Find VRAM, set up the instance heap and the BARs
 * @ndev: the device
 *
 * Return: 0, -ENOMEM, -ENOSPC, or an errno of nvfifo_vram_find() or nvfifo_mem_start().
 */
int nvfifo_mem_init(struct nvfifo_device *ndev)
{
	struct device *dev = ndev->drm.dev;
	int ret;

	ret = nvfifo_vram_find(ndev);
	if (ret)
		return ret;

	facts_find(ndev);
	map_bar3(ndev);
	ndev->mem.flush_page = dmam_alloc_coherent(dev, SZ_4K, &ndev->mem.flush_dma,
						   GFP_KERNEL | __GFP_ZERO);
	if (!ndev->mem.bar3 || !ndev->mem.flush_page)
		return -ENOMEM;

	ret = allocators_init(ndev);
	if (ret)
		return ret;

	ndev->mem.saved_pmem = nvfifo_rd32(ndev, NV_PBUS_HOST_MEM_PMEM);
	ndev->mem.saved_sysram = nvfifo_rd32(ndev, NV_PFB_SYSRAM_ADDR);
	ndev->mem.saved_sysram_high = nvfifo_rd32(ndev, NV_PFB_SYSRAM_ADDR_HIGH);
	ret = nvfifo_inst_alloc(ndev, &ndev->mem.bar_inst, BAR_INST_SIZE, SZ_4K);
	if (!ret)
		ret = nvfifo_mem_start(ndev);
	if (ret) {
		nvfifo_mem_fini(ndev);
		return ret;
	}

	map_clear_window(ndev);

	return 0;
}

/**
 * nvfifo_mem_fini() - Restore the firmware's view of VRAM in the BARs
 * @ndev: the device
 *
 * The allocators stay, because open files may still own buffers in them.
 */
void nvfifo_mem_fini(struct nvfifo_device *ndev)
{
	if (nvfifo_card_answers(ndev)) {
		/* Page tables of the firmware would be in memory that clients have used. */
		nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_BAR1, 0);
		nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_BAR3, 0);
		nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_PEEPHOLE, 0);
		nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_CHAN, 0);
		nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_CHAN,
			    NV_FLD_MASK(NV_PBUS_HOST_MEM_CHAN__WHICH_BAR));
		nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_PMEM, ndev->mem.saved_pmem);
		nvfifo_wr32(ndev, NV_PFB_SYSRAM_ADDR, ndev->mem.saved_sysram);
		if (ndev->mem.saved_sysram_high)
			nvfifo_wr32(ndev, NV_PFB_SYSRAM_ADDR_HIGH, ndev->mem.saved_sysram_high);
	}

	ndev->mem.heap_mapped = false;

	if (drm_mm_node_allocated(&ndev->bar1.clear))
		drm_mm_remove_node(&ndev->bar1.clear);

	nvfifo_inst_free(ndev, &ndev->mem.bar_inst);
}

/**
 * nvfifo_mem_release() - Free the allocators, after the last buffer was freed
 * @drm: the card
 */
void nvfifo_mem_release(struct drm_device *drm)
{
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_mm_node *node, *next;

	if (!drm_mm_initialized(&ndev->mem.vram))
		return;

	if (drm_mm_initialized(&ndev->mem.heap))
		drm_mm_takedown(&ndev->mem.heap);

	drm_mm_for_each_node_safe(node, next, &ndev->mem.vram)
		if (node->color == NOT_A_BUFFER)
			drm_mm_remove_node(node);

	drm_mm_takedown(&ndev->mem.tags);
	drm_mm_takedown(&ndev->bar1.va);
	drm_mm_takedown(&ndev->mem.vram);
}
