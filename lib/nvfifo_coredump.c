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

/* --- Growing arrays ------------------------------------------------------ */

/*
 * Room for one more of @size bytes, zeroed, after @count of them. Arrays grow by doubling, so
 * @count alone gives their size.
 */
static void *grow(struct reader *r, void *array, size_t *count, size_t size)
{
	char *items = *(char **)array;
	size_t n = *count;

	if (!(n & (n - 1))) {
		char *more = realloc(items, (n ? n * 2 : 1) * size);

		if (!more) {
			r->err = -ENOMEM;
			return NULL;
		}

		items = more;
		*(char **)array = items;
	}

	memset(items + n * size, 0, size);
	*count = n + 1;

	return items + n * size;
}

#define ADD(r, array, count) grow(r, &(array), &(count), sizeof(*(array)))

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

static bool take32(struct reader *r, const char *what, unsigned int base, __u32 *value)
{
	__u64 v = 0;
	bool ok = take(r, what, base, 0xffffffff, &v);

	if (ok)
		*value = (__u32)v;

	return ok;
}

static bool take_address(struct reader *r, const char *what, __u64 *value)
{
	return take(r, what, 16, NVFIFO_VA_MASK, value);
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

/* "NAME VALUE" somewhere in the line. */
struct key {
	const char *name;
	const char *words; /* values by name, "alive|dead", else a number */
	unsigned int base;
	__u64 max;
	__u64 value;
	bool seen;
};

static bool word_value(const struct nvfifo_piece *p, const char *words, __u64 *value)
{
	__u64 n = 0;

	while (*words) {
		size_t len = strcspn(words, "|");

		if (len == p->len && !memcmp(words, p->start, len)) {
			*value = n;
			return true;
		}

		words += len + (words[len] == '|');
		n++;
	}

	return false;
}

static bool key_value(struct reader *r, struct key *k)
{
	struct nvfifo_piece p;

	k->seen = true;
	if (!k->words)
		return take(r, k->name, k->base, k->max, &k->value);
	if (next_piece(r, &p) && word_value(&p, k->words, &k->value))
		return true;

	return bad(r, p.start, "%s is %s", k->name, k->words);
}

/* The rest of the line; keys that are not asked for are for newer readers. */
static bool read_keys(struct reader *r, struct key *keys, size_t count)
{
	struct nvfifo_piece p;
	size_t i;

	while (next_piece(r, &p)) {
		for (i = 0; i < count && !nvfifo_piece_is(&p, keys[i].name); i++)
			;
		if (i < count && !key_value(r, &keys[i]))
			return false;
	}

	for (i = 0; i < count; i++) {
		if (!keys[i].seen)
			return bad(r, r->end, "the line ends without '%s'", keys[i].name);
	}

	return true;
}

#define HEX32(name) { name, NULL, 16, 0xffffffff, 0, false }
#define HEX40(name) { name, NULL, 16, NVFIFO_VA_MASK, 0, false }
#define DEC32(name) { name, NULL, 10, 0xffffffff, 0, false }
#define DEC64(name) { name, NULL, 10, ~0ULL, 0, false }
#define WORDS(name, words) { name, words, 0, 0, 0, false }
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* --- One function for each kind of line ---------------------------------- */

static bool read_card(struct reader *r)
{
	struct key k[] = { HEX32("chipset"), HEX32("boot0"), DEC64("vram") };
	struct nvfifo_piece name;
	bool ok;

	if (!next_piece(r, &name))
		return bad(r, r->pos, "expected the name of the card");

	copy_text(r->dump->card, sizeof(r->dump->card), name.start, name.len);
	ok = read_keys(r, k, COUNT(k));
	r->dump->chipset = (__u32)k[0].value;
	r->dump->boot_0 = (__u32)k[1].value;
	r->dump->vram = k[2].value;

	return ok;
}

static bool read_kernel(struct reader *r)
{
	struct nvfifo_piece release, p;

	if (!next_piece(r, &release))
		return bad(r, r->pos, "expected the kernel's release");

	copy_text(r->dump->kernel, sizeof(r->dump->kernel), release.start, release.len);
	if (next_piece(r, &p) && nvfifo_piece_is(&p, "machine") && next_piece(r, &p))
		copy_text(r->dump->machine, sizeof(r->dump->machine), p.start, p.len);

	return true;
}

static bool read_wedged(struct reader *r)
{
	struct nvfifo_piece p;

	if (!next_piece(r, &p))
		return bad(r, r->pos, "expected ok, lost or stuck");

	copy_text(r->dump->wedged, sizeof(r->dump->wedged), p.start, p.len);
	return true;
}

static bool read_counters(struct reader *r)
{
	struct key k[] = { DEC64("timeouts"), DEC64("errors"), DEC64("submits"),
			   DEC64("vram_free") };

	if (!read_keys(r, k, COUNT(k)))
		return false;

	r->dump->has_counters = true;
	r->dump->timeouts = k[0].value;
	r->dump->errors = k[1].value;
	r->dump->submits = k[2].value;
	r->dump->vram_free = k[3].value;

	return true;
}

static bool read_reg(struct reader *r)
{
	struct nvfifo_coredump_reg *reg;
	__u32 address, value;

	if (!take32(r, "the address", 16, &address) || !take32(r, "the value", 16, &value))
		return false;

	reg = ADD(r, r->dump->regs, r->dump->reg_count);
	if (!reg)
		return false;

	reg->address = address;
	reg->value = value;

	return true;
}

static bool read_fault(struct reader *r)
{
	struct key k[] = { HEX40("inst"), HEX32("engine"), HEX32("reason"), HEX32("client"),
			   HEX32("slot") };
	struct nvfifo_coredump_fault f = { 0 }, *place;
	const char *from;

	if (!take_address(r, "the address", &f.address))
		return false;

	from = r->pos;
	if (!read_keys(r, k, COUNT(k)))
		return false;

	f.inst = k[0].value;
	f.engine = (__u32)k[1].value;
	f.reason = (__u32)k[2].value;
	f.client = (__u32)k[3].value;
	f.slot = (__u32)k[4].value;

	for (r->pos = from; r->pos < r->end;) {
		struct nvfifo_piece p;

		next_piece(r, &p);
		f.write |= nvfifo_piece_is(&p, "write");
	}

	place = ADD(r, r->dump->faults, r->dump->fault_count);
	if (place)
		*place = f;

	return place;
}

/* The errno of a channel's line, the only number that may be negative. */
static void read_errno(struct reader *r, const char *from)
{
	struct nvfifo_piece p;
	__u64 v;

	for (r->pos = from; r->pos < r->end;) {
		next_piece(r, &p);
		if (!nvfifo_piece_is(&p, "errno") || !next_piece(r, &p))
			continue;

		v = 0;
		if (p.start[0] == '-') {
			p.start++;
			p.len--;
			r->c->err = nvfifo_text_whole(p.start, p.len, 10, 4095, &v) ? -(__s32)v : 0;
		} else if (nvfifo_text_whole(p.start, p.len, 10, 4095, &v)) {
			r->c->err = (__s32)v;
		}
	}
}

static bool read_channel(struct reader *r)
{
	struct key k[] = { WORDS("state", "alive|dead"),
			   WORDS("mode", "ib|dma"),
			   WORDS("queue", "kernel|user"),
			   HEX40("inst"),
			   DEC32("error"),
			   HEX32("code"),
			   HEX32("detail"),
			   HEX32("method"),
			   HEX32("data") };
	struct nvfifo_coredump_channel *c;
	__u32 id = 0;
	const char *from;
	bool ok;

	/* Lines below an unreadable channel do not belong to the channel before it. */
	r->c = NULL;
	if (!take32(r, "the channel", 10, &id))
		return false;

	from = r->pos;
	if (r->dump->channel_count == CHANNELS_MAX)
		return bad(r, r->line, "more than %d channels", CHANNELS_MAX);

	c = ADD(r, r->dump->channels, r->dump->channel_count);
	if (!c)
		return false;

	r->c = c;
	c->id = id;
	ok = read_keys(r, k, COUNT(k));
	c->dead = k[0].value;
	c->dma = k[1].value;
	c->user = k[2].value;
	c->inst = k[3].value;
	c->error = (__u32)k[4].value;
	c->code = (__u32)k[5].value;
	c->detail = (__u32)k[6].value;
	c->method = (__u32)k[7].value;
	c->data = (__u32)k[8].value;

	read_errno(r, from);
	return ok;
}

static bool read_pos(struct reader *r)
{
	struct key k[] = { HEX40("get"),   HEX40("put"),    HEX40("mget"),   HEX40("mput"),
			   HEX32("state"), DEC32("ib_get"), DEC32("ib_put"), HEX32("ref") };
	struct nvfifo_coredump_channel *c = r->c;

	k[3].seen = true;
	if (!read_keys(r, k, COUNT(k)))
		return false;

	c->has_pos = true;
	c->get = k[0].value;
	c->put = k[1].value;
	c->mget = k[2].value;
	c->mput = k[3].value;
	c->state = (__u32)k[4].value;
	c->ib_get = (__u32)k[5].value;
	c->ib_put = (__u32)k[6].value;
	c->ref = (__u32)k[7].value;

	return true;
}

static bool read_ramfc(struct reader *r)
{
	struct nvfifo_coredump_channel *c = r->c;
	struct nvfifo_piece p;
	__u64 at, v;

	if (!take(r, "the offset", 16, NVFIFO_COREDUMP_RAMFC_WORDS * 4 - 4, &at))
		return false;

	for (at /= 4; next_piece(r, &p); at++) {
		if (at >= NVFIFO_COREDUMP_RAMFC_WORDS)
			return bad(r, p.start, "RAMFC has no such word");
		if (!nvfifo_text_whole(p.start, p.len, 16, 0xffffffff, &v))
			return bad(r, p.start, "expected a word of RAMFC");
		c->ramfc[at] = (__u32)v;
		c->ramfc_known |= 1ULL << at;
	}

	return true;
}

static bool read_ramht(struct reader *r)
{
	struct nvfifo_coredump_ramht *e, v;

	if (!take32(r, "the slot", 10, &v.slot) || !take32(r, "the handle", 16, &v.handle) ||
	    !take32(r, "the context", 16, &v.context))
		return false;

	e = ADD(r, r->c->ramht, r->c->ramht_count);
	if (e)
		*e = v;

	return e;
}

static bool read_object(struct reader *r)
{
	struct nvfifo_coredump_object *o, v = { 0 };
	struct nvfifo_piece p;
	__u64 word;

	if (!take32(r, "the offset", 16, &v.offset))
		return false;

	while (next_piece(r, &p)) {
		if (v.count == NVFIFO_COREDUMP_OBJECT_WORDS ||
		    !nvfifo_text_whole(p.start, p.len, 16, 0xffffffff, &word))
			return bad(r, p.start, "expected up to %d words of an object",
				   NVFIFO_COREDUMP_OBJECT_WORDS);
		v.words[v.count++] = (__u32)word;
	}

	if (!v.count)
		return bad(r, p.start, "the object has no words");

	o = ADD(r, r->c->objects, r->c->object_count);
	if (o)
		*o = v;

	return o;
}

static bool read_ring(struct reader *r)
{
	struct key k[] = { HEX40("address"), { "order", NULL, 10, 31, 0, false } };

	if (!read_keys(r, k, COUNT(k)))
		return false;

	r->c->ring = k[0].value;
	r->c->ring_order = (__u32)k[1].value;

	return true;
}

static bool read_ib(struct reader *r)
{
	struct nvfifo_coredump_ib *e, v;

	if (!take32(r, "the index", 10, &v.index) || !take32(r, "word 0", 16, &v.words[0]) ||
	    !take32(r, "word 1", 16, &v.words[1]))
		return false;

	e = ADD(r, r->c->ibs, r->c->ib_count);
	if (e)
		*e = v;

	return e;
}

static bool read_segment(struct reader *r)
{
	struct key k[] = { HEX40("va"), DEC32("words") };
	struct nvfifo_coredump_segment *s, v = { 0 };
	struct nvfifo_piece p;

	if (!next_piece(r, &p) || (!nvfifo_piece_is(&p, "ib") && !nvfifo_piece_is(&p, "dma")))
		return bad(r, p.start, "expected ib or dma");

	v.ib = nvfifo_piece_is(&p, "ib");
	if (v.ib && !take32(r, "the index", 10, &v.index))
		return false;
	if (!read_keys(r, k, COUNT(k)))
		return false;

	v.va = k[0].value;
	v.words = (__u32)k[1].value;
	s = ADD(r, r->c->segments, r->c->segment_count);
	if (s)
		*s = v;
	r->seg = s;

	return s;
}

static bool read_skip(struct reader *r)
{
	__u32 words = 0;

	if (!take32(r, "the words", 10, &words))
		return false;
	if (words > r->seg->words || r->seg->count)
		return bad(r, r->line, "the segment has not so many words, or some came before");

	r->seg->skip = words;
	return true;
}

static bool read_data(struct reader *r)
{
	struct nvfifo_coredump_segment *s = r->seg;
	struct nvfifo_piece p;
	__u64 v;

	while (next_piece(r, &p)) {
		__u32 *word;

		if (!nvfifo_text_whole(p.start, p.len, 16, 0xffffffff, &v))
			return bad(r, p.start, "'%.*s' is not a word of up to 8 hexadecimal digits",
				   (int)(p.len < 40 ? p.len : 40), p.start);
		if (s->count >= s->words - s->skip)
			return bad(r, p.start, "the segment has more words than it says");

		word = ADD(r, s->data, s->count);
		if (!word)
			return false;

		*word = (__u32)v;
	}

	return true;
}

static bool read_vm(struct reader *r)
{
	if (!take32(r, "the number", 10, &r->c->vm))
		return false;
	r->c->has_vm = true;
	return true;
}

/* "0020000000-0020000fff" */
static bool take_range(struct reader *r, __u64 *first, __u64 *last)
{
	struct nvfifo_piece p, half;
	const char *dash;

	if (!next_piece(r, &p))
		return bad(r, p.start, "expected FIRST-LAST");

	dash = memchr(p.start, '-', p.len);
	half.start = p.start;
	half.len = dash ? (size_t)(dash - p.start) : 0;
	if (!dash || !nvfifo_text_whole(half.start, half.len, 16, NVFIFO_VA_MASK, first))
		return bad(r, p.start, "expected FIRST-LAST, addresses of 40 bits");

	half.start = dash + 1;
	half.len = p.len - half.len - 1;
	if (!nvfifo_text_whole(half.start, half.len, 16, NVFIFO_VA_MASK, last) || *last < *first)
		return bad(r, half.start, "expected the last address");

	return true;
}

static bool take_domain(struct reader *r, bool *vram)
{
	struct nvfifo_piece p;

	if (!next_piece(r, &p) || (!nvfifo_piece_is(&p, "vram") && !nvfifo_piece_is(&p, "system")))
		return bad(r, p.start, "expected vram or system");

	*vram = nvfifo_piece_is(&p, "vram");
	return true;
}

/* All to the end of the line. */
static void take_label(struct reader *r, char label[NVFIFO_COREDUMP_LABEL])
{
	const char *from = r->pos + (r->pos < r->end);

	copy_text(label, NVFIFO_COREDUMP_LABEL, from, (size_t)(r->end - from));
	r->pos = r->end;
}

static bool read_mapping(struct reader *r)
{
	struct nvfifo_coredump_mapping *m, v = { 0 };
	struct key keys[] = { { "kind", NULL, 16, 0xff, 0, false },
			      { "comp", NULL, 16, 3, 0, false } };
	const struct {
		const char *name;
		bool *flag;
	} flags[] = {
		{ "ro", &v.read_only },		 { "supervisor", &v.supervisor },
		{ "long-cycle", &v.long_cycle }, { "encrypted", &v.encrypted },
		{ "nosnoop", &v.nosnoop },
	};
	struct nvfifo_piece p;
	size_t i;

	if (!take_range(r, &v.first, &v.last) || !take_domain(r, &v.vram) ||
	    !take_address(r, "the offset", &v.offset))
		return false;

	while (next_piece(r, &p)) {
		if (nvfifo_piece_is(&p, "label")) {
			take_label(r, v.label);
			break;
		}

		for (i = 0; i < COUNT(keys); i++) {
			if (nvfifo_piece_is(&p, keys[i].name) && !key_value(r, &keys[i]))
				return false;
		}

		for (i = 0; i < COUNT(flags); i++)
			*flags[i].flag |= nvfifo_piece_is(&p, flags[i].name);
	}

	v.kind = (__u32)keys[0].value;
	v.comp = (__u32)keys[1].value;
	m = ADD(r, r->c->mappings, r->c->mapping_count);
	if (m)
		*m = v;

	return m;
}

static bool read_pde(struct reader *r)
{
	struct nvfifo_coredump_pde *e, v;
	__u64 index;

	if (!take(r, "the index", 16, NVFIFO_PD_ENTRIES - 1, &index) ||
	    !take(r, "the value", 16, ~0ULL, &v.value))
		return false;

	v.index = (__u32)index;
	e = ADD(r, r->c->pdes, r->c->pde_count);
	if (e)
		*e = v;

	return e;
}

static bool read_pte(struct reader *r)
{
	struct nvfifo_coredump_pte *e, v;

	if (!take_range(r, &v.first, &v.last) || !take(r, "the value", 16, ~0ULL, &v.value))
		return false;

	e = ADD(r, r->c->ptes, r->c->pte_count);
	if (e)
		*e = v;

	return e;
}

static bool read_bo(struct reader *r)
{
	struct nvfifo_coredump_bo *b, v = { 0 };
	struct nvfifo_piece p;

	if (!take_domain(r, &v.vram) || !take(r, "the size", 10, ~0ULL, &v.bytes))
		return false;

	while (next_piece(r, &p)) {
		if (nvfifo_piece_is(&p, "label")) {
			take_label(r, v.label);
			break;
		}

		if (nvfifo_piece_is(&p, "flags") && next_piece(r, &p))
			copy_text(v.flags, sizeof(v.flags), p.start, p.len);
		else if (nvfifo_piece_is(&p, "tags") && !take(r, "tags", 10, 0xffffffff, &v.tags))
			return false;
	}

	b = ADD(r, r->dump->bos, r->dump->bo_count);
	if (b)
		*b = v;

	return b;
}

static bool read_cut(struct reader *r)
{
	r->dump->cut = true;
	return true;
}

static bool read_end(struct reader *r)
{
	r->dump->complete = true;
	return true;
}

enum where { ANYWHERE, IN_CHANNEL, IN_SEGMENT };

static const struct {
	const char *word;
	enum where where;
	bool (*read)(struct reader *r);
} kinds[] = {
	{ "card", ANYWHERE, read_card },
	{ "kernel", ANYWHERE, read_kernel },
	{ "counters", ANYWHERE, read_counters },
	{ "wedged", ANYWHERE, read_wedged },
	{ "reg", ANYWHERE, read_reg },
	{ "fault", ANYWHERE, read_fault },
	{ "channel", ANYWHERE, read_channel },
	{ "pos", IN_CHANNEL, read_pos },
	{ "ramfc", IN_CHANNEL, read_ramfc },
	{ "ramht", IN_CHANNEL, read_ramht },
	{ "object", IN_CHANNEL, read_object },
	{ "ring", IN_CHANNEL, read_ring },
	{ "ib", IN_CHANNEL, read_ib },
	{ "segment", IN_CHANNEL, read_segment },
	{ "skip", IN_SEGMENT, read_skip },
	{ "data", IN_SEGMENT, read_data },
	{ "vm", IN_CHANNEL, read_vm },
	{ "mapping", IN_CHANNEL, read_mapping },
	{ "pde", IN_CHANNEL, read_pde },
	{ "pte", IN_CHANNEL, read_pte },
	{ "bo", ANYWHERE, read_bo },
	{ "cut", ANYWHERE, read_cut },
	{ "end", ANYWHERE, read_end },
};

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
	else
		kinds[i].read(r);
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
			take32(&r, "the version", 10, &dump->version);
		} else {
			read_line(&r);
		}

		r.line = r.end + (r.end < end);
	}

	if (!r.err)
		return 0;

	nvfifo_coredump_free(dump);
	return nvfifo_error(r.err, "out of memory");
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
	__u32 subc = c->method >> 13 & 7, mthd = c->method & 0x1ffc, oclass = 0;
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
		reg_value(dump, NV_PGRAPH_TRAPPED_CLASS, &oclass);
		nvfifo_gr_error_names(c->code, c->detail, names, sizeof(names));
		snprintf(
			buf, size,
			"channel %u: PGRAPH %s, intr %08x detail %08x, class %04x subchannel %u method %04x data %08x",
			c->id, names, c->code, c->detail, oclass & 0xffff, subc, mthd, c->data);
		break;
	}
}

