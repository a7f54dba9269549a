/* SPDX-License-Identifier: MIT */
/*
 * The kernel's fault injection: /proc/self/fail-nth makes the nth allocation of this task
 * fail, and so counts them.
 */
#ifndef NVFIFO_TESTS_FAULT_H
#define NVFIFO_TESTS_FAULT_H

#include "nvfifo_text.h"
#include "raw.h"

static int nth_fd = -1;

static inline bool attr_write(const char *attr, const char *file, const char *val)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", attr, file);
	return !file_write(path, val);
}

/* Begin of a function of the kernel or of the driver, and of the next function. */
static inline bool symbol_range(const char *symbol, unsigned long *start, unsigned long *end)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[600], name[128];
	unsigned long addr;

	*start = 0;
	*end = 0;
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx %*c %127s", &addr, name) == 2 && !strcmp(name, symbol))
			*start = addr;
	rewind(f);
	while (*start && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx", &addr) == 1 && addr > *start && (!*end || addr < *end))
			*end = addr;
	fclose(f);
	return *start && *end;
}

static inline bool attr_range(const char *attr, const char *which, unsigned long start,
			      unsigned long end)
{
	char file[32], text[32];
	bool ok;

	snprintf(file, sizeof(file), "%s-start", which);
	snprintf(text, sizeof(text), "0x%lx", start);
	ok = attr_write(attr, file, text);
	snprintf(file, sizeof(file), "%s-end", which);
	snprintf(text, sizeof(text), "0x%lx", end);
	return ok && attr_write(attr, file, text);
}

/*
 * UML sends each access of a BAR as a message, for which it allocates memory and
 * does without if there is none. A machine has nothing like it, so these do not
 * count, or a call with many accesses would take for ever.
 */
static inline bool reject_virt_pci(const char *attr)
{
	unsigned long start, end;

	return !symbol_range("um_pci_send_cmd", &start, &end) ||
	       attr_range(attr, "reject", start, end);
}

static inline bool kernel_ready(void)
{
	bool ok = attr_write("failslab", "ignore-gfp-wait", "N") &&
		  attr_write("fail_page_alloc", "ignore-gfp-wait", "N") &&
		  attr_write("fail_page_alloc", "min-order", "0");

	/*
	 * Copies from and to user space are tested elsewhere; a result that cannot be copied out
	 * after the call has taken effect is no fault.
	 */
	attr_range("fail_usercopy", "require", 0, 1);
	nth_fd = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	return ok && nth_fd >= 0 && reject_virt_pci("failslab") &&
	       reject_virt_pci("fail_page_alloc");
}

static inline void nth_arm(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	need(pwrite(nth_fd, text, (size_t)len, 0) == len, "fail-nth: %s", strerror(errno));
}

/* Return the number of allocations left until the failure, and turn the failure off. */
static inline unsigned long nth_left(void)
{
	char text[16] = "";
	ssize_t n = pread(nth_fd, text, sizeof(text) - 1, 0);

	if (pwrite(nth_fd, "0", 1, 0) != 1)
		diag("fail-nth cannot be cleared: %s", strerror(errno));
	return n > 0 ? nvfifo_text_value(text, 10) : ~0ul;
}

/* Did the nth allocation happen, and fail? */
static inline bool nth_hit(void)
{
	return !nth_left();
}

#endif
