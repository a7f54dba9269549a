/* SPDX-License-Identifier: MIT */
/*
 * PFIFO, as other units see it
 */
#ifndef SIM_CORE_PFIFO_H
#define SIM_CORE_PFIFO_H

#include "core.h"

/* PUSH1 has this number while no channel is loaded. */
#define SIM_NO_CHANNEL	127

/* pfifo.c */
int sim_pfifo_create(struct nvsim *s);
void sim_pfifo_reset(struct nvsim *s, bool power_on);
u32 sim_pfifo_read(struct nvsim *s, u32 off);
void sim_pfifo_write(struct nvsim *s, u32 off, u32 val);
enum sim_step sim_pfifo_step(struct nvsim *s);
/* ns until the next poll of a blocked acquire */
u64 sim_pfifo_deadline(struct nvsim *s);

/* channel.c */
void sim_pfifo_intr(struct nvsim *s, u32 bits);
bool sim_pfifo_frozen(struct nvsim *s);
/* Whether an entry of the channel table leads to the channel with this descriptor */
bool sim_channel_listed(struct nvsim *s, u32 chan);
/* Poll blocked channels at once. */
void sim_pfifo_wake(struct nvsim *s);

/* user.c */
u32 sim_user_read(struct nvsim *s, u32 off);
u32 sim_user_peek(struct nvsim *s, u32 off);
void sim_user_write(struct nvsim *s, u32 off, u32 val);

#endif
