// SPDX-License-Identifier: MIT
/* Words in the text of programs: arrays, lists, assignments, and calls such as OUT_RING(). */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo.h"
#include "nvfifo_paste_priv.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

/* The text after a comment that begins at @p, or @p. */
static const char *after_comment(const char *p, const char *end)
{
	const char *to;

	if (p + 1 < end && p[0] == '/' && p[1] == '*') {
		to = memmem(p, (size_t)(end - p), "*/", 2);
		return to ? to + 2 : end;
	}

	if (*p == '#' || (p + 1 < end && p[0] == '/' && p[1] == '/'))
		return nvfifo_text_line_end(p, end);

	return p;
}

/* --- Arrays and lists --------------------------------------------------------- */

/* Numbers that a program's text has */
struct numbers {
	struct paste_out *out;
	bool bytes;	/* each has two digits or fewer */
};

/* A number, with '_' between its digits in Rust and Python. Return: the text after it. */
static const char *source_number(const char *s, const char *end, struct numbers *n)
{
	unsigned int base;
	const char *digits;
	char text[40];
	size_t used = 0;
	bool hex;
	__u64 v;

	while (s < end && used + 1 < sizeof(text) && nvfifo_text_is_name(*s)) {
		/* The suffix of a type */
		if (!isxdigit((unsigned char)*s) && *s != '_' && !(used == 1 && (*s | 0x20) == 'x'))
			break;
		if (*s != '_')
			text[used++] = *s;
		s++;
	}

	text[used] = '\0';
	hex = nvfifo_text_is_0x(text);
	base = hex ? 16 : 10;
	digits = text + 2 * hex;
	while (s < end && nvfifo_text_is_name(*s))
		s++;
	if (!nvfifo_text_number(digits, nvfifo_text_digits(digits, base), base, &v) || v > 0xffffffff)
		return s;

	if (used > 3u + hex || v > 0xff)
		n->bytes = false;
	paste_put_word(n->out, (__u32)v);

	return s;
}

/* "\x60\x00" in a string: bytes. Another string has numbers only if it is one. */
static const char *source_string(const char *s, const char *end, struct numbers *n)
{
	const char quote = *s, *to = memchr(s + 1, quote, (size_t)(end - s - 1));
	__u64 v;

	if (!to)
		return s + 1;

	for (s++; s + 3 < to && s[0] == '\\' && s[1] == 'x' && nvfifo_text_digits(s + 2, 16) >= 2; s += 4) {
		nvfifo_text_number(s + 2, 2, 16, &v);
		paste_put_word(n->out, (__u32)v);
	}

	if (nvfifo_text_is_0x(s))
		source_number(s, to, n);

	return to + 1;
}

/* The numbers of C or Python: not in a name, an index, or a comment */
static void source_numbers(const char *text, size_t len, struct numbers *n)
{
	const char *end = text + len, *p = text, *after;

	while (p < end) {
		after = after_comment(p, end);
		if (after != p) {
			p = after;
		} else if (*p == '"' || *p == '\'') {
			p = source_string(p, end, n);
		} else if (isalpha((unsigned char)*p) || *p == '_') {
			while (p < end && nvfifo_text_is_name(*p))
				p++;
			if (p < end && *p == '[')
				p += strcspn(p, "]\n");
		} else if (isdigit((unsigned char)*p)) {
			p = source_number(p, end, n);
		} else {
			p++;
		}
	}
}

static bool has_digit(const char *from, const char *to)
{
	while (from < to && !isdigit((unsigned char)*from))
		from++;

	return from < to;
}

/* Only the elements of an array or of a list: after '=', in the outermost braces or brackets */
static void narrow(const char **text, size_t *len)
{
	static const struct {
		const char *open;
		char close;
	} lists[] = {
		{ "= [", ']' }, { ": [", ']' }, { "![", ']' }, { "([", ']' }, { "{", '}' }, { "[", ']' }, { "(", ')' },
	};
	const char *from, *to;
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		from = memmem(*text, *len, lists[i].open, strlen(lists[i].open));
		/* An index and the arguments of a call are no list. */
		if (!from || (i > 4 && from > *text && nvfifo_text_is_name(from[-1])))
			continue;

		from += strlen(lists[i].open);
		to = memrchr(from, lists[i].close, (size_t)(*text + *len - from));
		if (!to || !has_digit(from, to))
			continue;

		*len = (size_t)(to - from);
		*text = from;
		return;
	}
}

