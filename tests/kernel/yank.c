// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes the driver off a card during a system sleep, as hot-plug does with a card that was pulled
 * out: the devices are resumed again, the card's is not, and user space and freezable work queues
 * are still frozen. No program can do so, because programs are frozen as well.
 *
 *	insmod nvfifo_yank.ko slot=0000:00:00.0
 *
 * It acts once, in the next sleep.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/pm.h>

#define NAME "nvfifo-yank"

static char *slot;
module_param(slot, charp, 0444);
MODULE_PARM_DESC(slot, "Address of the card on the PCI bus");

static struct platform_device *yank;
static struct device *card;

static int yank_resume_early(struct device *dev)
{
	if (card->driver)
		device_release_driver(card);

	return 0;
}

static const struct dev_pm_ops yank_pm_ops = {
	.resume_early = pm_sleep_ptr(yank_resume_early),
};

static struct platform_driver yank_driver = {
	.driver.name = NAME,
	.driver.pm = pm_sleep_ptr(&yank_pm_ops),
};

static int __init yank_init(void)
{
	int ret;

	if (!slot)
		return -EINVAL;

	card = bus_find_device_by_name(&pci_bus_type, NULL, slot);
	if (!card)
		return -ENODEV;

	ret = platform_driver_register(&yank_driver);
	if (ret)
		goto err_card;

	yank = platform_device_register_simple(NAME, PLATFORM_DEVID_NONE, NULL, 0);
	ret = PTR_ERR_OR_ZERO(yank);
	if (ret)
		goto err_driver;

	return 0;

err_driver:
	platform_driver_unregister(&yank_driver);
err_card:
	put_device(card);

	return ret;
}
module_init(yank_init);

static void __exit yank_exit(void)
{
	platform_device_unregister(yank);
	platform_driver_unregister(&yank_driver);
	put_device(card);
}
module_exit(yank_exit);

MODULE_DESCRIPTION("Removal of a card during a system sleep, for tests");
MODULE_LICENSE("GPL");
