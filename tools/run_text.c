// SPDX-License-Identifier: MIT
/*
 * "nvfifo run" for a person. The order is: buffers, objects, each pushbuffer disassembled, each
 * step as it happens, memory before and after, channels, fences, and the verdict.
 */
#include <stdlib.h>
#include <string.h>

#include "disasm_json.h"
#include "json.h"
#include "model/model.h"
#include "nvfifo_names.h"
#include "run_show.h"
#include "step.h"
#include "tools.h"

/* Longer stretches of memory that did not change are shortened. */
#define UNCHANGED_SHOWN 4

void run_print_head(const char *text)
{
	printf("%s%s%s\n", color(COLOR_HEAD), text, color(COLOR_OFF));
}

/* --- The program --------------------------------------------------------- */

static void print_mapping(const struct nvfifo_prog_buffer *b)
{
	static const struct {
		__u32 flag;
		const char *text;
	} flags[] = {
		{ DRM_NVFIFO_VM_BIND_READ_ONLY, "read only" },
		{ DRM_NVFIFO_VM_BIND_SUPERVISOR, "supervisor" },
		{ DRM_NVFIFO_VM_BIND_NOSNOOP, "not snooped" },
		{ DRM_NVFIFO_VM_BIND_LONG_CYCLE, "long cycle" },
		{ DRM_NVFIFO_VM_BIND_ENCRYPTED, "encrypted" },
	};
	size_t i;

	printf("at 0x%010llx", b->va);

	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (b->flags & flags[i].flag)
			printf(", %s", flags[i].text);
	}

	if (b->kind)
		printf(", kind 0x%02x", b->kind);
	if (b->compression)
		printf(", %s compression",
		       b->compression == DRM_NVFIFO_COMPRESSION_SINGLE ? "single" : "double");
	if (b->page_shift)
		printf(", pages of %u KiB", 1u << (b->page_shift - 10));
	putchar('\n');
}

static void print_buffers(const struct run *r)
{
	size_t i;

	run_print_head("buffers");

	for (i = 0; i < r->prog->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &r->prog->buffers[i];

		const char *how = "";

		if (b->bo_flags & DRM_NVFIFO_BO_CONTIGUOUS)
			how = ", contiguous";
		else if (b->bo_flags & DRM_NVFIFO_BO_WC)
			how = ", write-combined";

		printf("  %-12s 0x%llx bytes of %s%s, ", b->name, b->size,
		       b->domain == DRM_NVFIFO_DOMAIN_VRAM ? "VRAM" : "system memory", how);
		if (b->space)
			printf("space %s, ", r->prog->spaces[b->space].name);
		if (b->mapping == NVFIFO_PROG_MAP_NONE)
			puts("not mapped");
		else
			print_mapping(b);
	}
}

/* Attributes of a DMA object that override the page's */
static void print_overrides(const struct nvfifo_prog_object *o)
{
	static const char *const access[] = { "", ", read only", ", read and write" };
	static const char *const user[] = { "", ", for all", ", supervisor accesses only" };
	static const char *const cycle[] = { "", ", short cycle", ", long cycle" };
	static const char *const compression[] = { "no", "single", "double" };

	printf("%s%s%s", access[o->access], user[o->user], cycle[o->cycle]);
	if (o->flags & DRM_NVFIFO_OBJECT_SUPERVISOR)
		printf(", supervisor");
	if (o->flags & DRM_NVFIFO_OBJECT_KIND)
		printf(", kind 0x%02x", o->kind);
	if (o->flags & DRM_NVFIFO_OBJECT_COMPRESSION)
		printf(", %s compression", compression[o->compression]);
	if (o->flags & DRM_NVFIFO_OBJECT_ENCRYPTED)
		printf(", encrypted");
	putchar('\n');
}

static void print_dma_object(const struct run *r, const struct nvfifo_prog_object *o)
{
	if (o->flags & DRM_NVFIFO_OBJECT_UNPAGED)
		printf(", 0x%llx bytes of %s+0x%llx past the page tables", o->size,
		       r->prog->buffers[o->buffer].name, o->start);
	else
		printf(", addresses 0x%010llx to 0x%010llx", o->start, o->start + o->size - 1);
	print_overrides(o);
}

static void print_objects(const struct run *r)
{
	size_t i;

	if (!r->prog->object_count)
		return;

	run_print_head("objects");

	for (i = 0; i < r->prog->object_count; i++) {
		const struct nvfifo_prog_object *o = &r->prog->objects[i];
		__u32 oclass = nvfifo_prog_class(o, r->chipset);
		const char *name = nvfifo_class_name(oclass);
		const char *owner = "every channel";

		if (o->software)
			name = "software";
		if (o->channel >= 0)
			owner = r->prog->channels[o->channel].name;
		printf("  0x%08x   %s, %s", o->handle, owner, name ? name : "class");
		if (o->engine)
			printf(" 0x%04x\n", oclass);
		else
			print_dma_object(r, o);
	}
}

