// SPDX-License-Identifier: MIT
/*
 * Write a capture as a text program that repeats its submissions. It has the channels, objects and
 * buffers, and the segments as pushbuffers. Each submission has the capture's memory before it and
 * the results after it. Addresses that commands set outside of the buffers get memory of zeros.
 */
#define _GNU_SOURCE
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
#define WORDS_PER_LINE	8

struct object {
	unsigned int channel;
	__u32 handle;
	__u32 oclass;	/* 0: a DMA object */
	int notifier;	/* its buffer, or -1 for all memory */
};

/* A buffer of the capture */
struct memory {
	__u64 va;
	__u64 bytes;
	bool vram;
	bool lsr;
	unsigned int kind;
	unsigned int compression;
};

enum part_kind {
	PART_SEGMENT,
	PART_CONTENTS,
	PART_RESULT,
	PART_LEFT_OUT,
};

/* A part of a submission, in the order of the capture */
struct part {
	enum part_kind kind;
	unsigned int channel;
	unsigned int submission;
	__u32 ib_high;
	size_t first;	/* in words, of contents */
	size_t count;	/* words so far */
	size_t words;	/* of a segment in all */
	__u64 va;	/* of contents and results */
	__u64 bytes;
	__u32 crc;
};

/* Contents of a capture, and objects that its commands refer to */
struct reader {
	__u32 chipset;
	struct object *objects;
	size_t object_count;
	struct memory *memories;
	size_t memory_count;
	struct part *parts;
	size_t part_count;
	bool has_segment;
	struct nvfifo_words words;	/* of contents */
	FILE *pushes;			/* the text of the pushbuffers */
	__u64 *addresses;
	size_t address_count;
	__u64 notifiers[NOTIFIERS_MAX];	/* bytes of each */
	unsigned int notifier_count;
	unsigned int submissions;
	bool used[NVFIFO_CAPTURE_CHANNELS];
	__u32 semaphores[NVFIFO_CAPTURE_CHANNELS];	/* handle that submissions begin with, or 0 */
	struct nvfifo_decoder *decoders[NVFIFO_CAPTURE_CHANNELS];
};

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
	const struct object o = { channel, handle, oclass, notifier };

	if (!handle || handle == NVFIFO_HANDLE_FENCE || handle == NVFIFO_HANDLE_SW ||
	    find_object(r, channel, handle))
		return 0;

	r->used[channel] = true;
	return NVFIFO_APPEND(r->objects, r->object_count, o);
}

/* --- Callbacks of the capture's reader ------------------------------------ */

static int on_object(void *ctx, unsigned int channel, __u32 handle, __u32 oclass)
{
	struct nvfifo_decoder *d = decoder(ctx, channel);

	if (!d)
		return -ENOMEM;

	/* More handles than the decoder keeps cost names, and nothing else. */
	nvfifo_decoder_handle(d, handle, oclass);

	return add_object(ctx, channel, handle, oclass ? oclass : CLASS_NULL, -1);
}

static int add_part(struct reader *r, struct part p)
{
	p.first = r->words.count;
	return NVFIFO_APPEND(r->parts, r->part_count, p);
}

static int on_segment(void *ctx, unsigned int channel, unsigned int index, __u64 va, size_t words,
		      const __u32 ib[2])
{
	struct reader *r = ctx;
	const struct part *last = NULL;

	(void)va;
	if (r->part_count)
		last = &r->parts[r->part_count - 1];
	if (!last || last->kind != PART_SEGMENT || !index || last->channel != channel)
		r->submissions++;
	r->used[channel] = true;
	r->has_segment = true;
	if (!decoder(r, channel))
		return -ENOMEM;

	return add_part(r, (struct part){ .kind = PART_SEGMENT, .channel = channel,
					  .submission = r->submissions, .ib_high = ib[1],
					  .words = words });
}

static int on_contents(void *ctx, __u64 va, size_t words)
{
	return add_part(ctx, (struct part){ .kind = PART_CONTENTS, .va = va,
					    .bytes = (__u64)words * 4 });
}

static int on_memory(void *ctx, __u32 word)
{
	struct reader *r = ctx;

	r->parts[r->part_count - 1].count++;
	return nvfifo_words_add(&r->words, word);
}

static int add_address(struct reader *r, __u64 address)
{
	address &= ~(AREA_ALIGN - 1);
	if (address < NVFIFO_PROG_VA_START || address >= AREA_END - AREA_BYTES)
		return 0;

	return NVFIFO_APPEND(r->addresses, r->address_count, address);
}

