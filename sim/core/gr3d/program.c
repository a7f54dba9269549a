// SPDX-License-Identifier: MIT
/*
 * Programs, of one vertex, one primitive, a quad of pixels or a warp of compute: the instructions
 * that Mesa's compiler emits. Encodings are those of envytools' disassembler. The threads of a quad
 * at the lowest address go first, so that threads that parted meet again. Differences and textures
 * see the registers of all four. Sums, products and small numbers are those of envytools' hwtest,
 * which compares them with cards. Local memory does not lie in the card's memory here.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "gr3d.h"
#include "../gr.h"
#include "../missing.h"
#include "../ptimer.h"
#include "../number.h"

/*
 * Instructions of a draw's program until its time is up; a card's watchdog counts time. The model
 * does not serve the bus during that time.
 */
#define LIMIT		(1u << 17)

#define LONG		1u	/* of word 0 */
#define FLOW		2u
#define OUTPUT		8u	/* of word 1: the destination is o[] */
#define NOWHERE		0x7f	/* a destination */

#define FACE		0xff	/* an input */

/* Registers that a program has without REG_ALLOC_TEMP */
#define FREE_REGISTERS	63

#define PRIMITIVE	3	/* of bits 24:23: the first operand is p[] */

#define BARRIER_WAITS	(1u << 26)	/* of word 0 */

#define COUNTS_ON	(1u << 25)	/* of word 0: an address register */

#define NEIGHBOR	4	/* of a difference: not a thread by its number */

#define OF_DOUBLES	(1u << 22)	/* of word 1 */
#define FROM_WORD	(1u << 14)

/* Of SIM_MP_MODE */
#define MODE_QUAD_INFINITE	(1u << 0)
#define MODE_ZERO_WINS		(1u << 1)
#define MODE_NAN_IS_ZERO	(1u << 19)

#define LOCKS		0x37		/* the bit of ld that locks, and of st that unlocks */

#define VOTE_ANY	(1u << 9)	/* of word 0 */
#define VOTE_ALL	(1u << 10)

#define EMIT		(1u << 9)	/* of word 0 */
#define RESTART		(1u << 10)

#define SPECIAL_PHYSID	0
#define SPECIAL_CLOCK	1
#define SPECIAL_ZERO	2		/* $sr2 is always 0. */
#define SPECIAL_VSTRIDE	3
#define SPECIAL_SAMPLE	8

struct machine {
	struct nvsim *s;
	const u32 *st;
	struct sim_thread *threads, *t;	/* all, and the one at work */
	u32 count, lane;
	u32 warp;		/* of a block of compute */
	u32 registers;		/* registers that the program has allocated */
	u16 code;		/* the DMA object of code and constant buffers */
	u64 base;
	u32 start;		/* of the program, from @base on */
	u32 pc, at;		/* after the instruction and of it, from @base on */
	u32 w[2];		/* the instruction */
	bool failed;
};

static void fail(struct machine *m, const char *what)
{
	if (!m->failed)
		sim_missing(m->s, NVSIM_MISSING_INSTRUCTION, m->w[0] | (u64)m->w[1] << 32,
			    "%s, %08x %08x at CODE+0x%x (program at 0x%010llx)", what, m->w[0],
			    m->w[1], m->at - m->start,
			    (unsigned long long)((m->base + m->start) & MASK40));
	m->failed = true;
}

/* The card stops at the instruction. */
static void trap(struct machine *m, u32 status)
{
	if (!m->failed)
		sim_gr_mp_trap(m->s, status, m->at & 0xffffff, m->w);
	m->failed = true;
}

/* --- operands --- */

static u32 reg(const struct machine *m, u32 n)
{
	/* For 0 Mesa reads $r63, or $r127 in a program with more than 63, which it has not allocated. */
	return n < FREE_REGISTERS || n < m->registers ? m->t->r[n] : 0;
}

/* The word at @offset, a multiple of four */
static u32 constant(struct machine *m, u32 index, u32 offset)
{
	u32 map = m->st[GR3D_PROGRAM_CB(m->t->program, index & 0xf)];
	const u32 *buffer = m->st + GR3D_BUFFER(map & 0x7f);
	u8 raw[4];

	if (!(map & GR3D_CB_VALID) || offset > buffer[2] - 4)
		return 0;
	if (!sim_gr_vm(m->s, SIM_GR_3D_CODE_CB, m->code,
		       (buffer[1] | (u64)buffer[0] << 32) + offset, raw, sizeof(raw), false)) {
		sim_gr_ccache_trap(m->s, 1);
		m->failed = true;
		return 0;
	}
	return get_le32(raw);
}

static bool is_long(const struct machine *m)
{
	return m->w[0] & LONG;
}

static bool is_immediate(const struct machine *m)
{
	return is_long(m) && (m->w[1] & 3) == 3;
}

static u32 address_register(const struct machine *m)
{
	u32 n = m->w[0] >> 26 & 3;

	if (is_long(m) && !is_immediate(m))
		n |= m->w[1] & 4;
	return n ? m->t->a[n] : 0;
}

/*
 * The place of an operand in memory, @offset bytes from an address register. One that counts on is
 * the place itself; $a0, $a5 and $a6 cannot.
 */
static u32 indirect(struct machine *m, u32 offset)
{
	u32 n = m->w[0] >> 26 & 3, address;

	if (is_long(m) && !is_immediate(m))
		n |= m->w[1] & 4;
	if (!(m->w[0] & COUNTS_ON))
		return offset + (n ? m->t->a[n] : 0);
	if (!n || n == 5 || n == 6) {
		trap(m, SIM_MP_INVALID_OPCODE);
		return 0;
	}

	address = m->t->a[n];
	m->t->a[n] = (address + offset) & 0xffff;
	return address;
}

/* A number of @bits, with a sign where it counts on */
static u32 step_of(const struct machine *m, u32 v, u32 bits)
{
	if (m->w[0] & COUNTS_ON && v >> (bits - 1))
		v -= 1u << bits;
	return v;
}

/* Whether the first operand is p[]: in an immediate instruction bit 24 alone says so. */
static bool takes_primitive(const struct machine *m)
{
	if (m->t->program != SIM_PROGRAM_GP)
		return false;
	if (is_immediate(m))
		return m->w[0] >> 24 & 1;
	return (m->w[0] >> 23 & 3) == PRIMITIVE;
}

static u32 primitive_word(struct machine *m, u32 n)
{
	u32 address = (n * SIM_P_STRIDE + address_register(m)) & 0xffff, word = 0;

	if (!sim_gr3d_primitive_word(m->t, address, &word))
		fail(m, "an access to a primitive");
	return word;
}

static u32 attribute_word(struct machine *m, u32 n)
{
	if (m->t->program == SIM_PROGRAM_FP || n >= SIM_ATTRIBUTES) {
		fail(m, "shared memory");
		return 0;
	}
	return m->t->in[n];
}

/* Little-endian, with the sign of a signed one */
static u32 get_word(const u8 *raw, u32 bytes, bool is_signed)
{
	if (bytes == 1)
		return is_signed ? (u32)(int32_t)(int8_t)*raw : *raw;
	if (bytes == 2 && is_signed)
		return (u32)(int32_t)(int16_t)(raw[0] | raw[1] << 8);
	return bytes == 2 ? (u32)(raw[0] | raw[1] << 8) : get_le32(raw);
}

/* Of operands in s[] and of ld: a byte, a half, a half with a sign, a word */
static const u8 operand_bytes[] = { 1, 2, 2, 4 };

/* s[] as an operand: two bits select a byte, a half, a signed half or a word. */
static u32 shared_operand(struct machine *m)
{
	bool wide = is_long(m) && !is_immediate(m);
	u32 kind = m->w[0] >> (wide ? 14 : 13) & 3, bytes = operand_bytes[kind];
	u32 n = step_of(m, m->w[0] >> 9 & (wide ? 0x1f : 0xf), wide ? 5 : 4);
	const u8 *at = sim_compute_shared(m->s, indirect(m, n * bytes) & 0xffff, bytes);

	if (!at) {
		fail(m, "shared memory past SHARED_SIZE");
		return 0;
	}
	return get_word(at, bytes, kind == 2);
}

