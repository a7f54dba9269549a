// SPDX-License-Identifier: MIT
/*
 * Attacks by system calls. The client tries to stop or slow down others, to read or write memory of
 * others, or to leak resources. A witness in another process works at the same time.
 *
 * Guards memory, blame and the kernel against system calls (threat-model.rst), on one chip.
 */
#include "raw.h"
#include "../rig/copier.h"
#include "../rig/witness.h"

#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <linux/dma-buf.h>
#include <linux/userfaultfd.h>

#define PAGE	(4 * KIB)
#define SEM	0x1234
#define PATTERN	0x600dda7a

/*
 * Time that a job may take here, which is the longest that a call waits for PGRAPH. A call that
 * waits for a job, and must not, fails its limit below.
 */
#define JOB_PARAM	"job_timeout_ms=60000"

/* Time limits: of a witness, for calls without a wait for others, and for an unbind */
#define GAP_MS		20000
#define PROMPT_MS	50000u
#define REMOVE_MS	50000u

/* Until a process is at work */
#define START_MS	120000

static struct nv nv;
static uint32_t vm;
static volatile bool stop;	/* the threads of this process end */

/* Shared with the processes that a test starts: how many have begun their work */
static volatile uint32_t *begun;

/* Start a process that executes @act without end. */
static pid_t attacker_start(void (*act)(void))
{
	pid_t pid = child_fork();

	if (pid)
		return pid;

	act();
	_exit(0);
}

static void begin(void)
{
	__atomic_add_fetch(begun, 1, __ATOMIC_SEQ_CST);
}

/* Wait until so many processes have begun, and are in the call that follows. */
static void wait_begun(uint32_t n)
{
	int64_t start = now_ns();

	while (*begun < n && ms_since(start) < START_MS)
		msleep(10);

	need(*begun >= n, "%u of %u processes are at work", *begun, n);
	msleep(500);
}

/* Whether the process sleeps in the kernel, or has ended */
static bool is_asleep(pid_t pid)
{
	char path[64], *text, *state;
	bool asleep;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	text = file_text(path);
	state = text ? strrchr(text, ')') : NULL;
	asleep = !state || state[2] != 'R';
	free(text);

	return asleep;
}

/*
 * Wait until all of these processes are in their last call, which sleeps, and have slept at several
 * looks. Between these looks they may poll the card.
 */
static void wait_asleep(const pid_t *pids, uint32_t n)
{
	int64_t start = now_ns();
	uint32_t i, looks;

	for (looks = 0; looks < 20 && may_come(start); looks++)
		for (i = 0; i < n; i++)
			while (!is_asleep(pids[i]) && may_come(start))
				;

	need(looks == 20, "the processes sleep (%u looks)", looks);
}

static void attacker_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A channel that waits for a word without a writer, until the driver ends it. */
static struct ch blocked_channel(struct nv *n, uint32_t space)
{
	struct bo gate = sys_bo(n, PAGE);
	struct ch c = ch_new(n, space);

	new_object(&c, SEM, map(n, space, &gate), PAGE);
	p_acquire(&c, SEM, 0, 1);
	need(!ch_submit(&c), "SUBMIT");

	return c;
}

/* --- Locks that a call holds while it waits for PGRAPH --------------------------------------- */

/* Calls of a client that does not use PGRAPH. Return: the longest, in milliseconds. */
static uint32_t calls_of_others(uint32_t rounds)
{
	struct drm_nvfifo_channel_query q;
	uint32_t space, id, longest = 0;
	int64_t start;
	struct nv n;

	while (rounds--) {
		start = now_ns();
		nv_open(&n);
		space = new_vm(&n);
		need(!chan_create(&n, space, 0, &id), "CHANNEL_CREATE");
		need(!chan_query(&n, id, &q), "CHANNEL_QUERY");
		need(!chan_destroy(&n, id), "CHANNEL_DESTROY");
		need(!chan_create(&n, space, 0, &id), "CHANNEL_CREATE");
		nv_close(&n);

		if (ms_since(start) > longest)
			longest = ms_since(start);
	}

	return longest;
}

/* A file with a channel that has PGRAPH, and one that PGRAPH has known. */
struct gr_user {
	struct nv nv;
	struct ch busy, other;
	struct bo page, vram;
	uint64_t va, vram_va;
};

static void gr_user_open(struct gr_user *u)
{
	nv_open(&u->nv);
	vm = new_vm(&u->nv);
	u->busy = ch_new(&u->nv, vm);
	u->other = ch_new(&u->nv, vm);
	graph_bind_m2mf(&u->busy);
	graph_bind_m2mf(&u->other);
	u->page = sys_bo(&u->nv, PAGE);
	u->va = map(&u->nv, vm, &u->page);
	u->vram = vram_bo(&u->nv, 64 * KIB);
	u->vram_va = map(&u->nv, vm, &u->vram);
	need(ch_run(&u->other) == 1 && ch_run(&u->busy) == 1, "M2MF is bound");
}

/* The attacker's call waits for PGRAPH, whose work does not end. */
static void beside_a_wait(void (*call)(struct gr_user *u), const char *name)
{
	struct witness *w = witness_start(WITNESS_PFIFO);
	static struct gr_user u;
	uint32_t longest;
	int64_t start;
	bool waits;
	pid_t pid;

	node_for_all();
	gr_user_open(&u);
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	p_subc_mthd(&u.busy, 5, 0x100, 0);
	need(!ch_submit(&u.busy), "SUBMIT");

	*begun = 0;
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork");
	if (!pid) {
		begin();
		call(&u);
		_exit(0);
	}

	wait_begun(1);
	wait_asleep(&pid, 1);
	start = now_ns();
	longest = calls_of_others(2);
	waits = !waitpid(pid, NULL, WNOHANG);
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	check(longest < PROMPT_MS, "%s: no call of others waits (%u ms of %u)", name, longest,
	      ms_since(start));
	diag("%s: the call %s", name, waits ? "waited meanwhile" : "did not wait");
	if (waits)
		waitpid(pid, NULL, 0);

	witness_stop(w, PROMPT_MS, name);
	nv_close(&u.nv);
}

static void call_unmap(struct gr_user *u)
{
	vm_unmap(&u->nv, vm, u->va, u->page.size);
}

static void call_destroy(struct gr_user *u)
{
	chan_destroy(&u->nv, u->busy.id);
}

static void t_flush_waits(void)
{
	if (!ctl_present()) {
		skip("a flush that waits # SKIP only the model can be told to be slow");
		return;
	}

	beside_a_wait(call_unmap, "a flush that waits");
}

#define CROWD	8

static uint32_t pgraph_flushes(void)
{
	return ctl(NVSIM_CTL_GET_STAT,
		   (uint32_t)(offsetof(struct nvsim_stats, engine_flushes) / sizeof(uint64_t)) +
			   NVFIFO_VM_PGRAPH);
}

/* Many files change mappings that PGRAPH knows: all wait for one job, not each for another. */
static void t_flush_crowd(void)
{
	static struct gr_user users[CROWD];
	uint32_t i, spaces[CROWD], before, ended = 0;
	pid_t pids[CROWD];
	int status;

	if (!ctl_present()) {
		skip("a crowd of flushes # SKIP only the model can be told to be slow");
		return;
	}

	for (i = 0; i < CROWD; i++) {
		gr_user_open(&users[i]);
		spaces[i] = vm;
	}

	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	p_subc_mthd(&users[0].busy, 5, 0x100, 0);
	need(!ch_submit(&users[0].busy), "SUBMIT");
	msleep(100);
	before = pgraph_flushes();
	*begun = 0;
	for (i = 0; i < CROWD; i++) {
		fflush(stdout);
		pids[i] = fork();
		need(pids[i] >= 0, "fork");
		if (!pids[i]) {
			begin();
			_exit(vm_unmap(&users[i].nv, spaces[i], users[i].va, PAGE) != 0);
		}
	}

	wait_begun(CROWD);
	wait_asleep(pids, CROWD);
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	for (i = 0; i < CROWD; i++)
		ended += waitpid(pids[i], &status, 0) == pids[i] && !status;
	equal(ended, CROWD, "all of the mappings are gone");
	if (flush_waits_for_pgraph(&users[0].nv))
		check(pgraph_flushes() - before <= 2, "one flush of PGRAPH's TLB is for all (%u)",
		      pgraph_flushes() - before);
	for (i = 0; i < CROWD; i++)
		nv_close(&users[i].nv);
}

/* Releases of a job through each of two objects, and frozen time beside such jobs */
#define LOOKUPS		24
#define LOOKUPS_US	400000
#define REPEATED	"repeated look-ups in RAMHT"

/* Freeze PFIFO again and again, by its file in debugfs. */
static void a_freezes(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/nvfifo_freeze", debug_dir());
	begin();
	for (;;)
		file_write(path, "1");
}

/*
 * A freeze stops the puller, which may be in the look-up of another user's handle. The stop must
 * neither change the object of a release nor count as that user's error. Let freezes stop a channel
 * that changes between two objects.
 */
static void t_freeze_lookups(void)
{
	uint32_t before, repeated, jobs = 0, wrong = 0, i;
	struct bo one, two;
	int64_t start;
	struct ch c;
	int ret = 1;
	pid_t pid;

	if (!ctl_present()) {
		skip("look-ups beside freezes # SKIP only the model counts frozen time");
		return;
	}

	*begun = 0;
	pid = attacker_start(a_freezes);
	wait_begun(1);
	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	one = sys_bo(&nv, PAGE);
	two = sys_bo(&nv, PAGE);
	new_object(&c, SEM, map(&nv, c.vm, &one), PAGE);
	new_object(&c, SEM + 1, map(&nv, c.vm, &two), PAGE);
	need(ctl_line("delay method 200"), "slow methods, so that freezes meet them");
	before = stat_of(frozen_us);
	repeated = recovery_count(REPEATED);
	start = now_ns();

	while (ret == 1 && stat_of(frozen_us) - before < LOOKUPS_US && may_come(start)) {
		jobs++;
		for (i = 0; i < LOOKUPS; i++) {
			p_release(&c, SEM, 4 * i, jobs);
			p_release(&c, SEM + 1, 4 * i, ~jobs);
		}

		ret = ch_run(&c);
		for (i = 0; i < LOOKUPS; i++)
			wrong += one.map[i] != jobs || two.map[i] != ~jobs;
	}

	attacker_kill(pid);
	need(ctl_line("delay method 0"), "fast methods");
	equal((uint32_t)ret, 1, "each job ends with success");
	check(stat_of(frozen_us) - before >= LOOKUPS_US, "beside freezes of %u ms (%u jobs)",
	      LOOKUPS_US / 1000, jobs);
	equal(wrong, 0, "each release went through its object");
	equal(recovery_count(REPEATED), repeated, "no stop is counted as the user's error");
	nv_close(&nv);
}

