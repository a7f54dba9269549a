// SPDX-License-Identifier: MIT
/* The words of a trace: the decoder of each channel goes on from event to event. */
#include <stdio.h>
#include <string.h>

#include "nvfifo.h"
#include "nvfifo_event.h"
#include "tap.h"

/* M2MF's BUF_NOTIFY with two data words, without the words */
#define OPEN		"{0x4a000,0xbeef5039,0x8a328}"

/* Words of the last event, and the last of them */
static struct {
	unsigned int count;
	__u64 va;
	struct nvfifo_word word;
} last;

static void on_word(void *ctx, __u64 va, const struct nvfifo_word *word)
{
	(*(unsigned int *)ctx)++;
	last.count++;
	last.va = va;
	last.word = *word;
}

/* Follow one line of a trace. Return: the result of nvfifo_event_follow(). */
static int follow(struct nvfifo_event_follower *f, const char *text)
{
	unsigned int called = 0;
	struct nvfifo_event e;
	char line[200];
	int ret;

	memset(&last, 0, sizeof(last));
	snprintf(line, sizeof(line), "run-12 [000] 12.345670: nvfifo_%s", text);
	if (nvfifo_event_parse(line, &e) != 1)
		return -1;

	ret = nvfifo_event_follow(f, &e, on_word, &called);
	nvfifo_event_free(&e);

	return called == last.count ? ret : -1;
}

int main(void)
{
	struct nvfifo_event_follower f = { 0 };
	struct nvfifo_event e;
	char line[] = "1.0: nvfifo_words: card=128 channel=1 va=0 first=0 data={0x0}";

	tap(!follow(&f, "object: card=128 channel=1 handle=beef5039 class=5039") && !last.count,
	    "an object has no words");
	tap(!follow(&f, "words: card=128 channel=1 va=0020010000 first=0 data=" OPEN) &&
		    last.count == 3 && last.va == 0x20010008 && last.word.oclass == 0x5039,
	    "the words of an entry, with the class of the object");
	tap(!follow(&f, "words: card=128 channel=2 va=0020010000 first=0 data=" OPEN) &&
		    last.count == 3 && !last.word.oclass,
	    "another channel does not have that object");
	tap(!follow(&f, "words: card=129 channel=1 va=0020010000 first=0 data={0x40050}") &&
		    last.word.kind == NVFIFO_WORD_HEADER,
	    "nor is the channel of another card in that command");
	tap(!follow(&f, "words: card=128 channel=1 va=0020020000 first=256 data={0x0}") &&
		    last.va == 0x20020400 && last.word.kind == NVFIFO_WORD_DATA &&
		    last.word.method == 0x328 && last.word.oclass == 0x5039,
	    "the next entry goes on with the command, from its word 256 on");

	tap(nvfifo_event_parse(line, &e) == 1 && !nvfifo_event_follow(&f, &e, NULL, NULL),
	    "words may be followed without a function");
	nvfifo_event_free(&e);
	tap(!follow(&f, "words: card=128 channel=1 va=0 first=0 data={0x40050}") &&
		    last.word.kind == NVFIFO_WORD_HEADER,
	    "they count: the command has ended");

	tap(!follow(&f, "channel_start: card=128 channel=1") && !last.count &&
		    !follow(&f, "words: card=128 channel=1 va=0 first=0 data=" OPEN) &&
		    !last.word.oclass,
	    "a channel that starts has no objects");
	tap(!follow(&f, "fence: card=128 channel=1 submit=1 error=0") && !last.count &&
		    !follow(&f, "words: card=128 channel=1 va=0 first=0 data={0x0}") &&
		    last.word.kind == NVFIFO_WORD_DATA,
	    "other events have no effect");

	nvfifo_event_unfollow(&f);
	tap(!f.channels, "a follower that has ended is empty");

	return tap_end();
}
