// SPDX-License-Identifier: MIT
/* Find the driver's dumps: device coredumps in sysfs, and the present state in debugfs. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump_show.h"
#include "nvfifo_text.h"
#include "tools.h"

static int is_devcd(const struct dirent *e)
{
	return !strncmp(e->d_name, "devcd", 5);
}

/* The name that a link leads to, or "". */
static void link_name(const char *path, char *name, size_t size)
{
	char target[PATH_MAX], *base;
	char *real = realpath(path, target);

	base = real ? strrchr(real, '/') : NULL;
	snprintf(name, size, "%s", base ? base + 1 : "");
}

/* Is the device of the dump a card of the driver, and the requested one? */
static bool devcd_is(const char *sysfs, const char *device, const char *entry)
{
	const char *node = device ? strstr(device, "renderD") : NULL;
	char path[PATH_MAX], driver[64], card[64], want[64];

	snprintf(path, sizeof(path), "%s/class/devcoredump/%s/failing_device/driver", sysfs,
		 entry);
	link_name(path, driver, sizeof(driver));
	if (strcmp(driver, "nvfifo"))
		return false;
	if (!device)
		return true;

	snprintf(path, sizeof(path), "%s/class/devcoredump/%s/failing_device", sysfs, entry);
	link_name(path, card, sizeof(card));
	snprintf(want, sizeof(want), "%s", device);
	if (node) {
		snprintf(path, sizeof(path), "%s/class/drm/%s/device", sysfs, node);
		link_name(path, want, sizeof(want));
	}

	return *want && pci_is(card, strlen(card), want);
}

bool dump_find_devcd(const char *sysfs, const char *device, char *path, size_t size)
{
	struct dirent **list;
	unsigned long best = 0;
	bool found = false;
	int i, n;

	snprintf(path, size, "%s/class/devcoredump", sysfs);
	n = scandir(path, &list, is_devcd, alphasort);
	for (i = 0; i < n; i++) {
		unsigned long number = nvfifo_text_value(list[i]->d_name + 5, 10);

		/* The kernel numbers them in their order. */
		if ((!found || number > best) && devcd_is(sysfs, device, list[i]->d_name)) {
			snprintf(path, size, "%s/class/devcoredump/%s/data", sysfs,
				 list[i]->d_name);
			best = number;
			found = true;
		}

		free(list[i]);
	}

	if (n >= 0)
		free(list);

	return found;
}

int dump_find(const struct dump_options *o, char *path, size_t size)
{
	int ret;

	if (dump_find_devcd(o->sysfs, o->device, path, size)) {
		fprintf(stderr, "nvfifo: reading %s, what the last error left\n", path);
		return EXIT_OK;
	}

	ret = debugfs_find(o->debugfs, o->device, "nvfifo_dump", path, size);
	if (!ret)
		fprintf(stderr, "nvfifo: there is no device coredump; reading %s, the state now\n",
			path);
	else
		fputs("nvfifo: there is no device coredump either; give a FILE\n", stderr);

	return ret;
}
