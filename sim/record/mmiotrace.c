// SPDX-License-Identifier: MIT
/*
 * Reading of an mmiotrace. Each line is an event:
 *
 *	R width seconds map physical value pc pid	also W
 *	MAP seconds map physical virtual length pc pid
 *	UNMAP seconds map pc pid
 *	UNKNOWN seconds map physical data pc pid
 *	MARK seconds text
 *	PCIDEV bus+devfn vendor+device irq, 7 starts with flags, 7 lengths, driver
 *	VERSION 20070824
 *	LSPCI text
 *
 * The kernel's trace_pipe adds lines of its own: CPU:1 [LOST 12 EVENTS]
 */
#define _GNU_SOURCE
#include "mmiotrace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../hw/nvfifo_reg_table.h"
#include "../nvsim.h"
#include "nvfifo_text.h"

#define VERSION		"20070824"
#define VENDOR_NVIDIA	0x10de
#define BAR0_SIZE	(16u << 20)
#define BAR_FLAGS	0xfull

/* Copy the next line without its end. False at the end of the text. */
static bool next_line(struct mmiotrace *t, char *line, size_t len)
{
	const char *end = nvfifo_text_line_end(t->next, t->end);
	size_t n = (size_t)(end - t->next), copy = n < len ? n : len - 1;

	if (t->next == t->end)
		return false;

	memcpy(line, t->next, copy);
	line[copy] = 0;
	if (copy && line[copy - 1] == '\r')
		line[copy - 1] = 0;

	t->next = end + (end < t->end);
	t->line++;
	return true;
}

static bool has_key(const char *line, const char *key)
{
	size_t n = strlen(key);

	return !strncmp(line, key, n) && (!line[n] || line[n] == ' ');
}

static bool parse_seconds(uint64_t s, const char *fraction, uint64_t *ns)
{
	char digits[20];
	__u64 part;

	/* Missing digits are zeros. */
	snprintf(digits, sizeof(digits), "%.9s000000000", fraction);
	nvfifo_text_number(digits, 9, 10, &part);
	*ns = s * 1000000000 + part;
	return s < UINT64_MAX / 2000000000;
}

/* Read "R width seconds map physical value". */
static bool parse_access(const char *line, struct mmiotrace_event *e, uint64_t *physical)
{
	char op, fraction[20];
	uint64_t s;

	if (sscanf(line, "%c %u %" SCNu64 ".%19[0-9] %*d %" SCNx64 " %" SCNx64, &op, &e->size, &s,
		   fraction, physical, &e->value) != 6)
		return false;

	if (e->size != 1 && e->size != 2 && e->size != 4 && e->size != 8)
		return false;

	e->kind = op == 'W' ? MMIOTRACE_WRITE : MMIOTRACE_READ;
	if (e->size < 8)
		e->value &= (1ull << 8 * e->size) - 1;

	return parse_seconds(s, fraction, &e->ns);
}

static bool is_loss(const char *line)
{
	return !strncmp(line, "CPU:", 4) && strstr(line, " EVENTS]");
}

/* Events without a time, such as VERSION, have time 0. */
static void parse_note(struct mmiotrace *t, const char *line, struct mmiotrace_event *e)
{
	char fraction[20];
	uint64_t s, lost;

	e->kind = MMIOTRACE_NOTE;
	snprintf(e->text, sizeof(e->text), "%s", line);
	if (sscanf(line, "%*s %" SCNu64 ".%19[0-9]", &s, fraction) == 2)
		parse_seconds(s, fraction, &e->ns);
	if (sscanf(line, "MARK %*s Lost %" SCNu64 " events", &lost) == 1 ||
	    sscanf(line, "CPU:%*u [LOST %" SCNu64 " EVENTS]", &lost) == 1)
		t->lost += lost;
	else if (is_loss(line))
		t->lost++;	/* at least one: the kernel does not know how many */
}

static bool is_note(const char *line)
{
	static const char *const keys[] = { "MAP", "UNMAP", "MARK", "UNKNOWN", NULL };
	unsigned int i;

	for (i = 0; keys[i]; i++)
		if (has_key(line, keys[i]))
			return true;

	return is_loss(line);
}

static bool is_header(const char *line)
{
	return has_key(line, "VERSION") || has_key(line, "PCIDEV") || has_key(line, "LSPCI");
}

static bool in_bar(const struct mmiotrace *t, uint64_t physical, unsigned int size,
		   struct mmiotrace_event *e)
{
	unsigned int bar;

	for (bar = 0; bar < MMIOTRACE_BARS; bar++) {
		uint64_t offset = physical - t->base[bar];

		if (offset >= t->len[bar] || t->len[bar] - offset < size)
			continue;
		e->bar = bar;
		e->offset = offset;
		return true;
	}

	return false;
}

