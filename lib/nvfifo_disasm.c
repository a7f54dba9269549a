// SPDX-License-Identifier: MIT
/*
 * Decoder and disassembler.
 *
 * The decoder is the pusher's state machine without the memory: a word is data
 * while a command still wants some, else a command word. The state survives the
 * end of a segment, because the card's does. A long non-increasing command
 * often has its header and count in one segment and its data in another.
 *
 * A word that is no command the pusher knows becomes ".word", and decoding goes
 * on with the next word as a command word. The card would stop there.
 *
 * The decoder looks a word's method up once. It needs to know whether its data begin an address,
 * and the text needs its name.
 */
#include <errno.h>
#include <string.h>

#include "nvfifo_hex.h"
#include "nvfifo_methods.h"
#include "nvfifo_priv.h"

void nvfifo_decoder_init(struct nvfifo_decoder *d, enum nvfifo_format format, __u32 chipset)
{
	memset(d, 0, sizeof(*d));
	d->format = format;
	d->chipset = chipset;
	d->last_subc = -1;
}

/* Find the place of a handle, the one after all if it is new. */
static unsigned int place_of(const struct nvfifo_decoder *d, __u32 handle)
{
	unsigned int i = 0;

	while (i < d->handle_count && d->handles[i].handle != handle)
		i++;

	return i;
}

int nvfifo_decoder_handle(struct nvfifo_decoder *d, __u32 handle, __u32 oclass)
{
	const unsigned int i = place_of(d, handle);

	if (i == NVFIFO_DECODE_HANDLES)
		return -ENOSPC;

	d->handles[i].handle = handle;
	d->handles[i].oclass = oclass;
	if (i == d->handle_count)
		d->handle_count++;

	return 0;
}

static __u32 class_of(const struct nvfifo_decoder *d, __u32 handle)
{
	const unsigned int i = place_of(d, handle);

	return i < d->handle_count ? d->handles[i].oclass : 0;
}

static __u32 encode(enum nvfifo_format format, const struct nvfifo_command *c)
{
	return format == NVFIFO_FORMAT_NVC0 ? nvfifo_nvc0_encode(c) : nvfifo_nv04_encode(c);
}

/* GF100 has kept 0 as the word that does nothing; its table of commands has not. */
static struct nvfifo_command decode_header(enum nvfifo_format format, __u32 word)
{
	if (format == NVFIFO_FORMAT_NVC0 && word)
		return nvfifo_nvc0_decode(word);
	return nvfifo_nv04_decode(word, format != NVFIFO_FORMAT_NV04_DMA);
}

static bool carries_methods(const struct nvfifo_command *c)
{
	return c->type == NVFIFO_COMMAND_INCR || c->type == NVFIFO_COMMAND_NONINCR ||
	       c->type == NVFIFO_COMMAND_LONG_NONINCR || c->type == NVFIFO_COMMAND_1INC ||
	       c->type == NVFIFO_COMMAND_IMMD;
}

static void find_method(struct nvfifo_word *w)
{
	if (w->method >= 0x100)
		w->named = nvfifo_method_get(w->oclass, w->method, &w->form);
}

static void take_header(struct nvfifo_decoder *d, struct nvfifo_word *w)
{
	struct nvfifo_command c = decode_header(d->format, w->word);

	w->cmd = c;
	w->method = c.method;
	w->kind = c.type == NVFIFO_COMMAND_INVALID ? NVFIFO_WORD_INVALID : NVFIFO_WORD_HEADER;

	switch (c.type) {
	case NVFIFO_COMMAND_INCR:
	case NVFIFO_COMMAND_NONINCR:
	case NVFIFO_COMMAND_1INC:
		d->left = c.count;
		d->cmd = c;
		break;
	case NVFIFO_COMMAND_LONG_NONINCR:
		d->long_pending = true;
		d->cmd = c;
		break;
	default:
		break;
	}

	if (w->kind == NVFIFO_WORD_HEADER)
		w->oclass = d->oclass[c.subc];
	if (!carries_methods(&c) || c.method < 0x100)
		return;

	find_method(w);
	if (d->last_subc >= 0 && d->last_subc != c.subc) {
		w->wait = NVFIFO_WAIT_SUBCHANNEL;
		w->from_subc = (__u32)d->last_subc;
	}

	d->last_subc = c.subc;
}