static u32 source1(struct machine *m)
{
	bool wide = is_long(m) && !is_immediate(m), attribute;
	u32 n = m->w[0] >> 9 & (wide ? 0x7f : 0x3f);

	if (takes_primitive(m))
		return primitive_word(m, n);
	attribute = m->w[0] >> 24 & 1;
	if (wide)
		attribute = m->w[1] >> 21 & 1;
	if (attribute && m->t->program == SIM_PROGRAM_CP)
		return shared_operand(m);
	return attribute ? attribute_word(m, n) : reg(m, n);
}

/* A long instruction on p[] and a constant, to whose address the register does not belong */
static bool takes_primitive_and_constant(const struct machine *m)
{
	return is_long(m) && !is_immediate(m) && takes_primitive(m) && !(m->w[1] >> 21 & 1);
}

/* Beside s[], which has the address register, a constant has none. */
static bool shares_register(const struct machine *m)
{
	if (m->t->program != SIM_PROGRAM_CP)
		return false;
	if (is_long(m) && !is_immediate(m))
		return m->w[1] >> 21 & 1;
	return m->w[0] >> 24 & 1;
}

static u32 constant_index(const struct machine *m)
{
	return is_long(m) ? m->w[1] >> 22 & 0xf : m->w[0] >> 21 & 1;
}

/* The place of a constant of @bytes in bits 22:16 or 20:16 */
static u32 constant_place(struct machine *m, u32 bytes)
{
	u32 bits = is_long(m) ? 7 : 5, n = m->w[0] >> 16 & ((1u << bits) - 1);

	return shares_register(m) ? n * bytes : indirect(m, step_of(m, n, bits) * bytes);
}

/* The same in bits 52:46 of long instructions */
static u32 third_place(struct machine *m, u32 bytes)
{
	u32 n = m->w[1] >> 14 & 0x7f;

	return shares_register(m) ? n * bytes : indirect(m, step_of(m, n, 7) * bytes);
}

/* The operand in bits 22:16, which may be a constant, or an immediate */
static u32 source2(struct machine *m)
{
	u32 w0 = m->w[0], kind = w0 >> 23 & 3;

	if (is_immediate(m))
		return (w0 >> 16 & 0x3f) | m->w[1] >> 2 << 6;
	if (takes_primitive_and_constant(m))
		return constant(m, m->w[1] >> 22 & 0xf, (w0 >> 16 & 0x7f) * 4);
	if (kind != 1)
		return reg(m, w0 >> 16 & (is_long(m) ? 0x7f : 0x3f));
	return constant(m, constant_index(m), constant_place(m, 4));
}

/* The operand in bits 52:46 of long instructions */
static u32 source3(struct machine *m)
{
	u32 n = m->w[1] >> 14 & 0x7f;

	if ((m->w[0] >> 23 & 3) != 2)
		return reg(m, n);
	return constant(m, m->w[1] >> 22 & 0xf, third_place(m, 4));
}

/* The same of an addition, which has no operand in bits 22:16 */
static u32 addend(struct machine *m)
{
	if (takes_primitive_and_constant(m))
		return constant(m, m->w[1] >> 22 & 0xf, (m->w[1] >> 14 & 0x7f) * 4);
	return source3(m);
}

static bool bit(const struct machine *m, u32 n)
{
	return m->w[n / 32] >> n % 32 & 1;
}

/* Numbers that are too small for an exponent are zeros, as operands and as results. */
static float flushed(float v)
{
	return fabsf(v) < FLT_MIN ? copysignf(0, v) : v;
}

static float as_float(u32 v, bool absolute, bool negative)
{
	float f = flushed(sim_bits_to_float(v));

	if (absolute)
		f = fabsf(f);
	return negative ? -f : f;
}

static void set_flags(struct machine *m, u32 flags)
{
	if (is_long(m) && !is_immediate(m) && bit(m, 0x26))
		m->t->flags[m->w[1] >> 4 & 3] = flags;
}

static void store(struct machine *m, u32 value)
{
	bool wide = is_long(m) && (!is_immediate(m) || m->w[0] >> 28 == 1);
	u32 n = m->w[0] >> 2 & (wide ? 0x7f : 0x3f);

	if (!is_long(m) || is_immediate(m) || !(m->w[1] & OUTPUT))
		m->t->r[n] = value;
	else if (n != NOWHERE)
		m->t->out[n] = value;
}

/* A half of a register: bit 0 of the number selects the high one. */
static u32 half(const struct machine *m, u32 n)
{
	return reg(m, n >> 1) >> (n & 1 ? 16 : 0) & 0xffff;
}

/* The other half of a register, or of a word of o[], stays. */
static void store_half(struct machine *m, u32 value)
{
	bool wide = is_long(m) && (!is_immediate(m) || m->w[0] >> 28 == 1);
	u32 n = m->w[0] >> 2 & (wide ? 0x7f : 0x3f), *r = &m->t->r[n >> 1];

	if (wide && !is_immediate(m) && m->w[1] & OUTPUT) {
		if (n == NOWHERE)
			return;
		r = &m->t->out[n >> 1];
	}

	if (n & 1)
		*r = (*r & 0xffff) | value << 16;
	else
		*r = (*r & 0xffff0000) | (value & 0xffff);
}

static void store_int(struct machine *m, u32 value, u32 carries)
{
	u32 flags = carries;

	if (!value)
		flags |= SIM_FLAG_ZERO;
	if (value >> 31)
		flags |= SIM_FLAG_SIGN;
	set_flags(m, flags);
	store(m, value);
}

static u32 mp_mode(const struct machine *m)
{
	return GR(m->s, sim_gr_mp(m->s) + SIM_MP_MODE);
}

/* A mode of each multiprocessor, which G200, GT215 and later have: a NaN saturates to 0. */
static bool nan_is_zero(const struct machine *m)
{
	if (m->s->chip < NV_CHIP_G200 || m->s->chip == NV_CHIP_MCP77 || m->s->chip == NV_CHIP_MCP79)
		return false;
	return mp_mode(m) & MODE_NAN_IS_ZERO;
}

static void store_float(struct machine *m, float value)
{
	u32 flags = 0;

	value = flushed(value);
	if (isnan(value))
		flags = SIM_FLAG_ZERO | SIM_FLAG_SIGN;
	else if (value == 0)
		flags = SIM_FLAG_ZERO;
	else if (value < 0)
		flags = SIM_FLAG_SIGN;
	set_flags(m, flags);
	/* There is one NaN. */
	store(m, isnan(value) ? SIM_NAN_BITS : sim_float_to_bits(value));
}

/* @nan: an operand is one. Only with such an operand the G200 looks at its mode. */
static void store_saturated(struct machine *m, float value, bool nan)
{
	bool to_zero = nan_is_zero(m) && (nan || m->s->chip != NV_CHIP_G200);

	store_float(m, sim_bits_to_float(sim_float_saturated(sim_float_to_bits(value), to_zero)));
}

static void store_result(struct machine *m, float value, bool saturates, bool nan)
{
	if (saturates)
		store_saturated(m, value, nan);
	else
		store_float(m, value);
}

/* --- conditions --- */

/* Codes below 16: bits for less, equal, greater, unordered */
static bool holds(u32 code, u32 flags)
{
	bool zero = flags & SIM_FLAG_ZERO, sign = flags & SIM_FLAG_SIGN;
	u32 relation = 2;

	if (code < 16) {
		if (zero)
			relation = sign ? 3 : 1;
		else if (sign)
			relation = 0;
		return code >> relation & 1;
	}
	switch (code) {
	case 0x10:
		return flags & SIM_FLAG_OVERFLOW;
	case 0x11:
		return flags & SIM_FLAG_CARRY;
	case 0x12:
		return (flags & SIM_FLAG_CARRY) && !zero;
	case 0x13:
		return sign;
	case 0x1c:
		return !sign;
	case 0x1d:
		return !(flags & SIM_FLAG_CARRY) || zero;
	case 0x1e:
		return !(flags & SIM_FLAG_CARRY);
	case 0x1f:
		return !(flags & SIM_FLAG_OVERFLOW);
	}
	return false;
}

