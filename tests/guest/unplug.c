// SPDX-License-Identifier: MIT
/*
 * Removal of a card while processes wait in the driver: they must not delay it, neither for this
 * card nor for another.
 *
 *	unplug t_two	with a second card in the machine
 *
 * Guards the kernel: removal in bounded time (threat-model.rst), on one chip.
 */
#include "raw.h"

#include <pthread.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#define SEM		0x1234
#define WAITING_MAX	1024	/* SUBMITs of a channel that wait until the next one sleeps */

/*
 * Long enough that an unbind which waits for the work fails, on a slow machine too. A call that
 * waits for PGRAPH does so for 60 s.
 */
#define JOB_MS		90000u
#define REMOVE_MS	50000u

static struct nv nv;
static uint32_t vm;
static struct bo data;
static uint64_t data_va;

static void load(void)
{
	char options[32];

	snprintf(options, sizeof(options), "job_timeout_ms=%u", JOB_MS);
	module_reload(options);
}

static void world(void)
{
	nv_open(&nv);
	vm = new_vm(&nv);
	data = sys_bo(&nv, 4096);
	data_va = map(&nv, vm, &data);
}

static struct ch chan(void)
{
	struct ch c = ch_new(&nv, vm);

	new_object(&c, SEM, data_va, data.size);
	return c;
}

struct sleeper {
	pthread_t thread;
	unsigned long request;
	void *arg;
	volatile int ret;	/* 1 while it sleeps */
};

static void *sleeper_thread(void *arg)
{
	struct sleeper *s = arg;

	s->ret = ioctl(nv.fd, s->request, s->arg) ? -errno : 0;
	return NULL;
}

static void sleeper_start(struct sleeper *s, unsigned long request, void *arg)
{
	*s = (struct sleeper){ .request = request, .arg = arg, .ret = 1 };
	need(!pthread_create(&s->thread, NULL, sleeper_thread, s), "pthread_create");
	msleep(2 * HOLD_MS);
}

static bool is_over(struct sleeper *s, unsigned int ms)
{
	int64_t start = now_ns();

	while (s->ret == 1 && ms_since(start) < ms)
		msleep(5);
	return s->ret != 1;
}

/* Remove the card while the most SUBMITs wait, and another one sleeps until there is room. */
static void t_submit(void)
{
	struct drm_nvfifo_submit sub = { 0 };
	struct drm_nvfifo_sync sync;
	struct sleeper s;
	struct ch b, c;
	int64_t start;
	int i, ret;

	load();
	world();
	b = chan();
	c = chan();
	p_acquire(&b, SEM, 0, 1);
	need(!ch_submit(&b), "SUBMIT");
	sync = sync_wait_for(b.done);

	for (i = 0; i < WAITING_MAX; i++)
		need(!submit_raw(&nv, c.id, NULL, 0, &sync, 1, NULL), "SUBMIT that waits");

	sub.channel_id = c.id;
	sub.syncs = (struct drm_nvfifo_array){ sizeof(sync), 1, (uintptr_t)&sync };
	sub.entries.stride = sizeof(struct drm_nvfifo_entry);
	sleeper_start(&s, DRM_IOCTL_NVFIFO_SUBMIT, &sub);
	equal((uint32_t)s.ret, 1, "one SUBMIT more sleeps");
	start = now_ns();
	ret = card_bind(false);
	check(!ret && ms_since(start) < REMOVE_MS, "unbind meanwhile (%u ms)", ms_since(start));
	check(is_over(&s, WAIT_MS), "and the SUBMIT comes back");
	equal((uint32_t)s.ret, (uint32_t)-ENODEV, "with ENODEV");
	pthread_join(s.thread, NULL);
	nv_close(&nv);
	need(!card_bind(true), "bind");
	world();
	c = chan();
	check(ch_works(&c), "the card works after it was given back");
	nv_close(&nv);
	module_reload("");
}

