// SPDX-License-Identifier: MIT
/*
 * Benchmark of the driver's calls, in a guest on the model. The calls are SUBMIT, a push to a
 * user queue, VM_BIND, BO_CREATE, CHANNEL_CREATE, the first object of PGRAPH, and a copy by
 * M2MF.
 *
 *	bench [rounds]		default 200
 *
 * Each has a cost in accesses of the card, which the model counts, in time, allocations and
 * system calls. Accesses are counted twice. In the first count the channel is blocked in an
 * acquire, so that only the call itself accesses the card. The second count ends at the
 * call's fence. The kernel's fault injection counts allocations, ptrace() system calls.
 */
#include "../guest/fault.h"
#include "nvfifo_text.h"

#include <sys/ptrace.h>
#include <sys/user.h>

#define SEM	0x1234
#define ROUNDS	200

static struct nv nv;
static uint32_t vm;
static struct ch ch;
static struct bo data;
static unsigned int rounds = ROUNDS;

static double samples[100000];
static size_t num_samples;

static void sample(int64_t ns)
{
	if (num_samples < ARRAY_SIZE(samples))
		samples[num_samples++] = ns / 1000.0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Median of the samples since the last call. */
static double median(void)
{
	double m;

	if (!num_samples)
		return 0;
	qsort(samples, num_samples, sizeof(samples[0]), by_value);
	m = samples[num_samples / 2];
	num_samples = 0;
	return m;
}

struct counts {
	uint32_t reads, writes, bar1, bar3, flushes, irqs;
};

static struct counts counts(void)
{
	struct counts c = {
		.reads = stat_of(mmio_reads),
		.writes = stat_of(mmio_writes),
		.bar1 = stat_of(bar1_reads) + stat_of(bar1_writes),
		.bar3 = stat_of(bar3_reads) + stat_of(bar3_writes),
		.flushes = stat_of(tlb_flushes),
		.irqs = stat_of(interrupts),
	};

	return c;
}

static struct counts since(struct counts a)
{
	struct counts b = counts();

	b.reads -= a.reads;
	b.writes -= a.writes;
	b.bar1 -= a.bar1;
	b.bar3 -= a.bar3;
	b.flushes -= a.flushes;
	b.irqs -= a.irqs;
	return b;
}

#define MAX_ENTRIES 512

static void submit_entries(uint32_t n, uint64_t at)
{
	struct drm_nvfifo_entry e[MAX_ENTRIES];
	struct drm_nvfifo_sync s = { .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = ch.done };
	uint32_t i;
	int ret;

	for (i = 0; i < n; i++)
		e[i] = (struct drm_nvfifo_entry){ .address = at, .words = 2 };
	ret = submit_raw(&nv, ch.id, e, n, &s, 1, NULL);
	need(!ret, "SUBMIT: %s", strerror(-ret));
}

static void done(void)
{
	need(sync_finish(&nv, ch.done) == 1, "the work ends");
}

/* --- A user queue ----------------------------------------------------------- */

#define UQ_ORDER 12

static struct {
	uint32_t id, put;
	volatile uint32_t *ring, *control, *word;
	uint64_t control_offset, at, end;
	uint32_t seq;
} uq;

/* Its last entry writes a word that is polled, instead of a fence. */
static void uq_entries(uint32_t n)
{
	uint32_t i;

	for (i = 0; i <= n; i++) {
		volatile uint32_t *e = uq.ring + uq.put * 2;
		uint64_t at = i == n ? uq.end + uq.seq % 2 * 32 : uq.at;

		e[0] = (uint32_t)at;
		e[1] = (uint32_t)(at >> 32) | (i == n ? 8 : 2) << 10;
		uq.put = (uq.put + 1) & ((1u << UQ_ORDER) - 1);
	}
	__sync_synchronize();
	uq.control[0x8c / 4] = uq.put;
}

static void uq_push(uint32_t n, uint64_t at)
{
	uq.at = at;
	uq.seq++;
	uq_entries(n);
}

static void uq_done(void)
{
	while (*uq.word != uq.seq % 2 + 1)
		;
}

/* A page of a parent is not there in a child. */
static void uq_map(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, nv.fd,
		       (off_t)uq.control_offset);

	need(p != MAP_FAILED, "mmap of the control page: %s", strerror(errno));
	uq.control = p;
}

