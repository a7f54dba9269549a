// SPDX-License-Identifier: MIT
/* The calculator: DMA objects, engine contexts and RAMHT. */
#include "nvfifo_calc_table.h"
#include "nvfifo_text.h"

/* --- DMA objects --------------------------------------------------------- */

static const char *const dma_word_names[] = { "w0", "w1", "w2", "w3", "w4", "w5" };

void nvfifo_calc_set_class(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v)
{
	const char *name = nvfifo_class_name((__u32)v);

	(void)words;
	means(c, "%s; the MMU ignores it", name ? name : "no DMA object class");
	set(c, row->name, STR, "%02" PRIx64, (uint64_t)v);
}

void nvfifo_calc_set_limit(struct calc *c, const struct calc_row *row, const __u64 *words, __u64 v)
{
	const __u64 start = (words[3] & 0xff) << 32 | words[2];

	means(c, "last address, inclusive; %" PRIu64 " bytes", (uint64_t)(v >= start ? v - start + 1 : 0));
	set(c, row->name, STR, "%010" PRIx64, (uint64_t)v);
}

static void dmaobj_decode(struct calc *c, const __u32 *w)
{
	struct nvfifo_dmaobj o = nvfifo_dmaobj_decode(w);
	__u64 words[CALC_WORDS] = { 0 };
	size_t i;

	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
		words[i] = w[i];

	nvfifo_calc_decode(c, (const struct calc_table *)nvfifo_calc_find("dmaobj"), words);
	if (o.target && (!o.access || !o.user || o.kind == NVFIFO_DMAOBJ_KIND_VM || o.comp == NVFIFO_DMAOBJ_COMP_VM))
		note(c, "the object is not paged, so no PTE decides access, priv, kind or comp");
}

/* Return: the first field that is out of range, in words, or NULL. */
static const char *dmaobj_error(const struct nvfifo_dmaobj *o)
{
	if (o->start > o->limit)
		return "limit is below start";
	if (o->user > 2)
		return "priv must be 0 to 2";
	if (o->cycle > 2)
		return "part must be 0 to 2";
	if (o->comp > 3)
		return "comp must be 0 to 3";
	if (o->kind > 0x7f)
		return "kind must be 0 to 7f";

	return NULL;
}

/* The fields of a DMA object. @plain leaves nouveau's defaults, whatever the row says. */
static void dmaobj_fields(struct calc *c, bool plain, struct nvfifo_dmaobj *o)
{
	o->oclass = (__u16)opt(c, "oclass", HEX, 0xffff, NVFIFO_CLASS_DMA_RW);
	o->target = (__u8)pick(c, "target", dma_targets, 4, 0);
	o->access = (__u8)pick(c, "access", dma_access, 3, o->target ? NVFIFO_DMAOBJ_ACCESS_RW : 0);
	o->start = need(c, "start", HEX, NVFIFO_VA_MASK);
	o->limit = need(c, "limit", HEX, NVFIFO_VA_MASK);

	/* nouveau's defaults */
	if (o->target == NVFIFO_DMAOBJ_VM) {
		o->user = NVFIFO_DMAOBJ_USER_VM;
		o->kind = NVFIFO_DMAOBJ_KIND_VM;
		o->comp = NVFIFO_DMAOBJ_COMP_VM;
	} else {
		o->user = NVFIFO_DMAOBJ_USER_BOTH;
		o->cycle = 1;
	}

	if (!plain) {
		o->user = (__u8)opt(c, "priv", DEC, 0xff, o->user);
		o->cycle = (__u8)opt(c, "part", DEC, 0xff, o->cycle);
		o->comp = (__u8)opt(c, "comp", DEC, 0xff, o->comp);
		o->kind = (__u8)opt(c, "kind", HEX, 0xff, o->kind);
	}

	o->supervisor = flag(c, "supervisor", false);
	o->encrypted = (__u8)opt(c, "encrypted", DEC, 3, 0);
	o->tag_start = (__u16)opt(c, "tag_start", HEX, 0xfff, 0);
	o->tag_limit = (__u16)opt(c, "tag_limit", HEX, 0xfff, 0);
	o->comp_start = (__u16)opt(c, "comp_start", HEX, 0xffff, 0);
}

