// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Facts about the 14 chipsets, and about the classes of their engines. Pure data.
 */
#include "nvfifo_chip.h"
#include "nvfifo_class_table.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* Bit n for PFIFO's engine n */
#define G80_ENGINES	(1 << 1 | 1 << 2 | 1 << 3 | 1 << 4)
#define VP2_ENGINES	(1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 6)
#define VP3_ENGINES	VP2_ENGINES
#define VP4_ENGINES	(1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 6)

static const struct nvfifo_chip nvfifo_chips[] = {
#define G84_COMMON .g84 = true, .gr_flush_idle = true, .vm_fault_enable = 0x001d07ff
	{ .id = 0x50, .chip = NV_CHIP_G80, .engines = G80_ENGINES, .vm_fault_enable = 0x000707ff },
	{ .id = 0x84, .chip = NV_CHIP_G84, G84_COMMON, .engines = VP2_ENGINES },
	{ .id = 0x86, .chip = NV_CHIP_G86, G84_COMMON, .engines = VP2_ENGINES },
	{ .id = 0x92, .chip = NV_CHIP_G92, G84_COMMON, .engines = VP2_ENGINES },
	{ .id = 0x94, .chip = NV_CHIP_G94, G84_COMMON, .engines = VP2_ENGINES, .msi_mmio = true },
	{ .id = 0x96, .chip = NV_CHIP_G96, G84_COMMON, .engines = VP2_ENGINES, .msi_mmio = true },
	{ .id = 0x98, .chip = NV_CHIP_G98, G84_COMMON, .engines = VP3_ENGINES, .msi_mmio = true },
	{ .id = 0xa0, .chip = NV_CHIP_G200, G84_COMMON, .engines = VP2_ENGINES, .msi_mmio = true },
	{ .id = 0xaa, .chip = NV_CHIP_MCP77, G84_COMMON, .engines = VP3_ENGINES, .msi_mmio = true,
	  .igp = true, .no_msi = true },
	{ .id = 0xac, .chip = NV_CHIP_MCP79, .g84 = true, .vm_fault_enable = 0x001d07ff,
	  .engines = VP3_ENGINES, .igp = true },
#undef G84_COMMON

#define GT215 .g84 = true, .gr_flush_idle = true, .msi_mmio = true, \
	      .vm_fault_enable = 0x000d0fff
	{ .id = 0xa3, .chip = NV_CHIP_GT215, GT215, .engines = VP4_ENGINES },
	{ .id = 0xa5, .chip = NV_CHIP_GT216, GT215, .engines = VP4_ENGINES },
	{ .id = 0xa8, .chip = NV_CHIP_GT218, GT215, .engines = VP4_ENGINES },
#undef GT215

	{ .id = 0xaf, .chip = NV_CHIP_MCP89, .g84 = true, .gr_flush_idle = true, .msi_mmio = true,
	  .igp = true,
	  .engines = VP4_ENGINES | 1 << 5, .vm_fault_enable = 0x089d1fff },
};

/**
 * nvfifo_chip_find() - Find the chipset of a PMC_BOOT_0 value
 * @boot_0: the value
 *
 * Return: the chipset, NULL if it is none of this family.
 */
const struct nvfifo_chip *nvfifo_chip_find(__u32 boot_0)
{
	const __u32 id = NV_FLD_GET(NV_PMC_BOOT_0__CHIPSET, boot_0);
	unsigned int i;

	for (i = 0; i < COUNT(nvfifo_chips); i++)
		if (nvfifo_chips[i].id == id)
			return &nvfifo_chips[i];

	return NULL;
}

static const struct nvfifo_class nvfifo_classes[] = {
#define CLASS(oclass, engine, vm_engine, chips, name) { oclass, engine, vm_engine, chips },
	NVFIFO_CLASSES(CLASS)
#undef CLASS
};

/**
 * nvfifo_class_find() - Find the engine of a class
 * @chip: chipset
 * @oclass: class
 *
 * Return: the class, NULL if no engine of the chipset has it.
 */
const struct nvfifo_class *nvfifo_class_find(const struct nvfifo_chip *chip, __u32 oclass)
{
	unsigned int i;

	for (i = 0; i < COUNT(nvfifo_classes); i++)
		if (nvfifo_classes[i].oclass == oclass && nvfifo_classes[i].engine &&
		    nvfifo_classes[i].chips >> chip->chip & 1)
			return &nvfifo_classes[i];

	return NULL;
}
