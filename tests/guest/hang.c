// SPDX-License-Identifier: MIT
/*
 * The hang limit: the driver ends a channel whose work holds up the card for longer, but not one
 * that only waits.
 *
 * Guards blame: the hang limit (threat-model.rst), on one chip.
 */
#include "raw.h"
#include "../rig/witness.h"

#include <poll.h>
#include <sys/wait.h>

#define SEM	0x1234		/* DMA object over the data BO */
#define ALL	0x1235		/* DMA object over the address space */
#define M2MF	0x5039
#define SUBC	5
#define LIMIT_MS 1500u
#define LONG_LIMIT_MS 4000u
#define HOGS	8
#define HOGS_WAIT_MS 600000u	/* until all are dead */
#define TURNS	12

static struct nv nv;
static uint32_t vm;
static struct bo data;
static uint64_t data_va;

static void world(struct nv *n)
{
	nv_open(n);
	vm = new_vm(n);
	data = sys_bo(n, 64 * KIB);
	data_va = map(n, vm, &data);
}

static void load_with(uint32_t limit_ms)
{
	char params[40];

	snprintf(params, sizeof(params), "job_timeout_ms=%u", limit_ms);
	module_reload(params);
}

static void load(void)
{
	load_with(LIMIT_MS);
}

static struct ch chan(struct nv *n)
{
	struct ch c = ch_new(n, vm);

	new_object(&c, SEM, data_va, data.size);
	return c;
}

static bool is_dead(struct nv *n, uint32_t id, uint32_t error)
{
	struct drm_nvfifo_channel_query q;

	need(!chan_query(n, id, &q), "CHANNEL_QUERY");
	if (q.state == DRM_NVFIFO_CHANNEL_DEAD && q.error != error)
		diag("channel %u died of %u", id, q.error);
	return q.state == DRM_NVFIFO_CHANNEL_DEAD && q.error == error;
}

/* Channels in DMA mode that loop for ever, but have released all their numbers. */
static void hogs_start(struct nv *n, struct lin hogs[HOGS])
{
	uint32_t i;

	for (i = 0; i < HOGS; i++) {
		struct drm_nvfifo_channel_create c = {
			.vm_id = vm, .flags = DRM_NVFIFO_CHANNEL_DMA_MODE, .timeslice = 0x1ffff,
		};
		struct lin *l = &hogs[i];

		memset(l, 0, sizeof(*l));
		l->nv = n;
		l->vm = vm;
		l->buf = sys_bo(n, 4096);
		l->va = map(n, vm, &l->buf);
		c.start = l->va;
		need(!chan_create_args(n, &c), "CHANNEL_CREATE");
		l->id = c.id;
		l_fence(l);
		l_word(l, JUMP(lin_at(l)));
		l_word(l, 0);
		need(!lin_submit(l), "SUBMIT");
	}
}

/* A job of a dozen turns beside channels that take all the time there is. */
static void t_hogs(void)
{
	uint32_t i, dead = 0, first = 0;
	struct lin hogs[HOGS];
	struct nv theirs;
	int64_t start;
	struct ch c;

	load();
	world(&theirs);
	hogs_start(&theirs, hogs);
	world(&nv);
	c = chan(&nv);
	for (i = 0; i < TURNS; i++)
		p_mthd(&c, NVFIFO_MTHD_YIELD, 0);
	p_ref(&c, 0x600d);
	start = now_ns();
	need(!ch_submit(&c), "SUBMIT");
	equal((uint32_t)sync_finish(&nv, c.done), 1, "a job of a dozen turns ends well");
	diag("after %u ms", ms_since(start));
	equal(ch_query(&c).ref, 0x600d, "it was executed");
	while (dead < HOGS && ms_since(start) < HOGS_WAIT_MS) {
		for (i = dead = 0; i < HOGS; i++)
			dead += is_dead(&theirs, hogs[i].id, DRM_NVFIFO_ERROR_TIMEOUT);
		if (dead && !first)
			first = ms_since(start);
		if (!ch_works(&c))
			break;
		msleep(50);
	}
	equal(dead, HOGS, "each channel that takes the time of others dies of the time limit");
	check(first >= LIMIT_MS, "the first one not before the limit (after %u ms)", first);
	diag("the last one after %u ms", ms_since(start));
	check(ch_works(&c), "the channel that shared the card with them works");
	nv_close(&theirs);
	nv_close(&nv);
	module_reload("");
}

