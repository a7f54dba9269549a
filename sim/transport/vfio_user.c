// SPDX-License-Identifier: MIT
/*
 * vfio-user protocol, server side, after QEMU's docs/interop/vfio-user.rst.
 *
 * Guest memory is reached through the descriptors of DMA_MAP, never by DMA_READ and
 * DMA_WRITE. A client does not serve these while it waits for the answer to a register
 * read. Memory without a descriptor is accepted, because QEMU announces its ROMs that way,
 * but does not answer DMA.
 *
 * A command that cannot be carried out gets an error reply and changes nothing. A message
 * that makes the next message's start or sender uncertain ends the session.
 *
 * One recvmsg() never returns bytes after those that carry descriptors. So descriptors
 * belong to the last message that it returns.
 *
 * The client cannot map regions. Registers have side effects. BAR1 and BAR3 show memory
 * through page tables, which the guest changes, but a client maps a region only once.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "vfio_user.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nvfifo_json.h"
#include "nvfifo_row.h"

/* Messages handled before the model runs again */
#define MESSAGES_PER_CALL 256

/* Received in one go, unless a message is larger. */
#define RECEIVE_SIZE (64 * 1024)

static int fail(struct vfu *vfu, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* End the session. */
static int fail(struct vfu *vfu, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(vfu->err, sizeof(vfu->err), fmt, ap);
	va_end(ap);
	return -1;
}

static int refuse(struct vfu *vfu, int error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuse the command: log the sentence, send the error to the client. */
static int refuse(struct vfu *vfu, int error, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(vfu->err, sizeof(vfu->err), fmt, ap);
	va_end(ap);
	return error;
}

static const char *command_name(unsigned int command)
{
	static const char *const name[] = {
	    [VFU_VERSION] = "VERSION",
	    [VFU_DMA_MAP] = "DMA_MAP",
	    [VFU_DMA_UNMAP] = "DMA_UNMAP",
	    [VFU_DEVICE_GET_INFO] = "DEVICE_GET_INFO",
	    [VFU_DEVICE_GET_REGION_INFO] = "DEVICE_GET_REGION_INFO",
	    [VFU_DEVICE_GET_REGION_IO_FDS] = "DEVICE_GET_REGION_IO_FDS",
	    [VFU_DEVICE_GET_IRQ_INFO] = "DEVICE_GET_IRQ_INFO",
	    [VFU_DEVICE_SET_IRQS] = "DEVICE_SET_IRQS",
	    [VFU_REGION_READ] = "REGION_READ",
	    [VFU_REGION_WRITE] = "REGION_WRITE",
	    [VFU_DMA_READ] = "DMA_READ",
	    [VFU_DMA_WRITE] = "DMA_WRITE",
	    [VFU_DEVICE_RESET] = "DEVICE_RESET",
	    [VFU_REGION_WRITE_MULTI] = "REGION_WRITE_MULTI",
	    [VFU_DEVICE_FEATURE] = "DEVICE_FEATURE",
	};

	if (command < sizeof(name) / sizeof(name[0]) && name[command])
		return name[command];

	return "unknown command";
}

/* Interrupts */

static void signal_fd(int fd)
{
	uint64_t one = 1;

	/* A full counter is signalled already, and a closed descriptor is the client's mistake. */
	if (write(fd, &one, sizeof(one)) < 0)
		return;
}

static void deliver_intx(struct vfu *vfu)
{
	int fd = vfu->irq_fd[VFIO_PCI_INTX_IRQ_INDEX];

	if (!vfu->intx_level || vfu->intx_masked || fd < 0)
		return;
	/* Masked until the client has seen the end of the interrupt: "automasked". */
	vfu->intx_masked = true;
	signal_fd(fd);
}

void vfu_intx(struct vfu *vfu, bool level)
{
	vfu->intx_level = level;
	deliver_intx(vfu);
}

void vfu_msi(struct vfu *vfu)
{
	int fd = vfu->irq_fd[VFIO_PCI_MSI_IRQ_INDEX];

	/* The guest's write to the MSI capability arrives before the descriptor. */
	if (fd < 0)
		vfu->msi_pending = true;
	else
		signal_fd(fd);
}

static void close_irq(struct vfu *vfu, unsigned int index)
{
	if (vfu->irq_fd[index] >= 0)
		close(vfu->irq_fd[index]);
	vfu->irq_fd[index] = -1;
	if (index == VFIO_PCI_INTX_IRQ_INDEX)
		vfu->intx_masked = false;
	if (index == VFIO_PCI_MSI_IRQ_INDEX)
		vfu->msi_pending = false;
}

int vfu_init(struct vfu *vfu, int sock, const struct vfu_ops *ops, void *ctx)
{
	unsigned int i;

	memset(vfu, 0, sizeof(*vfu));
	stream_init(&vfu->io, sock);
	vfu->ops = ops;
	vfu->ctx = ctx;

	for (i = 0; i < VFU_IRQS; i++)
		vfu->irq_fd[i] = -1;

	vfu->rx = malloc(VFU_MAX_MESSAGE);
	vfu->tx = malloc(VFU_MAX_MESSAGE);
	if (vfu->rx && vfu->tx)
		return 0;

	vfu_destroy(vfu);
	return fail(vfu, "no memory for messages");
}

void vfu_destroy(struct vfu *vfu)
{
	unsigned int i;

	for (i = 0; i < VFU_IRQS; i++)
		close_irq(vfu, i);

	guest_mem_clear(&vfu->mem);
	stream_destroy(&vfu->io);
	free(vfu->rx);
	free(vfu->tx);
	vfu->rx = NULL;
	vfu->tx = NULL;
}

/*
 * Commands. Each gets its payload and the payload's length, puts an answer into @out and its
 * length into *@out_len. 0, a positive errno for an error reply, or -1 to end the session.
 */
struct payload {
	const uint8_t *in;
	size_t len;
	uint8_t *out;
	size_t out_len;
};

/* Read the capabilities that the client offers, if any. Return: false if they are no object of JSON. */
static bool read_capabilities(const struct payload *p, size_t from, struct nvfifo_row *capabilities)
{
	const char *text = (const char *)p->in + from;
	struct nvfifo_row version = { 0 };
	size_t at;
	bool ok;

	if (p->len == from)
		return true;
	if (p->in[p->len - 1])
		return false;

	ok = !nvfifo_row_from_json(&version, text, strlen(text), &at);
	text = nvfifo_row_get(&version, "capabilities");
	if (ok && text)
		ok = !nvfifo_row_from_json(capabilities, text, strlen(text), &at);
	nvfifo_row_free(&version);

	return ok;
}

/* Write those that the client offered too. Return: the text's length. */
static size_t write_capabilities(const struct nvfifo_row *offered, char *out, size_t room)
{
	struct nvfifo_json_text text = { .out = out, .room = room };
	struct nvfifo_json j = { .text = &text };

	nvfifo_json_open(&j, NULL, '{');
	nvfifo_json_open(&j, "capabilities", '{');
	if (nvfifo_row_get(offered, "max_msg_fds"))
		nvfifo_json_number(&j, "max_msg_fds", STREAM_MAX_FDS);
	if (nvfifo_row_get(offered, "max_data_xfer_size"))
		nvfifo_json_number(&j, "max_data_xfer_size", 1 << 20);
	if (nvfifo_row_get(offered, "write_multiple"))
		nvfifo_json_bool(&j, "write_multiple", true);
	nvfifo_json_close(&j, '}');
	nvfifo_json_close(&j, '}');

	return text.used;
}

static int do_version(struct vfu *vfu, struct payload *p)
{
	struct nvfifo_row offered = { 0 };
	char text[512];
	uint16_t v[2];
	bool is_json;
	size_t len;

	if (p->len < sizeof(v))
		return fail(vfu, "VERSION: %zu bytes, too short", p->len);

	memcpy(v, p->in, sizeof(v));
	if (vfu->negotiated)
		return refuse(vfu, EINVAL, "VERSION: a second time");
	if (v[0] != 0)
		return fail(vfu, "VERSION: %u.%u, this is 0.0", v[0], v[1]);

	is_json = read_capabilities(p, sizeof(v), &offered);
	len = write_capabilities(&offered, text, sizeof(text));
	nvfifo_row_free(&offered);
	if (!is_json)
		return fail(vfu, "VERSION: the capabilities are not a JSON object");

	vfu->negotiated = true;

	v[1] = 0;
	memcpy(p->out, v, sizeof(v));
	p->out_len = sizeof(v);

	/* The reply fits in the client's own, with the zero at its end. */
	if (p->len > sizeof(v) + len) {
		memcpy(p->out + sizeof(v), text, len);
		p->out[sizeof(v) + len] = '\0';
		p->out_len += len + 1;
	}

	return 0;
}

static int do_dma_map(struct vfu *vfu, struct payload *p)
{
	struct vfu_dma_map m;
	unsigned int access = 0;
	char why[200];
	int fd = -1, rc;

	if (p->len != sizeof(m))
		return refuse(vfu, EINVAL, "DMA_MAP: %zu bytes, needs %zu", p->len, sizeof(m));

	memcpy(&m, p->in, sizeof(m));
	if (m.argsz < sizeof(m) || (m.flags & ~(VFU_DMA_MAP_READ | VFU_DMA_MAP_WRITE)))
		return refuse(vfu, EINVAL, "DMA_MAP: argsz %u, flags 0x%x", m.argsz, m.flags);
	if (vfu->fd_count > 1)
		return refuse(vfu, EINVAL, "DMA_MAP: %u descriptors, at most 1 belongs to it",
			      vfu->fd_count);

	if (vfu->fd_count)
		fd = vfu->io.fds[0];

	if (m.flags & VFU_DMA_MAP_READ)
		access |= GUEST_MEM_READ;

	if (m.flags & VFU_DMA_MAP_WRITE)
		access |= GUEST_MEM_WRITE;

	/* The mapping keeps the file open; the descriptor is closed with the message. */
	rc = guest_mem_add(&vfu->mem, m.address, m.size, GUEST_MEM_NO_UADDR, m.offset, fd, access,
			   why, sizeof(why));
	if (rc == -ENOSPC)
		return fail(vfu, "DMA_MAP: %s; an IOMMU with pages of 4 KiB needs a guest that maps less",
			    why);

	return rc ? refuse(vfu, -rc, "DMA_MAP: %s", why) : 0;
}

static int do_dma_unmap(struct vfu *vfu, struct payload *p)
{
	struct vfu_dma_unmap u;

	if (p->len != sizeof(u))
		return refuse(vfu, EINVAL, "DMA_UNMAP: %zu bytes, needs %zu", p->len, sizeof(u));

	memcpy(&u, p->in, sizeof(u));
	if (u.argsz < sizeof(u) || u.flags)
		return refuse(vfu, EINVAL, "DMA_UNMAP: argsz %u, flags 0x%x", u.argsz, u.flags);

	/* An emulated IOMMU unmaps many pages at once, or ranges without any. */
	if (guest_mem_remove(&vfu->mem, u.address, u.size) < 0)
		return refuse(vfu, EINVAL,
			      "DMA_UNMAP: 0x%" PRIx64 "+0x%" PRIx64 " is a part of what was mapped",
			      u.address, u.size);

	memcpy(p->out, &u, sizeof(u));
	p->out_len = sizeof(u);
	return 0;
}

static int do_device_info(struct vfu *vfu, struct payload *p)
{
	struct {
		uint32_t argsz, flags, regions, irqs;
	} d;

	if (p->len != sizeof(d))
		return refuse(vfu, EINVAL, "DEVICE_GET_INFO: %zu bytes, needs %zu", p->len,
			      sizeof(d));

	memcpy(&d, p->in, sizeof(d));
	if (d.argsz < sizeof(d))
		return refuse(vfu, EINVAL, "DEVICE_GET_INFO: argsz %u", d.argsz);

	d.argsz = sizeof(d);
	d.flags = VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI;
	d.regions = VFU_REGIONS;
	d.irqs = VFU_IRQS;
	memcpy(p->out, &d, sizeof(d));
	p->out_len = sizeof(d);
	return 0;
}

static int do_region_info(struct vfu *vfu, struct payload *p)
{
	struct vfio_region_info r;

	if (p->len != sizeof(r))
		return refuse(vfu, EINVAL, "DEVICE_GET_REGION_INFO: %zu bytes, needs %zu", p->len,
			      sizeof(r));

	memcpy(&r, p->in, sizeof(r));
	if (r.argsz < sizeof(r) || r.index >= VFU_REGIONS)
		return refuse(vfu, EINVAL, "DEVICE_GET_REGION_INFO: argsz %u, region %u of 0 to %d",
			      r.argsz, r.index, VFU_REGIONS - 1);

	r.argsz = sizeof(r);
	r.cap_offset = 0;
	r.offset = 0;
	r.size = vfu->ops->region_size(vfu->ctx, r.index);
	r.flags = r.size ? VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE : 0;
	memcpy(p->out, &r, sizeof(r));
	p->out_len = sizeof(r);
	return 0;
}

static int do_irq_info(struct vfu *vfu, struct payload *p)
{
	struct vfio_irq_info i;

	if (p->len != sizeof(i))
		return refuse(vfu, EINVAL, "DEVICE_GET_IRQ_INFO: %zu bytes, needs %zu", p->len,
			      sizeof(i));

	memcpy(&i, p->in, sizeof(i));
	if (i.argsz < sizeof(i) || i.index >= VFU_IRQS)
		return refuse(vfu, EINVAL, "DEVICE_GET_IRQ_INFO: argsz %u, index %u of 0 to %d",
			      i.argsz, i.index, VFU_IRQS - 1);

	i.argsz = sizeof(i);
	i.count = vfu->ops->irq_count(vfu->ctx, i.index);
	i.flags = i.count ? VFIO_IRQ_INFO_EVENTFD : 0;
	if (i.count && i.index == VFIO_PCI_INTX_IRQ_INDEX)
		i.flags |= VFIO_IRQ_INFO_MASKABLE | VFIO_IRQ_INFO_AUTOMASKED;
	else if (i.count)
		i.flags |= VFIO_IRQ_INFO_NORESIZE;

	memcpy(p->out, &i, sizeof(i));
	p->out_len = sizeof(i);
	return 0;
}

static void act_on_irq(struct vfu *vfu, unsigned int index, uint32_t action)
{
	bool intx = index == VFIO_PCI_INTX_IRQ_INDEX;

	switch (action) {
	case VFIO_IRQ_SET_ACTION_MASK:
		if (intx)
			vfu->intx_masked = true;
		break;
	case VFIO_IRQ_SET_ACTION_UNMASK:
		if (intx) {
			vfu->intx_masked = false;
			deliver_intx(vfu);
		}
		break;
	case VFIO_IRQ_SET_ACTION_TRIGGER:
		if (vfu->irq_fd[index] >= 0)
			signal_fd(vfu->irq_fd[index]);
		break;
	}
}

static int set_irq_fd(struct vfu *vfu, unsigned int index)
{
	bool pending = vfu->msi_pending && index == VFIO_PCI_MSI_IRQ_INDEX;
	struct stat st;

	if (!vfu->fd_count) {
		close_irq(vfu, index);
		return 0;
	}

	if (fstat(vfu->io.fds[0], &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) ||
	    S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode))
		return refuse(vfu, EINVAL,
			      "DEVICE_SET_IRQS: the descriptor is not an eventfd, pipe or socket");
	close_irq(vfu, index);
	vfu->irq_fd[index] = stream_take_fd(&vfu->io, 0);
	if (index == VFIO_PCI_INTX_IRQ_INDEX)
		deliver_intx(vfu);
	else if (pending)
		signal_fd(vfu->irq_fd[index]);

	return 0;
}

static int do_set_irqs(struct vfu *vfu, struct payload *p)
{
	struct {
		uint32_t argsz, flags, index, start, count;
	} s;
	uint32_t data, action;
	unsigned int have;

	if (p->len < sizeof(s))
		return refuse(vfu, EINVAL, "DEVICE_SET_IRQS: %zu bytes, needs %zu", p->len,
			      sizeof(s));

	memcpy(&s, p->in, sizeof(s));
	data = s.flags & VFIO_IRQ_SET_DATA_TYPE_MASK;
	action = s.flags & VFIO_IRQ_SET_ACTION_TYPE_MASK;
	if (s.flags & ~(VFIO_IRQ_SET_DATA_TYPE_MASK | VFIO_IRQ_SET_ACTION_TYPE_MASK) || !data ||
	    !action || (data & (data - 1)) || (action & (action - 1)))
		return refuse(vfu, EINVAL, "DEVICE_SET_IRQS: flags 0x%x", s.flags);
	if (s.index >= VFU_IRQS)
		return refuse(vfu, EINVAL, "DEVICE_SET_IRQS: index %u of 0 to %d", s.index,
			      VFU_IRQS - 1);

	have = vfu->ops->irq_count(vfu->ctx, s.index);
	if (s.start > have || s.count > have - s.start)
		return refuse(vfu, EINVAL,
			      "DEVICE_SET_IRQS: interrupts %u+%u of the %u of index %u", s.start,
			      s.count, have, s.index);

	if (p->len != sizeof(s) + (data == VFIO_IRQ_SET_DATA_BOOL ? s.count : 0))
		return refuse(vfu, EINVAL, "DEVICE_SET_IRQS: %zu bytes do not fit its flags 0x%x",
			      p->len, s.flags);

	if (vfu->fd_count && (data != VFIO_IRQ_SET_DATA_EVENTFD || vfu->fd_count != s.count))
		return refuse(vfu, EINVAL, "DEVICE_SET_IRQS: %u descriptors for %u interrupts",
			      vfu->fd_count, s.count);

	if (!s.count) {
		/* A count of 0 is valid only for "all interrupts of the index". */
		if (data != VFIO_IRQ_SET_DATA_NONE || action != VFIO_IRQ_SET_ACTION_TRIGGER ||
		    s.start)
			return refuse(vfu, EINVAL, "DEVICE_SET_IRQS: flags 0x%x for none", s.flags);
		close_irq(vfu, s.index);
		return 0;
	}

	/* The count is 1, since no index has more interrupts. */
	if (data == VFIO_IRQ_SET_DATA_EVENTFD) {
		if (action == VFIO_IRQ_SET_ACTION_TRIGGER)
			return set_irq_fd(vfu, s.index);
		return refuse(vfu, ENOTSUP, "DEVICE_SET_IRQS: no descriptors for mask and unmask");
	}

	if (data == VFIO_IRQ_SET_DATA_NONE || p->in[sizeof(s)])
		act_on_irq(vfu, s.index, action);

	return 0;
}

static int check_access(struct vfu *vfu, const struct vfu_region_access *a, const char *what)
{
	uint64_t size = a->region < VFU_REGIONS ? vfu->ops->region_size(vfu->ctx, a->region) : 0;

	if (a->count > VFU_MAX_DATA || !a->count || a->offset >= size ||
	    a->count > size - a->offset)
		return refuse(vfu, EINVAL,
			      "%s of %u bytes at 0x%" PRIx64 " of region %u, which has 0x%" PRIx64,
			      what, a->count, a->offset, a->region, size);
	return 0;
}

static int do_region_read(struct vfu *vfu, struct payload *p)
{
	struct vfu_region_access a;
	int rc;

	if (p->len != sizeof(a))
		return refuse(vfu, EINVAL, "REGION_READ: %zu bytes, needs %zu", p->len, sizeof(a));

	memcpy(&a, p->in, sizeof(a));
	rc = check_access(vfu, &a, "REGION_READ");
	if (rc)
		return rc;

	memcpy(p->out, &a, sizeof(a));
	vfu->ops->read(vfu->ctx, a.region, a.offset, p->out + sizeof(a), a.count);
	p->out_len = sizeof(a) + a.count;
	return 0;
}

static int do_region_write(struct vfu *vfu, struct payload *p)
{
	struct vfu_region_access a;
	int rc;

	if (p->len < sizeof(a))
		return refuse(vfu, EINVAL, "REGION_WRITE: %zu bytes, too short", p->len);

	memcpy(&a, p->in, sizeof(a));
	if (a.count != p->len - sizeof(a))
		return refuse(vfu, EINVAL, "REGION_WRITE: of %u bytes with %zu bytes of data",
			      a.count, p->len - sizeof(a));

	rc = check_access(vfu, &a, "REGION_WRITE");
	if (rc)
		return rc;

	vfu->ops->write(vfu->ctx, a.region, a.offset, p->in + sizeof(a), a.count);
	memcpy(p->out, &a, sizeof(a));
	p->out_len = sizeof(a);
	return 0;
}

static int do_write_multi(struct vfu *vfu, struct payload *p)
{
	struct vfu_multi_write w;
	uint64_t count, i;
	int rc;

	if (p->len < sizeof(count))
		return refuse(vfu, EINVAL, "REGION_WRITE_MULTI: %zu bytes, too short", p->len);

	memcpy(&count, p->in, sizeof(count));
	if (count > VFU_MULTI_MAX || p->len != sizeof(count) + count * sizeof(w))
		return refuse(vfu, EINVAL,
			      "REGION_WRITE_MULTI: %" PRIu64 " writes in %zu bytes, at most %d",
			      count, p->len, VFU_MULTI_MAX);

	for (i = 0; i < count; i++) {
		memcpy(&w, p->in + sizeof(count) + i * sizeof(w), sizeof(w));
		rc = w.access.count > sizeof(w.data)
			 ? refuse(vfu, EINVAL, "REGION_WRITE_MULTI: a write of %u bytes",
				  w.access.count)
			 : check_access(vfu, &w.access, "REGION_WRITE_MULTI");
		/* The writes before it are done; the answer, if any, gives their number. */
		if (rc && !i)
			return rc;
		if (rc) {
			vfu->ops->refused(vfu->ctx, vfu->err, false);
			break;
		}
		vfu->ops->write(vfu->ctx, w.access.region, w.access.offset, w.data, w.access.count);
	}

	memcpy(p->out, &i, sizeof(i));
	p->out_len = sizeof(i);
	return 0;
}

static int do_reset(struct vfu *vfu, struct payload *p)
{
	if (p->len)
		return refuse(vfu, EINVAL, "DEVICE_RESET: %zu bytes, needs none", p->len);
	vfu->intx_masked = false;
	vfu->msi_pending = false;
	return vfu->ops->reset(vfu->ctx) ? refuse(vfu, EIO, "DEVICE_RESET: it failed") : 0;
}

static int carry_out(struct vfu *vfu, unsigned int command, struct payload *p)
{
	if (!vfu->negotiated && command != VFU_VERSION)
		return fail(vfu, "%s (%u) before VERSION", command_name(command), command);
	if (vfu->fd_count && command != VFU_DMA_MAP && command != VFU_DEVICE_SET_IRQS)
		return refuse(vfu, EINVAL, "%s (%u) with %u descriptors", command_name(command),
			      command, vfu->fd_count);

	switch (command) {
	case VFU_VERSION:
		return do_version(vfu, p);
	case VFU_DMA_MAP:
		return do_dma_map(vfu, p);
	case VFU_DMA_UNMAP:
		return do_dma_unmap(vfu, p);
	case VFU_DEVICE_GET_INFO:
		return do_device_info(vfu, p);
	case VFU_DEVICE_GET_REGION_INFO:
		return do_region_info(vfu, p);
	case VFU_DEVICE_GET_IRQ_INFO:
		return do_irq_info(vfu, p);
	case VFU_DEVICE_SET_IRQS:
		return do_set_irqs(vfu, p);
	case VFU_REGION_READ:
		return do_region_read(vfu, p);
	case VFU_REGION_WRITE:
		return do_region_write(vfu, p);
	case VFU_REGION_WRITE_MULTI:
		return do_write_multi(vfu, p);
	case VFU_DEVICE_RESET:
		return do_reset(vfu, p);
	}

	return refuse(vfu, ENOTSUP, "%s (%u) is not supported", command_name(command), command);
}

static int handle_message(struct vfu *vfu, const struct vfu_header *h)
{
	struct payload p = {
	    .in = vfu->rx + vfu->rx_start + VFU_HEADER_SIZE,
	    .len = h->size - VFU_HEADER_SIZE,
	    .out = vfu->tx + VFU_HEADER_SIZE,
	};
	struct vfu_header r = {.id = h->id, .command = h->command, .flags = VFU_FLAG_REPLY};
	bool last = vfu->rx_start + h->size == vfu->rx_end;
	int rc;

	vfu->fd_count = last ? vfu->io.fd_count : 0;
	rc = carry_out(vfu, h->command, &p);
	if (last)
		stream_close_fds(&vfu->io);

	vfu->rx_start += h->size;
	if (rc > 0) {
		r.flags |= VFU_FLAG_ERROR;
		r.error = (uint32_t)rc;
		p.out_len = 0;
		vfu->ops->refused(vfu->ctx, vfu->err, !(h->flags & VFU_FLAG_NO_REPLY));
	} else if (rc < 0) {
		return -1;
	}

	if (h->flags & VFU_FLAG_NO_REPLY)
		return 0;

	r.size = (uint32_t)(VFU_HEADER_SIZE + p.out_len);
	memcpy(vfu->tx, &r, sizeof(r));
	if (stream_send(&vfu->io, vfu->tx, r.size))
		return fail(vfu, "%s", vfu->io.err);

	return 0;
}

static int check_header(struct vfu *vfu, const struct vfu_header *h)
{
	if (h->size < VFU_HEADER_SIZE || h->size > VFU_MAX_MESSAGE)
		return fail(vfu, "%s (%u): a message of %u bytes, allowed are %d to %d",
			    command_name(h->command), h->command, h->size, VFU_HEADER_SIZE,
			    VFU_MAX_MESSAGE);

	if (h->flags & VFU_FLAG_TYPE)
		return fail(vfu, "%s (%u): flags 0x%x, but this side has no commands out",
			    command_name(h->command), h->command, h->flags);

	return 0;
}

/* The size of the message at the buffer's start as far as it is known; 0 if it is invalid. */
static size_t message_size(struct vfu *vfu, struct vfu_header *h)
{
	if (vfu->rx_end - vfu->rx_start < VFU_HEADER_SIZE)
		return VFU_HEADER_SIZE;
	memcpy(h, vfu->rx + vfu->rx_start, sizeof(*h));
	return check_header(vfu, h) ? 0 : h->size;
}

/* Receive the rest of a message of @size bytes, and perhaps of messages after it. */
static enum vfu_status receive_more(struct vfu *vfu, size_t size, bool *got)
{
	size_t have = vfu->rx_end - vfu->rx_start, want;
	long n;

	if (vfu->rx_start) {
		memmove(vfu->rx, vfu->rx + vfu->rx_start, have);
		vfu->rx_start = 0;
		vfu->rx_end = have;
	}

	want = RECEIVE_SIZE;

	/* Complete a message with descriptors before another can bring its own. */
	if (vfu->io.fd_count || want < size - have)
		want = size - have;

	if (want > VFU_MAX_MESSAGE - have)
		want = VFU_MAX_MESSAGE - have;

	n = stream_recv(&vfu->io, vfu->rx + have, want);
	*got = n > 0;
	if (n >= 0) {
		vfu->rx_end += (size_t)n;
		return VFU_OK;
	}

	if (n == -1 && !have)
		return VFU_CLOSED;

	if (n == -1)
		fail(vfu, "the client hung up inside a message, after %zu bytes", have);
	else
		fail(vfu, "%s", vfu->io.err);

	return VFU_ERROR;
}

enum vfu_status vfu_receive(struct vfu *vfu, unsigned int *handled)
{
	*handled = 0;
	while (*handled < MESSAGES_PER_CALL) {
		struct vfu_header h = {0};
		size_t size = message_size(vfu, &h);
		enum vfu_status status;
		bool got;

		if (!size)
			return VFU_ERROR;
		if (vfu->rx_end - vfu->rx_start < size) {
			/* Let the model run while the next message is incomplete. */
			if (*handled)
				return VFU_OK;
			status = receive_more(vfu, size, &got);
			if (status != VFU_OK || !got)
				return status;
			continue;
		}
		if (handle_message(vfu, &h))
			return VFU_ERROR;
		(*handled)++;
	}

	return VFU_OK;
}
