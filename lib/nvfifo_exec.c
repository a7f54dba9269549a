// SPDX-License-Identifier: MIT
/*
 * Executor of text programs. nvfifo_exec_run() creates the objects that the program declares,
 * executes its steps in order, waits for every fence, and keeps memory, channels and fences.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvfifo_backend.h"
#include "nvfifo_crc.h"
#include "nvfifo_exec.h"
#include "nvfifo_names.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

#define MS 1000000LL
#define POLL_STEP_NS MS
/* Differences of one "expect" that are listed; all are counted. */
#define LISTED_MAX 16

struct nvfifo_exec_space {
	struct nvfifo_dev *dev;
	__u32 vm;
};

struct nvfifo_exec_channel {
	struct nvfifo_dev *dev;
	__u32 id;
	bool may_die;			/* the program expects it to be dead */
	volatile __u32 *control;	/* of a user queue */
	__u32 ib_put;
};

/* --- Small helpers ------------------------------------------------------- */

struct place {
	char text[64];
};

static struct place place(const struct nvfifo_exec *x, unsigned int buffer, __u64 offset)
{
	struct place p;

	snprintf(p.text, sizeof(p.text), "%s+0x%04llx", x->prog->buffers[buffer].name, offset);
	return p;
}

static volatile __u32 *word_at(const struct nvfifo_exec *x, unsigned int buffer, __u64 offset)
{
	return (volatile __u32 *)((char *)x->bos[buffer].map + offset);
}

static const char *channel_name(const struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	return x->prog->channels[s->channel].name;
}

/* The statement that a refused call belongs to. */
__attribute__((format(printf, 4, 5))) static int refused(struct nvfifo_exec *x, int ret,
							 unsigned int line, const char *fmt, ...)
{
	size_t used = (size_t)snprintf(x->refused, sizeof(x->refused), "line %u: ", line);
	va_list args;

	va_start(args, fmt);
	vsnprintf(x->refused + used, sizeof(x->refused) - used, fmt, args);
	va_end(args);

	return ret;
}

/* The reason for it, if the program shows one. */
static int add_reason(struct nvfifo_exec *x, int ret, const char *why)
{
	if (why)
		nvfifo_text_add(x->refused, sizeof(x->refused), ": %s", why);

	return ret;
}

/* A difference at the end belongs to no step. */
__attribute__((format(printf, 5, 6))) static void check_at(struct nvfifo_exec *x, size_t step,
							   unsigned int line, bool ok,
							   const char *fmt, ...)
{
	struct nvfifo_exec_check check = { .step = step, .line = line, .ok = ok };
	va_list args;

	va_start(args, fmt);
	vsnprintf(check.text, sizeof(check.text), fmt, args);
	va_end(args);
	x->failures += !ok;

	/* Without memory the report lacks a line, but not the count. */
	(void)NVFIFO_APPEND(x->checks, x->check_count, check);

	if (x->ops && x->ops->check)
		x->ops->check(x->ctx, &check);
}

#define check(x, s, ok, ...) check_at(x, (size_t)((s) - (x)->prog->steps), (s)->line, ok, __VA_ARGS__)
#define good(x, s, ...) check(x, s, true, __VA_ARGS__)
#define fail(x, s, ...) check(x, s, false, __VA_ARGS__)

/* --- Words about channels ------------------------------------------------ */

/* Find the first bit of PGRAPH.INTR that is an error, and decode the detail. */
static void graph_error_text(__u32 intr, __u32 detail, char *buf, size_t size)
{
	const struct nvfifo_name *n = nvfifo_pgraph_intr_bits, *error, *unit;

	while (n->name && !(intr & n->value & ~3u))
		n++;
	snprintf(buf, size, "PGRAPH %s", n->name ? n->name : "error");
	if (intr & 1u << 20) {
		error = nvfifo_name_find(nvfifo_data_errors, detail);
		nvfifo_text_add(buf, size, " 0x%x", detail);
		if (error)
			nvfifo_text_add(buf, size, ", %s", error->name);
	}

	for (unit = nvfifo_trap_bits; intr & 1u << 21 && unit->name; unit++) {
		if (detail & unit->value)
			nvfifo_text_add(buf, size, " of %s", unit->name);
	}
}

/* The method that a channel's error is about. */
static void method_text(const struct drm_nvfifo_channel_query *q, char *buf, size_t size)
{
	__u32 subc = q->error_method >> 13 & 7, mthd = q->error_method & 0x1ffc;
	const char *name = nvfifo_method_name(0, mthd);

	if (name)
		snprintf(buf, size, "subchannel %u, method 0x%04x %s, data 0x%08x", subc, mthd,
			 name, q->error_data);
	else
		snprintf(buf, size, "subchannel %u, method 0x%04x, data 0x%08x", subc, mthd,
			 q->error_data);
}

