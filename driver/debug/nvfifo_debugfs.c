// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Files in debugfs
 *
 * Files in /sys/kernel/debug/dri/N, for root:
 *
 * - nvfifo_dump: state of the card and of all channels, see The dump
 * - nvfifo_recovery: number and longest time of each kind of reset
 * - nvfifo_regs: BAR0, an aligned word for each read or write
 * - nvfifo_vram: VRAM as the CPU sees it, aligned words
 * - nvfifo_freeze: write milliseconds, 1 to 10000, to freeze PFIFO for that time
 * - nvfifo_vm/N/mappings: mappings of the Nth address space
 * - nvfifo_vm/N/tables: its page directory and page tables
 * - nvfifo_vm/N/translate: write a virtual address, and read its translation and the word there
 */
#include <linux/debugfs.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "card/nvfifo_hw.h"
#include "debug/nvfifo_dump.h"
#include "nvfifo_drv.h"
#include "mem/nvfifo_mem.h"
#include "mmu/nvfifo_mmu.h"
#include "nvfifo_pusher.h"
#include "card/nvfifo_card.h"
#include "nvfifo_vm.h"

#define FREEZE_MAX_MS	10000

/* --- Texts ---------------------------------------------------------------- */

static int nvfifo_dump_show(struct seq_file *m, void *data)
{
	struct drm_printer p = drm_seq_file_printer(m);

	nvfifo_dump(m->private, &p);

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nvfifo_dump);

static int nvfifo_mappings_show(struct seq_file *m, void *data)
{
	struct drm_printer p = drm_seq_file_printer(m);

	nvfifo_print_mappings(m->private, &p);

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nvfifo_mappings);

static int nvfifo_tables_show(struct seq_file *m, void *data)
{
	struct drm_printer p = drm_seq_file_printer(m);

	nvfifo_print_tables(m->private, &p);

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nvfifo_tables);

static int nvfifo_recovery_show(struct seq_file *m, void *data)
{
	struct drm_printer p = drm_seq_file_printer(m);

	nvfifo_recover_print(m->private, &p);

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nvfifo_recovery);

/* --- Words ---------------------------------------------------------------- */

/* No access of user memory is inside CLASS(nvfifo_enter), because it may stall. */
static int word_fetch(struct nvfifo_device *ndev, u64 at, u32 *word,
		      u32 (*read)(struct nvfifo_device *ndev, u64 at))
{
	CLASS(nvfifo_enter, entered)(ndev);
	if (!entered.is_open || !nvfifo_card_answers(ndev))
		return -ENODEV;

	*word = read(ndev, at);

	return 0;
}

static u32 reg_read(struct nvfifo_device *ndev, u64 at)
{
	return nvfifo_rd32(ndev, (u32)at);
}

/*
 * One word of BAR0. A longer read is that of a program which reads all files, and most offsets are
 * no registers.
 */
static ssize_t regs_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	u32 word;
	int ret;

	if (*pos % 4 || len != sizeof(word))
		return -EINVAL;
	if (*pos >= NV_BAR0_SIZE)
		return 0;

	ret = word_fetch(file->private_data, *pos, &word, reg_read);
	if (ret)
		return ret;
	if (copy_to_user(buf, &word, sizeof(word)))
		return -EFAULT;

	*pos += sizeof(word);

	return sizeof(word);
}

static ssize_t regs_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct nvfifo_device *ndev = file->private_data;
	u32 word;

	if (*pos % 4 || len != sizeof(word) || *pos >= NV_BAR0_SIZE)
		return -EINVAL;
	if (copy_from_user(&word, buf, sizeof(word)))
		return -EFAULT;

	CLASS(nvfifo_enter, entered)(ndev);
	if (!entered.is_open || !nvfifo_card_answers(ndev))
		return -ENODEV;

	nvfifo_wr32(ndev, (u32)*pos, word);
	*pos += sizeof(word);

	return sizeof(word);
}

static const struct file_operations regs_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = regs_read,
	.write = regs_write,
	.llseek = default_llseek,
};

/* Aligned words of VRAM, which is only read. */
static ssize_t vram_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	struct nvfifo_device *ndev = file->private_data;
	u64 end = nvfifo_mem_facts(ndev)->vram_size;
	size_t done;
	u32 word;
	int ret;

	if ((*pos | len) % 4)
		return -EINVAL;

	for (done = 0; done < len && *pos < end; done += sizeof(word), *pos += sizeof(word)) {
		ret = -EINTR;
		if (!signal_pending(current))
			ret = word_fetch(ndev, *pos, &word, nvfifo_vram_rd32);
		if (!ret && put_user(word, (u32 __user *)(buf + done)))
			ret = -EFAULT;
		if (ret)
			return done ? done : ret;
	}

	return done;
}

