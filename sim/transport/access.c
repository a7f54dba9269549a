// SPDX-License-Identifier: MIT
/*
 * Splitting of accesses.
 */
#include "access.h"

#include "../nvsim.h"

void access_bar_read(struct nvsim *sim, unsigned int bar, uint64_t off, uint8_t *buf, size_t len)
{
	size_t pos = 0;

	if (access_is_block(bar, len)) {
		nvsim_bar_read_block(sim, bar, off, buf, len);
		return;
	}
	while (pos < len) {
		unsigned int size = access_size(bar, off + pos, len - pos, len);

		put_le(buf + pos, nvsim_bar_read(sim, bar, off + pos, size), size);
		pos += size;
	}
}

void access_bar_write(struct nvsim *sim, unsigned int bar, uint64_t off, const uint8_t *buf,
		      size_t len)
{
	size_t pos = 0;

	if (access_is_block(bar, len)) {
		nvsim_bar_write_block(sim, bar, off, buf, len);
		return;
	}
	while (pos < len) {
		unsigned int size = access_size(bar, off + pos, len - pos, len);

		nvsim_bar_write(sim, bar, off + pos, get_le(buf + pos, size), size);
		pos += size;
	}
}

static unsigned int cfg_size(uint32_t off, size_t left)
{
	unsigned int size = 4;

	while (size > left || (off & (size - 1)))
		size /= 2;
	return size;
}

void access_cfg_read(struct nvsim *sim, uint32_t off, uint8_t *buf, size_t len)
{
	size_t pos = 0;

	while (pos < len) {
		unsigned int size = cfg_size(off + (uint32_t)pos, len - pos);

		put_le(buf + pos, nvsim_cfg_read(sim, off + (uint32_t)pos, size), size);
		pos += size;
	}
}

void access_cfg_write(struct nvsim *sim, uint32_t off, const uint8_t *buf, size_t len)
{
	size_t pos = 0;

	while (pos < len) {
		unsigned int size = cfg_size(off + (uint32_t)pos, len - pos);

		nvsim_cfg_write(sim, off + (uint32_t)pos, (uint32_t)get_le(buf + pos, size), size);
		pos += size;
	}
}
