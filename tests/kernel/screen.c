// SPDX-License-Identifier: GPL-2.0-only
/*
 * Claims a part of a card's BAR1 as the firmware's frame buffer, as efifb does, until a driver of
 * the card takes it away. User Mode Linux has no firmware.
 *
 *	insmod nvfifo_screen.ko slot=0000:00:00.0 first=0x1400000 size=0x300000
 */
#include <linux/aperture.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>

static char *slot;
module_param(slot, charp, 0444);
MODULE_PARM_DESC(slot, "Address of the card on the PCI bus");

static ulong first, size;
module_param(first, ulong, 0444);
MODULE_PARM_DESC(first, "First byte in BAR1");
module_param(size, ulong, 0444);
MODULE_PARM_DESC(size, "Bytes");

/* The driver that takes the frame buffer away frees the device, so the module has no exit. */
static int __init screen_init(void)
{
	struct resource res = { .name = "nvfifo-screen", .flags = IORESOURCE_MEM };
	struct platform_device *screen;
	struct device *card;
	int ret;

	if (!slot || !size)
		return -EINVAL;

	card = bus_find_device_by_name(&pci_bus_type, NULL, slot);
	if (!card)
		return -ENODEV;

	res.start = pci_resource_start(to_pci_dev(card), 1) + first;
	res.end = res.start + size - 1;
	put_device(card);

	screen = platform_device_register_simple(res.name, PLATFORM_DEVID_NONE, &res, 1);
	if (IS_ERR(screen))
		return PTR_ERR(screen);

	ret = devm_aperture_acquire_for_platform_device(screen, res.start, size);
	if (ret)
		platform_device_unregister(screen);

	return ret;
}
module_init(screen_init);

MODULE_DESCRIPTION("A firmware's frame buffer in a card's BAR1, for tests");
MODULE_LICENSE("GPL");
