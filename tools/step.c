// SPDX-License-Identifier: MIT
/*
 * Stepping through a program on the model.
 *
 * The model does the same each time, as its clock is its own. So a step back is the program
 * again from its start, up to one word less.
 */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "nvfifo_fmt.h"
#include "nvfifo_methods.h"
#include "nvfifo_reg.h"
#include "nvfifo_reg_table.h"
#include "nvfifo_text.h"
#include "run_show.h"
#include "step.h"
#include "tools.h"

#define TRACE_LINES	64
#define TRACE_LENGTH	200
#define CHANGES_SHOWN	16	/* words of memory that a stop lists */
#define CACHED_SHOWN	16	/* methods of the cache, in JSON */
#define WORDS_IN_LINE	4

static const char help[] =
	"  Enter, s [N]  the next word, or the Nth from here\n"
	"  b [N]         back a word, or N\n"
	"  g N           go to word N, forwards or backwards\n"
	"  u METHOD      go on until the card has executed it: SEMAPHORE_RELEASE, 0x6c\n"
	"  x PLACE [N]   print N words of memory, 4 if not given: x sem+0x40 8\n"
	"  p REGISTER    print a register: p CACHE1.PULL0\n"
	"  c             go on to the end\n"
	"  q             end the program\n";

struct step {
	struct model_watcher watcher;
	struct model *model;
	const struct nvfifo_prog *prog;
	__u32 chipset;
	__u64 words;		/* of the pusher, at the last stop or word */
	unsigned long word;	/* number of the word, from 1 */
	unsigned long stop;	/* the next one to stop after */
	bool json;
	bool replay;
	bool again;
	bool quit;		/* the person has ended the program */
	int until;		/* method to stop after, or -1 */
	const char *until_name;	/* of its class, NULL if any class's will do */
	bool reached;		/* it was executed */
	/* The last word, with its address and meaning */
	const __u32 *value;	/* NULL if it is the driver's own */
	const char *buffer;
	__u64 offset;		/* in the buffer */
	char line[2 * NVFIFO_WORD_TEXT_MAX];
	/* For each channel of the program, in its order */
	struct nvfifo_decoder *decoders;
	__u64 *gets;		/* address that the pusher reads next */
	char (*trace)[TRACE_LENGTH];
	unsigned int trace_count;
	unsigned int trace_lost;	/* lines without a place in it */
	__u64 bytes;		/* of all buffers that were compared, with JSON */
	void **shadows;		/* contents of buffers at the last stop */
	size_t shadow_count;
};

/* --- Words --------------------------------------------------------------- */

static void decoders_free(struct step *s)
{
	free(s->decoders);
	free(s->gets);
	s->decoders = NULL;
	s->gets = NULL;
}

static void decoders_begin(struct step *s)
{
	size_t count = s->prog->channel_count, i;

	decoders_free(s);
	s->value = NULL;
	s->decoders = need(calloc(count + 1, sizeof(*s->decoders)));
	s->gets = need(calloc(count + 1, sizeof(*s->gets)));

	for (i = 0; i < count; i++) {
		const struct nvfifo_prog_channel *c = &s->prog->channels[i];

		run_init_decoder(s->prog, s->chipset, i, &s->decoders[i]);
		if (c->flags & DRM_NVFIFO_CHANNEL_DMA_MODE)
			s->gets[i] = s->prog->buffers[c->buffer].va + c->offset;
	}
}

static const __u8 *find_buffer(const struct step *s, const char *name, __u64 *size)
{
	const char *label;
	const void *memory;
	size_t i;

	for (i = 0; (memory = model_buffer(s->model, i, size, &label)); i++) {
		if (!strcmp(label, name))
			return memory;
	}

	return NULL;
}

/* Find the buffer of the program that is mapped at an address. Return: its memory there. */
static const __u32 *find_address(const struct step *s, __u64 at, const char **buffer,
				 __u64 *offset, __u64 *left)
{
	const __u8 *memory;
	__u64 size;
	size_t i;

	for (i = 0; i < s->prog->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &s->prog->buffers[i];

		if (b->mapping == NVFIFO_PROG_MAP_NONE || at < b->va || at - b->va >= b->size)
			continue;

		memory = find_buffer(s, b->name, &size);
		if (!memory)
			continue;

		*buffer = b->name;
		*offset = at - b->va;
		*left = size - *offset;
		return (const __u32 *)(memory + *offset);
	}

	return NULL;
}

