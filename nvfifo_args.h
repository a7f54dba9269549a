/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NVFIFO_ARGS_H_
#define _NVFIFO_ARGS_H_

#include <drm/drm_print.h>

#include "nvfifo_drv.h"

/* A rule about a call's arguments. If it is broken, the call is invalid, and the text says why. */
struct nvfifo_rule {
	bool broken;
	const char *text;
};

/**
 * nvfifo_check_rules() - Check the fields of a call
 * @ndev: the device, for messages
 * @call: name of the call, for messages
 * @rule: the rules; one without a text ends them
 *
 * The first rule that is broken is logged at debug level.
 *
 * Context: Any.
 *
 * Return: 0 or -EINVAL.
 */
static inline int nvfifo_check_rules(struct nvfifo_device *ndev, const char *call,
				     const struct nvfifo_rule *rule)
{
	while (rule->text && !rule->broken)
		rule++;

	if (!rule->text)
		return 0;

	drm_dbg(&ndev->drm, "%s: %s\n", call, rule->text);

	return -EINVAL;
}

/* Log the reason for a failed call at debug level, and return an errno. */
#define nvfifo_fail(ndev, err, fmt, ...) \
	({ drm_dbg(&(ndev)->drm, fmt "\n", ##__VA_ARGS__); (err); })
#define nvfifo_einval(ndev, fmt, ...) nvfifo_fail(ndev, -EINVAL, fmt, ##__VA_ARGS__)

int nvfifo_array_check(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in, size_t known,
		       u32 max, const char *name);
int nvfifo_array_copy(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in, u32 first,
		      u32 count, size_t known, void *out, const char *name);
void *nvfifo_array_get(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in,
		       size_t known, u32 max, const char *name);

#endif
