// SPDX-License-Identifier: MIT
/*
 * Interrupts: a fence of G80, or a mistake in a pushbuffer. The card's registers have the reason.
 * After a mistake the model drops the channel's work and bans the channel; all others continue.
 */
#include <string.h>

#include "nvfifo_names.h"
#include "priv.h"

#define ERRORS	(NV_PFIFO_INTR__CACHE_ERROR | NV_PFIFO_INTR__DMA_PUSHER | \
		 NV_PFIFO_INTR__SEMAPHORE | NV_PFIFO_INTR__MTHD_UNK2C)
/* Interrupts that methods of PGRAPH ask for: no errors */
#define GR_NORMAL (NV_PGRAPH_INTR__NOTIFY | NV_PGRAPH_INTR__COMPUTE_QUERY | NV_PGRAPH_INTR__SYNC | \
		   NV_PGRAPH_INTR__BUFFER_NOTIFY)

/* The MMU keeps the first failed translation until it is read. */
static void take_fault(struct model *m, const struct model_channel *c,
		       struct drm_nvfifo_channel_query *e)
{
	__u32 pending = NV_FLD_MASK(NV_PFB_VM_FAULT__PENDING), w[NVFIFO_FAULT_WORDS];
	__u32 control = model_read(m, NV_PFB_VM_FAULT), enable, i;
	struct nvfifo_fault f;

	if (!(control & pending))
		return;

	enable = control & ~(pending | NV_FLD_MASK(NV_PFB_VM_FAULT__INDEX));
	for (i = 0; i < NVFIFO_FAULT_WORDS; i++) {
		model_write(m, NV_PFB_VM_FAULT, enable | NV_FLD_SET(NV_PFB_VM_FAULT__INDEX, i));
		w[i] = model_read(m, NV_PFB_VM_FAULT_DATA);
	}

	model_write(m, NV_PFB_VM_FAULT, enable | pending);
	f = nvfifo_fault_decode(m->chipset, w);
	if (!c || f.inst != c->inst)
		return;

	e->fault = 1;
	e->fault_address = f.address;
	e->fault_engine = f.engine;
	e->fault_client = f.client;
	e->fault_slot = f.slot;
	e->fault_reason = f.reason;
	e->fault_write = f.write;
}

/* --- PFIFO --------------------------------------------------------------- */

static __u32 cache_word(struct model *m, __u32 get, __u32 *data)
{
	__u32 i = (get & 0x7fc) >> 2;

	*data = model_read(m, NV_REG_AT(NV_CACHE1_CACHE_DATA, i));

	return model_read(m, NV_REG_AT(NV_CACHE1_CACHE_MTHD, i)) &
	       (NV_FLD_MASK(NV_CACHE1_CACHE_MTHD__METHOD) |
		NV_FLD_MASK(NV_CACHE1_CACHE_MTHD__SUBCHANNEL));
}

static void puller_resume(struct model *m, __u32 get, __u32 intr)
{
	model_write(m, NV_CACHE1_GET, get);
	model_write(m, NV_CACHE1_HASH, 0);
	model_write(m, NV_PFIFO_INTR, intr);
	model_write(m, NV_CACHE1_PULL0, NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS));
}

/* Drop the pending work of the loaded channel, and resume PFIFO. */
static void drop_work(struct model *m, __u32 intr)
{
	model_write(m, NV_CACHE1_PULL0, 0);
	model_write(m, NV_CACHE1_DMA_PUSH, 0);
	model_write(m, NV_CACHE1_METHOD_COUNT, 0);
	model_write(m, NV_CACHE1_DMA_GET, model_read(m, NV_CACHE1_DMA_PUT));
	model_write(m, NV_CACHE1_DMA_GET_HIGH, model_read(m, NV_CACHE1_DMA_PUT_HIGH));
	model_write(m, NV_CACHE1_IB_GET, model_read(m, NV_CACHE1_IB_PUT));
	model_write(m, NV_CACHE1_DMA_STATE, 0);

	/* An unaligned semaphore address would fail again. */
	if (m->g84)
		model_write(m, NV_CACHE1_SEMAPHORE_ADDRESS_LOW, 0);
	puller_resume(m, model_read(m, NV_CACHE1_PUT), intr);
	model_write(m, NV_CACHE1_DMA_PUSH, NV_FLD_MASK(NV_CACHE1_DMA_PUSH__ACCESS));
}

