// SPDX-License-Identifier: MIT
/* "nvfifo methods": the names, numbers and data of the classes' methods. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "json.h"
#include "nvfifo_methods.h"
#include "nvfifo_text.h"
#include "options.h"
#include "terminal.h"
#include "tools.h"

static const char help[] =
	"Usage: nvfifo methods [OPTIONS] [CLASS] [NAME | NUMBER]\n\n"
	"List methods with their numbers and data: all of a CLASS, those whose names\n"
	"contain NAME, or the one with a NUMBER. CLASS is a name (2D, M2MF, 3D, COMPUTE,\n"
	"CIPHER, COPY, PFIFO) or a hexadecimal number (0x502d or 502D). A number is one\n"
	"class, 3D and COMPUTE are all of their generations. Without arguments the\n"
	"classes are listed. The names are those that 'nvfifo asm' accepts; '[]' stands\n"
	"for the number of an element.\n\n"
	"Options:\n"
	"  --chipset C   g80 ... mcp89: only classes and methods that this chipset has\n"
	"  --names       print only names, one a line\n"
	"  --json        print an array of JSON\n"
	"  --color WHEN  auto (default), always, never\n\n"
	"Exit codes: 0 found, 1 no method of that name or number, 2 a wrong option or\n"
	"class.\n\n"
	"Examples:\n"
	"  nvfifo methods 2D format\n"
	"  nvfifo methods 2D 0x200\n"
	"  nvfifo methods --chipset g80 pfifo\n"
	"  nvfifo methods line_count\n";

struct options {
	__u32 chipset;
	bool names;
	bool json;
	struct nvfifo_json j;
	const char *name;	/* part of a name, or NULL for all */
	bool by_number;
	__u32 number;
	__u32 oclass;		/* class to list, or 0 for all */
	unsigned int found;
};

static bool row_has_number(const struct nvfifo_method_row *r, __u32 number)
{
	__u32 i;

	for (i = 0; i < r->count; i++) {
		if (r->method + i * r->stride == number)
			return true;
	}

	return false;
}

/* The generations of a family that are wanted, as a mask */
static unsigned int generations(const struct options *o, const struct nvfifo_method_family *f)
{
	unsigned int g, mask = 0;

	for (g = 0; g < f->generations; g++) {
		if (o->oclass && o->oclass != f->classes[g])
			continue;
		if (!o->chipset || nvfifo_class_exists(o->chipset, f->classes[g]))
			mask |= 1u << g;
	}

	return mask;
}

/* A description without the table's marks: that of a type, or the text itself. */
static const char *data_text(const char *value)
{
	if (!value)
		return "number, hexadecimal";

	return nvfifo_method_plain(value);
}

static void print_values(FILE *out, const char *s)
{
	struct nvfifo_value_name n;

	fputs("one of", out);
	while ((s = nvfifo_method_next_name(s, &n)))
		fprintf(out, " %.*s=0x%x", (int)n.len, n.name, n.value);
}

/* "{X 15:0 int|ON 31}" as "X 15:0 int, ON 31". */
static void print_fields(FILE *out, const char *s)
{
	fputs("fields ", out);
	for (s++; *s && *s != '}'; s++) {
		if (*s == '|')
			fputs(", ", out);
		else
			fputc(*s, out);
	}
}

static void print_data(FILE *out, const char *value)
{
	const char *s = data_text(value);

	if (*s == '=')
		print_values(out, s);
	else if (*s == '{')
		print_fields(out, s);
	else if (*s == '<')
		fprintf(out, "number, shown times %u", 1u << nvfifo_text_digit(s[1]));
	else
		fputs(s, out);
}

/* Columns of the data in a list of methods */
#define DATA_INDENT	8
#define DATA_COLUMN	39

static void print_method(struct options *o, const char *family, const char *name, __u32 method,
			 __u32 count, __u32 stride, const char *value)
{
	char full[NVFIFO_NEAR_NAME + 16];
	struct wrap w;
	FILE *out;

	o->found++;
	snprintf(full, sizeof(full), "%s%s%s", family, *family ? "." : "", name);
	if (o->names) {
		puts(full);
		return;
	}

	if (o->json) {
		nvfifo_json_print(&o->j, "{name:%s method:%04x count:%u stride:%u data:%s}", full,
				  method, count, stride, data_text(value));
		return;
	}

	printf("%04x  %s%-32s%s ", method, color(COLOR_HEAD), full, color(COLOR_OFF));
	out = wrap_begin(&w);
	if (count > 1)
		fprintf(out, "%u elements, one every %u bytes; ", count, stride);
	print_data(out, value);
	wrap_end(&w, DATA_INDENT, DATA_COLUMN);
}

static bool wanted(const struct options *o, const char *family, const struct nvfifo_method_row *r)
{
	char full[NVFIFO_NEAR_NAME + 16];

	if (o->by_number)
		return row_has_number(r, o->number);
	if (!o->name)
		return true;

	snprintf(full, sizeof(full), "%s.%s", family, r->name);
	return strcasestr(full, o->name);
}

