// SPDX-License-Identifier: MIT
/*
 * Recovery: an error or endless work of one process must not harm another. A witness in its own
 * process copies memory with M2MF, and checks each copy and each fence.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "raw.h"

#define PAGE		4096u
#define COPY_BYTES	(64 * KIB)

#define SUBC_M2MF	5
#define M2MF_OFFSET_IN	0x30c

/* An address where nothing is mapped. */
#define NOWHERE		0x7f00000000ull

/* Results of the witness */
struct seen {
	uint32_t rounds;	/* successful ones */
	uint32_t wrong;		/* words that a copy did not bring */
	int32_t error;		/* of the last fence that did not signal success */
	bool stop;
};

static struct nv nv;
static volatile struct seen *seen;
static pid_t witness;

static void witness_run(void)
{
	struct bo from, to;
	uint64_t from_va, to_va;
	uint32_t vm, i;
	struct nv own;
	struct ch c;
	int ret;

	nv_open(&own);
	vm = new_vm(&own);
	c = ch_new(&own, vm);
	graph_bind_m2mf(&c);
	from = sys_bo(&own, COPY_BYTES);
	to = sys_bo(&own, COPY_BYTES);
	from_va = map(&own, vm, &from);
	to_va = map(&own, vm, &to);
	graph_m2mf_format(&c, PAGE, COPY_BYTES / PAGE, PAGE);

	while (!seen->stop) {
		for (i = 0; i < COPY_BYTES / 4; i++)
			from.map[i] = seen->rounds * 0x01000193 + i;
		memset(to.map, 0, COPY_BYTES);
		graph_m2mf_launch(&c, from_va, to_va);
		ret = ch_run(&c);
		if (ret != 1) {
			seen->error = ret;
			_exit(1);
		}

		for (i = 0; i < COPY_BYTES / 4; i++)
			seen->wrong += from.map[i] != to.map[i];
		seen->rounds++;
		ch_rewind(&c);
	}

	_exit(0);
}

/* Wait until the witness has done @n more rounds, or has died. */
static bool witness_goes_on(uint32_t n)
{
	uint32_t first = seen->rounds;
	int64_t end = now_ns() + WAIT_MS * 1000000ll;

	while (seen->rounds - first < n && !seen->error && now_ns() < end)
		msleep(5);
	return seen->rounds - first >= n;
}

static void witness_start(void)
{
	if (!seen)
		seen = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	need(seen != MAP_FAILED, "memory for the witness");
	memset((void *)seen, 0, sizeof(*seen));
	witness = fork();
	need(witness >= 0, "fork");

	if (!witness) {
		tap_env_set = false;
		witness_run();
	}

	need(witness_goes_on(3), "the witness works");
}

static void witness_ends(const char *what)
{
	int status;

	check(witness_goes_on(3), "%s: the witness works on", what);
	seen->stop = true;
	waitpid(witness, &status, 0);
	equal(seen->wrong, 0, "each of its copies was right");
	equal((uint32_t)seen->error, 0, "each of its fences was signalled with success");
	diag("%u rounds", seen->rounds);
}

/* Reload with a limit for jobs that a test can wait for. */
static void world(const char *options)
{
	module_reload(options);
	nv_open(&nv);
}

static struct ch m2mf_chan(uint32_t vm)
{
	struct ch c = ch_new(&nv, vm);

	graph_bind_m2mf(&c);
	graph_m2mf_format(&c, 64, 1, 64);
	need(ch_run(&c) == 1, "an M2MF channel");
	return c;
}

/* Several faults in one segment: the next one comes while the first is being handled. */
static void t_faults(void)
{
	uint32_t vm, round, i, bad = 0;
	struct ch c;

	world("");
	vm = new_vm(&nv);
	witness_start();

	for (round = 0; round < 25; round++) {
		c = m2mf_chan(vm);
		for (i = 0; i < 3; i++)
			graph_m2mf_launch(&c, NOWHERE, NOWHERE);
		bad += ch_run(&c) != -ECANCELED;
		bad += ch_query(&c).error != DRM_NVFIFO_ERROR_GRAPH;
		need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");
	}

	equal(bad, 0, "each channel with three faults dies of PGRAPH");
	witness_ends("faults");
	nv_close(&nv);
}

