// SPDX-License-Identifier: MIT
/* Words in the forms in which people paste them. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_capture.h"
#include "nvfifo_paste.h"
#include "nvfifo_priv.h"

const char nvfifo_paste_forms[] =
	"hexadecimal words; libdrm's 'nouveau: 0x...' and its krec, buf, psh lines; dedma; demmt (PB: 0x...); "
	"valgrind-mmt (w 13:0x0000, 0x...); xxd; hexdump and hexdump -C; od -tx1 and -tx4; nvapeek; gdb's x/x; "
	"C assignments and arrays; OUT_RING(0x...) and PUSH_DATA(push, 0x...); lists of Python and Rust; bytes";

/* --- Lines ------------------------------------------------------------------ */

struct line {
	const char *s;
	size_t len;
};

static bool next_line(const char **text, const char *end, struct line *l)
{
	const char *newline;

	if (*text >= end)
		return false;

	newline = memchr(*text, '\n', (size_t)(end - *text));
	l->s = *text;
	l->len = (size_t)((newline ? newline : end) - *text);
	*text = newline ? newline + 1 : end;
	while (l->len && isspace((unsigned char)l->s[l->len - 1]))
		l->len--;

	return true;
}

static void copy(const struct line *l, char *buf, size_t size)
{
	snprintf(buf, size, "%.*s", (int)(l->len < size ? l->len : size - 1), l->s);
}

static size_t hex_len(const char *s)
{
	size_t n = 0;

	while (isxdigit((unsigned char)s[n]))
		n++;

	return n;
}

static const char *skip(const char *s)
{
	return s + strspn(s, " \t");
}

/* "0x40060" or "40060" at @s. Return: the text after it, or NULL. */
static const char *number(const char *s, __u64 *v, size_t *digits)
{
	char *end;

	if (s[0] == '0' && (s[1] | 0x20) == 'x')
		s += 2;
	*digits = hex_len(s);
	if (!*digits || *digits > 16)
		return NULL;

	*v = strtoull(s, &end, 16);
	return end;
}

/* Digits of each group after an offset if all have as many: 2, 4 or 8; else 0. */
static size_t group_width(const char *s)
{
	size_t width = 0, n;

	for (s = skip(s); (n = hex_len(s)); s = skip(s + n)) {
		if (s[n] && !isspace((unsigned char)s[n]))
			break;
		if (width && n != width)
			break;
		width = n;
		/* Two blanks end the groups of xxd and hexdump. */
		if (s[n] == ' ' && s[n + 1] == ' ' && width != 2)
			break;
	}

	return width == 2 || width == 4 || width == 8 ? width : 0;
}

/* --- Forms ------------------------------------------------------------------ */

static bool is_words(const char *s)
{
	size_t n;

	for (;;) {
		s += strspn(s, " \t,");
		if (!*s || *s == '#')
			return true;
		if (s[0] == '0' && (s[1] | 0x20) == 'x')
			s += 2;
		n = hex_len(s);
		if (!n || n > 8 || (s[n] && !strchr(" \t,#", s[n])))
			return false;
		s += n;
	}
}

/* Bytes in two digits, four or more of them */
static bool is_bytes(const char *s)
{
	size_t count = 0;

	for (s = skip(s); hex_len(s) == 2; s = skip(s + 2))
		count++;

	return count >= 4 && !*s;
}

/* Lines that terminals and Markdown have around the words: "(gdb) x/8xw pb", "$ xxd pb.bin", "```" */
static bool is_around(const char *s)
{
	s = skip(s);
	return !strncmp(s, "(gdb)", 5) || !strncmp(s, "$ ", 2) || !strncmp(s, "```", 3);
}

/* "nouveau: <blanks>0x00040060", in syslog with "#011" for the tab */
static const char *libdrm_text(const char *s)
{
	const char *p = strstr(s, "nouveau:");

	if (!p)
		return NULL;

	p = skip(p + strlen("nouveau:"));
	if (!strncmp(p, "#011", 4))
		p = skip(p + 4);

	return p;
}

