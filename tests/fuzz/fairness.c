// SPDX-License-Identifier: MIT
/*
 * Fairness: the share of the card that a witness keeps beside one attacker. Each row is a hostile
 * process that does one thing for ever. After a ban of its channel it starts again with a new one.
 *
 * The reference is the witness's rate beside an honest neighbour. This is a process with one
 * channel that always has work, of the witness's kind: for PFIFO or for PGRAPH. The witness has one
 * round in flight at a time, and PFIFO gives it one turn for each of the neighbour's. Beside an
 * attacker it must keep 40 % of this rate, and its longest round has a limit. Both rates are
 * measured in turn, and in pulses (witness.h), so that other load of the host counts for both. A
 * row has several tries: the load may change between the two, but not each time.
 *
 *	FUZZ_SECONDS=n	for each row, half of it beside the attacker (default 8); longer where the
 *			witness gets few rounds
 *	FUZZ_ROW=text	only rows with this in their name
 */
#include "fuzz.h"

#include <sys/prctl.h>

#define GAP_MS		8000	/* an innocent channel dies after 10 s */
#define PERCENT		40
#define PHASES		2	/* of the neighbour and of the attacker each */
#define TRIES		4	/* of a row */
#define SETTLE_MS	200
#define ROUNDS		20	/* of the witness at least, in each phase */
#define PHASE_MAX_MS	60000	/* unless it gets so few */
#define BODY		400	/* repetitions in an endless buffer */
#define SUBC_M2MF	5
#define CONTROL_DMA_PUT	(0x40 / 4)	/* word of the control page */

struct shared {
	volatile bool stop;
	volatile uint32_t lives;
};

static struct shared *sh;

static bool alive(struct nv *nv, uint32_t id)
{
	struct drm_nvfifo_channel_query q;

	return !chan_query(nv, id, &q) && q.state == DRM_NVFIFO_CHANNEL_ALIVE;
}

/* Let the channel run until the driver ends it or the test is over. */
static void leave(struct nv *nv, uint32_t id)
{
	while (!sh->stop && alive(nv, id))
		msleep(10);
}

/*
 * A linear buffer whose body is repeated for ever. Its one SUBMIT has its fence released first, so
 * that no job waits. Return: the channel.
 */
static uint32_t loop_start(struct nv *nv, uint32_t mthd, uint32_t data)
{
	struct lin l;
	uint64_t start;
	uint32_t i;

	nv_open(nv);
	l = lin_order(nv, new_vm(nv), 0, 64 * KIB);
	l_fence(&l);
	start = lin_at(&l);

	for (i = 0; i < BODY; i++)
		l_mthd(&l, mthd, data);
	l_word(&l, JUMP(start));
	need(!lin_submit(&l), "SUBMIT");

	return l.id;
}

static void endless(uint32_t mthd, uint32_t data)
{
	struct nv nv;
	uint32_t id = loop_start(&nv, mthd, data);

	leave(&nv, id);
}

static void a_sw_objects(void)
{
	endless(NVFIFO_MTHD_OBJECT, SW_HANDLE);
}

static void a_notify(void)
{
	endless(NVFIFO_MTHD_NOTIFY_INTR, 0);
}

static void a_yields(void)
{
	endless(NVFIFO_MTHD_YIELD, 0);
}

static void a_jump(void)
{
	struct nv nv;
	struct lin l;

	nv_open(&nv);
	l = lin_order(&nv, new_vm(&nv), 0, 4 * KIB);
	l_fence(&l);
	l_word(&l, JUMP(lin_at(&l)));
	need(!lin_submit(&l), "SUBMIT");
	leave(&nv, l.id);
}

/* --- User queues: no call of the attacker passes the driver ---------------------------- */

/* A channel with a user queue in DMA mode, whose words are to follow in its buffer. */
static struct lin queue_new(struct nv *nv, volatile uint32_t **control)
{
	struct drm_nvfifo_channel_create c = {
		.flags = DRM_NVFIFO_CHANNEL_USER_QUEUE | DRM_NVFIFO_CHANNEL_DMA_MODE,
	};
	struct lin l = { .nv = nv };

	nv_open(nv);
	l.vm = new_vm(nv);
	l.buf = sys_bo(nv, 64 * KIB);
	l.va = map(nv, l.vm, &l.buf);
	c.vm_id = l.vm;
	c.start = l.va;
	need(!chan_create_args(nv, &c), "CHANNEL_CREATE with a user queue");
	l.id = c.id;
	*control = mmap(NULL, 4 * KIB, PROT_READ | PROT_WRITE, MAP_SHARED, nv->fd,
			(off_t)c.control_offset);
	need(*control != MAP_FAILED, "mmap of the control page: %s", strerror(errno));

	return l;
}

