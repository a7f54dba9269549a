// SPDX-License-Identifier: MIT
/* Objects of PGRAPH, and copies by M2MF. */
#include "rig.h"

#define SUBC_M2MF	5
#define CLASS_M2MF	0x5039

int graph_object_new(struct nv *nv, uint32_t chan, uint32_t handle, uint32_t oclass)
{
	struct drm_nvfifo_object_create c = {
		.channel_id = chan,
		.handle = handle,
		.type = DRM_NVFIFO_OBJECT_ENGINE,
		.oclass = oclass,
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &c);
}

void p_subc_mthd(struct ch *c, uint32_t subc, uint32_t mthd, uint32_t data)
{
	p_word(c, cmd_word(subc, mthd, 1));
	p_word(c, data);
}

void graph_bind_m2mf(struct ch *c)
{
	struct nv *nv = c->nv;
	int ret = graph_object_new(nv, c->id, GRAPH_M2MF_HANDLE, CLASS_M2MF);
	struct bo page;

	need(!ret, "OBJECT_CREATE of M2MF: %s", strerror(-ret));

	new_object(c, GRAPH_ALL_HANDLE, 0, nv->dev.va_end);
	page = sys_bo(nv, 4 * KIB);
	new_object(c, GRAPH_NOTIFY_HANDLE, map(nv, c->vm, &page), page.size);

	p_subc_mthd(c, SUBC_M2MF, 0, GRAPH_M2MF_HANDLE);
	p_subc_mthd(c, SUBC_M2MF, 0x180, GRAPH_NOTIFY_HANDLE);	/* DMA_NOTIFY */
	p_subc_mthd(c, SUBC_M2MF, 0x184, GRAPH_ALL_HANDLE);	/* DMA_BUFFER_IN */
	p_subc_mthd(c, SUBC_M2MF, 0x188, GRAPH_ALL_HANDLE);	/* DMA_BUFFER_OUT */
}

void graph_m2mf_format(struct ch *c, uint32_t bytes, uint32_t lines, uint32_t pitch)
{
	p_subc_mthd(c, SUBC_M2MF, 0x200, 1);			/* LINEAR_IN */
	p_subc_mthd(c, SUBC_M2MF, 0x21c, 1);			/* LINEAR_OUT */
	p_subc_mthd(c, SUBC_M2MF, 0x314, pitch);		/* PITCH_IN */
	p_subc_mthd(c, SUBC_M2MF, 0x318, pitch);		/* PITCH_OUT */
	p_subc_mthd(c, SUBC_M2MF, 0x31c, bytes);		/* LINE_LENGTH_IN */
	p_subc_mthd(c, SUBC_M2MF, 0x320, lines);		/* LINE_COUNT */
	p_subc_mthd(c, SUBC_M2MF, 0x324, 0x101);		/* FORMAT */
}

void graph_m2mf_launch(struct ch *c, uint64_t from, uint64_t to)
{
	p_subc_mthd(c, SUBC_M2MF, 0x238, (uint32_t)(from >> 32));	/* OFFSET_IN_HIGH */
	p_subc_mthd(c, SUBC_M2MF, 0x23c, (uint32_t)(to >> 32));		/* OFFSET_OUT_HIGH */
	p_subc_mthd(c, SUBC_M2MF, 0x30c, (uint32_t)from);		/* OFFSET_IN */
	p_subc_mthd(c, SUBC_M2MF, 0x310, (uint32_t)to);			/* OFFSET_OUT */
	p_subc_mthd(c, SUBC_M2MF, 0x328, 0);				/* BUF_NOTIFY starts it, and writes a notifier */
}
