// SPDX-License-Identifier: MIT
/*
 * Decoding of a record into text.
 *
 * Drivers poll one register, or a few in turn. Lines that repeat, alone or in groups, are therefore
 * printed once with a count. PFIFO reads a push buffer word by word, and drivers fill memory word
 * by word. Accesses to adjacent memory are therefore one line, too.
 */
#include "decode.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"

#define LINE_MAX_LEN 420
#define NAME_LEN     110 /* of an access without its value */
#define FIELDS_LEN   250
#define GROUP_MAX    12 /* lines that repeat together */
#define WORDS_A_LINE 8
#define WORDS_SHOWN  16
#define RUN_MAX	     (1u << 20) /* bytes */
#define NO_SPACE     UINT64_MAX
#define DMA_SPACE    (UINT64_MAX - 1)

struct line {
	uint64_t number, time;
	char text[LINE_MAX_LEN];
	char key[LINE_MAX_LEN]; /* lines with equal keys repeat each other */
};

/* Accesses to adjacent memory; the next access may continue them. */
struct run {
	unsigned int accesses; /* 0: no run */
	struct record first;
	uint64_t place, space; /* its start, and the memory's number */
	char name[NAME_LEN];
	char text[LINE_MAX_LEN]; /* of a single access */
	uint8_t *bytes;
	size_t len, room;
};

struct decoder {
	const struct decode_config *cfg;
	struct names names;
	struct run run;
	/*
	 * Lines that are not printed yet. While a group repeats they are the group, which came
	 * @repeats times, followed by the first @turn lines of its next turn.
	 */
	struct line *line[2 * GROUP_MAX];
	struct line *lines;		/* the memory of all */
	unsigned int count, group, turn;
	uint64_t repeats;
};

static void print(struct decoder *d, const struct line *l, uint64_t times)
{
	fprintf(d->cfg->out, "%9" PRIu64 " %6" PRIu64 ".%06" PRIu64 " %s", l->number,
		l->time / 1000000000, l->time / 1000 % 1000000, l->text);
	if (times > 1)
		fprintf(d->cfg->out, "  × %" PRIu64, times);
	fputc('\n', d->cfg->out);
}

/* Move the first @n lines after the others, where they are free. */
static void rotate(struct decoder *d, unsigned int n)
{
	struct line *old[2 * GROUP_MAX];
	unsigned int i;

	for (i = 0; i < 2 * GROUP_MAX; i++)
		old[i] = d->line[i];
	for (i = 0; i < 2 * GROUP_MAX; i++)
		d->line[i] = old[(i + n) % (2 * GROUP_MAX)];
}

static void print_first(struct decoder *d, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		print(d, d->line[i], 1);
	rotate(d, n);
	d->count -= n;
}

/* The group has ended: print it, and treat the lines of its next turn as others. */
static void end_group(struct decoder *d)
{
	unsigned int i;

	for (i = 0; i < d->group; i++)
		print(d, d->line[i], d->group == 1 ? d->repeats : 1);

	if (d->group > 1)
		fprintf(d->cfg->out, "%25s these %u lines × %" PRIu64 "\n", "", d->group,
			d->repeats);

	rotate(d, d->group);
	d->count = d->turn;
	d->group = 0;
}

static bool repeat(const struct decoder *d, unsigned int n)
{
	unsigned int i;

	if (d->count < 2 * n)
		return false;

	for (i = 1; i <= n; i++)
		if (strcmp(d->line[d->count - i]->key, d->line[d->count - n - i]->key))
			return false;

	return true;
}

/* The buffer for the next line */
static struct line *next_line(struct decoder *d)
{
	if (!d->group && d->count == 2 * GROUP_MAX)
		print_first(d, 1);
	return d->line[d->group ? d->group + d->turn : d->count];
}

/* The line in next_line() is complete. */
static void push(struct decoder *d)
{
	unsigned int n;

	if (d->group) {
		const struct line *l = d->line[d->group + d->turn];

		d->turn++;
		if (!strcmp(l->key, d->line[d->turn - 1]->key)) {
			if (d->turn == d->group) {
				d->repeats++;
				d->turn = 0;
			}
			return;
		}

		end_group(d);
	} else {
		d->count++;
	}

	for (n = 1; n <= GROUP_MAX; n++) {
		if (!repeat(d, n))
			continue;
		print_first(d, d->count - 2 * n);
		d->group = n;
		d->repeats = 2;
		d->turn = 0;
		return;
	}
}

