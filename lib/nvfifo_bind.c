// SPDX-License-Identifier: MIT
/*
 * Gives one card to the driver, and takes it back.
 *
 * The kernel's driver_override says which driver may take a device; the other cards in the machine
 * stay where they are. Nothing is written before all checks have passed.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "nvfifo_bind.h"
#include "nvfifo_priv.h"
#include "nvfifo_text.h"

bool nvfifo_bind_address(const char *text, char address[NVFIFO_PCI_ADDRESS_MAX])
{
	unsigned int domain = 0, bus, device, function;
	int end = 0;

	if (sscanf(text, "%4x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end) != 4 ||
	    text[end]) {
		domain = 0;
		end = 0;
		if (sscanf(text, "%2x:%2x.%1x%n", &bus, &device, &function, &end) != 3 || text[end])
			return false;
	}

	if (device > 0x1f || function > 7)
		return false;

	snprintf(address, NVFIFO_PCI_ADDRESS_MAX, "%04x:%02x:%02x.%x", domain, bus, device,
		 function);

	return true;
}

/* --- sysfs --------------------------------------------------------------- */

struct path {
	char text[512];
};

__attribute__((format(printf, 2, 3)))
static struct path sysfs_path(const struct nvfifo_binding *b, const char *fmt, ...)
{
	struct path p;
	va_list args;
	size_t used;

	snprintf(p.text, sizeof(p.text), "%s/", b->sysfs ? b->sysfs : "/sys");
	used = strlen(p.text);
	va_start(args, fmt);
	vsnprintf(p.text + used, sizeof(p.text) - used, fmt, args);
	va_end(args);

	return p;
}

static struct path device_path(const struct nvfifo_binding *b, const char *file)
{
	return sysfs_path(b, "bus/pci/devices/%s/%s", b->address, file);
}

static unsigned long read_number(const struct nvfifo_binding *b, const char *file)
{
	return (unsigned long)nvfifo_text_file(device_path(b, file).text, 16);
}

static void read_driver(struct nvfifo_binding *b)
{
	nvfifo_link_name(device_path(b, "driver").text, b->driver, sizeof(b->driver));
}

/* The driver that alone may take the card, "" for any. */
static void read_override(struct nvfifo_binding *b)
{
	nvfifo_text_file_line(device_path(b, "driver_override").text, b->override,
			      sizeof(b->override));
	if (!strcmp(b->override, "(null)"))
		*b->override = '\0';
}

/* Keep the reason for nvfifo_last_error(). Return: @err. */
__attribute__((format(printf, 4, 5))) static int refuse(struct nvfifo_binding *b, int err,
							enum nvfifo_holder holder,
							const char *fmt, ...)
{
	char why[200];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	b->holder = holder;

	return nvfifo_error(err, "%s: %s", b->address, why);
}

static int write_file(const struct nvfifo_binding *b, const char *path, const char *text)
{
	FILE *f;
	int ret = 0;

	if (b->write) {
		b->write(b->ctx, path, text);
		return 0;
	}

	f = fopen(path, "w");
	if (!f || fprintf(f, "%s\n", text) < 0 || fflush(f))
		ret = -errno;
	if (f && fclose(f) && !ret)
		ret = -errno;
	if (!ret)
		return 0;

	return nvfifo_error(ret, "cannot write '%s' to %s: %s", text, path, strerror(-ret));
}

static int write_device(const struct nvfifo_binding *b, const char *file, const char *text)
{
	return write_file(b, device_path(b, file).text, text);
}

static int write_bus(const struct nvfifo_binding *b, const char *file)
{
	return write_file(b, sysfs_path(b, "bus/pci/%s", file).text, b->address);
}

/* --- Processes with the card's nodes open -------------------------------- */

/* The major number of the nodes of NVIDIA's own driver, which sysfs does not have */
#define MAJOR_NVIDIA	195

