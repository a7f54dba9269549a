// SPDX-License-Identifier: MIT
/*
 * The vhost-user transport, between a front-end in this file and the double of the card.
 *
 * The front-end speaks the protocol over a socket pair and has the rings in memfds. The
 * server runs in a thread; sessions that only send messages run without one.
 *
 * With the path of nvsim in $NVSIM or as the first argument, the program is tested as well.
 * With --round-trip the test only prints how long a register read takes.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <linux/virtio_pcidev.h>
#include <linux/virtio_ring.h>

#include "../transport/server.h"
#include "double.h"

/* The whole program must be done by then. */
#define TIME_LIMIT_S 600
#define WAIT_MS 60000	/* limit for events, also on a machine that stands still */
/* ... and each answer there by then. */
#define ANSWER_MS 2000

/* One server: the model, the session, its reports */

struct harness {
	struct report said; /* first: argument of the callbacks */
	struct server srv;
	struct nvsim *sim;
	pthread_t thread;
	int rc;
	char err[256];
	volatile sig_atomic_t stop;
	sigset_t mask;
	int sock; /* the server's end */
};

static void harness_init(struct harness *h, int sock)
{
	struct nvsim_config card = {.chipset = "double"};
	struct server_config cfg = report_config(&h->said, 50, &h->stop, &h->mask);
	struct nvsim_host host;

	memset(h, 0, sizeof(*h));
	sigprocmask(SIG_SETMASK, NULL, &h->mask);
	h->sock = sock;
	server_init(&h->srv, &cfg, &host);
	h->sim = nvsim_create(&card, &host, h->err, sizeof(h->err));
	if (!h->sim)
		abort();
}

static void *harness_thread(void *arg)
{
	struct harness *h = arg;

	h->rc = server_run(&h->srv, h->sim, h->sock, h->err, sizeof(h->err));
	return NULL;
}

/* The front-end */

#define GPA0	   0x100000ull /* first region */
#define GPA_SIZE   0x40000ull
#define GPA1	   (GPA0 + GPA_SIZE) /* second, adjacent; its memory starts elsewhere */
#define UADDR0	   0x7f0000000000ull
#define UADDR1	   0x7e0000000000ull
#define OFFSET1	   0x1800ull /* not page aligned on purpose */
#define RING_NUM   64
#define RING_BYTES 0x2000
#define BUF_OFF	   0x8000

struct ring {
	struct vring_desc *desc;
	struct vring_avail *avail;
	struct vring_used *used;
	uint16_t next, avail_idx, seen;
	int kick, call; /* our ends */
};

struct front {
	int sock;
	int memfd[2];
	uint8_t *mem[2];
	struct ring ring[2];
	struct harness h;
};

struct message {
	uint32_t request, flags, size;
	uint8_t payload[600];
};

static struct message make(uint32_t request, const void *payload, uint32_t size)
{
	struct message m = {.request = request, .flags = VU_FLAG_VERSION, .size = size};

	if (size)
		memcpy(m.payload, payload, size);
	return m;
}

static bool recv_reply(struct front *f, uint32_t request, struct message *m)
{
	return recv_all(f->sock, m, VU_HEADER_SIZE, ANSWER_MS) && m->size <= sizeof(m->payload) &&
	       recv_all(f->sock, m->payload, m->size, ANSWER_MS) && m->request == request &&
	       m->flags == (VU_FLAG_VERSION | VU_FLAG_REPLY);
}

static bool get_u64(struct front *f, uint32_t request, uint64_t *v)
{
	struct message m = make(request, NULL, 0);

	if (!send_fds(f->sock, &m, VU_HEADER_SIZE, NULL, 0) || !recv_reply(f, request, &m) ||
	    m.size != 8)
		return false;
	memcpy(v, m.payload, 8);
	return true;
}

/* Send and take the acknowledgement; its value, ~0 if none came. */
static uint64_t send_acked(struct front *f, uint32_t request, const void *payload, uint32_t size,
			   const int *fds, unsigned int nfds)
{
	struct message m = make(request, payload, size);
	uint64_t v = ~UINT64_C(0);

	m.flags |= VU_FLAG_NEED_REPLY;
	if (send_fds(f->sock, &m, VU_HEADER_SIZE + size, fds, nfds) && recv_reply(f, request, &m) &&
	    m.size == 8)
		memcpy(&v, m.payload, 8);
	return v;
}

struct mem_table {
	uint32_t count, pad;
	struct {
		uint64_t gpa, size, uaddr, offset;
	} r[VU_MAX_REGIONS + 1];
};

static struct mem_table good_table(void)
{
	struct mem_table t = {.count = 2};

	t.r[0].gpa = GPA0;
	t.r[0].size = GPA_SIZE;
	t.r[0].uaddr = UADDR0;
	t.r[1].gpa = GPA1;
	t.r[1].size = GPA_SIZE;
	t.r[1].uaddr = UADDR1;
	t.r[1].offset = OFFSET1;

	return t;
}

struct vring_addr_msg {
	uint32_t index, flags;
	uint64_t desc, used, avail, log;
};

static struct vring_addr_msg good_addr(unsigned int q)
{
	struct vring_addr_msg a = {.index = q};
	uint64_t base = UADDR0 + q * RING_BYTES;

	a.desc = base;
	a.avail = base + RING_NUM * 16;
	a.used = base + 0x1000;
	a.log = ~UINT64_C(0);
	return a;
}

static void front_memory(struct front *f)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		uint64_t off = i ? OFFSET1 : 0;

		f->memfd[i] = memfd_create("guest", MFD_CLOEXEC);
		if (f->memfd[i] < 0 || ftruncate(f->memfd[i], (off_t)(off + GPA_SIZE)))
			abort();
		f->mem[i] =
		    mmap(NULL, off + GPA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, f->memfd[i], 0);
		if (f->mem[i] == MAP_FAILED)
			abort();
		f->mem[i] += off;
	}
}

static void ring_reset(struct front *f, unsigned int q)
{
	struct ring *r = &f->ring[q];
	uint8_t *base = f->mem[0] + q * RING_BYTES;

	memset(base, 0, RING_BYTES);
	r->desc = (void *)base;
	r->avail = (void *)(base + RING_NUM * 16);
	r->used = (void *)(base + 0x1000);
	r->next = 0;
	r->avail_idx = 0;
	r->seen = 0;
}

static void front_open(struct front *f)
{
	int pair[2];
	unsigned int q;

	memset(f, 0, sizeof(*f));
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		abort();

	f->sock = pair[0];
	front_memory(f);

	for (q = 0; q < 2; q++) {
		ring_reset(f, q);
		f->ring[q].kick = eventfd(0, EFD_CLOEXEC);
		f->ring[q].call = -1;
	}

	harness_init(&f->h, pair[1]);
}

static void front_close(struct front *f)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		size_t before = i ? OFFSET1 : 0;

		munmap(f->mem[i] - before, GPA_SIZE + before);
		close(f->memfd[i]);
		close(f->ring[i].kick);
		if (f->ring[i].call >= 0)
			close(f->ring[i].call);
	}

	close(f->sock);
	nvsim_destroy(f->h.sim);
}

static void front_start(struct front *f)
{
	if (pthread_create(&f->h.thread, NULL, harness_thread, &f->h))
		abort();
}

/* The server must end now; if it hangs, so would every case after this one. */
static void front_join(struct front *f)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += WAIT_MS / 1000;
	if (!pthread_clockjoin_np(f->h.thread, NULL, CLOCK_MONOTONIC, &until))
		return;

	tap(false, "the server ends");
	printf("Bail out! The server does not end.\n");
	exit(1);
}

/* Hang up and wait for the server. */
static void front_stop(struct front *f)
{
	shutdown(f->sock, SHUT_RDWR);
	front_join(f);
}

static void setup_queue(struct front *f, unsigned int q)
{
	struct vring_addr_msg a = good_addr(q);
	uint32_t num[2] = {q, RING_NUM}, base[2] = {q, 0}, on[2] = {q, 1};
	uint64_t index = q;
	int pair[2];

	/* UML's call descriptor is one end of a stream socket pair. */
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		abort();

	if (f->ring[q].call >= 0)
		close(f->ring[q].call);

	f->ring[q].call = pair[0];
	CHECK(!send_acked(f, VU_SET_VRING_CALL, &index, 8, &pair[1], 1), "call %u", q);
	close(pair[1]);
	CHECK(!send_acked(f, VU_SET_VRING_NUM, num, 8, NULL, 0), "num %u", q);
	CHECK(!send_acked(f, VU_SET_VRING_BASE, base, 8, NULL, 0), "base %u", q);
	CHECK(!send_acked(f, VU_SET_VRING_ADDR, &a, 40, NULL, 0), "addr %u", q);
	CHECK(!send_acked(f, VU_SET_VRING_KICK, &index, 8, &f->ring[q].kick, 1), "kick %u", q);
	CHECK(!send_acked(f, VU_SET_VRING_ENABLE, on, 8, NULL, 0), "enable %u", q);
}

/* UML's sequence from connect to a working device. */
static void handshake(struct front *f)
{
	struct message m = make(VU_SET_OWNER, NULL, 0);
	struct mem_table t = good_table();
	uint64_t v = 0;
	int pair[2];

	CHECK(send_fds(f->sock, &m, VU_HEADER_SIZE, NULL, 0), "send");
	CHECK(get_u64(f, VU_GET_FEATURES, &v), "no features");
	CHECK(v == (VU_F_VERSION_1 | VU_F_PROTOCOL_FEATURES), "features %#llx",
	      (unsigned long long)v);
	CHECK(get_u64(f, VU_GET_PROTOCOL_FEATURES, &v), "no protocol features");
	CHECK(v == 0x228, "protocol features %#llx", (unsigned long long)v);
	m = make(VU_SET_PROTOCOL_FEATURES, &v, 8);
	CHECK(send_fds(f->sock, &m, VU_HEADER_SIZE + 8, NULL, 0), "send");

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		abort();

	CHECK(!send_acked(f, VU_SET_BACKEND_REQ_FD, NULL, 0, &pair[1], 1), "backend channel");
	close(pair[0]);
	close(pair[1]);

	v = VU_F_VERSION_1 | VU_F_PROTOCOL_FEATURES;
	CHECK(!send_acked(f, VU_SET_FEATURES, &v, 8, NULL, 0), "features refused");
	CHECK(!send_acked(f, VU_SET_MEM_TABLE, &t, 8 + 2 * 32, f->memfd, 2), "memory refused");
	setup_queue(f, 0);
	setup_queue(f, 1);
}

static void front_up(struct front *f)
{
	front_open(f);
	front_start(f);
	handshake(f);
}

