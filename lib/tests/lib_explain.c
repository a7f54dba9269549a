// SPDX-License-Identifier: MIT
/* Log lines: real ones of nouveau with every field, and each wording of nvfifo. */
#include <errno.h>

#include "nvfifo.h"
#include "nvfifo_explain.h"
#include "tap.h"

/* Compare the members of an object of JSON with the fields. */
static bool same_fields(const char *json, const struct nvfifo_row *have)
{
	struct nvfifo_row want = { 0 };
	bool ok = true;
	size_t i, at;

	if (nvfifo_row_from_json(&want, json, strlen(json), &at))
		ok = false;
	for (i = 0; i < want.count; i++) {
		const struct nvfifo_field *f = &want.fields[i];
		const char *text = nvfifo_row_get(have, f->name);

		if (text && !strcmp(text, f->text))
			continue;
		printf("# %s: expected %s, decoded %s\n", f->name, f->text,
		       text ? text : "nothing");
		ok = false;
	}
	nvfifo_row_free(&want);
	return ok;
}

static void check(const char *name, const char *line, const char *cls, const char *fields)
{
	struct nvfifo_explanation e;
	bool ok = nvfifo_explain(line, 0, &e) == 1;

	if (ok && cls && strcmp(e.cls, cls)) {
		printf("# class %s, expected %s\n", e.cls, cls);
		ok = false;
	}
	ok = ok && same_fields(fields, &e.fields);
	tap(ok, "%s: %.60s", name, line);
	nvfifo_explanation_free(&e);
}

/* Lines with their decoded fields; a class that is not given may be any. */
static void test_file(const char *path, const char *id, bool with_class)
{
	char *data, *line, *end;
	size_t len, at;

	data = tap_file(path, &len);
	for (line = data; line < data + len; line = end + 1) {
		struct nvfifo_row r = { 0 };

		end = line + strcspn(line, "\n");
		if (nvfifo_row_from_json(&r, line, (size_t)(end - line), &at))
			tap(false, "a line of %s can be read", path);
		else
			check(nvfifo_row_get(&r, id), nvfifo_row_get(&r, "line"),
			      with_class ? nvfifo_row_get(&r, "cls") : NULL,
			      nvfifo_row_get(&r, "decoded"));
		nvfifo_row_free(&r);
	}
	free(data);
}

static void test_real(void)
{
	test_file("tests/data/dmesg.jsonl", "id", false);
	test_file("tests/data/log-forms.jsonl", "driver", true);
}

