// SPDX-License-Identifier: MIT
/*
 * Failing memory: every allocation of every call fails once. The call must return the error
 * and change nothing, and the same call must then succeed.
 *
 * /proc/self/fail-nth makes the nth allocation of this task fail. n starts at 1 and goes up
 * until a call ends before its nth allocation. The script that runs this test looks for
 * leaks after the module's removal.
 *
 * Guards the kernel, when allocations fail (threat-model.rst), on one chip.
 */
#include "fault.h"

#include <pthread.h>

#include <linux/dma-heap.h>

#define NTH_MAX 1000

static struct nv nv;
static uint32_t vm;
static struct ch ch;
static struct bo sys, vram, small, large;
static uint64_t sys_va, vram_va, mixed_va, split_va;
static uint32_t debug_vm;
static struct state before;

/* Objects that a call created, for its undo */
static uint32_t made_id;
static int made_fd = -1;

/* --- The calls ---------------------------------------------------------------------- */

struct verb {
	const char *name;
	void (*setup)(void);
	int (*call)(void);
	void (*undo)(void);
};

static void nothing(void)
{
}

static int query_call(void)
{
	struct drm_nvfifo_query_device d;

	return query(nv.fd, DRM_NVFIFO_QUERY_DEVICE, &d, sizeof(d));
}

static int bo_call(uint32_t domain, uint32_t flags, uint64_t size)
{
	struct bo bo;
	int ret = bo_create_flags(&nv, &bo, domain, flags, size);

	made_id = bo.handle;
	return ret;
}

static int bo_sys_call(void)
{
	return bo_call(DRM_NVFIFO_DOMAIN_SYSTEM, 0, 64 * KIB);
}

static int bo_wc_call(void)
{
	return bo_call(DRM_NVFIFO_DOMAIN_SYSTEM, DRM_NVFIFO_BO_WC, 64 * KIB);
}

static int bo_vram_call(void)
{
	return bo_call(DRM_NVFIFO_DOMAIN_VRAM, 0, 4096);
}

static int bo_contiguous_call(void)
{
	return bo_call(DRM_NVFIFO_DOMAIN_VRAM, DRM_NVFIFO_BO_CONTIGUOUS, 128 * KIB);
}

/* Free VRAM is in extents of 64 KiB when this is called. */
static int bo_pieces_call(void)
{
	return bo_call(DRM_NVFIFO_DOMAIN_VRAM, 0, 6 * 64 * KIB);
}

static int label_call(void)
{
	return bo_label(&nv, sys.handle, "a label");
}

static void label_undo(void)
{
	need(!bo_label(&nv, sys.handle, ""), "BO_LABEL");
}

static int info_call(void)
{
	struct drm_nvfifo_bo_info info;

	return bo_info(&nv, vram.handle, &info);
}

static void bo_undo(void)
{
	bo_close(&nv, made_id);
}

static int vm_call(void)
{
	return vm_create(&nv, &made_id);
}

static void vm_undo(void)
{
	vm_destroy(&nv, made_id);
}

static void vm_setup(void)
{
	made_id = new_vm(&nv);
}

static int vm_destroy_call(void)
{
	return vm_destroy(&nv, made_id);
}

static int map_sys_call(void)
{
	return vm_map_at(&nv, vm, &sys, sys_va, 0, 0);
}

static void unmap_sys(void)
{
	vm_unmap(&nv, vm, sys_va, sys.size);
}

static int map_vram_call(void)
{
	return vm_map_at(&nv, vm, &vram, vram_va, DRM_NVFIFO_VM_BIND_READ_ONLY, 16);
}

static void unmap_vram(void)
{
	vm_unmap(&nv, vm, vram_va, vram.size);
}

static void map_sys(void)
{
	need(!map_sys_call(), "map");
}

static int unmap_call(void)
{
	return vm_unmap(&nv, vm, sys_va, sys.size);
}

/* One array: unmap one mapping and map two others, in a region whose table has to grow. */
static int bind_many_call(void)
{
	struct drm_nvfifo_vm_bind_op ops[4];

	ops[0] = op_unmap(sys_va, sys.size);
	ops[1] = op_map(&small, sys_va);
	ops[2] = op_map(&small, sys_va + 100 * MIB);
	ops[3] = op_map(&sys, sys_va + 300 * MIB);
	return vm_bind(&nv, vm, ops, 4);
}

static void bind_many_undo(void)
{
	vm_unmap(&nv, vm, sys_va, 400 * MIB);
}

/* A region of 64 KiB pages that turns into one of 4 KiB pages. */
static void mixed_setup(void)
{
	need(!vm_map_at(&nv, vm, &vram, mixed_va, 0, 16), "map");
}

static int mixed_call(void)
{
	return vm_map_at(&nv, vm, &small, mixed_va + 1 * MIB, 0, 12);
}

static void mixed_undo(void)
{
	vm_unmap(&nv, vm, mixed_va, 2 * MIB);
}

/* Unmap a page in the middle of 64 KiB pages: the region needs another table and two mappings. */
static void split_setup(void)
{
	need(!vm_map_at(&nv, vm, &large, split_va, 0, 16), "map");
}

