// SPDX-License-Identifier: MIT
/*
 * Benchmark of the library's disassembler: millions of words per second that it decodes into
 * text. It repeats the words of a recorded submission. With a second argument it writes the
 * words to that file, in the format of envytools' dedma.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "nvfifo_capture.h"

#define ROUNDS 60
#define TRIES 15

static struct nvfifo_decoder start;
static struct nvfifo_words words;

static int on_object(void *ctx, unsigned int channel, __u32 handle, __u32 oclass)
{
	(void)ctx;
	(void)channel;
	return nvfifo_decoder_handle(&start, handle, oclass);
}

static int on_segment(void *ctx, unsigned int channel, unsigned int index, __u64 va, size_t count,
		      const __u32 ib[2])
{
	(void)ctx;
	(void)channel;
	(void)index;
	(void)va;
	(void)count;
	(void)ib;
	return 0;
}

static int on_word(void *ctx, __u32 word)
{
	(void)ctx;
	return nvfifo_words_add(&words, word);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static size_t decode(char *out)
{
	struct nvfifo_decoder d = start;
	char *s = out;
	size_t i;

	for (i = 0; i < words.count; i++) {
		struct nvfifo_word w;

		nvfifo_decode(&d, words.data[i], &w);
		s += nvfifo_listing_line(&w, NVFIFO_FORMAT_NV04, i * 4, s);
		*s++ = '\n';
	}
	return (size_t)(s - out);
}

static int write_trace(const char *path)
{
	FILE *f = fopen(path, "w");
	size_t i, j;

	if (!f)
		return 1;
	/* Long enough for its reading of rnndb not to matter. */
	for (j = 0; j < ROUNDS * 10; j++) {
		for (i = 0; i < words.count; i++)
			fprintf(f, "--1-- w 1:0x%zx, 0x%08x\n", (j * words.count + i) * 4,
				words.data[i]);
	}
	return fclose(f) != 0;
}

int main(int argc, char **argv)
{
	static const struct nvfifo_capture_ops ops = {
		.object = on_object,
		.segment = on_segment,
		.word = on_word,
	};
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	char *text = malloc(1 << 20), *out;
	double best = 0, bytes = 0;
	size_t len;
	int i, j;

	if (!f || !text) {
		free(text);
		fprintf(stderr, "usage: decode DUMP [TRACE]\n");
		return 2;
	}
	len = fread(text, 1, 1 << 20, f);
	fclose(f);
	nvfifo_decoder_init(&start, NVFIFO_FORMAT_NV04, 0x96);
	i = nvfifo_capture_read(text, len, &ops, NULL, NULL);
	free(text);
	if (i) {
		fprintf(stderr, "%s: %s\n", argv[1], nvfifo_last_error());
		return 2;
	}
	if (argc > 2)
		return write_trace(argv[2]);
	out = malloc(words.count * NVFIFO_WORD_TEXT_MAX);
	if (!out)
		return 2;
	for (i = 0; i < TRIES; i++) {
		double from = seconds(), s;

		for (j = 0; j < ROUNDS; j++)
			bytes = (double)decode(out);
		s = seconds() - from;
		if ((double)words.count * ROUNDS / s > best)
			best = (double)words.count * ROUNDS / s;
	}
	printf("%.2f %.0f %zu\n", best / 1e6, bytes / (double)words.count * best / 1e6,
	       words.count * ROUNDS);
	return 0;
}
