// SPDX-License-Identifier: GPL-2.0-only OR MIT
/**
 * DOC: Registers of an error
 *
 * PFIFO stops at an error with the channel loaded, so CACHE1 describes it. The puller's reason is
 * in PULL0 and its method in the cache at GET. The pusher's reason and method are in DMA_STATE.
 *
 * PGRAPH holds the method in its TRAPPED registers, and a code of DATA_ERROR or the units of TRAP.
 * A unit that has trapped goes on after the same writes as in nouveau. Without them the trap
 * repeats, or PGRAPH never becomes idle.
 *
 * A failed translation has no interrupt of its own. The MMU keeps the first one until it is read,
 * and the unit that suffered it reports it in its own way.
 */
#include "nvfifo_error.h"

static void bits_clear(const struct nvfifo_port *port, __u32 reg, __u32 bits)
{
	nvfifo_port_write(port, reg, nvfifo_port_read(port, reg) & ~bits);
}

/* --- PFIFO ----------------------------------------------------------------- */

/* GET and PUT count bytes of methods, and wrap at twice the size of the cache. */
#define CACHE_METHOD		4
#define CACHE_GET_MASK		0xffc
#define CACHE_INDEX(at)		(((at) & 0x7fc) / CACHE_METHOD)

/**
 * nvfifo_stop_read() - Read where the puller has stopped
 * @port: the card
 * @intr: the pending interrupts of PFIFO
 *
 * Return: the method, and the reason.
 */
struct nvfifo_stop nvfifo_stop_read(const struct nvfifo_port *port, __u32 intr)
{
	bool low_address = !(intr & NV_PFIFO_INTR__CACHE_ERROR) &&
			   intr & NV_PFIFO_INTR__SEMAPHORE && port->chip >= NV_CHIP_G84;
	struct nvfifo_stop stop;
	__u32 i;

	stop.pull0 = nvfifo_port_read(port, NV_CACHE1_PULL0);
	stop.get = nvfifo_port_read(port, NV_CACHE1_GET);

	/* The puller advances GET before it checks a low address, so GET is past the bad method. */
	if (low_address && nvfifo_port_read(port, NV_CACHE1_SEMAPHORE_ADDRESS_LOW) & 3)
		stop.get = (stop.get - CACHE_METHOD) & CACHE_GET_MASK;

	i = CACHE_INDEX(stop.get);
	stop.data = nvfifo_port_read(port, NV_REG_AT(NV_CACHE1_CACHE_DATA, i));
	stop.method = nvfifo_port_read(port, NV_REG_AT(NV_CACHE1_CACHE_MTHD, i)) &
		      (NV_FLD_MASK(NV_CACHE1_CACHE_MTHD__METHOD) |
		       NV_FLD_MASK(NV_CACHE1_CACHE_MTHD__SUBCHANNEL));

	return stop;
}

static void puller_resume(const struct nvfifo_port *port, __u32 at, __u32 intr)
{
	nvfifo_port_write(port, NV_CACHE1_GET, at);
	nvfifo_port_write(port, NV_CACHE1_HASH, 0);
	nvfifo_port_write(port, NV_PFIFO_INTR, intr);
	nvfifo_port_write(port, NV_CACHE1_PULL0, NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS));
}

/**
 * nvfifo_stop_repeat() - Let the puller repeat the method of a CACHE_ERROR
 * @port: the card
 * @stop: the method
 *
 * With an empty HASH it searches RAMHT again, as after nouveau's nv04_fifo_pause().
 */
void nvfifo_stop_repeat(const struct nvfifo_port *port, const struct nvfifo_stop *stop)
{
	puller_resume(port, stop->get, NV_PFIFO_INTR__CACHE_ERROR);
}

/**
 * nvfifo_stop_skip() - Let the puller continue after a method of a software object
 * @port: the card
 * @stop: the method
 *
 * If the method binds the object, its subchannel has no engine from now on. PFIFO leaves that to
 * the driver.
 */
void nvfifo_stop_skip(const struct nvfifo_port *port, const struct nvfifo_stop *stop)
{
	const __u32 subc = NV_FLD_GET(NV_CACHE1_CACHE_MTHD__SUBCHANNEL, stop->method);

	if ((stop->method & NV_FLD_MASK(NV_CACHE1_CACHE_MTHD__METHOD)) == NVFIFO_MTHD_OBJECT)
		bits_clear(port, NV_CACHE1_ENGINE, 0xfu << (subc * 4));

	puller_resume(port, (stop->get + CACHE_METHOD) & CACHE_GET_MASK,
		      NV_PFIFO_INTR__CACHE_ERROR);
}

