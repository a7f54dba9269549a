// SPDX-License-Identifier: MIT
/* The text of "nvfifo run --model --step": words with their meaning, memory, registers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_reg.h"
#include "nvfifo_text.h"
#include "run_show.h"
#include "step_show.h"
#include "tools.h"

#define WORDS_IN_LINE	4

/* --- Words --------------------------------------------------------------- */

bool step_view_begin(struct step_view *v, struct model *model, const struct nvfifo_prog *prog,
		     __u32 chipset)
{
	size_t count = prog->channel_count, i;

	step_view_free(v);
	v->model = model;
	v->prog = prog;
	v->chipset = chipset;
	v->word = NULL;
	v->decoders = calloc(count + 1, sizeof(*v->decoders));
	v->gets = calloc(count + 1, sizeof(*v->gets));
	if (!v->decoders || !v->gets) {
		step_view_free(v);
		return false;
	}

	for (i = 0; i < count; i++) {
		const struct nvfifo_prog_channel *c = &prog->channels[i];

		run_init_decoder(prog, chipset, i, &v->decoders[i]);
		if (c->flags & DRM_NVFIFO_CHANNEL_DMA_MODE)
			v->gets[i] = prog->buffers[c->buffer].va + c->offset;
	}

	return true;
}

void step_view_free(struct step_view *v)
{
	free(v->decoders);
	free(v->gets);
	v->decoders = NULL;
	v->gets = NULL;
}

static const __u8 *find_buffer(const struct step_view *v, const char *name, __u64 *size)
{
	const char *label;
	const void *memory;
	size_t i;

	for (i = 0; (memory = model_buffer(v->model, i, size, &label)); i++) {
		if (!strcmp(label, name))
			return memory;
	}

	return NULL;
}

/* Find the buffer of the program that is mapped at an address. Return: its memory there. */
static const __u32 *find_address(const struct step_view *v, __u64 at, const char **buffer,
				 __u64 *offset, __u64 *left)
{
	const __u8 *memory;
	__u64 size;
	size_t i;

	for (i = 0; i < v->prog->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &v->prog->buffers[i];

		if (b->mapping == NVFIFO_PROG_MAP_NONE || at < b->va || at - b->va >= b->size)
			continue;

		memory = find_buffer(v, b->name, &size);
		if (!memory)
			continue;

		*buffer = b->name;
		*offset = at - b->va;
		*left = size - *offset;
		return (const __u32 *)(memory + *offset);
	}

	return NULL;
}

/* The channels of a program get PFIFO's numbers from 1 on, in the program's order. */
static bool program_channel(const struct step_view *v, const struct model_position *p,
			    unsigned int *channel)
{
	*channel = p->channel - 1;
	return v->decoders && p->channel && *channel < v->prog->channel_count;
}

void step_view_read(struct step_view *v, const struct model_position *p)
{
	struct nvfifo_decoder *d;
	__u64 at = p->get - 4, left;
	struct nvfifo_word w;
	unsigned int channel;

	v->word = NULL;
	if (!program_channel(v, p, &channel))
		return;

	/* In DMA mode GET has already jumped when the word is a jump. */
	d = &v->decoders[channel];
	if (d->format == NVFIFO_FORMAT_NV04_DMA)
		at = v->gets[channel];
	v->gets[channel] = p->get;

	v->word = find_address(v, at, &v->buffer, &v->offset, &left);
	if (!v->word)
		return;

	nvfifo_decode(d, *v->word, &w);
	nvfifo_listing_line(&w, d->format, at, v->line);
}

void step_view_print(const struct step_view *v, unsigned long word,
		     const struct model_position *p)
{
	printf("%sword %lu%s, channel %u: ", color(COLOR_HEAD), word, color(COLOR_OFF),
	       p->channel);
	if (v->word)
		puts(v->line);
	else
		puts("in the driver's own entry");

	printf("  pusher  GET 0x%010llx  PUT 0x%010llx  IB_GET %u  IB_PUT %u\n",
	       (unsigned long long)p->get, (unsigned long long)p->put, p->ib_get, p->ib_put);
	if (p->left)
		printf("  pusher  %u data word%s to come: subchannel %u, method 0x%04x\n", p->left,
		       p->left == 1 ? "" : "s", p->dma_state >> 13 & 7, p->dma_state & 0x1ffc);
	printf("  puller  REF 0x%08x  PULL0 0x%08x  %u method%s in the cache, %llu executed\n",
	       p->ref, p->pull0, p->cached, p->cached == 1 ? "" : "s", (unsigned long long)p->methods);
}

