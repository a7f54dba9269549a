// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* PFIFO's start, and the state of a channel in CACHE1 or in its RAMFC */
#include "nvfifo_pfifo.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* --- Start ----------------------------------------------------------------- */

#define CHSW_DEBUG_1	0x6f3cfc34	/* all drivers write this value; its meaning is unknown */

/**
 * nvfifo_pfifo_start() - Set PFIFO up with no channel, after its reset
 * @port: the card
 * @playlist: address of the first playlist in VRAM
 *
 * PFIFO runs when the caller has turned its interrupts and then channel switches on.
 */
void nvfifo_pfifo_start(const struct nvfifo_port *port, __u64 playlist)
{
	__u32 i;

	nvfifo_port_write(port, NV_PFIFO_CHSW_DEBUG_1, CHSW_DEBUG_1);
	nvfifo_port_write(port, NV_PFIFO_DMA_TIMESLICE,
			  NVFIFO_TIMESLICE_ON | NVFIFO_TIMESLICE_DEFAULT);
	nvfifo_port_write(port, NV_PFIFO_INTR, ~0u);

	/* No source says that a reset clears the table. */
	for (i = 0; i < NVFIFO_CHANNELS; i++)
		nvfifo_port_write(port, NV_REG_AT(NV_PFIFO_CHAN_TABLE, i), 0);

	nvfifo_port_write(port, NV_CACHE1_PUSH1, 0);
	nvfifo_port_write(port, NV_CACHE1_PUT, 0);
	nvfifo_port_write(port, NV_CACHE1_GET, 0);
	nvfifo_port_write(port, NV_CACHE1_PLAYLIST,
			  nvfifo_chan_desc(playlist, NVFIFO_TARGET_VRAM));
	nvfifo_port_write(port, NV_CACHE1_PLAYLIST_LEN, 0);
	nvfifo_port_write(port, NV_CACHE1_PUSH0, NV_FLD_MASK(NV_CACHE1_PUSH0__ACCESS));
	nvfifo_port_write(port, NV_CACHE1_DMA_PUSH, NV_FLD_MASK(NV_CACHE1_DMA_PUSH__ACCESS));
	nvfifo_port_write(port, NV_CACHE1_PULL0, NV_FLD_MASK(NV_CACHE1_PULL0__ACCESS));
}

/* --- The state of a channel ------------------------------------------------ */

/* A channel whose state is read, with channel switches off */
struct state {
	const struct nvfifo_port *port;
	__u64 ramfc;
	__u32 caches;	/* the old value of CACHES */
	bool loaded;
};

static struct state state_begin(const struct nvfifo_port *port, __u32 id, __u64 inst)
{
	struct state s = {
		.port = port,
		.ramfc = inst + nvfifo_chan_ramfc(port->chip >= NV_CHIP_G84),
		.caches = nvfifo_port_read(port, NV_PFIFO_CACHES),
	};

	nvfifo_port_write(port, NV_PFIFO_CACHES, 0);
	s.loaded = NV_FLD_GET(NV_CACHE1_PUSH1__CHID,
			      nvfifo_port_read(port, NV_CACHE1_PUSH1)) == id;

	return s;
}

static void state_end(const struct state *s)
{
	nvfifo_port_write(s->port, NV_PFIFO_CACHES,
			  s->caches & NV_FLD_MASK(NV_PFIFO_CACHES__REASSIGN));
}

/* Read a word: from CACHE1 if the channel is loaded, else from its RAMFC */
static __u32 state_word(const struct state *s, __u32 reg, __u32 offset)
{
	if (s->loaded)
		return nvfifo_port_read(s->port, reg);

	return s->port->vram_read(s->port->card, s->ramfc + offset);
}

/* A loaded channel continues to run: if the high half has changed, read the low half again. */
static __u64 state_address(const struct state *s, __u32 low, __u32 high, __u32 offset)
{
	__u32 first = state_word(s, high, offset + 4);
	__u32 word = state_word(s, low, offset);
	__u32 last = state_word(s, high, offset + 4);

	if (last != first)
		word = state_word(s, low, offset);

	return word | (__u64)last << 32;
}

