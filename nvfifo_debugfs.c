// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Looking in
 *
 * Files in /sys/kernel/debug/dri/N, for root:
 *
 * - nvfifo_state: the card, what it counted, its channels and where they are
 * - nvfifo_vram: VRAM as the CPU sees it, words at offsets that are multiples of 4
 * - nvfifo_freeze: write milliseconds, 1 to 10000, to freeze PFIFO for that time
 * - nvfifo_bos: all buffers
 * - nvfifo_vm/N/mappings: what is mapped in the Nth address space
 * - nvfifo_vm/N/tables: its page directory and page tables
 * - nvfifo_vm/N/translate: write a virtual address, and read how it is translated and
 *   what is there, for the CPU and (G84 and later, with a channel) for the card
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "nvfifo_drv.h"

#define FREEZE_MAX_MS	10000

static void chan_show(struct seq_file *m, struct nvfifo_chan *chan)
{
	struct drm_nvfifo_channel_query pos;

	seq_printf(m, "channel %u: structure %08llx, ring of %u at %010llx, %s", chan->id,
		   chan->inst.addr, 1u << chan->order, chan->mem_va.start,
		   chan->dead ? "dead" : "alive");
	if (chan->running && !nvfifo_usable(chan->ndev)) {
		nvfifo_chan_position(chan->ndev, chan->id, &pos);
		seq_printf(m, ", get %010llx put %010llx ib_get %u ib_put %u ref %08x", pos.get,
			   pos.put, pos.ib_get, pos.ib_put, pos.ref);
	}
	seq_putc(m, '\n');
}