/* A channel that hangs, while PFIFO serves another file's in turn: only the former is late. */
static void t_waits_beside_work(void)
{
	struct nv theirs;
	struct ch c, h;
	uint32_t rounds = 0;
	int64_t start;

	load_with(LONG_LIMIT_MS);
	world(&theirs);
	h = chan(&theirs);
	*(volatile uint32_t *)data.map = 0;
	p_acquire(&h, SEM, 0, 1);
	need(!ch_submit(&h), "SUBMIT");
	world(&nv);
	c = chan(&nv);
	start = now_ns();
	while (!is_dead(&theirs, h.id, DRM_NVFIFO_ERROR_TIMEOUT) && ms_since(start) < WAIT_MS) {
		if (!ch_works(&c))
			break;
		rounds++;
	}
	check(is_dead(&theirs, h.id, DRM_NVFIFO_ERROR_TIMEOUT),
	      "a channel that waits for nothing to come dies beside one that works (%u ms)",
	      ms_since(start));
	check(rounds && ch_works(&c), "which does %u jobs meanwhile", rounds);
	nv_close(&theirs);
	nv_close(&nv);
	module_reload("");
}

/* --- Long work of PGRAPH ------------------------------------------------------------------ */

static void g_mthd(struct ch *c, uint32_t mthd, uint32_t val)
{
	p_word(c, cmd_word(SUBC, mthd, 1));
	p_word(c, val);
}

/* Give a channel a context in PGRAPH, and set it up for copies. */
static void gr_bind(struct ch *c)
{
	struct drm_nvfifo_object_create o = {
		.channel_id = c->id, .handle = M2MF, .type = DRM_NVFIFO_OBJECT_ENGINE,
		.oclass = 0x5039,
	};

	need(!nv_ioctl(c->nv->fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o), "an M2MF object");
	new_object(c, ALL, 0, c->nv->dev.va_end);
	g_mthd(c, 0, M2MF);
	g_mthd(c, 0x180, SEM);
	g_mthd(c, 0x184, ALL);
	g_mthd(c, 0x188, ALL);
	g_mthd(c, 0x200, 1);
	g_mthd(c, 0x21c, 1);
	g_mthd(c, 0x314, 0);
	g_mthd(c, 0x318, 0);
	g_mthd(c, 0x324, 0x101);
	g_mthd(c, 0x238, (uint32_t)(data_va >> 32));
	g_mthd(c, 0x23c, (uint32_t)(data_va >> 32));
	g_mthd(c, 0x30c, (uint32_t)data_va);
	g_mthd(c, 0x310, (uint32_t)data_va + 32 * 1024);
	need(ch_run(c) == 1, "binding it");
}

static struct ch gr_chan(struct nv *n)
{
	struct ch c = chan(n);

	gr_bind(&c);

	return c;
}

/* Copy the same lines repeatedly: correct work of any length. */
static void long_copies(struct ch *c, uint32_t copies)
{
	g_mthd(c, 0x31c, 16 * 1024);
	g_mthd(c, 0x320, 500);
	while (copies--) {
		g_mthd(c, 0x30c, (uint32_t)data_va);
		g_mthd(c, 0x310, (uint32_t)data_va + 32 * 1024);
		g_mthd(c, 0x328, 0);
	}
}

/*
 * All jobs together take more than the limit, and one takes far less. The model switches contexts
 * slowly, so a job takes three to seven times as long beside others as alone. The driver samples
 * PGRAPH's channel five times a second on average, so it may count a job several times too often.
 */
#define USERS		20
#define JOB_MS		(LONG_LIMIT_MS * 3 / 100)

/* Each user has a job of so many copies. Return: after how many ms the last one has ended. */
static uint32_t run_all(struct nv n[USERS], struct ch c[USERS], uint32_t copies, uint32_t *good)
{
	uint32_t i, late = 0;
	int64_t start;

	for (i = 0; i < USERS; i++) {
		world(&n[i]);
		c[i] = gr_chan(&n[i]);
		ch_rewind(&c[i]);
		long_copies(&c[i], copies);
	}
	start = now_ns();
	for (i = 0; i < USERS; i++)
		need(!ch_submit(&c[i]), "SUBMIT");
	for (i = 0; i < USERS; i++) {
		*good += sync_finish(&n[i], c[i].done) == 1;
		late = ms_since(start);
	}
	diag("%u copies each: the last one ended after %u ms", copies, late);
	for (i = 0; i < USERS; i++)
		nv_close(&n[i]);
	return late;
}

