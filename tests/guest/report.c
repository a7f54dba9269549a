// SPDX-License-Identifier: MIT
/*
 * Reports of errors in the kernel's log: the place of the failing word, the method before it, the
 * handle in RAMHT, the page walk. Also the position of a late channel.
 */
#include "raw.h"

#define SEM		0x1234
#define NO_SEM		0x777		/* a handle that no object has */
#define NULL_OBJECT	0xbeef0030
#define TRACING		"/sys/kernel/tracing"
#define NOWHERE		0x7f00000000ull

static struct nv nv;
static uint32_t vm;
static struct bo data;
static uint64_t data_va;

static void world(void)
{
	nv_open(&nv);
	vm = new_vm(&nv);
	data = sys_bo(&nv, 4096);
	data_va = map(&nv, vm, &data);
}

static struct ch victim(void)
{
	struct ch c = ch_new(&nv, vm);

	new_object(&c, SEM, data_va, data.size);
	return c;
}

/* Wait for a line in the log: a work item writes it after the fences. */
__attribute__((format(printf, 2, 3))) static void logs_at(int line, const char *fmt, ...)
{
	int64_t start = now_ns();
	char text[240];
	va_list args;
	bool ok;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);

	do
		ok = log_has(text);
	while (!ok && may_come(start));

	check_at(__FILE__, line, ok, "the log has '%s'", text);
}

#define logs(...) logs_at(__LINE__, __VA_ARGS__)

static uint32_t dies(struct ch *c, const char *why)
{
	equal((uint32_t)ch_run(c), (uint32_t)-ECANCELED, why);
	return ch_query(c).hw_id;
}

/* --- The pusher --------------------------------------------------------------------- */

static void t_pusher(void)
{
	struct ch c;
	uint64_t at;
	uint32_t id;

	world();
	c = victim();
	p_ref(&c, 1);
	p_word(&c, 0xffffff00);
	p_ref(&c, 2);
	at = c.push_va;
	id = dies(&c, "a word that is no command");
	logs("channel %u: DMA_PUSHER INVALID_CMD, word ffffff00, subchannel 0 method ", id);
	logs(" ib_put 2 push ");
	logs("channel %u: that is word 2 of 5 in the segment of ring entry 0, at %010llx, after method 0050 REF_CNT of subchannel 0",
	     id, (unsigned long long)at + 8);
	ch_free(&c);

	/* In the second SUBMIT: its entry follows the first one's and the fence's. */
	c = victim();
	p_ref(&c, 1);
	need(ch_run(&c) == 1, "SUBMIT");

	at = c.push_va + c.n * 4ull;
	p_word(&c, 0xffffff01);
	p_ref(&c, 2);
	id = dies(&c, "a first word that is no command");
	logs("channel %u: that is word 0 of 3 in the segment of ring entry 2, at %010llx, the segment's first, after method %s",
	     id, (unsigned long long)at,
	     nv.g84 ? "0020 NOTIFY_INTR of subchannel 0" : "0000 OBJECT of subchannel 7");
	ch_free(&c);

	c = victim();
	p_mthd(&c, 0x70, 0x12345);
	at = c.push_va;
	id = dies(&c, "a method that PFIFO does not have");
	logs("channel %u: that is word 1 of 2 in the segment of ring entry 0, at %010llx, after",
	     id, (unsigned long long)at + 4);
	ch_free(&c);
	nv_close(&nv);
}

/* --- The puller and PGRAPH ------------------------------------------------------------ */

static void t_method(void)
{
	uint64_t at;
	struct ch c;
	uint32_t id;

	world();
	c = victim();
	p_ref(&c, 5);
	p_mthd(&c, NVFIFO_MTHD_DMA_SEMAPHORE, NO_SEM);
	at = c.push_va;
	id = dies(&c, "a handle that no object has");
	logs("channel %u: that is word 3 of 4 in the segment of ring entry 0, at %010llx, after method 0050 REF_CNT of subchannel 0",
	     id, (unsigned long long)at + 12);
	logs("channel %u: handle %08x is not in RAMHT", id, NO_SEM);
	ch_free(&c);

	c = victim();
	p_subc_mthd(&c, 3, 0x184, SEM);
	id = dies(&c, "a method for an empty subchannel");
	logs("channel %u: handle %08x is in RAMHT: slot ", id, SEM);
	logs("engine 0 software, object");
	ch_free(&c);
	nv_close(&nv);
}

/* The trace event of the failing word's place. */
static void place_is_traced(uint32_t id, uint32_t word)
{
	char *text = file_text(TRACING "/trace"), place[100];

	need(text, TRACING "/trace");
	snprintf(place, sizeof(place), "channel=%u entry=", id);
	check(strstr(text, place), "the trace has the place");
	snprintf(place, sizeof(place), " word=%u va=", word);
	check(strstr(text, place), "with the word");
	check(strstr(text, "after=\"method 0320 of subchannel 5, class 5039 M2MF LINE_COUNT\""),
	      "and the method before");
	free(text);
}

