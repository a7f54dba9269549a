// SPDX-License-Identifier: MIT
/*
 * The checker. It follows the pusher with a decoder for each channel. Of the
 * puller it follows the objects of the subchannels and the data of the
 * semaphore methods, as they show mistakes.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_capture.h"
#include "nvfifo_chan_fmt.h"
#include "nvfifo_lint.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

#define ERROR NVFIFO_LINT_ERROR
#define WARNING NVFIFO_LINT_WARNING

const struct nvfifo_rule nvfifo_lint_rules[] = {
	{ "invalid-command", ERROR,
		"The pusher stops with INVALID_CMD and the channel dies. Most often the count of the header before is wrong, so that data are read as commands." },
	{ "nvc0-command", ERROR,
		"This is a header in the format of GF100 and later; this family stops with INVALID_CMD. Build the words in the NV04 format." },
	{ "jump-in-ib-mode", ERROR,
		"Jumps, calls and returns exist in the linear buffer mode only. In IB mode submit another entry instead." },
	{ "swapped-bytes", ERROR,
		"With its bytes the other way round the word is a command: words are little endian." },
	{ "invalid-method", ERROR,
		"Methods below 0x100 belong to PFIFO, and this chip has no such method: the pusher stops with INVALID_MTHD." },
	{ "g84-method", ERROR,
		"G80 does not know this method and stops with INVALID_MTHD. Say 'requires semaphore64', or use DMA_SEMAPHORE, SEMAPHORE_OFFSET, SEMAPHORE_ACQUIRE and SEMAPHORE_RELEASE." },
	{ "incomplete-command", ERROR,
		"The header announces more data words than follow. The pusher reads the first words of the next submission as data, the driver's own fence included." },
	{ "count-in-bytes", ERROR,
		"The count of a header is in words, not in bytes." },
	{ "count-zero", WARNING,
		"A header with count 0 is legal and does nothing. For an empty word use 'nop'." },
	{ "method-wraps", ERROR,
		"The method counts up past 0x1ffc and starts again at 0, where methods of PFIFO are." },
	{ "no-object", ERROR,
		"No object is bound to the subchannel: the puller stops with CACHE_ERROR. Bind one first: 'mthd SUBC OBJECT : HANDLE'." },
	{ "unknown-handle", ERROR,
		"The channel has no object with that handle: the look-up in RAMHT fails, and the puller stops with CACHE_ERROR. Create the object first." },
	{ "wrong-object", ERROR,
		"OBJECT wants the handle of an engine's object, methods 0x180 to 0x1fc and DMA_SEMAPHORE that of a DMA object." },
	{ "illegal-method", WARNING,
		"No source knows such a method of this class; PGRAPH answers ILLEGAL_MTHD to methods that do not exist." },
	{ "illegal-class", ERROR,
		"This chipset does not have the class: PGRAPH answers ILLEGAL_CLASS. 'nvfifo methods --chipset CHIP' lists the classes of each." },
	{ "semaphore-no-dma", WARNING,
		"No DMA_SEMAPHORE before it in this submission. The driver's fence of the one before has set its own object there: the access goes to a place that is not yours." },
	{ "semaphore-no-offset", ERROR,
		"SEMAPHORE_OFFSET was never set: the puller stops with SEMAPHORE INVALID_STATE." },
	{ "semaphore-unaligned", ERROR,
		"The puller stops with SEMAPHORE ADDRESS_UNALIGNED: the place must be a multiple of 4." },
	{ "semaphore-too-large", ERROR,
		"The puller stops with SEMAPHORE ADDRESS_TOO_LARGE: an offset has 16 bits, the upper part of an address 8." },
	{ "semaphore-operation", ERROR,
		"SEMAPHORE_TRIGGER knows 1 (wait until equal), 2 (release) and 4 (wait until greater or equal). Others hang the channel." },
	{ "semaphore-outside", ERROR,
		"The access lies beyond the limit of the DMA object: the MMU faults with DMAOBJ_LIMIT. Offset and address count from the object's start." },
	{ "semaphore-read-only", ERROR,
		"A release writes, and the DMA object or the mapping is for reading only: the MMU faults with PAGE_READ_ONLY." },
	{ "never-released", WARNING,
		"Nothing in the program writes the value that the acquire waits for: the channel waits until the driver kills it." },
	{ "m2mf-no-notify", ERROR,
		"M2MF writes its notifier with every copy. Without a valid DMA_NOTIFY (0x180) the copy faults." },
	{ "m2mf-lines", WARNING,
		"Drivers copy at most 2047 lines at a time; nobody is known to have tried more." },
	{ "fence-subchannel", WARNING,
		"On G80 the driver's fence binds its own object to subchannel 7; yours is gone after each submission." },
	{ "ib-empty", ERROR,
		"An entry of length 0 stops the pusher with IB_EMPTY." },
	{ "ib-length", ERROR,
		"The entry's length is not the segment's. It is in words, in bits 31:10 of the second word." },
	{ "ib-length-in-bytes", ERROR,
		"The entry's length is four times the segment: it was given in bytes. It is in words; the pusher reads on after the segment." },
	{ "ib-address", ERROR,
		"A segment begins at a multiple of 4, and its entry has its address." },
	{ "ib-bits", WARNING,
		"Bits of the entry on which the sources disagree: 1:0 of the first word, 8 and 31 of the second. Leave them 0." },
	{ "ib-put", ERROR,
		"IB_PUT and IB_GET are indices of entries, below the size of the ring. IB_GET never meets a larger IB_PUT, and the pusher reads the ring for ever." },
	{ "ib-put-in-bytes", ERROR,
		"IB_PUT is the index of an entry, not an offset in bytes: divide by 8." },
	{ "ring-not-written", ERROR,
		"The entry is all zero: the ring was not written up to IB_PUT, or IB_PUT is too large. Length 0 stops the pusher with IB_EMPTY." },
	{ "ring-full", ERROR,
		"A ring of n entries takes n - 1 at a time: with n, IB_PUT equals IB_GET and the ring looks empty." },
	{ "outside-of-buffers", WARNING,
		"No buffer is mapped there: an access faults with PT_NOT_PRESENT or PAGE_NOT_PRESENT." },
	{ "no-wait", WARNING,
		"The submission may not have run yet. Put a 'wait' or a 'poll' before it." },
	{ "never-submitted", WARNING,
		"The pushbuffer is in no 'submit'." },
	{ "nothing-to-do", WARNING,
		"No statement of the program does anything. A program declares buffers, channels and pushbuffers, and then submits these." },
	{ "mapping", ERROR,
		"The driver refuses such a mapping with EINVAL, because the card cannot do it. 'requires encryption', 'long_cycle' or 'compression' keeps a program from cards that lack it." },
	{ "object", ERROR,
		"The driver refuses such a DMA object with EINVAL, because the card cannot do it, or because it would reach past the program's own memory." },
	{ "mcp89-stop", ERROR,
		"MCP89's puller refuses data of this method in which bits 31:29 are more than 2, or bit 28 is set and bits 27:0 are 0. It raises bit 11 of PFIFO's interrupts, and the driver ends the channel." },
	{ "sli-off", ERROR,
		"The channel has 'sli off': its pusher does not know the SLI conditional command, stops with INVALID_CMD, and the channel dies." },
	{ "past-last", ERROR,
		"The pushbuffer's words go on past the channel's 'last PLACE', which is DMA_LIMIT: the pusher stops there with MEM_FAULT." },
	{ 0 },
};

#define OBJECTS 256
#define RELEASES 256

struct object {
	int channel;		/* -1: all */
	__u32 handle;
	__u32 oclass;		/* 0: a DMA object, or unknown */
	bool dma;
	bool no_page;		/* its addresses are none of the program's address space */
	bool read_only;
	__u64 start;
	__u64 limit;
};

