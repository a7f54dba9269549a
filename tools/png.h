/* SPDX-License-Identifier: MIT */
/* Pictures as PNG files. */
#ifndef NVFIFO_PNG_H
#define NVFIFO_PNG_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 as in PNG, zip and Ethernet; @crc is 0, or the result for the preceding bytes. */
uint32_t crc32_update(uint32_t crc, const void *data, size_t len);

/*
 * Write @rgb, three bytes a pixel, lines from the top, 1 to 8192 pixels a side. Return: 0 or a
 * negative errno.
 */
int png_write(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height);

#endif
