// SPDX-License-Identifier: MIT
/*
 * PTIMER: a counter of ns in steps of 32, and its alarm. Its rate is that of the crystal, times the
 * multiplier of CLOCK_SOURCE, times CLOCK_MUL, by CLOCK_DIV. At 31.25 MHz it counts ns.
 */
#include <stdlib.h>

#include "core.h"
#include "pci.h"
#include "ptimer.h"
#include "store.h"

struct sim_ptimer {
	u64 time_set;		/* PTIMER's time at time_set_at, from which it counts */
	u64 time_set_at;
	bool alarm_armed;
};

#define TIME_MASK	0x1fffffffffffffe0ull
#define NOMINAL_KHZ	31250

/* The straps of a crystal of 27 MHz */
#define STRAPS_27_MHZ	0x00400000

int sim_ptimer_create(struct nvsim *s)
{
	s->ptimer = calloc(1, sizeof(*s->ptimer));
	return s->ptimer ? 0 : -1;
}

void sim_ptimer_init(struct nvsim *s)
{
	s->ptimer->alarm_armed = false;
	*sim_reg(s, NV_PSTRAPS_STRAPS_PRIMARY) = s->cfg.straps ? s->cfg.straps : STRAPS_27_MHZ;
	if (!s->posted || !sim_quirk(s, NVSIM_QUIRK_POSTED_PTIMER))
		return;

	/* Twice the rate of all known drivers, with the crystal of 27 MHz. */
	*sim_reg(s, NV_PTIMER_CLOCK_DIV) = 162;
	*sim_reg(s, NV_PTIMER_CLOCK_MUL) = 125;
	*sim_reg(s, NV_PTIMER_CLOCK_SOURCE) = 2;
}

static u32 crystal_khz(struct nvsim *s)
{
	switch (*sim_reg(s, NV_PSTRAPS_STRAPS_PRIMARY) & 0x00400040) {
	case 0x00000000:
		return 13500;
	case 0x00000040:
		return 14318;
	case 0x00400000:
		return 27000;
	}

	return 25000;
}

/* PTIMER counts numerator / denominator ns in each ns of the host's clock. */
static u64 numerator(struct nvsim *s)
{
	u32 mul = NV_FLD_GET(NV_PTIMER_CLOCK_SOURCE__MUL, *sim_reg(s, NV_PTIMER_CLOCK_SOURCE)) + 1;

	return (u64)crystal_khz(s) * mul * *sim_reg(s, NV_PTIMER_CLOCK_MUL);
}

static u64 denominator(struct nvsim *s)
{
	u32 div = NV_FLD_GET(NV_PTIMER_CLOCK_SOURCE__DIV, *sim_reg(s, NV_PTIMER_CLOCK_SOURCE)) + 1;

	return (u64)NOMINAL_KHZ * div * *sim_reg(s, NV_PTIMER_CLOCK_DIV);
}

static u64 scaled(u64 ns, u64 num, u64 den)
{
	return (u64)((unsigned __int128)ns * num / den);
}

static bool running(struct nvsim *s)
{
	return *sim_reg(s, NV_PTIMER_CLOCK_DIV) && *sim_reg(s, NV_PTIMER_CLOCK_MUL);
}

u64 sim_ptimer_time(struct nvsim *s)
{
	if (!running(s))
		return s->ptimer->time_set & TIME_MASK;
	return (s->ptimer->time_set + scaled(sim_now(s) - s->ptimer->time_set_at, numerator(s), denominator(s))) &
	       TIME_MASK;
}

static void set_time(struct nvsim *s, u64 t)
{
	s->ptimer->time_set = t;
	s->ptimer->time_set_at = sim_now(s);
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
	case NV_PTIMER_CLOCK_SOURCE:
	case NV_PTIMER_CLOCK_DIV:
	case NV_PTIMER_CLOCK_MUL:
		*sim_reg(s, off) = val;
		set_time(s, t);
		return;
	case NV_PTIMER_ALARM_LOW:
		*sim_reg(s, off) = val;
		s->ptimer->alarm_armed = true;
		sim_ptimer_poll(s);
		return;
	}

	*sim_reg(s, off) = val;
}

/* Raise a due alarm. Returns the ns until the next one. */
u64 sim_ptimer_poll(struct nvsim *s)
{
	int32_t left;

	if (!s->ptimer->alarm_armed || !running(s))
		return UINT64_MAX;

	left = (int32_t)(*sim_reg(s, NV_PTIMER_ALARM_LOW) - (u32)sim_ptimer_time(s));
	if (left > 0)
		return ((u64)left * denominator(s) + numerator(s) - 1) / numerator(s);

	s->ptimer->alarm_armed = false;
	*sim_reg(s, NV_PTIMER_INTR) |= NV_FLD_MASK(NV_PTIMER_INTR__ALARM);
	sim_irq_update(s);

	return UINT64_MAX;
}
