// SPDX-License-Identifier: MIT
/*
 * PGRAPH: contexts and their isolation from each other, and PGRAPH's errors. The model executes the
 * driver's context program, M2MF and 2D.
 *
 * Guards memory and blame in PGRAPH (threat-model.rst), on each generation.
 */
#include "nvfifo_chan_fmt.h"
#include "nvfifo_text.h"
#include "raw.h"

#define H_NOTIFY	0xbeef0001	/* DMA object over a page for notifiers */
#define H_ALL		0xbeef0002	/* DMA object over the address space */
#define H_M2MF		0xbeef5039
#define H_2D		0xbeef502d
#define H_NULL		0xbeef0030

#define SUBC_M2MF	5
#define SUBC_2D		4
#define SUBC_NULL	2

#define CLASS_NULL	0x0030
#define CLASS_2D	0x502d
#define CLASS_M2MF	0x5039

#define PAGE		4096u

static struct nv nv;

struct gr {
	struct ch ch;
	struct bo page;			/* notifiers */
	volatile uint32_t *notifier;
};

static int object_engine(struct nv *n, uint32_t chan, uint32_t handle, uint32_t oclass)
{
	struct drm_nvfifo_object_create c = {
		.channel_id = chan, .handle = handle, .type = DRM_NVFIFO_OBJECT_ENGINE,
		.oclass = oclass,
	};

	return nv_ioctl(n->fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &c);
}

static void g_mthd(struct ch *c, uint32_t subc, uint32_t mthd, uint32_t data)
{
	p_word(c, cmd_word(subc, mthd, 1));
	p_word(c, data);
}

/* A channel with M2MF and 2D objects, bound. */
static struct gr gr_new(uint32_t vm)
{
	struct gr g = { .ch = ch_new(&nv, vm) };
	uint64_t va;

	g.page = sys_bo(&nv, PAGE);
	va = map(&nv, vm, &g.page);
	g.notifier = g.page.map;
	new_object(&g.ch, H_NOTIFY, va, PAGE);
	new_object(&g.ch, H_ALL, 0, nv.dev.va_end);
	need(!object_engine(&nv, g.ch.id, H_M2MF, CLASS_M2MF), "an M2MF object");
	need(!object_engine(&nv, g.ch.id, H_2D, CLASS_2D), "a 2D object");

	g_mthd(&g.ch, SUBC_M2MF, 0, H_M2MF);
	g_mthd(&g.ch, SUBC_M2MF, 0x180, H_NOTIFY);
	g_mthd(&g.ch, SUBC_M2MF, 0x184, H_ALL);
	g_mthd(&g.ch, SUBC_M2MF, 0x188, H_ALL);
	g_mthd(&g.ch, SUBC_2D, 0, H_2D);
	g_mthd(&g.ch, SUBC_2D, 0x180, H_NOTIFY);
	g_mthd(&g.ch, SUBC_2D, 0x184, H_ALL);
	g_mthd(&g.ch, SUBC_2D, 0x188, H_ALL);
	need(ch_run(&g.ch) == 1, "binding them");

	return g;
}

/* One line from @from to @to; the rest of M2MF's state is set before. */
static void m2mf_launch(struct ch *c, uint64_t from, uint64_t to)
{
	g_mthd(c, SUBC_M2MF, 0x238, (uint32_t)(from >> 32));
	g_mthd(c, SUBC_M2MF, 0x23c, (uint32_t)(to >> 32));
	g_mthd(c, SUBC_M2MF, 0x30c, (uint32_t)from);
	g_mthd(c, SUBC_M2MF, 0x310, (uint32_t)to);
	g_mthd(c, SUBC_M2MF, 0x328, 0);
}

static void m2mf_linear(struct ch *c, uint32_t bytes, uint32_t lines, uint32_t pitch)
{
	g_mthd(c, SUBC_M2MF, 0x200, 1);
	g_mthd(c, SUBC_M2MF, 0x21c, 1);
	g_mthd(c, SUBC_M2MF, 0x314, pitch);
	g_mthd(c, SUBC_M2MF, 0x318, pitch);
	g_mthd(c, SUBC_M2MF, 0x31c, bytes);
	g_mthd(c, SUBC_M2MF, 0x320, lines);
	g_mthd(c, SUBC_M2MF, 0x324, 0x101);
}

