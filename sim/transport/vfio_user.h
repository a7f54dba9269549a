/* SPDX-License-Identifier: MIT */
/*
 * The device's end of a vfio-user connection: messages, guest memory, interrupt descriptors. It
 * knows nothing of the card; struct vfu_ops is the card's side.
 */
#ifndef NVSIM_VFIO_USER_H
#define NVSIM_VFIO_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/vfio.h>

#include "guest_mem.h"
#include "stream.h"

#define VFU_HEADER_SIZE 16
#define VFU_MAX_DATA	(1u << 20) /* of one region access */
#define VFU_MAX_MESSAGE (VFU_HEADER_SIZE + 16 + VFU_MAX_DATA)
#define VFU_MULTI_MAX	200 /* writes in one REGION_WRITE_MULTI */
#define VFU_REGIONS	VFIO_PCI_NUM_REGIONS
#define VFU_IRQS	VFIO_PCI_NUM_IRQS

enum vfu_command {
	VFU_VERSION = 1,
	VFU_DMA_MAP = 2,
	VFU_DMA_UNMAP = 3,
	VFU_DEVICE_GET_INFO = 4,
	VFU_DEVICE_GET_REGION_INFO = 5,
	VFU_DEVICE_GET_REGION_IO_FDS = 6,
	VFU_DEVICE_GET_IRQ_INFO = 7,
	VFU_DEVICE_SET_IRQS = 8,
	VFU_REGION_READ = 9,
	VFU_REGION_WRITE = 10,
	VFU_DMA_READ = 11,
	VFU_DMA_WRITE = 12,
	VFU_DEVICE_RESET = 13,
	VFU_REGION_WRITE_MULTI = 15,
	VFU_DEVICE_FEATURE = 16,
};

#define VFU_FLAG_TYPE	  0xfu
#define VFU_FLAG_REPLY	  0x1u
#define VFU_FLAG_NO_REPLY 0x10u
#define VFU_FLAG_ERROR	  0x20u

struct vfu_header {
	uint16_t id, command;
	uint32_t size, flags, error;
};

struct vfu_dma_map {
	uint32_t argsz, flags;
	uint64_t offset, address, size;
};

#define VFU_DMA_MAP_READ  1u
#define VFU_DMA_MAP_WRITE 2u

struct vfu_dma_unmap {
	uint32_t argsz, flags;
	uint64_t address, size;
};

struct vfu_region_access {
	uint64_t offset;
	uint32_t region, count;
};

struct vfu_multi_write {
	struct vfu_region_access access;
	uint8_t data[8];
};

struct vfu_ops {
	/* 0: no such region. The caller checks the range of an access. */
	uint64_t (*region_size)(void *ctx, unsigned int region);
	void (*read)(void *ctx, unsigned int region, uint64_t off, uint8_t *buf, size_t len);
	void (*write)(void *ctx, unsigned int region, uint64_t off, const uint8_t *buf, size_t len);
	unsigned int (*irq_count)(void *ctx, unsigned int index);
	/* Returns 0, or -1 if the reset fails. */
	int (*reset)(void *ctx);
	/* A command was refused; with @told the client got an error reply. */
	void (*refused)(void *ctx, const char *line, bool told);
};

enum vfu_status {
	VFU_OK,
	VFU_CLOSED, /* the client hung up between two messages */
	VFU_ERROR,  /* vfu.err says why; the session is over */
};

struct vfu {
	struct stream io;
	const struct vfu_ops *ops;
	void *ctx;
	struct guest_mem mem;
	bool negotiated;

	int irq_fd[VFU_IRQS]; /* one interrupt of each kind at most; -1 without a listener */
	bool intx_level, intx_masked;
	bool msi_pending; /* came before its descriptor */

	char err[256];
	uint8_t *rx, *tx;	 /* VFU_MAX_MESSAGE each */
	size_t rx_start, rx_end; /* bytes received, but not handled */
	unsigned int fd_count;	 /* descriptors of the message being handled */
};

/* Takes over @sock, even when it fails. 0, or -1 and vfu->err. */
int vfu_init(struct vfu *vfu, int sock, const struct vfu_ops *ops, void *ctx);
void vfu_destroy(struct vfu *vfu);

/* Receive and answer all messages so far, without waiting; *@handled counts them. */
enum vfu_status vfu_receive(struct vfu *vfu, unsigned int *handled);

/* The level of the INTx line, and one MSI message. */
void vfu_intx(struct vfu *vfu, bool level);
void vfu_msi(struct vfu *vfu);

#endif
