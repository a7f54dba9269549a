// SPDX-License-Identifier: MIT
/* The reader of text programs: valid, invalid and damaged ones. */
#include <errno.h>
#include <time.h>

#include "nvfifo_prog.h"
#include "tap.h"

static const char *const examples[] = {
	"examples/01-refcnt-semaphore.nvp",
	"examples/02-semaphore-pair.nvp",
	"examples/03-m2mf-copy.nvp",
	"examples/04-m2mf-tiled.nvp",
	"examples/05-2d-fill.nvp",
	"examples/06-2d-blit.nvp",
	"examples/07-notify-query.nvp",
	"examples/08-drawing.nvp",
	"examples/09-dma-mode.nvp", "examples/10-user-queue.nvp",
	"examples/11-object-attributes.nvp", "examples/12-event.nvp", "examples/13-spaces.nvp",
	"examples/14-software-method.nvp",
};

#define EXAMPLES (sizeof(examples) / sizeof(examples[0]))

static int read_text(const char *text, struct nvfifo_prog *p, struct nvfifo_diag *d)
{
	return nvfifo_prog_read(text, strlen(text), NVFIFO_PROG_VA_START, NVFIFO_PROG_VA_END, p, d);
}

static __u64 examples_require(size_t i)
{
	switch (i) {
	case 1:	/* 02-semaphore-pair.nvp */
	case 8:	/* 09-dma-mode.nvp */
		return DRM_NVFIFO_FEATURE_SEMAPHORE64;
	case 9:	/* 10-user-queue.nvp */
		return DRM_NVFIFO_FEATURE_USER_QUEUE;
	}
	return 0;
}

static void test_examples(void)
{
	struct nvfifo_prog p;
	struct nvfifo_diag d;
	size_t i, len;

	for (i = 0; i < EXAMPLES; i++) {
		char *text = tap_file(examples[i], &len);
		int ret = read_text(text, &p, &d);

		if (!tap(!ret && p.push_count && p.step_count && p.channel_count,
			 "%s is read", examples[i]))
			printf("# %u:%u: %s\n", d.line, d.column, d.text);
		tap(ret || p.requires_features == examples_require(i),
		    "%s requires the expected features",
		    examples[i]);
		nvfifo_prog_free(&p);
		free(text);
	}
}

static const char whole[] = "title \"all of it\"\n"
			    "requires semaphore64\n"
			    "buffer a 100\n"
			    "buffer b 8K vram\n"
			    "buffer c 1M system\n"
			    "buffer hidden 4K\n"
			    "fill a+4 1, hi(c),\n lo(c)\n"
			    "map c at 0x3000000000 readonly pages 4K\n"
			    "map hidden none\n"
			    "map a auto\n"
			    "channel one order 5\n"
			    "channel two\n"
			    "object 0xbeef0001 dma rw 0 all\n"
			    "object two 0xbeef0002 dma r c 16 readonly\n"
			    "object 0xbeef5039 class 0x5039\n"
			    "push p { nop }\n"
			    "push q at c+0x100 {\n mthd 0 0x50 : lo(c), hi(c + 0x1000000000)\n}\n"
			    "push r { nop\n nop }\n"
			    "submit one p, q not_main,\n r no_prefetch as first\n"
			    "submit two after first as second\n"
			    "submit two r\n"
			    "wait first\n"
			    "pending second 250\n"
			    "poll a 3\n"
			    "expect a+8 4, 5\n"
			    "expect ref one 6\n"
			    "expect dead two pusher 4\n"
			    "expect dead two\n"
			    "order a+8 c+0x10\n"
			    "show c 16\n"
			    "wait\n"
			    "write b+8 7, 8\n";

