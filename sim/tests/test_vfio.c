// SPDX-License-Identifier: MIT
/*
 * The vfio-user transport, between a client in this file and the double of the card.
 *
 * The client speaks the protocol over a socket pair and has its memory in memfds. The server
 * runs in a thread.
 *
 * With the path of nvsim in $NVSIM or as the first argument, the program is tested as well.
 * With --round-trip the test only prints how long a register read takes.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <sys/eventfd.h>
#include <sys/mman.h>

#include "../transport/vfio_server.h"
#include "double.h"

/* The whole program must be done by then. */
#define TIME_LIMIT_S 600
/* ... and each answer there by then. */
#define ANSWER_MS 60000

#define CFG_REGION VFIO_PCI_CONFIG_REGION_INDEX
#define NO_REPLY   VFU_FLAG_NO_REPLY

/* The server: the model, the session, its reports */

struct harness {
	struct report said; /* first: argument of the callbacks */
	struct vfio_server srv;
	struct nvsim *sim;
	struct nvsim_host host;
	pthread_t thread;
	int rc;
	char err[256];
	atomic_uint resets;
	volatile sig_atomic_t stop;
	sigset_t mask;
	bool no_reset;
	int sock; /* the server's end */
};

/* Capabilities: MSI at 0x40, PCI Express at 0x60. */
static void fill_config(struct nvsim *sim)
{
	unsigned int i;

	for (i = 0x80; i < 0x100; i++)
		sim->cfg[i] = (uint8_t)i;

	sim->cfg[0] = 0xde;
	sim->cfg[1] = 0x10;
	sim->cfg[0x34] = 0x40;
	sim->cfg[0x3d] = 1;
	sim->cfg[0x40] = 0x05;
	sim->cfg[0x41] = 0x60;
	sim->cfg[0x60] = 0x10;
}

static struct nvsim *on_reset(void *ctx)
{
	struct harness *h = ctx;
	struct nvsim_config card = {.chipset = "double"};
	struct nvsim *sim;
	char err[64];

	if (h->no_reset)
		return NULL;

	atomic_fetch_add(&h->resets, 1);
	sim = nvsim_create(&card, &h->host, err, sizeof(err));
	if (!sim)
		abort();

	fill_config(sim);
	nvsim_destroy(h->sim);
	h->sim = sim;

	return sim;
}

static void *harness_thread(void *arg)
{
	struct harness *h = arg;

	h->rc = vfio_server_run(&h->srv, h->sim, h->sock, h->err, sizeof(h->err));
	return NULL;
}

/* The client */

struct client {
	struct harness h;
	int sock;
	uint16_t id;
	/* The last answer. */
	struct vfu_header reply;
	uint8_t *data;
	size_t data_len;
};

static uint8_t answer_data[VFU_MAX_MESSAGE];

static void open_quiet(struct client *c)
{
	struct harness *h = &c->h;
	struct server_config cfg = report_config(&h->said, 20, &h->stop, &h->mask);
	struct nvsim_config card = {.chipset = "double"};
	int pair[2];

	memset(c, 0, sizeof(*c));
	c->data = answer_data;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		abort();

	c->sock = pair[0];
	h->sock = pair[1];
	sigprocmask(SIG_SETMASK, NULL, &h->mask);
	cfg.reset = on_reset;
	vfio_server_init(&h->srv, &cfg, &h->host);
	h->sim = nvsim_create(&card, &h->host, h->err, sizeof(h->err));
	if (!h->sim)
		abort();

	fill_config(h->sim);
}

static void start(struct client *c)
{
	if (pthread_create(&c->h.thread, NULL, harness_thread, &c->h))
		abort();
}

/* Hang up and wait for the server, whose result is in c->h. */
static void finish(struct client *c)
{
	if (c->sock >= 0)
		close(c->sock);
	c->sock = -1;
	pthread_join(c->h.thread, NULL);
	nvsim_destroy(c->h.sim);
}

static size_t build(struct client *c, uint8_t *msg, unsigned int command, uint32_t flags,
		    const void *payload, size_t len)
{
	struct vfu_header h = {
	    .id = ++c->id,
	    .command = (uint16_t)command,
	    .size = (uint32_t)(VFU_HEADER_SIZE + len),
	    .flags = flags,
	};

	memcpy(msg, &h, sizeof(h));
	if (len)
		memcpy(msg + sizeof(h), payload, len);

	return sizeof(h) + len;
}

static bool post(struct client *c, unsigned int command, uint32_t flags, const void *payload,
		 size_t len, const int *fds, unsigned int n)
{
	static uint8_t msg[VFU_MAX_MESSAGE + 64];

	return send_fds(c->sock, msg, build(c, msg, command, flags, payload, len), fds, n);
}

/* 0 and c->data, the errno of an error reply, or -1 for no (valid) answer. */
static int answer(struct client *c, unsigned int command)
{
	struct vfu_header *r = &c->reply;

	if (!recv_all(c->sock, r, sizeof(*r), ANSWER_MS) || r->size < sizeof(*r) || r->size > VFU_MAX_MESSAGE)
		return -1;

	c->data_len = r->size - sizeof(*r);
	if (!recv_all(c->sock, c->data, c->data_len, ANSWER_MS))
		return -1;
	if (r->id != c->id || r->command != command || (r->flags & VFU_FLAG_TYPE) != VFU_FLAG_REPLY)
		return -1;
	if (r->flags & VFU_FLAG_ERROR)
		return c->data_len || !r->error ? -1 : (int)r->error;

	return r->error ? -1 : 0;
}

static int call_fds(struct client *c, unsigned int command, const void *payload, size_t len,
		    const int *fds, unsigned int n)
{
	return post(c, command, 0, payload, len, fds, n) ? answer(c, command) : -1;
}

static int call(struct client *c, unsigned int command, const void *payload, size_t len)
{
	return call_fds(c, command, payload, len, NULL, 0);
}

/* With a byte more than belongs to it. */
static int call_long(struct client *c, unsigned int command, const void *payload, size_t len)
{
	uint8_t more[256] = {0};

	memcpy(more, payload, len);
	return call(c, command, more, len + 1);
}

#define OFFER                                                                                      \
	"\0\0\0\0{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":1048576,"             \
	"\"pgsizes\":4096,\"write_multiple\":true}}"

static int say_hello(struct client *c)
{
	return call(c, VFU_VERSION, OFFER, sizeof(OFFER));
}

static void open_client(struct client *c)
{
	open_quiet(c);
	start(c);
	CHECK(!say_hello(c), "VERSION");
}

static int reg_read(struct client *c, unsigned int region, uint64_t off, void *buf, uint32_t len)
{
	struct vfu_region_access a = {.offset = off, .region = region, .count = len}, b;
	int rc = call(c, VFU_REGION_READ, &a, sizeof(a));

	if (rc)
		return rc;

	memcpy(&b, c->data, sizeof(b));
	if (memcmp(&a, &b, sizeof(a)) || c->data_len != sizeof(a) + len)
		return -1;

	memcpy(buf, c->data + sizeof(a), len);

	return 0;
}

static int reg_write_flags(struct client *c, unsigned int region, uint64_t off, const void *buf,
			   uint32_t len, uint32_t flags)
{
	struct vfu_region_access a = {.offset = off, .region = region, .count = len}, b;
	static uint8_t payload[sizeof(a) + VFU_MAX_DATA + 64];
	int rc;

	memcpy(payload, &a, sizeof(a));
	memcpy(payload + sizeof(a), buf, len);
	if (!post(c, VFU_REGION_WRITE, flags, payload, sizeof(a) + len, NULL, 0))
		return -1;
	if (flags & NO_REPLY)
		return 0;

	rc = answer(c, VFU_REGION_WRITE);
	if (rc)
		return rc;

	memcpy(&b, c->data, sizeof(b));

	return memcmp(&a, &b, sizeof(a)) || c->data_len != sizeof(a) ? -1 : 0;
}

static int reg_write(struct client *c, unsigned int region, uint64_t off, const void *buf,
		     uint32_t len)
{
	return reg_write_flags(c, region, off, buf, len, 0);
}

static uint32_t read32(struct client *c, uint64_t off)
{
	uint32_t v = 0xdeadbeef;

	CHECK(!reg_read(c, 0, off, &v, 4), "read of %#llx", (unsigned long long)off);
	return v;
}

static void write32(struct client *c, uint64_t off, uint32_t v)
{
	CHECK(!reg_write(c, 0, off, &v, 4), "write of %#llx", (unsigned long long)off);
}

static int dma_map(struct client *c, uint64_t addr, uint64_t size, uint64_t offset, uint32_t flags,
		   int fd)
{
	struct vfu_dma_map m = {
	    .argsz = sizeof(m), .flags = flags, .offset = offset, .address = addr, .size = size};

	return call_fds(c, VFU_DMA_MAP, &m, sizeof(m), &fd, fd >= 0 ? 1 : 0);
}

static int dma_unmap(struct client *c, uint64_t addr, uint64_t size)
{
	struct vfu_dma_unmap u = {.argsz = sizeof(u), .address = addr, .size = size};
	int rc = call(c, VFU_DMA_UNMAP, &u, sizeof(u));

	if (rc)
		return rc;
	return c->data_len == sizeof(u) && !memcmp(c->data, &u, sizeof(u)) ? 0 : -1;
}

/* Let the card read or write: true if it could. */
static bool card_dma(struct client *c, bool write, uint64_t addr, uint32_t len)
{
	write32(c, TRIG_ADDR_LO, (uint32_t)addr);
	write32(c, TRIG_ADDR_HI, (uint32_t)(addr >> 32));
	write32(c, write ? TRIG_DMA_WR : TRIG_DMA_RD, len);
	return read32(c, TRIG_RESULT) == 0;
}

struct irq_set {
	uint32_t argsz, flags, index, start, count;
};

static int set_irqs(struct client *c, uint32_t flags, uint32_t index, uint32_t start,
		    uint32_t count, const int *fds, unsigned int n)
{
	struct irq_set s = {sizeof(s), flags, index, start, count};

	return call_fds(c, VFU_DEVICE_SET_IRQS, &s, sizeof(s), fds, n);
}

