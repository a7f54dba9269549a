// SPDX-License-Identifier: MIT
/* Registers by name: every register and field is found by its name. */
#include "nvfifo.h"
#include "nvfifo_names.h"
#include "nvfifo_reg.h"
#include "tap.h"

static const __u32 chipsets[] = { 0, 0x50, 0x84, 0xa0, 0xaa, 0xa3, 0xaf };

#define CHIPSETS (sizeof(chipsets) / sizeof(chipsets[0]))

/* By name with its block, and by address if nothing else is there. */
static void test_all(__u32 chipset)
{
	const struct nvfifo_reg *reg = NULL, *f;
	unsigned int regs = 0, fields = 0, wrong = 0;
	struct nvfifo_reg_ref ref, back;
	char name[NVFIFO_REG_NAME_MAX];

	while ((reg = nvfifo_reg_next(reg, chipset))) {
		__u32 last = reg->count - 1;

		if (reg->offset % 4)
			continue;
		regs++;
		ref = (struct nvfifo_reg_ref){ .reg = reg, .index = last };
		nvfifo_reg_name(&ref, name);
		if (nvfifo_reg_parse(name, chipset, &back) || back.reg != reg ||
		    back.index != last || back.address != reg->offset + last * reg->stride ||
		    back.field) {
			printf("# %s is not found by its name\n", name);
			wrong++;
		}
		nvfifo_reg_at(back.address, chipset, &ref);
		if (!ref.reg || ref.reg->offset + ref.index * ref.reg->stride != back.address) {
			printf("# %s is not found at %06x\n", name, back.address);
			wrong++;
		}
		for (f = NULL; (f = nvfifo_reg_field(reg, chipset, f)); fields++) {
			ref = (struct nvfifo_reg_ref){ .reg = reg, .field = f };
			nvfifo_reg_name(&ref, name);
			if (nvfifo_reg_parse(name, chipset, &back) || back.reg != reg ||
			    back.field != f) {
				printf("# %s is not found by its name\n", name);
				wrong++;
			}
		}
	}
	tap(!wrong && regs > 150 && fields > 100, "%s: %u registers and %u fields",
	    chipset ? nvfifo_chipset_name(chipset) : "any chipset", regs, fields);
}

static const struct {
	const char *text;
	__u32 chipset;
	__u32 address;
	const char *name; /* NULL: refused */
} name_rows[] = {
	{ "PMC.BOOT_0", 0, 0, "PMC.BOOT_0" },
	{ "nv_pfifo_caches", 0x84, 0x2500, "PFIFO.CACHES" },
	{ "caches", 0x84, 0x2500, "PFIFO.CACHES" },
	{ "0x2500", 0x84, 0x2500, "PFIFO.CACHES" },
	{ "002500", 0x84, 0x2500, "PFIFO.CACHES" },
	{ "24fc+4", 0x84, 0x2500, "PFIFO.CACHES" },
	{ "24f0+0x10", 0x84, 0x2500, "PFIFO.CACHES" },
	{ "PFIFO.CACHES+8", 0x84, 0x2508, "PFIFO.CHSW_STAT" },
	{ "chan_table[126]", 0x84, 0x27f8, "PFIFO.CHAN_TABLE[126]" },
	{ "CHAN_TABLE.ADDRESS", 0x84, 0x2600, "PFIFO.CHAN_TABLE[0].ADDRESS_G84" },
	{ "CHAN_TABLE[0x10].ADDRESS", 0x50, 0x2640, "PFIFO.CHAN_TABLE[16].ADDRESS_G80" },
	{ "USER.DMA_PUT[2]", 0x84, 0xc04040, "USER.DMA_PUT[2]" },
	{ "c04040", 0x84, 0xc04040, "USER.DMA_PUT[2]" },
	{ "PMC.BOOT_2", 0x92, 8, "PMC.BOOT_2" },
	{ "PMC.BOOT_2", 0x86, 0, NULL },
	{ "408314", 0x50, 0x408314, "PGRAPH.G80_MPC_TRAP[0]" },
	{ "408390", 0x98, 0x408390, "" },
	{ "88068", 0x94, 0x88068, "PPCI.MSI_REARM" },
	{ "88068", 0x84, 0x88068, "PPCI.CONFIG[26]" },
	{ "2ffc", 0x84, 0x2ffc, "" },
	{ "fffffc", 0x84, 0xfffffc, "" },
	{ "PEEPHOLE.W_ADDR", 0x84, 0x60000, "PEEPHOLE.W_ADDR" },
	{ "PEEPHOLE.W_ADDR", 0x50, 0x1560, "PBUS.PEEPHOLE_W_ADDR" },
	{ "PULL_FEATURE", 0x50, 0, NULL },
	{ "fff", 0x84, 0, NULL },
	{ "1000000", 0x84, 0, NULL },
	{ "fffffc+4", 0x84, 0, NULL },
	{ "4+fffffffc", 0x84, 0, NULL },
	{ "2501", 0x84, 0, NULL },
	{ "99999999999", 0x84, 0, NULL },
	{ "2500x", 0x84, 0, NULL },
	{ "INTR", 0x84, 0, NULL },
	{ "CHAN_TABLE[128]", 0x84, 0, NULL },
	{ "CHAN_TABLE[1", 0x84, 0, NULL },
	{ "CHAN_TABLE[-1]", 0x84, 0, NULL },
	{ "CHAN_TABLE[1][1]", 0x84, 0, NULL },
	{ "CHAN_TABLE[]", 0x84, 0, NULL },
	{ "CACHES+2", 0x84, 0, NULL },
	{ "CACHES+", 0x84, 0, NULL },
	{ "CACHES.REASSIGN+4", 0x84, 0, NULL },
	{ "CACHES.FROB", 0x84, 0, NULL },
	{ "CRTC_DATA", 0x84, 0, NULL },
	{ "", 0x84, 0, NULL },
	{ ".", 0x84, 0, NULL },
};

