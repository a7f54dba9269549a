// SPDX-License-Identifier: MIT
/*
 * A fuzzer of the model: random accesses, structures and configurations, under ASan and UBSan. No
 * guest may crash the model. The test compares nothing; each round must end.
 *
 * Argument: operations for each chipset (default 20000). SEED in the environment selects
 * another sequence.
 */
#include "nvfifo_text.h"
#include "rig_fuzz.h"

int main(int argc, char **argv)
{
	unsigned int count = argc > 1 ? nvfifo_text_value(argv[1], 0) : 20000, i, n;
	unsigned long long methods = 0, switches = 0;
	const char *env = getenv("SEED");

	if (env)
		seed = nvfifo_text_value(env, 0) | 1;

	for (i = 0; nvsim_chipset_names[i]; i++) {
		struct nvsim_config cfg = {
			.chipset = nvsim_chipset_names[i],
			.vram_size = 20 << 20,
			.bar1_size = 64 << 20,
			.bar3_size = 32 << 20,
			.trace_mmio = rnd() & 1,
			.trace_mthd = rnd() & 1,
			.quirks = rnd64() & ((1ull << NVSIM_QUIRK_COUNT) - 1),
			.big_endian = rnd() % 4 == 0,
		};
		struct rig *r = rig_create_cfg(&cfg);
		struct nvsim_stats st;

		bring_up(r);
		for (n = 0; n < count; n++)
			operation(r);
		nvsim_get_stats(r->sim, &st);
		printf("# %s: %llu methods, %llu words, %llu switches, %llu interrupts, "
		       "%llu violations\n", cfg.chipset, (unsigned long long)st.methods, (unsigned long long)st.words,
		       (unsigned long long)st.switches, (unsigned long long)st.interrupts,
		       (unsigned long long)st.violations);
		tap(true, "%s survives %u operations", cfg.chipset, count);
		methods += st.methods;
		switches += st.switches;
		rig_destroy(r);
	}

	tap(count < 2000 || (methods > 1000 && switches > 1000), "enough of them got through");

	return tap_end();
}
