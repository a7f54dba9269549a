// SPDX-License-Identifier: MIT
/*
 * Failures of the card, which the model makes on request: a procedure that ends late or never, lost
 * interrupts, a card that no longer answers.
 *
 * If a reset ends the procedure, no channel may lose work. If no reset does, the card is wedged.
 * The call that notices returns the error, and later calls do not wait again. Every fence ends,
 * files can be closed, and the module can be removed. A card that has recovered works after a new
 * bind.
 *
 * Guards blame and bounded waits (threat-model.rst), on each generation.
 */
#include "raw.h"
#include "../rig/witness.h"

#define SEM 0x1234

/* Far less than a wait of 2 s that polls a register every 10 us or so. */
#define FEW_READS 200

static struct nv nv;
static uint32_t vm;
static struct ch ch, held;
static struct bo data;
static uint64_t data_va;
static int held_fence;

/* Reload the driver, and start work on one of two channels. */
static void world_with(const char *options)
{
	module_reload(options);
	nv_open(&nv);
	vm = new_vm(&nv);
	ch = ch_new(&nv, vm);
	held = ch_new(&nv, vm);
	data = sys_bo(&nv, 4096);
	data_va = map(&nv, vm, &data);
	new_object(&held, SEM, data_va, 4096);
	p_acquire(&held, SEM, 0, 0x77777777);
	need(!ch_submit(&held), "SUBMIT");
	held_fence = sync_export(&nv, held.done);
	need(held_fence >= 0, "export of a sync file");
	check(ch_works(&ch), "the card works");
	/* The driver cannot stop such a card, which may continue to read memory. */
	violations_allow(true);
}

/* The time limit ends no work: a machine that stands still makes a reset long. */
static void world(void)
{
	world_with("job_timeout_ms=600000");
}

static bool held_ends(void)
{
	struct sync_file_info info;
	int64_t end = now_ns() + WAIT_MS * 1000000ll;

	do {
		memset(&info, 0, sizeof(info));
		if (nv_ioctl(held_fence, SYNC_IOC_FILE_INFO, &info))
			return false;
		msleep(5);
	} while (!info.status && now_ns() < end);
	if (info.status >= 0)
		diag("status of the fence: %d", info.status);
	return info.status < 0;
}

/* Every call must now fail at once, with the same errno. */
static void all_calls_fail(int err, const char *what)
{
	uint32_t reads = stat_of(mmio_reads), id;
	struct bo bo;
	int ret;

	refused(vm_create(&nv, &id), err, "VM_CREATE");
	refused(bo_create(&nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, 4096), err, "BO_CREATE");
	refused(vm_unmap(&nv, vm, 512 * MIB, 4096), err, "VM_BIND");
	refused(chan_create(&nv, vm, 0, &id), err, "CHANNEL_CREATE");
	refused(object_dma(&nv, held.id, 0x99, 1 * MIB, 4096), err, "OBJECT_CREATE");
	ret = submit_raw(&nv, held.id, NULL, 0, NULL, 0, NULL);
	check(ret == -err || ret == -ECANCELED, "SUBMIT: %s or ECANCELED (%d)", strerrorname_np(err),
	      ret);
	check(stat_of(mmio_reads) - reads < FEW_READS,
	      "%s: no thread waits for it a second time", what);
}

/* Close the files, remove the module, let the card recover, and check that it works. */
static void recovers(const char *what)
{
	struct ch c;
	int ret;

	nv_close(&nv);
	close(held_fence);
	ret = module_unload_soon();
	check(!ret, "%s: the module can be removed (%d)", what, ret);
	ctl(NVSIM_CTL_CLEAR, ~0u);
	ret = module_load("");
	check(!ret, "%s: and loaded again (%d)", what, ret);
	violations_allow(false);
	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	check(ch_works(&c), "%s: a card that has recovered works", what);
	nv_close(&nv);
}

static void is_dead(struct ch *c, const char *what)
{
	struct drm_nvfifo_channel_query q;
	int ret = chan_query(&nv, c->id, &q);

	check(ret == -ENODEV ||
	      (!ret && q.state == DRM_NVFIFO_CHANNEL_DEAD && q.error == DRM_NVFIFO_ERROR_LOST),
	      "%s: the channel is dead with the card", what);
}

/* The channel with work in flight must end it without an error. */
static void held_goes_on(const char *what)
{
	equal(ch_query(&held).state, DRM_NVFIFO_CHANNEL_ALIVE, "the other channel is alive");
	((volatile uint32_t *)data.map)[0] = 0x77777777;
	equal((uint32_t)sync_finish(&nv, held.done), 1, "its work in flight ends well");
	check(ch_works(&held), "%s: and it works", what);
}

