// SPDX-License-Identifier: MIT
/*
 * Two cards of this driver share buffers and fences. Either card may go at any time. The other one
 * works on with its memory, and the fences say how the lost work has ended.
 *
 * Guards truth and the kernel between two cards (threat-model.rst), on one chip.
 */
#include "raw.h"

#include <poll.h>
#include <pthread.h>
#include <sys/sysmacros.h>

#define SEM	0x1234
#define BYTES	(64 * KIB)

/* The cards by slot: the first one exports, the other one imports. */
static char slots[2][64];
static struct nv nv[2];

/* Slot of the card of an open node */
static void slot_of(int fd, char slot[64])
{
	char path[80], link[256];
	struct stat st;
	ssize_t n;

	need(!fstat(fd, &st), "fstat: %s", strerror(errno));
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
		 minor(st.st_rdev));
	n = readlink(path, link, sizeof(link) - 1);
	need(n > 0, "readlink %s: %s", path, strerror(errno));
	link[n] = 0;
	snprintf(slot, 64, "%.63s", strrchr(link, '/') + 1);
}

/* Open a node of the card in @slot, or of any but @other. Return: its file, or -1. */
static int node_in(const char *slot, const char *other)
{
	struct stat st;
	char is[64];
	int fd, next = 128;

	while ((fd = node_of("renderD", next, "nvfifo")) >= 0) {
		slot_of(fd, is);
		if (!strcmp(is, slot) || (other && strcmp(is, other)))
			return fd;

		need(!fstat(fd, &st), "fstat: %s", strerror(errno));
		next = (int)minor(st.st_rdev) + 1;
		close(fd);
	}

	return -1;
}

static void card_open(uint32_t i, struct nv *n)
{
	nv_take(n, node_in(slots[i], NULL));
}

/* Open both cards. Return: false after a skip of @what, if there is one. */
static bool world(const char *what)
{
	int fd = node_open(), second;

	need(fd >= 0, "no nvfifo render node");
	slot_of(fd, slots[0]);
	second = node_in("", slots[0]);
	if (second < 0) {
		close(fd);
		skip("%s # SKIP there is one card", what);
		return false;
	}

	slot_of(second, slots[1]);
	nv_take(&nv[0], fd);
	nv_take(&nv[1], second);

	return true;
}

static int bind_card(uint32_t i, bool bind)
{
	const char *file = bind ? "/sys/bus/pci/drivers/nvfifo/bind" :
				  "/sys/bus/pci/drivers/nvfifo/unbind";

	return file_write(file, slots[i]);
}

/* A channel with @bo as its object SEM */
static struct ch chan_of(struct nv *n, const struct bo *bo)
{
	struct ch c = ch_new(n, new_vm(n));

	new_object(&c, SEM, map(n, c.vm, bo), bo->size);

	return c;
}

/* A buffer of one card, its dma-buf, and channels of both cards that can write to it */
struct shared {
	struct bo bo;		/* the exporter's */
	struct bo import;
	struct ch own;		/* the exporter's */
	struct ch chan;		/* the importer's */
	uint32_t *map;		/* of the dma-buf */
	int fd;
};

static void share(struct shared *s, struct nv *from, struct nv *to)
{
	s->bo = sys_bo(from, BYTES);
	s->own = chan_of(from, &s->bo);
	s->map = bo_map_apart(from, &s->bo);
	s->fd = prime_export(from, s->bo.handle);
	need(s->fd >= 0, "PRIME_HANDLE_TO_FD: %s", strerror(-s->fd));
	s->import = (struct bo){ .size = BYTES };
	need(!prime_import(to, s->fd, &s->import.handle), "PRIME_FD_TO_HANDLE");
	s->chan = chan_of(to, &s->import);
}

static void writes(struct shared *s, uint32_t word, const char *what)
{
	p_release(&s->chan, SEM, BYTES - 16, word);
	equal((uint32_t)ch_run(&s->chan), 1, what);
	equal(s->map[BYTES / 4 - 4], word, "its word arrives");
}

/* --- Buffers ------------------------------------------------------------------------------------ */

