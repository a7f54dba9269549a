// SPDX-License-Identifier: MIT
/* The rows of side.h for the stock nouveau driver: GEM_PUSHBUF, and EXEC if the kernel has it */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "uapi/nvfifo_drm.h"

#include "../nouveau/abi.h"
#include "side.h"

#define H_VRAM		0xbeef0201u
#define H_GART		0xbeef0202u
#define H_NOTIFY	0xbeef0301u
#define H_M2MF		0xbeef5039u
#define SUBC_M2MF	5u
#define MAX_PUSH	510
#define PIPELINE	32
#define MTHD(subc, mthd, count)	((uint32_t)(count) << 18 | (subc) << 13 | (mthd))

struct buffer {
	uint32_t handle, domain;
	uint64_t size, va;
	void *map;
};

static int fd, other_fd;
static int channel, other_channel;
static struct buffer push;
static struct nv_pushbuf_push pushes[MAX_PUSH];

static void need_at(int line, bool ok)
{
	if (ok)
		return;
	fprintf(stderr, "side_nouveau.c:%d: %s\n", line, strerror(errno));
	exit(1);
}

#define NEED(ok) need_at(__LINE__, ok)

static int call(int file, unsigned long req, void *arg)
{
	int ret;

	do
		ret = ioctl(file, req, arg);
	while (ret && (errno == EINTR || errno == EAGAIN));
	return ret;
}

static int node(void)
{
	char path[64];
	int i, file;

	for (i = 128; i < 136; i++) {
		snprintf(path, sizeof(path), "/dev/dri/renderD%d", i);
		file = open(path, O_RDWR | O_CLOEXEC);
		if (file >= 0)
			return file;
	}
	NEED(false);
	return -1;
}

static struct buffer buffer_new_in(int file, uint32_t domain, uint64_t size)
{
	struct nv_gem_new n = {
		.info = { .size = size, .domain = domain | NV_DOMAIN_MAPPABLE },
		.align = 0x1000,
	};

	NEED(!call(file, NV_IOCTL_GEM_NEW, &n));
	return (struct buffer){
		.handle = n.info.handle, .domain = domain, .size = size, .va = n.info.offset,
	};
}

static struct buffer buffer_new(uint32_t domain, uint64_t size)
{
	return buffer_new_in(fd, domain, size);
}

static void *buffer_map(struct buffer *b)
{
	struct nv_gem_info i = { .handle = b->handle };

	NEED(!call(fd, NV_IOCTL_GEM_INFO, &i));
	b->map = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)i.map_handle);
	NEED(b->map != MAP_FAILED);
	return b->map;
}

static void buffer_close(int file, uint32_t handle)
{
	struct drm_gem_close c = { .handle = handle };

	NEED(!call(file, DRM_IOCTL_GEM_CLOSE, &c));
}

static struct nv_pushbuf_bo used[3];

static void submit_with(uint32_t n, uint32_t buffers)
{
	struct nv_pushbuf p = {
		.channel = channel,
		.nr_buffers = buffers,
		.buffers = (uintptr_t)used,
		.nr_push = n,
		.push = (uintptr_t)pushes,
	};

	NEED(!call(fd, NV_IOCTL_GEM_PUSHBUF, &p));
}

static void submit(uint32_t n)
{
	submit_with(n, 1);
}

static void finish(void)
{
	struct nv_cpu_prep p = { .handle = push.handle, .flags = NV_CPU_PREP_WRITE };

	NEED(!call(fd, NV_IOCTL_GEM_CPU_PREP, &p));
}

static void use(unsigned int i, const struct buffer *b, bool written)
{
	used[i] = (struct nv_pushbuf_bo){
		.handle = b->handle,
		.valid_domains = b->domain,
		.read_domains = b->domain,
		.write_domains = written ? b->domain : 0,
	};
}

static int channel_new_in(int file)
{
	struct nv_channel_alloc c = { .vram_handle = H_VRAM, .gart_handle = H_GART };

	NEED(!call(file, NV_IOCTL_CHANNEL_ALLOC, &c));
	return c.channel;
}

