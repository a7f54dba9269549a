// SPDX-License-Identifier: GPL-2.0-only
/*
 * The 14 chipsets and their PCI ids.
 *
 * Pure data. The ids are those that envytools or nouveau know; the low bits are straps of the
 * board, so others may exist. The kernel offers a card to the driver by its id. PMC_BOOT_0 decides
 * its chipset.
 */
#include <linux/module.h>

#include "nvfifo_drv.h"

/* Display controllers, never the HDMI audio function; probe looks at the subclass. */
#define ID(device) \
	{ PCI_DEVICE(PCI_VENDOR_ID_NVIDIA, (device)), .class = PCI_BASE_CLASS_DISPLAY << 16, \
	  .class_mask = 0xff0000 }

const struct pci_device_id nvfifo_pci_ids[] = {
	/* G80 */
	ID(0x0191), ID(0x0193), ID(0x0194), ID(0x0197), ID(0x019d), ID(0x019e),

	/* G84 */
	ID(0x0400), ID(0x0401), ID(0x0402), ID(0x0403), ID(0x0404), ID(0x0405),
	ID(0x0406), ID(0x0407), ID(0x0408), ID(0x0409), ID(0x040a), ID(0x040b),
	ID(0x040c), ID(0x040d), ID(0x040e), ID(0x040f),

	/* G86 */
	ID(0x0420), ID(0x0421), ID(0x0422), ID(0x0423), ID(0x0424), ID(0x0425),
	ID(0x0426), ID(0x0427), ID(0x0428), ID(0x0429), ID(0x042a), ID(0x042b),
	ID(0x042c), ID(0x042d), ID(0x042e), ID(0x042f),

	/* G92 */
	ID(0x0410), ID(0x0600), ID(0x0601), ID(0x0602), ID(0x0603), ID(0x0604),
	ID(0x0605), ID(0x0606), ID(0x0607), ID(0x0608), ID(0x0609), ID(0x060a),
	ID(0x060b), ID(0x060c), ID(0x060d), ID(0x060f), ID(0x0610), ID(0x0611),
	ID(0x0612), ID(0x0613), ID(0x0614), ID(0x0615), ID(0x0617), ID(0x0618),
	ID(0x0619), ID(0x061a), ID(0x061b), ID(0x061c), ID(0x061d), ID(0x061e),
	ID(0x061f),

	/* G94 */
	ID(0x0621), ID(0x0622), ID(0x0623), ID(0x0625), ID(0x0626), ID(0x0627),
	ID(0x0628), ID(0x062a), ID(0x062b), ID(0x062c), ID(0x062d), ID(0x062e),
	ID(0x0630), ID(0x0631), ID(0x0632), ID(0x0635), ID(0x0637), ID(0x0638),
	ID(0x063a),

	/* G96 */
	ID(0x0640), ID(0x0641), ID(0x0643), ID(0x0644), ID(0x0645), ID(0x0646),
	ID(0x0647), ID(0x0648), ID(0x0649), ID(0x064a), ID(0x064b), ID(0x064c),
	ID(0x0651), ID(0x0652), ID(0x0653), ID(0x0654), ID(0x0655), ID(0x0656),
	ID(0x0658), ID(0x0659), ID(0x065a), ID(0x065b), ID(0x065c), ID(0x065f),

	/* G98 */
	ID(0x06e0), ID(0x06e1), ID(0x06e2), ID(0x06e3), ID(0x06e4), ID(0x06e5),
	ID(0x06e6), ID(0x06e7), ID(0x06e8), ID(0x06e9), ID(0x06ea), ID(0x06eb),
	ID(0x06ec), ID(0x06ef), ID(0x06f1), ID(0x06f8), ID(0x06f9), ID(0x06fa),
	ID(0x06fb), ID(0x06fd), ID(0x06ff),

	/* G200 */
	ID(0x05e0), ID(0x05e1), ID(0x05e2), ID(0x05e3), ID(0x05e6), ID(0x05e7),
	ID(0x05e9), ID(0x05ea), ID(0x05eb), ID(0x05ed), ID(0x05ee), ID(0x05ef),
	ID(0x05f8), ID(0x05f9), ID(0x05fd), ID(0x05fe), ID(0x05ff),

	/* MCP77 */
	ID(0x0840), ID(0x0844), ID(0x0845), ID(0x0846), ID(0x0847), ID(0x0848),
	ID(0x0849), ID(0x084a), ID(0x084b), ID(0x084c), ID(0x084d), ID(0x084f),

	/* MCP79 */
	ID(0x0860), ID(0x0861), ID(0x0862), ID(0x0863), ID(0x0864), ID(0x0865),
	ID(0x0866), ID(0x0867), ID(0x0868), ID(0x0869), ID(0x086a), ID(0x086c),
	ID(0x086d), ID(0x086e), ID(0x086f), ID(0x0870), ID(0x0871), ID(0x0872),
	ID(0x0873), ID(0x0874), ID(0x0876), ID(0x087a), ID(0x087d), ID(0x087e),
	ID(0x087f),

	/* GT215 */
	ID(0x0ca0), ID(0x0ca2), ID(0x0ca3), ID(0x0ca4), ID(0x0ca5), ID(0x0ca7),
	ID(0x0ca8), ID(0x0ca9), ID(0x0cac), ID(0x0caf), ID(0x0cb0), ID(0x0cb1),
	ID(0x0cbc),

	/* GT216 */
	ID(0x0a20), ID(0x0a22), ID(0x0a23), ID(0x0a26), ID(0x0a27), ID(0x0a28),
	ID(0x0a29), ID(0x0a2a), ID(0x0a2b), ID(0x0a2c), ID(0x0a2d), ID(0x0a32),
	ID(0x0a34), ID(0x0a35), ID(0x0a38), ID(0x0a3c),

	/* GT218 */
	ID(0x0a60), ID(0x0a62), ID(0x0a63), ID(0x0a64), ID(0x0a65), ID(0x0a66),
	ID(0x0a67), ID(0x0a68), ID(0x0a69), ID(0x0a6a), ID(0x0a6c), ID(0x0a6e),
	ID(0x0a6f), ID(0x0a70), ID(0x0a71), ID(0x0a72), ID(0x0a73), ID(0x0a74),
	ID(0x0a75), ID(0x0a76), ID(0x0a78), ID(0x0a7a), ID(0x0a7c), ID(0x10c0),
	ID(0x10c3), ID(0x10c5), ID(0x10d8),

	/* MCP89 */
	ID(0x08a0), ID(0x08a2), ID(0x08a3), ID(0x08a4), ID(0x08a5),
	{}
};
MODULE_DEVICE_TABLE(pci, nvfifo_pci_ids);