static bool stuck_line(const struct nvfifo_coredump *dump,
		       const struct nvfifo_coredump_channel *c, bool query, char *buf, size_t size)
{
	__u32 status = 0, stuck = 0, class = 0, data = 0, high = 0, unk848 = 0;

	reg_value(dump, NV_PGRAPH_DISPATCH_TRAP, &status);
	reg_value(dump, query ? NV_PGRAPH_QUERY_STUCK : NV_PGRAPH_DISPATCH_STUCK, &stuck);
	reg_value(dump, query ? NV_PGRAPH_QUERY_STUCK_DATA : NV_PGRAPH_DISPATCH_STUCK_DATA, &data);
	reg_value(dump, NV_PGRAPH_TRAPPED_CLASS, &class);
	reg_value(dump, NV_PGRAPH_DISPATCH_UNK848, &unk848);
	if (!query)
		reg_value(dump, NV_PGRAPH_DISPATCH_STUCK_DATA_HIGH, &high);

	/* Both registers have the same fields. */
	if (!NV_FLD_GET(NV_PGRAPH_DISPATCH_STUCK__VALID, stuck) || !(status >> query & 1))
		return false;

	snprintf(buf, size,
		 "channel %u: DISPATCH holds a %s, subchannel %u class %04x method %04x data %08x %08x, 400848 is %08x",
		 c->id, query ? "query" : "command",
		 NV_FLD_GET(NV_PGRAPH_DISPATCH_STUCK__SUBCHANNEL, stuck), class & 0xffff,
		 stuck & NV_FLD_MASK(NV_PGRAPH_DISPATCH_STUCK__METHOD), high, data, unk848);

	return true;
}