static int channel_new(void)
{
	return channel_new_in(fd);
}

static void channel_free(int id)
{
	struct nv_channel_free f = { .channel = id };

	NEED(!call(fd, NV_IOCTL_CHANNEL_FREE, &f));
}

static void object_new_in(int file, int id)
{
	struct nv_grobj_alloc o = { .channel = id, .handle = H_M2MF, .class = 0x5039 };

	NEED(!call(file, NV_IOCTL_GROBJ_ALLOC, &o));
}

static void object_new(int id)
{
	object_new_in(fd, id);
}

static void open_channel(void)
{
	uint32_t *w, i;

	fd = node();
	other_fd = node();
	other_channel = channel_new_in(other_fd);
	channel = channel_new();
	push = buffer_new(NV_DOMAIN_GART, 64 * SIDE_KIB);
	w = buffer_map(&push);
	w[0] = MTHD(0, 0x50, 1);	/* REF_CNT */
	w[1] = 1;
	use(0, &push, false);
	for (i = 0; i < MAX_PUSH; i++)
		pushes[i] = (struct nv_pushbuf_push){ .length = 8 };
}

/* --- Rows ------------------------------------------------------------------------ */

static void submits(void)
{
	static const uint32_t sizes[] = { 1, 16, 256, 510 };
	char name[32];
	unsigned int i, k;

	for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		for (i = 0; i < 60; i++) {
			side_begin();
			submit(sizes[k]);
			side_end();
			finish();
		}
		snprintf(name, sizeof(name), "submit/%u", sizes[k]);
		side_row(name);
		for (i = 0; i < 60; i++) {
			side_begin();
			submit(sizes[k]);
			finish();
			side_end();
		}
		snprintf(name, sizeof(name), "fence/%u", sizes[k]);
		side_row(name);
	}
}

/*
 * There is no call that only maps: a second file that imports the buffer maps it. It keeps another
 * one, as an address space without mappings has no page tables and would make them each time. It
 * has a channel, as nothing is flushed for an address space that no engine knows.
 */
static void maps(uint32_t domain, const char *kind, uint64_t size, unsigned int rounds)
{
	struct buffer kept = buffer_new_in(other_fd, domain, 4 * SIDE_KIB);
	struct buffer b = buffer_new(domain, size);
	struct drm_prime_handle out = { .handle = b.handle, .flags = O_CLOEXEC | O_RDWR };
	char map_name[32], unmap_name[32];
	unsigned int i, side;

	snprintf(map_name, sizeof(map_name), "map/%s/%lluK", kind, (unsigned long long)size / 1024);
	snprintf(unmap_name, sizeof(unmap_name), "unmap/%s/%lluK", kind,
		 (unsigned long long)size / 1024);
	NEED(!call(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &out));
	for (side = 0; side < 2; side++) {
		for (i = 0; i < rounds; i++) {
			struct drm_prime_handle in = { .fd = out.fd };

			if (!side)
				side_begin();
			NEED(!call(other_fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &in));
			if (!side)
				side_end();
			else
				side_begin();
			buffer_close(other_fd, in.handle);
			if (side)
				side_end();
		}
		side_row(side ? unmap_name : map_name);
	}
	close(out.fd);
	buffer_close(fd, b.handle);
	buffer_close(other_fd, kept.handle);
}

static void creates(uint32_t domain, const char *kind, uint64_t size, unsigned int rounds)
{
	char name[32], end_name[32];
	unsigned int i, side;

	snprintf(name, sizeof(name), "create+map/%s/%lluK", kind, (unsigned long long)size / 1024);
	snprintf(end_name, sizeof(end_name), "unmap+free/%s/%lluK", kind,
		 (unsigned long long)size / 1024);
	for (side = 0; side < 2; side++) {
		for (i = 0; i < rounds; i++) {
			struct buffer b;

			if (!side)
				side_begin();
			b = buffer_new(domain, size);
			if (!side)
				side_end();
			else
				side_begin();
			buffer_close(fd, b.handle);
			if (side)
				side_end();
		}
		side_row(side ? end_name : name);
	}
}

