// SPDX-License-Identifier: MIT
/* "nvfifo bind" and "unbind" on a sysfs of plain files: checks, and writes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../lib/tests/tap.h"

#define DEVICE "bus/pci/devices/0000:01:00.0/"

static char root[] = "/tmp/nvfifo-bind-XXXXXX";
static char output[4096];

static void shell(const char *fmt, const char *text)
{
	char command[1024];

	snprintf(command, sizeof(command), "cd %s && ", root);
	snprintf(command + strlen(command), sizeof(command) - strlen(command), fmt, text);
	if (system(command)) {
		printf("Bail out! %s\n", command);
		exit(1);
	}
}

/* A card, held by @driver if it is not "", with the boot screen on it or not */
static void make_card(const char *driver, const char *boot_vga)
{
	shell("rm -rf bus && mkdir -p " DEVICE " bus/pci/drivers/nvfifo bus/pci/drivers/nouveau%s", "");
	shell("echo 0x10de >" DEVICE "vendor && echo 0x030000 >" DEVICE "class && echo %s >" DEVICE
	      "boot_vga", boot_vga);
	if (*driver)
		shell("ln -s ../../drivers/%s " DEVICE "driver", driver);
}

static int run(const char *args)
{
	const char *program = getenv("NVFIFO");
	char command[1024];
	size_t len;
	int status;
	FILE *f;

	fflush(stdout);
	snprintf(command, sizeof(command), "%s %s --sysfs %s 01:00.0 2>&1 </dev/null",
		 program ? program : "build/bin/nvfifo", args, root);
	f = popen(command, "r");
	if (!f)
		return -1;
	len = fread(output, 1, sizeof(output) - 1, f);
	output[len] = '\0';
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool holds(const char *file, const char *text)
{
	char path[PATH_MAX], line[200] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		*line = '\0';
	fclose(f);
	return !strcmp(line, text);
}

static bool refused(const char *args, const char *why)
{
	int code = run(args);
	bool untouched = !holds(DEVICE "driver_override", "nvfifo\n");

	if (code == 3 && strstr(output, why) && untouched)
		return true;
	printf("# exit %d: %s", code, output);
	return false;
}

/* This process has a node of the card open, be it of DRM or of vfio: /dev/full. */
static void test_in_use(void)
{
	int fd = open("/dev/full", O_RDONLY);

	make_card("nouveau", "0");
	shell("mkdir -p " DEVICE "drm/card0 && echo 1:7 >" DEVICE "drm/card0/dev%s", "");
	tap(refused("bind --take", "(tool_bind) has its node open"), "a card in use is not taken");
	make_card("vfio-pci", "0");
	shell("mkdir -p class/vfio/12 && echo 1:7 >class/vfio/12/dev%s", "");
	shell("ln -s ../../../kernel/iommu_groups/12 " DEVICE "iommu_group%s", "");
	tap(refused("bind --take", "(tool_bind) has its node open"), "nor one whose group is in use");
	close(fd);
	tap(run("bind --take --dry-run") == 0, "one that is used no more is");
	shell("rm -r class%s", "");
}

/* NVIDIA's own driver has nodes that are not in sysfs; whoever has one open may use any card. */
static void test_nvidia_in_use(void)
{
	char path[PATH_MAX];
	int fd;

	make_card("nvidia", "0");
	snprintf(path, sizeof(path), "%s/nvidia0", root);
	if (mknod(path, S_IFCHR | 0600, makedev(195, 0))) {
		tap_skip("NVIDIA's card in use: a node takes root rights");
		return;
	}

	/* Without that driver it cannot be opened for more. */
	fd = open(path, O_PATH);
	tap(refused("bind --take", "(tool_bind) has its node open"), "NVIDIA's card in use");
	close(fd);
	tap(run("bind --take --dry-run") == 0, "one that is used no more is taken");
	make_card("nouveau", "0");
	fd = open(path, O_PATH);
	tap(run("bind --take --dry-run") == 0, "nouveau's card is not NVIDIA's driver's");
	close(fd);
	unlink(path);
}

/* A console is on the card in each way in which sysfs shows it, and none is where it does not. */
static void test_console(void)
{
	static const struct {
		const char *make, *why, *what;
	} rows[] = {
		{ "echo 1 >" DEVICE "boot_vga", "boot screen", "boot_vga" },
		{ "echo 1 >" DEVICE "boot_display", "boot screen", "boot_display" },
		{ "mkdir -p " DEVICE "simple-framebuffer.0", "firmware's frame buffer", "simpledrm" },
		{ "mkdir -p " DEVICE "efi-framebuffer.0/graphics/fb0", "firmware's frame buffer", "efifb" },
		{ "mkdir -p " DEVICE "vesa-framebuffer.0", "firmware's frame buffer", "vesafb" },
		{ "mkdir -p " DEVICE "graphics/fb1", "a console's frame buffer", "fbcon on its driver" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		make_card("nouveau", "0");
		shell("%s", rows[i].make);
		tap(refused("bind --take", rows[i].why) && strstr(output, "--console"),
		    "%s: not taken", rows[i].what);
		tap(run("bind --take --console --dry-run") == 0, "%s: taken with --console", rows[i].what);
	}

	make_card("nouveau", "0");
	shell("mkdir " DEVICE "graphics " DEVICE "drm && echo 0 >" DEVICE "boot_display%s", "");
	tap(run("bind --take --dry-run") == 0, "a card without a frame buffer is taken");
	make_card("nouveau", "0");
	shell("mkdir -p bus/pci/devices/0000:02:00.0/efi-framebuffer.0 && "
	      "echo 1 >bus/pci/devices/0000:02:00.0/boot_vga%s", "");
	tap(run("bind --take --dry-run") == 0, "the console on another card is no reason");
}

/* The module must have been loaded with console=1 for a card that has the boot screen. */
static void test_module_console(void)
{
	make_card("nouveau", "1");
	shell("mkdir -p module/nvfifo/parameters && echo N >module/nvfifo/parameters/console%s", "");
	tap(refused("bind --take --console", "modprobe nvfifo console=1"),
	    "the boot screen, and a module that refuses it");
	shell("echo 0 >" DEVICE "boot_vga && mkdir " DEVICE "efi-framebuffer.0%s", "");
	tap(refused("bind --take --console", "modprobe nvfifo console=1"),
	    "the firmware's frame buffer, and a module that refuses it");
	shell("rmdir " DEVICE "efi-framebuffer.0 && mkdir -p " DEVICE "graphics/fb0%s", "");
	tap(run("bind --take --console --dry-run") == 0, "the module takes any other console");
	shell("echo 1 >" DEVICE "boot_vga && echo Y >module/nvfifo/parameters/console%s", "");
	tap(run("bind --take --console --dry-run") == 0, "console=1: taken");
	shell("rm -r module%s", "");
}

/* A trial names each obstacle, and one command line for all of them. */
static void test_obstacles(void)
{
	make_card("nouveau", "1");
	shell("mkdir -p module/nvfifo/parameters && echo N >module/nvfifo/parameters/console%s", "");
	tap(refused("bind --dry-run", "boot screen") && strstr(output, "bound to the driver nouveau") &&
	    strstr(output, "  modprobe -r nvfifo && modprobe nvfifo console=1 && nvfifo bind --console --take 0000:01:00.0\n"),
	    "--dry-run: console, parameter and driver at once");
	shell("rm -r module && rmdir bus/pci/drivers/nvfifo%s", "");
	tap(refused("bind --dry-run", "the module is not loaded") &&
	    strstr(output, "  modprobe nvfifo console=1 && nvfifo bind --console --take 0000:01:00.0\n"),
	    "--dry-run: the module is to be loaded with the parameter");
	make_card("nouveau", "0");
	tap(refused("bind --dry-run", "To bind it anyway, as root:\n  nvfifo bind --take 0000:01:00.0\n") && !strstr(output, "console"),
	    "--dry-run: a driver only");
}

int main(void)
{
	if (!mkdtemp(root)) {
		puts("Bail out! no temporary folder");
		return 1;
	}
	make_card("nouveau", "0");
	tap(refused("bind", "it is bound to the driver nouveau"), "another driver's card is not taken");
	tap(run("bind --take --dry-run") == 0 && strstr(output, "drivers/nouveau/unbind") &&
	    !holds(DEVICE "driver_override", "nvfifo\n"), "--dry-run writes nothing");
	/* With plain files, the probe binds no driver. */
	tap(run("bind --take") == 3 && strstr(output, "nvfifo has refused it") &&
	    holds("bus/pci/drivers/nouveau/unbind", "0000:01:00.0\n") &&
	    holds("bus/pci/drivers_probe", "0000:01:00.0\n"), "--take takes it from its driver");
	tap(holds(DEVICE "driver_override", "\n"), "a card that nvfifo refuses is anybody's again");
	shell("echo vfio-pci >" DEVICE "driver_override%s", "");
	tap(run("bind --take") == 3 && holds(DEVICE "driver_override", "vfio-pci\n"),
	    "or that of whose it was");
	test_in_use();
	test_nvidia_in_use();
	test_console();
	test_module_console();
	test_obstacles();
	make_card("", "1");
	tap(refused("bind", "boot screen"), "the boot screen's card is not taken");
	make_card("nvfifo", "0");
	tap(refused("bind", "bound to nvfifo already"), "nvfifo's own card");
	tap(run("unbind") == 0 && holds("bus/pci/drivers/nvfifo/unbind", "0000:01:00.0\n") &&
	    holds(DEVICE "driver_override", "\n"), "unbind clears the override");
	make_card("nouveau", "0");
	tap(refused("unbind", "it is not bound to nvfifo"), "unbind leaves another driver's card");
	make_card("", "0");
	shell("echo nvfifo >" DEVICE "driver_override%s", "");
	tap(run("unbind") == 0 && strstr(output, "no driver has 0000:01:00.0") &&
	    holds(DEVICE "driver_override", "\n"), "unbind frees a card whose module is gone");
	make_card("nouveau", "0");
	shell("echo 0x8086 >" DEVICE "vendor%s", "");
	tap(refused("bind --take", "not an NVIDIA graphics card"), "another maker's card");
	make_card("", "0");
	shell("rmdir bus/pci/drivers/nvfifo%s", "");
	tap(refused("bind", "modprobe nvfifo"), "without the module");
	shell("rm -rf bus%s", "");
	tap(refused("bind", "no such PCI device"), "without the card");
	rmdir(root);

	return tap_end();
}
