// SPDX-License-Identifier: MIT
/* The calculator: IB entries, channels, and PFIFO's and PGRAPH's state. */
#include "nvfifo_calc_table.h"
#include "nvfifo_text.h"

/* --- IB entries, channels ------------------------------------------------ */

void nvfifo_calc_ib(struct calc *c)
{
	struct nvfifo_ib_entry e = { 0 };
	__u64 words[CALC_WORDS];
	__u32 w[2];

	c->vectors = has(c, "bytes");
	if (!c->vectors) {
		if (!nvfifo_calc_words(c, words))
			return;
		if (c->encoded && !(words[1] >> 10 & NVFIFO_IB_WORDS_MAX))
			note(c, "an entry of length 0 stops the pusher with IB_EMPTY");
		if (c->encoded)
			nvfifo_calc_set_words(c, words);
		nvfifo_calc_decode(c, c->table, words);
		return;
	}

	e.address = aligned(c, "va", 4, need(c, "va", HEX, NVFIFO_VA_MASK));
	e.words = (__u32)aligned(c, "bytes", 4, need(c, "bytes", HEX, NVFIFO_IB_WORDS_MAX * 4ULL)) / 4;
	e.no_prefetch = opt(c, "no_prefetch", DEC, 1, 0);
	e.not_main = opt(c, "not_main", DEC, 1, 0);
	nvfifo_ib_encode(&e, w);
	if (c->err)
		return;

	if (!e.words)
		note(c, "an entry of length 0 stops the pusher with IB_EMPTY");
	words[0] = w[0];
	words[1] = w[1];
	nvfifo_calc_set_words(c, words);
	if (details(c))
		nvfifo_calc_decode(c, c->table, words);
}

void nvfifo_calc_chan(struct calc *c)
{
	const bool decoded = !has_one_of(c, "address target");
	__u32 desc;

	if (has_one_of(c, "address target")) {
		desc = nvfifo_chan_desc(aligned(c, "address", 0x1000,
						need(c, "address", HEX, NVFIFO_VA_MASK)),
					pick(c, "target", targets, 4, 0));
		if (c->err)
			return;
		set(c, "desc", STR, "%08x", desc);
	} else {
		desc = (__u32)need(c, "desc", HEX, 0xffffffff);
		if (c->err)
			return;
	}

	/* A decoded row has it, and its other fields make the word. */
	field_text(c, "address_g84");
	means(c, "of the channel structure%s",
	      decoded ? ", in PGRAPH's registers, in those of PFIFO, and in CHAN_TABLE of G80" : "");
	set(c, "address", STR, "%010" PRIx64, (uint64_t)nvfifo_chan_desc_address(desc));
	if (decoded) {
		means(c, "of the channel structure, if it is an entry of CHAN_TABLE of G84 and later");
		set(c, "address_g84", STR, "%010" PRIx64, (uint64_t)(desc & 0x0fffffff) << 8);
	}
	nvfifo_calc_set_target(c, desc >> 28 & 3);
	if (desc >> 30) {
		means(c, "bit 30 PENDING, bit 31 ENABLE in CHAN_TABLE; valid in PGRAPH's registers");
		set(c, "high", NUM, "%u", desc >> 30);
	}

	means(c, "CHAN_TABLE entry on G80, bound but not started");
	set(c, "chan_table_g80", STR, "%08x", desc & 0x3fffffff);
}

/* nouveau's RAMFC of a new channel, and its accesses to CHAN_TABLE. */
/* "ADDRESS_HIGH 0, ORDER 9": the fields of the register that a word of RAMFC is loaded into */
static void ramfc_means(struct calc *c, const char *name, __u32 value)
{
	const struct nvfifo_reg *f = NULL;
	struct nvfifo_reg_ref ref;
	char text[160] = "";
	size_t used = 0;

	if (nvfifo_reg_parse(name, 0, &ref) || ref.field)
		return;

	while ((f = nvfifo_reg_field(ref.reg, 0, f)) && used < sizeof(text))
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s %x",
					 used ? ", " : "", f->name,
					 (value & nvfifo_reg_mask(f)) >> f->lo);

	means(c, "%s", text);
}

