// SPDX-License-Identifier: MIT
/*
 * A dump of the driver for a person. nvfifo_coredump.c reads the dump's words. Their meaning comes
 * from the calculator, the explanations of log lines, and the disassembler.
 */
#include <stdlib.h>
#include <string.h>

#include "dump_show.h"
#include "nvfifo_calc.h"
#include "nvfifo_explain.h"
#include "nvfifo_names.h"
#include "nvfifo_reg.h"
#include "tools.h"

/* Words around the failing word in a summary. */
#define AROUND 6

/* Errors without a line in the log that could be explained */
static const char *plain_error(__u32 error, __u32 code)
{
	const struct nvfifo_name *hang = nvfifo_name_find(nvfifo_hangs, code);

	switch (error) {
	case DRM_NVFIFO_ERROR_NONE:
		return "no error was recorded";
	case DRM_NVFIFO_ERROR_TIMEOUT:
		if (hang)
			return hang->means;
		return "the work did not end in time: it waits for a semaphore that nobody releases, or an engine hangs";
	case DRM_NVFIFO_ERROR_LOST:
		return "the card is gone from the bus; nothing is known of the reason";
	}

	return "an error that this program does not know";
}

static bool is_ring_data(const channel_t *c, __u64 va)
{
	const struct nvfifo_coredump_mapping *below, *above;

	return !c->dma && va >= c->ring && va - c->ring < 0x10000 &&
	       !nvfifo_coredump_mapping(c, va, &below, &above);
}

const struct nvfifo_coredump_segment *dump_segment_of_ib(const channel_t *c, __u32 index)
{
	size_t i;

	for (i = 0; i < c->segment_count; i++) {
		if (c->segments[i].ib && c->segments[i].index == index)
			return &c->segments[i];
	}

	return NULL;
}

/* --- Addresses ----------------------------------------------------------- */

static void print_mapping(const struct nvfifo_coredump_mapping *m)
{
	printf("%010llx-%010llx %-6s +%llx", m->first, m->last, m->vram ? "vram" : "system",
	       m->offset);
	if (m->kind)
		printf(" kind %02x", m->kind);
	if (m->comp)
		printf(" comp %u", m->comp);
	print_if(m->read_only, " read only");
	print_if(m->supervisor, " supervisor");
	print_if(m->long_cycle, " long cycle");
	print_if(m->encrypted, " encrypted");
	print_if(m->nosnoop, " not snooped");
	if (*m->label)
		printf("  \"%s\"", m->label);
	putchar('\n');
}

/* A size that a person can read: bytes below 1 MiB in hexadecimal. */
static void print_distance(const char *text, __u64 bytes)
{
	if (bytes < 1 << 20)
		printf("%s 0x%llx bytes\n", text, bytes);
	else
		printf("%s %llu MiB\n", text, bytes >> 20);
}

/* The mapping that has an address, or those next to it. */
static void print_neighbours(const channel_t *c, __u64 va)
{
	const struct nvfifo_coredump_mapping *below, *above, *m;

	m = nvfifo_coredump_mapping(c, va, &below, &above);
	if (m) {
		printf("    mapping  ");
		print_mapping(m);
		printf("             it is 0x%llx into the mapping, 0x%llx into the buffer\n",
		       (va - m->first), (va - m->first + m->offset));
	} else if (is_ring_data(c, va)) {
		puts("    mapping  the driver's own: the ring and what ends submissions");
	} else {
		printf("    mapping  %snone%s\n", color(COLOR_BAD), color(COLOR_OFF));
	}

	if (!m && below) {
		printf("    below    ");
		print_mapping(below);
		print_distance("             the address is past its end by",
			       va - below->last - 1);
	}

	if (!m && above) {
		printf("    above    ");
		print_mapping(above);
		print_distance("             the address is before its begin by",
			       above->first - va);
	}
}