#define G80_ENGINES	(BIT(1) | BIT(2) | BIT(3) | BIT(4))
#define VP2_ENGINES	(BIT(1) | BIT(2) | BIT(4) | BIT(5) | BIT(6))
#define VP3_ENGINES	VP2_ENGINES
#define VP4_ENGINES	(BIT(1) | BIT(2) | BIT(3) | BIT(4) | BIT(6))

static const struct nvfifo_chip nvfifo_chips[] = {
#define DGPU .g84 = true, .gr_flush_idle = true, .vm_fault_enable = 0x001d07ff
	{ .id = 0x50, .chip = NV_CHIP_G80, .engines = G80_ENGINES, .vm_fault_enable = 0x000707ff },
	{ .id = 0x84, .chip = NV_CHIP_G84, DGPU, .engines = VP2_ENGINES },
	{ .id = 0x86, .chip = NV_CHIP_G86, DGPU, .engines = VP2_ENGINES },
	{ .id = 0x92, .chip = NV_CHIP_G92, DGPU, .engines = VP2_ENGINES },
	{ .id = 0x94, .chip = NV_CHIP_G94, DGPU, .engines = VP2_ENGINES, .msi_mmio = true },
	{ .id = 0x96, .chip = NV_CHIP_G96, DGPU, .engines = VP2_ENGINES, .msi_mmio = true },
	{ .id = 0x98, .chip = NV_CHIP_G98, DGPU, .engines = VP3_ENGINES, .msi_mmio = true },
	{ .id = 0xa0, .chip = NV_CHIP_G200, DGPU, .engines = VP2_ENGINES, .msi_mmio = true },
	{ .id = 0xaa, .chip = NV_CHIP_MCP77, DGPU, .engines = VP3_ENGINES, .msi_mmio = true,
	  .igp = true, .no_msi = true },
	{ .id = 0xac, .chip = NV_CHIP_MCP79, .g84 = true, .vm_fault_enable = 0x001d07ff,
	  .engines = VP3_ENGINES, .igp = true },
#undef DGPU

#define GT215 .g84 = true, .gr_flush_idle = true, .msi_mmio = true, \
	      .vm_fault_enable = 0x000d0fff
	{ .id = 0xa3, .chip = NV_CHIP_GT215, GT215, .engines = VP4_ENGINES },
	{ .id = 0xa5, .chip = NV_CHIP_GT216, GT215, .engines = VP4_ENGINES },
	{ .id = 0xa8, .chip = NV_CHIP_GT218, GT215, .engines = VP4_ENGINES },
#undef GT215

	{ .id = 0xaf, .chip = NV_CHIP_MCP89, .g84 = true, .gr_flush_idle = true, .msi_mmio = true,
	  .igp = true,
	  .engines = VP4_ENGINES | BIT(5), .vm_fault_enable = 0x089d1fff },
};

/**
 * nvfifo_chip_find() - Find the chipset of a PMC_BOOT_0 value
 * @boot_0: the value
 *
 * Return: the chipset, NULL if it is none of this family.
 */
const struct nvfifo_chip *nvfifo_chip_find(u32 boot_0)
{
	u32 id = NV_FLD_GET(NV_PMC_BOOT_0__CHIPSET, boot_0);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nvfifo_chips); i++)
		if (nvfifo_chips[i].id == id)
			return &nvfifo_chips[i];

	return NULL;
}

