// SPDX-License-Identifier: MIT
/*
 * The contract of every ioctl: the calls that it refuses, with which errno. A refused call
 * must change nothing.
 *
 * After each refusal the test checks this from outside: the existing address spaces,
 * channels and buffers, free VRAM, and the result of CHANNEL_QUERY.
 *
 * Guards refused calls (uapi.rst), on each generation.
 */
#include "expect.h"

/* --- Layout: no holes, 64-bit aligned, the same on 32 and 64 bits ------------- */

#define SIZE(type, bytes) \
	_Static_assert(sizeof(struct drm_nvfifo_##type) == (bytes), #type " has another size"); \
	_Static_assert(sizeof(struct drm_nvfifo_##type) % 8 == 0, #type " is no multiple of 8")
#define AT(type, field, offset) \
	_Static_assert(offsetof(struct drm_nvfifo_##type, field) == (offset), \
		       #type "." #field " has moved")

SIZE(array, 16);
AT(array, ptr, 8);
SIZE(device_query, 16);
AT(device_query, pointer, 8);
SIZE(query_device, 104);
AT(query_device, name, 8);
AT(query_device, vram_size, 24);
AT(query_device, vram_free, 32);
AT(query_device, va_start, 40);
AT(query_device, va_end, 48);
AT(query_device, page_sizes, 56);
AT(query_device, features, 64);
AT(query_device, engines, 72);
AT(query_device, bound_engines, 76);
AT(query_device, tags, 80);
AT(query_device, bar1_size, 88);
AT(query_device, graph_units, 96);
SIZE(query_limits, 80);
AT(query_limits, objects, 32);
AT(query_limits, label_size, 36);
AT(query_limits, file_channels, 44);
AT(query_limits, file_bytes, 56);
AT(query_limits, bind_bytes, 64);
AT(query_limits, hang_limit_min, 72);
SIZE(query_time, 16);
AT(query_time, monotonic_ns, 8);
SIZE(bo_create, 32);
AT(bo_create, domain, 8);
AT(bo_create, handle, 16);
AT(bo_create, pad, 20);
AT(bo_create, mmap_offset, 24);
SIZE(bo_info, 40);
AT(bo_info, size, 8);
AT(bo_info, mmap_offset, 16);
AT(bo_info, flags, 24);
AT(bo_info, tags, 32);
SIZE(bo_label, 16);
AT(bo_label, label, 8);
SIZE(vm_create, 8);
SIZE(vm_destroy, 8);
SIZE(sync, 16);
AT(sync, timeline_value, 8);
SIZE(vm_bind_op, 48);
AT(vm_bind_op, bo_handle, 8);
AT(vm_bind_op, va, 16);
AT(vm_bind_op, bo_offset, 32);
AT(vm_bind_op, kind, 40);
AT(vm_bind_op, compression, 44);
SIZE(vm_bind, 40);
AT(vm_bind, ops, 8);
AT(vm_bind, syncs, 24);
SIZE(channel_create, 56);
AT(channel_create, id, 12);
AT(channel_create, timeslice, 16);
AT(channel_create, sli_mask, 20);
AT(channel_create, user_data, 24);
AT(channel_create, start, 32);
AT(channel_create, control_offset, 40);
AT(channel_create, hang_limit_ms, 48);
AT(channel_create, dma_limit, 52);
SIZE(event_channel_dead, 56);
AT(event_channel_dead, error_detail, 20);
AT(event_channel_dead, fault, 32);
AT(event_channel_dead, fault_address, 40);
AT(event_channel_dead, user_data, 48);
SIZE(channel_destroy, 8);
SIZE(channel_query, 152);
AT(channel_query, hw_id, 24);
AT(channel_query, get, 32);
AT(channel_query, ib_get, 48);
AT(channel_query, fault_address, 64);
AT(channel_query, fault_write, 88);
AT(channel_query, submitted, 96);
AT(channel_query, completed, 104);
AT(channel_query, mget, 112);
AT(channel_query, mget_valid, 120);
AT(channel_query, loaded, 124);
AT(channel_query, dma_state, 128);
AT(channel_query, method_count, 132);
AT(channel_query, subroutine, 136);
AT(channel_query, bound, 140);
AT(channel_query, error_detail, 144);
SIZE(channel_wait, 32);
AT(channel_wait, value, 4);
AT(channel_wait, address, 8);
AT(channel_wait, timeout_ns, 16);
AT(channel_wait, flags, 24);
AT(channel_wait, pad, 28);
SIZE(object_create, 64);
AT(object_create, start, 24);
AT(object_create, bo_handle, 40);
AT(object_create, cycle, 56);
SIZE(object_destroy, 8);
SIZE(entry, 16);
AT(entry, words, 8);
SIZE(submit, 48);
AT(submit, entries, 8);
AT(submit, syncs, 24);
AT(submit, seqno, 40);

#define BAD_ID		0x7ffff
#define BAD_PTR		8ull

/* Set up a test: two files, each with an address space and a channel. */
static struct nv nv, other;
static struct ch ch, och;
static uint32_t vm, ovm;
static struct state before;

static void world(void)
{
	int i;

	nv_open(&nv);
	vm = new_vm(&nv);
	ch = ch_new(&nv, vm);
	nv_open(&other);

	/* Identifiers of the other file that this file does not have. */
	new_vm(&other);
	new_vm(&other);
	ovm = new_vm(&other);

	for (i = 0; i < 8; i++)
		sys_bo(&other, 4096);

	och = ch_new(&other, ovm);
	before = state_of(&nv, ch.id);
}

static void same_at(const char *file, int line, const char *what)
{
	struct state now = state_of(&nv, ch.id);

	if (!state_same(&before, &now))
		check_at(file, line, false, "%s: the refused call changed nothing", what);
	before = now;
}

/* The call must be refused and change nothing. */
#define refuse(ret, err, what) \
	do { \
		refused_at(__FILE__, __LINE__, ret, err, what); \
		same_at(__FILE__, __LINE__, what); \
	} while (0)

/* The same where the contract allows one of two errnos. */
#define refuse2(ret, err1, err2, what) \
	do { \
		int ret_ = (ret); \
		if (!check(ret_ == -(err1) || ret_ == -(err2), "%s: %s or %s", what, \
			   strerrorname_np(err1), strerrorname_np(err2))) \
			diag("returned %d", ret_); \
		same_at(__FILE__, __LINE__, what); \
	} while (0)

/* Two pages, the second one not accessible: arrays and records that run into it. */
static char *edge_page(void)
{
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(p != MAP_FAILED, "mmap");
	need(!mprotect(p + 4096, 4096, PROT_NONE), "mprotect");
	return p + 4096;
}

/* --- Every ioctl ----------------------------------------------------------------- */

static const struct {
	const char *name;
	unsigned long req;
} calls[] = {
	{ "DEVICE_QUERY", DRM_IOCTL_NVFIFO_DEVICE_QUERY },
	{ "BO_CREATE", DRM_IOCTL_NVFIFO_BO_CREATE },
	{ "BO_INFO", DRM_IOCTL_NVFIFO_BO_INFO },
	{ "VM_CREATE", DRM_IOCTL_NVFIFO_VM_CREATE },
	{ "VM_DESTROY", DRM_IOCTL_NVFIFO_VM_DESTROY },
	{ "VM_BIND", DRM_IOCTL_NVFIFO_VM_BIND },
	{ "CHANNEL_CREATE", DRM_IOCTL_NVFIFO_CHANNEL_CREATE },
	{ "CHANNEL_DESTROY", DRM_IOCTL_NVFIFO_CHANNEL_DESTROY },
	{ "CHANNEL_QUERY", DRM_IOCTL_NVFIFO_CHANNEL_QUERY },
	{ "OBJECT_CREATE", DRM_IOCTL_NVFIFO_OBJECT_CREATE },
	{ "OBJECT_DESTROY", DRM_IOCTL_NVFIFO_OBJECT_DESTROY },
	{ "SUBMIT", DRM_IOCTL_NVFIFO_SUBMIT },
	{ "BO_LABEL", DRM_IOCTL_NVFIFO_BO_LABEL },
	{ "CHANNEL_WAIT", DRM_IOCTL_NVFIFO_CHANNEL_WAIT },
};

static void t_every_call(void)
{
	char name[64];
	size_t i;

	world();

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		size_t size = _IOC_SIZE(calls[i].req);
		char *edge = edge_page();

		snprintf(name, sizeof(name), "%s with a NULL argument", calls[i].name);
		refuse(nv_ioctl(nv.fd, calls[i].req, NULL), EFAULT, name);
		snprintf(name, sizeof(name), "%s with a bad argument pointer", calls[i].name);
		refuse(nv_ioctl(nv.fd, calls[i].req, (void *)BAD_PTR), EFAULT, name);
		memset(edge - 4096, 0xff, 4096);
		snprintf(name, sizeof(name), "%s with an argument half unreadable", calls[i].name);
		refuse(nv_ioctl(nv.fd, calls[i].req, edge - size / 2), EFAULT, name);

		/* All ones is invalid for every argument, in any order of checks. */
		memset(edge - size, 0xff, size);
		check(nv_ioctl(nv.fd, calls[i].req, edge - size) < 0,
		      "%s with an argument of all ones is refused", calls[i].name);
		same_at(__FILE__, __LINE__, calls[i].name);
	}

	refused(nv_ioctl(nv.fd, DRM_IOW(DRM_COMMAND_BASE + 0x0e, struct drm_nvfifo_vm_create),
			 &(struct drm_nvfifo_vm_create){ 0 }),
		EINVAL, "an ioctl number past the last one");
	check(ch_works(&ch), "the channel works after all that");
}

/*
 * A program built with a newer header passes a longer structure. Its tail is 0 unless it
 * requests a feature that this kernel does not have.
 */
static void t_long_struct(void)
{
	struct {
		struct drm_nvfifo_vm_create c;
		uint64_t more;
	} big = { .more = 0 };
	unsigned long req = _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
				 DRM_COMMAND_BASE + DRM_NVFIFO_VM_CREATE, sizeof(big));
	int ret;

	world();
	ret = nv_ioctl(nv.fd, req, &big);
	check(!ret && big.c.id, "a longer structure with a tail of 0 is taken");

	if (!ret)
		vm_destroy(&nv, big.c.id);

	memset(&big, 0, sizeof(big));
	big.more = 1;
	refuse2(nv_ioctl(nv.fd, req, &big), E2BIG, EINVAL,
		"a longer structure with something in its tail");
}

/* --- DEVICE_QUERY ------------------------------------------------------------------- */

static void query_bad_pointers(struct drm_nvfifo_device_query q, uint32_t type, uint32_t size)
{
	uint8_t *edge;

	q.size = size;
	q.pointer = BAD_PTR;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q), EFAULT,
	       "query to a bad pointer");
	q.size = size;
	q.pointer = ~0ull - 7;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q), EFAULT,
	       "query to a kernel address");

	edge = (uint8_t *)edge_page();
	q.size = size;
	q.pointer = (uintptr_t)(edge - size + 4);
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q), EFAULT,
	       "query into a page that is not there");
	q.size = size;
	q.pointer = (uintptr_t)(edge - size);
	check(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q),
	      "query %u to the last bytes of a page", type);
	q.size = 4096;
	q.pointer = (uintptr_t)(edge - size);
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q), EFAULT,
	       "query whose rest cannot be cleared");
	q.size = ~0u;
	q.pointer = (uintptr_t)(edge - size);
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q), EINVAL,
	       "query with a size of 4 GiB");
}

/* Each call clears a page at most. */
static void query_sizes(uint32_t type)
{
	struct drm_nvfifo_device_query q = { .type = type };
	uint8_t *page = malloc(4097);

	need(page, "malloc");
	memset(page, 0xaa, 4097);
	q.size = 4097;
	q.pointer = (uintptr_t)page;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q), EINVAL,
	       "query with more than a page");
	check(page[0] == 0xaa && page[4096] == 0xaa, "query %u writes nothing then", type);
	q.size = 4096;
	q.pointer = (uintptr_t)page;
	check(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q) && !page[4095] &&
	      page[4096] == 0xaa, "query %u with a page", type);
	free(page);
}

static void query_record(uint32_t type)
{
	struct drm_nvfifo_device_query q;
	uint8_t buf[256];
	uint32_t size = type ? sizeof(nv.lim) : sizeof(nv.dev), i;
	const void *want = type ? (void *)&nv.lim : (void *)&nv.dev;
	bool clear = true;

	q = (struct drm_nvfifo_device_query){ .type = type };
	check(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q) && q.size == size,
	      "query %u with pointer 0 tells the size", type);

	memset(buf, 0xaa, sizeof(buf));
	q.size = sizeof(buf) - 8;
	q.pointer = (uintptr_t)buf;
	check(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q) && q.size == size,
	      "query %u with a longer buffer", type);

	for (i = size; i < sizeof(buf) - 8; i++)
		clear &= !buf[i];

	check(clear, "query %u clears the rest of the buffer", type);
	check(buf[sizeof(buf) - 8] == 0xaa, "query %u writes no more than that", type);

	/* Free VRAM may have changed, it is not in the first 32 bytes. */
	check(!memcmp(buf, want, 32), "query %u says the same twice", type);

	memset(buf, 0xaa, sizeof(buf));
	q.size = 12;
	check(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q) && q.size == size &&
	      !memcmp(buf, want, 12) && buf[12] == 0xaa,
	      "query %u with a shorter buffer writes what fits", type);

	memset(buf, 0xaa, sizeof(buf));
	q.size = 0;
	check(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q) && buf[0] == 0xaa,
	      "query %u of 0 bytes writes nothing", type);

	query_bad_pointers(q, type, size);
	query_sizes(type);
}

