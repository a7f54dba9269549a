// SPDX-License-Identifier: MIT
/* nvfifo calc --as-nouveau: the results that the nouveau driver has instead. */
#include <inttypes.h>
#include <string.h>

#include "calc_nouveau.h"
#include "nvfifo.h"
#include "nvfifo_names.h"
#include "nvfifo_text.h"

static bool is_set(const struct nvfifo_row *r, const char *name)
{
	const char *s = nvfifo_row_get(r, name);

	return s && *s;
}

static __u64 hex_field(const struct nvfifo_row *r, const char *name)
{
	return nvfifo_text_value(nvfifo_row_get(r, name), 16);
}

static void replace(struct nvfifo_row *r, const char *name, const char *text)
{
	/* Without memory the field keeps the hardware's value. */
	(void)nvfifo_row_set(r, name, NVFIFO_VALUE_STRING, text, NULL);
}

/* --- Page tables --------------------------------------------------------- */

static const char *pte_as_nouveau(struct nvfifo_row *r)
{
	__u64 cells = hex_field(r, "offset") >> 16;
	struct nvfifo_pte p;
	char text[24];

	if (!is_set(r, "page_shift") || !is_set(r, "type") || is_set(r, "ptei"))
		return "";

	p = nvfifo_pte_decode(hex_field(r, "type"));
	if (p.comp < 2 || !cells)
		return "";

	p.tag = (__u16)(hex_field(r, "tag_base") + cells);
	snprintf(text, sizeof(text), "%016" PRIx64, (uint64_t)nvfifo_pte_encode(&p));
	replace(r, "type", text);

	return "nouveau starts a mapping inside of a buffer at the tag first + (offset >> 16), "
	       "without the cells per page";
}

static const char *pde_as_nouveau(struct nvfifo_row *r)
{
	const char *shift = nvfifo_row_get(r, "page_shift");

	if (!shift || strcmp(shift, "none"))
		return "";

	replace(r, "pde", "deadcafe00000000");
	return "nouveau marks an empty PDE in bits that the card ignores";
}

/* --- Engine contexts ----------------------------------------------------- */

static const char *ectx_as_nouveau(struct nvfifo_row *r)
{
	__u64 start = hex_field(r, "ctx_addr");
	__u64 limit = start + hex_field(r, "ctx_size") - 1;
	const char *words = nvfifo_row_get(r, "words");
	char text[200], *last;

	if (!start || !words || strlen(words) >= sizeof(text))
		return "";

	strcpy(text, words);
	last = strrchr(text, ':');
	if (!last || strlen(last) < 10)
		return "";

	snprintf(last, sizeof(text) - (size_t)(last - text), ":\"%08x\"}",
		 (__u32)(limit >> 32) << 24 | (__u32)start);
	replace(r, "words", text);

	return "nouveau writes the low half of the start into word 3, a slip";
}

/* --- TLBs ---------------------------------------------------------------- */

static bool nouveau_flushes(const char *engine)
{
	static const char *const names[] = {
		"gr", "pgraph", "vp", "mspdec", "pvp", "ppdec", "bar", "mpeg", "msppp", "pmpeg",
		"pppp", "bsp", "msvld", "pbsp", "pvld", "cipher", "sec", "pcipher", "psec", "ce",
		"ce0", "pcopy",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], engine))
			return true;
	}

	return false;
}

static const char *tlb_as_nouveau(struct nvfifo_row *r)
{
	const char *engine = nvfifo_row_get(r, "engine");

	if (!is_set(r, "gen") || !engine || nouveau_flushes(engine))
		return "";

	replace(r, "log", "");
	replace(r, "mmio", "[]");
	if (!strcmp(engine, "fifo") || !strcmp(engine, "pfifo"))
		return "nouveau does not flush PFIFO's TLB, engine 5; nvfifo does";

	return "";
}

/* --- Faults -------------------------------------------------------------- */

