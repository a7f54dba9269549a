// SPDX-License-Identifier: MIT
/*
 * System sleep. With /sys/power/pm_test the kernel resumes by itself after it has suspended all
 * devices. On the way from D3hot to D0 the model loses the state that the test has selected.
 *
 * Guards system sleep (suspend.rst), on each generation.
 */
#include "fault.h"
#include "nvfifo_text.h"

#include <pthread.h>
#include <sys/syscall.h>

#define SEM		0x1234
#define SEM_OTHER	0x5678
#define BOS		3
#define PLACES		16
#define PLACE(bo, n)	(0x100 + (bo) * PLACES + (n))
#define STRUCT_WORDS	(0x7400 / 4)	/* up to the last object */
#define M2MF		0x5039
#define H_ALL		0x6000
#define H_NOTIFY	0x6001

/* Until an access to a control page must have ended */
#define ACCESS_MS	60000

static bool attr(const char *path, const char *text)
{
	int ret = file_write(path, text);

	if (ret)
		diag("%s to %s: %s", text, path, strerror(-ret));
	return !ret;
}

/*
 * Whether this kernel supports system sleep. With pm_async=0 devices sleep one at a time, so that
 * messages and errors are the card's.
 */
static bool sleep_ready(void)
{
	if (!ctl_present()) {
		skip("sleep # SKIP no model");
		return false;
	}

	if (!pm_test_begin("platform", "sleep"))
		return false;

	need(attr("/sys/power/pm_async", "0"), "pm_async");

	return true;
}

/* Returns the result of the write, which is 0 even if a device fails to resume. */
static int system_sleep(enum nvsim_d3 loss)
{
	int ret;

	ctl(NVSIM_CTL_D3_LOSS, loss);
	ret = file_write("/sys/power/state", "freeze");
	ctl(NVSIM_CTL_D3_LOSS, NVSIM_D3_KEEP);
	return ret;
}

static uint32_t vram_word(uint32_t addr)
{
	ctl(NVSIM_CTL_SET_ADDR, addr);
	return ctl(NVSIM_CTL_VRAM_READ, 0);
}

static const char *loss_name(enum nvsim_d3 loss)
{
	return loss == NVSIM_D3_KEEP ? "D3 that keeps all" : "power loss";
}

/* The processor reads blocks of so many bytes through BAR1. */
#define COPY_BYTES	(32 * KIB)

/* Buffers of more than 4 MiB; smaller ones in QEMU, where each read is a message. */
static uint64_t unit(void)
{
	return getenv("NVFIFO_SLOW_BARS") ? 64 * KIB : MIB;
}

/* --- Work around it ---------------------------------------------------------------- */

static void around(enum nvsim_d3 loss, unsigned int rounds)
{
	const char *what = loss_name(loss);
	struct bo vram[BOS], sem;
	struct ch a, b, late;
	uint64_t va[BOS], sem_va;
	struct nv nv;
	uint32_t vm, i, j;
	bool ok;

	nv_open(&nv);
	vm = new_vm(&nv);
	a = ch_new(&nv, vm);
	b = ch_new(&nv, vm);
	sem = sys_bo(&nv, 64 * KIB);
	sem_va = map(&nv, vm, &sem);
	new_object(&a, SEM, sem_va, sem.size);
	new_object(&b, SEM, sem_va, sem.size);

	for (i = 0; i < BOS; i++) {
		vram[i] = vram_bo(&nv, (i * 5 + 1) * unit());
		va[i] = map(&nv, vm, &vram[i]);
		for (j = 0; j < PLACES; j++)
			new_object(&a, PLACE(i, j), va[i] + vram[i].size / PLACES * j, 4096);
	}

	for (i = 0; i < BOS * PLACES; i++)
		p_release(&a, PLACE(0, i), 4 * i, 0x1000 + i);

	equal((uint32_t)ch_run(&a), 1, "work before");
	check(ch_works(&b), "of both channels");

	while (rounds--)
		equal((uint32_t)system_sleep(loss), 0, what);

	if (loss == NVSIM_D3_LOST)
		equal(vram_word(0x1000), 0xd3d3d3d3, "the model has lost its VRAM");

	check(ch_works(&a) && ch_works(&b), "%s: both channels work", what);

	/* The acquire ends only if the word has its old value. */
	for (i = 0; i < BOS * PLACES; i++)
		p_acquire(&a, PLACE(0, i), 4 * i, 0x1000 + i);
	equal((uint32_t)ch_run(&a), 1, "the contents of VRAM are there");
	p_release(&b, SEM, 0x40, 77);
	equal((uint32_t)ch_run(&b), 1, "objects from before can be used");
	equal(sem.map[0x40 / 4], 77, "and lead to where they did");
	new_object(&b, SEM_OTHER, sem_va, sem.size);
	p_release(&b, SEM_OTHER, 0x80, 78);
	ok = ch_run(&b) == 1 && sem.map[0x80 / 4] == 78;
	check(ok, "and new ones");
	late = ch_new(&nv, vm);
	check(ch_works(&late), "a new channel works");
	equal((uint32_t)vm_unmap(&nv, vm, va[0], vram[0].size), 0, "an unmap");
	equal((uint32_t)vm_map_at(&nv, vm, &vram[0], va[0], 0, 0), 0,
	      "and a map where it was");
	nv_close(&nv);
}

