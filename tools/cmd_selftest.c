// SPDX-License-Identifier: MIT
/*
 * "nvfifo selftest": the first program for a real card. Each step uses only functions that earlier
 * steps have tested. The first one that fails ends the test, because later steps would fail for the
 * same reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "json.h"
#include "nvfifo_exec.h"
#include "nvfifo_explain.h"
#include "nvfifo_text.h"
#include "options.h"
#include "questions.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo selftest [OPTIONS]\n\n"
	"Try a card step by step, from opening it to channels that wait for each other,\n"
	"and stop at the first step that fails, with what to do next. The results go\n"
	"into one report file, to be sent with a bug report. It takes some seconds.\n\n"
	"If root runs it, and the event nvfifo_access has been traced since the card's\n"
	"probe, the report also answers open questions about the hardware, and contains\n"
	"all accesses of the card, which the model can repeat (nvsim --replay).\n"
	"hardware-bringup.rst says how.\n\n"
	"Options:\n"
	"  -d, --device D  /dev/dri/renderD128, or a PCI address such as 0000:01:00.0;\n"
	"                  the first card of the nvfifo driver if not given\n"
	"  --report FILE   default nvfifo-selftest.txt; '-' writes none\n"
	"  --faults        also the steps in which the card must refuse something: they\n"
	"                  kill a channel each\n"
	"  --timeout S     seconds that a step waits for the card, default 20\n"
	"  --tracefs DIR   default /sys/kernel/tracing\n"
	"  --json          the result as one object of JSON instead of text\n"
	"  --color WHEN    auto (default), always, never\n\n"
	"Exit codes: 0 all steps passed, 1 a step failed, 2 a wrong option, 3 no card.\n\n"
	"Examples:\n"
	"  nvfifo selftest\n"
	"  nvfifo selftest --faults --report g84.txt\n";

struct selftest {
	struct nvfifo_dev *dev;
	FILE *report;
	const char *tracefs;
	struct nvfifo_json json;	/* of standard output */
	__s64 timeout_ns;
	int version[3];
	struct drm_nvfifo_query_device d;
	struct drm_nvfifo_query_limits l;
	struct nvfifo_bo mem;
	struct nvfifo_bo push;
	struct nvfifo_bo other;
	__u32 vm;
	__u32 channel;
	__u32 syncobj;
	unsigned int push_words; /* used of the pushbuffer, so that none is reused too soon */
	char why[400];
};

enum {
	ALWAYS,
	NEEDS_G84,
	NEEDS_FAULTS,
};

/**
 * struct step - A step of the test
 * @name: fact that a pass shows
 * @run: tries it; 0, or -1 with the reason in struct selftest
 * @needs: which cards and options it is for
 * @advice: advice for a failure
 */
struct step {
	const char *name;
	int (*run)(struct selftest *t);
	int needs;
	const char *advice;
};

#define MEM_VA	0x20000000ULL
#define PUSH_VA 0x20010000ULL
#define RO_VA	0x20020000ULL
#define SEM	0xbeef0001u
#define MANY	1500

__attribute__((format(printf, 2, 3))) static int failed(struct selftest *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(t->why, sizeof(t->why), fmt, args);
	va_end(args);

	return -1;
}

/* The sentence of a library call that failed. */
static int call_failed(struct selftest *t)
{
	return failed(t, "%s", nvfifo_last_error());
}

static volatile __u32 *word(struct selftest *t, unsigned int offset)
{
	return (volatile __u32 *)((char *)t->mem.map + offset);
}

/* --- Work for the card --------------------------------------------------- */

static void begin(struct selftest *t, struct nvfifo_push *p)
{
	unsigned int room = (unsigned int)(t->push.size / 4);

	if (t->push_words + 64 > room)
		t->push_words = 0;
	nvfifo_push_init(p, (__u32 *)t->push.map + t->push_words, 64, NVFIFO_FORMAT_NV04);
}