const char *nvfifo_exec_error_text(const struct drm_nvfifo_channel_query *q, char *buf,
				   size_t size)
{
	const struct nvfifo_name *hang;
	char method[80], graph[160];

	method_text(q, method, sizeof(method));

	switch (q->error) {
	case DRM_NVFIFO_ERROR_PUSHER:
		if (q->error_code != 2)
			snprintf(method, sizeof(method), "command word 0x%08x", q->error_data);
		snprintf(buf, size, "DMA_PUSHER error %u, %s: %s", q->error_code,
			 nvfifo_pusher_error_name(q->error_code), method);
		break;
	case DRM_NVFIFO_ERROR_CACHE:
		snprintf(buf, size, "CACHE_ERROR, PULL0 0x%08x, %s: %s", q->error_code,
			 nvfifo_cache_error_name(q->error_code), method);
		break;
	case DRM_NVFIFO_ERROR_SEMAPHORE:
		snprintf(buf, size, "SEMAPHORE error %u, %s: %s", q->error_code,
			 nvfifo_semaphore_error_name(q->error_code), method);
		break;
	case DRM_NVFIFO_ERROR_GRAPH:
		graph_error_text(q->error_code, q->error_detail, graph, sizeof(graph));
		snprintf(buf, size, "%s: %s", graph, method);
		break;
	case DRM_NVFIFO_ERROR_TIMEOUT:
		hang = nvfifo_name_find(nvfifo_hangs, q->error_code);
		if (hang)
			snprintf(buf, size, "the work did not end in time: %s", hang->means);
		else
			snprintf(buf, size, "the work did not end in time");
		break;
	case DRM_NVFIFO_ERROR_LOST:
		snprintf(buf, size, "the card is gone");
		break;
	case DRM_NVFIFO_ERROR_FENCE:
		snprintf(buf, size,
			 "its commands wrote to the driver's fence page, handle 0x80000000");
		break;
	default:
		snprintf(buf, size, "unknown error %u", q->error);
	}

	return buf;
}

const char *nvfifo_exec_fault_text(__u32 chipset, const struct drm_nvfifo_channel_query *q,
				   char *buf, size_t size)
{
	buf[0] = '\0';
	if (!q->fault)
		return buf;

	snprintf(buf, size, "VM fault: %s of 0x%010llx, %s; engine %s, client %s, slot %u %s",
		 q->fault_write ? "write" : "read", q->fault_address,
		 nvfifo_fault_reason_name(q->fault_reason),
		 nvfifo_name_or_unknown(nvfifo_fault_engine(chipset, q->fault_engine)),
		 nvfifo_name_or_unknown(nvfifo_fault_client(chipset, q->fault_client)),
		 q->fault_slot,
		 nvfifo_name_or_unknown(nvfifo_fault_slot(chipset, q->fault_engine,
							  q->fault_client, q->fault_slot)));

	return buf;
}

/* --- Memory before and after --------------------------------------------- */

static int compare_memory(const void *a, const void *b)
{
	const struct nvfifo_exec_memory *x = a, *y = b;

	if (x->buffer != y->buffer)
		return x->buffer < y->buffer ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;

	return 0;
}

static void add_memory(struct nvfifo_exec *x, unsigned int buffer, __u64 offset, __u64 words)
{
	struct nvfifo_exec_memory *m = &x->memory[x->memory_count++];

	m->buffer = buffer;
	m->offset = offset;
	m->count = words;
}

/* Stretches that touch become one. */
static void join_memory(struct nvfifo_exec *x)
{
	size_t i, last = 0;

	qsort(x->memory, x->memory_count, sizeof(*x->memory), compare_memory);

	for (i = 1; i < x->memory_count; i++) {
		struct nvfifo_exec_memory *a = &x->memory[last], *b = &x->memory[i];
		__u64 end = a->offset + a->count * 4;

		if (b->buffer != a->buffer || b->offset > end) {
			x->memory[++last] = *b;
			continue;
		}

		if (b->offset + b->count * 4 > end)
			a->count = (b->offset - a->offset) / 4 + b->count;
	}

	x->memory_count = last + 1;
}

static void collect_memory(struct nvfifo_exec *x)
{
	const struct nvfifo_prog *p = x->prog;
	size_t i;

	for (i = 0; i < p->step_count; i++) {
		const struct nvfifo_prog_step *s = &p->steps[i];

		if (s->type == NVFIFO_STEP_EXPECT || s->type == NVFIFO_STEP_POLL ||
		    s->type == NVFIFO_STEP_SHOW)
			add_memory(x, s->buffer, s->offset, s->count);
		if (s->type == NVFIFO_STEP_ORDER) {
			add_memory(x, s->buffer, s->offset, 2);
			add_memory(x, s->buffer2, s->offset2, 2);
		}
	}

	if (x->memory_count)
		join_memory(x);
}

/* Copied first: the card's memory may be slow to read byte by byte, or only in words. */
static __u32 *copy_words(const struct nvfifo_exec *x, unsigned int buffer, __u64 offset,
			 size_t bytes)
{
	size_t words = (bytes + 3) / 4, i;
	__u32 *copy = calloc(words + 1, sizeof(*copy));

	if (!copy)
		nvfifo_error(-ENOMEM, "out of memory");

	for (i = 0; copy && i < words; i++)
		copy[i] = *word_at(x, buffer, offset + i * 4);

	return copy;
}

static int read_memory(struct nvfifo_exec *x, bool after)
{
	size_t i;

	for (i = 0; i < x->memory_count; i++) {
		struct nvfifo_exec_memory *m = &x->memory[i];
		__u32 **copy = after ? &m->after : &m->before;

		*copy = copy_words(x, m->buffer, m->offset, m->count * 4);
		if (!*copy)
			return -ENOMEM;
	}

	return 0;
}

/* --- Setting up ---------------------------------------------------------- */

/* Mark the buffers that the CPU reads or writes. */
static void mark_mapped(const struct nvfifo_exec *x, bool *mapped)
{
	const struct nvfifo_prog *p = x->prog;
	size_t i;

	for (i = 0; i < p->fill_count; i++)
		mapped[p->fills[i].buffer] = true;
	for (i = 0; i < p->push_count; i++)
		mapped[p->pushes[i].buffer] = true;
	for (i = 0; i < x->memory_count; i++)
		mapped[x->memory[i].buffer] = true;

	for (i = 0; i < p->channel_count; i++) {
		if (p->channels[i].flags & DRM_NVFIFO_CHANNEL_USER_QUEUE)
			mapped[p->channels[i].buffer] = true;
	}

	for (i = 0; i < p->step_count; i++) {
		const struct nvfifo_prog_step *s = &p->steps[i];

		if (s->type == NVFIFO_STEP_SAME)
			mapped[s->buffer2] = true;
		if (s->type == NVFIFO_STEP_SAME || s->type == NVFIFO_STEP_CRC ||
		    s->type == NVFIFO_STEP_IMAGE || s->type == NVFIFO_STEP_WRITE)
			mapped[s->buffer] = true;
	}
}