/* The channels of a program get PFIFO's numbers from 1 on, in the program's order. */
static bool program_channel(const struct step *s, unsigned int number, unsigned int *channel)
{
	*channel = number - 1;
	return number && *channel < s->prog->channel_count;
}

static void decode_word(struct step *s, const struct model_position *p)
{
	struct nvfifo_decoder *d;
	__u64 at = p->get - 4, left;
	struct nvfifo_word w;
	unsigned int channel;

	s->value = NULL;
	if (!program_channel(s, p->channel, &channel))
		return;

	/* In DMA mode GET has already jumped when the word is a jump. */
	d = &s->decoders[channel];
	if (d->format == NVFIFO_FORMAT_NV04_DMA)
		at = s->gets[channel];
	s->gets[channel] = p->get;

	s->value = find_address(s, at, &s->buffer, &s->offset, &left);
	if (!s->value)
		return;

	nvfifo_decode(d, *s->value, &w);
	nvfifo_listing_line(&w, d->format, at, s->line);
}

/* --- Memory -------------------------------------------------------------- */

static void shadows_free(struct step *s)
{
	size_t i;

	for (i = 0; i < s->shadow_count; i++)
		free(s->shadows[i]);
	free(s->shadows);
	s->shadows = NULL;
	s->shadow_count = 0;
}

static void shadows_take(struct step *s)
{
	const char *label;
	const void *memory;
	__u64 size;

	shadows_free(s);

	while ((memory = model_buffer(s->model, s->shadow_count, &size, &label))) {
		s->bytes += size;
		s->shadows = need(realloc(s->shadows, (s->shadow_count + 1) * sizeof(*s->shadows)));
		s->shadows[s->shadow_count] = need(malloc(size));
		memcpy(s->shadows[s->shadow_count++], memory, size);
	}
}

static void print_change(const struct step *s, struct nvfifo_json *j, const char *buffer,
			 __u64 offset, __u32 before, __u32 after)
{
	if (s->json)
		nvfifo_json_print(j, "{buffer:%s offset:%llu before:%08x after:%08x}", buffer,
				  offset, before, after);
	else
		printf("  memory  %s+0x%04llx  %08x -> %s%08x%s\n", buffer, offset, before,
		       color(COLOR_HEAD), after, color(COLOR_OFF));
}

/* Return: the words that differ from the last stop, of which the first ones are listed. */
static unsigned long print_changes(const struct step *s, struct nvfifo_json *j)
{
	unsigned long changes = 0;
	const char *label;
	const __u32 *now;
	__u64 size, i;
	size_t b;

	for (b = 0; b < s->shadow_count; b++) {
		const __u32 *old = s->shadows[b];

		now = model_buffer(s->model, b, &size, &label);
		if (!now || !memcmp(old, now, size))
			continue;

		for (i = 0; i < size / 4; i++) {
			if (old[i] != now[i] && changes++ < CHANGES_SHOWN)
				print_change(s, j, label, i * 4, old[i], now[i]);
		}
	}

	return changes;
}

/* --- The text of a stop ---------------------------------------------------- */

static void print_position(const struct step *s, const struct model_position *p)
{
	printf("%sword %lu%s, channel %u: ", color(COLOR_HEAD), s->word, color(COLOR_OFF),
	       p->channel);
	if (s->value)
		puts(s->line);
	else
		puts("in the driver's own entry");

	printf("  pusher  GET 0x%010llx  PUT 0x%010llx  IB_GET %u  IB_PUT %u\n",
	       p->get, p->put, p->ib_get, p->ib_put);
	if (p->left)
		printf("  pusher  %u data word%s to come: subchannel %u, method 0x%04x\n", p->left,
		       p->left == 1 ? "" : "s", p->dma_state >> 13 & 7, p->dma_state & 0x1ffc);
	printf("  puller  REF 0x%08x  PULL0 0x%08x  %u method%s in the cache, %llu executed\n",
	       p->ref, p->pull0, p->cached, p->cached == 1 ? "" : "s", p->methods);
}