static int submit_to(struct selftest *t, __u32 channel, struct nvfifo_push *p, __u32 syncobj)
{
	struct drm_nvfifo_entry e = {
		.address = PUSH_VA + t->push_words * 4ull,
		.words = (__u32)nvfifo_push_words(p),
	};
	struct drm_nvfifo_sync s = { .flags = DRM_NVFIFO_SYNC_SIGNAL, .handle = syncobj };

	if (nvfifo_push_finish(p))
		return failed(t, "the test's own pushbuffer is wrong: %s",
			      nvfifo_push_error_text(p->error));
	t->push_words += e.words;
	__sync_synchronize();
	if (nvfifo_submit(t->dev, channel, &e, 1, &s, syncobj ? 1 : 0, NULL))
		return call_failed(t);

	return 0;
}

static int wait_for(struct selftest *t, __u32 syncobj)
{
	int status = 0;

	if (nvfifo_syncobj_wait(t->dev, syncobj, 0, t->timeout_ns) ||
	    nvfifo_syncobj_status(t->dev, syncobj, &status))
		return call_failed(t);

	return status < 0 ? failed(t, "the fence ended with an error: %s", strerror(-status)) : 0;
}

static int run_push(struct selftest *t, struct nvfifo_push *p)
{
	int ret = submit_to(t, t->channel, p, t->syncobj);

	return ret ? ret : wait_for(t, t->syncobj);
}

static void semaphore(struct nvfifo_push *p, __u32 offset, __u32 method, __u32 value)
{
	P_IMMD(p, 0, NVFIFO_MTHD_DMA_SEMAPHORE, SEM);
	P_IMMD(p, 0, NVFIFO_MTHD_SEMAPHORE_OFFSET, offset);
	P_IMMD(p, 0, method, value);
}

static int expect_word(struct selftest *t, unsigned int offset, __u32 want)
{
	__u32 have = *word(t, offset);

	return have == want ? 0 : failed(t, "memory at +0x%x is 0x%08x, expected 0x%08x", offset,
					 have, want);
}

/* A channel with a semaphore at @va, and a syncobj for its work */
static int make_channel(struct selftest *t, __u64 va, __u32 *channel, __u32 *syncobj)
{
	if (nvfifo_syncobj_create(t->dev, syncobj) ||
	    nvfifo_channel_create(t->dev, t->vm, 0, channel) ||
	    nvfifo_dma_object_create(t->dev, *channel, SEM, NVFIFO_CLASS_DMA_RW,
				     DRM_NVFIFO_ACCESS_VM, va, 65536))
		return call_failed(t);

	return 0;
}

/* Destroy a channel and its syncobj, each if it was made. */
static void free_channel(struct selftest *t, __u32 channel, __u32 syncobj)
{
	if (channel)
		nvfifo_channel_destroy(t->dev, channel);
	if (syncobj)
		nvfifo_syncobj_destroy(t->dev, syncobj);
}

/* --- Steps --------------------------------------------------------------- */

static int step_device(struct selftest *t)
{
	const char *name;

	if (nvfifo_driver_version(t->dev, t->version) || nvfifo_query_device(t->dev, &t->d) ||
	    nvfifo_query_limits(t->dev, &t->l))
		return call_failed(t);

	name = nvfifo_chipset_name(t->d.chipset);
	if (!name || strcmp(name, (const char *)t->d.name))
		return failed(t, "chipset 0x%x with the name %.16s is not in the table",
			      t->d.chipset, (const char *)t->d.name);
	if ((t->d.boot_0 >> 20 & 0x1ff) != t->d.chipset)
		return failed(t, "PMC_BOOT_0 0x%08x is another chipset than 0x%x", t->d.boot_0,
			      t->d.chipset);

	return 0;
}

static int step_memory(struct selftest *t)
{
	unsigned int i;

	if (nvfifo_bo_create(t->dev, 65536, DRM_NVFIFO_DOMAIN_SYSTEM, 0, &t->mem) ||
	    nvfifo_bo_map(t->dev, &t->mem) ||
	    nvfifo_bo_create(t->dev, 65536, DRM_NVFIFO_DOMAIN_SYSTEM, 0, &t->push) ||
	    nvfifo_bo_map(t->dev, &t->push))
		return call_failed(t);

	for (i = 0; i < 65536; i += 4) {
		if (*word(t, i))
			return failed(t, "a new buffer is not cleared: +0x%x is 0x%08x", i,
				      *word(t, i));
	}

	return 0;
}

