// SPDX-License-Identifier: MIT
/*
 * Failures that come together: two at once, one during a reset or a suspend, one in the words or the
 * memory that are the driver's. Exactly the channels at fault end, each of its own error. The work
 * of the others, which is queued beside them, is done, and is right.
 *
 * Guards blame, when failures come together (threat-model.rst), on one chip.
 */
#include "raw.h"

#include <pthread.h>
#include <sys/wait.h>

#define SEM		0x1234
#define NOWHERE		0x7f00000000ull
#define LINE		64
#define RESULT		512	/* in the page of an innocent channel: where the copy goes */
#define ENGINE_PFIFO	5	/* of the MMU */

static struct nv nv;
static uint32_t vm;

/* A channel whose work is a copy and a release, with an acquire before them. */
struct innocent {
	struct ch ch;
	struct bo page;		/* words: gate, released word; then the copy */
	uint64_t va;
};

static void world(void)
{
	/* The time limit ends nothing here. */
	module_reload("job_timeout_ms=600000");
	nv_open(&nv);
	vm = new_vm(&nv);
}

static void world_end(void)
{
	nv_close(&nv);
	module_reload("");
}

static struct ch graph_chan(void)
{
	struct ch c = ch_new(&nv, vm);

	graph_bind_m2mf(&c);
	graph_m2mf_format(&c, LINE, 1, LINE);
	need(ch_run(&c) == 1, "a channel in PGRAPH");

	return c;
}

static struct innocent innocent_new(void)
{
	struct innocent i = { .ch = graph_chan() };

	i.page = sys_bo(&nv, 4 * KIB);
	i.va = map(&nv, vm, &i.page);
	new_object(&i.ch, SEM, i.va, 4 * KIB);

	return i;
}

/* Queue its work, which waits for its gate. */
static void innocent_begin(struct innocent *i)
{
	memset(i->page.map, 0, 4 * KIB);
	i->page.map[2] = 0x600d;
	p_acquire(&i->ch, SEM, 0, 1);
	graph_m2mf_launch(&i->ch, i->va + 8, i->va + RESULT);
	p_release(&i->ch, SEM, 4, 0xd09e);
	need(!ch_submit(&i->ch), "SUBMIT");
}

static void innocent_ends(struct innocent *i, const char *what)
{
	volatile uint32_t *words = i->page.map;

	equal(ch_query(&i->ch).state, DRM_NVFIFO_CHANNEL_ALIVE, what);
	words[0] = 1;
	equal((uint32_t)sync_finish(&nv, i->ch.done), 1, "its queued work ends well");
	check(words[1] == 0xd09e && words[RESULT / 4] == 0x600d, "and has been done");
	check(ch_works(&i->ch), "its channel works");
}

static void dies(struct ch *c, uint32_t error, const char *what)
{
	struct drm_nvfifo_channel_query q;

	equal((uint32_t)sync_finish(&nv, c->done), (uint32_t)-ECANCELED, what);
	q = ch_query(c);
	equal(q.state, DRM_NVFIFO_CHANNEL_DEAD, "its channel is dead");
	equal(q.error, error, "of its own error");
}

static void bad_word(struct ch *c)
{
	p_word(c, 0xffffffff);
	need(!ch_submit(c), "SUBMIT");
}

static void copy(struct ch *c, uint64_t from, uint64_t to)
{
	graph_m2mf_launch(c, from, to);
	need(!ch_submit(c), "SUBMIT");
}

static void bad_copy(struct ch *c)
{
	copy(c, NOWHERE, NOWHERE);
}

static void works_on(const char *what)
{
	struct ch c = graph_chan();

	check(ch_works(&c), "%s: a new channel works", what);
}

/* --- At once ------------------------------------------------------------------------------- */

static void *freezer(void *arg)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/nvfifo_freeze", debug_dir());
	*(int *)arg = file_write(path, "1000");

	return NULL;
}

/* PFIFO is frozen while the work is queued, so that both failures are there when it goes on. */
static void two_at_once(void (*first)(struct ch *c), uint32_t error, const char *what)
{
	struct innocent bystander;
	pthread_t thread;
	struct ch a, b;
	int ret = 1;

	world();
	bystander = innocent_new();
	a = graph_chan();
	b = graph_chan();
	need(!pthread_create(&thread, NULL, freezer, &ret), "pthread_create");
	msleep(4 * HOLD_MS);
	first(&a);
	bad_copy(&b);
	innocent_begin(&bystander);
	pthread_join(thread, NULL);
	equal((uint32_t)ret, 0, "PFIFO was frozen");

	dies(&a, error, what);
	dies(&b, DRM_NVFIFO_ERROR_GRAPH, "and a copy from nowhere");
	innocent_ends(&bystander, "the channel beside them is alive");
	works_on(what);
	world_end();
}

