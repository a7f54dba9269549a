// SPDX-License-Identifier: MIT
/*
 * Interrupts: a fence of G80, or a mistake in a pushbuffer. The card's registers have the reason.
 * After a mistake the model drops the channel's work and bans the channel; all others continue.
 */
#include <string.h>

#include "nvfifo_names.h"
#include "priv.h"

/* The MMU keeps the first failed translation until it is read. */
static void take_fault(struct model *m, const struct model_channel *c,
		       struct drm_nvfifo_channel_query *e)
{
	const struct nvfifo_port port = model_port(m);
	struct nvfifo_fault f;

	if (nvfifo_fault_get(&port, m->chipset, &f) && c && f.inst == c->inst)
		nvfifo_fault_put(&f, e);
}

/* --- PFIFO --------------------------------------------------------------- */

/* Drop the pending work of the loaded channel, and resume PFIFO. */
static void drop_work(struct model *m, __u32 intr)
{
	const struct nvfifo_port port = model_port(m);

	model_write(m, NV_CACHE1_PULL0, 0);
	model_write(m, NV_CACHE1_DMA_PUSH, 0);
	nvfifo_fifo_work_drop(&port, intr);
}

/* Events of methods leave room for those of dead channels. Return: false if there is none. */
static bool method_event(struct model *m, const struct model_channel *c, __u32 handle,
			 __u32 method, __u32 data)
{
	struct drm_nvfifo_event_software_method *event = &m->events[m->event_count].method;

	if (m->event_count >= MODEL_EVENTS - NVFIFO_CHANNELS)
		return false;

	m->event_count++;
	memset(event, 0, sizeof(*event));
	event->base.type = DRM_NVFIFO_EVENT_SOFTWARE_METHOD;
	event->base.length = sizeof(*event);
	event->channel_id = c->id;
	event->handle = handle;
	event->method = method;
	event->data = data;
	event->user_data = c->user_data;

	return true;
}

/* Return: true if a software object handled the method at which the puller has stopped. */
static bool software_method(struct model *m, struct model_channel *c, __u32 intr)
{
	const struct nvfifo_port port = model_port(m);
	const struct nvfifo_stop stop = nvfifo_stop_read(&port, intr);
	const __u32 mthd = stop.method & NV_FLD_MASK(NV_CACHE1_CACHE_MTHD__METHOD);
	__u32 *bound = &c->bound[NV_FLD_GET(NV_CACHE1_CACHE_MTHD__SUBCHANNEL, stop.method)];
	int slot;

	if (!(stop.pull0 & NV_FLD_MASK(NV_CACHE1_PULL0__DEVICE_SOFTWARE)))
		return false;

	slot = nvfifo_ramht_search(c->ramht, stop.data, false);
	if (mthd != NVFIFO_MTHD_OBJECT) {
		if (!*bound || !method_event(m, c, *bound, stop.method, stop.data))
			return false;
	} else if (stop.data == NVFIFO_HANDLE_SW && !m->g84) {
		*bound = 0;
	} else if (slot >= 0 && c->software[slot]) {
		*bound = stop.data;
	} else {
		return false;
	}

	nvfifo_stop_skip(&port, &stop);

	return true;
}

/* A dead channel's doorbell is never rung, and PFIFO does not run it. */
static void channel_end(struct model *m, struct model_channel *c,
			const struct drm_nvfifo_channel_query *e)
{
	struct drm_nvfifo_event_channel_dead *event;

	if (c->dead)
		return;

	c->dead = true;
	c->error = *e;
	model_write(m, NV_REG_AT(NV_PFIFO_CHAN_TABLE, c->id), c->table);
	if (!c->event)
		return;

	event = &m->events[m->event_count++].dead;
	memset(event, 0, sizeof(*event));
	event->base.type = DRM_NVFIFO_EVENT_CHANNEL_DEAD;
	event->base.length = sizeof(*event);
	event->channel_id = c->id;
	nvfifo_event_fill(event, e);
	event->user_data = c->user_data;
}

static struct model_channel *loaded_channel(struct model *m)
{
	__u32 id = NV_FLD_GET(NV_CACHE1_PUSH1__CHID, model_read(m, NV_CACHE1_PUSH1));

	if (id >= NVFIFO_CHANNELS || !m->channels[id].used)
		return NULL;

	return &m->channels[id];
}

