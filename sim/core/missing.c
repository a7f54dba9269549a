// SPDX-License-Identifier: MIT
/*
 * The register of the parts of programs that the model left out. A program with an entry here has
 * not shown that it runs on a card.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core.h"
#include "missing.h"

/* Entries of one kind; later ones count at the last of these. */
#define SHARE		8

struct sim_missing {
	struct nvsim_missing entry[SHARE * NVSIM_MISSING_COUNT];
	u64 key[SHARE * NVSIM_MISSING_COUNT];
	u32 count;
};

#define NAME(token, name) [NVSIM_MISSING_##token] = (name),
static const char *const names[] = { NVSIM_MISSING_ROWS(NAME) };
#undef NAME

int sim_missing_create(struct nvsim *s)
{
	s->missing = calloc(1, sizeof(*s->missing));
	return s->missing ? 0 : -1;
}

/* The entry of @kind and @key, or a free one, or the last one of a kind that has its share. */
static u32 find(const struct sim_missing *r, enum nvsim_missing_kind kind, u64 key)
{
	u32 i, last = 0, have = 0;

	for (i = 0; i < r->count; i++) {
		if (r->entry[i].kind != kind)
			continue;
		if (r->key[i] == key)
			return i;
		last = i;
		have++;
	}
	return have < SHARE ? r->count : last;
}

void sim_missing(struct nvsim *s, enum nvsim_missing_kind kind, u64 key, const char *fmt, ...)
{
	struct sim_missing *r = s->missing;
	struct nvsim_missing *e;
	char text[sizeof(e->first)];
	va_list args;
	u32 i = find(r, kind, key);

	e = &r->entry[i];
	e->count++;
	if (i < r->count && !s->cfg.trace_mthd)
		return;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (s->cfg.trace_mthd)
		sim_trace(s, "NOT MODELLED %s: %s", names[kind], text);
	if (i < r->count)
		return;

	r->count++;
	r->key[i] = key;
	e->kind = kind;
	e->name = names[kind];
	memcpy(e->first, text, sizeof(text));
}

bool nvsim_get_missing(const struct nvsim *s, unsigned int n, struct nvsim_missing *m)
{
	if (n >= s->missing->count)
		return false;
	*m = s->missing->entry[n];
	return true;
}

const char *nvsim_missing_text(const struct nvsim_missing *m, char *buf, size_t len)
{
	if (m->count > 1)
		snprintf(buf, len, "%s: %s; %llu times", m->name, m->first,
			 (unsigned long long)m->count);
	else
		snprintf(buf, len, "%s: %s", m->name, m->first);
	return buf;
}
