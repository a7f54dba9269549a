// SPDX-License-Identifier: MIT
/*
 * The interpreter of the ioctl fuzzer: it turns the bytes of a program into system calls. The
 * driver's identifiers and handles count up from 1 in each file, so a small random number often
 * names an object of an earlier call.
 */
#include "ioctl.h"

#include <poll.h>

#define CODE_BYTES	(64 * KIB)
#define CODE_VA		(1 * MIB)
#define NUM_SNIPPETS	8
#define SNIPPET_BYTES	0x100

/* The program as it is read */
struct in {
	const uint8_t *p, *end;
};

static uint8_t take(struct in *in)
{
	if (in->p == in->end)
		return 0;
	return *in->p++;
}

static uint32_t take32(struct in *in)
{
	uint32_t v = take(in);

	v |= (uint32_t)take(in) << 8;
	v |= (uint32_t)take(in) << 16;
	return v | (uint32_t)take(in) << 24;
}

/* An identifier or a handle: mostly one that exists. */
static uint32_t take_id(struct in *in)
{
	uint8_t b = take(in);

	if (b < 200)
		return 1 + b % 4;
	if (b < 250)
		return b % 16;
	return take32(in);
}

/* Flags of @mask, seldom others */
static uint32_t take_flags(struct in *in, uint32_t mask)
{
	uint8_t b = take(in);

	if (b < 240)
		return b & mask;
	return take32(in);
}

static uint64_t take_address(struct in *in)
{
	static const uint64_t places[] = {
		CODE_VA, 2 * MIB, 3 * MIB, 512 * MIB, 512 * MIB - 4 * KIB, 512 * MIB - 64 * KIB,
		1 * GIB, 4 * GIB - 64 * KIB, 4 * GIB, (1ull << 40) - 64 * KIB, 1ull << 40, 0,
	};
	uint8_t b = take(in);
	uint64_t va = places[b % ARRAY_SIZE(places)];

	if (b >= 250)
		return (uint64_t)take32(in) << 32 | take32(in);

	if (b & 0x10)
		va += (uint64_t)(b >> 5) * 4 * KIB;

	if (b & 0x80)
		va += (uint64_t)(b >> 4) * 4;

	return va;
}

static uint64_t take_size(struct in *in)
{
	static const uint64_t sizes[] = {
		4 * KIB, 8 * KIB, 16 * KIB, 64 * KIB, 128 * KIB, 1 * MIB, 1, 0, 4 * KIB + 1,
		512 * MIB, 1 * GIB, 1ull << 40,
	};
	uint8_t b = take(in);

	if (b >= 250)
		return (uint64_t)take32(in) << 32 | take32(in);
	if (b < 160)
		return sizes[b % 5];

	return sizes[b % ARRAY_SIZE(sizes)];
}

/* Words that are handles, methods, padding: mostly 0 */
static uint32_t take_rare(struct in *in)
{
	uint8_t b = take(in);

	if (b < 230)
		return 0;
	return take32(in);
}

static int call(struct world *w, unsigned long req, void *arg)
{
	int ret = ioctl(w->fd, req, arg);

	w->calls++;
	if (ret >= 0)
		w->succeeded++;
	return ret;
}

static struct drm_nvfifo_array array(void *p, uint32_t size, uint32_t count, struct in *in)
{
	struct drm_nvfifo_array a = { size, count, (uintptr_t)p };
	uint8_t b = take(in);

	if (b == 255)
		a.stride = take32(in) % 256;

	if (b == 254)
		a.count = take32(in);

	if (b == 253)
		a.ptr = take32(in);

	if (b == 252)
		a.ptr += take(in);

	return a;
}

#define MAX_SYNCS 4

static uint32_t take_syncs(struct in *in, struct drm_nvfifo_sync *s)
{
	uint32_t n = take(in) % (MAX_SYNCS + 1), i;

	memset(s, 0, MAX_SYNCS * sizeof(*s));

	for (i = 0; i < n; i++) {
		uint8_t b = take(in);

		s[i].flags = b & 1 ? DRM_NVFIFO_SYNC_WAIT : DRM_NVFIFO_SYNC_SIGNAL;
		if (b & 2) {
			s[i].flags |= DRM_NVFIFO_SYNC_TIMELINE;
			s[i].timeline_value = b >> 4;
		}
		if (b > 250)
			s[i].flags = take32(in);
		s[i].handle = take_id(in);
	}

	return n;
}

/* --- The driver's calls ------------------------------------------------------- */