/* --- The card's lines ---------------------------------------------------- */

/* A method that the card has executed */
struct method {
	unsigned int channel;	/* PFIFO's number */
	unsigned int subc;
	unsigned int mthd;
	unsigned int data;
};

/* Take apart "M ch 1 subc 4 mthd 0284 - data 00000000", with a name for PFIFO's own methods. */
static bool is_method(const char *line, struct method *m)
{
	return sscanf(line, "M ch %u subc %u mthd %x %*s data %x", &m->channel, &m->subc, &m->mthd,
		      &m->data) == 4;
}

/* Return: the method's name in the class of the object on its subchannel, or NULL. */
static const char *method_name(const struct step *s, const struct method *m)
{
	unsigned int channel;

	if (m->mthd < 0x100)
		return nvfifo_method_name(0, m->mthd);
	if (!program_channel(s, m->channel, &channel))
		return NULL;

	return nvfifo_method_name(s->decoders[channel].oclass[m->subc & 7], m->mthd);
}

/*
 * Is it the method to stop after? Methods of different classes have the same numbers. True without
 * a name, and if the class is not known.
 */
static bool is_until(const struct step *s, const struct method *m)
{
	const char *name = method_name(s, m);

	return s->until >= 0 && m->mthd == (unsigned int)s->until &&
	       (!s->until_name || !name || !strcmp(name, s->until_name));
}

/* Methods as the assembler writes them, other lines of the card's as they are */
static void print_trace(const struct step *s, const char *line)
{
	struct method m;
	const char *name;

	if (!is_method(line, &m)) {
		printf("  card    %s\n", line);
		return;
	}

	name = method_name(s, &m);
	printf("  card    executes mthd %u ", m.subc);
	if (name)
		printf("%s", name);
	else
		printf("0x%04x", m.mthd);
	printf(" : 0x%08x\n", m.data);
}

/* "sem", "sem+0x40", "0x20000040". Return: the memory, or NULL after a message. */
static const __u32 *find_place(const struct step *s, const char *place, char name[64],
			       __u64 *offset, __u64 *left)
{
	const char *buffer, *plus = strchr(place, '+');
	const __u8 *memory;
	__u64 size, at = 0;

	snprintf(name, 64, "%.*s", plus ? (int)(plus - place) : 63, place);
	if (plus && !nvfifo_text_whole(plus + 1, strlen(plus + 1), 0, ~0ull, &at))
		goto err_place;

	memory = find_buffer(s, name, &size);
	if (memory) {
		if (at >= size || at % 4) {
			printf("%s has 0x%llx bytes; an offset is less, and a multiple of 4\n",
			       name, size);
			return NULL;
		}
		*offset = at;
		*left = size - at;
		return (const __u32 *)(memory + at);
	}

	if (!nvfifo_text_whole(place, strlen(place), 0, ~0ull, &at) || at % 4)
		goto err_place;
	memory = (const __u8 *)find_address(s, at, &buffer, offset, left);
	if (!memory)
		goto err_place;

	snprintf(name, 64, "%s", buffer);
	return (const __u32 *)memory;

err_place:
	printf("'%s' is neither a buffer such as sem or sem+0x40, nor an address in one\n", place);
	return NULL;
}

static void print_place(const struct step *s, const char *place, unsigned long count)
{
	const __u32 *word;
	__u64 offset, left;
	char name[64];
	unsigned long i;

	word = find_place(s, place, name, &offset, &left);
	if (!word)
		return;

	if (count > left / 4)
		count = left / 4;
	for (i = 0; i < count; i++) {
		if (i % WORDS_IN_LINE == 0)
			printf("  %s+0x%04llx ", name, offset + i * 4);
		printf(" %08x", word[i]);
		if (i % WORDS_IN_LINE == WORDS_IN_LINE - 1 || i + 1 == count)
			putchar('\n');
	}
}

