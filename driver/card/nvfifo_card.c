// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Starting the card
 *
 * The hardware sets the order at probe. The driver first checks the byte order, the chipset, and
 * that the VBIOS scripts have run. Then it turns interrupts off, takes all units out of reset and
 * starts PTIMER. Other files start memory, PFIFO and interrupts afterwards.
 *
 * The kernel offers a card to the driver by its PCI id. PMC_BOOT_0 decides its chipset.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "card/nvfifo_card.h"
#include "nvfifo_drv.h"
#include "nvfifo_pci_table.h"
#include "card/nvfifo_hw.h"

static bool posted;
module_param(posted, bool, 0444);
MODULE_PARM_DESC(posted, "Take a card as set up although its VGA registers are empty, as after EFI (default: refuse it)");

/* CRTC registers that are not zero after a VBIOS has run. */
#define CRTC_HORIZONTAL_TOTAL	0x00
#define CRTC_FORMAT_0		0x1a

/* PFIFO and all engines, which access memory. nouveau resets each of them, but not PMEDIA. */
#define ENGINES	(NV_FLD_MASK(NV_PMC_ENABLE__PVPE) | \
		 NV_FLD_MASK(NV_PMC_ENABLE__PFIFO) | NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH) | \
		 NV_FLD_MASK(NV_PMC_ENABLE__PCOPY) | NV_FLD_MASK(NV_PMC_ENABLE__PCRYPT) | \
		 NV_FLD_MASK(NV_PMC_ENABLE__PBSP) | NV_FLD_MASK(NV_PMC_ENABLE__PVP) | \
		 NV_FLD_MASK(NV_PMC_ENABLE__PGRAPH_CTXSW) | \
		 NV_FLD_MASK(NV_PMC_ENABLE__PMPEG_CTXSW) | \
		 NV_FLD_MASK(NV_PMC_ENABLE__PCOPY_CTXSW) | \
		 NV_FLD_MASK(NV_PMC_ENABLE__PVP_CTXSW) | \
		 NV_FLD_MASK(NV_PMC_ENABLE__PCRYPT_CTXSW) | \
		 NV_FLD_MASK(NV_PMC_ENABLE__PBSP_CTXSW))

/* Straps of the crystal's frequency, as nouveau reads them. */
#define STRAP_CRYSTAL	0x00400040

/*
 * Does the kernel copy memory on its way to the card (swiotlb)? It does so without an IOMMU where
 * memory lies above the card's addresses or is encrypted. A buffer is mapped once, so the card
 * would not see later writes of a client.
 */
static int check_dma(struct nvfifo_device *ndev)
{
	struct device *dev = &ndev->pdev->dev;
	bool is_copied = dma_addressing_limited(dev);
	struct page *page = alloc_page(GFP_KERNEL);
	dma_addr_t addr;

	if (!page)
		return -ENOMEM;

	addr = dma_map_page(dev, page, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, addr)) {
		__free_page(page);
		return -ENOMEM;
	}

	is_copied |= dma_need_sync(dev, addr);
	dma_unmap_page(dev, addr, PAGE_SIZE, DMA_BIDIRECTIONAL);
	__free_page(page);

	if (is_copied)
		return nvfifo_card_err(ndev, -EIO,
				       "the kernel copies memory on its way to the card (swiotlb); switch an IOMMU on");

	return 0;
}

/**
 * nvfifo_card_map() - Enable the PCI device and map its registers
 * @ndev: the device
 *
 * Devres undoes it when the driver is unbound.
 *
 * Return: 0, -ENODEV, -EIO, -ENOMEM or an errno of the PCI core.
 */
int nvfifo_card_map(struct nvfifo_device *ndev)
{
	struct pci_dev *pdev = ndev->pdev;
	int ret;

	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;

	ret = pcim_request_all_regions(pdev, NVFIFO_NAME);
	if (ret)
		return ret;

	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(NVFIFO_VA_BITS));
	if (ret)
		return ret;

	/* Each page gets a PTE of its own, so segments may have any size. */
	dma_set_max_seg_size(&pdev->dev, UINT_MAX);

	ret = check_dma(ndev);
	if (ret)
		return ret;

	if (pci_resource_len(pdev, 0) < NV_BAR0_SIZE || !pci_resource_len(pdev, 1) ||
	    pci_resource_len(pdev, 3) < SZ_16M)
		return nvfifo_card_err(ndev, -ENODEV,
				       "BAR0, 1, 3 have %llu, %llu, %llu bytes; need 16 MiB, any, 16 MiB",
				       (u64)pci_resource_len(pdev, 0),
				       (u64)pci_resource_len(pdev, 1),
				       (u64)pci_resource_len(pdev, 3));

	ndev->hw.mmio = devm_ioremap(&pdev->dev, pci_resource_start(pdev, 0), NV_BAR0_SIZE);
	if (!ndev->hw.mmio)
		return -ENOMEM;

	return 0;
}

