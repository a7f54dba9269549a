// SPDX-License-Identifier: MIT
/* Registers of BAR0 through debugfs or a file: opening, reading, names, and their JSON. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvfifo_text.h"
#include "regs.h"

#define REG_FILE "nvfifo_regs"

/* --- The file ------------------------------------------------------------ */

int regs_file_error(const struct regs *r, const char *what)
{
	int err = errno;

	fflush(stdout);
	fprintf(stderr, "nvfifo: cannot %s %s: %s\n%s", what, r->path, strerror(err),
		r->file ? "" : debugfs_advice(err));

	return r->file ? EXIT_USAGE : EXIT_DEVICE;
}

int regs_read(const struct regs *r, __u32 address, __u32 *value)
{
	ssize_t n = pread(r->fd, value, sizeof(*value), address);

	if (n == sizeof(*value))
		return EXIT_OK;
	if (n < 0)
		return regs_file_error(r, "read");

	fflush(stdout);
	fprintf(stderr, "nvfifo: %s ends before the register at %06x\n", r->path, address);

	return r->file ? EXIT_USAGE : EXIT_DEVICE;
}

/* Return: 0 with r->fd open, or an exit code. */
int regs_open(struct regs *r, int flags)
{
	__u32 boot_0;
	int ret;

	if (r->file && r->device)
		return usage_error(r->cmd, "either --device or --file, not both");

	if (r->file)
		snprintf(r->path, sizeof(r->path), "%s", r->file);
	ret = r->file ? EXIT_OK : debugfs_find(r->debugfs, r->device, REG_FILE, r->path, sizeof(r->path));
	if (ret)
		return ret;

	r->fd = open(r->path, flags | O_CLOEXEC);
	if (r->fd < 0)
		return regs_file_error(r, "open");
	if (r->chipset)
		return EXIT_OK;

	ret = regs_read(r, 0, &boot_0);
	r->chipset = nvfifo_chipset_name(boot_0 >> 20 & 0x1ff) ? boot_0 >> 20 & 0x1ff : 0;
	if (!ret && boot_0 == 0xffffffff)
		fputs("nvfifo: PMC.BOOT_0 reads ffffffff: the card is gone from the bus\n", stderr);

	return ret;
}

/* --- Printing ------------------------------------------------------------ */

__u32 regs_field_value(const struct nvfifo_reg *f, __u32 value)
{
	return (value & nvfifo_reg_mask(f)) >> f->lo;
}

void regs_print_json(const struct regs *r, struct nvfifo_json *j, const struct nvfifo_reg_ref *ref,
			   __u32 value)
{
	char text[NVFIFO_REG_VALUE_MAX], name[NVFIFO_REG_NAME_MAX];
	const struct nvfifo_reg *f = NULL;
	struct nvfifo_reg_ref whole = *ref;

	whole.field = NULL;
	nvfifo_reg_name(&whole, name);
	nvfifo_json_hex(j, "address", 6, ref->address);
	nvfifo_json_string(j, "register", name);
	nvfifo_json_hex(j, "value", 8, value);
	if (!ref->reg)
		return;

	nvfifo_reg_value(ref->reg, NULL, value, text);
	if (*text)
		nvfifo_json_string(j, "means", text);
	nvfifo_json_open(j, "fields", '{');

	while ((f = nvfifo_reg_field(ref->reg, r->chipset, f))) {
		if (!ref->field || f == ref->field)
			nvfifo_json_number(j, f->name, regs_field_value(f, value));
	}

	nvfifo_json_close(j, '}');
}

void print_reg_line(const struct nvfifo_reg_ref *ref, __u32 chipset, __u32 value)
{
	struct nvfifo_reg_ref whole = *ref;
	const struct nvfifo_reg *f = NULL;
	char name[NVFIFO_REG_NAME_MAX];
	const char *between = "  ";

	whole.field = NULL;
	nvfifo_reg_name(&whole, name);
	printf("%06x  %s%08x%s  %s%s", ref->address, color(COLOR_HEAD), value, color(COLOR_OFF),
	       *name ? name : "(no name)", color(COLOR_DIM));

	while (ref->reg && (f = nvfifo_reg_field(ref->reg, chipset, f))) {
		if (!regs_field_value(f, value) || (ref->field && ref->field != f))
			continue;
		printf("%s%s", between, f->name);
		if (f->hi != f->lo)
			printf(" %x", regs_field_value(f, value));
		between = ", ";
	}

	printf("%s\n", color(COLOR_OFF));
}

/* --- Arguments ----------------------------------------------------------- */

int regs_find(const struct regs *r, const char *text, struct nvfifo_reg_ref *ref)
{
	if (nvfifo_reg_parse(text, r->chipset, ref))
		return usage_error(r->cmd, "%s", nvfifo_last_error());
	return EXIT_OK;
}

/* Hexadecimal, with or without 0x. */
bool regs_parse_word(const char *text, __u32 *value)
{
	__u64 v;
	bool ok = nvfifo_text_whole(text, strlen(text), 16, 0xffffffff, &v);

	*value = (__u32)v;
	return ok;
}

int regs_end(struct regs *r, int ret)
{
	if (r->fd >= 0 && close(r->fd) && !ret)
		ret = regs_file_error(r, "close");
	return ret;
}