static void t_idle(void)
{
	uint32_t interrupts, i;
	struct bo data;
	struct nv nv;
	struct ch ch;

	equal((uint32_t)system_sleep(NVSIM_D3_KEEP), 0, "the card is unused");
	equal((uint32_t)system_sleep(NVSIM_D3_LOST), 0, "and it loses its power");

	nv_open(&nv);
	ch = ch_new(&nv, new_vm(&nv));
	interrupts = stat_of(interrupts);
	check(ch_works(&ch), "it works");

	/* If the firmware's interrupt holds the line, the first job makes no edge. */
	data = sys_bo(&nv, 4 * KIB);
	new_object(&ch, SEM, map(&nv, ch.vm, &data), data.size);
	for (i = 0; i < 200 && stat_of(interrupts) == interrupts; i++)
		need(ch_sleep(&ch, SEM, data.map) == 1, "it works again");

	check(stat_of(interrupts) > interrupts, "with interrupts");
	nv_close(&nv);
}

static void t_keep(void)
{
	around(NVSIM_D3_KEEP, 1);
}

static void t_lost(void)
{
	around(NVSIM_D3_LOST, 1);
	around(NVSIM_D3_LOST, 3);
}

/*
 * The kernel writes an image and resets the machine. The next boot meets a new card, reads the
 * image, and the process goes on. tests/nouveau/hibernate.sh provides the disk and the second boot.
 */
static void t_hibernate(void)
{
	struct bo vram, sys;
	struct nv nv;
	struct ch ch;

	if (!getenv("NVFIFO_HIBERNATE")) {
		skip("hibernation # SKIP this guest has no disk for an image");
		return;
	}

	nv_open(&nv);
	ch = ch_new(&nv, new_vm(&nv));
	vram = vram_bo(&nv, 16 * KIB);
	sys = sys_bo(&nv, 16 * KIB);
	new_object(&ch, SEM, map(&nv, ch.vm, &vram), vram.size);
	new_object(&ch, SEM_OTHER, map(&nv, ch.vm, &sys), sys.size);
	p_release(&ch, SEM, 0x40, 77);
	p_release(&ch, SEM_OTHER, 0x40, 88);
	equal((uint32_t)ch_run(&ch), 1, "work before");

	need(attr("/sys/power/pm_test", "none"), "pm_test");
	need(attr("/sys/power/disk", "reboot"), "the kernel resets the machine");
	equal((uint32_t)file_write("/sys/power/state", "disk"), 0, "hibernation");

	/* An acquire ends only if the word has its old value. */
	check(ch_works(&ch), "the channel works");
	p_acquire(&ch, SEM, 0x40, 77);
	p_acquire(&ch, SEM_OTHER, 0x40, 88);
	equal((uint32_t)ch_run(&ch), 1, "the contents of both memories are there");
	nv_close(&nv);
}

/* --- Instance memory --------------------------------------------------------------- */

