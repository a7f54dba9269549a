// SPDX-License-Identifier: MIT
/*
 * The queue between SUBMIT and the card: the order of submissions that wait, SUBMIT_TRY, the
 * watchdog, events of dead channels. Also trace events, and the parameters of CHANNEL_CREATE.
 *
 * Guards SUBMIT, its order and its events (uapi.rst), on one chip.
 */
#include "nvfifo_text.h"
#include "raw.h"

#include <poll.h>
#include <pthread.h>
#include <sys/mount.h>

#include "../../lib/nvfifo.h"

#define SEM	0x1234		/* DMA object over the data BO */
#define NO_SEM	0x777		/* a handle that no object has */
#define TIMEOUT_MS 2500u	/* job_timeout_ms of the tests that wait for it */

static struct nv nv;
static uint32_t vm;
static struct bo data;
static uint64_t data_va;

static void world(void)
{
	nv_open(&nv);
	vm = new_vm(&nv);
	data = sys_bo(&nv, 64 * KIB);
	data_va = map(&nv, vm, &data);
}

/* Load the driver with its default parameters for the next suite. */
static void world_with(const char *params)
{
	module_reload(params);
	world();
}

static void world_end(void)
{
	nv_close(&nv);
	module_reload("");
}

static volatile uint32_t *word(uint32_t i)
{
	return (volatile uint32_t *)data.map + i;
}

static struct ch chan(uint32_t order)
{
	struct ch c = ch_order(&nv, vm, order);

	new_object(&c, SEM, data_va, data.size);
	return c;
}

static uint32_t seed = 20261121;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(seed >> 8) * n >> 24);
}

static bool one_in(uint32_t n)
{
	return !below(n);
}

static int submit_flags(struct ch *c, uint32_t flags, const struct drm_nvfifo_entry *entries,
			uint32_t count, const struct drm_nvfifo_sync *syncs, uint32_t num_syncs)
{
	struct drm_nvfifo_submit s = {
		.channel_id = c->id,
		.flags = flags,
		.entries = { sizeof(*entries), count, (uintptr_t)entries },
		.syncs = { sizeof(*syncs), num_syncs, (uintptr_t)syncs },
	};
	int ret = nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s);

	if (!ret)
		c->seqno = s.seqno;

	return ret;
}

/* SUBMIT_TRY with the words written so far; they stay if it is refused. */
static int try_sync(struct ch *c, uint32_t wait, uint32_t signal)
{
	uint32_t start = c->start, n = 0;
	struct drm_nvfifo_entry e = ch_entry(c);
	struct drm_nvfifo_sync s[2];
	int ret;

	if (wait)
		s[n++] = sync_wait_for(wait);

	if (signal)
		s[n++] = sync_signal(signal);

	ret = submit_flags(c, DRM_NVFIFO_SUBMIT_TRY, &e, e.words ? 1 : 0, s, n);
	if (ret)
		c->start = start;

	return ret;
}

static int try_now(struct ch *c)
{
	return try_sync(c, 0, 0);
}

/* Status as sync_status(), and when the fence was signalled. */
static int sync_when(uint32_t handle, uint64_t *when)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = {
		.num_fences = 1, .sync_fence_info = (uintptr_t)&fence,
	};
	int fd = sync_export(&nv, handle), ret;

	if (fd < 0)
		return -EBADF;

	ret = nv_ioctl(fd, SYNC_IOC_FILE_INFO, &info);
	close(fd);
	*when = fence.timestamp_ns;
	return ret ? -EBADF : info.status;
}

static uint64_t timeline_value(uint32_t handle)
{
	uint64_t point = 0;
	struct drm_syncobj_timeline_array a = {
		.handles = (uintptr_t)&handle, .points = (uintptr_t)&point, .count_handles = 1,
	};
	int ret = nv_ioctl(nv.fd, DRM_IOCTL_SYNCOBJ_QUERY, &a);

	need(!ret, "SYNCOBJ_QUERY: %s", strerror(-ret));
	return point;
}

/* --- Gates: fences that signal when the test says so ----------------------- */

#define GATES		512
#define GATE_WORD	1024		/* of the data BO */

/* Fence n is signalled once n gates are open; they open in order. */
struct gates {
	struct ch ch;
	uint32_t made, open;
	uint32_t timeline;
	uint32_t binary[GATES];
};

static void gates_new(struct gates *g)
{
	memset(g, 0, sizeof(*g));
	g->ch = chan(0);
	g->timeline = sync_new(&nv);
}

/* The number of a new gate, from 1. */
static uint32_t gate_new(struct gates *g)
{
	struct drm_nvfifo_sync s[2];
	struct drm_nvfifo_entry e;
	uint32_t n = g->made;
	int ret;

	need(n < GATES, "the test has too many gates");
	*word(GATE_WORD + n) = 0;
	p_acquire(&g->ch, SEM, (GATE_WORD + n) * 4, n + 1);
	e = ch_entry(&g->ch);
	g->binary[n] = sync_new(&nv);
	s[0] = sync_signal(g->binary[n]);
	s[1] = sync_signal(g->timeline);
	s[1].flags |= DRM_NVFIFO_SYNC_TIMELINE;
	s[1].timeline_value = n + 1;
	ret = submit_flags(&g->ch, 0, &e, 1, s, 2);
	need(!ret, "SUBMIT of a gate: %s", strerror(-ret));

	return ++g->made;
}

static void gate_open(struct gates *g)
{
	if (g->open == g->made)
		return;
	*word(GATE_WORD + g->open) = g->open + 1;
	g->open++;
}

static void gates_open(struct gates *g)
{
	while (g->open < g->made)
		gate_open(g);
}

static struct drm_nvfifo_sync gate_wait(struct gates *g, uint32_t gate, bool timeline)
{
	struct drm_nvfifo_sync s = sync_wait_for(timeline ? g->timeline : g->binary[gate - 1]);

	if (timeline) {
		s.flags |= DRM_NVFIFO_SYNC_TIMELINE;
		s.timeline_value = gate;
	}
	return s;
}

static void gates_end(struct gates *g)
{
	uint32_t i;

	gates_open(g);
	if (g->made)
		sync_wait_ms(&nv, g->binary[g->made - 1], WAIT_MS);

	for (i = 0; i < g->made; i++)
		sync_free(&nv, g->binary[i]);

	sync_free(&nv, g->timeline);
	ch_free(&g->ch);
}

/* --- Order ----------------------------------------------------------------- */

#define LINK_WORDS	7
#define CHAIN_BYTES	(512 * KIB)
#define ROUND_MAX	400

/*
 * A chain: each link acquires the number that the one before it has released. A link
 * that runs too early, twice or not at all stops the channel for good.
 */
struct chain {
	struct bo bo;
	uint64_t va;
	uint32_t words;
	uint32_t links;
	uint32_t at;		/* which word of the data BO */
};

static void chain_new(struct chain *c, uint32_t at)
{
	memset(c, 0, sizeof(*c));
	c->bo = sys_bo(&nv, CHAIN_BYTES);
	c->va = map(&nv, vm, &c->bo);
	c->at = at;
	/* The first word is a command that does nothing. */
	c->bo.map[c->words++] = 0;
	*word(at) = 0;
}

static void chain_end(struct chain *c)
{
	vm_unmap(&nv, vm, c->va, c->bo.size);
	bo_unmap(&c->bo);
	bo_close(&nv, c->bo.handle);
}

static struct drm_nvfifo_entry chain_nop(const struct chain *c)
{
	return (struct drm_nvfifo_entry){ .address = c->va, .words = 1 };
}

static struct drm_nvfifo_entry chain_link(struct chain *c)
{
	struct drm_nvfifo_entry e = { .address = c->va + c->words * 4ull, .words = LINK_WORDS };
	volatile uint32_t *w = c->bo.map + c->words;

	need((c->words + LINK_WORDS) * 4ull <= CHAIN_BYTES, "the chain of the test is full");
	w[0] = cmd_word(0, NVFIFO_MTHD_DMA_SEMAPHORE, 2);
	w[1] = SEM;
	w[2] = c->at * 4;
	w[3] = cmd_word(0, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, 1);
	w[4] = c->links++;
	w[5] = cmd_word(0, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1);
	w[6] = c->links;
	c->words += LINK_WORDS;

	return e;
}

/* Number of entries of a random submission */
static uint32_t mix_count(uint32_t order)
{
	uint32_t max = (1u << order) - 2;

	switch (below(16)) {
	case 0:
	case 1:
		return 0;
	case 2:
		return 1 + below(max < 64 ? max : 64);
	case 3:
		return order <= 6 ? max : 3;
	case 4:
	case 5:
	case 6:
		return 1 + below(max < 8 ? max : 8);
	default:
		return 1;
	}
}

/* The wait of a submission: none, a signalled fence, or a pending one. */
static uint32_t mix_waits(struct gates *g, uint32_t own, uint32_t ready, struct drm_nvfifo_sync *s)
{
	uint32_t n = 0;

	if (ready && one_in(6))
		s[n++] = sync_wait_for(ready);

	if (own && one_in(8))
		s[n++] = sync_wait_for(own);

	if (g->made && one_in(6))
		s[n++] = gate_wait(g, 1 + below(g->made), one_in(2));

	if (g->made < GATES && one_in(12))
		s[n++] = gate_wait(g, gate_new(g), one_in(2));

	/* Few gates may be closed at a time, so that no work meets the time limit. */
	if (one_in(10) || g->made - g->open > 6)
		gate_open(g);

	return n;
}

static bool seen_in_order(struct ch *c, const uint32_t *fences, uint32_t submitted,
			  uint64_t *completed)
{
	struct drm_nvfifo_channel_query q = ch_query(c);
	uint64_t i;

	if (q.submitted != submitted || q.completed < *completed || q.completed > q.submitted) {
		diag("submitted %llu, not %u; completed %llu after %llu",
		     (unsigned long long)q.submitted, submitted, (unsigned long long)q.completed,
		     (unsigned long long)*completed);
		return false;
	}

	for (i = q.completed > 8 ? q.completed - 8 : 0; i < q.completed; i++) {
		int status = sync_status(&nv, fences[i]);

		if (status == 1)
			continue;
		diag("%llu are completed, but fence %llu has status %d",
		     (unsigned long long)q.completed, (unsigned long long)i + 1, status);
		return false;
	}

	*completed = q.completed;
	return true;
}

