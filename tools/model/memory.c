// SPDX-License-Identifier: MIT
/* Buffers, address spaces and page tables. Every allocation is in one piece and zeroed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "priv.h"

#define PAGE		0x1000ULL
#define LARGE		0x10000ULL
/* A multiple of every card's row block */
#define ROW_BLOCK	0x80000ULL
#define REGION		(1ULL << NVFIFO_PDE_SHIFT)

static __u64 round_up(__u64 n, __u64 to)
{
	return (n + to - 1) / to * to;
}

/* Return: an offset in system memory, 0 if there is no room. */
__u64 model_system_alloc(struct model *m, __u64 size)
{
	__u64 at = m->system_next;

	if (size > MODEL_SYSTEM - at)
		return 0;

	m->system_next = round_up(at + size, LARGE);

	return at;
}

static __u64 vram_alloc(struct model *m, __u64 size, __u64 align)
{
	__u64 at = round_up(m->vram_next, align);

	if (at > m->inst_next || size > m->inst_next - at)
		return 0;

	m->vram_next = at + size;

	return at;
}

/* Instance memory of the driver: from the end of VRAM down. Return: an address, or 0. */
__u64 model_inst_alloc(struct model *m, __u64 size)
{
	size = round_up(size, LARGE);
	if (size > m->inst_next - m->vram_next)
		return 0;

	m->inst_next -= size;

	return m->inst_next;
}

/* --- Buffers ------------------------------------------------------------- */

/* The memory and the tag cells of a closed buffer of the same kind, if there is one */
static void take_closed(struct model *m, struct model_bo *bo)
{
	struct model_bo *old;
	__u64 base = bo->vram ? 0 : MODEL_VRAM;

	for (old = m->bos; old < m->bos + MODEL_BUFFERS; old++) {
		if (old->used || !old->at || old->mappings || old->vram != bo->vram ||
		    old->lsr != bo->lsr || old->size != bo->size)
			continue;

		bo->at = old->at;
		bo->tag = old->tag;
		bo->comp = old->comp;
		memset(old, 0, sizeof(*old));
		memset(m->memory + base + bo->at, 0, bo->size);
		return;
	}
}

static int take_memory(struct model *m, struct model_bo *bo)
{
	__u64 align = bo->lsr ? ROW_BLOCK : LARGE;

	bo->size = round_up(bo->size, bo->vram ? align : PAGE);
	take_closed(m, bo);
	if (!bo->at && bo->vram)
		bo->at = vram_alloc(m, bo->size, align);
	else if (!bo->at)
		bo->at = model_system_alloc(m, bo->size);
	if (bo->at)
		return 0;

	return bo->vram ? -ENOSPC : -ENOMEM;
}

/*
 * Find a record without memory, or else the first one of a closed buffer, whose memory is not used
 * again.
 */
static struct model_bo *free_record(struct model *m)
{
	struct model_bo *bo, *closed = NULL;

	for (bo = m->bos; bo < m->bos + MODEL_BUFFERS; bo++) {
		if (bo->used)
			continue;
		if (!bo->at)
			return bo;
		if (!closed && !bo->mappings)
			closed = bo;
	}

	return closed;
}

int model_bo_create(struct model *m, struct drm_nvfifo_bo_create *args)
{
	struct model_bo *bo, init = { .used = true, .size = args->size };
	int ret;

	if (nvfifo_bo_rule(args))
		return -EINVAL;

	init.vram = args->domain == DRM_NVFIFO_DOMAIN_VRAM;
	init.wc = args->flags & DRM_NVFIFO_BO_WC;
	init.lsr = args->flags & DRM_NVFIFO_BO_LSR;
	bo = free_record(m);
	if (!bo)
		return -ENOMEM;

	ret = take_memory(m, &init);
	if (ret)
		return ret;

	*bo = init;
	args->size = bo->size;
	args->handle = (__u32)(bo - m->bos) + 1;
	args->mmap_offset = bo->at;
	if (!bo->vram)
		args->mmap_offset += MODEL_VRAM;

	return 0;
}

struct model_bo *model_bo_find(struct model *m, __u32 handle)
{
	if (!handle || handle > MODEL_BUFFERS || !m->bos[handle - 1].used)
		return NULL;

	return &m->bos[handle - 1];
}

