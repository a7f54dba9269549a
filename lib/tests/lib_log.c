// SPDX-License-Identifier: MIT
/* Logs as people paste them: real lines that are wrapped, cut, joined, damaged and repeated. */
#define _GNU_SOURCE
#include "nvfifo_log.h"
#include "tap.h"

struct seen {
	unsigned int explained;
	unsigned int cut;
	char cls[4][32];
	char advice[480];
};

static int on_record(void *ctx, const struct nvfifo_log_record *r)
{
	struct seen *s = ctx;

	if (r->kind != NVFIFO_RECORD_EXPLAINED)
		return 0;

	if (s->explained < 4)
		snprintf(s->cls[s->explained], 32, "%s", r->e->cls);
	snprintf(s->advice, sizeof(s->advice), "%s", r->e->advice);
	s->explained++;
	s->cut += r->e->cut;

	return 0;
}

/* Lines with '\n' between them */
static struct seen read_log(const char *text)
{
	struct seen s = { 0 };
	struct nvfifo_log *log = nvfifo_log_new(0, on_record, &s);
	char *copy = strdup(text), *line, *save;

	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		nvfifo_log_line(log, line);
	nvfifo_log_flush(log);
	nvfifo_log_free(log);
	free(copy);

	return s;
}

/* Real lines of nouveau, with its prefix; those of libdrm and without a prefix are left out. */
static size_t real_lines(char lines[64][400])
{
	size_t len, at, count = 0;
	char *data = tap_file("tests/data/dmesg.jsonl", &len), *line, *save;

	for (line = strtok_r(data, "\n", &save); line && count < 64; line = strtok_r(NULL, "\n", &save)) {
		struct nvfifo_row r = { 0 };

		if (!nvfifo_row_from_json(&r, line, strlen(line), &at) && nvfifo_row_get(&r, "line") &&
		    strstr(nvfifo_row_get(&r, "line"), "nouveau 0000:"))
			snprintf(lines[count++], 400, "[   97.536442] %s",
				 strstr(nvfifo_row_get(&r, "line"), "nouveau 0000:"));
		nvfifo_row_free(&r);
	}

	free(data);
	return count;
}

static char lines[64][400];

/* Cut at a column, or wrapped between words as mail programs do. */
static void test_wrapped(size_t count, bool at_words)
{
	unsigned int wrong = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		struct seen clean = read_log(lines[i]), s;
		char text[500];
		size_t from = 0, n, used = 0, len = strlen(lines[i]);

		while (from < len) {
			n = len - from < 72 ? len - from : 72;
			while (at_words && from + n < len && n > 40 && lines[i][from + n] != ' ')
				n--;
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%.*s\n", (int)n, lines[i] + from);
			from += n;
			from += at_words && lines[i][from] == ' ';
		}

		s = read_log(text);
		if (s.cut || (s.explained == clean.explained && !strcmp(s.cls[0], clean.cls[0]) &&
			      !strcmp(s.advice, clean.advice)))
			continue;
		printf("# %s", text);
		wrong++;
	}

	tap(!wrong && count > 5, "%zu lines %s", count, at_words ? "wrapped by a mail program" : "cut at 72 columns");
}

static void test_joined(size_t count)
{
	unsigned int wrong = 0;
	size_t i;

	for (i = 0; i + 1 < count; i++) {
		char text[900];
		struct seen s;

		snprintf(text, sizeof(text), "%s %s", lines[i], lines[i + 1]);
		s = read_log(text);
		if (s.explained == 2)
			continue;
		printf("# %u: %s\n", s.explained, text);
		wrong++;
	}

	tap(!wrong && count > 5, "two messages in a line, %zu pairs", count - 1);
}

/* One character after the prefix is another one. Return: how many of them are understood as before. */
static void test_damaged(size_t count)
{
	unsigned int all = 0, right = 0;
	size_t i, k;

	for (i = 0; i < count; i++) {
		struct seen clean = read_log(lines[i]);

		for (k = strlen("[   97.536442] nouveau 0000:01:00.0: "); lines[i][k]; k += 3) {
			char text[400];
			struct seen s;

			memcpy(text, lines[i], sizeof(text));
			text[k] = text[k] == 'p' ? 'q' : 'p';
			s = read_log(text);
			all++;
			right += s.cut || (s.explained && !strcmp(s.cls[0], clean.cls[0]));
		}
	}

	tap(all > 100 && right * 100 >= all * 97, "%u of %u lines with a damaged character are understood", right, all);
}

static void test_summary(void)
{
	static const char *const colors[4] = { "", "", "", "" };
	struct seen s = { 0 };
	struct nvfifo_log *log = nvfifo_log_new(0, on_record, &s);
	size_t len, i, text_len;
	char *data = tap_file("tests/data/reports/fx2800m-local.txt", &len), *line, *save, *text;
	FILE *f = open_memstream(&text, &text_len);

	for (line = strtok_r(data, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		nvfifo_log_line(log, line);
	for (i = 0; i < 5; i++)
		nvfifo_log_line(log, "[    1.0000000] nouveau 0000:01:00.0: something that nobody knows");
	nvfifo_log_flush(log);
	nvfifo_log_summary(log, f, colors);
	fclose(f);

	tap(strstr(text, "1 of them without a cause") && strstr(text, "slot 09 LOCAL") &&
	    strstr(text, "channel 10 plasmashell[4137]") && strstr(text, "explained by 1"),
	    "the log of a fault of local memory has one cause");
	tap(strstr(text, "5 lines of the driver were not understood"), "lines that are not understood are counted");
	free(text);
	free(data);
	nvfifo_log_free(log);
}

int main(void)
{
	const size_t count = real_lines(lines);

	test_wrapped(count, false);
	test_wrapped(count, true);
	test_joined(count);
	test_damaged(count);
	test_summary();

	return tap_end();
}