static const struct {
	const char *line, *cls, *fields;
} wordings[] = {
	{ "nvfifo 0000:01:00.0: channel 3: DMA_PUSHER INVALID_CMD, word 20000000, subchannel 2 method 0200, state 80004200, get 0000002008 put 0000002010 ib_get 1f ib_put 21",
	  "dma_pusher",
	  "{\"channel\":3,\"word\":\"20000000\",\"error\":\"INVALID_CMD\",\"subchannel\":2,\"method\":\"0200\",\"last_method_done\":\"01fc\",\"dma_get\":\"0000002008\",\"dma_put\":\"0000002010\",\"segment_bytes_left\":8,\"ib_get\":\"0000001f\",\"ib_put\":\"00000021\",\"ib_entries_after_this\":2}" },
	{ "channel 1: CACHE_ERROR HASH_FAILED, subchannel 4 method 0000 data beef502d",
	  "cache_error",
	  "{\"channel\":1,\"error\":\"HASH_FAILED\",\"subchannel\":4,\"method\":\"0000\",\"data\":\"beef502d\"}" },
	{ "channel 2: SEMAPHORE ADDRESS_UNALIGNED, method 0014 data 00001002", "semaphore",
	  "{\"channel\":2,\"error\":\"ADDRESS_UNALIGNED\",\"method\":\"0014\",\"data\":\"00001002\"}" },
	{ "VM fault: write at 0020225800, engine 5 PFIFO, client 8 PFIFO_READ, slot 1, channel structure 00105400: PAGE_NOT_PRESENT",
	  "vm_fault",
	  "{\"access\":\"write\",\"va\":\"0020225800\",\"pde_index\":1,\"inst\":\"00105400\",\"engine\":\"05 PFIFO\",\"client\":\"08 PFIFO_READ\",\"subclient\":\"01 SEMAPHORE\",\"reason\":\"00000002 PAGE_NOT_PRESENT\"}" },
	{ "channel 9: submission 12 did not end in 500 ms", "channel_timeout",
	  "{\"channel\":9,\"submission\":12,\"milliseconds\":500}" },
	{ "channel 3: submission 1 did not end in 200 ms: waits until the word at 0000000020 of object 06460 is 0007a57e (ran 200 ms, waited 0 ms beside 0)",
	  "channel_timeout",
	  "{\"channel\":3,\"submission\":1,\"milliseconds\":200,\"waits_for\":\"0007a57e\"}" },
	{ "channel 3: submission 1 did not end in 200 ms: waits until the word at 0000000020 of object 06460 is at least 00000005 (ran 0 ms",
	  "channel_timeout", "{\"waits_for\":\"00000005\"}" },
	{ "kick of channel 20001054 did not end in 2 s", "channel_timeout",
	  "{\"desc\":\"20001054\",\"milliseconds\":2000}" },
	{ "nvfifo 0000:01:00.0: [drm] *ERROR* TLB flush did not end in 2000 ms: register 100c80 is 00050001",
	  "wait_timeout", "{\"register\":\"100c80\",\"value\":\"00050001\"}" },
	{ "nvfifo 0000:01:00.0: [drm] *ERROR* end of the PFIFO freeze did not end in 10 ms",
	  "wait_timeout", "{}" },
	{ "read of absent register 002520, data bad0ac06", "mmio_fault",
	  "{\"access\":\"read\",\"register\":\"002520\",\"data\":\"bad0ac06\"}" },
	{ "PGRAPH does not get idle for a TLB flush: status ffffffff", "tlb_flush_timeout",
	  "{\"status\":\"ffffffff\",\"meaning\":\"all ones: the card no longer answers, this is not a status\"}" },
	{ "nvfifo 0000:01:00.0: [drm] *ERROR* PFIFO interrupt 00000101 does not stop, and is masked for good",
	  "interrupt",
	  "{\"interrupt\":\"00000101\",\"interrupt_bits\":[\"CACHE_ERROR\", \"PIO_ERROR\"]}" },
	{ "PGRAPH interrupt 00000010 does not stop, and is masked for good",
	  "interrupt", "{\"interrupt\":\"00000010\",\"interrupt_bits\":[\"ILLEGAL_MTHD\"]}" },
	{ "PBUS interrupt 00000008 does not stop, and is masked for good",
	  "interrupt", "{\"interrupt\":\"00000008\"}" },
	{ "PFIFO interrupt 00010000 is unknown", "interrupt",
	  "{\"interrupt\":\"00010000\",\"interrupt_bits\":[\"UNK16\"]}" },
	{ "nvfifo 0000:01:00.0: channel 2: PGRAPH TRAP M2MF, intr 00200000 detail 00000002, class 5039 subchannel 1 method 0328 data 00000001",
	  "pgraph",
	  "{\"channel\":2,\"interrupt_bits\":[\"TRAP\"],\"units\":\"M2MF\",\"object_class\":\"5039\",\"subchannel\":1,\"method\":\"0328\",\"data\":\"00000001\"}" },
	{ "nvfifo 0000:01:00.0: channel 2: PGRAPH DATA_ERROR INVALID_VALUE, intr 00100000 detail 00000004, class 5039 M2MF subchannel 1 method 0320 LINE_COUNT data 00000001",
	  "pgraph",
	  "{\"channel\":2,\"interrupt_bits\":[\"DATA_ERROR\"],\"object_class\":\"5039\",\"subchannel\":1,\"method\":\"0320\",\"data\":\"00000001\"}" },
	{ "nvfifo 0000:01:00.0: channel 3: DMA_PUSHER INVALID_CMD, word 20000000, subchannel 2 method 0200, state 80004200, get 0000002008 put 0000002010 ib_get 1f ib_put 21 push 00406040",
	  "dma_pusher", "{\"dma_push\":\"00406040\",\"dma_push_bits\":[\"UNK6\", \"UNK13\", \"UNK14\", \"UNK22\"]}" },
	{ "nvfifo 0000:01:00.0: [drm] *ERROR* PGRAPH does not get idle for a TLB flush: status 00000003, busy units: VFETCH TPC_MP",
	  "tlb_flush_timeout", "{\"status\":\"00000003\",\"units\":\"BUSY DISPATCH\"}" },
	{ "nvfifo 0000:01:00.0: interrupt 00101000 of units that are not used", "interrupt",
	  "{\"interrupt\":\"00101000\",\"PGRAPH\":\"1\",\"PTIMER\":\"1\"}" },
	{ "nvfifo 0000:01:00.0: PGRAPH does not let go of channel 00001054 and is reset",
	  "channel_timeout", "{\"desc\":\"00001054\"}" },
	{ "nvfifo 0000:01:00.0: 16777216 bytes of VRAM, need 32 MiB", "probe", "{\"vram\":16777216}" },
	{ "nvfifo 0000:01:00.0: PTIMER stands still at 00000020: the card is not set up", "probe",
	  "{\"at\":\"00000020\"}" },
	{ "nouveau 0000:01:00.0: fifo: CACHE_ERROR - ch 2 [Xorg[700]] subc 4 mthd 0060 data beef0201",
	  "cache_error",
	  "{\"channel\":2,\"owner\":\"Xorg[700]\",\"subchannel\":4,\"method\":\"0060\",\"data\":\"beef0201\"}" },
	{ "[drm] nouveau 0000:01:00.0: PFIFO_CACHE_ERROR - Ch 2/4 Mthd 0x0060 Data 0xbeef0201",
	  "cache_error",
	  "{\"channel\":2,\"subchannel\":4,\"method\":\"0060\",\"data\":\"beef0201\"}" },
	{ "nouveau 0000:01:00.0: gr: 00100010 [ILLEGAL_MTHD] ch 4 [001fb13000 glxgears[11]] subc 3 class 5097 mthd 15e0 data 00000000",
	  "illegal_mthd",
	  "{\"interrupt\":\"00100010\",\"interrupt_bits\":[\"ILLEGAL_MTHD\", \"DATA_ERROR\"],\"channel\":4,\"inst\":\"001fb13000\",\"owner\":\"glxgears[11]\",\"subchannel\":3,\"object_class\":\"5097\",\"method\":\"15e0\"}" },
	{ "nouveau E[     PFB][0000:01:00.0] trapped read at 0x0021d1c000 on channel 0x0001fb13 [Xorg[900]] PGRAPH/PROP/DST2D reason: PT_NOT_PRESENT",
	  "vm_fault",
	  "{\"access\":\"read\",\"va\":\"0021d1c000\",\"owner\":\"Xorg[900]\",\"reason\":\"00000000 PT_NOT_PRESENT\",\"units\":\"PGRAPH/PROP/DST2D\"}" },
	{ "gr: TRAP_TEXTURE - TP3: 00000003 [FAULT]", "engine_trap",
	  "{\"unit\":\"TEXTURE\",\"tp\":3,\"ustatus\":\"00000003\",\"bits\":\"ANY FAULT\"}" },
	{ "gr: TRAP_MP_EXEC - TP 1 MP 0: 00000010 [INVALID_OPCODE] at 000a10 warp 3, opcode 00000000 00000000",
	  "engine_trap",
	  "{\"unit\":\"MP_EXEC\",\"tp\":1,\"mp\":0,\"bits\":\"INVALID_OPCODE\",\"pc\":\"000a10\",\"warp\":3}" },
	{ "nvfifo 0000:01:00.0: channel 3: DISPATCH holds a command, subchannel 5 class 5039 M2MF method 0104 NOTIFY data 00000000 00000007, 400848 is 00000001",
	  "engine_trap",
	  "{\"channel\":3,\"unit\":\"DISPATCH\",\"stuck\":\"command\",\"subchannel\":5,\"object_class\":\"5039\",\"method\":\"0104\",\"data_high\":\"00000000\",\"data\":\"00000007\"}" },
	{ "nvfifo 0000:01:00.0: channel 3: MP 1 of TP 2 stopped: 00000010 INVALID_OPCODE, pc 001234 warp 5, opcode 10008001 e0800780",
	  "engine_trap",
	  "{\"channel\":3,\"unit\":\"MP_EXEC\",\"tp\":2,\"mp\":1,\"ustatus\":\"00000010\",\"bits\":[\"INVALID_OPCODE\"],\"pc\":\"001234\",\"warp\":5,\"opcode_low\":\"10008001\",\"opcode_high\":\"e0800780\"}" },
	{ "nvfifo 0000:01:00.0: channel 3: PROP of TP 5 stopped: 00000080 CUDA_FAULT, write at 0020239300",
	  "engine_trap",
	  "{\"channel\":3,\"unit\":\"PROP\",\"tp\":5,\"ustatus\":\"00000080\",\"bits\":[\"CUDA_FAULT\"],\"access\":\"write\",\"va\":\"0020239300\"}" },
	{ "nouveau 0000:01:00.0: bus: MMIO read of 00000000 FAULT at 619444", "mmio_fault",
	  "{\"access\":\"read\",\"register\":\"619444\",\"data\":\"00000000\"}" },
	{ "nouveau 0000:01:00.0: Xorg[700]: failed to idle channel 3 [Xorg[700]]",
	  "channel_timeout", "{\"channel\":3,\"owner\":\"Xorg[700]\"}" },
	{ "cipher: 00000004 [ILLEGAL_CLASS] ch 2 [001fb13000 x] mthd 0100 data 00000001",
	  "cipher_error",
	  "{\"interrupt\":\"00000004\",\"interrupt_bits\":[\"ILLEGAL_CLASS\"],\"channel\":2,\"method\":\"0100\"}" },
};