static void t_untouched(void)
{
	struct ch c;
	uint32_t vm;

	if (!ctl_present()) {
		skip("PGRAPH is left alone # SKIP only the model tells");
		return;
	}

	/* Earlier tests may have used PGRAPH, and unloading resets it then. */
	module_reload("");
	nv_open(&nv);
	vm = new_vm(&nv);
	c = ch_new(&nv, vm);
	check(ch_works(&c), "a channel without PGRAPH works");
	equal(ctl(NVSIM_CTL_READ_REG, 0x40008c), 0, "and PGRAPH was left alone");
	nv_close(&nv);
}

static void t_m2mf(void)
{
	const uint32_t bytes = 256 * 1024;
	struct bo from, to, vram;
	uint64_t from_va, to_va, vram_va;
	uint32_t *in, *out, i, vm;
	struct gr g;

	nv_open(&nv);
	vm = new_vm(&nv);
	g = gr_new(vm);
	from = sys_bo(&nv, bytes);
	to = sys_bo(&nv, bytes);
	vram = vram_bo(&nv, bytes);
	from_va = map(&nv, vm, &from);
	to_va = map(&nv, vm, &to);
	vram_va = map(&nv, vm, &vram);
	in = from.map;
	out = to.map;

	for (i = 0; i < bytes / 4; i++)
		in[i] = i * 0x9e3779b9;

	m2mf_linear(&g.ch, PAGE, bytes / PAGE, PAGE);
	m2mf_launch(&g.ch, from_va, vram_va);
	m2mf_launch(&g.ch, vram_va, to_va);
	g.notifier[7] = 0xffffffff;
	equal((uint32_t)ch_run(&g.ch), 1, "copies to VRAM and back end");
	check(!memcmp(in, out, bytes), "with the same bytes");
	check(!g.notifier[7], "M2MF wrote its notifier");

	/* Lines apart, as a rectangle of a larger surface. */
	memset(out, 0, bytes);
	m2mf_linear(&g.ch, 64, 16, 1024);
	m2mf_launch(&g.ch, from_va + 128, to_va + 128);
	equal((uint32_t)ch_run(&g.ch), 1, "a rectangle");

	for (i = 0; i < bytes / 4; i++) {
		bool inside = i / 256 < 16 && i % 256 >= 32 && i % 256 < 48;

		if (out[i] != (inside ? in[i] : 0))
			break;
	}

	equal(i, bytes / 4, "was copied, and nothing else");
	nv_close(&nv);
}

static void fill_state(struct ch *ch, uint64_t to_va, uint32_t colour)
{
	g_mthd(ch, SUBC_2D, 0x200, 0xcf);
	g_mthd(ch, SUBC_2D, 0x204, 1);
	g_mthd(ch, SUBC_2D, 0x214, 64);
	g_mthd(ch, SUBC_2D, 0x218, 16);
	g_mthd(ch, SUBC_2D, 0x21c, 4);
	g_mthd(ch, SUBC_2D, 0x220, (uint32_t)((to_va + 2048) >> 32));
	g_mthd(ch, SUBC_2D, 0x224, (uint32_t)(to_va + 2048));
	g_mthd(ch, SUBC_2D, 0x2ac, 3);
	g_mthd(ch, SUBC_2D, 0x580, 4);
	g_mthd(ch, SUBC_2D, 0x584, 0xcf);
	g_mthd(ch, SUBC_2D, 0x588, colour);
}

static uint32_t words_that_differ(const uint32_t *in, const uint32_t *out, uint32_t lines,
				  uint32_t width, uint32_t colour)
{
	uint32_t i;
	uint32_t bad = 0;

	for (i = 0; i < PAGE / 4; i++) {
		uint32_t line = i / 64, at = i % 64 * 4, want = 0;

		if (i >= 512)
			want = i < 512 + 64 ? colour : 0;
		else if (line < lines && at < width)
			want = in[i];
		bad += out[i] != want;
	}

	return bad;
}

