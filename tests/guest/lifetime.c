// SPDX-License-Identifier: MIT
/*
 * Lifetimes: closed files, killed processes, a removed card, and the destruction of buffers,
 * address spaces and channels in any order. Also the exhaustion of each resource.
 *
 * Guards the kernel: lifetimes and limits (threat-model.rst), on one chip.
 */
#include "raw.h"

#include <linux/dma-heap.h>
#include <linux/udmabuf.h>

#define SEM 0x1234

static struct nv nv;
static uint32_t vm;
static struct ch ch;

static void world(void)
{
	nv_open(&nv);
	vm = new_vm(&nv);
	ch = ch_new(&nv, vm);
}

/* A channel of its own file that waits for a word that is never written. */
struct stuck {
	struct nv nv;
	struct ch ch;
	uint32_t *data;			/* a mapping that does not keep the file */
	int fence;			/* sync file of its work */
};

static void stuck_new(struct stuck *s)
{
	struct bo bo;
	uint32_t v;

	nv_open(&s->nv);
	v = new_vm(&s->nv);
	s->ch = ch_new(&s->nv, v);
	s->ch.nv = &s->nv;
	need(!bo_create(&s->nv, &bo, DRM_NVFIFO_DOMAIN_SYSTEM, 4096), "BO_CREATE");

	s->data = bo_map_apart(&s->nv, &bo);
	new_object(&s->ch, SEM, map(&s->nv, v, &bo), 4096);
	p_acquire(&s->ch, SEM, 0, 0xffff1111);
	p_release(&s->ch, SEM, 4, 0xbad);
	need(!ch_submit(&s->ch), "SUBMIT");
	s->fence = sync_export(&s->nv, s->ch.done);
	need(s->fence >= 0, "export of a sync file");
	msleep(HOLD_MS);
}

/* Check that the card works for a new client. */
static bool card_works(void)
{
	struct nv n;
	struct ch c;
	bool ok;

	nv_open(&n);
	c = ch_new(&n, new_vm(&n));
	ok = ch_works(&c);
	nv_close(&n);
	return ok;
}

/* --- Files and processes -------------------------------------------------------- */

static void t_close_busy(void)
{
	struct stuck s;
	int status;

	world();
	stuck_new(&s);
	equal(sync_status(&s.nv, s.ch.done), 0, "work is in flight");
	nv_close(&s.nv);
	status = sync_file_finish(s.fence);
	check(status == -ECANCELED, "close with work in flight: the fence ends with ECANCELED (%d)",
	      status);
	s.data[0] = 0xffff1111;
	msleep(HOLD_MS);
	equal(s.data[1], 0, "the work does not go on when its word comes");
	check(ch_works(&ch), "another file's channel works");
	check(card_works(), "a new file works");
	close(s.fence);
	munmap(s.data, 4096);
}

/* Runs in a child that is killed at some point of it. */
static void submit_for_ever(int ready)
{
	struct nv n;
	struct ch c[3];
	uint32_t i, v;

	nv_open(&n);
	v = new_vm(&n);

	for (i = 0; i < 3; i++)
		c[i] = ch_new(&n, v);

	if (write(ready, "x", 1) != 1)
		_exit(1);

	for (i = 0;; i++) {
		struct ch *k = &c[i % 3];
		struct bo bo = sys_bo(&n, 8192);
		uint64_t va = map(&n, v, &bo);

		if (k->n > PUSH_BYTES / 8)
			ch_rewind(k);
		p_ref(k, i);
		ch_submit(k);
		if (i % 16 == 15)
			sync_finish(&n, k->done);
		vm_unmap(&n, v, va, bo.size);
		bo_unmap(&bo);
		bo_close(&n, bo.handle);
	}
}

static pid_t start_child(void (*fn)(int ready))
{
	int p[2];
	char b;
	pid_t pid;

	need(!pipe2(p, O_CLOEXEC), "pipe");
	pid = fork();
	need(pid >= 0, "fork");

	if (!pid) {
		/* Its results do not count: the process only disturbs. */
		tap_env_set = false;
		alarm(0);
		if (!freopen("/dev/null", "w", stdout))
			_exit(1);
		fn(p[1]);
		_exit(0);
	}

	close(p[1]);
	if (read(p[0], &b, 1) != 1)
		diag("the child did not get ready");

	close(p[0]);

	return pid;
}

