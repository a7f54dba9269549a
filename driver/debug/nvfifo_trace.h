/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace events, in events/nvfifo of tracefs.
 *
 * card is the number of the render node, channel PFIFO's number of the channel.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM nvfifo

#if !defined(_NVFIFO_TRACE_H_) || defined(TRACE_HEADER_MULTI_READ)
#define _NVFIFO_TRACE_H_

#include <linux/tracepoint.h>

#include "nvfifo_drv.h"

#ifndef NVFIFO_WORDS_PART
/* Most words of one event, so that its line fits into a page */
#define NVFIFO_WORDS_PART	256

/**
 * struct nvfifo_words_part - Words of a submission, for the event nvfifo_words
 * @number: the submission
 * @va: virtual address of the entry
 * @index: the entry, from 0
 * @words: number of words of the entry
 * @first: index of the first word in @data
 * @count: number of words in @data
 * @data: the words
 */
struct nvfifo_words_part {
	u64 number;
	u64 va;
	u32 index;
	u32 words;
	u32 first;
	u32 count;
	const u32 *data;
};
#endif

/* A mapping was written to the page tables, or with pte 0 cleared. */
TRACE_EVENT(nvfifo_bind,
	TP_PROTO(const struct nvfifo_vm *vm, u64 va, u64 size, u64 pte),

	TP_ARGS(vm, va, size, pte),

	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, vm)
		__field(u64, va)
		__field(u64, size)
		__field(u64, pte)
	),

	TP_fast_assign(
		__entry->card = nvfifo_card(vm->ndev);
		__entry->vm = vm->serial;
		__entry->va = va;
		__entry->size = size;
		__entry->pte = pte;
	),

	TP_printk("card=%u vm=%u va=%010llx size=%#llx pte=%016llx", __entry->card, __entry->vm,
		  __entry->va, __entry->size, __entry->pte)
);

/* The TLB of a VM engine was flushed; ret is 0 or an errno. */
TRACE_EVENT(nvfifo_flush,
	TP_PROTO(const struct nvfifo_device *ndev, unsigned int engine, int ret),

	TP_ARGS(ndev, engine, ret),

	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, chipset)
		__field(u32, engine)
		__field(int, ret)
	),

	TP_fast_assign(
		__entry->card = nvfifo_card(ndev);
		__entry->chipset = ndev->chip->id;
		__entry->engine = engine;
		__entry->ret = ret;
	),

	TP_printk("card=%u engine=%s ret=%d", __entry->card,
		  nvfifo_name_or_unknown(nvfifo_fault_engine(__entry->chipset, __entry->engine)),
		  __entry->ret)
);

/* Entries were written to a ring and the doorbell rung. */
TRACE_EVENT(nvfifo_submit,
	TP_PROTO(const struct nvfifo_chan *chan, u64 number, u32 entries),

	TP_ARGS(chan, number, entries),

	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, channel)
		__field(u64, number)
		__field(u32, entries)
		__field(u32, ib_put)
	),

	TP_fast_assign(
		__entry->card = nvfifo_card(chan->ndev);
		__entry->channel = chan->id;
		__entry->number = number;
		__entry->entries = entries;
		__entry->ib_put = chan->put;
	),

	TP_printk("card=%u channel=%u submit=%llu entries=%u ib_put=%u", __entry->card,
		  __entry->channel, __entry->number, __entry->entries, __entry->ib_put)
);

/* Words of a submission's entry, as the CPU saw them after the SUBMIT; a part of a long one. */
TRACE_EVENT(nvfifo_words,
	TP_PROTO(const struct nvfifo_chan *chan, const struct nvfifo_words_part *part),

	TP_ARGS(chan, part),

	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, channel)
		__field(u64, number)
		__field(u32, index)
		__field(u32, first)
		__field(u32, words)
		__field(u32, count)
		__field(u64, va)
		__dynamic_array(u32, data, part->count)
	),

	TP_fast_assign(
		__entry->card = nvfifo_card(chan->ndev);
		__entry->channel = chan->id;
		__entry->number = part->number;
		__entry->index = part->index;
		__entry->first = part->first;
		__entry->words = part->words;
		__entry->count = part->count;
		__entry->va = part->va;
		memcpy(__get_dynamic_array(data), part->data, part->count * sizeof(u32));
	),

	TP_printk("card=%u channel=%u submit=%llu entry=%u va=%010llx words=%u first=%u data=%s",
		  __entry->card, __entry->channel, __entry->number, __entry->index, __entry->va,
		  __entry->words, __entry->first,
		  __print_array(__get_dynamic_array(data), __entry->count, sizeof(u32)))
);

/* An object was added to a channel. */
TRACE_EVENT(nvfifo_object,
	TP_PROTO(const struct nvfifo_chan *chan, u32 handle, u32 oclass),

	TP_ARGS(chan, handle, oclass),

	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, channel)
		__field(u32, handle)
		__field(u32, oclass)
	),

	TP_fast_assign(
		__entry->card = nvfifo_card(chan->ndev);
		__entry->channel = chan->id;
		__entry->handle = handle;
		__entry->oclass = oclass;
	),

	TP_printk("card=%u channel=%u handle=%08x class=%04x", __entry->card, __entry->channel,
		  __entry->handle, __entry->oclass)
);