bool mmiotrace_next(struct mmiotrace *t, struct mmiotrace_event *e, char *err, size_t err_len)
{
	char line[MMIOTRACE_LINE];
	uint64_t physical;

	err[0] = 0;

	while (next_line(t, line, sizeof(line))) {
		memset(e, 0, sizeof(*e));
		e->line = t->line;

		if (!line[0] || is_header(line))
			continue;

		if (is_note(line)) {
			parse_note(t, line, e);
			t->unknown += has_key(line, "UNKNOWN");
			return true;
		}

		if ((!has_key(line, "R") && !has_key(line, "W")) ||
		    !parse_access(line, e, &physical)) {
			/* A trace that is still being written may end in the middle of a line. */
			if (t->next < t->end || t->end[-1] == '\n')
				snprintf(err, err_len, "line %" PRIu64 " is not a line of an mmiotrace",
					 t->line);
			return false;
		}

		if (in_bar(t, physical, e->size, e))
			return true;
		t->others++;
	}

	return false;
}

/* --- The card ---------------------------------------------------------------------------- */

/* Take the BARs of a PCIDEV line. False if the device cannot be an NV50-family card. */
static bool take_device(struct mmiotrace *t, const char *line)
{
	static const unsigned int bars[] = { 0, 1, 3 };
	uint64_t number[14] = { 0 };
	unsigned int id, i;
	int at = 0, used;

	if (sscanf(line, "PCIDEV %*x %x %*x%n", &id, &at) != 1 || !at || id >> 16 != VENDOR_NVIDIA)
		return false;

	for (i = 0; i < 14; i++) {
		if (sscanf(line + at, "%" SCNx64 "%n", &number[i], &used) != 1)
			return false;
		at += used;
	}

	memset(t->base, 0, sizeof(t->base));
	memset(t->len, 0, sizeof(t->len));
	for (i = 0; i < 3; i++) {
		t->base[bars[i]] = number[bars[i]] & ~BAR_FLAGS;
		t->len[bars[i]] = number[7 + bars[i]];
	}

	/* The sound device of a card has a small BAR0 and nothing else. */
	return t->len[0] == BAR0_SIZE && t->len[1] && t->len[3];
}

static bool take_map(struct mmiotrace *t, const char *line)
{
	uint64_t physical, length;

	if (sscanf(line, "MAP %*s %*d %" SCNx64 " %*x %" SCNx64, &physical, &length) != 2 ||
	    length != BAR0_SIZE)
		return false;

	memset(t->base, 0, sizeof(t->base));
	memset(t->len, 0, sizeof(t->len));
	t->base[0] = physical;
	t->len[0] = length;
	return true;
}

/* Whether the trace has an access in BAR0 */
static bool is_used(const struct mmiotrace *card, const char *data, size_t size)
{
	struct mmiotrace t = *card;
	struct mmiotrace_event e;
	char err[100];

	t.next = data;
	t.end = data + size;
	while (mmiotrace_next(&t, &e, err, sizeof(err)))
		if (e.kind != MMIOTRACE_NOTE && e.bar == 0)
			return true;

	/* The caller says which line is wrong. */
	return err[0];
}

static bool find_card(struct mmiotrace *t, const char *data, size_t size,
		      bool (*take)(struct mmiotrace *t, const char *line))
{
	struct mmiotrace scan = { .next = data, .end = data + size };
	char line[MMIOTRACE_LINE];

	while (next_line(&scan, line, sizeof(line)))
		if (take(t, line) && is_used(t, data, size))
			return true;

	return false;
}

bool mmiotrace_open(struct mmiotrace *t, const char *data, size_t size, char *err, size_t err_len)
{
	struct mmiotrace scan = { .next = data, .end = data + size };
	char line[MMIOTRACE_LINE];

	memset(t, 0, sizeof(*t));
	if (next_line(&scan, line, sizeof(line)) && has_key(line, "VERSION") &&
	    !has_key(line, "VERSION " VERSION)) {
		snprintf(err, err_len, "the trace has another version than " VERSION);
		return false;
	}

	if (!find_card(t, data, size, take_device) && !find_card(t, data, size, take_map)) {
		snprintf(err, err_len, "the trace has no access to BAR0 of an NV50-family card, "
				       "which a PCIDEV or a MAP of 16 MiB would name");
		return false;
	}

	t->next = data;
	t->end = data + size;
	return true;
}

const char *mmiotrace_chipset(const struct mmiotrace *trace)
{
	struct mmiotrace t = *trace;
	struct mmiotrace_event e;
	const char *chipset;
	char err[100];

	while (mmiotrace_next(&t, &e, err, sizeof(err))) {
		if (e.kind != MMIOTRACE_READ || e.bar || e.size != 4 || e.offset != NV_PMC_BOOT_0)
			continue;

		chipset = nvsim_chipset_of((uint32_t)e.value);
		if (chipset)
			return chipset;
	}

	return NULL;
}

bool mmiotrace_is(const char *data, size_t size)
{
	struct mmiotrace t = { .next = data, .end = data + size };
	struct mmiotrace_event e;
	char line[MMIOTRACE_LINE];
	uint64_t physical;

	while (next_line(&t, line, sizeof(line))) {
		if (!line[0])
			continue;
		if (has_key(line, "R") || has_key(line, "W"))
			return parse_access(line, &e, &physical);
		return is_header(line) || is_note(line);
	}

	return false;
}
