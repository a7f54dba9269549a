// SPDX-License-Identifier: MIT
/*
 * The driver's files: the present state and registers in debugfs, device coredumps in sysfs. Find
 * those of a card, and explain why one cannot be opened.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvfifo_bind.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"
#include "tools.h"

const char *debugfs_advice(int err)
{
	switch (err) {
	case EACCES:
	case EPERM:
		return "Only root may; a kernel in lockdown (see /sys/kernel/security/lockdown) lets nobody.\n";
	case ENOENT:
		return "Is debugfs mounted (mount -t debugfs none /sys/kernel/debug), and the module nvfifo loaded?\n";
	case ENODEV:
	case ENXIO:
		return "The card is gone or asleep.\n";
	}

	return "";
}

/* "01:00.0" is short for "0000:01:00.0". */
static bool pci_is(const char *have, const char *want)
{
	char address[NVFIFO_PCI_ADDRESS_MAX];

	return nvfifo_bind_address(want, address) && !strcmp(have, address);
}

/* Whether dri/ENTRY is the card that was asked for: by its node's number or its PCI address. */
static bool entry_is(const char *root, const char *entry, const char *want)
{
	const char *node = want ? strstr(want, "renderD") : NULL;
	char path[PATH_MAX], line[256], address[NVFIFO_PCI_ADDRESS_MAX];

	if (!want)
		return true;
	if (node)
		return !strcmp(entry, node + strlen("renderD"));

	snprintf(path, sizeof(path), "%s/dri/%s/name", root, entry);

	/* "nvfifo dev=0000:01:00.0 unique=0000:01:00.0" */
	return nvfifo_text_file_line(path, line, sizeof(line)) &&
	       sscanf(line, "%*s dev=%15s", address) == 1 && pci_is(address, want);
}

static int is_entry(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

int debugfs_find(const char *root, const char *device, const char *name, char *path, size_t size)
{
	struct dirent **list;
	bool found = false;
	int i, n;

	snprintf(path, size, "%s/dri", root);
	n = scandir(path, &list, is_entry, alphasort);
	if (n < 0) {
		fprintf(stderr, "nvfifo: cannot open %s: %s\n%s", path, strerror(errno),
			debugfs_advice(errno));
		return EXIT_DEVICE;
	}

	for (i = 0; i < n; i++) {
		if (!found) {
			snprintf(path, size, "%s/dri/%s/%s", root, list[i]->d_name, name);
			found = !access(path, F_OK) && entry_is(root, list[i]->d_name, device);
		}
		free(list[i]);
	}

	free(list);
	if (found)
		return EXIT_OK;

	fputs("nvfifo: no card", stderr);
	if (device)
		fprintf(stderr, " %s", device);
	fprintf(stderr, " of the driver nvfifo in %s/dri: is the module loaded?\n", root);

	return EXIT_DEVICE;
}

/* --- Device coredumps ---------------------------------------------------- */

static int is_devcd(const struct dirent *e)
{
	return !strncmp(e->d_name, "devcd", 5);
}

/* Is the device of the dump a card of the driver, and the requested one? */
static bool devcd_is(const char *sysfs, const char *device, const char *entry)
{
	const char *node = device ? strstr(device, "renderD") : NULL;
	char path[PATH_MAX], driver[64], card[64], want[64];

	snprintf(path, sizeof(path), "%s/class/devcoredump/%s/failing_device/driver", sysfs,
		 entry);
	nvfifo_link_name(path, driver, sizeof(driver));
	if (strcmp(driver, "nvfifo"))
		return false;
	if (!device)
		return true;

	snprintf(path, sizeof(path), "%s/class/devcoredump/%s/failing_device", sysfs, entry);
	nvfifo_link_name(path, card, sizeof(card));
	snprintf(want, sizeof(want), "%s", device);
	if (node) {
		snprintf(path, sizeof(path), "%s/class/drm/%s/device", sysfs, node);
		nvfifo_link_name(path, want, sizeof(want));
	}

	return pci_is(card, want);
}

bool devcd_find(const char *sysfs, const char *device, char *path, size_t size)
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
