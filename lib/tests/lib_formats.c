// SPDX-License-Identifier: MIT
/*
 * Generators of log lines: each format of nouveau's source with values, each bit of each unit's
 * trap and interrupt, and each code. Each line is answered.
 */
#define _GNU_SOURCE
#include <ctype.h>

#include "nvfifo_explain.h"
#include "nvfifo_log.h"
#include "nvfifo_names.h"
#include "nvfifo_text.h"
#include "tap.h"

#define CARD "nouveau 0000:01:00.0: "

/* --- Formats of nouveau's source --------------------------------------------- */

/* The digits of a conversion such as "%08x": the width that it asks for, or one */
static void add_number(FILE *f, unsigned int width, uint64_t value)
{
	if (width)
		fprintf(f, "%0*llx", (int)width, (unsigned long long)value & (~0ull >> (64 - 4 * width)));
	else
		fprintf(f, "%llx", (unsigned long long)value & 7);
}

/* A line of a printf format, with "\\t" for a tab. @round: other values in each */
static void fill(FILE *f, const char *format, unsigned int round)
{
	static const uint64_t values[] = { 0x12, 0x1, 0x200, 0xfdb97531 };
	const uint64_t value = values[round];
	unsigned int width;

	for (; *format; format++) {
		if (format[0] == '\\' && format[1] == 't') {
			fputc('\t', f);
			format++;
			continue;
		}

		if (*format != '%') {
			fputc(*format, f);
			continue;
		}

		format++;
		width = *format == '0' ? (unsigned int)nvfifo_text_value(format, 10) : 0;
		format += strspn(format, "0123456789.l");
		if (*format == 's')
			fputs(round & 1 ? "DRM" : "Xorg[849]", f);
		else if (*format == 'd' || *format == 'i' || *format == 'u')
			fprintf(f, "%u", round + 1);
		else if (*format == 'p')
			fputs("00000000deadbeef", f);
		else
			add_number(f, width, value);
	}
}

/* A row of the data: scope, kernels, file, function, format */
struct row {
	char *column[5];
};

static bool read_row(char *line, struct row *r)
{
	char *save = line;
	size_t i;

	for (i = 0; i < 5; i++) {
		r->column[i] = strsep(&save, "\t");
		if (!r->column[i])
			return false;
	}

	return !save;
}

/* The line as the kernel prints it, without the log's prefix. @round: 4 for a new WARNING */
static char *line_of(const struct row *r, unsigned int round)
{
	static const char path[] = "drivers/gpu/drm/nouveau/";
	const char *file = r->column[2], *function = r->column[3], *format = r->column[4];
	char *line;
	size_t len;
	FILE *f = open_memstream(&line, &len);

	if (!strcmp(format, "wait") && round & 1) {
		fprintf(f, "WARNING: CPU: 1 PID: 849 at %s%s:132 %s+0x1c2/0x1e0 [nouveau]", path, file,
			function);
	} else if (!strcmp(format, "wait")) {
		fprintf(f, "WARNING: %s%s:132 at %s+0x1c2/0x1e0 [nouveau], CPU#1: Xorg/849", path, file,
			function);
	} else if (!strncmp(format, "nvif:", 5)) {
		fputs("nouveau: Xorg[849]:00000000:00000080: ", f);
		fill(f, format + 5, round);
	} else {
		fputs(CARD, f);
		fill(f, format, round);
	}

	fclose(f);
	return line;
}

/* Whether the answer is one for this scope */
static bool fits_scope(const struct nvfifo_explanation *e, const char *scope)
{
	const bool display = !strcmp(e->cls, "display_error");

	if (!strcmp(scope, "display"))
		return display && strcasestr(e->advice, "scope");

	return !strcmp(e->driver, "nouveau") && !display && strcmp(e->cls, "other_family") && *e->advice;
}

struct answer {
	enum nvfifo_record kind;
	bool damaged;
};

