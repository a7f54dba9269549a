/* SPDX-License-Identifier: MIT */
/*
 * The device's end of a vhost-user connection: messages, memory, two queues.
 * It knows nothing of PCI.
 */
#ifndef NVSIM_VHOST_USER_H
#define NVSIM_VHOST_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest_mem.h"
#include "stream.h"
#include "vring.h"

#define VU_QUEUES      2
#define VU_MAX_PAYLOAD 512
#define VU_MAX_REGIONS STREAM_MAX_FDS
#define VU_CONFIG_SIZE 256

#define VU_HEADER_SIZE 12

/* Requests, numbers of the vhost-user specification. */
enum vu_request {
	VU_GET_FEATURES = 1,
	VU_SET_FEATURES = 2,
	VU_SET_OWNER = 3,
	VU_RESET_OWNER = 4,
	VU_SET_MEM_TABLE = 5,
	VU_SET_VRING_NUM = 8,
	VU_SET_VRING_ADDR = 9,
	VU_SET_VRING_BASE = 10,
	VU_GET_VRING_BASE = 11,
	VU_SET_VRING_KICK = 12,
	VU_SET_VRING_CALL = 13,
	VU_SET_VRING_ERR = 14,
	VU_GET_PROTOCOL_FEATURES = 15,
	VU_SET_PROTOCOL_FEATURES = 16,
	VU_GET_QUEUE_NUM = 17,
	VU_SET_VRING_ENABLE = 18,
	VU_SET_BACKEND_REQ_FD = 21,
	VU_GET_CONFIG = 24,
	VU_SET_CONFIG = 25,
};

#define VU_FLAG_VERSION_MASK 0x3u
#define VU_FLAG_VERSION	     0x1u
#define VU_FLAG_REPLY	     0x4u
#define VU_FLAG_NEED_REPLY   0x8u

#define VU_F_VERSION_1		(UINT64_C(1) << 32)
#define VU_F_PROTOCOL_FEATURES	(UINT64_C(1) << 30)
#define VU_PROTOCOL_REPLY_ACK	(UINT64_C(1) << 3)
#define VU_PROTOCOL_BACKEND_REQ (UINT64_C(1) << 5)
#define VU_PROTOCOL_CONFIG	(UINT64_C(1) << 9)

/* In the u64 of SET_VRING_KICK, _CALL, _ERR. */
#define VU_VRING_INDEX_MASK UINT64_C(0xff)
#define VU_VRING_NO_FD	    (UINT64_C(1) << 8)

enum vu_status {
	VU_OK,
	VU_CLOSED, /* the front-end hung up between two messages */
	VU_ERROR,  /* vu.err says why; the session is over */
};

struct vu {
	struct stream io;
	int backend_fd;
	uint64_t features;
	uint64_t protocol_features;
	struct guest_mem mem;
	struct virtq queue[VU_QUEUES];
	char err[256];

	/* The message being received. */
	size_t rx_len;
	union {
		uint8_t rx[VU_HEADER_SIZE + VU_MAX_PAYLOAD];
		struct {
			uint32_t request, flags, size;
			uint8_t payload[VU_MAX_PAYLOAD];
		} msg;
	};
};

/* Takes over @sock. */
void vu_init(struct vu *vu, int sock);
void vu_destroy(struct vu *vu);

/* Receive and answer all messages so far, without waiting for more. */
enum vu_status vu_receive(struct vu *vu);

/* May the device use this queue now? */
bool vu_queue_ready(const struct vu *vu, unsigned int index);

#endif