/* The effect of a channel's methods depends on the state in its own image. */
static void t_isolation(void)
{
	const char *steps = getenv("NVFIFO_STEPS");
	const uint32_t rounds = steps ? (uint32_t)nvfifo_text_value(steps, 10) : 400;
	static const uint32_t lines[2] = { 3, 7 }, width[2] = { 64, 128 };
	uint32_t vm[2], i, k, n, bad = 0;
	struct bo from[2], to[2];
	uint64_t from_va[2], to_va[2];
	struct gr g[2];

	nv_open(&nv);

	for (k = 0; k < 2; k++) {
		vm[k] = new_vm(&nv);
		g[k] = gr_new(vm[k]);
		from[k] = sys_bo(&nv, PAGE);
		to[k] = sys_bo(&nv, PAGE);
		from_va[k] = map(&nv, vm[k], &from[k]);
		to_va[k] = map(&nv, vm[k], &to[k]);
		m2mf_linear(&g[k].ch, width[k], lines[k], 256);

		/* 2D fills a surface of its own size and colour. */
		fill_state(&g[k].ch, to_va[k], 0x11111111 * (k + 1));
		need(ch_run(&g[k].ch) == 1, "its state");
	}

	for (n = 0; n < rounds && !bad; n++) {
		for (k = 0; k < 2; k++) {
			uint32_t *in = from[k].map, *out = to[k].map;

			for (i = 0; i < PAGE / 4; i++)
				in[i] = (n * 2 + k) * 0x01000193 + i;
			memset(out, 0, PAGE);
			m2mf_launch(&g[k].ch, from_va[k], to_va[k]);
			g_mthd(&g[k].ch, SUBC_2D, 0x600, 0);
			g_mthd(&g[k].ch, SUBC_2D, 0x604, 0);
			g_mthd(&g[k].ch, SUBC_2D, 0x608, 16);
			g_mthd(&g[k].ch, SUBC_2D, 0x60c, 4);
			need(!ch_submit(&g[k].ch), "SUBMIT");
		}

		for (k = 0; k < 2; k++) {
			uint32_t *in = from[k].map, *out = to[k].map;

			need(sync_finish(&nv, g[k].ch.done) == 1, "round %u, channel %u", n, k);
			if (g[k].ch.n > PUSH_BYTES / 8)
				ch_rewind(&g[k].ch);
			bad += words_that_differ(in, out, lines[k], width[k], 0x11111111 * (k + 1));
		}
	}

	equal(bad, 0, "each channel keeps its own state of M2MF and 2D");
	diag("%u rounds", n);
	nv_close(&nv);
}

/* Destroy channels while PGRAPH switches between them. */
static void t_kill_switching(void)
{
	struct bo from, to;
	uint64_t from_va, to_va;
	uint32_t vm, n, i;
	struct gr keep;

	nv_open(&nv);
	vm = new_vm(&nv);
	keep = gr_new(vm);
	from = sys_bo(&nv, PAGE);
	to = sys_bo(&nv, PAGE);
	from_va = map(&nv, vm, &from);
	to_va = map(&nv, vm, &to);
	m2mf_linear(&keep.ch, PAGE, 1, PAGE);

	for (n = 0; n < 20; n++) {
		struct gr go = gr_new(vm);

		m2mf_linear(&go.ch, 64, 1, 64);
		for (i = 0; i < 32; i++)
			m2mf_launch(&go.ch, from_va, to_va);
		need(!ch_submit(&go.ch), "SUBMIT");
		*(volatile uint32_t *)from.map = n + 1;
		m2mf_launch(&keep.ch, from_va, to_va);
		need(!ch_submit(&keep.ch), "SUBMIT");
		need(!chan_destroy(&nv, go.ch.id), "CHANNEL_DESTROY");
		need(sync_finish(&nv, keep.ch.done) == 1, "the other one ends, round %u", n);
		need(*(volatile uint32_t *)to.map == n + 1, "and copies, round %u", n);
		ch_rewind(&keep.ch);
		need(sync_finish(&nv, go.ch.done),
		     "the fence of the destroyed channel is signalled");
	}

	check(true, "%u channels were destroyed with work in PGRAPH", n);
	check(ch_works(&keep.ch), "the one that stayed works");
	nv_close(&nv);
}