/* A syncobj whose fence is signalled already. */
static uint32_t sync_signalled(void)
{
	struct drm_syncobj_create create = { .flags = DRM_SYNCOBJ_CREATE_SIGNALED };

	need(!nv_ioctl(nv.fd, DRM_IOCTL_SYNCOBJ_CREATE, &create), "SYNCOBJ_CREATE");
	return create.handle;
}

static void order_check_fences(const uint32_t *fences, uint32_t order, uint32_t count)
{
	uint32_t i, bad = 0, late = 0;
	uint64_t when = 0, before = 0;

	for (i = 0; i < count; i++) {
		bad += sync_when(fences[i], &when) != 1;
		late += when < before;
		before = when;
	}

	check(!bad, "ring order %u: all fences signalled (%u did not)", order, bad);
	check(!late, "ring order %u: one after the other (%u too early)", order, late);
}

static void order_entries(struct chain *chain, struct drm_nvfifo_entry *entries, uint32_t count)
{
	uint32_t k;

	for (k = 0; k < count; k++) {
		if (!k || (count <= 64 && one_in(2)))
			entries[k] = chain_link(chain);
		else
			entries[k] = chain_nop(chain);
	}
}

static void order_free(const uint32_t *fences, uint32_t count, uint32_t timeline)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		sync_free(&nv, fences[i]);
	sync_free(&nv, timeline);
}

static void order_round(uint32_t order, uint32_t count)
{
	static uint32_t fences[ROUND_MAX];
	static struct drm_nvfifo_entry entries[4096];
	struct ch c = chan(order);
	uint32_t ready = sync_signalled();
	uint32_t timeline = sync_new(&nv), size = 1u << order, i;
	uint64_t total = 0, completed = 0;
	bool numbers = true, seen = true;
	struct drm_nvfifo_channel_query q;
	struct gates gates;
	struct chain chain;
	int ret;

	gates_new(&gates);
	chain_new(&chain, 16);
	for (i = 0; i < count; i++) {
		struct drm_nvfifo_sync s[8];
		uint32_t entry_count = mix_count(order), n;

		/* Large rings wrap early with submissions of almost their size. */
		if (order > 6 && i % (count / 4) == count / 8)
			entry_count = size - 2;
		order_entries(&chain, entries, entry_count);
		n = mix_waits(&gates, i ? fences[below(i)] : 0, ready, s);
		fences[i] = sync_new(&nv);
		s[n++] = sync_signal(fences[i]);
		s[n] = sync_signal(timeline);
		s[n].flags |= DRM_NVFIFO_SYNC_TIMELINE;
		s[n++].timeline_value = i + 1;
		ret = submit_flags(&c, 0, entries, entry_count, s, n);
		need(!ret, "order %u: SUBMIT %u: %s", order, i + 1, strerror(-ret));
		numbers &= c.seqno == i + 1;
		total += entry_count + 1;
		if (one_in(16))
			seen &= seen_in_order(&c, fences, i + 1, &completed);
		if (one_in(50))
			msleep(1);
	}
	gates_open(&gates);
	ret = sync_finish(&nv, fences[count - 1]);
	check(ret == 1, "ring order %u: the last of %u fences signals (%d)", order, count, ret);
	check(numbers, "ring order %u: numbers are 1, 2, 3...", order);
	check(seen, "ring order %u: completed work has signalled, at all times", order);
	order_check_fences(fences, order, count);
	equal(timeline_value(timeline), count, "the timeline is at the last point");
	if (!check(*word(16) == chain.links, "ring order %u: %u entries ran in order", order,
		   chain.links))
		diag("the word is %u", *word(16));
	q = ch_query(&c);
	check(q.state == DRM_NVFIFO_CHANNEL_ALIVE && q.submitted == count && q.completed == count,
	      "ring order %u: QUERY agrees", order);
	check(q.ib_get == q.ib_put && q.ib_put == total % size && total / size >= 2,
	      "ring order %u: %llu times round", order, (unsigned long long)(total / size));
	order_free(fences, count, timeline);
	sync_free(&nv, ready);
	gates_end(&gates);
	ch_free(&c);
	chain_end(&chain);
}

static void t_order(void)
{
	uint32_t order;

	world();
	for (order = nv.lim.ring_order_min; order <= 12; order++)
		order_round(order, order < 6 ? ROUND_MAX : ROUND_MAX * 3 / 4);
}

#define SHARED_EACH 600

/* Fences by the number of their SUBMIT; two processes write to it. */
static volatile uint32_t *shared_fences;

/* Some wait for a gate, most go to the ring directly. Returns how many failed. */
static uint32_t shared_submits(struct ch *c, const struct gates *g)
{
	const struct drm_nvfifo_entry nop = { .address = c->push_va, .words = 1 };
	uint32_t i, wrong = 0;

	for (i = 0; i < SHARED_EACH; i++) {
		struct drm_nvfifo_sync s[2];
		uint32_t n = 0, fence = sync_new(&nv);

		s[n++] = sync_signal(fence);
		if (one_in(5))
			s[n++] = sync_wait_for(g->binary[i * g->made / SHARED_EACH]);
		if (submit_flags(c, 0, &nop, one_in(3) ? 0 : 1, s, n) || !c->seqno ||
		    c->seqno > 2 * SHARED_EACH || shared_fences[c->seqno]) {
			wrong++;
			continue;
		}

		shared_fences[c->seqno] = fence;
		if (one_in(20))
			msleep(1);
	}

	return wrong;
}

/* Two processes submit to one channel of one file: the seqnos give the order. */
/* --- More SUBMITs than may wait ---------------------------------------------------- */

#define WAITING_MAX 1024

struct sleeper {
	struct ch *c;
	uint32_t wait;
	volatile int ret;		/* 1: in the call */
	pthread_t thread;
};

static void on_signal(int sig)
{
	(void)sig;
}

static void *sleeper_thread(void *arg)
{
	struct sleeper *s = arg;
	struct drm_nvfifo_sync sync = sync_wait_for(s->wait);
	struct drm_nvfifo_submit sub = {
		.channel_id = s->c->id, .syncs = { sizeof(sync), 1, (uintptr_t)&sync },
	};

	/* Not repeated for a signal. */
	s->ret = ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &sub) ? -errno : 0;
	return NULL;
}

static struct sleeper sleeper_start(struct ch *c, uint32_t wait)
{
	return (struct sleeper){ .c = c, .wait = wait, .ret = 1 };
}

static void sleeper_run(struct sleeper *s, const char *what)
{
	need(!pthread_create(&s->thread, NULL, sleeper_thread, s), "pthread_create");
	msleep(HOLD_MS);
	equal((uint32_t)s->ret, 1, what);
}

static int fill_waiting(struct ch *c, uint32_t wait)
{
	struct drm_nvfifo_sync sync = sync_wait_for(wait);
	int ret = 0, i;

	for (i = 0; i < WAITING_MAX && !ret; i++)
		ret = submit_raw(&nv, c->id, NULL, 0, &sync, 1, NULL);
	return ret;
}

