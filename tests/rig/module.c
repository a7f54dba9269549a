// SPDX-License-Identifier: MIT
/* The module and the binding of the card. */
#include "rig.h"

int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

int module_load(const char *params)
{
	const char *path = getenv("MODULE");
	int fd, ret;

	fd = open(path ? path : "/src/build/uml-module/nvfifo.ko", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = (int)syscall(SYS_finit_module, fd, params, 0);
	if (ret)
		ret = -errno;
	close(fd);
	return ret;
}

int module_unload(void)
{
	return syscall(SYS_delete_module, "nvfifo", O_NONBLOCK) ? -errno : 0;
}

bool module_loaded(void)
{
	return !access("/sys/module/nvfifo", F_OK);
}

bool pm_test_begin(const char *stage, const char *what)
{
	if (access("/sys/power/pm_test", W_OK)) {
		skip("%s # SKIP no /sys/power/pm_test", what);
		return false;
	}

	need(!file_write("/sys/power/pm_test", stage) &&
		     !file_write("/sys/module/suspend/parameters/pm_test_delay", "0"),
	     "set-up of pm_test");

	return true;
}

int card_bind(bool bind)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/nvfifo/%s", bind ? "bind" : "unbind");
	return file_write(path, card_slot());
}

int module_unload_soon(void)
{
	int64_t start = now_ns();
	int ret;

	do
		ret = module_unload();
	while (ret == -EAGAIN && may_come(start));

	return ret;
}

void module_reload(const char *params)
{
	int ret = module_loaded() ? module_unload_soon() : 0;

	need(!ret, "rmmod: %s", strerror(-ret));
	ret = module_load(params);
	need(!ret, "insmod %s: %s", params, strerror(-ret));
}