/* A stream of errors, each of them over at once, and a TLB flush of the same process. */
static void t_errors_and_bind(void)
{
	const uint32_t words = 8000;
	struct drm_nvfifo_entry e[16];
	struct bo push, data;
	uint64_t push_va, data_va;
	uint32_t vm, i, round;
	struct ch c;

	world("");
	vm = new_vm(&nv);
	witness_start();
	push = sys_bo(&nv, 32 * KIB);
	push_va = map(&nv, vm, &push);
	data = sys_bo(&nv, PAGE);

	for (i = 0; i < words; i += 2) {
		push.map[i] = cmd_word(SUBC_M2MF, 0x104, 1);
		push.map[i + 1] = 7;
	}

	for (i = 0; i < 16; i++)
		e[i] = (struct drm_nvfifo_entry){ .address = push_va, .words = words };

	for (round = 0; round < 4; round++) {
		c = m2mf_chan(vm);
		data_va = map(&nv, vm, &data);
		need(!submit_raw(&nv, c.id, e, 16, NULL, 0, NULL), "SUBMIT");
		equal((uint32_t)vm_unmap(&nv, vm, data_va, data.size), 0,
		      "a flush beside a stream of errors");
		need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");
	}

	c = m2mf_chan(vm);
	check(ch_works(&c), "the process can go on with a new channel");
	witness_ends("a stream of errors");
	nv_close(&nv);
}

/* Make PGRAPH busy, for @ms or (0) until it is reset. */
static pid_t busy(unsigned int ms)
{
	pid_t pid;

	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	if (!ms)
		return 0;

	pid = fork();
	need(pid >= 0, "fork");

	if (!pid) {
		msleep(ms);
		ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
		_exit(0);
	}

	return pid;
}

/* Work of three seconds is legal, even if another process needs an idle PGRAPH meanwhile. */
static void t_long_work(void)
{
	struct bo data;
	uint64_t va;
	uint32_t vm, vm2;
	struct ch c, c2;
	pid_t pid;

	if (!ctl_present()) {
		skip("long work # SKIP only the model can be told to be slow");
		return;
	}

	/* The default limit, 10 s, may pass on a machine that stands still. */
	world("job_timeout_ms=60000");
	vm = new_vm(&nv);
	vm2 = new_vm(&nv);
	c2 = m2mf_chan(vm2);
	c = m2mf_chan(vm);
	data = sys_bo(&nv, PAGE);
	va = map(&nv, vm2, &data);
	pid = busy(3000);
	p_subc_mthd(&c, SUBC_M2MF, 0x100, 0);
	need(!ch_submit(&c), "SUBMIT");
	equal((uint32_t)vm_unmap(&nv, vm2, va, data.size), 0, "a flush waits for long work");
	equal((uint32_t)chan_destroy(&nv, c2.id), 0, "a channel that does nothing is destroyed");
	waitpid(pid, NULL, 0);
	equal((uint32_t)sync_finish(&nv, c.done), 1, "the long work ends well");
	check(ch_works(&c), "and its channel works");
	c = m2mf_chan(vm);
	check(ch_works(&c), "the card is in use");
	nv_close(&nv);
}

