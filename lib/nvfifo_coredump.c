// SPDX-License-Identifier: MIT
/* Reader and analysis of the driver's dumps. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_coredump.h"
#include "nvfifo_priv.h"
#include "nvfifo_reg_table.h"
#include "nvfifo_text.h"

/* No dump of a card with 128 channels has more. */
#define CHANNELS_MAX 1024
/*
 * The word of an invalid command is at GET. A word that the puller did not execute may be this far
 * before it.
 */
#define CACHE_WORDS 512
/* Longest piece of a segment that the reader searches for the first command */
#define WINDOW_MAX 4096

struct reader {
	struct nvfifo_coredump *dump;
	struct nvfifo_coredump_channel *c;   /* the lines are about it, or NULL */
	struct nvfifo_coredump_segment *seg; /* the data are its, or NULL */
	const char *line;
	const char *end; /* of the line */
	const char *pos;
	unsigned int number;
	int err;
};

/* --- Lines in pieces ----------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static bool bad(struct reader *r, const char *at,
						      const char *fmt, ...)
{
	struct nvfifo_coredump *d = r->dump;
	struct nvfifo_diag *p;
	va_list args;

	if (d->problem_count++ >= NVFIFO_COREDUMP_PROBLEMS)
		return false;

	p = &d->problems[d->problem_count - 1];
	p->line = r->number;
	p->column = (unsigned int)(at - r->line) + 1;
	va_start(args, fmt);
	vsnprintf(p->text, sizeof(p->text), fmt, args);
	va_end(args);

	return false;
}

static bool next_piece(struct reader *r, struct nvfifo_piece *p)
{
	static const unsigned char chars[256] = { [' '] = NVFIFO_TEXT_BLANK, ['\t'] = NVFIFO_TEXT_BLANK };

	return nvfifo_text_piece(&r->pos, r->end, chars, p);
}

/* The next piece as a number. */
static bool take(struct reader *r, const char *what, unsigned int base, __u64 max, __u64 *value)
{
	struct nvfifo_piece p;
	int shown = 40;

	*value = 0;
	if (next_piece(r, &p) && nvfifo_text_whole(p.start, p.len, base, max, value))
		return true;

	if (p.len < (size_t)shown)
		shown = (int)p.len;

	return bad(r, p.start, "%s must be a %s number up to %" PRIx64 ", not '%.*s'", what,
		   base == 16 ? "hexadecimal" : "decimal", (uint64_t)max, shown, p.start);
}

/* Copy a text without control characters, which a dump must not send to a terminal. */
static void copy_text(char *to, size_t size, const char *from, size_t len)
{
	size_t i, n = len < size ? len : size - 1;

	for (i = 0; i < n; i++) {
		unsigned char ch = (unsigned char)from[i];

		to[i] = ch < 0x20 || ch > 0x7e ? '?' : (char)ch;
	}

	to[n] = '\0';
}

/* --- Parts of lines ------------------------------------------------------ */

enum part_type {
	HEX,
	DEC,
	ERRNO,		/* decimal, and the only number that may be negative */
	WORDS,		/* one of two words, for 0 and 1 */
	FLAG,		/* its name alone */
	TEXT,
	LABEL,		/* all to the end of the line */
	RANGE,		/* "0020000000-0020000fff", two fields */
	LINE,		/* true for each such line */
};

/* A part of a line, and the field that it goes to */
struct part {
	enum part_type type;
	bool place;		/* it has its place at the beginning, not its name in front */
	bool optional;
	const char *name;
	const char *words;	/* "alive|dead" */
	__u64 max;
	size_t offset;
	size_t size;
};

#define FIELD(type, field)	offsetof(struct type, field), sizeof(((struct type *)0)->field)
#define AT(kind, name, max, type, field) \
	{ kind, true, false, name, NULL, max, FIELD(type, field) }
#define WORD_AT(words, type, field) \
	{ WORDS, true, false, NULL, words, 0, FIELD(type, field) }
#define KEY(kind, name, max, type, field) \
	{ kind, false, false, name, NULL, max, FIELD(type, field) }
#define WORD_KEY(name, words, type, field) \
	{ WORDS, false, false, name, words, 0, FIELD(type, field) }
#define OPTION(kind, name, max, type, field) \
	{ kind, false, true, name, NULL, max, FIELD(type, field) }
#define LINE_OF(type, field) { LINE, false, true, "", NULL, 0, FIELD(type, field) }
#define BITS32	0xffffffffu
#define BITS64	~0ULL

static const struct part card_parts[] = {
	AT(TEXT, "the name of the card", 0, nvfifo_coredump, card),
	KEY(HEX, "chipset", BITS32, nvfifo_coredump, chipset),
	KEY(HEX, "boot0", BITS32, nvfifo_coredump, boot_0),
	KEY(DEC, "vram", BITS64, nvfifo_coredump, vram),
};

static const struct part kernel_parts[] = {
	AT(TEXT, "the kernel's release", 0, nvfifo_coredump, kernel),
	OPTION(TEXT, "machine", 0, nvfifo_coredump, machine),
};

static const struct part wedged_parts[] = {
	AT(TEXT, "ok, lost or stuck", 0, nvfifo_coredump, wedged),
};

static const struct part counters_parts[] = {
	KEY(DEC, "timeouts", BITS64, nvfifo_coredump, timeouts),
	KEY(DEC, "errors", BITS64, nvfifo_coredump, errors),
	KEY(DEC, "submits", BITS64, nvfifo_coredump, submits),
	KEY(DEC, "vram_free", BITS64, nvfifo_coredump, vram_free),
	LINE_OF(nvfifo_coredump, has_counters),
};

static const struct part reg_parts[] = {
	AT(HEX, "the address", BITS32, nvfifo_coredump_reg, address),
	AT(HEX, "the value", BITS32, nvfifo_coredump_reg, value),
};

static const struct part fault_parts[] = {
	AT(HEX, "the address", NVFIFO_VA_MASK, nvfifo_coredump_fault, address),
	KEY(HEX, "inst", NVFIFO_VA_MASK, nvfifo_coredump_fault, inst),
	KEY(HEX, "engine", BITS32, nvfifo_coredump_fault, engine),
	KEY(HEX, "reason", BITS32, nvfifo_coredump_fault, reason),
	KEY(HEX, "client", BITS32, nvfifo_coredump_fault, client),
	KEY(HEX, "slot", BITS32, nvfifo_coredump_fault, slot),
	OPTION(FLAG, "write", 0, nvfifo_coredump_fault, write),
};

