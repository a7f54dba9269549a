/* SPDX-License-Identifier: MIT */
/*
 * The inside of PGRAPH: its state, and the functions by which PGRAPH, M2MF, 2D, 3D and compute know
 * each other.
 */
#ifndef SIM_CORE_GR_H
#define SIM_CORE_GR_H

#include "core.h"
#include "grctx.h"
#include "mmu.h"
#include "pgraph.h"

/* Codes of DATA_ERROR that the model raises; NVFIFO_DATA_ERRORS has all */
enum sim_gr_error {
	GR_OK = 0,
	GR_INVALID_OPERATION = 0x03,
	GR_INVALID_VALUE = 0x04,
	GR_INVALID_ENUM = 0x05,
	GR_INVALID_OBJECT = 0x08,
	GR_READ_ONLY_OBJECT = 0x09,
	GR_SUPERVISOR_OBJECT = 0x0a,
	GR_INVALID_ADDRESS_ALIGNMENT = 0x0b,
	GR_INVALID_BITFIELD = 0x0c,
	GR_BEGIN_END_ACTIVE = 0x0d,
	GR_SEMANTIC_COLOR_BACK_OVER_LIMIT = 0x0e,
	GR_VIEWPORT_ID_NEEDS_GP = 0x0f,
	GR_RT_DOUBLE_BIND = 0x10,
	GR_RT_TYPES_MISMATCH = 0x11,
	GR_RT_LINEAR_WITH_ZETA = 0x12,
	GR_FP_TOO_FEW_REGS = 0x15,
	GR_ZETA_FORMAT_CSAA_MISMATCH = 0x16,
	GR_RT_LINEAR_WITH_MSAA = 0x17,
	GR_FP_INTERPOLANT_START_OVER_LIMIT = 0x18,
	GR_SEMANTIC_LAYER_OVER_LIMIT = 0x19,
	GR_RT_INVALID_ALIGNMENT = 0x1a,
	GR_SAMPLER_OVER_LIMIT = 0x1b,
	GR_TEXTURE_OVER_LIMIT = 0x1c,
	GR_RT_BPP128_WITH_MS8 = 0x1f,
	GR_Z_OUT_OF_BOUNDS = 0x21,
	GR_XY_OUT_OF_BOUNDS = 0x23,
	GR_VP_ZERO_INPUTS = 0x24,
	GR_CP_MORE_PARAMS_THAN_SHARED = 0x27,
	GR_CP_NO_REG_SPACE_STRIPED = 0x28,
	GR_CP_NO_REG_SPACE_PACKED = 0x29,
	GR_CP_NOT_ENOUGH_WARPS = 0x2a,
	GR_CP_BLOCK_SIZE_MISMATCH = 0x2b,
	GR_CP_NOT_ENOUGH_LOCAL_WARPS = 0x2c,
	GR_CP_NOT_ENOUGH_STACK_WARPS = 0x2d,
	GR_CP_NO_BLOCKDIM_LATCH = 0x2e,
	GR_ENG2D_FORMAT_MISMATCH = 0x31,
	GR_ENG2D_OPERATION_ILLEGAL_FOR_DST_FORMAT = 0x33,
	GR_ENG2D_FORMAT_MISMATCH_B = 0x34,
	GR_SEMANTIC_VIEWPORT_OVER_LIMIT = 0x44,
	GR_SEMANTIC_COLOR_FRONT_OVER_LIMIT = 0x45,
	GR_LAYER_ID_NEEDS_GP = 0x46,
	GR_SEMANTIC_CLIP_OVER_LIMIT = 0x47,
	GR_SEMANTIC_PTSZ_OVER_LIMIT = 0x48,
};

/* Words of the blocks of M2MF and 2D, which are indexed by method number */
#define SIM_GR_M2MF_WORDS	(0x330 / 4)
#define SIM_GR_2D_WORDS		(0x8e0 / 4)