/* RAMFC as the column of nouveau's vectors has it: {"3c":"403f6078","44":"01003fff"} */
static void ramfc_decode(struct calc *c)
{
	const char *text = field_text(c, "ramfc"), *name;
	struct nvfifo_row r = { 0 };
	__u64 offset, value;
	size_t at, i;

	if (nvfifo_row_from_json(&r, text, strlen(text), &at) && !c->err)
		c->err = nvfifo_error(-EINVAL, "ramfc must be an object of JSON such as {\"3c\":\"403f6078\"}");

	for (i = 0; i < r.count && !c->err; i++) {
		name = NULL;
		if (number(r.fields[i].name, HEX, NVFIFO_RAMFC_WORDS * 4 - 4, &offset))
			name = nvfifo_ramfc_name((unsigned int)offset);

		if (!name) {
			c->err = nvfifo_error(-EINVAL, "RAMFC has no word at '%.20s', 0 to %x in steps of 4",
					      r.fields[i].name, NVFIFO_RAMFC_WORDS * 4 - 4);
		} else if (!number(r.fields[i].text, HEX, 0xffffffff, &value)) {
			c->err = nvfifo_error(-EINVAL, "%s must be a hexadecimal number up to ffffffff, not '%.40s'",
					      name, r.fields[i].text);
		} else {
			ramfc_means(c, name, (__u32)value);
			set(c, name, STR, "%08x", (__u32)value);
		}
	}

	nvfifo_row_free(&r);
}

/* An offset in the channel structure */
static __u32 place(struct calc *c, const char *name, __u32 align, __u32 absent)
{
	return (__u32)aligned(c, name, align, opt(c, name, HEX, 0xfffff, absent));
}

/* RAMFC of a new channel, and the accesses that bind, start and stop it */
static void ramfc_encode(struct calc *c)
{
	static const char *const gens[] = { "nv50|g80", "g84" };
	static const __u8 plan[] = {
		NVFIFO_RAMFC_DMA_FETCH, NVFIFO_RAMFC_DMA_TIMESLICE, NVFIFO_RAMFC_DMA_INSTANCE,
		NVFIFO_RAMFC_IB_ADDRESS_LOW, NVFIFO_RAMFC_IB_CONFIG, NVFIFO_RAMFC_ACQUIRE_TIMEOUT,
		NVFIFO_RAMFC_SLI, NVFIFO_RAMFC_RAMHT, NVFIFO_RAMFC_CACHE_INST,
		NVFIFO_RAMFC_CHAN_INST,
	};
	bool g84 = pick(c, "gen", gens, 2, 1);
	__u64 inst = aligned(c, "inst", 0x1000, need(c, "inst", HEX, 0xffffffff));
	__u32 bytes = (__u32)opt(c, "ib_bytes", HEX, 0x80000, 0x1000);
	__u32 off_ramfc = place(c, "off_ramfc", 0x100, NVFIFO_G84_RAMFC);
	__u32 off_cache = place(c, "off_cache", 0x400, NVFIFO_G84_CACHE);
	__u32 chid = (__u32)opt(c, "chid", DEC, 127, 1);
	struct nvfifo_ramfc r = {
		.g84 = g84,
		.ib = true,
		.inst = inst,
		.push_offset = place(c, "push_node_offset", 0x10, 0),
		.ramht_offset = place(c, "off_ramht", 0x10, NVFIFO_CHAN_RAMHT),
		.ramht_bits = (unsigned int)opt(c, "ramht_bits", DEC, NVFIFO_RAMHT_BITS_MAX, 12),
		.ib_address = need(c, "ib_offset", HEX, NVFIFO_VA_MASK),
		.sli_mask = 0xfff,
	};
	__u32 w[NVFIFO_RAMFC_WORDS], bound;
	char text[512];
	size_t used, i;

	if (!c->err && r.ramht_bits < NVFIFO_RAMHT_BITS_MIN)
		c->err = nvfifo_error(-EINVAL, "ramht_bits must be 9 to 12");
	if (!c->err && (bytes < 8 || bytes & (bytes - 1)))
		c->err = nvfifo_error(-EINVAL, "ib_bytes must be a power of two, and 8 or more, not %x",
				      bytes);
	if (c->err)
		return;

	c->vectors = true;
	while ((16u << r.ib_order) <= bytes)
		r.ib_order++;
	nvfifo_ramfc_encode(&r, w);
	w[NVFIFO_RAMFC_CACHE_INST / 4] = g84 ? (__u32)((inst + off_cache) >> 10) : 0;
	used = (size_t)snprintf(text, sizeof(text), "{");
	for (i = 0; i < sizeof(plan) - (g84 ? 0 : 2); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s\"%x\":\"%08x\"",
					 i ? "," : "", plan[i], w[plan[i] / 4]);

	snprintf(text + used, sizeof(text) - used, "}");
	if (!field_text(c, "ret"))
		set(c, "ret", NUM, "0");
	set_long(c, "ramfc", NVFIFO_VALUE_JSON, text);
	bound = (__u32)(g84 ? (inst + off_ramfc) >> 8 : inst >> 12);
	snprintf(text, sizeof(text),
		 "[\"W %06x %08x\",\"R %06x %08x\",\"W %06x %08x\",\"R %06x %08x\",\"W %06x %08x\",\"W %06x %08x\"]",
		 0x2600 + chid * 4, bound, 0x2600 + chid * 4, bound, 0x2600 + chid * 4,
		 bound | 1u << 31, 0x2600 + chid * 4, bound | 1u << 31, 0x2600 + chid * 4, bound,
		 0x2600 + chid * 4, 0);
	set_long(c, "bind_start_stop_unbind", NVFIFO_VALUE_JSON, text);
}

