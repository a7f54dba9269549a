// SPDX-License-Identifier: MIT
/*
 * Pushbuffer fuzzer: hostile processes send random and mutated pushbuffers, while two witnesses
 * work beside them. The hostile channels may end with any error. The witnesses must not be harmed,
 * and the card must work afterwards.
 *
 *	FUZZ_SEED=n	other random numbers (default 1)
 *	FUZZ_SECONDS=n	how long (default 20)
 *	FUZZ_ATTACKERS=n	processes at a time, 1 to 8 (default 3)
 *	FUZZ_CASES=a,b	only these cases, in turn, by all attackers
 *
 * A case is a seed for the calls of one file: its objects, its pushbuffers, and its calls while
 * these run. When a witness is harmed, the fuzzer prints the cases that are running.
 */
#include "nvfifo_text.h"
#include "push_gen.h"

#include <sys/prctl.h>

#define MAX_ATTACKERS	8
#define MAX_CASES	32
#define GAP_MS		8000
#define JOB_TIMEOUT_MS	"3000"

/* One attacker's page of the shared memory. */
struct attacker {
	pid_t pid;
	volatile bool stop;
	volatile uint64_t current;	/* case */
	volatile uint32_t cases, submits, words, dead, refused;
};

static struct attacker *attackers;
static uint32_t num_attackers;
static uint64_t cases[MAX_CASES];
static uint32_t num_cases;

/* --- One case ----------------------------------------------------------------- */

struct target {
	struct nv nv;
	uint32_t vm, chan;
	bool dma_mode;
	struct bo push;
	uint64_t push_va;
	uint32_t push_n;
	uint32_t done;
	struct gen gen;
};

static void add_address(struct target *t, uint64_t va)
{
	t->gen.addresses[t->gen.num_addresses++] = va;
}

static void add_memory(struct target *t)
{
	struct bo sys = sys_bo(&t->nv, 64 * KIB), vram, ro = sys_bo(&t->nv, 16 * KIB);

	add_address(t, map(&t->nv, t->vm, &sys));
	add_address(t, map_flags(&t->nv, t->vm, &ro, DRM_NVFIFO_VM_BIND_READ_ONLY));
	if (!bo_create(&t->nv, &vram, DRM_NVFIFO_DOMAIN_VRAM, 64 * KIB))
		add_address(t, map(&t->nv, t->vm, &vram));

	add_address(t, va_alloc(&t->nv, 64 * KIB));
	add_address(t, t->push_va);
	add_address(t, 0);
	add_address(t, t->nv.dev.va_end - 4 * KIB);
	add_address(t, 1ull << 40);
}

static void add_graph_objects(struct target *t)
{
	static const uint32_t classes[] = {
		0x5039, 0x502d, 0x5097, 0x8297, 0x8397, 0x8597, 0x8697, 0x50c0, 0x85c0, 0x0030,
		0x5062, 0x305c,
	};
	struct gen *g = &t->gen;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		uint32_t handle = 0xbeef0000 | classes[i];

		if (rng_one_in(&g->rng, 6))
			continue;
		if (!graph_object_new(&t->nv, t->chan, handle, classes[i]))
			g->handles[g->num_handles++] = handle;
	}

	g->engine_handles = g->num_handles;
}

static void add_dma_objects(struct target *t)
{
	/* The names that the recorded pushbuffers use. */
	static const uint32_t handles[] = { 0xbeef0201, 0xbeef0202, 0xbeef0301 };
	struct gen *g = &t->gen;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(handles) + 6; i++) {
		uint32_t handle = 0xd0a00000 + i, access = rng_below(&g->rng, 3);
		uint64_t start = 0, size = t->nv.dev.va_end;

		if (i < ARRAY_SIZE(handles))
			handle = handles[i];
		if (rng_one_in(&g->rng, 2)) {
			start = g->addresses[rng_below(&g->rng, g->num_addresses)];
			size = 1 + rng_below(&g->rng, 0x20000);
		}
		object_dma_access(&t->nv, t->chan, handle, start, size, access);
		g->handles[g->num_handles++] = handle;
	}

	g->handles[g->num_handles++] = 0xdeadbeef;
}

/* Software objects, whose methods are unread events. */
static void add_software_objects(struct target *t)
{
	struct drm_nvfifo_object_create c = {
		.channel_id = t->chan, .type = DRM_NVFIFO_OBJECT_SOFTWARE, .oclass = 0x506e,
	};
	uint32_t i;

	for (i = 0; i < GEN_SOFTWARE; i++) {
		c.handle = GEN_SOFTWARE_HANDLE + i;
		nv_ioctl(t->nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &c);
	}

	t->gen.software = true;
}

