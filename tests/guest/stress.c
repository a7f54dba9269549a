// SPDX-License-Identifier: MIT
/*
 * Many channels at once, for a long time. All channels of the card wait for each other in a circle.
 * Random SUBMITs depend on one another while channels die. Also rings of the extreme sizes, and a
 * process that makes mistakes beside one that does not.
 *
 *	NVFIFO_SEED=n	other random numbers
 *	NVFIFO_STEPS=n	SUBMITs of t_random (a million take some ten minutes)
 *
 * Guards truth and sharing under load (threat-model.rst), on one chip.
 */
#include "expect.h"
#include "nvfifo_text.h"

#define SEM	0x1234
#define ILLEGAL	0xffffffff
#define OBJ(i)	(0xbeef0000 + (i))

static uint64_t rng_state;

static uint32_t rnd(uint32_t below)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return (uint32_t)(rng_state >> 11) % below;
}

static void rnd_start(void)
{
	const char *env = getenv("NVFIFO_SEED");

	rng_state = env ? nvfifo_text_value(env, 0) : 0x6e766669666f;
	diag("NVFIFO_SEED=%llu", (unsigned long long)rng_state);
}

/* More rounds on the first chip of each generation of PFIFO */
static uint32_t steps(const struct nv *nv, uint32_t many, uint32_t few)
{
	return nv->dev.chipset == 0x50 || nv->dev.chipset == 0x84 ? many : few;
}

/* A buffer of commands, written once. */
struct code {
	struct bo bo;
	uint64_t va;
	uint32_t n;
};

static void code_word(struct code *c, uint32_t w)
{
	need(c->n < c->bo.size / 4, "the test's code is too long");
	((volatile uint32_t *)c->bo.map)[c->n++] = w;
}

static void code_mthd(struct code *c, uint32_t mthd, uint32_t data)
{
	code_word(c, cmd_word(0, mthd, 1));
	code_word(c, data);
}

static void code_sem(struct code *c, uint32_t offset, uint32_t mthd, uint32_t val)
{
	code_mthd(c, NVFIFO_MTHD_DMA_SEMAPHORE, SEM);
	code_mthd(c, NVFIFO_MTHD_SEMAPHORE_OFFSET, offset);
	code_mthd(c, mthd, val);
}

/* --- All channels in a ring -------------------------------------------------------------- */

#define ROUNDS 8

/* Submit backwards, so that every channel has to wait for its turn. */
static uint32_t ring_submit(struct nv *nv, const struct code *code, const uint32_t *ids,
			    const uint32_t *start, uint32_t n, uint32_t points)
{
	uint32_t i;
	uint32_t bad = 0;

	for (i = n; i--;) {
		struct drm_nvfifo_entry e = {
			.address = code->va + start[i] * 4ull, .words = start[i + 1] - start[i],
		};
		struct drm_nvfifo_sync s = {
			.flags = DRM_NVFIFO_SYNC_SIGNAL | DRM_NVFIFO_SYNC_TIMELINE,
			.handle = points,
			.timeline_value = n - i,
		};

		bad += !!submit_raw(nv, ids[i], &e, 1, &s, 1, NULL);
	}

	return bad;
}

/*
 * Channel i waits until its cell is r, then writes r to the next channel's cell. The last one
 * writes r + 1 to the first cell. All channels exist before the first one starts.
 */
