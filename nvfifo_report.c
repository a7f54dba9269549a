// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: The report of an error
 *
 * The handler of an error logs the registers, with fifo_lock held. The report adds facts from
 * memory, which is not read under that lock. They are the place of the failing word in the
 * pushbuffer, the object of a handle, and the translation of an address. The work item that writes
 * the dump logs them after the channel's fences have failed. The client may have changed the memory
 * since the error, so the report shows its present contents.
 */
#include <linux/seq_buf.h>
#include <linux/slab.h>

#include "nvfifo_card_dump.h"
#include "nvfifo_chan.h"
#include "nvfifo_drv.h"
#include "nvfifo_hw.h"
#include "nvfifo_incident.h"
#include "nvfifo_method_name.h"
#include "nvfifo_mmu.h"
#include "nvfifo_place.h"
#include "nvfifo_ramht.h"
#include "nvfifo_report.h"
#include "nvfifo_trace.h"
#include "nvfifo_vm.h"

#define SUSPECTS	16	/* ring entries before IB_GET that may hold the word */
#define BINDINGS	16	/* entries before those, for bindings of objects */
#define CACHE_WORDS	1024	/* methods in the cache, not executed yet */
#define WALK_WORDS	65536	/* most words of all segments, to limit the time */
#define READ_WORDS	1024
#define METHOD_TEXT	112

/* Methods whose data are handles: OBJECT, DMA_SEMAPHORE, and an engine's DMA objects. */
#define ENGINE_HANDLES	0x180
#define ENGINE_METHODS	0x200

/**
 * nvfifo_ring_suspects() - Count the entries before IB_GET that may hold the failing word
 * @chan: the channel, in IB mode
 * @pos: its error and position
 *
 * PFIFO's cache holds words that the pusher has read. Each method there has a data word and at most
 * a header.
 *
 * Context: Process context, takes vm.lock.
 *
 * Return: the number of entries, 1 to 16.
 */
unsigned int nvfifo_ring_suspects(struct nvfifo_chan *chan, const struct nvfifo_chan_error *pos)
{
	u32 mask = (1u << chan->order) - 1, words = 0, n, w[2];

	if (pos->error == DRM_NVFIFO_ERROR_PUSHER)
		return 1;

	for (n = 0; n < SUSPECTS && n < mask && words < CACHE_WORDS; n++) {
		u64 at = chan->ring + ((pos->ib_get - n - 1) & mask) * 8;

		if (nvfifo_vm_read(chan->vm, chan, at, w, 2) == 2)
			words += nvfifo_ib_decode(w).words;
	}

	return n;
}

/* --- The failing word ----------------------------------------------------- */

/* Read a ring entry. Return: false if the ring cannot be read, or the entry is empty. */
static bool entry_read(struct nvfifo_chan *chan, u32 entry, struct nvfifo_ib_entry *e)
{
	u32 w[2];

	if (nvfifo_vm_read(chan->vm, chan, chan->ring + entry * 8ULL, w, 2) != 2 || !w[1])
		return false;

	*e = nvfifo_ib_decode(w);

	return true;
}

/* Walk over the words of a segment, up to GET if @last. Return: the number of words. */
static u32 walk_segment(struct nvfifo_place *place, struct nvfifo_chan *chan, u32 entry,
			const struct nvfifo_ib_entry *e, u64 get, u32 *buf)
{
	u32 words = e->words, i, n, done;

	if (get >= e->address && get - e->address < words * 4ULL)
		words = (u32)(get - e->address) / 4;
	if (words > WALK_WORDS)
		return WALK_WORDS;

	for (done = 0; done < words; done += n) {
		n = nvfifo_vm_read(chan->vm, chan, e->address + done * 4ULL, buf,
				   min_t(u32, words - done, READ_WORDS));
		if (!n)
			return WALK_WORDS;

		for (i = 0; i < n; i++)
			nvfifo_place_word(place, entry, done + i, buf[i]);
		cond_resched();
	}

	return words;
}

/*
 * Walk over the last entries that the pusher has taken, from @first to @last before IB_GET. Only
 * entry 1 may hold GET. Return: false if they are too long, or no longer mapped.
 */
static bool walk_entries(struct nvfifo_place *place, struct nvfifo_chan *chan,
			 const struct nvfifo_chan_error *pos, u32 first, u32 last)
{
	u32 *buf __free(kvfree) = kvmalloc_array(READ_WORDS, sizeof(*buf), GFP_KERNEL);
	u32 mask = (1u << chan->order) - 1, words = 0, entry, n;
	struct nvfifo_ib_entry e;

	if (!buf)
		return false;

	for (n = first; n >= last; n--) {
		entry = (pos->ib_get - n) & mask;
		if (!entry_read(chan, entry, &e))
			continue;

		words += walk_segment(place, chan, entry, &e, n == 1 ? pos->get : ~0ULL, buf);
		if (words >= WALK_WORDS)
			return false;
	}

	return true;
}