static int state_show(struct seq_file *m, void *data)
{
	static const char * const wedged[] = { "ok", "lost", "stuck" };
	struct nvfifo_device *ndev = m->private;
	u32 id;

	CLASS(nvfifo_enter, idx)(ndev);
	if (idx < 0)
		return -ENODEV;
	seq_printf(m, "chipset    %s\ncard       %s\n", nvfifo_chipset_name(ndev->chip->id),
		   wedged[READ_ONCE(ndev->wedged)]);
	seq_printf(m, "timeouts   %d\n", atomic_read(&ndev->timeouts));
	seq_printf(m, "errors     %lld\n", atomic64_read(&ndev->errors));
	seq_printf(m, "submits    %lld\n", atomic64_read(&ndev->submits));
	seq_printf(m, "vram       %llu bytes, %llu free\n", ndev->vram_size, ndev->vram_free);
	guard(mutex)(&ndev->fifo_lock);
	for (id = NVFIFO_CHAN_MIN; id <= NVFIFO_CHAN_MAX; id++)
		if (ndev->chans[id])
			chan_show(m, ndev->chans[id]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static ssize_t vram_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	struct nvfifo_device *ndev = file->private_data;
	ssize_t done = 0;
	u32 word;

	CLASS(nvfifo_enter, idx)(ndev);
	if (*pos % 4)
		return -EINVAL;
	if (idx < 0)
		return -ENODEV;
	for (; len - done >= 4 && *pos < ndev->vram_size; done += 4, *pos += 4) {
		if (nvfifo_usable(ndev) || signal_pending(current))
			break;
		word = nvfifo_vram_rd32(ndev, *pos);
		if (copy_to_user(buf + done, &word, sizeof(word)))
			return done ?: -EFAULT;
	}
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
	int ret;

	CLASS(nvfifo_enter, idx)(ndev);
	if (!ms || ms > FREEZE_MAX_MS)
		return nvfifo_einval(ndev, "nvfifo_freeze: %llu is not in 1 to %u ms", ms,
				     FREEZE_MAX_MS);
	ret = idx < 0 ? -ENODEV : nvfifo_fifo_freeze(ndev);
	if (!ret) {
		msleep_interruptible(ms);
		nvfifo_fifo_unfreeze(ndev);
	}
	return ret;
}
DEFINE_DEBUGFS_ATTRIBUTE(freeze_fops, NULL, freeze_set, "%llu\n");

/* --- Buffers and address spaces ------------------------------------------ */

static const char *domain_name(const struct nvfifo_bo *bo)
{
	return bo->domain == DRM_NVFIFO_DOMAIN_VRAM ? "vram" : "system";
}

static int bos_show(struct seq_file *m, void *data)
{
	struct nvfifo_device *ndev = m->private;
	struct nvfifo_bo *bo;

	seq_puts(m, "where         bytes flags tags label\n");
	guard(mutex)(&ndev->objects_lock);
	list_for_each_entry(bo, &ndev->bos, link) {
		u32 flags = nvfifo_bo_flags(bo);
		char letters[8];

		snprintf(letters, sizeof(letters), "%s%s%s%s",
			 flags & DRM_NVFIFO_BO_WC ? "w" : "",
			 flags & DRM_NVFIFO_BO_CONTIGUOUS ? "c" : "",
			 flags & DRM_NVFIFO_BO_IMPORTED ? "i" : "", flags ? "" : "-");
		seq_printf(m, "%-6s %12zu %-5s %4llu %s\n", domain_name(bo), bo->shmem.base.size,
			   letters, bo->tag_users ? bo->tags.size : 0, bo->label);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bos);

/* Attributes that differ from the usual ones. */
static void pte_words(struct seq_file *m, const struct nvfifo_pte *pte)
{
	seq_printf(m, "%s%s%s%s", pte->read_only ? " ro" : "", pte->supervisor ? " supervisor" : "",
		   pte->long_cycle ? " long-cycle" : "", pte->encrypted ? " encrypted" : "");
}

static int mappings_show(struct seq_file *m, void *data)
{
	struct nvfifo_vm *vm = m->private;
	struct drm_gpuva *va;

	guard(mutex)(&vm->lock);
	guard(mutex)(&vm->ndev->objects_lock);
	drm_gpuvm_for_each_va(va, &vm->base) {
		struct nvfifo_pte pte = nvfifo_pte_decode(to_nvfifo_vma(va)->pte);
		struct nvfifo_bo *bo = to_nvfifo_bo(va->gem.obj);

		seq_printf(m, "%010llx-%010llx %-6s %010llx kind %02x comp %u", va->va.addr,
			   va->va.addr + va->va.range - 1, domain_name(bo), va->gem.offset,
			   pte.kind, pte.comp);
		pte_words(m, &pte);
		seq_printf(m, "%s %s\n", pte.target == NVFIFO_TARGET_SYS_NOSNOOP ? " nosnoop" : "",
			   bo->label);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(mappings);

static void pde_show(struct seq_file *m, u64 val)
{
	const struct nvfifo_pde pde = nvfifo_pde_decode(val);

	seq_printf(m, "%016llx: %u KiB pages, %u entries, %s at %010llx\n", val,
		   1u << (nvfifo_pt_page_shift(pde.type) - 10),
		   nvfifo_pt_entries(pde.type, pde.size), nvfifo_target_name(pde.target),
		   pde.address);
}

static void pte_show(struct seq_file *m, u64 val)
{
	const struct nvfifo_pte pte = nvfifo_pte_decode(val);

	seq_printf(m, "%016llx: %s %010llx, block of %u, kind %02x", val,
		   nvfifo_target_name(pte.target), pte.address, 1u << pte.contig, pte.kind);
	if (pte.comp)
		seq_printf(m, " comp %u tag %03x", pte.comp, pte.tag);
	pte_words(m, &pte);
	seq_putc(m, '\n');
}

/* One line for all entries that continue each other. */
static void table_show(struct seq_file *m, const struct nvfifo_pt *pt, u64 va)
{
	unsigned int shift = nvfifo_pt_page_shift(pt->type);
	u32 i, n;
	u64 pte;

	for (i = 0; i < pt->count; i += n) {
		n = 1;
		pte = nvfifo_pt_lookup(pt, i);
		if (!pte)
			continue;
		for (; i + n < pt->count; n++) {
			pte += nvfifo_pte_step(shift, pte);
			if (nvfifo_pt_lookup(pt, i + n) != pte)
				break;
		}
		seq_printf(m, "  %010llx-%010llx PTE ", va + ((u64)i << shift),
			   va + ((u64)(i + n) << shift) - 1);
		pte_show(m, le64_to_cpu(pt->entries[i]));
		cond_resched();
	}
}

static int tables_show(struct seq_file *m, void *data)
{
	struct nvfifo_vm *vm = m->private;
	struct nvfifo_walk w;
	u32 i;

	guard(mutex)(&vm->pt_lock);
	for (i = 0; i < NVFIFO_PD_ENTRIES; i++) {
		u64 va = (u64)i << NVFIFO_PDE_SHIFT;

		if (!vm->regions[i].pt)
			continue;
		nvfifo_mmu_walk(vm, va, &w);
		seq_printf(m, "PDE %03x ", i);
		pde_show(m, w.pde);
		table_show(m, vm->regions[i].pt, va);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(tables);

/* A word of a buffer through the kernel's own mapping of it. */
static int cpu_word(struct nvfifo_vm *vm, u64 va, u64 linear, u32 *word)
{
	struct iosys_map map;
	struct drm_gpuva *gva;
	struct nvfifo_bo *bo;
	int ret;

	lockdep_assert_held(&vm->lock);
	gva = drm_gpuva_find_first(&vm->base, va, 4);
	if (!gva)
		return -ENOENT;
	bo = to_nvfifo_bo(gva->gem.obj);
	if (bo->domain == DRM_NVFIFO_DOMAIN_VRAM) {
		*word = nvfifo_vram_rd32(vm->ndev, linear - vm->ndev->igp_base);
		return 0;
	}
	ret = nvfifo_gem_vmap(gva->gem.obj, &map);
	if (ret)
		return ret;
	*word = iosys_map_rd(&map, va - gva->va.addr + gva->gem.offset, u32);
	nvfifo_gem_vunmap(gva->gem.obj, &map);
	return 0;
}

static void words_show(struct seq_file *m, struct nvfifo_vm *vm, u64 va, u64 linear)
{
	struct nvfifo_chan *chan;
	u32 cpu, card;
	int ret;

	if (cpu_word(vm, va, linear, &cpu))
		return;
	seq_printf(m, "CPU      %08x\n", cpu);
	guard(mutex)(&vm->pt_lock);
	chan = list_first_entry_or_null(&vm->chans, struct nvfifo_chan, vm_link);
	if (!chan || !vm->ndev->chip->g84)
		return;
	ret = nvfifo_peephole_read(chan, va, &card);
	if (ret)
		seq_printf(m, "card     error %d\n", ret);
	else
		seq_printf(m, "card     %08x %s\n", card, card == cpu ? "same" : "differs");
}

static int translate_show(struct seq_file *m, void *data)
{
	struct nvfifo_vm *vm = m->private;
	u64 va = READ_ONCE(vm->translate);
	struct nvfifo_walk w;
	bool present;

	CLASS(nvfifo_enter, idx)(vm->ndev);
	if (idx < 0)
		return -ENODEV;
	guard(mutex)(&vm->lock);
	scoped_guard(mutex, &vm->pt_lock)
		present = nvfifo_mmu_walk(vm, va, &w);
	seq_printf(m, "address  %010llx\n", va);
	if (w.pde) {
		seq_printf(m, "PDE      %03x: ", (u32)(va >> NVFIFO_PDE_SHIFT));
		pde_show(m, w.pde);
	}
	if (!present) {
		seq_printf(m, "fault    %s\n", nvfifo_fault_reason_name(w.reason));
		return 0;
	}
	seq_printf(m, "PTE      %05x: ", w.index);
	pte_show(m, w.pte);
	seq_printf(m, "memory   %s %010llx\n",
		   nvfifo_target_name(nvfifo_pte_decode(w.pte).target), w.linear);
	words_show(m, vm, va, w.linear);
	return 0;
}

static ssize_t translate_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
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
DEFINE_SHOW_STORE_ATTRIBUTE(translate);

/* The directories of address spaces, which are named by their numbers. */
static DEFINE_MUTEX(dir_lock);

void nvfifo_debugfs_add_vm(struct nvfifo_vm *vm)
{
	struct dentry *dir;
	char name[16];

	snprintf(name, sizeof(name), "%u", vm->serial);
	guard(mutex)(&dir_lock);
	if (!vm->ndev->debugfs_vms)
		return;
	dir = debugfs_create_dir(name, vm->ndev->debugfs_vms);
	debugfs_create_file("mappings", 0400, dir, vm, &mappings_fops);
	debugfs_create_file("tables", 0400, dir, vm, &tables_fops);
	debugfs_create_file("translate", 0600, dir, vm, &translate_fops);
}

/* Waits for those who read, who do not take the lock. */
void nvfifo_debugfs_remove_vm(struct nvfifo_vm *vm)
{
	char name[16];

	guard(mutex)(&dir_lock);
	snprintf(name, sizeof(name), "%u", vm->serial);
	if (vm->ndev->debugfs_vms)
		debugfs_lookup_and_remove(name, vm->ndev->debugfs_vms);
}

/* DRM removes all other files. Address spaces may live on. */
void nvfifo_debugfs_fini(struct nvfifo_device *ndev)
{
	guard(mutex)(&dir_lock);
	debugfs_remove(ndev->debugfs_vms);
	ndev->debugfs_vms = NULL;
}

void nvfifo_debugfs_init(struct drm_minor *minor)
{
	struct nvfifo_device *ndev = to_nvfifo(minor->dev);
	struct dentry *root = minor->debugfs_root;

	debugfs_create_file("nvfifo_state", 0400, root, ndev, &state_fops);
	debugfs_create_file("nvfifo_vram", 0400, root, ndev, &vram_fops);
	debugfs_create_file("nvfifo_bos", 0400, root, ndev, &bos_fops);
	ndev->debugfs_vms = debugfs_create_dir("nvfifo_vm", root);
	debugfs_create_file_unsafe("nvfifo_freeze", 0200, root, ndev, &freeze_fops);
}
