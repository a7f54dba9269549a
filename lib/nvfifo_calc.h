/* SPDX-License-Identifier: MIT */
/* The calculator: bit layouts of the NV50 family as rows of named fields. */
#ifndef NVFIFO_CALC_H
#define NVFIFO_CALC_H

#include "nvfifo_row.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * enum nvfifo_calc_flags - How to calculate
 * @NVFIFO_CALC_ALL: add every decoded field, not only the columns of the kind
 * @NVFIFO_CALC_STRICT: refuse a field whose given value differs from the result, because the given
 *	fields contradict each other. Without the flag the result replaces the value, for lines of
 *	recorded results
 * @NVFIFO_CALC_NOUVEAU: calculate as nouveau of Linux 6.12 does. It differs from the documents in word 3
 *	of an engine's context object, in an empty page directory entry, and in the tag of a compressed
 *	mapping that begins inside of a buffer. It never flushes some TLBs, and names units differently.
 *	Its functions are nv50_vmm_valid(), nv50_vmm_pde(), g84_ectx_bind(), nv50_ectx_bind(),
 *	nv50_vmm_flush() and nv50_fb_intr()
 */
enum nvfifo_calc_flags {
	NVFIFO_CALC_ALL = 1 << 0,
	NVFIFO_CALC_STRICT = 1 << 1,
	NVFIFO_CALC_NOUVEAU = 1 << 2,
};

/**
 * struct nvfifo_calc_kind - A thing that can be calculated
 * @name: "pte"
 * @words: names of the encoded words in order, with blanks between
 * @fields: names of the fields that make them, for a person
 * @means: one line
 */
struct nvfifo_calc_kind {
	const char *name;
	const char *words;
	const char *fields;
	const char *means;
};

/* The kind after @kind, the first for NULL; NULL after the last. */
const struct nvfifo_calc_kind *nvfifo_calc_next(const struct nvfifo_calc_kind *kind);

/**
 * nvfifo_calc_layouts() - Add kinds
 * @name: of the text, for errors
 * @text: kinds in the language of Documentation/guides/messages.rst
 *
 * No other thread may calculate at the same time.
 *
 * Return: 0, -EINVAL for a mistake in the text, -ENOMEM; nvfifo_last_error() has the line and the
 * allowed words.
 */
int nvfifo_calc_layouts(const char *name, const char *text);

/*
 * Find a kind by its name, or by the name of a file of test vectors ("pte_type"); NULL if unknown.
 */
const struct nvfifo_calc_kind *nvfifo_calc_find(const char *name);

/* Find the kind of a row by the names of its fields. */
const struct nvfifo_calc_kind *nvfifo_calc_detect(const struct nvfifo_row *r);

/**
 * nvfifo_calc() - Encode or decode
 * @kind: kind of the value
 * @r: fields are read from it, and the results set
 * @flags: enum nvfifo_calc_flags
 * @note: out: a note about the result for the user, or ""; 200 bytes
 *
 * If the row has one of the kind's fields, the call encodes the words, also over existing ones. If
 * the row has only words, the call decodes them.
 *
 * Return: 0, -EINVAL for a field that is missing or out of range, -ENOMEM;
 * nvfifo_last_error() has the reason.
 */
int nvfifo_calc(const struct nvfifo_calc_kind *kind, struct nvfifo_row *r, unsigned int flags,
		char note[200]);

#ifdef __cplusplus
}
#endif

#endif
