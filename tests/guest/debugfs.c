// SPDX-License-Identifier: MIT
/*
 * debugfs: a file shows the same with another mode, and the dump has each page table once. A program
 * that reads all files reads no register that the chip does not have, which the model would report.
 * A frozen PFIFO does not delay the removal of the card.
 *
 * Guards the files of debugfs (debugfs.rst), on one chip.
 */
#include "raw.h"

#include <ftw.h>
#include <pthread.h>
#include <sys/stat.h>

#define REGIONS		8		/* tables of 512 MiB each, in instance memory */
#define REGION		(512 * MIB)
#define CHANNELS	4

static struct nv nv;

static void path_of(const char *name, char path[512])
{
	snprintf(path, 512, "%s/%s", debug_dir(), name);
}

static uint32_t word_at(const char *path, uint64_t at)
{
	uint32_t word = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	need(fd >= 0, "open %s: %s", path, strerror(errno));
	need(pread(fd, &word, 4, (off_t)at) == 4, "read %s: %s", path, strerror(errno));
	close(fd);
	return word;
}

static void t_modes(void)
{
	char vram[512], regs[512];
	uint32_t boot_0, word, other;
	int fd;

	nv_open(&nv);
	path_of("nvfifo_vram", vram);
	path_of("nvfifo_regs", regs);
	boot_0 = word_at(regs, 0);
	equal(boot_0, nv.dev.boot_0, "nvfifo_regs begins with PMC_BOOT_0");
	word = word_at(vram, 0);
	check(word != boot_0, "nvfifo_vram does not");
	need(!chmod(vram, 0600) && !chmod(regs, 0400), "chmod: %s", strerror(errno));
	equal(word_at(vram, 0), word, "nvfifo_vram shows VRAM with another mode");
	equal(word_at(regs, 0), boot_0, "and nvfifo_regs shows registers");
	fd = open(vram, O_RDWR | O_CLOEXEC);
	other = ~word;
	check(fd >= 0 && pwrite(fd, &other, 4, 0) < 0, "VRAM cannot be written");
	close(fd);
	equal(word_at(vram, 0), word, "and it keeps its value");
	need(!chmod(vram, 0400) && !chmod(regs, 0600), "chmod: %s", strerror(errno));
}

#define BYTES_READ	(16 * KIB)	/* most of one file, as VRAM is long */

static unsigned int files, open_to_others;

/* Read a file in pieces as cat does, then a single byte. */
static int read_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	const char *name = path + ftw->base;
	static char piece[4096];
	size_t total = 0;
	ssize_t n;
	int fd;

	if (type != FTW_F || (strncmp(name, "nvfifo_", 7) && !strstr(path, "/nvfifo_vm/")))
		return 0;

	files++;
	if (st->st_mode & 0077) {
		diag("%s has mode %o", path, st->st_mode & 0777);
		open_to_others++;
	}

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;

	while (total < BYTES_READ && (n = read(fd, piece, sizeof(piece))) > 0)
		total += (size_t)n;

	n = pread(fd, piece, 1, 0);
	close(fd);

	return 0;
}

static void t_read_all(void)
{
	char regs[512], word[8];
	struct ch c;
	int fd;

	nv_open(&nv);
	c = ch_new(&nv, new_vm(&nv));
	need(!nftw(debug_dir(), read_one, 16, 0), "nftw: %s", strerror(errno));
	check(files >= 7, "all files are read (%u)", files);
	equal(open_to_others, 0, "only root may read them");

	path_of("nvfifo_regs", regs);
	fd = open(regs, O_RDWR | O_CLOEXEC);
	need(fd >= 0, "open: %s", strerror(errno));
	check(pread(fd, word, 8, 0) < 0 && errno == EINVAL, "a read of two registers is refused");
	check(pread(fd, word, 4, 2) < 0 && errno == EINVAL, "so is one of two halves");
	check(pwrite(fd, word, 8, 0) < 0 && errno == EINVAL, "and a write");
	check(!pread(fd, word, 4, 16 * MIB), "the file ends after 16 MiB");
	close(fd);
	check(ch_works(&c), "the channel works");
	nv_close(&nv);
}

static uint32_t lines_of(const char *text, const char *begin)
{
	uint32_t n = 0;

	for (text = strstr(text, begin); text; text = strstr(text + 1, begin))
		n += text[-1] == '\n';
	return n;
}

/* Several channels share an address space with a few entries in each of many tables. */
static void t_tables_once(void)
{
	struct ch c[CHANNELS];
	char path[512], *text;
	uint32_t vm, i;
	struct bo bo;

	nv_open(&nv);
	vm = new_vm(&nv);
	bo = sys_bo(&nv, 4096);

	for (i = 0; i < REGIONS; i++)
		need(!vm_map_at(&nv, vm, &bo, (i + 2) * REGION - 4096, 0, 0), "VM_BIND");

	for (i = 0; i < CHANNELS; i++)
		c[i] = ch_new(&nv, vm);

	path_of("nvfifo_dump", path);
	text = file_text(path);
	need(text, "nvfifo_dump");
	equal(lines_of(text, "channel "), CHANNELS, "all channels are in the dump");
	equal(lines_of(text, "mapping 003ffff000-"), CHANNELS, "each with the mappings");
	equal(lines_of(text, "pte 003ffff000-003fffffff "), 1, "a page table is there once");
	equal(lines_of(text, "pte 011ffff000-011fffffff "), 1, "so is the last one");
	free(text);
	check(ch_works(&c[0]) && ch_works(&c[CHANNELS - 1]), "the channels work");
}

struct freezer {
	pthread_t thread;
	char path[512];
	volatile int ret;
	volatile uint32_t ms;
};

#define FREEZE_MS	10000

static void *freezer_thread(void *arg)
{
	struct freezer *f = arg;
	int64_t start = now_ns();

	f->ret = file_write(f->path, "10000");
	f->ms = ms_since(start);
	return NULL;
}

/* Remove the card while PFIFO is frozen. Return: how long the freeze took, ms; ~0 without one. */
static uint32_t removal_in_freeze(void)
{
	struct freezer f = { .ret = 1 };

	nv_open(&nv);
	path_of("nvfifo_freeze", f.path);
	need(!pthread_create(&f.thread, NULL, freezer_thread, &f), "pthread_create");
	msleep(4 * HOLD_MS);
	need(!card_bind(false), "unbind");
	pthread_join(f.thread, NULL);
	nv_close(&nv);
	need(!card_bind(true), "bind");

	return f.ret ? ~0u : f.ms;
}

#define FREEZE_TRIES	6

/*
 * PFIFO is to be frozen for ten seconds, but the removal ends that earlier. The machine may stand
 * still meanwhile, but not in each try.
 */
static void t_freeze(void)
{
	uint32_t tries, ms = ~0u;

	for (tries = 0; tries < FREEZE_TRIES && ms >= FREEZE_MS; tries++)
		ms = removal_in_freeze();

	check(ms < FREEZE_MS, "unbind meanwhile (%u ms)", ms);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		TEST(t_modes), TEST(t_read_all), TEST(t_tables_once), TEST(t_freeze),
	};

	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
