// SPDX-License-Identifier: MIT
/*
 * "nvfifo bind" and "nvfifo unbind": give one card to the driver, and take it back.
 *
 * The kernel's driver_override says which driver may take a device; the other cards in the
 * machine stay where they are. Nothing is written before all checks have passed.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "options.h"
#include "tools.h"

static const char bind_help[] =
	"Usage: nvfifo bind [OPTIONS] PCI-ADDRESS\n\n"
	"Give one card to the nvfifo driver, which does not take any by itself when it is\n"
	"installed. The module must be loaded: 'modprobe nvfifo'. As root.\n\n"
	"Refused: what is no NVIDIA graphics card; the card of a console or the boot screen,\n"
	"unless --console; a card that another driver has, unless --take; a card of which a\n"
	"program has a node open. If nvfifo refuses the card, its usual driver gets it back.\n\n"
	"Options:\n"
	"  --console         take the card although the console is on it: the screen stays dark.\n"
	"                    For the boot screen's card, load the module with console=1\n"
	"  --take            take the card away from its driver\n"
	"  -n, --dry-run     only check, and print what would be written\n"
	"  --sysfs DIR       where sysfs is, default /sys\n\n"
	"Exit codes: 0 done, 2 wrong option, 3 refused.\n\n"
	"Examples:\n"
	"  nvfifo bind --dry-run 01:00.0\n";

static const char unbind_help[] =
	"Usage: nvfifo unbind [OPTIONS] PCI-ADDRESS\n\n"
	"Take a card away from the nvfifo driver, and let the kernel give it to the driver that\n"
	"usually has it, if that is loaded; also a card that bind has kept for nvfifo and that\n"
	"nvfifo has not, as its module was unloaded. Channels of programs end. As root.\n\n"
	"Options:\n"
	"  -n, --dry-run     only check, and print what would be written\n"
	"  --sysfs DIR       where sysfs is, default /sys\n\n"
	"Exit codes: 0 done, 2 wrong option, 3 refused.\n\n"
	"Examples:\n"
	"  nvfifo unbind --dry-run 01:00.0\n";

struct bind {
	const char *sysfs;
	bool console;
	bool take;
	bool dry;
	char address[32];
	char driver[64];	/* driver of the card, "" for none */
	char override[64];	/* the only driver that may bind it, "" for any */
};

/* --- sysfs --------------------------------------------------------------- */

static void device_path(const struct bind *b, const char *file, char *path, size_t size)
{
	snprintf(path, size, "%s/bus/pci/devices/%s/%s", b->sysfs, b->address, file);
}

static unsigned long read_number(const struct bind *b, const char *file)
{
	unsigned long value = 0;
	char path[512];
	FILE *f;

	device_path(b, file, path, sizeof(path));
	f = fopen(path, "r");
	if (!f)
		return 0;

	if (fscanf(f, "%lx", &value) != 1)
		value = 0;
	fclose(f);

	return value;
}

static void read_driver(struct bind *b)
{
	char path[512], target[512];
	const char *name;
	ssize_t n;

	*b->driver = '\0';
	device_path(b, "driver", path, sizeof(path));
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return;

	target[n] = '\0';
	name = strrchr(target, '/');
	name = name ? name + 1 : target;
	snprintf(b->driver, sizeof(b->driver), "%.60s", name);
}

/* The driver that alone may take the card, "" for any. */
static void read_override(struct bind *b)
{
	char path[512];
	FILE *f;

	*b->override = '\0';
	device_path(b, "driver_override", path, sizeof(path));
	f = fopen(path, "r");
	if (!f)
		return;

	if (!fgets(b->override, sizeof(b->override), f))
		*b->override = '\0';
	fclose(f);
	b->override[strcspn(b->override, "\n")] = '\0';
	if (!strcmp(b->override, "(null)"))
		*b->override = '\0';
}

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

static int refuse(const struct bind *b, const char *why)
{
	fprintf(stderr, "nvfifo: %s: %s\n", b->address, why);
	return EXIT_DEVICE;
}

static int write_file(const struct bind *b, const char *path, const char *text)
{
	FILE *f;
	int ret = 0;

	if (b->dry) {
		printf("echo %s >%s\n", text, path);
		return EXIT_OK;
	}

	f = fopen(path, "w");
	if (!f || fprintf(f, "%s\n", text) < 0 || fflush(f))
		ret = errno;
	if (f && fclose(f) && !ret)
		ret = errno;
	if (!ret)
		return EXIT_OK;

	fprintf(stderr, "nvfifo: cannot write '%s' to %s: %s\n", text, path, strerror(ret));
	return EXIT_DEVICE;
}