/* Check that the driver knows the card, and after a suspend that it is the same card. */
static int identify(struct nvfifo_device *ndev)
{
	const u32 big = NV_FLD_MASK(NV_PMC_ENDIAN__BIG_HIGH) | NV_FLD_MASK(NV_PMC_ENDIAN__BIG_LOW);
	u32 endian, boot_0;

	if (nvfifo_rd32(ndev, NV_PMC_BOOT_0) == ~0u)
		return nvfifo_card_err(ndev, -ENODEV,
				       "every register reads all ones: no card, or it is powered down");

	/*
	 * The driver writes little-endian words. Like nouveau, it treats every value but that of a
	 * big-endian card as a little-endian card without the switch.
	 */
	endian = nvfifo_rd32(ndev, NV_PMC_ENDIAN);
	if (endian == big) {
		nvfifo_wr32(ndev, NV_PMC_ENDIAN, big);
		nvfifo_rd32(ndev, NV_PMC_BOOT_0);
		endian = nvfifo_rd32(ndev, NV_PMC_ENDIAN);
	}

	if (endian == big)
		return nvfifo_card_err(ndev, -EIO,
				       "the card is in big-endian mode and stays in it: register 000004 is %08x",
				       endian);

	boot_0 = nvfifo_rd32(ndev, NV_PMC_BOOT_0);
	if (ndev->chip && boot_0 != ndev->boot_0)
		return nvfifo_card_err(ndev, -ENODEV,
				       "PMC_BOOT_0 is %08x and was %08x: another card",
				       boot_0, ndev->boot_0);

	ndev->boot_0 = boot_0;
	ndev->chip = nvfifo_chip_find(boot_0);
	if (!ndev->chip)
		return nvfifo_card_err(ndev, -ENODEV,
				       "PMC_BOOT_0 is %08x: chipset %03x is none of the NV50 family",
				       boot_0, (u32)NV_FLD_GET(NV_PMC_BOOT_0__CHIPSET, boot_0));

	return 0;
}

static u8 crtc_read(struct nvfifo_device *ndev, u8 index)
{
	iowrite8(index, ndev->hw.mmio + NV_PRMIO_CRTC_INDEX);

	return ioread8(ndev->hw.mmio + NV_PRMIO_CRTC_DATA);
}

/**
 * nvfifo_card_find_firmware_fb() - Find the firmware's frame buffer in the card's BAR1
 * @pdev: the card, before the driver requests its regions
 * @first: set to the first claimed byte of BAR1
 * @end: set to the end of the last claimed part
 *
 * A driver of the firmware's frame buffer, such as efifb or simpledrm, has claimed its memory. This
 * holds even where the firmware decodes no VGA, as EFI of a Mac does.
 *
 * Return: true if a part of BAR1 is claimed.
 */
bool nvfifo_card_find_firmware_fb(const struct pci_dev *pdev, u64 *first, u64 *end)
{
	const struct resource *bar = &pdev->resource[1], *part;

	for (part = bar->child; part; part = part->sibling) {
		if (part == bar->child)
			*first = part->start - bar->start;

		*end = part->end - bar->start + 1;
	}

	return bar->child;
}

/**
 * nvfifo_card_has_display() - Does the card have a display engine?
 * @ndev: the device
 *
 * No register of the G80 tells.
 *
 * Return: true if it has one.
 */
bool nvfifo_card_has_display(struct nvfifo_device *ndev)
{
	return !ndev->chip->g84 || NV_FLD_GET(NV_PBUS_HWUNITS_1__PDISPLAY,
					      nvfifo_rd32(ndev, NV_PBUS_HWUNITS_1));
}

/* Are the VGA registers of a card with a display unwritten? */
static bool crtc_is_empty(struct nvfifo_device *ndev)
{
	if (!nvfifo_card_has_display(ndev))
		return false;

	return !crtc_read(ndev, CRTC_HORIZONTAL_TOTAL) && !crtc_read(ndev, CRTC_FORMAT_0);
}

/*
 * Does the memory controller report memory? Its registers cannot be read while the unit is in
 * reset. nouveau does not read MEM_AMOUNT on IGPs, so no source says whether it counts stolen
 * memory.
 */