/* The answer for an object that nouveau refuses: in test vectors, a line without words. */
static void dmaobj_refuse(struct calc *c, const char *why)
{
	unsigned int i;

	if (!c->vectors) {
		c->err = nvfifo_error(-EINVAL, "%s", why);
		return;
	}

	set(c, "ret", NUM, "%d", -EINVAL);
	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
		set(c, dma_word_names[i], STR, "%s", "");
}

static void dmaobj_encode(struct calc *c, const struct nvfifo_dmaobj *o)
{
	__u32 w[NVFIFO_DMAOBJ_WORDS];
	unsigned int i;

	nvfifo_dmaobj_encode(o, w);
	if (c->vectors)
		set(c, "ret", NUM, "0");
	for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
		set(c, dma_word_names[i], STR, "%08x", w[i]);
	if (!c->vectors)
		dmaobj_decode(c, w);
}

void nvfifo_calc_dmaobj(struct calc *c)
{
	__u32 w[NVFIFO_DMAOBJ_WORDS] = { 0 };
	struct nvfifo_dmaobj o = { 0 };
	const char *why;
	unsigned int i;
	bool plain;

	if (!has_one_of(c, "oclass target start limit access priv part comp kind supervisor encrypted "
			   "tag_start tag_limit comp_start")) {
		for (i = 0; i < NVFIFO_DMAOBJ_WORDS; i++)
			w[i] = (__u32)need(c, dma_word_names[i], HEX, 0xffffffff);
		if (!c->err)
			dmaobj_decode(c, w);
		return;
	}

	c->vectors = field_text(c, "explicit");
	plain = c->vectors && !opt(c, "explicit", DEC, 1, 0);
	dmaobj_fields(c, plain, &o);
	if (c->err)
		return;

	why = dmaobj_error(&o);
	if (why)
		dmaobj_refuse(c, why);
	else
		dmaobj_encode(c, &o);
}

/* The offset of the engine's context object in the channel structure */
static __u32 ectx_offset(struct calc *c, bool g84, const char *engine)
{
	static const struct {
		const char *g80;	/* the names on the G80 */
		const char *g84;	/* and on later chips */
		unsigned int vm_engine;
	} engines[] = {
		{ "gr|pgraph", "gr|pgraph", NVFIFO_VM_PGRAPH },
		{ "vp|pvp", "vp|mspdec|pvp|ppdec", NVFIFO_VM_PVP },
		{ "me|pme", "vcomp|pvcomp", NVFIFO_VM_PME },
		{ "mpeg|pmpeg", "mpeg|msppp|pmpeg|pppp", NVFIFO_VM_PMPEG },
		{ "", "bsp|msvld|pbsp|pvld", NVFIFO_VM_PBSP },
		{ "", "cipher|sec|pcipher|psec", NVFIFO_VM_PCIPHER },
		{ "", "ce|ce0|pcopy", NVFIFO_VM_PCOPY },
	};
	const char *why = "no engine has the name '%.20s' on the %s";
	size_t i;

	for (i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		if (is_one_of(g84 ? engines[i].g84 : engines[i].g80, engine))
			return nvfifo_engine_ctx(g84, engines[i].vm_engine);
		if (is_one_of(engines[i].g80, engine) || is_one_of(engines[i].g84, engine))
			why = "engine '%.20s' has no context object on the %s";
	}

	if (!c->err)
		c->err = nvfifo_error(-EINVAL, why, engine, g84 ? "G84 and later" : "G80");

	return 0;
}

