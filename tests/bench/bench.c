// SPDX-License-Identifier: MIT
/*
 * What SUBMIT, VM_BIND and CHANNEL_CREATE cost: accesses of the card, counted by the
 * model, and time.
 *
 *	bench [rounds]		default 200
 *
 * Accesses are counted twice: while the channel is blocked in an acquire, so that
 * nothing but the call itself touches the card, and from the call to its fence.
 */
#include "../guest/raw.h"

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

/* Median of what was sampled since the last call. */
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
	uint32_t reads, writes, bar3, flushes, irqs;
};

static struct counts counts(void)
{
	struct counts c = {
		.reads = stat_of(mmio_reads),
		.writes = stat_of(mmio_writes),
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
	b.bar3 -= a.bar3;
	b.flushes -= a.flushes;
	b.irqs -= a.irqs;
	return b;
}

static void submit_entries(uint32_t n, uint64_t at)
{
	struct drm_nvfifo_entry e[512];
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

static void bench_submit(uint32_t n)
{
	struct drm_nvfifo_entry block;
	struct counts before, held, whole;
	double ioctl_us, done_us;
	unsigned int i;
	uint64_t at;

	ch_rewind(&ch);
	p_ref(&ch, 1);
	at = ch.push_va;
	ch_entry(&ch);
	p_acquire(&ch, SEM, 0, 1);
	block = ch_entry(&ch);

	/* Behind an acquire that waits, the call's own accesses are all there are. */
	*(volatile uint32_t *)data.map = 0;
	need(!submit_raw(&nv, ch.id, &block, 1, NULL, 0, NULL), "SUBMIT");
	msleep(20);
	before = counts();
	submit_entries(n, at);
	msleep(20);
	held = since(before);
	*(volatile uint32_t *)data.map = 1;
	done();
	msleep(5);

	before = counts();
	submit_entries(n, at);
	done();
	msleep(5);
	whole = since(before);

	for (i = 0; i < rounds; i++) {
		int64_t start = now_ns();

		submit_entries(n, at);
		sample(now_ns() - start);
		done();
	}
	ioctl_us = median();
	for (i = 0; i < rounds; i++) {
		int64_t start = now_ns();

		submit_entries(n, at);
		done();
		sample(now_ns() - start);
	}
	done_us = median();
	printf("SUBMIT %4u  %10u %10u %14u %10u %6u %12.1f %12.1f\n", n, held.reads, held.writes,
	       whole.reads, whole.writes, whole.irqs, ioctl_us, done_us);
	fflush(stdout);
}

static void bench_bind(uint64_t size, const char *name)
{
	unsigned int n = size >= 16 * MIB ? 5 : size >= 1 * MIB ? 20 : 100, i;
	struct counts before, mapped, unmapped;
	struct bo bo = sys_bo(&nv, size);
	double map_us, unmap_us;
	uint64_t va = 4 * GIB;

	/* Pages and page table exist from the second time on. */
	need(!vm_map_at(&nv, vm, &bo, va, 0, 0), "VM_BIND");
	need(!vm_unmap(&nv, vm, va, size), "VM_BIND");
	before = counts();
	need(!vm_map_at(&nv, vm, &bo, va, 0, 0), "VM_BIND");
	mapped = since(before);
	before = counts();
	need(!vm_unmap(&nv, vm, va, size), "VM_BIND");
	unmapped = since(before);
	for (i = 0; i < n; i++) {
		int64_t start = now_ns();

		need(!vm_map_at(&nv, vm, &bo, va, 0, 0), "VM_BIND");
		sample(now_ns() - start);
		need(!vm_unmap(&nv, vm, va, size), "VM_BIND");
	}
	map_us = median();
	for (i = 0; i < n; i++) {
		int64_t start;

		need(!vm_map_at(&nv, vm, &bo, va, 0, 0), "VM_BIND");
		start = now_ns();
		need(!vm_unmap(&nv, vm, va, size), "VM_BIND");
		sample(now_ns() - start);
	}
	unmap_us = median();
	printf("map   %-8s %8u %10u %10u %10u %14.1f\n", name, mapped.reads, mapped.writes,
	       mapped.bar3, mapped.flushes, map_us);
	printf("unmap %-8s %8u %10u %10u %10u %14.1f\n", name, unmapped.reads, unmapped.writes,
	       unmapped.bar3, unmapped.flushes, unmap_us);
	fflush(stdout);
	bo_unmap(&bo);
	bo_close(&nv, bo.handle);
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
	printf("channel create %8u %10u %10u %10u %14.1f\n", made.reads, made.writes, made.bar3,
	       made.flushes, make_us);
	printf("channel destroy%8u %10u %10u %10u %14.1f\n", gone.reads, gone.writes, gone.bar3,
	       gone.flushes, end_us);
}

int main(int argc, char **argv)
{
	int64_t start;
	unsigned int i;

	if (argc > 1) {
		rounds = (unsigned int)strtoul(argv[1], NULL, 10);
		if (!rounds || rounds > ARRAY_SIZE(samples)) {
			fprintf(stderr, "bench: rounds '%s': not a number from 1 to %zu\n", argv[1],
				ARRAY_SIZE(samples));
			return 2;
		}
	}
	nv_open(&nv);
	vm = new_vm(&nv);
	/* A ring that has room behind what it is blocked with. */
	ch = ch_order(&nv, vm, nv.lim.ring_order_max);
	data = sys_bo(&nv, 4096);
	new_object(&ch, SEM, map(&nv, vm, &data), 4096);

	printf("nvfifo on %s, %s, %s; medians of %u\n\n", (const char *)nv.dev.name,
	       ctl_present() ? "the model" : "a real card (accesses are not counted)",
	       nv.dev.features & DRM_NVFIFO_FEATURE_MSI ? "MSI" : "INTx", rounds);
	printf("              -- call alone ------  -- to the fence ---------------  "
	       "-- time, us --------\n");
	printf("entries       MMIO reads     writes     MMIO reads     writes   irqs"
	       "        ioctl    signalled\n");
	bench_submit(1);
	bench_submit(16);
	bench_submit(64);
	bench_submit(510);
	printf("\n               MMIO reads     writes       BAR3   TLB flushes     time, us\n");
	bench_bind(4 * KIB, "4 KiB");
	bench_bind(1 * MIB, "1 MiB");
	bench_bind(64 * MIB, "64 MiB");
	bench_channel();

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