/**
 * nvfifo_position_read() - Read the position of a channel
 * @port: the card
 * @id: the channel's number; it has an entry in the channel table
 * @inst: address of its structure in VRAM
 * @pos: set to the position; the fields of the error keep their values
 *
 * The pointers come from CACHE1 or RAMFC. A read in the control page would change the high half
 * that the owner of a user queue has latched there. Channel switches are off during the read. A
 * loaded channel continues to run.
 */
void nvfifo_position_read(const struct nvfifo_port *port, __u32 id, __u64 inst,
			  struct drm_nvfifo_channel_query *pos)
{
	const __u32 user = NV_REG_AT(NV_USER_BASE, id);
	const struct state s = state_begin(port, id, inst);
	__u64 mget;

	pos->hw_id = id;
	pos->loaded = s.loaded;
	pos->get = state_address(&s, NV_CACHE1_DMA_GET, NV_CACHE1_DMA_GET_HIGH,
				 NVFIFO_RAMFC_DMA_GET);
	pos->put = state_address(&s, NV_CACHE1_DMA_PUT, NV_CACHE1_DMA_PUT_HIGH,
				 NVFIFO_RAMFC_DMA_PUT);
	mget = state_address(&s, NV_CACHE1_DMA_MGET, NV_CACHE1_DMA_MGET_HIGH,
			     NVFIFO_RAMFC_DMA_MGET);
	pos->mget = mget & NVFIFO_VA_MASK;
	pos->mget_valid = (__u32)(mget >> 63);
	pos->ib_get = nvfifo_port_read(port, user + NV_USER_IB_GET);
	pos->ib_put = nvfifo_port_read(port, user + NV_USER_IB_PUT);
	pos->ref = nvfifo_port_read(port, user + NV_USER_REF);

	pos->dma_state = state_word(&s, NV_CACHE1_DMA_STATE, NVFIFO_RAMFC_DMA_STATE);
	pos->method_count = state_word(&s, NV_CACHE1_METHOD_COUNT, NVFIFO_RAMFC_METHOD_COUNT);
	pos->subroutine = state_word(&s, NV_CACHE1_SUBROUTINE, NVFIFO_RAMFC_SUBROUTINE);
	pos->bound = state_word(&s, NV_CACHE1_ENGINE, NVFIFO_RAMFC_ENGINE);

	state_end(&s);
}

/**
 * nvfifo_acquire_read() - Read the semaphore acquire that a channel waits for
 * @port: the card
 * @id: the channel's number
 * @inst: address of its structure in VRAM
 *
 * Channel switches are off during the read.
 *
 * Return: the acquire.
 */
struct nvfifo_acquire nvfifo_acquire_read(const struct nvfifo_port *port, __u32 id, __u64 inst)
{
	const struct state s = state_begin(port, id, inst);
	__u32 pull1 = state_word(&s, NV_CACHE1_PULL1, NVFIFO_RAMFC_PULL1);
	__u32 semaphore = state_word(&s, NV_CACHE1_SEMAPHORE, NVFIFO_RAMFC_SEMAPHORE);
	struct nvfifo_acquire a = {
		.active = NV_FLD_GET(NV_CACHE1_PULL1__ACQUIRE_ACTIVE, pull1),
		.or_later = NV_FLD_GET(NV_CACHE1_PULL1__ACQUIRE_MODE_GEQ, pull1),
		.object = NV_FLD_GET(NV_CACHE1_SEMAPHORE__INSTANCE, semaphore) << 4,
		.offset = NV_FLD_GET(NV_CACHE1_SEMAPHORE__OFFSET, semaphore) * 4,
		.value = state_word(&s, NV_CACHE1_ACQUIRE_VALUE, NVFIFO_RAMFC_ACQUIRE_VALUE),
	};

	if (NV_FLD_GET(NV_CACHE1_PULL1__ACQUIRE_SOURCE_NEW, pull1))
		a.offset = state_word(&s, NV_CACHE1_SEMAPHORE_ADDRESS_LOW,
				      NVFIFO_RAMFC_SEMAPHORE_ADDRESS_LOW) |
			   (__u64)state_word(&s, NV_CACHE1_SEMAPHORE_ADDRESS_HIGH,
					     NVFIFO_RAMFC_SEMAPHORE_ADDRESS_HIGH) << 32;

