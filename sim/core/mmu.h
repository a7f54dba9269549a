/* SPDX-License-Identifier: MIT */
/*
 * The MMU: accesses of VM engines through DMA objects and page tables, and PFB
 */
#ifndef SIM_CORE_MMU_H
#define SIM_CORE_MMU_H

#include "core.h"

/* VM engines; which exist depends on the chip */
enum sim_vmeng {
	VMENG_PGRAPH = 0x0,
	VMENG_PEEPHOLE = 0x4,
	VMENG_PFIFO = 0x5,
	VMENG_BAR = 0x6,
	VMENG_SEM_BG = 0xc,
	VMENG_COUNT = 0x10,
};

/*
 * DMA slots. PFIFO: 0 push buffer, 1 semaphore. BAR: 0 BAR1, 1 BAR3. PGRAPH has several clients,
 * each with slots of its own; this list numbers them.
 */
enum sim_gr_port {
	SIM_GR_CTX,
	SIM_GR_NOTIFY,
	SIM_GR_QUERY,
	SIM_GR_COND,
	SIM_GR_M2MF_IN,
	SIM_GR_M2MF_OUT,
	SIM_GR_M2MF_NOTIFY,
	SIM_GR_2D_SRC,
	SIM_GR_2D_DST,
	SIM_GR_3D_COLOR,
	SIM_GR_3D_ZETA,
	SIM_GR_3D_CODE_CB,
	SIM_GR_3D_VTXBUF,
	SIM_GR_3D_TIC,
	SIM_GR_3D_TSC,
	SIM_GR_3D_TEXTURE,
	SIM_GR_3D_STRMOUT,
	SIM_GR_GLOBAL,
	SIM_GR_LOCAL,
	SIM_GR_STACK,
	SIM_SLOTS
};

void sim_mmu_init(struct nvsim *s);
int sim_mmu_create(struct nvsim *s);
void sim_mmu_destroy(struct nvsim *s);
void sim_mmu_forget(struct nvsim *s);
/* No cached translation may be used without a look at the TLB. */
void sim_mmu_stale(struct nvsim *s);
/* Memory from which a page table was read has changed. */
void sim_mmu_tables_changed(struct nvsim *s);
/* A flush that does not end shows as done. */
void sim_mmu_end_flush(struct nvsim *s);
u32 sim_tlb_entries(const struct nvsim *s, enum sim_vmeng eng);
/* On request: a fault of PFIFO's channel, also of a unit that the model does not have. */
void sim_fault_record(struct nvsim *s, u32 engine, u32 client, u32 slot, u32 reason, u64 va,
		      bool write);
void sim_mmu_settle(struct nvsim *s);
void sim_mmu_submitted(struct nvsim *s, unsigned int chid);
u32 sim_pfb_read(struct nvsim *s, u32 off);
void sim_pfb_write(struct nvsim *s, u32 off, u32 val);
void sim_vm_bind(struct nvsim *s, enum sim_vmeng eng, bool bound, u32 chan);
/* Whether the engine is bound to that channel */
bool sim_vm_is_bound(const struct nvsim *s, enum sim_vmeng eng, u32 chan);
/* The engine's channel descriptor */
u32 sim_vm_channel(const struct nvsim *s, enum sim_vmeng eng);
/* From here on @eng reads with a supervisor's rights, or without. */
void sim_vm_set_super(struct nvsim *s, enum sim_vmeng eng, bool super);
/* PFIFO has loaded this channel, for reports that wait for its next submissions. */
void sim_vm_set_chid(struct nvsim *s, unsigned int chid);
void sim_vm_drop_obj(struct nvsim *s, enum sim_vmeng eng, unsigned int slot);
/* An access through a DMA object; false after a fault, which latches the fault record. */
bool sim_vm_access(struct nvsim *s, enum sim_vmeng eng, unsigned int slot, u16 inst, u64 logical,
		   void *buf, unsigned int len, bool write);
/* A place in a DMA object */
struct sim_place {
	unsigned int slot;
	u16 inst;
	u64 logical;
};

/* Accesses to @n single bytes, @stride apart; false after a fault, which latches the fault record */
bool sim_vm_bytes(struct nvsim *s, enum sim_vmeng eng, const struct sim_place *at, u32 stride, u8 *buf,
		  u32 n, bool write);
/* Is the place mapped? If not, and if @fault, the fault record is latched as by an access */
bool sim_vm_reaches(struct nvsim *s, enum sim_vmeng eng, const struct sim_place *at, bool write,
		    bool fault);
/* The result of a copy from one place to another */
enum sim_copied {
	SIM_COPIED,
	SIM_COPIED_NOT,		/* not inside of VRAM: by two accesses */
	SIM_COPIED_FAULT_IN,
	SIM_COPIED_FAULT_OUT,
};

/*
 * Copy @len bytes at most from VRAM to VRAM. @len: out: the bytes that were copied, up to the first
 * page that does not follow the page before it
 */
enum sim_copied sim_vm_copy(struct nvsim *s, enum sim_vmeng eng, const struct sim_place *from,
			    const struct sim_place *to, unsigned int *len);
/*
 * The same for @n single bytes, which are that many bytes apart. @n: out: the bytes that were copied, up
 * to the first end of a page
 */
enum sim_copied sim_vm_copy_bytes(struct nvsim *s, enum sim_vmeng eng, const struct sim_place *from,
				  u32 from_stride, const struct sim_place *to, u32 to_stride, u32 *n);
/* A read of commands by PFIFO; false after a fault, which latches the fault record. */
bool sim_vm_fetch(struct nvsim *s, u16 inst, u64 logical, void *buf, unsigned int len);
/* The same ahead of its time: false after a fault, which is not recorded. */
bool sim_vm_prefetch(struct nvsim *s, u16 inst, u64 logical, void *buf, unsigned int len);
/*
 * An access to a block by the host, of which each 8 bytes are one access. Handles the first page
 * only, and returns its number of bytes, whether or not it faulted.
 */
size_t sim_vm_block(struct nvsim *s, enum sim_vmeng eng, unsigned int slot, u16 inst, u64 logical,
		    void *buf, size_t len, bool write, bool *ok);

#endif
