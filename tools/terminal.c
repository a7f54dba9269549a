// SPDX-License-Identifier: MIT
/* The terminal: its width, and a pager for long output. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvfifo_text.h"
#include "terminal.h"
#include "tools.h"

/* Lines are not shorter, however narrow the terminal is. */
#define COLUMNS_LEAST	40

static int terminal = -1;
static pid_t pager;

bool output_is_terminal(void)
{
	/* In a browser standard output claims to be a terminal; it has no TERM. */
	if (terminal < 0)
		terminal = isatty(STDOUT_FILENO) && getenv("TERM");

	return terminal;
}

int terminal_columns(void)
{
	static int columns = -1;
	const char *text = getenv("COLUMNS");
	struct winsize size;

	if (!output_is_terminal())
		return 0;
	if (columns >= 0)
		return columns;

	columns = (int)nvfifo_text_value(text, 10);
	if (columns <= 0 && !ioctl(STDERR_FILENO, TIOCGWINSZ, &size))
		columns = size.ws_col;
	if (columns <= 0)
		columns = 80;
	if (columns < COLUMNS_LEAST)
		columns = COLUMNS_LEAST;

	return columns;
}

void print_wrapped(const char *text, int indent, int column)
{
	int width = terminal_columns(), length;
	bool first = true;

	for (; *text; text += length + (text[length] == ' ')) {
		length = (int)strcspn(text, " ");
		if (width && !first && column + 1 + length >= width) {
			printf("\n%*s", indent, "");
			column = indent;
			first = true;
		}
		printf("%s%.*s", first ? "" : " ", length, text);
		column += length + !first;
		first = false;
	}

	putchar('\n');
}

FILE *wrap_begin(struct wrap *w)
{
	w->f = need(open_memstream(&w->text, &w->size));
	return w->f;
}

void wrap_end(struct wrap *w, int indent, int column)
{
	if (fclose(w->f))
		need(NULL);
	print_wrapped(w->text, indent, column);
	free(w->text);
}

/* --- Pager --------------------------------------------------------------- */

static void pager_wait(void)
{
	fflush(stdout);
	/* The pager reads to the end of the pipe. */
	close(STDOUT_FILENO);
	waitpid(pager, NULL, 0);
}

static const char *pager_command(void)
{
	const char *command = getenv("NVFIFO_PAGER"), *term = getenv("TERM");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
	if (!*command || !strcmp(command, "cat") || !term || !strcmp(term, "dumb"))
		return NULL;

	return command;
}

static void pager_run(const char *command, int in)
{
	dup2(in, STDIN_FILENO);
	close(in);
	/* End at once if all fits on the screen, show colours, and leave the text there. */
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Whether the command can be started: a missing one would swallow the output. */
static bool is_installed(const char *command)
{
	char test[600];

	snprintf(test, sizeof(test), "command -v %.*s >/dev/null 2>&1", (int)strcspn(command, " "),
		 command);
	return strlen(command) < 500 && !system(test);
}

void pager_start(void)
{
	const char *command;
	int ends[2];

	if (!output_is_terminal())
		return;
	command = pager_command();
	if (!command || !is_installed(command) || pipe(ends))
		return;

	/* The width of the terminal is asked for before standard output is a pipe. */
	terminal_columns();
	pager = fork();
	if (!pager) {
		close(ends[1]);
		pager_run(command, ends[0]);
	}

	close(ends[0]);
	if (pager > 0) {
		dup2(ends[1], STDOUT_FILENO);
		/* Ctrl-C is for the pager, which stays until the person ends it. */
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
		atexit(pager_wait);
	}
	close(ends[1]);
}
