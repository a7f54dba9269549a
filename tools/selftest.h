/* SPDX-License-Identifier: MIT */
/* The steps of "nvfifo selftest". */
#ifndef NVFIFO_SELFTEST_H
#define NVFIFO_SELFTEST_H

#include <stdio.h>

#include "json.h"
#include "nvfifo.h"

struct selftest {
	struct nvfifo_dev *dev;
	FILE *report;
	const char *tracefs;
	struct nvfifo_json json;	/* of standard output */
	__s64 timeout_ns;
	int version[3];
	struct drm_nvfifo_query_device d;
	struct drm_nvfifo_query_limits l;
	struct nvfifo_bo mem;
	struct nvfifo_bo push;
	struct nvfifo_bo other;
	__u32 vm;
	__u32 channel;
	__u32 syncobj;
	unsigned int push_words;	/* used of the pushbuffer, so that none is reused too soon */
	char why[400];
};

enum {
	SELFTEST_ALWAYS,
	SELFTEST_NEEDS_G84,
	SELFTEST_NEEDS_FAULTS,
};

/**
 * struct selftest_step - A step of the test
 * @name: fact that a pass shows
 * @run: tries it; 0, or -1 with the reason in struct selftest
 * @needs: which cards and options it is for
 * @advice: advice for a failure
 */
struct selftest_step {
	const char *name;
	int (*run)(struct selftest *t);
	int needs;
	const char *advice;
};

/* In their order */
extern const struct selftest_step selftest_steps[];
extern const size_t selftest_step_count;

#endif
