// SPDX-License-Identifier: MIT
/*
 * Attacks by clients that know the driver's source: what threads of the driver do for one user must
 * not stop what they do for another. Suite "attack" has the attacks on single calls.
 */
#include "raw.h"
#include "../rig/witness.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>

#define PAGE	(4 * KIB)

/* Time that a job may take here, and so a call that waits for PGRAPH */
#define JOB_PARAM	"job_timeout_ms=60000"

/* Until a process has done its work, on a slow machine */
#define PATIENCE_MS	180000

/* Shared with the processes of a test. */
static struct {
	uint32_t ready, go, ended;
} volatile *shared;

static uint32_t ms_since(int64_t start)
{
	return (uint32_t)((now_ns() - start) / 1000000);
}

static void node_for_all(void)
{
	char path[64];
	int i;

	for (i = 128; i < 192; i++) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		chmod(path, 0666);
	}
}

static uint32_t shared_add(volatile uint32_t *p)
{
	return __atomic_add_fetch(p, 1, __ATOMIC_SEQ_CST);
}

/* Wait until *@p is at least @want. Return: false if that takes far too long. */
static bool shared_wait(volatile uint32_t *p, uint32_t want)
{
	int64_t start = now_ns();

	while (__atomic_load_n(p, __ATOMIC_SEQ_CST) < want) {
		if (ms_since(start) > PATIENCE_MS)
			return false;
		msleep(5);
	}

	return true;
}

/* A process of the user @uid that does @act, and exits. */
static pid_t process_start(void (*act)(void), uid_t uid)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (pid)
		return pid;

	tap_env_set = false;
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(0);
	need(!setresgid(uid, uid, uid) && !setresuid(uid, uid, uid), "dropping root");
	act();
	_exit(0);
}

static void process_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* All threads of the guest, the kernel's included */
static uint32_t threads(void)
{
	struct sysinfo info;

	need(!sysinfo(&info), "sysinfo");

	return info.procs;
}

/* --- Workers --------------------------------------------------------------------------------- */

#define USERS		2
#define FILES		2
#define SPACES		25	/* address spaces of a file, with a channel in each */
#define ROUNDS		20
#define WORKERS		40	/* more than a few of each user, and fewer than address spaces */

/* A VM_BIND in each of many address spaces whose flush waits for PGRAPH, all ready at once */
static void a_binds(void)
{
	static struct nv files[FILES];
	uint32_t i, f, done[FILES][SPACES], space;
	struct bo page;
	struct ch c;

	for (f = 0; f < FILES; f++) {
		nv_open(&files[f]);
		page = sys_bo(&files[f], PAGE);
		for (i = 0; i < SPACES; i++) {
			space = new_vm(&files[f]);
			c = ch_order(&files[f], space, 3);
			graph_bind_m2mf(&c);
			need(ch_run(&c) == 1, "M2MF is bound");
			need(!vm_map_at(&files[f], space, &page, GIB, 0, 0), "map");
			done[f][i] = sync_new(&files[f]);
		}
	}

	shared_add(&shared->ready);
	need(shared_wait(&shared->go, 1), "go");
	for (f = 0; f < FILES; f++)
		for (i = 0; i < SPACES; i++)
			need(!vm_bind_when(&files[f], i + 1, op_unmap(GIB, PAGE), 0, done[f][i]),
			     "VM_BIND");
	shared_add(&shared->ready);
	for (f = 0; f < FILES; f++) {
		for (i = 0; i < SPACES; i++) {
			need(sync_finish(&files[f], done[f][i]) == 1, "a VM_BIND ends");
			shared_add(&shared->ended);
		}
	}
}

/* A SUBMIT, a VM_BIND that waits for it, and a SUBMIT that waits for that. */
static void honest_round(struct ch *a, struct ch *b, const struct bo *page)
{
	uint32_t bound = sync_new(a->nv);

	p_ref(a, 1);
	need(!ch_submit(a), "SUBMIT");
	need(!vm_bind_when(a->nv, a->vm, op_unmap(2 * GIB, PAGE), a->done, 0), "VM_BIND");
	need(!vm_bind_when(a->nv, a->vm, op_map(page, 2 * GIB), a->done, bound), "VM_BIND");
	p_ref(b, 2);
	need(!ch_submit_sync(b, bound, b->done), "SUBMIT");
	need(sync_finish(b->nv, b->done) == 1, "the round ends");
	ch_rewind(a);
	ch_rewind(b);
	sync_free(a->nv, bound);
}

/*
 * Two users have a VM_BIND that waits for PGRAPH in each of many address spaces. They occupy a few
 * workers of those that all users share, and another user's jobs run beside them. The kernel makes
 * a thread for each worker.
 */
static void t_bind_crowd(void)
{
	uint32_t i, vm, before, after;
	struct ch a, b, busy;
	pid_t pids[USERS];
	struct bo page;
	struct nv n;

	if (!ctl_present()) {
		skip("a crowd of VM_BINDs # SKIP only the model can be told to be busy");
		return;
	}

	node_for_all();
	nv_open(&n);
	vm = new_vm(&n);
	a = ch_new(&n, vm);
	b = ch_new(&n, vm);
	page = sys_bo(&n, PAGE);
	need(ch_run(&b) == 1, "a channel works");
	honest_round(&a, &b, &page);
	busy = ch_new(&n, new_vm(&n));
	graph_bind_m2mf(&busy);
	need(ch_run(&busy) == 1, "M2MF is bound");

	shared->ready = shared->go = shared->ended = 0;
	for (i = 0; i < USERS; i++)
		pids[i] = process_start(a_binds, 60000 + i);
	need(shared_wait(&shared->ready, USERS), "the attackers are ready");
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	p_subc_mthd(&busy, 5, 0x100, 0);
	need(!ch_submit(&busy), "SUBMIT");

	before = threads();
	shared->go = 1;
	need(shared_wait(&shared->ready, 2 * USERS), "the VM_BINDs are queued");
	for (i = 0; i < ROUNDS; i++)
		honest_round(&a, &b, &page);
	after = threads();
	diag("%u of %u VM_BINDs have ended", shared->ended, USERS * FILES * SPACES);
	check(after < before + WORKERS, "%u threads more are in VM_BINDs of attackers",
	      after - before);
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	check(shared_wait(&shared->ended, USERS * FILES * SPACES), "each VM_BIND ends");
	for (i = 0; i < USERS; i++)
		process_kill(pids[i]);
	nv_close(&n);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST_ONCE(t_bind_crowd),
	};

	shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;

	if (!setjmp(tap_env)) {
		tap_env_set = true;
		module_reload(JOB_PARAM);
	}

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
