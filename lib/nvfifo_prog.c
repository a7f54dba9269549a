// SPDX-License-Identifier: MIT
/*
 * Reader of text programs.
 *
 * A program is a list of lines. '#' starts a comment. NAME has letters, digits
 * and '_', and does not begin with a digit. SIZE, VA and WORD are expressions (see
 * nvfifo_lex.h), where the name of a buffer is its virtual address. PLACE is a
 * buffer's name and an offset: sem, sem+16.
 *
 *	title "TEXT"
 *	requires semaphore64 | vram_mmap | msi | igp | compression | encryption | long_cycle
 *	space NAME [file]
 *	buffer NAME SIZE [system [wc] | vram [contiguous] [lsr]] [space SPACE]
 *	fill PLACE WORD, WORD ... | ramp FIRST STEP WORDS	contents before the run, else 0
 *	map NAME at VA | auto | none	[readonly] [supervisor] [nosnoop] [long_cycle]
 *		[encrypted] [kind N] [compression single | double] [pages 4K | 16K | 64K]
 *	channel NAME [order N] [dma PLACE [last PLACE] | user PLACE] [timeslice N]
 *		[sli MASK | sli off] [limit MS] [event] [space SPACE]
 *	object [CHANNEL] HANDLE dma r | w | rw  START  SIZE | all  ATTRIBUTE ...
 *	object [CHANNEL] HANDLE dma r | w | rw  unpaged PLACE SIZE ATTRIBUTE ...
 *	object [CHANNEL] HANDLE class CLASS | NULL | 2D | M2MF | 3D
 *	object CHANNEL HANDLE software
 *	push NAME [at PLACE] [linear] [space SPACE] { assembler text }
 *
 *	submit CHANNEL [PUSH [not_main] [no_prefetch], ...] [after FENCE, ...] [as FENCE]
 *	wait [FENCE]
 *	pending FENCE MILLISECONDS
 *	write PLACE WORD[, WORD]...
 *	poll PLACE WORD
 *	expect PLACE WORD, WORD ...
 *	expect ref CHANNEL WORD
 *	expect dead CHANNEL [pusher | cache | semaphore | timeout | lost | graph | fence
 *	            [CODE [DETAIL]]]
 *	expect event CHANNEL [as after dead]
 *	expect method CHANNEL HANDLE METHOD WORD
 *	expect same PLACE PLACE BYTES
 *	expect crc PLACE BYTES CRC
 *	order PLACE PLACE
 *	show PLACE WORDS
 *	image NAME PLACE WIDTH HEIGHT x8r8g8b8 | r5g6b5 | r8 [pitch BYTES]
 *
 * ATTRIBUTE is readonly, readwrite, supervisor, user both | supervisor, kind N,
 * compression none | single | double, cycle short | long, encrypted.
 *
 * A name must be declared before it is used. Every buffer is mapped; the reader
 * chooses addresses for those that no "map" names. An object without CHANNEL is
 * made in every channel. All waits have the time-out of the command line.
 *
 * The text is read twice. The first pass finds the sizes of all buffers and
 * pushbuffers, with 0 for every address. Then the addresses are chosen, and the
 * second pass has the values.
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
#define BYTES_MAX	(1ULL << 30)
/* System memory and VRAM go to different 512 MiB regions: a region has one page size. */
#define AUTO_SYSTEM	0x20000000ULL
#define AUTO_VRAM	0x40000000ULL
#define AUTO_ALIGN	0x10000ULL
#define PUSH_ALIGN	64

struct reader {
	struct nvfifo_lex lex;
	struct nvfifo_prog *prog;
	struct nvfifo_prog_buffer *layout;	/* from the first pass; NULL in it */
	__u64 va_end;
	bool symbol_used;	/* an expression asked for an address */
};

/* Options of one statement so far: two of a kind would contradict each other. */
#define OPTIONS_MAX	16

struct options {
	struct nvfifo_token seen[OPTIONS_MAX];
	unsigned int count;
};

/* --- Arrays and names ---------------------------------------------------- */

/* The array with room for one more element, which is cleared; NULL without memory. */
static void *grow(void *array, size_t count, size_t size)
{
	char *a = array;

	/* Full when the count is a power of two; then it doubles. */
	if (!(count & (count - 1))) {
		size_t room = count ? count * 2 : 1;

		a = room > SIZE_MAX / size ? NULL : realloc(a, room * size);
	}

	if (a)
		memset(a + count * size, 0, size);

	return a;
}

/* Add a cleared element. Value: a pointer to it, NULL without memory. */
#define ADD(array, count)                                                       \
	({                                                                      \
		__typeof__(array) grown_ = grow(array, count, sizeof(*(array))); \
		if (grown_)                                                     \
			(array) = grown_;                                       \
		grown_ ? &(array)[(count)++] : NULL;                            \
	})

static int no_memory(void)
{
	return nvfifo_error(-ENOMEM, "out of memory");
}

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

#define FIND(array, count, tok) find(array, count, sizeof((array)[0]), (tok)->start, (tok)->len)

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

static bool had_option(const struct options *o, const char *name)
{
	unsigned int i;

	for (i = 0; i < o->count; i++) {
		if (nvfifo_token_is(&o->seen[i], name))
			return true;
	}

	return false;
}

/* The current token begins an option, unless the statement has that option already. */
static int new_option(struct reader *r, struct options *o)
{
	const struct nvfifo_token *tok = &r->lex.tok;
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)(tok->len > 31 ? 31 : tok->len), tok->start);
	if (tok->type != NVFIFO_TOKEN_WORD)
		return 0;
	if (had_option(o, name))
		return nvfifo_lex_error(&r->lex, tok, "'%s' stands twice", name);

	if (o->count < OPTIONS_MAX)
		o->seen[o->count++] = *tok;

	return 0;
}

/* A name that is not taken yet. */
static int new_name(struct reader *r, const char *what, bool taken, char out[NVFIFO_PROG_NAME_MAX])
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

	if (taken)
		return nvfifo_lex_error(&r->lex, tok, "the name '%.*s' is taken", (int)tok->len,
					tok->start);
	memcpy(out, tok->start, tok->len);
	out[tok->len] = '\0';
	nvfifo_lex_next(&r->lex);

	return 0;
}

/* The index of the element that the current token names */
static int known(struct reader *r, const void *array, size_t count, size_t size, const char *what)
{
	const struct nvfifo_token *tok = &r->lex.tok;
	const int len = tok->len > 40 ? 40 : (int)tok->len;
	struct nvfifo_near near;
	char more[200];
	int index;

	if (tok->type != NVFIFO_TOKEN_WORD)
		return nvfifo_lex_expected(&r->lex, what);

	index = find(array, count, size, tok->start, tok->len);
	if (index >= 0) {
		nvfifo_lex_next(&r->lex);
		return index;
	}

	nvfifo_near_init(&near, tok->start, tok->len);
	offer(&near, array, count, size);
	nvfifo_near_text(&near, more, sizeof(more));
	if (!*more && nvfifo_token_lacks_0x(tok))
		snprintf(more, sizeof(more), "; the hexadecimal number is 0x%.*s", len, tok->start);

	return nvfifo_lex_error(&r->lex, tok, "expected %s, there is none with the name '%.*s'%s",
				what, len, tok->start, more);
}