static bool is_libdrm(const char *s)
{
	const char *p = libdrm_text(s);

	return p && (!strncmp(p, "0x", 2) || !strncmp(p, "ch", 2) || !strncmp(p, "kernel rejected", 15));
}

/* "w 13:0x0000, 0x00040060" */
static const char *mmt_text(const char *s)
{
	const char *p = strstr(s, "w ");

	if (!p || (p != s && p[-1] != ' '))
		return NULL;

	p += 2;
	p += strspn(p, "0123456789");
	if (strncmp(p, ":0x", 3))
		return NULL;

	p = strstr(p, ", ");
	return p ? p + 2 : NULL;
}

static const char *demmt_text(const char *s)
{
	const char *p = strstr(s, "PB: 0x");

	return p ? p + 4 : NULL;
}

static bool is_dedma(const char *s)
{
	s = skip(s);
	if (hex_len(s) != 8 || !isspace((unsigned char)s[8]))
		return false;

	s = skip(s + 8);
	return strstr(s, "size ") || strchr(s, '.') || strstr(s, "NV") || isalpha((unsigned char)*s);
}

static bool is_colon(const char *s)
{
	size_t n;

	s = skip(s);
	if (s[0] == '0' && (s[1] | 0x20) == 'x')
		s += 2;
	n = hex_len(s);
	s = skip(s + n);
	if (n && *s == '<')
		s += strcspn(s, ">") + 1;

	return n >= 4 && *s == ':' && (group_width(s + 1) || !strncmp(skip(s + 1), "0x", 2));
}

/* hexdump and od have seven or eight digits in front; the last line has these only. */
static bool is_offset(const char *s)
{
	size_t n = hex_len(s);

	if (n != 7 && !(n == 8 && strchr(s, '|')) && !(n == 8 && !s[n]))
		return false;
	if (*skip(s + n) == '*' || !s[n])
		return true;

	return group_width(s + n);
}

static bool is_call(const char *s)
{
	size_t n = 0;

	s = skip(s);
	if (isdigit((unsigned char)*s))
		return false;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	if (!n || s[n] != '(')
		return false;

	return strcasestr(s, "RING") || strcasestr(s, "PUSH") || strcasestr(s, "DATA") || strcasestr(s, "OUT");
}

static bool is_ib(const char *s)
{
	s = skip(s);
	return !strncasecmp(s, "ib[", 3) || !strncasecmp(s, "ib entry", 8) || !strncasecmp(s, "ib ", 3) ||
	       !strncasecmp(s, "ib_entry", 8);
}

/* Lines of each form, counted over the text */
struct counts {
	size_t lines, words, libdrm, mmt, demmt, dedma, size, colon, offset, dumped, calls, hdr, ib, c, list, bytes, around;
};

static void count_line(struct counts *n, const char *s)
{
	if (!*skip(s) || *skip(s) == '#')
		return;

	if (is_around(s)) {
		n->around++;
		return;
	}

	n->lines++;
	n->offset += is_offset(s);
	n->dumped += is_offset(s) && s[hex_len(s)];
	/* Most lines of a long text are words, and none of the other forms. */
	if (is_words(s)) {
		n->words++;
		n->bytes += is_bytes(s);
		return;
	}

	n->libdrm += is_libdrm(s);
	n->mmt += mmt_text(s) != NULL;
	n->demmt += demmt_text(s) != NULL;
	n->dedma += is_dedma(s);
	n->size += strstr(s, "subchannel") && strstr(s, "size ");
	n->colon += is_colon(s);
	n->calls += is_call(s);
	n->hdr += strstr(s, "HDR ") && strstr(s, "subch ");
	n->ib += is_ib(s);
	n->c += strchr(s, ';') || strchr(s, '{') || strchr(s, '}');
	n->list += strchr(s, '[') && !strchr(s, ';');
}