static void test_wordings(void)
{
	size_t i;

	for (i = 0; i < sizeof(wordings) / sizeof(wordings[0]); i++)
		check(wordings[i].cls, wordings[i].line, wordings[i].cls, wordings[i].fields);
}

/* Lines about other things and about other families of cards */
static void test_others(void)
{
	static const char *const lines[] = {
		"",
		"usb 1-1: new device",
		"nouveau 0000:01:00.0: NVIDIA G96 (096180a1)",
		"trapped in a lift at noon",
		"nouveau 0000:01:00.0: fb: 1024 MiB DDR3",
		"nouveau 0000:01:00.0: gr: TRAP ch 4 [003fb96000 Xorg[645]]",
		"nouveau 0000:01:00.0: fifo: INTR 00000001: 0000000b",
		"nouveau E[  PGRAPH][0000:01:00.0] ROP0 0xbadf1200 0xbadf1200",
		"[drm] nouveau 0000:01:00.0: PGRAPH: unsupported chipset, please report!",
		"EXT4-fs (sda1): magic: 00000001 00000002 00000003 00000004",
	};
	struct nvfifo_explanation e;
	unsigned int i, wrong = 0;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (nvfifo_explain(lines[i], 0, &e) == 1) {
			printf("# %s: taken for %s\n", lines[i], e.cls);
			wrong++;
		}

		nvfifo_explanation_free(&e);
	}
	tap(!wrong, "%zu other lines are left alone", sizeof(lines) / sizeof(lines[0]));
}

