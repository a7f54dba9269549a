// SPDX-License-Identifier: MIT
/* The main loop of a test program. */
#include "rig.h"

static void tap_alarm(int sig)
{
	static const char msg[] = "Bail out! the watchdog of the test program fired\n";
	ssize_t n;

	(void)sig;
	n = write(1, msg, sizeof(msg) - 1);
	(void)n;
	_exit(2);
}

void run_test(const struct test *t, unsigned int seconds)
{
	int64_t start = now_ns();
	const char *reason;

	if (tap_only && !strstr(t->name, tap_only))
		return;

	reason = getenv("NVFIFO_SHORT");
	if (reason && t->once && !tap_only) {
		skip("%s # SKIP %s", t->name, reason);
		return;
	}

	printf("# %s\n", t->name);
	fflush(stdout);
	if (ctl_present())
		ctl(NVSIM_CTL_MARK, (uint32_t)tap_state.count + 1);

	alarm(seconds);
	tap_env_set = true;
	if (!setjmp(tap_env))
		t->fn();

	tap_env_set = false;
	alarm(0);
	printf("# %s took %lld ms\n", t->name, (long long)(now_ns() - start) / 1000000);
	files_close();
}

int run_tests(int argc, char **argv, const struct test *tests, size_t n)
{
	uint32_t violations;
	size_t i;

	if (argc > 1)
		tap_only = argv[1];

	signal(SIGALRM, tap_alarm);
	signal(SIGPIPE, SIG_IGN);
	violations = stat_of(violations);

	for (i = 0; i < n; i++)
		run_test(&tests[i], TEST_S);

	if (ctl_present())
		equal(stat_of(violations) - violations, violations_allowed,
		      "the model saw no violation");
	else
		skip("violations # SKIP no model");

	return tap_end();
}
