// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Address spaces
 *
 * The MMU translates 40-bit virtual addresses with a page directory of 2048 entries,
 * 512 MiB each, and one level of page tables below it. All pages of such a region have
 * the same size: 4 KiB, or 64 KiB for VRAM. The page directory is a part of the channel
 * structure, so an address space that several channels share exists as many times as it
 * has channels; the page tables exist once.
 *
 * Page tables live in coherent system memory, which the card reads through the
 * snooped target of the PDE: the CPU writes a PTE with one 64-bit store, and no
 * write has to cross the bus. They grow with what is mapped, as a table of 4 KiB
 * pages can be as short as 32 MiB of address space, and a region of 64 KiB pages
 * turns into one of 4 KiB pages when a small mapping needs it. Either way a new table
 * is filled and takes the old one's place with one store; the old one is freed after
 * the TLBs were flushed.
 *
 * The card caches translations, missing ones too, per VM engine. After any change
 * the TLBs of PFIFO and, from G84 on, of its background semaphore reads are flushed,
 * once per system call.
 *
 * Which mapping is where is drm_gpuvm's business. The last region belongs to the
 * driver: rings and fences of the channels.
 */
#include <linux/dma-mapping.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>

#include <kunit/visibility.h>

#include "nvfifo_drv.h"

#define VMS_MAX		1024

/**
 * struct nvfifo_vma - A mapping
 * @base: where, and of which buffer
 * @attr: what its pages have in common
 * @link: in nvfifo_bind_op.removed
 */
struct nvfifo_vma {
	struct drm_gpuva base;
	struct nvfifo_page_attr attr;
	struct list_head link;
};

static struct nvfifo_vma *to_vma(struct drm_gpuva *va)
{
	return container_of(va, struct nvfifo_vma, base);
}

/* --- Page tables --------------------------------------------------------- */

/**
 * nvfifo_pt_map() - Write PTEs for contiguous memory
 * @pt: page table
 * @index: first PTE
 * @count: PTEs
 * @addr: linear address of the first page, a multiple of 4 KiB
 * @attr: target, storage type and protection of all
 *
 * Each PTE is one 64-bit store. Pages are grouped in the largest contig blocks
 * that their place in the table allows.
 */
void nvfifo_pt_map(struct nvfifo_pt *pt, u32 index, u32 count, u64 addr,
		   const struct nvfifo_page_attr *attr)
{
	unsigned int shift = nvfifo_pt_page_shift(pt->type);
	struct nvfifo_pte pte = {
		.present = true,
		.target = attr->target,
		.kind = attr->kind,
		.read_only = attr->read_only,
	};
	u32 end = index + count;
	u32 i;

	while (index < end) {
		__le64 val;

		pte.contig = nvfifo_pte_contig(index, end - index);
		pte.address = addr;
		val = cpu_to_le64(nvfifo_pte_encode(&pte));
		for (i = 0; i < 1u << pte.contig; i++)
			WRITE_ONCE(pt->entries[index + i], val);
		index += i;
		addr += (u64)i << shift;
	}
}
EXPORT_SYMBOL_IF_KUNIT(nvfifo_pt_map);

/**
 * nvfifo_pt_unmap() - Clear PTEs
 * @pt: page table
 * @index: first PTE
 * @count: PTEs; the range must not cut a contig block
 */
void nvfifo_pt_unmap(struct nvfifo_pt *pt, u32 index, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++)
		WRITE_ONCE(pt->entries[index + i], 0);
}
EXPORT_SYMBOL_IF_KUNIT(nvfifo_pt_unmap);

/**
 * nvfifo_pt_copy() - Take over the translations of a shorter or coarser table
 * @to: table of 4 KiB pages, empty, long enough for what @from maps
 * @from: table of 4 KiB or 64 KiB pages
 */
void nvfifo_pt_copy(struct nvfifo_pt *to, const struct nvfifo_pt *from)
{
	u32 i;

	to->bytes = from->bytes;
	if (from->type == NVFIFO_PT_4K) {
		memcpy(to->entries, from->entries, min(to->count, from->count) * sizeof(__le64));
		return;
	}
	for (i = 0; i < from->count; i++) {
		struct nvfifo_pte pte = nvfifo_pte_decode(le64_to_cpu(from->entries[i]));
		struct nvfifo_page_attr attr = {
			.target = pte.target,
			.kind = pte.kind,
			.read_only = pte.read_only,
		};
		u32 in_block = i & ((1u << pte.contig) - 1);

		/* Every PTE of a contig block holds the address of the block's first page. */
		if (pte.present)
			nvfifo_pt_map(to, i << 4, 1 << 4, pte.address + ((u64)in_block << 16),
				      &attr);
	}
}
EXPORT_SYMBOL_IF_KUNIT(nvfifo_pt_copy);