static void test_names(void)
{
	struct nvfifo_reg_ref ref;
	char name[NVFIFO_REG_NAME_MAX];
	size_t i;

	for (i = 0; i < sizeof(name_rows) / sizeof(name_rows[0]); i++) {
		int ret = nvfifo_reg_parse(name_rows[i].text, name_rows[i].chipset, &ref);

		if (!name_rows[i].name) {
			tap(ret, "'%s' is refused: %s", name_rows[i].text,
			    ret ? nvfifo_last_error() : "");
			continue;
		}
		if (!ret)
			nvfifo_reg_name(&ref, name);
		if (!tap(!ret && ref.address == name_rows[i].address && !strcmp(name, name_rows[i].name),
			 "'%s' is %s", name_rows[i].text, name_rows[i].name))
			printf("# %s at %06x\n", ret ? nvfifo_last_error() : name, ref.address);
	}
	nvfifo_reg_parse("PFIFO.CACHE", 0, &ref);
	tap(strstr(nvfifo_last_error(), "PFIFO.CACHES"), "a name is suggested");
	nvfifo_reg_parse("intr", 0, &ref);
	tap(strstr(nvfifo_last_error(), "PGRAPH.INTR"), "names to choose from are told");
}

static void value_is(const char *name, __u32 value, const char *want)
{
	char text[NVFIFO_REG_VALUE_MAX] = "";
	struct nvfifo_reg_ref ref;

	if (!nvfifo_reg_parse(name, 0x84, &ref))
		nvfifo_reg_value(ref.reg, ref.field, value, text);
	if (!tap(!strcmp(text, want), "%s of %08x: %s", name, value, want))
		printf("# %s\n", text);
}