static const struct part channel_parts[] = {
	WORD_KEY("state", "alive|dead", nvfifo_coredump_channel, dead),
	WORD_KEY("mode", "ib|dma", nvfifo_coredump_channel, dma),
	WORD_KEY("queue", "kernel|user", nvfifo_coredump_channel, user),
	KEY(HEX, "inst", NVFIFO_VA_MASK, nvfifo_coredump_channel, inst),
	KEY(DEC, "error", BITS32, nvfifo_coredump_channel, error),
	KEY(HEX, "code", BITS32, nvfifo_coredump_channel, code),
	KEY(HEX, "detail", BITS32, nvfifo_coredump_channel, detail),
	KEY(HEX, "method", BITS32, nvfifo_coredump_channel, method),
	KEY(HEX, "data", BITS32, nvfifo_coredump_channel, data),
	OPTION(ERRNO, "errno", 4095, nvfifo_coredump_channel, err),
};

static const struct part pos_parts[] = {
	KEY(HEX, "get", NVFIFO_VA_MASK, nvfifo_coredump_channel, get),
	KEY(HEX, "put", NVFIFO_VA_MASK, nvfifo_coredump_channel, put),
	KEY(HEX, "mget", NVFIFO_VA_MASK, nvfifo_coredump_channel, mget),
	OPTION(HEX, "mput", NVFIFO_VA_MASK, nvfifo_coredump_channel, mput),
	KEY(HEX, "state", BITS32, nvfifo_coredump_channel, state),
	KEY(DEC, "ib_get", BITS32, nvfifo_coredump_channel, ib_get),
	KEY(DEC, "ib_put", BITS32, nvfifo_coredump_channel, ib_put),
	KEY(HEX, "ref", BITS32, nvfifo_coredump_channel, ref),
	LINE_OF(nvfifo_coredump_channel, has_pos),
};

static const struct part ramht_parts[] = {
	AT(DEC, "the slot", BITS32, nvfifo_coredump_ramht, slot),
	AT(HEX, "the handle", BITS32, nvfifo_coredump_ramht, handle),
	AT(HEX, "the context", BITS32, nvfifo_coredump_ramht, context),
};

static const struct part ring_parts[] = {
	KEY(HEX, "address", NVFIFO_VA_MASK, nvfifo_coredump_channel, ring),
	KEY(DEC, "order", 31, nvfifo_coredump_channel, ring_order),
};

static const struct part ib_parts[] = {
	AT(DEC, "the index", BITS32, nvfifo_coredump_ib, index),
	AT(HEX, "word 0", BITS32, nvfifo_coredump_ib, words[0]),
	AT(HEX, "word 1", BITS32, nvfifo_coredump_ib, words[1]),
};

static const struct part segment_parts[] = {
	KEY(HEX, "va", NVFIFO_VA_MASK, nvfifo_coredump_segment, va),
	KEY(DEC, "words", BITS32, nvfifo_coredump_segment, words),
};

static const struct part vm_parts[] = {
	AT(DEC, "the number", BITS32, nvfifo_coredump_channel, vm),
	LINE_OF(nvfifo_coredump_channel, has_vm),
};

static const struct part mapping_parts[] = {
	AT(RANGE, "FIRST-LAST", 0, nvfifo_coredump_mapping, first),
	WORD_AT("system|vram", nvfifo_coredump_mapping, vram),
	AT(HEX, "the offset", NVFIFO_VA_MASK, nvfifo_coredump_mapping, offset),
	OPTION(HEX, "kind", 0xff, nvfifo_coredump_mapping, kind),
	OPTION(HEX, "comp", 3, nvfifo_coredump_mapping, comp),
	OPTION(FLAG, "ro", 0, nvfifo_coredump_mapping, read_only),
	OPTION(FLAG, "supervisor", 0, nvfifo_coredump_mapping, supervisor),
	OPTION(FLAG, "long-cycle", 0, nvfifo_coredump_mapping, long_cycle),
	OPTION(FLAG, "encrypted", 0, nvfifo_coredump_mapping, encrypted),
	OPTION(FLAG, "nosnoop", 0, nvfifo_coredump_mapping, nosnoop),
	OPTION(LABEL, "label", 0, nvfifo_coredump_mapping, label),
};

static const struct part pde_parts[] = {
	AT(HEX, "the index", NVFIFO_PD_ENTRIES - 1, nvfifo_coredump_pde, index),
	AT(HEX, "the value", BITS64, nvfifo_coredump_pde, value),
};

static const struct part pte_parts[] = {
	AT(RANGE, "FIRST-LAST", 0, nvfifo_coredump_pte, first),
	AT(HEX, "the value", BITS64, nvfifo_coredump_pte, value),
};

static const struct part bo_parts[] = {
	WORD_AT("system|vram", nvfifo_coredump_bo, vram),
	AT(DEC, "the size", BITS64, nvfifo_coredump_bo, bytes),
	OPTION(TEXT, "flags", 0, nvfifo_coredump_bo, flags),
	OPTION(DEC, "tags", BITS32, nvfifo_coredump_bo, tags),
	OPTION(LABEL, "label", 0, nvfifo_coredump_bo, label),
};

static const struct part cut_parts[] = { LINE_OF(nvfifo_coredump, cut) };
static const struct part end_parts[] = { LINE_OF(nvfifo_coredump, complete) };

static void store(const struct part *k, void *target, __u64 value)
{
	char *field = (char *)target + k->offset;

	if (k->size == sizeof(bool))
		*(bool *)field = value;
	else if (k->size == sizeof(__u32))
		*(__u32 *)field = (__u32)value;
	else
		*(__u64 *)field = value;
}

static bool take_words(struct reader *r, const struct part *k, void *target)
{
	const size_t first = strcspn(k->words, "|");
	struct nvfifo_piece p;
	bool second;

	next_piece(r, &p);
	second = nvfifo_piece_is(&p, k->words + first + 1);
	if (second || (p.len == first && !memcmp(p.start, k->words, first))) {
		store(k, target, second);
		return true;
	}

	if (k->place)
		return bad(r, p.start, "expected vram or system");

	return bad(r, p.start, "%s is %s", k->name, k->words);
}

static bool take_range(struct reader *r, const struct part *k, void *target)
{
	__u64 *range = (__u64 *)((char *)target + k->offset);
	struct nvfifo_piece p, half;
	const char *dash;

	if (!next_piece(r, &p))
		return bad(r, p.start, "expected FIRST-LAST");

	dash = memchr(p.start, '-', p.len);
	half.start = p.start;
	half.len = dash ? (size_t)(dash - p.start) : 0;
	if (!dash || !nvfifo_text_whole(half.start, half.len, 16, NVFIFO_VA_MASK, &range[0]))
		return bad(r, p.start, "expected FIRST-LAST, addresses of 40 bits");

	half.start = dash + 1;
	half.len = p.len - half.len - 1;
	if (!nvfifo_text_whole(half.start, half.len, 16, NVFIFO_VA_MASK, &range[1]) || range[1] < range[0])
		return bad(r, half.start, "expected the last address");

	return true;
}