/* The kernel freezes a process that waits for PGRAPH, and must not wait for the work there. */
static void t_frozen_destroy(void)
{
	static struct gr_user u;
	int64_t start;
	pid_t pid;

	if (!pm_test_begin("freezer", "a frozen CHANNEL_DESTROY"))
		return;

	gr_user_open(&u);
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	p_subc_mthd(&u.busy, 5, 0x100, 0);
	need(!ch_submit(&u.busy), "SUBMIT");
	pid = child_fork();
	if (!pid) {
		call_destroy(&u);
		_exit(0);
	}

	wait_asleep(&pid, 1);
	start = now_ns();
	equal((uint32_t)file_write("/sys/power/state", "freeze"), 0, "user space can be frozen");
	diag("after %u ms", ms_since(start));
	equal((uint64_t)waitpid(pid, NULL, WNOHANG), 0, "beside a CHANNEL_DESTROY");
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	equal((uint64_t)waitpid(pid, NULL, 0), (uint64_t)pid, "which ends after PGRAPH's work");
	file_write("/sys/power/pm_test", "none");
	nv_close(&u.nv);
}

/* Shared with a crowd: its members are ready, may begin, have ended their calls. */
struct crowd {
	volatile uint32_t ready, go, ended;
};

#define KICK_DELAY_US	1000000

static void t_kick_waits(void)
{
	if (!ctl_present()) {
		skip("a kick that waits # SKIP only the model can be told to be slow");
		return;
	}

	beside_a_wait(call_destroy, "a kick that waits");
}

/* --- Others' calls ----------------------------------------------------------------------------- */

/* Destroyed channels whose queued work waits for a fence that comes late. */
static void a_undead(void)
{
	struct drm_nvfifo_sync sync;
	struct ch gate;
	uint32_t id, i;

	nv_open(&nv);
	vm = new_vm(&nv);
	gate = blocked_channel(&nv, vm);
	sync = sync_wait_for(gate.done);
	for (i = 0; i < 4; i++) {
		need(!chan_create(&nv, vm, 3, &id), "CHANNEL_CREATE");
		need(!submit_raw(&nv, id, NULL, 0, &sync, 1, NULL), "SUBMIT");
		need(!chan_destroy(&nv, id), "CHANNEL_DESTROY");
	}

	begin();
	for (;;)
		pause();
}

/* Create and destroy so many channels. Return: how long the fastest CHANNEL_DESTROY took, in ms. */
static uint32_t fastest_destroy(uint32_t n)
{
	uint32_t space, id, fastest = ~0u;
	int64_t start;
	struct nv own;

	nv_open(&own);
	space = new_vm(&own);
	while (n--) {
		need(!chan_create(&own, space, 3, &id), "CHANNEL_CREATE");
		start = now_ns();
		need(!chan_destroy(&own, id), "CHANNEL_DESTROY");
		if (ms_since(start) < fastest)
			fastest = ms_since(start);
	}

	nv_close(&own);

	return fastest;
}

static void a_undead_nobody(void)
{
	become_nobody();
	a_undead();
}

static void t_undead(void)
{
	uint32_t fastest;
	pid_t pid;

	node_for_all();
	*begun = 0;
	pid = attacker_start(a_undead_nobody);
	wait_begun(1);
	fastest = fastest_destroy(100);
	attacker_kill(pid);

	/* A wait for undead channels gives up after 100 ms. */
	check(fastest < 100, "others' channels do not wait for the undead ones of a user (%u ms)",
	      fastest);
}

/* All of free VRAM, again and again: the cleaner must free its own memory. */
static void a_all_vram(void)
{
	struct bo bo;

	/* First, or the account is root's, which has too much already. */
	become_nobody();
	nv_open(&nv);

	for (;;) {
		if (bo_create(&nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, vram_free(&nv)))
			continue;

		begin();
		bo_close(&nv, bo.handle);
	}
}

#define SPY_ROUNDS	4
#define ALL_ROUNDS	4

static void t_all_vram(void)
{
	struct witness *w = witness_start(WITNESS_M2MF);
	struct spy *spy;
	int64_t start;
	uint64_t free;
	struct nv own;
	pid_t pid;

	node_for_all();
	nv_open(&own);
	free = vram_free(&own);

	/* The attacker may have three quarters. */
	vram_bo(&own, (own.dev.vram_size / 3) & ~(MIB - 1));
	*begun = 0;
	spy = spy_start();
	start = now_ns();
	while (!spy->rounds && ms_since(start) < START_MS)
		msleep(10);

	/* The spy has its channel. */
	need(spy->rounds, "the spy is at work");
	spy->longest_ns = 0;
	pid = attacker_start(a_all_vram);
	start = now_ns();
	msleep(5000);
	while ((spy->rounds < SPY_ROUNDS || *begun < ALL_ROUNDS) && ms_since(start) < START_MS)
		msleep(50);

	check(*begun >= ALL_ROUNDS, "all of free VRAM was taken (%u times)", *begun);
	need(!waitpid(pid, NULL, WNOHANG), "the process is at work");
	attacker_kill(pid);
	check(spy->longest_ns < PROMPT_MS * 1000000ll, "BO_CREATE of others takes %lld ms at most",
	      (long long)spy->longest_ns / 1000000);
	diag("%u of its buffers were refused", spy->refused);
	spy_stop(spy, SPY_ROUNDS);
	witness_stop(w, GAP_MS, "all of free VRAM");
	nv_close(&own);
	nv_open(&own);
	start = now_ns();
	while (vram_free(&own) + 2 * MIB < free && ms_since(start) < WAIT_MS)
		msleep(50);

	check(vram_free(&own) + 2 * MIB >= free, "all VRAM came back");
	nv_close(&own);
}

/* --- The processor's time ---------------------------------------------------------------------- */

#define THREADS		300
#define RATE_MS		1500
#define RATE_ROUNDS	50u

static struct drm_nvfifo_channel_wait endless;

static void *wait_thread(void *arg)
{
	while (!stop)
		nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &endless);

	return arg;
}

/* All threads of the process run. */
__attribute__((noreturn)) static void stay(void)
{
	begin();
	for (;;)
		pause();
}

static void threads_start(uint32_t n, void *(*run)(void *arg))
{
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 * KIB);
	while (n--) {
		ret = pthread_create(&thread, &attr, run, NULL);
		need(!ret, "pthread_create: %s", strerror(ret));
	}
}

/* Many threads that sleep until a word is written, or a SUBMIT ends: neither ever happens. */
static void herd(uint32_t flags)
{
	struct bo word;
	uint32_t id;

	nv_open(&nv);
	vm = new_vm(&nv);
	word = sys_bo(&nv, PAGE);
	need(!chan_create(&nv, vm, 3, &id), "CHANNEL_CREATE");
	endless.channel_id = id;
	endless.flags = flags;
	endless.value = 1;
	endless.timeout_ns = INT64_MAX;
	if (!flags)
		endless.address = (uintptr_t)word.map;
	threads_start(THREADS, wait_thread);
	stay();
}

static void a_herd_submits(void)
{
	herd(DRM_NVFIFO_WAIT_SUBMIT);
}

static struct drm_nvfifo_sync late;

/* Sleeps until an asynchronous VM_BIND has ended. */
static void *bind_thread(void *arg)
{
	struct bo bo = sys_bo(&nv, PAGE);

	vm_map_at(&nv, vm, &bo, GIB, 0, 0);

	return arg;
}

/* Sleeps until a channel's queue has room. */
static void *submit_thread(void *arg)
{
	submit_raw(&nv, endless.channel_id, NULL, 0, &late, 1, NULL);

	return arg;
}

static void late_fence(void)
{
	nv_open(&nv);
	vm = new_vm(&nv);
	late = sync_wait_for(blocked_channel(&nv, vm).done);
}

static void a_herd_binds(void)
{
	struct bo page;

	late_fence();
	page = sys_bo(&nv, PAGE);
	need(!vm_bind_when(&nv, vm, op_map(&page, 2 * GIB), late.handle, 0), "VM_BIND");
	threads_start(THREADS, bind_thread);
	stay();
}

static void a_herd_room(void)
{
	uint32_t id, i;

	late_fence();
	need(!chan_create(&nv, vm, 3, &id), "CHANNEL_CREATE");
	for (i = 0; i < 1024; i++)
		need(!submit_raw(&nv, id, NULL, 0, &late, 1, NULL), "SUBMIT");
	endless.channel_id = id;
	threads_start(THREADS, submit_thread);
	stay();
}

/* Threads that ask again and again where a channel is. */
static void *query_thread(void *arg)
{
	struct drm_nvfifo_channel_query q;

	while (!stop)
		chan_query(&nv, endless.channel_id, &q);

	return arg;
}

static void a_queries(void)
{
	uint32_t id;

	become_nobody();
	nv_open(&nv);
	vm = new_vm(&nv);
	need(!chan_create(&nv, vm, 3, &id), "CHANNEL_CREATE");
	endless.channel_id = id;
	threads_start(3, query_thread);
	stay();
}

