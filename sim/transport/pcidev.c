// SPDX-License-Identifier: MIT
/*
 * PCI over virtio.
 *
 * A command is a header. For a write data follows, in the same buffer or the next; a read
 * has a buffer to fill. Data is little endian. Header fields have the byte order of the
 * guest's CPU, which is this machine's. BARs have the numbers of Linux's resources.
 */
#include "pcidev.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <linux/virtio_pcidev.h>

#include "../record/port.h"
#include "access.h"

static void complain(struct pcidev *pd, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void complain(struct pcidev *pd, const char *fmt, ...)
{
	char line[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	pd->complain(pd->ctx, line);
}

/* Fill the answer with all ones, the value that no device returns. */
static uint32_t all_ones(const struct vchain *c)
{
	unsigned int i;

	for (i = c->out_segs; i < c->segs; i++)
		memset(c->seg[i].ptr, 0xff, c->seg[i].len);
	return c->in_len > UINT32_MAX ? UINT32_MAX : (uint32_t)c->in_len;
}

static bool power_of_two_upto8(uint32_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

/* Check that the answer has @size bytes at least. Bytes past them stay all ones. */
static bool check_answer(struct pcidev *pd, const char *op, const struct vchain *c, uint32_t size)
{
	if (c->in_len >= size)
		return true;
	complain(pd, "%s of %u bytes with room for %" PRIu64, op, size, c->in_len);
	return false;
}

static bool check_data(struct pcidev *pd, const char *op, const struct vchain *c, uint64_t size)
{
	if (c->out_len - sizeof(struct virtio_pcidev_msg) >= size)
		return true;
	complain(pd, "%s of %" PRIu64 " bytes with %" PRIu64 " bytes of data", op, size,
		 c->out_len - sizeof(struct virtio_pcidev_msg));
	return false;
}

static bool check_config(struct pcidev *pd, const char *op, const struct virtio_pcidev_msg *m)
{
	if (!power_of_two_upto8(m->size) || m->bar || (m->addr & (m->size - 1))) {
		complain(pd, "%s at 0x%" PRIx64 ", %u bytes, BAR field %u: not a config access", op,
			 (uint64_t)m->addr, m->size, m->bar);
		return false;
	}
	return true;
}

static uint32_t config_read(struct pcidev *pd, const struct virtio_pcidev_msg *m,
			    const struct vchain *c)
{
	uint8_t data[8];

	if (!check_config(pd, "config read", m) || !check_answer(pd, "config read", c, m->size))
		return all_ones(c);

	/* Linux probes for extended space, so an offset out of range is no mistake. */
	memset(data, 0xff, sizeof(data));
	if (m->addr <= UINT32_MAX - m->size)
		access_cfg_read(pd->port, (uint32_t)m->addr, data, m->size);

	return (uint32_t)vchain_write(c, 0, data, c->in_len < 8 ? (size_t)c->in_len : 8);
}

static void config_write(struct pcidev *pd, const struct virtio_pcidev_msg *m,
			 const struct vchain *c)
{
	uint8_t data[8];

	if (!check_config(pd, "config write", m) || !check_data(pd, "config write", c, m->size) ||
	    m->addr > UINT32_MAX - m->size)
		return;
	vchain_read(c, sizeof(*m), data, m->size);
	access_cfg_write(pd->port, (uint32_t)m->addr, data, m->size);
}

static bool check_bar(struct pcidev *pd, const char *op, const struct virtio_pcidev_msg *m)
{
	uint64_t bar_size = m->bar < 6 ? nvsim_bar_size(pd->port->sim, m->bar) : 0;

	if (m->size && m->addr < bar_size && m->size <= bar_size - m->addr)
		return true;
	complain(pd, "%s of %u bytes at 0x%" PRIx64 " of BAR%u, which has 0x%" PRIx64, op, m->size,
		 (uint64_t)m->addr, m->bar, bar_size);
	return false;
}

/*
 * @len bytes at @off of the readable or the writable part of @c, if they are contiguous, as UML's
 * are. The core then copies large blocks directly.
 */
static uint8_t *in_one_piece(const struct vchain *c, bool readable, uint64_t off, uint32_t len)
{
	unsigned int i = 0, end = c->out_segs;

	if (!readable) {
		i = c->out_segs;
		end = c->segs;
	}

	for (; i < end; off -= c->seg[i++].len)
		if (off < c->seg[i].len)
			return len <= c->seg[i].len - off ? c->seg[i].ptr + off : NULL;

	return NULL;
}

static uint32_t mmio_read(struct pcidev *pd, const struct virtio_pcidev_msg *m,
			  const struct vchain *c)
{
	uint32_t pos = 0;
	uint8_t *block;

	if (!check_bar(pd, "read", m) || !check_answer(pd, "read", c, m->size))
		return all_ones(c);

	block = access_is_block(m->bar, m->size) ? in_one_piece(c, false, 0, m->size) : NULL;
	if (block) {
		port_bar_read_block(pd->port, m->bar, m->addr, block, m->size);
		return m->size;
	}

	while (pos < m->size) {
		unsigned int size = access_size(m->bar, m->addr + pos, m->size - pos, m->size);
		uint8_t data[8];

		put_le(data, port_bar_read(pd->port, m->bar, m->addr + pos, size), size);
		vchain_write(c, pos, data, size);
		pos += size;
	}

	return m->size;
}

static void mmio_write(struct pcidev *pd, const struct virtio_pcidev_msg *m, const struct vchain *c)
{
	const uint8_t *block;
	uint32_t pos = 0;

	if (!check_bar(pd, "write", m) || !check_data(pd, "write", c, m->size))
		return;

	block =
	    access_is_block(m->bar, m->size) ? in_one_piece(c, true, sizeof(*m), m->size) : NULL;
	if (block) {
		port_bar_write_block(pd->port, m->bar, m->addr, block, m->size);
		return;
	}

	while (pos < m->size) {
		unsigned int size = access_size(m->bar, m->addr + pos, m->size - pos, m->size);
		uint8_t data[8];

		vchain_read(c, sizeof(*m) + pos, data, size);
		port_bar_write(pd->port, m->bar, m->addr + pos, get_le(data, size), size);
		pos += size;
	}
}

static void mmio_memset(struct pcidev *pd, const struct virtio_pcidev_msg *m,
			const struct vchain *c)
{
	uint32_t pos = 0;
	uint8_t byte;

	if (!check_bar(pd, "memset", m) || !check_data(pd, "memset", c, 1))
		return;

	vchain_read(c, sizeof(*m), &byte, 1);
	if (access_is_block(m->bar, m->size)) {
		port_bar_fill(pd->port, m->bar, m->addr, byte, m->size);
		return;
	}

	while (pos < m->size) {
		unsigned int size = access_size(m->bar, m->addr + pos, m->size - pos, m->size);
		uint8_t data[8];

		memset(data, byte, sizeof(data));
		port_bar_write(pd->port, m->bar, m->addr + pos, get_le(data, size), size);
		pos += size;
	}
}

uint32_t pcidev_command(struct pcidev *pd, const struct vchain *c)
{
	struct virtio_pcidev_msg m;

	if (vchain_read(c, 0, &m, sizeof(m)) < sizeof(m)) {
		complain(pd, "command of %" PRIu64 " bytes, the header alone has %zu", c->out_len,
			 sizeof(m));
		return all_ones(c);
	}

	switch (m.op) {
	case VIRTIO_PCIDEV_OP_CFG_READ:
		return config_read(pd, &m, c);
	case VIRTIO_PCIDEV_OP_MMIO_READ:
		return mmio_read(pd, &m, c);
	case VIRTIO_PCIDEV_OP_CFG_WRITE:
		/*
		 * memset_io() of UML 6.12 sends this command instead of MMIO_MEMSET. The number of
		 * a BAR proves it; for BAR0 the lengths of size and data do in most cases.
		 */
		if (m.bar)
			mmio_memset(pd, &m, c);
		else
			config_write(pd, &m, c);
		break;
	case VIRTIO_PCIDEV_OP_MMIO_WRITE:
		mmio_write(pd, &m, c);
		break;
	case VIRTIO_PCIDEV_OP_MMIO_MEMSET:
		mmio_memset(pd, &m, c);
		break;
	default:
		complain(pd, "unknown command %u", m.op);
		break;
	}

	return all_ones(c);
}

static size_t irq_message(uint8_t *buf, uint8_t op, uint64_t addr, const uint8_t *data,
			  uint32_t size)
{
	struct virtio_pcidev_msg m = {.op = op, .size = size, .addr = addr};

	memcpy(buf, &m, sizeof(m));
	if (size)
		memcpy(buf + sizeof(m), data, size);
	return sizeof(m) + size;
}

size_t pcidev_intx_message(uint8_t *buf)
{
	/* The address is the pin, 1 for INTA. */
	return irq_message(buf, VIRTIO_PCIDEV_OP_INT, 1, NULL, 0);
}

size_t pcidev_msi_message(uint8_t *buf, uint64_t addr, uint32_t data)
{
	uint8_t bytes[4];

	put_le(bytes, data, sizeof(bytes));
	return irq_message(buf, VIRTIO_PCIDEV_OP_MSI, addr, bytes, sizeof(bytes));
}