/* As in side_nvfifo.c; nouveau defers work, too. */
static void lives(uint64_t size, unsigned int rounds)
{
	unsigned int i, sample;
	struct buffer b;
	char name[32];

	snprintf(name, sizeof(name), "life/system/%lluK", (unsigned long long)size / 1024);

	for (sample = 0; sample < 5; sample++) {
		side_begin();
		for (i = 0; i < rounds; i++) {
			b = buffer_new(NV_DOMAIN_GART, size);
			buffer_close(fd, b.handle);
		}
		usleep(SIDE_REST_US);
		side_end();
	}
	side_row(name);
}

static void channels(void)
{
	unsigned int i;
	int id;

	for (i = 0; i < 10; i++) {
		side_begin();
		id = channel_new();
		side_end();
		channel_free(id);
	}
	side_row("channel-create");
	for (i = 0; i < 10; i++) {
		id = channel_new();
		side_begin();
		channel_free(id);
		side_end();
	}
	side_row("channel-destroy");
	for (i = 0; i < 6; i++) {
		id = channel_new();
		if (i)
			side_begin();
		object_new(id);
		if (i)
			side_end();
		channel_free(id);
	}
	side_row("first-object");
}

static uint32_t *method(uint32_t *w, uint32_t mthd, uint32_t data)
{
	*w++ = MTHD(SUBC_M2MF, mthd, 1);
	*w++ = data;
	return w;
}

static void copies(void)
{
	struct nv_notifier_alloc notify = { .channel = channel, .handle = H_NOTIFY, .size = 0x20 };
	struct buffer from, to;
	uint32_t *w = push.map;
	unsigned int i;

	object_new(channel);
	NEED(!call(fd, NV_IOCTL_NOTIFIER_ALLOC, &notify));
	from = buffer_new(NV_DOMAIN_GART, SIDE_MIB);
	to = buffer_new(NV_DOMAIN_GART, SIDE_MIB);
	buffer_map(&from);
	buffer_map(&to);
	use(1, &from, false);
	use(2, &to, true);
	w = method(w, 0, H_M2MF);
	w = method(w, 0x180, H_NOTIFY);
	w = method(w, 0x184, H_GART);
	w = method(w, 0x188, H_GART);
	pushes[0].length = (char *)w - (char *)push.map;
	submit_with(1, 3);
	finish();
	w = push.map;
	w = method(w, 0x200, 1);
	w = method(w, 0x21c, 1);
	w = method(w, 0x314, 4096);
	w = method(w, 0x318, 4096);
	w = method(w, 0x31c, 4096);
	w = method(w, 0x320, 256);
	w = method(w, 0x324, 0x101);
	w = method(w, 0x238, (uint32_t)(from.va >> 32));
	w = method(w, 0x23c, (uint32_t)(to.va >> 32));
	w = method(w, 0x30c, (uint32_t)from.va);
	w = method(w, 0x310, (uint32_t)to.va);
	w = method(w, 0x328, 0);
	pushes[0].length = (char *)w - (char *)push.map;
	for (i = 0; i < 20; i++) {
		memset(from.map, 0x11 + i, SIDE_MIB);
		side_begin();
		submit_with(1, 3);
		finish();
		side_end();
		NEED(!memcmp(from.map, to.map, SIDE_MIB));
	}
	side_row("copy/1024K");
}

/* --- EXEC -------------------------------------------------------------------------- */

struct exec_push {
	uint64_t va;
	uint32_t va_len, flags;
};

struct exec_sync {
	uint32_t flags, handle;
	uint64_t timeline_value;
};

struct exec {
	uint32_t channel, push_count, wait_count, sig_count;
	uint64_t wait_ptr, sig_ptr, push_ptr;
};

struct vm_init {
	uint64_t kernel_addr, kernel_size;
};

#define IOCTL_VM_INIT	_IOWR('d', 0x50, struct vm_init)
#define IOCTL_EXEC	_IOWR('d', 0x52, struct exec)
#define KERNEL_VA	(1ull << 32)