#define TRIGGER_FD   (VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER)
#define TRIGGER_NONE (VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER)
#define UNMASK_NONE  (VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_UNMASK)
#define MASK_NONE    (VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_MASK)

/* How often an eventfd was signalled since the last look. */
static uint64_t signals(int fd)
{
	uint64_t n = 0;

	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static int new_eventfd(void)
{
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	if (fd < 0)
		abort();
	return fd;
}

static int new_memory(size_t size)
{
	int fd = memfd_create("guest", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)size))
		abort();
	return fd;
}

/* Tests */

static struct client c;

static void version_capabilities(void)
{
	uint16_t v[2];

	begin();
	open_quiet(&c);
	start(&c);
	CHECK(!say_hello(&c), "VERSION");
	memcpy(v, c.data, sizeof(v));
	CHECK(!v[0] && !v[1], "version %u.%u", v[0], v[1]);
	CHECK(c.data_len <= sizeof(OFFER) && !c.data[c.data_len - 1] && c.data[4] == '{',
	      "%zu bytes", c.data_len);
	CHECK(strstr((char *)c.data + 4, "\"write_multiple\":true") &&
		  strstr((char *)c.data + 4, "\"max_data_xfer_size\":1048576") &&
		  !strstr((char *)c.data + 4, "pgsizes"),
	      "%s", (char *)c.data + 4);
	CHECK(say_hello(&c) == EINVAL, "a second VERSION");
	finish(&c);
	CHECK(!c.h.rc, "%s", c.h.err);
	end("VERSION: capabilities of both sides, in the room that there is");
}

static void version_of_nothing(void)
{
	static const char small[] = "\0\0\0\0{}";
	static const char some[] = "\0\0\0\0{\"capabilities\":{\"max_msg_fds\":1,\"pgsizes\":4096,"
				   "\"x\":\"write_multiple\"}}";
	uint16_t v[2];

	begin();
	open_quiet(&c);
	start(&c);
	CHECK(!call(&c, VFU_VERSION, small, sizeof(small)), "VERSION");
	CHECK(c.data_len == 4, "%zu bytes", c.data_len);

	finish(&c);
	open_quiet(&c);
	start(&c);
	CHECK(!call(&c, VFU_VERSION, some, sizeof(some)), "VERSION");
	CHECK(!strcmp((char *)c.data + 4, "{\"capabilities\":{\"max_msg_fds\":8}}"), "%s",
	      (char *)c.data + 4);

	finish(&c);
	open_quiet(&c);
	start(&c);
	CHECK(!call(&c, VFU_VERSION, "\0\0\7\0", 4), "VERSION without capabilities");
	memcpy(v, c.data, sizeof(v));
	CHECK(c.data_len == 4 && !v[1], "%zu bytes, minor %u", c.data_len, v[1]);
	CHECK(read32(&c, 0x100) == 0, "the session goes on");
	finish(&c);
	end("VERSION: a client that offers nothing gets nothing");
}

static void version_refused(void)
{
	char major[] = "\1\0\0\0{}", not_json[] = "\0\0\0\0hello";

	begin();
	{
		static const struct {
			const char *text;
			const void *payload;
			size_t len;
			unsigned int command;
		} bad[] = {
		    {"before VERSION", NULL, 0, VFU_DEVICE_RESET},
		    {"this is 0.0", NULL, 7, VFU_VERSION},
		    {"too short", "\0\0\0", 3, VFU_VERSION},
		    {"not a JSON", NULL, 10, VFU_VERSION},
		    {"not a JSON", "\0\0\0\0{\"a\"", 8, VFU_VERSION},
		};
		unsigned int i;

		for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			const void *payload = bad[i].payload;

			if (i == 1)
				payload = major;
			if (i == 3)
				payload = not_json;
			open_quiet(&c);
			start(&c);
			CHECK(call(&c, bad[i].command, payload, bad[i].len) == -1, "case %u", i);
			finish(&c);
			CHECK(c.h.rc == -1 && strstr(c.h.err, bad[i].text), "case %u: %s", i,
			      c.h.err);
		}
	}

	end("VERSION: messages that end the session");
}

static void test_version(void)
{
	version_capabilities();
	version_of_nothing();
	version_refused();
}

static void device_info(void)
{
	struct {
		uint32_t argsz, flags, regions, irqs;
	} dev = {.argsz = sizeof(dev)};

	begin();
	open_client(&c);
	CHECK(!call(&c, VFU_DEVICE_GET_INFO, &dev, sizeof(dev)), "DEVICE_GET_INFO");
	memcpy(&dev, c.data, sizeof(dev));
	CHECK(c.data_len == sizeof(dev) && dev.argsz == sizeof(dev) && dev.flags == 3 &&
		  dev.regions == 9 && dev.irqs == 5,
	      "flags %#x, %u regions, %u interrupts", dev.flags, dev.regions, dev.irqs);
	dev.argsz = 15;
	CHECK(call(&c, VFU_DEVICE_GET_INFO, &dev, sizeof(dev)) == EINVAL, "argsz 15");
	CHECK(call(&c, VFU_DEVICE_GET_INFO, &dev, 15) == EINVAL, "15 bytes");
	CHECK(call(&c, VFU_DEVICE_GET_INFO, &dev, 0) == EINVAL, "0 bytes");
	end("DEVICE_GET_INFO");
}

static void region_info(void)
{
	static const uint64_t size[VFIO_PCI_NUM_REGIONS] = {BAR_SIZE, BAR_SIZE, 0,    BAR_SIZE, 0,
							    0,	      0,	4096, 0};
	uint32_t i;

	begin();

	for (i = 0; i < VFIO_PCI_NUM_REGIONS; i++) {
		struct vfio_region_info r = {.argsz = sizeof(r) + 100, .index = i};

		CHECK(!call(&c, VFU_DEVICE_GET_REGION_INFO, &r, sizeof(r)), "region %u", i);
		memcpy(&r, c.data, sizeof(r));
		CHECK(c.data_len == sizeof(r) && r.argsz == sizeof(r) && r.index == i &&
			  r.size == size[i] && r.flags == (size[i] ? 3u : 0u) && !r.cap_offset,
		      "region %u: size %#llx flags %#x argsz %u", i, r.size, r.flags, r.argsz);
	}

	{
		struct vfio_region_info r = {.argsz = sizeof(r), .index = VFIO_PCI_NUM_REGIONS};

		CHECK(call(&c, VFU_DEVICE_GET_REGION_INFO, &r, sizeof(r)) == EINVAL, "index 9");
		r.index = UINT32_MAX;
		CHECK(call(&c, VFU_DEVICE_GET_REGION_INFO, &r, sizeof(r)) == EINVAL, "index -1");
		r.index = 0;
		r.argsz = sizeof(r) - 1;
		CHECK(call(&c, VFU_DEVICE_GET_REGION_INFO, &r, sizeof(r)) == EINVAL, "argsz");
		r.argsz = sizeof(r);
		CHECK(call(&c, VFU_DEVICE_GET_REGION_INFO, &r, sizeof(r) - 1) == EINVAL, "size");
		CHECK(call(&c, VFU_DEVICE_GET_REGION_INFO, &r, sizeof(r) - 32) == EINVAL, "none");
	}

	end("DEVICE_GET_REGION_INFO");
}

static void irq_info(void)
{
	static const struct {
		uint32_t count, flags;
	} irqs[VFIO_PCI_NUM_IRQS] = {{1, 7}, {1, 9}, {0, 0}, {1, 9}, {1, 9}};
	uint32_t i;

	begin();

	for (i = 0; i < VFIO_PCI_NUM_IRQS; i++) {
		struct vfio_irq_info q = {.argsz = sizeof(q), .index = i};

		CHECK(!call(&c, VFU_DEVICE_GET_IRQ_INFO, &q, sizeof(q)), "index %u", i);
		memcpy(&q, c.data, sizeof(q));
		CHECK(c.data_len == sizeof(q) && q.count == irqs[i].count, "index %u: %u", i,
		      q.count);
		CHECK(q.flags == irqs[i].flags, "index %u: %#x", i, q.flags);
	}

	{
		struct vfio_irq_info q = {.argsz = sizeof(q), .index = VFIO_PCI_NUM_IRQS};

		CHECK(call(&c, VFU_DEVICE_GET_IRQ_INFO, &q, sizeof(q)) == EINVAL, "index 5");
		q.index = 0;
		q.argsz = 1;
		CHECK(call(&c, VFU_DEVICE_GET_IRQ_INFO, &q, sizeof(q)) == EINVAL, "argsz 1");
		CHECK(call(&c, VFU_DEVICE_GET_IRQ_INFO, &q, 3) == EINVAL, "3 bytes");
	}

	finish(&c);
	CHECK(!c.h.rc && !atomic_load(&c.h.said.violations), "%s %s", c.h.err, c.h.said.violation);
	end("DEVICE_GET_IRQ_INFO");
}

static void info_of_bare_card(void)
{
	uint32_t i;

	begin();
	open_quiet(&c);
	c.h.sim->cfg[0x3d] = 0; /* no pin */
	c.h.sim->cfg[0x60] = 9; /* no PCI Express, no MSI: the list turns in a circle */
	c.h.sim->cfg[0x40] = 9;
	c.h.sim->cfg[0x61] = 0x40;
	start(&c);
	CHECK(!say_hello(&c), "VERSION");

	for (i = 0; i < 2; i++) {
		struct vfio_irq_info q = {.argsz = sizeof(q), .index = i};

		CHECK(!call(&c, VFU_DEVICE_GET_IRQ_INFO, &q, sizeof(q)), "index %u", i);
		memcpy(&q, c.data, sizeof(q));
		CHECK(!q.count && !q.flags, "index %u: %u, flags %#x", i, q.count, q.flags);
		CHECK(set_irqs(&c, TRIGGER_FD, i, 0, 1, NULL, 0) == EINVAL, "index %u", i);
	}

	{
		struct vfio_region_info r = {.argsz = sizeof(r), .index = CFG_REGION};

		CHECK(!call(&c, VFU_DEVICE_GET_REGION_INFO, &r, sizeof(r)), "configuration");
		memcpy(&r, c.data, sizeof(r));
		CHECK(r.size == 256, "%#llx bytes", r.size);
		CHECK(reg_read(&c, CFG_REGION, 256, &i, 4) == EINVAL, "behind the end");
	}

	finish(&c);
	end("a card without pin, MSI and PCI Express");
}

