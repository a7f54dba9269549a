// SPDX-License-Identifier: MIT
/* Explain why no card is bound to the driver. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvfifo_advice.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

#define NVIDIA 0x10de
#define DISPLAY_CLASS 0x03

/* Blocks of PCI ids; lib/tests/lib_card.c compares them with the driver's table. */
static const struct {
	__u16 first;
	__u16 last;
	const char *chip;
} ids[] = {
	{ 0x0190, 0x019f, "G80" },   { 0x0400, 0x040f, "G84" },	  { 0x0410, 0x041f, "G92" },
	{ 0x0420, 0x042f, "G86" },   { 0x05e0, 0x05ff, "G200" },  { 0x0600, 0x061f, "G92" },
	{ 0x0620, 0x063f, "G94" },   { 0x0640, 0x065f, "G96" },	  { 0x06e0, 0x06ff, "G98" },
	{ 0x0840, 0x085f, "MCP77" }, { 0x0860, 0x088f, "MCP79" }, { 0x08a0, 0x08bf, "MCP89" },
	{ 0x0a20, 0x0a3f, "GT216" }, { 0x0a60, 0x0a7f, "GT218" }, { 0x0ca0, 0x0cbf, "GT215" },
	{ 0x10c0, 0x10df, "GT218" },
};

const char *nvfifo_card_chip(unsigned int device)
{
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		if (device >= ids[i].first && device <= ids[i].last)
			return ids[i].chip;
	}

	return NULL;
}

/* A number in a file of sysfs, 0 if there is none. */
static unsigned long read_number(const char *dir, const char *name, const char *file)
{
	char path[800];

	snprintf(path, sizeof(path), "%s/%s/%s", dir, name, file);
	return (unsigned long)nvfifo_text_file(path, 0);
}

static bool module_is_loaded(const char *sys)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/module/nvfifo", sys);
	return !access(path, F_OK);
}

static void say_card(char *buf, size_t size, const char *sys, const char *dir, const char *address,
		     const char *chip)
{
	char path[800], driver[64];

	snprintf(path, sizeof(path), "%s/%s/driver", dir, address);
	nvfifo_link_name(path, driver, sizeof(driver));
	nvfifo_text_add(buf, size, "%s%s has the id of %s: ", *buf ? "\n" : "", address, chip);
	if (!strcmp(driver, "nvfifo"))
		nvfifo_text_add(buf, size, "it is bound to nvfifo; is its node in /dev/dri there, and may you open it?");
	else if (*driver)
		nvfifo_text_add(buf, size, "it is bound to the driver %s; '%snvfifo bind --take %s' as root binds it to nvfifo, unless it shows the console",
				driver, module_is_loaded(sys) ? "" : "modprobe nvfifo && ", address);
	else if (module_is_loaded(sys))
		nvfifo_text_add(buf, size, "it is bound to no driver, and nvfifo is loaded: if it refused the card, the kernel's log says why ('dmesg | nvfifo explain')");
	else
		nvfifo_text_add(buf, size, "it is bound to no driver; load the module nvfifo");
}

const char *nvfifo_card_advice(const char *sys, char *buf, size_t size)
{
	char dir[256];
	struct dirent **list;
	int i, n;

	if (!sys)
		sys = "/sys";
	buf[0] = '\0';
	snprintf(dir, sizeof(dir), "%s/bus/pci/devices", sys);
	n = scandir(dir, &list, NULL, alphasort);
	for (i = 0; i < n; i++) {
		const char *name = list[i]->d_name, *chip;

		chip = nvfifo_card_chip((unsigned int)read_number(dir, name, "device"));
		if (chip && read_number(dir, name, "vendor") == NVIDIA &&
		    read_number(dir, name, "class") >> 16 == DISPLAY_CLASS)
			say_card(buf, size, sys, dir, name, chip);
		free(list[i]);
	}

	if (n >= 0)
		free(list);
	if (!*buf)
		nvfifo_text_add(buf, size, "no card of the NV50 family is on the PCI bus%s",
				module_is_loaded(sys) ? "" : ", and the module nvfifo is not loaded");

	return buf;
}
