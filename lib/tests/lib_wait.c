// SPDX-License-Identifier: MIT
/*
 * The system calls of nvfifo_syncobj_wait(): one, as the driver polls in it before the thread sleeps.
 * Kernel and clock are this program's own ioctl() and clock_gettime().
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "nvfifo.h"
#include "tap.h"

#define NOW_NS		1000000000ll
#define HANDLE		3
#define WAIT_FLAGS	DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT

/* Arguments of the last call; the point is 0 for a binary syncobj. */
static struct drm_syncobj_timeline_wait asked;
static __u32 asked_handle;
static __u64 asked_point;
static unsigned int calls;
static int answer;				/* errno of the call, or 0 */

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	ts->tv_sec = NOW_NS / 1000000000;
	ts->tv_nsec = NOW_NS % 1000000000;

	return 0;
}

static int take_binary(const struct drm_syncobj_wait *w)
{
	asked.timeout_nsec = w->timeout_nsec;
	asked.count_handles = w->count_handles;
	asked.flags = w->flags;
	memcpy(&asked_handle, (void *)(uintptr_t)w->handles, sizeof(asked_handle));
	asked_point = 0;
	calls++;
	errno = answer;

	return answer ? -1 : 0;
}

static int take_timeline(const struct drm_syncobj_timeline_wait *w)
{
	asked = *w;
	memcpy(&asked_handle, (void *)(uintptr_t)w->handles, sizeof(asked_handle));
	memcpy(&asked_point, (void *)(uintptr_t)w->points, sizeof(asked_point));
	calls++;
	errno = answer;

	return answer ? -1 : 0;
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
		return take_binary(arg);
	if (request == DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT)
		return take_timeline(arg);
	if (request == DRM_IOCTL_VERSION) {
		version = arg;
		snprintf(version->name, version->name_len, "nvfifo");
		return 0;
	}

	errno = ENOTTY;
	return -1;
}

/* One wait, whose call ends with @error: whether it is one call, until @until, with this result. */
static bool wait_is(struct nvfifo_dev *dev, __u64 point, __s64 ns, int error, __s64 until)
{
	int ret;

	calls = 0;
	answer = error;
	ret = nvfifo_syncobj_wait(dev, HANDLE, point, ns);
	if (ret == -error && calls == 1 && asked_handle == HANDLE && asked_point == point &&
	    asked.timeout_nsec == until && asked.count_handles == 1 && asked.flags == WAIT_FLAGS)
		return true;

	tap_diag("returned %d after %u calls, the last for point %llu until %lld", ret, calls,
		 (unsigned long long)asked_point, (long long)asked.timeout_nsec);

	return false;
}

int main(void)
{
	struct nvfifo_dev *dev;

	if (!tap(!nvfifo_open("/dev/null", &dev), "a device: %s", nvfifo_last_error()))
		return tap_end();

	tap(wait_is(dev, 0, 1000, 0, NOW_NS + 1000), "a wait is one system call");
	tap(wait_is(dev, 7, 1000, 0, NOW_NS + 1000), "and so is that for a point of a timeline");
	tap(wait_is(dev, 0, 5000000000ll, 0, NOW_NS + 5000000000ll), "the limit is a time to come");
	tap(wait_is(dev, 0, -1, 0, INT64_MAX), "a negative one is none");
	tap(wait_is(dev, 0, INT64_MAX, 0, INT64_MAX), "the longest does not overflow");
	tap(wait_is(dev, 7, 1000, ETIME, NOW_NS + 1000) && strstr(nvfifo_last_error(), "in time"),
	    "a fence that is late: %s", nvfifo_last_error());
	tap(wait_is(dev, 0, 1000, ENOENT, NOW_NS + 1000) &&
	    strstr(nvfifo_last_error(), "SYNCOBJ_WAIT"), "an error: %s", nvfifo_last_error());
	nvfifo_close(dev);

	return tap_end();
}