static void t_many_wait(void)
{
	struct sigaction sa = { .sa_handler = on_signal }, old;
	struct sleeper s;
	int64_t start;
	struct ch b, c;

	/* On a slow kernel a thousand SUBMITs take longer than the default hang limit. */
	world_with("job_timeout_ms=60000");
	b = chan(0);
	c = chan(0);
	p_acquire(&b, SEM, 0, 1);
	need(!ch_submit(&b), "SUBMIT");
	equal((uint32_t)fill_waiting(&c, b.done), 0, "1024 SUBMITs wait for a fence");
	refused(try_now(&c), EAGAIN, "SUBMIT_TRY after them");

	sigaction(SIGUSR1, &sa, &old);
	s = sleeper_start(&c, b.done);
	sleeper_run(&s, "the next SUBMIT sleeps");
	start = now_ns();
	do
		pthread_kill(s.thread, SIGUSR1);
	while (s.ret == 1 && may_come(start));
	pthread_join(s.thread, NULL);
	sigaction(SIGUSR1, &old, NULL);
	equal((uint32_t)s.ret, (uint32_t)-EINTR, "a signal ends it");
	equal(ch_query(&c).submitted, WAITING_MAX, "it was not queued");

	s = sleeper_start(&c, b.done);
	sleeper_run(&s, "the next SUBMIT sleeps again");
	*word(0) = 1;
	pthread_join(s.thread, NULL);
	equal((uint32_t)s.ret, 0, "it is queued when there is room");
	check(ch_works(&c), "all that waited ends");
	equal(ch_query(&c).completed, WAITING_MAX + 2, "as many as there were");

	p_acquire(&b, SEM, 0, 2);
	need(!ch_submit(&b), "SUBMIT");
	equal((uint32_t)fill_waiting(&c, b.done), 0, "1024 wait once more");
	s = sleeper_start(&c, b.done);
	sleeper_run(&s, "the next SUBMIT sleeps");
	check(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY while it sleeps");
	pthread_join(s.thread, NULL);
	equal((uint32_t)s.ret, (uint32_t)-ECANCELED, "it ends with ECANCELED");
	*word(0) = 2;
	equal((uint32_t)sync_finish(&nv, b.done), 1, "the other channel goes on");
	world_end();
}

static void t_order_shared(void)
{
	const size_t size = (2 * SHARED_EACH + 1) * 4;
	uint64_t when = 0, before = 0;
	uint32_t i, wrong, late = 0;
	struct gates gates;
	int status = -1;
	struct ch c;
	pid_t pid[2];

	world();
	c = chan(4);
	c.push.map[0] = 0;
	gates_new(&gates);

	for (i = 0; i < 60; i++)
		gate_new(&gates);

	shared_fences = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(shared_fences != MAP_FAILED, "mmap: %s", strerror(errno));
	fflush(stdout);
	pid[0] = fork();
	if (!pid[0]) {
		while (gates.open < gates.made) {
			msleep(5);
			gate_open(&gates);
		}

		_exit(0);
	}

	pid[1] = fork();
	if (!pid[1]) {
		tap_env_set = false;
		seed++;
		_exit(shared_submits(&c, &gates) ? 1 : 0);
	}

	need(pid[0] > 0 && pid[1] > 0, "fork: %s", strerror(errno));
	wrong = shared_submits(&c, &gates);
	wrong += waitpid(pid[1], &status, 0) != pid[1] || status;
	check(!wrong, "two processes submit to one channel, and each has numbers of its own");
	waitpid(pid[0], NULL, 0);
	gates.open = gates.made;

	for (i = 1; i <= 2 * SHARED_EACH; i++) {
		wrong += !shared_fences[i] || sync_finish(&nv, shared_fences[i]) != 1 ||
			 sync_when(shared_fences[i], &when) != 1;
		late += when < before;
		before = when;
		sync_free(&nv, shared_fences[i]);
	}

	check(!wrong, "all fences signalled (%u wrong)", wrong);
	check(!late, "in the order of the numbers (%u too early)", late);
	check(ch_works(&c), "the channel works");
	munmap((void *)shared_fences, size);
	gates_end(&gates);
	ch_free(&c);
}

/* Submit more than the ring's room on a channel that waits in its first entry. */
static void t_ring_full(void)
{
	static const uint32_t sizes[] = { 1, 1, 1, 6, 0, 2, 6, 6, 0, 0, 3, 1, 5, 4, 1, 1 };
	uint32_t order = 3, round, i, k, fences[ARRAY_SIZE(sizes) + 1], wrong = 0, early = 0;
	struct drm_nvfifo_entry entries[6];
	struct drm_nvfifo_channel_query q;
	struct drm_nvfifo_sync s;
	struct chain chain;
	struct ch c;

	world();
	c = chan(order);
	chain_new(&chain, 16);

	for (round = 0; round < 20; round++) {
		uint64_t before = ch_query(&c).submitted;

		*word(0) = 0;
		ch_rewind(&c);
		p_acquire(&c, SEM, 0, round + 1);
		fences[0] = sync_new(&nv);
		need(!ch_submit_sync(&c, 0, fences[0]), "SUBMIT");
		for (i = 0; i < ARRAY_SIZE(sizes); i++) {
			for (k = 0; k < sizes[i]; k++)
				entries[k] = chain_link(&chain);
			fences[i + 1] = sync_new(&nv);
			s = sync_signal(fences[i + 1]);
			need(!submit_flags(&c, 0, entries, sizes[i], &s, 1), "SUBMIT");
		}

		q = ch_query(&c);
		if (q.submitted != before + ARRAY_SIZE(sizes) + 1 || q.completed != before)
			wrong++;
		/* The ring has room for the first three only, of two slots each. */
		if (((q.ib_put - q.ib_get) & 7) > 6)
			wrong++;
		for (i = 0; i < ARRAY_SIZE(fences); i++)
			early += sync_status(&nv, fences[i]) != 0;
		*word(0) = round + 1;
		for (i = 0; i < ARRAY_SIZE(fences); i++) {
			wrong += sync_finish(&nv, fences[i]) != 1;
			sync_free(&nv, fences[i]);
		}
	}

	check(!early, "no fence of a blocked channel signals (%u did)", early);
	check(!wrong, "entries that the ring had no room for run later (%u wrong)", wrong);
	equal(*word(16), chain.links, "all entries ran in order");
	equal(ch_query(&c).state, DRM_NVFIFO_CHANNEL_ALIVE, "the channel is alive");
}

#define MIX_CHANS	5
#define MIX_FENCES	2500

struct mixed {
	struct ch c;
	uint32_t fences[64];
	uint32_t count;
};

/* Wait for a channel's fences: first those that succeed, then only those that are cancelled. */
static uint32_t mixed_wrong(struct mixed *m, uint32_t *cancelled)
{
	uint32_t i, wrong = 0;
	bool ended = false;

	for (i = 0; i < m->count; i++) {
		int status = sync_finish(&nv, m->fences[i]);

		if (status == -ECANCELED) {
			ended = true;
			++*cancelled;
		} else if (status != 1 || ended) {
			diag("channel %u: fence %u of %u ends with %d", m->c.id, i + 1, m->count,
			     status);
			wrong++;
		}

		sync_free(&nv, m->fences[i]);
	}

	m->count = 0;

	return wrong;
}

/* Wait for the channel's fences and replace it. Returns the number of fences that ended wrongly. */
static uint32_t mixed_renew(struct mixed *m, struct gates *gates, uint32_t *cancelled)
{
	uint32_t wrong;

	/* Open the gate, because submissions of a live channel wait for it. */
	gates_open(gates);
	wrong = mixed_wrong(m, cancelled);
	ch_free(&m->c);
	m->c = chan(3 + below(6));
	return wrong;
}

/* Random submissions with mistakes and destroyed channels: no fence is lost. */
static void t_deaths_between(void)
{
	static struct mixed m[MIX_CHANS];
	uint32_t i, made = 0, wrong = 0, cancelled = 0, refusals = 0;
	struct gates gates;

	world();
	memset(m, 0, sizeof(m));
	gates_new(&gates);

	for (i = 0; i < MIX_CHANS; i++)
		m[i].c = chan(3 + below(6));

	while (made < MIX_FENCES) {
		struct mixed *x = &m[below(MIX_CHANS)];
		struct drm_nvfifo_entry e;
		struct drm_nvfifo_sync s[8];
		uint32_t fence, n;
		int ret;

		if (x->count == ARRAY_SIZE(x->fences) || one_in(40)) {
			if (one_in(2))
				chan_destroy(&nv, x->c.id);
			wrong += mixed_renew(x, &gates, &cancelled);
		}

		if (gates.made > GATES - 8) {
			gates_end(&gates);
			gates_new(&gates);
		}

		if (one_in(25))
			p_word(&x->c, one_in(2) ? 0xffffffff : cmd_word(0, 0x70, 1));
		p_ref(&x->c, made);
		e = ch_entry(&x->c);
		fence = sync_new(&nv);
		s[0] = sync_signal(fence);
		n = 1 + mix_waits(&gates, x->count ? x->fences[below(x->count)] : 0, 0, s + 1);
		ret = submit_flags(&x->c, 0, &e, one_in(10) ? 0 : 1, s, n);
		if (ret) {
			wrong += ret != -ECANCELED || sync_has_fence(&nv, fence);
			refusals++;
			sync_free(&nv, fence);
			wrong += mixed_renew(x, &gates, &cancelled);
		} else {
			x->fences[x->count++] = fence;
			made++;
		}
	}

	gates_open(&gates);

	for (i = 0; i < MIX_CHANS; i++)
		wrong += mixed_wrong(&m[i], &cancelled);

	check(!wrong, "%u fences of channels that die end well or with ECANCELED (%u wrong)", made,
	      wrong);
	check(cancelled > 20 && refusals > 5, "%u were cancelled, %u submissions refused",
	      cancelled, refusals);
}

/* A submission that waits for a fence ends with its channel, before that fence. */
static void t_death_of_waiting(void)
{
	uint32_t i, k, fences[4], wait;
	struct gates gates;

	world();
	gates_new(&gates);
	wait = gates.binary[gate_new(&gates) - 1];

	for (i = 0; i < 2; i++) {
		const char *what = i ? "a channel that dies" : "a channel that is destroyed";
		struct ch c = chan(3);
		uint32_t wrong = 0;
		uint64_t when = 0, before = 0;

		if (i) {
			/* It still runs when the others come, and the puller fails later. */
			*word(0) = 0;
			p_acquire(&c, SEM, 0, 1);
			p_mthd(&c, NVFIFO_MTHD_DMA_SEMAPHORE, NO_SEM);
			need(!ch_submit(&c), "SUBMIT");
		}

		for (k = 0; k < ARRAY_SIZE(fences); k++) {
			fences[k] = sync_new(&nv);
			p_ref(&c, 0xbad);
			need(!ch_submit_sync(&c, k ? 0 : wait, fences[k]), "SUBMIT");
		}

		if (i)
			*word(0) = 1;
		else
			need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");
		for (k = 0; k < ARRAY_SIZE(fences); k++) {
			wrong += sync_finish(&nv, fences[k]) != -ECANCELED;
			wrong += sync_when(fences[k], &when) != -ECANCELED || when < before;
			before = when;
			sync_free(&nv, fences[k]);
		}

		check(!wrong, "%s: the fences of waiting jobs end with ECANCELED, in order", what);
		check(!sync_status(&nv, wait),
		      "%s: the fence that they waited for has not ended", what);
		if (i) {
			struct drm_nvfifo_channel_query q = ch_query(&c);

			check(q.submitted == 5 && q.completed == 5, "%s: all are counted", what);
		}

		ch_free(&c);
	}

	gates_end(&gates);
}

/* --- SUBMIT_TRY ------------------------------------------------------------ */

/* Refused with EAGAIN, and nothing is queued. */
static void again_at(int line, struct ch *c, uint32_t wait, const char *what)
{
	uint64_t submitted = ch_query(c).submitted;
	uint32_t empty = sync_new(&nv);
	int ret = try_sync(c, wait, empty);

	if (!check_at(__FILE__, line, ret == -EAGAIN, "%s: EAGAIN", what))
		diag("returned %d", ret);

	check_at(__FILE__, line, ch_query(c).submitted == submitted && !sync_has_fence(&nv, empty),
		 "%s: nothing is queued", what);
	sync_free(&nv, empty);
}

#define again(c, wait, what) again_at(__LINE__, c, wait, what)

/* Repeat the call until it succeeds or a time limit; return the last result. */
static int try_until(struct ch *c)
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;
	int ret;

	do {
		ret = try_now(c);
		if (ret == -EAGAIN)
			msleep(1);
	} while (ret == -EAGAIN && now_ns() < end);
	return ret;
}

