// SPDX-License-Identifier: MIT
/*
 * The open questions of Documentation/open-questions.rst that the driver's accesses of a card
 * answer, with the accesses that say so.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "nvfifo_event.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"
#include "questions.h"

#define REG_ENDIAN	0x000004
#define REG_INTR	0x000100
#define REG_INTR_EN	0x000140
#define REG_ENABLE	0x000200
#define REG_ENGINE_IDLE 0x00251c
#define REG_TIMESLICE	0x00204c
#define REG_PUSH1	0x003204
#define REG_PLAYLIST	0x0032ec
#define REG_KICK	0x0032fc
#define REG_FLUSH_G80	0x00330c
#define REG_TIMER_DIV	0x009200
#define REG_TIMER_LOW	0x009400
#define REG_FLUSH	0x070000
#define REG_TLB_FLUSH	0x100c80

#define ALL_UNITS	0xffffffffu
#define SLICE_OVER	0x20000
#define CHID_MASK	0x7f
#define CHID_NONE	127

struct access {
	uint64_t us, value;
	uint32_t reg;
	bool write;
};

struct accesses {
	struct access *list;
	size_t count;
};

static const char *field(const struct nvfifo_event *e, const char *name)
{
	const char *text = nvfifo_row_get(&e->fields, name);

	return text ? text : "";
}

/* Take an access of a word of BAR0. Return: false without memory. */
static bool add_access(struct accesses *a, const struct nvfifo_event *e)
{
	unsigned long long s = 0, us = 0;
	struct access one;

	if (strcmp(field(e, "bar"), "0") || !strchr(field(e, "op"), '4'))
		return true;

	sscanf(e->time, "%llu.%6llu", &s, &us);
	one = (struct access){
		.us = s * 1000000 + us,
		.value = nvfifo_text_value(field(e, "value"), 16),
		.reg = (uint32_t)nvfifo_text_value(field(e, "offset"), 16),
		.write = *field(e, "op") == 'W',
	};

	return !NVFIFO_APPEND(a->list, a->count, one);
}

/* Read the accesses to BAR0, in words. Return: false if there are none. */
static bool read_accesses(const char *text, struct accesses *a)
{
	char line[256];
	bool ok = true;

	while (ok && nvfifo_text_line(&text, line, sizeof(line))) {
		struct nvfifo_event e;

		if (nvfifo_event_parse(line, &e) != 1)
			continue;

		ok = strcmp(e.name, "access") || add_access(a, &e);
		nvfifo_event_free(&e);
	}

	return ok && a->count;
}

/* From @from on: the next access of a register, or -1. */
static ssize_t next(const struct accesses *a, size_t from, uint32_t reg, bool write)
{
	for (; from < a->count; from++)
		if (a->list[from].reg == reg && a->list[from].write == write)
			return (ssize_t)from;
	return -1;
}

/* The last of the reads of a register that follow @from without a write to it. */
static ssize_t last_look(const struct accesses *a, size_t from, uint32_t reg)
{
	ssize_t found = -1;

	for (from++; from < a->count; from++) {
		if (a->list[from].reg != reg)
			continue;
		if (a->list[from].write)
			break;
		found = (ssize_t)from;
	}

	return found;
}

static void evidence(FILE *f, const struct accesses *a, ssize_t i)
{
	if (i >= 0)
		fprintf(f, "    %10" PRIu64 " us  %c %06" PRIx32 " %08" PRIx64 "\n", a->list[i].us,
			a->list[i].write ? 'W' : 'R', a->list[i].reg, a->list[i].value);
}

static void ask_endian(FILE *f, const struct accesses *a)
{
	ssize_t i = next(a, 0, REG_ENDIAN, false);
	const char *order = ": not in any source";

	if (i >= 0 && !a->list[i].value)
		order = ", little-endian";
	else if (i >= 0 && a->list[i].value == 0x01000001)
		order = ", big-endian";

	if (i < 0)
		fprintf(f, "was not read\n");
	else
		fprintf(f, "%08" PRIx64 "%s\n", a->list[i].value, order);
	evidence(f, a, i);
}