static void test_info(void)
{
	device_info();
	region_info();
	irq_info();
	info_of_bare_card();
}

static void test_config(void)
{
	uint8_t all[4096] = {0}, some[16];
	uint32_t v;
	unsigned int i;

	begin();
	open_client(&c);
	CHECK(!reg_read(&c, CFG_REGION, 0, all, 4096), "all of it");
	CHECK(all[0] == 0xde && all[1] == 0x10 && all[0x34] == 0x40 && all[0xff] == 0xff, "bytes");

	for (i = 0x80; i < 0x100; i++)
		CHECK(all[i] == i, "%#x: %#x", i, all[i]);

	for (i = 256; i < 4096 && !all[i]; i++)
		;

	CHECK(i == 4096, "byte %u of the extended space is not 0", i);

	for (i = 1; i <= 12; i++) {
		CHECK(!reg_read(&c, CFG_REGION, 0x91, some, i), "%u bytes", i);
		CHECK(!memcmp(some, all + 0x91, i), "%u bytes at 0x91", i);
		CHECK(!reg_read(&c, CFG_REGION, 0xfd, some, i), "%u bytes", i);
		CHECK(!memcmp(some, all + 0xfd, i), "%u bytes at 0xfd", i);
	}

	end("configuration space: reads of any size, the extended part is empty");

	begin();
	CHECK(!reg_write(&c, CFG_REGION, 0x91, "\1\2\3\4\5\6\7\10\11\12\13", 11), "write");
	CHECK(!reg_read(&c, CFG_REGION, 0x90, some, 13), "read");
	CHECK(!memcmp(some, "\220\1\2\3\4\5\6\7\10\11\12\13\234", 13), "what was written");
	CHECK(!reg_write(&c, CFG_REGION, 0xfe, "\1\2\3\4", 4), "over the end of the card's part");
	CHECK(!reg_read(&c, CFG_REGION, 0xfc, some, 8), "read");
	CHECK(!memcmp(some, "\374\375\1\2\0\0\0\0", 8), "over the end");
	CHECK(!reg_write(&c, CFG_REGION, 0x800, "\1\2\3\4", 4), "extended part");
	CHECK(!reg_read(&c, CFG_REGION, 0x800, &v, 4) && !v, "extended part: %#x", v);
	CHECK(reg_read(&c, CFG_REGION, 4094, some, 4) == EINVAL, "over the end");
	CHECK(reg_write(&c, CFG_REGION, 4094, some, 4) == EINVAL, "over the end");
	CHECK(reg_read(&c, CFG_REGION, UINT64_MAX, some, 2) == EINVAL, "wrapping");
	CHECK(!c.h.sim->misaligned, "%u misaligned accesses", c.h.sim->misaligned);
	finish(&c);
	CHECK(!c.h.rc && !atomic_load(&c.h.said.violations), "%s", c.h.said.violation);
	end("configuration space: writes of any size");
}

static void regions_of_any_size(const uint8_t *out, uint8_t *in)
{
	static const unsigned int bars[] = {0, 1, 3};
	unsigned int i, len;

	begin();
	open_client(&c);

	for (i = 0; i < 3; i++)
		for (len = 1; len <= 40; len++) {
			uint64_t off = 0x400 + 0x41 * len;

			CHECK(!reg_write(&c, bars[i], off, out + len, len), "BAR%u, %u", bars[i],
			      len);
			CHECK(!reg_read(&c, bars[i], off, in, len), "BAR%u, %u", bars[i], len);
			CHECK(!memcmp(in, out + len, len), "BAR%u, %u bytes at %#llx", bars[i], len,
			      (unsigned long long)off);
		}

	end("regions: accesses of 1 to 40 bytes, aligned or not");
}

static void regions_width(uint8_t *in)
{
	unsigned int accesses;

	begin();
	CHECK(!c.h.sim->misaligned, "%u misaligned accesses", c.h.sim->misaligned);
	accesses = c.h.sim->accesses;
	c.h.sim->widest = 0;
	CHECK(!reg_read(&c, 0, 0x400, in, 4) && !reg_read(&c, 0, 0x408, in, 4), "read");
	CHECK(c.h.sim->accesses == accesses + 2 && c.h.sim->widest == 4, "%u accesses",
	      c.h.sim->accesses - accesses);
	CHECK(!reg_read(&c, 0, 0x400, in, 8), "read");
	CHECK(c.h.sim->accesses == accesses + 3 && c.h.sim->widest == 8, "8 bytes are one access");
	c.h.sim->widest = 0;
	CHECK(!reg_read(&c, 0, 0x400, in, 16), "read");
	CHECK(c.h.sim->widest == 4, "a block of registers by %u bytes", c.h.sim->widest);
	c.h.sim->blocks = 0;
	CHECK(!reg_read(&c, 1, 0x400, in, 64) && c.h.sim->blocks == 1,
	      "a block of memory is one access");
	end("regions: widths that reach the card");
}

static void regions_outside(uint8_t *out, uint8_t *in)
{
	begin();
	CHECK(!reg_write(&c, 1, 0, out, BAR_SIZE), "all of BAR1");
	CHECK(!reg_read(&c, 1, 0, in, BAR_SIZE) && !memcmp(in, out, BAR_SIZE), "all of BAR1");
	CHECK(reg_read(&c, 1, 0, in, BAR_SIZE + 1) == EINVAL, "one byte more");
	CHECK(reg_read(&c, 1, 1, in, BAR_SIZE) == EINVAL, "one byte further");
	CHECK(reg_write(&c, 1, BAR_SIZE - 2, out, 4) == EINVAL, "a write over the end");
	CHECK(reg_read(&c, 1, BAR_SIZE, in, 1) == EINVAL, "at the end");
	CHECK(reg_read(&c, 1, UINT64_MAX - 1, in, 4) == EINVAL, "wrapping");
	CHECK(reg_read(&c, 1, 0, in, 0) == EINVAL, "of nothing");
	CHECK(reg_write(&c, 1, 0, in, 0) == EINVAL, "of nothing");
	CHECK(reg_read(&c, 2, 0, in, 4) == EINVAL && reg_read(&c, 5, 0, in, 4) == EINVAL &&
		  reg_read(&c, 8, 0, in, 4) == EINVAL && reg_read(&c, 9, 0, in, 4) == EINVAL &&
		  reg_read(&c, UINT32_MAX, 0, in, 4) == EINVAL,
	      "regions that are not there");
	{
		struct vfu_region_access a = {.count = UINT32_MAX};

		CHECK(call(&c, VFU_REGION_READ, &a, sizeof(a)) == EINVAL, "4 GiB");
		a.count = 8;
		CHECK(call(&c, VFU_REGION_READ, &a, sizeof(a) - 1) == EINVAL, "a byte short");
		CHECK(call_long(&c, VFU_REGION_READ, &a, sizeof(a)) == EINVAL, "a byte long");
		CHECK(call(&c, VFU_REGION_WRITE, &a, sizeof(a)) == EINVAL, "no data");
		a = (struct vfu_region_access){.region = 1, .count = 4};
		memcpy(out, &a, sizeof(a));
		CHECK(call(&c, VFU_REGION_WRITE, out, sizeof(a) + 8) == EINVAL, "more data");
		CHECK(call(&c, VFU_REGION_WRITE, &a, 3) == EINVAL, "3 bytes");
	}

	CHECK(!atomic_load(&c.h.said.violations), "%s", c.h.said.violation);
	end("regions: accesses outside are refused, the client is told");
}

static void regions_posted(void)
{
	unsigned int i;

	begin();

	for (i = 0; i < 1000; i++)
		CHECK(!reg_write_flags(&c, 1, 8 * i, &i, 4, NO_REPLY), "posted write %u", i);

	for (i = 0; i < 1000; i++) {
		uint32_t v;

		CHECK(!reg_read(&c, 1, 8 * i, &v, 4) && v == i, "word %u", i);
	}

	CHECK(!reg_write_flags(&c, 1, BAR_SIZE, &i, 4, NO_REPLY), "outside, posted");
	CHECK(read32(&c, 0x100) == 0, "the session goes on");
	CHECK(atomic_load(&c.h.said.violations) == 1 && strstr(c.h.said.violation, "REGION_WRITE"), "%s",
	      c.h.said.violation);
	finish(&c);
	CHECK(!c.h.rc, "%s", c.h.err);
	end("regions: posted writes are done in order, and a bad one is a violation");
}

static void test_regions(void)
{
	static uint8_t out[BAR_SIZE], in[BAR_SIZE];
	unsigned int i;

	for (i = 0; i < BAR_SIZE; i++)
		out[i] = (uint8_t)(i * 7 + (i >> 8));

	regions_of_any_size(out, in);
	regions_width(in);
	regions_outside(out, in);
	regions_posted();
}

