// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Looking in
 *
 * Files in /sys/kernel/debug/dri/N, for root:
 *
 * - nvfifo_state: the card, what it counted, its channels and where they are
 * - nvfifo_vram: VRAM as the CPU sees it, words at offsets that are multiples of 4
 * - nvfifo_freeze: write milliseconds, 1 to 10000, to freeze PFIFO for that time
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include <drm/drm_debugfs.h>
#include <drm/drm_drv.h>

#include "nvfifo_drv.h"

#define FREEZE_MAX_MS	10000

static int state_show(struct seq_file *m, void *data)
{
	static const char * const wedged[] = { "ok", "lost", "stuck" };
	struct nvfifo_device *ndev = m->private;
	struct nvfifo_position pos;
	struct nvfifo_chan *chan;
	u32 id;
	int idx;

	if (!drm_dev_enter(&ndev->drm, &idx))
		return -ENODEV;
	seq_printf(m, "chipset    %s\n", nvfifo_chipset_name(ndev->chip->id));
	seq_printf(m, "card       %s\n", wedged[READ_ONCE(ndev->wedged)]);
	seq_printf(m, "timeouts   %d\n", atomic_read(&ndev->timeouts));
	seq_printf(m, "errors     %lld\n", atomic64_read(&ndev->errors));
	seq_printf(m, "submits    %lld\n", atomic64_read(&ndev->submits));
	seq_printf(m, "vram       %llu bytes, %llu free\n", ndev->vram_size, ndev->vram_free);
	mutex_lock(&ndev->fifo_lock);
	for (id = NVFIFO_CHAN_MIN; id <= NVFIFO_CHAN_MAX; id++) {
		chan = ndev->chans[id];
		if (!chan)
			continue;
		seq_printf(m, "channel %u: structure %08llx, ring of %u at %010llx, %s", id,
			   chan->inst.addr, 1u << chan->order, chan->mem_va.start,
			   chan->dead ? "dead" : "alive");
		if (chan->running && !nvfifo_usable(ndev)) {
			nvfifo_chan_position(ndev, id, &pos);
			seq_printf(m, ", get %010llx put %010llx ib_get %u ib_put %u ref %08x",
				   pos.get, pos.put, pos.ib_get, pos.ib_put, pos.ref);
		}
		seq_putc(m, '\n');
	}
	mutex_unlock(&ndev->fifo_lock);
	drm_dev_exit(idx);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static ssize_t vram_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	struct nvfifo_device *ndev = file->private_data;
	ssize_t done = 0;
	int idx;
	u32 word;

	if (*pos % 4)
		return -EINVAL;
	if (!drm_dev_enter(&ndev->drm, &idx))
		return -ENODEV;
	while (len >= 4 && *pos < ndev->vram_size && !nvfifo_usable(ndev)) {
		word = nvfifo_vram_rd32(ndev, *pos);
		if (copy_to_user(buf + done, &word, sizeof(word))) {
			done = done ?: -EFAULT;
			break;
		}
		done += 4;
		*pos += 4;
		len -= 4;
		if (signal_pending(current))
			break;
	}
	drm_dev_exit(idx);
	return done;
}

static const struct file_operations vram_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = vram_read,
	.llseek = default_llseek,
};

static int freeze_set(void *data, u64 ms)
{
	struct nvfifo_device *ndev = data;
	int ret, idx;

	if (!ms || ms > FREEZE_MAX_MS)
		return nvfifo_einval(ndev, "nvfifo_freeze: %llu is not in 1 to %u ms", ms,
				     FREEZE_MAX_MS);
	if (!drm_dev_enter(&ndev->drm, &idx))
		return -ENODEV;
	ret = nvfifo_fifo_freeze(ndev);
	if (!ret) {
		msleep_interruptible(ms);
		nvfifo_fifo_unfreeze(ndev);
	}
	drm_dev_exit(idx);
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(freeze_fops, NULL, freeze_set, "%llu\n");

void nvfifo_debugfs_init(struct drm_minor *minor)
{
	struct nvfifo_device *ndev = to_nvfifo(minor->dev);
	struct dentry *root = minor->debugfs_root;

	debugfs_create_file("nvfifo_state", 0400, root, ndev, &state_fops);
	debugfs_create_file("nvfifo_vram", 0400, root, ndev, &vram_fops);
	debugfs_create_file_unsafe("nvfifo_freeze", 0200, root, ndev, &freeze_fops);
}
