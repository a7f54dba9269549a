// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Trials at probe
 *
 * The driver depends on four facts that no program for real cards settles. Does PFIFO read page
 * tables in system memory? Does it take the method WRCACHE_FLUSH from G84 on? Does the MMU have
 * pages of 16 KiB from GT215 on? Does a TLB flush of the background semaphore reads (VM engine c)
 * end? The driver tries each at probe, before user space can use the card and with its interrupts
 * off. A line in the log has the results. Module parameters override them.
 *
 * The first trial runs a channel whose page table is in system memory, and whose pushbuffer sets
 * the channel's reference counter. A card that cannot read the table reports a fault of the pusher.
 * The reset of PFIFO after the trial clears it. If the same channel then runs with its table in
 * VRAM, the driver puts all page tables there.
 *
 * For the second trial the same pushbuffer then has WRCACHE_FLUSH, and sets the counter to another
 * number. If the method fails, or without a trial, fences do not flush, as in nouveau.
 *
 * The third trial runs the channel with its ring and pushbuffer in a page of 16 KiB in VRAM. If it
 * does not run, no address space has such pages.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/sizes.h>

#include "nvfifo_hw.h"
#include "nvfifo_mem.h"
#include "nvfifo_mmu.h"
#include "nvfifo_pusher.h"
#include "nvfifo_ramht.h"
#include "nvfifo_tlb.h"
#include "nvfifo_trial.h"

static int vram_tables = -1;
module_param(vram_tables, int, 0444);
MODULE_PARM_DESC(vram_tables, "Page tables in VRAM: 1 yes, 0 in system memory, -1 as a trial at probe finds (default)");

static int flush_background = -1;
module_param(flush_background, int, 0444);
MODULE_PARM_DESC(flush_background, "Flush the TLB of background semaphore reads: 1 yes, 0 no, -1 if a trial at probe ends (default)");

static int medium_pages = -1;
module_param(medium_pages, int, 0444);
MODULE_PARM_DESC(medium_pages, "Offer pages of 16 KiB on GT215 and later: 1 yes, 0 no, -1 if a trial at probe runs with them (default)");

/* TIMEOUT: a channel switch and some reads of system memory */
#define CHANNEL_US	(100 * USEC_PER_MSEC)

/* The trial channel: the shortest page table, then a page with ring and pushbuffer. */
#define TRIAL_ID	1
#define TRIAL_REF	0x7e57ab1e
#define TRIAL_FLUSHED	0x7e57ab1f
#define TABLE_BYTES	SZ_64K
#define RING_VA		SZ_64K
#define RING_ORDER	3
#define SEGMENT		SZ_2K	/* offset in the page */

/* The format has this size; the trial writes and uses the first entries. */
#define MEDIUM_BYTES	SZ_256K

struct trial {
	struct nvfifo_device *ndev;
	struct nvfifo_inst inst;	/* channel structure */
	struct nvfifo_inst table;	/* page table in VRAM */
	struct nvfifo_inst page;	/* with ring and pushbuffer, if @medium */
	void *mem;			/* page table, if not in VRAM, and the page */
	dma_addr_t dma;
	bool in_vram;	/* page table */
	bool medium;	/* pages of 16 KiB; the page and its table are in VRAM */

	u32 last;	/* expected value of the reference counter */
	bool ran;
	bool flushed;	/* the card took WRCACHE_FLUSH */
};

/* Write an entry that the card does not read yet. */
static void write_entry(struct nvfifo_device *ndev, u64 addr, u64 val)
{
	nvfifo_vram_wr32(ndev, addr, lower_32_bits(val));
	nvfifo_vram_wr32(ndev, addr + 4, upper_32_bits(val));
}

static void write_table(struct trial *t)
{
	struct nvfifo_pte pte = {
		.present = true,
		.target = NVFIFO_TARGET_SYS_SNOOP,
		.address = t->dma + TABLE_BYTES,
	};
	u32 index = RING_VA >> 12;
	__le64 *entries = t->mem;

	if (t->medium) {
		pte.address = nvfifo_pte_vram(t->ndev, t->page.addr, &pte.target);
		index = RING_VA >> 14;
	} else if (!t->in_vram) {
		entries[index] = cpu_to_le64(nvfifo_pte_encode(&pte));
		return;
	}

	nvfifo_vram_fill(t->ndev, t->table.addr, t->medium ? SZ_4K : TABLE_BYTES, 0);
	write_entry(t->ndev, t->table.addr + index * 8, nvfifo_pte_encode(&pte));
}

/* Write words of the page with ring and pushbuffer. */
static void write_page(struct trial *t, u32 offset, const u32 *w, u32 count)
{
	__le32 *page = t->mem + TABLE_BYTES + offset;
	u32 i;

	for (i = 0; i < count; i++) {
		if (t->medium)
			nvfifo_vram_wr32(t->ndev, t->page.addr + offset + i * 4, w[i]);
		else
			page[i] = cpu_to_le32(w[i]);
	}
}