	state_end(&s);

	return a;
}

/* --- Saving CACHE1 --------------------------------------------------------- */

/*
 * The register of each word of RAMFC, from the hardware documents. Word 0x84, CACHE_CNT, has none.
 */
static const struct {
	__u16 offset;
	__u16 chips;	/* enum nv_chip of the first chip with the word */
	__u32 reg;
} ramfc_words[] = {
	{ NVFIFO_RAMFC_IB_PUT, NV_CHIP_G80, NV_CACHE1_IB_PUT },
	{ NVFIFO_RAMFC_IB_GET, NV_CHIP_G80, NV_CACHE1_IB_GET },
	{ NVFIFO_RAMFC_DMA_PUT, NV_CHIP_G80, NV_CACHE1_DMA_PUT },
	{ NVFIFO_RAMFC_DMA_PUT_HIGH, NV_CHIP_G80, NV_CACHE1_DMA_PUT_HIGH },
	{ NVFIFO_RAMFC_DMA_GET, NV_CHIP_G80, NV_CACHE1_DMA_GET },
	{ NVFIFO_RAMFC_DMA_GET_HIGH, NV_CHIP_G80, NV_CACHE1_DMA_GET_HIGH },
	{ NVFIFO_RAMFC_DMA_MGET, NV_CHIP_G80, NV_CACHE1_DMA_MGET },
	{ NVFIFO_RAMFC_DMA_MGET_HIGH, NV_CHIP_G80, NV_CACHE1_DMA_MGET_HIGH },
	{ NVFIFO_RAMFC_GET_HIGH_RDSHADOW, NV_CHIP_G80, NV_CACHE1_GET_HIGH_RDSHADOW },
	{ NVFIFO_RAMFC_PUT_HIGH_RDSHADOW, NV_CHIP_G80, NV_CACHE1_PUT_HIGH_RDSHADOW },
	{ NVFIFO_RAMFC_PUT_HIGH_WRSHADOW, NV_CHIP_G80, NV_CACHE1_PUT_HIGH_WRSHADOW },
	{ NVFIFO_RAMFC_MGET_HIGH_RDSHADOW, NV_CHIP_G80, NV_CACHE1_MGET_HIGH_RDSHADOW },
	{ NVFIFO_RAMFC_DMA_STATE, NV_CHIP_G80, NV_CACHE1_DMA_STATE },
	{ NVFIFO_RAMFC_METHOD_COUNT, NV_CHIP_G80, NV_CACHE1_METHOD_COUNT },
	{ NVFIFO_RAMFC_DMA_DCOUNT_SHADOW, NV_CHIP_G80, NV_CACHE1_DMA_DCOUNT_SHADOW },
	{ NVFIFO_RAMFC_DMA_FETCH, NV_CHIP_G80, NV_CACHE1_DMA_FETCH },
	{ NVFIFO_RAMFC_SUBROUTINE, NV_CHIP_G80, NV_CACHE1_SUBROUTINE },
	{ NVFIFO_RAMFC_DMA_TIMESLICE, NV_CHIP_G80, NV_PFIFO_DMA_TIMESLICE },
	{ NVFIFO_RAMFC_DMA_INSTANCE, NV_CHIP_G80, NV_CACHE1_DMA_INSTANCE },
	{ NVFIFO_RAMFC_DMA_LIMIT, NV_CHIP_G80, NV_CACHE1_DMA_LIMIT },
	{ NVFIFO_RAMFC_IB_ADDRESS_LOW, NV_CHIP_G80, NV_CACHE1_IB_ADDRESS_LOW },
	{ NVFIFO_RAMFC_IB_CONFIG, NV_CHIP_G80, NV_CACHE1_IB_CONFIG },
	{ NVFIFO_RAMFC_ENGINE, NV_CHIP_G80, NV_CACHE1_ENGINE },
	{ NVFIFO_RAMFC_PULL1, NV_CHIP_G80, NV_CACHE1_PULL1 },
	{ NVFIFO_RAMFC_ACQUIRE_TIMEOUT, NV_CHIP_G80, NV_CACHE1_ACQUIRE_TIMEOUT },
	{ NVFIFO_RAMFC_ACQUIRE_TIMESTAMP, NV_CHIP_G80, NV_CACHE1_ACQUIRE_TIMESTAMP },
	{ NVFIFO_RAMFC_ACQUIRE_VALUE, NV_CHIP_G80, NV_CACHE1_ACQUIRE_VALUE },
	{ NVFIFO_RAMFC_SEMAPHORE, NV_CHIP_G80, NV_CACHE1_SEMAPHORE },
	{ NVFIFO_RAMFC_UNK0E4, NV_CHIP_G80, NV_CACHE1_UNK0E4 },
	{ NVFIFO_RAMFC_REF, NV_CHIP_G80, NV_CACHE1_REF },
	{ NVFIFO_RAMFC_DEBUG_2, NV_CHIP_G80, NV_PFIFO_DEBUG_2 },
	{ NVFIFO_RAMFC_SLI, NV_CHIP_G80, NV_PFIFO_SLI },
	{ NVFIFO_RAMFC_RAMHT, NV_CHIP_G80, NV_PFIFO_RAMHT },
	{ NVFIFO_RAMFC_CACHE_INST, NV_CHIP_G84, NV_CACHE1_CACHE_INST },
	{ NVFIFO_RAMFC_SEMAPHORE_ADDRESS_HIGH, NV_CHIP_G84, NV_CACHE1_SEMAPHORE_ADDRESS_HIGH },
	{ NVFIFO_RAMFC_SEMAPHORE_ADDRESS_LOW, NV_CHIP_G84, NV_CACHE1_SEMAPHORE_ADDRESS_LOW },
	{ NVFIFO_RAMFC_SEMAPHORE_SEQUENCE, NV_CHIP_G84, NV_CACHE1_SEMAPHORE_SEQUENCE },
	{ NVFIFO_RAMFC_CHAN_INST, NV_CHIP_G84, NV_CACHE1_CHAN_INST },
	{ NVFIFO_RAMFC_MTHD_UNK28, NV_CHIP_MCP89, NV_CACHE1_MTHD_UNK28 },
	{ NVFIFO_RAMFC_UNK304, NV_CHIP_MCP89, NV_CACHE1_UNK304 },
};