void nvfifo_calc_ramfc(struct calc *c)
{
	if (has(c, "ramfc") && !has(c, "inst") && !has(c, "ib_offset"))
		ramfc_decode(c);
	else
		ramfc_encode(c);
}

/* --- PFIFO's state ------------------------------------------------------- */

static void state_decode(struct calc *c, __u32 v)
{
	struct nvfifo_dma_state s = nvfifo_dma_state_decode(v);
	const struct nvfifo_name *e = nvfifo_name_find(nvfifo_pusher_errors, s.error);
	const char *name = nvfifo_method_name(0, s.method);

	means(c, "%s", e->means);
	set(c, "error", STR, "%s", e->name);
	set(c, "subchannel", NUM, "%u", s.subc);
	if (!name && s.error == NVFIFO_PUSHER_INVALID_MTHD)
		name = "of the refused data word";
	means(c, "%s", name ? name : "of the next data word");
	set(c, "method", STR, "%04x", s.method);
	set_flag(c, "non_incr", s.nonincr, "the method does not increase");
	set_flag(c, "bit1", v >> 1 & 1, "bit 8 of the IB entry");
	set_flag(c, "long_ni_len_pending", s.long_pending, "the next word is a count");
	set_flag(c, "subroutine_active", s.subroutine, "inside of a subroutine");
	set_flag(c, "non_main", s.not_main, "the segment is not the main buffer");
	if (v & 0x1ff80000) {
		means(c, "bits that no source knows");
		set(c, "unknown", STR, "%08x", v & 0x1ff80000);
	}

	/* After a command of increasing methods the one before is known. */
	if (s.error != NVFIFO_PUSHER_INVALID_MTHD && s.method && !s.nonincr)
		set(c, "last_method_done", STR, "%04x", s.method - 4u);
	else
		set(c, "last_method_done", STR, "%s", "");
	if (s.error == NVFIFO_PUSHER_INVALID_MTHD)
		set(c, "offending_method", STR, "%04x", s.method);
	else
		set(c, "offending_method", STR, "%s", "");
}