static void pusher_error(struct model *m, struct drm_nvfifo_channel_query *e)
{
	__u32 state = model_read(m, NV_CACHE1_DMA_STATE), shadow = NV_CACHE1_DMA_RSVD_SHADOW;

	e->error = DRM_NVFIFO_ERROR_PUSHER;
	e->error_code = NV_FLD_GET(NV_CACHE1_DMA_STATE__ERROR, state);
	e->error_method = state & (NV_FLD_MASK(NV_CACHE1_DMA_STATE__SUBCHANNEL) |
				   NV_FLD_MASK(NV_CACHE1_DMA_STATE__METHOD));
	if (e->error_code == NVFIFO_PUSHER_INVALID_MTHD)
		shadow = NV_CACHE1_DMA_DATA_SHADOW;
	e->error_data = model_read(m, shadow);
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

/* Return: true if a software object handled the method. */
static bool software_method(struct model *m, struct model_channel *c, __u32 method, __u32 data)
{
	__u32 subc = NV_FLD_GET(NV_CACHE1_CACHE_MTHD__SUBCHANNEL, method), handle;
	int slot;

	if ((method & NV_FLD_MASK(NV_CACHE1_CACHE_MTHD__METHOD)) != NVFIFO_MTHD_OBJECT) {
		handle = c->bound[subc];
		return handle && method_event(m, c, handle, method, data);
	}

	slot = nvfifo_ramht_search(c->ramht, data, false);
	if (data == NVFIFO_HANDLE_SW && !m->g84)
		c->bound[subc] = 0;
	else if (slot >= 0 && c->software[slot])
		c->bound[subc] = data;
	else
		return false;

	model_mask(m, NV_CACHE1_ENGINE, 0xfu << (subc * 4), 0);

	return true;
}

/* Return: true to ban the channel; false for methods of software objects. */
static bool cache_error(struct model *m, struct model_channel *c,
			struct drm_nvfifo_channel_query *e)
{
	__u32 get = model_read(m, NV_CACHE1_GET), pull0 = model_read(m, NV_CACHE1_PULL0);

	e->error_method = cache_word(m, get, &e->error_data);
	if (c && pull0 & NV_FLD_MASK(NV_CACHE1_PULL0__DEVICE_SOFTWARE) &&
	    software_method(m, c, e->error_method, e->error_data)) {
		puller_resume(m, (get + 4) & 0xffc, NV_PFIFO_INTR__CACHE_ERROR);
		return false;
	}

	e->error = DRM_NVFIFO_ERROR_CACHE;
	e->error_code = pull0;

	return true;
}

static void semaphore_error(struct model *m, struct drm_nvfifo_channel_query *e)
{
	__u32 get = model_read(m, NV_CACHE1_GET), pull0 = model_read(m, NV_CACHE1_PULL0);

	/* A bad low address has been taken before it is refused: GET is past it. */
	if (m->g84 && model_read(m, NV_CACHE1_SEMAPHORE_ADDRESS_LOW) & 3)
		get = (get - 4) & 0xffc;
	e->error = DRM_NVFIFO_ERROR_SEMAPHORE;
	e->error_code = NV_FLD_GET(NV_CACHE1_PULL0__SEMAPHORE_ERROR, pull0);
	e->error_method = cache_word(m, get, &e->error_data);
}

static bool is_memory_fault(const struct drm_nvfifo_channel_query *e)
{
	if (e->error == DRM_NVFIFO_ERROR_PUSHER)
		return e->error_code == NVFIFO_PUSHER_MEM_FAULT;

	return e->error == DRM_NVFIFO_ERROR_SEMAPHORE &&
	       e->error_code == NVFIFO_SEMAPHORE_MEM_FAULT;
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
	event->error = e->error;
	event->error_code = e->error_code;
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
	struct drm_nvfifo_channel_query e = { 0 };
	struct model_channel *c = loaded_channel(m);
	bool ends = true;

	/* The channel stays loaded, so that the registers describe it. */
	model_write(m, NV_PFIFO_CACHES, 0);
	if (c)
		model_channel_position(m, c, &e);
	model_write(m, NV_PFIFO_CACHES, 0);
	if (intr & NV_PFIFO_INTR__CACHE_ERROR) {
		ends = cache_error(m, c, &e);
	} else if (intr & NV_PFIFO_INTR__SEMAPHORE) {
		semaphore_error(m, &e);
	} else if (intr & NV_PFIFO_INTR__DMA_PUSHER) {
		pusher_error(m, &e);
	} else {
		e.error = DRM_NVFIFO_ERROR_CACHE;
		e.error_code = model_read(m, NV_CACHE1_PULL0);
		e.error_method = cache_word(m, model_read(m, NV_CACHE1_GET), &e.error_data);
	}

	if (ends) {
		if (is_memory_fault(&e))
			take_fault(m, c, &e);
		if (c)
			channel_end(m, c, &e);
		drop_work(m, ERRORS | intr);
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

static void gr_write(void *arg, __u32 reg, __u32 value)
{
	model_write(arg, reg, value);
}

static void subunit_reset(struct model *m, __u32 unit)
{
	model_write(m, NV_PGRAPH_SUBUNIT_RESET, unit);
	model_write(m, NV_PGRAPH_SUBUNIT_RESET, 0);
}

/* A multiprocessor goes on after its first register got its own value back and its status is 0. */
static void mps_release(struct model *m)
{
	bool g80 = m->chip < NV_CHIP_G200;
	__u32 units = model_read(m, NV_PBUS_HWUNITS_0), keep, status, n;

	for (n = 0; n < 16 * 4; n++) {
		if (!(units >> n / 4 & 1) || !(units >> (24 + n % 4) & 1))
			continue;
		keep = g80 ? NV_PGRAPH_G80_MP0_KEEP + n / 4 * NV_PGRAPH_G80_MP0_KEEP__STRIDE :
			     NV_PGRAPH_MP0_KEEP + n / 4 * NV_PGRAPH_MP0_KEEP__STRIDE;
		keep += n % 4 * (NV_PGRAPH_MP1_KEEP - NV_PGRAPH_MP0_KEEP);
		status = keep + NV_PGRAPH_MP0_TRAP - NV_PGRAPH_MP0_KEEP;
		if (!model_read(m, status))
			continue;
		model_write(m, keep, model_read(m, keep));
		model_write(m, status, 0);
	}
}

/* The writes that let the units go on after a trap */
static void trap_release(struct model *m, __u32 units)
{
	__u32 status = model_read(m, NV_PGRAPH_DISPATCH_TRAP);

	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__DISPATCH)) {
		if (status & NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__FAULT)) {
			model_write(m, NV_PGRAPH_DISPATCH_STUCK, 0);
			model_mask(m, NV_PGRAPH_DISPATCH_UNK8E8, ~3u, 0);
			model_write(m, NV_PGRAPH_DISPATCH_UNK848, 0);
		}
		if (status & NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__QUERY))
			model_write(m, NV_PGRAPH_QUERY_STUCK, 0);
	}

	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__MP))
		mps_release(m);
	nvfifo_grctx_traps(&m->gr, units, gr_write, m);
	model_write(m, NV_PGRAPH_TRAP, units);
	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__M2MF))
		subunit_reset(m, NV_FLD_MASK(NV_PGRAPH_SUBUNIT_RESET__M2MF));
	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__STRMOUT))
		subunit_reset(m, NV_FLD_MASK(NV_PGRAPH_SUBUNIT_RESET__STRMOUT));
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
		drop_work(m, ERRORS);
	model_write(m, NV_PFIFO_CACHES, NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
	model_playlist_update(m);
}

