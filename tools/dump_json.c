// SPDX-License-Identifier: MIT
/* A dump of the driver as one object of JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dump_show.h"
#include "json.h"
#include "nvfifo_calc.h"
#include "nvfifo_explain.h"
#include "nvfifo_names.h"
#include "nvfifo_reg.h"
#include "tools.h"

static struct nvfifo_json jw;

static const char *const error_names[] = {
	[DRM_NVFIFO_ERROR_NONE] = "none",
	[DRM_NVFIFO_ERROR_PUSHER] = "DMA_PUSHER",
	[DRM_NVFIFO_ERROR_CACHE] = "CACHE_ERROR",
	[DRM_NVFIFO_ERROR_SEMAPHORE] = "SEMAPHORE",
	[DRM_NVFIFO_ERROR_TIMEOUT] = "time-out",
	[DRM_NVFIFO_ERROR_LOST] = "card lost",
	[DRM_NVFIFO_ERROR_GRAPH] = "PGRAPH",
	[DRM_NVFIFO_ERROR_FENCE] = "fence page",
};

static const char *error_name(__u32 error)
{
	return error < sizeof(error_names) / sizeof(error_names[0]) ? error_names[error]
								    : "unknown";
}

static void json_explanation(const char *key, const char *line, __u32 chipset)
{
	struct nvfifo_explanation e;

	if (!*line || nvfifo_explain(line, chipset, &e) != 1)
		return;

	nvfifo_json_open(&jw, key, '{');
	nvfifo_json_string(&jw, "line", line);
	nvfifo_row_json(&jw, "decoded", &e.fields, true);
	nvfifo_json_string(&jw, "advice", e.advice);
	nvfifo_json_close(&jw, '}');
	nvfifo_explanation_free(&e);
}

static void json_mapping(const char *key, const struct nvfifo_coredump_mapping *m)
{
	nvfifo_json_open(&jw, key, '{');
	nvfifo_json_hex(&jw, "first", 10, m->first);
	nvfifo_json_hex(&jw, "last", 10, m->last);
	nvfifo_json_string(&jw, "domain", m->vram ? "vram" : "system");
	nvfifo_json_hex(&jw, "offset", 10, m->offset);
	nvfifo_json_hex(&jw, "kind", 2, m->kind);
	nvfifo_json_number(&jw, "comp", m->comp);
	nvfifo_json_bool(&jw, "read_only", m->read_only);
	nvfifo_json_bool(&jw, "supervisor", m->supervisor);
	nvfifo_json_bool(&jw, "long_cycle", m->long_cycle);
	nvfifo_json_bool(&jw, "encrypted", m->encrypted);
	nvfifo_json_bool(&jw, "nosnoop", m->nosnoop);
	nvfifo_json_string(&jw, "label", m->label);
	nvfifo_json_close(&jw, '}');
}

static void json_address(const char *key, const channel_t *c, __u64 va)
{
	const struct nvfifo_coredump_mapping *below, *above, *m;
	struct nvfifo_coredump_walk w;

	m = nvfifo_coredump_mapping(c, va, &below, &above);
	nvfifo_coredump_walk(c, va, &w);
	nvfifo_json_open(&jw, key, '{');
	nvfifo_json_hex(&jw, "va", 10, va);
	if (m)
		json_mapping("mapping", m);
	if (!m && below)
		json_mapping("below", below);
	if (!m && above)
		json_mapping("above", above);
	nvfifo_json_bool(&jw, "present", w.present);
	if (w.present)
		nvfifo_json_hex(&jw, "linear", 10, w.linear);
	else
		nvfifo_json_string(&jw, "reason", nvfifo_fault_reason_name(w.reason));
	if (w.pde)
		nvfifo_json_hex(&jw, "pde", 16, w.pde->value);
	if (w.pte)
		nvfifo_json_hex(&jw, "pte", 16, w.pte->value);
	nvfifo_json_close(&jw, '}');
}

static void json_regs(const dump_t *d)
{
	char name[NVFIFO_REG_NAME_MAX];
	struct nvfifo_reg_ref ref;
	size_t i;

	nvfifo_json_open(&jw, "registers", '[');
	for (i = 0; i < d->reg_count; i++) {
		const struct nvfifo_reg *f = NULL;

		nvfifo_reg_at(d->regs[i].address, d->chipset, &ref);
		nvfifo_reg_name(&ref, name);
		nvfifo_json_open(&jw, NULL, '{');
		nvfifo_json_hex(&jw, "address", 6, d->regs[i].address);
		nvfifo_json_string(&jw, "name", name);
		nvfifo_json_hex(&jw, "value", 8, d->regs[i].value);
		nvfifo_json_open(&jw, "fields", '{');
		while (ref.reg && (f = nvfifo_reg_field(ref.reg, d->chipset, f)))
			nvfifo_json_number(&jw, f->name,
					   (d->regs[i].value & nvfifo_reg_mask(f)) >> f->lo);
		nvfifo_json_close(&jw, '}');
		nvfifo_json_close(&jw, '}');
	}
	nvfifo_json_close(&jw, ']');
}

/* Units of PGRAPH that have trapped, if any */
static void json_units(const dump_t *d, const channel_t *c)
{
	unsigned int unit = 0;
	char line[400];

	if (!nvfifo_coredump_unit_line(d, c, &unit, line, sizeof(line)))
		return;

	nvfifo_json_open(&jw, "units", '[');
	do {
		json_explanation(NULL, line, d->chipset);
	} while (nvfifo_coredump_unit_line(d, c, &unit, line, sizeof(line)));

	nvfifo_json_close(&jw, ']');
}

