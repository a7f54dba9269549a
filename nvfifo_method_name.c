// SPDX-License-Identifier: GPL-2.0-only
/**
 * DOC: Names of methods
 *
 * Log lines and trace events name the methods of the classes that have names in rnndb: those of
 * PGRAPH, PCIPHER, PCOPY, PMPEG, PME and VP1. Kbuild makes the rows from the library's table,
 * lib/nvfifo_method_table.c, so that driver and tools have the same names. Most of that table
 * describes data, and only the tools have those descriptions. The names and their rows take about
 * 22 KiB.
 */
#include <linux/array_size.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "nvfifo_code_names.h"
#include "nvfifo_method_name.h"

/* Classes that have methods in common */
enum family {
	FAMILY_2D,
	FAMILY_M2MF,
	FAMILY_3D,
	FAMILY_COMPUTE,
	FAMILY_CIPHER,
	FAMILY_COPY,
	FAMILY_MPEG,
	FAMILY_ME,
	FAMILY_VP1,
};

/* Methods of a family: @count of them, @stride bytes apart, in the classes of a mask. */
static const struct method_row {
	u8 family;
	u16 method;
	u16 stride;
	u16 count;
	u8 generations;
	const char *name;
} method_rows[] = {
#include "nvfifo_method_rows.inc"
};

static const struct {
	u16 class;
	u8 family;
	u8 generation;
} classes[] = {
	{ 0x502d, FAMILY_2D, 0x01 },	  { 0x5039, FAMILY_M2MF, 0x01 },
	{ 0x5097, FAMILY_3D, 0x01 },	  { 0x8297, FAMILY_3D, 0x02 },
	{ 0x8397, FAMILY_3D, 0x04 },	  { 0x8597, FAMILY_3D, 0x08 },
	{ 0x8697, FAMILY_3D, 0x10 },	  { 0x50c0, FAMILY_COMPUTE, 0x01 },
	{ 0x85c0, FAMILY_COMPUTE, 0x02 }, { 0x74c1, FAMILY_CIPHER, 0x01 },
	{ 0x85b5, FAMILY_COPY, 0x01 },	  { 0x3174, FAMILY_MPEG, 0x01 },
	{ 0x8274, FAMILY_MPEG, 0x02 },	  { 0x4075, FAMILY_ME, 0x01 },
	{ 0x4176, FAMILY_VP1, 0x01 },
};

/* Is a method in a row? If so, set @i to its number in the row's array. */
static bool is_in_row(const struct method_row *row, u32 method, u32 *i)
{
	u32 from_first = method - row->method;

	*i = 0;
	if (method < row->method || row->count < 2)
		return method == row->method;

	*i = from_first / row->stride;

	return from_first % row->stride == 0 && *i < row->count;
}

/* "RT[].FORMAT" and 3 are "RT[0x3].FORMAT", as the tools write it; they write 0 as "0". */
static void spell(const char *name, u32 i, char text[NVFIFO_METHOD_NAME])
{
	const char *brackets = strstr(name, "[]"), *prefix = i ? "0x" : "";

	if (brackets)
		snprintf(text, NVFIFO_METHOD_NAME, "%.*s[%s%x]%s", (int)(brackets - name), name,
			 prefix, i, brackets + 2);
	else
		strscpy(text, name, NVFIFO_METHOD_NAME);
}

/**
 * nvfifo_method_text() - Get the name of a method, for the log
 * @class: class of the object that receives it, 0 if unknown
 * @method: its number
 * @text: out: the name, if it is not PFIFO's own
 *
 * Methods below 0x100 are PFIFO's, on every subchannel.
 *
 * Return: the name, "UNKNOWN" for any other.
 */
const char *nvfifo_method_text(u32 class, u32 method, char text[NVFIFO_METHOD_NAME])
{
	const char *own = nvfifo_pfifo_method_name(method);
	const struct method_row *row;
	u32 c, r, i;

	if (own)
		return own;

	for (c = 0; c < ARRAY_SIZE(classes) && classes[c].class != class; c++)
		;

	for (r = 0; c < ARRAY_SIZE(classes) && r < ARRAY_SIZE(method_rows); r++) {
		row = &method_rows[r];
		if (row->family == classes[c].family &&
		    row->generations & classes[c].generation && is_in_row(row, method, &i)) {
			spell(row->name, i, text);
			return text;
		}
	}

	return nvfifo_name_or_unknown("");
}