static int on_word(void *ctx, __u32 word)
{
	struct reader *r = ctx;
	struct part *p = r->part_count ? &r->parts[r->part_count - 1] : NULL;
	char text[NVFIFO_WORD_TEXT_MAX];
	struct nvfifo_word w;

	/* Words before the first segment, and such as follow a remark, belong to nothing. */
	if (!p || p->kind != PART_SEGMENT || p->count == p->words)
		return 0;

	nvfifo_decode(r->decoders[p->channel], word, &w);
	nvfifo_word_text(&w, NVFIFO_FORMAT_NV04, text);
	if (!p->count++)
		fprintf(r->pushes, "push p%zu {\n", r->part_count - 1);
	fprintf(r->pushes, "\t%s\n%s", text, p->count == p->words ? "}\n" : "");
	if (w.kind != NVFIFO_WORD_DATA)
		return 0;
	if (w.has_address && add_address(r, w.address))
		return -ENOMEM;
	if (w.method == NVFIFO_MTHD_DMA_SEMAPHORE || (w.method >= 0x180 && w.method < 0x200))
		return add_object(r, p->channel, word, 0, -1);

	return 0;
}

/* "notifierobj channel 0 handle beef0301 size 32": a DMA object with memory of its own */
static int on_notifier(struct reader *r, const char *text)
{
	unsigned int channel, handle, size;

	if (sscanf(text, "notifierobj channel %u handle %x size %u", &channel, &handle, &size) != 3)
		return 0;
	if (channel >= NVFIFO_CAPTURE_CHANNELS || !size || size > AREA_BYTES ||
	    r->notifier_count == NOTIFIERS_MAX || find_object(r, channel, handle))
		return 0;

	r->notifiers[r->notifier_count] = size;

	return add_object(r, channel, handle, 0, (int)r->notifier_count++);
}

/* nouveau leaves the first object bound to DMA_SEMAPHORE, and programs rely on it. */
static int on_channel(struct reader *r, const char *text)
{
	unsigned int channel, fb, tt;

	if (sscanf(text, "channel_alloc fb_ctxdma %x tt_ctxdma %x channel %u", &fb, &tt,
		   &channel) != 3)
		return 0;
	if (channel >= NVFIFO_CAPTURE_CHANNELS)
		return 0;

	r->semaphores[channel] = fb;
	if (add_object(r, channel, fb, 0, -1))
		return -ENOMEM;

	return add_object(r, channel, tt, 0, -1);
}

static struct memory *find_memory(struct reader *r, __u64 va, __u64 bytes)
{
	size_t i;

	for (i = 0; i < r->memory_count; i++) {
		struct memory *m = &r->memories[i];

		if (va >= m->va && va - m->va < m->bytes && bytes <= m->bytes - (va - m->va))
			return m;
	}

	return NULL;
}

static int on_buffer(struct reader *r, const char *text)
{
	unsigned long long va, bytes;
	unsigned int kind, compression, lsr;
	struct memory m;
	char domain[8];

	if (sscanf(text, "mapped va %llx bytes %llu domain %7s kind %x compression %u lsr %u", &va,
		   &bytes, domain, &kind, &compression, &lsr) != 6)
		return 0;
	if (va > AREA_END || !bytes || bytes > AREA_END - va || va & 0xfff || compression > 2 ||
	    kind > 0x7f || find_memory(r, va, 1))
		return 0;

	m = (struct memory){
		.va = va,
		.bytes = bytes,
		.vram = !strcmp(domain, "vram"),
		.lsr = lsr,
		.kind = kind,
		.compression = compression,
	};

	return NVFIFO_APPEND(r->memories, r->memory_count, m);
}

static int on_result(struct reader *r, const char *text)
{
	unsigned long long va, bytes;
	unsigned int crc;

	if (sscanf(text, "result va %llx bytes %llu crc %x", &va, &bytes, &crc) == 3)
		return add_part(r, (struct part){ .kind = PART_RESULT, .va = va, .bytes = bytes,
						  .crc = crc });
	if (sscanf(text, "left_out va %llx bytes %llu", &va, &bytes) == 2)
		return add_part(r, (struct part){ .kind = PART_LEFT_OUT, .va = va, .bytes = bytes });

	return 0;
}

