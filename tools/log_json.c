// SPDX-License-Identifier: MIT
/* "nvfifo explain --json": the summary of a log. */
#include <stdlib.h>

#include "log_json.h"
#include "nvfifo_log_priv.h"

static void put_list(struct json *j, const char *name, const char *list, size_t row, size_t count)
{
	size_t i;

	json_open(j, name, '[');
	for (i = 0; i < count; i++)
		json_string(j, NULL, list + i * row);
	json_close(j, ']');
}

static void put_card(struct json *j, const struct log_card *c)
{
	char why[300];

	json_open(j, NULL, '{');
	json_string(j, "address", c->address);
	json_string(j, "chip", c->name);
	json_string(j, "generation", c->generation ? c->generation : "");
	json_number(j, "not_explained", (__s64)c->skipped);
	json_bool(j, "nonsense", log_is_nonsense(c, why, sizeof(why)));
	json_close(j, '}');
}

static void put_group(struct json *j, const struct log_group *g, int cause)
{
	json_open(j, NULL, '{');
	json_string(j, "cls", g->cls);
	json_string(j, "title", g->title);
	json_number(j, "count", (__s64)g->count);
	json_string(j, "first", g->first);
	json_string(j, "last", g->last);
	put_list(j, "channels", g->channels[0], sizeof(g->channels[0]), g->channel_count);
	put_list(j, "methods", g->methods[0], sizeof(g->methods[0]), g->method_count);
	put_list(j, "busy", g->busy[0], sizeof(g->busy[0]), g->busy_count);
	if (g->has_address) {
		json_hex(j, "low", 10, g->low);
		json_hex(j, "high", 10, g->high);
	}

	if (cause) {
		json_number(j, "cause", cause);
		json_string(j, "because", g->because);
	}

	json_string(j, "advice", g->advice);
	json_close(j, '}');
}

void log_summary_json(struct json *j, const struct nvfifo_log *log)
{
	size_t *order = calloc(log->group_count + 1, sizeof(*order)), i, count;

	if (!order)
		return;

	count = log_order(log, order);
	json_open(j, NULL, '{');
	json_open(j, "summary", '{');
	json_number(j, "lines", (__s64)log->records);
	json_number(j, "findings", (__s64)log->explained);
	json_number(j, "not_understood", (__s64)log->unknown);
	json_number(j, "cut", (__s64)log->cut);
	json_number(j, "damaged", (__s64)log->mended);

	json_open(j, "cards", '[');
	for (i = 0; i < log->cards.count; i++)
		put_card(j, &log->cards.list[i]);
	json_close(j, ']');

	json_open(j, "groups", '[');
	for (i = 0; i < count; i++) {
		const struct log_group *g = &log->groups[order[i]];

		put_group(j, g, log_place_of(order, count, g->cause));
	}
	json_close(j, ']');

	json_close(j, '}');
	json_end(j, '}');
	free(order);
}
