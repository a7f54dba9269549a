// SPDX-License-Identifier: MIT
/*
 * Reader of text programs; examples/README.md describes them.
 *
 * The text is read twice. The first pass finds the sizes of all buffers and pushbuffers, with 0 for
 * every address. Then the addresses are chosen, and the second pass has the values.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_lex.h"
#include "nvfifo_map_rule.h"
#include "nvfifo_object_rule.h"
#include "nvfifo_near.h"
#include "nvfifo_priv.h"
#include "nvfifo_prog.h"
#include "nvfifo_text.h"

/* The driver's limits */
#define RING_ORDER_MIN	3
#define RING_ORDER_MAX	12
#define HANG_LIMIT_MIN	100	/* ms */
#define HANG_LIMIT_MAX	600000

#define BUFFER_MAX	(1ULL << 40)
#define SHOW_MAX	4096
#define PENDING_MAX	60000
#define RAMP_MAX	(1U << 24)
#define BYTES_MAX	(1U << 30)
/* System memory and VRAM go to different 512 MiB regions: a region has one page size. */
#define AUTO_SYSTEM	0x20000000ULL
#define AUTO_VRAM	0x40000000ULL
#define AUTO_ALIGN	0x10000ULL
#define PUSH_ALIGN	64

#define OPTIONS_MAX	16

struct reader {
	struct nvfifo_lex lex;
	struct nvfifo_prog *prog;
	struct nvfifo_prog_buffer *layout;	/* from the first pass; NULL in it */
	__u64 va_end;
	bool symbol_used;	/* an expression asked for an address */
	/* options of the statement so far: two of a kind would contradict each other */
	struct nvfifo_token options[OPTIONS_MAX];
	unsigned int option_count;
};

/* --- Arrays and names ---------------------------------------------------- */

/* Arrays of structures that begin with their name. */
static int find(const void *array, size_t count, size_t size, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const char *n = (const char *)array + i * size;

		if (strlen(n) == len && !memcmp(n, name, len))
			return (int)i;
	}

	return -1;
}

static void offer(struct nvfifo_near *near, const void *array, size_t count, size_t size)
{
	size_t i;

	for (i = 0; i < count; i++)
		nvfifo_near_offer(near, (const char *)array + i * size);
}

static int symbol_value(void *ctx, const char *name, size_t len, __u64 *value)
{
	struct reader *r = ctx;
	int i = find(r->prog->buffers, r->prog->buffer_count, sizeof(r->prog->buffers[0]), name,
		     len);

	if (i < 0)
		return -ENOENT;

	r->symbol_used = true;
	*value = r->layout ? r->layout[i].va : 0;

	return 0;
}

static void offer_symbols(void *ctx, struct nvfifo_near *near)
{
	const struct reader *r = ctx;

	offer(near, r->prog->buffers, r->prog->buffer_count, sizeof(r->prog->buffers[0]));
}

/* Sizes and fixed addresses decide the layout, so they cannot depend on it. */
static int constant(struct reader *r, const char *what, __u64 *value)
{
	struct nvfifo_token tok = r->lex.tok;
	int ret;

	r->symbol_used = false;
	ret = nvfifo_lex_expr(&r->lex, value);
	if (!ret && r->symbol_used)
		return nvfifo_lex_error(&r->lex, &tok, "%s cannot depend on a buffer's address",
					what);

	return ret;
}

static const char *const reserved[] = { "hi",  "lo",	"all",	"ref",	    "dead",
					"at",  "after", "as",	"not_main", "no_prefetch", "order",
					"dma", "class", "same", "crc",	    "ramp", "event",
					"method",
					"unpaged", "addr" };

static bool had_option(const struct reader *r, const char *name)
{
	unsigned int i;

	for (i = 0; i < r->option_count; i++) {
		if (nvfifo_token_is(&r->options[i], name))
			return true;
	}

	return false;
}

/* Read the options that end a line, each by @read. */
static int read_options(struct reader *r, int (*read)(struct reader *r, void *to), void *to)
{
	const struct nvfifo_token *tok = &r->lex.tok;
	char name[32];
	int ret = 0;

	r->option_count = 0;
	while (!ret && !nvfifo_lex_at_line_end(&r->lex)) {
		snprintf(name, sizeof(name), "%.*s", (int)(tok->len > 31 ? 31 : tok->len), tok->start);
		if (tok->type == NVFIFO_TOKEN_WORD && had_option(r, name))
			return nvfifo_lex_error(&r->lex, tok, "'%s' stands twice", name);
		if (r->option_count < OPTIONS_MAX)
			r->options[r->option_count++] = *tok;
		ret = read(r, to);
	}

	return ret;
}

/* A name that no element of the array has yet. */
static int new_name(struct reader *r, const void *array, size_t count, size_t size, const char *what,
		    char out[NVFIFO_PROG_NAME_MAX])
{
	const struct nvfifo_token *tok = &r->lex.tok;
	size_t i;

	if (tok->type != NVFIFO_TOKEN_WORD)
		return nvfifo_lex_expected(&r->lex, what);

	if (isdigit((unsigned char)*tok->start) || memchr(tok->start, '.', tok->len))
		return nvfifo_lex_error(&r->lex, tok,
					"%s has letters, digits and '_' and does not begin with a digit",
					what);
	if (tok->len >= NVFIFO_PROG_NAME_MAX)
		return nvfifo_lex_error(&r->lex, tok, "%s has at most %d characters", what,
					NVFIFO_PROG_NAME_MAX - 1);

	for (i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
		if (nvfifo_token_is(tok, reserved[i]))
			return nvfifo_lex_error(&r->lex, tok,
						"'%s' means something else and cannot be %s",
						reserved[i], what);
	}

	if (find(array, count, size, tok->start, tok->len) >= 0)
		return nvfifo_lex_error(&r->lex, tok, "the name '%.*s' is taken", (int)tok->len,
					tok->start);
	memcpy(out, tok->start, tok->len);
	out[tok->len] = '\0';
	nvfifo_lex_next(&r->lex);

	return 0;
}

#define NEW_NAME(r, array, count, what, out) \
	new_name(r, array, count, sizeof((array)[0]), what, out)

/* The element that the current token names */
static int known(struct reader *r, const void *array, size_t count, size_t size, const char *what,
		 unsigned int *index)
{
	const struct nvfifo_token *tok = &r->lex.tok;
	const int len = tok->len > 40 ? 40 : (int)tok->len;
	struct nvfifo_near near;
	char more[200];
	int i;

	if (tok->type != NVFIFO_TOKEN_WORD)
		return nvfifo_lex_expected(&r->lex, what);

	i = find(array, count, size, tok->start, tok->len);
	if (i >= 0) {
		*index = (unsigned int)i;
		nvfifo_lex_next(&r->lex);
		return 0;
	}

	nvfifo_near_init(&near, tok->start, tok->len);
	offer(&near, array, count, size);
	nvfifo_near_text(&near, more, sizeof(more));
	if (!*more && nvfifo_token_lacks_0x(tok))
		snprintf(more, sizeof(more), "; the hexadecimal number is 0x%.*s", len, tok->start);

	return nvfifo_lex_error(&r->lex, tok, "expected %s, there is none with the name '%.*s'%s",
				what, len, tok->start, more);
}

#define KNOWN(r, array, count, what, index) \
	known(r, array, count, sizeof((array)[0]), what, index)

static int known_channel(struct reader *r, unsigned int *channel)
{
	return KNOWN(r, r->prog->channels, r->prog->channel_count, "a channel", channel);
}

static int known_fence(struct reader *r, unsigned int *fence)
{
	return KNOWN(r, r->prog->fences, r->prog->fence_count, "the fence of an earlier submit", fence);
}

/* A number of at most 32 bits */
static int number(struct reader *r, const char *what, __u32 max, __u32 *value)
{
	__u64 v = 0;
	int ret = nvfifo_lex_range(&r->lex, what, max, &v);

	*value = (__u32)v;
	return ret;
}

/* "space NAME", if it is there. */
static int in_space(struct reader *r, unsigned int *space)
{
	if (!nvfifo_lex_take_word(&r->lex, "space"))
		return 0;

	return KNOWN(r, r->prog->spaces, r->prog->space_count, "an address space", space);
}

struct choice {
	const char *name;	/* NULL after the last one */
	__u32 value;
};