static void ring(uint32_t order)
{
	uint32_t n, i, r, bad = 0, ids[126], start[127];
	volatile uint32_t *cells;
	struct code code = { 0 };
	struct bo data;
	uint64_t data_va, vram;
	struct nv nv;
	uint32_t vm, points;

	nv_open(&nv);
	vram = vram_free(&nv);
	vm = new_vm(&nv);
	n = nv.lim.channels;
	equal(n, 126, "the card has 126 channels");
	need(n <= ARRAY_SIZE(ids), "a number of channels that fits");
	code.bo = sys_bo(&nv, 256 * KIB);
	code.va = map(&nv, vm, &code.bo);
	data = sys_bo(&nv, 4096);
	data_va = map(&nv, vm, &data);
	cells = data.map;
	points = sync_new(&nv);

	for (i = 0; i < n; i++) {
		need(!chan_create(&nv, vm, order, &ids[i]), "CHANNEL_CREATE of number %u", i + 1);
		need(!object_dma(&nv, ids[i], SEM, data_va, data.size), "OBJECT_CREATE");
		start[i] = code.n;
		for (r = 1; r <= ROUNDS; r++) {
			code_sem(&code, i * 4, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, r);
			code_sem(&code, (i + 1) % n * 4, NVFIFO_MTHD_SEMAPHORE_RELEASE,
				 i == n - 1 ? r + 1 : r);
		}
	}

	start[n] = code.n;
	bad = ring_submit(&nv, &code, ids, start, n, points);
	equal(bad, 0, "each channel has its SUBMIT");
	msleep(HOLD_MS);
	equal((uint32_t)timeline_wait_ms(&nv, points, 1, 0), (uint32_t)-ETIME, "all wait");
	cells[0] = 1;
	equal((uint32_t)timeline_wait_ms(&nv, points, n, WAIT_MS), 0,
	      "given the first turn, all end");

	for (i = 1; i < n; i++)
		bad += cells[i] != ROUNDS;

	check(!bad && cells[0] == ROUNDS + 1, "the turns went round %u times", ROUNDS);

	for (i = 0; i < n; i++) {
		struct drm_nvfifo_channel_query q;

		bad += chan_query(&nv, ids[i], &q) || q.state || q.completed != 1;
		bad += !!chan_destroy(&nv, ids[i]);
	}

	equal(bad, 0, "each channel is alive, and is destroyed");
	nv_close(&nv);
	nv_open(&nv);
	equal(vram_free(&nv), vram, "all memory came back");
}

static void t_ring(void)
{
	ring(0);
}

/* --- Rings of the smallest and the largest size ---------------------------------------- */

static void fill(struct nv *nv, uint32_t vm, const struct code *code, uint32_t order,
		 uint32_t submits)
{
	uint32_t max = (1u << order) - 2, id, i, bad = 0, done = sync_new(nv), n;
	struct drm_nvfifo_entry *e = calloc(max, sizeof(*e));
	struct drm_nvfifo_channel_query q;
	uint64_t entries = 0;

	need(e, "calloc");
	need(!chan_create(nv, vm, order, &id), "CHANNEL_CREATE with order %u", order);

	for (i = 0; i < submits; i++) {
		struct drm_nvfifo_sync s = sync_signal(done);

		/* Full and random sizes, so that the ring wraps at every place. */
		n = i % 3 ? max : rnd(max) + 1;
		for (uint32_t k = 0; k < n; k++)
			e[k] = (struct drm_nvfifo_entry){
				.address = code->va + (entries + k) % 512 * 8, .words = 2,
				.flags = k & 3,
			};
		entries += n;
		bad += !!submit_raw(nv, id, e, n, &s, 1, NULL);
	}

	check(!bad && sync_finish(nv, done) == 1, "order %u: %u SUBMITs with %llu entries", order,
	      submits, (unsigned long long)entries);
	need(!chan_query(nv, id, &q), "CHANNEL_QUERY");
	equal(q.ref, (uint32_t)(entries - 1) % 512, "the last entry was executed last");
	check(q.completed == submits && q.ib_get == q.ib_put &&
	      q.ib_put == (entries + submits) % (1u << order), "the ring went round as it should");
	check(!chan_destroy(nv, id), "CHANNEL_DESTROY");
	free(e);
}