static void test_whole_steps(const struct nvfifo_prog *p)
{
	static const enum nvfifo_prog_step_type types[] = {
		NVFIFO_STEP_SUBMIT, NVFIFO_STEP_SUBMIT, NVFIFO_STEP_SUBMIT, NVFIFO_STEP_WAIT,
		NVFIFO_STEP_PENDING, NVFIFO_STEP_POLL, NVFIFO_STEP_EXPECT, NVFIFO_STEP_REF,
		NVFIFO_STEP_DEAD, NVFIFO_STEP_DEAD, NVFIFO_STEP_ORDER, NVFIFO_STEP_SHOW,
		NVFIFO_STEP_WAIT, NVFIFO_STEP_WRITE,
	};
	const struct nvfifo_prog_step *s = p->steps;
	bool ok = true;
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		ok = ok && i < p->step_count && s[i].type == types[i];
	tap(ok && p->step_count == i, "steps come in order");
	tap(ok && s[0].count == 3 && s[1].after_count == 1 && !s[1].after[0] && !s[1].count &&
		    s[2].fence == 2 && s[3].fence == 0 && s[4].value == 250 && s[6].count == 2 &&
		    s[7].value == 6 && s[8].error == DRM_NVFIFO_ERROR_PUSHER && s[8].value == 4 &&
		    s[8].has_code && !s[9].error && s[10].offset2 == 16 && s[11].count == 16 &&
		    s[12].fence == -1,
	    "steps are those of the text");
}

static void test_whole(void)
{
	const struct nvfifo_prog_buffer *b;
	struct nvfifo_prog p;
	struct nvfifo_diag d;

	if (!tap(!read_text(whole, &p, &d), "a program with all directives is read")) {
		printf("# %u:%u: %s\n", d.line, d.column, d.text);
		return;
	}
	b = p.buffers;
	tap(!strcmp(p.title, "all of it") &&
		    p.requires_features == DRM_NVFIFO_FEATURE_SEMAPHORE64,
	    "title and requirement");
	tap(p.buffer_count == 5 && b[0].size == 100 && b[1].size == 8192 &&
		    b[1].domain == DRM_NVFIFO_DOMAIN_VRAM && b[2].size == 1 << 20 &&
		    !strcmp(b[4].name, "(push)") && b[4].size == 128,
	    "buffers, and one for the pushbuffers");
	tap(b[0].va == 0x20000000 && b[1].va == 0x40000000 && b[2].va == 0x3000000000 &&
		    b[2].flags == DRM_NVFIFO_VM_BIND_READ_ONLY && b[2].page_shift == 12 &&
		    b[3].mapping == NVFIFO_PROG_MAP_NONE && b[4].va == 0x20010000,
	    "addresses: chosen, apart, given, none");
	tap(p.fill_count == 1 && p.fills[0].offset == 4 && p.fills[0].count == 3 &&
		    p.words.data[p.fills[0].first + 1] == 0x30 &&
		    p.words.data[p.fills[0].first + 2] == 0,
	    "contents, with addresses in them");
	tap(p.channel_count == 2 && p.channels[0].ring_order == 5 && !p.channels[1].ring_order,
	    "channels");
	tap(p.object_count == 3 && p.objects[0].channel == -1 &&
		    p.objects[0].oclass == NVFIFO_CLASS_DMA_RW &&
		    p.objects[0].size == NVFIFO_PROG_VA_END && p.objects[1].channel == 1 &&
		    p.objects[1].start == 0x3000000000 && p.objects[1].size == 16 &&
		    p.objects[1].access == DRM_NVFIFO_ACCESS_RO && p.objects[2].engine &&
		    p.objects[2].oclass == 0x5039,
	    "objects");
	tap(p.push_count == 3 && p.pushes[0].words.count == 1 && !p.pushes[0].offset &&
		    p.pushes[1].placed && p.pushes[1].buffer == 2 && p.pushes[1].offset == 0x100 &&
		    p.pushes[2].offset == 64 && p.pushes[2].words.count == 2,
	    "pushbuffers lie where they should");
	tap(p.pushes[1].words.count == 3 && p.pushes[1].words.data[0] == 0x00080050 &&
		    !p.pushes[1].words.data[1] && p.pushes[1].words.data[2] == 0x40,
	    "pushbuffers have the addresses");
	tap(p.entry_count == 4 && p.entries[1].push == 1 &&
		    p.entries[1].flags == DRM_NVFIFO_ENTRY_NOT_MAIN &&
			    p.entries[2].flags == DRM_NVFIFO_ENTRY_NO_PREFETCH,
	    "entries");
	test_whole_steps(&p);
	nvfifo_prog_free(&p);
}

