// SPDX-License-Identifier: MIT
/*
 * The memory that "nvfifo asm" and "nvfifo disasm" take does not depend on the length of their
 * input: 4 million words go through each, with an address space that has no room for them. NVFIFO
 * names the program, default build/bin/nvfifo.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/tests/tap.h"

#define ROOM	(32ul << 20)	/* of the command; 4 million words alone take 16 MiB */
#define ROUNDS	4000		/* of the block below */
#define BLOCK	1000		/* words */
#define PROGRAM	"build/bin/nvfifo"

static const struct {
	const char *args;
	const char *word;	/* NULL: a binary word */
	const char *first;	/* of the input */
	const char *end;	/* in the last bytes of the output */
} cases[] = {
	{ "asm", "data 0xcafe0001\n", "", "cafe0001" },
	{ "asm", "data\t0xcafe0001,\n0xcafe0001 # a comma\n", "", "cafe0001" },
	{ "asm --binary", "data 0xcafe0001\n", "", "\xca" },
	{ "asm --listing", "data 0xcafe0001\n", "", "cafe0001" },
	{ "asm --json", "data 0xcafe0001\n", "", "]}" },
	{ "disasm", "cafe0001\n", "", "cafe0001" },
	{ "disasm --json", "cafe0001\n", "", "}" },
	{ "disasm --source", "cafe0001\n", "", "cafe0001" },
	{ "disasm --input binary", NULL, "", "cafe0001" },
	{ "disasm --input capture", "cafe0001\n", "push 0 va 0020000000 bytes 16000000 noprefetch 0 ib 20000000 f4240000\n",
	  "cafe0001" },
};

/* Write all of the input, unless the command ends before. */
static void feed(int fd, const char *first, const char *word)
{
	static char block[BLOCK * 64];
	const uint32_t binary = 0xcafe0001;
	const size_t len = word ? strlen(word) : sizeof(binary);
	size_t i;
	FILE *f = fdopen(fd, "wb");

	for (i = 0; i < BLOCK; i++)
		memcpy(block + i * len, word ? (const void *)word : &binary, len);

	fputs(first, f);
	for (i = 0; i < ROUNDS && fwrite(block, len, BLOCK, f) == BLOCK; i++)
		;
	fclose(f);
}

static void start(const char *args, int in, int out)
{
	const struct rlimit room = { ROOM, ROOM };
	const char *program = getenv("NVFIFO");
	char command[256];

	snprintf(command, sizeof(command), "exec %s %s", program ? program : PROGRAM, args);
	dup2(in, 0);
	dup2(out, 1);
	setrlimit(RLIMIT_AS, &room);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* The last bytes of the output. Return: how many there were in all. */
static size_t drain(int fd, char *tail, size_t size)
{
	static char buf[1 << 16];
	size_t total = 0, keep;
	ssize_t n;

	memset(tail, 0, size);
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		keep = (size_t)n < size - 1 ? (size_t)n : size - 1;
		memmove(tail, tail + keep, size - 1 - keep);
		memcpy(tail + size - 1 - keep, buf + n - keep, keep);
		total += (size_t)n;
	}

	return total;
}

static void stream(const char *args, const char *first, const char *word, const char *end)
{
	int in[2], out[2], status = -1;
	pid_t command, feeder;
	char tail[64];
	size_t total;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return;

	command = fork();
	if (!command)
		start(args, in[0], out[1]);

	feeder = fork();
	if (!feeder) {
		close(in[0]);
		close(out[0]);
		close(out[1]);
		feed(in[1], first, word);
		_exit(0);
	}

	close(in[0]);
	close(in[1]);
	close(out[1]);
	total = drain(out[0], tail, sizeof(tail));
	close(out[0]);
	waitpid(feeder, NULL, 0);
	waitpid(command, &status, 0);
	tap(status == 0, "%s: exit status 0", args);
	tap(total >= ROUNDS * BLOCK * 4ul && memmem(tail, sizeof(tail), end, strlen(end)),
	    "%s: all words are there", args);
}

int main(void)
{
	size_t i;

	signal(SIGPIPE, SIG_IGN);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		stream(cases[i].args, cases[i].first, cases[i].word, cases[i].end);

	return tap_end();
}