static void print_register(const struct step *s, const char *text)
{
	struct nvfifo_reg_ref ref;

	if (nvfifo_reg_parse(text, s->chipset, &ref)) {
		puts(nvfifo_last_error());
		return;
	}

	print_reg_line(&ref, s->chipset, model_register(s->model, ref.address));
}

static void print_stop(const struct step *s)
{
	struct model_position p;
	unsigned long changes;
	unsigned int i;

	model_position(s->model, &p);
	print_position(s, &p);
	for (i = 0; i < s->trace_count; i++)
		print_trace(s, s->trace[i]);
	if (s->trace_lost)
		printf("  card    and %u more lines\n", s->trace_lost);

	changes = print_changes(s, NULL);
	if (changes > CHANGES_SHOWN)
		printf("  memory  and %lu more words\n", changes - CHANGES_SHOWN);
}

static void forget_trace(struct step *s)
{
	s->trace_count = 0;
	s->trace_lost = 0;
}

/* --- A stop as a line of JSON, complete for a drawing ---------------------- */

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

	nvfifo_json_print(j, "cached:%u cache:[", count);
	for (i = 0; i < count && i < CACHED_SHOWN; i++)
		nvfifo_json_print(j, "{subchannel:%u method:%04x data:%08x}",
				  NV_FLD_GET(NV_CACHE1_CACHE_MTHD__SUBCHANNEL, cache[i].method),
				  cache[i].method & 0x1ffc, cache[i].data);
	nvfifo_json_close(j, ']');
}

static void json_ramht(struct nvfifo_json *j, const struct nvsim_ramht_lookup *l)
{
	if (!l->count)
		nvfifo_json_null(j, "ramht");
	else
		nvfifo_json_print(j, "ramht:{lookups:%llu handle:%08x hash:%u found:%i slot:%u "
				  "context:%08x}", (__u64)l->count, l->handle, l->hash, l->found,
				  l->slot, l->context);
}

static void json_walk(struct nvfifo_json *j, const char *key, const struct nvsim_walk *w)
{
	static const char *const targets[] = { "VRAM", "VRAM", "system memory", "system memory" };
	const __u64 va = w->va;

	if (!w->count) {
		nvfifo_json_null(j, key);
		return;
	}

	nvfifo_json_open(j, key, '{');
	nvfifo_json_print(j, "walks:%llu engine:%s write:%i tlb:%i va:%010llx pde_index:%llu "
			  "pde:%016llx pte_at:%010llx pte:%016llx fault:%i target:%s "
			  "address:%010llx}", (__u64)w->count, w->engine ? "PFIFO" : "PGRAPH",
			  w->write, w->tlb_hit, va, va >> NVFIFO_PDE_SHIFT, (__u64)w->pde,
			  (__u64)w->pte_at, (__u64)w->pte, w->reason >= 0, targets[w->target & 3],
			  (__u64)w->linear);
}

/* @end: the state after the last word, which has the number 0 */
static void print_record(const struct step *s, bool end)
{
	struct nvfifo_json j = JSON_TO(stdout);
	struct nvsim_lookups lookups;
	struct model_position p;
	unsigned long changes;
	unsigned int i;

	model_position(s->model, &p);
	model_lookups(s->model, &lookups);
	nvfifo_json_print(&j, "{step:%lu channel:%u get:%010llx put:%010llx ib_get:%u ib_put:%u "
			  "left:%u executed:%llu", end ? 0 : s->word, p.channel, p.get, p.put,
			  p.ib_get, p.ib_put, p.left, p.methods);
	if (!end && s->value)
		nvfifo_json_print(&j, "value:%08x buffer:%s offset:%llu", *s->value, s->buffer,
				  s->offset);
	json_registers(&j, s->model);
	json_cache(&j, s->model);
	json_ramht(&j, &lookups.ramht);
	json_walk(&j, "fetch", &lookups.fetch);
	json_walk(&j, "access", &lookups.access);
	nvfifo_json_open(&j, "card", '[');
	for (i = 0; i < s->trace_count; i++)
		nvfifo_json_string(&j, NULL, s->trace[i]);
	nvfifo_json_print(&j, "] memory:[");
	changes = print_changes(s, &j);
	nvfifo_json_print(&j, "] changed:%lu}\n", changes);
}