/* Attributes of buffers, mappings and objects. */
static void test_attributes(void)
{
	static const char text[] =
		"requires compression\n"
		"buffer a 4096 system wc\n"
		"buffer b 0x10000 vram contiguous\n"
		"buffer c 0x4000 vram\n"
		"map a auto nosnoop encrypted kind 0x70 pages 4K\n"
		"map b auto kind 0x10 compression double supervisor pages 64K\n"
		"map c auto long_cycle compression single pages 16K\n"
		"channel one\n"
		"object 1 dma rw b 16 supervisor\n";
	const struct nvfifo_prog_buffer *b;
	struct nvfifo_prog p;
	struct nvfifo_diag d;

	if (!tap(!read_text(text, &p, &d), "a program with all attributes is read")) {
		printf("# %u:%u: %s\n", d.line, d.column, d.text);
		return;
	}
	b = p.buffers;
	tap(p.requires_features == DRM_NVFIFO_FEATURE_COMPRESSION, "feature compression");
	tap(b[0].bo_flags == DRM_NVFIFO_BO_WC && b[1].bo_flags == DRM_NVFIFO_BO_CONTIGUOUS &&
		    !b[2].bo_flags,
	    "flags of buffers");
	tap(b[0].flags == (DRM_NVFIFO_VM_BIND_NOSNOOP | DRM_NVFIFO_VM_BIND_ENCRYPTED) &&
		    b[1].flags == DRM_NVFIFO_VM_BIND_SUPERVISOR &&
		    b[2].flags == DRM_NVFIFO_VM_BIND_LONG_CYCLE,
	    "flags of mappings");
	tap(b[0].kind == 0x70 && b[1].kind == 0x10 && !b[2].kind, "kinds");
	tap(!b[0].compression && b[1].compression == DRM_NVFIFO_COMPRESSION_DOUBLE &&
		    b[2].compression == DRM_NVFIFO_COMPRESSION_SINGLE,
	    "compression");
	tap(b[0].page_shift == 12 && b[1].page_shift == 16 && b[2].page_shift == 14, "page sizes");
	tap(p.object_count == 1 && p.objects[0].flags == DRM_NVFIFO_OBJECT_SUPERVISOR,
	    "supervisor object");
	nvfifo_prog_free(&p);
}

/* Objects of PGRAPH, and expected memory of a program with pictures. */
static void test_pgraph(void)
{
	static const char text[] = "buffer a 64K\n"
				   "buffer b 64K\n"
				   "fill a+8 ramp 5 0xffffffff 3\n"
				   "channel one\n"
				   "object 1 class M2MF\n"
				   "object 2 class 3D\n"
				   "object 3 class 0x5097\n"
				   "expect same a+4 b+8 100\n"
				   "expect crc b 64K 0xcbf43926\n"
				   "expect dead one graph 0x100000 5\n"
				   "image shot a+64 16 4 r5g6b5 pitch 64\n"
				   "image tiny b 1 1 x8r8g8b8\n";
	struct nvfifo_prog p;
	struct nvfifo_diag d;

	if (!tap(!read_text(text, &p, &d), "a program with pictures is read")) {
		printf("# %u:%u: %s\n", d.line, d.column, d.text);
		return;
	}
	tap(p.fill_count == 1 && p.fills[0].count == 3 && p.words.data[p.fills[0].first] == 5 &&
		    p.words.data[p.fills[0].first + 1] == 4 &&
		    p.words.data[p.fills[0].first + 2] == 3,
	    "a ramp");
	tap(nvfifo_prog_class(&p.objects[0], 0x84) == 0x5039 &&
		    nvfifo_prog_class(&p.objects[1], 0) == 0x5097 &&
		    nvfifo_prog_class(&p.objects[1], 0x50) == 0x5097 &&
		    nvfifo_prog_class(&p.objects[1], 0x98) == 0x8297 &&
		    nvfifo_prog_class(&p.objects[1], 0xac) == 0x8397 &&
		    nvfifo_prog_class(&p.objects[1], 0xa8) == 0x8597 &&
		    nvfifo_prog_class(&p.objects[1], 0xaf) == 0x8697 &&
		    nvfifo_prog_class(&p.objects[2], 0x98) == 0x5097,
	    "classes by name, 3D by chipset, and a number as it is");
	tap(p.step_count == 5 && p.steps[0].type == NVFIFO_STEP_SAME && p.steps[0].offset == 4 &&
		    p.steps[0].buffer2 == 1 && p.steps[0].offset2 == 8 && p.steps[0].count == 100,
	    "same");
	tap(p.step_count == 5 && p.steps[1].type == NVFIFO_STEP_CRC && p.steps[1].count == 65536 &&
		    p.steps[1].value == 0xcbf43926,
	    "crc");
	tap(p.step_count == 5 && p.steps[2].error == DRM_NVFIFO_ERROR_GRAPH &&
		    p.steps[2].value == 1 << 20 && p.steps[2].has_detail && p.steps[2].detail == 5,
	    "a death of PGRAPH");
	tap(p.image_count == 2 && p.steps[3].type == NVFIFO_STEP_IMAGE && !p.steps[3].first &&
		    p.steps[3].offset == 64 && p.images[0].width == 16 && p.images[0].height == 4 &&
		    p.images[0].pitch == 64 && p.images[0].format == NVFIFO_PROG_R5G6B5 &&
		    p.steps[4].first == 1 && p.images[1].pitch == 4,
	    "images");
	nvfifo_prog_free(&p);
}