static int write_device(const struct bind *b, const char *file, const char *text)
{
	char path[512];

	device_path(b, file, path, sizeof(path));
	return write_file(b, path, text);
}

static int write_bus(const struct bind *b, const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/bus/pci/%s", b->sysfs, file);
	return write_file(b, path, b->address);
}

/* --- Processes with the card's nodes open -------------------------------- */

/* The major number of the nodes of NVIDIA's own driver, which sysfs does not have */
#define MAJOR_NVIDIA	195

/* Device numbers of the nodes through which programs use a card */
struct nodes {
	dev_t dev[16];
	size_t count;
	bool nvidia;	/* and all nodes of NVIDIA's own driver */
};

/* Add the node whose number is in the file @path. */
static void add_node(struct nodes *nodes, const char *path)
{
	unsigned int major_number, minor_number;
	FILE *f;

	if (nodes->count == sizeof(nodes->dev) / sizeof(nodes->dev[0]))
		return;
	f = fopen(path, "r");
	if (!f)
		return;

	if (fscanf(f, "%u:%u", &major_number, &minor_number) == 2)
		nodes->dev[nodes->count++] = makedev(major_number, minor_number);
	fclose(f);
}

/* Add the nodes that a folder of the card has, such as drm/card0. */
static void add_nodes_in(const struct bind *b, struct nodes *nodes, const char *folder)
{
	char path[512], file[800];
	struct dirent *entry;
	DIR *dir;

	device_path(b, folder, path, sizeof(path));
	dir = opendir(path);
	if (!dir)
		return;

	while ((entry = readdir(dir))) {
		snprintf(file, sizeof(file), "%s/%s/dev", path, entry->d_name);
		add_node(nodes, file);
	}

	closedir(dir);
}

/* A driver's node is that of the card, except vfio's, which may be that of the IOMMU group. */
static void find_nodes(const struct bind *b, struct nodes *nodes)
{
	char path[512], target[256], file[800];
	const char *group;
	ssize_t n;

	nodes->count = 0;
	nodes->nvidia = !strcmp(b->driver, "nvidia");
	add_nodes_in(b, nodes, "drm");
	add_nodes_in(b, nodes, "vfio-dev");
	device_path(b, "iommu_group", path, sizeof(path));
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return;

	target[n] = '\0';
	group = strrchr(target, '/');
	group = group ? group + 1 : target;
	snprintf(file, sizeof(file), "%s/class/vfio/%s/dev", b->sysfs, group);
	add_node(nodes, file);
	snprintf(file, sizeof(file), "%s/class/vfio/noiommu-%s/dev", b->sysfs, group);
	add_node(nodes, file);
}

static bool is_one_of(const struct nodes *nodes, const char *path)
{
	struct stat st;
	size_t i;

	if (stat(path, &st) || !S_ISCHR(st.st_mode))
		return false;
	if (nodes->nvidia && major(st.st_rdev) == MAJOR_NVIDIA)
		return true;

	for (i = 0; i < nodes->count; i++) {
		if (nodes->dev[i] == st.st_rdev)
			return true;
	}

	return false;
}

/* Does the process of this number have one of the nodes open? */
static bool has_open(const struct nodes *nodes, const char *process)
{
	char path[300], file[600];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", process);
	dir = opendir(path);
	if (!dir)
		return false;

	while (!found && (entry = readdir(dir))) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		found = is_one_of(nodes, file);
	}
	closedir(dir);

	return found;
}

static void read_program(const char *process, char *name, size_t size)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%s/comm", process);
	*name = '\0';
	f = fopen(path, "r");
	if (!f)
		return;

	if (!fgets(name, (int)size, f))
		*name = '\0';
	name[strcspn(name, "\n")] = '\0';
	fclose(f);
}

/* Unbinding a card in use breaks its programs, and for vfio-pci waits without end for them. */
static int check_unused(const struct bind *b)
{
	char name[40], why[200];
	struct dirent *entry;
	struct nodes nodes;
	int ret = EXIT_OK;
	DIR *dir;

	find_nodes(b, &nodes);
	dir = opendir("/proc");
	if (!dir)
		return EXIT_OK;

	while (ret == EXIT_OK && (entry = readdir(dir))) {
		if (*entry->d_name < '1' || *entry->d_name > '9' ||
		    !has_open(&nodes, entry->d_name))
			continue;
		read_program(entry->d_name, name, sizeof(name));
		snprintf(why, sizeof(why), "process %.12s (%s) has its node open: end it first",
			 entry->d_name, name);
		ret = refuse(b, why);
	}
	closedir(dir);

	return ret;
}