static struct nvfifo_exec_space *space_of(const struct nvfifo_exec *x, size_t buffer)
{
	return &x->spaces[x->prog->buffers[buffer].space];
}

static int make_spaces(struct nvfifo_exec *x)
{
	size_t i;
	int ret;

	for (i = 0; i < x->prog->space_count; i++) {
		struct nvfifo_exec_space *s = &x->spaces[i];

		s->dev = x->dev;
		if (x->prog->spaces[i].own_file) {
			ret = nvfifo_open_again(x->dev, &s->dev);
			if (ret)
				return ret;
		}

		ret = nvfifo_vm_create(s->dev, &s->vm);
		if (ret)
			return ret;
	}

	return 0;
}

static int map_buffer(struct nvfifo_exec *x, size_t i)
{
	const struct nvfifo_prog_buffer *b = &x->prog->buffers[i];
	struct nvfifo_exec_space *s = space_of(x, i);
	struct drm_nvfifo_vm_bind_op op = {
		.op = DRM_NVFIFO_VM_BIND_OP_MAP,
		.flags = b->flags,
		.bo_handle = x->bos[i].handle,
		.page_shift = b->page_shift,
		.va = b->va,
		.range = x->bos[i].size,
		.kind = b->kind,
		.compression = b->compression,
	};
	int ret = nvfifo_vm_bind(s->dev, s->vm, &op, 1);

	if (!ret)
		return 0;

	refused(x, ret, b->map_line, "map %s", b->name);

	return add_reason(x, ret, nvfifo_prog_map_error(x->prog, b, x->chipset));
}

static int make_buffer(struct nvfifo_exec *x, size_t i, bool mapped)
{
	const struct nvfifo_prog_buffer *b = &x->prog->buffers[i];
	struct nvfifo_dev *dev = space_of(x, i)->dev;
	struct nvfifo_bo *bo = &x->bos[i];
	int ret = nvfifo_bo_create(dev, b->size, b->domain, b->bo_flags, bo);

	if (!ret)
		ret = nvfifo_bo_label(dev, bo, b->name);
	if (!ret && mapped) {
		ret = nvfifo_bo_map(dev, bo);
		if (ret && b->domain == DRM_NVFIFO_DOMAIN_VRAM)
			return refused(x, ret, b->line,
				       "the CPU must reach the VRAM buffer %s; a program that does this says 'requires vram_mmap'",
				       b->name);
	}

	if (ret)
		return refused(x, ret, b->line, "buffer %s", b->name);

	return b->mapping == NVFIFO_PROG_MAP_NONE ? 0 : map_buffer(x, i);
}

static void write_words(const struct nvfifo_exec *x, unsigned int buffer, __u64 offset,
			const __u32 *words, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		*word_at(x, buffer, offset + i * 4) = words[i];
}

static void fill_buffers(const struct nvfifo_exec *x)
{
	const struct nvfifo_prog *p = x->prog;
	size_t i;

	for (i = 0; i < p->fill_count; i++)
		write_words(x, p->fills[i].buffer, p->fills[i].offset,
			    p->words.data + p->fills[i].first, p->fills[i].count);

	for (i = 0; i < p->push_count; i++)
		write_words(x, p->pushes[i].buffer, p->pushes[i].offset, p->pushes[i].words.data,
			    p->pushes[i].words.count);
}

/*
 * Find the reason why the driver refuses an object. Return: the text, or NULL if the program does
 * not show it.
 */
static const char *object_refusal(const struct nvfifo_exec *x, const struct nvfifo_prog_object *o)
{
	if (o->engine && !o->software &&
	    !nvfifo_class_exists(x->chipset, nvfifo_prog_class(o, x->chipset)))
		return "the chip does not have the class; 'nvfifo methods --chipset CHIP' lists those that it has";

	return nvfifo_prog_object_error(x->prog, o, x->chipset);
}

static int make_object(struct nvfifo_exec *x, size_t channel, const struct nvfifo_prog_object *o)
{
	struct nvfifo_exec_channel *c = &x->channels[channel];
	struct drm_nvfifo_object_create create = {
		.channel_id = c->id,
		.handle = o->handle,
		.type = o->engine ? DRM_NVFIFO_OBJECT_ENGINE : DRM_NVFIFO_OBJECT_DMA,
		.oclass = nvfifo_prog_class(o, x->chipset),
		.access = o->access,
		.flags = o->flags,
		.start = o->start,
		.size = o->size,
		.user = o->user,
		.kind = o->kind,
		.compression = o->compression,
		.cycle = o->cycle,
	};
	int ret;

	if (o->software)
		create.type = DRM_NVFIFO_OBJECT_SOFTWARE;
	if (o->flags & DRM_NVFIFO_OBJECT_UNPAGED)
		create.bo_handle = x->bos[o->buffer].handle;
	ret = nvfifo_object_create(c->dev, &create);
	if (!ret)
		return 0;

	refused(x, ret, o->line, "object 0x%x of channel %s", o->handle,
		x->prog->channels[channel].name);

	return add_reason(x, ret, object_refusal(x, o));
}

