// SPDX-License-Identifier: MIT
/*
 * "nvfifo run": do what a text program says and compare.
 *
 * The library's executor does the work. This file prints, in this order: the card,
 * buffers, objects, each pushbuffer disassembled, each step as it happens, memory before
 * and after, the channels, the fences, and one line with the verdict; or, with --json, one
 * object with the same from the same data.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "model/model.h"
#include "nvfifo_exec.h"
#include "nvfifo_names.h"
#include "options.h"
#include "png.h"
#include "step.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo run [OPTIONS] FILE.nvp\n\n"
	"Run a text program on the card: make its buffers, channels and objects, submit its\n"
	"pushbuffers, and compare memory with what the program expects. The format is\n"
	"described in nvfifo-program(5).\n\n"
	"Options:\n"
	"  -d, --device D    /dev/dri/renderD128, or a PCI address such as 0000:01:00.0;\n"
	"                    the first card of the nvfifo driver if not given\n"
	"  -m, --model[=CHIPSET]\n"
	"                    on the model of the card inside this process: no kernel, no driver,\n"
	"                    no card; g84 if not given\n"
	"  -s, --step        with --model: stop after each word that the pusher takes, see below\n"
	"  -t, --timeout MS  how long a wait may take, 1 to 600000, default 5000\n"
	"  -i, --images DIR  write the program's images there, as NAME.png\n"
	"  -q, --quiet       print no pushbuffers, memory, channels and fences\n"
	"  -n, --dry-run     read the program, print pushbuffers and IB entries, use no card\n"
	"  --json            one object of JSON: verdict, checks, differences, memory, channels,\n"
	"                    fences, buffers, pushbuffers\n"
	"  --color WHEN      auto (default), always, never\n\n"
	"--step shows, after each word that the pusher has taken, where pusher and puller are,\n"
	"what the card did and the memory that changed since the last stop, and asks: Enter or\n"
	"s [N] goes on, b [N] back, g N to a word, c to the end, q stops the program. The model does\n"
	"the same each time, so that a step back is exact.\n\n"
	"The last line is PASS, FAIL, SKIP (the card lacks what the program requires) or STOPPED\n"
	"(by q), and the program's name.\n\n"
	"Exit codes: 0 passed, skipped or stopped, 1 something differed or a channel died unexpectedly,\n"
	"2 wrong option or an error in the program, 3 no card, or it refused a call.\n\n"
	"Examples:\n"
	"  nvfifo run --model examples/01-refcnt-semaphore.nvp\n"
	"  nvfifo run --model=mcp89 --step examples/01-refcnt-semaphore.nvp\n"
	"  nvfifo run examples/01-refcnt-semaphore.nvp\n"
	"  nvfifo run --dry-run examples/02-semaphore-pair.nvp\n"
	"  nvfifo run --images /tmp examples/08-drawing.nvp\n"
	"  nvfifo run --timeout 60000 --device 01:00.0 my.nvp\n";

#define MS 1000000LL
/* Longer stretches of memory that did not change are shortened. */
#define UNCHANGED_SHOWN 4

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_SKIP, VERDICT_DRY, VERDICT_ERROR, VERDICT_STOPPED };

struct run {
	const char *name;	/* of the program, for the verdict */
	const struct nvfifo_prog *prog;
	const char *images;	/* directory for them, or NULL */
	bool quiet;
	bool json;
	struct nvfifo_dev *dev;	/* NULL in a dry run */
	const char *model;	/* chipset of the model in this process, or NULL */
	struct step *step;	/* stops after each word, or NULL */
	struct model *card_model;
	struct drm_nvfifo_query_device card;
	__u32 chipset;
	struct nvfifo_exec exec;
	enum verdict verdict;
	bool wrong;		/* the program asks for what the card cannot do */
	char why[600];		/* a program was skipped, or what was wrong */
};

static void head(const char *text)
{
	printf("%s%s%s\n", color(COLOR_HEAD), text, color(COLOR_OFF));
}

