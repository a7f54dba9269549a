// SPDX-License-Identifier: MIT
/* "nvfifo run --model --step --json": a stop as a line of JSON, complete for a drawing. */
#include <string.h>

#include "json.h"
#include "nvfifo_fmt.h"
#include "nvfifo_reg_table.h"
#include "step_json.h"

/* Methods of the cache that a stop lists */
#define CACHED_SHOWN	16

static void json_position(struct nvfifo_json *j, const struct model_position *p)
{
	nvfifo_json_number(j, "channel", p->channel);
	nvfifo_json_hex(j, "get", 10, p->get);
	nvfifo_json_hex(j, "put", 10, p->put);
	nvfifo_json_number(j, "ib_get", p->ib_get);
	nvfifo_json_number(j, "ib_put", p->ib_put);
	nvfifo_json_number(j, "left", p->left);
	nvfifo_json_number(j, "executed", (__s64)p->methods);
}

static void json_registers(struct nvfifo_json *j, struct model *m)
{
	static const struct {
		const char *name;
		__u32 reg;
	} list[] = {
#define ROW(reg) { "CACHE1." #reg, NV_CACHE1_##reg }
		ROW(PUSH1), ROW(DMA_STATE), ROW(PULL0), ROW(ENGINE), ROW(HASH), ROW(REF),
#undef ROW
	};
	size_t i;

	nvfifo_json_open(j, "registers", '{');
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		nvfifo_json_hex(j, list[i].name, 8, model_register(m, list[i].reg));
	nvfifo_json_close(j, '}');
}

static void json_cache(struct nvfifo_json *j, struct model *m)
{
	struct model_cached cache[MODEL_CACHE];
	unsigned int count = model_cache(m, cache), i;

	nvfifo_json_number(j, "cached", count);
	nvfifo_json_open(j, "cache", '[');
	for (i = 0; i < count && i < CACHED_SHOWN; i++) {
		nvfifo_json_open(j, NULL, '{');
		nvfifo_json_number(j, "subchannel",
				   NV_FLD_GET(NV_CACHE1_CACHE_MTHD__SUBCHANNEL, cache[i].method));
		nvfifo_json_hex(j, "method", 4, cache[i].method & 0x1ffc);
		nvfifo_json_hex(j, "data", 8, cache[i].data);
		nvfifo_json_close(j, '}');
	}
	nvfifo_json_close(j, ']');
}

static void json_ramht(struct nvfifo_json *j, const struct nvsim_ramht_lookup *l)
{
	if (!l->count) {
		nvfifo_json_null(j, "ramht");
		return;
	}

	nvfifo_json_open(j, "ramht", '{');
	nvfifo_json_number(j, "lookups", (__s64)l->count);
	nvfifo_json_hex(j, "handle", 8, l->handle);
	nvfifo_json_number(j, "hash", l->hash);
	nvfifo_json_bool(j, "found", l->found);
	nvfifo_json_number(j, "slot", l->slot);
	nvfifo_json_hex(j, "context", 8, l->context);
	nvfifo_json_close(j, '}');
}

static void json_walk(struct nvfifo_json *j, const char *key, const struct nvsim_walk *w)
{
	static const char *const targets[] = { "VRAM", "VRAM", "system memory", "system memory" };

	if (!w->count) {
		nvfifo_json_null(j, key);
		return;
	}

	nvfifo_json_open(j, key, '{');
	nvfifo_json_number(j, "walks", (__s64)w->count);
	nvfifo_json_string(j, "engine", w->engine ? "PFIFO" : "PGRAPH");
	nvfifo_json_bool(j, "write", w->write);
	nvfifo_json_bool(j, "tlb", w->tlb_hit);
	nvfifo_json_hex(j, "va", 10, w->va);
	nvfifo_json_number(j, "pde_index", (__s64)(w->va >> NVFIFO_PDE_SHIFT));
	nvfifo_json_hex(j, "pde", 16, w->pde);
	nvfifo_json_hex(j, "pte_at", 10, w->pte_at);
	nvfifo_json_hex(j, "pte", 16, w->pte);
	nvfifo_json_bool(j, "fault", w->reason >= 0);
	nvfifo_json_string(j, "target", targets[w->target & 3]);
	nvfifo_json_hex(j, "address", 10, w->linear);
	nvfifo_json_close(j, '}');
}

/* Return: the words that differ, of which the first ones are listed. */
static unsigned long json_changes(struct nvfifo_json *j, const char *label, const __u32 *old,
				  const __u32 *new, __u64 size, unsigned long changes)
{
	__u64 i;

	if (!memcmp(old, new, size))
		return changes;

	for (i = 0; i < size / 4; i++) {
		if (old[i] == new[i] || changes++ >= STEP_CHANGES)
			continue;

		nvfifo_json_open(j, NULL, '{');
		nvfifo_json_string(j, "buffer", label);
		nvfifo_json_number(j, "offset", (__s64)i * 4);
		nvfifo_json_hex(j, "before", 8, old[i]);
		nvfifo_json_hex(j, "after", 8, new[i]);
		nvfifo_json_close(j, '}');
	}

	return changes;
}

static void json_memory(struct nvfifo_json *j, const struct step_record *r)
{
	unsigned long changes = 0;
	const char *label;
	const void *memory;
	__u64 size;
	size_t i;

	nvfifo_json_open(j, "memory", '[');
	for (i = 0; i < r->shadow_count; i++) {
		memory = model_buffer(r->model, i, &size, &label);
		if (memory)
			changes = json_changes(j, label, r->shadows[i], memory, size, changes);
	}
	nvfifo_json_close(j, ']');
	nvfifo_json_number(j, "changed", (__s64)changes);
}

void step_print_json(const struct step_record *r)
{
	struct nvfifo_json j = JSON_TO(stdout);
	struct nvsim_lookups lookups;
	unsigned int i;

	model_lookups(r->model, &lookups);
	nvfifo_json_open(&j, NULL, '{');
	nvfifo_json_number(&j, "step", (__s64)r->word);
	json_position(&j, &r->position);
	if (r->value) {
		nvfifo_json_hex(&j, "value", 8, *r->value);
		nvfifo_json_string(&j, "buffer", r->buffer);
		nvfifo_json_number(&j, "offset", (__s64)r->offset);
	}
	json_registers(&j, r->model);
	json_cache(&j, r->model);
	json_ramht(&j, &lookups.ramht);
	json_walk(&j, "fetch", &lookups.fetch);
	json_walk(&j, "access", &lookups.access);
	nvfifo_json_open(&j, "card", '[');
	for (i = 0; i < r->trace_count; i++)
		nvfifo_json_string(&j, NULL, r->trace[i]);
	nvfifo_json_close(&j, ']');
	json_memory(&j, r);
	nvfifo_json_end(&j, '}');
}
