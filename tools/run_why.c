// SPDX-License-Identifier: MIT
/*
 * "nvfifo run" after a failure. The words that the card refused are marked in their listing, with the
 * sentence of "nvfifo explain". The mistakes that "nvfifo lint" finds follow.
 */
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "nvfifo_coredump.h"
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

/* The driver's log has a line for the error, which the explanations know. */
static void print_advice(const struct run *r, const struct drm_nvfifo_channel_query *q)
{
	const struct nvfifo_coredump dump = { .chipset = r->exec.chipset };
	const struct nvfifo_coredump_fault fault = {
		.address = q->fault_address,
		.engine = q->fault_engine,
		.reason = q->fault_reason,
		.client = q->fault_client,
		.slot = q->fault_slot,
		.write = q->fault_write,
	};
	const struct nvfifo_coredump_channel channel = {
		.id = q->hw_id,
		.error = q->error,
		.code = q->error_code,
		.detail = q->error_detail,
		.method = q->error_method,
		.data = q->error_data,
	};
	struct nvfifo_explanation e;
	char line[600];

	if (!run_mp_line(r, q, line, sizeof(line))) {
		if (q->fault)
			nvfifo_coredump_fault_line(&dump, &fault, line, sizeof(line));
		else
			nvfifo_coredump_line(&dump, &channel, line, sizeof(line));
	}

	if (nvfifo_explain(line, r->chipset, &e) != 1)
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
	run_walk_pushes(h->r, find_refused, h);
	if (h->push)
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
