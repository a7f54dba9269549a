// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Arguments of user space
 *
 * Arrays with a stride, and the rules that the fields of a call obey.
 */
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "nvfifo_args.h"
#include "nvfifo_drv.h"

/**
 * nvfifo_array_check() - Check the size and the stride of an array in user space
 * @ndev: the device, for messages
 * @in: its address, number of elements and stride
 * @known: bytes of an element that the driver knows
 * @max: largest number of elements
 * @name: of the argument, for messages
 *
 * Return: 0, -E2BIG or -EINVAL.
 */
int nvfifo_array_check(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in, size_t known,
		       u32 max, const char *name)
{
	if (in->count > max)
		return nvfifo_fail(ndev, -E2BIG, "%s.count %u is above %u", name, in->count, max);
	if (in->count && (in->stride < known || in->stride > PAGE_SIZE || in->stride % 8))
		return nvfifo_einval(ndev, "%s.stride %u: not a multiple of 8 from %zu to %lu",
				     name, in->stride, known, PAGE_SIZE);

	return 0;
}

/*
 * Copy one element of an array that may have 16 MiB. If it is in VRAM, which a process can map, the
 * processor takes seconds to read it. Return: 0, -EFAULT, -E2BIG, or -EINTR if the process is being
 * killed.
 */
static int element_copy(void *out, size_t known, const void __user *user, size_t bytes)
{
	if (fatal_signal_pending(current))
		return -EINTR;

	cond_resched();

	return copy_struct_from_user(out, known, user, bytes);
}

/**
 * nvfifo_array_copy() - Copy elements of an array from user space
 * @ndev: the device, for messages
 * @in: the array, after nvfifo_array_check()
 * @first: number of the first element
 * @count: number of elements
 * @known: bytes of an element that the driver knows; if user space has more, they must be 0
 * @out: set to the elements, @known bytes each
 * @name: of the argument, for messages
 *
 * Context: Process context, sleeps.
 *
 * Return: 0, -EFAULT, -E2BIG if user space has bytes that are unknown and not 0, or -EINTR if the
 * process is being killed.
 */
int nvfifo_array_copy(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in, u32 first,
		      u32 count, size_t known, void *out, const char *name)
{
	void __user *user = u64_to_user_ptr(in->ptr) + (size_t)first * in->stride;
	int ret = 0;
	u32 i;

	if (in->stride == known)
		ret = copy_from_user(out, user, known * count) ? -EFAULT : 0;
	else
		for (i = 0; i < count && !ret; i++)
			ret = element_copy(out + i * known, known,
					   user + (size_t)i * in->stride, in->stride);
	if (!ret || ret == -EINTR)
		return ret;

	return nvfifo_fail(ndev, ret, "%s.ptr %#llx: %d", name, in->ptr, ret);
}

/**
 * nvfifo_array_get() - Copy an array with a stride from user space
 * @ndev: the device, for messages
 * @in: its address, number of elements and stride
 * @known: bytes of an element that the driver knows; if user space has more, they must be 0
 * @max: largest number of elements
 * @name: of the argument, for messages
 *
 * Context: Process context, sleeps.
 *
 * Return: the elements, @known bytes each; free them by kvfree(). Or -E2BIG, -EINVAL, -EFAULT,
 * -EINTR or -ENOMEM.
 */
void *nvfifo_array_get(struct nvfifo_device *ndev, const struct drm_nvfifo_array *in,
		       size_t known, u32 max, const char *name)
{
	int ret = nvfifo_array_check(ndev, in, known, max, name);
	void *out;

	if (ret)
		return ERR_PTR(ret);

	out = kvmalloc(known * in->count, GFP_KERNEL_ACCOUNT);
	if (!out)
		return ERR_PTR(-ENOMEM);

	ret = nvfifo_array_copy(ndev, in, 0, in->count, known, out, name);
	if (!ret)
		return out;

	kvfree(out);

	return ERR_PTR(ret);
}
