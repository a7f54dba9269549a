// SPDX-License-Identifier: MIT
/*
 * The model in the command's process. All examples run on all chipsets as they do on a card.
 * Other programs end in each kind of error. Each run has the same result.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/tests/tap.h"
#include "../../sim/nvsim.h"
#include "../model/model.h"
#include "../model/priv.h"
#include "nvfifo_exec.h"

static const char *const examples[] = {
	"01-refcnt-semaphore", "02-semaphore-pair", "03-m2mf-copy", "04-m2mf-tiled",
	"05-2d-fill", "06-2d-blit", "07-notify-query", "08-drawing", "09-dma-mode",
	"10-user-queue", "11-object-attributes", "12-event", "13-spaces",
	"14-software-method", NULL,
};

static char text[1 << 20];
static __u32 image_sum;

static int on_image(void *ctx, const struct nvfifo_prog_image *im, const unsigned char *rgb,
		    char *out)
{
	size_t i;

	(void)ctx;
	(void)out;
	for (i = 0; i < (size_t)im->width * im->height * 3; i++)
		image_sum = image_sum * 31 + rgb[i];

	return 0;
}

struct result {
	int ret;
	bool skipped;
	unsigned int failures;
	unsigned int violations;
	char first[256];	/* the first difference */
	struct drm_nvfifo_channel_query state;
	__u32 image_sum;
};

static void keep_result(struct nvfifo_exec *x, const struct model *model, struct result *r)
{
	size_t i;

	r->failures = x->failures;
	r->violations = model_violations(model);
	r->image_sum = image_sum;
	for (i = 0; i < x->check_count && !*r->first; i++) {
		if (!x->checks[i].ok)
			snprintf(r->first, sizeof(r->first), "%s", x->checks[i].text);
	}
	if (r->ret)
		snprintf(r->first, sizeof(r->first), "%.250s", x->refused);
	if (!r->ret && !r->skipped)
		r->state = x->states[0];
}

static void execute(struct nvfifo_exec *x, const char *program, const struct model *model,
		    struct result *r)
{
	struct drm_nvfifo_query_device card;
	struct nvfifo_prog prog;
	struct nvfifo_diag diag;

	r->ret = nvfifo_query_device(x->dev, &card);
	if (r->ret)
		return;

	r->ret = nvfifo_prog_read(program, strlen(program), card.va_start, card.va_end, &prog,
				  &diag);
	if (r->ret) {
		snprintf(r->first, sizeof(r->first), "%u: %.240s", diag.line, diag.text);
		return;
	}

	x->prog = &prog;
	x->chipset = card.chipset;
	r->skipped = nvfifo_exec_missing(&prog, card.features);
	image_sum = 0;
	if (!r->skipped)
		r->ret = nvfifo_exec_run(x);
	keep_result(x, model, r);
	nvfifo_exec_free(x);
	nvfifo_prog_free(&prog);
	x->prog = NULL;
}

/* @failure: a line for the card, such as "delay method 5000", or NULL */
static struct result run_failing(const char *chipset, const char *program, const char *failure)
{
	static const struct nvfifo_exec_ops ops = { .image = on_image };
	struct nvfifo_exec x = { .timeout_ns = 1000000000, .ops = &ops };
	struct nvfifo_dev *dev;
	struct result r = { 0 };
	struct model *model;

	r.ret = model_open(chipset, NULL, &model, &dev);
	if (r.ret)
		return r;

	if (failure && !nvsim_command(model->sim, failure, r.first, sizeof(r.first)))
		r.ret = -EINVAL;
	else
		r.first[0] = 0;

	x.dev = dev;
	if (!r.ret)
		execute(&x, program, model, &r);
	nvfifo_close(dev);

	return r;
}

static struct result run_text(const char *chipset, const char *program)
{
	return run_failing(chipset, program, NULL);
}