/* One IB entry, and a pushbuffer that sets the reference counter, flushes, and sets it again. */
static void write_ring(struct trial *t)
{
	const u32 words[] = {
		nvfifo_mthd(0, NVFIFO_MTHD_REF_CNT, 1), TRIAL_REF,
		nvfifo_mthd(0, NVFIFO_MTHD_WRCACHE_FLUSH, 1), 0,
		nvfifo_mthd(0, NVFIFO_MTHD_REF_CNT, 1), TRIAL_FLUSHED,
	};
	struct nvfifo_ib_entry entry = { .address = RING_VA + SEGMENT, .words = 2 };
	u32 w[2];

	t->last = TRIAL_REF;

	if (t->ndev->chip->g84 && !t->medium) {
		t->last = TRIAL_FLUSHED;
		entry.words = ARRAY_SIZE(words);
	}

	nvfifo_ib_encode(&entry, w);
	write_page(t, 0, w, ARRAY_SIZE(w));
	write_page(t, SEGMENT, words, entry.words);
}

static void write_structure(struct trial *t)
{
	const struct nvfifo_dmaobj push = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_READ, 0,
							   NVFIFO_VA_MASK);
	const struct nvfifo_ramfc fc = {
		.g84 = t->ndev->chip->g84,
		.ib = true,
		.inst = t->inst.addr,
		.push_offset = NVFIFO_OBJECTS,
		.ramht_offset = NVFIFO_CHAN_RAMHT,
		.ramht_bits = NVFIFO_RAMHT_BITS,
		.ib_address = RING_VA,
		.ib_order = RING_ORDER,
		.sli_mask = NVFIFO_SLI_MASK,
	};
	struct nvfifo_pde pde = {
		.address = t->dma,
		.target = NVFIFO_TARGET_SYS_SNOOP,
		.type = NVFIFO_PT_4K,
		.size = nvfifo_pt_size_for(TABLE_BYTES / 8),
	};
	u64 pd = t->inst.addr + (t->ndev->chip->g84 ? NVFIFO_G84_PD : NVFIFO_G80_PD);
	u32 w[NVFIFO_DMAOBJ_WORDS], i;

	if (t->in_vram) {
		pde.address = t->table.addr;
		pde.target = NVFIFO_TARGET_VRAM;
	}

	if (t->medium) {
		pde.type = NVFIFO_PT_16K;
		pde.size = 0;
	}

	nvfifo_chan_structure(t->ndev, &fc);
	nvfifo_dmaobj_encode(&push, w);

	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
		nvfifo_vram_wr32(t->ndev, t->inst.addr + NVFIFO_OBJECTS + i * 4, w[i]);

	write_entry(t->ndev, pd, nvfifo_pde_encode(&pde));
}

static bool ref_is_last(struct nvfifo_device *ndev, void *data)
{
	const struct trial *t = data;

	return nvfifo_rd32(ndev, nvfifo_user(TRIAL_ID, NV_USER_REF)) == t->last;
}

/* Let the channel run, and clear PFIFO and the fault record. Return: 0, -EIO or -ENODEV. */
static int run_channel(struct trial *t)
{
	struct nvfifo_device *ndev = t->ndev;
	u32 entry = nvfifo_chan_table(ndev->chip->g84, t->inst.addr, NVFIFO_TARGET_VRAM);
	u64 playlist = nvfifo_fifo_playlist(ndev);
	u32 ref;

	nvfifo_vram_wr32(ndev, playlist, TRIAL_ID);

	if (nvfifo_bar_flush(ndev) || nvfifo_tlb_flush(ndev, NVFIFO_VM_PFIFO))
		return nvfifo_check_wedged(ndev);

	nvfifo_wr32(ndev, NV_REG_AT(NV_PFIFO_CHAN_TABLE, TRIAL_ID), entry);
	nvfifo_wr32(ndev, NV_REG_AT(NV_PFIFO_CHAN_TABLE, TRIAL_ID),
		    entry | NVFIFO_CHAN_TABLE_ENABLE);
	nvfifo_wr32(ndev, NV_CACHE1_PLAYLIST, nvfifo_chan_desc(playlist, NVFIFO_TARGET_VRAM));
	nvfifo_wr32(ndev, NV_CACHE1_PLAYLIST_LEN, 1);
	nvfifo_wr32(ndev, nvfifo_user(TRIAL_ID, NV_USER_IB_PUT), 1);
	nvfifo_poll(ndev, CHANNEL_US, ref_is_last, t);

	ref = nvfifo_rd32(ndev, nvfifo_user(TRIAL_ID, NV_USER_REF));
	t->ran = ref == TRIAL_REF || ref == t->last;
	t->flushed = ref == TRIAL_FLUSHED;

	nvfifo_fifo_hw_init(ndev);
	nvfifo_wr32(ndev, NV_PFB_VM_FAULT, ndev->chip->vm_fault_enable |
					   NV_FLD_MASK(NV_PFB_VM_FAULT__PENDING));

	return nvfifo_tlb_flush(ndev, NVFIFO_VM_PFIFO);
}

