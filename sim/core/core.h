/* SPDX-License-Identifier: MIT */
/*
 * The inside of the model: the state of one card, and the functions that its units call in each
 * other. The model shares only the register table with the driver: names, offsets and fields. All
 * other parts are written from the hardware documents, so that a mistake of the driver shows.
 */
#ifndef SIM_CORE_H
#define SIM_CORE_H

/*
 * Trace lines. The first word is the kind. All numbers are hexadecimal except channel ids,
 * subchannels, engine ids, IB indices, word counts and marks.
 *
 *	R 002100 PFIFO.INTR 00000000			register read
 *	W 002140 PFIFO.INTR_EN 00101051			register write
 *	W c0208c USER[1].IB_PUT 00000001		a channel's page
 *	W 700040 PMEM(120040) 00000000			the window, with the memory's address
 *	IB ch 1 get 0 addr 0000110000 words 4 [not-main]	IB entry read
 *	M ch 1 subc 0 mthd 0050 REF_CNT data 12345678	method done
 *	ENG ch 1 engine 1 subc 2 mthd 0100 data 00000000	method sent to an engine
 *	WAIT ch 1 at 0000140010 want 00000001 have 00000000	acquire that has to wait
 *	SW ch 1 -> 2					channel switch, 127 is none
 *	GR 00000000 -> 80000240				context switch of PGRAPH
 *	KICK 00000240 done
 *	TLB flush engine 5
 *	ERR ch 1 ...					an error of pusher or puller
 *	ERR VM fault engine 6 ...			also when the record was full
 *	ERR PGRAPH ...					an error, a trap or a hang
 *	3D not modelled: ...
 *	IRQ msi, IRQ intx 1				message, change of the pin
 *	PM D3hot, PM D0					power state
 *	MARK 7						from the control capability
 *	INJECT ...					a line of nvsim_command()
 *	EXPECTED VIOLATION ...				one that a test announced
 */

#include <string.h>

#include "../nvsim.h"
#include "../nvsim_ctl.h"
#include "grctx.h"
#include "../../hw/nvfifo_reg_table.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))
#define MASK40		0xffffffffffull

/* Memory target codes, everywhere but in a DMA object's word 0 */
enum sim_target {
	TGT_VRAM = 0,
	TGT_INVALID = 1,
	TGT_SNOOP = 2,
	TGT_NOSNOOP = 3,
};

/* VM engines; which exist depends on the chip */
enum sim_vmeng {
	VMENG_PGRAPH = 0x0,
	VMENG_PEEPHOLE = 0x4,
	VMENG_PFIFO = 0x5,
	VMENG_BAR = 0x6,
	VMENG_SEM_BG = 0xc,
	VMENG_COUNT = 0x10,
};

/*
 * DMA slots. PFIFO: 0 push buffer, 1 semaphore. BAR: 0 BAR1, 1 BAR3. PGRAPH has several clients,
 * each with slots of its own; this list numbers them.
 */
enum sim_gr_port {
	SIM_GR_CTX,
	SIM_GR_NOTIFY,
	SIM_GR_QUERY,
	SIM_GR_COND,
	SIM_GR_M2MF_IN,
	SIM_GR_M2MF_OUT,
	SIM_GR_M2MF_NOTIFY,
	SIM_GR_2D_SRC,
	SIM_GR_2D_DST,
	SIM_GR_3D_COLOR,
	SIM_GR_3D_ZETA,
	SIM_GR_3D_CODE_CB,
	SIM_GR_3D_VTXBUF,
	SIM_GR_3D_TIC,
	SIM_GR_3D_TSC,
	SIM_GR_3D_TEXTURE,
	SIM_GR_3D_STRMOUT,
	SIM_GR_GLOBAL,
	SIM_SLOTS
};

/*
 * PFIFO polls a blocked channel at these intervals, whether or not it is loaded. An interval is 1/16
 * of the time that the channel has been blocked, within these limits, so a long wait costs little.
 */
#define SIM_RETRY_NS		50000
#define SIM_RETRY_MAX_NS	1000000

enum sim_fault {
	FAULT_NONE = -1,
	FAULT_PT_NOT_PRESENT = 0,
	FAULT_PT_TOO_SHORT = 1,
	FAULT_PAGE_NOT_PRESENT = 2,
	FAULT_PAGE_SUPERVISOR_ONLY = 3,
	FAULT_PAGE_READ_ONLY = 4,
	FAULT_NO_CHANNEL = 5,
	FAULT_NULL_DMAOBJ = 6,
	FAULT_WRONG_MEMTYPE = 7,
	FAULT_VRAM_LIMIT = 0xb,
	FAULT_DMAOBJ_LIMIT = 0xf,
};

struct sim_chip {
	const char *name;
	u16 id;			/* as in PMC_BOOT_0 */
	u16 pci_device;
	u32 hwunits_0;
	u32 engines;		/* bit n: PFIFO engine id n exists; bit 0 is SOFTWARE */
	u32 vm_engines;		/* bit n: VM engine n exists */
	bool igp;
};