static void t_orders(void)
{
	struct code code = { 0 };
	struct nv nv;
	uint32_t vm, i;

	rnd_start();
	nv_open(&nv);
	check(nv.lim.ring_order_min <= 3 && nv.lim.ring_order_max >= 12,
	      "orders 3 to 12 are possible");
	vm = new_vm(&nv);
	code.bo = sys_bo(&nv, 4096);
	code.va = map(&nv, vm, &code.bo);

	for (i = 0; i < 512; i++)
		code_mthd(&code, NVFIFO_MTHD_REF_CNT, i);

	fill(&nv, vm, &code, nv.lim.ring_order_min, steps(&nv, 300, 60));
	fill(&nv, vm, &code, nv.lim.ring_order_max, nv.dev.chipset == 0x84 ? 8 : 3);
	fill(&nv, vm, &code, nv.lim.ring_order_default, 9);
	nv_close(&nv);
	if (nv.dev.chipset == 0x84)
		ring(nv.lim.ring_order_max);

	if (nv.dev.chipset == 0x50)
		ring(nv.lim.ring_order_min);
}

/* --- Random SUBMITs --------------------------------------------------------------------- */

#define FILES		3
#define CHANS		24
#define SHARED		16	/* binary syncobjs that all files have */
#define TIMELINES	4
#define CELLS		64
#define RELEASES	256
#define REGION		4096	/* bytes of memory that a channel writes */

struct victim {
	uint32_t file;
	uint32_t id;
	uint32_t order;
	uint32_t points;		/* timeline with a point for each SUBMIT */
	uint64_t submitted;
	bool doomed;			/* it was given a wrong word */
	uint32_t cells[CELLS];		/* expected value at the end */
	uint32_t ref;
};

static struct {
	struct nv nv[FILES];
	uint32_t vm[FILES];
	struct code code[FILES];
	uint64_t data_va[FILES];
	struct bo data;
	uint32_t shared[FILES][SHARED], timelines[FILES][TIMELINES];
	bool has_fence[SHARED];
	uint64_t last_point[TIMELINES];
	uint32_t release[RELEASES + 1], nops[33], refs[33], wrong;	/* in the code, in words */
	struct victim v[CHANS];
	uint32_t kills, deaths, again, waits;
	uint64_t ends;			/* SUBMITs whose fences are known to be signalled */
} w;

static volatile uint32_t *region(uint32_t i)
{
	return (volatile uint32_t *)w.data.map + i * REGION / 4;
}

/* Share a syncobj of the first file with another one. */
static uint32_t share(uint32_t file, uint32_t handle)
{
	struct drm_syncobj_handle h = { .handle = handle, .fd = -1 };

	if (!file)
		return handle;

	need(!nv_ioctl(w.nv[0].fd, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &h), "SYNCOBJ_HANDLE_TO_FD");
	h.handle = 0;
	need(!nv_ioctl(w.nv[file].fd, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &h), "SYNCOBJ_FD_TO_HANDLE");
	close(h.fd);
	return h.handle;
}

/* The same in each file. */
static void write_code(struct code *c)
{
	uint32_t i, k;

	for (i = 0; i < RELEASES; i++) {
		w.release[i] = c->n;
		code_sem(c, i % CELLS * 4, NVFIFO_MTHD_SEMAPHORE_RELEASE, i + 1);
		for (k = i % 23; k; k--)
			code_word(c, 0);
	}

	w.release[RELEASES] = c->n;

	for (i = 0; i < 32; i++) {
		w.nops[i] = c->n;
		for (k = 0; k < 1 + i * i; k++)
			code_word(c, 0);
	}

	w.nops[32] = c->n;

	for (i = 0; i < 32; i++) {
		w.refs[i] = c->n;
		code_mthd(c, NVFIFO_MTHD_REF_CNT, i * 0x01010101);
	}

	w.refs[32] = c->n;
	w.wrong = c->n;
	code_word(c, ILLEGAL);
}

static void victim_new(uint32_t i)
{
	struct victim *v = &w.v[i];
	uint32_t k, file = i % FILES;
	struct nv *nv = &w.nv[file];
	int ret;

	memset(v, 0, sizeof(*v));
	v->file = file;
	v->order = rnd(4) ? 3 + rnd(6) : 3;
	ret = chan_create(nv, w.vm[file], v->order, &v->id);
	need(!ret, "CHANNEL_CREATE: %s", strerror(-ret));
	ret = object_dma(nv, v->id, SEM, w.data_va[file] + i * REGION, REGION);
	need(!ret, "OBJECT_CREATE: %s", strerror(-ret));
	v->points = sync_new(nv);

	for (k = 0; k < REGION / 4; k++)
		region(i)[k] = 0;
}