static void test_multi(void)
{
	static uint8_t buf[8 + (VFU_MULTI_MAX + 1) * sizeof(struct vfu_multi_write)];
	struct vfu_multi_write w;
	uint64_t n, i;

	begin();
	open_client(&c);

	for (n = 0; n <= VFU_MULTI_MAX; n += 50) {
		memcpy(buf, &n, 8);
		for (i = 0; i < n; i++) {
			w = (struct vfu_multi_write){.access = {16 * i, 1, 4}};
			memcpy(w.data, &i, 4);
			memcpy(buf + 8 + i * sizeof(w), &w, sizeof(w));
		}

		CHECK(!call(&c, VFU_REGION_WRITE_MULTI, buf, 8 + n * sizeof(w)), "%u writes",
		      (unsigned int)n);
		memcpy(&i, c.data, 8);
		CHECK(c.data_len == 8 && i == n, "answer %u", (unsigned int)i);
		for (i = 0; i < n; i++) {
			uint32_t v = 0xffffffff;

			CHECK(!reg_read(&c, 1, 16 * i, &v, 4) && v == i, "word %u",
			      (unsigned int)i);
		}
	}

	CHECK(call(&c, VFU_REGION_WRITE_MULTI, buf, 7) == EINVAL, "7 bytes");
	CHECK(call(&c, VFU_REGION_WRITE_MULTI, buf, 8 + 199 * sizeof(w)) == EINVAL, "one short");
	n = UINT64_MAX / sizeof(w) + 1;
	memcpy(buf, &n, 8);
	CHECK(call(&c, VFU_REGION_WRITE_MULTI, buf, 8) == EINVAL, "a count that wraps");
	n = VFU_MULTI_MAX + 1;
	memcpy(buf, &n, 8);
	CHECK(call(&c, VFU_REGION_WRITE_MULTI, buf, sizeof(buf)) == EINVAL, "one too many");
	CHECK(!atomic_load(&c.h.said.violations), "%s", c.h.said.violation);

	n = 2;
	memcpy(buf, &n, 8);
	w = (struct vfu_multi_write){.access = {0x200, 1, 8}, .data = "abcdefgh"};
	memcpy(buf + 8, &w, sizeof(w));
	w.access.count = 9;
	memcpy(buf + 8 + sizeof(w), &w, sizeof(w));
	CHECK(!call(&c, VFU_REGION_WRITE_MULTI, buf, 8 + 2 * sizeof(w)), "the second is bad");
	memcpy(&i, c.data, 8);
	CHECK(i == 1 && atomic_load(&c.h.said.violations) == 1, "%u done", (unsigned int)i);
	CHECK(!memcmp(&c.h.sim->bar[1][0x200], "abcdefgh", 8), "the first is done");

	w.access.count = 4;
	w.access.region = 7;
	w.access.offset = 4096;
	memcpy(buf + 8, &w, sizeof(w));
	CHECK(call(&c, VFU_REGION_WRITE_MULTI, buf, 8 + 2 * sizeof(w)) == EINVAL, "both are bad");
	finish(&c);
	CHECK(!c.h.rc, "%s", c.h.err);
	end("REGION_WRITE_MULTI");
}

static void intx_level(const int *fd)
{
	unsigned int i;

	begin();
	open_client(&c);
	write32(&c, TRIG_INTX, 1);
	CHECK(!set_irqs(&c, TRIGGER_FD, 0, 0, 1, fd, 1), "SET_IRQS");
	CHECK(signals(fd[0]) == 1, "the line was up before the descriptor came");

	write32(&c, TRIG_INTX, 1);
	write32(&c, TRIG_INTX, 0);
	write32(&c, TRIG_INTX, 1);
	CHECK(!signals(fd[0]), "masked by the signal until the client unmasks it");

	for (i = 0; i < 3; i++) {
		CHECK(!set_irqs(&c, UNMASK_NONE, 0, 0, 1, NULL, 0), "UNMASK");
		CHECK(signals(fd[0]) == 1, "the line is still up: round %u", i);
	}

	write32(&c, TRIG_INTX, 0);
	CHECK(!set_irqs(&c, UNMASK_NONE, 0, 0, 1, NULL, 0), "UNMASK");
	CHECK(!signals(fd[0]), "the line is down");
	write32(&c, TRIG_INTX, 1);
	CHECK(signals(fd[0]) == 1, "up again");
	end("INTx: a level by an eventfd, masked by each signal");
}

static void intx_mask(const int *fd)
{
	begin();
	write32(&c, TRIG_INTX, 0);
	CHECK(!set_irqs(&c, UNMASK_NONE, 0, 0, 1, NULL, 0), "UNMASK");
	CHECK(!set_irqs(&c, MASK_NONE, 0, 0, 1, NULL, 0), "MASK");
	write32(&c, TRIG_INTX, 1);
	CHECK(!signals(fd[0]), "masked");

	{
		struct {
			struct irq_set s;
			uint8_t on;
		} __attribute__((packed))
		b = {{21, VFIO_IRQ_SET_DATA_BOOL | VFIO_IRQ_SET_ACTION_UNMASK, 0, 0, 1}, 0};

		CHECK(!call(&c, VFU_DEVICE_SET_IRQS, &b, 21) && !signals(fd[0]), "UNMASK of none");
		b.on = 1;
		CHECK(!call(&c, VFU_DEVICE_SET_IRQS, &b, 21) && signals(fd[0]) == 1, "UNMASK");
		CHECK(call(&c, VFU_DEVICE_SET_IRQS, &b, 20) == EINVAL, "no byte");
	}

	CHECK(!set_irqs(&c, TRIGGER_NONE, 0, 0, 1, NULL, 0) && signals(fd[0]) == 1,
	      "the client triggers it");
	CHECK(!set_irqs(&c, TRIGGER_FD, 0, 0, 1, fd + 1, 1), "another descriptor");
	CHECK(!signals(fd[0]) && signals(fd[1]) == 1, "the line is up for the new one");
	CHECK(!set_irqs(&c, TRIGGER_NONE, 0, 0, 0, NULL, 0), "disable");
	write32(&c, TRIG_INTX, 0);
	write32(&c, TRIG_INTX, 1);
	CHECK(!set_irqs(&c, UNMASK_NONE, 0, 0, 1, NULL, 0), "UNMASK");
	CHECK(!signals(fd[0]) && !signals(fd[1]), "nobody listens");
	CHECK(!set_irqs(&c, TRIGGER_FD, 0, 0, 1, fd, 1) && signals(fd[0]) == 1, "again");
	CHECK(!set_irqs(&c, TRIGGER_FD, 0, 0, 1, NULL, 0), "an assignment of none");
	CHECK(!set_irqs(&c, UNMASK_NONE, 0, 0, 1, NULL, 0) && !signals(fd[0]), "nobody listens");
	finish(&c);
	CHECK(!c.h.rc && !atomic_load(&c.h.said.violations), "%s", c.h.said.violation);
	end("INTx: mask, trigger, replace, disable");
}

static void test_intx(void)
{
	int fd[2] = {new_eventfd(), new_eventfd()};

	intx_level(fd);
	intx_mask(fd);
	close(fd[0]);
	close(fd[1]);
}

static void msi_messages(const int *fd)
{
	unsigned int i;

	begin();
	open_client(&c);
	write32(&c, TRIG_MSI, 1);
	CHECK(!set_irqs(&c, TRIGGER_FD, 1, 0, 1, fd, 1), "SET_IRQS");
	CHECK(signals(fd[0]) == 1, "the message that came before its descriptor");

	for (i = 0; i < 5; i++)
		write32(&c, TRIG_MSI, i);

	CHECK(signals(fd[0]) == 5, "each message is one signal");
	CHECK(!set_irqs(&c, TRIGGER_NONE, 1, 0, 0, NULL, 0), "disable");
	write32(&c, TRIG_MSI, 1);
	CHECK(!set_irqs(&c, TRIGGER_NONE, 1, 0, 0, NULL, 0), "disable");
	CHECK(!set_irqs(&c, TRIGGER_FD, 1, 0, 1, fd + 1, 1), "SET_IRQS");
	CHECK(!signals(fd[0]) && !signals(fd[1]), "a signal that came while it was off is gone");
	write32(&c, TRIG_MSI, 1);
	CHECK(signals(fd[1]) == 1, "on again");

	for (i = 3; i <= 4; i++) {
		CHECK(!set_irqs(&c, TRIGGER_FD, i, 0, 1, fd, 1), "index %u", i);
		CHECK(!set_irqs(&c, TRIGGER_NONE, i, 0, 1, NULL, 0) && signals(fd[0]) == 1,
		      "the client triggers index %u", i);
	}

	end("MSI, and the indexes that only clients know");
}

static void msi_refused(const int *fd, int dir)
{
	unsigned int before = open_fds();

	begin();
	CHECK(set_irqs(&c, TRIGGER_FD, 1, 0, 1, fd + 2, 1) == EINVAL, "a file");
	CHECK(set_irqs(&c, TRIGGER_FD, 1, 0, 1, &dir, 1) == EINVAL, "a directory");
	CHECK(set_irqs(&c, TRIGGER_FD, 1, 0, 1, fd, 2) == EINVAL, "2 descriptors for 1");
	CHECK(set_irqs(&c, TRIGGER_FD, 1, 0, 2, fd, 2) == EINVAL, "2 of 1");
	CHECK(set_irqs(&c, TRIGGER_FD, 1, 1, 1, fd, 1) == EINVAL, "number 1 of 1");
	CHECK(set_irqs(&c, TRIGGER_FD, 1, 1, UINT32_MAX, fd, 1) == EINVAL, "a sum that wraps");
	CHECK(set_irqs(&c, TRIGGER_FD, 2, 0, 1, fd, 1) == EINVAL, "MSI-X");
	CHECK(set_irqs(&c, TRIGGER_FD, 5, 0, 1, fd, 1) == EINVAL, "index 5");
	CHECK(set_irqs(&c, TRIGGER_FD, UINT32_MAX, 0, 1, fd, 1) == EINVAL, "index -1");
	CHECK(set_irqs(&c, TRIGGER_NONE, 1, 0, 1, fd, 1) == EINVAL, "a descriptor with NONE");
	CHECK(set_irqs(&c, VFIO_IRQ_SET_ACTION_TRIGGER, 1, 0, 1, NULL, 0) == EINVAL, "no data");
	CHECK(set_irqs(&c, VFIO_IRQ_SET_DATA_NONE, 1, 0, 1, NULL, 0) == EINVAL, "no action");
	CHECK(set_irqs(&c, TRIGGER_NONE | MASK_NONE, 1, 0, 1, NULL, 0) == EINVAL, "two actions");
	CHECK(set_irqs(&c, TRIGGER_NONE | 2, 1, 0, 1, NULL, 0) == EINVAL, "two kinds of data");
	CHECK(set_irqs(&c, TRIGGER_NONE | 64, 1, 0, 1, NULL, 0) == EINVAL, "an unknown bit");
	CHECK(set_irqs(&c, MASK_NONE, 1, 0, 0, NULL, 0) == EINVAL, "mask none");
	CHECK(set_irqs(&c, TRIGGER_FD, 1, 0, 0, NULL, 0) == EINVAL, "0 descriptors for 0");
	CHECK(set_irqs(&c, TRIGGER_NONE, 1, 1, 0, NULL, 0) == EINVAL, "none, from 1");
	CHECK(set_irqs(&c, VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_UNMASK, 0, 0, 1, fd,
		       1) == ENOTSUP,
	      "a descriptor for unmask");
	CHECK(call(&c, VFU_DEVICE_SET_IRQS, "abc", 3) == EINVAL, "3 bytes");
	write32(&c, TRIG_MSI, 1);
	CHECK(signals(fd[1]) == 1, "nothing of this changed anything");
	CHECK(open_fds() == before, "descriptors are lost: %u, not %u", open_fds(), before);
	end("DEVICE_SET_IRQS: refused calls");
}