static struct result run_example(const char *chipset, const char *name)
{
	struct result r = { .ret = -ENOENT };
	char path[100];
	size_t len = 0;
	FILE *f;

	snprintf(path, sizeof(path), "examples/%s.nvp", name);
	f = fopen(path, "r");
	if (!f)
		return r;

	len = fread(text, 1, sizeof(text) - 1, f);
	text[len] = '\0';
	fclose(f);

	return run_text(chipset, text);
}

/* G80 has no semaphores of 64 bits, and two examples are about them. */
static bool may_be_skipped(const char *chipset, const char *example)
{
	return !strcasecmp(chipset, "g80") &&
	       (!strncmp(example, "02", 2) || !strncmp(example, "09", 2));
}

static void t_examples(const char *chipset)
{
	const char *const *e;

	for (e = examples; *e; e++) {
		struct result r = run_example(chipset, *e);
		bool ok = !r.ret && !r.failures && !r.violations &&
			  r.skipped == may_be_skipped(chipset, *e);

		if (!tap(ok, "%s on %s", *e, chipset))
			printf("# ret %d, %u failures, %u violations: %s\n", r.ret, r.failures,
			       r.violations, r.first);
	}
}

static void t_repeat(void)
{
	struct result a = run_example("g84", "08-drawing");
	struct result b = run_example("g84", "08-drawing");

	tap(a.image_sum && a.image_sum == b.image_sum, "the picture is the same each time");
}

struct mistake {
	const char *what;
	const char *push;
	__u32 error;
	__u32 code;
};

static const struct mistake mistakes[] = {
	{ "no object", "mthd 0 DMA_SEMAPHORE : 0xdead", DRM_NVFIFO_ERROR_CACHE, 0x10 },
	{ "no command", ".word 0xe0000000", DRM_NVFIFO_ERROR_PUSHER, 4 },
	{ "no engine", "mthd 3 0x200 : 1", DRM_NVFIFO_ERROR_CACHE, 0x100 },
	{ "class", "mthd 2 OBJECT : 0x5039\n mthd 2 0x1ff0 : 1", DRM_NVFIFO_ERROR_GRAPH, 0x10 },
};

static void t_mistakes(const char *chipset)
{
	size_t i;

	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		const struct mistake *k = &mistakes[i];
		char program[400];
		struct result r;
		bool ok;

		snprintf(program, sizeof(program),
			 "channel ch0\nobject 0x5039 class M2MF\npush main {\n %s\n}\n"
			 "submit ch0 main\nwait\n", k->push);
		r = run_text(chipset, program);
		ok = !r.ret && r.failures == 2 && !r.violations && r.state.error == k->error &&
		     (r.state.error_code & k->code) == k->code;
		if (!tap(ok, "%s on %s ends the channel", k->what, chipset))
			printf("# ret %d, %u failures, error %u code 0x%x: %s\n", r.ret, r.failures,
			       r.state.error, r.state.error_code, r.first);
	}
}

/* RAMFC's SLI.ENABLE: without it the pusher does not know the command. */
static void t_sli_off(const char *chipset)
{
	struct result r = run_text(chipset, "channel ch0 sli off\nchannel other sli 2\n"
				   "push p {\n mthd 0 REF_CNT : 7\n sli 2\n mthd 0 REF_CNT : 8\n}\n"
				   "submit ch0 p\nsubmit other p\nwait\nexpect ref other 8\n"
				   "expect dead ch0 pusher 4\nexpect ref ch0 7\n");

	if (!tap(!r.ret && !r.failures && !r.violations &&
		 r.state.error == DRM_NVFIFO_ERROR_PUSHER && r.state.error_data == 0x00010020,
		 "sli off on %s: an SLI conditional ends the channel, and no other", chipset))
		printf("# ret %d, %u failures: %s\n", r.ret, r.failures, r.first);
}

