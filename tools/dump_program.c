// SPDX-License-Identifier: MIT
/*
 * A channel of a dump as a text program that can be edited and run again. Mappings become
 * buffers at the same addresses, and segments become pushbuffers; the objects are the same. The
 * program expects the channel to die as it did. A dump has no contents of memory, so buffers
 * begin with zeros.
 */
#include <stdio.h>

#include "dump_show.h"
#include "nvfifo_chan_fmt.h"
#include "tools.h"

/* Begin of the driver's part of an address space */
#define DRIVER_VA	0xffe0000000ULL

static void print_buffer(const struct nvfifo_coredump_mapping *m, size_t i)
{
	static const char *const compression[] = { "", " compression single",
						   " compression double" };

	bool lsr = m->vram && nvfifo_kind_class(m->kind) == NVFIFO_KIND_SWIZZLED;

	printf("buffer m%zu 0x%llx %s", i, (unsigned long long)(m->last - m->first + 1),
	       m->vram ? "vram" : "system");
	print_if(m->nosnoop, " wc");
	print_if(lsr, " lsr");
	if (*m->label)
		printf("\t# %s", m->label);

	printf("\nmap m%zu at 0x%llx", i, (unsigned long long)m->first);
	print_if(m->read_only, " readonly");
	print_if(m->supervisor, " supervisor");
	print_if(m->nosnoop, " nosnoop");
	print_if(m->long_cycle, " long_cycle");
	print_if(m->encrypted, " encrypted");
	if (m->kind)
		printf(" kind 0x%02x", m->kind);
	if (m->comp < 3)
		fputs(compression[m->comp], stdout);
	putchar('\n');
}

static void print_dma_object(__u32 handle, const struct nvfifo_coredump_object *o)
{
	const struct nvfifo_dmaobj d = nvfifo_dmaobj_decode(o->words);
	static const char *const access[] = { "", " readonly", " readwrite", "" };
	static const char *const user[] = { "", " user both", " user supervisor", "" };
	const char *rights = "rw";

	if (d.target) {
		printf("# 0x%x leads past the page tables, to memory that the dump does not name\n",
		       handle);
		return;
	}

	if (d.oclass == NVFIFO_CLASS_DMA_READ)
		rights = "r";
	else if (d.oclass == NVFIFO_CLASS_DMA_WRITE)
		rights = "w";
	printf("object 0x%x dma %s 0x%llx ", handle, rights, (unsigned long long)d.start);
	if (d.limit >= DRIVER_VA - 1)
		printf("all");
	else
		printf("0x%llx", (unsigned long long)(d.limit - d.start + 1));
	printf("%s%s%s", access[d.access & 3], user[d.user & 3],
	       d.supervisor ? " supervisor" : "");
	if (d.kind != NVFIFO_DMAOBJ_KIND_VM)
		printf(" kind 0x%02x", d.kind);
	if (d.encrypted == 1)
		printf(" encrypted");
	putchar('\n');
}

static void print_objects(const struct nvfifo_coredump_channel *c)
{
	size_t i;

	for (i = 0; i < c->ramht_count; i++) {
		const struct nvfifo_coredump_ramht *r = &c->ramht[i];
		const struct nvfifo_coredump_object *o =
			nvfifo_coredump_object(c, nvfifo_ramht_context_offset(r->context));

		if (!o || r->handle == NVFIFO_HANDLE_FENCE || r->handle == NVFIFO_HANDLE_SW)
			continue;

		if (r->context >> 20 & 0xf)
			printf("object 0x%x class 0x%04x\n", r->handle, o->words[0] & 0xffff);
		else
			print_dma_object(r->handle, o);
	}
}

/* The address of the first word that the dump has */
static __u64 va_of(const struct nvfifo_coredump_segment *s)
{
	return s->va + s->skip * 4ULL;
}

/* The mapping that a segment lies in; the driver's own segments lie in none. */
static const struct nvfifo_coredump_mapping *mapping_of(const struct nvfifo_coredump_channel *c,
							const struct nvfifo_coredump_segment *s)
{
	const struct nvfifo_coredump_mapping *below, *above;

	return va_of(s) < DRIVER_VA ? nvfifo_coredump_mapping(c, va_of(s), &below, &above) : NULL;
}

static void print_place(const struct nvfifo_coredump_channel *c, const struct nvfifo_coredump_segment *s)
{
	const struct nvfifo_coredump_mapping *m = mapping_of(c, s);

	printf("m%zu+0x%llx", (size_t)(m - c->mappings), va_of(s) - m->first);
}

