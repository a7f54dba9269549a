/* SPDX-License-Identifier: MIT */
/*
 * The device's side of a split virtqueue. It offers neither indirect descriptors nor the event
 * index.
 */
#ifndef NVSIM_VRING_H
#define NVSIM_VRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/virtio_ring.h>

#include "guest_mem.h"

#define VIRTQ_MAX_NUM  1024
#define VCHAIN_MAX_SEG 64

struct virtq {
	uint32_t num; /* 0 until the front-end said it */
	bool have_addr;
	bool enabled;
	uint64_t desc_ua, avail_ua, used_ua;
	/* Set while the queue runs; NULL otherwise. */
	struct vring_desc *desc;
	struct vring_avail *avail;
	struct vring_used *used;
	uint16_t last_avail, used_idx;
	int kick_fd, call_fd; /* -1 when absent */
};

/* One request: the buffers to read come first, then those to write. */
struct vchain {
	uint16_t head;
	unsigned int out_segs, segs;
	uint64_t out_len, in_len;
	struct {
		uint8_t *ptr;
		uint32_t len;
	} seg[VCHAIN_MAX_SEG];
};

void virtq_init(struct virtq *q);
/* Stop, close the descriptors, forget the addresses. */
void virtq_reset(struct virtq *q);

/* Find the three parts of the ring in @mem. 0, or -1 and a sentence in @err. */
int virtq_start(struct virtq *q, const struct guest_mem *mem, char *err, size_t err_len);
void virtq_stop(struct virtq *q);
static inline bool virtq_started(const struct virtq *q)
{
	return q->desc;
}

static inline uint16_t virtq_avail_idx(const struct virtq *q)
{
	return __atomic_load_n(&q->avail->idx, __ATOMIC_ACQUIRE);
}

static inline bool virtq_has_work(const struct virtq *q)
{
	return virtq_avail_idx(q) != q->last_avail;
}

/* Returns 1 and a chain, 0 if there is none, or -1 and a sentence if the ring is damaged. */
int virtq_pop(struct virtq *q, const struct guest_mem *mem, struct vchain *c, char *err,
	      size_t err_len);
/* Return a chain to the guest, with @len bytes written. */
void virtq_push(struct virtq *q, uint16_t head, uint32_t len);

/* Ask for kicks, or say that they are not needed. */
void virtq_want_kicks(struct virtq *q, bool want);
/* Drain the kick descriptor. Returns -1 if its other end is closed. */
int virtq_drain_kick(struct virtq *q);
/* Notify the guest of used buffers, unless it has disabled notifications. Never blocks. */
void virtq_call(struct virtq *q);

/* Copy from the readable or to the writable part of a chain; return the bytes copied. */
size_t vchain_read(const struct vchain *c, uint64_t off, void *buf, size_t len);
size_t vchain_write(const struct vchain *c, uint64_t off, const void *buf, size_t len);

#endif