static void json_error(const dump_t *d, const channel_t *c)
{
	const struct nvfifo_coredump_fault *f = nvfifo_coredump_channel_fault(d, c);
	char line[400];

	nvfifo_coredump_line(d, c, line, sizeof(line));
	nvfifo_json_open(&jw, "error", '{');
	nvfifo_json_number(&jw, "kind", c->error);
	nvfifo_json_string(&jw, "name", error_name(c->error));
	nvfifo_json_hex(&jw, "code", 8, c->code);
	nvfifo_json_hex(&jw, "detail", 8, c->detail);
	nvfifo_json_number(&jw, "subchannel", c->method >> 13 & 7);
	nvfifo_json_hex(&jw, "method", 4, c->method & 0x1ffc);
	nvfifo_json_hex(&jw, "data", 8, c->data);
	nvfifo_json_number(&jw, "errno", c->err);
	json_explanation("explained", line, d->chipset);
	json_units(d, c);
	nvfifo_json_close(&jw, '}');
	if (!f)
		return;

	nvfifo_coredump_fault_line(d, f, line, sizeof(line));
	nvfifo_json_open(&jw, "fault", '{');
	nvfifo_json_hex(&jw, "address", 10, f->address);
	nvfifo_json_hex(&jw, "inst", 8, f->inst);
	nvfifo_json_hex(&jw, "engine", 1, f->engine);
	nvfifo_json_hex(&jw, "reason", 1, f->reason);
	nvfifo_json_string(&jw, "reason_name", nvfifo_fault_reason_name(f->reason));
	nvfifo_json_hex(&jw, "client", 2, f->client);
	nvfifo_json_hex(&jw, "slot", 2, f->slot);
	nvfifo_json_string(&jw, "access", f->write ? "write" : "read");
	json_explanation("explained", line, d->chipset);
	json_address("where", c, f->address);
	nvfifo_json_close(&jw, '}');
}

static void json_blame(const channel_t *c, const blame_t *b)
{
	if (b->ib != NVFIFO_COREDUMP_NONE)
		nvfifo_json_number(&jw, "failing_ib", b->ib);
	if (b->segment == NVFIFO_COREDUMP_NONE)
		return;

	nvfifo_json_open(&jw, dump_is_word_error(c) ? "failing_word" : "puller_at", '{');
	nvfifo_json_number(&jw, "segment", b->segment);
	nvfifo_json_number(&jw, "word", b->word + c->segments[b->segment].skip);
	nvfifo_json_hex(&jw, "va", 10, b->va);
	nvfifo_json_hex(&jw, "value", 8, c->segments[b->segment].data[b->word]);
	nvfifo_json_number(&jw, "matches", b->matches);
	nvfifo_json_bool(&jw, "stale", b->stale);
	if (b->stale)
		nvfifo_json_hex(&jw, "seen", 8, b->seen);
	nvfifo_json_close(&jw, '}');
}

