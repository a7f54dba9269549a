// SPDX-License-Identifier: MIT
/*
 * Recovery: an error or endless work of one process must not harm another. A witness in its own
 * process copies memory with M2MF, and checks each copy and each fence.
 *
 * Guards blame, beside a witness (threat-model.rst), on one chip.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "raw.h"

#define PAGE		4096u
#define COPY_BYTES	(64 * KIB)

#define SUBC_M2MF	5
#define M2MF_OFFSET_IN	0x30c

/* An address where nothing is mapped. */
#define NOWHERE		0x7f00000000ull

/* Resets of PFIFO beside the writer of VRAM, each after a wait of two seconds */
#define RESETS	4

/* Results of the witness */
struct seen {
	uint32_t rounds;	/* successful ones */
	uint32_t wrong;		/* words that a copy did not bring */
	int32_t error;		/* of the last fence that did not signal success */
	bool stop;
};

static struct nv nv;
static volatile struct seen *seen;
static pid_t witness;

static void witness_run(void)
{
	struct bo from, to;
	uint64_t from_va, to_va;
	uint32_t vm, i;
	struct nv own;
	struct ch c;
	int ret;

	nv_open(&own);
	vm = new_vm(&own);
	c = ch_new(&own, vm);
	graph_bind_m2mf(&c);
	from = sys_bo(&own, COPY_BYTES);
	to = sys_bo(&own, COPY_BYTES);
	from_va = map(&own, vm, &from);
	to_va = map(&own, vm, &to);
	graph_m2mf_format(&c, PAGE, COPY_BYTES / PAGE, PAGE);

	while (!seen->stop) {
		for (i = 0; i < COPY_BYTES / 4; i++)
			from.map[i] = seen->rounds * 0x01000193 + i;
		memset(to.map, 0, COPY_BYTES);
		graph_m2mf_launch(&c, from_va, to_va);
		ret = ch_run(&c);
		if (ret != 1) {
			seen->error = ret;
			_exit(1);
		}

		for (i = 0; i < COPY_BYTES / 4; i++)
			seen->wrong += from.map[i] != to.map[i];
		seen->rounds++;
		ch_rewind(&c);
	}

	_exit(0);
}

/* Wait until the witness has done @n more rounds, or has died. */
static bool witness_goes_on(uint32_t n)
{
	uint32_t first = seen->rounds;
	int64_t end = now_ns() + WAIT_MS * 1000000ll;

	while (seen->rounds - first < n && !seen->error && now_ns() < end)
		msleep(5);
	return seen->rounds - first >= n;
}

static void seen_reset(void)
{
	if (!seen)
		seen = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	need(seen != MAP_FAILED, "memory for the witness");
	memset((void *)seen, 0, sizeof(*seen));
	fflush(stdout);
}

static void witness_start(void)
{
	seen_reset();
	witness = fork();
	need(witness >= 0, "fork");

	if (!witness) {
		tap_env_set = false;
		witness_run();
	}

	need(witness_goes_on(3), "the witness works");
}

static void witness_ends(const char *what)
{
	int status;

	check(witness_goes_on(3), "%s: the witness works on", what);
	seen->stop = true;
	waitpid(witness, &status, 0);
	equal(seen->wrong, 0, "each of its copies was right");
	equal((uint32_t)seen->error, 0, "each of its fences was signalled with success");
	diag("%u rounds", seen->rounds);
}

/* Reload with a limit for jobs that a test can wait for. */
static void world(const char *options)
{
	module_reload(options);
	nv_open(&nv);
}

static struct ch m2mf_chan(uint32_t vm)
{
	struct ch c = ch_new(&nv, vm);

	graph_bind_m2mf(&c);
	graph_m2mf_format(&c, 64, 1, 64);
	need(ch_run(&c) == 1, "an M2MF channel");
	return c;
}