struct wrong {
	const char *what;
	uint32_t subc, mthd, data;
	uint32_t code;			/* PGRAPH.INTR */
	uint32_t detail;
	bool fault;
};

/* An error of PGRAPH ends its channel with the reason, and no other one. */
static void t_errors(void)
{
	static const struct wrong rows[] = {
		{ "a method that NULL does not have", SUBC_NULL, 0x200, 0, 1u << 4, 0, false },
		{ "a 2D format that is none", SUBC_2D, 0x200, 0x12345678, 1u << 20, 5, false },
		{ "a copy from where nothing is mapped", SUBC_M2MF, 0x328, 0, 1u << 21, 1u << 1, true },
	};
	struct drm_nvfifo_channel_query q;
	struct gr good, bad;
	uint32_t i, vm;

	nv_open(&nv);
	vm = new_vm(&nv);
	good = gr_new(vm);

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct wrong *w = &rows[i];

		bad = gr_new(vm);
		need(!object_engine(&nv, bad.ch.id, H_NULL, CLASS_NULL), "a NULL object");
		g_mthd(&bad.ch, SUBC_NULL, 0, H_NULL);
		m2mf_linear(&bad.ch, 64, 1, 64);
		g_mthd(&bad.ch, SUBC_M2MF, 0x238, 0x7f);
		g_mthd(&bad.ch, SUBC_M2MF, 0x23c, 0x7f);
		g_mthd(&bad.ch, SUBC_M2MF, 0x30c, 0);
		g_mthd(&bad.ch, SUBC_M2MF, 0x310, 0);
		g_mthd(&bad.ch, w->subc, w->mthd, w->data);
		equal((uint32_t)ch_run(&bad.ch), (uint32_t)-ECANCELED, w->what);
		q = ch_query(&bad.ch);
		equal(q.state, DRM_NVFIFO_CHANNEL_DEAD, "the channel is dead");
		equal(q.error, DRM_NVFIFO_ERROR_GRAPH, "of PGRAPH");
		equal(q.error_code, w->code, "with this interrupt");
		equal(q.error_detail, w->detail, "and this detail");
		if (w->fault) {
			equal(q.fault, 1, "with a VM fault");
			equal(q.fault_engine, NVFIFO_VM_PGRAPH, "of PGRAPH");
			check(q.fault_address >> 32 == 0x7f, "at the address");
		} else {
			equal(q.error_method, w->subc << 13 | w->mthd, "at this method");
			equal(q.error_data, w->data, "with its data");
		}

		check(ch_works(&good.ch), "the other channel works");
		check(!chan_destroy(&nv, bad.ch.id), "the dead one can be destroyed");
	}

	bad = gr_new(vm);
	check(ch_works(&bad.ch), "a new one works");
	nv_close(&nv);
}

/* A draw's fault comes when its pixels are written, later than its methods: before the fence. */
static void t_draw_fault(void)
{
	uint32_t i, success = 0, vm;
	struct gr good;

	nv_open(&nv);
	vm = new_vm(&nv);
	good = gr_new(vm);

	for (i = 0; i < 20; i++) {
		struct gr bad = gr_new(vm);

		fill_state(&bad.ch, 0x7f00000000, 0x600d);
		g_mthd(&bad.ch, SUBC_2D, 0x600, 0);
		g_mthd(&bad.ch, SUBC_2D, 0x604, 0);
		g_mthd(&bad.ch, SUBC_2D, 0x608, 16);
		g_mthd(&bad.ch, SUBC_2D, 0x60c, 4);
		success += ch_run(&bad.ch) != -ECANCELED;
		need(!chan_destroy(&nv, bad.ch.id), "a dead channel can be destroyed");
	}

	equal(success, 0, "no fence signals success behind a draw that faults");
	check(ch_works(&good.ch), "the other channel works");
	nv_close(&nv);
}

