/* SPDX-License-Identifier: MIT */
/* The card for nouveau's NV50 page table code: registers that count their accesses */
#ifndef BENCH_CORE_SUBDEV_H
#define BENCH_CORE_SUBDEV_H

#include <core/os.h>

/* As in Debian's kernel: messages per PTE are compiled out. */
#define CONFIG_NOUVEAU_DEBUG	5
#define NV_DBG_DEBUG		5
#define NV_DBG_TRACE		6
#define NV_DBG_SPAM		7

enum nvkm_subdev_type {
#define NVKM_LAYOUT_ONCE(type, ...) type,
#define NVKM_LAYOUT_INST(type, ...) type,
#include <core/layout.h>
#undef NVKM_LAYOUT_INST
#undef NVKM_LAYOUT_ONCE
	NVKM_SUBDEV_NR
};

struct nvkm_device {
	struct nvkm_gr *gr;
	struct nvkm_fb *fb;
	u32 reads, writes;
};

struct nvkm_subdev {
	struct nvkm_device *device;
};

struct nvkm_sclass {
	int minver, maxver;
	s32 oclass;
};

struct nvkm_device_oclass {
	struct nvkm_sclass base;
};

static inline u32 nvkm_rd32(struct nvkm_device *device, u32 addr)
{
	(void)addr;
	device->reads++;
	return 0;
}

static inline void nvkm_wr32(struct nvkm_device *device, u32 addr, u32 data)
{
	(void)addr;
	(void)data;
	device->writes++;
}

#define nvkm_error(subdev, ...)			((void)(subdev))
#define nvkm_printk_(subdev, level, p, ...)	((void)(subdev))

#endif
