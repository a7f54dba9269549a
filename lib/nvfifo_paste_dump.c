// SPDX-License-Identifier: MIT
/*
 * Dumps of memory: xxd, hexdump, od, gdb, nvapeek, the kernel's print_hex_dump(). Each line has an
 * offset, groups of digits, and in some the bytes as characters. How far the offset goes on from
 * line to line tells how many bytes a group has, and so the base of its digits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_paste_priv.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

/* Groups of a line at most */
#define GROUPS	64

/* Words of a "*" at most: more is no pushbuffer */
#define REPEAT_WORDS	(1u << 22)

/* A kind of groups */
struct paste_group_kind {
	unsigned int bytes;	/* in a group */
	unsigned int base;	/* of its digits */
	size_t width;	/* digits, 0: any number */
	bool prefix;	/* "0x" is in front */
};

/* The more demanding kinds come first. */
static const struct paste_group_kind kinds[] = {
	{ 1, 2, 8, false }, { 1, 16, 2, true }, { 2, 16, 4, true }, { 4, 16, 8, true },
	{ 8, 16, 16, true }, { 4, 16, 0, true }, { 1, 16, 2, false }, { 2, 16, 4, false },
	{ 4, 16, 8, false }, { 8, 16, 16, false }, { 1, 8, 3, false }, { 2, 8, 6, false },
	{ 4, 8, 11, false }, { 8, 8, 22, false }, { 2, 10, 5, false }, { 4, 10, 0, false },
	{ 2, 10, 0, false }, { 1, 10, 0, false },
};

/* --- Lines ------------------------------------------------------------------ */

enum row_kind { ROW_GROUPS, ROW_END, ROW_REPEAT, ROW_ZEROS };

struct row {
	enum row_kind kind;
	__u64 at;
	const char *groups;
	bool marked;	/* ':' or brackets tell that the first number is an offset */
	size_t digits;
};

/* The offset at @s. Return: the text after it and its marks, or NULL. */
static const char *read_offset(const char *s, unsigned int base, struct row *r)
{
	const bool bracket = *s == '[', plus = *s == '+';
	size_t n;

	s += bracket || plus;
	if (nvfifo_text_is_0x(s)) {
		s += 2;
		base = 16;
	}

	n = nvfifo_text_digits(s, 16);
	r->digits = n;
	if (nvfifo_text_digits(s, base) != n || n > 16 || !nvfifo_text_number(s, n, base, &r->at))
		return NULL;

	s += n;
	if (bracket && *s++ != ']')
		return NULL;

	r->marked = bracket || plus;
	if (*nvfifo_text_skip(s) == '<')
		s += strcspn(s, ">") + (strchr(s, '>') != NULL);
	n = strspn(s, " \t");
	if (s[n] == ':' || (bracket && s[n] == '=')) {
		r->marked = true;
		return s + n + 1;
	}

	/* Two blanks after the offset, and one between the groups */
	if (n > 1 && strchr(s + n, ' ') && strchr(s + n, ' ')[1] != ' ')
		r->marked = true;

	return *s && !n ? NULL : s;
}

static bool read_row(const char *s, unsigned int base, struct row *r)
{
	s = nvfifo_text_skip(s);
	memset(r, 0, sizeof(*r));
	if (*s == '*' || !strncmp(s, "...", 3)) {
		r->kind = *s == '*' ? ROW_REPEAT : ROW_ZEROS;
		return !s[strspn(s, "*.")];
	}

	s = read_offset(s, base, r);
	if (!s)
		return false;

	r->groups = nvfifo_text_skip(s);
	r->kind = *r->groups ? ROW_GROUPS : ROW_END;

	return true;
}

/* --- Groups ------------------------------------------------------------------- */

/* A group at @s. Return: the text after it, or NULL. */
static const char *read_group(const char *s, const struct paste_group_kind *k, __u64 *v)
{
	const bool negative = k->base == 10 && !k->width && *s == '-';
	size_t n;

	s += negative;
	if (k->prefix != nvfifo_text_is_0x(s))
		return NULL;

	s += 2 * k->prefix;
	n = nvfifo_text_digits(s, k->base);
	if ((k->width && n != k->width) || !nvfifo_text_number(s, n, k->base, v))
		return NULL;
	if (k->bytes < 8 && *v >> 8 * k->bytes)
		return NULL;
	if (negative)
		*v = -*v;

	s += n;
	return !*s || *s == ' ' || *s == '\t' || *s == ',' ? s : NULL;
}