static void pusher_error(const struct nvfifo_port *port, struct drm_nvfifo_channel_query *e)
{
	__u32 shadow = NV_CACHE1_DMA_RSVD_SHADOW;

	e->dma_state = nvfifo_port_read(port, NV_CACHE1_DMA_STATE);
	e->error = DRM_NVFIFO_ERROR_PUSHER;
	e->error_code = NV_FLD_GET(NV_CACHE1_DMA_STATE__ERROR, e->dma_state);
	e->error_method = e->dma_state & (NV_FLD_MASK(NV_CACHE1_DMA_STATE__SUBCHANNEL) |
					  NV_FLD_MASK(NV_CACHE1_DMA_STATE__METHOD));

	if (e->error_code == NVFIFO_PUSHER_INVALID_MTHD)
		shadow = NV_CACHE1_DMA_DATA_SHADOW;

	e->error_data = nvfifo_port_read(port, shadow);
}

/**
 * nvfifo_fifo_error_read() - Describe an error of PFIFO
 * @port: the card, with channel switches off
 * @intr: the pending interrupts of PFIFO
 * @e: gets error, error_code, error_method and error_data; for the pusher dma_state, too
 *
 * Puller and pusher may both have stopped; the puller's method is the earlier one. Method 0x2c of
 * MCP89, and an interrupt that no source names, count as a CACHE_ERROR.
 */
void nvfifo_fifo_error_read(const struct nvfifo_port *port, __u32 intr,
			    struct drm_nvfifo_channel_query *e)
{
	const __u32 puller = NV_PFIFO_INTR__CACHE_ERROR | NV_PFIFO_INTR__SEMAPHORE;
	struct nvfifo_stop stop;

	if (!(intr & puller) && intr & NV_PFIFO_INTR__DMA_PUSHER) {
		pusher_error(port, e);
		return;
	}

	stop = nvfifo_stop_read(port, intr);
	e->error = DRM_NVFIFO_ERROR_CACHE;
	e->error_code = stop.pull0;
	e->error_method = stop.method;
	e->error_data = stop.data;

	if ((intr & puller) == NV_PFIFO_INTR__SEMAPHORE) {
		e->error = DRM_NVFIFO_ERROR_SEMAPHORE;
		e->error_code = NV_FLD_GET(NV_CACHE1_PULL0__SEMAPHORE_ERROR, stop.pull0);
	}
}

/**
 * nvfifo_fifo_work_drop() - Drop the work of the loaded channel, and start puller and pusher
 * @port: the card, with channel switches off, and puller and pusher stopped
 * @intr: the interrupts to acknowledge
 */
void nvfifo_fifo_work_drop(const struct nvfifo_port *port, __u32 intr)
{
	nvfifo_port_write(port, NV_CACHE1_METHOD_COUNT, 0);
	nvfifo_port_write(port, NV_CACHE1_DMA_GET, nvfifo_port_read(port, NV_CACHE1_DMA_PUT));
	nvfifo_port_write(port, NV_CACHE1_DMA_GET_HIGH,
			  nvfifo_port_read(port, NV_CACHE1_DMA_PUT_HIGH));
	nvfifo_port_write(port, NV_CACHE1_IB_GET, nvfifo_port_read(port, NV_CACHE1_IB_PUT));
	nvfifo_port_write(port, NV_CACHE1_DMA_STATE, 0);

	/* An unaligned semaphore address would fail again at the next restart. */
	if (port->chip >= NV_CHIP_G84)
		nvfifo_port_write(port, NV_CACHE1_SEMAPHORE_ADDRESS_LOW, 0);

	puller_resume(port, nvfifo_port_read(port, NV_CACHE1_PUT), intr);
	nvfifo_port_write(port, NV_CACHE1_DMA_PUSH, NV_FLD_MASK(NV_CACHE1_DMA_PUSH__ACCESS));
}

/* --- The record of the MMU ------------------------------------------------- */

/**
 * nvfifo_is_mem_fault() - Is an error of PFIFO a failed translation?
 * @e: the error
 *
 * Return: true if it is, so that the MMU has a record of it.
 */
bool nvfifo_is_mem_fault(const struct drm_nvfifo_channel_query *e)
{
	if (e->error == DRM_NVFIFO_ERROR_PUSHER)
		return e->error_code == NVFIFO_PUSHER_MEM_FAULT;

	return e->error == DRM_NVFIFO_ERROR_SEMAPHORE &&
	       e->error_code == NVFIFO_SEMAPHORE_MEM_FAULT;
}

