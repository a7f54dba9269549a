// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: The device
 *
 * A PCI driver that identifies the card, maps its BARs, sets up memory, PFIFO and interrupts, and
 * registers a DRM render node. Probe starts the card, memory, PFIFO and interrupts in this order.
 */
#include <linux/aperture.h>
#include <linux/compat.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/sched/mm.h>
#include <linux/vgaarb.h>

#include <drm/drm_drv.h>
#include <drm/drm_ioctl.h>

#include "card/nvfifo_hw.h"
#include "mem/nvfifo_bo.h"
#include "card/nvfifo_card.h"
#include "debug/nvfifo_dump.h"
#include "fifo/nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "fifo/nvfifo_sched.h"
#include "gr/nvfifo_gr.h"
#include "mem/nvfifo_mem.h"
#include "nvfifo_pusher.h"
#include "nvfifo_ramht.h"
#include "nvfifo_vm.h"

#define CREATE_TRACE_POINTS
#include "debug/nvfifo_trace.h"

static bool console;
module_param(console, bool, 0444);
MODULE_PARM_DESC(console, "Take over a card that is the boot console (default: refuse it)");

static u64 features(const struct nvfifo_device *ndev)
{
	u64 features = DRM_NVFIFO_FEATURE_LONG_CYCLE;

	if (ndev->chip->g84)
		features = DRM_NVFIFO_FEATURE_SEMAPHORE64 | DRM_NVFIFO_FEATURE_ENCRYPTION;
	if (nvfifo_mem_facts(ndev)->num_tags)
		features |= DRM_NVFIFO_FEATURE_COMPRESSION;
	if (ndev->chip->igp)
		features |= DRM_NVFIFO_FEATURE_IGP;
	if (!IS_ENABLED(CONFIG_UML))
		features |= DRM_NVFIFO_FEATURE_VRAM_MMAP;
	if (NVFIFO_USER_QUEUE)
		features |= DRM_NVFIFO_FEATURE_USER_QUEUE;
	if (ndev->irq.msi)
		features |= DRM_NVFIFO_FEATURE_MSI;

	return features;
}

static void query_device(struct nvfifo_device *ndev, struct drm_nvfifo_query_device *q)
{
	const struct nvfifo_mem_facts *memory = nvfifo_mem_facts(ndev);
	const struct nvfifo_chip *chip = ndev->chip;
	u64 vram_free;
	u32 tags_free;

	*q = (struct drm_nvfifo_query_device) {
		.chipset = chip->id,
		.boot_0 = ndev->boot_0,
		.vram_size = memory->vram_size,
		.va_start = NVFIFO_VA_START,
		.va_end = NVFIFO_VA_END,
		.page_sizes = SZ_4K | SZ_64K,
		.tags = memory->num_tags,
		.bar1_size = memory->bar1_size,
		.features = features(ndev),
		.engines = chip->engines,
		.bound_engines = nvfifo_bound_engines(ndev),
		.graph_units = memory->graph_units,
	};
	if (chip->chip >= NV_CHIP_GT215)
		q->page_sizes |= SZ_16K;

	strscpy(q->name, nvfifo_chipset_name(chip->id), sizeof(q->name));
	nvfifo_mem_free_amounts(ndev, &vram_free, &tags_free);
	q->vram_free = vram_free;
	q->tags_free = tags_free;
}

