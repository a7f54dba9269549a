// SPDX-License-Identifier: MIT
/*
 * The commands in Documentation/guides and its course: each "$ command" of a console block is run, and must print
 * the lines after it. NVFIFO names the program, default build/bin/nvfifo. With UPDATE_GOLDEN=1 the
 * pages get the present output.
 */
#define _GNU_SOURCE
#include <dirent.h>

#include "tap.h"

#define INDENT "   "

static char output[1 << 18];

static size_t run(const char *command)
{
	char line[2048];
	size_t len;
	FILE *f;

	/* nvfifo is whatever is tested. */
	snprintf(line, sizeof(line),
		 "nvfifo() { \"${NVFIFO:-build/bin/nvfifo}\" \"$@\"; }\n{ %s\n} </dev/null 2>&1",
		 command);
	fflush(stdout);
	f = popen(line, "r");
	if (!f)
		return 0;
	len = fread(output, 1, sizeof(output) - 1, f);
	output[len] = '\0';
	pclose(f);
	return len;
}

/* The expected text of the page: the output with the block's indentation */
static void indented(FILE *out)
{
	char *line, *save;

	for (line = strtok_r(output, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		fprintf(out, INDENT "%s\n", line);
}

static bool in_block(const char *line)
{
	return !strncmp(line, INDENT, strlen(INDENT));
}

/* Go through a page. Return: the page as it should be. */
static char *check_page(const char *name, char *text)
{
	char *page = NULL, *line = text, *end;
	bool console = false;
	size_t size;
	FILE *out = open_memstream(&page, &size);

	while (out && *line) {
		end = line + strcspn(line, "\n");
		if (console && in_block(line) && !strncmp(line + 3, "$ ", 2)) {
			char *want = NULL, *have = NULL, command[1500];
			size_t want_size, have_size;
			FILE *w = open_memstream(&want, &want_size);

			snprintf(command, sizeof(command), "%.*s", (int)(end - line - 5), line + 5);
			fprintf(out, "%.*s\n", (int)(end - line), line);
			line = *end ? end + 1 : end;
			while (in_block(line) && strncmp(line + 3, "$ ", 2)) {
				end = line + strcspn(line, "\n");
				fprintf(w, "%.*s\n", (int)(end - line), line);
				line = *end ? end + 1 : end;
			}
			fclose(w);
			run(command);
			w = open_memstream(&have, &have_size);
			indented(w);
			fclose(w);
			fputs(have, out);
			if (!tap(getenv("UPDATE_GOLDEN") || !strcmp(want, have), "%s: %s", name,
				 command))
				printf("# expected:\n%s# printed:\n%s", want, have);
			free(want);
			free(have);
			continue;
		}
		if (!strncmp(line, ".. code-block::", 15))
			console = strstr(line, "console") && strstr(line, "console") < end;
		else if (end > line && !in_block(line))
			console = false;
		fprintf(out, "%.*s\n", (int)(end - line), line);
		line = *end ? end + 1 : end;
	}
	if (out)
		fclose(out);
	return page;
}

static int is_page(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && !strcmp(dot, ".rst");
}

/* Return: how many pages the folder has. */
static int check_folder(const char *folder)
{
	struct dirent **list;
	int i, n = scandir(folder, &list, is_page, alphasort);

	for (i = 0; i < n; i++) {
		char path[300], *text, *page;
		size_t len;

		snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
		text = tap_file(path, &len);
		page = check_page(list[i]->d_name, text);
		if (getenv("UPDATE_GOLDEN") && page) {
			FILE *f = fopen(path, "w");

			if (!f || fputs(page, f) < 0 || fclose(f)) {
				printf("Bail out! cannot write %s\n", path);
				exit(1);
			}
		}
		free(page);
		free(text);
		free(list[i]);
	}
	if (n >= 0)
		free(list);

	return n;
}

int main(void)
{
	int pages, lessons;

	setenv("LC_ALL", "C", 1);
	pages = check_folder("Documentation/guides");
	lessons = check_folder("Documentation/guides/course");
	tap(pages > 3 && lessons > 8 && tap_state.count > 36, "%d pages and %d of the course with %u commands",
	    pages, lessons, tap_state.count);
	return tap_end();
}
