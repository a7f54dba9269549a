/* SPDX-License-Identifier: MIT */
/* Find out from sysfs why no card of this machine is bound to the driver. */
#ifndef NVFIFO_ADVICE_H
#define NVFIFO_ADVICE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nvfifo_card_advice() - List the cards of the family with their drivers
 * @sys: path of sysfs, NULL for /sys
 * @buf: out: sentences, one a line, without the last newline
 * @size: size of @buf, bytes
 *
 * The text has the driver of each display controller of NVIDIA with an id of the NV50 family, and
 * advice. If there is none, the text says so.
 *
 * Return: @buf.
 */
const char *nvfifo_card_advice(const char *sys, char *buf, size_t size);

/* Get the chip of a PCI device id of NVIDIA, NULL for another family. */
const char *nvfifo_card_chip(unsigned int device);

#ifdef __cplusplus
}
#endif

#endif