enum nvfifo_paste nvfifo_paste_detect(const char *text, size_t len)
{
	const char *end = text + len;
	struct counts n = { 0 };
	struct line l;
	char s[512];

	while (next_line(&text, end, &l)) {
		copy(&l, s, sizeof(s));
		count_line(&n, s);
	}

	if (n.libdrm)
		return NVFIFO_PASTE_LIBDRM;
	/* A line of eight digits alone is a word, unless it ends a dump. */
	if (n.dumped && n.offset == n.lines)
		return NVFIFO_PASTE_OFFSET;
	if (n.words && n.bytes == n.lines)
		return NVFIFO_PASTE_BYTES;
	if (n.words == n.lines)
		return n.around ? NVFIFO_PASTE_FENCED : NVFIFO_PASTE_WORDS;
	if (n.hdr)
		return NVFIFO_PASTE_HDR;
	if (n.demmt)
		return NVFIFO_PASTE_DEMMT;
	if (n.mmt)
		return NVFIFO_PASTE_MMT;
	if (n.colon == n.lines)
		return NVFIFO_PASTE_COLON;
	if (n.dedma == n.lines && n.size)
		return NVFIFO_PASTE_DEDMA;
	if (n.calls && 2 * n.calls >= n.lines)
		return NVFIFO_PASTE_CALLS;
	if (n.ib == n.lines)
		return NVFIFO_PASTE_IB;
	if (n.c)
		return NVFIFO_PASTE_C;
	if (n.list)
		return NVFIFO_PASTE_LIST;

	return NVFIFO_PASTE_UNKNOWN;
}

/* --- Words ------------------------------------------------------------------ */

struct out {
	FILE *f;
	size_t words;
	unsigned char bytes[4];	/* of a word that is not complete */
	unsigned int count;
};

static void put_word(struct out *o, __u32 v)
{
	fprintf(o->f, "%08x\n", v);
	o->words++;
}

/* The bytes of a word come with the lowest first. */
static void put_byte(struct out *o, unsigned int v)
{
	o->bytes[o->count++] = (unsigned char)v;
	if (o->count < 4)
		return;

	put_word(o, o->bytes[0] | o->bytes[1] << 8 | o->bytes[2] << 16 | (__u32)o->bytes[3] << 24);
	o->count = 0;
}

/*
 * Groups of digits after an offset. Four digits are two bytes in their order in xxd, and a number of 16
 * bits in hexdump.
 */
static void put_groups(struct out *o, const char *s, bool numbers)
{
	const size_t width = group_width(s);
	size_t n, shown = 0;
	__u64 v;

	for (s = skip(s); (n = hex_len(s)) && n <= width; s += n) {
		if ((s[n] && !isspace((unsigned char)s[n])) || n != width || shown >= 16)
			break;

		v = strtoull(s, NULL, 16);
		if (width == 8) {
			put_word(o, (__u32)v);
		} else if (width == 2) {
			put_byte(o, (unsigned int)v);
		} else {
			put_byte(o, numbers ? v & 0xff : v >> 8);
			put_byte(o, numbers ? v >> 8 : v & 0xff);
		}

		shown += width / 2;
		if (s[n] == ' ' && s[n + 1] == ' ' && width != 2)
			break;
		n += strspn(s + n, " \t");
	}
}

/* gdb's "0x7ffff7ff6000: 0x00040060 0xbeef0001", words or bytes */
static void put_numbers(struct out *o, const char *s)
{
	const char *next;
	size_t digits;
	__u64 v;

	for (s = skip(s); !strncmp(s, "0x", 2) && (next = number(s, &v, &digits)); s = skip(next)) {
		if (digits <= 2)
			put_byte(o, (unsigned int)v);
		else
			put_word(o, (__u32)v);
	}
}

