// SPDX-License-Identifier: MIT
/* --class HANDLE=CLASS: the class of an object whose handle occurs in words without a source */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "class_option.h"

/* "0x5039" or "M2MF" */
static bool parse_class(const char *text, __u32 *oclass)
{
	unsigned long number;

	if (parse_unsigned(text, 0xffff, &number)) {
		*oclass = (__u32)number;
		return true;
	}

	for (*oclass = nvfifo_class_next(0); *oclass; *oclass = nvfifo_class_next(*oclass)) {
		const char *name = nvfifo_class_name(*oclass);

		if (name && !strcasecmp(name, text))
			return true;
	}

	return false;
}

int take_class(const struct subcommand *cmd, void *ctx, const char *arg)
{
	struct class_list *list = ctx;
	unsigned long handle;
	char text[64], *equals;
	__u32 oclass;
	size_t i;

	snprintf(text, sizeof(text), "%s", arg);
	equals = strchr(text, '=');
	if (equals)
		*equals = '\0';
	if (!equals || !parse_unsigned(text, 0xffffffff, &handle) ||
	    !parse_class(equals + 1, &oclass))
		return usage_error(cmd, "--class is HANDLE=CLASS, such as 0xbeef5039=0x5039 or 0xbeef5039=M2MF, not '%s'",
				   arg);

	for (i = 0; i < list->count; i++) {
		if (list->rows[i].handle == handle && list->rows[i].oclass != oclass)
			return usage_error(cmd, "--class gives handle 0x%lx two classes, 0x%x and 0x%x",
					   handle, list->rows[i].oclass, oclass);
	}

	if (list->count == NVFIFO_DECODE_HANDLES)
		return usage_error(cmd, "at most %d times --class", NVFIFO_DECODE_HANDLES);

	list->rows[list->count].handle = (__u32)handle;
	list->rows[list->count++].oclass = oclass;

	return EXIT_OK;
}
