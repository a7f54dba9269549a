/* SPDX-License-Identifier: MIT */
/* Reader of the driver's trace events, as tracefs prints them. */
#ifndef NVFIFO_EVENT_H
#define NVFIFO_EVENT_H

#include <linux/types.h>
#include <stdbool.h>

#include "nvfifo_row.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct nvfifo_event - One line of a trace
 * @time: seconds as printed, "" if the line has none
 * @name: event without "nvfifo_": "submit"
 * @fields: its fields
 */
struct nvfifo_event {
	char time[64];
	char name[40];
	struct nvfifo_row fields;
};

/**
 * nvfifo_event_parse() - Read a line of a trace
 * @line: zero terminated, without its newline; overwritten
 * @e: out: the event; to be freed with nvfifo_event_free() after 1
 *
 * Return: 1, 0 if the line is no event of the driver, -ENOMEM.
 */
int nvfifo_event_parse(char *line, struct nvfifo_event *e);

/**
 * nvfifo_event_next_word() - Take a word from the field data of the event nvfifo_words
 * @s: "{0x40050,0x1}", or the rest of it after an earlier call; moved past the word
 * @word: out: the word
 *
 * Return: false at the end, and where there is no word.
 */
bool nvfifo_event_next_word(const char **s, __u32 *word);

void nvfifo_event_free(struct nvfifo_event *e);

struct nvfifo_event_channel;
struct nvfifo_word;

/**
 * struct nvfifo_event_follower - The channels of a trace, whose words it decodes
 * @channels: the channels so far; NULL before the first event
 *
 * It remembers the classes of a channel's objects, and the command that an entry leaves incomplete.
 */
struct nvfifo_event_follower {
	struct nvfifo_event_channel *channels;
};

/**
 * typedef nvfifo_event_word_fn - Function that takes a word of an event nvfifo_words
 * @ctx: argument of nvfifo_event_follow()
 * @va: address of the word
 * @word: the decoded word
 */
typedef void nvfifo_event_word_fn(void *ctx, __u64 va, const struct nvfifo_word *word);

/**
 * nvfifo_event_follow() - Note an event of a channel, and decode its words
 * @f: the follower; 0 before the first event, to be freed with nvfifo_event_unfollow()
 * @e: the events of a trace in their order; others than channel_start, object and words have no
 *	effect
 * @found: called for each word, or NULL
 * @ctx: argument of @found
 *
 * Return: 0 or -ENOMEM.
 */
int nvfifo_event_follow(struct nvfifo_event_follower *f, const struct nvfifo_event *e,
			nvfifo_event_word_fn *found, void *ctx);

/**
 * nvfifo_event_unfollow() - Free the channels of a follower
 * @f: the follower, which is 0 afterwards
 */
void nvfifo_event_unfollow(struct nvfifo_event_follower *f);

#ifdef __cplusplus
}
#endif

#endif