/* The words of a line that is_words() */
static void put_words(struct out *o, const char *s)
{
	const char *next;
	size_t digits;
	__u64 v;

	for (s += strspn(s, " \t,"); (next = number(s, &v, &digits)); s = next + strspn(next, " \t,"))
		put_word(o, (__u32)v);
}

static void put_colon(struct out *o, const char *s)
{
	s = strchr(s, ':') + 1;
	if (!strncmp(skip(s), "0x", 2))
		put_numbers(o, s);
	else
		put_groups(o, s, false);
}

/* A number of a program, with '_' between its digits in Rust and Python. Return: the text after it. */
static const char *source_number(const char *s, const char *end, bool decimal, __u64 *v)
{
	char text[40];
	size_t n = 0;

	while (s < end && n + 1 < sizeof(text) && (isalnum((unsigned char)*s) || *s == '_')) {
		/* The suffix of a type */
		if (!isxdigit((unsigned char)*s) && *s != '_' && !(n == 1 && (*s | 0x20) == 'x'))
			break;
		if (*s != '_')
			text[n++] = *s;
		s++;
	}

	text[n] = '\0';
	*v = strtoull(text, NULL, decimal ? 10 : 0);

	return s;
}

/* The numbers of C or Python in a piece of text: after '=' or in '{' or '['; not an index, no comment */
static size_t source_numbers(const char *text, size_t len, __u32 *words, bool *bytes)
{
	const char *end = text + len, *p;
	size_t count = 0, digits;
	bool decimal = !memmem(text, len, "0x", 2);
	const char *after;
	__u64 v;

	*bytes = true;
	for (p = text; p < end; p++) {
		if (p + 1 < end && p[0] == '/' && p[1] == '*') {
			p = memmem(p, (size_t)(end - p), "*/", 2);
			if (!p)
				break;
			continue;
		}
		if (*p == '#' || (p + 1 < end && p[0] == '/' && p[1] == '/')) {
			p = memchr(p, '\n', (size_t)(end - p));
			if (!p)
				break;
			continue;
		}

		/* A name, an index or a suffix is no word. */
		if (isalpha((unsigned char)*p) || *p == '_') {
			while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
				p++;
			p += *p == '[' ? strcspn(p, "]\n") : 0;
			p--;
			continue;
		}

		if (!isdigit((unsigned char)*p))
			continue;
		after = source_number(p, end, decimal, &v);
		digits = (size_t)(after - p);
		if (v > 0xffffffff)
			continue;
		if (digits > 4 || (digits > 2 && decimal))
			*bytes = false;
		if (words)
			words[count] = (__u32)v;
		count++;
		p = after - 1;
	}

	return count;
}

static int put_source(struct out *o, enum nvfifo_paste form, const char *text, size_t len)
{
	const char *brace = memchr(text, '{', len), *end = text + len;
	const char *list = memmem(text, len, "= [", 3);
	size_t count, i;
	__u32 *words;
	bool bytes;

	if (!list)
		list = memmem(text, len, "![", 2);

	/* Only the elements of an array or of a list */
	if (list && memchr(list, ']', (size_t)(end - list))) {
		len = (size_t)((const char *)memrchr(list, ']', (size_t)(end - list)) - list);
		text = list;
	} else if (form == NVFIFO_PASTE_C && brace && memchr(brace, '}', (size_t)(end - brace))) {
		len = (size_t)((const char *)memrchr(brace, '}', (size_t)(end - brace)) - brace);
		text = brace;
	}

	count = source_numbers(text, len, NULL, &bytes);
	words = calloc(count + 1, sizeof(*words));
	if (!words)
		return -ENOMEM;

	source_numbers(text, len, words, &bytes);
	bytes = bytes && count >= 8 && count % 4 == 0;
	for (i = 0; i < count; i++) {
		if (bytes)
			put_byte(o, words[i]);
		else
			put_word(o, words[i]);
	}

	free(words);
	return 0;
}

