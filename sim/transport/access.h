/* SPDX-License-Identifier: MIT */
/*
 * Accesses of any length, split into the aligned accesses of 1, 2, 4 or 8 bytes that a CPU makes.
 * The caller checks the range.
 */
#ifndef NVSIM_ACCESS_H
#define NVSIM_ACCESS_H

#include <stddef.h>
#include <stdint.h>

struct port;

static inline uint64_t get_le(const uint8_t *p, unsigned int size)
{
	uint64_t v = 0;

	while (size--)
		v = v << 8 | p[size];
	return v;
}

static inline void put_le(uint8_t *p, uint64_t v, unsigned int size)
{
	for (; size; size--, v >>= 8)
		*p++ = (uint8_t)v;
}

/*
 * The size of the access at @off when @left bytes of @len remain. String instructions access the
 * register BAR in pieces of 4 bytes at most; only a single readq or writeq is 8 bytes wide there.
 */
static inline unsigned int access_size(unsigned int bar, uint64_t off, size_t left, size_t len)
{
	unsigned int size = bar == 0 && len != 8 ? 4 : 8;

	while (size > left || (off & (size - 1)))
		size /= 2;
	return size;
}

/* Whether the model handles the access as a block. Registers are accessed one by one. */
static inline int access_is_block(unsigned int bar, size_t len)
{
	return bar && len > 8;
}

void access_bar_read(struct port *port, unsigned int bar, uint64_t off, uint8_t *buf, size_t len);
void access_bar_write(struct port *port, unsigned int bar, uint64_t off, const uint8_t *buf,
		      size_t len);
/* A read past the end of configuration space returns all ones. */
void access_cfg_read(struct port *port, uint32_t off, uint8_t *buf, size_t len);
void access_cfg_write(struct port *port, uint32_t off, const uint8_t *buf, size_t len);

#endif