static int make_channel(struct nvfifo_exec *x, size_t i)
{
	const struct nvfifo_prog_channel *pc = &x->prog->channels[i];
	struct nvfifo_exec_channel *c = &x->channels[i];
	struct drm_nvfifo_channel_create create = {
		.vm_id = x->spaces[pc->space].vm,
		.flags = pc->flags,
		.ring_order = pc->ring_order,
		.timeslice = pc->timeslice,
		.sli_mask = pc->sli_mask,
		.hang_limit_ms = pc->hang_limit_ms,
	};
	size_t j;
	int ret;

	c->dev = x->spaces[pc->space].dev;
	if (pc->flags & DRM_NVFIFO_CHANNEL_EVENT)
		create.user_data = i + 1;
	if (pc->flags & (DRM_NVFIFO_CHANNEL_DMA_MODE | DRM_NVFIFO_CHANNEL_USER_QUEUE))
		create.start = x->prog->buffers[pc->buffer].va + pc->offset;
	if (pc->has_limit)
		create.dma_limit = (__u32)(x->prog->buffers[pc->limit_buffer].va +
					   pc->limit_offset);
	ret = nvfifo_channel_create_with(c->dev, &create);
	if (ret)
		return refused(x, ret, pc->line, "channel %s", pc->name);

	c->id = create.id;
	if (pc->flags & DRM_NVFIFO_CHANNEL_USER_QUEUE) {
		ret = nvfifo_channel_map_control(c->dev, &create, (volatile __u32 **)&c->control);
		if (ret)
			return refused(x, ret, pc->line, "control page of channel %s", pc->name);
	}

	for (j = 0; j < x->prog->object_count && !ret; j++) {
		const struct nvfifo_prog_object *o = &x->prog->objects[j];

		if (o->channel < 0 || (size_t)o->channel == i)
			ret = make_object(x, i, o);
	}

	return ret;
}

static int set_up(struct nvfifo_exec *x)
{
	const struct nvfifo_prog *p = x->prog;
	bool *mapped = calloc(p->buffer_count + 1, sizeof(*mapped));
	int ret = mapped ? make_spaces(x) : nvfifo_error(-ENOMEM, "out of memory");
	size_t i;

	if (mapped)
		mark_mapped(x, mapped);
	for (i = 0; i < p->buffer_count && !ret; i++)
		ret = make_buffer(x, i, mapped[i]);
	free(mapped);
	if (ret)
		return ret;

	fill_buffers(x);

	for (i = 0; i < p->channel_count && !ret; i++)
		ret = make_channel(x, i);

	return ret;
}

/* --- Submitting ---------------------------------------------------------- */

struct nvfifo_ib_entry nvfifo_exec_entry(const struct nvfifo_prog *p,
					 const struct nvfifo_prog_entry *e)
{
	const struct nvfifo_prog_push *push = &p->pushes[e->push];
	struct nvfifo_ib_entry ib = {
		.address = p->buffers[push->buffer].va + push->offset,
		.words = (__u32)push->words.count,
		.not_main = e->flags & DRM_NVFIFO_ENTRY_NOT_MAIN,
		.no_prefetch = e->flags & DRM_NVFIFO_ENTRY_NO_PREFETCH,
	};

	return ib;
}

/* Entries into the ring of a user queue, then the doorbell. */
static int submit_user_queue(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	const struct nvfifo_prog_channel *pc = &x->prog->channels[s->channel];
	struct nvfifo_exec_channel *c = &x->channels[s->channel];
	__u32 w[2], entries;
	size_t i;

	/* The reader has checked that the buffer holds the ring that was asked for. */
	entries = 1u << pc->ring_order;
	for (i = 0; i < s->count; i++) {
		struct nvfifo_ib_entry ib = nvfifo_exec_entry(x->prog,
							      &x->prog->entries[s->first + i]);

		nvfifo_ib_encode(&ib, w);
		write_words(x, pc->buffer, pc->offset + (__u64)c->ib_put * 8, w, 2);
		c->ib_put = (c->ib_put + 1) % entries;
	}

	/* Entries and words must be in memory before the card is told. */
	__sync_synchronize();
	(void)*word_at(x, pc->buffer, pc->offset);
	c->control[NVFIFO_CONTROL_IB_PUT / 4] = c->ib_put;
	good(x, s, "%zu entr%s in the ring of %s, IB_PUT %u", s->count, s->count == 1 ? "y" : "ies",
	     channel_name(x, s), c->ib_put);

	return 0;
}

static void fill_entries(const struct nvfifo_exec *x, const struct nvfifo_prog_step *s,
			 struct drm_nvfifo_entry *entries)
{
	bool linear = x->prog->channels[s->channel].flags & DRM_NVFIFO_CHANNEL_DMA_MODE;
	size_t i;

	for (i = 0; i < s->count; i++) {
		const struct nvfifo_prog_entry *e = &x->prog->entries[s->first + i];
		struct nvfifo_ib_entry ib = nvfifo_exec_entry(x->prog, e);

		entries[i].address = ib.address;
		entries[i].words = ib.words;
		entries[i].flags = e->flags;

		/* In DMA mode a submission is the new PUT, after the last word. */
		if (linear) {
			entries[i].address += ib.words * 4ULL;
			entries[i].words = 0;
			entries[i].flags = 0;
		}
	}
}

static unsigned int fill_syncs(const struct nvfifo_exec *x, const struct nvfifo_prog_step *s,
			       struct drm_nvfifo_sync *syncs)
{
	unsigned int n;