static void queue_bell(volatile uint32_t *control, uint64_t put)
{
	__sync_synchronize();
	control[CONTROL_DMA_PUT] = (uint32_t)put;
}

/* The loop of loop_start(), without any SUBMIT. */
static void queue_endless(uint32_t mthd, uint32_t data)
{
	volatile uint32_t *control;
	struct nv nv;
	struct lin l = queue_new(&nv, &control);
	uint32_t i;

	for (i = 0; i < BODY; i++)
		l_mthd(&l, mthd, data);
	l_word(&l, JUMP(l.va));
	queue_bell(control, lin_at(&l));
	leave(&nv, l.id);
	munmap((void *)control, 4 * KIB);
}

static void a_queue_loop(void)
{
	queue_endless(NVFIFO_MTHD_REF_CNT, 1);
}

static void a_queue_yields(void)
{
	queue_endless(NVFIFO_MTHD_YIELD, 0);
}

static void a_queue_notify(void)
{
	queue_endless(NVFIFO_MTHD_NOTIFY_INTR, 0);
}

static void a_queue_sw_objects(void)
{
	queue_endless(NVFIFO_MTHD_OBJECT, SW_HANDLE);
}

/* The doorbell again and again, each time with one more or one less method to execute. */
static void a_queue_bells(void)
{
	volatile uint32_t *control;
	struct nv nv;
	struct lin l = queue_new(&nv, &control);
	uint32_t i;

	l_mthd(&l, NVFIFO_MTHD_REF_CNT, 1);
	l_word(&l, JUMP(l.va));

	while (!sh->stop && alive(&nv, l.id)) {
		for (i = 0; i < 1000; i++)
			queue_bell(control, lin_at(&l) - 4 * (i % 2));
	}

	munmap((void *)control, 4 * KIB);
}

/* --- Many channels, and calls ---------------------------------------------------------- */

/* As many files of one user, each with a channel that uses each timeslice to its end. */
#define HOGS		8

static void a_many_files(void)
{
	struct nv nv[HOGS];
	uint32_t id[HOGS], i;

	for (i = 0; i < HOGS; i++)
		id[i] = loop_start(&nv[i], NVFIFO_MTHD_REF_CNT, 1);
	for (i = 0; i < HOGS; i++)
		leave(&nv[i], id[i]);
}

/* One SUBMIT after the other in IB mode, as long as the channel lives. */
static void repeat(struct nv *nv, struct ch *c, uint32_t pause_ms)
{
	struct drm_nvfifo_entry e = ch_entry(c);

	while (!sh->stop && !submit_raw(nv, c->id, &e, 1, NULL, 0, NULL))
		if (pause_ms)
			msleep(pause_ms);
	leave(nv, c->id);
}

static void a_sw_objects_ib(void)
{
	struct nv nv;
	struct ch c;
	uint32_t i;

	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));

	for (i = 0; i < 4000; i++)
		p_mthd(&c, NVFIFO_MTHD_OBJECT, SW_HANDLE);
	repeat(&nv, &c, 0);
}

/* Each method BUF_NOTIFY starts a copy; with 1 it writes a notifier and raises an interrupt. */
static struct ch small_copies(struct nv *nv, uint32_t notify)
{
	struct ch c;
	struct bo page;
	uint64_t va;
	uint32_t i;

	nv_open(nv);
	c = ch_new(nv, new_vm(nv));
	page = sys_bo(nv, 4 * KIB);
	va = map(nv, c.vm, &page);
	graph_bind_m2mf(&c);
	graph_m2mf_format(&c, 64, 1, 64);
	graph_m2mf_launch(&c, va, va + 64);

	for (i = 0; i < 3000; i++)
		p_subc_mthd(&c, SUBC_M2MF, 0x328, notify);

	return c;
}

static void a_buffer_notify(void)
{
	struct nv nv;
	struct ch c = small_copies(&nv, 1);

	repeat(&nv, &c, 0);
}

static void a_data_errors(void)
{
	struct nv nv;
	struct ch c;
	uint32_t i;

	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	graph_bind_m2mf(&c);

	for (i = 0; i < 4000; i++)
		p_subc_mthd(&c, SUBC_M2MF, 0x104, 7);	/* NOTIFY takes 0 and 1 */
	repeat(&nv, &c, 0);
}

static void a_m2mf_faults(void)
{
	struct nv nv;
	struct ch c;
	uint32_t i;

	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	graph_bind_m2mf(&c);
	graph_m2mf_format(&c, 64, 1, 64);

	for (i = 0; i < 50; i++)
		graph_m2mf_launch(&c, 0x7f00000000, 0x7f10000000);
	repeat(&nv, &c, 0);
}

static void a_bad_words(void)
{
	struct nv nv;
	struct ch c;

	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	p_word(&c, 0xffffffff);
	repeat(&nv, &c, 0);
}