static const struct file_operations vram_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = vram_read,
	.llseek = default_llseek,
};

static int freeze_begin(struct nvfifo_device *ndev)
{
	CLASS(nvfifo_enter, entered)(ndev);
	if (!entered.is_open)
		return -ENODEV;

	return nvfifo_fifo_freeze(ndev);
}

/*
 * Only the freeze itself is inside CLASS(nvfifo_enter). The card's removal wakes the sleeping
 * thread, and waits for fifo_lock, which the thread holds until the end of the freeze.
 */
static int freeze_set(void *data, u64 ms)
{
	struct nvfifo_device *ndev = data;
	int ret;

	if (!ms || ms > FREEZE_MAX_MS)
		return nvfifo_einval(ndev, "nvfifo_freeze: %llu is not in 1 to %u ms", ms,
				     FREEZE_MAX_MS);

	ret = freeze_begin(ndev);
	if (ret)
		return ret;

	wait_event_interruptible_timeout(ndev->waiters, nvfifo_check_ending(ndev),
					 msecs_to_jiffies(ms));

	nvfifo_fifo_unfreeze(ndev);

	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(freeze_fops, NULL, freeze_set, "%llu\n");

/* --- Address spaces ------------------------------------------------------- */

static int nvfifo_translate_show(struct seq_file *m, void *data)
{
	struct nvfifo_vm *vm = m->private;
	struct drm_printer p = drm_seq_file_printer(m);
	u64 va = READ_ONCE(vm->translate);
	struct nvfifo_walk w;
	bool present;
	u32 word;

	CLASS(nvfifo_enter, entered)(vm->ndev);
	if (!entered.is_open)
		return -ENODEV;

	scoped_guard(mutex, &vm->pt_lock)
		present = nvfifo_mmu_walk(vm, va, &w);

	seq_printf(m, "address  %010llx\n", va);

	if (w.pde) {
		seq_printf(m, "PDE      %03x ", (u32)(va >> NVFIFO_PDE_SHIFT));
		nvfifo_print_pde(&p, w.pde);
	}

	if (!present) {
		seq_printf(m, "fault    %s\n", nvfifo_fault_reason_name(w.reason));
		return 0;
	}

	seq_printf(m, "PTE      %05x ", w.index);
	nvfifo_print_pte(&p, w.pte);
	seq_printf(m, "memory   %s %010llx\n",
		   nvfifo_target_name(nvfifo_pte_decode(w.pte).target), w.linear);

	if (nvfifo_vm_read(vm, NULL, va, &word, 1))
		seq_printf(m, "CPU      %08x\n", word);

	return 0;
}

static ssize_t nvfifo_translate_write(struct file *file, const char __user *buf, size_t len,
				      loff_t *pos)
{
	struct nvfifo_vm *vm = ((struct seq_file *)file->private_data)->private;
	u64 va;
	int ret = kstrtou64_from_user(buf, len, 0, &va);

	if (ret)
		return ret;

	if (va > NVFIFO_VA_MASK - 3 || va % 4)
		return nvfifo_einval(vm->ndev, "translate: %#llx is not a multiple of 4 below 2^40",
				     va);

	WRITE_ONCE(vm->translate, va);

	return len;
}
DEFINE_SHOW_STORE_ATTRIBUTE(nvfifo_translate);

static const struct nvfifo_vm_file vm_files[] = {
	{ "mappings", 0400, &nvfifo_mappings_fops },
	{ "tables", 0400, &nvfifo_tables_fops },
	{ "translate", 0600, &nvfifo_translate_fops },
	{}
};

/**
 * nvfifo_debugfs_init() - Create the files of a card
 * @minor: the card's node, whose folder is there
 */
void nvfifo_debugfs_init(struct drm_minor *minor)
{
	struct nvfifo_device *ndev = to_nvfifo(minor->dev);
	struct dentry *root = minor->debugfs_root;

	debugfs_create_file("nvfifo_dump", 0400, root, ndev, &nvfifo_dump_fops);
	debugfs_create_file("nvfifo_regs", 0600, root, ndev, &regs_fops);
	debugfs_create_file("nvfifo_vram", 0400, root, ndev, &vram_fops);
	debugfs_create_file("nvfifo_recovery", 0400, root, ndev, &nvfifo_recovery_fops);
	nvfifo_vm_files_init(ndev, root, vm_files);
	debugfs_create_file_unsafe("nvfifo_freeze", 0200, root, ndev, &freeze_fops);
}