static void t_device_query(void)
{
	struct drm_nvfifo_device_query q;
	uint8_t buf[256];
	uint32_t type;

	world();
	q = (struct drm_nvfifo_device_query){ .type = 3 };
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q), EINVAL, "query type 3");
	q = (struct drm_nvfifo_device_query){ .type = ~0u, .size = 8, .pointer = (uintptr_t)buf };
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q), EINVAL, "query type ~0");

	for (type = 0; type < 2; type++)
		query_record(type);
}

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static struct drm_nvfifo_query_time device_time(void)
{
	struct drm_nvfifo_query_time time = { 0 };
	struct drm_nvfifo_device_query q = {
		.type = DRM_NVFIFO_QUERY_TIME,
		.size = sizeof(time),
		.pointer = (uintptr_t)&time,
	};

	need(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q), "the card's time");

	return time;
}

/* PTIMER counts ns, whatever the firmware has left. A slow machine stretches both clocks. */
static void t_device_rate(void)
{
	struct drm_nvfifo_query_time first, last;
	uint64_t card, cpu;
	unsigned int i;

	world();

	/* A pause between the two readings of a query shows in one try, not in all. */
	for (i = 0; i < 20; i++) {
		first = device_time();
		usleep(500000);
		last = device_time();
		card = last.timer_ns - first.timer_ns;
		cpu = last.monotonic_ns - first.monotonic_ns;
		if (card > cpu / 4 * 3 && card < cpu / 2 * 3)
			break;
	}

	check(i < 20, "PTIMER counts ns: %llu while the CPU counts %llu", (unsigned long long)card,
	      (unsigned long long)cpu);
}

/* PTIMER's time has steps of 32 ns and increases. The CPU's lies between those around the call. */
static void t_device_time(void)
{
	struct drm_nvfifo_query_time time[2] = { 0 };
	struct drm_nvfifo_device_query q = { .type = DRM_NVFIFO_QUERY_TIME };
	uint64_t before = clock_ns(), after;
	unsigned int i;

	world();
	check(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q) && q.size == sizeof(time[0]),
	      "the time's size");

	for (i = 0; i < 2; i++) {
		q.pointer = (uintptr_t)&time[i];
		check(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q), "the time, %u", i);
		check(!(time[i].timer_ns & 31), "PTIMER counts in steps of 32 ns");
	}

	after = clock_ns();
	check(before <= time[0].monotonic_ns && time[0].monotonic_ns <= time[1].monotonic_ns &&
	      time[1].monotonic_ns <= after, "CLOCK_MONOTONIC lies between the calls");
	check(time[0].timer_ns < time[1].timer_ns, "PTIMER goes on");
}

static void t_device_record(void)
{
	static const struct {
		uint32_t chipset, engines;
	} table[] = {
		{ 0x50, 0x1e }, { 0x84, 0x76 }, { 0x86, 0x76 }, { 0x92, 0x76 }, { 0x94, 0x76 },
		{ 0x96, 0x76 }, { 0x98, 0x76 }, { 0xa0, 0x76 }, { 0xaa, 0x76 }, { 0xac, 0x76 },
		{ 0xa3, 0x5e }, { 0xa5, 0x5e }, { 0xa8, 0x5e }, { 0xaf, 0x7e },
	};
	const struct drm_nvfifo_query_device *d = &nv.dev;
	const struct drm_nvfifo_query_limits *l = &nv.lim;
	bool has_medium;
	const char *name;
	size_t i;

	world();
	has_medium = nvfifo_chipset_is_gt215(d->chipset);
	name = nvfifo_chipset_name(d->chipset);
	check(name && !strcmp(name, (const char *)d->name), "chipset 0x%02x is called %.15s",
	      d->chipset, d->name);
	equal(d->boot_0 >> 20 & 0x1ff, d->chipset, "PMC_BOOT_0 agrees with the chipset");

	for (i = 0; i < ARRAY_SIZE(table); i++)
		if (table[i].chipset == d->chipset)
			equal(d->engines & 0x7e, table[i].engines, "engines of the chipset");

	check(!!(d->features & DRM_NVFIFO_FEATURE_SEMAPHORE64) == (d->chipset != 0x50),
	      "64-bit semaphores from G84 on");
	check(!!(d->features & DRM_NVFIFO_FEATURE_IGP) == nvfifo_chipset_is_igp(d->chipset),
	      "IGP feature");
	check(!!(d->features & DRM_NVFIFO_FEATURE_ENCRYPTION) == (d->chipset != 0x50),
	      "encryption from G84 on");
	check(!!(d->features & DRM_NVFIFO_FEATURE_LONG_CYCLE) == (d->chipset == 0x50),
	      "long partition cycles on G80");
	check(!!(d->features & DRM_NVFIFO_FEATURE_COMPRESSION) == !!d->tags && d->tags <= 4096 &&
	      d->tags_free <= d->tags, "compression where there is tag memory");
	check(!d->tags || !nvfifo_chipset_is_igp(d->chipset), "no tag memory on IGPs");
	equal(d->graph_units, ctl(NVSIM_CTL_READ_REG, 0x1540), "units of PGRAPH");
	equal(d->pad, 0, "padding");
	check(d->bar1_size >= 16 * MIB && !(d->bar1_size & (d->bar1_size - 1)), "size of BAR1");
	check(!(d->features & ~0xffull), "no feature that has no name");
	check(!(d->features & DRM_NVFIFO_FEATURE_USER_QUEUE) ==
		      !(d->features & DRM_NVFIFO_FEATURE_VRAM_MMAP),
	      "user queues where BAR0 and BAR1 can be mapped");
	check(d->vram_size >= 16 * MIB && d->vram_free <= d->vram_size && d->vram_free,
	      "VRAM size and free");
	check(d->va_start && d->va_start < d->va_end && !(d->va_start & 0xffff) &&
	      !(d->va_end & 0xffff) && d->va_end <= 1ull << 40, "range of virtual addresses");
	equal(d->page_sizes, has_medium ? 0x15000 : 0x11000,
	      "pages of 4 KiB and 64 KiB, and from GT215 on of 16 KiB");
	equal(d->bound_engines, 3, "PFIFO's own DMA objects can be bound, and PGRAPH's");
	check(l->channels >= 1 && l->channels <= 126, "channel limit");
	check(l->ring_order_min >= 1 && l->ring_order_min <= l->ring_order_default &&
	      l->ring_order_default <= l->ring_order_max && l->ring_order_max < 32, "ring orders");
	equal(l->submit_entries, (1u << l->ring_order_max) - 2, "entries of one SUBMIT");
	check(l->submit_words > 0 && l->submit_words < 1u << 21, "words of one entry");
	check(l->submit_syncs && l->bind_ops && l->objects, "other limits");
	check(l->label_size >= 16 && l->label_size <= 4096, "size of a label");
}

/* --- BO_CREATE, BO_INFO ------------------------------------------------------------- */

static int try_bo(uint64_t size, uint32_t domain, uint32_t flags, uint32_t pad,
		  struct drm_nvfifo_bo_create *out)
{
	struct drm_nvfifo_bo_create c = {
		.size = size, .domain = domain, .flags = flags, .pad = pad,
	};
	int ret = nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_BO_CREATE, &c);

	if (out)
		*out = c;
	else if (!ret)
		bo_close(&nv, c.handle);

	return ret;
}

static void bo_bad_args(uint32_t dom)
{
	uint32_t i;

	refuse(try_bo(4096, dom, dom ? DRM_NVFIFO_BO_WC : DRM_NVFIFO_BO_CONTIGUOUS, 0, NULL),
	       EINVAL, "BO_CREATE with the other domain's flag");

	for (i = 2; i < 32; i++)
		if (!dom || 1u << i != DRM_NVFIFO_BO_LSR)
			refuse(try_bo(4096, dom, 1u << i, 0, NULL), EINVAL,
			       "BO_CREATE with an unknown flag");

	refuse(try_bo(4096, dom, 0, 1, NULL), EINVAL, "BO_CREATE with padding");
	refuse(try_bo(0, dom, 0, 0, NULL), EINVAL, "BO_CREATE of 0 bytes");
	refuse(try_bo((1ull << 40) + 1, dom, 0, 0, NULL), EINVAL,
	       "BO_CREATE of 1 TiB and a byte");
	refuse(try_bo(~0ull, dom, 0, 0, NULL), EINVAL, "BO_CREATE of 2^64 - 1 bytes");
	refuse(try_bo(1ull << 63, dom, 0, 0, NULL), EINVAL, "BO_CREATE of 2^63 bytes");
}

static void bo_good_sizes(void)
{
	static const struct {
		uint64_t size;
		uint32_t domain;
		uint64_t rounded;
	} good[] = {
		{ 1, 0, 4096 },		{ 4096, 0, 4096 },	{ 4097, 0, 8192 },
		{ 1, 1, 65536 },	{ 65536, 1, 65536 },	{ 65537, 1, 131072 },
	};
	struct drm_nvfifo_bo_create c;
	uint64_t free;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		struct drm_nvfifo_bo_info info = { 0 };

		free = vram_free(&nv);
		if (!check(!try_bo(good[i].size, good[i].domain, 0, 0, &c),
			   "BO_CREATE of %llu bytes in domain %u",
			   (unsigned long long)good[i].size, good[i].domain))
			continue;
		check(c.handle && c.size == good[i].rounded, "rounded up to %llu",
		      (unsigned long long)good[i].rounded);
		equal(free - vram_free(&nv), good[i].domain ? c.size : 0, "taken from VRAM");
		info.handle = c.handle;
		info.domain = ~0u;
		info.size = ~0ull;
		check(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_BO_INFO, &info) &&
		      info.domain == good[i].domain && info.size == c.size &&
		      info.mmap_offset == c.mmap_offset, "BO_INFO says the same");
		check(!bo_close(&nv, c.handle), "GEM_CLOSE");
		refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_BO_INFO, &info), ENOENT,
		       "BO_INFO of a closed BO");
		equal(vram_free(&nv), free, "VRAM is given back");
	}
}

static void t_bo(void)
{
	uint32_t dom;

	world();

	for (dom = 0; dom < 2; dom++)
		bo_bad_args(dom);

	refuse(try_bo(4096, 2, 0, 0, NULL), EINVAL, "BO_CREATE in domain 2");
	refuse(try_bo(4096, ~0u, 0, 0, NULL), EINVAL, "BO_CREATE in domain ~0");
	refuse(try_bo(1ull << 40, DRM_NVFIFO_DOMAIN_VRAM, 0, 0, NULL), ENOSPC,
	       "BO_CREATE of 1 TiB of VRAM");
	refuse(try_bo(nv.dev.vram_size, DRM_NVFIFO_DOMAIN_VRAM, 0, 0, NULL), ENOSPC,
	       "BO_CREATE of all VRAM");

	bo_good_sizes();

	{
		struct drm_nvfifo_bo_info info = { .handle = 0 };

		refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_BO_INFO, &info), ENOENT, "BO_INFO of 0");
		info.handle = BAD_ID;
		refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_BO_INFO, &info), ENOENT,
		       "BO_INFO of nothing");
		info.handle = och.push.handle;
		refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_BO_INFO, &info), ENOENT,
		       "BO_INFO of another file's BO");
	}

	if (!(nv.dev.features & DRM_NVFIFO_FEATURE_VRAM_MMAP)) {
		struct bo v = vram_bo(&nv, 65536);
		void *p = mmap(NULL, v.size, PROT_READ, MAP_SHARED, nv.fd, (off_t)v.offset);

		check(p == MAP_FAILED, "VRAM cannot be mapped without the feature");
	}
}

/* --- BO_LABEL --------------------------------------------------------------------------- */

static int label(uint32_t handle, uint64_t text, uint32_t size)
{
	struct drm_nvfifo_bo_label l = { .handle = handle, .size = size, .label = text };

	return nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_BO_LABEL, &l);
}

static void t_label(void)
{
	char text[4097], *edge;
	uint32_t max, i;
	struct bo bo;

	world();
	bo = sys_bo(&nv, 4096);
	before = state_of(&nv, ch.id);
	max = nv.lim.label_size;
	need(max < sizeof(text), "a label is short");
	memset(text, 'x', sizeof(text));
	refuse(label(0, (uintptr_t)text, 1), ENOENT, "BO_LABEL of 0");
	refuse(label(BAD_ID, (uintptr_t)text, 1), ENOENT, "BO_LABEL of nothing");
	refuse(label(och.push.handle, (uintptr_t)text, 1), ENOENT, "BO_LABEL of another file's BO");
	refuse(label(bo.handle, (uintptr_t)text, max + 1), EINVAL, "a label that is too long");
	refuse(label(bo.handle, (uintptr_t)text, ~0u), EINVAL, "a label of 4 GiB");
	refuse(label(bo.handle, 0, 1), EFAULT, "a label at NULL");
	refuse(label(bo.handle, BAD_PTR, 1), EFAULT, "a label at 8");
	refuse(label(bo.handle, ~0ull - 15, 8), EFAULT, "a label at a kernel address");
	edge = edge_page();
	memset(edge - 8, 'y', 8);
	refuse(label(bo.handle, (uintptr_t)edge - 8, 9), EFAULT, "a label half unreadable");
	check(!label(bo.handle, (uintptr_t)edge - 8, 8), "a label up to the end of a page");

	for (i = 0; i < 256; i++) {
		bool good = i >= 0x20 && i < 0x7f;
		int ret;

		text[3] = (char)i;
		ret = label(bo.handle, (uintptr_t)text, 5);
		if (ret != (good ? 0 : -EINVAL)) {
			check(false, "a label with the character 0x%02x", i);
			diag("returned %d", ret);
		}
	}

	check(true, "labels with every character");
	text[3] = 'x';
	check(!label(bo.handle, (uintptr_t)text, max), "the longest label");
	check(!label(bo.handle, 0, 0), "no label any more");
	check(!label(bo.handle, 0, 0), "and again");
	same_at(__FILE__, __LINE__, "labels");
}

