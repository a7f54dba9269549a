// SPDX-License-Identifier: MIT
/* One version everywhere: DKMS, module, command, manual pages, news and packages. */
#include <stdlib.h>
#include <string.h>

#include "../../lib/tests/tap.h"

static void t_file(const char *path, const char *before, const char *version)
{
	char want[200];
	size_t len;
	char *text = tap_file(path, &len);

	snprintf(want, sizeof(want), "%s%s", before, version);
	tap(strstr(text, want), "%s has %s", path, want);
	free(text);
}

/* @subcommand: "", or one with a blank in front */
static void t_command(const char *subcommand, const char *version)
{
	const char *program = getenv("NVFIFO");
	char command[300], line[200] = "";
	FILE *f;

	snprintf(command, sizeof(command), "%s%s --version",
		 program ? program : "build/bin/nvfifo", subcommand);
	f = popen(command, "r");
	if (f && !fgets(line, sizeof(line), f))
		*line = '\0';
	if (f)
		pclose(f);
	tap(strstr(line, version), "nvfifo%s --version: %.*s", subcommand,
	    (int)strcspn(line, "\n"), line);
}

int main(void)
{
	size_t len;
	char *dkms = tap_file("packaging/dkms.conf", &len), version[32] = "";
	const char *at = strstr(dkms, "PACKAGE_VERSION=\"");

	if (at)
		sscanf(at, "PACKAGE_VERSION=\"%31[0-9.]", version);
	free(dkms);
	if (!tap(*version, "packaging/dkms.conf has a version: %s", version))
		return tap_end();

	t_file("nvfifo_main.c", "MODULE_VERSION(\"", version);
	t_file("NEWS", "## [", version);
	t_file("packaging/debian/changelog", "nvfifo (", version);
	t_file("packaging/PKGBUILD", "pkgver=", version);
	t_file("packaging/nvfifo.spec", "Version:        ", version);
	t_file("tools/man/nvfifo.1", "nvfifo ", version);
	t_file("tools/man/nvfifo-program.5", "nvfifo ", version);
	t_command("", version);
	t_command(" dump", version);

	return tap_end();
}