static void msi_into_pipe(void)
{
	int pipes[2];
	uint64_t byte;

	begin();
	if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK))
		abort();

	CHECK(!set_irqs(&c, TRIGGER_FD, 1, 0, 1, pipes + 1, 1), "a pipe will do");
	close(pipes[1]);
	write32(&c, TRIG_MSI, 1);
	CHECK(read(pipes[0], &byte, sizeof(byte)) == sizeof(byte), "8 bytes in the pipe");
	close(pipes[0]);
	write32(&c, TRIG_MSI, 1);
	CHECK(read32(&c, 0x100) == 0, "a pipe without a reader does no harm");
	finish(&c);
	CHECK(!c.h.rc && !atomic_load(&c.h.said.violations), "%s %s", c.h.err, c.h.said.violation);
	end("interrupts into a pipe");
}

static void test_msi(void)
{
	int fd[3] = {new_eventfd(), new_eventfd(), open("/proc/self/exe", O_RDONLY | O_CLOEXEC)};
	int dir = open("/", O_RDONLY | O_CLOEXEC);
	unsigned int i;

	msi_messages(fd);
	msi_refused(fd, dir);
	msi_into_pipe();

	for (i = 0; i < 3; i++)
		close(fd[i]);

	close(dir);
}

#define MEM_SIZE 0x40000u

static void dma_through_files(int fd, uint8_t *mem)
{
	unsigned int i, before;

	begin();
	open_client(&c);
	before = open_fds();
	CHECK(!card_dma(&c, false, 0x1000, 4), "no memory yet");

	/* Not adjacent in the file, adjacent for the card; the second starts inside a page. */
	CHECK(!dma_map(&c, 0x10000, 0x8000, 0x20000, 3, fd), "DMA_MAP");
	CHECK(!dma_map(&c, 0x18000, 0x8000, 0x1800, 3, fd), "DMA_MAP");
	CHECK(open_fds() == before, "the descriptors are closed");
	CHECK(card_dma(&c, false, 0x10004, 64), "read");
	CHECK(!memcmp(&c.h.sim->bar[0][DMA_BUF], mem + 0x20004, 64), "what was read");
	CHECK(card_dma(&c, false, 0x17f00, 0x200), "read over the seam");
	CHECK(!memcmp(&c.h.sim->bar[0][DMA_BUF], mem + 0x27f00, 0x100) &&
		  !memcmp(&c.h.sim->bar[0][DMA_BUF + 0x100], mem + 0x1800, 0x100),
	      "what was read over the seam");

	for (i = 0; i < 0x200; i++)
		CHECK(!reg_write(&c, 0, DMA_BUF + i, "\245", 1), "fill");

	CHECK(card_dma(&c, true, 0x17f00, 0x200), "write over the seam");
	CHECK(mem[0x27f00] == 0xa5 && mem[0x27fff] == 0xa5 && mem[0x1800] == 0xa5 &&
		  mem[0x18ff] == 0xa5 && mem[0x1900] != 0xa5 && mem[0x17ff] != 0xa5,
	      "what was written");
	CHECK(!card_dma(&c, false, 0xffff, 4) && !card_dma(&c, false, 0x1fffe, 4) &&
		  !card_dma(&c, true, 0x20000, 1) && !card_dma(&c, false, ~0ull - 3, 4) &&
		  !card_dma(&c, false, ~0ull, 4),
	      "outside");
	end("DMA through mapped files");
}

static void dma_rights(int fd, int readonly)
{
	begin();
	CHECK(!dma_map(&c, 0x40000, 0x1000, 0, 1, fd), "readable only");
	CHECK(!dma_map(&c, 0x41000, 0x1000, 0, 2, fd), "writable only");
	CHECK(!dma_map(&c, 0x42000, 0x1000, 0, 3, -1), "without a descriptor");
	CHECK(!dma_map(&c, 0x43000, 0x1000, 0, 1, readonly), "readable only, and the file too");
	CHECK(dma_map(&c, 0x44000, 0x1000, 0, 3, readonly) == EACCES, "a file that is read only");
	CHECK(!dma_map(&c, 0x45000, 0x1000, 0, 0, fd), "neither");
	CHECK(card_dma(&c, false, 0x40000, 4) && !card_dma(&c, true, 0x40000, 4), "readable");
	CHECK(!card_dma(&c, false, 0x41000, 4) && card_dma(&c, true, 0x41000, 4), "writable");
	CHECK(!card_dma(&c, false, 0x42000, 4) && !card_dma(&c, true, 0x42000, 4), "unreachable");
	CHECK(card_dma(&c, false, 0x43000, 4) && !card_dma(&c, true, 0x43000, 4), "read only");
	CHECK(!card_dma(&c, false, 0x45000, 4) && !card_dma(&c, true, 0x45000, 4), "neither");
	CHECK(!card_dma(&c, false, 0x40ffe, 4), "the second half is not readable");
	end("DMA: rights to read and write");
}

static void dma_map_refused(int fd, int dir, int event)
{
	unsigned int before = open_fds();

	begin();
	CHECK(dma_map(&c, 0x10000, 0x8000, 0, 3, fd) == EEXIST, "the same again");
	CHECK(dma_map(&c, 0x17fff, 0x1, 0, 3, fd) == EEXIST, "its last byte");
	CHECK(dma_map(&c, 0xf000, 0x1001, 0, 3, fd) == EEXIST, "its first byte");
	CHECK(dma_map(&c, 0x0, 0x100000, 0, 3, -1) == EEXIST, "around all");
	CHECK(dma_map(&c, 0x90000, 0, 0, 3, fd) == EINVAL, "nothing");
	CHECK(dma_map(&c, UINT64_MAX - 0xfff, 0x2000, 0, 3, fd) == EINVAL, "wrapping");
	CHECK(dma_map(&c, 0x90000, UINT64_MAX, 0, 3, fd) == EINVAL, "everything");
	CHECK(dma_map(&c, 0x90000, 0x1000, UINT64_MAX - 0xfff, 3, fd) == EINVAL, "offset");
	CHECK(dma_map(&c, 0x90000, MEM_SIZE + 1, 0, 3, fd) == EINVAL, "more than the file");
	CHECK(dma_map(&c, 0x90000, 0x1000, MEM_SIZE - 0xfff, 3, fd) == EINVAL, "over its end");
	CHECK(dma_map(&c, 0x90000, 0x1000, 0, 4, fd) == EINVAL, "flags");
	CHECK(dma_map(&c, 0x90000, 0x1000, 0, 1, dir) == EINVAL, "a directory");
	CHECK(dma_map(&c, 0x90000, 0x1000, 0, 3, event) == EINVAL, "an eventfd");

	{
		struct vfu_dma_map m = {sizeof(m), 3, 0, 0x90000, 0x1000};
		int two[2] = {fd, fd};

		CHECK(call_fds(&c, VFU_DMA_MAP, &m, sizeof(m), two, 2) == EINVAL, "2 descriptors");
		CHECK(call_fds(&c, VFU_DMA_MAP, &m, sizeof(m) - 1, two, 1) == EINVAL, "short");
		CHECK(call_long(&c, VFU_DMA_MAP, &m, sizeof(m)) == EINVAL, "long");
		m.argsz--;
		CHECK(call_fds(&c, VFU_DMA_MAP, &m, sizeof(m), two, 1) == EINVAL, "argsz");
	}

	CHECK(!card_dma(&c, false, 0x90000, 4), "none of these is mapped");
	CHECK(open_fds() == before, "descriptors are lost: %u, not %u", open_fds(), before);
	end("DMA_MAP: refused calls");
}

static void dma_unmap_exact(int fd)
{
	begin();
	CHECK(dma_unmap(&c, 0x10000, 0x4000) == EINVAL &&
		  dma_unmap(&c, 0x14000, 0xc000) == EINVAL && dma_unmap(&c, 0x10001, 1) == EINVAL &&
		  dma_unmap(&c, 0xf000, 0x9001) == EINVAL,
	      "parts");
	CHECK(card_dma(&c, false, 0x10000, 4), "it is still there");
	CHECK(!dma_unmap(&c, 0x10000, 0x8000), "exactly");
	CHECK(!card_dma(&c, false, 0x17ffc, 4) && card_dma(&c, false, 0x18000, 4), "gone");
	CHECK(!dma_unmap(&c, 0x10000, 0x8000), "nothing is there");
	CHECK(!dma_unmap(&c, 1ull << 40, 1ull << 40), "nothing was ever there");
	CHECK(!dma_map(&c, 0x10000, 0x8000, 0, 3, fd) && card_dma(&c, false, 0x10000, 4), "anew");
	CHECK(!dma_unmap(&c, 0x40000, 0x5000), "several");
	CHECK(!card_dma(&c, false, 0x40000, 4) && !card_dma(&c, true, 0x41000, 4), "gone");
	CHECK(!dma_unmap(&c, 0, UINT64_MAX), "all");
	CHECK(!card_dma(&c, false, 0x10000, 4) && !card_dma(&c, false, 0x18000, 4), "gone");
	{
		struct vfu_dma_unmap u = {sizeof(u), 0, 0, 0x1000};

		CHECK(call(&c, VFU_DMA_UNMAP, &u, sizeof(u) - 1) == EINVAL, "short");
		u.flags = 1;
		CHECK(call(&c, VFU_DMA_UNMAP, &u, sizeof(u)) == EINVAL, "flags");
		u.flags = 0;
		u.argsz = 8;
		CHECK(call(&c, VFU_DMA_UNMAP, &u, sizeof(u)) == EINVAL, "argsz");
	}

	finish(&c);
	CHECK(!c.h.rc && !atomic_load(&c.h.said.violations), "%s %s", c.h.err, c.h.said.violation);
	end("DMA_UNMAP");
}