/* --- VM_CREATE, VM_DESTROY ------------------------------------------------------------- */

static void t_vm(void)
{
	struct drm_nvfifo_vm_create c = { .flags = 1 };
	struct drm_nvfifo_vm_destroy d = { 0 };
	struct ch c2;
	uint32_t id;

	world();
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_CREATE, &c), EINVAL, "VM_CREATE with flag 0");
	c.flags = 1u << 31;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_CREATE, &c), EINVAL, "VM_CREATE with flag 31");
	refuse(vm_destroy(&nv, 0), ENOENT, "VM_DESTROY of 0");
	refuse(vm_destroy(&nv, BAD_ID), ENOENT, "VM_DESTROY of nothing");
	refuse(vm_destroy(&nv, ~0u), ENOENT, "VM_DESTROY of ~0");
	refuse(vm_destroy(&nv, ovm), ENOENT, "VM_DESTROY of another file's");
	d.id = vm;
	d.pad = 1;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_DESTROY, &d), EINVAL,
	       "VM_DESTROY with padding");

	id = new_vm(&nv);
	c2 = ch_new(&nv, id);
	check(ch_works(&c2), "channel in a second VM");
	check(!vm_destroy(&nv, id), "VM_DESTROY of a VM that a channel uses");
	check(ch_works(&c2), "the channel keeps it alive");
	chan_destroy(&nv, c2.id);
	bo_close(&nv, c2.push.handle);
	refuse(vm_destroy(&nv, id), ENOENT, "VM_DESTROY twice");
	check(ch_works(&och), "the other file's VM is untouched");
}

/* --- VM_BIND ------------------------------------------------------------------------------ */

#define BIND_VA (8 * GIB)

static int bind1(struct drm_nvfifo_vm_bind_op op)
{
	return vm_bind(&nv, vm, &op, 1);
}

static void bind_array(const struct bo *bo, struct drm_nvfifo_vm_bind_op op)
{
	struct drm_nvfifo_vm_bind b;
	uint32_t n;
	char *edge;
	int ret;

	b = (struct drm_nvfifo_vm_bind){
		.vm_id = vm,
		.ops = { sizeof(op), 1, (uintptr_t)&op },
	};

	for (n = 1; n < 32; n++) {
		b.flags = 1u << n;
		refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), EINVAL,
		       "VM_BIND with an unknown flag");
	}

	b.flags = 0;
	b.ops.stride = 0;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), EINVAL, "VM_BIND with stride 0");
	b.ops.stride = sizeof(op) - 8;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), EINVAL,
	       "VM_BIND with a stride too short");
	b.ops.stride = ~0u;
	ret = nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b);
	check(ret == -EINVAL || ret == -E2BIG || ret == -EFAULT,
	      "VM_BIND with a stride of 4 GiB is refused");
	same_at(__FILE__, __LINE__, "stride of 4 GiB");
	b.ops.stride = sizeof(op);
	b.ops.ptr = 0;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), EFAULT, "VM_BIND from NULL");
	b.ops.ptr = BAD_PTR;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), EFAULT, "VM_BIND from 8");
	b.ops.ptr = ~0ull - 63;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), EFAULT,
	       "VM_BIND from a kernel address");

	/* Only the first operation can be read: neither may be carried out. */
	edge = edge_page();
	memcpy(edge - sizeof(op), &op, sizeof(op));
	b.ops.ptr = (uintptr_t)(edge - sizeof(op));
	b.ops.count = 2;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), EFAULT,
	       "VM_BIND with an array half unreadable");
	check(!bind1(op), "VM_BIND whose array was refused before");
	refuse(bind1(op), EEXIST, "VM_BIND where it is mapped already");
	check(!vm_unmap(&nv, vm, BIND_VA, bo->size), "unmap");
}

static void bind_limit(void)
{
	struct drm_nvfifo_vm_bind_op *ops;
	uint32_t n;
	int ret;

	n = nv.lim.bind_ops;
	ops = calloc(n + 1, sizeof(*ops));
	need(ops, "calloc");

	for (ret = 0; ret <= (int)n; ret++)
		ops[ret] = op_unmap(BIND_VA + (uint64_t)ret * 4096, 4096);

	refuse(vm_bind(&nv, vm, ops, n + 1), E2BIG, "VM_BIND of one operation too many");
	refuse(vm_bind(&nv, vm, ops, ~0u), E2BIG, "VM_BIND of 2^32 - 1 operations");
	check(!vm_bind(&nv, vm, ops, n), "VM_BIND of as many operations as allowed");
	free(ops);
}

static void bind_longer_elements(struct bo *bo, struct drm_nvfifo_vm_bind_op op)
{
	struct drm_nvfifo_vm_bind b = { .vm_id = vm };

	/* A longer element is valid if the part that the kernel does not know is 0. */
	{
		struct {
			struct drm_nvfifo_vm_bind_op op;
			uint64_t more;
		} longer[2] = { { op_map(bo, BIND_VA), 0 }, { op_unmap(BIND_VA, bo->size), 0 } };

		b.ops = (struct drm_nvfifo_array){ sizeof(longer[0]), 2, (uintptr_t)longer };
		check(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b),
		      "VM_BIND with longer elements and tails of 0");
		longer[1].more = 1;
		refuse2(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), EINVAL, E2BIG,
			"VM_BIND with something in the tail of an element");
		check(!bind1(op), "the first element was not carried out");
		vm_unmap(&nv, vm, BIND_VA, bo->size);
	}
}

static void bind_all_or_nothing(const struct bo *bo, struct drm_nvfifo_vm_bind_op op)
{
	struct drm_nvfifo_vm_bind_op two[2];

	/* All or nothing. */
	two[0] = op;
	two[1] = op;
	two[1].va = BIND_VA + bo->size;
	two[1].bo_handle = BAD_ID;
	refuse(vm_bind(&nv, vm, two, 2), ENOENT, "a good and a bad operation");
	check(!bind1(op), "the good one did not take effect");
	two[0] = op_unmap(BIND_VA, bo->size);
	refuse(vm_bind(&nv, vm, two, 2), ENOENT, "an unmap and a bad operation");
	refuse(bind1(op), EEXIST, "the mapping to remove is still there");
	two[1] = op;
	check(!vm_bind(&nv, vm, two, 2), "unmap and map of the same range at once");
	two[1].va += bo->size;
	two[0] = two[1];
	refuse(vm_bind(&nv, vm, two, 2), EEXIST, "the same map twice in one array");
	check(!vm_bind(&nv, vm, two, 1), "none of them took effect");
}

static void t_bind_args(void)
{
	struct drm_nvfifo_vm_bind_op op;
	struct drm_nvfifo_vm_bind b;
	uint32_t dead;
	struct bo bo;

	world();
	bo = sys_bo(&nv, 64 * KIB);
	dead = new_vm(&nv);
	vm_destroy(&nv, dead);
	before = state_of(&nv, ch.id);
	op = op_map(&bo, BIND_VA);

	refuse(vm_bind(&nv, 0, &op, 1), ENOENT, "VM_BIND in VM 0");
	refuse(vm_bind(&nv, BAD_ID, &op, 1), ENOENT, "VM_BIND in no VM");
	refuse(vm_bind(&nv, ovm, &op, 1), ENOENT, "VM_BIND in another file's VM");
	refuse(vm_bind(&nv, dead, &op, 1), ENOENT, "VM_BIND in a destroyed VM");

	bind_array(&bo, op);

	b = (struct drm_nvfifo_vm_bind){ .vm_id = vm };
	check(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), "VM_BIND of nothing");

	bind_limit();
	bind_longer_elements(&bo, op);
	bind_all_or_nothing(&bo, op);
	check(ch_works(&ch), "the channel works after all that");
}

/* Storage types as the documents list them, those that came with the G200 apart. */
static bool kind_exists(uint32_t kind)
{
	static const uint8_t list[] = {
		0x00, 0x10, 0x11, 0x12, 0x13, 0x18, 0x19, 0x1a, 0x1b, 0x20, 0x21, 0x22, 0x23, 0x24,
		0x25, 0x26, 0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x40, 0x41, 0x42, 0x43, 0x47,
		0x48, 0x49, 0x4a, 0x54, 0x55, 0x56, 0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x70,
		0x72, 0x74, 0x76, 0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d,
	};
	static const uint8_t g200[] = {
		0x44, 0x45, 0x46, 0x4b, 0x4c, 0x4d, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(list); i++)
		if (list[i] == kind)
			return true;

	for (i = 0; i < ARRAY_SIZE(g200); i++)
		if (g200[i] == kind)
			return nv.dev.chipset >= 0xa0;

	return false;
}

/* Storage types of the other bank order */
static bool kind_is_lsr(uint32_t kind)
{
	static const uint8_t list[] = {
		0x18, 0x19, 0x1a, 0x1b, 0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x47, 0x48,
		0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x6c, 0x6d, 0x6e, 0x6f, 0x72, 0x76, 0x7a, 0x7b,
	};

	return memchr(list, (int)kind, sizeof(list));
}

/* Every storage type, for VRAM of one bank order. */
static void check_kinds(bool lsr)
{
	uint32_t kind, wrong = 0;
	struct bo bo;

	need(!bo_create_flags(&nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, lsr ? DRM_NVFIFO_BO_LSR : 0, 1),
	     "BO_CREATE");

	for (kind = 0; kind < 0x100; kind++) {
		struct drm_nvfifo_vm_bind_op op = op_map(&bo, BIND_VA);
		int ret;

		op.kind = kind;
		ret = bind1(op);
		if (ret != (kind_exists(kind) && kind_is_lsr(kind) == lsr ? 0 : -EINVAL)) {
			diag("kind 0x%02x: returned %d", kind, ret);
			wrong++;
		}

		if (!ret)
			need(!vm_unmap(&nv, vm, BIND_VA, bo.size), "unmap");
	}

	equal(wrong, 0, lsr ? "the LSR storage types of the chipset, and no others" :
			      "the other storage types of the chipset, and no others");

	bo_close(&nv, bo.handle);
}

#define MAP_WITH(err, what, ...) \
	do { \
		op = op_map(&bo, BIND_VA); \
		__VA_ARGS__; \
		refuse(bind1(op), err, what); \
	} while (0)

#define UNMAP_WITH(err, what, ...) \
	do { \
		op = op_unmap(BIND_VA, 64 * KIB); \
		__VA_ARGS__; \
		refuse(bind1(op), err, what); \
	} while (0)

static void bind_op_flags(struct bo bo, struct bo vr)
{
	struct drm_nvfifo_vm_bind_op op;
	uint32_t i;

	MAP_WITH(EINVAL, "operation 2", op.op = 2);
	MAP_WITH(EINVAL, "operation ~0", op.op = ~0u);

	for (i = 6; i < 32; i++)
		MAP_WITH(EINVAL, "map with an unknown flag", op.flags = 1u << i);

	MAP_WITH(EINVAL, "map with a known and an unknown flag", op.flags = 0x41);
	MAP_WITH(EINVAL, "unsnooped map of cached memory",
		 op.flags = DRM_NVFIFO_VM_BIND_NOSNOOP);
	MAP_WITH(EINVAL, "system memory with a long cycle",
		 op.flags = DRM_NVFIFO_VM_BIND_LONG_CYCLE);
	MAP_WITH(EINVAL, "unsnooped map of VRAM",
		 op = op_map(&vr, BIND_VA); op.flags = DRM_NVFIFO_VM_BIND_NOSNOOP);
	MAP_WITH(EINVAL, "encrypted map of VRAM",
		 op = op_map(&vr, BIND_VA); op.flags = DRM_NVFIFO_VM_BIND_ENCRYPTED);
	if (nv.dev.chipset == 0x50)
		MAP_WITH(EINVAL, "encrypted map on G80", op.flags = DRM_NVFIFO_VM_BIND_ENCRYPTED);
	else
		MAP_WITH(EINVAL, "long cycle from G84 on",
			 op = op_map(&vr, BIND_VA); op.flags = DRM_NVFIFO_VM_BIND_LONG_CYCLE);

	MAP_WITH(EINVAL, "map with compression 3",
		 op = op_map(&vr, BIND_VA); op.compression = 3);
	MAP_WITH(EINVAL, "map with compression ~0",
		 op = op_map(&vr, BIND_VA); op.compression = ~0u);
	MAP_WITH(EINVAL, "compressed map of system memory",
		 op.compression = DRM_NVFIFO_COMPRESSION_SINGLE);
	MAP_WITH(EINVAL, "compressed map with 4 KiB pages",
		 op = op_map(&vr, BIND_VA); op.page_shift = 12;
		 op.compression = DRM_NVFIFO_COMPRESSION_SINGLE);

	if (!(nv.dev.features & DRM_NVFIFO_FEATURE_COMPRESSION))
		MAP_WITH(EINVAL, "compressed map without tag memory",
			 op = op_map(&vr, BIND_VA);
			 op.compression = DRM_NVFIFO_COMPRESSION_DOUBLE);

	for (i = 14; i <= 16; i += 2)
		MAP_WITH(EINVAL, "map of system memory with large pages", op.page_shift = i);

	if (!(nv.dev.page_sizes & 1 << 14))
		MAP_WITH(EINVAL, "16 KiB pages before GT215", op = op_map(&vr, BIND_VA);
			 op.page_shift = 14);

	MAP_WITH(ENOENT, "map of BO 0", op.bo_handle = 0);
	MAP_WITH(ENOENT, "map of no BO", op.bo_handle = BAD_ID);
	MAP_WITH(ENOENT, "map of another file's BO", op.bo_handle = och.push.handle);

	for (i = 1; i < 40; i++)
		if (i != 12 && i != 16)
			MAP_WITH(EINVAL, "map with a page size that is none", op.page_shift = i);

	MAP_WITH(EINVAL, "map with page size 2^32", op.page_shift = 32);
	MAP_WITH(EINVAL, "map with page size ~0", op.page_shift = ~0u);
	MAP_WITH(EINVAL, "map of system memory with 64 KiB pages", op.page_shift = 16);
}