static int on_remark(void *ctx, const char *line, size_t len)
{
	static int (*const readers[])(struct reader *r, const char *text) = {
		on_notifier, on_channel, on_buffer, on_result,
	};
	char text[128];
	size_t i;
	int ret = 0;

	snprintf(text, sizeof(text), "%.*s", (int)(len < 127 ? len : 127), line);
	for (i = 0; i < sizeof(readers) / sizeof(readers[0]) && !ret; i++)
		ret = readers[i](ctx, text);

	return ret;
}

/* --- The program --------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	const __u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

/* Whether the CPU writes or compares a buffer in VRAM */
static bool cpu_uses_vram(struct reader *r)
{
	const struct memory *m;
	size_t i;

	for (i = 0; i < r->part_count; i++) {
		m = find_memory(r, r->parts[i].va, r->parts[i].bytes);
		if (m && m->vram && (r->parts[i].kind == PART_CONTENTS || r->parts[i].kind == PART_RESULT))
			return true;
	}

	return false;
}

static void print_memories(struct reader *r, FILE *out)
{
	static const char *const compressions[] = { "", " compression single",
						    " compression double" };
	size_t i;

	if (cpu_uses_vram(r))
		fputs("requires vram_mmap\n", out);

	for (i = 0; i < r->memory_count; i++) {
		const struct memory *m = &r->memories[i];

		fprintf(out, "buffer b%zu 0x%llx %s", i, (unsigned long long)m->bytes,
			m->vram ? "vram" : "system");
		if (m->vram && m->lsr)
			fputs(" lsr", out);
		fprintf(out, "\nmap b%zu at 0x%llx", i, (unsigned long long)m->va);
		if (m->kind)
			fprintf(out, " kind 0x%02x", m->kind);
		fprintf(out, "%s\n", compressions[m->compression]);
	}
}

/* Addresses in buffers of the capture need no memory of their own. */
static void drop_known_addresses(struct reader *r)
{
	size_t i, kept = 0;

	for (i = 0; i < r->address_count; i++) {
		if (!find_memory(r, r->addresses[i], 1))
			r->addresses[kept++] = r->addresses[i];
	}

	r->address_count = kept;
}

/* Find the end of an area that begins at an address: before the next buffer of the capture. */
static __u64 area_end(const struct reader *r, __u64 va)
{
	__u64 end = va + AREA_BYTES;
	size_t i;

	for (i = 0; i < r->memory_count; i++) {
		if (r->memories[i].va > va && r->memories[i].va < end)
			end = r->memories[i].va & ~(AREA_ALIGN - 1);
	}

	return end;
}