int model_bo_label(struct model *m, const struct drm_nvfifo_bo_label *args)
{
	struct model_bo *bo = model_bo_find(m, args->handle);

	if (!bo)
		return -ENOENT;
	if (args->size >= sizeof(bo->label))
		return -EINVAL;

	memset(bo->label, 0, sizeof(bo->label));
	memcpy(bo->label, (const void *)(uintptr_t)args->label, args->size);

	return 0;
}

const void *model_buffer(const struct model *m, size_t index, __u64 *size, const char **label)
{
	const struct model_bo *bo;

	for (bo = m->bos; bo < m->bos + MODEL_BUFFERS; bo++) {
		if (!bo->used || index--)
			continue;

		*size = bo->size;
		*label = bo->label;
		if (bo->vram)
			return m->memory + bo->at;

		return m->memory + MODEL_VRAM + bo->at;
	}

	return NULL;
}

/* Address and target of a PTE for a buffer's first page */
__u64 model_linear(const struct model *m, const struct model_bo *bo, __u8 *target)
{
	if (!bo->vram) {
		*target = NVFIFO_TARGET_SYS_SNOOP;
		return MODEL_SYSTEM_BASE + bo->at;
	}

	*target = NVFIFO_TARGET_VRAM;
	if (m->igp)
		*target = NVFIFO_TARGET_SYS_NOSNOOP;

	return m->igp_base + bo->at;
}

/* The buffer's compression tags: @mode cells for each 64 KiB. Return: the first, or 0 if none. */
__u32 model_bo_tags(struct model *m, struct model_bo *bo, __u32 mode)
{
	__u32 cells = (__u32)(bo->size / LARGE) * mode;

	if (bo->comp)
		return bo->comp == mode ? bo->tag : 0;

	/* Cell 0 stays free, so that 0 means none. */
	if (!m->tag_next)
		m->tag_next = 1;
	if (cells > m->tags || m->tag_next > m->tags - cells)
		return 0;

	bo->comp = mode;
	bo->tag = m->tag_next;
	m->tag_next += cells;

	return bo->tag;
}

/* --- Address spaces ------------------------------------------------------ */

int model_vm_create(struct model *m, struct drm_nvfifo_vm_create *args)
{
	__u32 id = 0;

	if (args->flags)
		return -EINVAL;

	while (id < MODEL_SPACES && m->vms[id])
		id++;
	if (id == MODEL_SPACES)
		return -ENOSPC;

	m->vms[id] = calloc(1, sizeof(*m->vms[id]));
	if (!m->vms[id])
		return -ENOMEM;

	m->vms[id]->used = true;
	m->vms[id]->driver_next = NVFIFO_VA_END;
	args->id = id + 1;

	return 0;
}

struct model_vm *model_vm_find(struct model *m, __u32 id)
{
	if (!id || id > MODEL_SPACES || !m->vms[id - 1] || !m->vms[id - 1]->used)
		return NULL;

	return m->vms[id - 1];
}

/* Keep the memory until the card is freed: channels may still use it. */
int model_vm_destroy(struct model *m, const struct drm_nvfifo_vm_destroy *args)
{
	struct model_vm *vm = model_vm_find(m, args->id);

	if (!vm)
		return -ENOENT;

	vm->used = false;

	return 0;
}

/* --- Page tables --------------------------------------------------------- */

static __u64 pde_of(const struct model_table *t)
{
	struct nvfifo_pde pde = { .target = NVFIFO_TARGET_SYS_SNOOP };

	pde.address = t->address;
	pde.type = t->pt.type;
	pde.size = t->pt.size;

	return nvfifo_pde_encode(&pde);
}

/* The word with the type, which makes the entry valid, comes last. */
static void pde_write(struct model *m, const struct model_channel *c, __u32 index)
{
	__u64 at = c->inst + nvfifo_chan_directory(m->g84) + index * 8;
	__u64 pde = pde_of(&c->vm->tables[index]);

	model_vram_write(m, at, 0);
	model_vram_write(m, at + 4, (__u32)(pde >> 32));
	model_vram_write(m, at, (__u32)pde);
}

/* Fill the page directory of a new channel. */
void model_vm_attach(struct model *m, const struct model_channel *c)
{
	__u32 i;

	for (i = 0; i < NVFIFO_PD_ENTRIES; i++) {
		if (c->vm->tables[i].pt.entries)
			pde_write(m, c, i);
	}
}