/* Kinds of FLOW that have a condition: discard, bra, ret, break and brkpt */
static bool flow_has_condition(u32 kind)
{
	return kind == 0 || kind == 1 || kind == 3 || kind == 5 || kind == 0xb;
}

static bool predicate(const struct machine *m)
{
	if (!is_long(m) || is_immediate(m))
		return true;
	if (m->w[0] & FLOW && !flow_has_condition(m->w[0] >> 28))
		return true;
	return holds(m->w[1] >> 7 & 0x1f, m->t->flags[m->w[1] >> 12 & 3]);
}

static u32 relation_of(double a, double b)
{
	if (a < b)
		return 0;
	if (a == b)
		return 1;
	return a > b ? 2 : 3;
}

/* --- shared and global memory, of compute --- */

/* st: a byte, a half or a word, at an offset in units of its size; another form unlocks the word */
static void store_shared(struct machine *m)
{
	u32 bytes = 2, n = m->w[1] >> 14 & 0x7f, value = bit(m, 0x35) ? reg(m, n) : half(m, n);
	u32 address, i;
	u8 *at;

	if (bit(m, 0x36))
		bytes = 1;
	else if (bit(m, 0x3a))
		bytes = 4;
	address = indirect(m, (m->w[0] >> 9 & 0xffff) * bytes) & 0xffff;
	at = sim_compute_shared(m->s, address, bytes);
	if (m->t->program != SIM_PROGRAM_CP || !at) {
		fail(m, "shared memory past SHARED_SIZE");
		return;
	}
	for (i = 0; i < bytes; i++)
		at[i] = value >> 8 * i;
	if (bit(m, LOCKS))
		m->s->gr->shared_locks[address / 4] = 0;
}

/*
 * ld, which G80 does not have. From G200 on another form locks the word for one thread. Mesa's nv50 takes "less"
 * for success, and tries again otherwise. No source says how many words share a lock on a card.
 */
static void load_shared(struct machine *m)
{
	static const u16 shared_places[] = { 0xffff, 0x7fff, 0x7fff, 0x3fff };
	u32 kind = m->w[1] >> 14 & 3, bytes = operand_bytes[kind];
	u32 address = indirect(m, (m->w[0] >> 9 & shared_places[kind]) * bytes) & 0xffff;
	const u8 *at = sim_compute_shared(m->s, address, bytes);
	bool locks = bytes == 4 && bit(m, LOCKS);
	u8 *lock;

	if (m->t->program != SIM_PROGRAM_CP || sim_is_g80(m->s) ||
	    (locks && m->s->chip < NV_CHIP_G200)) {
		fail(m, "a load of shared memory, which the chip does not have");
		return;
	}
	if (!at) {
		fail(m, "shared memory past SHARED_SIZE");
		return;
	}
	if (bit(m, 0x3a))
		store(m, get_word(at, bytes, kind == 2));
	else
		store_half(m, get_word(at, bytes, kind == 2));
	if (!locks)
		return;

	lock = &m->s->gr->shared_locks[address / 4];
	if (bit(m, 0x26))
		m->t->flags[m->w[1] >> 4 & 3] = *lock ? 0 : SIM_FLAG_SIGN;
	*lock = 1;
}

#define COUNT_UP	4	/* operations of red and atom */
#define COUNT_DOWN	5
#define KIND_PAIR	4	/* of accesses: 64 bits */
#define KIND_FOUR	5	/* ... 128 bits */

/* The new value of a word, by red and atom; hwtest's g80_atom32 has run each operation on cards. */
static u32 combined(u32 operation, bool is_signed, u32 old, u32 a, u32 b)
{
	switch (operation) {
	case 0:
		return old + a;
	case 1:
		return a;
	case 2:
		return old == a ? b : old;
	case COUNT_UP:
		return old >= a ? 0 : old + 1;
	case COUNT_DOWN:
		return !old || old > a ? a : old - 1;
	case 6:
		if (is_signed)
			return (int32_t)old > (int32_t)a ? old : a;
		return old > a ? old : a;
	case 7:
		if (is_signed)
			return (int32_t)old < (int32_t)a ? old : a;
		return old < a ? old : a;
	case 0xa:
		return old & a;
	case 0xb:
		return old | a;
	case 0xc:
		return old ^ a;
	}
	return old;
}

static bool reach_global(struct machine *m, u32 which, u32 address, u8 *raw, u32 bytes, bool write)
{
	if (m->failed || sim_compute_global(m->s, which, address, raw, bytes, write))
		return !m->failed;
	m->failed = true;
	return false;
}

/* Bytes of an access to global or local memory by kind: also whether the first one is a sign */
static const struct {
	u8 bytes;
	bool is_signed;
} access_kinds[8] = {
	{ 1, false }, { 1, true }, { 2, false }, { 2, true }, { 8, false }, { 16, false },
	{ 4, false },
};

/* The operand of a narrow form fills the word. */
static u32 spread(u32 kind, u32 v)
{
	if (access_kinds[kind].bytes == 1)
		return (v & 0xff) * 0x01010101;
	if (access_kinds[kind].bytes == 2)
		return (v & 0xffff) * 0x00010001;
	return v;
}

/* Before G200 counting up and down has a rule of its own for a negative limit. */
static u32 counted(struct machine *m, u32 operation, u32 kind, u32 old, u32 limit)
{
	u32 next = operation == COUNT_UP ? old + 1 : old - 1;
	bool outside;

	if (m->s->chip >= NV_CHIP_G200 || kind != 7 || !(limit >> 31))
		return combined(operation, false, old, limit, 0);

	outside = (int32_t)next > 0 || (int32_t)limit > (int32_t)next;
	if (!outside)
		return next;
	return operation == COUNT_UP ? limit : 0;
}

/* From G200 on narrow forms change nothing, and return the value of a load. */
static u32 changed_word(struct machine *m, u32 operation, u32 kind, u32 old, u32 a, u32 b)
{
	if (kind < 4 && m->s->chip >= NV_CHIP_G200)
		return old;
	a = spread(kind, a);
	if (operation == COUNT_UP || operation == COUNT_DOWN)
		return counted(m, operation, kind, old, a);
	return combined(operation, kind == 7, old, a, b);
}

static u64 changed_pair(u32 operation, u64 old, u64 a, u64 b)
{
	switch (operation) {
	case 0:
		return old + a;
	case 1:
		return a;
	case 2:
		return old == a ? b : old;
	}
	return old;
}

static u64 register_pair(const struct machine *m, u32 n)
{
	return reg(m, n) | (u64)reg(m, n + 1) << 32;
}

static void change_pair(u32 operation, u8 *raw, u64 a, u64 b)
{
	u64 v = changed_pair(operation, get_le64(raw), a, b);

	put_le32(raw, (u32)v);
	put_le32(raw + 4, v >> 32);
}

static void change_word(struct machine *m, u32 operation, u32 kind, u8 *raw, u32 a, u32 b)
{
	put_le32(raw, changed_word(m, operation, kind, get_le32(raw), a, b));
}

static void store_old(struct machine *m, u32 dst, const u32 old[2], bool is_pair)
{
	m->t->r[dst] = old[0];
	if (is_pair)
		m->t->r[(dst + 1) % SIM_REGISTERS] = old[1];
}

/* red and atom: of a word, of 64 bits from G200 on, or of a narrow form; operation 3 is an error. */
static void change_global(struct machine *m, bool returns)
{
	u32 operation = m->w[1] >> 2 & 0xf, kind = m->w[1] >> 21 & 7, dst = m->w[0] >> 2 & 0x7f;
	u32 address = reg(m, m->w[0] >> 9 & 0x7f), which = m->w[0] >> (returns ? 23 : 16) & 0xf;
	u32 from = returns ? m->w[0] >> 16 & 0x7f : dst, third = m->w[1] >> 14 & 0x7f;
	bool is_pair = kind == KIND_PAIR;
	u32 bytes = is_pair ? 8 : 4, old[2] = { 0 };
	u8 raw[8] = { 0 };

	if (sim_is_g80(m->s) || (is_pair && m->s->chip < NV_CHIP_G200) || kind == KIND_FOUR) {
		fail(m, "a change of global memory, which the chip does not have");
		return;
	}
	if (operation == 3) {
		trap(m, SIM_MP_INVALID_OPCODE);
		return;
	}
	if (!reach_global(m, which, address, raw, bytes, false))
		return;

	old[0] = get_le32(raw);
	old[1] = get_le32(raw + 4);
	if (kind < 4)
		old[0] = get_word(raw, access_kinds[kind].bytes, access_kinds[kind].is_signed);
	if (is_pair)
		change_pair(operation, raw, register_pair(m, from), register_pair(m, third));
	else
		change_word(m, operation, kind, raw, reg(m, from), reg(m, third));
	if (reach_global(m, which, address, raw, bytes, true) && returns)
		store_old(m, dst, old, is_pair);
}

