// SPDX-License-Identifier: MIT
/* Binding a card, on a sysfs of plain files: addresses, refusals with their errors, and writes. */
#include <errno.h>
#include <string.h>

#include "nvfifo.h"
#include "nvfifo_bind.h"
#include "tap.h"

#define DEVICE	"bus/pci/devices/0000:01:00.0/"

static char root[] = "/tmp/nvfifo-lib-bind-XXXXXX";

/* Writes of a trial: their number, and path and text of each */
static struct {
	unsigned int count;
	char text[600];
} trial;

static void shell(const char *text)
{
	char command[1024];

	snprintf(command, sizeof(command), "cd %s && %s", root, text);
	if (system(command)) {
		printf("Bail out! %s\n", command);
		exit(1);
	}
}

static void make_card(const char *more)
{
	shell("rm -rf bus && mkdir -p " DEVICE " bus/pci/drivers/nvfifo bus/pci/drivers/nouveau");
	shell("echo 0x10de >" DEVICE "vendor && echo 0x030000 >" DEVICE "class");
	shell(more);
}

static void on_write(void *ctx, const char *path, const char *text)
{
	size_t len = strlen(trial.text);

	trial.count += ctx == &trial;
	snprintf(trial.text + len, sizeof(trial.text) - len, "%s %s;", text,
		 strncmp(path, root, strlen(root)) ? path : path + strlen(root) + 1);
}

static struct nvfifo_binding card(void)
{
	struct nvfifo_binding b = { .sysfs = root, .write = on_write, .ctx = &trial };

	memset(&trial, 0, sizeof(trial));
	nvfifo_bind_address("01:00.0", b.address);
	return b;
}

static bool holds(const char *file, const char *line)
{
	char path[300], text[100] = "";
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, file);
	f = fopen(path, "r");
	if (!f)
		return false;

	if (!fgets(text, sizeof(text), f))
		*text = '\0';
	fclose(f);

	return !strcmp(text, line);
}

/* Does the call fail with this error, holder and sentence, and without a write? */
static bool refuses(int (*call)(struct nvfifo_binding *b), int err, enum nvfifo_holder holder,
		    const char *why)
{
	struct nvfifo_binding b = card();
	int ret = call(&b);

	if (ret == err && b.holder == holder && strstr(nvfifo_last_error(), why) && !trial.count &&
	    !strncmp(nvfifo_last_error(), "0000:01:00.0: ", 14))
		return true;

	printf("# %d, '%s', %u writes\n", ret, nvfifo_last_error(), trial.count);
	return false;
}

static bool is_address(const char *text, const char *whole)
{
	char address[NVFIFO_PCI_ADDRESS_MAX] = "";

	if (!nvfifo_bind_address(text, address))
		return !whole;
	return whole && !strcmp(address, whole);
}

static void test_addresses(void)
{
	tap(is_address("01:00.0", "0000:01:00.0"), "an address without a domain");
	tap(is_address("10ab:c1:1f.7", "10ab:c1:1f.7"), "a whole address");
	tap(is_address("0000:01:20.0", NULL), "device 20 does not exist");
	tap(is_address("01:00.8", NULL), "nor does function 8");
	tap(is_address("01:00.0x", NULL), "nothing may follow");
	tap(is_address("", NULL) && is_address("card0", NULL), "what is no address");
}

