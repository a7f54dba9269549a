// SPDX-License-Identifier: MIT
/*
 * M2MF, class 0x5039: copies lines between two buffers, each of them pitch or block-linear. The
 * method BUF_NOTIFY starts a copy. A step copies some pieces, so that other units get their turn.
 */
#include "core.h"
#include "gr.h"

/* Methods. The state block is indexed by their numbers. */
#define DMA_NOTIFY	0x180
#define DMA_IN		0x184
#define DMA_OUT		0x188
#define LAYOUT_IN	0x200
#define LAYOUT_OUT	0x21c
#define BLOCK		0x04	/* from LAYOUT on */
#define WIDTH		0x08
#define HEIGHT		0x0c
#define DEPTH		0x10
#define LAYER		0x14
#define ORIGIN		0x18
#define HIGH_IN		0x238
#define HIGH_OUT	0x23c
#define OFFSET_IN	0x30c
#define OFFSET_OUT	0x310
#define PITCH_IN	0x314
#define PITCH_OUT	0x318
#define LINE_LENGTH	0x31c
#define LINE_COUNT	0x320
#define FORMAT		0x324
#define BUF_NOTIFY	0x328

#define PIECE		4096
#define PIECE_BYTES	1024	/* bytes that are not adjacent */
#define PIECE_TILED	256	/* the same, each with the place of its tile */

/* A step ends after so many accesses to a page or less, so that the model looks at its bus in time. */
#define STEP_ACCESSES	16
#define RUN		(STEP_ACCESSES / 2 * PIECE)

struct side {
	struct sim_surface f;
	u32 x, y, step;
};

static void get_side(struct nvsim *s, bool out, struct side *d)
{
	const u32 *st = sim_gr_state(s, SIM_GR_M2MF), *l = st + (out ? LAYOUT_OUT : LAYOUT_IN) / 4;
	u32 low = st[(out ? OFFSET_OUT : OFFSET_IN) / 4];
	u32 high = st[(out ? HIGH_OUT : HIGH_IN) / 4] & 0xff;

	d->f.port = out ? SIM_GR_M2MF_OUT : SIM_GR_M2MF_IN;
	d->f.inst = st[(out ? DMA_OUT : DMA_IN) / 4];
	d->f.address = (u64)high << 32 | low;
	d->f.linear = l[0] & 1;
	d->f.pitch = st[(out ? PITCH_OUT : PITCH_IN) / 4];
	d->f.block = l[BLOCK / 4];
	d->f.width = l[WIDTH / 4];
	d->f.height = l[HEIGHT / 4];
	d->f.layer = l[LAYER / 4];
	d->x = d->f.linear ? 0 : l[ORIGIN / 4] & 0xffff;
	d->y = d->f.linear ? 0 : l[ORIGIN / 4] >> 16;
	d->step = st[FORMAT / 4] >> (out ? 8 : 0) & 0xff;
}

static struct sim_place place(const struct side *d, u32 x, u32 line)
{
	u64 offset = (u64)((int64_t)(int32_t)d->f.pitch * (d->y + line)) + d->x + x;

	return (struct sim_place){ d->f.port, d->f.inst, (d->f.address + offset) & MASK40 };
}

/* Bytes that are not adjacent move one by one. */
static bool move(struct nvsim *s, const struct side *d, u32 x, u32 line, u8 *buf, u32 n, bool write)
{
	struct sim_place at;
	u32 i;

	if (d->step == 1)
		return sim_surface_row(s, &d->f, d->x + x, d->y + line, buf, n, write);

	if (d->f.linear) {
		at = place(d, x * d->step, line);
		return sim_vm_bytes(s, VMENG_PGRAPH, &at, d->step, buf, n, write);
	}

	for (i = 0; i < n; i++)
		if (!sim_surface_row(s, &d->f, d->x + (x + i) * d->step, d->y + line, buf + i, 1,
				     write))
			return false;

	return true;
}

static bool step_ok(u32 step)
{
	return step == 1 || step == 2 || step == 4 || step == 8 || step == 16;
}

/* An origin outside of the surface: rnndb's Z_OUT_OF_BOUNDS and XY_OUT_OF_BOUNDS */
static enum sim_gr_error check_origin(const u32 *layout)
{
	u32 origin = layout[ORIGIN / 4];

	if (layout[0] & 1)
		return GR_OK;
	if (layout[LAYER / 4] >= layout[DEPTH / 4])
		return GR_Z_OUT_OF_BOUNDS;
	if ((origin & 0xffff) >= layout[WIDTH / 4] || origin >> 16 >= layout[HEIGHT / 4])
		return GR_XY_OUT_OF_BOUNDS;
	return GR_OK;
}

static enum sim_gr_error check(struct nvsim *s, u32 mthd, u32 data)
{
	const u32 *st = sim_gr_state(s, SIM_GR_M2MF);
	enum sim_gr_error err;

