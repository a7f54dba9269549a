/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the files that explain log lines: they find the fields of a line, and set those
 * of its explanation.
 *
 * nvfifo_explain.c finds the kind of a line in the tables of the other files. nvfifo's own lines
 * are in _driver, nouveau's from Linux 4.3 on in _fifo, _mmu, _graph, _trap, _unit and _display.
 * Earlier kernels are in _old, other programs in _pscnv, _nvidia and _libdrm. Lines that need a
 * sentence only are in _message: a new one is a row of text.
 */
#ifndef NVFIFO_EXPLAIN_LINE_H
#define NVFIFO_EXPLAIN_LINE_H

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_explain.h"
#include "nvfifo_names.h"
#include "nvfifo_priv.h"
#include "nvfifo_reg.h"
#include "nvfifo_text.h"

struct ctx {
	struct nvfifo_explanation *e;
	const struct explain_line *kind;
	__u32 chipset;
	int err;
	char means[240];
	bool declined;
};

/* --- Setting ------------------------------------------------------------- */

static inline void put(struct ctx *c, const char *name, enum nvfifo_value kind, const char *text)
{
	if (nvfifo_row_set(&c->e->fields, name, kind, text, *c->means ? c->means : NULL))
		c->err = -ENOMEM;
	c->means[0] = '\0';
}

__attribute__((format(printf, 3, 4)))
static inline void str(struct ctx *c, const char *name, const char *fmt, ...)
{
	char text[480];
	va_list args;

	va_start(args, fmt);
	if (!strcmp(fmt, "%s")) {
		put(c, name, NVFIFO_VALUE_STRING, va_arg(args, const char *));
	} else {
		vsnprintf(text, sizeof(text), fmt, args);
		put(c, name, NVFIFO_VALUE_STRING, text);
	}
	va_end(args);
}

/* A number in hexadecimal with at least so many digits */
static inline void hexnum(struct ctx *c, const char *name, unsigned int digits, __u64 v)
{
	char text[17], *p = text + sizeof(text) - 1;
	unsigned int n = 0;

	*p = '\0';
	for (; n < digits || v; n++, v >>= 4)
		*--p = "0123456789abcdef"[v & 15];

	put(c, name, NVFIFO_VALUE_STRING, p);
}

static inline void num(struct ctx *c, const char *name, __s64 v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, (int64_t)v);
	put(c, name, NVFIFO_VALUE_NUMBER, text);
}

__attribute__((format(printf, 2, 3)))
static inline void means(struct ctx *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->means, sizeof(c->means), fmt, args);
	va_end(args);
}

__attribute__((format(printf, 2, 3)))
static inline void advise(struct ctx *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->e->advice, sizeof(c->e->advice), fmt, args);
	va_end(args);
}

/* Names of bits as an array of JSON. */
static inline void put_bits(struct ctx *c, const char *name, const struct nvfifo_name *table, __u32 v)
{
	char names[400], text[800], *s, *save;
	size_t used;

	nvfifo_bits_text(table, v, "UNK", " ", names, sizeof(names));
	used = (size_t)snprintf(text, sizeof(text), "[");
	for (s = strtok_r(names, " ", &save); s; s = strtok_r(NULL, " ", &save))
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s\"%s\"",
					 used > 1 ? ", " : "", s);

	snprintf(text + used, sizeof(text) - used, "]");
	put(c, name, NVFIFO_VALUE_JSON, text);
}

/* --- Finding ------------------------------------------------------------- */

/* @word in @s in any case and not inside of a longer word. Return: the text after it, or NULL. */
static inline const char *find(const char *s, const char *word)
{
	size_t n = strlen(word);
	const char *p;

	for (p = s; *p; p++) {
		/* Most characters differ in more than their case. */
		if ((*p ^ *word) & ~0x20 || strncasecmp(p, word, n))
			continue;
		if (p > s && (isalnum((unsigned char)p[-1]) || p[-1] == '_') &&
		    isalnum((unsigned char)*word))
			continue;
		if ((isalnum((unsigned char)p[n]) || p[n] == '_') &&
		    isalnum((unsigned char)word[n - 1]))
			continue;

		return p + n;
	}

	return NULL;
}

static inline const char *hex_at(const char *s, __u64 *v)
{
	s = nvfifo_text_read(s + strspn(s, " \t:=[("), 16, v);

	/* Do not take a word that begins with a hexadecimal digit. */
	return !s || isalnum((unsigned char)*s) || (*s && strchr("_~#$%^@?&*|", *s)) ? NULL : s;
}