/* State of a channel, as its commands have set it */
struct channel {
	struct nvfifo_decoder d;
	bool started;
	bool dma_set;		/* DMA_SEMAPHORE in this submission */
	const struct object *dma;
	bool offset_set;
	__u32 offset;
	bool low_set;
	__u64 address;
	__u32 sequence;
	bool subc_bound[8];
	const struct object *bound[8];
	bool notify_set[8];
	bool sli_off;
	/* The command that is not complete. */
	char place[64];
	size_t word;
	unsigned int line, column;
	__u32 header;
	bool stopped;		/* by a mistake; the card reads no further */
	unsigned int dead_line;	/* of the program: expects the channel to die */
};

/* An acquire or release, for the search of a matching release */
struct semaphore {
	bool release;
	bool at_least;
	__u64 address;
	__u32 value;
	struct nvfifo_finding at;
};

struct nvfifo_lint {
	enum nvfifo_format format;
	__u32 chipset;
	nvfifo_finding_fn found;
	void *ctx;
	bool objects_known;
	struct object objects[OBJECTS];
	unsigned int object_count;
	struct channel *channels[NVFIFO_CAPTURE_CHANNELS];
	struct channel *cur;
	unsigned int cur_id;
	const char *place;
	size_t word;
	unsigned int line, column;
	const struct nvfifo_prog *prog;	/* NULL if it is no program */
	struct channel *submitting;	/* whose step of the program is read, or NULL */
	bool semaphores_known;	/* all of the program's are seen */
	struct semaphore semaphores[RELEASES];
	unsigned int semaphore_count;
	char push[64];		/* place in a capture */
};

/* --- Saying -------------------------------------------------------------- */

static const struct nvfifo_rule *find_rule(const char *name)
{
	const struct nvfifo_rule *r = nvfifo_lint_rules;

	while (r->name && strcmp(r->name, name))
		r++;

	return r;
}

/* A channel dies once: the line of "expect dead" is that of its first mistake. */
static unsigned int take_expected(struct nvfifo_lint *l, const struct nvfifo_rule *rule)
{
	struct channel *c = l->submitting;
	unsigned int line;

	if (!c || rule->severity != NVFIFO_LINT_ERROR)
		return 0;

	line = c->dead_line;
	c->dead_line = 0;

	return line;
}

/* Describe a mistake at the current word. */
static struct nvfifo_finding finding(const struct nvfifo_lint *l, const char *rule, __u32 word)
{
	return (struct nvfifo_finding){
		.rule = find_rule(rule),
		.line = l->line,
		.column = l->column,
		.place = l->place,
		.word = l->word,
		.has_word = true,
		.value = word,
	};
}

static void report(struct nvfifo_lint *l, struct nvfifo_finding *f, const char *fmt, va_list args)
{
	f->expected = take_expected(l, f->rule);
	vsnprintf(f->text, sizeof(f->text), fmt, args);
	l->found(l->ctx, f);
}

__attribute__((format(printf, 3, 4))) static void say(struct nvfifo_lint *l, const char *rule,
						      const char *fmt, ...)
{
	struct nvfifo_finding f = {
		.rule = find_rule(rule), .line = l->line, .place = l->place,
	};
	va_list args;

	va_start(args, fmt);
	report(l, &f, fmt, args);
	va_end(args);
}