/* --- The card's lines ---------------------------------------------------- */

/* Take apart "M ch 1 subc 4 mthd 0284 - data 00000000", with a name for PFIFO's own methods. */
static bool is_method(const char *line, unsigned int *channel, unsigned int *subc,
		      unsigned int *mthd, unsigned int *data)
{
	return sscanf(line, "M ch %u subc %u mthd %x %*s data %x", channel, subc, mthd, data) == 4;
}

int step_view_method(const char *line)
{
	unsigned int channel, subc, mthd, data;

	return is_method(line, &channel, &subc, &mthd, &data) ? (int)mthd : -1;
}

/* Return: the method's name in the class of the object on a PFIFO channel's subchannel, or NULL. */
static const char *method_name(const struct step_view *v, unsigned int pfifo_channel,
			       unsigned int subc, unsigned int mthd)
{
	struct model_position p = { .channel = pfifo_channel };
	unsigned int channel;

	if (mthd < 0x100)
		return nvfifo_method_name(0, mthd);
	if (!program_channel(v, &p, &channel))
		return NULL;

	return nvfifo_method_name(v->decoders[channel].oclass[subc & 7], mthd);
}

bool step_view_is(const struct step_view *v, const char *line, const char *name)
{
	unsigned int subc, mthd, data, channel;
	const char *executed;

	if (!name || !is_method(line, &channel, &subc, &mthd, &data))
		return true;

	executed = method_name(v, channel, subc, mthd);
	return !executed || !strcmp(executed, name);
}

void step_view_trace(const struct step_view *v, const char *line)
{
	unsigned int subc, mthd, data, channel;
	const char *name;

	if (!is_method(line, &channel, &subc, &mthd, &data)) {
		printf("  card    %s\n", line);
		return;
	}

	name = method_name(v, channel, subc, mthd);
	printf("  card    executes mthd %u ", subc);
	if (name)
		printf("%s", name);
	else
		printf("0x%04x", mthd);
	printf(" : 0x%08x\n", data);
}

/* --- Memory -------------------------------------------------------------- */

/* "sem", "sem+0x40", "0x20000040". Return: the memory, or NULL after a message. */
static const __u32 *find_place(const struct step_view *v, const char *place, char name[64],
			       __u64 *offset, __u64 *left)
{
	const char *buffer, *plus = strchr(place, '+');
	const __u8 *memory;
	__u64 size, at = 0;

	snprintf(name, 64, "%.*s", plus ? (int)(plus - place) : 63, place);
	if (plus && !nvfifo_text_whole(plus + 1, strlen(plus + 1), 0, ~0ull, &at))
		goto err_place;

	memory = find_buffer(v, name, &size);
	if (memory) {
		if (at >= size || at % 4) {
			printf("%s has 0x%llx bytes; an offset is less, and a multiple of 4\n", name,
			       (unsigned long long)size);
			return NULL;
		}
		*offset = at;
		*left = size - at;
		return (const __u32 *)(memory + at);
	}

	if (!nvfifo_text_whole(place, strlen(place), 0, ~0ull, &at) || at % 4)
		goto err_place;
	memory = (const __u8 *)find_address(v, at, &buffer, offset, left);
	if (!memory)
		goto err_place;

	snprintf(name, 64, "%s", buffer);
	return (const __u32 *)memory;

err_place:
	printf("'%s' is neither a buffer such as sem or sem+0x40, nor an address in one\n", place);
	return NULL;
}

void step_view_memory(const struct step_view *v, const char *place, unsigned long count)
{
	const __u32 *word;
	__u64 offset, left;
	char name[64];
	unsigned long i;

	word = find_place(v, place, name, &offset, &left);
	if (!word)
		return;

	if (count > left / 4)
		count = left / 4;
	for (i = 0; i < count; i++) {
		if (i % WORDS_IN_LINE == 0)
			printf("  %s+0x%04llx ", name, (unsigned long long)offset + i * 4);
		printf(" %08x", word[i]);
		if (i % WORDS_IN_LINE == WORDS_IN_LINE - 1 || i + 1 == count)
			putchar('\n');
	}
}

void step_view_register(const struct step_view *v, const char *text)
{
	struct nvfifo_reg_ref ref;

	if (nvfifo_reg_parse(text, v->chipset, &ref)) {
		puts(nvfifo_last_error());
		return;
	}

	print_reg_line(&ref, v->chipset, model_register(v->model, ref.address));
}