static int split_call(void)
{
	return vm_unmap(&nv, vm, split_va + 68 * KIB, 4096);
}

static void split_undo(void)
{
	vm_unmap(&nv, vm, split_va, large.size);
}

/* The card's view of the page to unmap and of the page before it */
static bool split_intact(void)
{
	bool ok;

	new_object(&ch, 0x5911, split_va + 64 * KIB, 64 * KIB);
	p_release(&ch, 0x5911, 0x0ffc, 0x5911);
	p_release(&ch, 0x5911, 0x1000, 0x5912);
	p_acquire(&ch, 0x5911, 0x0ffc, 0x5911);
	p_acquire(&ch, 0x5911, 0x1000, 0x5912);
	ok = ch_run(&ch) == 1;
	return !object_destroy(&nv, ch.id, 0x5911) && ok;
}

static int replace_call(void)
{
	struct drm_nvfifo_vm_bind_op op = op_map(&small, split_va + 68 * KIB);

	op.flags = DRM_NVFIFO_VM_BIND_REPLACE;
	return vm_bind(&nv, vm, &op, 1);
}

static void many_setup(void)
{
	split_setup();
	map_sys();
}

/* Splits, replacements and new regions in one call. */
static int replace_many_call(void)
{
	struct drm_nvfifo_vm_bind_op ops[5];

	ops[0] = op_unmap(sys_va + 4096, 8192);
	ops[1] = op_map(&small, sys_va + 128 * KIB);
	ops[1].flags = DRM_NVFIFO_VM_BIND_REPLACE;
	ops[2] = op_unmap(split_va + 4096, 64 * KIB);
	ops[3] = op_map(&vram, sys_va + 700 * MIB);
	ops[4] = op_map(&sys, sys_va + 100 * GIB);
	return vm_bind(&nv, vm, ops, 5);
}

static void replace_many_undo(void)
{
	split_undo();
	vm_unmap(&nv, vm, sys_va, 1 * GIB);
	vm_unmap(&nv, vm, sys_va + 100 * GIB, 1 * GIB);
}

static int compress_call(void)
{
	struct drm_nvfifo_vm_bind_op op = op_map(&large, split_va);

	op.compression = DRM_NVFIFO_COMPRESSION_DOUBLE;
	return vm_bind(&nv, vm, &op, 1);
}

static int chan_call(void)
{
	return chan_create(&nv, vm, nv.lim.ring_order_min, &made_id);
}

static void chan_undo(void)
{
	chan_destroy(&nv, made_id);
}

static void chan_setup(void)
{
	need(!chan_call(), "CHANNEL_CREATE");
}

static int chan_destroy_call(void)
{
	return chan_destroy(&nv, made_id);
}

static int chan_query_call(void)
{
	struct drm_nvfifo_channel_query q;

	return chan_query(&nv, ch.id, &q);
}

static int object_call(void)
{
	return object_dma(&nv, ch.id, 0x4242, sys_va, 4096);
}

static void object_undo(void)
{
	object_destroy(&nv, ch.id, 0x4242);
}

static void object_setup(void)
{
	need(!object_call(), "OBJECT_CREATE");
}

static int object_destroy_call(void)
{
	return object_destroy(&nv, ch.id, 0x4242);
}

/* Past the page tables; the channel keeps the memory, so it has one of its own. */
static void unpaged_setup(void)
{
	chan_setup();
}

static int unpaged_with(const struct bo *bo, uint32_t compression)
{
	struct drm_nvfifo_object_create o = {
		.channel_id = made_id,
		.handle = 0x4243,
		.oclass = NVFIFO_CLASS_DMA_RW,
		.access = DRM_NVFIFO_ACCESS_RW,
		.flags = DRM_NVFIFO_OBJECT_UNPAGED,
		.size = bo->size,
		.bo_handle = bo->handle,
		.user = DRM_NVFIFO_USER_BOTH,
		.compression = compression,
	};

	return nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o);
}

static int unpaged_vram_call(void)
{
	return unpaged_with(&vram, 0);
}

static int unpaged_sys_call(void)
{
	return unpaged_with(&small, 0);
}

static int unpaged_comp_call(void)
{
	return unpaged_with(&vram, DRM_NVFIFO_COMPRESSION_SINGLE);
}

static uint32_t wait_for, tell, timeline;
static uint64_t point;

static void submit_setup(void)
{
	if (!wait_for) {
		wait_for = sync_new(&nv);
		tell = sync_new(&nv);
		timeline = sync_new(&nv);
		p_ref(&ch, 1);
		need(!ch_submit_sync(&ch, 0, wait_for) && sync_finish(&nv, wait_for) == 1, "SUBMIT");
	}

	/* Nothing is in flight: the segment that submit_call() names begins here. */
	ch_rewind(&ch);
	p_ref(&ch, 0xfa11);
}

static int submit_call(void)
{
	struct drm_nvfifo_entry e = { .address = ch.push_va, .words = 2 };
	struct drm_nvfifo_sync s[] = {
		{ .flags = DRM_NVFIFO_SYNC_WAIT, .handle = wait_for },
		{ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = tell },
		{ .flags = DRM_NVFIFO_SYNC_SIGNAL | DRM_NVFIFO_SYNC_TIMELINE, .handle = timeline,
		  .timeline_value = point + 1 },
	};

	return submit_raw(&nv, ch.id, &e, 1, s, 3, NULL);
}