static void json_structure(const dump_t *d, const channel_t *c)
{
	__u32 i, j, value;

	nvfifo_json_open(&jw, "ramfc", '[');
	for (i = 0; i < NVFIFO_COREDUMP_RAMFC_WORDS * 4; i += 4) {
		if (!nvfifo_coredump_ramfc(c, i, &value))
			continue;
		nvfifo_json_open(&jw, NULL, '{');
		nvfifo_json_hex(&jw, "offset", 2, i);
		nvfifo_json_string(&jw, "name", nvfifo_ramfc_name(i) ? nvfifo_ramfc_name(i) : "");
		nvfifo_json_hex(&jw, "value", 8, value);
		nvfifo_json_close(&jw, '}');
	}
	nvfifo_json_close(&jw, ']');
	nvfifo_json_open(&jw, "ramht", '[');
	for (i = 0; i < c->ramht_count; i++) {
		nvfifo_json_open(&jw, NULL, '{');
		nvfifo_json_number(&jw, "slot", c->ramht[i].slot);
		nvfifo_json_hex(&jw, "handle", 8, c->ramht[i].handle);
		nvfifo_json_hex(&jw, "context", 8, c->ramht[i].context);
		nvfifo_json_string(&jw, "engine", nvfifo_engine_name(d->chipset, nvfifo_ramht_context_engine(
										    c->ramht[i].context)));
		nvfifo_json_hex(&jw, "object", 5, nvfifo_ramht_context_offset(c->ramht[i].context));
		nvfifo_json_close(&jw, '}');
	}
	nvfifo_json_close(&jw, ']');
	nvfifo_json_open(&jw, "objects", '[');
	for (i = 0; i < c->object_count; i++) {
		const struct nvfifo_coredump_object *o = &c->objects[i];
		struct nvfifo_row r;

		nvfifo_json_open(&jw, NULL, '{');
		nvfifo_json_hex(&jw, "offset", 5, o->offset);
		nvfifo_json_open(&jw, "words", '[');
		for (j = 0; j < o->count; j++)
			nvfifo_json_hex(&jw, NULL, 8, o->words[j]);
		nvfifo_json_close(&jw, ']');
		nvfifo_json_hex(&jw, "class", 4, o->words[0] & 0xffff);
		if (dump_is_dma_class(o->words[0] & 0xffff) && o->count >= NVFIFO_DMAOBJ_WORDS) {
			if (dump_dma_row(o, &r)) {
				nvfifo_row_json(&jw, "dma", &r, true);
			}
			nvfifo_row_free(&r);
		}

		nvfifo_json_close(&jw, '}');
	}
	nvfifo_json_close(&jw, ']');
}

struct json_listing {
	const channel_t *c;
	const blame_t *b;
	size_t current;
};

static void json_segment_end(struct json_listing *l)
{
	if (l->current == NVFIFO_COREDUMP_NONE)
		return;
	nvfifo_json_close(&jw, ']');
	nvfifo_json_close(&jw, '}');
}

static int json_word(void *ctx, size_t segment, size_t word, const struct nvfifo_word *w,
		     bool known)
{
	struct json_listing *l = ctx;
	const struct nvfifo_coredump_segment *s = &l->c->segments[segment];
	char text[NVFIFO_WORD_TEXT_MAX] = "";

	if (segment != l->current) {
		json_segment_end(l);
		l->current = segment;
		nvfifo_json_open(&jw, NULL, '{');
		if (s->ib)
			nvfifo_json_number(&jw, "ib", s->index);
		nvfifo_json_number(&jw, "segment", segment);
		nvfifo_json_hex(&jw, "va", 10, s->va);
		nvfifo_json_number(&jw, "words", s->words);
		nvfifo_json_number(&jw, "skip", s->skip);
		nvfifo_json_open(&jw, "data", '[');
	}

	if (known)
		nvfifo_word_text(w, nvfifo_coredump_format(l->c), text);
	nvfifo_json_open(&jw, NULL, '{');
	nvfifo_json_hex(&jw, "word", 8, w->word);
	nvfifo_json_string(&jw, "text", text + strspn(text, " "));
	if (segment == l->b->segment && word == l->b->word)
		nvfifo_json_bool(&jw, dump_is_word_error(l->c) ? "failing" : "puller", true);
	if (segment == l->b->get_segment && word == l->b->get_word)
		nvfifo_json_bool(&jw, "get", true);
	nvfifo_json_close(&jw, '}');

	return 0;
}

