// SPDX-License-Identifier: MIT
/*
 * "nvfifo dump": a dump of the driver for a person, or as JSON.
 *
 * The dump's own words come from nvfifo_coredump.c, what they mean from the calculator,
 * from what explains log lines, and from the disassembler.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvfifo_calc.h"
#include "dump_program.h"
#include "json.h"
#include "nvfifo_coredump.h"
#include "nvfifo_explain.h"
#include "nvfifo_names.h"
#include "nvfifo_reg.h"
#include "options.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo dump [OPTIONS] [FILE]\n\n"
	"Show a dump that the driver made when a channel died: what happened, in words; each\n"
	"channel's position, RAMFC, RAMHT, objects, ring and pushbuffer with the word that failed\n"
	"marked; mappings, page tables, registers.\n\n"
	"FILE is the dump, - standard input. Without FILE it is the newest one in\n"
	"/sys/class/devcoredump of a card of the driver, or if there is none the card's state as\n"
	"it is now, the file nvfifo_dump of debugfs. Both are for root. The kernel keeps a device\n"
	"coredump for five minutes, or until something is written to it; copy it to keep it.\n\n"
	"In the listing => is the word that failed (or where the puller waits, if none did), and\n"
	"-> the one that the pusher reads next.\n\n"
	"Options:\n"
	"  --summary       only what happened, and the words around the one that failed\n"
	"  --segment N     only the segment of IB entry N (of all channels)\n"
	"  --json          everything as one object of JSON\n"
	"  --program       the channel that died (or the first one) as a text program, to be\n"
	"                  edited and run again; buffers begin with zeros\n"
	"  -d, --device D  /dev/dri/renderD128, or a PCI address such as 0000:01:00.0\n"
	"  --sysfs DIR     where sysfs is, /sys if not given\n"
	"  --debugfs DIR   where debugfs is, /sys/kernel/debug if not given\n"
	"  --color WHEN    auto (default), always, never\n\n"
	"Exit codes: 0 done, 1 the dump is not complete or has lines that are wrong: what could be\n"
	"read is shown, 2 a wrong option, or no dump, 3 no dump was found.\n\n"
	"Examples:\n"
	"  nvfifo dump\n"
	"  nvfifo dump --summary card.dump\n"
	"  cat /sys/class/devcoredump/devcd1/data >card.dump\n"
	"  nvfifo dump --program card.dump >card.nvp\n"
	"  nvfifo dump --json card.dump | python3 -m json.tool\n";

/* Words around the one that failed in a summary. */
#define AROUND 6

#define EVERY_SEGMENT (~0ul)

struct options {
	const char *sysfs;
	const char *debugfs;
	const char *device;
	bool json;
	bool summary;
	bool program;
	unsigned long segment;	/* of this IB entry, or EVERY_SEGMENT */
};

typedef struct nvfifo_coredump dump_t;
typedef struct nvfifo_coredump_channel channel_t;
typedef struct nvfifo_coredump_blame blame_t;

static const char *const error_names[] = {
	[DRM_NVFIFO_ERROR_NONE] = "none",
	[DRM_NVFIFO_ERROR_PUSHER] = "DMA_PUSHER",
	[DRM_NVFIFO_ERROR_CACHE] = "CACHE_ERROR",
	[DRM_NVFIFO_ERROR_SEMAPHORE] = "SEMAPHORE",
	[DRM_NVFIFO_ERROR_TIMEOUT] = "time-out",
	[DRM_NVFIFO_ERROR_LOST] = "card lost",
	[DRM_NVFIFO_ERROR_GRAPH] = "PGRAPH",
	[DRM_NVFIFO_ERROR_FENCE] = "fence page",
};

static const char *error_name(__u32 error)
{
	return error < sizeof(error_names) / sizeof(error_names[0]) ? error_names[error]
								    : "unknown";
}