static void t_kill(void)
{
	uint64_t free;
	uint32_t i;
	bool ok = true;

	world();
	free = vram_free(&nv);

	for (i = 0; i < 6 && ok; i++) {
		pid_t pid = start_child(submit_for_ever);
		int status;

		msleep(10 + i * 23);
		kill(pid, SIGKILL);
		ok = waitpid(pid, &status, 0) == pid && WIFSIGNALED(status);
		ok = ok && ch_works(&ch);
	}

	check(ok, "processes that are killed in the middle of submitting");
	vram_wait(&nv, free);

	equal(vram_free(&nv), free, "free VRAM is the same as before");
	check(card_works(), "a new file works");
}

static void wait_for_ever(int ready)
{
	struct stuck s;

	stuck_new(&s);
	if (write(ready, "x", 1) != 1)
		_exit(1);
	sync_wait_ms(&s.nv, s.ch.done, 3600 * 1000);
}

static void t_kill_waiter(void)
{
	pid_t pid;
	int status;

	world();
	pid = start_child(wait_for_ever);
	msleep(HOLD_MS);
	kill(pid, SIGKILL);
	check(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status),
	      "a process is killed while it waits for a fence");
	check(ch_works(&ch), "another file's channel works");
}

/* A forked child has the same file: same identifiers, and the file lives on. */
static void t_fork(void)
{
	uint32_t *shared;
	int status;
	pid_t pid;

	world();
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(shared != MAP_FAILED, "mmap");
	check(ch_works(&ch), "the parent's channel works");
	pid = fork();
	need(pid >= 0, "fork");
	if (!pid) {
		uint32_t id;

		tap_env_set = false;
		*shared = ch_works(&ch) && !vm_create(&nv, &id) && !vm_destroy(&nv, id);
		_exit(0);
	}

	check(waitpid(pid, &status, 0) == pid && *shared, "the child uses it");
	check(ch_works(&ch), "the child's end does not end it");

	*shared = 0;
	pid = fork();
	need(pid >= 0, "fork");

	if (!pid) {
		tap_env_set = false;
		while (!*(volatile uint32_t *)shared)
			msleep(2);
		*shared = ch_works(&ch) ? 2 : 3;
		_exit(0);
	}

	nv_close(&nv);
	*(volatile uint32_t *)shared = 1;
	check(waitpid(pid, &status, 0) == pid && *(volatile uint32_t *)shared == 2,
	      "the child uses it after the parent has closed it");
	munmap(shared, 4096);
	check(card_works(), "a new file works");
}

static void t_many_files(void)
{
	uint64_t free;
	uint32_t i;
	bool ok = true;

	world();
	free = vram_free(&nv);

	for (i = 0; i < 60 && ok; i++) {
		struct nv n;
		struct bo bo;

		nv_open(&n);
		bo = sys_bo(&n, 8192);
		map(&n, new_vm(&n), &bo);
		new_vm(&n);
		if (i % 12 == 0)
			vram_bo(&n, 64 * KIB);
		nv_close(&n);
	}

	check(ok, "60 files are opened, used and closed");
	equal(vram_free(&nv), free, "free VRAM is the same as before");
	check(ch_works(&ch), "the channel works");
}

/* --- The order in which things go -------------------------------------------------- */

static void t_vm_before_channel(void)
{
	struct bo data;
	struct ch c;
	uint32_t v;
	uint64_t va;

	world();
	v = new_vm(&nv);
	c = ch_new(&nv, v);
	data = sys_bo(&nv, 4096);
	va = map(&nv, v, &data);
	new_object(&c, SEM, va, 4096);
	p_acquire(&c, SEM, 0, 5);
	p_release(&c, SEM, 4, 6);
	need(!ch_submit(&c), "SUBMIT");
	equal(vm_destroy(&nv, v), 0, "VM_DESTROY with work in flight");
	check(vm_unmap(&nv, v, va, 4096) == -ENOENT, "it has no name any more");
	msleep(HOLD_MS);
	equal(sync_status(&nv, c.done), 0, "the work goes on");
	data.map[0] = 5;
	equal((uint32_t)sync_finish(&nv, c.done), 1, "to its end");
	equal(data.map[1], 6, "with its mappings in place");
	check(ch_works(&c), "the channel takes more");
	equal(chan_destroy(&nv, c.id), 0, "CHANNEL_DESTROY");
}

