// SPDX-License-Identifier: MIT
/*
 * Failures and situations in pairs: each failure of one table happens in each situation of another.
 * Two witnesses compare all their results.
 *
 * NVFIFO_MATRIX=full runs all pairs. Otherwise each failure meets one situation, in turn, so that
 * each situation meets several failures. User queues need BARs that a process can map. A kernel
 * with such BARs runs only that situation, as other kernels run the rest.
 */
#include "../rig/witness.h"

#include <sys/wait.h>

#define SEM		0x1234
#define NOWHERE		0x7f00000000ull
#define ROUNDS		8
#define GAP_MS		60000	/* far above a ladder's three waits, on a busy machine */

static struct nv nv;
static uint32_t vm;

/* --- Failures ------------------------------------------------------------------------- */

static void bad_word(struct ch *c)
{
	p_word(c, 0xffffffff);
}

static void bad_handle(struct ch *c)
{
	p_subc_mthd(c, 3, NVFIFO_MTHD_OBJECT, 0x0bad0bad);
}

static void bad_address(struct ch *c)
{
	graph_bind_m2mf(c);
	graph_m2mf_format(c, 64, 1, 64);
	graph_m2mf_launch(c, NOWHERE, NOWHERE);
}

static const struct failure {
	const char *name;
	const char *line;		/* the model is told so, or */
	void (*mistake)(struct ch *c);	/* a channel of this process does so */
} failures[] = {
	{ "TLB flush until PFIFO is reset", "inject tlb-stuck until pfifo", NULL },
	{ "TLB flush until all units are", "inject tlb-stuck until units", NULL },
	{ "BAR flush until PFIFO is reset", "inject barflush-stuck until pfifo", NULL },
	{ "BAR flush until all units are", "inject barflush-stuck until units", NULL },
	{ "playlist until PFIFO is reset", "inject playlist-stuck until pfifo", NULL },
	{ "playlist until all units are", "inject playlist-stuck until units", NULL },
	{ "freeze until PFIFO is reset", "inject freeze-stuck until pfifo", NULL },
	{ "kick until PFIFO is reset", "inject kick-stuck until pfifo", NULL },
	{ "slow flushes", "delay tlb-flush 20000", NULL },
	{ "slow playlist", "delay playlist 20000", NULL },
	{ "lost interrupts", "irq lose 3", NULL },
	{ "interrupts without a reason", "irq extra 50", NULL },
	{ "a word that is no command", NULL, bad_word },
	{ "a handle that no object has", NULL, bad_handle },
	{ "a copy from nowhere", NULL, bad_address },
};

/* --- Situations ----------------------------------------------------------------------- */

/* Freeze PFIFO for a moment, so that a failure of the freeze shows. */
static void freeze(void)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/nvfifo_freeze", debug_dir());
	need(!file_write(path, "1"), "%s", path);
}

/* Run each procedure once, so that the failure shows. */
static void idle(void)
{
	struct bo data = sys_bo(&nv, 4096);
	uint64_t va = map(&nv, vm, &data);
	struct ch c = ch_new(&nv, vm);

	check(ch_works(&c), "a new channel works");
	graph_bind_m2mf(&c);
	equal((uint32_t)ch_run(&c), 1, "and gets an object of PGRAPH");
	ch_free(&c);
	freeze();
	equal((uint32_t)vm_unmap(&nv, vm, va, data.size), 0, "memory is unmapped");
	bo_unmap(&data);
	bo_close(&nv, data.handle);
}

static void submitting(void)
{
	struct ch c = ch_new(&nv, vm);
	unsigned int i, bad = 0;

	for (i = 0; i < ROUNDS; i++) {
		p_ref(&c, i);
		bad += ch_run(&c) != 1;
		ch_rewind(&c);
	}
	equal(bad, 0, "each SUBMIT ends well");
	idle();
	ch_free(&c);
}