/* Return: how many copies take JOB_MS alone. */
static uint32_t copies_of_job(struct nv n[USERS], struct ch c[USERS])
{
	uint32_t i, ms, copies = 8;
	int64_t start;

	module_reload("");
	for (i = 0; i < USERS; i++) {
		world(&n[i]);
		c[i] = gr_chan(&n[i]);
	}

	for (;;) {
		start = now_ns();
		long_copies(&c[USERS - 1], copies);
		need(ch_run(&c[USERS - 1]) == 1, "copies");
		ms = ms_since(start);
		if (ms >= JOB_MS || copies >= 1024)
			break;
		copies *= 2;
	}

	for (i = 0; i < USERS; i++)
		nv_close(&n[i]);

	return copies * JOB_MS / ms;
}

#define LONG_TRIES	6
#define COPIES_MAX	2000u

/*
 * The machine may have become faster since the copies were counted, and then the work is too short.
 * If it has become slower, a job may be too long. A driver that counts the time of others ends jobs
 * in each try that is long enough.
 */
static void t_long_work(void)
{
	uint32_t copies, good, late, tries;
	struct ch c[USERS];
	struct nv n[USERS];
	bool well = false;

	copies = copies_of_job(n, c);
	diag("%u copies", copies);
	if (copies > COPIES_MAX) {
		skip("long work # SKIP the model is too fast");
		return;
	}

	load_with(LONG_LIMIT_MS);
	for (tries = 0; tries < LONG_TRIES && !well; tries++) {
		good = 0;
		late = run_all(n, c, copies, &good);
		well = good == USERS && late > LONG_LIMIT_MS;
		diag("%u of %u jobs ended well", good, USERS);
		if (good < USERS)
			copies = copies / 2 + 1;
		else if (copies * 2 <= COPIES_MAX)
			copies *= 2;
	}

	check(well, "jobs that are shorter than the limit end well, whatever waits for them");
	module_reload("");
}

/* --- Work in a suspend ---------------------------------------------------------------------- */

/* A copy of which the model moves each byte alone */
static void slow_copy(struct ch *c, uint32_t lines)
{
	g_mthd(c, 0x31c, 4096);
	g_mthd(c, 0x320, lines);
	g_mthd(c, 0x324, 0x202);
	g_mthd(c, 0x328, 0);
}

/* Return: how many lines take one second. */
static uint32_t lines_of_second(struct ch *c)
{
	int64_t ns, shortest = INT64_MAX;
	const uint32_t lines = 256;
	uint32_t i;

	for (i = 0; i < 4; i++) {
		ch_rewind(c);
		slow_copy(c, lines);
		ns = now_ns();
		need(ch_run(c) == 1, "a slow copy");
		ns = now_ns() - ns;
		if (ns < shortest)
			shortest = ns;
	}

	return (uint32_t)(lines * 1000000000ll / shortest);
}

#define SLEEPERS	12
#define SLEEP_LIMIT_MS	30000u
#define LINES_MAX	2047u
#define PLAYLIST_US	50000

/* Notifiers of the channels in the data BO, and the words that the copies do not touch */
#define NOTIFIERS	0x2000
#define NOTIFIER(i)	(NOTIFIERS + 32 * (i))
#define NOTIFIER_STATUS	28
#define PENDING		0xff000000
#define H_NOTIFIER	0x1300

static volatile uint32_t *sleeper_status(uint32_t i)
{
	return data.map + (NOTIFIER(i) + NOTIFIER_STATUS) / 4;
}

static uint32_t copies_done(void)
{
	uint32_t i, sum = 0;

	for (i = 0; i < SLEEPERS; i++)
		sum += !*sleeper_status(i);

	return sum;
}