/* Blocks of method state, which a context switch saves and restores, by their first words */
enum sim_gr_block {
	SIM_GR_SUBCHANNELS = 1,	/* class of the bound object */
	SIM_GR_NOTIFY_STATE = SIM_GR_SUBCHANNELS + 8,
	SIM_GR_M2MF = SIM_GR_NOTIFY_STATE + 2,
	SIM_GR_2D = SIM_GR_M2MF + SIM_GR_M2MF_WORDS,
	SIM_GR_COMPUTE = SIM_GR_2D + SIM_GR_2D_WORDS,
	SIM_GR_OTHER = SIM_GR_COMPUTE + 8,
};

/* The word before the blocks. Any other value means that the units have no state. */
#define SIM_GR_STATE_MAGIC	0x7a7e0001u

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

/* Most bytes of a block's shared memory, most threads of a block, and registers of a thread */
#define SIM_SHARED	0x4000u
#define SIM_THREADS	512
#define SIM_REGISTERS	128

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
	bool checked;		/* its state has no error */
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
	const struct sim_methods *methods;	/* of the last class that the chip has, or NULL */
	enum sim_gr_job job;
	u32 job_x, job_y;
	u32 clear;		/* CLEAR_BUFFERS */
	struct sim_draw draw;
	struct sim_emitted emitted;
	struct sim_code_line code[SIM_CODE_LINES];
	u8 local[SIM_QUAD][SIM_LOCAL];	/* memory of the threads at work */
	u8 shared[SIM_SHARED];	/* memory of the block at work, or of the last one */
	u32 registers[SIM_THREADS][SIM_REGISTERS];	/* of the last block, with mp-memory=kept */
	u8 shared_locks[SIM_SHARED / 4];	/* which of its words a thread has locked */
	u32 local_used;		/* bytes of each that may have been written */
	int64_t rect[4];	/* fill: left, top, right, bottom; blit: x, y, width, height */
};

static inline bool sim_is_3d(u32 class)
{
	return class == 0x5097 || class == 0x8297 || class == 0x8397 || class == 0x8597 ||
	       class == 0x8697;
}

static inline bool sim_is_compute(u32 class)
{
	return class == 0x50c0 || class == 0x85c0;
}

#define GR_INTR(name)	NV_FLD_MASK(NV_PGRAPH_INTR__##name)
#define GR_TRAP(name)	NV_FLD_MASK(NV_PGRAPH_TRAP__##name)

/* Bits of a unit's trap register */
#define GR_UNIT_CLEAR	(1u << 30)
#define GR_UNIT_ENABLE	(1u << 31)

/* A register holds a command that is stuck. */
#define GR_STUCK	(1u << 31)

/* A register of PGRAPH */
#define GR(s, off)	((s)->grctx->reg[((u32)(off) - 0x400000u) >> 2])

/* gr.c */
/* The model leaves out a part of the method at work; entries with different @data count apart. */
void sim_gr_missing(struct nvsim *s, enum nvsim_missing_kind kind, const char *what, u32 data);
/* The model leaves out the effect of the method at work with its data. */
void sim_gr_missing_method(struct nvsim *s, enum nvsim_missing_kind kind);
/* Stop PGRAPH until the driver enables FIFO access again. */
void sim_gr_stop(struct nvsim *s);
void sim_gr_refuse(struct nvsim *s, u32 intr, const char *what);
void sim_gr_unit_trap(struct nvsim *s, u32 reg, u32 bits, u32 unit);
/* DISPATCH faults at the last method, and holds it. */
void sim_gr_dispatch_fault(struct nvsim *s);
/* Bits of DISPATCH_TRAP for a stuck command, which its unit still holds */
u32 sim_gr_stuck_command(struct nvsim *s);
/* The first TP of the card, as the model has all work done there */
u32 sim_gr_first_tp(struct nvsim *s);
void sim_gr_state_init(struct nvsim *s);

static inline u32 *sim_gr_state(struct nvsim *s, enum sim_gr_block block)
{
	if (s->grctx->words[0] != SIM_GR_STATE_MAGIC)
		sim_gr_state_init(s);

	return s->grctx->words + block;
}