	for (n = 0; n < s->after_count; n++) {
		syncs[n].flags = DRM_NVFIFO_SYNC_WAIT;
		syncs[n].handle = x->fences[s->after[n]].syncobj;
	}

	if (s->fence >= 0) {
		syncs[n].flags = DRM_NVFIFO_SYNC_SIGNAL;
		syncs[n++].handle = x->fences[s->fence].syncobj;
	}

	return n;
}

static int submit(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	struct drm_nvfifo_sync syncs[NVFIFO_PROG_AFTER + 1] = { 0 };
	struct nvfifo_exec_channel *c = &x->channels[s->channel];
	const char *name = channel_name(x, s);
	struct drm_nvfifo_entry *entries;
	__u64 seqno = 0;
	unsigned int n;
	int ret;

	if (c->control)
		return submit_user_queue(x, s);

	entries = calloc(s->count + 1, sizeof(*entries));
	if (!entries)
		return nvfifo_error(-ENOMEM, "out of memory");

	fill_entries(x, s, entries);
	n = fill_syncs(x, s, syncs);
	ret = nvfifo_submit(c->dev, c->id, entries, (__u32)s->count, syncs, n, &seqno);
	free(entries);

	if (ret == -ECANCELED) {
		check(x, s, c->may_die, "submit to %s is refused: the channel is dead", name);
		return 0;
	}

	if (ret)
		return refused(x, ret, s->line, "submit to %s", name);
	if (s->fence < 0) {
		good(x, s, "submit to %s: seqno %llu", name, seqno);
		return 0;
	}

	x->fences[s->fence].submitted = true;
	x->fences[s->fence].seqno = seqno;
	good(x, s, "submit to %s: seqno %llu, fence %s", name, seqno,
	     x->prog->fences[s->fence]);

	return 0;
}

/* --- Waiting ------------------------------------------------------------- */

static struct nvfifo_dev *fence_device(const struct nvfifo_exec *x, const struct nvfifo_exec_fence *f)
{
	return x->channels[f->channel].dev;
}

static int wait_fence(struct nvfifo_exec *x, size_t index, const struct nvfifo_prog_step *s)
{
	struct nvfifo_exec_fence *f = &x->fences[index];
	const char *name = x->prog->fences[index];
	struct nvfifo_dev *dev = fence_device(x, f);
	int ret, status = 0;

	if (!f->submitted || f->waited)
		return 0;

	f->waited = true;
	ret = nvfifo_syncobj_wait(dev, f->syncobj, 0, x->timeout_ns);
	if (ret == -ETIME) {
		fail(x, s, "fence %s has not signalled within %lld ms", name,
		     (long long)(x->timeout_ns / MS));
		return 0;
	}

	if (!ret)
		ret = nvfifo_syncobj_status(dev, f->syncobj, &status);
	if (ret)
		return ret;

	if (status >= 0)
		good(x, s, "fence %s has signalled", name);
	else
		check(x, s, x->channels[f->channel].may_die, "fence %s ended with error %d, %s", name,
		      status, strerror(-status));

	return 0;
}

static int wait_all(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < x->prog->fence_count && !ret; i++)
		ret = wait_fence(x, i, s);

	return ret;
}

static int wait_step(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	return s->fence < 0 ? wait_all(x, s) : wait_fence(x, (size_t)s->fence, s);
}

static int pending(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	struct nvfifo_exec_fence *f = &x->fences[s->fence];
	const char *name = x->prog->fences[s->fence];
	int ret;

	if (!f->submitted) {
		fail(x, s, "fence %s was not submitted", name);
		return 0;
	}

	ret = nvfifo_syncobj_wait(fence_device(x, f), f->syncobj, 0, (__s64)s->value * MS);
	if (ret == -ETIME) {
		good(x, s, "fence %s is still unsignalled after %llu ms", name, s->value);
		return 0;
	}

	if (!ret)
		fail(x, s, "fence %s has signalled already", name);

	return ret;
}

static int poll_memory(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	__u32 want = x->prog->words.data[s->first];
	__s64 until = nvfifo_now(x->dev) + x->timeout_ns;
	volatile __u32 *p = word_at(x, s->buffer, s->offset);
	struct place at = place(x, s->buffer, s->offset);

	while (*p != want) {
		if (nvfifo_now(x->dev) >= until) {
			fail(x, s, "%s does not become 0x%08x within %lld ms, it is 0x%08x", at.text,
			     want, (long long)(x->timeout_ns / MS), *p);
			return 0;
		}
		nvfifo_sleep(x->dev, POLL_STEP_NS);
	}

	good(x, s, "%s has become 0x%08x", at.text, want);
	return 0;
}

/* --- Comparing ----------------------------------------------------------- */

static int expect_memory(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	struct place at = place(x, s->buffer, s->offset);
	unsigned int wrong = 0;
	size_t i;

	for (i = 0; i < s->count; i++) {
		__u64 offset = s->offset + i * 4;
		__u32 want = x->prog->words.data[s->first + i];
		__u32 have = *word_at(x, s->buffer, offset);

		if (have == want)
			continue;

		wrong++;
		if (wrong <= LISTED_MAX)
			fail(x, s, "%s is 0x%08x, expected 0x%08x",
			     place(x, s->buffer, offset).text, have, want);
	}

	if (wrong > LISTED_MAX) {
		/* The line itself counts as one. */
		x->failures += wrong - LISTED_MAX - 1;
		fail(x, s, "%u more words differ", wrong - LISTED_MAX);
	}

	if (!wrong && s->count == 1)
		good(x, s, "%s is 0x%08x", at.text, x->prog->words.data[s->first]);
	else if (!wrong)
		good(x, s, "%s and what follows are as expected, %zu words", at.text, s->count);

	return 0;
}

