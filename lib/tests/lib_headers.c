// SPDX-License-Identifier: MIT
/*
 * Every public header alone, in C and in several versions of C++; and the files
 * of "make install-tools": a program needs no others.
 */
#define _GNU_SOURCE
#include <sys/wait.h>

#include "tap.h"

static const char *const headers[] = {
	"nvfifo.h",	  "nvfifo_decode.h",  "nvfifo_calc.h",    "nvfifo_command.h",  "nvfifo_coredump.h", "nvfifo_capture.h",
	"nvfifo_explain.h", "nvfifo_lint.h", "nvfifo_prog.h", "nvfifo_push.h",
	"nvfifo_row.h", "nvfifo_reg.h",  "nvfifo_fmt.h", "nvfifo_class.h", "nvfifo_exec.h",
	"nvfifo_event.h", "nvfifo_bind.h",
};

static const struct {
	const char *command;
	const char *language;
} compilers[] = {
	{ "${CC:-cc} -std=c99 -x c", "C99" },
	{ "${CC:-cc} -std=c11 -x c", "C11" },
	{ "${CXX:-c++} -std=c++11 -x c++", "C++11" },
	{ "${CXX:-c++} -std=c++20 -x c++", "C++20" },
};

static const char flags[] = "-pedantic -Wall -Wextra -Werror -I. -Ihw -Iuapi -Ilib -Ibuild/gen -fsyntax-only -";

static int run(const char *command, const char *source)
{
	FILE *f = popen(command, "w");
	int status;

	if (!f)
		return -1;
	fputs(source, f);
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The command of Documentation/guides/library.rst, with the folder @at for the root. */
static void test_pkg_config(const char *at, const char *source)
{
	char command[600];

	if (run("command -v pkg-config >/dev/null", "")) {
		tap_skip("a program by pkg-config: it is not installed");
		return;
	}

	snprintf(command, sizeof(command),
		 "cd %s && export PKG_CONFIG_SYSROOT_DIR=\"$PWD\" PKG_CONFIG_PATH=usr/lib/pkgconfig "
		 "PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 && cat >program.c && "
		 "eval ${CC:-cc} program.c $(pkg-config --cflags --libs nvfifo) && "
		 "LD_LIBRARY_PATH=usr/lib ./a.out | grep -q M2MF.BUF_NOTIFY",
		 at);
	tap(!run(command, source), "a program by pkg-config");
}

static void test_install(void)
{
	static const char source[] =
		"#include <stdio.h>\n#include <nvfifo.h>\n"
		"int main(void)\n{\n\tputs(nvfifo_method_name(0x5039, 0x328));\n\treturn 0;\n}\n";
	static const char at[] = "build/install";
	char command[600];

	snprintf(command, sizeof(command),
		 "rm -rf %s && ${MAKE:-make} -s install-tools DESTDIR=\"$PWD/%s\" PREFIX=/usr >&2", at, at);
	if (!tap(!run(command, ""), "make install-tools"))
		return;
	snprintf(command, sizeof(command),
		 "${CC:-cc} -o %s/shared -x c - -I%s/usr/include/nvfifo -L%s/usr/lib -lnvfifo && "
		 "LD_LIBRARY_PATH=%s/usr/lib %s/shared | grep -q M2MF.BUF_NOTIFY",
		 at, at, at, at, at);
	tap(!run(command, source), "a program with the shared library");
	snprintf(command, sizeof(command),
		 "${CC:-cc} -o %s/static -x c - -I%s/usr/include/nvfifo -x none "
		 "%s/usr/lib/libnvfifo.a -lpthread && %s/static | grep -q M2MF.BUF_NOTIFY",
		 at, at, at, at);
	tap(!run(command, source), "a program with the static library");
	snprintf(command, sizeof(command),
		 "%s/usr/bin/nvfifo --help >/dev/null && grep -q ^Version: "
		 "%s/usr/lib/pkgconfig/nvfifo.pc && ! grep -q @ %s/usr/lib/pkgconfig/nvfifo.pc",
		 at, at, at);
	tap(!run(command, ""), "the command and the pkg-config file");
	test_pkg_config(at, source);
	snprintf(command, sizeof(command),
		 "PATH=\"$PWD/%s/usr/bin:$PATH\" bash -c '. %s/usr/share/bash-completion/completions/nvfifo; "
		 "COMP_LINE=\"nvfifo dis\" COMP_POINT=10; _nvfifo nvfifo; [ \"${COMPREPLY[*]}\" = disasm ]'",
		 at, at);
	tap(!run(command, ""), "completion");
}

int main(void)
{
	char command[256], source[256];
	size_t i, j;

	for (i = 0; i < sizeof(compilers) / sizeof(compilers[0]); i++) {
		snprintf(command, sizeof(command), "%s -fsyntax-only - 2>/dev/null",
			 compilers[i].command);
		if (run(command, "int x;\n")) {
			tap(true, "%s # SKIP no compiler", compilers[i].language);
			continue;
		}
		snprintf(command, sizeof(command), "%s %s", compilers[i].command, flags);
		for (j = 0; j < sizeof(headers) / sizeof(headers[0]); j++) {
			snprintf(source, sizeof(source),
				 "#include \"%s\"\n#include \"%s\"\n%s", headers[j], headers[j],
				 strcmp(headers[j], "nvfifo_push.h") ? "" :
				 "int f(void);\nint f(void)\n{\n\t__u32 w[4];\n\tstruct nvfifo_push p;\n"
				 "\tnvfifo_push_init(&p, w, 4, NVFIFO_FORMAT_NV04);\n"
				 "\tP_IMMD(&p, 0, 0x50, 1);\n\treturn nvfifo_push_finish(&p);\n}\n");
			tap(!run(command, source), "%s in %s", headers[j], compilers[i].language);
		}
	}
	test_install();
	return tap_end();
}