static bool has_memory(struct nvfifo_device *ndev)
{
	if (!NV_FLD_GET(NV_PMC_ENABLE__PFB, nvfifo_rd32(ndev, NV_PMC_ENABLE)))
		return false;

	if (ndev->chip->igp)
		return nvfifo_rd32(ndev, NV_PFB_FAKEFB_SIZE);

	return nvfifo_rd32(ndev, NV_PFB_MEM_AMOUNT);
}

/*
 * The memory controller, clocks and straps are the work of the VBIOS scripts. An EFI driver does
 * the same work, and need not write VGA registers. nouveau also treats such a card as not set up,
 * and runs the scripts.
 */
static int check_posted(struct nvfifo_device *ndev)
{
	/* A CRTC that was set up at probe, and is empty after a suspend, has lost its power. */
	if (nvfifo_phase(ndev) == NVFIFO_STARTING)
		ndev->crtc_unused = (posted || ndev->firmware_fb) && crtc_is_empty(ndev);

	if (!ndev->crtc_unused && crtc_is_empty(ndev))
		return nvfifo_card_err(ndev, -ENXIO,
				       "the card's VBIOS has not been run (the CRTC was never set up); boot with it as a graphics card first, or load with posted=1 if EFI has set it up");

	if (!has_memory(ndev))
		return nvfifo_card_err(ndev, -ENXIO,
				       "the card's VBIOS has not been run (the memory controller reports no memory); boot with it as a graphics card first");

	return 0;
}

/**
 * nvfifo_card_mask_units() - Mask the interrupts of units that the driver does not use
 * @ndev: the device, with these units out of reset
 *
 * PMC has no mask before GT215, so an interrupt that the firmware left on must be masked in its
 * unit. These are the registers that nouveau clears when it stops a unit (nv50_display_fini in
 * its first versions, nvkm_gpio_fini, nvkm_i2c_fini, nv04_timer_alarm_fini). PBUS masks those of
 * PTHERM.
 *
 * Nothing is acknowledged: a pending request of the display belongs to the driver that serves it.
 */
void nvfifo_card_mask_units(struct nvfifo_device *ndev)
{
	nvfifo_wr32(ndev, NV_PTIMER_INTR_EN, 0);

	if (nvfifo_card_has_display(ndev)) {
		nvfifo_wr32(ndev, NV_PDISPLAY_INTR_EN_0, 0);
		nvfifo_wr32(ndev, NV_PDISPLAY_INTR_EN_1, 0);
	}

	nvfifo_wr32(ndev, NV_PNVIO_GPIO_INTR_EN_0, 0);
	if (ndev->chip->chip < NV_CHIP_G94)
		return;

	nvfifo_wr32(ndev, NV_PNVIO_GPIO_INTR_EN_1, 0);
	if (ndev->chip->chip != NV_CHIP_G200)
		nvfifo_wr32(ndev, NV_PNVIO_AUXCH_INTR_EN, 0);
}

static bool daemon_is_idle(struct nvfifo_device *ndev, void *data)
{
	return !nvfifo_rd32(ndev, NV_PDAEMON_STATUS_BUSY);
}

/*
 * Reset PDAEMON, which stops its program. INTR_HOST passes it on the way to the host: in reset it
 * delivers no interrupt, and its program may have taken them all. nouveau resets it in the same
 * way before it loads its own program (gt215_pmu_init).
 */
static void daemon_reset(struct nvfifo_device *ndev)
{
	const u32 on = NV_FLD_MASK(NV_PUNK022_PDAEMON_ENABLE__ENABLE);

	/* TIMEOUT: the program may be in an access; nouveau waits as long, and then goes on */
	if (nvfifo_rd32(ndev, NV_PUNK022_PDAEMON_ENABLE) & on) {
		nvfifo_wr32(ndev, NV_PDAEMON_INTR_EN_CLR, 0xffff);
		nvfifo_poll(ndev, NVFIFO_TIMEOUT_US, daemon_is_idle, NULL);
	}

	nvfifo_mask(ndev, NV_PUNK022_PDAEMON_ENABLE, on, 0);
	nvfifo_mask(ndev, NV_PUNK022_PDAEMON_ENABLE, on, on);

	if (nvfifo_rd32(ndev, NV_PDAEMON_IREDIR_STATUS))
		nvfifo_wr32(ndev, NV_PDAEMON_IREDIR_TRIGGER,
			    NV_FLD_MASK(NV_PDAEMON_IREDIR_TRIGGER__HOST));
}

