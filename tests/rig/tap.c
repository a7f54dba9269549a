// SPDX-License-Identifier: MIT
/* Results of a test, and how a test ends early. */
#include "rig.h"

const char *tap_only;
bool tap_env_set;
jmp_buf tap_env;
char give_up_text[200];

void give_up(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(give_up_text, sizeof(give_up_text), fmt, ap);
	va_end(ap);

	va_start(ap, fmt);
	tap_vline(false, file, line, fmt, ap);
	va_end(ap);

	if (tap_env_set)
		longjmp(tap_env, 1);

	exit(tap_end());
}

bool refused_at(const char *file, int line, int ret, int err, const char *what)
{
	bool ok = tap_at(file, line, ret == -err, "%s: %s", what, strerrorname_np(err));

	if (!ok)
		diag("returned %d (%s)", ret, ret < 0 ? strerror(-ret) : "success");
	return ok;
}

bool equal_at(const char *file, int line, uint64_t is, uint64_t want, const char *what)
{
	bool ok = tap_at(file, line, is == want, "%s", what);

	if (!ok)
		diag("is 0x%llx, not 0x%llx", (unsigned long long)is, (unsigned long long)want);
	return ok;
}

void msleep(unsigned int ms)
{
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000l };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

uint32_t ms_since(int64_t start)
{
	return (uint32_t)((now_ns() - start) / 1000000);
}

bool may_come(int64_t start)
{
	msleep(5);

	return ms_since(start) < WAIT_MS;
}