/* --- Commands ------------------------------------------------------------ */

/* A program has fewer words. The sum of two such numbers fits. */
#define WORD_MAX	1000000000
#define WORDS_PRINTED	4	/* by x without a number */
#define WORDS_PRINTED_MAX	4096

/* Go on until this method was executed. Return: false after a message. */
static bool until(struct step *s, const char *name)
{
	unsigned long number;
	char text[200];
	struct nvfifo_near near;
	__u32 oclass;
	bool found;
	int method;

	method = nvfifo_method_find(name, strlen(name), &oclass);
	found = method >= 0;
	if (!found && parse_unsigned(name, 0x1ffc, &number) && number % 4 == 0)
		method = (int)number;
	if (method < 0) {
		nvfifo_near_init(&near, name, strlen(name));
		nvfifo_method_offer(&near);
		printf("there is no method '%s'%s\n", name, nvfifo_near_text(&near, text, sizeof(text)));
		return false;
	}

	s->until = method;
	s->until_name = found ? nvfifo_method_name(oclass, method) : NULL;
	s->reached = false;
	s->stop = WORD_MAX;
	return true;
}

/* A command that moves to a word. Return: false if it is none. */
static bool move(struct step *s, char name, const char *number)
{
	unsigned long n = 1;

	if (number && (!parse_unsigned(number, WORD_MAX, &n) || !n))
		return false;

	switch (name) {
	case 's':
		s->stop = s->word + n;
		return true;
	case 'b':
		s->stop = n < s->word ? s->word - n : 1;
		break;
	case 'g':
		if (!number)
			return false;
		s->stop = n;
		break;
	default:
		return false;
	}

	s->again = s->stop <= s->word;
	s->replay = s->again;

	return true;
}

/* A command with a place, a register or a method. Return: whether it was one of these. */
static bool look(struct step *s, char name, const char *what, const char *number, bool *go)
{
	unsigned long n = WORDS_PRINTED;

	if (!what || (number && name != 'x'))
		return false;

	switch (name) {
	case 'x':
		if (number && (!parse_unsigned(number, WORDS_PRINTED_MAX, &n) || !n)) {
			printf("x prints 1 to %d words, not '%s'\n", WORDS_PRINTED_MAX, number);
			return true;
		}
		print_place(s, what, n);
		return true;
	case 'p':
		print_register(s, what);
		return true;
	case 'u':
		*go = until(s, what);
		return true;
	default:
		return false;
	}
}

/* Return: whether the command moves on or ends; else another one is read. */
static bool command(struct step *s, char *line)
{
	char *word, *first, *second, *more, *rest;
	bool go = false;

	word = strtok_r(line, " \t\r\n", &rest);
	if (!word)
		return move(s, 's', NULL);

	first = strtok_r(NULL, " \t\r\n", &rest);
	second = strtok_r(NULL, " \t\r\n", &rest);
	more = strtok_r(NULL, " \t\r\n", &rest);
	if (word[1] || more)
		goto err_help;

	if ((*word == 'q' || *word == 'c') && !first) {
		s->quit = *word == 'q';
		s->stop = 0;
		return true;
	}

	if (!second && move(s, *word, first))
		return true;
	if (look(s, *word, first, second, &go))
		return go;

err_help:
	fputs(help, stdout);
	return false;
}

/* Leave the rest of a line that is too long for fgets() unread by the next one. */
static void skip_rest(const char *line)
{
	int c = 0;

	if (strchr(line, '\n'))
		return;

	while (c != '\n' && c != EOF)
		c = getchar();
}

/* Return: false to end the run, for good or to do it again. */
static bool ask(struct step *s)
{
	char line[200];

	do {
		fputs("step> ", stdout);
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin)) {
			putchar('\n');
			s->stop = 0;
			return true;
		}
		skip_rest(line);
	} while (!command(s, line));

	return !s->again && !s->quit;
}

