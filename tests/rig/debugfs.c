// SPDX-License-Identifier: MIT
/* The driver's files in debugfs, and the kernel's log. */
#include "nvfifo_text.h"
#include "rig.h"

const char *debug_dir(void)
{
	static char dir[300];
	char state[340];
	struct dirent *e;
	DIR *d = opendir("/sys/kernel/debug/dri");

	dir[0] = '\0';

	while (d && !dir[0] && (e = readdir(d))) {
		snprintf(dir, sizeof(dir), "/sys/kernel/debug/dri/%s", e->d_name);
		snprintf(state, sizeof(state), "%s/nvfifo_vram", dir);
		if (e->d_name[0] == '.' || access(state, F_OK))
			dir[0] = '\0';
	}

	if (d)
		closedir(d);

	return dir;
}

char *read_all(int fd)
{
	size_t len = 0, room = 0;
	char *text = NULL;
	ssize_t n;

	do {
		if (len + 1 >= room) {
			char *more;

			room = room ? room * 2 : 4096;
			more = realloc(text, room);
			if (!more) {
				free(text);
				return NULL;
			}
			text = more;
		}
		n = read(fd, text + len, room - len - 1);
		if (n > 0)
			len += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	text[len] = '\0';
	if (n < 0) {
		free(text);
		return NULL;
	}

	return text;
}

char *file_text(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text;

	if (fd < 0)
		return NULL;

	text = read_all(fd);
	close(fd);
	return text;
}

__attribute__((format(printf, 1, 2))) char *debug_text(const char *fmt, ...)
{
	char file[128], path[512];
	char *text;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(file, sizeof(file), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s/%s", debug_dir(), file);
	text = file_text(path);
	need(text, "%s: %s", path, strerror(errno));
	return text;
}

unsigned int recovery_count(const char *name)
{
	char *text = debug_text("nvfifo_recovery"), *line = strstr(text, name);
	unsigned int count = ~0u;

	if (line)
		count = (unsigned int)nvfifo_text_value(line + strlen(name) + 2, 10);

	free(text);
	return count;
}

bool has_pde(const char *text, enum nvfifo_pt_type type)
{
	unsigned long long val;

	for (text = strstr(text, "pde "); text; text = strstr(text + 1, "pde "))
		if (sscanf(text, "pde %*x %llx", &val) == 1 && nvfifo_pde_decode(val).type == type)
			return true;
	return false;
}

bool has_pte(const char *text, uint64_t mask, uint64_t want)
{
	unsigned long long val;

	for (text = strstr(text, "pte "); text; text = strstr(text + 1, "pte "))
		if (sscanf(text, "pte %*x-%*x %llx", &val) == 1 && (val & mask) == want)
			return true;
	return false;
}

uint32_t debug_last_vm(void)
{
	char path[400];
	struct dirent *e;
	uint32_t last = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/nvfifo_vm", debug_dir());
	d = opendir(path);

	while (d && (e = readdir(d)))
		if (nvfifo_text_value(e->d_name, 10) > last)
			last = (uint32_t)nvfifo_text_value(e->d_name, 10);

	if (d)
		closedir(d);

	return last;
}

char *debug_translate(uint32_t vm, uint64_t va)
{
	char path[400], text[32], *answer;
	int fd, len;

	snprintf(path, sizeof(path), "%s/nvfifo_vm/%u/translate", debug_dir(), vm);
	fd = open(path, O_RDWR | O_CLOEXEC);
	need(fd >= 0, "%s: %s", path, strerror(errno));
	len = snprintf(text, sizeof(text), "0x%llx", (unsigned long long)va);
	need(write(fd, text, (size_t)len) == len, "write to %s: %s", path, strerror(errno));
	lseek(fd, 0, SEEK_SET);
	answer = read_all(fd);
	close(fd);
	need(answer, "read of %s: %s", path, strerror(errno));
	return answer;
}

bool log_has(const char *text)
{
	int size = klogctl(10, NULL, 0);	/* SYSLOG_ACTION_SIZE_BUFFER */
	char *buf;
	bool ok;
	int n;

	if (size <= 0)
		return false;

	buf = calloc(1, (size_t)size + 1);
	if (!buf)
		return false;

	n = klogctl(3, buf, size);		/* SYSLOG_ACTION_READ_ALL */
	ok = n > 0 && strstr(buf, text);
	free(buf);
	return ok;
}

/* How often does the kernel's log have the text? */
unsigned int log_count(const char *text)
{
	int size = klogctl(10, NULL, 0);	/* SYSLOG_ACTION_SIZE_BUFFER */
	char *log = calloc(1, (size_t)size + 1), *at = log;
	unsigned int n = 0;

	need(log && klogctl(3, log, size) > 0, "the kernel's log");
	while ((at = strstr(at, text))) {
		at++;
		n++;
	}

	free(log);
	return n;
}
