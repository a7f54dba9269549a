/* SPDX-License-Identifier: MIT */
/* Shared by the files that read a log */
#ifndef NVFIFO_LOG_PRIV_H
#define NVFIFO_LOG_PRIV_H

#include "nvfifo_log.h"

/* --- Cards ----------------------------------------------------------------- */

#define LOG_CARDS	8

/**
 * struct log_card - A card of the log
 * @address: "0000:01:00.0", or "" for lines without one
 * @name: chip as the log has it: "G92", "GK208B"
 * @from: the line's part that says so
 * @chipset: chipset id of a card of this family, else 0
 * @generation: of a card of another generation, "Kepler", else NULL
 * @skipped: lines of it that were not explained
 * @lines: lines that were explained
 * @odd: of these, those whose values no chip of the family has
 * @ones: of these, those whose values are all ones
 * @values: the values that came, to find one that all registers read
 */
struct log_card {
	char address[20];
	char name[24];
	char from[64];
	__u32 chipset;
	const char *generation;
	unsigned long skipped;
	unsigned long lines;
	unsigned long odd;
	unsigned long ones;
	struct {
		__u32 value;
		unsigned long count;
		__u32 fields;	/* a bit for each field that had it */
	} values[16];
};

struct log_cards {
	struct log_card list[LOG_CARDS];
	size_t count;
};

/* Look for a card in a line. */
void log_cards_scan(struct log_cards *cards, const char *line);

/* The card of a line: that of its PCI address, or the only one. NULL without memory for one more. */
struct log_card *log_card_of(struct log_cards *cards, const char *line);

/* "Kepler" for GK208 or for the chipset id 0x106, NULL for this family and for unknown ones. */
const char *log_generation(const char *name, __u32 chipset);

/* --- Text ------------------------------------------------------------------ */

/* Does a message of a driver begin somewhere in the line? */
bool log_is_driver(const char *line);

/* Does the line begin with what a log puts in front of a message? */
bool log_is_record_start(const char *line);

/* How long a log's date, host and time stamp in front of a message are together. */
size_t log_prefix_len(const char *line);

/* The position of a second message in the line, or 0. */
size_t log_second_record(const char *line);

/* "  97.536442" of "[   97.536442]", or the time of syslog; "" without one. */
void log_time(const char *line, char *text, size_t size);

/**
 * log_join() - Put pieces of a wrapped message together
 * @pieces: the lines
 * @count: how many
 * @width: length of the longest line that went on
 * @chipset: for nvfifo_explain()
 * @used: out: how many lines the message has
 * @text: out: the message
 * @size: size of @text
 */
void log_join(char *const *pieces, size_t count, size_t width, __u32 chipset, size_t *used,
	      char *text, size_t size);

/* Is this a word of the messages of a driver? Upper and lower case are the same. */
bool log_is_word(const char *s, size_t len);

/* How long the word or number at @s is, with signs that no message has and without '_'. */
size_t log_word_len(const char *s);

/* Does "nouveau 0000:01:00.0", "nouveau E[" or a similar prefix begin at @s? Digits may be damaged. */
bool log_is_driver_prefix(const char *s);

/* Mend a character of "nouveau" after the log's prefix. Return: whether one was damaged. */
bool log_mend_driver(char *line);

/**
 * struct log_damage - Damaged characters of a message
 * @note: the changes, or ""
 * @lost: a word or number that cannot be mended, or ""
 */
struct log_damage {
	char note[160];
	char lost[48];
};

/**
 * log_mend() - Mend damaged characters of a message
 * @text: in and out: the message
 * @chipset: for nvfifo_explain()
 * @all: words that are known, too, may be damaged ones
 * @damage: out: the changes, and the damage that stays
 *
 * Return: whether something was mended.
 */
bool log_mend(char *text, __u32 chipset, bool all, struct log_damage *damage);

/* All texts by which nvfifo_explain() knows a kind of line, and the names of bits and codes */
void nvfifo_explain_texts(void (*take)(const char *text));