/* Device numbers of the nodes through which programs use a card */
struct nodes {
	dev_t dev[16];
	size_t count;
	bool nvidia;	/* and all nodes of NVIDIA's own driver */
	char process[16];	/* number of a process with an open node */
	char program[40];
};

/* Call @is for each entry of a folder until it is true. Return: whether it was. */
static bool any_entry(const char *path, bool (*is)(void *ctx, const char *path, const char *name), void *ctx)
{
	struct dirent *entry;
	bool found = false;
	DIR *dir = opendir(path);

	if (!dir)
		return false;

	while (!found && (entry = readdir(dir)))
		found = is(ctx, path, entry->d_name);
	closedir(dir);

	return found;
}

/* Add the node whose number is in the file @path. */
static void add_node(struct nodes *nodes, const char *path)
{
	unsigned int major_number, minor_number;
	char line[32];

	if (nodes->count == sizeof(nodes->dev) / sizeof(nodes->dev[0]))
		return;

	if (nvfifo_text_file_line(path, line, sizeof(line)) &&
	    sscanf(line, "%u:%u", &major_number, &minor_number) == 2)
		nodes->dev[nodes->count++] = makedev(major_number, minor_number);
}

/* Add the nodes that a folder of the card has, such as drm/card0. */
static bool add_node_in(void *ctx, const char *path, const char *name)
{
	char file[800];

	snprintf(file, sizeof(file), "%s/%s/dev", path, name);
	add_node(ctx, file);

	return false;
}

/* A driver's node is that of the card, except vfio's, which may be that of the IOMMU group. */
static void find_nodes(const struct nvfifo_binding *b, struct nodes *nodes)
{
	static const char *const folders[] = { "drm", "vfio-dev" };
	char group[64];
	size_t i;

	for (i = 0; i < 2; i++)
		any_entry(device_path(b, folders[i]).text, add_node_in, nodes);

	nodes->nvidia = !strcmp(b->driver, "nvidia");
	if (!nvfifo_link_name(device_path(b, "iommu_group").text, group, sizeof(group)))
		return;

	add_node(nodes, sysfs_path(b, "class/vfio/%s/dev", group).text);
	add_node(nodes, sysfs_path(b, "class/vfio/noiommu-%s/dev", group).text);
}

/* Is an open file one of the nodes? */
static bool is_one_of(void *ctx, const char *path, const char *name)
{
	const struct nodes *nodes = ctx;
	struct stat st;
	char file[900];
	size_t i;

	snprintf(file, sizeof(file), "%s/%s", path, name);
	if (stat(file, &st) || !S_ISCHR(st.st_mode))
		return false;
	if (nodes->nvidia && major(st.st_rdev) == MAJOR_NVIDIA)
		return true;

	for (i = 0; i < nodes->count; i++) {
		if (nodes->dev[i] == st.st_rdev)
			return true;
	}

	return false;
}

/* Is it a process that has one of the nodes open? Keep its number, and its program. */
static bool has_open(void *ctx, const char *path, const char *name)
{
	struct nodes *nodes = ctx;
	char file[600];

	snprintf(file, sizeof(file), "%s/%s/fd", path, name);
	if (*name < '1' || *name > '9' || !any_entry(file, is_one_of, nodes))
		return false;

	snprintf(nodes->process, sizeof(nodes->process), "%.15s", name);
	snprintf(file, sizeof(file), "%s/%s/comm", path, name);
	nvfifo_text_file_line(file, nodes->program, sizeof(nodes->program));

	return true;
}

/* Unbinding a card in use breaks its programs, and for vfio-pci waits without end for them. */
static int check_unused(struct nvfifo_binding *b)
{
	struct nodes nodes = { .count = 0 };

	find_nodes(b, &nodes);
	if (!any_entry("/proc", has_open, &nodes))
		return 0;

	return refuse(b, -EBUSY, NVFIFO_HOLDER_PROGRAM,
		      "process %.12s (%s) has its node open: end it first", nodes.process,
		      nodes.program);
}