/* The page table's entry of an address. */
static void print_walk(const dump_t *d, const channel_t *c, __u64 va)
{
	struct nvfifo_coredump_walk w;
	struct nvfifo_pte pte;

	nvfifo_coredump_walk(c, va, &w);
	if (w.pde)
		printf("    PDE %03x  %016llx\n", w.pde->index, w.pde->value);
	if (!w.present) {
		const struct nvfifo_name *n = nvfifo_name_find(nvfifo_fault_reasons, w.reason);

		printf("    now      %s%s%s, %s\n", color(COLOR_BAD), n->name, color(COLOR_OFF),
		       n->means);
		return;
	}

	pte = nvfifo_pte_decode(w.pte->value);
	printf("    PTE %05x %016llx: %s %010llx", w.index, w.pte->value,
	       nvfifo_target_name(pte.target), w.linear);
	print_if(pte.read_only, ", read only");
	print_if(pte.supervisor, ", supervisor only");
	putchar('\n');
	if (pte.target == NVFIFO_TARGET_VRAM && d->vram && w.linear >= d->vram)
		printf("    now      %sbeyond the end of VRAM%s\n", color(COLOR_BAD),
		       color(COLOR_OFF));
	else
		puts("    now      present: it was mapped after the fault, or the fault has another reason");
}

/* Print the mapping of an address, and its page table entries. */
static void print_address(const dump_t *d, const channel_t *c, __u64 va)
{
	if (!c->has_vm && !c->mapping_count) {
		puts("    the dump does not have the address space");
		return;
	}

	print_neighbours(c, va);
	print_walk(d, c, va);
}

/* --- The error ----------------------------------------------------------- */

static void print_explanation(const char *line, __u32 chipset)
{
	struct nvfifo_explanation e;
	size_t i;

	if (nvfifo_explain(line, chipset, &e) != 1)
		return;

	printf("  %s%s%s\n", color(COLOR_BAD), line, color(COLOR_OFF));

	for (i = 0; i < e.fields.count; i++) {
		const struct nvfifo_field *f = &e.fields.fields[i];

		/* The position has its own place. */
		if (!*f->text || !strcmp(f->name, "channel") || !strncmp(f->name, "dma_", 4) ||
		    !strncmp(f->name, "ib_", 3) || !strcmp(f->text, "0"))
			continue;

		printf("    %-22s %s", f->name, f->text);
		print_means(f->means);
		putchar('\n');
	}

	if (*e.advice)
		printf("  %s=> %s%s\n", color(COLOR_GOOD), e.advice, color(COLOR_OFF));
	nvfifo_explanation_free(&e);
}

/* Methods whose data are a handle. */
static bool takes_handle(__u32 method)
{
	method &= 0x1ffc;
	return method == NVFIFO_MTHD_OBJECT || method == NVFIFO_MTHD_DMA_SEMAPHORE ||
	       (method >= 0x180 && method < 0x200);
}

static void print_handle(const dump_t *d, const channel_t *c)
{
	const struct nvfifo_coredump_ramht *e = nvfifo_coredump_handle(c, c->data);

	if (c->error != DRM_NVFIFO_ERROR_CACHE || !takes_handle(c->method))
		return;

	if (e)
		printf("  handle %08x is in RAMHT, slot %u, engine %s: it was created later, or the look-up missed it\n",
		       c->data, e->slot,
		       nvfifo_engine_name(d->chipset, nvfifo_ramht_context_engine(e->context)));
	else if (c->ramht_count)
		printf("  handle %08x is not in RAMHT, which has %zu others\n", c->data,
		       c->ramht_count);
}

static void print_segment_name(const channel_t *c, const struct nvfifo_coredump_segment *s)
{
	if (s->ib)
		printf("segment of IB entry %u", s->index);
	else
		printf("buffer");
	printf(", %u words at %010llx", s->words, s->va);
	if (is_ring_data(c, s->va))
		printf(", the driver's own");
}

/* Is the error about a word? For other errors the dump has only the puller's position. */
bool dump_is_word_error(const channel_t *c)
{
	return c->error == DRM_NVFIFO_ERROR_PUSHER || c->error == DRM_NVFIFO_ERROR_CACHE ||
	       c->error == DRM_NVFIFO_ERROR_SEMAPHORE || c->error == DRM_NVFIFO_ERROR_GRAPH;
}