static void do_query(struct world *w, struct in *in)
{
	uint64_t rec[32];
	struct drm_nvfifo_device_query q = {
		.type = take_flags(in, 1),
		.size = take(in),
		.pointer = take(in) < 230 ? (uintptr_t)rec : take32(in),
	};

	if (q.size > sizeof(rec))
		q.size = sizeof(rec);

	call(w, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &q);
}

static void do_bo_create(struct world *w, struct in *in)
{
	struct drm_nvfifo_bo_create c = {
		.size = take_size(in),
		.domain = take_flags(in, 1),
		.flags = take_flags(in, 3),
		.pad = take_rare(in),
	};

	call(w, DRM_IOCTL_NVFIFO_BO_CREATE, &c);
}

static void do_bo_info(struct world *w, struct in *in)
{
	struct drm_nvfifo_bo_info i = { .handle = take_id(in) };

	call(w, DRM_IOCTL_NVFIFO_BO_INFO, &i);
}

static void do_bo_label(struct world *w, struct in *in)
{
	char text[256];
	struct drm_nvfifo_bo_label l = {
		.handle = take_id(in), .size = take(in), .label = (uintptr_t)text,
	};

	memset(text, take(in), sizeof(text));
	if (take(in) > 250)
		l.label = take32(in);

	call(w, DRM_IOCTL_NVFIFO_BO_LABEL, &l);
}

static void do_vm_create(struct world *w, struct in *in)
{
	struct drm_nvfifo_vm_create c = { .flags = take_rare(in) };

	call(w, DRM_IOCTL_NVFIFO_VM_CREATE, &c);
}

static void do_vm_destroy(struct world *w, struct in *in)
{
	struct drm_nvfifo_vm_destroy d = { .id = take_id(in), .pad = take_rare(in) };

	call(w, DRM_IOCTL_NVFIFO_VM_DESTROY, &d);
}

#define MAX_BIND_OPS 4

static void do_vm_bind(struct world *w, struct in *in)
{
	static const uint8_t shifts[] = { 0, 0, 0, 12, 16, 14, 13, 64 };
	static const uint8_t kinds[] = { 0, 0, 0, 0x70, 0x7a, 0x28, 0x7f, 0xff };
	struct drm_nvfifo_vm_bind_op ops[MAX_BIND_OPS] = { 0 };
	struct drm_nvfifo_sync syncs[MAX_SYNCS];
	uint32_t n = 1 + take(in) % MAX_BIND_OPS, i;
	struct drm_nvfifo_vm_bind b = {
		.vm_id = take_id(in), .flags = take_flags(in, DRM_NVFIFO_VM_BIND_ASYNC),
	};

	for (i = 0; i < n; i++) {
		ops[i].op = take_flags(in, 1);
		ops[i].va = take_address(in);
		ops[i].range = take_size(in);
		if (ops[i].op == DRM_NVFIFO_VM_BIND_OP_UNMAP)
			continue;
		ops[i].flags = take_flags(in, take(in) & 0x3f);
		ops[i].bo_handle = take_id(in);
		ops[i].page_shift = shifts[take(in) % ARRAY_SIZE(shifts)];
		ops[i].bo_offset = take(in) % 8 * 4 * KIB;
		ops[i].kind = kinds[take(in) % ARRAY_SIZE(kinds)];
		ops[i].compression = take(in) % 32 / 8;
	}

	b.ops = array(ops, sizeof(ops[0]), n, in);
	n = b.flags ? take_syncs(in, syncs) : 0;
	b.syncs = array(syncs, sizeof(syncs[0]), n, in);
	call(w, DRM_IOCTL_NVFIFO_VM_BIND, &b);
}

static void do_chan_create(struct world *w, struct in *in)
{
	struct drm_nvfifo_channel_create c = {
		.vm_id = take_id(in),
		.flags = take_flags(in, take(in) & 15),
		.ring_order = take(in) % 16,
		.timeslice = take_rare(in) & 0x3ffff,
		.sli_mask = take_rare(in) & 0x1fff,
	};

	if (c.flags & DRM_NVFIFO_CHANNEL_EVENT)
		c.user_data = take(in);

	if (c.flags & (DRM_NVFIFO_CHANNEL_DMA_MODE | DRM_NVFIFO_CHANNEL_USER_QUEUE))
		c.start = take_address(in);

	if (c.start && c.flags & DRM_NVFIFO_CHANNEL_DMA_MODE)
		c.dma_limit = take_rare(in);

	call(w, DRM_IOCTL_NVFIFO_CHANNEL_CREATE, &c);
}