extern const struct sim_chip sim_chips[NV_CHIP_END];

struct sim_reg_desc {
	const char *token;	/* "NV_PFIFO_INTR" */
	const char *block;	/* "PFIFO" */
	const char *name;	/* "INTR" */
	u32 offset, stride, count;
	u8 first, end;		/* enum nv_chip, half open */
	enum nv_access access;
};

struct sim_field_desc {
	const char *reg;	/* "NV_PFIFO_INTR" */
	const char *name;
	u8 hi, lo;
};

/* regs.c: the register table */
extern const struct sim_reg_desc sim_rows[];
extern const size_t sim_row_count;
bool sim_is_window(u32 off);
const struct sim_reg_desc *sim_user_row(u32 reg);
const struct sim_reg_desc *sim_row(int chip, u32 off);
const struct sim_field_desc *sim_field(const struct sim_reg_desc *reg, unsigned int n);

/* A 4 KiB page of BAR0 that has registers: their rows in the table, and their storage */
struct sim_page {
	u16 row[1024];		/* index + 1 into the table, 0 = no register */
	u32 *val;
	u32 own[1024];		/* target of val unless a unit has its own array */
};

/* One set per VM engine. Entries live until the engine is flushed. */
struct sim_tlb_entry {
	u64 key;		/* 0 = free */
	u64 raw;		/* PDE or PTE as it was when it was read */
	u64 checked;		/* pt_gen at which it was last compared with memory */
	bool reported;
};

struct sim_tlb {
	struct sim_tlb_entry *tab;
	u32 size, used;
	u32 shifts;		/* bit n: there are PTE entries of 2^(12 + n) bytes */
};

struct sim_dmaobj {
	bool valid;
	u16 inst;
	u32 chan;
	u32 w[6];
	u64 start, limit;
	/* last page translated; good while stamp equals mmu_stamp, and memory at pte_addr has @pte */
	u64 stamp, vpage, linear;
	u64 pte, pte_addr;
	u32 pte_target;		/* system memory, which the CPU writes unseen, or TGT_VRAM */
	u32 target;
	bool writable;
	bool super;		/* @linear was translated with a supervisor's rights */
	bool reported;
};

/*
 * A violation of a unit that runs beside the CPU. A TLB flush drops it; some submissions to the
 * channel, or the end, report it.
 */
struct sim_pending {
	char line[256];		/* empty: none */
	unsigned int chid;	/* of the channel, or SIM_CHID_ANY */
	unsigned int submissions;	/* to the channel since then */
	bool unflushed;		/* the unit read the entry at target:addr before a BAR flush */
	u32 target;
	u64 addr;
};

#define SIM_CHID_ANY	~0u

struct sim_vmeng_state {
	bool bound;
	u32 chan;		/* channel descriptor */
	struct sim_dmaobj obj[SIM_SLOTS];
	struct sim_tlb tlb;
	bool super;		/* reads with a supervisor's rights */
	u64 flush_serial;	/* number of the last CPU write before the last flush */
	u32 *tag_page;		/* per tag cell: 1 + VRAM >> 16 of its page since that flush */
	struct sim_pending pending;
};

struct sim_fault_record {
	bool pending;
	u32 word[6];
};

enum sim_step {
	STEP_IDLE,		/* nothing to do */
	STEP_DONE,		/* handled one word, method or switch */
	STEP_BLOCKED,		/* has work that waits */
};

#define SIM_ENGINES	7	/* PFIFO engine ids 0 to 6 */
#define SIM_RECORDS	65536

/* PFIFO's own methods, which the puller executes itself */
enum sim_method {
	MTHD_OBJECT = 0x00,
	MTHD_SEM_ADDRESS_HIGH = 0x10,
	MTHD_SEM_ADDRESS_LOW = 0x14,
	MTHD_SEM_SEQUENCE = 0x18,
	MTHD_SEM_TRIGGER = 0x1c,
	MTHD_NOTIFY_INTR = 0x20,
	MTHD_WRCACHE_FLUSH = 0x24,
	MTHD_UNK28 = 0x28,
	MTHD_UNK2C = 0x2c,
	MTHD_REF_CNT = 0x50,
	MTHD_DMA_SEMAPHORE = 0x60,
	MTHD_SEM_OFFSET = 0x64,
	MTHD_SEM_ACQUIRE = 0x68,
	MTHD_SEM_RELEASE = 0x6c,
	MTHD_YIELD = 0x80,
	MTHD_ENGINE = 0x100,	/* the first method of an engine */
	MTHD_DMA_FIRST = 0x180,	/* from here to MTHD_DMA_END data is a handle of a DMA object */
	MTHD_DMA_END = 0x200,
};

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

/* Pages of VRAM before those writes of the CPU that neither a BAR flush nor a read has ordered */
struct sim_overlay {
	u8 *page;		/* as large as VRAM; NULL unless the quirk is on */
	u32 *epoch;		/* per 4 KiB: value of @now at its first unordered write */
	u64 (*dirty)[8];	/* per 4 KiB: bit per 8 bytes */
	u32 now;
};