static int step_map(struct selftest *t)
{
	if (nvfifo_vm_create(t->dev, &t->vm) ||
	    nvfifo_vm_map(t->dev, t->vm, &t->mem, MEM_VA, 0, 0) ||
	    nvfifo_vm_map(t->dev, t->vm, &t->push, PUSH_VA, 0, 0))
		return call_failed(t);
	return 0;
}

static int step_channel(struct selftest *t)
{
	struct drm_nvfifo_channel_query q;

	if (make_channel(t, MEM_VA, &t->channel, &t->syncobj))
		return -1;
	if (nvfifo_channel_query(t->dev, t->channel, &q))
		return call_failed(t);

	return q.state == DRM_NVFIFO_CHANNEL_DEAD ? failed(t, "the new channel is dead") : 0;
}

static int step_nop(struct selftest *t)
{
	struct nvfifo_push p;

	begin(t, &p);
	P_NOP(&p);
	return run_push(t, &p);
}

static int step_ref(struct selftest *t)
{
	struct drm_nvfifo_channel_query q;
	struct nvfifo_push p;

	begin(t, &p);
	P_IMMD(&p, 0, NVFIFO_MTHD_REF_CNT, 0xcafe0001);
	if (run_push(t, &p))
		return -1;
	if (nvfifo_channel_query(t->dev, t->channel, &q))
		return call_failed(t);

	return q.ref == 0xcafe0001 ? 0 : failed(t, "REF is 0x%08x, expected 0xcafe0001", q.ref);
}

static int step_release(struct selftest *t)
{
	struct nvfifo_push p;

	*word(t, 0x40) = 0xdeadbeef;
	begin(t, &p);
	semaphore(&p, 0x40, NVFIFO_MTHD_SEMAPHORE_RELEASE, 0x12345678);
	if (run_push(t, &p) || expect_word(t, 0x3c, 0) || expect_word(t, 0x40, 0x12345678))
		return -1;

	return expect_word(t, 0x44, 0);
}

static int step_acquire(struct selftest *t)
{
	struct nvfifo_push p;

	*word(t, 0x80) = 7;
	begin(t, &p);
	semaphore(&p, 0x80, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, 7);
	semaphore(&p, 0x84, NVFIFO_MTHD_SEMAPHORE_RELEASE, 8);

	return run_push(t, &p) ? -1 : expect_word(t, 0x84, 8);
}

/* The CPU releases the semaphore for which the card waits. */
static int step_wait(struct selftest *t)
{
	struct timespec pause = { .tv_nsec = 50000000 };
	struct nvfifo_push p;

	*word(t, 0x88) = 0;
	*word(t, 0x8c) = 0;
	begin(t, &p);
	semaphore(&p, 0x88, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, 5);
	semaphore(&p, 0x8c, NVFIFO_MTHD_SEMAPHORE_RELEASE, 6);
	if (submit_to(t, t->channel, &p, t->syncobj))
		return -1;

	nanosleep(&pause, NULL);
	if (*word(t, 0x8c))
		return failed(t, "the card did not wait for the semaphore");

	*word(t, 0x88) = 5;
	__sync_synchronize();

	return wait_for(t, t->syncobj) ? -1 : expect_word(t, 0x8c, 6);
}

static void long_release(struct nvfifo_push *p, __u64 address, __u32 value)
{
	P_IMMD(p, 0, NVFIFO_MTHD_DMA_SEMAPHORE, SEM);
	P_MTHD(p, 0, NVFIFO_MTHD_SEMAPHORE_ADDRESS_HIGH, 4);
	P_DATAH(p, address);
	P_DATAL(p, address);
	P_DATA(p, value);
	P_DATA(p, NVFIFO_TRIGGER_RELEASE);
}

static __u64 time_at(struct selftest *t, unsigned int offset)
{
	return *word(t, offset) | (__u64)*word(t, offset + 4) << 32;
}

static int step_time(struct selftest *t)
{
	struct nvfifo_push p;

	begin(t, &p);
	long_release(&p, 0x100, 0x11);
	long_release(&p, 0x110, 0x22);
	if (run_push(t, &p) || expect_word(t, 0x100, 0x11) || expect_word(t, 0x110, 0x22))
		return -1;

	if (!time_at(t, 0x108) || time_at(t, 0x118) < time_at(t, 0x108))
		return failed(t, "the times of two releases are 0x%" PRIx64 " and 0x%" PRIx64,
			      (uint64_t)time_at(t, 0x108), (uint64_t)time_at(t, 0x118));

	return 0;
}