static void try_signalled(struct ch *c, uint32_t ready)
{
	p_ref(c, 1);
	equal((uint32_t)try_sync(c, 0, c->done), 0, "TRY with nothing to wait for");
	equal(c->seqno, 1, "it is number 1");
	p_ref(c, 2);
	equal((uint32_t)try_sync(c, ready, c->done), 0, "TRY with a signalled fence");
	equal(c->seqno, 2, "it is number 2");
	equal((uint32_t)sync_finish(&nv, c->done), 1, "its fence signals");
	equal(ch_query(c).ref, 2, "it ran");
}

static void t_try_waits(void)
{
	uint32_t ready;
	struct drm_nvfifo_sync s[2];
	struct drm_nvfifo_entry e;
	struct gates gates;
	struct ch c;
	uint32_t held = 0;

	world();
	c = chan(0);
	gates_new(&gates);
	ready = sync_signalled();

	try_signalled(&c, ready);

	p_ref(&c, 3);
	again(&c, gates.binary[gate_new(&gates) - 1], "TRY with a fence that is not signalled");

	/* The same with a point of a timeline, to wait for and to signal. */
	e = (struct drm_nvfifo_entry){ .address = c.push_va, .words = 2 };
	s[0] = gate_wait(&gates, 1, true);
	s[1] = sync_signal(gates.timeline);
	s[1].flags |= DRM_NVFIFO_SYNC_TIMELINE;
	s[1].timeline_value = 100;
	refused(submit_flags(&c, DRM_NVFIFO_SUBMIT_TRY, &e, 1, s, 2), EAGAIN,
		"TRY with a point that is not signalled");
	check(timeline_wait_ms(&nv, gates.timeline, 100, 0) == -EINVAL,
	      "the point to signal has no fence");
	equal(ch_query(&c).submitted, 2, "nothing is queued");

	gate_open(&gates);
	need(sync_finish(&nv, gates.binary[0]) == 1, "gate");
	equal((uint32_t)try_sync(&c, gates.binary[0], c.done), 0, "the same when it is signalled");
	equal(c.seqno, 3, "it is number 3");
	equal((uint32_t)sync_finish(&nv, c.done), 1, "its fence signals");
	equal(ch_query(&c).ref, 3, "it ran");

	/* After a SUBMIT that waits */
	held = sync_new(&nv);
	p_ref(&c, 4);
	need(!ch_submit_sync(&c, gates.binary[gate_new(&gates) - 1], held), "SUBMIT");
	p_ref(&c, 5);
	again(&c, 0, "TRY after a submission that waits");
	check(sync_status(&nv, held) == 0, "that one still waits");
	gate_open(&gates);
	equal((uint32_t)try_until(&c), 0, "the same when it does not");
	equal(c.seqno, 5, "it is number 5");
	equal((uint32_t)sync_finish(&nv, held), 1, "the one that waited is done");
	check(ch_works(&c), "the channel works");

	refused(submit_flags(&c, 2, NULL, 0, NULL, 0), EINVAL, "SUBMIT with an unknown flag");
	p_word(&c, 0xffffffff);
	need(!ch_submit(&c) && sync_finish(&nv, c.done) == -ECANCELED, "a mistake");
	p_ref(&c, 6);
	refused(try_now(&c), ECANCELED, "TRY on a dead channel");
	gates_end(&gates);
}

static void t_try_full(void)
{
	struct ch c;
	uint32_t i, n;

	world();
	c = chan(3);
	*word(0) = 0;
	p_acquire(&c, SEM, 0, 1);
	equal((uint32_t)try_now(&c), 0, "TRY of a job that blocks the channel");

	for (i = 2; i <= 3; i++) {
		p_ref(&c, i);
		equal((uint32_t)try_now(&c), 0, "TRY while there is room");
	}

	/* Six of seven slots are taken. */
	p_ref(&c, 4);
	again(&c, 0, "TRY of one entry with one slot left");
	n = c.n;
	c.n = c.start;
	equal((uint32_t)try_now(&c), 0, "TRY of no entry takes that slot");
	again(&c, 0, "TRY of no entry with no slot left");
	c.n = n;
	again(&c, 0, "TRY with no slot left");
	equal(ch_query(&c).ref, 0, "the channel is still blocked");
	*word(0) = 1;
	equal((uint32_t)try_until(&c), 0, "the same when there is room");
	equal(c.seqno, 5, "it is number 5");
	check(ch_works(&c), "the channel works");

	/* Repeat at full speed, so that the ring wraps many times. */
	for (i = 0; i < 1000; i++) {
		if (c.n > PUSH_BYTES / 4 - 64) {
			need(sync_wait_ms(&nv, c.done, 0) != -EINVAL, "fence");
			need(ch_works(&c), "the channel works");
			ch_rewind(&c);
		}

		p_ref(&c, 1000 + i);
		need(!try_until(&c), "TRY until there is room");
	}

	check(ch_works(&c), "1000 submissions that do not wait");
	ch_free(&c);
}

/* --- The watchdog ---------------------------------------------------------- */

/* Whether to run a long test: on one chip of each generation, G80 and G84 */
static bool is_first_of_its_kind(const char *what)
{
	uint32_t chipset;
	struct nv n;

	nv_open(&n);
	chipset = n.dev.chipset;
	nv_close(&n);
	if (chipset == 0x50 || chipset == 0x84)
		return true;

	skip("%s # SKIP run on G80 and G84", what);

	return false;
}

static void t_lost_interrupt(void)
{
	struct ch c;
	int64_t start;
	uint32_t i;

	if (!ctl_present()) {
		skip("lost interrupt # SKIP no model");
		return;
	}

	world();
	if (!is_first_of_its_kind("lost interrupt"))
		return;

	c = chan(3);
	need(ch_works(&c), "the channel works");
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_NO_IRQ);

	for (i = 0; i < 3; i++) {
		start = now_ns();
		p_ref(&c, i + 1);
		equal((uint32_t)ch_run(&c), 1, "work whose interrupt is lost ends");
		diag("after %u ms", ms_since(start));
		equal(ch_query(&c).ref, i + 1, "it was executed");
	}

	/* The ring fills up. The driver must notice free room without an interrupt. */
	ch_rewind(&c);
	start = now_ns();

	for (i = 0; i < 12; i++) {
		p_ref(&c, 10 + i);
		need(!ch_submit(&c), "SUBMIT");
	}

	equal((uint32_t)sync_finish(&nv, c.done), 1, "more than the ring has room for ends");
	diag("after %u ms", ms_since(start));
	equal(ch_query(&c).completed, ch_query(&c).submitted, "all is completed");
	equal(ch_query(&c).ref, 21, "the last was executed");
	if (nv.g84) {
		/* A loop of TRY makes its own room. */
		start = now_ns();
		for (i = 0; i < 12; i++) {
			p_ref(&c, 30 + i);
			need(!try_until(&c), "TRY");
		}

		diag("TRY after %u ms", ms_since(start));
	}

	ctl(NVSIM_CTL_CLEAR, ~0u);
	check(ch_works(&c), "later work ends by interrupt again");
	equal(ch_query(&c).state, DRM_NVFIFO_CHANNEL_ALIVE, "the channel is alive");
	ch_free(&c);
}

static bool died_of(struct ch *c, uint32_t error)
{
	struct drm_nvfifo_channel_query q = ch_query(c);

	if (q.state == DRM_NVFIFO_CHANNEL_DEAD && q.error == error)
		return true;
	diag("state %u error %u code 0x%x", q.state, q.error, q.error_code);
	return false;
}

static void t_hang(void)
{
	char params[40];
	struct ch c, other;
	int64_t start;
	uint32_t i;

	if (!is_first_of_its_kind("hanging channels"))
		return;

	snprintf(params, sizeof(params), "job_timeout_ms=%u", TIMEOUT_MS);
	world_with(params);
	other = chan(0);

	for (i = 0; i < 2; i++) {
		c = chan(0);
		*word(0) = 0;
		need(ch_works(&c), "the channel works");
		/* A long idle time must not count against the limit. */
		if (i)
			msleep(TIMEOUT_MS + 1500);
		p_acquire(&c, SEM, 0, 1);
		start = now_ns();
		need(!ch_submit(&c), "SUBMIT");
		equal((uint32_t)sync_finish(&nv, c.done), (uint32_t)-ECANCELED,
		      "its fence ends with ECANCELED");
		check(ms_since(start) >= TIMEOUT_MS, "not before the time limit of %u ms (%u ms)",
		      TIMEOUT_MS, ms_since(start));
		check(died_of(&c, DRM_NVFIFO_ERROR_TIMEOUT), "it is dead of the time limit");
		check(ch_works(&other), "another channel works");
		ch_free(&c);
	}

	world_end();
}

/* Time limit of eight SUBMITs that take a sixth of it each. A machine that stalls makes them longer. */
#define SLOW_LIMIT_MS	9000u

/* Every submission takes a while, and the queue is never empty. */
static void t_slow(void)
{
	struct ch c, all;
	uint32_t i, fence[2], last;
	char params[40];
	int64_t start;

	if (!is_first_of_its_kind("slow channels"))
		return;

	snprintf(params, sizeof(params), "job_timeout_ms=%u", SLOW_LIMIT_MS);
	world_with(params);
	c = chan(0);
	all = chan(0);

	/* Here all is submitted at once, on the other channel while the one before is at work. */
	for (i = 0; i < 8; i++) {
		*word(i) = 0;
		p_acquire(&all, SEM, i * 4, 1);
		need(!ch_submit(&all), "SUBMIT");
	}

	start = now_ns();
	fence[0] = sync_new(&nv);
	fence[1] = sync_new(&nv);
	last = 0;

	for (i = 0; i < 9; i++) {
		if (i < 8) {
			p_acquire(&c, SEM, i * 4, 1);
			need(!ch_submit_sync(&c, 0, fence[i % 2]), "SUBMIT");
		}

		if (!i)
			continue;
		msleep(SLOW_LIMIT_MS / 6);
		*word(i - 1) = 1;
		last += sync_finish(&nv, fence[(i - 1) % 2]) == 1;
	}

	equal(last, 8, "work that goes on slowly ends well");
	equal((uint32_t)sync_finish(&nv, all.done), 1,
	      "so does the job that was queued all the time");
	check(ms_since(start) > SLOW_LIMIT_MS, "it took longer than the time limit (%u ms)",
	      ms_since(start));
	check(ch_works(&c) && ch_works(&all), "both channels are alive");
	ch_free(&c);
	ch_free(&all);
	world_end();
}