/* --- Procedures that do not end -------------------------------------------------------- */

static int call_unmap(void)
{
	uint64_t va = 512 * MIB;
	int ret = vm_map_at(&nv, vm, &data, va, 0, 12);

	return ret ? ret : vm_unmap(&nv, vm, va, data.size);
}

static int call_object(void)
{
	return object_dma(&nv, ch.id, 0x55, 1 * MIB, 4096);
}

static int call_channel(void)
{
	uint32_t id;
	int ret = chan_create(&nv, vm, 0, &id);

	return ret ? ret : chan_destroy(&nv, id);
}

static int call_freeze(void)
{
	char path[512];
	int ret;

	snprintf(path, sizeof(path), "%s/nvfifo_freeze", debug_dir());
	ret = file_write(path, "1");
	return ret < 0 ? ret : -ret;
}

/* The channel that is kicked is another one: @ch is needed later. */
static int call_kick(void)
{
	struct ch c = ch_new(&nv, vm);

	graph_bind_m2mf(&c);
	need(ch_run(&c) == 1, "a channel that PGRAPH knows");
	return chan_destroy(&nv, c.id);
}

static const struct hang {
	const char *inject, *what;
	int (*call)(void);
} hangs[] = {
	{ "tlb-stuck", "TLB flush", call_unmap },
	{ "barflush-stuck", "BAR flush", call_object },
	{ "playlist-stuck", "playlist update", call_channel },
	{ "freeze-stuck", "freeze", call_freeze },
	{ "kick-stuck", "kick", call_kick },
};

/* The procedure ends after a reset, the call succeeds, and no channel loses work. */
static void comes_back(const struct hang *h, const char *until, unsigned int pfifo,
		       unsigned int units)
{
	struct ch c;
	int ret;

	world();
	need(ctl_line("inject %s %s", h->inject, until), "inject %s %s", h->inject, until);
	ret = h->call();
	check(!ret, "%s, stuck %s (%d)", h->what, until, ret);
	ctl_line("clear");
	equal(recovery_count("reset of PFIFO"), pfifo, "resets of PFIFO");
	equal(recovery_count("reset of all units"), units, "resets of all units");
	held_goes_on(h->what);
	check(ch_works(&ch), "%s: a channel that was idle works", h->what);
	c = ch_new(&nv, vm);
	check(ch_works(&c), "%s: a new channel works", h->what);
	violations_allow(false);
	nv_close(&nv);
	close(held_fence);
}

static void t_until_pfifo(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hangs); i++)
		comes_back(&hangs[i], "until pfifo", 1, 0);
}

static void t_until_units(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hangs); i++)
		if (hangs[i].call != call_kick)
			comes_back(&hangs[i], "until units", 1, 1);
}

/* A procedure that is slow, but ends within the first wait: nothing is reset. */
static void t_slow(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hangs); i++)
		comes_back(&hangs[i], "for 300000", 0, 0);
}

/* An endless procedure: the driver gives the card up after both resets; a new bind works. */
static void t_for_ever(void)
{
	unsigned int i;
	struct ch c;
	int ret;

	for (i = 0; i < ARRAY_SIZE(hangs); i++) {
		const struct hang *h = &hangs[i];

		/* Without engine or page, a channel that is not kicked any more is gone. */
		if (h->call == call_kick)
			continue;

		world();
		need(ctl_line("inject %s", h->inject), "inject %s", h->inject);
		ret = h->call();
		check(ret == -EIO, "%s that never ends (%d)", h->what, ret);
		equal(recovery_count("reset of PFIFO"), 1, "resets of PFIFO");
		equal(recovery_count("reset of all units"), 1, "resets of all units");
		check(held_ends(), "%s: work in flight ends with an error", h->what);
		all_calls_fail(EIO, h->what);
		is_dead(&ch, h->what);
		nv_close(&nv);
		close(held_fence);
		ctl_line("clear");
		check(!card_bind(false), "%s: unbind", h->what);
		check(!card_bind(true), "%s: the card is bound anew", h->what);
		violations_allow(false);
		nv_open(&nv);
		c = ch_new(&nv, new_vm(&nv));
		check(ch_works(&c), "%s: and works", h->what);
		nv_close(&nv);
	}
}

/* PFIFO is reset, and the remaining channels continue at their position. */
static void t_kick_stuck(void)
{
	struct ch c;

	world();
	graph_bind_m2mf(&ch);
	need(ch_run(&ch) == 1, "a channel that PGRAPH knows");
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_KICK_STUCK);
	equal(chan_destroy(&nv, ch.id), 0, "CHANNEL_DESTROY whose kick never ends");
	held_goes_on("kick");
	c = ch_new(&nv, vm);
	check(ch_works(&c), "a new channel works");
	equal(chan_destroy(&nv, c.id), 0, "and is destroyed, without a kick");
	recovers("kick");
}