static void binding(void)
{
	struct bo data = sys_bo(&nv, 4096);
	struct ch c = ch_new(&nv, vm);
	unsigned int i, bad = 0;
	uint64_t va;

	for (i = 0; i < ROUNDS; i++) {
		va = map(&nv, vm, &data);
		bad += vm_unmap(&nv, vm, va, data.size) != 0;
	}
	equal(bad, 0, "each VM_BIND succeeds");
	idle();
	bo_unmap(&data);
	bo_close(&nv, data.handle);
	ch_free(&c);
}

/* One push to a user queue: a reference counter, and a word of memory that marks its end. */
static bool push(volatile uint32_t *ring, volatile uint32_t *control, struct ch *c,
		 volatile uint32_t *word, uint32_t i)
{
	const uint32_t at = i * 2;
	uint64_t va;

	p_ref(c, i);
	p_release(c, SEM, 0, i + 1);
	va = c->push_va + c->start * 4ull;
	ring[at] = (uint32_t)va;
	ring[at + 1] = (uint32_t)(va >> 32) | (c->n - c->start) << 10;
	c->start = c->n;
	__sync_synchronize();
	control[0x8c / 4] = i + 1;
	return poll_word(word, i + 1);
}

/* The owner of a user queue rings its doorbell before, during and after the failure. */
static void user_queue(void)
{
	struct drm_nvfifo_channel_create args = {
		.vm_id = vm, .flags = DRM_NVFIFO_CHANNEL_USER_QUEUE, .ring_order = 6,
	};
	struct bo ring = sys_bo(&nv, 4096), data = sys_bo(&nv, 4096);
	volatile uint32_t *control;
	unsigned int i, bad = 0;
	struct ch c;

	c = ch_new(&nv, vm);
	need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");
	args.start = map(&nv, vm, &ring);
	need(!chan_create_args(&nv, &args), "CHANNEL_CREATE with a user queue");
	c.id = args.id;
	new_object(&c, SEM, map(&nv, vm, &data), data.size);
	control = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, nv.fd,
		       (off_t)args.control_offset);
	need(control != MAP_FAILED, "mmap of the control page: %s", strerror(errno));
	for (i = 0; i < ROUNDS; i++) {
		bad += !push(ring.map, control, &c, data.map, i);
		if (i == ROUNDS / 2)
			idle();
	}
	equal(bad, 0, "each push to the user queue ends well");
	equal(control[0x48 / 4], ROUNDS - 1, "the last one has set REF");
	munmap((void *)control, 4096);
	need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");
	bo_unmap(&ring);
	bo_unmap(&data);
	bo_close(&nv, ring.handle);
	bo_close(&nv, data.handle);
}