/* Work that has not begun has no time limit: it waits for others. */
static void t_no_limit(void)
{
	struct gates gates;
	struct ch c, h;
	uint32_t gate;

	if (!is_first_of_its_kind("no time limit"))
		return;

	world_with("job_timeout_ms=0");
	gates_new(&gates);
	c = chan(0);
	h = chan(0);
	gate = gate_new(&gates);
	p_ref(&c, 1);
	need(!ch_submit_sync(&c, gates.binary[gate - 1], c.done), "SUBMIT");
	*word(0) = 0;
	p_acquire(&h, SEM, 0, 1);
	need(!ch_submit(&h), "SUBMIT");

	/* Longer than the default. */
	check(sync_wait_ms(&nv, h.done, 12000) == -ETIME &&
	      ch_query(&h).state == DRM_NVFIFO_CHANNEL_ALIVE, "job_timeout_ms=0 is a long time limit");
	*word(0) = 1;
	equal((uint32_t)sync_finish(&nv, h.done), 1, "it ends when it can");
	gates_open(&gates);
	equal((uint32_t)sync_finish(&nv, c.done), 1, "and so does the job that waited for it");
	nv_close(&nv);

	module_reload("job_timeout_ms=1500");
	world();
	c = chan(3);
	gates_new(&gates);
	gate = gate_new(&gates);
	h = chan(3);
	p_ref(&h, 1);

	/* The gate's channel hangs and is ended, which releases the waiting submissions. */
	need(!ch_submit_sync(&h, gates.binary[gate - 1], h.done), "SUBMIT");
	check(sync_finish(&nv, gates.binary[gate - 1]) == -ECANCELED, "the gate times out");
	check(sync_finish(&nv, h.done) != 0, "the job that waited for it goes on");
	equal(ch_query(&h).state, DRM_NVFIFO_CHANNEL_ALIVE, "its channel did not time out");
	check(ch_works(&h) && ch_works(&c), "it works");
	world_end();
}

/* --- Events ---------------------------------------------------------------- */

static int event_chan_at(struct nv *n, uint32_t v, uint64_t user_data, uint32_t *id)
{
	struct drm_nvfifo_channel_create c = {
		.vm_id = v, .flags = DRM_NVFIFO_CHANNEL_EVENT, .ring_order = 3,
		.user_data = user_data,
	};
	int ret = nv_ioctl(n->fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &c);

	*id = c.id;
	return ret;
}

/* A channel with CHANNEL_EVENT */
static struct ch event_chan(uint64_t user_data)
{
	struct ch c = { .nv = &nv, .vm = vm };
	int ret = event_chan_at(&nv, vm, user_data, &c.id);

	need(!ret, "CHANNEL_CREATE with EVENT: %s", strerror(-ret));
	c.push = sys_bo(&nv, PUSH_BYTES);
	c.push_va = map(&nv, vm, &c.push);
	c.done = sync_new(&nv);
	new_object(&c, SEM, data_va, data.size);
	return c;
}

static bool readable_in(struct nv *n, int ms)
{
	struct pollfd p = { .fd = n->fd, .events = POLLIN };
	int ret;

	do
		ret = poll(&p, 1, ms);
	while (ret < 0 && errno == EINTR);
	return ret == 1 && (p.revents & POLLIN);
}

static bool readable(int ms)
{
	return readable_in(&nv, ms);
}

static bool event_read(struct drm_nvfifo_event_channel_dead *e)
{
	char buf[200];
	ssize_t n;

	memset(e, 0, sizeof(*e));
	if (!readable(WAIT_MS))
		return false;

	n = read(nv.fd, buf, sizeof(buf));
	if (n != sizeof(*e)) {
		diag("read() returned %zd", n);
		return false;
	}

	memcpy(e, buf, sizeof(*e));

	return true;
}

static void die_of(struct ch *c, uint32_t error)
{
	switch (error) {
	case DRM_NVFIFO_ERROR_PUSHER:
		p_word(c, 0xffffffff);
		break;
	case DRM_NVFIFO_ERROR_CACHE:
		p_mthd(c, NVFIFO_MTHD_DMA_SEMAPHORE, NO_SEM);
		break;
	case DRM_NVFIFO_ERROR_SEMAPHORE:
		p_mthd(c, NVFIFO_MTHD_DMA_SEMAPHORE, SEM);
		p_mthd(c, NVFIFO_MTHD_SEMAPHORE_OFFSET, 2);
		break;
	default:
		p_acquire(c, SEM, 0x8000, 0x77777777);
		break;
	}

	need(!ch_submit(c), "SUBMIT");
}

static void event_is(struct ch *c, uint64_t user_data, uint32_t error, const char *what)
{
	struct drm_nvfifo_channel_query q;
	struct drm_nvfifo_event_channel_dead e;

	if (!check(event_read(&e), "%s: an event can be read", what))
		return;

	q = ch_query(c);
	check(e.base.type == DRM_NVFIFO_EVENT_CHANNEL_DEAD && e.base.length == sizeof(e) && !e.pad,
	      "%s: it is of its type and length", what);
	if (!check(e.channel_id == c->id && e.user_data == user_data,
		   "%s: it is of this channel", what))
		diag("channel %u (not %u) user_data 0x%llx", e.channel_id, c->id,
		     (unsigned long long)e.user_data);
	if (!check(e.error == error && e.error == q.error && e.error_code == q.error_code,
		   "%s: it names the error", what))
		diag("error %u code 0x%x, QUERY says %u and 0x%x, not %u", e.error, e.error_code,
		     q.error, q.error_code, error);
	check(e.error_detail == q.error_detail && e.error_method == q.error_method &&
	      e.error_data == q.error_data, "%s: and its method and data", what);
	check(e.fault == q.fault && e.fault_address == q.fault_address, "%s: and its fault", what);
	check(q.state == DRM_NVFIFO_CHANNEL_DEAD, "%s: the channel is dead", what);
	check(!readable(0), "%s: there is one event", what);
}

static void t_event_fault(void)
{
	struct drm_nvfifo_entry unmapped = { .address = 0x7654321000, .words = 4 };
	struct drm_nvfifo_event_channel_dead e;
	struct ch c;

	world();
	c = event_chan(9);
	need(!submit_raw(&nv, c.id, &unmapped, 1, NULL, 0, NULL), "SUBMIT");
	need(event_read(&e), "an event");
	check(e.error == DRM_NVFIFO_ERROR_PUSHER && e.user_data == 9, "of the pusher's error");
	equal(e.fault, 1, "it has the VM fault");
	equal(e.fault_address & ~0xfffull, unmapped.address, "at the segment's page");
	ch_free(&c);
	world_end();
}

static void t_event(void)
{
	static const struct {
		uint32_t error;
		const char *what;
	} deaths[] = {
		{ DRM_NVFIFO_ERROR_PUSHER, "pusher error" },
		{ DRM_NVFIFO_ERROR_CACHE, "cache error" },
		{ DRM_NVFIFO_ERROR_SEMAPHORE, "semaphore error" },
		{ DRM_NVFIFO_ERROR_TIMEOUT, "time limit" },
	};
	struct ch c, silent;
	uint64_t mark;
	size_t i;

	if (!is_first_of_its_kind("events of every error"))
		return;

	world_with("job_timeout_ms=1500");

	for (i = 0; i < ARRAY_SIZE(deaths); i++) {
		mark = 0xfedcba9876543210ull + i;
		c = event_chan(i == 1 ? 0 : mark);
		check(!readable(HOLD_MS), "%s: nothing can be read before", deaths[i].what);
		need(ch_works(&c), "the channel works");
		check(!readable(HOLD_MS), "%s: nor after work that ended well", deaths[i].what);
		die_of(&c, deaths[i].error);
		event_is(&c, i == 1 ? 0 : mark, deaths[i].error, deaths[i].what);
		ch_free(&c);
		check(!readable(HOLD_MS), "%s: destroying it sends nothing", deaths[i].what);
	}

	/* No event without the flag, nor for a channel that its owner destroys, busy or not. */
	silent = chan(0);
	die_of(&silent, DRM_NVFIFO_ERROR_PUSHER);
	check(sync_finish(&nv, silent.done) == -ECANCELED && !readable(HOLD_MS),
	      "a channel without EVENT dies silently");
	ch_free(&silent);
	c = event_chan(1);
	ch_free(&c);
	c = event_chan(2);
	die_of(&c, DRM_NVFIFO_ERROR_TIMEOUT);
	ch_free(&c);
	check(!readable(HOLD_MS), "a channel that is destroyed sends nothing");
	{
		struct drm_nvfifo_channel_create bad = { .vm_id = vm, .user_data = 1 };

		refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &bad), EINVAL,
			"user_data without EVENT");
	}

	world_end();
}

/* The card is gone: all channels say so. */
static void t_event_lost(void)
{
	struct drm_nvfifo_event_channel_dead e;
	struct ch c[2];
	uint32_t i, got = 0;

	if (!ctl_present()) {
		skip("lost card # SKIP no model");
		return;
	}

	module_reload("");
	world();
	c[0] = event_chan(0);
	c[1] = event_chan(1);
	violations_allow(true);
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_LOST);
	refused(vm_unmap(&nv, vm, data_va, data.size), ENODEV, "VM_BIND with a card that is gone");

	for (i = 0; i < 2 && readable(WAIT_MS); i++) {
		if (read(nv.fd, &e, sizeof(e)) != sizeof(e))
			break;
		if (e.error == DRM_NVFIFO_ERROR_LOST && e.user_data < 2 &&
		    e.channel_id == c[e.user_data].id)
			got |= 1u << e.user_data;
	}

	equal(got, 3, "both channels tell that the card is lost");
	nv_close(&nv);
	need(!module_unload_soon(), "rmmod");
	ctl(NVSIM_CTL_CLEAR, ~0u);
	need(!module_load(""), "insmod");
	violations_allow(false);
}