/* RAMFC's DMA_LIMIT: the last word is read, and none past it. */
static void t_last(const char *chipset, unsigned int last)
{
	static const char text[] =
		"buffer w 64K\nbuffer sem 4K\nchannel ch0 dma w last w+0x%x\n"
		"object 0x11 dma rw sem 4K\npush p at w linear {\n"
		" mthd 0 DMA_SEMAPHORE : 0x11\n mthd 0 SEMAPHORE_OFFSET : 0\n"
		" mthd 0 SEMAPHORE_RELEASE : 1\n mthd 0 SEMAPHORE_OFFSET : 4\n"
		" mthd 0 SEMAPHORE_RELEASE : 2\n}\nsubmit ch0 p\n%s";
	const char *steps = "expect dead ch0 pusher 6\nexpect sem 1, 0\n";
	const char *what = "MEM_FAULT past it";
	__u32 state = DRM_NVFIFO_CHANNEL_DEAD;
	char program[600];
	struct result r;

	if (last == 0x24) {
		steps = "poll sem+4 2\n";
		what = "all is read";
		state = DRM_NVFIFO_CHANNEL_ALIVE;
	}
	snprintf(program, sizeof(program), text, last, steps);
	r = run_text(chipset, program);
	if (!tap(!r.ret && !r.failures && !r.violations && r.state.state == state,
		 "last w+0x%x on %s: %s", last, chipset, what))
		printf("# ret %d, %u failures, error %u: %s\n", r.ret, r.failures, r.state.error,
		       r.first);
}

/* Each step of it is in the fault record; others go on. */
static void t_fault(void)
{
	struct result r = run_text("g84", "buffer b 4K\nmap b at 0x30000000\nchannel ch0\n"
				   "channel other\nobject 0x11 dma rw 0x30000000 1M\npush p {\n"
				   " mthd 0 DMA_SEMAPHORE : 0x11\n"
				   " mthd 0 SEMAPHORE_OFFSET : 0x8000\n"
				   " mthd 0 SEMAPHORE_RELEASE : 1\n}\n"
				   "push q {\n mthd 0 REF_CNT : 7\n}\nsubmit ch0 p\n"
				   "submit other q\nwait\nexpect ref other 7\nexpect dead ch0\n");

	tap(!r.ret && !r.failures && r.state.error == DRM_NVFIFO_ERROR_SEMAPHORE && r.state.fault &&
	    r.state.fault_address == 0x30008000 && r.state.fault_write,
	    "a fault has its address, and another channel goes on");
}

/* Its trap comes after the methods, and the release does not wait for it. */
static void t_draw_fault(void)
{
	struct result r = run_text("g84", "buffer wide 4K system\nmap wide auto readonly\nchannel ch0\n"
				   "object 0xbeef502d class 2D\nobject 0xbeef0001 dma rw 0 all\n"
				   "push p {\n mthd 4 OBJECT : 0xbeef502d\n"
				   " mthd 4 2D.DMA_DST : 0xbeef0001\n"
				   " mthd 4 2D.DST_FORMAT : 0xe6, 1\n"
				   " mthd 4 2D.DST_PITCH : 128, 32, 8, hi(wide), lo(wide)\n"
				   " mthd 4 2D.CLIP_X : 0, 0, 32, 8, 1\n mthd 4 2D.OPERATION : 3\n"
				   " mthd 4 2D.DRAW_SHAPE : 4, 0xe6, 0x00ff8000\n"
				   " mthd 4 2D.DRAW_POINT32_X[0] : 2, 1, 6, 3\n}\n"
				   "submit ch0 p\nwait\nexpect dead ch0 graph\n");

	tap(!r.ret && !r.failures && !r.state.completed,
	    "the fence of a draw that faults fails: %s", r.first);
}