/* Lines of cards of other generations are named as such, and not decoded. */
static void test_other_generations(void)
{
	static const char *const lines[] = {
		"nouveau 0000:01:00.0: gr: GPC0/PROP trap: 00000020 [RT_HEIGHT_OVERRUN] x = 336, y = 1176, format = 11, storage type = 0",
		"nouveau 0000:01:00.0: fifo: read fault at 0000013000 engine 07 [PFIFO] client 07 [BAR_READ] reason 02 [PAGE_NOT_PRESENT] on channel 6 [007f7bb000 Xorg[1867]]",
		"nouveau 0000:01:00.0: fifo: fault 01 [WRITE] at 000000000069f000 engine 15 [CE0] client 01 [HUB/CE0] reason 02 [PTE] on channel 1 [00ff73d000 DRM]",
		"nouveau 0000:01:00.0: fifo: SCHED_ERROR 0a [CTXSW_TIMEOUT]",
		"nouveau 0000:01:00.0: fifo: PBDMA0: 00800000 [EMPTY_SUBC] ch 2 [001f8d2000 Xorg[900]] subc 0 mthd 0000 data 00000000",
		"nouveau E[   PFIFO][0000:01:00.0] read fault at 0x867e84f000 [PDE] from GR/GPC2/RAST on channel 0x003f61d000 [kwin_x11[697]]",
		"[drm] nouveau 0000:01:00.0: PGRAPH - ERROR nsource: METHOD_CNT nstatus: INVALID_STATE",
		"nouveau 0000:01:00.0: gr: DATA_ERROR 0000009c [] ch 5 [00ff976000 x[1]] subc 0 class c197 mthd 0d78 data 00000004",
		"nouveau 0000:01:00.0: gr: intr 00000001 ch 2 [001fb13000 x[1]] subc 3 class 4497 mthd 1ffc data 00000000",
	};
	struct nvfifo_explanation e;
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		bool ok = nvfifo_explain(lines[i], 0, &e) == 1 && !strcmp(e.cls, "other_family") &&
			  nvfifo_row_get(&e.fields, "generation");

		tap(ok, "another generation: %.60s", lines[i]);
		nvfifo_explanation_free(&e);
	}
}