static void t_event_read(void)
{
	struct drm_nvfifo_event_channel_dead e;
	int flags, status;
	char buf[256];
	struct ch c;
	ssize_t n;
	pid_t pid;

	world();
	flags = fcntl(nv.fd, F_GETFL);
	fcntl(nv.fd, F_SETFL, flags | O_NONBLOCK);
	check(read(nv.fd, buf, sizeof(buf)) < 0 && errno == EAGAIN,
	      "read() of no event does not block with O_NONBLOCK");
	fcntl(nv.fd, F_SETFL, flags);

	c = event_chan(0x1111);
	die_of(&c, DRM_NVFIFO_ERROR_PUSHER);
	need(readable(WAIT_MS), "an event");
	n = read(nv.fd, buf, sizeof(e) - 1);
	check(n == 0, "read() into too small a buffer gives nothing (%zd)", n);
	check(readable(0), "the event is still there");
	event_is(&c, 0x1111, DRM_NVFIFO_ERROR_PUSHER, "read again");
	ch_free(&c);

	/* A process sleeps in read(). */
	c = event_chan(0x2222);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		n = read(nv.fd, &e, sizeof(e));
		_exit(n == sizeof(e) && e.user_data == 0x2222 ? 0 : 1);
	}

	need(pid > 0, "fork: %s", strerror(errno));
	msleep(HOLD_MS);
	check(waitpid(pid, &status, WNOHANG) == 0, "read() of no event blocks");
	die_of(&c, DRM_NVFIFO_ERROR_CACHE);
	check(waitpid(pid, &status, 0) == pid && status == 0, "and returns with the event");
	check(!readable(0), "which is gone then");
	ch_free(&c);
}

#define MANY 24

static void t_event_many(void)
{
	struct drm_nvfifo_event_channel_dead e[3];
	uint64_t seen = 0, twice = 0;
	uint32_t i, wrong = 0, reads = 0;
	struct ch c[MANY];
	size_t k;

	world();

	for (i = 0; i < MANY; i++)
		c[i] = event_chan(i);

	for (i = 0; i < MANY; i++)
		die_of(&c[i], 1 + i % 3);

	while (seen != (1ull << MANY) - 1 && readable(WAIT_MS)) {
		ssize_t n = read(nv.fd, e, sizeof(e));

		need(n > 0 && n % (ssize_t)sizeof(e[0]) == 0, "read() returned %zd", n);
		reads++;
		for (k = 0; k < (size_t)n / sizeof(e[0]); k++) {
			uint64_t u = e[k].user_data;

			need(u < MANY, "user_data is 0x%llx", (unsigned long long)u);
			wrong += e[k].channel_id != c[u].id || e[k].error != 1 + u % 3;
			twice |= seen & 1ull << u;
			seen |= 1ull << u;
		}
	}

	equal(seen, (1ull << MANY) - 1, "channels that die at about the same time all tell it");
	check(!wrong && !twice && !readable(HOLD_MS), "each once, and the right ones (%u reads)",
	      reads);

	for (i = 0; i < MANY; i++)
		ch_free(&c[i]);
}

/* The file is closed before, while or after its channel dies. */
static void t_event_closed(void)
{
	struct nv n;
	uint32_t i;

	world();

	for (i = 0; i < 30; i++) {
		struct nv keep = nv;
		uint32_t keep_vm = vm;
		uint64_t keep_va = data_va;
		struct bo keep_data = data;
		struct ch c[3];
		uint32_t k;

		world();
		n = nv;
		for (k = 0; k < 3; k++)
			c[k] = event_chan(k);
		/* The error is found only when the first channel is taken off the card. */
		if (i % 3 == 1)
			ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_NO_IRQ);
		for (k = i % 3 == 1; k < 3; k++)
			die_of(&c[k], i % 3 ? DRM_NVFIFO_ERROR_PUSHER : DRM_NVFIFO_ERROR_TIMEOUT);
		if (i % 3 == 2)
			need(readable(WAIT_MS), "an event");
		nv = keep;
		vm = keep_vm;
		data_va = keep_va;
		data = keep_data;
		nv_close(&n);
		ctl(NVSIM_CTL_CLEAR, ~0u);
	}

	check(!readable(HOLD_MS), "events of a file that is closed go nowhere");
	{
		struct ch c = event_chan(7);

		die_of(&c, DRM_NVFIFO_ERROR_SEMAPHORE);
		event_is(&c, 7, DRM_NVFIFO_ERROR_SEMAPHORE, "after 30 closed files");
		ch_free(&c);
	}
}

/* A file has room for 4096 bytes of events, those of living channels included. */
static void t_event_space(void)
{
	const uint32_t room = 4096 / sizeof(struct drm_nvfifo_event_channel_dead);
	struct drm_nvfifo_event_channel_dead e;
	struct state before, after;
	uint32_t i, id, live, got = 0;
	struct ch c;
	int ret;

	world();

	for (i = 0; i < room - 1; i++) {
		c = event_chan(i);
		die_of(&c, DRM_NVFIFO_ERROR_PUSHER);
		need(sync_finish(&nv, c.done) == -ECANCELED, "death %u", i);
		/* The event is sent right after the fence. */
		need(readable(WAIT_MS), "event %u", i);
		while (ch_query(&c).error != DRM_NVFIFO_ERROR_PUSHER)
			msleep(1);
		ch_free(&c);
	}

	need(!event_chan_at(&nv, vm, 0x1000, &live), "room for one more");
	before = state_of(&nv, 0);

	for (i = 0; i < 3; i++) {
		ret = event_chan_at(&nv, vm, 1, &id);
		refused(ret, ENOMEM, "CHANNEL_CREATE with EVENT of a file that is full");
	}

	after = state_of(&nv, 0);
	check(state_same(&before, &after), "it left nothing over");
	ret = chan_create(&nv, vm, 0, &id);
	check(!ret, "without EVENT there is room (%d)", ret);
	chan_destroy(&nv, id);

	need(!chan_destroy(&nv, live), "CHANNEL_DESTROY");
	ret = event_chan_at(&nv, vm, 0x1001, &live);
	check(!ret, "a destroyed channel gives its room back (%d)", ret);
	refused(event_chan_at(&nv, vm, 1, &id), ENOMEM, "which is taken again");
	need(readable(0) && read(nv.fd, &e, sizeof(e)) == sizeof(e), "read");
	check(e.user_data == 0, "the oldest event is the first");
	ret = event_chan_at(&nv, vm, 0x1002, &id);
	check(!ret, "an event that was read gives its room back (%d)", ret);

	for (i = 1; i < room - 1 && readable(0); i++)
		got += read(nv.fd, &e, sizeof(e)) == sizeof(e) && e.user_data == i;

	equal(got, room - 2, "the others come in their order");
	check(!readable(0), "that was all");
}

/* --- Trace events ---------------------------------------------------------- */

#define TRACING "/sys/kernel/tracing"

static void trace_write(const char *file, const char *text)
{
	char path[100];
	int fd, ret = 0;

	snprintf(path, sizeof(path), TRACING "/%s", file);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	need(fd >= 0, "%s: %s", path, strerror(errno));
	if (*text && write(fd, text, strlen(text)) < 0)
		ret = errno;

	close(fd);
	need(!ret, "write to %s: %s", path, strerror(ret));
}

static char *trace_text(void)
{
	char *text = file_text(TRACING "/trace");

	need(text, "%s/trace: %s", TRACING, strerror(errno));
	return text;
}

/* Number of lines of this event that have all of this text in their fields. */
__attribute__((format(printf, 3, 4))) static unsigned int
trace_lines(const char *text, const char *event, const char *fmt, ...)
{
	char name[64], fields[200];
	const char *line = text;
	unsigned int n = 0;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(fields, sizeof(fields), fmt, ap);
	va_end(ap);
	snprintf(name, sizeof(name), " %s: ", event);

	while (line && *line) {
		const char *end = strchr(line, '\n'), *at = strstr(line, name), *f;

		if (at && (!end || at < end)) {
			f = strstr(at, fields);
			/* The text must not match the beginning of a longer number. */
			n += f && (!end || f < end) &&
			     (f[strlen(fields)] == ' ' || f[strlen(fields)] == '\n');
		}

		line = end ? end + 1 : NULL;
	}

	return n;
}

/* Number of the render node, as the trace has it. */
static unsigned int card_number(void)
{
	struct stat st;

	need(!fstat(nv.fd, &st), "fstat: %s", strerror(errno));
	return (unsigned int)(st.st_rdev & 0xff);
}

/* Address of a channel's structure, from debugfs */
static uint64_t structure(uint32_t hw_id)
{
	char *text = debug_text("nvfifo_dump"), name[40], *at;
	unsigned long long addr = 0;

	snprintf(name, sizeof(name), "\nchannel %u state ", hw_id);
	at = strstr(text, name);
	if (at)
		at = strstr(at, " inst ");

	if (at)
		addr = nvfifo_text_value(at + 6, 16);

	free(text);
	need(at, "nvfifo_dump has no channel %u", hw_id);

	return addr;
}

