/* SPDX-License-Identifier: MIT */
#ifndef BENCH_ENGINE_GR_H
#define BENCH_ENGINE_GR_H

/* The result on chips whose PGRAPH needs no procedure for a TLB flush */
static inline int nvkm_gr_tlb_flush(struct nvkm_gr *gr)
{
	(void)gr;
	return -ENODEV;
}

#endif