/* A channel structure, word by word. */
static uint32_t *image(struct ch *c)
{
	uint32_t *w = malloc(STRUCT_WORDS * 4), hw_id = ch_query(c).hw_id, table, i;
	uint32_t cmd = NVSIM_CTL_VRAM_READ;
	int fd = ctl_open();

	need(w, "no memory");

	table = ctl(NVSIM_CTL_READ_REG, 0x2600 + hw_id * 4);
	ctl(NVSIM_CTL_SET_ADDR, c->nv->g84 ? ((table & 0xffffff) << 8) - NVFIFO_G84_RAMFC :
					     table << 12);

	for (i = 0; i < STRUCT_WORDS; i++)
		need(pwrite(fd, &cmd, 4, NVSIM_CTL_CMD) == 4 &&
		     pread(fd, &w[i], 4, NVSIM_CTL_RESULT) == 4, "control capability");

	return w;
}

/* @before is done with then. */
static void same_image(uint32_t *before, const uint32_t *after, const char *what)
{
	uint32_t i;

	for (i = 0; i < STRUCT_WORDS && before[i] == after[i]; i++)
		;
	if (!check(i == STRUCT_WORDS, "%s", what))
		diag("word %x was %08x and is %08x", i * 4, before[i], after[i]);
	free(before);
}

static void t_image(void)
{
	uint32_t *first, *second, *after, vm, i, objects = 0;
	struct ch a, b;
	struct nv nv;

	nv_open(&nv);
	vm = new_vm(&nv);
	a = ch_new(&nv, vm);
	b = ch_new(&nv, vm);

	for (i = 0; i < 100; i++)
		new_object(&a, i * 0x01010101 + 1, a.push_va, 4096);

	check(ch_works(&a) && ch_works(&b), "two channels, of which the second is loaded");

	first = image(&a);

	/* Empty slots repeat the entry of the software object. */
	for (i = 0; i < 512; i++)
		objects += first[NVFIFO_CHAN_RAMHT / 4 + i * 2] != SW_HANDLE;

	equal(objects, 101, "the image has all objects in RAMHT");
	equal((uint32_t)system_sleep(NVSIM_D3_KEEP), 0, loss_name(NVSIM_D3_KEEP));
	after = image(&a);
	same_image(first, after, "the first one's structure is the same as before");

	/* No other process has loaded it again. */
	second = image(&b);
	equal((uint32_t)system_sleep(NVSIM_D3_LOST), 0, loss_name(NVSIM_D3_LOST));
	first = image(&a);
	same_image(after, first, "and after a power loss");
	free(first);
	after = image(&b);
	same_image(second, after, "and that of the one that was loaded");
	free(after);
	check(ch_works(&a) && ch_works(&b), "both work");
	nv_close(&nv);
}

/* --- Work that waits --------------------------------------------------------------- */

static void hang(enum nvsim_d3 loss)
{
	struct ch hung, next, helper;
	uint32_t vm, first, late, bound;
	struct bo sem, extra;
	uint64_t sem_va;
	struct nv nv;

	nv_open(&nv);
	vm = new_vm(&nv);
	hung = ch_new(&nv, vm);
	next = ch_new(&nv, vm);
	helper = ch_new(&nv, vm);
	sem = sys_bo(&nv, 4096);
	extra = sys_bo(&nv, 4096);
	sem_va = map(&nv, vm, &sem);
	new_object(&hung, SEM, sem_va, 4096);
	new_object(&next, SEM, sem_va, 4096);
	new_object(&helper, SEM, sem_va, 4096);
	first = sync_new(&nv);
	late = sync_new(&nv);
	bound = sync_new(&nv);

	p_acquire(&hung, SEM, 0, 1);
	p_release(&hung, SEM, 0x10, 1);
	need(!ch_submit_sync(&hung, 0, first), "SUBMIT that waits for a semaphore");
	p_release(&hung, SEM, 0x10, 2);
	need(!ch_submit(&hung), "SUBMIT after it");
	p_release(&next, SEM, 0x20, 3);
	need(!ch_submit_sync(&next, hung.done, late), "SUBMIT that waits for that one");
	need(!vm_bind_when(&nv, vm, op_map(&extra, 0x10000000), first, bound),
	     "VM_BIND that waits for the first");

	equal((uint32_t)system_sleep(loss), 0, loss_name(loss));
	equal((uint32_t)sync_wait_ms(&nv, first, HOLD_MS), (uint32_t)-ETIME, "it still waits");
	check(!sem.map[4] && !sem.map[8], "and all after it");
	p_release(&helper, SEM, 0, 1);
	equal((uint32_t)ch_run(&helper), 1, "another channel releases the semaphore");
	equal((uint32_t)sync_finish(&nv, first), 1, "the waiting work goes on");
	equal((uint32_t)sync_finish(&nv, hung.done), 1, "and the queued work");
	equal((uint32_t)sync_finish(&nv, late), 1, "and the scheduler's jobs");
	equal((uint32_t)sync_finish(&nv, bound), 1, "and the mapping");
	check(sem.map[4] == 2 && sem.map[8] == 3, "in this order");
	equal(ch_query(&hung).completed, 2, "both are counted");
	new_object(&next, SEM_OTHER, 0x10000000, 4096);
	p_release(&next, SEM_OTHER, 0, 5);
	equal((uint32_t)ch_run(&next), 1, "the mapping can be used");
	equal(extra.map[0], 5, "and leads to the buffer");
	nv_close(&nv);
}