/* Several faults in one segment: the next one comes while the first is being handled. */
static void t_faults(void)
{
	uint32_t vm, round, i, bad = 0;
	struct ch c;

	world("");
	vm = new_vm(&nv);
	witness_start();

	for (round = 0; round < 25; round++) {
		c = m2mf_chan(vm);
		for (i = 0; i < 3; i++)
			graph_m2mf_launch(&c, NOWHERE, NOWHERE);
		bad += ch_run(&c) != -ECANCELED;
		bad += ch_query(&c).error != DRM_NVFIFO_ERROR_GRAPH;
		need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");
	}

	equal(bad, 0, "each channel with three faults dies of PGRAPH");
	witness_ends("faults");
	nv_close(&nv);
}

/* A stream of errors, each of them over at once, and a TLB flush of the same process. */
static void t_errors_and_bind(void)
{
	const uint32_t words = 8000;
	struct drm_nvfifo_entry e[16];
	struct bo push, data;
	uint64_t push_va, data_va;
	uint32_t vm, i, round;
	struct ch c;

	world("");
	vm = new_vm(&nv);
	witness_start();
	push = sys_bo(&nv, 32 * KIB);
	push_va = map(&nv, vm, &push);
	data = sys_bo(&nv, PAGE);

	for (i = 0; i < words; i += 2) {
		push.map[i] = cmd_word(SUBC_M2MF, 0x104, 1);
		push.map[i + 1] = 7;
	}

	for (i = 0; i < 16; i++)
		e[i] = (struct drm_nvfifo_entry){ .address = push_va, .words = words };

	for (round = 0; round < 4; round++) {
		c = m2mf_chan(vm);
		data_va = map(&nv, vm, &data);
		need(!submit_raw(&nv, c.id, e, 16, NULL, 0, NULL), "SUBMIT");
		equal((uint32_t)vm_unmap(&nv, vm, data_va, data.size), 0,
		      "a flush beside a stream of errors");
		need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");
	}

	c = m2mf_chan(vm);
	check(ch_works(&c), "the process can go on with a new channel");
	witness_ends("a stream of errors");
	nv_close(&nv);
}

/* Make PGRAPH busy, for @ms or (0) until it is reset. */
static pid_t busy(unsigned int ms)
{
	pid_t pid;

	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	if (!ms)
		return 0;

	pid = fork();
	need(pid >= 0, "fork");

	if (!pid) {
		msleep(ms);
		ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
		_exit(0);
	}

	return pid;
}

/* Work of three seconds is legal, even if another process needs an idle PGRAPH meanwhile. */
static void t_long_work(void)
{
	struct bo data;
	uint64_t va;
	uint32_t vm, vm2;
	struct ch c, c2;
	pid_t pid;

	if (!ctl_present()) {
		skip("long work # SKIP only the model can be told to be slow");
		return;
	}

	/* The default limit, 10 s, may pass on a machine that stands still. */
	world("job_timeout_ms=60000");
	vm = new_vm(&nv);
	vm2 = new_vm(&nv);
	c2 = m2mf_chan(vm2);
	c = m2mf_chan(vm);
	data = sys_bo(&nv, PAGE);
	va = map(&nv, vm2, &data);
	pid = busy(3000);
	p_subc_mthd(&c, SUBC_M2MF, 0x100, 0);
	need(!ch_submit(&c), "SUBMIT");
	equal((uint32_t)vm_unmap(&nv, vm2, va, data.size), 0, "a flush waits for long work");
	equal((uint32_t)chan_destroy(&nv, c2.id), 0, "a channel that does nothing is destroyed");
	waitpid(pid, NULL, 0);
	equal((uint32_t)sync_finish(&nv, c.done), 1, "the long work ends well");
	check(ch_works(&c), "and its channel works");
	c = m2mf_chan(vm);
	check(ch_works(&c), "the card is in use");
	nv_close(&nv);
}

