// SPDX-License-Identifier: MIT
/*
 * Reads and writes of rows of surfaces by PGRAPH's units. A surface is pitch or block-linear. A gob
 * is 64 bytes by 4 lines; gobs in a block and blocks in a layer go by x, then y, then z.
 */
#include "core.h"
#include "gr.h"

/* Offset of byte @x of line @y from the surface's start */
u64 sim_tiled_offset(u32 block, u32 width, u32 height, u32 x, u32 y, u32 z)
{
	u32 bw = block & 0xf, bh = block >> 4 & 0xf, bd = block >> 8 & 0xf;
	u32 gx = x / 64, gy = y / 4;
	u64 blocks_x = (width + (64ull << bw) - 1) >> (6 + bw);
	u64 blocks_y = (height + (4ull << bh) - 1) >> (2 + bh);
	u64 nr = (gx >> bw) + blocks_x * ((gy >> bh) + blocks_y * (z >> bd));
	u64 gob = (gx & ((1u << bw) - 1)) +
		  ((u64)((gy & ((1u << bh) - 1)) + ((z & ((1u << bd) - 1)) << bh)) << bw);

	return (nr << (8 + bw + bh + bd)) + gob * 256 + (y & 3) * 64 + (x & 63);
}

/* Read or write @len bytes of a line from byte @x on; false after a fault. */
bool sim_surface_row(struct nvsim *s, const struct sim_surface *f, u32 x, u32 y, u8 *buf, u32 len,
		     bool write)
{
	while (len) {
		u64 addr = f->address;
		u32 n = len;

		if (f->linear) {
			addr += (u64)((int64_t)(int32_t)f->pitch * y) + x;
		} else {
			addr += sim_tiled_offset(f->block, f->width, f->height, x, y, f->layer);
			if (n > 64 - (x & 63))
				n = 64 - (x & 63);
		}

		if (!sim_gr_vm(s, f->port, f->inst, addr & MASK40, buf, n, write))
			return false;
		x += n;
		buf += n;
		len -= n;
	}

	return true;
}
