// SPDX-License-Identifier: MIT
/* Boards by their names and PCI ids. */
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_advice.h"
#include "nvfifo_boards.h"
#include "nvfifo_priv.h"
#include "nvfifo_table.h"
#include "nvfifo_text.h"

/* Boards of lib/boards.tbl, and after them machines that their owners name instead of the board */
static struct {
	pthread_once_t once;
	struct board {
		__u16 device;
		const char *name;
	} *list;
	size_t count;
} boards = { .once = PTHREAD_ONCE_INIT };

/* Words that stand in front of a board's name and tell boards apart no further. */
static const char *const noise[] = {
	"nvidia", "corporation", "geforce", "graphics", "card", "gpu", "chip", "the", "apple", "macbook",
	"mac", "mini", "imac", "pro", "air", "laptop", "notebook", "with", "a", "an", "vga", "rev",
};

__u32 nvfifo_chipset_of_name(const char *name, size_t len)
{
	/* Names in nouveau's log and in the database of PCI ids */
	static const struct {
		const char *name;
		__u32 chipset;
	} others[] = {
		{ "GT200", 0xa0 }, { "GT200b", 0xa0 }, { "MCP78", 0xaa }, { "MCP77/MCP78", 0xaa },
		{ "C77", 0xaa }, { "C78", 0xaa }, { "MCP7A", 0xac }, { "MCP79/MCP7A", 0xac },
		{ "C79", 0xac },
	};
	__u32 id;
	size_t i;

	for (id = 0x50; id <= 0xaf; id++) {
		const char *have = nvfifo_chipset_name(id);

		if (have && strlen(have) == len && !strncasecmp(have, name, len))
			return id;
	}

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (strlen(others[i].name) == len && !strncasecmp(others[i].name, name, len))
			return others[i].chipset;
	}

	return 0;
}

/* The next word of letters, digits and ','. Return: NULL after the last. */
static const char *next_word(const char **text, size_t *len)
{
	const char *s = *text, *from;

	while (*s && !isalnum((unsigned char)*s))
		s++;
	from = s;
	while (isalnum((unsigned char)*s) || (*s == ',' && isdigit((unsigned char)s[1])))
		s++;

	*text = s;
	*len = (size_t)(s - from);

	return *len ? from : NULL;
}

static bool is_noise(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(noise) / sizeof(noise[0]); i++) {
		if (strlen(noise[i]) == len && !strncasecmp(noise[i], word, len))
			return true;
	}

	return false;
}

/* Does @name have @word, whole or as the beginning of a word with letters after it? */
static bool has_word(const char *name, const char *word, size_t len, bool beginning)
{
	const char *have;
	size_t n;

	while ((have = next_word(&name, &n))) {
		if (n < len || strncasecmp(have, word, len))
			continue;
		if (n == len || (beginning && isalpha((unsigned char)have[len])))
			return true;
	}

	return false;
}

/* Return: whether all words of @text that are no noise, of which there is one, are in @name. */
static bool fits(const char *name, const char *text, bool beginning)
{
	const char *word;
	bool any = false;
	size_t len;

	while ((word = next_word(&text, &len))) {
		if (is_noise(word, len))
			continue;
		if (!has_word(name, word, len, beginning))
			return false;
		any = true;
	}

	return any;
}

/* Letters and digits of a text in lower case, with nothing between them */
static void squeeze(const char *text, char *out, size_t size)
{
	size_t n = 0;

	for (; *text && n + 1 < size; text++) {
		if (isalnum((unsigned char)*text))
			out[n++] = (char)tolower((unsigned char)*text);
	}

	out[n] = '\0';
}

static bool is_machine(const char *name)
{
	return !strncmp(name, "Mac", 3);
}

/* "9800GX2" for "GeForce 9800 GX2", "MacBook Pro" for "MacBookPro5,1" */
static bool fits_squeezed(const char *name, const char *text)
{
	char have[128], wanted[128];

	/* Letters alone name families of boards, but machines too. */
	if (!strpbrk(text, "0123456789") && !is_machine(name))
		return false;

	squeeze(name, have, sizeof(have));
	squeeze(text, wanted, sizeof(wanted));

	return strlen(wanted) >= 4 && strstr(have, wanted);
}