static int on_record(void *ctx, const struct nvfifo_log_record *r)
{
	struct answer *a = ctx;

	a->kind = r->kind;
	a->damaged = *r->note || (r->e && r->e->cut);

	return 0;
}

/* The line as a log of one message */
static struct answer read_line(const char *line)
{
	struct answer a = { .kind = NVFIFO_RECORD_OTHER };
	struct nvfifo_log *log = nvfifo_log_new(0, on_record, &a);

	nvfifo_log_line(log, line);
	nvfifo_log_flush(log);
	nvfifo_log_free(log);

	return a;
}

static bool is_answered(const struct row *r, unsigned int round)
{
	char *line = line_of(r, round);
	const struct answer a = read_line(line);
	struct nvfifo_explanation e;
	bool ok = !a.damaged;

	/* A message about nothing wrong is no finding, and none that is not understood. */
	if (ok && !strcmp(r->column[0], "ordinary")) {
		ok = a.kind == NVFIFO_RECORD_ORDINARY;
	} else if (ok) {
		ok = nvfifo_explain(line, 0, &e) == 1 && fits_scope(&e, r->column[0]);
		nvfifo_explanation_free(&e);
	}

	if (!ok)
		printf("# %s, round %u: %s\n", r->column[0], round, line);
	free(line);

	return ok;
}

static void test_formats(void)
{
	size_t len, rows = 0, right = 0;
	char *data = tap_file("tests/data/nouveau-formats.tsv", &len), *line, *save;
	struct row r;
	unsigned int round;

	for (line = strtok_r(data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!read_row(line, &r)) {
			tap(false, "a row of the formats has five columns: %s", line);
			continue;
		}

		for (round = 0; round < 4; round++) {
			rows++;
			right += is_answered(&r, round);
		}
	}

	tap(rows > 900 && right == rows, "%zu of %zu lines of nouveau's formats are answered", right, rows);
	free(data);
}

/* --- Bits ------------------------------------------------------------------ */

/* The bits of a unit in a line of nouveau, with the text before and after "00000001 [NAME]" */
static const struct {
	const char *before;
	const char *after;
	const struct nvfifo_name *bits;
	const char *field;
	bool trap;
} units[] = {
	{ "gr: TRAP_DISPATCH (unknown ", ")", nvfifo_trap_dispatch_bits, "bits", true },
	{ "gr: TRAP_M2MF ", "]", nvfifo_trap_m2mf_bits, "bits", true },
	{ "gr: TRAP_VFETCH ", "]", nvfifo_trap_fault_bits, "bits", true },
	{ "gr: TRAP_STRMOUT ", "]", nvfifo_trap_fault_bits, "bits", true },
	{ "gr: TRAP_CCACHE ", "]", nvfifo_trap_fault_bits, "bits", true },
	{ "gr: TRAP_UNKC04 ", "", nvfifo_trap_fault_bits, "bits", true },
	{ "gr: TRAP_TEXTURE - TP1: ", "]", nvfifo_trap_tex_bits, "bits", true },
	{ "gr: TRAP_TEXTURE - TP1: Unhandled ustatus ", "", nvfifo_trap_tex_bits, "bits", true },
	{ "gr: TRAP_MP - TP1: ", "]", nvfifo_trap_mp_bits, "bits", true },
	{ "gr: TRAP_MP - TP1: Unhandled ustatus ", "", nvfifo_trap_mp_bits, "bits", true },
	{ "gr: TRAP_MP_EXEC - TP 1 MP 0: ", "] at 07fa90 warp 31, opcode 10008001 00000003",
	  nvfifo_trap_mp_exec_bits, "bits", true },
	{ "gr: TRAP_PROP - TP 1 - ", "] - Address 0020210400", nvfifo_trap_prop_bits, "bits", true },
	{ "gr: TRAP_PROP - TP1: Unhandled ustatus ", "", nvfifo_trap_prop_bits, "bits", true },
	{ "gr: TRAP: unknown ", "", nvfifo_trap_bits, "units", true },
	{ "gr: ", "] ch 3 [000f0e1000 Xorg[849]] subc 5 class 5039 mthd 0100 data 00000002",
	  nvfifo_pgraph_intr_bits, "interrupt_bits", false },
	{ "gr: PGRAPH_STATUS ", "]", nvfifo_pgraph_status_bits, "units", false },
	{ "fifo: intr ", "", nvfifo_pfifo_intr_bits, "interrupt_bits", false },
	{ "cipher: ", "] ch 3 [000f0e1000 Xorg[849]] mthd 0000 data 00000007",
	  nvfifo_cipher_intr_bits, "interrupt_bits", false },
	{ "msvld: intr ", "", nvfifo_falcon_intr_bits, "interrupt_bits", false },
	{ "mpeg: ch 3 [000f0e1000 Xorg[849]] ", " 00000000 00000100 00000002", nvfifo_mpeg_intr_bits,
	  "interrupt_bits", false },
};