#define KNOWN(r, array, count, what) known(r, array, count, sizeof((array)[0]), what)

static int known_buffer(struct reader *r)
{
	return KNOWN(r, r->prog->buffers, r->prog->buffer_count, "a buffer");
}

static int known_channel(struct reader *r)
{
	return KNOWN(r, r->prog->channels, r->prog->channel_count, "a channel");
}

static int known_fence(struct reader *r)
{
	return KNOWN(r, r->prog->fences, r->prog->fence_count, "the fence of an earlier submit");
}

/* "space NAME", if it is there. */
static int in_space(struct reader *r, unsigned int *space)
{
	int i;

	if (!nvfifo_lex_take_word(&r->lex, "space"))
		return 0;

	i = KNOWN(r, r->prog->spaces, r->prog->space_count, "an address space");
	if (i < 0)
		return i;

	*space = (unsigned int)i;
	return 0;
}

/* PLACE, of which @bytes must lie in the buffer. */
static int place(struct reader *r, __u64 align, __u64 bytes, unsigned int *buffer, __u64 *offset)
{
	struct nvfifo_token tok = r->lex.tok;
	const struct nvfifo_prog_buffer *b;
	int i = known_buffer(r);
	int ret;

	if (i < 0)
		return i;

	*buffer = (unsigned int)i;
	*offset = 0;
	b = &r->prog->buffers[i];
	if (nvfifo_lex_take_sign(&r->lex, '+')) {
		ret = nvfifo_lex_expr(&r->lex, offset);
		if (ret)
			return ret;
	}

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
	__u64 room = r->prog->buffers[buffer].size - offset;
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
	if (*count > room / 4)
		return nvfifo_lex_error(&r->lex, at, "the words run past the end of the buffer %s",
					r->prog->buffers[buffer].name);

	return 0;
}

static struct nvfifo_prog_step *add_step(struct reader *r, enum nvfifo_prog_step_type type,
					 unsigned int line)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_prog_step *s = ADD(p->steps, p->step_count);

	if (!s)
		return NULL;

	s->type = type;
	s->line = line;
	s->fence = -1;

	return s;
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
	static const struct {
		const char *name;
		__u64 feature;
	} features[] = {
		{ "semaphore64", DRM_NVFIFO_FEATURE_SEMAPHORE64 },
		{ "vram_mmap", DRM_NVFIFO_FEATURE_VRAM_MMAP },
		{ "msi", DRM_NVFIFO_FEATURE_MSI },
		{ "igp", DRM_NVFIFO_FEATURE_IGP },
		{ "compression", DRM_NVFIFO_FEATURE_COMPRESSION },
		{ "encryption", DRM_NVFIFO_FEATURE_ENCRYPTION },
		{ "long_cycle", DRM_NVFIFO_FEATURE_LONG_CYCLE },
		{ "user_queue", DRM_NVFIFO_FEATURE_USER_QUEUE },
	};
	size_t i;

	for (i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
		if (nvfifo_lex_take_word(&r->lex, features[i].name)) {
			r->prog->requires_features |= features[i].feature;
			return 0;
		}
	}

	return nvfifo_lex_expected(&r->lex, "semaphore64, vram_mmap, msi, igp, compression, encryption, long_cycle or user_queue");
}

static int read_buffer(struct reader *r)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_token tok;
	struct nvfifo_prog_buffer *b;
	char name[NVFIFO_PROG_NAME_MAX];
	__u64 size;
	int ret;

	if (p->buffer_count >= NVFIFO_PROG_BUFFERS - 1)
		return nvfifo_lex_error(&r->lex, &r->lex.tok, "a program has at most %d buffers",
					NVFIFO_PROG_BUFFERS - 1);
	ret = new_name(r, "a buffer's name", FIND(p->buffers, p->buffer_count, &r->lex.tok) >= 0,
		       name);
	if (ret)
		return ret;

	tok = r->lex.tok;
	ret = constant(r, "a size", &size);
	if (ret)
		return ret;

	if (!size || size > BUFFER_MAX)
		return nvfifo_lex_error(&r->lex, &tok, "a buffer has 1 byte to 1 TiB, not 0x%llx",
					(unsigned long long)size);
	b = ADD(p->buffers, p->buffer_count);
	if (!b)
		return no_memory();

	memcpy(b->name, name, sizeof(name));
	b->size = size;
	b->line = tok.line;
	b->map_line = tok.line;
	if (nvfifo_lex_take_word(&r->lex, "vram")) {
		b->domain = DRM_NVFIFO_DOMAIN_VRAM;
		if (nvfifo_lex_take_word(&r->lex, "contiguous"))
			b->bo_flags |= DRM_NVFIFO_BO_CONTIGUOUS;
		if (nvfifo_lex_take_word(&r->lex, "lsr"))
			b->bo_flags |= DRM_NVFIFO_BO_LSR;
	} else if (nvfifo_lex_take_word(&r->lex, "system")) {
		if (nvfifo_lex_take_word(&r->lex, "wc"))
			b->bo_flags = DRM_NVFIFO_BO_WC;
	} else if (!nvfifo_lex_at_line_end(&r->lex) && !nvfifo_token_is(&r->lex.tok, "space")) {
		return nvfifo_lex_expected(&r->lex, "system, vram or space");
	}

	return in_space(r, &b->space);
}

static int read_space(struct reader *r)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_prog_space *s;
	char name[NVFIFO_PROG_NAME_MAX];
	int ret;

	if (p->space_count >= NVFIFO_PROG_SPACES)
		return nvfifo_lex_error(&r->lex, &r->lex.tok,
					"a program has at most %d address spaces",
					NVFIFO_PROG_SPACES);
	ret = new_name(r, "an address space's name",
		       FIND(p->spaces, p->space_count, &r->lex.tok) >= 0, name);
	if (ret)
		return ret;

	s = ADD(p->spaces, p->space_count);
	if (!s)
		return no_memory();

	memcpy(s->name, name, sizeof(name));
	s->own_file = nvfifo_lex_take_word(&r->lex, "file");

	return 0;
}

/* A sequence of words that goes up by a step, so that large buffers are not all alike. */
static int read_ramp(struct reader *r, const struct nvfifo_token *at, struct nvfifo_prog_fill *f)
{
	__u64 room = r->prog->buffers[f->buffer].size - f->offset, words;
	__u32 word, step;
	int ret = nvfifo_lex_word(&r->lex, &word);

	if (!ret)
		ret = nvfifo_lex_word(&r->lex, &step);
	if (!ret)
		ret = nvfifo_lex_range(&r->lex, "the number of words", RAMP_MAX, &words);
	if (ret)
		return ret;

	if (words > room / 4)
		return nvfifo_lex_error(&r->lex, at, "the words run past the end of the buffer %s",
					r->prog->buffers[f->buffer].name);
	f->first = r->prog->words.count;
	f->count = (size_t)words;
	for (; words && !ret; words--, word += step)
		ret = nvfifo_words_add(&r->prog->words, word);

	return ret;
}