static bool take_part(struct reader *r, const struct part *k, void *target)
{
	struct nvfifo_piece p;
	__u64 value = 1;

	switch (k->type) {
	case HEX:
	case DEC:
		if (!take(r, k->name, k->type == HEX ? 16 : 10, k->max, &value))
			return false;
		break;
	case ERRNO:
		value = 0;
		next_piece(r, &p);
		if (*p.start == '-' && nvfifo_text_whole(p.start + 1, p.len - 1, 10, k->max, &value))
			value = -value;
		else if (!nvfifo_text_whole(p.start, p.len, 10, k->max, &value))
			value = 0;
		break;
	case WORDS:
		return take_words(r, k, target);
	case RANGE:
		return take_range(r, k, target);
	case TEXT:
		if (!next_piece(r, &p))
			return k->optional || bad(r, r->pos, "expected %s", k->name);
		copy_text((char *)target + k->offset, k->size, p.start, p.len);
		return true;
	case LABEL:
		r->pos += r->pos < r->end;
		copy_text((char *)target + k->offset, k->size, r->pos, (size_t)(r->end - r->pos));
		r->pos = r->end;
		return true;
	case FLAG:
	case LINE:
		break;
	}

	store(k, target, value);
	return true;
}

/* The rest of a line; names that are not asked for are for newer readers. */
static bool read_parts(struct reader *r, const struct part *parts, size_t count, void *target)
{
	struct nvfifo_piece p;
	__u32 seen = 0;
	size_t i;

	for (i = 0; i < count && parts[i].place; i++) {
		if (!take_part(r, &parts[i], target))
			return false;
		seen |= 1u << i;
	}

	while (next_piece(r, &p)) {
		for (i = 0; i < count && (parts[i].place || !nvfifo_piece_is(&p, parts[i].name)); i++)
			;
		if (i < count && !take_part(r, &parts[i], target))
			return false;
		if (i < count)
			seen |= 1u << i;
	}

	for (i = 0; i < count; i++) {
		if (!parts[i].optional && !(seen >> i & 1))
			return bad(r, r->end, "the line ends without '%s'", parts[i].name);
		if (parts[i].type == LINE)
			store(&parts[i], target, true);
	}

	return true;
}

/* --- Lines of other forms ------------------------------------------------ */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void read_channel(struct reader *r)
{
	struct nvfifo_coredump *d = r->dump;
	struct nvfifo_coredump_channel c = { 0 };
	__u64 id;

	/* Lines below an unreadable channel do not belong to the channel before it. */
	r->c = NULL;
	if (!take(r, "the channel", 10, BITS32, &id))
		return;

	if (d->channel_count == CHANNELS_MAX) {
		bad(r, r->line, "more than %d channels", CHANNELS_MAX);
		return;
	}

	c.id = (__u32)id;
	read_parts(r, channel_parts, COUNT(channel_parts), &c);
	r->err = NVFIFO_APPEND(d->channels, d->channel_count, c);
	if (!r->err)
		r->c = &d->channels[d->channel_count - 1];
}

/* The rest of a line as words, up to @max with those that are there. Return: whether all are good. */
static bool take_rest(struct reader *r, __u32 *words, __u32 *count, __u32 max, const char *what)
{
	struct nvfifo_piece p;
	__u64 v;

	while (next_piece(r, &p)) {
		if (*count == max || !nvfifo_text_whole(p.start, p.len, 16, BITS32, &v))
			return bad(r, p.start, "expected up to %u words of %s", max, what);
		words[(*count)++] = (__u32)v;
	}

	return true;
}

static void read_ramfc(struct reader *r)
{
	struct nvfifo_coredump_channel *c = r->c;
	__u32 count, i;
	__u64 at;

	if (!take(r, "the offset", 16, NVFIFO_COREDUMP_RAMFC_WORDS * 4 - 4, &at))
		return;

	count = (__u32)at / 4;
	take_rest(r, c->ramfc, &count, NVFIFO_COREDUMP_RAMFC_WORDS, "RAMFC");
	for (i = (__u32)at / 4; i < count; i++)
		c->ramfc_known |= 1ULL << i;
}

static void read_object(struct reader *r)
{
	struct nvfifo_coredump_object o = { 0 };
	__u64 offset;

	if (!take(r, "the offset", 16, BITS32, &offset) ||
	    !take_rest(r, o.words, &o.count, NVFIFO_COREDUMP_OBJECT_WORDS, "an object"))
		return;

	o.offset = (__u32)offset;
	if (o.count)
		r->err = NVFIFO_APPEND(r->c->objects, r->c->object_count, o);
	else
		bad(r, r->pos, "the object has no words");
}

static void read_segment(struct reader *r)
{
	struct nvfifo_coredump_channel *c = r->c;
	struct nvfifo_coredump_segment s = { 0 };
	struct nvfifo_piece p;
	__u64 index = 0;

	if (!next_piece(r, &p) || (!nvfifo_piece_is(&p, "ib") && !nvfifo_piece_is(&p, "dma"))) {
		bad(r, p.start, "expected ib or dma");
		return;
	}

	s.ib = nvfifo_piece_is(&p, "ib");
	if ((s.ib && !take(r, "the index", 10, BITS32, &index)) ||
	    !read_parts(r, segment_parts, COUNT(segment_parts), &s))
		return;

	s.index = (__u32)index;
	r->err = NVFIFO_APPEND(c->segments, c->segment_count, s);
	if (!r->err)
		r->seg = &c->segments[c->segment_count - 1];
}

static void read_skip(struct reader *r)
{
	__u64 words;

	if (!take(r, "the words", 10, BITS32, &words))
		return;
	if (words > r->seg->words || r->seg->count)
		bad(r, r->line, "the segment has not so many words, or some came before");
	else
		r->seg->skip = (__u32)words;
}

static void read_data(struct reader *r)
{
	struct nvfifo_coredump_segment *s = r->seg;
	struct nvfifo_piece p;
	__u64 v;

	while (!r->err && next_piece(r, &p)) {
		if (!nvfifo_text_whole(p.start, p.len, 16, BITS32, &v)) {
			bad(r, p.start, "'%.*s' is not a word of up to 8 hexadecimal digits",
			    (int)(p.len < 40 ? p.len : 40), p.start);
			return;
		}

		if (s->count >= s->words - s->skip) {
			bad(r, p.start, "the segment has more words than it says");
			return;
		}

		r->err = NVFIFO_APPEND(s->data, s->count, (__u32)v);
	}
}

/* --- All lines ----------------------------------------------------------- */

enum where { ANYWHERE, IN_CHANNEL, IN_SEGMENT };

/* A kind of lines: those with parts are of the dump, of a channel, or of an element of an array. */
struct kind {
	const char *word;
	enum where where;
	void (*read)(struct reader *r);
	const struct part *parts;
	size_t part_count;
	size_t array;	/* offset of the pointer, and of the number of elements after it */
	size_t size;	/* of an element, 0: no array */
};