void paste_source_put(const char *text, size_t len, struct paste_out *o)
{
	struct paste_out numbers = { 0 };
	struct numbers n = { .out = &numbers, .bytes = true };
	const struct nvfifo_words *w = &numbers.words;
	size_t i;

	narrow(&text, &len);
	source_numbers(text, len, &n);
	for (i = 0; i < w->count; i++) {
		if (n.bytes && w->count >= 8 && w->count % 4 == 0)
			paste_put_byte(o, w->data[i]);
		else
			paste_put_word(o, w->data[i]);
	}

	if (numbers.err)
		o->err = numbers.err;
	nvfifo_words_free(&numbers.words);
}

/* --- Calls -------------------------------------------------------------------- */

enum call_kind {
	CALL_LAST,	/* the last argument is the word */
	CALL_FIRST,	/* the first one is */
	CALL_HIGH,	/* the upper half of the last one is */
	CALL_FLOAT,	/* the last one is a float */
	CALL_BEGIN,	/* subchannel, method, count: a command word */
	CALL_BEGIN_NI,	/* the same, whose method stays */
	CALL_OTHER,	/* writes no word */
	CALL_FERMI,	/* of a later generation */
};

/* Ends of names. Longer ones come first. */
static const struct {
	const char *name;
	enum call_kind kind;
} calls[] = {
	{ "BEGIN_NVC0", CALL_FERMI }, { "BEGIN_NIC0", CALL_FERMI }, { "BEGIN_1IC0", CALL_FERMI },
	{ "IMMED_NVC0", CALL_FERMI }, { "BEGIN_RING_NI", CALL_BEGIN_NI }, { "BEGIN_NI04", CALL_BEGIN_NI },
	{ "BEGIN_NV04", CALL_BEGIN }, { "BEGIN_RING", CALL_BEGIN }, { "OUT_RINGf", CALL_FLOAT },
	{ "PUSH_DATAf", CALL_FLOAT }, { "PUSH_DATAh", CALL_HIGH }, { "OUT_RING", CALL_LAST },
	{ "PUSH_DATA", CALL_LAST }, { "pushbuf_data", CALL_LAST }, { "append", CALL_LAST },
	{ "push_back", CALL_LAST }, { "iowrite32", CALL_FIRST }, { "writel", CALL_FIRST },
	{ "nv_wo32", CALL_LAST }, { "nv_wr32", CALL_LAST }, { "nvkm_wo32", CALL_LAST },
	{ "nouveau_bo_wr32", CALL_LAST }, { "WAIT_RING", CALL_OTHER }, { "FIRE_RING", CALL_OTHER },
	{ "PUSH_KICK", CALL_OTHER }, { "PUSH_SPACE", CALL_OTHER }, { "RING_SPACE", CALL_OTHER },
};

#define CALLS (sizeof(calls) / sizeof(calls[0]))

/* The call whose name ends at @open, a parenthesis; CALLS if it is none */
static size_t call_before(const char *text, const char *open)
{
	const char *end = open, *from;
	size_t i, n, len;

	while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	from = end;
	while (from > text && nvfifo_text_is_name(from[-1]))
		from--;

	len = (size_t)(end - from);
	for (i = 0; i < CALLS; i++) {
		n = strlen(calls[i].name);
		if (len < n || strncmp(end - n, calls[i].name, n))
			continue;
		if (len == n || end[-(long)n - 1] == '_' || end[-(long)n - 1] == '.')
			return i;
	}

	return CALLS;
}

bool paste_is_call(const char *s)
{
	const char *open;

	for (open = s; (open = strchr(open, '(')); open++) {
		if (call_before(s, open) < CALLS)
			return true;
	}

	return false;
}

#define ARGUMENTS	5

struct argument {
	const char *s;
	size_t len;
};

