/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_HW_H_
#define _NVFIFO_HW_H_

#include <linux/io.h>
#include <linux/tracepoint-defs.h>

#include <drm/drm_drv.h>
#include <drm/drm_print.h>

#include "nvfifo_drv.h"
#include "nvfifo_port.h"

/* TIMEOUT: all known drivers give any procedure two seconds; hardware needs microseconds. */
#define NVFIFO_TIMEOUT_US	(2 * USEC_PER_SEC)

/* Shortest and longest interval between two polls, microseconds */
#define NVFIFO_POLL_US		10ULL
#define NVFIFO_POLL_MAX_US	2000ULL

/* --- Registers ----------------------------------------------------------- */

/* Accesses to a BAR, for the event nvfifo_access */
enum nvfifo_access_op {
	NVFIFO_ACCESS_READ,
	NVFIFO_ACCESS_WRITE,
	NVFIFO_ACCESS_WRITE_BYTE,
	NVFIFO_ACCESS_CLEAR,	/* the value is the number of bytes */
};

DECLARE_TRACEPOINT(nvfifo_access);

void nvfifo_access_trace(const struct nvfifo_device *ndev, enum nvfifo_access_op op,
			 unsigned int bar, u32 offset, u64 value);

/* A static branch makes this free while the event nvfifo_access is off. */
static inline void nvfifo_access_note(const struct nvfifo_device *ndev, enum nvfifo_access_op op,
				      unsigned int bar, u32 offset, u64 value)
{
	if (tracepoint_enabled(nvfifo_access))
		nvfifo_access_trace(ndev, op, bar, offset, value);
}

static inline u32 nvfifo_card_rd32(struct nvfifo_device *ndev, u32 reg)
{
	u32 val = ioread32(ndev->hw.mmio + reg);

	nvfifo_access_note(ndev, NVFIFO_ACCESS_READ, 0, reg, val);

	return val;
}

static inline void nvfifo_card_wr32(struct nvfifo_device *ndev, u32 reg, u32 val)
{
	iowrite32(val, ndev->hw.mmio + reg);
	nvfifo_access_note(ndev, NVFIFO_ACCESS_WRITE, 0, reg, val);
}

static inline void nvfifo_card_wr8(struct nvfifo_device *ndev, u32 reg, u8 val)
{
	iowrite8(val, ndev->hw.mmio + reg);
	nvfifo_access_note(ndev, NVFIFO_ACCESS_WRITE_BYTE, 0, reg, val);
}

static inline u32 nvfifo_card_timeout_us(struct nvfifo_device *ndev, u32 us)
{
	return us;
}

void nvfifo_card_leave_bus(struct nvfifo_device *ndev);

/*
 * Operations of a real card. Each file gets a copy, so that the compiler can inline the functions.
 */
static const struct nvfifo_io_ops nvfifo_card_io = {
	.rd32 = nvfifo_card_rd32,
	.wr32 = nvfifo_card_wr32,
	.wr8 = nvfifo_card_wr8,
	.timeout_us = nvfifo_card_timeout_us,
	.leave_bus = nvfifo_card_leave_bus,
};

static inline const struct nvfifo_io_ops *nvfifo_io(const struct nvfifo_device *ndev)
{
	if (IS_ENABLED(CONFIG_NVFIFO_KUNIT_TEST))
		return ndev->hw.io;

	return &nvfifo_card_io;
}

/**
 * nvfifo_rd32() - Read a register
 * @ndev: the device
 * @reg: offset in BAR0, a multiple of 4
 *
 * Context: Any. A lost card reads as all ones.
 *
 * Return: the value.
 */
static inline u32 nvfifo_rd32(struct nvfifo_device *ndev, u32 reg)
{
	return nvfifo_io(ndev)->rd32(ndev, reg);
}

/**
 * nvfifo_wr32() - Write a register
 * @ndev: the device
 * @reg: offset in BAR0, a multiple of 4
 * @val: the value
 *
 * Context: Any.
 */