static struct nvfifo_pt *pt_alloc(struct nvfifo_device *ndev, u8 type, u8 size)
{
	struct nvfifo_pt *pt = kzalloc(sizeof(*pt), GFP_KERNEL);

	if (!pt)
		return NULL;
	pt->type = type;
	pt->size = size;
	pt->count = nvfifo_pt_entries(type, size);
	pt->entries = dma_alloc_coherent(&ndev->pdev->dev, pt->count * sizeof(__le64), &pt->dma,
					 GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN);
	if (!pt->entries) {
		kfree(pt);
		return NULL;
	}
	return pt;
}

static void pt_free(struct nvfifo_device *ndev, struct nvfifo_pt *pt)
{
	dma_free_coherent(&ndev->pdev->dev, pt->count * sizeof(__le64), pt->entries, pt->dma);
	kfree(pt);
}

/* Entries up to the last one that is used. */
static u32 pt_used(const struct nvfifo_pt *pt)
{
	u32 n = pt->count;

	while (n && !pt->entries[n - 1])
		n--;
	return n;
}

/* --- Page directories ---------------------------------------------------- */

static u64 pde_value(const struct nvfifo_pt *pt)
{
	struct nvfifo_pde pde = {
		.address = pt->dma,
		.target = NVFIFO_TARGET_SYS_SNOOP,
		.type = pt->type,
		.size = pt->size,
	};

	return nvfifo_pde_encode(&pde);
}

static u64 pde_address(const struct nvfifo_chan *chan, u32 index)
{
	u32 pd = chan->ndev->chip->g84 ? NVFIFO_G84_PD : NVFIFO_G80_PD;

	return chan->inst.addr + pd + index * 8;
}

/*
 * The low word holds the type, and with it whether the entry is present. It changes last;
 * where the high word changes as well the entry is absent in between.
 */
static void pde_write(struct nvfifo_chan *chan, u32 index, u64 old, u64 val)
{
	u64 addr = pde_address(chan, index);

	if (upper_32_bits(old) != upper_32_bits(val)) {
		if (lower_32_bits(old))
			nvfifo_vram_wr32(chan->ndev, addr, 0);
		nvfifo_vram_wr32(chan->ndev, addr + 4, upper_32_bits(val));
	}
	nvfifo_vram_wr32(chan->ndev, addr, lower_32_bits(val));
	chan->vm->pde_dirty = true;
}

static void retired_free(struct nvfifo_vm *vm)
{
	struct nvfifo_pt *pt, *tmp;

	list_for_each_entry_safe(pt, tmp, &vm->retired, retired) {
		list_del(&pt->retired);
		pt_free(vm->ndev, pt);
	}
}

/*
 * Put a table in place of another that maps the same. If the entry cannot change in one
 * store, channels that are running would see it absent, and must stand still.
 */
static int pt_install(struct nvfifo_vm *vm, u32 index, struct nvfifo_pt *pt)
{
	struct nvfifo_pt *old = vm->pt[index];
	u64 old_val = old ? pde_value(old) : 0;
	u64 val = pde_value(pt);
	struct nvfifo_chan *chan;
	bool freeze;
	int ret;

	freeze = old_val && upper_32_bits(old_val) != upper_32_bits(val) &&
		 !list_empty(&vm->chans);
	if (freeze) {
		ret = nvfifo_fifo_freeze(vm->ndev);
		if (ret)
			return ret;
	}
	list_for_each_entry(chan, &vm->chans, vm_link)
		pde_write(chan, index, old_val, val);
	if (freeze)
		nvfifo_fifo_unfreeze(vm->ndev);
	vm->pt[index] = pt;
	if (old)
		list_add(&old->retired, &vm->retired);
	return 0;
}

/**
 * pt_prepare() - Make sure that a region's table can take a mapping
 * @vm: address space, locked
 * @index: region
 * @end: end of the mapping in the region, bytes
 * @large: the mapping fits 64 KiB pages
 * @strict: and must have them
 *
 * Changes no translation.
 *
 * Return: 0, -EBUSY if @strict cannot be met, -ENOMEM, or -EIO or -ENODEV.
 */