/* The importer's handles and mappings keep the memory, in any order of closes. */
static void t_import(void)
{
	struct drm_nvfifo_bo_info info;
	struct bo back = { 0 };
	struct shared s;
	int again;

	if (!world("a buffer of another card"))
		return;

	share(&s, &nv[0], &nv[1]);
	check(!bo_info(&nv[1], s.import.handle, &info) && info.size == BYTES &&
	      info.domain == DRM_NVFIFO_DOMAIN_SYSTEM && info.flags & DRM_NVFIFO_BO_IMPORTED,
	      "the second card knows the buffer as an import");
	writes(&s, 0x1001, "it writes to the buffer");

	again = prime_export(&nv[1], s.import.handle);
	check(again >= 0 && !prime_import(&nv[0], again, &back.handle), "the buffer comes back");
	equal(back.handle, s.bo.handle, "as the one that it was");
	close(again);
	bo_unmap(&s.bo);
	equal((uint32_t)bo_close(&nv[0], s.bo.handle), 0, "the exporter closes it");
	refused(bo_close(&nv[0], s.bo.handle), EINVAL, "once");
	close(s.fd);
	nv_close(&nv[0]);
	writes(&s, 0x1002, "without its exporter's file, the buffer stays");
	equal((uint32_t)bo_close(&nv[1], s.import.handle), 0, "the importer closes its handle");
	writes(&s, 0x1003, "and its mapping keeps the buffer");
	nv_close(&nv[1]);
	equal(s.map[BYTES / 4 - 4], 0x1003, "the dma-buf's mapping outlives all files");
	munmap(s.map, BYTES);
}

/* A card does not reach another card's VRAM. */
static void t_vram(void)
{
	struct drm_nvfifo_bo_info info;
	uint32_t handle;
	struct bo vram;
	int fd;

	if (!world("VRAM of another card"))
		return;

	vram = vram_bo(&nv[0], BYTES);
	fd = prime_export(&nv[0], vram.handle);
	need(fd >= 0, "PRIME_HANDLE_TO_FD: %s", strerror(-fd));
	check(prime_import(&nv[1], fd, &handle) < 0, "another card's VRAM is refused");
	refused(bo_info(&nv[1], 1, &info), ENOENT, "and leaves no handle");
	close(fd);
	nv_close(&nv[0]);
	nv_close(&nv[1]);
}

/* The exporter's card goes. The importer goes on with the memory, and another file imports it. */
static void t_exporter_goes(void)
{
	struct shared s;
	struct nv late;
	uint32_t *p, handle;

	if (!world("the exporter's card goes"))
		return;

	share(&s, &nv[0], &nv[1]);
	writes(&s, 0x2001, "the importer writes");
	equal((uint32_t)bind_card(0, false), 0, "unbind");
	writes(&s, 0x2002, "and still when the exporter's card is gone");

	p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s.fd, 0);
	check(p != MAP_FAILED && p[BYTES / 4 - 4] == 0x2002, "mmap of the dma-buf");
	munmap(p, BYTES);
	card_open(1, &late);
	equal((uint32_t)prime_import(&late, s.fd, &handle), 0, "import in another file");
	nv_close(&late);
	nv_close(&nv[0]);
	close(s.fd);
	equal((uint32_t)bind_card(0, true), 0, "bind");
	writes(&s, 0x2003, "the importer writes when that card is back");
	nv_close(&nv[1]);
	munmap(s.map, BYTES);
}

/* The importer's card goes. The exporter's work goes on, and the memory is freed at its end. */
static void t_importer_goes(void)
{
	struct shared s;

	if (!world("the importer's card goes"))
		return;

	share(&s, &nv[0], &nv[1]);
	writes(&s, 0x3001, "the importer writes");
	equal((uint32_t)bind_card(1, false), 0, "unbind");
	p_release(&s.own, SEM, 0, 0x3002);
	equal((uint32_t)ch_run(&s.own), 1, "the exporter's card writes to its buffer");
	equal(s.map[0], 0x3002, "its word arrives");
	refused(bo_close(&nv[1], s.import.handle), ENODEV, "a call of the importer");
	nv_close(&nv[1]);
	equal((uint32_t)bind_card(1, true), 0, "bind");
	munmap(s.map, BYTES);
	close(s.fd);
	check(ch_works(&s.own), "the exporter's channel works");
	nv_close(&nv[0]);
}

#define ROUNDS	10
#define JOBS	20

