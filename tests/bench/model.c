// SPDX-License-Identifier: MIT
/*
 * Benchmark of the model: methods per second, and bytes per second of M2MF and of the host. The two
 * alternate, so that the state of the host is the same for both, and the medians are printed.
 */
#include <time.h>

#include "../../sim/tests/rig_gr.h"
#include "median.h"

#define TURNS	  31
#define WORDS	  40000	 /* of push buffer a turn */
#define HEADER	  0x7d0	 /* methods a header */
#define VA_MEM	  0x00400000u
#define VRAM_MEM  0x02000000u
#define COPY	  (1u << 20)
#define SUBC_M2MF 5
#define H_VM	  1u

/* Processor time: other programs of the host do not count. */
static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static struct rig *ready(void)
{
	struct rig *r = rig_create("g84");
	uint32_t i;

	rig_init_pfifo(r);
	gr_init(r);
	channel_create(r, 1, true);
	gr_context(r, 1);
	ramht_insert(r, 1, hash9(H_VM), H_VM, 1 << 20 | CHAN_DMAOBJ >> 4);
	graph_object(r, 1, 1, 0x9010, 0x5039);
	for (i = 0; i < 4 * COPY; i += 0x1000)
		map_vram(r, 1, VA_MEM + i, VRAM_MEM + i);
	bar_flush(r);
	playlist(r, 1, 1);
	submit(r, 1, M(SUBC_M2MF, 0, 1), 0x5039, M(SUBC_M2MF, 0x180, 3), H_SEM, H_VM, H_VM,
	       M(SUBC_M2MF, 0x200, 1), 1, M(SUBC_M2MF, 0x21c, 1), 1, M(SUBC_M2MF, 0x238, 2), 0, 0);
	run(r);
	return r;
}

/* Methods a second: @header at the head of each HEADER words, which are @data. */
static double methods(struct rig *r, uint32_t header, uint32_t data)
{
	static uint32_t words[WORDS];
	double turn[TURNS], start;
	struct nvsim_stats before, after;
	unsigned int i, t;

	for (i = 0; i < WORDS; i++)
		words[i] = i % (HEADER + 1) ? data : header;
	/* The last header counts fewer. */
	words[WORDS - 1 - (WORDS - 1) % (HEADER + 1)] =
	    (header & ~0x1ffc0000u) | ((WORDS - 1) % (HEADER + 1)) << 18;
	for (t = 0; t < TURNS; t++) {
		r->push_at[1] = 0;
		nvsim_get_stats(r->sim, &before);
		start = now();
		submit_words(r, 1, words, WORDS);
		run(r);
		turn[t] = now() - start;
		nvsim_get_stats(r->sim, &after);
		turn[t] = (after.methods - before.methods) / turn[t];
	}
	return median(turn, TURNS);
}

/* Bytes that are @step apart, as the host copies them */
static void host_copy(uint8_t *to, const uint8_t *from, uint32_t step)
{
	uint32_t i;

	if (step == 1) {
		memcpy(to, from, COPY);
		return;
	}

	for (i = 0; i < COPY; i += step)
		to[i] = from[i];
}

/* Copy lines of 4 KiB, of which each byte that is a multiple of @step moves. */
static void m2mf(struct rig *r, uint32_t step)
{
	static uint8_t from[COPY], to[COPY], check[COPY];
	double copy[TURNS], plain[TURNS], start, a, b;
	unsigned int t, i;

	for (t = 0; t < TURNS; t++) {
		memset(from, (int)t + 1, sizeof(from));
		nvsim_vram_write(r->sim, VRAM_MEM, from, COPY);
		r->push_at[1] = 0;
		start = now();
		submit(r, 1, M(SUBC_M2MF, 0x30c, 8), VA_MEM, VA_MEM + 2 * COPY, 0x1000, 0x1000,
		       0x1000 / step, COPY / 0x1000, step << 8 | step, 0);
		run(r);
		copy[t] = COPY / step / (now() - start);
		start = now();
		host_copy(to, from, step);
		plain[t] = COPY / step / (now() - start);
		nvsim_vram_read(r->sim, VRAM_MEM + 2 * COPY, check, COPY);
		for (i = 0; i < COPY; i += step) {
			if (check[i] == to[i])
				continue;

			printf("the copy is wrong\n");
			exit(1);
		}
	}

	a = median(copy, TURNS);
	b = median(plain, TURNS);
	printf("M2MF, VRAM to VRAM, bytes %u apart: %.0f MB/s; host: %.0f MB/s; %.2f times\n", step,
	       a / 1e6, b / 1e6, a / b);
}

int main(void)
{
	struct rig *r = ready();

	printf("pusher and puller alone (REF_CNT): %.1f million methods/s\n",
	       methods(r, NI(0, 0x50, HEADER), 1) / 1e6);
	printf("with PGRAPH (state of M2MF): %.1f million methods/s\n",
	       methods(r, NI(SUBC_M2MF, 0x30c, HEADER), VA_MEM) / 1e6);
	m2mf(r, 1);
	m2mf(r, 4);
	if (!clean(r))
		return 1;
	rig_destroy(r);
	return 0;
}