/* Run a channel as @in_vram and @medium of @t say. Return: 0, or an errno of nvfifo_trial_run(). */
static int try_channel(struct trial *t)
{
	struct nvfifo_device *ndev = t->ndev;
	const u32 bytes = TABLE_BYTES + SZ_4K;
	u32 table_bytes = t->medium ? MEDIUM_BYTES : TABLE_BYTES;
	int ret;

	t->mem = dma_alloc_coherent(&ndev->pdev->dev, bytes, &t->dma, GFP_KERNEL | __GFP_ZERO);
	if (!t->mem)
		return -ENOMEM;

	ret = nvfifo_inst_alloc(ndev, &t->inst, NVFIFO_CHAN_BYTES, SZ_4K);
	if (!ret && t->in_vram)
		ret = nvfifo_inst_alloc(ndev, &t->table, table_bytes, SZ_4K);
	if (!ret && t->medium)
		ret = nvfifo_inst_alloc(ndev, &t->page, SZ_16K, SZ_16K);
	if (!ret) {
		write_table(t);
		write_ring(t);
		write_structure(t);
		ret = run_channel(t);
	}

	nvfifo_inst_free(ndev, &t->page);
	nvfifo_inst_free(ndev, &t->table);
	nvfifo_inst_free(ndev, &t->inst);
	dma_free_coherent(&ndev->pdev->dev, bytes, t->mem, t->dma);

	return ret;
}

/*
 * Find memory for page tables that the card can read, and try WRCACHE_FLUSH. Return: 0, or -EIO,
 * -ENODEV, -ENOMEM or -ENOSPC.
 */
static int find_tables(struct nvfifo_device *ndev)
{
	struct trial t = { .ndev = ndev };
	int ret;

	ret = try_channel(&t);
	if (ret)
		return ret;

	if (!t.ran) {
		t = (struct trial){ .ndev = ndev, .in_vram = true };
		ret = try_channel(&t);
		nvfifo_mem_set_tables(ndev, t.ran);
	}

	if (ret)
		return ret;

	nvfifo_fifo_set_wrcache_flush(ndev, t.flushed);

	if (t.ran && !t.flushed && ndev->chip->g84)
		drm_info(&ndev->drm, "fences without WRCACHE_FLUSH, which PFIFO refuses\n");

	if (!t.ran)
		drm_warn(&ndev->drm,
			 "PFIFO did not run a trial channel, with its page table in system memory or VRAM\n");

	return 0;
}

/* Find out whether the MMU has pages of 16 KiB. Return: as find_tables(). */
static int find_medium_pages(struct nvfifo_device *ndev)
{
	struct trial t = { .ndev = ndev, .in_vram = true, .medium = true };
	int ret;

	ret = try_channel(&t);
	if (ret)
		return ret;

	nvfifo_mem_set_medium_pages(ndev, t.ran);

	if (!t.ran)
		drm_info(&ndev->drm, "no pages of 16 KiB, as a trial channel did not run with one\n");

	return 0;
}

/**
 * nvfifo_trial_run() - Find by trials the facts that no source settles
 * @ndev: the device, with PFIFO set up and its interrupts off in PMC
 *
 * Return: 0, or -EIO or -ENODEV if the card got stuck or lost, -ENOMEM or -ENOSPC.
 */
int nvfifo_trial_run(struct nvfifo_device *ndev)
{
	const char *tables = "system memory", *background = "no";
	bool has_medium = ndev->chip->chip >= NV_CHIP_GT215;
	int ret = 0;

	nvfifo_tlb_set_background(ndev, ndev->chip->g84 && flush_background > 0);

	if (ndev->chip->g84 && flush_background < 0)
		ret = nvfifo_tlb_try_background(ndev);
	if (ret)
		return nvfifo_card_err(ndev, ret,
				       "the trial of a TLB flush did harm; load with flush_background=0");

	nvfifo_mem_set_tables(ndev, vram_tables > 0);

	if (vram_tables < 0)
		ret = find_tables(ndev);
	if (ret)
		return ret;

	nvfifo_mem_set_medium_pages(ndev, has_medium && medium_pages > 0);

	if (has_medium && medium_pages < 0)
		ret = find_medium_pages(ndev);
	if (ret)
		return ret;

	if (nvfifo_mem_has_tables(ndev))
		tables = "VRAM";

	if (nvfifo_tlb_background(ndev))
		background = "its own";

	drm_info(&ndev->drm, "page tables in %s, %s TLB flush for background semaphore reads\n",
		 tables, background);

	return 0;
}