static void uq_open(void)
{
	struct drm_nvfifo_channel_create c = {
		.vm_id = vm, .flags = DRM_NVFIFO_CHANNEL_USER_QUEUE, .ring_order = UQ_ORDER,
	};
	struct bo ring = sys_bo(&nv, 8ull << UQ_ORDER), words = sys_bo(&nv, 4096);
	uint32_t i, n = 0;
	uint64_t va;

	c.start = map(&nv, vm, &ring);
	va = map(&nv, vm, &words);
	need(!chan_create_args(&nv, &c), "CHANNEL_CREATE with a user queue");
	need(!object_dma(&nv, c.id, SEM, va, 4096), "OBJECT_CREATE");
	uq.id = c.id;
	uq.control_offset = c.control_offset;
	uq.ring = ring.map;
	uq.word = words.map;
	uq.end = va + 1024;
	/* Two segments that release 1 and 2. */
	for (i = 1; i <= 2; i++) {
		volatile uint32_t *w = (volatile uint32_t *)words.map + 256 + n;

		*w++ = cmd_word(0, NVFIFO_MTHD_DMA_SEMAPHORE, 2);
		*w++ = SEM;
		*w++ = 0;
		*w++ = cmd_word(0, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1);
		*w++ = i;
		*w++ = 0;
		*w++ = nv.g84 ? cmd_word(0, NVFIFO_MTHD_NOTIFY_INTR, 1) : 0;
		*w++ = 0;
		n += 8;
	}
	uq_map();
}

/* --- Both of them ------------------------------------------------------------ */

struct way {
	const char *name;
	void (*submit)(uint32_t n, uint64_t at);
	void (*done)(void);
};

static const struct way kernel_queue = { "kernel queue", submit_entries, done };
static const struct way user_queue = { "user queue", uq_push, uq_done };

#define TRACED	10

/* System calls of a SUBMIT, in tenths; those of a marked piece of a child's life. */
static int count_syscalls(const struct way *way, uint32_t n, uint64_t at)
{
	bool inside = false, entry = false;
	int status, stops = 0, i;
	pid_t pid = fork();

	if (pid < 0)
		return -1;
	if (!pid) {
		if (way == &user_queue)
			uq_map();
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1);
		raise(SIGSTOP);
		syscall(SYS_getppid);
		for (i = 0; i < TRACED; i++)
			way->submit(n, at);
		syscall(SYS_getppid);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	while (!ptrace(PTRACE_SYSCALL, pid, NULL, 0) && waitpid(pid, &status, 0) == pid) {
		long nr;

		if (!WIFSTOPPED(status))
			break;
		if (WSTOPSIG(status) != (SIGTRAP | 0x80))
			continue;
		/* It stops at the begin and at the end of each. */
		entry = !entry;
		nr = ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user, regs.orig_rax), NULL);
		if (entry && nr == SYS_getppid)
			inside = !inside;
		else
			stops += inside && entry;
	}
	/* The parent continues at the child's position. */
	if (way == &user_queue) {
		uq.put = (uq.put + TRACED * (n + 1)) & ((1u << UQ_ORDER) - 1);
		uq.seq += TRACED;
	}
	way->done();
	return WIFEXITED(status) && !WEXITSTATUS(status) ? stops : -1;
}

/* Allocations of one SUBMIT: this many fewer are left until one would fail. */
static int count_allocations(const struct way *way, uint32_t n, uint64_t at)
{
	const unsigned int many = 1000000;
	unsigned long left;

	if (nth_fd < 0)
		return -1;
	nth_arm(many);
	way->submit(n, at);
	left = nth_left();
	way->done();
	return left <= many ? (int)(many - left) : -1;
}

static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static const char *known(int number, const char *fmt_dot)
{
	static char text[4][16];
	static unsigned int i;
	char *t = text[i++ % 4];

	if (number < 0)
		return "-";
	if (*fmt_dot)
		snprintf(t, sizeof(text[0]), "%d.%d", number / TRACED, number % TRACED);
	else
		snprintf(t, sizeof(text[0]), "%d", number);
	return t;
}

/* While an acquire waits, only the call itself accesses the card. */
static struct counts counts_of_call(uint32_t n, uint64_t at, const struct drm_nvfifo_entry *block)
{
	struct counts before, held;