static void t_bo_while_mapped(void)
{
	uint64_t free, va;
	struct bo s, v;

	world();
	s = sys_bo(&nv, 4096);
	va = map(&nv, vm, &s);
	new_object(&ch, SEM, va, 4096);
	equal(bo_close(&nv, s.handle), 0, "GEM_CLOSE of a mapped BO");
	p_release(&ch, SEM, 0, 0xc105ed);
	equal((uint32_t)ch_run(&ch), 1, "the mapping stays");
	equal(s.map[0], 0xc105ed, "the CPU's too");
	bo_unmap(&s);
	p_release(&ch, SEM, 0, 0xc105ee);
	equal((uint32_t)ch_run(&ch), 1, "and stays without the CPU's");
	equal(vm_unmap(&nv, vm, va, 4096), 0, "it can be unmapped");

	free = vram_free(&nv);
	v = vram_bo(&nv, 128 * KIB);
	va = map(&nv, vm, &v);
	bo_close(&nv, v.handle);
	equal(free - vram_free(&nv), 128 * KIB, "closed VRAM that is mapped is not given back");
	vm_unmap(&nv, vm, va, v.size);
	equal(vram_free(&nv), free, "but is when it is unmapped");

	v = vram_bo(&nv, 128 * KIB);
	{
		uint32_t other = new_vm(&nv);

		map(&nv, other, &v);
		map(&nv, other, &v);
		bo_close(&nv, v.handle);
		equal(vm_destroy(&nv, other), 0, "VM_DESTROY with mappings in it");
		equal(vram_free(&nv), free, "gives them back");
	}

	check(ch_works(&ch), "the channel works");
}

/* --- Contents of memory -------------------------------------------------------------- */

static void t_mmap(void)
{
	struct bo bo;
	uint32_t i, round;
	bool zero = true;
	struct nv n;
	void *p;

	world();

	for (round = 0; round < 3; round++) {
		bo = sys_bo(&nv, 1 * MIB);
		for (i = 0; i < bo.size / 4; i++)
			zero &= !bo.map[i];
		memset(bo.map, 0xa5, bo.size);
		bo_unmap(&bo);
		bo_mmap(&nv, &bo);
		check(bo.map[0] == 0xa5a5a5a5 && bo.map[bo.size / 4 - 1] == 0xa5a5a5a5,
		      "the written words are there in another mapping");
		bo_unmap(&bo);
		if (round < 2)
			bo_close(&nv, bo.handle);
	}

	check(zero, "system memory is zeroed, also when it was in use before");

	p = mmap(NULL, bo.size + 4096, PROT_READ, MAP_SHARED, nv.fd, (off_t)bo.offset);
	check(p == MAP_FAILED, "no mapping past the end of a BO");
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, nv.fd, 0);
	check(p == MAP_FAILED, "no mapping at offset 0");
	nv_open(&n);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, n.fd, (off_t)bo.offset);
	check(p == MAP_FAILED, "no mapping of another file's BO");
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, nv.fd, (off_t)bo.offset + 4096);
	check(p == MAP_FAILED || ((uint32_t *)p)[0] == 0xa5a5a5a5, "a mapping from its middle");
	if (p != MAP_FAILED)
		munmap(p, 4096);
}

/* A process must not read the VRAM contents of an earlier one. */
static void t_vram_zeroed(void)
{
	const uint64_t size = 128 * KIB;
	uint32_t round, i;
	bool dirty = true, clean = true;

	world();

	for (round = 0; round < 3; round++) {
		struct bo v = vram_bo(&nv, size);
		uint64_t va = map(&nv, vm, &v);

		for (i = 0; i < size / (64 * KIB); i++)
			new_object(&ch, 0x40 + i, va + i * 64 * KIB, 64 * KIB);
		for (i = 0; i < 16; i++)
			p_acquire(&ch, 0x40 + i / 8, i % 8 * 0x2000, 0);
		if (ch_run(&ch) != 1) {
			clean = false;
			break;
		}

		for (i = 0; i < 16; i++)
			p_release(&ch, 0x40 + i / 8, i % 8 * 0x2000, 0xd127 + i);
		dirty &= ch_run(&ch) == 1;
		for (i = 0; i < size / (64 * KIB); i++)
			object_destroy(&nv, ch.id, 0x40 + i);
		vm_unmap(&nv, vm, va, size);
		bo_close(&nv, v.handle);
	}

	check(dirty, "VRAM is written");
	check(clean, "and zeroed when it is given out again");
}