__u64 run_push_address(const struct run *r, const struct nvfifo_prog_push *push)
{
	return r->prog->buffers[push->buffer].va + push->offset;
}

/* With --step: the words with their meanings and their places in the text */
static void json_push(const struct run *r, const struct nvfifo_prog_push *push,
		      struct nvfifo_decoder *d)
{
	struct nvfifo_json j = JSON_TO(stdout);
	static const struct nvfifo_place nowhere;
	char text[DISASM_JSON_MAX];
	struct nvfifo_word w;
	size_t i;

	nvfifo_json_print(&j, "{push:%s line:%u buffer:%s offset:%llu listing:[", push->name,
			  push->line, r->prog->buffers[push->buffer].name, push->offset);
	for (i = 0; i < push->words.count; i++) {
		const struct nvfifo_place *at;
		size_t len;

		nvfifo_decode(d, push->words.data[i], &w);
		len = disasm_json_word(&w, d->format, run_push_address(r, push) + i * 4,
				       w.kind == NVFIFO_WORD_INVALID || w.refused, text);
		text[len - 1] = '\0';
		at = push->words.places ? &push->words.places[i] : &nowhere;
		nvfifo_json_print(&j, "{line:%u column:%u", at->line, at->column);
		nvfifo_json_raw(&j, "word", text);
		nvfifo_json_close(&j, '}');
	}
	nvfifo_json_print(&j, "]}\n");
}

static void list_push(void *ctx, size_t channel, const struct nvfifo_prog_push *push,
		      struct nvfifo_decoder *d, bool seen)
{
	const struct run *r = ctx;
	__u64 address = run_push_address(r, push);
	char line[2 * NVFIFO_WORD_TEXT_MAX];
	struct nvfifo_word w;
	size_t i;

	(void)channel;
	if (r->json && !seen) {
		json_push(r, push, d);
		return;
	}

	if (!seen)
		printf("%spushbuffer %s%s, %zu word%s\n", color(COLOR_HEAD), push->name,
		       color(COLOR_OFF), push->words.count, push->words.count == 1 ? "" : "s");

	for (i = 0; i < push->words.count; i++) {
		bool bad;

		nvfifo_decode(d, push->words.data[i], &w);
		if (seen)
			continue;

		bad = w.kind == NVFIFO_WORD_INVALID || w.refused;
		nvfifo_listing_line(&w, d->format, address + i * 4, line);
		printf("  %s%s%s\n", color_if(bad, COLOR_BAD), line, color_if(bad, COLOR_OFF));
	}
}

void run_init_decoder(const struct nvfifo_prog *p, __u32 chipset, size_t channel,
		      struct nvfifo_decoder *d)
{
	enum nvfifo_format format = NVFIFO_FORMAT_NV04;
	size_t i;

	if (channel < p->channel_count &&
	    p->channels[channel].flags & DRM_NVFIFO_CHANNEL_DMA_MODE)
		format = NVFIFO_FORMAT_NV04_DMA;
	nvfifo_decoder_init(d, format, chipset);

	for (i = 0; i < p->object_count; i++) {
		const struct nvfifo_prog_object *o = &p->objects[i];

		if (o->channel < 0 || (size_t)o->channel == channel)
			nvfifo_decoder_handle(d, o->handle, nvfifo_prog_class(o, chipset));
	}
}

/* The channel in DMA mode that reads the buffer of a pushbuffer, or one past the last. */
static size_t reader(const struct nvfifo_prog *p, const struct nvfifo_prog_push *push)
{
	size_t i;

	for (i = 0; i < p->channel_count; i++) {
		if (p->channels[i].flags & DRM_NVFIFO_CHANNEL_DMA_MODE &&
		    p->channels[i].buffer == push->buffer)
			break;
	}

	return i;
}

/* In the order of submission, as a command may reach from one into the next. */
void run_walk_pushes(const struct run *r, run_push_fn take, void *ctx)
{
	const struct nvfifo_prog *p = r->prog;
	struct nvfifo_decoder *decoders = need(calloc(p->channel_count + 1, sizeof(*decoders)));
	bool *seen = need(calloc(p->push_count + 1, sizeof(*seen)));
	size_t i, j;

	for (i = 0; i <= p->channel_count; i++)
		run_init_decoder(p, r->chipset, i, &decoders[i]);

	for (i = 0; i < p->step_count; i++) {
		const struct nvfifo_prog_step *s = &p->steps[i];

		if (s->type != NVFIFO_STEP_SUBMIT)
			continue;

		for (j = s->first; j < s->first + s->count; j++) {
			unsigned int push = p->entries[j].push;

			take(ctx, s->channel, &p->pushes[push], &decoders[s->channel], seen[push]);
			seen[push] = true;
		}
	}

	for (i = 0; i < p->push_count; i++) {
		size_t channel = reader(p, &p->pushes[i]);

		if (seen[i])
			continue;
		run_init_decoder(p, r->chipset, channel, &decoders[channel]);
		take(ctx, channel, &p->pushes[i], &decoders[channel], false);
	}

	free(decoders);
	free(seen);
}