static void print_place(const channel_t *c, const blame_t *b)
{
	const struct nvfifo_coredump_segment *s;

	if (b->ib != NVFIFO_COREDUMP_NONE)
		printf("  IB entry %zu has the length 0, or was not written\n", b->ib);
	if (b->segment == NVFIFO_COREDUMP_NONE) {
		if (c->error == DRM_NVFIFO_ERROR_PUSHER && c->code == NVFIFO_PUSHER_MEM_FAULT)
			printf("  the pusher could not read %010llx, IB entry %u, or the entry "
			       "itself\n",
			       c->get, (c->ib_get - 1) & ((1u << c->ring_order) - 1));
		else if (dump_is_word_error(c) && b->ib == NVFIFO_COREDUMP_NONE)
			puts("  the word is not in the dump");
		return;
	}

	s = &c->segments[b->segment];
	printf("  %s word %zu of the ", dump_is_word_error(c) ? "that was" : "the puller is at",
	       b->word + s->skip);
	print_segment_name(c, s);
	putchar('\n');
	if (b->matches > 1)
		printf("  %u words say the same; this is the likeliest\n", b->matches);
	if (!b->word && !s->skip && c->error == DRM_NVFIFO_ERROR_PUSHER)
		puts("  it is the segment's first word: was its content visible to the card when the doorbell rang?");
	if (b->stale)
		printf("  %sthe card saw %08x, but the CPU sees %08x there%s: the content came too late, or was overwritten\n",
		       color(COLOR_BAD), b->seen, s->data[b->word], color(COLOR_OFF));
}

/* --- The pushbuffer ------------------------------------------------------ */

struct listing {
	const struct dump_options *o;
	const channel_t *c;
	const blame_t *b;
	size_t current; /* segment whose head was printed */
};

static bool shown(const struct listing *l, size_t segment, size_t word)
{
	const struct nvfifo_coredump_segment *s = &l->c->segments[segment];

	if (l->o->segment != EVERY_SEGMENT)
		return s->ib && s->index == (__u32)l->o->segment;
	if (!l->o->summary)
		return true;

	return segment == l->b->segment && word + AROUND >= l->b->word &&
	       word <= l->b->word + AROUND;
}

static void print_segment_head(const struct listing *l, const struct nvfifo_coredump_segment *s)
{
	printf("  %s", color(COLOR_HEAD));
	print_segment_name(l->c, s);
	printf("%s\n", color(COLOR_OFF));
	if (s->skip && !l->o->summary)
		printf("     ... %u words that are not in the dump; where a command begins is a guess\n",
		       s->skip);
}

/* Print the end of GET's segment, and missing words. */
static void print_segment_tail(const struct listing *l, size_t segment)
{
	const struct nvfifo_coredump_segment *s;

	if (segment == NVFIFO_COREDUMP_NONE || l->o->summary)
		return;

	s = &l->c->segments[segment];
	if (segment == l->b->get_segment && l->b->get_word == s->count)
		printf("  -> %010llx: GET, behind the last word\n", l->c->get);
	if (s->skip + s->count < s->words)
		printf("     ... %zu words that are not in the dump\n",
		       (size_t)s->words - s->skip - s->count);
}

static const char *failed_text(const channel_t *c)
{
	switch (c->error) {
	case DRM_NVFIFO_ERROR_PUSHER:
		return "the pusher stopped at this word";
	case DRM_NVFIFO_ERROR_CACHE:
	case DRM_NVFIFO_ERROR_SEMAPHORE:
		return "the puller stopped at this method";
	case DRM_NVFIFO_ERROR_GRAPH:
		return "PGRAPH stopped at this method";
	}

	return "the puller is at this method";
}

static int list_word(void *ctx, size_t segment, size_t word, const struct nvfifo_word *w,
		     bool known)
{
	struct listing *l = ctx;
	const struct nvfifo_coredump_segment *s = &l->c->segments[segment];
	bool failed = segment == l->b->segment && word == l->b->word;
	bool get = segment == l->b->get_segment && word == l->b->get_word;
	__u64 va = s->va + ((__u64)s->skip + word) * 4;
	const char *mark = "  ", *begin = "", *end = "";
	char line[2 * NVFIFO_WORD_TEXT_MAX];

	if (!shown(l, segment, word))
		return 0;

	if (segment != l->current) {
		print_segment_tail(l, l->current);
		print_segment_head(l, s);
		l->current = segment;
	}

	if (known)
		nvfifo_listing_line(w, nvfifo_coredump_format(l->c), va, line);
	else
		snprintf(line, sizeof(line),
			 "%0*llx: %08x  .word 0x%08x  # data of a command before",
			 va >> 32 ? 10 : 8, va, w->word, w->word);
	if (failed) {
		mark = "=>";
		begin = color(COLOR_BAD);
	} else if (get) {
		mark = "->";
		begin = color(COLOR_HEAD);
	}

	if (failed || get)
		end = color(COLOR_OFF);

	printf("%s  %s %s", begin, mark, line);
	if (failed)
		printf("  <== %s", failed_text(l->c));
	if (get)
		printf("%s", failed ? ", GET" : "  <-- GET");
	printf("%s\n", end);

	return 0;
}

