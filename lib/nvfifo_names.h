/* SPDX-License-Identifier: MIT */
/* Names and meanings of register bits, codes and slots, for explanations. */
#ifndef NVFIFO_NAMES_H
#define NVFIFO_NAMES_H

#include <stddef.h>

#include <linux/types.h>

#include "nvfifo_code_names.h"

/* One code, or one bit of a register: mask, name, meaning (may be NULL). */
struct nvfifo_name {
	__u32 value;
	const char *name;
	const char *means;
};

/* Tables end with an entry without name. */
extern const struct nvfifo_name nvfifo_dma_push_bits[];
extern const struct nvfifo_name nvfifo_pull0_bits[];
extern const struct nvfifo_name nvfifo_pfifo_intr_bits[];
extern const struct nvfifo_name nvfifo_pgraph_intr_bits[];
extern const struct nvfifo_name nvfifo_pgraph_status_bits[];
extern const struct nvfifo_name nvfifo_unit_states[];
extern const struct nvfifo_name nvfifo_ctxctl_states[];
extern const struct nvfifo_name nvfifo_pending_states[];
extern const struct nvfifo_name nvfifo_kind_names[];
extern const struct nvfifo_name nvfifo_trap_bits[];
extern const struct nvfifo_name nvfifo_cipher_intr_bits[];
extern const struct nvfifo_name nvfifo_trap_prop_bits[];
extern const struct nvfifo_name nvfifo_trap_tex_bits[];
extern const struct nvfifo_name nvfifo_trap_mp_bits[];
extern const struct nvfifo_name nvfifo_trap_mp_exec_bits[];
extern const struct nvfifo_name nvfifo_trap_m2mf_bits[];
extern const struct nvfifo_name nvfifo_trap_dispatch_bits[];
extern const struct nvfifo_name nvfifo_trap_fault_bits[];
extern const struct nvfifo_name nvfifo_falcon_intr_bits[];
extern const struct nvfifo_name nvfifo_mpeg_intr_bits[];
extern const struct nvfifo_name nvfifo_mpeg_error_bits[];
extern const struct nvfifo_name nvfifo_data_errors[];
extern const struct nvfifo_name nvfifo_pusher_errors[];
extern const struct nvfifo_name nvfifo_semaphore_errors[];
extern const struct nvfifo_name nvfifo_hangs[];
extern const struct nvfifo_name nvfifo_fault_reasons[];

/* The entry of a code, or NULL. */
const struct nvfifo_name *nvfifo_name_find(const struct nvfifo_name *table, __u32 value);

/**
 * nvfifo_bits_text() - Names of the bits that are set
 * @table: names of single bits
 * @value: the register
 * @prefix: name of a bit without entry: this and its number; NULL leaves it out
 * @separator: between two names
 * @buf: out: the names
 * @size: its size
 */
void nvfifo_bits_text(const struct nvfifo_name *table, __u32 value, const char *prefix,
		      const char *separator, char *buf, size_t size);

/**
 * nvfifo_vstatus_text() - Units of a PGRAPH_VSTATUS register in a state
 * @reg: 0 to 2
 * @value: the register, three bits a unit
 * @state: 1 busy, 3 waiting, 5 blocked, 7 paused
 * @buf: out: their names with blanks between
 * @size: its size
 */
void nvfifo_vstatus_text(unsigned int reg, __u32 value, unsigned int state, char *buf,
			 size_t size);

#endif