/* The table that the card reads is its own copy. */
static void table_store(struct nvfifo_pt *pt, __u32 word, __u32 val)
{
	((__u32 *)pt->entries)[word] = val;
}

static int table_replace(struct model *m, struct model_vm *vm, __u32 index, unsigned int type)
{
	struct model_table t = { .pt.type = (__u8)type, .pt.store = table_store };
	struct model_table *old = &vm->tables[index];
	__u64 at;
	__u32 i;

	t.pt.count = nvfifo_pt_entries(type, 0);
	at = model_system_alloc(m, t.pt.count * 8ULL);
	if (!at)
		return -ENOMEM;

	t.pt.entries = model_system(m, at);
	t.address = MODEL_SYSTEM_BASE + at;
	if (old->pt.entries)
		nvfifo_pt_copy(&t.pt, &old->pt);
	*old = t;

	for (i = 0; i < NVFIFO_CHANNELS; i++) {
		if (m->channels[i].used && m->channels[i].vm == vm)
			pde_write(m, &m->channels[i], index);
	}

	return 0;
}

/* A region has the smallest pages that a mapping in it has needed. */
static int table_get(struct model *m, struct model_vm *vm, __u32 index, unsigned int type,
		     bool wanted)
{
	const struct nvfifo_pt *pt = &vm->tables[index].pt;

	if (!pt->entries)
		return table_replace(m, vm, index, type);
	if (nvfifo_pt_page_shift(pt->type) > nvfifo_pt_page_shift(type))
		return table_replace(m, vm, index, type);
	if (wanted && pt->type != type)
		return -EBUSY;

	return 0;
}

/* @pte is that of the first page; @wanted is the required size of pages. */
static int map_range(struct model *m, struct model_vm *vm, __u64 va, __u64 size, __u64 pte,
		     unsigned int type, bool wanted)
{
	while (size) {
		__u32 index = (__u32)(va >> NVFIFO_PDE_SHIFT), pages;
		__u64 offset = va & (REGION - 1), bytes = REGION - offset;
		struct nvfifo_pt *pt = &vm->tables[index].pt;
		unsigned int shift;
		int ret = table_get(m, vm, index, type, wanted);

		if (ret)
			return ret;

		if (bytes > size)
			bytes = size;
		shift = nvfifo_pt_page_shift(pt->type);
		pages = (__u32)(bytes >> shift);
		nvfifo_pt_write(pt, (__u32)(offset >> shift), pages, pte, NULL);
		pte += pages * nvfifo_pte_step(shift, pte);
		va += bytes;
		size -= bytes;
	}

	return 0;
}

static void unmap_range(struct model_vm *vm, __u64 va, __u64 size)
{
	while (size) {
		__u64 offset = va & (REGION - 1), bytes = REGION - offset;
		struct nvfifo_pt *pt = &vm->tables[va >> NVFIFO_PDE_SHIFT].pt;
		unsigned int shift = nvfifo_pt_page_shift(pt->type);

		if (bytes > size)
			bytes = size;
		nvfifo_pt_write(pt, (__u32)(offset >> shift), (__u32)(bytes >> shift), 0, NULL);
		va += bytes;
		size -= bytes;
	}
}

static bool is_free(const struct model_vm *vm, __u64 va, __u64 range)
{
	size_t i;

	for (i = 0; i < vm->mapping_count; i++) {
		const struct model_mapping *have = &vm->mappings[i];

		if (va < have->va + have->range && have->va < va + range)
			return false;
	}

	return true;
}