__attribute__((format(printf, 4, 5))) static void say_word(struct nvfifo_lint *l, const char *rule,
							   __u32 word, const char *fmt, ...)
{
	struct nvfifo_finding f = finding(l, rule, word);
	va_list args;

	va_start(args, fmt);
	report(l, &f, fmt, args);
	va_end(args);
}

/* Go to a line of the program, or to a pushbuffer in it. */
static void go_to(struct nvfifo_lint *l, unsigned int line, const char *place)
{
	l->line = line;
	l->place = place;
}

/* --- Objects ------------------------------------------------------------- */

struct nvfifo_lint *nvfifo_lint_new(enum nvfifo_format format, __u32 chipset,
				    nvfifo_finding_fn found, void *ctx)
{
	struct nvfifo_lint *l = calloc(1, sizeof(*l));

	if (l) {
		l->format = format;
		l->chipset = chipset;
		l->found = found;
		l->ctx = ctx;
		l->place = "";
	}

	return l;
}

void nvfifo_lint_free(struct nvfifo_lint *l)
{
	size_t i;

	for (i = 0; l && i < NVFIFO_CAPTURE_CHANNELS; i++)
		free(l->channels[i]);
	free(l);
}

void nvfifo_lint_know_objects(struct nvfifo_lint *l)
{
	l->objects_known = true;
}

static struct object *find_object(struct nvfifo_lint *l, int channel, __u32 handle)
{
	unsigned int i;

	for (i = 0; i < l->object_count; i++) {
		struct object *o = &l->objects[i];

		if (o->handle == handle && (o->channel < 0 || o->channel == channel))
			return o;
	}

	return NULL;
}

static struct object *add_object(struct nvfifo_lint *l, int channel, __u32 handle)
{
	struct object *o = find_object(l, channel, handle);

	if (!o && l->object_count < OBJECTS)
		o = &l->objects[l->object_count++];
	if (!o) {
		/* There are too many objects to find missing ones. */
		l->objects_known = false;
		return NULL;
	}

	memset(o, 0, sizeof(*o));
	o->channel = channel;
	o->handle = handle;

	return o;
}

static struct channel *channel(struct nvfifo_lint *l, unsigned int id)
{
	struct channel **c = &l->channels[id % NVFIFO_CAPTURE_CHANNELS];

	if (!*c) {
		*c = calloc(1, sizeof(**c));
		if (*c)
			nvfifo_decoder_init(&(*c)->d, l->format, l->chipset);
	}

	return *c;
}

void nvfifo_lint_object(struct nvfifo_lint *l, unsigned int id, __u32 handle, __u32 oclass)
{
	struct channel *c = channel(l, id);
	struct object *o = add_object(l, (int)id, handle);

	if (o)
		o->oclass = oclass;
	if (c && oclass)
		nvfifo_decoder_handle(&c->d, handle, oclass);
	if (oclass && oclass != NVFIFO_CLASS_SOFTWARE && !nvfifo_class_exists(l->chipset, oclass))
		say(l, "illegal-class", "object 0x%x of class 0x%04x does not exist on %s", handle,
		    oclass, l->chipset ? nvfifo_chipset_name(l->chipset) : "any chip of the family");
}

void nvfifo_lint_dma_object(struct nvfifo_lint *l, int id, __u32 handle, __u64 start,
			    __u64 limit, bool read_only)
{
	struct object *o = add_object(l, id, handle);

	if (!o)
		return;

	o->dma = true;
	o->start = start;
	o->limit = limit;
	o->read_only = read_only;
}

/* --- Segments ------------------------------------------------------------ */

static void check_ib(struct nvfifo_lint *l, const __u32 *ib, bool has_segment, __u64 va,
		     size_t words)
{
	__u64 address = (ib[0] & ~3u) | (__u64)(ib[1] & 0xff) << 32;
	__u32 length = ib[1] >> 10 & NVFIFO_IB_WORDS_MAX;

	if (!length)
		say(l, "ib-empty", "IB entry %08x %08x has length 0", ib[0], ib[1]);
	else if (has_segment && length == words * 4)
		say(l, "ib-length-in-bytes", "IB entry %08x %08x says %u words, the segment has %zu words, %u bytes",
		    ib[0], ib[1], length, words, length);
	else if (has_segment && length != words)
		say(l, "ib-length", "IB entry %08x %08x says %u words, the segment has %zu", ib[0],
		    ib[1], length, words);
	if (has_segment && address != va)
		say(l, "ib-address", "IB entry %08x %08x says 0x%" PRIx64 ", the segment is at 0x%" PRIx64,
		    ib[0], ib[1], (uint64_t)address, (uint64_t)va);
	if (ib[0] & 3 || ib[1] & 0x100)
		say(l, "ib-bits", "IB entry %08x %08x has bits set that the sources disagree on", ib[0],
		    ib[1]);
}

void nvfifo_lint_segment(struct nvfifo_lint *l, unsigned int id, const char *place, __u64 va,
			 size_t count, const __u32 *ib, unsigned int line)
{
	l->cur = channel(l, id);
	l->cur_id = id;
	l->word = 0;
	go_to(l, line, place);
	if (l->cur)
		l->cur->stopped = false;
	if (va % 4)
		say(l, "ib-address", "the segment's address 0x%" PRIx64 " is not a multiple of 4",
		    (uint64_t)va);
	if (ib)
		check_ib(l, ib, true, va, count);
}

/* --- Words --------------------------------------------------------------- */

