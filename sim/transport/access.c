// SPDX-License-Identifier: MIT
/*
 * Accesses of any length, split as a CPU would split them; see access.h.
 */
#include "access.h"

#include "../record/port.h"

void access_bar_read(struct port *port, unsigned int bar, uint64_t off, uint8_t *buf, size_t len)
{
	size_t pos = 0;

	if (access_is_block(bar, len)) {
		port_bar_read_block(port, bar, off, buf, len);
		return;
	}
	while (pos < len) {
		unsigned int size = access_size(bar, off + pos, len - pos, len);

		put_le(buf + pos, port_bar_read(port, bar, off + pos, size), size);
		pos += size;
	}
}

void access_bar_write(struct port *port, unsigned int bar, uint64_t off, const uint8_t *buf,
		      size_t len)
{
	size_t pos = 0;

	if (access_is_block(bar, len)) {
		port_bar_write_block(port, bar, off, buf, len);
		return;
	}
	while (pos < len) {
		unsigned int size = access_size(bar, off + pos, len - pos, len);

		port_bar_write(port, bar, off + pos, get_le(buf + pos, size), size);
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

void access_cfg_read(struct port *port, uint32_t off, uint8_t *buf, size_t len)
{
	size_t pos = 0;

	while (pos < len) {
		unsigned int size = cfg_size(off + (uint32_t)pos, len - pos);

		put_le(buf + pos, port_cfg_read(port, off + (uint32_t)pos, size), size);
		pos += size;
	}
}

void access_cfg_write(struct port *port, uint32_t off, const uint8_t *buf, size_t len)
{
	size_t pos = 0;

	while (pos < len) {
		unsigned int size = cfg_size(off + (uint32_t)pos, len - pos);

		port_cfg_write(port, off + (uint32_t)pos, (uint32_t)get_le(buf + pos, size), size);
		pos += size;
	}
}