/* Groups at @s, up to @most of them. Return: how many; @end: out: the text after them */
static size_t count_groups(const char *s, const struct paste_group_kind *k, size_t most, const char **end)
{
	const char *next;
	size_t n = 0;
	__u64 v;

	*end = s;
	while (n < most && *s && (next = read_group(s, k, &v))) {
		n++;
		*end = next;
		s = next + strspn(next, " \t,");
	}

	return n;
}

/* The bytes as characters, at the end of the groups: without the marks around them */
static const char *characters(const char *end, size_t bytes, size_t *len)
{
	size_t gap = strspn(end, " \t"), n = strlen(end);

	*len = 0;
	if (n == gap || (gap < 2 && end[gap] != '|' && end[gap] != '>'))
		return NULL;

	end += gap;
	n -= gap;
	if (n >= 2 && ((*end == '|' && end[n - 1] == '|') || (*end == '>' && end[n - 1] == '<'))) {
		end++;
		n -= 2;
	}

	*len = n;
	return n <= bytes ? end : NULL;
}

static bool is_rest_fine(const char *end, size_t bytes)
{
	size_t len;

	return !*nvfifo_text_skip(end) || characters(end, bytes, &len);
}

/* How many groups a line has whose successor is @distance further on, or 0 */
static size_t groups_of(const struct row *r, const struct paste_dump *d, __u64 distance)
{
	const __u64 n = d->in_words ? distance : distance / d->kind->bytes;
	const char *end;

	if (!n || n > GROUPS || (!d->in_words && distance % d->kind->bytes))
		return 0;
	if (count_groups(r->groups, d->kind, (size_t)n, &end) != n || !is_rest_fine(end, n * d->kind->bytes))
		return 0;

	return (size_t)n;
}

/* --- How a dump is made --------------------------------------------------------- */

/*
 * The groups of a line whose successor tells nothing. As many as the characters say, or as in the
 * lines before it.
 */
static size_t last_groups(const struct row *r, const struct paste_dump *d, size_t most)
{
	const char *end, *text;
	size_t n = count_groups(r->groups, d->kind, most ? most : GROUPS, &end), len;

	for (; n; n = count_groups(r->groups, d->kind, n - 1, &end)) {
		if (!*nvfifo_text_skip(end))
			break;
		text = characters(end, n * d->kind->bytes, &len);
		/* Blanks at the end of a line get lost. */
		if (text && (most || len + 1 >= n * d->kind->bytes))
			break;
	}

	/* Binary digits are hexadecimal ones, too. */
	if (!most && d->kind->base == 2 && !*nvfifo_text_skip(end))
		return 0;

	return n;
}

/* Is the distance that "*" or "..." bridges one of whole lines? */
static bool is_gap_fine(const struct row *before, const struct row *r, size_t groups, const struct paste_dump *d)
{
	const __u64 row = groups * (d->in_words ? 1 : d->kind->bytes);

	return groups && r->at > before->at && !((r->at - before->at) % row);
}

/* Do the lines fit? @steps: out: lines whose offset the line before explains */
static bool fits(const struct paste *p, const struct paste_dump *d, size_t *steps)
{
	struct row r, before = { .kind = ROW_ZEROS }, last = before;
	size_t i, groups = 0;

	*steps = 0;
	for (i = 0; i < p->count; i++) {
		if (!read_row(p->lines[i], d->base, &r))
			return false;

		if (before.kind == ROW_GROUPS && r.kind <= ROW_END) {
			const size_t n = d->jumps || r.at <= before.at ? 0 : groups_of(&before, d, r.at - before.at);

			if (!n && !(d->jumps && last_groups(&before, d, 0)))
				return false;
			groups = n > groups ? n : groups;
			*steps += n != 0;
		} else if (before.kind == ROW_GROUPS && !last_groups(&before, d, groups)) {
			return false;
		} else if (before.kind != ROW_GROUPS && r.kind <= ROW_END && last.kind == ROW_GROUPS) {
			if (!is_gap_fine(&last, &r, last_groups(&last, d, groups), d))
				return false;
			++*steps;
		}

		if (r.kind == ROW_GROUPS)
			last = r;
		before = r;
	}

	return before.kind != ROW_GROUPS || last_groups(&before, d, groups);
}

/*
 * Is the first number of each line an offset by its form? @bars: out: by more than its digits.
 * @seven: out: it has seven, as in od and hexdump.
 */
