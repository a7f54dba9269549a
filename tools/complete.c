// SPDX-License-Identifier: MIT
/*
 * "nvfifo --complete WORD...": candidates for the last WORD, for the completion of shells. WORDs
 * are those after "nvfifo".
 *
 * Each candidate has a line; a tab and a description may follow it. "*.nvp" stands for files of
 * this name, no line at all for any file. The shell drops the candidates that do not begin with
 * the typed characters.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nvfifo_calc.h"
#include "nvfifo_methods.h"
#include "nvfifo_reg.h"
#include "nvfifo_text.h"
#include "tools.h"

/* An option, as its line in the help of a subcommand shows it: "  -d, --device D  ..." */
struct option_line {
	char letter;	/* 0: none */
	const char *name;
	int len;	/* of @name */
	bool takes_value;
};

/* The command line up to the word that is completed */
struct line {
	const struct subcommand *cmd;
	const char *current;	/* the last word */
	const char *option;	/* option whose value @current is, or NULL */
	int option_len;
	int operands;		/* arguments before @current that are no options */
	const char *first;	/* the first of them */
	const char *sysfs;
};

/* Take the next option from @help, the rest of a help text. */
static bool next_option(const char **help, struct option_line *o)
{
	const char *line = *help, *end;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		if (strncmp(line, "  -", 3))
			continue;

		o->letter = line[3] == '-' ? 0 : line[3];
		o->name = line + (o->letter ? strlen("  -d, --") : strlen("  --"));
		o->len = (int)strspn(o->name, "abcdefghijklmnopqrstuvwxyz0123456789-");
		o->takes_value = o->name[o->len] == ' ' && isupper((unsigned char)o->name[o->len + 1]);
		*help = end + 1;

		return true;
	}

	return false;
}

/* Find the option @word; its value may follow "=". */
static bool find_option(const struct subcommand *cmd, const char *word, struct option_line *o)
{
	const char *help = cmd->help;
	const int len = (int)strcspn(word, "=");

	while (next_option(&help, o)) {
		if (len == o->len + 2 && !strncmp(word, "--", 2) && !strncmp(word + 2, o->name, (size_t)o->len))
			return true;
		if (o->letter && len == 2 && word[1] == o->letter)
			return true;
	}

	return false;
}

static void print_options(const struct subcommand *cmd)
{
	const char *help = cmd->help;
	struct option_line o;

	while (next_option(&help, &o))
		printf("--%.*s\n", o.len, o.name);
	puts("--help");
}

static void print_chipsets(const char *before)
{
	const char *name;
	__u32 id;

	for (id = 0; id <= 0xff; id++) {
		name = nvfifo_chipset_name(id);
		if (!name)
			continue;

		fputs(before, stdout);
		for (; *name; name++)
			putchar(tolower((unsigned char)*name));
		putchar('\n');
	}
}

/* A number that sysfs has of a PCI device */
static __u64 device_number(const char *sysfs, const char *device, const char *file)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/bus/pci/devices/%.40s/%s", sysfs, device, file);
	return nvfifo_text_file(path, 16);
}

/* The PCI addresses of NVIDIA's graphics cards */
static void print_cards(const char *sysfs, const char *before)
{
	struct dirent **list;
	char path[512];
	int i, n;

	snprintf(path, sizeof(path), "%s/bus/pci/devices", sysfs);
	n = scandir(path, &list, NULL, alphasort);
	if (n < 0)
		return;

	for (i = 0; i < n; i++) {
		const char *device = list[i]->d_name;

		if (device_number(sysfs, device, "vendor") == 0x10de &&
		    device_number(sysfs, device, "class") >> 16 == 0x03)
			printf("%s%s\n", before, device);
		free(list[i]);
	}
	free(list);
}

static void print_registers(void)
{
	const struct nvfifo_reg *reg = NULL;

	while ((reg = nvfifo_reg_next(reg, 0)))
		printf("%s.%s\n", reg->block, reg->name);
}

/* Print the words of @text, with @before in front and @after at the end of each. */
static void print_words(const char *text, const char *before, const char *after)
{
	size_t len;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		len = strcspn(text, " ");
		printf("%s%.*s%s\n", before, (int)len, text, after);
		text += len;
	}
}

