// SPDX-License-Identifier: MIT
/* Why there is no card: a sysfs of our own, and the driver's table of PCI ids. */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvfifo.h"
#include "nvfifo_advice.h"
#include "nvfifo_pci_table.h"
#include "tap.h"

#define SYS "build/card-sysfs"

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f)) {
		printf("Bail out! cannot write %s\n", path);
		exit(1);
	}
}

static void make_dir(const char *path)
{
	if (mkdir(path, 0777) && errno != EEXIST) {
		printf("Bail out! cannot make %s\n", path);
		exit(1);
	}
}

static void make_card(const char *address, const char *device, const char *pci_class,
		      const char *driver)
{
	char dir[120], path[200], target[200];

	snprintf(dir, sizeof(dir), SYS "/bus/pci/devices/%s", address);
	make_dir(dir);
	snprintf(path, sizeof(path), "%s/vendor", dir);
	write_file(path, "0x10de\n");
	snprintf(path, sizeof(path), "%s/device", dir);
	write_file(path, device);
	snprintf(path, sizeof(path), "%s/class", dir);
	write_file(path, pci_class);
	snprintf(path, sizeof(path), "%s/driver", dir);
	unlink(path);
	snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", driver);
	if (*driver && symlink(target, path)) {
		printf("Bail out! cannot make %s\n", path);
		exit(1);
	}
}

static void check(const char *what, const char *want)
{
	char text[800];

	nvfifo_card_advice(SYS, text, sizeof(text));
	if (!tap(strstr(text, want), "%s: %s", what, want))
		tap_diag("%s", text);
}

static void test_advice(void)
{
	char text[800];

	make_dir("build");
	make_dir(SYS);
	make_dir(SYS "/bus");
	make_dir(SYS "/bus/pci");
	make_dir(SYS "/bus/pci/devices");
	make_card("0000:01:00.0", "0x1381\n", "0x030000\n", "nouveau");
	make_card("0000:01:00.1", "0x0640\n", "0x040300\n", "snd_hda_intel");
	check("another family, and a sound function", "no card of the NV50 family is on the PCI bus");
	check("without the module", "the module nvfifo is not loaded");

	make_card("0000:01:00.0", "0x0640\n", "0x030000\n", "nouveau");
	check("nouveau has it", "0000:01:00.0 has the id of G96: it is bound to the driver nouveau");
	check("and how to take it", "'modprobe nvfifo && nvfifo bind --take 0000:01:00.0' as root");
	make_card("0000:01:00.0", "0x0640\n", "0x030000\n", "vfio-pci");
	check("vfio-pci has it", "0000:01:00.0 has the id of G96: it is bound to the driver vfio-pci");
	make_card("0000:01:00.0", "0x0640\n", "0x030000\n", "");
	check("nobody has it", "bound to no driver; load the module nvfifo");
	make_dir(SYS "/module");
	make_dir(SYS "/module/nvfifo");
	check("nvfifo is loaded and has refused it", "dmesg | nvfifo explain");
	make_card("0000:01:00.0", "0x0640\n", "0x030000\n", "nvfifo");
	check("nvfifo has it", "bound to nvfifo; is its node");
	tap(strlen(nvfifo_card_advice(SYS, text, 20)) == 19, "the text is cut where the buffer ends");
	rmdir(SYS "/module/nvfifo");
	rmdir(SYS "/module");
}

/* Every id of the driver's table belongs to the block of its chip. */
static void test_ids(void)
{
	static const struct {
		unsigned int id;
		const char *chip;
	} ids[] = {
#define ID(chip, id) { id, #chip },
		NVFIFO_PCI_IDS(ID)
#undef ID
	};
	const unsigned int count = sizeof(ids) / sizeof(ids[0]);
	unsigned int wrong = 0, i;

	for (i = 0; i < count; i++) {
		const char *have = nvfifo_card_chip(ids[i].id);

		if (have && !strcmp(have, ids[i].chip))
			continue;
		tap_diag("%04x is %s, not %s", ids[i].id, ids[i].chip, have ? have : "nothing");
		wrong++;
	}
	tap(count > 240 && !wrong, "%u PCI ids belong to the driver's chips", count);
}

/* Open a file of this group and mode as a user who may not. Return: is this said? */
static bool denies(gid_t group, mode_t mode, const char *want)
{
	const char *path = SYS "/node";
	int status;
	pid_t child;

	unlink(path);
	write_file(path, "");
	if (chown(path, (uid_t)-1, group) || chmod(path, mode))
		return false;

	fflush(stdout);
	child = fork();
	if (!child) {
		struct nvfifo_dev *dev;
		int ret;

		if (!geteuid() && (setgroups(0, NULL) || setresgid(65533, 65533, 65533) ||
				   setresuid(65534, 65534, 65534)))
			_exit(1);
		ret = nvfifo_open(path, &dev);
		if (ret == -EACCES && strstr(nvfifo_last_error(), want))
			_exit(0);
		tap_diag("%s", nvfifo_last_error());
		fflush(stdout);
		_exit(1);
	}
	waitpid(child, &status, 0);
	unlink(path);

	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void test_rights(void)
{
	/* A user who is not root cannot read files without the owner's rights. */
	const mode_t group_only = 0060;
	struct group *own = getgrgid(getgid());
	char want[100];

	snprintf(want, sizeof(want), "not allowed to open " SYS "/node: become root or a member of its group '%s'",
		 own ? own->gr_name : "?");
	tap(denies(getgid(), group_only, want), "a node that a group may open: the group is named");
	tap(denies(getgid(), 0, "become root"), "a node that only root may open");
	if (geteuid())
		tap_skip("a group without a name: takes root rights");
	else
		tap(denies(54321, group_only, "a member of its group '54321'"), "a group without a name has its number");
}

int main(void)
{
	test_advice();
	test_rights();
	test_ids();
	return tap_end();
}
