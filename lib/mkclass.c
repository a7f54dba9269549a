// SPDX-License-Identifier: MIT
/*
 * Writes nvfifo_class.h, the names of classes and methods for the push builder, from the
 * method table. Runs at build time; see lib.mk.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "nvfifo_methods.h"
#include "nvfifo_text.h"

#define NAME_MAX_LEN 160

static const char head[] =
	"/* SPDX-License-Identifier: MIT */\n"
	"/*\n"
	" * Classes, methods, fields and values for the push builder. Generated from\n"
	" * lib/nvfifo_method_table.c by lib/mkclass.c; names are rnndb's, and each method has a\n"
	" * second name with SET_ in front, as NVIDIA's own headers have it.\n"
	" *\n"
	" *	P_MTHD(&p, NV502D, SET_DST_FORMAT);	header; counts the data words itself\n"
	" *	P_DATA(&p, NV502D_DST_FORMAT_BGRA8_UNORM);\n"
	" *	P_DATA(&p, NV502D_DST_LINEAR_TRUE);\n"
	" *	P_NV502D_SET_DST_DEPTH(&p, 1);		data that checks its method\n"
	" *	P_0INC(&p, NV502D, SIFC_DATA);		header of one method\n"
	" *	P_1INC(&p, NV502D, SIFC_DST_Y_INT);	header that increases once (NVC0)\n"
	" *	P_IMMD(&p, NV502D, SERIALIZE, 0);	header with its data\n"
	" *\n"
	" * A number instead of the class needs the parentheses of (P_IMMD)(&p, subc, mthd, data).\n"
	" *\n"
	" * SUBC_NV502D is the subchannel that the class is bound to: define it before the\n"
	" * include for another one than here.\n"
	" */\n"
	"#ifndef NVFIFO_CLASS_H\n"
	"#define NVFIFO_CLASS_H\n\n"
	"#include \"nvfifo_push.h\"\n\n"
	"#define NVFIFO_P_MTHD_3(p, cls, mthd) nvfifo_push_open(p, SUBC_##cls, cls##_##mthd)\n"
	"#define NVFIFO_P_MTHD_4(p, subc, mthd, count) (P_MTHD)(p, subc, mthd, count)\n"
	"#define NVFIFO_P_CHOOSE(a, b, c, d, name, ...) name\n"
	"/* With three arguments a class and its method, with four as in nvfifo_push.h. */\n"
	"#define P_MTHD(...) \\\n"
	"\tNVFIFO_P_CHOOSE(__VA_ARGS__, NVFIFO_P_MTHD_4, NVFIFO_P_MTHD_3, 0, 0)(__VA_ARGS__)\n"
	"#define NVFIFO_P_0INC_3(p, cls, mthd) nvfifo_push_open_0inc(p, SUBC_##cls, cls##_##mthd)\n"
	"#define NVFIFO_P_0INC_4(p, subc, mthd, count) (P_0INC)(p, subc, mthd, count)\n"
	"#define P_0INC(...) \\\n"
	"\tNVFIFO_P_CHOOSE(__VA_ARGS__, NVFIFO_P_0INC_4, NVFIFO_P_0INC_3, 0, 0)(__VA_ARGS__)\n"
	"#define NVFIFO_P_1INC_3(p, cls, mthd) nvfifo_push_open_1inc(p, SUBC_##cls, cls##_##mthd)\n"
	"#define NVFIFO_P_1INC_4(p, subc, mthd, count) (P_1INC)(p, subc, mthd, count)\n"
	"#define P_1INC(...) \\\n"
	"\tNVFIFO_P_CHOOSE(__VA_ARGS__, NVFIFO_P_1INC_4, NVFIFO_P_1INC_3, 0, 0)(__VA_ARGS__)\n"
	"#define P_IMMD(p, cls, mthd, data) (P_IMMD)(p, SUBC_##cls, cls##_##mthd, data)\n\n";

/* "RT[].FORMAT" as a part of an identifier: "RT_FORMAT". */
static void identifier(const char *name, char *out)
{
	for (; *name; name++) {
		if (*name == '.')
			*out++ = '_';
		else if (isalnum((unsigned char)*name) || *name == '_')
			*out++ = *name;
	}

	*out = '\0';
}

static unsigned int subchannel(const char *family)
{
	static const struct {
		const char *family;
		unsigned int subc;
	} list[] = { { "3D", 3 }, { "2D", 4 }, { "M2MF", 5 }, { "COMPUTE", 6 } };
	size_t i;

	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (!strcmp(list[i].family, family))
			return list[i].subc;
	}

	return 1;
}

