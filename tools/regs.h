/* SPDX-License-Identifier: MIT */
/* Registers of BAR0 through debugfs or a file, for "nvfifo peek", "poke" and "watch". */
#ifndef NVFIFO_REGS_H
#define NVFIFO_REGS_H

#include <limits.h>

#include "json.h"
#include "nvfifo_reg.h"
#include "options.h"
#include "tools.h"

#define REGS_DEBUGFS "/sys/kernel/debug"

#define REGS_HELP_WHERE \
	"  -d, --device D  /dev/dri/renderD128, or a PCI address such as 0000:01:00.0;\n" \
	"                  the first card of the nvfifo driver if not given\n" \
	"  --debugfs DIR   where debugfs is, /sys/kernel/debug if not given\n" \
	"  --file FILE     work on FILE, an image of BAR0, instead of a card\n" \
	"  --chipset C     g80 ... mcp89: names as on this chipset, whatever PMC.BOOT_0\n" \
	"                  says\n" \
	"  --json          one object of JSON for each register\n" \
	"  --color WHEN    auto (default), always, never\n\n"

#define REGS_HELP_NAMES \
	"REG is a name such as PFIFO.CACHES, pull0 or CHAN_TABLE[3] (any case; the block\n" \
	"may be left out where the rest is unique), such a name with a field,\n" \
	"PFIFO.CACHES.REASSIGN, or an address in BAR0; +OFFSET may follow. Addresses,\n" \
	"offsets, values and masks are hexadecimal, with or without 0x; indices and\n" \
	"counts are decimal.\n\n"

#define REGS_HELP_ROOT \
	"Needs root, debugfs and the nvfifo driver; a kernel in lockdown refuses it.\n\n"

/**
 * struct regs - Source of registers, and format of the output
 * @cmd: the subcommand, for its messages
 * @device: the card, NULL for the first
 * @debugfs: path of debugfs
 * @file: an image of BAR0 instead of a card, or NULL
 * @path: of the file that is open
 * @chipset: chipset of the names, 0 until the program has read it from the card
 * @json: JSON instead of text
 * @all: with fields that are 0
 * @fd: the file, -1 while it is not open
 */
struct regs {
	const struct subcommand *cmd;
	const char *device;
	const char *debugfs;
	const char *file;
	char path[PATH_MAX];
	__u32 chipset;
	bool json;
	bool all;
	int fd;
};

#define REGS_OPTIONS(r) \
	OPTION_TEXT("device", 'd', &(r)->device), OPTION_TEXT("debugfs", 0, &(r)->debugfs), \
	OPTION_TEXT("file", 0, &(r)->file), OPTION_CHIPSET("chipset", &(r)->chipset), \
	OPTION_FLAG("json", 0, &(r)->json), OPTION_COLOR("color")

/* Say on stderr that the file could not be read, opened, ...: errno. Return: EXIT_DEVICE. */
int regs_file_error(const struct regs *r, const char *what);

/* Return: EXIT_OK with the word, or an exit code after a message. */
int regs_read(const struct regs *r, __u32 address, __u32 *value);

/* Open the card's registers, or the file. Return: EXIT_OK, or an exit code after a message. */
int regs_open(struct regs *r, int flags);

/* Close them. Return: @ret, or an exit code if that fails. */
int regs_end(struct regs *r, int ret);

/* The register of a name or an address. Return: EXIT_OK, or EXIT_USAGE after a message. */
int regs_find(const struct regs *r, const char *text, struct nvfifo_reg_ref *ref);

/* A word in hexadecimal, with or without 0x. Return: false if it is none. */
bool regs_parse_word(const char *text, __u32 *value);

__u32 regs_field_value(const struct nvfifo_reg *f, __u32 value);

/* The members of a register's JSON object, which is open. */
void regs_print_json(const struct regs *r, struct nvfifo_json *j, const struct nvfifo_reg_ref *ref,
		    __u32 value);

/* Print a register with its value and its fields. */
void regs_show(const struct regs *r, const struct nvfifo_reg_ref *ref, __u32 value);

/* Decode a list of reads, with a summary. Return: an exit code. */
int regs_reads(struct regs *r, const char *path);

#endif