static int step_interrupt(struct selftest *t)
{
	struct nvfifo_push p;

	*word(t, 0x140) = 0;
	begin(t, &p);
	semaphore(&p, 0x140, NVFIFO_MTHD_SEMAPHORE_RELEASE, 3);
	P_IMMD(&p, 0, NVFIFO_MTHD_NOTIFY_INTR, 0);
	if (submit_to(t, t->channel, &p, 0))
		return -1;
	if (nvfifo_channel_wait(t->dev, t->channel, word(t, 0x140), 3, t->timeout_ns))
		return call_failed(t);

	return 0;
}

static int step_many(struct selftest *t)
{
	struct nvfifo_push p;
	__u32 i;

	for (i = 1; i <= MANY; i++) {
		begin(t, &p);
		semaphore(&p, 0x200, NVFIFO_MTHD_SEMAPHORE_RELEASE, i);
		if (submit_to(t, t->channel, &p, i == MANY ? t->syncobj : 0))
			return -1;

		/* The words of the submissions under way must stay. */
		if (i % 64 == 0) {
			begin(t, &p);
			P_NOP(&p);
			if (run_push(t, &p))
				return -1;
		}
	}

	return wait_for(t, t->syncobj) ? -1 : expect_word(t, 0x200, MANY);
}

/* The same address with other memory: the MMU must have dropped the old translation. */
static int step_remap(struct selftest *t)
{
	struct nvfifo_push p;
	unsigned int i;

	if (nvfifo_bo_create(t->dev, 65536, DRM_NVFIFO_DOMAIN_SYSTEM, 0, &t->other) ||
	    nvfifo_bo_map(t->dev, &t->other))
		return call_failed(t);

	for (i = 0; i < 8; i++) {
		struct nvfifo_bo *to = i & 1 ? &t->mem : &t->other;
		volatile __u32 *at = (volatile __u32 *)((char *)to->map + 0x300);

		*at = 0;
		if (nvfifo_vm_unmap(t->dev, t->vm, MEM_VA, t->mem.size) ||
		    nvfifo_vm_map(t->dev, t->vm, to, MEM_VA, 0, 0))
			return call_failed(t);

		begin(t, &p);
		semaphore(&p, 0x300, NVFIFO_MTHD_SEMAPHORE_RELEASE, 0x5500 + i);
		if (run_push(t, &p))
			return -1;

		if (*at != 0x5500 + i)
			return failed(t, "round %u: the write went to the memory that was mapped before",
				      i);
	}

	return 0;
}

static int step_channels(struct selftest *t)
{
	__u32 second = 0, done = 0;
	struct nvfifo_push p;
	int ret = -1;

	*word(t, 0x400) = 0;
	*word(t, 0x404) = 0;
	if (make_channel(t, MEM_VA, &second, &done))
		goto out;

	/* One channel waits for the other, and answers. */
	begin(t, &p);
	semaphore(&p, 0x400, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, 1);
	semaphore(&p, 0x404, NVFIFO_MTHD_SEMAPHORE_RELEASE, 2);
	if (submit_to(t, t->channel, &p, t->syncobj))
		goto out;

	begin(t, &p);
	semaphore(&p, 0x400, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1);
	semaphore(&p, 0x404, NVFIFO_MTHD_SEMAPHORE_ACQUIRE, 2);
	semaphore(&p, 0x408, NVFIFO_MTHD_SEMAPHORE_RELEASE, 3);
	if (submit_to(t, second, &p, done) || wait_for(t, done) || wait_for(t, t->syncobj))
		goto out;

	ret = expect_word(t, 0x408, 3);
out:
	free_channel(t, second, done);

	return ret;
}