/* Areas that touch are one buffer, as a program may go from one into the other. */
static void print_areas(struct reader *r, FILE *out)
{
	size_t i, areas = 0;

	if (r->address_count)
		qsort(r->addresses, r->address_count, sizeof(*r->addresses), compare);

	for (i = 0; i < r->address_count && areas < AREAS_MAX; areas++) {
		const __u64 first = r->addresses[i];
		__u64 end = area_end(r, first);

		while (i < r->address_count && r->addresses[i] <= end)
			end = area_end(r, r->addresses[i++]);
		if (end <= first)
			continue;

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

/* The segments of one submission. Return: the first part after them. */
static size_t print_submission(const struct reader *r, size_t i, FILE *out)
{
	const unsigned int submission = r->parts[i].submission, channel = r->parts[i].channel;
	const char *separator = " ";

	fprintf(out, "submit ch%u", channel);
	if (r->semaphores[channel]) {
		fprintf(out, " begin%u", channel);
		separator = ",\n\t";
	}

	for (; i < r->part_count && r->parts[i].kind == PART_SEGMENT &&
	       r->parts[i].submission == submission; i++) {
		const __u32 high = r->parts[i].ib_high;

		if (!r->parts[i].count)
			continue;

		fprintf(out, "%sp%zu", separator, i);
		if (high & NVFIFO_IB__NOT_MAIN)
			fputs(" not_main", out);
		if (high & NVFIFO_IB__NO_PREFETCH)
			fputs(" no_prefetch", out);
		separator = ",\n\t";
	}

	fputs("\nwait\n", out);

	return i;
}

/* "b3+0x40"; false if no buffer has all of it */
static bool print_place(struct reader *r, const struct part *p, const char *statement, FILE *out)
{
	const struct memory *m = find_memory(r, p->va, p->bytes);

	if (!m || !p->bytes || p->va & 3) {
		fprintf(out, "# %s: no buffer has 0x%llx bytes at 0x%llx\n", statement,
			(unsigned long long)p->bytes, (unsigned long long)p->va);
		return false;
	}

	fprintf(out, "%s b%zu+0x%llx ", statement, (size_t)(m - r->memories),
		(unsigned long long)(p->va - m->va));

	return true;
}

static void print_contents(struct reader *r, const struct part *p, FILE *out)
{
	size_t k;

	if (!print_place(r, p, "write", out))
		return;

	for (k = 0; k < p->count; k++) {
		if (k)
			fputs(k % WORDS_PER_LINE ? ", " : ",\n\t", out);
		fprintf(out, "0x%08x", r->words.data[p->first + k]);
	}

	fputc('\n', out);
}

/* The submissions wait for each other, so that a small ring has room for all. */
static void print_steps(struct reader *r, FILE *out)
{
	size_t i = 0;

	while (i < r->part_count) {
		const struct part *p = &r->parts[i];

		switch (p->kind) {
		case PART_SEGMENT:
			i = print_submission(r, i, out);
			continue;
		case PART_CONTENTS:
			print_contents(r, p, out);
			break;
		case PART_RESULT:
			if (print_place(r, p, "expect crc", out))
				fprintf(out, "0x%llx 0x%08x\n", (unsigned long long)p->bytes,
					p->crc);
			break;
		case PART_LEFT_OUT:
			fprintf(out, "# The capture had no room for 0x%llx bytes at 0x%llx.\n",
				(unsigned long long)p->bytes, (unsigned long long)p->va);
			break;
		}

		i++;
	}
}

static void print_program(struct reader *r, const char *pushes, FILE *out)
{
	const char *memory = "Its memory is not in it: buffers begin with zeros.";
	unsigned int c, n;

	if (r->memory_count)
		memory = "Memory is as it was before each, and compared after it.";
	fprintf(out, "# A capture of %u submissions. %s\n", r->submissions, memory);
	print_memories(r, out);
	drop_known_addresses(r);
	print_areas(r, out);
	for (n = 0; n < r->notifier_count; n++)
		fprintf(out, "buffer notifier%u 0x%llx\n", n, (unsigned long long)r->notifiers[n]);

	for (c = 0; c < NVFIFO_CAPTURE_CHANNELS; c++) {
		if (r->used[c])
			fprintf(out, "channel ch%u\n", c);
	}

	print_objects(r, out);

	for (c = 0; c < NVFIFO_CAPTURE_CHANNELS; c++) {
		if (r->semaphores[c])
			fprintf(out, "push begin%u {\n\tmthd 0 DMA_SEMAPHORE : 0x%x\n}\n", c,
				r->semaphores[c]);
	}

	fputs(pushes, out);
	print_steps(r, out);
}

int nvfifo_capture_program(const char *text, size_t len, __u32 chipset, FILE *out,
			   struct nvfifo_diag *diag)
{
	static const struct nvfifo_capture_ops ops = {
		.object = on_object,
		.segment = on_segment,
		.word = on_word,
		.remark = on_remark,
		.contents = on_contents,
		.memory = on_memory,
	};
	struct reader r = { .chipset = chipset };
	unsigned int c, channels = 0;
	char *pushes = NULL;
	size_t pushes_len;
	int ret;

	r.pushes = open_memstream(&pushes, &pushes_len);
	if (!r.pushes)
		return nvfifo_error(-ENOMEM, "out of memory");

	ret = nvfifo_capture_read(text, len, &ops, &r, diag);
	if (fclose(r.pushes) && !ret)
		ret = nvfifo_error(-ENOMEM, "out of memory");
	for (c = 0; c < NVFIFO_CAPTURE_CHANNELS; c++)
		channels += r.used[c];
	if (!ret && !r.has_segment)
		ret = nvfifo_error(-ENOENT, "the capture has no segment: no line 'push N va ...'");
	if (!ret && channels > NVFIFO_PROG_CHANNELS)
		ret = nvfifo_error(-ENOSPC, "the capture has %u channels, a card has %d", channels,
				   NVFIFO_PROG_CHANNELS);
	if (!ret)
		print_program(&r, pushes, out);
	free(pushes);
	for (c = 0; c < NVFIFO_CAPTURE_CHANNELS; c++)
		free(r.decoders[c]);
	free(r.objects);
	free(r.parts);
	free(r.memories);
	nvfifo_words_free(&r.words);
	free(r.addresses);

	return ret;
}