/* Each card has a buffer of the other one when one of them goes. */
static void t_both_ways(void)
{
	struct shared there, back;
	uint32_t i, gone;

	if (!world("cards with each other's buffers"))
		return;

	for (i = 0; i < 4; i++) {
		gone = i % 2;
		if (i)
			world("");

		share(&there, &nv[0], &nv[1]);
		share(&back, &nv[1], &nv[0]);
		equal((uint32_t)bind_card(gone, false), 0, "unbind");
		writes(gone ? &back : &there, 0x4000 + i, "the other card writes");
		equal((uint32_t)bind_card(!gone, false), 0, "unbind of both");

		/* Either order of the files' ends */
		nv_close(&nv[i / 2]);
		nv_close(&nv[!(i / 2)]);
		close(there.fd);
		close(back.fd);
		munmap(there.map, BYTES);
		munmap(back.map, BYTES);
		equal((uint32_t)bind_card(0, true), 0, "bind");
		equal((uint32_t)bind_card(1, true), 0, "bind");
	}
}

/* Import new buffers of the first card in the second one, until that has gone. */
static void *importer_thread(void *arg)
{
	volatile uint32_t *imports = arg;
	uint32_t handle;
	struct bo bo;
	int fd, ret;

	do {
		if (bo_create(&nv[0], &bo, DRM_NVFIFO_DOMAIN_SYSTEM, 4 * MIB))
			return NULL;

		fd = prime_export(&nv[0], bo.handle);
		ret = prime_import(&nv[1], fd, &handle);
		close(fd);
		bo_close(&nv[0], bo.handle);
		if (!ret)
			bo_close(&nv[1], handle);

		++*imports;
	} while (!ret);

	return NULL;
}

/* The importer's card goes while the exporter allocates the buffer's memory for it. */
static void t_import_race(void)
{
	volatile uint32_t imports;
	pthread_t thread;
	uint32_t i, good = 0;

	if (!world("imports while a card goes"))
		return;

	for (i = 0; i < ROUNDS; i++) {
		if (i)
			world("");

		imports = 0;
		need(!pthread_create(&thread, NULL, importer_thread, (void *)&imports),
		     "pthread_create");
		while (imports < 2)
			msleep(1);

		msleep(3 * i);
		good += !bind_card(1, false);
		pthread_join(thread, NULL);
		nv_close(&nv[1]);
		good += !bind_card(1, true);
		nv_close(&nv[0]);
	}

	equal(good, 2 * ROUNDS, "unbind and bind beside imports");
}

/* --- Fences ------------------------------------------------------------------------------------- */

static int merge(int a, int b)
{
	struct sync_merge_data m = { .name = "two cards", .fd2 = b };

	need(!nv_ioctl(a, SYNC_IOC_MERGE, &m), "SYNC_IOC_MERGE");

	return m.fence;
}

/* Wait for a sync file as a process does that knows only the file. Return: its status. */
static int file_wait(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, WAIT_MS) != 1)
		return 0;

	return sync_file_finish(fd);
}

/*
 * Wait for a sync file, and look at each fence in it. A point of a timeline itself never has an
 * error: Linux keeps it with the fence of the point. Return: the first error, or as file_wait().
 */
static int fences_wait(int fd)
{
	struct sync_fence_info fences[8] = { 0 };
	struct sync_file_info info = {
		.num_fences = ARRAY_SIZE(fences), .sync_fence_info = (uintptr_t)fences,
	};
	int status = file_wait(fd);
	uint32_t i;

	need(!nv_ioctl(fd, SYNC_IOC_FILE_INFO, &info), "SYNC_IOC_FILE_INFO");
	for (i = 0; i < info.num_fences && status > 0; i++)
		if (fences[i].status < 0)
			status = fences[i].status;

	return status;
}

/* In another process: wait for the files. Return: the number of those that end without an error. */
static pid_t witness_of(const int *fds, uint32_t count)
{
	uint32_t i, honest = 0;
	pid_t pid = child_fork();

	if (pid)
		return pid;

	for (i = 0; i < count; i++)
		honest += fences_wait(fds[i]) < 0;

	_exit((int)(count - honest));
}