static void json_pushbuffer(const dump_t *d, const channel_t *c, const blame_t *b)
{
	struct json_listing l = { .c = c, .b = b, .current = NVFIFO_COREDUMP_NONE };
	size_t i;

	if (!c->dma) {
		nvfifo_json_open(&jw, "ring", '{');
		nvfifo_json_hex(&jw, "va", 10, c->ring);
		nvfifo_json_number(&jw, "order", c->ring_order);
		nvfifo_json_open(&jw, "entries", '[');
		for (i = 0; i < c->ib_count; i++) {
			struct nvfifo_ib_entry ib = nvfifo_ib_decode(c->ibs[i].words);

			nvfifo_json_open(&jw, NULL, '{');
			nvfifo_json_number(&jw, "index", c->ibs[i].index);
			nvfifo_json_hex(&jw, "w0", 8, c->ibs[i].words[0]);
			nvfifo_json_hex(&jw, "w1", 8, c->ibs[i].words[1]);
			nvfifo_json_hex(&jw, "va", 10, ib.address);
			nvfifo_json_number(&jw, "words", ib.words);
			nvfifo_json_bool(&jw, "not_main", ib.not_main);
			nvfifo_json_bool(&jw, "no_prefetch", ib.no_prefetch);
			nvfifo_json_close(&jw, '}');
		}
		nvfifo_json_close(&jw, ']');
		nvfifo_json_close(&jw, '}');
	}

	nvfifo_json_open(&jw, "segments", '[');
	nvfifo_coredump_decode(d, c, json_word, &l);
	json_segment_end(&l);
	nvfifo_json_close(&jw, ']');
}

static void json_vm(const channel_t *c)
{
	size_t i;

	if (!c->has_vm)
		return;

	nvfifo_json_open(&jw, "vm", '{');
	nvfifo_json_number(&jw, "serial", c->vm);
	nvfifo_json_open(&jw, "mappings", '[');
	for (i = 0; i < c->mapping_count; i++)
		json_mapping(NULL, &c->mappings[i]);
	nvfifo_json_close(&jw, ']');
	nvfifo_json_open(&jw, "pdes", '[');
	for (i = 0; i < c->pde_count; i++) {
		nvfifo_json_open(&jw, NULL, '{');
		nvfifo_json_number(&jw, "index", c->pdes[i].index);
		nvfifo_json_hex(&jw, "value", 16, c->pdes[i].value);
		nvfifo_json_close(&jw, '}');
	}
	nvfifo_json_close(&jw, ']');
	nvfifo_json_open(&jw, "ptes", '[');
	for (i = 0; i < c->pte_count; i++) {
		nvfifo_json_open(&jw, NULL, '{');
		nvfifo_json_hex(&jw, "first", 10, c->ptes[i].first);
		nvfifo_json_hex(&jw, "last", 10, c->ptes[i].last);
		nvfifo_json_hex(&jw, "value", 16, c->ptes[i].value);
		nvfifo_json_close(&jw, '}');
	}
	nvfifo_json_close(&jw, ']');
	nvfifo_json_close(&jw, '}');
}