/* Walk over the last @count entries, with the objects that earlier entries have bound. */
static bool walk_bound(struct nvfifo_place *place, struct nvfifo_chan *chan,
		       const struct nvfifo_chan_error *pos, u32 count)
{
	struct nvfifo_place before = { .method = NVFIFO_PLACE_NO_METHOD };
	u32 first = min(count + BINDINGS, (1u << chan->order) - 1);

	if (first > count && walk_entries(&before, chan, pos, first, count + 1)) {
		memcpy(place->handles, before.handles, sizeof(place->handles));
		place->bound = before.bound;
	}

	return walk_entries(place, chan, pos, count, 1);
}

/* An object that a handle names */
struct named_object {
	int entry;		/* of RAMHT, or negative */
	u32 context;		/* in that entry */
	u32 class;		/* 0 if the driver does not know it */
};

static struct named_object named_object_locked(const struct nvfifo_chan *chan, u32 handle)
{
	struct named_object o = { .entry = nvfifo_ramht_find(&chan->ramht, handle) };
	u32 offset, slot;

	lockdep_assert_held(&chan->lock);

	if (o.entry < 0)
		return o;

	o.context = chan->ramht.shadow[o.entry].context;
	offset = nvfifo_ramht_context_offset(o.context);
	slot = (offset - NVFIFO_OBJECTS) / NVFIFO_OBJECT_BYTES;
	if (offset >= NVFIFO_OBJECTS && slot < NVFIFO_OBJECT_SLOTS)
		o.class = chan->ramht.objects[slot].w[0] & 0xffff;

	return o;
}

/*
 * Look a handle up as the card does, in the driver's copy of RAMHT. Return: false if its lock is
 * held.
 */
static bool named_object_get(struct nvfifo_chan *chan, u32 handle, struct named_object *o)
{
	*o = (struct named_object){ .entry = -EBUSY };

	if (!nvfifo_vm_read_lock(chan->vm, &chan->lock))
		return false;

	*o = named_object_locked(chan, handle);
	mutex_unlock(&chan->lock);

	return true;
}

/* "method 0050 REF_CNT of subchannel 0", with the class of the subchannel's object if known */
static void method_text(struct nvfifo_chan *chan, const struct nvfifo_place *place, u32 method,
			char text[METHOD_TEXT])
{
	const char *name = nvfifo_pfifo_method_name(method & 0x1ffc);
	u32 subchannel = nvfifo_place_subchannel(method), class = 0;
	char engines[NVFIFO_METHOD_NAME];
	struct named_object o;
	int n;

	if (place->bound & BIT(subchannel) &&
	    named_object_get(chan, place->handles[subchannel], &o))
		class = o.class;

	n = scnprintf(text, METHOD_TEXT, "method %04x", method & 0x1ffc);
	if (name)
		n += scnprintf(text + n, METHOD_TEXT - n, " %s", name);
	n += scnprintf(text + n, METHOD_TEXT - n, " of subchannel %u", subchannel);
	if (class && !name)
		scnprintf(text + n, METHOD_TEXT - n, ", class %04x %s %s", class,
			  nvfifo_name_or_unknown(nvfifo_engine_class_name(class)),
			  nvfifo_method_text(class, method & 0x1ffc, engines));
}

/* Report the word that the pusher refused: the word at GET, or a data word before GET. */
static void report_pusher(struct nvfifo_chan *chan, const struct nvfifo_chan_error *pos)
{
	u32 entry = (pos->ib_get - 1) & ((1u << chan->order) - 1), word;
	struct nvfifo_place place = { .method = NVFIFO_PLACE_NO_METHOD };
	struct nvfifo_device *ndev = chan->ndev;
	char after[METHOD_TEXT] = "no method";
	struct nvfifo_ib_entry e;
	u64 at = pos->get;

	if (pos->error_code == NVFIFO_PUSHER_INVALID_MTHD)
		at -= 4;
	if (!entry_read(chan, entry, &e) || at < e.address || at - e.address >= e.words * 4ULL)
		return;

	/* The method before the first word of a segment is in the previous ring entry. */
	word = (u32)(at - e.address) / 4;
	if (walk_bound(&place, chan, pos, 2) && place.has_before)
		method_text(chan, &place, place.before, after);
	trace_nvfifo_place(chan, entry, word, at, after);
	nvfifo_log(ndev,
		   "channel %u: that is word %u of %u in the segment of ring entry %u, at %010llx%s, after %s\n",
		   chan->id, word, e.words, entry, at, word ? "" : ", the segment's first", after);
}

/*
 * Report the method of an error in the puller or an engine. The pusher is ahead of both, so the
 * method is one of the last before GET.
 */
