/* SPDX-License-Identifier: MIT */
#ifndef BENCH_SUBDEV_FB_H
#define BENCH_SUBDEV_FB_H

#include <core/mm.h>

/* The unit of struct nvkm_mm_node: 4 KiB. */
#define NVKM_RAM_MM_SHIFT	12

struct nvkm_ram {
	u64 stolen;
};

struct nvkm_fb {
	struct nvkm_ram *ram;
};

#endif