/**
 * nvfifo_fault_get() - Read and clear the fault record
 * @port: the card
 * @chipset: its number, for the codes of the record
 * @fault: set to the record
 *
 * The MMU records the next fault from now on.
 *
 * Return: true if there was a record.
 */
bool nvfifo_fault_get(const struct nvfifo_port *port, __u32 chipset, struct nvfifo_fault *fault)
{
	const __u32 pending = NV_FLD_MASK(NV_PFB_VM_FAULT__PENDING);
	__u32 control = nvfifo_port_read(port, NV_PFB_VM_FAULT), w[NVFIFO_FAULT_WORDS], enable, i;

	if (!(control & pending) || control == ~0u)
		return false;

	/*
	 * Like nouveau, which drops bit 27 of MCP89's enable value at this write and does not
	 * restore it.
	 */
	enable = control & NV_FLD_MASK(NV_PFB_VM_FAULT__ENABLE);

	for (i = 0; i < NVFIFO_FAULT_WORDS; i++) {
		nvfifo_port_write(port, NV_PFB_VM_FAULT,
				  enable | NV_FLD_SET(NV_PFB_VM_FAULT__INDEX, i));
		w[i] = nvfifo_port_read(port, NV_PFB_VM_FAULT_DATA);
	}

	nvfifo_port_write(port, NV_PFB_VM_FAULT, enable | pending);
	*fault = nvfifo_fault_decode(chipset, w);

	return true;
}

/**
 * nvfifo_fault_put() - Add a fault to the error that it belongs to
 * @fault: the record
 * @e: the error
 */
void nvfifo_fault_put(const struct nvfifo_fault *fault, struct drm_nvfifo_channel_query *e)
{
	e->fault = 1;
	e->fault_address = fault->address;
	e->fault_engine = fault->engine;
	e->fault_client = fault->client;
	e->fault_slot = fault->slot;
	e->fault_reason = fault->reason;
	e->fault_write = fault->write;
}

/**
 * nvfifo_event_fill() - Describe a channel's error in the event of its death
 * @event: the event, whose other fields stay
 * @e: the error
 */
void nvfifo_event_fill(struct drm_nvfifo_event_channel_dead *event,
		       const struct drm_nvfifo_channel_query *e)
{
	event->error = e->error;
	event->error_code = e->error_code;
	event->error_detail = e->error_detail;
	event->error_method = e->error_method;
	event->error_data = e->error_data;
	event->fault = e->fault;
	event->fault_address = e->fault_address;
}

/* --- PGRAPH ---------------------------------------------------------------- */

/**
 * nvfifo_gr_error_read() - Describe an error of PGRAPH
 * @port: the card, with FIFO access off
 * @e: has INTR as its error_code; gets error, error_method, error_data and error_detail
 */
void nvfifo_gr_error_read(const struct nvfifo_port *port, struct drm_nvfifo_channel_query *e)
{
	const __u32 address = nvfifo_port_read(port, NV_PGRAPH_TRAPPED_ADDR);

	e->error = DRM_NVFIFO_ERROR_GRAPH;
	e->error_method = NV_FLD_GET(NV_PGRAPH_TRAPPED_ADDR__SUBCHANNEL, address) << 13 |
			  (address & NV_FLD_MASK(NV_PGRAPH_TRAPPED_ADDR__METHOD));
	e->error_data = nvfifo_port_read(port, NV_PGRAPH_TRAPPED_DATA);

	if (e->error_code & NV_PGRAPH_INTR__TRAP)
		e->error_detail = nvfifo_port_read(port, NV_PGRAPH_TRAP);
	else if (e->error_code & NV_PGRAPH_INTR__DATA_ERROR)
		e->error_detail = nvfifo_port_read(port, NV_PGRAPH_DATA_ERROR);
}

/* Clear the command that DISPATCH could not execute, or it would trap again. */
static void dispatch_release(const struct nvfifo_port *port)
{
	const __u32 status = nvfifo_port_read(port, NV_PGRAPH_DISPATCH_TRAP);

	if (status & NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__FAULT)) {
		nvfifo_port_write(port, NV_PGRAPH_DISPATCH_STUCK, 0);
		bits_clear(port, NV_PGRAPH_DISPATCH_UNK8E8, ~3u);
		nvfifo_port_write(port, NV_PGRAPH_DISPATCH_UNK848, 0);
	}

	if (status & NV_FLD_MASK(NV_PGRAPH_DISPATCH_TRAP__QUERY))
		nvfifo_port_write(port, NV_PGRAPH_QUERY_STUCK, 0);
}

