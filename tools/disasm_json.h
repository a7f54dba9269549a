/* SPDX-License-Identifier: MIT */
#ifndef NVFIFO_DISASM_JSON_H
#define NVFIFO_DISASM_JSON_H

#include "nvfifo.h"

/* Bytes of a word's line: its value, its text, and all the rest */
#define DISASM_JSON_MAX	(3 * NVFIFO_WORD_TEXT_MAX)

/**
 * disasm_json_word() - Write a decoded word as one line with an object of JSON
 * @w: the word
 * @format: format it was decoded with
 * @address: byte offset or address of the word
 * @bad: the pusher refuses the word
 * @buf: out: DISASM_JSON_MAX bytes, with a newline at the end, not zero terminated
 *
 * Return: length of the line.
 */
size_t disasm_json_word(const struct nvfifo_word *w, enum nvfifo_format format, __u64 address,
			bool bad, char *buf);

#endif