static bool target_open(struct target *t, uint64_t seed)
{
	struct drm_nvfifo_channel_create c = { 0 };
	bool software;

	memset(t, 0, sizeof(*t));
	t->gen.rng.state = seed;

	/* Numbers of their own, so that the cases of earlier findings keep theirs. */
	t->gen.more.state = ~seed;
	software = rng_one_in(&t->gen.more, 3);
	nv_open(&t->nv);
	t->gen.chipset = t->nv.dev.chipset;
	t->vm = new_vm(&t->nv);
	t->push = sys_bo(&t->nv, 128 * KIB);
	t->push_va = map(&t->nv, t->vm, &t->push);
	t->dma_mode = rng_one_in(&t->gen.rng, 5);
	t->gen.dma_mode = t->dma_mode;

	c.vm_id = t->vm;
	if (t->dma_mode) {
		c.flags = DRM_NVFIFO_CHANNEL_DMA_MODE;
		c.start = t->push_va;
		if (rng_one_in(&t->gen.more, 2))
			c.dma_limit = (uint32_t)(t->push_va + t->push.size - 4);
	} else if (rng_one_in(&t->gen.rng, 3)) {
		c.ring_order = 3 + rng_below(&t->gen.rng, 6);
	}

	if (software)
		c.flags |= DRM_NVFIFO_CHANNEL_EVENT;

	if (rng_one_in(&t->gen.more, 4))
		c.flags |= DRM_NVFIFO_CHANNEL_NO_SLI;

	if (rng_one_in(&t->gen.rng, 4))
		c.timeslice = 1 + rng_below(&t->gen.rng, 0x1ffff);

	if (chan_create_args(&t->nv, &c)) {
		/* The timeslice may be above an unprivileged share. */
		c.timeslice = 0;
		if (chan_create_args(&t->nv, &c))
			return false;
	}

	t->chan = c.id;
	t->done = sync_new(&t->nv);
	add_memory(t);
	add_graph_objects(t);
	add_dma_objects(t);
	if (software)
		add_software_objects(t);

	return true;
}

/* Return: 0 or the errno of SUBMIT. */
static int target_submit(struct target *t, struct attacker *a)
{
	struct drm_nvfifo_sync s = sync_signal(t->done);
	struct drm_nvfifo_entry e = { 0 };
	struct gen *g = &t->gen;
	int ret;

	if ((t->push_n + GEN_WORDS) * 4 > t->push.size)
		return -ENOSPC;

	g->base = t->push_va + t->push_n * 4;
	gen_segment(g);
	memcpy(t->push.map + t->push_n, g->words, g->n * 4);
	t->push_n += g->n;

	e.address = g->base;
	e.words = g->n;
	if (t->dma_mode) {
		e.address += g->n * 4;
		e.words = 0;
	}

	ret = submit_raw(&t->nv, t->chan, &e, 1, &s, 1, NULL);
	if (!ret) {
		a->submits++;
		a->words += g->n;
	}

	return ret;
}

/* Calls of a hostile owner while the card executes its work */
static void disturb(struct target *t)
{
	struct rng *r = &t->gen.rng;
	uint64_t va = t->gen.addresses[rng_below(r, 3)];

	switch (rng_below(r, 6)) {
	case 0:
		vm_unmap(&t->nv, t->vm, va, 4 * KIB);
		break;
	case 1:
		vm_map_at(&t->nv, t->vm, &t->push, va, DRM_NVFIFO_VM_BIND_REPLACE, 0);
		break;
	case 2:
		object_destroy(&t->nv, t->chan, t->gen.handles[rng_below(r, t->gen.num_handles)]);
		break;
	case 3:
		object_dma(&t->nv, t->chan, 0xd0a10000 + rng_below(r, 8), va, 4 * KIB);
		break;
	default:
		break;
	}
}

static void run_case(struct target *t, uint64_t seed, struct attacker *a)
{
	struct drm_nvfifo_channel_query q;
	uint32_t submits, i;

	a->current = seed;
	if (!target_open(t, seed)) {
		a->refused++;
		return;
	}

	submits = 1 + rng_below(&t->gen.rng, 6);

	for (i = 0; i < submits; i++) {
		if (target_submit(t, a))
			break;
		disturb(t);
		if (rng_one_in(&t->gen.rng, 2))
			sync_wait_ms(&t->nv, t->done, 1 + rng_below(&t->gen.rng, 60));
	}

	if (rng_one_in(&t->gen.rng, 12))
		sync_wait_ms(&t->nv, t->done, WAIT_MS);

	if (!chan_query(&t->nv, t->chan, &q) && q.state == DRM_NVFIFO_CHANNEL_DEAD)
		a->dead++;

	if (rng_one_in(&t->gen.rng, 2))
		chan_destroy(&t->nv, t->chan);
}

static uint64_t case_number(const struct attacker *a, uint64_t seed)
{
	struct rng r = { .state = seed };

	if (num_cases)
		return cases[a->cases % num_cases];
	r.state += (uint64_t)(a - attackers) << 32 | a->cases;
	return rng_next(&r);
}