static __u64 time_at(const struct nvfifo_exec *x, unsigned int buffer, __u64 offset)
{
	return *word_at(x, buffer, offset) | (__u64)*word_at(x, buffer, offset + 4) << 32;
}

static int expect_order(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	__u64 a = time_at(x, s->buffer, s->offset), b = time_at(x, s->buffer2, s->offset2);
	struct place first = place(x, s->buffer, s->offset), second = place(x, s->buffer2, s->offset2);

	if (a <= b)
		good(x, s, "the time at %s is not after the one at %s", first.text, second.text);
	else
		fail(x, s, "the time at %s, %llu, is after the one at %s, %llu", first.text,
		     a, second.text, b);

	return 0;
}

static int expect_ref(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	struct nvfifo_exec_channel *c = &x->channels[s->channel];
	struct drm_nvfifo_channel_query q;
	int ret = nvfifo_channel_query(c->dev, c->id, &q);

	if (ret)
		return ret;

	if (q.ref == s->value)
		good(x, s, "REF of %s is 0x%08x", channel_name(x, s), q.ref);
	else
		fail(x, s, "REF of %s is 0x%08x, expected 0x%08llx", channel_name(x, s), q.ref,
		     s->value);

	return 0;
}

/* An error may come some time after the fence of the work that has it. */
static int wait_until_dead(struct nvfifo_exec *x, const struct nvfifo_exec_channel *c,
			   struct drm_nvfifo_channel_query *q)
{
	__s64 until = nvfifo_now(c->dev) + x->timeout_ns;

	for (;;) {
		int ret = nvfifo_channel_query(c->dev, c->id, q);

		if (ret || q->state == DRM_NVFIFO_CHANNEL_DEAD || nvfifo_now(c->dev) >= until)
			return ret;

		nvfifo_sleep(c->dev, POLL_STEP_NS);
	}
}

static int expect_dead(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	struct nvfifo_exec_channel *c = &x->channels[s->channel];
	const char *name = channel_name(x, s);
	struct drm_nvfifo_channel_query q;
	int ret = wait_until_dead(x, c, &q);

	if (ret)
		return ret;

	if (q.state != DRM_NVFIFO_CHANNEL_DEAD)
		fail(x, s, "channel %s is alive after %lld ms, expected it to be dead", name,
		     (long long)(x->timeout_ns / MS));
	else if (s->error && q.error != s->error)
		fail(x, s, "channel %s died of error %u, expected %u", name, q.error, s->error);
	else if (s->has_code && q.error_code != s->value)
		fail(x, s, "channel %s died with code 0x%x, expected 0x%llx", name, q.error_code,
		     s->value);
	else if (s->has_detail && q.error_detail != s->detail)
		fail(x, s, "channel %s died with detail 0x%x, expected 0x%x", name, q.error_detail,
		     s->detail);
	else
		good(x, s, "channel %s is dead, as expected", name);

	return 0;
}

static int expect_event(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	struct nvfifo_exec_channel *c = &x->channels[s->channel];
	const char *name = channel_name(x, s);
	union nvfifo_file_event any;
	const struct drm_nvfifo_event_channel_dead *e = &any.dead;
	int ret = nvfifo_event_read_any(c->dev, (int)(x->timeout_ns / MS), &any);

	if (ret < 0)
		return ret;

	if (!ret)
		fail(x, s, "no event of channel %s within %lld ms", name,
		     (long long)(x->timeout_ns / MS));
	else if (any.base.type != DRM_NVFIFO_EVENT_CHANNEL_DEAD)
		fail(x, s, "the event of a software method came, expected that of channel %s", name);
	else if (e->channel_id != c->id || e->user_data != s->channel + 1)
		fail(x, s, "an event of channel %u came, expected %s, %u", e->channel_id, name,
		     c->id);
	else if (s->error && e->error != s->error)
		fail(x, s, "the event of channel %s has error %u, expected %u", name, e->error,
		     s->error);
	else if (s->has_code && e->error_code != s->value)
		fail(x, s, "the event of channel %s has code 0x%x, expected 0x%llx", name,
		     e->error_code, s->value);
	else
		good(x, s, "the driver sent the event of channel %s, error %u, code 0x%x", name,
		     e->error, e->error_code);

	return 0;
}

static int expect_method(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	struct nvfifo_exec_channel *c = &x->channels[s->channel];
	const char *name = channel_name(x, s);
	union nvfifo_file_event any;
	const struct drm_nvfifo_event_software_method *e = &any.method;
	int ret = nvfifo_event_read_any(c->dev, (int)(x->timeout_ns / MS), &any);

	if (ret < 0)
		return ret;

	if (!ret)
		fail(x, s, "no method of channel %s within %lld ms", name,
		     (long long)(x->timeout_ns / MS));
	else if (any.base.type != DRM_NVFIFO_EVENT_SOFTWARE_METHOD)
		fail(x, s, "channel %u died, expected a method of %s", any.dead.channel_id, name);
	else if (e->channel_id != c->id || e->user_data != s->channel + 1)
		fail(x, s, "a method of channel %u came, expected %s, %u", e->channel_id, name,
		     c->id);
	else if (e->handle != s->handle || (e->method & 0x1ffc) != s->detail ||
		 e->data != s->value)
		fail(x, s, "object 0x%x, method 0x%x, data 0x%x came, expected 0x%x, 0x%x, 0x%llx",
		     e->handle, e->method & 0x1ffc, e->data, s->handle, s->detail, s->value);
	else
		good(x, s, "the driver sent method 0x%x of object 0x%x, data 0x%x, channel %s",
		     s->detail, s->handle, e->data, name);

	return 0;
}