static void t_graph(void)
{
	bool has_trace = !file_write(TRACING "/events/nvfifo/nvfifo_place/enable", "1");
	uint32_t id, word;
	struct ch c;

	world();
	c = victim();
	graph_bind_m2mf(&c);
	need(ch_run(&c) == 1, "an M2MF object");
	ch_rewind(&c);
	need(!graph_object_new(&nv, c.id, NULL_OBJECT, 0x30), "OBJECT_CREATE");

	p_subc_mthd(&c, 5, NVFIFO_MTHD_OBJECT, GRAPH_M2MF_HANDLE);
	p_subc_mthd(&c, 5, 0x31c, 0x40);
	p_subc_mthd(&c, 2, NVFIFO_MTHD_OBJECT, NULL_OBJECT);
	p_subc_mthd(&c, 5, 0x320, 0x41);
	word = c.n + 1;
	p_subc_mthd(&c, 2, 0x200, 0x6666);
	id = dies(&c, "a method that a class does not have");
	logs("channel %u: PGRAPH ILLEGAL_MTHD, intr 00000010", id);
	logs("channel %u: that is word %u of %u in the segment of ring entry ", id, word, word + 1);
	logs(", after method 0320 of subchannel 5, class 5039 M2MF LINE_COUNT");
	if (has_trace)
		place_is_traced(id, word);
	else
		skip("trace event # SKIP no tracefs");

	ch_free(&c);
	nv_close(&nv);
}

/* --- Addresses ------------------------------------------------------------------------- */

/* The driver reports eight errors of a user at once, and then one in 250 ms. */
static void wait_for_reports(void)
{
	msleep(8 * 250);
}

static void t_walk(void)
{
	struct bo hole;
	uint64_t va;
	struct ch c;
	uint32_t id;

	wait_for_reports();
	world();
	c = victim();
	new_object(&c, NO_SEM, NOWHERE, 4096);
	p_release(&c, NO_SEM, 0, 1);
	id = dies(&c, "a release to nowhere");
	logs("channel %u: %010llx is not mapped now: PDE %03x %016x, PT_NOT_PRESENT", id, NOWHERE,
	     (unsigned int)(NOWHERE >> 29), 0);
	ch_free(&c);

	/* An unmapped address in a region that has a table */
	hole = sys_bo(&nv, 8192);
	va = map(&nv, vm, &hole);
	need(!vm_unmap(&nv, vm, va, 4096), "VM_BIND");

	c = victim();
	new_object(&c, NO_SEM, va, 4096);
	p_release(&c, NO_SEM, 0, 1);
	id = dies(&c, "a release to a hole");
	logs("channel %u: %010llx is not mapped now: PDE %03x ", id, (unsigned long long)va,
	     (unsigned int)(va >> 29));
	logs("PTE %05x %016x, PAGE_NOT_PRESENT", (unsigned int)(va >> 12 & 0x1ffff), 0);
	ch_free(&c);

	/* The walk shows the present tables: the page is mapped, but read-only. */
	va = map_flags(&nv, vm, &hole, DRM_NVFIFO_VM_BIND_READ_ONLY);
	c = victim();
	new_object(&c, NO_SEM, va, 4096);
	p_release(&c, NO_SEM, 0, 1);
	id = dies(&c, "a release to a page that is read only");
	logs("channel %u: %010llx is mapped now: PDE %03x ", id, (unsigned long long)va,
	     (unsigned int)(va >> 29));
	ch_free(&c);
	nv_close(&nv);
}

/* --- Late channels --------------------------------------------------------------------- */

static void t_late(void)
{
	struct drm_nvfifo_channel_create create = { .hang_limit_ms = 200 };
	struct drm_nvfifo_channel_query q;
	struct ch c;

	world();
	c = victim();
	chan_destroy(&nv, c.id);
	create.vm_id = vm;
	need(!chan_create_args(&nv, &create), "CHANNEL_CREATE with a limit");

	c.id = create.id;
	new_object(&c, SEM, data_va, data.size);
	p_acquire(&c, SEM, 0x20, 0x7a57e);
	dies(&c, "a semaphore without a release");
	q = ch_query(&c);
	equal(q.error, DRM_NVFIFO_ERROR_TIMEOUT, "as TIMEOUT");
	equal(q.error_code, DRM_NVFIFO_HANG_SEMAPHORE, "that waits for a semaphore");
	equal(q.error_data, 0x7a57e, "of this value");
	equal(q.error_detail, 0x20, "at this offset");

	logs("channel %u: submission 1 did not end in 200 ms: waits until the word at 0000000020 of object ",
	     q.hw_id);
	logs(" is 0007a57e (ran ");
	ch_free(&c);
	nv_close(&nv);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST(t_pusher), TEST(t_method), TEST(t_graph), TEST(t_walk), TEST(t_late),
	};

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