/* A copy, which begins when the copy of the channel before it has ended */
static void sleeper_queue(struct ch *c, uint32_t i, uint32_t lines)
{
	*sleeper_status(i) = PENDING;
	new_object(c, H_NOTIFIER, data_va + NOTIFIER(i), 32);
	ch_rewind(c);
	if (i)
		p_acquire(c, SEM, NOTIFIER(i - 1) + NOTIFIER_STATUS, 0);

	g_mthd(c, 0x180, H_NOTIFIER);
	g_mthd(c, 0x31c, 4096);
	g_mthd(c, 0x320, lines);
	g_mthd(c, 0x324, 0x202);
	g_mthd(c, 0x104, 0);
	g_mthd(c, 0x328, 0);
}

/*
 * Each channel of an attacker has one method, and the end of it lets the next channel begin. The
 * driver takes channels off the card in the same order. The suspend gives channels two seconds, and
 * then waits for the method in PGRAPH, not for one of each channel. With a slow playlist update, the
 * next method has begun before the next kick.
 */
static void t_suspend(void)
{
	uint32_t i, lines, done, good = 0;
	struct ch c[SLEEPERS];
	int64_t start;

	if (!ctl_present()) {
		skip("work in a suspend # SKIP only the model can be told to be slow");
		return;
	}

	if (!pm_test_begin("platform", "work in a suspend"))
		return;

	load_with(SLEEP_LIMIT_MS);
	world(&nv);

	for (i = 0; i < SLEEPERS; i++)
		c[i] = gr_chan(&nv);

	/* A kick waits for two seconds, in which a copy must also end on a busy machine. */
	lines = lines_of_second(&c[0]) / 2;
	if (lines > LINES_MAX)
		lines = LINES_MAX;

	for (i = 0; i < SLEEPERS; i++)
		sleeper_queue(&c[i], i, lines);

	for (i = 0; i < SLEEPERS; i++)
		need(!ch_submit(&c[i]), "SUBMIT");

	need(ctl_line("delay playlist %u", PLAYLIST_US), "slow playlist updates");
	start = now_ns();
	equal((uint32_t)file_write("/sys/power/state", "freeze"), 0,
	      "the system sleeps beside channels with work");
	done = copies_done();
	diag("%u copies of %u lines in %u ms", done, lines, ms_since(start));
	ctl_line("delay playlist 0");
	check(done < SLEEPERS, "it does not wait for a method of each channel");

	for (i = 0; i < SLEEPERS; i++)
		good += sync_finish(&nv, c[i].done) == 1;

	equal(good, SLEEPERS, "all of the work ends well after the resume");
	equal(copies_done(), SLEEPERS, "and was done");
	file_write("/sys/power/pm_test", "none");
	nv_close(&nv);
	module_reload("");
}

/* --- Budgets of work for the processor ---------------------------------------------------- */

/* Bindings of the driver's object beyond those of fences: DRIVER_BINDS_FREE of nvfifo_fifo_error.c */
#define FREE_BINDS	16
#define GAP_MS		20000

/* A storm of needless interrupts ends no channel, neither their source nor others. */
static void t_notify_storm(void)
{
	struct witness *w = witness_start(WITNESS_M2MF);
	uint32_t i;
	struct ch c;

	world(&nv);
	c = gr_chan(&nv);
	g_mthd(&c, 0x31c, 64);
	g_mthd(&c, 0x320, 1);
	for (i = 0; i < 1000; i++) {
		g_mthd(&c, 0x30c, (uint32_t)data_va);
		g_mthd(&c, 0x310, (uint32_t)data_va + 32 * 1024);
		g_mthd(&c, 0x328, 1);
		if (nv.g84)
			p_mthd(&c, NVFIFO_MTHD_NOTIFY_INTR, 0);
	}
	equal((uint32_t)ch_run(&c), 1, "1000 copies, each with an interrupt");
	check(ch_works(&c), "the channel works after it");
	witness_stop(w, GAP_MS, "interrupts");
	nv_close(&nv);
}

/* --- Others' fences while a flush waits ---------------------------------------------------- */

#define BAD	4	/* channels that make an error */

/*
 * A VM_BIND waits for an idle PGRAPH. An error of PFIFO comes meanwhile, whose handler needs the
 * lock that the wait holds. PGRAPH gets idle only after another file has seen its fences.
 */