static void fifo_error(struct model *m, __u32 intr)
{
	const struct nvfifo_port port = model_port(m);
	struct drm_nvfifo_channel_query e = { 0 };
	struct model_channel *c = loaded_channel(m);
	bool ends;

	/* The channel stays loaded, so that the registers describe it. */
	model_write(m, NV_PFIFO_CACHES, 0);
	ends = !c || !(intr & NV_PFIFO_INTR__CACHE_ERROR) || !software_method(m, c, intr);
	if (ends) {
		if (c)
			model_channel_position(m, c, &e);
		nvfifo_fifo_error_read(&port, intr, &e);
		if (nvfifo_is_mem_fault(&e))
			take_fault(m, c, &e);
		if (c)
			channel_end(m, c, &e);
		drop_work(m, NVFIFO_FIFO_ERRORS | intr);
	}

	model_write(m, NV_PFIFO_CACHES, NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
	if (ends)
		model_playlist_update(m);
}

/* --- PGRAPH -------------------------------------------------------------- */

static struct model_channel *gr_channel(struct model *m)
{
	__u32 current = model_read(m, NV_PGRAPH_CTXCTL_CUR), id;

	if (!NV_FLD_GET(NV_PGRAPH_CTXCTL_CUR__VALID, current))
		return NULL;

	for (id = NVFIFO_CHAN_MIN; id <= NVFIFO_CHAN_MAX; id++) {
		const struct model_channel *c = &m->channels[id];

		if (c->used &&
		    c->inst >> 12 == NV_FLD_GET(NV_PGRAPH_CTXCTL_CUR__CHAN, current))
			return &m->channels[id];
	}

	return NULL;
}

/* Drop the channel's methods in PFIFO before PGRAPH takes methods again. */
static void gr_drop(struct model *m, struct model_channel *c,
		    struct drm_nvfifo_channel_query *e)
{
	__u32 error = e->error;

	model_write(m, NV_PFIFO_CACHES, 0);
	model_channel_position(m, c, e);
	e->error = error;
	model_write(m, NV_PFIFO_CACHES, 0);
	channel_end(m, c, e);
	if (loaded_channel(m) == c)
		drop_work(m, NVFIFO_FIFO_ERRORS);
	model_write(m, NV_PFIFO_CACHES, NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
	model_playlist_update(m);
}

/* Registers of a multiprocessor, from its first one on */
#define MP_TRAP		(NV_PGRAPH_MP0_TRAP - NV_PGRAPH_MP0_KEEP)
#define MP_PC		(NV_PGRAPH_MP0_PC - NV_PGRAPH_MP0_KEEP)
#define MP_OPCODE_LOW	(NV_PGRAPH_MP0_OPCODE_LOW - NV_PGRAPH_MP0_KEEP)
#define MP_OPCODE_HIGH	(NV_PGRAPH_MP0_OPCODE_HIGH - NV_PGRAPH_MP0_KEEP)

static struct model_mp_stop mp_stop_read(struct model *m)
{
	const struct nvfifo_port port = model_port(m);
	struct model_mp_stop stop = { .mp = nvfifo_mp_next_trap(&port, &m->gr, 0) };
	__u32 first;

	if (stop.mp >= NVFIFO_MPS)
		return stop;

	first = nvfifo_mp_first_register(&m->gr, stop.mp);
	stop.trap = model_read(m, first + MP_TRAP);
	stop.pc = model_read(m, first + MP_PC);
	stop.opcode[0] = model_read(m, first + MP_OPCODE_LOW);
	stop.opcode[1] = model_read(m, first + MP_OPCODE_HIGH);

	return stop;
}

bool model_mp_stop(const struct model *m, __u32 channel, struct model_mp_stop *stop)
{
	if (channel >= NVFIFO_CHANNELS)
		return false;

	*stop = m->channels[channel].stop;

	return m->channels[channel].dead && stop->trap;
}

static void gr_error(struct model *m, struct drm_nvfifo_channel_query *e)
{
	const struct nvfifo_port port = model_port(m);
	struct model_channel *c = gr_channel(m);

	nvfifo_gr_error_read(&port, e);
	if (e->error_code & NV_PGRAPH_INTR__TRAP)
		take_fault(m, c, e);
	if (!c)
		return;

	if (e->error_code & NV_PGRAPH_INTR__TRAP && e->error_detail & NV_FLD_MASK(NV_PGRAPH_TRAP__MP))
		c->stop = mp_stop_read(m);
	gr_drop(m, c, e);
}

static bool gr_interrupt(struct model *m)
{
	__u32 single_step = NV_FLD_MASK(NV_PGRAPH_CTXCTL_FLAGS_0__SINGLE_STEP);
	const struct nvfifo_port port = model_port(m);
	struct drm_nvfifo_channel_query e = { 0 };

	if (m->gr_up)
		e.error_code = model_read(m, NV_PGRAPH_INTR);
	if (!e.error_code)
		return false;

	model_write(m, NV_PGRAPH_CONTROL, 0);
	if (e.error_code & ~NVFIFO_GR_NORMAL)
		gr_error(m, &e);
	if (e.error_code & NV_PGRAPH_INTR__TRAP)
		nvfifo_gr_trap_release(&port, &m->gr, e.error_detail);
	if (model_read(m, NV_PGRAPH_CTXCTL_FLAGS_0) & single_step)
		model_mask(m, NV_PGRAPH_CTXCTL_FLAGS_0, single_step, 0);
	model_write(m, NV_PGRAPH_INTR, e.error_code);
	model_write(m, NV_PGRAPH_CONTROL, NV_FLD_MASK(NV_PGRAPH_CONTROL__QUERY_ENABLE) |
						  NV_FLD_MASK(NV_PGRAPH_CONTROL__FIFO_ACCESS));

	return true;
}

/* Handle the card's interrupts. Return: true if there was one. */
bool model_interrupts(struct model *m)
{
	__u32 intr = model_read(m, NV_PFIFO_INTR) & model_read(m, NV_PFIFO_INTR_EN);
	bool gr = gr_interrupt(m);

	/* As the driver: an error of PGRAPH fails the fences that were released after it. */
	model_fences_process(m);

	if (intr & NVFIFO_FIFO_ERRORS)
		fifo_error(m, intr & NVFIFO_FIFO_ERRORS);
	if (intr & ~(__u32)NVFIFO_FIFO_ERRORS)
		model_write(m, NV_PFIFO_INTR, intr & ~(__u32)NVFIFO_FIFO_ERRORS);

	return gr || intr;
}
