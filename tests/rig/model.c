// SPDX-License-Identifier: MIT
/* The control capability, by which a test steers the model. */
#include "nvfifo_text.h"
#include "rig.h"

#define PMCSR	0x64	/* in the config space of the model */

static char slot[64];
static int ctl_fd = -2;

void card_choose(const char *name)
{
	if (ctl_fd >= 0)
		close(ctl_fd);

	ctl_fd = -2;
	snprintf(slot, sizeof(slot), "%.63s", name);
}

const char *card_slot(void)
{
	struct dirent *e;
	DIR *d;

	if (slot[0])
		return slot;
	d = opendir("/sys/bus/pci/devices");
	while (d && (e = readdir(d))) {
		char path[512], buf[16] = "";
		int fd, n;

		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/vendor", e->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		n = (int)read(fd, buf, sizeof(buf) - 1);
		close(fd);
		if (n > 0 && nvfifo_text_value(buf, 16) == 0x10de)
			snprintf(slot, sizeof(slot), "%.63s", e->d_name);
	}
	if (d)
		closedir(d);
	return slot;
}

int ctl_open(void)
{
	char path[512];
	uint32_t sig = 0;

	if (ctl_fd != -2)
		return ctl_fd;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", card_slot());
	ctl_fd = open(path, O_RDWR | O_CLOEXEC);
	if (ctl_fd >= 0 &&
	    (pread(ctl_fd, &sig, 4, NVSIM_CTL_SIGNATURE) != 4 || sig != NVSIM_CTL_MAGIC)) {
		close(ctl_fd);
		ctl_fd = -1;
	}
	return ctl_fd;
}

bool ctl_present(void)
{
	return ctl_open() >= 0;
}

bool model_quirk(enum nvsim_quirk quirk)
{
	uint32_t side = ctl(NVSIM_CTL_QUIRK, quirk << 8);

	/* No command only reads the value: set it, and set it back. */
	ctl(NVSIM_CTL_QUIRK, quirk << 8 | side);
	return side;
}

uint32_t ctl(enum nvsim_ctl_cmd cmd, uint32_t arg)
{
	uint32_t c = cmd, result = 0;
	int fd = ctl_open();

	if (fd < 0)
		return 0;
	if (pwrite(fd, &arg, 4, NVSIM_CTL_ARG) != 4 || pwrite(fd, &c, 4, NVSIM_CTL_CMD) != 4 ||
	    pread(fd, &result, 4, NVSIM_CTL_RESULT) != 4)
		give_up(__FILE__, __LINE__, "control capability: %s", strerror(errno));
	return result;
}

bool ctl_line(const char *fmt, ...)
{
	char line[164] = "";
	uint32_t four, ret = 0;
	size_t i, len;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line) - 4, fmt, ap);
	va_end(ap);

	/* With the 0 byte that ends it. */
	len = strlen(line) + 1;
	for (i = 0; i < len; i += 4) {
		memcpy(&four, line + i, 4);
		ret = ctl(NVSIM_CTL_TEXT, four);
	}
	return !ret;
}

bool rec_next(uint32_t chid, struct rec *r)
{
	uint32_t where = ctl(NVSIM_CTL_REC_NEXT, chid), more[3] = { 0 };

	if (where == ~0u || pread(ctl_open(), more, 4, NVSIM_CTL_RESULT_1) != 4 ||
	    pread(ctl_open(), more + 1, 4, NVSIM_CTL_RESULT_2) != 4 ||
	    pread(ctl_open(), more + 2, 4, NVSIM_CTL_RESULT_3) != 4)
		return false;
	*r = (struct rec){
		.channel = where >> 24, .engine = where >> 20 & 7, .subc = where >> 16 & 7,
		.mthd = where & 0x1ffc, .data = more[0], .oclass = more[1], .object = more[2],
	};
	return true;
}

uint32_t violations_allowed;

void violations_allow(bool on)
{
	uint32_t left = ctl(NVSIM_CTL_EXPECT_VIOLATION, on ? ALLOWED_MAX : 0);

	if (!on && ctl_present())
		violations_allowed += ALLOWED_MAX - left;
}

void card_power_cycle(void)
{
	uint32_t header[16], pm = 3;
	int fd = ctl_open();

	need(pread(fd, header, sizeof(header), 0) == sizeof(header), "config space");
	ctl(NVSIM_CTL_CLEAR, NVSIM_INJECT_LOST);
	ctl(NVSIM_CTL_D3_LOSS, NVSIM_D3_LOST);
	need(pwrite(fd, &pm, 4, PMCSR) == 4, "PMCSR: %s", strerror(errno));
	pm = 0;
	need(pwrite(fd, &pm, 4, PMCSR) == 4, "PMCSR: %s", strerror(errno));
	ctl(NVSIM_CTL_D3_LOSS, NVSIM_D3_KEEP);
	need(pwrite(fd, header + 4, 24, 16) == 24, "BARs");
}