/* The arguments after @open. Return: the closing parenthesis, or NULL. */
static const char *read_arguments(const char *open, struct argument *args, size_t *count)
{
	const char *p, *from = open + 1;
	int depth = 0;

	*count = 0;
	for (p = from; *p; p++) {
		depth += (*p == '(') - (*p == ')');
		if (depth < 0 || (!depth && *p == ',')) {
			if (*count == ARGUMENTS)
				return NULL;
			args[*count].s = nvfifo_text_skip(from);
			args[*count].len = (size_t)(p - args[*count].s);
			++*count;
			from = p + 1;
		}
		if (depth < 0)
			return p;
	}

	return NULL;
}

/* A number alone, perhaps with the suffix of its type */
static bool argument_number(const struct argument *a, __u64 *v)
{
	const bool hex = nvfifo_text_is_0x(a->s);
	const unsigned int base = hex ? 16 : 10;
	const char *s = a->s + 2 * hex;
	const size_t n = nvfifo_text_digits(s, base);

	if (!nvfifo_text_number(s, n, base, v))
		return false;

	s += n;
	s += strspn(s, "uUlL");
	s += strspn(s, " \t");

	return s == a->s + a->len;
}

static int put_begin(const struct argument *args, size_t count, bool ni, struct paste_out *o)
{
	struct nvfifo_command c = { .type = ni ? NVFIFO_COMMAND_NONINCR : NVFIFO_COMMAND_INCR };
	__u64 subc, method, n;

	if (count != 4 || !argument_number(&args[1], &subc) || !argument_number(&args[2], &method) ||
	    !argument_number(&args[3], &n) || subc > 7 || method > 0x1ffc || n > NVFIFO_NV04_COUNT_MAX)
		return -EINVAL;

	c.subc = (__u8)subc;
	c.method = (__u16)(method & ~3u);
	c.count = (__u16)n;
	paste_put_word(o, nvfifo_nv04_encode(&c));

	return 0;
}

static int put_call(enum call_kind kind, const struct argument *args, size_t count, struct paste_out *o)
{
	const struct argument *a = kind == CALL_FIRST ? args : args + count - 1;
	char *end;
	float f;
	__u32 word;
	__u64 v;

	if (kind == CALL_BEGIN || kind == CALL_BEGIN_NI)
		return put_begin(args, count, kind == CALL_BEGIN_NI, o);
	if (kind == CALL_FLOAT) {
		f = strtof(a->s, &end);
		end += *end == 'f';
		memcpy(&word, &f, sizeof(word));
		if (end != a->s + a->len)
			return -EINVAL;
		paste_put_word(o, word);
		return 0;
	}

	if (!argument_number(a, &v) || (v > 0xffffffff && kind != CALL_HIGH))
		return -EINVAL;

	paste_put_word(o, (__u32)(kind == CALL_HIGH ? v >> 32 : v));
	return 0;
}

/* The calls of a line, without its comments */
static int put_line(const char *s, struct paste_out *o)
{
	struct argument args[ARGUMENTS];
	const char *open, *close;
	size_t i, count;

	for (open = s; (open = strchr(open, '(')); open++) {
		i = call_before(s, open);
		if (i == CALLS || calls[i].kind == CALL_OTHER)
			continue;
		if (calls[i].kind == CALL_FERMI)
			return nvfifo_error(-EINVAL, "%s() writes commands of GF100 and later; this family does not read them",
					    calls[i].name);

		close = read_arguments(open, args, &count);
		if (!close || put_call(calls[i].kind, args, count, o))
			return nvfifo_error(-EINVAL, "'%.60s' has an argument that is not a number: only its program knows the word",
					    nvfifo_text_skip(s));
		open = close;
	}

	return 0;
}

/* Blank out comments, so that calls in them do not count. */
static void remove_comments(char *s)
{
	char *end = s + strlen(s), *p = s;
	const char *after;

	while (p < end) {
		after = *p == '#' ? p : after_comment(p, end);
		if (after == p) {
			p++;
			continue;
		}
		memset(p, ' ', (size_t)(after - p));
		p += after - p;
	}
}

int paste_calls_put(const struct paste *p, struct paste_out *o)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < p->count && !ret; i++) {
		remove_comments(p->lines[i]);
		ret = put_line(p->lines[i], o);
	}

	return ret;
}