/* Real lines, cut and with changed bytes. */
static void test_garbage(const char *path)
{
	uint64_t seed = 7;
	struct nvfifo_explanation e;
	unsigned int i, understood = 0;
	char *data, line[400];
	size_t len, at, n, j;

	data = tap_file(path, &len);
	for (i = 0; i < 20000; i++) {
		at = tap_random(&seed) % len;
		n = tap_random(&seed) % (sizeof(line) - 1);
		if (n > len - at)
			n = len - at;
		memcpy(line, data + at, n);
		line[n] = '\0';
		for (j = 0; j < n; j++) {
			if (tap_random(&seed) % 40 == 0)
				line[j] = (char)(tap_random(&seed) % 255 + 1);
		}
		understood += nvfifo_explain(line, 0x84, &e) == 1;
		nvfifo_explanation_free(&e);
	}
	tap(understood, "%u of 20000 damaged lines understood, none does harm", understood);
	free(data);
}

/* Each wording of nouveau, of Linux 2.6.38 to 6.12, that no line of dmesg.jsonl has. */
static const struct {
	const char *line, *cls, *fields;
} nouveau_lines[] = {
	{ "nouveau 0000:01:00.0: gr: TRAP_PROP - TP 0 - e0c: 00000000, e18: 00000001, e1c: 00000040, e20: 00001100, e24: 00030000", "engine_trap",
	  "{\"unit\": \"PROP\", \"tp\": 0, \"e18\": \"00000001\", \"e1c\": \"00000040\", \"e20\": \"00001100\", \"e24\": \"00030000\"}" },
	{ "nouveau 0000:01:00.0: gr: TRAP_MP_EXEC - TP 1 MP 0: 00000010 [INVALID_OPCODE] at 0002a8 warp 3, opcode f0000001 e0000000", "engine_trap",
	  "{\"tp\": 1, \"mp\": 0, \"bits\": \"INVALID_OPCODE\", \"pc\": \"0002a8\", \"warp\": 3, \"opcode\": \"f0000001 e0000000\"}" },
	{ "nouveau 0000:01:00.0: gr: magic set 1:", "engine_trap",
	  "{\"unit\": \"TEXTURE\", \"tp\": 1}" },
	{ "nouveau 0000:01:00.0: gr: \t00409904: 00000005", "engine_trap",
	  "{\"unit\": \"TEXTURE\", \"register\": \"409904\", \"data\": \"00000005\"}" },
	{ "nouveau 0000:01:00.0: gr: TRAP_MP - TP2: Unhandled ustatus 10000000", "engine_trap",
	  "{\"unit\": \"MP\", \"tp\": 2, \"ustatus\": \"10000000\", \"bits\": \"UNK28\"}" },
	{ "nouveau 0000:01:00.0: gr: TRAP: no units reporting traps?", "engine_trap",
	  "{\"units\": \"none\"}" },
	{ "nouveau 0000:01:00.0: gr: TRAP: unknown 00000200", "engine_trap",
	  "{\"trap\": \"00000200\", \"units\": \"UNK9\"}" },
	{ "nouveau 0000:01:00.0: gr: TRAP_DISPATCH (unknown 00000004)", "engine_trap",
	  "{\"unit\": \"DISPATCH\", \"ustatus\": \"00000004\"}" },
	{ "nouveau 0000:01:00.0: gr: TRAP_UNKC04 00000001", "engine_trap",
	  "{\"unit\": \"UNKC04\", \"ustatus\": \"00000001\"}" },
	{ "nouveau 0000:01:00.0: gr: no stuck command?", "engine_trap",
	  "{\"unit\": \"DISPATCH\"}" },
	{ "nouveau 0000:01:00.0: gr: ch 3 [000f0e1000 Xorg[1234]] subc 5 class 5039 mthd 0104 data 00000001beef0002 400808 80050104 400848 00000001", "engine_trap",
	  "{\"unit\": \"DISPATCH\", \"channel\": 3, \"inst\": \"000f0e1000\", \"owner\": \"Xorg[1234]\", \"subchannel\": 5, \"method\": \"0104\", \"data_high\": \"00000001\", \"data\": \"beef0002\", \"r400808\": \"80050104\", \"r400848\": \"00000001\"}" },
	{ "nouveau 0000:01:00.0: gr: ch 3 [000f0e1000 Xorg[1234]] subc 3 class 8297 mthd 1b0c data 0000f002 40084c 80031b0c", "engine_trap",
	  "{\"data\": \"0000f002\", \"r40084c\": \"80031b0c\"}" },
	{ "nouveau 0000:01:00.0: gr: TRAP_M2MF 00000a41 00201000 00000000 04000430", "engine_trap",
	  "{\"unit\": \"M2MF\", \"r406804\": \"00000a41\", \"r406808\": \"00201000\", \"r406810\": \"04000430\"}" },
	{ "nouveau 0000:01:00.0: gr: TRAP_VFETCH 00000001 00000002 00000003 00000004", "engine_trap",
	  "{\"r400c00\": \"00000001\", \"r400c08\": \"00000002\", \"r400c0c\": \"00000003\", \"r400c10\": \"00000004\"}" },
	{ "nouveau 0000:01:00.0: gr: TRAP_STRMOUT 00000001 00000002 00000003 00000004", "engine_trap",
	  "{\"r401804\": \"00000001\", \"r401810\": \"00000004\"}" },
	{ "nouveau 0000:01:00.0: gr: TRAP_CCACHE 000e0080 00000001 00000002 00000003 00000004 00000005 00000006", "engine_trap",
	  "{\"r405000\": \"000e0080\", \"r40501c\": \"00000006\"}" },
	{ "nouveau 0000:01:00.0: PGRAPH - TRAP_M2MF_OUT - Ch 2/5 Class 0x5039 Mthd 0x0328 Data 0x00000001:0x00000002", "engine_trap",
	  "{\"unit\": \"M2MF\", \"channel\": 2, \"subchannel\": 5, \"method\": \"0328\", \"data_high\": \"00000001\", \"data\": \"00000002\"}" },
	{ "nouveau 0000:01:00.0: PGRAPH - DATA_ERROR INVALID_VALUE", "data_error",
	  "{\"error\": \"INVALID_VALUE\", \"code\": \"00000004\"}" },
	{ "nouveau 0000:01:00.0: PGRAPH - DATA_ERROR - Ch 2/3 Class 0x8297 Mthd 0x0230 Data 0x00000000:0x00000001", "data_error",
	  "{\"channel\": 2, \"subchannel\": 3, \"method\": \"0230\", \"data\": \"00000001\"}" },
	{ "nouveau 0000:01:00.0: PGRAPH - ch 2 (0x0000123000) subc 3 class 0x8297 mthd 0x15e0 data 0x00000000", "illegal_mthd",
	  "{\"channel\": 2, \"inst\": \"0000123000\", \"subchannel\": 3, \"method\": \"15e0\"}" },
	{ "nouveau 0000:01:00.0: VM: trapped read at 0x0020116000 on ch 2 [0x00001d2f] PGRAPH/VFETCH/00 reason: PAGE_NOT_PRESENT", "vm_fault",
	  "{\"channel\": 2, \"desc\": \"00001d2f\", \"units\": \"PGRAPH/VFETCH/00\"}" },
	{ "nouveau 0000:01:00.0: fb: trapped write at 0x00005756c0 on channel 0x0000fbce [Xorg[9]] PGRAPH/DISPATCH/M2MF_OUT reason: PAGE_NOT_PRESENT", "vm_fault",
	  "{\"access\": \"write\", \"desc\": \"0000fbce\", \"owner\": \"Xorg[9]\"}" },
	{ "nouveau 0000:01:00.0: cipher: 00000004 [ILLEGAL_CLASS] ch 3 [000f0e1000 Xorg[1234]] mthd 0000 data 00000007", "cipher_error",
	  "{\"channel\": 3, \"inst\": \"000f0e1000\", \"owner\": \"Xorg[1234]\", \"data\": \"00000007\"}" },
	{ "nouveau 0000:01:00.0: ce0: DISPATCH_ERROR 0002 [ILLEGAL_MTHD] ch 3 [000f0e1000 Xorg[1234]] subc 1 mthd 0300 data 00000007", "engine_error",
	  "{\"error\": \"ILLEGAL_MTHD\", \"code\": \"0002\", \"channel\": 3, \"subchannel\": 1, \"method\": \"0300\", \"data\": \"00000007\"}" },
	{ "nouveau 0000:01:00.0: fifo: unknown intr 0x00010000, ch 3", "interrupt",
	  "{\"channel\": 3, \"interrupt\": \"00010000\"}" },
	{ "nouveau 0000:01:00.0: PFIFO_INTR 0x00100010 - Ch 3", "interrupt",
	  "{\"channel\": 3, \"interrupt\": \"00100010\"}" },
	{ "WARNING: drivers/gpu/drm/nouveau/nvkm/engine/fifo/g84.c:132 at g84_ectx_bind+0x1c2/0x1e0 [nouveau], CPU#1: Xorg/849", "wait_timeout",
	  "{\"function\": \"g84_ectx_bind\", \"file\": \"nvkm/engine/fifo/g84.c:132\", \"owner\": \"Xorg[849]\"}" },
	{ "WARNING: CPU: 0 PID: 12 at drivers/gpu/drm/nouveau/nouveau_bo.c:223 nouveau_bo_move+0x1aa/0x1f0 [nouveau]", "warning",
	  "{\"function\": \"nouveau_bo_move\", \"file\": \"nouveau_bo.c:223\", \"pid\": 12}" },
	{ "nouveau: kernel rejected pushbuf: Argumento inv\u00e1lido", "request", "{\"errno\": 22}" },
	{ "nouveau: kernel rejected pushbuf: Nep\u0159\u00edpustn\u00fd argument", "request", "{\"errno\": 22}" },
	{ "nouveau 0000:01:00.0: fifo: still angry after 101 spins, halt", "interrupt",
	  "{}" },
	{ "nouveau 0000:01:00.0: bus: intr 04000000", "interrupt",
	  "{\"interrupt\": \"04000000\", \"USER0\": \"1\"}" },
	{ "nouveau 0000:01:00.0: mc: unknown intr 20000000", "interrupt",
	  "{\"interrupt\": \"20000000\", \"PPCI\": \"1\"}" },
};