static void do_chan_destroy(struct world *w, struct in *in)
{
	struct drm_nvfifo_channel_destroy d = { .id = take_id(in), .pad = take_rare(in) };

	call(w, DRM_IOCTL_NVFIFO_CHANNEL_DESTROY, &d);
}

static void do_chan_query(struct world *w, struct in *in)
{
	struct drm_nvfifo_channel_query q = { .id = take_id(in), .pad = take_rare(in) };

	call(w, DRM_IOCTL_NVFIFO_CHANNEL_QUERY, &q);
}

static void do_chan_wait(struct world *w, struct in *in)
{
	struct drm_nvfifo_channel_wait c = {
		.channel_id = take_id(in),
		.value = take(in),
		.address = (uintptr_t)(w->code_map + take(in)),
		.timeout_ns = now_ns() + take(in) * 100000ll,
		.flags = take_rare(in),
	};

	if (take(in) > 240)
		c.address = take32(in);

	call(w, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &c);
}

static void do_object_create(struct world *w, struct in *in)
{
	static const uint32_t classes[] = {
		0x3d, 0x02, 0x03, 0x5039, 0x502d, 0x5097, 0x8297, 0x50c0, 0x30, 0x85b5, 0x9039,
		0x506e,
	};
	struct drm_nvfifo_object_create c = {
		.channel_id = take_id(in),
		.handle = 0xbeef0000 + take(in) % 8,
		.oclass = classes[take(in) % ARRAY_SIZE(classes)],
	};

	if (c.oclass > 3 && c.oclass != 0x3d)
		c.type = DRM_NVFIFO_OBJECT_ENGINE;

	if (c.oclass == 0x506e)
		c.type = DRM_NVFIFO_OBJECT_SOFTWARE;

	if (take(in) > 240)
		c.type = take(in) % 4;

	if (c.type == DRM_NVFIFO_OBJECT_DMA) {
		c.access = take(in) % 3;
		c.flags = take_flags(in, take(in) & 0x1f);
		c.start = take_address(in);
		c.size = take_size(in);
		if (c.flags & DRM_NVFIFO_OBJECT_UNPAGED) {
			c.bo_handle = take_id(in);
			c.start = take(in) % 4 * 4 * KIB;
			c.access = 1 + take(in) % 2;
		}
		c.user = take(in) % 3;
		c.kind = take_rare(in) & 0xff;
		c.compression = take_rare(in) & 3;
		c.cycle = take_rare(in) & 3;
	}

	if (take(in) > 250)
		c.handle = take32(in);

	call(w, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &c);
}

static void do_object_destroy(struct world *w, struct in *in)
{
	struct drm_nvfifo_object_destroy d = {
		.channel_id = take_id(in), .handle = 0xbeef0000 + take(in) % 8,
	};

	if (take(in) > 250)
		d.handle = 0x80000000 + take(in) % 3;
	call(w, DRM_IOCTL_NVFIFO_OBJECT_DESTROY, &d);
}

#define MAX_ENTRIES 6

static void do_submit(struct world *w, struct in *in)
{
	struct drm_nvfifo_entry e[MAX_ENTRIES] = { 0 };
	struct drm_nvfifo_sync syncs[MAX_SYNCS];
	uint32_t n = take(in) % (MAX_ENTRIES + 1), i;
	struct drm_nvfifo_submit s = {
		.channel_id = take_id(in),
		.flags = take_flags(in, DRM_NVFIFO_SUBMIT_TRY),
	};

	for (i = 0; i < n; i++) {
		uint8_t b = take(in);

		e[i].address = CODE_VA + b % NUM_SNIPPETS * SNIPPET_BYTES;
		e[i].words = 2 + (b >> 5) * 2;
		e[i].flags = take_rare(in) & 3;
		if (b > 250) {
			e[i].address = take_address(in);
			e[i].words = take(in) & 1 ? 0 : e[i].words;
		}
	}

	s.entries = array(e, sizeof(e[0]), n, in);
	n = take_syncs(in, syncs);
	s.syncs = array(syncs, sizeof(syncs[0]), n, in);
	call(w, DRM_IOCTL_NVFIFO_SUBMIT, &s);
}

/* --- DRM's calls ---------------------------------------------------------------- */

static void do_gem_close(struct world *w, struct in *in)
{
	struct drm_gem_close c = { .handle = take_id(in) };

	call(w, DRM_IOCTL_GEM_CLOSE, &c);
}

static void keep_shared(struct world *w, struct in *in, int fd)
{
	int *slot = &w->shared[take(in) % ARRAY_SIZE(w->shared)];

	if (*slot >= 0)
		close(*slot);
	*slot = fd;
}