/* --- What the program is ------------------------------------------------- */

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

	printf("at 0x%010llx", (unsigned long long)b->va);
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

	head("buffers");
	for (i = 0; i < r->prog->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &r->prog->buffers[i];

		printf("  %-12s 0x%llx bytes of %s%s, ", b->name, (unsigned long long)b->size,
		       b->domain == DRM_NVFIFO_DOMAIN_VRAM ? "VRAM" : "system memory",
		       b->bo_flags & DRM_NVFIFO_BO_CONTIGUOUS ? " in one piece" :
		       b->bo_flags & DRM_NVFIFO_BO_WC	      ? ", write-combined" :
								"");
		if (b->space)
			printf("space %s, ", r->prog->spaces[b->space].name);
		if (b->mapping == NVFIFO_PROG_MAP_NONE)
			puts("not mapped");
		else
			print_mapping(b);
	}
}

/* What a DMA object says instead of the page. */
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
		printf(", 0x%llx bytes of %s+0x%llx past the page tables",
		       (unsigned long long)o->size, r->prog->buffers[o->buffer].name,
		       (unsigned long long)o->start);
	else
		printf(", addresses 0x%010llx to 0x%010llx", (unsigned long long)o->start,
		       (unsigned long long)(o->start + o->size - 1));
	print_overrides(o);
}

static void print_objects(const struct run *r)
{
	size_t i;

	if (!r->prog->object_count)
		return;
	head("objects");
	for (i = 0; i < r->prog->object_count; i++) {
		const struct nvfifo_prog_object *o = &r->prog->objects[i];
		__u32 oclass = nvfifo_prog_class(o, r->chipset);
		const char *name = nvfifo_class_name(oclass);

		printf("  0x%08x   %s, %s", o->handle,
		       o->channel < 0 ? "every channel" : r->prog->channels[o->channel].name,
		       name ? name : "class");
		if (o->engine)
			printf(" 0x%04x\n", oclass);
		else
			print_dma_object(r, o);
	}
}

static __u64 push_address(const struct run *r, const struct nvfifo_prog_push *push)
{
	return r->prog->buffers[push->buffer].va + push->offset;
}

static void list_push(const struct run *r, const struct nvfifo_prog_push *push,
		      struct nvfifo_decoder *d, bool print)
{
	__u64 address = push_address(r, push);
	char line[2 * NVFIFO_WORD_TEXT_MAX];
	struct nvfifo_word w;
	size_t i;

	if (print)
		printf("%spushbuffer %s%s, %zu word%s\n", color(COLOR_HEAD), push->name,
		       color(COLOR_OFF), push->words.count, push->words.count == 1 ? "" : "s");
	for (i = 0; i < push->words.count; i++) {
		bool bad;

		nvfifo_decode(d, push->words.data[i], &w);
		if (!print)
			continue;
		bad = w.kind == NVFIFO_WORD_INVALID || w.refused;
		nvfifo_listing_line(&w, d->format, address + i * 4, line);
		printf("  %s%s%s\n", bad ? color(COLOR_BAD) : "", line,
		       bad ? color(COLOR_OFF) : "");
	}
}

static void init_decoder(const struct run *r, size_t channel, struct nvfifo_decoder *d)
{
	size_t i;

	enum nvfifo_format format = NVFIFO_FORMAT_NV04;

	if (channel < r->prog->channel_count &&
	    r->prog->channels[channel].flags & DRM_NVFIFO_CHANNEL_DMA_MODE)
		format = NVFIFO_FORMAT_NV04_DMA;
	nvfifo_decoder_init(d, format, r->chipset);
	for (i = 0; i < r->prog->object_count; i++) {
		const struct nvfifo_prog_object *o = &r->prog->objects[i];

		if (o->channel < 0 || (size_t)o->channel == channel)
			nvfifo_decoder_handle(d, o->handle, nvfifo_prog_class(o, r->chipset));
	}
}