/* --- Other people's buffers -------------------------------------------------------------- */

static void t_dma_buf(void)
{
	struct drm_nvfifo_bo_info info = { 0 };
	struct bo a, b = { 0 };
	volatile uint32_t *apart;
	struct nv n;
	struct ch c;
	uint32_t v;
	int fd;

	world();
	a = sys_bo(&nv, 64 * KIB);
	apart = bo_map_apart(&nv, &a);
	fd = prime_export(&nv, a.handle);
	need(fd >= 0, "PRIME_HANDLE_TO_FD: %s", strerror(-fd));
	nv_open(&n);
	equal(prime_import(&n, fd, &b.handle), 0, "import of another file's BO");
	info.handle = b.handle;
	check(!nv_ioctl(n.fd, DRM_IOCTL_NVFIFO_BO_INFO, &info) && info.size == a.size &&
	      info.domain == DRM_NVFIFO_DOMAIN_SYSTEM, "BO_INFO of it");

	b.size = info.size;
	b.offset = info.mmap_offset;
	v = new_vm(&n);
	c = ch_new(&n, v);
	new_object(&c, SEM, map(&n, v, &b), b.size);
	p_release(&c, SEM, 0x100, 0x511a);
	equal((uint32_t)ch_run(&c), 1, "the other file's channel writes it");
	equal(a.map[0x40], 0x511a, "the first file sees that");
	equal(apart[0x40], 0x511a, "so does a mapping of the dma-buf");

	nv_close(&nv);
	close(fd);
	p_release(&c, SEM, 0x104, 0x511b);
	equal((uint32_t)ch_run(&c), 1, "and still when the first file is closed");
	equal(apart[0x41], 0x511b, "the dma-buf lives on");
	bo_mmap(&n, &b);
	check(b.map[0x40] == 0x511a && b.map[0x41] == 0x511b, "mmap of the imported BO");
	nv_close(&n);
	equal(apart[0x41], 0x511b, "also when the second file is closed");
	munmap((void *)apart, a.size);
	check(card_works(), "a new file works");
}

static void t_dma_buf_vram(void)
{
	struct bo v, b = { .size = 64 * KIB };
	uint64_t va, free;
	struct nv n;
	struct ch c;
	int fd;

	world();
	nv_open(&n);
	c = ch_new(&n, new_vm(&n));
	free = vram_free(&n);
	v = vram_bo(&nv, b.size);
	va = map(&nv, vm, &v);
	fd = prime_export(&nv, v.handle);
	need(fd >= 0, "PRIME_HANDLE_TO_FD of VRAM: %s", strerror(-fd));
	equal(prime_import(&n, fd, &b.handle), 0, "VRAM is shared between files");

	close(fd);
	new_object(&ch, SEM, va, v.size);
	new_object(&c, SEM, map(&n, c.vm, &b), b.size);
	p_release(&ch, SEM, 0x4440, 0x5a);
	equal((uint32_t)ch_run(&ch), 1, "one file's channel writes it");
	p_acquire(&c, SEM, 0x4440, 0x5a);
	p_release(&c, SEM, 0x4444, 0x5b);
	equal((uint32_t)ch_run(&c), 1, "another file's channel reads it, and writes");
	p_acquire(&ch, SEM, 0x4444, 0x5b);
	equal((uint32_t)ch_run(&ch), 1, "which the first one reads");
	nv_close(&nv);
	p_acquire(&c, SEM, 0x4440, 0x5a);
	equal((uint32_t)ch_run(&c), 1, "it stays when the first file is closed");
	check(free - vram_free(&n) >= b.size, "and its memory with it");
	bo_close(&n, b.handle);
	p_acquire(&c, SEM, 0x4444, 0x5b);
	equal((uint32_t)ch_run(&c), 1, "the mapping keeps it");
	nv_close(&n);
	check(card_works(), "a new file works");
}