static const struct {
	const char *text;
	unsigned int line, column;
	const char *part;
} mistakes[] = {
	{ "frob", 1, 1, "expected a statement such as" },
	{ "chanel a", 1, 1, "did you mean channel?" },
	{ "push p { method 0 REF_CNT : 1 }", 1, 10, "found 'method'; did you mean mthd?" },
	{ "push p { jumb 0 }", 1, 10, "or the pushbuffer's '}', found 'jumb'" },
	{ "channel ch0\nsubmit ch1 p", 2, 8, "with the name 'ch1'; did you mean ch0?" },
	{ "channel c\npush main { nop }\nsubmit c mian", 3, 10, "did you mean main?" },
	{ "channel c\npush p { nop }\nsubmit c p as done\nwait don", 4, 6, "did you mean done?" },
	{ "buffer lines 4K\nshow line 4", 2, 6, "did you mean lines?" },
	{ "buffer lines 4K\nfill lines+0 line+4", 2, 14, "did you mean lines?" },
	{ "space left\nbuffer a 4K space lift", 2, 19, "did you mean left?" },
	{ "space a b", 1, 9, "the end of the line" },
	{ "space main", 1, 7, "is taken" },
	{ "buffer a 4K space b", 1, 19, "expected an address space" },
	{ "buffer a 4K\nchannel c dma a user a", 2, 22, "a channel has one place" },
	{ "buffer a 8K\nchannel c user a+4", 2, 16, "multiple of 4096" },
	{ "channel c timeslice 0x20000", 1, 21, "0x1ffff" },
	{ "channel c\nobject c 1 class 0x506e", 2, 18, "'object CHANNEL HANDLE software'" },
	{ "channel c sli 0x1000", 1, 15, "0xfff" },
	{ "channel c sli on", 1, 15, "off" },
	{ "buffer a 4K\nchannel c last a", 2, 16, "after dma PLACE" },
	{ "buffer a 4K\nchannel c user a last a", 2, 23, "after dma PLACE" },
	{ "buffer a 4K\nchannel c dma a last a+2", 2, 22, "multiple of 4" },
	{ "buffer a 4K\nchannel c dma a last a+4K", 2, 22, "outside of the buffer a" },
	{ "buffer a 4K\nchannel c dma a+8 last a+4", 2, 1, "lies before its first" },
	{ "buffer a 4K\nmap a at 0x100000000\nchannel c dma a", 3, 1, "below 4 GiB" },
	{ "buffer a 4K\nbuffer b 4K\nmap b at 0x100000000\nchannel c dma a last b", 4, 1,
	  "below 4 GiB" },
	{ "space s\nbuffer a 4K\nbuffer b 4K space s\nchannel c dma a last b", 4, 9,
	  "another address space" },
	{ "space s\nbuffer a 4K space s\nchannel c dma a", 3, 9, "another address space" },
	{ "space s\nchannel c\npush p space s { nop }\nsubmit c p", 4, 10,
	  "another address space" },
	{ "push p linear { nop }", 1, 8, "needs a place" },
	{ "buffer a 4K\nchannel c dma a\nsubmit c", 3, 9, "one linear pushbuffer" },
	{ "push p { jump 0 }", 1, 10, "does not exist in the format nv04" },
	{ "channel c\nexpect event c", 2, 14, "without event" },
	{ "channel c event\nexpect event c graph 1 2", 2, 14, "no detail" },
	{ "object 1 software", 1, 8, "names its channel" },
	{ "channel c\nobject c 1 software", 2, 10, "without event" },
	{ "channel c\nexpect method c 1 0x100 0", 2, 15, "without event" },
	{ "channel c event\nexpect method c 1 0x104", 2, 24, "expected a number" },
	{ "channel c event\nexpect method c 1 0xfc 0", 2, 19, "multiple of 4, 0x100 to 0x1ffc" },
	{ "channel c event\nexpect method c 1 0x102 0", 2, 19, "multiple of 4, 0x100 to 0x1ffc" },
	{ "channel c event\nexpect method c 1 0x2000 0", 2, 19, "0x1ffc" },
	{ "buffer method 4K", 1, 8, "means something else" },
	{ "buffer a 4K\nobject 1 dma rw unpaged a 8K", 2, 25, "do not fit in the buffer" },
	{ "buffer a 4K\nobject 1 dma rw unpaged a 0", 2, 25, "at least 1 byte" },
	{ "object 1 dma rw 0 4K user me", 1, 27, "both or supervisor" },
	{ "object 1 dma rw 0 4K cycle no", 1, 28, "short or long" },
	{ "buffer a 4K\nbuffer b 4K\nmap a at 0x30000000\nmap b at 0x30000000", 4, 1,
	  "the buffers b and a overlap" },
	{ "title x", 1, 7, "quotation marks" },
	{ "title \"x", 1, 7, "the string does not end" },
	{ "requires luck", 1, 10, "expected semaphore64" },
	{ "buffer 1a 4K", 1, 8, "does not begin with a digit" },
	{ "buffer a", 1, 9, "expected a number" },
	{ "buffer a 0", 1, 10, "1 byte to 1 TiB, not 0x0" },
	{ "buffer a 2048G", 1, 10, "1 byte to 1 TiB" },
	{ "buffer a 4K disk", 1, 13, "expected system, vram or space, found 'disk'" },
	{ "buffer a 4K\nbuffer a 4K", 2, 8, "the name 'a' is taken" },
	{ "buffer all 4K", 1, 8, "means something else" },
	{ "buffer a 4K\nbuffer b a+4", 2, 10, "a size cannot depend on" },
	{ "buffer abcdefghijklmnopqrstuvwxyz0123456 1", 1, 8, "at most 31 characters" },
	{ "buffer a 4K\nfill a+2 1", 2, 6, "multiple of 4" },
	{ "buffer a 4K\nfill a+0x1000 1", 2, 6, "outside of the buffer a, which has 0x1000" },
	{ "buffer a 4K\nfill a+0xffc 1, 2", 2, 6, "do not fit in the buffer" },
	{ "buffer a 6\nfill a+4 1", 2, 6, "outside of the buffer" },
	{ "fill a 1", 1, 6, "expected a buffer, there is none with the name 'a'" },
	{ "buffer a 4K\nmap a at 0x1001", 2, 10, "multiple of 0x1000" },
	{ "buffer a 4K\nmap a at 0x10000000000", 2, 10, "below 0x10000000000" },
	{ "buffer a 4K\nmap a at 0x1000", 2, 1, "outside of the card's address space" },
	{ "buffer a 64K\nmap a at 0xffffff0000", 2, 1, "address space, 0x10000 to 0xffdfffffff" },
	{ "buffer a 8K\nbuffer b 4K\nmap a at 0x100000\nmap b at 0x101000", 4, 1,
	  "the buffers b and a overlap" },
	{ "buffer a 4K\nbuffer b 4K\nmap b at a", 3, 10, "cannot depend on a buffer's address" },
	{ "buffer a 4K\nmap a here", 2, 7, "expected at and an address, auto, or none" },
	{ "buffer a 1024G", 1, 1, "no room in the address space" },
	{ "channel c order 99", 1, 17, "the ring order must be 3 to 12, or 0 for the default, this is 99" },
	{ "channel c order 2", 1, 17, "the ring order must be 3 to 12" },
	{ "channel c limit 99", 1, 17, "must be 100 to 600000" },
	{ "channel c\nchannel c", 2, 9, "taken" },
	{ "object 0 dma rw 0 all", 1, 8, "a handle cannot be 0" },
	{ "object 1 dma x 0 all", 1, 14, "expected r, w or rw" },
	{ "object 1 dma rw 0x10000000000 all", 1, 17, "ends at 0xffe0000000" },
	{ "object 1 dma rw 0x1000 0x10000000000", 1, 24, "the size must be 1 to 0xffdffff000" },
	{ "object nobody 1 dma rw 0 all", 1, 8, "expected a channel" },
	{ "object 1 thing", 1, 10, "expected dma, class or software" },
	{ "push p {\nnop", 2, 4, "expected '}'" },
	{ "push p {}", 1, 6, "the pushbuffer p is empty" },
	{ "push p nop", 1, 8, "expected '{', at, linear or space" },
	{ "buffer a 4K\nchannel c user a", 2, 9, "needs order" },
	{ "buffer a 4K\nchannel c user a order 10", 2, 9, "0x2000 bytes of the ring do not fit in the buffer a, which has 0x1000 from there on" },
	{ "buffer a 4K\nchannel c\npush p at a linear { nop }\nsubmit c p", 4, 10, "is linear" },
	{ "buffer a 4K\nchannel c dma a\npush p { nop }\nsubmit c p", 4, 10, "is not linear" },
	{ "push p {\n mthd 9 0x50 : 1\n}", 2, 7, "subchannel" },
	{ "push p { jump 4 }", 1, 10, "does not exist in the format nv04" },
	{ "buffer a 4\npush p at a { nop\nnop }", 2, 11, "do not fit in the buffer" },
	{ "buffer a 4K\nmap a none\npush p at a { nop }", 3, 1, "which is not mapped" },
	{ "channel c\nsubmit c p", 2, 10, "expected a pushbuffer" },
	{ "submit c", 1, 8, "expected a channel" },
	{ "channel c\nsubmit c after f", 2, 16, "the fence of an earlier submit" },
	{ "channel c\nsubmit c as f\nsubmit c as f", 3, 13, "taken" },
	{ "wait f", 1, 6, "the fence of an earlier submit" },
	{ "channel c\nsubmit c as f\npending f 60001", 3, 11, "0 to 0xea60" },
	{ "buffer a 4K\npoll a 1, 2", 2, 6, "poll waits for one word" },
	{ "expect ref c 1", 1, 12, "expected a channel" },
	{ "channel c\nexpect dead c boredom", 2, 15, "expected pusher, cache" },
	{ "buffer a 4K\norder a+4 a", 2, 7, "multiple of 8" },
	{ "buffer a 4K\nshow a+0xff0 5", 2, 6, "do not fit in the buffer" },
	{ "buffer a 4K\nshow a 0", 2, 6, "no word to show" },
	{ "title \"a\"\ntitle \"b\"", 2, 7, "a title already" },
	{ "channel c order 5 order 6", 1, 19, "'order' stands twice" },
	{ "channel c sli off sli 3", 1, 19, "'sli' stands twice" },
	{ "channel c order -1", 1, 17, "this is -1" },
	{ "buffer a 4K\nmap a auto\nmap a auto readonly", 3, 5, "line 2 maps the buffer a already" },
	{ "buffer a 4K\nmap a auto kind 0x70 KIND 0", 2, 22, "'KIND' stands twice" },
	{ "buffer a 4K\nobject 1 dma r a 4K readwrite readonly", 2, 31, "contradict each other" },
	{ "buffer a 4K\nobject 1 dma r a 4K user both user both", 2, 31, "'user' stands twice" },
	{ "object 1 class M2M", 1, 16, "did you mean M2MF?" },
	{ "buffer a 64K\nshow a 4097", 2, 8, "0 to 0x1000" },
	{ "buffer a 4K\nexpect a 1 2", 2, 12, "expected ',' or the end of the line" },
	{ "buffer a 4K\nfill a+0xff8 ramp 0 1 3", 2, 6, "do not fit in the buffer" },
	{ "object 1 class 4D", 1, 16, "'4D' is not a number" },
	{ "channel c\nexpect dead c graph 1 x", 2, 23, "no buffer with the name 'x'" },
	{ "buffer a 4K\nbuffer b 8K\nexpect same b a 8K", 3, 15, "0x2000 bytes of memory do not fit in the buffer a" },
	{ "buffer a 4K\nexpect same a a+8 0", 2, 13, "there is no byte to compare" },
	{ "buffer a 4K\nexpect crc a+4 4K 0", 2, 12, "0x1000 bytes of memory do not fit" },
	{ "buffer a 4K\nexpect crc a 4K 0x100000000", 2, 17, "a CRC-32 must be" },
	{ "buffer a 4K\nimage x a 0 4 r8", 2, 11, "an image's width is 1 to 8192" },
	{ "buffer a 4K\nimage x a 4 9000 r8", 2, 13, "an image's height must be" },
	{ "buffer a 4K\nimage x a 4 4 rgb", 2, 15, "expected x8r8g8b8, r5g6b5 or r8" },
	{ "buffer a 4K\nimage x a 4 4 r5g6b5 pitch 7", 2, 28, "a line of the image has 8 bytes" },
	{ "buffer a 4K\nimage x a+4 32 32 x8r8g8b8", 2, 9, "0x1000 bytes of the image do not fit" },
	{ "buffer a 4K\nimage x a 4 4 r8\nimage x a 4 4 r8", 3, 7, "taken" },
};