static void t_hung(void)
{
	hang(NVSIM_D3_KEEP);
	hang(NVSIM_D3_LOST);
}

/* A process is frozen in the middle of its work, again and again. */
static void t_busy_process(void)
{
	int stop[2], status = -1, i;
	bool ok = true;
	pid_t pid;

	need(!pipe(stop), "pipe");
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork");

	if (!pid) {
		struct nv nv;
		struct ch a, b;

		close(stop[1]);
		fcntl(stop[0], F_SETFL, O_NONBLOCK);
		nv_open(&nv);
		a = ch_new(&nv, new_vm(&nv));
		b = ch_new(&nv, a.vm);
		for (i = 0; read(stop[0], &status, 1) < 0; i++)
			if (!ch_works(&a) || !ch_works(&b))
				_exit(1);
		_exit(i ? 0 : 2);
	}

	close(stop[0]);

	for (i = 0; i < 6; i++) {
		msleep(50);
		ok &= !system_sleep(i % 2 ? NVSIM_D3_KEEP : NVSIM_D3_LOST);
	}

	msleep(50);
	close(stop[1]);
	need(waitpid(pid, &status, 0) == pid, "waitpid");
	check(ok, "the system sleeps while a process submits");
	check(WIFEXITED(status) && !WEXITSTATUS(status), "which notices nothing");
}

/* The context of PGRAPH has the state of an engine; the image is VRAM too. */
static void t_graph(void)
{
	struct drm_nvfifo_object_create obj = {
		.handle = M2MF, .type = DRM_NVFIFO_OBJECT_ENGINE, .oclass = M2MF,
	};
	static const uint32_t state[][2] = {
		{ 0x200, 1 }, { 0x21c, 1 }, { 0x314, 1024 }, { 0x318, 1024 }, { 0x324, 0x101 },
	};
	struct bo from, to, vram;
	uint64_t va[3], reads;
	struct ch c[2];
	struct nv nv;
	uint32_t vm, i, k;

#define S(mthd, data) (p_word(&c[k], cmd_word(5, mthd, 1)), p_word(&c[k], (uint32_t)(data)))
#define COPY(a, b) (S(0x238, (a) >> 32), S(0x23c, (b) >> 32), S(0x30c, a), S(0x310, b), S(0x328, 0))
	nv_open(&nv);
	vm = new_vm(&nv);
	from = sys_bo(&nv, 64 * KIB);
	to = sys_bo(&nv, 64 * KIB);
	vram = vram_bo(&nv, 4 * unit());
	va[0] = map(&nv, vm, &from);
	va[1] = map(&nv, vm, &vram);
	va[2] = map(&nv, vm, &to);
	for (i = 0; i < from.size / 4; i++)
		from.map[i] = i * 0x9e3779b9;
	for (k = 0; k < 2; k++) {
		c[k] = ch_new(&nv, vm);
		obj.channel_id = c[k].id;
		need(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &obj), "an M2MF object");
		new_object(&c[k], H_ALL, 0, nv.dev.va_end);
		new_object(&c[k], H_NOTIFY, va[2] + 32768, 4096);
		S(0, M2MF);
		S(0x180, H_NOTIFY);
		S(0x184, H_ALL);
		S(0x188, H_ALL);
		for (i = 0; i < ARRAY_SIZE(state); i++)
			S(state[i][0], state[i][1]);
		/* 4 lines of 1 KiB, and 2 of half of it */
		S(0x31c, k ? 512 : 1024);
		S(0x320, k ? 2 : 4);
		COPY(va[0], va[1] + k * 8192);
		need(ch_run(&c[k]) == 1, "a copy to VRAM");
	}
	reads = stat_of(bar1_reads);
	equal((uint32_t)system_sleep(NVSIM_D3_LOST), 0, loss_name(NVSIM_D3_LOST));
	if (!check(stat_of(bar1_reads) - reads < vram.size / COPY_BYTES, "the card copied the buffer"))
		diag("%llu reads of BAR1", (unsigned long long)(stat_of(bar1_reads) - reads));
	for (k = 0; k < 2; k++) {
		COPY(va[1] + k * 8192, va[2] + k * 8192);
		equal((uint32_t)ch_run(&c[k]), 1, "a copy with the state from before");
	}
	check(!memcmp(from.map, to.map, 4096) && !to.map[1024], "copies all that it should");
	check(!memcmp(from.map, to.map + 2048, 512) && !to.map[2048 + 128] &&
	      !memcmp(from.map + 256, to.map + 2048 + 256, 512) && !to.map[2048 + 384] &&
	      !to.map[2048 + 512], "each channel with its own");
	nv_close(&nv);