/* What has no line in the log with words to explain. */
static const char *plain_error(__u32 error)
{
	switch (error) {
	case DRM_NVFIFO_ERROR_NONE:
		return "no error was recorded";
	case DRM_NVFIFO_ERROR_TIMEOUT:
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

static const struct nvfifo_coredump_segment *segment_of_ib(const channel_t *c, __u32 index)
{
	size_t i;

	for (i = 0; i < c->segment_count; i++) {
		if (c->segments[i].ib && c->segments[i].index == index)
			return &c->segments[i];
	}
	return NULL;
}

/* --- JSON ---------------------------------------------------------------- */

static struct json jw;	/* standard output, see run() */

static void json_explanation(const char *key, const char *line, __u32 chipset)
{
	struct nvfifo_explanation e;

	if (!*line || nvfifo_explain(line, chipset, &e) != 1)
		return;
	json_open(&jw, key, '{');
	json_string(&jw, "line", line);
	json_row(&jw, "decoded", &e.fields, true);
	json_string(&jw, "advice", e.advice);
	json_close(&jw, '}');
	nvfifo_explanation_free(&e);
}

/* --- Addresses ----------------------------------------------------------- */

static void print_mapping(const struct nvfifo_coredump_mapping *m)
{
	printf("%010" PRIx64 "-%010" PRIx64 " %-6s +%" PRIx64, (uint64_t)m->first,
	       (uint64_t)m->last, m->vram ? "vram" : "system", (uint64_t)m->offset);
	if (m->kind)
		printf(" kind %02x", m->kind);
	if (m->comp)
		printf(" comp %u", m->comp);
	printf("%s%s%s%s%s", m->read_only ? " read only" : "", m->supervisor ? " supervisor" : "",
	       m->long_cycle ? " long cycle" : "", m->encrypted ? " encrypted" : "",
	       m->nosnoop ? " not snooped" : "");
	if (*m->label)
		printf("  \"%s\"", m->label);
	putchar('\n');
}

/* A size that a person can read: bytes below 1 MiB in hexadecimal. */
static void print_distance(const char *text, __u64 bytes)
{
	if (bytes < 1 << 20)
		printf("%s 0x%" PRIx64 " bytes\n", text, (uint64_t)bytes);
	else
		printf("%s %" PRIu64 " MiB\n", text, (uint64_t)bytes >> 20);
}

/* Where an address lies among the mappings, and what the page tables say of it. */
static void print_address(const dump_t *d, const channel_t *c, __u64 va)
{
	const struct nvfifo_coredump_mapping *below, *above, *m;
	struct nvfifo_coredump_walk w;
	struct nvfifo_pte pte;

	if (!c->has_vm && !c->mapping_count) {
		puts("    the dump does not have the address space");
		return;
	}
	m = nvfifo_coredump_mapping(c, va, &below, &above);
	if (m) {
		printf("    mapping  ");
		print_mapping(m);
		printf("             it is 0x%" PRIx64 " into the mapping, 0x%" PRIx64
		       " into the buffer\n",
		       (uint64_t)(va - m->first), (uint64_t)(va - m->first + m->offset));
	} else if (is_ring_data(c, va)) {
		puts("    mapping  the driver's own: the ring and what ends submissions");
	} else {
		printf("    mapping  %snone%s\n", color(COLOR_BAD), color(COLOR_OFF));
	}
	if (!m && below) {
		printf("    below    ");
		print_mapping(below);
		print_distance("             the address is behind its end by",
			       va - below->last - 1);
	}
	if (!m && above) {
		printf("    above    ");
		print_mapping(above);
		print_distance("             the address is before its begin by",
			       above->first - va);
	}
	nvfifo_coredump_walk(c, va, &w);
	if (w.pde)
		printf("    PDE %03x  %016" PRIx64 "\n", w.pde->index, (uint64_t)w.pde->value);
	if (!w.present) {
		const struct nvfifo_name *n = nvfifo_name_find(nvfifo_fault_reasons, w.reason);

		printf("    now      %s%s%s, %s\n", color(COLOR_BAD), n->name, color(COLOR_OFF),
		       n->means);
		return;
	}
	pte = nvfifo_pte_decode(w.pte->value);
	printf("    PTE %05x %016" PRIx64 ": %s %010" PRIx64 "%s%s\n", w.index,
	       (uint64_t)w.pte->value, nvfifo_target_name(pte.target), (uint64_t)w.linear,
	       pte.read_only ? ", read only" : "", pte.supervisor ? ", supervisor only" : "");
	if (pte.target == NVFIFO_TARGET_VRAM && d->vram && w.linear >= d->vram)
		printf("    now      %sbeyond the end of VRAM%s\n", color(COLOR_BAD),
		       color(COLOR_OFF));
	else
		puts("    now      present: it was mapped after the fault, or the fault has another reason");
}

static void json_mapping(const char *key, const struct nvfifo_coredump_mapping *m)
{
	json_open(&jw, key, '{');
	json_hex(&jw, "first", 10, m->first);
	json_hex(&jw, "last", 10, m->last);
	json_string(&jw, "domain", m->vram ? "vram" : "system");
	json_hex(&jw, "offset", 10, m->offset);
	json_hex(&jw, "kind", 2, m->kind);
	json_number(&jw, "comp", m->comp);
	json_bool(&jw, "read_only", m->read_only);
	json_bool(&jw, "supervisor", m->supervisor);
	json_bool(&jw, "long_cycle", m->long_cycle);
	json_bool(&jw, "encrypted", m->encrypted);
	json_bool(&jw, "nosnoop", m->nosnoop);
	json_string(&jw, "label", m->label);
	json_close(&jw, '}');
}

static void json_address(const char *key, const channel_t *c, __u64 va)
{
	const struct nvfifo_coredump_mapping *below, *above, *m;
	struct nvfifo_coredump_walk w;

	m = nvfifo_coredump_mapping(c, va, &below, &above);
	nvfifo_coredump_walk(c, va, &w);
	json_open(&jw, key, '{');
	json_hex(&jw, "va", 10, va);
	if (m)
		json_mapping("mapping", m);
	if (!m && below)
		json_mapping("below", below);
	if (!m && above)
		json_mapping("above", above);
	json_bool(&jw, "present", w.present);
	if (w.present)
		json_hex(&jw, "linear", 10, w.linear);
	else
		json_string(&jw, "reason", nvfifo_fault_reason_name(w.reason));
	if (w.pde)
		json_hex(&jw, "pde", 16, w.pde->value);
	if (w.pte)
		json_hex(&jw, "pte", 16, w.pte->value);
	json_close(&jw, '}');
}

/* --- What happened ------------------------------------------------------- */

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
		printf("    %-22s %s%s%s%s%s\n", f->name, f->text, color(COLOR_DIM),
		       f->means ? "  # " : "", f->means ? f->means : "", color(COLOR_OFF));
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

/* Errors of words; others only have a place where the puller is. */
static bool is_word_error(const channel_t *c)
{
	return c->error == DRM_NVFIFO_ERROR_PUSHER || c->error == DRM_NVFIFO_ERROR_CACHE ||
	       c->error == DRM_NVFIFO_ERROR_SEMAPHORE || c->error == DRM_NVFIFO_ERROR_GRAPH;
}

static void print_segment_name(const channel_t *c, const struct nvfifo_coredump_segment *s)
{
	if (s->ib)
		printf("segment of IB entry %u", s->index);
	else
		printf("buffer");
	printf(", %u words at %010" PRIx64, s->words, (uint64_t)s->va);
	if (is_ring_data(c, s->va))
		printf(", the driver's own");
}

static void print_place(const channel_t *c, const blame_t *b)
{
	const struct nvfifo_coredump_segment *s;

	if (b->ib != NVFIFO_COREDUMP_NONE)
		printf("  IB entry %zu has the length 0, or was not written\n", b->ib);
	if (b->segment == NVFIFO_COREDUMP_NONE) {
		if (c->error == DRM_NVFIFO_ERROR_PUSHER && c->code == NVFIFO_PUSHER_MEM_FAULT)
			printf("  the pusher could not read %010" PRIx64
			       ", IB entry %u, or the entry itself\n",
			       (uint64_t)c->get, (c->ib_get - 1) & ((1u << c->ring_order) - 1));
		else if (is_word_error(c) && b->ib == NVFIFO_COREDUMP_NONE)
			puts("  the word is not in the dump");
		return;
	}
	s = &c->segments[b->segment];
	printf("  %s word %zu of the ", is_word_error(c) ? "that was" : "the puller is at",
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
	const struct options *o;
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

/* The end of GET's segment, and what is not there. */
static void print_segment_tail(const struct listing *l, size_t segment)
{
	const struct nvfifo_coredump_segment *s;

	if (segment == NVFIFO_COREDUMP_NONE || l->o->summary)
		return;
	s = &l->c->segments[segment];
	if (segment == l->b->get_segment && l->b->get_word == s->count)
		printf("  -> %010" PRIx64 ": GET, behind the last word\n", (uint64_t)l->c->get);
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
			 "%0*" PRIx64 ": %08x  .word 0x%08x  # data of a command before",
			 va >> 32 ? 10 : 8, (uint64_t)va, w->word, w->word);
	printf("%s  %s %s%s%s%s%s\n",
	       failed ? color(COLOR_BAD)
	       : get  ? color(COLOR_HEAD)
		      : "",
	       failed ? "=>"
	       : get  ? "->"
		      : "  ",
	       line, failed ? "  <== " : "", failed ? failed_text(l->c) : "",
	       !get	? ""
	       : failed ? ", GET"
			: "  <-- GET",
	       failed || get ? color(COLOR_OFF) : "");
	return 0;
}

static void print_pushbuffer(const struct options *o, const dump_t *d, const channel_t *c,
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

static void print_fields(const struct nvfifo_reg *reg, __u32 chipset, __u32 value)
{
	const struct nvfifo_reg *f = NULL;
	const char *between = "  ";

	while ((f = nvfifo_reg_field(reg, chipset, f))) {
		__u32 v = (value & nvfifo_reg_mask(f)) >> f->lo;

		if (!v)
			continue;
		printf("%s%s", between, f->name);
		if (f->hi != f->lo)
			printf(" %x", v);
		between = ", ";
	}
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
			print_fields(ref.reg, d->chipset, value);
		printf("%s\n", color(COLOR_OFF));
	}
}

static bool is_dma_class(__u32 oclass)
{
	return oclass == NVFIFO_CLASS_DMA_READ || oclass == NVFIFO_CLASS_DMA_WRITE ||
	       oclass == NVFIFO_CLASS_DMA_RW;
}

/* The fields of a DMA object as the calculator has them. */
static bool dma_row(const struct nvfifo_coredump_object *o, struct nvfifo_row *r)
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

	if (dma_row(o, &r)) {
		for (i = NVFIFO_DMAOBJ_WORDS; i < r.count; i++) {
			const struct nvfifo_field *f = &r.fields[i];

			if (!f->means && !strcmp(f->text, "0"))
				continue;
			printf("      %-10s %s%s%s%s%s\n", f->name, f->text, color(COLOR_DIM),
			       f->means && *f->means ? "  # " : "", f->means ? f->means : "",
			       color(COLOR_OFF));
		}
	}
	nvfifo_row_free(&r);
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
	if (is_dma_class(oclass) && o->count >= NVFIFO_DMAOBJ_WORDS) {
		puts(", DMA object");
		print_dma_object(o);
	} else if (empty) {
		puts(", empty");
	} else {
		printf(", class %04x%s%s\n", oclass, name ? " " : "", name ? name : "");
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
	printf("%s IB ring%s at %010" PRIx64 ", %u entries\n", color(COLOR_HEAD), color(COLOR_OFF),
	       (uint64_t)c->ring, mask + 1);
	for (i = 0; i < c->ib_count; i++) {
		const struct nvfifo_coredump_ib *e = &c->ibs[i];
		struct nvfifo_ib_entry ib = nvfifo_ib_decode(e->words);
		bool next = c->has_pos && e->index == (c->ib_get & mask);
		bool last = c->has_pos && e->index == ((c->ib_get - 1) & mask);

		printf("  %s%s %4u  %08x %08x  %u words at %010" PRIx64 "%s%s%s%s%s%s\n",
		       next ? color(COLOR_HEAD) : "", next ? "->" : "  ", e->index, e->words[0],
		       e->words[1], ib.words, (uint64_t)ib.address, ib.not_main ? ", not main" : "",
		       ib.no_prefetch ? ", no prefetch" : "",
		       segment_of_ib(c, e->index) ? "" : ", not mapped or not in the dump",
		       last ? ", taken last" : "",
		       next ? c->ib_get == c->ib_put ? ", IB_GET = IB_PUT" : ", IB_GET" : "",
		       next ? color(COLOR_OFF) : "");
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

	printf("  %s%s     %010" PRIx64 "-%010" PRIx64 " PTE %016" PRIx64 ": %s%s %010" PRIx64
	       ", block of %u, kind %02x",
	       hit ? color(COLOR_BAD) : "", hit ? "=>" : "  ", (uint64_t)e->first,
	       (uint64_t)e->last, (uint64_t)e->value, pte.present ? "" : "not present, ",
	       nvfifo_target_name(pte.target), (uint64_t)pte.address, 1u << pte.contig, pte.kind);
	if (pte.comp)
		printf(", comp %u tag %x", pte.comp, pte.tag);
	printf("%s%s%s%s%s\n", pte.read_only ? ", read only" : "",
	       pte.supervisor ? ", supervisor" : "", pte.long_cycle ? ", long cycle" : "",
	       pte.encrypted ? ", encrypted" : "", hit ? color(COLOR_OFF) : "");
}

static void print_pde(const struct nvfifo_coredump_pde *e, const struct nvfifo_coredump_fault *f)
{
	struct nvfifo_pde pde = nvfifo_pde_decode(e->value);
	bool hit = f && f->address >> NVFIFO_PDE_SHIFT == e->index;

	printf("  %s PDE %03x %016" PRIx64, hit ? "=>" : "  ", e->index, (uint64_t)e->value);
	if (pde.type == NVFIFO_PT_NONE)
		puts(": no page table");
	else
		printf(": %u KiB pages, %u entries, %s at %010" PRIx64 "\n",
		       1u << (nvfifo_pt_page_shift(pde.type) - 10),
		       nvfifo_pt_entries(pde.type, pde.size), nvfifo_target_name(pde.target),
		       (uint64_t)pde.address);
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
			printf("  => %010" PRIx64 " the fault: nothing is mapped here\n",
			       (uint64_t)f->address);
		told |= f && f->address <= m->last;
		printf("  %s ", hit ? "=>" : "  ");
		print_mapping(m);
	}
	if (!told)
		printf("  => %010" PRIx64 " the fault: nothing is mapped here\n",
		       (uint64_t)f->address);
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

/* --- Text ---------------------------------------------------------------- */

static void print_head(const dump_t *d)
{
	const char *name = nvfifo_chipset_name(d->chipset);

	printf("%sDump of card %s%s: %s, chipset 0x%02x, PMC_BOOT_0 %08x, %" PRIu64
	       " MiB of VRAM\n",
	       color(COLOR_HEAD), *d->card ? d->card : "(unknown)", color(COLOR_OFF),
	       name ? name : "unknown", d->chipset, d->boot_0, (uint64_t)d->vram >> 20);
	if (*d->kernel)
		printf("  Linux %s on %s\n", d->kernel, *d->machine ? d->machine : "?");
	if (d->has_counters)
		printf("  %" PRIu64 " submissions, %" PRIu64 " error interrupts, %" PRIu64
		       " time-outs, %" PRIu64 " MiB of VRAM free\n",
		       (uint64_t)d->submits, (uint64_t)d->errors, (uint64_t)d->timeouts,
		       (uint64_t)d->vram_free >> 20);
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
	printf("\n%sChannel %u%s: %s%s%s, %s, %s, structure at %08" PRIx64 "\n", color(COLOR_HEAD),
	       c->id, color(COLOR_OFF), c->dead ? color(COLOR_BAD) : "", c->dead ? "dead" : "alive",
	       c->dead ? color(COLOR_OFF) : "", c->dma ? "NV04 mode" : "IB mode",
	       c->user ? "its owner rings the doorbell" : "the kernel rings the doorbell",
	       (uint64_t)c->inst);
	if (c->has_pos)
		printf("  GET %010" PRIx64 "  PUT %010" PRIx64 "  MGET %010" PRIx64
		       "  IB_GET %u  IB_PUT %u  REF %08x  DMA_STATE %08x\n",
		       (uint64_t)c->get, (uint64_t)c->put, (uint64_t)c->mget, c->ib_get, c->ib_put,
		       c->ref, c->state);
	else
		puts("  where it was is not known");
}

static void print_what_happened(const dump_t *d, const channel_t *c, const blame_t *b)
{
	const struct nvfifo_coredump_fault *f = nvfifo_coredump_channel_fault(d, c);
	char line[400];

	nvfifo_coredump_line(d, c, line, sizeof(line));
	if (*line)
		print_explanation(line, d->chipset);
	else if (c->dead)
		printf("  %s%s%s\n", color(COLOR_BAD), plain_error(c->error), color(COLOR_OFF));
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

static void print_channel(const struct options *o, const dump_t *d, const channel_t *c)
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

		printf("  %-6s %10" PRIu64 " bytes  flags %s  %" PRIu64 " tags%s%s%s\n",
		       b->vram ? "vram" : "system", (uint64_t)b->bytes, *b->flags ? b->flags : "-",
		       (uint64_t)b->tags, *b->label ? "  \"" : "", b->label, *b->label ? "\"" : "");
	}
}

static void print_text(const struct options *o, const dump_t *d)
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

/* --- Everything as JSON -------------------------------------------------- */

static void json_regs(const dump_t *d)
{
	char name[NVFIFO_REG_NAME_MAX];
	struct nvfifo_reg_ref ref;
	size_t i;

	json_open(&jw, "registers", '[');
	for (i = 0; i < d->reg_count; i++) {
		const struct nvfifo_reg *f = NULL;

		nvfifo_reg_at(d->regs[i].address, d->chipset, &ref);
		nvfifo_reg_name(&ref, name);
		json_open(&jw, NULL, '{');
		json_hex(&jw, "address", 6, d->regs[i].address);
		json_string(&jw, "name", name);
		json_hex(&jw, "value", 8, d->regs[i].value);
		json_open(&jw, "fields", '{');
		while (ref.reg && (f = nvfifo_reg_field(ref.reg, d->chipset, f)))
			json_number(&jw, f->name, (d->regs[i].value & nvfifo_reg_mask(f)) >> f->lo);
		json_close(&jw, '}');
		json_close(&jw, '}');
	}
	json_close(&jw, ']');
}

static void json_error(const dump_t *d, const channel_t *c)
{
	const struct nvfifo_coredump_fault *f = nvfifo_coredump_channel_fault(d, c);
	char line[400];

	nvfifo_coredump_line(d, c, line, sizeof(line));
	json_open(&jw, "error", '{');
	json_number(&jw, "kind", c->error);
	json_string(&jw, "name", error_name(c->error));
	json_hex(&jw, "code", 8, c->code);
	json_hex(&jw, "detail", 8, c->detail);
	json_number(&jw, "subchannel", c->method >> 13 & 7);
	json_hex(&jw, "method", 4, c->method & 0x1ffc);
	json_hex(&jw, "data", 8, c->data);
	json_number(&jw, "errno", c->err);
	json_explanation("explained", line, d->chipset);
	json_close(&jw, '}');
	if (!f)
		return;
	nvfifo_coredump_fault_line(d, f, line, sizeof(line));
	json_open(&jw, "fault", '{');
	json_hex(&jw, "address", 10, f->address);
	json_hex(&jw, "inst", 8, f->inst);
	json_hex(&jw, "engine", 1, f->engine);
	json_hex(&jw, "reason", 1, f->reason);
	json_string(&jw, "reason_name", nvfifo_fault_reason_name(f->reason));
	json_hex(&jw, "client", 2, f->client);
	json_hex(&jw, "slot", 2, f->slot);
	json_string(&jw, "access", f->write ? "write" : "read");
	json_explanation("explained", line, d->chipset);
	json_address("where", c, f->address);
	json_close(&jw, '}');
}

static void json_blame(const channel_t *c, const blame_t *b)
{
	if (b->ib != NVFIFO_COREDUMP_NONE)
		json_number(&jw, "failing_ib", b->ib);
	if (b->segment == NVFIFO_COREDUMP_NONE)
		return;
	json_open(&jw, is_word_error(c) ? "failing_word" : "puller_at", '{');
	json_number(&jw, "segment", b->segment);
	json_number(&jw, "word", b->word + c->segments[b->segment].skip);
	json_hex(&jw, "va", 10, b->va);
	json_hex(&jw, "value", 8, c->segments[b->segment].data[b->word]);
	json_number(&jw, "matches", b->matches);
	json_bool(&jw, "stale", b->stale);
	if (b->stale)
		json_hex(&jw, "seen", 8, b->seen);
	json_close(&jw, '}');
}

static void json_structure(const dump_t *d, const channel_t *c)
{
	__u32 i, j, value;

	json_open(&jw, "ramfc", '[');
	for (i = 0; i < NVFIFO_COREDUMP_RAMFC_WORDS * 4; i += 4) {
		if (!nvfifo_coredump_ramfc(c, i, &value))
			continue;
		json_open(&jw, NULL, '{');
		json_hex(&jw, "offset", 2, i);
		json_string(&jw, "name", nvfifo_ramfc_name(i) ? nvfifo_ramfc_name(i) : "");
		json_hex(&jw, "value", 8, value);
		json_close(&jw, '}');
	}
	json_close(&jw, ']');
	json_open(&jw, "ramht", '[');
	for (i = 0; i < c->ramht_count; i++) {
		json_open(&jw, NULL, '{');
		json_number(&jw, "slot", c->ramht[i].slot);
		json_hex(&jw, "handle", 8, c->ramht[i].handle);
		json_hex(&jw, "context", 8, c->ramht[i].context);
		json_string(&jw, "engine", nvfifo_engine_name(d->chipset, nvfifo_ramht_context_engine(
									     c->ramht[i].context)));
		json_hex(&jw, "object", 5, nvfifo_ramht_context_offset(c->ramht[i].context));
		json_close(&jw, '}');
	}
	json_close(&jw, ']');
	json_open(&jw, "objects", '[');
	for (i = 0; i < c->object_count; i++) {
		const struct nvfifo_coredump_object *o = &c->objects[i];
		struct nvfifo_row r;

		json_open(&jw, NULL, '{');
		json_hex(&jw, "offset", 5, o->offset);
		json_open(&jw, "words", '[');
		for (j = 0; j < o->count; j++)
			json_hex(&jw, NULL, 8, o->words[j]);
		json_close(&jw, ']');
		json_hex(&jw, "class", 4, o->words[0] & 0xffff);
		if (is_dma_class(o->words[0] & 0xffff) && o->count >= NVFIFO_DMAOBJ_WORDS) {
			if (dma_row(o, &r)) {
				json_row(&jw, "dma", &r, true);
			}
			nvfifo_row_free(&r);
		}
		json_close(&jw, '}');
	}
	json_close(&jw, ']');
}

struct json_listing {
	const channel_t *c;
	const blame_t *b;
	size_t current;
};

static void json_segment_end(struct json_listing *l)
{
	if (l->current == NVFIFO_COREDUMP_NONE)
		return;
	json_close(&jw, ']');
	json_close(&jw, '}');
}

static int json_word(void *ctx, size_t segment, size_t word, const struct nvfifo_word *w,
		     bool known)
{
	struct json_listing *l = ctx;
	const struct nvfifo_coredump_segment *s = &l->c->segments[segment];
	char text[NVFIFO_WORD_TEXT_MAX] = "";

	if (segment != l->current) {
		json_segment_end(l);
		l->current = segment;
		json_open(&jw, NULL, '{');
		if (s->ib)
			json_number(&jw, "ib", s->index);
		json_number(&jw, "segment", segment);
		json_hex(&jw, "va", 10, s->va);
		json_number(&jw, "words", s->words);
		json_number(&jw, "skip", s->skip);
		json_open(&jw, "data", '[');
	}
	if (known)
		nvfifo_word_text(w, nvfifo_coredump_format(l->c), text);
	json_open(&jw, NULL, '{');
	json_hex(&jw, "word", 8, w->word);
	json_string(&jw, "text", text + strspn(text, " "));
	if (segment == l->b->segment && word == l->b->word)
		json_bool(&jw, is_word_error(l->c) ? "failing" : "puller", true);
	if (segment == l->b->get_segment && word == l->b->get_word)
		json_bool(&jw, "get", true);
	json_close(&jw, '}');
	return 0;
}

static void json_pushbuffer(const dump_t *d, const channel_t *c, const blame_t *b)
{
	struct json_listing l = { .c = c, .b = b, .current = NVFIFO_COREDUMP_NONE };
	size_t i;

	if (!c->dma) {
		json_open(&jw, "ring", '{');
		json_hex(&jw, "va", 10, c->ring);
		json_number(&jw, "order", c->ring_order);
		json_open(&jw, "entries", '[');
		for (i = 0; i < c->ib_count; i++) {
			struct nvfifo_ib_entry ib = nvfifo_ib_decode(c->ibs[i].words);

			json_open(&jw, NULL, '{');
			json_number(&jw, "index", c->ibs[i].index);
			json_hex(&jw, "w0", 8, c->ibs[i].words[0]);
			json_hex(&jw, "w1", 8, c->ibs[i].words[1]);
			json_hex(&jw, "va", 10, ib.address);
			json_number(&jw, "words", ib.words);
			json_bool(&jw, "not_main", ib.not_main);
			json_bool(&jw, "no_prefetch", ib.no_prefetch);
			json_close(&jw, '}');
		}
		json_close(&jw, ']');
		json_close(&jw, '}');
	}
	json_open(&jw, "segments", '[');
	nvfifo_coredump_decode(d, c, json_word, &l);
	json_segment_end(&l);
	json_close(&jw, ']');
}

static void json_vm(const channel_t *c)
{
	size_t i;

	if (!c->has_vm)
		return;
	json_open(&jw, "vm", '{');
	json_number(&jw, "serial", c->vm);
	json_open(&jw, "mappings", '[');
	for (i = 0; i < c->mapping_count; i++)
		json_mapping(NULL, &c->mappings[i]);
	json_close(&jw, ']');
	json_open(&jw, "pdes", '[');
	for (i = 0; i < c->pde_count; i++) {
		json_open(&jw, NULL, '{');
		json_number(&jw, "index", c->pdes[i].index);
		json_hex(&jw, "value", 16, c->pdes[i].value);
		json_close(&jw, '}');
	}
	json_close(&jw, ']');
	json_open(&jw, "ptes", '[');
	for (i = 0; i < c->pte_count; i++) {
		json_open(&jw, NULL, '{');
		json_hex(&jw, "first", 10, c->ptes[i].first);
		json_hex(&jw, "last", 10, c->ptes[i].last);
		json_hex(&jw, "value", 16, c->ptes[i].value);
		json_close(&jw, '}');
	}
	json_close(&jw, ']');
	json_close(&jw, '}');
}

static void json_channel(const dump_t *d, const channel_t *c)
{
	blame_t b;

	nvfifo_coredump_blame(d, c, &b);
	json_open(&jw, NULL, '{');
	json_number(&jw, "id", c->id);
	json_string(&jw, "state", c->dead ? "dead" : "alive");
	json_string(&jw, "mode", c->dma ? "dma" : "ib");
	json_string(&jw, "queue", c->user ? "user" : "kernel");
	json_hex(&jw, "inst", 8, c->inst);
	json_error(d, c);
	json_blame(c, &b);
	if (c->has_pos) {
		json_open(&jw, "position", '{');
		json_hex(&jw, "get", 10, c->get);
		json_hex(&jw, "put", 10, c->put);
		json_hex(&jw, "mget", 10, c->mget);
		json_hex(&jw, "state", 8, c->state);
		json_number(&jw, "ib_get", c->ib_get);
		json_number(&jw, "ib_put", c->ib_put);
		json_hex(&jw, "ref", 8, c->ref);
		json_close(&jw, '}');
	}
	json_structure(d, c);
	json_pushbuffer(d, c, &b);
	json_vm(c);
	json_close(&jw, '}');
}

static void print_json(const dump_t *d)
{
	const char *name = nvfifo_chipset_name(d->chipset);
	size_t i, n = d->problem_count;

	json_open(&jw, NULL, '{');
	json_number(&jw, "version", d->version);
	json_string(&jw, "card", d->card);
	json_string(&jw, "chipset", name ? name : "");
	json_hex(&jw, "chipset_id", 2, d->chipset);
	json_hex(&jw, "boot_0", 8, d->boot_0);
	json_number(&jw, "vram", d->vram);
	json_string(&jw, "kernel", d->kernel);
	json_string(&jw, "machine", d->machine);
	json_string(&jw, "wedged", d->wedged);
	if (d->has_counters) {
		json_number(&jw, "timeouts", d->timeouts);
		json_number(&jw, "errors", d->errors);
		json_number(&jw, "submits", d->submits);
		json_number(&jw, "vram_free", d->vram_free);
	}
	json_bool(&jw, "complete", d->complete);
	json_bool(&jw, "cut", d->cut);
	json_number(&jw, "unknown_lines", d->unknown);
	json_number(&jw, "wrong_lines", d->problem_count);
	json_open(&jw, "problems", '[');
	for (i = 0; i < n && i < NVFIFO_COREDUMP_PROBLEMS; i++) {
		json_open(&jw, NULL, '{');
		json_number(&jw, "line", d->problems[i].line);
		json_number(&jw, "column", d->problems[i].column);
		json_string(&jw, "text", d->problems[i].text);
		json_close(&jw, '}');
	}
	json_close(&jw, ']');
	json_regs(d);
	json_open(&jw, "channels", '[');
	for (i = 0; i < d->channel_count; i++)
		json_channel(d, &d->channels[i]);
	json_close(&jw, ']');
	json_open(&jw, "buffers", '[');
	for (i = 0; i < d->bo_count; i++) {
		json_open(&jw, NULL, '{');
		json_string(&jw, "domain", d->bos[i].vram ? "vram" : "system");
		json_number(&jw, "bytes", d->bos[i].bytes);
		json_string(&jw, "flags", d->bos[i].flags);
		json_number(&jw, "tags", d->bos[i].tags);
		json_string(&jw, "label", d->bos[i].label);
		json_close(&jw, '}');
	}
	json_close(&jw, ']');
	json_close(&jw, '}');
	putchar('\n');
}

/* --- Finding a dump ------------------------------------------------------ */

static int is_devcd(const struct dirent *e)
{
	return !strncmp(e->d_name, "devcd", 5);
}

/* The name that a link leads to, or "". */
static void link_name(const char *path, char *name, size_t size)
{
	char target[PATH_MAX], *base;
	char *real = realpath(path, target);

	base = real ? strrchr(real, '/') : NULL;
	snprintf(name, size, "%s", base ? base + 1 : "");
}

/* Whether the device that the dump is about is a card of the driver, and the one asked for. */
static bool devcd_is(const struct options *o, const char *entry)
{
	const char *node = o->device ? strstr(o->device, "renderD") : NULL;
	char path[PATH_MAX], driver[64], card[64], want[64];

	snprintf(path, sizeof(path), "%s/class/devcoredump/%s/failing_device/driver", o->sysfs,
		 entry);
	link_name(path, driver, sizeof(driver));
	if (strcmp(driver, "nvfifo"))
		return false;
	if (!o->device)
		return true;
	snprintf(path, sizeof(path), "%s/class/devcoredump/%s/failing_device", o->sysfs, entry);
	link_name(path, card, sizeof(card));
	snprintf(want, sizeof(want), "%s", o->device);
	if (node) {
		snprintf(path, sizeof(path), "%s/class/drm/%s/device", o->sysfs, node);
		link_name(path, want, sizeof(want));
	}
	return *want && pci_is(card, strlen(card), want);
}

static bool find_devcd(const struct options *o, char *path, size_t size)
{
	struct dirent **list;
	unsigned long best = 0;
	bool found = false;
	int i, n;

	snprintf(path, size, "%s/class/devcoredump", o->sysfs);
	n = scandir(path, &list, is_devcd, alphasort);
	for (i = 0; i < n; i++) {
		unsigned long number = strtoul(list[i]->d_name + 5, NULL, 10);

		/* They are numbered as they come. */
		if ((!found || number > best) && devcd_is(o, list[i]->d_name)) {
			snprintf(path, size, "%s/class/devcoredump/%s/data", o->sysfs,
				 list[i]->d_name);
			best = number;
			found = true;
		}
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	return found;
}

/* Return: 0, or an exit code after a message. */
static int find_dump(const struct options *o, char *path, size_t size)
{
	int ret;

	if (find_devcd(o, path, size)) {
		fprintf(stderr, "nvfifo: reading %s, what the last error left\n", path);
		return EXIT_OK;
	}
	ret = debugfs_find(o->debugfs, o->device, "nvfifo_dump", path, size);
	if (!ret)
		fprintf(stderr, "nvfifo: there is no device coredump; reading %s, the state now\n",
			path);
	else
		fputs("nvfifo: there is no device coredump either; give a FILE\n", stderr);
	return ret;
}

/* --- The subcommand ------------------------------------------------------ */

/* The channel that died, else the first one. */
static int print_program(const struct nvfifo_coredump *d)
{
	const struct nvfifo_coredump_channel *c = d->channels;
	size_t i;

	for (i = 0; i < d->channel_count && !c->error; i++) {
		if (d->channels[i].error)
			c = &d->channels[i];
	}
	if (!d->channel_count) {
		fputs("nvfifo: the dump has no channel\n", stderr);
		return EXIT_USAGE;
	}
	return dump_program(d, c) ? EXIT_USAGE : EXIT_OK;
}

/* Return: an exit code. */
static int show(const struct options *o, const char *name, const char *data, size_t len)
{
	struct nvfifo_coredump d;
	size_t i;
	int ret = nvfifo_coredump_read(data, len, &d);

	if (ret) {
		fprintf(stderr, "nvfifo: %s: %s\n", name, nvfifo_last_error());
		return EXIT_USAGE;
	}
	if (o->program) {
		ret = print_program(&d);
		nvfifo_coredump_free(&d);
		return ret;
	}
	if (o->json)
		print_json(&d);
	else
		print_text(o, &d);
	fflush(stdout);
	for (i = 0; i < d.problem_count && i < NVFIFO_COREDUMP_PROBLEMS; i++)
		fprintf(stderr, "%s:%u:%u: %s\n", name, d.problems[i].line, d.problems[i].column,
			d.problems[i].text);
	if (i < d.problem_count)
		fprintf(stderr, "%s: %zu more lines are wrong\n", name, d.problem_count - i);
	ret = d.problem_count || d.cut || !d.complete ? EXIT_DIFFERENT : EXIT_OK;
	nvfifo_coredump_free(&d);
	return ret;
}

static int run(int argc, char **argv)
{
	struct options o = {
		.sysfs = "/sys",
		.debugfs = "/sys/kernel/debug",
		.segment = EVERY_SEGMENT,
	};
	const struct option_row rows[] = {
		OPTION_TEXT("device", 'd', &o.device),
		OPTION_TEXT("sysfs", 0, &o.sysfs),
		OPTION_TEXT("debugfs", 0, &o.debugfs),
		OPTION_FLAG("json", 0, &o.json),
		OPTION_FLAG("summary", 0, &o.summary),
		OPTION_FLAG("program", 0, &o.program),
		OPTION_NUMBER("segment", 0, &o.segment, 0, 0x7fffffff, ""),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	const char *name = NULL;
	char path[PATH_MAX];
	char *data;
	size_t len;
	int ret = take_options(&cmd_dump, rows, 1, argc, argv);

	if (ret != OPTIONS_TAKEN)
		return ret;
	jw.f = stdout;
	if (optind < argc) {
		name = input_name(argv[optind]);
		ret = read_input(argv[optind], &data, &len);
	} else {
		ret = find_dump(&o, path, sizeof(path));
		name = path;
		if (!ret)
			ret = read_input(path, &data, &len) ? EXIT_DEVICE : EXIT_OK;
	}
	if (ret)
		return ret;
	ret = show(&o, name, data, len);
	free(data);
	return ret;
}

const struct subcommand cmd_dump = {
	.name = "dump",
	.summary = "the driver's dump of a dead channel, in words",
	.help = help,
	.run = run,
};