/* Operations that can be delayed; the first four show as busy for the time */
enum sim_delay {
	SIM_DELAY_TLB_FLUSH,
	SIM_DELAY_BAR_FLUSH,
	SIM_DELAY_PLAYLIST,
	SIM_DELAY_KICK,
	SIM_DELAY_REGISTER_READ,
	SIM_DELAY_REGISTER_WRITE,
	SIM_DELAY_MEMORY,
	SIM_DELAY_METHOD,
	SIM_DELAYS
};

#define SIM_POSTED	64

/* A write to BAR0 that is on its way until @at */
struct sim_posted {
	u64 at;
	u32 off, val;
	unsigned int size;
};

#define SIM_FORCED	8

/* A register that reads as @val, @left times; ~0: until a command ends it */
struct sim_forced {
	u32 off, val, left;
};

/* Failures that lines of text have requested, in addition to the bits of nvsim.inject */
/* Units that can raise an interrupt again whenever it is acknowledged */
enum sim_storm {
	SIM_STORM_PBUS,
	SIM_STORM_PFIFO,
	SIM_STORM_PGRAPH,
	SIM_STORM_UNIT,		/* one that the model does not have: nothing acknowledges it */
	SIM_STORMS
};

struct sim_faults {
	bool timed;		/* a failure that depends on time was requested */
	u64 until[NVSIM_INJECT_COUNT];
	u32 until_reset[NVSIM_INJECT_COUNT];	/* bits of PMC.ENABLE; 0: no reset helps */
	u64 delay[SIM_DELAYS], busy_until[SIM_DELAYS];
	u64 stall_ns, stall_until;	/* PFIFO and PGRAPH do nothing: their work is slow */
	struct sim_posted posted[SIM_POSTED];
	unsigned int posted_first, posted_count;
	bool is_arriving;
	struct sim_forced forced[SIM_FORCED];
	u32 flip_mask, flip_every, flip_count;
	u64 flip_page;			/* only its words, if flip_at_page */
	bool flip_at_page;
	u32 lose_irqs;
	u32 storm_bits[SIM_STORMS], storm_left[SIM_STORMS];
	u32 vm_engine, vm_left;
	bool vm_at_page;
	u64 vm_page;
	u32 flush_stuck;	/* bit per VM engine */
	bool dispatch;		/* the next method gets stuck in DISPATCH */
};

struct sim_cell;

/* Structures that the card has loaded, by their place in VRAM */
struct sim_watch {
	u32 *page;		/* per 4 KiB: index + 1 of its first cell */
	struct sim_cell *cell;
	u32 count, room;
	bool dirty;
};

#define SIM_PREFETCH	16

/* Words that the pusher has prefetched */
struct sim_prefetch {
	bool valid;
	u32 index;		/* of the IB entry */
	u64 addr;
	u32 count;
	u32 word[SIM_PREFETCH];
};

struct sim_engine {
	bool valid;
	u32 chan;
	bool recording;		/* the channel has no context here, methods have no effect */
	bool swallowed;		/* in reset, the engine has lost a method */
};

/* Codes of DATA_ERROR */
enum sim_gr_error {
	GR_OK = 0,
	GR_INVALID_OPERATION = 0x03,
	GR_INVALID_VALUE = 0x04,
	GR_INVALID_ENUM = 0x05,
	GR_INVALID_OBJECT = 0x08,
	GR_READ_ONLY_OBJECT = 0x09,
	GR_INVALID_ALIGNMENT = 0x0b,
	GR_INVALID_BITFIELD = 0x0c,
	GR_ENG2D_FORMAT_MISMATCH = 0x31,
};

/*
 * Blocks of method state, which a context switch saves and restores. The blocks of M2MF and
 * 2D are indexed by method number.
 */
enum sim_gr_block {
	SIM_GR_SUBCHANNELS,	/* class of the bound object */
	SIM_GR_NOTIFY_STATE,
	SIM_GR_M2MF,
	SIM_GR_2D,
	SIM_GR_COMPUTE,
	SIM_GR_OTHER,
	SIM_GR_BLOCKS
};

enum sim_gr_job {
	SIM_GR_JOB_NONE,
	SIM_GR_JOB_M2MF,
	SIM_GR_JOB_FILL,
	SIM_GR_JOB_BLIT,
	SIM_GR_JOB_CLEAR,
	SIM_GR_JOB_TRIANGLE,
	SIM_GR_JOB_VERTICES,
	SIM_GR_JOB_GEOMETRY,
	SIM_GR_JOB_COMPUTE,
};

struct sim_gr_method {
	u32 subc, mthd, data, class;
};

struct sim_surface {
	enum sim_gr_port port;
	u16 inst;
	bool linear;
	u32 pitch;		/* linear: bytes, signed */
	u32 block;		/* else log2 of gobs: 3:0 x, 7:4 y, 11:8 z */
	u32 width, height;	/* bytes, lines */
	u32 layer;
	u64 address;
};