#define READ(read)	read, NULL, 0, 0, 0
#define PARTS(parts)	NULL, parts, COUNT(parts), 0, 0
#define ELEMENT(parts, type, field) \
	NULL, parts, COUNT(parts), offsetof(struct type, field), sizeof(*((struct type *)0)->field)

static const struct kind kinds[] = {
	{ "card", ANYWHERE, PARTS(card_parts) },
	{ "kernel", ANYWHERE, PARTS(kernel_parts) },
	{ "counters", ANYWHERE, PARTS(counters_parts) },
	{ "wedged", ANYWHERE, PARTS(wedged_parts) },
	{ "reg", ANYWHERE, ELEMENT(reg_parts, nvfifo_coredump, regs) },
	{ "fault", ANYWHERE, ELEMENT(fault_parts, nvfifo_coredump, faults) },
	{ "channel", ANYWHERE, READ(read_channel) },
	{ "pos", IN_CHANNEL, PARTS(pos_parts) },
	{ "ramfc", IN_CHANNEL, READ(read_ramfc) },
	{ "ramht", IN_CHANNEL, ELEMENT(ramht_parts, nvfifo_coredump_channel, ramht) },
	{ "object", IN_CHANNEL, READ(read_object) },
	{ "ring", IN_CHANNEL, PARTS(ring_parts) },
	{ "ib", IN_CHANNEL, ELEMENT(ib_parts, nvfifo_coredump_channel, ibs) },
	{ "segment", IN_CHANNEL, READ(read_segment) },
	{ "skip", IN_SEGMENT, READ(read_skip) },
	{ "data", IN_SEGMENT, READ(read_data) },
	{ "vm", IN_CHANNEL, PARTS(vm_parts) },
	{ "mapping", IN_CHANNEL, ELEMENT(mapping_parts, nvfifo_coredump_channel, mappings) },
	{ "pde", IN_CHANNEL, ELEMENT(pde_parts, nvfifo_coredump_channel, pdes) },
	{ "pte", IN_CHANNEL, ELEMENT(pte_parts, nvfifo_coredump_channel, ptes) },
	{ "bo", ANYWHERE, ELEMENT(bo_parts, nvfifo_coredump, bos) },
	{ "cut", ANYWHERE, PARTS(cut_parts) },
	{ "end", ANYWHERE, PARTS(end_parts) },
};

static void read_kind(struct reader *r, const struct kind *k)
{
	char *owner = k->where == ANYWHERE ? (char *)r->dump : (char *)r->c;
	union {
		struct nvfifo_coredump_fault fault;
		struct nvfifo_coredump_mapping mapping;
		struct nvfifo_coredump_bo bo;
	} element;
	void *array;
	size_t n;

	if (!k->size) {
		read_parts(r, k->parts, k->part_count, owner);
		return;
	}

	memset(&element, 0, sizeof(element));
	if (!read_parts(r, k->parts, k->part_count, &element))
		return;

	memcpy(&array, owner + k->array, sizeof(array));
	memcpy(&n, owner + k->array + sizeof(array), sizeof(n));
	array = nvfifo_grow(array, n, k->size);
	if (!array) {
		r->err = -ENOMEM;
		return;
	}

	memcpy((char *)array + n++ * k->size, &element, k->size);
	memcpy(owner + k->array, &array, sizeof(array));
	memcpy(owner + k->array + sizeof(array), &n, sizeof(n));
}

static void read_line(struct reader *r)
{
	struct nvfifo_piece p;
	size_t i;

	if (!next_piece(r, &p))
		return;

	for (i = 0; i < COUNT(kinds) && !nvfifo_piece_is(&p, kinds[i].word); i++)
		;
	if (i == COUNT(kinds)) {
		r->dump->unknown++;
		return;
	}

	/* Only skip and data belong to the segment above them. */
	if (kinds[i].where != IN_SEGMENT)
		r->seg = NULL;
	if (kinds[i].where == IN_CHANNEL && !r->c)
		bad(r, p.start, "'%s' without a channel", kinds[i].word);
	else if (kinds[i].where == IN_SEGMENT && !r->seg)
		bad(r, p.start, "'%s' without a segment", kinds[i].word);
	else if (kinds[i].read)
		kinds[i].read(r);
	else
		read_kind(r, &kinds[i]);
}

static const char head[] = "nvfifo dump ";

bool nvfifo_coredump_detect(const char *text, size_t len)
{
	return len >= sizeof(head) && !memcmp(text, head, sizeof(head) - 1) &&
	       text[sizeof(head) - 1] >= '1' && text[sizeof(head) - 1] <= '9';
}

int nvfifo_coredump_read(const char *text, size_t len, struct nvfifo_coredump *dump)
{
	const char *end = text + len;
	struct reader r = { .dump = dump, .line = text };
	__u64 version;

	memset(dump, 0, sizeof(*dump));
	if (!nvfifo_coredump_detect(text, len))
		return nvfifo_error(
			-EINVAL,
			"this is not a dump of the driver: it does not begin with 'nvfifo dump 1'");

	while (r.line < end && !r.err && !dump->complete) {
		r.number++;
		r.pos = r.line;
		r.end = nvfifo_text_line_end(r.line, end);
		if (r.number == 1) {
			r.pos += sizeof(head) - 1;
			if (take(&r, "the version", 10, BITS32, &version))
				dump->version = (__u32)version;
		} else {
			read_line(&r);
		}

		r.line = r.end + (r.end < end);
	}

	if (!r.err)
		return 0;

	nvfifo_coredump_free(dump);
	return r.err;
}

void nvfifo_coredump_free(struct nvfifo_coredump *dump)
{
	size_t i, j;

	for (i = 0; i < dump->channel_count; i++) {
		struct nvfifo_coredump_channel *c = &dump->channels[i];

		for (j = 0; j < c->segment_count; j++)
			free(c->segments[j].data);
		free(c->segments);
		free(c->ramht);
		free(c->objects);
		free(c->ibs);
		free(c->mappings);
		free(c->pdes);
		free(c->ptes);
	}

	free(dump->channels);
	free(dump->faults);
	free(dump->regs);
	free(dump->bos);
	memset(dump, 0, sizeof(*dump));
}

/* --- Looking things up --------------------------------------------------- */

const struct nvfifo_coredump_fault *
nvfifo_coredump_channel_fault(const struct nvfifo_coredump *dump,
			      const struct nvfifo_coredump_channel *c)
{
	size_t i;

	for (i = 0; i < dump->fault_count; i++) {
		if (dump->faults[i].inst == c->inst)
			return &dump->faults[i];
	}

	return NULL;
}