/* --- Checks -------------------------------------------------------------- */

/* The bits of the class that say "display controller" */
#define CLASS_DISPLAY	0x03
#define VENDOR_NVIDIA	0x10de

static int check_device(struct bind *b)
{
	char path[512];

	device_path(b, "", path, sizeof(path));
	if (!exists(path))
		return refuse(b, "there is no such PCI device");
	if (read_number(b, "vendor") != VENDOR_NVIDIA ||
	    read_number(b, "class") >> 16 != CLASS_DISPLAY)
		return refuse(b, "it is no NVIDIA graphics card");

	read_driver(b);
	read_override(b);
	return EXIT_OK;
}

/* Does a folder of the card have an entry with this text in its name? */
static bool has_entry(const struct bind *b, const char *folder, const char *text)
{
	char path[512];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	device_path(b, folder, path, sizeof(path));
	dir = opendir(path);
	if (!dir)
		return false;

	while (!found && (entry = readdir(dir)))
		found = strstr(entry->d_name, text);
	closedir(dir);

	return found;
}

/*
 * The firmware's frame buffer is a device below that of the card. It disappears when a driver of
 * the card takes the screen.
 */
static bool has_firmware_console(const struct bind *b)
{
	return has_entry(b, "", "-framebuffer.");
}

static bool is_boot_screen(const struct bind *b)
{
	return read_number(b, "boot_vga") || read_number(b, "boot_display");
}

/* Has the module been loaded with console=0, its default? */
static bool module_refuses_console(const struct bind *b)
{
	char path[512], value[8] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/module/nvfifo/parameters/console", b->sysfs);
	f = fopen(path, "r");
	if (!f)
		return false;

	if (!fgets(value, sizeof(value), f))
		*value = '\0';
	fclose(f);

	return *value == 'N';
}

/* The frame buffer of the card's driver is in the folder "graphics". */
static int check_console(const struct bind *b)
{
	if (b->console) {
		if (module_refuses_console(b) && (is_boot_screen(b) || has_firmware_console(b)))
			return refuse(b, "the module takes no boot console as it is loaded: modprobe -r nvfifo && modprobe nvfifo console=1");
		return EXIT_OK;
	}

	if (is_boot_screen(b))
		return refuse(b, "the boot screen is on it; --console takes it nevertheless");
	if (has_firmware_console(b))
		return refuse(b, "the firmware's frame buffer is on it, which a console may use; --console takes it nevertheless");
	if (has_entry(b, "graphics", "fb"))
		return refuse(b, "a console's frame buffer is on it; --console takes it nevertheless");

	return EXIT_OK;
}

static int check_bind(struct bind *b)
{
	char path[512], why[200];
	int ret = check_device(b);

	if (ret)
		return ret;
	if (!strcmp(b->driver, "nvfifo"))
		return refuse(b, "nvfifo has it already");

	snprintf(path, sizeof(path), "%s/bus/pci/drivers/nvfifo", b->sysfs);
	if (!exists(path))
		return refuse(b, "the module is not loaded: modprobe nvfifo");

	ret = check_console(b);
	if (ret)
		return ret;
	if (*b->driver && !b->take) {
		snprintf(why, sizeof(why),
			 "the driver %s has it; --take takes it away, when no program uses it",
			 b->driver);
		return refuse(b, why);
	}

	return check_unused(b);
}

/* --- The commands -------------------------------------------------------- */

/* Let the kernel choose among the drivers that an override allows. */
static int give_back(const struct bind *b, const char *override)
{
	int ret = write_device(b, "driver_override", override);

	if (ret)
		return ret;

	return write_bus(b, "drivers_probe");
}

static int refused_by_driver(struct bind *b)
{
	char why[200];

	if (give_back(b, strcmp(b->override, "nvfifo") ? b->override : ""))
		return EXIT_DEVICE;

	read_driver(b);
	snprintf(why, sizeof(why), "nvfifo has refused it: 'dmesg | nvfifo explain' says why; %s has it now",
		 *b->driver ? b->driver : "no driver");

	return refuse(b, why);
}