static int pt_prepare(struct nvfifo_vm *vm, u32 index, u64 end, bool large, bool strict)
{
	struct nvfifo_pt *old = vm->pt[index], *pt;
	u32 entries = end >> 12;
	int ret;

	if (large && old && old->bytes && old->type != NVFIFO_PT_64K) {
		if (strict) {
			drm_dbg(&vm->ndev->drm,
				"the region at %#llx has 4 KiB pages, page_shift 16 is not possible\n",
				(u64)index << NVFIFO_PDE_SHIFT);
			return -EBUSY;
		}
		large = false;
	}
	if (large) {
		if (old && old->type == NVFIFO_PT_64K)
			return 0;
		pt = pt_alloc(vm->ndev, NVFIFO_PT_64K, 0);
		if (!pt)
			return -ENOMEM;
	} else {
		if (old && old->type == NVFIFO_PT_4K && old->count >= entries)
			return 0;
		if (old && old->bytes)
			entries = max(entries, old->type == NVFIFO_PT_4K ?
					       old->count : pt_used(old) << 4);
		pt = pt_alloc(vm->ndev, NVFIFO_PT_4K, nvfifo_pt_size_for(entries));
		if (!pt)
			return -ENOMEM;
		if (old && old->bytes)
			nvfifo_pt_copy(pt, old);
	}
	ret = pt_install(vm, index, pt);
	if (ret)
		pt_free(vm->ndev, pt);
	return ret;
}

/* --- TLB ----------------------------------------------------------------- */

/**
 * nvfifo_tlb_flush() - Make a VM engine forget all translations
 * @ndev: the card
 * @engine: enum nvfifo_vm_engine
 *
 * What the CPU wrote to page tables in VRAM must have been flushed out before.
 *
 * Return: 0, -EIO after a time-out, which marks the card as stuck, or -ENODEV.
 */
int nvfifo_tlb_flush(struct nvfifo_device *ndev, unsigned int engine)
{
	int ret;

	mutex_lock(&ndev->mmu_lock);
	ret = nvfifo_usable(ndev);
	if (!ret) {
		nvfifo_wr32(ndev, NV_PFB_TLB_FLUSH, nvfifo_tlb_flush_value(engine));
		ret = nvfifo_wait(ndev, NV_PFB_TLB_FLUSH, NVFIFO_TLB_FLUSH_TRIGGER, 0, "TLB flush");
	}
	mutex_unlock(&ndev->mmu_lock);
	return ret;
}
EXPORT_SYMBOL_IF_KUNIT(nvfifo_tlb_flush);

/**
 * nvfifo_vm_flush() - Bring the card up to date with an address space
 * @vm: address space, locked
 *
 * nouveau does not flush PFIFO's TLB since 3.7, pscnv and older nouveau always did;
 * a pushbuffer at a stale address is what the missing flush would look like.
 *
 * Return: 0, or -EIO or -ENODEV; the address space is broken then.
 */
int nvfifo_vm_flush(struct nvfifo_vm *vm)
{
	struct nvfifo_device *ndev = vm->ndev;
	int ret = 0;

	/* No engine has ever looked into it. */
	if (list_empty(&vm->chans)) {
		retired_free(vm);
		return 0;
	}
	if (vm->pde_dirty)
		ret = nvfifo_bar_flush(ndev);
	if (!ret) {
		vm->pde_dirty = false;
		ret = nvfifo_tlb_flush(ndev, NVFIFO_VM_PFIFO);
	}
	if (!ret && ndev->chip->g84)
		ret = nvfifo_tlb_flush(ndev, NVFIFO_VM_SEMAPHORE_BG);
	if (ret)
		vm->broken = true;
	else
		retired_free(vm);
	return ret;
}

/* --- Mappings ------------------------------------------------------------ */

/* Write or clear the PTEs of contiguous memory, region by region. */
static void vm_write(struct nvfifo_vm *vm, u64 va, u64 size, u64 addr,
		     const struct nvfifo_page_attr *attr)
{
	const u64 region = 1ULL << NVFIFO_PDE_SHIFT;

	while (size) {
		u64 offset = va & (region - 1);
		u64 part = min(size, region - offset);
		struct nvfifo_pt *pt = vm->pt[va >> NVFIFO_PDE_SHIFT];
		unsigned int shift = nvfifo_pt_page_shift(pt->type);

		if (attr)
			nvfifo_pt_map(pt, offset >> shift, part >> shift, addr, attr);
		else
			nvfifo_pt_unmap(pt, offset >> shift, part >> shift);
		va += part;
		addr += part;
		size -= part;
	}
}