/* Interrupts that methods request are no errors. */
static void t_asked_for(void)
{
	struct bo from, to;
	uint64_t from_va, to_va;
	uint32_t vm;
	struct gr g;

	nv_open(&nv);
	vm = new_vm(&nv);
	g = gr_new(vm);
	from = sys_bo(&nv, PAGE);
	to = sys_bo(&nv, PAGE);
	from_va = map(&nv, vm, &from);
	to_va = map(&nv, vm, &to);
	*(volatile uint32_t *)from.map = 0x600d;
	m2mf_linear(&g.ch, PAGE, 1, PAGE);

	/* BUF_NOTIFY 1: a transfer with an interrupt at its end. */
	g_mthd(&g.ch, SUBC_M2MF, 0x238, (uint32_t)(from_va >> 32));
	g_mthd(&g.ch, SUBC_M2MF, 0x23c, (uint32_t)(to_va >> 32));
	g_mthd(&g.ch, SUBC_M2MF, 0x30c, (uint32_t)from_va);
	g_mthd(&g.ch, SUBC_M2MF, 0x310, (uint32_t)to_va);
	g_mthd(&g.ch, SUBC_M2MF, 0x328, 1);
	equal((uint32_t)ch_run(&g.ch), 1, "a transfer that asks for an interrupt ends");
	equal(*(volatile uint32_t *)to.map, 0x600d, "and copies");
	equal(ch_query(&g.ch).state, DRM_NVFIFO_CHANNEL_ALIVE, "its channel is alive");
	check(ch_works(&g.ch), "and works");
	nv_close(&nv);
}

static void t_null(void)
{
	struct gr g;

	nv_open(&nv);
	g = gr_new(new_vm(&nv));
	need(!object_engine(&nv, g.ch.id, H_NULL, CLASS_NULL), "a NULL object");
	g_mthd(&g.ch, SUBC_M2MF, 0, H_NULL);
	g_mthd(&g.ch, SUBC_M2MF, 0x100, 0);
	equal((uint32_t)ch_run(&g.ch), 1, "NULL is bound, and knows NOP");
	g_mthd(&g.ch, SUBC_M2MF, 0, H_M2MF);
	g_mthd(&g.ch, SUBC_M2MF, 0x100, 0);
	equal((uint32_t)ch_run(&g.ch), 1, "M2MF is bound again");
	nv_close(&nv);
}

/* A channel has an image from its first PGRAPH object until its end. */
static void t_image(void)
{
	uint64_t before, with, after;
	struct ch c;

	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	before = vram_free(&nv);
	need(!object_engine(&nv, c.id, H_2D, CLASS_2D), "a 2D object");
	with = vram_free(&nv);
	check(before - with >= 256 * KIB && before - with < 1 * MIB, "the image takes VRAM");
	diag("%llu KiB", (unsigned long long)(before - with) / 1024);
	need(!object_engine(&nv, c.id, H_M2MF, CLASS_M2MF), "an M2MF object");
	check(vram_free(&nv) == with, "once");
	need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");
	after = vram_free(&nv);
	check(after == before, "and gives it back");
	nv_close(&nv);
}

#define SAMPLES	448

/* The DMA object of a channel's image. */
static struct nvfifo_dmaobj image_object(struct ch *c)
{
	uint32_t table = ctl(NVSIM_CTL_READ_REG, 0x2600 + ch_query(c).hw_id * 4);
	uint32_t at = nv.g84 ? ((table & 0xffffff) << 8) - NVFIFO_G84_RAMFC : table << 12;
	uint32_t w[NVFIFO_DMAOBJ_WORDS], i;

	ctl(NVSIM_CTL_SET_ADDR, at + nvfifo_chan_gr_object(nv.g84));
	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
		w[i] = ctl(NVSIM_CTL_VRAM_READ, 0);

	return nvfifo_dmaobj_decode(w);
}

/* Places in all of the memory of an image: each KiB, and each word of eight rows in turn. */
static uint32_t sample_place(const struct nvfifo_dmaobj *obj, uint32_t i)
{
	return (uint32_t)obj->start + i * 1024 + i % 8 * 36;
}

/*
 * An image has the same words whatever its memory held before, up to the end of the memory, and
 * takes few accesses of registers.
 */