static int do_bind(struct bind *b)
{
	char unbind[100];
	int ret = check_bind(b);

	if (!ret)
		ret = write_device(b, "driver_override", "nvfifo");
	if (!ret && *b->driver) {
		snprintf(unbind, sizeof(unbind), "drivers/%s/unbind", b->driver);
		ret = write_bus(b, unbind);
	}

	if (!ret)
		ret = write_bus(b, "drivers_probe");
	if (ret || b->dry)
		return ret;

	read_driver(b);
	if (strcmp(b->driver, "nvfifo"))
		return refused_by_driver(b);

	printf("nvfifo has %s\n", b->address);
	return EXIT_OK;
}

static int do_unbind(struct bind *b)
{
	int ret = check_device(b);

	if (ret)
		return ret;
	if (strcmp(b->driver, "nvfifo") && strcmp(b->override, "nvfifo"))
		return refuse(b, "nvfifo does not have it");

	if (!strcmp(b->driver, "nvfifo"))
		ret = write_bus(b, "drivers/nvfifo/unbind");
	if (!ret)
		ret = give_back(b, "");
	if (ret || b->dry)
		return ret;

	/* Without another driver of the card, the kernel has given it to nvfifo again. */
	read_driver(b);
	if (!strcmp(b->driver, "nvfifo")) {
		ret = write_bus(b, "drivers/nvfifo/unbind");
		if (ret)
			return ret;
		read_driver(b);
	}

	printf("%s has %s\n", *b->driver ? b->driver : "no driver", b->address);
	return EXIT_OK;
}

/* "01:00.0" is short for "0000:01:00.0". */
static bool take_address(struct bind *b, const char *text)
{
	unsigned int domain = 0, bus, device, function;
	int end = 0;

	if (sscanf(text, "%4x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end) != 4 ||
	    text[end]) {
		domain = 0;
		end = 0;
		if (sscanf(text, "%2x:%2x.%1x%n", &bus, &device, &function, &end) != 3 ||
		    text[end])
			return false;
	}

	if (device > 0x1f || function > 7)
		return false;

	snprintf(b->address, sizeof(b->address), "%04x:%02x:%02x.%x", domain, bus, device,
		 function);

	return true;
}

/* Bind or unbind the card that the argument names. */
static int work_on(const struct subcommand *cmd, struct bind *b, int argc, char **argv,
		   int (*work)(struct bind *b))
{
	if (optind == argc)
		return usage_error(cmd, "the PCI address of one card is missing");
	if (argc - optind > 1)
		return usage_error(cmd, "one card at a time: unexpected argument '%s'",
				   argv[optind + 1]);
	if (!take_address(b, argv[optind]))
		return usage_error(cmd, "'%s' is no PCI address such as 0000:01:00.0, whose device is 00 to 1f and function 0 to 7",
				   argv[optind]);
	return work(b);
}

static int run_bind(int argc, char **argv)
{
	struct bind b = { .sysfs = "/sys" };
	const struct option_row rows[] = {
		OPTION_FLAG("console", 0, &b.console),
		OPTION_FLAG("take", 0, &b.take),
		OPTION_FLAG("dry-run", 'n', &b.dry),
		OPTION_TEXT("sysfs", 0, &b.sysfs),
		OPTION_END,
	};
	int ret = take_options(&cmd_bind, rows, ARGUMENTS_ANY, argc, argv);

	if (ret != OPTIONS_TAKEN)
		return ret;

	return work_on(&cmd_bind, &b, argc, argv, do_bind);
}

static int run_unbind(int argc, char **argv)
{
	struct bind b = { .sysfs = "/sys" };
	const struct option_row rows[] = {
		OPTION_FLAG("dry-run", 'n', &b.dry),
		OPTION_TEXT("sysfs", 0, &b.sysfs),
		OPTION_END,
	};
	int ret = take_options(&cmd_unbind, rows, ARGUMENTS_ANY, argc, argv);

	if (ret != OPTIONS_TAKEN)
		return ret;

	return work_on(&cmd_unbind, &b, argc, argv, do_unbind);
}

const struct subcommand cmd_bind = {
	.name = "bind",
	.summary = "give a card to the nvfifo driver",
	.help = bind_help,
	.run = run_bind,
};

const struct subcommand cmd_unbind = {
	.name = "unbind",
	.summary = "give a card back to the driver that usually has it",
	.help = unbind_help,
	.run = run_unbind,
};