static void ask_timer(FILE *f, const struct accesses *a)
{
	ssize_t set = next(a, 0, REG_TIMER_DIV, true), first = next(a, 0, REG_TIMER_LOW, false);
	ssize_t last = first;
	ssize_t i;

	if (set < 0 || first < 0 || first > set) {
		fprintf(f, "was not read\n");
		return;
	}

	for (i = first; i >= 0 && i < set; i = next(a, (size_t)i + 1, REG_TIMER_LOW, false))
		last = i;

	if (a->list[first].value == a->list[last].value)
		fprintf(f, "it stands still, and the driver starts it\n");
	else
		fprintf(f, "it runs, and the driver sets its rate\n");

	evidence(f, a, first);
	evidence(f, a, last);
}

static void ask_units(FILE *f, const struct accesses *a)
{
	ssize_t w = next(a, 0, REG_ENABLE, true), r;

	/* The driver first writes a value that holds all engines in reset. */
	while (w >= 0 && a->list[w].value != ALL_UNITS)
		w = next(a, (size_t)w + 1, REG_ENABLE, true);

	r = w < 0 ? -1 : next(a, (size_t)w, REG_ENABLE, false);
	if (r < 0)
		fprintf(f, "was not read\n");
	else
		fprintf(f, "%08" PRIx64 "\n", a->list[r].value);
	evidence(f, a, w);
	evidence(f, a, r);
}

static void ask_idle(FILE *f, const struct accesses *a)
{
	ssize_t i = next(a, 0, REG_ENGINE_IDLE, false);

	if (i < 0)
		fprintf(f, "was not read, as nothing froze PFIFO\n");
	else
		fprintf(f, "%02" PRIx64 "\n", a->list[i].value & 0x3f);
	evidence(f, a, i);
}

/* A write of @start to the bits @start_mask begins it, and @busy is set until it has ended. */
struct wait {
	uint32_t reg;
	uint32_t start_mask;
	uint32_t start;
	uint32_t busy;
};

/* Report the waits of a procedure: their number, their time, and whether they ended. */
static void ask_wait(FILE *f, const struct accesses *a, const struct wait *w)
{
	const uint32_t reg = w->reg, busy = w->busy;
	uint64_t longest = 0;
	ssize_t worst = -1, stuck = -1, i, r;
	unsigned int n = 0;

	for (i = next(a, 0, reg, true); i >= 0; i = next(a, (size_t)i + 1, reg, true)) {
		if ((a->list[i].value & w->start_mask) != w->start)
			continue;

		r = last_look(a, (size_t)i, reg);
		if (r < 0)
			continue;

		n++;
		if (a->list[r].value & busy && (busy != ~0u || a->list[r].value == busy))
			stuck = r;
		if (a->list[r].us - a->list[i].us >= longest) {
			longest = a->list[r].us - a->list[i].us;
			worst = r;
		}
	}

	if (!n)
		fprintf(f, "never happened\n");
	else if (stuck >= 0)
		fprintf(f, "did not end\n");
	else
		fprintf(f, "ended %u times, after %" PRIu64 " us at most\n", n, longest);
	evidence(f, a, stuck >= 0 ? stuck : worst);
}

static void ask_bar_flush(FILE *f, const struct accesses *a)
{
	static const struct wait g80 = { REG_FLUSH_G80, 1, 1, 1 }, g84 = { REG_FLUSH, 1, 1, 3 };

	if (next(a, 0, REG_FLUSH, true) >= 0)
		ask_wait(f, a, &g84);
	else
		ask_wait(f, a, &g80);
}

static void ask_interrupts(FILE *f, const struct accesses *a)
{
	unsigned int arrived = 0, polled = 0;
	ssize_t last = -1;
	bool on = false;
	size_t i;

	/* The handler turns them off before it reads. A poll reads while they are on. */
	for (i = 0; i < a->count; i++) {
		const struct access *one = &a->list[i];

		if (one->write && one->reg == REG_INTR_EN)
			on = one->value;
		if (one->write || one->reg != REG_INTR || !one->value)
			continue;

		if (on)
			polled++;
		else
			arrived++;
		last = (ssize_t)i;
	}

	if (arrived)
		fprintf(f, "%u arrived%s\n", arrived,
			arrived > 1 ? ", so they come again after the re-arm" : "");
	else if (polled)
		fprintf(f, "none arrived, and a poll found one %u times: try msi=0\n", polled);
	else
		fprintf(f, "never happened\n");
	evidence(f, a, last);
}