static void trace_of_fault(const char *text, unsigned int card, unsigned int dead_id,
			   uint64_t dead_inst)
{
	check(trace_lines(text, "nvfifo_fault", "card=%u write at %010llx engine=PFIFO", card,
			  3 * GIB + 0x40) +
	      trace_lines(text, "nvfifo_fault", "card=%u write at %010llx engine=SEMAPHORE_BG",
			  card, 3 * GIB + 0x40) == 1, "a fault is recorded");
	check(trace_lines(text, "nvfifo_fault", "structure=%08llx",
			  (unsigned long long)dead_inst) == 1, "of the channel that made it");
	check(trace_lines(text, "nvfifo_fault", "client=PFIFO_WRITE slot=1(SEMAPHORE)") == 1,
	      "with client and slot");
	check(trace_lines(text, "nvfifo_channel_dead",
			  "card=%u channel=%u structure=%08llx error=%u code=0x4", card, dead_id,
			  (unsigned long long)dead_inst, DRM_NVFIFO_ERROR_SEMAPHORE) == 1,
	      "it ends the channel");
	check(trace_lines(text, "nvfifo_fence", "card=%u channel=%u submit=1 error=%d", card,
			  dead_id, -ECANCELED) == 1, "and its work");
}

static void trace_of_channel(const char *text, unsigned int card, unsigned int id, uint64_t inst)
{
	check(trace_lines(text, "nvfifo_channel_start",
			  "card=%u channel=%u structure=%08llx error=0 code=0x0", card, id,
			  (unsigned long long)inst) == 1 ||
	      trace_lines(text, "nvfifo_channel_start",
			  "card=%u channel=%u structure=%08llx error=0 code=0", card, id,
			  (unsigned long long)inst) == 1,
	      "a channel starts");
	check(trace_lines(text, "nvfifo_submit", "card=%u channel=%u submit=1 entries=1 ib_put=2",
			  card, id) == 1, "work is submitted");
	check(trace_lines(text, "nvfifo_fence", "card=%u channel=%u submit=1 error=0", card,
			  id) == 1, "it ends");
	check(trace_lines(text, "nvfifo_channel_stop", "card=%u channel=%u structure=%08llx", card,
			  id, (unsigned long long)inst) == 1, "the channel is taken off the card");
	check(trace_lines(text, "nvfifo_channel_dead", "channel=%u", id) == 0,
	      "a channel that is destroyed does not die");
}

static void trace_of_bind(const char *text, unsigned int card, unsigned int vm_number, uint64_t va,
			  uint64_t size)
{
	check(trace_lines(text, "nvfifo_bind", "card=%u vm=%u va=%010llx size=%#llx", card,
			  vm_number, (unsigned long long)va, (unsigned long long)size) == 2,
	      "a mapping comes and goes");
	check(trace_lines(text, "nvfifo_bind",
			  "card=%u vm=%u va=%010llx size=%#llx pte=0000000000000000", card,
			  vm_number, (unsigned long long)va, (unsigned long long)size) == 1,
	      "with PTE 0 when it goes");
}

/* The world, with an empty trace and no events. Return: false if there is no trace. */
static bool trace_world(void)
{
	if (access(TRACING "/events", F_OK))
		mount("tracefs", TRACING, "tracefs", 0, NULL);
	if (access(TRACING "/events", F_OK)) {
		skip("trace events # SKIP no tracefs");
		return false;
	}

	world();
	if (!check(!access(TRACING "/events/nvfifo", F_OK), "there are trace events"))
		return false;

	trace_write("events/nvfifo/enable", "0");
	trace_write("trace", "");

	return true;
}

static void t_trace(void)
{
	unsigned int card, id, dead_id, vm_number;
	uint64_t va, inst, dead_inst;
	struct ch c, d;
	struct bo bo;
	char *text;

	if (!trace_world())
		return;

	trace_write("events/nvfifo/enable", "1");
	card = card_number();
	vm_number = debug_last_vm();
	bo = sys_bo(&nv, 64 * KIB);
	va = map(&nv, vm, &bo);
	c = chan(3);
	id = ch_query(&c).hw_id;
	inst = structure(id);
	p_ref(&c, 1);
	need(ch_run(&c) == 1, "work");
	d = chan(3);
	dead_id = ch_query(&d).hw_id;
	dead_inst = structure(dead_id);
	/* A write to an unmapped address */
	new_object(&d, 0x99, 3 * GIB, 4096);
	p_release(&d, 0x99, 0x40, 1);
	need(!ch_submit(&d) && sync_finish(&nv, d.done) == -ECANCELED, "a fault");
	need(!vm_unmap(&nv, vm, va, bo.size), "unmap");
	need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");
	trace_write("events/nvfifo/enable", "0");
	text = trace_text();

	trace_of_bind(text, card, vm_number, va, bo.size);
	check(trace_lines(text, "nvfifo_flush", "card=%u engine=PFIFO ret=0", card) > 0,
	      "a TLB is flushed");
	trace_of_channel(text, card, id, inst);
	trace_of_fault(text, card, dead_id, dead_inst);
	check(!strstr(text, "UNSAFE") && !strstr(text, "UNKNOWN"), "all names can be printed");
	if (tap_state.failed)
		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
			diag("%s", line);
	free(text);

	trace_write("trace", "");
	c = chan(0);
	check(ch_works(&c), "the channel works");
	text = trace_text();
	check(!strstr(text, " nvfifo_"), "turned off they say nothing");
	free(text);
}

/* --- timeslice and SLI mask ------------------------------------------------ */

static int chan_with(uint32_t timeslice, uint32_t sli_mask, uint32_t *id)
{
	struct drm_nvfifo_channel_create c = {
		.vm_id = vm, .timeslice = timeslice, .sli_mask = sli_mask,
	};
	int ret = nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &c);

	*id = c.id;
	return ret;
}

static uint32_t ramfc_word(uint32_t hw_id, uint32_t offset)
{
	uint64_t at = structure(hw_id) + (nv.g84 ? NVFIFO_G84_RAMFC : NVFIFO_G80_RAMFC) + offset;
	char path[400];
	uint32_t w = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/nvfifo_vram", debug_dir());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	need(fd >= 0, "%s: %s", path, strerror(errno));
	n = pread(fd, &w, 4, (off_t)at);
	close(fd);
	need(n == 4, "read of VRAM at 0x%llx: %zd", (unsigned long long)at, n);

	return w;
}

static void t_ramfc(void)
{
	static const struct {
		uint32_t timeslice, sli, r44, r7c;
	} rows[] = {
		{ 0, 0, 0x01003fff, 0x30000fff },
		{ 1, 1, 0x01000001, 0x30000001 },
		{ 0x1ffff, 0xfff, 0x0101ffff, 0x30000fff },
		{ 0x1234, 0x800, 0x01001234, 0x30000800 },
		{ 0x10000, 0x555, 0x01010000, 0x30000555 },
	};
	struct drm_nvfifo_channel_query q;
	uint32_t id, i;
	struct ch c;

	world();

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		need(!chan_with(rows[i].timeslice, rows[i].sli, &id), "CHANNEL_CREATE");
		need(!chan_query(&nv, id, &q), "CHANNEL_QUERY");
		equal(ramfc_word(q.hw_id, 0x44), rows[i].r44, "timeslice in RAMFC");
		equal(ramfc_word(q.hw_id, 0x7c), rows[i].r7c, "SLI mask in RAMFC");
		chan_destroy(&nv, id);
	}

	refused(chan_with(0x20000, 0, &id), EINVAL, "CHANNEL_CREATE with too long a timeslice");
	refused(chan_with(0, 0x1000, &id), EINVAL, "CHANNEL_CREATE with too wide an SLI mask");
	refused(chan_with(~0u, 0, &id), EINVAL, "CHANNEL_CREATE with a timeslice of all ones");

	/* The shortest timeslice works, too, and the card saves its value in RAMFC. */
	c = chan(0);
	need(!chan_destroy(&nv, c.id) && !chan_with(1, 0x800, &c.id), "CHANNEL_CREATE");
	check(ch_works(&c), "a channel with the shortest timeslice works");
	id = ch_query(&c).hw_id;
	{
		struct ch other = chan(0);

		check(ch_works(&other), "another channel works");
	}

	equal(ramfc_word(id, 0x44), 0x01000001, "timeslice when it was saved");
	equal(ramfc_word(id, 0x7c), 0x30000800, "SLI mask when it was saved");
}

static struct drm_nvfifo_channel_query made_with(struct drm_nvfifo_channel_create c, uint32_t *id)
{
	struct drm_nvfifo_channel_query q;

	c.vm_id = vm;
	need(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &c), "CHANNEL_CREATE");
	*id = c.id;
	need(!chan_query(&nv, c.id, &q), "CHANNEL_QUERY");
	return q;
}

/* SLI's enable bit and the limit of DMA mode, set and cleared, in RAMFC as they were given */
static void t_ramfc_limits(void)
{
	static const struct {
		uint32_t flags, limit, r4c, r7c;
	} rows[] = {
		{ 0, 0, 0, 0x30000fff },
		{ DRM_NVFIFO_CHANNEL_NO_SLI, 0, 0, 0x10000fff },
		{ DRM_NVFIFO_CHANNEL_DMA_MODE, 0, 0xffffffff, 0x30000fff },
		{ DRM_NVFIFO_CHANNEL_DMA_MODE, 0x00100000, 0x00100000, 0x30000fff },
		{ DRM_NVFIFO_CHANNEL_DMA_MODE, 0xfffffffc, 0xfffffffc, 0x30000fff },
		{ DRM_NVFIFO_CHANNEL_DMA_MODE | DRM_NVFIFO_CHANNEL_NO_SLI, 0x00123454, 0x00123454,
		  0x10000fff },
	};
	struct drm_nvfifo_channel_query q;
	uint32_t id, i;

	world();

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct drm_nvfifo_channel_create c = { .flags = rows[i].flags,
						       .dma_limit = rows[i].limit };

		if (c.flags & DRM_NVFIFO_CHANNEL_DMA_MODE)
			c.start = 0x00100000;
		q = made_with(c, &id);
		equal(ramfc_word(q.hw_id, 0x4c), rows[i].r4c, "DMA_LIMIT in RAMFC");
		equal(ramfc_word(q.hw_id, 0x7c), rows[i].r7c, "SLI in RAMFC");
		chan_destroy(&nv, id);
	}
}