static void t_flush_beside_errors(void)
{
	bool ended = false, waits;
	uint32_t i, lived = 0;
	struct ch c, other, bad[BAD];
	struct nv theirs;
	struct bo page;
	int64_t start;
	uint64_t va;
	int status;
	pid_t pid;

	if (!ctl_present()) {
		skip("a flush beside errors # SKIP only the model can be told to be slow");
		return;
	}
	load_with(60000);
	world(&theirs);
	other = chan(&theirs);
	world(&nv);
	waits = flush_waits_for_pgraph(&nv);
	c = gr_chan(&nv);
	for (i = 0; i < BAD; i++)
		bad[i] = ch_new(&nv, vm);
	page = sys_bo(&nv, 4096);
	va = map(&nv, vm, &page);
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork");
	if (!pid)
		_exit(vm_unmap(&nv, vm, va, page.size) != 0);
	msleep(300);
	for (i = 0; i < BAD; i++) {
		p_word(&bad[i], 0xffffffff);
		need(!ch_submit(&bad[i]), "SUBMIT");
		p_ref(&other, i);
		lived += ch_run(&other) == 1;
		ended = ended || waitpid(pid, &status, WNOHANG) == pid;
	}

	start = now_ns();
	while (!waits && !ended && may_come(start))
		ended = waitpid(pid, &status, WNOHANG) == pid;

	equal(ended, !waits, "the VM_BIND waits for PGRAPH on the chips whose flush does");
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	equal(lived, BAD, "fences of others are signalled beside it, after each error of PFIFO");
	check((ended || waitpid(pid, &status, 0) == pid) && !status, "the VM_BIND succeeds");
	check(ch_works(&c), "PGRAPH was not reset meanwhile: the channel in it works");
	nv_close(&theirs);
	nv_close(&nv);
	module_reload("");
}

/* Until the driver has ended a channel, or long after that. */
static void wait_dead(struct ch *c)
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;

	while (ch_query(c).state != DRM_NVFIFO_CHANNEL_DEAD && now_ns() < end)
		msleep(5);
}

/*
 * A freeze waits for a PGRAPH that is busy for too long, and is tried again after each reset. The
 * channel at fault is killed before them and banned after them. The model reports each read of
 * a page whose channel is not in the channel table.
 */
static void t_freeze_climbs(void)
{
	struct drm_nvfifo_channel_query q;
	struct ch c, other;
	uint32_t ib_put;
	char path[512];

	if (!ctl_present()) {
		skip("a freeze that climbs # SKIP only the model can be told to be busy");
		return;
	}

	load();
	world(&nv);
	other = chan(&nv);
	c = gr_chan(&nv);
	ib_put = ch_query(&c).ib_put;
	need(ctl_line("inject pgraph-busy until units"), "pgraph-busy");
	g_mthd(&c, 0x100, 0);
	need(!ch_submit(&c), "SUBMIT");

	snprintf(path, sizeof(path), "%s/nvfifo_freeze", debug_dir());
	check(file_write(path, "1") >= 0, "a freeze ends after the reset of all units");
	wait_dead(&c);
	q = ch_query(&c);
	equal(q.state, DRM_NVFIFO_CHANNEL_DEAD, "the channel in PGRAPH is dead");
	equal(q.error, DRM_NVFIFO_ERROR_TIMEOUT, "of the time limit");
	check(q.ib_put > ib_put, "its position was read before the resets (%u, was %u)", q.ib_put,
	      ib_put);
	check(ch_works(&other), "another channel works");
	nv_close(&nv);
	module_reload("");
}

/* --- A fair share ------------------------------------------------------------------------- */

#define SHARE	32		/* channels of one file */

/* 0, or the errno of CHANNEL_CREATE, in a process that has given up its privileges. */
static int create_many(uint32_t n, uint32_t timeslice)
{
	struct drm_nvfifo_channel_create c = { .timeslice = timeslice };
	int ret = 0, status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		nv_open(&nv);
		c.vm_id = new_vm(&nv);
		if (setgid(65534) || setuid(65534))
			_exit(255);
		while (n-- && !ret)
			ret = chan_create_args(&nv, &c);
		_exit(-ret);
	}
	need(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status), "fork");
	return WEXITSTATUS(status);
}

static void t_share(void)
{
	equal((uint32_t)create_many(SHARE, 0), 0, "a file may have 32 channels");
	equal((uint32_t)create_many(SHARE + 1, 0), ENOSPC, "and not one more");
	equal((uint32_t)create_many(1, 0x3fff), 0, "the default timeslice");
	equal((uint32_t)create_many(1, 0x4000), EPERM, "and not a longer one");
	equal((uint32_t)create_many(SHARE, 0), 0, "others have as many");
}