const struct nvfifo_coredump_object *nvfifo_coredump_object(const struct nvfifo_coredump_channel *c,
							    __u32 offset)
{
	size_t i;

	for (i = 0; i < c->object_count; i++) {
		if (c->objects[i].offset == offset)
			return &c->objects[i];
	}

	return NULL;
}

const struct nvfifo_coredump_ramht *nvfifo_coredump_handle(const struct nvfifo_coredump_channel *c,
							   __u32 handle)
{
	size_t i;

	for (i = 0; i < c->ramht_count; i++) {
		if (c->ramht[i].handle == handle)
			return &c->ramht[i];
	}

	return NULL;
}

bool nvfifo_coredump_ramfc(const struct nvfifo_coredump_channel *c, __u32 offset, __u32 *value)
{
	__u32 i = offset / 4;

	if (i >= NVFIFO_COREDUMP_RAMFC_WORDS || !(c->ramfc_known >> i & 1))
		return false;

	*value = c->ramfc[i];
	return true;
}

const struct nvfifo_coredump_mapping *
nvfifo_coredump_mapping(const struct nvfifo_coredump_channel *c, __u64 va,
			const struct nvfifo_coredump_mapping **below,
			const struct nvfifo_coredump_mapping **above)
{
	size_t i;

	*below = NULL;
	*above = NULL;
	for (i = 0; i < c->mapping_count; i++) {
		const struct nvfifo_coredump_mapping *m = &c->mappings[i];

		if (va >= m->first && va <= m->last)
			return m;

		if (m->last < va && (!*below || m->last > (*below)->last))
			*below = m;
		if (m->first > va && (!*above || m->first < (*above)->first))
			*above = m;
	}

	return NULL;
}

void nvfifo_coredump_walk(const struct nvfifo_coredump_channel *c, __u64 va,
			  struct nvfifo_coredump_walk *w)
{
	struct nvfifo_pde pde = { 0 };
	struct nvfifo_pte pte;
	unsigned int shift;
	__u64 page;
	size_t i;

	memset(w, 0, sizeof(*w));
	w->reason = NVFIFO_FAULT_PT_NOT_PRESENT;

	for (i = 0; i < c->pde_count && !w->pde; i++) {
		if (c->pdes[i].index == va >> NVFIFO_PDE_SHIFT)
			w->pde = &c->pdes[i];
	}

	if (w->pde)
		pde = nvfifo_pde_decode(w->pde->value);
	if (!w->pde || pde.type == NVFIFO_PT_NONE)
		return;

	shift = nvfifo_pt_page_shift(pde.type);
	w->index = (__u32)((va & ((1ULL << NVFIFO_PDE_SHIFT) - 1)) >> shift);
	w->reason = NVFIFO_FAULT_PT_TOO_SHORT;
	if (w->index >= nvfifo_pt_entries(pde.type, pde.size))
		return;

	w->reason = NVFIFO_FAULT_PAGE_NOT_PRESENT;

	for (i = 0; i < c->pte_count && !w->pte; i++) {
		if (va >= c->ptes[i].first && va <= c->ptes[i].last)
			w->pte = &c->ptes[i];
	}

	if (!w->pte)
		return;

	pte = nvfifo_pte_decode(w->pte->value);
	if (!pte.present)
		return;

	w->present = true;

	/* An entry has the address of the first page of its block. */
	page = w->pte->first >> shift & ((1ULL << pte.contig) - 1);
	w->linear = pte.address + (page << shift) + (va - w->pte->first);
}

/* --- The pushbuffer ------------------------------------------------------ */

enum nvfifo_format nvfifo_coredump_format(const struct nvfifo_coredump_channel *c)
{
	return c->dma ? NVFIFO_FORMAT_NV04_DMA : NVFIFO_FORMAT_NV04;
}

/* Set the objects of RAMHT in the decoder. */
static void know_objects(const struct nvfifo_coredump_channel *c, struct nvfifo_decoder *d)
{
	size_t i;

	for (i = 0; i < c->ramht_count; i++) {
		const struct nvfifo_coredump_object *o =
			nvfifo_coredump_object(c, nvfifo_ramht_context_offset(c->ramht[i].context));

		/* DMA objects are bound to no subchannel. */
		if (o && nvfifo_ramht_context_engine(c->ramht[i].context))
			nvfifo_decoder_handle(d, c->ramht[i].handle, o->words[0] & 0xffff);
	}
}

/* Are all words valid from one word on? @strict: nor may a command without data occur. */
static bool is_begin(const struct nvfifo_decoder *start, const __u32 *data, size_t count,
		     bool strict)
{
	struct nvfifo_decoder d = *start;
	struct nvfifo_word w;
	size_t i;

	d.left = 0;
	d.long_pending = false;

	for (i = 0; i < count; i++) {
		nvfifo_decode(&d, data[i], &w);

		/* The last entry may be the refused one. */
		if ((w.kind == NVFIFO_WORD_INVALID || w.refused) && i + 1 < count)
			return false;

		/* Most small numbers look like one without data. */
		if (strict && w.kind == NVFIFO_WORD_HEADER && w.word && !w.cmd.count &&
		    (w.cmd.type == NVFIFO_COMMAND_INCR || w.cmd.type == NVFIFO_COMMAND_NONINCR))
			return false;
	}

	return true;
}

/*
 * The words before a window are missing, and a command may have begun in them. Take the first place
 * from which all words up to the pusher's position are valid.
 */
static size_t window_begin(const struct nvfifo_decoder *start,
			   const struct nvfifo_coredump_channel *c,
			   const struct nvfifo_coredump_segment *s)
{
	__u64 first = s->va + (__u64)s->skip * 4;
	size_t end = s->count, from;
	int strict;

	if (c->has_pos && c->get > first && (c->get - first) / 4 < end)
		end = (size_t)((c->get - first) / 4);

	for (strict = 1; strict >= 0 && end <= WINDOW_MAX; strict--) {
		for (from = 0; from < end; from++) {
			if (is_begin(start, s->data + from, end - from, strict))
				return from;
		}
	}

	return 0;
}

int nvfifo_coredump_decode(const struct nvfifo_coredump *dump,
			   const struct nvfifo_coredump_channel *c, nvfifo_coredump_word_fn fn,
			   void *ctx)
{
	struct nvfifo_word unknown = { .kind = NVFIFO_WORD_DATA };
	struct nvfifo_decoder d;
	bool gap = false;
	size_t i, j, from;
	int ret = 0;

	nvfifo_decoder_init(&d, nvfifo_coredump_format(c), dump->chipset);
	know_objects(c, &d);

	for (i = 0; i < c->segment_count && !ret; i++) {
		const struct nvfifo_coredump_segment *s = &c->segments[i];

		if (i && s->ib && c->segments[i - 1].ib) {
			__u32 mask = (1u << c->ring_order) - 1;

			gap |= s->index != ((c->segments[i - 1].index + 1) & mask);
		}

		if (gap || s->skip || !s->ib) {
			d.left = 0;
			d.long_pending = false;
		}

		from = s->skip || !s->ib ? window_begin(&d, c, s) : 0;
		for (j = 0; j < s->count && !ret; j++) {
			struct nvfifo_word w;

			if (j < from) {
				unknown.word = s->data[j];
				ret = fn(ctx, i, j, &unknown, false);
			} else {
				nvfifo_decode(&d, s->data[j], &w);
				ret = fn(ctx, i, j, &w, true);
			}
		}

		gap = s->skip + s->count < s->words;
	}

	return ret;
}

