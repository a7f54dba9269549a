// SPDX-License-Identifier: MIT
/* "nvfifo run --json": one object with the contents of the text output, from the same data. */
#include "json.h"
#include "model/model.h"
#include "run_show.h"
#include "tools.h"

static void json_card(const struct run *r, struct nvfifo_json *j)
{
	if (!r->dev)
		nvfifo_json_null(j, "card");
	else
		nvfifo_json_print(j, "card:{name:%s chipset:%02x node:%s pci:%s}",
				  (const char *)r->card.name, r->card.chipset, nvfifo_path(r->dev),
				  nvfifo_pci_address(r->dev));
}

static void json_buffers(const struct run *r, struct nvfifo_json *j)
{
	size_t i;

	nvfifo_json_open(j, "buffers", '[');
	for (i = 0; i < r->prog->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &r->prog->buffers[i];

		nvfifo_json_print(j, "{name:%s space:%s bytes:%llu domain:%s", b->name,
				  r->prog->spaces[b->space].name, b->size,
				  b->domain == DRM_NVFIFO_DOMAIN_VRAM ? "vram" : "system");
		if (b->mapping == NVFIFO_PROG_MAP_NONE)
			nvfifo_json_null(j, "va");
		else
			nvfifo_json_hex(j, "va", 10, b->va);
		nvfifo_json_close(j, '}');
	}
	nvfifo_json_close(j, ']');
}

static void json_words(struct nvfifo_json *j, const char *key, const __u32 *words, __u64 count)
{
	__u64 i;

	nvfifo_json_open(j, key, '[');
	for (i = 0; words && i < count; i++)
		nvfifo_json_hex(j, NULL, 8, words[i]);
	nvfifo_json_close(j, ']');
}

static void json_pushes(const struct run *r, struct nvfifo_json *j)
{
	size_t i;

	nvfifo_json_open(j, "pushes", '[');
	for (i = 0; i < r->prog->push_count; i++) {
		const struct nvfifo_prog_push *p = &r->prog->pushes[i];

		nvfifo_json_print(j, "{name:%s va:%010llx", p->name, run_push_address(r, p));
		json_words(j, "words", p->words.data, p->words.count);
		nvfifo_json_close(j, '}');
	}
	nvfifo_json_close(j, ']');
}

/* All lines of the report, or only those that differ. */
static void json_checks(const struct run *r, struct nvfifo_json *j, const char *key,
			bool differences)
{
	size_t i;

	nvfifo_json_open(j, key, '[');
	for (i = 0; i < r->exec.check_count; i++) {
		const struct nvfifo_exec_check *c = &r->exec.checks[i];

		if (differences && c->ok)
			continue;

		nvfifo_json_print(j, "{line:%u", c->line);
		if (!differences)
			nvfifo_json_bool(j, "ok", c->ok);
		nvfifo_json_print(j, "text:%s}", c->text);
	}
	nvfifo_json_close(j, ']');
}

static void json_memory(const struct run *r, struct nvfifo_json *j)
{
	size_t i;

	nvfifo_json_open(j, "memory", '[');
	for (i = 0; i < r->exec.memory_count; i++) {
		const struct nvfifo_exec_memory *m = &r->exec.memory[i];

		nvfifo_json_print(j, "{buffer:%s offset:%llu", r->prog->buffers[m->buffer].name,
				  m->offset);
		json_words(j, "before", m->before, m->count);
		json_words(j, "after", m->after, m->count);
		nvfifo_json_close(j, '}');
	}
	nvfifo_json_close(j, ']');
}

static void json_channel(const struct run *r, struct nvfifo_json *j, size_t i)
{
	const struct drm_nvfifo_channel_query *q = &r->exec.states[i];
	char error[256] = "", fault[256];

	if (q->error)
		nvfifo_exec_error_text(q, error, sizeof(error));
	nvfifo_json_print(j, "{name:%s hw_id:%u state:%s get:%010llx put:%010llx ib_get:%u "
			  "ib_put:%u ref:%08x error:%u error_code:%08x error_detail:%08x "
			  "error_text:%s fault_text:%s}", r->prog->channels[i].name, q->hw_id,
			  q->state == DRM_NVFIFO_CHANNEL_DEAD ? "dead" : "alive", q->get, q->put,
			  q->ib_get, q->ib_put, q->ref, q->error, q->error_code, q->error_detail,
			  error, nvfifo_exec_fault_text(r->exec.chipset, q, fault, sizeof(fault)));
}

static void json_fence(const struct run *r, struct nvfifo_json *j, size_t i)
{
	const struct nvfifo_exec_fence *f = &r->exec.fences[i];

	nvfifo_json_print(j, "{name:%s submitted:%i", r->prog->fences[i], f->submitted);
	if (f->submitted)
		nvfifo_json_print(j, "channel:%s seqno:%llu status:%d",
				  r->prog->channels[f->channel].name, f->seqno, f->status);
	nvfifo_json_close(j, '}');
}

/* The parts of the program that the model left out */
static void json_missing(const struct run *r, struct nvfifo_json *j)
{
	struct nvsim_missing m;
	unsigned int i;

	nvfifo_json_open(j, "not_modelled", '[');
	for (i = 0; r->card_model && model_missing(r->card_model, i, &m); i++)
		nvfifo_json_print(j, "{kind:%s count:%llu first:%s}", m.name, (__u64)m.count,
				  m.first);
	nvfifo_json_close(j, ']');
}

static void json_results(const struct run *r, struct nvfifo_json *j)
{
	bool complete = r->verdict == VERDICT_PASS || r->verdict == VERDICT_FAIL ||
			r->verdict == VERDICT_NOT_MODELLED;
	size_t i;

	json_checks(r, j, "checks", false);
	json_checks(r, j, "differences", true);
	json_missing(r, j);
	json_memory(r, j);
	nvfifo_json_open(j, "channels", '[');
	for (i = 0; complete && i < r->prog->channel_count; i++)
		json_channel(r, j, i);
	nvfifo_json_print(j, "] fences:[");
	for (i = 0; complete && i < r->prog->fence_count; i++)
		json_fence(r, j, i);
	nvfifo_json_close(j, ']');
}

void run_print_json(const struct run *r, int code)
{
	static const char *const verdicts[] = { "PASS", "FAIL", "SKIP", "DRY RUN", "ERROR",
					       "STOPPED", "NOT MODELLED" };
	struct nvfifo_json j = JSON_TO(stdout);

	nvfifo_json_print(&j, "{program:%s verdict:%s exit:%d why:%s", r->name,
			  verdicts[r->verdict], code, r->why);
	json_card(r, &j);
	if (r->prog) {
		nvfifo_json_string(&j, "title", r->prog->title);
		json_buffers(r, &j);
		json_pushes(r, &j);
		json_results(r, &j);
	} else {
		json_checks(r, &j, "differences", true);
	}

	nvfifo_json_end(&j, '}');
}
