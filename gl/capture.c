// SPDX-License-Identifier: MIT
/*
 * $NVFIFO_GL_CAPTURE: what a program submits, as text that `nvfifo disasm --input capture` reads. A
 * line for each channel, object and submission; then each segment with its address and words.
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

#define WORDS_PER_LINE 8

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

void gl_capture_push(struct gl_file *file, const struct gl_bo *bo, uint64_t offset, uint64_t size,
		     uint32_t number, bool no_prefetch)
{
	uint64_t va = bo->extent.va + offset, i;
	const volatile uint32_t *words;

	if (!gl_capturing())
		return;
	words = file->map(file->fd, bo->mmap_offset, bo->size);
	if (!words) {
		gl_say("a pushbuffer cannot be captured: it cannot be mapped");
		return;
	}

	flockfile(capture);
	fprintf(capture, "push %u va %010llx bytes %llu noprefetch %d ib %08x %08x\n", number,
		(unsigned long long)va, (unsigned long long)size, no_prefetch, (uint32_t)va,
		(uint32_t)(va >> 32) | (uint32_t)size << 8 | (uint32_t)no_prefetch << 31);
	for (i = 0; i < size / 4; i++)
		fprintf(capture, "%08x%c", words[offset / 4 + i],
			i % WORDS_PER_LINE == WORDS_PER_LINE - 1 || i == size / 4 - 1 ? '\n' : ' ');
	fflush(capture);
	funlockfile(capture);
	file->unmap((void *)words, bo->size);
}
