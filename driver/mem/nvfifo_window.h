/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_WINDOW_H_
#define _NVFIFO_WINDOW_H_

#include <linux/mm_types.h>

vm_fault_t nvfifo_fault_prepare(struct vm_fault *vmf, struct page **dummy);
vm_fault_t nvfifo_dummy_insert(struct vm_fault *vmf, struct page *dummy);

#endif