struct lookup {
	const struct nvfifo_coredump_channel *c;
	__u32 first;		/* entry of the ring */
	__u32 entries;
	nvfifo_coredump_found_fn fn;
	void *ctx;
	size_t words;		/* found */
};

static int lookup_word(void *ctx, size_t segment, size_t word, const struct nvfifo_word *w, bool known)
{
	struct lookup *s = ctx;
	const struct nvfifo_coredump_segment *seg = &s->c->segments[segment];
	__u32 mask = (1u << s->c->ring_order) - 1;

	if (!known || !seg->ib || ((seg->index - s->first) & mask) >= s->entries)
		return 0;

	s->fn(s->ctx, seg->va + ((__u64)seg->skip + word) * 4, w);
	s->words++;
	return 0;
}

/* A channel with an IB ring, or NULL */
static const struct nvfifo_coredump_channel *ring_channel(const struct nvfifo_coredump *d, __u32 id)
{
	size_t i;

	for (i = 0; i < d->channel_count; i++) {
		if (d->channels[i].id == id && !d->channels[i].dma)
			return &d->channels[i];
	}

	return NULL;
}

size_t nvfifo_coredump_find(const struct nvfifo_coredump *dump,
			    const struct nvfifo_coredump_submission *s, bool dead,
			    nvfifo_coredump_found_fn fn, void *ctx)
{
	struct lookup lookup = {
		.c = ring_channel(dump, s->channel),
		/* The driver's own entry follows those of the program, up to IB_PUT. */
		.first = s->ib_put - s->entries - 1,
		.entries = s->entries,
		.fn = fn,
		.ctx = ctx,
	};

	if (!lookup.c || (dead && (!lookup.c->dead || lookup.c->ib_put != s->ib_put)))
		return 0;

	nvfifo_coredump_decode(dump, lookup.c, lookup_word, &lookup);
	return lookup.words;
}

/* --- The failing entry --------------------------------------------------- */

static __u64 word_va(const struct nvfifo_coredump_segment *s, size_t word)
{
	return s->va + ((__u64)s->skip + word) * 4;
}

static void set_place(const struct nvfifo_coredump_channel *c, size_t segment, size_t word,
		      struct nvfifo_coredump_blame *b)
{
	b->segment = segment;
	b->word = word;
	b->va = word_va(&c->segments[segment], word);
}

/* The segment that GET is in: the one of the entry before IB_GET, or any other. */
static void find_get(const struct nvfifo_coredump_channel *c, struct nvfifo_coredump_blame *b)
{
	__u32 mask = (1u << c->ring_order) - 1;
	int pass;
	size_t i;

	for (pass = 0; pass < 3 && b->get_segment == NVFIFO_COREDUMP_NONE; pass++) {
		for (i = c->segment_count; i-- > 0;) {
			const struct nvfifo_coredump_segment *s = &c->segments[i];
			__u64 first = word_va(s, 0);

			if (c->get < first || c->get > first + s->count * 4 ||
			    c->get % 4 != first % 4)
				continue;

			/* A GET at the very end may belong to the next segment. */
			if (pass < 2 && c->get == first + s->count * 4 && !(pass == 0 && s->ib))
				continue;
			if (!pass && s->ib && s->index != ((c->ib_get - 1) & mask))
				continue;

			b->get_segment = i;
			b->get_word = (size_t)((c->get - first) / 4);

			return;
		}
	}
}

/* The word at an address, in the segment of GET. */
static bool word_at(const struct nvfifo_coredump_channel *c, const struct nvfifo_coredump_blame *b,
		    size_t back, __u32 *word)
{
	if (b->get_segment == NVFIFO_COREDUMP_NONE || b->get_word < back ||
	    b->get_word - back >= c->segments[b->get_segment].count)
		return false;
	*word = c->segments[b->get_segment].data[b->get_word - back];
	return true;
}

/*
 * The pusher does not move GET over a command word that it refuses. Documents and cards differ
 * about that. It does move GET over data whose method it refuses.
 */
static void blame_pusher(const struct nvfifo_coredump_channel *c, struct nvfifo_coredump_blame *b)
{
	size_t back = c->code == NVFIFO_PUSHER_INVALID_MTHD ? 1 : 0;
	__u32 word;

	if (c->code == NVFIFO_PUSHER_IB_EMPTY) {
		/* IB_GET moves on before the entry is looked at. */
		b->ib = (c->ib_get - 1) & ((1u << c->ring_order) - 1);
		return;
	}

	if (c->code != NVFIFO_PUSHER_MEM_FAULT) {
		b->seen = c->data;
		if (!word_at(c, b, back, &word) || word != c->data) {
			if (word_at(c, b, !back, &word) && word == c->data)
				back = !back;
		}
		if (word_at(c, b, back, &word))
			b->stale = word != c->data;
	}

	if (!word_at(c, b, back, &word))
		return;

	b->matches = 1;
	set_place(c, b->get_segment, b->get_word - back, b);
}

static bool reg_value(const struct nvfifo_coredump *dump, __u32 address, __u32 *value)
{
	size_t i;

	for (i = 0; i < dump->reg_count; i++) {
		if (dump->regs[i].address == address) {
			*value = dump->regs[i].value;
			return true;
		}
	}

	return false;
}

/* The value of a register, 0 if the dump does not have it */
static __u32 reg(const struct nvfifo_coredump *dump, __u32 address)
{
	__u32 value = 0;

	reg_value(dump, address, &value);
	return value;
}

/* How many methods the puller has still before it, if the registers are those of the channel. */
static bool cached_methods(const struct nvfifo_coredump *dump,
			   const struct nvfifo_coredump_channel *c, size_t *n)
{
	__u32 push1, put, get;

	if (!reg_value(dump, NV_CACHE1_PUSH1, &push1) || !reg_value(dump, NV_CACHE1_PUT, &put) ||
	    !reg_value(dump, NV_CACHE1_GET, &get) ||
	    NV_FLD_GET(NV_CACHE1_PUSH1__CHID, push1) != c->id)
		return false;

	/* They count in fours up to twice the size of the cache. */
	*n = ((put - get) & 0xffc) / 4;

	return true;
}

