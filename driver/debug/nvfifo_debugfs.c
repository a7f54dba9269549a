// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Files in debugfs
 *
 * Files in /sys/kernel/debug/dri/N, for root:
 *
 * - nvfifo_dump: state of the card and of all channels, see The dump
 * - nvfifo_bos: all buffers
 * - nvfifo_recovery: number and longest time of each kind of reset
 * - nvfifo_regs: BAR0, and nvfifo_vram: VRAM as the CPU sees it; aligned words
 * - nvfifo_freeze: write milliseconds, 1 to 10000, to freeze PFIFO for that time
 * - nvfifo_vm/N/mappings: mappings of the Nth address space
 * - nvfifo_vm/N/tables: its page directory and page tables
 * - nvfifo_vm/N/translate: write a virtual address, and read how it is translated and the word
 *   there, as the CPU sees it and (G84 and later, with a channel) the card
 */
#include <linux/debugfs.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "card/nvfifo_hw.h"
#include "debug/nvfifo_dump.h"
#include "fifo/nvfifo_chan.h"
#include "debug/nvfifo_debugfs.h"
#include "nvfifo_drv.h"
#include "fifo/nvfifo_fence.h"
#include "mem/nvfifo_mem.h"
#include "mmu/nvfifo_mmu.h"
#include "nvfifo_pusher.h"
#include "nvfifo_ramht.h"
#include "card/nvfifo_recover.h"
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

static int nvfifo_bos_show(struct seq_file *m, void *data)
{
	struct drm_printer p = drm_seq_file_printer(m);

	nvfifo_print_bos(m->private, &p);

	return 0;
}
DEFINE_SHOW_ATTRIBUTE(nvfifo_bos);

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

#define WORDS	64	/* read between two checks for a signal and for the removal */

static u32 reg_read(struct nvfifo_device *ndev, u64 at)
{
	return nvfifo_rd32(ndev, (u32)at);
}

/* Fill @words. No access of user memory is inside CLASS(nvfifo_enter), because it may stall. */
static int words_fetch(struct nvfifo_device *ndev, u64 at, u32 *words, u32 n,
		       u32 (*read)(struct nvfifo_device *ndev, u64 at))
{
	u32 i;

	CLASS(nvfifo_enter, entered)(ndev);
	if (!entered.is_open || !nvfifo_card_answers(ndev))
		return -ENODEV;

	for (i = 0; i < n; i++)
		words[i] = read(ndev, at + i * 4);

	return 0;
}

static ssize_t words_read(struct nvfifo_device *ndev, char __user *buf, size_t len, loff_t *pos,
			  u64 end, u32 (*read)(struct nvfifo_device *ndev, u64 at))
{
	u32 words[WORDS], bytes;
	size_t done = 0;
	int ret = 0;

	if ((*pos | len) % 4)
		return -EINVAL;

	while (done < len && *pos < end) {
		bytes = min3((u64)sizeof(words), (u64)(len - done), end - *pos);
		ret = signal_pending(current) ? -EINTR : 0;
		if (!ret)
			ret = words_fetch(ndev, *pos, words, bytes / 4, read);
		if (!ret && copy_to_user(buf + done, words, bytes))
			ret = -EFAULT;
		if (ret)
			break;

		done += bytes;
		*pos += bytes;
	}

	return done ? done : ret;
}

/* Aligned words of BAR0. */
static ssize_t regs_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	return words_read(file->private_data, buf, len, pos, NV_BAR0_SIZE, reg_read);
}

static ssize_t regs_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct nvfifo_device *ndev = file->private_data;
	size_t done;
	u32 word;

	if ((*pos | len) % 4 || *pos >= NV_BAR0_SIZE)
		return -EINVAL;

	for (done = 0; done < len && *pos < NV_BAR0_SIZE; done += 4, *pos += 4) {
		if (get_user(word, (const u32 __user *)(buf + done)))
			return done ? done : -EFAULT;

		CLASS(nvfifo_enter, entered)(ndev);
		if (!entered.is_open || !nvfifo_card_answers(ndev))
			return -ENODEV;

		nvfifo_wr32(ndev, (u32)*pos, word);
	}

	return done;
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

	return words_read(ndev, buf, len, pos, nvfifo_mem_facts(ndev)->vram_size, nvfifo_vram_rd32);
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

	wait_event_interruptible_timeout(ndev->sleepers, READ_ONCE(ndev->removing),
					 msecs_to_jiffies(ms));

	nvfifo_fifo_unfreeze(ndev);

	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(freeze_fops, NULL, freeze_set, "%llu\n");

/* --- Address spaces ------------------------------------------------------- */

/*
 * Read a word of a channel's address space through PEEPHOLE, a port whose accesses the MMU
 * translates for any channel. G84 and later. @user decides who may read: the page, or supervisors
 * only. @word is all ones if the card cannot read it. Return: 0, -EIO or -ENODEV.
 */