#define CHIPS(first, last)	GENMASK(last, first)
#define ALL			CHIPS(NV_CHIP_G80, NV_CHIP_MCP89)
#define VP2			(CHIPS(NV_CHIP_G84, NV_CHIP_G96) | BIT(NV_CHIP_G200))
#define VP3			(BIT(NV_CHIP_G98) | CHIPS(NV_CHIP_MCP77, NV_CHIP_MCP79))
#define VP4			CHIPS(NV_CHIP_GT215, NV_CHIP_MCP89)

/* By class: PFIFO engine, VM engine, chips */
static const struct nvfifo_class nvfifo_classes[] = {
	{ 0x0030, 1, NVFIFO_VM_PGRAPH, ALL },			/* NULL */
	{ 0x502d, 1, NVFIFO_VM_PGRAPH, ALL },			/* 2D */
	{ 0x5039, 1, NVFIFO_VM_PGRAPH, ALL },			/* M2MF */
	{ 0x5097, 1, NVFIFO_VM_PGRAPH, CHIPS(NV_CHIP_G80, NV_CHIP_G98) },	/* 3D */
	{ 0x8297, 1, NVFIFO_VM_PGRAPH, CHIPS(NV_CHIP_G84, NV_CHIP_G98) },
	{ 0x8397, 1, NVFIFO_VM_PGRAPH, CHIPS(NV_CHIP_G200, NV_CHIP_MCP79) },
	{ 0x8597, 1, NVFIFO_VM_PGRAPH, CHIPS(NV_CHIP_GT215, NV_CHIP_GT218) },
	{ 0x8697, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_MCP89) },
	{ 0x50c0, 1, NVFIFO_VM_PGRAPH, ALL },			/* compute */
	{ 0x85c0, 1, NVFIFO_VM_PGRAPH, VP4 },

	/* The 2D classes from before NV50 that G80 still has */
	{ 0x0012, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* beta factor */
	{ 0x0019, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* clip rectangle */
	{ 0x0043, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* raster operation */
	{ 0x0044, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* pattern */
	{ 0x004a, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* rectangles and text */
	{ 0x0057, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* colour key */
	{ 0x005d, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* triangle */
	{ 0x005f, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* blit */
	{ 0x0072, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* beta4 factor */
	{ 0x305c, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* line */
	{ 0x3064, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* indexed image from CPU */
	{ 0x3066, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* stretched image from CPU */
	{ 0x307b, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* texture from CPU */
	{ 0x308a, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* image from CPU */
	{ 0x5062, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* 2D surfaces */
	{ 0x5089, 1, NVFIFO_VM_PGRAPH, BIT(NV_CHIP_G80) },	/* scaled image */

	/* Video, copy and encryption */
	{ 0x3174, 2, NVFIFO_VM_PMPEG, BIT(NV_CHIP_G80) },	/* MPEG */
	{ 0x8274, 2, NVFIFO_VM_PMPEG, VP2 },
	{ 0x88b3, 2, NVFIFO_VM_PMPEG, VP3 },			/* PPPP */
	{ 0x85b3, 2, NVFIFO_VM_PMPEG, VP4 },

	{ 0x4075, 3, NVFIFO_VM_PME, BIT(NV_CHIP_G80) },		/* motion estimation */
	{ 0x85b5, 3, NVFIFO_VM_PCOPY, VP4 },			/* PCOPY */

	{ 0x4176, 4, NVFIFO_VM_PVP, BIT(NV_CHIP_G80) },		/* VP1 */
	{ 0x7476, 4, NVFIFO_VM_PVP, VP2 },			/* VP2 */
	{ 0x88b2, 4, NVFIFO_VM_PVP, VP3 },			/* PPDEC */
	{ 0x85b2, 4, NVFIFO_VM_PVP, VP4 },

	{ 0x74c1, 5, NVFIFO_VM_PCIPHER, VP2 },			/* PCIPHER */
	{ 0x88b4, 5, NVFIFO_VM_PCIPHER, VP3 },			/* PSEC */

	{ 0x74b0, 6, NVFIFO_VM_PBSP, VP2 },			/* BSP */
	{ 0x88b1, 6, NVFIFO_VM_PBSP, VP3 },			/* PVLD */
	{ 0x85b1, 6, NVFIFO_VM_PBSP, CHIPS(NV_CHIP_GT215, NV_CHIP_GT218) },
	{ 0x86b1, 6, NVFIFO_VM_PBSP, BIT(NV_CHIP_MCP89) },
};

/**
 * nvfifo_class_find() - Find the engine of a class
 * @chip: chipset
 * @oclass: class
 *
 * Return: the class, NULL if no engine of the chipset has it.
 */
const struct nvfifo_class *nvfifo_class_find(const struct nvfifo_chip *chip, u32 oclass)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(nvfifo_classes); i++)
		if (nvfifo_classes[i].oclass == oclass && nvfifo_classes[i].chips & BIT(chip->chip))
			return &nvfifo_classes[i];

	return NULL;
}
