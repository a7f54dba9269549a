/* SPDX-License-Identifier: MIT */
/*
 * The model's control capability: a PCI vendor-specific capability that real
 * cards do not have. A test inside the guest reaches it through
 * /sys/bus/pci/devices/.../config, so it steers the model without a second connection.
 *
 * Write ARG, then CMD. Configuration writes are synchronous: when the write of CMD returns,
 * the command is done and RESULT holds its answer.
 */
#ifndef NVSIM_CTL_H
#define NVSIM_CTL_H

#define NVSIM_CTL_CAP		0xc0	/* id 0x09, next 0, length 0x20 */
#define NVSIM_CTL_SIGNATURE	0xc4	/* reads NVSIM_CTL_MAGIC */
#define NVSIM_CTL_CMD		0xc8
#define NVSIM_CTL_ARG		0xcc
#define NVSIM_CTL_RESULT	0xd0
#define NVSIM_CTL_RESULT_1	0xd4	/* these three: only where a command says so */
#define NVSIM_CTL_RESULT_2	0xd8
#define NVSIM_CTL_RESULT_3	0xdc

#define NVSIM_CTL_MAGIC		0x4d53564e	/* "NVSM" */

enum nvsim_ctl_cmd {
	NVSIM_CTL_MARK = 1,		/* put ARG into the trace as "MARK n" */
	NVSIM_CTL_RESET_STATS,		/* all counters to 0, violations stay */
	NVSIM_CTL_GET_STAT,		/* RESULT = counter ARG of struct nvsim_stats, low 32 bits */
	NVSIM_CTL_INJECT,		/* ARG = enum nvsim_inject; stays on until cleared */
	NVSIM_CTL_CLEAR,		/* ARG = enum nvsim_inject, or ~0 for all */
	NVSIM_CTL_SET_ADDR,		/* VRAM address for the two below */
	NVSIM_CTL_VRAM_READ,		/* RESULT = word, address += 4 */
	NVSIM_CTL_VRAM_WRITE,		/* word = ARG, address += 4 */
	NVSIM_CTL_EXPECT_VIOLATION,	/* expect ARG violations: count them, do not fail */
	NVSIM_CTL_READ_REG,		/* RESULT = register at BAR0 + ARG, without any side effect */
	NVSIM_CTL_TLB_ENTRIES,		/* RESULT = PDEs and PTEs in the TLB of VM engine ARG */
	NVSIM_CTL_D3_LOSS,		/* ARG = enum nvsim_d3; RESULT = its old value */
	/*
	 * The record of methods that were sent to engines: method 0 (binding) and from 0x100 on.
	 * It keeps the last 65536. Counts and CRCs are those of channel ARG, or of all channels
	 * if ARG is 0. The CRC is zlib's crc32() over two little-endian words for each method:
	 * WHERE without the channel, and DATA.
	 */
	NVSIM_CTL_REC_RESET,		/* drop the record, counts and CRCs to 0 */
	NVSIM_CTL_REC_COUNT,		/* RESULT = number so far, low 32 bits */
	NVSIM_CTL_REC_CRC,		/* RESULT = CRC */
	NVSIM_CTL_REC_SEEK,		/* go to number ARG, counted over all channels */
	/*
	 * Read the next method of the record and advance:
	 *	RESULT		WHERE = channel << 24 | engine << 20 | subchannel << 16 | method;
	 *			~0 at the end
	 *	RESULT_1	DATA as in the push buffer
	 *	RESULT_2	class of the subchannel's object
	 *	RESULT_3	instance for methods 0 and 0x180 to 0x1fc, else DATA
	 */
	NVSIM_CTL_REC_NEXT,
	NVSIM_CTL_ENGINE_CONTEXT,	/* ARG = enum nvsim_engine_context; RESULT = old value */
	NVSIM_CTL_QUIRK,		/* ARG = enum nvsim_quirk << 8 | side; RESULT = old side */
	/*
	 * A line of text for nvsim_command(): four characters in ARG, the first in the low byte.
	 * A 0 byte ends the line and runs the command. RESULT = 0, or ~0 after a mistake.
	 */
	NVSIM_CTL_TEXT,
};