/*
 * Interrupts off, all units out of reset, faults reported.
 *
 * No source says which units the VBIOS leaves enabled in PMC.ENABLE. nouveau, pscnv and NVIDIA's
 * own driver write all ones. A kick on G80 cannot end while PME is in reset, whose bit is PVPE's.
 *
 * An engine may still run the work of an earlier driver, as after kexec. NVIDIA's driver resets the
 * units of bits 15:8, and nouveau each engine that it starts.
 */
static void units_init(struct nvfifo_device *ndev)
{
	nvfifo_wr32(ndev, NV_PMC_INTR_EN_HOST, 0);
	nvfifo_rd32(ndev, NV_PMC_INTR_EN_HOST);

	if (ndev->chip->chip >= NV_CHIP_GT215) {
		nvfifo_wr32(ndev, NV_PMC_INTR_EN_NRHOST, 0);
		daemon_reset(ndev);
	}

	/* Writes are posted. The reads keep the units in reset for as long as nouveau's do. */
	nvfifo_wr32(ndev, NV_PMC_ENABLE, ~ENGINES);
	nvfifo_rd32(ndev, NV_PMC_ENABLE);
	nvfifo_wr32(ndev, NV_PMC_ENABLE, ~0u);
	nvfifo_rd32(ndev, NV_PMC_ENABLE);
	nvfifo_card_mask_units(ndev);

	nvfifo_wr32(ndev, NV_PBUS_INTR, ~0u);
	nvfifo_wr32(ndev, NV_PBUS_INTR_EN, NV_FLD_MASK(NV_PBUS_INTR_EN__MMIO_FAULT));
	nvfifo_wr32(ndev, NV_PFB_VM_FAULT, ndev->chip->vm_fault_enable |
					   NV_FLD_MASK(NV_PFB_VM_FAULT__PENDING));

	if (nvfifo_rd32(ndev, NV_PMC_VRAM_HIDE_LOW) & NV_FLD_MASK(NV_PMC_VRAM_HIDE_LOW__ENABLE))
		nvfifo_wr32(ndev, NV_PMC_VRAM_HIDE_LOW, 0);
}

/**
 * nvfifo_card_reset_units() - Reset PFIFO and all engines, with all memory kept
 * @ndev: the device, with fifo_lock held and PFIFO stopped
 *
 * All units are in reset at the same time, so that none waits for an answer of another. PFB and
 * PTIMER are not reset.
 */
void nvfifo_card_reset_units(struct nvfifo_device *ndev)
{
	nvfifo_units_reset(ndev, ENGINES | NV_FLD_MASK(NV_PMC_ENABLE__PMEDIA));
	nvfifo_wr32(ndev, NV_PFB_VM_FAULT, ndev->chip->vm_fault_enable |
					   NV_FLD_MASK(NV_PFB_VM_FAULT__PENDING));
}

/*
 * Without extended tags a device may have at most 32 reads pending. nouveau then clears these bits
 * on G84 and later (nvkm/subdev/pci/g84.c), except on IGPs, which are not PCI Express devices. The
 * kernel enables extended tags, because every device on the path must support them.
 */
static void requests_limit(struct nvfifo_device *ndev)
{
	u16 control = 0;

	if (!ndev->chip->g84 || !pci_is_pcie(ndev->pdev))
		return;

	pcie_capability_read_word(ndev->pdev, PCI_EXP_DEVCTL, &control);
	if (!(control & PCI_EXP_DEVCTL_EXT_TAG))
		nvfifo_mask(ndev, NV_PPCI_REQUESTS, NV_FLD_MASK(NV_PPCI_REQUESTS__BEYOND_32), 0);
}

/*
 * Settings with which PTIMER ticks every 32 ns. Its rate is crystal * (source + 1) * mul / div. The
 * values are those that nouveau computes for its four crystals (nv41_timer_init).
 */
static const struct timer_clock {
	u32 strap;	/* NV_PSTRAPS_STRAPS_PRIMARY & STRAP_CRYSTAL */
	u32 source, div, mul;
} timer_clocks[] = {
	{ 0x00000000, 4, 54, 25 },	/* 13.5 MHz * 5 * 25 / 54 */
	{ 0x00000040, 4, 7159, 3125 },	/* 14.318 MHz */
	{ 0x00400000, 2, 324, 125 },	/* 27 MHz */
	{ 0x00400040, 2, 12, 5 },	/* 25 MHz */
};

