/* SPDX-License-Identifier: MIT */
/*
 * Memory: VRAM, and host memory by bus-master access
 */
#ifndef SIM_CORE_MEM_H
#define SIM_CORE_MEM_H

#include "core.h"

/* Loads of structures by the card, CPU stores to VRAM, and BAR flushes: the checks of watch.c */
struct sim_mem_observer {
	/* PFIFO or PGRAPH has loaded a DMA object of @chan, or with @inst 0 a PDE. */
	void (*loaded)(struct nvsim *s, u32 target, u64 addr, size_t len, u32 chan, u16 inst);
	void (*stored)(struct nvsim *s, u64 off, size_t len);
	void (*flushed)(struct nvsim *s);
};

int sim_mem_create(struct nvsim *s);
void sim_mem_destroy(struct nvsim *s);
void sim_mem_lose(struct nvsim *s);
/* An access by a unit of the card; 0 or -1. @what names the structure in a violation. */
int sim_struct_read(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len,
		    const char *what);
int sim_struct_write(struct nvsim *s, u32 target, u64 addr, const void *buf, size_t len,
		     const char *what);
u32 sim_struct_read32(struct nvsim *s, u32 target, u64 addr, const char *what);
/* The same without checks and without counting. */
int sim_peek(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len);
/* Linear memory; @cpu marks accesses of the host through one of the apertures. */
void sim_mem_read(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len, bool cpu);
void sim_mem_write(struct nvsim *s, u32 target, u64 addr, const void *buf, size_t len, bool cpu);
/* Accesses of the card to @n single bytes, @stride apart */
void sim_mem_read_bytes(struct nvsim *s, u32 target, u64 addr, u32 stride, u8 *buf, u32 n);
void sim_mem_write_bytes(struct nvsim *s, u32 target, u64 addr, u32 stride, const u8 *buf, u32 n);
/* The card copies single bytes of VRAM, between offsets that lie in it. */
void sim_vram_copy_bytes(struct nvsim *s, u64 to, u32 to_stride, u64 from, u32 from_stride, u32 n);
/*
 * A read of commands, with NVSIM_QUIRK_VRAM_SEGMENTS without the CPU's unordered writes. Return: false
 * if the CPU wrote there and neither a BAR flush nor a read followed.
 */
bool sim_mem_read_commands(struct nvsim *s, u32 target, u64 addr, void *buf, size_t len);
/* VRAM, also the stolen memory of an IGP by its address in host space */
bool sim_mem_is_vram(const struct nvsim *s, u32 target, u64 addr);
/* VRAM offset, or -1: not VRAM, or past its end */
int64_t sim_vram_offset(const struct nvsim *s, u32 target, u64 addr, size_t len);
bool sim_vram_unflushed(struct nvsim *s, u32 target, u64 addr, size_t len);
bool sim_vram_changed_since(struct nvsim *s, u32 target, u64 addr, u64 serial);
/* A page table is read from there. False if that is not VRAM, whose stores the model sees. */
bool sim_vram_mark_pt(struct nvsim *s, u32 target, u64 addr);
void sim_mem_flush(struct nvsim *s);
/* Tell @ops of loads and stores from now on. */
void sim_mem_observe(struct nvsim *s, const struct sim_mem_observer *ops);
void sim_mem_loaded(struct nvsim *s, u32 target, u64 addr, size_t len, u32 chan, u16 inst);
/* PFIFO's playlist: the CPU must not write to that VRAM. Equal ends: there is none. */
void sim_mem_guard_playlist(struct nvsim *s, u64 start, u64 end);
/* IGP: address of the card's memory in host space, else 0 */
u64 sim_mem_stolen_base(const struct nvsim *s);
/* Number of the CPU's last write to VRAM */
u64 sim_mem_write_serial(const struct nvsim *s);
const u8 *sim_vram_at(const struct nvsim *s, u64 off);

#endif
