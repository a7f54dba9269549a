/* SPDX-License-Identifier: MIT */
/*
 * A rig whose accesses pass a port, which records them. Include it instead of rig.h, or before a
 * header that includes rig.h.
 */
#ifndef SIM_TESTS_RIG_RECORD_H
#define SIM_TESTS_RIG_RECORD_H

#include <errno.h>

#include "../nvsim.h"
#include "../record/port.h"
#include "../record/record.h"

static struct port rig_port;
static struct recorder *rig_recorder;
static struct nvsim_host rig_host;

static struct nvsim *rig_power_up(const struct nvsim_config *cfg, const struct nvsim_host *host,
				  char *err, size_t err_len)
{
	rig_host = *host;
	port_init(&rig_port, rig_recorder, &rig_host);
	return port_power_up(&rig_port, cfg, &rig_host, err, err_len);
}

#define nvsim_create(...)	  rig_power_up(__VA_ARGS__)
#define nvsim_cfg_read(sim, ...)  ((void)(sim), port_cfg_read(&rig_port, __VA_ARGS__))
#define nvsim_cfg_write(sim, ...) ((void)(sim), port_cfg_write(&rig_port, __VA_ARGS__))
#define nvsim_bar_read(sim, ...)  ((void)(sim), port_bar_read(&rig_port, __VA_ARGS__))
#define nvsim_bar_write(sim, ...) ((void)(sim), port_bar_write(&rig_port, __VA_ARGS__))
#define nvsim_run(sim, ...)	  ((void)(sim), port_run(&rig_port, __VA_ARGS__))

#include "rig_fuzz.h"

#endif
