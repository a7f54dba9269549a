// SPDX-License-Identifier: MIT
/* The report of a test stick: unpack it, and find values in it. */
#define _GNU_SOURCE
#include "nvfifo_text.h"
#include "report_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Far above any report; a file of zeros that gzip has packed can be any size. */
#define UNPACKED_MAX	(64u << 20)
#define BLOCK		512

extern char **environ;

/* Open a regular file; a FIFO would block, and a device never end. Return: -1 with errno. */
static int open_file(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
		return fd;

	close(fd);
	errno = EINVAL;

	return -1;
}

/* Run gzip with the file as its input. Return: its output, or -1. */
static int start_gzip(const char *path, pid_t *child, char *err, size_t err_len)
{
	char *const argv[] = { "gzip", "-dcq", NULL };
	posix_spawn_file_actions_t actions;
	int in = open_file(AT_FDCWD, path), out[2], ret;

	if (in < 0) {
		snprintf(err, err_len, "cannot read %s: %s", path, strerror(errno));
		return -1;
	}

	if (pipe2(out, O_CLOEXEC)) {
		snprintf(err, err_len, "no pipe: %s", strerror(errno));
		close(in);
		return -1;
	}

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	ret = posix_spawnp(child, "gzip", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(in);
	close(out[1]);
	if (!ret)
		return out[0];

	snprintf(err, err_len, "cannot run gzip: %s", strerror(ret));
	close(out[0]);

	return -1;
}

/* Read all that gzip says. Return: the bytes, or NULL without memory or if they are too many. */
static char *read_all(int fd, size_t *len)
{
	size_t room = 1 << 20;
	char *buf = malloc(room), *more;
	ssize_t n = 1;

	*len = 0;
	while (buf && (n = read(fd, buf + *len, room - *len)) > 0) {
		*len += (size_t)n;
		if (*len < room)
			continue;

		room *= 2;
		more = room > UNPACKED_MAX ? NULL : realloc(buf, room);
		if (!more)
			free(buf);
		buf = more;
	}

	return buf;
}

static char *unpack(const char *path, size_t *len, char *err, size_t err_len)
{
	pid_t child;
	int fd = start_gzip(path, &child, err, err_len), status = 0;
	char *tar;

	if (fd < 0)
		return NULL;

	tar = read_all(fd, len);
	close(fd);
	waitpid(child, &status, 0);
	if (tar && !status)
		return tar;

	snprintf(err, err_len, tar ? "%s is cut, or no .tar.gz" : "%s unpacks to too much", path);
	free(tar);

	return NULL;
}

/* Take a file of the archive. Return: false if there is no room or no memory. */
static bool take(struct report_file *r, const char *name, const char *data, size_t len)
{
	struct report_entry *e = &r->entry[r->count];
	const char *slash = strrchr(name, '/');

	if (r->count == REPORT_ENTRIES)
		return false;

	e->text = malloc(len + 1);
	if (!e->text)
		return false;

	memcpy(e->text, data, len);
	e->text[len] = '\0';
	e->len = len;
	snprintf(e->name, sizeof(e->name), "%s", slash ? slash + 1 : name);
	r->count++;

	return true;
}

/* Blocks of 512 bytes: a header with name, size in octal and type, then the file's bytes. */
static bool take_files(struct report_file *r, const char *tar, size_t len)
{
	size_t at = 0;

	while (at + BLOCK <= len && tar[at]) {
		char name[101], digits[13];
		size_t size;

		snprintf(name, sizeof(name), "%.100s", tar + at);
		snprintf(digits, sizeof(digits), "%.12s", tar + at + 124);
		size = (size_t)nvfifo_text_value(digits, 8);
		at += BLOCK;
		if (size > len - at)
			return false;
		if ((tar[at - BLOCK + 156] == '0' || !tar[at - BLOCK + 156]) && !take(r, name, tar + at, size))
			return false;
		at += (size + BLOCK - 1) / BLOCK * BLOCK;
		if (at > len)
			return false;
	}

	return true;
}

/* Take the files of a folder. */
static bool take_folder(struct report_file *r, DIR *folder)
{
	struct dirent *one;
	bool good = true;

	while (good && (one = readdir(folder))) {
		int fd = open_file(dirfd(folder), one->d_name);
		size_t len = 0;
		char *text;

		if (fd < 0)
			continue;

		text = read_all(fd, &len);
		close(fd);
		good = text && take(r, one->d_name, text, len);
		free(text);
	}

	return good;
}

bool report_read(const char *path, struct report_file *r, char *err, size_t err_len)
{
	DIR *folder = opendir(path);
	size_t len;
	char *tar;
	bool good;

	memset(r, 0, sizeof(*r));
	if (folder) {
		good = take_folder(r, folder);
		closedir(folder);
	} else {
		tar = unpack(path, &len, err, err_len);
		if (!tar)
			return false;

		good = take_files(r, tar, len);
		free(tar);
	}

	if (good && !strncmp(report_text(r, "result.txt"), "nvfifo card report 1\n", 21))
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