static void test_mistakes(void)
{
	struct nvfifo_prog p;
	struct nvfifo_diag d;
	char text[32768] = "", *s = text;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		ret = read_text(mistakes[i].text, &p, &d);
		if (!tap(ret == -EINVAL && d.line == mistakes[i].line &&
				 d.column == mistakes[i].column && strstr(d.text, mistakes[i].part),
			 "mistake %zu is refused where it is: %s", i + 1, mistakes[i].part))
			printf("# %d, %u:%u: %s\n", ret, d.line, d.column, d.text);
		nvfifo_prog_free(&p);
	}

	for (i = 0; i < NVFIFO_PROG_BUFFERS; i++)
		s += sprintf(s, "buffer b%zu 4K\n", i);
	ret = read_text(text, &p, &d);
	tap(ret == -EINVAL && d.line == NVFIFO_PROG_BUFFERS && strstr(d.text, "at most 1023"),
	    "too many buffers are refused");
	for (i = 0, s = text; i <= NVFIFO_PROG_CHANNELS; i++)
		s += sprintf(s, "channel b%zu\n", i);
	ret = read_text(text, &p, &d);
	tap(ret == -EINVAL && d.line == 127 && strstr(d.text, "at most 126"),
	    "too many channels are refused");
}

/* --- Damage -------------------------------------------------------------- */