#undef COPY
#undef S
}

/* --- Failures ------------------------------------------------------------------------ */

/* PFIFO does not let go of a channel that waits. A reset saves it, and it goes on waiting. */
static void t_kick_stuck(void)
{
	struct drm_nvfifo_object_create o = {
		.handle = M2MF, .type = DRM_NVFIFO_OBJECT_ENGINE, .oclass = M2MF,
	};
	struct ch hung, other;
	struct bo sem;
	struct nv nv;
	uint32_t vm;

	nv_open(&nv);
	vm = new_vm(&nv);
	other = ch_new(&nv, vm);
	hung = ch_new(&nv, vm);

	/* Only a channel with an engine's object is kicked, whether or not it is loaded. */
	o.channel_id = hung.id;
	need(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o), "an M2MF object");
	sem = sys_bo(&nv, 4096);
	new_object(&hung, SEM, map(&nv, vm, &sem), 4096);
	check(ch_works(&other), "a channel works");
	p_acquire(&hung, SEM, 0, 1);
	need(!ch_submit(&hung), "SUBMIT that waits for a semaphore");
	msleep(HOLD_MS);
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_KICK_STUCK);
	equal((uint32_t)system_sleep(NVSIM_D3_LOST), 0, "a kick that does not end");
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_KICK_STUCK);
	equal(ch_query(&hung).state, DRM_NVFIFO_CHANNEL_ALIVE, "costs no channel");
	check(ch_works(&other), "the other channel goes on");
	((volatile uint32_t *)sem.map)[0] = 1;
	equal((uint32_t)sync_finish(&nv, hung.done), 1, "and so does the one that waits");
	check(ch_works(&hung), "which then works");
	nv_close(&nv);
}

/* Allocations of the suspend fail: it says so, and nothing has happened. */
static void t_no_memory(void)
{
	static const char *const attrs[] = { "failslab", "fail_page_alloc" };

	/* Bytes, or pages, that they may take before. */
	static const unsigned int space[2][4] = { { 0, 1500, 3000, 6000 }, { 0, 20, 500, 1500 } };
	unsigned long start, end;
	unsigned int a, i;
	struct bo vram;
	struct ch ch;
	struct nv nv;

	if (access("/sys/kernel/debug/failslab/require-start", F_OK) ||
	    !symbol_range("nvfifo_suspend", &start, &end)) {
		skip("no memory # SKIP the kernel has no fault injection for one function");
		return;
	}

	nv_open(&nv);
	ch = ch_new(&nv, new_vm(&nv));
	vram = vram_bo(&nv, 8 * MIB);
	map(&nv, ch.vm, &vram);

	for (a = 0; a < ARRAY_SIZE(attrs); a++) {
		attr_range(attrs[a], "require", start, end);
		attr_write(attrs[a], "probability", "100");
		attr_write(attrs[a], "ignore-gfp-wait", "N");
		if (a)
			attr_write(attrs[a], "min-order", "0");
		for (i = 0; i < ARRAY_SIZE(space[a]); i++) {
			char text[16];

			snprintf(text, sizeof(text), "%u", space[a][i]);
			attr_write(attrs[a], "space", text);
			attr_write(attrs[a], "times", "-1");
			equal((uint32_t)system_sleep(NVSIM_D3_LOST), (uint32_t)-ENOMEM, attrs[a]);
			attr_write(attrs[a], "times", "0");
			check(ch_works(&ch), "nothing has happened");
		}

		attr_write(attrs[a], "probability", "0");
		attr_range(attrs[a], "require", 0, ~0ul);
		attr_write(attrs[a], "space", "0");
	}

	equal((uint32_t)system_sleep(NVSIM_D3_LOST), 0, "with memory it sleeps");
	check(ch_works(&ch), "and wakes up");
	nv_close(&nv);
}

