// SPDX-License-Identifier: MIT
/*
 * Stepping through a program on the model.
 *
 * The model does the same each time, as its clock is its own. So a step back is the program
 * again from its start, up to one word less.
 */
#include <stdlib.h>
#include <string.h>

#include "step.h"
#include "step_json.h"
#include "tools.h"

/* Words of memory that are listed at a stop */
#define CHANGES_SHOWN	STEP_CHANGES

static const char help[] =
	"  Enter, s [N]  the next word, or the Nth from here\n"
	"  b [N]         back a word, or N\n"
	"  g N           go to word N, forwards or backwards\n"
	"  c             go on to the end\n"
	"  q             end the program\n";

struct step {
	struct model_watcher watcher;
	struct model *model;
	const struct nvfifo_prog *prog;
	__u64 words;		/* of the pusher, at the last stop or word */
	unsigned long word;	/* number of the word, from 1 */
	unsigned long stop;	/* the next one to stop after */
	bool json;
	bool replay;
	bool again;
	bool quit;		/* the person has ended the program */
	char (*trace)[STEP_TRACE_LENGTH];
	unsigned int trace_count;
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

/*
 * Find the word before an address in the program's buffers.
 * Return: the word, or NULL for the driver's own entry.
 */
static const __u32 *find_word(const struct step *s, __u64 next, const char **buffer, __u64 *offset)
{
	const __u8 *memory;
	const char *label;
	__u64 size, at = next - 4;
	size_t i, k;

	for (i = 0; i < s->prog->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &s->prog->buffers[i];

		if (b->mapping == NVFIFO_PROG_MAP_NONE || at < b->va || at - b->va >= b->size)
			continue;

		for (k = 0; (memory = model_buffer(s->model, k, &size, &label)); k++) {
			if (strcmp(label, b->name))
				continue;

			*buffer = b->name;
			*offset = at - b->va;
			return (const __u32 *)(memory + *offset);
		}
	}

	return NULL;
}

static void print_word(const struct step *s, __u64 next)
{
	const char *buffer;
	const __u32 *word;
	__u64 offset;

	word = find_word(s, next, &buffer, &offset);
	if (word)
		printf(": %08x at %s+0x%04llx", *word, buffer, (unsigned long long)offset);
	else
		printf(": in the driver's own entry");
}

static void print_position(const struct step *s)
{
	struct model_position p;

	model_position(s->model, &p);
	printf("%sword %lu%s, channel %u", color(COLOR_HEAD), s->word, color(COLOR_OFF),
	       p.channel);
	print_word(s, p.get);
	printf("\n  pusher  GET 0x%010llx  PUT 0x%010llx  IB_GET %u  IB_PUT %u",
	       (unsigned long long)p.get, (unsigned long long)p.put, p.ib_get, p.ib_put);
	if (p.left)
		printf("  %u data word%s to come: subchannel %u, method 0x%04x", p.left,
		       p.left == 1 ? "" : "s", p.dma_state >> 13 & 7, p.dma_state & 0x1ffc);
	printf("\n  puller  REF 0x%08x  PULL0 0x%08x  %u method%s in the cache, %llu executed\n",
	       p.ref, p.pull0, p.cached, p.cached == 1 ? "" : "s", (unsigned long long)p.methods);
}

static void print_stop(const struct step *s)
{
	unsigned int i;

	print_position(s);
	for (i = 0; i < s->trace_count; i++)
		printf("  card    %s\n", s->trace[i]);
	print_memory(s);
}

static unsigned long back(unsigned long word, unsigned long n)
{
	if (n >= word)
		return 1;

	return word - n;
}

/* A program has fewer words. The sum of two such numbers fits. */
#define WORD_MAX	1000000000

/*
 * Take a line apart: nothing, or a letter and for some of the letters a number.
 * @n: out: the number, 1 without one
 * Return: the letter, or 0 if it is no command.
 */
static char parse_command(const char *line, unsigned long *n)
{
	char text[64], *word, *number, *rest;

	*n = 1;
	snprintf(text, sizeof(text), "%s", line);
	word = strtok_r(text, " \t\r\n", &rest);
	if (!word)
		return 's';
	if (word[1] || !strchr("sbgcq", word[0]))
		return 0;

	number = strtok_r(NULL, " \t\r\n", &rest);
	if (number && (strchr("cq", word[0]) || !parse_unsigned(number, WORD_MAX, n) || !*n))
		return 0;
	if (strtok_r(NULL, " \t\r\n", &rest) || (word[0] == 'g' && !number))
		return 0;

	return word[0];
}

/* Return: whether the command moves on or ends; else another one is read. */
static bool command(struct step *s, const char *line)
{
	unsigned long n;
	char name = parse_command(line, &n);

	if (!name) {
		fputs(help, stdout);
		return false;
	}

	switch (name) {
	case 's':
		s->stop = s->word + n;
		break;
	case 'b':
		s->stop = back(s->word, n);
		break;
	case 'g':
		s->stop = n;
		break;
	case 'q':
		s->quit = true;
		s->stop = 0;
		break;
	default:
		s->stop = 0;
		break;
	}

	s->again = s->stop && s->stop <= s->word;
	s->replay = s->again;

	return true;
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
	char line[64];

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
	if (!end)
		r.value = find_word(s, r.position.get, &r.buffer, &r.offset);
	step_print_json(&r);
	s->trace_count = 0;
	shadows_take(s);
}

void step_end(struct step *s)
{
	if (s && s->json && s->stop)
		record(s, true);
}

/* --- Callbacks of the model ---------------------------------------------- */

static void traced(void *ctx, const char *line)
{
	struct step *s = ctx;

	if (s->trace_count < STEP_TRACE_LINES)
		snprintf(s->trace[s->trace_count++], STEP_TRACE_LENGTH, "%s", line);
}

static bool stepped(void *ctx)
{
	struct step *s = ctx;
	struct model_position p;

	if (!s->stop)
		return true;

	if (!s->shadows)
		shadows_take(s);
	model_position(s->model, &p);
	if (p.words == s->words)
		return true;

	s->words = p.words;
	s->word++;
	if (s->word < s->stop) {
		/* In a replay a stop shows the effect of its own word. */
		if (s->replay)
			s->trace_count = 0;
		if (s->replay && s->word + 1 == s->stop)
			shadows_take(s);
		return true;
	}

	if (s->json) {
		s->stop = s->word + 1;
		record(s, false);
		if (s->word == RECORDS || s->bytes > RECORDED_BYTES)
			s->stop = 0;
		return true;
	}

	s->replay = false;
	print_stop(s);
	s->trace_count = 0;
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
	free(s->trace);
	free(s);
}

const struct model_watcher *step_watcher(const struct step *s)
{
	return &s->watcher;
}

void step_begin(struct step *s, struct model *model, const struct nvfifo_prog *prog)
{
	shadows_free(s);
	s->model = model;
	s->prog = prog;
	s->words = 0;
	s->word = 0;
	s->trace_count = 0;
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