/* CHANNEL_WAIT for a word that is never written. */
static void t_wait(void)
{
	struct drm_nvfifo_channel_wait w = { .value = 1, .timeout_ns = INT64_MAX };
	struct sleeper s;
	int64_t start;
	struct ch c;

	world();
	c = chan();
	w.channel_id = c.id;
	w.address = (uintptr_t)data.map;
	sleeper_start(&s, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w);
	equal((uint32_t)s.ret, 1, "CHANNEL_WAIT sleeps");
	start = now_ns();
	need(!card_bind(false), "unbind");
	check(ms_since(start) < REMOVE_MS, "unbind meanwhile (%u ms)", ms_since(start));
	check(is_over(&s, WAIT_MS), "it comes back");
	check(s.ret == -ENODEV || s.ret == -ECANCELED, "with an error (%d)", s.ret);
	pthread_join(s.thread, NULL);
	nv_close(&nv);
	need(!card_bind(true), "bind");
}

/* Close a file with channels during the card's removal. */
static void t_close(void)
{
	uint32_t round, good = 0;
	int go[2], status;
	pid_t pid;
	char byte;

	for (round = 0; round < 12; round++) {
		need(!pipe(go), "pipe");
		fflush(stdout);
		pid = fork();
		if (!pid) {
			struct ch c[4];
			uint32_t i;

			tap_env_set = false;
			world();
			for (i = 0; i < 4; i++) {
				c[i] = chan();
				p_acquire(&c[i], SEM, 0, 1);
				if (ch_submit(&c[i]))
					_exit(1);
			}
			byte = 1;
			if (write(go[1], &byte, 1) != 1)
				_exit(1);
			msleep(round * 5);
			_exit(0);
		}

		need(pid > 0 && read(go[0], &byte, 1) == 1, "the child is at work");
		msleep(20);
		good += !card_bind(false);
		need(waitpid(pid, &status, 0) == pid && !status, "the child");
		good += !card_bind(true);
		close(go[0]);
		close(go[1]);
	}

	equal(good, 2 * round, "unbind and bind beside a file that is closed");

	world();
	{
		struct ch c = chan();

		check(ch_works(&c), "the card works");
	}

	nv_close(&nv);
}

/* --- Two cards --------------------------------------------------------------------------- */

/*
 * The slot of the card that is not that of the render node @fd. The model's control capability is
 * that of the node's card from then on.
 */
static void other_slot(int fd, char slot[64])
{
	char path[80], own[256];
	struct dirent *e;
	struct stat st;
	ssize_t n;
	DIR *d;

	need(!fstat(fd, &st), "fstat");

	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
		 minor(st.st_rdev));
	n = readlink(path, own, sizeof(own) - 1);
	need(n > 0, "readlink %s", path);

	own[n] = 0;
	slot[0] = 0;
	d = opendir("/sys/bus/pci/drivers/nvfifo");
	need(d, "the driver's directory");

	while ((e = readdir(d)))
		if (strchr(e->d_name, ':') && !strstr(own, e->d_name))
			snprintf(slot, 64, "%.63s", e->d_name);

	closedir(d);
	card_choose(strrchr(own, '/') + 1);
}

static void t_two_cards(void)
{
	struct drm_nvfifo_channel_wait w = { .value = 1, .timeout_ns = INT64_MAX };
	struct sleeper s;
	char slot[64];
	int64_t start;
	struct ch c;

	world();
	other_slot(nv.fd, slot);
	if (!slot[0]) {
		skip("two cards # SKIP there is one");
		return;
	}

	c = chan();
	w.channel_id = c.id;
	w.address = (uintptr_t)data.map;
	w.timeout_ns = now_ns() + JOB_MS * 1000000ll;
	sleeper_start(&s, DRM_IOCTL_NVFIFO_CHANNEL_WAIT, &w);
	equal((uint32_t)s.ret, 1, "CHANNEL_WAIT sleeps on one card");
	start = now_ns();
	need(!file_write("/sys/bus/pci/drivers/nvfifo/unbind", slot), "unbind %s", slot);
	check(ms_since(start) < REMOVE_MS, "the other card goes meanwhile (%u ms)",
	      ms_since(start));
	equal((uint32_t)s.ret, 1, "the wait goes on");
	*data.map = 1;
	p_ref(&c, 1);
	need(ch_run(&c) == 1, "SUBMIT");
	check(is_over(&s, WAIT_MS) && !s.ret, "until it ends well");
	pthread_join(s.thread, NULL);
	need(!file_write("/sys/bus/pci/drivers/nvfifo/bind", slot), "bind %s", slot);
	nv_close(&nv);
}

/* --- Calls that wait for work in PGRAPH -------------------------------------------------------- */