static void attacker_main(struct attacker *a, uint64_t seed)
{
	static struct target t;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(null, STDOUT_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(0);

	while (!a->stop) {
		if (!setjmp(tap_env)) {
			tap_env_set = true;
			run_case(&t, case_number(a, seed), a);
		} else {
			a->refused++;
			msleep(20);
		}
		a->cases++;
		files_close();
	}

	_exit(0);
}

/* --- The run -------------------------------------------------------------------- */

static uint32_t harm(const struct witness *w)
{
	return w->deaths + w->wrong + w->guard_hits;
}

static void print_cases(const char *which)
{
	uint32_t i;

	for (i = 0; i < num_attackers; i++)
		diag("%s is harmed; attacker %u is at case 0x%llx", which, i,
		     (unsigned long long)attackers[i].current);
}

/* A card that is stuck refuses open(). */
static bool card_opens(void)
{
	int fd = node_open();

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* Return: false as soon as the card is stuck. */
static bool watch(struct witness **w, uint32_t n, uint32_t seconds)
{
	int64_t end = now_ns() + seconds * 1000000000ll;
	uint32_t seen[2] = { 0, 0 }, i;

	while (now_ns() < end) {
		if (!card_opens()) {
			print_cases("the card");
			return false;
		}
		for (i = 0; i < n; i++) {
			uint32_t now = harm(w[i]);

			if (now != seen[i])
				print_cases(w[i]->kind == WITNESS_PFIFO ? "PFIFO" : "M2MF");
			seen[i] = now;
		}
		msleep(20);
	}

	return true;
}

static void stop_attackers(void)
{
	uint32_t i, words = 0, submits = 0, count = 0, dead = 0, refused = 0;

	for (i = 0; i < num_attackers; i++)
		attackers[i].stop = true;

	for (i = 0; i < num_attackers; i++) {
		struct attacker *a = &attackers[i];

		waitpid(a->pid, NULL, 0);
		words += a->words;
		submits += a->submits;
		count += a->cases;
		dead += a->dead;
		refused += a->refused;
	}

	diag("%u cases, %u SUBMITs, %u words, %u channels died, %u calls refused", count, submits,
	     words, dead, refused);
	check(words > 0 && dead > 0, "pushbuffers were executed, and errors ended channels");
}

static bool card_works(void)
{
	struct nv nv;
	struct ch c;

	if (!card_opens())
		return false;

	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	graph_bind_m2mf(&c);
	return ch_run(&c) == 1 && ch_works(&c);
}

static void read_cases(void)
{
	const char *text = getenv("FUZZ_CASES");
	__u64 number;

	while (text && num_cases < MAX_CASES && (text = nvfifo_text_read(text, 0, &number))) {
		cases[num_cases++] = number;
		text += *text == ',';
	}
}

static void t_push(void)
{
	uint32_t seconds = (uint32_t)env_number("FUZZ_SECONDS", 20), i;
	uint64_t seed = env_number("FUZZ_SEED", 1), vram;
	struct witness *w[2];
	struct nv nv;
	int64_t end;

	alarm(seconds + 240);
	num_attackers = (uint32_t)env_number("FUZZ_ATTACKERS", 3);
	need(num_attackers && num_attackers <= MAX_ATTACKERS, "FUZZ_ATTACKERS: 1 to 8");
	read_cases();
	need(gen_read_recorded(), "recorded pushbuffers in tests/data");
	module_reload("job_timeout_ms=" JOB_TIMEOUT_MS);
	attackers = mmap(NULL, MAX_ATTACKERS * sizeof(*attackers), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(attackers != MAP_FAILED, "mmap: %s", strerror(errno));
	diag("FUZZ_SEED=%llu FUZZ_SECONDS=%u", (unsigned long long)seed, seconds);
	nv_open(&nv);
	vram = vram_free(&nv);
	nv_close(&nv);

	w[0] = witness_start(WITNESS_PFIFO);
	w[1] = witness_start(WITNESS_M2MF);

	for (i = 0; i < num_attackers; i++) {
		pid_t pid = fork();

		need(pid >= 0, "fork: %s", strerror(errno));
		if (!pid)
			attacker_main(&attackers[i], seed);
		attackers[i].pid = pid;
	}

	check(watch(w, 2, seconds), "the card is never stuck");
	stop_attackers();
	witness_stop(w[0], GAP_MS, "PFIFO");
	witness_stop(w[1], GAP_MS, "M2MF");

	need(card_works(), "the card works after it");
	files_close();
	nv_open(&nv);
	end = now_ns() + WAIT_MS * 1000000ll;

	while (vram_free(&nv) != vram && now_ns() < end)
		msleep(50);

	equal(vram_free(&nv), vram, "all VRAM came back");
}

static const struct test tests[] = { TEST(t_push) };

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