static void bind_op_ranges(struct bo bo)
{
	struct drm_nvfifo_vm_bind_op op;
	uint64_t end = nv.dev.va_end;

	MAP_WITH(EINVAL, "map of 0 bytes", op.range = 0);
	MAP_WITH(EINVAL, "map of half a page", op.range = 2048);
	MAP_WITH(EINVAL, "map of a page and a byte", op.range = 4097);
	MAP_WITH(EINVAL, "map at an odd address", op.va += 1);
	MAP_WITH(EINVAL, "map at half a page", op.va += 2048);
	MAP_WITH(EINVAL, "map from half a page", op.bo_offset = 2048; op.range = 4096);
	MAP_WITH(EINVAL, "map of more than the BO", op.range += 4096);
	MAP_WITH(EINVAL, "map past the BO's end", op.bo_offset = 4096);
	MAP_WITH(EINVAL, "map from the BO's end", op.bo_offset = bo.size; op.range = 4096);
	MAP_WITH(EINVAL, "map with an offset that overflows",
		 op.bo_offset = ~0ull - 4095; op.range = 8192);
	MAP_WITH(EINVAL, "map at address 0", op.va = 0);
	MAP_WITH(EINVAL, "map below the first address", op.va = nv.dev.va_start - 4096);
	MAP_WITH(EINVAL, "map across the first address", op.va = nv.dev.va_start - 4096;
		 op.range = 8192);

	MAP_WITH(EINVAL, "map at the end of addresses", op.va = end);
	MAP_WITH(EINVAL, "map across the end of addresses", op.va = end - 4096; op.range = 8192);
	MAP_WITH(EINVAL, "map past 40 bits", op.va = 1ull << 40);
	MAP_WITH(EINVAL, "map at an address that overflows", op.va = ~0ull - 4095;
		 op.range = 8192);

	MAP_WITH(EINVAL, "map of a range that overflows", op.range = ~0ull - 4095);
	MAP_WITH(EINVAL, "map of a range that ends at 2^64", op.range = -op.va);
	MAP_WITH(EINVAL, "map with an invalid kind", op.kind = 0x01);
	MAP_WITH(EINVAL, "map with the kind of DMA objects", op.kind = 0x7f);
	MAP_WITH(EINVAL, "map with a kind of 8 bits", op.kind = 0x80);
	MAP_WITH(EINVAL, "map with a kind of 32 bits", op.kind = 0x80000000);
	if (nv.dev.chipset == 0x50)
		MAP_WITH(EINVAL, "map of system memory with a kind on G80", op.kind = 0x70);
}

static void unmap_op_args(struct bo bo)
{
	struct drm_nvfifo_vm_bind_op op;
	uint32_t i;
	uint64_t end = nv.dev.va_end;

	for (i = 0; i < 32; i++)
		UNMAP_WITH(EINVAL, "unmap with a flag", op.flags = 1u << i);

	UNMAP_WITH(EINVAL, "unmap with a page size", op.page_shift = 12);
	UNMAP_WITH(EINVAL, "unmap with a BO", op.bo_handle = bo.handle);
	UNMAP_WITH(EINVAL, "unmap with an offset", op.bo_offset = 4096);
	UNMAP_WITH(EINVAL, "unmap with a kind", op.kind = 0x70);
	UNMAP_WITH(EINVAL, "unmap with compression", op.compression = 1);
	UNMAP_WITH(EINVAL, "unmap of 0 bytes", op.range = 0);
	UNMAP_WITH(EINVAL, "unmap of half a page", op.range = 2048);
	UNMAP_WITH(EINVAL, "unmap at half a page", op.va += 2048);
	UNMAP_WITH(EINVAL, "unmap below the first address", op.va = nv.dev.va_start - 4096);
	UNMAP_WITH(EINVAL, "unmap across the end", op.va = end - 4096);
	UNMAP_WITH(EINVAL, "unmap of a range that overflows", op.range = ~0ull - 4095);
}

static void bind_op_edges(struct bo bo)
{
	struct drm_nvfifo_vm_bind_op op;
	uint64_t end = nv.dev.va_end;

	/* The lowest and the highest valid address */
	op = op_map(&bo, nv.dev.va_start);
	op.range = 4096;
	check(!bind1(op), "map at the first address");
	op.va = end - 4096;
	op.bo_offset = bo.size - 4096;
	check(!bind1(op), "map of the BO's last page at the last address");
	check(!vm_unmap(&nv, vm, nv.dev.va_start, 4096), "unmap of the first page");
	check(!vm_unmap(&nv, vm, end - 4096, 4096), "unmap of the last page");
	check(!vm_unmap(&nv, vm, end - 1 * GIB, 1 * GIB), "unmap of a range with nothing in it");
}

static void bind_op_large_pages(struct bo vr)
{
	struct drm_nvfifo_vm_bind_op op;

	/* VRAM with 64 KiB pages: all three have to be aligned. */
	op = op_map(&vr, BIND_VA + 4096);
	op.page_shift = 16;
	op.range = 64 * KIB;
	refuse(bind1(op), EINVAL, "64 KiB pages at a 4 KiB address");
	op.va = BIND_VA;
	op.bo_offset = 4096;
	refuse(bind1(op), EINVAL, "64 KiB pages from a 4 KiB offset");
	op.bo_offset = 0;
	op.range = 4096;
	refuse(bind1(op), EINVAL, "64 KiB pages of a 4 KiB range");
	op.range = 128 * KIB;
	op.kind = 0x70;
	check(!bind1(op), "64 KiB pages of VRAM with a kind");
}

static void bind_op_overlaps(struct bo vr)
{
	struct drm_nvfifo_vm_bind_op op;

	/* Every kind of overlap is refused. */
	op = op_map(&vr, BIND_VA);
	op.page_shift = 16;
	op.range = 64 * KIB;
	refuse(bind1(op), EEXIST, "map over its start");
	op.va += 64 * KIB;
	refuse(bind1(op), EEXIST, "map over its end");
	op.va = BIND_VA - 64 * KIB;
	op.range = 256 * KIB;
	refuse(bind1(op), EEXIST, "map around it");
	op.flags = DRM_NVFIFO_VM_BIND_REPLACE;
	check(!bind1(op), "map around it that takes its place");
}

static void bind_op_parts(struct bo vr)
{
	struct drm_nvfifo_vm_bind_op op;

	/* Unmap parts of it; the rest stays. */
	op = op_map(&vr, BIND_VA);
	op.range = 128 * KIB;
	check(!vm_unmap(&nv, vm, BIND_VA, 64 * KIB), "unmap of its first half");
	refuse(bind1(op), EEXIST, "the second half is still mapped");
	op.range = 64 * KIB;
	check(!bind1(op), "the first half is not");
	check(!vm_unmap(&nv, vm, BIND_VA - 1 * MIB, 1 * MIB + 64 * KIB),
	      "unmap from before it to its middle");
	check(!bind1(op), "the first half is free again");
	check(!vm_unmap(&nv, vm, BIND_VA + 4096, 4096), "unmap of a page in its middle");
	refuse(bind1(op), EEXIST, "the pages around that page are still mapped");
	op.range = 4096;
	op.va = BIND_VA + 4096;
	check(!bind1(op), "another page takes its place");

	op = op_map(&vr, BIND_VA);
	op.range = 128 * KIB;
	check(!vm_unmap(&nv, vm, BIND_VA - 1 * MIB, 2 * MIB), "unmap around it");
	op.flags = DRM_NVFIFO_VM_BIND_READ_ONLY;
	check(!bind1(op), "map where it was");
	vm_unmap(&nv, vm, BIND_VA, 128 * KIB);
}

static void bind_op_mixed_pages(struct bo bo, struct bo vr)
{
	struct drm_nvfifo_vm_bind_op op;

	/* 64 KiB pages are refused in a region with 4 KiB pages. */
	op = op_map(&bo, BIND_VA + 8 * MIB);
	check(!bind1(op), "4 KiB pages");
	op = op_map(&vr, BIND_VA);
	op.page_shift = 16;
	refuse(bind1(op), EBUSY, "64 KiB pages in a region with 4 KiB pages");
	op.page_shift = 0;
	check(!bind1(op), "page size 0 finds one that fits");
	vm_unmap(&nv, vm, BIND_VA, 16 * MIB);
}

static void t_bind_op(void)
{
	struct drm_nvfifo_vm_bind_op op;
	struct bo bo, vr;

	world();
	bo = sys_bo(&nv, 256 * KIB);
	vr = vram_bo(&nv, 256 * KIB);
	before = state_of(&nv, ch.id);

	bind_op_flags(bo, vr);
	bind_op_ranges(bo);
	unmap_op_args(bo);

	check_kinds(false);
	check_kinds(true);

	bind_op_edges(bo);
	bind_op_large_pages(vr);
	bind_op_overlaps(vr);
	bind_op_parts(vr);
	bind_op_mixed_pages(bo, vr);
	if (nv.g84) {
		op = op_map(&bo, BIND_VA);
		op.kind = 0x70;
		check(!bind1(op), "system memory with a kind from G84 on");
		vm_unmap(&nv, vm, BIND_VA, 16 * MIB);
	}

	check(ch_works(&ch), "the channel works after all that");
}

#define BIND_SYNC(err, what, ...) \
	do { \
		s = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = obj }; \
		b = (struct drm_nvfifo_vm_bind){ \
			.vm_id = vm, .flags = DRM_NVFIFO_VM_BIND_ASYNC, \
			.ops = { sizeof(op), 1, (uintptr_t)&op }, \
			.syncs = { sizeof(s), 1, (uintptr_t)&s }, \
		}; \
		__VA_ARGS__; \
		refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b), err, what); \
		check(!sync_has_fence(&nv, obj), "%s: no fence was left", what); \
	} while (0)

static void bind_sync_args(struct drm_nvfifo_vm_bind_op op, uint32_t obj, uint32_t empty,
			   uint32_t theirs)
{
	struct drm_nvfifo_sync s;
	struct drm_nvfifo_vm_bind b;
	uint32_t i;

	BIND_SYNC(EINVAL, "VM_BIND with a sync, but not ASYNC", b.flags = 0);
	BIND_SYNC(EINVAL, "VM_BIND with ASYNC and an unknown flag", b.flags |= 2);
	BIND_SYNC(ENOENT, "asynchronous VM_BIND in no VM", b.vm_id = BAD_ID);
	BIND_SYNC(EINVAL, "bind sync that neither waits nor signals", s.flags = 0);
	BIND_SYNC(EINVAL, "bind sync that waits and signals", s.flags = 3);

	for (i = 3; i < 32; i++)
		BIND_SYNC(EINVAL, "bind sync with an unknown flag", s.flags |= 1u << i);

	BIND_SYNC(ENOENT, "bind sync with handle 0", s.handle = 0);
	BIND_SYNC(ENOENT, "bind sync with no syncobj", s.handle = BAD_ID);
	BIND_SYNC(ENOENT, "bind sync with another file's syncobj", s.handle = theirs);
	BIND_SYNC(EINVAL, "bind sync, binary with a point", s.timeline_value = 1);
	BIND_SYNC(EINVAL, "bind sync, timeline signal of point 0",
		  s.flags |= DRM_NVFIFO_SYNC_TIMELINE);
	BIND_SYNC(EINVAL, "bind that waits for a syncobj without a fence",
		  s.flags = DRM_NVFIFO_SYNC_WAIT; s.handle = empty);
	BIND_SYNC(EINVAL, "bind that waits for a point that is never reached",
		  s.flags = DRM_NVFIFO_SYNC_WAIT | DRM_NVFIFO_SYNC_TIMELINE; s.handle = empty;
		  s.timeline_value = 7);
}

