// SPDX-License-Identifier: MIT
/* The names nearest to one that does not exist. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "nvfifo_near.h"

/* Names that contain the wanted one are as near as one wrong character. */
#define CONTAINS_LEN 3
#define FAR 1000u

static void copy_lower(char *out, const char *text, size_t len)
{
	size_t i;

	if (len >= NVFIFO_NEAR_NAME)
		len = NVFIFO_NEAR_NAME - 1;
	for (i = 0; i < len; i++)
		out[i] = (char)tolower((unsigned char)text[i]);
	out[len] = '\0';
}

void nvfifo_near_init(struct nvfifo_near *near, const char *wanted, size_t len)
{
	memset(near, 0, sizeof(*near));
	copy_lower(near->wanted, wanted, len);
}

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	if (b < a)
		a = b;
	return c < a ? c : a;
}

/* Characters to change, add, remove or exchange with their neighbour (Damerau, Levenshtein). */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][NVFIFO_NEAR_NAME + 1], i, j;
	unsigned int n = (unsigned int)strlen(b);
	unsigned int *before = rows[0], *last = rows[1], *now = rows[2], *swap;

	for (j = 0; j <= n; j++)
		last[j] = j;

	for (i = 1; a[i - 1]; i++) {
		now[0] = i;
		for (j = 1; j <= n; j++) {
			unsigned int cost = a[i - 1] != b[j - 1];

			now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}

		swap = before;
		before = last;
		last = now;
		now = swap;
	}

	return last[n];
}

static unsigned int score_of(const struct nvfifo_near *near, const char *name)
{
	size_t len = strlen(near->wanted);
	unsigned int limit = 1 + (unsigned int)len / 4, score, last;
	const char *dot = strchr(name, '.');

	if (len >= CONTAINS_LEN && strstr(name, near->wanted))
		return 1;

	score = distance(near->wanted, name);

	/* "LINECOUNT" means M2MF.LINE_COUNT. */
	if (dot && !strchr(near->wanted, '.')) {
		last = distance(near->wanted, dot + 1);
		if (last < score)
			score = last;
	}

	/* Of a name of one letter, each other one would be near. */
	if (score > limit || (score >= len && score >= strlen(name)))
		return FAR;

	return score;
}

void nvfifo_near_offer(struct nvfifo_near *near, const char *name)
{
	char lower[NVFIFO_NEAR_NAME] = "";
	unsigned int score, at, i;

	copy_lower(lower, name, strlen(name));
	score = score_of(near, lower);
	if (score == FAR)
		return;

	for (at = 0; at < near->count && near->score[at] <= score; at++) {
		if (!strcmp(near->best[at], name))
			return;
	}

	if (at == NVFIFO_NEAR_BEST)
		return;

	if (near->count < NVFIFO_NEAR_BEST)
		near->count++;

	for (i = near->count - 1; i > at; i--) {
		memcpy(near->best[i], near->best[i - 1], NVFIFO_NEAR_NAME);
		near->score[i] = near->score[i - 1];
	}

	snprintf(near->best[at], NVFIFO_NEAR_NAME, "%s", name);
	near->score[at] = score;
}

void nvfifo_near_offer_list(struct nvfifo_near *near, const char *list)
{
	char name[NVFIFO_NEAR_NAME];

	while (*list) {
		size_t len = strcspn(list, " ");

		if (len && len < sizeof(name)) {
			memcpy(name, list, len);
			name[len] = '\0';
			nvfifo_near_offer(near, name);
		}

		list += len;
		list += strspn(list, " ");
	}
}

const char *nvfifo_near_text(const struct nvfifo_near *near, char *buf, size_t size)
{
	size_t used = 0;
	unsigned int i;

	buf[0] = '\0';
	for (i = 0; i < near->count && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 i ? ", " : "; did you mean ", near->best[i]);

	if (used && used < size)
		snprintf(buf + used, size - used, "?");

	return buf;
}
