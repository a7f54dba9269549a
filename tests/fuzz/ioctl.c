// SPDX-License-Identifier: MIT
/*
 * Fuzzer of the driver's system calls, guided by the coverage that KCOV reports.
 *
 * Several processes without privileges, some with two threads, run programs of calls
 * (ioctl_calls.c). A program that reaches new code joins the corpus, from which mutation makes new
 * programs. The fuzzer kills processes at random. Two witnesses work beside them.
 *
 *	FUZZ_SEED=n	other random numbers (default 1)
 *	FUZZ_SECONDS=n	how long (default 20)
 *	FUZZ_WORKERS=n	processes at a time, 1 to 8 (default 3)
 *	FUZZ_UNPLUG=1	unbind and bind the driver meanwhile, without witnesses
 *
 * The corpus starts from /src/tests/fuzz/ioctl.seeds, one program in hexadecimal a line, and is
 * written to /out/keep/ioctl.seeds.
 */
#include "ioctl.h"

#include <glob.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/time.h>

#define KCOV_INIT_TRACE	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)
#define KCOV_DISABLE	_IO('c', 101)
#define KCOV_TRACE_PC	0
#define KCOV_WORDS	(64 * 1024)

#define SEEDS_FILE	"/src/tests/fuzz/ioctl.seeds"
#define RESULT_DIR	"/out/keep"
#define MAX_WORKERS	8
#define MAX_CORPUS	8192
#define PROGRAMS_PER_FILE 8
#define WITNESS_PAUSE_MS 20
#define EDGES		(1u << 18)
#define GAP_MS		8000
#define HANG_MS		30000
#define KILL_MS		1500
#define UNPLUG_MS	2000

struct worker {
	pid_t pid;
	volatile uint32_t programs, calls, succeeded, no_world;
	uint32_t programs_seen;		/* by the watch, at @moved_ns */
	int64_t moved_ns;
};

/* Workers die at any instruction, so nothing here has a lock. */
struct shared {
	volatile bool stop;
	volatile uint32_t num_corpus;
	volatile uint32_t edges_found;
	volatile uint8_t edges[EDGES];
	struct prog corpus[MAX_CORPUS];	/* an entry is valid when its @len is not 0 */
	struct worker workers[MAX_WORKERS];
};

static struct shared *sh;
static uint32_t num_workers, kills;
static int64_t slowest_kill;

/* --- Coverage ------------------------------------------------------------------ */

static int kcov_fd;
static volatile unsigned long *kcov;

/* Return: false on error. A kernel without KCOV is none: the fuzzer is not guided then. */
static bool kcov_open(void)
{
	void *p;

	kcov_fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (kcov_fd < 0)
		return errno == ENOENT;
	if (ioctl(kcov_fd, KCOV_INIT_TRACE, (unsigned long)KCOV_WORDS))
		return false;
	p = mmap(NULL, KCOV_WORDS * sizeof(*kcov), PROT_READ | PROT_WRITE, MAP_SHARED, kcov_fd, 0);
	if (p == MAP_FAILED)
		return false;
	kcov = p;
	return true;
}

/* Returns the number of new edges of the last program. */
static uint32_t new_edges(void)
{
	unsigned long n, i;
	uint32_t found = 0, before = 0;

	if (!kcov)
		return 0;

	n = kcov[0];

	for (i = 1; i <= n && i < KCOV_WORDS; i++) {
		uint32_t at = (uint32_t)(kcov[i] * 0x9e3779b97f4a7c15ull >> 40);
		uint32_t edge = (at ^ before >> 1) % EDGES;

		before = at;
		if (sh->edges[edge])
			continue;
		sh->edges[edge] = 1;
		found++;
	}

	return found;
}

/* --- Programs -------------------------------------------------------------------- */

static void corpus_add(const struct prog *p)
{
	uint32_t at;

	if (sh->num_corpus >= MAX_CORPUS)
		return;
	at = __atomic_fetch_add(&sh->num_corpus, 1, __ATOMIC_SEQ_CST);
	if (at >= MAX_CORPUS)
		return;
	memcpy(sh->corpus[at].code, p->code, PROG_BYTES);
	__atomic_store_n(&sh->corpus[at].len, p->len, __ATOMIC_SEQ_CST);
}