/* A register and its value, and nothing else */
static void test_registers(void)
{
	static const struct {
		const char *line;
		const char *reg;	/* NULL: no register */
	} rows[] = {
		{ "  PGRAPH_STATUS          00000503", "PGRAPH.STATUS" },
		{ "PGRAPH_VSTATUS0: 00000008", "PGRAPH.VSTATUS_0" },
		{ "pgraph_status = 0x503", "PGRAPH.STATUS" },
		{ "PMC_INTR               00000000", "PMC.INTR_HOST" },
		{ "PFIFO_CACHE1_CHID      ffffffff", "CACHE1.PUSH1" },
		{ "00400700: 00000503", "PGRAPH.STATUS" },
		{ "0x400700 = 0x00000503", "PGRAPH.STATUS" },
		{ "  * 400700  00000503", "PGRAPH.STATUS" },
		{ "PGRAPH_STATUS 503", NULL },
		{ "00000000: 20010000", NULL },
		{ "00002001: 00000503", NULL },
		{ "00400700: 00000503 00000000", NULL },
		{ "400700 503", NULL },
		{ "status 00000503", NULL },
		{ "PGRAPH_STATUS 00000503 and more", NULL },
		{ "deadbeef 00000503", NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct nvfifo_explanation e;
		const char *reg = NULL;
		bool ok;

		if (nvfifo_explain(rows[i].line, 0, &e) == 1 && !strcmp(e.cls, "register"))
			reg = nvfifo_row_get(&e.fields, "register");
		ok = !reg == !rows[i].reg;
		if (ok && reg)
			ok = !strcmp(reg, rows[i].reg) && *e.advice;
		tap(ok, "'%s' is %s", rows[i].line, rows[i].reg ? rows[i].reg : "no register");
		nvfifo_explanation_free(&e);
	}
}

static void test_nouveau(void)
{
	size_t i;

	for (i = 0; i < sizeof(nouveau_lines) / sizeof(nouveau_lines[0]); i++)
		check("nouveau", nouveau_lines[i].line, nouveau_lines[i].cls, nouveau_lines[i].fields);
}

/* Rows of a user come before those of the program. The message of a mistake has its line. */
static void test_own(void)
{
	static const struct {
		const char *text, *want;
	} mistakes[] = {
		{ "x \"frob\"", "t:1: x: no driver is named before it" },
		{ "driver d\nfrob", "t:2: 'frob' is neither" },
		{ "driver d\n\tstop", "t:2: a step, but no message before it" },
		{ "driver d\nx \"frob\"\n\ta hexx \"b\"", "t:3: a: 'hexx' is no type; there are number, " },
		{ "driver d\nx \"frob\"\n\ta hex \"b\"", "t:3: a: hex needs a number of digits, 1 to 16" },
		{ "driver d\nx \"frob\"\n\ta bits \"b\"", "t:3: a: '' is no table of names; there are pull0, " },
		{ "driver d\nx \"frob\"\n\ta register PFIFO.FROB \"b\"", "t:3: a: 'PFIFO.FROB' is no register" },
		{ "driver d\nx \"frob\"\n\ta number b", "t:3: a: number reads the line, no field" },
		{ "driver d\nx \"frob\"\n\ta hex 8 b[0:1]", "t:3: a: 'b[0:1]' has no [HIGH:LOW]" },
		{ "driver d\nx \"frob\"\n\tdo chanel", "did you mean channel" },
		{ "driver d\nx \"frob\"\n\twhen", "t:3: when: a \"text\" of the line or a field is missing" },
		{ "table t\n\ta b", "t:2: t: KEY = TEXT is missing" },
	};
	struct nvfifo_explanation e;
	size_t i;

	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		bool refused = nvfifo_explain_messages("t", mistakes[i].text) == -EINVAL;

		if (!tap(refused && strstr(nvfifo_last_error(), mistakes[i].want), "a mistake: %s", mistakes[i].want))
			printf("# %s\n", nvfifo_last_error());
	}

	tap(!nvfifo_explain_messages("t", "driver d\nmine \"failed to idle channel\"\n\tchannel number \"channel\"\n"
				     "\tlow decimal channel[3:1]\n\tmeaning = {channel} is late\n"),
	    "a row of a user");
	check("mine", "nouveau 0000:01:00.0: failed to idle channel 13", "mine",
	      "{\"channel\":13,\"low\":6,\"meaning\":\"13 is late\"}");
	tap(nvfifo_explain("nouveau 0000:01:00.0: fifo: CACHE_ERROR - ch 2 subc 0 mthd 0060 data beef0201", 0, &e) == 1 &&
		    !strcmp(e.cls, "cache_error"), "other rows stay");
	nvfifo_explanation_free(&e);
}

int main(void)
{
	test_real();
	test_wordings();
	test_nouveau();
	test_registers();
	test_others();
	test_other_generations();
	test_garbage("tests/data/dmesg.jsonl");
	test_garbage("tests/data/log-forms.jsonl");
	test_own();
	return tap_end();
}