static int read_fill(struct reader *r)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_prog_fill f = { 0 }, *slot;
	struct nvfifo_token tok = r->lex.tok;
	int ret = place(r, 4, 4, &f.buffer, &f.offset);

	if (!ret && nvfifo_lex_take_word(&r->lex, "ramp"))
		ret = read_ramp(r, &tok, &f);
	else if (!ret)
		ret = word_list(r, &tok, f.buffer, f.offset, &f.first, &f.count);
	if (ret)
		return ret;

	slot = ADD(p->fills, p->fill_count);
	if (!slot)
		return no_memory();

	*slot = f;
	return 0;
}

static int read_map_compression(struct reader *r, struct nvfifo_prog_buffer *b)
{
	if (nvfifo_lex_take_word(&r->lex, "single"))
		b->compression = DRM_NVFIFO_COMPRESSION_SINGLE;
	else if (nvfifo_lex_take_word(&r->lex, "double"))
		b->compression = DRM_NVFIFO_COMPRESSION_DOUBLE;
	else
		return nvfifo_lex_expected(&r->lex, "single or double");
	return 0;
}

static int read_map_pages(struct reader *r, struct nvfifo_prog_buffer *b)
{
	if (nvfifo_lex_take_word(&r->lex, "4K"))
		b->page_shift = 12;
	else if (nvfifo_lex_take_word(&r->lex, "16K"))
		b->page_shift = 14;
	else if (nvfifo_lex_take_word(&r->lex, "64K"))
		b->page_shift = 16;
	else
		return nvfifo_lex_expected(&r->lex, "4K, 16K or 64K");
	return 0;
}

/* One attribute of a mapping. */
static int read_map_option(struct reader *r, struct nvfifo_prog_buffer *b)
{
	static const struct {
		const char *name;
		__u32 flag;
	} flags[] = {
		{ "readonly", DRM_NVFIFO_VM_BIND_READ_ONLY },
		{ "supervisor", DRM_NVFIFO_VM_BIND_SUPERVISOR },
		{ "nosnoop", DRM_NVFIFO_VM_BIND_NOSNOOP },
		{ "long_cycle", DRM_NVFIFO_VM_BIND_LONG_CYCLE },
		{ "encrypted", DRM_NVFIFO_VM_BIND_ENCRYPTED },
	};
	__u64 v;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (nvfifo_lex_take_word(&r->lex, flags[i].name)) {
			b->flags |= flags[i].flag;
			return 0;
		}
	}

	if (nvfifo_lex_take_word(&r->lex, "kind")) {
		ret = nvfifo_lex_range(&r->lex, "a storage type", 0x7f, &v);
		b->kind = (__u32)v;
		/* The kernel keeps memory of the two bank orders apart. */
		if (b->domain == DRM_NVFIFO_DOMAIN_VRAM &&
		    nvfifo_kind_class(b->kind) == NVFIFO_KIND_SWIZZLED)
			b->bo_flags |= DRM_NVFIFO_BO_LSR;
		return ret;
	}

	if (nvfifo_lex_take_word(&r->lex, "compression"))
		return read_map_compression(r, b);
	if (nvfifo_lex_take_word(&r->lex, "pages"))
		return read_map_pages(r, b);

	return nvfifo_lex_expected(&r->lex,
				   "readonly, supervisor, nosnoop, long_cycle, encrypted, kind, compression, pages or the end of the line");
}

static int read_map(struct reader *r)
{
	struct options options = { .count = 0 };
	struct nvfifo_token tok = r->lex.tok;
	struct nvfifo_prog_buffer *b;
	int i = known_buffer(r);
	int ret;

	if (i < 0)
		return i;

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

	while (!nvfifo_lex_at_line_end(&r->lex)) {
		ret = new_option(r, &options);
		if (!ret)
			ret = read_map_option(r, b);
		if (ret)
			return ret;
	}

	return 0;
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
	__u64 v = 0;
	int ret;

	c->sli_mask = 0;
	c->flags &= ~(__u32)DRM_NVFIFO_CHANNEL_NO_SLI;
	if (nvfifo_lex_take_word(&r->lex, "off")) {
		c->flags |= DRM_NVFIFO_CHANNEL_NO_SLI;
		return 0;
	}

	if (isalpha((unsigned char)*r->lex.tok.start))
		return nvfifo_lex_expected(&r->lex, "off or an SLI mask");

	ret = nvfifo_lex_range(&r->lex, "the SLI mask", 0xfff, &v);
	c->sli_mask = (__u32)v;

	return ret;
}

