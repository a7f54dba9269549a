// SPDX-License-Identifier: MIT
/* A process that works on the card beside an attack; see witness.h. */
#include "witness.h"

#include <sys/prctl.h>

#define SEM		0x600d0001
#define COPY_BYTES	(16 * KIB)
#define GUARD_BYTES	(64 * KIB)
#define GUARD_WORD	0x6a6a0000u
#define START_MS	WAIT_MS
#define PULSE_MS	20

struct work {
	struct nv nv;
	struct ch ch;
	uint32_t vm;
	uint32_t n;			/* number of the round */
	struct bo data, guard;
	struct bo from, vram, to;
	uint64_t from_va, vram_va, to_va;
};

static void guard_fill(struct bo *guard)
{
	uint32_t i;

	for (i = 0; i < GUARD_BYTES / 4; i++)
		guard->map[i] = GUARD_WORD + i;
}

/* Count changed words, and restore them, so that each hit counts once. */
static uint32_t guard_hits(struct bo *guard)
{
	uint32_t i, hits = 0;

	for (i = 0; i < GUARD_BYTES / 4; i++)
		hits += guard->map[i] != GUARD_WORD + i;
	if (hits)
		guard_fill(guard);
	return hits;
}

static void pfifo_open(struct work *k)
{
	k->data = sys_bo(&k->nv, 4 * KIB);
	new_object(&k->ch, SEM, map(&k->nv, k->vm, &k->data), k->data.size);
}

static void m2mf_open(struct work *k)
{
	k->from = sys_bo(&k->nv, COPY_BYTES);
	k->to = sys_bo(&k->nv, COPY_BYTES);
	k->vram = vram_bo(&k->nv, COPY_BYTES);
	k->from_va = map(&k->nv, k->vm, &k->from);
	k->to_va = map(&k->nv, k->vm, &k->to);
	k->vram_va = map(&k->nv, k->vm, &k->vram);

	graph_bind_m2mf(&k->ch);
	graph_m2mf_format(&k->ch, 4 * KIB, COPY_BYTES / (4 * KIB), 4 * KIB);
	need(ch_run(&k->ch) == 1, "the witness sets up M2MF");
}

static void work_open(struct work *k, enum witness_kind kind)
{
	memset(k, 0, sizeof(*k));
	nv_open(&k->nv);
	k->vm = new_vm(&k->nv);
	k->ch = ch_new(&k->nv, k->vm);
	k->guard = sys_bo(&k->nv, GUARD_BYTES);
	guard_fill(&k->guard);

	if (kind == WITNESS_PFIFO)
		pfifo_open(k);
	else
		m2mf_open(k);
}

static void run(struct work *k)
{
	struct drm_nvfifo_channel_query q;
	int ret = ch_run(&k->ch);

	if (ret == 1)
		return;

	if (chan_query(&k->nv, k->ch.id, &q))
		need(false, "round %u gave %d, and no QUERY", k->n, ret);
	need(false, "round %u gave %d, state %u error %u code 0x%x", k->n, ret, q.state, q.error,
	     q.error_code);
}

/* Returns whether memory and counter have the values that the fence implies. */
static bool pfifo_round(struct work *k)
{
	struct drm_nvfifo_channel_query q;

	p_ref(&k->ch, k->n);
	p_release(&k->ch, SEM, 0, ~k->n);
	run(k);

	/* REF of a channel that died meanwhile says nothing about the fence. */
	q = ch_query(&k->ch);
	need(!q.state, "round %u ended, then the channel died: error %u code 0x%x", k->n, q.error,
	     q.error_code);
	return q.ref == k->n && *(volatile uint32_t *)k->data.map == ~k->n;
}

static bool m2mf_round(struct work *k)
{
	uint32_t i;

	for (i = 0; i < COPY_BYTES / 4; i++)
		k->from.map[i] = k->n * 0x9e3779b9 + i;
	graph_m2mf_launch(&k->ch, k->from_va, k->vram_va);
	graph_m2mf_launch(&k->ch, k->vram_va, k->to_va);
	run(k);

	return !memcmp(k->from.map, k->to.map, COPY_BYTES);
}

static void gap_begin(struct witness *w)
{
	w->last_ns = now_ns();
	w->last = w->pulses;
}