/* Imported system memory, with the exporter's scatter lists. */
static void t_dma_buf_foreign(void)
{
	struct dma_heap_allocation_data h = { .len = 256 * KIB, .fd_flags = O_RDWR | O_CLOEXEC };
	int heap = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);
	struct bo b = { .size = 256 * KIB };
	uint32_t *p, i;
	uint64_t va;
	bool ok = true;
	int fd;

	world();
	if (heap < 0) {
		skip("foreign dma-bufs # SKIP no dma_heap");
		return;
	}

	need(!nv_ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &h), "DMA_HEAP_IOCTL_ALLOC");
	fd = (int)h.fd;
	p = mmap(NULL, b.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(p != MAP_FAILED, "mmap of a dma-buf");
	equal(prime_import(&nv, fd, &b.handle), 0, "import of a foreign dma-buf");

	va = map(&nv, vm, &b);

	for (i = 0; i < 4; i++)
		new_object(&ch, 0x50 + i, va + i * 64 * KIB, 64 * KIB);

	for (i = 0; i < 64; i++)
		p_release(&ch, 0x50 + i / 16, i % 16 * 4096 + i * 4, 0xf0e0 + i);

	equal((uint32_t)ch_run(&ch), 1, "the card writes to it");

	for (i = 0; i < 64; i++)
		ok &= p[i * 1024 + i] == 0xf0e0 + i;

	check(ok, "every page is where it should be");

	close(fd);
	munmap(p, b.size);
	p_release(&ch, 0x50, 0, 1);
	equal((uint32_t)ch_run(&ch), 1, "the mapping keeps it");

	bo_close(&nv, b.handle);
	vm_unmap(&nv, vm, va, b.size);
	close(heap);
	check(ch_works(&ch), "the channel works");
}

/* A file's pages as a dma-buf, through udmabuf. Sets @memory to the file. */
static int file_export(uint64_t size, int *memory)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = size };
	int dev = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), fd;

	if (dev < 0)
		return -errno;

	*memory = memfd_create("pages", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	need(*memory >= 0 && !ftruncate(*memory, (off_t)size) &&
		     !fcntl(*memory, F_ADD_SEALS, F_SEAL_SHRINK),
	     "a file in memory: %s", strerror(errno));

	create.memfd = (uint32_t)*memory;
	fd = ioctl(dev, UDMABUF_CREATE, &create);
	need(fd >= 0, "UDMABUF_CREATE: %s", strerror(errno));
	close(dev);

	return fd;
}

/* Import a file's pages, and map them as SEM. Return: their dma-buf, or negative after a skip. */
static int file_import(struct bo *b, int *memory)
{
	int fd;

	world();
	fd = file_export(b->size, memory);
	if (fd < 0) {
		skip("a file's pages # SKIP no udmabuf (%s)", strerror(-fd));
		return fd;
	}

	equal(prime_import(&nv, fd, &b->handle), 0, "import of a file's pages");
	new_object(&ch, SEM, map(&nv, vm, b), b->size);

	return fd;
}

#define FILE_PAGES	16
#define WITNESS_WORD	0x600dda7a

/* Let the card write to the pages that the file had. */
static void pages_write(uint32_t word)
{
	uint32_t i;

	for (i = 0; i < FILE_PAGES; i++)
		p_release(&ch, SEM, i * 4 * KIB, word);

	equal((uint32_t)ch_run(&ch), 1, "the card writes to its mapping");
}

/*
 * A file's pages are mapped for the card. Then the file loses them, and nothing but the card's
 * mapping refers to the dma-buf. The kernel must not give the pages to the witness.
 */
