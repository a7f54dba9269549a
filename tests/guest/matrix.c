// SPDX-License-Identifier: MIT
/*
 * Failures and situations in pairs: each failure of one table happens in each situation of another.
 * Two witnesses compare all their results. All injections of the model are in the table of
 * failures, or in that of failures that no reset ends.
 *
 * NVFIFO_MATRIX=full runs all pairs, NVFIFO_MATRIX=TEXT those of failures with this text in their
 * name. Otherwise each failure meets one situation, in turn, so that each situation meets several
 * failures. User queues need BARs that a process can map. A kernel
 * with such BARs runs only that situation, as other kernels run the rest.
 *
 * Guards blame, for pairs of failure and situation (threat-model.rst), on one chip.
 */
#include "../rig/witness.h"

#include <sys/wait.h>

#define SEM		0x1234
#define NOWHERE		0x7f00000000ull
#define ROUNDS		8
#define GAP_MS		60000	/* far above a ladder's three waits, on a busy machine */
#define HANG_LIMIT_MS	1000
#define OWN_VA		0x4000000000ull
#define PAIR_S		TEST_S

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
	graph_m2mf_launch(c, NOWHERE, NOWHERE);
}

/* The words are right, and arrive as others. */
static void flipped_words(struct ch *c)
{
	p_ref(c, 1);
	need(ctl_line("flip ffffffff at %llx", (unsigned long long)c->push_va), "flip");
}

static void unread_words(struct ch *c)
{
	p_ref(c, 1);
	need(ctl_line("vm-fault 5 %llx", (unsigned long long)c->push_va), "vm-fault");
}

/* The pages are mapped, and the card does not reach them. */
static void unread_copy(struct ch *c)
{
	struct bo from = sys_bo(&nv, 4096);
	uint64_t va = map(&nv, vm, &from);

	graph_m2mf_launch(c, va, va + 1024);
	need(ctl_line("vm-fault 0 %llx", (unsigned long long)va), "vm-fault");
}

static void nop(struct ch *c)
{
	p_subc_mthd(c, 5, 0x100, 0);
}

static void hang(struct ch *c)
{
	nop(c);
	need(ctl_line("pgraph hang"), "pgraph hang");
}

static void busy(struct ch *c)
{
	nop(c);
	need(ctl_line("inject pgraph-busy until pgraph"), "pgraph-busy");
}

static void stuck_command(struct ch *c)
{
	nop(c);
	need(ctl_line("pgraph dispatch"), "pgraph dispatch");
}

static void single_step(struct ch *c)
{
	nop(c);
	need(ctl_line("pgraph step"), "pgraph step");
}

static void stopped_mp(struct ch *c)
{
	nop(c);
	need(ctl_line("pgraph mp 10 1234 5 10008001 e0800780"), "pgraph mp");
}

/* An access of a compute program, of which PROP has no name */
static void stopped_prop(struct ch *c)
{
	nop(c);
	need(ctl_line("pgraph prop 0 80 20239300 0"), "pgraph prop");
}

/*
 * A failure is a line for the model, or a mistake: a channel of this process suffers it, and ends.
 * If @graph, the channel is in PGRAPH's registers when it does so. If @next, the next method of any
 * channel suffers the failure, so the witness rests until the mistake has ended.
 */
