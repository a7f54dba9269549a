// SPDX-License-Identifier: MIT
/*
 * A library to preload into the programs of IGT. Some switch the console to graphics before they
 * begin, and give up if that fails. /dev/tty0 of User Mode Linux is no virtual terminal and refuses:
 * here it accepts.
 */
#define _GNU_SOURCE	/* RTLD_NEXT */
#include <dlfcn.h>
#include <linux/kd.h>
#include <stdarg.h>

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int fd, unsigned long request, ...);
	void *arg;
	va_list list;

	va_start(list, request);
	arg = va_arg(list, void *);
	va_end(list);

	switch (request) {
	case KDGETMODE:
		*(int *)arg = KD_TEXT;
		return 0;
	case KDSETMODE:
		return 0;
	}

	real = (__typeof__(real))dlsym(RTLD_NEXT, "ioctl");
	return real(fd, request, arg);
}
