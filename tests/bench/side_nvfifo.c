// SPDX-License-Identifier: MIT
/* The rows of side.h for nvfifo: system calls without the library */
#include "../rig/rig.h"
#include "side.h"

#define SEM		0x1234
#define MAX_ENTRIES	4094
#define PIPELINE	32
#define ORDER		12
#define VA		(4 * GIB)

static struct nv nv;
static uint32_t vm;
static struct ch ch;
static struct drm_nvfifo_entry entries[MAX_ENTRIES];
static struct drm_nvfifo_sync signal_done;
static struct drm_nvfifo_submit args;

static void submit(uint32_t n)
{
	args.entries.count = n;
	if (ioctl(nv.fd, DRM_IOCTL_NVFIFO_SUBMIT, &args))
		give_up(__FILE__, __LINE__, "SUBMIT of %u: %s", n, strerror(errno));
}

static void finish(void)
{
	need(!sync_wait_ms(&nv, ch.done, WAIT_MS), "the work ends");
}

static void open_channel(void)
{
	uint64_t at;
	uint32_t i;

	nv_open(&nv);
	vm = new_vm(&nv);
	ch = ch_order(&nv, vm, ORDER);
	p_ref(&ch, 1);
	at = ch.push_va;
	for (i = 0; i < MAX_ENTRIES; i++)
		entries[i] = (struct drm_nvfifo_entry){ .address = at, .words = 2 };
	signal_done = (struct drm_nvfifo_sync){
		.flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = ch.done,
	};
	args = (struct drm_nvfifo_submit){
		.channel_id = ch.id,
		.entries = { .stride = sizeof(entries[0]), .ptr = (uintptr_t)entries },
		.syncs = { .stride = sizeof(signal_done), .count = 1, .ptr = (uintptr_t)&signal_done },
	};
}

/* --- Rows ------------------------------------------------------------------------ */