static void t_udmabuf(void)
{
	const uint64_t size = FILE_PAGES * 4 * KIB, free_bytes = 64 * MIB;
	struct bo b = { .size = size };
	uint32_t *witness, *shown, bad = 0;
	int fd, memory;
	uint64_t i;

	fd = file_import(&b, &memory);
	if (fd < 0)
		return;

	shown = mmap(NULL, size, PROT_READ, MAP_SHARED, memory, 0);
	need(shown != MAP_FAILED, "mmap of the file");
	pages_write(1);
	equal(shown[0] + shown[(size - 4 * KIB) / 4], 2, "the file shows the words");
	munmap(shown, size);

	check(ftruncate(memory, 0) && errno == EPERM, "the file cannot be cut");
	need(!fallocate(memory, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)size),
	     "a hole: %s", strerror(errno));
	close(memory);
	close(fd);
	need(!bo_close(&nv, b.handle), "GEM_CLOSE");

	witness = mmap(NULL, free_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	need(witness != MAP_FAILED, "mmap");
	for (i = 0; i < free_bytes / 4; i++)
		witness[i] = WITNESS_WORD;

	pages_write(2);
	for (i = 0; i < free_bytes / 4; i++)
		bad += witness[i] != WITNESS_WORD;

	equal(bad, 0, "the pages are nobody else's");
	munmap(witness, free_bytes);
	nv_close(&nv);
}

/* The card goes while a file's pages are mapped for it. Their owner keeps them. */
static void t_udmabuf_unbind(void)
{
	const uint64_t size = FILE_PAGES * 4 * KIB;
	struct bo b = { .size = size };
	int fd, memory;
	uint32_t *p;

	fd = file_import(&b, &memory);
	if (fd < 0)
		return;

	pages_write(1);
	equal((uint32_t)card_bind(false), 0, "unbind");

	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	check(p != MAP_FAILED && p[0] == 1, "the dma-buf shows the words");
	munmap(p, size);
	close(fd);
	close(memory);
	nv_close(&nv);
	equal((uint32_t)card_bind(true), 0, "bind");
	check(card_works(), "a new file works");
}

/* --- Running out --------------------------------------------------------------------------- */

static void t_out_of_vram(void)
{
	struct bo bo[1024], extra;
	uint64_t free, size;
	uint32_t n = 0, i;
	int ret = 0;

	world();
	free = vram_free(&nv);
	check(bo_create(&nv, &extra, DRM_NVFIFO_DOMAIN_VRAM, free + 64 * KIB) == -ENOSPC,
	      "more VRAM than is free: ENOSPC");
	equal(vram_free(&nv), free, "free VRAM is the same as before");

	for (size = 4 * MIB; size >= 64 * KIB; size /= 4)
		while (n < ARRAY_SIZE(bo) &&
		       !(ret = bo_create(&nv, &bo[n], DRM_NVFIFO_DOMAIN_VRAM, size)))
			n++;

	refused(ret, ENOSPC, "the last piece of VRAM is gone");
	equal(vram_free(&nv), 0, "none is free");
	check(ch_works(&ch), "a channel works without VRAM");
	check(card_works(), "a new one too");

	/* Free every second one: enough memory in sum, but not in one extent. */
	for (i = 0; i < n; i += 2)
		bo_close(&nv, bo[i].handle);

	refused(bo_create_flags(&nv, &extra, DRM_NVFIFO_DOMAIN_VRAM,
				DRM_NVFIFO_BO_CONTIGUOUS, vram_free(&nv)), ENOSPC,
		"VRAM is in pieces");

	for (i = 1; i < n; i += 2)
		bo_close(&nv, bo[i].handle);

	equal(vram_free(&nv), free, "all of it is back");
	check(!bo_create(&nv, &extra, DRM_NVFIFO_DOMAIN_VRAM, 64 * KIB), "and can be used");
	check(ch_works(&ch), "the channel works");
}