/* A channel that must die of @p. Return: 0 and its description. */
static int must_die(struct selftest *t, bool bad_word, struct drm_nvfifo_channel_query *q)
{
	__u32 channel = 0, done = 0;
	struct nvfifo_push p;
	int status, ret = -1;

	if (make_channel(t, RO_VA, &channel, &done))
		goto out;

	begin(t, &p);
	if (bad_word)
		P_IMMD(&p, 0, 0x04, 0x1234);
	else
		semaphore(&p, 0, NVFIFO_MTHD_SEMAPHORE_RELEASE, 1);
	if (submit_to(t, channel, &p, done))
		goto out;

	if (nvfifo_syncobj_wait(t->dev, done, 0, t->timeout_ns) ||
	    nvfifo_syncobj_status(t->dev, done, &status) ||
	    nvfifo_channel_query(t->dev, channel, q))
		call_failed(t);
	else if (status >= 0)
		failed(t, "the fence of work that the card must refuse ended without an error");
	else if (q->state != DRM_NVFIFO_CHANNEL_DEAD)
		failed(t, "the channel is alive after work that the card must refuse");
	else
		ret = 0;
out:
	free_channel(t, channel, done);

	/* The first channel must still work. */
	return ret ? ret : step_nop(t);
}

static int step_invalid(struct selftest *t)
{
	struct drm_nvfifo_channel_query q = { 0 };

	if (must_die(t, true, &q))
		return -1;

	if (q.error != DRM_NVFIFO_ERROR_PUSHER || q.error_code != NVFIFO_PUSHER_INVALID_MTHD ||
	    (q.error_method & 0x1ffc) != 4)
		return failed(t, "the error is %u, code %u, method 0x%x; expected the pusher's INVALID_MTHD of method 4",
			      q.error, q.error_code, q.error_method);

	return 0;
}

static int step_fault(struct selftest *t)
{
	struct drm_nvfifo_channel_query q = { 0 };
	const char *access = "nothing";

	if (must_die(t, false, &q))
		return -1;

	if (q.fault)
		access = q.fault_write ? "write" : "read";
	if (!q.fault || q.fault_address != RO_VA || !q.fault_write)
		return failed(t, "the fault record says %s of 0x%" PRIx64 ", expected a write of 0x%" PRIx64,
			      access, (uint64_t)q.fault_address, (uint64_t)RO_VA);

	return 0;
}

/* --- PGRAPH -------------------------------------------------------------- */

/* A program of "nvfifo run", with a channel and buffers of its own */
static const char copy_program[] =
	"buffer in 4K system\n"
	"buffer out 4K system\n"
	"buffer note 4K system\n"
	"fill in ramp 0xc0de0000 4 16\n"
	"channel ch0\n"
	"object 0xbeef5039 class M2MF\n"
	"object 0xbeef0001 dma rw 0 all\n"
	"object 0xbeef0002 dma rw note 4K\n"
	"push copy {\n"
	"	mthd 5 OBJECT : 0xbeef5039\n"
	"	mthd 5 M2MF.DMA_NOTIFY : 0xbeef0002, 0xbeef0001, 0xbeef0001\n"
	"	mthd 5 M2MF.LAYOUT_IN : 1\n"
	"	mthd 5 M2MF.LAYOUT_OUT : 1\n"
	"	mthd 5 M2MF.OFFSET_IN_HIGH : hi(in), hi(out)\n"
	"	mthd 5 M2MF.OFFSET_IN : lo(in), lo(out), 64, 64, 64, 1, 0x101, 0\n"
	"}\n"
	"submit ch0 copy as done\n"
	"wait done\n"
	"expect same in out 64\n"
	"expect out+64 0, 0\n";

/* Run a program on the card, and keep the first difference. */
static int run_program(struct selftest *t, const struct nvfifo_prog *prog)
{
	struct nvfifo_exec x = {
		.prog = prog,
		.dev = t->dev,
		.chipset = t->d.chipset,
		.timeout_ns = t->timeout_ns,
	};
	size_t i = 0;
	int ret = 0;

	if (nvfifo_exec_run(&x)) {
		ret = failed(t, "%s: %s", x.refused, nvfifo_last_error());
	} else if (x.failures) {
		while (i + 1 < x.check_count && x.checks[i].ok)
			i++;
		ret = failed(t, "%s", x.checks[i].text);
	}

	nvfifo_exec_free(&x);

	return ret;
}

