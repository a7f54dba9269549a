// SPDX-License-Identifier: MIT
/* Logs as people paste them: real lines that are wrapped, cut, joined, damaged and repeated. */
#define _GNU_SOURCE
#include "nvfifo_log.h"
#include "tap.h"

struct seen {
	unsigned int explained;
	unsigned int cut;
	unsigned int noted;
	char cls[4][32];
	char advice[480];
	char fields[1000];
};

static void keep_fields(struct seen *s, const struct nvfifo_explanation *e)
{
	size_t i, used = 0;

	s->fields[0] = '\0';
	for (i = 0; i < e->fields.count && used < sizeof(s->fields); i++)
		used += (size_t)snprintf(s->fields + used, sizeof(s->fields) - used, "%s=%s\n",
					 e->fields.fields[i].name, e->fields.fields[i].text);
}

static int on_record(void *ctx, const struct nvfifo_log_record *r)
{
	struct seen *s = ctx;

	if (r->kind != NVFIFO_RECORD_EXPLAINED)
		return 0;

	if (s->explained < 4)
		snprintf(s->cls[s->explained], 32, "%s", r->e->cls);
	snprintf(s->advice, sizeof(s->advice), "%s", r->e->advice);
	keep_fields(s, r->e);
	s->explained++;
	s->cut += r->e->cut;
	s->noted += *r->note != '\0';

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

#define LINES	128

static char lines[LINES][400];

/* A real line of nouveau, with a time. Lines that are no finding are left out. */
static void add_line(const char *text, size_t *count)
{
	const char *start = strstr(text, "nouveau 0000:");

	if (!start || *count == LINES || strlen(start) > 350)
		return;

	snprintf(lines[*count], sizeof(lines[*count]), "[   97.536442] %s", start);
	if (read_log(lines[*count]).explained == 1)
		++*count;
}

static void add_reports(size_t *count)
{
	static const char *const names[] = {
		"bar-fault", "cache-error-fence", "display-timeouts", "fx2800m-local", "mp-timeout", "prop-rt-linear",
		"serial-garbage", "two-cards", "validate-lines", "warn-ectx-bind",
	};
	char path[80], *data, *line, *save;
	size_t i, len, n;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "tests/data/reports/%s.txt", names[i]);
		data = tap_file(path, &len);
		n = 0;
		for (line = strtok_r(data, "\n", &save); line && n < 8; line = strtok_r(NULL, "\n", &save), n++)
			add_line(line, count);
		free(data);
	}
}

/* Of single lines and of reports; those of libdrm and without a prefix are left out. */
static size_t real_lines(void)
{
	size_t len, at, count = 0;
	char *data = tap_file("tests/data/dmesg.jsonl", &len), *line, *save;

	for (line = strtok_r(data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct nvfifo_row r = { 0 };

		if (!nvfifo_row_from_json(&r, line, strlen(line), &at) && nvfifo_row_get(&r, "line"))
			add_line(nvfifo_row_get(&r, "line"), &count);
		nvfifo_row_free(&r);
	}

	free(data);
	add_reports(&count);

	return count;
}

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
			if (s.cut || (s.explained && !strcmp(s.cls[0], clean.cls[0])))
				right++;
			else
				printf("# %s\n", text);
		}
	}

	tap(all > 100 && right == all, "%u of %u lines with a damaged character are understood", right, all);
}

/*
 * Each character after the prefix is another one, which no message has. The answer has the same
 * fields, or it says that the line is damaged.
 */
static void test_damaged_fields(size_t count)
{
	unsigned int all = 0, wrong = 0;
	size_t i, k;

	for (i = 0; i < count; i++) {
		struct seen clean = read_log(lines[i]);

		for (k = strlen("[   97.536442] nouveau 0000:01:00.0: "); lines[i][k]; k++) {
			char text[400];
			struct seen s;

			memcpy(text, lines[i], sizeof(text));
			text[k] = '~';
			s = read_log(text);
			all++;
			if (s.cut || s.noted || !strcmp(s.fields, clean.fields))
				continue;
			wrong++;
			printf("# %s\n", text);
		}
	}

	tap(all > 3000 && wrong < all / 50, "%u of %u damaged characters are mended or said", all - wrong, all);
}

