// SPDX-License-Identifier: MIT
/*
 * Guest memory: mapping of the front-end's regions and address translation.
 *
 * Every address and length here comes from the guest. Sums are checked before
 * they are made, and a region is accepted only if its file really has the bytes,
 * because touching a mapping beyond the end of its file is a SIGBUS.
 */
#include "guest_mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool overlaps(uint64_t a, uint64_t a_len, uint64_t b, uint64_t b_len)
{
	return a < b + b_len && b < a + a_len;
}

int guest_mem_add(struct guest_mem *mem, uint64_t gpa, uint64_t size, uint64_t uaddr,
		  uint64_t offset, int fd, char *err, size_t err_len)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t base = offset & ~(page - 1);
	struct guest_region *r;
	struct stat st;
	unsigned int i;
	void *map;

	if (mem->count == GUEST_MEM_MAX_REGIONS) {
		snprintf(err, err_len, "more than %d memory regions", GUEST_MEM_MAX_REGIONS);
		return -1;
	}
	if (!size || size > SIZE_MAX / 2 || gpa > UINT64_MAX - size || uaddr > UINT64_MAX - size ||
	    offset > (uint64_t)INT64_MAX - size) {
		snprintf(err, err_len,
			 "memory region 0x%" PRIx64 "+0x%" PRIx64 " (address 0x%" PRIx64
			 ", offset 0x%" PRIx64 ") is empty or wraps around",
			 gpa, size, uaddr, offset);
		return -1;
	}
	for (i = 0; i < mem->count; i++) {
		r = &mem->region[i];
		if (overlaps(gpa, size, r->gpa, r->size) ||
		    overlaps(uaddr, size, r->uaddr, r->size)) {
			snprintf(err, err_len,
				 "memory region 0x%" PRIx64 "+0x%" PRIx64
				 " overlaps the one at 0x%" PRIx64,
				 gpa, size, r->gpa);
			return -1;
		}
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		snprintf(err, err_len,
			 "the descriptor of memory region 0x%" PRIx64 " is not a memory file", gpa);
		return -1;
	}
	if ((uint64_t)st.st_size < offset + size) {
		snprintf(err, err_len,
			 "memory region 0x%" PRIx64 " needs 0x%" PRIx64
			 " bytes of its file, which has 0x%" PRIx64,
			 gpa, offset + size, (uint64_t)st.st_size);
		return -1;
	}

	map =
	    mmap(NULL, size + (offset - base), PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)base);
	if (map == MAP_FAILED) {
		snprintf(err, err_len, "cannot map memory region 0x%" PRIx64 "+0x%" PRIx64 ": %s",
			 gpa, size, strerror(errno));
		return -1;
	}

	r = &mem->region[mem->count++];
	r->gpa = gpa;
	r->uaddr = uaddr;
	r->size = size;
	r->map = map;
	r->map_len = size + (offset - base);
	r->ptr = (uint8_t *)map + (offset - base);
	return 0;
}

void guest_mem_clear(struct guest_mem *mem)
{
	while (mem->count) {
		struct guest_region *r = &mem->region[--mem->count];

		munmap(r->map, r->map_len);
	}
}

void *guest_mem_by_gpa(const struct guest_mem *mem, uint64_t gpa, uint64_t len)
{
	unsigned int i;

	for (i = 0; i < mem->count; i++) {
		const struct guest_region *r = &mem->region[i];

		if (gpa >= r->gpa && gpa - r->gpa < r->size && len <= r->size - (gpa - r->gpa))
			return r->ptr + (gpa - r->gpa);
	}
	return NULL;
}

void *guest_mem_by_uaddr(const struct guest_mem *mem, uint64_t uaddr, uint64_t len)
{
	unsigned int i;

	for (i = 0; i < mem->count; i++) {
		const struct guest_region *r = &mem->region[i];

		if (uaddr >= r->uaddr && uaddr - r->uaddr < r->size &&
		    len <= r->size - (uaddr - r->uaddr))
			return r->ptr + (uaddr - r->uaddr);
	}
	return NULL;
}

/* The longest run at @gpa that one region holds, @len at most; NULL if there is none. */
static uint8_t *run_at(const struct guest_mem *mem, uint64_t gpa, size_t *len)
{
	unsigned int i;

	for (i = 0; i < mem->count; i++) {
		const struct guest_region *r = &mem->region[i];

		if (gpa >= r->gpa && gpa - r->gpa < r->size) {
			uint64_t room = r->size - (gpa - r->gpa);

			if (*len > room)
				*len = (size_t)room;
			return r->ptr + (gpa - r->gpa);
		}
	}
	return NULL;
}

static bool is_memory(const struct guest_mem *mem, uint64_t gpa, size_t len)
{
	/* No region reaches the end of the address space: the sum cannot wrap unnoticed. */
	while (len) {
		size_t run = len;

		if (!run_at(mem, gpa, &run))
			return false;
		gpa += run;
		len -= run;
	}
	return true;
}

int guest_mem_read(const struct guest_mem *mem, uint64_t gpa, void *buf, size_t len)
{
	uint8_t *dst = buf;

	if (!is_memory(mem, gpa, len))
		return -1;
	while (len) {
		size_t run = len;
		const uint8_t *src = run_at(mem, gpa, &run);

		memcpy(dst, src, run);
		gpa += run;
		dst += run;
		len -= run;
	}
	return 0;
}

int guest_mem_write(const struct guest_mem *mem, uint64_t gpa, const void *buf, size_t len)
{
	const uint8_t *src = buf;

	if (!is_memory(mem, gpa, len))
		return -1;
	while (len) {
		size_t run = len;
		uint8_t *dst = run_at(mem, gpa, &run);

		memcpy(dst, src, run);
		gpa += run;
		src += run;
		len -= run;
	}
	return 0;
}