static void t_pfifo_and_pgraph(void)
{
	two_at_once(bad_word, DRM_NVFIFO_ERROR_PUSHER, "a bad word");
}

static void t_pgraph_twice(void)
{
	two_at_once(bad_copy, DRM_NVFIFO_ERROR_GRAPH, "a copy from nowhere");
}

/* --- During a suspend ----------------------------------------------------------------------- */

static void t_suspend(void)
{
	struct innocent bystander;
	struct ch a, b;

	if (!pm_test_begin("platform", "sleep"))
		return;

	world();
	bystander = innocent_new();
	a = graph_chan();
	b = graph_chan();
	innocent_begin(&bystander);
	ctl(NVSIM_CTL_D3_LOSS, NVSIM_D3_LOST);

	/* The interrupt is lost, so that the suspend finds the errors. */
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_NO_IRQ);
	bad_copy(&b);
	bad_word(&a);
	equal((uint32_t)file_write("/sys/power/state", "freeze"), 0, "the system sleeps and wakes");
	ctl(NVSIM_CTL_D3_LOSS, NVSIM_D3_KEEP);
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_NO_IRQ);

	dies(&a, DRM_NVFIFO_ERROR_PUSHER, "a bad word before a suspend");
	dies(&b, DRM_NVFIFO_ERROR_GRAPH, "a copy from nowhere before a suspend");
	innocent_ends(&bystander, "the channel beside them is alive");
	works_on("after a suspend");
	world_end();
}

/* --- During a reset --------------------------------------------------------------------------- */

/* All units are reset, for a playlist that does not end, while the failures are queued. */
static void t_reset(void)
{
	struct innocent bystander;
	struct ch a, b;
	int status;
	uint32_t id;
	pid_t pid;

	world();
	bystander = innocent_new();
	a = graph_chan();
	b = graph_chan();
	violations_allow(true);
	need(ctl_line("inject playlist-stuck until units"), "inject");
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		_exit(chan_create(&nv, vm, 3, &id) ? 1 : 0);

	/* It waits for the playlist, two seconds before each reset. */
	msleep(8 * HOLD_MS);
	bad_copy(&b);
	bad_word(&a);
	innocent_begin(&bystander);
	need(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	equal((uint32_t)status, 0, "CHANNEL_CREATE succeeds after the resets");
	dies(&a, DRM_NVFIFO_ERROR_PUSHER, "a bad word before a reset");
	dies(&b, DRM_NVFIFO_ERROR_GRAPH, "a copy from nowhere before a reset");
	innocent_ends(&bystander, "the channel beside them is alive");
	violations_allow(false);
	works_on("after the resets");
	world_end();
}

#define PLAYLIST_LEN	0x32ec
#define PENDING		0x1100	/* of G84, and of G80; no playlist here is that long */
#define PULL0		0x3250	/* bit 0: PFIFO executes methods */
#define PGRAPH_INTR	0x400100
#define RESET_TRIES	4

static bool is_pending(void)
{
	return ctl(NVSIM_CTL_READ_REG, PLAYLIST_LEN) & PENDING;
}

/* PFIFO is stopped for the second reset of the ladder, of all units. */
static bool is_second_reset(void)
{
	return recovery_count("reset of PFIFO") == 1 && !(ctl(NVSIM_CTL_READ_REG, PULL0) & 1);
}

static bool is_handled(void)
{
	return !ctl(NVSIM_CTL_READ_REG, PGRAPH_INTR);
}

static void wait_until(bool (*is_true)(void), const char *what)
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;

	while (!is_true()) {
		need(now_ns() < end, "%s", what);
		msleep(1);
	}
}

/*
 * An error of PGRAPH that comes when PFIFO is stopped already, while the driver waits for PGRAPH to
 * get idle. PGRAPH shows busy until the error is handled. Return: the error of the channel.
 */