/* Endless work ends only its own channel. */
static void t_endless_work(void)
{
	struct drm_nvfifo_channel_query q;
	struct bo data;
	uint64_t va;
	uint32_t vm, vm2;
	struct ch c, c2;

	if (!ctl_present()) {
		skip("endless work # SKIP only the model can be told to hang");
		return;
	}

	world("job_timeout_ms=1500");
	vm = new_vm(&nv);
	vm2 = new_vm(&nv);
	c2 = m2mf_chan(vm2);
	c = m2mf_chan(vm);
	data = sys_bo(&nv, PAGE);
	va = map(&nv, vm2, &data);
	busy(0);
	p_subc_mthd(&c, SUBC_M2MF, 0x100, 0);
	need(!ch_submit(&c), "SUBMIT");
	equal((uint32_t)vm_unmap(&nv, vm2, va, data.size), 0, "a flush beside endless work");
	equal((uint32_t)sync_finish(&nv, c.done), (uint32_t)-ECANCELED, "the endless work fails");
	q = ch_query(&c);
	equal(q.state, DRM_NVFIFO_CHANNEL_DEAD, "its channel is dead");
	equal(q.error, DRM_NVFIFO_ERROR_TIMEOUT, "of the time limit");
	equal(ch_query(&c2).state, DRM_NVFIFO_CHANNEL_ALIVE, "the other one is alive");

	va = map(&nv, vm2, &data);
	data.map[0] = 0x600d;
	graph_m2mf_launch(&c2, va, va + 64);
	equal((uint32_t)ch_run(&c2), 1, "and works in PGRAPH");
	equal(data.map[16], 0x600d, "as it was told before");
	c = m2mf_chan(vm);
	check(ch_works(&c), "new ones work");
	nv_close(&nv);
}

#define FREE_ERRORS	8	/* at one error in a second */
#define MORE_ERRORS	5
#define ROOT_ERRORS	200
#define IMAGE_ERRORS	10

/* Value in milliseconds of a key in fdinfo of the file that the tests use */
static int64_t fdinfo_ms(const char *key)
{
	char path[64], *text, *found;
	int64_t ms;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", nv.fd);
	text = file_text(path);
	need(text, "%s", path);

	found = strstr(text, key);
	need(found, "fdinfo has %s", key);
	ms = strtoll(found + strlen(key) + 1, NULL, 10);
	free(text);

	return ms;
}

static void error_make(uint32_t space, bool has_image)
{
	struct ch c = ch_new(&nv, space);

	if (has_image)
		graph_bind_m2mf(&c);
	p_word(&c, 0xffffffff);
	need(ch_run(&c) == -ECANCELED, "an error");
	ch_free(&c);
}

/* Make errors as a user in a process of its own. Return: the time, ns. */
static int64_t user_errors_make(unsigned int errors)
{
	int64_t start = now_ns();
	int status;
	uint32_t vm;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		tap_env_set = false;
		nv_open(&nv);
		become_nobody();
		vm = new_vm(&nv);
		while (errors--)
			error_make(vm, false);
		_exit(0);
	}

	need(waitpid(pid, &status, 0) == pid && !status, "the process makes its errors");

	return now_ns() - start;
}

/*
 * A user whose channels end by errors too often waits for the next channel. The account survives
 * its files. Root does not wait: the delay exceeds that of one error.
 */
static void t_error_limit(void)
{
	unsigned int i;
	int64_t ns, ms;
	uint32_t vm;

	module_reload("user_errors=1");
	ns = user_errors_make(FREE_ERRORS);
	ns += user_errors_make(MORE_ERRORS);
	check(ns > (MORE_ERRORS - 1) * 1000000000ll,
	      "%u errors beyond the limit of one in a second took %lld ms", MORE_ERRORS,
	      (long long)ns / 1000000);

	nv_open(&nv);
	vm = new_vm(&nv);
	for (i = 0; i < ROOT_ERRORS; i++)
		error_make(vm, false);
	ms = fdinfo_ms("nvfifo-error-delay:");
	check(ms > 2000, "root does not wait, though a user would wait for %lld ms", (long long)ms);
	nv_close(&nv);
	module_reload("");
}

/*
 * The errors of a user may take a twentieth of the time, including the creation of their channels and
 * context images. So each costs its user a multiple of the life of its channel. The driver does not
 * see the way into its calls and back, where a process may lose any time: half of the channels do.
 */