static void t_image_whole(void)
{
	struct nvfifo_dmaobj first, second;
	uint32_t vm, before[SAMPLES], i, count, writes, wrong = 0;
	struct ch c;

	if (!ctl_present()) {
		skip("all of an image # SKIP without the model");
		return;
	}

	nv_open(&nv);
	vm = new_vm(&nv);
	c = ch_new(&nv, vm);
	need(!object_engine(&nv, c.id, H_2D, CLASS_2D), "a 2D object");
	first = image_object(&c);
	count = (uint32_t)((first.limit - first.start) / (64 * KIB) + 1) * 64;
	need(count <= SAMPLES, "an image of %u KiB", count);
	for (i = 0; i < count; i++) {
		ctl(NVSIM_CTL_SET_ADDR, sample_place(&first, i));
		before[i] = ctl(NVSIM_CTL_VRAM_READ, 0);
	}
	need(!chan_destroy(&nv, c.id), "CHANNEL_DESTROY");

	for (i = 0; i < count; i++) {
		ctl(NVSIM_CTL_SET_ADDR, sample_place(&first, i));
		ctl(NVSIM_CTL_VRAM_WRITE, 0xdeadbeef);
	}

	c = ch_new(&nv, vm);
	writes = stat_of(mmio_writes);
	need(!object_engine(&nv, c.id, H_2D, CLASS_2D), "a 2D object");
	writes = stat_of(mmio_writes) - writes;
	second = image_object(&c);
	need(first.start == second.start, "the same memory again");
	for (i = 0; i < count; i++) {
		ctl(NVSIM_CTL_SET_ADDR, sample_place(&first, i));
		wrong += ctl(NVSIM_CTL_VRAM_READ, 0) != before[i];
	}
	equal(wrong, 0, "the image does not depend on what its memory held");
	check(writes < 200, "the second image takes %u writes of registers", writes);
	nv_close(&nv);
}

/* If PGRAPH does not release a channel the driver resets it, and other channels continue. */
static void t_hung(void)
{
	struct gr bad, good;
	struct bo from, to;
	uint64_t from_va, to_va;
	uint32_t vm;

	if (!ctl_present()) {
		skip("a PGRAPH that hangs # SKIP only the model can be told to");
		return;
	}

	nv_open(&nv);
	vm = new_vm(&nv);
	good = gr_new(vm);
	bad = gr_new(vm);
	from = sys_bo(&nv, PAGE);
	to = sys_bo(&nv, PAGE);
	from_va = map(&nv, vm, &from);
	to_va = map(&nv, vm, &to);
	m2mf_linear(&good.ch, PAGE, 1, PAGE);
	equal((uint32_t)ch_run(&good.ch), 1, "a channel has state in PGRAPH");
	g_mthd(&bad.ch, SUBC_M2MF, 0x100, 0);
	equal((uint32_t)ch_run(&bad.ch), 1, "PGRAPH has another one");
	ctl(NVSIM_CTL_INJECT, NVSIM_INJECT_PGRAPH_BUSY);
	g_mthd(&bad.ch, SUBC_M2MF, 0x100, 0);
	need(!ch_submit(&bad.ch), "SUBMIT");
	check(!chan_destroy(&nv, bad.ch.id), "which is destroyed while PGRAPH hangs");
	equal((uint32_t)sync_finish(&nv, bad.ch.done), (uint32_t)-ECANCELED, "its work fails");
	*(volatile uint32_t *)from.map = 0x600d;
	m2mf_launch(&good.ch, from_va, to_va);
	equal((uint32_t)ch_run(&good.ch), 1, "the first one goes on");
	equal(*(volatile uint32_t *)to.map, 0x600d, "and copies as it was told before");
	bad = gr_new(vm);
	check(ch_works(&bad.ch), "new ones work");
	nv_close(&nv);
}

static const struct test tests[] = {
	TEST(t_untouched),
	TEST(t_m2mf),
	TEST(t_isolation),
	TEST(t_kill_switching),
	TEST(t_errors),
	TEST(t_draw_fault),
	TEST(t_asked_for),
	TEST(t_null),
	TEST(t_image),
	TEST(t_image_whole),
	TEST(t_hung),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
