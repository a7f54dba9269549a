// SPDX-License-Identifier: MIT
/*
 * Forms of instructions that envydis knows, each as a kernel of its own. The model does it, stops
 * at it with an error, or reports that it did not do it. It never skips one in silence: a form that
 * is done has written the register that it names first. tests/data/tesla-forms.txt has a form a
 * line, and its outcome. The forms are those of envydis's tables: each instruction with each pair of
 * its alternatives (tests/data/README.md). UPDATE_FORMS=1 in the environment rewrites the outcomes.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <sys/wait.h>
#include <unistd.h>

#include "nvfifo_text.h"
#include "rig_pgraph.h"

#define SUBC_COMPUTE	1
#define CODE		0x30000u
#define SHORT_NOP	0x10008204	/* mov b32 $r1 $r1 */
#define FORMS		"tests/data/tesla-forms.txt"
#define OUTCOMES	5

/* Of the list. Documentation/not-modelled.rst has both numbers. */
#define KNOWN		5879u
#define FINDINGS	12u

#define RESULT		4u		/* the register that a form writes */
#define SENTINEL	0x5a5a1234u	/* its value before */

enum outcome {
	DONE,
	STOPPED,		/* with an error of PGRAPH */
	FINDING,		/* the model did not do it */
	SILENT,			/* its register has not changed */
	LOST,			/* the model itself has ended */
};

static const char *const outcomes[] = { "done", "stopped", "finding", "silent", "lost" };

/* A card with a kernel's code and one thread a block. g0[] and g1[] are 1 KiB each. */
static struct rig *card(const char *chip)
{
	struct rig *r = ready(chip);
	uint32_t i;

	submit(r, 1, M(SUBC_COMPUTE, 0, 1), 0x50c0, M(SUBC_COMPUTE, 0x1a0, 1), H_VM,
	       M(SUBC_COMPUTE, 0x1c0, 1), H_VM, M(SUBC_COMPUTE, 0x210, 2), 0, VA_MEM + CODE,
	       M(SUBC_COMPUTE, 0x2b8, 1), 1, M(SUBC_COMPUTE, 0x384, 1), 0x100,
	       M(SUBC_COMPUTE, 0x1b8, 1), H_VM, M(SUBC_COMPUTE, 0x294, 3), 0, VA_MEM, 3,
	       M(SUBC_COMPUTE, 0x1bc, 1), H_VM, M(SUBC_COMPUTE, 0x218, 3), 0, VA_MEM, 4);
	for (i = 0; i < 2; i++)
		submit(r, 1, M(SUBC_COMPUTE, 0x400 + 32 * i, 5), 0, VA_MEM + 0x1000 * i, 0, 0x3ff, 1);
	submit(r, 1, M(SUBC_COMPUTE, 0x3a8, 3), 0x140, 1 | 1 << 16, 1, M(SUBC_COMPUTE, 0x2b4, 1),
	       1u << 16 | 1, M(SUBC_COMPUTE, 0x2f8, 1), 1, M(SUBC_COMPUTE, 0x388, 1), 0,
	       M(SUBC_COMPUTE, 0x3a4, 1), 1 | 1 << 16, M(SUBC_COMPUTE, 0x374, 1), 1 << 8);
	run(r);

	return r;
}

static uint64_t findings(struct rig *r)
{
	struct nvsim_missing m;
	uint64_t count = 0;
	unsigned int i;

	/* A branch may go to itself: it is done, until the model's limit. */
	for (i = 0; nvsim_get_missing(r->sim, i, &m); i++)
		count += m.kind == NVSIM_MISSING_STEPS ? 0 : m.count;

	return count;
}

/* Short forms, and those with a number, add to the register that they write. */
static bool accumulates(const uint32_t form[2], const char *text)
{
	bool two_words = form[0] & 1;

	return (!two_words || (form[1] & 3) == 3) &&
	       (strstr(text, "(mul") || !strncmp(text, "sad", 3));
}

/*
 * Whether the first operand is a register that the form writes, after one for flags. A condition may
 * not hold, a lane may be another one, and after an end nothing is stored.
 */
static bool has_result(const char *text)
{
	const char *at = strpbrk(text, "$[#");

	/* This one reads the register. */
	if (!strncmp(text, "mov $c $r", 9) || *text == '(' || !strncmp(text, "exit ", 5) ||
	    !strncmp(text, "join (", 6))
		return false;
	if (at && !strncmp(at, "$c $", 4))
		at += 3;

	return at && !strncmp(at, "$r", 2);
}

/* Let the form write RESULT, where its number is 0 or, of the upper half of $r0, 1. */
static void set_result(uint32_t form[2], const char *text)
{
	const char *at = strstr(text, "$r");

	form[0] |= (at[2] == 'l' || at[2] == 'h' ? 2 * RESULT : RESULT) << 2;
}