static void a_channels(void)
{
	struct nv nv;
	uint32_t vm, id;

	nv_open(&nv);
	vm = new_vm(&nv);
	while (!sh->stop && !chan_create(&nv, vm, 0, &id))
		chan_destroy(&nv, id);
}

/* More objects than a channel has places for, while it is busy in PGRAPH. */
static void a_objects(void)
{
	struct nv nv;
	struct ch c;
	uint32_t i;

	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));

	for (i = 0; !sh->stop; i++) {
		if (object_dma(&nv, c.id, 0x1000, i * 4096ull % GIB, 4096 + i % 7 * 4096))
			break;
		object_destroy(&nv, c.id, 0x1000);
		if (i % 64 == 0) {
			ch_rewind(&c);
			p_mthd(&c, NVFIFO_MTHD_YIELD, 0);
			ch_submit(&c);
		}
	}
}

static void a_binds(void)
{
	struct nv nv;
	struct bo bo;
	struct ch c;
	uint64_t va;

	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	graph_bind_m2mf(&c);
	need(ch_run(&c) == 1, "M2MF");
	bo = sys_bo(&nv, 64 * KIB);
	va = va_alloc(&nv, bo.size);

	while (!sh->stop && !vm_map_at(&nv, c.vm, &bo, va, 0, 0))
		vm_unmap(&nv, c.vm, va, bo.size);
}

/* 2 GiB a SUBMIT: about a second on the model. */
static void a_long_copy(void)
{
	struct nv nv;
	struct bo bo;
	struct ch c;
	uint64_t va;

	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	bo = sys_bo(&nv, 4 * MIB);
	va = map(&nv, c.vm, &bo);
	graph_bind_m2mf(&c);
	graph_m2mf_format(&c, 1 * MIB, 2047, 0);
	graph_m2mf_launch(&c, va, va + 2 * MIB);
	repeat(&nv, &c, 1000);
}

/* The same beside a process of the attacker whose calls wait for PGRAPH to be idle. */
static void a_long_copy_and_binds(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			if (!setjmp(tap_env))
				a_binds();
			files_close();
		}
	}

	a_long_copy();
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* --- Honest neighbours --- */

/* The card always has one job of the channel under way and one to follow, and few calls are made. */
static void keep_busy(struct nv *nv, struct ch *c)
{
	struct drm_nvfifo_channel_wait w = {
		.channel_id = c->id, .flags = DRM_NVFIFO_WAIT_SUBMIT, .timeout_ns = INT64_MAX,
	};
	struct drm_nvfifo_entry e[4];
	uint64_t seqno = 0;
	uint32_t i;

	e[0] = ch_entry(c);

	for (i = 1; i < ARRAY_SIZE(e); i++)
		e[i] = e[0];
	for (;;) {
		need(!submit_raw(nv, c->id, e, ARRAY_SIZE(e), NULL, 0, &seqno), "SUBMIT");
		w.value = (uint32_t)seqno - 1;
		need(!nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w), "CHANNEL_WAIT");
	}
}

/* A loop, which uses each timeslice to its end and needs no calls. */
static void n_pfifo(void)
{
	endless(NVFIFO_MTHD_REF_CNT, 1);
}

static void n_m2mf(void)
{
	struct nv nv;
	struct ch c = small_copies(&nv, 0);

	keep_busy(&nv, &c);
}

/* --- The run --- */

enum need {
	ANY,
	G84 = 1,	/* methods of G84 and later */
	QUEUE = 2,	/* control pages that can be mapped: QEMU, or a real card */
};

