// SPDX-License-Identifier: MIT
/*
 * Arguments at their edges: sums that pass 2^64 or the end of the address space. Further syncobjs
 * that a call names twice, and memory that another process has filled.
 *
 * Guards memory, at the edges of arguments (uapi.rst), on one chip.
 */
#include "raw.h"

#define SEM	0x1234
#define OBJECT	0x2000

static struct nv nv;
static uint32_t vm;
static struct ch ch;

static void world(void)
{
	nv_open(&nv);
	vm = new_vm(&nv);
	ch = ch_new(&nv, vm);
}

/* --- Sums ---------------------------------------------------------------------------------------- */

static const uint64_t edges[] = {
	0, 1, 4, 4095, 4096, 0xf000, 0x10000, 0x80000000, 0xfffff000, 0xfffffffc, 0xffffffff,
	0x100000000, 0x100001000, 0xffdfff0000, 0xffdffff000, 0xffdfffffff, 0xffe0000000,
	0xffe0001000, 0xfffffff000, 0xffffffffff, 0x10000000000, 0x10000010000, 0x7ffffffffffff000,
	0x8000000000000000, 0xffffff0000000000, 0xffffffffffff0000, 0xfffffffffffff000,
	0xfffffffffffffffc, 0xffffffffffffffff,
};

#define EDGES	ARRAY_SIZE(edges)

/* Is [@start, @start + @size) a range in [@from, @to)? The sum has more than 64 bits. */
static bool within(uint64_t start, uint64_t size, uint64_t from, uint64_t to)
{
	return size && start >= from && (unsigned __int128)start + size <= to;
}

static bool is_op_good(const struct drm_nvfifo_vm_bind_op *op, uint64_t bo_size)
{
	if ((op->va | op->range | op->bo_offset) % 4096)
		return false;

	if (!within(op->va, op->range, nv.dev.va_start, nv.dev.va_end))
		return false;

	return op->op == DRM_NVFIFO_VM_BIND_OP_UNMAP || within(op->bo_offset, op->range, 0, bo_size);
}

/* Try one operation. Return: whether its result is right. */
static bool try_op(struct drm_nvfifo_vm_bind_op op, uint64_t bo_size)
{
	bool good = is_op_good(&op, bo_size);
	int ret = vm_bind(&nv, vm, &op, 1);

	/* A range of its own size is too much for one call, whatever the buffer is. */
	if (ret == -E2BIG && op.op == DRM_NVFIFO_VM_BIND_OP_MAP && op.range > nv.lim.bind_bytes)
		return true;

	if (ret == (good ? 0 : -EINVAL)) {
		if (good && op.op == DRM_NVFIFO_VM_BIND_OP_MAP)
			need(!vm_unmap(&nv, vm, op.va, op.range), "an unmap");
		return true;
	}

	diag("op %u, va %#llx, range %#llx, bo_offset %#llx: %d", op.op, op.va, op.range,
	     op.bo_offset, ret);

	return false;
}

/* Each pair of an address and a range, with each offset in the buffer */
static void t_bind(void)
{
	struct drm_nvfifo_vm_bind_op op;
	struct bo bo, keep;
	uint32_t i, j, k, bad = 0;

	world();
	bo = sys_bo(&nv, 64 * KIB);
	for (i = 0; i < EDGES; i++) {
		for (j = 0; j < EDGES; j++) {
			/* The channel's own pushbuffer is at 1 MiB. */
			if (edges[i] > 2 * MIB || (unsigned __int128)edges[i] + edges[j] <= MIB)
				bad += !try_op(op_unmap(edges[i], edges[j]), 0);

			for (k = 0; k < EDGES; k++) {
				op = op_map(&bo, edges[i]);
				op.range = edges[j];
				op.bo_offset = edges[k];
				bad += !try_op(op, bo.size);
			}
		}
	}

	equal(bad, 0, "VM_BIND takes exactly the ranges that exist");

	/* At both ends of the address space */
	keep = sys_bo(&nv, 4096);
	equal((uint32_t)vm_map_at(&nv, vm, &keep, nv.dev.va_end - 4096, 0, 0), 0, "the last page");
	new_object(&ch, SEM, nv.dev.va_end - 4096, 4096);
	p_release(&ch, SEM, 4092, 0xed9e);
	equal((uint32_t)ch_run(&ch), 1, "the card writes its last word");
	equal(keep.map[1023], 0xed9e, "which the process sees");
	nv_close(&nv);
}

