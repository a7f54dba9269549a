// SPDX-License-Identifier: MIT
/* A dump of the driver as one object of JSON. */
#include <string.h>

#include "dump_show.h"
#include "json.h"
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

static const char *domain(bool vram)
{
	return vram ? "vram" : "system";
}

static void json_explanation(const char *key, const char *line, __u32 chipset)
{
	struct nvfifo_explanation e;

	if (!*line || nvfifo_explain(line, chipset, &e) != 1)
		return;

	nvfifo_json_open(&jw, key, '{');
	nvfifo_json_string(&jw, "line", line);
	nvfifo_row_json(&jw, "decoded", &e.fields, true);
	nvfifo_json_print(&jw, "advice:%s}", e.advice);
	nvfifo_explanation_free(&e);
}

static void json_mapping(const char *key, const struct nvfifo_coredump_mapping *m)
{
	nvfifo_json_open(&jw, key, '{');
	nvfifo_json_print(&jw, "first:%010llx last:%010llx domain:%s offset:%010llx kind:%02x "
			  "comp:%u read_only:%i supervisor:%i long_cycle:%i encrypted:%i "
			  "nosnoop:%i label:%s}", m->first, m->last, domain(m->vram), m->offset,
			  m->kind, m->comp, m->read_only, m->supervisor, m->long_cycle,
			  m->encrypted, m->nosnoop, m->label);
}

static void json_address(const channel_t *c, __u64 va)
{
	const struct nvfifo_coredump_mapping *below, *above, *m;
	struct nvfifo_coredump_walk w;

	m = nvfifo_coredump_mapping(c, va, &below, &above);
	nvfifo_coredump_walk(c, va, &w);
	nvfifo_json_print(&jw, "where:{va:%010llx", va);
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
		nvfifo_reg_at(d->regs[i].address, d->chipset, &ref);
		nvfifo_reg_name(&ref, name);
		nvfifo_json_print(&jw, "{address:%06x name:%s value:%08x", d->regs[i].address, name,
				  d->regs[i].value);
		json_reg_fields(&jw, &ref, d->chipset, d->regs[i].value);
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
	nvfifo_json_print(&jw, "error:{kind:%u name:%s code:%08x detail:%08x subchannel:%u "
			  "method:%04x data:%08x errno:%d", c->error, error_name(c->error), c->code,
			  c->detail, c->method >> 13 & 7, c->method & 0x1ffc, c->data, c->err);
	json_explanation("explained", line, d->chipset);
	json_units(d, c);
	nvfifo_json_close(&jw, '}');
	if (!f)
		return;

	nvfifo_coredump_fault_line(d, f, line, sizeof(line));
	nvfifo_json_print(&jw, "fault:{address:%010llx inst:%08llx engine:%1x reason:%1x "
			  "reason_name:%s client:%02x slot:%02x access:%s", f->address, f->inst,
			  f->engine, f->reason, nvfifo_fault_reason_name(f->reason), f->client,
			  f->slot, f->write ? "write" : "read");
	json_explanation("explained", line, d->chipset);
	json_address(c, f->address);
	nvfifo_json_close(&jw, '}');
}

static void json_blame(const channel_t *c, const blame_t *b)
{
	if (b->ib != NVFIFO_COREDUMP_NONE)
		nvfifo_json_number(&jw, "failing_ib", (__s64)b->ib);
	if (b->segment == NVFIFO_COREDUMP_NONE)
		return;

	nvfifo_json_open(&jw, dump_is_word_error(c) ? "failing_word" : "puller_at", '{');
	nvfifo_json_print(&jw, "segment:%zu word:%zu va:%010llx value:%08x matches:%u stale:%i",
			  b->segment, b->word + c->segments[b->segment].skip, b->va,
			  c->segments[b->segment].data[b->word], b->matches, b->stale);
	if (b->stale)
		nvfifo_json_hex(&jw, "seen", 8, b->seen);
	nvfifo_json_close(&jw, '}');
}

static void json_objects(const channel_t *c)
{
	size_t i, k;

	nvfifo_json_open(&jw, "objects", '[');
	for (i = 0; i < c->object_count; i++) {
		const struct nvfifo_coredump_object *o = &c->objects[i];
		struct nvfifo_row r;

		nvfifo_json_print(&jw, "{offset:%05x words:[", o->offset);
		for (k = 0; k < o->count; k++)
			nvfifo_json_hex(&jw, NULL, 8, o->words[k]);
		nvfifo_json_print(&jw, "] class:%04x", o->words[0] & 0xffff);
		if (dump_is_dma_object(o)) {
			if (dump_dma_row(o, &r))
				nvfifo_row_json(&jw, "dma", &r, true);
			nvfifo_row_free(&r);
		}

		nvfifo_json_close(&jw, '}');
	}
	nvfifo_json_close(&jw, ']');
}