static void dma_pusher_vector(struct calc *c)
{
	__u32 get = (__u32)need(c, "r3244", HEX, ~0u), get_high = (__u32)opt(c, "r3328", HEX, ~0u, 0);
	__u32 put = (__u32)need(c, "r3240", HEX, ~0u), put_high = (__u32)opt(c, "r3320", HEX, ~0u, 0);
	__u32 ib_get = (__u32)need(c, "r3334", HEX, ~0u), ib_put = (__u32)need(c, "r3330", HEX, ~0u);
	__u32 state = (__u32)need(c, "r3228", HEX, ~0u), push = (__u32)opt(c, "r3220", HEX, ~0u, 0);
	static const char *const names[] = { "NONE", "CALL_SUBR_ACTIVE", "INVALID_MTHD",
					     "RET_SUBR_INACTIVE", "INVALID_CMD", "IB_EMPTY",
					     "MEM_FAULT", "UNK" };
	const char *old = field_text(c, "line"), *ch = old ? strstr(old, " ch ") : NULL;
	int chid = ch ? (int)nvfifo_text_value(ch + 4, 10) : 0;
	char text[400];

	if (c->err)
		return;

	/* The vectors number their channels in the line only. */
	chid = (int)opt(c, "chid", DEC, 127, (__u64)(chid >= 0 ? chid : 0));
	snprintf(text, sizeof(text),
		 "DMA_PUSHER - ch %d [unknown] get %02x%08x put %02x%08x ib_get %08x ib_put %08x state %08x (err: %s) push %08x",
		 chid, get_high, get, put_high, put, ib_get, ib_put, state, names[state >> 29], push);
	set_long(c, "line", STR, text);
	if (get != put || get_high != put_high)
		snprintf(text, sizeof(text),
			 "[\"W 003364 00000000\",\"W 003244 %08x\",\"W 003328 %08x\",\"W 003228 00000000\",\"W 003220 00000001\",\"W 002100 00001000\"]",
			 put, put_high);
	else if (ib_get != ib_put)
		snprintf(text, sizeof(text),
			 "[\"W 003364 00000000\",\"W 003334 %08x\",\"W 003228 00000000\",\"W 003220 00000001\",\"W 002100 00001000\"]",
			 ib_put);
	else
		snprintf(text, sizeof(text),
			 "[\"W 003364 00000000\",\"W 003228 00000000\",\"W 003220 00000001\",\"W 002100 00001000\"]");
	set_long(c, "mmio", NVFIFO_VALUE_JSON, text);
	if (details(c))
		state_decode(c, state);
}

void nvfifo_calc_dma_state(struct calc *c)
{
	struct nvfifo_dma_state s = { 0 };
	const struct nvfifo_name *n;
	const char *error;
	__u32 v;

	if (has(c, "r3228")) {
		c->vectors = true;
		dma_pusher_vector(c);
		return;
	}

	if (has_one_of(c, "method error subchannel non_incr long_ni_len_pending subroutine_active "
			  "non_main")) {
		error = field_text(c, "error");
		s.method = (__u16)aligned(c, "method", 4, opt(c, "method", HEX, 0x1ffc, 0));
		s.subc = (__u8)opt(c, "subchannel", DEC, 7, 0);
		s.nonincr = flag(c, "non_incr", false);
		s.long_pending = flag(c, "long_ni_len_pending", false);
		s.subroutine = flag(c, "subroutine_active", false);
		s.not_main = flag(c, "non_main", false);
		for (n = nvfifo_pusher_errors; error && *error && n->name; n++) {
			if (!strcasecmp(n->name, error))
				break;
		}
		if (error && *error && n->name)
			s.error = (__u8)n->value;
		else
			s.error = (__u8)opt(c, "error", DEC, 7, 0);
		v = nvfifo_dma_state_encode(&s);
	} else {
		v = (__u32)need(c, "dma_state", HEX, 0xffffffff);
	}

	if (c->err)
		return;

	set(c, "dma_state", STR, "%08x", v);
	state_decode(c, v);
}

static void pull0_decode(struct calc *c, __u32 v)
{
	const struct nvfifo_name *n;
	unsigned int i;
	char names[160];

	nvfifo_bits_text(nvfifo_pull0_bits, v & ~0xf0f00000u, "UNK", " ", names, sizeof(names));
	set(c, "bits", STR, "%s", names);

	for (i = 0; i < 32; i++) {
		n = nvfifo_name_find(nvfifo_pull0_bits, 1u << i);
		if (n && v >> i & 1) {
			means(c, "%s", n->means);
			set(c, n->name, NUM, "1");
		}
	}

	n = nvfifo_name_find(nvfifo_semaphore_errors, v >> 20 & 0xf);
	means(c, "%s", n ? n->means : "an unknown error");
	set(c, "semaphore_error", STR, "%s", n ? n->name : "UNKNOWN");
	if (v >> 28) {
		means(c, "a status that no source knows");
		set(c, "status", NUM, "%u", v >> 28);
	}
}