/* --- Records ------------------------------------------------------------- */

/* Stops and compared bytes of a record: a long program has a begin only. */
#define RECORDS		4096
#define RECORDED_BYTES	(1ULL << 30)

static void record(struct step *s, bool end)
{
	print_record(s, end);
	forget_trace(s);
	shadows_take(s);
}

static void print_unreached(const struct step *s)
{
	printf("the program ended before the card executed ");
	if (s->until_name)
		puts(s->until_name);
	else
		printf("method 0x%04x\n", s->until);
}

void step_end(struct step *s)
{
	if (s && s->json && s->stop)
		record(s, true);
	if (s && s->until >= 0 && !s->reached && !s->again)
		print_unreached(s);
}

/* --- Callbacks of the model ---------------------------------------------- */

/* The engine's line about a method comes before the puller's, which says the same. */
static bool says_the_same(const struct step *s, bool executed)
{
	return !s->json && executed && s->trace_count &&
	       !strncmp(s->trace[s->trace_count - 1], "ENG ", 4);
}

static void traced(void *ctx, const char *line)
{
	struct step *s = ctx;
	struct method m;
	bool executed = is_method(line, &m);

	if (executed && is_until(s, &m))
		s->reached = true;
	/* The driver flushes TLBs and switches channels before the first fetch. */
	if (!s->json && !s->word && strncmp(line, "IB ", 3))
		return;

	if (says_the_same(s, executed))
		s->trace_count--;
	if (s->trace_count < TRACE_LINES)
		snprintf(s->trace[s->trace_count++], TRACE_LENGTH, "%s", line);
	else
		s->trace_lost++;
}

/* The pusher has read a word. Return: whether the run stops after it. */
static bool read_word(struct step *s, const struct model_position *p)
{
	s->words = p->words;
	s->word++;
	decode_word(s, p);
	if (s->word >= s->stop)
		return true;

	/* In a replay a stop shows the effect of its own word. */
	if (s->replay)
		forget_trace(s);
	if (s->replay && s->word + 1 == s->stop)
		shadows_take(s);

	return false;
}

static bool stepped(void *ctx)
{
	struct step *s = ctx;
	struct model_position p;
	bool stop = s->reached;

	if (!s->stop)
		return true;

	if (!s->shadows)
		shadows_take(s);
	model_position(s->model, &p);
	if (p.words != s->words)
		stop |= read_word(s, &p);
	if (!stop)
		return true;

	if (s->json) {
		s->stop = s->word + 1;
		record(s, false);
		if (s->word == RECORDS || s->bytes > RECORDED_BYTES)
			s->stop = 0;
		return true;
	}

	s->replay = false;
	s->until = -1;
	s->reached = false;
	print_stop(s);
	forget_trace(s);
	shadows_take(s);

	return ask(s);
}

/* --- Life ---------------------------------------------------------------- */

struct step *step_create(bool json)
{
	struct step *s = need(calloc(1, sizeof(*s)));

	s->trace = need(calloc(TRACE_LINES, TRACE_LENGTH));
	s->json = json;
	s->until = -1;
	s->watcher.ctx = s;
	s->watcher.budget = 1;
	s->watcher.stepped = stepped;
	s->watcher.trace = traced;
	s->stop = 1;

	return s;
}

void step_free(struct step *s)
{
	if (!s)
		return;

	shadows_free(s);
	decoders_free(s);
	free(s->trace);
	free(s);
}

const struct model_watcher *step_watcher(const struct step *s)
{
	return &s->watcher;
}

void step_begin(struct step *s, struct model *model, const struct nvfifo_prog *prog,
		__u32 chipset)
{
	shadows_free(s);
	s->model = model;
	s->prog = prog;
	s->chipset = chipset;
	decoders_begin(s);
	s->words = 0;
	s->word = 0;
	forget_trace(s);
	s->again = false;
}

bool step_is_replay(const struct step *s)
{
	return s && s->replay;
}

bool step_again(const struct step *s)
{
	return s && s->again;
}

unsigned long step_quit_at(const struct step *s)
{
	if (!s || !s->quit)
		return 0;

	return s->word;
}