/* A process with work under way is killed. */
static void closing(void)
{
	struct ch c;
	struct bo sem;
	struct nv own;
	uint32_t space;
	int status, up[2];
	char byte = 0;
	pid_t pid;

	need(!pipe(up), "pipe: %s", strerror(errno));
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		tap_env_set = false;
		nv_open(&own);
		space = new_vm(&own);
		c = ch_new(&own, space);
		graph_bind_m2mf(&c);
		sem = sys_bo(&own, 4096);
		new_object(&c, SEM, map(&own, space, &sem), 4096);
		p_acquire(&c, SEM, 0, 0x77777777);
		if (ch_submit(&c) || write(up[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	need(read(up[0], &byte, 1) == 1, "the process has work under way");
	kill(pid, SIGKILL);
	need(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	check(WIFSIGNALED(status), "it is gone");
	close(up[0]);
	close(up[1]);
	idle();
}

static void suspending(void)
{
	if (access("/sys/power/pm_test", W_OK)) {
		skip("sleep # SKIP no /sys/power/pm_test");
		return;
	}
	need(!file_write("/sys/power/pm_test", "platform") &&
	     !file_write("/sys/module/suspend/parameters/pm_test_delay", "0"), "set-up of pm_test");
	ctl(NVSIM_CTL_D3_LOSS, NVSIM_D3_LOST);
	equal((uint32_t)file_write("/sys/power/state", "freeze"), 0, "the system sleeps and wakes");
	ctl(NVSIM_CTL_D3_LOSS, NVSIM_D3_KEEP);
	idle();
}

/* All processes lose the card, so this situation has no witnesses. */
static void removing(void)
{
	struct ch c = ch_new(&nv, vm);

	p_ref(&c, 1);
	need(!ch_submit(&c), "SUBMIT");
	equal((uint32_t)card_bind(false), 0, "the driver is taken off the card");
	check(sync_finish(&nv, c.done) != 0, "the fence has ended");
	nv_close(&nv);
	ctl_line("clear");
	equal((uint32_t)card_bind(true), 0, "and is bound again");
	nv_open(&nv);
	vm = new_vm(&nv);
	idle();
}

static const struct situation {
	const char *name;
	void (*run)(void);
	bool alone;
} situations[] = {
	{ "idle", idle, false },
	{ "submitting", submitting, false },
	{ "binding", binding, false },
	{ "closing", closing, false },
	{ "suspending", suspending, false },
	{ "removing", removing, true },
	{ "user queue", user_queue, false },
};

/* Whether to run this situation. That of user queues is the last one. */
static bool is_wanted(unsigned int failure, unsigned int situation)
{
	const unsigned int last = ARRAY_SIZE(situations) - 1;
	const char *full = getenv("NVFIFO_MATRIX");
	bool has_queues;

	nv_open(&nv);
	has_queues = nv.dev.features & DRM_NVFIFO_FEATURE_USER_QUEUE;
	nv_close(&nv);
	if (situation == last || (has_queues && !full))
		return has_queues && situation == last;

	return full || situation == failure % last;
}

/* --- Pairs ---------------------------------------------------------------------------- */

/* The mistake ends the channel that makes it, with an error. */
static void make_mistake(const struct failure *f)
{
	struct ch c = ch_new(&nv, vm);

	f->mistake(&c);
	need(!ch_submit(&c), "SUBMIT");
	equal((uint32_t)sync_finish(&nv, c.done), (uint32_t)-ECANCELED, "the fence of a mistake");
	equal(ch_query(&c).state, DRM_NVFIFO_CHANNEL_DEAD, "ends with its channel");
	ch_free(&c);
}

static void pair(const struct failure *f, const struct situation *s)
{
	struct witness *pfifo = NULL, *m2mf = NULL;
	char name[200];

	snprintf(name, sizeof(name), "%s, %s", f->name, s->name);
	diag("%s", name);
	nv_open(&nv);
	vm = new_vm(&nv);
	if (!s->alone) {
		pfifo = witness_start(WITNESS_PFIFO);
		m2mf = witness_start(WITNESS_M2MF);
	}

	/* During a reset the model may report violations of the interrupted work. */
	violations_allow(true);
	if (f->mistake)
		make_mistake(f);
	else
		need(ctl_line("%s", f->line), "%s", f->line);
	s->run();
	ctl_line("clear");
	if (f->mistake)
		make_mistake(f);
	idle();
	violations_allow(false);

	if (!s->alone) {
		witness_stop(pfifo, GAP_MS, name);
		witness_stop(m2mf, GAP_MS, name);
	}
	nv_close(&nv);
}

static void t_matrix(void)
{
	unsigned int i, j;

	module_reload("");
	for (i = 0; i < ARRAY_SIZE(failures); i++)
		for (j = 0; j < ARRAY_SIZE(situations); j++)
			if (is_wanted(i, j))
				pair(&failures[i], &situations[j]);
}

static const struct test tests[] = {
	TEST_ONCE(t_matrix),
};

int main(int argc, char **argv)
{
	if (!ctl_present()) {
		printf("1..0 # SKIP no model\n");
		return 0;
	}
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
