/* SPDX-License-Identifier: MIT */
/* The kernel's interface for nvfifo_pt.c, in user space; included before it */
#ifndef NVFIFO_BENCH_PT_SHIM_H
#define NVFIFO_BENCH_PT_SHIM_H

#include <endian.h>
#include <stddef.h>

#include <linux/types.h>

#define WRITE_ONCE(x, val)	(*(volatile __typeof__(x) *)&(x) = (val))
#define cpu_to_le64(x)		htole64(x)
#define le64_to_cpu(x)		le64toh(x)
#define __force

/* One string instruction on x86, as in the kernel. */
static inline void memset64(__u64 *p, __u64 val, size_t count)
{
#ifdef __x86_64__
	__asm__ volatile("rep stosq" : "+D" (p), "+c" (count) : "a" (val) : "memory");
#else
	while (count--)
		*(volatile __u64 *)p++ = val;
#endif
}

/* To be timed as in a module without KUnit's suites; to be counted with a call for each store. */
#ifdef BENCH_COUNTED
#define IS_ENABLED(x)		1
#define nvfifo_pt_write		counted_pt_write
#define nvfifo_pt_copy		counted_pt_copy
#define nvfifo_pt_lookup	counted_pt_lookup
#else
#define IS_ENABLED(x)		0
#endif

#endif
