// SPDX-License-Identifier: MIT
/*
 * $NVFIFO_GL_CAPTURE: the submissions of a program as text, for `nvfifo disasm --input capture`. It
 * has a line for each channel, object, buffer and submission. Segments follow with their words, and
 * the memory that the CPU and the card have changed. lib/nvfifo_capture.h has the format.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gl.h"
#include "nvfifo_crc.h"
#include "nvfifo_text.h"

#define WORDS_PER_LINE 8

/* Changes closer together than this are one stretch. */
#define GAP_WORDS 256

/* The shortest change by the card that is a result */
#define RESULT_WORDS 16

/* Bytes of contents in a file, if $NVFIFO_GL_CAPTURE_MIB does not say another number */
#define CONTENTS_MIB 64

static FILE *capture;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A process of its own has a file of its own: %p in the name is its number. */
static void open_capture(void)
{
	const char *name = getenv("NVFIFO_GL_CAPTURE"), *place;
	char path[4096];
	int len;

	if (!name || !*name)
		return;

	place = strstr(name, "%p");
	if (place)
		len = snprintf(path, sizeof(path), "%.*s%d%s", (int)(place - name), name,
			       (int)getpid(), place + 2);
	else
		len = snprintf(path, sizeof(path), "%s", name);
	if (len < 0 || (size_t)len >= sizeof(path)) {
		gl_say("NVFIFO_GL_CAPTURE: the name is too long");
		return;
	}

	capture = fopen(path, "we");
	if (!capture)
		gl_say("NVFIFO_GL_CAPTURE: %s: %s", path, strerror(errno));
}

bool gl_capturing(void)
{
	pthread_once(&once, open_capture);
	return capture;
}

void gl_capture_line(const char *fmt, ...)
{
	va_list args;

	if (!gl_capturing())
		return;

	va_start(args, fmt);
	vfprintf(capture, fmt, args);
	va_end(args);
	fputc('\n', capture);
	fflush(capture);
}

/* --- Memory --- */

static uint64_t contents_limit(void)
{
	const char *text = getenv("NVFIFO_GL_CAPTURE_MIB");
	uint64_t mib = CONTENTS_MIB;

	if (text && *text)
		mib = nvfifo_text_value(text, 10);
	return mib << 20;
}

static void print_words(const uint32_t *words, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		fprintf(capture, "%08x%c", words[i],
			i % WORDS_PER_LINE == WORDS_PER_LINE - 1 || i == count - 1 ? '\n' : ' ');
}

static void print_contents(uint64_t va, const uint32_t *words, size_t count)
{
	static uint64_t used;
	bool fits = count * 4 <= contents_limit() - used;

	fprintf(capture, "%s va %010llx bytes %zu\n", fits ? "contents" : "left_out",
		(unsigned long long)va, count * 4);
	if (!fits)
		return;
	used += count * 4;
	print_words(words, count);
}

static void print_result(uint64_t va, const uint32_t *words, size_t count)
{
	/* A shorter result is a fence or a time, which no other run repeats. */
	if (count < RESULT_WORDS)
		return;
	fprintf(capture, "result va %010llx bytes %zu crc %08x\n", (unsigned long long)va,
		count * 4, nvfifo_crc32(0, words, count * 4));
}

/* The kind, compression and place of a buffer, which the card's accesses depend on */
static void print_buffer(const struct gl_bo *bo)
{
	fprintf(capture, "mapped va %010llx bytes %llu domain %s kind %02x compression %u lsr %d\n",
		(unsigned long long)bo->extent.va, (unsigned long long)bo->size,
		bo->domain == NOUVEAU_GEM_DOMAIN_VRAM ? "vram" : "system",
		(bo->tile_flags & 0x7f00) >> 8,
		(bo->tile_flags & NOUVEAU_GEM_TILE_COMP) >> 16, bo->lsr);
}

/* Programs do not write memory of blocks by the CPU: Mesa copies it there by the card. */
static bool is_readable(const struct gl_bo *bo)
{
	return !(bo->tile_flags & 0x7f00);
}

/* A buffer is zeros when it is made, and so is its shadow. */
static void introduce(struct gl_bo *bo)
{
	if (bo->shadow)
		return;

	print_buffer(bo);
	bo->shadow = calloc(1, is_readable(bo) ? bo->size : 4);
	if (!bo->shadow)
		gl_say("no memory to capture %llu bytes", (unsigned long long)bo->size);
}

/* Print each stretch of memory that is not as in the shadow, and bring the shadow up to date. */
static void print_changes(struct gl_file *file, struct gl_bo *bo,
			  void (*print)(uint64_t va, const uint32_t *words, size_t count))
{
	const volatile uint32_t *words;
	size_t count = bo->size / 4, i, first = 0, end = 0;

	if (!bo->shadow || !is_readable(bo))
		return;
	words = file->map(file->fd, bo->mmap_offset, bo->size);
	if (!words)
		return;

	for (i = 0; i < count; i++) {
		uint32_t word = words[i];

		if (word == bo->shadow[i])
			continue;
		bo->shadow[i] = word;
		if (end && i - end >= GAP_WORDS) {
			print(bo->extent.va + first * 4, bo->shadow + first, end - first);
			end = 0;
		}
		if (!end)
			first = i;
		end = i + 1;
	}
	if (end)
		print(bo->extent.va + first * 4, bo->shadow + first, end - first);
	file->unmap((void *)words, bo->size);
}

/* The words of a segment are no contents beside. */
static void read_push(struct gl_file *file, const struct gl_push *push)
{
	const volatile uint32_t *words;
	size_t i;

	if (!push->bo->shadow || !is_readable(push->bo))
		return;
	words = file->map(file->fd, push->bo->mmap_offset, push->bo->size);
	if (!words)
		return;

	for (i = push->offset / 4; i < (push->offset + push->size) / 4; i++)
		push->bo->shadow[i] = words[i];
	file->unmap((void *)words, push->bo->size);
}

static void print_push(const struct gl_push *push, uint32_t number)
{
	const uint64_t va = push->bo->extent.va + push->offset;

	if (!push->bo->shadow || !is_readable(push->bo)) {
		gl_say("a pushbuffer cannot be captured: it cannot be read");
		return;
	}
	fprintf(capture, "push %u va %010llx bytes %llu noprefetch %d ib %08x %08x\n", number,
		(unsigned long long)va, (unsigned long long)push->size, push->no_prefetch,
		(uint32_t)va,
		(uint32_t)(va >> 32) | (uint32_t)push->size << 8 |
			(uint32_t)push->no_prefetch << 31);
	print_words(push->bo->shadow + push->offset / 4, push->size / 4);
}

void gl_capture_submission(struct gl_file *file, struct gl_bo *const *bos, uint32_t bo_count,
			   const struct gl_push *pushes, uint32_t push_count)
{
	uint32_t i;

	flockfile(capture);
	for (i = 0; i < bo_count; i++)
		introduce(bos[i]);
	for (i = 0; i < push_count; i++)
		read_push(file, &pushes[i]);
	for (i = 0; i < bo_count; i++)
		print_changes(file, bos[i], print_contents);
	for (i = 0; i < push_count; i++)
		print_push(&pushes[i], i);
	fflush(capture);
	funlockfile(capture);
}

void gl_capture_results(struct gl_file *file, struct gl_bo *const *bos, uint32_t bo_count)
{
	uint32_t i;

	flockfile(capture);
	for (i = 0; i < bo_count; i++)
		print_changes(file, bos[i], print_result);
	fflush(capture);
	funlockfile(capture);
}