static const struct row {
	const char *name;
	void (*attack)(void);
	enum witness_kind kind;
	unsigned int need;		/* enum need */
	unsigned int channels;		/* channels that share the card with the witness */
	unsigned int percent;		/* of its share that the witness keeps */
} rows[] = {
	{ "software objects in DMA mode", a_sw_objects, WITNESS_PFIFO, ANY, 1, PERCENT },
	{ "software objects in IB mode", a_sw_objects_ib, WITNESS_PFIFO, ANY, 1, PERCENT },
	{ "NOTIFY_INTR", a_notify, WITNESS_PFIFO, G84, 1, PERCENT },
	{ "yields", a_yields, WITNESS_PFIFO, ANY, 1, PERCENT },
	/* The model counts a timeslice in steps, and each step of this one is a fetch. */
	{ "a jump to itself", a_jump, WITNESS_PFIFO, ANY, 1, 10 },
	{ "eight files of one user", a_many_files, WITNESS_PFIFO, ANY, HOGS, PERCENT },
	{ "interrupts of M2MF", a_buffer_notify, WITNESS_M2MF, ANY, 1, PERCENT },
	{ "DATA_ERRORs", a_data_errors, WITNESS_M2MF, ANY, 1, PERCENT },
	{ "faults of M2MF", a_m2mf_faults, WITNESS_M2MF, ANY, 1, PERCENT },
	{ "words that are no commands", a_bad_words, WITNESS_PFIFO, ANY, 1, PERCENT },
	{ "channels", a_channels, WITNESS_PFIFO, ANY, 1, PERCENT },
	{ "objects", a_objects, WITNESS_PFIFO, ANY, 1, PERCENT },
	{ "mappings", a_binds, WITNESS_M2MF, ANY, 1, PERCENT },
	{ "long copies", a_long_copy, WITNESS_PFIFO, ANY, 1, PERCENT },
	{ "user queue: a loop", a_queue_loop, WITNESS_PFIFO, QUEUE, 1, PERCENT },
	{ "user queue: yields", a_queue_yields, WITNESS_PFIFO, QUEUE, 1, PERCENT },
	{ "user queue: NOTIFY_INTR", a_queue_notify, WITNESS_PFIFO, G84 | QUEUE, 1, PERCENT },
	/* An emulator takes milliseconds for each of the 64 that are free in a second. */
	{ "user queue: software objects", a_queue_sw_objects, WITNESS_PFIFO, QUEUE, 1, 10 },
	{ "user queue: doorbells", a_queue_bells, WITNESS_PFIFO, QUEUE, 1, PERCENT },
	{ "long copies beside mappings", a_long_copy_and_binds, WITNESS_PFIFO, ANY, 1, PERCENT },
};

/* The attacker's process; also that of the neighbour, which nothing ends. */
static void process_main(void (*act)(void))
{
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(0);
	become_nobody();

	while (!sh->stop) {
		if (!setjmp(tap_env)) {
			tap_env_set = true;
			act();
		} else {
			msleep(20);
		}
		sh->lives++;
		files_close();
	}

	_exit(0);
}

/* Rounds of the witness per thousand pulses beside a process that does @act, for @ms or longer. */
static double rate_beside(struct witness *w, void (*act)(void), uint32_t ms)
{
	uint32_t rounds, pulses;
	int64_t start;
	double rate;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		process_main(act);
	msleep(SETTLE_MS);
	rounds = w->rounds;
	pulses = w->pulses;
	start = now_ns();

	while (ms_since(start) < ms ||
	       (w->rounds - rounds < ROUNDS && ms_since(start) < PHASE_MAX_MS))
		msleep(10);
	rate = (w->rounds - rounds) * 1e3 / (double)(w->pulses - pulses + 1);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);

	return rate;
}

/* Return: whether the witness keeps its share in this try. */
static bool keeps_share(struct witness *w, const struct row *r, uint32_t seconds)
{
	void (*neighbour)(void) = r->kind == WITNESS_PFIFO ? n_pfifo : n_m2mf;
	uint32_t ms = seconds * 1000 / (2 * PHASES), lives = 0, i;
	double share = 0, beside = 0;

	for (i = 0; i < PHASES; i++) {
		share += rate_beside(w, neighbour, ms) / PHASES;
		sh->lives = 0;
		beside += rate_beside(w, r->attack, ms) / PHASES;
		lives += sh->lives;
	}

	/* PFIFO gives each of them a turn, as it does the neighbour. */
	share /= r->channels;
	diag("%.0f rounds in 1000 pulses beside as many honest neighbours, %.0f beside the attacker: %.0f %%; the attacker began anew %u times",
	     share, beside, share > 0 ? beside * 100 / share : 0, lives);

	return beside >= share * r->percent / 100;
}

static void run_row(const struct row *r, uint32_t seconds)
{
	struct witness *w;
	uint32_t tries;
	bool keeps = false;

	sh->stop = false;
	w = witness_start(r->kind);
	for (tries = 0; tries < TRIES && !keeps; tries++)
		keeps = keeps_share(w, r, seconds);

	check(keeps, "%s: the witness keeps %u %% of its share", r->name, r->percent);
	witness_stop(w, GAP_MS, r->name);
}

static void t_rows(void)
{
	uint32_t seconds = (uint32_t)env_number("FUZZ_SECONDS", 8);
	const char *only = getenv("FUZZ_ROW");
	unsigned int has = ANY;
	struct nv nv;
	size_t i;

	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(sh != MAP_FAILED, "mmap: %s", strerror(errno));
	nv_open(&nv);
	if (nv.g84)
		has |= G84;
	if (nv.dev.features & DRM_NVFIFO_FEATURE_USER_QUEUE)
		has |= QUEUE;
	nv_close(&nv);

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].need & ~has)
			continue;
		if (only && *only && !strstr(rows[i].name, only))
			continue;
		/* The watchdog of the program is for one row. */
		alarm(TRIES * 2 * PHASES * PHASE_MAX_MS / 1000 + TEST_S);
		module_reload("");
		node_for_all();
		run_row(&rows[i], seconds);
	}
}

static const struct test tests[] = { TEST(t_rows) };

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
