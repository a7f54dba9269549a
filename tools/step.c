// SPDX-License-Identifier: MIT
/*
 * Stepping through a program on the model.
 *
 * The model does the same each time, as its clock is its own. So a step back is the program
 * again from its start, up to one word less.
 */
#include <stdlib.h>
#include <string.h>

#include "nvfifo_methods.h"
#include "step.h"
#include "step_json.h"
#include "step_show.h"
#include "tools.h"

/* Words of memory that are listed at a stop */
#define CHANGES_SHOWN	STEP_CHANGES

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
	struct step_view view;
	struct model *model;
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
	char (*trace)[STEP_TRACE_LENGTH];
	unsigned int trace_count;
	unsigned int trace_lost;	/* lines without a place in it */
	__u64 bytes;		/* of all buffers that were compared, with JSON */
	void **shadows;		/* contents of buffers at the last stop */
	size_t shadow_count;
};

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
	void **more;
	__u64 size;

	shadows_free(s);

	while ((memory = model_buffer(s->model, s->shadow_count, &size, &label))) {
		s->bytes += size;
		more = realloc(s->shadows, (s->shadow_count + 1) * sizeof(*more));
		if (!more)
			return;

		s->shadows = more;
		s->shadows[s->shadow_count] = malloc(size);
		if (!s->shadows[s->shadow_count])
			return;

		memcpy(s->shadows[s->shadow_count++], memory, size);
	}
}

/* Return: the words that differ, of which the first ones are listed. */
static unsigned long print_changes(const char *label, const __u32 *old, const __u32 *new,
				   __u64 size, unsigned long changes)
{
	__u64 i;

	if (!memcmp(old, new, size))
		return changes;

	for (i = 0; i < size / 4; i++) {
		if (old[i] == new[i])
			continue;

		if (changes++ < CHANGES_SHOWN)
			printf("  memory  %s+0x%04llx  %08x -> %s%08x%s\n", label,
			       (unsigned long long)i * 4, old[i], color(COLOR_HEAD), new[i],
			       color(COLOR_OFF));
	}

	return changes;
}

static void print_memory(const struct step *s)
{
	unsigned long changes = 0;
	const char *label;
	const void *memory;
	__u64 size;
	size_t i;

	for (i = 0; i < s->shadow_count; i++) {
		memory = model_buffer(s->model, i, &size, &label);
		if (memory)
			changes = print_changes(label, s->shadows[i], memory, size, changes);
	}

	if (changes > CHANGES_SHOWN)
		printf("  memory  and %lu more words\n", changes - CHANGES_SHOWN);
}

/* --- A stop -------------------------------------------------------------- */

static void print_stop(const struct step *s)
{
	struct model_position p;
	unsigned int i;

	model_position(s->model, &p);
	step_view_print(&s->view, s->word, &p);
	for (i = 0; i < s->trace_count; i++)
		step_view_trace(&s->view, s->trace[i]);
	if (s->trace_lost)
		printf("  card    and %u more lines\n", s->trace_lost);
	print_memory(s);
}

static void forget_trace(struct step *s)
{
	s->trace_count = 0;
	s->trace_lost = 0;
}

/* --- Commands ------------------------------------------------------------ */

static unsigned long back(unsigned long word, unsigned long n)
{
	if (n >= word)
		return 1;

	return word - n;
}

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
		s->stop = back(s->word, n);
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
		step_view_memory(&s->view, what, n);
		return true;
	case 'p':
		step_view_register(&s->view, what);
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
	struct step_record r = {
		.model = s->model,
		.word = end ? 0 : s->word,
		.trace = s->trace,
		.trace_count = s->trace_count,
		.shadows = s->shadows,
		.shadow_count = s->shadow_count,
	};

	model_position(s->model, &r.position);
	if (!end) {
		r.value = s->view.word;
		r.buffer = s->view.buffer;
		r.offset = s->view.offset;
	}
	step_print_json(&r);
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
static bool says_the_same(const struct step *s, int method)
{
	return !s->json && method >= 0 && s->trace_count &&
	       !strncmp(s->trace[s->trace_count - 1], "ENG ", 4);
}

static void traced(void *ctx, const char *line)
{
	struct step *s = ctx;
	int method = step_view_method(line);

	if (s->until >= 0 && method == s->until && step_view_is(&s->view, line, s->until_name))
		s->reached = true;
	/* The driver flushes TLBs and switches channels before the first fetch. */
	if (!s->json && !s->word && strncmp(line, "IB ", 3))
		return;

	if (says_the_same(s, method))
		s->trace_count--;
	if (s->trace_count < STEP_TRACE_LINES)
		snprintf(s->trace[s->trace_count++], STEP_TRACE_LENGTH, "%s", line);
	else
		s->trace_lost++;
}

/* The pusher has read a word. Return: whether the run stops after it. */
static bool read_word(struct step *s, const struct model_position *p)
{
	s->words = p->words;
	s->word++;
	step_view_read(&s->view, p);
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
	struct step *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;

	s->trace = calloc(STEP_TRACE_LINES, STEP_TRACE_LENGTH);
	if (!s->trace) {
		free(s);
		return NULL;
	}

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
	step_view_free(&s->view);
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
	step_view_begin(&s->view, model, prog, chipset);
	s->model = model;
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