static bool is_likely_command(struct nvfifo_lint *l, __u32 word)
{
	struct nvfifo_command c = nvfifo_nv04_decode(word, l->format == NVFIFO_FORMAT_NV04);

	/* Nearly half of all words are commands; real ones are short. */
	return (c.type == NVFIFO_COMMAND_INCR || c.type == NVFIFO_COMMAND_NONINCR) && c.count &&
	       c.count <= 64;
}

static void bad_command(struct nvfifo_lint *l, __u32 word)
{
	struct nvfifo_command n = nvfifo_nvc0_decode(word);
	struct nvfifo_command j = nvfifo_nv04_decode(word, false);
	const char *jump = NULL;

	if (j.type == NVFIFO_COMMAND_JUMP)
		jump = "a jump to";
	else if (j.type == NVFIFO_COMMAND_CALL)
		jump = "a call of";
	else if (j.type == NVFIFO_COMMAND_RETURN)
		jump = "a return,";

	if (l->format == NVFIFO_FORMAT_NV04 && jump)
		say_word(l, "jump-in-ib-mode", word, "%s 0x%x on a channel in IB mode", jump, j.value);
	else if (l->format != NVFIFO_FORMAT_NVC0 && n.type == NVFIFO_COMMAND_INCR && n.count && !n.old)
		say_word(l, "nvc0-command", word,
			 "GF100's header of %u words for method 0x%x on subchannel %u (or an old jump)",
			 n.count, n.method, n.subc);
	else if (l->format != NVFIFO_FORMAT_NVC0 &&
		 ((n.type == NVFIFO_COMMAND_NONINCR && !n.old) || n.type == NVFIFO_COMMAND_IMMD ||
		  n.type == NVFIFO_COMMAND_1INC))
		say_word(l, "nvc0-command", word, "GF100's header for method 0x%x on subchannel %u",
			 n.method, n.subc);
	else if (l->format != NVFIFO_FORMAT_NVC0 && is_likely_command(l, __builtin_bswap32(word)))
		say_word(l, "swapped-bytes", word, "a command with its bytes swapped");
	else
		say_word(l, "invalid-command", word, "no command of the pusher");
}

static void check_header(struct nvfifo_lint *l, const struct nvfifo_word *w)
{
	bool steps = w->cmd.type == NVFIFO_COMMAND_INCR;
	__u32 last = l->format == NVFIFO_FORMAT_NVC0 ? 0x3ffc : 0x1ffc;

	snprintf(l->cur->place, sizeof(l->cur->place), "%s", l->place);
	l->cur->word = l->word;
	l->cur->line = l->line;
	l->cur->column = l->column;
	l->cur->header = w->word;
	if (w->word && !w->cmd.count &&
	    (steps || w->cmd.type == NVFIFO_COMMAND_NONINCR || w->cmd.type == NVFIFO_COMMAND_1INC))
		say_word(l, "count-zero", w->word, "a header with count 0");
	if (steps && w->cmd.count && w->cmd.method + (w->cmd.count - 1u) * 4 > last)
		say_word(l, "method-wraps", w->word, "%u methods from 0x%x on run past 0x%x",
			 w->cmd.count, w->cmd.method, last);
}

/* Take a handle that a method gives. Return: its object, NULL if unknown. */
static const struct object *handle(struct nvfifo_lint *l, const struct nvfifo_word *w)
{
	const struct object *o = find_object(l, (int)l->cur_id, w->word);

	if (!o && l->objects_known)
		say_word(l, "unknown-handle", w->word, "channel %u has no object 0x%x", l->cur_id,
			 w->word);
	return o;
}

static const struct nvfifo_prog_buffer *buffer_at(const struct nvfifo_prog *p, __u64 va)
{
	size_t i;

	for (i = 0; i < p->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &p->buffers[i];

		if (b->mapping != NVFIFO_PROG_MAP_NONE && va >= b->va && va - b->va < b->size)
			return b;
	}

	return NULL;
}

static void check_semaphore_place(struct nvfifo_lint *l, const struct nvfifo_word *w,
				  __u64 offset, __u64 bytes, bool writes)
{
	const struct nvfifo_prog_buffer *b;
	const struct object *o = l->cur->dma;

	if (!l->cur->dma_set)
		say_word(l, "semaphore-no-dma", w->word, "no DMA_SEMAPHORE before it");
	if (!o || !o->dma)
		return;

	if (o->start + offset + bytes - 1 > o->limit)
		say_word(l, "semaphore-outside", w->word,
			 "%" PRIu64 " bytes at 0x%" PRIx64 " of object 0x%x, which has 0x%" PRIx64,
			 (uint64_t)bytes, (uint64_t)offset, o->handle,
			 (uint64_t)(o->limit - o->start + 1));
	if (writes && o->read_only)
		say_word(l, "semaphore-read-only", w->word, "object 0x%x is read only", o->handle);
	if (!l->prog || o->no_page)
		return;

	b = buffer_at(l->prog, o->start + offset);
	if (!b)
		say_word(l, "outside-of-buffers", w->word, "the address is 0x%" PRIx64,
			 (uint64_t)(o->start + offset));
	else if (writes && b->flags & DRM_NVFIFO_VM_BIND_READ_ONLY)
		say_word(l, "semaphore-read-only", w->word, "buffer %s is mapped read only", b->name);
}

/* Remember it for nvfifo_lint_end(). */
static void note_semaphore(struct nvfifo_lint *l, const struct nvfifo_word *w, bool release,
			   bool at_least, __u64 offset, __u32 value)
{
	const struct object *o = l->cur->dma;

	if (!o || !o->dma)
		return;
	if (l->semaphore_count == RELEASES) {
		l->semaphores_known = false;
		return;
	}

	l->semaphores[l->semaphore_count++] = (struct semaphore){
		.release = release,
		.at_least = at_least,
		.address = o->start + offset,
		.value = value,
		.at = finding(l, "never-released", w->word),
	};
}