void nvfifo_calc_pull0(struct calc *c)
{
	__u32 pull0 = (__u32)need(c, "pull0", HEX, 0xffffffff), get, mthd, data, i, next;
	char text[640];

	if (!has(c, "mthd")) {
		if (c->err)
			return;
		pull0_decode(c, pull0);
		return;
	}

	c->vectors = true;
	get = (__u32)opt(c, "get", HEX, 0xffffffff, 0);
	mthd = (__u32)need(c, "mthd", HEX, 0xffffffff);
	data = (__u32)opt(c, "data", HEX, 0xffffffff, 0);
	if (c->err)
		return;

	snprintf(text, sizeof(text), "CACHE_ERROR - ch %u [unknown] subc %u mthd %04x data %08x",
		 (unsigned int)opt(c, "chid", DEC, 127, 0), mthd >> 13 & 7, mthd & 0x1ffc, data);
	set_long(c, "line", STR, text);
	i = (get & 0x7ff) >> 2;
	next = get + 4;

	/* A software method that is not handled leaves the same registers except ENGINE. */
	if (!(pull0 & 0x100)) {
		snprintf(text, sizeof(text),
			 "[\"R 003250 %08x\",\"R %06x %08x\",\"R %06x %08x\",\"W 003220 00000000\",\"W 002100 00000001\",\"R 003200 00000001\",\"W 003200 00000000\",\"W 003270 %08x\",\"R 003200 00000000\",\"W 003200 00000001\",\"W 003258 00000000\",\"R 003220 00000000\",\"W 003220 00000001\",\"W 003250 00000001\"]",
			 pull0, 0x90000 + i * 8, mthd, 0x90004 + i * 8, data, next);
		set_long(c, "mmio", NVFIFO_VALUE_JSON, text);
	}

	if (details(c)) {
		set(c, "subchannel", NUM, "%u", mthd >> 13 & 7);
		set(c, "method", STR, "%04x", mthd & 0x1ffc);
		pull0_decode(c, pull0);
	}
}

/* The units of a VSTATUS word by their states: "busy0" */
static void vstatus_decode(struct calc *c, unsigned int reg, __u32 v)
{
	const struct nvfifo_name *state;
	char names[400], field[24];

	for (state = nvfifo_unit_states + 1; state->name; state++) {
		nvfifo_vstatus_text(reg, v, state->value, names, sizeof(names));
		snprintf(field, sizeof(field), "%s%u", state->name, reg);
		if (*names || state->value == 1)
			set_long(c, field, STR, names);
	}
}

/* One to four words, STATUS and VSTATUS0 to 2, as nouveau prints them */
static void pgraph_decode(struct calc *c)
{
	static const char *const vstatus[] = { "r400380", "r400384", "r400388" };
	char names[400];
	unsigned int i;
	__u32 v;

	if (has(c, "r400700")) {
		v = (__u32)need(c, "r400700", HEX, 0xffffffff);
		nvfifo_bits_text(nvfifo_pgraph_status_bits, v, NULL, " ", names, sizeof(names));
		if (!c->err)
			set_long(c, "text", STR, names);
	}

	for (i = 0; i < 3 && !c->err; i++) {
		if (!has(c, vstatus[i]))
			continue;

		v = (__u32)need(c, vstatus[i], HEX, 0xffffffff);
		if (!c->err)
			vstatus_decode(c, i, v);
	}
}

void nvfifo_calc_pgraph(struct calc *c)
{
	char names[400], text[480];
	__u32 v;

	if (has_one_of(c, "r400700 r400380 r400384 r400388")) {
		pgraph_decode(c);
		return;
	}

	v = (__u32)need(c, "value", HEX, 0xffffffff);
	nvfifo_vstatus_text((unsigned int)need(c, "vstatus", DEC, 2), v, 1, names, sizeof(names));
	snprintf(text, sizeof(text), "PGRAPH_VSTATUS%u: %08x [%s]",
		 (unsigned int)opt(c, "vstatus", DEC, 2, 0), v, names);
	if (!c->err)
		set_long(c, "text", STR, text);
}

#define NO_ENGINE (~0u)

/* The MMU's number of an engine that nouveau names, or NO_ENGINE. */
static unsigned int tlb_engine(const char *name)
{
	static const struct {
		const char *names;
		unsigned int id;
	} engines[] = {
		{ "gr|pgraph", 0 },	    { "vp|mspdec|pvp|ppdec", 1 },
		{ "peephole", 4 },	    { "fifo|pfifo", 5 },
		{ "bar", 6 },		    { "pme|pvcomp", 7 },
		{ "mpeg|msppp|pmpeg|pppp", 8 }, { "bsp|msvld|pbsp|pvld", 9 },
		{ "cipher|sec|pcipher|psec", 0xa }, { "pcounter", 0xb },
		{ "semaphore_bg", 0xc },    { "ce|ce0|pcopy", 0xd },
		{ "pdaemon|pmu", 0xe },
	};
	size_t i;

	for (i = 0; name && i < sizeof(engines) / sizeof(engines[0]); i++) {
		if (is_one_of(engines[i].names, name))
			return engines[i].id;
	}

	return NO_ENGINE;
}