	*(volatile uint32_t *)data.map = 0;
	need(!submit_raw(&nv, ch.id, block, 1, NULL, 0, NULL), "SUBMIT");
	msleep(20);

	before = counts();
	submit_entries(n, at);
	msleep(20);
	held = since(before);

	*(volatile uint32_t *)data.map = 1;
	done();
	msleep(5);

	return held;
}

static void bench_submit(const struct way *way, uint32_t n)
{
	double call_us, done_us, cpu_us;
	struct counts before, held, whole;
	struct drm_nvfifo_entry block;
	unsigned int i;
	int64_t cpu;
	uint64_t at;

	ch_rewind(&ch);
	p_ref(&ch, 1);
	at = ch.push_va;
	ch_entry(&ch);
	p_acquire(&ch, SEM, 0, 1);
	block = ch_entry(&ch);
	memset(&held, 0, sizeof(held));
	way->submit(n, at);
	way->done();

	if (way == &kernel_queue)
		held = counts_of_call(n, at, &block);

	before = counts();
	way->submit(n, at);
	way->done();
	msleep(5);
	whole = since(before);
	/* A push rings the doorbell once; the model's total includes the interrupt's accesses. */
	if (way == &user_queue)
		held.writes = 1;

	cpu = 0;
	for (i = 0; i < rounds; i++) {
		int64_t start = now_ns(), cpu_start = cpu_ns();

		way->submit(n, at);
		cpu += cpu_ns() - cpu_start;
		sample(now_ns() - start);
		way->done();
	}
	call_us = median();
	cpu_us = (double)cpu / rounds / 1000;
	for (i = 0; i < rounds; i++) {
		int64_t start = now_ns();

		way->submit(n, at);
		way->done();
		sample(now_ns() - start);
	}
	done_us = median();
	printf("%-12s %4u  %6u %6u   %6u %6u %5u %9.1f %8.1f %9.1f %7s %7s\n", way->name, n,
	       held.reads, held.writes, whole.reads, whole.writes, whole.irqs, call_us, cpu_us,
	       done_us, known(count_allocations(way, n, at), ""),
	       known(count_syscalls(way, n, at), "."));
	fflush(stdout);
}

static void bench_queues(void)
{
	static const uint32_t sizes[] = { 1, 16, 64, MAX_ENTRIES };
	size_t i;

	printf("                   -- call ----   -- to the end ----   -- time, us -------------"
	       "   -- per SUBMIT --\n"
	       "queue     entries   reads writes    reads writes  irqs      call      CPU"
	       "  to end  allocs  syscalls\n");
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		bench_submit(&kernel_queue, sizes[i]);
	if (nv.dev.features & DRM_NVFIFO_FEATURE_USER_QUEUE) {
		uq_open();
		for (i = 0; i < ARRAY_SIZE(sizes); i++)
			bench_submit(&user_queue, sizes[i]);
	} else {
		printf("user queue: control pages cannot be mapped in this kernel\n");
	}
	printf("reads, writes: of the card's registers. CPU: of the calling thread, mean. To end: until\n"
	       "the fence is waited for, or the word that a user queue releases is seen. allocs: while\n"
	       "the call lasts%s.\n", nth_fd < 0 ? "; not known, as this kernel has no fault injection" :
	       ", counted by fault injection");
}

static void print_call(const char *name, struct counts c, double us, uint64_t ptes)
{
	printf("%-34s %6u %7u %6u %6u %8u %10.1f", name, c.reads, c.writes, c.bar1, c.bar3,
	       c.flushes, us);
	if (ptes)
		printf(" %10.1f %10.2f", 1000 * us / (double)ptes, (double)ptes / us);
	printf("\n");
	fflush(stdout);
}

#define MAX_OPS 4096

/* A VM_BIND, without a name if its row is not wanted. */
struct call {
	const char *name;
	struct drm_nvfifo_vm_bind_op *ops;
	uint32_t n;
	uint64_t ptes;
};

static void do_call(const struct call *c)
{
	int ret = vm_bind(&nv, vm, c->ops, c->n);

	need(!ret, "VM_BIND %s: %s", c->name ? c->name : "back", strerror(-ret));
}

