// SPDX-License-Identifier: MIT
/*
 * PTIMER: a counter of ns in steps of 32, and its alarm. In this model the divider registers only
 * start and stop it; the rate is always that of a BIOS's setting.
 */
#include "core.h"

#define TIME_MASK	0x1fffffffffffffe0ull

void sim_ptimer_init(struct nvsim *s)
{
	if (!s->posted || !sim_quirk(s, NVSIM_QUIRK_POSTED_PTIMER))
		return;
	*sim_reg(s, NV_PTIMER_CLOCK_DIV) = 324;
	*sim_reg(s, NV_PTIMER_CLOCK_MUL) = 125;
	*sim_reg(s, NV_PTIMER_CLOCK_SOURCE) = 2;
}

static bool running(struct nvsim *s)
{
	return *sim_reg(s, NV_PTIMER_CLOCK_DIV) && *sim_reg(s, NV_PTIMER_CLOCK_MUL);
}

u64 sim_ptimer_time(struct nvsim *s)
{
	if (!running(s))
		return s->time_stopped & TIME_MASK;
	return (sim_now(s) + (u64)s->time_offset) & TIME_MASK;
}

static void set_time(struct nvsim *s, u64 t)
{
	s->time_stopped = t;
	s->time_offset = (int64_t)(t - sim_now(s));
}

u32 sim_ptimer_read(struct nvsim *s, u32 off)
{
	switch (off) {
	case NV_PTIMER_INTR:
		sim_ptimer_poll(s);
		break;
	case NV_PTIMER_TIME_LOW:
		return sim_ptimer_time(s);
	case NV_PTIMER_TIME_HIGH:
		return sim_ptimer_time(s) >> 32;
	}

	return *sim_reg(s, off);
}

void sim_ptimer_write(struct nvsim *s, u32 off, u32 val)
{
	u64 t = sim_ptimer_time(s);

	switch (off) {
	case NV_PTIMER_INTR:
		*sim_reg(s, off) &= ~val;
		sim_irq_update(s);
		return;
	case NV_PTIMER_INTR_EN:
		*sim_reg(s, off) = val & 1;
		sim_irq_update(s);
		return;
	case NV_PTIMER_TIME_LOW:
		set_time(s, (t & ~0xffffffffull) | val);
		return;
	case NV_PTIMER_TIME_HIGH:
		set_time(s, (t & 0xffffffff) | (u64)val << 32);
		return;
	case NV_PTIMER_CLOCK_DIV:
	case NV_PTIMER_CLOCK_MUL:
		*sim_reg(s, off) = val;
		set_time(s, t);
		return;
	case NV_PTIMER_ALARM_LOW:
		*sim_reg(s, off) = val;
		s->alarm_armed = true;
		sim_ptimer_poll(s);
		return;
	}

	*sim_reg(s, off) = val;
}

/* Raise a due alarm. Returns the ns until the next one. */
u64 sim_ptimer_poll(struct nvsim *s)
{
	int32_t left;

	if (!s->alarm_armed || !running(s))
		return UINT64_MAX;

	left = (int32_t)(*sim_reg(s, NV_PTIMER_ALARM_LOW) - (u32)sim_ptimer_time(s));
	if (left > 0)
		return left;

	s->alarm_armed = false;
	*sim_reg(s, NV_PTIMER_INTR) |= NV_FLD_MASK(NV_PTIMER_INTR__ALARM);
	sim_irq_update(s);

	return UINT64_MAX;
}
