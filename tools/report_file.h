/* SPDX-License-Identifier: MIT */
/* Files and values of a test stick's report (packaging/stick), a .tar.gz */
#ifndef NVFIFO_REPORT_FILE_H
#define NVFIFO_REPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REPORT_ENTRIES	64

/**
 * struct report_entry - A file of the report
 * @name: name without its folder
 * @text: content, with a NUL after it
 * @len: bytes of @text
 */
struct report_entry {
	char name[104];
	char *text;
	size_t len;
};

/**
 * struct report_file - A report
 * @entry: its files
 * @count: how many
 */
struct report_file {
	struct report_entry entry[REPORT_ENTRIES];
	unsigned int count;
};

/**
 * report_read() - Unpack a report into memory
 * @path: the .tar.gz, or the folder that was packed
 * @r: out: the report, for report_free()
 * @err: out: a sentence about a failure
 * @err_len: size of @err
 *
 * Anybody may have made the file. A child process runs gzip, and the function limits its output.
 *
 * Return: whether it is a report.
 */
bool report_read(const char *path, struct report_file *r, char *err, size_t err_len);
void report_free(struct report_file *r);

/* The text of a file, "" if there is none of that name */
const char *report_text(const struct report_file *r, const char *name);

/* The rest of the line of result.txt that begins with @key and a colon. False if there is none. */
bool report_value(const struct report_file *r, const char *key, char *value, size_t size);

/* A register of registers.txt. False if it was not read. */
bool report_register(const struct report_file *r, uint32_t offset, uint32_t *value);

/**
 * report_next_register() - Walk over registers.txt
 * @text: in: the file, or where the last call left it
 * @offset: out: offset in BAR0
 * @value: out: its value
 *
 * Return: false after the last one.
 */
bool report_next_register(const char **text, uint32_t *offset, uint32_t *value);

#endif