/* A SUBMIT cannot be undone, but it ends. */
static void submit_undo(void)
{
	need(sync_finish(&nv, tell) == 1, "SUBMIT: the work that went through ends");
	point++;
	before = state_of(&nv, ch.id);
}

/* A SUBMIT without waits, which goes to the ring at once. */
static int submit_now_call(void)
{
	struct drm_nvfifo_entry e = { .address = ch.push_va, .words = 2 };
	struct drm_nvfifo_sync s = sync_signal(tell);

	return submit_raw(&nv, ch.id, &e, 1, &s, 1, NULL);
}

static void submit_now_undo(void)
{
	need(sync_finish(&nv, tell) == 1, "SUBMIT: the work that went through ends");
	before = state_of(&nv, ch.id);
}

static struct lin lin;

static void lin_setup(void)
{
	if (lin.n > lin.buf.size / 8) {
		l_word(&lin, JUMP(lin.va));
		lin.n = 0;
	}
	l_fence(&lin);
}

static int lin_call(void)
{
	return lin_submit(&lin);
}

/* If a failed call used up a seqno, this SUBMIT would wait for the wrong fence. */
static void lin_undo(void)
{
	need(lin_finish(&lin, lin.seqno) == 1, "SUBMIT in DMA mode: the work that went through ends");
}

static int chan_modes_call(void)
{
	struct drm_nvfifo_channel_create c = {
		.vm_id = vm,
		.flags = DRM_NVFIFO_CHANNEL_DMA_MODE | DRM_NVFIFO_CHANNEL_EVENT,
		.start = sys_va,
	};
	int ret = chan_create_args(&nv, &c);

	made_id = c.id;
	return ret;
}

static int wait_call(void)
{
	uint32_t word = 1;
	struct drm_nvfifo_channel_wait w = {
		.channel_id = ch.id, .value = 2, .address = (uintptr_t)&word,
		.timeout_ns = now_ns() + 2000000,
	};
	int ret = nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w);

	return ret == -ETIME ? 0 : ret;
}

/* The first one allocates the channel's context image, which lives as long as the channel. */
static int engine_call(void)
{
	struct drm_nvfifo_object_create o = {
		.channel_id = made_id,
		.handle = 0x4242,
		.type = DRM_NVFIFO_OBJECT_ENGINE,
		.oclass = 0x5039,
	};

	return nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o);
}

static int async_bind(struct drm_nvfifo_vm_bind_op op)
{
	struct drm_nvfifo_sync s[] = {
		{ .flags = DRM_NVFIFO_SYNC_WAIT, .handle = wait_for },
		{ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = tell },
		{ .flags = DRM_NVFIFO_SYNC_SIGNAL | DRM_NVFIFO_SYNC_TIMELINE, .handle = timeline,
		  .timeline_value = point + 1 },
	};

	return vm_bind_async(&nv, vm, &op, 1, s, 3);
}

static int async_map_call(void)
{
	return async_bind(op_map(&sys, sys_va));
}

static void async_map_undo(void)
{
	need(sync_finish(&nv, tell) == 1, "VM_BIND: the call that went through ends");
	point++;
	unmap_sys();
}

static int async_split_call(void)
{
	return async_bind(op_unmap(split_va + 68 * KIB, 4096));
}

static void async_split_undo(void)
{
	need(sync_finish(&nv, tell) == 1, "VM_BIND: the call that went through ends");
	point++;
	split_undo();
}

/* The scheduler of an address space is made when it is used first. */
static uint32_t first_vm;

static void async_first_setup(void)
{
	first_vm = new_vm(&nv);
}

static int async_first_call(void)
{
	struct drm_nvfifo_vm_bind_op op = op_map(&sys, sys_va);
	struct drm_nvfifo_sync s = { .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = tell };

	return vm_bind_async(&nv, first_vm, &op, 1, &s, 1);
}

static void async_first_undo(void)
{
	need(sync_finish(&nv, tell) == 1, "VM_BIND: the call that went through ends");
	vm_destroy(&nv, first_vm);
}

static int open_call(void)
{
	struct drm_nvfifo_query_device d;
	int ret;

	made_fd = node_open();
	if (made_fd < 0)
		return -ENOMEM;

	/* Check that the opened file works. */
	ret = query(made_fd, DRM_NVFIFO_QUERY_DEVICE, &d, sizeof(d));
	if (ret)
		close(made_fd);
	return ret;
}

static void open_undo(void)
{
	close(made_fd);
}

static int export_call(void)
{
	struct drm_prime_handle p = { .handle = sys.handle, .flags = DRM_CLOEXEC, .fd = -1 };
	int ret = nv_ioctl(nv.fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p);

	made_fd = p.fd;
	return ret;
}

static int mmap_call(void)
{
	void *p = mmap(NULL, small.size, PROT_READ | PROT_WRITE, MAP_SHARED, nv.fd,
		       (off_t)small.offset);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, small.size);
	return 0;
}