/* One of some words */
static int choose(struct reader *r, const struct choice *choices, __u32 *value)
{
	const struct choice *c;
	const char *separator = "";
	char expected[160];
	size_t used = 0;

	for (c = choices; c->name; c++) {
		if (nvfifo_lex_take_word(&r->lex, c->name)) {
			*value = c->value;
			return 0;
		}

		used += (size_t)snprintf(expected + used, sizeof(expected) - used, "%s%s", separator,
					 c->name);
		separator = c[1].name && c[2].name ? ", " : " or ";
	}

	return nvfifo_lex_expected(&r->lex, expected);
}

/* Check that a buffer has room for some bytes. @what: of what they are, for the message */
static int check_room(struct reader *r, const struct nvfifo_token *at, unsigned int buffer,
		      __u64 offset, __u64 bytes, const char *what)
{
	const struct nvfifo_prog_buffer *b = &r->prog->buffers[buffer];

	if (bytes <= b->size - offset)
		return 0;

	return nvfifo_lex_error(&r->lex, at,
				"0x%llx bytes of %s do not fit in the buffer %s, which has 0x%llx from there on",
				(unsigned long long)bytes, what, b->name,
				(unsigned long long)(b->size - offset));
}

/* PLACE, of which @bytes must lie in the buffer. */
static int place(struct reader *r, __u64 align, __u64 bytes, unsigned int *buffer, __u64 *offset)
{
	struct nvfifo_token tok = r->lex.tok;
	const struct nvfifo_prog_buffer *b;
	int ret = KNOWN(r, r->prog->buffers, r->prog->buffer_count, "a buffer", buffer);

	*offset = 0;
	if (!ret && nvfifo_lex_take_sign(&r->lex, '+'))
		ret = nvfifo_lex_expr(&r->lex, offset);
	if (ret)
		return ret;

	b = &r->prog->buffers[*buffer];
	if (*offset % align)
		return nvfifo_lex_error(&r->lex, &tok, "the offset must be a multiple of %u",
					(unsigned int)align);
	if (*offset > b->size || b->size - *offset < bytes)
		return nvfifo_lex_error(&r->lex, &tok,
					"offset 0x%llx is outside of the buffer %s, which has 0x%llx bytes",
					(unsigned long long)*offset, b->name,
					(unsigned long long)b->size);

	return 0;
}

/* WORD, WORD ... for one place; added to the program's words. A comma may end a line. */
static int word_list(struct reader *r, const struct nvfifo_token *at, unsigned int buffer,
		     __u64 offset, size_t *first, size_t *count)
{
	__u32 word;
	int ret;

	*first = r->prog->words.count;

	for (;;) {
		ret = nvfifo_lex_word(&r->lex, &word);
		if (!ret)
			ret = nvfifo_words_add(&r->prog->words, word);
		if (ret)
			return ret;

		if (!nvfifo_lex_take_sign(&r->lex, ','))
			break;
		nvfifo_lex_skip_newlines(&r->lex);
	}

	if (!nvfifo_lex_at_line_end(&r->lex))
		return nvfifo_lex_expected(&r->lex, "',' or the end of the line");

	*count = r->prog->words.count - *first;
	return check_room(r, at, buffer, offset, *count * 4ULL, "words");
}

/* --- Declarations -------------------------------------------------------- */

static int read_title(struct reader *r)
{
	if (r->lex.tok.type != NVFIFO_TOKEN_STRING)
		return nvfifo_lex_expected(&r->lex, "the title in quotation marks");
	if (*r->prog->title)
		return nvfifo_lex_error(&r->lex, &r->lex.tok, "the program has a title already");

	snprintf(r->prog->title, sizeof(r->prog->title), "%.*s",
		 (int)(r->lex.tok.len > 127 ? 127 : r->lex.tok.len), r->lex.tok.start);
	nvfifo_lex_next(&r->lex);

	return 0;
}

static int read_requires(struct reader *r)
{
	static const struct choice features[] = {
		{ "semaphore64", DRM_NVFIFO_FEATURE_SEMAPHORE64 },
		{ "vram_mmap", DRM_NVFIFO_FEATURE_VRAM_MMAP },
		{ "msi", DRM_NVFIFO_FEATURE_MSI },
		{ "igp", DRM_NVFIFO_FEATURE_IGP },
		{ "compression", DRM_NVFIFO_FEATURE_COMPRESSION },
		{ "encryption", DRM_NVFIFO_FEATURE_ENCRYPTION },
		{ "long_cycle", DRM_NVFIFO_FEATURE_LONG_CYCLE },
		{ "user_queue", DRM_NVFIFO_FEATURE_USER_QUEUE },
		{ 0 },
	};
	__u32 feature = 0;
	int ret = choose(r, features, &feature);

	r->prog->requires_features |= feature;
	return ret;
}

static int read_buffer(struct reader *r)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_prog_buffer b = { 0 };
	struct nvfifo_token tok;
	int ret;

	if (p->buffer_count >= NVFIFO_PROG_BUFFERS - 1)
		return nvfifo_lex_error(&r->lex, &r->lex.tok, "a program has at most %d buffers",
					NVFIFO_PROG_BUFFERS - 1);
	ret = NEW_NAME(r, p->buffers, p->buffer_count, "a buffer's name", b.name);
	tok = r->lex.tok;
	if (!ret)
		ret = constant(r, "a size", &b.size);
	if (ret)
		return ret;

	if (!b.size || b.size > BUFFER_MAX)
		return nvfifo_lex_error(&r->lex, &tok, "a buffer has 1 byte to 1 TiB, not 0x%llx",
					(unsigned long long)b.size);
	b.line = tok.line;
	b.map_line = tok.line;
	if (nvfifo_lex_take_word(&r->lex, "vram")) {
		b.domain = DRM_NVFIFO_DOMAIN_VRAM;
		if (nvfifo_lex_take_word(&r->lex, "contiguous"))
			b.bo_flags |= DRM_NVFIFO_BO_CONTIGUOUS;
		if (nvfifo_lex_take_word(&r->lex, "lsr"))
			b.bo_flags |= DRM_NVFIFO_BO_LSR;
	} else if (nvfifo_lex_take_word(&r->lex, "system")) {
		if (nvfifo_lex_take_word(&r->lex, "wc"))
			b.bo_flags = DRM_NVFIFO_BO_WC;
	} else if (!nvfifo_lex_at_line_end(&r->lex) && !nvfifo_token_is(&r->lex.tok, "space")) {
		return nvfifo_lex_expected(&r->lex, "system, vram or space");
	}

	ret = in_space(r, &b.space);
	return ret ? ret : NVFIFO_APPEND(p->buffers, p->buffer_count, b);
}

static int read_space(struct reader *r)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_prog_space s = { 0 };
	int ret;

	if (p->space_count >= NVFIFO_PROG_SPACES)
		return nvfifo_lex_error(&r->lex, &r->lex.tok,
					"a program has at most %d address spaces",
					NVFIFO_PROG_SPACES);
	ret = NEW_NAME(r, p->spaces, p->space_count, "an address space's name", s.name);
	if (ret)
		return ret;

	s.own_file = nvfifo_lex_take_word(&r->lex, "file");
	return NVFIFO_APPEND(p->spaces, p->space_count, s);
}

/* A sequence of words that goes up by a step, so that large buffers are not all alike. */
static int read_ramp(struct reader *r, const struct nvfifo_token *at, struct nvfifo_prog_fill *f)
{
	__u32 word, step, words = 0;
	int ret = nvfifo_lex_word(&r->lex, &word);

	if (!ret)
		ret = nvfifo_lex_word(&r->lex, &step);
	if (!ret)
		ret = number(r, "the number of words", RAMP_MAX, &words);
	if (!ret)
		ret = check_room(r, at, f->buffer, f->offset, words * 4ULL, "words");

	f->first = r->prog->words.count;
	f->count = words;
	for (; words && !ret; words--, word += step)
		ret = nvfifo_words_add(&r->prog->words, word);

	return ret;
}

static int read_fill(struct reader *r)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_prog_fill f = { 0 };
	struct nvfifo_token tok = r->lex.tok;
	int ret = place(r, 4, 4, &f.buffer, &f.offset);

	if (!ret && nvfifo_lex_take_word(&r->lex, "ramp"))
		ret = read_ramp(r, &tok, &f);
	else if (!ret)
		ret = word_list(r, &tok, f.buffer, f.offset, &f.first, &f.count);

	return ret ? ret : NVFIFO_APPEND(p->fills, p->fill_count, f);
}