/* The kick of a channel that an error ended: no call waits for this kick. */
static void t_kick_stuck_in_error(void)
{
	world();
	graph_bind_m2mf(&ch);
	need(ch_run(&ch) == 1, "a channel that PGRAPH knows");
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_KICK_STUCK);
	p_word(&ch, 0xffffffff);
	need(!ch_submit(&ch), "SUBMIT");
	check(sync_finish(&nv, ch.done) < 0, "the fence of a channel that cannot be kicked ends");
	held_goes_on("kick of a dead channel");
	recovers("kick of a dead channel");
}

static void t_lost(void)
{
	struct drm_nvfifo_device_query time = { .type = DRM_NVFIFO_QUERY_TIME };
	struct drm_nvfifo_channel_query q;

	world();
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_LOST);
	refused(vm_unmap(&nv, vm, data_va, data.size), ENODEV, "VM_BIND with a card that is gone");
	check(held_ends(), "work in flight ends with an error");
	all_calls_fail(ENODEV, "lost card");
	refused(chan_query(&nv, ch.id, &q), ENODEV, "CHANNEL_QUERY");
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_DEVICE_QUERY, &time), ENODEV, "the time");
	recovers("lost card");
}

/* Without a call, the time limit of the work in flight detects the failure. */
static void t_lost_unnoticed(void)
{
	world_with("job_timeout_ms=3000");
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_LOST);
	check(held_ends(), "work in flight on a card that is gone ends with an error");
	recovers("lost card");
}

static void t_lost_at_remove(void)
{
	world();
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_LOST);
	equal(card_bind(false), 0, "unbind of a card that is gone");
	check(held_ends(), "work in flight ends with an error");
	recovers("lost card");
}

/* The fence is in memory, and only its message is missing. */
static void t_no_interrupt(void)
{
	world();
	((volatile uint32_t *)data.map)[0] = 0x77777777;
	need(sync_finish(&nv, held.done) == 1, "acquire");
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_NO_IRQ);
	p_ref(&ch, 0x10c7);
	equal((uint32_t)ch_run(&ch), 1, "work whose interrupt is lost ends");
	equal(ch_query(&ch).state, DRM_NVFIFO_CHANNEL_ALIVE, "its channel is alive");
	equal(ch_query(&ch).ref, 0x10c7, "it was executed");
	ctl(NVSIM_CTL_CLEAR, ~0u);
	check(ch_works(&ch) && ch_works(&held), "later work ends by interrupt again");
	recovers("lost interrupt");
}

#define LOST_LINE	"the card's interrupts do not arrive"

/* A board that does not pass the card's messages: work ends, and the log says once why it is slow. */
static void t_lost_interrupts(void)
{
	unsigned int i, before;

	world();
	((volatile uint32_t *)data.map)[0] = 0x77777777;
	need(sync_finish(&nv, held.done) == 1, "acquire");
	new_object(&ch, SEM, data_va, 4096);

	before = log_count(LOST_LINE);
	for (i = 0; i < 4; i++)
		need(ch_sleep(&ch, SEM, data.map) == 1, "a job");
	equal(log_count(LOST_LINE), before, "no line while interrupts arrive");

	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_NO_IRQ);
	for (i = 0; i < 6; i++)
		equal((uint32_t)ch_sleep(&ch, SEM, data.map), 1, "work without interrupts ends");
	ctl(NVSIM_CTL_CLEAR, ~0u);
	equal(log_count(LOST_LINE), before + 1, "the log says that interrupts do not arrive");
	recovers("lost interrupts");
}

/* The module's limit is ten minutes, so the channel's own limit ends the work. */
static void t_hang_limit(void)
{
	struct drm_nvfifo_channel_create create = { 0 };
	struct drm_nvfifo_channel_query q;
	struct ch hung;

	module_reload("job_timeout_ms=600000");
	nv_open(&nv);
	equal(nv.lim.hang_limit_max, 600000, "the module parameter is the largest limit");
	vm = new_vm(&nv);
	ch = ch_new(&nv, vm);
	data = sys_bo(&nv, 4096);
	data_va = map(&nv, vm, &data);
	hung = ch_new(&nv, vm);
	chan_destroy(&nv, hung.id);
	create.vm_id = vm;
	create.hang_limit_ms = 300;
	need(!chan_create_args(&nv, &create), "CHANNEL_CREATE with a limit");
	hung.id = create.id;
	new_object(&hung, SEM, data_va, 4096);
	p_acquire(&hung, SEM, 0, 0x77777777);
	need(!ch_submit(&hung), "SUBMIT");
	equal((uint32_t)sync_finish(&nv, hung.done), (uint32_t)-ECANCELED,
	      "work beyond the limit of its channel ends");
	q = ch_query(&hung);
	equal(q.error, DRM_NVFIFO_ERROR_TIMEOUT, "as TIMEOUT");
	check(ch_works(&ch), "another channel works");
	nv_close(&nv);
}

