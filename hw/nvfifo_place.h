/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Find the place of a method in a pushbuffer: a walk through the words of IB segments.
 */
#ifndef _NVFIFO_PLACE_H_
#define _NVFIFO_PLACE_H_

#include "nvfifo_command.h"

#define NVFIFO_PLACE_SUBCHANNELS	8

/* A method that is in no pushbuffer. */
#define NVFIFO_PLACE_NO_METHOD		(~0u)

/**
 * struct nvfifo_place - A walk through the words of a pushbuffer
 * @method: method and subchannel to find, as in DMA_STATE, or NVFIFO_PLACE_NO_METHOD
 * @data: the data word of that method
 * @matches: number of words so far that are this method with this data
 * @entry: ring entry of the first match
 * @word: its number in the entry's segment
 * @before: the method before the first match, or before the end of the walk without one
 * @has_before: @before is valid
 * @handles: by subchannel, the object that was bound before the first match
 * @bound: a bit for each subchannel whose object is known
 * @next: method of the next data word
 * @left: data words until the next command word
 * @increasing: the method increases with each data word
 * @long_count: the next word is a count
 */
struct nvfifo_place {
	__u32 method;
	__u32 data;
	__u32 matches;
	__u32 entry;
	__u32 word;
	__u32 before;
	bool has_before;
	__u32 handles[NVFIFO_PLACE_SUBCHANNELS];
	__u32 bound;
	__u32 next;
	__u32 left;
	bool increasing;
	bool long_count;
};

static inline __u32 nvfifo_place_subchannel(__u32 method)
{
	return method >> 13 & 7;
}

/* A command word, or the count that follows a long one */
static inline void nvfifo_place_command(struct nvfifo_place *p, __u32 word)
{
	struct nvfifo_command command;

	if (p->long_count) {
		p->left = word & NVFIFO_LONG_COUNT_MAX;
		p->long_count = false;
		return;
	}

	command = nvfifo_nv04_decode(word, true);
	p->left = command.count;
	p->long_count = command.type == NVFIFO_COMMAND_LONG_NONINCR;
	p->increasing = command.type == NVFIFO_COMMAND_INCR;
	p->next = (__u32)command.subc << 13 | command.method;
}

/**
 * nvfifo_place_word() - Walk over one word
 * @p: the walk; at its begin all zero except @method and @data
 * @entry: ring entry of the word
 * @index: number of the word in the entry's segment
 * @word: the word
 *
 * The walk begins at a command word. Invalid command words are skipped.
 */
static inline void nvfifo_place_word(struct nvfifo_place *p, __u32 entry, __u32 index, __u32 word)
{
	__u32 subchannel = nvfifo_place_subchannel(p->next);

	if (!p->left) {
		nvfifo_place_command(p, word);
		return;
	}

	p->left--;
	if (p->next == p->method && word == p->data && !p->matches++) {
		p->entry = entry;
		p->word = index;
	}

	if (!p->matches) {
		p->before = p->next;
		p->has_before = true;
		if ((p->next & 0x1ffc) == NVFIFO_MTHD_OBJECT) {
			p->handles[subchannel] = word;
			p->bound |= 1u << subchannel;
		}
	}

	if (p->increasing)
		p->next = (p->next & 0xe000) | ((p->next + 4) & 0x1ffc);
}

#endif