/* One attribute of a mapping. */
static int read_map_option(struct reader *r, void *to)
{
	struct nvfifo_prog_buffer *b = to;
	static const struct choice flags[] = {
		{ "readonly", DRM_NVFIFO_VM_BIND_READ_ONLY },
		{ "supervisor", DRM_NVFIFO_VM_BIND_SUPERVISOR },
		{ "nosnoop", DRM_NVFIFO_VM_BIND_NOSNOOP },
		{ "long_cycle", DRM_NVFIFO_VM_BIND_LONG_CYCLE },
		{ "encrypted", DRM_NVFIFO_VM_BIND_ENCRYPTED },
	};
	static const struct choice compressions[] = {
		{ "single", DRM_NVFIFO_COMPRESSION_SINGLE },
		{ "double", DRM_NVFIFO_COMPRESSION_DOUBLE },
		{ 0 },
	};
	static const struct choice pages[] = { { "4K", 12 }, { "16K", 14 }, { "64K", 16 }, { 0 } };
	size_t i;
	int ret;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (nvfifo_lex_take_word(&r->lex, flags[i].name)) {
			b->flags |= flags[i].value;
			return 0;
		}
	}

	if (nvfifo_lex_take_word(&r->lex, "kind")) {
		ret = number(r, "a storage type", 0x7f, &b->kind);
		/* The kernel keeps memory of the two bank orders apart. */
		if (b->domain == DRM_NVFIFO_DOMAIN_VRAM &&
		    nvfifo_kind_class(b->kind) == NVFIFO_KIND_SWIZZLED)
			b->bo_flags |= DRM_NVFIFO_BO_LSR;
		return ret;
	}

	if (nvfifo_lex_take_word(&r->lex, "compression"))
		return choose(r, compressions, &b->compression);
	if (nvfifo_lex_take_word(&r->lex, "pages"))
		return choose(r, pages, &b->page_shift);

	return nvfifo_lex_expected(&r->lex,
				   "readonly, supervisor, nosnoop, long_cycle, encrypted, kind, compression, pages or the end of the line");
}

static int read_map(struct reader *r)
{
	struct nvfifo_token tok = r->lex.tok;
	struct nvfifo_prog_buffer *b;
	unsigned int i;
	int ret = KNOWN(r, r->prog->buffers, r->prog->buffer_count, "a buffer", &i);

	if (ret)
		return ret;

	b = &r->prog->buffers[i];
	if (b->map_line != b->line)
		return nvfifo_lex_error(&r->lex, &tok, "line %u maps the buffer %s already",
					b->map_line, b->name);

	b->map_line = r->lex.tok.line;
	if (nvfifo_lex_take_word(&r->lex, "at")) {
		tok = r->lex.tok;
		ret = constant(r, "an address to map at", &b->va);
		if (ret)
			return ret;
		if (b->va & 0xfff || b->va >= 1ULL << NVFIFO_VA_BITS)
			return nvfifo_lex_error(&r->lex, &tok,
						"the address must be a multiple of 0x1000 below 0x%llx, this is 0x%llx",
						1ULL << NVFIFO_VA_BITS, (unsigned long long)b->va);
		b->mapping = NVFIFO_PROG_MAP_FIXED;
	} else if (nvfifo_lex_take_word(&r->lex, "none")) {
		b->mapping = NVFIFO_PROG_MAP_NONE;
		return 0;
	} else if (nvfifo_lex_take_word(&r->lex, "auto")) {
		b->mapping = NVFIFO_PROG_MAP_AUTO;
	} else {
		return nvfifo_lex_expected(&r->lex, "at and an address, auto, or none");
	}

	return read_options(r, read_map_option, b);
}

/* Find the begin of the words of DMA mode, or of the entries of a user queue. */
static int read_channel_place(struct reader *r, struct nvfifo_prog_channel *c, __u32 flag)
{
	struct nvfifo_token tok = r->lex.tok;

	if (c->flags & (DRM_NVFIFO_CHANNEL_DMA_MODE | DRM_NVFIFO_CHANNEL_USER_QUEUE))
		return nvfifo_lex_error(&r->lex, &tok, "a channel has one place, after dma or user");

	c->flags |= flag;
	return place(r, flag == DRM_NVFIFO_CHANNEL_USER_QUEUE ? 0x1000 : 4, 4, &c->buffer,
		     &c->offset);
}

/* A number that is 0, for the default, or in a range */
static int read_choice(struct reader *r, const char *what, __u64 min, __u64 max, __u32 *value)
{
	struct nvfifo_token tok = r->lex.tok;
	__u64 v = 0;
	int ret = nvfifo_lex_expr(&r->lex, &v);

	if (ret)
		return ret;

	if (v && (v < min || v > max))
		return nvfifo_lex_error(&r->lex, &tok,
					"%s must be %llu to %llu, or 0 for the default, this is %lld",
					what, (unsigned long long)min, (unsigned long long)max,
					(long long)v);
	*value = (__u32)v;

	return 0;
}

/* The last word that the pusher may read in DMA mode */
static int read_channel_last(struct reader *r, struct nvfifo_prog_channel *c)
{
	struct nvfifo_token tok = r->lex.tok;

	if (!(c->flags & DRM_NVFIFO_CHANNEL_DMA_MODE))
		return nvfifo_lex_error(&r->lex, &tok, "last PLACE comes after dma PLACE");

	c->has_limit = true;

	return place(r, 4, 4, &c->limit_buffer, &c->limit_offset);
}

static int read_channel_sli(struct reader *r, struct nvfifo_prog_channel *c)
{
	if (nvfifo_lex_take_word(&r->lex, "off")) {
		c->flags |= DRM_NVFIFO_CHANNEL_NO_SLI;
		return 0;
	}

	if (isalpha((unsigned char)*r->lex.tok.start))
		return nvfifo_lex_expected(&r->lex, "off or an SLI mask");

	return number(r, "the SLI mask", 0xfff, &c->sli_mask);
}

static int read_channel_option(struct reader *r, void *to)
{
	struct nvfifo_prog_channel *c = to;
	int ret = 0;

	if (nvfifo_lex_take_word(&r->lex, "order")) {
		ret = read_choice(r, "the ring order", RING_ORDER_MIN, RING_ORDER_MAX,
				  &c->ring_order);
	} else if (nvfifo_lex_take_word(&r->lex, "timeslice")) {
		ret = number(r, "the timeslice", 0x1ffff, &c->timeslice);
	} else if (nvfifo_lex_take_word(&r->lex, "sli")) {
		ret = read_channel_sli(r, c);
	} else if (nvfifo_lex_take_word(&r->lex, "last")) {
		ret = read_channel_last(r, c);
	} else if (nvfifo_lex_take_word(&r->lex, "limit")) {
		ret = read_choice(r, "the hang limit, ms,", HANG_LIMIT_MIN, HANG_LIMIT_MAX,
				  &c->hang_limit_ms);
	} else if (nvfifo_lex_take_word(&r->lex, "dma")) {
		ret = read_channel_place(r, c, DRM_NVFIFO_CHANNEL_DMA_MODE);
	} else if (nvfifo_lex_take_word(&r->lex, "user")) {
		ret = read_channel_place(r, c, DRM_NVFIFO_CHANNEL_USER_QUEUE);
	} else if (nvfifo_lex_take_word(&r->lex, "event")) {
		c->flags |= DRM_NVFIFO_CHANNEL_EVENT;
	} else if (nvfifo_token_is(&r->lex.tok, "space")) {
		ret = in_space(r, &c->space);
	} else {
		ret = nvfifo_lex_expected(&r->lex, "order, dma, last, user, timeslice, sli, limit, event or space");
	}

	return ret;
}

static int check_space(struct reader *r, const struct nvfifo_token *tok,
		       const struct nvfifo_prog_channel *c, unsigned int buffer)
{
	const struct nvfifo_prog_buffer *b = &r->prog->buffers[buffer];

	if (b->space == c->space)
		return 0;

	return nvfifo_lex_error(&r->lex, tok, "the buffer %s is in another address space", b->name);
}