/* nouveau's accesses for one flush. Only G84 pauses PGRAPH for a flush of PGRAPH's TLB. */
static void tlb_accesses(struct calc *c, unsigned int id, const char *engine, const char *gen)
{
	bool stuck = opt(c, "hw_stuck", DEC, 1, 0), pause = id == 0 && is_one_of("g84", gen);
	__u32 v = nvfifo_tlb_flush_value(id);
	char text[400], reads[120];

	if (stuck)
		snprintf(reads, sizeof(reads),
			 "\"R 100c80 %08x\",\"R 100c80 %08x\",\"R 100c80 %08x\",\"R 100c80 %08x\"", v,
			 v, v, v);
	else
		snprintf(reads, sizeof(reads), "\"R 100c80 %08x\"", v & ~1u);

	if (pause)
		snprintf(text, sizeof(text),
			 "[\"R 400500 00010001\",\"W 400500 00010000\",\"R 400380 00000000\",\"R 400384 00000000\",\"R 400388 00000000\",\"W 100c80 %08x\",%s,\"R 400500 00010000\",\"W 400500 00010001\"]",
			 v, reads);
	else
		snprintf(text, sizeof(text), "[\"W 100c80 %08x\",%s]", v, reads);

	if (stuck && !pause)
		set(c, "log", STR, "%s mmu invalidate timeout|", engine);
	else
		set(c, "log", STR, "%s", "");
	set_long(c, "mmio", NVFIFO_VALUE_JSON, text);
}

/* The engine's names on the chips, "PVP1, PVP2, PPDEC", for @size bytes */
static void tlb_engine_names(unsigned int id, char *text, size_t size)
{
	static const __u32 chips[] = { 0x50, 0x84, 0x98, 0xa3, 0xaf };
	const char *name;
	size_t i, used = 0;

	text[0] = '\0';

	for (i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
		name = nvfifo_fault_engine(chips[i], id);
		if (*name && !strstr(text, name) && used < size)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
	}

	if (!used)
		snprintf(text, size, "no such engine");
}

/* A word that was written to TLB_FLUSH, or read from it */
static void tlb_decode(struct calc *c)
{
	__u32 v = (__u32)need(c, "value", HEX, 0xffffffff), id = v >> 16 & 0xf;
	char names[80];

	if (c->err)
		return;

	tlb_engine_names(id, names, sizeof(names));
	means(c, "%s", names);
	set(c, "engine", STR, "%x", id);
	means(c, v & 1 ? "starts the flush when written; read, it is not done yet" : "read, the flush is done");
	set(c, "trigger", NUM, "%u", v & 1);
	if (v & ~0xf0001u) {
		means(c, "bits that no source knows");
		set(c, "unknown", STR, "%08x", v & ~0xf0001u);
	}
}

/* nouveau's flush of an engine's TLB, or the value that flushes it. */
void nvfifo_calc_tlb(struct calc *c)
{
	const char *engine = field_text(c, "engine"), *gen = field_text(c, "gen");
	unsigned int id = tlb_engine(engine);
	char names[80];

	if (!engine && !gen && has(c, "value")) {
		tlb_decode(c);
		return;
	}

	c->vectors = gen;
	if (c->vectors && id != NO_ENGINE) {
		tlb_accesses(c, id, engine, gen);
		return;
	}

	/* Check the stuck bit even if the result does not depend on it. */
	opt(c, "hw_stuck", DEC, 1, 0);
	if (c->vectors) {
		/* nouveau names engines that the MMU does not know: nothing to flush. */
		set(c, "log", STR, "%s", "");
		set_long(c, "mmio", NVFIFO_VALUE_JSON, "[]");
		return;
	}

	if (id == NO_ENGINE && !c->err)
		id = (unsigned int)need(c, "engine", HEX, 0xf);
	if (c->err)
		return;

	tlb_engine_names(id, names, sizeof(names));
	means(c, "%s", names);
	set_text(c, "engine", STR, engine ? engine : "");
	means(c, "to TLB_FLUSH, 100c80; bit 0 reads 1 until it is done");
	set(c, "value", STR, "%08x", nvfifo_tlb_flush_value(id));
}