/* Endless work ends only its own channel. */
static void t_endless_work(void)
{
	struct drm_nvfifo_channel_query q;
	struct bo data;
	uint64_t va;
	uint32_t vm, vm2;
	struct ch c, c2;

	if (!ctl_present()) {
		skip("endless work # SKIP only the model can be told to hang");
		return;
	}

	world("job_timeout_ms=1500");
	vm = new_vm(&nv);
	vm2 = new_vm(&nv);
	c2 = m2mf_chan(vm2);
	c = m2mf_chan(vm);
	data = sys_bo(&nv, PAGE);
	va = map(&nv, vm2, &data);
	busy(0);
	p_subc_mthd(&c, SUBC_M2MF, 0x100, 0);
	need(!ch_submit(&c), "SUBMIT");
	equal((uint32_t)vm_unmap(&nv, vm2, va, data.size), 0, "a flush beside endless work");
	equal((uint32_t)sync_finish(&nv, c.done), (uint32_t)-ECANCELED, "the endless work fails");
	q = ch_query(&c);
	equal(q.state, DRM_NVFIFO_CHANNEL_DEAD, "its channel is dead");
	equal(q.error, DRM_NVFIFO_ERROR_TIMEOUT, "of the time limit");
	equal(ch_query(&c2).state, DRM_NVFIFO_CHANNEL_ALIVE, "the other one is alive");

	va = map(&nv, vm2, &data);
	data.map[0] = 0x600d;
	graph_m2mf_launch(&c2, va, va + 64);
	equal((uint32_t)ch_run(&c2), 1, "and works in PGRAPH");
	equal(data.map[16], 0x600d, "as it was told before");
	c = m2mf_chan(vm);
	check(ch_works(&c), "new ones work");
	nv_close(&nv);
}

/* Write VRAM and read it back, until the parent has seen enough. */
static void vram_writer(struct bo *bo)
{
	uint32_t i;

	while (!seen->stop) {
		for (i = 0; i < PAGE / 4; i++)
			bo->map[i] = seen->rounds * 0x01000193 + i;

		for (i = 0; i < PAGE / 4; i++)
			seen->wrong += bo->map[i] != seen->rounds * 0x01000193 + i;

		seen->rounds++;
	}

	_exit(0);
}

/* BAR1 needs PFIFO. A process that writes to VRAM while PFIFO is reset must not lose a word. */
static void t_vram_writes(void)
{
	uint32_t id, i, resets;
	struct bo bo;
	int status;

	module_reload("");
	nv_open(&nv);
	if (!(nv.dev.features & DRM_NVFIFO_FEATURE_VRAM_MMAP)) {
		skip("writes to VRAM # SKIP VRAM cannot be mapped here");
		nv_close(&nv);
		return;
	}

	seen_reset();
	bo = vram_bo(&nv, 64 * KIB);
	bo_mmap(&nv, &bo);
	resets = recovery_count("reset of PFIFO");
	witness = fork();
	need(witness >= 0, "fork");
	if (!witness)
		vram_writer(&bo);

	for (i = 0; i < RESETS; i++) {
		need(ctl_line("inject playlist-stuck until pfifo"), "inject");
		need(!chan_create(&nv, new_vm(&nv), 3, &id), "CHANNEL_CREATE");
		check(witness_goes_on(1), "the writer goes on after reset %u", i);
	}

	seen->stop = true;
	need(waitpid(witness, &status, 0) == witness, "waitpid");
	equal((uint32_t)status, 0, "the writer ends");
	equal(recovery_count("reset of PFIFO") - resets, RESETS, "PFIFO was reset");
	equal(seen->wrong, 0, "words that a reset has lost");
	nv_close(&nv);
}

static const struct test tests[] = {
	TEST(t_faults),
	TEST(t_errors_and_bind),
	TEST_ONCE(t_long_work),
	TEST_ONCE(t_endless_work),
	TEST_ONCE(t_vram_writes),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