/* The owner of a user queue writes into the whole ring. */
static int check_ring(struct reader *r, const struct nvfifo_token *tok,
		      const struct nvfifo_prog_channel *c)
{
	if (!(c->flags & DRM_NVFIFO_CHANNEL_USER_QUEUE))
		return 0;
	if (!c->ring_order)
		return nvfifo_lex_error(&r->lex, tok, "a user queue needs order N, log2 of its entries");

	return check_room(r, tok, c->buffer, c->offset, 8ULL << c->ring_order, "the ring");
}

static int read_channel(struct reader *r)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_prog_channel c = { 0 };
	struct nvfifo_token tok = r->lex.tok;
	int ret;

	if (p->channel_count >= NVFIFO_PROG_CHANNELS)
		return nvfifo_lex_error(&r->lex, &tok, "a card has at most %d channels",
					NVFIFO_PROG_CHANNELS);
	c.line = tok.line;
	ret = NEW_NAME(r, p->channels, p->channel_count, "a channel's name", c.name);
	if (!ret)
		ret = read_options(r, read_channel_option, &c);
	if (!ret && c.flags & (DRM_NVFIFO_CHANNEL_DMA_MODE | DRM_NVFIFO_CHANNEL_USER_QUEUE))
		ret = check_space(r, &tok, &c, c.buffer);
	if (!ret && c.has_limit)
		ret = check_space(r, &tok, &c, c.limit_buffer);
	if (!ret)
		ret = check_ring(r, &tok, &c);

	return ret ? ret : NVFIFO_APPEND(p->channels, p->channel_count, c);
}

/* An attribute of a DMA object that overrides the page's */
static int read_object_attribute(struct reader *r, void *to)
{
	static const struct choice compressions[] = {
		{ "none", DRM_NVFIFO_COMPRESSION_NONE },
		{ "single", DRM_NVFIFO_COMPRESSION_SINGLE },
		{ "double", DRM_NVFIFO_COMPRESSION_DOUBLE },
		{ 0 },
	};
	static const struct choice users[] = {
		{ "both", DRM_NVFIFO_USER_BOTH }, { "supervisor", DRM_NVFIFO_USER_SUPERVISOR }, { 0 },
	};
	static const struct choice cycles[] = {
		{ "short", DRM_NVFIFO_CYCLE_SHORT }, { "long", DRM_NVFIFO_CYCLE_LONG }, { 0 },
	};
	struct nvfifo_prog_object *o = to;
	int ret = 0;

	if (had_option(r, "readonly") && had_option(r, "readwrite"))
		return nvfifo_lex_error(&r->lex, &r->lex.tok,
					"readonly and readwrite contradict each other");

	if (nvfifo_lex_take_word(&r->lex, "readonly")) {
		o->access = DRM_NVFIFO_ACCESS_RO;
	} else if (nvfifo_lex_take_word(&r->lex, "readwrite")) {
		o->access = DRM_NVFIFO_ACCESS_RW;
	} else if (nvfifo_lex_take_word(&r->lex, "supervisor")) {
		o->flags |= DRM_NVFIFO_OBJECT_SUPERVISOR;
	} else if (nvfifo_lex_take_word(&r->lex, "encrypted")) {
		o->flags |= DRM_NVFIFO_OBJECT_ENCRYPTED;
	} else if (nvfifo_lex_take_word(&r->lex, "kind")) {
		o->flags |= DRM_NVFIFO_OBJECT_KIND;
		ret = number(r, "a storage type", 0x7f, &o->kind);
	} else if (nvfifo_lex_take_word(&r->lex, "compression")) {
		o->flags |= DRM_NVFIFO_OBJECT_COMPRESSION;
		ret = choose(r, compressions, &o->compression);
	} else if (nvfifo_lex_take_word(&r->lex, "user")) {
		ret = choose(r, users, &o->user);
	} else if (nvfifo_lex_take_word(&r->lex, "cycle")) {
		ret = choose(r, cycles, &o->cycle);
	} else {
		ret = nvfifo_lex_expected(&r->lex,
					  "readonly, readwrite, supervisor, user, kind, compression, cycle, encrypted or the end of the line");
	}

	return ret;
}

/* Memory of a buffer itself, past the page tables. */
static int read_unpaged(struct reader *r, struct nvfifo_prog_object *o)
{
	struct nvfifo_token tok = r->lex.tok;
	int ret = place(r, 1, 1, &o->buffer, &o->start);

	if (!ret)
		ret = nvfifo_lex_expr(&r->lex, &o->size);
	if (!ret && !o->size)
		return nvfifo_lex_error(&r->lex, &tok, "an object has at least 1 byte");
	if (!ret)
		ret = check_room(r, &tok, o->buffer, o->start, o->size, "the object");
	if (ret)
		return ret;

	/* The page has no say, so that the object must have its own. */
	o->flags |= DRM_NVFIFO_OBJECT_UNPAGED;
	o->access = o->oclass == NVFIFO_CLASS_DMA_READ ? DRM_NVFIFO_ACCESS_RO :
							 DRM_NVFIFO_ACCESS_RW;
	o->user = DRM_NVFIFO_USER_BOTH;

	return 0;
}

static int read_paged(struct reader *r, struct nvfifo_prog_object *o)
{
	struct nvfifo_token tok = r->lex.tok;
	int ret = nvfifo_lex_expr(&r->lex, &o->start);

	if (ret)
		return ret;

	if (o->start >= r->va_end)
		return nvfifo_lex_error(&r->lex, &tok, "the address space ends at 0x%llx",
					(unsigned long long)r->va_end);
	tok = r->lex.tok;
	if (nvfifo_lex_take_word(&r->lex, "all")) {
		o->size = r->va_end - o->start;
		return 0;
	}

	ret = nvfifo_lex_expr(&r->lex, &o->size);
	if (ret)
		return ret;

	if (!o->size || o->size > r->va_end - o->start)
		return nvfifo_lex_error(&r->lex, &tok, "the size must be 1 to 0x%llx, or all",
					(unsigned long long)(r->va_end - o->start));

	return 0;
}

static int read_dma_object(struct reader *r, struct nvfifo_prog_object *o)
{
	static const struct choice classes[] = {
		{ "r", NVFIFO_CLASS_DMA_READ },
		{ "w", NVFIFO_CLASS_DMA_WRITE },
		{ "rw", NVFIFO_CLASS_DMA_RW },
		{ 0 },
	};
	int ret = choose(r, classes, &o->oclass);

	if (!ret && nvfifo_lex_take_word(&r->lex, "unpaged"))
		ret = read_unpaged(r, o);
	else if (!ret)
		ret = read_paged(r, o);

	return ret ? ret : read_options(r, read_object_attribute, o);
}

/* Names that every card has; the class of "3D" depends on the card. */
static const struct choice class_names[] = {
	{ "NULL", 0x0030 }, { "2D", 0x502d }, { "M2MF", 0x5039 }, { "3D", 0x5097 },
};

static int unknown_class(struct reader *r)
{
	struct nvfifo_near near;
	size_t i;

	nvfifo_near_init(&near, r->lex.tok.start, r->lex.tok.len);
	for (i = 0; i < sizeof(class_names) / sizeof(class_names[0]); i++)
		nvfifo_near_offer(&near, class_names[i].name);

	return nvfifo_lex_expected_near(&r->lex, "M2MF, 2D, 3D, NULL or a class's number", &near);
}

static int read_class(struct reader *r, struct nvfifo_prog_object *o)
{
	struct nvfifo_token tok = r->lex.tok;
	size_t i;
	int ret;

	o->engine = true;

	for (i = 0; i < sizeof(class_names) / sizeof(class_names[0]); i++) {
		if (nvfifo_lex_take_word(&r->lex, class_names[i].name)) {
			o->oclass = class_names[i].value;
			o->any_3d = o->oclass == 0x5097;
			return 0;
		}
	}

	if (tok.type == NVFIFO_TOKEN_WORD && isalpha((unsigned char)*tok.start))
		return unknown_class(r);

	ret = number(r, "a class", 0xffff, &o->oclass);
	if (!ret && o->oclass == NVFIFO_CLASS_SOFTWARE)
		return nvfifo_lex_error(&r->lex, &tok,
					"0x506e is the class of software objects: 'object CHANNEL HANDLE software'");

	return ret;
}

__u32 nvfifo_prog_class(const struct nvfifo_prog_object *o, __u32 chipset)
{
	if (!o->any_3d || !chipset)
		return o->oclass;

	return nvfifo_class_3d(chipset);
}