static void check_bind(struct nvfifo_lint *l, const struct nvfifo_word *w)
{
	struct channel *c = l->cur;
	unsigned int subc = w->cmd.subc;

	c->bound[subc] = handle(l, w);
	c->subc_bound[subc] = true;
	c->notify_set[subc] = false;

	if (c->bound[subc] && c->bound[subc]->dma)
		say_word(l, "wrong-object", w->word, "0x%x is a DMA object", w->word);
	if (subc == 7 && l->chipset == 0x50)
		say_word(l, "fence-subchannel", w->word, "an object on subchannel 7");
}

static void check_trigger(struct nvfifo_lint *l, const struct nvfifo_word *w)
{
	struct channel *c = l->cur;
	unsigned int op = w->word & 7;
	bool release = op == NVFIFO_TRIGGER_RELEASE, gequal = op == NVFIFO_TRIGGER_ACQUIRE_GEQUAL;

	if (op != NVFIFO_TRIGGER_ACQUIRE_EQUAL && !release && !gequal) {
		say_word(l, "semaphore-operation", w->word, "operation %u", op);
		return;
	}

	check_semaphore_place(l, w, c->address, release ? 16 : 4, release);
	note_semaphore(l, w, release, gequal, c->address, c->sequence);
}

/* Methods of PFIFO: the object, the semaphores in a DMA object, and those with 40-bit addresses */
static void check_pfifo_method(struct nvfifo_lint *l, const struct nvfifo_word *w)
{
	struct channel *c = l->cur;
	bool release = w->method == NVFIFO_MTHD_SEMAPHORE_RELEASE;

	switch (w->method) {
	case NVFIFO_MTHD_OBJECT:
		check_bind(l, w);
		break;
	case NVFIFO_MTHD_DMA_SEMAPHORE:
		c->dma = handle(l, w);
		c->dma_set = true;
		if (c->dma && !c->dma->dma && c->dma->oclass)
			say_word(l, "wrong-object", w->word, "0x%x is not a DMA object", w->word);
		break;
	case NVFIFO_MTHD_SEMAPHORE_OFFSET:
		if (w->word & 3)
			say_word(l, "semaphore-unaligned", w->word, "offset 0x%x", w->word);
		else if (w->word > 0xffff)
			say_word(l, "semaphore-too-large", w->word, "offset 0x%x", w->word);
		c->offset = w->word & 0xfffc;
		c->offset_set = true;
		break;
	case NVFIFO_MTHD_SEMAPHORE_ACQUIRE:
	case NVFIFO_MTHD_SEMAPHORE_RELEASE:
		if (!c->offset_set)
			say_word(l, "semaphore-no-offset", w->word, "no SEMAPHORE_OFFSET before it");
		check_semaphore_place(l, w, c->offset, 4, release);
		note_semaphore(l, w, release, false, c->offset, w->word);
		break;
	case NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH:
		if (w->word > 0xff)
			say_word(l, "semaphore-too-large", w->word, "upper half 0x%x", w->word);
		c->address = (c->address & 0xffffffff) | (__u64)(w->word & 0xff) << 32;
		break;
	case NVFIFO_MTHD_SEMAPHORE_ADDRESS_LOW:
		if (w->word & 3)
			say_word(l, "semaphore-unaligned", w->word, "address ...%08x", w->word);
		c->address = (c->address & ~0xffffffffULL) | w->word;
		break;
	case NVFIFO_MTHD_SEMAPHORE_SEQUENCE:
		c->sequence = w->word;
		break;
	case NVFIFO_MTHD_SEMAPHORE_TRIGGER:
		check_trigger(l, w);
		break;
	}
}

/* Whether MCP89's puller refuses a data word of method 0x2c, by rnndb's names of its errors */
static bool unk2c_refuses(__u32 data)
{
	return data >> 29 > 2 || (data & 1u << 28 && !(data & 0x0fffffff));
}

static void check_engine_method(struct nvfifo_lint *l, const struct nvfifo_word *w)
{
	struct channel *c = l->cur;
	unsigned int subc = w->cmd.subc;
	const struct object *o;

	if (!c->subc_bound[subc]) {
		say_word(l, "no-object", w->word, "method 0x%x on subchannel %u, which has no object",
			 w->method, subc);
		/* Once for each subchannel. */
		c->subc_bound[subc] = true;
		return;
	}

	if (w->oclass && !nvfifo_method_name(w->oclass, w->method) &&
	    nvfifo_class_has_methods(w->oclass))
		say_word(l, "illegal-method", w->word, "class %s has no method 0x%x",
			 nvfifo_class_name(w->oclass), w->method);
	if (w->method >= 0x180 && w->method < 0x200) {
		o = handle(l, w);
		if (o && !o->dma && o->oclass)
			say_word(l, "wrong-object", w->word, "0x%x is not a DMA object", w->word);
	}

	if (w->method == 0x180)
		c->notify_set[subc] = true;
	if (w->oclass != 0x5039)
		return;

	if (w->method == 0x328 && !c->notify_set[subc])
		say_word(l, "m2mf-no-notify", w->word, "a copy without DMA_NOTIFY");
	if (w->method == 0x320 && w->word > 2047)
		say_word(l, "m2mf-lines", w->word, "%u lines", w->word);
}