/* In the order of submission, as a command may reach from one into the next. */
static int list_pushes(const struct run *r)
{
	const struct nvfifo_prog *p = r->prog;
	struct nvfifo_decoder *decoders = calloc(p->channel_count + 1, sizeof(*decoders));
	bool *seen = calloc(p->push_count + 1, sizeof(*seen));
	size_t i, j;

	if (!decoders || !seen) {
		free(decoders);
		free(seen);
		fputs("nvfifo: out of memory\n", stderr);
		return EXIT_DEVICE;
	}
	for (i = 0; i <= p->channel_count; i++)
		init_decoder(r, i, &decoders[i]);
	for (i = 0; i < p->step_count; i++) {
		const struct nvfifo_prog_step *s = &p->steps[i];

		if (s->type != NVFIFO_STEP_SUBMIT)
			continue;
		for (j = s->first; j < s->first + s->count; j++) {
			unsigned int push = p->entries[j].push;

			list_push(r, &p->pushes[push], &decoders[s->channel], !seen[push]);
			seen[push] = true;
		}
	}
	for (i = 0; i < p->push_count; i++) {
		if (seen[i])
			continue;
		init_decoder(r, p->channel_count, &decoders[p->channel_count]);
		list_push(r, &p->pushes[i], &decoders[p->channel_count], true);
	}
	free(decoders);
	free(seen);
	return EXIT_OK;
}

/* --- Steps as they happen ------------------------------------------------ */

static void print_entry(const struct run *r, size_t index, const struct nvfifo_prog_entry *e)
{
	struct nvfifo_ib_entry ib = nvfifo_exec_entry(r->prog, e);
	__u32 w[2];

	nvfifo_ib_encode(&ib, w);
	printf("             IB entry %zu: %08x %08x = %u word%s at 0x%010llx%s%s (%s)\n", index,
	       w[0], w[1], ib.words, ib.words == 1 ? "" : "s", (unsigned long long)ib.address,
	       ib.not_main ? ", not main" : "", ib.no_prefetch ? ", no prefetch" : "",
	       r->prog->pushes[e->push].name);
}

static bool has_entries(const struct run *r, const struct nvfifo_prog_step *s)
{
	return s->type == NVFIFO_STEP_SUBMIT &&
	       !(r->prog->channels[s->channel].flags & DRM_NVFIFO_CHANNEL_DMA_MODE);
}

static void on_check(void *ctx, const struct nvfifo_exec_check *c)
{
	const struct run *r = ctx;
	const struct nvfifo_prog_step *s;
	size_t i;

	if (r->json || step_is_replay(r->step))
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

static int on_image(void *ctx, const struct nvfifo_prog_image *im, const unsigned char *rgb,
		    char *text)
{
	const struct run *r = ctx;
	char path[4096];
	int ret = 0;

	if (!r->images) {
		snprintf(text, 256, "image %s, %u x %u, for --images", im->name, im->width,
			 im->height);
		return 0;
	}
	if (snprintf(path, sizeof(path), "%s/%s.png", r->images, im->name) >= (int)sizeof(path))
		ret = -ENAMETOOLONG;
	if (!ret)
		ret = png_write(path, rgb, im->width, im->height);
	if (ret)
		snprintf(text, 256, "cannot write %.160s: %s", path, strerror(-ret));
	else
		snprintf(text, 256, "image %s, %u x %u, is in %.160s", im->name, im->width,
			 im->height, path);
	return ret;
}

static void dry_steps(const struct run *r)
{
	const struct nvfifo_prog *p = r->prog;
	size_t i, j;

	head("submissions");
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

/* --- What came of it ----------------------------------------------------- */

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
			 (unsigned long long)(m->offset + w * 4));
		printf("  %-20s %08x %s %s%08x%s\n", place, m->before[w], changed ? "->" : "  ",
		       changed ? color(COLOR_HEAD) : "", m->after[w],
		       changed ? color(COLOR_OFF) : "");
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
	char text[256];

	printf("  %-12s PFIFO channel %u, ring of %u entries, %s%s%s\n",
	       r->prog->channels[channel].name, q->hw_id, 1u << (q->ring_order & 31),
	       dead ? color(COLOR_BAD) : "", dead ? "DEAD" : "alive", dead ? color(COLOR_OFF) : "");
	printf("    GET 0x%010llx  PUT 0x%010llx  IB_GET %u  IB_PUT %u  REF 0x%08x\n",
	       (unsigned long long)q->get, (unsigned long long)q->put, q->ib_get, q->ib_put,
	       q->ref);
	if (q->get >= r->card.va_end)
		puts("    GET is in the driver's own entry, which ends each submission");
	if (q->error)
		printf("    %s\n", nvfifo_exec_error_text(q, text, sizeof(text)));
	if (q->fault)
		printf("    %s\n", nvfifo_exec_fault_text(r->exec.chipset, q, text, sizeof(text)));
	if (b)
		printf("    that is %s+0x%llx\n", b->name,
		       (unsigned long long)(q->fault_address - b->va));
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
	       (unsigned long long)f->seqno);
	if (f->status < 0)
		printf("%sended with error %d, %s%s\n", color(COLOR_BAD), f->status,
		       strerror(-f->status), color(COLOR_OFF));
	else
		puts(f->status ? "signalled" : "not signalled");
}

