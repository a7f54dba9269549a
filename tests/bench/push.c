// SPDX-License-Identifier: MIT
/*
 * Benchmark of the push builder: words per second. With -DNV_PUSH it measures Mesa's
 * nv_push.h instead, whose folder -I gives. Both write the same words in the NVC0 format. They are
 * a 2D rectangle with its colour and an immediate, alone and with an upload of 64 words.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nvfifo_push.h"
#ifdef NV_PUSH
#include "nv_push.h"
#endif

#define WORDS 77
#define JOBS 400
#define ROUNDS 400
#define TRIES 15

static __u32 ours[WORDS * JOBS], upload[64];
static int with_upload;

/* Not known when it is compiled, as in a real program. */
static volatile __u32 color = 0xff00ff00;

static size_t build(void)
{
	struct nvfifo_push p;
	unsigned int i;

	nvfifo_push_init(&p, ours, WORDS * JOBS, NVFIFO_FORMAT_NVC0);
	for (i = 0; i < JOBS; i++) {
		__u32 c = color + i;

		P_MTHD(&p, 3, 0x588, 1);
		P_DATA(&p, c);
		P_MTHD(&p, 3, 0x600, 4);
		P_DATA(&p, i);
		P_DATA(&p, i + 1);
		P_DATA(&p, i + 2);
		P_DATA(&p, i + 3);
		P_IMMD(&p, 3, 0x110, 0);
		if (with_upload) {
			P_0INC(&p, 3, 0x860, 64);
			P_DATAp(&p, upload, 64);
		}
		P_MTHD(&p, 3, 0x200, 1);
		P_DATA(&p, c >> 8);
	}
	if (nvfifo_push_finish(&p)) {
		puts(nvfifo_push_error_text(p.error));
		exit(1);
	}
	return nvfifo_push_words(&p);
}

#ifdef NV_PUSH
static __u32 theirs[WORDS * JOBS];

static size_t build_theirs(void)
{
	struct nv_push p;
	unsigned int i;

	nv_push_init(&p, theirs, WORDS * JOBS);
	for (i = 0; i < JOBS; i++) {
		__u32 c = color + i;

		__push_mthd(&p, 3, 0x588);
		nv_push_val(&p, 0x588, c);
		__push_mthd(&p, 3, 0x600);
		nv_push_val(&p, 0x600, i);
		nv_push_val(&p, 0x604, i + 1);
		nv_push_val(&p, 0x608, i + 2);
		nv_push_val(&p, 0x60c, i + 3);
		__push_immd(&p, 3, 0x110, 0);
		if (with_upload) {
			__push_0inc(&p, 3, 0x860);
			P_INLINE_ARRAY(&p, upload, 64);
		}
		__push_mthd(&p, 3, 0x200);
		nv_push_val(&p, 0x200, c >> 8);
	}
	return nv_push_dw_count(&p);
}
#endif

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Millions of words in a second; the best of some tries, as others use the machine. */
static double speed(size_t (*job)(void))
{
	double best = 0;
	unsigned int i, j;

	for (i = 0; i < TRIES; i++) {
		double start = seconds(), s;
		size_t words = 0;

		for (j = 0; j < ROUNDS; j++) {
			words += job();
			/* The words are used. */
			__asm__ volatile("" ::: "memory");
		}
		s = (double)words / (seconds() - start) / 1e6;
		best = s > best ? s : best;
	}
	return best;
}

int main(void)
{
	memset(upload, 0x5a, sizeof(upload));
	for (; with_upload < 2; with_upload++) {
		const char *what = with_upload ? "with uploads" : "commands only";
		double a = speed(build);
#ifdef NV_PUSH
		double b = speed(build_theirs);

		printf("%-14s nvfifo_push.h %6.0f, nv_push.h %6.0f million words/s: ratio %.2f\n",
		       what, a, b, a / b);
		if (build() != build_theirs() || memcmp(ours, theirs, sizeof(ours))) {
			puts("the words differ");
			return 1;
		}
#else
		printf("%-14s nvfifo_push.h %6.0f million words/s\n", what, a);
#endif
	}
	return 0;
}
