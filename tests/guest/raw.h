/* SPDX-License-Identifier: MIT */
/* The rig under the name that the guest's tests include. */
#include "../rig/rig.h"
