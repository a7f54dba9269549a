/* SPDX-License-Identifier: MIT */
/* Why there is no card of the driver: what sysfs knows of the cards in this machine. */
#ifndef NVFIFO_ADVICE_H
#define NVFIFO_ADVICE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * nvfifo_card_advice() - Say who has the cards of the family
 * @sys: where sysfs is, NULL for /sys
 * @buf: out: sentences, one a line, without the last newline
 * @size: size of @buf, bytes
 *
 * For each display controller of NVIDIA with an id of the NV50 family: whether nvfifo,
 * another driver or none has it, and what to do. Without one: that there is none.
 *
 * Return: @buf.
 */
const char *nvfifo_card_advice(const char *sys, char *buf, size_t size);

/* The chip that a PCI device id of NVIDIA's belongs to, NULL for another family. */
const char *nvfifo_card_chip(unsigned int device);

#ifdef __cplusplus
}
#endif

#endif