static void global(struct machine *m, bool write)
{
	u32 kind = m->w[1] >> 21 & 7, bytes = access_kinds[kind].bytes, n = m->w[0] >> 2 & 0x7f, i;
	u32 address = reg(m, m->w[0] >> 9 & 0x7f), which = m->w[0] >> 16 & 0xf;
	u8 raw[16] = { 0 };

	if (!bytes) {
		trap(m, SIM_MP_INVALID_OPCODE);
		return;
	}
	for (i = 0; write && i < bytes; i++)
		raw[i] = reg(m, n + i / 4) >> 8 * (i % 4);
	if (!reach_global(m, which, address, raw, bytes, write) || write)
		return;
	m->t->r[n] = get_word(raw, bytes, access_kinds[kind].is_signed);
	for (i = 1; i < bytes / 4 && n + i < SIM_REGISTERS; i++)
		m->t->r[n + i] = get_le32(raw + 4 * i);
}

/* --- groups of instructions, by bits 31:28 of word 0 --- */

static void special_register(struct machine *m)
{
	u32 n = m->w[1] >> 14 & 0xf;

	switch (n) {
	case SPECIAL_PHYSID:
		/* TP, MP, warp and thread. The model has one block at a time, on the first MP. */
		store(m, sim_gr_first_tp(m->s) << 20 | m->warp << 8 | m->lane);
		break;
	case SPECIAL_CLOCK:
		store(m, (u32)sim_ptimer_time(m->s));
		break;
	case SPECIAL_VSTRIDE:
		store(m, SIM_VSTRIDE);
		break;
	case SPECIAL_SAMPLE:
		store(m, m->t->sample);
		break;
	case SPECIAL_ZERO:
		store(m, 0);
		break;
	default:
		fail(m, "mov $pm, or a special register that envydis does not know");
	}
}

static void group_0(struct machine *m)
{
	struct sim_thread *t = m->t;
	u32 w0 = m->w[0], shift;

	switch (m->w[1] >> 29) {
	case 0:
		/* a[], beside the address register, whose unit is the byte */
		store(m, attribute_word(m, ((w0 >> 9 & 0x7f) * 4 + address_register(m)) / 4));
		break;
	case 1:
		store(m, t->flags[m->w[1] >> 12 & 3]);
		break;
	case 2:
		store(m, address_register(m));
		break;
	case 3:
		special_register(m);
		break;
	case 4:
		/* o[] in words, beside the address register */
		shift = (w0 >> 9 & 0x3fff) + address_register(m) / 4;
		if (shift < SIM_REGISTERS)
			t->out[shift] = reg(m, m->w[1] >> 14 & 0x7f);
		break;
	case 5:
		t->flags[m->w[1] >> 4 & 3] = reg(m, w0 >> 9 & 0x7f) & 0xf;
		break;
	case 6:
		shift = w0 >> 16 & 0xf;
		t->a[w0 >> 2 & 7] = source1(m) << shift & 0xffff;
		break;
	case 7:
		store_shared(m);
		break;
	}
}

/* --- integers --- */

/* A half of a word of a constant buffer, at @offset bytes */
static u32 constant_half(struct machine *m, u32 offset)
{
	return constant(m, constant_index(m), offset & ~3u) >> (offset & 2 ? 16 : 0) & 0xffff;
}

static u32 half_source1(struct machine *m)
{
	bool wide = is_long(m) && !is_immediate(m), attribute = m->w[0] >> 24 & 1;

	if (wide)
		attribute = bit(m, 0x35);
	if (takes_primitive(m) || (attribute && m->t->program != SIM_PROGRAM_CP)) {
		fail(m, "half of an attribute");
		return 0;
	}
	if (attribute)
		return shared_operand(m) & 0xffff;

	return half(m, m->w[0] >> 9 & (wide ? 0x7f : 0x3f));
}

/* The operand in bits 22:16 */
static u32 half_source2(struct machine *m)
{
	bool wide = is_long(m);

	if (is_immediate(m))
		return source2(m) & 0xffff;
	if ((m->w[0] >> 23 & 3) != 1)
		return half(m, m->w[0] >> 16 & (wide ? 0x7f : 0x3f));

	return constant_half(m, constant_place(m, 2));
}

/* The operand in bits 52:46 */
static u32 half_source3(struct machine *m)
{
	u32 n = m->w[1] >> 14 & 0x7f;

	return (m->w[0] >> 23 & 3) == 2 ? constant_half(m, third_place(m, 2)) : half(m, n);
}

/* The word that is added: of instructions of one word and with an immediate the destination's */
static u32 summand(struct machine *m)
{
	return is_long(m) && !is_immediate(m) ? source3(m) : reg(m, m->w[0] >> 2 & 0x3f);
}

/* Sums have their second operand where others have the third. */
static u32 sum_operand(struct machine *m, bool is_half)
{
	bool wide = is_long(m) && !is_immediate(m);

	if (is_half)
		return wide ? half_source3(m) : half_source2(m);

	return wide ? addend(m) : source2(m);
}

/* A shift may have a number where others have an operand. */
static bool has_source2(const struct machine *m)
{
	bool is_shift = m->w[0] >> 28 == 3 && is_long(m) && !is_immediate(m) && m->w[1] >> 29 >= 6;

	return !(is_shift && bit(m, 0x34));
}

static void integer(struct machine *m)
{
	enum sim_integer_width width = sim_integer_width(m->w);
	struct sim_integer op = { .w = { m->w[0], m->w[1] }, .is_half = width != SIM_INTEGER_WORDS };
	bool wide = is_long(m) && !is_immediate(m);
	u32 group = m->w[0] >> 28, result = 0, flags = m->t->flags[wide ? m->w[1] >> 12 & 3 : 0];

	op.a = op.is_half ? half_source1(m) : source1(m);
	if (group == 2 || (group == 3 && !(wide && m->w[1] >> 29)))
		op.c = sum_operand(m, op.is_half);
	else if (has_source2(m))
		op.b = op.is_half ? half_source2(m) : source2(m);
	if (group >= 5 && group <= 7)
		op.c = summand(m);

	if (!sim_integer(&op, &result, &flags)) {
		trap(m, SIM_MP_INVALID_OPCODE);
		return;
	}
	set_flags(m, flags);
	if (width == SIM_INTEGER_HALVES)
		store_half(m, result);
	else
		store(m, result);
}

/* ld from a constant buffer, whose addresses are in units of the operand */
static u32 load_constant(struct machine *m)
{
	u32 kind = m->w[1] >> 14 & 3, bytes = operand_bytes[kind], i;
	u32 address = indirect(m, (m->w[0] >> 9 & 0x3fff) * bytes) & 0xffff;
	u32 word = constant(m, m->w[1] >> 22 & 0xf, address & ~3u) >> 8 * (address & 3);
	u8 raw[4];

	for (i = 0; i < sizeof(raw); i++)
		raw[i] = word >> 8 * i;

	return get_word(raw, bytes, kind == 2);
}

/* mov, to a register or to half of one */
static void move(struct machine *m)
{
	bool wide = is_long(m) && !is_immediate(m), is_word = m->w[0] & 0x8000;

	if (wide)
		is_word = bit(m, 0x3a);
	/* Bits 17:14 say which pixels of a quad. */
	if (wide && !(m->w[1] >> 14 >> m->lane % SIM_QUAD & 1))
		return;

	if (is_word)
		store(m, is_immediate(m) ? source2(m) : source1(m));
	else
		store_half(m, is_immediate(m) ? source2(m) : half_source1(m));
}