static void do_prime_export(struct world *w, struct in *in)
{
	struct drm_prime_handle p = { .handle = take_id(in), .flags = take_flags(in, 3), .fd = -1 };

	if (!call(w, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p))
		keep_shared(w, in, p.fd);
}

static void do_prime_import(struct world *w, struct in *in)
{
	struct drm_prime_handle p = { .fd = w->shared[take(in) % ARRAY_SIZE(w->shared)] };

	call(w, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p);
}

static void do_syncobj(struct world *w, struct in *in)
{
	uint32_t handle = take_id(in);
	uint64_t point = take(in) % 8;
	struct drm_syncobj_create create = { .flags = take(in) & 1 };
	struct drm_syncobj_destroy destroy = { .handle = handle };
	struct drm_syncobj_array list = { .handles = (uintptr_t)&handle, .count_handles = 1 };
	struct drm_syncobj_wait wait = {
		.handles = (uintptr_t)&handle,
		.count_handles = 1,
		.timeout_nsec = now_ns() + take(in) * 20000ll,
	};
	struct drm_syncobj_timeline_wait timeline = {
		.handles = (uintptr_t)&handle,
		.points = (uintptr_t)&point,
		.count_handles = 1,
		.timeout_nsec = now_ns() + take(in) * 20000ll,
		.flags = take(in) & 7,
	};
	struct drm_syncobj_handle file = {
		.handle = handle,
		.flags = DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE,
		.fd = -1,
	};

	switch (take(in) % 8) {
	case 0:
	case 1:
		call(w, DRM_IOCTL_SYNCOBJ_CREATE, &create);
		break;
	case 2:
		call(w, DRM_IOCTL_SYNCOBJ_DESTROY, &destroy);
		break;
	case 3:
		call(w, DRM_IOCTL_SYNCOBJ_RESET, &list);
		break;
	case 4:
		call(w, DRM_IOCTL_SYNCOBJ_SIGNAL, &list);
		break;
	case 5:
		call(w, DRM_IOCTL_SYNCOBJ_WAIT, &wait);
		break;
	case 6:
		call(w, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &timeline);
		break;
	default:
		if (!call(w, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &file))
			keep_shared(w, in, file.fd);
	}
}

/* --- Memory and files -------------------------------------------------------------- */

static void do_mmap(struct world *w, struct in *in)
{
	struct drm_nvfifo_bo_info i = { .handle = take_id(in) };
	void **slot = &w->maps[take(in) % ARRAY_SIZE(w->maps)];
	int prot = take_flags(in, PROT_READ | PROT_WRITE) & 7;
	int flags = take(in) & 3 ? MAP_SHARED : MAP_PRIVATE;
	uint64_t offset;

	if (call(w, DRM_IOCTL_NVFIFO_BO_INFO, &i))
		return;

	offset = i.mmap_offset;
	if (take(in) > 240)
		offset += take(in) * 4ull * KIB;

	if (*slot)
		munmap(*slot, 4 * KIB);

	*slot = mmap(NULL, 4 * KIB, prot, flags, w->fd, (off_t)offset);
	w->calls++;
	if (*slot == MAP_FAILED)
		*slot = NULL;
}

/* The kernel copies, so that a missing page is EFAULT and no signal. */
static void do_touch(struct world *w, struct in *in)
{
	void *p = w->maps[take(in) % ARRAY_SIZE(w->maps)];
	char byte = 0;

	w->calls++;
	if (!p)
		return;

	if (take(in) & 1) {
		if (write(w->pipe[1], p, 1) == 1 && read(w->pipe[0], &byte, 1) == 1)
			w->succeeded++;
	} else if (write(w->pipe[1], &byte, 1) == 1) {
		if (read(w->pipe[0], p, 1) == 1)
			w->succeeded++;
		else if (read(w->pipe[0], &byte, 1) != 1)
			return;
	}
}

static void do_events(struct world *w, struct in *in)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	char buf[256];

	w->calls++;
	if (poll(&p, 1, 0) == 1 && p.revents & POLLIN && read(w->fd, buf, take(in)) > 0)
		w->succeeded++;
}

static void do_fdinfo(struct world *w, struct in *in)
{
	char path[64], *text;

	(void)in;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", w->fd);
	text = file_text(path);
	w->calls++;
	w->succeeded += text != NULL;
	free(text);
}

/* Commands as the card reads them while the channel may execute them */
static void do_scribble(struct world *w, struct in *in)
{
	uint32_t at = take(in) % NUM_SNIPPETS * SNIPPET_BYTES / 4 + take(in) % 16;

	w->code_map[at] = take(in) < 200 ? cmd_word(0, NVFIFO_MTHD_REF_CNT, 1) : take32(in);
}