/* A call and its inverse. */
static void bench_pair(const struct call *there, const struct call *back, unsigned int n)
{
	const struct call *calls[2] = { there, back };
	double us[2], times[100];
	struct counts c[2];
	unsigned int i, side;

	need(n <= ARRAY_SIZE(times), "too many rounds");
	/* Pages and page tables exist from the second time on. */
	do_call(there);
	do_call(back);
	for (side = 0; side < 2; side++) {
		struct counts before = counts();

		do_call(calls[side]);
		c[side] = since(before);
	}
	for (i = 0; i < n; i++) {
		int64_t start = now_ns();

		do_call(there);
		sample(now_ns() - start);
		start = now_ns();
		do_call(back);
		times[i] = (double)(now_ns() - start) / 1000.0;
	}
	us[0] = median();
	qsort(times, n, sizeof(times[0]), by_value);
	us[1] = times[n / 2];
	for (side = 0; side < 2; side++)
		if (calls[side]->name)
			print_call(calls[side]->name, c[side], us[side], calls[side]->ptes);
}

#define VA (4 * GIB)

/* Larger mappings take longer, so fewer rounds will do. */
static unsigned int rounds_for(uint64_t size)
{
	if (size >= GIB)
		return 3;
	if (size >= 16 * MIB)
		return 5;
	if (size >= 1 * MIB)
		return 20;

	return 100;
}

/* A BO, as often as it takes to fill the size, in one call; and all of it away again. */
static void bench_bind(const struct bo *bo, unsigned int page_shift, uint64_t size,
		       const char *what)
{
	unsigned int n = rounds_for(size);
	uint64_t piece = size < bo->size ? size : bo->size;
	struct drm_nvfifo_vm_bind_op ops[64], undo = op_unmap(VA, size);
	struct call there = { .ops = ops, .ptes = size >> page_shift };
	struct call back = { .ops = &undo, .n = 1, .ptes = size >> page_shift };
	char map_name[64], unmap_name[64];

	need(size / piece <= ARRAY_SIZE(ops), "too many operations");
	for (; there.n < size / piece; there.n++) {
		ops[there.n] = op_map(bo, VA + there.n * piece);
		ops[there.n].range = piece;
		ops[there.n].page_shift = page_shift;
	}
	snprintf(map_name, sizeof(map_name), "map   %s", what);
	snprintf(unmap_name, sizeof(unmap_name), "unmap %s", what);
	there.name = map_name;
	back.name = unmap_name;
	bench_pair(&there, &back, n);
}

/* As many operations as a call can have, each of a page of its own. */
static void bench_ops(const struct bo *bo)
{
	static struct drm_nvfifo_vm_bind_op maps[MAX_OPS], unmaps[MAX_OPS];
	uint32_t n = nv.lim.bind_ops < MAX_OPS ? nv.lim.bind_ops : MAX_OPS, i;
	struct call there = { "map   4096 x 4 KiB in one call", maps, n, n };
	struct call back = { "unmap 4096 x 4 KiB in one call", unmaps, n, n };

	for (i = 0; i < n; i++) {
		maps[i] = op_map(bo, VA + i * 8 * KIB);
		maps[i].range = 4 * KIB;
		maps[i].bo_offset = i * 4 * KIB;
		unmaps[i] = op_unmap(maps[i].va, maps[i].range);
	}
	bench_pair(&there, &back, 10);
}

static void bench_replace(const struct bo *a, const struct bo *b)
{
	struct drm_nvfifo_vm_bind_op old = op_map(a, VA), new = op_map(b, VA);
	struct drm_nvfifo_vm_bind_op hole = op_unmap(VA + a->size / 2 + 4 * KIB, 4 * KIB);
	struct call there = { "replace 64 MiB by another BO", &new, 1, a->size >> 12 };
	struct call back = { .ops = &old, .n = 1 };
	struct call cut = { "unmap 4 KiB out of 64 MiB", &hole, 1, 0 };

	old.page_shift = 12;
	new.page_shift = 12;
	old.flags = DRM_NVFIFO_VM_BIND_REPLACE;
	new.flags = DRM_NVFIFO_VM_BIND_REPLACE;
	do_call(&back);
	bench_pair(&there, &back, 5);
	/* Each round maps the buffer as a whole, and cuts it again. */
	bench_pair(&cut, &back, 5);
	need(!vm_unmap(&nv, vm, VA, a->size), "VM_BIND");
}