/* The first work of PGRAPH: its context program and image, and a copy. */
static int step_graph(struct selftest *t)
{
	struct nvfifo_prog prog;
	struct nvfifo_diag diag;
	int ret;

	if (nvfifo_prog_read(copy_program, sizeof(copy_program) - 1, t->d.va_start, t->d.va_end,
			     &prog, &diag))
		return failed(t, "line %u of the program: %s", diag.line, diag.text);

	ret = run_program(t, &prog);
	nvfifo_prog_free(&prog);

	return ret;
}

static const struct step selftest_steps[] = {
	{ "the driver answers, and knows the chipset", step_device, ALWAYS,
	  "Does the program match the driver? Compare the versions in the report." },
	{ "buffers can be created and mapped, and are cleared", step_memory, ALWAYS,
	  "This does not involve the card. The kernel log tells more." },
	{ "an address space accepts mappings", step_map, ALWAYS,
	  "A flush that did not end is in the kernel log: the MMU does not answer. Was the card's VBIOS run?" },
	{ "a channel can be created", step_channel, ALWAYS,
	  "Instance memory or the channel table is not what the driver expects; see the kernel log." },
	{ "a NOP is executed", step_nop, ALWAYS,
	  "The first work for the card. If nothing at all happens, interrupts are lost: load the module with msi=0 and try again. A DMA_PUSHER line in the kernel log means that PFIFO does not see the pushbuffer." },
	{ "REF_CNT sets the reference counter", step_ref, ALWAYS,
	  "The pusher works, the puller does not." },
	{ "a semaphore release writes memory", step_release, ALWAYS,
	  "The write did not reach system memory, or went elsewhere: check the IOMMU, and the VM fault lines of the kernel log." },
	{ "a semaphore acquire that is met goes on", step_acquire, ALWAYS,
	  "The card does not read what the CPU wrote: caches are not coherent." },
	{ "a semaphore acquire waits for the CPU", step_wait, ALWAYS,
	  "The retry of acquires does not work; the page of open questions lists it as 'acquire timeout'." },
	{ "64-bit semaphores write the time", step_time, NEEDS_G84,
	  "PTIMER stands still, or the long release differs on this card: that is news, please report it." },
	{ "NOTIFY_INTR wakes a program", step_interrupt, NEEDS_G84,
	  "Interrupts are lost: load the module with msi=0 and try again." },
	{ "1500 submissions go round the ring", step_many, ALWAYS,
	  "A ring that wraps, or many fences: the report has GET and PUT." },
	{ "memory that is mapped anew is seen", step_remap, ALWAYS,
	  "PFIFO used an old translation: TLB flushes do not work on this card as they should. Please report it." },
	{ "two channels hand over a semaphore", step_channels, ALWAYS,
	  "PFIFO does not switch channels while one waits." },
	{ "a method that does not exist kills one channel only", step_invalid, NEEDS_FAULTS,
	  "The card's errors differ from what is known; the report has what it said." },
	{ "an unmapped address is reported where it is", step_fault, NEEDS_FAULTS,
	  "The fault record differs from what is known; the report has it." },
	{ "PGRAPH copies memory", step_graph, ALWAYS,
	  "PFIFO works and PGRAPH does not: its context program, its context image, or M2MF. A line of the kernel log names the trap or the busy units." },
};

#define STEPS (sizeof(selftest_steps) / sizeof(selftest_steps[0]))

/* --- The report ---------------------------------------------------------- */

static void report_channel(struct selftest *t)
{
	struct drm_nvfifo_channel_query q;

	if (!t->channel || nvfifo_channel_query(t->dev, t->channel, &q))
		return;

	fprintf(t->report,
		"\nchannel %u: state %u error %u code 0x%x method 0x%x data 0x%08x\n"
		"  get %010llx put %010llx mget %010llx ib_get %u ib_put %u ref %08x dma_state %08x method_count %u\n"
		"  submitted %llu completed %llu fault %u address %010llx engine %x client %x slot %x reason %x write %u\n",
		q.hw_id, q.state, q.error, q.error_code, q.error_method, q.error_data,
		q.get, q.put, q.mget, q.ib_get, q.ib_put, q.ref, q.dma_state, q.method_count,
		q.submitted, q.completed, q.fault, q.fault_address, q.fault_engine, q.fault_client,
		q.fault_slot, q.fault_reason, q.fault_write);
}