/* A number and a size that no header has */
static void do_raw(struct world *w, struct in *in)
{
	uint64_t arg[64] = { 0 };
	uint32_t nr = 0x40 + take(in) % 0x14, size = take(in) % 64 * 8, i;

	for (i = 0; i < size / 8 && i < 6; i++)
		arg[i] = take_id(in);
	call(w, _IOC(_IOC_READ | _IOC_WRITE, 'd', nr, size), arg);
}

static void (*const calls[])(struct world *, struct in *) = {
	do_query, do_bo_create, do_bo_create, do_bo_info, do_bo_label, do_vm_create,
	do_vm_destroy, do_vm_bind, do_vm_bind, do_vm_bind, do_chan_create, do_chan_create,
	do_chan_destroy, do_chan_query, do_chan_wait, do_object_create, do_object_create,
	do_object_destroy, do_submit, do_submit, do_submit, do_gem_close, do_prime_export,
	do_prime_import, do_syncobj, do_syncobj, do_mmap, do_touch, do_events, do_fdinfo,
	do_scribble, do_raw,
};

void prog_run(struct world *w, const struct prog *p, uint32_t skip)
{
	struct in in = { p->code, p->code + p->len };
	uint32_t n = 0;

	in.p += skip < p->len ? skip : p->len;
	while (in.p < in.end && n++ < PROG_CALLS)
		calls[take(&in) % ARRAY_SIZE(calls)](w, &in);
}

/* --- State before each program ------------------------------------------------------- */

static void write_snippets(const struct nv *nv, uint32_t *code)
{
	static const uint32_t snippets[NUM_SNIPPETS][2] = {
		{ NVFIFO_MTHD_REF_CNT, 1 },
		{ NVFIFO_MTHD_YIELD, 0 },
		{ NVFIFO_MTHD_OBJECT, SW_HANDLE },
		{ NVFIFO_MTHD_OBJECT, 0xbeef0003 },
		{ NVFIFO_MTHD_DMA_SEMAPHORE, 0xbeef0000 },
		{ NVFIFO_MTHD_SEMAPHORE_OFFSET, 0x40 },
		{ NVFIFO_MTHD_SEMAPHORE_ACQUIRE, 5 },
		{ NVFIFO_MTHD_NOTIFY_INTR, 0 },
	};
	uint32_t i, k;

	(void)nv;

	for (i = 0; i < NUM_SNIPPETS; i++) {
		for (k = 0; k < SNIPPET_BYTES / 8; k++) {
			code[i * SNIPPET_BYTES / 4 + k * 2] = cmd_word(0, snippets[i][0], 1);
			code[i * SNIPPET_BYTES / 4 + k * 2 + 1] = snippets[i][1];
		}
	}
}

bool world_open(struct world *w)
{
	struct drm_nvfifo_channel_create chan = { 0 };
	struct drm_syncobj_create sync = { 0 };
	struct nv nv = { 0 };
	struct bo code;
	uint32_t i, vm;
	void *p;

	for (i = 0; i < ARRAY_SIZE(w->shared); i++)
		w->shared[i] = -1;

	memset(w->maps, 0, sizeof(w->maps));
	w->code_map = NULL;
	w->fd = node_open();
	if (w->fd < 0)
		return false;

	nv.fd = w->fd;
	if (bo_create(&nv, &code, DRM_NVFIFO_DOMAIN_SYSTEM, CODE_BYTES) || vm_create(&nv, &vm))
		return false;

	p = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, w->fd, (off_t)code.offset);
	if (p == MAP_FAILED)
		return false;

	w->code_map = p;
	write_snippets(&nv, p);
	if (vm_map_at(&nv, vm, &code, CODE_VA, 0, 0))
		return false;

	chan.vm_id = vm;
	if (chan_create_args(&nv, &chan))
		return false;

	object_dma(&nv, chan.id, 0xbeef0000, CODE_VA + 32 * KIB, 4 * KIB);

	for (i = 0; i < 3; i++)
		call(w, DRM_IOCTL_SYNCOBJ_CREATE, &sync);

	return true;
}

void world_close(struct world *w)
{
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(w->shared); i++)
		if (w->shared[i] >= 0)
			close(w->shared[i]);

	for (i = 0; i < ARRAY_SIZE(w->maps); i++)
		if (w->maps[i])
			munmap(w->maps[i], 4 * KIB);

	if (w->code_map)
		munmap(w->code_map, CODE_BYTES);

	if (w->fd >= 0)
		close(w->fd);
}