static const struct failure {
	const char *name;
	const char *line;
	void (*mistake)(struct ch *c);
	bool graph;
	bool next;
} failures[] = {
	{ "TLB flush until PFIFO is reset", .line = "inject tlb-stuck until pfifo" },
	{ "TLB flush until all units are", .line = "inject tlb-stuck until units" },
	{ "BAR flush until PFIFO is reset", .line = "inject barflush-stuck until pfifo" },
	{ "BAR flush until all units are", .line = "inject barflush-stuck until units" },
	{ "playlist until PFIFO is reset", .line = "inject playlist-stuck until pfifo" },
	{ "playlist until all units are", .line = "inject playlist-stuck until units" },
	{ "freeze until PFIFO is reset", .line = "inject freeze-stuck until pfifo" },
	{ "kick until PFIFO is reset", .line = "inject kick-stuck until pfifo" },
	{ "slow flushes", .line = "delay tlb-flush 20000" },
	{ "slow playlist", .line = "delay playlist 20000" },
	{ "lost interrupts", .line = "irq lose 3" },
	{ "interrupts without a reason", .line = "irq extra 50" },
	{ "a word that is not a command", .mistake = bad_word },
	{ "a handle that no object has", .mistake = bad_handle },
	{ "a copy from nowhere", .mistake = bad_address, .graph = true },
	{ "slow BAR flushes", .line = "delay bar-flush 20000" },
	{ "slow kicks", .line = "delay kick 20000" },
	{ "freeze until all units are reset", .line = "inject freeze-stuck until units" },
	{ "no interrupts for a time", .line = "inject no-irq for 1500000" },
	{ "an interrupt status of none", .line = "force 100 0 count 3" },
	{ "an interrupt status of all ones", .line = "force 100 ffffffff count 2" },
	{ "a storm of PBUS", .line = "irq storm pbus 8" },
	{ "a storm of PFIFO", .line = "irq storm pfifo 20000" },
	{ "a storm of PGRAPH", .line = "irq storm pgraph 80000000" },
	{ "a storm of an unused unit", .line = "irq storm unit 4000000" },
	{ "words whose bits flip", .mistake = flipped_words },
	{ "words that cannot be fetched", .mistake = unread_words },
	{ "a copy whose page faults", .mistake = unread_copy, .graph = true },
	{ "a PGRAPH that hangs", .mistake = hang, .graph = true },
	{ "a PGRAPH that is busy until its reset", .mistake = busy, .graph = true },
	{ "a command that DISPATCH keeps", .mistake = stuck_command, .graph = true,
	  .next = true },
	{ "a single step", .mistake = single_step, .graph = true },
	{ "a multiprocessor that stops", .mistake = stopped_mp, .graph = true },
	{ "a PROP that stops", .mistake = stopped_prop, .graph = true },
	{ "a fault that no channel has had", .line = "vm-record 0 b 9 2 20225800 write" },
	{ "slow register reads", .line = "delay register-read 100" },
	{ "slow register writes", .line = "delay register-write 2000" },
	{ "slow memory", .line = "delay memory 100" },
	{ "slow methods", .line = "delay method 100" },
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
	/* If the card is lost, the process ends before it writes. */
	close(up[1]);
	need(read(up[0], &byte, 1) == 1, "the process has work under way");
	kill(pid, SIGKILL);
	need(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	check(WIFSIGNALED(status), "it is gone");
	close(up[0]);
	idle();
}

static void suspending(void)
{
	if (!pm_test_begin("platform", "sleep"))
		return;

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
	nv.va = OWN_VA;
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

/* Whether to run this pair. The situation of user queues is the last one. */
static bool is_wanted(const char *name, unsigned int failure, unsigned int situation)
{
	const unsigned int last = ARRAY_SIZE(situations) - 1;
	const char *full = getenv("NVFIFO_MATRIX");
	bool has_queues;

	if (full && strcmp(full, "full") && !strstr(name, full))
		return false;

	nv_open(&nv);
	has_queues = nv.dev.features & DRM_NVFIFO_FEATURE_USER_QUEUE;
	nv_close(&nv);
	if (situation == last || (has_queues && !full))
		return has_queues && situation == last;

	return full || situation == failure % last;
}

/* --- Pairs ---------------------------------------------------------------------------- */

/* The channel of a mistake, and the fence of its work; -1 if the channel had ended before. */
struct culprit {
	struct ch ch;
	int fence;
};

static struct culprit mistake_begin(const struct failure *f, struct witness *m2mf)
{
	struct drm_nvfifo_channel_create args = { .vm_id = vm, .hang_limit_ms = HANG_LIMIT_MS };
	struct culprit culprit = { .ch = ch_new(&nv, vm), .fence = -1 };
	int ret;

	need(!chan_destroy(&nv, culprit.ch.id), "CHANNEL_DESTROY");
	need(!chan_create_args(&nv, &args), "CHANNEL_CREATE with a limit");
	culprit.ch.id = args.id;

	/* Otherwise the failure may hit the witness. */
	if (f->graph) {
		graph_bind_m2mf(&culprit.ch);
		graph_m2mf_format(&culprit.ch, 64, 1, 64);
		if (m2mf)
			witness_rest(m2mf);
		need(ch_run(&culprit.ch) == 1, "a channel in PGRAPH");
	}

	f->mistake(&culprit.ch);
	ret = ch_submit(&culprit.ch);
	if (ret == -ECANCELED)
		return culprit;

	need(!ret, "SUBMIT: %s", strerror(-ret));
	culprit.fence = sync_export(&nv, culprit.ch.done);
	need(culprit.fence >= 0, "export of a sync file");
	return culprit;
}

/* The mistake has ended the channel that makes it, with an error. */
static void mistake_end(struct culprit *culprit, bool is_file_open)
{
	if (culprit->fence >= 0) {
		check(sync_file_finish(culprit->fence) < 0, "the fence of a mistake");
		close(culprit->fence);
	}
	if (!is_file_open)
		return;

	equal(ch_query(&culprit->ch).state, DRM_NVFIFO_CHANNEL_DEAD, "the channel of a mistake ends");
	ch_free(&culprit->ch);
}

static void world(void)
{
	nv_open(&nv);
	vm = new_vm(&nv);

	/* No address of a witness is that of a failure. */
	nv.va = OWN_VA;
}

static void pair(const struct failure *f, const struct situation *s)
{
	struct witness *pfifo = NULL, *m2mf = NULL;
	struct culprit culprit = { .fence = -1 };
	char name[200];

	alarm(PAIR_S);
	snprintf(name, sizeof(name), "%s, %s", f->name, s->name);
	diag("%s", name);
	world();
	if (!s->alone) {
		pfifo = witness_start(WITNESS_PFIFO);
		m2mf = witness_start(WITNESS_M2MF);
	}

	/* During a reset the model may report violations of the interrupted work. */
	violations_allow(true);
	if (f->mistake)
		culprit = mistake_begin(f, m2mf);
	else
		need(ctl_line("%s", f->line), "%s", f->line);
	if (f->next && culprit.fence >= 0)
		sync_file_finish(culprit.fence);
	if (f->graph && m2mf)
		witness_go(m2mf);
	s->run();
	if (f->mistake)
		mistake_end(&culprit, !s->alone);
	need(ctl_line("clear"), "clear");
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

	module_reload("job_timeout_ms=10000");
	for (i = 0; i < ARRAY_SIZE(failures); i++)
		for (j = 0; j < ARRAY_SIZE(situations); j++)
			if (is_wanted(failures[i].name, i, j))
				pair(&failures[i], &situations[j]);
}

/* --- Failures that no reset ends ------------------------------------------------------ */

static const char *const ends[] = { "inject lost", "flush-stuck 5" };

/* A process that repeats a situation, until a call fails. */
static pid_t victim(const struct situation *s)
{
	int null, up[2];
	char byte = 0;
	pid_t pid;

	need(!pipe(up), "pipe: %s", strerror(errno));
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		dup2(null, STDOUT_FILENO);
		tap_env_set = false;
		world();
		if (write(up[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			s->run();
	}
	close(up[1]);
	need(read(up[0], &byte, 1) == 1, "the process has begun");
	close(up[0]);
	return pid;
}

/* Whether the process ends by itself: no call may wait for such a card for ever. */
static bool ends_alone(pid_t pid)
{
	int64_t start = now_ns();

	do {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return true;
	} while (may_come(start));

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return false;
}

/* All processes lose the card. Each of their calls ends, and the card works after a new bind. */
static void last_pair(const char *line, const struct situation *s)
{
	pid_t pid;

	/* Before the process begins: it may steer the model at the same time. */
	violations_allow(true);
	pid = victim(s);
	alarm(PAIR_S);
	need(ctl_line("%s", line), "%s", line);
	check(ends_alone(pid), "%s, %s: each call of the process ends", line, s->name);
	need(ctl_line("clear"), "clear");
	equal((uint32_t)card_bind(false), 0, "the driver is taken off the card");
	equal((uint32_t)card_bind(true), 0, "and is bound again");
	violations_allow(false);
	world();
	idle();
	nv_close(&nv);
}

/* The situation of removals clears the failure. The suites gone and inject have such removals. */
static void t_last(void)
{
	unsigned int i, j;

	module_reload("");
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		for (j = 0; j < ARRAY_SIZE(situations); j++)
			if (!situations[j].alone && is_wanted(ends[i], i, j))
				last_pair(ends[i], &situations[j]);
}

static const struct test tests[] = {
	TEST_ONCE(t_matrix),
	TEST_ONCE(t_last),
};

int main(int argc, char **argv)
{
	if (!ctl_present()) {
		printf("1..0 # SKIP no model\n");
		return 0;
	}
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
