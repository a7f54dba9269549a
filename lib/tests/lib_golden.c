// SPDX-License-Identifier: MIT
/*
 * The nvfifo command against the files of tests/golden. NVFIFO names the
 * program, default build/bin/nvfifo. With UPDATE_GOLDEN=1 the files are written
 * anew: look at the difference before you commit it.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "tap.h"

#define DIR "tests/golden/"
#define OUTPUT_MAX (1 << 20)

static char output[OUTPUT_MAX];

/* Both outputs of a command. Return: its exit code, or -1. */
static int run(const char *args, size_t *len)
{
	const char *program = getenv("NVFIFO");
	char command[512];
	int status;
	FILE *f;

	fflush(stdout);
	snprintf(command, sizeof(command), "{ %s %s; } </dev/null 2>&1",
		 program ? program : "build/bin/nvfifo", args);
	f = popen(command, "r");
	if (!f)
		return -1;
	*len = fread(output, 1, OUTPUT_MAX - 1, f);
	output[*len] = '\0';
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void update(const char *path, size_t len)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(output, 1, len, f) != len || fclose(f)) {
		printf("Bail out! cannot write %s\n", path);
		exit(1);
	}
}

/* The first line in which they differ, for the person who reads the report. */
static void report(const char *want)
{
	const char *have = output;
	unsigned int line = 1;

	while (*have && *have == *want) {
		line += *have == '\n';
		have++;
		want++;
	}
	while (have > output && have[-1] != '\n') {
		have--;
		want--;
	}
	printf("# line %u\n# expected: %.*s\n# printed:  %.*s\n", line, (int)strcspn(want, "\n"),
	       want, (int)strcspn(have, "\n"), have);
}

static void check(const char *name, int want_exit, const char *args)
{
	char path[128];
	size_t len = 0, want_len;
	int code = run(args, &len);
	char *want;
	bool same;

	snprintf(path, sizeof(path), DIR "%s.out", name);
	if (getenv("UPDATE_GOLDEN"))
		update(path, len);
	want = tap_file(path, &want_len);
	same = want_len == len && !memcmp(want, output, len);
	if (!tap(same && code == want_exit, "nvfifo %s", args)) {
		if (code != want_exit)
			printf("# exit code %d, expected %d\n", code, want_exit);
		if (!same)
			report(want);
	}
	free(want);
}

/* A card's registers for peek, poke and watch: all 0 but these. */
static void make_image(void)
{
	static const struct {
		uint32_t address;
		uint32_t value;
	} words[] = {
		{ 0x000000, 0x084300a2 }, { 0x000200, 0x00110110 }, { 0x002100, 0x00001001 },
		{ 0x002500, 0x00010001 }, { 0x002604, 0x80054142 }, { 0x003220, 0x00000001 },
		{ 0x003228, 0x80004200 }, { 0x003240, 0x20001040 }, { 0x003244, 0x20001008 },
		{ 0x003250, 0x00000011 }, { 0x003400, 0xffffffff },
	};
	FILE *f = fopen("build/bar0.img", "wb");
	bool ok = f && !fseek(f, 0x3ffc, SEEK_SET) && fwrite("\0\0\0", 4, 1, f) == 1;
	size_t i;

	for (i = 0; ok && i < sizeof(words) / sizeof(words[0]); i++)
		ok = !fseek(f, words[i].address, SEEK_SET) && fwrite(&words[i].value, 4, 1, f) == 1;
	if (!ok || fclose(f)) {
		printf("Bail out! cannot write build/bar0.img\n");
		exit(1);
	}
}

/* Out through the assembler, back through the disassembler, as a person would. */
static void test_pipe(void)
{
	size_t len, want_len;
	char *want = tap_file(DIR "asm.out", &want_len);
	int code = run("asm --binary tests/golden/source.txt | ${NVFIFO:-build/bin/nvfifo} "
		       "disasm --input binary | ${NVFIFO:-build/bin/nvfifo} asm",
		       &len);

	tap(!code && len == want_len && !memcmp(want, output, len),
	    "asm | disasm | asm gives the same words");
	free(want);
}

int main(void)
{
	size_t len;
	char *cases = tap_file(DIR "cases", &len), *save, *line;

	setenv("LC_ALL", "C", 1);
	unsetenv("NO_COLOR");
	make_image();
	for (line = strtok_r(cases, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char name[64];
		int code, at;

		if (*line == '#')
			continue;
		if (sscanf(line, "%63s %d %n", name, &code, &at) < 2) {
			tap(false, "the line '%s' of " DIR "cases can be read", line);
			continue;
		}
		check(name, code, line + at);
	}
	free(cases);
	test_pipe();
	return tap_end();
}
