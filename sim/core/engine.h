/* SPDX-License-Identifier: MIT */
/*
 * The engines as PFIFO sees them, and the record of their methods
 */
#ifndef SIM_CORE_ENGINE_H
#define SIM_CORE_ENGINE_H

#include "core.h"
#include "chip.h"

/* One method that was sent to an engine */
struct sim_record {
	u32 where;		/* channel << 24 | engine << 20 | subchannel << 16 | method */
	u32 data;		/* as in the push buffer */
	u32 class;		/* of the object that is bound to the subchannel */
	u32 object;		/* methods 0 and 0x180 to 0x1fc: the instance, else as data */
};

struct sim_record_sum {
	u64 count;
	u32 crc;
};

struct sim_engine {
	bool valid;
	u32 chan;
	bool recording;		/* the channel has no context here, methods have no effect */
	bool swallowed;		/* in reset, the engine has lost a method */
};

/* An engine that executes methods */
struct sim_engine_ops {
	void (*reset)(struct nvsim *s);
	/* Whether it takes no methods; PFIFO sees work left. */
	bool (*busy)(struct nvsim *s);
	/* Make @chan the current context; false until it is. */
	bool (*switch_to)(struct nvsim *s, u32 chan);
	/* A kick; false while the engine needs @chan. */
	bool (*unload)(struct nvsim *s, u32 chan);
	/* @recording: without a context the class and method are checked, but have no effect. */
	void (*method)(struct nvsim *s, u32 subc, u32 mthd, u32 data, u16 class, bool recording);
};

int sim_engine_create(struct nvsim *s);
/* From now on @ops do the engine's work. An engine without them accepts any method. */
void sim_engine_register(struct nvsim *s, u32 engine, const struct sim_engine_ops *ops);
/* The channel that the engine works for */
const struct sim_engine *sim_engine(const struct nvsim *s, u32 engine);
bool sim_engine_has_context(struct nvsim *s, u32 engine, u32 chan);
void sim_engine_reset(struct nvsim *s, u32 engine);
void sim_engine_disabled(struct nvsim *s, u32 bits);
bool sim_engine_done(struct nvsim *s, u32 engine);
bool sim_engine_idle(struct nvsim *s, u32 engine);
u32 sim_engine_idle_mask(struct nvsim *s);
bool sim_engine_kick(struct nvsim *s, u32 desc, u32 mask);
bool sim_engine_send(struct nvsim *s, u32 engine, u32 subc, u32 mthd, u32 raw, u32 data);
void sim_record_reset(struct nvsim *s);
/* Methods of channel @chid, or with 0 of all channels */
const struct sim_record_sum *sim_record_sum(const struct nvsim *s, unsigned int chid);
/* sim_record_next() goes on at this record, counted from the last reset on. */
void sim_record_seek(struct nvsim *s, u64 pos);
/* The next record of channel @chid, or with 0 of any channel; NULL at the end */
const struct sim_record *sim_record_next(struct nvsim *s, unsigned int chid);

#endif
