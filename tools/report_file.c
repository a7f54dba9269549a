// SPDX-License-Identifier: MIT
/* The report of a test stick: its files, and values in them. */
#include "nvfifo_text.h"
#include "report_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Far above any file of a report */
#define FILE_MAX	(16 << 20)

/* Read a regular file; a FIFO would block, and a device never end. Return: its text, or NULL. */
static char *read_file(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = NULL;
	struct stat st;
	ssize_t len;

	if (fd < 0)
		return NULL;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= FILE_MAX)
		text = malloc((size_t)st.st_size + 1);
	if (text) {
		len = read(fd, text, (size_t)st.st_size);
		text[len > 0 ? len : 0] = '\0';
	}
	close(fd);

	return text;
}

bool report_read(const char *path, struct report_file *r, char *err, size_t err_len)
{
	DIR *folder = opendir(path);
	struct dirent *file;

	memset(r, 0, sizeof(*r));
	if (!folder) {
		snprintf(err, err_len, "cannot read the folder %s: %s", path, strerror(errno));
		return false;
	}

	while (r->count < REPORT_ENTRIES && (file = readdir(folder))) {
		struct report_entry *e = &r->entry[r->count];

		e->text = read_file(dirfd(folder), file->d_name);
		snprintf(e->name, sizeof(e->name), "%s", file->d_name);
		r->count += e->text != NULL;
	}
	closedir(folder);

	if (!strncmp(report_text(r, "result.txt"), "nvfifo card report 1\n", 21))
		return true;

	snprintf(err, err_len, "%s is not a report of a test stick", path);
	report_free(r);

	return false;
}

void report_free(struct report_file *r)
{
	while (r->count)
		free(r->entry[--r->count].text);
}

const char *report_text(const struct report_file *r, const char *name)
{
	unsigned int i;

	for (i = 0; i < r->count; i++)
		if (!strcmp(r->entry[i].name, name))
			return r->entry[i].text;

	return "";
}

bool report_value(const struct report_file *r, const char *key, char *value, size_t size)
{
	const char *line = report_text(r, "result.txt");
	size_t n = strlen(key);

	for (; *line; nvfifo_text_line(&line, NULL, 0)) {
		if (strncmp(line, key, n) || strncmp(line + n, ": ", 2))
			continue;

		line += n + 2;
		nvfifo_text_line(&line, value, size);
		return true;
	}

	*value = '\0';
	return false;
}

bool report_next_register(const char **text, uint32_t *offset, uint32_t *value)
{
	char line[40];

	while (nvfifo_text_line(text, line, sizeof(line))) {
		if (sscanf(line, "%x %x", offset, value) == 2)
			return true;
	}

	return false;
}

bool report_register(const struct report_file *r, uint32_t offset, uint32_t *value)
{
	const char *text = report_text(r, "registers.txt");
	uint32_t at;

	while (report_next_register(&text, &at, value))
		if (at == offset)
			return true;

	return false;
}