static void group_1(struct machine *m)
{
	if (!is_long(m) || is_immediate(m) || !(m->w[1] >> 29)) {
		move(m);
		return;
	}

	switch (m->w[1] >> 29) {
	case 1:
		if (bit(m, 0x3a))
			store(m, load_constant(m));
		else
			store_half(m, load_constant(m));
		break;
	case 2:
		load_shared(m);
		break;
	default:
		trap(m, SIM_MP_INVALID_OPCODE);
	}
}

/* v[], times a register that is w as a rule */
static void interpolate(struct machine *m)
{
	bool multiply = m->w[0] & 1u << 25, flat = m->w[0] & 1u << 8, centroid = m->w[0] & 1u << 24;
	u32 n = m->w[0] >> 16 & 0xff, from = m->w[0] >> 9 & 0x3f;
	float v;

	if (is_long(m)) {
		multiply = bit(m, 0x31);
		flat = bit(m, 0x32);
		centroid = bit(m, 0x30);
		from = m->w[0] >> 9 & 0x7f;
	}
	if (m->t->program == SIM_PROGRAM_FP && flat && n == FACE) {
		store(m, m->t->face);
		return;
	}
	/* Address registers count bytes. */
	n += address_register(m) / 4;
	/* rnndb: INTERP_NON_FP */
	if (m->t->program != SIM_PROGRAM_FP) {
		trap(m, SIM_MP_INVALID_OPCODE);
		return;
	}
	if (n >= SIM_ATTRIBUTES) {
		fail(m, "instruction");
		return;
	}
	v = sim_bits_to_float(centroid && !flat && m->t->centroid ? m->t->centroid[n] : m->t->in[n]);
	if (multiply && !flat)
		v *= as_float(reg(m, from), false, is_long(m) && bit(m, 0x3a));
	if (flat)
		store(m, m->t->in[n]);
	else
		store(m, sim_float_to_bits(v));
}

/* The bits of an operand: long instructions have the flags at 0x34 and 0x3a. */
static u32 special_operand(const struct machine *m, bool absolute, bool negative)
{
	u32 v = reg(m, m->w[0] >> 9 & (is_long(m) ? 0x7f : 0x3f));

	if (absolute)
		v &= 0x7fffffff;
	if (negative)
		v ^= 0x80000000;
	return v;
}

static void special(struct machine *m)
{
	u32 v, kind = 0;

	if (is_long(m)) {
		v = special_operand(m, bit(m, 0x34), bit(m, 0x3a));
		kind = m->w[1] >> 29;
	} else {
		v = special_operand(m, m->w[0] & 1u << 15, m->w[0] & 1u << 22);
	}
	switch (kind) {
	case 0:
		v = sim_special_rcp(v);
		break;
	case 2:
		v = sim_special_rsqrt(v);
		break;
	case 3:
		v = sim_special_lg2(v);
		break;
	case 4:
	case 5:
		v = sim_special_sin(special_operand(m, false, false), kind == 5);
		break;
	case 6:
		v = sim_special_ex2(special_operand(m, false, false));
		break;
	default:
		trap(m, SIM_MP_INVALID_OPCODE);
	}
	store_result(m, sim_bits_to_float(v), kind == 6 && bit(m, 0x3b), true);
}

/* Double precision, of G200 alone: elsewhere, and between integers, the bit has no meaning. */
static bool is_double(const struct machine *m)
{
	return m->s->chip == NV_CHIP_G200 && m->w[1] & OF_DOUBLES && m->w[1] >> 30;
}

static void store_pair(struct machine *m, u64 value)
{
	u32 n = m->w[0] >> 2 & 0x7f;

	if (!(m->w[1] & OUTPUT)) {
		m->t->r[n] = (u32)value;
		m->t->r[(n + 1) % SIM_REGISTERS] = value >> 32;
	} else if (n != NOWHERE) {
		fail(m, "a double in o[]");
	}
}

static void convert_double(struct machine *m, bool from_pair, bool to_pair)
{
	u32 flags;
	u64 v;

	if (from_pair && bit(m, 0x35)) {
		fail(m, "cvt of 64 bits from memory");
		return;
	}

	v = from_pair ? register_pair(m, m->w[0] >> 9 & 0x7f) : source1(m);
	v = sim_double_convert(m->w[1], v, &flags);
	set_flags(m, flags);
	if (to_pair)
		store_pair(m, v);
	else
		store(m, (u32)v);
}

static void convert(struct machine *m)
{
	struct sim_conversion c = { .w1 = m->w[1], .nan_is_zero = nan_is_zero(m) };
	bool from_word = bit(m, 0x2e), to_word = bit(m, 0x3a);
	u32 result, flags;

	if (is_double(m) && (from_word || to_word)) {
		convert_double(m, from_word, to_word);
		return;
	}

	/* Registers of this form are words. The result is a half, and the operand is none. */
	if (is_double(m)) {
		from_word = to_word = true;
		c.w1 |= FROM_WORD;
	}
	c.a = from_word ? source1(m) : half_source1(m);
	result = sim_convert(&c, &flags);
	set_flags(m, flags);
	if (to_word)
		store(m, result);
	else
		store_half(m, result);
}

/* --- floats --- */

/* The double that is nearer to 0, where @error says that @v is too large */
static double without_excess(double v, double error)
{
	return v && error && (error < 0) == (v > 0) ? nextafter(v, 0) : v;
}

/* The float that is not larger */
static float truncated(double v)
{
	float f = (float)v;

	return fabs((double)f) > fabs(v) && !isinf(v) ? nextafterf(f, 0) : f;
}

static float add(float a, float b, u32 mode)
{
	double sum = (double)a + b, part = sum - a;

	if (mode == SIM_ROUND_NEAREST || !isfinite(sum))
		return a + b;
	return truncated(without_excess(sum, (a - (sum - part)) + (b - part)));
}

/* Cards flush by the exponent before they round, and C rounds a small product up to FLT_MIN. */
static float product_of(float a, float b)
{
	float product = a * b;

	if (fabsf(product) == FLT_MIN && fabs((double)a * b) < FLT_MIN - 0x1p-151)
		return copysignf(0, product);
	return product;
}

static float multiply(struct machine *m, float a, float b, u32 mode)
{
	float product = product_of(a, b);

	if (mode == SIM_ROUND_ZERO)
		product = truncated((double)a * b);
	/* A mode in which 0 wins over infinity and NaN */
	if ((isnan(product) || product == 0) && (a == 0 || b == 0) &&
	    mp_mode(m) & MODE_ZERO_WINS)
		return 0;
	return product;
}

/* G80 to G98 have no products that saturate. */
static bool product_saturates(const struct machine *m, bool wanted)
{
	return wanted && m->s->chip >= NV_CHIP_G200;
}

/* Modes 1 and 2 are none of sums and products. */
static bool is_rounding(struct machine *m, u32 mode)
{
	if (mode == SIM_ROUND_NEAREST || mode == SIM_ROUND_ZERO)
		return true;

	trap(m, SIM_MP_INVALID_OPCODE);
	return false;
}

static void sum(struct machine *m)
{
	u32 mode = m->w[0] >> 16 & 3;
	float a, b;

	if (!is_rounding(m, mode))
		return;
	a = as_float(source1(m), false, bit(m, 0x3a));
	b = as_float(addend(m), false, bit(m, 0x3b));
	store_result(m, add(a, b, mode), bit(m, 0x3d), isnan(a) || isnan(b));
}

/* Any NaN gives way to a number, and -0 is less than 0: unlike fminf(). */
static float smaller_or_larger(float a, float b, bool smaller)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? b : a;
	if (a == b)
		return !!signbit(a) == smaller ? a : b;
	return (a < b) == smaller ? a : b;
}

