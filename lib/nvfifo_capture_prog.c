// SPDX-License-Identifier: MIT
/*
 * A capture as a text program that runs again: its channels and objects, its segments as
 * pushbuffers, a submission for each of its own. A capture does not say what memory there was, so
 * the addresses that the commands set are given memory of zeros.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_capture.h"
#include "nvfifo_chan_fmt.h"
#include "nvfifo_priv.h"
#include "nvfifo_prog.h"

/* Memory around an address that the commands set, up to the next one or so many bytes */
#define AREA_ALIGN	0x10000ULL
#define AREA_BYTES	0x100000ULL

/* The driver's own part of an address space begins here. */
#define AREA_END	0xffe0000000ULL

#define CLASS_NULL	0x0030
#define AREAS_MAX	128	/* buffers of the program for areas */
#define NOTIFIERS_MAX	64

struct object {
	unsigned int channel;
	__u32 handle;
	__u32 oclass;	/* 0: a DMA object */
	int notifier;	/* its buffer, or -1 for all memory */
};

struct segment {
	unsigned int channel;
	unsigned int submission;
	__u32 ib_high;
	size_t first;	/* in words */
	size_t count;
};

/* Everything that a capture says, and what its commands refer to */
struct reader {
	__u32 chipset;
	struct object *objects;
	size_t object_count;
	struct segment *segments;
	size_t segment_count;
	__u32 *words;
	size_t word_count;
	__u64 *addresses;
	size_t address_count;
	__u64 notifiers[NOTIFIERS_MAX];	/* bytes of each */
	unsigned int notifier_count;
	unsigned int submissions;
	bool used[NVFIFO_CAPTURE_CHANNELS];
	struct nvfifo_decoder *decoders[NVFIFO_CAPTURE_CHANNELS];
};

/* Room for one more element, in powers of two. */
static int grow(void **array, size_t count, size_t size)
{
	void *more;

	if (count & (count - 1))
		return 0;

	more = realloc(*array, (count ? 2 * count : 1) * size);
	if (!more)
		return -ENOMEM;
	*array = more;

	return 0;
}

static struct nvfifo_decoder *decoder(struct reader *r, unsigned int channel)
{
	struct nvfifo_decoder **d = &r->decoders[channel];

	if (!*d) {
		*d = malloc(sizeof(**d));
		if (*d)
			nvfifo_decoder_init(*d, NVFIFO_FORMAT_NV04, r->chipset);
	}

	return *d;
}

static struct object *find_object(struct reader *r, unsigned int channel, __u32 handle)
{
	size_t i;

	for (i = 0; i < r->object_count; i++) {
		if (r->objects[i].channel == channel && r->objects[i].handle == handle)
			return &r->objects[i];
	}

	return NULL;
}

static int add_object(struct reader *r, unsigned int channel, __u32 handle, __u32 oclass,
		      int notifier)
{
	if (!handle || handle == NVFIFO_HANDLE_FENCE || handle == NVFIFO_HANDLE_SW ||
	    find_object(r, channel, handle))
		return 0;
	if (grow((void **)&r->objects, r->object_count, sizeof(*r->objects)))
		return -ENOMEM;

	r->used[channel] = true;
	r->objects[r->object_count++] = (struct object){ channel, handle, oclass, notifier };

	return 0;
}

/* --- What the capture's reader finds ------------------------------------- */

static int on_object(void *ctx, unsigned int channel, __u32 handle, __u32 oclass)
{
	struct nvfifo_decoder *d = decoder(ctx, channel);

	if (!d)
		return -ENOMEM;

	/* More handles than the decoder keeps cost names, and nothing else. */
	nvfifo_decoder_handle(d, handle, oclass);

	return add_object(ctx, channel, handle, oclass ? oclass : CLASS_NULL, -1);
}