/**
 * nvfifo_mp_first_register() - Get the first register of an MP
 * @gr: the card's units
 * @n: the MP's number
 *
 * Return: its offset in BAR0.
 */
__u32 nvfifo_mp_first_register(const struct nvfifo_grctx *gr, __u32 n)
{
	static const __u32 g80[] = {
		NV_PGRAPH_G80_MP0_KEEP, NV_PGRAPH_G80_MP1_KEEP,
	};
	static const __u32 g200[] = {
		NV_PGRAPH_MP0_KEEP, NV_PGRAPH_MP1_KEEP, NV_PGRAPH_MP2_KEEP, NV_PGRAPH_MP3_KEEP,
	};
	const __u32 tp = n / NVFIFO_TP_MPS, mp = n % NVFIFO_TP_MPS;

	if (gr->chip < NV_CHIP_G200)
		return g80[mp] + tp * NV_PGRAPH_G80_MP0_KEEP__STRIDE;

	return g200[mp] + tp * NV_PGRAPH_MP0_KEEP__STRIDE;
}

static bool has_mp(const struct nvfifo_grctx *gr, __u32 n)
{
	const __u32 tp = n / NVFIFO_TP_MPS, mp = n % NVFIFO_TP_MPS;

	/* Before G200 a TP has two MPs, followed by the registers of the MPC. */
	if (gr->chip < NV_CHIP_G200 && mp >= 2)
		return false;

	return NV_FLD_GET(NV_PBUS_HWUNITS_0__TPC_MASK, gr->units) >> tp & 1 &&
	       NV_FLD_GET(NV_PBUS_HWUNITS_0__MP_MASK, gr->units) >> mp & 1;
}

/* The registers of an MP, from its first one on */
#define MP_TRAP		(NV_PGRAPH_MP0_TRAP - NV_PGRAPH_MP0_KEEP)

/**
 * nvfifo_mp_next_trap() - Find the next MP with a trap
 * @port: the card
 * @gr: its units
 * @n: number of the first MP to look at
 *
 * Return: its number, NVFIFO_MPS if there is none.
 */
__u32 nvfifo_mp_next_trap(const struct nvfifo_port *port, const struct nvfifo_grctx *gr, __u32 n)
{
	for (; n < NVFIFO_MPS; n++) {
		if (!has_mp(gr, n))
			continue;
		if (nvfifo_port_read(port, nvfifo_mp_first_register(gr, n) + MP_TRAP))
			break;
	}

	return n;
}

/*
 * An MP continues when its first register is written with its own value, and the trap register with
 * 0.
 */
static void mps_release(const struct nvfifo_port *port, const struct nvfifo_grctx *gr)
{
	__u32 n = nvfifo_mp_next_trap(port, gr, 0), keep;

	for (; n < NVFIFO_MPS; n = nvfifo_mp_next_trap(port, gr, n + 1)) {
		keep = nvfifo_mp_first_register(gr, n);
		nvfifo_port_write(port, keep, nvfifo_port_read(port, keep));
		nvfifo_port_write(port, keep + MP_TRAP, 0);
	}
}

static void subunit_reset(const struct nvfifo_port *port, __u32 unit)
{
	nvfifo_port_write(port, NV_PGRAPH_SUBUNIT_RESET, unit);
	nvfifo_port_write(port, NV_PGRAPH_SUBUNIT_RESET, 0);
}

/**
 * nvfifo_gr_trap_release() - Release the units that have trapped
 * @port: the card, with FIFO access off
 * @gr: its units
 * @units: bits of PGRAPH.TRAP
 *
 * A unit's status is cleared before its reset. The other order would drop a fault of the next work.
 * Units that have not trapped keep their status: a unit that traps during this call raises the next
 * interrupt.
 */
void nvfifo_gr_trap_release(const struct nvfifo_port *port, const struct nvfifo_grctx *gr,
			    __u32 units)
{
	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__DISPATCH))
		dispatch_release(port);
	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__MP))
		mps_release(port, gr);

	nvfifo_grctx_traps(gr, units, port->write, port->card);
	nvfifo_port_write(port, NV_PGRAPH_TRAP, units);

	/* M2MF and STRMOUT continue only after a reset. */
	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__M2MF))
		subunit_reset(port, NV_FLD_MASK(NV_PGRAPH_SUBUNIT_RESET__M2MF));
	if (units & NV_FLD_MASK(NV_PGRAPH_TRAP__STRMOUT))
		subunit_reset(port, NV_FLD_MASK(NV_PGRAPH_SUBUNIT_RESET__STRMOUT));
}