	switch (mthd) {
	case FORMAT:
		return step_ok(data & 0xff) && step_ok(data >> 8) ? GR_OK : GR_INVALID_VALUE;
	case BUF_NOTIFY:
		err = check_origin(st + LAYOUT_IN / 4);
		return err ? err : check_origin(st + LAYOUT_OUT / 4);
	}

	return GR_OK;
}

void sim_m2mf_method(struct nvsim *s, u32 mthd, u32 data)
{
	u32 *st = sim_gr_state(s, SIM_GR_M2MF);
	enum sim_gr_error err = check(s, mthd, data);

	if (err) {
		sim_gr_data_error(s, err);
		return;
	}

	st[mthd / 4] = data;
	if (mthd == BUF_NOTIFY) {
		s->gr->job = SIM_GR_JOB_M2MF;
		s->gr->job_x = 0;
		s->gr->job_y = 0;
	}
}

static void finish(struct nvsim *s)
{
	const u32 *st = sim_gr_state(s, SIM_GR_M2MF);

	if (!sim_gr_notify(s, SIM_GR_M2MF_NOTIFY, st[DMA_NOTIFY / 4], 0x10)) {
		sim_gr_m2mf_fault(s, 1);
		return;
	}

	s->gr->job = SIM_GR_JOB_NONE;
	if (st[BUF_NOTIFY / 4])
		sim_gr_intr(s, NV_FLD_MASK(NV_PGRAPH_INTR__BUFFER_NOTIFY));
}

static bool are_linear(const struct side *in, const struct side *out)
{
	return in->f.linear && out->f.linear;
}

static u32 piece_size(const struct side *in, const struct side *out)
{
	if (in->step == 1 && out->step == 1)
		return PIECE;

	return are_linear(in, out) ? PIECE_BYTES : PIECE_TILED;
}

static bool is_plain(const struct side *in, const struct side *out)
{
	return are_linear(in, out) && in->step == 1 && out->step == 1;
}

/* Bytes from here on that are adjacent on both sides: of a line, or of all lines without gaps */
static u64 adjacent(struct nvsim *s, const struct side *in, const struct side *out)
{
	const u32 *st = sim_gr_state(s, SIM_GR_M2MF);
	const u32 length = st[LINE_LENGTH / 4], lines = st[LINE_COUNT / 4] - s->gr->job_y;

	if (is_plain(in, out) && in->f.pitch == length && out->f.pitch == length && length <= INT32_MAX)
		return (u64)length * lines - s->gr->job_x;

	return length - s->gr->job_x;
}

/*
 * Copy @n adjacent bytes at most, by way of a buffer, or without one where both sides are pitch linear
 * in VRAM. @n: out: how many were copied
 */
static enum sim_copied copy(struct nvsim *s, const struct side *in, const struct side *out, u32 *n)
{
	const u32 x = s->gr->job_x, line = s->gr->job_y;
	const u32 size = piece_size(in, out);
	enum sim_copied done = SIM_COPIED_NOT;
	struct sim_place from, to;
	u8 buf[PIECE];

	if (are_linear(in, out)) {
		from = place(in, x * in->step, line);
		to = place(out, x * out->step, line);
		if (is_plain(in, out))
			done = sim_vm_copy(s, VMENG_PGRAPH, &from, &to, n);
		else
			done = sim_vm_copy_bytes(s, VMENG_PGRAPH, &from, in->step, &to, out->step, n);
	}

	if (done != SIM_COPIED_NOT)
		return done;

	if (*n > size)
		*n = size;

	if (!move(s, in, x, line, buf, *n, false))
		return SIM_COPIED_FAULT_IN;

	if (!move(s, out, x, line, buf, *n, true))
		return SIM_COPIED_FAULT_OUT;

	return SIM_COPIED;
}

/* Copy a piece, and go on to the next one. */
static void copy_piece(struct nvsim *s, const struct side *in, const struct side *out)
{
	const u32 *st = sim_gr_state(s, SIM_GR_M2MF);
	const u64 most = adjacent(s, in, out);
	enum sim_copied done;
	u32 n = RUN;

	if (n > most)
		n = (u32)most;

	done = copy(s, in, out, &n);
	if (done != SIM_COPIED) {
		sim_gr_m2mf_fault(s, done == SIM_COPIED_FAULT_IN ? 2 : 4);
		return;
	}

	s->gr->job_x += n;
	s->gr->job_y += s->gr->job_x / st[LINE_LENGTH / 4];
	s->gr->job_x %= st[LINE_LENGTH / 4];

	/* Finish now, so that the notifier needs no further step. */
	if (s->gr->job_y == st[LINE_COUNT / 4])
		finish(s);
}

void sim_m2mf_step(struct nvsim *s)
{
	const u32 *st = sim_gr_state(s, SIM_GR_M2MF);
	struct side in, out;

	if (s->gr->job_y >= st[LINE_COUNT / 4] || !st[LINE_LENGTH / 4]) {
		finish(s);
		return;
	}

	get_side(s, false, &in);
	get_side(s, true, &out);
	while (s->gr->job == SIM_GR_JOB_M2MF && s->accesses < STEP_ACCESSES)
		copy_piece(s, &in, &out);
}