static void query_limits(struct nvfifo_device *ndev, struct drm_nvfifo_query_limits *limits)
{
	*limits = (struct drm_nvfifo_query_limits) {
		.channels = NVFIFO_CHAN_MAX - NVFIFO_CHAN_MIN + 1,
		.ring_order_min = NVFIFO_RING_ORDER_MIN,
		.ring_order_max = NVFIFO_RING_ORDER_MAX,
		.ring_order_default = NVFIFO_RING_ORDER_DEFAULT,
		.submit_entries = (1 << NVFIFO_RING_ORDER_MAX) - 2,
		.submit_words = NVFIFO_IB_WORDS_MAX,
		.submit_syncs = NVFIFO_MAX_SYNCS,
		.bind_ops = NVFIFO_MAX_BIND_OPS,
		.objects = NVFIFO_RAMHT_ENTRIES - 2,
		.label_size = NVFIFO_LABEL_MAX,
		.file_channels = NVFIFO_FILE_CHANNELS,
		.file_vms = NVFIFO_FILE_VMS,
		.file_bytes = nvfifo_file_max_bytes(ndev),
		.bind_bytes = NVFIFO_MAX_BIND_BYTES,
		.binds = NVFIFO_MAX_BINDS,
		.hang_limit_min = NVFIFO_HANG_LIMIT_MIN,
		.hang_limit_max = nvfifo_hang_limit_max(),
	};
}

static int query_time(struct nvfifo_device *ndev, struct drm_nvfifo_query_time *time)
{
	int ret;

	CLASS(nvfifo_enter, entered)(ndev);

	if (!entered.is_open)
		return -ENODEV;

	ret = nvfifo_check_wedged(ndev);
	if (ret)
		return ret;

	time->timer_ns = nvfifo_timer_read(ndev);
	time->monotonic_ns = ktime_get_ns();

	return 0;
}

static int nvfifo_ioctl_device_query(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_device_query *args = data;
	struct drm_nvfifo_query_device device = {};
	struct drm_nvfifo_query_limits limits = {};
	struct drm_nvfifo_query_time time = {};
	void __user *user = u64_to_user_ptr(args->pointer);
	const void *rec = &device;
	u32 size = sizeof(device);
	int ret;

	if (args->type == DRM_NVFIFO_QUERY_DEVICE) {
		query_device(ndev, &device);
	} else if (args->type == DRM_NVFIFO_QUERY_LIMITS) {
		query_limits(ndev, &limits);
		rec = &limits;
		size = sizeof(limits);
	} else if (args->type == DRM_NVFIFO_QUERY_TIME) {
		ret = query_time(ndev, &time);
		if (ret)
			return ret;

		rec = &time;
		size = sizeof(time);
	} else {
		return nvfifo_einval(ndev, "device_query.type %u is unknown", args->type);
	}

	/* The kernel clears user memory without checking for signals. */
	if (args->pointer && args->size > SZ_4K)
		return nvfifo_einval(ndev, "device_query.size %u is not in 0 to 4096", args->size);

	if (args->pointer && (copy_to_user(user, rec, min(size, args->size)) ||
			      (args->size > size &&
			       clear_user(user + size, args->size - size))))
		return nvfifo_fail(ndev, -EFAULT, "device_query.pointer %#llx cannot be written",
				   args->pointer);

	args->size = size;

	return 0;
}

static int nvfifo_open(struct drm_device *drm, struct drm_file *file)
{
	struct nvfifo_file *nfile;
	int ret = nvfifo_check_wedged(to_nvfifo(drm));

	if (ret)
		return ret;

	nfile = nvfifo_file_create();
	if (!nfile)
		return -ENOMEM;

	file->driver_priv = nfile;

	return 0;
}

static void nvfifo_postclose(struct drm_device *drm, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;

	nvfifo_chan_free_all(to_nvfifo(drm), nfile);
	nvfifo_vm_free_all(nfile);
	nvfifo_file_put(nfile);
}