/* A submission has ended. */
TRACE_EVENT(nvfifo_fence,
	TP_PROTO(const struct nvfifo_chan *chan, u64 number, int error),

	TP_ARGS(chan, number, error),

	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, channel)
		__field(u64, number)
		__field(int, error)
	),

	TP_fast_assign(
		__entry->card = nvfifo_card(chan->ndev);
		__entry->channel = chan->id;
		__entry->number = number;
		__entry->error = error;
	),

	TP_printk("card=%u channel=%u submit=%llu error=%d", __entry->card, __entry->channel,
		  __entry->number, __entry->error)
);

DECLARE_EVENT_CLASS(nvfifo_channel,
	TP_PROTO(const struct nvfifo_chan *chan),

	TP_ARGS(chan),

	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, channel)
		__field(u64, inst)
		__field(u32, error)
		__field(u32, code)
		__field(u32, detail)
		__field(u32, method)
		__field(u32, data)
		__field(u64, get)
	),

	TP_fast_assign(
		__entry->card = nvfifo_card(chan->ndev);
		__entry->channel = chan->id;
		__entry->inst = chan->inst.addr;
		__entry->error = chan->error.error;
		__entry->code = chan->error.error_code;
		__entry->detail = chan->error.error_detail;
		__entry->method = chan->error.error_method;
		__entry->data = chan->error.error_data;
		__entry->get = chan->error.get;
	),

	TP_printk("card=%u channel=%u structure=%08llx error=%u code=%#x detail=%#x subchannel=%u method=%04x data=%08x get=%010llx",
		  __entry->card, __entry->channel, __entry->inst, __entry->error, __entry->code,
		  __entry->detail, __entry->method >> 13 & 7, __entry->method & 0x1ffc,
		  __entry->data, __entry->get)
);

/*
 * A channel was added to the playlist, was taken off the card, or was ended by an error. The fields
 * of the error are those of CHANNEL_QUERY.
 */
DEFINE_EVENT(nvfifo_channel, nvfifo_channel_start,
	TP_PROTO(const struct nvfifo_chan *chan), TP_ARGS(chan));
DEFINE_EVENT(nvfifo_channel, nvfifo_channel_stop,
	TP_PROTO(const struct nvfifo_chan *chan), TP_ARGS(chan));
DEFINE_EVENT(nvfifo_channel, nvfifo_channel_dead,
	TP_PROTO(const struct nvfifo_chan *chan), TP_ARGS(chan));

/* The MMU recorded a fault. */
TRACE_EVENT(nvfifo_fault,
	TP_PROTO(const struct nvfifo_device *ndev, const struct nvfifo_fault *f),

	TP_ARGS(ndev, f),

	TP_STRUCT__entry(
		__field(u32, card)
		__field(u32, chipset)
		__field(u64, address)
		__field(u64, inst)
		__field(u8, engine)
		__field(u8, client)
		__field(u8, slot)
		__field(u8, reason)
		__field(bool, write)
	),

	TP_fast_assign(
		__entry->card = nvfifo_card(ndev);
		__entry->chipset = ndev->chip->id;
		__entry->address = f->address;
		__entry->inst = f->inst;
		__entry->engine = f->engine;
		__entry->client = f->client;
		__entry->slot = f->slot;
		__entry->reason = f->reason;
		__entry->write = f->write;
	),

	TP_printk("card=%u %s at %010llx engine=%s client=%s slot=%x(%s) structure=%08llx reason=%s",
		  __entry->card, __entry->write ? "write" : "read", __entry->address,
		  nvfifo_name_or_unknown(nvfifo_fault_engine(__entry->chipset, __entry->engine)),
		  nvfifo_name_or_unknown(nvfifo_fault_client(__entry->chipset, __entry->client)),
		  __entry->slot,
		  nvfifo_name_or_unknown(nvfifo_fault_slot(__entry->chipset, __entry->engine,
							   __entry->client, __entry->slot)),
		  __entry->inst, nvfifo_fault_reason_name(__entry->reason))
);

/*
 * The CPU accessed BAR0, or instance memory through BAR3. The model repeats these accesses. The
 * event follows the access, so those of two threads may be in the wrong order.
 */
TRACE_EVENT(nvfifo_access,
	TP_PROTO(const struct nvfifo_device *ndev, unsigned int op, unsigned int bar, u32 offset,
		 u64 value),

	TP_ARGS(ndev, op, bar, offset, value),

	TP_STRUCT__entry(
		__field(u32, card)
		__field(u8, op)
		__field(u8, bar)
		__field(u32, offset)
		__field(u64, value)
	),

	TP_fast_assign(
		__entry->card = nvfifo_card(ndev);
		__entry->op = op;
		__entry->bar = bar;
		__entry->offset = offset;
		__entry->value = value;
	),

	TP_printk("card=%u op=%s bar=%u offset=%06x value=%08llx", __entry->card,
		  __print_symbolic(__entry->op, { NVFIFO_ACCESS_READ, "R4" },
				   { NVFIFO_ACCESS_WRITE, "W4" },
				   { NVFIFO_ACCESS_WRITE_BYTE, "W1" },
				   { NVFIFO_ACCESS_CLEAR, "C" }),
		  __entry->bar, __entry->offset, __entry->value)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH debug
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE nvfifo_trace
#include <trace/define_trace.h>