static inline void nvfifo_wr32(struct nvfifo_device *ndev, u32 reg, u32 val)
{
	nvfifo_io(ndev)->wr32(ndev, reg, val);
}

/**
 * nvfifo_wr8() - Write a byte of a register
 * @ndev: the device
 * @reg: offset in BAR0
 * @val: the byte
 *
 * Context: Any.
 */
static inline void nvfifo_wr8(struct nvfifo_device *ndev, u32 reg, u8 val)
{
	nvfifo_io(ndev)->wr8(ndev, reg, val);
}

/**
 * nvfifo_mask() - Change bits of a register
 * @ndev: the device
 * @reg: offset in BAR0, a multiple of 4
 * @mask: bits to clear
 * @val: bits to set
 *
 * Context: Any. The caller holds a lock against other changes of the register.
 *
 * Return: the old value.
 */
static inline u32 nvfifo_mask(struct nvfifo_device *ndev, u32 reg, u32 mask, u32 val)
{
	u32 old = nvfifo_rd32(ndev, reg);

	nvfifo_wr32(ndev, reg, (old & ~mask) | val);

	return old;
}

/**
 * nvfifo_phase() - Get the phase of the card's life
 * @ndev: the device
 *
 * Most readers take no lock. Each phase after RUNNING only ends their work earlier.
 *
 * Context: Any.
 *
 * Return: the phase.
 */
static inline enum nvfifo_phase nvfifo_phase(const struct nvfifo_device *ndev)
{
	return READ_ONCE(ndev->hw.phase);
}

/**
 * nvfifo_card_answers() - Does the card answer, and are its units on?
 * @ndev: the device
 *
 * A sleeping card is without power. After a failed resume, units of a lost card may be in reset.
 *
 * Return: true if it does.
 */
static inline bool nvfifo_card_answers(struct nvfifo_device *ndev)
{
	const enum nvfifo_phase phase = nvfifo_phase(ndev);

	if (phase == NVFIFO_ASLEEP || phase == NVFIFO_LOST)
		return false;

	return nvfifo_rd32(ndev, NV_PMC_BOOT_0) != ~0u;
}

/**
 * nvfifo_pgraph_is_used() - May registers of PGRAPH be accessed?
 * @ndev: the device
 *
 * Return: true from the first PGRAPH object of any channel on.
 */
static inline bool nvfifo_pgraph_is_used(const struct nvfifo_device *ndev)
{
	return READ_ONCE(ndev->hw.pgraph_used);
}

/**
 * nvfifo_pgraph_set_used() - Note that PGRAPH is set up
 * @ndev: the device
 */
static inline void nvfifo_pgraph_set_used(struct nvfifo_device *ndev)
{
	WRITE_ONCE(ndev->hw.pgraph_used, true);
}

/* A register in a channel's control page. */
static inline u32 nvfifo_user(u32 chid, u32 reg)
{
	return NV_REG_AT(NV_USER_BASE, chid) + reg;
}

struct nvfifo_port nvfifo_port(struct nvfifo_device *ndev);

/* --- Waits --------------------------------------------------------------- */

int nvfifo_poll(struct nvfifo_device *ndev, u32 timeout_us,
		bool (*done)(struct nvfifo_device *ndev, void *data), void *data);
int nvfifo_poll_failed(struct nvfifo_device *ndev, const char *what, u32 timeout_us);
int nvfifo_wait(struct nvfifo_device *ndev, u32 reg, u32 mask, u32 want, const char *what);

/* --- A card that cannot be used ------------------------------------------ */

void nvfifo_ban_queue(struct nvfifo_device *ndev);

bool nvfifo_set_phase(struct nvfifo_device *ndev, enum nvfifo_phase phase);
void nvfifo_wedge(struct nvfifo_device *ndev, enum nvfifo_phase why);
bool nvfifo_check_lost(struct nvfifo_device *ndev);
const char *nvfifo_wedged_name(const struct nvfifo_device *ndev);