bool sim_gr_vm(struct nvsim *s, enum sim_gr_port port, u16 inst, u64 logical, void *buf,
	       unsigned int len, bool write);
u32 sim_gr_object(struct nvsim *s, u32 inst);
bool sim_gr_notify(struct nvsim *s, enum sim_gr_port port, u16 inst, u32 offset);
void sim_gr_intr(struct nvsim *s, u32 bits);
void sim_gr_data_error(struct nvsim *s, enum sim_gr_error err);
void sim_gr_m2mf_fault(struct nvsim *s, u32 bits);
void sim_gr_tp_trap(struct nvsim *s, u32 unit, u32 bits);
void sim_gr_vfetch_trap(struct nvsim *s, u32 bits);
void sim_gr_ccache_trap(struct nvsim *s, u32 bits);
void sim_gr_strmout_trap(struct nvsim *s, u32 bits);
/* Registers of the multiprocessor that does all work, from sim_gr_mp() on */
#define SIM_MP_KEEP		0x10
#define SIM_MP_STATUS		0x14
#define SIM_MP_PC		0x24
#define SIM_MP_MODE		0x60	/* of floats, as hwtest sets it */
#define SIM_MP_OPCODE		0x70
/* Bits of SIM_MP_STATUS */
#define SIM_MP_STACK_UNDERFLOW	(1u << 0)
#define SIM_MP_STACK_MISMATCH	(1u << 1)
#define SIM_MP_TIMEOUT		(1u << 3)
#define SIM_MP_INVALID_OPCODE	(1u << 4)
/* Bits of the MPC's status */
#define PROP_SLOT_LOCAL		9
#define PROP_SLOT_STACK		0xb
#define SIM_MPC_STACK_LIMIT	(1u << 6)
#define SIM_MPC_MP0		(1u << 16)
u32 sim_gr_mp(struct nvsim *s);
void sim_gr_mpc_trap(struct nvsim *s, u32 bits);
void sim_gr_mp_trap(struct nvsim *s, u32 status, u32 pc, const u32 opcode[2]);
void sim_gr_stack_trap(struct nvsim *s);
/* A fault at g[] */
void sim_gr_global_trap(struct nvsim *s, u64 address, bool write);
/* A fault at local memory or the stack */
void sim_gr_program_trap(struct nvsim *s, u32 slot, u64 address);

/* A query's report: 16 bytes, of which the last 8 are the time; a brief one is the first 4 */
struct sim_gr_query {
	u16 inst;
	u64 address;
	u32 word[2];
	bool brief, intr;
};
void sim_gr_query(struct nvsim *s, const struct sim_gr_query *q);

/* COND_MODE of 3D, 2D or compute */

struct sim_gr_condition {
	u16 inst;
	u64 address;
	u32 mode;
};
bool sim_gr_condition(struct nvsim *s, const struct sim_gr_condition *c);

/* surface.c */
u64 sim_tiled_offset(u32 block, u32 width, u32 height, u32 x, u32 y, u32 z);
bool sim_surface_row(struct nvsim *s, const struct sim_surface *f, u32 x, u32 y, u8 *buf, u32 len,
		     bool write);

/* gr3d/ */
void sim_gr3d_method(struct nvsim *s, u32 mthd, u32 data);
bool sim_gr3d_step(struct nvsim *s);
u32 sim_gr3d_dma_notify(struct nvsim *s);
void sim_compute_method(struct nvsim *s, u32 mthd, u32 data);
/* A context switch: put the open draw into the channel's state, or take it. */
void sim_gr3d_save(struct nvsim *s);
void sim_gr3d_load(struct nvsim *s);

/* m2mf.c, eng2d.c */
void sim_m2mf_method(struct nvsim *s, u32 mthd, u32 data);
void sim_m2mf_step(struct nvsim *s);
void sim_eng2d_method(struct nvsim *s, u32 mthd, u32 data);
void sim_eng2d_step(struct nvsim *s);

#endif