static void prog_random(struct rng *r, struct prog *p)
{
	uint32_t i;

	p->len = 16 + rng_below(r, PROG_BYTES - 16);
	for (i = 0; i < p->len; i++)
		p->code[i] = (uint8_t)rng_word(r);
}

static const struct prog *corpus_any(struct rng *r)
{
	uint32_t n = sh->num_corpus;
	const struct prog *p;

	if (!n)
		return NULL;
	if (n > MAX_CORPUS)
		n = MAX_CORPUS;
	p = &sh->corpus[rng_below(r, n)];
	return p->len ? p : NULL;
}

static void insert(struct rng *r, struct prog *p)
{
	uint32_t n = 1 + rng_below(r, 16), at = rng_below(r, p->len + 1), i;

	if (p->len + n > PROG_BYTES)
		return;
	memmove(p->code + at + n, p->code + at, p->len - at);

	for (i = 0; i < n; i++)
		p->code[at + i] = (uint8_t)rng_word(r);
	p->len += n;
}

static void cut(struct rng *r, struct prog *p)
{
	uint32_t n = 1 + rng_below(r, 16), at = rng_below(r, p->len);

	if (at + n >= p->len || n >= p->len)
		return;
	memmove(p->code + at, p->code + at + n, p->len - at - n);
	p->len -= n;
}

/* The rest comes from another program. */
static void take_over(struct rng *r, struct prog *p)
{
	const struct prog *other = corpus_any(r);
	uint32_t at = rng_below(r, p->len), from, n;

	if (!other)
		return;
	from = rng_below(r, other->len);
	n = other->len - from;
	if (n > PROG_BYTES - at)
		n = PROG_BYTES - at;
	memcpy(p->code + at, other->code + from, n);
	p->len = at + n;
}

static void prog_mutate(struct rng *r, struct prog *p)
{
	uint32_t n = 1 + rng_below(r, 6);

	while (n--) {
		switch (rng_below(r, 6)) {
		case 0:
			insert(r, p);
			break;
		case 1:
			cut(r, p);
			break;
		case 2:
			take_over(r, p);
			break;
		case 3:
			p->code[rng_below(r, p->len)] ^= (uint8_t)(1 << rng_below(r, 8));
			break;
		default:
			p->code[rng_below(r, p->len)] = (uint8_t)rng_word(r);
		}
		if (!p->len)
			prog_random(r, p);
	}
}

static void prog_next(struct rng *r, struct prog *p)
{
	const struct prog *base = corpus_any(r);

	if (!base || rng_one_in(r, 5)) {
		prog_random(r, p);
		return;
	}

	*p = *base;
	prog_mutate(r, p);
}

/* --- A worker -------------------------------------------------------------------- */

/* A second thread runs the later part of the same program in the same file. */
struct rival {
	struct world *w;
	const struct prog *p;
	uint32_t skip;
};

static void *rival_main(void *arg)
{
	struct rival *v = arg;

	prog_run(v->w, v->p, v->skip);
	return NULL;
}

static void run_program(struct rng *r, struct world *w, const struct prog *p)
{
	struct rival rival = { w, p, rng_below(r, p->len) };
	bool race = rng_one_in(r, 3);
	pthread_t thread;

	if (race)
		race = !pthread_create(&thread, NULL, rival_main, &rival);
	if (kcov) {
		kcov[0] = 0;
		ioctl(kcov_fd, KCOV_ENABLE, KCOV_TRACE_PC);
	}

	prog_run(w, p, 0);
	if (kcov)
		ioctl(kcov_fd, KCOV_DISABLE, 0);
	if (race)
		pthread_join(thread, NULL);
}

static void nothing(int sig)
{
	(void)sig;
}