/* Methods at which the puller or the engine waits. */
static enum nvfifo_wait wait_of(const struct nvfifo_word *w)
{
	bool is_3d = (w->oclass & 0xff) == 0x97;

	switch (w->method) {
	case NVFIFO_MTHD_REF_CNT:
		return NVFIFO_WAIT_REF;
	case NVFIFO_MTHD_SEMAPHORE_ACQUIRE:
		return NVFIFO_WAIT_ACQUIRE;
	case NVFIFO_MTHD_SEMAPHORE_RELEASE:
		return NVFIFO_WAIT_RELEASE;
	case NVFIFO_MTHD_SEMAPHORE_TRIGGER:
		return (w->word & 7) == NVFIFO_TRIGGER_RELEASE ? NVFIFO_WAIT_RELEASE :
								 NVFIFO_WAIT_ACQUIRE;
	case 0x110:
		return w->oclass ? NVFIFO_WAIT_IDLE : NVFIFO_WAIT_NONE;
	case 0x1b0c:
		return is_3d && (w->word & 3) == 1 ? NVFIFO_WAIT_QUERY : NVFIFO_WAIT_NONE;
	}

	return NVFIFO_WAIT_NONE;
}

static bool is_address_high(const struct nvfifo_word *w)
{
	if (w->method < 0x100)
		return w->method == NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH;

	return w->named && w->named->address_high;
}

/* The upper half of an address, then in the next data word the lower one. */
static void join_address(struct nvfifo_decoder *d, struct nvfifo_word *w)
{
	if (d->high_method && w->method == d->high_method + 4 && d->high <= 0xff) {
		w->has_address = true;
		w->address = (__u64)d->high << 32 | w->word;
	}

	d->high_method = 0;
	if (is_address_high(w)) {
		d->high_method = w->method;
		d->high = w->word;
	}
}

/* Does the pusher refuse a method of PFIFO? */
static bool is_refused(const struct nvfifo_decoder *d, __u32 method)
{
	/* MCP89 knows every PFIFO method, so it stands for an unknown chipset. */
	const __u32 chipset = d->chipset ? d->chipset : 0xaf;

	return !nvfifo_pfifo_method_valid(chipset, method);
}

static void take_data(struct nvfifo_decoder *d, struct nvfifo_word *w)
{
	w->kind = NVFIFO_WORD_DATA;
	w->cmd = d->cmd;
	w->method = d->cmd.method;
	if (w->method < 0x100 && d->format != NVFIFO_FORMAT_NVC0)
		w->refused = is_refused(d, w->method);
	if (w->method == NVFIFO_MTHD_OBJECT)
		d->oclass[d->cmd.subc] = class_of(d, w->word);
	w->oclass = d->oclass[d->cmd.subc];
	find_method(w);
	if (!w->refused)
		w->wait = wait_of(w);
	join_address(d, w);

	d->left--;
	if (d->cmd.type == NVFIFO_COMMAND_INCR || d->cmd.type == NVFIFO_COMMAND_1INC) {
		d->cmd.method += 4;
		d->cmd.method &= d->format == NVFIFO_FORMAT_NVC0 ? 0x3ffc : 0x1ffc;
	}

	if (d->cmd.type == NVFIFO_COMMAND_1INC)
		d->cmd.type = NVFIFO_COMMAND_NONINCR;
}

void nvfifo_decode(struct nvfifo_decoder *d, __u32 word, struct nvfifo_word *w)
{
	memset(w, 0, sizeof(*w));
	w->word = word;
	if (d->long_pending) {
		d->long_pending = false;
		d->left = word & NVFIFO_LONG_COUNT_MAX;
		w->kind = NVFIFO_WORD_COUNT;
		w->cmd = d->cmd;
		w->method = d->cmd.method;
		w->oclass = d->oclass[d->cmd.subc];
	} else if (d->left) {
		take_data(d, w);
	} else {
		take_header(d, w);
	}
}

/* --- Text ---------------------------------------------------------------- */

/*
 * Making text takes most of the disassembler's time, so numbers and names are
 * appended without snprintf(). NVFIFO_WORD_TEXT_MAX leaves room to spare. A name has
 * less than 60 characters, a line at most two names, and the text of the data is cut.
 */
#define VALUE_MAX 320

