// SPDX-License-Identifier: MIT
/* The nvfifo driver's side of the comparison. */
#include "../rig/rig.h"
#include "compare.h"

#define H_2D		0x600d502d
#define SUBC_2D		3
#define CLASS_2D	0x502d

static struct nv nv;
static uint32_t vm;
static struct ch ch;
static struct bo vram, extra, sys;
static uint64_t vram_va, sys_va, extra_va;

static bool open_node(void)
{
	nv_open(&nv);
	vm = new_vm(&nv);
	sys = sys_bo(&nv, 128 * KIB);
	vram = vram_bo(&nv, 128 * KIB);
	sys_va = map(&nv, vm, &sys);
	vram_va = map(&nv, vm, &vram);
	return true;
}

static bool channel_new(void)
{
	ch = ch_new(&nv, vm);
	return true;
}

static bool objects(void)
{
	graph_bind_m2mf(&ch);
	if (graph_object_new(&nv, ch.id, H_2D, CLASS_2D))
		return false;

	p_subc_mthd(&ch, SUBC_2D, 0, H_2D);
	p_subc_mthd(&ch, SUBC_2D, 0x180, GRAPH_NOTIFY_HANDLE);
	p_subc_mthd(&ch, SUBC_2D, 0x184, GRAPH_ALL_HANDLE);
	p_subc_mthd(&ch, SUBC_2D, 0x188, GRAPH_ALL_HANDLE);
	return ch_run(&ch) == 1;
}

static bool map_more(void)
{
	extra = vram_bo(&nv, 128 * KIB);
	extra_va = map(&nv, vm, &extra);
	return true;
}

static bool unmap_more(void)
{
	return !vm_unmap(&nv, vm, extra_va, extra.size) && !bo_close(&nv, extra.handle);
}

static void copy(uint64_t from, uint64_t to)
{
	graph_m2mf_format(&ch, 0x1000, 16, 0x1000);
	graph_m2mf_launch(&ch, from, to);
}

static bool work(void)
{
	copy(sys_va, vram_va);
	return ch_run(&ch) == 1;
}

static bool mistake(enum mistake what)
{
	if (what == MISTAKE_METHOD)
		p_mthd(&ch, 0x04, 0x1234);
	else if (what == MISTAKE_HANDLE)
		p_subc_mthd(&ch, 2, 0, 0x0badbad0);
	else if (what == MISTAKE_SEMAPHORE)
		p_release(&ch, GRAPH_ALL_HANDLE, 0x30000000, 1);
	else if (what == MISTAKE_GRAPH)
		p_subc_mthd(&ch, 5, 0x1f00, 1);
	else
		copy(0x30000000, vram_va);

	return !ch_submit(&ch);
}

static bool channel_free(void)
{
	ch_free(&ch);
	return true;
}

const struct driver nvfifo_driver = {
	.name = "nvfifo",
	.open = open_node,
	.channel = channel_new,
	.objects = objects,
	.map = map_more,
	.work = work,
	.unmap = unmap_more,
	.mistake = mistake,
	.channel_free = channel_free,
};