/* Count the sleeps of all threads of a process. */
static uint64_t sleeps(pid_t pid)
{
	unsigned long long count;
	struct dirent *entry;
	uint64_t sum = 0;
	char path[320], line[128];
	FILE *status;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	need(tasks, "%s: %s", path, strerror(errno));

	while ((entry = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/%d/task/%s/status", (int)pid, entry->d_name);
		status = fopen(path, "r");
		if (!status)
			continue;

		while (fgets(line, sizeof(line), status))
			if (sscanf(line, "voluntary_ctxt_switches: %llu", &count) == 1)
				sum += count;

		fclose(status);
	}

	closedir(tasks);

	return sum;
}

/* Start a process, and wait until all of its threads run. */
static pid_t crowd_start(void (*act)(void))
{
	pid_t pid;

	*begun = 0;
	pid = attacker_start(act);
	wait_begun(1);

	return pid;
}

/*
 * The interrupts of a witness wake few of a process's threads: @each at most in a round. In
 * addition each thread may poll its condition @looks times a second. The limit is a count, not a
 * share of the processor's time, so the load of the machine does not matter.
 */
static void sleeps_on(void (*act)(void), uint32_t each, uint32_t looks, const char *name)
{
	struct witness *w = witness_start(WITNESS_PFIFO);
	uint64_t woken, limit;
	uint32_t rounds, ms;
	int64_t start;
	pid_t pid;

	node_for_all();
	pid = crowd_start(act);

	/* The rounds and the time are those from the begin of the first count to the end of the last. */
	start = now_ns();
	rounds = w->rounds;
	woken = sleeps(pid);
	msleep(RATE_MS);
	while (w->rounds - rounds < RATE_ROUNDS && ms_since(start) < START_MS)
		msleep(10);

	woken = sleeps(pid) - woken;
	rounds = w->rounds - rounds;
	ms = ms_since(start);

	need(!waitpid(pid, NULL, WNOHANG), "the process is at work");
	attacker_kill(pid);

	limit = (uint64_t)each * rounds + (uint64_t)looks * THREADS * (ms + 1000) / 1000;
	check(woken <= limit, "%s sleep on beside a busy channel", name);
	diag("%s: woken %llu times in %u rounds and %u ms, %llu are allowed", name,
	     (unsigned long long)woken, rounds, ms, (unsigned long long)limit);
	witness_stop(w, GAP_MS, name);
}

static void t_herd(void)
{
	/* Once a second they look for a lost interrupt, which may take a second sleep. */
	sleeps_on(a_herd_submits, 4, 2, "300 threads that wait for a SUBMIT");
	sleeps_on(a_herd_binds, 4, 0, "300 threads that wait for a VM_BIND");
	sleeps_on(a_herd_room, 4, 0, "300 threads that wait for room");
}

static void t_queries(void)
{
	struct witness *w = witness_start(WITNESS_PFIFO);
	pid_t pid;

	node_for_all();
	pid = crowd_start(a_queries);
	check(witness_lives(w, WAIT_MS), "a witness goes on beside queries");
	msleep(2 * RATE_MS);
	need(!waitpid(pid, NULL, WNOHANG), "the process is at work");
	attacker_kill(pid);
	witness_stop(w, GAP_MS, "queries");
}

/* --- Races on one handle ------------------------------------------------------------------------- */

static volatile uint32_t race_handle;

static void *race_close(void *arg)
{
	struct bo bo;

	(void)arg;
	while (!stop) {
		if (bo_create(&nv, &bo, rand() % 2 ? DRM_NVFIFO_DOMAIN_VRAM :
			      DRM_NVFIFO_DOMAIN_SYSTEM, 64 * KIB))
			continue;
		race_handle = bo.handle;
		bo_close(&nv, bo.handle);
	}

	return NULL;
}

static void *race_bind(void *arg)
{
	struct bo bo = { .size = 64 * KIB };

	(void)arg;
	while (!stop) {
		bo.handle = race_handle;
		if (!vm_map_at(&nv, vm, &bo, 64 * MIB, 0, 0))
			vm_unmap(&nv, vm, 64 * MIB, 64 * KIB);
	}

	return NULL;
}

static void *race_share(void *arg)
{
	uint32_t handle;
	int fd;

	(void)arg;
	while (!stop) {
		fd = prime_export(&nv, race_handle);
		if (fd < 0)
			continue;
		if (!prime_import(&nv, fd, &handle) && rand() % 2)
			bo_close(&nv, handle);
		close(fd);
	}

	return NULL;
}

static void *race_look(void *arg)
{
	struct drm_nvfifo_bo_info info;
	char path[64];

	(void)arg;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", nv.fd);
	while (!stop) {
		bo_info(&nv, race_handle, &info);
		bo_label(&nv, race_handle, "raced");
		free(file_text(path));
	}

	return NULL;
}

static volatile uint32_t race_space, race_chan;

/* Older than the threads: one of them may close a handle whose number a new buffer has. */
static struct bo race_page;

static void *race_destroy(void *arg)
{
	uint32_t id;

	(void)arg;
	while (!stop) {
		if (vm_create(&nv, &id))
			continue;
		race_space = id;
		if (!chan_create(&nv, id, 3, &id)) {
			race_chan = id;
			chan_destroy(&nv, id);
		}
		vm_destroy(&nv, race_space);
	}

	return NULL;
}

static void *race_use(void *arg)
{
	struct drm_nvfifo_channel_wait w = { .flags = DRM_NVFIFO_WAIT_SUBMIT, .value = 1 };
	struct drm_nvfifo_channel_query q;
	uint32_t id;

	(void)arg;
	while (!stop) {
		vm_map_at(&nv, race_space, &race_page, GIB, 0, 0);
		submit_raw(&nv, race_chan, NULL, 0, NULL, 0, NULL);
		object_dma(&nv, race_chan, SEM, GIB, PAGE);
		object_destroy(&nv, race_chan, SEM);
		w.channel_id = race_chan;
		nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w);
		chan_query(&nv, race_chan, &q);
		if (!chan_create(&nv, race_space, 3, &id))
			chan_destroy(&nv, id);
		chan_destroy(&nv, race_chan);
	}

	return NULL;
}

/* Threads of a file close objects that other threads of the file are about to use. */
static void t_handle_races(void)
{
	void *(*const runs[])(void *arg) = {
		race_close, race_bind, race_bind, race_share, race_look,
		race_destroy, race_use, race_use,
	};
	struct witness *w = witness_start(WITNESS_M2MF);
	pthread_t threads[ARRAY_SIZE(runs)];
	uint64_t free_before;
	struct nv look;
	uint32_t i;

	nv_open(&look);
	free_before = vram_free(&look);
	nv_open(&nv);
	vm = new_vm(&nv);
	race_page = sys_bo(&nv, PAGE);
	stop = false;
	for (i = 0; i < ARRAY_SIZE(runs); i++)
		need(!pthread_create(&threads[i], NULL, runs[i], NULL), "pthread_create");
	msleep(6000);
	stop = true;
	for (i = 0; i < ARRAY_SIZE(runs); i++)
		pthread_join(threads[i], NULL);
	nv_close(&nv);

	vram_wait(&look, free_before);
	equal(vram_free(&look), free_before, "all VRAM came back");
	nv_close(&look);
	witness_stop(w, GAP_MS, "races on handles");
}

/* --- A handle that names another buffer in the middle of a call ---------------------------------- */

/* The buffer that a VM_BIND is about, until that call has its turn */
static struct bo replaced;

#define REPLACED_VA	(3 * GIB)

static volatile pid_t replaced_thread;
static int replaced_ret;

static void *replaced_bind(void *arg)
{
	replaced_thread = (pid_t)syscall(SYS_gettid);
	replaced_ret = vm_map_at(&nv, vm, &replaced, REPLACED_VA, 0, 0);

	return arg;
}

/*
 * While a VM_BIND waits for an earlier one, its handle is closed, and another buffer gets the same
 * handle. The call maps the buffer that the handle named when the call began.
 */
static void t_replaced_handle(void)
{
	struct bo page, other;
	struct ch blocked, c;
	int64_t start;
	pthread_t t;

	nv_open(&nv);
	vm = new_vm(&nv);
	blocked = blocked_channel(&nv, new_vm(&nv));
	page = sys_bo(&nv, PAGE);
	replaced = sys_bo(&nv, PAGE);
	need(!vm_bind_when(&nv, vm, op_map(&page, 2 * GIB), blocked.done, 0), "VM_BIND");

	replaced_thread = 0;
	need(!pthread_create(&t, NULL, replaced_bind, NULL), "pthread_create");
	start = now_ns();
	while (!replaced_thread && may_come(start))
		;
	wait_asleep((pid_t *)&replaced_thread, 1);

	need(!bo_close(&nv, replaced.handle), "GEM_CLOSE");
	other = sys_bo(&nv, PAGE);
	equal(other.handle, replaced.handle, "another buffer has the handle");
	need(!chan_destroy(&nv, blocked.id), "CHANNEL_DESTROY");
	pthread_join(t, NULL);
	equal(replaced_ret, 0, "VM_BIND");

	c = ch_new(&nv, vm);
	new_object(&c, SEM, REPLACED_VA, PAGE);
	p_release(&c, SEM, 0, PATTERN);
	equal(ch_run(&c), 1, "a channel writes to the mapping");
	equal(replaced.map[0], PATTERN, "the buffer of the call's begin is mapped");
	equal(other.map[0], 0, "the buffer that got the handle is not");
}

/* --- Pointers ------------------------------------------------------------------------------------ */

/* The end of an array is in a page that cannot be read. */
static void *cut_array(const void *from, size_t bytes, size_t missing)
{
	char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at;

	need(p != MAP_FAILED, "mmap: %s", strerror(errno));
	need(!mprotect(p + PAGE, PAGE, PROT_NONE), "mprotect: %s", strerror(errno));
	at = p + PAGE - (bytes - missing);
	memcpy(at, from, bytes - missing);

	return at;
}

static void bad_entries(struct ch *c)
{
	struct drm_nvfifo_entry e[2] = {
		{ .address = c->push_va, .words = 1 }, { .address = c->push_va, .words = 1 },
	};
	struct drm_nvfifo_submit s = { .channel_id = c->id, .entries = { sizeof(e[0]), 2, 0 } };
	const uint64_t pointers[] = {
		0, 1, ~0ull, ~7ull, 1ull << 47, 1ull << 63, 0xffff800000000000ull,
		(uintptr_t)cut_array(e, sizeof(e), 1), (uintptr_t)cut_array(e, sizeof(e), 9),
	};
	uint32_t i, bad = 0;

	for (i = 0; i < ARRAY_SIZE(pointers); i++) {
		s.entries.ptr = pointers[i];
		bad += nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s) != -EFAULT;
	}

	equal(bad, 0, "SUBMIT with entries that cannot be read gives EFAULT");

	/* Counts and strides whose product does not fit, or goes past the end of memory. */
	s.entries.ptr = (uintptr_t)e;
	s.entries.count = ~0u;
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), E2BIG, "2^32 - 1 entries");
	s.entries.count = 0x10000000;
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), E2BIG, "2^28 entries of 16 bytes");
	s.entries.count = 2;
	s.entries.stride = ~7u;
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), EINVAL, "a stride of 4 GiB");
	s.entries.stride = 4096;
	s.entries.ptr = ~0ull - 4096;
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), EFAULT,
		"entries that go past the last address");

	/* Unaligned arrays are legal. */
	s.entries = (struct drm_nvfifo_array){ sizeof(e[0]), 2, (uintptr_t)((char *)cut_array(e,
		sizeof(e), 0) - 3) };
	memmove((void *)(uintptr_t)s.entries.ptr, e, sizeof(e));
	equal((uint32_t)nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), 0, "an unaligned array");
}