/* Print the kernel's log, if the user may read it. */
static void report_kernel_log(struct selftest *t)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char line[1024];
	ssize_t n;

	fputs("\nkernel log\n", t->report);
	if (fd < 0) {
		fprintf(t->report, "  cannot be read: %s\n", strerror(errno));
		return;
	}

	while ((n = read(fd, line, sizeof(line) - 1)) > 0 || (n < 0 && errno == EPIPE)) {
		struct nvfifo_explanation e;
		const char *text;

		if (n < 0)
			continue;

		line[n] = '\0';
		nvfifo_text_chomp(line);
		text = strchr(line, ';');
		if (!text || (!strstr(text, "nvfifo 0") && !strstr(text, "nvfifo:")))
			continue;

		fprintf(t->report, "  %s\n", text + 1);
		if (nvfifo_explain(text + 1, t->d.chipset, &e) == 1 && *e.advice)
			fprintf(t->report, "    => %s\n", e.advice);
		nvfifo_explanation_free(&e);
	}

	close(fd);
}

/* Keep the lines of a trace that are accesses of this card. */
static void keep_accesses(char *text, const char *card)
{
	char *out = text, *line, *next = text, want[64];

	snprintf(want, sizeof(want), "nvfifo_access: card=%s ", card);
	while ((line = strsep(&next, "\n"))) {
		size_t n = strlen(line);
		bool whole = next;	/* it had a newline */

		if (!whole || !strstr(line, want))
			continue;

		memmove(out, line, n);
		out[n] = '\n';
		out += n + 1;
	}

	*out = '\0';
}

/* Print the trace of the card's accesses, which only root may read. */
static void report_questions(struct selftest *t)
{
	const char *node = strstr(nvfifo_path(t->dev), "renderD");
	char path[PATH_MAX], *text = NULL;
	size_t len;

	snprintf(path, sizeof(path), "%s/trace", t->tracefs);
	if (!node || access(path, R_OK) || read_input(path, &text, &len))
		text = NULL;
	if (text)
		keep_accesses(text, node + strlen("renderD"));

	questions_write(t->report, text ? text : "");
	free(text);
}

static void report_head(struct selftest *t)
{
	struct utsname u;
	time_t now = time(NULL);
	char date[40];

	if (uname(&u))
		memset(&u, 0, sizeof(u));
	strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S UTC", gmtime(&now));
	fprintf(t->report, "nvfifo selftest, %s\nkernel %s %s %s\nnode %s PCI %s\n\n", date,
		u.sysname, u.release, u.machine, nvfifo_path(t->dev), nvfifo_pci_address(t->dev));
}

static void report_card(struct selftest *t)
{
	const struct drm_nvfifo_query_device *d = &t->d;

	fprintf(t->report,
		"\ndriver %d.%d.%d\n%.16s boot_0 %08x vram %llu bar1 %llu va %llx-%llx page_sizes %llx features %llx engines %x bound %x tags %u\n",
		t->version[0], t->version[1], t->version[2], (const char *)d->name, d->boot_0,
		d->vram_size, d->bar1_size, d->va_start, d->va_end, d->page_sizes, d->features,
		d->engines, d->bound_engines, d->tags);
}

/* --- Running ------------------------------------------------------------- */

static __s64 now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000ll + ts.tv_nsec / 1000;
}

static void tear_down(struct selftest *t)
{
	free_channel(t, t->channel, t->syncobj);
	if (t->vm)
		nvfifo_vm_destroy(t->dev, t->vm);
	nvfifo_bo_close(t->dev, &t->mem);
	nvfifo_bo_close(t->dev, &t->push);
	nvfifo_bo_close(t->dev, &t->other);
}

static bool wanted(const struct selftest *t, const struct step *s, bool faults)
{
	if (s->needs == NEEDS_G84)
		return t->d.features & DRM_NVFIFO_FEATURE_SEMAPHORE64;
	return s->needs != NEEDS_FAULTS || faults;
}

