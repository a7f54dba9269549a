/* SPDX-License-Identifier: MIT */
/*
 * Names of accesses: registers and their fields, memory, configuration space.
 */
#ifndef NVSIM_NAMES_H
#define NVSIM_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

/* State that names depend on */
struct names {
	int chip;      /* enum nv_chip */
	uint32_t pmem; /* PBUS.HOST_MEM_PMEM */
	uint32_t arg;  /* of the control capability */
};

/* @chipset as in nvsim_chipset_names. */
void names_init(struct names *n, const char *chipset);
/* Update the state after an access. */
void names_follow(struct names *n, const struct record *rec);

/* "PFIFO.INTR", "BAR1+1234", "config COMMAND" */
void names_access(const struct names *n, const struct record *rec, char *buf, size_t len);
/*
 * The fields of a register that are not 0 in @value, or the name of a command of the control
 * capability; may be empty.
 */
void names_value(const struct names *n, const struct record *rec, uint64_t value, char *buf,
		 size_t len);
/* Whether it is an access to memory: the memory's number in @space, the address in @place. */
bool names_memory(const struct names *n, const struct record *rec, uint64_t *space,
		  uint64_t *place);
/* Whether a register's value is the time. */
bool names_is_clock(const struct record *rec);
/* Whether it is an access to a register of the table, or to memory: the model has those. */
bool names_modelled(const struct names *n, const struct record *rec);
/* Whether it is an access to a place in BAR0 that has no name. */
bool names_unknown(const struct names *n, const struct record *rec);

#endif