/* Count what is mapped in each table, in advance of writing it. */
static void vm_account(struct nvfifo_vm *vm, u64 va, u64 size, bool add)
{
	const u64 region = 1ULL << NVFIFO_PDE_SHIFT;

	while (size) {
		u64 part = min(size, region - (va & (region - 1)));
		struct nvfifo_pt *pt = vm->pt[va >> NVFIFO_PDE_SHIFT];

		pt->bytes = add ? pt->bytes + part : pt->bytes - part;
		va += part;
		size -= part;
	}
}

static int vm_prepare(struct nvfifo_vm *vm, u64 va, u64 size, bool large, bool strict)
{
	u64 region = 1ULL << NVFIFO_PDE_SHIFT;
	u64 start = va, end = va + size;
	int ret;

	while (va < end) {
		u64 part = min(end - va, region - (va & (region - 1)));

		ret = pt_prepare(vm, va >> NVFIFO_PDE_SHIFT, (va & (region - 1)) + part, large,
				 strict);
		if (ret)
			return ret;
		va += part;
	}
	vm_account(vm, start, size, true);
	return 0;
}

/* The card's view of a mapping: VRAM is one piece, system memory a list of them. */
static void vma_map(struct nvfifo_vm *vm, struct nvfifo_vma *vma)
{
	struct nvfifo_bo *bo = to_nvfifo_bo(vma->base.gem.obj);
	u64 skip = vma->base.gem.offset;
	u64 left = vma->base.va.range;
	u64 va = vma->base.va.addr;
	struct scatterlist *sg;
	unsigned int i;

	if (bo->domain == DRM_NVFIFO_DOMAIN_VRAM) {
		u64 addr = nvfifo_pte_vram(vm->ndev, bo->vram.start + skip, &vma->attr.target);

		vm_write(vm, va, left, addr, &vma->attr);
		return;
	}
	vma->attr.target = NVFIFO_TARGET_SYS_SNOOP;
	for_each_sgtable_dma_sg(bo->shmem.sgt, sg, i) {
		u64 len = sg_dma_len(sg);

		if (skip >= len) {
			skip -= len;
			continue;
		}
		len = min(len - skip, left);
		vm_write(vm, va, len, sg_dma_address(sg) + skip, &vma->attr);
		skip = 0;
		va += len;
		left -= len;
		if (!left)
			break;
	}
}

static void vma_unmap(struct nvfifo_vm *vm, struct nvfifo_vma *vma)
{
	vm_write(vm, vma->base.va.addr, vma->base.va.range, 0, NULL);
}

static void vma_free(struct nvfifo_vma *vma)
{
	drm_gem_object_put(vma->base.gem.obj);
	kfree(vma);
}

/**
 * nvfifo_vm_map_kernel() - Map memory of the driver into an address space
 * @vm: address space
 * @node: set to where it is
 * @dma: DMA address, a multiple of 4 KiB
 * @size: bytes, a multiple of 4 KiB
 * @ro_size: bytes at the start that the card may only read
 *
 * Return: 0, -ENOSPC, -ENOMEM, or -EIO or -ENODEV.
 */
int nvfifo_vm_map_kernel(struct nvfifo_vm *vm, struct drm_mm_node *node, dma_addr_t dma, u64 size,
			 u64 ro_size)
{
	struct nvfifo_page_attr attr = { .target = NVFIFO_TARGET_SYS_SNOOP, .read_only = true };
	int ret;

	mutex_lock(&vm->lock);
	ret = vm->broken ? -EIO : drm_mm_insert_node(&vm->kernel, node, size);
	if (ret)
		goto out;
	ret = vm_prepare(vm, node->start, size, false, false);
	if (ret) {
		drm_mm_remove_node(node);
		goto out;
	}
	vm_write(vm, node->start, ro_size, dma, &attr);
	attr.read_only = false;
	vm_write(vm, node->start + ro_size, size - ro_size, dma + ro_size, &attr);
	ret = nvfifo_vm_flush(vm);
	if (ret) {
		vm_write(vm, node->start, size, 0, NULL);
		vm_account(vm, node->start, size, false);
		drm_mm_remove_node(node);
	}
out:
	mutex_unlock(&vm->lock);
	return ret;
}

