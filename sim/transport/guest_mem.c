// SPDX-License-Identifier: MIT
/*
 * Guest memory: mapping of the front-end's regions and address translation.
 *
 * Every address and length comes from the guest, so sums are checked for overflow. A
 * region's file must have all its bytes, because an access to a mapping past the end of
 * its file raises SIGBUS.
 */
#include "guest_mem.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool overlaps(uint64_t a, uint64_t a_len, uint64_t b, uint64_t b_len)
{
	return a < b + b_len && b < a + a_len;
}

/* The first region that ends after @gpa; mem->count if there is none. */
static unsigned int region_index(const struct guest_mem *mem, uint64_t gpa)
{
	unsigned int first = 0, end = mem->count;

	while (first < end) {
		unsigned int mid = (first + end) / 2;

		if (mem->region[mid].gpa + mem->region[mid].size <= gpa)
			first = mid + 1;
		else
			end = mid;
	}

	return first;
}

/* The region that has the byte at @gpa, or NULL. */
static const struct guest_region *region_at(const struct guest_mem *mem, uint64_t gpa)
{
	unsigned int i = region_index(mem, gpa);

	return i < mem->count && mem->region[i].gpa <= gpa ? &mem->region[i] : NULL;
}

static const struct guest_region *find_overlap(const struct guest_mem *mem, uint64_t gpa,
					       uint64_t size, uint64_t uaddr)
{
	unsigned int i = region_index(mem, gpa);

	if (i < mem->count && overlaps(gpa, size, mem->region[i].gpa, mem->region[i].size))
		return &mem->region[i];
	if (uaddr == GUEST_MEM_NO_UADDR)
		return NULL;
	for (i = 0; i < mem->count; i++)
		if (overlaps(uaddr, size, mem->region[i].uaddr, mem->region[i].size))
			return &mem->region[i];
	return NULL;
}

static int map_file(struct guest_region *r, uint64_t offset, int fd, char *err, size_t err_len)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t base = offset & ~(page - 1);
	struct stat st;
	int prot = 0;

	if (r->access & GUEST_MEM_READ)
		prot |= PROT_READ;
	if (r->access & GUEST_MEM_WRITE)
		prot |= PROT_WRITE;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		snprintf(err, err_len,
			 "the descriptor of memory region 0x%" PRIx64 " is not a memory file",
			 r->gpa);
		return -EINVAL;
	}

	if ((uint64_t)st.st_size < offset + r->size) {
		snprintf(err, err_len,
			 "memory region 0x%" PRIx64 " needs 0x%" PRIx64
			 " bytes of its file, which has 0x%" PRIx64,
			 r->gpa, offset + r->size, (uint64_t)st.st_size);
		return -EINVAL;
	}

	r->map_len = r->size + (offset - base);
	r->map = mmap(NULL, r->map_len, prot, MAP_SHARED, fd, (off_t)base);
	if (r->map == MAP_FAILED) {
		int rc = -errno;

		snprintf(err, err_len, "cannot map memory region 0x%" PRIx64 "+0x%" PRIx64 ": %s",
			 r->gpa, r->size, strerror(-rc));
		return rc;
	}

	r->ptr = (uint8_t *)r->map + (offset - base);
	return 0;
}