/* Each pair of a start and a size */
static void t_object(void)
{
	uint32_t i, j, bad = 0;
	int ret;

	world();
	for (i = 0; i < EDGES; i++) {
		for (j = 0; j < EDGES; j++) {
			bool good = within(edges[i], edges[j], 0, nv.dev.va_end);

			ret = object_dma(&nv, ch.id, OBJECT, edges[i], edges[j]);
			if (ret != (good ? 0 : -EINVAL) && !bad++)
				diag("start %#llx, size %#llx: %d", (unsigned long long)edges[i],
				     (unsigned long long)edges[j], ret);

			if (!ret)
				need(!object_destroy(&nv, ch.id, OBJECT), "OBJECT_DESTROY");
		}
	}

	equal(bad, 0, "OBJECT_CREATE takes exactly the ranges that exist");
	check(ch_works(&ch), "the channel works");
	nv_close(&nv);
}

/* Segments that end after the client's part of the address space, where the driver's words are */
static void t_entry(void)
{
	static const uint32_t words[] = { 0, 1, 2, 1024, 0x1fffff, 0x200000, 0x40000000, 0xffffffff };
	struct drm_nvfifo_entry e;
	uint32_t i, j, bad = 0, tried = 0;
	int ret;

	world();
	for (i = 0; i < EDGES; i++) {
		for (j = 0; j < ARRAY_SIZE(words); j++) {
			if (within(edges[i], 4ull * words[j], nv.dev.va_start, nv.dev.va_end) &&
			    words[j] <= nv.lim.submit_words)
				continue;

			e = (struct drm_nvfifo_entry){ .address = edges[i], .words = words[j] };
			ret = submit_raw(&nv, ch.id, &e, 1, NULL, 0, NULL);
			tried++;
			if (ret != -EINVAL && !bad++)
				diag("address %#llx, %u words: %d", e.address, e.words, ret);
		}
	}

	equal(bad, 0, "SUBMIT refuses each segment that is not the client's");
	check(tried > 100, "%u segments", tried);
	check(ch_works(&ch), "the channel works");
	nv_close(&nv);
}

/* --- Syncobjs ------------------------------------------------------------------------------------ */

static struct drm_nvfifo_sync point_of(uint32_t handle, uint32_t flags, uint64_t point)
{
	return (struct drm_nvfifo_sync){
		.flags = flags | DRM_NVFIFO_SYNC_TIMELINE, .handle = handle, .timeline_value = point,
	};
}

/* SUBMIT, or VM_BIND of nothing */
static int call_with(bool bind, const struct drm_nvfifo_sync *syncs, uint32_t n)
{
	if (bind)
		return vm_bind_async(&nv, vm, NULL, 0, syncs, n);

	return submit_raw(&nv, ch.id, NULL, 0, syncs, n, NULL);
}

/* A call names the same syncobj in several ways. */
static void syncs_twice(bool bind, const char *call)
{
	uint32_t obj = sync_new(&nv), line = sync_new(&nv), i, many = nv.lim.submit_syncs;
	struct drm_nvfifo_sync *s = calloc(many, sizeof(*s));

	need(s, "calloc");
	s[0] = sync_signal(obj);
	s[1] = sync_wait_for(obj);
	refused(call_with(bind, s, 2), EINVAL, "a call that waits for itself");
	check(!sync_has_fence(&nv, obj), "%s: the syncobj has no fence", call);

	for (i = 0; i < many; i++)
		s[i] = sync_signal(obj);

	equal((uint32_t)call_with(bind, s, many), 0, "a syncobj is signalled many times");
	equal((uint32_t)sync_finish(&nv, obj), 1, "and ends");

	/* The wait is for the fence before, not for the call's own. */
	s[0] = sync_signal(obj);
	s[1] = sync_wait_for(obj);
	s[2] = sync_wait_for(obj);
	equal((uint32_t)call_with(bind, s, 3), 0, "a wait and a signal of a syncobj");
	equal((uint32_t)sync_finish(&nv, obj), 1, "which ends");

	s[0] = point_of(line, DRM_NVFIFO_SYNC_SIGNAL, 1);
	s[1] = point_of(line, DRM_NVFIFO_SYNC_WAIT, 1);
	refused(call_with(bind, s, 2), EINVAL, "a call that waits for its own point");

	for (i = 0; i < many; i++)
		s[i] = point_of(line, DRM_NVFIFO_SYNC_SIGNAL, ~0ull - i % 3);

	equal((uint32_t)call_with(bind, s, many), 0, "the last points of a timeline, in any order");
	equal((uint32_t)timeline_wait_ms(&nv, line, ~0ull, WAIT_MS), 0, "end");
	s[0] = point_of(line, DRM_NVFIFO_SYNC_WAIT, 0);
	s[1] = point_of(line, DRM_NVFIFO_SYNC_WAIT, ~0ull);
	s[2] = point_of(line, DRM_NVFIFO_SYNC_SIGNAL, 1);
	equal((uint32_t)call_with(bind, s, 3), 0, "waits for the first and the last, then an early point");
	equal((uint32_t)timeline_wait_ms(&nv, line, 1, WAIT_MS), 0, "which ends");

	free(s);
	sync_free(&nv, obj);
	sync_free(&nv, line);
}