static void test_dma(void)
{
	int fd = new_memory(MEM_SIZE), file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int dir = open("/", O_RDONLY | O_CLOEXEC), event = new_eventfd();
	int readonly;
	uint8_t *mem = mmap(NULL, MEM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	unsigned int i;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	readonly = open(path, O_RDONLY | O_CLOEXEC);

	for (i = 0; i < MEM_SIZE; i++)
		mem[i] = (uint8_t)(i * 3 + (i >> 8));

	dma_through_files(fd, mem);
	dma_rights(fd, readonly);
	dma_map_refused(fd, dir, event);
	dma_unmap_exact(fd);
	munmap(mem, MEM_SIZE);
	close(fd);
	close(file);
	close(dir);
	close(event);
	close(readonly);
}

static uint32_t seed = 12345;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)seed * n) >> 32);
}

/* 64 pages of address space, each mapped to a page of the file or not. */
static void test_recording(void)
{
	static const char text[] = "text in memory";
	int fd = new_memory(0x1000);
	uint8_t id[4];

	begin();
	start_recording();
	open_client(&c);
	CHECK(pwrite(fd, text, sizeof(text), 0x20) == sizeof(text), "pwrite");
	CHECK(!dma_map(&c, 0x10000, 0x1000, 0, 3, fd), "DMA_MAP");
	CHECK(card_dma(&c, false, 0x10020, sizeof(text)), "read");
	CHECK(!card_dma(&c, true, 0x20000, sizeof(text)), "write");
	write32(&c, TRIG_INTX, 1);
	write32(&c, TRIG_MSI, 0x77);
	CHECK(!reg_write(&c, 1, 0x100, text, sizeof(text)), "block");
	CHECK(!reg_read(&c, CFG_REGION, 0, id, 4), "configuration space");

	finish(&c);
	check_recording(0x10020, text, sizeof(text));
	close(fd);
	end("a session is recorded");
}

enum { PAGES = 64, LATE = 512 };

static void churn_random(int fd, uint32_t *mem)
{
	int owner[PAGES], backing[PAGES];
	unsigned int step, i, before, mapped = 0;

	begin();

	for (i = 0; i < PAGES; i++) {
		mem[i * 1024] = 0x1000 + i;
		owner[i] = -1;
	}

	open_client(&c);
	before = open_fds();

	for (step = 0; step < 1500 && case_ok; step++) {
		unsigned int first = rnd(PAGES), n = 1 + rnd(6), from = rnd(PAGES - 6);
		bool taken = false, cut;
		int rc;

		if (first + n > PAGES)
			n = PAGES - first;
		for (i = first; i < first + n; i++)
			taken |= owner[i] >= 0;

		/* A range that cuts through a mapping is refused. */
		cut = (first && owner[first] >= 0 && owner[first] == owner[first - 1]) ||
		      (first + n < PAGES && owner[first + n - 1] >= 0 &&
		       owner[first + n - 1] == owner[first + n]);
		if (rnd(2)) {
			rc = dma_map(&c, first * 4096ull, n * 4096ull, from * 4096ull, 3, fd);
			CHECK(rc == (taken ? EEXIST : 0), "step %u: map %d", step, rc);
			for (i = first; i < first + n && !rc; i++) {
				owner[i] = (int)step;
				backing[i] = (int)(from + i - first);
			}
			mapped += !rc;
		} else {
			rc = dma_unmap(&c, first * 4096ull, n * 4096ull);
			CHECK(rc == (cut ? EINVAL : 0), "step %u: unmap %d", step, rc);
			for (i = first; i < first + n && !rc; i++)
				owner[i] = -1;
		}

		i = rnd(PAGES);
		CHECK(card_dma(&c, false, i * 4096ull, 4) == (owner[i] >= 0), "step %u: page %u",
		      step, i);
		if (owner[i] >= 0) {
			uint32_t v;

			memcpy(&v, &c.h.sim->bar[0][DMA_BUF], 4);
			CHECK(v == 0x1000u + (unsigned int)backing[i], "step %u: %#x", step, v);
		}
	}

	CHECK(mapped > 50, "only %u maps", mapped);
	CHECK(open_fds() == before, "descriptors are lost");
	finish(&c);
	end("DMA maps and unmaps in random order, against a table");
}

static void churn_many(int fd)
{
	unsigned int i;

	begin();
	open_client(&c);

	for (i = 0; i < GUEST_MEM_MAX_REGIONS; i++) {
		struct vfu_dma_map m = {.argsz = sizeof(m), .flags = 3, .size = 4096};

		/* The last ones backwards, so that all others must move. */
		m.address =
		    (i < GUEST_MEM_MAX_REGIONS - LATE ? LATE + i : GUEST_MEM_MAX_REGIONS - 1 - i) *
		    8192ull;
		if (!post(&c, VFU_DMA_MAP, NO_REPLY, &m, sizeof(m), &fd, i % 64 ? 0 : 1))
			break;
	}

	CHECK(card_dma(&c, false, 8192ull * LATE, 4) && card_dma(&c, false, 8192 * 63, 4),
	      "those with the file");
	CHECK(!atomic_load(&c.h.said.violations), "%s", c.h.said.violation);
	CHECK(i == GUEST_MEM_MAX_REGIONS, "%u regions", i);
	CHECK(!dma_unmap(&c, 8192, 4096) && !dma_map(&c, 1ull << 40, 4096, 0, 3, fd), "in turn");
	CHECK(dma_map(&c, 1ull << 41, 4096, 0, 3, fd) == -1, "one more ends the session");
	finish(&c);
	CHECK(c.h.rc == -1 && strstr(c.h.err, "memory regions; an IOMMU"), "%s", c.h.err);
	end("as many regions as an IOMMU may ask for");
}

static void test_churn(void)
{
	int fd = new_memory(PAGES * 4096);
	uint32_t *mem = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	churn_random(fd, mem);
	churn_many(fd);
	munmap(mem, PAGES * 4096);
	close(fd);
}

static void test_reset(void)
{
	int fd = new_memory(4096), event = new_eventfd();

	begin();
	open_client(&c);
	CHECK(!dma_map(&c, 0, 4096, 0, 3, fd), "DMA_MAP");
	CHECK(!set_irqs(&c, TRIGGER_FD, 0, 0, 1, &event, 1), "SET_IRQS");
	write32(&c, 0x100, 0x1234);
	write32(&c, TRIG_INTX, 1);
	CHECK(signals(event) == 1, "the line is up");
	CHECK(!call(&c, VFU_DEVICE_RESET, NULL, 0), "DEVICE_RESET");
	CHECK(atomic_load(&c.h.resets) == 1 && !c.data_len, "resets");
	CHECK(read32(&c, 0x100) == 0, "registers are as after power-up");
	CHECK(!set_irqs(&c, UNMASK_NONE, 0, 0, 1, NULL, 0) && !signals(event), "the line is down");
	CHECK(card_dma(&c, true, 0, 64), "memory stays");
	write32(&c, TRIG_INTX, 1);
	CHECK(signals(event) == 1, "the descriptor stays");
	CHECK(call(&c, VFU_DEVICE_RESET, "x", 1) == EINVAL, "with a payload");
	c.h.no_reset = true;
	CHECK(call(&c, VFU_DEVICE_RESET, NULL, 0) == EIO, "a card that cannot be made anew");
	CHECK(read32(&c, TRIG_INTX) == 1, "the old one stays");
	finish(&c);
	CHECK(!c.h.rc, "%s", c.h.err);

	end("DEVICE_RESET");
	close(fd);
	close(event);
}

/* A session with everything, as bytes and the descriptors that go with them. */
struct script {
	uint8_t bytes[4096];
	size_t len;
	unsigned int messages;
	size_t start[32];
	int fd[32];
	unsigned int replies;
};

static void add(struct script *s, unsigned int command, uint32_t flags, const void *payload,
		size_t len, int fd)
{
	s->start[s->messages] = s->len;
	s->fd[s->messages++] = fd;
	s->len += build(&c, s->bytes + s->len, command, flags, payload, len);
	s->replies += !(flags & NO_REPLY);
}

static void make_script(struct script *s, int memory, int event)
{
	struct vfu_dma_map m = {sizeof(m), 3, 0, 0x10000, 4096};
	struct irq_set q = {sizeof(q), TRIGGER_FD, 1, 0, 1};
	struct vfu_region_access r = {0x100, 0, 4};
	struct vfu_dma_unmap u = {sizeof(u), 0, 0x10000, 4096};
	struct {
		struct vfu_region_access a;
		uint32_t v;
	} w = {{0x100, 0, 4}, 0x600d};

	memset(s, 0, sizeof(*s));
	c.id = 0;
	add(s, VFU_VERSION, 0, OFFER, sizeof(OFFER), -1);
	add(s, VFU_DMA_MAP, 0, &m, sizeof(m), memory);
	add(s, VFU_DEVICE_SET_IRQS, 0, &q, sizeof(q), event);
	add(s, VFU_REGION_WRITE, NO_REPLY, &w, sizeof(w.a) + 4, -1);
	add(s, VFU_REGION_READ, 0, &r, sizeof(r), -1);
	m.address = 0x11000;
	add(s, VFU_DMA_MAP, 0, &m, sizeof(m), memory);
	add(s, 99, 0, "what", 4, -1);
	add(s, VFU_DMA_UNMAP, 0, &u, sizeof(u), -1);
	add(s, VFU_DEVICE_RESET, 0, NULL, 0, -1);
	add(s, VFU_REGION_READ, 0, &r, sizeof(r), -1);
}