static void print_push(const struct nvfifo_coredump_channel *c,
		       const struct nvfifo_coredump_segment *s, struct nvfifo_decoder *d)
{
	char text[NVFIFO_WORD_TEXT_MAX];
	struct nvfifo_word w;
	size_t i;

	printf("push entry%u at ", s->index);
	print_place(c, s);
	print_if(c->dma, " linear");
	puts(" {");
	if (s->count < s->words)
		printf("\t# the dump has %zu of %u words, from word %u on\n", s->count, s->words,
		       s->skip);

	for (i = 0; i < s->count; i++) {
		nvfifo_decode(d, s->data[i], &w);
		nvfifo_word_text(&w, d->format, text);
		printf("\t%s\n", text);
	}

	puts("}");
}

static bool is_shown(const struct nvfifo_coredump_channel *c,
		     const struct nvfifo_coredump_segment *s)
{
	return (s->ib || c->dma) && s->count && mapping_of(c, s);
}

static void print_pushes(const struct nvfifo_coredump *dump,
			 const struct nvfifo_coredump_channel *c)
{
	const char *separator = " ";
	struct nvfifo_decoder d;
	size_t i;

	nvfifo_decoder_init(&d, nvfifo_coredump_format(c), dump->chipset);

	for (i = 0; i < c->segment_count; i++) {
		if (is_shown(c, &c->segments[i]))
			print_push(c, &c->segments[i], &d);
	}

	printf("submit ch0");

	for (i = 0; i < c->segment_count; i++) {
		if (!is_shown(c, &c->segments[i]))
			continue;

		printf("%sentry%u", separator, c->segments[i].index);
		separator = ", ";
	}

	putchar('\n');
}

/*
 * Can a program end the channel with this error again? The model has no time limit, and is never
 * lost.
 */
static bool can_die_again(const struct nvfifo_coredump_channel *c)
{
	switch (c->error) {
	case DRM_NVFIFO_ERROR_PUSHER:
		return c->code != NVFIFO_PUSHER_MEM_FAULT;
	case DRM_NVFIFO_ERROR_CACHE:
	case DRM_NVFIFO_ERROR_SEMAPHORE:
	case DRM_NVFIFO_ERROR_GRAPH:
	case DRM_NVFIFO_ERROR_FENCE:
		return true;
	default:
		return false;
	}
}

/* The error that ended the channel. One that no words can cause again is a remark. */
static void print_end(const struct nvfifo_coredump_channel *c)
{
	if (c->error == DRM_NVFIFO_ERROR_PUSHER && !can_die_again(c))
		puts("# The pusher met an address without memory; no pushbuffer can lie there.");
	else if (c->error && !can_die_again(c))
		puts("# The channel died of a time-out, or with the card.");
	puts(c->dma && can_die_again(c) ? "expect event ch0" : "wait");

	if (!can_die_again(c))
		return;

	switch (c->error) {
	case DRM_NVFIFO_ERROR_PUSHER:
		printf("expect dead ch0 pusher 0x%x\n", c->code);
		break;
	case DRM_NVFIFO_ERROR_CACHE:
		puts("expect dead ch0 cache");
		break;
	case DRM_NVFIFO_ERROR_SEMAPHORE:
		printf("expect dead ch0 semaphore 0x%x\n", c->code);
		break;
	case DRM_NVFIFO_ERROR_GRAPH:
		printf("expect dead ch0 graph 0x%x\n", c->code);
		break;
	default:
		puts("expect dead ch0 fence");
	}
}

static bool needs_vram_map(const struct nvfifo_coredump_channel *c)
{
	size_t i;

	for (i = 0; i < c->segment_count; i++) {
		const struct nvfifo_coredump_segment *s = &c->segments[i];

		if (is_shown(c, s) && mapping_of(c, s)->vram)
			return true;
	}

	return false;
}

/* In DMA mode the channel begins at the first word that the dump has. */
static void print_channel(const struct nvfifo_coredump_channel *c)
{
	size_t i = 0;

	while (c->dma && i < c->segment_count && !is_shown(c, &c->segments[i]))
		i++;
	if (!c->dma || i == c->segment_count) {
		puts("channel ch0");
		return;
	}

	printf("channel ch0 dma ");
	print_place(c, &c->segments[i]);
	/* A submission in this mode has no fence to wait for. */
	print_if(can_die_again(c), " event");
	putchar('\n');
}

int dump_print_program(const struct nvfifo_coredump *dump, const struct nvfifo_coredump_channel *c)
{
	size_t i;

	if (!c->has_vm) {
		fprintf(stderr, "nvfifo: channel %u has no mappings in the dump, which makes no program\n",
			c->id);
		return -1;
	}

	printf("# Channel %u of a dump of chipset 0x%02x. Buffers held what the dump does not have.\n",
	       c->id, dump->chipset);
	if (dump->chipset > 0x50)
		puts("requires semaphore64");
	if (needs_vram_map(c))
		puts("requires vram_mmap");

	for (i = 0; i < c->mapping_count; i++) {
		if (c->mappings[i].first < DRIVER_VA)
			print_buffer(&c->mappings[i], i);
	}

	print_channel(c);
	print_objects(c);
	print_pushes(dump, c);
	print_end(c);

	return 0;
}
