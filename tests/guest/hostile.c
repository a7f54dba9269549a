// SPDX-License-Identifier: MIT
/*
 * Attacks by clients that know the driver's source: work of the driver's threads for one user must
 * not stop their work for another. Suite "attack" has the attacks on single calls.
 *
 * Guards sharing: threads of the driver (threat-model.rst), on one chip.
 */
#include "raw.h"
#include "../rig/witness.h"

#include <sched.h>

#define PAGE	(4 * KIB)
#define SEM	0x1234

/* Time that a job may take here, and so a call that waits for PGRAPH */
#define JOB_PARAM	"job_timeout_ms=60000"

/* Until a process has done its work, on a slow machine */
#define PATIENCE_MS	180000

/* Shared with the processes of a test. */
static struct {
	uint32_t ready, go, ended;
} volatile *shared;

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
	pid_t pid = child_fork();

	if (pid)
		return pid;

	need(!setresgid(uid, uid, uid) && !setresuid(uid, uid, uid), "dropping root");
	act();
	_exit(0);
}

static void process_kill(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- The end of a process -------------------------------------------------------------------- */

#define LAST_CHANNELS	8

/* The hang limit of the test, and the longest time of an exit: the limit twice, on a slow machine */
#define EXIT_PARAM	"job_timeout_ms=3000"
#define EXIT_MS		20000

static struct nv victim;
static struct ch victims[LAST_CHANNELS];

/* Channels that PGRAPH knows */
static void victim_open(void)
{
	uint32_t i, vm;

	nv_open(&victim);
	vm = new_vm(&victim);
	for (i = 0; i < LAST_CHANNELS; i++) {
		victims[i] = ch_order(&victim, vm, 3);
		graph_bind_m2mf(&victims[i]);
		need(ch_run(&victims[i]) == 1, "M2MF is bound");
	}

	shared_add(&shared->ready);
	need(shared_wait(&shared->go, 2), "go");
	shared_add(&shared->ready);
}

/*
 * A flush that waits for PGRAPH, and that kicks of others have to wait for. Its memory is kept by the
 * mapping alone.
 */
static void a_flushes(void)
{
	struct bo vram;
	struct ch c;
	struct nv n;

	nv_open(&n);
	c = ch_new(&n, new_vm(&n));
	vram = vram_bo(&n, MIB);
	graph_bind_m2mf(&c);
	need(ch_run(&c) == 1, "M2MF is bound");
	need(!vm_map_at(&n, c.vm, &vram, GIB, 0, 0), "map");
	need(!bo_close(&n, vram.handle), "close");
	shared_add(&shared->ready);
	need(shared_wait(&shared->go, 1), "go");
	vm_unmap(&n, c.vm, GIB, MIB);
}

static void a_destroys(void)
{
	uint32_t i;

	victim_open();
	for (i = 0; i < LAST_CHANNELS; i++)
		chan_destroy(&victim, victims[i].id);
	pause();
}

/* The place of a destroyed object is used again when the channel is off the card for a moment. */
static void a_objects(void)
{
	uint32_t i;

	victim_open();
	for (i = 0; i < 100000; i++) {
		object_dma(&victim, victims[0].id, SEM, GIB, PAGE);
		object_destroy(&victim, victims[0].id, SEM);
	}

	pause();
}

static void a_unmaps(void)
{
	victim_open();
	vm_unmap(&victim, victims[0].vm, victims[0].push_va, victims[0].push.size);
	pause();
}

static void a_creates(void)
{
	uint32_t id;

	victim_open();
	chan_create(&victim, victims[0].vm, 3, &id);
	pause();
}

static void a_exits(void)
{
	victim_open();
	_exit(0);
}

static void a_closes(void)
{
	victim_open();
	nv_close(&victim);
	pause();
}

/* How long the end of a process takes */
static uint32_t time_to_kill(pid_t pid)
{
	int64_t start = now_ns();

	process_kill(pid);

	return ms_since(start);
}

/* Memory that a killed process has unmapped is free after the TLB flush, not before. */
static void check_memory(struct nv *n, uint64_t mapped)
{
	int64_t start = now_ns();

	while (vram_free(n) < mapped + MIB && ms_since(start) < PATIENCE_MS)
		msleep(20);

	check(vram_free(n) >= mapped + MIB, "its memory is free after the flush");
}

/*
 * Let a process do @act while others' work in PGRAPH does not end, beside one that waits for this
 * work in a TLB flush. Return: how long the end of the slower one takes.
 */
static uint32_t end_of(void (*act)(void), struct ch *busy)
{
	uint32_t took, holder_took;
	pid_t holder, pid;
	uint64_t mapped;

	shared->ready = shared->go = 0;
	holder = process_start(a_flushes, 60001);
	pid = process_start(act, 60000);
	need(shared_wait(&shared->ready, 2), "the processes are ready");
	p_subc_mthd(busy, 5, 0x100, 0);
	need(ch_run(busy) == 1, "PGRAPH has this process's channel");
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	mapped = vram_free(busy->nv);
	shared->go = 1;
	msleep(300);
	if (flush_waits_for_pgraph(busy->nv))
		check(vram_free(busy->nv) <= mapped,
		      "memory that the card may still know is not free");

	shared->go = 2;
	need(shared_wait(&shared->ready, 3), "the process goes on");
	msleep(500);
	took = time_to_kill(pid);
	holder_took = time_to_kill(holder);
	diag("killed in a flush: %u ms", holder_took);
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	if (flush_waits_for_pgraph(busy->nv))
		check_memory(busy->nv, mapped);

	return took > holder_took ? took : holder_took;
}

/*
 * A process ends while its channels wait for another's work in PGRAPH that does not end. It is gone
 * when the hang limit has ended that work, at the latest.
 */
static void t_ends(void)
{
	static const struct {
		void (*act)(void);
		const char *name;
	} ways[] = {
		{ a_destroys, "killed in CHANNEL_DESTROY" }, { a_objects, "killed in OBJECT_CREATE" },
		{ a_unmaps, "killed in VM_BIND" }, { a_creates, "killed in CHANNEL_CREATE" },
		{ a_closes, "killed in close" }, { a_exits, "that exits" },
	};
	uint32_t i, took;
	struct ch busy, c;
	struct nv n;

	if (!ctl_present()) {
		skip("the end of a process # SKIP only the model can be told to be busy");
		return;
	}

	module_reload(EXIT_PARAM);
	node_for_all();
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		nv_open(&n);
		busy = ch_new(&n, new_vm(&n));
		graph_bind_m2mf(&busy);
		need(ch_run(&busy) == 1, "M2MF is bound");
		took = end_of(ways[i].act, &busy);
		check(took < EXIT_MS, "a process %s is gone (%u ms)", ways[i].name, took);
		c = ch_new(&n, new_vm(&n));
		check(ch_works(&c), "a new channel works");
		nv_close(&n);
	}

	module_reload(JOB_PARAM);
}