/* Is @text in @s in any case? */
static inline bool has_text(const char *s, const char *text)
{
	size_t n = strlen(text);

	for (; *s; s++) {
		if (!((*s ^ *text) & ~0x20) && !strncasecmp(s, text, n))
			return true;
	}

	return false;
}

/* The hexadecimal number after a name. Return: the text after it, or NULL. */
static inline const char *hex(const char *s, const char *name, __u64 *v)
{
	const char *p = s ? find(s, name) : NULL;

	*v = 0;
	return p ? hex_at(p, v) : NULL;
}

static inline const char *dec(const char *s, const char *name, __s64 *v)
{
	const char *p = s ? find(s, name) : NULL;
	__u64 number;
	bool minus;

	*v = 0;
	if (!p)
		return NULL;

	p += strspn(p, " \t:=#");
	minus = *p == '-';
	p = nvfifo_text_read(p + minus, 10, &number);
	if (!p || *p == 'x' || number >> 63)
		return NULL;

	*v = minus ? -(__s64)number : (__s64)number;
	return p;
}

/* The text in brackets that begins at @s or after blanks; brackets in it count. */
static inline const char *bracket(const char *s, char *text, size_t size)
{
	const char *from;
	int depth = 1;
	size_t n;

	text[0] = '\0';
	if (!s)
		return NULL;

	s += strspn(s, " \t");
	if (*s != '[')
		return NULL;

	for (from = ++s; *s; s++) {
		depth += (*s == '[') - (*s == ']');
		if (!depth)
			break;
	}

	n = (size_t)(s - from);
	snprintf(text, size, "%.*s", (int)(n < size ? n : size - 1), from);

	return *s ? s + 1 : s;
}

/* The word before a text of the line: "ce0" of "ce0: intr ", "Xorg[849]" of "Xorg[849]: nv50cal_space" */
static inline void word_before(struct ctx *c, const char *field, const char *s, const char *text)
{
	const char *end = strstr(s, text), *from = end;

	while (from > s && from[-1] != ' ')
		from--;
	if (end && end > from)
		str(c, field, "%.*s", (int)(end - from), from);
}

/* The entry of @table whose name is the @len characters at @text, or NULL. */
static inline const struct nvfifo_name *name_of_text(const struct nvfifo_name *table,
						     const char *text, size_t len)
{
	const struct nvfifo_name *n;

	for (n = table; n->name; n++) {
		if (strlen(n->name) == len && !strncmp(text, n->name, len))
			return n;
	}

	return NULL;
}

/*
 * A kind of line: the first whose texts are all in the line explains it, unless its function
 * sets ctx.declined. @also is found in any case. A line that lacks @last is cut, or one whose
 * number after @last has fewer than @digits digits; ']' stands for the end of a bracket.
 */
struct explain_line {
	const char *cls;
	const char *driver;
	const char *anchor;
	const char *also;
	void (*explain)(struct ctx *c, const char *s);
	const char *last;
	unsigned int digits;
	const char *meaning;	/* for nvfifo_explain_message() */
	const char *advice;
};

#define LINE(cls_, driver_, anchor_, also_, explain_) \
	{ .cls = cls_, .driver = driver_, .anchor = anchor_, .also = also_, .explain = explain_ }
#define LINE_TO(cls_, driver_, anchor_, also_, explain_, last_, digits_) \
	{ .cls = cls_, .driver = driver_, .anchor = anchor_, .also = also_, .explain = explain_, \
	  .last = last_, .digits = digits_ }

/* A line in plain words, to which the row adds advice */
#define SENTENCE(cls_, driver_, anchor_, also_, advice_) \
	{ .cls = cls_, .driver = driver_, .anchor = anchor_, .also = also_, \
	  .explain = nvfifo_explain_sentence, .advice = advice_ }

/* Tables end with an entry without anchor. */
extern const struct explain_line nvfifo_explain_pscnv_lines[];
extern const struct explain_line nvfifo_explain_old_lines[];
extern const struct explain_line nvfifo_explain_nvidia_lines[];
extern const struct explain_line nvfifo_explain_libdrm_lines[];
extern const struct explain_line nvfifo_explain_message_lines[];
extern const struct explain_line nvfifo_explain_driver_lines[];
extern const struct explain_line nvfifo_explain_fifo_lines[];
extern const struct explain_line nvfifo_explain_mmu_lines[];
extern const struct explain_line nvfifo_explain_graph_lines[];
extern const struct explain_line nvfifo_explain_trap_lines[];
extern const struct explain_line nvfifo_explain_unit_lines[];
extern const struct explain_line nvfifo_explain_display_lines[];
extern const struct explain_line nvfifo_explain_register_lines[];
extern const struct explain_line nvfifo_explain_last_lines[];