static void group_b(struct machine *m)
{
	float a, b;

	if (!is_long(m) || is_immediate(m)) {
		a = as_float(source1(m), false, m->w[0] & 1u << 15);
		b = as_float(source2(m), false, m->w[0] & 1u << 22);
		store_result(m, a + b, m->w[0] & 1u << 8, isnan(a) || isnan(b));
		return;
	}
	if (m->w[1] >> 30 == 0) {
		sum(m);
		return;
	}
	if (m->w[1] >> 29 == 6) {
		store(m, sim_special_prepare(special_operand(m, bit(m, 0x34), bit(m, 0x3a)),
					     bit(m, 0x2e)));
		return;
	}
	a = as_float(source1(m), bit(m, 0x34), bit(m, 0x3a));
	b = as_float(source2(m), bit(m, 0x33), bit(m, 0x3b));
	switch (m->w[1] >> 29) {
	case 3:
		store_int(m, m->w[1] >> 14 >> relation_of(a, b) & 1 ? ~0u : 0, 0);
		break;
	case 4:
		store_float(m, smaller_or_larger(a, b, false));
		break;
	case 5:
		store_float(m, smaller_or_larger(a, b, true));
		break;
	default:
		trap(m, SIM_MP_INVALID_OPCODE);
	}
}

/* One of two words by the sign of a float; its flags are those of a float without its size. */
static void select_word(struct machine *m)
{
	float by = as_float(source3(m), false, bit(m, 0x3d));
	u32 first = source1(m), second = source2(m), result = by >= 0 ? first : second;
	u32 flags = result >> 31 ? SIM_FLAG_SIGN : 0;

	if (!(result << 1))
		flags = SIM_FLAG_ZERO;
	set_flags(m, flags);
	store(m, result);
}

static void group_c(struct machine *m)
{
	u32 mode = m->w[1] >> 14 & 3;
	float a, b;

	if (!is_long(m) || is_immediate(m)) {
		a = as_float(source1(m), false, m->w[0] & 1u << 15);
		b = as_float(source2(m), false, m->w[0] & 1u << 22);
		store_result(m, multiply(m, a, b, SIM_ROUND_NEAREST),
			     product_saturates(m, m->w[0] & 1u << 8), isnan(a) || isnan(b));
		return;
	}
	if (m->w[1] >> 30 == 1) {
		select_word(m);
		return;
	}
	if (m->w[1] >> 29) {
		trap(m, SIM_MP_INVALID_OPCODE);
		return;
	}
	if (!is_rounding(m, mode))
		return;
	a = as_float(source1(m), false, bit(m, 0x3a));
	b = as_float(source2(m), false, bit(m, 0x3b));
	store_result(m, multiply(m, a, b, mode), product_saturates(m, bit(m, 0x34)),
		     isnan(a) || isnan(b));
}

/* --- local memory: each thread's own, which programs address in bytes --- */

/*
 * Wider accesses go to consecutive registers, narrower ones fill one: NVIDIA's compiler, whose
 * output decuda's tests have, multiplies the whole register after a load of 16 bits.
 */
static void load_local(struct machine *m, const u8 *from, u32 bytes, bool is_signed)
{
	u32 n = m->w[0] >> 2 & 0x7f, i;

	m->t->r[n] = get_word(from, bytes, is_signed);
	for (i = 1; i < bytes / 4 && n + i < SIM_REGISTERS; i++)
		m->t->r[n + i] = get_le32(from + 4 * i);
}

/* Threads of compute wait at barriers with theirs, others use it one quad after the other. */
static u8 *local_memory(struct machine *m)
{
	if (m->t->program != SIM_PROGRAM_CP)
		return m->s->gr->local[m->lane % SIM_QUAD];

	if (!m->t->local)
		m->t->local = calloc(1, SIM_LOCAL);
	return m->t->local;
}

static void local(struct machine *m, bool write)
{
	u32 kind = m->w[1] >> 21 & 7, bytes = access_kinds[kind].bytes, n = m->w[0] >> 2 & 0x7f, i;
	u32 address = indirect(m, m->w[0] >> 9 & 0xffff) & 0xffff;
	bool is_compute = m->t->program == SIM_PROGRAM_CP;
	u8 *memory = local_memory(m);

	if (!bytes) {
		trap(m, SIM_MP_INVALID_OPCODE);
		return;
	}
	if (!sim_gr3d_has_local(m->s, is_compute)) {
		fail(m, "local memory while LOCAL_SIZE_LOG is 0");
		return;
	}
	if (!memory || !sim_gr3d_local(m->s, is_compute, write)) {
		m->failed = true;
		return;
	}
	/*
	 * Other values of LOCAL_SIZE_LOG are no limit here. Mesa 22.3.6 leaves it at 64 bytes for programs that use
	 * more, and no document describes the card's behaviour.
	 */
	if (address + bytes > SIM_LOCAL) {
		fail(m, "local memory past 64 KiB");
		return;
	}
	if (!write) {
		load_local(m, memory + address, bytes, access_kinds[kind].is_signed);
		return;
	}
	for (i = 0; i < bytes; i++)
		memory[address + i] = reg(m, n + i / 4) >> 8 * (i % 4);
	if (m->t->program != SIM_PROGRAM_CP && address + bytes > m->s->gr->local_used)
		m->s->gr->local_used = address + bytes;
}

/* No source describes the contents at the start of a program: the model clears them. */
static void clear_local(struct nvsim *s)
{
	u32 lane;

	for (lane = 0; lane < SIM_QUAD && s->gr->local_used; lane++)
		memset(s->gr->local[lane], 0, s->gr->local_used);
	s->gr->local_used = 0;
}

static void group_d(struct machine *m)
{
	u32 w0 = m->w[0];

	if (is_immediate(m)) {
		integer(m);
		return;
	}
	if (is_long(m) && m->w[1] >> 29 == 1) {
		m->t->a[w0 >> 2 & 7] = (address_register(m) + (w0 >> 9 & 0xffff)) & 0xffff;
		return;
	}
	if (is_long(m) && m->w[1] >> 30 == 1) {
		local(m, m->w[1] >> 29 == 3);
		return;
	}
	if (is_long(m) && m->w[1] >> 31 && m->t->program == SIM_PROGRAM_CP) {
		if (m->w[1] >> 29 >= 6)
			change_global(m, m->w[1] >> 29 == 7);
		else
			global(m, m->w[1] >> 29 == 5);
		return;
	}
	if (!is_long(m)) {
		trap(m, SIM_MP_INVALID_OPCODE);
		return;
	}
	if (m->w[1] >> 29) {
		fail(m, "global memory outside of compute");
		return;
	}
	integer(m);
}

/* The product is cut to 24 bits before the addition, but for one of 0. */
static float multiply_add(float a, float b, float c)
{
	double product = (double)a * b;
	u64 bits;

	if (c == 0 || !isfinite(product))
		return flushed(product_of(a, b)) + c;

	memcpy(&bits, &product, sizeof(bits));
	bits &= ~((1ull << 29) - 1);
	memcpy(&product, &bits, sizeof(bits));

	return (float)(product + c);
}

/* fma, add, mul, min, max and set of doubles */
static void doubles(struct machine *m)
{
	struct sim_double op = { .w0 = m->w[0], .w1 = m->w[1] };
	u32 flags;
	u64 v;

	if (m->s->chip != NV_CHIP_G200 || m->w[0] & 3u << 23 || bit(m, 0x35)) {
		fail(m, "double precision, on a chip without it or from memory");
		return;
	}

	op.a = register_pair(m, m->w[0] >> 9 & 0x7f);
	op.b = register_pair(m, m->w[0] >> 16 & 0x7f);
	op.c = register_pair(m, m->w[1] >> 14 & 0x7f);
	if (m->w[1] >> 29 == 7) {
		store_int(m, m->w[1] >> 14 >> sim_double_relation(&op) & 1 ? ~0u : 0, 0);
		return;
	}

	v = sim_double(&op, &flags);
	set_flags(m, flags);
	store_pair(m, v);
}

/*
 * Short codes, and those with a number: "zero wins" is a mode for them as for products. A NaN in such
 * a product is still one of the operands where the sum saturates.
 */
static void short_multiply_add(struct machine *m)
{
	float a = as_float(source1(m), false, m->w[0] & 1u << 15);
	float b = as_float(source2(m), false, false);
	float c = as_float(reg(m, m->w[0] >> 2 & 0x3f), false, m->w[0] & 1u << 22), v;
	bool saturates = m->w[0] & 1u << 8;

	v = multiply_add(a, b, c);
	if ((a == 0 || b == 0) && mp_mode(m) & MODE_ZERO_WINS)
		v = c + 0;
	if (saturates && (isnan(a) || isnan(b)) && nan_is_zero(m))
		v = 0;
	store_result(m, v, saturates, isnan(a) || isnan(b) || isnan(c));
}