/* A card goes with its work undone. Processes with its fences learn that, also those at the other card. */
static void t_fences(void)
{
	uint32_t fence, line, point, i;
	int fds[4], status = -1;
	struct drm_syncobj_transfer t = { 0 };
	struct ch stuck, other;
	struct bo word, far;
	pid_t witness;

	if (!world("fences of a card that goes"))
		return;

	word = sys_bo(&nv[0], 4096);
	far = sys_bo(&nv[1], 4096);
	stuck = chan_of(&nv[0], &word);
	other = chan_of(&nv[1], &far);
	p_acquire(&stuck, SEM, 0, 1);
	need(!ch_submit(&stuck), "SUBMIT");
	fds[0] = sync_export(&nv[0], stuck.done);
	need(fds[0] >= 0, "export of a fence");

	/* The second card waits for the first one's fence. */
	fence = sync_new(&nv[1]);
	need(!sync_import(&nv[1], fence, fds[0]), "import of a fence");
	p_release(&other, SEM, 0, 0x5001);
	need(!ch_submit_sync(&other, fence, other.done), "SUBMIT that waits");
	fds[1] = merge(fds[0], sync_export(&nv[1], other.done));

	/* A point of a timeline, exported as a sync file */
	line = sync_new(&nv[0]);
	t.src_handle = stuck.done;
	t.dst_handle = line;
	t.dst_point = 1;
	need(!nv_ioctl(nv[0].fd, DRM_IOCTL_SYNCOBJ_TRANSFER, &t), "SYNCOBJ_TRANSFER");
	point = sync_new(&nv[0]);
	t = (struct drm_syncobj_transfer){ .src_handle = line, .src_point = 1, .dst_handle = point };
	need(!nv_ioctl(nv[0].fd, DRM_IOCTL_SYNCOBJ_TRANSFER, &t), "SYNCOBJ_TRANSFER");
	fds[2] = sync_export(&nv[0], point);
	fds[3] = merge(fds[2], fds[1]);

	witness = witness_of(fds, 4);
	msleep(HOLD_MS);
	equal(far.map[0], 0, "the second card waits for the first one's fence");
	equal((uint32_t)bind_card(0, false), 0, "unbind of the first card");
	need(waitpid(witness, &status, 0) == witness && WIFEXITED(status), "the witness");
	equal((uint32_t)WEXITSTATUS(status), 0, "another process learns that the work is not done");
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		equal((uint32_t)fences_wait(fds[i]), (uint32_t)-ENODEV, "with ENODEV");
		close(fds[i]);
	}

	check(sync_finish(&nv[1], other.done), "the second card's job ends");
	check(ch_works(&other), "its channel works");
	nv_close(&nv[0]);
	equal((uint32_t)bind_card(0, true), 0, "bind");
	nv_close(&nv[1]);
}

/* A card goes while its jobs wait for another card's fence. They end at once, and that goes on. */
static void t_waiter_goes(void)
{
	uint32_t fence, bound, i, good = 0;
	struct ch first, waiting;
	struct bo word, far;
	int sync, fds[2];

	if (!world("jobs that wait for another card's fence"))
		return;

	word = sys_bo(&nv[0], 4096);
	far = sys_bo(&nv[1], 4096);
	first = chan_of(&nv[0], &word);
	waiting = chan_of(&nv[1], &far);
	p_acquire(&first, SEM, 0, 1);
	need(!ch_submit(&first), "SUBMIT");
	sync = sync_export(&nv[0], first.done);
	fence = sync_new(&nv[1]);
	bound = sync_new(&nv[1]);
	need(sync >= 0 && !sync_import(&nv[1], fence, sync), "import of a fence");

	for (i = 0; i < JOBS; i++) {
		p_release(&waiting, SEM, 4 * i, 0x6001);
		need(!ch_submit_sync(&waiting, fence, waiting.done), "SUBMIT that waits");
	}

	need(!vm_bind_when(&nv[1], waiting.vm, op_map(&far, GIB), fence, bound), "VM_BIND that waits");
	fds[0] = sync_export(&nv[1], waiting.done);
	fds[1] = sync_export(&nv[1], bound);
	equal((uint32_t)bind_card(1, false), 0, "unbind of the card with the jobs");
	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		good += file_wait(fds[i]) < 0;
		close(fds[i]);
	}

	equal(good, ARRAY_SIZE(fds), "the fences of its jobs end with errors");
	nv_close(&nv[1]);
	equal((uint32_t)bind_card(1, true), 0, "bind, while the other card's fence has not ended");

	word.map[0] = 1;
	equal((uint32_t)sync_finish(&nv[0], first.done), 1, "which ends well");
	check(ch_works(&first), "and its channel works");
	close(sync);
	nv_close(&nv[0]);
	card_open(1, &nv[1]);
	far = sys_bo(&nv[1], 4096);
	waiting = chan_of(&nv[1], &far);
	check(ch_works(&waiting), "a new file of the card works");
	nv_close(&nv[1]);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST(t_import), TEST(t_vram), TEST(t_exporter_goes), TEST(t_importer_goes),
		TEST(t_both_ways), TEST(t_import_race), TEST(t_fences),
		TEST(t_waiter_goes),
	};

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