static void gr_error(struct model *m, struct drm_nvfifo_channel_query *e)
{
	__u32 address = model_read(m, NV_PGRAPH_TRAPPED_ADDR);
	struct model_channel *c = gr_channel(m);

	e->error = DRM_NVFIFO_ERROR_GRAPH;
	e->error_method = NV_FLD_GET(NV_PGRAPH_TRAPPED_ADDR__SUBCHANNEL, address) << 13 |
			  (address & NV_FLD_MASK(NV_PGRAPH_TRAPPED_ADDR__METHOD));
	e->error_data = model_read(m, NV_PGRAPH_TRAPPED_DATA);
	if (e->error_code & NV_FLD_MASK(NV_PGRAPH_INTR__TRAP)) {
		e->error_detail = model_read(m, NV_PGRAPH_TRAP);
		take_fault(m, c, e);
	} else if (e->error_code & NV_FLD_MASK(NV_PGRAPH_INTR__DATA_ERROR)) {
		e->error_detail = model_read(m, NV_PGRAPH_DATA_ERROR);
	}

	if (c)
		gr_drop(m, c, e);
}

static bool gr_interrupt(struct model *m)
{
	__u32 single_step = NV_FLD_MASK(NV_PGRAPH_CTXCTL_FLAGS_0__SINGLE_STEP);
	struct drm_nvfifo_channel_query e = { 0 };

	if (m->gr_up)
		e.error_code = model_read(m, NV_PGRAPH_INTR);
	if (!e.error_code)
		return false;

	model_write(m, NV_PGRAPH_CONTROL, 0);
	if (e.error_code & ~GR_NORMAL)
		gr_error(m, &e);
	if (e.error_code & NV_PGRAPH_INTR__TRAP)
		trap_release(m, e.error_detail);
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

	if (intr & ERRORS)
		fifo_error(m, intr & ERRORS);
	if (intr & ~(__u32)ERRORS)
		model_write(m, NV_PFIFO_INTR, intr & ~(__u32)ERRORS);

	return gr || intr;
}