static void t_syncs(void)
{
	world();
	syncs_twice(false, "SUBMIT");
	syncs_twice(true, "VM_BIND");
	check(ch_works(&ch), "the channel works");
	nv_close(&nv);
}

/* --- Memory that was another process's -------------------------------------------------------------- */

#define DIRT		0xd1
#define DIRT_BYTES	(48 * MIB)
#define CHANNELS	8

/* A process that fills memory, and ends. */
static void dirty_main(void)
{
	void *p = mmap(NULL, DIRT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(p != MAP_FAILED, "mmap");
	memset(p, DIRT, DIRT_BYTES);
	_exit(0);
}

static void dirty(void)
{
	pid_t pid = child_fork();
	int status = -1;

	if (!pid)
		dirty_main();

	need(waitpid(pid, &status, 0) == pid && !status, "a process that fills memory");
}

static uint32_t words_not_0(const uint32_t *p, uint64_t bytes)
{
	uint32_t i, n = 0;

	for (i = 0; i < bytes / 4; i++)
		n += p[i] != 0;

	return n;
}

/* Buffers of system memory, of each size and kind */
static void t_fresh_buffers(void)
{
	static const uint64_t sizes[] = { 1, 4096, 4097, 64 * KIB - 1, 2 * MIB, 3 * MIB + 1 };
	uint32_t i, dirt = 0, kinds[] = { 0, DRM_NVFIFO_BO_WC };
	struct bo bo;

	nv_open(&nv);
	dirty();
	for (i = 0; i < ARRAY_SIZE(sizes) * ARRAY_SIZE(kinds); i++) {
		need(!bo_create_flags(&nv, &bo, DRM_NVFIFO_DOMAIN_SYSTEM,
				      kinds[i % ARRAY_SIZE(kinds)], sizes[i / ARRAY_SIZE(kinds)]),
		     "BO_CREATE");
		bo_mmap(&nv, &bo);
		dirt += words_not_0(bo.map, bo.size);
	}

	equal(dirt, 0, "new buffers are empty, also in their last page");
	nv_close(&nv);
}

/* The whole page of a fence, which a channel can read: only the fence's words are not 0. */
static void t_fresh_fence_page(void)
{
	uint32_t i, dirt = 0, empty = 0;
	struct ch chans[CHANNELS];
	struct bo copy;
	uint64_t va;

	world();
	copy = sys_bo(&nv, 4096);
	va = map(&nv, vm, &copy);
	dirty();
	for (i = 0; i < CHANNELS; i++) {
		chans[i] = ch_new(&nv, vm);
		graph_bind_m2mf(&chans[i]);
		graph_m2mf_format(&chans[i], 4096, 1, 4096);
		need(ch_run(&chans[i]) == 1, "M2MF is bound");
		memset(copy.map, 0xff, 4096);
		p_subc_mthd(&chans[i], 5, 0x184, FENCE_HANDLE);
		graph_m2mf_launch(&chans[i], 0, va);
		need(ch_run(&chans[i]) == 1, "a copy of the fence page");

		/* The first 16 bytes are the fence, and the last word is a constant of the driver. */
		dirt += words_not_0(copy.map + 4, 4096 - 16 - 4);
		empty += !copy.map[0];
	}

	equal(dirt, 0, "the rest of a fence page is empty");
	check(empty < CHANNELS, "the fence's word is in it");

	/* After it are the rings and pages of other channels. */
	graph_m2mf_format(&chans[0], 4, 1, 4);
	p_subc_mthd(&chans[0], 5, 0x184, FENCE_HANDLE);
	graph_m2mf_launch(&chans[0], 4096, va);
	equal((uint32_t)ch_run(&chans[0]), (uint32_t)-ECANCELED, "a copy of the word after it fails");
	check(ch_works(&chans[1]), "another channel works");
	nv_close(&nv);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST_ONCE(t_bind), TEST_ONCE(t_object), TEST(t_entry), TEST(t_syncs),
		TEST_ONCE(t_fresh_buffers), TEST(t_fresh_fence_page),
	};

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