static void front_down(struct front *f)
{
	front_stop(f);
	CHECK(!f->h.rc, "session ended with: %s", f->h.err);
	front_close(f);
}

/* Rings */

static void *gpa_ptr(struct front *f, uint64_t gpa)
{
	return gpa >= GPA1 ? f->mem[1] + (gpa - GPA1) : f->mem[0] + (gpa - GPA0);
}

static unsigned int add_desc(struct ring *r, uint64_t gpa, uint32_t len, uint16_t flags)
{
	unsigned int i = r->next++ % RING_NUM;

	r->desc[i].addr = gpa;
	r->desc[i].len = len;
	r->desc[i].flags = flags;
	r->desc[i].next = (uint16_t)(r->next % RING_NUM);
	return i;
}

static void offer(struct ring *r, unsigned int head)
{
	r->avail->ring[r->avail_idx % RING_NUM] = (uint16_t)head;
	r->avail_idx++;
	__atomic_store_n(&r->avail->idx, r->avail_idx, __ATOMIC_SEQ_CST);
}

static void kick(struct ring *r)
{
	uint64_t one = 1;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!(__atomic_load_n(&r->used->flags, __ATOMIC_SEQ_CST) & VRING_USED_F_NO_NOTIFY) &&
	    write(r->kick, &one, 8) != 8)
		abort();
}

static bool wait_used(struct ring *r, unsigned int ms, struct vring_used_elem *e)
{
	uint64_t until = now_ms() + ms;

	while (__atomic_load_n(&r->used->idx, __ATOMIC_ACQUIRE) == r->seen) {
		if (now_ms() > until)
			return false;
		sched_yield();
	}

	*e = r->used->ring[r->seen++ % RING_NUM];
	return true;
}

#define CMD_GPA	 (GPA0 + BUF_OFF)
#define DATA_GPA (GPA0 + BUF_OFF + 0x1000)
#define RESP_GPA (GPA1 + 0x4000)

static void put_header(struct front *f, uint8_t op, uint8_t bar, uint64_t addr, uint32_t size)
{
	struct virtio_pcidev_msg m = {.op = op, .bar = bar, .size = size, .addr = addr};

	memcpy(gpa_ptr(f, CMD_GPA), &m, sizeof(m));
}

/* A read command with room for @room bytes. False when no answer came. */
static bool cmd_read(struct front *f, uint8_t op, uint8_t bar, uint64_t addr, uint32_t size,
		     uint32_t room, void *out)
{
	struct ring *r = &f->ring[0];
	struct vring_used_elem e;
	unsigned int head;

	put_header(f, op, bar, addr, size);
	memset(gpa_ptr(f, RESP_GPA), 0x55, room);
	head = add_desc(r, CMD_GPA, sizeof(struct virtio_pcidev_msg), VRING_DESC_F_NEXT);
	add_desc(r, RESP_GPA, room, VRING_DESC_F_WRITE);
	offer(r, head);
	kick(r);

	do {
		if (!wait_used(r, 5000, &e))
			return false;
	} while (e.id != head);
	memcpy(out, gpa_ptr(f, RESP_GPA), room);

	return true;
}

/* A posted write; @split puts the data into a second buffer. */
static void cmd_write(struct front *f, uint8_t op, uint8_t bar, uint64_t addr, uint32_t size,
		      const void *data, uint32_t data_len, bool split)
{
	struct ring *r = &f->ring[0];

	/* Every posted command has its own memory until it is used. */
	uint64_t gpa = CMD_GPA + 0x2000 + (uint64_t)(r->next % RING_NUM) * 0x200;
	struct virtio_pcidev_msg m = {.op = op, .bar = bar, .size = size, .addr = addr};
	unsigned int head;

	memcpy(gpa_ptr(f, gpa), &m, sizeof(m));
	memcpy((uint8_t *)gpa_ptr(f, gpa) + sizeof(m), data, data_len);
	if (split) {
		head = add_desc(r, gpa, sizeof(m), VRING_DESC_F_NEXT);
		add_desc(r, gpa + sizeof(m), data_len, 0);
	} else {
		head = add_desc(r, gpa, sizeof(m) + data_len, 0);
	}

	offer(r, head);
	kick(r);
}

static void write32(struct front *f, uint64_t addr, uint32_t v)
{
	cmd_write(f, VIRTIO_PCIDEV_OP_MMIO_WRITE, 0, addr, 4, &v, 4, false);
}

static uint32_t read32(struct front *f, uint64_t addr)
{
	uint32_t v = 0xdeadbeef;

	CHECK(cmd_read(f, VIRTIO_PCIDEV_OP_MMIO_READ, 0, addr, 4, 4, &v), "no answer");
	return v;
}

static void post_irq_buffers(struct front *f, unsigned int count, uint32_t len)
{
	struct ring *r = &f->ring[1];

	while (count--) {
		uint64_t gpa = GPA1 + 0x8000 + (uint64_t)(r->next % RING_NUM) * 64;

		offer(r, add_desc(r, gpa, len, VRING_DESC_F_WRITE));
	}

	kick(r);
}

struct irq {
	uint8_t op;
	uint32_t size, data;
	uint64_t addr;
};

static bool take_irq(struct front *f, unsigned int ms, struct irq *irq, uint32_t *len)
{
	struct virtio_pcidev_msg m;
	struct vring_used_elem e;
	uint8_t *buf;

	memset(irq, 0, sizeof(*irq));
	*len = 0;
	if (!wait_used(&f->ring[1], ms, &e) || e.id >= RING_NUM)
		return false;

	buf = gpa_ptr(f, f->ring[1].desc[e.id].addr);
	memcpy(&m, buf, sizeof(m));
	irq->op = m.op;
	irq->size = m.size;
	irq->addr = m.addr;
	memcpy(&irq->data, buf + sizeof(m), sizeof(irq->data));
	*len = e.len;
	return true;
}

/* Notifications that wait on a call socket. */
static unsigned int calls(struct ring *r)
{
	unsigned int n = 0;
	uint64_t one;

	while (recv(r->call, &one, sizeof(one), MSG_DONTWAIT) == sizeof(one))
		n++;
	return n;
}

/* The notification follows the used index: give it some time. */
static unsigned int wait_calls(struct ring *r)
{
	unsigned int i, n = 0;

	for (i = 0; i < WAIT_MS / 5 && !n; i++, sleep_ms(5))
		n = calls(r);
	return n;
}

/* Cases */

static void test_negotiation(void)
{
	struct front f;
	uint32_t cfg[3] = {0, 8, 0}, base[2] = {0, 0};
	struct message m;
	uint64_t v = 0;
	uint8_t payload[12 + 8] = {0};

	begin();
	front_up(&f);
	end("negotiation as UML does it");

	begin();
	CHECK(get_u64(&f, VU_GET_QUEUE_NUM, &v) && v == 2, "queues %llu", (unsigned long long)v);

	memcpy(payload, cfg, sizeof(cfg));
	payload[15] = 0xee;
	m = make(VU_GET_CONFIG, payload, sizeof(payload));
	CHECK(send_fds(f.sock, &m, VU_HEADER_SIZE + m.size, NULL, 0), "send");
	CHECK(recv_reply(&f, VU_GET_CONFIG, &m) && m.size == sizeof(payload), "size %u", m.size);
	CHECK(!m.payload[15], "configuration is not zero");
	CHECK(send_acked(&f, VU_SET_CONFIG, payload, sizeof(payload), NULL, 0) == 1,
	      "a write to a read-only configuration was accepted");
	CHECK(send_acked(&f, 40, payload, 20, NULL, 0) == 1, "unknown request");
	CHECK(send_acked(&f, VU_SET_OWNER, NULL, 0, NULL, 0) == 0, "session is gone");
	end("queue number, configuration, unknown requests are answered");

	begin();
	write32(&f, 0x10, 7);
	CHECK(read32(&f, 0x10) == 7, "register");
	m = make(VU_GET_VRING_BASE, base, 8);
	CHECK(send_fds(f.sock, &m, VU_HEADER_SIZE + 8, NULL, 0), "send");
	CHECK(recv_reply(&f, VU_GET_VRING_BASE, &m) && m.size == 8, "size %u", m.size);
	memcpy(base, m.payload, 8);
	CHECK(base[1] == f.ring[0].avail_idx, "index %u, not %u", base[1], f.ring[0].avail_idx);
	front_down(&f);
	end("GET_VRING_BASE tells the index");
}

static void test_config(void)
{
	static const unsigned int sizes[] = {1, 2, 4, 8};
	struct front f;
	unsigned int i;
	uint8_t data[8], back[8];

	begin();
	front_up(&f);

	for (i = 0; i < 4; i++) {
		unsigned int n;

		for (n = 0; n < 8; n++)
			data[n] = (uint8_t)(0x10 * (i + 1) + n);

		/* UML sends eight bytes of data for every size. */
		cmd_write(&f, VIRTIO_PCIDEV_OP_CFG_WRITE, 0, 0x40, sizes[i], data, 8, i & 1);
		CHECK(cmd_read(&f, VIRTIO_PCIDEV_OP_CFG_READ, 0, 0x40, sizes[i], 8, back), "lost");
		CHECK(!memcmp(data, back, sizes[i]), "size %u", sizes[i]);
		for (n = sizes[i]; n < 8; n++)
			CHECK(back[n] == 0xff, "byte %u beyond size %u: %#x", n, sizes[i], back[n]);
	}

	end("config space round trip in every size");

	begin();
	memset(data, 0xff, 8);
	CHECK(cmd_read(&f, VIRTIO_PCIDEV_OP_CFG_READ, 0, 0x100, 4, 8, back), "no answer");
	CHECK(!memcmp(data, back, 8), "not all ones");
	CHECK(cmd_read(&f, VIRTIO_PCIDEV_OP_CFG_READ, 0, 0xfffffffffffffffcull, 4, 8, back),
	      "none");
	CHECK(!memcmp(data, back, 8), "not all ones");
	CHECK(!f.h.said.violations, "%s", f.h.said.violation);
	CHECK(cmd_read(&f, VIRTIO_PCIDEV_OP_CFG_READ, 0, 0, 3, 8, back), "no answer");
	CHECK(!memcmp(data, back, 8), "not all ones");
	CHECK(f.h.said.violations == 1, "size 3 passed");

	/* The command of memset_io() of Linux 6.12 for BAR0, and for an absent BAR. */
	memcpy(data, f.h.sim->cfg, 8);
	cmd_write(&f, VIRTIO_PCIDEV_OP_CFG_WRITE, 2, 0, 4, "\xab\xab\xab\xab", 4, false);
	cmd_write(&f, VIRTIO_PCIDEV_OP_CFG_WRITE, 0, 4, 4, "\xab", 1, false);
	CHECK(cmd_read(&f, VIRTIO_PCIDEV_OP_CFG_READ, 0, 0, 8, 8, back), "no answer");
	CHECK(!memcmp(data, back, 8), "config space was overwritten");
	CHECK(f.h.said.violations == 3, "%u violations", f.h.said.violations);
	front_down(&f);
	end("config accesses out of range or malformed: all ones, nothing written");
}