/* The command ends a channel without SLI, and other channels continue. */
static void t_sli_off(void)
{
	struct drm_nvfifo_channel_create no_sli = { .flags = DRM_NVFIFO_CHANNEL_NO_SLI };
	struct drm_nvfifo_channel_query q;
	struct ch c, other;

	world();
	c = chan(0);
	other = chan(0);
	chan_destroy(&nv, c.id);
	made_with(no_sli, &c.id);
	check(ch_works(&c), "a channel without SLI works");
	p_word(&c, 0x0001fff0);
	equal((uint32_t)ch_run(&c), (uint32_t)-ECANCELED, "an SLI conditional ends it");
	q = ch_query(&c);
	check(q.error == DRM_NVFIFO_ERROR_PUSHER && q.error_code == 4 && q.error_data == 0x0001fff0,
	      "with INVALID_CMD, and the word is told (%u, %u, 0x%x)", q.error, q.error_code,
	      q.error_data);
	check(ch_works(&other), "another channel works");
	ch_free(&c);
}

/* Whether a channel executes the commands for SLI card n: bit n of the result */
static uint32_t sli_executed(uint32_t mask)
{
	struct ch c = chan(0);
	uint32_t i, got = 0;
	int ret;

	chan_destroy(&nv, c.id);
	need(!chan_with(0, mask, &c.id), "CHANNEL_CREATE");
	new_object(&c, SEM, data_va, data.size);
	p_mthd(&c, NVFIFO_MTHD_DMA_SEMAPHORE, SEM);

	for (i = 0; i < 12; i++) {
		*word(i) = 0;
		p_word(&c, 0x00010000 | 1u << (4 + i));
		p_mthd(&c, NVFIFO_MTHD_SEMAPHORE_OFFSET, i * 4);
		p_mthd(&c, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1);
	}

	/* Enable all cards again, or the pusher drops the driver's own commands. */
	p_word(&c, 0x0001fff0);
	ret = ch_run(&c);
	if (ret != 1)
		diag("SLI mask 0x%x: run gave %d", mask, ret);

	for (i = 0; i < 12; i++)
		got |= *word(i) << i;

	ch_free(&c);

	return ret == 1 ? got : ~0u;
}

static void t_sli(void)
{
	static const uint32_t masks[] = { 0, 1, 2, 0x800, 0x555, 0xffe, 0xfff };
	uint32_t i;

	world();
	for (i = 0; i < ARRAY_SIZE(masks); i++)
		equal(sli_executed(masks[i]), masks[i] ? masks[i] : 0xfff,
		      "commands for the positions of the mask are executed, and no others");
}

/* --- Two processes --------------------------------------------------------- */

#define DEATHS 60

/* Channels that die, and files with such channels that are closed. Never returns. */
static void killer(void)
{
	uint32_t i;
	int out = open("/dev/null", O_WRONLY | O_CLOEXEC);

	/* A failed need() shows in the exit status. */
	tap_env_set = false;
	dup2(out, 1);
	alarm(TEST_S);

	for (i = 0; i < DEATHS; i++) {
		struct ch c;

		if (i % 8 == 0)
			world();
		c = i & 1 ? chan(3) : event_chan(i);
		die_of(&c, 1 + i % 4);
		if (i % 4 != 3 && sync_finish(&nv, c.done) != -ECANCELED)
			_exit(2);
		if (one_in(2))
			ch_free(&c);
		if (i % 8 == 7)
			nv_close(&nv);
	}

	_exit(0);
}

static void t_two_processes(void)
{
	uint32_t links = 0, n = 0;
	struct chain chain;
	int status = 0, ret = 1;
	struct ch c;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		killer();

	need(pid > 0, "fork: %s", strerror(errno));
	world();
	c = chan(4);
	chain_new(&chain, 16);

	while (waitpid(pid, &status, WNOHANG) == 0) {
		struct drm_nvfifo_sync s = sync_signal(c.done);
		struct drm_nvfifo_entry e[3];
		uint32_t k, count = 1 + below(3);

		if ((chain.words + 3 * LINK_WORDS) * 4 > CHAIN_BYTES) {
			links += chain.links;
			chain_end(&chain);
			chain_new(&chain, 16);
		}

		for (k = 0; k < count; k++)
			e[k] = chain_link(&chain);
		ret = submit_flags(&c, 0, e, count, &s, 1);
		if (!ret && (one_in(4) || chain.words * 4 > CHAIN_BYTES - 256))
			ret = sync_finish(&nv, c.done);
		else if (!ret)
			ret = 1;
		if (ret != 1)
			break;
		n++;
	}

	if (ret != 1) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}

	check(ret == 1, "work goes on while another process kills %u channels (%d)", DEATHS, ret);
	check(sync_finish(&nv, c.done) == 1 && *word(16) == chain.links,
	      "%u submissions, %u entries, all in order", n, links + chain.links);
	check(WIFEXITED(status) && !WEXITSTATUS(status), "the other process met nothing unusual");
	check(ch_query(&c).state == DRM_NVFIFO_CHANNEL_ALIVE && c.seqno == n,
	      "the channel is alive and has counted well");
}

/* --- The library ----------------------------------------------------------- */

static void t_library(void)
{
	struct drm_nvfifo_channel_create cc = { .flags = DRM_NVFIFO_CHANNEL_EVENT,
						.ring_order = 3, .timeslice = 0x100,
						.sli_mask = 3, .user_data = 0x1234567890 };
	struct drm_nvfifo_event_channel_dead e;
	struct drm_nvfifo_channel_query q;
	struct drm_nvfifo_entry entry = { .words = 1 };
	struct nvfifo_dev *dev;
	struct nvfifo_bo bo;
	__u64 seqno = 0;
	int ret = 0;

	need(!nvfifo_open(NULL, &dev), "%s", nvfifo_last_error());
	need(!nvfifo_vm_create(dev, &cc.vm_id), "%s", nvfifo_last_error());
	need(!nvfifo_bo_create(dev, 4096, DRM_NVFIFO_DOMAIN_SYSTEM, 0, &bo) &&
	     !nvfifo_bo_map(dev, &bo) && !nvfifo_vm_map(dev, cc.vm_id, &bo, 1 * MIB, 0, 0),
	     "%s", nvfifo_last_error());
	check(!nvfifo_channel_create_with(dev, &cc) && cc.id, "the library makes such channels");
	check(!nvfifo_channel_query(dev, cc.id, &q) && q.ring_order == 3, "with the chosen order");
	world();
	equal(ramfc_word(q.hw_id, 0x44), 0x01000100, "timeslice in RAMFC");
	equal(ramfc_word(q.hw_id, 0x7c), 0x30000003, "SLI mask in RAMFC");

	equal((uint32_t)nvfifo_event_read(dev, 0, &e), 0, "there is no event");
	entry.address = 1 * MIB;
	check(!nvfifo_submit_try(dev, cc.id, &entry, 1, NULL, 0, &seqno) && seqno == 1,
	      "SUBMIT_TRY of a command that does nothing");

	/* An acquire of nothing blocks the ring of eight, which then runs full. */
	((uint32_t *)bo.map)[1] = 0xffffffff;
	((uint32_t *)bo.map)[2] = cmd_word(0, NVFIFO_MTHD_DMA_SEMAPHORE, 2);
	((uint32_t *)bo.map)[3] = SEM;
	((uint32_t *)bo.map)[4] = 0x800;
	((uint32_t *)bo.map)[5] = cmd_word(0, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, 1);
	((uint32_t *)bo.map)[6] = 1;
	need(!nvfifo_dma_object_create(dev, cc.id, SEM, NVFIFO_CLASS_DMA_RW, DRM_NVFIFO_ACCESS_VM,
				       1 * MIB, 4096), "%s", nvfifo_last_error());
	entry.address += 8;
	entry.words = 5;
	need(!nvfifo_submit(dev, cc.id, &entry, 1, NULL, 0, &seqno), "%s", nvfifo_last_error());
	entry.address -= 8;
	entry.words = 1;

	while (!ret && seqno < 20)
		ret = nvfifo_submit_try(dev, cc.id, &entry, 1, NULL, 0, &seqno);

	check(ret == -EAGAIN && seqno <= 5, "SUBMIT_TRY with a full ring is EAGAIN (%d, %llu)", ret,
	      (unsigned long long)seqno);
	((volatile uint32_t *)bo.map)[0x200] = 1;
	entry.address += 4;
	need(!nvfifo_submit(dev, cc.id, &entry, 1, NULL, 0, NULL), "%s", nvfifo_last_error());
	equal((uint32_t)nvfifo_event_read(dev, WAIT_MS, &e), 1, "there is an event");
	check(e.channel_id == cc.id && e.error == DRM_NVFIFO_ERROR_PUSHER && e.error_code == 4 &&
	      e.user_data == 0x1234567890, "of this channel");
	equal((uint32_t)nvfifo_event_read(dev, HOLD_MS, &e), 0, "there is no other event");
	nvfifo_bo_unmap(&bo);
	nvfifo_close(dev);
}

static const struct test tests[] = {
	TEST_ONCE(t_order),
	TEST_ONCE(t_order_shared),
	TEST(t_ring_full),
	TEST(t_many_wait),
	TEST_ONCE(t_deaths_between),
	TEST(t_death_of_waiting),
	TEST(t_try_waits),
	TEST(t_try_full),
	TEST(t_lost_interrupt),
	TEST(t_event_read),
	TEST(t_event_fault),
	TEST_ONCE(t_event_many),
	TEST_ONCE(t_event_closed),
	TEST_ONCE(t_event_space),
	TEST(t_trace),
	TEST(t_ramfc),
	TEST(t_ramfc_limits),
	TEST(t_sli_off),
	TEST(t_sli),
	TEST_ONCE(t_two_processes),
	TEST(t_library),
	/* These tests reload the driver. */
	TEST(t_hang),
	TEST(t_slow),
	TEST_ONCE(t_no_limit),
	TEST(t_event),
	TEST_ONCE(t_event_lost),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