/* Fields that not all chips have, after rnndb and the hardware documents */
static const struct {
	const char *reg;
	const char *field;
	__u32 chipset;
	bool there;
	const char *unit;
} field_rows[] = {
	{ "PMC.INTR_HOST", "PDAEMON", 0x50, false, NULL },
	{ "PMC.INTR_HOST", "PDAEMON", 0xac, false, NULL },
	{ "PMC.INTR_HOST", "PDAEMON", 0xa3, true, NULL },
	{ "PMC.INTR_HOST", "PPCI", 0x50, false, NULL },
	{ "PMC.INTR_HOST", "PCRYPT", 0x50, false, NULL },
	{ "PMC.INTR_HOST", "PCRYPT", 0x96, true, "PCIPHER" },
	{ "PMC.INTR_HOST", "PCRYPT", 0x98, true, "PSEC" },
	{ "PMC.INTR_HOST", "PCRYPT", 0xac, true, "PSEC" },
	{ "PMC.INTR_HOST", "PCRYPT", 0xa8, false, NULL },
	{ "PMC.INTR_HOST", "PCRYPT", 0xaf, true, "PVCOMP" },
	{ "PMC.INTR_HOST", "PVPE", 0x50, true, "PMPEG, PME" },
	{ "PMC.INTR_HOST", "PVPE", 0xa0, true, "PMPEG" },
	{ "PMC.INTR_HOST", "PVPE", 0x98, true, "PPPP" },
	{ "PMC.ENABLE", "PCOPY", 0xaa, false, NULL },
	{ "PMC.ENABLE", "PCOPY_CTXSW", 0xa5, true, NULL },
	{ "PMC.ENABLE", "PGRAPH_CTXSW", 0x50, false, NULL },
	{ "PMC.ENABLE", "PVP", 0x50, true, "PVP1" },
	{ "PMC.ENABLE", "PVP_CTXSW", 0x84, true, "PVP2" },
	{ "PMC.ENABLE", "PVP_CTXSW", 0xaa, true, "PPDEC" },
	{ "PMC.ENABLE", "PBSP_CTXSW", 0xaf, true, "PVLD" },
	{ "PFIFO.INTR", "NOTIFY", 0x50, false, NULL },
	{ "PFIFO.INTR", "NOTIFY", 0x84, true, NULL },
	{ "PFIFO.INTR_EN", "MTHD_UNK2C", 0xa8, false, NULL },
	{ "PFIFO.INTR_EN", "MTHD_UNK2C", 0xaf, true, NULL },
	{ "PFIFO.ENGINE_IDLE", "PME_PCOPY", 0x50, true, "PME" },
	{ "PFIFO.ENGINE_IDLE", "PME_PCOPY", 0x94, true, "no such unit on this chip" },
	{ "PFIFO.ENGINE_IDLE", "PME_PCOPY", 0xa5, true, "PCOPY" },
	{ "PFIFO.ENGINE_IDLE", "PGRAPH", 0x84, true, NULL },
	{ "CACHE1.PULL0", "MTHD_UNK2C_UNK29_INVALID", 0xa3, false, NULL },
	{ "CACHE1.PULL1", "ACQUIRE_MODE_GEQ", 0x50, false, NULL },
	{ "CACHE1.PULL1", "ACQUIRE_SOURCE_NEW", 0x86, true, NULL },
	{ "PFB.VM_FAULT", "PVCOMP", 0xa3, false, NULL },
	{ "PFB.VM_FAULT", "PCOPY", 0x98, false, NULL },
	{ "PFB.VM_FAULT", "PME", 0xa3, true, NULL },
	{ "PBUS.HWUNITS_1", "PCOPY", 0x84, false, NULL },
};

static bool same_text(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;

	return !strcmp(a, b);
}

static void test_fields(void)
{
	const struct nvfifo_reg *f;
	struct nvfifo_reg_ref ref;
	const char *unit;
	size_t i;

	for (i = 0; i < sizeof(field_rows) / sizeof(field_rows[0]); i++) {
		__u32 chipset = field_rows[i].chipset;

		f = NULL;
		if (!nvfifo_reg_parse(field_rows[i].reg, chipset, &ref)) {
			while ((f = nvfifo_reg_field(ref.reg, chipset, f)) &&
			       strcmp(f->name, field_rows[i].field))
				;
		}

		unit = f ? nvfifo_reg_unit(f, chipset) : NULL;
		tap(!!f == field_rows[i].there && same_text(unit, field_rows[i].unit),
		    "%s: %s.%s, there %d, unit %s", nvfifo_chipset_name(chipset), field_rows[i].reg,
		    field_rows[i].field, !!f, unit ? unit : "-");
	}
}

/* --- One name for a bit -------------------------------------------------------- */