static void mmio_sizes(struct front *f)
{
	static const unsigned int sizes[] = {1, 2, 4, 8};
	uint8_t block[300], back[300];
	unsigned int bar, i;

	begin();
	front_up(f);

	for (bar = 0; bar < 4; bar++) {
		if (bar == 2)
			continue;
		for (i = 0; i < 8; i++) {
			unsigned int size = sizes[i / 2], n;

			for (n = 0; n < size; n++)
				block[n] = (uint8_t)(bar * 64 + i * 8 + n);
			cmd_write(f, VIRTIO_PCIDEV_OP_MMIO_WRITE, (uint8_t)bar, 0x100, size, block,
				  size, i & 1);
			CHECK(cmd_read(f, VIRTIO_PCIDEV_OP_MMIO_READ, (uint8_t)bar, 0x100, size,
				       size, back),
			      "no answer");
			CHECK(!memcmp(block, back, size), "BAR%u, size %u", bar, size);
		}
	}

	CHECK(!f->h.said.violations, "%s", f->h.said.violation);
	end("register round trip in every size on every BAR");
}

static void mmio_unaligned(struct front *f)
{
	uint8_t block[300], back[300];
	unsigned int bar, i;

	begin();

	for (i = 0; i < sizeof(block); i++)
		block[i] = (uint8_t)(i * 7 + 1);

	for (bar = 0; bar < 2; bar++) {
		f->h.sim->widest = 0;
		cmd_write(f, VIRTIO_PCIDEV_OP_MMIO_WRITE, (uint8_t)bar, 0x203, 300, block, 300,
			  bar);
		CHECK(cmd_read(f, VIRTIO_PCIDEV_OP_MMIO_READ, (uint8_t)bar, 0x203, 300, 300, back),
		      "no answer");
		CHECK(!memcmp(block, back, 300), "BAR%u", bar);

		/* On BAR1 the data in a buffer of its own is one piece as well. */
		CHECK(f->h.sim->widest == (bar ? 0 : 4), "BAR%u: %u wide", bar, f->h.sim->widest);
		CHECK(f->h.sim->blocks == 2 * bar, "BAR%u: %u blocks", bar, f->h.sim->blocks);
	}

	cmd_write(f, VIRTIO_PCIDEV_OP_MMIO_MEMSET, 1, 0x203, 299, "\x5a", 1, false);
	CHECK(cmd_read(f, VIRTIO_PCIDEV_OP_MMIO_READ, 1, 0x203, 300, 300, back), "no answer");

	for (i = 0; i < 299; i++)
		CHECK(back[i] == 0x5a, "byte %u is %#x", i, back[i]);

	CHECK(back[299] == block[299], "memset went too far");

	/* UML 6.12 sends a memset as a configuration write with a BAR number. */
	cmd_write(f, VIRTIO_PCIDEV_OP_CFG_WRITE, 1, 0x203, 298, "\xa5", 1, false);
	cmd_write(f, VIRTIO_PCIDEV_OP_CFG_WRITE, 3, 0x40, 4, "\xa6", 1, false);
	CHECK(cmd_read(f, VIRTIO_PCIDEV_OP_MMIO_READ, 1, 0x203, 300, 300, back), "no answer");

	for (i = 0; i < 298; i++)
		CHECK(back[i] == 0xa5, "byte %u is %#x", i, back[i]);

	CHECK(back[298] == 0x5a, "memset went too far");
	CHECK(!memcmp(&f->h.sim->bar[3][0x40], "\xa6\xa6\xa6\xa6", 4), "BAR3");
	CHECK(!memcmp(f->h.sim->cfg + 0x40, "\0\0\0\0", 4), "config space was written");
	CHECK(!f->h.said.violations, "%s", f->h.said.violation);
	end("unaligned blocks and memset");
}

static void mmio_large_block(struct front *f)
{
	uint8_t back[300];
	unsigned int i;

	begin();
	{
		struct ring *r = &f->ring[0];
		struct vring_used_elem e;
		unsigned int head;
		uint8_t *big = gpa_ptr(f, GPA1 + 0x10000), *answer = gpa_ptr(f, GPA1 + 0x20000);

		for (i = 0; i < 0x8000; i++)
			big[i] = (uint8_t)(i ^ i >> 8);
		f->h.sim->accesses = 0;
		put_header(f, VIRTIO_PCIDEV_OP_MMIO_WRITE, 3, 0x1001, 0x8000);
		head = add_desc(r, CMD_GPA, sizeof(struct virtio_pcidev_msg), VRING_DESC_F_NEXT);
		add_desc(r, GPA1 + 0x10000, 0x8000, 0);
		offer(r, head);
		kick(r);
		do {
			CHECK(wait_used(r, 5000, &e), "no answer");
		} while (case_ok && e.id != head);
		CHECK(!memcmp(&f->h.sim->bar[3][0x1001], big, 0x8000), "written");
		put_header(f, VIRTIO_PCIDEV_OP_MMIO_READ, 3, 0x1001, 0x8000);
		head = add_desc(r, CMD_GPA, sizeof(struct virtio_pcidev_msg), VRING_DESC_F_NEXT);
		add_desc(r, GPA1 + 0x20000, 0x8000, VRING_DESC_F_WRITE);
		offer(r, head);
		kick(r);
		do {
			CHECK(wait_used(r, 5000, &e), "no answer");
		} while (case_ok && e.id != head);
		CHECK(!memcmp(answer, big, 0x8000) && e.len == 0x8000, "read back");
		cmd_write(f, VIRTIO_PCIDEV_OP_MMIO_MEMSET, 3, 0x1001, 0x8000, "\x17", 1, false);
		CHECK(cmd_read(f, VIRTIO_PCIDEV_OP_MMIO_READ, 3, 0x9000, 2, 2, back), "no answer");
		CHECK(back[0] == 0x17 && !back[1], "memset");
		CHECK(f->h.sim->accesses == 4, "%u accesses", f->h.sim->accesses);

		/* In pieces that do not hold it all it is a block no more, but works. */
		f->h.sim->blocks = 0;
		put_header(f, VIRTIO_PCIDEV_OP_MMIO_READ, 3, 0x1000, 0x20);
		head = add_desc(r, CMD_GPA, sizeof(struct virtio_pcidev_msg), VRING_DESC_F_NEXT);
		add_desc(r, GPA1 + 0x20000, 0x10, VRING_DESC_F_WRITE | VRING_DESC_F_NEXT);
		add_desc(r, GPA1 + 0x20100, 0x10, VRING_DESC_F_WRITE);
		offer(r, head);
		kick(r);
		do {
			CHECK(wait_used(r, 5000, &e), "no answer");
		} while (case_ok && e.id != head);
		CHECK(!answer[0] && answer[1] == 0x17 && answer[0x10f] == 0x17, "in two pieces");
		CHECK(!f->h.sim->blocks, "%u blocks", f->h.sim->blocks);
		CHECK(!f->h.said.violations, "%s", f->h.said.violation);
	}

	end("a block of 32 KiB is one access");
}

static void mmio_bad_commands(struct front *f)
{
	uint8_t back[300];
	unsigned int i;
	uint8_t block[300] = {0};

	begin();
	{
		static const struct {
			uint8_t op, bar;
			uint64_t addr;
			uint32_t size, room;
		} bad[] = {
		    {VIRTIO_PCIDEV_OP_MMIO_READ, 2, 0, 4, 4},
		    {VIRTIO_PCIDEV_OP_MMIO_READ, 6, 0, 4, 4},
		    {VIRTIO_PCIDEV_OP_MMIO_READ, 255, 0, 4, 4},
		    {VIRTIO_PCIDEV_OP_MMIO_READ, 0, BAR_SIZE, 4, 4},
		    {VIRTIO_PCIDEV_OP_MMIO_READ, 0, BAR_SIZE - 2, 4, 4},
		    {VIRTIO_PCIDEV_OP_MMIO_READ, 0, ~UINT64_C(0), 4, 4},
		    {VIRTIO_PCIDEV_OP_MMIO_READ, 0, 0, 0, 4},
		    {VIRTIO_PCIDEV_OP_MMIO_READ, 0, 0, ~0u, 4},
		    {VIRTIO_PCIDEV_OP_MMIO_READ, 0, 0, 8, 4},
		    {VIRTIO_PCIDEV_OP_RESERVED, 0, 0, 4, 4},
		    {VIRTIO_PCIDEV_OP_MSI, 0, 0, 4, 4},
		    {77, 0, 0, 4, 4},
		};
		unsigned int accesses = f->h.sim->accesses;

		for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
			CHECK(cmd_read(f, bad[i].op, bad[i].bar, bad[i].addr, bad[i].size,
				       bad[i].room, back),
			      "case %u: no answer", i);
			CHECK(!memcmp(back, "\xff\xff\xff\xff", 4), "case %u: not all ones", i);
			CHECK(f->h.said.violations == i + 1, "case %u: %u violations", i, f->h.said.violations);
		}

		atomic_store(&f->h.said.violations, 0);
		cmd_write(f, VIRTIO_PCIDEV_OP_MMIO_WRITE, 0, BAR_SIZE, 4, block, 4, false);
		cmd_write(f, VIRTIO_PCIDEV_OP_MMIO_WRITE, 0, 0, 8, block, 4, false);
		cmd_write(f, VIRTIO_PCIDEV_OP_MMIO_WRITE, 0, 0, ~0u, block, 4, true);
		cmd_write(f, VIRTIO_PCIDEV_OP_MMIO_MEMSET, 0, 0, 4, block, 0, false);
		cmd_write(f, VIRTIO_PCIDEV_OP_MMIO_MEMSET, 0, 8, BAR_SIZE, block, 1, false);
		CHECK(cmd_read(f, VIRTIO_PCIDEV_OP_CFG_READ, 0, 0, 4, 8, back), "no answer");
		CHECK(f->h.said.violations == 5, "%u violations", f->h.said.violations);
		CHECK(f->h.sim->accesses == accesses, "the card was reached");
	}

	end("bad commands: all ones, one violation each, the card untouched");
}