/* A vertex after its program: position on the screen, 1 / w, and the program's results */
struct sim_vertex {
	double x, y, z, inverse_w;
	float result[64];
	u32 edge;		/* EDGEFLAG: from it to the next one is an edge of the polygon */
};

/* Pixels that a program works on at once: two beside each other, and two below them */
#define SIM_QUAD	4
/* Most bytes of a thread's local memory: the largest LOCAL_SIZE_LOG */
#define SIM_LOCAL	(8u << 13)

/* Most bytes of a block's shared memory */
#define SIM_SHARED	0x4000u

/* Corners that a polygon can get by clipping */
#define SIM_FAN	24

/* Corners of a polygon that is drawn as lines or points */
#define SIM_OUTLINE	4

/* Most vertices that wait for a primitive: of a strip of triangles with adjacency */
#define SIM_WAITING	10

enum sim_smooth_shape {
	SIM_SMOOTH_NONE,
	SIM_SMOOTH_LINE,
	SIM_SMOOTH_POINT,
};

/* A smooth line or point, in pixels: its begin or middle, its direction, half of its width */
struct sim_smooth {
	enum sim_smooth_shape shape;
	double x, y, along_x, along_y, length, radius;
};

/* The state of a draw between two methods, which is a part of the channel's context */
struct sim_open_draw {
	struct sim_vertex vertex[SIM_WAITING];
	u32 active;		/* between VERTEX_BEGIN_GL and VERTEX_END_GL */
	u32 odd;		/* the next triangle of a strip has its corners the other way round */
	u32 primitive;
	u32 words, data[64];	/* of an incomplete vertex */
	u32 vertices;		/* valid entries of @vertex */
	u32 looped;		/* @vertex[1] is where a loop of lines ends */
	u32 strip;		/* a strip with adjacency has had its first triangle */
	u32 next;		/* the next vertex's number */
	int64_t stipple_next;	/* pixels of lines, since the pattern began */
};

/* State of the draw that 3D works on */
struct sim_draw {
	struct sim_open_draw open;
	u32 left;		/* vertices to fetch from arrays */
	u32 layer;		/* of the targets */
	u32 viewport;		/* with its transformation, depth range and scissor */
	u32 queue[4], queued, queue_next;	/* indices that wait, if the draw uses indices */
	/* rest of the current polygon, and its results that are not interpolated */
	struct sim_vertex fan[SIM_FAN];
	u32 fan_count, fan_next;
	bool thin;		/* the polygon is a line or a point, which has no back */
	bool of_lines;		/* thin polygons are lines */
	struct sim_smooth smooth;	/* of a thin polygon */
	float flat[64];
	/* the triangle at work */
	struct sim_vertex corner[3];
	bool front;
	double offset;		/* added to its depth */
	int64_t x[3], y[3], area, bounds[4], line, reach[3];
	bool may_hide;		/* stipple or clip rectangles hide pixels */
	/* a polygon that is drawn as lines or points; a bit for each of its edges that is left */
	bool outlined, outline_front, outline_points;
	u32 outline_left, outline_count;
	double outline_offset;
	struct sim_vertex outline[SIM_OUTLINE], outline_flat;
	/* a stippled line: its axis, its direction, its first pixel, and pixels before it */
	bool stipple_by_y, stipple_backward;
	int64_t stipple_first, stipple_done;
};

/* Vertices of a geometry program: the largest GP_VERTEX_OUTPUT_COUNT */
#define SIM_EMITTED	1024

struct sim_emitted {
	u32 count, next, first;	/* all; the next one to draw; the first one of its strip */
	float result[SIM_EMITTED][64];
	bool ends[SIM_EMITTED];	/* it is the last one of its strip */
};

/* Bytes of a line of instructions, and lines that are kept */
#define SIM_CODE_LINE	64
#define SIM_CODE_LINES	64

struct sim_code_line {
	bool valid;
	u64 start;
	u8 bytes[SIM_CODE_LINE];
};

struct sim_pgraph {
	bool m2mf_hung;		/* until M2MF is reset */
	bool trapped;		/* until the driver enables FIFO access again */
	bool hung;		/* until PMC resets PGRAPH */
	u32 hung_units;		/* VSTATUS of units that hang since a VM fault, if hung */
	bool stuck;		/* an injected command: only a write to its registers releases it */
	bool mp_stopped;	/* a multiprocessor, until its two registers are written */
	bool mp_kept;		/* ... of which the first was */
	struct sim_gr_method method;	/* the last one */
	enum sim_gr_job job;
	u32 job_x, job_y;
	u32 clear;		/* CLEAR_BUFFERS */
	struct sim_draw draw;
	struct sim_emitted emitted;
	struct sim_code_line code[SIM_CODE_LINES];
	u8 local[SIM_QUAD][SIM_LOCAL];	/* memory of the threads at work */
	u8 shared[SIM_SHARED];	/* memory of the block at work */
	u8 shared_locks[SIM_SHARED / 4];	/* which of its words a thread has locked */
	u32 local_used;		/* bytes of each that may have been written */
	int64_t rect[4];	/* fill: left, top, right, bottom; blit: x, y, width, height */
};