static bool timer_has_moved(struct nvfifo_device *ndev, void *data)
{
	const u32 *first = data;

	return nvfifo_rd32(ndev, NV_PTIMER_TIME_LOW) != *first;
}

/* TIMEOUT: the timer counts in steps of 32 ns, even at a wrong clock */
static bool timer_counts(struct nvfifo_device *ndev)
{
	u32 first = nvfifo_rd32(ndev, NV_PTIMER_TIME_LOW);

	return !nvfifo_poll(ndev, USEC_PER_MSEC, timer_has_moved, &first);
}

/**
 * nvfifo_timer_start() - Make PTIMER count nanoseconds
 * @ndev: the device
 *
 * No source says whether PTIMER runs after POST, and at which rate. nouveau always programs it.
 * Releases of semaphores and queries store its time.
 *
 * Return: 0, or -ENXIO with a message if it does not count.
 */
int nvfifo_timer_start(struct nvfifo_device *ndev)
{
	u32 strap = nvfifo_rd32(ndev, NV_PSTRAPS_STRAPS_PRIMARY) & STRAP_CRYSTAL;
	const struct timer_clock *clock = timer_clocks;
	bool counted = timer_counts(ndev);

	while (clock->strap != strap)
		clock++;

	nvfifo_wr32(ndev, NV_PTIMER_CLOCK_SOURCE, clock->source);
	nvfifo_wr32(ndev, NV_PTIMER_CLOCK_DIV, clock->div);
	nvfifo_wr32(ndev, NV_PTIMER_CLOCK_MUL, clock->mul);

	if (!timer_counts(ndev))
		return nvfifo_card_err(ndev, -ENXIO,
				       "PTIMER stands still at %08x: the card is not set up",
				       nvfifo_rd32(ndev, NV_PTIMER_TIME_LOW));

	if (!counted)
		drm_info(&ndev->drm, "PTIMER stood still and was started, crystal strap %08x\n",
			 strap);

	return 0;
}

/**
 * nvfifo_timer_read() - Read PTIMER's time
 * @ndev: the device
 *
 * Context: Inside CLASS(nvfifo_enter).
 *
 * Return: ns, in steps of 32; undefined if the card is lost.
 */
u64 nvfifo_timer_read(struct nvfifo_device *ndev)
{
	u32 high = nvfifo_rd32(ndev, NV_PTIMER_TIME_HIGH), low, before;
	unsigned int i;

	/* The low half wraps every 4.3 s, so it cannot wrap twice in a row. */
	for (i = 0; i < 2; i++) {
		before = high;
		low = nvfifo_rd32(ndev, NV_PTIMER_TIME_LOW);
		high = nvfifo_rd32(ndev, NV_PTIMER_TIME_HIGH);
		if (high == before)
			break;
	}

	return (u64)high << 32 | low;
}

/**
 * nvfifo_timer_intr() - Switch the alarm off, and acknowledge it
 * @ndev: the device
 */
void nvfifo_timer_intr(struct nvfifo_device *ndev)
{
	nvfifo_wr32(ndev, NV_PTIMER_INTR_EN, 0);
	nvfifo_wr32(ndev, NV_PTIMER_INTR, NV_FLD_MASK(NV_PTIMER_INTR__ALARM));
}

/**
 * nvfifo_card_start() - Start the card, so that its memory can be set up
 * @ndev: the device
 *
 * Runs at probe, and after a suspend. The card must be the same then.
 *
 * Return: 0, or -ENODEV, -EIO or -ENXIO with a message.
 */
int nvfifo_card_start(struct nvfifo_device *ndev)
{
	int ret = identify(ndev);

	if (ret)
		return ret;

	ret = check_posted(ndev);
	if (ret)
		return ret;

	units_init(ndev);
	requests_limit(ndev);

	/* Channels of an earlier driver must not access memory once bus mastering is on. */
	nvfifo_halt(ndev);
	pci_set_master(ndev->pdev);

	return nvfifo_timer_start(ndev);
}

/* --- PCI ids -------------------------------------------------------------- */

/* Display controllers, never the HDMI audio function; probe looks at the subclass. */
#define ID(chip, device) \
	{ PCI_DEVICE(PCI_VENDOR_ID_NVIDIA, device), .class = PCI_BASE_CLASS_DISPLAY << 16, \
	  .class_mask = 0xff0000 },

const struct pci_device_id nvfifo_pci_ids[] = {
	NVFIFO_PCI_IDS(ID)
	{}
};
MODULE_DEVICE_TABLE(pci, nvfifo_pci_ids);