static void mmio_in_pieces(struct front *f)
{
	begin();
	atomic_store(&f->h.said.violations, 0);
	{
		struct ring *r = &f->ring[0];
		struct vring_used_elem e;
		unsigned int head;

		/* A header cut short, an empty chain, a header in four pieces. */
		put_header(f, VIRTIO_PCIDEV_OP_MMIO_READ, 0, 0x100, 4);
		head = add_desc(r, CMD_GPA, 15, VRING_DESC_F_NEXT);
		add_desc(r, RESP_GPA, 4, VRING_DESC_F_WRITE);
		offer(r, head);
		offer(r, add_desc(r, CMD_GPA, 0, 0));
		kick(r);
		while (wait_used(r, 200, &e))
			;
		CHECK(f->h.said.violations == 2, "%u violations", f->h.said.violations);
		write32(f, 0x100, 0x12345678);
		head = add_desc(r, CMD_GPA, 1, VRING_DESC_F_NEXT);
		add_desc(r, CMD_GPA + 1, 7, VRING_DESC_F_NEXT);
		add_desc(r, CMD_GPA + 8, 0, VRING_DESC_F_NEXT);
		add_desc(r, CMD_GPA + 8, 8, VRING_DESC_F_NEXT);
		add_desc(r, RESP_GPA, 1, VRING_DESC_F_WRITE | VRING_DESC_F_NEXT);
		add_desc(r, RESP_GPA + 0x100, 3, VRING_DESC_F_WRITE);
		offer(r, head);
		kick(r);
		do {
			CHECK(wait_used(r, 5000, &e), "no answer");
		} while (case_ok && e.id != head);
		CHECK(*(uint8_t *)gpa_ptr(f, RESP_GPA) == 0x78, "first byte");
		CHECK(!memcmp(gpa_ptr(f, RESP_GPA + 0x100), "\x56\x34\x12", 3), "the rest");
		CHECK(f->h.said.violations == 2, "%s", f->h.said.violation);
	}

	front_down(f);
	end("commands cut short, empty, or in pieces");
}

static void test_mmio(void)
{
	struct front f;

	mmio_sizes(&f);
	mmio_unaligned(&f);
	mmio_large_block(&f);
	mmio_bad_commands(&f);
	mmio_in_pieces(&f);
}

static void test_notification(void)
{
	struct front f;
	struct vring_used_elem e;
	unsigned int i, n;

	begin();
	front_up(&f);

	for (i = 0; i < 20; i++)
		read32(&f, 0x100);
	sleep_ms(20);
	CHECK(!calls(&f.ring[0]), "reads are polled for, but were reported");
	write32(&f, 0x100, 1);
	CHECK(wait_used(&f.ring[0], WAIT_MS, &e), "write not taken");
	n = wait_calls(&f.ring[0]);
	CHECK(n == 1, "%u notifications", n);

	for (i = 0; i < 1000; i++) {
		write32(&f, 0x100, i);
		CHECK(wait_used(&f.ring[0], WAIT_MS, &e), "write not taken");
	}

	sleep_ms(20);
	n = calls(&f.ring[0]);
	CHECK(n >= 10 && n < 1000, "%u notifications for 1000 writes", n);

	f.ring[0].avail->flags = VRING_AVAIL_F_NO_INTERRUPT;
	write32(&f, 0x100, 1);
	CHECK(wait_used(&f.ring[0], WAIT_MS, &e), "write not taken");
	sleep_ms(20);
	CHECK(!calls(&f.ring[0]), "the guest asked for silence");
	end("posted writes are reported, in groups");

	begin();

	for (i = 0; i < 2000; i++) {
		write32(&f, 0x100 + 4 * (i % 16), i);
		if (i % 32 == 31)
			CHECK(read32(&f, 0x100 + 4 * (i % 16)) == i, "write %u is late", i);
		if (i % 97 == 0)
			sleep_ms(1);
	}

	end("a read comes after the writes before it, asleep or awake");

	begin();
	sleep_ms(20);
	n = atomic_load(&f.h.sim->runs);
	sleep_ms(200);
	CHECK(atomic_load(&f.h.sim->runs) - n < 20, "%u turns of the loop in 200 ms of silence",
	      atomic_load(&f.h.sim->runs) - n);
	write32(&f, TRIG_BUSY, 1000000000);
	sleep_ms(20);
	CHECK(send_acked(&f, VU_SET_OWNER, NULL, 0, NULL, 0) == 0, "no answer from a busy device");
	n = read32(&f, TRIG_RUNS);
	CHECK(read32(&f, TRIG_RUNS) > n, "not busy");
	front_down(&f);
	end("no work, no turns; busy, still answering, still leaving");
}

static void msi_message(struct front *f)
{
	struct irq irq;
	uint32_t len;

	begin();
	front_up(f);
	post_irq_buffers(f, 4, 20);
	write32(f, TRIG_MSI, 0x4321);
	CHECK(take_irq(f, WAIT_MS, &irq, &len), "no message");
	CHECK(irq.op == VIRTIO_PCIDEV_OP_MSI && irq.size == 4 && irq.addr == 0xa0000 &&
		  irq.data == 0x4321 && len == 20,
	      "op %u size %u addr %#llx data %#x len %u", irq.op, irq.size,
	      (unsigned long long)irq.addr, irq.data, len);
	CHECK(wait_calls(&f->ring[1]) == 1, "not called");
	end("MSI message");
}

static void msi_backlog(struct front *f)
{
	struct irq irq;
	uint32_t len;
	unsigned int i;

	begin();

	/* Three buffers are left. */
	for (i = 0; i < 10; i++)
		write32(f, TRIG_MSI, 0x100 + i);

	for (i = 0; i < 3; i++)
		CHECK(take_irq(f, WAIT_MS, &irq, &len) && irq.data == 0x100 + i, "data %#x",
		      irq.data);

	CHECK(!take_irq(f, 50, &irq, &len), "a message without a buffer");

	for (i = 0; i < 5; i++)
		write32(f, TRIG_MSI, 0x105);

	CHECK(read32(f, TRIG_MSI) == 0x105, "blocked");

	sleep_ms(20);
	post_irq_buffers(f, 20, 20);

	for (i = 3; i < 10; i++)
		CHECK(take_irq(f, WAIT_MS, &irq, &len) && irq.data == 0x100 + i, "data %#x",
		      irq.data);

	CHECK(!take_irq(f, 50, &irq, &len), "equal waiting messages are one");
	CHECK(!f->h.said.violations, "%s", f->h.said.violation);
	end("MSI backlog: nothing lost, in order, without blocking");
}

static void msi_short_buffer(struct front *f)
{
	struct irq irq;
	uint32_t len;
	unsigned int i;

	begin();

	for (i = 0; i < 13; i++)
		write32(f, TRIG_MSI, 0x200 + i);

	for (i = 0; i < 13; i++)
		CHECK(take_irq(f, WAIT_MS, &irq, &len), "message %u", i);

	post_irq_buffers(f, 1, 19);
	post_irq_buffers(f, 1, 20);
	write32(f, TRIG_MSI, 0x300);
	CHECK(take_irq(f, WAIT_MS, &irq, &len) && len == 0, "short buffer used with %u", len);
	CHECK(take_irq(f, WAIT_MS, &irq, &len) && len == 20 && irq.data == 0x300, "%#x", irq.data);
	CHECK(f->h.said.violations == 1, "%u violations", f->h.said.violations);
	front_down(f);
	end("a buffer that is too small is given back, the message is not lost");
}

static void intx_level(struct front *f)
{
	struct irq irq;
	uint32_t len;

	begin();
	front_up(f);
	post_irq_buffers(f, 4, 20);
	write32(f, TRIG_INTX, 1);
	CHECK(take_irq(f, WAIT_MS, &irq, &len), "no message");
	CHECK(irq.op == VIRTIO_PCIDEV_OP_INT && irq.addr == 1 && len == 16, "op %u pin %llu",
	      irq.op, (unsigned long long)irq.addr);
	CHECK(!take_irq(f, 100, &irq, &len), "sent twice before the handler was done");

	/* The handler has looked at the card, but did not remove the cause. */
	read32(f, 0x100);
	post_irq_buffers(f, 1, 20);
	CHECK(take_irq(f, WAIT_MS, &irq, &len) && irq.op == VIRTIO_PCIDEV_OP_INT, "level forgotten");

	write32(f, TRIG_INTX, 0);
	read32(f, 0x100);
	post_irq_buffers(f, 1, 20);
	CHECK(!take_irq(f, 300, &irq, &len), "a message without a cause");
	write32(f, TRIG_INTX, 1);
	CHECK(take_irq(f, WAIT_MS, &irq, &len) && irq.op == VIRTIO_PCIDEV_OP_INT, "second edge");

	sleep_ms(20);
	write32(f, TRIG_INTX, 0);
	write32(f, TRIG_INTX, 1);
	post_irq_buffers(f, 1, 20);
	CHECK(take_irq(f, WAIT_MS, &irq, &len), "down and up in the handler");
	end("INTx: a level, as long as it is up");
}

/* The eighth message and all later ones come after 128 ms each. */
static void intx_without_handler(struct front *f)
{
	uint64_t start = now_ms(), ms;
	unsigned int n = 0;
	struct irq irq;
	uint32_t len;

	begin();

	while (n < 12 && now_ms() < start + 20000) {
		if (!take_irq(f, 10, &irq, &len))
			continue;

		n++;
		post_irq_buffers(f, 1, 20);
	}

	ms = now_ms() - start;
	CHECK(n == 12 && ms >= 400, "%u messages in %llu ms", n, (unsigned long long)ms);

	write32(f, TRIG_INTX, 0);
	front_down(f);
	end("INTx without a handler slows down");
}

static void without_buffers(struct front *f)
{
	struct irq irq;
	uint32_t len;

	begin();
	front_up(f);
	write32(f, TRIG_INTX, 1);
	write32(f, TRIG_MSI, 5);
	read32(f, 0x100);
	sleep_ms(20);
	write32(f, TRIG_INTX, 0);
	read32(f, 0x100);
	post_irq_buffers(f, 4, 20);
	CHECK(take_irq(f, WAIT_MS, &irq, &len) && irq.op == VIRTIO_PCIDEV_OP_MSI, "op %u", irq.op);
	CHECK(!take_irq(f, 50, &irq, &len), "an INTx that is down again was sent");
	front_down(f);
	end("without buffers INTx can go down again, MSI waits");
}

static void test_interrupts(void)
{
	struct front f;

	msi_message(&f);
	msi_backlog(&f);
	msi_short_buffer(&f);
	intx_level(&f);
	intx_without_handler(&f);
	without_buffers(&f);
}