/* All fences of the channel must signal, even if it has died. */
static void victim_end(uint32_t i)
{
	struct victim *v = &w.v[i];
	struct nv *nv = &w.nv[v->file];

	if (v->submitted)
		need(!timeline_wait_ms(nv, v->points, v->submitted, WAIT_MS),
		     "all fences of a channel that is gone are signalled");

	w.ends += v->submitted;
	sync_free(nv, v->points);
}

static void victim_kill(uint32_t i)
{
	struct victim *v = &w.v[i];
	int ret = chan_destroy(&w.nv[v->file], v->id);

	need(!ret, "CHANNEL_DESTROY: %s", strerror(-ret));
	victim_end(i);
	victim_new(i);
}

/* Make the entries of one SUBMIT, and note their expected effects. */
static uint32_t random_entries(const struct victim *v, struct drm_nvfifo_entry *e, uint32_t *cells,
			       uint32_t *ref, bool wrong)
{
	uint32_t max = (1u << v->order) - 2, n, i, from, to;
	uint64_t base = w.code[v->file].va;

	n = rnd(40) ? rnd(5) : rnd(max + 1);
	n = n < max ? n : max;
	if (wrong && !n)
		n = 1;

	for (i = 0; i < n; i++) {
		uint32_t k = rnd(RELEASES), j = rnd(32);

		switch (rnd(3)) {
		case 0:
			from = w.release[k];
			to = w.release[k + 1];
			cells[k % CELLS] = k + 1;
			break;
		case 1:
			from = w.nops[j];
			to = w.nops[j + 1];
			break;
		default:
			from = w.refs[j];
			to = w.refs[j + 1];
			*ref = j * 0x01010101;
		}
		e[i] = (struct drm_nvfifo_entry){
			.address = base + from * 4ull, .words = to - from, .flags = rnd(4),
		};
	}

	if (wrong)
		e[rnd(n)] = (struct drm_nvfifo_entry){ .address = base + w.wrong * 4ull, .words = 1 };

	return n;
}

static uint32_t random_syncs(struct victim *v, struct drm_nvfifo_sync *s, uint32_t *shared,
			     uint32_t *timeline)
{
	uint32_t n = 0, i;

	*shared = SHARED;
	*timeline = TIMELINES;
	s[n++] = (struct drm_nvfifo_sync){
		.flags = DRM_NVFIFO_SYNC_SIGNAL | DRM_NVFIFO_SYNC_TIMELINE,
		.handle = v->points,
		.timeline_value = v->submitted + 1,
	};

	while (!rnd(3) && n < 4) {
		i = rnd(SHARED);
		if (w.has_fence[i])
			s[n++] = sync_wait_for(w.shared[v->file][i]);
	}

	if (!rnd(5)) {
		i = rnd(TIMELINES);
		if (w.last_point[i])
			s[n++] = (struct drm_nvfifo_sync){
				.flags = DRM_NVFIFO_SYNC_WAIT | DRM_NVFIFO_SYNC_TIMELINE,
				.handle = w.timelines[v->file][i],
				.timeline_value = 1 + rnd((uint32_t)w.last_point[i]),
			};
	}

	w.waits += n - 1;
	if (!rnd(3)) {
		*shared = rnd(SHARED);
		s[n++] = sync_signal(w.shared[v->file][*shared]);
	}

	if (!rnd(6)) {
		*timeline = rnd(TIMELINES);
		s[n++] = (struct drm_nvfifo_sync){
			.flags = DRM_NVFIFO_SYNC_SIGNAL | DRM_NVFIFO_SYNC_TIMELINE,
			.handle = w.timelines[v->file][*timeline],
			.timeline_value = w.last_point[*timeline] + 1,
		};
	}

	return n;
}

