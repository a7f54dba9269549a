// SPDX-License-Identifier: MIT
/*
 * How many system calls nvfifo_syncobj_wait() makes: it looks for 200 microseconds before it sleeps,
 * and less and less often where that is in vain. Kernel and clock are this program's own ioctl() and
 * clock_gettime(): a look takes 12.5 microseconds.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <time.h>

#include "nvfifo.h"
#include "tap.h"

#define LOOK_NS		12500
#define LOOKS		16	/* before a wait sleeps */
#define SKIP_MAX	255	/* waits in a row without a look */
#define NEVER		1000	/* the fence does not end before a thread sleeps */

static unsigned int ends_at;	/* the look that finds the fence ended, from 1 */
static unsigned int looks, sleeps;
static __s64 now = 1000000000;

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	ts->tv_sec = now / 1000000000;
	ts->tv_nsec = now % 1000000000;

	return 0;
}

static int look_or_sleep(__s64 until)
{
	if (until) {
		sleeps++;
		return 0;
	}

	now += LOOK_NS;
	if (++looks == ends_at)
		return 0;

	errno = ETIME;
	return -1;
}

int ioctl(int fd, unsigned long request, ...)
{
	struct drm_version *version;
	va_list args;
	void *arg;

	(void)fd;
	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);

	if (request == DRM_IOCTL_SYNCOBJ_WAIT)
		return look_or_sleep(((struct drm_syncobj_wait *)arg)->timeout_nsec);
	if (request == DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT)
		return look_or_sleep(((struct drm_syncobj_timeline_wait *)arg)->timeout_nsec);
	if (request == DRM_IOCTL_VERSION) {
		version = arg;
		snprintf(version->name, version->name_len, "nvfifo");
		return 0;
	}

	errno = ENOTTY;
	return -1;
}

/* One wait of @ns nanoseconds for a fence that the look @end finds. */
static bool wait_of(struct nvfifo_dev *dev, __s64 ns, __u64 point, unsigned int end,
		    unsigned int want_looks, unsigned int want_sleeps)
{
	int ret;

	ends_at = end;
	looks = 0;
	sleeps = 0;
	ret = nvfifo_syncobj_wait(dev, 1, point, ns);
	if (!ret && looks == want_looks && sleeps == want_sleeps)
		return true;

	tap_diag("returned %d after %u looks and %u sleeps, expected %u and %u", ret, looks, sleeps,
		 want_looks, want_sleeps);

	return false;
}

static bool wait_is(struct nvfifo_dev *dev, __u64 point, unsigned int end, unsigned int want_looks,
		    unsigned int want_sleeps)
{
	return wait_of(dev, 1000000000, point, end, want_looks, want_sleeps);
}

/* A wait that ends before the looks would. */
static void short_time(struct nvfifo_dev *dev)
{
	tap(wait_of(dev, 200000, 0, 1, 0, 1), "a wait of 200 microseconds is left to the kernel");
	tap(wait_of(dev, 0, 0, 1, 0, 1), "and so is a look");
	tap(wait_of(dev, 200001, 0, NEVER, LOOKS, 1), "a longer one looks first");
	tap(wait_is(dev, 0, NEVER, 0, 1) && wait_is(dev, 0, 1, 1, 0),
	    "only the longer one counts as looks in vain");
}

static void short_work(struct nvfifo_dev *dev)
{
	unsigned int i, right = 0;

	for (i = 1; i <= LOOKS; i++)
		right += wait_is(dev, 0, i, i, 0);
	tap(right == LOOKS, "a fence that a look finds is not slept for");

	tap(wait_is(dev, 7, 3, 3, 0), "nor is a point of a timeline");
}

/* After each wait that looks in vain, twice as many and one more sleep at once. */
static void long_work(struct nvfifo_dev *dev)
{
	unsigned int skip, i, right = 0, waits = 0;

	for (skip = 1; skip < 2 * SKIP_MAX; skip = 2 * skip + 1) {
		right += wait_is(dev, 0, NEVER, LOOKS, 1);
		waits++;
		for (i = 0; i < skip && i < SKIP_MAX; i++) {
			right += wait_is(dev, i & 1, NEVER, 0, 1);
			waits++;
		}
	}
	tap(right == waits, "looks in vain get rarer: %u of %u waits", right, waits);

	tap(wait_is(dev, 0, NEVER, LOOKS, 1), "but do not end");
	for (i = 0, right = 0; i < SKIP_MAX; i++)
		right += wait_is(dev, 0, 1, 0, 1);
	tap(right == SKIP_MAX, "%u waits sleep at once, also where a look would do", SKIP_MAX);
	tap(wait_is(dev, 0, 1, 1, 0), "the next one looks");
	tap(wait_is(dev, 0, NEVER, LOOKS, 1), "and as it found the fence, so does the one after it");
	tap(wait_is(dev, 0, NEVER, 0, 1) && wait_is(dev, 0, NEVER, LOOKS, 1),
	    "the number of waits without a look begins with one again");
}

int main(void)
{
	struct nvfifo_dev *dev;

	if (!tap(!nvfifo_open("/dev/null", &dev), "a device: %s", nvfifo_last_error()))
		return tap_end();

	short_time(dev);
	short_work(dev);
	long_work(dev);
	nvfifo_close(dev);

	return tap_end();
}
