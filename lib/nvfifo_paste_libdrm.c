// SPDX-License-Identifier: MIT
/*
 * The dump of a submission by libdrm, and by Mesa since it has libdrm's code. The kernel refused the
 * submission, or NOUVEAU_LIBDRM_DEBUG=1 asks for all of them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_paste_priv.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

#define BUFFERS	1024

struct request {
	__u64 offsets[BUFFERS];	/* 0: not known */
	unsigned int segments;
	unsigned int unmapped;
};

/* "ch5: psh 00000000 ..." */
static bool is_channel(const char *s)
{
	size_t n;

	if (strncmp(s, "ch", 2))
		return false;

	n = nvfifo_text_digits(s + 2, 10);
	return n && !strncmp(s + 2 + n, ": ", 2);
}

/*
 * The text after "nouveau:" and a tab, which syslog writes as "#011". Some copies of libdrm print
 * no "nouveau:".
 */
static const char *libdrm_text(const char *s)
{
	const char *p = strstr(s, "nouveau:");

	if (!p) {
		p = nvfifo_text_skip(s);
		return is_channel(p) || nvfifo_text_is_0x(p) ? p : NULL;
	}

	p = nvfifo_text_skip(p + strlen("nouveau:"));
	if (!strncmp(p, "#011", 4))
		p = nvfifo_text_skip(p + 4);

	return p;
}

bool paste_is_libdrm(const char *s)
{
	const char *p = libdrm_text(s);

	if (!p)
		return false;
	if (is_channel(p))
		return strstr(p, ": krec ") || strstr(p, ": buf ") || strstr(p, ": psh ") || strstr(p, ": rel ");

	return strstr(s, "nouveau:") && (nvfifo_text_is_0x(p) || !strncmp(p, "kernel rejected", 15));
}

static bool is_word(const char *s, __u32 *word)
{
	const char *p = libdrm_text(s);
	size_t digits;
	__u64 v;

	if (!p || !nvfifo_text_is_0x(p))
		return false;

	p = nvfifo_text_hex(p, &v, &digits);
	if (!p || digits > 8 || *nvfifo_text_skip(p))
		return false;

	*word = (__u32)v;
	return true;
}

static size_t words_after(const struct paste *p, size_t line)
{
	size_t i;
	__u32 v;

	for (i = line + 1; i < p->count && is_word(p->lines[i], &v); i++)
		;

	return i - line - 1;
}

/* "buf 00000000 0000000b 00000004 00000004 00000000 0x7f5dc2f80000 0x20010000 0x80000" */
static void note_buffer(struct request *r, const char *s)
{
	unsigned long long offset;
	unsigned int index;

	if (sscanf(s, ": buf %x %*x %*x %*x %*x %*s %llx", &index, &offset) != 2 ||
	    index >= BUFFERS)
		return;

	r->offsets[index] = offset;
}

/* "psh 00000000 0000000100 0000000120": the segment whose words follow */
static void put_segment(struct request *r, const char *s, size_t count, struct paste_out *o)
{
	unsigned long long from, to;
	unsigned int index;
	__u64 va;

	r->unmapped += strstr(s, "(unmapped)") != NULL;
	if (sscanf(s, ": psh %x %llx %llx", &index, &from, &to) != 3 || !count)
		return;

	paste_print(o);
	va = (index < BUFFERS ? r->offsets[index] : 0) + from;
	fprintf(o->f, "push %u va %010" PRIx64 " bytes %zu noprefetch 0 ib %08x %08x\n", r->segments++,
		(uint64_t)va, count * 4, (__u32)va & ~3u, (__u32)(va >> 32) | (__u32)count << 10);
}

int paste_libdrm_put(const struct paste *p, struct paste_out *o)
{
	struct request *r = calloc(1, sizeof(*r));
	unsigned int unmapped;
	const char *s;
	__u32 word;
	size_t i;

	if (!r)
		return nvfifo_error(-ENOMEM, "out of memory");

	for (i = 0; i < p->count; i++) {
		if (is_word(p->lines[i], &word)) {
			paste_put_word(o, word);
		} else if (strstr(p->lines[i], ": krec ")) {
			memset(r->offsets, 0, sizeof(r->offsets));
		} else if ((s = strstr(p->lines[i], ": buf "))) {
			note_buffer(r, s);
		} else if ((s = strstr(p->lines[i], ": psh "))) {
			put_segment(r, s, words_after(p, i), o);
		}
	}

	unmapped = r->unmapped;
	free(r);
	if (o->words.count)
		return 0;
	if (unmapped)
		return nvfifo_error(-EINVAL, "libdrm's dump has no words: '(unmapped)' says that the program had not mapped the buffer");

	return nvfifo_error(-EINVAL, "libdrm's dump has no words: the request had no segments, or they were not copied");
}