static void bad_binds(const struct bo *bo)
{
	struct drm_nvfifo_vm_bind_op op[2] = { op_map(bo, GIB), op_map(bo, 2 * GIB) };
	struct drm_nvfifo_vm_bind b = { .vm_id = vm, .ops = { sizeof(op[0]), 2, 0 } };

	b.ops.ptr = (uintptr_t)cut_array(op, sizeof(op), 1);
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), EFAULT,
		"VM_BIND whose last byte cannot be read");
	b.ops.ptr = (uintptr_t)op;
	b.ops.count = ~0u;
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), E2BIG, "2^32 - 1 operations");
	b.ops.count = 2;
	op[1].range = ~0xfffull;
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), EINVAL, "a range of 2^64 bytes");
	op[1].range = PAGE;
	op[1].bo_offset = ~0xfffull;
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), EINVAL, "an offset of 2^64 bytes");
	op[1].bo_offset = 0;
	op[1].va = ~0xfffull;
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), EINVAL, "the last address");
	b.ops.count = 1;
	equal((uint32_t)nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), 0,
	      "nothing of them was mapped");
	need(!vm_unmap(&nv, vm, GIB, bo->size), "unmap");
}

/* A result that cannot be copied out: the object of the call lives until the file is closed. */
static void lost_answers(void)
{
	struct drm_nvfifo_channel_create *c = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
						   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct drm_nvfifo_bo_create *b = (void *)((char *)c + 512);
	uint64_t free_before = vram_free(&nv);
	struct nv lost;
	int64_t end;
	uint32_t i;

	need(c != MAP_FAILED, "mmap: %s", strerror(errno));
	nv_open(&lost);
	memset(c, 0, sizeof(*c));
	memset(b, 0, sizeof(*b));
	c->vm_id = new_vm(&lost);
	b->size = MIB;
	b->domain = DRM_NVFIFO_DOMAIN_VRAM;
	need(!mprotect(c, PAGE, PROT_READ), "mprotect: %s", strerror(errno));
	for (i = 0; i < 8; i++) {
		need(nv_ioctl(lost.fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, c) == -EFAULT,
		     "CHANNEL_CREATE");
		need(nv_ioctl(lost.fd, DRM_IOCTL_NVFIFO_BO_CREATE, b) == -EFAULT, "BO_CREATE");
	}

	nv_close(&lost);
	munmap(c, PAGE);

	end = now_ns() + WAIT_MS * 1000000ll;
	while (vram_free(&nv) != free_before && now_ns() < end)
		msleep(20);
	equal(vram_free(&nv), free_before, "what a lost answer named goes with the file");
}

static void t_pointers(void)
{
	struct bo bo;
	struct ch c;

	nv_open(&nv);
	vm = new_vm(&nv);
	c = ch_new(&nv, vm);
	bo = sys_bo(&nv, PAGE);
	*c.push.map = 0;
	bad_entries(&c);
	bad_binds(&bo);
	lost_answers();
	check(ch_works(&c), "the channel works");
	nv_close(&nv);
}

/* --- Holes in arrays ------------------------------------------------------------------------------ */

/* Elements of an array with a hole, one a page; the second page is the hole */
#define HOLE_ELEMENTS	3

/* Two pages and a hole between them */
static char *hole_new(void)
{
	char *p = mmap(NULL, HOLE_ELEMENTS * PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(p != MAP_FAILED, "mmap: %s", strerror(errno));
	need(!munmap(p + PAGE, PAGE), "munmap: %s", strerror(errno));

	return p;
}

/* An array of elements that are a page apart. The element in the hole is not written. */
static struct drm_nvfifo_array hole_array(char *p, const void *elements, size_t bytes)
{
	const char *from = elements;

	memcpy(p, from, bytes);
	memcpy(p + 2 * PAGE, from + 2 * bytes, bytes);

	return (struct drm_nvfifo_array){ PAGE, HOLE_ELEMENTS, (uintptr_t)p };
}

/* An array without a stride, whose element @in_first lies across the hole's begin. */
static struct drm_nvfifo_array hole_inside(char *p, const void *element, uint32_t bytes,
					   uint32_t in_first, uint32_t count)
{
	char *at = p + PAGE - in_first * bytes - bytes / 2;
	uint32_t i;

	for (i = 0; i < in_first; i++)
		memcpy(at + i * bytes, element, bytes);
	memcpy(at + i * bytes, element, bytes / 2);

	return (struct drm_nvfifo_array){ bytes, count, (uintptr_t)at };
}

static uint32_t submitted(uint32_t id)
{
	struct drm_nvfifo_channel_query q;

	need(!chan_query(&nv, id, &q), "CHANNEL_QUERY");

	return (uint32_t)q.submitted;
}

/* Each array of SUBMIT in turn has a hole. The other one is whole. */
static void submit_holes(struct ch *c)
{
	const struct drm_nvfifo_entry one = { .address = c->push_va, .words = 1 };
	const struct drm_nvfifo_entry entries[HOLE_ELEMENTS] = { one, one, one };
	struct drm_nvfifo_sync done = sync_signal(sync_new(&nv));
	const struct drm_nvfifo_sync syncs[HOLE_ELEMENTS] = { done, done, done };
	const struct drm_nvfifo_array whole = { sizeof(one), HOLE_ELEMENTS, (uintptr_t)entries };
	const struct drm_nvfifo_array no_hole = { sizeof(done), 1, (uintptr_t)&done };
	char *p = hole_new();
	uint32_t before = submitted(c->id), i;
	struct drm_nvfifo_submit s[] = {
		{ .entries = hole_array(hole_new(), entries, sizeof(one)), .syncs = no_hole },
		{ .entries = whole, .syncs = hole_array(hole_new(), syncs, sizeof(done)) },
		/* The paths for a few elements, and for many that go past the hole */
		{ .entries = hole_inside(hole_new(), &one, sizeof(one), 2, 4), .syncs = no_hole },
		{ .entries = hole_inside(hole_new(), &one, sizeof(one), 100, 500),
		  .syncs = no_hole },
		{ .entries = whole, .syncs = hole_inside(hole_new(), &done, sizeof(done), 1, 2) },
		{ .entries = whole, .syncs = hole_inside(p, &done, sizeof(done), 200, 256) },
	};

	for (i = 0; i < ARRAY_SIZE(s); i++) {
		s[i].channel_id = c->id;
		refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s[i]), EFAULT,
			"SUBMIT with a hole");
	}

	equal(submitted(c->id), before, "no SUBMIT was made");
	check(sync_has_fence(&nv, done.handle) != 1, "no syncobj has got a fence");
}

static void bind_holes(const struct bo *bo)
{
	const struct drm_nvfifo_vm_bind_op ops[HOLE_ELEMENTS] = {
		op_map(bo, GIB), op_map(bo, GIB + MIB), op_map(bo, GIB + 2 * MIB),
	};
	const struct drm_nvfifo_array whole = { sizeof(ops[0]), HOLE_ELEMENTS, (uintptr_t)ops };
	struct drm_nvfifo_sync done = sync_signal(sync_new(&nv));
	const struct drm_nvfifo_sync syncs[HOLE_ELEMENTS] = { done, done, done };
	const uint32_t size = sizeof(ops[0]), async = DRM_NVFIFO_VM_BIND_ASYNC;
	struct drm_nvfifo_vm_bind b[] = {
		{ .ops = hole_array(hole_new(), ops, size) },
		{ .ops = hole_array(hole_new(), ops, size), .flags = async },
		{ .ops = hole_inside(hole_new(), ops, size, 1, 2) },
		{ .ops = hole_inside(hole_new(), ops, size, 80, 400) },
		{ .ops = whole, .flags = async,
		  .syncs = hole_array(hole_new(), syncs, sizeof(done)) },
		{ .ops = whole, .flags = async,
		  .syncs = hole_inside(hole_new(), &done, sizeof(done), 1, 2) },
	};
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(b); i++) {
		b[i].vm_id = vm;
		refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b[i]), EFAULT,
			"VM_BIND with a hole");
	}

	check(sync_has_fence(&nv, done.handle) != 1, "no syncobj has got a fence");
	equal((uint32_t)vm_bind(&nv, vm, ops, HOLE_ELEMENTS), 0, "nothing was mapped");
	for (i = 0; i < HOLE_ELEMENTS; i++)
		need(!vm_unmap(&nv, vm, ops[i].va, bo->size), "unmap");
}

/* Pointers of the other calls */
static void other_holes(uint32_t chan, uint32_t handle)
{
	char *edge = hole_new() + PAGE - 4;
	struct drm_nvfifo_device_query q = {
		.type = DRM_NVFIFO_QUERY_LIMITS, .size = 64, .pointer = (uintptr_t)edge,
	};
	struct drm_nvfifo_channel_wait w = {
		.channel_id = chan, .timeout_ns = INT64_MAX, .address = (uintptr_t)edge + 4,
	};
	struct drm_nvfifo_bo_label l = { .handle = handle, .size = 8, .label = (uintptr_t)edge };

	memset(edge, 'x', 4);
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q), EFAULT, "DEVICE_QUERY");
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w), EFAULT, "CHANNEL_WAIT");
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_BO_LABEL, &l), EFAULT, "BO_LABEL");
}

/* A page that is absent in the middle of an array: EFAULT, and the call has done nothing. */
static void t_holes(void)
{
	uint64_t free_before;
	struct bo bo;
	struct ch c;

	nv_open(&nv);
	vm = new_vm(&nv);
	c = ch_new(&nv, vm);
	*c.push.map = 0;
	free_before = vram_free(&nv);
	bo = vram_bo(&nv, PAGE);
	submit_holes(&c);
	bind_holes(&bo);
	other_holes(c.id, bo.handle);
	need(!bo_close(&nv, bo.handle), "GEM_CLOSE");
	equal(vram_free(&nv), free_before, "no call has kept the buffer");
	check(ch_works(&c), "the channel works");
	nv_close(&nv);
}

/* The page that comes and goes, the bytes that belong there, and the file that it may be of */
static char *shaky_page;
static char shaky_bytes[PAGE];
static int shaky_file;

static void *shake_thread(void *arg)
{
	while (!stop) {
		mprotect(shaky_page, PAGE, PROT_NONE);
		sched_yield();
		mprotect(shaky_page, PAGE, PROT_READ | PROT_WRITE);
		sched_yield();
		if (ftruncate(shaky_file, 0))
			break;

		sched_yield();
		if (ftruncate(shaky_file, PAGE) ||
		    pwrite(shaky_file, shaky_bytes, PAGE, 0) != PAGE)
			break;

		sched_yield();
	}

	return arg;
}