/* The values of an option; @before is in front of them in the word. */
static void print_values(const struct line *l, const char *before)
{
	static const struct {
		const struct subcommand *cmd;	/* NULL: any */
		const char *option;
		const char *values;
	} rows[] = {
		{ NULL, "format", "nv04 nv04-dma nvc0" },
		{ NULL, "color", "auto always never" },
		{ &cmd_disasm, "input", "hex binary capture" },
		{ &cmd_lint, "input", "program hex binary capture" },
	};
	char option[32];
	size_t i;

	snprintf(option, sizeof(option), "%.*s", l->option_len, l->option);
	if (!strcmp(option, "chipset") || !strcmp(option, "model"))
		print_chipsets(before);
	/* A node is a file. */
	if (!strcmp(option, "device") && *l->current != '/')
		print_cards(l->sysfs, before);

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if ((!rows[i].cmd || rows[i].cmd == l->cmd) && !strcmp(option, rows[i].option))
			print_words(rows[i].values, before, "");
	}
}

static void print_pfifo_methods(void)
{
	const char *name;
	__u32 method;

	for (method = 0; method < 0x100; method += 4) {
		name = nvfifo_method_name(0, method);
		if (name)
			puts(name);
	}
}

/* Classes and PFIFO's methods, or the methods of @class_name. */
static void print_methods(const char *class_name)
{
	const struct nvfifo_method_row *r;
	size_t i;

	if (!class_name)
		puts("PFIFO");
	if (!class_name || !strcasecmp(class_name, "PFIFO"))
		print_pfifo_methods();

	for (i = 0; i < nvfifo_method_family_count; i++) {
		const struct nvfifo_method_family *f = &nvfifo_method_families[i];

		if (!class_name)
			puts(f->name);
		else if (!strcasecmp(class_name, f->name))
			for (r = f->rows; r->name; r++)
				puts(r->name);
	}
}

/* The kinds of calc, or the fields of one. */
static void print_calc(const char *kind)
{
	const struct nvfifo_calc_kind *k;

	for (k = nvfifo_calc_next(NULL); k; k = nvfifo_calc_next(k)) {
		if (!kind)
			printf("%s\t%s\n", k->name, k->means);
		else if (!strcmp(kind, k->name))
			print_words(k->fields, "", "=");
	}
}

static void print_operands(const struct line *l)
{
	const bool first = !l->operands;

	if (l->cmd == &cmd_run && first)
		puts("*.nvp");
	else if (l->cmd == &cmd_calc)
		print_calc(l->first);
	else if (l->cmd == &cmd_methods && l->operands < 2)
		print_methods(l->first);
	else if (l->cmd == &cmd_watch || ((l->cmd == &cmd_peek || l->cmd == &cmd_poke) && first))
		print_registers();
	else if ((l->cmd == &cmd_bind || l->cmd == &cmd_unbind) && first)
		print_cards(l->sysfs, "");
}

/* Look at the words between the subcommand and the last one. */
static void read_words(struct line *l, int count, char **words)
{
	struct option_line o;
	int i;

	for (i = 0; i < count; i++) {
		const char *word = words[i];

		if (*word != '-' || !word[1] || !strcmp(word, "--")) {
			if (!l->operands++)
				l->first = word;
			continue;
		}

		if (!find_option(l->cmd, word, &o) || !o.takes_value || strchr(word, '='))
			continue;

		if (++i < count && !strcmp(word, "--sysfs"))
			l->sysfs = words[i];
		if (i == count) {
			l->option = o.name;
			l->option_len = o.len;
		}
	}
}

void complete_subcommand(const struct subcommand *cmd, int count, char **words)
{
	struct line l = { .cmd = cmd, .current = words[count - 1], .sysfs = "/sys" };
	struct option_line o;
	char before[64] = "";
	const char *value;

	read_words(&l, count - 1, words);

	value = strchr(l.current, '=');
	if (!l.option && value && find_option(cmd, l.current, &o)) {
		l.option = o.name;
		l.option_len = o.len;
		snprintf(before, sizeof(before), "%.*s", (int)(value + 1 - l.current), l.current);
		l.current = value + 1;
	}

	if (l.option)
		print_values(&l, before);
	else if (*l.current == '-')
		print_options(cmd);
	else
		print_operands(&l);
}