static void t_out_of_channels(void)
{
	uint32_t id[130], n = 0, i, extra, round;
	struct ch c[2];
	struct nv n2;
	bool ok;
	int ret;

	world();

	for (round = 0; round < 2; round++) {
		for (n = 0; n < 130; n++) {
			ret = chan_create(&nv, vm, nv.lim.ring_order_min, &id[n]);
			if (ret)
				break;
		}

		refused(ret, ENOSPC, "one channel too many");
		equal(n, nv.lim.channels - 1, "the others and the first are as many as the limit");
		if (!round) {
			uint32_t done[130];
			struct drm_nvfifo_sync s;

			for (i = 0, ok = true; i < n; i++) {
				done[i] = sync_new(&nv);
				p_ref(&ch, 0xc000 + i);
				s = (struct drm_nvfifo_sync){ .flags = DRM_NVFIFO_SYNC_SIGNAL,
							      .handle = done[i] };
				ok &= !submit_raw(&nv, id[i],
						  &(struct drm_nvfifo_entry){
							  .address = ch.push_va + ch.start * 4,
							  .words = 2 }, 1, &s, 1, NULL);
				ch.start = ch.n;
			}
			check(ok, "SUBMIT to all of them");
			for (i = 0; i < n; i++) {
				struct drm_nvfifo_channel_query q;

				ok &= sync_finish(&nv, done[i]) == 1 &&
				      !chan_query(&nv, id[i], &q) && q.ref == 0xc000 + i;
			}
			check(ok, "each of them executes its own");
			nv_open(&n2);
			check(chan_create(&n2, new_vm(&n2), 0, &extra) == -ENOSPC,
			      "another file gets none");
			need(n && !chan_destroy(&nv, id[--n]), "CHANNEL_DESTROY");
			c[0] = ch_new(&n2, new_vm(&n2));
			check(ch_works(&c[0]), "but does when one is given back");
			nv_close(&n2);
		}

		for (i = 0, ok = true; i < n; i++)
			ok &= !chan_destroy(&nv, id[i]);
		check(ok, "CHANNEL_DESTROY of all");
	}

	check(ch_works(&ch), "the first channel works");
	c[1] = ch_new(&nv, vm);
	check(ch_works(&c[1]), "and a new one");
}

/* --- The card is taken away ------------------------------------------------------------------ */

static void t_unbind(void)
{
	struct drm_nvfifo_channel_query q;
	struct drm_nvfifo_query_device d;
	struct stuck s;
	struct bo bo;
	uint32_t id;
	int ret, status;

	world();
	bo = sys_bo(&nv, 8192);
	bo.map[0] = 0x1234;
	vram_bo(&nv, 64 * KIB);
	stuck_new(&s);
	equal(card_bind(false), 0, "unbind with files open and work in flight");
	status = sync_file_finish(s.fence);
	check(status < 0, "the fence ends with an error (%d)", status);
	refused(query(nv.fd, DRM_NVFIFO_QUERY_DEVICE, &d, sizeof(d)), ENODEV, "DEVICE_QUERY");
	refused(vm_create(&nv, &id), ENODEV, "VM_CREATE");
	refused(vm_unmap(&nv, vm, 1 * MIB, 4096), ENODEV, "VM_BIND");
	refused(chan_query(&nv, ch.id, &q), ENODEV, "CHANNEL_QUERY");
	refused(chan_create(&nv, vm, 0, &id), ENODEV, "CHANNEL_CREATE");
	refused(chan_destroy(&nv, ch.id), ENODEV, "CHANNEL_DESTROY");
	refused(submit_raw(&nv, ch.id, NULL, 0, NULL, 0, NULL), ENODEV, "SUBMIT");
	refused(object_dma(&nv, ch.id, 1, 1 * MIB, 4096), ENODEV, "OBJECT_CREATE");
	refused(bo_create(&nv, &bo, DRM_NVFIFO_DOMAIN_SYSTEM, 4096), ENODEV, "BO_CREATE");
	ret = node_open();
	check(ret < 0, "there is no render node");
	check(fcntl(nv.fd, F_GETFD) >= 0, "the files are open");
	equal(card_bind(true), 0, "bind while old files are open");
	check(card_works(), "a new file works");
	refused(vm_create(&nv, &id), ENODEV, "an old file does not");

	nv_close(&nv);
	nv_close(&s.nv);
	close(s.fence);
	check(card_works(), "the end of the old files does not disturb the new card");
	equal(s.data[1], 0, "the work that was in flight was not executed");
	munmap(s.data, 4096);
}

static void t_unbind_busy(void)
{
	uint32_t i;
	bool ok = true;

	world();
	nv_close(&nv);

	for (i = 0; i < 4 && ok; i++) {
		pid_t pid = start_child(submit_for_ever);
		int status;

		msleep(5 + i * 31);
		ok = !card_bind(false);
		msleep(HOLD_MS / 2);
		ok = ok && !card_bind(true);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		ok = ok && card_works();
	}

	check(ok, "unbind and bind while a process submits");
}

