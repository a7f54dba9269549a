/* SPDX-License-Identifier: MIT */
/*
 * The guest's memory in the device process: regions of files that the front-end handed over.
 *
 * The device reaches a region by its DMA address. With an IOMMU this is not the guest's physical
 * address. vhost-user also gives the front-end's own address, which the rings use.
 */
#ifndef NVSIM_GUEST_MEM_H
#define NVSIM_GUEST_MEM_H

#include <stddef.h>
#include <stdint.h>

/* An emulated IOMMU maps each page on its own; the kernel allows 65530 mappings per process. */
#define GUEST_MEM_MAX_REGIONS 32768

#define GUEST_MEM_READ	1u
#define GUEST_MEM_WRITE 2u

#define GUEST_MEM_NO_UADDR UINT64_MAX

struct guest_region {
	uint64_t gpa;
	uint64_t uaddr;
	uint64_t size;
	unsigned int access; /* GUEST_MEM_READ | GUEST_MEM_WRITE */
	uint8_t *ptr;	     /* the mapping of @gpa; NULL if the region is not accessible */
	void *map;	     /* the whole mapping, page aligned */
	size_t map_len;
};

struct guest_mem {
	unsigned int count, room;
	struct guest_region *region; /* by ascending gpa */
};

/*
 * Map one region of the file @fd, which the caller keeps; with -1 the region is known, but not
 * accessible. 0, or a negative errno and a sentence in @err.
 */
int guest_mem_add(struct guest_mem *mem, uint64_t gpa, uint64_t size, uint64_t uaddr,
		  uint64_t offset, int fd, unsigned int access, char *err, size_t err_len);
/*
 * Remove the regions that lie in this range. Returns how many, or -1 and removes none when the
 * range cuts through one.
 */
int guest_mem_remove(struct guest_mem *mem, uint64_t gpa, uint64_t size);
void guest_mem_clear(struct guest_mem *mem);

/* @len bytes that lie in one region that may be written, or NULL. */
void *guest_mem_by_gpa(const struct guest_mem *mem, uint64_t gpa, uint64_t len);
void *guest_mem_by_uaddr(const struct guest_mem *mem, uint64_t uaddr, uint64_t len);

/* Copy the range. Copies nothing and returns -1 if a byte of it is no memory. */
int guest_mem_read(const struct guest_mem *mem, uint64_t gpa, void *buf, size_t len);
int guest_mem_write(const struct guest_mem *mem, uint64_t gpa, const void *buf, size_t len);

#endif