int guest_mem_add(struct guest_mem *mem, uint64_t gpa, uint64_t size, uint64_t uaddr,
		  uint64_t offset, int fd, unsigned int access, char *err, size_t err_len)
{
	struct guest_region r = {.gpa = gpa, .uaddr = uaddr, .size = size, .access = access};
	const struct guest_region *other;
	unsigned int i;
	int rc;

	if (!size || size > SIZE_MAX / 2 || gpa > UINT64_MAX - size ||
	    (uaddr != GUEST_MEM_NO_UADDR && uaddr > UINT64_MAX - size) ||
	    offset > (uint64_t)INT64_MAX - size) {
		snprintf(err, err_len,
			 "memory region 0x%" PRIx64 "+0x%" PRIx64 " (address 0x%" PRIx64
			 ", offset 0x%" PRIx64 ") is empty or wraps around",
			 gpa, size, uaddr, offset);
		return -EINVAL;
	}

	other = find_overlap(mem, gpa, size, uaddr);
	if (other) {
		snprintf(err, err_len,
			 "memory region 0x%" PRIx64 "+0x%" PRIx64 " overlaps the one at 0x%" PRIx64,
			 gpa, size, other->gpa);
		return -EEXIST;
	}

	if (mem->count == GUEST_MEM_MAX_REGIONS) {
		snprintf(err, err_len, "more than %d memory regions", GUEST_MEM_MAX_REGIONS);
		return -ENOSPC;
	}

	if (mem->count == mem->room) {
		unsigned int room = mem->room ? 2 * mem->room : 8;
		struct guest_region *more = realloc(mem->region, room * sizeof(*more));

		if (!more) {
			snprintf(err, err_len, "no memory for %u memory regions", room);
			return -ENOMEM;
		}
		mem->region = more;
		mem->room = room;
	}

	if (fd >= 0) {
		rc = map_file(&r, offset, fd, err, err_len);
		if (rc)
			return rc;
	}

	i = region_index(mem, gpa);
	memmove(&mem->region[i + 1], &mem->region[i], (mem->count - i) * sizeof(r));
	mem->region[i] = r;
	mem->count++;
	return 0;
}

int guest_mem_remove(struct guest_mem *mem, uint64_t gpa, uint64_t size)
{
	uint64_t last = size && gpa <= UINT64_MAX - (size - 1) ? gpa + (size - 1) : UINT64_MAX;
	unsigned int first = region_index(mem, gpa), end, i;

	for (end = first; end < mem->count && mem->region[end].gpa <= last; end++)
		if (mem->region[end].gpa < gpa ||
		    mem->region[end].gpa + (mem->region[end].size - 1) > last)
			return -1;
	for (i = first; i < end; i++)
		if (mem->region[i].map)
			munmap(mem->region[i].map, mem->region[i].map_len);
	if (end > first)
		memmove(&mem->region[first], &mem->region[end],
			(mem->count - end) * sizeof(mem->region[0]));
	mem->count -= end - first;
	return (int)(end - first);
}

void guest_mem_clear(struct guest_mem *mem)
{
	guest_mem_remove(mem, 0, UINT64_MAX);
	free(mem->region);
	memset(mem, 0, sizeof(*mem));
}

void *guest_mem_by_gpa(const struct guest_mem *mem, uint64_t gpa, uint64_t len)
{
	const struct guest_region *r = region_at(mem, gpa);

	if (!r || !r->ptr || !(r->access & GUEST_MEM_WRITE) || len > r->size - (gpa - r->gpa))
		return NULL;
	return r->ptr + (gpa - r->gpa);
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

/* The bytes at @gpa in one region, or NULL. Reduces *@len to their number. */
static uint8_t *run_at(const struct guest_mem *mem, uint64_t gpa, unsigned int access, size_t *len)
{
	const struct guest_region *r = region_at(mem, gpa);
	uint64_t room;

	if (!r || !r->ptr || !(r->access & access))
		return NULL;
	room = r->size - (gpa - r->gpa);
	if (*len > room)
		*len = (size_t)room;
	return r->ptr + (gpa - r->gpa);
}

static bool is_memory(const struct guest_mem *mem, uint64_t gpa, unsigned int access, size_t len)
{
	/* No region reaches the end of the address space: the sum cannot wrap unnoticed. */
	while (len) {
		size_t run = len;

		if (!run_at(mem, gpa, access, &run))
			return false;
		gpa += run;
		len -= run;
	}

	return true;
}

int guest_mem_read(const struct guest_mem *mem, uint64_t gpa, void *buf, size_t len)
{
	uint8_t *dst = buf;

	if (!is_memory(mem, gpa, GUEST_MEM_READ, len))
		return -1;
	while (len) {
		size_t run = len;
		const uint8_t *src = run_at(mem, gpa, GUEST_MEM_READ, &run);

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

	if (!is_memory(mem, gpa, GUEST_MEM_WRITE, len))
		return -1;
	while (len) {
		size_t run = len;
		uint8_t *dst = run_at(mem, gpa, GUEST_MEM_WRITE, &run);

		memcpy(dst, src, run);
		gpa += run;
		src += run;
		len -= run;
	}

	return 0;
}