static void print_pushbuffer(const struct dump_options *o, const dump_t *d, const channel_t *c,
			     const blame_t *b)
{
	struct listing l = { .o = o, .c = c, .b = b, .current = NVFIFO_COREDUMP_NONE };

	nvfifo_coredump_decode(d, c, list_word, &l);
	print_segment_tail(&l, l.current);
}

/* --- The channel structure ----------------------------------------------- */

/* A word of RAMFC is an image of a register of CACHE1 or PFIFO. */
static bool ramfc_register(const char *name, __u32 chipset, struct nvfifo_reg_ref *ref)
{
	static const char *const blocks[] = { "CACHE1.", "PFIFO." };
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		snprintf(text, sizeof(text), "%s%s", blocks[i], name);
		if (!nvfifo_reg_parse(text, chipset, ref))
			return true;
	}

	return false;
}

static void print_ramfc(const dump_t *d, const channel_t *c)
{
	struct nvfifo_reg_ref ref;
	__u32 i, value;

	if (!c->ramfc_known)
		return;

	printf("%s RAMFC%s\n", color(COLOR_HEAD), color(COLOR_OFF));

	for (i = 0; i < NVFIFO_COREDUMP_RAMFC_WORDS * 4; i += 4) {
		const char *name = nvfifo_ramfc_name(i);

		if (!nvfifo_coredump_ramfc(c, i, &value) || (!name && !value))
			continue;

		printf("  %02x  %08x  %s%s", i, value, name ? name : "(no name)", color(COLOR_DIM));
		if (name && ramfc_register(name, d->chipset, &ref))
			print_reg_fields(&ref, d->chipset, value);
		printf("%s\n", color(COLOR_OFF));
	}
}

/* The fields of a DMA object as the calculator has them. */
bool dump_dma_row(const struct nvfifo_coredump_object *o, struct nvfifo_row *r)
{
	static const char *const names[] = { "w0", "w1", "w2", "w3", "w4", "w5" };
	char text[16], note[200];
	unsigned int i;

	memset(r, 0, sizeof(*r));

	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++) {
		snprintf(text, sizeof(text), "%08x", o->words[i]);
		if (nvfifo_row_set(r, names[i], NVFIFO_VALUE_STRING, text, NULL))
			return false;
	}

	return !nvfifo_calc(nvfifo_calc_find("dmaobj"), r, NVFIFO_CALC_ALL, note);
}

static void print_dma_object(const struct nvfifo_coredump_object *o)
{
	struct nvfifo_row r;
	size_t i;

	if (dump_dma_row(o, &r)) {
		for (i = NVFIFO_DMAOBJ_WORDS; i < r.count; i++) {
			const struct nvfifo_field *f = &r.fields[i];

			if (!f->means && !strcmp(f->text, "0"))
				continue;
			printf("      %-10s %s", f->name, f->text);
			print_means(f->means);
			putchar('\n');
		}
	}

	nvfifo_row_free(&r);
}

bool dump_is_dma_object(const struct nvfifo_coredump_object *o)
{
	const __u32 oclass = o->words[0] & 0xffff;

	return o->count >= NVFIFO_DMAOBJ_WORDS && (oclass == NVFIFO_CLASS_DMA_READ ||
						   oclass == NVFIFO_CLASS_DMA_WRITE || oclass == NVFIFO_CLASS_DMA_RW);
}