/* Two pages: the first is always there, the second comes and goes. */
static char *shaky_new(void)
{
	char *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(p != MAP_FAILED, "mmap: %s", strerror(errno));
	shaky_file = (int)syscall(SYS_memfd_create, "shaky", 0);
	need(shaky_file >= 0 && !ftruncate(shaky_file, PAGE), "memfd: %s", strerror(errno));
	shaky_page = mmap(p + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			  shaky_file, 0);
	need(shaky_page == p + PAGE, "mmap: %s", strerror(errno));

	return p;
}

#define SHAKY_ROUNDS	1500
#define SHAKY_ENTRIES	300

/* Return: true for the errors of an array that is absent, or is zero for a moment. */
static bool is_shaky_error(int ret)
{
	return ret == -EFAULT || ret == -EINVAL;
}

static void shaky_submits(struct ch *c, char *p)
{
	struct drm_nvfifo_entry *e = (void *)(p + PAGE - SHAKY_ENTRIES / 2 * sizeof(*e));
	uint32_t before = submitted(c->id), taken = 0, odd = 0, i;
	int ret;

	for (i = 0; i < SHAKY_ROUNDS; i++) {
		ret = submit_raw(&nv, c->id, e, SHAKY_ENTRIES, NULL, 0, NULL);
		taken += !ret;
		odd += ret && !is_shaky_error(ret);
		sched_yield();
	}

	equal(odd, 0, "SUBMIT succeeds, or gives EFAULT or EINVAL");
	check(taken && taken < SHAKY_ROUNDS, "%u of %u succeed", taken, SHAKY_ROUNDS);
	equal(submitted(c->id) - before, taken, "only these were made");
}

static void shaky_binds(char *p, const struct drm_nvfifo_vm_bind_op ops[2])
{
	struct drm_nvfifo_vm_bind b = { .vm_id = vm, .ops = { PAGE, 2, (uintptr_t)p } };
	uint32_t taken = 0, odd = 0, i, k;
	int ret;

	/* After an element, up to the stride, all bytes are 0. */
	memset(p, 0, PAGE);
	memcpy(p, &ops[0], sizeof(ops[0]));
	for (i = 0; i < SHAKY_ROUNDS; i++) {
		ret = nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b);
		taken += !ret;
		odd += ret && !is_shaky_error(ret);

		/* Without REPLACE this fails if something is mapped there. */
		if (ret)
			odd += vm_bind(&nv, vm, ops, 2) != 0;
		for (k = 0; k < 2; k++)
			need(!vm_unmap(&nv, vm, ops[k].va, ops[k].range), "unmap");

		sched_yield();
	}

	equal(odd, 0, "VM_BIND maps all, or gives EFAULT or EINVAL and maps nothing");
	check(taken && taken < SHAKY_ROUNDS, "%u of %u succeed", taken, SHAKY_ROUNDS);
}

/* The same while the page comes and goes during the calls. */
static void t_shaky_pages(void)
{
	struct witness *w = witness_start(WITNESS_PFIFO);
	struct drm_nvfifo_vm_bind_op ops[2];
	struct drm_nvfifo_entry *e;
	pthread_t thread;
	uint32_t i;
	struct bo bo;
	struct ch c;
	char *p;

	nv_open(&nv);
	vm = new_vm(&nv);
	need(!chan_create(&nv, vm, 12, &i), "CHANNEL_CREATE");
	c = ch_new(&nv, vm);
	c.id = i;
	*c.push.map = 0;
	bo = sys_bo(&nv, PAGE);
	ops[0] = op_map(&bo, GIB);
	ops[1] = op_map(&bo, GIB + MIB);
	p = shaky_new();

	e = (void *)(p + PAGE - SHAKY_ENTRIES / 2 * sizeof(*e));
	for (i = 0; i < SHAKY_ENTRIES; i++)
		e[i] = (struct drm_nvfifo_entry){ .address = c.push_va, .words = 1 };
	memcpy(shaky_bytes, shaky_page, PAGE);
	stop = false;
	need(!pthread_create(&thread, NULL, shake_thread, NULL), "pthread_create");
	shaky_submits(&c, p);
	stop = true;
	pthread_join(thread, NULL);

	memset(shaky_bytes, 0, sizeof(shaky_bytes));
	memcpy(shaky_bytes, &ops[1], sizeof(ops[1]));
	need(pwrite(shaky_file, shaky_bytes, PAGE, 0) == PAGE, "pwrite: %s", strerror(errno));
	stop = false;
	need(!pthread_create(&thread, NULL, shake_thread, NULL), "pthread_create");
	shaky_binds(p, ops);
	stop = true;
	pthread_join(thread, NULL);

	witness_stop(w, GAP_MS, "pages that come and go");
	nv_close(&nv);
}

/* --- Pages that do not come ------------------------------------------------------------------------ */

struct stuck {
	unsigned long request;
	void *arg;
};

/* Shared with the process: how many of its calls have returned */
static volatile uint32_t *returned;

static void *stuck_thread(void *arg)
{
	struct stuck *s = arg;

	begin();
	ioctl(nv.fd, s->request, s->arg);
	__atomic_add_fetch(returned, 1, __ATOMIC_SEQ_CST);

	return NULL;
}

/* Memory of a userfaultfd whose handler delivers no page. Return: NULL without such memory. */
static char *absent_memory(uint32_t pages)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	char *p;

	if (fd < 0)
		return NULL;

	p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(p != MAP_FAILED, "mmap: %s", strerror(errno));
	need(!ioctl(fd, UFFDIO_API, &api), "UFFDIO_API: %s", strerror(errno));
	reg.range.start = (uintptr_t)p;
	reg.range.len = pages * PAGE;
	need(!ioctl(fd, UFFDIO_REGISTER, &reg), "UFFDIO_REGISTER: %s", strerror(errno));

	return p;
}

#define STUCK_CALLS 6

/* A thread in each place where a call reads or writes user memory. */
static void a_absent(void)
{
	char *p = absent_memory(STUCK_CALLS);
	struct drm_nvfifo_submit entries = { 0 }, syncs = { 0 };
	struct drm_nvfifo_vm_bind bind = { 0 };
	struct drm_nvfifo_device_query query = { .type = DRM_NVFIFO_QUERY_TIME, .size = 4096 };
	struct drm_nvfifo_channel_wait wait = { .timeout_ns = INT64_MAX };
	struct drm_nvfifo_bo_label label = { .size = 8 };
	const struct stuck calls[STUCK_CALLS] = {
		{ DRM_IOCTL_NVFIFO_SUBMIT, &entries }, { DRM_IOCTL_NVFIFO_SUBMIT, &syncs },
		{ DRM_IOCTL_NVFIFO_VM_BIND, &bind }, { DRM_IOCTL_NVFIFO_DEVICE_QUERY, &query },
		{ DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &wait }, { DRM_IOCTL_NVFIFO_BO_LABEL, &label },
	};
	pthread_t thread;
	uint32_t id, i;

	nv_open(&nv);
	vm = new_vm(&nv);
	need(!chan_create(&nv, vm, 0, &id), "CHANNEL_CREATE");
	entries.channel_id = syncs.channel_id = wait.channel_id = id;
	entries.entries = (struct drm_nvfifo_array){ sizeof(struct drm_nvfifo_entry), 1,
						     (uintptr_t)p };
	syncs.syncs = (struct drm_nvfifo_array){ sizeof(struct drm_nvfifo_sync), 1,
						 (uintptr_t)p + PAGE };
	bind.vm_id = vm;
	bind.ops = (struct drm_nvfifo_array){ sizeof(struct drm_nvfifo_vm_bind_op), 1,
					      (uintptr_t)p + 2 * PAGE };
	query.pointer = (uintptr_t)p + 3 * PAGE;
	wait.address = (uintptr_t)p + 4 * PAGE;
	label.label = (uintptr_t)p + 5 * PAGE;
	label.handle = sys_bo(&nv, PAGE).handle;
	for (i = 0; i < STUCK_CALLS; i++)
		pthread_create(&thread, NULL, stuck_thread, (void *)&calls[i]);
	for (;;)
		pause();
}

static void t_absent_pages(void)
{
	struct witness *w;
	int64_t start;
	pid_t pid;
	int ret;

	if (!absent_memory(1)) {
		skip("absent pages # SKIP the kernel has no userfaultfd");
		return;
	}

	w = witness_start(WITNESS_PFIFO);
	*begun = 0;
	returned = begun + 1;
	*returned = 0;
	pid = attacker_start(a_absent);
	wait_begun(STUCK_CALLS);
	msleep(1500);
	equal(*returned, 0, "each call waits for its page");
	check(calls_of_others(2) < PROMPT_MS, "calls of others do not wait for an absent page");
	witness_stop(w, PROMPT_MS, "absent pages");
	start = now_ns();
	ret = card_bind(false);
	check(!ret && ms_since(start) < REMOVE_MS, "nor does an unbind (%u ms)", ms_since(start));
	start = now_ns();
	attacker_kill(pid);
	check(ms_since(start) < PROMPT_MS, "the process can be killed (%u ms)", ms_since(start));
	need(!card_bind(true), "bind");
}

/* Root's reader of a file of an address space waits for a page, and VM_DESTROY for the reader. */
static void *vm_reader(void *arg)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/nvfifo_vm/%u/mappings", debug_dir(), debug_last_vm());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	need(fd >= 0, "%s: %s", path, strerror(errno));
	begin();
	read(fd, arg, PAGE);

	return NULL;
}

static void a_reader(void)
{
	char *p = absent_memory(1);
	pthread_t thread;
	struct bo bo;

	nv_open(&nv);
	vm = new_vm(&nv);

	/* Without a mapping there is nothing to read. */
	bo = sys_bo(&nv, PAGE);
	map(&nv, vm, &bo);
	need(!pthread_create(&thread, NULL, vm_reader, p), "pthread_create");
	wait_begun(1);
	begin();
	vm_destroy(&nv, vm);
	for (;;)
		pause();
}

/* A process that kills another one after a while, so that calls that wait for it end. */
static pid_t killer_start(pid_t victim, unsigned int ms)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		msleep(ms);
		kill(victim, SIGKILL);
		_exit(0);
	}

	return pid;
}

