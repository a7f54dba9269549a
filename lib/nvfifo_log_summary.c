// SPDX-License-Identifier: MIT
/* The summary of a log, for a person. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_log_priv.h"

enum { HEAD, GOOD, DIM, OFF };

/* Groups that are printed in full. The rest is counted. */
#define GROUPS_SHOWN	12

static const char *plural(unsigned long count)
{
	return count == 1 ? "" : "s";
}

static void print_cards(const struct nvfifo_log *log, FILE *out)
{
	char why[300];
	size_t i;

	for (i = 0; i < log->cards.count; i++) {
		const struct log_card *c = &log->cards.list[i];
		const char *address = *c->address ? c->address : "a card without an address";

		if (c->generation)
			fprintf(out, "%s is a %s (%s; the log says '%s'), which is not of the NV50 family (G80 to MCP89): %lu line%s of it not explained.\n",
				address, c->name, c->generation, c->from, c->skipped,
				c->skipped == 1 ? " is" : "s are");
		else if (c->chipset)
			fprintf(out, "%s is a %s; the log says '%s'.\n", address, c->name, c->from);
		else if (c->skipped)
			fprintf(out, "%s seems to be of another generation, which is not of the NV50 family: see its lines.\n",
				address);
		else if (c->lines && *c->address && !log->chipset)
			fprintf(out, "%s: the log does not name its chip; --chipset does.\n", address);

		if (log_is_nonsense(c, why, sizeof(why)))
			fprintf(out, "%s: the card or the bus does not answer sensibly; the rest is noise. %s. Read PMC.BOOT_0 (nvfifo peek PMC.BOOT_0, lspci): if it is not the chip, nothing else in this log means anything. The card is off the bus, powered down, or its BAR is mapped to something else (a hypervisor).\n",
				address, why);
	}
}

static void print_count(const struct log_group *g, FILE *out)
{
	if (g->count == 1)
		fputs("once", out);
	else
		fprintf(out, "%lu times", g->count);
	if (*g->first && !strcmp(g->first, g->last))
		fprintf(out, ", at %s", g->first);
	else if (*g->first)
		fprintf(out, ", from %s to %s", g->first, g->last);
}

static void print_list(FILE *out, const char *what, const char *list, size_t row, size_t count,
		       size_t most)
{
	size_t i;

	if (!count)
		return;

	fprintf(out, "   %s", what);
	for (i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? ", " : "", list + i * row);
	fputs(count == most ? " ...\n" : "\n", out);
}

static void print_tps(const struct log_group *g, FILE *out)
{
	unsigned int i;

	if (!g->tps)
		return;

	fputs("   TP", out);
	for (i = 0; i < 32; i++) {
		if (g->tps >> i & 1)
			fprintf(out, " %u", i);
	}
	fputc('\n', out);
}

static void print_group(const struct log_group *g, unsigned int number, int cause, FILE *out,
			const char *const colors[4])
{
	fprintf(out, "\n%u. %s%s%s: ", number, colors[HEAD], g->title, colors[OFF]);
	print_count(g, out);
	fputc('\n', out);
	print_list(out, "", g->channels[0], sizeof(g->channels[0]), g->channel_count, LOG_CHANNELS);
	if (g->has_address && g->low == g->high)
		fprintf(out, "   address %010" PRIx64 "\n", (uint64_t)g->low);
	else if (g->has_address)
		fprintf(out, "   addresses %010" PRIx64 " to %010" PRIx64 "\n", (uint64_t)g->low,
			(uint64_t)g->high);
	print_tps(g, out);
	print_list(out, "methods ", g->methods[0], sizeof(g->methods[0]), g->method_count, LOG_METHODS);
	print_list(out, "busy: ", g->busy[0], sizeof(g->busy[0]), g->busy_count, LOG_UNITS);
	if (cause)
		fprintf(out, "   %sexplained by %d: %s%s\n", colors[DIM], cause, g->because, colors[OFF]);
	if (*g->advice)
		fprintf(out, "   %s=> %s%s\n", colors[GOOD], g->advice, colors[OFF]);
}

int log_place_of(const size_t *order, size_t count, int group)
{
	size_t i;

	for (i = 0; group >= 0 && i < count && i < GROUPS_SHOWN; i++) {
		if (order[i] == (size_t)group)
			return (int)i + 1;
	}

	return 0;
}

static void print_rest(const struct nvfifo_log *log, FILE *out)
{
	if (log->mended)
		fprintf(out, "Lines with damaged characters, which were read as what they most likely were: %lu.\n",
			log->mended);
	if (log->cut)
		fprintf(out, "Lines that are cut: %lu.\n", log->cut);
	if (log->unknown == 1)
		fputs("1 line of the driver was not understood; --all shows it.\n", out);
	else if (log->unknown)
		fprintf(out, "%lu lines of the driver were not understood; --all shows them.\n",
			log->unknown);
}

void nvfifo_log_summary(const struct nvfifo_log *log, FILE *out, const char *const colors[4])
{
	size_t *order = calloc(log->group_count + 1, sizeof(*order)), i, count, roots = 0, hidden = 0;

	if (!order)
		return;

	count = log_order(log, order);
	for (i = 0; i < count; i++)
		roots += log->groups[order[i]].cause < 0;

	fprintf(out, "%sSummary: %lu finding%s in %lu line%s", colors[HEAD], log->explained,
		plural(log->explained), log->records, plural(log->records));
	if (count)
		fprintf(out, "; %zu kind%s, %zu of them without a cause among the others", count, plural(count),
			roots);
	fprintf(out, ".%s\n", colors[OFF]);
	print_cards(log, out);

	for (i = 0; i < count; i++) {
		const struct log_group *g = &log->groups[order[i]];

		if (i < GROUPS_SHOWN)
			print_group(g, (unsigned int)i + 1, log_place_of(order, count, g->cause), out,
				    colors);
		else
			hidden += g->count;
	}

	if (count)
		fputc('\n', out);
	if (hidden)
		fprintf(out, "%zu findings of %zu other kinds are of less weight; --all shows them.\n", hidden,
			count - GROUPS_SHOWN);
	print_rest(log, out);
	free(order);
}