/* The registers of multiprocessor @n of the card, 4 to a TP. */
static bool mp_line(const struct nvfifo_coredump *dump, const struct nvfifo_coredump_channel *c,
		    unsigned int n, char *buf, size_t size)
{
	__u32 tp = n / 4, mp = n % 4, base, trap = 0, pc = 0, low = 0, high = 0;
	char names[160];

	if (dump->chipset < G200)
		base = NV_REG_AT(NV_PGRAPH_G80_MP0_KEEP, tp) + mp * MP_STRIDE;
	else
		base = NV_REG_AT(NV_PGRAPH_MP0_KEEP, tp) + mp * MP_STRIDE;

	/* The MPC's registers replace these. */
	if (dump->chipset < G200 && mp > 1)
		return false;
	if (!reg_value(dump, base + MP_TRAP, &trap) || !trap)
		return false;

	reg_value(dump, base + MP_PC, &pc);
	reg_value(dump, base + MP_OPCODE_LOW, &low);
	reg_value(dump, base + MP_OPCODE_HIGH, &high);
	snprintf(buf, size,
		 "channel %u: MP %u of TP %u stopped: %08x %s, pc %06x warp %u, opcode %08x %08x",
		 c->id, mp, tp, trap,
		 nvfifo_bits_names(trap, nvfifo_mp_trap_name, names, sizeof(names)), NV_FLD_GET(NV_PGRAPH_MP0_PC__PC, pc),
		 NV_FLD_GET(NV_PGRAPH_MP0_PC__WARP, pc), low, high);

	return true;
}