/* The last argument: "OUT_RING(chan, 0x00040060);" */
static bool put_call(struct out *o, const char *s)
{
	const char *close = strrchr(s, ')'), *p = close;
	char *end;
	unsigned long v;

	if (!close)
		return false;

	while (p > s && p[-1] != '(' && p[-1] != ',')
		p--;
	p = skip(p);
	v = strtoul(p, &end, 0);
	end += strspn(end, "uUlL ");
	if (end == p || *end != ')')
		return false;

	put_word(o, (__u32)v);
	return true;
}

/* --- libdrm's dump ----------------------------------------------------------- */

#define BUFFERS 64

struct request {
	__u64 offsets[BUFFERS];
	bool known[BUFFERS];
};

static size_t words_after(const char *text, const char *end)
{
	size_t count = 0;
	struct line l;
	char s[400];
	const char *p;

	while (next_line(&text, end, &l)) {
		copy(&l, s, sizeof(s));
		p = libdrm_text(s);
		if (!p || strncmp(p, "0x", 2))
			break;
		count++;
	}

	return count;
}

static void put_libdrm(struct out *o, const char *text, size_t len)
{
	const char *end = text + len, *p;
	struct request r = { 0 };
	unsigned int segment = 0, index;
	unsigned long long from, to, offset;
	struct line l;
	char s[400];

	while (next_line(&text, end, &l)) {
		copy(&l, s, sizeof(s));
		p = libdrm_text(s);
		if (!p)
			continue;

		if (!strncmp(p, "0x", 2)) {
			put_word(o, (__u32)strtoul(p, NULL, 16));
		} else if (strstr(p, ": buf ") &&
			   sscanf(strstr(p, ": buf "), ": buf %x %*x %*x %*x %*x %*s %llx", &index, &offset) == 2 &&
			   index < BUFFERS) {
			r.offsets[index] = offset;
			r.known[index] = true;
		} else if (strstr(p, ": psh ") &&
			   sscanf(strstr(p, ": psh "), ": psh %x %llx %llx", &index, &from, &to) == 3 &&
			   words_after(text, end)) {
			const size_t count = words_after(text, end);
			const __u64 va = (index < BUFFERS && r.known[index] ? r.offsets[index] : 0) + from;

			fprintf(o->f, "push %u va %010" PRIx64 " bytes %zu noprefetch 0 ib %08x %08x\n",
				segment++, (uint64_t)va, count * 4, (__u32)va & ~3u,
				(__u32)(va >> 32) | (__u32)count << 10);
		}
	}
}

/* --- All forms --------------------------------------------------------------- */

/* A line of one of the forms that have their words line by line. Return: 0, or -EINVAL. */
static int put_line(struct out *o, enum nvfifo_paste form, const char *s)
{
	const char *p = NULL;
	size_t digits;
	__u64 v;

	if (!*skip(s) || *skip(s) == '#' || is_around(s))
		return 0;

	switch (form) {
	case NVFIFO_PASTE_FENCED:
		put_words(o, s);
		return 0;
	case NVFIFO_PASTE_BYTES:
		for (p = skip(s); hex_len(p) == 2; p = skip(p + 2))
			put_byte(o, (unsigned int)strtoul(p, NULL, 16));
		return 0;
	case NVFIFO_PASTE_MMT:
		p = mmt_text(s);
		break;
	case NVFIFO_PASTE_DEMMT:
		p = demmt_text(s);
		break;
	case NVFIFO_PASTE_DEDMA:
		p = skip(s);
		break;
	case NVFIFO_PASTE_COLON:
		put_colon(o, s);
		return 0;
	case NVFIFO_PASTE_OFFSET:
		put_groups(o, s + hex_len(s), true);
		return 0;
	case NVFIFO_PASTE_CALLS:
		if (put_call(o, s) || !is_call(s))
			return 0;
		return nvfifo_error(-EINVAL, "'%.60s' has no number as its last argument: only its program knows the word", s);
	default:
		return 0;
	}

	/* A longer number is of another tool's field. */
	for (; p && number(p, &v, &digits); p = skip(number(p, &v, &digits))) {
		if (digits > 8)
			break;
		put_word(o, (__u32)v);
		if (form != NVFIFO_PASTE_MMT)
			break;
		p = number(p, &v, &digits);
		if (*p != ',')
			break;
		p = skip(p + 1);
		put_word(o, (__u32)strtoul(p, NULL, 16));
		break;
	}

	return 0;
}

