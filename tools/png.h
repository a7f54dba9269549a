/* SPDX-License-Identifier: MIT */
/* Pictures as PNG files. */
#ifndef NVFIFO_PNG_H
#define NVFIFO_PNG_H

#include <stdint.h>

/*
 * Write @rgb, three bytes a pixel, lines from the top, 1 to 8192 pixels a side. Return: 0 or a
 * negative errno.
 */
int png_write(const char *path, const uint8_t *rgb, uint32_t width, uint32_t height);

#endif