static int expect_same(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	__u32 *a = copy_words(x, s->buffer, s->offset, s->count);
	__u32 *b = copy_words(x, s->buffer2, s->offset2, s->count);
	const char *left = (const char *)a, *right = (const char *)b;
	struct place first = place(x, s->buffer, s->offset), second = place(x, s->buffer2, s->offset2);
	int ret = a && b ? 0 : -ENOMEM;
	size_t i = 0;

	while (!ret && i < s->count && left[i] == right[i])
		i++;
	if (!ret && i == s->count)
		good(x, s, "%s and %s hold the same %zu bytes", first.text, second.text, s->count);
	else if (!ret)
		fail(x, s, "%s and %s differ from byte 0x%zx of 0x%zx on", first.text,
		     second.text, i, s->count);
	free(a);
	free(b);

	return ret;
}

static int expect_crc(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	__u32 *copy = copy_words(x, s->buffer, s->offset, s->count), crc;
	struct place at = place(x, s->buffer, s->offset);

	if (!copy)
		return -ENOMEM;

	crc = nvfifo_crc32(0, copy, s->count);
	free(copy);
	if (crc == s->value)
		good(x, s, "%zu bytes at %s have the CRC-32 0x%08x", s->count, at.text, crc);
	else
		fail(x, s, "%zu bytes at %s have the CRC-32 0x%08x, expected 0x%08llx", s->count,
		     at.text, crc, s->value);

	return 0;
}

static int write_memory(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	write_words(x, s->buffer, s->offset, x->prog->words.data + s->first, s->count);
	good(x, s, "wrote %zu words at %s", s->count, place(x, s->buffer, s->offset).text);

	return 0;
}

/* --- Pictures ------------------------------------------------------------ */

static const size_t pixel_bytes[] = {
	[NVFIFO_PROG_X8R8G8B8] = 4, [NVFIFO_PROG_R5G6B5] = 2, [NVFIFO_PROG_R8] = 1,
};

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

/* The picture's pixels, from memory of malloc(). */
static unsigned char *read_pixels(const struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	const struct nvfifo_prog_image *im = &x->prog->images[s->first];
	size_t bytes = pixel_bytes[im->format];
	unsigned char *rgb = malloc((size_t)im->width * im->height * 3), *to = rgb;
	__u32 *copy = copy_words(x, s->buffer, s->offset,
				 (size_t)im->pitch * (im->height - 1) + im->width * bytes);
	__u32 row, column;

	for (row = 0; copy && rgb && row < im->height; row++) {
		const unsigned char *from = (const unsigned char *)copy + (size_t)row * im->pitch;

		for (column = 0; column < im->width; column++, to += 3, from += bytes)
			to_rgb(from, im->format, to);
	}

	if (!copy) {
		free(rgb);
		rgb = NULL;
	}

	free(copy);
	return rgb;
}

static int show_image(struct nvfifo_exec *x, const struct nvfifo_prog_step *s)
{
	const struct nvfifo_prog_image *im = &x->prog->images[s->first];
	unsigned char *rgb;
	char text[256];
	int ret;

	if (!x->ops || !x->ops->image) {
		good(x, s, "image %s, %u x %u, for --images", im->name, im->width, im->height);
		return 0;
	}

	rgb = read_pixels(x, s);
	if (!rgb)
		return nvfifo_error(-ENOMEM, "out of memory");

	snprintf(text, sizeof(text), "image %s", im->name);
	ret = x->ops->image(x->ctx, im, rgb, text);
	free(rgb);
	check(x, s, !ret, "%s", text);

	return 0;
}

/* --- The whole ----------------------------------------------------------- */

/* "show" has nothing to do: its memory is copied before and after the steps. */
static int (*const steps[])(struct nvfifo_exec *x, const struct nvfifo_prog_step *s) = {
	[NVFIFO_STEP_SUBMIT] = submit,
	[NVFIFO_STEP_WAIT] = wait_step,
	[NVFIFO_STEP_PENDING] = pending,
	[NVFIFO_STEP_POLL] = poll_memory,
	[NVFIFO_STEP_EXPECT] = expect_memory,
	[NVFIFO_STEP_ORDER] = expect_order,
	[NVFIFO_STEP_REF] = expect_ref,
	[NVFIFO_STEP_DEAD] = expect_dead,
	[NVFIFO_STEP_EVENT] = expect_event,
	[NVFIFO_STEP_METHOD] = expect_method,
	[NVFIFO_STEP_SAME] = expect_same,
	[NVFIFO_STEP_CRC] = expect_crc,
	[NVFIFO_STEP_IMAGE] = show_image,
	[NVFIFO_STEP_WRITE] = write_memory,
};

/* A channel that died without an "expect dead" is a difference. */
static int read_states(struct nvfifo_exec *x)
{
	char text[200];
	size_t i;
	int ret;

	for (i = 0; i < x->prog->channel_count; i++) {
		struct nvfifo_exec_channel *c = &x->channels[i];

		ret = nvfifo_channel_query(c->dev, c->id, &x->states[i]);
		if (ret)
			return ret;

		if (x->states[i].state == DRM_NVFIFO_CHANNEL_DEAD && !c->may_die)
			check_at(x, x->prog->step_count, x->prog->channels[i].line, false,
				 "channel %s is dead: %s", x->prog->channels[i].name,
				 nvfifo_exec_error_text(&x->states[i], text, sizeof(text)));
	}

	return 0;
}