static void list_family(struct options *o, const struct nvfifo_method_family *f)
{
	unsigned int mask = generations(o, f);
	const struct nvfifo_method_row *r;

	for (r = f->rows; r->name; r++) {
		if (r->generations & mask && wanted(o, f->name, r))
			print_method(o, f->name, r->name, r->method, r->count, r->stride, r->value);
	}
}

static void list_pfifo(struct options *o)
{
	const char *name;
	__u32 method;

	for (method = 0; method < 0x100; method += 4) {
		name = nvfifo_method_name(0, method);
		if (!name || (o->chipset && !nvfifo_pfifo_method_valid(o->chipset, method)))
			continue;
		if (o->by_number && o->number != method)
			continue;
		if (o->name && !o->by_number && !strcasestr(name, o->name))
			continue;

		print_method(o, "", name, method, 1, 0, NULL);
	}
}

static const char *class_remark(__u32 oclass)
{
	if (nvfifo_class_has_methods(oclass))
		return "";
	if (oclass == NVFIFO_CLASS_DMA_READ || oclass == NVFIFO_CLASS_DMA_WRITE ||
	    oclass == NVFIFO_CLASS_DMA_RW)
		return ", DMA objects";

	return ", methods not known";
}

static void list_classes(struct options *o)
{
	__u32 oclass = 0;

	while ((oclass = nvfifo_class_next(oclass)) != 0) {
		if (!nvfifo_class_exists(o->chipset, oclass))
			continue;

		o->found++;
		if (o->names) {
			puts(nvfifo_class_name(oclass));
		} else if (o->json) {
			nvfifo_json_print(&o->j, "{class:%04x name:%s methods:%i}", oclass,
					  nvfifo_class_name(oclass),
					  nvfifo_class_has_methods(oclass));
		} else {
			printf("0x%04x  %s%s%s%s\n", oclass, color(COLOR_HEAD),
			       nvfifo_class_name(oclass), color(COLOR_OFF),
			       class_remark(oclass));
		}
	}
}

/* A class by its number, in hexadecimal with or without "0x"; 0 if there is no such class. */
static __u32 class_by_number(const char *text)
{
	__u64 oclass;

	/* "2D" and "3D" are names. */
	if (strlen(text) < 3 || !nvfifo_text_whole(text, strlen(text), 16, 0xffff, &oclass) ||
	    !nvfifo_class_exists(0, (__u32)oclass))
		return 0;

	return (__u32)oclass;
}

/*
 * The family of a class by name or number; NULL if it has none. @oclass: out: the class if it is
 * one of the family's generations.
 */
static const struct nvfifo_method_family *find_family(const char *name, __u32 *oclass)
{
	__u32 number = class_by_number(name);
	size_t i;
	unsigned int g;

	for (i = 0; i < nvfifo_method_family_count; i++) {
		const struct nvfifo_method_family *f = &nvfifo_method_families[i];

		if (!strcasecmp(f->name, name))
			return f;

		for (g = 0; g < f->generations; g++) {
			const char *full = nvfifo_class_name(f->classes[g]);

			if (f->classes[g] != number && (!full || strcasecmp(full, name)))
				continue;

			*oclass = f->classes[g];
			return f;
		}
	}

	return NULL;
}

/* Offer the names that find_family() knows. */
static void offer_classes(struct nvfifo_near *near)
{
	const char *name;
	__u32 oclass = 0;
	char number[16];
	size_t i;

	nvfifo_near_offer(near, "PFIFO");

	for (i = 0; i < nvfifo_method_family_count; i++)
		nvfifo_near_offer(near, nvfifo_method_families[i].name);

	while ((oclass = nvfifo_class_next(oclass)) != 0) {
		if (!nvfifo_class_has_methods(oclass))
			continue;

		name = nvfifo_class_name(oclass);
		if (name)
			nvfifo_near_offer(near, name);

		snprintf(number, sizeof(number), "0x%04x", oclass);
		nvfifo_near_offer(near, number + (near->wanted[1] == 'x' ? 0 : 2));
	}
}

static int no_class(const char *name)
{
	struct nvfifo_near near;
	char more[200];

	if (class_by_number(name))
		return usage_error(&cmd_methods, "the methods of class '%s' are not known", name);

	nvfifo_near_init(&near, name, strlen(name));
	offer_classes(&near);

	return usage_error(&cmd_methods, "'%s' is not a class with methods%s", name,
			   nvfifo_near_text(&near, more, sizeof(more)));
}

/* Characters between the words of a name */
#define SEPARATORS "_.[]"

/* Offer each word of a name, and each run of its words: a part of a name is wanted, too. */
static void offer_parts(struct nvfifo_near *near, const char *name)
{
	char part[NVFIFO_NEAR_NAME];
	const char *word, *end;

	for (word = name; *word; word += strspn(word, SEPARATORS)) {
		for (end = word; *end; end += strspn(end, SEPARATORS)) {
			end += strcspn(end, SEPARATORS);
			snprintf(part, sizeof(part), "%.*s", (int)(end - word), word);
			nvfifo_near_offer(near, part);
		}

		word += strcspn(word, SEPARATORS);
	}
}