static bool wanted(const struct decoder *d, const struct record *rec, enum decode_kind kind)
{
	return (d->cfg->only & kind) && rec->number >= d->cfg->from && rec->number <= d->cfg->to;
}

static void say(struct decoder *d, const struct record *rec, bool clock, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Add a line. If its value is a clock, lines are compared without it. */
static void say(struct decoder *d, const struct record *rec, bool clock, const char *fmt, ...)
{
	struct line *l = next_line(d);
	char *equals;
	va_list ap;

	l->number = rec->number;
	l->time = rec->time;
	va_start(ap, fmt);
	vsnprintf(l->text, sizeof(l->text), fmt, ap);
	va_end(ap);
	memcpy(l->key, l->text, sizeof(l->key));
	equals = clock ? strchr(l->key, '=') : NULL;
	if (equals)
		*equals = 0;
	if (d->cfg->all)
		print(d, l, 1);
	else
		push(d);
}

/* The bytes may be garbage: replace those that cannot be printed. */
static void printable(const struct record *rec, char *buf, size_t len)
{
	size_t i, n = rec->len < len ? rec->len : len - 1;

	for (i = 0; i < n; i++)
		buf[i] = rec->bytes[i] >= 0x20 && rec->bytes[i] < 0x7f ? (char)rec->bytes[i] : '?';
	buf[n] = 0;
}

static uint64_t get(const uint8_t *p, unsigned int size)
{
	uint64_t v = 0;

	while (size--)
		v = v << 8 | p[size];
	return v;
}

/* Format the next line of words, from byte @at on. */
static size_t words_line(const uint8_t *p, size_t len, size_t at, char *buf, size_t room)
{
	size_t end = at + WORDS_A_LINE * 4 < len ? at + WORDS_A_LINE * 4 : len, out = 0;

	buf[0] = 0;

	while (at < end) {
		unsigned int n = end - at < 4 ? (unsigned int)(end - at) : 4;

		out += (size_t)snprintf(buf + out, room - out, " %0*" PRIx64, (int)n * 2,
					get(p + at, n));
		at += n;
	}

	return end;
}

/* Add @head and the bytes, as words of the card. */
static void say_bytes(struct decoder *d, const struct record *rec, const char *head,
		      const uint8_t *p, size_t len)
{
	size_t shown = d->cfg->all || len <= WORDS_SHOWN * 4 ? len : WORDS_SHOWN * 4, at;
	char words[WORDS_A_LINE * 9 + 1] = "";

	at = words_line(p, shown, 0, words, sizeof(words));
	say(d, rec, false, "%s:%s", head, words);

	while (at < shown) {
		size_t from = at;

		at = words_line(p, shown, at, words, sizeof(words));
		say(d, rec, false, "      +%04zx:%s", from, words);
	}

	if (shown < len)
		say(d, rec, false, "      +%04zx: ...", shown);
}

/* End a run of accesses to memory and print it. */
static void end_run(struct decoder *d)
{
	struct run *run = &d->run;
	unsigned int size = run->first.size;
	char head[NAME_LEN + 50];

	if (!run->accesses)
		return;

	if (run->accesses == 1) {
		say(d, &run->first, false, "%s", run->text);
	} else {
		snprintf(head, sizeof(head), "%s %zu bytes in %u accesses", run->name, run->len,
			 run->accesses);
		if (run->accesses > 4 && !memcmp(run->bytes, run->bytes + size, run->len - size))
			say(d, &run->first, false, "%s, each of %0*" PRIx64, head, (int)size * 2,
			    get(run->bytes, size));
		else
			say_bytes(d, &run->first, head, run->bytes, run->len);
	}

	run->accesses = 0;
}

/* Append @len bytes if the access continues the run; false if it does not. */
static bool goes_on(struct run *run, const struct record *rec, uint64_t space, uint64_t place,
		    const uint8_t *bytes, size_t len)
{
	if (!run->accesses || run->space != space || run->first.type != rec->type ||
	    run->first.size != rec->size || run->place + run->len != place || run->len > RUN_MAX ||
	    (rec->type == RECORD_DMA_READ && len > 8) || (rec->type == RECORD_DMA_WRITE && len > 8))
		return false;
	if (run->len + len > run->room) {
		size_t room = 2 * (run->len + len);
		uint8_t *more = realloc(run->bytes, room);

		if (!more)
			return false;
		run->bytes = more;
		run->room = room;
	}

	if (len)
		memcpy(run->bytes + run->len, bytes, len);

	run->len += len;
	run->accesses++;

	return true;
}

/*
 * Add an access to memory. @name is its text without the value, @text all of its text. @space
 * is the memory's number.
 */
static void say_memory(struct decoder *d, const struct record *rec, uint64_t space, uint64_t place,
		       const uint8_t *bytes, size_t len, const char *name, const char *text)
{
	struct run *run = &d->run;

	if (d->cfg->all) {
		say(d, rec, false, "%s", text);
		return;
	}

	if (goes_on(run, rec, space, place, bytes, len))
		return;

	end_run(d);
	run->first = *rec;
	run->space = space;
	run->place = place;
	run->len = 0;
	snprintf(run->name, sizeof(run->name), "%s", name);
	snprintf(run->text, sizeof(run->text), "%s", text);
	run->accesses = 1;

	/* Without memory for the first access the run must not continue. */
	if (!goes_on(run, rec, space, place, bytes, len))
		run->space = NO_SPACE;

	run->accesses = 1;
}

static void decode_nested(struct decoder *d, const struct record *rec)
{
	char text[LINE_MAX_LEN - 20], name[40], head[80], words[WORDS_A_LINE * 9 + 1];

	switch (rec->type) {
	case RECORD_DMA_READ:
	case RECORD_DMA_WRITE:
		if (!wanted(d, rec, DECODE_DMA))
			return;
		snprintf(name, sizeof(name), "  DMA %s %010" PRIx64,
			 rec->type == RECORD_DMA_READ ? "R" : "W", rec->addr);
		snprintf(head, sizeof(head), "%s %zu bytes%s", name, rec->len,
			 rec->failed ? ", nothing answers" : "");
		if (rec->bytes && !rec->failed && rec->len <= 8) {
			words_line(rec->bytes, rec->len, 0, words, sizeof(words));
			snprintf(text, sizeof(text), "%s:%s", head, words);
			say_memory(d, rec, DMA_SPACE, rec->addr, rec->bytes, rec->len, name, text);
			break;
		}

		end_run(d);
		if (rec->bytes)
			say_bytes(d, rec, head, rec->bytes, rec->len);
		else
			say(d, rec, false, "%s", head);
		break;
	case RECORD_INTX:
		end_run(d);
		if (wanted(d, rec, DECODE_IRQ))
			say(d, rec, false, "  INTx %s", rec->value ? "up" : "down");
		break;
	case RECORD_MSI:
		end_run(d);
		if (wanted(d, rec, DECODE_IRQ))
			say(d, rec, false, "  MSI %04" PRIx64 " to %" PRIx64, rec->value,
			    rec->addr);
		break;
	case RECORD_VIOLATION:
		end_run(d);
		printable(rec, text, sizeof(text));
		if (wanted(d, rec, DECODE_OTHER))
			say(d, rec, false, "  violation: %s", text);
		break;
	default:
		break;
	}
}

static void say_value(struct decoder *d, const struct record *rec, bool read,
		      const struct record *ret)
{
	uint64_t value = ret ? ret->value : rec->value;
	char name[NAME_LEN - 10], fields[FIELDS_LEN], text[LINE_MAX_LEN], head[NAME_LEN];
	const char *arrow, *gap;
	uint64_t space, place;
	uint8_t bytes[8];
	unsigned int i;

	names_access(&d->names, rec, name, sizeof(name));
	if (read && !ret) {
		end_run(d);
		say(d, rec, false, "R %s: no answer in the record", name);
		return;
	}

	names_value(&d->names, rec, value, fields, sizeof(fields));
	snprintf(head, sizeof(head), "%s %s", read ? "R" : "W", name);
	arrow = read ? "=" : "<-";
	gap = *fields ? "  " : "";
	snprintf(text, sizeof(text), "%s %s %0*" PRIx64 "%s%s", head, arrow,
		 (int)rec->size * 2, value, gap, fields);
	if (names_memory(&d->names, rec, &space, &place)) {
		for (i = 0; i < rec->size; i++)
			bytes[i] = (uint8_t)(value >> 8 * i);
		say_memory(d, rec, space, place, bytes, rec->size, head, text);
		return;
	}

	end_run(d);
	say(d, rec, read && names_is_clock(rec), "%s", text);
}

static void decode_call(struct decoder *d, const struct record_call *call)
{
	const struct record *rec = &call->head;
	char head[140], name[100], text[200];

	names_access(&d->names, rec, name, sizeof(name));

	switch (rec->type) {
	case RECORD_CFG_READ:
	case RECORD_CFG_WRITE:
		if (wanted(d, rec, DECODE_CONFIG))
			say_value(d, rec, rec->type == RECORD_CFG_READ, call->ret);
		break;
	case RECORD_BAR_READ:
	case RECORD_BAR_WRITE:
		if (wanted(d, rec, DECODE_MMIO))
			say_value(d, rec, rec->type == RECORD_BAR_READ, call->ret);
		break;
	case RECORD_BLOCK_READ:
	case RECORD_BLOCK_WRITE:
		snprintf(head, sizeof(head), "%s %s %zu bytes",
			 rec->type == RECORD_BLOCK_READ ? "R" : "W", name, rec->len);
		if (!wanted(d, rec, DECODE_MMIO))
			break;
		end_run(d);
		if (rec->type == RECORD_BLOCK_READ && call->ret)
			say_bytes(d, rec, head, call->ret->bytes, call->ret->len);
		else if (rec->bytes)
			say_bytes(d, rec, head, rec->bytes, rec->len);
		break;
	case RECORD_FILL:
		end_run(d);
		if (wanted(d, rec, DECODE_MMIO))
			say(d, rec, false, "W %s %zu bytes of %02" PRIx64, name, rec->len,
			    rec->value);
		break;
	case RECORD_COMMAND:
		end_run(d);
		printable(rec, text, sizeof(text));
		if (wanted(d, rec, DECODE_OTHER))
			say(d, rec, false, "command %s", text);
		break;
	case RECORD_SETTLE:
	case RECORD_POWER_UP:
		end_run(d);
		if (wanted(d, rec, DECODE_OTHER))
			say(d, rec, false, "%s", name);
		break;
	default:
		break;
	}
}

/* Decode a call with the model's actions, or a record between calls. */
static void decode_one(struct decoder *d, const struct record_call *call)
{
	char text[LINE_MAX_LEN - 20];
	size_t i;

	if (call->head.type == RECORD_NOTE && wanted(d, &call->head, DECODE_OTHER)) {
		end_run(d);
		printable(&call->head, text, sizeof(text));
		say(d, &call->head, false, "%s", text);
	}

	if (record_is_call(call->head.type))
		decode_call(d, call);
	for (i = 0; i < call->count; i++)
		decode_nested(d, &call->nested[i]);
	names_follow(&d->names, &call->head);
}

static bool begin(struct decoder *d, const struct decode_config *cfg)
{
	unsigned int i;

	memset(d, 0, sizeof(*d));
	d->cfg = cfg;
	d->lines = calloc(2 * GROUP_MAX, sizeof(*d->lines));
	if (!d->lines) {
		fputs("# out of memory\n", cfg->out);
		return false;
	}

	for (i = 0; i < 2 * GROUP_MAX; i++)
		d->line[i] = &d->lines[i];

	names_init(&d->names, cfg->chipset);
	return true;
}

static void finish(struct decoder *d)
{
	end_run(d);
	if (d->group)
		end_group(d);

	print_first(d, d->count);
	free(d->run.bytes);
	free(d->lines);
}

void decode_run(const struct decode_config *cfg, struct record_reader *r)
{
	struct record_call call = {.count = 0};
	struct decoder d;

	if (!begin(&d, cfg))
		return;

	while (record_next_call(r, &call) && call.head.number <= cfg->to)
		decode_one(&d, &call);

	finish(&d);
	free(call.nested);
}

void decode_mmiotrace(const struct decode_config *cfg, struct mmiotrace *t, char *err,
		      size_t err_len)
{
	struct mmiotrace_event e;
	struct decoder d;

	err[0] = 0;
	if (!begin(&d, cfg))
		return;

	while (mmiotrace_next(t, &e, err, err_len) && e.line <= cfg->to) {
		struct record answer = {.type = RECORD_RETURN, .value = e.value};
		struct record_call call = {
		    .head = {
			.number = e.line,
			.time = e.ns,
			.type = RECORD_NOTE,
			.size = e.size,
			.bar = e.bar,
			.addr = e.offset,
			.value = e.value,
			.bytes = (const uint8_t *)e.text,
			.len = strlen(e.text),
		    },
		};

		if (e.kind == MMIOTRACE_WRITE) {
			call.head.type = RECORD_BAR_WRITE;
		} else if (e.kind == MMIOTRACE_READ) {
			call.head.type = RECORD_BAR_READ;
			call.ret = &answer;
		}

		decode_one(&d, &call);
	}

	finish(&d);
}