static int peephole_read(struct nvfifo_chan *chan, u64 va, enum nvfifo_dmaobj_user user, u32 *word)
{
	struct nvfifo_dmaobj obj = nvfifo_dmaobj_vm(NVFIFO_CLASS_DMA_READ, va, va + 3);
	struct nvfifo_device *ndev = chan->ndev;
	u32 offset;
	int ret;

	obj.user = user;
	obj.supervisor = true;
	obj.encrypted = NVFIFO_DMAOBJ_ENCRYPTED_VM;
	guard(mutex)(&ndev->bar1.lock);

	offset = nvfifo_dmaobj_peephole(&chan->ramht, &obj);
	ret = nvfifo_bar_flush(ndev);
	if (!ret) {
		nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_CHAN,
			    nvfifo_chan_desc(chan->inst.addr, NVFIFO_TARGET_VRAM));
		nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_PEEPHOLE, nvfifo_bar_reg(offset));
		ret = nvfifo_tlb_flush(ndev, NVFIFO_VM_PEEPHOLE);
	}

	if (!ret) {
		nvfifo_wr32(ndev, NV_PEEPHOLE_RW_ADDR, 0);
		*word = nvfifo_rd32(ndev, NV_PEEPHOLE_RW_DATA);
		nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_PEEPHOLE, 0);
		nvfifo_wr32(ndev, NV_PBUS_HOST_MEM_CHAN, nvfifo_bars_desc(ndev));
	}

	return ret;
}

/* Show a word as the card reads it, after a trial with the known word of the fence page. */
static void card_word_show(struct seq_file *m, struct nvfifo_chan *chan, u64 va, bool supervisor,
			   u32 cpu)
{
	enum nvfifo_dmaobj_user user = supervisor ? NVFIFO_DMAOBJ_USER_SUPERVISOR :
						    NVFIFO_DMAOBJ_USER_VM;
	u64 known_va = chan->mem_va.start + chan->fence_page + NVFIFO_FENCE_KNOWN;
	const char *page = supervisor ? "a supervisor's page" : "a page with a known word";
	u32 known, card;
	int ret;

	ret = peephole_read(chan, known_va, user, &known);
	if (!ret && known != NVFIFO_FENCE_KNOWN_WORD) {
		seq_printf(m, "card     unknown, as PEEPHOLE cannot read %s\n", page);
		return;
	}

	if (!ret)
		ret = peephole_read(chan, va, NVFIFO_DMAOBJ_USER_VM, &card);

	if (ret)
		seq_printf(m, "card     error %d\n", ret);
	else
		seq_printf(m, "card     %08x %s\n", card, card == cpu ? "same" : "differs");
}

static void words_show(struct seq_file *m, struct nvfifo_vm *vm, u64 va, bool supervisor)
{
	struct nvfifo_chan *chan;
	u32 cpu;

	if (!nvfifo_vm_read(vm, NULL, va, &cpu, 1))
		return;

	seq_printf(m, "CPU      %08x\n", cpu);
	guard(mutex)(&vm->pt_lock);

	chan = list_first_entry_or_null(&vm->chans, struct nvfifo_chan, vm_link);
	if (!chan || !vm->ndev->chip->g84)
		return;

	if (nvfifo_mem_facts(vm->ndev)->peephole)
		card_word_show(m, chan, va, supervisor, cpu);
	else
		seq_puts(m, "card     unknown, as PEEPHOLE shares the channel of the BARs\n");
}

static int nvfifo_translate_show(struct seq_file *m, void *data)
{
	struct nvfifo_vm *vm = m->private;
	struct drm_printer p = drm_seq_file_printer(m);
	u64 va = READ_ONCE(vm->translate);
	struct nvfifo_walk w;
	struct nvfifo_pte pte;
	bool present;

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
	pte = nvfifo_pte_decode(w.pte);
	seq_printf(m, "memory   %s %010llx\n", nvfifo_target_name(pte.target), w.linear);

	words_show(m, vm, va, pte.supervisor);

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
 * nvfifo_debugfs_init() - Make the files of a card
 * @minor: the card's node, whose folder is there
 */
void nvfifo_debugfs_init(struct drm_minor *minor)
{
	struct nvfifo_device *ndev = to_nvfifo(minor->dev);
	struct dentry *root = minor->debugfs_root;

	debugfs_create_file("nvfifo_dump", 0400, root, ndev, &nvfifo_dump_fops);
	debugfs_create_file("nvfifo_regs", 0600, root, ndev, &regs_fops);
	debugfs_create_file("nvfifo_vram", 0400, root, ndev, &vram_fops);
	debugfs_create_file("nvfifo_bos", 0400, root, ndev, &nvfifo_bos_fops);
	debugfs_create_file("nvfifo_recovery", 0400, root, ndev, &nvfifo_recovery_fops);
	nvfifo_vm_files_init(ndev, root, vm_files);
	debugfs_create_file_unsafe("nvfifo_freeze", 0200, root, ndev, &freeze_fops);
}