static void print_object(const struct nvfifo_coredump_object *o)
{
	__u32 oclass = o->words[0] & 0xffff, i;
	const char *name = nvfifo_class_name(oclass);
	bool empty = true;

	for (i = 0; i < o->count; i++)
		empty = empty && !o->words[i];
	printf("  object %05x:", o->offset);
	for (i = 0; i < o->count && (i < NVFIFO_DMAOBJ_WORDS || o->words[i]); i++)
		printf(" %08x", o->words[i]);
	if (dump_is_dma_object(o)) {
		puts(", DMA object");
		print_dma_object(o);
	} else if (empty) {
		puts(", empty");
	} else {
		printf(", class %04x", oclass);
		if (name)
			printf(" %s", name);
		putchar('\n');
	}
}

static void print_objects(const dump_t *d, const channel_t *c)
{
	__u32 push = 0, reg;
	size_t i;

	if (c->ramht_count)
		printf("%s RAMHT%s\n", color(COLOR_HEAD), color(COLOR_OFF));

	for (i = 0; i < c->ramht_count; i++) {
		const struct nvfifo_coredump_ramht *e = &c->ramht[i];
		__u32 engine = nvfifo_ramht_context_engine(e->context), hash = e->slot;
		__u32 offset = nvfifo_ramht_context_offset(e->context);

		printf("  %4u  handle %08x  context %08x: %s, object %05x%s", e->slot, e->handle,
		       e->context, nvfifo_engine_name(d->chipset, engine), offset,
		       nvfifo_coredump_object(c, offset) ? "" : " (not in the dump)");
		if (nvfifo_coredump_ramfc(c, NVFIFO_RAMFC_RAMHT, &reg))
			hash = nvfifo_ramht_hash(e->handle,
						 NVFIFO_RAMHT_BITS_MIN + (reg >> 27 & 3));
		if (hash != e->slot)
			printf(", its hash is %u", hash);
		putchar('\n');
	}

	if (c->object_count)
		printf("%s Objects%s\n", color(COLOR_HEAD), color(COLOR_OFF));
	if (nvfifo_coredump_ramfc(c, NVFIFO_RAMFC_DMA_INSTANCE, &push))
		printf("  the pushbuffer's DMA object is %05x\n", (push & 0xffff) << 4);
	for (i = 0; i < c->object_count; i++)
		print_object(&c->objects[i]);
}

static void print_ring(const channel_t *c)
{
	__u32 mask = (1u << c->ring_order) - 1;
	size_t i;

	if (c->dma || (!c->ring && !c->ib_count))
		return;

	printf("%s IB ring%s at %010llx, %u entries\n", color(COLOR_HEAD), color(COLOR_OFF),
	       c->ring, mask + 1);

	for (i = 0; i < c->ib_count; i++) {
		const struct nvfifo_coredump_ib *e = &c->ibs[i];
		struct nvfifo_ib_entry ib = nvfifo_ib_decode(e->words);
		bool next = c->has_pos && e->index == (c->ib_get & mask);
		bool last = c->has_pos && e->index == ((c->ib_get - 1) & mask);

		if (next)
			printf("  %s->", color(COLOR_HEAD));
		else
			printf("    ");
		printf(" %4u  %08x %08x  %u words at %010llx", e->index, e->words[0], e->words[1],
		       ib.words, ib.address);
		if (ib.not_main)
			printf(", not main");
		if (ib.no_prefetch)
			printf(", no prefetch");
		if (!dump_segment_of_ib(c, e->index))
			printf(", not mapped or not in the dump");
		if (last)
			printf(", taken last");
		if (next)
			printf(", IB_GET%s%s", c->ib_get == c->ib_put ? " = IB_PUT" : "", color(COLOR_OFF));
		putchar('\n');
	}

	if (c->has_pos)
		printf("  IB_GET %u, IB_PUT %u: %s\n", c->ib_get, c->ib_put,
		       c->ib_get == c->ib_put ? "all entries are taken" : "entries are left");
}

/* --- Address space ------------------------------------------------------- */

static bool inside(__u64 va, __u64 first, __u64 last)
{
	return va >= first && va <= last;
}