static int touch_call(void)
{
	volatile uint32_t *p = mmap(NULL, small.size, PROT_READ | PROT_WRITE, MAP_SHARED, nv.fd,
				    (off_t)small.offset);

	if (p == MAP_FAILED)
		return -errno;

	/* An access waits until there is memory. */
	(void)*p;
	munmap((void *)p, small.size);
	return 0;
}

/* A buffer gets its memory in the first call that needs it, so each call has a new one. */
static int new_sys_bo_call(int (*use)(struct bo *bo))
{
	struct bo bo;
	int ret = bo_create(&nv, &bo, DRM_NVFIFO_DOMAIN_SYSTEM, 64 * KIB);

	if (ret)
		return ret;

	ret = use(&bo);
	bo_close(&nv, bo.handle);

	return ret;
}

static int new_map(struct bo *bo)
{
	return vm_map_at(&nv, vm, bo, sys_va, 0, 0);
}

static int new_map_call(void)
{
	return new_sys_bo_call(new_map);
}

static int new_mmap(struct bo *bo)
{
	volatile uint32_t *p = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, nv.fd,
				    (off_t)bo->offset);

	if (p == MAP_FAILED)
		return -errno;

	/* Its memory is there, or mmap() has failed. */
	*p = 1;
	munmap((void *)p, bo->size);

	return 0;
}

static int new_mmap_call(void)
{
	return new_sys_bo_call(new_mmap);
}

static int new_export(struct bo *bo)
{
	made_fd = prime_export(&nv, bo->handle);
	if (made_fd < 0)
		return made_fd;

	return 0;
}

static int new_export_call(void)
{
	return new_sys_bo_call(new_export);
}

/* A buffer of this card that the file has no handle of */
static void import_own_setup(void)
{
	struct bo bo;

	need(!bo_create(&nv, &bo, DRM_NVFIFO_DOMAIN_SYSTEM, 64 * KIB), "BO_CREATE");
	made_fd = prime_export(&nv, bo.handle);
	need(made_fd >= 0 && !bo_close(&nv, bo.handle), "PRIME_HANDLE_TO_FD");
}

static void import_foreign_setup(void)
{
	struct dma_heap_allocation_data h = { .len = 64 * KIB, .fd_flags = O_RDWR | O_CLOEXEC };
	int heap = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);

	need(heap >= 0 && !nv_ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &h), "DMA_HEAP_IOCTL_ALLOC");
	close(heap);
	made_fd = (int)h.fd;
}

static int import_call(void)
{
	return prime_import(&nv, made_fd, &made_id);
}

static void import_undo(void)
{
	bo_close(&nv, made_id);
	close(made_fd);
}

static int software_call(void)
{
	struct drm_nvfifo_object_create o = {
		.channel_id = made_id,
		.handle = 0x4244,
		.type = DRM_NVFIFO_OBJECT_SOFTWARE,
		.oclass = 0x506e,
	};

	return nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o);
}

/* The methods of software objects are events. */
static void event_chan_setup(void)
{
	struct drm_nvfifo_channel_create c = { .vm_id = vm, .flags = DRM_NVFIFO_CHANNEL_EVENT };

	need(!chan_create_args(&nv, &c), "CHANNEL_CREATE with an event");
	made_id = c.id;
}

static void objects_setup(void)
{
	event_chan_setup();
	need(!engine_call() && !software_call(), "OBJECT_CREATE");
}

static int engine_destroy_call(void)
{
	return object_destroy(&nv, made_id, 0x4242);
}

static char dump_path[512];

/* To find the directory takes memory, too. */
static void debugfs_setup(void)
{
	snprintf(dump_path, sizeof(dump_path), "%s/nvfifo_dump", debug_dir());
}

