/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names of the hardware's codes, for logs, trace events and the library.
 */
#ifndef _NVFIFO_CODE_NAMES_H_
#define _NVFIFO_CODE_NAMES_H_

#include <linux/types.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *nvfifo_chipset_name(unsigned int chipset);
const char *nvfifo_ramfc_name(unsigned int offset);

const char *nvfifo_pusher_error_name(unsigned int code);
const char *nvfifo_semaphore_error_name(unsigned int code);
const char *nvfifo_cache_error_name(__u32 pull0);
const char *nvfifo_gr_intr_name(unsigned int bit);
const char *nvfifo_gr_trap_name(unsigned int bit);
const char *nvfifo_mp_trap_name(unsigned int bit);
const char *nvfifo_prop_trap_name(unsigned int bit);
const char *nvfifo_engine_class_name(unsigned int oclass);
const char *nvfifo_gr_unit_name(unsigned int reg, unsigned int unit);
const char *nvfifo_bits_names(__u32 word, const char *(*name)(unsigned int bit), char *text,
			      unsigned int size);
const char *nvfifo_pfifo_method_name(unsigned int method);
const char *nvfifo_pfifo_method_at(unsigned int index, unsigned int *method);
const char *nvfifo_data_error_name(unsigned int code);
void nvfifo_gr_error_names(__u32 intr, __u32 detail, char *text, unsigned int size);

const char *nvfifo_target_name(unsigned int target);
const char *nvfifo_fault_reason_name(unsigned int code);
const char *nvfifo_fault_engine(__u32 chipset, unsigned int engine);
const char *nvfifo_fault_client(__u32 chipset, unsigned int client);
const char *nvfifo_fault_slot(__u32 chipset, unsigned int engine, unsigned int client,
			      unsigned int slot);
const char *nvfifo_engine_name(__u32 chipset, unsigned int engine);

/* For logs: a number without a name is "UNKNOWN". */
static inline const char *nvfifo_name_or_unknown(const char *name)
{
	if (!*name)
		return "UNKNOWN";

	return name;
}

#ifdef __cplusplus
}
#endif

#endif