static void t_error_share(void)
{
	int64_t start, charge, life;
	unsigned int i, dear = 0;
	uint32_t vm;

	/* The number of errors does not count here. */
	module_reload("user_errors=1000000");
	nv_open(&nv);
	vm = new_vm(&nv);
	for (i = 0; i < IMAGE_ERRORS; i++) {
		charge = fdinfo_ms("nvfifo-error-charge:");
		start = now_ns();
		error_make(vm, true);
		life = (now_ns() - start) / 1000000;
		charge = fdinfo_ms("nvfifo-error-charge:") - charge;
		diag("%lld ms of life cost %lld ms", (long long)life, (long long)charge);

		/* A longer life counts as 100 ms. */
		if (life > 100)
			life = 100;
		dear += charge > 12 * life;
	}
	check(dear >= IMAGE_ERRORS / 2, "%u of %u errors cost twelve times their life or more",
	      dear, IMAGE_ERRORS);
	nv_close(&nv);
	module_reload("");
}

#define USERS		24
#define FIRST_USER	2000
#define FIRST_ERRORS	18	/* of 1 s each: the burst of 10 s, and the longest wait of 8 s */
#define LONE_COST_MS	(1000 + 800 * 20)	/* at one error in a second, and the most work */

/* Make errors in a process of user @uid that never waits. Return: their charge, ms. */
static uint32_t errors_as(uid_t uid, unsigned int errors)
{
	volatile uint32_t *charge = mmap(NULL, sizeof(*charge), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t space, ms;
	int status;
	pid_t pid;

	need(charge != MAP_FAILED, "mmap: %s", strerror(errno));
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid) {
		tap_env_set = false;
		need(!setreuid(uid, 0), "setreuid: %s", strerror(errno));
		nv_open(&nv);
		space = new_vm(&nv);
		while (errors--)
			error_make(space, false);
		*charge = (uint32_t)fdinfo_ms("nvfifo-error-charge:");
		_exit(0);
	}

	need(waitpid(pid, &status, 0) == pid && !status, "the process makes its errors");
	ms = *charge;
	munmap((void *)charge, sizeof(*charge));

	return ms;
}

/*
 * Users over the limit share it, so that many user ids gain nothing: with each further user an
 * error costs more. A user is over the limit for 8 s at most, so each makes as few errors as it
 * takes. With n users the limit is reached after 10 / n seconds, and an error costs n seconds.
 */
static void t_error_users(void)
{
	uint32_t charge;
	uid_t i;

	module_reload("user_errors=1");
	for (i = 0; i < USERS; i++)
		errors_as(FIRST_USER + i, FIRST_ERRORS / (i + 1) + 1);
	charge = errors_as(FIRST_USER + i, 1);
	check(charge > LONE_COST_MS, "one error beside %u users costs %u ms", USERS, charge);
	module_reload("");
}

#define SLOW_US		500000
#define SHORT_COST_MS	8000	/* of a life, an end, a dump and the freeing, at 100 ms each */

/*
 * A CHANNEL_CREATE that takes long costs more if an error ends the channel. The driver ends the
 * channel in its own threads, so the charge grows for a moment.
 */
static void t_error_slow(void)
{
	int64_t begin, start = now_ns(), charge = 0;
	uint32_t vm;

	if (!ctl_present()) {
		skip("the cost of slow calls # SKIP no model");
		return;
	}

	module_reload("user_errors=1000000");
	nv_open(&nv);
	vm = new_vm(&nv);
	begin = fdinfo_ms("nvfifo-error-charge:");
	need(ctl_line("delay bar-flush %u", SLOW_US), "delay");
	error_make(vm, false);
	ctl_line("clear");
	do {
		charge = fdinfo_ms("nvfifo-error-charge:") - begin;
	} while (charge <= SHORT_COST_MS && may_come(start));

	check(charge > SHORT_COST_MS, "a slow CHANNEL_CREATE and an error cost %lld ms",
	      (long long)charge);
	nv_close(&nv);
	module_reload("");
}

static const struct test tests[] = {
	TEST(t_faults),
	TEST(t_errors_and_bind),
	TEST_ONCE(t_long_work),
	TEST_ONCE(t_endless_work),
	TEST_ONCE(t_error_limit),
	TEST_ONCE(t_error_share),
	TEST_ONCE(t_error_users),
	TEST_ONCE(t_error_slow),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