/* nouveau's nv50/g84_ectx_bind(): the DMA object of an engine's context image. */
/* Words of the object as they lie in memory: four or six, in any form that words() takes */
static void ectx_decode(struct calc *c)
{
	__u32 w[NVFIFO_DMAOBJ_WORDS] = { 0 };
	const char *s = field_text(c, "words"), *end;
	unsigned int i, n = 0;
	char text[160];
	__u64 v;

	for (i = 0; s && *s; i++) {
		s += strspn(s, " ,[]\"");
		if (!*s)
			break;
		if (n == NVFIFO_DMAOBJ_WORDS) {
			n++;
			break;
		}
		end = nvfifo_text_read(s, 16, &v);
		w[n++] = (__u32)v;
		if (!end || (*end && !strchr(" ,]\"", *end))) {
			n = 0;
			break;
		}
		s = end;
	}

	if ((n != 4 && n != NVFIFO_DMAOBJ_WORDS) && !c->err) {
		c->err = nvfifo_error(-EINVAL, "words must have four or six hexadecimal words, with ',' or blanks between them");
		return;
	}

	snprintf(text, sizeof(text), "%08x %08x %08x %08x %08x %08x", w[0], w[1], w[2], w[3], w[4], w[5]);
	set_text(c, "words", STR, s && n ? field_text(c, "words") : text);
	means(c, "of the DMA object: its class, target and access");
	set(c, "flags", STR, "%08x", w[0]);
	dmaobj_decode(c, w);
}

void nvfifo_calc_ectx(struct calc *c)
{
	static const char *const gens[] = { "nv50|g80", "g84" };
	bool g84 = pick(c, "gen", gens, 2, 1);
	const char *engine = field_text(c, "engine");
	__u32 w[NVFIFO_DMAOBJ_WORDS], offset;
	struct nvfifo_dmaobj o;
	__u64 addr, size;
	char text[160];

	if (!has_one_of(c, "engine ctx_addr ctx_size gen") && has(c, "words")) {
		ectx_decode(c);
		return;
	}

	addr = need(c, "ctx_addr", HEX, NVFIFO_VA_MASK);
	size = need(c, "ctx_size", HEX, NVFIFO_VA_MASK);
	if (!engine && !c->err) {
		c->missing = true;
		c->err = nvfifo_error(-EINVAL, "engine is missing");
	}

	if (c->err)
		return;

	offset = ectx_offset(c, g84, engine);
	if (!c->err && (!size || size - 1 > NVFIFO_VA_MASK - addr))
		c->err = nvfifo_error(-EINVAL, "ctx_size must be 1 to %" PRIx64 " at this address",
				      (uint64_t)(NVFIFO_VA_MASK - addr + 1));
	if (c->err)
		return;

	c->vectors = true;
	if (!opt(c, "bind", DEC, 1, 1)) {
		set_long(c, "words", NVFIFO_VALUE_JSON, "{}");
		return;
	}

	o = nvfifo_dmaobj_engine(addr, size);
	nvfifo_dmaobj_encode(&o, w);
	snprintf(text, sizeof(text), "{\"%x\":\"%08x\",\"%x\":\"%08x\",\"%x\":\"%08x\",\"%x\":\"%08x\"}",
		 offset, w[0], offset + 4, w[1], offset + 8, w[2], offset + 12, w[3]);
	set_long(c, "words", NVFIFO_VALUE_JSON, text);
}

/* --- RAMHT --------------------------------------------------------------- */

#define RAMHT_MAX (1u << NVFIFO_RAMHT_BITS_MAX)

/* The table that a script of insertions fills. */
struct ramht {
	unsigned int bits;
	__u32 next;	/* offset of the next object's memory */
	__u32 handles[RAMHT_MAX];
	bool used[RAMHT_MAX];
};

/* The slot of the handle, else the first free slot; a full table has neither. */
static __u32 ramht_slot(const struct ramht *t, __u32 handle)
{
	__u32 first = nvfifo_ramht_hash(handle, t->bits), slot = first;

	while (t->used[slot] && t->handles[slot] != handle) {
		slot = (slot + 1) & ((1u << t->bits) - 1);
		if (slot == first)
			break;
	}

	return slot;
}

