/* SPDX-License-Identifier: MIT */
/*
 * Names for what is accessed: registers and their fields, configuration space.
 */
#ifndef NVSIM_NAMES_H
#define NVSIM_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

/* What a name depends on. */
struct names {
	int chip;      /* enum nv_chip */
	uint32_t pmem; /* PBUS.HOST_MEM_PMEM */
	uint32_t arg;  /* of the control capability */
};

/* @chipset as in nvsim_chipset_names. */
void names_init(struct names *n, const char *chipset);
/* Remember what an access changes of these. */
void names_follow(struct names *n, const struct record *rec);

/* "PFIFO.INTR", "BAR1+1234", "config COMMAND" */
void names_access(const struct names *n, const struct record *rec, char *buf, size_t len);
/* Fields of a register with that value that are not 0, or what the control capability is told; may
 * be empty. */
void names_value(const struct names *n, const struct record *rec, uint64_t value, char *buf,
		 size_t len);
/* Whether it is an access of memory: which one, and where. */
bool names_memory(const struct names *n, const struct record *rec, uint64_t *space,
		  uint64_t *place);
/* Whether a register's value is the time. */
bool names_is_clock(const struct record *rec);
/* Whether the access is one of a place in BAR0 that has no name. */
bool names_unknown(const struct names *n, const struct record *rec);

#endif