static void bind_sync_array(struct drm_nvfifo_vm_bind_op op, uint32_t obj)
{
	struct drm_nvfifo_sync s, *many;
	struct drm_nvfifo_vm_bind b;
	uint32_t i;
	char *edge;

	BIND_SYNC(EINVAL, "VM_BIND with sync stride 0", b.syncs.stride = 0);
	BIND_SYNC(EINVAL, "VM_BIND with a sync stride too short", b.syncs.stride = sizeof(s) - 8);
	BIND_SYNC(EFAULT, "VM_BIND of syncs at 8", b.syncs.ptr = BAD_PTR);
	edge = edge_page();
	memcpy(edge - sizeof(s), &s, sizeof(s));
	BIND_SYNC(EFAULT, "VM_BIND of syncs half unreadable",
		  b.syncs.ptr = (uintptr_t)(edge - sizeof(s)); b.syncs.count = 2);
	BIND_SYNC(E2BIG, "VM_BIND of 2^32 - 1 syncs", b.syncs.count = ~0u);
	many = calloc(nv.lim.submit_syncs + 1, sizeof(*many));
	need(many, "calloc");

	for (i = 0; i <= nv.lim.submit_syncs; i++)
		many[i] = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL,
						    .handle = obj };

	BIND_SYNC(E2BIG, "VM_BIND of one sync too many", b.syncs.ptr = (uintptr_t)many;
		  b.syncs.count = nv.lim.submit_syncs + 1);

	free(many);
}

/* The syncs of VM_BIND: valid and invalid ones, and when they signal. */
static void t_bind_syncs(void)
{
	struct drm_nvfifo_sync s, two[2];
	struct drm_nvfifo_vm_bind b;
	struct drm_nvfifo_vm_bind_op op;
	uint32_t obj, empty, theirs, i;
	struct bo bo;

	world();
	bo = sys_bo(&nv, 64 * KIB);
	op = op_map(&bo, BIND_VA);
	obj = sync_new(&nv);
	empty = sync_new(&nv);

	for (i = 0; i < 16; i++)
		theirs = sync_new(&other);

	before = state_of(&nv, ch.id);

	bind_sync_args(op, obj, empty, theirs);
	bind_sync_array(op, obj);

	/* A good one beside a bad one, and a good one beside a bad operation. */
	two[0] = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = obj };
	two[1] = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = BAD_ID };
	BIND_SYNC(ENOENT, "VM_BIND with a good and a bad sync", b.syncs.ptr = (uintptr_t)two;
		  b.syncs.count = 2);

	two[1] = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_WAIT, .handle = empty };
	BIND_SYNC(EINVAL, "VM_BIND with a signal and a wait for nothing",
		  b.syncs.ptr = (uintptr_t)two; b.syncs.count = 2);
	op.va = 0;
	BIND_SYNC(EINVAL, "asynchronous VM_BIND with a bad operation", (void)0);
	op = op_map(&bo, BIND_VA);
	op.bo_handle = BAD_ID;
	BIND_SYNC(ENOENT, "asynchronous VM_BIND with no BO", (void)0);
	op = op_map(&bo, BIND_VA);
	BIND_SYNC(EFAULT, "asynchronous VM_BIND of operations at 8", b.ops.ptr = BAD_PTR);
	check(!bind1(op), "none of them has mapped anything");
	BIND_SYNC(EEXIST, "asynchronous VM_BIND where something is mapped", (void)0);
	check(ch_works(&ch), "the channel works after all that");
}

/* --- CHANNEL_* ------------------------------------------------------------------------------ */

static void channel_create_args(uint32_t dead)
{
	struct drm_nvfifo_channel_create c;
	uint32_t id, i;

	refuse(chan_create(&nv, 0, 0, &id), ENOENT, "CHANNEL_CREATE in VM 0");
	refuse(chan_create(&nv, BAD_ID, 0, &id), ENOENT, "CHANNEL_CREATE in no VM");
	refuse(chan_create(&nv, ovm, 0, &id), ENOENT, "CHANNEL_CREATE in another file's VM");
	refuse(chan_create(&nv, dead, 0, &id), ENOENT, "CHANNEL_CREATE in a destroyed VM");

	for (i = 4; i < 32; i++) {
		c = (struct drm_nvfifo_channel_create){ .vm_id = vm, .flags = 1u << i };
		refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &c), EINVAL,
		       "CHANNEL_CREATE with an unknown flag");
	}

	c = (struct drm_nvfifo_channel_create){ .vm_id = vm, .timeslice = 0x20000 };
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &c), EINVAL,
	       "CHANNEL_CREATE with a timeslice that is too long");
	c = (struct drm_nvfifo_channel_create){ .vm_id = vm, .sli_mask = 0x1000 };
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &c), EINVAL,
	       "CHANNEL_CREATE with an SLI mask of 13 bits");
	c = (struct drm_nvfifo_channel_create){ .vm_id = vm, .dma_limit = 0x20000 };
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &c), EINVAL,
	       "CHANNEL_CREATE in IB mode with a DMA limit");
	c = (struct drm_nvfifo_channel_create){ .vm_id = vm, .flags = DRM_NVFIFO_CHANNEL_NO_SLI,
						.sli_mask = 1 };
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &c), EINVAL,
	       "CHANNEL_CREATE without SLI and with an SLI mask");
	c = (struct drm_nvfifo_channel_create){ .vm_id = vm };
	c.hang_limit_ms = nv.lim.hang_limit_min - 1;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &c), EINVAL,
	       "CHANNEL_CREATE with a hang limit that is too short");
	c.hang_limit_ms = nv.lim.hang_limit_max + 1;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &c), EINVAL,
	       "CHANNEL_CREATE with a hang limit that is too long");
	c = (struct drm_nvfifo_channel_create){ .vm_id = vm, .user_data = 1 };
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &c), EINVAL,
	       "CHANNEL_CREATE with user data and no event");
	refuse(chan_create(&nv, vm, nv.lim.ring_order_min - 1, &id), EINVAL,
	       "CHANNEL_CREATE with a ring too small");
	refuse(chan_create(&nv, vm, nv.lim.ring_order_max + 1, &id), EINVAL,
	       "CHANNEL_CREATE with a ring too large");
	refuse(chan_create(&nv, vm, 32, &id), EINVAL, "CHANNEL_CREATE with ring order 32");
	refuse(chan_create(&nv, vm, ~0u, &id), EINVAL, "CHANNEL_CREATE with ring order ~0");
}

static void channel_orders(void)
{
	struct drm_nvfifo_channel_query q;
	uint32_t id, i;

	for (i = nv.lim.ring_order_min; i <= nv.lim.ring_order_max; i++) {
		if (i != nv.lim.ring_order_min && i != nv.lim.ring_order_max &&
		    i != nv.lim.ring_order_default)
			continue;
		check(!chan_create(&nv, vm, i, &id) && id, "CHANNEL_CREATE with ring order %u", i);
		check(!chan_query(&nv, id, &q) && q.ring_order == i, "the query says so");
		check(!chan_destroy(&nv, id), "CHANNEL_DESTROY");
		refuse(chan_destroy(&nv, id), ENOENT, "CHANNEL_DESTROY twice");
		refuse(chan_query(&nv, id, &q), ENOENT, "CHANNEL_QUERY of a destroyed channel");
		refuse(submit_raw(&nv, id, NULL, 0, NULL, 0, NULL), ENOENT,
		       "SUBMIT to a destroyed channel");
		refuse(object_dma(&nv, id, 1, nv.dev.va_start, 4096), ENOENT,
		       "OBJECT_CREATE in a destroyed channel");
		refuse(object_destroy(&nv, id, 1), ENOENT,
		       "OBJECT_DESTROY in a destroyed channel");
	}
}

static void channel_query_args(void)
{
	struct drm_nvfifo_channel_query q;

	memset(&q, 0xff, sizeof(q));
	q.id = ch.id;
	q.pad = 0;
	check(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_QUERY, &q), "CHANNEL_QUERY");
	check(q.state == DRM_NVFIFO_CHANNEL_ALIVE && !q.error && !q.error_code && !q.fault &&
	      !q.fault_address && !q.fault_write && !q.error_method && !q.error_data,
	      "a new channel is alive and knows of no error");
	check(q.hw_id >= 1 && q.hw_id <= 126, "PFIFO's number of it is 1 to 126");
	equal(q.ring_order, nv.lim.ring_order_default, "ring order 0 is the default");
	check(!q.submitted && !q.completed && !q.ib_get && !q.ib_put && !q.ref,
	      "and it has done nothing");
	check(!q.mget && !q.mget_valid && !q.loaded && !q.dma_state && !q.method_count &&
	      !q.subroutine && !q.bound, "nor has its pusher");
	q.pad = 1;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_QUERY, &q), EINVAL,
	       "CHANNEL_QUERY with padding");
	refuse(chan_query(&nv, 0, &q), ENOENT, "CHANNEL_QUERY of 0");
	refuse(chan_query(&nv, BAD_ID, &q), ENOENT, "CHANNEL_QUERY of nothing");
	if (och.id != ch.id)
		refuse(chan_query(&nv, och.id, &q), ENOENT,
		       "CHANNEL_QUERY of another file's channel");
}

static void t_channel(void)
{
	struct drm_nvfifo_channel_destroy d;
	struct drm_nvfifo_channel_query q;
	uint32_t dead, id;
	struct state quiet;

	world();
	dead = new_vm(&nv);
	vm_destroy(&nv, dead);

	channel_create_args(dead);
	channel_orders();
	channel_query_args();

	d = (struct drm_nvfifo_channel_destroy){ .id = ch.id, .pad = 1 };
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_DESTROY, &d), EINVAL,
	       "CHANNEL_DESTROY with padding");
	refuse(chan_destroy(&nv, 0), ENOENT, "CHANNEL_DESTROY of 0");
	refuse(chan_destroy(&nv, BAD_ID), ENOENT, "CHANNEL_DESTROY of nothing");

	/* Identifiers belong to the file: give this one a number the other lacks. */
	check(!chan_create(&other, ovm, 0, &id), "another channel of the other file");
	if (id == ch.id || id == och.id)
		check(!chan_create(&other, ovm, 0, &id), "and another");

	quiet = before;
	refuse(chan_destroy(&nv, id), ENOENT, "CHANNEL_DESTROY of another file's channel");
	refuse(submit_raw(&nv, id, NULL, 0, NULL, 0, NULL), ENOENT,
	       "SUBMIT to another file's channel");
	refuse(object_dma(&nv, id, 1, nv.dev.va_start, 4096), ENOENT,
	       "OBJECT_CREATE in another file's channel");
	before = quiet;
	check(!chan_query(&other, id, &q) && q.state == DRM_NVFIFO_CHANNEL_ALIVE,
	      "the other file's channel is alive");
	check(ch_works(&ch) && ch_works(&och), "both channels work after all that");
}

/* --- Modes of channels -------------------------------------------------------------------- */

static int try_channel(struct drm_nvfifo_channel_create c, uint32_t *id)
{
	int ret;

	c.vm_id = vm;
	ret = chan_create_args(&nv, &c);
	*id = c.id;
	if (!ret)
		equal(c.control_offset, 0, "a channel without user queue has no control page");

	return ret;
}

/* The structure of older headers, without modes, ends after user_data. */
static void check_short_create(void)
{
	struct drm_nvfifo_channel_create c = { .vm_id = vm, .start = ~0ull };
	unsigned long req = _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE,
				 DRM_COMMAND_BASE + DRM_NVFIFO_CHANNEL_CREATE,
				 offsetof(struct drm_nvfifo_channel_create, start));

	check(!nv_ioctl(nv.fd, req, &c) && c.id && c.start == ~0ull && !c.control_offset,
	      "CHANNEL_CREATE of the first version's size");
	chan_destroy(&nv, c.id);
}

static void check_user_queue_args(void)
{
	struct drm_nvfifo_channel_create c = {
		.vm_id = vm, .flags = DRM_NVFIFO_CHANNEL_USER_QUEUE, .start = 1 * MIB,
	};

	if (!(nv.dev.features & DRM_NVFIFO_FEATURE_USER_QUEUE)) {
		refuse(chan_create_args(&nv, &c), EOPNOTSUPP, "user queue where there is none");
		c.flags |= DRM_NVFIFO_CHANNEL_DMA_MODE;
		refuse(chan_create_args(&nv, &c), EOPNOTSUPP,
		       "user queue in DMA mode where there is none");
		return;
	}

	for (c.start = 1; c.start < 4096; c.start *= 2)
		refuse(chan_create_args(&nv, &c), EINVAL, "user queue whose ring is not aligned");

	c.start = 0;
	refuse(chan_create_args(&nv, &c), EINVAL, "user queue whose ring is at 0");
	c.start = nv.dev.va_start - 4096;
	refuse(chan_create_args(&nv, &c), EINVAL, "user queue whose ring is below all addresses");
	c.start = nv.dev.va_end;
	refuse(chan_create_args(&nv, &c), EINVAL, "user queue whose ring is past all addresses");
	c.start = ~0ull << 12;
	refuse(chan_create_args(&nv, &c), EINVAL, "user queue whose ring is past 40 bits");
}