static void json_structure(const dump_t *d, const channel_t *c)
{
	__u32 i, value;

	nvfifo_json_open(&jw, "ramfc", '[');
	for (i = 0; i < NVFIFO_COREDUMP_RAMFC_WORDS * 4; i += 4) {
		const char *name = nvfifo_ramfc_name(i);

		if (nvfifo_coredump_ramfc(c, i, &value))
			nvfifo_json_print(&jw, "{offset:%02x name:%s value:%08x}", i,
					  name ? name : "", value);
	}
	nvfifo_json_print(&jw, "] ramht:[");
	for (i = 0; i < c->ramht_count; i++) {
		const struct nvfifo_coredump_ramht *e = &c->ramht[i];

		nvfifo_json_print(
		    &jw, "{slot:%u handle:%08x context:%08x engine:%s object:%05x}", e->slot,
		    e->handle, e->context,
		    nvfifo_engine_name(d->chipset, nvfifo_ramht_context_engine(e->context)),
		    nvfifo_ramht_context_offset(e->context));
	}
	nvfifo_json_close(&jw, ']');
	json_objects(c);
}

struct json_listing {
	const channel_t *c;
	const blame_t *b;
	size_t current;
};

static void json_segment_end(struct json_listing *l)
{
	if (l->current != NVFIFO_COREDUMP_NONE)
		nvfifo_json_print(&jw, "]}");
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
		nvfifo_json_print(&jw, "segment:%zu va:%010llx words:%u skip:%u data:[", segment,
				  s->va, s->words, s->skip);
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
		nvfifo_json_print(&jw, "ring:{va:%010llx order:%u entries:[", c->ring,
				  c->ring_order);
		for (i = 0; i < c->ib_count; i++) {
			const __u32 *w = c->ibs[i].words;
			struct nvfifo_ib_entry ib = nvfifo_ib_decode(w);

			nvfifo_json_print(&jw, "{index:%u w0:%08x w1:%08x va:%010llx words:%u "
					  "not_main:%i no_prefetch:%i}", c->ibs[i].index, w[0],
					  w[1], ib.address, ib.words, ib.not_main, ib.no_prefetch);
		}
		nvfifo_json_print(&jw, "]}");
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

	nvfifo_json_print(&jw, "vm:{serial:%u mappings:[", c->vm);
	for (i = 0; i < c->mapping_count; i++)
		json_mapping(NULL, &c->mappings[i]);
	nvfifo_json_print(&jw, "] pdes:[");
	for (i = 0; i < c->pde_count; i++)
		nvfifo_json_print(&jw, "{index:%u value:%016llx}", c->pdes[i].index,
				  c->pdes[i].value);
	nvfifo_json_print(&jw, "] ptes:[");
	for (i = 0; i < c->pte_count; i++)
		nvfifo_json_print(&jw, "{first:%010llx last:%010llx value:%016llx}",
				  c->ptes[i].first, c->ptes[i].last, c->ptes[i].value);
	nvfifo_json_print(&jw, "]}");
}

static void json_channel(const dump_t *d, const channel_t *c)
{
	blame_t b;

	nvfifo_coredump_blame(d, c, &b);
	nvfifo_json_print(&jw, "{id:%u", c->id);
	nvfifo_json_string(&jw, "state", c->dead ? "dead" : "alive");
	nvfifo_json_string(&jw, "mode", c->dma ? "dma" : "ib");
	nvfifo_json_string(&jw, "queue", c->user ? "user" : "kernel");
	nvfifo_json_hex(&jw, "inst", 8, c->inst);
	json_error(d, c);
	json_blame(c, &b);
	if (c->has_pos)
		nvfifo_json_print(&jw, "position:{get:%010llx put:%010llx mget:%010llx state:%08x "
				  "ib_get:%u ib_put:%u ref:%08x}", c->get, c->put, c->mget,
				  c->state, c->ib_get, c->ib_put, c->ref);

	json_structure(d, c);
	json_pushbuffer(d, c, &b);
	json_vm(c);
	nvfifo_json_close(&jw, '}');
}

void dump_print_json(const dump_t *d)
{
	const char *name = nvfifo_chipset_name(d->chipset);
	size_t i;

	jw = (struct nvfifo_json)JSON_TO(stdout);
	nvfifo_json_print(&jw, "{version:%u card:%s chipset:%s chipset_id:%02x boot_0:%08x "
			  "vram:%llu kernel:%s machine:%s wedged:%s", d->version, d->card,
			  name ? name : "", d->chipset, d->boot_0, d->vram, d->kernel, d->machine,
			  d->wedged);
	if (d->has_counters)
		nvfifo_json_print(&jw, "timeouts:%llu errors:%llu submits:%llu vram_free:%llu",
				  d->timeouts, d->errors, d->submits, d->vram_free);

	nvfifo_json_print(&jw, "complete:%i cut:%i unknown_lines:%zu wrong_lines:%zu problems:[",
			  d->complete, d->cut, d->unknown, d->problem_count);
	for (i = 0; i < d->problem_count && i < NVFIFO_COREDUMP_PROBLEMS; i++)
		nvfifo_json_print(&jw, "{line:%u column:%u text:%s}", d->problems[i].line,
				  d->problems[i].column, d->problems[i].text);
	nvfifo_json_close(&jw, ']');
	json_regs(d);
	nvfifo_json_open(&jw, "channels", '[');
	for (i = 0; i < d->channel_count; i++)
		json_channel(d, &d->channels[i]);
	nvfifo_json_print(&jw, "] buffers:[");
	for (i = 0; i < d->bo_count; i++)
		nvfifo_json_print(&jw, "{domain:%s bytes:%llu flags:%s tags:%llu label:%s}",
				  domain(d->bos[i].vram), d->bos[i].bytes, d->bos[i].flags,
				  d->bos[i].tags, d->bos[i].label);
	nvfifo_json_print(&jw, "]}\n");
}