static void t_absent_reader(void)
{
	struct witness *w;
	pid_t pid, killer;

	if (!absent_memory(1) || !*debug_dir()) {
		skip("a reader of absent pages # SKIP the kernel has no userfaultfd or no debugfs");
		return;
	}

	w = witness_start(WITNESS_PFIFO);
	*begun = 0;
	pid = attacker_start(a_reader);
	wait_begun(2);
	wait_asleep(&pid, 1);
	killer = killer_start(pid, PROMPT_MS);
	check(calls_of_others(2) < PROMPT_MS, "calls of others do not wait for a reader");
	attacker_kill(killer);
	witness_stop(w, PROMPT_MS, "a reader");
	attacker_kill(pid);
}

/* --- A file that changes hands ----------------------------------------------------------------------- */

static void fd_send(int sock, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 }, byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = sizeof(control) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&m);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(int));
	need(sendmsg(sock, &m, 0) == 1, "sendmsg: %s", strerror(errno));
}

static int fd_receive(int sock)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 }, byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control,
			    .msg_controllen = sizeof(control) };
	int fd = -1;

	need(recvmsg(sock, &m, 0) == 1 && CMSG_FIRSTHDR(&m), "recvmsg: %s", strerror(errno));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(int));

	return fd;
}

/*
 * The process that opened a file has exited. Its heir has another user id and no privileges. The
 * file stays on the account of its first user, and privileges are those of the caller.
 */
static int heir_main(int sock)
{
	struct drm_nvfifo_channel_create c = { .timeslice = 0x1ffff };
	uint32_t n = 0, id;
	struct bo bo;
	struct nv own;

	own.fd = fd_receive(sock);
	become_nobody();
	if (vm_create(&own, &c.vm_id) || chan_create_args(&own, &c) != -EPERM)
		return 1;
	while (n < 100 && !chan_create(&own, c.vm_id, 3, &id))
		n++;
	if (n != 31)
		return 2;
	if (bo_create(&own, &bo, DRM_NVFIFO_DOMAIN_VRAM, MIB))
		return 3;

	/* A program that knows nothing of the file keeps it all, and closes the socket. */
	fcntl(own.fd, F_SETFD, 0);
	fcntl(sock, F_SETFD, FD_CLOEXEC);
	execl("/bin/sleep", "sleep", "1000", NULL);
	execl("/bin/busybox", "sleep", "1000", NULL);

	return 4;
}

static pid_t heir_start(int *sock)
{
	int socks[2];
	pid_t pid;

	need(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, socks), "socketpair: %s", strerror(errno));
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork");
	if (!pid) {
		tap_env_set = false;
		close(socks[0]);
		files_close();
		_exit(heir_main(socks[1]));
	}

	close(socks[1]);
	*sock = socks[0];

	return pid;
}

static void t_passed_file(void)
{
	uint64_t free_before;
	struct nv look;
	int sock, status, ret;
	int64_t end;
	pid_t pid;
	struct ch c;

	nv_open(&look);
	free_before = vram_free(&look);
	pid = heir_start(&sock);
	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	need(ch_works(&c), "a channel");
	fd_send(sock, nv.fd);
	nv_close(&nv);

	/* The other end is closed when the heir is another program, or has ended. */
	need(read(sock, &status, 1) <= 0, "the heir says nothing");
	status = -1;
	ret = waitpid(pid, &status, WNOHANG);
	check(!ret, "the heir has the rights of its own, and the file's share (%d)", status);
	check(vram_free(&look) <= free_before - MIB, "another program has the file's memory");
	attacker_kill(pid);

	end = now_ns() + WAIT_MS * 1000000ll;
	while (vram_free(&look) != free_before && now_ns() < end)
		msleep(20);
	equal(vram_free(&look), free_before, "its end frees all of it");
	close(sock);
	nv_close(&look);
}

/* --- Signals ------------------------------------------------------------------------------------------- */

static void on_signal(int sig)
{
	(void)sig;
}

static void storm(bool on, int flags)
{
	struct itimerval t = { { 0, on ? 700 : 0 }, { 0, on ? 700 : 0 } };
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = flags };

	need(!sigaction(SIGVTALRM, &act, NULL) && !sigaction(SIGPROF, &act, NULL), "sigaction");
	need(!setitimer(ITIMER_PROF, &t, NULL), "setitimer: %s", strerror(errno));
}

/* Another process sends a signal each half millisecond, even while this one sleeps. */
static pid_t signaller_start(void)
{
	pid_t parent = getpid(), pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork");
	if (pid)
		return pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		kill(parent, SIGVTALRM);
		usleep(500);
	}
}

/* SUBMITs of a channel that wait until the next one sleeps */
#define QUEUE_JOBS	1024

/* SUBMITs that sleep for room, and are interrupted all the time: none is lost or done twice. */
static void t_signals(void)
{
	struct drm_nvfifo_submit s = { 0 };
	struct drm_nvfifo_channel_query q;
	uint32_t done = 0, broken = 0, sleeps = 0;
	struct ch gate, c;
	int64_t start;
	pid_t pid;
	int ret;

	nv_open(&nv);
	vm = new_vm(&nv);
	c = ch_new(&nv, vm);
	gate = blocked_channel(&nv, vm);
	s.channel_id = c.id;
	storm(true, 0);
	pid = signaller_start();
	start = now_ns();
	while (sleeps < 50 && !broken && ms_since(start) < START_MS) {
		struct drm_nvfifo_sync sync = sync_wait_for(gate.done);

		s.syncs = (struct drm_nvfifo_array){ sizeof(sync), 1, (uintptr_t)&sync };
		s.entries.stride = sizeof(struct drm_nvfifo_entry);
		ret = ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s) ? -errno : 0;
		done += !ret;
		broken += ret && ret != -EINTR;

		/* The queue is full: this SUBMIT has slept. */
		sleeps += ret == -EINTR && done >= QUEUE_JOBS;
	}

	start = now_ns();
	ret = sync_wait_ms(&nv, gate.done, 500);
	attacker_kill(pid);
	storm(false, 0);
	check(ret == -ETIME && ms_since(start) >= 400, "a wait takes its time (%d, %u ms)", ret,
	      ms_since(start));
	equal(broken, 0, "signals cause EINTR, and no other error");
	q = ch_query(&c);
	equal(q.submitted, done, "each SUBMIT that succeeded counts once");
	equal(sleeps, 50, "SUBMITs that slept for room were interrupted");
	equal(done, QUEUE_JOBS, "those before them filled the queue");
	nv_close(&nv);
}

/* --- Fences ---------------------------------------------------------------------------------------------- */

static struct drm_nvfifo_sync sync_point(uint32_t handle, uint32_t flags, uint64_t point)
{
	return (struct drm_nvfifo_sync){
		.flags = flags | DRM_NVFIFO_SYNC_TIMELINE, .handle = handle,
		.timeline_value = point,
	};
}

/* Thousands of points of a timeline, each after the one before, and points out of order. */
static void t_timeline(void)
{
	struct witness *w = witness_start(WITNESS_PFIFO);
	struct drm_nvfifo_sync s[2];
	struct ch gate, c;
	uint32_t line, i;
	int ret = 0;

	nv_open(&nv);
	vm = new_vm(&nv);
	c = ch_new(&nv, vm);
	gate = blocked_channel(&nv, vm);
	line = sync_new(&nv);
	s[0] = sync_wait_for(gate.done);
	for (i = 1; i <= 900 && !ret; i++) {
		s[1] = sync_point(line, DRM_NVFIFO_SYNC_SIGNAL, i);
		ret = submit_raw(&nv, c.id, NULL, 0, s, 2, NULL);
		s[0] = sync_point(line, DRM_NVFIFO_SYNC_WAIT, i);
	}

	equal((uint32_t)ret, 0, "900 jobs, each of which waits for the point before");
	s[1] = sync_point(line, DRM_NVFIFO_SYNC_SIGNAL, ~0ull);
	equal((uint32_t)submit_raw(&nv, c.id, NULL, 0, s, 2, NULL), 0, "the last point there is");
	s[1] = sync_point(line, DRM_NVFIFO_SYNC_SIGNAL, 1);
	equal((uint32_t)submit_raw(&nv, c.id, NULL, 0, s, 2, NULL), 0, "the first one again");
	chan_destroy(&nv, gate.id);
	ret = timeline_wait_ms(&nv, line, 900, START_MS);
	check(!ret, "all of them end (%d)", ret);
	equal((uint32_t)timeline_wait_ms(&nv, line, ~0ull, START_MS), 0, "so does the last point");
	check(ch_works(&c), "the channel works");
	witness_stop(w, GAP_MS, "a long timeline");
	nv_close(&nv);
}

/* --- Shared buffers ---------------------------------------------------------------------------------------- */

static void import_refused(int fd, const char *what)
{
	uint32_t handle;
	int ret = prime_import(&nv, fd, &handle);

	check(ret < 0, "%s is no buffer (%d)", what, ret);
}

/* Handles that come and go in two files, while the fd lives and dies. */
static void t_shared(void)
{
	uint64_t free_before;
	uint32_t i, same = 0, theirs;
	struct nv other;
	struct bo v;
	int fd, pipes[2];

	nv_open(&nv);
	nv_open(&other);
	vm = new_vm(&nv);
	free_before = vram_free(&nv);
	need(!pipe(pipes), "pipe");
	import_refused(pipes[0], "a pipe");
	import_refused(nv.fd, "the node itself");
	import_refused(-1, "-1");
	close(pipes[0]);
	close(pipes[1]);

	for (i = 0; i < 200; i++) {
		v = vram_bo(&nv, MIB);
		fd = prime_export(&nv, v.handle);
		need(fd >= 0, "export: %s", strerror(-fd));
		need(!bo_close(&nv, v.handle), "close");
		need(!prime_import(&nv, fd, &v.handle), "import of a buffer without a handle");
		need(!prime_import(&other, fd, &theirs), "import into another file");
		need(!vm_map_at(&nv, vm, &v, GIB, 0, 0), "map");
		need(!bo_close(&nv, v.handle), "close a mapped buffer");
		same += vram_free(&nv) == free_before - MIB;
		need(!bo_close(&other, theirs), "close");
		close(fd);
		same += vram_free(&nv) == free_before - MIB;
		need(!vm_unmap(&nv, vm, GIB, MIB), "unmap");
		same += vram_free(&nv) == free_before;
	}

	equal(same, 600, "memory stays until the last mapping is gone, and no longer");
	equal(bo_close(&nv, v.handle), (uint64_t)-EINVAL, "a handle cannot be closed twice");
	nv_close(&other);
	nv_close(&nv);
}

/* --- The node ------------------------------------------------------------------------------------------------ */