/* Which TLBs one call flushes, and how often. */
static void bench_flushes(const struct bo *bo)
{
	struct nvsim_stats stats;
	uint32_t before[ARRAY_SIZE(stats.engine_flushes)], i, n;

	for (i = 0; i < ARRAY_SIZE(before); i++)
		before[i] = stat_of(engine_flushes[i]);
	need(!vm_map_at(&nv, vm, bo, VA, 0, 0), "VM_BIND");
	printf("\nTLB flushes of a VM_BIND:");
	for (i = 0; i < ARRAY_SIZE(before); i++) {
		n = stat_of(engine_flushes[i]) - before[i];
		if (n)
			printf(" %s %u", nvfifo_fault_engine(0, i), n);
	}
	printf("\n");
	need(!vm_unmap(&nv, vm, VA, bo->size), "VM_BIND");
}

#define MAPPINGS	100000u
#define EDGE		100u

/* Mapping number @i: a page with a gap after it. */
static struct drm_nvfifo_vm_bind_op mapping(const struct bo *bo, uint32_t i)
{
	struct drm_nvfifo_vm_bind_op op = op_map(bo, VA + i * 8 * KIB);

	op.range = 4 * KIB;
	op.bo_offset = i * 4 * KIB % bo->size;
	return op;
}

static double map_edge(const struct bo *bo, uint32_t first)
{
	uint32_t i;

	for (i = first; i < first + EDGE; i++) {
		struct drm_nvfifo_vm_bind_op op = mapping(bo, i);
		int64_t start = now_ns();

		need(!vm_bind(&nv, vm, &op, 1), "VM_BIND of mapping %u", i);
		sample(now_ns() - start);
	}
	return median();
}

static void bench_many(const struct bo *bo)
{
	static struct drm_nvfifo_vm_bind_op ops[1000];
	double first, last, whole;
	int64_t start = now_ns();
	uint32_t i, n;

	first = map_edge(bo, 0);
	for (i = EDGE; i < MAPPINGS - EDGE; i += n) {
		uint32_t left = MAPPINGS - EDGE - i;

		for (n = 0; n < ARRAY_SIZE(ops) && n < left; n++)
			ops[n] = mapping(bo, i + n);
		need(!vm_bind(&nv, vm, ops, n), "VM_BIND of mappings %u to %u", i, i + n - 1);
	}
	last = map_edge(bo, i);
	whole = (double)(now_ns() - start) / 1e6;
	printf("\n%u mappings of 4 KiB: a call for one of the first %u takes %.1f us, of the last "
	       "%u %.1f us\n(%.2f times as long); all of them %.0f ms, in calls of 1000. ",
	       MAPPINGS, EDGE, first, EDGE, last, last / first, whole);
	start = now_ns();
	need(!vm_unmap(&nv, vm, VA, MAPPINGS * 8 * KIB), "VM_BIND");
	printf("One call\nthat unmaps all: %.0f ms.\n\n", (double)(now_ns() - start) / 1e6);
	fflush(stdout);
}

static void bench_binds(void)
{
	struct bo sys = sys_bo(&nv, 64 * MIB), sys2 = sys_bo(&nv, 64 * MIB), vram;

	printf("\n                                   -- MMIO -----   -- other accesses --"
	       "                   -- per PTE --------\n"
	       "                                    reads  writes   BAR1   BAR3  TLB fl.   time, us"
	       "         ns  million/s\n");
	bench_bind(&sys, 12, 4 * KIB, "system 4 KiB");
	bench_bind(&sys, 12, 1 * MIB, "system 1 MiB");
	bench_bind(&sys, 12, 64 * MIB, "system 64 MiB");
	bench_bind(&sys, 12, 1 * GIB, "system 1 GiB");
	bench_ops(&sys);
	bench_replace(&sys, &sys2);
	bo_unmap(&sys2);
	bo_close(&nv, sys2.handle);
	if (bo_create(&nv, &vram, DRM_NVFIFO_DOMAIN_VRAM, 64 * MIB)) {
		printf("VRAM: %llu MiB are free, 64 are needed\n",
		       (unsigned long long)(vram_free(&nv) / MIB));
	} else {
		bench_bind(&vram, 12, 4 * KIB, "VRAM, 4 KiB pages, 4 KiB");
		bench_bind(&vram, 12, 1 * MIB, "VRAM, 4 KiB pages, 1 MiB");
		bench_bind(&vram, 12, 64 * MIB, "VRAM, 4 KiB pages, 64 MiB");
		bench_bind(&vram, 12, 1 * GIB, "VRAM, 4 KiB pages, 1 GiB");
		bench_bind(&vram, 16, 64 * KIB, "VRAM, 64 KiB pages, 64 KiB");
		bench_bind(&vram, 16, 1 * MIB, "VRAM, 64 KiB pages, 1 MiB");
		bench_bind(&vram, 16, 64 * MIB, "VRAM, 64 KiB pages, 64 MiB");
		bench_bind(&vram, 16, 1 * GIB, "VRAM, 64 KiB pages, 1 GiB");
		bo_close(&nv, vram.handle);
	}
	bench_flushes(&sys);
	bench_many(&sys);
	bo_unmap(&sys);
	bo_close(&nv, sys.handle);
}

