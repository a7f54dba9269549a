// SPDX-License-Identifier: MIT
/*
 * "nvfifo run" after a failure. The words that the card refused are marked in their listing, with the
 * sentence of "nvfifo explain". The mistakes that "nvfifo lint" finds follow.
 */
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "nvfifo_error.h"
#include "nvfifo_explain.h"
#include "nvfifo_fmt.h"
#include "nvfifo_lint.h"
#include "nvfifo_names.h"
#include "run_show.h"
#include "terminal.h"
#include "tools.h"

/* Words of a listing before the marked one */
#define WORDS_BEFORE	2

/* A search for a word in the pushbuffers, or its listing */
struct hunt {
	const struct run *r;
	size_t channel;
	const struct drm_nvfifo_channel_query *state;	/* of a dead channel; NULL in a listing */
	const struct nvfifo_prog_push *push;	/* which has the word; NULL if none has it */
	size_t word;
	bool listed;
};

/* --- The word ------------------------------------------------------------ */

static bool is_refused(const struct drm_nvfifo_channel_query *q, const struct nvfifo_word *w,
		       __u32 value)
{
	if (q->error == DRM_NVFIFO_ERROR_PUSHER)
		return value == q->error_data && (w->kind == NVFIFO_WORD_INVALID || w->refused);

	return w->kind == NVFIFO_WORD_DATA && value == q->error_data &&
	       w->method == (q->error_method & 0x1ffc) &&
	       w->cmd.subc == (q->error_method >> 13 & 7);
}

static void find_refused(void *ctx, size_t channel, const struct nvfifo_prog_push *push,
			 struct nvfifo_decoder *d, bool seen)
{
	struct hunt *h = ctx;
	struct nvfifo_word w;
	size_t i;

	(void)seen;
	for (i = 0; i < push->words.count; i++) {
		nvfifo_decode(d, push->words.data[i], &w);
		if (h->push || channel != h->channel ||
		    !is_refused(h->state, &w, push->words.data[i]))
			continue;
		h->push = push;
		h->word = i;
	}
}

static void list_around(void *ctx, size_t channel, const struct nvfifo_prog_push *push,
			struct nvfifo_decoder *d, bool seen)
{
	struct hunt *h = ctx;
	size_t first = h->word > WORDS_BEFORE ? h->word - WORDS_BEFORE : 0, i;
	__u64 address = run_push_address(h->r, push);
	char line[2 * NVFIFO_WORD_TEXT_MAX];
	struct nvfifo_word w;

	(void)channel;
	(void)seen;
	for (i = 0; i < push->words.count; i++) {
		nvfifo_decode(d, push->words.data[i], &w);
		if (push != h->push || h->listed || i < first || i > h->word)
			continue;

		nvfifo_listing_line(&w, d->format, address + i * 4, line);
		if (i == h->word)
			printf("  %s=> %s%s\n", color(COLOR_BAD), line, color(COLOR_OFF));
		else
			printf("     %s\n", line);
	}

	if (push == h->push)
		h->listed = true;
}

/* --- The reason ---------------------------------------------------------- */

/* PGRAPH's interrupt in the form of the log, which has the name of a DATA_ERROR after it */
static const char *graph_error(const struct drm_nvfifo_channel_query *q)
{
	static char text[80];
	const struct nvfifo_name *error = nvfifo_name_find(nvfifo_data_errors, q->error_detail);

	if (!(q->error_code & 1u << 20))
		return "error";

	snprintf(text, sizeof(text), "DATA_ERROR %s", error ? error->name : "");
	return text;
}

int run_mp_line(const struct run *r, const struct drm_nvfifo_channel_query *q, char *buf,
		size_t size)
{
	struct model_mp_stop stop;
	char names[80];

	if (!r->card_model || !model_mp_stop(r->card_model, q->hw_id, &stop))
		return 0;

	return snprintf(buf, size,
			"channel %u: MP %u of TP %u stopped: %08x %s, pc %06x warp %u, opcode %08x %08x",
			q->hw_id, stop.mp % NVFIFO_TP_MPS, stop.mp / NVFIFO_TP_MPS, stop.trap,
			nvfifo_bits_names(stop.trap, nvfifo_mp_trap_name, names, sizeof(names)),
			NV_FLD_GET(NV_PGRAPH_MP0_PC__PC, stop.pc),
			NV_FLD_GET(NV_PGRAPH_MP0_PC__WARP, stop.pc), stop.opcode[0], stop.opcode[1]);
}