/* Read a file of debugfs, which the kernel makes for each reader. */
static int debugfs_call(void)
{
	char text[4096];
	ssize_t n;
	int fd;

	fd = open(dump_path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;

	do {
		n = read(fd, text, sizeof(text));
	} while (n > 0);
	n = n < 0 ? -errno : 0;
	close(fd);

	return (int)n;
}

static const struct verb verbs[] = {
	{ "DEVICE_QUERY", nothing, query_call, nothing },
	{ "BO_CREATE of system memory", nothing, bo_sys_call, bo_undo },
	{ "BO_CREATE of write-combined memory", nothing, bo_wc_call, bo_undo },
	{ "BO_CREATE of VRAM", nothing, bo_vram_call, bo_undo },
	{ "BO_CREATE of VRAM in one piece", nothing, bo_contiguous_call, bo_undo },
	{ "BO_LABEL", nothing, label_call, label_undo },
	{ "BO_INFO", nothing, info_call, nothing },
	{ "VM_CREATE", nothing, vm_call, vm_undo },
	{ "VM_DESTROY", vm_setup, vm_destroy_call, nothing },
	{ "VM_BIND map of system memory", nothing, map_sys_call, unmap_sys },
	{ "VM_BIND map of VRAM", nothing, map_vram_call, unmap_vram },
	{ "VM_BIND unmap", map_sys, unmap_call, nothing },
	{ "VM_BIND of four operations", map_sys, bind_many_call, bind_many_undo },
	{ "VM_BIND that changes the page size", mixed_setup, mixed_call, mixed_undo },
	{ "VM_BIND unmap of a part", split_setup, split_call, split_undo },
	{ "VM_BIND that replaces a part", split_setup, replace_call, split_undo },
	{ "VM_BIND of five operations", many_setup, replace_many_call, replace_many_undo },
	{ "CHANNEL_CREATE", nothing, chan_call, chan_undo },
	{ "CHANNEL_DESTROY", chan_setup, chan_destroy_call, nothing },
	{ "CHANNEL_QUERY", nothing, chan_query_call, nothing },
	{ "OBJECT_CREATE", nothing, object_call, object_undo },
	{ "OBJECT_DESTROY", object_setup, object_destroy_call, nothing },
	{ "OBJECT_CREATE of VRAM past the pages", unpaged_setup, unpaged_vram_call, chan_undo },
	{ "OBJECT_CREATE of a page past the pages", unpaged_setup, unpaged_sys_call, chan_undo },
	{ "CHANNEL_CREATE in DMA mode with an event", nothing, chan_modes_call, chan_undo },
	{ "OBJECT_CREATE of an engine's class", chan_setup, engine_call, chan_undo },
	{ "SUBMIT", submit_setup, submit_call, submit_undo },
	{ "SUBMIT to the ring at once", submit_setup, submit_now_call, submit_now_undo },
	{ "SUBMIT in DMA mode", lin_setup, lin_call, lin_undo },
	{ "CHANNEL_WAIT", nothing, wait_call, nothing },
	{ "VM_BIND, asynchronous map", nothing, async_map_call, async_map_undo },
	{ "VM_BIND, asynchronous unmap of a part", split_setup, async_split_call, async_split_undo },
	{ "VM_BIND, the first asynchronous one", async_first_setup, async_first_call,
	  async_first_undo },
	{ "open", nothing, open_call, open_undo },
	{ "PRIME_HANDLE_TO_FD", nothing, export_call, open_undo },
	{ "mmap", nothing, mmap_call, nothing },
	{ "mmap, and an access", nothing, touch_call, nothing },
	{ "VM_BIND map of a new buffer", nothing, new_map_call, unmap_sys },
	{ "mmap of a new buffer, and an access", nothing, new_mmap_call, nothing },
	{ "PRIME_HANDLE_TO_FD of a new buffer", nothing, new_export_call, open_undo },
	{ "PRIME_FD_TO_HANDLE of a buffer of its own", import_own_setup, import_call, import_undo },
	{ "OBJECT_CREATE of a software object", event_chan_setup, software_call, chan_undo },
	{ "CHANNEL_DESTROY with objects", objects_setup, chan_destroy_call, nothing },
	{ "OBJECT_DESTROY of an engine's object", objects_setup, engine_destroy_call, chan_undo },
	{ "read of a file in debugfs", debugfs_setup, debugfs_call, nothing },
};

static const struct verb foreign[] = {
	{ "PRIME_FD_TO_HANDLE of another driver's", import_foreign_setup, import_call, import_undo },
};

static const struct verb compressing[] = {
	{ "VM_BIND, compressed map", nothing, compress_call, split_undo },
	{ "OBJECT_CREATE, compressed", unpaged_setup, unpaged_comp_call, chan_undo },
};

static const struct verb in_pieces[] = {
	{ "BO_CREATE of VRAM in pieces", nothing, bo_pieces_call, bo_undo },
};

/* The call number @n has failed: with the right error, and without any effect. */
static bool failed_cleanly(const struct verb *v, unsigned int n, int ret, const struct state *armed,
			   const char *was)
{
	char *is = debug_text("nvfifo_vm/%u/mappings", debug_vm);
	struct state now = state_of(&nv, ch.id);
	bool ok = true;

	if (ret != -ENOMEM) {
		diag("allocation %u: returned %d (%s)", n, ret, strerror(-ret));
		ok = false;
	}

	if (!state_same(armed, &now)) {
		diag("allocation %u: the failed call has changed something", n);
		ok = false;
	}

	if (strcmp(was, is)) {
		diag("allocation %u: the failed call has changed mappings", n);
		ok = false;
	}

	free(is);

	if (ok && (v->setup == split_setup || v->setup == many_setup) && !split_intact()) {
		diag("allocation %u: the card sees something else", n);
		ok = false;
	}

	return ok;
}

static void sweep(const struct verb *v)
{
	unsigned int n, failed = 0, survived = 0;
	struct state now, armed;
	bool ok = true, set = false;
	int ret;

	before = state_of(&nv, ch.id);

	for (n = 1; n <= NTH_MAX && ok; n++) {
		char *was;
		bool hit;

		if (!set)
			v->setup();
		set = true;
		armed = state_of(&nv, ch.id);
		was = debug_text("nvfifo_vm/%u/mappings", debug_vm);
		/*
		 * The kernel's check of DMA mappings disables itself if it gets no memory for a
		 * node of its tree. A new handle leaves free nodes in reserve.
		 */
		sync_free(&nv, sync_new(&nv));
		nth_arm(n);
		ret = v->call();
		hit = nth_hit();
		if (ret) {
			failed++;
			ok = failed_cleanly(v, n, ret, &armed, was);
			free(was);
			if (!hit) {
				diag("call %u failed without a failed allocation", n);
				ok = false;
			}
			continue;
		}
		free(was);
		/* The call does not need that allocation, or ended before it. */
		v->undo();
		set = false;
		if (!hit)
			break;
		survived++;
	}

	check(ok && n <= NTH_MAX, "%s: %u allocations failed, and %u that it can do without",
	      v->name, failed, survived);
	if (set) {
		/* The last call failed: repeat it without a failure. */
		check(!v->call(), "%s: works at last", v->name);
		v->undo();
	}

	now = state_of(&nv, ch.id);

	/* The test's own SUBMITs to check the card are no effect of the call. */
	before.submitted = now.submitted;
	before.completed = now.completed;
	check(state_same(&before, &now), "%s: nothing is left over", v->name);
}

/* --- Memory that is used up ---------------------------------------------------------- */

/* Bytes that a call may allocate before all of its allocations fail; each step is an eighth more */
#define SPACE_FIRST	32
#define SPACE_MAX	(128 * KIB)

/* Let all slab allocations of this thread fail after the first @bytes. Return: for exhaust_end(). */
static int exhaust_after(unsigned int bytes)
{
	int fd = open("/proc/thread-self/make-it-fail", O_RDWR | O_CLOEXEC);
	char text[16];

	snprintf(text, sizeof(text), "%u", bytes);
	need(attr_write("failslab", "space", text) && fd >= 0 && pwrite(fd, "1", 1, 0) == 1,
	     "make-it-fail: %s", strerror(errno));

	return fd;
}

static void exhaust_end(int fd)
{
	need(pwrite(fd, "0", 1, 0) == 1, "make-it-fail: %s", strerror(errno));
	close(fd);
}

static void exhaust_ready(void)
{
	need(attr_write("failslab", "verbose", "0") && attr_write("failslab", "task-filter", "Y") &&
	     attr_write("failslab", "times", "-1") && attr_write("failslab", "probability", "100"),
	     "set-up of failslab");
}

/*
 * All allocations of the call fail from some byte on. Some functions of the kernel retry an
 * allocation, and fail only now.
 */
static void exhaust(const struct verb *v)
{
	unsigned int space, failed = 0;
	struct state now, armed;
	bool ok = true, set = false;
	int ret, fail;
	char *was;

	before = state_of(&nv, ch.id);

	for (space = 0; space < SPACE_MAX && ok; space += space / 8 + SPACE_FIRST) {
		if (!set)
			v->setup();
		set = true;
		armed = state_of(&nv, ch.id);
		was = debug_text("nvfifo_vm/%u/mappings", debug_vm);
		fail = exhaust_after(space);
		ret = v->call();
		exhaust_end(fail);

		if (ret) {
			failed++;
			ok = failed_cleanly(v, space, ret, &armed, was);
		} else {
			v->undo();
			set = false;
		}

		free(was);
	}

	check(ok && !set, "%s: failed %u times without memory", v->name, failed);
	if (set && !v->call())
		v->undo();

	now = state_of(&nv, ch.id);
	before.submitted = now.submitted;
	before.completed = now.completed;
	check(state_same(&before, &now), "%s: nothing is left over", v->name);
}

/* Every second 64 KiB of VRAM is taken. */
static void sweep_in_pieces(void)
{
	uint64_t n = vram_free(&nv) / (64 * KIB), i;
	struct bo *bo = calloc(n, sizeof(*bo));

	need(bo, "calloc");

	for (i = 0; i < n; i++)
		need(!bo_create(&nv, &bo[i], DRM_NVFIFO_DOMAIN_VRAM, 64 * KIB), "BO_CREATE");
	for (i = 0; i < n; i += 2)
		bo_close(&nv, bo[i].handle);
	sweep(&in_pieces[0]);

	for (i = 1; i < n; i += 2)
		bo_close(&nv, bo[i].handle);
	free(bo);
}

static void world(void)
{
	module_reload("engines=2");
	nv_open(&nv);
	vm = new_vm(&nv);
	debug_vm = debug_last_vm();
	ch = ch_new(&nv, vm);
	lin = lin_order(&nv, vm, 0, 64 * KIB);
	sys = sys_bo(&nv, 256 * KIB);
	large = vram_bo(&nv, 256 * KIB);
	small = sys_bo(&nv, 4096);
	vram = vram_bo(&nv, 64 * KIB);
	sys_va = 2 * GIB;
	vram_va = 4 * GIB;
	mixed_va = 6 * GIB;
	split_va = 8 * GIB;
}

static void t_exhausted(void)
{
	size_t i;

	world();
	exhaust_ready();

	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		exhaust(&verbs[i]);

	attr_write("failslab", "probability", "0");
	attr_write("failslab", "task-filter", "N");
	ch_rewind(&ch);
	check(ch_works(&ch), "the channel works after all that");
}

/* The number up to which one node of the driver's table of channels is enough */
#define NODE_LAST 63

static char freeze_path[512];
static struct nv late;
static uint32_t late_vm;
static int late_ret;

static void *freezer(void *arg)
{
	*(int *)arg = file_write(freeze_path, "4000");

	return NULL;
}

/* CHANNEL_CREATE without memory for a node of the driver's table */
static void *late_creator(void *arg)
{
	int fail = exhaust_after(0);

	late_ret = chan_create(&late, late_vm, 0, arg);
	exhaust_end(fail);

	return NULL;
}

static uint32_t hw_id(uint32_t id)
{
	struct drm_nvfifo_channel_query q;

	need(!chan_query(&nv, id, &q), "CHANNEL_QUERY");

	return q.hw_id;
}

/*
 * A channel that gets no number, for lack of memory, takes none from another channel. The freeze
 * holds the lock that the end of the first channel and the start of the second one wait for.
 */
static void t_number(void)
{
	pthread_t creator, freeze;
	uint32_t id, first, second;
	int frozen = -1;

	module_reload("");
	nv_open(&nv);
	nv_open(&late);
	vm = new_vm(&nv);
	late_vm = new_vm(&late);
	snprintf(freeze_path, sizeof(freeze_path), "%s/nvfifo_freeze", debug_dir());

	/* The table of this file has a node with room, that of the card has not. */
	need(!chan_create(&late, late_vm, 0, &id), "CHANNEL_CREATE");
	do
		need(!chan_create(&nv, vm, 0, &id), "CHANNEL_CREATE");
	while (hw_id(id) < NODE_LAST);

	exhaust_ready();
	need(!file_write("/sys/kernel/slab/radix_tree_node/failslab", "1") &&
	     attr_write("failslab", "cache-filter", "Y"), "filter of failslab");
	need(!pthread_create(&freeze, NULL, freezer, &frozen), "pthread_create");
	msleep(500);
	need(!pthread_create(&creator, NULL, late_creator, &id), "pthread_create");
	msleep(500);
	need(!chan_create(&nv, vm, 0, &first), "CHANNEL_CREATE");
	pthread_join(creator, NULL);
	pthread_join(freeze, NULL);
	attr_write("failslab", "cache-filter", "N");
	attr_write("failslab", "probability", "0");
	attr_write("failslab", "task-filter", "N");

	equal((uint32_t)frozen, 0, "a freeze");
	refused(late_ret, ENOMEM, "CHANNEL_CREATE without memory");
	need(!chan_create(&nv, vm, 0, &second), "CHANNEL_CREATE");
	check(hw_id(first) != hw_id(second), "two channels have the numbers %u and %u",
	      hw_id(first), hw_id(second));
	nv_close(&late);
	nv_close(&nv);
}

static void t_sweep(void)
{
	size_t i;

	world();

	for (i = 0; i < ARRAY_SIZE(verbs); i++)
		sweep(&verbs[i]);
	if (nv.dev.features & DRM_NVFIFO_FEATURE_COMPRESSION)
		for (i = 0; i < ARRAY_SIZE(compressing); i++)
			sweep(&compressing[i]);
	if (!access("/dev/dma_heap/system", R_OK | W_OK))
		sweep(&foreign[0]);
	else
		skip("%s # SKIP no dma_heap", foreign[0].name);
	sweep_in_pieces();
	ch_rewind(&ch);
	check(ch_works(&ch), "the channel works after all that");
}

/*
 * Failures in all of probe. After a failure the card must be unbound, and a repeated
 * probe must succeed. The DRM core's allocation of the device is left out: in 6.12, a failure in
 * drm_minor_alloc() leads to put_device() of an error pointer.
 */
static void t_probe(void)
{
	unsigned int n, failed = 0, survived = 0;
	unsigned long start, end;
	bool ok = true, hit = true;
	int ret;

	need(symbol_range("__devm_drm_dev_alloc", &start, &end) &&
	     attr_range("failslab", "reject", start, end) &&
	     attr_range("fail_page_alloc", "reject", start, end), "filter of DRM's allocation");
	need(symbol_range("nvfifo_probe", &start, &end), "nvfifo_probe is in /proc/kallsyms");
	need(attr_range("failslab", "require", start, end) &&
	     attr_range("fail_page_alloc", "require", start, end), "filter of fault injection");

	for (n = 1; n <= NTH_MAX && ok && hit; n++) {
		need(!card_bind(false), "unbind");
		nth_arm(n);
		ret = card_bind(true);
		hit = nth_hit();
		if (!ret) {
			survived += hit;
			continue;
		}
		failed++;
		/* The kernel's request_region() says EBUSY when it finds no memory. */
		if ((ret != -ENOMEM && ret != -EBUSY) || !hit) {
			diag("allocation %u: returned %d (%s)", n, ret, strerror(-ret));
			ok = false;
		}
		ret = card_bind(true);
		if (ret) {
			diag("allocation %u: second bind: %s", n, strerror(-ret));
			ok = false;
		}
	}

	attr_range("failslab", "require", 0, ~0ul);
	attr_range("fail_page_alloc", "require", 0, ~0ul);
	attr_range("failslab", "reject", 0, 0);
	attr_range("fail_page_alloc", "reject", 0, 0);
	check(ok && !hit, "probe: %u allocations failed, and %u that it can do without", failed,
	      survived);
	nv_open(&nv);
	ch = ch_new(&nv, new_vm(&nv));
	check(ch_works(&ch), "a new file works");
}

/* A removal cannot fail: it must work without the failed allocation. */
static void t_remove(void)
{
	unsigned int n, hits = 0;
	unsigned long start, end;
	bool ok = true, hit = true;
	struct sync_file_info info;
	struct bo buf;
	int ret, fence;

	need(symbol_range("nvfifo_remove", &start, &end), "nvfifo_remove is in /proc/kallsyms");

	for (n = 1; n <= NTH_MAX && ok && hit; n++) {
		nv_open(&nv);
		vm = new_vm(&nv);
		ch = ch_new(&nv, vm);
		buf = sys_bo(&nv, 4096);
		need(!object_dma(&nv, ch.id, 0x5e, map(&nv, vm, &buf), 4096), "OBJECT_CREATE");
		p_acquire(&ch, 0x5e, 0, 1);
		need(!ch_submit(&ch), "SUBMIT");
		fence = sync_export(&nv, ch.done);
		need(fence >= 0, "export of a sync file");
		need(attr_range("failslab", "require", start, end) &&
		     attr_range("fail_page_alloc", "require", start, end),
		     "filter of fault injection");
		nth_arm(n);
		ret = card_bind(false);
		hit = nth_hit();
		attr_range("failslab", "require", 0, ~0ul);
		attr_range("fail_page_alloc", "require", 0, ~0ul);
		hits += hit;
		memset(&info, 0, sizeof(info));
		ok = !ret && !nv_ioctl(fence, SYNC_IOC_FILE_INFO, &info) && info.status < 0;
		if (!ok)
			diag("allocation %u: returned %d, the fence is %d", n, ret, info.status);
		close(fence);
		nv_close(&nv);
		need(!card_bind(true), "bind");
	}

	check(ok, "remove: %u allocations that it can do without", hits);
}

/* Sleep, with the devices one after the other in this task. Return: 0 or -errno. */
static int sleep_once(void)
{
	return file_write("/sys/power/state", "freeze");
}

/*
 * Failures in all of suspend and resume. A suspend that fails leaves the card as it was, and a
 * resume has no allocation that it needs.
 */
static void t_sleep(void)
{
	static const char *const steps[] = { "nvfifo_suspend", "nvfifo_resume" };
	unsigned int i, n, failed, survived;
	unsigned long start, end;
	bool hit, ok;
	int ret;

	if (!pm_test_begin("platform", "sleep"))
		return;

	need(!file_write("/sys/power/pm_async", "0"), "pm_async");
	nv_open(&nv);
	ch = ch_new(&nv, new_vm(&nv));

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		need(symbol_range(steps[i], &start, &end), "%s is in /proc/kallsyms", steps[i]);
		failed = survived = 0;
		hit = ok = true;
		for (n = 1; n <= NTH_MAX && ok && hit; n++) {
			need(attr_range("failslab", "require", start, end) &&
			     attr_range("fail_page_alloc", "require", start, end),
			     "filter of fault injection");
			nth_arm(n);
			ret = sleep_once();
			hit = nth_hit();
			attr_range("failslab", "require", 0, ~0ul);
			attr_range("fail_page_alloc", "require", 0, ~0ul);
			failed += ret == -ENOMEM && hit;
			survived += !ret && hit;
			ok = (!ret || (ret == -ENOMEM && hit && !i)) && ch_works(&ch);
			if (!ok)
				diag("allocation %u: returned %d (%s)", n, ret, strerror(-ret));
			ch_rewind(&ch);
		}
		check(ok && !hit, "%s: %u allocations failed, and %u that it can do without",
		      steps[i], failed, survived);
	}

	file_write("/sys/power/pm_async", "1");
	nv_close(&nv);
}

static const struct test tests[] = {
	TEST(t_sweep),
	TEST(t_probe),
	TEST(t_remove),
	TEST(t_sleep),

	/* Each has a run of its own, as t_sweep leaves objects of its file. */
	TEST_ONCE(t_exhausted),
	TEST_ONCE(t_number),
};

#define ALONE	2	/* tests at the end that run only by name */

int main(int argc, char **argv)
{
	struct drm_nvfifo_query_device d;
	int fd = node_open();

	/* The allocations that can fail differ between the two generations, and on IGPs. */
	if (fd >= 0 && !query(fd, DRM_NVFIFO_QUERY_DEVICE, &d, sizeof(d)) && d.chipset != 0x50 &&
	    d.chipset != 0x84 && d.chipset != 0xac && argc < 2) {
		printf("1..0 # SKIP run on G80, G84 and MCP79\n");
		return 0;
	}

	close(fd);
	if (!kernel_ready()) {
		printf("1..0 # SKIP the kernel has no fault injection\n");
		return 0;
	}

	return run_tests(argc, argv, tests, argc < 2 ? ARRAY_SIZE(tests) - ALONE : ARRAY_SIZE(tests));
}