static void report_method(struct nvfifo_chan *chan, const struct nvfifo_chan_error *pos)
{
	struct nvfifo_place place = { .method = pos->error_method, .data = pos->error_data };
	char after[METHOD_TEXT] = "no method";
	struct nvfifo_ib_entry e;
	const char *which = "that is";

	if (!walk_bound(&place, chan, pos, nvfifo_ring_suspects(chan, pos)) || !place.matches ||
	    !entry_read(chan, place.entry, &e))
		return;

	if (place.matches > 1)
		which = "the first such word is";
	if (place.has_before)
		method_text(chan, &place, place.before, after);
	trace_nvfifo_place(chan, place.entry, place.word, e.address + place.word * 4ULL, after);
	nvfifo_log(chan->ndev,
		   "channel %u: %s word %u of %u in the segment of ring entry %u, at %010llx, after %s\n",
		   chan->id, which, place.word, e.words, place.entry,
		   e.address + place.word * 4ULL, after);
}

/* --- Objects and addresses ------------------------------------------------ */

static bool takes_handle(u32 method)
{
	return method == NVFIFO_MTHD_OBJECT || method == NVFIFO_MTHD_DMA_SEMAPHORE ||
	       (method >= ENGINE_HANDLES && method < ENGINE_METHODS);
}

static void report_handle(struct nvfifo_chan *chan, u32 handle)
{
	struct nvfifo_device *ndev = chan->ndev;
	struct named_object o;
	u32 engine;

	if (!named_object_get(chan, handle, &o))
		return;

	if (o.entry < 0) {
		nvfifo_log(ndev, "channel %u: handle %08x is not in RAMHT\n", chan->id, handle);
		return;
	}

	engine = nvfifo_ramht_context_engine(o.context);
	nvfifo_log(ndev,
		   "channel %u: handle %08x is in RAMHT: slot %d, context %08x, engine %u %s, object %05x of class %04x\n",
		   chan->id, handle, o.entry, o.context, engine,
		   nvfifo_engine_name(ndev->chip->id, engine),
		   nvfifo_ramht_context_offset(o.context), o.class);
}

static void report_walk(struct nvfifo_chan *chan, u64 va)
{
	struct nvfifo_device *ndev = chan->ndev;
	struct nvfifo_walk w = {};
	bool present;

	if (!nvfifo_vm_read_lock(chan->vm, &chan->vm->pt_lock))
		return;

	present = nvfifo_mmu_walk(chan->vm, va, &w);
	mutex_unlock(&chan->vm->pt_lock);

	if (present)
		nvfifo_log(ndev,
			   "channel %u: %010llx is mapped now: PDE %03llx %016llx, PTE %05x %016llx, %s %010llx\n",
			   chan->id, va, va >> NVFIFO_PDE_SHIFT, w.pde, w.index, w.pte,
			   nvfifo_target_name(nvfifo_pte_decode(w.pte).target), w.linear);
	else if (w.reason == NVFIFO_FAULT_PAGE_NOT_PRESENT)
		nvfifo_log(ndev,
			   "channel %u: %010llx is not mapped now: PDE %03llx %016llx, PTE %05x %016llx, %s\n",
			   chan->id, va, va >> NVFIFO_PDE_SHIFT, w.pde, w.index, w.pte,
			   nvfifo_fault_reason_name(w.reason));
	else
		nvfifo_log(ndev, "channel %u: %010llx is not mapped now: PDE %03llx %016llx, %s\n",
			   chan->id, va, va >> NVFIFO_PDE_SHIFT, w.pde,
			   nvfifo_fault_reason_name(w.reason));
}

/**
 * nvfifo_report() - Log facts from memory about a channel's error
 * @chan: the channel, dead and with a reference
 *
 * The removal of the card frees rings and page tables, so nothing is logged once it has begun.
 *
 * Context: Process context, takes vm.lock, vm.pt_lock, chan.lock and fifo_lock, one at a time.
 */
void nvfifo_report(struct nvfifo_chan *chan)
{
	struct nvfifo_chan_error e;

	CLASS(nvfifo_enter, entered)(chan->ndev);
	if (!entered.is_open)
		return;

	scoped_guard(mutex, &chan->ndev->fifo_lock)
		e = chan->error;

	if (e.hw_id && chan->ib && e.error == DRM_NVFIFO_ERROR_PUSHER)
		report_pusher(chan, &e);
	else if (e.hw_id && chan->ib &&
		 (e.error == DRM_NVFIFO_ERROR_CACHE || e.error == DRM_NVFIFO_ERROR_SEMAPHORE ||
		  e.error == DRM_NVFIFO_ERROR_GRAPH))
		report_method(chan, &e);

	if (e.error == DRM_NVFIFO_ERROR_CACHE && takes_handle(e.error_method & 0x1ffc))
		report_handle(chan, e.error_data);
	if (e.fault)
		report_walk(chan, e.fault_address);
}