static int check_event(struct reader *r, const struct nvfifo_token *at, unsigned int channel)
{
	if (r->prog->channels[channel].flags & DRM_NVFIFO_CHANNEL_EVENT)
		return 0;

	return nvfifo_lex_error(&r->lex, at, "the channel is declared without event");
}

/* Its methods are events, so its channel has to be one that sends them. */
static int read_software(struct reader *r, const struct nvfifo_token *tok,
			 struct nvfifo_prog_object *o)
{
	if (o->channel < 0)
		return nvfifo_lex_error(&r->lex, tok, "a software object names its channel");

	o->engine = true;
	o->software = true;
	o->oclass = NVFIFO_CLASS_SOFTWARE;

	return check_event(r, tok, (unsigned int)o->channel);
}

static int read_object(struct reader *r)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_prog_object o = { .channel = -1 };
	struct nvfifo_token tok;
	unsigned int channel;
	__u64 v;
	int ret;

	if (!nvfifo_token_number(&r->lex.tok, &v)) {
		ret = known_channel(r, &channel);
		if (ret)
			return ret;
		o.channel = (int)channel;
	}

	tok = r->lex.tok;
	o.line = tok.line;
	ret = number(r, "a handle", 0xffffffff, &o.handle);
	if (ret)
		return ret;
	if (!o.handle)
		return nvfifo_lex_error(&r->lex, &tok, "a handle cannot be 0");

	if (nvfifo_lex_take_word(&r->lex, "dma"))
		ret = read_dma_object(r, &o);
	else if (nvfifo_lex_take_word(&r->lex, "class"))
		ret = read_class(r, &o);
	else if (nvfifo_lex_take_word(&r->lex, "software"))
		ret = read_software(r, &tok, &o);
	else
		ret = nvfifo_lex_expected(&r->lex, "dma, class or software");

	return ret ? ret : NVFIFO_APPEND(p->objects, p->object_count, o);
}

static int read_push_options(struct reader *r, struct nvfifo_prog_push *push,
			     struct nvfifo_token *at)
{
	int ret = 0;

	if (nvfifo_lex_take_word(&r->lex, "at")) {
		*at = r->lex.tok;
		push->placed = true;
		ret = place(r, 4, 4, &push->buffer, &push->offset);
		if (ret)
			return ret;
		push->space = r->prog->buffers[push->buffer].space;
	}

	push->linear = nvfifo_lex_take_word(&r->lex, "linear");
	if (push->linear && !push->placed)
		return nvfifo_lex_error(&r->lex, at, "a linear pushbuffer needs a place: at PLACE linear");

	if (!push->placed)
		ret = in_space(r, &push->space);

	return ret;
}

static int read_push(struct reader *r)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_token tok = r->lex.tok, at;
	struct nvfifo_prog_push *push = NVFIFO_ADD(p->pushes, p->push_count);
	int ret;

	if (!push)
		return -ENOMEM;

	ret = NEW_NAME(r, p->pushes, p->push_count - 1, "a pushbuffer's name", push->name);
	if (ret)
		return ret;

	push->line = tok.line;
	at = r->lex.tok;
	ret = read_push_options(r, push, &at);
	if (ret)
		return ret;
	if (!nvfifo_lex_take_sign(&r->lex, '{'))
		return nvfifo_lex_expected(&r->lex, "'{', at, linear or space");

	ret = nvfifo_asm_run(&r->lex, true,
			     push->linear ? NVFIFO_FORMAT_NV04_DMA : NVFIFO_FORMAT_NV04,
			     &push->words);
	if (ret)
		return ret;
	if (!nvfifo_lex_take_sign(&r->lex, '}'))
		return nvfifo_lex_expected(&r->lex, "'}' at the end of the pushbuffer");
	if (!push->words.count)
		return nvfifo_lex_error(&r->lex, &tok, "the pushbuffer %s is empty", push->name);

	if (push->words.count > NVFIFO_IB_WORDS_MAX)
		return nvfifo_lex_error(&r->lex, &tok, "a pushbuffer has at most %u words",
					NVFIFO_IB_WORDS_MAX);
	if (!push->placed)
		return 0;

	return check_room(r, &at, push->buffer, push->offset, push->words.count * 4ULL,
			  "the pushbuffer");
}

/* --- Steps --------------------------------------------------------------- */

static int read_submit_entry(struct reader *r, const struct nvfifo_prog_channel *c)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_token tok = r->lex.tok;
	bool dma_mode = c->flags & DRM_NVFIFO_CHANNEL_DMA_MODE;
	const struct nvfifo_prog_push *push;
	struct nvfifo_prog_entry e = { 0 };
	int ret = KNOWN(r, p->pushes, p->push_count, "a pushbuffer", &e.push);

	if (ret)
		return ret;

	push = &p->pushes[e.push];
	if (push->space != c->space)
		return nvfifo_lex_error(&r->lex, &tok,
					"the pushbuffer %s is in another address space than the channel %s",
					push->name, c->name);
	if (dma_mode && !push->linear)
		return nvfifo_lex_error(&r->lex, &tok,
					"the pushbuffer %s is not linear, and the channel %s is in DMA mode",
					push->name, c->name);
	if (!dma_mode && push->linear)
		return nvfifo_lex_error(&r->lex, &tok,
					"the pushbuffer %s is linear, and the channel %s is not in DMA mode",
					push->name, c->name);

	if (nvfifo_lex_take_word(&r->lex, "not_main"))
		e.flags |= DRM_NVFIFO_ENTRY_NOT_MAIN;
	if (nvfifo_lex_take_word(&r->lex, "no_prefetch"))
		e.flags |= DRM_NVFIFO_ENTRY_NO_PREFETCH;

	return NVFIFO_APPEND(p->entries, p->entry_count, e);
}

static int read_submit_entries(struct reader *r, struct nvfifo_prog_step *s)
{
	int ret;

	s->first = r->prog->entry_count;
	if (nvfifo_lex_at_line_end(&r->lex) || nvfifo_token_is(&r->lex.tok, "after") ||
	    nvfifo_token_is(&r->lex.tok, "as"))
		return 0;

	do {
		nvfifo_lex_skip_newlines(&r->lex);
		ret = read_submit_entry(r, &r->prog->channels[s->channel]);
	} while (!ret && nvfifo_lex_take_sign(&r->lex, ','));

	s->count = r->prog->entry_count - s->first;
	return ret;
}

/* The fences that the submission waits for. */
static int read_submit_after(struct reader *r, struct nvfifo_prog_step *s)
{
	int ret;

	if (!nvfifo_lex_take_word(&r->lex, "after"))
		return 0;

	do {
		if (s->after_count == NVFIFO_PROG_AFTER)
			return nvfifo_lex_error(&r->lex, &r->lex.tok,
						"a submit waits for at most %d fences",
						NVFIFO_PROG_AFTER);

		ret = known_fence(r, &s->after[s->after_count++]);
	} while (!ret && nvfifo_lex_take_sign(&r->lex, ','));

	return ret;
}

/* The submission's own fence, which has a number for a name if the text gives none. */
static int read_submit_fence(struct reader *r, struct nvfifo_prog_step *s)
{
	struct nvfifo_prog *p = r->prog;
	char name[NVFIFO_PROG_NAME_MAX];
	char (*fence)[NVFIFO_PROG_NAME_MAX];
	int ret = 0;

	if (nvfifo_lex_take_word(&r->lex, "as"))
		ret = NEW_NAME(r, p->fences, p->fence_count, "a fence's name", name);
	else
		snprintf(name, sizeof(name), "#%zu", p->fence_count + 1);
	if (ret)
		return ret;

	s->fence = (int)p->fence_count;
	fence = NVFIFO_ADD(p->fences, p->fence_count);
	if (!fence)
		return -ENOMEM;

	memcpy(*fence, name, sizeof(name));
	return 0;
}

static int read_submit(struct reader *r, struct nvfifo_prog_step *s)
{
	int ret = known_channel(r, &s->channel);
	__u32 flags;

	if (ret)
		return ret;

	flags = r->prog->channels[s->channel].flags;
	ret = read_submit_entries(r, s);
	if (ret || flags & DRM_NVFIFO_CHANNEL_USER_QUEUE)
		return ret;

	if (flags & DRM_NVFIFO_CHANNEL_DMA_MODE && s->count != 1)
		return nvfifo_lex_expected(&r->lex, "one linear pushbuffer, because the channel is in DMA mode");

	/* In DMA mode the words themselves say that they are done: there is no fence. */
	ret = read_submit_after(r, s);
	if (ret || flags & DRM_NVFIFO_CHANNEL_DMA_MODE)
		return ret;

	return read_submit_fence(r, s);
}