static int read_channel_option(struct reader *r, struct nvfifo_prog_channel *c)
{
	__u64 v = 0;
	int ret = 0;

	if (nvfifo_lex_take_word(&r->lex, "order")) {
		ret = read_choice(r, "the ring order", RING_ORDER_MIN, RING_ORDER_MAX,
				  &c->ring_order);
	} else if (nvfifo_lex_take_word(&r->lex, "timeslice")) {
		ret = nvfifo_lex_range(&r->lex, "the timeslice", 0x1ffff, &v);
		c->timeslice = (__u32)v;
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

/* The owner of a user queue writes into the whole ring. */
static int check_ring(struct reader *r, const struct nvfifo_token *tok,
		      const struct nvfifo_prog_channel *c)
{
	const struct nvfifo_prog_buffer *b = &r->prog->buffers[c->buffer];
	__u64 bytes = 8ULL << c->ring_order;

	if (!(c->flags & DRM_NVFIFO_CHANNEL_USER_QUEUE))
		return 0;
	if (!c->ring_order)
		return nvfifo_lex_error(&r->lex, tok, "a user queue needs order N, log2 of its entries");

	if (bytes > b->size - c->offset)
		return nvfifo_lex_error(&r->lex, tok,
					"the ring has 0x%llx bytes, the buffer %s only 0x%llx from there on",
					(unsigned long long)bytes, b->name,
					(unsigned long long)(b->size - c->offset));

	return 0;
}

static int read_channel(struct reader *r)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_prog_channel c = { 0 }, *slot;
	struct options options = { .count = 0 };
	struct nvfifo_token tok = r->lex.tok;
	int ret;

	if (p->channel_count >= NVFIFO_PROG_CHANNELS)
		return nvfifo_lex_error(&r->lex, &tok, "a card has at most %d channels",
					NVFIFO_PROG_CHANNELS);
	c.line = tok.line;
	ret = new_name(r, "a channel's name", FIND(p->channels, p->channel_count, &tok) >= 0,
		       c.name);
	while (!ret && !nvfifo_lex_at_line_end(&r->lex)) {
		ret = new_option(r, &options);
		if (!ret)
			ret = read_channel_option(r, &c);
	}

	if (ret)
		return ret;

	if (c.flags & (DRM_NVFIFO_CHANNEL_DMA_MODE | DRM_NVFIFO_CHANNEL_USER_QUEUE) &&
	    p->buffers[c.buffer].space != c.space)
		return nvfifo_lex_error(&r->lex, &tok, "the buffer %s is in another address space",
					p->buffers[c.buffer].name);
	if (c.has_limit && p->buffers[c.limit_buffer].space != c.space)
		return nvfifo_lex_error(&r->lex, &tok, "the buffer %s is in another address space",
					p->buffers[c.limit_buffer].name);

	ret = check_ring(r, &tok, &c);
	if (ret)
		return ret;

	slot = ADD(p->channels, p->channel_count);
	if (!slot)
		return no_memory();

	*slot = c;
	return 0;
}

static int read_object_compression(struct reader *r, struct nvfifo_prog_object *o)
{
	o->flags |= DRM_NVFIFO_OBJECT_COMPRESSION;
	if (nvfifo_lex_take_word(&r->lex, "none"))
		o->compression = DRM_NVFIFO_COMPRESSION_NONE;
	else if (nvfifo_lex_take_word(&r->lex, "single"))
		o->compression = DRM_NVFIFO_COMPRESSION_SINGLE;
	else if (nvfifo_lex_take_word(&r->lex, "double"))
		o->compression = DRM_NVFIFO_COMPRESSION_DOUBLE;
	else
		return nvfifo_lex_expected(&r->lex, "none, single or double");
	return 0;
}

static int read_object_user(struct reader *r, struct nvfifo_prog_object *o)
{
	if (nvfifo_lex_take_word(&r->lex, "both"))
		o->user = DRM_NVFIFO_USER_BOTH;
	else if (nvfifo_lex_take_word(&r->lex, "supervisor"))
		o->user = DRM_NVFIFO_USER_SUPERVISOR;
	else
		return nvfifo_lex_expected(&r->lex, "both or supervisor");
	return 0;
}

static int read_object_cycle(struct reader *r, struct nvfifo_prog_object *o)
{
	if (nvfifo_lex_take_word(&r->lex, "short"))
		o->cycle = DRM_NVFIFO_CYCLE_SHORT;
	else if (nvfifo_lex_take_word(&r->lex, "long"))
		o->cycle = DRM_NVFIFO_CYCLE_LONG;
	else
		return nvfifo_lex_expected(&r->lex, "short or long");
	return 0;
}

/* An attribute of a DMA object that overrides the page's */
static int read_object_attribute(struct reader *r, struct nvfifo_prog_object *o)
{
	__u64 v = 0;
	int ret = 0;

	if (nvfifo_lex_take_word(&r->lex, "readonly")) {
		o->access = DRM_NVFIFO_ACCESS_RO;
	} else if (nvfifo_lex_take_word(&r->lex, "readwrite")) {
		o->access = DRM_NVFIFO_ACCESS_RW;
	} else if (nvfifo_lex_take_word(&r->lex, "supervisor")) {
		o->flags |= DRM_NVFIFO_OBJECT_SUPERVISOR;
	} else if (nvfifo_lex_take_word(&r->lex, "encrypted")) {
		o->flags |= DRM_NVFIFO_OBJECT_ENCRYPTED;
	} else if (nvfifo_lex_take_word(&r->lex, "kind")) {
		ret = nvfifo_lex_range(&r->lex, "a storage type", 0x7f, &v);
		o->flags |= DRM_NVFIFO_OBJECT_KIND;
		o->kind = (__u32)v;
	} else if (nvfifo_lex_take_word(&r->lex, "compression")) {
		ret = read_object_compression(r, o);
	} else if (nvfifo_lex_take_word(&r->lex, "user")) {
		ret = read_object_user(r, o);
	} else if (nvfifo_lex_take_word(&r->lex, "cycle")) {
		ret = read_object_cycle(r, o);
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
	if (ret)
		return ret;

	if (!o->size || o->size > r->prog->buffers[o->buffer].size - o->start)
		return nvfifo_lex_error(&r->lex, &tok,
					"the object runs past the end of the buffer %s",
					r->prog->buffers[o->buffer].name);

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

static int read_object_attributes(struct reader *r, struct nvfifo_prog_object *o)
{
	struct options options = { .count = 0 };
	int ret = 0;

	while (!ret && !nvfifo_lex_at_line_end(&r->lex)) {
		struct nvfifo_token tok = r->lex.tok;

		ret = new_option(r, &options);
		if (!ret)
			ret = read_object_attribute(r, o);
		if (!ret && had_option(&options, "readonly") && had_option(&options, "readwrite"))
			return nvfifo_lex_error(&r->lex, &tok,
						"readonly and readwrite contradict each other");
	}

	return ret;
}

static int read_dma_object(struct reader *r, struct nvfifo_prog_object *o)
{
	int ret;

	if (nvfifo_lex_take_word(&r->lex, "r"))
		o->oclass = NVFIFO_CLASS_DMA_READ;
	else if (nvfifo_lex_take_word(&r->lex, "w"))
		o->oclass = NVFIFO_CLASS_DMA_WRITE;
	else if (nvfifo_lex_take_word(&r->lex, "rw"))
		o->oclass = NVFIFO_CLASS_DMA_RW;
	else
		return nvfifo_lex_expected(&r->lex, "r, w or rw");

	if (nvfifo_lex_take_word(&r->lex, "unpaged"))
		ret = read_unpaged(r, o);
	else
		ret = read_paged(r, o);
	if (!ret)
		ret = read_object_attributes(r, o);

	return ret;
}

/* Names that every card has; the class of "3D" depends on the card. */
static const struct {
	const char *name;
	__u32 oclass;
} class_names[] = {
	{ "NULL", 0x0030 }, { "2D", 0x502d }, { "M2MF", 0x5039 }, { "3D", 0x5097 },
};

static int unknown_class(struct reader *r)
{
	const struct nvfifo_token *tok = &r->lex.tok;
	struct nvfifo_near near;
	char more[200];
	size_t i;

	nvfifo_near_init(&near, tok->start, tok->len);
	for (i = 0; i < sizeof(class_names) / sizeof(class_names[0]); i++)
		nvfifo_near_offer(&near, class_names[i].name);

	return nvfifo_lex_error(&r->lex, tok,
				"expected M2MF, 2D, 3D, NULL or a class's number, found '%.*s'%s",
				(int)(tok->len > 40 ? 40 : tok->len), tok->start,
				nvfifo_near_text(&near, more, sizeof(more)));
}

static int read_class(struct reader *r, struct nvfifo_prog_object *o)
{
	struct nvfifo_token tok = r->lex.tok;
	__u64 v;
	size_t i;
	int ret;

	o->engine = true;

	for (i = 0; i < sizeof(class_names) / sizeof(class_names[0]); i++) {
		if (nvfifo_lex_take_word(&r->lex, class_names[i].name)) {
			o->oclass = class_names[i].oclass;
			o->any_3d = o->oclass == 0x5097;
			return 0;
		}
	}

	if (tok.type == NVFIFO_TOKEN_WORD && isalpha((unsigned char)*tok.start))
		return unknown_class(r);

	ret = nvfifo_lex_range(&r->lex, "a class", 0xffff, &v);
	o->oclass = (__u32)v;
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

/* Its methods are events, so its channel has to be one that sends them. */
static int read_software(struct reader *r, const struct nvfifo_token *tok,
			 struct nvfifo_prog_object *o)
{
	if (o->channel < 0)
		return nvfifo_lex_error(&r->lex, tok, "a software object names its channel");
	if (!(r->prog->channels[o->channel].flags & DRM_NVFIFO_CHANNEL_EVENT))
		return nvfifo_lex_error(&r->lex, tok, "the channel is declared without event");

	o->engine = true;
	o->software = true;
	o->oclass = NVFIFO_CLASS_SOFTWARE;

	return 0;
}

static int read_object(struct reader *r)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_prog_object o = { .channel = -1 }, *slot;
	struct nvfifo_token tok;
	__u64 v;
	int ret;

	if (!nvfifo_token_number(&r->lex.tok, &v)) {
		o.channel = known_channel(r);
		if (o.channel < 0)
			return o.channel;
	}

	tok = r->lex.tok;
	o.line = tok.line;
	ret = nvfifo_lex_range(&r->lex, "a handle", 0xffffffff, &v);
	if (ret)
		return ret;
	if (!v)
		return nvfifo_lex_error(&r->lex, &tok, "a handle cannot be 0");

	o.handle = (__u32)v;
	if (nvfifo_lex_take_word(&r->lex, "dma")) {
		ret = read_dma_object(r, &o);
	} else if (nvfifo_lex_take_word(&r->lex, "class")) {
		ret = read_class(r, &o);
	} else if (nvfifo_lex_take_word(&r->lex, "software")) {
		ret = read_software(r, &tok, &o);
	} else {
		return nvfifo_lex_expected(&r->lex, "dma, class or software");
	}

	if (ret)
		return ret;

	slot = ADD(p->objects, p->object_count);
	if (!slot)
		return no_memory();

	*slot = o;
	return 0;
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
	struct nvfifo_prog_push *push;
	char name[NVFIFO_PROG_NAME_MAX];
	int ret = new_name(r, "a pushbuffer's name", FIND(p->pushes, p->push_count, &tok) >= 0,
			   name);

	if (ret)
		return ret;

	push = ADD(p->pushes, p->push_count);
	if (!push)
		return no_memory();

	memcpy(push->name, name, sizeof(name));
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
		return nvfifo_lex_error(&r->lex, &tok, "the pushbuffer %s is empty", name);

	if (push->words.count > NVFIFO_IB_WORDS_MAX)
		return nvfifo_lex_error(&r->lex, &tok, "a pushbuffer has at most %u words",
					NVFIFO_IB_WORDS_MAX);
	if (push->placed &&
	    push->words.count > (p->buffers[push->buffer].size - push->offset) / 4)
		return nvfifo_lex_error(&r->lex, &at,
					"the pushbuffer runs past the end of the buffer %s",
					p->buffers[push->buffer].name);

	return 0;
}

/* --- Steps --------------------------------------------------------------- */

static int read_submit_entry(struct reader *r, int channel)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_token tok = r->lex.tok;
	struct nvfifo_prog_entry *e;
	bool dma_mode;
	int push = KNOWN(r, p->pushes, p->push_count, "a pushbuffer");

	if (push < 0)
		return push;

	if (p->pushes[push].space != p->channels[channel].space)
		return nvfifo_lex_error(&r->lex, &tok,
					"the pushbuffer %s is in another address space than the channel %s",
					p->pushes[push].name, p->channels[channel].name);
	dma_mode = p->channels[channel].flags & DRM_NVFIFO_CHANNEL_DMA_MODE;
	if (dma_mode && !p->pushes[push].linear)
		return nvfifo_lex_error(&r->lex, &tok,
					"the pushbuffer %s is not linear, and the channel %s is in DMA mode",
					p->pushes[push].name, p->channels[channel].name);
	if (!dma_mode && p->pushes[push].linear)
		return nvfifo_lex_error(&r->lex, &tok,
					"the pushbuffer %s is linear, and the channel %s is not in DMA mode",
					p->pushes[push].name, p->channels[channel].name);

	e = ADD(p->entries, p->entry_count);
	if (!e)
		return no_memory();

	e->push = (unsigned int)push;
	if (nvfifo_lex_take_word(&r->lex, "not_main"))
		e->flags |= DRM_NVFIFO_ENTRY_NOT_MAIN;
	if (nvfifo_lex_take_word(&r->lex, "no_prefetch"))
		e->flags |= DRM_NVFIFO_ENTRY_NO_PREFETCH;

	return 0;
}

static int read_submit_entries(struct reader *r, struct nvfifo_prog_step *s)
{
	int ret;

	if (nvfifo_lex_at_line_end(&r->lex) || nvfifo_token_is(&r->lex.tok, "after") ||
	    nvfifo_token_is(&r->lex.tok, "as"))
		return 0;

	do {
		nvfifo_lex_skip_newlines(&r->lex);
		ret = read_submit_entry(r, (int)s->channel);
		if (ret)
			return ret;
	} while (nvfifo_lex_take_sign(&r->lex, ','));

	s->count = r->prog->entry_count - s->first;
	return 0;
}

/* The fences that the submission waits for. */
static int read_submit_after(struct reader *r, struct nvfifo_prog_step *s)
{
	int i;

	if (!nvfifo_lex_take_word(&r->lex, "after"))
		return 0;

	do {
		if (s->after_count == NVFIFO_PROG_AFTER)
			return nvfifo_lex_error(&r->lex, &r->lex.tok,
						"a submit waits for at most %d fences",
						NVFIFO_PROG_AFTER);

		i = known_fence(r);
		if (i < 0)
			return i;
		s->after[s->after_count++] = (unsigned int)i;
	} while (nvfifo_lex_take_sign(&r->lex, ','));

	return 0;
}

/* The submission's own fence, which has a number for a name if the text gives none. */
static int read_submit_fence(struct reader *r, struct nvfifo_prog_step *s)
{
	struct nvfifo_prog *p = r->prog;
	char name[NVFIFO_PROG_NAME_MAX];
	char (*fence)[NVFIFO_PROG_NAME_MAX];
	int ret = 0;

	if (nvfifo_lex_take_word(&r->lex, "as"))
		ret = new_name(r, "a fence's name",
			       FIND(p->fences, p->fence_count, &r->lex.tok) >= 0, name);
	else
		snprintf(name, sizeof(name), "#%zu", p->fence_count + 1);
	if (ret)
		return ret;

	s->fence = (int)p->fence_count;
	fence = ADD(p->fences, p->fence_count);
	if (!fence)
		return no_memory();

	memcpy(*fence, name, sizeof(name));
	return 0;
}

static int read_submit(struct reader *r, unsigned int line)
{
	struct nvfifo_prog_step *s;
	int channel = known_channel(r), ret;
	__u32 flags;

	if (channel < 0)
		return channel;

	s = add_step(r, NVFIFO_STEP_SUBMIT, line);
	if (!s)
		return no_memory();

	s->channel = (unsigned int)channel;
	s->first = r->prog->entry_count;
	flags = r->prog->channels[channel].flags;
	ret = read_submit_entries(r, s);
	if (ret)
		return ret;

	if (flags & DRM_NVFIFO_CHANNEL_USER_QUEUE)
		return 0;
	if (flags & DRM_NVFIFO_CHANNEL_DMA_MODE && s->count != 1)
		return nvfifo_lex_expected(&r->lex, "one linear pushbuffer, because the channel is in DMA mode");

	ret = read_submit_after(r, s);
	if (ret)
		return ret;

	/* In DMA mode the words themselves say that they are done: there is no fence. */
	if (flags & DRM_NVFIFO_CHANNEL_DMA_MODE)
		return 0;

	return read_submit_fence(r, s);
}

static int read_wait(struct reader *r, unsigned int line)
{
	struct nvfifo_prog_step *s;
	int fence = -1;

	if (!nvfifo_lex_at_line_end(&r->lex)) {
		fence = known_fence(r);
		if (fence < 0)
			return fence;
	}

	s = add_step(r, NVFIFO_STEP_WAIT, line);
	if (!s)
		return no_memory();

	s->fence = fence;
	return 0;
}

static int read_pending(struct reader *r, unsigned int line)
{
	struct nvfifo_prog_step *s;
	int fence = known_fence(r);
	__u64 ms;
	int ret;

	if (fence < 0)
		return fence;

	ret = nvfifo_lex_range(&r->lex, "the time in milliseconds", PENDING_MAX, &ms);
	if (ret)
		return ret;

	s = add_step(r, NVFIFO_STEP_PENDING, line);
	if (!s)
		return no_memory();

	s->fence = fence;
	s->value = ms;

	return 0;
}

static int read_ref(struct reader *r, struct nvfifo_prog_step *s)
{
	int channel = known_channel(r);
	__u32 word;
	int ret;

	if (channel < 0)
		return channel;

	ret = nvfifo_lex_word(&r->lex, &word);
	s->type = NVFIFO_STEP_REF;
	s->channel = (unsigned int)channel;
	s->value = word;

	return ret;
}

static int read_dead(struct reader *r, struct nvfifo_prog_step *s)
{
	static const char *const errors[] = {
		NULL, "pusher", "cache", "semaphore", "timeout", "lost", "graph", "fence",
	};
	int channel = known_channel(r);
	__u64 detail;
	__u32 i;
	int ret;

	if (channel < 0)
		return channel;

	s->type = NVFIFO_STEP_DEAD;
	s->channel = (unsigned int)channel;
	if (nvfifo_lex_at_line_end(&r->lex))
		return 0;

	for (i = 1; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (nvfifo_lex_take_word(&r->lex, errors[i]))
			break;
	}

	if (i == sizeof(errors) / sizeof(errors[0]))
		return nvfifo_lex_expected(&r->lex,
					   "pusher, cache, semaphore, timeout, lost, graph or fence");
	s->error = i;
	if (nvfifo_lex_at_line_end(&r->lex))
		return 0;

	s->has_code = true;
	ret = nvfifo_lex_range(&r->lex, "an error code", 0xffffffff, &s->value);
	if (ret || nvfifo_lex_at_line_end(&r->lex))
		return ret;

	s->has_detail = true;
	ret = nvfifo_lex_range(&r->lex, "an error detail", 0xffffffff, &detail);
	s->detail = (__u32)detail;

	return ret;
}

static int read_event(struct reader *r, struct nvfifo_prog_step *s)
{
	struct nvfifo_token tok = r->lex.tok;
	int ret = read_dead(r, s);

	if (ret)
		return ret;

	s->type = NVFIFO_STEP_EVENT;
	if (s->has_detail)
		return nvfifo_lex_error(&r->lex, &tok, "an event has a code, but no detail");
	if (!(r->prog->channels[s->channel].flags & DRM_NVFIFO_CHANNEL_EVENT))
		return nvfifo_lex_error(&r->lex, &tok, "the channel is declared without event");

	return 0;
}

static int read_method(struct reader *r, struct nvfifo_prog_step *s)
{
	struct nvfifo_token tok = r->lex.tok;
	int channel = known_channel(r), ret;
	__u64 handle, method = 0;

	if (channel < 0)
		return channel;

	s->type = NVFIFO_STEP_METHOD;
	s->channel = (unsigned int)channel;
	if (!(r->prog->channels[channel].flags & DRM_NVFIFO_CHANNEL_EVENT))
		return nvfifo_lex_error(&r->lex, &tok, "the channel is declared without event");

	ret = nvfifo_lex_range(&r->lex, "a handle", 0xffffffff, &handle);
	if (ret)
		return ret;

	s->handle = (__u32)handle;
	tok = r->lex.tok;
	ret = nvfifo_lex_range(&r->lex, "a method", 0x1ffc, &method);
	if (ret)
		return ret;

	if (method < 0x100 || method % 4)
		return nvfifo_lex_error(&r->lex, &tok,
					"a software method is a multiple of 4, 0x100 to 0x1ffc");
	s->detail = (__u32)method;

	return nvfifo_lex_range(&r->lex, "a word", 0xffffffff, &s->value);
}

/* Bytes at a place that has been read; @at is where it stands. */
static int check_bytes(struct reader *r, const struct nvfifo_token *at, unsigned int buffer,
		       __u64 offset, __u64 bytes)
{
	const struct nvfifo_prog_buffer *b = &r->prog->buffers[buffer];

	if (bytes && bytes <= b->size - offset)
		return 0;

	return nvfifo_lex_error(&r->lex, at,
				"0x%llx bytes do not lie in the buffer %s, which has 0x%llx from there on",
				(unsigned long long)bytes, b->name,
				(unsigned long long)(b->size - offset));
}

static int read_same(struct reader *r, struct nvfifo_prog_step *s)
{
	struct nvfifo_token first = r->lex.tok, second;
	__u64 bytes = 0;
	int ret = place(r, 4, 4, &s->buffer, &s->offset);

	second = r->lex.tok;
	if (!ret)
		ret = place(r, 4, 4, &s->buffer2, &s->offset2);
	if (!ret)
		ret = nvfifo_lex_range(&r->lex, "the number of bytes", BYTES_MAX, &bytes);
	if (!ret)
		ret = check_bytes(r, &first, s->buffer, s->offset, bytes);
	if (!ret)
		ret = check_bytes(r, &second, s->buffer2, s->offset2, bytes);
	s->type = NVFIFO_STEP_SAME;
	s->count = (size_t)bytes;

	return ret;
}

static int read_crc(struct reader *r, struct nvfifo_prog_step *s)
{
	struct nvfifo_token tok = r->lex.tok;
	__u64 bytes = 0;
	int ret = place(r, 4, 4, &s->buffer, &s->offset);

	if (!ret)
		ret = nvfifo_lex_range(&r->lex, "the number of bytes", BYTES_MAX, &bytes);
	if (!ret)
		ret = check_bytes(r, &tok, s->buffer, s->offset, bytes);
	if (!ret)
		ret = nvfifo_lex_range(&r->lex, "a CRC-32", 0xffffffff, &s->value);
	s->type = NVFIFO_STEP_CRC;
	s->count = (size_t)bytes;

	return ret;
}

/* POLL takes one word, EXPECT any number. */
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

static int read_expect(struct reader *r, unsigned int line)
{
	struct nvfifo_prog_step s = { .type = NVFIFO_STEP_EXPECT }, *slot;
	int ret;

	if (nvfifo_lex_take_word(&r->lex, "ref"))
		ret = read_ref(r, &s);
	else if (nvfifo_lex_take_word(&r->lex, "dead"))
		ret = read_dead(r, &s);
	else if (nvfifo_lex_take_word(&r->lex, "event"))
		ret = read_event(r, &s);
	else if (nvfifo_lex_take_word(&r->lex, "method"))
		ret = read_method(r, &s);
	else if (nvfifo_lex_take_word(&r->lex, "same"))
		ret = read_same(r, &s);
	else if (nvfifo_lex_take_word(&r->lex, "crc"))
		ret = read_crc(r, &s);
	else
		ret = read_memory(r, &s);
	if (ret)
		return ret;

	slot = add_step(r, s.type, line);
	if (!slot)
		return no_memory();

	s.line = line;
	s.fence = -1;
	*slot = s;

	return 0;
}

static int read_poll(struct reader *r, unsigned int line)
{
	struct nvfifo_prog_step *s = add_step(r, NVFIFO_STEP_POLL, line);

	return s ? read_memory(r, s) : no_memory();
}

static int read_write(struct reader *r, unsigned int line)
{
	struct nvfifo_prog_step *s = add_step(r, NVFIFO_STEP_WRITE, line);

	return s ? read_memory(r, s) : no_memory();
}

static int read_order(struct reader *r, unsigned int line)
{
	struct nvfifo_prog_step *s = add_step(r, NVFIFO_STEP_ORDER, line);
	int ret;

	if (!s)
		return no_memory();

	ret = place(r, 8, 8, &s->buffer, &s->offset);
	return ret ? ret : place(r, 8, 8, &s->buffer2, &s->offset2);
}

static int read_show(struct reader *r, unsigned int line)
{
	struct nvfifo_prog_step *s = add_step(r, NVFIFO_STEP_SHOW, line);
	struct nvfifo_token tok = r->lex.tok;
	__u64 words;
	int ret;

	if (!s)
		return no_memory();

	ret = place(r, 4, 4, &s->buffer, &s->offset);
	if (!ret)
		ret = nvfifo_lex_range(&r->lex, "the number of words", SHOW_MAX, &words);
	if (ret)
		return ret;

	if (!words)
		return nvfifo_lex_error(&r->lex, &tok, "there is no word to show");
	if (words > (r->prog->buffers[s->buffer].size - s->offset) / 4)
		return nvfifo_lex_error(&r->lex, &tok,
					"the words to show run past the end of the buffer %s",
					r->prog->buffers[s->buffer].name);
	s->count = (size_t)words;

	return 0;
}

/* Return: bytes of a pixel, or -EINVAL. */
static int read_format(struct reader *r, enum nvfifo_prog_format *format)
{
	if (nvfifo_lex_take_word(&r->lex, "x8r8g8b8")) {
		*format = NVFIFO_PROG_X8R8G8B8;
		return 4;
	}

	if (nvfifo_lex_take_word(&r->lex, "r5g6b5")) {
		*format = NVFIFO_PROG_R5G6B5;
		return 2;
	}

	if (nvfifo_lex_take_word(&r->lex, "r8")) {
		*format = NVFIFO_PROG_R8;
		return 1;
	}

	return nvfifo_lex_expected(&r->lex, "x8r8g8b8, r5g6b5 or r8");
}

static int read_side(struct reader *r, const char *what, __u32 *pixels)
{
	struct nvfifo_token tok = r->lex.tok;
	__u64 v;
	int ret = nvfifo_lex_range(&r->lex, what, NVFIFO_PROG_PIXELS, &v);

	if (!ret && !v)
		return nvfifo_lex_error(&r->lex, &tok, "%s is 1 to %d pixels", what,
					NVFIFO_PROG_PIXELS);
	*pixels = (__u32)v;

	return ret;
}

static int read_image(struct reader *r, unsigned int line)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_prog_image im = { 0 }, *slot;
	struct nvfifo_prog_step *s;
	struct nvfifo_token at, tok;
	unsigned int buffer;
	__u64 offset, pitch;
	int ret, bytes;

	ret = new_name(r, "an image's name", FIND(p->images, p->image_count, &r->lex.tok) >= 0,
		       im.name);
	at = r->lex.tok;
	if (!ret)
		ret = place(r, 4, 4, &buffer, &offset);
	if (!ret)
		ret = read_side(r, "an image's width", &im.width);
	if (!ret)
		ret = read_side(r, "an image's height", &im.height);
	if (ret)
		return ret;

	bytes = read_format(r, &im.format);
	if (bytes < 0)
		return bytes;

	pitch = (__u64)im.width * (unsigned int)bytes;
	tok = r->lex.tok;
	if (nvfifo_lex_take_word(&r->lex, "pitch")) {
		tok = r->lex.tok;
		ret = nvfifo_lex_range(&r->lex, "the pitch", 1U << 20, &pitch);
	}

	if (ret)
		return ret;

	if (pitch < (__u64)im.width * (unsigned int)bytes)
		return nvfifo_lex_error(&r->lex, &tok, "a line of the image has %u bytes",
					im.width * (unsigned int)bytes);
	im.pitch = (__u32)pitch;
	ret = check_bytes(r, &at, buffer, offset,
			  pitch * (im.height - 1) + (__u64)im.width * (unsigned int)bytes);
	if (ret)
		return ret;

	slot = ADD(p->images, p->image_count);
	s = slot ? add_step(r, NVFIFO_STEP_IMAGE, line) : NULL;
	if (!s)
		return no_memory();

	*slot = im;
	s->buffer = buffer;
	s->offset = offset;
	s->first = p->image_count - 1;

	return 0;
}

/* Statements: those that declare, and those that do, which need their line. */
static const struct {
	const char *name;
	int (*declare)(struct reader *r);
	int (*act)(struct reader *r, unsigned int line);
} statements[] = {
	{ "title", read_title, NULL },	   { "requires", read_requires, NULL },
	{ "space", read_space, NULL },	   { "buffer", read_buffer, NULL },
	{ "fill", read_fill, NULL },	   { "map", read_map, NULL },
	{ "channel", read_channel, NULL }, { "object", read_object, NULL },
	{ "push", read_push, NULL },	   { "submit", NULL, read_submit },
	{ "wait", NULL, read_wait },	   { "pending", NULL, read_pending },
	{ "poll", NULL, read_poll },	   { "expect", NULL, read_expect },
	{ "order", NULL, read_order },	   { "show", NULL, read_show },
	{ "image", NULL, read_image },	   { "write", NULL, read_write },
};

#define STATEMENTS (sizeof(statements) / sizeof(statements[0]))

static int unknown_statement(struct reader *r)
{
	const struct nvfifo_token *tok = &r->lex.tok;
	struct nvfifo_near near;
	char more[200];
	size_t i;

	if (tok->type != NVFIFO_TOKEN_WORD)
		return nvfifo_lex_expected(&r->lex, "a statement such as buffer, channel, push, submit or expect");
	if (nvfifo_asm_is_command(tok))
		return nvfifo_lex_error(&r->lex, tok,
					"'%.*s' is a command of a pushbuffer: it stands in push NAME { ... }",
					(int)tok->len, tok->start);

	nvfifo_near_init(&near, tok->start, tok->len);
	for (i = 0; i < STATEMENTS; i++)
		nvfifo_near_offer(&near, statements[i].name);

	return nvfifo_lex_error(&r->lex, tok,
				"expected a statement such as buffer, channel, push, submit or expect, found '%.*s'%s",
				(int)(tok->len > 40 ? 40 : tok->len), tok->start,
				nvfifo_near_text(&near, more, sizeof(more)));
}

static int read_line(struct reader *r)
{
	unsigned int line = r->lex.tok.line;
	size_t i;

	for (i = 0; i < STATEMENTS; i++) {
		if (!nvfifo_lex_take_word(&r->lex, statements[i].name))
			continue;
		if (statements[i].declare)
			return statements[i].declare(r);
		return statements[i].act(r, line);
	}

	return unknown_statement(r);
}

static int read_pass(struct reader *r, const char *text, size_t len, struct nvfifo_diag *diag)
{
	struct nvfifo_prog *p = r->prog;
	struct nvfifo_prog_space *space = ADD(p->spaces, p->space_count);
	int ret;

	if (!space)
		return no_memory();

	strcpy(space->name, "main");
	nvfifo_lex_init(&r->lex, text, len, symbol_value, r, diag);
	r->lex.offer = offer_symbols;

	for (;;) {
		nvfifo_lex_skip_newlines(&r->lex);
		if (r->lex.tok.type == NVFIFO_TOKEN_END)
			return 0;

		ret = read_line(r);
		if (ret)
			return ret;
		if (!nvfifo_lex_at_line_end(&r->lex))
			return nvfifo_lex_expected(&r->lex, "the end of the line");
	}
}

/* --- Layout -------------------------------------------------------------- */

/* Pages of a buffer as it will be mapped: VRAM comes in 64 KiB. */
static __u64 mapped_size(const struct nvfifo_prog_buffer *b)
{
	__u64 page = b->domain == DRM_NVFIFO_DOMAIN_VRAM ? 0x10000 : 0x1000;

	return (b->size + page - 1) & ~(page - 1);
}

static int layout_error(struct nvfifo_diag *diag, unsigned int line, const char *fmt,
			const char *a, const char *b)
{
	diag->line = line;
	diag->column = 1;
	snprintf(diag->text, sizeof(diag->text), fmt, a, b);
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
				    "there is no room in the address space for the buffer %s%s",
				    b->name, "");
	b->va = va;
	b->mapping = NVFIFO_PROG_MAP_FIXED;

	return 0;
}