static uint32_t dma(struct front *f, uint32_t trigger, uint64_t addr, uint32_t len)
{
	write32(f, TRIG_ADDR_LO, (uint32_t)addr);
	write32(f, TRIG_ADDR_HI, (uint32_t)(addr >> 32));
	write32(f, trigger, len);
	return read32(f, TRIG_RESULT);
}

static void test_dma(void)
{
	static const struct {
		uint64_t addr;
		uint32_t len;
	} bad[] = {
	    {0, 4},
	    {GPA0 - 1, 4},
	    {GPA0 - 4, 4},
	    {GPA1 + GPA_SIZE, 1},
	    {GPA1 + GPA_SIZE - 3, 4},
	    {~UINT64_C(0), 1},
	    {~UINT64_C(0) - 3, 8},
	};
	struct front f;
	unsigned int i;

	begin();
	front_up(&f);

	for (i = 0; i < 64; i++) {
		f.mem[0][GPA_SIZE - 32 + i % 32] = (uint8_t)(i % 32 + 1);
		f.mem[1][i % 32] = (uint8_t)(i % 32 + 33);
	}

	CHECK(dma(&f, TRIG_DMA_RD, GPA1 - 32, 64) == 0, "read across two regions failed");

	for (i = 0; i < 64; i++)
		CHECK(f.h.sim->bar[0][DMA_BUF + i] == i + 1, "byte %u", i);

	f.h.sim->bar[0][DMA_BUF] = 0x99;
	f.h.sim->bar[0][DMA_BUF + 63] = 0x98;
	CHECK(dma(&f, TRIG_DMA_WR, GPA1 - 32, 64) == 0, "write across two regions failed");
	CHECK(f.mem[0][GPA_SIZE - 32] == 0x99 && f.mem[1][31] == 0x98, "not written");
	CHECK(dma(&f, TRIG_DMA_RD, GPA1 + GPA_SIZE - 4, 4) == 0, "last word");

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		f.mem[1][GPA_SIZE - 3] = 0x77;
		f.h.sim->bar[0][DMA_BUF] = 0x11;
		CHECK(dma(&f, TRIG_DMA_RD, bad[i].addr, bad[i].len) == ~0u, "read %u passed", i);
		CHECK(dma(&f, TRIG_DMA_WR, bad[i].addr, bad[i].len) == ~0u, "write %u passed", i);
		CHECK(f.mem[1][GPA_SIZE - 3] == 0x77, "case %u wrote a part", i);
	}

	front_down(&f);
	end("DMA: across regions, nothing outside of them");
}

static void test_recording(void)
{
	static const char text[] = "text in memory";
	uint8_t id[8];
	struct front f;

	begin();
	start_recording();
	front_up(&f);
	memcpy(f.mem[0] + GPA_SIZE - 32, text, sizeof(text));
	CHECK(dma(&f, TRIG_DMA_RD, GPA1 - 32, sizeof(text)) == 0, "read");
	CHECK(dma(&f, TRIG_DMA_WR, 0x10, sizeof(text)) == ~0u, "write");

	write32(&f, TRIG_INTX, 1);
	write32(&f, TRIG_MSI, 0x77);
	cmd_write(&f, VIRTIO_PCIDEV_OP_MMIO_WRITE, 1, 0x100, sizeof(text), text, sizeof(text), false);
	CHECK(cmd_read(&f, VIRTIO_PCIDEV_OP_CFG_READ, 0, 0, 4, 8, id), "no answer");

	front_down(&f);
	check_recording(GPA1 - 32, text, sizeof(text));
	end("a session is recorded");
}

static void test_restart(void)
{
	struct front f;
	struct mem_table t = good_table();
	uint32_t off[2] = {0, 0};
	struct vring_used_elem e;
	unsigned int q;

	begin();
	front_up(&f);
	write32(&f, 0x100, 0x600d);
	CHECK(read32(&f, 0x100) == 0x600d, "before");
	CHECK(!send_acked(&f, VU_SET_VRING_ENABLE, off, 8, NULL, 0), "disable");
	write32(&f, 0x100, 0xbad);
	CHECK(!wait_used(&f.ring[0], 50, &e), "a disabled queue works");
	off[0] = 1;
	CHECK(!send_acked(&f, VU_SET_VRING_ENABLE, off, 8, NULL, 0), "disable");
	CHECK(!send_acked(&f, VU_SET_MEM_TABLE, &t, 8 + 2 * 32, f.memfd, 2), "memory refused");

	for (q = 0; q < 2; q++) {
		uint64_t v;

		ring_reset(&f, q);

		/* Kicks of the old queue are no business of the new one. */
		if (fcntl(f.ring[q].kick, F_SETFL, O_NONBLOCK) || read(f.ring[q].kick, &v, 8) == 9)
			abort();
		setup_queue(&f, q);
	}

	CHECK(read32(&f, 0x100) == 0x600d, "after");
	end("queues can be stopped and set up again");

	begin();
	CHECK(!send_acked(&f, VU_SET_MEM_TABLE, &t, 8 + 2 * 32, f.memfd, 2), "memory refused");
	write32(&f, 0x100, 0x600e);
	CHECK(read32(&f, 0x100) == 0x600e, "after a new memory table");
	front_down(&f);
	end("a new memory table under running queues");
}

/* Rings that a guest must not make */

enum ring_damage {
	HEAD_RANGE,
	NEXT_RANGE,
	LOOP,
	SELF_LOOP,
	OUTSIDE,
	WRAPS,
	ACROSS_END,
	TOO_LONG,
	ORDER,
	INDIRECT,
	MANY,
	JUMP,
	DAMAGE_COUNT
};

static const struct {
	const char *name, *error;
} damages[DAMAGE_COUNT] = {
    [HEAD_RANGE] = {"head beyond the table", "descriptor 64 of a ring of 64"},
    [NEXT_RANGE] = {"next beyond the table", "descriptor 65535 of a ring of 64"},
    [LOOP] = {"loop of two", "loop"},
    [SELF_LOOP] = {"descriptor that is its own successor", "loop"},
    [OUTSIDE] = {"buffer outside of memory", "not in guest memory"},
    [WRAPS] = {"buffer that wraps around", "not in guest memory"},
    [ACROSS_END] = {"buffer over the end of a region", "not in guest memory"},
    [TOO_LONG] = {"buffer of 4 GiB", "not in guest memory"},
    [ORDER] = {"readable after writable", "buffer to read after one to write"},
    [INDIRECT] = {"indirect descriptor", "that were not offered"},
    [MANY] = {"available index beyond the ring", "available index went from 0 to 65"},
    [JUMP] = {"available index backwards", "available index went from 0 to 65535"},
};

static void damage(struct front *f, unsigned int q, enum ring_damage what)
{
	struct ring *r = &f->ring[q];
	uint16_t dir = q ? VRING_DESC_F_WRITE : 0;
	unsigned int head;

	put_header(f, VIRTIO_PCIDEV_OP_MMIO_READ, 0, 0x100, 4);
	head = add_desc(r, CMD_GPA, 20, dir);

	switch (what) {
	case HEAD_RANGE:
		head = RING_NUM;
		break;
	case NEXT_RANGE:
		r->desc[head].flags |= VRING_DESC_F_NEXT;
		r->desc[head].next = 0xffff;
		break;
	case LOOP:
		r->desc[head].flags |= VRING_DESC_F_NEXT;
		r->desc[head].next = (uint16_t)(head + 1);
		add_desc(r, CMD_GPA, 20, dir | VRING_DESC_F_NEXT);
		r->desc[head + 1].next = (uint16_t)head;
		break;
	case SELF_LOOP:
		r->desc[head].flags |= VRING_DESC_F_NEXT;
		r->desc[head].next = (uint16_t)head;
		break;
	case OUTSIDE:
		r->desc[head].addr = GPA0 - 0x1000;
		break;
	case WRAPS:
		r->desc[head].addr = ~UINT64_C(0) - 8;
		break;
	case ACROSS_END:
		r->desc[head].addr = GPA1 + GPA_SIZE - 19;
		break;
	case TOO_LONG:
		r->desc[head].len = ~0u;
		break;
	case ORDER:
		r->desc[head].flags = VRING_DESC_F_WRITE | VRING_DESC_F_NEXT;
		r->desc[head].next = (uint16_t)(head + 1);
		add_desc(r, CMD_GPA, 20, 0);
		break;
	case INDIRECT:
		r->desc[head].flags |= VRING_DESC_F_INDIRECT;
		break;
	case MANY:
		r->avail_idx = RING_NUM;
		break;
	case JUMP:
		r->avail_idx = 0xfffe;
		break;
	case DAMAGE_COUNT:
		break;
	}

	offer(r, head);
	kick(r);
}

static void test_damaged_rings(void)
{
	unsigned int q, i, fds = open_fds();
	char name[100];

	for (q = 0; q < 2; q++) {
		for (i = 0; i < DAMAGE_COUNT; i++) {
			struct front f;

			begin();
			front_up(&f);
			damage(&f, q, i);
			if (q)
				write32(&f, TRIG_MSI, 1);
			/* The server must end the session itself. */
			front_join(&f);
			CHECK(f.h.rc == -1, "session ended without an error");
			CHECK(strstr(f.h.err, q ? "interrupt queue" : "command queue"), "%s",
			      f.h.err);
			CHECK(strstr(f.h.err, damages[i].error), "%s", f.h.err);
			front_close(&f);
			CHECK(open_fds() == fds, "%u descriptors, before %u", open_fds(), fds);
			snprintf(name, sizeof(name), "%s queue: %s", q ? "interrupt" : "command",
				 damages[i].name);
			end(name);
		}
	}
}

static void test_many_segments(void)
{
	struct front f;
	struct ring *r;
	unsigned int i, head = 0;

	begin();
	front_open(&f);
	front_start(&f);
	handshake(&f);
	r = &f.ring[0];

	/* 64 buffers are allowed, and the ring has no more. */
	put_header(&f, VIRTIO_PCIDEV_OP_MMIO_WRITE, 1, 0x100, 63);
	add_desc(r, CMD_GPA, 16, VRING_DESC_F_NEXT);

	for (i = 1; i < 64; i++)
		add_desc(r, DATA_GPA + i, 1, i < 63 ? VRING_DESC_F_NEXT : 0);

	for (i = 1; i < 64; i++)
		*(uint8_t *)gpa_ptr(&f, DATA_GPA + i) = (uint8_t)i;
	offer(r, head);
	kick(r);
	{
		struct vring_used_elem e;

		CHECK(wait_used(r, WAIT_MS, &e), "not taken");
	}

	for (i = 1; i < 64; i++)
		CHECK(f.h.sim->bar[1][0x100 + i - 1] == i, "byte %u", i);

	front_down(&f);
	end("a chain of 64 buffers");
}