/* No call of a worker may block it for ever: a signal comes all the time. */
static void interrupt_often(void)
{
	struct itimerval often = { { 0, 40000 }, { 0, 40000 } };
	struct sigaction sa = { .sa_handler = nothing };

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

/* Several programs in one file: setting it up costs more than most of them. */
static void worker_file(struct worker *k, struct rng *r, struct world *w)
{
	static struct prog p;
	uint32_t i;

	if (!world_open(w)) {
		k->no_world++;
		msleep(2);
		return;
	}

	for (i = 0; i < PROGRAMS_PER_FILE && !sh->stop; i++) {
		prog_next(r, &p);
		w->calls = 0;
		w->succeeded = 0;
		run_program(r, w, &p);
		if (new_edges())
			corpus_add(&p);
		k->calls += w->calls;
		k->succeeded += w->succeeded;
		k->programs++;
	}
}

static void worker_main(struct worker *k, uint64_t seed)
{
	struct rng r = { .state = seed };
	struct world w = { .fd = -1 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
	if (!kcov_open() || pipe2(w.pipe, O_NONBLOCK))
		_exit(3);
	become_nobody();
	interrupt_often();

	while (!sh->stop) {
		worker_file(k, &r, &w);
		world_close(&w);
	}

	_exit(0);
}

static void worker_start(uint32_t i, uint64_t seed)
{
	struct worker *k = &sh->workers[i];
	pid_t pid = fork();

	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		worker_main(k, seed);
	k->pid = pid;
	k->moved_ns = now_ns();
}

static void worker_reap(struct worker *k)
{
	int64_t start = now_ns(), took;

	waitpid(k->pid, NULL, 0);
	took = now_ns() - start;
	if (took > slowest_kill)
		slowest_kill = took;
}

/* --- The run ---------------------------------------------------------------------- */

/* Print the worker's place in the kernel. */
static void print_stack(const struct worker *k)
{
	char path[64], *text;

	snprintf(path, sizeof(path), "/proc/%d/stack", k->pid);
	text = file_text(path);
	diag("stack of %d: %s", k->pid, text ? text : "unknown");
	free(text);
}

/* Return: false if a worker has not finished a program for long. */
static bool workers_move(void)
{
	bool ok = true;
	uint32_t i;

	for (i = 0; i < num_workers; i++) {
		struct worker *k = &sh->workers[i];

		if (k->programs != k->programs_seen) {
			k->programs_seen = k->programs;
			k->moved_ns = now_ns();
		} else if (now_ns() - k->moved_ns > HANG_MS * 1000000ll) {
			print_stack(k);
			ok = false;
		}
	}

	return ok;
}

static void kill_one(struct rng *r)
{
	uint32_t i = rng_below(r, num_workers);
	struct worker *k = &sh->workers[i];

	kill(k->pid, SIGKILL);
	worker_reap(k);
	kills++;
	worker_start(i, rng_next(r));
}

/* The device node is a new one after each bind. */
static void allow_all(void)
{
	glob_t g = { 0 };
	size_t i;

	if (!glob("/dev/dri/renderD*", 0, NULL, &g))
		for (i = 0; i < g.gl_pathc; i++)
			chmod(g.gl_pathv[i], 0666);
	globfree(&g);
}

static bool replug(void)
{
	int off = card_bind(false), on = card_bind(true);

	if (off || on)
		diag("unbind returned %d, bind %d", off, on);
	allow_all();
	return !off && !on;
}

static bool fuzz(struct rng *r, uint32_t seconds, bool unplug)
{
	int64_t now = now_ns(), end = now + seconds * 1000000000ll;
	int64_t next_kill = now + KILL_MS * 1000000ll, next_unplug = now + UNPLUG_MS * 1000000ll;
	bool ok = true;

	while (ok && now_ns() < end) {
		now = now_ns();
		if (now > next_kill) {
			kill_one(r);
			next_kill = now_ns() + KILL_MS * 1000000ll;
		}
		if (unplug && now > next_unplug) {
			ok = replug();
			next_unplug = now_ns() + UNPLUG_MS * 1000000ll;
		}
		ok = ok && workers_move();
		msleep(50);
	}

	return ok;
}

static void read_seeds(void)
{
	FILE *f = fopen(SEEDS_FILE, "r");
	char line[PROG_BYTES * 2 + 16];
	struct prog p;
	unsigned int byte;

	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		p.len = 0;
		while (p.len < PROG_BYTES && sscanf(line + p.len * 2, "%2x", &byte) == 1)
			p.code[p.len++] = (uint8_t)byte;
		if (p.len && line[0] != '#')
			corpus_add(&p);
	}

	fclose(f);
}

static void write_corpus(void)
{
	uint32_t i, k, n = sh->num_corpus;
	FILE *f;

	if (n > MAX_CORPUS)
		n = MAX_CORPUS;
	mkdir(RESULT_DIR, 0755);
	f = fopen(RESULT_DIR "/ioctl.seeds", "w");
	if (!f)
		return;
	for (i = 0; i < n; i++) {
		for (k = 0; k < sh->corpus[i].len; k++)
			fprintf(f, "%02x", sh->corpus[i].code[k]);
		fputc('\n', f);
	}

	fclose(f);
}

static void stop_workers(void)
{
	uint64_t calls = 0, succeeded = 0, programs = 0, no_world = 0;
	uint32_t i, edges = 0;

	sh->stop = true;

	for (i = 0; i < num_workers; i++) {
		struct worker *k = &sh->workers[i];

		kill(k->pid, SIGKILL);
		worker_reap(k);
		kills++;
		calls += k->calls;
		succeeded += k->succeeded;
		programs += k->programs;
		no_world += k->no_world;
	}

	for (i = 0; i < EDGES; i++)
		edges += sh->edges[i];
	diag("%llu programs, %llu calls, %llu of them succeeded, %llu times no channel",
	     (unsigned long long)programs, (unsigned long long)calls,
	     (unsigned long long)succeeded, (unsigned long long)no_world);
	diag("%u edges, %u programs in the corpus, %u processes killed, the slowest took %lld ms",
	     edges, sh->num_corpus, kills, (long long)slowest_kill / 1000000);
	check(calls > 1000 && succeeded > calls / 20, "calls were made, and many succeeded");
	if (access("/sys/kernel/debug/kcov", R_OK))
		skip("KCOV guides the fuzzer # SKIP the kernel has no KCOV");
	else
		check(edges > 1000, "KCOV guides the fuzzer");
	check(slowest_kill < HANG_MS * 1000000ll, "each process could be killed");
}

static void check_card(uint64_t vram)
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;
	struct nv nv;
	struct ch c;

	nv_open(&nv);

	while (vram_free(&nv) != vram && now_ns() < end)
		msleep(50);
	equal(vram_free(&nv), vram, "all VRAM came back");
	c = ch_new(&nv, new_vm(&nv));
	check(ch_works(&c), "the card works after it");
}