/* --- Checks -------------------------------------------------------------- */

/* The bits of the class that say "display controller" */
#define CLASS_DISPLAY	0x03
#define VENDOR_NVIDIA	0x10de

static int check_device(struct nvfifo_binding *b)
{
	b->holder = NVFIFO_HOLDER_NONE;
	if (access(device_path(b, "").text, F_OK))
		return refuse(b, -ENODEV, NVFIFO_HOLDER_NONE, "there is no such PCI device");
	if (read_number(b, "vendor") != VENDOR_NVIDIA ||
	    read_number(b, "class") >> 16 != CLASS_DISPLAY)
		return refuse(b, -ENODEV, NVFIFO_HOLDER_NONE, "it is not an NVIDIA graphics card");

	read_driver(b);
	read_override(b);
	return 0;
}

static bool has_text(void *ctx, const char *path, const char *name)
{
	(void)path;
	return strstr(name, ctx);
}

/* Does a folder of the card have an entry with this text in its name? */
static bool has_entry(const struct nvfifo_binding *b, const char *folder, char *text)
{
	return any_entry(device_path(b, folder).text, has_text, text);
}

/*
 * The firmware's frame buffer is a device below that of the card. It disappears when a driver of
 * the card takes the screen.
 */
static bool has_firmware_console(const struct nvfifo_binding *b)
{
	return has_entry(b, "", "-framebuffer.");
}

static bool is_boot_screen(const struct nvfifo_binding *b)
{
	return read_number(b, "boot_vga") || read_number(b, "boot_display");
}

static int check_loaded(struct nvfifo_binding *b)
{
	if (!access(sysfs_path(b, "bus/pci/drivers/nvfifo").text, F_OK))
		return 0;

	return refuse(b, -ENOENT, NVFIFO_HOLDER_MODULE, "the module is not loaded: modprobe nvfifo");
}

/* The frame buffer of the card's driver is in the folder "graphics". */
static int check_console(struct nvfifo_binding *b)
{
	if (b->console)
		return 0;
	if (is_boot_screen(b))
		return refuse(b, -EBUSY, NVFIFO_HOLDER_CONSOLE, "the boot screen is on it");
	if (has_firmware_console(b))
		return refuse(b, -EBUSY, NVFIFO_HOLDER_CONSOLE,
			      "the firmware's frame buffer is on it, which a console may use");
	if (has_entry(b, "graphics", "fb"))
		return refuse(b, -EBUSY, NVFIFO_HOLDER_CONSOLE,
			      "a console's frame buffer is on it");

	return 0;
}

/* Does the module need console=1, and was it loaded with the default of 0? */
static int check_module_console(struct nvfifo_binding *b)
{
	struct path parameter;
	char value[8];

	if (!is_boot_screen(b) && !has_firmware_console(b))
		return 0;

	parameter = sysfs_path(b, "module/nvfifo/parameters/console");
	if (!nvfifo_text_file_line(parameter.text, value, sizeof(value)) || *value != 'N')
		return 0;

	return refuse(b, -EBUSY, NVFIFO_HOLDER_PARAMETER,
		      "the module was loaded without console=1: modprobe -r nvfifo && modprobe nvfifo console=1");
}

static int check_driver(struct nvfifo_binding *b)
{
	if (!*b->driver || b->take)
		return 0;

	return refuse(b, -EBUSY, NVFIFO_HOLDER_DRIVER, "it is bound to the driver %s", b->driver);
}

static int check_card(struct nvfifo_binding *b)
{
	int ret = check_device(b);

	if (ret)
		return ret;
	if (!strcmp(b->driver, "nvfifo"))
		return refuse(b, -EALREADY, NVFIFO_HOLDER_NONE, "it is bound to nvfifo already");

	return 0;
}