/* Print the memory of a file, for /proc/<pid>/fdinfo. */
static void nvfifo_show_fdinfo(struct drm_printer *p, struct drm_file *file)
{
	static const char * const regions[] = { "system", "vram" };
	struct drm_memory_stats stats[ARRAY_SIZE(regions)] = {};
	struct drm_gem_object *obj;
	unsigned int i;
	int id;

	spin_lock(&file->table_lock);
	idr_for_each_entry(&file->object_idr, obj, id) {
		struct nvfifo_bo *bo = to_nvfifo_bo(obj);
		struct drm_memory_stats *s = &stats[bo->domain];

		*(obj->handle_count > 1 ? &s->shared : &s->private) += obj->size;
		if (bo->domain == DRM_NVFIFO_DOMAIN_VRAM || READ_ONCE(bo->shmem.sgt) ||
		    READ_ONCE(bo->pages))
			s->resident += obj->size;
	}

	spin_unlock(&file->table_lock);

	for (i = 0; i < ARRAY_SIZE(regions); i++)
		drm_print_memory_stats(p, &stats[i], DRM_GEM_OBJECT_RESIDENT, regions[i]);
}

/*
 * Calls that may use registers run inside CLASS(nvfifo_enter), for which the card's removal waits.
 * So they access no user memory there, and the removal ends their waits for work of the card.
 */
static const struct drm_ioctl_desc nvfifo_ioctls[] = {
	DRM_IOCTL_DEF_DRV(NVFIFO_DEVICE_QUERY, nvfifo_ioctl_device_query, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NVFIFO_BO_CREATE, nvfifo_ioctl_bo_create, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NVFIFO_BO_INFO, nvfifo_ioctl_bo_info, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NVFIFO_VM_CREATE, nvfifo_ioctl_vm_create, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NVFIFO_VM_DESTROY, nvfifo_ioctl_vm_destroy, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NVFIFO_VM_BIND, nvfifo_ioctl_vm_bind, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NVFIFO_CHANNEL_CREATE, nvfifo_ioctl_channel_create, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NVFIFO_CHANNEL_DESTROY, nvfifo_ioctl_channel_destroy, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NVFIFO_CHANNEL_QUERY, nvfifo_ioctl_channel_query, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NVFIFO_OBJECT_CREATE, nvfifo_ioctl_object_create, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NVFIFO_OBJECT_DESTROY, nvfifo_ioctl_object_destroy, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NVFIFO_SUBMIT, nvfifo_ioctl_submit, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NVFIFO_BO_LABEL, nvfifo_ioctl_bo_label, DRM_RENDER_ALLOW),
	DRM_IOCTL_DEF_DRV(NVFIFO_CHANNEL_WAIT, nvfifo_ioctl_channel_wait, DRM_RENDER_ALLOW),
};

/*
 * A program built for a newer driver passes longer structures. DRM truncates them, so the truncated
 * part must be zero.
 */
static int check_tail(struct nvfifo_device *ndev, unsigned int cmd, unsigned long arg)
{
	unsigned int nr = DRM_IOCTL_NR(cmd) - DRM_COMMAND_BASE;
	size_t known;
	int ret;

	if (nr >= ARRAY_SIZE(nvfifo_ioctls))
		return 0;

	nr = array_index_nospec(nr, ARRAY_SIZE(nvfifo_ioctls));
	known = _IOC_SIZE(nvfifo_ioctls[nr].cmd);
	if (_IOC_SIZE(cmd) <= known)
		return 0;

	ret = check_zeroed_user((void __user *)arg + known, _IOC_SIZE(cmd) - known);
	if (ret > 0)
		return 0;

	if (!ret)
		ret = -E2BIG;

	return nvfifo_fail(ndev, ret, "%s: what follows the first %zu bytes is not 0",
			   nvfifo_ioctls[nr].name, known);
}

static bool is_own_ioctl(unsigned int cmd)
{
	return DRM_IOCTL_NR(cmd) >= DRM_COMMAND_BASE && DRM_IOCTL_NR(cmd) < DRM_COMMAND_END;
}

static long nvfifo_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct drm_file *file = filp->private_data;
	int ret;

	if (is_own_ioctl(cmd)) {
		ret = check_tail(to_nvfifo(file->minor->dev), cmd, arg);
		if (ret)
			return ret;
	}

	return drm_ioctl(filp, cmd, arg);
}