#define CACHE_ENTRIES	512
#define CACHE_TURN	1024	/* GET and PUT count entries up to twice the size */

/**
 * nvfifo_cache1_save() - Save the loaded channel as PFIFO does at a switch
 * @port: the card, with puller and pusher stopped
 * @inst: address of the channel's structure in VRAM
 *
 * Stores its registers in RAMFC, and the contents of the cache at the place that RAMFC names.
 *
 * Return: false if PFIFO reports more methods than the cache holds; the area is no larger.
 */
bool nvfifo_cache1_save(const struct nvfifo_port *port, __u64 inst)
{
	const bool g84 = port->chip >= NV_CHIP_G84;
	const __u64 ramfc = inst + nvfifo_chan_ramfc(g84);
	const __u64 cache = inst + (g84 ? NVFIFO_G84_CACHE : NVFIFO_G80_CACHE);
	__u32 get = nvfifo_port_read(port, NV_CACHE1_GET) >> 2;
	__u32 put = nvfifo_port_read(port, NV_CACHE1_PUT) >> 2;
	__u32 count = (put - get) % CACHE_TURN, stored = count, i, reg;

	if (stored > CACHE_ENTRIES)
		stored = CACHE_ENTRIES;

	for (i = 0; i < COUNT(ramfc_words); i++)
		if (port->chip >= ramfc_words[i].chips)
			port->vram_write(port->card, ramfc + ramfc_words[i].offset,
					 nvfifo_port_read(port, ramfc_words[i].reg));

	for (i = 0; i < stored; i++) {
		reg = NV_REG_AT(NV_CACHE1_CACHE_MTHD, (get + i) % CACHE_ENTRIES);
		port->vram_write(port->card, cache + i * 8, nvfifo_port_read(port, reg));
		reg = NV_REG_AT(NV_CACHE1_CACHE_DATA, (get + i) % CACHE_ENTRIES);
		port->vram_write(port->card, cache + i * 8 + 4, nvfifo_port_read(port, reg));
	}

	port->vram_write(port->card, ramfc + NVFIFO_RAMFC_CACHE_CNT, stored);

	return count == stored;
}
