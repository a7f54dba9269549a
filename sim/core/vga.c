// SPDX-License-Identifier: MIT
/*
 * The VGA's CRTC registers, of which drivers read whether the firmware has set a mode.
 */
#include <stdlib.h>

#include "core.h"
#include "vga.h"

struct sim_vga {
	u8 crtc[256];
	u8 index;
};

int sim_vga_create(struct nvsim *s)
{
	s->vga = calloc(1, sizeof(*s->vga));
	return s->vga ? 0 : -1;
}

/* VGA index and data ports: single bytes, also as one 16-bit access */
bool sim_vga_owns(u32 off, unsigned int size)
{
	return (off & ~1u) == NV_PRMIO_CRTC_INDEX && (size == 1 || (size == 2 && !(off & 1)));
}

u32 sim_vga_read(struct nvsim *s, u32 off, unsigned int size)
{
	u32 v = off & 1 ? s->vga->crtc[s->vga->index] : s->vga->index;

	if (size == 2)
		v |= (u32)s->vga->crtc[s->vga->index] << 8;
	return v;
}

void sim_vga_write(struct nvsim *s, u32 off, u32 val, unsigned int size)
{
	if (!(off & 1)) {
		s->vga->index = val;
		if (size == 1)
			return;
		val >>= 8;
	}
	s->vga->crtc[s->vga->index] = val;
}

/* After power-up, or once the VBIOS has set a text mode */
void sim_vga_init(struct nvsim *s)
{
	memset(s->vga->crtc, 0, sizeof(s->vga->crtc));
	s->vga->index = 0;
	if (!s->posted || s->cfg.efi)
		return;

	s->vga->crtc[0x00] = 0x5f;
	s->vga->crtc[0x1a] = 0x02;
}