static void print_pte(const struct nvfifo_coredump_pte *e, const struct nvfifo_coredump_fault *f)
{
	struct nvfifo_pte pte = nvfifo_pte_decode(e->value);
	bool hit = f && inside(f->address, e->first, e->last);

	printf("  %s%s     ", color_if(hit, COLOR_BAD), hit ? "=>" : "  ");
	printf("%010llx-%010llx PTE %016llx: ", e->first, e->last, e->value);
	print_if(!pte.present, "not present, ");
	printf("%s %010llx, block of %u, kind %02x", nvfifo_target_name(pte.target), pte.address,
	       1u << pte.contig, pte.kind);
	if (pte.comp)
		printf(", comp %u tag %x", pte.comp, pte.tag);

	print_if(pte.read_only, ", read only");
	print_if(pte.supervisor, ", supervisor");
	print_if(pte.long_cycle, ", long cycle");
	print_if(pte.encrypted, ", encrypted");
	printf("%s\n", color_if(hit, COLOR_OFF));
}

static void print_pde(const struct nvfifo_coredump_pde *e, const struct nvfifo_coredump_fault *f)
{
	struct nvfifo_pde pde = nvfifo_pde_decode(e->value);
	bool hit = f && f->address >> NVFIFO_PDE_SHIFT == e->index;

	printf("  %s PDE %03x %016llx", hit ? "=>" : "  ", e->index, e->value);
	if (pde.type == NVFIFO_PT_NONE)
		puts(": no page table");
	else
		printf(": %u KiB pages, %u entries, %s at %010llx\n",
		       1u << nvfifo_pt_page_shift(pde.type) >> 10,
		       nvfifo_pt_entries(pde.type, pde.size), nvfifo_target_name(pde.target),
		       pde.address);
}

static void print_vm(const dump_t *d, const channel_t *c)
{
	const struct nvfifo_coredump_fault *f = nvfifo_coredump_channel_fault(d, c);
	bool told = !f;
	size_t i, j;

	if (!c->has_vm)
		return;

	printf("%s Address space %u%s\n", color(COLOR_HEAD), c->vm, color(COLOR_OFF));

	for (i = 0; i < c->mapping_count; i++) {
		const struct nvfifo_coredump_mapping *m = &c->mappings[i];
		bool hit = f && inside(f->address, m->first, m->last);

		if (!told && f->address < m->first)
			printf("  => %010llx the fault: nothing is mapped here\n", f->address);
		told |= f && f->address <= m->last;
		printf("  %s ", hit ? "=>" : "  ");
		print_mapping(m);
	}

	if (!told)
		printf("  => %010llx the fault: nothing is mapped here\n", f->address);
	if (c->pde_count)
		printf("%s Page tables%s\n", color(COLOR_HEAD), color(COLOR_OFF));

	for (i = 0; i < c->pde_count; i++) {
		print_pde(&c->pdes[i], f);
		for (j = 0; j < c->pte_count; j++) {
			if (c->ptes[j].first >> NVFIFO_PDE_SHIFT == c->pdes[i].index)
				print_pte(&c->ptes[j], f);
		}
	}
}

/* --- All of it ----------------------------------------------------------- */

static void print_head(const dump_t *d)
{
	const char *name = nvfifo_chipset_name(d->chipset);

	printf("%sDump of card %s%s: ", color(COLOR_HEAD), *d->card ? d->card : "(unknown)",
	       color(COLOR_OFF));
	printf("%s, chipset 0x%02x, PMC_BOOT_0 %08x, %llu MiB of VRAM\n", name ? name : "unknown",
	       d->chipset, d->boot_0, d->vram >> 20);
	if (*d->kernel)
		printf("  Linux %s on %s\n", d->kernel, *d->machine ? d->machine : "?");
	if (d->has_counters)
		printf("  %llu submissions, %llu error interrupts, %llu time-outs, %llu MiB of "
		       "VRAM free\n",
		       d->submits, d->errors, d->timeouts, d->vram_free >> 20);
	if (!strcmp(d->wedged, "lost"))
		printf("  %sthe card is gone from the bus; there are no registers%s\n",
		       color(COLOR_BAD), color(COLOR_OFF));
	else if (!strcmp(d->wedged, "stuck"))
		printf("  %sthe card is stuck: it did not answer in time, and needs a reset%s\n",
		       color(COLOR_BAD), color(COLOR_OFF));
	if (d->cut)
		puts("  the dump is cut: the driver left out what did not fit");
	if (!d->complete)
		puts("  the dump has no end: it is a part of one");
}