static int read_fence(struct reader *r, struct nvfifo_prog_step *s)
{
	unsigned int fence = 0;
	int ret = known_fence(r, &fence);

	s->fence = (int)fence;
	return ret;
}

static int read_wait(struct reader *r, struct nvfifo_prog_step *s)
{
	return nvfifo_lex_at_line_end(&r->lex) ? 0 : read_fence(r, s);
}

static int read_pending(struct reader *r, struct nvfifo_prog_step *s)
{
	int ret = read_fence(r, s);

	return ret ? ret : nvfifo_lex_range(&r->lex, "the time in milliseconds", PENDING_MAX, &s->value);
}

static int read_ref(struct reader *r, struct nvfifo_prog_step *s)
{
	__u32 word = 0;
	int ret = known_channel(r, &s->channel);

	if (!ret)
		ret = nvfifo_lex_word(&r->lex, &word);
	s->value = word;

	return ret;
}

static int read_dead(struct reader *r, struct nvfifo_prog_step *s)
{
	static const struct choice errors[] = {
		{ "pusher", DRM_NVFIFO_ERROR_PUSHER },
		{ "cache", DRM_NVFIFO_ERROR_CACHE },
		{ "semaphore", DRM_NVFIFO_ERROR_SEMAPHORE },
		{ "timeout", DRM_NVFIFO_ERROR_TIMEOUT },
		{ "lost", DRM_NVFIFO_ERROR_LOST },
		{ "graph", DRM_NVFIFO_ERROR_GRAPH },
		{ "fence", DRM_NVFIFO_ERROR_FENCE },
		{ 0 },
	};
	int ret = known_channel(r, &s->channel);

	if (!ret && !nvfifo_lex_at_line_end(&r->lex))
		ret = choose(r, errors, &s->error);
	if (ret || nvfifo_lex_at_line_end(&r->lex))
		return ret;

	s->has_code = true;
	ret = nvfifo_lex_range(&r->lex, "an error code", 0xffffffff, &s->value);
	if (ret || nvfifo_lex_at_line_end(&r->lex))
		return ret;

	s->has_detail = true;
	return number(r, "an error detail", 0xffffffff, &s->detail);
}

static int read_event(struct reader *r, struct nvfifo_prog_step *s)
{
	struct nvfifo_token tok = r->lex.tok;
	int ret = read_dead(r, s);

	if (!ret && s->has_detail)
		return nvfifo_lex_error(&r->lex, &tok, "an event has a code, but no detail");

	return ret ? ret : check_event(r, &tok, s->channel);
}

static int read_method(struct reader *r, struct nvfifo_prog_step *s)
{
	struct nvfifo_token tok = r->lex.tok;
	int ret = known_channel(r, &s->channel);

	if (!ret)
		ret = check_event(r, &tok, s->channel);
	if (!ret)
		ret = number(r, "a handle", 0xffffffff, &s->handle);
	tok = r->lex.tok;
	if (!ret)
		ret = number(r, "a method", 0x1ffc, &s->detail);
	if (ret)
		return ret;

	if (s->detail < 0x100 || s->detail % 4)
		return nvfifo_lex_error(&r->lex, &tok,
					"a software method is a multiple of 4, 0x100 to 0x1ffc");

	return nvfifo_lex_range(&r->lex, "a word", 0xffffffff, &s->value);
}

/* The number of bytes from the step's place on, which stands @at */
static int read_bytes(struct reader *r, struct nvfifo_prog_step *s, const struct nvfifo_token *at)
{
	__u32 bytes;
	int ret = number(r, "the number of bytes", BYTES_MAX, &bytes);

	if (!ret && !bytes)
		return nvfifo_lex_error(&r->lex, at, "there is no byte to compare");

	s->count = bytes;
	return ret ? ret : check_room(r, at, s->buffer, s->offset, bytes, "memory");
}

static int read_same(struct reader *r, struct nvfifo_prog_step *s)
{
	struct nvfifo_token first = r->lex.tok, second;
	int ret = place(r, 4, 4, &s->buffer, &s->offset);

	second = r->lex.tok;
	if (!ret)
		ret = place(r, 4, 4, &s->buffer2, &s->offset2);
	if (!ret)
		ret = read_bytes(r, s, &first);

	return ret ? ret : check_room(r, &second, s->buffer2, s->offset2, s->count, "memory");
}

static int read_crc(struct reader *r, struct nvfifo_prog_step *s)
{
	struct nvfifo_token tok = r->lex.tok;
	int ret = place(r, 4, 4, &s->buffer, &s->offset);

	if (!ret)
		ret = read_bytes(r, s, &tok);

	return ret ? ret : nvfifo_lex_range(&r->lex, "a CRC-32", 0xffffffff, &s->value);
}

/* POLL takes one word, EXPECT and WRITE any number. */
static int read_memory(struct reader *r, struct nvfifo_prog_step *s)
{
	struct nvfifo_token tok = r->lex.tok;
	int ret = place(r, 4, 4, &s->buffer, &s->offset);

	if (!ret)
		ret = word_list(r, &tok, s->buffer, s->offset, &s->first, &s->count);
	if (!ret && s->type == NVFIFO_STEP_POLL && s->count != 1)
		return nvfifo_lex_error(&r->lex, &tok, "poll waits for one word");

	return ret;
}

static int read_expect(struct reader *r, struct nvfifo_prog_step *s)
{
	static const struct {
		const char *name;
		int (*read)(struct reader *r, struct nvfifo_prog_step *s);
		enum nvfifo_prog_step_type type;
	} kinds[] = {
		{ "ref", read_ref, NVFIFO_STEP_REF },	    { "dead", read_dead, NVFIFO_STEP_DEAD },
		{ "event", read_event, NVFIFO_STEP_EVENT }, { "method", read_method, NVFIFO_STEP_METHOD },
		{ "same", read_same, NVFIFO_STEP_SAME },    { "crc", read_crc, NVFIFO_STEP_CRC },
	};
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!nvfifo_lex_take_word(&r->lex, kinds[i].name))
			continue;
		s->type = kinds[i].type;
		return kinds[i].read(r, s);
	}

	return read_memory(r, s);
}

static int read_order(struct reader *r, struct nvfifo_prog_step *s)
{
	int ret = place(r, 8, 8, &s->buffer, &s->offset);

	return ret ? ret : place(r, 8, 8, &s->buffer2, &s->offset2);
}

static int read_show(struct reader *r, struct nvfifo_prog_step *s)
{
	struct nvfifo_token tok = r->lex.tok;
	__u32 words = 0;
	int ret = place(r, 4, 4, &s->buffer, &s->offset);

	if (!ret)
		ret = number(r, "the number of words", SHOW_MAX, &words);
	if (!ret && !words)
		return nvfifo_lex_error(&r->lex, &tok, "there is no word to show");

	s->count = words;
	return ret ? ret : check_room(r, &tok, s->buffer, s->offset, s->count * 4, "words");
}

static int read_side(struct reader *r, const char *what, __u32 *pixels)
{
	struct nvfifo_token tok = r->lex.tok;
	int ret = number(r, what, NVFIFO_PROG_PIXELS, pixels);

	if (!ret && !*pixels)
		return nvfifo_lex_error(&r->lex, &tok, "%s is 1 to %d pixels", what,
					NVFIFO_PROG_PIXELS);

	return ret;
}