/* The driver's log has this line for the error. Return: its length, 0 for an error without one. */
static int log_line(const struct run *r, const struct drm_nvfifo_channel_query *q, char *buf,
		    size_t size)
{
	__u32 subc = q->error_method >> 13 & 7, mthd = q->error_method & 0x1ffc;
	__u32 chipset = r->exec.chipset;
	int prefix = snprintf(buf, size, "nvfifo 0000:00:00.0: ");
	int len = run_mp_line(r, q, buf + prefix, size - (size_t)prefix);

	if (len)
		return prefix + len;
	if (q->fault)
		return snprintf(buf, size,
				"nvfifo 0000:00:00.0: VM fault: %s at %010llx, engine %u %s, client %u %s, slot %u %s, channel structure 00000000: %s",
				q->fault_write ? "write" : "read",
				(unsigned long long)q->fault_address, q->fault_engine,
				nvfifo_name_or_unknown(nvfifo_fault_engine(chipset, q->fault_engine)),
				q->fault_client,
				nvfifo_name_or_unknown(nvfifo_fault_client(chipset, q->fault_client)),
				q->fault_slot,
				nvfifo_name_or_unknown(nvfifo_fault_slot(chipset, q->fault_engine,
									 q->fault_client,
									 q->fault_slot)),
				nvfifo_fault_reason_name(q->fault_reason));

	switch (q->error) {
	case DRM_NVFIFO_ERROR_PUSHER:
		return snprintf(buf, size,
				"nvfifo 0000:00:00.0: channel %u: DMA_PUSHER %s, word %08x, subchannel %u method %04x, state %08x, get %010llx put %010llx ib_get %x ib_put %x push %08x",
				q->hw_id, nvfifo_pusher_error_name(q->error_code), q->error_data, subc,
				mthd, q->dma_state, (unsigned long long)q->get,
				(unsigned long long)q->put, q->ib_get, q->ib_put, 0);
	case DRM_NVFIFO_ERROR_CACHE:
		return snprintf(buf, size,
				"nvfifo 0000:00:00.0: channel %u: CACHE_ERROR %s, subchannel %u method %04x data %08x",
				q->hw_id, nvfifo_cache_error_name(q->error_code), subc, mthd,
				q->error_data);
	case DRM_NVFIFO_ERROR_SEMAPHORE:
		return snprintf(buf, size,
				"nvfifo 0000:00:00.0: channel %u: SEMAPHORE %s, method %04x data %08x",
				q->hw_id, nvfifo_semaphore_error_name(q->error_code), mthd,
				q->error_data);
	case DRM_NVFIFO_ERROR_GRAPH:
		return snprintf(buf, size,
				"nvfifo 0000:00:00.0: channel %u: PGRAPH %s, intr %08x detail %08x, class 0000 unknown subchannel %u method %04x data %08x",
				q->hw_id, graph_error(q), q->error_code, q->error_detail, subc, mthd, q->error_data);
	default:
		return 0;
	}
}

static void print_advice(const struct run *r, const struct drm_nvfifo_channel_query *q)
{
	struct nvfifo_explanation e;
	char line[600];

	if (!log_line(r, q, line, sizeof(line)) || nvfifo_explain(line, r->chipset, &e) != 1)
		return;

	if (*e.advice) {
		printf("    ");
		print_wrapped(e.advice, 4, 4);
	}
	nvfifo_explanation_free(&e);
}

/* Does the program expect the channel to die? */
static bool is_expected(const struct run *r, size_t channel)
{
	size_t i;

	for (i = 0; i < r->prog->step_count; i++) {
		const struct nvfifo_prog_step *s = &r->prog->steps[i];

		if (s->type == NVFIFO_STEP_DEAD && s->channel == channel)
			return true;
	}

	return false;
}

static void explain_channel(struct hunt *h)
{
	printf("%swhy channel %s died%s\n", color(COLOR_HEAD),
	       h->r->prog->channels[h->channel].name, color(COLOR_OFF));
	if (!run_walk_pushes(h->r, find_refused, h) && h->push)
		run_walk_pushes(h->r, list_around, h);
	print_advice(h->r, h->state);
}

/* --- Mistakes ------------------------------------------------------------ */

/* Words that were marked already */
#define MARKS	16

struct mistakes {
	const struct run *r;
	bool headed;
	size_t marks;
	struct {
		const struct nvfifo_prog_push *push;
		size_t word;
	} mark[MARKS];
};

static void keep_mark(struct mistakes *m, const struct hunt *h)
{
	if (!h->push || m->marks == MARKS)
		return;

	m->mark[m->marks].push = h->push;
	m->mark[m->marks++].word = h->word;
}

static bool is_marked(const struct mistakes *m, const struct hunt *h)
{
	size_t i;

	for (i = 0; i < m->marks; i++) {
		if (m->mark[i].push == h->push && m->mark[i].word == h->word)
			return true;
	}

	return false;
}

static const struct nvfifo_prog_push *find_push(const struct run *r, const char *name)
{
	size_t i;

	for (i = 0; i < r->prog->push_count; i++) {
		if (!strcmp(r->prog->pushes[i].name, name))
			return &r->prog->pushes[i];
	}

	return NULL;
}

/* A mistake that the program does not expect */
static void print_mistake(void *ctx, const struct nvfifo_finding *f)
{
	struct mistakes *m = ctx;
	struct hunt h = { .r = m->r, .word = f->word };

	if (f->expected)
		return;
	if (!m->headed)
		run_print_head("mistakes, as nvfifo lint finds them");
	m->headed = true;

	if (f->has_word)
		h.push = find_push(m->r, f->place);
	if (h.push && !is_marked(m, &h))
		run_walk_pushes(m->r, list_around, &h);
	keep_mark(m, &h);
	printf("  line %u: %s\n", f->line, f->text);
	printf("    ");
	print_wrapped(f->rule->why, 4, 4);
}

void run_print_why(const struct run *r)
{
	struct mistakes m = { .r = r };
	struct nvfifo_lint *lint;
	size_t i;

	for (i = 0; i < r->prog->channel_count; i++) {
		struct hunt h = { .r = r, .channel = i, .state = &r->exec.states[i] };

		if (h.state->state == DRM_NVFIFO_CHANNEL_DEAD && h.state->error && !is_expected(r, i))
			explain_channel(&h);
		keep_mark(&m, &h);
	}

	lint = nvfifo_lint_new(NVFIFO_FORMAT_NV04, r->chipset, print_mistake, &m);
	if (!lint)
		return;

	nvfifo_lint_program(lint, r->prog);
	nvfifo_lint_free(lint);
}