/* --- In nvfifo_explain_trap.c ---------------------------------------------- */

/* Advice for the bits of a unit of PGRAPH that are set. */
void nvfifo_explain_trap_advice(struct ctx *c, const char *unit, const struct nvfifo_name *bits,
				__u32 ustatus);

/* The meanings of all bits that are set, as words for the next field. */
void nvfifo_explain_bits_mean(struct ctx *c, const struct nvfifo_name *bits, __u32 v);

/* The surface and the storage type in e24, the last of PROP's words. */
void nvfifo_explain_prop_words(struct ctx *c, const char *s);

/* --- In nvfifo_explain_message.c ------------------------------------------- */

/* A message of the row's text, with the numbers in it. */
void nvfifo_explain_message(struct ctx *c, const char *s);

/* A WARNING of the kernel, with its function and file. */
void nvfifo_explain_warning(struct ctx *c, const char *s);

/* An errno, with its name and meaning. */
void nvfifo_explain_errno(struct ctx *c, unsigned int err);

/* "EINVAL" for 22, "" for a number without a name here. */
const char *nvfifo_errno_name(unsigned int err);

/* "GP100 (Pascal)" for a class that only chips of that generation have, or NULL. */
const char *nvfifo_class_generation(__u32 oclass);

/* --- In nvfifo_explain_driver.c -------------------------------------------- */

void nvfifo_explain_sentence(struct ctx *c, const char *s);

/* --- In nvfifo_explain_fifo.c ---------------------------------------------- */

/* "ch 3 [Xorg[1234]]", "channel 3 [Xorg[1234]]" */
void nvfifo_explain_channel(struct ctx *c, const char *s);

/* Fields of DMA_STATE, and advice for its error. */
void nvfifo_explain_dma_state(struct ctx *c, __u32 v);

/* Kinds that more than one driver has */
void nvfifo_explain_dma_pusher(struct ctx *c, const char *s);
void nvfifo_explain_cache_error(struct ctx *c, const char *s);
void nvfifo_explain_fifo_intr(struct ctx *c, const char *s);
void nvfifo_explain_kick_timeout(struct ctx *c, const char *s);
void nvfifo_explain_idle_channel(struct ctx *c, const char *s);

/* --- In nvfifo_explain_mmu.c ----------------------------------------------- */

void nvfifo_explain_fault_address(struct ctx *c, __u64 va);
void nvfifo_explain_fault_reason(struct ctx *c, unsigned int reason);
void nvfifo_explain_fault_access(struct ctx *c, const char *s);

/* --- In nvfifo_explain_graph.c --------------------------------------------- */

/* PGRAPH_STATUS and the units that it says are busy */
void nvfifo_explain_pgraph_status(struct ctx *c, const char *s);

/* A method's number, with its name in a class. */
void nvfifo_explain_method(struct ctx *c, __u64 method, __u32 oclass);

/* Subchannel, class, method, data of a method that PGRAPH stopped at. */
void nvfifo_explain_pgraph_method(struct ctx *c, const char *s);

/* "ch 3 [000f0e1000 Xorg[1234]]", and the older ways to write it. */
void nvfifo_explain_method_channel(struct ctx *c, const char *s);
void nvfifo_explain_method_data(struct ctx *c, const char *s);

/* The data in words of the method that the explanation has, for the next field. */
void nvfifo_explain_data_means(struct ctx *c, __u32 data);

/* "00100010 [ILLEGAL_MTHD DATA_ERROR] ch 3": @p is its text from " ch" on. */
void nvfifo_explain_interrupt_before(struct ctx *c, const char *s, const char *p,
				     const struct nvfifo_name *bits);

/* --- In nvfifo_explain_unit.c ---------------------------------------------- */

/* A number with the names of the bits in a register of the chipset. */
void nvfifo_explain_register_bits(struct ctx *c, const char *reg, __u32 v);

/* Return: true if all bits are set: the card is lost. */
bool nvfifo_explain_all_ones(struct ctx *c, __u64 v);

void nvfifo_explain_mmio_fault(struct ctx *c, const char *s);

#endif