void nvfifo_vm_unmap_kernel(struct nvfifo_vm *vm, struct drm_mm_node *node)
{
	if (!drm_mm_node_allocated(node))
		return;
	mutex_lock(&vm->lock);
	vm_write(vm, node->start, node->size, 0, NULL);
	vm_account(vm, node->start, node->size, false);
	nvfifo_vm_flush(vm);
	drm_mm_remove_node(node);
	mutex_unlock(&vm->lock);
}

/**
 * nvfifo_vm_attach() - Fill a new channel's page directory and keep it up to date
 * @vm: address space
 * @chan: channel with a zeroed page directory
 */
void nvfifo_vm_attach(struct nvfifo_vm *vm, struct nvfifo_chan *chan)
{
	u32 i;

	mutex_lock(&vm->lock);
	for (i = 0; i < NVFIFO_PD_ENTRIES; i++)
		if (vm->pt[i])
			pde_write(chan, i, 0, pde_value(vm->pt[i]));
	list_add_tail(&chan->vm_link, &vm->chans);
	mutex_unlock(&vm->lock);
}

/* The channel is off the card, and the TLBs know nothing of it. */
void nvfifo_vm_detach(struct nvfifo_vm *vm, struct nvfifo_chan *chan)
{
	mutex_lock(&vm->lock);
	list_del(&chan->vm_link);
	mutex_unlock(&vm->lock);
}

/* --- Address spaces ------------------------------------------------------ */

static void vm_free(struct drm_gpuvm *gpuvm)
{
	kvfree(container_of(gpuvm, struct nvfifo_vm, base));
}

static const struct drm_gpuvm_ops nvfifo_gpuvm_ops = {
	.vm_free = vm_free,
};

static void tables_free(struct nvfifo_vm *vm)
{
	u32 i;

	for (i = 0; i < NVFIFO_PD_ENTRIES; i++) {
		if (vm->pt[i])
			pt_free(vm->ndev, vm->pt[i]);
		vm->pt[i] = NULL;
	}
	retired_free(vm);
}

/**
 * nvfifo_vm_detach_all() - Free the page tables of a card that is being removed
 * @ndev: the card, with no channel alive
 */
void nvfifo_vm_detach_all(struct nvfifo_device *ndev)
{
	struct nvfifo_vm *vm;

	mutex_lock(&ndev->objects_lock);
	list_for_each_entry(vm, &ndev->vms, link)
		tables_free(vm);
	mutex_unlock(&ndev->objects_lock);
}

static void vm_release(struct kref *ref)
{
	struct nvfifo_vm *vm = container_of(ref, struct nvfifo_vm, ref);
	struct drm_gpuva *va, *next;

	drm_gpuvm_for_each_va_safe(va, next, &vm->base) {
		drm_gpuva_remove(va);
		vma_free(to_vma(va));
	}
	mutex_lock(&vm->ndev->objects_lock);
	list_del(&vm->link);
	tables_free(vm);
	mutex_unlock(&vm->ndev->objects_lock);
	drm_mm_takedown(&vm->kernel);
	mutex_destroy(&vm->lock);
	drm_gpuvm_put(&vm->base);
}

void nvfifo_vm_put(struct nvfifo_vm *vm)
{
	kref_put(&vm->ref, vm_release);
}

static struct nvfifo_vm *vm_create(struct nvfifo_device *ndev)
{
	struct drm_gem_object *resv;
	struct nvfifo_vm *vm;

	vm = kvzalloc(sizeof(*vm), GFP_KERNEL);
	if (!vm)
		return ERR_PTR(-ENOMEM);
	resv = drm_gpuvm_resv_object_alloc(&ndev->drm);
	if (!resv) {
		kvfree(vm);
		return ERR_PTR(-ENOMEM);
	}
	drm_gpuvm_init(&vm->base, NVFIFO_NAME, 0, &ndev->drm, resv, NVFIFO_VA_START,
		       NVFIFO_VA_END - NVFIFO_VA_START, 0, 0, &nvfifo_gpuvm_ops);
	drm_gem_object_put(resv);
	kref_init(&vm->ref);
	vm->ndev = ndev;
	mutex_init(&vm->lock);
	INIT_LIST_HEAD(&vm->chans);
	INIT_LIST_HEAD(&vm->retired);
	drm_mm_init(&vm->kernel, NVFIFO_VA_END, (1ULL << NVFIFO_VA_BITS) - NVFIFO_VA_END);
	mutex_lock(&ndev->objects_lock);
	list_add_tail(&vm->link, &ndev->vms);
	mutex_unlock(&ndev->objects_lock);
	return vm;
}