/* @name as a whole word of the list */
static bool has_word(const char *list, const char *name)
{
	const char *p = list;
	size_t n = strlen(name);

	while (p && (p = strstr(p, name))) {
		if ((p == list || !(isalnum((unsigned char)p[-1]) || p[-1] == '_')) &&
		    !(isalnum((unsigned char)p[n]) || p[n] == '_'))
			return true;
		p++;
	}

	return false;
}

/* False if the advice says that the bit is not documented */
static bool is_documented(const struct nvfifo_explanation *e)
{
	return !strstr(e->advice, "not documented") && !strstr(e->advice, "no source documents");
}

static bool bit_is_answered(size_t unit, unsigned int bit)
{
	const struct nvfifo_name *n = nvfifo_name_find(units[unit].bits, 1u << bit);
	const bool bracket = units[unit].after[0] == ']';
	struct nvfifo_explanation e;
	const char *list;
	char line[300], name[24];
	bool ok;

	/* nouveau's own tables lack some names, and the brackets are empty. */
	snprintf(line, sizeof(line), CARD "%s%08x%s%s", units[unit].before, 1u << bit, bracket ? " [" : "",
		 units[unit].after);
	snprintf(name, sizeof(name), "UNK%u", bit);
	if (nvfifo_explain(line, 0x84, &e) != 1)
		return false;

	list = nvfifo_row_get(&e.fields, units[unit].field);
	ok = list && has_word(list, n ? n->name : name) && *e.advice;
	if (ok && units[unit].trap)
		ok = is_documented(&e) == !!n;
	if (!ok)
		printf("# %s: %s: %s\n", line, list ? list : "no names", e.advice);
	nvfifo_explanation_free(&e);

	return ok;
}

static void test_bits(void)
{
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		unsigned int bit, wrong = 0;

		for (bit = 0; bit < 32; bit++)
			wrong += !bit_is_answered(i, bit);
		tap(!wrong, "each bit of '%s' has its name and an answer", units[i].before);
	}
}

/* --- Codes ----------------------------------------------------------------- */

/* A line with a code at its "%", and the field that has its name */
static void check_codes(const char *what, const char *format, const struct nvfifo_name *codes,
			unsigned int shift, const char *field)
{
	unsigned int wrong = 0, count = 0;

	for (; codes->name; codes++) {
		struct nvfifo_explanation e;
		char before[200], line[300];
		const char *at = strchr(format, '%'), *text;
		int ret;

		snprintf(before, sizeof(before), "%.*s", (int)(at - format), format);
		snprintf(line, sizeof(line), CARD "%s%08x%s", before, codes->value << shift, at + 1);
		ret = nvfifo_explain(line, 0x84, &e);
		text = ret == 1 ? nvfifo_row_get(&e.fields, field) : NULL;
		count++;
		if (!text || !strstr(text, codes->name) || !*e.advice) {
			printf("# %s: %s\n", line, text ? text : "nothing");
			wrong++;
		}
		nvfifo_explanation_free(&e);
	}

	tap(count && !wrong, "each of %u codes of %s has its name and an answer", count, what);
}

