// SPDX-License-Identifier: MIT
/* Copies of VRAM by M2MF, and a process that looks for others' data; see copier.h. */
#include "copier.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define LINE		4096u
#define WINDOW_BYTES	(1 * MIB)
#define SPY_WORD	0x21524110u

void copier_open(struct copier *p)
{
	memset(p, 0, sizeof(*p));
	nv_open(&p->nv);
	p->vm = new_vm(&p->nv);
	p->ch = ch_new(&p->nv, p->vm);
	graph_bind_m2mf(&p->ch);
	p->window = sys_bo(&p->nv, WINDOW_BYTES);
	p->window_va = map(&p->nv, p->vm, &p->window);
	need(ch_run(&p->ch) == 1, "a channel with M2MF");
}

/* Copy between VRAM and the window. Return: whether it ended well. */
static bool copy(struct copier *p, uint64_t from, uint64_t to, uint64_t bytes)
{
	ch_rewind(&p->ch);
	graph_m2mf_format(&p->ch, LINE, (uint32_t)(bytes / LINE), LINE);
	graph_m2mf_launch(&p->ch, from, to);

	return ch_run(&p->ch) == 1;
}

uint64_t copier_differing(struct copier *p, const struct bo *bo, uint32_t want)
{
	uint64_t va = map(&p->nv, p->vm, bo), at, n, i, wrong = 0;

	for (at = 0; at < bo->size; at += n) {
		n = bo->size - at < WINDOW_BYTES ? bo->size - at : WINDOW_BYTES;
		memset(p->window.map, 0x55, n);
		need(copy(p, va + at, p->window_va, n), "VRAM is read");

		for (i = 0; i < n / 4; i++)
			wrong += p->window.map[i] != want;
	}

	need(!vm_unmap(&p->nv, p->vm, va, bo->size), "unmap");

	return wrong;
}

void copier_fill(struct copier *p, const struct bo *bo, uint32_t word)
{
	uint64_t va = map(&p->nv, p->vm, bo), at, n, i;

	for (i = 0; i < WINDOW_BYTES / 4; i++)
		p->window.map[i] = word;

	for (at = 0; at < bo->size; at += n) {
		n = bo->size - at < WINDOW_BYTES ? bo->size - at : WINDOW_BYTES;
		need(copy(p, p->window_va, va + at, n), "VRAM is written");
	}

	need(!vm_unmap(&p->nv, p->vm, va, bo->size), "unmap");
}

static void spy_round(struct spy *spy, struct copier *p)
{
	uint64_t bytes = (uint64_t)(1 + rand() % 96) * 64 * KIB;
	int64_t start = now_ns(), took;
	struct bo bo;
	int ret = bo_create(&p->nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, bytes);

	took = now_ns() - start;
	if (took > spy->longest_ns)
		spy->longest_ns = took;
	if (ret) {
		spy->refused++;
		return;
	}

	spy->wrong += copier_differing(p, &bo, 0);
	copier_fill(p, &bo, SPY_WORD);
	need(!bo_close(&p->nv, bo.handle), "close");
	spy->rounds++;
}

struct spy *spy_start(void)
{
	struct spy *spy = mmap(NULL, sizeof(*spy), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static struct copier own;
	pid_t pid;

	need(spy != MAP_FAILED, "memory for the spy");
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "fork");
	if (pid) {
		spy->pid = pid;
		return spy;
	}

	tap_env_set = false;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	copier_open(&own);
	become_nobody();
	while (!spy->stop)
		spy_round(spy, &own);
	_exit(0);
}

void spy_stop(struct spy *spy, uint32_t rounds)
{
	int status = -1;

	spy->stop = true;
	waitpid(spy->pid, &status, 0);
	equal((uint32_t)status, 0, "the spy ends well");
	check(spy->rounds >= rounds, "%u rounds of the spy", spy->rounds);
	diag("%u times no memory, the longest BO_CREATE took %lld ms", spy->refused,
	     (long long)spy->longest_ns / 1000000);
	equal(spy->wrong, 0, "it has seen nothing but zeros");
	munmap(spy, sizeof(*spy));
}