/* Whether it was taken. */
static bool random_submit(uint32_t i)
{
	struct victim *v = &w.v[i];
	struct drm_nvfifo_entry e[1 << 9];
	struct drm_nvfifo_sync s[8];
	uint32_t cells[CELLS], ref = v->ref, shared, timeline;
	bool wrong = !rnd(700);
	struct drm_nvfifo_submit sub = {
		.channel_id = v->id,
		.flags = rnd(8) ? 0 : DRM_NVFIFO_SUBMIT_TRY,
		.entries = { sizeof(e[0]), 0, (uintptr_t)e },
		.syncs = { sizeof(s[0]), 0, (uintptr_t)s },
	};
	int ret;

	memcpy(cells, v->cells, sizeof(cells));
	sub.entries.count = random_entries(v, e, cells, &ref, wrong);
	sub.syncs.count = random_syncs(v, s, &shared, &timeline);
	ret = nv_ioctl(w.nv[v->file].fd, DRM_IOCTL_NVFIFO_SUBMIT, &sub);
	if (ret == -EAGAIN && sub.flags) {
		w.again++;
		return false;
	}

	if (ret == -ECANCELED && v->doomed) {
		struct drm_nvfifo_channel_query q;

		need(!chan_query(&w.nv[v->file], v->id, &q) &&
		     q.error == DRM_NVFIFO_ERROR_PUSHER && q.error_code == 4 &&
		     q.error_data == ILLEGAL, "a channel died of its wrong word");
		w.deaths++;
		victim_kill(i);
		return false;
	}

	need(!ret, "SUBMIT: %s", strerror(-ret));
	v->submitted++;
	need(sub.seqno == v->submitted, "SUBMITs are counted");
	memcpy(v->cells, cells, sizeof(cells));
	v->ref = ref;
	v->doomed |= wrong;
	if (shared < SHARED)
		w.has_fence[shared] = true;

	if (timeline < TIMELINES)
		w.last_point[timeline]++;

	return true;
}

/* The channel's memory and reference counter must have the values of its last SUBMITs. */
static uint32_t victim_differs(uint32_t i)
{
	struct victim *v = &w.v[i];
	struct drm_nvfifo_channel_query q;
	uint32_t k, bad = 0;

	need(!chan_query(&w.nv[v->file], v->id, &q), "CHANNEL_QUERY");
	bad += q.state != DRM_NVFIFO_CHANNEL_ALIVE || q.completed != v->submitted ||
	       q.submitted != v->submitted || q.ref != v->ref;

	for (k = 0; k < CELLS; k++)
		bad += region(i)[k] != v->cells[k];

	for (; k < REGION / 4; k++)
		bad += region(i)[k] != 0;

	if (bad)
		diag("channel %u: state %u, %llu of %llu ended, ref 0x%x not 0x%x", v->id, q.state,
		     (unsigned long long)q.completed, (unsigned long long)v->submitted, q.ref,
		     v->ref);

	return bad;
}

static void random_world(void)
{
	uint32_t i, f;
	int fd;

	for (f = 0; f < FILES; f++) {
		nv_open(&w.nv[f]);
		w.vm[f] = new_vm(&w.nv[f]);
		w.code[f].bo = sys_bo(&w.nv[f], 128 * KIB);
		w.code[f].va = map(&w.nv[f], w.vm[f], &w.code[f].bo);
		write_code(&w.code[f]);
		for (i = 0; i < SHARED; i++)
			w.shared[f][i] = f ? share(f, w.shared[0][i]) : sync_new(&w.nv[0]);
		for (i = 0; i < TIMELINES; i++)
			w.timelines[f][i] = f ? share(f, w.timelines[0][i]) : sync_new(&w.nv[0]);
	}

	w.data = sys_bo(&w.nv[0], CHANS * REGION);
	w.data_va[0] = map(&w.nv[0], w.vm[0], &w.data);
	fd = prime_export(&w.nv[0], w.data.handle);
	need(fd >= 0, "PRIME_HANDLE_TO_FD");

	for (f = 1; f < FILES; f++) {
		struct bo theirs = w.data;

		need(!prime_import(&w.nv[f], fd, &theirs.handle), "PRIME_FD_TO_HANDLE");
		w.data_va[f] = map(&w.nv[f], w.vm[f], &theirs);
	}

	close(fd);

	for (i = 0; i < CHANS; i++)
		victim_new(i);
}