static void word_at(struct nvfifo_lint *l, __u32 word, unsigned int line, unsigned int column)
{
	struct nvfifo_word w;

	if (!l->cur)
		l->cur = channel(l, 0);
	if (!l->cur || l->cur->stopped)
		return;

	l->line = line;
	l->column = column;
	nvfifo_decode(&l->cur->d, word, &w);

	switch (w.kind) {
	case NVFIFO_WORD_INVALID:
		bad_command(l, word);
		l->cur->stopped = true;
		break;
	case NVFIFO_WORD_HEADER:
		check_header(l, &w);
		if (w.cmd.type == NVFIFO_COMMAND_SLI_COND && l->cur->sli_off) {
			say_word(l, "sli-off", word, "an SLI conditional on a channel with sli off");
			l->cur->stopped = true;
		}
		break;
	case NVFIFO_WORD_DATA:
		if (w.refused && nvfifo_pfifo_method_valid(0x84, w.method))
			say_word(l, "g84-method", word, "%s on a G80",
				 nvfifo_method_name(0, w.method));
		else if (w.refused)
			say_word(l, "invalid-method", word, "method 0x%x of PFIFO", w.method);
		else if (w.method == NVFIFO_MTHD_UNK2C && unk2c_refuses(word))
			say_word(l, "mcp89-stop", word, "data of method 0x2c that MCP89 refuses");
		else if (w.method < 0x100)
			check_pfifo_method(l, &w);
		else
			check_engine_method(l, &w);
		break;
	case NVFIFO_WORD_COUNT:
		break;
	}

	l->word++;
}

void nvfifo_lint_word(struct nvfifo_lint *l, __u32 word, unsigned int line)
{
	word_at(l, word, line, 0);
}

/* --- The end ------------------------------------------------------------- */

/* Report a command whose data words are missing, if there is one, and forget it. */
static void end_command(struct nvfifo_lint *l, struct channel *c)
{
	struct nvfifo_command h = nvfifo_nv04_decode(c->header, true);
	__u32 left = c->d.left;

	if (!left && !c->d.long_pending)
		return;

	go_to(l, c->line, c->place);
	l->word = c->word;
	l->column = c->column;
	if (c->d.long_pending)
		say_word(l, "incomplete-command", c->header, "the count of a long command is missing");
	else if (h.type == NVFIFO_COMMAND_INCR && h.count % 4 == 0 && h.count - left == h.count / 4)
		say_word(l, "count-in-bytes", c->header, "%u data words are announced, %u found",
			 h.count, h.count - left);
	else
		say_word(l, "incomplete-command", c->header, "%u data words are missing", left);
	c->d.left = 0;
	c->d.long_pending = false;
}

/* Whether a release before the acquire in time or place satisfies it. */
static bool is_met(const struct nvfifo_lint *l, const struct semaphore *a)
{
	unsigned int i;

	/* Buffers are cleared. */
	if (!a->value || (a->at_least && (__s32)a->value <= 0))
		return true;

	for (i = 0; i < l->semaphore_count; i++) {
		const struct semaphore *r = &l->semaphores[i];

		if (!r->release || r->address != a->address)
			continue;
		if (r->value == a->value || (a->at_least && (__s32)(r->value - a->value) >= 0))
			return true;
	}

	return false;
}

void nvfifo_lint_end(struct nvfifo_lint *l)
{
	unsigned int i;

	for (i = 0; i < NVFIFO_CAPTURE_CHANNELS; i++) {
		if (l->channels[i])
			end_command(l, l->channels[i]);
	}

	for (i = 0; l->semaphores_known && i < l->semaphore_count; i++) {
		struct semaphore *s = &l->semaphores[i];

		if (s->release || is_met(l, s))
			continue;
		snprintf(s->at.text, sizeof(s->at.text), "nothing writes 0x%x%s to 0x%" PRIx64,
			 s->value, s->at_least ? " or more" : "", (uint64_t)s->address);
		l->found(l->ctx, &s->at);
	}

	l->semaphore_count = 0;
}

/* --- Rings --------------------------------------------------------------- */

void nvfifo_lint_ring(struct nvfifo_lint *l, const __u32 *entries, size_t count, __u64 get,
		      __u64 put)
{
	size_t i;

	l->place = "ring";
	if (get >= count) {
		say(l, "ib-put", "IB_GET %" PRIu64 " of a ring of %zu entries", (uint64_t)get, count);
		return;
	}

	if (put >= count) {
		if (put % 8 == 0 && put / 8 <= count && (put == count * 8 || entries[put / 4 - 1]))
			say(l, "ib-put-in-bytes",
			    "IB_PUT %" PRIu64 " of a ring of %zu entries; %" PRIu64 " is meant",
			    (uint64_t)put, count, (uint64_t)(put / 8 % count));
		else
			say(l, "ib-put", "IB_PUT %" PRIu64 " of a ring of %zu entries", (uint64_t)put,
			    count);
		return;
	}

	for (i = get; i != put; i = (i + 1) % count) {
		const __u32 *e = entries + i * 2;

		l->word = i * 2;
		l->line = 0;
		if (!e[0] && !e[1]) {
			if (put > get && put % 8 == 0 && put / 8 > get &&
			    i == put / 8)
				say_word(l, "ib-put-in-bytes", e[1],
					 "entry %zu is all zero; is IB_PUT %" PRIu64 " in bytes?", i,
					 (uint64_t)put);
			else
				say_word(l, "ring-not-written", e[1], "entry %zu of the ring is all zero", i);
			return;
		}

		check_ib(l, e, false, 0, 0);
	}
}

/* --- Programs ------------------------------------------------------------ */