/* Each surface of PROP's last word */
static void test_surfaces(void)
{
	static const char *const names[] = {
		"RT0", "RT1", "RT2", "RT3", "RT4", "RT5", "RT6", "RT7", "ZETA", "LOCAL", "GLOBAL", "STACK",
		"DST2D", "d", "e", "f",
	};
	unsigned int slot, wrong = 0;

	for (slot = 0; slot < 16; slot++) {
		struct nvfifo_explanation e;
		const char *text = NULL;
		char line[200];

		snprintf(line, sizeof(line), CARD "gr: TRAP_PROP - TP 0 - e0c: 00000000, e18: 00000000, e1c: 00000000, e20: 00001100, e24: %02x030000", slot);
		if (nvfifo_explain(line, 0x84, &e) == 1)
			text = nvfifo_row_get(&e.fields, "surface");
		wrong += !text || strcmp(text, names[slot]) || !*e.advice;
		nvfifo_explanation_free(&e);
	}

	tap(!wrong, "each surface of PROP's words has its name");
}

/* Each DMA slot of PGRAPH has advice of its own. */
static void test_slots(void)
{
	unsigned int client, slot, count = 0, wrong = 0;

	for (client = 0; client < 32; client++) {
		for (slot = 0; slot < 16; slot++) {
			struct nvfifo_explanation e;
			const char *text = NULL;
			char line[300];

			if (!*nvfifo_fault_slot(0x84, 0, client, slot))
				continue;

			count++;
			snprintf(line, sizeof(line), CARD "fb: trapped write at 0020116000 on channel 3 [0f0e1000 Xorg[849]] engine 00 [PGRAPH] client %02x [] subclient %02x [] reason 00000002 [PAGE_NOT_PRESENT]",
				 client, slot);
			if (nvfifo_explain(line, 0x84, &e) == 1)
				text = nvfifo_row_get(&e.fields, "subclient");
			if (!text || !*e.advice || strstr(e.advice, "Nothing is mapped") ||
			    !strstr(text, nvfifo_fault_slot(0x84, 0, client, slot))) {
				printf("# %s: %s\n", line, e.advice);
				wrong++;
			}
			nvfifo_explanation_free(&e);
		}
	}

	tap(count > 20 && !wrong, "each of %u slots of PGRAPH has advice", count);
}

/* A field is left out if the line has no number for it. */
static void test_missing_fields(void)
{
	struct nvfifo_explanation e;
	bool ok;

	ok = nvfifo_explain(CARD "fb: trapped write at 0020116000 on channel 3 [0f0e1000 Xorg[849]] engine 00 [PGRAPH] reason 00000002 [PAGE_NOT_PRESENT]",
			    0x84, &e) == 1;
	tap(ok && nvfifo_row_get(&e.fields, "reason") && !nvfifo_row_get(&e.fields, "client") &&
	    !nvfifo_row_get(&e.fields, "subclient"), "a fault without a client gets none");
	nvfifo_explanation_free(&e);
}

int main(void)
{
	test_formats();
	test_bits();
	check_codes("DATA_ERROR", "gr: DATA_ERROR % []", nvfifo_data_errors, 0, "error");
	check_codes("the pusher", "fifo: DMA_PUSHER - ch 3 [Xorg[849]] get 0020010000 put 0020010010 ib_get 00000001 ib_put 00000002 state % (err: X) push 00406040",
		    nvfifo_pusher_errors, 29, "error");
	check_codes("the MMU", "fb: trapped read at 0020116000 on channel 3 [0f0e1000 Xorg[849]] engine 00 [PGRAPH] client 0b [PROP] subclient 00 [RT0] reason % []",
		    nvfifo_fault_reasons, 0, "reason");
	test_surfaces();
	test_slots();
	test_missing_fields();
	return tap_end();
}