/* nouveau's names where they differ from rnndb's. It has none for some clients. */
static const char *engine_name(unsigned int engine)
{
	switch (engine) {
	case 1:
		return "PVP";
	case 7:
		return "";
	case 8:
		return "PMSPPP";
	case 0xa:
		return "PCRYPT";
	case 0xd:
		return "PCE0";
	case 0xe:
		return "PMU";
	}

	return nvfifo_fault_engine(0, engine);
}

static const char *client_name(unsigned int client)
{
	switch (client) {
	case 0x06:
		return "PMSPPP";
	case 0x0c:
		return "PVP";
	case 0x0e:
		return "PCRYPT";
	case 0x13:
	case 0x14:
		return "";
	}

	return nvfifo_fault_client(0, client);
}

static const char *slot_name(unsigned int engine, unsigned int client, unsigned int slot)
{
	static const char *const bar[] = { "FB", "IN" };

	if (client == 3 || client == 5 || client == 0xb)
		return nvfifo_fault_slot(0, 0, client, slot);
	if (engine == 5)
		return nvfifo_fault_slot(0, 5, 4, slot);
	if (engine == 6 && slot < 2)
		return bar[slot];

	return "";
}

static const char *reason_name(unsigned int reason)
{
	const struct nvfifo_name *n = nvfifo_name_find(nvfifo_fault_reasons, reason);

	if (reason == 3)
		return "PAGE_SYSTEM_ONLY";
	if (!n || reason == 5)
		return "";

	return n->name;
}

static bool read_trap(const struct nvfifo_row *r, __u32 w[NVFIFO_FAULT_WORDS])
{
	const char *p = nvfifo_row_get(r, "trap");
	char item[24];
	unsigned int i;
	__u64 word;

	for (i = 0; p && i < NVFIFO_FAULT_WORDS; i++) {
		if (*p == '[' || i) {
			if (!nvfifo_json_next(&p, item, sizeof(item)))
				break;
			w[i] = (__u32)nvfifo_text_value(item, 16);
		} else {
			/* The words of the command line have blanks between them. */
			for (; p && i < NVFIFO_FAULT_WORDS; i++) {
				p = nvfifo_text_read(p, 16, &word);
				w[i] = (__u32)word;
			}
		}
	}

	return i >= NVFIFO_FAULT_WORDS;
}

static const char *fault_as_nouveau(struct nvfifo_row *r)
{
	__u32 chipset = is_set(r, "chipset") ? (__u32)hex_field(r, "chipset") : 0x84;
	__u32 w[NVFIFO_FAULT_WORDS] = { 0 };
	struct nvfifo_fault f;
	char line[400];

	if (!read_trap(r, w))
		return "";

	f = nvfifo_fault_decode(chipset, w);
	snprintf(line, sizeof(line),
		 "trapped %s at %010" PRIx64 " on channel -1 [%08x unknown] engine %02x [%s] client %02x [%s] subclient %02x [%s] reason %08x [%s]",
		 f.write ? "write" : "read", (uint64_t)f.address, (__u32)f.inst, f.engine,
		 engine_name(f.engine), f.client, client_name(f.client), f.slot,
		 slot_name(f.engine, f.client, f.slot), f.reason, reason_name(f.reason));
	replace(r, "line", line);

	return "";
}

const char *calc_as_nouveau(const struct nvfifo_calc_kind *kind, struct nvfifo_row *r)
{
	static const struct {
		const char *kind;
		const char *(*change)(struct nvfifo_row *r);
	} jobs[] = {
		{ "pte", pte_as_nouveau },   { "pde", pde_as_nouveau },	  { "ectx", ectx_as_nouveau },
		{ "tlb", tlb_as_nouveau },   { "fault", fault_as_nouveau },
	};
	size_t i;

	for (i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		if (!strcmp(jobs[i].kind, kind->name))
			return jobs[i].change(r);
	}

	return "";
}