/* Messages that a front-end must not send */

struct script {
	struct {
		struct message m;
		int fds[16];
		unsigned int nfds;
	} step[24];
	unsigned int count;
};

static void add_step(struct script *s, uint32_t request, const void *payload, uint32_t size,
		     const int *fds, unsigned int nfds)
{
	s->step[s->count].m = make(request, payload, size);
	s->step[s->count].nfds = nfds;
	if (nfds)
		memcpy(s->step[s->count].fds, fds, nfds * sizeof(int));
	s->count++;
}

/* The handshake of UML as a list of messages. */
static void good_script(struct script *s, struct front *f)
{
	uint64_t features = VU_F_VERSION_1 | VU_F_PROTOCOL_FEATURES, protocol = 0x228, index;
	struct mem_table t = good_table();
	unsigned int q;

	s->count = 0;
	add_step(s, VU_SET_OWNER, NULL, 0, NULL, 0);
	add_step(s, VU_GET_FEATURES, NULL, 0, NULL, 0);
	add_step(s, VU_GET_PROTOCOL_FEATURES, NULL, 0, NULL, 0);
	add_step(s, VU_SET_PROTOCOL_FEATURES, &protocol, 8, NULL, 0);
	add_step(s, VU_SET_BACKEND_REQ_FD, NULL, 0, &f->ring[0].kick, 1);
	add_step(s, VU_SET_FEATURES, &features, 8, NULL, 0);
	add_step(s, VU_SET_MEM_TABLE, &t, 8 + 2 * 32, f->memfd, 2);

	for (q = 0; q < 2; q++) {
		struct vring_addr_msg a = good_addr(q);
		uint32_t num[2] = {q, RING_NUM}, base[2] = {q, 0}, on[2] = {q, 1};

		index = q;
		add_step(s, VU_SET_VRING_CALL, &index, 8, &f->ring[q].kick, 1);
		add_step(s, VU_SET_VRING_NUM, num, 8, NULL, 0);
		add_step(s, VU_SET_VRING_BASE, base, 8, NULL, 0);
		add_step(s, VU_SET_VRING_ADDR, &a, 40, NULL, 0);
		add_step(s, VU_SET_VRING_KICK, &index, 8, &f->ring[q].kick, 1);
		add_step(s, VU_SET_VRING_ENABLE, on, 8, NULL, 0);
	}
}

/* Send @s (its last message cut to @cut bytes), hang up, run the server to its end. */
static void run_script(struct front *f, const struct script *s, size_t cut)
{
	unsigned int i;

	for (i = 0; i < s->count; i++) {
		size_t len = VU_HEADER_SIZE + (size_t)s->step[i].m.size;

		if (len > sizeof(struct message))
			len = sizeof(struct message);
		if (i == s->count - 1 && cut < len)
			len = cut;
		if (len && !send_fds(f->sock, &s->step[i].m, len, s->step[i].fds, s->step[i].nfds))
			abort();
	}

	shutdown(f->sock, SHUT_WR);
	harness_thread(&f->h);
}

static void test_prefixes(void)
{
	unsigned int fds = open_fds(), steps = 1, i, runs = 0;
	struct script s;
	struct front f;

	begin();

	for (i = 0; i < steps; i++) {
		size_t cut, len = 1;

		for (cut = 0; cut <= len; cut++) {
			front_open(&f);
			good_script(&s, &f);
			steps = s.count;
			s.count = i + 1;
			len = VU_HEADER_SIZE + s.step[i].m.size;
			run_script(&f, &s, cut);
			if (cut == 0 || cut == len)
				CHECK(!f.h.rc, "step %u, %zu bytes: %s", i, cut, f.h.err);
			else
				CHECK(f.h.rc == -1 && strstr(f.h.err, "inside a message"),
				      "step %u, %zu bytes: %s", i, cut, f.h.err);
			front_close(&f);
			runs++;
		}
	}

	CHECK(open_fds() == fds, "%u descriptors, before %u", open_fds(), fds);
	diag("%u sessions", runs);
	end("hang-up after every byte of the handshake");
}

static void test_slow_sender(void)
{
	struct script s;
	struct front f;
	unsigned int i;

	begin();
	front_open(&f);
	front_start(&f);
	good_script(&s, &f);

	for (i = 0; i < s.count; i++) {
		const uint8_t *p = (const uint8_t *)&s.step[i].m;
		size_t len = VU_HEADER_SIZE + s.step[i].m.size, n;

		for (n = 0; n < len; n++)
			if (!send_fds(f.sock, p + n, 1, s.step[i].fds, n ? 0 : s.step[i].nfds))
				abort();
	}

	{
		struct message m;

		CHECK(recv_reply(&f, VU_GET_FEATURES, &m), "first answer");
		CHECK(recv_reply(&f, VU_GET_PROTOCOL_FEATURES, &m), "second answer");
	}

	write32(&f, 0x100, 0x51);
	CHECK(read32(&f, 0x100) == 0x51, "queue does not run");
	front_down(&f);
	end("messages that come byte by byte");
}

static void bad_message(const char *name, struct front *f, struct script *s, const char *error)
{
	unsigned int fds = open_fds();

	begin();
	run_script(f, s, SIZE_MAX);
	CHECK(f->h.rc == -1, "accepted");
	CHECK(strstr(f->h.err, error), "the error is: %s", f->h.err);

	/* The server has closed its end of the connection, and nothing more. */
	CHECK(open_fds() == fds - 1, "%u descriptors, before %u", open_fds(), fds);
	front_close(f);
	end(name);
}

/* Start from the first @keep messages of the handshake. */
static void start_script(struct front *f, struct script *s, unsigned int keep)
{
	front_open(f);
	good_script(s, f);
	s->count = keep;
}

#define STEP_FEATURES 5
#define STEP_MEMORY   6
#define STEP_QUEUE0   7
#define STEP_KICK0    11

static const struct {
	const char *name;
	uint32_t request, flags, size;
	uint32_t p[10];
	unsigned int nfds;
	const char *error;
} bad_messages[] = {
    {"version 0", VU_SET_OWNER, 0, 0, {0}, 0, "flags 0x0"},
    {"version 2", VU_SET_OWNER, 2, 0, {0}, 0, "flags 0x2"},
    {"reply flag", VU_SET_OWNER, 5, 0, {0}, 0, "flags 0x5"},
    {"undefined flag", VU_SET_OWNER, 0x11, 0, {0}, 0, "flags 0x11"},
    {"payload of 513", VU_SET_OWNER, 1, 513, {0}, 0, "at most 512"},
    {"payload of 4 GiB", VU_GET_CONFIG, 1, ~0u, {0}, 0, "at most 512"},
    {"SET_OWNER with payload", VU_SET_OWNER, 1, 8, {0}, 0, "needs 0"},
    {"SET_FEATURES of 4 bytes", VU_SET_FEATURES, 1, 4, {0}, 0, "needs 8"},
    {"feature not offered", VU_SET_FEATURES, 1, 8, {1 << 28}, 0, "not offered"},
    {"protocol feature not offered",
     VU_SET_PROTOCOL_FEATURES,
     1,
     8,
     {1 << 14},
     0,
     "not offered"},
    {"descriptor with GET_FEATURES", VU_GET_FEATURES, 1, 0, {0}, 1, "takes none"},
    {"descriptor with an unknown request", 99, 1, 0, {0}, 1, "takes none"},
    {"nine descriptors", VU_SET_MEM_TABLE, 1, 72, {2}, 9, "more than 8"},
    {"sixteen descriptors", VU_SET_OWNER, 1, 0, {0}, 16, "more than 8"},
    {"backend channel without descriptor", VU_SET_BACKEND_REQ_FD, 1, 0, {0}, 0, "needs 1"},
    {"backend channel with two", VU_SET_BACKEND_REQ_FD, 1, 0, {0}, 2, "needs 1"},
    {"memory table of 4 bytes", VU_SET_MEM_TABLE, 1, 4, {1}, 1, "too short"},
    {"memory table without regions", VU_SET_MEM_TABLE, 1, 40, {0}, 0, "1 to 8"},
    {"memory table of 9", VU_SET_MEM_TABLE, 1, 296, {9}, 8, "1 to 8"},
    {"memory table of 4 G", VU_SET_MEM_TABLE, 1, 40, {~0u}, 1, "1 to 8"},
    {"memory table cut", VU_SET_MEM_TABLE, 1, 39, {1}, 1, "needs 40"},
    {"memory table without descriptors",
     VU_SET_MEM_TABLE,
     1,
     40,
     {1},
     0,
     "0 descriptors for 1"},
    {"memory table with one too many",
     VU_SET_MEM_TABLE,
     1,
     40,
     {1},
     2,
     "2 descriptors for 1"},
    {"SET_VRING_NUM of queue 2", VU_SET_VRING_NUM, 1, 8, {2, 64}, 0, "queue 2"},
    {"SET_VRING_NUM 0", VU_SET_VRING_NUM, 1, 8, {0, 0}, 0, "powers of two"},
    {"SET_VRING_NUM 3", VU_SET_VRING_NUM, 1, 8, {0, 3}, 0, "powers of two"},
    {"SET_VRING_NUM 2048", VU_SET_VRING_NUM, 1, 8, {0, 2048}, 0, "powers of two"},
    {"SET_VRING_BASE 65536", VU_SET_VRING_BASE, 1, 8, {0, 65536}, 0, "0 to 65535"},
    {"SET_VRING_BASE of queue 4 G", VU_SET_VRING_BASE, 1, 8, {~0u, 0}, 0, "queue"},
    {"GET_VRING_BASE of queue 2", VU_GET_VRING_BASE, 1, 8, {2, 0}, 0, "queue 2"},
    {"SET_VRING_ENABLE 2", VU_SET_VRING_ENABLE, 1, 8, {0, 2}, 0, "0 and 1"},
    {"SET_VRING_ADDR of queue 2", VU_SET_VRING_ADDR, 1, 40, {2, 0}, 0, "queue 2"},
    {"SET_VRING_ADDR with logging", VU_SET_VRING_ADDR, 1, 40, {0, 1}, 0, "logging"},
    {"SET_VRING_ADDR of 32 bytes", VU_SET_VRING_ADDR, 1, 32, {0, 0}, 0, "needs 40"},
    {"SET_VRING_KICK without descriptor",
     VU_SET_VRING_KICK,
     1,
     8,
     {0, 0},
     0,
     "announces 1"},
    {"SET_VRING_KICK with two", VU_SET_VRING_KICK, 1, 8, {0, 0}, 2, "announces 1"},
    {"SET_VRING_KICK, no-fd bit and one",
     VU_SET_VRING_KICK,
     1,
     8,
     {0x100, 0},
     1,
     "announces 0"},
    {"SET_VRING_KICK, no-fd bit", VU_SET_VRING_KICK, 1, 8, {0x100, 0}, 0, "needs a kick"},
    {"SET_VRING_KICK of queue 2", VU_SET_VRING_KICK, 1, 8, {2, 0}, 1, "queue 2"},
    {"SET_VRING_CALL, undefined bits",
     VU_SET_VRING_CALL,
     1,
     8,
     {0x200, 0},
     1,
     "undefined bits"},
    {"SET_VRING_KICK with a file", VU_SET_VRING_KICK, 1, 8, {0, 0}, 1000, "not an eventfd"},
    {"GET_CONFIG of 8 bytes", VU_GET_CONFIG, 1, 8, {0, 8}, 0, "too short"},
    {"GET_CONFIG longer than the message", VU_GET_CONFIG, 1, 16, {0, 5, 0}, 0, "announced"},
    {"GET_CONFIG beyond the end", VU_GET_CONFIG, 1, 16, {253, 4, 0}, 0, "outside"},
    {"GET_CONFIG that wraps around", VU_GET_CONFIG, 1, 16, {~0u, 4, 0}, 0, "outside"},
    {"SET_CONFIG beyond the end", VU_SET_CONFIG, 1, 16, {256, 4, 0}, 0, "outside"},
};