/* The bits that explain and calc name, and each register that has them */
static const struct {
	const struct nvfifo_name *bits;
	const char *registers;
	const char *(*code_name)(unsigned int bit);	/* of the driver's log, or NULL */
} bit_rows[] = {
	{ nvfifo_dma_push_bits, "CACHE1.DMA_PUSH", NULL },
	{ nvfifo_pull0_bits, "CACHE1.PULL0", NULL },
	{ nvfifo_pfifo_intr_bits, "PFIFO.INTR PFIFO.INTR_EN", NULL },
	{ nvfifo_pgraph_intr_bits, "PGRAPH.INTR PGRAPH.INTR_EN", nvfifo_gr_intr_name },
	{ nvfifo_pgraph_status_bits, "PGRAPH.STATUS", NULL },
	{ nvfifo_trap_bits, "PGRAPH.TRAP PGRAPH.TRAP_EN", nvfifo_gr_trap_name },
	{ nvfifo_cipher_intr_bits, "PCIPHER.INTR PCIPHER.INTR_EN", NULL },
	{ nvfifo_trap_dispatch_bits, "PGRAPH.DISPATCH_TRAP", NULL },
	{ nvfifo_trap_m2mf_bits, "PGRAPH.M2MF_TRAP", NULL },
	{ nvfifo_trap_fault_bits,
	  "PGRAPH.VFETCH_TRAP PGRAPH.STRMOUT_TRAP PGRAPH.CCACHE_TRAP PGRAPH.CLIPID_TRAP", NULL },
	{ nvfifo_trap_tex_bits, "PGRAPH.TEX_TRAP PGRAPH.G80_TEX_TRAP", NULL },
	{ nvfifo_trap_mp_bits, "PGRAPH.MPC_TRAP PGRAPH.G80_MPC_TRAP", NULL },
	{ nvfifo_trap_mp_exec_bits,
	  "PGRAPH.MP0_TRAP PGRAPH.MP1_TRAP PGRAPH.MP2_TRAP PGRAPH.MP3_TRAP PGRAPH.G80_MP0_TRAP PGRAPH.G80_MP1_TRAP",
	  nvfifo_mp_trap_name },
	{ nvfifo_trap_prop_bits, "PGRAPH.PROP_TRAP PGRAPH.G80_PROP_TRAP", nvfifo_prop_trap_name },
};

/* The field of one bit, or NULL */
static const struct nvfifo_reg *field_at(const struct nvfifo_reg *reg, __u32 bit)
{
	const struct nvfifo_reg *f = NULL;

	while ((f = nvfifo_reg_field(reg, 0, f))) {
		if (nvfifo_reg_mask(f) == bit)
			return f;
	}

	return NULL;
}

/* The driver's name of a bit in its log, or "" */
static const char *log_name(size_t row, unsigned int bit)
{
	const char *name = bit_rows[row].code_name ? bit_rows[row].code_name(bit) : "";

	return strcmp(name, "UNKNOWN") ? name : "";
}

/* Bit @i has one name in the register, in the list of names, and in the log of the driver. */
static bool bit_has_one_name(size_t row, const struct nvfifo_reg *reg, unsigned int i)
{
	const struct nvfifo_name *n = nvfifo_name_find(bit_rows[row].bits, 1u << i);
	const struct nvfifo_reg *f = field_at(reg, 1u << i);
	const char *code = log_name(row, i);
	char means[NVFIFO_REG_VALUE_MAX];
	bool ok;

	/* Bits that turn the trap on and off are none of its causes. */
	if (f && (!strcmp(f->name, "CLEAR") || !strcmp(f->name, "ENABLE")))
		return !n;
	if (!n || !f)
		return !n && !f && !*code;

	nvfifo_reg_value(reg, f, 1u << i, means);
	ok = !strcmp(n->name, f->name) && !strcmp(means, n->means ? n->means : "");
	if (*code)
		ok = ok && !strcmp(code, n->name);

	return ok;
}

static void test_bits(void)
{
	struct nvfifo_reg_ref ref;
	char list[200], *name, *save;
	unsigned int i;
	size_t row;

	for (row = 0; row < sizeof(bit_rows) / sizeof(bit_rows[0]); row++) {
		snprintf(list, sizeof(list), "%s", bit_rows[row].registers);
		for (name = strtok_r(list, " ", &save); name; name = strtok_r(NULL, " ", &save)) {
			unsigned int wrong = 0;

			if (nvfifo_reg_parse(name, 0, &ref)) {
				tap(false, "%s: %s", name, nvfifo_last_error());
				continue;
			}

			for (i = 0; i < 32; i++) {
				if (bit_has_one_name(row, ref.reg, i))
					continue;
				printf("# %s, bit %u\n", name, i);
				wrong++;
			}
			tap(!wrong, "peek, explain, calc and the log name the bits of %s alike", name);
		}
	}
}