static int on_segment(void *ctx, unsigned int channel, unsigned int index, __u64 va, size_t words,
		      const __u32 ib[2])
{
	struct reader *r = ctx;
	const struct segment *last = NULL;

	(void)va;
	(void)words;
	if (r->segment_count)
		last = &r->segments[r->segment_count - 1];
	if (!last || !index || last->channel != channel)
		r->submissions++;
	if (!decoder(r, channel) ||
	    grow((void **)&r->segments, r->segment_count, sizeof(*r->segments)))
		return -ENOMEM;

	r->used[channel] = true;
	r->segments[r->segment_count++] = (struct segment){
		.channel = channel,
		.submission = r->submissions,
		.ib_high = ib[1],
		.first = r->word_count,
	};

	return 0;
}

static int add_address(struct reader *r, __u64 address)
{
	address &= ~(AREA_ALIGN - 1);
	if (address < NVFIFO_PROG_VA_START || address >= AREA_END - AREA_BYTES)
		return 0;
	if (grow((void **)&r->addresses, r->address_count, sizeof(*r->addresses)))
		return -ENOMEM;
	r->addresses[r->address_count++] = address;

	return 0;
}

static int on_word(void *ctx, __u32 word)
{
	struct reader *r = ctx;
	struct segment *s;
	struct nvfifo_word w;

	if (!r->segment_count)
		return 0;
	if (grow((void **)&r->words, r->word_count, sizeof(*r->words)))
		return -ENOMEM;

	s = &r->segments[r->segment_count - 1];
	s->count++;
	r->words[r->word_count++] = word;
	nvfifo_decode(r->decoders[s->channel], word, &w);
	if (w.kind != NVFIFO_WORD_DATA)
		return 0;
	if (w.has_address && add_address(r, w.address))
		return -ENOMEM;
	if (w.method == NVFIFO_MTHD_DMA_SEMAPHORE || (w.method >= 0x180 && w.method < 0x200))
		return add_object(r, s->channel, word, 0, -1);

	return 0;
}

/* "notifierobj channel 0 handle beef0301 size 32": a DMA object with memory of its own */
static int on_remark(void *ctx, const char *line, size_t len)
{
	unsigned int channel, handle, size;
	struct reader *r = ctx;
	char text[100];

	snprintf(text, sizeof(text), "%.*s", (int)(len < 99 ? len : 99), line);
	if (sscanf(text, "notifierobj channel %u handle %x size %u", &channel, &handle, &size) != 3)
		return 0;
	if (channel >= NVFIFO_CAPTURE_CHANNELS || !size || size > AREA_BYTES ||
	    r->notifier_count == NOTIFIERS_MAX || find_object(r, channel, handle))
		return 0;

	r->notifiers[r->notifier_count] = size;

	return add_object(r, channel, handle, 0, (int)r->notifier_count++);
}

/* --- The program --------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

/* Areas that touch are one buffer, as a program may go from one into the other. */
static void print_areas(struct reader *r, FILE *out)
{
	size_t i, areas = 0;

	if (r->address_count)
		qsort(r->addresses, r->address_count, sizeof(*r->addresses), compare);
	for (i = 0; i < r->address_count && areas < AREAS_MAX; areas++) {
		const __u64 first = r->addresses[i];
		__u64 end = first + AREA_BYTES;

		while (i < r->address_count && r->addresses[i] <= end)
			end = r->addresses[i++] + AREA_BYTES;
		fprintf(out, "buffer m%zu 0x%llx vram\nmap m%zu at 0x%llx\n", areas,
			(unsigned long long)(end - first), areas, (unsigned long long)first);
	}
	if (i < r->address_count)
		fprintf(out, "# %zu more addresses have no memory\n", r->address_count - i);
}

static void print_objects(struct reader *r, FILE *out)
{
	size_t i;

	for (i = 0; i < r->object_count; i++) {
		const struct object *o = &r->objects[i];

		fprintf(out, "object ch%u 0x%x ", o->channel, o->handle);
		if (o->oclass)
			fprintf(out, "class 0x%04x\n", o->oclass);
		else if (o->notifier < 0)
			fputs("dma rw 0 all\n", out);
		else
			fprintf(out, "dma rw notifier%d 0x%llx\n", o->notifier,
				(unsigned long long)r->notifiers[o->notifier]);
	}
}

