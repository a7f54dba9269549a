// SPDX-License-Identifier: MIT
/*
 * PNG: a signature and chunks of length, type, data and CRC. The pixels are a zlib stream, which is
 * made of stored blocks where zlib is not there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_crc.h"
#include "png.h"

static uint8_t *put_be32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
	return p + 4;
}

/* @body begins with the type. */
static void write_chunk(FILE *f, const uint8_t *body, size_t len)
{
	uint8_t word[4];

	put_be32(word, (uint32_t)(len - 4));
	fwrite(word, 1, sizeof(word), f);
	fwrite(body, 1, len, f);
	put_be32(word, nvfifo_crc32(0, body, len));
	fwrite(word, 1, sizeof(word), f);
}

static void write_header(FILE *f, uint32_t width, uint32_t height)
{
	static const uint8_t signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
	uint8_t body[4 + 13] = "IHDR", *p = body + 4;

	fwrite(signature, 1, sizeof(signature), f);
	p = put_be32(p, width);
	p = put_be32(p, height);
	*p++ = 8;	/* bits a sample */
	*p = 2;		/* red, green, blue; then deflate, all filters, no interlace, which are 0 */
	write_chunk(f, body, sizeof(body));
}

/* Each line has a byte for its filter in front: 0, none. */
static uint8_t *filtered(const uint8_t *rgb, uint32_t width, uint32_t height)
{
	size_t line = (size_t)width * 3;
	uint8_t *raw = malloc((line + 1) * height);
	uint32_t y;

	for (y = 0; raw && y < height; y++) {
		raw[y * (line + 1)] = 0;
		memcpy(raw + y * (line + 1) + 1, rgb + y * line, line);
	}

	return raw;
}

#ifdef NVFIFO_HAVE_ZLIB

#include <zlib.h>

static size_t packed_max(size_t len)
{
	return compressBound(len);
}

/* Return: the end of the zlib stream, or NULL. */
static uint8_t *pack(uint8_t *to, const uint8_t *raw, size_t len)
{
	uLongf size = compressBound(len);

	return compress2(to, &size, raw, len, Z_BEST_COMPRESSION) == Z_OK ? to + size : NULL;
}

#else

#define STORED_MAX 65535u	/* bytes of a stored block */

static uint32_t adler32(const uint8_t *p, size_t len)
{
	uint32_t a = 1, b = 0;

	while (len--) {
		a = (a + *p++) % 65521;
		b = (b + a) % 65521;
	}

	return b << 16 | a;
}

static size_t packed_max(size_t len)
{
	return 2 + (len + STORED_MAX - 1) / STORED_MAX * 5 + len + 4;
}

static uint8_t *pack(uint8_t *to, const uint8_t *raw, size_t len)
{
	size_t at;

	*to++ = 0x78;
	*to++ = 0x01;

	for (at = 0; at < len;) {
		size_t n = len - at < STORED_MAX ? len - at : STORED_MAX;

		*to++ = at + n == len;
		*to++ = (uint8_t)n;
		*to++ = (uint8_t)(n >> 8);
		*to++ = (uint8_t)~n;
		*to++ = (uint8_t)(~n >> 8);
		memcpy(to, raw + at, n);
		to += n;
		at += n;
	}

	return put_be32(to, adler32(raw, len));
}

#endif

static int write_pixels(FILE *f, const uint8_t *rgb, uint32_t width, uint32_t height)
{
	size_t len = ((size_t)width * 3 + 1) * height;
	uint8_t *raw = filtered(rgb, width, height), *body, *end;

	body = raw ? malloc(4 + packed_max(len)) : NULL;
	end = body ? pack(body + 4, raw, len) : NULL;
	if (end) {
		memcpy(body, "IDAT", 4);
		write_chunk(f, body, (size_t)(end - body));
	}

	free(body);
	free(raw);

	return end ? 0 : -ENOMEM;
}

int png_write(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height)
{
	FILE *f = fopen(path, "wb");
	int ret;

	if (!f)
		return -errno;

	write_header(f, width, height);
	ret = write_pixels(f, rgb, width, height);
	if (!ret)
		write_chunk(f, (const uint8_t *)"IEND", 4);
	if (ferror(f) && !ret)
		ret = -EIO;
	if (fclose(f) && !ret)
		ret = -errno;

	return ret;
}