static bool prop_line(const struct nvfifo_coredump *dump, const struct nvfifo_coredump_channel *c,
		      unsigned int tp, char *buf, size_t size)
{
	__u32 reg = dump->chipset < G200 ? NV_REG_AT(NV_PGRAPH_G80_PROP_TRAP, tp) :
					   NV_REG_AT(NV_PGRAPH_PROP_TRAP, tp);
	__u32 trap = 0, low = 0, high = 0, access = 0;
	const char *what = "access";
	char names[160];

	if (!reg_value(dump, reg, &trap))
		return false;

	trap &= ~NV_FLD_MASK(NV_PGRAPH_PROP_TRAP__ENABLE);
	reg_value(dump, reg + PROP_LOW, &low);
	reg_value(dump, reg + PROP_HIGH, &high);
	reg_value(dump, reg + PROP_ACCESS, &access);
	if (trap & NV_FLD_MASK(NV_PGRAPH_PROP_TRAP__CUDA_FAULT) &&
	    access & NV_FLD_MASK(NV_PGRAPH_PROP_ACCESS__READ)) {
		what = "read";
		low |= NV_FLD_GET(NV_PGRAPH_PROP_ACCESS__READ_LOW, access);
	} else if (trap & NV_FLD_MASK(NV_PGRAPH_PROP_TRAP__CUDA_FAULT) &&
		   access & NV_FLD_MASK(NV_PGRAPH_PROP_ACCESS__WRITE)) {
		what = "write";
		low |= NV_FLD_GET(NV_PGRAPH_PROP_ACCESS__WRITE_LOW, access);
	}

	snprintf(buf, size, "channel %u: PROP of TP %u stopped: %08x %s, %s at %02x%08x", c->id, tp,
		 trap, nvfifo_bits_names(trap, nvfifo_prop_trap_name, names, sizeof(names)), what,
		 high & 0xff, low);

	return true;
}

/* A unit by a number from 0 on. Return: whether it has stopped, with its line in @buf. */
static bool unit_line(const struct nvfifo_coredump *dump, const struct nvfifo_coredump_channel *c,
		      unsigned int unit, char *buf, size_t size)
{
	if (unit < MPS_FROM)
		return stuck_line(dump, c, unit, buf, size);
	if (unit < PROPS_FROM)
		return mp_line(dump, c, unit - MPS_FROM, buf, size);

	return prop_line(dump, c, unit - PROPS_FROM, buf, size);
}

bool nvfifo_coredump_unit_line(const struct nvfifo_coredump *dump,
			       const struct nvfifo_coredump_channel *c, unsigned int *unit,
			       char *buf, size_t size)
{
	if (c->error != DRM_NVFIFO_ERROR_GRAPH || !(c->code & NV_PGRAPH_INTR__TRAP))
		return false;

	while (*unit < UNITS)
		if (unit_line(dump, c, (*unit)++, buf, size))
			return true;

	return false;
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