/* All methods of a software object are valid: use class 0, as for an unknown object. */
static __u32 lint_class(const struct nvfifo_lint *l, const struct nvfifo_prog_object *o)
{
	if (o->software)
		return 0;

	return nvfifo_prog_class(o, l->chipset);
}

static void program_object(struct nvfifo_lint *l, const struct nvfifo_prog *p,
			   const struct nvfifo_prog_object *o)
{
	bool read_only = o->access == DRM_NVFIFO_ACCESS_RO;
	struct object *known;
	size_t c;

	if (o->engine) {
		for (c = 0; c < p->channel_count; c++) {
			if (o->channel < 0 || (size_t)o->channel == c)
				nvfifo_lint_object(l, (unsigned int)c, o->handle, lint_class(l, o));
		}
		return;
	}

	nvfifo_lint_dma_object(l, o->channel, o->handle, o->start, o->start + o->size - 1, read_only);
	known = find_object(l, o->channel, o->handle);
	if (known)
		known->no_page = o->flags & DRM_NVFIFO_OBJECT_UNPAGED;
	if (!(o->flags & DRM_NVFIFO_OBJECT_UNPAGED) && !buffer_at(p, o->start) && o->size < 1ULL << 32)
		say(l, "outside-of-buffers", "object 0x%x begins at 0x%" PRIx64, o->handle, (uint64_t)o->start);
}

static void program_objects(struct nvfifo_lint *l, const struct nvfifo_prog *p)
{
	/* The driver's own */
	static const struct nvfifo_prog_object fence = {
		.channel = -1, .handle = NVFIFO_HANDLE_FENCE, .flags = DRM_NVFIFO_OBJECT_UNPAGED,
	};
	size_t i;

	for (i = 0; i < p->object_count; i++) {
		go_to(l, p->objects[i].line, "");
		program_object(l, p, &p->objects[i]);
	}

	l->line = 0;
	program_object(l, p, &fence);
	nvfifo_lint_object(l, 0, NVFIFO_HANDLE_SW, 0);
	nvfifo_lint_know_objects(l);
}

/* Values that memory has before the run may satisfy an acquire, too. */
static void program_fills(struct nvfifo_lint *l, const struct nvfifo_prog *p)
{
	static const struct nvfifo_word none;
	struct channel c = { 0 };
	struct object whole = { .dma = true, .limit = ~0ULL };
	size_t i, j;

	l->cur = &c;
	c.dma = &whole;

	for (i = 0; i < p->fill_count; i++) {
		const struct nvfifo_prog_fill *f = &p->fills[i];

		for (j = 0; j < f->count && j < 16; j++)
			note_semaphore(l, &none, true, false,
				       p->buffers[f->buffer].va + f->offset + j * 4,
				       p->words.data[f->first + j]);
	}

	l->cur = NULL;
}

/* In DMA mode: whether a submission ends where the pusher may read. */
static void check_last(struct nvfifo_lint *l, const struct nvfifo_prog *p,
		       const struct nvfifo_prog_channel *c, const struct nvfifo_prog_push *push)
{
	const __u64 end = p->buffers[push->buffer].va + push->offset + push->words.count * 4ULL;
	__u64 last;

	if (!c->has_limit)
		return;

	last = p->buffers[c->limit_buffer].va + c->limit_offset;
	if (end - 4 > last)
		say(l, "past-last", "pushbuffer %s ends at 0x%" PRIx64 ", the channel's last word is at 0x%" PRIx64,
		    push->name, (uint64_t)end, (uint64_t)last);
}

static void program_submit(struct nvfifo_lint *l, const struct nvfifo_prog *p,
			   const struct nvfifo_prog_step *s, bool *submitted)
{
	const struct nvfifo_prog_channel *pc = &p->channels[s->channel];
	struct channel *c = channel(l, s->channel);
	size_t i, w;

	/* The driver's fence of the submission before has its own object. */
	if (c) {
		c->dma_set = false;
		c->sli_off = pc->flags & DRM_NVFIFO_CHANNEL_NO_SLI;
	}
	l->submitting = c;

	if (pc->ring_order && s->count >= (1u << pc->ring_order) - 1)
		say(l, "ring-full", "%zu entries and the driver's own for a ring of %u", s->count,
		    1u << pc->ring_order);

	for (i = 0; i < s->count; i++) {
		const struct nvfifo_prog_push *push = &p->pushes[p->entries[s->first + i].push];
		const struct nvfifo_prog_buffer *b = &p->buffers[push->buffer];
		const struct nvfifo_place *at = push->words.places;

		submitted[push - p->pushes] = true;
		go_to(l, push->line, "");
		check_last(l, p, pc, push);
		nvfifo_lint_segment(l, s->channel, push->name, b->va + push->offset,
				    push->words.count, NULL, push->line);

		for (w = 0; w < push->words.count; w++) {
			if (at)
				word_at(l, push->words.data[w], at[w].line, at[w].column);
			else
				word_at(l, push->words.data[w], push->line, 0);
		}
	}

	/* An incomplete command takes the words of the driver's fence as its data. */
	if (c)
		end_command(l, c);
	l->submitting = NULL;
}

/* An attribute in a line of the program that the card cannot have */
static void say_attribute(struct nvfifo_lint *l, const char *rule, unsigned int line,
			  const char *what, const char *why)
{
	struct nvfifo_finding f = {
		.rule = find_rule(rule),
		.line = line,
		.place = "",
		.attribute = why,
	};

	snprintf(f.text, sizeof(f.text), "%s: %s", what, why);
	l->found(l->ctx, &f);
}