/* --- Steps as they happen ------------------------------------------------ */

static void print_entry(const struct run *r, size_t index, const struct nvfifo_prog_entry *e)
{
	struct nvfifo_ib_entry ib = nvfifo_exec_entry(r->prog, e);
	__u32 w[2];

	nvfifo_ib_encode(&ib, w);
	printf("             IB entry %zu: %08x %08x = %u word%s at 0x%010llx", index, w[0], w[1],
	       ib.words, ib.words == 1 ? "" : "s", ib.address);
	print_if(ib.not_main, ", not main");
	print_if(ib.no_prefetch, ", no prefetch");
	printf(" (%s)\n", r->prog->pushes[e->push].name);
}

static bool has_entries(const struct run *r, const struct nvfifo_prog_step *s)
{
	return s->type == NVFIFO_STEP_SUBMIT &&
	       !(r->prog->channels[s->channel].flags & DRM_NVFIFO_CHANNEL_DMA_MODE);
}

void run_print_check(void *ctx, const struct nvfifo_exec_check *c)
{
	const struct run *r = ctx;
	const struct nvfifo_prog_step *s;
	size_t i;

	if (!run_is_shown(r) || step_is_replay(r->step))
		return;
	if (!c->ok) {
		printf("  %sDIFFERENT%s  line %u: %s\n", color(COLOR_BAD), color(COLOR_OFF), c->line,
		       c->text);
		return;
	}

	printf("  %sok%s         %s\n", color(COLOR_GOOD), color(COLOR_OFF), c->text);
	if (c->step >= r->prog->step_count)
		return;

	s = &r->prog->steps[c->step];
	for (i = 0; has_entries(r, s) && i < s->count; i++)
		print_entry(r, i, &r->prog->entries[s->first + i]);
}

void run_print_dry(const struct run *r)
{
	const struct nvfifo_prog *p = r->prog;
	size_t i, j;

	run_print_head("submissions");

	for (i = 0; i < p->step_count; i++) {
		const struct nvfifo_prog_step *s = &p->steps[i];

		if (s->type != NVFIFO_STEP_SUBMIT)
			continue;

		printf("  line %-5u  submit to %s", s->line, p->channels[s->channel].name);
		if (s->fence >= 0)
			printf(", fence %s", p->fences[s->fence]);
		putchar('\n');
		for (j = 0; has_entries(r, s) && j < s->count; j++)
			print_entry(r, j, &p->entries[s->first + j]);
	}
}

/* --- The results --------------------------------------------------------- */

static void print_stretch(const struct run *r, const struct nvfifo_exec_memory *m)
{
	__u64 w, same = 0;

	for (w = 0; w < m->count; w++) {
		bool changed = m->after[w] != m->before[w];
		char place[64];

		same = changed ? 0 : same + 1;
		if (same > UNCHANGED_SHOWN && w + 1 < m->count) {
			if (same == UNCHANGED_SHOWN + 1)
				puts("  ...");
			continue;
		}

		snprintf(place, sizeof(place), "%s+0x%04llx", r->prog->buffers[m->buffer].name,
			 (m->offset + w * 4));
		printf("  %-20s %08x %s %s%08x%s\n", place, m->before[w], changed ? "->" : "  ",
		       color_if(changed, COLOR_HEAD), m->after[w], color_if(changed, COLOR_OFF));
	}
}

static void print_memory(const struct run *r)
{
	size_t i;

	if (!r->exec.memory_count)
		return;

	printf("%s%-22s before      after%s\n", color(COLOR_HEAD), "memory", color(COLOR_OFF));
	for (i = 0; i < r->exec.memory_count; i++)
		print_stretch(r, &r->exec.memory[i]);
}

/* The buffer that a channel's fault lies in, or NULL. */
static const struct nvfifo_prog_buffer *fault_buffer(const struct run *r, size_t channel)
{
	const struct drm_nvfifo_channel_query *q = &r->exec.states[channel];
	size_t i;

	for (i = 0; q->fault && i < r->prog->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &r->prog->buffers[i];

		if (b->mapping != NVFIFO_PROG_MAP_NONE && q->fault_address >= b->va &&
		    q->fault_address - b->va < b->size &&
		    b->space == r->prog->channels[channel].space)
			return b;
	}

	return NULL;
}