static char *put_text(char *s, const char *text, size_t len)
{
	memcpy(s, text, len);
	return s + len;
}

static inline char *put(char *s, const char *text)
{
	/* The compiler knows the length of a constant. */
	return put_text(s, text, strlen(text));
}

static char *put_hex(char *s, __u32 value, unsigned int digits)
{
	return nvfifo_put_digits(put(s, "0x"), value, digits);
}

/* A method of PFIFO, or one of a class that has no name for it */
__attribute__((noinline)) static char *put_other_method(char *s, const struct nvfifo_word *w)
{
	const char *name = NULL;

	if (w->method < 0x100)
		name = nvfifo_pfifo_method_name(w->method);

	return name ? put(s, name) : put_hex(s, w->method, 4);
}

static inline char *put_method(char *s, const struct nvfifo_word *w)
{
	if (!w->named)
		return put_other_method(s, w);

	/* A copy of a constant size needs no call. The next text overwrites its rest. */
	memcpy(s, w->named->name, NVFIFO_METHOD_NAME_ROOM);
	return s + w->named->name_len;
}

/* "mthd 0 REF_CNT" */
static char *put_command(char *s, const char mnemonic[static 4], const struct nvfifo_word *w)
{
	s = put_text(s, mnemonic, 4);
	*s++ = ' ';
	*s++ = (char)('0' + w->cmd.subc);
	*s++ = ' ';
	return put_method(s, w);
}

static char *put_counted(char *s, const char mnemonic[static 4], const struct nvfifo_word *w)
{
	s = put(put_command(s, mnemonic, w), " x");
	return nvfifo_put_decimal(s, w->cmd.count);
}

const struct nvfifo_control nvfifo_controls[] = {
	[NVFIFO_COMMAND_SLI_COND] = { "sli", 3 },
	[NVFIFO_COMMAND_SLI_STORE_MASK] = { "sli_store", 3 },
	[NVFIFO_COMMAND_SLI_USE_MASK] = { "sli_use", 0 },
	[NVFIFO_COMMAND_END_SEGMENT] = { "end_segment", 0 },
	[NVFIFO_COMMAND_OLD_JUMP] = { "old_jump", 8 },
	[NVFIFO_COMMAND_JUMP] = { "jump", 8 },
	[NVFIFO_COMMAND_CALL] = { "call", 8 },
	[NVFIFO_COMMAND_RETURN] = { "return", 0 },
};

/* Commands without method are rare. Inlined, this would cost all others saved registers. */
__attribute__((noinline)) static char *put_control(char *s, const struct nvfifo_word *w)
{
	const struct nvfifo_control *c = &nvfifo_controls[w->cmd.type];

	s = put(s, c->name);
	return c->digits ? put_hex(put(s, " "), w->cmd.value, c->digits) : s;
}

static char *put_header(char *s, const struct nvfifo_word *w, enum nvfifo_format format)
{
	if (!w->word)
		return put(s, "nop");

	/* Bits that the pusher does not look at would be lost in the text. */
	if (w->cmd.old) {
		s = put_hex(put(s, ".word "), w->word, 8);
		return put(s, "  # methods in the layout of NV04");
	}

	if (encode(format, &w->cmd) != w->word) {
		s = put_hex(put(s, ".word "), w->word, 8);
		return put(s, "  # a valid command with unknown bits set");
	}

	switch (w->cmd.type) {
	case NVFIFO_COMMAND_INCR:
		return put_counted(s, "mthd", w);
	case NVFIFO_COMMAND_NONINCR:
		return put_counted(s, "0inc", w);
	case NVFIFO_COMMAND_1INC:
		return put_counted(s, "1inc", w);
	case NVFIFO_COMMAND_LONG_NONINCR:
		return put_command(s, "long", w);
	case NVFIFO_COMMAND_IMMD:
		s = put(put_command(s, "immd", w), " ");
		return put_hex(s, w->cmd.value, 4);
	default:
		return put_control(s, w);
	}
}

static const char *trigger_name(__u32 word)
{
	switch (word & 7) {
	case NVFIFO_TRIGGER_ACQUIRE_EQUAL:
		return ": wait until equal";
	case NVFIFO_TRIGGER_RELEASE:
		return ": release, when the engine's work is done";
	case NVFIFO_TRIGGER_ACQUIRE_GEQUAL:
		return ": wait until greater or equal";
	}

	return ": no known operation";
}

