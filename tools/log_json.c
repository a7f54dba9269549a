// SPDX-License-Identifier: MIT
/* "nvfifo explain --json": the summary of a log. */
#include <stdlib.h>

#include "log_json.h"
#include "nvfifo_log_priv.h"

static void put_list(struct nvfifo_json *j, const char *name, const char *list, size_t row,
		     size_t count)
{
	size_t i;

	nvfifo_json_open(j, name, '[');
	for (i = 0; i < count; i++)
		nvfifo_json_string(j, NULL, list + i * row);
	nvfifo_json_close(j, ']');
}

static void put_card(struct nvfifo_json *j, const struct log_card *c)
{
	char why[300];

	nvfifo_json_open(j, NULL, '{');
	nvfifo_json_string(j, "address", c->address);
	nvfifo_json_string(j, "chip", c->name);
	nvfifo_json_string(j, "generation", c->generation ? c->generation : "");
	nvfifo_json_number(j, "not_explained", (__s64)c->skipped);
	nvfifo_json_bool(j, "nonsense", log_is_nonsense(c, why, sizeof(why)));
	nvfifo_json_close(j, '}');
}

static void put_group(struct nvfifo_json *j, const struct log_group *g, int cause)
{
	nvfifo_json_open(j, NULL, '{');
	nvfifo_json_string(j, "cls", g->cls);
	nvfifo_json_string(j, "title", g->title);
	nvfifo_json_number(j, "count", (__s64)g->count);
	nvfifo_json_string(j, "first", g->first);
	nvfifo_json_string(j, "last", g->last);
	put_list(j, "channels", g->channels[0], sizeof(g->channels[0]), g->channel_count);
	put_list(j, "methods", g->methods[0], sizeof(g->methods[0]), g->method_count);
	put_list(j, "busy", g->busy[0], sizeof(g->busy[0]), g->busy_count);
	if (g->has_address) {
		nvfifo_json_hex(j, "low", 10, g->low);
		nvfifo_json_hex(j, "high", 10, g->high);
	}

	if (cause) {
		nvfifo_json_number(j, "cause", cause);
		nvfifo_json_string(j, "because", g->because);
	}

	nvfifo_json_string(j, "advice", g->advice);
	nvfifo_json_close(j, '}');
}

void log_summary_json(struct nvfifo_json *j, const struct nvfifo_log *log)
{
	size_t *order = calloc(log->group_count + 1, sizeof(*order)), i, count;

	if (!order)
		return;

	count = log_order(log, order);
	nvfifo_json_open(j, NULL, '{');
	nvfifo_json_open(j, "summary", '{');
	nvfifo_json_number(j, "lines", (__s64)log->records);
	nvfifo_json_number(j, "findings", (__s64)log->explained);
	nvfifo_json_number(j, "not_understood", (__s64)log->unknown);
	nvfifo_json_number(j, "cut", (__s64)log->cut);
	nvfifo_json_number(j, "damaged", (__s64)log->mended);

	nvfifo_json_open(j, "cards", '[');
	for (i = 0; i < log->cards.count; i++)
		put_card(j, &log->cards.list[i]);
	nvfifo_json_close(j, ']');

	nvfifo_json_open(j, "groups", '[');
	for (i = 0; i < count; i++) {
		const struct log_group *g = &log->groups[order[i]];

		put_group(j, g, log_place_of(order, count, g->cause));
	}
	nvfifo_json_close(j, ']');

	nvfifo_json_close(j, '}');
	nvfifo_json_end(j, '}');
	free(order);
}
