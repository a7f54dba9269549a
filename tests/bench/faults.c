// SPDX-License-Identifier: MIT
/*
 * Benchmark of errors: their cost for the channel at fault and for other processes.
 *
 *	bench_faults [rounds]		default 25
 *	bench_faults --count [rounds]	the rounds of 4 only
 *	bench_faults --beside		the witnesses of 2 only
 *
 * 1. Time from SUBMIT to the fence's error, to a dead channel in CHANNEL_QUERY, and to the event.
 *    The program polls the three in turn, so each time includes at most one poll of the others.
 * 2. Rounds of a witness in another process in a second's pulses (../rig/witness.h), in turns:
 *    alone, and beside a process of an ordinary user that faults in a loop. On the model also the
 *    witness's share of all accesses to registers, which the machine's load does not change: as
 *    many as its rounds take when it is alone. For comparison also beside one that does the same
 *    without the mistake, and beside one that only takes processor time.
 * 3. Duration of each reset, as measured by the driver.
 * 4. Rounds of a channel, a SUBMIT, its end and the end of the channel, with and without a mistake,
 *    between marks for tests/bench/count.c, which counts instructions. Elsewhere marks do nothing.
 */
#include "../rig/witness.h"
#include "mark.h"
#include "nvfifo_text.h"

#include <poll.h>
#include <sys/prctl.h>

#define NO_SEM		0x777	/* a handle that no object has */
#define NOWHERE		0x7f00000000ull
#define ROUNDS		25
#define TURNS		6
#define PHASE_MS	700
#define PULSES_A_SECOND	50
#define SETTLE_MS	100

static struct nv nv;
static unsigned int rounds = ROUNDS;

/* --- Mistakes ----------------------------------------------------------------------- */

static void none(struct ch *c)
{
	p_ref(c, 1);
}

static void good_copy(struct ch *c)
{
	graph_bind_m2mf(c);
	p_subc_mthd(c, 5, 0x100, 0);
}

static void bad_word(struct ch *c)
{
	p_word(c, 0xffffffff);
}

static void bad_handle(struct ch *c)
{
	p_mthd(c, NVFIFO_MTHD_DMA_SEMAPHORE, NO_SEM);
}

static void bad_semaphore(struct ch *c)
{
	new_object(c, NO_SEM, NOWHERE, 4096);
	p_release(c, NO_SEM, 0, 1);
}

static void bad_method(struct ch *c)
{
	graph_bind_m2mf(c);
	p_subc_mthd(c, 5, 0x1000, 1);
}

static void bad_copy(struct ch *c)
{
	graph_bind_m2mf(c);
	graph_m2mf_format(c, 64, 1, 64);
	graph_m2mf_launch(c, NOWHERE, NOWHERE);
}

struct mistake {
	const char *name;
	void (*make)(struct ch *c);
};

static const struct mistake healthy[] = {
	{ "channels that come and go", none },
	{ "the same with an M2MF object", good_copy },
};

static const struct mistake mistakes[] = {
	{ "word that is no command", bad_word },
	{ "handle that no object has", bad_handle },
	{ "semaphore that is not mapped", bad_semaphore },
	{ "method that a class lacks", bad_method },
	{ "copy from nowhere", bad_copy },
};

/* --- From the fault on ---------------------------------------------------------------- */

struct series {
	double us[1000];
	unsigned int n;
};