static void group_e(struct machine *m)
{
	float a, b, c;

	if (!is_long(m) || is_immediate(m)) {
		short_multiply_add(m);
		return;
	}
	if (m->w[1] >> 30) {
		doubles(m);
		return;
	}
	a = as_float(source1(m), false, bit(m, 0x3a));
	b = as_float(source2(m), false, false);
	c = as_float(source3(m), false, bit(m, 0x3b));
	store_result(m, multiply_add(a, b, c), bit(m, 0x3d), isnan(a) || isnan(b) || isnan(c));
}

/* --- flow; each thread goes its own way, so there is nothing to join --- */

static u32 target(const struct machine *m)
{
	return ((m->w[0] >> 11 & 0xffff) | (m->w[1] >> 14 & 0x3f) << 16) * 4;
}

enum {
	ENTRY_LOOP,
	ENTRY_CALL,
	ENTRY_LIMITED,		/* a call that counts for CALL_LIMIT_LOG */
	ENTRY_KIND = 3
};

/*
 * A multiprocessor has 16 entries of each warp's stack (rnndb's G80_MP_CTX1): further ones are in
 * memory. Branches that diverge and joinat push entries on a card, and none here.
 */
#define ON_CHIP		16

static void push(struct machine *m, u32 entry)
{
	bool is_compute = m->t->program == SIM_PROGRAM_CP;
	u32 entries = sim_gr3d_stack_entries(m->s, is_compute);
	struct sim_thread *t = m->t;

	if (!entries) {
		fail(m, "a call or a loop without a stack: STACK_SIZE_LOG is 0");
		return;
	}
	if (t->depth >= entries) {
		if (!m->failed)
			sim_gr_stack_trap(m->s);
		m->failed = true;
		return;
	}
	if (t->depth >= SIM_STACK) {
		fail(m, "more than 32 entries of the stack");
		return;
	}
	if (t->depth >= ON_CHIP && !m->failed && !sim_gr3d_stack(m->s, is_compute, true)) {
		m->failed = true;
		return;
	}

	t->stack[t->depth++] = entry;
	t->limited += (entry & ENTRY_KIND) == ENTRY_LIMITED;
}

static void pop(struct machine *m, bool is_call)
{
	struct sim_thread *t = m->t;
	u32 entry;

	if (!t->depth) {
		trap(m, SIM_MP_STACK_UNDERFLOW);
		return;
	}

	entry = t->stack[t->depth - 1];
	if (is_call != ((entry & ENTRY_KIND) != ENTRY_LOOP)) {
		trap(m, SIM_MP_STACK_MISMATCH);
		return;
	}

	t->depth--;
	t->limited -= (entry & ENTRY_KIND) == ENTRY_LIMITED;
	t->pc = entry & ~ENTRY_KIND;
}

/* A call, or preret, which pushes the address of its return and goes on. False if it is ignored */
static bool call(struct machine *m, u32 address)
{
	if (!bit(m, 0x26)) {
		push(m, address | ENTRY_CALL);
		return true;
	}

	if (m->t->limited >= sim_gr3d_call_limit(m->s, m->t->program))
		return false;

	push(m, address | ENTRY_LIMITED);
	return true;
}

static bool has_preret(const struct nvsim *s)
{
	return s->chip >= NV_CHIP_GT215;
}

/* Addresses count from the start of the program's segment, as the pc does. */
static void flow(struct machine *m)
{
	struct sim_thread *t = m->t;

	switch (m->w[0] >> 28) {
	case 0:
		t->killed = true;
		break;
	case 1:
		t->pc = target(m);
		break;
	case 2:
		if (call(m, t->pc))
			t->pc = target(m);
		break;
	case 3:
		/* nvcc's kernels return early by a ret without a call. */
		if (!t->depth)
			t->ended = true;
		else
			pop(m, true);
		break;
	case 4:
		push(m, target(m) | ENTRY_LOOP);
		break;
	case 5:
		pop(m, false);
		break;
	case 6:
	case 7:
	case 0xa:
	case 0xb:
		/* No source has seen a break point do something. */
		break;
	case 8:
		/* A barrier that only counts does not stop its thread. */
		t->waits = m->w[0] & BARRIER_WAITS && t->program == SIM_PROGRAM_CP;
		break;
	case 9:
		/* rnndb: TRAP_INSTRUCTION is one of the reasons of this error. */
		trap(m, SIM_MP_INVALID_OPCODE);
		break;
	case 0xc:
		/* Envydis has an indirect branch of the GT215, in words that it marks as unchecked. */
		if (has_preret(m->s))
			fail(m, "a branch to an address in c0[]");
		else
			trap(m, SIM_MP_INVALID_OPCODE);
		break;
	case 0xd:
		if (has_preret(m->s))
			call(m, target(m));
		else
			trap(m, SIM_MP_INVALID_OPCODE);
		break;
	default:
		trap(m, SIM_MP_INVALID_OPCODE);
	}
}

static void emit(struct machine *m)
{
	/* rnndb: EMIT_NON_GP */
	if (m->t->program != SIM_PROGRAM_GP) {
		trap(m, SIM_MP_INVALID_OPCODE);
		return;
	}
	if (m->w[0] & EMIT)
		sim_gr3d_emit(m->s, m->t);
	if (m->w[0] & RESTART)
		sim_gr3d_restart(m->s);
}

static void execute(struct machine *m)
{
	static void (*const groups[16])(struct machine *m) = {
		[0x0] = group_0, [0x1] = group_1, [0x2] = integer, [0x3] = integer,
		[0x4] = integer, [0x5] = integer, [0x6] = integer, [0x7] = integer,
		[0x8] = interpolate, [0x9] = special, [0xa] = convert,
		[0xb] = group_b, [0xc] = group_c, [0xd] = group_d, [0xe] = group_e,
	};
	u32 group = m->w[0] >> 28;

	if (m->w[0] & FLOW) {
		flow(m);
	} else if (group == 0xf && is_long(m) && m->w[1] >> 29 == 7) {
		return;
	} else if (group == 0xf && is_long(m) && m->w[1] >> 29 == 6) {
		emit(m);
	} else if (groups[group]) {
		groups[group](m);
	} else {
		trap(m, SIM_MP_INVALID_OPCODE);
	}
}

/* --- instructions of a quad --- */

static void select_thread(struct machine *m, u32 lane)
{
	m->lane = lane;
	m->t = &m->threads[lane];
}

/* Which thread's operand a lane takes: one of the four, or its neighbor's beside or below it */
static u32 other_lane(u32 which, u32 lane)
{
	if (which < 4)
		return which;
	return lane ^ (which & 1 ? 2 : 1);
}

static float combine(u32 op, float a, float b)
{
	switch (op) {
	case 0:
		return a + b;
	case 1:
		return b - a;
	case 2:
		return a - b;
	}
	return b + 0;
}

/* Compute has no neighbors: hwtest found 0, or infinity in a mode of the multiprocessor. */
static float without_neighbor(struct machine *m)
{
	return mp_mode(m) & MODE_QUAD_INFINITE ? INFINITY : 0;
}

/* How many threads the quad has that begins with thread @first */
static u32 quad_size(const struct machine *m, u32 first)
{
	return m->count - first < SIM_QUAD ? m->count - first : SIM_QUAD;
}

/* Differences between pixels: an operation for each lane, on its own operand and another's */
static void quad_operation(struct machine *m, u32 first, u32 lanes)
{
	u32 n = m->w[0] >> 9 & 0x7f, ops = (m->w[0] >> 20 & 3) | (m->w[1] >> 20 & 0xfc), lane, other;
	u32 count = quad_size(m, first), which = m->w[0] >> 16 & 7;
	float value[SIM_QUAD] = { 0 };

	for (lane = 0; lane < count; lane++) {
		other = other_lane(which, lane);
		select_thread(m, first + (other < count ? other : lane));
		value[lane] = as_float(reg(m, n), false, false);
		select_thread(m, first + lane);
		value[lane] = combine(ops >> (6 - 2 * lane) & 3, value[lane],
				      as_float(source3(m), false, false));
		if (m->t->program == SIM_PROGRAM_CP && which & NEIGHBOR)
			value[lane] = without_neighbor(m);
	}
	for (lane = 0; lane < count; lane++) {
		select_thread(m, first + lane);
		if (lanes >> lane & 1)
			store_float(m, value[lane]);
	}
}