static bool is_marked(const struct paste *p, bool *bars, bool *seven_digits)
{
	size_t i, rows = 0, seven = 0;
	struct row r;

	*bars = true;
	for (i = 0; i < p->count; i++) {
		if (!read_row(p->lines[i], 16, &r) || r.kind != ROW_GROUPS)
			continue;
		rows++;
		if (!r.marked && !strchr(p->lines[i], '|') && !strchr(p->lines[i], '>'))
			*bars = false;
		seven += r.digits == 7;
	}

	*seven_digits = rows && seven == rows;
	return rows && (*bars || *seven_digits);
}

/* Try all kinds with a way to write offsets. */
static bool try_kinds(const struct paste *p, struct paste_dump *d, bool marked, bool no_halves)
{
	size_t i, steps;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		d->kind = &kinds[i];
		if (d->in_words && (d->kind->bytes != 4 || d->base == 8))
			continue;
		if (no_halves && d->kind->base == 16 && d->kind->width == 4)
			continue;
		if (fits(p, d, &steps) && (steps || marked))
			return true;
	}

	return false;
}

/* --- The order of bytes ----------------------------------------------------------- */

static unsigned int byte_of(__u64 v, unsigned int bytes, unsigned int i, bool big)
{
	return (unsigned int)(v >> 8 * (big ? bytes - 1 - i : i)) & 0xff;
}

/* How many characters of a line are not those of its bytes. */
static unsigned int wrong_characters(const struct row *r, const struct paste_dump *d, size_t n, bool big,
				     bool *there)
{
	const unsigned int bytes = d->kind->bytes;
	unsigned int wrong = 0, i, b;
	const char *end, *text, *s = r->groups;
	size_t len, at = 0, k;
	__u64 v;

	n = count_groups(s, d->kind, n, &end);
	text = characters(end, n * bytes, &len);
	*there = *there || text;
	for (k = 0; text && k < n; k++) {
		s = read_group(s + strspn(s, " \t,"), d->kind, &v);
		for (i = 0; s && i < bytes && at < len; i++, at++) {
			b = byte_of(v, bytes, i, big);
			wrong += text[at] != (b >= 0x20 && b < 0x7f ? (int)b : '.');
		}
		if (!s)
			break;
	}

	return wrong;
}

/* Words of the first lines, to see which order of bytes gives commands */
static unsigned int wrong_words(const struct paste *p, const struct paste_dump *d, bool big)
{
	struct paste_dump other = *d;
	struct paste_out o = { 0 };
	unsigned int wrong = 0;

	other.big = big;
	if (!paste_dump_put(p, &other, &o))
		wrong = paste_wrong_words(o.words.data, o.words.count);
	nvfifo_words_free(&o.words);

	return wrong;
}

/* xxd writes bytes in their order, the other tools numbers; with -e xxd writes numbers, too. */
static void find_order(const struct paste *p, struct paste_dump *d)
{
	unsigned int little = 0, big = 0;
	size_t i, groups = 0;
	struct row r;

	for (i = 0; i < p->count; i++) {
		if (!read_row(p->lines[i], d->base, &r) || r.kind != ROW_GROUPS)
			continue;
		if (!i)
			d->first = r.at;
		groups = last_groups(&r, d, groups);
		little += wrong_characters(&r, d, groups, false, &d->characters);
		big += wrong_characters(&r, d, groups, true, &d->characters);
	}

	d->big = false;
	if (d->kind->bytes == 1 || d->kind->base != 16 || d->kind->prefix)
		return;
	if (little != big) {
		d->big = big < little;
		return;
	}

	read_row(p->lines[0], d->base, &r);
	d->big = r.marked && d->kind->width == 4;
	if (d->characters && r.marked)
		d->big = wrong_words(p, d, true) < wrong_words(p, d, false) || (d->big && d->kind->width == 4);
}

/* With "*", the offsets of od -x and of hexdump may both fit, and mean other numbers of lines. */
static bool is_ambiguous(const struct paste *p, const struct paste_dump *d)
{
	struct paste_dump octal = *d;
	size_t steps, i;

	octal.base = 8;
	for (i = 0; i < p->count && *nvfifo_text_skip(p->lines[i]) != '*'; i++)
		;

	return i < p->count && d->base == 16 && fits(p, &octal, &steps);
}

