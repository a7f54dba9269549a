// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module that all suites are linked into.
 *
 * It calls functions that nvfifo.ko exports for tests only. The import is
 * written with MODULE_INFO() because MODULE_IMPORT_NS() takes a bare word up to
 * Linux 6.12 and a string from 6.13 on.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("KUnit suites of nvfifo");
MODULE_LICENSE("GPL");
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