/* Of a message about a card of another generation, which may be known by a single word */
#define LOG_SCORE_FOREIGN	5

/* How much of a message is understood: more is better, 0 is nothing. */
int log_score(const char *text, __u32 chipset);

/* Of a text that is looked up often */
unsigned int log_hash(const char *text);

/* --- Groups ---------------------------------------------------------------- */

#define LOG_CHANNELS	4
#define LOG_METHODS	6
#define LOG_UNITS	32

/**
 * struct log_group - Findings of the same kind about the same thing
 * @key: equal for findings that are the same
 * @hash: of @key
 * @cls: the kind
 * @title: for a person
 * @advice: of the first one
 * @card: the card
 * @count: how many
 * @first: time of the first one
 * @last: time of the last one
 * @first_number: number of the first record
 * @last_number: number of the last one
 * @low: lowest address
 * @high: highest address
 * @has_address: there was one
 * @tps: a bit for each TP
 * @channels: channels and their owners, the first ones
 * @methods: methods with their class, the first ones
 * @busy: units that were busy
 * @nameless: waits whose function is not known yet
 * @cause: the group that explains this one, or -1
 * @because: why
 * @rank: importance, the lowest first
 */
struct log_group {
	char key[160];
	unsigned int hash;
	const char *cls;
	char title[200];
	char advice[480];
	const struct log_card *card;
	unsigned long count;
	char first[32];
	char last[32];
	unsigned long first_number;
	unsigned long last_number;
	__u64 low;
	__u64 high;
	bool has_address;
	__u32 tps;
	char channels[LOG_CHANNELS][64];
	size_t channel_count;
	char methods[LOG_METHODS][48];
	size_t method_count;
	char busy[LOG_UNITS][24];
	size_t busy_count;
	bool nameless;
	int cause;
	const char *because;
	int rank;
};

#define LOG_ANSWERS	256

/**
 * struct log_answer - Explanation of a message of a driver
 * @text: the message, NULL: none
 * @chipset: of the card
 * @ret: of nvfifo_explain()
 * @ordinary: the message was not understood, and is about nothing wrong
 * @mended: damaged characters were put right
 * @note: these characters, or ""
 * @e: its explanation
 */
struct log_answer {
	char *text;
	__u32 chipset;
	int ret;
	bool ordinary;
	bool mended;
	char note[160];
	struct nvfifo_explanation e;
};

struct nvfifo_log {
	__u32 chipset;
	nvfifo_log_fn fn;
	void *ctx;
	struct log_cards cards;

	/* the message that may go on */
	char *pieces[4];
	size_t piece_count;
	size_t width;

	/* counts */
	unsigned long records;
	unsigned long explained;
	unsigned long unknown;
	unsigned long ordinary;
	unsigned long cut;
	unsigned long mended;
	unsigned long looks;	/* for a damaged text that tells the kind */
	unsigned long found;

	struct log_answer answers[LOG_ANSWERS];	/* the last ones, by a hash of the text */

	struct log_group *groups;
	size_t group_count;
	int bunch;		/* the last group, of the records that belong together */
};

/**
 * log_count() - Count an explained record
 * @log: the log
 * @card: its card, or NULL
 * @e: its explanation
 * @text: the record
 * @news: out: it says something that its group did not have
 *
 * Return: its group, or NULL without memory.
 */
struct log_group *log_count(struct nvfifo_log *log, struct log_card *card,
			    const struct nvfifo_explanation *e, const char *text, bool *news);

/* Find causes, and the order of importance: @order has a place for each group. Return: how many. */
size_t log_order(const struct nvfifo_log *log, size_t *order);

/* The number that the summary gives to a group, 0 if it is not shown */
int log_place_of(const size_t *order, size_t count, int group);

/* Whether most values of a card make no sense; @text: out: why. */
bool log_is_nonsense(const struct log_card *card, char *text, size_t size);

#endif
