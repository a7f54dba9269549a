/* SPDX-License-Identifier: MIT */
/*
 * The control capability; nvsim_cfg_read() and nvsim_cfg_write() are the host's way to it.
 */
#ifndef SIM_CORE_CONTROL_H
#define SIM_CORE_CONTROL_H

#include "core.h"

int sim_control_create(struct nvsim *s);

#endif