/* One insertion of the script, whose result goes into its row. */
static void ramht_insert_one(struct ramht *t, struct calc *o)
{
	__u32 handle = (__u32)need(o, "handle", HEX, 0xffffffff);
	unsigned int engine = (unsigned int)opt(o, "engine", DEC, 15, 0);
	__u32 bytes = (__u32)opt(o, "bytes", DEC, 0xfffff, 0);
	__u32 slot = ramht_slot(t, handle), offset;

	if (t->used[slot]) {
		set(o, "ret", NUM, "%d", t->handles[slot] == handle ? -EEXIST : -ENOSPC);
		return;
	}

	/* An object without memory gets a context that is not 0. */
	offset = bytes ? t->next : 0x40;
	t->next += (bytes + 15) & ~15u;
	t->used[slot] = true;
	t->handles[slot] = handle;

	set(o, "ret", NUM, "%u", slot + 1);
	set(o, "slot", NUM, "%u", slot);
	set(o, "w0", STR, "%08x", handle);
	set(o, "w1", STR, "%08x", nvfifo_ramht_context(engine, offset));
}

/* The script's array with the results. */
static void ramht_script(struct calc *c, struct ramht *t, const char *ops, FILE *f)
{
	struct nvfifo_row op = { 0 };
	bool more = false;
	char item[512];
	size_t at;

	fputc('[', f);

	while (!c->err && nvfifo_json_next(&ops, item, sizeof(item))) {
		struct calc o = { .r = &op, .note = c->note };

		if (nvfifo_row_from_json(&op, item, strlen(item), &at))
			o.err = nvfifo_error(-EINVAL, "ops is an array of objects");
		ramht_insert_one(t, &o);

		if (more)
			fputc(',', f);
		more = true;
		nvfifo_row_write_json(f, &op, false);
		nvfifo_row_free(&op);
		c->err = o.err;
	}

	fputc(']', f);
}

/* nouveau's nvkm_ramht_insert(), a script of insertions into an empty table. */
static void ramht_insert(struct calc *c)
{
	unsigned int bits = (unsigned int)need(c, "bits", DEC, NVFIFO_RAMHT_BITS_MAX);
	__u32 table = (__u32)need(c, "ramht_offset", DEC, 0xfffff);
	const char *ops = field_text(c, "ops");
	struct ramht *t;
	char *out = NULL;
	size_t size = 0;
	FILE *f;

	if (!c->err && bits < NVFIFO_RAMHT_BITS_MIN)
		c->err = nvfifo_error(-EINVAL, "bits must be 9 to 12");
	if (c->err)
		return;

	t = calloc(1, sizeof(*t));
	f = open_memstream(&out, &size);
	if (f && t) {
		t->bits = bits;
		t->next = table + (8u << bits);
		ramht_script(c, t, ops, f);
	} else {
		c->err = nvfifo_error(-ENOMEM, "out of memory");
	}

	/* The text is complete only after the file is closed. */
	if (f)
		fclose(f);
	if (f && t)
		set_long(c, "ops", NVFIFO_VALUE_JSON, out);
	free(t);
	free(out);
}

void nvfifo_calc_ramht(struct calc *c)
{
	bool hash = has(c, "handle"), context = has(c, "engine") || has(c, "offset");
	__u64 words[CALC_WORDS];

	if (has(c, "ops")) {
		c->vectors = true;
		ramht_insert(c);
		return;
	}

	if (hash) {
		unsigned int bits = (unsigned int)opt(c, "bits", DEC, 31, 12);
		__u32 chid = (__u32)opt(c, "chid", DEC, 127, 0);
		__u32 handle = (__u32)need(c, "handle", HEX, 0xffffffff);

		if (!c->err && bits < 5)
			c->err = nvfifo_error(-EINVAL, "bits must be 5 to 31; the card's tables have 9 to 12");
		if (c->err)
			return;

		c->vectors = field_text(c, "chid") && !context;
		means(c, "slot at which the search starts");
		set(c, "index", STR, "%x", nvfifo_ramht_hash(handle, bits) ^ chid << (bits - 4));
		if (bits < NVFIFO_RAMHT_BITS_MIN || bits > NVFIFO_RAMHT_BITS_MAX)
			note(c, "the card has no table of that size: bits is 9 to 12");
		if (chid)
			note(c, "on this family each channel has its own RAMHT, and the channel id is not part of the hash");
	}

	if (hash && !context && !has(c, "context"))
		return;

	if (!nvfifo_calc_words(c, words))
		return;

	if (c->encoded)
		nvfifo_calc_set_words(c, words);
	nvfifo_calc_decode(c, c->table, words);
}