static void dies(enum nvsim_d3 loss, int err, const char *what)
{
	struct drm_nvfifo_channel_query q;
	struct ch hung, idle;
	struct bo sem, bo;
	struct nv nv;
	uint32_t vm, id;
	int fd, ret;

	nv_open(&nv);
	vm = new_vm(&nv);
	idle = ch_new(&nv, vm);
	hung = ch_new(&nv, vm);
	sem = sys_bo(&nv, 4096);
	bo = vram_bo(&nv, MIB);
	map(&nv, vm, &bo);
	new_object(&hung, SEM, map(&nv, vm, &sem), 4096);
	p_acquire(&hung, SEM, 0, 1);
	need(!ch_submit(&hung), "SUBMIT that waits for a semaphore");
	equal((uint32_t)system_sleep(loss), 0, what);
	equal((uint32_t)sync_finish(&nv, hung.done), (uint32_t)err, "fences end with an error");
	p_ref(&idle, 1);
	refused(ch_submit(&idle), -err, "SUBMIT");
	refused(bo_create(&nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, MIB), -err, "BO_CREATE");
	refused(chan_create(&nv, vm, 0, &id), -err, "CHANNEL_CREATE");
	ret = chan_query(&nv, idle.id, &q);
	check(ret == -ENODEV || (!ret && q.state == DRM_NVFIFO_CHANNEL_DEAD), "channels are dead");
	fd = node_open();
	check(fd < 0, "the node cannot be opened");
	equal((uint32_t)system_sleep(NVSIM_D3_KEEP), 0, "the system still sleeps");
	nv_close(&nv);
	equal((uint32_t)module_unload_soon(), 0, "the module can be removed");
	card_power_cycle();
	equal((uint32_t)module_load(""), 0, "and loaded when the card is back");
	nv_open(&nv);
	idle = ch_new(&nv, new_vm(&nv));
	check(ch_works(&idle), "it works");
	nv_close(&nv);
}

static void t_unposted(void)
{
	dies(NVSIM_D3_UNPOSTED, -ENODEV, "a card whose VBIOS has not been run");
	check(log_has("VBIOS has not been run"), "the log says so");
}

static void t_gone(void)
{
	dies(NVSIM_D3_GONE, -ENODEV, "a card that does not answer");
}

#define IB_PUT		(0x8c / 4)

/* A thread's access to a control page has ended. */
static volatile bool accessed;

static void *control_read(void *arg)
{
	(void)((volatile uint32_t *)arg)[IB_PUT];
	accessed = true;

	return NULL;
}

/*
 * A kick that does not end makes the suspend reset PFIFO, and the reset unmaps control pages until
 * the resume. If the card is gone by then, an access finds the dummy page, and does not wait.
 */