/**
 * nvfifo_vm_lookup() - Find an address space of a file
 * @nfile: the file
 * @id: its name
 *
 * Return: the address space with a reference, NULL if there is none.
 */
struct nvfifo_vm *nvfifo_vm_lookup(struct nvfifo_file *nfile, u32 id)
{
	struct nvfifo_vm *vm;

	mutex_lock(&nfile->lock);
	vm = xa_load(&nfile->vms, id);
	if (vm)
		kref_get(&vm->ref);
	mutex_unlock(&nfile->lock);
	return vm;
}

int nvfifo_ioctl_vm_create(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_vm_create *args = data;
	struct nvfifo_vm *vm;
	int ret;

	if (args->flags)
		return nvfifo_einval(ndev, "vm_create.flags %#x is not 0", args->flags);
	ret = nvfifo_usable(ndev);
	if (ret)
		return ret;
	vm = vm_create(ndev);
	if (IS_ERR(vm))
		return PTR_ERR(vm);
	mutex_lock(&nfile->lock);
	ret = xa_alloc(&nfile->vms, &args->id, vm, XA_LIMIT(1, VMS_MAX), GFP_KERNEL);
	mutex_unlock(&nfile->lock);
	if (ret) {
		nvfifo_vm_put(vm);
		return ret == -EBUSY ? -ENOSPC : ret;
	}
	return 0;
}

int nvfifo_ioctl_vm_destroy(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct drm_nvfifo_vm_destroy *args = data;
	struct nvfifo_vm *vm;

	if (args->pad)
		return nvfifo_einval(to_nvfifo(drm), "vm_destroy.pad %#x is not 0", args->pad);
	mutex_lock(&nfile->lock);
	vm = xa_erase(&nfile->vms, args->id);
	mutex_unlock(&nfile->lock);
	if (!vm) {
		drm_dbg(drm, "vm_destroy.id %u is unknown\n", args->id);
		return -ENOENT;
	}
	nvfifo_vm_put(vm);
	return 0;
}

/* The file is closed and its channels are gone. */
void nvfifo_vm_free_all(struct nvfifo_file *nfile)
{
	struct nvfifo_vm *vm;
	unsigned long id;

	xa_for_each(&nfile->vms, id, vm)
		nvfifo_vm_put(vm);
	xa_destroy(&nfile->vms);
}

/* --- VM_BIND ------------------------------------------------------------- */

/**
 * struct bind_op - One operation on its way
 * @vma: new mapping, NULL for an unmap
 * @removed: mappings that were taken out of the tree
 */
struct bind_op {
	struct nvfifo_vma *vma;
	struct list_head removed;
};

static int check_range(struct nvfifo_device *ndev, const struct drm_nvfifo_vm_bind_op *op, u32 i,
		       u64 page)
{
	if (!op->range || op->range % page || op->va % page)
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].va %#llx or range %#llx is 0 or not a multiple of %#llx",
				     i, op->va, op->range, page);
	if (op->va < NVFIFO_VA_START || op->va >= NVFIFO_VA_END ||
	    op->range > NVFIFO_VA_END - op->va)
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].va %#llx with range %#llx is not in %#x to %#llx",
				     i, op->va, op->range, NVFIFO_VA_START, NVFIFO_VA_END);
	return 0;
}

static int check_map(struct nvfifo_device *ndev, const struct drm_nvfifo_vm_bind_op *op, u32 i,
		     const struct nvfifo_bo *bo)
{
	u64 size = bo->shmem.base.size;
	bool vram = bo->domain == DRM_NVFIFO_DOMAIN_VRAM;

	if (op->bo_offset > size || op->range > size - op->bo_offset)
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].bo_offset %#llx with range %#llx is outside of the BO's %#llx bytes",
				     i, op->bo_offset, op->range, size);
	if (op->bo_offset % (op->page_shift == 16 ? SZ_64K : SZ_4K))
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].bo_offset %#llx is not a multiple of the page size",
				     i, op->bo_offset);
	if (op->page_shift == 16 && !vram)
		return nvfifo_einval(ndev, "vm_bind.ops[%u].page_shift 16 needs a VRAM BO", i);
	if (nvfifo_kind_class(op->kind) == NVFIFO_KIND_INVALID)
		return nvfifo_einval(ndev, "vm_bind.ops[%u].kind %#x is not a storage type", i,
				     op->kind);
	if (op->kind && !vram && !ndev->chip->g84)
		return nvfifo_einval(ndev,
				     "vm_bind.ops[%u].kind %#x: G80 has none for system memory",
				     i, op->kind);
	return 0;
}