static void gap_end(struct witness *w)
{
	int64_t now = now_ns();
	uint32_t pulses = w->pulses;

	if (now - w->last_ns > w->gap_ns)
		w->gap_ns = now - w->last_ns;
	if (pulses - w->last > w->gap)
		w->gap = pulses - w->last;

	gap_begin(w);
}

/* Do nothing for as long as the test wants so. The time does not count for the gap. */
static void rest(struct witness *w)
{
	if (!w->rest)
		return;

	w->rests = true;
	while (w->rest && !w->stop)
		msleep(1);
	w->rests = false;
	gap_begin(w);
}

/* From one open() to the first failure, or to the end of the test. */
static void witness_life(struct witness *w, struct work *k)
{
	work_open(k, w->kind);

	while (!w->stop) {
		bool ok;

		k->n++;
		if (w->kind == WITNESS_PFIFO)
			ok = pfifo_round(k);
		else
			ok = m2mf_round(k);

		gap_end(w);
		w->rounds++;
		if (!ok)
			w->wrong++;
		if (k->n % 32 == 0)
			w->guard_hits += guard_hits(&k->guard);
		if (w->pause_ms) {
			msleep(w->pause_ms);
			gap_begin(w);
		}
		rest(w);
	}
}

static void witness_main(struct witness *w)
{
	static struct work work;
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	/* Its failures are the test's to report. */
	dup2(null, STDOUT_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(0);
	signal(SIGTERM, SIG_DFL);

	while (!w->stop) {
		if (!setjmp(tap_env)) {
			tap_env_set = true;
			witness_life(w, &work);
			break;
		}
		if (!w->deaths)
			snprintf(w->why, sizeof(w->why), "%s", give_up_text);
		w->deaths++;
		files_close();
		msleep(50);
	}

	files_close();
	_exit(0);
}

static void pulse_main(struct witness *w)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(0);
	files_close();

	for (;;) {
		msleep(PULSE_MS);
		w->pulses++;
	}
}

struct witness *witness_start(enum witness_kind kind)
{
	struct witness *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	need(w != MAP_FAILED, "mmap: %s", strerror(errno));
	w->kind = kind;
	gap_begin(w);
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		witness_main(w);

	w->pid = pid;
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		pulse_main(w);

	w->pulse_pid = pid;
	need(witness_lives(w, START_MS), "the witness does not start: %s", w->why);
	witness_new_phase(w);
	return w;
}

void witness_new_phase(struct witness *w)
{
	gap_begin(w);
	w->gap_ns = 0;
	w->gap = 0;
}

void witness_rest(struct witness *w)
{
	int64_t end = now_ns() + START_MS * 1000000ll;

	w->rest = true;
	while (!w->rests && now_ns() < end)
		msleep(1);
	need(w->rests, "the witness does not end its round");
}

void witness_go(struct witness *w)
{
	w->rest = false;
}

bool witness_lives(struct witness *w, unsigned int ms)
{
	int64_t end = now_ns() + ms * 1000000ll;
	uint32_t rounds = w->rounds;

	while (w->rounds == rounds && now_ns() < end)
		msleep(5);
	return w->rounds != rounds;
}

void witness_end(struct witness *w)
{
	w->stop = true;
	waitpid(w->pid, NULL, 0);
	kill(w->pulse_pid, SIGKILL);
	waitpid(w->pulse_pid, NULL, 0);
}

bool witness_stop(struct witness *w, unsigned int gap_ms, const char *name)
{
	bool lives = witness_lives(w, gap_ms > WAIT_MS ? gap_ms : WAIT_MS), ok;

	if (!lives) {
		gap_end(w);
		kill(w->pid, SIGKILL);
	}
	witness_end(w);

	ok = check(!w->deaths, "%s: no call and no fence of the witness failed", name);
	if (w->deaths)
		diag("%u failures, the first: %s", w->deaths, w->why);
	ok &= check(!w->wrong && !w->guard_hits, "%s: the witness's memory is its own", name);
	if (w->wrong || w->guard_hits)
		diag("%u rounds with wrong contents, %u words of the guard", w->wrong,
		     w->guard_hits);
	ok &= check(lives && w->gap < gap_ms / PULSE_MS,
		    "%s: the witness never waited for %u ms", name, gap_ms);
	diag("%u rounds, the longest took %lld ms and %u pulses of %u ms", w->rounds,
	     (long long)w->gap_ns / 1000000, w->gap, PULSE_MS);

	munmap(w, sizeof(*w));
	return ok;
}