static uint32_t random_finish(uint32_t *alive)
{
	uint32_t i;
	uint32_t bad = 0;

	for (i = 0; i < CHANS; i++) {
		struct victim *v = &w.v[i];

		if (v->submitted)
			need(!timeline_wait_ms(&w.nv[v->file], v->points, v->submitted, 2 * WAIT_MS),
			     "all fences of a channel are signalled");
		w.ends += v->submitted;
		if (v->doomed)
			continue;
		(*alive)++;
		bad += victim_differs(i);
	}

	return bad;
}

static void t_random(void)
{
	const char *env = getenv("NVFIFO_STEPS");
	uint32_t i, f, n, bad = 0, alive = 0;
	uint64_t vram, taken = 0;
	int64_t start;
	struct nv nv;

	memset(&w, 0, sizeof(w));
	rnd_start();
	nv_open(&nv);
	vram = vram_free(&nv);
	n = env ? (uint32_t)nvfifo_text_value(env, 0) : steps(&nv, 8000, 1000);
	random_world();

	start = now_ns();

	while (taken < n) {
		i = rnd(CHANS);
		if (!rnd(1500)) {
			w.kills++;
			victim_kill(i);
		}
		taken += random_submit(i);
		if (taken % 1000 == 0) {
			/* The test's watchdog must end a standstill only. */
			alarm(TEST_S);
			if (taken % 100000 == 0 && taken)
				diag("%llu after %llu s", (unsigned long long)taken,
				     (unsigned long long)(now_ns() - start) / 1000000000);
		}
	}

	bad = random_finish(&alive);
	start = (now_ns() - start) / 1000000;
	equal(w.ends, taken, "all fences are signalled");
	check(!bad && alive, "%u living channels have done their work, and in order", alive);

	for (i = 0; i < TIMELINES; i++)
		bad += w.last_point[i] &&
		       timeline_wait_ms(&w.nv[0], w.timelines[0][i], w.last_point[i], 0);

	for (i = 0; i < SHARED; i++)
		bad += w.has_fence[i] && sync_wait_ms(&w.nv[0], w.shared[0][i], 0);

	equal(bad, 0, "and so are the syncobjs that the files share");
	diag("%llu SUBMITs in %lld ms; %u fences waited for, %u channels destroyed, %u died, %u TRY again",
	     (unsigned long long)taken, (long long)start, w.waits, w.kills, w.deaths, w.again);
	check(w.waits > n / 4 && (n < 8000 || (w.kills && w.deaths)), "there was something to wait for");

	for (f = 0; f < FILES; f++)
		nv_close(&w.nv[f]);

	vram_wait(&nv, vram);

	equal(vram_free(&nv), vram, "all memory came back");
}

/* --- Two processes ------------------------------------------------------------------------- */

/* Random words, some of which are commands */
static uint32_t garbage_word(void)
{
	static const uint32_t mthds[] = { 0, 0x10, 0x14, 0x18, 0x1c, 0x20, 0x50, 0x60, 0x64, 0x68,
					  0x6c, 0x80, 0x100, 0x180, 0x304 };
	uint32_t r = (uint32_t)(rng_state >> 16) ^ rnd(1u << 31);

	switch (rnd(8)) {
	case 0:
		return r;
	case 1:
		return r & 0xffff;
	case 2:
		return SEM;
	case 3:
		return r & 2 ? 0x80000000 | (r & 1) : OBJ(r & 1);
	case 4:
		return 0;
	case 5:
		return 0x40000000 | cmd_word(rnd(8), mthds[rnd(ARRAY_SIZE(mthds))], rnd(4));
	}

	return cmd_word(rnd(8), mthds[rnd(ARRAY_SIZE(mthds))], rnd(4));
}

