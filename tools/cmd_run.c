// SPDX-License-Identifier: MIT
/*
 * "nvfifo run": do what a text program says and compare.
 *
 * What is printed, in this order: the card, buffers, objects, each pushbuffer
 * disassembled, each step as it happens, memory before and after, the channels,
 * the fences, and one line with the verdict.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nvfifo_names.h"
#include "nvfifo_prog.h"
#include "nvfifo_record.h"
#include "png.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo run [OPTIONS] FILE.nvp\n\n"
	"Run a text program on the card: make its buffers, channels and objects, submit its\n"
	"pushbuffers, and compare memory with what the program expects. The format is\n"
	"described in examples/README.md.\n\n"
	"Options:\n"
	"  -d, --device D    /dev/dri/renderD128, or a PCI address such as 0000:01:00.0;\n"
	"                    the first card of the nvfifo driver if not given\n"
	"  -t, --timeout MS  how long a wait may take, 1 to 600000, default 5000\n"
	"  -i, --images DIR  write the program's images there, as NAME.png\n"
	"  -q, --quiet       print no pushbuffers, memory, channels and fences\n"
	"  -n, --dry-run     read the program, print pushbuffers and IB entries, use no card\n"
	"  --json            one object of JSON: verdict, differences with their lines, and what is\n"
	"                    else printed, line by line\n"
	"  --color WHEN      auto (default), always, never\n\n"
	"The last line is PASS, FAIL or SKIP (the card lacks what the program requires) and\n"
	"the program's name.\n\n"
	"Exit codes: 0 passed or skipped, 1 something differed or a channel died unexpectedly,\n"
	"2 wrong option or an error in the program, 3 no card, or it refused a call.\n\n"
	"Examples:\n"
	"  nvfifo run examples/01-refcnt-semaphore.nvp\n"
	"  nvfifo run --dry-run examples/02-semaphore-pair.nvp\n"
	"  nvfifo run --images /tmp examples/08-drawing.nvp\n"
	"  nvfifo run --timeout 60000 --device 01:00.0 my.nvp\n";

#define MS 1000000LL
#define POLL_STEP_NS MS
/* Longer stretches of memory that did not change are shortened. */
#define UNCHANGED_SHOWN 4

struct fence {
	__u32 syncobj;
	unsigned int channel;
	bool submitted;
	bool waited;
	__u64 seqno;
};

/* A stretch of memory that is shown before and after. */
struct range {
	unsigned int buffer;
	__u64 offset;
	__u64 words;
	__u32 *before;
};

struct run {
	const char *name;	/* of the program, for the verdict */
	const struct nvfifo_prog *prog;
	const char *images;	/* directory for them, or NULL */
	bool quiet;
	__s64 timeout_ns;
	struct nvfifo_dev *dev;	/* NULL in a dry run */
	__u32 chipset;
	__u64 va_end;		/* the driver keeps rings and its own entries above */
	__u32 vm;
	struct nvfifo_bo *bos;
	__u32 *channels;
	bool *may_die;		/* per channel: the program expects it to be dead */
	struct fence *fences;
	struct range *ranges;
	size_t range_count;
	unsigned int failures;
};

/* --- Small helpers ------------------------------------------------------- */

static const char *place_text(const struct run *r, unsigned int buffer, __u64 offset, char *buf,
			      size_t len)
{
	snprintf(buf, len, "%s+0x%04llx", r->prog->buffers[buffer].name,
		 (unsigned long long)offset);
	return buf;
}

static volatile __u32 *word_at(const struct run *r, unsigned int buffer, __u64 offset)
{
	return (volatile __u32 *)((char *)r->bos[buffer].map + offset);
}

static void head(const char *text)
{
	printf("%s%s%s\n", color(COLOR_HEAD), text, color(COLOR_OFF));
}