static int lay_out(struct nvfifo_prog *p, __u64 va_start, __u64 va_end, struct nvfifo_diag *diag)
{
	struct nvfifo_prog_buffer *b, *o;
	char range[80];
	size_t i;
	int ret;

	snprintf(range, sizeof(range), "0x%llx to 0x%llx", (unsigned long long)va_start,
		 (unsigned long long)va_end - 1);

	for (i = 0; i < p->buffer_count; i++) {
		b = &p->buffers[i];
		if (b->mapping != NVFIFO_PROG_MAP_FIXED)
			continue;

		if (b->va < va_start || b->va > va_end || va_end - b->va < mapped_size(b))
			return layout_error(diag, b->map_line,
					    "the buffer %s is mapped outside of the card's address space, %s",
					    b->name, range);

		/* The later line is the one to change. */
		o = overlap(p, b, b->va);
		if (o && o->map_line > b->map_line)
			return layout_error(diag, o->map_line, "the buffers %s and %s overlap",
					    o->name, b->name);
		if (o)
			return layout_error(diag, b->map_line, "the buffers %s and %s overlap",
					    b->name, o->name);
	}

	for (i = 0; i < p->buffer_count; i++) {
		b = &p->buffers[i];
		if (b->mapping != NVFIFO_PROG_MAP_AUTO)
			continue;
		ret = place_buffer(p, b, va_start, va_end, diag);
		if (ret)
			return ret;
	}

	return 0;
}

