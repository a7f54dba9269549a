/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Errors of PFIFO and PGRAPH: which registers describe them, and which writes let the units go on.
 *
 * No allocation, no lock, no policy. The kernel driver and the model in a program's own process
 * compile nvfifo_error.c; each of them gives it access to its card.
 */
#ifndef _NVFIFO_ERROR_H_
#define _NVFIFO_ERROR_H_

#include "nvfifo_fmt.h"
#include "nvfifo_grctx.h"
#include "nvfifo_port.h"
#include "uapi/nvfifo_drm.h"

/* PFIFO stops at these until they are handled. */
#define NVFIFO_FIFO_ERRORS	(NV_PFIFO_INTR__CACHE_ERROR | NV_PFIFO_INTR__DMA_PUSHER | \
				 NV_PFIFO_INTR__SEMAPHORE | NV_PFIFO_INTR__MTHD_UNK2C)

/* Errors that stop the puller; the others stop the pusher. */
#define NVFIFO_PULLER_ERRORS	(NV_PFIFO_INTR__CACHE_ERROR | NV_PFIFO_INTR__SEMAPHORE | \
				 NV_PFIFO_INTR__MTHD_UNK2C)

/* Interrupts of PGRAPH that are errors of the channel whose method caused them */
#define NVFIFO_GR_ERRORS	(NV_PGRAPH_INTR__ILLEGAL_MTHD | NV_PGRAPH_INTR__ILLEGAL_CLASS | \
				 NV_PGRAPH_INTR__DOUBLE_NOTIFY | NV_PGRAPH_INTR__CONTEXT_SWITCH | \
				 NV_PGRAPH_INTR__DATA_ERROR | NV_PGRAPH_INTR__TRAP | \
				 NV_PGRAPH_INTR__SINGLE_STEP)

/* Interrupts of PGRAPH that methods request, and that are not errors */
#define NVFIFO_GR_NORMAL	(NV_PGRAPH_INTR__NOTIFY | NV_PGRAPH_INTR__COMPUTE_QUERY | \
				 NV_PGRAPH_INTR__SYNC | NV_PGRAPH_INTR__BUFFER_NOTIFY)

/**
 * struct nvfifo_stop - The method at which the puller has stopped
 * @pull0: PULL0, which has the reason
 * @get: the method's GET
 * @method: method and subchannel, as the cache has them
 * @data: its data; the handle, if the method binds an object
 */
struct nvfifo_stop {
	__u32 pull0;
	__u32 get;
	__u32 method;
	__u32 data;
};

/* PFIFO */
struct nvfifo_stop nvfifo_stop_read(const struct nvfifo_port *port, __u32 intr);
void nvfifo_stop_repeat(const struct nvfifo_port *port, const struct nvfifo_stop *stop);
void nvfifo_stop_skip(const struct nvfifo_port *port, const struct nvfifo_stop *stop);
void nvfifo_fifo_error_read(const struct nvfifo_port *port, __u32 intr,
			    struct drm_nvfifo_channel_query *e);
void nvfifo_fifo_work_drop(const struct nvfifo_port *port, __u32 intr);

/* The record of the MMU */
bool nvfifo_is_mem_fault(const struct drm_nvfifo_channel_query *e);
bool nvfifo_fault_get(const struct nvfifo_port *port, __u32 chipset, struct nvfifo_fault *fault);
void nvfifo_fault_put(const struct nvfifo_fault *fault, struct drm_nvfifo_channel_query *e);

void nvfifo_event_fill(struct drm_nvfifo_event_channel_dead *event,
		       const struct drm_nvfifo_channel_query *e);

/* PGRAPH: multiprocessors (MPs) are numbered across TPs. A TP has at most four. */
#define NVFIFO_TP_MPS		4
#define NVFIFO_MPS		(16 * NVFIFO_TP_MPS)

void nvfifo_gr_error_read(const struct nvfifo_port *port, struct drm_nvfifo_channel_query *e);
__u32 nvfifo_mp_first_register(const struct nvfifo_grctx *gr, __u32 n);
__u32 nvfifo_mp_next_trap(const struct nvfifo_port *port, const struct nvfifo_grctx *gr, __u32 n);
void nvfifo_gr_trap_release(const struct nvfifo_port *port, const struct nvfifo_grctx *gr,
			    __u32 units);

#endif