struct search {
	const struct nvfifo_coredump_channel *c;
	struct nvfifo_coredump_blame *b;
	size_t methods; /* data words seen */
	size_t first;	/* number of the data word from which on they count */
	size_t head;	/* number of the entry at the puller, or NVFIFO_COREDUMP_NONE */
	size_t off;	/* distance of the best match from @head */
	bool any;	/* search for any method */
	bool counting;
};

/* The pusher has read no word after GET. */
static bool behind_get(const struct search *s, size_t segment, size_t word)
{
	if (s->b->get_segment == NVFIFO_COREDUMP_NONE)
		return false;
	return segment > s->b->get_segment ||
	       (segment == s->b->get_segment && word >= s->b->get_word);
}

static int search_word(void *ctx, size_t segment, size_t word, const struct nvfifo_word *w,
		       bool known)
{
	struct search *s = ctx;
	size_t off, number;

	if (behind_get(s, segment, word))
		return 1;
	if (!known || w->kind != NVFIFO_WORD_DATA)
		return 0;

	number = s->methods++;
	if (s->counting || number < s->first)
		return 0;
	if (s->any ? number != s->head
		   : w->method != (s->c->method & 0x1ffc) ||
			     w->cmd.subc != (s->c->method >> 13 & 7) || w->word != s->c->data)
		return 0;

	off = number > s->head ? number - s->head : s->head - number;
	if (!s->b->matches++ || (s->head != NVFIFO_COREDUMP_NONE && off < s->off)) {
		s->off = off;
		set_place(s->c, segment, word, s->b);
	}

	return 0;
}

/*
 * The cache holds the words between pusher and puller, so the method is one of the last before GET.
 * Of several matches the registers select one; without registers it is the first.
 */
static void blame_method(const struct nvfifo_coredump *dump,
			 const struct nvfifo_coredump_channel *c, struct nvfifo_coredump_blame *b,
			 bool any)
{
	struct search s = {
		.c = c, .b = b, .counting = true, .any = any, .head = NVFIFO_COREDUMP_NONE
	};
	size_t n;

	nvfifo_coredump_decode(dump, c, search_word, &s);
	s.counting = false;
	if (c->error != DRM_NVFIFO_ERROR_GRAPH && cached_methods(dump, c, &n) && n <= s.methods)
		s.head = s.methods - n;
	if (any && (s.head == NVFIFO_COREDUMP_NONE || s.head == s.methods))
		return;

	s.first = s.methods > CACHE_WORDS ? s.methods - CACHE_WORDS : 0;
	s.methods = 0;
	nvfifo_coredump_decode(dump, c, search_word, &s);
	if (b->matches || !s.first)
		return;

	/* An engine may work far before GET: search all words. */
	s.methods = 0;
	s.first = 0;
	nvfifo_coredump_decode(dump, c, search_word, &s);
}

void nvfifo_coredump_blame(const struct nvfifo_coredump *dump,
			   const struct nvfifo_coredump_channel *c, struct nvfifo_coredump_blame *b)
{
	memset(b, 0, sizeof(*b));
	b->segment = NVFIFO_COREDUMP_NONE;
	b->get_segment = NVFIFO_COREDUMP_NONE;
	b->ib = NVFIFO_COREDUMP_NONE;
	if (!c->has_pos)
		return;

	find_get(c, b);

	switch (c->error) {
	case DRM_NVFIFO_ERROR_PUSHER:
		blame_pusher(c, b);
		break;
	case DRM_NVFIFO_ERROR_CACHE:
	case DRM_NVFIFO_ERROR_SEMAPHORE:
	case DRM_NVFIFO_ERROR_GRAPH:
		blame_method(dump, c, b, false);
		break;
	default:
		/* No word is wrong, but the puller may wait at one. */
		blame_method(dump, c, b, true);
	}
}

/* --- As the log has it --------------------------------------------------- */

#define G200		0xa0

/* Registers of a multiprocessor, and of PROP, from their first on */
#define MP_TRAP		(NV_PGRAPH_MP0_TRAP - NV_PGRAPH_MP0_KEEP)
#define MP_PC		(NV_PGRAPH_MP0_PC - NV_PGRAPH_MP0_KEEP)
#define MP_OPCODE_LOW	(NV_PGRAPH_MP0_OPCODE_LOW - NV_PGRAPH_MP0_KEEP)
#define MP_OPCODE_HIGH	(NV_PGRAPH_MP0_OPCODE_HIGH - NV_PGRAPH_MP0_KEEP)
#define MP_STRIDE	(NV_PGRAPH_MP1_KEEP - NV_PGRAPH_MP0_KEEP)
#define PROP_LOW	(NV_PGRAPH_PROP_ADDRESS_LOW - NV_PGRAPH_PROP_TRAP)
#define PROP_HIGH	(NV_PGRAPH_PROP_ADDRESS_HIGH - NV_PGRAPH_PROP_TRAP)
#define PROP_ACCESS	(NV_PGRAPH_PROP_ACCESS - NV_PGRAPH_PROP_TRAP)

/* Units of PGRAPH: DISPATCH with a command and with a query, then those of 16 TPs */
#define MPS_FROM	2
#define PROPS_FROM	(MPS_FROM + 16 * 4)
#define UNITS		(PROPS_FROM + 16)

void nvfifo_coredump_line(const struct nvfifo_coredump *dump,
			  const struct nvfifo_coredump_channel *c, char *buf, size_t size)
{
	__u32 subc = c->method >> 13 & 7, mthd = c->method & 0x1ffc;
	char names[160];
	int n;

	buf[0] = '\0';
	switch (c->error) {
	case DRM_NVFIFO_ERROR_PUSHER:
		n = snprintf(
			buf, size,
			"channel %u: DMA_PUSHER %s, word %08x, subchannel %u method %04x, state %08x",
			c->id, nvfifo_pusher_error_name(c->code), c->data, subc, mthd,
			c->has_pos ? c->state : (c->code & 7) << 29 | (c->method & 0xfffc));
		if (c->has_pos && n > 0 && (size_t)n < size)
			snprintf(buf + n, size - (size_t)n,
				 ", get %010" PRIx64 " put %010" PRIx64 " ib_get %x ib_put %x",
				 (uint64_t)c->get, (uint64_t)c->put, c->ib_get, c->ib_put);
		break;
	case DRM_NVFIFO_ERROR_CACHE:
		snprintf(buf, size,
			 "channel %u: CACHE_ERROR %s, subchannel %u method %04x data %08x", c->id,
			 nvfifo_cache_error_name(c->code), subc, mthd, c->data);
		break;
	case DRM_NVFIFO_ERROR_SEMAPHORE:
		snprintf(buf, size, "channel %u: SEMAPHORE %s, method %04x data %08x", c->id,
			 nvfifo_semaphore_error_name(c->code), mthd, c->data);
		break;
	case DRM_NVFIFO_ERROR_GRAPH:
		nvfifo_gr_error_names(c->code, c->detail, names, sizeof(names));
		snprintf(
			buf, size,
			"channel %u: PGRAPH %s, intr %08x detail %08x, class %04x subchannel %u method %04x data %08x",
			c->id, names, c->code, c->detail, reg(dump, NV_PGRAPH_TRAPPED_CLASS) & 0xffff,
			subc, mthd, c->data);
		break;
	}
}