#define OTHER		0x2000	/* handle of an object */

/* The channel that works in PGRAPH, and one that PGRAPH has known. */
static struct ch busy, known;
static volatile uint32_t objects;	/* of @busy that were made and destroyed */

static int wait_vm_bind(void)
{
	return vm_unmap(&nv, vm, data_va, data.size);
}

static int wait_create(void)
{
	uint32_t id;

	return chan_create(&nv, vm, 0, &id);
}

/* The driver frees the channel later, which takes a flush of PGRAPH's TLB. */
static int wait_destroy(void)
{
	return chan_destroy(&nv, known.id);
}

static int wait_destroy_busy(void)
{
	return chan_destroy(&nv, busy.id);
}

/*
 * Make objects that all differ, and destroy each. When no place is left, OBJECT_CREATE takes the
 * channel off the card, to reclaim the places of destroyed ones.
 */
static int objects_pass(uint32_t count)
{
	int ret = 0;

	for (; count-- && !ret; objects++) {
		ret = object_dma(&nv, busy.id, OTHER, data_va + 4 * objects, 4);
		if (!ret)
			ret = object_destroy(&nv, busy.id, OTHER);
	}

	return ret;
}

static int wait_object(void)
{
	return objects_pass(2000);
}

struct busy_call {
	int (*call)(void);
	const char *name;
	bool ends;	/* the driver ends the channel that works for too long */
};

static void *busy_thread(void *arg)
{
	struct sleeper *s = arg;
	int (*call)(void) = s->arg;

	s->ret = call();

	return NULL;
}

static void busy_world(void)
{
	world();
	busy = chan();
	known = chan();
	graph_bind_m2mf(&busy);
	graph_bind_m2mf(&known);
	need(ch_run(&known) == 1 && ch_run(&busy) == 1, "M2MF is bound");
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	p_subc_mthd(&busy, 5, 0x100, 0);
	need(!ch_submit(&busy), "SUBMIT");
}

/* One call waits for PGRAPH while a card goes: @slot, or without one the card itself. */
static void busy_one(const struct busy_call *c, const char *slot)
{
	struct sleeper s = { .arg = c->call, .ret = 1 };
	const char *name = c->name;
	const char *gone = slot ? slot : card_slot();
	uint32_t done;
	int64_t start;

	objects = 0;
	busy_world();
	need(!pthread_create(&s.thread, NULL, busy_thread, &s), "pthread_create");

	do {
		done = objects;
		msleep(500);
	} while (objects != done);

	if (s.ret != 1)
		diag("%s does not wait: %d", name, s.ret);

	start = now_ns();
	need(!file_write("/sys/bus/pci/drivers/nvfifo/unbind", gone), "unbind %s", gone);
	check(ms_since(start) < REMOVE_MS, "%s beside work in PGRAPH: unbind (%u ms)", name,
	      ms_since(start));
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_PGRAPH_BUSY);
	check(is_over(&s, WAIT_MS), "%s ends", name);
	pthread_join(s.thread, NULL);
	if (slot && !c->ends)
		check(ch_works(&busy), "the channel goes on");
	nv_close(&nv);
	need(!file_write("/sys/bus/pci/drivers/nvfifo/bind", gone), "bind %s", gone);
}

static void busy_all(const char *slot)
{
	static const struct busy_call calls[] = {
		{ wait_vm_bind, "VM_BIND", false },
		{ wait_create, "CHANNEL_CREATE", false },
		{ wait_destroy, "CHANNEL_DESTROY", false },
		{ wait_destroy_busy, "CHANNEL_DESTROY of the channel at work", true },
		{ wait_object, "OBJECT_CREATE", true },
	};
	uint32_t i;

	load();
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		busy_one(&calls[i], slot);

	module_reload("");
}

/* The card goes. Its present work costs the removal nothing, as all channels end. */
static void t_busy(void)
{
	if (!ctl_present()) {
		skip("calls that wait for PGRAPH # SKIP only the model can be told to be slow");
		return;
	}

	busy_all(NULL);
}

/* --- Memory that a removal finds mapped ---------------------------------------------------------- */

#define DOOMED		6
#define DOOMED_BYTES	(64 * KIB)
#define DOOMED_WORD	0xbad0bad0
#define KICK_US		5000000
#define LOOKS		2