/* --- PGRAPH's owner without work in PFIFO --------------------------------------------------- */

#define VICTIMS		4

static void l_g_mthd(struct lin *l, uint32_t mthd, uint32_t val)
{
	l_word(l, cmd_word(SUBC, mthd, 1));
	l_word(l, val);
}

/* A channel in DMA mode, set up for copies from @va to the address @size bytes after it */
static struct lin gr_lin(struct nv *n, uint64_t va, uint32_t size)
{
	struct lin l = lin_order(n, vm, 0, 64 * KIB);
	struct drm_nvfifo_object_create o = {
		.channel_id = l.id, .handle = M2MF, .type = DRM_NVFIFO_OBJECT_ENGINE,
		.oclass = 0x5039,
	};
	struct ch c = { .nv = n, .id = l.id };
	const uint32_t mthds[][2] = {
		{ 0, M2MF }, { 0x184, ALL }, { 0x188, ALL }, { 0x200, 1 }, { 0x21c, 1 },
		{ 0x314, 0 }, { 0x318, 0 },
		{ 0x238, (uint32_t)(va >> 32) }, { 0x23c, (uint32_t)((va + size) >> 32) },
		{ 0x30c, (uint32_t)va }, { 0x310, (uint32_t)(va + size) },
	};
	uint32_t i;

	need(!nv_ioctl(n->fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o), "an M2MF object");
	new_object(&c, ALL, 0, n->dev.va_end);
	for (i = 0; i < ARRAY_SIZE(mthds); i++)
		l_g_mthd(&l, mthds[i][0], mthds[i][1]);
	need(lin_run(&l) == 1, "binding it");
	return l;
}

/*
 * A channel that releases its number before one long method has nothing left in PFIFO, but owns a
 * busy PGRAPH. It is the one to end, not those that wait for PGRAPH. The method copies 2 GiB, in
 * pieces of two bytes: on the fastest machine that is far more than the limit.
 */
static void owner_ends(uint32_t victims)
{
	struct nv theirs, users[VICTIMS];
	struct ch c[VICTIMS];
	uint32_t i, good = 0;
	struct bo lines;
	struct lin l;

	load();
	world(&theirs);
	lines = sys_bo(&theirs, 2 * MIB);
	l = gr_lin(&theirs, map(&theirs, vm, &lines), MIB);
	for (i = 0; i < victims; i++) {
		world(&users[i]);
		c[i] = gr_chan(&users[i]);
	}

	l_fence(&l);
	l_g_mthd(&l, 0x31c, MIB / 2);
	l_g_mthd(&l, 0x320, 2047);
	l_g_mthd(&l, 0x324, 0x202);
	l_g_mthd(&l, 0x328, 0);
	need(!lin_submit(&l), "SUBMIT");
	need(lin_finish(&l, l.seqno) == 1, "the number is released before the method ends");

	for (i = 0; i < victims; i++) {
		ch_rewind(&c[i]);
		long_copies(&c[i], 1);
		need(!ch_submit(&c[i]), "SUBMIT of a victim");
	}
	for (i = 0; i < victims; i++)
		good += sync_finish(&users[i], c[i].done) == 1;

	equal(good, victims, "jobs that wait for PGRAPH end well");
	check(is_dead(&theirs, l.id, DRM_NVFIFO_ERROR_TIMEOUT), "PGRAPH's owner is dead");
	for (i = 0; i < victims; i++)
		nv_close(&users[i]);
	nv_close(&theirs);
}

static void t_owner(void)
{
	owner_ends(1);
	owner_ends(VICTIMS);
	module_reload("");
}

/* --- Others' work while many channels die ---------------------------------------------------- */

#define DYING	8

/* A channel with a context in PGRAPH. When it is off the card, its file gets an event. */
static struct ch gr_chan_event(struct nv *n)
{
	struct drm_nvfifo_channel_create create = {
		.vm_id = vm, .flags = DRM_NVFIFO_CHANNEL_EVENT,
	};
	struct ch c = { .nv = n, .vm = vm };