static void print_push(struct reader *r, size_t i, FILE *out)
{
	const struct segment *s = &r->segments[i];
	struct nvfifo_decoder *d = r->decoders[s->channel];
	char text[NVFIFO_WORD_TEXT_MAX];
	struct nvfifo_word w;
	size_t k;

	fprintf(out, "push p%zu {\n", i);
	for (k = 0; k < s->count; k++) {
		nvfifo_decode(d, r->words[s->first + k], &w);
		nvfifo_word_text(&w, NVFIFO_FORMAT_NV04, text);
		fprintf(out, "\t%s\n", text);
	}
	fputs("}\n", out);
}

/* The submissions wait for each other, so that a small ring has room for all. */
static void print_submissions(const struct reader *r, FILE *out)
{
	size_t i = 0;

	while (i < r->segment_count) {
		const struct segment *s = &r->segments[i];
		const unsigned int submission = s->submission;
		const char *separator = " ";

		fprintf(out, "submit ch%u", s->channel);
		for (; i < r->segment_count && r->segments[i].submission == submission; i++) {
			const __u32 high = r->segments[i].ib_high;

			if (!r->segments[i].count)
				continue;
			fprintf(out, "%sp%zu", separator, i);
			if (high & NVFIFO_IB__NOT_MAIN)
				fputs(" not_main", out);
			if (high & NVFIFO_IB__NO_PREFETCH)
				fputs(" no_prefetch", out);
			separator = ",\n\t";
		}
		fputs("\nwait\n", out);
	}
}

static void print_program(struct reader *r, FILE *out)
{
	unsigned int c, n;
	size_t i;

	fprintf(out, "# A capture of %u submissions. Its memory is not in it: buffers begin with zeros.\n",
		r->submissions);
	print_areas(r, out);
	for (n = 0; n < r->notifier_count; n++)
		fprintf(out, "buffer notifier%u 0x%llx\n", n, (unsigned long long)r->notifiers[n]);
	for (c = 0; c < NVFIFO_CAPTURE_CHANNELS; c++) {
		if (r->used[c])
			fprintf(out, "channel ch%u\n", c);
	}
	print_objects(r, out);

	/* The decoders begin anew, with the objects that they know. */
	for (c = 0; c < NVFIFO_CAPTURE_CHANNELS; c++) {
		if (r->decoders[c])
			nvfifo_decoder_init(r->decoders[c], NVFIFO_FORMAT_NV04, r->chipset);
	}
	for (i = 0; i < r->object_count; i++) {
		const struct object *o = &r->objects[i];

		if (o->oclass && r->decoders[o->channel])
			nvfifo_decoder_handle(r->decoders[o->channel], o->handle, o->oclass);
	}
	for (i = 0; i < r->segment_count; i++) {
		if (r->segments[i].count)
			print_push(r, i, out);
	}
	print_submissions(r, out);
}

int nvfifo_capture_program(const char *text, size_t len, __u32 chipset, FILE *out,
			   struct nvfifo_diag *diag)
{
	static const struct nvfifo_capture_ops ops = {
		.object = on_object,
		.segment = on_segment,
		.word = on_word,
		.remark = on_remark,
	};
	struct reader r = { .chipset = chipset };
	unsigned int c, channels = 0;
	int ret = nvfifo_capture_read(text, len, &ops, &r, diag);

	for (c = 0; c < NVFIFO_CAPTURE_CHANNELS; c++)
		channels += r.used[c];
	if (!ret && !r.segment_count)
		ret = nvfifo_error(-ENOENT, "the capture has no segment: no line 'push N va ...'");
	if (!ret && channels > NVFIFO_PROG_CHANNELS)
		ret = nvfifo_error(-ENOSPC, "the capture has %u channels, a card has %d", channels,
				   NVFIFO_PROG_CHANNELS);
	if (!ret)
		print_program(&r, out);
	for (c = 0; c < NVFIFO_CAPTURE_CHANNELS; c++)
		free(r.decoders[c]);
	free(r.objects);
	free(r.segments);
	free(r.words);
	free(r.addresses);

	return ret;
}