static void bench_bo(uint32_t domain, uint64_t size, const char *name)
{
	struct counts before, made;
	unsigned int i;
	struct bo bo;

	before = counts();
	need(!bo_create(&nv, &bo, domain, size), "BO_CREATE");
	made = since(before);
	bo_close(&nv, bo.handle);
	for (i = 0; i < 5; i++) {
		int64_t start = now_ns();

		need(!bo_create(&nv, &bo, domain, size), "BO_CREATE");
		sample(now_ns() - start);
		bo_close(&nv, bo.handle);
	}
	print_call(name, made, median(), 0);
}

static void bench_channel(void)
{
	struct counts before, made, gone;
	double make_us, end_us;
	unsigned int i;
	uint32_t id;

	before = counts();
	need(!chan_create(&nv, vm, 0, &id), "CHANNEL_CREATE");
	made = since(before);
	before = counts();
	need(!chan_destroy(&nv, id), "CHANNEL_DESTROY");
	msleep(20);
	gone = since(before);
	for (i = 0; i < 10; i++) {
		int64_t start = now_ns();

		need(!chan_create(&nv, vm, 0, &id), "CHANNEL_CREATE");
		sample(now_ns() - start);
		chan_destroy(&nv, id);
		msleep(5);
	}
	make_us = median();
	for (i = 0; i < 10; i++) {
		int64_t start;

		need(!chan_create(&nv, vm, 0, &id), "CHANNEL_CREATE");
		start = now_ns();
		chan_destroy(&nv, id);
		sample(now_ns() - start);
		msleep(5);
	}
	end_us = median();
	print_call("channel create", made, make_us, 0);
	print_call("channel destroy", gone, end_us, 0);
}

static void gr_object(struct ch *c, uint32_t handle)
{
	struct drm_nvfifo_object_create o = {
		.channel_id = c->id, .handle = handle, .type = DRM_NVFIFO_OBJECT_ENGINE,
		.oclass = 0x5039,
	};

	need(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o), "an M2MF object");
}

static void m2mf(struct ch *c, uint32_t mthd, uint32_t data)
{
	p_word(c, cmd_word(5, mthd, 1));
	p_word(c, data);
}

/* The first object of PGRAPH brings the context image. */
static void bench_first_object(void)
{
	unsigned int i;
	uint64_t before;
	struct ch c;

	for (i = 0; i < 6; i++) {
		int64_t start;
		uint32_t id;

		need(!chan_create(&nv, vm, 0, &id), "CHANNEL_CREATE");
		c.id = id;
		before = vram_free(&nv);
		start = now_ns();
		gr_object(&c, 0x5039);
		/* The first one of all sets PGRAPH up, too. */
		if (i)
			sample(now_ns() - start);
		else
			printf("\ncontext image of PGRAPH: %llu KiB of VRAM; first object of all %.1f us, ",
			       (unsigned long long)(before - vram_free(&nv)) / 1024,
			       (now_ns() - start) / 1000.0);
		chan_destroy(&nv, id);
		msleep(5);
	}
	printf("of a channel %.1f us\n", median());
}

