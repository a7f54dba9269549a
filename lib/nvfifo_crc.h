/* SPDX-License-Identifier: MIT */
/* The CRC-32 of zlib, zip and PNG. */
#ifndef NVFIFO_CRC_H
#define NVFIFO_CRC_H

#include <stddef.h>

#include <linux/types.h>

/**
 * nvfifo_crc32() - Continue a CRC-32, as zlib's crc32() does
 * @crc: the CRC of the bytes before, 0 at the beginning
 * @data: bytes
 * @len: their number
 *
 * Return: the CRC of all.
 */
static inline __u32 nvfifo_crc32(__u32 crc, const void *data, size_t len)
{
	static const __u32 nibbles[16] = {
		0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
		0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
	};
	const unsigned char *p = data;

	crc = ~crc;
	while (len--) {
		crc ^= *p++;
		crc = crc >> 4 ^ nibbles[crc & 15];
		crc = crc >> 4 ^ nibbles[crc & 15];
	}

	return ~crc;
}

/* The same for one word, its lowest byte first */
static inline __u32 nvfifo_crc32_word(__u32 crc, __u32 word)
{
	const unsigned char bytes[4] = {
		(unsigned char)word, (unsigned char)(word >> 8), (unsigned char)(word >> 16),
		(unsigned char)(word >> 24),
	};

	return nvfifo_crc32(crc, bytes, sizeof(bytes));
}

#endif