/* "=0:OFF 1:ON" of a field that begins at bit @low. */
static void write_values(const char *prefix, const char *s, unsigned int low)
{
	struct nvfifo_value_name n;

	while ((s = nvfifo_method_next_name(s, &n)))
		printf("#define %s_%.*s 0x%llxu\n", prefix, (int)n.len, n.name,
		       (unsigned long long)n.value << low);
}

/* "{X 15:0 int|ON 31 bool ^34}": a function-like macro for each field. */
static void write_fields(const char *prefix, const char *s, unsigned int generation)
{
	char name[NAME_MAX_LEN * 2];
	struct nvfifo_data_field f;
	const char *data;

	while ((s = nvfifo_method_next_field(s, generation, &f))) {
		snprintf(name, sizeof(name), "%s_%.*s", prefix,
			 (int)(f.name_len < 64 ? f.name_len : 64), f.name);
		printf("#define %s(v) (((__u32)(v) & 0x%xu) << %u)\n", name, f.mask, f.low);
		data = nvfifo_method_plain(f.data);
		if (*data == '=')
			write_values(name, data, f.low);
	}
}

static void write_method(__u32 oclass, unsigned int generation,
			 const struct nvfifo_method_row *r)
{
	const char *value = nvfifo_method_plain(r->value);
	char name[NAME_MAX_LEN], prefix[NAME_MAX_LEN + 16];

	identifier(r->name, name);
	snprintf(prefix, sizeof(prefix), "NV%04X_%s", oclass, name);
	if (r->count > 1) {
		printf("#define %s(i) (0x%04x + (i) * 0x%x)\n", prefix, r->method, r->stride);
		printf("#define NV%04X_SET_%s(i) %s(i)\n", oclass, name, prefix);
		printf("#define P_NV%04X_SET_%s(p, i, v) nvfifo_push_typed(p, %s(i), v)\n", oclass,
		       name, prefix);
	} else {
		printf("#define %s 0x%04x\n", prefix, r->method);
		printf("#define NV%04X_SET_%s %s\n", oclass, name, prefix);
		printf("#define P_NV%04X_SET_%s(p, v) nvfifo_push_typed(p, %s, v)\n", oclass, name,
		       prefix);
	}

	if (*value == '=')
		write_values(prefix, value, 0);
	else if (*value == '{')
		write_fields(prefix, value, generation);
	else if (!strcmp(value, "bool"))
		printf("#define %s_FALSE 0x0u\n#define %s_TRUE 0x1u\n", prefix, prefix);
}

static void write_class(const struct nvfifo_method_family *f, unsigned int generation)
{
	__u32 oclass = f->classes[generation];
	const struct nvfifo_method_row *r;

	/* An enum, not a macro: P_MTHD pastes its name. */
	printf("\n/* %s */\nenum { NV%04X = 0x%04x };\n", nvfifo_class_name(oclass), oclass, oclass);
	printf("#ifndef SUBC_NV%04X\n#define SUBC_NV%04X %u\n#endif\n", oclass, oclass,
	       subchannel(f->name));
	/* PFIFO's, on the class's subchannel: it binds an object of the class there. */
	printf("#define NV%04X_OBJECT 0x0000\n#define NV%04X_SET_OBJECT 0x0000\n", oclass, oclass);

	for (r = f->rows; r->name; r++) {
		if (r->generations >> generation & 1)
			write_method(oclass, generation, r);
	}
}

/* PFIFO's own methods, under the class of G80's channels. */
static void write_pfifo(void)
{
	__u32 method;

	puts("/* PFIFO's own methods, of any subchannel */\nenum { NV506F = 0x506f };\n"
	     "#ifndef SUBC_NV506F\n#define SUBC_NV506F 0\n#endif");

	for (method = 0; method < 0x100; method += 4) {
		const char *name = nvfifo_method_name(0, method);

		if (name)
			printf("#define NV506F_%s 0x%04x\n#define NV506F_SET_%s 0x%04x\n", name,
			       method, name, method);
	}
}

int main(void)
{
	unsigned int g;
	size_t i;

	fputs(head, stdout);
	write_pfifo();

	for (i = 0; i < nvfifo_method_family_count; i++) {
		for (g = 0; g < nvfifo_method_families[i].generations; g++)
			write_class(&nvfifo_method_families[i], g);
	}

	puts("\n#endif");
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