/* A wait that nothing ends takes the time that the card would wait, and none of ours. */
static void t_hang(void)
{
	struct result r = run_text("g84", "requires semaphore64\nbuffer sem 4K\nchannel ch0\n"
				   "object 0x11 dma rw sem 4K\npush p {\n"
				   " mthd 0 DMA_SEMAPHORE : 0x11\n"
				   " mthd 0 SEMAPHORE_ADDRESS_HIGH : 0, 0, 5, 1\n}\n"
				   "submit ch0 p as f\npending f 200\nwait\n");

	tap(!r.ret && r.failures == 1 && strstr(r.first, "has not signalled within 1000 ms"),
	    "a semaphore that nobody releases: %s", r.first);
}

/* "expect dead" waits: a card that takes 5 ms for a method has no error yet when SUBMIT returns. */
static void t_dead(void)
{
	static const char dies[] = "channel ch0\npush p {\n mthd 0 REF_CNT : 1\n .word 0xffffffff\n}\n"
				   "submit ch0 p\nexpect dead ch0 pusher\n";
	struct result r = run_text("g84", dies);

	tap(!r.ret && !r.failures, "a channel dies after SUBMIT: %s", r.first);

	r = run_failing("g84", dies, "delay method 5000");
	tap(!r.ret && !r.failures, "a channel dies long after SUBMIT: %s", r.first);

	r = run_text("g84", "channel ch0\npush p {\n mthd 0 REF_CNT : 1\n}\nsubmit ch0 p\n"
			    "expect dead ch0\n");
	tap(r.failures == 1 && strstr(r.first, "is alive after 1000 ms"), "one does not: %s",
	    r.first);
}

struct bad_line {
	const char *buffer;
	const char *line;	/* the third one of the program */
	const char *error;
	unsigned int column;
};

static const struct bad_line bad_lines[] = {
	{ "vram", "map b auto kind 0x05", "kind: there is no such", 12 },
	{ "vram", "map b auto kind 0x7f", "kind: there is no such", 12 },
	{ "vram", "map b auto kind 0x44", "kind: this storage type exists from G200", 12 },
	{ "system", "map b auto compression single", "compression: it is for VRAM", 12 },
	{ "vram", "map b at 0x40001000 compression double", "compression: it needs pages", 21 },
	{ "vram", "map b auto pages 16K", "pages: 16K exist", 12 },
	{ "system", "map b auto readonly pages 64K", "pages: system memory", 21 },
	{ "system", "map b auto nosnoop", "nosnoop: it needs memory", 12 },
	{ "vram", "map b auto nosnoop", "nosnoop: it is for system", 12 },
	{ "vram", "map b auto long_cycle", "long_cycle: only G80", 12 },
	{ "vram", "map b auto encrypted", "encrypted: it is for system", 12 },
	{ "vram lsr", "map b auto", "kind: LSR kinds", 1 },
	{ "system", "object 0x11 dma rw b 4K cycle long", "cycle: only G80", 25 },
	{ "vram", "object 0x11 dma rw b 4K kind 0x05", "kind: there is no such", 25 },
};

/* The first error of a program's mappings and objects, with its column; NULL if there is none. */
static const char *attribute_error(const struct nvfifo_prog *prog, const char *program,
				   unsigned int *column)
{
	unsigned int line = prog->buffers[0].map_line;
	const char *why = nvfifo_prog_map_error(prog, &prog->buffers[0], 0x84);

	if (!why && prog->object_count) {
		why = nvfifo_prog_object_error(prog, &prog->objects[0], 0x84);
		line = prog->objects[0].line;
	}
	if (why)
		*column = nvfifo_prog_column(program, strlen(program), line, why);

	return why;
}