/* Wait for a line of debugfs. */
__attribute__((format(printf, 1, 2))) static bool recovery_says(const char *fmt, ...)
{
	int64_t end = now_ns() + WAIT_MS * 1000000ll;
	char line[120], *text;
	va_list args;
	bool found;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	do {
		text = debug_text("nvfifo_recovery");
		found = strstr(text, line);
		free(text);
		if (!found)
			msleep(20);
	} while (!found && now_ns() < end);
	return found;
}

#define PFIFO_INTR_EN	0x002140
#define PFIFO_NOTIFY	0x40000000

/* Read which interrupts are on, without NOTIFY, which waits turn on and off. */
static uint32_t interrupts_on(uint32_t mask)
{
	uint32_t on = ctl(NVSIM_CTL_READ_REG, mask);

	return mask == PFIFO_INTR_EN ? on & ~PFIFO_NOTIFY : on;
}

/* Interrupts without end that have no known cause are masked until the driver is bound again. */
static void t_storms(void)
{
	static const struct {
		const char *unit, *name;
		uint32_t bits, mask;
	} rows[] = {
		{ "pbus", "PBUS", 0x8, 0x001140 },
		{ "pfifo", "PFIFO", 0x20000, PFIFO_INTR_EN },
		{ "pgraph", "PGRAPH", 0x80000000, 0x40013c },
	};
	struct witness *w;
	char line[120];
	unsigned int i;
	int64_t start;
	uint32_t all;

	module_reload("");
	nv_open(&nv);
	vm = new_vm(&nv);
	ch = ch_new(&nv, vm);
	graph_bind_m2mf(&ch);
	need(ch_run(&ch) == 1, "an object of PGRAPH");
	ch_free(&ch);
	w = witness_start(WITNESS_PFIFO);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		all = interrupts_on(rows[i].mask);
		need(ctl_line("irq storm %s %x", rows[i].unit, rows[i].bits), "a storm");
		snprintf(line, sizeof(line), "%s interrupt %08x does not stop, and is masked for good",
			 rows[i].name, rows[i].bits);
		start = now_ns();
		while (!log_has(line) && may_come(start))
			;
		check(log_has(line), "%s: the log has it", rows[i].name);
		equal(interrupts_on(rows[i].mask), all & ~rows[i].bits,
		      "the unit's other interrupts stay on");
		check(witness_lives(w, WAIT_MS), "%s: another process works meanwhile", rows[i].name);
		need(ctl_line("irq storm %s off", rows[i].unit), "its end");
	}
	witness_stop(w, WAIT_MS, "storms of interrupts");
	nv_close(&nv);
	module_reload("");
}

#define PDISPLAY	0x04000000	/* in PMC.INTR_HOST */

/* Does the log have a text, within the time that a machine may stand still? */
static bool log_gets(const char *text)
{
	int64_t start = now_ns();

	while (!log_has(text)) {
		if (!may_come(start))
			return false;
	}

	return true;
}

/*
 * A unit that the driver does not use keeps its interrupt up. PMC masks it on GT215 and later.
 * On others the driver goes on between two interrupts.
 */
static void t_unit_storm(void)
{
	struct drm_nvfifo_channel_query q;
	struct witness *w;

	module_reload("");
	nv_open(&nv);
	vm = new_vm(&nv);
	w = witness_start(WITNESS_PFIFO);
	ch = ch_new(&nv, vm);
	need(ctl_line("irq storm unit %x", PDISPLAY), "a storm");
	if (!nvfifo_chipset_is_gt215(nv.dev.chipset)) {
		check(log_gets("interrupt 04000000 of units that are not used"), "the log has it");
		check(log_gets("interrupt 04000000 does not go away"), "and that it stays");
	}

	check(witness_lives(w, WAIT_MS), "another process works meanwhile");
	p_word(&ch, 0xffffffff);
	equal((uint32_t)ch_run(&ch), (uint32_t)-ECANCELED, "an error is handled meanwhile");
	need(!chan_query(&nv, ch.id, &q), "CHANNEL_QUERY");
	equal(q.error, DRM_NVFIFO_ERROR_PUSHER, "as what it is");
	check(recovery_says("card: ok"), "the card is in use");
	need(ctl_line("irq storm unit off"), "its end");
	check(witness_lives(w, WAIT_MS), "another process works after that");
	if (nvfifo_chipset_is_gt215(nv.dev.chipset))
		check(!log_has("interrupt 04000000"), "PMC has masked it, and the log has nothing");

	witness_stop(w, WAIT_MS, "the interrupt of an unused unit");
	nv_close(&nv);
}

