/* SPDX-License-Identifier: MIT */
/*
 * The guest's memory as the device process sees it: regions of files that the
 * front-end handed over, reachable by guest physical address (descriptors, DMA)
 * and by the front-end's own address (the rings in vhost-user messages).
 */
#ifndef NVSIM_GUEST_MEM_H
#define NVSIM_GUEST_MEM_H

#include <stddef.h>
#include <stdint.h>

#define GUEST_MEM_MAX_REGIONS 8

struct guest_region {
	uint64_t gpa;
	uint64_t uaddr;
	uint64_t size;
	uint8_t *ptr; /* where @gpa is mapped here */
	void *map;    /* the whole mapping, page aligned */
	size_t map_len;
};

struct guest_mem {
	unsigned int count;
	struct guest_region region[GUEST_MEM_MAX_REGIONS];
};

/* Map one region; the caller keeps @fd. 0, or -1 and a sentence in @err. */
int guest_mem_add(struct guest_mem *mem, uint64_t gpa, uint64_t size, uint64_t uaddr,
		  uint64_t offset, int fd, char *err, size_t err_len);
void guest_mem_clear(struct guest_mem *mem);

/* @len bytes that lie in one region, or NULL. */
void *guest_mem_by_gpa(const struct guest_mem *mem, uint64_t gpa, uint64_t len);
void *guest_mem_by_uaddr(const struct guest_mem *mem, uint64_t uaddr, uint64_t len);

/* Copies; all of the range or nothing, -1 when a byte of it is no memory. */
int guest_mem_read(const struct guest_mem *mem, uint64_t gpa, void *buf, size_t len);
int guest_mem_write(const struct guest_mem *mem, uint64_t gpa, const void *buf, size_t len);

#endif