static uint32_t error_in_reset(void)
{
	struct innocent bystander;
	uint32_t id, error;
	struct ch c;
	int status;
	pid_t pid;

	world();
	bystander = innocent_new();
	c = graph_chan();
	innocent_begin(&bystander);
	violations_allow(true);
	need(ctl_line("inject playlist-stuck until units"), "inject playlist-stuck");
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork: %s", strerror(errno));
	if (!pid)
		_exit(chan_create(&nv, vm, 3, &id) ? 1 : 0);

	wait_until(is_pending, "the update of the playlist begins");
	need(ctl_line("inject pgraph-busy"), "inject pgraph-busy");
	wait_until(is_second_reset, "the reset of all units begins");
	need(ctl_line("pgraph mp 10 1234 5 10008001 e0800780"), "pgraph mp");
	wait_until(is_handled, "the error is handled, or forgotten");
	need(ctl_line("clear pgraph-busy"), "clear pgraph-busy");
	need(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	equal((uint32_t)status, 0, "CHANNEL_CREATE succeeds after the resets");
	equal(ch_query(&c).state, DRM_NVFIFO_CHANNEL_DEAD, "the channel of the error is dead");
	error = ch_query(&c).error;
	innocent_ends(&bystander, "the channel beside it is alive");
	violations_allow(false);
	works_on("after an error in a reset");
	world_end();

	return error;
}

/* The error comes too late if the machine stands still, but not in each try. */
static void t_error_in_reset(void)
{
	uint32_t error = 0, tries;

	for (tries = 0; tries < RESET_TRIES && error != DRM_NVFIFO_ERROR_GRAPH; tries++)
		error = error_in_reset();

	equal(error, DRM_NVFIFO_ERROR_GRAPH, "a channel ends of its own error");
}

/* --- The card goes during a reset ------------------------------------------------------------- */

/* The first reset has not helped, so the driver resets all units or waits after that. */
static bool has_first_reset_failed(void)
{
	return recovery_count("reset of PFIFO") == 1;
}

/* Begin a call that finds the card stuck, in a process that exits with the errno of its end. */
static pid_t create_begin(void)
{
	pid_t pid = child_fork();
	uint32_t id;

	if (!pid)
		_exit(-chan_create(&nv, vm, 3, &id));

	return pid;
}

/*
 * The card is lost, or the driver taken off it, while a call waits for the second reset. The call
 * ends with @err, all fences end, and the card works after a new bind.
 */
static void gone_in_reset(bool is_lost, bool is_removed, int err, const char *what)
{
	struct innocent bystander;
	int fence, status;
	pid_t pid;

	world();
	bystander = innocent_new();
	innocent_begin(&bystander);
	fence = sync_export(&nv, bystander.ch.done);
	need(fence >= 0, "export of a sync file");
	violations_allow(true);
	need(ctl_line("inject playlist-stuck"), "inject playlist-stuck");
	pid = create_begin();
	wait_until(has_first_reset_failed, "the second reset");
	if (is_lost)
		need(ctl_line("inject lost"), "inject lost");
	if (is_removed)
		equal((uint32_t)card_bind(false), 0, "the driver is taken off the card in a reset");

	need(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	equal((uint32_t)WEXITSTATUS(status), (uint32_t)err, what);
	check(sync_file_finish(fence) < 0, "a fence of queued work ends with an error");
	close(fence);
	if (!is_removed)
		equal((uint32_t)card_bind(false), 0, "the driver is taken off the card");

	need(ctl_line("clear"), "clear");
	equal((uint32_t)card_bind(true), 0, "and bound again");
	violations_allow(false);
	nv_close(&nv);
	nv_open(&nv);
	vm = new_vm(&nv);
	works_on(what);
	world_end();
}

static void t_gone_in_reset(void)
{
	gone_in_reset(true, false, ENODEV, "a card that is lost in a reset");
	gone_in_reset(false, true, EIO, "a removal in a reset");
	gone_in_reset(true, true, ENODEV, "a removal of a card that is lost in a reset");
}

/* --- In the memory of the driver --------------------------------------------------------------- */

/* The segment that the driver adds to a SUBMIT: the address in the ring's last used entry. */
static uint64_t fence_segment(struct ch *c)
{
	struct drm_nvfifo_channel_query q = ch_query(c);
	char *text = debug_text("nvfifo_dump"), head[32];
	uint64_t address = 0;
	unsigned int w[2];
	char *at, *end;

	snprintf(head, sizeof(head), "channel %u state", q.hw_id);
	at = strstr(text, head);
	need(at, "%s", head);
	end = strstr(at + 1, "\nchannel ");
	while ((at = strstr(at + 1, "\nib ")) && (!end || at < end))
		if (sscanf(at, " ib %*u %x %x", &w[0], &w[1]) == 2 && w[0] | w[1])
			address = (uint64_t)(w[1] & 0xff) << 32 | (w[0] & ~3u);

	free(text);

	return address;
}

static void t_fence_segment(void)
{
	struct innocent bystander;
	uint64_t address;
	struct ch c;

	world();
	bystander = innocent_new();
	c = ch_new(&nv, vm);
	check(ch_works(&c), "the channel works");
	address = fence_segment(&c);
	need(address && address != c.push_va, "the driver's segment is in the ring");
	innocent_begin(&bystander);
	need(ctl_line("vm-fault %u %llx", ENGINE_PFIFO, (unsigned long long)address), "vm-fault");
	p_ref(&c, 1);
	need(!ch_submit(&c), "SUBMIT");
	dies(&c, DRM_NVFIFO_ERROR_PUSHER, "the words of a fence cannot be fetched");
	ctl_line("clear");
	innocent_ends(&bystander, "the channel beside it is alive");
	works_on("a fence that cannot be fetched");
	world_end();
}

/* Address of the channel's RAMFC, from the channel table */
static uint32_t ramfc_address(struct ch *c)
{
	uint32_t table = ctl(NVSIM_CTL_READ_REG, 0x2600 + ch_query(c).hw_id * 4);

	if (nv.g84)
		return (table & 0xffffff) << 8;

	return (table << 12) + NVFIFO_G80_RAMFC;
}

/* The state that PFIFO has saved names a ring where no memory is. */
static void t_bad_ramfc(void)
{
	struct innocent bystander;
	struct ch c, other;

	world();
	bystander = innocent_new();
	c = ch_new(&nv, vm);
	check(ch_works(&c), "the channel works");

	/* Another channel is loaded, so the first one's state is in memory. */
	other = ch_new(&nv, vm);
	check(ch_works(&other), "another one, too");
	innocent_begin(&bystander);
	ctl(NVSIM_CTL_SET_ADDR, ramfc_address(&c) + NVFIFO_RAMFC_IB_ADDRESS_LOW);
	ctl(NVSIM_CTL_VRAM_WRITE, 0x7ff00000);
	p_ref(&c, 1);
	need(!ch_submit(&c), "SUBMIT");
	dies(&c, DRM_NVFIFO_ERROR_PUSHER, "a saved state with a wrong ring");
	check(ch_works(&other), "the other channel works");
	innocent_ends(&bystander, "so does the channel with work");
	works_on("a wrong saved state");
	world_end();
}

/* DMA object of PGRAPH's context in the channel structure, and the address that it names */
#define G80_CONTEXT	0x200
#define G84_CONTEXT	0x20

static uint32_t image_address(struct ch *c)
{
	uint32_t at = ramfc_address(c);

	if (nv.g84)
		at += G84_CONTEXT - NVFIFO_G84_RAMFC;
	else
		at += G80_CONTEXT - NVFIFO_G80_RAMFC;

	ctl(NVSIM_CTL_SET_ADDR, at + 8);

	return ctl(NVSIM_CTL_VRAM_READ, 0);
}

#define IMAGE_BYTES	(256 * KIB)	/* or more than an image has */
#define MARK		0x1d0c4u	/* a length that only one context has */

/* Find the length of M2MF's lines in the image. Return: its address in VRAM, 0 if not found. */
static uint32_t marked_word(uint32_t image)
{
	uint32_t words[1024], found = 0, at, i;
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/nvfifo_vram", debug_dir());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	need(fd >= 0, "%s", path);

	/* Each word costs an access to the card. */
	for (at = image; at < image + IMAGE_BYTES && !found; at += sizeof(words)) {
		need(pread(fd, words, sizeof(words), at) == (ssize_t)sizeof(words), "%s", path);
		for (i = 0; i < ARRAY_SIZE(words) && !found; i++)
			if (words[i] == MARK)
				found = at + i * 4;
	}
	close(fd);

	return found;
}

/* A word of the image, from which PGRAPH's state comes, is wrong: all ones as a length. */
static void t_bad_image(void)
{
	struct innocent bystander;
	struct ch c, other;
	uint32_t at;

	world();
	bystander = innocent_new();
	c = graph_chan();
	graph_m2mf_format(&c, MARK, 1, LINE);
	need(ch_run(&c) == 1, "a format");

	/* Another context is in PGRAPH, so the first one is in its image. */
	other = graph_chan();
	innocent_begin(&bystander);
	at = marked_word(image_address(&c));
	need(at, "the image has the length");
	ctl(NVSIM_CTL_SET_ADDR, at);
	ctl(NVSIM_CTL_VRAM_WRITE, ~0u);

	copy(&c, bystander.va + RESULT, bystander.va + 2 * RESULT);
	dies(&c, DRM_NVFIFO_ERROR_GRAPH, "a context image with a wrong word");
	check(ch_works(&other), "the other channel works");
	innocent_ends(&bystander, "so does the channel with work");
	works_on("a wrong image");
	world_end();
}

/* --- A kick, and a reset by another thread ------------------------------------------------------- */

#define CTXCTL_CUR	0x40032c	/* bit 31: PGRAPH holds a context */
#define TLB_FLUSH	0x100c80	/* bit 0: a flush has not ended */

/* Page of the channel's structure, as PGRAPH's registers name it */
static uint32_t structure_page(struct ch *c)
{
	uint32_t at = ramfc_address(c);

	if (nv.g84)
		at -= NVFIFO_G84_RAMFC;
	else
		at -= NVFIFO_G80_RAMFC;

	return at >> 12;
}

static bool flush_has_begun(void)
{
	return ctl(NVSIM_CTL_READ_REG, TLB_FLUSH) & 1;
}

/*
 * PGRAPH is busy with the context of a channel that is destroyed. Another thread's TLB flush does
 * not end, and so the driver resets PFIFO during the kick. The reset ends the kick. But PGRAPH still has
 * the context, and would save it into memory of another owner. The flush begins before the kick, as
 * both have the same time limit. Return: false if the machine was so slow that the flush timed out
 * before the kick began.
 */
static bool kick_and_reset(void)
{
	struct innocent bystander;
	struct ch c, flushed;
	uint32_t other, at;
	bool in_time;
	struct bo page;
	uint64_t va;
	int status;
	pid_t pid;

	world();
	bystander = innocent_new();
	other = new_vm(&nv);

	/* Without a PGRAPH object, so that the flush is one of PFIFO alone. */
	flushed = ch_new(&nv, other);
	check(ch_works(&flushed), "a channel without PGRAPH works");
	page = sys_bo(&nv, 4 * KIB);
	va = map(&nv, other, &page);
	c = graph_chan();
	at = structure_page(&c) | 1u << 31;
	equal(ctl(NVSIM_CTL_READ_REG, CTXCTL_CUR), at, "PGRAPH has the channel's context");

	violations_allow(true);
	need(ctl_line("inject pgraph-busy"), "inject pgraph-busy");
	need(ctl_line("inject tlb-stuck until pfifo"), "inject tlb-stuck");
	pid = child_fork();
	if (!pid)
		_exit(vm_unmap(&nv, other, va, page.size) ? 1 : 0);

	wait_until(flush_has_begun, "the flush begins");
	msleep(16 * HOLD_MS);
	in_time = recovery_count("reset of PFIFO") == 0;
	if (in_time)
		equal((uint32_t)chan_destroy(&nv, c.id), 0, "CHANNEL_DESTROY");
	violations_allow(false);
	if (in_time)
		check(ctl(NVSIM_CTL_READ_REG, CTXCTL_CUR) != at, "PGRAPH has not kept the context");

	need(ctl_line("clear"), "clear");
	need(waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
	equal((uint32_t)status, 0, "the flush ends after the reset");
	equal(recovery_count("reset of PFIFO"), 1, "one reset of PFIFO suffices");
	innocent_begin(&bystander);
	innocent_ends(&bystander, "the channel beside it is alive");
	works_on("after a kick in a reset");
	world_end();

	return in_time;
}

static void t_kick_and_reset(void)
{
	uint32_t tries = 0;

	while (!kick_and_reset())
		need(++tries < 20, "a kick begins before the flush times out");
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST(t_pfifo_and_pgraph), TEST(t_pgraph_twice), TEST_ONCE(t_suspend),
		TEST_ONCE(t_reset), TEST_ONCE(t_error_in_reset), TEST_ONCE(t_gone_in_reset),
		TEST(t_fence_segment), TEST(t_bad_ramfc), TEST(t_bad_image),
		TEST_ONCE(t_kick_and_reset),
	};

	if (!ctl_present()) {
		printf("1..0 # SKIP no model\n");
		return 0;
	}

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