	need(!chan_create_args(n, &create), "CHANNEL_CREATE");
	c.id = create.id;
	c.push = sys_bo(n, PUSH_BYTES);
	c.push_va = map(n, vm, &c.push);
	c.done = sync_new(n);
	new_object(&c, SEM, data_va, data.size);
	gr_bind(&c);

	return c;
}

/* Read the events that are there. Return: how many channels are off the card. */
static uint32_t events_read(struct nv *n)
{
	struct drm_nvfifo_event_channel_dead e;
	struct pollfd p = { .fd = n->fd, .events = POLLIN };
	uint32_t count = 0;

	while (poll(&p, 1, 0) == 1 && read(n->fd, &e, sizeof(e)) == sizeof(e))
		count++;

	return count;
}

/* Fork a process that has the file open alone from then on. */
static pid_t file_give_away(struct nv *n)
{
	pid_t pid = child_fork();

	while (!pid)
		pause();

	nv_close(n);

	return pid;
}

/* Return: how many jobs of @other end well while channels die of errors. */
static uint32_t die_of_errors(struct ch bad[DYING], struct ch *other)
{
	uint32_t i, good = 0;

	for (i = 0; i < DYING; i++) {
		p_word(&bad[i], 0xffffffff);
		need(!ch_submit(&bad[i]), "SUBMIT");
		good += ch_works(other);
	}

	return good;
}

/*
 * Kill a process whose channels wait for PGRAPH. Return: how many jobs of @other end well while it
 * ends.
 */
static uint32_t die_with_process(struct nv *n, struct ch leaving[DYING], struct ch *other, pid_t *pid)
{
	uint32_t i, good = 0;

	for (i = 0; i < DYING; i++) {
		ch_rewind(&leaving[i]);
		long_copies(&leaving[i], 1);
		need(!ch_submit(&leaving[i]), "SUBMIT");
	}

	*pid = file_give_away(n);
	kill(*pid, SIGKILL);

	for (i = 0; i < DYING; i++)
		good += ch_works(other);

	return good;
}

/*
 * Channels with a context in PGRAPH die at once, while PGRAPH executes one method of another
 * client: of errors first, and then with their process. Work of others in PFIFO goes on while a kick
 * waits, as it may for PGRAPH on a card. The bans of kicks that do not wait end before the method
 * does. A driver that waits for the method resets PGRAPH after a minute, and its channel dies.
 */
static void t_bans(void)
{
	struct ch c, other, bad[DYING], leaving[DYING];
	uint32_t i, ended = 0;
	struct nv theirs, killed;
	int64_t start;
	pid_t pid;

	if (!ctl_present()) {
		skip("many bans beside a method # SKIP only the model can be told to be busy");
		return;
	}

	load_with(600000);
	world(&killed);
	for (i = 0; i < DYING; i++)
		leaving[i] = gr_chan(&killed);
	world(&theirs);
	for (i = 0; i < DYING; i++)
		bad[i] = gr_chan_event(&theirs);
	world(&nv);
	other = chan(&nv);
	c = gr_chan(&nv);

	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_KICK_STUCK);
	equal(die_of_errors(bad, &other), DYING,
	      "jobs of another client end well while the bans wait");
	equal(events_read(&theirs), 0, "no ban has ended before its kick");
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_KICK_STUCK);
	start = now_ns();
	while (ended < DYING && may_come(start))
		ended += events_read(&theirs);

	equal(ended, DYING, "all bans end after that");
	check(ch_query(&c).state != DRM_NVFIFO_CHANNEL_DEAD,
	      "and before the method, as its channel lives");

	equal(die_with_process(&killed, leaving, &other, &pid), DYING,
	      "jobs of another client end well while a process is killed");
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	check(waitpid(pid, NULL, 0) == pid, "the process ends after the method");
	check(ch_works(&c) && ch_works(&other), "PGRAPH was not reset: the channel in it works");
	nv_close(&theirs);
	nv_close(&nv);
	module_reload("");
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST(t_share), TEST_ONCE(t_hogs), TEST_ONCE(t_waits_beside_work),
		TEST_ONCE(t_long_work), TEST_ONCE(t_suspend),
		TEST(t_notify_storm),
		TEST_ONCE(t_flush_beside_errors), TEST_ONCE(t_freeze_climbs),
		TEST_ONCE(t_owner), TEST_ONCE(t_bans),
	};

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
