/* SPDX-License-Identifier: MIT */
/* Structures of nouveau that this family does not use */
#ifndef BENCH_SUBDEV_GSP_H
#define BENCH_SUBDEV_GSP_H

struct nvkm_gsp_client {
	int unused;
};

struct nvkm_gsp_device {
	int unused;
};

struct nvkm_gsp_object {
	int unused;
};

#endif