/* The calls refuse the mistakes that lint finds beforehand, at the same place. */
static void t_bad_line(const struct bad_line *bad)
{
	unsigned int column = 0;
	struct nvfifo_prog prog;
	struct nvfifo_diag diag;
	char program[400];
	const char *why = NULL;
	struct result r;

	snprintf(program, sizeof(program),
		 "buffer b 64K %s\nchannel ch0\n%s\npush p {\n nop\n}\nsubmit ch0 p\nwait\n",
		 bad->buffer, bad->line);
	r = run_text("g84", program);
	if (!nvfifo_prog_read(program, strlen(program), NVFIFO_PROG_VA_START, NVFIFO_PROG_VA_END,
			      &prog, &diag)) {
		why = attribute_error(&prog, program, &column);
		nvfifo_prog_free(&prog);
	}
	if (!tap(why && !strncmp(why, bad->error, strlen(bad->error)) && column == bad->column &&
		 r.ret == -EINVAL, "%s: %s", bad->buffer, bad->line))
		printf("# column %u, %s; ret %d\n", column, why ? why : "no error", r.ret);
}

static __u32 create_bo(struct model *m, __u64 size, __u64 *offset)
{
	struct drm_nvfifo_bo_create bo = { .size = size, .domain = DRM_NVFIFO_DOMAIN_VRAM };

	if (model_call(m, DRM_IOCTL_NVFIFO_BO_CREATE, &bo))
		return 0;

	*offset = bo.mmap_offset;
	return bo.handle;
}

static int bind(struct model *m, __u32 op, __u32 vm, __u32 handle, __u64 va, __u64 range)
{
	struct drm_nvfifo_vm_bind_op one = { .op = op, .bo_handle = handle, .va = va, .range = range };
	struct drm_nvfifo_vm_bind args = {
		.vm_id = vm,
		.ops = { sizeof(one), 1, (uintptr_t)&one },
	};

	return model_call(m, DRM_IOCTL_NVFIFO_VM_BIND, &args);
}

/* Buffers come and go for longer than there is memory. */
static void t_memory(void)
{
	const __u32 map = DRM_NVFIFO_VM_BIND_OP_MAP, unmap = DRM_NVFIFO_VM_BIND_OP_UNMAP;
	const __u64 size = 16 << 20, va = 1ULL << 32;
	struct drm_nvfifo_vm_create vm = { 0 };
	struct drm_gem_close close = { 0 };
	__u64 offset = 0, size_now;
	struct nvfifo_dev *dev;
	struct model *m;
	const char *label;
	int i, ret;

	ret = model_open("g96", NULL, &m, &dev);
	if (ret) {
		tap(false, "the model opens");
		return;
	}

	model_call(m, DRM_IOCTL_NVFIFO_VM_CREATE, &vm);
	for (i = 0; i < 100 && !ret; i++) {
		close.handle = create_bo(m, size, &offset);
		if (!close.handle)
			break;
		if (*(const __u8 *)model_buffer(m, 0, &size_now, &label))
			break;
		*(__u8 *)(uintptr_t)model_buffer(m, 0, &size_now, &label) = 1;
		ret = bind(m, map, vm.id, close.handle, va, size);
		if (!ret && bind(m, map, vm.id, close.handle, va, size) != -EEXIST)
			break;
		model_call(m, DRM_IOCTL_GEM_CLOSE, &close);
		if (!ret)
			ret = bind(m, unmap, vm.id, 0, va, size);
	}
	tap(i == 100 && !ret, "100 buffers of 16 MiB one after the other, each cleared");
	tap(bind(m, unmap, vm.id, 0, va, size) == -EOPNOTSUPP, "what is not mapped");
	nvfifo_close(dev);
}

int main(void)
{
	const char *const *chipset;
	size_t i;

	for (chipset = nvsim_chipset_names; *chipset; chipset++) {
		t_examples(*chipset);
		t_mistakes(*chipset);
		t_sli_off(*chipset);
		t_last(*chipset, 0x24);
		t_last(*chipset, 0x20);
	}
	t_memory();
	t_repeat();
	t_fault();
	t_draw_fault();
	t_hang();
	t_dead();
	for (i = 0; i < sizeof(bad_lines) / sizeof(bad_lines[0]); i++)
		t_bad_line(&bad_lines[i]);

	return tap_end();
}