static void add(struct series *s, int64_t ns)
{
	if (s->n < ARRAY_SIZE(s->us))
		s->us[s->n++] = (double)ns / 1000;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(struct series *s)
{
	qsort(s->us, s->n, sizeof(s->us[0]), by_value);
	return s->n ? s->us[s->n / 2] : 0;
}

static double largest(struct series *s)
{
	qsort(s->us, s->n, sizeof(s->us[0]), by_value);
	return s->n ? s->us[s->n - 1] : 0;
}

/* A channel with an event, instead of a new channel. */
static struct ch with_event(uint32_t vm)
{
	struct drm_nvfifo_channel_create args = {
		.vm_id = vm, .flags = DRM_NVFIFO_CHANNEL_EVENT,
	};
	struct ch c = ch_new(&nv, vm);

	need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");
	need(!chan_create_args(&nv, &args), "CHANNEL_CREATE with an event");
	c.id = args.id;
	return c;
}

static void one_fault(const struct mistake *m, uint32_t vm, struct series *fence,
		      struct series *dead, struct series *event)
{
	struct pollfd p = { .fd = nv.fd, .events = POLLIN };
	struct drm_nvfifo_event_channel_dead e;
	bool has_fence = false, is_dead = false, has_event = false;
	struct drm_nvfifo_channel_query q;
	struct ch c = with_event(vm);
	int64_t start;

	m->make(&c);
	start = now_ns();
	need(!ch_submit(&c), "SUBMIT");
	while (!has_fence || !is_dead || !has_event) {
		need(now_ns() - start < WAIT_MS * 1000000ll, "%s: the channel ends", m->name);
		if (!has_fence && sync_status(&nv, c.done)) {
			has_fence = true;
			add(fence, now_ns() - start);
		}
		if (!is_dead && !chan_query(&nv, c.id, &q) &&
		    q.state == DRM_NVFIFO_CHANNEL_DEAD) {
			is_dead = true;
			add(dead, now_ns() - start);
		}
		if (!has_event && poll(&p, 1, 0) == 1) {
			has_event = true;
			add(event, now_ns() - start);
			need(read(nv.fd, &e, sizeof(e)) == sizeof(e), "the event");
		}
	}
	ch_free(&c);
}

static void bench_mistakes(void)
{
	struct series fence, dead, event;
	uint32_t vm = new_vm(&nv);
	unsigned int i, k;

	printf("                               -- to the fence --   -- to DEAD --   -- to the event --\n"
	       "mistake, us from SUBMIT on       median      max    median     max    median      max\n");
	for (i = 0; i < ARRAY_SIZE(mistakes); i++) {
		fence.n = 0;
		dead.n = 0;
		event.n = 0;
		for (k = 0; k < rounds; k++)
			one_fault(&mistakes[i], vm, &fence, &dead, &event);
		printf("%-30s %8.0f %8.0f  %8.0f %7.0f  %8.0f %8.0f\n", mistakes[i].name,
		       median(&fence), largest(&fence), median(&dead), largest(&dead),
		       median(&event), largest(&event));
		fflush(stdout);
	}
}

/* --- A witness ------------------------------------------------------------------------ */

/* Rounds of the process beside the witness, in shared memory */
static volatile uint32_t *made;

static void one_round(const struct mistake *m, uint32_t vm)
{
	struct ch c = ch_new(&nv, vm);

	m->make(&c);
	ch_run(&c);
	ch_free(&c);
}

/* Until it is killed: a channel, one SUBMIT, its end, and again. */
static void loop(const struct mistake *m)
{
	uint32_t vm;

	tap_env_set = false;
	nv_open(&nv);
	become_nobody();
	vm = new_vm(&nv);
	for (;; __sync_fetch_and_add(made, 1))
		one_round(m, vm);
}

/* Sums over the phases of one kind */
struct sums {
	double rounds, pulses, accesses;
};

static void phase(struct witness *w, struct sums *sums)
{
	uint32_t rounds_before, pulses_before, accesses_before;

	msleep(SETTLE_MS);
	*made = 0;
	accesses_before = stat_of(mmio_reads) + stat_of(mmio_writes);
	rounds_before = w->rounds;
	pulses_before = w->pulses;
	msleep(PHASE_MS);
	sums->rounds += w->rounds - rounds_before;
	sums->pulses += w->pulses - pulses_before;
	sums->accesses += stat_of(mmio_reads) + stat_of(mmio_writes) - accesses_before;
}

static double rate(const struct sums *sums)
{
	return sums->pulses ? sums->rounds / sums->pulses * PULSES_A_SECOND : 0;
}

/* The witness's share of the accesses in percent */
static double accesses_share(const struct sums *alone, const struct sums *beside)
{
	if (!alone->rounds || !beside->accesses)
		return 0;

	return 100 * beside->rounds * (alone->accesses / alone->rounds) / beside->accesses;
}

/* A process that makes a mistake in a loop, stopped. NULL: it only keeps a processor busy. */
static pid_t start(const struct mistake *m)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		nv_close(&nv);
		raise(SIGSTOP);
		if (m)
			loop(m);
		for (;;)
			;
	}
	need(waitpid(pid, NULL, WUNTRACED) == pid, "waitpid: %s", strerror(errno));
	return pid;
}

/*
 * The machine may have other work, whose load changes: phases alone and beside the process take
 * turns, so that both see the same of it.
 */