/* M2MF through the whole stack */
static void bench_copy(void)
{
	const uint32_t bytes = 1 * MIB;
	struct bo from, to, page;
	uint64_t from_va, to_va;
	unsigned int i;
	double us;
	struct ch c;

	c = ch_new(&nv, vm);
	gr_object(&c, 0x5039);
	new_object(&c, SEM, 0, nv.dev.va_end);
	page = sys_bo(&nv, 4096);
	new_object(&c, SEM + 1, map(&nv, vm, &page), 4096);
	from = sys_bo(&nv, bytes);
	to = sys_bo(&nv, bytes);
	from_va = map(&nv, vm, &from);
	to_va = map(&nv, vm, &to);
	m2mf(&c, 0, 0x5039);
	m2mf(&c, 0x180, SEM + 1);
	m2mf(&c, 0x184, SEM);
	m2mf(&c, 0x188, SEM);
	need(ch_run(&c) == 1, "binding M2MF");
	memset(from.map, 0x5a, bytes);
	for (i = 0; i < 9; i++) {
		int64_t start;

		ch_rewind(&c);
		m2mf(&c, 0x200, 1);
		m2mf(&c, 0x21c, 1);
		m2mf(&c, 0x238, (uint32_t)(from_va >> 32));
		m2mf(&c, 0x23c, (uint32_t)(to_va >> 32));
		m2mf(&c, 0x30c, (uint32_t)from_va);
		m2mf(&c, 0x310, (uint32_t)to_va);
		m2mf(&c, 0x314, 4096);
		m2mf(&c, 0x318, 4096);
		m2mf(&c, 0x31c, 4096);
		m2mf(&c, 0x320, bytes / 4096);
		m2mf(&c, 0x324, 0x101);
		m2mf(&c, 0x328, 0);
		start = now_ns();
		need(ch_run(&c) == 1, "the copy");
		sample(now_ns() - start);
	}
	us = median();
	need(!memcmp(from.map, to.map, bytes), "the copy is right");
	printf("M2MF copy of 1 MiB, system memory to system memory, SUBMIT to fence: %.1f us\n", us);
}

static void bench_gr(void)
{
	bench_first_object();
	bench_copy();
}

int main(int argc, char **argv)
{
	const char *interrupt = "INTx";
	int64_t start;
	unsigned int i;

	if (argc > 1) {
		rounds = (unsigned int)nvfifo_text_value(argv[1], 10);
		if (!rounds || rounds > ARRAY_SIZE(samples)) {
			fprintf(stderr, "bench: rounds '%s': not a number from 1 to %zu\n", argv[1],
				ARRAY_SIZE(samples));
			return 2;
		}
	}
	/* Its own objects would be counted too. */
	file_write("/sys/kernel/debug/kmemleak", "off");
	if (!kernel_ready())
		nth_fd = -1;
	nv_open(&nv);
	if (nv.dev.features & DRM_NVFIFO_FEATURE_MSI)
		interrupt = "MSI";
	vm = new_vm(&nv);
	/* A ring with room after the entry that blocks it. */
	ch = ch_order(&nv, vm, nv.lim.ring_order_max);
	data = sys_bo(&nv, 4096);
	new_object(&ch, SEM, map(&nv, vm, &data), 4096);

	printf("nvfifo on %s, %s, %s; medians of %u\n\n", (const char *)nv.dev.name,
	       ctl_present() ? "the model" : "a real card (accesses are not counted)", interrupt,
	       rounds);
	bench_queues();
	bench_binds();
	bench_bo(DRM_NVFIFO_DOMAIN_SYSTEM, 1 * MIB, "BO_CREATE system 1 MiB");
	bench_bo(DRM_NVFIFO_DOMAIN_VRAM, 1 * MIB, "BO_CREATE VRAM 1 MiB");
	bench_bo(DRM_NVFIFO_DOMAIN_VRAM, 16 * MIB, "BO_CREATE VRAM 16 MiB");
	bench_channel();
	bench_gr();

	for (i = 0; i < 10000; i++) {
		start = now_ns();
		syscall(SYS_getppid);
		sample(now_ns() - start);
	}
	printf("\nAn empty system call takes %.1f us here. ", median());
	printf("In User Mode Linux a system call, an access of\n"
	       "the card and an interrupt cost many times what a machine takes for them: times\n"
	       "can be compared with others of this run only. Counts hold everywhere.\n");
	return 0;
}