struct nvsim {
	struct nvsim_config cfg;
	struct nvsim_host host;
	enum nv_chip chip;
	const struct sim_chip *info;
	struct nvsim_stats st;
	unsigned int accesses;	/* through the MMU, in this step of nvsim_run() */

	/* pci.c */
	u8 cfgspace[256];
	u32 ctl_arg, ctl_result;
	u64 ctl_addr;
	u32 expect_violations;
	u32 inject;		/* bit n: enum nvsim_inject n */
	struct sim_faults faults;
	char text[160];		/* an incomplete line from the control capability */
	unsigned int text_len;
	bool msi_armed;
	bool posted;
	bool line, intx_level;

	/* BAR0 */
	struct sim_page *page[NV_BAR0_SIZE >> 12];
	u32 pfifo[0x2000 / 4];	/* 0x002000 to 0x003fff */
	u32 cache[1024];	/* 0x090000: 512 pairs of method and data */
	u8 crtc[256];
	u8 crtc_index;
	u8 *rom;
	u8 *plain[NV_BAR0_SIZE >> 12];	/* units of board.c */
	bool big;		/* PMC.ENDIAN */

	/* mem.c */
	u8 *vram;
	u64 stolen_base;	/* IGP: address of the card's memory in host space */
	u8 *vram_pt;		/* per 4 KiB: a page table was read from here */
	u32 *vram_epoch;	/* per 4 KiB: flush epoch of its last CPU write */
	u64 *vram_serial;	/* per 4 KiB: number of its last CPU write */
	u64 (*vram_dirty)[8];	/* per 4 KiB: bit per 8 bytes written in that epoch */
	struct sim_overlay old;
	struct sim_watch watch;
	u32 flush_epoch;
	u64 write_serial, readback_serial;

	/* mmu.c */
	struct sim_vmeng_state vm[VMENG_COUNT];
	u64 mmu_stamp;		/* changes whenever a cached translation may be wrong */
	u64 pt_gen;		/* changes when memory used as a page table is written */
	bool pt_in_sysram;
	struct sim_fault_record fault;
	bool tlb_busy;
	u32 pcie_requests;	/* 0x08841c */
	bool tlb_c_stuck;	/* tlb_busy is that of engine c, whose flush does not end */

	/* ptimer.c */
	u64 time_set;		/* PTIMER's time at time_set_at, from which it counts */
	u64 time_set_at;
	bool alarm_armed;
	u64 vblank_at, plug_at;	/* when the display and a GPIO line raise their interrupts again */
	bool too_hot;		/* PTHERM raises its interrupt */

	/* pbus.c */
	bool barflush_busy;

	/* pfifo.c */
	u8 playlist[128];
	unsigned int playlist_len, playlist_pos;
	bool in_playlist[128];	/* by channel, as each step asks for it */
	u64 playlist_start, playlist_end;	/* committed memory, VRAM only */
	bool playlist_pending;
	u8 chan_written[128];	/* since the last reset */
	u8 chan_hint[128];	/* may have work */
	u8 chan_bad[128];	/* could not be loaded */
	u8 chan_endless[128];	/* IB_PUT is past the ring's end, already reported */
	u64 retry_at[128];	/* blocked acquire: earliest next poll */
	u64 blocked_at[128];	/* its first poll; 0: the channel is not blocked */
	u32 slice_used;
	bool slice_expired;
	u64 frozen_at;		/* the write of FREEZE that froze PFIFO */
	u64 missed_at;		/* when a look-up in RAMHT last missed a handle; 0: none did */
	bool missed;		/* the last look-up missed, so the next one does not */
	bool stale_hash;	/* the next look-up takes the instance in HASH, if it is not 0 */
	u32 spoilt_lookups;	/* stops of the puller in a look-up, with puller-stop=spoils */
	bool kick_pending;
	bool loaded_by_hand;	/* PUSH1 was written since the last switch */
	bool keep_channel;	/* IB word 0 bit 1: no switch before the next entry */
	struct sim_prefetch ahead;	/* of the next entry */
	struct sim_prefetch current;	/* of the entry at work */
	u64 lap_until;		/* after a lap of an endless ring the pusher pauses until then */

	/* engine.c */
	struct sim_engine engine[SIM_ENGINES];
	u16 bound[SIM_ENGINES][128][8];		/* class by channel and subchannel */
	struct sim_record *record;
	struct sim_record_sum record_sum[128];	/* by channel, 0 of all */
	u32 crc_table[4][256];	/* CRC of a byte, and of a byte with 1 to 3 zeros after it */
	u64 record_pos;				/* position of sim_record_next() */

	/* pgraph.c */
	struct sim_pgraph gr;
	struct sim_grctx grctx;	/* has all registers of PGRAPH */
};

/* A register of PFIFO by name, without a look-up */
#define PF(s, reg)	((s)->pfifo[((u32)(reg) - 0x2000u) >> 2])

static inline bool sim_in_pgraph(u32 off)
{
	return off >= 0x400000 && off < 0x410000;
}

