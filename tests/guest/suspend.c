// SPDX-License-Identifier: MIT
/*
 * System sleep. /sys/power/pm_test makes the kernel come back by itself after all devices
 * are suspended; the model loses what it was told to on the way from D3hot to D0.
 */
#include "raw.h"

#define SEM		0x1234
#define SEM_OTHER	0x5678
#define BOS		3
#define PLACES		16
#define PLACE(bo, n)	(0x100 + (bo) * PLACES + (n))
#define STRUCT_WORDS	(64 * 1024 / 4)

static bool attr(const char *path, const char *text)
{
	int ret = file_write(path, text);

	if (ret)
		diag("%s to %s: %s", text, path, strerror(-ret));
	return !ret;
}

/* Can this kernel do it? One call at a time, so that its messages and errors are ours. */
static bool sleep_ready(void)
{
	if (access("/sys/power/pm_test", W_OK) || !ctl_present()) {
		skip("sleep # SKIP no /sys/power/pm_test, or no model");
		return false;
	}
	need(attr("/sys/power/pm_test", "platform") && attr("/sys/power/pm_async", "0") &&
	     attr("/sys/module/suspend/parameters/pm_test_delay", "0"), "set-up of pm_test");
	return true;
}

/* What the write returns: 0 also if a device does not come back. */
static int system_sleep(enum nvsim_d3 loss)
{
	int ret;

	ctl(NVSIM_CTL_D3_LOSS, loss);
	ret = file_write("/sys/power/state", "freeze");
	ctl(NVSIM_CTL_D3_LOSS, NVSIM_D3_KEEP);
	return ret;
}

static uint32_t vram_word(uint32_t addr)
{
	ctl(NVSIM_CTL_SET_ADDR, addr);
	return ctl(NVSIM_CTL_VRAM_READ, 0);
}

static const char *loss_name(enum nvsim_d3 loss)
{
	return loss == NVSIM_D3_KEEP ? "D3 that keeps all" : "power loss";
}

/* --- Work around it ---------------------------------------------------------------- */

static void around(enum nvsim_d3 loss, unsigned int rounds)
{
	const char *what = loss_name(loss);
	struct bo vram[BOS], sem;
	struct ch a, b, late;
	uint64_t va[BOS], sem_va;
	struct nv nv;
	uint32_t vm, i, j;
	bool ok;

	nv_open(&nv);
	vm = new_vm(&nv);
	a = ch_new(&nv, vm);
	b = ch_new(&nv, vm);
	sem = sys_bo(&nv, 64 * KIB);
	sem_va = map(&nv, vm, &sem);
	new_object(&a, SEM, sem_va, sem.size);
	new_object(&b, SEM, sem_va, sem.size);
	for (i = 0; i < BOS; i++) {
		vram[i] = vram_bo(&nv, (i * 5 + 1) * MIB);
		va[i] = map(&nv, vm, &vram[i]);
		for (j = 0; j < PLACES; j++)
			new_object(&a, PLACE(i, j), va[i] + vram[i].size / PLACES * j, 4096);
	}
	for (i = 0; i < BOS * PLACES; i++)
		p_release(&a, PLACE(0, i), 4 * i, 0x1000 + i);
	equal((uint32_t)ch_run(&a), 1, "work before");
	check(ch_works(&b), "of both channels");

	while (rounds--)
		equal((uint32_t)system_sleep(loss), 0, what);
	if (loss == NVSIM_D3_LOST)
		equal(vram_word(0x1000), 0xd3d3d3d3, "the model has lost its VRAM");

	check(ch_works(&a) && ch_works(&b), "%s: both channels work", what);
	/* An acquire ends if the word is what it was. */
	for (i = 0; i < BOS * PLACES; i++)
		p_acquire(&a, PLACE(0, i), 4 * i, 0x1000 + i);
	equal((uint32_t)ch_run(&a), 1, "the contents of VRAM are there");
	p_release(&b, SEM, 0x40, 77);
	equal((uint32_t)ch_run(&b), 1, "objects from before can be used");
	equal(sem.map[0x40 / 4], 77, "and lead to where they did");
	new_object(&b, SEM_OTHER, sem_va, sem.size);
	p_release(&b, SEM_OTHER, 0x80, 78);
	ok = ch_run(&b) == 1 && sem.map[0x80 / 4] == 78;
	check(ok, "and new ones");
	late = ch_new(&nv, vm);
	check(ch_works(&late), "a new channel works");
	equal((uint32_t)vm_unmap(&nv, vm, va[0], vram[0].size), 0, "an unmap");
	equal((uint32_t)vm_map_at(&nv, vm, &vram[0], va[0], 0, 0), 0,
	      "and a map where it was");
	nv_close(&nv);
}

static void t_idle(void)
{
	struct nv nv;
	struct ch ch;

	equal((uint32_t)system_sleep(NVSIM_D3_KEEP), 0, "nobody uses the card");
	equal((uint32_t)system_sleep(NVSIM_D3_LOST), 0, "and it loses its power");
	nv_open(&nv);
	ch = ch_new(&nv, new_vm(&nv));
	check(ch_works(&ch), "it works");
	nv_close(&nv);
}

static void t_keep(void)
{
	around(NVSIM_D3_KEEP, 1);
}

static void t_lost(void)
{
	around(NVSIM_D3_LOST, 1);
	around(NVSIM_D3_LOST, 3);
}

static const struct test tests[] = {
	TEST(t_idle),
	TEST(t_keep),
	TEST(t_lost),
};

int main(int argc, char **argv)
{
	if (!sleep_ready()) {
		printf("1..1\n");
		return 0;
	}
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
