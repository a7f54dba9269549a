// SPDX-License-Identifier: MIT
/*
 * Writing of a record through a buffer, which goes to the file when it is full or the transport is
 * idle. A process that is killed loses the buffer.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER	   (64u << 10)
#define FLUSH_NS   200000000ull
#define NUMBER_MAX 10 /* bytes of a 64-bit number */
#define HEAD_MAX   (1 + 3 * NUMBER_MAX)

struct recorder {
	int fd;
	int error; /* errno of the first write that failed; nothing is written after it */
	size_t len;
	uint64_t count, time, flushed;
	uint8_t buf[BUFFER];
};

static void write_out(struct recorder *rec, const uint8_t *p, size_t len)
{
	while (len && !rec->error) {
		ssize_t n = write(rec->fd, p, len);

		if (n < 0 && errno != EINTR)
			rec->error = errno;
		if (n > 0) {
			p += n;
			len -= (size_t)n;
		}
	}
}

static void flush(struct recorder *rec)
{
	write_out(rec, rec->buf, rec->len);
	rec->len = 0;
}

static void put_bytes(struct recorder *rec, const void *p, size_t len)
{
	if (len > BUFFER - rec->len)
		flush(rec);

	if (len > BUFFER) {
		write_out(rec, p, len);
		return;
	}

	if (len)
		memcpy(rec->buf + rec->len, p, len);

	rec->len += len;
}

static size_t put_number(uint8_t *p, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		p[n++] = (uint8_t)(v | 0x80);
	p[n++] = (uint8_t)v;
	return n;
}

struct recorder *recorder_open(const char *path, const char *header)
{
	struct recorder *rec = calloc(1, sizeof(*rec));

	if (!rec)
		return NULL;

	rec->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (rec->fd < 0) {
		free(rec);
		return NULL;
	}

	put_bytes(rec, RECORD_MAGIC, strlen(RECORD_MAGIC));
	put_bytes(rec, header, strlen(header));
	put_bytes(rec, "\n", 1);
	flush(rec);
	return rec;
}

void recorder_put(struct recorder *rec, enum record_type type, unsigned int size,
		  const uint64_t *numbers, unsigned int count, const void *bytes, size_t len)
{
	unsigned int log2 = size == 8 ? 3 : size / 2, i;
	uint8_t head[HEAD_MAX];
	size_t n = 1;

	head[0] = (uint8_t)(type | log2 << 6);

	for (i = 0; i < count; i++)
		n += put_number(head + n, numbers[i]);

	put_bytes(rec, head, n);
	put_bytes(rec, bytes, len);
	rec->count++;
}

void recorder_time(struct recorder *rec, enum record_type type, uint64_t ns)
{
	uint64_t delta = ns - rec->time;

	/* Zigzag puts the sign into bit 0, so that small steps back are short, too. */
	uint64_t zigzag = delta >> 63 ? ~(delta << 1) : delta << 1;

	if (!delta && type == RECORD_STAMP)
		return;

	rec->time = ns;
	recorder_put(rec, type, 0, &zigzag, 1, NULL, 0);
}

void recorder_idle(struct recorder *rec, uint64_t now)
{
	if (!rec->len || now - rec->flushed < FLUSH_NS)
		return;
	flush(rec);
	rec->flushed = now;
}

bool recorder_close(struct recorder *rec)
{
	uint64_t count = rec->count;
	int error;

	recorder_put(rec, RECORD_END, 0, &count, 1, NULL, 0);
	flush(rec);
	if (close(rec->fd) && !rec->error)
		rec->error = errno;

	error = rec->error;
	free(rec);
	errno = error;
	return !error;
}