#define TEXT_MAX 8192

/* One change of a kind that people and broken disks make. */
static size_t damage(char *text, size_t len, uint64_t *seed)
{
	static const char *const pieces[] = {
		"hi(", "lo(", ")", "0x", "{", "}", "\"", "\n", "#", ",", ":", "+", "-", "-1", "|",
		"0xffffffffffffffff", "sem+", "all", "x2047", "long 0 0 x1", " at ", "(push)", "1G",
		"log-sem", "submit waiter\n", "map sem at 0x20000000\n", "\0", "\377", "0",
	};
	size_t at = tap_random(seed) % (len + 1), n, from;
	const char *piece;

	switch (tap_random(seed) % 6) {
	case 0:		/* a byte becomes another one */
		if (at < len)
			text[at] = (char)tap_random(seed);
		break;
	case 1:		/* a stretch is lost */
		n = tap_random(seed) % 40;
		n = n > len - at ? len - at : n;
		memmove(text + at, text + at + n, len - at - n);
		len -= n;
		break;
	case 2:		/* a stretch is doubled, somewhere else */
		from = tap_random(seed) % (len + 1);
		n = tap_random(seed) % 200;
		n = n > len - from ? len - from : n;
		n = n > TEXT_MAX - len ? TEXT_MAX - len : n;
		if (n) {
			char part[200];

			memcpy(part, text + from, n);
			memmove(text + at + n, text + at, len - at);
			memcpy(text + at, part, n);
			len += n;
		}
		break;
	case 3:		/* the end is missing */
		if (tap_random(seed) % 8 == 0)
			len = at;
		break;
	default:	/* something is put in */
		piece = pieces[tap_random(seed) % (sizeof(pieces) / sizeof(pieces[0]))];
		n = *piece ? strlen(piece) : 1;
		if (n <= TEXT_MAX - len) {
			memmove(text + at + n, text + at, len - at);
			memcpy(text + at, piece, n);
			len += n;
		}
		break;
	}
	return len;
}