/* What can be said of an operation without knowing the address space. */
static int check_op(struct nvfifo_device *ndev, const struct drm_nvfifo_vm_bind_op *op, u32 i)
{
	if (op->pad)
		return nvfifo_einval(ndev, "vm_bind.ops[%u].pad %#x is not 0", i, op->pad);
	if (op->page_shift && op->page_shift != 12 && op->page_shift != 16)
		return nvfifo_einval(ndev, "vm_bind.ops[%u].page_shift %u is none of 0, 12, 16", i,
				     op->page_shift);
	switch (op->op) {
	case DRM_NVFIFO_VM_BIND_OP_MAP:
		if (op->flags & ~DRM_NVFIFO_VM_BIND_READ_ONLY)
			return nvfifo_einval(ndev, "vm_bind.ops[%u].flags %#x: unknown bits", i,
					     op->flags);
		break;
	case DRM_NVFIFO_VM_BIND_OP_UNMAP:
		if (op->flags || op->bo_handle || op->bo_offset || op->kind || op->page_shift)
			return nvfifo_einval(ndev,
					     "vm_bind.ops[%u]: an unmap has only va and range",
					     i);
		break;
	default:
		return nvfifo_einval(ndev, "vm_bind.ops[%u].op %u is unknown", i, op->op);
	}
	return check_range(ndev, op, i, op->page_shift == 16 ? SZ_64K : SZ_4K);
}

static int bind_map(struct nvfifo_vm *vm, struct drm_file *file,
		    const struct drm_nvfifo_vm_bind_op *op, u32 i, struct bind_op *out)
{
	struct nvfifo_device *ndev = vm->ndev;
	struct drm_gem_object *obj;
	struct nvfifo_vma *vma;
	struct nvfifo_bo *bo;
	bool large;
	int ret;

	obj = drm_gem_object_lookup(file, op->bo_handle);
	if (!obj) {
		drm_dbg(&ndev->drm, "vm_bind.ops[%u].bo_handle %u is unknown\n", i, op->bo_handle);
		return -ENOENT;
	}
	bo = to_nvfifo_bo(obj);
	ret = check_map(ndev, op, i, bo);
	if (ret)
		goto err_obj;
	if (!drm_gpuvm_interval_empty(&vm->base, op->va, op->range)) {
		drm_dbg(&ndev->drm, "vm_bind.ops[%u].va %#llx, range %#llx: something is mapped there\n",
			i, op->va, op->range);
		ret = -EEXIST;
		goto err_obj;
	}
	if (bo->domain == DRM_NVFIFO_DOMAIN_SYSTEM) {
		struct sg_table *sgt = drm_gem_shmem_get_pages_sgt(&bo->shmem);

		if (IS_ERR(sgt)) {
			ret = PTR_ERR(sgt);
			goto err_obj;
		}
	}
	vma = kzalloc(sizeof(*vma), GFP_KERNEL);
	if (!vma) {
		ret = -ENOMEM;
		goto err_obj;
	}
	large = bo->domain == DRM_NVFIFO_DOMAIN_VRAM && op->page_shift != 12 &&
		!((op->va | op->range | op->bo_offset) & (SZ_64K - 1));
	ret = vm_prepare(vm, op->va, op->range, large, op->page_shift == 16);
	if (ret)
		goto err_vma;
	vma->attr.kind = op->kind;
	vma->attr.read_only = op->flags & DRM_NVFIFO_VM_BIND_READ_ONLY;
	vma->base.va.addr = op->va;
	vma->base.va.range = op->range;
	vma->base.gem.obj = obj;
	vma->base.gem.offset = op->bo_offset;
	ret = drm_gpuva_insert(&vm->base, &vma->base);
	if (ret) {
		vm_account(vm, op->va, op->range, false);
		goto err_vma;
	}
	out->vma = vma;
	return 0;

err_vma:
	kfree(vma);
err_obj:
	drm_gem_object_put(obj);
	return ret;
}

static int bind_unmap(struct nvfifo_vm *vm, const struct drm_nvfifo_vm_bind_op *op, u32 i,
		      struct bind_op *out)
{
	u64 end = op->va + op->range;
	struct drm_gpuva *va, *next;