static void print_channel_head(const channel_t *c)
{
	printf("\n%sChannel %u%s: %s%s%s", color(COLOR_HEAD), c->id, color(COLOR_OFF),
	       color_if(c->dead, COLOR_BAD), c->dead ? "dead" : "alive",
	       color_if(c->dead, COLOR_OFF));
	print_if(c->dma, ", NV04 mode");
	print_if(!c->dma, ", IB mode");
	printf(", %s rings the doorbell, structure at %08llx\n",
	       c->user ? "its owner" : "the kernel", c->inst);
	if (c->has_pos)
		printf("  GET %010llx  PUT %010llx  MGET %010llx  IB_GET %u  IB_PUT %u  REF %08x  "
		       "DMA_STATE %08x\n",
		       c->get, c->put, c->mget, c->ib_get, c->ib_put, c->ref, c->state);
	else
		puts("  where it was is not known");
}

static void print_what_happened(const dump_t *d, const channel_t *c, const blame_t *b)
{
	const struct nvfifo_coredump_fault *f = nvfifo_coredump_channel_fault(d, c);
	unsigned int unit = 0;
	char line[400];

	nvfifo_coredump_line(d, c, line, sizeof(line));
	if (*line)
		print_explanation(line, d->chipset);
	else if (c->dead)
		printf("  %s%s%s\n", color(COLOR_BAD), plain_error(c->error, c->code), color(COLOR_OFF));
	while (nvfifo_coredump_unit_line(d, c, &unit, line, sizeof(line)))
		print_explanation(line, d->chipset);
	if (c->err)
		printf("  its fences ended with error %d, %s\n", c->err, strerror(abs(c->err)));
	print_handle(d, c);
	print_place(c, b);
	if (!f)
		return;

	nvfifo_coredump_fault_line(d, f, line, sizeof(line));
	print_explanation(line, d->chipset);
	print_address(d, c, f->address);
}

static void print_channel(const struct dump_options *o, const dump_t *d, const channel_t *c)
{
	blame_t b;

	nvfifo_coredump_blame(d, c, &b);
	print_channel_head(c);
	if (o->segment == EVERY_SEGMENT)
		print_what_happened(d, c, &b);
	if (o->segment == EVERY_SEGMENT && !o->summary) {
		print_ramfc(d, c);
		print_objects(d, c);
		print_ring(c);
	}

	if (c->segment_count && !o->summary)
		printf("%s Pushbuffer%s\n", color(COLOR_HEAD), color(COLOR_OFF));
	print_pushbuffer(o, d, c, &b);
	if (o->segment == EVERY_SEGMENT && !o->summary)
		print_vm(d, c);
}

static void print_rest(const dump_t *d)
{
	struct nvfifo_reg_ref ref;
	size_t i;

	if (d->reg_count)
		printf("\n%sRegisters%s\n", color(COLOR_HEAD), color(COLOR_OFF));

	for (i = 0; i < d->reg_count; i++) {
		nvfifo_reg_at(d->regs[i].address, d->chipset, &ref);
		printf("  ");
		print_reg_line(&ref, d->chipset, d->regs[i].value);
	}

	if (d->bo_count)
		printf("\n%sBuffers%s\n", color(COLOR_HEAD), color(COLOR_OFF));

	for (i = 0; i < d->bo_count; i++) {
		const struct nvfifo_coredump_bo *b = &d->bos[i];

		printf("  %-6s %10llu bytes", b->vram ? "vram" : "system", b->bytes);
		printf("  flags %s  %llu tags", *b->flags ? b->flags : "-", b->tags);
		if (*b->label)
			printf("  \"%s\"", b->label);
		putchar('\n');
	}
}

void dump_print_text(const struct dump_options *o, const dump_t *d)
{
	size_t i;

	print_head(d);
	for (i = 0; i < d->channel_count; i++)
		print_channel(o, d, &d->channels[i]);
	if (!d->channel_count)
		puts("\nNo channel.");
	if (!o->summary && o->segment == EVERY_SEGMENT)
		print_rest(d);
}
