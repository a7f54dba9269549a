// SPDX-License-Identifier: MIT
/*
 * What one attacker leaves to a witness. Each row is a hostile process that does one thing for
 * ever, and starts again with a new channel when the driver has ended its channel. Two
 * channels that both want to run have half of the card each; a witness must keep 40 % of this
 * half, and its longest round has a limit. A witness has one round under way at a time, so
 * beside a channel that uses its whole timeslice it gets one round for each timeslice: these rows
 * have a share of their own.
 *
 *	FUZZ_SECONDS=n	for each row (default 4)
 *	FUZZ_ROW=text	only rows with this in their name
 */
#include "fuzz.h"

#include <sys/prctl.h>

#define GAP_MS		3000
#define BODY		400	/* repetitions in an endless buffer */
#define SUBC_M2MF	5

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
 * A linear buffer whose body is repeated for ever. Its one SUBMIT has its fence released
 * first, so that no job waits and no time-out counts.
 */
static void endless(uint32_t mthd, uint32_t data)
{
	struct nv nv;
	struct lin l;
	uint64_t start;
	uint32_t i;

	nv_open(&nv);
	l = lin_order(&nv, new_vm(&nv), 0, 64 * KIB);
	l_fence(&l);
	start = lin_at(&l);
	for (i = 0; i < BODY; i++)
		l_mthd(&l, mthd, data);
	l_word(&l, JUMP(start));
	need(!lin_submit(&l), "SUBMIT");
	leave(&nv, l.id);
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

static void a_references(void)
{
	endless(NVFIFO_MTHD_REF_CNT, 1);
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

static void a_buffer_notify(void)
{
	struct nv nv;
	struct ch c;
	struct bo page;
	uint64_t va;
	uint32_t i;

	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	page = sys_bo(&nv, 4 * KIB);
	va = map(&nv, c.vm, &page);
	graph_bind_m2mf(&c);
	graph_m2mf_format(&c, 64, 1, 64);
	graph_m2mf_launch(&c, va, va + 64);
	for (i = 0; i < 3000; i++)
		p_subc_mthd(&c, SUBC_M2MF, 0x328, 1);	/* BUF_NOTIFY with an interrupt */
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

static const struct row {
	const char *name;
	void (*attack)(void);
	enum witness_kind kind;
	bool g84;			/* needs methods of G84 and later */
	unsigned int percent;		/* of the rounds alone */
} rows[] = {
	{ "software objects in DMA mode", a_sw_objects, WITNESS_PFIFO, false, 20 },
	{ "software objects in IB mode", a_sw_objects_ib, WITNESS_PFIFO, false, 20 },
	{ "NOTIFY_INTR", a_notify, WITNESS_PFIFO, true, 20 },
	{ "yields", a_yields, WITNESS_PFIFO, false, 20 },
	{ "references", a_references, WITNESS_PFIFO, false, 20 },
	{ "a jump to itself", a_jump, WITNESS_PFIFO, false, 3 },
	{ "interrupts of M2MF", a_buffer_notify, WITNESS_M2MF, false, 20 },
	{ "DATA_ERRORs", a_data_errors, WITNESS_M2MF, false, 20 },
	{ "faults of M2MF", a_m2mf_faults, WITNESS_M2MF, false, 20 },
	{ "words that are no commands", a_bad_words, WITNESS_PFIFO, false, 20 },
	{ "channels", a_channels, WITNESS_PFIFO, false, 20 },
	{ "objects", a_objects, WITNESS_PFIFO, false, 20 },
	{ "mappings", a_binds, WITNESS_M2MF, false, 20 },
	{ "long copies", a_long_copy, WITNESS_PFIFO, false, 20 },
	{ "long copies beside mappings", a_long_copy_and_binds, WITNESS_PFIFO, false, 10 },
};

static void attacker_main(const struct row *r)
{
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(0);
	become_nobody();
	while (!sh->stop) {
		if (!setjmp(tap_env)) {
			tap_env_set = true;
			r->attack();
		} else {
			msleep(20);
		}
		sh->lives++;
		files_close();
	}
	_exit(0);
}

/* Rounds of the witness per second, measured for @seconds. */
static double rate(struct witness *w, uint32_t seconds)
{
	uint32_t rounds = w->rounds;
	int64_t start = now_ns();

	msleep(seconds * 1000);
	return (w->rounds - rounds) * 1e9 / (double)(now_ns() - start);
}

static void run_row(const struct row *r, uint32_t seconds)
{
	struct witness *w;
	double alone, beside;
	pid_t pid;

	sh->stop = false;
	sh->lives = 0;
	w = witness_start(r->kind);
	alone = rate(w, 2);
	witness_new_phase(w);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		attacker_main(r);
	beside = rate(w, seconds);

	check(beside >= alone * r->percent / 100, "%s: the witness keeps %u %% of its rounds", r->name,
	      r->percent);
	diag("%.0f rounds a second alone, %.0f beside it: %.0f %%; the attacker began anew %u times",
	     alone, beside, alone > 0 ? beside * 100 / alone : 0, sh->lives);
	sh->stop = true;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	witness_stop(w, GAP_MS, r->name);
}

static void allow_all(void)
{
	char path[64];
	int i;

	for (i = 128; i < 192; i++) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		chmod(path, 0666);
	}
}

static void t_rows(void)
{
	uint32_t seconds = (uint32_t)env_number("FUZZ_SECONDS", 4);
	const char *only = getenv("FUZZ_ROW");
	struct nv nv;
	bool g84;
	size_t i;

	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(sh != MAP_FAILED, "mmap: %s", strerror(errno));
	nv_open(&nv);
	g84 = nv.g84;
	nv_close(&nv);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].g84 && !g84)
			continue;
		if (only && *only && !strstr(rows[i].name, only))
			continue;
		/* The watchdog of the program is for one row. */
		alarm(120);
		module_reload("");
		allow_all();
		run_row(&rows[i], seconds);
	}
}

static const struct test tests[] = { TEST(t_rows) };

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