/* A process that makes mistakes until it is killed */
static void misbehave(void)
{
	struct bo push, data;
	uint64_t push_va, data_va;
	uint32_t vm, i, k;
	struct nv nv;

	nv_open(&nv);
	vm = new_vm(&nv);
	push = sys_bo(&nv, 64 * KIB);
	data = sys_bo(&nv, 4096);
	push_va = map(&nv, vm, &push);
	data_va = map(&nv, vm, &data);
	for (;;) {
		struct drm_nvfifo_channel_create c = {
			.vm_id = vm,
			.flags = rnd(3) ? 0 : DRM_NVFIFO_CHANNEL_DMA_MODE,
			.ring_order = 3 + rnd(4),
		};

		if (!rnd(3))
			c.timeslice = 0x1ffff;
		if (c.flags)
			c.start = push_va;
		if (chan_create_args(&nv, &c))
			continue;
		object_dma(&nv, c.id, SEM, data_va, 4096);
		object_engine(&nv, c.id, OBJ(0), 0x5039);
		object_engine(&nv, c.id, OBJ(1), 0x502d);
		for (k = rnd(6); k; k--) {
			struct drm_nvfifo_entry e = {
				.address = push_va + rnd(8000) * 4, .words = 1 + rnd(300),
			};

			if (rnd(3))
				for (i = 0; i < push.size / 4; i += 1 + rnd(3))
					push.map[i] = garbage_word();
			if (c.flags)
				e.words = 0;
			submit_raw(&nv, c.id, &e, 1, NULL, 0, NULL);
			if (!rnd(10)) {
				vm_unmap(&nv, vm, push_va, push.size);
				vm_map_at(&nv, vm, &push, push_va, 0, 0);
			}
		}
		if (rnd(8))
			chan_destroy(&nv, c.id);
		if (!rnd(4)) {
			/* Close the file in its present state. */
			close(nv.fd);
			nv.fd = node_open();
			vm_create(&nv, &vm);
			bo_create(&nv, &data, DRM_NVFIFO_DOMAIN_SYSTEM, 4096);
			bo_unmap(&push);
			push = sys_bo(&nv, 64 * KIB);
			vm_map_at(&nv, vm, &push, push_va, 0, 0);
			vm_map_at(&nv, vm, &data, data_va, 0, 0);
		}
	}
}

static void t_two_processes(void)
{
	struct drm_nvfifo_channel_query q;
	uint32_t vm, i, n, bad = 0, wrong = 0;
	uint64_t data_va, vram;
	struct bo data;
	struct ch ch;
	struct nv nv;
	pid_t pid = 0;

	rnd_start();
	nv_open(&nv);
	vm = new_vm(&nv);
	ch = ch_new(&nv, vm);
	data = sys_bo(&nv, 4096);
	data_va = map(&nv, vm, &data);
	new_object(&ch, SEM, data_va, data.size);
	n = steps(&nv, 300, 60);
	vram = vram_free(&nv);

	for (i = 0; i < n; i++) {
		if (i % 60 == 0) {
			/* Kill the process during its work, and start another. */
			if (pid > 0)
				kill(pid, SIGKILL);
			if (pid > 0)
				waitpid(pid, NULL, 0);
			alarm(TEST_S);
			rng_state += 0x9e3779b97f4a7c15;
			pid = fork();
			need(pid >= 0, "fork");
			if (!pid) {
				alarm(0);
				tap_env_set = false;
				if (!freopen("/dev/null", "w", stdout))
					_exit(3);
				misbehave();
				_exit(0);
			}
		}
		p_acquire(&ch, SEM, i % 64 * 4, i < 64 ? 0 : i - 63);
		p_release(&ch, SEM, i % 64 * 4, i + 1);
		p_ref(&ch, i);
		bad += ch_run(&ch) != 1;
		q = ch_query(&ch);
		wrong += q.ref != i || q.state || q.completed != i + 1 || q.error ||
			 *((volatile uint32_t *)data.map + i % 64) != i + 1;
	}

	if (pid > 0)
		check(waitpid(pid, NULL, WNOHANG) == 0, "the other process misbehaves until the end");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	equal(bad, 0, "a process whose neighbour misbehaves: all of its SUBMITs end well");
	equal(wrong, 0, "and did their work");

	vram_wait(&nv, vram);

	equal(vram_free(&nv), vram, "the neighbour's memory came back");
}

