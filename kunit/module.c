// SPDX-License-Identifier: GPL-2.0-only
/*
 * The suites' parameter of nvfifo.ko.
 */
#include <linux/moduleparam.h>

#include "nvfifo_test.h"

unsigned int nvfifo_test_random_factor = 1;
module_param_named(random_factor, nvfifo_test_random_factor, uint, 0444);
MODULE_PARM_DESC(random_factor, "Multiplies the random changes of page tables and directories (default: 1)");