#define PUT_WITH(err, what, n, ...) \
	do { \
		e = (struct drm_nvfifo_entry){ .address = nv.dev.va_start + 8 }; \
		__VA_ARGS__; \
		refuse(submit_raw(&nv, id, &e, n, NULL, 0, NULL), err, what); \
		equal(chan_query(&nv, id, &q) ? 0 : q.put, c.start, "PUT is where it was"); \
		equal(q.submitted, 0, "and nothing is queued"); \
	} while (0)

static void dma_mode_starts(struct drm_nvfifo_channel_create *c)
{
	uint32_t id, i;

	for (i = 0; i < 64; i++) {
		c->start = 1ull << i;
		refuse(try_channel(*c, &id), EINVAL, "CHANNEL_CREATE in IB mode with a start");
	}

	c->flags = DRM_NVFIFO_CHANNEL_DMA_MODE;
	c->start = 0;
	refuse(try_channel(*c, &id), EINVAL, "DMA mode that starts at 0");

	for (i = 1; i < 4; i++) {
		c->start = nv.dev.va_start + i;
		refuse(try_channel(*c, &id), EINVAL, "DMA mode that starts at no multiple of 4");
	}

	c->start = nv.dev.va_start - 4;
	refuse(try_channel(*c, &id), EINVAL, "DMA mode that starts below all addresses");

	for (i = 32; i < 64; i++) {
		c->start = (1ull << i) + nv.dev.va_start;
		refuse(try_channel(*c, &id), EINVAL, "DMA mode that starts past 4 GiB");
	}

	c->start = 4 * GIB;
	refuse(try_channel(*c, &id), EINVAL, "DMA mode that starts at 4 GiB");
	c->start = nv.dev.va_start;
	c->user_data = 1;
	refuse(try_channel(*c, &id), EINVAL, "DMA mode with user data and no event");
	c->user_data = 0;
	c->ring_order = nv.lim.ring_order_max + 1;
	refuse(try_channel(*c, &id), EINVAL, "DMA mode with too large an order");
}

static void dma_mode_limits(struct drm_nvfifo_channel_create c)
{
	uint32_t id, i;

	for (i = 1; i < 4; i++) {
		c.dma_limit = (uint32_t)c.start + i;
		refuse(try_channel(c, &id), EINVAL, "DMA mode with a limit of no multiple of 4");
	}

	c.dma_limit = (uint32_t)c.start - 4;
	refuse(try_channel(c, &id), EINVAL, "DMA mode with a limit before its start");
	c.dma_limit = ~0u;
	refuse(try_channel(c, &id), EINVAL, "DMA mode with a limit of all ones");
	c.dma_limit = (uint32_t)c.start;
	check(!try_channel(c, &id) && !chan_destroy(&nv, id), "DMA mode with a limit at its start");
	c.dma_limit = 0xfffffffc;
	check(!try_channel(c, &id) && !chan_destroy(&nv, id), "DMA mode with the highest limit");
}

static void t_channel_modes(void)
{
	struct drm_nvfifo_channel_create c = { 0 };
	struct drm_nvfifo_channel_query q;
	struct drm_nvfifo_entry e = { 0 };
	struct drm_nvfifo_submit s;
	uint32_t id;

	world();
	check_short_create();
	check_user_queue_args();
	dma_mode_starts(&c);
	c.ring_order = nv.lim.ring_order_min;
	c.start = nv.dev.va_start + 4;
	dma_mode_limits(c);
	c.dma_limit = 0;
	c.start = 4 * GIB - 4;
	check(!try_channel(c, &id), "DMA mode that starts at the last word below 4 GiB");
	check(!chan_query(&nv, id, &q) && q.get == c.start && q.put == c.start &&
	      q.ring_order == c.ring_order && !q.ib_get && !q.ib_put,
	      "its GET and PUT are there");
	check(!chan_destroy(&nv, id), "CHANNEL_DESTROY");
	c.start = nv.dev.va_start;
	check(!try_channel(c, &id), "DMA mode that starts at the first address");
	before = state_of(&nv, ch.id);

	PUT_WITH(EINVAL, "PUT with a number of words", 1, e.words = 1);
	PUT_WITH(EINVAL, "PUT with NOT_MAIN", 1, e.flags = DRM_NVFIFO_ENTRY_NOT_MAIN);
	PUT_WITH(EINVAL, "PUT with NO_PREFETCH", 1, e.flags = DRM_NVFIFO_ENTRY_NO_PREFETCH);
	PUT_WITH(EINVAL, "PUT with an unknown flag", 1, e.flags = 1u << 31);
	PUT_WITH(EINVAL, "PUT of 1 mod 4", 1, e.address++);
	PUT_WITH(EINVAL, "PUT of 2 mod 4", 1, e.address += 2);
	PUT_WITH(EINVAL, "PUT of 0", 1, e.address = 0);
	PUT_WITH(EINVAL, "PUT below all addresses", 1, e.address = nv.dev.va_start - 4);
	PUT_WITH(EINVAL, "PUT at 4 GiB", 1, e.address = 4 * GIB);
	PUT_WITH(EINVAL, "PUT past 40 bits", 1, e.address |= 1ull << 40);
	PUT_WITH(EINVAL, "no entry in DMA mode", 0, (void)0);
	{
		struct drm_nvfifo_entry two[2] = { { .address = c.start }, { .address = c.start } };

		refuse(submit_raw(&nv, id, two, 2, NULL, 0, NULL), EINVAL,
		       "two entries in DMA mode");
	}

	s = (struct drm_nvfifo_submit){ .channel_id = id, .flags = 2 };
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), EINVAL,
	       "SUBMIT in DMA mode with an unknown flag");
	check(!chan_destroy(&nv, id), "CHANNEL_DESTROY");
	before = state_of(&nv, ch.id);
	check(ch_works(&ch), "the channel works after all that");
}

/* --- CHANNEL_WAIT --------------------------------------------------------------------------- */

static void t_channel_wait(void)
{
	uint32_t word = 5, i;
	struct drm_nvfifo_channel_wait w;
	uint32_t *half;

	world();
	half = (uint32_t *)edge_page();
	half[-1] = 5;

#define WAIT_WITH(err, what, ...) \
	do { \
		w = (struct drm_nvfifo_channel_wait){ \
			.channel_id = ch.id, .value = 5, .address = (uintptr_t)&word, \
		}; \
		__VA_ARGS__; \
		refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w), err, what); \
	} while (0)

	for (i = 0; i < 32; i++) {
		WAIT_WITH(EINVAL, "CHANNEL_WAIT with an unknown flag",
			  w.flags = i ? 1u << i : 3u);
		WAIT_WITH(EINVAL, "CHANNEL_WAIT with padding", w.pad = 1u << i);
	}
	WAIT_WITH(EINVAL, "CHANNEL_WAIT for a SUBMIT, with an address", w.flags = 1);
	WAIT_WITH(ETIME, "CHANNEL_WAIT for a SUBMIT that was not made", w.flags = 1; w.address = 0;
		  w.value = 1u << 30);
	WAIT_WITH(ENOENT, "CHANNEL_WAIT for channel 0", w.channel_id = 0);
	WAIT_WITH(ENOENT, "CHANNEL_WAIT for no channel", w.channel_id = BAD_ID);
	if (och.id != ch.id)
		WAIT_WITH(ENOENT, "CHANNEL_WAIT for another file's channel", w.channel_id = och.id);
	for (i = 1; i < 4; i++)
		WAIT_WITH(EINVAL, "CHANNEL_WAIT at no multiple of 4", w.address += i);
	WAIT_WITH(EFAULT, "CHANNEL_WAIT at NULL", w.address = 0);
	WAIT_WITH(EFAULT, "CHANNEL_WAIT at 8", w.address = BAD_PTR);
	WAIT_WITH(EFAULT, "CHANNEL_WAIT past a page", w.address = (uintptr_t)half);
	WAIT_WITH(EFAULT, "CHANNEL_WAIT at the last word of all", w.address = ~3ull);
	WAIT_WITH(0, "CHANNEL_WAIT for the present value", (void)0);
	WAIT_WITH(0, "CHANNEL_WAIT at the end of a page", w.address = (uintptr_t)(half - 1));
	WAIT_WITH(0, "CHANNEL_WAIT for a value that has passed", w.value = 4);
	WAIT_WITH(0, "CHANNEL_WAIT for a value that passed before a wrap", w.value = 0xfffffff0);
	WAIT_WITH(0,
		  "CHANNEL_WAIT for a value that passed 2^31 - 1 ago", w.value = 5u - 0x7fffffff);
	WAIT_WITH(ETIME, "CHANNEL_WAIT that only looks", w.value = 6);
	WAIT_WITH(ETIME, "CHANNEL_WAIT for a value that is 2^31 away", w.value = 5u + 0x80000000);
	WAIT_WITH(ETIME, "CHANNEL_WAIT with a time before the start", w.value = 6;
		  w.timeout_ns = -1);
	WAIT_WITH(ETIME, "CHANNEL_WAIT with the first time of all", w.value = 6;
		  w.timeout_ns = INT64_MIN);
	WAIT_WITH(ETIME, "CHANNEL_WAIT until now", w.value = 6; w.timeout_ns = now_ns());
	WAIT_WITH(ETIME, "CHANNEL_WAIT for a while", w.value = 6;
		  w.timeout_ns = now_ns() + HOLD_MS * 1000000ll);
	check(now_ns() >= w.timeout_ns, "it did not give up early");
	WAIT_WITH(0, "CHANNEL_WAIT for ever for the present value", w.timeout_ns = INT64_MAX);
	equal(word, 5, "and the word was not written");
	check(ch_works(&ch), "the channel works after all that");
}

/* --- OBJECT_* ------------------------------------------------------------------------------- */

static int try_object(struct drm_nvfifo_object_create c)
{
	return nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &c);
}

static bool card_has_iommu(void)
{
	char path[512];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/iommu_group", card_slot());
	return !access(path, F_OK);
}

#define OBJECT_WITH(err, what, ...) \
	do { \
		c = good_object; \
		c.channel_id = ch.id; \
		__VA_ARGS__; \
		refuse(try_object(c), err, what); \
	} while (0)

#define SCATTERED_TRIES 64

#define UNPAGED_WITH(err, what, ...) \
	OBJECT_WITH(err, what, c.flags = DRM_NVFIFO_OBJECT_UNPAGED; c.bo_handle = vr.handle; \
		    c.access = DRM_NVFIFO_ACCESS_RW; c.user = DRM_NVFIFO_USER_BOTH; \
		    c.start = 0; c.size = vr.size; __VA_ARGS__)

#define ENGINE_WITH(err, what, ...) \
	OBJECT_WITH(err, what, c.type = DRM_NVFIFO_OBJECT_ENGINE; c.oclass = 0x5039; c.start = 0; \
		    c.size = 0; __VA_ARGS__)

static const struct drm_nvfifo_object_create good_object = {
	.handle = 0x1000,
	.type = DRM_NVFIFO_OBJECT_DMA,
	.oclass = NVFIFO_CLASS_DMA_RW,
	.start = 1 * MIB,
	.size = 64 * KIB,
};

static void dma_object_args(struct bo vr)
{
	struct drm_nvfifo_object_create c;
	uint32_t i;

	OBJECT_WITH(ENOENT, "OBJECT_CREATE in channel 0", c.channel_id = 0);
	OBJECT_WITH(ENOENT, "OBJECT_CREATE in no channel", c.channel_id = BAD_ID);
	OBJECT_WITH(EINVAL, "object with handle 0", c.handle = 0);
	OBJECT_WITH(EEXIST, "object with the fence's handle", c.handle = 0x80000000);
	OBJECT_WITH(EEXIST, "object with the software object's handle", c.handle = 0x80000001);
	OBJECT_WITH(EINVAL, "object of type 2", c.type = 2);
	OBJECT_WITH(EINVAL, "object of type ~0", c.type = ~0u);

	for (i = 0; i < 0x60; i++)
		if (i != 0x02 && i != 0x03 && i != 0x3d)
			OBJECT_WITH(EINVAL, "DMA object of another class", c.oclass = i);

	OBJECT_WITH(EINVAL, "DMA object of class 0x1003d", c.oclass = 0x1003d);
	OBJECT_WITH(EINVAL, "DMA object with access 3", c.access = 3);
	OBJECT_WITH(EINVAL, "DMA object with access ~0", c.access = ~0u);

	for (i = 5; i < 32; i++)
		OBJECT_WITH(EINVAL, "object with an unknown flag", c.flags = 1u << i);

	OBJECT_WITH(EINVAL, "DMA object with user 3", c.user = 3);
	OBJECT_WITH(EINVAL, "DMA object with user ~0", c.user = ~0u);
	OBJECT_WITH(EINVAL, "DMA object with cycle 3", c.cycle = 3);
	OBJECT_WITH(EINVAL, "DMA object with padding", c.pad = 1);
	OBJECT_WITH(EINVAL, "paged DMA object with a BO", c.bo_handle = vr.handle);
	OBJECT_WITH(EINVAL, "DMA object with a kind, but no flag for it", c.kind = 0x70);
	OBJECT_WITH(EINVAL, "DMA object with an invalid kind",
		    c.flags = DRM_NVFIFO_OBJECT_KIND; c.kind = 0x01);
	OBJECT_WITH(EINVAL, "DMA object with a kind of 8 bits",
		    c.flags = DRM_NVFIFO_OBJECT_KIND; c.kind = 0x80);
	OBJECT_WITH(EINVAL, "DMA object with compression, but no flag for it", c.compression = 1);
	OBJECT_WITH(EINVAL, "DMA object with compression 3",
		    c.flags = DRM_NVFIFO_OBJECT_COMPRESSION; c.compression = 3);
	OBJECT_WITH(EINVAL, "compressed DMA object over pages",
		    c.flags = DRM_NVFIFO_OBJECT_COMPRESSION; c.compression = 1);
	if (nv.dev.chipset == 0x50)
		OBJECT_WITH(EINVAL, "encrypted DMA object on G80",
			    c.flags = DRM_NVFIFO_OBJECT_ENCRYPTED);
	else
		OBJECT_WITH(EINVAL, "DMA object with a long cycle from G84 on",
			    c.cycle = DRM_NVFIFO_CYCLE_LONG);
}

