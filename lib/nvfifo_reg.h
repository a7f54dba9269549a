/* SPDX-License-Identifier: MIT */
/* Registers in BAR0 by name: nvfifo_reg_table.h for user space. */
#ifndef NVFIFO_REG_H
#define NVFIFO_REG_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NVFIFO_BAR0_BYTES	0x1000000u

/* A row of the register table: a register, or a field of one */
struct nvfifo_reg {
	const char *block;	/* "PFIFO"; NULL for a field */
	const char *name;	/* "CACHES"; of a field, "REASSIGN" */
	const char *access;	/* "RO", "RW", "WO" or "W1C" (write one to clear) */
	__u32 offset;	/* in BAR0, of the first one */
	__u32 stride;	/* bytes from one to the next */
	__u32 count;	/* how many there are; 0: this is a field of the register before it */
	__u8 hi;	/* highest bit of a field */
	__u8 lo;	/* lowest bit of a field */
	__u8 first;	/* first chip that has it, in the order of the chips' ranges */
	__u8 end;	/* first chip after that which does not have it */
};

/* Register of a name or a number */
struct nvfifo_reg_ref {
	const struct nvfifo_reg *reg;	/* the register, or NULL if the address has no name */
	const struct nvfifo_reg *field;	/* one of its fields, or NULL */
	__u32 index;			/* which one, if there are several */
	__u32 address;			/* in BAR0 */
};

#define NVFIFO_REG_NAME_MAX	80
#define NVFIFO_REG_VALUE_MAX	200

/**
 * nvfifo_reg_parse() - Find a register
 * @text: a name such as "PFIFO.CACHES", "pull0", "CHAN_TABLE[3]", "PFIFO.CACHES.REASSIGN"
 *	(any case, '_' for '.', the block may be left out where that is unique), or an
 *	address such as "0x2500" or "002500", always hexadecimal; "+10" may follow
 * @chipset: chipset id, 0 if unknown
 * @ref: out: the register
 *
 * Return: 0, or -EINVAL; nvfifo_last_error() says why, with names that are near.
 */
int nvfifo_reg_parse(const char *text, __u32 chipset, struct nvfifo_reg_ref *ref);

/**
 * nvfifo_reg_typed() - Find a register by a name that a person or another tool gives it
 * @name: name with its block, such as "PGRAPH_VSTATUS0", "PFIFO_CACHE1_PULL0", "PMC_INTR",
 *	"NV04_PFIFO_CACHE1_PUSH1", "PGRAPH_CTXCTL_STAT", in any case
 * @chipset: chipset id, 0 if unknown
 * @ref: out: the register
 *
 * Return: 0, or -EINVAL.
 */
int nvfifo_reg_typed(const char *name, __u32 chipset, struct nvfifo_reg_ref *ref);

/* The register at an address; @ref->reg is NULL if it has no name. */
void nvfifo_reg_at(__u32 address, __u32 chipset, struct nvfifo_reg_ref *ref);

/* Walk over the registers of a chipset (0: of all): the one after @reg, or the first. */
const struct nvfifo_reg *nvfifo_reg_next(const struct nvfifo_reg *reg, __u32 chipset);

/**
 * nvfifo_reg_field() - Walk over the fields of a register
 * @reg: the register
 * @chipset: chipset id, 0 if unknown: leaves out the layouts and fields of others
 * @field: the field before, or NULL
 *
 * Return: the next field, or NULL.
 */
const struct nvfifo_reg *nvfifo_reg_field(const struct nvfifo_reg *reg, __u32 chipset,
					  const struct nvfifo_reg *field);

__u32 nvfifo_reg_mask(const struct nvfifo_reg *field);

/* "PFIFO.CHAN_TABLE[3]", with the field if there is one; "" without a name. */
void nvfifo_reg_name(const struct nvfifo_reg_ref *ref, char buf[NVFIFO_REG_NAME_MAX]);

/**
 * nvfifo_reg_value() - The value of a register or a field in words
 * @reg: the register
 * @field: its field, or NULL for the whole
 * @value: value of the register
 * @buf: out: the words, or ""
 */
void nvfifo_reg_value(const struct nvfifo_reg *reg, const struct nvfifo_reg *field, __u32 value,
		      char buf[NVFIFO_REG_VALUE_MAX]);

/**
 * nvfifo_reg_unit() - Get the unit of a bit that chips use for different units
 * @field: the field, such as PMC.ENABLE.PCRYPT
 * @chipset: chipset id, 0 if unknown
 *
 * Return: the unit's name on that chip, such as "PSEC". NULL if the field's name is the unit's, if
 * it has no unit, or if the chipset is unknown.
 */
const char *nvfifo_reg_unit(const struct nvfifo_reg *field, __u32 chipset);

#ifdef __cplusplus
}
#endif

#endif
