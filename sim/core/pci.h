/* SPDX-License-Identifier: MIT */
/*
 * PCI: configuration space and interrupts
 */
#ifndef SIM_CORE_PCI_H
#define SIM_CORE_PCI_H

#include "core.h"

int sim_pci_create(struct nvsim *s);
void sim_pci_init(struct nvsim *s);
u16 sim_pci_command(const struct nvsim *s);
bool sim_pci_decodes(const struct nvsim *s);
bool sim_pci_asleep(const struct nvsim *s);
bool sim_pci_loses_reads(const struct nvsim *s);
/* 0x08841c */
u32 sim_pci_requests(const struct nvsim *s);
/* A word of the control capability, which control.c handles */
void sim_pci_show(struct nvsim *s, u32 off, u32 val);
u32 sim_pci_read(struct nvsim *s, u32 off, unsigned int size);
void sim_pci_write(struct nvsim *s, u32 off, u32 val, unsigned int size);
u32 sim_pci_mirror_read(struct nvsim *s, u32 off, unsigned int size);
void sim_pci_mirror_write(struct nvsim *s, u32 off, u32 val, unsigned int size);

/* Call this after every change of an interrupt's state. */
void sim_irq_update(struct nvsim *s);
/* A spurious interrupt: a message, or a pulse of the pin */
void sim_irq_extra(struct nvsim *s);

#endif