static bool is_quad_operation(const struct machine *m)
{
	return m->w[0] >> 28 == 0xc && !(m->w[0] & FLOW) && is_long(m) && !is_immediate(m) &&
	       m->w[1] >> 29 == 4;
}

static bool is_texture(const struct machine *m)
{
	return m->w[0] >> 28 == 0xf && !(m->w[0] & FLOW) &&
	       !(is_long(m) && m->w[1] >> 29 >= 6);
}

/* --- instructions of a warp --- */

static bool is_vote(const struct machine *m)
{
	return m->w[0] >> 28 == 1 && !(m->w[0] & FLOW) && is_long(m) && !is_immediate(m) &&
	       m->w[1] >> 29 == 3;
}

/*
 * A condition for any or all of @lanes, which are active; it holds for those of @yes. As after set,
 * true is negative and false is 0: no source has the flags of a vote.
 */
static void vote(struct machine *m, u32 lanes, u32 yes)
{
	u32 kind = m->w[0] & (VOTE_ANY | VOTE_ALL), lane;
	bool result = kind == VOTE_ANY ? yes != 0 : yes == lanes;

	if (m->threads->program != SIM_PROGRAM_CP || m->s->chip < NV_CHIP_G200 ||
	    (kind != VOTE_ANY && kind != VOTE_ALL)) {
		fail(m, "a vote");
		return;
	}
	for (lane = 0; lane < m->count; lane++) {
		if (!(lanes >> lane & 1))
			continue;
		select_thread(m, lane);
		set_flags(m, result ? SIM_FLAG_SIGN : SIM_FLAG_ZERO);
	}
}

static void texture(struct machine *m, u32 first, u32 lanes)
{
	bool known;

	if (sim_gr3d_texture(m->s, m->threads + first, quad_size(m, first), lanes, m->w, &known))
		return;
	if (known)
		m->failed = true;
	else
		fail(m, "a texture instruction");
}

/* --- the program --- */

static bool is_running(const struct sim_thread *t)
{
	return !t->killed && !t->ended && !t->waits;
}

/* Find the lowest address, and the lanes at it; 0 when all lanes are done. */
static u32 pick(struct machine *m)
{
	u32 lane, lanes = 0;

	for (lane = 0; lane < m->count; lane++) {
		const struct sim_thread *t = &m->threads[lane];

		if (!is_running(t) || (lanes && t->pc > m->pc))
			continue;
		if (!lanes || t->pc < m->pc)
			lanes = 0;
		m->pc = t->pc;
		lanes |= 1u << lane;
	}
	return lanes;
}

/* Through lines that are kept until the next method */
static bool read_word(struct machine *m, u32 *word)
{
	u64 address = (m->base + m->pc) & MASK40, start = address & ~(u64)(SIM_CODE_LINE - 1);
	struct sim_code_line *line = &m->s->gr->code[address / SIM_CODE_LINE % SIM_CODE_LINES];

	if (!line->valid || line->start != start) {
		line->start = start;
		line->valid = sim_gr_vm(m->s, SIM_GR_3D_CODE_CB, m->code, start,
					line->bytes, SIM_CODE_LINE, false);
	}
	if (!line->valid) {
		sim_gr_ccache_trap(m->s, 1);
		return false;
	}
	*word = get_le32(line->bytes + (address & (SIM_CODE_LINE - 4)));
	m->pc += 4;
	return true;
}

/* rnndb: UNALIGNED_LONG_INSTRUCTION */
static bool read_second(struct machine *m)
{
	if (!(m->at & 4))
		return read_word(m, &m->w[1]);

	m->t = m->threads;
	trap(m, SIM_MP_INVALID_OPCODE);
	return false;
}

/* The instruction at pc, for all of @lanes whose condition holds */
static void step(struct machine *m, u32 lanes)
{
	u32 lane, active = 0;

	for (lane = 0; lane < m->count; lane++) {
		if (!(lanes >> lane & 1))
			continue;
		select_thread(m, lane);
		m->t->pc = m->pc;
		active |= (predicate(m) ? 1u : 0) << lane;
	}
	if (is_texture(m)) {
		for (lane = 0; lane < m->count && !m->failed; lane += SIM_QUAD)
			texture(m, lane, active >> lane & 0xf);
	} else if (is_quad_operation(m)) {
		for (lane = 0; lane < m->count; lane += SIM_QUAD)
			quad_operation(m, lane, active >> lane & 0xf);
	} else if (is_vote(m)) {
		vote(m, lanes, active);
	} else {
		for (lane = 0; lane < m->count; lane++) {
			select_thread(m, lane);
			if (active >> lane & 1)
				execute(m);
		}
	}
	for (lane = 0; lane < m->count; lane++) {
		if (lanes >> lane & 1 && is_long(m) && (m->w[1] & 3) == 1)
			m->threads[lane].ended = true;
	}
}

void sim_gr3d_forget_code(struct nvsim *s)
{
	u32 i;

	for (i = 0; i < SIM_CODE_LINES; i++)
		s->gr->code[i].valid = false;
}

/*
 * Up to the end of all threads, or to a barrier at which they all wait. The limit is the model's: a
 * card may let the program end.
 */
static bool run(struct machine *m, u32 *left, u32 limit)
{
	u64 program = (m->base + m->start) & MASK40;
	u32 lanes;

	for (; *left; --*left) {
		lanes = pick(m);
		if (!lanes)
			return true;
		m->w[1] = 0;
		m->at = m->pc;
		if (!read_word(m, &m->w[0]) || (is_long(m) && !read_second(m)))
			return false;
		step(m, lanes);
		if (m->failed)
			return false;
	}
	sim_missing(m->s, NVSIM_MISSING_STEPS, program, "%u instructions, at CODE+0x%x (program at 0x%010llx)",
		    limit, m->at - m->start, (unsigned long long)program);
	trap(m, SIM_MP_TIMEOUT);
	return false;
}

bool sim_gr3d_run(struct nvsim *s, struct sim_thread *threads, u32 count)
{
	static const struct {
		u16 address, start, registers;
	} methods[] = {
		[SIM_PROGRAM_VP] = { VP_ADDRESS_HIGH, VP_START_ID, VP_REG_ALLOC_TEMP },
		[SIM_PROGRAM_GP] = { GP_ADDRESS_HIGH, GP_START_ID, GP_REG_ALLOC_TEMP },
		[SIM_PROGRAM_FP] = { FP_ADDRESS_HIGH, FP_START_ID, FP_REG_ALLOC_TEMP },
	};
	const u32 *st = sim_gr3d_state(s);
	u32 high = methods[threads->program].address, start = methods[threads->program].start;
	u32 i, left = LIMIT;
	struct machine m = {
		.s = s,
		.st = st,
		.threads = threads,
		.count = count,
		.registers = st[methods[threads->program].registers / 4],
		.code = st[DMA_CODE_CB / 4],
		.base = st[high / 4 + 1] | (u64)(st[high / 4] & 0xff) << 32,
		.start = st[start / 4],
	};

	clear_local(s);
	for (i = 0; i < count; i++)
		threads[i].pc = st[start / 4];
	return run(&m, &left, LIMIT);
}

void sim_gr3d_start_warps(struct nvsim *s, struct sim_thread *threads, u32 count)
{
	u32 start, i;
	u64 base;

	sim_compute_code(s, &base, &start);
	for (i = 0; i < count; i++)
		threads[i].pc = start;
}

bool sim_gr3d_run_warp(struct nvsim *s, struct sim_thread *threads, u32 count, u32 warp, u32 *left)
{
	struct machine m = {
		.s = s,
		.st = sim_gr3d_state(s),
		.threads = threads,
		.count = count,
		.warp = warp,
		.registers = sim_compute_registers(s),
		.t = threads,
	};

	m.code = sim_compute_code(s, &m.base, &m.start);
	return run(&m, left, SIM_BLOCK_LIMIT);
}