/* How exactly a text names a board, the best way first */
enum fit {
	FIT_EQUAL,	/* the name has no other words */
	FIT_WORDS,	/* whole words */
	FIT_BEGINNINGS,	/* or beginnings of words */
	FIT_SQUEEZED,	/* with other blanks */
};

static bool fits_as(const char *name, const char *text, enum fit fit)
{
	if (fit == FIT_SQUEEZED)
		return fits_squeezed(name, text);
	if (!fits(name, text, fit == FIT_BEGINNINGS))
		return false;

	return fit != FIT_EQUAL || fits(text, name, false);
}

/* "10de:0402", "0x0402", "0402" */
static bool is_id(const char *text, unsigned int *device)
{
	text += strspn(text, " [");
	if (!strncasecmp(text, "10de:", 5))
		text += 5;
	else if (!strncasecmp(text, "0x", 2))
		text += 2;
	if (nvfifo_text_digits(text, 16) != 4)
		return false;

	*device = (unsigned int)nvfifo_text_value(text, 16);
	text += 4 + strspn(text + 4, " ]");

	return !*text && nvfifo_card_chip(*device);
}

static void fill(struct nvfifo_board *b, __u16 device, const char *name)
{
	b->device = device;
	b->name = name;
	b->chip = nvfifo_card_chip(device);
	b->chipset = nvfifo_chipset_of_name(b->chip, strlen(b->chip));
}

/* DEVICE NAME */
static int take_board(struct nvfifo_table *t, unsigned int depth)
{
	struct board *b = NVFIFO_ADD(boards.list, boards.count);

	(void)depth;
	if (!b)
		return -ENOMEM;

	b->device = (__u16)nvfifo_text_value(nvfifo_table_word(t), 16);
	b->name = nvfifo_table_rest(t);

	return 0;
}

static int read_text(const char *name, char *text)
{
	struct nvfifo_table t = { .name = name };

	return nvfifo_table_read(&t, text, take_board);
}

static void read_boards(void)
{
	nvfifo_table_sources(nvfifo_board_sources, read_text);
}

/* The best way in which some board is named */
static enum fit best_fit(const char *text)
{
	enum fit fit;
	size_t i;

	for (fit = FIT_EQUAL; fit < FIT_SQUEEZED; fit++) {
		for (i = 0; i < boards.count; i++) {
			if (fits_as(boards.list[i].name, text, fit))
				return fit;
		}
	}

	return FIT_SQUEEZED;
}

bool nvfifo_board_next(const char *text, size_t *at, struct nvfifo_board *b)
{
	unsigned int device = 0;
	const bool by_id = is_id(text, &device);
	const struct board *row;
	enum fit fit;

	pthread_once(&boards.once, read_boards);
	fit = by_id ? FIT_EQUAL : best_fit(text);

	for (; *at < boards.count; ++*at) {
		row = &boards.list[*at];
		if (by_id && (row->device != device || is_machine(row->name)))
			continue;
		if (!by_id && *text && !fits_as(row->name, text, fit))
			continue;

		fill(b, row->device, row->name);
		++*at;
		return true;
	}

	return false;
}

__u32 nvfifo_board_chipset(const char *text, char *chips, size_t size)
{
	struct nvfifo_board b;
	unsigned int device;
	__u32 chipset = 0;
	size_t at = 0;
	bool same = true;

	if (size)
		chips[0] = '\0';
	/* Boards that the database does not name have ids, too. */
	if (is_id(text, &device)) {
		fill(&b, (__u16)device, "");
		if (size)
			snprintf(chips, size, "%s", b.chip);
		return b.chipset;
	}

	while (*text && nvfifo_board_next(text, &at, &b)) {
		same = same && (!chipset || chipset == b.chipset);
		chipset = b.chipset;
		if (size && !strstr(chips, b.chip))
			nvfifo_text_add(chips, size, "%s%s", *chips ? ", " : "", b.chip);
	}

	return same ? chipset : 0;
}