/*
 * VM_BIND cannot map anything on these cards. So the entries point to words of the kernel's own
 * ring that are still zero, which is a command without data. The ring lies at the start of the
 * range that the kernel manages.
 */
static void execs(void)
{
	static const uint32_t sizes[] = { 1, 16, 256, 510 };
	struct vm_init init = { KERNEL_VA, 1ull << 30 };
	struct drm_syncobj_create s = { 0 };
	struct exec_push list[MAX_PUSH];
	struct exec_sync signal;
	struct exec e = {
		.sig_count = 1, .sig_ptr = (uintptr_t)&signal, .push_ptr = (uintptr_t)list,
	};
	struct drm_syncobj_wait wait_done = {
		.handles = (uintptr_t)&s.handle, .count_handles = 1, .timeout_nsec = INT64_MAX,
	};
	unsigned int i, k, side;
	char name[32];

	fd = node();
	if (call(fd, IOCTL_VM_INIT, &init))
		return;

	e.channel = (uint32_t)channel_new();
	NEED(!call(fd, DRM_IOCTL_SYNCOBJ_CREATE, &s));
	signal = (struct exec_sync){ .handle = s.handle };
	for (i = 0; i < MAX_PUSH; i++)
		list[i] = (struct exec_push){ .va = KERNEL_VA + 0xff00, .va_len = 8 };
	for (k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
		e.push_count = sizes[k];
		for (side = 0; side < 2; side++) {
			for (i = 0; i < 60; i++) {
				side_begin();
				NEED(!call(fd, IOCTL_EXEC, &e));
				if (!side)
					side_end();
				NEED(!call(fd, DRM_IOCTL_SYNCOBJ_WAIT, &wait_done));
				if (side)
					side_end();
			}
			snprintf(name, sizeof(name), "%s/%u", side ? "exec-fence" : "exec", sizes[k]);
			side_row(name);
		}
	}
}

/* --- Submits per second ------------------------------------------------------------ */

static void pipelined(void)
{
	unsigned int i;

	for (i = 0; i < PIPELINE; i++)
		submit(1);
	finish();
}

static void one_by_one(void)
{
	submit(1);
	finish();
}

static void rates(void)
{
	static const struct side_worker workers[] = {
		{ open_channel, pipelined, PIPELINE },
		{ open_channel, one_by_one, 1 },
	};
	static const char *const names[] = { "rate-pipelined", "rate-waited" };
	unsigned int i, n;

	for (i = 0; i < 2; i++)
		for (n = 1; n <= 4; n *= 2)
			side_rate(names[i], &workers[i], n);
}

static void memory(void)
{
	creates(NV_DOMAIN_GART, "system", 4 * SIDE_KIB, 20);
	creates(NV_DOMAIN_GART, "system", 1 * SIDE_MIB, 20);
	creates(NV_DOMAIN_GART, "system", 64 * SIDE_MIB, 8);
	lives(4 * SIDE_KIB, 20);
	lives(1 * SIDE_MIB, 20);
	lives(64 * SIDE_MIB, 2);
	creates(NV_DOMAIN_VRAM, "vram", 64 * SIDE_KIB, 20);
	creates(NV_DOMAIN_VRAM, "vram", 1 * SIDE_MIB, 8);
	creates(NV_DOMAIN_VRAM, "vram", 64 * SIDE_MIB, 6);
}

static void calls(void)
{
	unsigned int i;

	for (i = 0; i < 200; i++) {
		side_begin();
		syscall(SYS_getppid);
		side_end();
	}
	side_row("getppid");
	open_channel();
	submits();
	maps(NV_DOMAIN_GART, "system", 4 * SIDE_KIB, 20);
	maps(NV_DOMAIN_GART, "system", 64 * SIDE_MIB, 10);
	channels();
	copies();
	object_new_in(other_fd, other_channel);
	maps(NV_DOMAIN_GART, "system-pgraph", 4 * SIDE_KIB, 20);
	memory();
	execs();
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";

	if (!strcmp(part, "rates")) {
		rates();
	} else if (!strcmp(part, "memory")) {
		open_channel();
		channels();
		memory();
	} else {
		calls();
	}

	return 0;
}
