// SPDX-License-Identifier: MIT
/*
 * Log lines in words. An anchor, a piece of text that no other kind has, identifies each kind of
 * line. Names identify the fields. So the wordings of several kernel versions work, and so do
 * incomplete lines. The kinds are rows of the tables of lib/explain.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>

#include "nvfifo_explain_priv.h"
#include "nvfifo_log_priv.h"

static bool has_open_bracket(const char *s)
{
	int depth = 0;

	for (; *s; s++)
		depth += (*s == '[') - (*s == ']');

	return depth > 0;
}

/* Is the line's last field there, with all of its digits? */
static bool has_last(const char *line, const char *last, unsigned int digits)
{
	const char *p = find(line, last);

	if (!p)
		return false;

	p += strspn(p, " \t:=");
	if (p[0] == '0' && (p[1] | 0x20) == 'x')
		p += 2;

	return strspn(p, "0123456789abcdefABCDEF") >= digits;
}

/* A line that ends in the middle is told from a whole one, which its reader might take it for. */
static void mark_cut(struct ctx *c, const char *line)
{
	const char *last = c->kind->last;
	const char *gap = *c->e->advice ? " " : "";
	char missing[48] = "its end is";

	if (last && has_last(line, last, c->kind->digits))
		return;
	if (!last && !has_open_bracket(line))
		return;

	if (last)
		snprintf(missing, sizeof(missing), "%s or digits of it are", last);
	c->e->cut = true;
	nvfifo_text_add(c->e->advice, sizeof(c->e->advice),
			"%sThis line is cut: %s missing. Join the lines that a mail program or terminal has wrapped.",
			gap, missing);
}

/* --- Candidates for a line ------------------------------------------------- */

#define KINDS_MAX	1024
#define HASHES		4096
#define WORDS(bits)	(((bits) + 63) / 64)

/*
 * A log of 20 MB has 200,000 lines, and the tables have 400 anchors. Each anchor has three characters
 * that few others have, and one pass over a line finds those of the line: mostly there are none.
 */
static struct {
	pthread_once_t once;
	const struct explain_line *kinds;
	unsigned int count;
	__u64 always[WORDS(KINDS_MAX)];		/* of kinds with a short anchor */
	__u64 known[WORDS(HASHES)];		/* of hashes that a kind has */
	__u16 first[HASHES];			/* of the kinds of a hash: number + 1 */
	__u16 next[KINDS_MAX];
} table = { .once = PTHREAD_ONCE_INIT };

static unsigned int hash3(__u32 characters)
{
	return (characters & 0xffffff) * 2654435769u >> 20;
}

static unsigned int hash_at(const char *s)
{
	return hash3((__u32)(unsigned char)s[0] << 16 | (__u32)(unsigned char)s[1] << 8 | (unsigned char)s[2]);
}

static void count_hashes(const char *text, unsigned int weight, unsigned int uses[HASHES])
{
	for (; text[0] && text[1] && text[2]; text++)
		uses[hash_at(text)] += weight;
}

/* Put a kind to the hash of its anchor that the fewest others have. */
static void add_kind(unsigned int number, const unsigned int uses[HASHES])
{
	const char *s = table.kinds[number].anchor;
	unsigned int best = HASHES, h;

	for (; s[0] && s[1] && s[2]; s++) {
		h = hash_at(s);
		if (best == HASHES || uses[h] < uses[best])
			best = h;
	}

	if (best == HASHES) {
		table.always[number / 64] |= 1ull << number % 64;
		return;
	}

	table.known[best / 64] |= 1ull << best % 64;
	table.next[number] = table.first[best];
	table.first[best] = (__u16)(number + 1);
}

void nvfifo_explain_index(void)
{
	unsigned int uses[HASHES] = { 0 };
	unsigned int i;

	memset(&table.always, 0, sizeof(table) - offsetof(typeof(table), always));
	table.count = (unsigned int)nvfifo_explain_lines(&table.kinds);

	/* Characters of most lines tell no kind from another. */
	count_hashes("kernel: [  123.456789] nouveau 0000:01:00.0: gr: fifo: fb: DRM: ", 1000, uses);

	for (i = 0; i < table.count; i++)
		count_hashes(table.kinds[i].anchor, 1, uses);

	for (i = 0; i < table.count; i++)
		add_kind(i, uses);
}

/* The kinds that a line may be, as bits of their numbers. */
static void find_kinds(const char *line, __u64 kinds[WORDS(KINDS_MAX)])
{
	__u32 characters = 0;
	unsigned int h, k;

	memcpy(kinds, table.always, sizeof(table.always));

	for (; *line; line++) {
		characters = characters << 8 | (unsigned char)*line;
		h = hash3(characters);
		if (!(table.known[h / 64] >> h % 64 & 1))
			continue;
		for (k = table.first[h]; k; k = table.next[k - 1])
			kinds[(k - 1) / 64] |= 1ull << (k - 1) % 64;
	}
}

/* Return: 1 if the kind explains the line, 0 if not, or -ENOMEM. */
static int explain_as(const struct explain_line *kind, struct ctx *c, const char *line)
{
	if (!strstr(line, kind->anchor) || (kind->also && !has_text(line, kind->also)))
		return 0;

	c->declined = false;
	c->kind = kind;
	c->e->cls = kind->cls;
	c->e->driver = kind->driver;
	nvfifo_explain_steps(c, line, kind->first, kind->count);
	if (!c->err && !c->declined) {
		mark_cut(c, line);
		return 1;
	}

	nvfifo_explanation_free(c->e);
	c->means[0] = '\0';

	return c->err;
}

int nvfifo_explain(const char *line, unsigned int chipset, struct nvfifo_explanation *e)
{
	struct ctx c = { .e = e, .line = line, .chipset = chipset };
	__u64 kinds[WORDS(KINDS_MAX)];
	unsigned int i, number;
	int ret = 0;

	memset(e, 0, sizeof(*e));
	pthread_once(&table.once, nvfifo_explain_index);
	find_kinds(line, kinds);

	for (i = 0; i < WORDS(table.count) && !ret; i++) {
		while (kinds[i] && !ret) {
			number = 64 * i + (unsigned int)__builtin_ctzll(kinds[i]);
			kinds[i] &= kinds[i] - 1;
			ret = explain_as(&table.kinds[number], &c, line);
		}
	}

	return ret;
}

void nvfifo_explain_texts(void (*take)(const char *text))
{
	const struct explain_names *names;
	const struct explain_line *kind;
	const struct nvfifo_name *n;
	size_t count = nvfifo_explain_lines(&kind);

	for (; count; count--, kind++) {
		take(kind->anchor);
		if (kind->also)
			take(kind->also);
		if (kind->last)
			take(kind->last);
	}

	for (names = nvfifo_explain_names; names->name; names++) {
		for (n = names->table; n->name; n++)
			take(n->name);
	}
}

void nvfifo_explanation_free(struct nvfifo_explanation *e)
{
	nvfifo_row_free(&e->fields);
	memset(e, 0, sizeof(*e));
}