/* Stuck from the start: probe gives up, and can be tried again. */
static void probe_fails(enum nvsim_inject what, int err, const char *name)
{
	struct ch c;
	int ret;

	need(!module_loaded() || !module_unload_soon(), "rmmod");
	ctl(NVSIM_CTL_INJECT, what);
	ret = module_load("");
	check(!ret, "%s: the module is loaded", name);
	check(node_open() < 0, "%s: there is no render node", name);
	refused(card_bind(true), err, name);
	ctl(NVSIM_CTL_CLEAR, ~0u);
	/* The card may still execute the earlier procedure. */
	violations_allow(true);
	ret = card_bind(true);
	violations_allow(false);
	check(!ret, "%s: the card is taken when it has recovered (%d)", name, ret);
	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	check(ch_works(&c), "%s: it works then", name);
	nv_close(&nv);
}

static void t_probe(void)
{
	probe_fails(NVSIM_INJECT_BARFLUSH_STUCK, EIO, "probe with a BAR flush that never ends");
	probe_fails(NVSIM_INJECT_TLB_STUCK, EIO, "probe with a TLB flush that never ends");
	probe_fails(NVSIM_INJECT_LOST, ENODEV, "probe of a card that does not answer");
}

/* A life of a file, in which the driver gives back all memory that the card was told of. */
static void one_life(const char *what)
{
	struct bo copied;
	struct ch c;
	uint64_t va;

	nv_open(&nv);
	vm = new_vm(&nv);
	c = ch_new(&nv, vm);
	copied = sys_bo(&nv, 4096);
	va = map(&nv, vm, &copied);
	graph_bind_m2mf(&c);
	graph_m2mf_format(&c, 64, 1, 64);
	copied.map[0] = 0x600d;
	graph_m2mf_launch(&c, va, va + 64);
	p_ref(&c, 7);
	equal((uint32_t)ch_run(&c), 1, what);
	equal(copied.map[16], 0x600d, "PGRAPH has copied");
	equal(ch_query(&c).ref, 7, "PFIFO has set REF");
	equal((uint32_t)vm_unmap(&nv, vm, va, copied.size), 0, "VM_BIND");
	bo_unmap(&copied);
	bo_close(&nv, copied.handle);
	ch_free(&c);
	need(!vm_destroy(&nv, vm), "VM_DESTROY");
	nv_close(&nv);
}

/*
 * Slow accesses and slow work are no failures. A write that is on its way must arrive before the
 * driver relies on it: the model reports writes that arrive after their use.
 */
static void t_slow_accesses(void)
{
	static const char *const slow[] = {
		"delay register-read 100", "delay register-write 3000", "delay memory 200",
		"delay method 1000",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(slow); i++) {
		/* A job takes some seconds there. */
		module_reload("job_timeout_ms=20000");
		need(ctl_line("%s", slow[i]), "%s", slow[i]);
		one_life(slow[i]);
		equal((uint32_t)card_bind(false), 0, "the driver is taken off the card");
		equal((uint32_t)card_bind(true), 0, "and is bound again");
		one_life(slow[i]);
		need(ctl_line("clear"), "clear");
	}
}

static const struct test tests[] = {
	TEST_ONCE(t_until_pfifo),
	TEST_ONCE(t_until_units),
	TEST_ONCE(t_slow),
	TEST_ONCE(t_slow_accesses),
	TEST_ONCE(t_for_ever),
	TEST_ONCE(t_kick_stuck),
	TEST_ONCE(t_kick_stuck_in_error),
	TEST(t_lost),
	TEST_ONCE(t_lost_unnoticed),
	TEST_ONCE(t_lost_at_remove),
	TEST_ONCE(t_no_interrupt),
	TEST_ONCE(t_lost_interrupts),
	TEST_ONCE(t_hang_limit),
	TEST_ONCE(t_storms),
	TEST_ONCE(t_unit_storm),
	TEST_ONCE(t_probe),
};

int main(int argc, char **argv)
{
	if (!ctl_present()) {
		printf("1..0 # SKIP no model\n");
		return 0;
	}
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