static void print_channel(const struct run *r, size_t channel)
{
	const struct drm_nvfifo_channel_query *q = &r->exec.states[channel];
	const struct nvfifo_prog_buffer *b = fault_buffer(r, channel);
	bool dead = q->state == DRM_NVFIFO_CHANNEL_DEAD;
	char text[256], pusher[40] = "DMA mode";

	if (!(r->prog->channels[channel].flags & DRM_NVFIFO_CHANNEL_DMA_MODE))
		snprintf(pusher, sizeof(pusher), "ring of %u entries", 1u << (q->ring_order & 31));
	printf("  %-12s PFIFO channel %u, %s, %s%s%s\n", r->prog->channels[channel].name, q->hw_id,
	       pusher, color_if(dead, COLOR_BAD), dead ? "DEAD" : "alive",
	       color_if(dead, COLOR_OFF));
	printf("    GET 0x%010llx  PUT 0x%010llx  IB_GET %u  IB_PUT %u  REF 0x%08x\n", q->get,
	       q->put, q->ib_get, q->ib_put, q->ref);
	if (q->get >= r->card.va_end)
		puts("    GET is in the driver's own entry, which ends each submission");
	if (q->error)
		printf("    %s\n", nvfifo_exec_error_text(q, text, sizeof(text)));
	if (run_mp_line(r, q, text, sizeof(text)))
		printf("    %s\n", text);
	if (q->fault)
		printf("    %s\n", nvfifo_exec_fault_text(r->exec.chipset, q, text, sizeof(text)));
	if (b)
		printf("    that is %s+0x%llx\n", b->name, q->fault_address - b->va);
}

static void print_fence(const struct run *r, size_t i)
{
	const struct nvfifo_exec_fence *f = &r->exec.fences[i];
	const char *name = r->prog->fences[i];

	if (!f->submitted) {
		printf("  %-12s never submitted\n", name);
		return;
	}

	printf("  %-12s channel %s, seqno %llu, ", name, r->prog->channels[f->channel].name,
	       f->seqno);
	if (f->status < 0)
		printf("%sended with error %d, %s%s\n", color(COLOR_BAD), f->status,
		       strerror(-f->status), color(COLOR_OFF));
	else
		puts(f->status ? "signalled" : "not signalled");
}

void run_print_state(const struct run *r)
{
	size_t i;

	print_memory(r);
	run_print_head("channels");
	for (i = 0; i < r->prog->channel_count; i++)
		print_channel(r, i);
	if (!r->prog->fence_count)
		return;

	run_print_head("fences");
	for (i = 0; i < r->prog->fence_count; i++)
		print_fence(r, i);
}

void run_print_missing(const struct run *r)
{
	char text[NVSIM_MISSING_TEXT];
	struct nvsim_missing m;
	unsigned int i;

	for (i = 0; !r->json && model_missing(r->card_model, i, &m); i++)
		printf("the model did not do: %s\n", nvsim_missing_text(&m, text, sizeof(text)));
}

/* The last line, of a program that has failed with @why after its name */
static void print_failure(const struct run *r, const char *verdict, const char *why)
{
	printf("%s%s%s %s: %s\n", color(COLOR_BAD), verdict, color(COLOR_OFF), r->name, why);
}

void run_print_verdict(const struct run *r)
{
	char differences[40];

	switch (r->verdict) {
	case VERDICT_NOT_MODELLED:
		print_failure(r, "NOT MODELLED", "no result for a card");
		break;
	case VERDICT_PASS:
		printf("%sPASS%s %s\n", color(COLOR_GOOD), color(COLOR_OFF), r->name);
		break;
	case VERDICT_FAIL:
		snprintf(differences, sizeof(differences), "%u difference%s", r->exec.failures,
			 r->exec.failures == 1 ? "" : "s");
		print_failure(r, "FAIL", differences);
		break;
	case VERDICT_SKIP:
		printf("SKIP %s: %s\n", r->name, r->why);
		break;
	case VERDICT_DRY:
		printf("DRY RUN %s: nothing was submitted\n", r->name);
		break;
	case VERDICT_STOPPED:
		printf("STOPPED %s: after word %lu\n", r->name, step_quit_at(r->step));
		break;
	case VERDICT_ERROR:
		if (r->wrong)
			print_failure(r, "FAIL", "the card cannot do what it says");
		else if (r->dev)
			print_failure(r, "FAIL", "a call was refused");
		break;
	}
}

void run_print_program(struct run *r)
{
	const bool shown = run_is_shown(r);

	if (shown) {
		if (*r->prog->title)
			run_print_head(r->prog->title);
		print_buffers(r);
		print_objects(r);
	}

	if ((shown && !r->quiet) || (!shown && r->step))
		run_walk_pushes(r, list_push, r);
}