/* Send the bytes from @from to @to, descriptors with the first byte of their message. */
static bool send_part(struct script *s, int sock, size_t from, size_t to)
{
	unsigned int i;

	for (i = 0; i < s->messages; i++) {
		size_t a = s->start[i], b = i + 1 < s->messages ? s->start[i + 1] : s->len;
		bool first = a >= from;

		a = a < from ? from : a;
		b = b > to ? to : b;
		if (a < b &&
		    !send_fds(sock, s->bytes + a, b - a, &s->fd[i], first && s->fd[i] >= 0 ? 1 : 0))
			return false;
	}

	return true;
}

/* The answers to the whole script, as one string of bytes. */
static size_t read_answers(struct script *s, uint8_t *buf, size_t room)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < s->replies; i++) {
		struct vfu_header h;

		if (len + sizeof(h) > room || !recv_all(c.sock, buf + len, sizeof(h), ANSWER_MS))
			return 0;
		memcpy(&h, buf + len, sizeof(h));
		if (h.size < sizeof(h) || h.size > room - len ||
		    !recv_all(c.sock, buf + len + sizeof(h), h.size - sizeof(h), ANSWER_MS))
			return 0;
		len += h.size;
	}

	return len;
}

static void bytes_hang_up(struct script *s, int memory, int event)
{
	unsigned int i;
	size_t n;
	unsigned int before = open_fds();

	begin();
	make_script(s, memory, event);

	for (n = 0; n <= s->len && case_ok; n++) {
		bool boundary = n == s->len;

		open_quiet(&c);
		start(&c);
		CHECK(send_part(s, c.sock, 0, n), "%zu bytes", n);
		for (i = 0; i < s->messages; i++)
			boundary |= n == s->start[i];

		/* Sometimes with the answers unread, sometimes at once. */
		if (n % 3 == 0)
			shutdown(c.sock, SHUT_WR);
		finish(&c);
		CHECK(open_fds() == before, "after %zu bytes: %u descriptors, not %u", n,
		      open_fds(), before);

		/* The client may have left before an answer, which is also an error. */
		CHECK(boundary || c.h.rc == -1, "after %zu bytes: %s", n, c.h.err);
	}

	diag("%zu sessions", n);
	end("a client that hangs up after any byte");
}

static void bytes_in_pieces(struct script *s)
{
	static uint8_t want[4096], got[4096];
	size_t n, want_len, got_len;
	unsigned int before = open_fds();

	begin();
	open_quiet(&c);
	start(&c);
	CHECK(send_part(s, c.sock, 0, s->len), "all at once");
	want_len = read_answers(s, want, sizeof(want));
	CHECK(want_len, "no answers");
	finish(&c);
	CHECK(!c.h.rc, "%s", c.h.err);

	for (n = 1; n < 40; n += n < 20 ? 1 : 7) {
		size_t at;

		open_quiet(&c);
		start(&c);
		for (at = 0; at < s->len; at += n) {
			send_part(s, c.sock, at, at + n < s->len ? at + n : s->len);
			if (n < 3 && at % 64 == 0)
				sleep_ms(1);
		}

		got_len = read_answers(s, got, sizeof(got));
		CHECK(got_len == want_len && !memcmp(got, want, want_len),
		      "%zu bytes at a time: %zu bytes of answers, not %zu", n, got_len, want_len);
		finish(&c);
		CHECK(!c.h.rc, "%s", c.h.err);
	}

	CHECK(open_fds() == before, "descriptors are lost");
	end("messages in pieces and in a row are the same");
}

static void bytes_descriptor(struct script *s, int memory)
{
	static uint8_t got[4096];
	size_t got_len;
	unsigned int before = open_fds();

	begin();
	open_quiet(&c);
	start(&c);

	/* One sendmsg() with everything, and a descriptor: it is the last message's. */
	CHECK(send_fds(c.sock, s->bytes, s->start[2], &memory, 1), "send");
	s->replies = 2;
	got_len = read_answers(s, got, sizeof(got));
	CHECK(got_len, "no answers");
	c.id = 100;
	CHECK(card_dma(&c, false, 0x10000, 4), "the descriptor went with the last message");
	finish(&c);
	CHECK(open_fds() == before, "descriptors are lost");
	end("a descriptor that comes with several messages");
}

static void test_bytes(void)
{
	int memory = new_memory(4096), event = new_eventfd();
	static struct script s;

	bytes_hang_up(&s, memory, event);
	bytes_in_pieces(&s);
	bytes_descriptor(&s, memory);
	close(memory);
	close(event);
}

static void headers_that_end(void)
{
	static uint8_t msg[VFU_MAX_MESSAGE + 64];
	unsigned int i;
	struct vfu_header h;

	begin();

	for (i = 0; i < 24; i++) {
		static const uint32_t size[] = {0,	    1,	       15, VFU_MAX_MESSAGE + 1,
						0x80000000, UINT32_MAX};

		open_client(&c);
		build(&c, msg, VFU_DEVICE_RESET, 0, NULL, 0);
		memcpy(&h, msg, sizeof(h));
		if (i < 6)
			h.size = size[i];
		else
			h.flags = i - 5; /* a reply, or no type at all */
		memcpy(msg, &h, sizeof(h));
		if (i < 6 || (h.flags & VFU_FLAG_TYPE)) {
			CHECK(send_fds(c.sock, msg, sizeof(h), NULL, 0), "send");
			CHECK(answer(&c, VFU_DEVICE_RESET) == -1, "case %u", i);
			finish(&c);
			CHECK(c.h.rc == -1 && strstr(c.h.err, "DEVICE_RESET"), "case %u: %s", i,
			      c.h.err);
		} else {
			finish(&c);
		}
	}

	end("headers that end the session");
}

static void commands_unknown(int memory)
{
	int fds[16];
	unsigned int i;
	unsigned int before = open_fds();

	begin();
	open_client(&c);

	for (i = 0; i < 70000; i += i < 40 ? 1 : 3331) {
		if (i >= VFU_VERSION && i <= VFU_REGION_WRITE)
			continue;
		if (i == VFU_DEVICE_RESET || i == VFU_REGION_WRITE_MULTI || i > UINT16_MAX)
			continue;
		CHECK(call(&c, i, "some data", 9) == ENOTSUP, "command %u", i);
	}

	CHECK(call(&c, VFU_DEVICE_GET_REGION_IO_FDS, NULL, 0) == ENOTSUP, "REGION_IO_FDS");
	CHECK(!atomic_load(&c.h.said.violations), "%s", c.h.said.violation);
	CHECK(post(&c, 77, NO_REPLY, NULL, 0, NULL, 0) && read32(&c, 0x100) == 0, "goes on");
	CHECK(atomic_load(&c.h.said.violations) == 1, "nobody is told but us");

	for (i = 0; i < 16; i++)
		fds[i] = memory;

	CHECK(call_fds(&c, VFU_DEVICE_RESET, NULL, 0, fds, 1) == EINVAL, "a descriptor too many");
	CHECK(call_fds(&c, VFU_DEVICE_RESET, NULL, 0, fds, 8) == EINVAL, "8 descriptors");
	CHECK(call_fds(&c, VFU_DEVICE_RESET, NULL, 0, fds, 9) == -1, "9 descriptors");
	finish(&c);
	CHECK(c.h.rc == -1 && strstr(c.h.err, "more than 8 descriptors"), "%s", c.h.err);
	open_client(&c);
	CHECK(call_fds(&c, VFU_DEVICE_RESET, NULL, 0, fds, 16) == -1, "16 descriptors");
	finish(&c);
	CHECK(open_fds() == before, "descriptors are lost: %u, not %u", open_fds(), before);
	end("unknown commands, and unexpected descriptors");
}

static void message_of_largest_size(void)
{
	static uint8_t msg[VFU_MAX_MESSAGE + 64];

	begin();
	open_client(&c);
	{
		/* The largest message there is, and its answer. */
		struct vfu_region_access a = {0, 1, VFU_MAX_DATA};

		memset(msg, 0x5a, sizeof(msg));
		memcpy(msg, &a, sizeof(a));
		CHECK(call(&c, VFU_REGION_WRITE, msg, sizeof(a) + VFU_MAX_DATA) == EINVAL, "1 MiB");
		CHECK(call(&c, VFU_REGION_READ, &a, sizeof(a)) == EINVAL, "1 MiB");
	}

	finish(&c);
	CHECK(!c.h.rc, "%s", c.h.err);
	end("a message of the largest size");
}

static void test_bad_headers(void)
{
	int memory = new_memory(4096);

	headers_that_end();
	commands_unknown(memory);
	message_of_largest_size();
	close(memory);
}