static void t_control_page(void)
{
	struct drm_nvfifo_channel_create user = { .flags = DRM_NVFIFO_CHANNEL_USER_QUEUE };
	int64_t start;
	pthread_t thread;
	struct ch kicked;
	struct bo ring;
	struct nv nv;
	void *p;

	nv_open(&nv);
	if (!(nv.dev.features & DRM_NVFIFO_FEATURE_USER_QUEUE)) {
		skip("a control page # SKIP no control pages in this kernel");
		nv_close(&nv);
		return;
	}

	user.vm_id = new_vm(&nv);
	ring = sys_bo(&nv, 8ull << nv.lim.ring_order_default);
	user.start = map(&nv, user.vm_id, &ring);
	need(!chan_create_args(&nv, &user), "CHANNEL_CREATE with a user queue");
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, nv.fd, (off_t)user.control_offset);
	need(p != MAP_FAILED, "mmap of the control page");
	control_read(p);
	kicked = ch_new(&nv, user.vm_id);
	graph_bind_m2mf(&kicked);
	need(ch_run(&kicked) == 1, "M2MF is bound");

	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_KICK_STUCK);
	equal((uint32_t)system_sleep(NVSIM_D3_GONE), 0, "a card that is gone after a reset");
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_KICK_STUCK);

	accessed = false;
	start = now_ns();
	need(!pthread_create(&thread, NULL, control_read, p), "pthread_create");
	while (!accessed && ms_since(start) < ACCESS_MS)
		msleep(10);
	check(accessed, "an access to a control page ends");
	if (accessed)
		pthread_join(thread, NULL);

	/* A mapping keeps the file open, and the module loaded. */
	munmap(p, 4096);
	nv_close(&nv);
	equal((uint32_t)module_unload_soon(), 0, "the module can be removed");
	card_power_cycle();
	equal((uint32_t)module_load(""), 0, "and loaded when the card is back");
}

#define YANK		"nvfifo_yank"
#define YANK_FILE	"/src/build/uml-module/" YANK ".ko"

/* Load the module that takes the driver off the card in the next sleep. */
static bool yank_load(void)
{
	int fd = open(YANK_FILE, O_RDONLY | O_CLOEXEC);
	char options[64];

	if (fd < 0)
		return false;

	snprintf(options, sizeof(options), "slot=%s", card_slot());
	need(!syscall(SYS_finit_module, fd, options, 0), "insmod %s", YANK_FILE);
	close(fd);

	return true;
}

/*
 * A card is pulled out of a machine that sleeps, so the driver is taken off it and no resume
 * follows. Its schedulers stand still then: one has a job in the ring, one that waits, and one a
 * VM_BIND. The suspend has found an error, and its dump waits for a thaw that does not come before
 * the removal has ended.
 */
static void t_yanked(void)
{
	struct ch gate, hung, next, bad;
	uint32_t vm, ran, waits, bound;
	struct bo sem, extra;
	struct nv nv;

	if (!yank_load()) {
		skip("a removal in a sleep # SKIP no " YANK_FILE);
		return;
	}

	nv_open(&nv);
	vm = new_vm(&nv);
	gate = ch_new(&nv, vm);
	hung = ch_new(&nv, vm);
	next = ch_new(&nv, vm);
	bad = ch_new(&nv, vm);
	sem = sys_bo(&nv, 4096);
	extra = sys_bo(&nv, 4096);
	new_object(&hung, SEM, map(&nv, vm, &sem), 4096);
	new_object(&gate, SEM, map(&nv, vm, &sem), 4096);
	ran = sync_new(&nv);
	waits = sync_new(&nv);
	bound = sync_new(&nv);

	/* The scheduler has the job, as it waited for a fence at first. */
	p_acquire(&gate, SEM, 0, 1);
	need(!ch_submit(&gate), "SUBMIT that waits for a semaphore");
	p_release(&hung, SEM, 4, 1);
	p_acquire(&hung, SEM, 8, 1);
	need(!ch_submit_sync(&hung, gate.done, ran), "SUBMIT that waits for that one");
	p_ref(&next, 1);
	need(!ch_submit_sync(&next, ran, waits), "SUBMIT that waits for the second one");
	need(!vm_bind_when(&nv, vm, op_map(&extra, 0x10000000), ran, bound),
	     "VM_BIND that waits for the second one");
	((volatile uint32_t *)sem.map)[0] = 1;
	need(poll_word((volatile uint32_t *)sem.map + 1, 1), "the second one runs");

	/* The interrupt is lost, so that the suspend finds the error. */
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_NO_IRQ);
	p_word(&bad, 0xffffffff);
	need(!ch_submit(&bad), "SUBMIT with an error");
	equal((uint32_t)system_sleep(NVSIM_D3_LOST), 0, "a sleep in which the card is pulled out");
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_NO_IRQ);
	need(!syscall(SYS_delete_module, YANK, O_NONBLOCK), "rmmod " YANK);

	check(sync_finish(&nv, bad.done) < 0, "the fence of the error has ended");
	check(sync_finish(&nv, ran) < 0, "so has that of a job in the ring");
	check(sync_finish(&nv, waits) < 0, "and that of one that waits");
	check(sync_finish(&nv, bound) < 0, "and that of a VM_BIND");
	nv_close(&nv);
	equal((uint32_t)module_unload_soon(), 0, "the module can be removed");
	equal((uint32_t)module_load(""), 0, "and loaded when the card is back");
	nv_open(&nv);
	gate = ch_new(&nv, new_vm(&nv));
	check(ch_works(&gate), "it works");
	nv_close(&nv);
}