static void program_attributes(struct nvfifo_lint *l, const struct nvfifo_prog *p)
{
	char what[64];
	const char *why;
	size_t i;

	for (i = 0; i < p->buffer_count; i++) {
		why = nvfifo_prog_map_error(p, &p->buffers[i], l->chipset);
		snprintf(what, sizeof(what), "map %s", p->buffers[i].name);
		if (why)
			say_attribute(l, "mapping", p->buffers[i].map_line, what, why);
	}

	for (i = 0; i < p->object_count; i++) {
		why = nvfifo_prog_object_error(p, &p->objects[i], l->chipset);
		snprintf(what, sizeof(what), "object 0x%x", p->objects[i].handle);
		if (why)
			say_attribute(l, "object", p->objects[i].line, what, why);
	}
}

/* Note which channels the program expects to die. */
static void program_deaths(struct nvfifo_lint *l, const struct nvfifo_prog *p)
{
	struct channel *c;
	size_t i;

	for (i = 0; i < p->step_count; i++) {
		if (p->steps[i].type != NVFIFO_STEP_DEAD)
			continue;
		c = channel(l, p->steps[i].channel);
		if (c)
			c->dead_line = p->steps[i].line;
	}
}

/* The steps in order. @submitted notes the pushbuffers that a step submits. */
static void program_steps(struct nvfifo_lint *l, const struct nvfifo_prog *p, bool *submitted)
{
	bool open = false;	/* work was submitted and not waited for */
	size_t i;

	for (i = 0; i < p->step_count; i++) {
		const struct nvfifo_prog_step *s = &p->steps[i];

		go_to(l, s->line, "");

		switch (s->type) {
		case NVFIFO_STEP_SUBMIT:
			program_submit(l, p, s, submitted);
			open = open || s->count;
			break;
		case NVFIFO_STEP_WAIT:
		case NVFIFO_STEP_POLL:
		case NVFIFO_STEP_DEAD:
		case NVFIFO_STEP_EVENT:
		case NVFIFO_STEP_METHOD:
		case NVFIFO_STEP_PENDING:
			open = false;
			break;
		case NVFIFO_STEP_SHOW:
		case NVFIFO_STEP_WRITE:
			break;
		default:
			if (open)
				say(l, "no-wait", "no wait between the submission and this");
			break;
		}
	}
}

void nvfifo_lint_program(struct nvfifo_lint *l, const struct nvfifo_prog *p)
{
	bool *submitted = calloc(p->push_count + 1, sizeof(*submitted));
	size_t i;

	if (!submitted)
		return;

	l->prog = p;
	l->semaphores_known = true;
	if (!p->step_count)
		say(l, "nothing-to-do", "the program has no statement such as submit");

	program_attributes(l, p);
	program_objects(l, p);
	program_fills(l, p);
	program_deaths(l, p);
	program_steps(l, p, submitted);

	for (i = 0; i < p->push_count; i++) {
		go_to(l, p->pushes[i].line, p->pushes[i].name);
		/* A jump or a call may lead to linear ones. */
		if (!submitted[i] && !p->pushes[i].linear)
			say(l, "never-submitted", "pushbuffer %s is never submitted", p->pushes[i].name);
	}

	free(submitted);
	nvfifo_lint_end(l);
}

/* G80 */
#define OLDEST	0x50

__u32 nvfifo_lint_chipset(const struct nvfifo_prog *prog)
{
	size_t i;

	if (prog->requires_features & DRM_NVFIFO_FEATURE_SEMAPHORE64)
		return 0;

	for (i = 0; i < prog->object_count; i++) {
		const struct nvfifo_prog_object *o = &prog->objects[i];

		/* A class that only later cards have selects these cards. */
		if (o->engine && !o->any_3d && !o->software &&
		    !nvfifo_class_exists(OLDEST, o->oclass) && nvfifo_class_exists(0, o->oclass))
			return 0;
	}

	return OLDEST;
}

/* --- Captures ------------------------------------------------------------ */

static int capture_object(void *ctx, unsigned int channel, __u32 handle, __u32 oclass)
{
	nvfifo_lint_object(ctx, channel, handle, oclass);
	nvfifo_lint_know_objects(ctx);
	return 0;
}

/* Handles of lines that the reader of captures does not know */
static int capture_remark(void *ctx, const char *line, size_t len)
{
	static const char *const names[] = { "handle ", "fb_ctxdma ", "tt_ctxdma " };
	char text[256];
	size_t i;

	snprintf(text, sizeof(text), "%.*s", (int)(len < 255 ? len : 255), line);
	if (!strncmp(text, "grobj", 5))
		return 0;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *s = strstr(text, names[i]);

		if (s)
			nvfifo_lint_object(ctx, 0,
					   (__u32)nvfifo_text_value(s + strlen(names[i]), 16), 0);
	}

	return 0;
}

static int capture_segment(void *ctx, unsigned int channel, unsigned int index, __u64 va, size_t words,
			   const __u32 ib[2])
{
	struct nvfifo_lint *l = ctx;

	snprintf(l->push, sizeof(l->push), "push %u at 0x%llx", index, (unsigned long long)va);
	nvfifo_lint_segment(l, channel, l->push, va, words, ib, 0);
	return 0;
}

static int capture_word(void *ctx, __u32 word)
{
	nvfifo_lint_word(ctx, word, 0);
	return 0;
}

int nvfifo_lint_capture(struct nvfifo_lint *l, const char *text, size_t len, struct nvfifo_diag *diag)
{
	static const struct nvfifo_capture_ops ops = {
		.object = capture_object,
		.segment = capture_segment,
		.word = capture_word,
		.remark = capture_remark,
	};

	return nvfifo_capture_read(text, len, &ops, l, diag);
}