/* Return: a file of the card's primary node, which any user can open from now on; or -1. */
static int primary_open(void)
{
	int fd = node_of("card", 0, "nvfifo");

	if (fd >= 0)
		fchmod(fd, 0666);

	return fd;
}

/* Results of an attacker with two files of the primary node */
enum primary_result {
	PRIMARY_AUTH_OTHER, PRIMARY_MASTER, PRIMARY_FLINK, PRIMARY_OPEN, PRIMARY_NAMES,
	PRIMARY_RESOURCES, PRIMARY_DUMB, PRIMARY_LEASE, PRIMARY_SLICE, PRIMARY_MAP, PRIMARY_RESULTS,
};

static const struct {
	const char *what;
	int err;
} primary_results[PRIMARY_RESULTS] = {
	[PRIMARY_AUTH_OTHER] = { "a second file cannot authenticate others", EACCES },
	[PRIMARY_MASTER] = { "nor become the master", EACCES },
	[PRIMARY_FLINK] = { "nor name a buffer for all", EACCES },
	[PRIMARY_OPEN] = { "nor open a buffer by its name", EACCES },
	[PRIMARY_NAMES] = { "the master finds no buffer by 1000 names", 0 },
	[PRIMARY_RESOURCES] = { "there is no display", EOPNOTSUPP },
	[PRIMARY_DUMB] = { "and no buffer for one", ENOSYS },
	[PRIMARY_LEASE] = { "and nothing to lease", EOPNOTSUPP },
	[PRIMARY_SLICE] = { "the node gives no privileges", EPERM },
	[PRIMARY_MAP] = { "it maps no buffer of another file", EACCES },
};

/* The first file is the master, as no other file of the node is open. */
static void primary_attack(const struct bo *theirs, volatile uint32_t *result)
{
	struct drm_nvfifo_channel_create slow = { .timeslice = 0x1ffff };
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 64, .bpp = 32 };
	struct drm_mode_create_lease lease = { .object_count = 1 };
	struct drm_mode_card_res res = { 0 };
	struct nv second = { 0 };
	struct bo bo;
	uint32_t name;
	int master;
	void *p;

	become_nobody();
	master = primary_open();
	second.fd = primary_open();
	need(master >= 0 && second.fd >= 0, "two files of the primary node");
	need(!bo_create(&second, &bo, DRM_NVFIFO_DOMAIN_SYSTEM, PAGE), "BO_CREATE");

	struct drm_auth auth = { .magic = 1 };
	struct drm_gem_flink flink = { .handle = bo.handle };
	struct drm_gem_open open_name = { .name = 1 };

	result[PRIMARY_AUTH_OTHER] = -nv_ioctl(second.fd, DRM_IOCTL_AUTH_MAGIC, &auth);
	result[PRIMARY_MASTER] = -nv_ioctl(second.fd, DRM_IOCTL_SET_MASTER, NULL);
	result[PRIMARY_FLINK] = -nv_ioctl(second.fd, DRM_IOCTL_GEM_FLINK, &flink);
	result[PRIMARY_OPEN] = -nv_ioctl(second.fd, DRM_IOCTL_GEM_OPEN, &open_name);

	for (name = 1; name <= 1000; name++) {
		open_name.name = name;
		result[PRIMARY_NAMES] += nv_ioctl(master, DRM_IOCTL_GEM_OPEN, &open_name) != -ENOENT;
	}

	result[PRIMARY_RESOURCES] = -nv_ioctl(master, DRM_IOCTL_MODE_GETRESOURCES, &res);
	result[PRIMARY_DUMB] = -nv_ioctl(master, DRM_IOCTL_MODE_CREATE_DUMB, &dumb);
	result[PRIMARY_LEASE] = -nv_ioctl(master, DRM_IOCTL_MODE_CREATE_LEASE, &lease);

	need(!vm_create(&second, &slow.vm_id), "VM_CREATE");
	result[PRIMARY_SLICE] = -chan_create_args(&second, &slow);
	p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, master, (off_t)theirs->offset);
	result[PRIMARY_MAP] = p == MAP_FAILED ? errno : 0;
}

/* The primary node: another user's render node is the witness. */
static void t_primary(void)
{
	int status = -1, fd, i;
	struct bo theirs;
	pid_t pid;

	nv_open(&nv);
	theirs = sys_bo(&nv, PAGE);
	fd = primary_open();
	need(fd >= 0, "the card has a primary node");
	close(fd);

	memset((void *)begun, 0, PRIMARY_RESULTS * sizeof(*begun));
	pid = child_fork();
	if (!pid) {
		primary_attack(&theirs, begun);
		_exit(0);
	}

	need(waitpid(pid, &status, 0) == pid && !status, "the attacker ends");
	for (i = 0; i < PRIMARY_RESULTS; i++)
		equal(begun[i], (uint32_t)primary_results[i].err, primary_results[i].what);

	nv_close(&nv);
}

/* A render node has neither the calls of a display's master nor global names of buffers. */
static void t_node(void)
{
	static const struct {
		unsigned long request;
		const char *name;
	} calls[] = {
		{ DRM_IOCTL_SET_MASTER, "SET_MASTER" }, { DRM_IOCTL_DROP_MASTER, "DROP_MASTER" },
		{ DRM_IOCTL_AUTH_MAGIC, "AUTH_MAGIC" }, { DRM_IOCTL_GET_MAGIC, "GET_MAGIC" },
		{ DRM_IOCTL_GEM_FLINK, "GEM_FLINK" }, { DRM_IOCTL_GEM_OPEN, "GEM_OPEN" },
		{ DRM_IOCTL_SET_VERSION, "SET_VERSION" },
		{ DRM_IOCTL_MODE_GETRESOURCES, "MODE_GETRESOURCES" },
		{ DRM_IOCTL_MODE_CREATE_LEASE, "MODE_CREATE_LEASE" },
		{ DRM_IOCTL_MODE_LIST_LESSEES, "MODE_LIST_LESSEES" },
		{ DRM_IOCTL_MODE_CREATE_DUMB, "MODE_CREATE_DUMB" },
		{ DRM_IOCTL_MODE_MAP_DUMB, "MODE_MAP_DUMB" },
		{ DRM_IOCTL_MODE_ADDFB2, "MODE_ADDFB2" }, { DRM_IOCTL_MODE_ATOMIC, "MODE_ATOMIC" },
		{ DRM_IOCTL_CRTC_GET_SEQUENCE, "CRTC_GET_SEQUENCE" },
	};
	uint64_t arg[64];
	uint32_t i, nr;
	int ret, odd = 0;

	nv_open(&nv);
	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		memset(arg, 0, sizeof(arg));
		ret = nv_ioctl(nv.fd, calls[i].request, arg);
		check(ret == -EACCES || ret == -EOPNOTSUPP || ret == -EINVAL || ret == -ENOSYS,
		      "a render node refuses %s (%d)", calls[i].name, ret);
	}

	/* Numbers after the driver's last call, in each direction and of each length. */
	for (nr = 0x4e; nr < 0xa0; nr++) {
		for (i = 0; i < 16; i++) {
			ret = nv_ioctl(nv.fd, _IOC(i & 3, 'd', nr, (i >> 2) * 5000), NULL);
			odd += ret != -EINVAL && ret != -EFAULT;
		}
	}

	equal((uint32_t)odd, 0, "numbers without a call give EINVAL");
	nv_close(&nv);
}

/* --- Mappings in processes --------------------------------------------------------------------------------------- */

static bool child_sees(volatile uint32_t *p, uint32_t want)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork");
	if (!pid)
		_exit(*p != want);
	need(waitpid(pid, &status, 0) == pid, "waitpid");

	return !status;
}

/* Parts of a mapping that move, go, and come back in another process. */
static void t_maps(void)
{
	const int advice[] = {
		MADV_DONTNEED, MADV_REMOVE, MADV_FREE, MADV_DONTFORK, MADV_DOFORK, MADV_HUGEPAGE,
		MADV_MERGEABLE, MADV_WIPEONFORK, 20 /* COLD */, 21 /* PAGEOUT */,
		22 /* POPULATE_READ */, 23 /* POPULATE_WRITE */, 25 /* COLLAPSE */,
	};
	volatile uint32_t *p, *moved;
	uint32_t i, wrong = 0;
	struct bo b;
	void *q;

	nv_open(&nv);
	b = sys_bo(&nv, 64 * KIB);
	p = b.map;
	for (i = 0; i < b.size / 4; i++)
		p[i] = PATTERN + i;
	q = mmap(NULL, b.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, nv.fd, (off_t)b.offset);
	check(q == MAP_FAILED, "a private mapping is refused (%s)",
	      q == MAP_FAILED ? strerror(errno) : "success");
	q = mmap(NULL, 2 * b.size, PROT_READ, MAP_SHARED, nv.fd, (off_t)b.offset);
	check(q == MAP_FAILED, "so is one beyond the end");
	q = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, nv.fd, (off_t)(b.offset + b.size));
	check(q == MAP_FAILED, "and one after the end");

	for (i = 0; i < ARRAY_SIZE(advice); i++)
		madvise((void *)p, b.size, advice[i]);
	madvise((void *)p, b.size, MADV_DOFORK);
	madvise((void *)p, b.size, MADV_KEEPONFORK);
	check(mremap((void *)p, b.size, 2 * b.size, MREMAP_MAYMOVE) == MAP_FAILED,
	      "a mapping does not grow");
	need(!munmap((char *)p + 16 * KIB, 16 * KIB), "munmap of a part");
	moved = mremap((char *)p + 32 * KIB, 32 * KIB, 32 * KIB, MREMAP_MAYMOVE | MREMAP_FIXED,
		       (char *)p + 4 * MIB);
	need(moved != MAP_FAILED, "mremap: %s", strerror(errno));
	for (i = 0; i < 32 * KIB / 4; i++)
		wrong += moved[i] != PATTERN + 8 * KIB + i;
	equal(wrong, 0, "a part that was moved shows the same memory");
	check(child_sees(moved, PATTERN + 8 * KIB), "in a child, too");
	need(!bo_close(&nv, b.handle), "close");
	check(*moved == PATTERN + 8 * KIB && *p == PATTERN, "and without its handle");
	munmap((void *)moved, 32 * KIB);
	nv_close(&nv);
}

/* --- Commands that change commands ----------------------------------------------------------------------------------- */

/*
 * A pushbuffer that writes over its own words, over the driver's ring and over its fences, by M2MF.
 * Only this channel may die of it.
 */