/* Interrupts of the card's line that no handler took, as the kernel counts them; -1: unknown. */
static int unhandled(void)
{
	char path[128], *text, *at;
	int count = -1;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/irq", card_slot());
	text = file_text(path);
	need(text, "%s", path);
	snprintf(path, sizeof(path), "/proc/irq/%d/spurious", (int)nvfifo_text_value(text, 10));
	free(text);

	text = file_text(path);
	at = text ? strstr(text, "unhandled ") : NULL;
	if (at)
		count = (int)nvfifo_text_value(at + strlen("unhandled "), 10);

	free(text);

	return count;
}

/*
 * The firmware leaves an interrupt pending and on, and asserts INTx before the driver has set up
 * the card. The kernel disables a line whose interrupts no handler accepts.
 */
static void t_firmware_irq(void)
{
	char path[128];
	int before;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/msi_irqs", card_slot());
	if (!access(path, F_OK)) {
		skip("INTx at resume # SKIP the card has an MSI");
		return;
	}

	before = unhandled();
	need(before >= 0, "/proc/irq/*/spurious");
	equal((uint32_t)system_sleep(NVSIM_D3_LOST), 0, "sleep without power");

	/* One may have been on its way. */
	check(unhandled() <= before + 1, "interrupts that nobody took: %d, before %d", unhandled(),
	      before);
}

/* After the sleep the firmware has left its interrupts on again. */
static void t_quiet(void)
{
	uint32_t before, count;
	struct nv nv;
	struct ch ch;

	nv_open(&nv);
	ch = ch_new(&nv, new_vm(&nv));
	check(ch_works(&ch), "a channel works");
	equal((uint32_t)system_sleep(NVSIM_D3_LOST), 0, "sleep without power");
	check(ch_works(&ch), "it works again");

	before = stat_of(interrupts);
	msleep(1000);
	count = stat_of(interrupts) - before;
	check(count < 10, "an idle card is quiet: %u interrupts in a second", count);
	check(ch_works(&ch), "and the channel still works");
	nv_close(&nv);
}

/* There is no way back from a runtime suspend, so there is none. */
static void t_runtime(void)
{
	char path[128], *status;
	struct nv nv;
	struct ch ch;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/power/control", card_slot());
	check(attr(path, "auto"), "runtime power management is allowed");

	msleep(200);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/power/runtime_status", card_slot());
	status = file_text(path);
	check(status && !strncmp(status, "active", 6), "the card stays on");

	free(status);
	nv_open(&nv);
	ch = ch_new(&nv, new_vm(&nv));
	check(ch_works(&ch), "and works");
	nv_close(&nv);
}

static const struct test tests[] = {
	TEST(t_idle),
	TEST(t_keep),
	TEST(t_lost),
	TEST_ONCE(t_hibernate),
	TEST_ONCE(t_image),
	TEST_ONCE(t_hung),
	TEST_ONCE(t_busy_process),
	TEST(t_graph),
	TEST_ONCE(t_kick_stuck),
	TEST_ONCE(t_no_memory),
	TEST(t_firmware_irq),
	TEST(t_quiet),
	TEST(t_runtime),
	/* These tests reload the driver. */
	TEST_ONCE(t_unposted),
	TEST(t_gone),
	TEST_ONCE(t_control_page),
	TEST_ONCE(t_yanked),
};

int main(int argc, char **argv)
{
	if (!sleep_ready()) {
		printf("1..1\n");
		return 0;
	}
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