/* --- Work on memory that goes ------------------------------------------------------------------ */

#define DOOMED_BYTES	(64 * KIB)
#define DOOMED_ROUNDS	60
#define RELEASES	200

/* Ways in which a buffer, its mapping or its channel goes while the card writes to it */
static void doomed_goes(struct nv *n, struct ch *c, const struct bo *page, uint64_t va, uint32_t way)
{
	struct drm_nvfifo_vm_bind_op op;

	switch (way) {
	case 0:
		vm_unmap(n, c->vm, va, page->size);
		break;
	case 1:
		op = op_unmap(va, page->size);
		vm_bind_async(n, c->vm, &op, 1, NULL, 0);
		break;
	case 2:
		vm_destroy(n, c->vm);
		chan_destroy(n, c->id);
		break;
	case 3:
		op = op_map(&c->push, va);
		op.range = page->size;
		op.flags = DRM_NVFIFO_VM_BIND_REPLACE;
		vm_bind(n, c->vm, &op, 1);
		break;
	case 4:
		chan_destroy(n, c->id);
		break;
	}

	bo_close(n, page->handle);
}

static void a_doomed(void)
{
	uint32_t round, i;
	struct bo page;
	uint64_t va;
	struct nv n;
	struct ch c;

	for (round = 0; round < DOOMED_ROUNDS; round++) {
		nv_open(&n);
		c = ch_new(&n, new_vm(&n));
		page = sys_bo(&n, DOOMED_BYTES);
		va = map(&n, c.vm, &page);
		new_object(&c, SEM, va, page.size);
		for (i = 0; i < RELEASES; i++)
			p_release(&c, SEM, i * 16 % DOOMED_BYTES, 0xbad00000 + i);
		need(!ch_submit(&c), "SUBMIT");
		bo_unmap(&page);
		doomed_goes(&n, &c, &page, va, round % 6);
		shared_add(&shared->ended);

		/* In each sixth round only the file goes. */
		nv_close(&n);
	}

	pause();
}