static int put_all(struct out *o, enum nvfifo_paste form, const char *text, size_t len)
{
	const char *end = text + len;
	struct line l;
	char s[512];
	int ret = 0;

	switch (form) {
	case NVFIFO_PASTE_HDR:
		return nvfifo_error(-EINVAL, "a dump of headers (HDR ... subch ...) that Mesa writes for GF100 and later; this family does not read it");
	case NVFIFO_PASTE_IB:
		return nvfifo_error(-EINVAL, "an IB entry is no command: 'nvfifo calc ib WORD WORD' decodes it, and the segment that it names has the words");
	case NVFIFO_PASTE_UNKNOWN:
		return nvfifo_error(-EINVAL, "the form of these words is not known");
	case NVFIFO_PASTE_LIBDRM:
		put_libdrm(o, text, len);
		return 0;
	case NVFIFO_PASTE_C:
	case NVFIFO_PASTE_LIST:
		return put_source(o, form, text, len);
	default:
		break;
	}

	while (!ret && next_line(&text, end, &l)) {
		copy(&l, s, sizeof(s));
		ret = put_line(o, form, s);
	}

	if (!ret && o->count)
		ret = nvfifo_error(-EINVAL, "the bytes are no multiple of 4");

	return ret;
}

char *nvfifo_paste_convert(enum nvfifo_paste form, const char *text, size_t len, size_t *out_len)
{
	struct out o = { 0 };
	char *result = NULL;
	int ret;

	o.f = open_memstream(&result, out_len);
	if (!o.f) {
		nvfifo_error(-ENOMEM, "out of memory");
		return NULL;
	}

	ret = put_all(&o, form, text, len);
	if (!ret && !o.words)
		ret = nvfifo_error(-EINVAL, "there are no words in it");
	if (fclose(o.f) || ret) {
		free(result);
		return NULL;
	}

	return result;
}

/* --- Other generations -------------------------------------------------------- */

struct walk {
	struct nvfifo_decoder nv04;
	struct nvfifo_decoder nvc0;
	unsigned int wrong_nv04;
	unsigned int wrong_nvc0;
	unsigned int headers;
	unsigned int words;
};

static int walk_word(void *ctx, __u32 word)
{
	struct nvfifo_word w;
	struct walk *k = ctx;

	/* The first word of a pushbuffer is a command. Later ones may be data that were miscounted. */
	nvfifo_decode(&k->nv04, word, &w);
	k->wrong_nv04 += !k->words && w.kind == NVFIFO_WORD_INVALID;
	nvfifo_decode(&k->nvc0, word, &w);
	k->wrong_nvc0 += w.kind == NVFIFO_WORD_INVALID;
	k->headers += w.kind == NVFIFO_WORD_HEADER;

	return ++k->words > 4096;
}

bool nvfifo_words_are_gf100(const char *text, size_t len)
{
	static const struct nvfifo_capture_ops ops = { .word = walk_word };
	struct walk *k = calloc(1, sizeof(*k));
	bool is;

	if (!k)
		return false;

	nvfifo_decoder_init(&k->nv04, NVFIFO_FORMAT_NV04, 0);
	nvfifo_decoder_init(&k->nvc0, NVFIFO_FORMAT_NVC0, 0);
	nvfifo_capture_read(text, len, &ops, k, NULL);
	is = k->words >= 6 && k->headers >= 2 && k->wrong_nv04 && !k->wrong_nvc0;
	free(k);

	return is;
}
