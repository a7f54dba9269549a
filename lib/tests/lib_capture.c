// SPDX-License-Identifier: MIT
/*
 * Captures as text programs. The submissions of a real driver become a program, which is read
 * again. It must have the same words in the same submissions, the same objects, and memory at
 * their addresses.
 */
#include <errno.h>

#include "nvfifo_capture.h"
#include "nvfifo_lint.h"
#include "nvfifo_prog.h"
#include "tap.h"

struct stream {
	struct nvfifo_words words;
	size_t segments;
	size_t submissions;
	size_t objects;
};

static int on_object(void *ctx, unsigned int channel, __u32 handle, __u32 oclass)
{
	struct stream *s = ctx;

	(void)channel;
	(void)handle;
	(void)oclass;
	s->objects++;
	return 0;
}

static int on_segment(void *ctx, unsigned int channel, unsigned int index, __u64 va, size_t words,
		      const __u32 ib[2])
{
	struct stream *s = ctx;

	(void)channel;
	(void)va;
	(void)words;
	(void)ib;
	s->segments++;
	s->submissions += !index;
	return 0;
}

static int on_word(void *ctx, __u32 word)
{
	struct stream *s = ctx;

	return nvfifo_words_add(&s->words, word);
}

/* The program of a capture, read. @text is to be freed. Return: 0 or -errno. */
static int program_of(const char *capture, size_t len, char **text, struct nvfifo_prog *p,
		      struct nvfifo_diag *diag)
{
	size_t size = 0;
	FILE *f = open_memstream(text, &size);
	int ret;

	if (!f)
		exit(1);
	ret = nvfifo_capture_program(capture, len, 0, f, diag);
	fclose(f);
	if (!ret)
		ret = nvfifo_prog_read(*text, size, NVFIFO_PROG_VA_START, NVFIFO_PROG_VA_END, p,
				       diag);

	return ret;
}

static void on_finding(void *ctx, const struct nvfifo_finding *f)
{
	unsigned int *errors = ctx;

	printf("# %u: %s %s\n", f->line, f->rule->name, f->text);
	*errors += f->rule->severity == NVFIFO_LINT_ERROR;
}

static unsigned int lint_errors(const struct nvfifo_prog *p, __u32 chipset)
{
	unsigned int errors = 0;
	struct nvfifo_lint *l = nvfifo_lint_new(NVFIFO_FORMAT_NV04, chipset, on_finding, &errors);

	if (!l)
		exit(1);
	nvfifo_lint_program(l, p);
	nvfifo_lint_free(l);

	return errors;
}

static void test_real(const char *path, __u32 chipset)
{
	static const struct nvfifo_capture_ops ops = {
		.object = on_object,
		.segment = on_segment,
		.word = on_word,
	};
	struct nvfifo_diag diag = { 0 };
	struct stream s = { 0 };
	struct nvfifo_prog p = { 0 };
	size_t len, i, submits = 0, entries = 0, classes = 0, at = 0;
	char *capture = tap_file(path, &len), *text = NULL;
	bool same = true;
	int ret;

	nvfifo_capture_read(capture, len, &ops, &s, &diag);
	ret = program_of(capture, len, &text, &p, &diag);
	if (!tap(!ret, "%s becomes a program", path)) {
		printf("# %d, %u:%u: %s\n", ret, diag.line, diag.column, diag.text);
		goto out;
	}

	for (i = 0; i < p.step_count; i++) {
		const struct nvfifo_prog_step *step = &p.steps[i];
		size_t k;

		if (step->type != NVFIFO_STEP_SUBMIT)
			continue;
		submits++;
		entries += step->count;
		for (k = 0; k < step->count; k++) {
			const struct nvfifo_words *w =
				&p.pushes[p.entries[step->first + k].push].words;

			same = same && at + w->count <= s.words.count &&
			       !memcmp(w->data, s.words.data + at, w->count * 4);
			at += w->count;
		}
	}
	for (i = 0; i < p.object_count; i++)
		classes += p.objects[i].engine;
	tap(same && at == s.words.count && at > 500, "%zu words are the same, in their order", at);
	tap(submits == s.submissions && entries == s.segments, "%zu submissions, %zu entries", submits,
	    entries);
	tap(classes == s.objects, "%zu objects of engines", classes);
	tap(!lint_errors(&p, chipset), "and lint finds no error");
	nvfifo_prog_free(&p);
out:
	nvfifo_words_free(&s.words);
	free(capture);
	free(text);
}

static const struct {
	const char *what, *capture;
	int ret;
} odd[] = {
	{ "no segment", "grobj channel 0 handle 1 class 5039\n", -ENOENT },
	{ "nothing", "", -ENOENT },
	{ "a segment that lacks words", "push 0 va 2000 bytes 8 noprefetch 0 ib 2000 800\n0\n", -EINVAL },
	{ "an empty segment", "push 0 va 2000 bytes 0 noprefetch 0 ib 2000 0\npush 1 va 2000 bytes 4 noprefetch 0 ib 2000 400\n0\n", 0 },
	{ "a NULL object", "grobj channel 5 handle 1 class 0\npush 0 va 2000 bytes 4 noprefetch 0 ib 2000 400\n0\n", 0 },
	{ "an object twice", "grobj channel 5 handle 1 class 5039\ngrobj channel 5 handle 1 class 502d\n"
	  "push 0 va 2000 bytes 4 noprefetch 0 ib 2000 400\n0\n", 0 },
	{ "the driver's handles", "push 0 va 2000 bytes 12 noprefetch 0 ib 2000 c00\n40060 80000000 0\n", 0 },
	{ "a segment no larger than its command", "push 0 va 2000 bytes 4 noprefetch 0 ib 2000 400\n40060\n"
	  "push 1 va 2000 bytes 4 noprefetch 0 ib 2000 80000600\n1234\n", 0 },
	{ "127 channels", NULL, -ENOSPC },
};

static void test_odd(void)
{
	char many[16384] = "", *s = many;
	size_t i;

	for (i = 0; i < 127; i++)
		s += sprintf(s, "submit 0 channel %zu\npush 0 va 2000 bytes 4 noprefetch 0 ib 2000 400\n0\n", i);
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		const char *capture = odd[i].capture ? odd[i].capture : many;
		struct nvfifo_prog p = { 0 };
		struct nvfifo_diag diag = { 0 };
		char *text = NULL;
		int ret = program_of(capture, strlen(capture), &text, &p, &diag);

		if (!tap(ret == odd[i].ret, "%s: %d", odd[i].what, odd[i].ret))
			printf("# %d, %u:%u: %s\n%s", ret, diag.line, diag.column, diag.text, text);
		nvfifo_prog_free(&p);
		free(text);
	}
}

int main(void)
{
	test_real("tests/data/mesa-gles2-nv50.txt", 0x50);
	test_real("tests/data/mesa-gles2-nv96.txt", 0x96);
	test_real("tests/data/mesa-gles2-nva8.txt", 0xa8);
	test_real("tests/data/mesa-gl33-nv96.txt", 0x96);
	test_odd();

	return tap_end();
}