/* A character of the text that tells the kind of a line, and of a field's name */
static void test_damaged_kinds(void)
{
	static const struct {
		const char *text;
		const char *cls;
	} cases[] = {
		{ "gr: TR~P_PROP - TP 5 - Unknown CUDA fault at address 0020239300", "engine_trap" },
		{ "Xorg[849]: push 1 bpffer not in list", "submit_refused" },
		{ "DRM: base~0: timeout", "display_error" },
		{ "Xorg[849]: validate:p-12", "submit_refused" },
		{ "gr: TRAP_MP_EXE~ - TP 1 MP 0: 00000008 [TIMEOUT] at 07fa90 warp 31, opcode f6400001 0000c781",
		  "engine_trap" },
		{ "fb: tr~pped write at 0020225800 on channel 10 [3eed1000 a[41]] engine 00 [PGRAPH] client 0b [PROP] subclient 09 [LOCAL] reason 00000002 [PAGE_NOT_PRESENT]",
		  "vm_fault" },
		{ "msvld: unable to loap firmware data", "firmware" },
		{ "PGRAPH_TRAP_VFEpCH_FAULT - 00000001 00002002 00000003 00000004", "engine_trap" },
		{ "mpeg: 000~0001 00000010 0000018c 00000007", "engine_error" },
		{ "fifo: run ist update timeout", "wait_timeout" },
		{ "Xorg[849]: chan(el 4 killed!", "channel_timeout" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[400];
		struct seen s;

		snprintf(text, sizeof(text), "nouveau 0000:01:00.0: %s", cases[i].text);
		s = read_log(text);
		tap(s.explained == 1 && !strcmp(s.cls[0], cases[i].cls), "damaged: %s", cases[i].text);
	}
}

/* Lines that end inside of a word or a number, or before a number */
static void test_cut(void)
{
	static const char *const texts[] = {
		"mpeg: timeout 00000", "PGRAPH_TRAP_TPDMA_RT - TP 3 - e0c: 00000001, e18: 000",
		"gr: TRAP_MP_EXEC - TP 1 MP 0: 00000008 [TIMEOUT] at 07fa90 wa", "PCOPY: unhandled intr 0x",
		"PCRYPT: ILLEGAL_MTHD ch 3 (0x001fb14000) mthd 0x0300 data", "fifo: CACHE_ERROR - ch 3 [Xorg[849",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char text[200];
		struct seen s;

		snprintf(text, sizeof(text), "nouveau 0000:01:00.0: %s", texts[i]);
		s = read_log(text);
		tap(s.explained == 1 && s.cut && strstr(s.advice, "cut"), "cut: %s", texts[i]);
	}
}

/* Two messages in a line that have no time and no card: of libdrm, and registers */
static void test_pairs(void)
{
	static const char *const texts[] = {
		"nouveau: kernel rejected pushbuf: Invalid argument nouveau: ch5: krec 0 pushes 1 bufs 2 relocs 0",
		"PGRAPH_STATUS 00000503 PGRAPH_VSTATUS0 00000008",
		"  PFIFO_PULL0            90000001   PFIFO_CACHE1_CHID      ffffffff",
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		tap(read_log(texts[i]).explained == 2, "two messages: %s", texts[i]);
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

/* The summary of lines with '\n' between them, to be freed */
static char *summary_of(const char *lines_text)
{
	static const char *const colors[4] = { "", "", "", "" };
	struct seen s = { 0 };
	struct nvfifo_log *log = nvfifo_log_new(0, on_record, &s);
	char *copy = strdup(lines_text), *line, *save, *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	for (line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		nvfifo_log_line(log, line);
	nvfifo_log_flush(log);
	nvfifo_log_summary(log, f, colors);
	fclose(f);
	free(copy);
	nvfifo_log_free(log);

	return text;
}

static void test_other_programs(void)
{
	char *text = summary_of("NVRM: Xid (0000:01:00): 6, PE0001\n");

	tap(!strstr(text, "damaged"), "the words of NVIDIA's lines are not taken for damaged ones");
	free(text);

	text = summary_of("NVRM: os_schedule: Attempted to yield the CPU\n"
			  "NVRM: Xid (0000:01:00): 13, 0001 00000000 0000502d 0000060c 00007484 00000000\n"
			  "NVRM[0/1:0:0]: Read Error 0x00000100: CFG 0xffffffff 0xffffffff 0xffffffff, BAR0 0xd2000000 0xffffff8113bbc000 0x0a5480a2, D0, P3/4\n");
	tap(!strstr(text, "damaged") && strstr(text, "Xid 13: once") && strstr(text, "about register 000100") &&
	    strstr(text, "off the bus"), "a title of NVIDIA's lines has the Xid or the register");
	free(text);

	text = summary_of("nouveau: ch3: psh 00000000 0000001060 0000001068\nnouveau: \t0x000c6200\nnouveau: \t0x00000001\n");
	tap(!strstr(text, "not understood"), "the words of libdrm's dump are no messages");
	free(text);

	text = summary_of("nouveau: ch11: krec 0 pushes 1 bufs 2 relocs 0\nprog: ../nouveau/pushbuf.c:728: nouveau_pushbuf_data: Assertion `kref' failed.\n");
	tap(!strstr(text, "damaged") && strstr(text, "2 findings"), "the number of a channel is no damaged one, and the assertion is a consequence");
	free(text);

	text = summary_of("00400380: 00000000 00000008 00240000\n00400700: 00000503\n");
	tap(strstr(text, "4 findings"), "a row of nvapeek has a value for each register");
	free(text);
}

/* Several lines of one event are one finding. */
static void test_together(void)
{
	char *text = summary_of("[ 1204.331208] nouveau 0000:01:00.0: timeout\n"
				"[ 1204.331291] WARNING: CPU: 1 PID: 1187 at drivers/gpu/drm/nouveau/nvkm/engine/fifo/g84.c:132 g84_ectx_bind+0x1c2/0x1e0 [nouveau]\n"
				"[ 1204.331301]  nvkm_chan_cctx_bind+0x8d/0xd0 [nouveau]\n");

	tap(strstr(text, "1 finding in 3 lines; 1 kind") && strstr(text, "g84_ectx_bind: once") &&
	    !strstr(text, "not understood"),
	    "a timeout, its WARNING and the call trace are one finding");
	free(text);

	text = summary_of("[   10.000001] nouveau 0000:01:00.0: gr: PGRAPH TLB flush idle timeout fail\n"
			  "[   10.000002] nouveau 0000:01:00.0: gr: PGRAPH_STATUS 00000503 [BUSY DISPATCH CTXPROG CCACHE_PREGEOM]\n"
			  "[   10.000003] nouveau 0000:01:00.0: gr: PGRAPH_VSTATUS0: 00000008 [CCACHE]\n");
	tap(strstr(text, "busy: DISPATCH, CTXPROG, CCACHE_PREGEOM, CCACHE\n") && strstr(text, "context switch"),
	    "the summary of a flush names the units that were busy");
	free(text);

	text = summary_of("[    1.000001] nouveau 0000:01:00.0: NVIDIA GK208B (b06070b1)\n"
			  "[    5.000001] nouveau 0000:01:00.0: fifo: SCHED_ERROR 0a [CTXSW_TIMEOUT]\n");
	tap(strstr(text, "Kepler") && strstr(text, "0 findings"), "a log of another generation names its card");
	free(text);

	text = summary_of("nouveau 0000:01:00.0: gr: DATA_ERROR badf1100 []\nnouveau 0000:01:00.0: gr: TRAP: unknown badf1100\n"
			  "nouveau 0000:01:00.0: gr: DATA_ERROR badf1100 []\n");
	tap(strstr(text, "does not answer sensibly"), "badfxxxx is no value of a register");
	free(text);

	text = summary_of("nouveau 0000:01:00.0: fb: trapped read at 002\n\n    0116000 on channel 2 [0fbce000 Xorg[849]] engine 00 [PGRAPH]\n"
			  "     client 0b [PROP] subclient 00 [RT0] reason 00000002 [PAGE_N\n    OT_PRESENT]\n");
	tap(strstr(text, "0020116000") && strstr(text, "PAGE_NOT_PRESENT") && !strstr(text, "cut"),
	    "a message that was wrapped with an indentation");
	free(text);
}

/* An answer that is kept says the same again, of the right time and card. */
static void test_again(void)
{
	char *text = summary_of("[    1.000001] nouveau 0000:01:00.0: NVIDIA G84 (084300a2)\n"
				"[    1.000002] nouveau 0000:02:00.0: NVIDIA GT215 (0a3180a2)\n"
				"[   97.536442] nouveau 0000:01:00.0: fifo: DMA_PUSHER - ch 3 [Xorg[1]] get 0020001000 put 0020001010 ib_get 00000001 ib_put 00000002 state 80000024 (err: INVALID_CMD) push 00406040\n"
				"[   98.536442] nouveau 0000:01:00.0: fifo: DMA_PUSHER - ch 3 [Xorg[1]] get 0020001000 put 0020001010 ib_get 00000001 ib_put 00000002 state 80000024 (err: INVALID_CMD) push 00406040\n"
				"[   99.536442] nouveau 0000:02:00.0: fifo: DMA_PUSHER - ch 3 [Xorg[1]] get 0020001000 put 0020001010 ib_get 00000001 ib_put 00000002 state 80000024 (err: INVALID_CMD) push 00406040\n");

	tap(strstr(text, "2 times, from 97.536442 to 98.536442") && strstr(text, "once, at 99.536442"),
	    "a message that comes again counts with its time and card");
	free(text);
}

int main(void)
{
	const size_t count = real_lines();

	test_wrapped(count, false);
	test_wrapped(count, true);
	test_joined(count);
	test_damaged(count);
	test_damaged_fields(count);
	test_damaged_kinds();
	test_cut();
	test_pairs();
	test_summary();
	test_other_programs();
	test_together();
	test_again();

	return tap_end();
}