static void json_channel(const dump_t *d, const channel_t *c)
{
	blame_t b;

	nvfifo_coredump_blame(d, c, &b);
	nvfifo_json_open(&jw, NULL, '{');
	nvfifo_json_number(&jw, "id", c->id);
	nvfifo_json_string(&jw, "state", c->dead ? "dead" : "alive");
	nvfifo_json_string(&jw, "mode", c->dma ? "dma" : "ib");
	nvfifo_json_string(&jw, "queue", c->user ? "user" : "kernel");
	nvfifo_json_hex(&jw, "inst", 8, c->inst);
	json_error(d, c);
	json_blame(c, &b);
	if (c->has_pos) {
		nvfifo_json_open(&jw, "position", '{');
		nvfifo_json_hex(&jw, "get", 10, c->get);
		nvfifo_json_hex(&jw, "put", 10, c->put);
		nvfifo_json_hex(&jw, "mget", 10, c->mget);
		nvfifo_json_hex(&jw, "state", 8, c->state);
		nvfifo_json_number(&jw, "ib_get", c->ib_get);
		nvfifo_json_number(&jw, "ib_put", c->ib_put);
		nvfifo_json_hex(&jw, "ref", 8, c->ref);
		nvfifo_json_close(&jw, '}');
	}

	json_structure(d, c);
	json_pushbuffer(d, c, &b);
	json_vm(c);
	nvfifo_json_close(&jw, '}');
}

void dump_print_json(const dump_t *d)
{
	const char *name = nvfifo_chipset_name(d->chipset);
	size_t i, n = d->problem_count;

	jw = (struct nvfifo_json)JSON_TO(stdout);
	nvfifo_json_open(&jw, NULL, '{');
	nvfifo_json_number(&jw, "version", d->version);
	nvfifo_json_string(&jw, "card", d->card);
	nvfifo_json_string(&jw, "chipset", name ? name : "");
	nvfifo_json_hex(&jw, "chipset_id", 2, d->chipset);
	nvfifo_json_hex(&jw, "boot_0", 8, d->boot_0);
	nvfifo_json_number(&jw, "vram", d->vram);
	nvfifo_json_string(&jw, "kernel", d->kernel);
	nvfifo_json_string(&jw, "machine", d->machine);
	nvfifo_json_string(&jw, "wedged", d->wedged);
	if (d->has_counters) {
		nvfifo_json_number(&jw, "timeouts", d->timeouts);
		nvfifo_json_number(&jw, "errors", d->errors);
		nvfifo_json_number(&jw, "submits", d->submits);
		nvfifo_json_number(&jw, "vram_free", d->vram_free);
	}

	nvfifo_json_bool(&jw, "complete", d->complete);
	nvfifo_json_bool(&jw, "cut", d->cut);
	nvfifo_json_number(&jw, "unknown_lines", d->unknown);
	nvfifo_json_number(&jw, "wrong_lines", d->problem_count);
	nvfifo_json_open(&jw, "problems", '[');
	for (i = 0; i < n && i < NVFIFO_COREDUMP_PROBLEMS; i++) {
		nvfifo_json_open(&jw, NULL, '{');
		nvfifo_json_number(&jw, "line", d->problems[i].line);
		nvfifo_json_number(&jw, "column", d->problems[i].column);
		nvfifo_json_string(&jw, "text", d->problems[i].text);
		nvfifo_json_close(&jw, '}');
	}
	nvfifo_json_close(&jw, ']');
	json_regs(d);
	nvfifo_json_open(&jw, "channels", '[');
	for (i = 0; i < d->channel_count; i++)
		json_channel(d, &d->channels[i]);
	nvfifo_json_close(&jw, ']');
	nvfifo_json_open(&jw, "buffers", '[');
	for (i = 0; i < d->bo_count; i++) {
		nvfifo_json_open(&jw, NULL, '{');
		nvfifo_json_string(&jw, "domain", d->bos[i].vram ? "vram" : "system");
		nvfifo_json_number(&jw, "bytes", d->bos[i].bytes);
		nvfifo_json_string(&jw, "flags", d->bos[i].flags);
		nvfifo_json_number(&jw, "tags", d->bos[i].tags);
		nvfifo_json_string(&jw, "label", d->bos[i].label);
		nvfifo_json_close(&jw, '}');
	}
	nvfifo_json_close(&jw, ']');
	nvfifo_json_close(&jw, '}');
	putchar('\n');
}