static char *put_wait_text(char *s, const struct nvfifo_word *w)
{
	static const char *const texts[] = {
		[NVFIFO_WAIT_IDLE] = "; waits until the engine is idle",
		[NVFIFO_WAIT_ACQUIRE] = ": waits for the semaphore",
		[NVFIFO_WAIT_RELEASE] = ": written when the engine's work is done",
		[NVFIFO_WAIT_REF] = ": set when the engine's work is done",
		[NVFIFO_WAIT_QUERY] = "; waits for the query",
	};

	if (w->method == NVFIFO_MTHD_SEMAPHORE_TRIGGER)
		return put(s, trigger_name(w->word));

	return put(s, texts[w->wait]);
}

static inline char *put_wait(char *s, const struct nvfifo_word *w)
{
	if (w->wait == NVFIFO_WAIT_NONE)
		return s;

	return put_wait_text(s, w);
}

/* PFIFO's own methods */
static char *put_pfifo_data(char *s, const struct nvfifo_word *w)
{
	s = put_method(s, w);
	if (w->refused)
		return put(s, ": the pusher refuses it, INVALID_MTHD");
	if (w->method == NVFIFO_MTHD_OBJECT && w->oclass) {
		const char *name = nvfifo_class_name(w->oclass);

		s = put(put(s, ": "), name ? name : "class");
		*s++ = ' ';
		return put_hex(s, w->oclass, 4);
	}

	if (w->has_address)
		s = nvfifo_put_digits(put(s, ": address 0x"), w->address, 10);

	return put_wait(s, w);
}

static char *put_data(char *s, const struct nvfifo_word *w, const char digits[8])
{
	s = put_text(put(s, "    data 0x"), digits, 8);
	s = put(s, "  # ");
	if (w->method < 0x100)
		return put_pfifo_data(s, w);

	s = put_method(s, w);
	if (w->has_address) {
		s = nvfifo_put_digits(put(s, ": address 0x"), w->address, 10);
	} else if (w->named && w->named->value) {
		/* A value that is a plain number stands in front already. */
		s = put(s, " = ");
		s += nvfifo_form_text(w->form, w->word, s, VALUE_MAX);
	}

	return put_wait(s, w);
}

/* The text of a word, zero terminated; @digits: those of the word */
static char *put_word_text(char *s, const struct nvfifo_word *w, enum nvfifo_format format,
			   const char digits[8])
{
	switch (w->kind) {
	case NVFIFO_WORD_HEADER:
		s = put_header(s, w, format);
		if (w->wait == NVFIFO_WAIT_SUBCHANNEL) {
			s = put(s, "  # waits for the work of subchannel ");
			*s++ = (char)('0' + w->from_subc);
		}
		break;
	case NVFIFO_WORD_COUNT:
		if (w->word > NVFIFO_LONG_COUNT_MAX) {
			s = put_hex(put(s, "    .word "), w->word, 8);
			s = put(s, "  # count ");
			s = nvfifo_put_decimal(s, w->word & NVFIFO_LONG_COUNT_MAX);
			s = put(s, " with unknown bits set");
		} else {
			s = nvfifo_put_decimal(put(s, "    count "), w->word);
		}
		break;
	case NVFIFO_WORD_DATA:
		s = put_data(s, w, digits);
		break;
	case NVFIFO_WORD_INVALID:
		s = put_hex(put(s, ".word "), w->word, 8);
		s = put(s, "  # the pusher refuses it, INVALID_CMD");
		break;
	}

	*s = '\0';
	return s;
}

size_t nvfifo_word_text(const struct nvfifo_word *w, enum nvfifo_format format, char *buf)
{
	char digits[8];

	nvfifo_put_word(digits, w->word);

	return (size_t)(put_word_text(buf, w, format, digits) - buf);
}

size_t nvfifo_listing_line(const struct nvfifo_word *w, enum nvfifo_format format, __u64 address,
			   char *buf)
{
	char *s = buf, *digits;

	if (address >> 32)
		s = nvfifo_put_digits(s, address >> 32, 2);

	digits = put(s + 8, ": ");
	nvfifo_put_two_words(s, (__u32)address, digits, w->word);
	s = put(digits + 8, "  ");

	return (size_t)(put_word_text(s, w, format, digits) - buf);
}