static void submits(void)
{
	static const uint32_t sizes[] = { 1, 16, 256, 510, 4094 };
	char name[32];
	unsigned int i, k;

	for (k = 0; k < ARRAY_SIZE(sizes); k++) {
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

/* CHANNEL_WAIT looks for a moment before it sleeps. */
static void waits(void)
{
	static const uint32_t sizes[] = { 1, 16, 256, 510 };
	struct drm_nvfifo_channel_wait w = {
		.channel_id = ch.id, .flags = DRM_NVFIFO_WAIT_SUBMIT,
	};
	char name[32];
	unsigned int i, k;

	for (k = 0; k < ARRAY_SIZE(sizes); k++) {
		for (i = 0; i < 60; i++) {
			side_begin();
			submit(sizes[k]);
			w.value = (uint32_t)args.seqno;
			w.timeout_ns = INT64_MAX;
			need(!ioctl(nv.fd, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w), "CHANNEL_WAIT");
			side_end();
		}
		snprintf(name, sizeof(name), "channel-wait/%u", sizes[k]);
		side_row(name);
	}
}

/* The cost of a mapping of an existing buffer in a second address space. */
static void maps(uint32_t domain, const char *kind, uint64_t size, unsigned int rounds)
{
	struct drm_nvfifo_vm_bind_op there, back = op_unmap(VA, size);
	char map_name[32], unmap_name[32];
	unsigned int i, side;
	struct bo bo;

	snprintf(map_name, sizeof(map_name), "map/%s/%lluK", kind, (unsigned long long)size / 1024);
	snprintf(unmap_name, sizeof(unmap_name), "unmap/%s/%lluK", kind,
		 (unsigned long long)size / 1024);
	need(!bo_create(&nv, &bo, domain, size), "BO_CREATE");
	there = op_map(&bo, VA);
	need(!vm_bind(&nv, vm, &there, 1) && !vm_bind(&nv, vm, &back, 1), "VM_BIND");
	for (side = 0; side < 2; side++) {
		for (i = 0; i < rounds; i++) {
			if (!side)
				side_begin();
			vm_bind(&nv, vm, &there, 1);
			if (!side)
				side_end();
			else
				side_begin();
			vm_bind(&nv, vm, &back, 1);
			if (side)
				side_end();
		}
		side_row(side ? unmap_name : map_name);
	}
	bo_close(&nv, bo.handle);
}

static void creates(uint32_t domain, const char *kind, uint64_t size, unsigned int rounds)
{
	struct drm_nvfifo_vm_bind_op there, back = op_unmap(VA, size);
	char name[32], end_name[32];
	unsigned int i, side;
	struct bo bo;

	snprintf(name, sizeof(name), "create+map/%s/%lluK", kind, (unsigned long long)size / 1024);
	snprintf(end_name, sizeof(end_name), "unmap+free/%s/%lluK", kind,
		 (unsigned long long)size / 1024);
	for (side = 0; side < 2; side++) {
		for (i = 0; i < rounds; i++) {
			if (!side)
				side_begin();
			need(!bo_create(&nv, &bo, domain, size), "BO_CREATE");
			there = op_map(&bo, VA);
			need(!vm_bind(&nv, vm, &there, 1), "VM_BIND");
			if (!side)
				side_end();
			else
				side_begin();
			vm_bind(&nv, vm, &back, 1);
			bo_close(&nv, bo.handle);
			if (side)
				side_end();
		}
		side_row(side ? end_name : name);
	}
}

/* The whole cost of buffers, with the work of the kernel after the calls. */
static void lives(uint64_t size, unsigned int rounds)
{
	struct drm_nvfifo_vm_bind_op there, back = op_unmap(VA, size);
	unsigned int i, sample;
	char name[32];
	struct bo bo;

	snprintf(name, sizeof(name), "life/system/%lluK", (unsigned long long)size / 1024);

	for (sample = 0; sample < 5; sample++) {
		side_begin();
		for (i = 0; i < rounds; i++) {
			need(!bo_create(&nv, &bo, DRM_NVFIFO_DOMAIN_SYSTEM, size), "BO_CREATE");
			there = op_map(&bo, VA);
			need(!vm_bind(&nv, vm, &there, 1), "VM_BIND");
			vm_bind(&nv, vm, &back, 1);
			bo_close(&nv, bo.handle);
		}
		usleep(SIDE_REST_US);
		side_end();
	}
	side_row(name);
}

static void channels(void)
{
	unsigned int i;
	uint32_t id;

	for (i = 0; i < 10; i++) {
		side_begin();
		need(!chan_create(&nv, vm, 0, &id), "CHANNEL_CREATE");
		side_end();
		chan_destroy(&nv, id);
	}
	side_row("channel-create");
	for (i = 0; i < 10; i++) {
		need(!chan_create(&nv, vm, 0, &id), "CHANNEL_CREATE");
		side_begin();
		chan_destroy(&nv, id);
		side_end();
	}
	side_row("channel-destroy");
	for (i = 0; i < 6; i++) {
		need(!chan_create(&nv, vm, 0, &id), "CHANNEL_CREATE");
		if (i)
			side_begin();
		need(!graph_object_new(&nv, id, GRAPH_M2MF_HANDLE, 0x5039), "OBJECT_CREATE");
		/* The first one of all sets PGRAPH up, too. */
		if (i)
			side_end();
		chan_destroy(&nv, id);
	}
	side_row("first-object");
}

#define LAUNCH	(4 * MIB)

static void copies(uint64_t size, unsigned int rounds)
{
	const uint64_t launch = size < LAUNCH ? size : LAUNCH;
	struct bo from = sys_bo(&nv, size), to = sys_bo(&nv, size);
	const uint64_t from_va = map(&nv, vm, &from), to_va = map(&nv, vm, &to);
	char name[32];
	unsigned int i;
	uint64_t at;

	ch_rewind(&ch);
	graph_m2mf_format(&ch, 4096, (uint32_t)(launch / 4096), 4096);
	for (at = 0; at < size; at += launch)
		graph_m2mf_launch(&ch, from_va + at, to_va + at);
	entries[0].words = ch.n;
	for (i = 0; i < rounds; i++) {
		memset(from.map, 0x11 + i, size);
		side_begin();
		submit(1);
		finish();
		side_end();
		need(!memcmp(from.map, to.map, size), "the copy is right");
	}
	snprintf(name, sizeof(name), "copy/%lluK", (unsigned long long)size / 1024);
	side_row(name);
}

/* From here on the address space is known to PGRAPH. */
static void bind_m2mf(void)
{
	ch_rewind(&ch);
	graph_bind_m2mf(&ch);
	need(ch_run(&ch) == 1, "binding M2MF");
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

static struct {
	volatile uint32_t *ring, *control, *word;
	uint64_t segments;
	uint32_t put, seq;
} uq;

/* A user queue whose two segments release 1 and 2 to a word that is polled. */
static void open_queue(void)
{
	struct drm_nvfifo_channel_create c = {
		.flags = DRM_NVFIFO_CHANNEL_USER_QUEUE, .ring_order = ORDER,
	};
	struct bo ring, words;
	uint32_t i, *w;
	void *page;

	open_channel();
	c.vm_id = vm;
	ring = sys_bo(&nv, 8ull << ORDER);
	words = sys_bo(&nv, 4096);
	c.start = map(&nv, vm, &ring);
	uq.segments = map(&nv, vm, &words) + 1024;
	need(!chan_create_args(&nv, &c), "CHANNEL_CREATE with a user queue");
	need(!object_dma(&nv, c.id, SEM, uq.segments - 1024, 4096), "OBJECT_CREATE");
	uq.ring = ring.map;
	uq.word = words.map;
	w = words.map + 256;
	for (i = 1; i <= 2; i++) {
		*w++ = cmd_word(0, NVFIFO_MTHD_DMA_SEMAPHORE, 2);
		*w++ = SEM;
		*w++ = 0;
		*w++ = cmd_word(0, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1);
		*w++ = i;
		*w++ = 0;
		*w++ = 0;
		*w++ = 0;
	}
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, nv.fd, (off_t)c.control_offset);
	need(page != MAP_FAILED, "mmap of the control page: %s", strerror(errno));
	uq.control = page;
}

static void push(void)
{
	uint64_t at = uq.segments + uq.seq++ % 2 * 32;

	uq.ring[uq.put * 2] = (uint32_t)at;
	uq.ring[uq.put * 2 + 1] = (uint32_t)(at >> 32) | 8 << 10;
	uq.put = (uq.put + 1) & ((1u << ORDER) - 1);
	__sync_synchronize();
	uq.control[0x8c / 4] = uq.put;
}

static void wait_push(void)
{
	while (*uq.word != (uq.seq - 1) % 2 + 1)
		;
}

/* The word alternates, so that an even number of pushes would be seen before its last one. */
static void queue_pipelined(void)
{
	unsigned int i;

	for (i = 0; i < PIPELINE; i++)
		push();
	while (uq.control[0x88 / 4] != uq.put)
		;
	wait_push();
}

static void queue_one_by_one(void)
{
	push();
	wait_push();
}

static void queue_calls(void)
{
	unsigned int i;

	open_queue();
	for (i = 0; i < 60; i++) {
		side_begin();
		push();
		side_end();
		wait_push();
	}
	side_row("queue-submit/1");
	for (i = 0; i < 60; i++) {
		side_begin();
		queue_one_by_one();
		side_end();
	}
	side_row("queue-fence/1");
}

static void rates(void)
{
	static const struct side_worker workers[] = {
		{ open_channel, pipelined, PIPELINE },
		{ open_channel, one_by_one, 1 },
		{ open_queue, queue_pipelined, PIPELINE },
		{ open_queue, queue_one_by_one, 1 },
	};
	static const char *const names[] = {
		"rate-pipelined", "rate-waited", "queue-rate-pipelined", "queue-rate-waited",
	};
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(workers); i++)
		for (n = 1; n <= 4; n *= 2)
			side_rate(names[i], &workers[i], n);
}

static void memory(void)
{
	creates(DRM_NVFIFO_DOMAIN_SYSTEM, "system", 4 * KIB, 20);
	creates(DRM_NVFIFO_DOMAIN_SYSTEM, "system", 1 * MIB, 20);
	creates(DRM_NVFIFO_DOMAIN_SYSTEM, "system", 64 * MIB, 8);
	lives(4 * KIB, 20);
	lives(1 * MIB, 20);
	lives(64 * MIB, 2);
	creates(DRM_NVFIFO_DOMAIN_VRAM, "vram", 64 * KIB, 20);
	creates(DRM_NVFIFO_DOMAIN_VRAM, "vram", 1 * MIB, 8);
	creates(DRM_NVFIFO_DOMAIN_VRAM, "vram", 64 * MIB, 6);
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
	waits();
	maps(DRM_NVFIFO_DOMAIN_SYSTEM, "system", 4 * KIB, 20);
	maps(DRM_NVFIFO_DOMAIN_SYSTEM, "system", 64 * MIB, 10);
	channels();
	bind_m2mf();
	copies(MIB, 20);
	copies(64 * MIB, 6);
	maps(DRM_NVFIFO_DOMAIN_SYSTEM, "system-pgraph", 4 * KIB, 20);
	memory();
	queue_calls();
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