/* Has a line more than a word? A list of words is long, and no dump. */
static bool has_groups(const struct paste *p)
{
	const char *s;
	size_t i;

	for (i = 0; i < p->count; i++) {
		s = nvfifo_text_skip(p->lines[i]);
		s += nvfifo_text_is_0x(s) ? 2 : 0;
		if (*nvfifo_text_skip(s + nvfifo_text_digits(s, 16)))
			return true;
	}

	return false;
}

bool paste_dump_look(const struct paste *p, struct paste_dump *d)
{
	static const struct {
		unsigned int base;
		bool in_words;
		bool jumps;
		bool od;	/* seven digits, and no halves, which hexdump has, too */
	} ways[] = {
		{ 8, false, false, true }, { 16, false, false, false }, { 8, false, false, false },
		{ 10, false, false, false }, { 10, true, false, false }, { 16, true, false, false },
		{ 16, false, true, false },
	};
	bool bars, seven, marked = is_marked(p, &bars, &seven);
	size_t i;

	if (!has_groups(p))
		return false;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		memset(d, 0, sizeof(*d));
		d->base = ways[i].base;
		d->in_words = ways[i].in_words;
		d->jumps = ways[i].jumps;
		if ((d->jumps && !(marked && bars)) || (ways[i].od && !seven) ||
		    !try_kinds(p, d, marked, ways[i].od))
			continue;
		find_order(p, d);
		d->ambiguous = seven && is_ambiguous(p, d);
		return true;
	}

	return false;
}

/* --- Words ------------------------------------------------------------------------- */

/* Put the groups of a line. Return: their bytes. */
static size_t put_row(const struct row *r, const struct paste_dump *d, size_t n, struct paste_out *o)
{
	const unsigned int bytes = d->kind->bytes;
	const char *s = r->groups;
	unsigned int i;
	size_t k;
	__u64 v;

	for (k = 0; k < n; k++) {
		s = read_group(s + strspn(s, " \t,"), d->kind, &v);
		if (!s)
			break;
		for (i = 0; i < bytes; i++)
			paste_put_byte(o, byte_of(v, bytes, i, d->big));
	}

	return k * bytes;
}

/* "*": the line before it again, up to the offset @to; "..." of nvapeek: zeros */
static int put_repeat(const struct row *r, const struct paste_dump *d, size_t n, __u64 from, __u64 to,
		      bool zeros, struct paste_out *o)
{
	if (to <= from || to - from > 4ull * REPEAT_WORDS)
		return nvfifo_error(-EINVAL, "lines were left out ('*' or '...'), and no offset after them says how many: hexdump -v and od -v print all");

	while (from < to) {
		if (zeros) {
			paste_put_byte(o, 0);
			from++;
		} else {
			from += put_row(r, d, n, o);
		}
	}

	return 0;
}

int paste_dump_put(const struct paste *p, const struct paste_dump *d, struct paste_out *o)
{
	struct row r, next, before = { .kind = ROW_END };
	size_t i, n = 0, most = 0;
	__u64 at = 0;
	int ret = 0;

	if (d->ambiguous)
		return nvfifo_error(-EINVAL, "'*' stands for lines that were left out, and the offsets of hexdump (hexadecimal) and of od (octal) fit both: -v prints all lines");

	for (i = 0; i < p->count && !ret; i++) {
		if (!read_row(p->lines[i], d->base, &r))
			return nvfifo_error(-EINVAL, "'%.60s' is not a line of the dump", p->lines[i]);

		if (r.kind == ROW_REPEAT || r.kind == ROW_ZEROS) {
			next.at = 0;
			if (i + 1 < p->count)
				read_row(p->lines[i + 1], d->base, &next);
			if (most)
				ret = put_repeat(&before, d, n, at, next.at, r.kind == ROW_ZEROS, o);
			continue;
		}

		if (r.kind == ROW_END)
			continue;

		n = 0;
		if (!d->jumps && i + 1 < p->count && read_row(p->lines[i + 1], d->base, &next) &&
		    next.kind <= ROW_END && next.at > r.at)
			n = groups_of(&r, d, next.at - r.at);
		if (!n)
			n = last_groups(&r, d, d->jumps ? 0 : most);
		most = n > most ? n : most;
		at = r.at + put_row(&r, d, n, o);
		before = r;
	}

	if (!ret && o->count)
		ret = nvfifo_error(-EINVAL, "the bytes are not a multiple of 4");

	return ret;
}