static bool stuck_line(const struct nvfifo_coredump *dump,
		       const struct nvfifo_coredump_channel *c, bool query, char *buf, size_t size)
{
	__u32 stuck = reg(dump, query ? NV_PGRAPH_QUERY_STUCK : NV_PGRAPH_DISPATCH_STUCK);
	__u32 data = reg(dump, query ? NV_PGRAPH_QUERY_STUCK_DATA : NV_PGRAPH_DISPATCH_STUCK_DATA);
	__u32 high = query ? 0 : reg(dump, NV_PGRAPH_DISPATCH_STUCK_DATA_HIGH);

	/* Both registers have the same fields. */
	if (!NV_FLD_GET(NV_PGRAPH_DISPATCH_STUCK__VALID, stuck) ||
	    !(reg(dump, NV_PGRAPH_DISPATCH_TRAP) >> query & 1))
		return false;

	snprintf(buf, size,
		 "channel %u: DISPATCH holds a %s, subchannel %u class %04x method %04x data %08x %08x, 400848 is %08x",
		 c->id, query ? "query" : "command",
		 NV_FLD_GET(NV_PGRAPH_DISPATCH_STUCK__SUBCHANNEL, stuck),
		 reg(dump, NV_PGRAPH_TRAPPED_CLASS) & 0xffff,
		 stuck & NV_FLD_MASK(NV_PGRAPH_DISPATCH_STUCK__METHOD), high, data,
		 reg(dump, NV_PGRAPH_DISPATCH_UNK848));

	return true;
}

/* The registers of multiprocessor @n of the card, 4 to a TP. */
static bool mp_line(const struct nvfifo_coredump *dump, const struct nvfifo_coredump_channel *c,
		    unsigned int n, char *buf, size_t size)
{
	__u32 tp = n / 4, mp = n % 4, base, trap, pc;
	char names[160];

	/* The MPC's registers replace these. */
	if (dump->chipset < G200 && mp > 1)
		return false;

	base = dump->chipset < G200 ? NV_REG_AT(NV_PGRAPH_G80_MP0_KEEP, tp) :
				      NV_REG_AT(NV_PGRAPH_MP0_KEEP, tp);
	base += mp * MP_STRIDE;
	trap = reg(dump, base + MP_TRAP);
	pc = reg(dump, base + MP_PC);
	if (!trap)
		return false;

	snprintf(buf, size,
		 "channel %u: MP %u of TP %u stopped: %08x %s, pc %06x warp %u, opcode %08x %08x",
		 c->id, mp, tp, trap,
		 nvfifo_bits_names(trap, nvfifo_mp_trap_name, names, sizeof(names)),
		 NV_FLD_GET(NV_PGRAPH_MP0_PC__PC, pc), NV_FLD_GET(NV_PGRAPH_MP0_PC__WARP, pc),
		 reg(dump, base + MP_OPCODE_LOW), reg(dump, base + MP_OPCODE_HIGH));

	return true;
}

static bool prop_line(const struct nvfifo_coredump *dump, const struct nvfifo_coredump_channel *c,
		      unsigned int tp, char *buf, size_t size)
{
	__u32 base = dump->chipset < G200 ? NV_REG_AT(NV_PGRAPH_G80_PROP_TRAP, tp) :
					    NV_REG_AT(NV_PGRAPH_PROP_TRAP, tp);
	__u32 low = reg(dump, base + PROP_LOW), access = reg(dump, base + PROP_ACCESS), trap;
	const char *what = "access";
	char names[160];
	bool cuda;

	if (!reg_value(dump, base, &trap))
		return false;

	trap &= ~NV_FLD_MASK(NV_PGRAPH_PROP_TRAP__ENABLE);
	cuda = trap & NV_FLD_MASK(NV_PGRAPH_PROP_TRAP__CUDA_FAULT);
	if (cuda && access & NV_FLD_MASK(NV_PGRAPH_PROP_ACCESS__READ)) {
		what = "read";
		low |= NV_FLD_GET(NV_PGRAPH_PROP_ACCESS__READ_LOW, access);
	} else if (cuda && access & NV_FLD_MASK(NV_PGRAPH_PROP_ACCESS__WRITE)) {
		what = "write";
		low |= NV_FLD_GET(NV_PGRAPH_PROP_ACCESS__WRITE_LOW, access);
	}

	snprintf(buf, size, "channel %u: PROP of TP %u stopped: %08x %s, %s at %02x%08x", c->id, tp,
		 trap, nvfifo_bits_names(trap, nvfifo_prop_trap_name, names, sizeof(names)), what,
		 reg(dump, base + PROP_HIGH) & 0xff, low);

	return true;
}

bool nvfifo_coredump_unit_line(const struct nvfifo_coredump *dump,
			       const struct nvfifo_coredump_channel *c, unsigned int *unit,
			       char *buf, size_t size)
{
	bool stopped = false;

	if (c->error != DRM_NVFIFO_ERROR_GRAPH || !(c->code & NV_PGRAPH_INTR__TRAP))
		return false;

	for (; *unit < UNITS && !stopped; (*unit)++) {
		if (*unit < MPS_FROM)
			stopped = stuck_line(dump, c, *unit, buf, size);
		else if (*unit < PROPS_FROM)
			stopped = mp_line(dump, c, *unit - MPS_FROM, buf, size);
		else
			stopped = prop_line(dump, c, *unit - PROPS_FROM, buf, size);
	}

	return stopped;
}

void nvfifo_coredump_fault_line(const struct nvfifo_coredump *dump,
				const struct nvfifo_coredump_fault *f, char *buf, size_t size)
{
	__u32 id = dump->chipset;

	snprintf(buf, size,
		 "VM fault: %s at %010" PRIx64
		 ", engine %x %s, client %x %s, slot %x %s, channel structure %08" PRIx64 ": %s",
		 f->write ? "write" : "read", (uint64_t)f->address, f->engine,
		 nvfifo_name_or_unknown(nvfifo_fault_engine(id, f->engine)), f->client,
		 nvfifo_name_or_unknown(nvfifo_fault_client(id, f->client)), f->slot,
		 nvfifo_name_or_unknown(nvfifo_fault_slot(id, f->engine, f->client, f->slot)),
		 (uint64_t)f->inst, nvfifo_fault_reason_name(f->reason));
}