static void print_state(const struct run *r)
{
	size_t i;

	print_memory(r);
	head("channels");
	for (i = 0; i < r->prog->channel_count; i++)
		print_channel(r, i);
	if (!r->prog->fence_count)
		return;
	head("fences");
	for (i = 0; i < r->prog->fence_count; i++)
		print_fence(r, i);
}

static void print_verdict(const struct run *r)
{
	switch (r->verdict) {
	case VERDICT_PASS:
		printf("%sPASS%s %s\n", color(COLOR_GOOD), color(COLOR_OFF), r->name);
		break;
	case VERDICT_FAIL:
		printf("%sFAIL%s %s: %u difference%s\n", color(COLOR_BAD), color(COLOR_OFF),
		       r->name, r->exec.failures, r->exec.failures == 1 ? "" : "s");
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
			printf("%sFAIL%s %s: the card cannot do what it says\n", color(COLOR_BAD),
			       color(COLOR_OFF), r->name);
		else if (r->dev)
			printf("%sFAIL%s %s: a call was refused\n", color(COLOR_BAD),
			       color(COLOR_OFF), r->name);
		break;
	}
}

/* --- JSON ---------------------------------------------------------------- */

static void json_card(const struct run *r, struct json *j)
{
	if (!r->dev) {
		json_null(j, "card");
		return;
	}
	json_open(j, "card", '{');
	json_string(j, "name", (const char *)r->card.name);
	json_hex(j, "chipset", 2, r->card.chipset);
	json_string(j, "node", nvfifo_path(r->dev));
	json_string(j, "pci", nvfifo_pci_address(r->dev));
	json_close(j, '}');
}