/* Does a channel leave PUSH1 by itself? */
static void ask_push1(FILE *f, const struct accesses *a)
{
	ssize_t list = next(a, 0, REG_PLAYLIST, true), r, forced;
	uint64_t before = 0;

	/* The first list that is shorter than the one before it */
	while (list >= 0 && a->list[list].value >= before) {
		before = a->list[list].value;
		list = next(a, (size_t)list + 1, REG_PLAYLIST, true);
	}

	r = list < 0 ? -1 : next(a, (size_t)list, REG_PUSH1, false);
	forced = r < 0 ? -1 : next(a, (size_t)r, REG_TIMESLICE, true);
	if (r < 0)
		fprintf(f, "never happened\n");
	else if ((a->list[r].value & CHID_MASK) == CHID_NONE)
		fprintf(f, "it leaves\n");
	else if (forced >= 0 && a->list[forced].value == SLICE_OVER)
		fprintf(f, "it stays until its timeslice is ended by force\n");
	else if (!(a->list[r].value & CHID_MASK))
		fprintf(f, "it leaves; PUSH1 then names channel 0, which is for PIO and has no work\n");
	else
		fprintf(f, "PUSH1 names channel %" PRIu64 ", and its timeslice was not ended by force\n",
			a->list[r].value & CHID_MASK);
	evidence(f, a, list);
	evidence(f, a, r);
	evidence(f, a, r >= 0 && (a->list[r].value & CHID_MASK) != CHID_NONE ? forced : -1);
}

/* The least dangerous first: reads, then waits, then tests that can hang PFIFO. */
static const struct {
	const char *name;	/* as in Documentation/open-questions.rst */
	const char *text;
	void (*ask)(FILE *f, const struct accesses *a);	/* NULL: by @wait */
	struct wait wait;
} questions[] = {
	{ "endian", "register 4 after POST", ask_endian, { 0 } },
	{ "ptimer", "PTIMER after POST", ask_timer, { 0 } },
	{ "units", "PMC.ENABLE when all ones were written", ask_units, { 0 } },
	{ "idle", "ENGINE_IDLE", ask_idle, { 0 } },
	{ "bar-flush", "a BAR flush", ask_bar_flush, { 0 } },
	{ "tlb-bar", "a TLB flush of the BARs", NULL, { REG_TLB_FLUSH, 0xf0000, 0x60000, 1 } },
	{ "tlb-fifo", "a TLB flush of PFIFO", NULL, { REG_TLB_FLUSH, 0xf0000, 0x50000, 1 } },
	{ "tlb-graph", "a TLB flush of PGRAPH", NULL, { REG_TLB_FLUSH, 0xf0000, 0, 1 } },
	{ "playlist", "an update of the playlist", NULL, { REG_PLAYLIST, 0, 0, 0x1100 } },
	{ "interrupts", "interrupts", ask_interrupts, { 0 } },
	{ "kick", "a kick", NULL, { REG_KICK, 0, 0, ~0u } },
	{ "push1", "a channel that leaves the playlist, and PUSH1", ask_push1, { 0 } },
};

bool questions_write(FILE *f, const char *text)
{
	struct accesses a = { 0 };
	size_t i;

	fputs("\nopen questions, the least dangerous first\n", f);
	if (!read_accesses(text, &a)) {
		fputs("  no accesses: trace the event nvfifo_access from the probe on, and run this as root\n",
		      f);
		free(a.list);
		return false;
	}

	for (i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		fprintf(f, "  %-14s  %s: ", questions[i].name, questions[i].text);
		if (questions[i].ask)
			questions[i].ask(f, &a);
		else
			ask_wait(f, &a, &questions[i].wait);
	}

	free(a.list);
	fprintf(f, "\naccesses of the card, for nvsim --replay\n\n%send of accesses\n", text);

	return true;
}