/* --- Address spaces of their own, with page tables in VRAM ------------------------------ */

/* The buffer in each address space, whose page table is one of the shortest. */
#define OWN_VA		(16 * MIB)

/*
 * An address space with a channel has two page tables: the buffer's and the ring's. Return: 0, or
 * the first failure.
 */
static int own_channel(struct nv *nv, const struct bo *bo, uint32_t *vm, uint32_t *id)
{
	int ret = vm_create(nv, vm);

	if (ret)
		return ret;

	ret = vm_map_at(nv, *vm, bo, OWN_VA, 0, 0);
	if (!ret)
		ret = chan_create(nv, *vm, 0, id);

	if (ret)
		vm_destroy(nv, *vm);

	return ret;
}

/* Each channel sets its reference counter. Return: how many did not. */
static uint32_t own_work(struct nv *nv, const struct bo *bo, const uint32_t *ids, uint32_t n)
{
	struct code code = { .bo = *bo, .va = OWN_VA };
	struct drm_nvfifo_channel_query q;
	uint32_t i, done, bad = 0;

	for (i = 0; i < n; i++) {
		struct drm_nvfifo_entry e = { .address = OWN_VA + code.n * 4, .words = 2 };
		struct drm_nvfifo_sync s;

		done = sync_new(nv);
		s = sync_signal(done);
		code_mthd(&code, NVFIFO_MTHD_REF_CNT, 0x5000 + i);
		bad += submit_raw(nv, ids[i], &e, 1, &s, 1, NULL) || sync_finish(nv, done) != 1 ||
		       chan_query(nv, ids[i], &q) || q.ref != 0x5000 + i;
		sync_free(nv, done);
	}

	return bad;
}

/* All channels fit on a card of 128 MiB or more. Another has a limit, and goes on working. */
static void t_tables(void)
{
	uint32_t n, i, ids[126] = {}, vms[126] = {}, bad = 0;
	int64_t start;
	struct nv nv;
	uint64_t vram;
	struct bo bo;
	int ret = 0;

	nv_open(&nv);
	vram = vram_free(&nv);
	bo = sys_bo(&nv, 4096);

	for (n = 0; n < ARRAY_SIZE(ids) && !ret; n += !ret)
		ret = own_channel(&nv, &bo, &vms[n], &ids[n]);

	diag("%u channels with address spaces of their own", n);
	if (nv.dev.vram_size >= 128 * MIB) {
		equal(n, 126, "126 of them fit");
	} else {
		refused(ret, ENOSPC, "one too many");
		check(n >= 40, "40 of them fit");
	}

	equal(own_work(&nv, &bo, ids, n), 0, "each of them works");

	for (i = 0; i < n; i++)
		bad += chan_destroy(&nv, ids[i]) || vm_destroy(&nv, vms[i]);

	equal(bad, 0, "each of them is destroyed");

	start = now_ns();
	while (own_channel(&nv, &bo, &vms[0], &ids[0]) && may_come(start))
		;

	equal(own_work(&nv, &bo, ids, 1), 0, "there is room for a new one");
	nv_close(&nv);

	nv_open(&nv);
	equal(vram_free(&nv), vram, "all memory came back");
	nv_close(&nv);
}

static const struct test tests[] = {
	TEST_ONCE(t_ring), TEST(t_orders), TEST(t_random), TEST(t_two_processes),
	TEST_ONCE(t_tables),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