static void test_refusals(void)
{
	shell("rm -rf bus");
	tap(refuses(nvfifo_bind, -ENODEV, NVFIFO_HOLDER_NONE, "no such PCI device"), "no such device");
	make_card("echo 0x1002 >" DEVICE "vendor");
	tap(refuses(nvfifo_bind, -ENODEV, NVFIFO_HOLDER_NONE, "not an NVIDIA graphics card"), "a card of another vendor");
	make_card("echo 0x040300 >" DEVICE "class");
	tap(refuses(nvfifo_unbind, -ENODEV, NVFIFO_HOLDER_NONE, "not an NVIDIA graphics card"), "a sound device");
	make_card("rmdir bus/pci/drivers/nvfifo");
	tap(refuses(nvfifo_bind, -ENOENT, NVFIFO_HOLDER_MODULE, "modprobe nvfifo"), "the module is not loaded");
	make_card("echo 1 >" DEVICE "boot_vga");
	tap(refuses(nvfifo_bind, -EBUSY, NVFIFO_HOLDER_CONSOLE, "boot screen"), "the boot screen's card");
	make_card("ln -s ../../drivers/nouveau " DEVICE "driver");
	tap(refuses(nvfifo_bind, -EBUSY, NVFIFO_HOLDER_DRIVER, "it is bound to the driver nouveau"), "another driver's card");
	tap(refuses(nvfifo_unbind, -ENODEV, NVFIFO_HOLDER_NONE, "it is not bound to nvfifo"), "unbind of that card");
	make_card("ln -s ../../drivers/nvfifo " DEVICE "driver");
	tap(refuses(nvfifo_bind, -EALREADY, NVFIFO_HOLDER_NONE, "it is bound to nvfifo already"), "a card that nvfifo has");
}

static void test_trials(void)
{
	struct nvfifo_binding b = card();

	b.take = true;
	make_card("ln -s ../../drivers/nouveau " DEVICE "driver");
	tap(!nvfifo_bind(&b) && trial.count == 3 && !strcmp(b.driver, "nouveau") &&
		    !strcmp(trial.text, "nvfifo " DEVICE "driver_override;"
					"0000:01:00.0 bus/pci/drivers/nouveau/unbind;"
					"0000:01:00.0 bus/pci/drivers_probe;"),
	    "the writes that take a card");

	b = card();
	make_card("ln -s ../../drivers/nvfifo " DEVICE "driver");
	tap(!nvfifo_unbind(&b) && trial.count == 3 &&
		    !strcmp(trial.text, "0000:01:00.0 bus/pci/drivers/nvfifo/unbind;"
					" " DEVICE "driver_override;"
					"0000:01:00.0 bus/pci/drivers_probe;"),
	    "the writes that give it back");

	b = card();
	make_card("echo nvfifo >" DEVICE "driver_override");
	tap(!nvfifo_unbind(&b) && trial.count == 2 && !strcmp(b.override, "nvfifo"),
	    "a card that is kept for nvfifo is given back");

	b = card();
	b.console = true;
	make_card("echo 1 >" DEVICE "boot_vga");
	tap(!nvfifo_bind(&b) && trial.count == 2, "the boot screen's card on request");
}

/* No kernel has these files: after the writes nvfifo does not have the card. */
static void test_writes(void)
{
	struct nvfifo_binding b = card();

	b.write = NULL;
	make_card("echo vfio-pci >" DEVICE "driver_override");
	tap(nvfifo_bind(&b) == -ENODEV && strstr(nvfifo_last_error(), "bound to no driver now"),
	    "nvfifo refuses the card");
	tap(holds(DEVICE "driver_override", "vfio-pci\n") &&
		    holds("bus/pci/drivers_probe", "0000:01:00.0\n"),
	    "the card's own override is there again");

	make_card("mkdir " DEVICE "driver_override");
	tap(nvfifo_bind(&b) == -EISDIR && strstr(nvfifo_last_error(), "cannot write 'nvfifo' to "),
	    "a file that cannot be written");

	b.take = true;
	make_card("mkdir bus/pci/drivers/nouveau/unbind && ln -s ../../drivers/nouveau " DEVICE "driver && "
		  "echo vfio-pci >" DEVICE "driver_override");
	tap(nvfifo_bind(&b) == -EISDIR && strstr(nvfifo_last_error(), "/unbind: ") &&
		    holds(DEVICE "driver_override", "vfio-pci\n"),
	    "a driver that does not let go: the card's own override is there again");
}

int main(void)
{
	char remove[60];

	if (!mkdtemp(root))
		return 1;

	test_addresses();
	test_refusals();
	test_trials();
	test_writes();
	snprintf(remove, sizeof(remove), "rm -rf %s", root);
	tap(!system(remove), "the files are removed");

	return tap_end();
}
