// SPDX-License-Identifier: MIT
/*
 * Constant buffers: their definition, and writes by methods.
 */
#include "gr3d.h"

/* @data: of CB_DEF_SET */
void sim_gr3d_define_buffer(u32 *st, u32 high, u32 low, u32 data)
{
	u32 *buffer = st + GR3D_BUFFER(data >> 16 & 0x7f);

	buffer[0] = high & 0xff;
	buffer[1] = low;
	buffer[2] = (data & 0xffff) ? data & 0xffff : 0x10000;
}

/* A word of the buffer that @addr, CB_ADDR, names, which then goes on to the next one */
void sim_gr3d_write_buffer(struct nvsim *s, u16 inst, u32 *addr, u32 data)
{
	u32 word = *addr >> 8 & 0x3fff;
	const u32 *buffer = sim_gr3d_state(s) + GR3D_BUFFER(*addr & 0x7f);
	u8 raw[4];

	*addr = (*addr & ~0x3fff00u) | ((word + 1) & 0x3fff) << 8;
	if (word * 4 >= buffer[2])
		return;
	put_le32(raw, data);
	if (!sim_gr_vm(s, SIM_GR_3D_CODE_CB, inst,
		       (buffer[1] | (u64)buffer[0] << 32) + word * 4, raw, sizeof(raw), true))
		sim_gr_ccache_trap(s, 1);
}
