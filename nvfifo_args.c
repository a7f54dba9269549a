// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Arguments of user space
 *
 * Arrays with a stride, and the rules that the fields of a call obey.
 */
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "nvfifo_args.h"
#include "nvfifo_drv.h"

/**
 * nvfifo_array_get() - Copy an array with a stride from user space
 * @ndev: the device, for messages
 * @in: its address, number of elements and stride
 * @room: bytes to reserve before the elements, for the caller
 * @known: bytes of an element that the driver knows; if user space has more, they must be 0
 * @max: largest number of elements
 * @name: of the argument, for messages
 *
 * Context: Process context, sleeps.
 *
 * Return: memory of @room uninitialised bytes, then the elements, @known bytes each; free it by
 * kvfree(). Or -E2BIG, -EINVAL, -EFAULT or -ENOMEM.
 */
void *nvfifo_array_get(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in, size_t room,
		       size_t known, u32 max, const char *name)
{
	void __user *user = u64_to_user_ptr(in->ptr);
	void *out;
	int ret = 0;
	u32 i;

	if (in->count > max)
		return ERR_PTR(nvfifo_fail(ndev, -E2BIG, "%s.count %u is above %u", name,
					   in->count, max));
	if (in->count && (in->stride < known || in->stride > PAGE_SIZE || in->stride % 8))
		return ERR_PTR(nvfifo_einval(ndev,
					     "%s.stride %u: not a multiple of 8 from %zu to %lu",
					     name, in->stride, known, PAGE_SIZE));

	out = kvmalloc(room + known * in->count, GFP_KERNEL_ACCOUNT);
	if (!out)
		return ERR_PTR(-ENOMEM);

	if (in->stride == known)
		ret = copy_from_user(out + room, user, known * in->count) ? -EFAULT : 0;
	else
		for (i = 0; i < in->count && !ret; i++)
			ret = copy_struct_from_user(out + room + i * known, known,
						    user + (size_t)i * in->stride, in->stride);
	if (!ret)
		return out;

	kvfree(out);

	return ERR_PTR(nvfifo_fail(ndev, ret, "%s.ptr %#llx: %d", name, in->ptr, ret));
}