/* A wait for a fence must not delay the card's removal. */
static void t_unbind_waiter(void)
{
	pid_t pid;
	int status;

	world();
	nv_close(&nv);
	pid = start_child(wait_for_ever);
	msleep(HOLD_MS);
	equal(card_bind(false), 0, "unbind while a process waits for a fence");
	check(waitpid(pid, &status, 0) == pid && WIFEXITED(status), "the wait ends");
	equal(card_bind(true), 0, "bind");
	check(card_works(), "a new file works");
}

/* The module is in use while a file is open. */
static void t_rmmod_busy(void)
{
	world();
	check(module_unload() < 0, "rmmod with a file open is refused");
	check(ch_works(&ch), "the channel works");
	nv_close(&nv);
	equal(module_unload_soon(), 0, "rmmod when it is closed");
	equal(module_load(""), 0, "insmod");
	check(card_works(), "a new file works");
}

/*
 * A sync file outlives its file and its channel. It can be queried until it is closed, even
 * after an attempt to remove the module.
 */
static void t_fence_outlives(void)
{
	struct stuck s;
	int done, status, i;
	pid_t pid;

	world();
	check(ch_works(&ch), "the channel works");
	done = sync_export(&nv, ch.done);
	need(done >= 0, "export of a sync file");

	stuck_new(&s);
	munmap(s.data, 4096);
	nv_close(&s.nv);
	nv_close(&nv);
	check(sync_file_finish(done) == 1 && sync_file_finish(s.fence) == -ECANCELED,
	      "fences tell how they ended when their files are closed");
	equal((uint32_t)card_bind(false), 0, "unbind");
	check(sync_file_finish(done) == 1 && sync_file_finish(s.fence) == -ECANCELED,
	      "and when the card is gone");
	equal((uint32_t)card_bind(true), 0, "bind");
	check(sync_file_finish(done) == 1 && sync_file_finish(s.fence) == -ECANCELED,
	      "and when it is back");

	/* It may be refused, wait for the fences, or do without them. */
	pid = fork();
	need(pid >= 0, "fork");

	if (!pid) {
		close(done);
		close(s.fence);
		_exit(module_unload() ? 1 : 0);
	}

	for (i = 0; i < 50 && !waitpid(pid, &status, WNOHANG); i++)
		msleep(20);

	check(sync_file_finish(done) == 1 && sync_file_finish(s.fence) == -ECANCELED,
	      "and still when the module is told to go");

	close(done);
	close(s.fence);
	if (i == 50)
		waitpid(pid, &status, 0);

	check(WIFEXITED(status), "rmmod ends");
	if (module_loaded())
		equal((uint32_t)module_unload_soon(), 0, "rmmod without the fences");

	equal((uint32_t)module_load(""), 0, "insmod");
	check(card_works(), "a new file works");
}

/* A dma-buf keeps the module loaded as long as a process has it. */
static void t_dma_buf_outlives(void)
{
	struct bo bo;
	int fd;

	world();
	bo = sys_bo(&nv, 4096);
	bo.map[0] = 0xb0f;
	fd = prime_export(&nv, bo.handle);
	need(fd >= 0, "PRIME_HANDLE_TO_FD: %s", strerror(-fd));
	nv_close(&nv);
	check(module_unload() < 0, "rmmod is refused while a dma-buf is open");
	close(fd);
	equal((uint32_t)module_unload_soon(), 0, "rmmod when it is closed");
	equal((uint32_t)module_load(""), 0, "insmod");
	check(card_works(), "a new file works");
}

static const struct test tests[] = {
	TEST(t_close_busy),
	TEST_ONCE(t_kill),
	TEST(t_kill_waiter),
	TEST(t_fork),
	TEST(t_many_files),
	TEST(t_vm_before_channel),
	TEST(t_bo_while_mapped),
	TEST(t_mmap),
	TEST(t_vram_zeroed),
	TEST(t_dma_buf),
	TEST(t_dma_buf_vram),
	TEST(t_dma_buf_foreign),
	TEST_ONCE(t_udmabuf),
	TEST_ONCE(t_udmabuf_unbind),
	TEST(t_out_of_vram),
	TEST_ONCE(t_out_of_channels),
	TEST(t_unbind),
	TEST_ONCE(t_unbind_busy),
	TEST(t_unbind_waiter),
	TEST(t_rmmod_busy),
	TEST(t_fence_outlives),
	TEST(t_dma_buf_outlives),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