static int read_image(struct reader *r, struct nvfifo_prog_step *s)
{
	static const struct choice formats[] = {
		{ "x8r8g8b8", NVFIFO_PROG_X8R8G8B8 },
		{ "r5g6b5", NVFIFO_PROG_R5G6B5 },
		{ "r8", NVFIFO_PROG_R8 },
		{ 0 },
	};
	static const unsigned int bytes[] = {
		[NVFIFO_PROG_X8R8G8B8] = 4, [NVFIFO_PROG_R5G6B5] = 2, [NVFIFO_PROG_R8] = 1,
	};
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_prog_image im = { 0 };
	struct nvfifo_token at, tok;
	__u32 format = 0, row;
	int ret;

	ret = NEW_NAME(r, p->images, p->image_count, "an image's name", im.name);
	at = r->lex.tok;
	if (!ret)
		ret = place(r, 4, 4, &s->buffer, &s->offset);
	if (!ret)
		ret = read_side(r, "an image's width", &im.width);
	if (!ret)
		ret = read_side(r, "an image's height", &im.height);
	if (!ret)
		ret = choose(r, formats, &format);

	row = im.width * bytes[format];
	im.pitch = row;
	tok = r->lex.tok;
	if (!ret && nvfifo_lex_take_word(&r->lex, "pitch")) {
		tok = r->lex.tok;
		ret = number(r, "the pitch", 1U << 20, &im.pitch);
	}

	if (!ret && im.pitch < row)
		return nvfifo_lex_error(&r->lex, &tok, "a line of the image has %u bytes", row);
	if (!ret)
		ret = check_room(r, &at, s->buffer, s->offset, (__u64)im.pitch * (im.height - 1) + row,
				 "the image");

	im.format = format;
	s->first = p->image_count;

	return ret ? ret : NVFIFO_APPEND(p->images, p->image_count, im);
}

/* Statements: those that declare something, and steps. */
static const struct {
	const char *name;
	int (*declare)(struct reader *r);
	int (*step)(struct reader *r, struct nvfifo_prog_step *s);
	enum nvfifo_prog_step_type type;
} statements[] = {
	{ "title", read_title, NULL, 0 },
	{ "requires", read_requires, NULL, 0 },
	{ "space", read_space, NULL, 0 },
	{ "buffer", read_buffer, NULL, 0 },
	{ "fill", read_fill, NULL, 0 },
	{ "map", read_map, NULL, 0 },
	{ "channel", read_channel, NULL, 0 },
	{ "object", read_object, NULL, 0 },
	{ "push", read_push, NULL, 0 },
	{ "submit", NULL, read_submit, NVFIFO_STEP_SUBMIT },
	{ "wait", NULL, read_wait, NVFIFO_STEP_WAIT },
	{ "pending", NULL, read_pending, NVFIFO_STEP_PENDING },
	{ "poll", NULL, read_memory, NVFIFO_STEP_POLL },
	{ "expect", NULL, read_expect, NVFIFO_STEP_EXPECT },
	{ "order", NULL, read_order, NVFIFO_STEP_ORDER },
	{ "show", NULL, read_show, NVFIFO_STEP_SHOW },
	{ "image", NULL, read_image, NVFIFO_STEP_IMAGE },
	{ "write", NULL, read_memory, NVFIFO_STEP_WRITE },
};

#define STATEMENTS (sizeof(statements) / sizeof(statements[0]))

static int unknown_statement(struct reader *r)
{
	static const char what[] = "a statement such as buffer, channel, push, submit or expect";
	const struct nvfifo_token *tok = &r->lex.tok;
	struct nvfifo_near near;
	size_t i;

	if (tok->type != NVFIFO_TOKEN_WORD)
		return nvfifo_lex_expected(&r->lex, what);
	if (nvfifo_asm_is_command(tok))
		return nvfifo_lex_error(&r->lex, tok,
					"'%.*s' is a command of a pushbuffer: it stands in push NAME { ... }",
					(int)tok->len, tok->start);

	nvfifo_near_init(&near, tok->start, tok->len);
	for (i = 0; i < STATEMENTS; i++)
		nvfifo_near_offer(&near, statements[i].name);

	return nvfifo_lex_expected_near(&r->lex, what, &near);
}

static int read_line(struct reader *r)
{
	struct nvfifo_prog_step s = { .line = r->lex.tok.line, .fence = -1 };
	size_t i;
	int ret;

	for (i = 0; i < STATEMENTS; i++) {
		if (!nvfifo_lex_take_word(&r->lex, statements[i].name))
			continue;
		if (statements[i].declare)
			return statements[i].declare(r);

		s.type = statements[i].type;
		ret = statements[i].step(r, &s);
		return ret ? ret : NVFIFO_APPEND(r->prog->steps, r->prog->step_count, s);
	}

	return unknown_statement(r);
}

static int read_pass(struct reader *r, const char *text, size_t len, struct nvfifo_diag *diag)
{
	static const struct nvfifo_prog_space main_space = { .name = "main" };
	int ret = NVFIFO_APPEND(r->prog->spaces, r->prog->space_count, main_space);

	nvfifo_lex_init(&r->lex, text, len, symbol_value, r, diag);
	r->lex.offer = offer_symbols;

	while (!ret) {
		nvfifo_lex_skip_newlines(&r->lex);
		if (r->lex.tok.type == NVFIFO_TOKEN_END)
			return 0;

		ret = read_line(r);
		if (!ret && !nvfifo_lex_at_line_end(&r->lex))
			return nvfifo_lex_expected(&r->lex, "the end of the line");
	}

	return ret;
}

/* --- Layout -------------------------------------------------------------- */

/* Pages of a buffer as it will be mapped: VRAM comes in 64 KiB. */
static __u64 mapped_size(const struct nvfifo_prog_buffer *b)
{
	__u64 page = b->domain == DRM_NVFIFO_DOMAIN_VRAM ? 0x10000 : 0x1000;

	return (b->size + page - 1) & ~(page - 1);
}

__attribute__((format(printf, 3, 4))) static int layout_error(struct nvfifo_diag *diag,
							      unsigned int line, const char *fmt, ...)
{
	va_list args;

	diag->line = line;
	diag->column = 1;
	va_start(args, fmt);
	vsnprintf(diag->text, sizeof(diag->text), fmt, args);
	va_end(args);

	return -EINVAL;
}

static struct nvfifo_prog_buffer *overlap(struct nvfifo_prog *p,
					  const struct nvfifo_prog_buffer *b, __u64 va)
{
	size_t i;

	for (i = 0; i < p->buffer_count; i++) {
		struct nvfifo_prog_buffer *o = &p->buffers[i];

		if (o == b || o->mapping != NVFIFO_PROG_MAP_FIXED || o->space != b->space)
			continue;
		if (va < o->va + mapped_size(o) && o->va < va + mapped_size(b))
			return o;
	}

	return NULL;
}

/* The first address above all that lie in the way; the automatic ones become fixed. */
static int place_buffer(struct nvfifo_prog *p, struct nvfifo_prog_buffer *b, __u64 va_start,
			__u64 va_end, struct nvfifo_diag *diag)
{
	__u64 va = b->domain == DRM_NVFIFO_DOMAIN_VRAM ? AUTO_VRAM : AUTO_SYSTEM;
	struct nvfifo_prog_buffer *o;

	if (va < va_start)
		va = (va_start + AUTO_ALIGN - 1) & ~(AUTO_ALIGN - 1);
	while ((o = overlap(p, b, va)))
		va = (o->va + mapped_size(o) + AUTO_ALIGN - 1) & ~(AUTO_ALIGN - 1);
	if (va > va_end || va_end - va < mapped_size(b))
		return layout_error(diag, b->line,
				    "there is no room in the address space for the buffer %s", b->name);
	b->va = va;
	b->mapping = NVFIFO_PROG_MAP_FIXED;

	return 0;
}

static int lay_out(struct nvfifo_prog *p, __u64 va_start, __u64 va_end, struct nvfifo_diag *diag)
{
	struct nvfifo_prog_buffer *b, *o, *later;
	size_t i;
	int ret = 0;

	for (i = 0; i < p->buffer_count; i++) {
		b = &p->buffers[i];
		if (b->mapping != NVFIFO_PROG_MAP_FIXED)
			continue;

		if (b->va < va_start || b->va > va_end || va_end - b->va < mapped_size(b))
			return layout_error(diag, b->map_line,
					    "the buffer %s is mapped outside of the card's address space, 0x%llx to 0x%llx",
					    b->name, (unsigned long long)va_start,
					    (unsigned long long)va_end - 1);

		/* The later line is the one to change. */
		o = overlap(p, b, b->va);
		later = o && o->map_line > b->map_line ? o : b;
		if (o)
			return layout_error(diag, later->map_line, "the buffers %s and %s overlap",
					    later->name, later == o ? b->name : o->name);
	}

	for (i = 0; i < p->buffer_count && !ret; i++) {
		if (p->buffers[i].mapping == NVFIFO_PROG_MAP_AUTO)
			ret = place_buffer(p, &p->buffers[i], va_start, va_end, diag);
	}

	return ret;
}

