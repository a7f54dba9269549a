// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exports for the suites: the one file here that is part of nvfifo.ko.
 *
 * nvfifo_kunit.ko is a separate module, so nvfifo.ko must export the functions that it calls. It
 * does so for kernels with KUnit only, in the namespace of KUnit's tests. Kbuild leaves this file
 * out otherwise.
 */
#include <linux/export.h>

#include <kunit/visibility.h>

#include "nvfifo_bo.h"
#include "nvfifo_card.h"
#include "nvfifo_chid.h"
#include "nvfifo_drv.h"
#include "nvfifo_gr.h"
#include "nvfifo_hw.h"
#include "nvfifo_irq.h"
#include "nvfifo_mem.h"
#include "nvfifo_method_name.h"
#include "nvfifo_mmu.h"
#include "nvfifo_pusher.h"
#include "nvfifo_ramht.h"
#include "nvfifo_fence.h"
#include "nvfifo_tlb.h"
#include "nvfifo_clock.h"
#include "nvfifo_quota.h"
#include "nvfifo_report.h"
#include "nvfifo_vm.h"

/* nvfifo_chip_table.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_chip_find);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_class_find);

/* nvfifo_main.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_device_prepare);

/* nvfifo_chid.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_chid_alloc);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_chid_publish);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_chid_free);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_chid_any_attached);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_chid_any_leaving);

/* nvfifo_chan.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_chan_detach_all);

/* nvfifo_tlb.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_tlb_set_background);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_tlb_flush);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fault_read);

/* nvfifo_method_name.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_method_text);

/* nvfifo_hw.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_wait);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_gate_close);

/* nvfifo_mem.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_vram_rd32);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_vram_wr32);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_vram_fill);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_bar_flush);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mem_set_tables);

/* nvfifo_mmu.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_freeze_charge);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_freeze_wait);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_init);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_free_tables);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_account);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_plan_map);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_plan_cut);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_plan_unmap);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_plan_undo);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_changes_free);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_install);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_write);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_walk);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_flush);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_attach);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_mmu_detach);

/* nvfifo_vm.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_vm_map_kernel);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_vm_unmap_kernel);

/* nvfifo_report.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_report);

/* nvfifo_quota.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_quota_create);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_quota_put);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_quota_error);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_quota_error_delay);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_quota_error_work);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_quota_error_charge);

/* nvfifo_ramht.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_ramht_find);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_ramht_insert);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_ramht_remove);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_sgt_check);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_object_get);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_object_put);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_objects_unused);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_objects_reclaim);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_dmaobj_peephole);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_dmaobj_new);

/* nvfifo_pusher.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fifo_doorbells);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fifo_hw_init);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_playlist_update);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fifo_kick);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fifo_remove_chan);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fifo_freeze);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fifo_unfreeze);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_chan_structure);

/* nvfifo_card.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_timer_start);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_card_mask_units);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_card_has_firmware_fb);

/* nvfifo_fence.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fence_first_word);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fence_word_is_free);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fence_find);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_job_enter_ring);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_job_init);

/* nvfifo_clock.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_clock_tick);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_clock_excess);

/* nvfifo_gr.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_gr_unblock);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_gr_pause);

/* nvfifo_irq.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_msi_rearm);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_intr_pause_us);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fifo_intr_start);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fifo_intr_stop);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fifo_intr_mask);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_fifo_intr_enabled);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_notify_get);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_notify_put);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_notify_rest);

/* nvfifo_pages.c */
EXPORT_SYMBOL_IF_KUNIT(nvfifo_pages_vmap);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_pages_vunmap);
EXPORT_SYMBOL_IF_KUNIT(nvfifo_pages_free);
