// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module that all suites are linked into.
 *
 * It calls functions that nvfifo.ko exports for tests only. The import is
 * written with MODULE_INFO() because MODULE_IMPORT_NS() takes a bare word up to
 * Linux 6.12 and a string from 6.13 on.
 */
#include <linux/module.h>

#include "nvfifo_test.h"

unsigned int nvfifo_test_random_factor = 1;
module_param_named(random_factor, nvfifo_test_random_factor, uint, 0444);
MODULE_PARM_DESC(random_factor, "Multiplies the random changes of page tables and directories (default: 1)");

MODULE_DESCRIPTION("KUnit suites of nvfifo");
MODULE_LICENSE("GPL");
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