static void t_ioctl(void)
{
	uint32_t seconds = (uint32_t)env_number("FUZZ_SECONDS", 20), i;
	bool unplug = env_number("FUZZ_UNPLUG", 0);
	struct rng r = { .state = env_number("FUZZ_SEED", 1) };
	struct witness *pfifo = NULL, *m2mf = NULL;
	struct nv nv;
	uint64_t vram;

	alarm(seconds + 240);
	num_workers = (uint32_t)env_number("FUZZ_WORKERS", 3);
	need(num_workers && num_workers <= MAX_WORKERS, "FUZZ_WORKERS: 1 to 8");
	module_reload("job_timeout_ms=3000");
	allow_all();
	sh = mmap(NULL, sizeof(*sh), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(sh != MAP_FAILED, "mmap: %s", strerror(errno));
	read_seeds();
	diag("FUZZ_SEED=%llu FUZZ_SECONDS=%u, %u programs to begin with",
	     (unsigned long long)r.state, seconds, sh->num_corpus);
	nv_open(&nv);
	vram = vram_free(&nv);
	nv_close(&nv);

	if (!unplug) {
		pfifo = witness_start(WITNESS_PFIFO);
		m2mf = witness_start(WITNESS_M2MF);
		pfifo->pause_ms = WITNESS_PAUSE_MS;
		m2mf->pause_ms = WITNESS_PAUSE_MS;
	}

	for (i = 0; i < num_workers; i++)
		worker_start(i, rng_next(&r));
	check(fuzz(&r, seconds, unplug), "each process goes on, and so does the driver");
	stop_workers();
	write_corpus();
	if (pfifo)
		witness_stop(pfifo, GAP_MS, "PFIFO");
	if (m2mf)
		witness_stop(m2mf, GAP_MS, "M2MF");
	check_card(vram);
}

static const struct test tests[] = { TEST(t_ioctl) };

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