#ifdef CONFIG_COMPAT
/* 32-bit programs share the driver's structures, but not all of DRM's. */
static long nvfifo_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	if (is_own_ioctl(cmd))
		return nvfifo_ioctl(filp, cmd, (unsigned long)compat_ptr(arg));

	return drm_compat_ioctl(filp, cmd, arg);
}
#else
#define nvfifo_compat_ioctl NULL
#endif

static const struct file_operations nvfifo_fops = {
	.owner = THIS_MODULE,
	.open = drm_open,
	.release = drm_release,
	.unlocked_ioctl = nvfifo_ioctl,
	.compat_ioctl = nvfifo_compat_ioctl,
	.mmap = drm_gem_mmap,
	.poll = drm_poll,
	.read = drm_read,
	.llseek = noop_llseek,
	.show_fdinfo = drm_show_fdinfo,
	.fop_flags = FOP_UNSIGNED_OFFSET,
};

/* Free the device's memory after its last reference. */
static void nvfifo_release(struct drm_device *drm)
{
	nvfifo_gr_release(to_nvfifo(drm));
	nvfifo_mem_release(drm);
}

static const struct drm_driver nvfifo_drm_driver = {
	.driver_features = DRIVER_GEM | DRIVER_RENDER | DRIVER_SYNCOBJ | DRIVER_SYNCOBJ_TIMELINE,
	.open = nvfifo_open,
	.postclose = nvfifo_postclose,
	.release = nvfifo_release,
	.ioctls = nvfifo_ioctls,
	.num_ioctls = ARRAY_SIZE(nvfifo_ioctls),
	.fops = &nvfifo_fops,
	.gem_create_object = nvfifo_gem_create_object,
	.gem_prime_import_sg_table = nvfifo_prime_import_sg_table,
	.show_fdinfo = nvfifo_show_fdinfo,
#ifdef CONFIG_DEBUG_FS
	.debugfs_init = nvfifo_debugfs_init,
#endif
	.name = NVFIFO_NAME,
	.desc = "NVIDIA NV50 family PFIFO",
#ifdef NVFIFO_HAVE_DRM_DRIVER_DATE
	.date = "20261121",
#endif
	.major = 0,
	.minor = 1,
};

static int take_console(struct nvfifo_device *ndev)
{
	struct pci_dev *pdev = ndev->pdev;
	u64 fb_first = 0, fb_end = 0;
	bool is_vga;
	u16 cmd;

	/*
	 * A BIOS shows its messages on the card that decodes legacy VGA, which the arbiter makes
	 * the default device. EFI may decode none: its frame buffer is a claimed part of BAR1.
	 */
	pci_read_config_word(pdev, PCI_COMMAND, &cmd);
	is_vga = pdev->class >> 8 == PCI_CLASS_DISPLAY_VGA && vga_default_device() == pdev &&
		 cmd & PCI_COMMAND_IO;
	ndev->firmware_fb = nvfifo_card_find_firmware_fb(pdev, &fb_first, &fb_end);

	if (!is_vga && !ndev->firmware_fb)
		return 0;

	if (!console)
		return nvfifo_card_err(ndev, -EBUSY,
				       "the card is the boot console; load with console=1 to take it away from the firmware's display");

	nvfifo_mem_keep_console(ndev, fb_first, fb_end);

	return aperture_remove_conflicting_pci_devices(pdev, NVFIFO_NAME);
}

static void mem_prepare(struct nvfifo_device *ndev)
{
	spin_lock_init(&ndev->mem.pmem_lock);
	mutex_init(&ndev->mem.flush_lock);
	init_rwsem(&ndev->mem.bars_lock);
	mutex_init(&ndev->mem.lock);
	mutex_init(&ndev->bar1.lock);
	INIT_LIST_HEAD(&ndev->bar1.windows);
	ndev->mem.pmem_base = ~0u;

	/* Tell lockdep that no allocation under the allocators' lock may wait for memory. */
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(&ndev->mem.lock);
	fs_reclaim_release(GFP_KERNEL);
}