/* In the order in which a person removes these obstacles */
static int (*const checks[])(struct nvfifo_binding *b) = {
	check_loaded, check_console, check_module_console, check_driver, check_unused,
};
#define CHECK_COUNT	(sizeof(checks) / sizeof(checks[0]))

static int check_bind(struct nvfifo_binding *b)
{
	int ret = check_card(b);
	size_t i;

	for (i = 0; !ret && i < CHECK_COUNT; i++)
		ret = checks[i](b);

	return ret;
}

unsigned int nvfifo_bind_obstacles(struct nvfifo_binding *b,
				   void (*tell)(void *ctx, const char *why))
{
	unsigned int found = 0;
	size_t i;

	if (check_card(b)) {
		tell(b->ctx, nvfifo_last_error());
		return 1u << NVFIFO_HOLDER_NONE;
	}

	for (i = 0; i < CHECK_COUNT; i++) {
		if (!checks[i](b))
			continue;
		tell(b->ctx, nvfifo_last_error());
		found |= 1u << b->holder;
	}

	/* A module that is to be loaded needs the parameter as well. */
	if (found & 1u << NVFIFO_HOLDER_MODULE && (is_boot_screen(b) || has_firmware_console(b)))
		found |= 1u << NVFIFO_HOLDER_PARAMETER;

	return found;
}

/* --- Binding ------------------------------------------------------------- */

/* Let the kernel choose among the drivers that an override allows. */
static int give_back(const struct nvfifo_binding *b, const char *override)
{
	int ret = write_device(b, "driver_override", override);

	if (ret)
		return ret;

	return write_bus(b, "drivers_probe");
}

static int refused_by_driver(struct nvfifo_binding *b)
{
	int ret = give_back(b, strcmp(b->override, "nvfifo") ? b->override : "");

	if (ret)
		return ret;

	read_driver(b);
	return refuse(b, -ENODEV, NVFIFO_HOLDER_NONE,
		      "nvfifo has refused it: 'dmesg | nvfifo explain' says why; it is bound to %s now",
		      *b->driver ? b->driver : "no driver");
}

/* Let go of the card, and have the kernel give it to nvfifo, which alone may take it. */
static int hand_over(struct nvfifo_binding *b)
{
	char unbind[100];
	int ret = 0;

	if (*b->driver) {
		snprintf(unbind, sizeof(unbind), "drivers/%s/unbind", b->driver);
		ret = write_bus(b, unbind);
	}

	if (ret)
		return ret;

	return write_bus(b, "drivers_probe");
}

int nvfifo_bind(struct nvfifo_binding *b)
{
	int ret = check_bind(b);

	if (ret)
		return ret;

	ret = write_device(b, "driver_override", "nvfifo");
	if (ret)
		return ret;

	ret = hand_over(b);
	if (ret) {
		write_device(b, "driver_override", b->override);
		return ret;
	}

	if (b->write)
		return 0;

	read_driver(b);
	if (strcmp(b->driver, "nvfifo"))
		return refused_by_driver(b);

	return 0;
}

int nvfifo_unbind(struct nvfifo_binding *b)
{
	int ret = check_device(b);

	if (ret)
		return ret;
	if (strcmp(b->driver, "nvfifo") && strcmp(b->override, "nvfifo"))
		return refuse(b, -ENODEV, NVFIFO_HOLDER_NONE, "it is not bound to nvfifo");

	if (!strcmp(b->driver, "nvfifo"))
		ret = write_bus(b, "drivers/nvfifo/unbind");
	if (!ret)
		ret = give_back(b, "");
	if (ret || b->write)
		return ret;

	/* Without another driver of the card, the kernel has given it to nvfifo again. */
	read_driver(b);
	if (strcmp(b->driver, "nvfifo"))
		return 0;

	ret = write_bus(b, "drivers/nvfifo/unbind");
	if (!ret)
		read_driver(b);

	return ret;
}