/* The names of one class, and their parts */
static void offer_names(struct nvfifo_near *near, const struct nvfifo_method_family *f)
{
	const struct nvfifo_method_row *r;

	for (r = f->rows; r->name; r++) {
		nvfifo_near_offer(near, r->name);
		offer_parts(near, r->name);
	}
}

/* @class: the class that was given, NULL if the argument could have been a class as well */
static int nothing_found(const struct options *o, const char *what, const char *class)
{
	const struct nvfifo_method_family *family = NULL;
	struct nvfifo_near near;
	char of[32] = "", more[200];
	__u32 oclass;
	size_t i;

	fflush(stdout);
	nvfifo_near_init(&near, what, strlen(what));
	if (class) {
		family = find_family(class, &oclass);
		snprintf(of, sizeof(of), "of %s ", class);
	} else {
		offer_classes(&near);
	}

	if (o->by_number && (o->number % 4 || o->number > 0x1ffc)) {
		if (class)
			fprintf(stderr, "nvfifo methods: a method is a multiple of 4, 0 to 0x1ffc, not '%s'\n",
				what);
		else
			fprintf(stderr,
				"nvfifo methods: '%s' is not a class, and a method is a multiple of 4, 0 to 0x1ffc%s\n",
				what, nvfifo_near_text(&near, more, sizeof(more)));
		return EXIT_USAGE;
	}

	if (family)
		offer_names(&near, family);
	else
		nvfifo_method_offer(&near);

	/* Parts of the names of all classes, where no whole name is near */
	for (i = 0; i < nvfifo_method_family_count && !class && !near.count; i++)
		offer_names(&near, &nvfifo_method_families[i]);

	if (class && !o->by_number && strspn(what, "0123456789abcdefABCDEF") == strlen(what))
		snprintf(more, sizeof(more), "; a number is 0x%.8s", what);
	else
		nvfifo_near_text(&near, more, sizeof(more));

	fprintf(stderr, "nvfifo methods: no method %shas the %s '%s'%s\n", of,
		o->by_number ? "number" : "name", what, more);

	return EXIT_DIFFERENT;
}

/* "3D.RT[3].FORMAT" is looked for as the table has it, "3D.RT[].FORMAT". */
static void drop_elements(char *name)
{
	char *from, *to = name;

	for (from = name; *from; from++) {
		*to++ = *from;
		if (*from == '[' && from[1 + strspn(from + 1, "0123456789")] == ']')
			from += strspn(from + 1, "0123456789");
	}

	*to = '\0';
}

static int list(struct options *o, int count, char **args)
{
	const struct nvfifo_method_family *family = NULL;
	unsigned long number;
	bool pfifo;
	size_t i;

	if (!count) {
		list_classes(o);
		return EXIT_OK;
	}

	drop_elements(args[count - 1]);
	pfifo = !strcasecmp(args[0], "pfifo");
	family = find_family(args[0], &o->oclass);
	if (count == 2 && !family && !pfifo &&
	    (find_family(args[1], &o->oclass) || !strcasecmp(args[1], "pfifo")))
		return usage_error(&cmd_methods, "the class stands first: did you mean '%s %s'?",
				   args[1], args[0]);
	if (!family && !pfifo && (count == 2 || class_by_number(args[0])))
		return no_class(args[0]);
	if (family && !generations(o, family))
		return usage_error(&cmd_methods, "%s has no class '%s'",
				   nvfifo_chipset_name(o->chipset), args[0]);

	if (!family && !pfifo)
		o->name = args[0];
	else if (count == 2)
		o->name = args[1];

	/* "2" is a part of names; numbers of methods are written in hexadecimal. */
	if (o->name && !strncasecmp(o->name, "0x", 2) && parse_unsigned(o->name, 0xffffffff, &number)) {
		o->by_number = true;
		o->number = (__u32)number;
	}

	if (family) {
		list_family(o, family);
	} else {
		list_pfifo(o);
		for (i = 0; !pfifo && i < nvfifo_method_family_count; i++)
			list_family(o, &nvfifo_method_families[i]);
	}

	return EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct options o = { .j = JSON_TO(stdout) };
	const struct option_row rows[] = {
		OPTION_CHIPSET("chipset", &o.chipset),
		OPTION_FLAG("names", 0, &o.names),
		OPTION_FLAG("json", 0, &o.json),
		OPTION_COLOR("color"),
		OPTION_END,
	};
	int ret;

	take_options(&cmd_methods, rows, 2, argc, argv);

	if (o.names && o.json)
		return usage_error(&cmd_methods, "--names and --json exclude each other");

	if (o.json)
		nvfifo_json_open(&o.j, NULL, '[');
	ret = list(&o, argc - optind, argv + optind);
	if (o.json && ret != EXIT_USAGE)
		nvfifo_json_end(&o.j, ']');
	if (!ret && !o.found)
		ret = nothing_found(&o, argv[argc - 1], argc - optind == 1 ? NULL : argv[optind]);

	return ret;
}

const struct subcommand cmd_methods = {
	.name = "methods",
	.summary = "names, numbers and data of methods",
	.help = help,
	.run = run,
};