/**
 * nvfifo_device_prepare() - Initialise locks, lists and work items, before the card is touched
 * @ndev: the device, zeroed
 */
void nvfifo_device_prepare(struct nvfifo_device *ndev)
{
	mutex_init(&ndev->engine_lock);
	mutex_init(&ndev->fifo_lock);
	init_waitqueue_head(&ndev->waiters);
	xa_init_flags(&ndev->fifo.chans, XA_FLAGS_ALLOC);

	ndev->hw.io = &nvfifo_card_io;
	spin_lock_init(&ndev->hw.lock);
	mutex_init(&ndev->mmu.lock);
	mutex_init(&ndev->clear.lock);
	mutex_init(&ndev->bos.lock);
	mutex_init(&ndev->vms.lock);
	INIT_LIST_HEAD(&ndev->bos.list);
	INIT_LIST_HEAD(&ndev->vms.list);
	INIT_LIST_HEAD(&ndev->pm.saved);
	mem_prepare(ndev);

	INIT_WORK(&ndev->hw.ban_work, nvfifo_chan_ban_work);
	INIT_WORK(&ndev->dump.work, nvfifo_dump_work);
	INIT_DELAYED_WORK(&ndev->watch.work, nvfifo_watch_work);
}

/* Function 1 of some cards is their sound device. */
static bool is_gpu(const struct pci_dev *pdev)
{
	const unsigned int class = pdev->class >> 8;

	if (PCI_FUNC(pdev->devfn))
		return false;

	return class == PCI_CLASS_DISPLAY_VGA || class == PCI_CLASS_DISPLAY_3D;
}

static void say_found(struct nvfifo_device *ndev)
{
	const char *memory = "VRAM", *interrupt = "INTx";

	if (ndev->chip->igp)
		memory = "stolen system memory";

	if (ndev->irq.msi)
		interrupt = "MSI";
	if (ndev->irq.polled)
		interrupt = "no interrupts";

	drm_info(&ndev->drm, "%s (PMC_BOOT_0 %08x), %llu MiB of %s, %s\n",
		 nvfifo_chipset_name(ndev->chip->id), ndev->boot_0,
		 nvfifo_mem_facts(ndev)->vram_size >> 20, memory, interrupt);
}

/* Start PFIFO and interrupts. Return: 0, or an errno. */
static int fifo_start(struct nvfifo_device *ndev)
{
	int ret = nvfifo_fifo_init(ndev);

	if (ret)
		return ret;

	ret = nvfifo_irq_init(ndev);
	if (ret)
		nvfifo_fifo_fini(ndev);

	return ret;
}

static int nvfifo_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct nvfifo_device *ndev;
	int ret;

	if (!is_gpu(pdev))
		return -ENODEV;

	ndev = devm_drm_dev_alloc(&pdev->dev, &nvfifo_drm_driver, struct nvfifo_device, drm);
	if (IS_ERR(ndev))
		return PTR_ERR(ndev);

	ndev->pdev = pdev;
	nvfifo_device_prepare(ndev);
	pci_set_drvdata(pdev, ndev);

	ret = take_console(ndev);
	if (ret)
		return ret;

	ret = nvfifo_card_map(ndev);
	if (ret)
		return ret;

	ret = nvfifo_card_start(ndev);
	if (ret)
		goto err_stop;

	ret = nvfifo_mem_init(ndev);
	if (ret)
		goto err_stop;

	ret = fifo_start(ndev);
	if (ret)
		goto err_mem;

	nvfifo_set_phase(ndev, NVFIFO_RUNNING);
	ret = drm_dev_register(&ndev->drm, 0);
	if (ret)
		goto err_fifo;

	say_found(ndev);

	return 0;

