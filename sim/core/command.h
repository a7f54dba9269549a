/* SPDX-License-Identifier: MIT */
/*
 * Lines of text that request failures; nvsim_command() is the host's way to them.
 */
#ifndef SIM_CORE_COMMAND_H
#define SIM_CORE_COMMAND_H

#include "core.h"

int sim_command_create(struct nvsim *s);
/* Four characters of a line from the control capability; a 0 byte runs the line. */
u32 sim_command_text(struct nvsim *s, u32 four);

#endif