static void bench_beside(struct witness *w, const struct mistake *m, const char *name)
{
	struct sums alone = { 0 }, beside = { 0 };
	pid_t pid = start(m);
	double errors = 0;
	unsigned int i;

	*made = 0;
	for (i = 0; i < TURNS; i++) {
		phase(w, &alone);
		kill(pid, SIGCONT);
		phase(w, &beside);
		kill(pid, SIGSTOP);
		errors += *made * 1e3 / PHASE_MS / TURNS;
	}

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	printf("  beside: %-42s %6.0f rounds, alone %6.0f: %4.0f %%, of the accesses %4.0f %%, its own %5.0f\n",
	       name, rate(&beside), rate(&alone), 100 * rate(&beside) / rate(&alone),
	       accesses_share(&alone, &beside), errors);
	fflush(stdout);
}

static void bench_witness(enum witness_kind kind, const char *name)
{
	struct witness *w = witness_start(kind);
	unsigned int i;

	printf("\n%s witness, %d turns of %d ms\n", name, TURNS, PHASE_MS);
	bench_beside(w, NULL, "a process that never sleeps");
	for (i = 0; i < ARRAY_SIZE(healthy); i++)
		bench_beside(w, &healthy[i], healthy[i].name);
	for (i = 0; i < ARRAY_SIZE(mistakes); i++)
		bench_beside(w, &mistakes[i], mistakes[i].name);
	printf("  longest time from one round to the next: %.0f ms; wrong results: %u, deaths: %u\n",
	       (double)w->gap_ns / 1e6, w->wrong, w->deaths);
	witness_end(w);
}

/* --- Instructions ---------------------------------------------------------------------- */

#ifdef __x86_64__
#define mark(number) \
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80\n\t.long %c0" \
			 : : "i"(MARK_BASE | (number)) : "memory")
#else
#define mark(number)	((void)(number))
#endif

/* Work items of a round may run in the next one, so a sample is many rounds. */
#define SAMPLE	20u

static void count_rounds(const struct mistake *m)
{
	uint32_t vm = new_vm(&nv);
	unsigned int i, k;

	for (i = 0; i < rounds; i++) {
		mark(MARK_BEGIN);
		for (k = 0; k < SAMPLE; k++)
			one_round(m, vm);
		mark(MARK_END);
	}
	mark(MARK_ROW);
	printf("%s: %u samples of %u rounds\n", m->name, rounds, SAMPLE);
	fflush(stdout);
	need(!vm_destroy(&nv, vm), "VM_DESTROY");
}

static void bench_instructions(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(healthy); i++)
		count_rounds(&healthy[i]);
	for (i = 0; i < ARRAY_SIZE(mistakes); i++)
		count_rounds(&mistakes[i]);
}

/* --- The resets ------------------------------------------------------------------------ */

static void bench_resets(void)
{
	static const char * const lines[] = {
		"inject tlb-stuck until pfifo", "inject tlb-stuck until units",
	};
	struct bo data = sys_bo(&nv, 4096);
	uint32_t vm = new_vm(&nv);
	struct ch c = ch_new(&nv, vm);
	int64_t start, ns;
	unsigned int i;
	uint64_t va;
	int ret;

	need(ch_works(&c), "a channel");
	printf("\nrecovery, a TLB flush that does not end: the wait for it (2 s) counts in the call\n");
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		va = map(&nv, vm, &data);
		need(ch_works(&c), "the channel works");
		violations_allow(true);
		need(ctl_line("%s", lines[i]), "%s", lines[i]);
		start = now_ns();
		ret = vm_unmap(&nv, vm, va, data.size);
		ns = now_ns() - start;
		need(ctl_line("clear"), "clear");
		violations_allow(false);
		printf("  %-32s VM_BIND %.1f ms (%d)\n", lines[i], (double)ns / 1e6, ret);
	}
	printf("%s", debug_text("nvfifo_recovery"));
}

int main(int argc, char **argv)
{
	bool count = argc > 1 && !strcmp(argv[1], "--count");
	bool beside = argc > 1 && !strcmp(argv[1], "--beside");

	if (argc > 1 + count && !beside)
		rounds = (unsigned int)nvfifo_text_value(argv[1 + count], 0);
	made = mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(made != MAP_FAILED, "mmap: %s", strerror(errno));
	nv_open(&nv);
	if (count) {
		bench_instructions();
		nv_close(&nv);
		return 0;
	}
	if (!beside)
		bench_mistakes();
	bench_witness(WITNESS_PFIFO, "PFIFO");
	bench_witness(WITNESS_M2MF, "M2MF");
	if (ctl_present() && !beside)
		bench_resets();
	nv_close(&nv);
	return 0;
}