/* The units of VSTATUS, three bits each */
static void test_units(void)
{
	static const char *const names[] = { "PGRAPH.VSTATUS_0", "PGRAPH.VSTATUS_1", "PGRAPH.VSTATUS_2" };
	struct nvfifo_reg_ref ref;
	unsigned int reg, unit, wrong = 0;

	for (reg = 0; reg < 3; reg++) {
		if (nvfifo_reg_parse(names[reg], 0, &ref)) {
			tap(false, "%s is a register", names[reg]);
			continue;
		}

		for (unit = 0; unit < 8; unit++) {
			const struct nvfifo_reg *f = field_at(ref.reg, 7u << 3 * unit);

			wrong += strcmp(f ? f->name : "", nvfifo_gr_unit_name(reg, unit)) != 0;
		}
	}

	tap(!wrong, "peek, explain and the log name the units of VSTATUS alike");
}

/* Names of people, of nouveau and of envytools */
static void test_typed(void)
{
	static const struct {
		const char *text;
		__u32 address;
	} rows[] = {
		{ "PMC_INTR", 0x100 }, { "pmc_intr_en_0", 0x140 }, { "NV03_PMC_BOOT_0", 0 },
		{ "PFIFO_CACHE1_CHID", 0x3204 }, { "NV03_PFIFO_CACHE1_PUSH1", 0x3204 },
		{ "PFIFO_PULL0", 0x3250 }, { "PFIFO_CACHE1_PULL0", 0x3250 }, { "PFIFO_CACHE1_DMA_GET", 0x3244 },
		{ "PFIFO_INTR_0", 0x2100 }, { "PGRAPH_STATUS", 0x400700 }, { "pgraph.status", 0x400700 },
		{ "PGRAPH_VSTATUS0", 0x400380 }, { "PGRAPH_VSTATUS_2", 0x400388 }, { "PGRAPH_VSTATUS2", 0x400388 },
		{ "PGRAPH_CTXCTL_STAT", 0x400300 }, { "NV50_PGRAPH_TRAPPED_ADDR", 0x400704 },
		{ "PGRAPH_G80_PROP_TRAP[1]", 0x409e08 }, { "PFB_TLB_FLUSH", 0x100c80 },
	};
	static const char *const wrong[] = { "STATUS", "status", "PGRAPH", "PGRAPH_", "PFIFO_", "NV50_", "X_STATUS", "" };
	struct nvfifo_reg_ref ref;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		tap(!nvfifo_reg_typed(rows[i].text, 0x84, &ref) && ref.reg && ref.address == rows[i].address,
		    "%s is at %06x", rows[i].text, rows[i].address);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		tap(nvfifo_reg_typed(wrong[i], 0x84, &ref), "'%s' is no register's name", wrong[i]);
}

int main(void)
{
	size_t i;

	for (i = 0; i < CHIPSETS; i++)
		test_all(chipsets[i]);
	test_names();
	test_fields();
	test_bits();
	test_units();
	test_typed();
	value_is("PMC.BOOT_0.CHIPSET", 0x084300a2, "G84");
	value_is("DMA_STATE.ERROR", 0x80004200,
		 "INVALID_CMD: a word that is not a command of the pusher");
	value_is("DMA_STATE.METHOD", 0x00000050, "0050 REF_CNT");
	value_is("PULL0.HASH_FAILED", 0x11, "RAMHT has no entry for the handle");
	value_is("PULL0.HASH_FAILED", 0x01, "");
	value_is("CHAN_TABLE.ADDRESS", 0x80054142, "0005414200");
	value_is("PLAYLIST.TARGET", 0x20000000, "SYSRAM_SNOOP");
	value_is("PGRAPH.DATA_ERROR", 5,
		 "INVALID_ENUM: the data are none of the values that the method knows");
	value_is("PFIFO.INTR", 0xffffffff, "all ones: the register or the card may be absent");
	return tap_end();
}