/* New buffers, looked at twice. Return: the words that are not 0. */
static uint32_t dirty_words(struct nv *n)
{
	uint32_t i, pass, dirty = 0;
	struct bo b[8];

	for (i = 0; i < ARRAY_SIZE(b); i++)
		b[i] = sys_bo(n, DOOMED_BYTES);
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < ARRAY_SIZE(b) * (DOOMED_BYTES / 4); i++)
			dirty += b[i % ARRAY_SIZE(b)].map[i / ARRAY_SIZE(b)] != 0;
		msleep(5);
	}
	for (i = 0; i < ARRAY_SIZE(b); i++) {
		bo_unmap(&b[i]);
		need(!bo_close(n, b[i].handle), "close");
	}

	return dirty;
}

/* The card never writes to memory that a client has given back, on whichever way. */
static void t_doomed(void)
{
	uint32_t dirty = 0, looks = 0;
	struct nv n;
	pid_t pid;

	node_for_all();
	nv_open(&n);
	shared->ended = 0;
	pid = process_start(a_doomed, 60000);
	while (shared->ended < DOOMED_ROUNDS && !waitpid(pid, NULL, WNOHANG)) {
		dirty += dirty_words(&n);
		looks++;
	}

	equal(shared->ended, DOOMED_ROUNDS, "buffers go while the card writes to them");
	equal(dirty, 0, "no write of these reaches another user's buffers");
	diag("%u looks", looks);
	process_kill(pid);
	nv_close(&n);
}

/* --- Cycles ------------------------------------------------------------------------------------ */

/*
 * A channel waits for a word that another channel's SUBMIT writes. This SUBMIT waits for a VM_BIND,
 * which waits for the fence of the first channel. The hang limit of the first one ends the cycle.
 */
static void t_cycle(void)
{
	struct drm_nvfifo_channel_create args = { .hang_limit_ms = 1000 };
	struct witness *w = witness_start(WITNESS_PFIFO);
	struct ch first, second;
	uint32_t bound;
	struct bo gate;
	struct nv n;

	nv_open(&n);
	first = ch_new(&n, new_vm(&n));
	args.vm_id = first.vm;
	need(!chan_destroy(&n, first.id) && !chan_create_args(&n, &args), "a hang limit");
	first.id = args.id;
	second = ch_new(&n, first.vm);
	gate = sys_bo(&n, PAGE);
	new_object(&first, SEM, map(&n, first.vm, &gate), PAGE);
	new_object(&second, SEM, map(&n, first.vm, &gate), PAGE);
	bound = sync_new(&n);

	p_acquire(&first, SEM, 0, 1);
	need(!ch_submit(&first), "SUBMIT");
	need(!vm_bind_when(&n, first.vm, op_map(&gate, GIB), first.done, bound), "VM_BIND");
	p_release(&second, SEM, 0, 1);
	second.done = sync_new(&n);
	need(!ch_submit_sync(&second, bound, second.done), "SUBMIT");

	check(sync_finish(&n, first.done) < 0, "the first link of a cycle ends with an error");
	equal(ch_query(&first).error, DRM_NVFIFO_ERROR_TIMEOUT, "its channel of the time limit");
	equal((uint32_t)sync_finish(&n, second.done), 1, "then the others end well");
	equal(*gate.map, 1, "and have been executed");
	witness_stop(w, PATIENCE_MS, "a cycle");
	nv_close(&n);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST_ONCE(t_ends), TEST(t_doomed), TEST_ONCE(t_cycle),
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