static void test_deaf(void)
{
	uint64_t until;

	begin();
	open_client(&c);
	{
		struct vfu_region_access a = {0, 1, 0x8000};
		struct pollfd pfd = {.fd = c.sock, .events = POLLOUT};
		static uint8_t msg[64];
		size_t len = build(&c, msg, VFU_REGION_READ, 0, &a, sizeof(a));

		/* Ask and ask, and never read an answer. */
		for (until = now_ms() + 10000; now_ms() < until;) {
			if (poll(&pfd, 1, 100) > 0 &&
			    send(c.sock, msg, len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
			    errno != EAGAIN)
				break;
		}
	}

	CHECK(now_ms() < until, "it is served for ever");
	finish(&c);
	CHECK(c.h.rc == -1 && strstr(c.h.err, "does not read"), "%s", c.h.err);
	end("a client that does not read its answers");

	begin();
	open_client(&c);

	/* Send a message, because the server checks @stop only when it wakes up. */
	write32(&c, TRIG_BUSY, 1000000000);
	c.h.stop = 1;
	pthread_join(c.h.thread, NULL);
	CHECK(!c.h.rc, "%s", c.h.err);

	nvsim_destroy(c.h.sim);
	close(c.sock);
	end("a stop while the model is busy");
}

/* Random damage to good sessions; the sanitizers watch. */
static void test_fuzz(void)
{
	int memory = new_memory(4096), event = new_eventfd();
	unsigned int round, before = open_fds();
	static struct script s;

	begin();

	for (round = 0; round < 1000; round++) {
		unsigned int i, n = 1 + rnd(6);
		int fds[3] = {memory, event, memory};
		size_t keep;

		open_quiet(&c);
		make_script(&s, memory, event);

		/* The session has begun before the damage begins. */
		keep = rnd(8) ? s.start[1] : 0;
		for (i = 0; i < n; i++) {
			size_t at = keep + rnd((uint32_t)(s.len - keep));
			int value;

			switch (rnd(4)) {
			case 0:
				s.bytes[at] ^= (uint8_t)(1u << rnd(8));
				break;
			case 1:
				s.bytes[at] = (uint8_t)rnd(256);
				break;
			case 2:
				value = rnd(2) ? 0xff : 0;
				memset(s.bytes + at, value, at + 8 > s.len ? 1 : 8);
				break;
			default:
				s.fd[rnd(s.messages)] = fds[rnd(3)];
				break;
			}
		}

		start(&c);
		send_part(&s, c.sock, 0, rnd(4) ? s.len : rnd((uint32_t)s.len));
		shutdown(c.sock, SHUT_WR);
		finish(&c);
	}

	CHECK(open_fds() == before, "descriptors are lost: %u, not %u", open_fds(), before);

	end("1000 damaged sessions");
	close(memory);
	close(event);
}

/* The program */

/* A line to the control socket in two pieces, and the answer */
static bool control_line(int fd, const char *line, const char *want)
{
	size_t half = strlen(line) / 2, n = 0;
	char text[300];

	if (send(fd, line, half, 0) < 0)
		return false;

	usleep(2000);
	if (send(fd, line + half, strlen(line + half), 0) < 0)
		return false;

	while (n < sizeof(text) - 1 && recv_all(fd, text + n, 1, ANSWER_MS) && text[n] != '\n')
		n++;

	text[n] = 0;

	return !strncmp(text, want, strlen(want));
}

static void test_control(char *sock, char *out, char *record)
{
	char control[64], replayed[64];
	pid_t pid;
	int fd;

	snprintf(control, sizeof(control), "%s/control", work_dir);
	snprintf(replayed, sizeof(replayed), "%s/replayed", work_dir);
	begin();
	pid = spawn(out, ARGV("--vfio-user", sock, "--chipset", "g84", "--control", control,
			      "--record", record));
	memset(&c, 0, sizeof(c));
	c.data = answer_data;
	c.sock = connect_to(sock);
	CHECK(c.sock >= 0 && !say_hello(&c), "VERSION");
	CHECK(!reg_write(&c, CFG_REGION, 4, "\6", 2), "COMMAND");
	fd = connect_to(control);
	CHECK(fd >= 0 && control_line(fd, "force 0 12345678 count 1\n", "ok"), "a command");
	CHECK(read32(&c, 0) == 0x12345678, "the forced value");
	CHECK(read32(&c, 0) != 0x12345678, "only once");
	CHECK(control_line(fd, "inject what\n", "usage: inject") ||
		      control_line(fd, "inject what\n", "inject knows"),
	      "a mistake is answered");
	CHECK(control_line(fd, "inject lost\n", "ok") && read32(&c, 0) == ~0u, "the card is gone");
	CHECK(control_line(fd, "clear\n", "ok") && read32(&c, 0) != ~0u, "and back");
	close(fd);
	fd = connect_to(control);
	CHECK(fd >= 0 && control_line(fd, "help\n", "commands:"), "somebody else");
	close(fd);
	close(c.sock);
	CHECK(wait_exit(pid) == 0, "exit: %s", slurp(out));
	CHECK(access(control, F_OK), "the control socket is still there");
	CHECK(wait_exit(spawn(replayed, ARGV("--replay", record))) == 0, "replay: %s",
	      slurp(replayed));
	CHECK(wait_exit(spawn(replayed, ARGV("--decode", record))) == 0 &&
		      strstr(slurp(replayed), "command force 0 12345678 count 1"),
	      "decoded: %s", slurp(replayed));
	unlink(replayed);
	end("program: failures by the control socket, which a record has");
}

static void program_options(char *out)
{
	static const struct {
		const char *argv[7];
		const char *text;
	} usage[] = {
	    {{"--vfio-user", "/tmp/x", "--socket", "/tmp/y", "--chipset", "g84"}, "named once"},
	    {{"--vfio-user", "/tmp/x"}, "--chipset NAME is missing"},
	    {{"--vfio-user", "", "--chipset", "g84"}, "--vfio-user : needs a path"},
	};
	unsigned int i, n;

	begin();

	for (i = 0; i < sizeof(usage) / sizeof(usage[0]); i++) {
		char *argv[9] = {(char *)"nvsim"};

		for (n = 0; n < 7 && usage[i].argv[n]; n++)
			argv[n + 1] = (char *)(uintptr_t)usage[i].argv[n];
		CHECK(wait_exit(spawn(out, argv)) == 2, "case %u", i);
		CHECK(strstr(slurp(out), usage[i].text), "case %u: %s", i, slurp(out));
	}

	end("program: options");
}

static void program_session(char *sock, char *out, char *stats, char *record)
{
	uint16_t id = 0;
	int fd;
	pid_t pid;

	begin();
	pid = spawn(out, ARGV("--vfio-user", sock, "--chipset", "g84", "--stats", stats, "--record",
			      record));
	memset(&c, 0, sizeof(c));
	c.data = answer_data;

	/* One that only looks, then the client. */
	fd = connect_to(sock);
	close(fd);
	c.sock = connect_to(sock);
	CHECK(c.sock >= 0 && !say_hello(&c), "VERSION");
	check_refused(sock);
	CHECK(!reg_read(&c, CFG_REGION, 0, &id, 2) && id == 0x10de, "vendor %04x", id);
	CHECK(!reg_write(&c, CFG_REGION, 4, "\6", 2), "COMMAND");
	CHECK(((read32(&c, 0) >> 20) & 0x1ff) == 0x84, "PMC_BOOT_0 %#x", read32(&c, 0));

	/* The ROM BAR is sized like any other: there is none. */
	CHECK(!reg_write(&c, CFG_REGION, 0x30, "\1\370\377\377", 4), "ROM");
	CHECK(!call(&c, VFU_DEVICE_RESET, NULL, 0), "DEVICE_RESET");
	CHECK(!reg_read(&c, CFG_REGION, 4, &id, 2) && !(id & 2), "COMMAND %#x", id);
	CHECK(!reg_write(&c, CFG_REGION, 4, "\6", 2), "COMMAND");
	CHECK(((read32(&c, 0) >> 20) & 0x1ff) == 0x84, "PMC_BOOT_0 after the reset");
	close(c.sock);
	CHECK(wait_exit(pid) == 0, "exit: %s", slurp(out));
	CHECK(strstr(slurp(stats), "mmio_reads 1\n") && strstr(slurp(stats), "\nviolations 0\n"),
	      "of the card since its reset: %s", slurp(stats));
	CHECK(access(sock, F_OK), "the socket is still there");
	end("program: one client at a time, a reset, statistics");
}

static void program_garbage(char *sock, char *out)
{
	int fd;
	pid_t pid;

	begin();
	pid = spawn(out, ARGV("--vfio-user", sock, "--chipset", "g80"));
	fd = connect_to(sock);
	CHECK(send_fds(fd, "garbage garbage garbage", 23, NULL, 0), "send");
	CHECK(wait_exit(pid) == 1 && strstr(slurp(out), "nvsim: "), "%s", slurp(out));

	close(fd);
	pid = spawn(out, ARGV("--vfio-user", sock, "--chipset", "g80"));
	memset(&c, 0, sizeof(c));
	c.data = answer_data;
	c.sock = connect_to(sock);
	CHECK(!say_hello(&c), "VERSION");
	kill(pid, SIGTERM);
	CHECK(wait_exit(pid) == 0, "SIGTERM in a session");
	close(c.sock);
	end("program: garbage, SIGTERM");
}

static void test_program(void)
{
	char sock[64], out[64], stats[64], record[64];

	if (!mkdtemp(work_dir))
		abort();

	snprintf(sock, sizeof(sock), "%s/sock", work_dir);
	snprintf(out, sizeof(out), "%s/out", work_dir);
	snprintf(stats, sizeof(stats), "%s/stats", work_dir);
	snprintf(record, sizeof(record), "%s/record", work_dir);

	program_options(out);
	program_session(sock, out, stats, record);
	test_control(sock, out, record);

	begin();
	check_record(record, out, "vfio-user");
	end("program: its record replays and can be read");

	program_garbage(sock, out);

	unlink(stats);
	unlink(out);
	unlink(sock);
	rmdir(work_dir);
}

static void read_once(void *arg)
{
	read32(arg, 0x100);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--round-trip")) {
		open_client(&c);
		round_trip("vfio-user", read_once, &c);
		finish(&c);
		return 0;
	}

	nvsim_path = argc > 1 ? argv[1] : getenv("NVSIM");
	signal(SIGPIPE, SIG_IGN);
	alarm(TIME_LIMIT_S);

	test_version();
	test_info();
	test_config();
	test_regions();
	test_multi();
	test_intx();
	test_msi();
	test_dma();
	test_recording();
	test_churn();
	test_reset();
	test_bytes();
	test_bad_headers();
	test_deaf();
	test_fuzz();
	if (nvsim_path && nvsim_path[0])
		test_program();
	else
		tap_skip("program # SKIP no path to nvsim in $NVSIM or argument 1");

	return tap_end();
}