/* Pushbuffers of a space that the program did not place itself share one buffer. */
static int gather_space(struct nvfifo_prog *p, unsigned int space)
{
	struct nvfifo_prog_buffer *b;
	__u64 size = 0;
	size_t i;

	for (i = 0; i < p->push_count; i++) {
		struct nvfifo_prog_push *push = &p->pushes[i];

		if (push->placed || push->space != space)
			continue;
		push->buffer = (unsigned int)p->buffer_count;
		push->offset = size;
		size += ((__u64)push->words.count * 4 + PUSH_ALIGN - 1) & ~(PUSH_ALIGN - 1ULL);
	}

	if (!size)
		return 0;

	b = ADD(p->buffers, p->buffer_count);
	if (!b)
		return no_memory();

	strcpy(b->name, "(push)");
	b->space = space;
	b->size = size;
	b->line = 1;
	b->map_line = 1;

	return 0;
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

/* Get the chip for checks of a mapping: this one, or any chip that meets the requirements. */
static struct nvfifo_map_request map_request(const struct nvfifo_prog *p,
					     const struct nvfifo_prog_buffer *b, __u32 chipset)
{
	struct nvfifo_map_request m = {
		.g84 = is_for_g84(p, chipset),
		.g200 = chipset >= 0xa0 || !chipset,
		.gt215 = chipset ? nvfifo_chipset_is_gt215(chipset) : true,
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
	};

	/* Buffers are as large as their pages ask for, so only the address counts. */
	if (b->mapping == NVFIFO_PROG_MAP_FIXED)
		m.address = b->va;

	return m;
}

const char *nvfifo_prog_map_error(const struct nvfifo_prog *p, const struct nvfifo_prog_buffer *b,
				  __u32 chipset)
{
	struct nvfifo_map_request m = map_request(p, b, chipset);

	if (b->mapping == NVFIFO_PROG_MAP_NONE)
		return NULL;
	return nvfifo_map_rule(&m);
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

static bool is_name_character(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

unsigned int nvfifo_prog_column(const char *text, size_t len, unsigned int line,
				const char *error)
{
	const char *start = line_start(text, text + len, line), *at, *end;
	size_t name = strcspn(error, ":");

	end = nvfifo_text_line_end(start, text + len);
	for (at = start; at + name <= end; at++) {
		if (memcmp(at, error, name) || (at > start && is_name_character(at[-1])) ||
		    (at + name < end && is_name_character(at[name])))
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
					    "DMA mode reads words below 4 GiB, and the channel %s%s",
					    c->name, " has a place above");
		if (last < start)
			return layout_error(diag, c->line,
					    "the last word of the channel %s lies before its first%s",
					    c->name, "");
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
		ret = layout_error(diag, 1, "the two readings differ%s%s", "", "");
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
