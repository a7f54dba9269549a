// SPDX-License-Identifier: MIT
/*
 * A line that has a register and its value only, from a script, a debugger or a person. Examples are
 * "PGRAPH_STATUS 00000503", "0x400700 = 0x503", and "00400700: 00000503" of nvapeek. The whole line
 * has that form, so that no other text is taken for it.
 */
#define _GNU_SOURCE
#include "nvfifo_explain_line.h"
#include "nvfifo_text.h"

/* A number of at least @least digits, or one with "0x". Return: the text after it, or NULL. */
static const char *read_hex(const char *s, size_t least, __u32 *value)
{
	size_t len;

	if (nvfifo_text_is_0x(s)) {
		s += 2;
		least = 1;
	}

	len = nvfifo_text_digits(s, 16);
	if (len < least || len > 8)
		return NULL;

	*value = (__u32)nvfifo_text_value(s, 16);
	return s + len;
}

/* The register of an address with a name. The first 256 bytes may be offsets of other things. */
static bool at_address(const char *text, __u32 chipset, struct nvfifo_reg_ref *ref)
{
	__u32 address;
	const char *end = read_hex(text, 6, &address);

	if (!end || *end || address < 0x100 || address >= NVFIFO_BAR0_BYTES || address % 4)
		return false;

	nvfifo_reg_at(address, chipset, ref);
	return ref->reg;
}

/* Advice for the registers whose fields say something together */
static void register_advice(struct ctx *c, const struct nvfifo_reg *reg, __u32 v)
{
	char units[400];

	if (v == 0xffffffff) {
		advise(c, "All ones: the register or its unit is off, or the card is gone from the bus.");
	} else if (!strcmp(reg->name, "STATUS") && !strcmp(reg->block, "PGRAPH")) {
		nvfifo_bits_text(nvfifo_pgraph_status_bits, v & ~1u, "UNK", " ", units, sizeof(units));
		advise(c, v ? "PGRAPH is busy: %s. CTXPROG means that a context switch waits for the others." :
			      "PGRAPH is idle.%s", units);
	} else if (!strncmp(reg->name, "VSTATUS_", 8)) {
		nvfifo_vstatus_text(nvfifo_text_digit(reg->name[8]), v, 1, units, sizeof(units));
		advise(c, *units ? "Busy: %s." : "No unit of this group is busy.%s", units);
	} else if (!strcmp(reg->name, "INTR") || !strcmp(reg->name, "INTR_HOST")) {
		advise(c, v ? "Interrupts that are not handled yet." : "No interrupt is pending.");
	} else {
		advise(c, "A value of a register, no message of the driver. 'nvfifo peek --reads FILE' reads lists of them, in other forms, too.");
	}
}

static void register_fields(struct ctx *c, const struct nvfifo_reg *reg, __u32 v)
{
	const struct nvfifo_reg *f = NULL;
	char text[NVFIFO_REG_VALUE_MAX];

	while ((f = nvfifo_reg_field(reg, c->chipset, f))) {
		const __u32 bits = (v & nvfifo_reg_mask(f)) >> f->lo;

		if (!bits)
			continue;

		nvfifo_reg_value(reg, f, v, text);
		if (*text)
			means(c, "%s", text);
		str(c, f->name, "%x", bits);
	}
}

/* The register and the value of a line that has nothing else. */
static bool read_line(const struct ctx *c, const char *s, struct nvfifo_reg_ref *ref, __u32 *value)
{
	char name[NVFIFO_REG_NAME_MAX];
	const char *end;
	size_t len, gap;
	bool marked;

	s += strspn(s, " \t*-#>");
	len = strspn(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.[]");
	gap = strspn(s + len, " \t:=");
	if (len < 3 || len >= sizeof(name) || !gap)
		return false;

	/* A short value needs a sign that it is one. */
	marked = strcspn(s + len, ":=") < gap;
	end = read_hex(s + len + gap, marked ? 1 : 8, value);
	if (!end || end[strspn(end, " \t\r")])
		return false;

	snprintf(name, sizeof(name), "%.*s", (int)len, s);
	if (isdigit((unsigned char)*name))
		return at_address(name, c->chipset, ref);

	return !nvfifo_reg_typed(name, c->chipset, ref);
}

void nvfifo_explain_register(struct ctx *c, const char *s)
{
	char name[NVFIFO_REG_NAME_MAX], text[NVFIFO_REG_VALUE_MAX];
	struct nvfifo_reg_ref ref;
	__u32 v;

	if (!read_line(c, s, &ref, &v)) {
		c->declined = true;
		return;
	}

	nvfifo_reg_name(&ref, name);
	means(c, "%06x", ref.address);
	str(c, "register", "%s", name);
	nvfifo_reg_value(ref.reg, NULL, v, text);
	if (*text)
		means(c, "%s", text);
	hexnum(c, "value", 8, v);
	register_fields(c, ref.reg, v);
	str(c, "meaning", "a value of the register, read by someone");
	register_advice(c, ref.reg, v);
}
