/* SPDX-License-Identifier: MIT */
/* "Did you mean": the names nearest to one that does not exist. */
#ifndef NVFIFO_NEAR_H
#define NVFIFO_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#define NVFIFO_NEAR_NAME 64	/* bytes of a name with its final zero; longer ones are cut */
#define NVFIFO_NEAR_BEST 3	/* names that are kept */

/**
 * struct nvfifo_near - A search for the nearest names
 * @wanted: the name that does not exist, in lower case
 * @best: names found so far, the nearest first
 * @score: their distances
 * @count: their number
 */
struct nvfifo_near {
	char wanted[NVFIFO_NEAR_NAME];
	char best[NVFIFO_NEAR_BEST][NVFIFO_NEAR_NAME];
	unsigned int score[NVFIFO_NEAR_BEST];
	unsigned int count;
};

/**
 * nvfifo_near_init() - Start a search
 * @near: out: the search
 * @wanted: the name that does not exist
 * @len: its length, bytes
 */
void nvfifo_near_init(struct nvfifo_near *near, const char *wanted, size_t len);

/**
 * nvfifo_near_offer() - Compare one name that exists
 * @near: the search
 * @name: a name
 *
 * Upper and lower case are the same. A name counts as near if few characters must be
 * changed, added, removed or exchanged, or if it contains the wanted one.
 */
void nvfifo_near_offer(struct nvfifo_near *near, const char *name);

/* The same for each of the names in @list, with blanks between them. */
void nvfifo_near_offer_list(struct nvfifo_near *near, const char *list);

/**
 * nvfifo_near_text() - Format the result
 * @near: the search
 * @buf: out: "; did you mean A, B?", or "" if nothing is near
 * @size: size of @buf, bytes
 *
 * Return: @buf.
 */
const char *nvfifo_near_text(const struct nvfifo_near *near, char *buf, size_t size);

#endif