static int mapping_add(struct model_vm *vm, __u64 va, __u64 range, struct model_bo *bo)
{
	struct model_mapping *more;

	more = realloc(vm->mappings, (vm->mapping_count + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;

	vm->mappings = more;
	vm->mappings[vm->mapping_count++] = (struct model_mapping){ va, range, bo };
	bo->mappings++;

	return 0;
}

static const char *bind_error(const struct model *m, const struct drm_nvfifo_vm_bind_op *op,
			      const struct model_bo *bo)
{
	struct nvfifo_map_request request = nvfifo_bind_request(op, m->chip, m->tags);

	if (!bo)
		return nvfifo_bind_rule(op, &request, 0);

	request.vram = bo->vram;
	request.system = !bo->vram;
	request.wc = bo->wc;
	request.lsr = bo->lsr;

	return nvfifo_bind_rule(op, &request, bo->size);
}

static int make_pte(struct model *m, const struct drm_nvfifo_vm_bind_op *op, struct model_bo *bo,
		    __u64 *word)
{
	struct nvfifo_pte pte = nvfifo_bind_pte(op);
	__u8 target;

	pte.address = model_linear(m, bo, &target) + op->bo_offset;
	if (!pte.target)
		pte.target = target;
	if (op->compression) {
		__u32 tag = model_bo_tags(m, bo, op->compression);

		if (!tag)
			return -ENOSPC;

		pte.tag = (__u16)(tag + op->bo_offset / LARGE * op->compression);
	}

	*word = nvfifo_pte_encode(&pte);

	return 0;
}

static int bind_map(struct model *m, struct model_vm *vm, const struct drm_nvfifo_vm_bind_op *op)
{
	struct model_bo *bo = model_bo_find(m, op->bo_handle);
	__u64 pte;
	int ret;

	if (!bo)
		return -ENOENT;
	if (op->flags & DRM_NVFIFO_VM_BIND_REPLACE)
		return -EOPNOTSUPP;
	if (bind_error(m, op, bo))
		return -EINVAL;
	if (!is_free(vm, op->va, op->range))
		return -EEXIST;

	ret = make_pte(m, op, bo, &pte);
	if (!ret)
		ret = map_range(m, vm, op->va, op->range, pte,
				nvfifo_bind_table(op, bo->vram), op->page_shift);
	if (!ret)
		ret = mapping_add(vm, op->va, op->range, bo);

	return ret;
}

/* A mapping that was made by one operation, as a whole */
static int bind_unmap(const struct model *m, struct model_vm *vm,
		      const struct drm_nvfifo_vm_bind_op *op)
{
	size_t i = 0;

	if (bind_error(m, op, NULL))
		return -EINVAL;

	while (i < vm->mapping_count && vm->mappings[i].va != op->va)
		i++;
	if (i == vm->mapping_count || vm->mappings[i].range > op->range)
		return -EOPNOTSUPP;

	vm->mappings[i].bo->mappings--;
	unmap_range(vm, op->va, vm->mappings[i].range);
	vm->mappings[i] = vm->mappings[--vm->mapping_count];
	return 0;
}

int model_vm_bind(struct model *m, const struct drm_nvfifo_vm_bind *args)
{
	const struct drm_nvfifo_vm_bind_op *ops = (const void *)(uintptr_t)args->ops.ptr;
	struct model_vm *vm = model_vm_find(m, args->vm_id);
	__u32 i;
	int ret = 0;

	if (!vm)
		return -ENOENT;
	if (args->flags || args->syncs.count)
		return -EOPNOTSUPP;

	for (i = 0; i < args->ops.count && !ret; i++) {
		if (ops[i].op == DRM_NVFIFO_VM_BIND_OP_MAP)
			ret = bind_map(m, vm, &ops[i]);
		else
			ret = bind_unmap(m, vm, &ops[i]);
	}

	model_bar_flush(m);
	model_tlb_flush(m);

	return ret;
}

/**
 * model_map_driver() - Map memory of the driver into its part of an address space
 * @m: the model
 * @vm: the address space
 * @at: offset in system memory
 * @size: bytes, whole pages
 * @read_only: so many bytes from the start are read only for the card
 * @va: out: where
 *
 * Return: 0 or a negative errno.
 */
int model_map_driver(struct model *m, struct model_vm *vm, __u64 at, __u64 size, __u64 read_only,
		     __u64 *va)
{
	struct nvfifo_pte pte = {
		.present = true,
		.read_only = true,
		.target = NVFIFO_TARGET_SYS_SNOOP,
		.address = MODEL_SYSTEM_BASE + at,
	};
	int ret = 0;

	if (size > (1ULL << NVFIFO_VA_BITS) - vm->driver_next)
		return -ENOSPC;

	*va = vm->driver_next;
	vm->driver_next += round_up(size, LARGE);
	if (read_only)
		ret = map_range(m, vm, *va, read_only, nvfifo_pte_encode(&pte), NVFIFO_PT_4K,
				false);
	pte.read_only = false;
	pte.address += read_only;
	if (!ret)
		ret = map_range(m, vm, *va + read_only, size - read_only, nvfifo_pte_encode(&pte),
				NVFIFO_PT_4K, false);

	return ret;
}