/* Properties that a run relies on without asking again */
static bool sound(const struct nvfifo_prog *p)
{
	size_t i;

	for (i = 0; i < p->buffer_count; i++) {
		if (p->buffers[i].mapping == NVFIFO_PROG_MAP_AUTO || !p->buffers[i].size)
			return false;
	}
	for (i = 0; i < p->fill_count; i++) {
		const struct nvfifo_prog_fill *f = &p->fills[i];

		if (f->buffer >= p->buffer_count || f->first + f->count > p->words.count ||
		    f->offset + f->count * 4 > p->buffers[f->buffer].size)
			return false;
	}
	for (i = 0; i < p->push_count; i++) {
		const struct nvfifo_prog_push *u = &p->pushes[i];

		if (u->buffer >= p->buffer_count || !u->words.count ||
		    u->offset + u->words.count * 4 > p->buffers[u->buffer].size)
			return false;
	}
	for (i = 0; i < p->entry_count; i++) {
		if (p->entries[i].push >= p->push_count)
			return false;
	}
	for (i = 0; i < p->channel_count; i++) {
		const struct nvfifo_prog_channel *c = &p->channels[i];

		/* The executor writes into the whole ring. */
		if (c->space >= p->space_count || c->buffer > p->buffer_count ||
		    (c->flags & DRM_NVFIFO_CHANNEL_USER_QUEUE &&
		     c->offset + (8ull << c->ring_order) > p->buffers[c->buffer].size))
			return false;
	}
	for (i = 0; i < p->step_count; i++) {
		const struct nvfifo_prog_step *s = &p->steps[i];
		bool memory = s->type == NVFIFO_STEP_EXPECT || s->type == NVFIFO_STEP_POLL ||
			      s->type == NVFIFO_STEP_SHOW;

		if (memory && (s->buffer >= p->buffer_count ||
			       s->offset + s->count * 4 > p->buffers[s->buffer].size))
			return false;
		if ((s->type == NVFIFO_STEP_EXPECT || s->type == NVFIFO_STEP_POLL) &&
		    s->first + s->count > p->words.count)
			return false;
		if (s->type == NVFIFO_STEP_ORDER &&
		    (s->offset + 8 > p->buffers[s->buffer].size ||
		     s->offset2 + 8 > p->buffers[s->buffer2].size))
			return false;
		if (s->type == NVFIFO_STEP_SUBMIT &&
		    (s->first + s->count > p->entry_count || s->channel >= p->channel_count ||
		     (s->fence < 0 && !p->channels[s->channel].flags)))
			return false;
		if (s->fence >= (int)p->fence_count)
			return false;
	}
	return true;
}