static void test_bad_messages(void)
{
	struct script s;
	struct front f;
	char name[120];
	unsigned int i, n;
	int fds[16];

	for (i = 0; i < sizeof(bad_messages) / sizeof(bad_messages[0]); i++) {
		uint32_t size = bad_messages[i].size;

		start_script(&f, &s, STEP_FEATURES);
		for (n = 0; n < 16; n++)
			fds[n] = f.ring[0].kick;
		n = bad_messages[i].nfds;
		if (n == 1000) {
			fds[0] = f.memfd[0];
			n = 1;
		}

		add_step(&s, bad_messages[i].request, bad_messages[i].p, size < 40 ? size : 40, fds, n);
		s.step[s.count - 1].m.size = size;
		s.step[s.count - 1].m.flags = bad_messages[i].flags;
		snprintf(name, sizeof(name), "refused: %s", bad_messages[i].name);
		bad_message(name, &f, &s, bad_messages[i].error);
	}
}

static void bad_table(const char *name, unsigned int region, unsigned int field, uint64_t value,
		      const char *error)
{
	struct mem_table t = good_table();
	struct script s;
	struct front f;

	start_script(&f, &s, STEP_MEMORY);
	memcpy((uint8_t *)&t.r[region] + field * 8, &value, 8);
	add_step(&s, VU_SET_MEM_TABLE, &t, 8 + 2 * 32, f.memfd, 2);
	bad_message(name, &f, &s, error);
}

static void bad_ring_addr(const char *name, unsigned int field, uint64_t value, const char *error)
{
	struct vring_addr_msg a = good_addr(0);
	uint64_t index = 0;
	struct script s;
	struct front f;

	start_script(&f, &s, STEP_KICK0);
	memcpy((uint8_t *)&a + 8 + field * 8, &value, 8);
	add_step(&s, VU_SET_VRING_ADDR, &a, 40, NULL, 0);
	add_step(&s, VU_SET_VRING_KICK, &index, 8, &f.ring[0].kick, 1);
	bad_message(name, &f, &s, error);
}

static void test_bad_memory(void)
{
	struct mem_table t = good_table();
	uint64_t index = 0;
	struct script s;
	struct front f;
	int pair[2];

	bad_table("refused: empty region", 1, 1, 0, "empty or wraps");
	bad_table("refused: region beyond its file", 0, 1, GPA_SIZE + 1, "which has");
	bad_table("refused: last region beyond its file", 1, 1, GPA_SIZE + 1, "which has");
	bad_table("refused: region of 2^64 - 1", 1, 1, ~UINT64_C(0), "empty or wraps");
	bad_table("refused: guest address wraps", 1, 0, ~UINT64_C(0) - 5, "empty or wraps");
	bad_table("refused: user address wraps", 1, 2, ~UINT64_C(0) - 5, "empty or wraps");
	bad_table("refused: offset wraps", 1, 3, ~UINT64_C(0) - 5, "empty or wraps");
	bad_table("refused: offset beyond the file", 1, 3, UINT64_C(1) << 40, "which has");
	bad_table("refused: regions overlap", 1, 0, GPA1 - 1, "overlaps");
	bad_table("refused: user addresses overlap", 1, 2, UADDR0, "overlaps");

	start_script(&f, &s, STEP_MEMORY);
	if (pipe2(pair, O_CLOEXEC))
		abort();

	add_step(&s, VU_SET_MEM_TABLE, &t, 8 + 2 * 32, pair, 2);
	bad_message("refused: memory in a pipe", &f, &s, "not a memory file");
	close(pair[0]);
	close(pair[1]);

	bad_ring_addr("refused: descriptor table outside", 0, 0, "descriptor ring");
	bad_ring_addr("refused: used ring over the end", 1, UADDR0 + GPA_SIZE - 4, "used ring");
	bad_ring_addr("refused: available ring wraps", 2, ~UINT64_C(0) - 1, "available ring");
	bad_ring_addr("refused: descriptor table unaligned", 0, UADDR0 + 8, "not aligned to 16");
	bad_ring_addr("refused: used ring unaligned", 1, UADDR0 + 2, "not aligned to 4");
	bad_ring_addr("refused: available ring unaligned", 2, UADDR0 + 1, "not aligned to 2");

	start_script(&f, &s, STEP_MEMORY);
	{
		struct vring_addr_msg a = good_addr(0);
		uint32_t num[2] = {0, RING_NUM};

		add_step(&s, VU_SET_VRING_NUM, num, 8, NULL, 0);
		add_step(&s, VU_SET_VRING_ADDR, &a, 40, NULL, 0);
		add_step(&s, VU_SET_VRING_KICK, &index, 8, &f.ring[0].kick, 1);
	}

	bad_message("refused: queue before memory", &f, &s, "not in guest memory");
}

static void test_deaf_front(void)
{
	struct message m = make(VU_GET_FEATURES, NULL, 0);
	uint64_t start = now_ms();
	struct front f;
	unsigned int i;

	begin();
	front_open(&f);
	front_start(&f);
	fcntl(f.sock, F_SETFL, O_NONBLOCK);

	for (i = 0; i < 1000000 && now_ms() - start < WAIT_MS; i++) {
		if (send_fds(f.sock, &m, VU_HEADER_SIZE, NULL, 0))
			continue;
		if (errno != EAGAIN)
			break;
		sleep_ms(1);
	}

	front_join(&f);
	CHECK(f.h.rc == -1 && strstr(f.h.err, "does not read"), "%s", f.h.err);
	front_close(&f);
	end("a front-end that never reads is given up");
}

static void test_kick_gone(void)
{
	uint64_t index = 0;
	struct front f;
	unsigned int n;
	int pair[2];

	begin();
	front_up(&f);
	if (pipe2(pair, O_CLOEXEC))
		abort();

	CHECK(!send_acked(&f, VU_SET_VRING_KICK, &index, 8, pair, 1), "pipe refused");

	close(f.ring[0].kick);
	f.ring[0].kick = pair[1];
	close(pair[0]);
	write32(&f, 0x100, 0x44);
	CHECK(read32(&f, 0x100) == 0x44, "kicks through a pipe");

	sleep_ms(20);
	close(pair[1]);
	sleep_ms(20);
	n = atomic_load(&f.h.sim->runs);
	sleep_ms(100);
	CHECK(atomic_load(&f.h.sim->runs) - n < 20, "%u turns after the pipe was closed",
	      atomic_load(&f.h.sim->runs) - n);

	f.ring[0].kick = eventfd(0, EFD_CLOEXEC);
	front_down(&f);
	end("kicks through a pipe, and its other end closed");
}

static void test_stop(void)
{
	struct front f;

	begin();
	front_up(&f);
	f.h.stop = 1;
	write32(&f, 0x100, 1);
	front_join(&f);
	CHECK(!f.h.rc, "%s", f.h.err);
	front_close(&f);
	end("the stop flag ends a session");
}

/* The program */

static const struct {
	const char *argv[6];
	int code;
	const char *text;
} usage_cases[] = {
    {{"--help"}, 0, "--quirk"},
    {{"--list-chipsets"}, 0, "mcp89"},
    {{NULL}, 2, "--socket PATH is missing"},
    {{"--socket", "x"}, 2, "--chipset NAME is missing"},
    {{"--socket", "x", "--chipset", "gf100"}, 2, "needs one of"},
    {{"--socket", "", "--chipset", "g84"}, 2, "1 to 107 bytes"},
    {{"--vram", "0"}, 2, "--vram 0: needs a number from 1 to 4095"},
    {{"--vram", "-1"}, 2, "--vram -1"},
    {{"--vram", "1x"}, 2, "--vram 1x"},
    {{"--vram", "99999999999999999999"}, 2, "--vram"},
    {{"--bar1", "3"}, 2, "--bar1 3: needs a power of two from 1 to 1024"},
    {{"--bar3", "8"}, 2, "--bar3 8: needs a power of two from 16 to 1024"},
    {{"--spin-us", "10001"}, 2, "0 to 10000"},
    {{"--tags", "4097"}, 2, "--tags 4097: needs a number from 0 to 4096"},
    {{"--boot0", "0"}, 2, "1 to ffffffff"},
    {{"--boot0", "100000000"}, 2, "1 to ffffffff"},
    {{"--boot0", "-1"}, 2, "1 to ffffffff"},
    {{"--quirk", "quark"}, 2, "invalid-cmd-get"},
    {{"--socket", "x", "--chipset", "g84", "extra"}, 2, "extra"},
    {{"--socket", "x", "--chipset", "g84", "--trace-mmio"}, 2, "needs --trace"},
    {{"--nonsense"}, 2, "--help"},
    {{"--replay", "x", "--socket", "y"}, 2, "not together with --socket"},
    {{"--replay", "x", "--decode", "y"}, 2, "not together with"},
    {{"--decode", "x", "--record", "y"}, 2, "--decode: not together"},
    {{"--replay", "/nowhere"}, 2, "cannot read /nowhere: No such file"},
    {{"--decode", "/dev/null"}, 2, "/dev/null is not a record"},
    {{"--keep-going"}, 2, "needs --replay"},
    {{"--from", "1"}, 2, "need --decode"},
    {{"--only", "dma,pio"}, 2, "needs config, mmio, dma, irq, other"},
    {{"--socket", "x", "--chipset", "g84", "--record", "/nowhere/x"}, 1, "cannot write"},
    {{"--vram"}, 2, "--help"},
};