static void json_buffers(const struct run *r, struct json *j)
{
	size_t i;

	json_open(j, "buffers", '[');
	for (i = 0; i < r->prog->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &r->prog->buffers[i];

		json_open(j, NULL, '{');
		json_string(j, "name", b->name);
		json_string(j, "space", r->prog->spaces[b->space].name);
		json_number(j, "bytes", (__s64)b->size);
		json_string(j, "domain", b->domain == DRM_NVFIFO_DOMAIN_VRAM ? "vram" : "system");
		if (b->mapping == NVFIFO_PROG_MAP_NONE)
			json_null(j, "va");
		else
			json_hex(j, "va", 10, b->va);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_pushes(const struct run *r, struct json *j)
{
	size_t i, w;

	json_open(j, "pushes", '[');
	for (i = 0; i < r->prog->push_count; i++) {
		const struct nvfifo_prog_push *p = &r->prog->pushes[i];

		json_open(j, NULL, '{');
		json_string(j, "name", p->name);
		json_hex(j, "va", 10, push_address(r, p));
		json_open(j, "words", '[');
		for (w = 0; w < p->words.count; w++)
			json_hex(j, NULL, 8, p->words.data[w]);
		json_close(j, ']');
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* All lines of the report, or only those that differ. */
static void json_checks(const struct run *r, struct json *j, const char *key, bool differences)
{
	size_t i;

	json_open(j, key, '[');
	for (i = 0; i < r->exec.check_count; i++) {
		const struct nvfifo_exec_check *c = &r->exec.checks[i];

		if (differences && c->ok)
			continue;
		json_open(j, NULL, '{');
		json_number(j, "line", c->line);
		if (!differences)
			json_bool(j, "ok", c->ok);
		json_string(j, "text", c->text);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_words(struct json *j, const char *key, const __u32 *words, __u64 count)
{
	__u64 i;

	json_open(j, key, '[');
	for (i = 0; words && i < count; i++)
		json_hex(j, NULL, 8, words[i]);
	json_close(j, ']');
}

static void json_memory(const struct run *r, struct json *j)
{
	size_t i;

	json_open(j, "memory", '[');
	for (i = 0; i < r->exec.memory_count; i++) {
		const struct nvfifo_exec_memory *m = &r->exec.memory[i];

		json_open(j, NULL, '{');
		json_string(j, "buffer", r->prog->buffers[m->buffer].name);
		json_number(j, "offset", (__s64)m->offset);
		json_words(j, "before", m->before, m->count);
		json_words(j, "after", m->after, m->count);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_channel(const struct run *r, struct json *j, size_t i)
{
	const struct drm_nvfifo_channel_query *q = &r->exec.states[i];
	char text[256];

	json_open(j, NULL, '{');
	json_string(j, "name", r->prog->channels[i].name);
	json_number(j, "hw_id", q->hw_id);
	json_string(j, "state", q->state == DRM_NVFIFO_CHANNEL_DEAD ? "dead" : "alive");
	json_hex(j, "get", 10, q->get);
	json_hex(j, "put", 10, q->put);
	json_number(j, "ib_get", q->ib_get);
	json_number(j, "ib_put", q->ib_put);
	json_hex(j, "ref", 8, q->ref);
	json_number(j, "error", q->error);
	json_hex(j, "error_code", 8, q->error_code);
	json_hex(j, "error_detail", 8, q->error_detail);
	json_string(j, "error_text", q->error ? nvfifo_exec_error_text(q, text, sizeof(text)) : "");
	json_string(j, "fault_text", nvfifo_exec_fault_text(r->exec.chipset, q, text, sizeof(text)));
	json_close(j, '}');
}

static void json_fence(const struct run *r, struct json *j, size_t i)
{
	const struct nvfifo_exec_fence *f = &r->exec.fences[i];

	json_open(j, NULL, '{');
	json_string(j, "name", r->prog->fences[i]);
	json_bool(j, "submitted", f->submitted);
	if (f->submitted) {
		json_string(j, "channel", r->prog->channels[f->channel].name);
		json_number(j, "seqno", (__s64)f->seqno);
		json_number(j, "status", f->status);
	}
	json_close(j, '}');
}

static void json_results(const struct run *r, struct json *j)
{
	bool complete = r->verdict == VERDICT_PASS || r->verdict == VERDICT_FAIL;
	size_t i;

	json_checks(r, j, "checks", false);
	json_checks(r, j, "differences", true);
	json_memory(r, j);
	json_open(j, "channels", '[');
	for (i = 0; complete && i < r->prog->channel_count; i++)
		json_channel(r, j, i);
	json_close(j, ']');
	json_open(j, "fences", '[');
	for (i = 0; complete && i < r->prog->fence_count; i++)
		json_fence(r, j, i);
	json_close(j, ']');
}

static void print_json(const struct run *r, int code)
{
	static const char *const verdicts[] = { "PASS", "FAIL", "SKIP", "DRY RUN", "ERROR",
					       "STOPPED" };
	struct json j = { .f = stdout };

	json_open(&j, NULL, '{');
	json_string(&j, "program", r->name);
	json_string(&j, "verdict", verdicts[r->verdict]);
	json_number(&j, "exit", code);
	json_string(&j, "why", r->why);
	json_card(r, &j);
	if (r->prog) {
		json_string(&j, "title", r->prog->title);
		json_buffers(r, &j);
		json_pushes(r, &j);
		json_results(r, &j);
	} else {
		json_checks(r, &j, "differences", true);
	}
	json_end(&j, '}');
}

/* --- The whole ----------------------------------------------------------- */

static int print_program(const struct run *r)
{
	if (r->json)
		return EXIT_OK;
	if (*r->prog->title)
		printf("%s%s%s\n", color(COLOR_HEAD), r->prog->title, color(COLOR_OFF));
	print_buffers(r);
	print_objects(r);
	return r->quiet ? EXIT_OK : list_pushes(r);
}

static int open_device(struct run *r, const char *device)
{
	const struct model_watcher *watcher = NULL;

	if (!r->model)
		return nvfifo_open(device, &r->dev);
	if (r->step)
		watcher = step_watcher(r->step);
	return model_open(r->model, watcher, &r->card_model, &r->dev);
}

static int execute(struct run *r, __s64 timeout_ns)
{
	static const struct nvfifo_exec_ops ops = { .check = on_check, .image = on_image };
	struct nvfifo_exec *x = &r->exec;

	x->prog = r->prog;
	x->dev = r->dev;
	x->chipset = r->chipset;
	x->timeout_ns = timeout_ns;
	x->ops = &ops;
	x->ctx = r;
	if (r->step)
		step_begin(r->step, r->card_model, r->prog);
	return nvfifo_exec_run(x);
}

/* A step back is a new card and the program from its start. */
static int execute_again(struct run *r, __s64 timeout_ns)
{
	nvfifo_exec_free(&r->exec);
	nvfifo_close(r->dev);
	r->dev = NULL;
	if (open_device(r, NULL))
		return -EIO;
	return execute(r, timeout_ns);
}

static int on_card(struct run *r, __s64 timeout_ns)
{
	struct nvfifo_exec *x = &r->exec;
	int ret;

	if (!r->json)
		head("run");
	ret = execute(r, timeout_ns);
	while (step_again(r->step))
		ret = execute_again(r, timeout_ns);

	/* The calls that the end of the model lets fail are no errors of the program. */
	if (step_quit_at(r->step)) {
		r->verdict = VERDICT_STOPPED;
		return EXIT_OK;
	}

	if (ret) {
		r->verdict = VERDICT_ERROR;
		snprintf(r->why, sizeof(r->why), "%s%s%s", x->refused, *x->refused ? ": " : "",
			 nvfifo_last_error());
		fflush(stdout);
		fprintf(stderr, "nvfifo: %s\n", r->why);
		return EXIT_DEVICE;
	}
	if (!r->json && !r->quiet)
		print_state(r);
	r->verdict = x->failures ? VERDICT_FAIL : VERDICT_PASS;
	return x->failures ? EXIT_DIFFERENT : EXIT_OK;
}

static int read_program(struct run *r, const char *path, const char *text, size_t len,
			__u64 va_start, __u64 va_end, struct nvfifo_prog *prog)
{
	struct nvfifo_diag diag;
	int ret = nvfifo_prog_read(text, len, va_start, va_end, prog, &diag);

	if (!ret)
		return EXIT_OK;
	if (ret == -EINVAL)
		snprintf(r->why, sizeof(r->why), "%s:%u:%u: %s", path, diag.line, diag.column,
			 diag.text);
	else
		snprintf(r->why, sizeof(r->why), "nvfifo: %s", nvfifo_last_error());
	fprintf(stderr, "%s\n", r->why);
	return EXIT_USAGE;
}

static int open_card(struct run *r, const char *device)
{
	if (r->model && !r->json)
		puts("model in this process: the driver, its checks and the kernel are bypassed");
	if (open_device(r, device) || nvfifo_query_device(r->dev, &r->card)) {
		snprintf(r->why, sizeof(r->why), "%s", nvfifo_last_error());
		nvfifo_close(r->dev);
		r->dev = NULL;
		return device_error();
	}
	r->chipset = r->card.chipset;
	if (!r->json)
		printf("card %s, chipset 0x%02x, at %s%s%s\n", (const char *)r->card.name,
		       r->card.chipset, nvfifo_path(r->dev),
		       *nvfifo_pci_address(r->dev) ? ", PCI " : "", nvfifo_pci_address(r->dev));
	return EXIT_OK;
}

static void refuse(struct run *r, const char *path, unsigned int line, unsigned int column,
		   const char *what, const char *why)
{
	snprintf(r->why, sizeof(r->why), "%s:%u:%u: %s: %s", path, line, column, what, why);
	fprintf(stderr, "%s\n", r->why);
}

/* Chips that differ in what a mapping or an object can have: one of each generation */
static const __u32 generations[] = { 0x50, 0x84, 0xa0, 0xa3 };

/* Without a chip, only what none of them can do is wrong. */
static const char *map_error(const struct run *r, const struct nvfifo_prog *p,
			     const struct nvfifo_prog_buffer *b)
{
	const char *why = nvfifo_prog_map_error(p, b, r->chipset);
	size_t i;

	for (i = 0; why && !r->chipset && i < sizeof(generations) / sizeof(generations[0]); i++)
		why = nvfifo_prog_map_error(p, b, generations[i]);
	return why;
}

static const char *object_error(const struct run *r, const struct nvfifo_prog *p,
				const struct nvfifo_prog_object *o)
{
	const char *why = nvfifo_prog_object_error(p, o, r->chipset);
	size_t i;

	for (i = 0; why && !r->chipset && i < sizeof(generations) / sizeof(generations[0]); i++)
		why = nvfifo_prog_object_error(p, o, generations[i]);
	return why;
}

/* What the card could not do is said before anything is made on it. */
static int check_attributes(struct run *r, const char *path, const char *text, size_t len,
			    const struct nvfifo_prog *p)
{
	unsigned int wrong = 0;
	char what[64];
	const char *why;
	size_t i;

	for (i = 0; i < p->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &p->buffers[i];

		why = map_error(r, p, b);
		if (!why)
			continue;
		snprintf(what, sizeof(what), "map %s", b->name);
		refuse(r, path, b->map_line, nvfifo_prog_column(text, len, b->map_line, why), what,
		       why);
		wrong++;
	}
	for (i = 0; i < p->object_count; i++) {
		const struct nvfifo_prog_object *o = &p->objects[i];

		why = object_error(r, p, o);
		if (!why)
			continue;
		snprintf(what, sizeof(what), "object 0x%x", o->handle);
		refuse(r, path, o->line, nvfifo_prog_column(text, len, o->line, why), what, why);
		wrong++;
	}
	r->wrong = wrong;
	return wrong ? EXIT_USAGE : EXIT_OK;
}

/* The card says which addresses there are; without one they are assumed. */
static int run_program(struct run *r, bool dry, const char *device, const char *path,
		       const char *text, size_t len, __s64 timeout_ns, struct nvfifo_prog *prog)
{
	const char *missing;
	int ret;

	/* Errors in the text are found before a card is looked for. */
	ret = read_program(r, path, text, len, NVFIFO_PROG_VA_START, NVFIFO_PROG_VA_END, prog);
	if (ret)
		return ret;
	if (!dry) {
		nvfifo_prog_free(prog);
		ret = open_card(r, device);
		if (!ret)
			ret = read_program(r, path, text, len, r->card.va_start, r->card.va_end,
					   prog);
		if (ret)
			return ret;
	}
	r->prog = prog;

	missing = dry ? NULL : nvfifo_exec_missing(prog, r->card.features);
	if (missing) {
		r->verdict = VERDICT_SKIP;
		snprintf(r->why, sizeof(r->why), "it needs %s, which this %s does not have", missing,
			 (const char *)r->card.name);
		return EXIT_OK;
	}
	ret = check_attributes(r, path, text, len, prog);
	if (!ret)
		ret = print_program(r);
	if (ret)
		return ret;
	if (!dry)
		return on_card(r, timeout_ns);
	if (!r->json)
		dry_steps(r);
	r->verdict = VERDICT_DRY;
	return EXIT_OK;
}

/* "examples/01-first.nvp" is called "01-first". */
static char *program_name(const char *path)
{
	const char *base = strrchr(path, '/');
	char *name = strdup(base ? base + 1 : path), *dot;

	dot = name ? strrchr(name, '.') : NULL;
	if (dot && dot != name)
		*dot = '\0';
	return name;
}

/* What the options say beside struct run */
struct choice {
	const char *device;
	unsigned long timeout_ms;
	bool dry;
	bool step;
};

/* "--model", "--model=mcp89" */
static int take_model(const struct subcommand *cmd, void *ctx, const char *arg)
{
	struct run *r = ctx;
	__u32 chipset = arg ? parse_chipset(arg) : 0x84;

	if (!chipset)
		return bad_chipset(cmd, arg);
	r->model = nvfifo_chipset_name(chipset);
	return EXIT_OK;
}

static int check_choice(const struct run *r, const struct choice *c, int argc, char **argv)
{
	if (optind == argc)
		return usage_error(&cmd_run, "the program to run is missing");
	if (c->step && !r->model)
		return usage_error(&cmd_run, "--step is for --model: a card does not stop");
	if (c->step && r->json)
		return usage_error(&cmd_run, "--step asks, and --json is no conversation");
	if (c->step && !strcmp(argv[optind], "-"))
		return usage_error(&cmd_run, "--step takes its commands from standard input, so the program is a file");
	if (r->model && (c->device || c->dry))
		return usage_error(&cmd_run, "--model goes without --device and --dry-run");
	return EXIT_OK;
}

static int parse_options(struct run *r, struct choice *c, int argc, char **argv)
{
	const struct option_row rows[] = {
		OPTION_TEXT("device", 'd', &c->device),
		OPTION_MAYBE("model", 'm', take_model, r),
		OPTION_FLAG("step", 's', &c->step),
		OPTION_NUMBER("timeout", 't', &c->timeout_ms, 1, 600000, " ms"),
		OPTION_TEXT("images", 'i', &r->images),
		OPTION_FLAG("quiet", 'q', &r->quiet),
		OPTION_FLAG("dry-run", 'n', &c->dry),
		OPTION_FLAG("json", 0, &r->json),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret = take_options(&cmd_run, rows, 1, argc, argv);

	if (ret != OPTIONS_TAKEN)
		return ret;
	ret = check_choice(r, c, argc, argv);
	return ret ? ret : OPTIONS_TAKEN;
}

static int run(int argc, char **argv)
{
	struct choice c = { .timeout_ms = 5000 };
	struct run r = { .verdict = VERDICT_ERROR };
	struct nvfifo_prog prog = { 0 };
	int ret = parse_options(&r, &c, argc, argv);
	char *text, *name;
	size_t len;

	if (ret != OPTIONS_TAKEN)
		return ret;
	ret = read_input(argv[optind], &text, &len);
	if (ret)
		return ret;
	if (c.step) {
		r.step = step_create();
		if (!r.step) {
			fputs("nvfifo: out of memory\n", stderr);
			free(text);
			return EXIT_DEVICE;
		}
	}
	name = program_name(argv[optind]);
	r.name = name ? name : argv[optind];
	ret = run_program(&r, c.dry, c.device, argv[optind], text, len,
			  (__s64)c.timeout_ms * MS, &prog);
	if (r.json)
		print_json(&r, ret);
	else
		print_verdict(&r);
	nvfifo_exec_free(&r.exec);
	nvfifo_prog_free(&prog);
	nvfifo_close(r.dev);
	step_free(r.step);
	free(name);
	free(text);
	return ret;
}

const struct subcommand cmd_run = {
	.name = "run",
	.summary = "run a text program and compare memory",
	.help = help,
	.run = run,
};