/* Run the form between a start and a store of RESULT. */
static enum outcome outcome_of(struct rig *r, const uint32_t form[2], const char *text)
{
	static uint32_t mark;
	const uint32_t code[] = {
		0x10008001 | RESULT << 2 | (SENTINEL & 0x3f) << 16, SENTINEL >> 6 << 2 | 3,
		form[0], form[1],
		0x1000801d, 0x00000003,			/* mov b32 $r7 0 */
		0xd0000e01 | RESULT << 2, 0xa0c00780,	/* st b32 g0[$r7] RESULT */
		0xf0000001, 0xe0000781,			/* exit nop */
	};
	uint64_t before = findings(r);

	/* Forms that load global memory find zeros there. */
	fill_memory_below(r, 0x1000);
	nvsim_vram_write(r->sim, VRAM_MEM + CODE, code, sizeof(code));
	r->push_at[1] = 0;
	submit(r, 1, M(SUBC_COMPUTE, 0x368, 1), 0, M(0, 0x50, 1), ++mark);
	run(r);

	if (findings(r) != before)
		return FINDING;
	if (rd(r, NV_PGRAPH_INTR) || ref(r, 1) != mark)
		return STOPPED;
	if (has_result(text) && !accumulates(form, text) && peek(r, VRAM_MEM) == SENTINEL)
		return SILENT;

	return DONE;
}

/* The same on a copy of the card: a new card takes longer. */
static enum outcome outcome_of_copy(struct rig *r, const uint32_t form[2], const char *text)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(outcome_of(r, form, text));
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return LOST;

	return WEXITSTATUS(status) < LOST ? WEXITSTATUS(status) : LOST;
}

/* "gt215 20000001 04000780 done<tab>text"; 4 bytes of code have no second word, but a nop. */
static bool parse(const char *line, char chip[8], uint32_t form[2], char was[8], int *text)
{
	char second[9];

	*text = 0;
	if (sscanf(line, "%7s %8x %8s %7s\t%n", chip, &form[0], second, was, text) != 4 || !*text)
		return false;

	form[1] = second[0] == '-' ? SHORT_NOP : (uint32_t)nvfifo_text_value(second, 16);
	return true;
}

static void test_form(struct rig **r, char *now, const char *line, uint32_t count[OUTCOMES],
		      uint32_t *wrong, FILE *update)
{
	char chip[8], was[8];
	enum outcome outcome;
	uint32_t form[2];
	int text;

	if (!parse(line, chip, form, was, &text)) {
		if (update)
			fputs(line, update);
		return;
	}

	if (strcmp(chip, now)) {
		if (*r)
			rig_destroy(*r);
		*r = card(chip);
		strcpy(now, chip);
	}

	if (has_result(line + text))
		set_result(form, line + text);
	outcome = strcmp(was, outcomes[DONE]) ? outcome_of_copy(*r, form, line + text) :
						outcome_of(*r, form, line + text);
	if (rd(*r, NV_PGRAPH_INTR)) {
		rig_destroy(*r);
		*r = card(chip);
	}

	count[outcome]++;
	if (update)
		fprintf(update, "%.*s%s\t%s", (int)(strstr(line, was) - line), line,
			outcomes[outcome], line + text);
	else if (strcmp(was, outcomes[outcome]) && (*wrong)++ < 20)
		printf("# %s, not %s: %s", outcomes[outcome], was, line);
}

int main(void)
{
	FILE *f = fopen(FORMS, "r"), *update = NULL;
	uint32_t count[OUTCOMES] = { 0 }, wrong = 0, known;
	char line[200], chip[8] = "";
	struct rig *r = NULL;

	if (!f) {
		printf("Bail out! no " FORMS "\n");
		return 1;
	}

	if (getenv("UPDATE_FORMS"))
		update = fopen(FORMS ".new", "w");

	while (fgets(line, sizeof(line), f))
		test_form(&r, chip, line, count, &wrong, update);

	fclose(f);
	if (r)
		rig_destroy(r);
	if (update) {
		fclose(update);
		rename(FORMS ".new", FORMS);
	}

	known = count[DONE] + count[STOPPED] + count[FINDING] + count[SILENT] + count[LOST];
	tap(known == KNOWN, "%u forms are known, %u are done", known, count[DONE]);
	tap(count[STOPPED] > 0, "%u forms stop the kernel with an error", count[STOPPED]);
	tap(count[FINDING] == FINDINGS, "%u forms are findings", count[FINDING]);
	tap(!wrong, "each form ends as the list says");
	tap(!count[SILENT] && !count[LOST], "%u forms have no effect in silence, %u end the model",
	    count[SILENT], count[LOST]);

	return tap_end();
}