#define ROUNDS	   6000
#define SECONDS_MAX 500	/* far more than a slow machine needs */

static void test_damage(void)
{
	static char text[TEXT_MAX];
	unsigned int good = 0, bad = 0, unsound = 0, silent = 0, n, i;
	const char *originals[EXAMPLES + 1];
	size_t lens[EXAMPLES + 1], e;
	time_t end = time(NULL) + SECONDS_MAX;
	uint64_t seed = 2026;

	for (e = 0; e < EXAMPLES; e++)
		originals[e] = tap_file(examples[e], &lens[e]);
	originals[EXAMPLES] = whole;
	lens[EXAMPLES] = sizeof(whole) - 1;

	for (n = 0; n < ROUNDS && time(NULL) < end; n++) {
		size_t which = n % (EXAMPLES + 1), len = lens[which];
		struct nvfifo_prog p;
		struct nvfifo_diag d;
		char *exact;
		int ret;

		memcpy(text, originals[which], len);
		for (i = 0; i <= n % 3; i++)
			len = damage(text, len, &seed);
		/* An allocation of just this size, so that a read past the end is seen. */
		exact = malloc(len ? len : 1);
		memcpy(exact, text, len);
		ret = nvfifo_prog_read(exact, len, NVFIFO_PROG_VA_START, NVFIFO_PROG_VA_END, &p,
				       &d);
		if (ret) {
			bad++;
			silent += ret != -EINVAL || !d.line || !d.column || !*d.text;
		} else {
			good++;
			unsound += !sound(&p);
		}
		nvfifo_prog_free(&p);
		free(exact);
	}
	tap(n == ROUNDS, "%u damaged programs are read within %u s", n, SECONDS_MAX);
	tap(!silent, "each of the %u refusals says where and why", bad);
	tap(!unsound && good > 100 && bad > 100, "the %u that are accepted are sound", good);
	for (e = 0; e < EXAMPLES; e++)
		free((char *)originals[e]);
}

int main(void)
{
	test_examples();
	test_whole();
	test_attributes();
	test_pgraph();
	test_mistakes();
	test_damage();
	return tap_end();
}