static int read_fences(struct nvfifo_exec *x)
{
	size_t i;
	int ret;

	for (i = 0; i < x->prog->fence_count; i++) {
		struct nvfifo_exec_fence *f = &x->fences[i];

		if (!f->submitted)
			continue;
		ret = nvfifo_syncobj_status(fence_device(x, f), f->syncobj, &f->status);
		if (ret)
			return ret;
	}

	return 0;
}

static int do_steps(struct nvfifo_exec *x)
{
	const struct nvfifo_prog *p = x->prog;
	size_t i;
	int ret = 0;

	for (i = 0; i < p->step_count && !ret; i++) {
		const struct nvfifo_prog_step *s = &p->steps[i];

		if (s->type != NVFIFO_STEP_SHOW)
			ret = steps[s->type](x, s);
		if (ret && !*x->refused)
			refused(x, ret, s->line, "the call failed");
	}

	if (!ret && p->step_count)
		ret = wait_all(x, &p->steps[p->step_count - 1]);

	return ret;
}

static int allocate(struct nvfifo_exec *x)
{
	const struct nvfifo_prog *p = x->prog;
	size_t i;

	x->spaces = calloc(p->space_count + 1, sizeof(*x->spaces));
	x->bos = calloc(p->buffer_count + 1, sizeof(*x->bos));
	x->channels = calloc(p->channel_count + 1, sizeof(*x->channels));
	x->states = calloc(p->channel_count + 1, sizeof(*x->states));
	x->fences = calloc(p->fence_count + 1, sizeof(*x->fences));
	x->memory = calloc(p->step_count * 2 + 1, sizeof(*x->memory));
	if (!x->spaces || !x->bos || !x->channels || !x->states || !x->fences || !x->memory)
		return nvfifo_error(-ENOMEM, "out of memory");

	collect_memory(x);

	for (i = 0; i < p->step_count; i++) {
		const struct nvfifo_prog_step *s = &p->steps[i];

		if (s->type == NVFIFO_STEP_DEAD || s->type == NVFIFO_STEP_EVENT)
			x->channels[s->channel].may_die = true;
		if (s->type == NVFIFO_STEP_SUBMIT && s->fence >= 0)
			x->fences[s->fence].channel = s->channel;
	}

	return 0;
}

static int make_fences(struct nvfifo_exec *x)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < x->prog->fence_count && !ret; i++)
		ret = nvfifo_syncobj_create(fence_device(x, &x->fences[i]), &x->fences[i].syncobj);

	return ret;
}

int nvfifo_exec_run(struct nvfifo_exec *x)
{
	int ret = allocate(x);

	if (!ret)
		ret = set_up(x);
	if (!ret)
		ret = make_fences(x);
	if (!ret)
		ret = read_memory(x, false);
	if (!ret)
		ret = do_steps(x);
	if (!ret)
		ret = read_memory(x, true);
	if (!ret)
		ret = read_states(x);
	if (!ret)
		ret = read_fences(x);

	return ret;
}

/* Ids and handles are never 0, so 0 means that it was not made. */
static void destroy(struct nvfifo_exec *x)
{
	const struct nvfifo_prog *p = x->prog;
	size_t i;

	for (i = 0; x->channels && i < p->channel_count; i++) {
		nvfifo_channel_unmap_control(x->channels[i].control);
		if (x->channels[i].id)
			nvfifo_channel_destroy(x->channels[i].dev, x->channels[i].id);
	}

	for (i = 0; x->fences && i < p->fence_count; i++) {
		if (x->fences[i].syncobj)
			nvfifo_syncobj_destroy(fence_device(x, &x->fences[i]), x->fences[i].syncobj);
	}

	for (i = 0; x->spaces && i < p->space_count; i++) {
		if (x->spaces[i].vm)
			nvfifo_vm_destroy(x->spaces[i].dev, x->spaces[i].vm);
	}

	for (i = 0; x->bos && i < p->buffer_count; i++) {
		if (x->bos[i].handle)
			nvfifo_bo_close(space_of(x, i)->dev, &x->bos[i]);
	}

	for (i = 0; x->spaces && i < p->space_count; i++) {
		if (x->spaces[i].dev != x->dev)
			nvfifo_close(x->spaces[i].dev);
	}
}

void nvfifo_exec_free(struct nvfifo_exec *x)
{
	size_t i;

	if (x->prog)
		destroy(x);

	for (i = 0; x->memory && i < x->memory_count; i++) {
		free(x->memory[i].before);
		free(x->memory[i].after);
	}

	free(x->memory);
	free(x->checks);
	free(x->states);
	free(x->fences);
	free(x->spaces);
	free(x->bos);
	free(x->channels);
	memset(x, 0, sizeof(*x));
}

const char *nvfifo_exec_missing(const struct nvfifo_prog *p, __u64 features)
{
	static const struct {
		__u64 feature;
		const char *text;
	} names[] = {
		{ DRM_NVFIFO_FEATURE_SEMAPHORE64, "64-bit semaphores" },
		{ DRM_NVFIFO_FEATURE_VRAM_MMAP, "VRAM that the CPU can map" },
		{ DRM_NVFIFO_FEATURE_MSI, "an MSI" },
		{ DRM_NVFIFO_FEATURE_COMPRESSION, "compression tags" },
		{ DRM_NVFIFO_FEATURE_ENCRYPTION, "encrypted pages" },
		{ DRM_NVFIFO_FEATURE_LONG_CYCLE, "long partition cycles" },
		{ DRM_NVFIFO_FEATURE_IGP, "stolen memory for VRAM" },
		{ DRM_NVFIFO_FEATURE_USER_QUEUE, "user queues" },
	};
	__u64 missing = p->requires_features & ~features;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (missing & names[i].feature)
			return names[i].text;
	}

	return NULL;
}