err_fifo:
	nvfifo_irq_fini(ndev);
	nvfifo_fifo_fini(ndev);
err_mem:
	nvfifo_mem_fini(ndev);
err_stop:
	cancel_work_sync(&ndev->hw.ban_work);
	pci_clear_master(pdev);

	return ret;
}

/*
 * Stop flushes for good: files may stay open, and free their address spaces later. Flushes that
 * have begun end first.
 */
static void nvfifo_detach(struct nvfifo_device *ndev)
{
	guard(mutex)(&ndev->fifo_lock);

	nvfifo_tlb_detach(ndev);
}

static void nvfifo_remove(struct pci_dev *pdev)
{
	struct nvfifo_device *ndev = pci_get_drvdata(pdev);

	/* A sleeping card that is removed without a resume was pulled out. */
	if (nvfifo_phase(ndev) == NVFIFO_ASLEEP)
		nvfifo_set_phase(ndev, NVFIFO_LOST);

	nvfifo_set_phase(ndev, NVFIFO_REMOVING);
	nvfifo_chan_wake_all(ndev);
	nvfifo_vm_wake_all(ndev);
	drm_dev_unplug(&ndev->drm);
	nvfifo_watch_stop(ndev);
	nvfifo_chan_stop_all(ndev);
	nvfifo_irq_fini(ndev);
	nvfifo_detach(ndev);
	nvfifo_chan_ban_all(ndev, -ENODEV);
	nvfifo_vm_cancel_all(ndev);
	nvfifo_pm_fini(ndev);
	cancel_work_sync(&ndev->hw.ban_work);
	nvfifo_clear_fini(ndev);
	nvfifo_chan_detach_all(ndev);
	nvfifo_bo_detach_all(ndev);
	nvfifo_fifo_fini(ndev);
	nvfifo_mem_fini(ndev);
	pci_clear_master(pdev);
}

/* Stop the card, so that it cannot write to memory of the next kernel. */
static void nvfifo_shutdown(struct pci_dev *pdev)
{
	struct nvfifo_device *ndev = pci_get_drvdata(pdev);

	nvfifo_set_phase(ndev, NVFIFO_REMOVING);
	nvfifo_chan_stop_all(ndev);
	nvfifo_chan_ban_all(ndev, -ENODEV);
	pci_clear_master(pdev);
}

static struct pci_driver nvfifo_pci_driver = {
	.name = NVFIFO_NAME,
	.id_table = nvfifo_pci_ids,
	.probe = nvfifo_probe,
	.remove = nvfifo_remove,
	.shutdown = nvfifo_shutdown,
	.driver.pm = pm_sleep_ptr(&nvfifo_pm_ops),
};

/* --- The module ---------------------------------------------------------- */

static int __init nvfifo_init(void)
{
	int ret = nvfifo_job_timeout_check();

	if (!ret)
		ret = nvfifo_engines_check();
	if (!ret)
		ret = nvfifo_works_init();
	if (ret)
		return ret;

	ret = pci_register_driver(&nvfifo_pci_driver);
	if (ret)
		nvfifo_works_fini();

	return ret;
}
module_init(nvfifo_init);

static void __exit nvfifo_exit(void)
{
	pci_unregister_driver(&nvfifo_pci_driver);
	nvfifo_works_fini();

	/*
	 * The last fence drops its reference to the module in fence_release(), and then returns
	 * through the module's text. Wait until no preempted task is in that text.
	 */
	synchronize_rcu_tasks();
}
module_exit(nvfifo_exit);

MODULE_DESCRIPTION("PFIFO and MMU of NVIDIA's NV50 family");
MODULE_VERSION("0.1.0");
MODULE_LICENSE("GPL");
/* MODULE_IMPORT_NS() takes a bare word up to Linux 6.12 and a string later. */
MODULE_INFO(import_ns, "DMA_BUF");