void nvfifo_units_reset(struct nvfifo_device *ndev, u32 units);
void nvfifo_halt(struct nvfifo_device *ndev);

/* Log an error of the card, and return an errno. */
#define nvfifo_card_err(ndev, err, fmt, ...) \
	({ drm_err(&(ndev)->drm, fmt "\n", ##__VA_ARGS__); (err); })

/**
 * nvfifo_check_wedged() - Has the card been given up?
 * @ndev: the device
 *
 * Return: 0 while it is in use, -ENODEV if it is lost or gone, -EIO if it is stuck.
 */
static inline int nvfifo_check_wedged(const struct nvfifo_device *ndev)
{
	const enum nvfifo_phase phase = nvfifo_phase(ndev);

	if (phase < NVFIFO_STUCK)
		return 0;

	return phase == NVFIFO_STUCK ? -EIO : -ENODEV;
}

/**
 * nvfifo_check_ending() - May a thread still wait for work of the card?
 * @ndev: the device
 *
 * Return: 0 if it may, -ENODEV if the card is lost or being removed, -EIO if it is stuck.
 */
static inline int nvfifo_check_ending(const struct nvfifo_device *ndev)
{
	if (nvfifo_phase(ndev) == NVFIFO_REMOVING)
		return -ENODEV;

	return nvfifo_check_wedged(ndev);
}

/**
 * nvfifo_is_usable() - Is the card in use, neither stuck nor lost?
 * @ndev: the device
 *
 * Return: true if it is.
 */
static inline bool nvfifo_is_usable(const struct nvfifo_device *ndev)
{
	return nvfifo_phase(ndev) < NVFIFO_STUCK;
}

/* A section of drm_dev_enter(), which ends with the scope */
struct nvfifo_entered {
	int idx;
	bool is_open;	/* the card is there, and its removal waits for the end of the section */
};

static inline struct nvfifo_entered nvfifo_enter(struct nvfifo_device *ndev)
{
	struct nvfifo_entered entered = {};

	entered.is_open = drm_dev_enter(&ndev->drm, &entered.idx);

	return entered;
}

static inline void nvfifo_leave(struct nvfifo_entered entered)
{
	if (entered.is_open)
		drm_dev_exit(entered.idx);
}

/*
 * CLASS(nvfifo_enter, entered)(ndev); the card's removal, and that of each DRM device, waits for
 * the end of the scope. So no wait in it is longer than the hang limit.
 */
DEFINE_CLASS(nvfifo_enter, struct nvfifo_entered, nvfifo_leave(_T), nvfifo_enter(ndev),
	     struct nvfifo_device *ndev)

/* --- args ---------------------------------------------------------------- */

/* Log the reason for a failed call at debug level, and return an errno. */
#define nvfifo_fail(ndev, err, fmt, ...) \
	({ drm_dbg(&(ndev)->drm, fmt "\n", ##__VA_ARGS__); (err); })
#define nvfifo_einval(ndev, fmt, ...) nvfifo_fail(ndev, -EINVAL, fmt, ##__VA_ARGS__)

int nvfifo_array_check(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in, size_t known,
		       u32 max, const char *name);
int nvfifo_array_copy(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in, u32 first,
		      u32 count, size_t known, void *out, const char *name);
void *nvfifo_array_get(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in,
		       size_t known, u32 max, const char *name);

/**
 * nvfifo_check_rule() - Refuse a call that breaks a rule
 * @ndev: the device, for the message at debug level
 * @call: name of the call
 * @text: the rule, or NULL if the call keeps all of them
 *
 * Context: Any.
 *
 * Return: 0 or -EINVAL.
 */
static inline int nvfifo_check_rule(struct nvfifo_device *ndev, const char *call, const char *text)
{
	if (!text)
		return 0;

	drm_dbg(&ndev->drm, "%s: %s\n", call, text);

	return -EINVAL;
}

#endif