/* A channel that writes to a buffer without end, and another whose fence lets the buffer go */
struct doomed {
	struct lin writer;
	struct ch gate;
	volatile uint32_t *word;	/* the gate's channel waits for it */
	struct bo target;		/* kept by its mapping alone */
};

static void doomed_start(struct doomed *d)
{
	uint32_t space = new_vm(&nv), i;
	struct bo word = sys_bo(&nv, 4096);

	d->gate = ch_new(&nv, vm);
	d->word = word.map;
	new_object(&d->gate, SEM, map(&nv, vm, &word), word.size);
	p_acquire(&d->gate, SEM, 0, 1);
	need(!ch_submit(&d->gate), "SUBMIT");

	d->writer = lin_order(&nv, space, 0, 4096);
	d->target = sys_bo(&nv, DOOMED_BYTES);
	need(!vm_map_at(&nv, space, &d->target, GIB, 0, 0), "map");
	need(!object_dma(&nv, d->writer.id, SEM, GIB, DOOMED_BYTES), "OBJECT_CREATE");
	for (i = 0; i < DOOMED_BYTES; i += 4096)
		l_release(&d->writer, SEM, i, DOOMED_WORD);
	l_word(&d->writer, JUMP(d->writer.va));
	need(!lin_submit(&d->writer), "SUBMIT");
	need(poll_word((volatile uint32_t *)d->target.map, DOOMED_WORD), "the channel writes");

	need(!vm_bind_when(&nv, space, op_unmap(GIB, DOOMED_BYTES), d->gate.done, 0), "VM_BIND");
	bo_unmap(&d->target);
	need(!bo_close(&nv, d->target.handle), "close");
}

/* New pages of this process, looked at for a moment. Return: the words that are not 0. */
static uint32_t dirty_words(void)
{
	uint32_t i, pass, dirty = 0, words = MIB / 4;
	volatile uint32_t *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	need(p != MAP_FAILED, "mmap: %s", strerror(errno));
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < words; i += 1024)
			dirty += p[i] != 0;
		msleep(5);
	}

	munmap((void *)p, MIB);

	return dirty;
}

static void *unbind_thread(void *arg)
{
	struct sleeper *s = arg;

	s->ret = card_bind(false);

	return NULL;
}

/*
 * A removal waits for a call that keeps the card, while channels still run. VM_BINDs that can no
 * longer clear their PTEs meanwhile must not free memory.
 */
static void t_unmap(void)
{
	static struct doomed all[DOOMED];
	struct sleeper creator = { .arg = wait_object, .ret = 1 }, unbind = { .ret = 1 };
	uint32_t i, done, dirty = 0, looks = 0;

	if (!ctl_present()) {
		skip("unmaps beside a removal # SKIP only the model can be told to be slow");
		return;
	}

	load();
	world();
	busy = chan();
	graph_bind_m2mf(&busy);
	need(ch_run(&busy) == 1, "M2MF is bound");
	for (i = 0; i < DOOMED; i++)
		doomed_start(&all[i]);

	need(ctl_line("delay kick %u", KICK_US), "a delay");
	objects = 0;
	need(!pthread_create(&creator.thread, NULL, busy_thread, &creator), "pthread_create");

	do {
		done = objects;
		msleep(300);
	} while (objects != done);

	need(creator.ret == 1, "OBJECT_CREATE waits");
	need(!pthread_create(&unbind.thread, NULL, unbind_thread, &unbind), "pthread_create");

	/* One after the other, so that some fences end between the close of the gate and the halt. */
	for (i = 0; unbind.ret == 1; looks++) {
		if (looks % LOOKS == 0 && i < DOOMED)
			*all[i++].word = 1;
		dirty += dirty_words();
	}

	pthread_join(unbind.thread, NULL);
	pthread_join(creator.thread, NULL);
	need(ctl_line("delay kick 0"), "an end of the delay");
	diag("%u looks", looks);
	equal(dirty, 0, "channels write to no memory that a VM_BIND has freed");
	nv_close(&nv);
	need(!card_bind(true), "bind");
	module_reload("");
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST(t_submit), TEST(t_wait), TEST_ONCE(t_close), TEST(t_busy), TEST(t_two_cards),
		TEST_ONCE(t_unmap),
	};

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