__attribute__((format(printf, 3, 4))) static void fail(struct run *r, unsigned int line,
						       const char *fmt, ...)
{
	va_list args;

	r->failures++;
	printf("  %sDIFFERENT%s  line %u: ", color(COLOR_BAD), color(COLOR_OFF), line);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

__attribute__((format(printf, 1, 2))) static void good(const char *fmt, ...)
{
	va_list args;

	printf("  %sok%s         ", color(COLOR_GOOD), color(COLOR_OFF));
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static __s64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (__s64)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void sleep_ns(__s64 ns)
{
	struct timespec ts = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	nanosleep(&ts, NULL);
}

/* --- What the program is ------------------------------------------------- */

static void print_mapping(const struct nvfifo_prog_buffer *b)
{
	static const struct {
		__u32 flag;
		const char *text;
	} flags[] = {
		{ DRM_NVFIFO_VM_BIND_READ_ONLY, "read only" },
		{ DRM_NVFIFO_VM_BIND_SUPERVISOR, "supervisor" },
		{ DRM_NVFIFO_VM_BIND_NOSNOOP, "not snooped" },
		{ DRM_NVFIFO_VM_BIND_LONG_CYCLE, "long cycle" },
		{ DRM_NVFIFO_VM_BIND_ENCRYPTED, "encrypted" },
	};
	size_t i;

	printf("at 0x%010llx", (unsigned long long)b->va);
	for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (b->flags & flags[i].flag)
			printf(", %s", flags[i].text);
	}
	if (b->kind)
		printf(", kind 0x%02x", b->kind);
	if (b->compression)
		printf(", %s compression",
		       b->compression == DRM_NVFIFO_COMPRESSION_SINGLE ? "single" : "double");
	if (b->page_shift)
		printf(", pages of %u KiB", 1u << (b->page_shift - 10));
	putchar('\n');
}

static void print_buffers(const struct run *r)
{
	size_t i;

	head("buffers");
	for (i = 0; i < r->prog->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &r->prog->buffers[i];

		printf("  %-12s 0x%llx bytes of %s%s, ", b->name, (unsigned long long)b->size,
		       b->domain == DRM_NVFIFO_DOMAIN_VRAM ? "VRAM" : "system memory",
		       b->bo_flags & DRM_NVFIFO_BO_CONTIGUOUS ? " in one piece" :
		       b->bo_flags & DRM_NVFIFO_BO_WC	      ? ", write-combined" :
								"");
		if (b->mapping == NVFIFO_PROG_MAP_NONE)
			puts("not mapped");
		else
			print_mapping(b);
	}
}

static void print_objects(const struct run *r)
{
	size_t i;

	if (!r->prog->object_count)
		return;
	head("objects");
	for (i = 0; i < r->prog->object_count; i++) {
		const struct nvfifo_prog_object *o = &r->prog->objects[i];
		__u32 oclass = nvfifo_prog_class(o, r->chipset);
		const char *name = nvfifo_class_name(oclass);

		printf("  0x%08x   %s, %s", o->handle,
		       o->channel < 0 ? "every channel" : r->prog->channels[o->channel].name,
		       name ? name : "class");
		if (o->engine)
			printf(" 0x%04x\n", oclass);
		else
			printf(", addresses 0x%010llx to 0x%010llx%s%s\n",
			       (unsigned long long)o->start,
			       (unsigned long long)(o->start + o->size - 1),
			       o->access == DRM_NVFIFO_ACCESS_RO ? ", read only" : "",
			       o->flags & DRM_NVFIFO_OBJECT_SUPERVISOR ? ", supervisor" : "");
	}
}

static __u64 push_address(const struct run *r, const struct nvfifo_prog_push *push)
{
	return r->prog->buffers[push->buffer].va + push->offset;
}

static void list_push(const struct run *r, const struct nvfifo_prog_push *push,
		      struct nvfifo_decoder *d, bool print)
{
	__u64 address = push_address(r, push);
	char line[2 * NVFIFO_WORD_TEXT_MAX];
	struct nvfifo_word w;
	size_t i;

	if (print)
		printf("%spushbuffer %s%s, %zu word%s\n", color(COLOR_HEAD), push->name,
		       color(COLOR_OFF), push->words.count, push->words.count == 1 ? "" : "s");
	for (i = 0; i < push->words.count; i++) {
		bool bad;

		nvfifo_decode(d, push->words.data[i], &w);
		if (!print)
			continue;
		bad = w.kind == NVFIFO_WORD_INVALID || w.refused;
		nvfifo_listing_line(&w, d->format, address + i * 4, line);
		printf("  %s%s%s\n", bad ? color(COLOR_BAD) : "", line,
		       bad ? color(COLOR_OFF) : "");
	}
}

static void init_decoder(const struct run *r, size_t channel, struct nvfifo_decoder *d)
{
	size_t i;

	nvfifo_decoder_init(d, NVFIFO_FORMAT_NV04, r->chipset);
	for (i = 0; i < r->prog->object_count; i++) {
		const struct nvfifo_prog_object *o = &r->prog->objects[i];

		if (o->channel < 0 || (size_t)o->channel == channel)
			nvfifo_decoder_handle(d, o->handle, nvfifo_prog_class(o, r->chipset));
	}
}

/* In the order of submission, as a command may reach from one into the next. */
static int list_pushes(const struct run *r)
{
	const struct nvfifo_prog *p = r->prog;
	struct nvfifo_decoder *decoders = calloc(p->channel_count + 1, sizeof(*decoders));
	bool *seen = calloc(p->push_count + 1, sizeof(*seen));
	size_t i, j;

	if (!decoders || !seen) {
		free(decoders);
		free(seen);
		fputs("nvfifo: out of memory\n", stderr);
		return EXIT_DEVICE;
	}
	for (i = 0; i <= p->channel_count; i++)
		init_decoder(r, i, &decoders[i]);
	for (i = 0; i < p->step_count; i++) {
		const struct nvfifo_prog_step *s = &p->steps[i];

		if (s->type != NVFIFO_STEP_SUBMIT)
			continue;
		for (j = s->first; j < s->first + s->count; j++) {
			unsigned int push = p->entries[j].push;

			list_push(r, &p->pushes[push], &decoders[s->channel], !seen[push]);
			seen[push] = true;
		}
	}
	for (i = 0; i < p->push_count; i++) {
		if (seen[i])
			continue;
		init_decoder(r, p->channel_count, &decoders[p->channel_count]);
		list_push(r, &p->pushes[i], &decoders[p->channel_count], true);
	}
	free(decoders);
	free(seen);
	return EXIT_OK;
}

/* --- Memory before and after --------------------------------------------- */

static int compare_ranges(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->buffer != y->buffer)
		return x->buffer < y->buffer ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void add_range(struct run *r, unsigned int buffer, __u64 offset, __u64 words)
{
	r->ranges[r->range_count].buffer = buffer;
	r->ranges[r->range_count].offset = offset;
	r->ranges[r->range_count++].words = words;
}

static int collect_ranges(struct run *r)
{
	const struct nvfifo_prog *p = r->prog;
	size_t i, last = 0;

	r->ranges = calloc(p->step_count * 2 + 1, sizeof(*r->ranges));
	if (!r->ranges)
		return -ENOMEM;
	for (i = 0; i < p->step_count; i++) {
		const struct nvfifo_prog_step *s = &p->steps[i];

		if (s->type == NVFIFO_STEP_EXPECT || s->type == NVFIFO_STEP_POLL ||
		    s->type == NVFIFO_STEP_SHOW)
			add_range(r, s->buffer, s->offset, s->count);
		if (s->type == NVFIFO_STEP_ORDER) {
			add_range(r, s->buffer, s->offset, 2);
			add_range(r, s->buffer2, s->offset2, 2);
		}
	}
	if (!r->range_count)
		return 0;
	qsort(r->ranges, r->range_count, sizeof(*r->ranges), compare_ranges);
	for (i = 1; i < r->range_count; i++) {
		struct range *a = &r->ranges[last], *b = &r->ranges[i];
		__u64 end = a->offset + a->words * 4;

		if (b->buffer == a->buffer && b->offset <= end) {
			if (b->offset + b->words * 4 > end)
				a->words = (b->offset - a->offset) / 4 + b->words;
		} else {
			r->ranges[++last] = *b;
		}
	}
	r->range_count = last + 1;
	return 0;
}

static int read_before(struct run *r)
{
	__u64 w;
	size_t i;

	for (i = 0; i < r->range_count; i++) {
		struct range *g = &r->ranges[i];

		g->before = calloc(g->words, sizeof(*g->before));
		if (!g->before)
			return -ENOMEM;
		for (w = 0; w < g->words; w++)
			g->before[w] = *word_at(r, g->buffer, g->offset + w * 4);
	}
	return 0;
}

static void print_memory(const struct run *r)
{
	char place[64];
	__u64 w;
	size_t i;

	if (!r->range_count)
		return;
	printf("%s%-22s before      after%s\n", color(COLOR_HEAD), "memory", color(COLOR_OFF));
	for (i = 0; i < r->range_count; i++) {
		const struct range *g = &r->ranges[i];
		__u64 same = 0;

		for (w = 0; w < g->words; w++) {
			__u32 after = *word_at(r, g->buffer, g->offset + w * 4);
			bool changed = after != g->before[w];

			same = changed ? 0 : same + 1;
			if (same > UNCHANGED_SHOWN && w + 1 < g->words) {
				if (same == UNCHANGED_SHOWN + 1)
					puts("  ...");
				continue;
			}
			printf("  %-20s %08x %s %s%08x%s\n",
			       place_text(r, g->buffer, g->offset + w * 4, place, sizeof(place)),
			       g->before[w], changed ? "->" : "  ",
			       changed ? color(COLOR_HEAD) : "", after,
			       changed ? color(COLOR_OFF) : "");
		}
	}
}

/* --- Setting up ---------------------------------------------------------- */

static bool needs_map(const struct run *r, size_t buffer)
{
	const struct nvfifo_prog *p = r->prog;
	size_t i;

	for (i = 0; i < p->fill_count; i++) {
		if (p->fills[i].buffer == buffer)
			return true;
	}
	for (i = 0; i < p->push_count; i++) {
		if (p->pushes[i].buffer == buffer)
			return true;
	}
	for (i = 0; i < r->range_count; i++) {
		if (r->ranges[i].buffer == buffer)
			return true;
	}
	for (i = 0; i < p->step_count; i++) {
		const struct nvfifo_prog_step *s = &p->steps[i];

		if ((s->type == NVFIFO_STEP_SAME || s->type == NVFIFO_STEP_CRC ||
		     s->type == NVFIFO_STEP_IMAGE) &&
		    (s->buffer == buffer ||
		     (s->type == NVFIFO_STEP_SAME && s->buffer2 == buffer)))
			return true;
	}
	return false;
}

static int map_buffer(const struct run *r, const struct nvfifo_prog_buffer *b,
		      const struct nvfifo_bo *bo)
{
	struct drm_nvfifo_vm_bind_op op = {
		.op = DRM_NVFIFO_VM_BIND_OP_MAP,
		.flags = b->flags,
		.bo_handle = bo->handle,
		.page_shift = b->page_shift,
		.va = b->va,
		.range = bo->size,
		.kind = b->kind,
		.compression = b->compression,
	};

	return nvfifo_vm_bind(r->dev, r->vm, &op, 1);
}

static int make_buffers(struct run *r)
{
	size_t i;
	int ret;

	for (i = 0; i < r->prog->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &r->prog->buffers[i];
		struct nvfifo_bo *bo = &r->bos[i];

		ret = nvfifo_bo_create(r->dev, b->size, b->domain, b->bo_flags, bo);
		if (!ret)
			ret = nvfifo_bo_label(r->dev, bo, b->name);
		if (!ret && needs_map(r, i)) {
			ret = nvfifo_bo_map(r->dev, bo);
			if (ret && b->domain == DRM_NVFIFO_DOMAIN_VRAM)
				fprintf(stderr,
					"nvfifo: the CPU must reach the VRAM buffer %s; a program that does this says 'requires vram_mmap'\n",
					b->name);
		}
		if (!ret && b->mapping != NVFIFO_PROG_MAP_NONE)
			ret = map_buffer(r, b, bo);
		if (ret)
			return ret;
	}
	return 0;
}

static void write_words(const struct run *r, unsigned int buffer, __u64 offset, const __u32 *words,
			size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		*word_at(r, buffer, offset + i * 4) = words[i];
}

static void fill_buffers(const struct run *r)
{
	const struct nvfifo_prog *p = r->prog;
	size_t i;

	for (i = 0; i < p->fill_count; i++)
		write_words(r, p->fills[i].buffer, p->fills[i].offset,
			    p->words.data + p->fills[i].first, p->fills[i].count);
	for (i = 0; i < p->push_count; i++)
		write_words(r, p->pushes[i].buffer, p->pushes[i].offset, p->pushes[i].words.data,
			    p->pushes[i].words.count);
}

static int make_objects(const struct run *r, size_t channel)
{
	size_t i;
	int ret;

	for (i = 0; i < r->prog->object_count; i++) {
		const struct nvfifo_prog_object *o = &r->prog->objects[i];
		struct drm_nvfifo_object_create c = {
			.channel_id = r->channels[channel],
			.handle = o->handle,
			.type = o->engine ? DRM_NVFIFO_OBJECT_ENGINE : DRM_NVFIFO_OBJECT_DMA,
			.oclass = nvfifo_prog_class(o, r->chipset),
			.access = o->access,
			.flags = o->flags,
			.start = o->start,
			.size = o->size,
		};

		if (o->channel >= 0 && (size_t)o->channel != channel)
			continue;
		ret = nvfifo_object_create(r->dev, &c);
		if (ret)
			return ret;
	}
	return 0;
}

static int set_up(struct run *r)
{
	const struct nvfifo_prog *p = r->prog;
	size_t i;
	int ret = nvfifo_vm_create(r->dev, &r->vm);

	if (!ret)
		ret = make_buffers(r);
	if (ret)
		return ret;
	fill_buffers(r);
	for (i = 0; i < p->channel_count; i++) {
		ret = nvfifo_channel_create(r->dev, r->vm, p->channels[i].ring_order,
					    &r->channels[i]);
		if (!ret)
			ret = make_objects(r, i);
		if (ret)
			return ret;
	}
	for (i = 0; i < p->fence_count; i++) {
		ret = nvfifo_syncobj_create(r->dev, &r->fences[i].syncobj);
		if (ret)
			return ret;
	}
	return 0;
}

/* Ids are never 0, so 0 means that it was not made. */
static void tear_down(struct run *r)
{
	const struct nvfifo_prog *p = r->prog;
	size_t i;

	for (i = 0; i < p->channel_count; i++) {
		if (r->channels[i])
			nvfifo_channel_destroy(r->dev, r->channels[i]);
	}
	for (i = 0; i < p->fence_count; i++) {
		if (r->fences[i].syncobj)
			nvfifo_syncobj_destroy(r->dev, r->fences[i].syncobj);
	}
	if (r->vm)
		nvfifo_vm_destroy(r->dev, r->vm);
	for (i = 0; i < p->buffer_count; i++) {
		if (r->bos[i].handle)
			nvfifo_bo_close(r->dev, &r->bos[i]);
	}
}

/* --- Channels and fences ------------------------------------------------- */

/* The first bit of PGRAPH.INTR that is not a mere message, and what the detail says about it. */
static void print_graph_error(__u32 intr, __u32 detail)
{
	const struct nvfifo_name *n = nvfifo_pgraph_intr_bits, *error, *unit;

	while (n->name && !(intr & n->value & ~3u))
		n++;
	printf("PGRAPH %s", n->name ? n->name : "error");
	if (intr & 1u << 20) {
		error = nvfifo_name_find(nvfifo_data_errors, detail);
		printf(" 0x%x%s%s", detail, error ? ", " : "", error ? error->name : "");
	}
	for (unit = nvfifo_trap_bits; intr & 1u << 21 && unit->name; unit++) {
		if (detail & unit->value)
			printf(" of %s", unit->name);
	}
	printf(": ");
}

static void print_error(const struct drm_nvfifo_channel_query *q)
{
	__u32 subc = q->error_method >> 13 & 7, mthd = q->error_method & 0x1ffc;
	const char *name = nvfifo_method_name(0, mthd);
	char method[64];

	snprintf(method, sizeof(method), "subchannel %u, method 0x%04x%s%s, data 0x%08x", subc,
		 mthd, name ? " " : "", name ? name : "", q->error_data);
	switch (q->error) {
	case DRM_NVFIFO_ERROR_PUSHER:
		printf("DMA_PUSHER error %u, %s", q->error_code,
		       nvfifo_pusher_error_name(q->error_code));
		if (q->error_code == 2)
			printf(": %s", method);
		else
			printf(": command word 0x%08x", q->error_data);
		break;
	case DRM_NVFIFO_ERROR_CACHE:
		printf("CACHE_ERROR, PULL0 0x%08x, %s: %s", q->error_code,
		       nvfifo_cache_error_name(q->error_code), method);
		break;
	case DRM_NVFIFO_ERROR_SEMAPHORE:
		printf("SEMAPHORE error %u, %s: %s", q->error_code,
		       nvfifo_semaphore_error_name(q->error_code), method);
		break;
	case DRM_NVFIFO_ERROR_GRAPH:
		print_graph_error(q->error_code, q->error_detail);
		printf("%s", method);
		break;
	case DRM_NVFIFO_ERROR_TIMEOUT:
		printf("the work did not end in time");
		break;
	case DRM_NVFIFO_ERROR_LOST:
		printf("the card is gone");
		break;
	default:
		printf("unknown error %u", q->error);
	}
	putchar('\n');
}

static void print_fault(const struct run *r, const struct drm_nvfifo_channel_query *q)
{
	const struct nvfifo_prog *p = r->prog;
	size_t i;

	printf("    VM fault: %s of 0x%010llx, %s; engine %s, client %s, slot %u\n",
	       q->fault_write ? "write" : "read", (unsigned long long)q->fault_address,
	       nvfifo_fault_reason_name(q->fault_reason), nvfifo_vm_engine_name(q->fault_engine),
	       nvfifo_vm_client_name(q->fault_client), q->fault_slot);
	for (i = 0; i < p->buffer_count; i++) {
		const struct nvfifo_prog_buffer *b = &p->buffers[i];

		if (b->mapping != NVFIFO_PROG_MAP_NONE && q->fault_address >= b->va &&
		    q->fault_address - b->va < b->size)
			printf("    that is %s+0x%llx\n", b->name,
			       (unsigned long long)(q->fault_address - b->va));
	}
}

static int print_channel(const struct run *r, size_t channel)
{
	struct drm_nvfifo_channel_query q;
	int ret = nvfifo_channel_query(r->dev, r->channels[channel], &q);
	bool dead = q.state == DRM_NVFIFO_CHANNEL_DEAD;

	if (ret)
		return ret;
	printf("  %-12s PFIFO channel %u, ring of %u entries, %s%s%s\n",
	       r->prog->channels[channel].name, q.hw_id, 1u << (q.ring_order & 31),
	       dead ? color(COLOR_BAD) : "", dead ? "DEAD" : "alive", dead ? color(COLOR_OFF) : "");
	printf("    GET 0x%010llx  PUT 0x%010llx  IB_GET %u  IB_PUT %u  REF 0x%08x\n",
	       (unsigned long long)q.get, (unsigned long long)q.put, q.ib_get, q.ib_put, q.ref);
	if (q.get >= r->va_end)
		puts("    GET is in the driver's own entry, which ends each submission");
	if (q.error) {
		printf("    ");
		print_error(&q);
	}
	if (q.fault)
		print_fault(r, &q);
	return 0;
}

static int print_fence(const struct run *r, const struct fence *f, const char *name)
{
	int status = 0, ret;

	if (!f->submitted) {
		printf("  %-12s never submitted\n", name);
		return 0;
	}
	ret = nvfifo_syncobj_status(r->dev, f->syncobj, &status);
	if (ret)
		return ret;
	printf("  %-12s channel %s, seqno %llu, ", name, r->prog->channels[f->channel].name,
	       (unsigned long long)f->seqno);
	if (status < 0)
		printf("%sended with error %d, %s%s\n", color(COLOR_BAD), status, strerror(-status),
		       color(COLOR_OFF));
	else
		puts(status ? "signalled" : "not signalled");
	return 0;
}

static int print_state(const struct run *r)
{
	size_t i;
	int ret = 0;

	head("channels");
	for (i = 0; i < r->prog->channel_count && !ret; i++)
		ret = print_channel(r, i);
	if (ret || !r->prog->fence_count)
		return ret;
	head("fences");
	for (i = 0; i < r->prog->fence_count && !ret; i++)
		ret = print_fence(r, &r->fences[i], r->prog->fences[i]);
	return ret;
}

/* --- Steps --------------------------------------------------------------- */

static void print_entry(const struct run *r, size_t index, const struct nvfifo_prog_entry *e)
{
	const struct nvfifo_prog_push *push = &r->prog->pushes[e->push];
	struct nvfifo_ib_entry ib = {
		.address = push_address(r, push),
		.words = (__u32)push->words.count,
		.not_main = e->flags & DRM_NVFIFO_ENTRY_NOT_MAIN,
		.no_prefetch = e->flags & DRM_NVFIFO_ENTRY_NO_PREFETCH,
	};
	__u32 w[2];

	nvfifo_ib_encode(&ib, w);
	printf("             IB entry %zu: %08x %08x = %u word%s at 0x%010llx%s%s (%s)\n", index,
	       w[0], w[1], ib.words, ib.words == 1 ? "" : "s", (unsigned long long)ib.address,
	       ib.not_main ? ", not main" : "", ib.no_prefetch ? ", no prefetch" : "",
	       push->name);
}

static int submit(struct run *r, const struct nvfifo_prog_step *s)
{
	struct drm_nvfifo_sync syncs[NVFIFO_PROG_AFTER + 1] = { 0 };
	const struct nvfifo_prog *p = r->prog;
	struct fence *f = &r->fences[s->fence];
	struct drm_nvfifo_entry *entries;
	unsigned int n = 0;
	size_t i;
	int ret;

	entries = calloc(s->count + 1, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	for (i = 0; i < s->count; i++) {
		const struct nvfifo_prog_entry *e = &p->entries[s->first + i];

		entries[i].address = push_address(r, &p->pushes[e->push]);
		entries[i].words = (__u32)p->pushes[e->push].words.count;
		entries[i].flags = e->flags;
	}
	for (; n < s->after_count; n++) {
		syncs[n].flags = DRM_NVFIFO_SYNC_WAIT;
		syncs[n].handle = r->fences[s->after[n]].syncobj;
	}
	syncs[n].flags = DRM_NVFIFO_SYNC_SIGNAL;
	syncs[n++].handle = f->syncobj;

	ret = nvfifo_submit(r->dev, r->channels[s->channel], entries, (__u32)s->count, syncs, n,
			    &f->seqno);
	free(entries);
	if (ret == -ECANCELED && r->may_die[s->channel]) {
		good("submit to %s is refused: the channel is dead", p->channels[s->channel].name);
		return 0;
	}
	if (ret == -ECANCELED) {
		fail(r, s->line, "submit to %s is refused: the channel is dead",
		     p->channels[s->channel].name);
		return 0;
	}
	if (ret)
		return ret;
	f->channel = s->channel;
	f->submitted = true;
	good("submit to %s: seqno %llu, fence %s", p->channels[s->channel].name,
	     (unsigned long long)f->seqno, p->fences[s->fence]);
	for (i = 0; i < s->count; i++)
		print_entry(r, i, &p->entries[s->first + i]);
	return 0;
}

static int wait_fence(struct run *r, size_t index, unsigned int line)
{
	struct fence *f = &r->fences[index];
	const char *name = r->prog->fences[index];
	int ret, status = 0;

	if (!f->submitted || f->waited)
		return 0;
	f->waited = true;
	ret = nvfifo_syncobj_wait(r->dev, f->syncobj, 0, r->timeout_ns);
	if (ret == -ETIME) {
		fail(r, line, "fence %s has not signalled within %lld ms", name,
		     (long long)(r->timeout_ns / MS));
		return 0;
	}
	if (!ret)
		ret = nvfifo_syncobj_status(r->dev, f->syncobj, &status);
	if (ret)
		return ret;
	if (status >= 0)
		good("fence %s has signalled", name);
	else if (r->may_die[f->channel])
		good("fence %s ended with error %d, %s", name, status, strerror(-status));
	else
		fail(r, line, "fence %s ended with error %d, %s", name, status, strerror(-status));
	return 0;
}

static int wait_fences(struct run *r, int index, unsigned int line)
{
	size_t i;
	int ret = 0;

	if (index >= 0)
		return wait_fence(r, (size_t)index, line);
	for (i = 0; i < r->prog->fence_count && !ret; i++)
		ret = wait_fence(r, i, line);
	return ret;
}

static int pending(struct run *r, const struct nvfifo_prog_step *s)
{
	struct fence *f = &r->fences[s->fence];
	const char *name = r->prog->fences[s->fence];
	int ret;

	if (!f->submitted) {
		fail(r, s->line, "fence %s was not submitted", name);
		return 0;
	}
	ret = nvfifo_syncobj_wait(r->dev, f->syncobj, 0, (__s64)s->value * MS);
	if (ret == -ETIME) {
		good("fence %s is still unsignalled after %llu ms", name,
		     (unsigned long long)s->value);
		return 0;
	}
	if (!ret)
		fail(r, s->line, "fence %s has signalled already", name);
	return ret;
}

static void poll_memory(struct run *r, const struct nvfifo_prog_step *s)
{
	__u32 want = r->prog->words.data[s->first];
	__s64 until = now_ns() + r->timeout_ns;
	volatile __u32 *p = word_at(r, s->buffer, s->offset);
	char place[64];

	place_text(r, s->buffer, s->offset, place, sizeof(place));
	while (*p != want) {
		if (now_ns() >= until) {
			fail(r, s->line, "%s does not become 0x%08x within %lld ms, it is 0x%08x",
			     place, want, (long long)(r->timeout_ns / MS), *p);
			return;
		}
		sleep_ns(POLL_STEP_NS);
	}
	good("%s has become 0x%08x", place, want);
}

static void expect_memory(struct run *r, const struct nvfifo_prog_step *s)
{
	unsigned int wrong = 0;
	char place[64];
	size_t i;

	for (i = 0; i < s->count; i++) {
		__u64 offset = s->offset + i * 4;
		__u32 want = r->prog->words.data[s->first + i];
		__u32 have = *word_at(r, s->buffer, offset);

		if (have == want)
			continue;
		if (wrong++ < 16)
			fail(r, s->line, "%s is 0x%08x, expected 0x%08x",
			     place_text(r, s->buffer, offset, place, sizeof(place)), have, want);
		else
			r->failures++;
	}
	if (wrong > 16)
		printf("             and %u more words differ\n", wrong - 16);
	place_text(r, s->buffer, s->offset, place, sizeof(place));
	if (!wrong && s->count == 1)
		good("%s is 0x%08x", place, r->prog->words.data[s->first]);
	else if (!wrong)
		good("%s and what follows are as expected, %zu words", place, s->count);
}

static __u64 time_at(const struct run *r, unsigned int buffer, __u64 offset)
{
	return *word_at(r, buffer, offset) | (__u64)*word_at(r, buffer, offset + 4) << 32;
}

static void expect_order(struct run *r, const struct nvfifo_prog_step *s)
{
	__u64 a = time_at(r, s->buffer, s->offset), b = time_at(r, s->buffer2, s->offset2);
	char first[64], second[64];

	place_text(r, s->buffer, s->offset, first, sizeof(first));
	place_text(r, s->buffer2, s->offset2, second, sizeof(second));
	if (a <= b)
		good("the time at %s is not after the one at %s", first, second);
	else
		fail(r, s->line, "the time at %s, %llu, is after the one at %s, %llu", first,
		     (unsigned long long)a, second, (unsigned long long)b);
}

static int expect_ref(struct run *r, const struct nvfifo_prog_step *s)
{
	const char *name = r->prog->channels[s->channel].name;
	struct drm_nvfifo_channel_query q;
	int ret = nvfifo_channel_query(r->dev, r->channels[s->channel], &q);

	if (ret)
		return ret;
	if (q.ref == s->value)
		good("REF of %s is 0x%08x", name, q.ref);
	else
		fail(r, s->line, "REF of %s is 0x%08x, expected 0x%08llx", name, q.ref,
		     (unsigned long long)s->value);
	return 0;
}

static int expect_dead(struct run *r, const struct nvfifo_prog_step *s)
{
	const char *name = r->prog->channels[s->channel].name;
	struct drm_nvfifo_channel_query q;
	int ret = nvfifo_channel_query(r->dev, r->channels[s->channel], &q);

	if (ret)
		return ret;
	if (q.state != DRM_NVFIFO_CHANNEL_DEAD)
		fail(r, s->line, "channel %s is alive, expected it to be dead", name);
	else if (s->error && q.error != s->error)
		fail(r, s->line, "channel %s died of error %u, expected %u", name, q.error,
		     s->error);
	else if (s->has_code && q.error_code != s->value)
		fail(r, s->line, "channel %s died with code 0x%x, expected 0x%llx", name,
		     q.error_code, (unsigned long long)s->value);
	else if (s->has_detail && q.error_detail != s->detail)
		fail(r, s->line, "channel %s died with detail 0x%x, expected 0x%x", name,
		     q.error_detail, s->detail);
	else
		good("channel %s is dead, as expected", name);
	return 0;
}

/* Copied first, as the card's memory may be slow to read byte by byte, or only in words. */
static __u32 *copy_words(const struct run *r, unsigned int buffer, __u64 offset, size_t bytes)
{
	size_t words = (bytes + 3) / 4, i;
	__u32 *copy = calloc(words, sizeof(*copy));

	for (i = 0; copy && i < words; i++)
		copy[i] = *word_at(r, buffer, offset + i * 4);
	return copy;
}

static int expect_same(struct run *r, const struct nvfifo_prog_step *s)
{
	__u32 *a = copy_words(r, s->buffer, s->offset, s->count);
	__u32 *b = copy_words(r, s->buffer2, s->offset2, s->count);
	const char *x = (const char *)a, *y = (const char *)b;
	char first[64], second[64];
	size_t i = 0;

	if (a && b) {
		while (i < s->count && x[i] == y[i])
			i++;
		place_text(r, s->buffer, s->offset, first, sizeof(first));
		place_text(r, s->buffer2, s->offset2, second, sizeof(second));
		if (i == s->count)
			good("%s and %s hold the same %zu bytes", first, second, s->count);
		else
			fail(r, s->line, "%s and %s differ from byte 0x%zx of 0x%zx on", first,
			     second, i, s->count);
	}
	free(a);
	free(b);
	return a && b ? 0 : -ENOMEM;
}

static int expect_crc(struct run *r, const struct nvfifo_prog_step *s)
{
	__u32 *copy = copy_words(r, s->buffer, s->offset, s->count), crc;
	char place[64];

	if (!copy)
		return -ENOMEM;
	crc = crc32_update(0, copy, s->count);
	place_text(r, s->buffer, s->offset, place, sizeof(place));
	if (crc == s->value)
		good("%zu bytes at %s have the CRC-32 0x%08x", s->count, place, crc);
	else
		fail(r, s->line, "%zu bytes at %s have the CRC-32 0x%08x, expected 0x%08llx",
		     s->count, place, crc, (unsigned long long)s->value);
	free(copy);
	return 0;
}

static void to_rgb(const unsigned char *p, enum nvfifo_prog_format format, unsigned char *rgb)
{
	unsigned int v = p[0];

	switch (format) {
	case NVFIFO_PROG_X8R8G8B8:
		rgb[0] = p[2];
		rgb[1] = p[1];
		rgb[2] = p[0];
		break;
	case NVFIFO_PROG_R5G6B5:
		v |= (unsigned int)p[1] << 8;
		rgb[0] = (unsigned char)((v >> 11) * 255 / 31);
		rgb[1] = (unsigned char)((v >> 5 & 63) * 255 / 63);
		rgb[2] = (unsigned char)((v & 31) * 255 / 31);
		break;
	case NVFIFO_PROG_R8:
		memset(rgb, (int)v, 3);
		break;
	}
}

static int write_image(struct run *r, const struct nvfifo_prog_step *s)
{
	const struct nvfifo_prog_image *im = &r->prog->images[s->first];
	size_t bytes = im->format == NVFIFO_PROG_X8R8G8B8 ? 4 : im->format == NVFIFO_PROG_R5G6B5 ? 2 : 1;
	unsigned char *rgb, *to;
	const char *from;
	__u32 *copy, x, y;
	char path[4096];
	int ret;

	if (!r->images) {
		good("image %s, %u x %u, for --images", im->name, im->width, im->height);
		return 0;
	}
	copy = copy_words(r, s->buffer, s->offset,
			  (size_t)im->pitch * (im->height - 1) + im->width * bytes);
	rgb = malloc((size_t)im->width * im->height * 3);
	if (!copy || !rgb) {
		free(copy);
		free(rgb);
		return -ENOMEM;
	}
	for (to = rgb, y = 0; y < im->height; y++) {
		from = (const char *)copy + (size_t)y * im->pitch;
		for (x = 0; x < im->width; x++, to += 3, from += bytes)
			to_rgb((const unsigned char *)from, im->format, to);
	}
	ret = snprintf(path, sizeof(path), "%s/%s.png", r->images, im->name) >= (int)sizeof(path) ?
		      -ENAMETOOLONG : 0;
	if (!ret)
		ret = png_write(path, rgb, im->width, im->height);
	if (ret)
		fail(r, s->line, "cannot write %s: %s", path, strerror(-ret));
	else
		good("image %s, %u x %u, is in %s", im->name, im->width, im->height, path);
	free(copy);
	free(rgb);
	return 0;
}

static int do_step(struct run *r, const struct nvfifo_prog_step *s)
{
	switch (s->type) {
	case NVFIFO_STEP_SUBMIT:
		return submit(r, s);
	case NVFIFO_STEP_WAIT:
		return wait_fences(r, s->fence, s->line);
	case NVFIFO_STEP_PENDING:
		return pending(r, s);
	case NVFIFO_STEP_POLL:
		poll_memory(r, s);
		return 0;
	case NVFIFO_STEP_EXPECT:
		expect_memory(r, s);
		return 0;
	case NVFIFO_STEP_ORDER:
		expect_order(r, s);
		return 0;
	case NVFIFO_STEP_REF:
		return expect_ref(r, s);
	case NVFIFO_STEP_DEAD:
		return expect_dead(r, s);
	case NVFIFO_STEP_SAME:
		return expect_same(r, s);
	case NVFIFO_STEP_CRC:
		return expect_crc(r, s);
	case NVFIFO_STEP_IMAGE:
		return write_image(r, s);
	case NVFIFO_STEP_SHOW:
		return 0;
	}
	return 0;
}

/* A channel that died although no line says so is a difference of its own. */
static int find_dead(struct run *r)
{
	size_t i;

	for (i = 0; i < r->prog->channel_count; i++) {
		struct drm_nvfifo_channel_query q;
		int ret = nvfifo_channel_query(r->dev, r->channels[i], &q);

		if (ret)
			return ret;
		if (q.state == DRM_NVFIFO_CHANNEL_DEAD && !r->may_die[i]) {
			r->failures++;
			printf("  %sDIFFERENT%s  channel %s is dead: ", color(COLOR_BAD),
			       color(COLOR_OFF), r->prog->channels[i].name);
			print_error(&q);
		}
	}
	return 0;
}

static int do_steps(struct run *r)
{
	const struct nvfifo_prog *p = r->prog;
	unsigned int last_line = p->step_count ? p->steps[p->step_count - 1].line : 1;
	size_t i;
	int ret = 0;

	head("run");
	for (i = 0; i < p->step_count && !ret; i++)
		ret = do_step(r, &p->steps[i]);
	if (!ret)
		ret = wait_fences(r, -1, last_line);
	if (!ret)
		ret = find_dead(r);
	return ret;
}

static void dry_steps(const struct run *r)
{
	const struct nvfifo_prog *p = r->prog;
	size_t i, j;

	head("submissions");
	for (i = 0; i < p->step_count; i++) {
		const struct nvfifo_prog_step *s = &p->steps[i];

		if (s->type != NVFIFO_STEP_SUBMIT)
			continue;
		printf("  line %-5u  submit to %s, fence %s\n", s->line,
		       p->channels[s->channel].name, p->fences[s->fence]);
		for (j = 0; j < s->count; j++)
			print_entry(r, j, &p->entries[s->first + j]);
	}
}

/* --- The whole ----------------------------------------------------------- */

static int allocate(struct run *r)
{
	const struct nvfifo_prog *p = r->prog;
	size_t i;

	r->bos = calloc(p->buffer_count + 1, sizeof(*r->bos));
	r->channels = calloc(p->channel_count + 1, sizeof(*r->channels));
	r->may_die = calloc(p->channel_count + 1, sizeof(*r->may_die));
	r->fences = calloc(p->fence_count + 1, sizeof(*r->fences));
	if (!r->bos || !r->channels || !r->may_die || !r->fences || collect_ranges(r))
		return -ENOMEM;
	for (i = 0; i < p->step_count; i++) {
		if (p->steps[i].type == NVFIFO_STEP_DEAD)
			r->may_die[p->steps[i].channel] = true;
	}
	return 0;
}

static void release(struct run *r)
{
	size_t i;

	for (i = 0; r->ranges && i < r->range_count; i++)
		free(r->ranges[i].before);
	free(r->ranges);
	free(r->bos);
	free(r->channels);
	free(r->may_die);
	free(r->fences);
}

static int verdict(const struct run *r)
{
	if (!r->failures) {
		printf("%sPASS%s %s\n", color(COLOR_GOOD), color(COLOR_OFF), r->name);
		return EXIT_OK;
	}
	printf("%sFAIL%s %s: %u difference%s\n", color(COLOR_BAD), color(COLOR_OFF), r->name,
	       r->failures, r->failures == 1 ? "" : "s");
	return EXIT_DIFFERENT;
}

static int on_card(struct run *r)
{
	int ret = set_up(r);

	if (!ret && read_before(r)) {
		fputs("nvfifo: out of memory\n", stderr);
		return EXIT_DEVICE;
	}
	if (!ret)
		ret = do_steps(r);
	if (!ret && !r->quiet) {
		print_memory(r);
		ret = print_state(r);
	}
	if (ret) {
		ret = device_error();
		printf("%sFAIL%s %s: a call was refused\n", color(COLOR_BAD), color(COLOR_OFF),
		       r->name);
		return ret;
	}
	return verdict(r);
}

static int missing_feature(const struct run *r, __u64 have, const char *chip)
{
	__u64 missing = r->prog->requires_features & ~have;
	const char *what = missing & DRM_NVFIFO_FEATURE_SEMAPHORE64 ? "64-bit semaphores" :
			   missing & DRM_NVFIFO_FEATURE_VRAM_MMAP   ? "VRAM that the CPU can map" :
			   missing & DRM_NVFIFO_FEATURE_MSI	    ? "an MSI" :
			   missing & DRM_NVFIFO_FEATURE_COMPRESSION ? "compression tags" :
			   missing & DRM_NVFIFO_FEATURE_ENCRYPTION  ? "encrypted pages" :
			   missing & DRM_NVFIFO_FEATURE_LONG_CYCLE  ? "long partition cycles" :
								      "stolen memory for VRAM";

	if (!missing)
		return 0;
	printf("SKIP %s: it needs %s, which this %s does not have\n", r->name, what, chip);
	return 1;
}

static int report(struct run *r)
{
	int ret;

	if (*r->prog->title)
		printf("%s%s%s\n", color(COLOR_HEAD), r->prog->title, color(COLOR_OFF));
	print_buffers(r);
	print_objects(r);
	ret = r->quiet ? EXIT_OK : list_pushes(r);
	if (ret)
		return ret;
	if (allocate(r)) {
		fputs("nvfifo: out of memory\n", stderr);
		return EXIT_DEVICE;
	}
	if (r->dev) {
		ret = on_card(r);
		tear_down(r);
	} else {
		dry_steps(r);
		printf("DRY RUN %s: nothing was submitted\n", r->name);
	}
	return ret;
}

static int read_program(const char *path, const char *text, size_t len, __u64 va_start,
			__u64 va_end, struct nvfifo_prog *prog)
{
	struct nvfifo_diag diag;
	int ret = nvfifo_prog_read(text, len, va_start, va_end, prog, &diag);

	if (ret == -EINVAL)
		fprintf(stderr, "%s:%u:%u: %s\n", path, diag.line, diag.column, diag.text);
	else if (ret)
		fprintf(stderr, "nvfifo: %s\n", nvfifo_last_error());
	return ret ? EXIT_USAGE : EXIT_OK;
}

/* The card says which addresses there are; without one they are assumed. */
static int run_on_device(struct run *r, const char *device, const char *path, const char *text,
			 size_t len)
{
	struct drm_nvfifo_query_device q;
	struct nvfifo_prog prog;
	int ret;

	if (nvfifo_open(device, &r->dev))
		return device_error();
	ret = nvfifo_query_device(r->dev, &q);
	if (ret) {
		ret = device_error();
		goto out;
	}
	printf("card %s, chipset 0x%02x, at %s%s%s\n", (const char *)q.name, q.chipset,
	       nvfifo_path(r->dev), *nvfifo_pci_address(r->dev) ? ", PCI " : "",
	       nvfifo_pci_address(r->dev));
	ret = read_program(path, text, len, q.va_start, q.va_end, &prog);
	if (ret)
		goto out;
	r->prog = &prog;
	r->chipset = q.chipset;
	r->va_end = q.va_end;
	if (!missing_feature(r, q.features, (const char *)q.name))
		ret = report(r);
	release(r);
	r->prog = NULL;
	nvfifo_prog_free(&prog);
out:
	nvfifo_close(r->dev);
	return ret;
}

/* --- JSON: what would have been printed, taken apart ---------------------- */

struct capture {
	FILE *file;
	int out;	/* the real standard output */
};

static bool capture_begin(struct capture *c)
{
	c->file = tmpfile();
	if (!c->file)
		return false;
	fflush(stdout);
	c->out = dup(STDOUT_FILENO);
	parse_color("never");
	return c->out >= 0 && dup2(fileno(c->file), STDOUT_FILENO) >= 0;
}

static void capture_end(struct capture *c, const char *name, int code)
{
	static const char *const verdicts[] = { "PASS", "SKIP", "DRY RUN", "FAIL" };
	const char *verdict = "ERROR", *between = "";
	char *line = NULL, *text;
	size_t room = 0, i;
	int pass;

	fflush(stdout);
	dup2(c->out, STDOUT_FILENO);
	close(c->out);
	printf("{\"program\":");
	nvfifo_json_write_string(stdout, name);
	for (pass = 0; pass < 2; pass++) {
		printf(",\"%s\":[", pass ? "output" : "differences");
		between = "";
		rewind(c->file);
		while (getline(&line, &room, c->file) >= 0) {
			line[strcspn(line, "\n")] = '\0';
			for (i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
				if (!strncmp(line, verdicts[i], strlen(verdicts[i])))
					verdict = verdicts[i];
			}
			text = strstr(line, "DIFFERENT  line ");
			if (!pass && !text)
				continue;
			fputs(between, stdout);
			between = ",";
			if (!pass) {
				printf("{\"line\":%lu,\"text\":", strtoul(text + 16, &text, 10));
				nvfifo_json_write_string(stdout, text + (*text == ':') + (*text && text[1] == ' '));
				putchar('}');
			} else {
				nvfifo_json_write_string(stdout, line);
			}
		}
		putchar(']');
	}
	printf(",\"verdict\":\"%s\",\"exit\":%d}\n", verdict, code);
	free(line);
	fclose(c->file);
}

/* "examples/01-first.nvp" is called "01-first". */
static char *program_name(const char *path)
{
	const char *base = strrchr(path, '/');
	char *name = strdup(base ? base + 1 : path), *dot;

	dot = name ? strrchr(name, '.') : NULL;
	if (dot && dot != name)
		*dot = '\0';
	return name;
}

static int run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", required_argument, NULL, 'd' },
		{ "timeout", required_argument, NULL, 't' },
		{ "images", required_argument, NULL, 'i' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "dry-run", no_argument, NULL, 'n' },
		{ "json", no_argument, NULL, 'j' },
		{ "color", required_argument, NULL, 'c' },
		{ 0 },
	};
	unsigned long timeout_ms = 5000;
	const char *device = NULL, *path;
	struct nvfifo_prog prog;
	struct run r = { 0 };
	bool dry = false, json = false;
	struct capture cap = { 0 };
	char *text, *name;
	size_t len;
	int opt, ret;

	while ((opt = getopt_long(argc, argv, "d:t:i:qn", options, NULL)) != -1) {
		switch (opt) {
		case 'd':
			device = optarg;
			break;
		case 't':
			if (!parse_unsigned(optarg, 600000, &timeout_ms) || !timeout_ms)
				return usage_error(&cmd_run,
						   "--timeout is 1 to 600000 ms, not '%s'", optarg);
			break;
		case 'i':
			r.images = optarg;
			break;
		case 'q':
			r.quiet = true;
			break;
		case 'n':
			dry = true;
			break;
		case 'j':
			json = true;
			break;
		case 'c':
			if (!parse_color(optarg))
				return usage_error(&cmd_run, "--color is auto, always or never");
			break;
		default:
			return bad_option(&cmd_run, argv);
		}
	}
	if (optind == argc)
		return usage_error(&cmd_run, "the program to run is missing");
	if (argc - optind > 1)
		return usage_error(&cmd_run, "unexpected argument '%s'", argv[optind + 1]);
	path = argv[optind];
	ret = read_input(path, &text, &len);
	if (ret)
		return ret;
	name = program_name(path);
	r.name = name ? name : path;
	r.timeout_ns = (__s64)timeout_ms * MS;

	if (json && !capture_begin(&cap)) {
		fprintf(stderr, "nvfifo: cannot keep the output: %s\n", strerror(errno));
		free(name);
		free(text);
		return EXIT_USAGE;
	}
	/* Errors in the text are found before a card is looked for. */
	ret = read_program(path, text, len, NVFIFO_PROG_VA_START, NVFIFO_PROG_VA_END, &prog);
	if (!ret && dry) {
		r.prog = &prog;
		ret = report(&r);
		release(&r);
	} else if (!ret) {
		ret = run_on_device(&r, device, path, text, len);
	}
	nvfifo_prog_free(&prog);
	if (json)
		capture_end(&cap, r.name, ret);
	free(name);
	free(text);
	return ret;
}

const struct subcommand cmd_run = {
	.name = "run",
	.summary = "run a text program and compare memory",
	.help = help,
	.run = run,
};