/* Return: the number of the step that failed, or STEPS. */
static size_t run_steps(struct selftest *t, bool faults, bool json)
{
	size_t i;

	if (json)
		nvfifo_json_print(&t->json, "{steps:[");

	for (i = 0; i < STEPS; i++) {
		const struct step *s = &selftest_steps[i];
		bool run = wanted(t, s, faults);
		__s64 start = now_us(), us;
		int ret = run ? s->run(t) : 0;
		const char *verdict = ret ? "FAILED" : "ok";
		enum color verdict_color = ret ? COLOR_BAD : COLOR_GOOD;

		if (!run) {
			verdict = "skipped";
			verdict_color = COLOR_DIM;
		}

		us = now_us() - start;
		fprintf(t->report, "%2zu %-7s %8lld us  %s\n", i + 1, verdict, (long long)us, s->name);
		if (json)
			nvfifo_json_print(&t->json, "{step:%zu name:%s verdict:%s us:%lld}", i + 1,
					  s->name, ret ? "failed" : verdict, us);
		else
			printf("%2zu  %s%-7s%s  %s\n", i + 1,
			       color(verdict_color), verdict, color(COLOR_OFF), s->name);
		fflush(stdout);
		if (ret)
			break;
	}

	return i;
}

static int self_test(struct selftest *t, const char *path, bool faults, bool json)
{
	size_t bad;

	t->report = strcmp(path, "-") ? fopen(path, "w") : fopen("/dev/null", "w");
	if (!t->report) {
		fprintf(stderr, "nvfifo: cannot write %s: %s\n", path, strerror(errno));
		return EXIT_USAGE;
	}

	report_head(t);
	bad = run_steps(t, faults, json);
	if (bad < STEPS)
		fprintf(t->report, "\n%s\n%s\n", t->why, selftest_steps[bad].advice);
	report_card(t);
	report_channel(t);
	report_kernel_log(t);
	report_questions(t);
	if (fclose(t->report))
		fprintf(stderr, "nvfifo: cannot write %s: %s\n", path, strerror(errno));
	if (json) {
		nvfifo_json_print(&t->json, "] passed:%i why:%s advice:%s report:%s}\n",
				  bad == STEPS, t->why,
				  bad < STEPS ? selftest_steps[bad].advice : "", path);
	} else if (bad < STEPS) {
		printf("\n%sStep %zu failed:%s %s\n%s\n", color(COLOR_BAD), bad + 1, color(COLOR_OFF),
		       t->why, selftest_steps[bad].advice);
	} else {
		printf("\n%sPASS%s: %.16s works as far as this test goes\n", color(COLOR_GOOD),
		       color(COLOR_OFF), (const char *)t->d.name);
	}

	if (!json && strcmp(path, "-"))
		printf("The report is in %s.\n", path);

	return bad < STEPS ? EXIT_DIFFERENT : EXIT_OK;
}

static int run(int argc, char **argv)
{
	const char *device = NULL, *report = "nvfifo-selftest.txt";
	bool faults = false, json = false;
	unsigned long timeout = 20;
	struct selftest t = { .json = JSON_TO(stdout), .tracefs = "/sys/kernel/tracing" };
	const struct option_row rows[] = {
		OPTION_TEXT("device", 'd', &device),
		OPTION_TEXT("report", 0, &report),
		OPTION_FLAG("faults", 0, &faults),
		OPTION_NUMBER("timeout", 0, &timeout, 1, 3600, " seconds"),
		OPTION_TEXT("tracefs", 0, &t.tracefs),
		OPTION_FLAG("json", 0, &json),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret;

	take_options(&cmd_selftest, rows, 0, argc, argv);
	t.timeout_ns = (__s64)timeout * 1000000000;
	if (nvfifo_open(device, &t.dev)) {
		device_error();
		fputs("Is the module loaded (modprobe nvfifo), and the card bound to it (dmesg | nvfifo explain)?\n"
		      "It must not be bound to nouveau. May you open the node (group render)?\n",
		      stderr);
		return EXIT_DEVICE;
	}

	ret = self_test(&t, report, faults, json);
	tear_down(&t);
	nvfifo_close(t.dev);

	return ret;
}

const struct subcommand cmd_selftest = {
	.name = "selftest",
	.summary = "try a card step by step, write a report",
	.help = help,
	.run = run,
};