/*
 * Buffers whose memory the kernel takes from several of its blocks. Such blocks may follow each
 * other, but not in each of so many buffers. Return: the errno of the last OBJECT_CREATE, or 0.
 */
static int try_scattered(void)
{
	struct drm_nvfifo_object_create c = good_object;
	uint32_t pages;
	struct bo bo;
	int ret = 0;

	c.channel_id = ch.id;
	c.flags = DRM_NVFIFO_OBJECT_UNPAGED;
	c.access = DRM_NVFIFO_ACCESS_RW;
	c.user = DRM_NVFIFO_USER_BOTH;
	c.start = 0;

	for (pages = 3; pages < 3 + 2 * SCATTERED_TRIES && !ret; pages += 2) {
		bo = sys_bo(&nv, pages * 4 * KIB);
		c.bo_handle = bo.handle;
		c.size = bo.size;
		ret = try_object(c);
		if (!ret)
			need(!object_destroy(&nv, ch.id, c.handle), "OBJECT_DESTROY");
	}

	return ret;
}

static void unpaged_object_args(struct bo vr)
{
	struct drm_nvfifo_object_create c;

	UNPAGED_WITH(ENOENT, "unpaged object of BO 0", c.bo_handle = 0);
	UNPAGED_WITH(ENOENT, "unpaged object of no BO", c.bo_handle = BAD_ID);
	UNPAGED_WITH(ENOENT, "unpaged object of another file's BO", c.bo_handle = och.push.handle);
	UNPAGED_WITH(EINVAL, "unpaged object with the page's access",
		     c.access = DRM_NVFIFO_ACCESS_VM);
	UNPAGED_WITH(EINVAL, "unpaged object with the page's user", c.user = DRM_NVFIFO_USER_VM);
	UNPAGED_WITH(EINVAL, "unpaged object of 0 bytes", c.size = 0);
	UNPAGED_WITH(EINVAL, "unpaged object of a byte more than the BO", c.size++);
	UNPAGED_WITH(EINVAL, "unpaged object that reaches past the BO", c.start = 4096);
	UNPAGED_WITH(EINVAL, "unpaged object past the BO", c.start = vr.size; c.size = 1);
	UNPAGED_WITH(EINVAL, "unpaged object that overflows", c.start = ~0ull - 4095; c.size = 8192);
	UNPAGED_WITH(EINVAL, "unpaged object with an invalid kind", c.kind = 0x7f);
	UNPAGED_WITH(EINVAL, "unpaged object with compression 3", c.compression = 3);
	UNPAGED_WITH(EINVAL, "encrypted unpaged object of VRAM",
		     c.flags |= DRM_NVFIFO_OBJECT_ENCRYPTED);
	if (!(nv.dev.features & DRM_NVFIFO_FEATURE_COMPRESSION))
		UNPAGED_WITH(EINVAL, "compressed object without tag memory", c.compression = 1);

	/* With an IOMMU all memory is contiguous for the card. */
	if (card_has_iommu())
		return;

	refused(try_scattered(), EINVAL, "unpaged object of scattered memory");
	before = state_of(&nv, ch.id);
}

static void engine_object_args(struct bo vr)
{
	static const uint32_t video[] = {
		0x3174, 0x8274, 0x88b3, 0x85b3, 0x4075, 0x85b5, 0x4176, 0x7476, 0x88b2, 0x85b2,
		0x74c1, 0x88b4, 0x74b0, 0x88b1, 0x85b1, 0x86b1,
	};
	static const uint32_t graph[] = {
		0x5097, 0x8297, 0x8397, 0x8597, 0x8697, 0x85c0, 0x0012, 0x005f, 0x5062, 0x308a,
	};
	struct drm_nvfifo_object_create c;
	uint32_t i;

	/* The check of arguments precedes that of the engine's set-up. */
	for (i = 0; i < ARRAY_SIZE(video); i++)
		ENGINE_WITH(class_of(nv.dev.chipset, video[i]) ? EOPNOTSUPP : EINVAL,
			    "object of an engine that is not set up", c.oclass = video[i]);

	for (i = 0; i < ARRAY_SIZE(graph); i++)
		if (!class_of(nv.dev.chipset, graph[i]))
			ENGINE_WITH(EINVAL, "PGRAPH object of another chip's class",
				    c.oclass = graph[i]);

	ENGINE_WITH(EINVAL, "engine object of class 0", c.oclass = 0);
	ENGINE_WITH(EINVAL, "engine object of a DMA object's class", c.oclass = 0x3d);
	ENGINE_WITH(EINVAL, "engine object of the channel's class", c.oclass = 0x506f);
	ENGINE_WITH(EINVAL, "engine object of Fermi's M2MF", c.oclass = 0x9039);
	ENGINE_WITH(EINVAL, "engine object of class 0x15039", c.oclass = 0x15039);
	ENGINE_WITH(EINVAL, "engine object of class ~0", c.oclass = ~0u);
	ENGINE_WITH(EINVAL, "engine object with handle 0", c.handle = 0);
	ENGINE_WITH(EINVAL, "engine object with an access", c.access = DRM_NVFIFO_ACCESS_RO);

	for (i = 0; i < 32; i++)
		ENGINE_WITH(EINVAL, "engine object with a flag", c.flags = 1u << i);

	ENGINE_WITH(EINVAL, "engine object with a start", c.start = 4096);
	ENGINE_WITH(EINVAL, "engine object with a size", c.size = 4096);
	ENGINE_WITH(EINVAL, "engine object with a BO", c.bo_handle = vr.handle);
	ENGINE_WITH(EINVAL, "engine object with a user", c.user = DRM_NVFIFO_USER_BOTH);
	ENGINE_WITH(EINVAL, "engine object with a kind", c.kind = 0x70);
	ENGINE_WITH(EINVAL, "engine object with compression", c.compression = 1);
	ENGINE_WITH(EINVAL, "engine object with a cycle", c.cycle = DRM_NVFIFO_CYCLE_SHORT);
	ENGINE_WITH(EINVAL, "engine object with padding", c.pad = 1);
}

static void dma_object_ranges(void)
{
	struct drm_nvfifo_object_create c;

	OBJECT_WITH(EINVAL, "DMA object of 0 bytes", c.size = 0);
	OBJECT_WITH(EINVAL, "DMA object past the last address", c.size = nv.dev.va_end);
	OBJECT_WITH(EINVAL, "DMA object at the end", c.start = nv.dev.va_end; c.size = 1);
	OBJECT_WITH(EINVAL, "DMA object that overflows", c.start = ~0ull; c.size = 2);
	OBJECT_WITH(EINVAL, "DMA object of 2^64 - 1 bytes", c.size = ~0ull);
}

static void all_objects(void)
{
	struct drm_nvfifo_object_create c;
	uint32_t i, n;
	int ret = 0;

	/* Use up all of them twice: destroyed ones must be available again. */
	for (i = 0; i < 2; i++) {
		c = good_object;
		c.channel_id = ch.id;
		for (n = 0; n <= nv.lim.objects; n++) {
			c.handle = 0x2000 + n * 0x205;
			ret = try_object(c);
			if (ret)
				break;
		}

		equal(n, nv.lim.objects, "as many objects as the limit says");
		refused(ret, ENOSPC, "one more");
		check(ch_works(&ch), "the channel works with all of them");
		for (ret = 0; n--;)
			ret |= object_destroy(&nv, ch.id, 0x2000 + n * 0x205);
		check(!ret, "OBJECT_DESTROY of all of them");
	}
}

static void t_object(void)
{
	struct drm_nvfifo_object_create c;
	uint32_t i;
	struct bo vr;
	int ret = 0;

	world();
	ret = bo_create_flags(&nv, &vr, DRM_NVFIFO_DOMAIN_VRAM, DRM_NVFIFO_BO_CONTIGUOUS, 64 * KIB);
	need(!ret, "BO_CREATE");
	before = state_of(&nv, ch.id);

	dma_object_args(vr);
	unpaged_object_args(vr);
	engine_object_args(vr);
	dma_object_ranges();

	refuse(object_destroy(&nv, 0, 0x1000), ENOENT, "OBJECT_DESTROY in channel 0");
	refuse(object_destroy(&nv, BAD_ID, 0x1000), ENOENT, "OBJECT_DESTROY in no channel");
	refuse(object_destroy(&nv, ch.id, 0x1000), ENOENT, "OBJECT_DESTROY of nothing");
	refuse(object_destroy(&nv, ch.id, 0x80000000), EACCES, "OBJECT_DESTROY of the fence's");
	refuse(object_destroy(&nv, ch.id, 0x80000001), EACCES,
	       "OBJECT_DESTROY of the software object");

	c = good_object;
	c.channel_id = ch.id;
	c.start = nv.dev.va_end - 4096;
	c.size = 4096;
	check(!try_object(c), "DMA object up to the last address");
	refuse(try_object(c), EEXIST, "the same handle twice");
	check(!object_destroy(&nv, ch.id, c.handle), "OBJECT_DESTROY");
	refuse(object_destroy(&nv, ch.id, c.handle), ENOENT, "OBJECT_DESTROY twice");

	for (i = 0; i < 2; i++) {
		c.oclass = i ? NVFIFO_CLASS_DMA_READ : NVFIFO_CLASS_DMA_WRITE;
		c.access = DRM_NVFIFO_ACCESS_RO;
		c.start = 0x123450;
		c.size = 1;
		check(!try_object(c), "DMA object of class %u over one byte", c.oclass);
		check(!object_destroy(&nv, ch.id, c.handle), "OBJECT_DESTROY of it");
	}

	all_objects();
	before = state_of(&nv, ch.id);
	check(ch_works(&ch), "the channel works after all that");
}

/* --- SUBMIT ----------------------------------------------------------------------------------- */

static struct drm_nvfifo_entry good_entry(void)
{
	struct drm_nvfifo_entry e = { .address = ch.push_va, .words = 2 };

	return e;
}

static int submit1(struct drm_nvfifo_entry e)
{
	return submit_raw(&nv, ch.id, &e, 1, NULL, 0, NULL);
}

#define ENTRY_WITH(what, ...) \
	do { \
		e = good_entry(); \
		__VA_ARGS__; \
		refuse(submit1(e), EINVAL, what); \
	} while (0)

static void submit_array(struct drm_nvfifo_entry e)
{
	struct drm_nvfifo_submit s;
	char *edge;

	s = (struct drm_nvfifo_submit){
		.channel_id = ch.id,
		.entries = { 0, 1, (uintptr_t)&e },
	};

	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), EINVAL, "SUBMIT with entry stride 0");
	s.entries.stride = sizeof(e) - 8;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), EINVAL,
	       "SUBMIT with an entry stride too short");
	s.entries.stride = sizeof(e);
	s.entries.ptr = 0;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), EFAULT, "SUBMIT of entries at NULL");
	s.entries.ptr = BAD_PTR;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), EFAULT, "SUBMIT of entries at 8");

	edge = edge_page();
	memcpy(edge - sizeof(e), &e, sizeof(e));
	s.entries.ptr = (uintptr_t)(edge - sizeof(e));
	s.entries.count = 2;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), EFAULT,
	       "SUBMIT of entries half unreadable");
	s.entries.count = ~0u;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), E2BIG, "SUBMIT of 2^32 - 1 entries");
}

/* The driver copies and checks entries in blocks, of 32 at most. */
#define BLOCK		32
#define BLOCKS_ENTRIES	(2 * BLOCK + 5)

/* An entry of a later version, with a field that the driver does not know */
struct wide_entry {
	struct drm_nvfifo_entry e;
	uint64_t more;
};

static int submit_wide(struct wide_entry *wide)
{
	struct drm_nvfifo_submit s = {
		.channel_id = ch.id,
		.entries = { sizeof(*wide), BLOCKS_ENTRIES, (uintptr_t)wide },
	};

	return nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s);
}