	drm_gpuvm_for_each_va_range(va, &vm->base, op->va, end)
		if (va->va.addr < op->va || va->va.addr + va->va.range > end)
			return nvfifo_einval(vm->ndev,
					     "vm_bind.ops[%u].va %#llx, range %#llx cuts the mapping at %#llx, range %#llx",
					     i, op->va, op->range, va->va.addr, va->va.range);
	drm_gpuvm_for_each_va_range_safe(va, next, &vm->base, op->va, end) {
		drm_gpuva_remove(va);
		list_add_tail(&to_vma(va)->link, &out->removed);
	}
	return 0;
}

/* Put the tree of mappings back as it was; no PTE has been written yet. */
static void bind_undo(struct nvfifo_vm *vm, struct bind_op *op)
{
	struct nvfifo_vma *vma, *tmp;

	if (op->vma) {
		drm_gpuva_remove(&op->vma->base);
		vm_account(vm, op->vma->base.va.addr, op->vma->base.va.range, false);
		vma_free(op->vma);
	}
	list_for_each_entry_safe(vma, tmp, &op->removed, link) {
		list_del(&vma->link);
		drm_gpuva_insert(&vm->base, &vma->base);
	}
}

static void bind_commit(struct nvfifo_vm *vm, struct bind_op *op)
{
	struct nvfifo_vma *vma;

	list_for_each_entry(vma, &op->removed, link) {
		vma_unmap(vm, vma);
		vm_account(vm, vma->base.va.addr, vma->base.va.range, false);
	}
	if (op->vma)
		vma_map(vm, op->vma);
}

static int vm_bind_locked(struct nvfifo_vm *vm, struct drm_file *file,
			  const struct drm_nvfifo_vm_bind_op *ops, struct bind_op *work, u32 count)
{
	struct nvfifo_vma *vma, *tmp;
	int ret = 0, flushed;
	u32 done, i;

	if (vm->broken)
		return -EIO;
	for (done = 0; done < count && !ret; done++) {
		INIT_LIST_HEAD(&work[done].removed);
		if (ops[done].op == DRM_NVFIFO_VM_BIND_OP_MAP)
			ret = bind_map(vm, file, &ops[done], done, &work[done]);
		else
			ret = bind_unmap(vm, &ops[done], done, &work[done]);
	}
	if (ret) {
		while (done--)
			bind_undo(vm, &work[done]);
		/* Tables may have grown on the way: same translations, other memory. */
		if (!list_empty(&vm->retired))
			nvfifo_vm_flush(vm);
		return ret;
	}
	for (i = 0; i < count; i++)
		bind_commit(vm, &work[i]);
	flushed = nvfifo_vm_flush(vm);

	/* Only now nobody can reach what was unmapped. A stuck card is off the bus. */
	for (i = 0; i < count; i++)
		list_for_each_entry_safe(vma, tmp, &work[i].removed, link)
			vma_free(vma);
	return flushed;
}

int nvfifo_ioctl_vm_bind(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct nvfifo_file *nfile = file->driver_priv;
	struct nvfifo_device *ndev = to_nvfifo(drm);
	struct drm_nvfifo_vm_bind *args = data;
	struct drm_nvfifo_vm_bind_op *ops;
	struct bind_op *work = NULL;
	struct nvfifo_vm *vm;
	int ret = 0;
	u32 i;

	if (args->flags)
		return nvfifo_einval(ndev, "vm_bind.flags %#x is not 0", args->flags);
	ret = nvfifo_usable(ndev);
	if (ret)
		return ret;
	vm = nvfifo_vm_lookup(nfile, args->vm_id);
	if (!vm) {
		drm_dbg(drm, "vm_bind.vm_id %u is unknown\n", args->vm_id);
		return -ENOENT;
	}
	ops = nvfifo_array_get(ndev, &args->ops, sizeof(*ops), NVFIFO_MAX_BIND_OPS, "vm_bind.ops");
	if (IS_ERR_OR_NULL(ops)) {
		ret = PTR_ERR_OR_ZERO(ops);
		goto out_vm;
	}
	for (i = 0; i < args->ops.count && !ret; i++)
		ret = check_op(ndev, &ops[i], i);
	if (ret)
		goto out_ops;
	work = kvcalloc(args->ops.count, sizeof(*work), GFP_KERNEL);
	if (!work) {
		ret = -ENOMEM;
		goto out_ops;
	}
	mutex_lock(&vm->lock);
	ret = vm_bind_locked(vm, file, ops, work, args->ops.count);
	mutex_unlock(&vm->lock);
	kvfree(work);
out_ops:
	kvfree(ops);
out_vm:
	nvfifo_vm_put(vm);
	return ret;
}