#define GR(s, off)	((s)->grctx.reg[((u32)(off) - 0x400000u) >> 2])

static inline bool sim_inject(const struct nvsim *s, enum nvsim_inject i)
{
	return s->inject & 1u << i;
}

static inline bool sim_quirk(const struct nvsim *s, enum nvsim_quirk q)
{
	return s->cfg.quirks >> q & 1;
}

static inline bool sim_is_g80(const struct nvsim *s)
{
	return s->chip == NV_CHIP_G80;
}

static inline bool sim_lost(const struct nvsim *s)
{
	return s->cfg.dead || sim_inject(s, NVSIM_INJECT_LOST);
}

static inline u32 get_le32(const u8 *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
}

static inline void put_le32(u8 *p, u32 v)
{
	p[0] = v;
	p[1] = v >> 8;
	p[2] = v >> 16;
	p[3] = v >> 24;
}

static inline u64 get_le64(const u8 *p)
{
	return get_le32(p) | (u64)get_le32(p + 4) << 32;
}

/* core.c */
void sim_trace(struct nvsim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sim_violation(struct nvsim *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sim_irq_update(struct nvsim *s);
void sim_msi_rearm(struct nvsim *s);
void sim_leave_d3(struct nvsim *s);
u64 sim_now(struct nvsim *s);

void sim_irq_extra(struct nvsim *s);

/* inject.c */
void sim_inject_set(struct nvsim *s, unsigned int which, u64 duration);
void sim_inject_reset(struct nvsim *s, u32 units);
void sim_inject_clear(struct nvsim *s, u32 mask);
/* End the failures whose time is over. Returns the ns until the next one ends. */
u64 sim_inject_poll(struct nvsim *s);
bool sim_forced(struct nvsim *s, u32 off, u32 *val);
void sim_fault_record(struct nvsim *s, u32 engine, u32 client, u32 slot, u32 reason, u64 va,
		      bool write);
u32 sim_flipped(struct nvsim *s, u64 va, u32 word);
bool sim_fault_wanted(struct nvsim *s, u32 engine, u64 va);
u32 sim_storm(struct nvsim *s, enum sim_storm unit);
bool sim_irq_lost(struct nvsim *s);
u32 sim_command_text(struct nvsim *s, u32 four);

/* leftovers.c */
void sim_leftovers_init(struct nvsim *s);
u64 sim_leftovers_poll(struct nvsim *s);
u32 sim_leftovers_intr(struct nvsim *s);
bool sim_daemon_passes(struct nvsim *s);
void sim_daemon_write(struct nvsim *s, u32 off, u32 val);

/* inject_delay.c */
bool sim_delay_set(struct nvsim *s, const char *name, u64 us);
void sim_delay_start(struct nvsim *s, enum sim_delay op);
bool sim_delayed(struct nvsim *s, enum sim_delay op);
void sim_delay_read(struct nvsim *s);
/* Is the write to BAR0 delayed? */
bool sim_delay_write(struct nvsim *s, u32 off, u32 val, unsigned int size);
/* Execute all delayed writes. */
void sim_posted_arrive(struct nvsim *s);
/* Execute the delayed writes that are due. Return: ns until the next one is due. */
u64 sim_posted_poll(struct nvsim *s);
/* The ns for which slow work keeps PFIFO and PGRAPH, or 0 */
u64 sim_stalled(struct nvsim *s);

/* Count one operation for which PFIFO or PGRAPH waits. */
static inline void sim_delay_work(struct nvsim *s, enum sim_delay op)
{
	s->faults.stall_ns += s->faults.delay[op];
}

/* pci.c */
void sim_pci_init(struct nvsim *s);
u16 sim_pci_command(const struct nvsim *s);
bool sim_pci_decodes(const struct nvsim *s);
bool sim_pci_asleep(const struct nvsim *s);
bool sim_msi_enabled(const struct nvsim *s);
bool sim_pci_loses_reads(const struct nvsim *s);
u32 sim_pci_mirror_read(struct nvsim *s, u32 off, unsigned int size);
void sim_pci_mirror_write(struct nvsim *s, u32 off, u32 val, unsigned int size);

/* mmio.c */
int sim_mmio_init(struct nvsim *s);
void sim_mmio_fini(struct nvsim *s);
void sim_mmio_clear(struct nvsim *s);
u32 *sim_reg(struct nvsim *s, u32 off);
u32 sim_mmio_read(struct nvsim *s, u32 off, unsigned int size);
/* Without checks, trace or side effects; all ones where there is no register. */
u32 sim_mmio_peek(struct nvsim *s, u32 off);
void sim_mmio_write(struct nvsim *s, u32 off, u32 val, unsigned int size);

/* board.c */
int sim_board_init(struct nvsim *s);
void sim_board_fini(struct nvsim *s);
void sim_board_clear(struct nvsim *s);
const char *sim_board_name(int chip, u32 off, u32 *first);
bool sim_board_owns(struct nvsim *s, u32 off);
u32 sim_board_read(struct nvsim *s, u32 off, unsigned int size);
void sim_board_write(struct nvsim *s, u32 off, u32 val, unsigned int size);

/* pmc.c */
void sim_pmc_init(struct nvsim *s);
u32 sim_pmc_read(struct nvsim *s, u32 off);
void sim_pmc_write(struct nvsim *s, u32 off, u32 val);
bool sim_pmc_line(struct nvsim *s);
bool sim_unit_enabled(struct nvsim *s, u32 off);

/* pbus.c */
void sim_pbus_init(struct nvsim *s);
u32 sim_pbus_read(struct nvsim *s, u32 off);
void sim_pbus_write(struct nvsim *s, u32 off, u32 val);
void sim_pbus_fault(struct nvsim *s, u32 off, u32 data, bool write);
u32 sim_barflush_read(struct nvsim *s);
void sim_barflush_write(struct nvsim *s, u32 val);
u32 sim_peephole_read(struct nvsim *s, bool data);
void sim_peephole_write(struct nvsim *s, bool rw_port, bool data, u32 val);
void sim_peephole_snoop(struct nvsim *s, u32 off);

/* bar.c */
u64 sim_aperture_read(struct nvsim *s, unsigned int bar, u64 off, unsigned int size);
void sim_aperture_write(struct nvsim *s, unsigned int bar, u64 off, u64 val, unsigned int size);
/* Any number of bytes. Bytes that fault read as the fault pattern; the others are transferred. */
void sim_aperture_block(struct nvsim *s, unsigned int bar, u64 off, u8 *buf, size_t len,
			bool write);
bool sim_aperture_plain(struct nvsim *s, unsigned int bar);
u32 sim_pmem_peek(struct nvsim *s, u32 off);
u32 sim_pmem_read(struct nvsim *s, u32 off, unsigned int size);
void sim_pmem_write(struct nvsim *s, u32 off, u32 val, unsigned int size);
u32 sim_peephole_mem_read(struct nvsim *s, u32 addr);
void sim_peephole_mem_write(struct nvsim *s, u32 addr, u32 val);

/* ptimer.c */
void sim_ptimer_init(struct nvsim *s);
u64 sim_ptimer_time(struct nvsim *s);
u32 sim_ptimer_read(struct nvsim *s, u32 off);
void sim_ptimer_write(struct nvsim *s, u32 off, u32 val);
u64 sim_ptimer_poll(struct nvsim *s);

/* mem.c */
int sim_mem_init(struct nvsim *s);
void sim_mem_fini(struct nvsim *s);
void sim_mem_lose(struct nvsim *s);
/* An access by a unit of the card; 0 or -1. @what names the structure in a violation. */
int sim_struct_read(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len,
		    const char *what);
int sim_struct_write(struct nvsim *s, u32 target, u64 addr, const void *buf, size_t len,
		     const char *what);
u32 sim_struct_read32(struct nvsim *s, u32 target, u64 addr, const char *what);
/* The same without checks and without counting. */
int sim_peek(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len);
/* Linear memory; @cpu marks accesses of the host through one of the apertures. */
void sim_mem_read(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len, bool cpu);
void sim_mem_write(struct nvsim *s, u32 target, u64 addr, const void *buf, size_t len, bool cpu);
/* The same, but with NVSIM_QUIRK_VRAM_SEGMENTS without the CPU's unordered writes */
void sim_mem_read_ordered(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len);
/* VRAM, also the stolen memory of an IGP by its address in host space */
bool sim_mem_is_vram(const struct nvsim *s, u32 target, u64 addr);
/* VRAM offset, or -1: not VRAM, or past its end */
int64_t sim_vram_offset(const struct nvsim *s, u32 target, u64 addr, size_t len);
bool sim_vram_unflushed(struct nvsim *s, u32 target, u64 addr, size_t len);
bool sim_vram_unordered(struct nvsim *s, u32 target, u64 addr, size_t len);
bool sim_vram_changed_since(struct nvsim *s, u32 target, u64 addr, u64 serial);
void sim_vram_mark_pt(struct nvsim *s, u32 target, u64 addr);
void sim_mem_flush(struct nvsim *s);

/* watch.c: structures that the card has loaded and the CPU rewrites */
void sim_watch_loaded(struct nvsim *s, u32 target, u64 addr, size_t len, u32 chan, u16 inst);
void sim_watch_stored(struct nvsim *s, u64 off, size_t len);
void sim_watch_flush(struct nvsim *s);
void sim_watch_fini(struct nvsim *s);

/* mmu.c */
void sim_mmu_init(struct nvsim *s);
void sim_mmu_fini(struct nvsim *s);
void sim_mmu_forget(struct nvsim *s);
void sim_mmu_settle(struct nvsim *s);
void sim_mmu_submitted(struct nvsim *s, unsigned int chid);
u32 sim_pfb_read(struct nvsim *s, u32 off);
void sim_pfb_write(struct nvsim *s, u32 off, u32 val);
void sim_vm_bind(struct nvsim *s, enum sim_vmeng eng, bool bound, u32 chan);
void sim_vm_drop_obj(struct nvsim *s, enum sim_vmeng eng, unsigned int slot);
/* An access through a DMA object; false after a fault, which latches the fault record. */
bool sim_vm_access(struct nvsim *s, enum sim_vmeng eng, unsigned int slot, u16 inst, u64 logical,
		   void *buf, unsigned int len, bool write);
/* A place in a DMA object, and the result of a copy from one place to another */
struct sim_place {
	unsigned int slot;
	u16 inst;
	u64 logical;
};

enum sim_copied {
	SIM_COPIED,
	SIM_COPIED_NOT,		/* more than a page of VRAM on one side: by two accesses */
	SIM_COPIED_FAULT_IN,
	SIM_COPIED_FAULT_OUT,
};

enum sim_copied sim_vm_copy(struct nvsim *s, enum sim_vmeng eng, const struct sim_place *from,
			    const struct sim_place *to, unsigned int len);
/* A prefetch by PFIFO: false after a fault, which is not recorded. */
bool sim_vm_prefetch(struct nvsim *s, unsigned int slot, u16 inst, u64 logical, void *buf,
		     unsigned int len);
/*
 * An access to a block by the host, of which each 8 bytes are one access. Handles the first page
 * only, and returns its number of bytes, whether or not it faulted.
 */
size_t sim_vm_block(struct nvsim *s, enum sim_vmeng eng, unsigned int slot, u16 inst, u64 logical,
		    void *buf, size_t len, bool write, bool *ok);

/* pfifo.c */
void sim_pfifo_reset(struct nvsim *s, bool power_on);
u32 sim_pfifo_read(struct nvsim *s, u32 off);
void sim_pfifo_write(struct nvsim *s, u32 off, u32 val);
void sim_pfifo_intr(struct nvsim *s, u32 bits);
enum sim_step sim_pfifo_step(struct nvsim *s);
u64 sim_pfifo_deadline(struct nvsim *s);
unsigned int sim_pfifo_chid(const struct nvsim *s);
bool sim_pfifo_frozen(const struct nvsim *s);
bool sim_pfifo_loaded(const struct nvsim *s);
bool sim_pfifo_big(const struct nvsim *s);
bool sim_chan_runnable(struct nvsim *s, unsigned int chid);
void sim_pfifo_wake(struct nvsim *s);
bool sim_ramfc_location(struct nvsim *s, unsigned int chid, u32 *target, u64 *addr);

/* user.c */
u32 sim_user_read(struct nvsim *s, u32 off);
u32 sim_user_peek(struct nvsim *s, u32 off);
void sim_user_write(struct nvsim *s, u32 off, u32 val);

/* pusher.c, puller.c */
enum sim_step sim_pusher_step(struct nvsim *s);
bool sim_pusher_has_work(struct nvsim *s);
void sim_pusher_loaded(struct nvsim *s);
enum sim_step sim_puller_step(struct nvsim *s);
void sim_puller_stopped(struct nvsim *s);
bool sim_method_known(const struct nvsim *s, u32 mthd);

/* engine.c */
int sim_engine_init(struct nvsim *s);
void sim_engine_fini(struct nvsim *s);
bool sim_engine_exists(const struct nvsim *s, u32 engine);
bool sim_class_ok(const struct nvsim *s, u32 engine, u32 class);
/* Whether @inst is the instance of an engine's context DMA object */
bool sim_is_engine_ctx(const struct nvsim *s, u16 inst);
bool sim_engine_has_context(struct nvsim *s, u32 engine, u32 chan);
u16 sim_engine_ctx(const struct nvsim *s, u32 engine);
void sim_engine_reset(struct nvsim *s, u32 engine);
void sim_engine_disabled(struct nvsim *s, u32 bits);
bool sim_engine_done(struct nvsim *s, u32 engine);
bool sim_engine_idle(struct nvsim *s, u32 engine);
u32 sim_engine_idle_mask(struct nvsim *s);
bool sim_engine_kick(struct nvsim *s, u32 desc, u32 mask);
bool sim_engine_send(struct nvsim *s, u32 engine, u32 subc, u32 mthd, u32 raw, u32 data);
void sim_record_reset(struct nvsim *s);
const struct sim_record *sim_record_next(struct nvsim *s, unsigned int chid);

/* surface.c */
u64 sim_tiled_offset(u32 block, u32 width, u32 height, u32 x, u32 y, u32 z);
bool sim_surface_row(struct nvsim *s, const struct sim_surface *f, u32 x, u32 y, u8 *buf, u32 len,
		     bool write);

static inline bool sim_cache_empty(const struct nvsim *s)
{
	return PF(s, NV_CACHE1_GET) == PF(s, NV_CACHE1_PUT);
}

/* The pointers count to twice the array's size, so that a full CACHE differs from an empty one. */
static inline bool sim_cache_full(const struct nvsim *s)
{
	return (PF(s, NV_CACHE1_GET) ^ PF(s, NV_CACHE1_PUT)) == 0x800;
}

static inline u32 sim_cpu_word(bool big, u32 v)
{
	return big ? __builtin_bswap32(v) : v;
}

#endif