/* Refuse one wrong entry among good ones, wherever it is. */
static void submit_blocks(void)
{
	static const uint32_t places[] = {
		0, 1, BLOCK - 1, BLOCK, 2 * BLOCK - 1, 2 * BLOCK, BLOCKS_ENTRIES - 1,
	};
	const struct drm_nvfifo_entry wrong[] = {
		{ ch.push_va + 1, 2, 0 },	     { ch.push_va + 2, 2, 0 },
		{ ch.push_va, 0, 0 },		     { ch.push_va, 1u << 21, 0 },
		{ ch.push_va, (1u << 22) + 2, 0 },   { ch.push_va, 2, 1u << 2 },
		{ ch.push_va, 2, 1u << 31 },	     { nv.dev.va_start - 4, 2, 0 },
		{ nv.dev.va_start - 4, 1, 0 },	     { nv.dev.va_end - 4, 2, 0 },
		{ 1ull << 40 | ch.push_va, 2, 0 },   { 1ull << 42 | ch.push_va, 2, 0 },
		{ 1ull << 63 | ch.push_va, 2, 0 },   { ~0ull - 3, 2, 0 },
		{ ~0ull - 3, nv.lim.submit_words, 0 },
	};
	struct drm_nvfifo_entry many[BLOCKS_ENTRIES];
	struct wide_entry wide[BLOCKS_ENTRIES] = { 0 };
	struct drm_nvfifo_submit s;
	char what[80], *edge;
	uint32_t i, k;

	for (i = 0; i < BLOCKS_ENTRIES; i++)
		wide[i].e = many[i] = good_entry();

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		for (k = 0; k < ARRAY_SIZE(wrong); k++) {
			many[places[i]] = wide[places[i]].e = wrong[k];
			snprintf(what, sizeof(what), "SUBMIT with wrong entry %u in place %u", k,
				 places[i]);
			refuse(submit_raw(&nv, ch.id, many, BLOCKS_ENTRIES, NULL, 0, NULL), EINVAL,
			       what);
			refuse(submit_wide(wide), EINVAL, what);
			many[places[i]] = wide[places[i]].e = good_entry();
		}

		wide[places[i]].more = 1;
		snprintf(what, sizeof(what), "SUBMIT with an unknown field in entry %u", places[i]);
		refuse(submit_wide(wide), E2BIG, what);
		wide[places[i]].more = 0;
	}

	edge = edge_page();
	s = (struct drm_nvfifo_submit){
		.channel_id = ch.id,
		.entries = { sizeof(many[0]), BLOCKS_ENTRIES, 0 },
	};
	for (i = 1; i < ARRAY_SIZE(places); i++) {
		memcpy(edge - places[i] * sizeof(many[0]), many, places[i] * sizeof(many[0]));
		s.entries.ptr = (uintptr_t)(edge - places[i] * sizeof(many[0]));
		snprintf(what, sizeof(what), "SUBMIT of entries, unreadable from %u on", places[i]);
		refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), EFAULT, what);
	}
}

static void submit_full_ring(uint32_t max)
{
	struct drm_nvfifo_entry *many;
	uint32_t i;
	uint64_t seqno;
	int ret;

	many = calloc(max + 1, sizeof(*many));
	need(many, "calloc");

	for (i = 0; i <= max; i++)
		many[i] = good_entry();

	refuse(submit_raw(&nv, ch.id, many, max + 1, NULL, 0, NULL), E2BIG,
	       "SUBMIT of one entry too many for the ring");
	many[max - 1].words = 0;
	refuse(submit_raw(&nv, ch.id, many, max, NULL, 0, NULL), EINVAL,
	       "SUBMIT with its last entry wrong");

	many[max - 1].words = 2;
	ch_rewind(&ch);
	p_ref(&ch, 0x77);
	ret = submit_raw(&nv, ch.id, many, max,
			 &(struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL,
						    .handle = ch.done }, 1, &seqno);
	check(!ret && seqno == 1, "SUBMIT of as many entries as the ring takes is number 1");
	equal((uint32_t)sync_finish(&nv, ch.done), 1, "it ends");
	free(many);
	ch_rewind(&ch);
}

static void submit_full_small_ring(void)
{
	uint32_t i, id;

	/* A small ring has its own limit. */
	need(!chan_create(&nv, vm, nv.lim.ring_order_min, &id), "CHANNEL_CREATE");

	before = state_of(&nv, ch.id);
	{
		uint32_t n = (1u << nv.lim.ring_order_min) - 2;
		struct drm_nvfifo_entry small[64];

		need(n + 1 <= 64, "smallest ring is small");
		ch_rewind(&ch);
		p_ref(&ch, 0x78);
		for (i = 0; i <= n; i++)
			small[i] = good_entry();
		refuse(submit_raw(&nv, id, small, n + 1, NULL, 0, NULL), E2BIG,
		       "SUBMIT of one entry too many for a small ring");
		check(!submit_raw(&nv, id, small, n, NULL, 0, NULL),
		      "SUBMIT of as many as a small ring takes");
	}
}

static void t_submit_args(void)
{
	struct drm_nvfifo_submit s;
	struct drm_nvfifo_entry e;
	uint32_t max, i;

	world();
	max = (1u << nv.lim.ring_order_default) - 2;
	p_ref(&ch, 1);
	e = good_entry();
	refuse(submit_raw(&nv, 0, &e, 1, NULL, 0, NULL), ENOENT, "SUBMIT to channel 0");
	refuse(submit_raw(&nv, BAD_ID, &e, 1, NULL, 0, NULL), ENOENT, "SUBMIT to no channel");

	for (i = 1; i < 32; i += 30) {
		s = (struct drm_nvfifo_submit){ .channel_id = ch.id, .flags = 1u << i };
		refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &s), EINVAL,
		       "SUBMIT with an unknown flag");
	}

	submit_array(e);

	ENTRY_WITH("entry at an odd address", e.address += 1);
	ENTRY_WITH("entry at an address of 2 mod 4", e.address += 2);
	ENTRY_WITH("entry of 0 words", e.words = 0);
	ENTRY_WITH("entry of one word too many", e.words = nv.lim.submit_words + 1);
	ENTRY_WITH("entry of 2^21 words", e.words = 1u << 21);
	ENTRY_WITH("entry of 2^22 words", e.words = 1u << 22);
	ENTRY_WITH("entry of 2^32 - 1 words", e.words = ~0u);
	ENTRY_WITH("entry past 40 bits", e.address = 1ull << 40);
	ENTRY_WITH("entry at the end of addresses", e.address = nv.dev.va_end);
	ENTRY_WITH("entry across the end of addresses", e.address = nv.dev.va_end - 4);
	ENTRY_WITH("entry at an address that overflows", e.address = ~0ull - 3);
	ENTRY_WITH("entry below the first address", e.address = 0);

	for (i = 2; i < 32; i++)
		ENTRY_WITH("entry with an unknown flag", e.flags = 1u << i);

	submit_blocks();
	submit_full_ring(max);
	submit_full_small_ring();
	ch_rewind(&ch);
	check(ch_works(&ch), "the channel works after all that");
}

static int sync1(struct drm_nvfifo_sync s)
{
	struct drm_nvfifo_entry e = good_entry();

	return submit_raw(&nv, ch.id, &e, 1, &s, 1, NULL);
}

#define SYNC_WITH(err, what, ...) \
	do { \
		s = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = obj }; \
		__VA_ARGS__; \
		refuse(sync1(s), err, what); \
		check(!sync_has_fence(&nv, obj), "%s: no fence was left", what); \
	} while (0)

static void submit_sync_args(uint32_t obj, uint32_t empty, uint32_t theirs)
{
	struct drm_nvfifo_sync s;
	uint32_t i;

	SYNC_WITH(EINVAL, "sync that neither waits nor signals", s.flags = 0);
	SYNC_WITH(EINVAL, "sync that waits and signals", s.flags = 3);
	SYNC_WITH(EINVAL, "timeline sync that neither waits nor signals",
		  s.flags = DRM_NVFIFO_SYNC_TIMELINE; s.timeline_value = 1);

	for (i = 3; i < 32; i++)
		SYNC_WITH(EINVAL, "sync with an unknown flag", s.flags |= 1u << i);

	SYNC_WITH(ENOENT, "sync with handle 0", s.handle = 0);
	SYNC_WITH(ENOENT, "sync with no syncobj", s.handle = BAD_ID);
	SYNC_WITH(ENOENT, "sync with another file's syncobj", s.handle = theirs);
	SYNC_WITH(ENOENT, "wait for no syncobj", s.flags = DRM_NVFIFO_SYNC_WAIT;
		  s.handle = BAD_ID);

	SYNC_WITH(EINVAL, "binary signal with a point", s.timeline_value = 1);
	SYNC_WITH(EINVAL, "binary wait with a point", s.flags = DRM_NVFIFO_SYNC_WAIT;
		  s.timeline_value = 1);

	SYNC_WITH(EINVAL, "timeline signal of point 0",
		  s.flags = DRM_NVFIFO_SYNC_SIGNAL | DRM_NVFIFO_SYNC_TIMELINE);
	SYNC_WITH(EINVAL, "wait for a syncobj without a fence",
		  s.flags = DRM_NVFIFO_SYNC_WAIT; s.handle = empty);
	SYNC_WITH(EINVAL, "wait for a point that is never reached",
		  s.flags = DRM_NVFIFO_SYNC_WAIT | DRM_NVFIFO_SYNC_TIMELINE; s.handle = empty;
		  s.timeline_value = 7);
}

static void submit_sync_array(struct drm_nvfifo_entry e, const struct drm_nvfifo_sync *two,
			      uint32_t obj)
{
	struct drm_nvfifo_sync s;
	struct drm_nvfifo_submit sub;
	char *edge;

	sub = (struct drm_nvfifo_submit){
		.channel_id = ch.id,
		.entries = { sizeof(e), 1, (uintptr_t)&e },
		.syncs = { 0, 1, (uintptr_t)two },
	};

	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &sub), EINVAL, "SUBMIT with sync stride 0");
	sub.syncs.stride = sizeof(s) - 8;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &sub), EINVAL,
	       "SUBMIT with a sync stride too short");
	sub.syncs.stride = sizeof(s);
	sub.syncs.ptr = BAD_PTR;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &sub), EFAULT, "SUBMIT of syncs at 8");

	edge = edge_page();
	memcpy(edge - sizeof(s), two, sizeof(s));
	sub.syncs.ptr = (uintptr_t)(edge - sizeof(s));
	sub.syncs.count = 2;
	refuse(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &sub), EFAULT,
	       "SUBMIT of syncs half unreadable");
	check(!sync_has_fence(&nv, obj), "no fence was left by any of them");
}

static void submit_sync_limit(struct drm_nvfifo_entry e, struct drm_nvfifo_sync good, uint32_t obj)
{
	struct drm_nvfifo_sync *many;
	uint32_t i;

	many = calloc(nv.lim.submit_syncs + 1, sizeof(*many));
	need(many, "calloc");

	for (i = 0; i <= nv.lim.submit_syncs; i++)
		many[i] = good;

	refuse(submit_raw(&nv, ch.id, &e, 1, many, nv.lim.submit_syncs + 1, NULL), E2BIG,
	       "SUBMIT of one sync too many");
	refuse(submit_raw(&nv, ch.id, &e, 1, many, ~0u, NULL), E2BIG, "SUBMIT of 2^32 - 1 syncs");
	check(!sync_has_fence(&nv, obj), "no fence was left");

	for (i = 0; i < nv.lim.submit_syncs; i++)
		many[i].handle = sync_new(&nv);

	check(!submit_raw(&nv, ch.id, &e, 1, many, nv.lim.submit_syncs, NULL),
	      "SUBMIT of as many syncs as allowed");
	equal((uint32_t)sync_finish(&nv, many[0].handle), 1, "the first is signalled");
	equal((uint32_t)sync_finish(&nv, many[nv.lim.submit_syncs - 1].handle), 1,
	      "and so is the last");
	free(many);
}

static void t_submit_syncs(void)
{
	struct drm_nvfifo_sync two[2];
	uint32_t obj, empty, theirs, i;
	struct drm_nvfifo_entry e;

	world();
	obj = sync_new(&nv);
	empty = sync_new(&nv);

	for (i = 0; i < 16; i++)
		theirs = sync_new(&other);

	p_ref(&ch, 1);
	e = good_entry();

	submit_sync_args(obj, empty, theirs);

	/* A good one before the bad one must not get a fence. */
	two[0] = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = obj };
	two[1] = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = BAD_ID };
	refuse(submit_raw(&nv, ch.id, &e, 1, two, 2, NULL), ENOENT, "a good and a bad sync");
	check(!sync_has_fence(&nv, obj), "the good one got no fence");
	two[1] = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_WAIT, .handle = empty };
	refuse(submit_raw(&nv, ch.id, &e, 1, two, 2, NULL), EINVAL, "a signal and a wait for nothing");
	check(!sync_has_fence(&nv, obj), "the signal got no fence");
	e.words = 0;
	refuse(submit_raw(&nv, ch.id, &e, 1, two, 1, NULL), EINVAL, "a sync and a bad entry");
	check(!sync_has_fence(&nv, obj), "the sync got no fence");
	e.words = 2;

	submit_sync_array(e, two, obj);
	submit_sync_limit(e, two[0], obj);
	ch_rewind(&ch);
	check(ch_works(&ch), "the channel works after all that");
}

static const struct test tests[] = {
	TEST(t_every_call),	TEST(t_long_struct), TEST(t_device_query), TEST(t_device_time),
	TEST(t_device_rate),
	TEST(t_device_record),
	TEST_ONCE(t_bo),		TEST(t_label),	     TEST(t_vm),	   TEST_ONCE(t_bind_args),
	TEST_ONCE(t_bind_op),	TEST_ONCE(t_bind_syncs),  TEST_ONCE(t_channel),	   TEST(t_object),
	TEST_ONCE(t_submit_args),	TEST_ONCE(t_submit_syncs), TEST_ONCE(t_channel_modes), TEST_ONCE(t_channel_wait),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