/* Quirks: points on which sources disagree or are silent. 0 is the default, 1 the other side. */
enum nvsim_quirk {
	NVSIM_QUIRK_IB_WORD0,		/* bits 1:0 of IB word 0: reserved; skip, no switch */
	NVSIM_QUIRK_IB_BIT8,		/* IB word 1: unknown; privileged */
	NVSIM_QUIRK_IB_BIT9,		/* not main; level of subroutines */
	NVSIM_QUIRK_IB_BIT31,		/* no prefetch; part of LENGTH */
	NVSIM_QUIRK_USER_50_80,		/* no such registers; set REF, yield */
	NVSIM_QUIRK_PFIFO_TLB,		/* keeps unflushed writes; never stale */
	NVSIM_QUIRK_INVALID_CMD_GET,	/* stays at the word; moves on */
	NVSIM_QUIRK_DMAOBJ_LIMIT,	/* last byte inside; first outside */
	NVSIM_QUIRK_DMA_LIMIT,		/* the same of NV04 mode's DMA_LIMIT */
	NVSIM_QUIRK_ECTX_WORD3,		/* start's high half; anything */
	/* No source settles these points: a driver must work with both sides. */
	NVSIM_QUIRK_POSTED_UNITS,	/* POST leaves the least of the units on; all */
	NVSIM_QUIRK_POSTED_PTIMER,	/* stands after POST; runs */
	NVSIM_QUIRK_POSTED_IRQS,	/* the firmware's interrupts are off; on, and all pending */
	NVSIM_QUIRK_RESET_IDLE,		/* ENGINE_IDLE bits of units in reset: clear; set */
	NVSIM_QUIRK_BARS,		/* BARs and PEEPHOLE: only with PFIFO on in PMC; always */
	NVSIM_QUIRK_KICK_UNLOADS,	/* a kick takes the channel off PFIFO; engines save, no more */
	NVSIM_QUIRK_EMPTY_PLAYLIST,	/* a channel without a successor leaves PUSH1; stays */
	NVSIM_QUIRK_KICK_MASK_0,	/* a kick with mask 0 ends; never ends */
	NVSIM_QUIRK_FLUSH_BUSY,		/* a TLB flush of a busy PGRAPH is harmless; hangs it */
	NVSIM_QUIRK_TRAP_RELEASE,	/* FIFO access lets go of a trap; the unit's registers do */
	NVSIM_QUIRK_VRAM_SEGMENTS,	/* CPU writes to segments show at once; when ordered */
	NVSIM_QUIRK_IB_PREFETCH,	/* words are read when it is their turn; one entry ahead */
	NVSIM_QUIRK_RAMHT_HASH,		/* of the handle; with the channel id mixed in */
	NVSIM_QUIRK_BANK_TYPES,		/* storage types move no bytes; those of type LSR do */
	NVSIM_QUIRK_DMAOBJ_READ,	/* DMA objects are read when bound; at every use */
	NVSIM_QUIRK_PCIE_TAGS,		/* any number of reads is answered; those past 32 are lost */
	NVSIM_QUIRK_PLAYLIST_PENDING,	/* PLAYLIST_LEN bit 12 on G84 and later; bit 8 */
	NVSIM_QUIRK_KICK_ERROR,		/* a kick waits for an error's handler; ends without it */
	NVSIM_QUIRK_IB_PUT,		/* past the ring: entries for ever; modulo the ring */
	NVSIM_QUIRK_MSI_MIRROR,		/* the MCP79 takes a re-arm through MMIO; ignores it */
	NVSIM_QUIRK_RAMHT_LOOKUP,	/* a look-up finds its handle; misses it now and then */
	NVSIM_QUIRK_PULLER_STOP,	/* a stop of the puller in a look-up: harmless; spoils it */
	NVSIM_QUIRK_UNIT_FAULT,		/* after a VM fault of VFETCH or CCACHE PGRAPH goes on; hangs */
	NVSIM_QUIRK_RAMHT_EMPTY,	/* an empty slot of RAMHT: matches no handle; handle 0 */
	NVSIM_QUIRK_HOST_CHAN,		/* bit 30 of HOST_MEM.CHAN: whose channel; one for both, valid */
	NVSIM_QUIRK_OBJECT_TAGS,	/* DOUBLE in an unpaged object: two cells for each page; one */
	NVSIM_QUIRK_FROZEN,		/* FROZEN follows FREEZE after some microseconds; at once */
	NVSIM_QUIRK_MP_MEMORY,		/* a block's shared memory and registers: zeros; the last block's */
	NVSIM_QUIRK_COUNT
};

/* Treatment of methods of a channel whose engine context DMA object is all 0 */
enum nvsim_engine_context {
	NVSIM_ENGINE_IGNORE,		/* classes are checked, methods recorded, nothing is done */
	NVSIM_ENGINE_REQUIRE,		/* PGRAPH faults and hangs */
	NVSIM_ENGINE_RECORD,		/* as IGNORE, also of channels that have a context */
	NVSIM_ENGINE_CONTEXT_COUNT
};

/* State that the card has lost when PMCSR brings it from D3hot back to D0 */
enum nvsim_d3 {
	NVSIM_D3_KEEP,			/* nothing */
	NVSIM_D3_LOST,			/* as after power-up and POST: registers, config space, VRAM */
	NVSIM_D3_UNPOSTED,		/* the same, but without a run of the VBIOS */
	NVSIM_D3_GONE,			/* the card no longer answers, as with NVSIM_INJECT_LOST */
	NVSIM_D3_COUNT
};

/* State in which an earlier driver left a card that was set up */
enum nvsim_left {
	NVSIM_LEFT_POSTED,		/* none was there: as the firmware left it */
	NVSIM_LEFT_NOUVEAU,		/* nouveau was removed */
	NVSIM_LEFT_CHANNEL,		/* a channel still runs, as after kexec; interrupts are on */
	NVSIM_LEFT_DAEMON_OFF,		/* PDAEMON is in reset, and no interrupt passes it (GT215-) */
	NVSIM_LEFT_DAEMON_IRQS,		/* PDAEMON has taken the host's interrupts (GT215-) */
	NVSIM_LEFT_COUNT
};

/* Each byte of VRAM after LOST and UNPOSTED */
#define NVSIM_D3_VRAM	0xd3

enum nvsim_inject {
	NVSIM_INJECT_TLB_STUCK,		/* 0x100c80 bit 0 never clears */
	NVSIM_INJECT_KICK_STUCK,	/* 0x32fc reads all ones for ever */
	NVSIM_INJECT_BARFLUSH_STUCK,	/* BAR flush BUSY never clears */
	NVSIM_INJECT_LOST,		/* every MMIO read is all ones */
	NVSIM_INJECT_NO_IRQ,		/* interrupts are swallowed */
	NVSIM_INJECT_FREEZE_STUCK,	/* FROZEN never shows */
	NVSIM_INJECT_PLAYLIST_STUCK,	/* playlist pending bit never clears */
	NVSIM_INJECT_PGRAPH_BUSY,	/* PGRAPH is never idle and takes no methods, until its reset */
	NVSIM_INJECT_COUNT
};

#endif