static void t_self_modifying(void)
{
	struct witness *w = witness_start(WITNESS_M2MF);
	uint32_t i, dead = 0, lied = 0;
	uint64_t target;
	struct ch c;
	int ret;

	for (i = 0; i < 24; i++) {
		nv_open(&nv);
		vm = new_vm(&nv);
		c = ch_new(&nv, vm);
		graph_bind_m2mf(&c);
		graph_m2mf_format(&c, 4 * KIB, 1, 4 * KIB);
		target = c.push_va;
		if (i % 2)
			target = nv.dev.va_end + (i / 2) * 4 * KIB;
		graph_m2mf_launch(&c, c.push_va + 8 * KIB, target);
		while (c.n < 2 * KIB)
			p_ref(&c, c.n);
		while (c.n < 3 * KIB)
			p_word(&c, (uint32_t)rand());
		c.n = 2 * KIB;
		ret = ch_run(&c);
		dead += ret != 1;
		lied += i % 2 && ret == 1;
		nv_close(&nv);
	}

	equal(lied, 0, "no command reaches the driver's part of the address space");
	diag("%u of %u channels died", dead, i);
	witness_stop(w, GAP_MS, "pushbuffers that change");
}

/* --- Arrays that change --------------------------------------------------------------------------------- */

static volatile uint64_t *flip_word;
static uint64_t flip_values[2];

static void *flip_thread(void *arg)
{
	uint32_t i = 0;

	while (!stop)
		*flip_word = flip_values[i++ % 2];

	return arg;
}

#define FLIP_ROUNDS	3000

/*
 * While SUBMIT reads an entry, a thread changes its address from the client's words to the driver's
 * ring, and back. The card must get the address that the driver has checked.
 */
static void t_changing_entries(void)
{
	struct witness *w = witness_start(WITNESS_PFIFO);
	uint32_t i, taken = 0, refused_ones = 0, odd = 0;
	struct drm_nvfifo_entry *e;
	pthread_t thread;
	struct ch c;
	int ret;

	nv_open(&nv);
	vm = new_vm(&nv);
	c = ch_new(&nv, vm);
	c.push.map[0] = cmd_word(0, NVFIFO_MTHD_REF_CNT, 1);
	c.push.map[1] = 1;
	e = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(e != MAP_FAILED, "mmap: %s", strerror(errno));
	e->words = 2;
	flip_word = (volatile uint64_t *)&e->address;
	flip_values[0] = c.push_va;
	flip_values[1] = nv.dev.va_end;
	e->address = c.push_va;
	stop = false;
	need(!pthread_create(&thread, NULL, flip_thread, NULL), "pthread_create");

	for (i = 0; i < FLIP_ROUNDS; i++) {
		ret = submit_raw(&nv, c.id, e, 1, NULL, 0, NULL);
		taken += !ret;
		refused_ones += ret == -EINVAL;
		odd += ret && ret != -EINVAL;

		/* One processor: let the thread change the word. */
		if (i % 8 == 0)
			sched_yield();
	}

	stop = true;
	pthread_join(thread, NULL);
	equal(odd, 0, "SUBMIT succeeds, or gives EINVAL");
	check(taken && refused_ones, "both addresses were seen (%u, %u)", taken, refused_ones);
	check(ch_works(&c), "the channel has executed nothing of the driver's");
	witness_stop(w, GAP_MS, "entries that change");
	nv_close(&nv);
}

/* --- Priorities --------------------------------------------------------------------------------------------- */

/* Take the driver's locks with a priority at which the scheduler hardly ever runs this process. */
static void a_idle(void)
{
	struct sched_param none = { 0 };
	struct drm_nvfifo_channel_query q;
	uint32_t id, space;

	become_nobody();
	nv_open(&nv);
	need(!sched_setscheduler(0, SCHED_IDLE, &none), "SCHED_IDLE: %s", strerror(errno));
	space = new_vm(&nv);
	begin();

	for (;;) {
		need(!chan_create(&nv, space, 3, &id), "CHANNEL_CREATE");
		chan_query(&nv, id, &q);
		need(!chan_destroy(&nv, id), "CHANNEL_DESTROY");
	}
}

static void a_burn(void)
{
	become_nobody();
	begin();
	for (;;)
		;
}

#define BURNERS	3

/* A process that hardly runs has a lock now and then, and others of the same user take the time. */
static void t_idle_holder(void)
{
	struct witness *w = witness_start(WITNESS_PFIFO);
	pid_t pids[BURNERS + 1];
	uint32_t i;

	node_for_all();
	*begun = 0;
	pids[0] = attacker_start(a_idle);
	wait_begun(1);
	for (i = 1; i <= BURNERS; i++)
		pids[i] = attacker_start(a_burn);

	wait_begun(BURNERS + 1);
	check(calls_of_others(3) < PROMPT_MS, "calls of others go on beside an idle process");
	msleep(4000);

	/* The idle process last, or its end takes long. */
	for (i = BURNERS + 1; i-- > 0;)
		attacker_kill(pids[i]);

	witness_stop(w, GAP_MS, "an idle process with locks");
}

/* --- Arguments in the card's memory -------------------------------------------------------------------------- */

/* Offsets of the arrays of t_vram_pages in a buffer, a page each. */
struct arrays {
	struct drm_nvfifo_vm_bind_op *ops;
	struct drm_nvfifo_entry *entry;
	struct drm_nvfifo_query_time *time;
};

static struct arrays arrays_of(const struct bo *v)
{
	char *at = (char *)v->map;

	return (struct arrays){
		.ops = (void *)at, .entry = (void *)(at + PAGE), .time = (void *)(at + 2 * PAGE),
	};
}

/* Fill the arrays, and map the buffer again, so that the calls are the first to touch its pages. */
static struct arrays arrays_untouched(struct bo *v, struct drm_nvfifo_vm_bind_op op,
				      struct drm_nvfifo_entry entry)
{
	struct arrays arrays = arrays_of(v);

	*arrays.ops = op;
	*arrays.entry = entry;
	bo_unmap(v);
	bo_mmap(&nv, v);

	return arrays_of(v);
}

/* Arrays in VRAM: the page fault of a call that reads them takes the driver's own locks. */
static void t_vram_pages(void)
{
	struct drm_nvfifo_entry entry;
	struct arrays arrays;
	uint32_t i, bad = 0;
	struct bo v, page;
	struct ch c;

	nv_open(&nv);
	if (!(nv.dev.features & DRM_NVFIFO_FEATURE_VRAM_MMAP)) {
		skip("arrays in VRAM # SKIP VRAM cannot be mapped here");
		nv_close(&nv);
		return;
	}

	vm = new_vm(&nv);
	c = ch_new(&nv, vm);
	page = sys_bo(&nv, PAGE);
	*c.push.map = 0;
	entry = (struct drm_nvfifo_entry){ .address = c.push_va, .words = 1 };

	for (i = 0; i < 20; i++) {
		v = vram_bo(&nv, 16 * KIB);
		bo_mmap(&nv, &v);
		arrays = arrays_untouched(&v, op_map(&page, GIB + i * PAGE), entry);
		bad += vm_bind(&nv, vm, arrays.ops, 1) != 0;
		bad += submit_raw(&nv, c.id, arrays.entry, 1, NULL, 0, NULL) != 0;
		bad += query(nv.fd, DRM_NVFIFO_QUERY_TIME, arrays.time, sizeof(*arrays.time)) != 0;
		bo_unmap(&v);
		need(!bo_close(&nv, v.handle), "close");
	}

	equal(bad, 0, "calls read their arrays in VRAM, and write there");
	check(ch_works(&c), "the channel works");
	nv_close(&nv);
}

#define SLOW_BYTES	(16 * MIB)

static struct bo slow;

/* The largest array that VM_BIND reads, in the card's memory: elements of a page each. */
static void a_reads_slowly(void)
{
	struct drm_nvfifo_vm_bind b = {
		.ops = { .stride = PAGE, .count = SLOW_BYTES / PAGE },
	};

	nv_open(&nv);
	slow = vram_bo(&nv, SLOW_BYTES);
	bo_mmap(&nv, &slow);
	b.vm_id = new_vm(&nv);
	b.ops.ptr = (uintptr_t)slow.map;
	begin();
	nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b);
	begin();
	for (;;)
		pause();
}

/* The processor reads VRAM slowly. A process can be killed while a call reads an array there. */
static void t_slow_array(void)
{
	const uint32_t all = SLOW_BYTES / sizeof(uint64_t);
	struct witness *w;
	uint32_t before, reads;
	pid_t pid;

	nv_open(&nv);
	if (!(nv.dev.features & DRM_NVFIFO_FEATURE_VRAM_MMAP) || !ctl_present()) {
		skip("a long array in VRAM # SKIP VRAM cannot be mapped here");
		nv_close(&nv);
		return;
	}

	nv_close(&nv);
	w = witness_start(WITNESS_PFIFO);
	*begun = 0;
	before = stat_of(bar1_reads);
	pid = attacker_start(a_reads_slowly);
	while (!*begun || stat_of(bar1_reads) - before < all / 16)
		msleep(1);

	attacker_kill(pid);
	reads = stat_of(bar1_reads) - before;
	equal(*begun, 1, "it was in its VM_BIND");
	check(reads < all / 2, "a killed process does not read on (%u of %u words)", reads, all);
	witness_stop(w, GAP_MS, "a long array in VRAM");
}

static const struct test tests[] = {
	TEST(t_flush_waits), TEST(t_kick_waits),
	TEST(t_freeze_lookups), TEST_ONCE(t_frozen_destroy),
	TEST(t_flush_crowd),
	TEST_ONCE(t_undead), TEST_ONCE(t_all_vram),
	TEST_ONCE(t_herd), TEST_ONCE(t_queries),
	TEST_ONCE(t_handle_races), TEST_ONCE(t_replaced_handle),
	TEST(t_pointers), TEST_ONCE(t_holes), TEST_ONCE(t_shaky_pages), TEST_ONCE(t_absent_pages),
	TEST_ONCE(t_absent_reader),
	TEST_ONCE(t_passed_file), TEST_ONCE(t_signals), TEST_ONCE(t_timeline),
	TEST_ONCE(t_shared), TEST(t_node), TEST_ONCE(t_primary), TEST(t_maps), TEST(t_self_modifying),
	TEST(t_changing_entries), TEST_ONCE(t_idle_holder),
	TEST(t_vram_pages), TEST_ONCE(t_slow_array),
};

int main(int argc, char **argv)
{
	begun = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (begun == MAP_FAILED)
		return 1;

	if (!setjmp(tap_env)) {
		tap_env_set = true;
		module_reload(JOB_PARAM);
	}

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