static const char record_header[] =
    "nvsim-record 1\nchipset g98\nvram 32\nbar1 128\nbar3 16\ntags 0\nboot0 98a\n"
    "engine-context record\nd3-loss lost\nboot-vga\nnot-posted\nefi\nno-msi\nbig-endian\n"
    "endian-stuck\ndead\nwhole-card\nquirk ib-bit31=length\n"
    "quirk pfifo-tlb=coherent\n# nvsim --socket ";

static const struct {
	const char *text, *answer;
} bad_headers[] = {
    {"", "names no chipset"},
    {"# chipset g84\n", "names no chipset"},
    {"chipset\n", "'chipset' is not an option of a card"},
    {"chipset gf100\n", "needs one of"},
    {"chipset g84\nvram 4096\n", "--vram 4096: needs a number from 1 to 4095"},
    {"chipset g84\nno-msi 1\n", "'no-msi 1' is not an option of a card"},
    {"chipset g84\ntrace /tmp/x\n", "'trace /tmp/x' is not an option of a card"},
    {"chipset g84\nquirk x\n", "a bad header"},
};

/* A stale socket: bound once, but without a listener. */
static void make_stale_socket(const char *path)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un sa = {.sun_family = AF_UNIX};

	memcpy(sa.sun_path, path, strlen(path) + 1);
	if (bind(fd, (struct sockaddr *)&sa, sizeof(sa)))
		abort();
	close(fd);
}

struct paths {
	char sock[64], out[64], stats[64], report[64], trace[64], record[64];
};

static void program_options(struct paths *p)
{
	unsigned int i, n;

	begin();

	for (i = 0; i < sizeof(usage_cases) / sizeof(usage_cases[0]); i++) {
		char *argv[8] = {(char *)"nvsim"};
		int code;

		for (n = 0; n < 6 && usage_cases[i].argv[n]; n++)
			argv[n + 1] = (char *)(uintptr_t)usage_cases[i].argv[n];
		code = wait_exit(spawn(p->out, argv));
		CHECK(code == usage_cases[i].code, "case %u: exit %d", i, code);
		CHECK(strcasestr(slurp(p->out), usage_cases[i].text), "case %u: %s", i, slurp(p->out));
	}

	end("program: options are checked and errors name the range");
}

static void program_session(struct paths *p)
{
	struct front f;
	int fd;
	pid_t pid;

	begin();
	make_stale_socket(p->sock);
	pid = spawn(p->out, ARGV("--socket", p->sock, "--chipset", "G84", "--stats", p->stats, "--report",
			      p->report, "--trace", p->trace, "--trace-mmio", "--record", p->record));

	/* One that only looks, then the guest. */
	fd = connect_to(p->sock);
	CHECK(fd >= 0, "nobody listens: %s", slurp(p->out));

	close(fd);
	{
		pid_t other = spawn(p->trace, ARGV("--socket", p->sock, "--chipset", "g84"));

		CHECK(wait_exit(other) == 1, "two servers on one socket");
		CHECK(strstr(slurp(p->trace), "in use"), "%s", slurp(p->trace));
	}

	memset(&f, 0, sizeof(f));
	front_open(&f);
	close(f.sock);
	close(f.h.sock);
	f.sock = connect_to(p->sock);
	CHECK(f.sock >= 0, "the guest cannot connect");

	handshake(&f);
	check_refused(p->sock);
	{
		uint8_t id[8] = {0};

		CHECK(cmd_read(&f, VIRTIO_PCIDEV_OP_CFG_READ, 0, 0, 4, 8, id), "no answer");
		CHECK(id[0] == 0xde && id[1] == 0x10, "vendor %02x%02x", id[1], id[0]);
		cmd_write(&f, VIRTIO_PCIDEV_OP_CFG_WRITE, 0, 4, 2, "\6\0\0\0\0\0\0", 8, false);
		CHECK(((read32(&f, 0) >> 20) & 0x1ff) == 0x84, "PMC_BOOT_0 %#x", read32(&f, 0));
	}

	shutdown(f.sock, SHUT_RDWR);
	CHECK(wait_exit(pid) == 0, "exit: %s", slurp(p->out));
	front_close(&f);
	CHECK(strstr(slurp(p->stats), "mmio_reads 1\n") && strstr(slurp(p->stats), "\nviolations 0\n"),
	      "%s", slurp(p->stats));
	CHECK(!access(p->report, F_OK) && !slurp(p->report)[0], "report: %s", slurp(p->report));
	CHECK(slurp(p->trace)[0], "no trace");
	CHECK(access(p->sock, F_OK), "the socket is still there");
	end("program: stale socket, one guest, statistics, report, trace");
}

static void program_header(struct paths *p)
{
	unsigned int i;
	pid_t pid;

	begin();
	pid = spawn(p->out, ARGV("--socket", p->sock, "--chipset", "g98", "--vram", "32", "--bar1", "128",
			      "--bar3", "16", "--tags", "0", "--boot0", "98a", "--engine-context",
			      "record", "--d3-loss", "lost", "--boot-vga", "--not-posted", "--efi", "--no-msi",
			      "--big-endian", "--endian-stuck", "--dead", "--whole-card", "--quirk",
			      "ib-bit31=length", "--quirk", "pfifo-tlb=coherent", "--record", p->record));
	close(connect_to(p->sock));
	kill(pid, SIGTERM);
	wait_exit(pid);
	CHECK(!strncmp(slurp(p->record), record_header, sizeof(record_header) - 1), "%s",
	      slurp(p->record));
	CHECK(wait_exit(spawn(p->out, ARGV("--replay", p->record))) == 0, "%s", slurp(p->out));

	for (i = 0; i < sizeof(bad_headers) / sizeof(bad_headers[0]); i++) {
		FILE *file = fopen(p->record, "w");

		fprintf(file, "nvsim-record 1\n%s\n", bad_headers[i].text);
		fclose(file);
		CHECK(wait_exit(spawn(p->out, ARGV("--replay", p->record))) == 2, "case %u", i);
		CHECK(strstr(slurp(p->out), bad_headers[i].answer), "case %u: %s", i, slurp(p->out));
	}

	unlink(p->record);
	end("program: the header of a record");
}

static void program_strict(struct paths *p)
{
	unsigned int i;
	struct front f;
	pid_t pid;

	begin();

	for (i = 0; i < 2; i++) {
		if (i)
			pid = spawn(p->out, ARGV("--socket", p->sock, "--chipset", "mcp89",
						"--strict", "--report", p->report));
		else
			pid = spawn(p->out, ARGV("--socket", p->sock, "--chipset", "mcp89"));

		front_open(&f);
		close(f.sock);
		close(f.h.sock);
		f.sock = connect_to(p->sock);
		handshake(&f);
		cmd_write(&f, VIRTIO_PCIDEV_OP_CFG_WRITE, 0, 4, 2, "\6\0\0\0\0\0\0", 8, false);
		cmd_write(&f, VIRTIO_PCIDEV_OP_MMIO_WRITE, 5, 0, 4, "abcd", 4, false);
		read32(&f, 0);
		shutdown(f.sock, SHUT_RDWR);
		CHECK(wait_exit(pid) == (i ? 3 : 0), "%s", slurp(p->out));
		CHECK(strstr(slurp(p->out), "BAR5"), "%s", slurp(p->out));
		front_close(&f);
	}

	CHECK(strstr(slurp(p->report), "BAR5"), "report: %s", slurp(p->report));
	end("program: --strict and --report");
}

static void program_garbage(struct paths *p)
{
	int fd;
	pid_t pid;

	begin();
	pid = spawn(p->out, ARGV("--socket", p->sock, "--chipset", "g80"));
	fd = connect_to(p->sock);
	CHECK(send_fds(fd, "garbage garbage", 15, NULL, 0), "send");
	CHECK(wait_exit(pid) == 1, "exit");
	CHECK(strstr(slurp(p->out), "nvsim: "), "%s", slurp(p->out));

	close(fd);
	pid = spawn(p->out, ARGV("--socket", p->sock, "--chipset", "g80"));
	fd = connect_to(p->sock);
	close(fd);
	kill(pid, SIGTERM);
	CHECK(wait_exit(pid) == 1, "SIGTERM before a guest came");
	CHECK(access(p->sock, F_OK), "the socket is still there");
	pid = spawn(p->out, ARGV("--socket", p->out, "--chipset", "g80"));
	CHECK(wait_exit(pid) == 1, "exit");
	CHECK(strstr(slurp(p->out), "not a socket"), "%s", slurp(p->out));
	end("program: garbage, SIGTERM, a file in the way");
}

static void test_program(void)
{
	struct paths p;

	if (!mkdtemp(work_dir))
		abort();

	snprintf(p.sock, sizeof(p.sock), "%s/sock", work_dir);
	snprintf(p.out, sizeof(p.out), "%s/out", work_dir);
	snprintf(p.stats, sizeof(p.stats), "%s/stats", work_dir);
	snprintf(p.report, sizeof(p.report), "%s/report", work_dir);
	snprintf(p.record, sizeof(p.record), "%s/record", work_dir);
	snprintf(p.trace, sizeof(p.trace), "%s/trace", work_dir);

	program_options(&p);
	program_session(&p);

	begin();
	check_record(p.record, p.out, "vhost-user");
	end("program: its record replays and can be read");

	program_header(&p);
	program_strict(&p);
	program_garbage(&p);

	unlink(p.stats);
	unlink(p.report);
	unlink(p.trace);
	unlink(p.out);
	unlink(p.sock);
	rmdir(work_dir);
}

static void read_once(void *arg)
{
	read32(arg, 0x100);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--round-trip")) {
		struct front f;

		front_up(&f);
		round_trip("vhost-user", read_once, &f);
		front_down(&f);
		return 0;
	}

	nvsim_path = argc > 1 ? argv[1] : getenv("NVSIM");
	signal(SIGPIPE, SIG_IGN);
	alarm(TIME_LIMIT_S);

	test_negotiation();
	test_config();
	test_mmio();
	test_notification();
	test_interrupts();
	test_dma();
	test_recording();
	test_restart();
	test_damaged_rings();
	test_many_segments();
	test_prefixes();
	test_slow_sender();
	test_bad_messages();
	test_bad_memory();
	test_deaf_front();
	test_kick_gone();
	test_stop();
	if (nvsim_path && nvsim_path[0])
		test_program();
	else
		tap_skip("program # SKIP no path to nvsim in $NVSIM or argument 1");

	return tap_end();
}