/* Pushbuffers of a space that the program did not place itself share one buffer. */
static int gather_space(struct nvfifo_prog *p, unsigned int space)
{
	struct nvfifo_prog_buffer b = { .name = "(push)", .space = space, .line = 1, .map_line = 1 };
	size_t i;

	for (i = 0; i < p->push_count; i++) {
		struct nvfifo_prog_push *push = &p->pushes[i];

		if (push->placed || push->space != space)
			continue;
		push->buffer = (unsigned int)p->buffer_count;
		push->offset = b.size;
		b.size += ((__u64)push->words.count * 4 + PUSH_ALIGN - 1) & ~(PUSH_ALIGN - 1ULL);
	}

	return b.size ? NVFIFO_APPEND(p->buffers, p->buffer_count, b) : 0;
}

static int gather_pushes(struct nvfifo_prog *p)
{
	unsigned int space;
	int ret = 0;

	for (space = 0; space < p->space_count && !ret; space++)
		ret = gather_space(p, space);

	return ret;
}

/* Is a program for G84 and later? The chip decides, or without one the program's requirements. */
static bool is_for_g84(const struct nvfifo_prog *p, __u32 chipset)
{
	const __u64 g84_features = DRM_NVFIFO_FEATURE_SEMAPHORE64 | DRM_NVFIFO_FEATURE_ENCRYPTION |
				   DRM_NVFIFO_FEATURE_IGP;

	return chipset > 0x50 || (!chipset && p->requires_features & g84_features);
}

const char *nvfifo_prog_map_error(const struct nvfifo_prog *p, const struct nvfifo_prog_buffer *b,
				  __u32 chipset)
{
	/* Without a chip, any one that meets the requirements */
	const struct nvfifo_map_request m = {
		.g84 = is_for_g84(p, chipset),
		.g200 = chipset >= 0xa0 || !chipset,
		.gt215 = !chipset || nvfifo_chipset_is_gt215(chipset),
		.tags = true,
		.vram = b->domain == DRM_NVFIFO_DOMAIN_VRAM,
		.system = b->domain != DRM_NVFIFO_DOMAIN_VRAM,
		.lsr = b->bo_flags & DRM_NVFIFO_BO_LSR,
		.wc = b->bo_flags & DRM_NVFIFO_BO_WC,
		.nosnoop = b->flags & DRM_NVFIFO_VM_BIND_NOSNOOP,
		.long_cycle = b->flags & DRM_NVFIFO_VM_BIND_LONG_CYCLE,
		.encrypted = b->flags & DRM_NVFIFO_VM_BIND_ENCRYPTED,
		.page_shift = b->page_shift,
		.kind = b->kind,
		.compression = b->compression,
		/* Buffers are as large as their pages ask for, so only the address counts. */
		.address = b->mapping == NVFIFO_PROG_MAP_FIXED ? b->va : 0,
	};

	return b->mapping == NVFIFO_PROG_MAP_NONE ? NULL : nvfifo_map_rule(&m);
}

const char *nvfifo_prog_object_error(const struct nvfifo_prog *p,
				     const struct nvfifo_prog_object *o, __u32 chipset)
{
	const struct nvfifo_prog_buffer *b = &p->buffers[o->buffer];
	struct nvfifo_object_request request = {
		.g84 = is_for_g84(p, chipset),
		.g200 = chipset >= 0xa0 || !chipset,
		.tags = true,
		.unpaged = o->flags & DRM_NVFIFO_OBJECT_UNPAGED,
		.has_kind = o->flags & DRM_NVFIFO_OBJECT_KIND,
		.encrypted = o->flags & DRM_NVFIFO_OBJECT_ENCRYPTED,
		.oclass = o->oclass,
		.access = o->access,
		.user = o->user,
		.cycle = o->cycle,
		.kind = o->kind,
		.compression = o->compression,
		.start = o->start,
		.size = o->size,
	};

	if (o->engine)
		return NULL;

	if (request.unpaged) {
		request.vram = b->domain == DRM_NVFIFO_DOMAIN_VRAM;
		request.system = !request.vram;
		request.lsr = b->bo_flags & DRM_NVFIFO_BO_LSR;
	}

	return nvfifo_object_rule(&request);
}

/* Start of a line of the text, or its end */
static const char *line_start(const char *text, const char *end, unsigned int line)
{
	while (--line)
		text = nvfifo_text_next_line(text, end);

	return text;
}

unsigned int nvfifo_prog_column(const char *text, size_t len, unsigned int line,
				const char *error)
{
	const char *start = line_start(text, text + len, line), *at, *end;
	size_t name = strcspn(error, ":");

	end = nvfifo_text_line_end(start, text + len);
	for (at = start; at + name <= end; at++) {
		if (memcmp(at, error, name) || (at > start && nvfifo_text_is_name(at[-1])) ||
		    (at + name < end && nvfifo_text_is_name(at[name])))
			continue;
		return (unsigned int)(at - start) + 1;
	}

	return 1;
}

void nvfifo_prog_free(struct nvfifo_prog *p)
{
	size_t i;

	for (i = 0; i < p->push_count; i++)
		nvfifo_words_free(&p->pushes[i].words);
	nvfifo_words_free(&p->words);
	free(p->spaces);
	free(p->buffers);
	free(p->fills);
	free(p->channels);
	free(p->objects);
	free(p->pushes);
	free(p->entries);
	free(p->images);
	free(p->steps);
	free(p->fences);
	memset(p, 0, sizeof(*p));
}

/* The pusher of DMA mode has addresses of 32 bits. */
static int check_linear(const struct nvfifo_prog *p, struct nvfifo_diag *diag)
{
	size_t i;

	for (i = 0; i < p->channel_count; i++) {
		const struct nvfifo_prog_channel *c = &p->channels[i];
		__u64 start, last = 0xfffffffc;

		if (!(c->flags & DRM_NVFIFO_CHANNEL_DMA_MODE))
			continue;

		start = p->buffers[c->buffer].va + c->offset;
		if (c->has_limit)
			last = p->buffers[c->limit_buffer].va + c->limit_offset;
		if (start > 0xfffffffc || last > 0xfffffffc)
			return layout_error(diag, c->line,
					    "DMA mode reads words below 4 GiB, and the channel %s has a place above",
					    c->name);
		if (last < start)
			return layout_error(diag, c->line,
					    "the last word of the channel %s lies before its first",
					    c->name);
	}

	return 0;
}

/* A submission reads its pushbuffers through the address space. */
static int check_pushes(const struct nvfifo_prog *p, struct nvfifo_diag *diag)
{
	size_t i;

	for (i = 0; i < p->push_count; i++) {
		const struct nvfifo_prog_buffer *b = &p->buffers[p->pushes[i].buffer];

		if (b->mapping == NVFIFO_PROG_MAP_NONE)
			return layout_error(diag, p->pushes[i].line,
					    "the pushbuffer %s lies in the buffer %s, which is not mapped",
					    p->pushes[i].name, b->name);
	}

	return 0;
}

int nvfifo_prog_read(const char *text, size_t len, __u64 va_start, __u64 va_end,
		     struct nvfifo_prog *prog, struct nvfifo_diag *diag)
{
	struct nvfifo_prog first = { 0 };
	struct nvfifo_diag own;
	struct reader r = { .prog = &first, .va_end = va_end };
	int ret;

	if (!diag)
		diag = &own;
	memset(prog, 0, sizeof(*prog));
	memset(diag, 0, sizeof(*diag));
	ret = read_pass(&r, text, len, diag);
	if (!ret)
		ret = gather_pushes(&first);
	if (!ret)
		ret = lay_out(&first, va_start, va_end, diag);
	if (!ret)
		ret = check_pushes(&first, diag);
	if (!ret)
		ret = check_linear(&first, diag);
	if (ret)
		goto out;

	r.prog = prog;
	r.layout = first.buffers;
	ret = read_pass(&r, text, len, diag);
	if (!ret)
		ret = gather_pushes(prog);
	if (!ret && prog->buffer_count != first.buffer_count)
		ret = layout_error(diag, 1, "the two readings differ");
	if (!ret && first.buffer_count)
		memcpy(prog->buffers, first.buffers, first.buffer_count * sizeof(*first.buffers));
out:
	nvfifo_prog_free(&first);
	if (ret)
		nvfifo_prog_free(prog);
	if (ret == -EINVAL)
		nvfifo_error(ret, "line %u, column %u: %s", diag->line, diag->column, diag->text);

	return ret;
}
