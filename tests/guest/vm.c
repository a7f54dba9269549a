// SPDX-License-Identifier: MIT
/*
 * Address spaces: the mappings of VM_BIND against those that the card finds.
 *
 * The test sees memory as the card does, through a channel that writes and compares single
 * words. Its reference has the BO and the page of each mapped page, and the words of each
 * BO.
 *
 * Guards memory: VM_BIND (threat-model.rst), on each generation.
 */
#include "nvfifo_text.h"
#include "raw.h"

#include <pthread.h>

static struct nv nv;
static uint32_t vm;
static struct ch ch;
static struct bo data;
static uint64_t data_va;

#define SEM  0x1234
#define PAGE 4096ull
#define BASE (32 * GIB)

static void world(void)
{
	static bool loaded;

	/* Work that waits for hundreds of calls must outlive them on a slow machine. */
	if (!loaded)
		module_reload("job_timeout_ms=60000");

	loaded = true;
	nv_open(&nv);
	vm = new_vm(&nv);
	ch = ch_new(&nv, vm);
	data = sys_bo(&nv, 64 * KIB);
	data_va = map(&nv, vm, &data);
	new_object(&ch, SEM, data_va, data.size);
}

static uint64_t rng_state;

static uint32_t rnd(uint32_t below)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return (uint32_t)((rng_state >> 16) % below);
}

static struct bo wc_bo(uint64_t size)
{
	struct bo bo;
	int ret = bo_create_flags(&nv, &bo, DRM_NVFIFO_DOMAIN_SYSTEM, DRM_NVFIFO_BO_WC, size);

	need(!ret, "BO_CREATE system, write-combined: %s", strerror(-ret));
	bo_mmap(&nv, &bo);
	return bo;
}

/* A part of a BO. */
static struct drm_nvfifo_vm_bind_op op_part(const struct bo *bo, uint64_t va, uint64_t offset,
					    uint64_t range, uint32_t flags, uint32_t shift)
{
	struct drm_nvfifo_vm_bind_op op = op_map(bo, va);

	op.bo_offset = offset;
	op.range = range;
	op.flags = flags;
	op.page_shift = shift;
	return op;
}

static int bind1(struct drm_nvfifo_vm_bind_op op)
{
	return vm_bind(&nv, vm, &op, 1);
}

static int bind_comp(const struct bo *bo, uint64_t va, uint32_t compression)
{
	struct drm_nvfifo_vm_bind_op op = op_map(bo, va);

	op.compression = compression;
	return bind1(op);
}

/* --- Single words, seen by the card ----------------------------------------------------- */

#define PROBE 0x7e57

static void probe_object(struct ch *c, uint64_t va, uint64_t size)
{
	object_destroy(c->nv, c->id, PROBE);
	new_object(c, PROBE, va & ~(PAGE - 1), size);
}

/* Whether the card reads this word there. If not, the channel blocks for good. */
static bool card_reads(struct ch *c, uint64_t va, uint32_t value)
{
	int ret;

	probe_object(c, va, PAGE);
	p_acquire(c, PROBE, va % PAGE, value);
	ret = ch_run(c);
	if (ret != 1)
		diag("0x%llx does not hold 0x%x: %d", (unsigned long long)va, value, ret);

	return ret == 1;
}

static bool card_writes(struct ch *c, uint64_t va, uint32_t value)
{
	int ret;

	probe_object(c, va, PAGE);
	p_release(c, PROBE, va % PAGE, value);
	ret = ch_run(c);
	if (ret != 1)
		diag("write to 0x%llx: %d", (unsigned long long)va, ret);

	return ret == 1;
}

static void chan_free(struct ch *c)
{
	chan_destroy(c->nv, c->id);
	vm_unmap(c->nv, c->vm, c->push_va, c->push.size);
	bo_unmap(&c->push);
	bo_close(c->nv, c->push.handle);
	sync_free(c->nv, c->done);
}

/* A read that does not fault waits for its value, so this time says that there is no fault. */
#define READ_MS	20000

/* Try an access with a new channel. Returns the reason of its fault, -1 for none. */
static int fault_with(struct nv *n, uint32_t space, uint64_t va, bool write,
		      struct drm_nvfifo_object_create o)
{
	struct ch c = ch_new(n, space);
	struct drm_nvfifo_channel_query q;
	int ret, reason = -1;

	o.channel_id = c.id;
	o.handle = PROBE;
	o.type = DRM_NVFIFO_OBJECT_DMA;
	o.oclass = NVFIFO_CLASS_DMA_RW;
	o.start = va & ~(PAGE - 1);
	o.size = PAGE;
	ret = nv_ioctl(n->fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o);
	need(!ret, "OBJECT_CREATE: %s", strerror(-ret));

	if (write)
		p_release(&c, PROBE, va % PAGE, 0xbad);
	else
		p_acquire(&c, PROBE, va % PAGE, 0xbad);

	need(!ch_submit(&c), "SUBMIT");

	/* The value in memory need not be 0xbad. */
	ret = sync_wait_ms(n, c.done, write ? WAIT_MS : READ_MS);
	q = ch_query(&c);
	if (ret != -ETIME && q.state == DRM_NVFIFO_CHANNEL_DEAD && q.fault) {
		reason = (int)q.fault_reason;
		if (q.error != DRM_NVFIFO_ERROR_SEMAPHORE || q.error_code != 4 ||
		    q.fault_address != va || q.fault_write != write) {
			diag("error %u code %u, fault at 0x%llx, not 0x%llx, write %u", q.error,
			     q.error_code, (unsigned long long)q.fault_address,
			     (unsigned long long)va, q.fault_write);
			reason = -2;
		}
	}

	chan_free(&c);

	return reason;
}

static int fault_at(struct nv *n, uint32_t space, uint64_t va, bool write)
{
	return fault_with(n, space, va, write, (struct drm_nvfifo_object_create){0});
}

static bool is_absent(int reason)
{
	return reason == NVFIFO_FAULT_PT_NOT_PRESENT || reason == NVFIFO_FAULT_PT_TOO_SHORT ||
	       reason == NVFIFO_FAULT_PAGE_NOT_PRESENT;
}

/* --- Random operations against a reference ------------------------------------------------- */

#define ARENAS	     5
#define ARENA_PAGES  256u
#define WINDOW_PAGES 16u
#define BOS	     8
#define VMS	     3
#define WORDS	     3

/* Places in the address space, each with its own mix of pages. */
static struct arena {
	uint64_t base;
	uint32_t unit;	/* pages of 4 KiB that everything is a multiple of */
	uint32_t shift; /* page size to ask for */
	bool vram;	/* VRAM only */
} arenas[ARENAS] = {
    {4 * GIB + 16 * MIB, 1, 12, false},	   {6 * GIB - 512 * KIB, 1, 0, false}, /* in two regions */
    {256 * GIB + 64 * KIB, 16, 16, true},  {512 * GIB + 448 * MIB, 4, 14, true},
    {700 * GIB - 256 * KIB, 16, 0, false},
};

static const uint32_t word_offset[WORDS] = {0, 0x7f0, 0xffc};

static struct rbo {
	struct bo bo;
	uint32_t domain, flags;
	uint32_t shadow[ARENA_PAGES][WORDS];
} bos[BOS];

struct page {
	int8_t bo;     /* -1: nothing */
	uint8_t flags; /* of the mapping */
	uint16_t page;
};

static struct space {
	uint32_t id, debug;
	struct ch chan[2]; /* the second one's objects are the supervisor's */
	struct page ref[ARENAS][ARENA_PAGES];
} spaces[VMS];

static uint64_t arena_va(uint32_t arena, uint32_t page)
{
	return arenas[arena].base + page * PAGE;
}

static void random_world(void)
{
	uint32_t i, a, w, k;

	nv_open(&nv);
	need(nv.lim.objects > ARENAS * ARENA_PAGES / WINDOW_PAGES, "objects for all windows");

	if (!(nv.dev.page_sizes & 1 << 14)) {
		arenas[3].unit = 1;
		arenas[3].shift = 12;
		arenas[3].vram = false;
	}

	memset(bos, 0, sizeof(bos));

	for (i = 0; i < BOS; i++) {
		struct rbo *b = &bos[i];
		char label[16];

		b->domain = i < 4 ? DRM_NVFIFO_DOMAIN_SYSTEM : DRM_NVFIFO_DOMAIN_VRAM;
		b->flags = i == 2 || i == 3 ? DRM_NVFIFO_BO_WC : 0;
		need(!bo_create_flags(&nv, &b->bo, b->domain, b->flags, ARENA_PAGES * PAGE),
		     "BO_CREATE");
		if (!b->domain)
			bo_mmap(&nv, &b->bo);
		snprintf(label, sizeof(label), "random-%u", i);
		need(!bo_label(&nv, b->bo.handle, label), "BO_LABEL");
	}

	for (i = 0; i < VMS; i++) {
		struct space *s = &spaces[i];

		s->id = new_vm(&nv);
		s->debug = debug_last_vm();
		for (a = 0; a < ARENAS; a++)
			for (w = 0; w < ARENA_PAGES; w++)
				s->ref[a][w] = (struct page){.bo = -1};
		for (k = 0; k < 2; k++) {
			s->chan[k] = ch_new(&nv, s->id);
			for (w = 0; w < ARENAS * ARENA_PAGES / WINDOW_PAGES; w++) {
				struct drm_nvfifo_object_create o = {
				    .channel_id = s->chan[k].id,
				    .handle = 0x1000 + w,
				    .type = DRM_NVFIFO_OBJECT_DMA,
				    .oclass = NVFIFO_CLASS_DMA_RW,
				    .flags = k ? DRM_NVFIFO_OBJECT_SUPERVISOR : 0,
				    .start =
					arena_va(w / WINDOW_PAGES, w % WINDOW_PAGES * WINDOW_PAGES),
				    .size = WINDOW_PAGES * PAGE,
				};

				need(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o),
				     "OBJECT_CREATE");
			}
		}
	}
}

/* Apply a successful operation to the reference. */
static void ref_apply(struct page ref[ARENAS][ARENA_PAGES], const struct drm_nvfifo_vm_bind_op *op)
{
	uint32_t a, i, b;

	for (a = 0; op->va < arenas[a].base || op->va >= arena_va(a, ARENA_PAGES); a++)
		;

	for (b = 0; op->bo_handle && bos[b].bo.handle != op->bo_handle; b++)
		;

	for (i = 0; i < op->range / PAGE; i++) {
		struct page *p = &ref[a][(op->va - arenas[a].base) / PAGE + i];

		if (op->op == DRM_NVFIFO_VM_BIND_OP_UNMAP)
			*p = (struct page){.bo = -1};
		else
			*p = (struct page){
			    .bo = (int8_t)b,
			    .page = (uint16_t)(op->bo_offset / PAGE + i),
			    .flags = op->flags & ~DRM_NVFIFO_VM_BIND_REPLACE,
			};
	}
}

static bool any_mapped(const struct page *p, uint32_t n)
{
	while (n--)
		if (p[n].bo >= 0)
			return true;
	return false;
}

/* Make a random operation that must succeed. */
static struct drm_nvfifo_vm_bind_op random_op(struct page ref[ARENAS][ARENA_PAGES])
{
	uint32_t a = rnd(ARENAS), unit = arenas[a].unit, first, n, b, left, flags = 0;
	struct drm_nvfifo_vm_bind_op op;
	struct page *p;

	/* Whole large pages often enough where small ones are possible. */
	if (unit == 1 && rnd(2))
		unit = WINDOW_PAGES;

	first = rnd(ARENA_PAGES / unit) * unit;
	n = (1 + rnd(rnd(4) ? 4 : ARENA_PAGES / unit)) * unit;
	if (n > ARENA_PAGES - first)
		n = ARENA_PAGES - first;

	p = &ref[a][first];
	if (rnd(4) == 0)
		return op_unmap(arena_va(a, first), n * PAGE);

	if (p->bo >= 0 && rnd(4) == 0) {
		/* The same page with another protection. */
		for (left = 1; left < n && p[left].bo == p->bo && p[left].page == p->page + left;
		     left++)
			;
		n = left / unit * unit;
		if (n && p->page % unit == 0) {
			op = op_part(&bos[p->bo].bo, arena_va(a, first), p->page * PAGE, n * PAGE,
				     DRM_NVFIFO_VM_BIND_REPLACE |
					 (p->flags ^ DRM_NVFIFO_VM_BIND_READ_ONLY),
				     bos[p->bo].domain ? arenas[a].shift : 12);
			return op;
		}

		n = unit;
	}

	b = arenas[a].vram ? 4 + rnd(BOS - 4) : rnd(BOS);
	if (any_mapped(p, n))
		flags |= DRM_NVFIFO_VM_BIND_REPLACE;

	if (rnd(8) == 0)
		flags |= DRM_NVFIFO_VM_BIND_READ_ONLY;

	if (rnd(16) == 0)
		flags |= DRM_NVFIFO_VM_BIND_SUPERVISOR;

	if ((bos[b].flags & DRM_NVFIFO_BO_WC) && rnd(2))
		flags |= DRM_NVFIFO_VM_BIND_NOSNOOP;

	return op_part(&bos[b].bo, arena_va(a, first),
		       rnd((ARENA_PAGES - n) / unit + 1) * unit * PAGE, n * PAGE, flags,
		       bos[b].domain ? arenas[a].shift : rnd(2) * 12);
}

/* Make a random operation that must fail. Returns its errno. */
static int wrong_op(struct page ref[ARENAS][ARENA_PAGES], struct drm_nvfifo_vm_bind_op *op)
{
	uint32_t i;

	*op = op_part(&bos[rnd(BOS)].bo, arena_va(0, 0), 0, 16 * PAGE, DRM_NVFIFO_VM_BIND_REPLACE,
		      12);

	switch (rnd(any_mapped(ref[0], ARENA_PAGES) ? 10 : 8)) {
	case 0:
		op->bo_handle = 0x7fff;
		return -ENOENT;
	case 1:
		op->kind = 0x7f;
		return -EINVAL;
	case 2:
		op->va = nv.dev.va_end;
		return -EINVAL;
	case 3:
		op->bo_offset = ARENA_PAGES * PAGE;
		return -EINVAL;
	case 4:
		op->flags |= 1u << (6 + rnd(26));
		return -EINVAL;
	case 5:
		*op = op_unmap(arena_va(1, 3) + 1, PAGE);
		return -EINVAL;
	case 6:
		op->compression = 3;
		return -EINVAL;
	case 7:
		*op = op_part(&bos[0].bo, arena_va(0, 0), 0, PAGE,
			      DRM_NVFIFO_VM_BIND_NOSNOOP | DRM_NVFIFO_VM_BIND_REPLACE, 12);
		return -EINVAL;
	case 8:
		/* There are 4 KiB pages in that region. */
		*op = op_part(&bos[4].bo, arena_va(0, ARENA_PAGES), 0, 16 * PAGE, 0, 16);
		return -EBUSY;
	default:
		for (i = 0; i < ARENA_PAGES && ref[0][i].bo < 0; i++)
			;
		*op = op_part(&bos[4].bo, arena_va(0, i), 0, PAGE, 0, 12);
		return -EEXIST;
	}
}

/* An access of random_access(), to be compared and reported. */
struct access {
	struct page p;
	uint64_t va;
	uint32_t word, value;
	bool write;
};

static void report_accesses(struct space *s, struct ch *c, int ret, const struct access *seen,
			    uint32_t count)
{
	uint32_t n;
	struct drm_nvfifo_channel_query q = ch_query(c);

	diag("accesses: %d, error %u code %u, fault %u at 0x%llx reason %u", ret, q.error,
	     q.error_code, q.fault, (unsigned long long)q.fault_address, q.fault_reason);

	for (n = 0; n < count; n++) {
		char *text = debug_translate(s->debug, seen[n].va), *line;

		diag("%s 0x%x at 0x%llx, BO %d page %u flags %u",
		     seen[n].write ? "write" : "read", seen[n].value,
		     (unsigned long long)seen[n].va, seen[n].p.bo, seen[n].p.page,
		     seen[n].p.flags);
		for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
			diag("    %s", line);
		free(text);
	}
}

/* The CPU sees the card's writes to system memory. */
static bool cpu_sees(const struct access *seen, uint32_t i)
{
	while (i--) {
		struct rbo *b = &bos[seen[i].p.bo];
		uint32_t *word = b->bo.map;

		if (b->domain)
			continue;
		word += (seen[i].p.page * PAGE + word_offset[seen[i].word]) / 4;
		if (*(volatile uint32_t *)word != b->shadow[seen[i].p.page][seen[i].word]) {
			diag("BO %d page %u: the CPU sees 0x%x", seen[i].p.bo, seen[i].p.page,
			     *word);
			return false;
		}
	}

	return true;
}

/* Accesses of mapped pages, of those of @near first. */
static bool random_access(struct space *s, const struct drm_nvfifo_vm_bind_op *near, uint32_t count)
{
	uint32_t i, n, k = rnd(2), tries = 0;
	struct access seen[32];
	struct ch *c = &s->chan[k];
	int ret;

	for (i = 0; i < count && i < ARRAY_SIZE(seen) && tries < 200; tries++) {
		uint32_t a, w = rnd(WORDS), value, handle, offset;
		struct page *p;

		if (near && near->range >= PAGE && i < count / 2 && tries < 20) {
			for (a = 0;
			     near->va < arenas[a].base || near->va >= arena_va(a, ARENA_PAGES); a++)
				;
			n = (uint32_t)((near->va - arenas[a].base) / PAGE) +
			    rnd((uint32_t)(near->range / PAGE));
		} else {
			a = rnd(ARENAS);
			n = rnd(ARENA_PAGES);
		}

		p = &s->ref[a][n];
		if (p->bo < 0 || ((p->flags & DRM_NVFIFO_VM_BIND_SUPERVISOR) && !k))
			continue;
		handle = 0x1000 + a * ARENA_PAGES / WINDOW_PAGES + n / WINDOW_PAGES;
		offset = n % WINDOW_PAGES * (uint32_t)PAGE + word_offset[w];
		if (!(p->flags & DRM_NVFIFO_VM_BIND_READ_ONLY) && rnd(2)) {
			value = rnd(0x7fffffff) + 1;
			bos[p->bo].shadow[p->page][w] = value;
			p_release(c, handle, offset, value);
			seen[i].write = true;
		} else {
			value = bos[p->bo].shadow[p->page][w];
			p_acquire(c, handle, offset, value);
			seen[i].write = false;
		}

		seen[i].p = *p;
		seen[i].va = arena_va(a, n) + word_offset[w];
		seen[i].word = w;
		seen[i++].value = value;
	}

	if (!i)
		return true;

	ret = ch_run(c);
	if (ret != 1) {
		report_accesses(s, c, ret, seen, i);
		return false;
	}

	return cpu_sees(seen, i);
}

/* Make an access that must fault, with a new channel, which it ends. */
static bool random_fault(struct space *s, uint32_t *count)
{
	uint32_t a = rnd(ARENAS), n = rnd(ARENA_PAGES), i;
	bool write = rnd(2);
	int want, is;

	for (i = 0; i < ARENAS * ARENA_PAGES; i++, n = (n + 1) % ARENA_PAGES) {
		struct page *p = &s->ref[a][n];

		if (p->bo < 0 || (p->flags & DRM_NVFIFO_VM_BIND_SUPERVISOR) ||
		    ((p->flags & DRM_NVFIFO_VM_BIND_READ_ONLY) && write))
			break;
		if (n == ARENA_PAGES - 1)
			a = (a + 1) % ARENAS;
	}

	if (i == ARENAS * ARENA_PAGES)
		return true;

	(*count)++;
	want = NVFIFO_FAULT_PAGE_READ_ONLY;
	if (s->ref[a][n].bo < 0)
		want = NVFIFO_FAULT_PAGE_NOT_PRESENT;
	else if (s->ref[a][n].flags & DRM_NVFIFO_VM_BIND_SUPERVISOR)
		want = NVFIFO_FAULT_PAGE_SUPERVISOR_ONLY;

	is = fault_at(&nv, s->id, arena_va(a, n) + word_offset[rnd(WORDS)], write);
	if (is == want || (want == NVFIFO_FAULT_PAGE_NOT_PRESENT && is_absent(is)))
		return true;

	diag("0x%llx: fault %d, not %d", (unsigned long long)arena_va(a, n), is, want);

	return false;
}

/* The flags of VM_BIND that a line of the list of mappings names. */
static uint8_t listed_flags(const char *line)
{
	static const struct {
		const char *word;
		uint8_t flag;
	} words[] = {
		{ " ro", DRM_NVFIFO_VM_BIND_READ_ONLY },
		{ " supervisor", DRM_NVFIFO_VM_BIND_SUPERVISOR },
		{ " nosnoop", DRM_NVFIFO_VM_BIND_NOSNOOP },
	};
	uint8_t flags = 0;
	uint32_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		if (strstr(line, words[i].word))
			flags |= words[i].flag;

	return flags;
}

/* Compare the list of mappings in debugfs with the reference, page by page. */
static bool list_is_ref(struct space *s)
{
	static struct page seen[ARENAS][ARENA_PAGES];
	char *text = debug_text("nvfifo_vm/%u/mappings", s->debug), *line, *save;
	uint32_t a, i;
	bool ok = true;

	for (a = 0; a < ARENAS; a++)
		for (i = 0; i < ARENA_PAGES; i++)
			seen[a][i].bo = -1;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		unsigned long long first, last, offset;
		char domain[16], *label;
		int n = 0;

		if (sscanf(line, "mapping %llx-%llx %15s %llx%n", &first, &last, domain, &offset,
			   &n) != 4)
			continue;
		for (a = 0; a < ARENAS; a++) {
			if (first < arenas[a].base || last >= arena_va(a, ARENA_PAGES))
				continue;
			label = strstr(line + n, "random-");
			ok = ok && label && (last + 1) % PAGE == 0;
			if (!ok)
				break;
			for (i = 0; i <= (last - first) / PAGE; i++)
				seen[a][(first - arenas[a].base) / PAGE + i] = (struct page){
				    .bo = (int8_t)nvfifo_text_value(label + 7, 10),
				    .page = (uint16_t)(offset / PAGE + i),
				    .flags = listed_flags(line),
				};
		}
	}

	free(text);

	for (a = 0; a < ARENAS; a++) {
		for (i = 0; i < ARENA_PAGES && ok; i++) {
			struct page *x = &seen[a][i], *y = &s->ref[a][i];

			if (x->bo == y->bo &&
			    (x->bo < 0 || (x->page == y->page && x->flags == y->flags)))
				continue;
			diag("0x%llx: listed BO %d page %u flags %u, should be BO %d page %u flags "
			     "%u",
			     (unsigned long long)arena_va(a, i), x->bo, x->page, x->flags, y->bo,
			     y->page, y->flags);
			ok = false;
		}
	}

	return ok;
}

/* Make some valid operations with an invalid one among them. */
static bool random_failure(struct space *s)
{
	static struct page ref[ARENAS][ARENA_PAGES];
	struct drm_nvfifo_vm_bind_op ops[8];
	uint32_t n = 2 + rnd(6), bad = 1 + rnd(n - 1), i;
	char *before, *after;
	int want = 0, ret;
	bool same;

	memcpy(ref, s->ref, sizeof(ref));

	/* So that the first arena has 4 KiB pages, and something mapped. */
	ops[0] = op_part(&bos[0].bo, arena_va(0, ARENA_PAGES - 1), 0, PAGE,
			 DRM_NVFIFO_VM_BIND_REPLACE, 12);
	ref_apply(ref, &ops[0]);

	for (i = 1; i < n; i++) {
		if (i == bad) {
			want = wrong_op(ref, &ops[i]);
			continue;
		}

		ops[i] = random_op(ref);
		ref_apply(ref, &ops[i]);
	}

	before = debug_text("nvfifo_vm/%u/mappings", s->debug);
	ret = vm_bind(&nv, s->id, ops, n);
	after = debug_text("nvfifo_vm/%u/mappings", s->debug);
	same = !strcmp(before, after);
	free(before);
	free(after);
	if (ret == want && same)
		return true;

	diag("bad operation %u of %u: returned %d, not %d%s", bad + 1, n, ret, want,
	     same ? "" : ", and something has changed");

	return false;
}

static bool random_step(struct space *s, uint32_t done)
{
	struct drm_nvfifo_vm_bind_op ops[8];
	uint32_t n = rnd(3) ? 1 : 1 + rnd(7), i;
	static struct page ref[ARENAS][ARENA_PAGES];
	int ret;

	memcpy(ref, s->ref, sizeof(ref));

	for (i = 0; i < n; i++) {
		ops[i] = random_op(ref);
		ref_apply(ref, &ops[i]);
	}

	if (rnd(8) == 0) {
		struct drm_nvfifo_sync sync = sync_signal(done);

		ret = vm_bind_async(&nv, s->id, ops, n, &sync, 1);
		if (!ret && sync_finish(&nv, done) != 1)
			ret = -EIO;
	} else {
		ret = vm_bind(&nv, s->id, ops, n);
	}

	if (ret) {
		diag("VM_BIND of %u operations: %s", n, strerror(-ret));
		for (i = 0; i < n; i++)
			diag("op %u flags %u BO %u shift %u va 0x%llx range 0x%llx offset 0x%llx",
			     ops[i].op, ops[i].flags, ops[i].bo_handle, ops[i].page_shift,
			     (unsigned long long)ops[i].va, (unsigned long long)ops[i].range,
			     (unsigned long long)ops[i].bo_offset);
		return false;
	}

	memcpy(s->ref, ref, sizeof(ref));

	return random_access(s, &ops[rnd(n)], 6);
}

static void t_random(void)
{
	uint32_t steps, i, faults = 0, failures = 0, done;
	const char *env = getenv("NVFIFO_STEPS");
	bool ok = true;

	/* One chip of each generation in length. */
	steps = nv.dev.chipset == 0x50 || nv.dev.chipset == 0x84 || nv.dev.chipset == 0xa3 ||
		nv.dev.chipset == 0xaa ? 5000 : 1000;

	random_world();
	if (env)
		steps = (uint32_t)nvfifo_text_value(env, 0);

	env = getenv("NVFIFO_SEED");
	rng_state = env ? nvfifo_text_value(env, 0) : 0x5eed0000 + nv.dev.chipset;
	if (!rng_state)
		rng_state = 1;

	done = sync_new(&nv);

	for (i = 0; i < steps && ok; i++) {
		struct space *s = &spaces[rnd(VMS)];

		ok = random_step(s, done);
		if (ok && rnd(8) == 0) {
			failures++;
			ok = random_failure(s) && random_access(s, NULL, 12);
		}

		if (ok && i % 64 == 63)
			ok = random_fault(s, &faults);
		if (ok && i % 100 == 99)
			ok = list_is_ref(s);

		/* Unmap all pages now and then, so that regions can get large pages again. */
		if (ok && rnd(150) == 0) {
			struct drm_nvfifo_vm_bind_op all =
			    op_unmap(nv.dev.va_start + GIB, nv.dev.va_end - nv.dev.va_start - GIB);
			uint32_t a, n;

			ok = !vm_bind(&nv, s->id, &all, 1);
			for (a = 0; a < ARENAS; a++)
				for (n = 0; n < ARENA_PAGES; n++)
					s->ref[a][n] = (struct page){.bo = -1};
		}
	}

	check(ok && i == steps, "%u random calls, %u of them refused, and %u faults",
	      steps + failures, failures, faults);

	if (!ok)
		diag("step %u, seed 0x%llx", i, (unsigned long long)rng_state);

	for (i = 0; i < VMS && ok; i++)
		check(list_is_ref(&spaces[i]) && random_access(&spaces[i], NULL, 30),
		      "address space %u equals the reference", i);
}

/* --- All or nothing ------------------------------------------------------------------------ */

static uint32_t debug_vm;

/* The visible state of an address space */
static char *vm_text(void)
{
	return debug_text("nvfifo_vm/%u/mappings", debug_vm);
}

struct atomic {
	const char *what;
	int err;
	struct drm_nvfifo_vm_bind_op op;
};

#define ATOMS 6

#define BAD(err_, what_, ...)                                                                      \
	do {                                                                                       \
		bad[n] = (struct atomic){.what = what_,                                            \
					 .err = err_,                                              \
					 .op = op_part(sys, BASE + 3 * GIB, 0, PAGE, 0, 12)};      \
		__VA_ARGS__;                                                                       \
		n++;                                                                               \
	} while (0)

#define OP bad[n].op

static void atomic_good(struct drm_nvfifo_vm_bind_op *good, const struct bo *sys,
			const struct bo *vram)
{
	good[0] = op_unmap(BASE + GIB + 16 * PAGE, 3 * PAGE);
	good[1] =
	    op_part(sys, BASE + GIB + 32 * PAGE, 0, 5 * PAGE, DRM_NVFIFO_VM_BIND_REPLACE, 12);

	/* Large pages, of which a later operation cuts one. */
	good[2] = op_part(vram, BASE + 128 * KIB, 0, 64 * KIB, DRM_NVFIFO_VM_BIND_REPLACE, 16);
	good[3] = op_unmap(BASE + 320 * KIB + PAGE, PAGE);
	good[4] = op_part(sys, BASE + 2 * GIB, 0, 1 * MIB, DRM_NVFIFO_VM_BIND_READ_ONLY, 0);
	good[5] = op_part(vram, BASE + 600 * GIB, 0, 1 * MIB, 0, 0);
}

static uint32_t atomic_bad(struct atomic *bad, const struct bo *sys, const struct bo *comp,
			   const struct bo *big)
{
	uint32_t n = 0;

	BAD(EINVAL, "an unknown operation", OP.op = 7);
	BAD(EINVAL, "an unknown flag", OP.flags = 1 << 9);
	BAD(ENOENT, "no BO", OP.bo_handle = 0x7fff);
	BAD(EINVAL, "a page size that is none", OP.page_shift = 13);
	BAD(EINVAL, "64 KiB pages of system memory", OP.page_shift = 16);
	BAD(EINVAL, "an odd address", OP.va += 12);
	BAD(EINVAL, "an address at the end", OP.va = nv.dev.va_end);
	BAD(EINVAL, "an empty range", OP.range = 0);
	BAD(EINVAL, "a range past the BO", OP.range = 2 * MIB);
	BAD(EINVAL, "an offset past the BO", OP.bo_offset = 1 * MIB);
	BAD(EINVAL, "a kind that does not exist", OP.kind = 0x7f);
	BAD(EINVAL, "a compression that does not exist", OP.compression = 9);
	BAD(EINVAL, "unsnooped cached memory", OP.flags = DRM_NVFIFO_VM_BIND_NOSNOOP);
	BAD(EINVAL, "an unmap of no page", OP = op_unmap(BASE, 0));
	BAD(EINVAL, "an unmap with a flag", OP = op_unmap(BASE, PAGE);
	    OP.flags = DRM_NVFIFO_VM_BIND_REPLACE);
	BAD(EEXIST, "a map over another", OP.va = BASE + GIB + 255 * PAGE);
	BAD(EEXIST, "a map over the half of another", OP.va = BASE + 1 * MIB - 64 * KIB;
	    OP.range = 32 * PAGE);
	BAD(EBUSY, "64 KiB pages among 4 KiB pages",
	    OP = op_part(big, BASE + GIB + 16 * MIB, 0, 64 * KIB, 0, 16));
	if (nv.dev.features & DRM_NVFIFO_FEATURE_COMPRESSION) {
		/* A BO that is compressed in one mode already, in a region of its own. */
		need(!bind_comp(comp, BASE + 8 * GIB, DRM_NVFIFO_COMPRESSION_SINGLE), "map");
		BAD(EBUSY, "compression in the other mode",
		    OP = op_part(comp, BASE + 9 * GIB, 0, 64 * KIB, 0, 0);
		    OP.compression = DRM_NVFIFO_COMPRESSION_DOUBLE);
		BAD(EBUSY, "4 KiB pages in a compressed region",
		    OP = op_part(sys, BASE + 8 * GIB + 16 * MIB, 0, PAGE, 0, 12));
		BAD(EBUSY, "an unmap that cuts a compressed page",
		    OP = op_unmap(BASE + 8 * GIB + PAGE, PAGE));
		BAD(EBUSY, "a map that cuts a compressed page",
		    OP = op_part(sys, BASE + 8 * GIB + 2 * PAGE, 0, PAGE,
				 DRM_NVFIFO_VM_BIND_REPLACE, 0));
	} else {
		BAD(EINVAL, "compression without tag memory",
		    OP = op_part(big, BASE + 3 * GIB, 0, 64 * KIB, 0, 0);
		    OP.compression = DRM_NVFIFO_COMPRESSION_SINGLE);
	}

	return n;
}

static bool atomic_at_each_place(const struct atomic *bad,
				 const struct drm_nvfifo_vm_bind_op *good, const char *before)
{
	struct drm_nvfifo_vm_bind_op ops[ATOMS + 1];
	uint32_t pos;
	bool ok = true;
	char *after;

	for (pos = 0; pos <= ATOMS; pos++) {
		struct drm_nvfifo_query_device d;
		int ret;

		memcpy(ops, good, pos * sizeof(ops[0]));
		ops[pos] = bad->op;
		memcpy(ops + pos + 1, good + pos, (ATOMS - pos) * sizeof(ops[0]));
		ret = vm_bind(&nv, vm, ops, ATOMS + 1);
		if (ret != -bad->err) {
			diag("at place %u: returned %d, not %d", pos, ret, -bad->err);
			ok = false;
		}

		after = vm_text();
		if (strcmp(before, after)) {
			diag("at place %u: the mappings have changed", pos);
			ok = false;
		}

		free(after);
		query(nv.fd, DRM_NVFIFO_QUERY_DEVICE, &d, sizeof(d));
		if (d.tags_free != nv.dev.tags_free - (nv.dev.tags ? 1 : 0)) {
			diag("at place %u: %u tags are free", pos, d.tags_free);
			ok = false;
		}
	}

	return ok;
}

/*
 * A VM_BIND with valid operations of every kind and an invalid one at each place among them.
 * Afterwards the card must see the same words, and the accounting must be the same.
 */
static void t_atomic(void)
{
	struct drm_nvfifo_vm_bind_op good[ATOMS];
	struct bo sys, vram, comp, big;
	struct atomic bad[32];
	uint32_t n = 0, i;
	uint64_t free_before;
	uint32_t probes = 0;

	world();
	debug_vm = debug_last_vm();
	sys = sys_bo(&nv, 1 * MIB);
	vram = vram_bo(&nv, 1 * MIB);
	comp = vram_bo(&nv, 64 * KIB);
	big = vram_bo(&nv, 128 * KIB);
	for (i = 0; i < 256; i++)
		sys.map[i * 1024] = 0xa0000 + i;

	/* 64 KiB pages at BASE, 4 KiB pages at BASE + 1 GiB, nothing at BASE + 2 GiB. */
	need(!vm_map_at(&nv, vm, &vram, BASE, 0, 16), "map");
	need(!vm_map_at(&nv, vm, &sys, BASE + GIB, 0, 12), "map");
	for (i = 0; i < 16; i++)
		need(card_writes(&ch, BASE + i * 64 * KIB, 0xb0000 + i), "write");

	atomic_good(good, &sys, &vram);

	n = atomic_bad(bad, &sys, &comp, &big);
	need(n <= ARRAY_SIZE(bad), "room for all of them");

	free_before = vram_free(&nv);
	for (i = 0; i < n; i++) {
		char *before = vm_text();
		bool ok;

		ok = atomic_at_each_place(&bad[i], good, before);
		/* A page of each that would have changed, and one of each that would not. */
		ok = ok && card_reads(&ch, BASE + GIB + 17 * PAGE, 0xa0011) &&
		     card_reads(&ch, BASE + GIB + 33 * PAGE, 0xa0021) &&
		     card_reads(&ch, BASE + GIB + 200 * PAGE, 0xa00c8) &&
		     card_reads(&ch, BASE + 128 * KIB, 0xb0002) &&
		     card_reads(&ch, BASE + 320 * KIB, 0xb0005) &&
		     card_reads(&ch, BASE + 960 * KIB, 0xb000f);
		check(ok, "%s: nothing has changed, wherever it is", bad[i].what);
		free(before);
		if (!ok)
			break;
		probes++;
	}

	equal(vram_free(&nv), free_before, "free VRAM is the same as before");
	check(is_absent(fault_at(&nv, vm, BASE + 2 * GIB, false)),
	      "the new mapping is not there");
	check(is_absent(fault_at(&nv, vm, BASE + 600 * GIB, true)), "wherever it is");
	equal(vm_bind(&nv, vm, good, ATOMS), 0, "without a bad one they succeed");
	check(card_reads(&ch, BASE + 2 * GIB + 7 * PAGE, 0xa0007) &&
		  card_reads(&ch, BASE + 600 * GIB + 960 * KIB, 0xb000f) &&
		  card_reads(&ch, BASE + GIB + 33 * PAGE, 0xa0001),
	      "and take effect");
	equal(probes, n, "all of them");
}

/* --- Pages ------------------------------------------------------------------------------------ */

/* Unmap single pages in the middle of large ones. */
static void t_partial(void)
{
	static const uint32_t shifts[] = {16, 14};
	uint32_t k, i;

	world();

	for (k = 0; k < 2; k++) {
		uint64_t at = BASE + k * GIB;
		struct bo v, s;
		bool ok = true;

		if (!(nv.dev.page_sizes & 1 << shifts[k]))
			continue;
		v = vram_bo(&nv, 512 * KIB);
		s = sys_bo(&nv, 64 * KIB);
		need(!vm_map_at(&nv, vm, &v, at, 0, shifts[k]), "map");
		for (i = 0; i < 128; i += 7)
			ok &= card_writes(&ch, at + i * PAGE, 0xcc00 + i);
		check(ok, "2^%u byte pages are written", shifts[k]);
		equal(vm_unmap(&nv, vm, at + 35 * PAGE, PAGE), 0, "unmap of one page of 4 KiB");
		equal(vm_unmap(&nv, vm, at + 60 * PAGE, 20 * PAGE), 0,
		      "unmap from the middle of one large page to that of another");
		for (i = 0, ok = true; i < 128; i += 7)
			if (i != 35 && (i < 60 || i >= 80))
				ok &= card_reads(&ch, at + i * PAGE, 0xcc00 + i);
		check(ok, "the others keep their contents");
		ok = is_absent(fault_at(&nv, vm, at + 35 * PAGE + 0xffc, false)) &&
		     is_absent(fault_at(&nv, vm, at + 60 * PAGE, true)) &&
		     is_absent(fault_at(&nv, vm, at + 79 * PAGE + 0xffc, true));
		check(ok, "those are gone");
		s.map[0] = 0x5157;
		equal(bind1(op_part(&s, at + 35 * PAGE, 0, PAGE, 0, 0)), 0,
		      "system memory takes the place of one");
		check(card_reads(&ch, at + 35 * PAGE, 0x5157) &&
			  card_reads(&ch, at + 42 * PAGE, 0xcc2a) &&
			  card_reads(&ch, at + 28 * PAGE, 0xcc1c),
		      "between the old ones");
		equal(bind1(op_part(&v, at + 35 * PAGE, 35 * PAGE, PAGE, DRM_NVFIFO_VM_BIND_REPLACE,
				    0)),
		      0, "the old page comes back");
		check(card_reads(&ch, at + 35 * PAGE, 0xcc23), "with its contents");
		refused(vm_map_at(&nv, vm, &v, at + 16 * MIB, 0, shifts[k]), EBUSY,
			"no large pages there now");
		refused(bind1(op_part(&v, at, 0, 512 * KIB, DRM_NVFIFO_VM_BIND_REPLACE,
				      shifts[k])),
			EBUSY, "nor in the place of all that is there");
		equal(vm_unmap(&nv, vm, at, 512 * KIB), 0, "unmap of the rest");
		equal(vm_map_at(&nv, vm, &v, at + 16 * MIB, 0, shifts[k]), 0,
		      "large pages when the small ones are gone");
		check(card_reads(&ch, at + 16 * MIB + 28 * PAGE, 0xcc1c),
		      "they lead to the same memory");
		vm_unmap(&nv, vm, at + 16 * MIB, 512 * KIB);
	}
}

/* Page sizes that are not asked for. */
static void t_page_choice(void)
{
	struct drm_nvfifo_bo_info info;
	struct bo v = {0}, s;
	uint32_t n;
	char *text;

	world();
	n = debug_last_vm();
	v = vram_bo(&nv, 128 * KIB);
	s = sys_bo(&nv, 64 * KIB);
	check(!bo_info(&nv, v.handle, &info) && info.page_shift == 16,
	      "VRAM can be mapped with 64 KiB pages");
	check(!bo_info(&nv, s.handle, &info) && info.page_shift == 12,
	      "system memory with 4 KiB pages");
	need(!vm_map_at(&nv, vm, &v, BASE, 0, 0), "map");
	text = debug_text("nvfifo_vm/%u/tables", n);
	check(has_pde(text, NVFIFO_PT_64K), "VRAM gets 64 KiB pages if it fits");
	free(text);
	need(!bind1(op_part(&v, BASE + GIB + PAGE, 0, 64 * KIB, 0, 0)), "map");
	check(card_writes(&ch, BASE + 0x8004, 0x64) &&
		  card_reads(&ch, BASE + GIB + PAGE + 0x8004, 0x64),
	      "and 4 KiB pages if not");
	need(!bind1(op_part(&v, BASE + 128 * KIB, PAGE, 64 * KIB, 0, 0)), "map");
	check(card_reads(&ch, BASE + 128 * KIB + 0x7004, 0x64) &&
		  card_reads(&ch, BASE + 0x8004, 0x64),
	      "also after regions with large pages");
}

/* A BO's pages in every target and at the ends of the address space. */
static void t_ends(void)
{
	uint64_t last;
	struct bo wc, v;
	char *text;
	uint32_t n;

	world();
	n = debug_last_vm();
	last = nv.dev.va_end - PAGE;
	wc = wc_bo(64 * KIB);
	v = vram_bo(&nv, 64 * KIB);
	need(!bind1(op_part(&wc, last, 5 * PAGE, PAGE, DRM_NVFIFO_VM_BIND_NOSNOOP, 12)), "map");
	need(!bind1(op_part(&wc, nv.dev.va_start, 6 * PAGE, PAGE, 0, 12)), "map");
	check(card_writes(&ch, last + 0xffc, 0xeeee) && wc.map[5 * 1024 + 1023] == 0xeeee,
	      "the last word of the last page");
	check(card_writes(&ch, nv.dev.va_start, 0xdddd) && wc.map[6 * 1024] == 0xdddd,
	      "the first word of the first page");
	text = debug_text("nvfifo_vm/%u/tables", n);
	check(has_pte(text, PTE_TARGET(3), PTE_TARGET(NVFIFO_TARGET_SYS_NOSNOOP)) &&
		  has_pte(text, PTE_TARGET(3), PTE_TARGET(NVFIFO_TARGET_SYS_SNOOP)),
	      "snooped and unsnooped system memory");
	free(text);
	check(is_absent(fault_at(&nv, vm, last - PAGE, true)), "nothing before the last page");
	need(!vm_unmap(&nv, vm, last, PAGE), "unmap");
	check(is_absent(fault_at(&nv, vm, last, true)), "nor in it when it is gone");
	need(!vm_map_at(&nv, vm, &v, nv.dev.va_end - 64 * KIB, 0, 16), "map");
	check(card_writes(&ch, last + 0xffc, 0xcccc) && card_reads(&ch, last + 0xffc, 0xcccc),
	      "a 64 KiB page up to the end");
}

static void t_replace(void)
{
	struct bo a, b;
	uint32_t i;
	bool ok = true;

	world();
	a = sys_bo(&nv, 256 * KIB);
	b = sys_bo(&nv, 256 * KIB);

	for (i = 0; i < 64; i++) {
		a.map[i * 1024] = 0xaa00 + i;
		b.map[i * 1024] = 0xbb00 + i;
	}

	need(!vm_map_at(&nv, vm, &a, BASE, 0, 0), "map");
	refused(vm_map_at(&nv, vm, &b, BASE, 0, 0), EEXIST, "map over another");
	equal(
	    bind1(op_part(&b, BASE + 8 * PAGE, 8 * PAGE, 8 * PAGE, DRM_NVFIFO_VM_BIND_REPLACE, 0)),
	    0, "replace in the middle");

	for (i = 0; i < 64; i += 3)
		ok &= card_reads(&ch, BASE + i * PAGE, (i >= 8 && i < 16 ? 0xbb00 : 0xaa00) + i);

	check(ok, "both sides stay");
	equal(bind1(op_part(&b, BASE + 60 * PAGE, 0, 16 * PAGE, DRM_NVFIFO_VM_BIND_REPLACE, 0)), 0,
	      "replace over the end");
	check(card_reads(&ch, BASE + 59 * PAGE, 0xaa00 + 59) &&
		  card_reads(&ch, BASE + 60 * PAGE, 0xbb00) &&
		  card_reads(&ch, BASE + 75 * PAGE, 0xbb0f),
	      "old before, new after");
	equal(bind1(op_part(&b, BASE + GIB, 0, 16 * PAGE, DRM_NVFIFO_VM_BIND_REPLACE, 0)), 0,
	      "replace of nothing");

	/* Protection. */
	equal(bind1(op_part(&a, BASE + 2 * PAGE, 2 * PAGE, PAGE,
			    DRM_NVFIFO_VM_BIND_REPLACE | DRM_NVFIFO_VM_BIND_READ_ONLY, 0)),
	      0, "one page read-only");
	check(card_reads(&ch, BASE + 2 * PAGE, 0xaa02), "it can be read");
	check(card_writes(&ch, BASE + 1 * PAGE, 0xaa01) &&
		  card_writes(&ch, BASE + 3 * PAGE, 0xaa03),
	      "its neighbours can be written");
	equal((uint32_t)fault_at(&nv, vm, BASE + 2 * PAGE, true), NVFIFO_FAULT_PAGE_READ_ONLY,
	      "it cannot");
	equal(bind1(op_part(&a, BASE + 2 * PAGE, 2 * PAGE, PAGE, DRM_NVFIFO_VM_BIND_REPLACE, 0)), 0,
	      "writable again");
	check(card_writes(&ch, BASE + 2 * PAGE, 0x600d) && a.map[2 * 1024] == 0x600d, "it is");
}

/* The page of the word, and the pages around it that are replaced: its region's second 16. */
#define WORD_PAGE	24
#define FIRST_PAGE	16
#define LAST_PAGE	31

/* Pages beside the word's, before and after it in turns. */
static uint64_t page_beside(uint32_t k, uint64_t *n)
{
	const uint64_t end = k % 2 ? LAST_PAGE + 1 : WORD_PAGE;
	const uint64_t page = k % 2 ? WORD_PAGE + 1 + k / 2 % 7 : FIRST_PAGE + k / 2 % 8;

	*n = 1 + k % 3;
	if (*n > end - page)
		*n = end - page;

	return page;
}

/*
 * A waiting acquire polls its word. VM_BIND replaces pages of the same block by others, and puts
 * them back. The acquire must never fault, as the low words alone cut and make a block.
 */
static void replace_beside(const struct bo *base, const struct bo *other, const char *what)
{
	const uint64_t word = BASE + WORD_PAGE * PAGE;
	struct ch waiter = ch_new(&nv, vm);
	uint64_t page, n;
	bool ok = true;
	uint32_t k;

	need(!vm_map_at(&nv, vm, base, BASE, 0, 12), "map");
	need(card_writes(&ch, word, 0), "the word");
	new_object(&waiter, 0x77, word, PAGE);
	p_acquire(&waiter, 0x77, 0, 0x11fe);
	need(!ch_submit(&waiter), "SUBMIT");

	for (k = 0; k < 60 && ok; k++) {
		page = page_beside(k, &n);
		ok = !bind1(op_part(other, BASE + page * PAGE, page * PAGE, n * PAGE,
				    DRM_NVFIFO_VM_BIND_REPLACE |
					    (k % 5 == 4 ? DRM_NVFIFO_VM_BIND_READ_ONLY : 0),
				    12)) &&
		     !bind1(op_part(base, BASE + page * PAGE, page * PAGE, n * PAGE,
				    DRM_NVFIFO_VM_BIND_REPLACE, 12));
	}

	check(ok, "%s: pages are replaced beside the word of an acquire", what);
	check(!sync_status(&nv, waiter.done) &&
		      ch_query(&waiter).state == DRM_NVFIFO_CHANNEL_ALIVE,
	      "%s: the acquire has not faulted", what);
	check(card_writes(&ch, word, 0x11fe), "%s: the word gets its value", what);
	check(sync_finish(&nv, waiter.done) == 1, "%s: the acquire finds it", what);
	chan_free(&waiter);
	vm_unmap(&nv, vm, BASE, 256 * KIB);
}

static void t_replace_beside(void)
{
	struct bo a[2], v[2];
	uint32_t i;

	world();

	for (i = 0; i < 2; i++) {
		a[i] = sys_bo(&nv, 256 * KIB);
		v[i] = vram_bo(&nv, 256 * KIB);
	}

	replace_beside(&a[0], &a[1], "system memory by system memory");
	replace_beside(&a[0], &v[0], "system memory by VRAM");
	replace_beside(&v[0], &v[1], "VRAM by VRAM");
	replace_beside(&v[0], &a[1], "VRAM by system memory");
}

/* --- Flushes ---------------------------------------------------------------------------------- */

static uint32_t engine_flushes(uint32_t engine)
{
	return ctl(NVSIM_CTL_GET_STAT,
		   (uint32_t)(offsetof(struct nvsim_stats, engine_flushes) / sizeof(uint64_t)) +
		       engine);
}

/* Flushes that a call makes; 1000 if they are not those of PFIFO's engines. */
static uint32_t flushes_of(const struct drm_nvfifo_vm_bind_op *ops, uint32_t n)
{
	uint32_t before = stat_of(tlb_flushes);
	uint32_t pfifo = engine_flushes(NVFIFO_VM_PFIFO);

	need(!vm_bind(&nv, vm, ops, n), "VM_BIND");

	pfifo = engine_flushes(NVFIFO_VM_PFIFO) - pfifo;
	if (pfifo == 1)
		return stat_of(tlb_flushes) - before;

	diag("%u flushes of PFIFO", pfifo);

	return 1000;
}

static void t_flushes(void)
{
	struct drm_nvfifo_vm_bind_op ops[600];
	uint32_t want, i, s;
	struct bo bo, v;

	world();
	if (!ctl_present()) {
		skip("flushes # SKIP no model");
		return;
	}

	want = 1;
	bo = sys_bo(&nv, 4 * MIB);
	v = vram_bo(&nv, 1 * MIB);
	ops[0] = op_part(&bo, BASE, 0, PAGE, 0, 0);
	equal(flushes_of(ops, 1), want, "a map in a new region: one flush of each engine");
	ops[0] = op_part(&bo, BASE + MIB, 0, PAGE, 0, 0);
	equal(flushes_of(ops, 1), want, "a map of one page");
	ops[0] = op_part(&bo, BASE + 8 * MIB, 0, 4 * MIB, 0, 0);
	equal(flushes_of(ops, 1), want, "a map of 1024 pages");

	for (i = 0; i < 600; i++)
		ops[i] = op_part(&bo, BASE + 16 * MIB + i * 8192, i * PAGE, PAGE, 0, 0);

	equal(flushes_of(ops, 600), want, "600 maps");

	for (i = 0; i < 600; i++)
		ops[i] = i & 1 ? op_unmap(BASE + 16 * MIB + i * 8192, PAGE)
			       : op_part(&bo, BASE + 16 * MIB + i * 8192, 0, PAGE,
					 DRM_NVFIFO_VM_BIND_REPLACE, 0);

	equal(flushes_of(ops, 600), want, "600 unmaps and replacements");

	for (i = 0; i < 10; i++)
		ops[i] = op_part(&v, BASE + (2 + i) * GIB, 0, 1 * MIB, 0, 0);

	equal(flushes_of(ops, 10), want, "maps in ten new regions");
	ops[0] = op_unmap(BASE + 2 * GIB + 17 * PAGE, PAGE);
	equal(flushes_of(ops, 1), want, "an unmap out of a large page");
	ops[0] = op_unmap(BASE, 100 * GIB);
	equal(flushes_of(ops, 1), want, "an unmap of all of it");
	s = stat_of(tlb_flushes);
	need(!vm_bind(&nv, vm, NULL, 0), "VM_BIND");
	equal(stat_of(tlb_flushes) - s, 0, "no operation, no flush");
	s = stat_of(tlb_flushes);
	ops[0] = op_part(&bo, BASE, 0, PAGE, 1 << 30, 0);
	check(vm_bind(&nv, vm, ops, 1) == -EINVAL && stat_of(tlb_flushes) == s,
	      "a refused call, no flush");
	{
		struct drm_nvfifo_sync sync = sync_signal(sync_new(&nv));

		for (i = 0; i < 100; i++)
			ops[i] = op_part(&bo, BASE + i * 8192, i * PAGE, PAGE, 0, 0);
		need(!vm_bind_async(&nv, vm, ops, 100, &sync, 1), "VM_BIND");
		need(sync_finish(&nv, sync.handle) == 1, "fence");
		equal(stat_of(tlb_flushes) - s, want, "100 asynchronous maps");
	}
}

/* The structure of a new channel may lie where that of an earlier driver did. */
static void t_flush_for_channel(void)
{
	uint32_t other, flushes, id;

	world();
	if (!ctl_present()) {
		skip("flushes # SKIP no model");
		return;
	}

	other = new_vm(&nv);
	flushes = engine_flushes(NVFIFO_VM_PFIFO);
	need(!chan_create(&nv, other, 3, &id), "CHANNEL_CREATE");
	equal(engine_flushes(NVFIFO_VM_PFIFO) - flushes, 1, "the first channel of an address space: a flush");
}

/* --- Protection, and DMA objects ------------------------------------------------------------ */

enum { RW, RO, SUPER };

static const struct {
	const char *what;
	uint32_t page;
	struct drm_nvfifo_object_create o;
	bool write;
	int fault; /* -1: none */
} protections[] = {
    {"page's access, writable page", RW, {0}, true, -1},
    {"page's access, read-only page", RO, {0}, true, NVFIFO_FAULT_PAGE_READ_ONLY},
    {"read-write object, read-only page", RO, {.access = DRM_NVFIFO_ACCESS_RW}, true, -1},
    {"read-only object, writable page",
     RW,
     {.access = DRM_NVFIFO_ACCESS_RO},
     true,
     NVFIFO_FAULT_PAGE_READ_ONLY},
    {"ordinary object, supervisor's page, read",
     SUPER,
     {0},
     false,
     NVFIFO_FAULT_PAGE_SUPERVISOR_ONLY},
    {"ordinary object, supervisor's page, write",
     SUPER,
     {0},
     true,
     NVFIFO_FAULT_PAGE_SUPERVISOR_ONLY},
    {"supervisor's object, supervisor's page",
     SUPER,
     {.flags = DRM_NVFIFO_OBJECT_SUPERVISOR},
     true,
     -1},
    {"supervisor's object, ordinary page",
     RW,
     {.flags = DRM_NVFIFO_OBJECT_SUPERVISOR},
     true,
     -1},
    {"object for both, supervisor's page", SUPER, {.user = DRM_NVFIFO_USER_BOTH}, true, -1},
    {"object for supervisors, ordinary page",
     RW,
     {.user = DRM_NVFIFO_USER_SUPERVISOR},
     true,
     NVFIFO_FAULT_PAGE_SUPERVISOR_ONLY},
    {"supervisor's object for supervisors, ordinary page",
     RW,
     {.user = DRM_NVFIFO_USER_SUPERVISOR, .flags = DRM_NVFIFO_OBJECT_SUPERVISOR},
     true,
     -1},
    {"object with a kind", RW, {.flags = DRM_NVFIFO_OBJECT_KIND, .kind = 0}, true, -1},
    {"object without compression", RW, {.flags = DRM_NVFIFO_OBJECT_COMPRESSION}, true, -1},
    {"object with short cycles", RW, {.cycle = DRM_NVFIFO_CYCLE_SHORT}, true, -1},
};

static void t_protection(void)
{
	struct drm_nvfifo_entry e;
	struct drm_nvfifo_sync s;
	struct bo bo;
	uint32_t i;
	struct ch c;

	world();
	bo = sys_bo(&nv, 64 * KIB);

	for (i = 0; i < 3; i++) {
		uint32_t flags = 0;

		if (i == RO)
			flags = DRM_NVFIFO_VM_BIND_READ_ONLY;
		else if (i == SUPER)
			flags = DRM_NVFIFO_VM_BIND_SUPERVISOR;

		need(!bind1(op_part(&bo, BASE + i * MIB, 0, 64 * KIB, flags, 0)), "map");
	}

	for (i = 0; i < ARRAY_SIZE(protections); i++) {
		uint32_t old = 0x1000 + i;
		int is;

		bo.map[0x10] = old;
		is = fault_with(&nv, vm, BASE + protections[i].page * MIB + 0x40, protections[i].write,
				protections[i].o);
		if (!check(is == protections[i].fault &&
			       (!protections[i].write || bo.map[0x10] == (is < 0 ? 0xbad : old)),
			   "%s", protections[i].what))
			diag("fault %d, not %d; the word is 0x%x", is, protections[i].fault,
			     bo.map[0x10]);
	}

	bo.map[0x800] = cmd_word(0, NVFIFO_MTHD_REF_CNT, 1);
	bo.map[0x801] = 0x5e;
	c = ch_new(&nv, vm);
	e = (struct drm_nvfifo_entry){.address = BASE + SUPER * MIB + 0x2000, .words = 2};
	s = sync_signal(c.done);
	need(!submit_raw(&nv, c.id, &e, 1, &s, 1, NULL), "SUBMIT");
	check(sync_finish(&nv, c.done) == -ECANCELED &&
		  ch_query(&c).error == DRM_NVFIFO_ERROR_PUSHER && ch_query(&c).error_code == 6 &&
		  ch_query(&c).fault_reason == NVFIFO_FAULT_PAGE_SUPERVISOR_ONLY,
	      "no pushbuffer in the supervisor's pages");
}

/* The card must read back its own writes through such pages. */
static void t_attributes(void)
{
	struct drm_nvfifo_vm_bind_op op;
	struct bo s, v;
	uint32_t n;
	char *text;

	world();
	n = debug_last_vm();
	s = sys_bo(&nv, 64 * KIB);
	v = vram_bo(&nv, 64 * KIB);
	if (nv.dev.features & DRM_NVFIFO_FEATURE_ENCRYPTION) {
		need(!bind1(op_part(&s, BASE, 0, 64 * KIB, DRM_NVFIFO_VM_BIND_ENCRYPTED, 0)),
		     "map");
		check(card_writes(&ch, BASE + 0x3000, 0x5ec2e7) &&
			  card_reads(&ch, BASE + 0x3000, 0x5ec2e7),
		      "an encrypted page");
		text = debug_text("nvfifo_vm/%u/mappings", n);
		check(strstr(text, "encrypted"), "is listed as such");
		free(text);
	}

	if (nv.dev.features & DRM_NVFIFO_FEATURE_LONG_CYCLE) {
		need(!bind1(op_part(&v, BASE + GIB, 0, 64 * KIB, DRM_NVFIFO_VM_BIND_LONG_CYCLE, 0)),
		     "map");
		check(card_writes(&ch, BASE + GIB + 0x3000, 0x10) &&
			  card_reads(&ch, BASE + GIB + 0x3000, 0x10),
		      "a page with long cycles");
		text = debug_text("nvfifo_vm/%u/mappings", n);
		check(strstr(text, "long-cycle"), "is listed as such");
		free(text);
	}

	op = op_part(&v, BASE + 2 * GIB, 0, 64 * KIB, 0, 0);
	op.kind = 0x70;
	need(!bind1(op), "map");
	check(card_writes(&ch, BASE + 2 * GIB + 0x4000, 0x70) &&
		  card_reads(&ch, BASE + 2 * GIB + 0x4000, 0x70),
	      "a page with a kind");
	text = debug_text("nvfifo_vm/%u/mappings", n);
	check(strstr(text, "kind 70"), "is listed as such");
	free(text);
}

/* --- Compression
 * ---------------------------------------------------------------------------------- */

static uint32_t tags_free(void)
{
	struct drm_nvfifo_query_device d;

	need(!query(nv.fd, DRM_NVFIFO_QUERY_DEVICE, &d, sizeof(d)), "DEVICE_QUERY");
	return d.tags_free;
}

static uint32_t tags_of(const struct bo *bo)
{
	struct drm_nvfifo_bo_info info;

	need(!bo_info(&nv, bo->handle, &info), "BO_INFO");
	return info.tags;
}

static void comp_single(struct bo a, uint32_t total)
{
	struct drm_nvfifo_vm_bind_op op;

	equal(bind_comp(&a, BASE, DRM_NVFIFO_COMPRESSION_SINGLE), 0, "single compression");
	equal(total - tags_free(), 4, "takes a cell for each 64 KiB");
	equal(tags_of(&a), 4, "BO_INFO says so");
	check(card_writes(&ch, BASE + 0x12344, 0xc0) && card_reads(&ch, BASE + 0x12344, 0xc0) &&
		  card_writes(&ch, BASE + 0x32344, 0xc3),
	      "its pages work");
	refused(bind_comp(&a, BASE + GIB, DRM_NVFIFO_COMPRESSION_DOUBLE), EBUSY,
		"the other mode for the same BO");
	op = op_part(&a, BASE + GIB, 128 * KIB, 64 * KIB, 0, 16);
	op.compression = DRM_NVFIFO_COMPRESSION_SINGLE;
	equal(bind1(op), 0, "a second mapping of a part");
	equal(total - tags_free(), 4, "shares the cells");
	check(card_writes(&ch, BASE + GIB + 0x4, 0xc1) &&
		  card_reads(&ch, BASE + 128 * KIB + 0x4, 0xc1),
	      "and the memory");
}

static void comp_region(struct bo a, struct bo s, uint32_t total)
{
	struct drm_nvfifo_vm_bind_op op;

	refused(vm_map_at(&nv, vm, &s, BASE + 64 * MIB, 0, 12), EBUSY, "4 KiB pages in its region");
	refused(vm_map_at(&nv, vm, &s, BASE + 64 * MIB, 0, 0), EBUSY,
		"system memory in its region");
	op = op_part(&a, BASE + 64 * MIB + PAGE, 0, 64 * KIB, 0, 0);
	refused(bind1(op), EBUSY, "VRAM at an address of 4 KiB");
	if (nv.dev.page_sizes & 1 << 14)
		refused(bind1(op_part(&a, BASE + 64 * MIB, 0, 64 * KIB, 0, 14)), EBUSY,
			"16 KiB pages in its region");

	refused(vm_unmap(&nv, vm, BASE, PAGE), EBUSY, "an unmap that cuts a page");
	refused(vm_unmap(&nv, vm, BASE - PAGE, 64 * KIB), EBUSY, "an unmap that ends in a page");
	check(card_reads(&ch, BASE + 0x12344, 0xc0), "nothing has changed");
	equal(vm_map_at(&nv, vm, &a, BASE + 64 * MIB, 0, 16), 0,
	      "uncompressed large pages beside it");
	equal(vm_unmap(&nv, vm, BASE + 64 * KIB, 64 * KIB), 0, "an unmap of a whole page");
	check(card_reads(&ch, BASE + 0x32344, 0xc3), "leaves the others");
	equal(tags_of(&a), 4, "and the cells");
	equal(vm_unmap(&nv, vm, BASE, MIB), 0, "unmap of the rest");
	equal(tags_of(&a), 4, "the other mapping keeps them");
	equal(vm_unmap(&nv, vm, BASE + GIB, MIB), 0, "unmap of that too");
	equal(tags_of(&a), 0, "they are gone");
	equal(tags_free(), total, "and free");
	equal(vm_map_at(&nv, vm, &s, BASE + GIB, 0, 12), 0, "4 KiB pages there");
	refused(bind_comp(&a, BASE + GIB + 64 * MIB, DRM_NVFIFO_COMPRESSION_SINGLE), EBUSY,
		"no compression in that region now");
	equal(tags_free(), total, "a refused call takes no cells");
	equal(bind_comp(&a, BASE + 2 * GIB, DRM_NVFIFO_COMPRESSION_DOUBLE), 0,
	      "the other mode after that");
	equal(total - tags_free(), 8, "takes two for each 64 KiB");
	check(card_writes(&ch, BASE + 2 * GIB + 0x22220, 0xc4) &&
		  card_reads(&ch, BASE + 2 * GIB + 0x22220, 0xc4),
	      "its pages work");
}

static void comp_of_space(void)
{
	struct drm_nvfifo_vm_bind_op op;
	struct bo b;

	/* The address space goes, and the BO before its mapping. */
	{
		uint32_t other = new_vm(&nv), had = tags_free();

		b = vram_bo(&nv, 64 * KIB);
		op = op_map(&b, BASE);
		op.compression = DRM_NVFIFO_COMPRESSION_SINGLE;
		need(!vm_bind(&nv, other, &op, 1), "VM_BIND");
		equal(had - tags_free(), 1, "one cell");
		bo_close(&nv, b.handle);
		equal(had - tags_free(), 1, "the mapping keeps it when the BO is closed");
		vm_destroy(&nv, other);
		equal(tags_free(), had, "it goes with the address space");
	}
}

static void comp_all_tags(uint32_t total)
{
	struct drm_nvfifo_vm_bind_op op;
	struct bo b;
	uint32_t n;
	int ret = 0;

	/* All of them. */
	n = 0;
	b = vram_bo(&nv, 1 * MIB);

	do {
		op = op_map(&b, BASE + 4 * GIB + n * 2 * MIB);
		op.compression = DRM_NVFIFO_COMPRESSION_DOUBLE;
		ret = bind1(op);
		if (ret)
			break;
		n++;
		bo_close(&nv, b.handle);
		if (bo_create(&nv, &b, DRM_NVFIFO_DOMAIN_VRAM, 1 * MIB))
			break;
	} while (n < 64);
	if (!ret) {
		skip("all tags # SKIP the card has more than its VRAM needs");
	} else {
		uint32_t left = tags_free();

		refused(ret, ENOSPC, "no tags left");
		check(left < 32, "fewer are left than it needs");
		equal(tags_of(&b), 0, "the BO has none");
		equal(vm_map_at(&nv, vm, &b, BASE + 4 * GIB + n * 2 * MIB, 0, 16), 0,
		      "it can be mapped without");
		check(card_writes(&ch, BASE + 4 * GIB + n * 2 * MIB, 1) && ch_works(&ch),
		      "and used");
		equal(vm_unmap(&nv, vm, BASE + 4 * GIB, MIB), 0, "unmap of a compressed one");
		equal(tags_free(), left + 32, "its cells are free");
		op = op_part(&b, BASE + 4 * GIB + n * 2 * MIB, 0, MIB, DRM_NVFIFO_VM_BIND_REPLACE,
			     16);
		op.compression = DRM_NVFIFO_COMPRESSION_DOUBLE;
		equal(bind1(op), 0, "compressed in the place of the uncompressed mapping");
		equal(tags_free(), left, "with these cells");
		check(card_writes(&ch, BASE + 4 * GIB + n * 2 * MIB + 0x54320, 2) &&
			  card_reads(&ch, BASE + 4 * GIB + n * 2 * MIB + 0x54320, 2),
		      "it works");
	}

	equal(vm_unmap(&nv, vm, BASE, 100 * GIB), 0, "unmap of all");
	equal(tags_free(), total, "all cells are free");
}

static void comp_pieces(struct bo big, uint32_t total)
{
	struct drm_nvfifo_vm_bind_op op;
	uint32_t i;

	for (i = 0; i < 8; i++) {
		struct bo c = vram_bo(&nv, 64 * KIB);

		op = op_map(&c, BASE + i * MIB);
		op.compression = DRM_NVFIFO_COMPRESSION_SINGLE;
		need(!bind1(op), "VM_BIND");
		bo_close(&nv, c.handle);
	}

	for (i = 0; i < 8; i += 2)
		need(!vm_unmap(&nv, vm, BASE + i * MIB, MIB), "unmap");

	equal(total - tags_free(), 4, "every second cell is free");
	equal(bind_comp(&big, BASE + 100 * MIB, DRM_NVFIFO_COMPRESSION_DOUBLE), 0, "two more");
	check(card_writes(&ch, BASE + 100 * MIB, 3) && card_reads(&ch, BASE + 100 * MIB, 3),
	      "work");
}

static void comp_of_object(struct bo big, uint32_t total)
{
	struct drm_nvfifo_object_create o = {
	    .channel_id = ch.id,
	    .handle = 0x99,
	    .oclass = NVFIFO_CLASS_DMA_RW,
	    .access = DRM_NVFIFO_ACCESS_RW,
	    .flags = DRM_NVFIFO_OBJECT_UNPAGED,
	    .size = big.size,
	    .bo_handle = big.handle,
	    .user = DRM_NVFIFO_USER_BOTH,
	    .compression = DRM_NVFIFO_COMPRESSION_SINGLE,
	};

	equal(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o), 0,
	      "a compressed object");
	equal(total - tags_free(), 1, "takes a cell");
	p_release(&ch, 0x99, 0x100, 0x99);
	p_acquire(&ch, 0x99, 0x100, 0x99);
	equal((uint32_t)ch_run(&ch), 1, "it works");
	refused(bind_comp(&big, BASE, DRM_NVFIFO_COMPRESSION_DOUBLE), EBUSY,
		"a mapping in the other mode");
	equal(bind_comp(&big, BASE, DRM_NVFIFO_COMPRESSION_SINGLE), 0, "in the same mode");
	equal(total - tags_free(), 1, "shares it");
	vm_unmap(&nv, vm, BASE, GIB);
	equal(total - tags_free(), 1, "the object keeps it");
	chan_free(&ch);
	equal(tags_free(), total, "until the channel goes");
}

/* Whichever cells the card takes for the second page, they belong to the buffer. */
static void comp_of_double_object(uint32_t total)
{
	struct drm_nvfifo_bo_create b = {
	    .size = 128 * KIB,
	    .domain = DRM_NVFIFO_DOMAIN_VRAM,
	    .flags = DRM_NVFIFO_BO_CONTIGUOUS,
	};
	struct drm_nvfifo_object_create o = {
	    .oclass = NVFIFO_CLASS_DMA_RW,
	    .access = DRM_NVFIFO_ACCESS_RW,
	    .flags = DRM_NVFIFO_OBJECT_UNPAGED,
	    .size = 64 * KIB,
	    .user = DRM_NVFIFO_USER_BOTH,
	    .compression = DRM_NVFIFO_COMPRESSION_DOUBLE,
	};
	struct ch own = ch_new(&nv, vm);
	uint32_t i;

	need(!nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_BO_CREATE, &b), "BO_CREATE");
	o.channel_id = own.id;
	o.bo_handle = b.handle;

	for (i = 0; i < 2; i++) {
		o.handle = 0x9a + i;
		o.start = i * o.size;
		equal(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o), 0,
		      "an object with double compression");
		p_release(&own, o.handle, 0x100, 0x9a);
		p_acquire(&own, o.handle, 0x100, 0x9a);
	}

	equal(total - tags_free(), 4, "they hold two cells for each page");
	equal((uint32_t)ch_run(&own), 1, "they work");
	chan_free(&own);
	equal(tags_free(), total, "the cells are free");
	bo_close(&nv, b.handle);
}

static void t_compression(void)
{
	struct bo a, s, big;
	uint32_t total;

	world();
	total = tags_free();
	a = vram_bo(&nv, 256 * KIB);
	s = sys_bo(&nv, 64 * KIB);
	if (!(nv.dev.features & DRM_NVFIFO_FEATURE_COMPRESSION)) {
		equal(total, 0, "no tag memory");
		refused(bind_comp(&a, BASE, DRM_NVFIFO_COMPRESSION_SINGLE), EINVAL, "compression");
		refused(bind_comp(&a, BASE, DRM_NVFIFO_COMPRESSION_DOUBLE), EINVAL,
			"double compression");
		equal(vm_map_at(&nv, vm, &a, BASE, 0, 16), 0, "the same without");
		return;
	}

	equal(total, nv.dev.tags, "all tags are free");

	comp_single(a, total);
	comp_region(a, s, total);
	comp_of_space();
	comp_all_tags(total);

	/* Free every second buffer, so that the free cells are not contiguous. */
	big = vram_bo(&nv, 64 * KIB);
	comp_pieces(big, total);

	/* DMA objects hold them too. */
	need(!vm_unmap(&nv, vm, BASE, GIB), "unmap");
	comp_of_object(big, total);
	comp_of_double_object(total);
}

/* --- Scale
 * ---------------------------------------------------------------------------------------- */

#define MANY_CALLS 25
#define MANY_OPS   4096

static void t_many_mappings(void)
{
	struct drm_nvfifo_vm_bind_op *ops;
	uint64_t free_before;
	uint32_t call, i, n;
	int64_t start, took;
	bool ok = true;
	struct bo bo;

	world();
	if (nv.dev.chipset != 0x84 || getenv("NVFIFO_SHORT")) {
		skip("100,000 mappings # SKIP run on G84, not with NVFIFO_SHORT");
		return;
	}

	need(nv.lim.bind_ops >= MANY_OPS, "VM_BIND takes 4096 operations");

	bo = sys_bo(&nv, 1 * MIB);

	for (i = 0; i < 256; i++)
		bo.map[i * 1024] = 0x1000000 + i;

	ops = calloc(MANY_OPS, sizeof(*ops));
	need(ops, "calloc");

	free_before = vram_free(&nv);
	start = now_ns();

	/* Every second page, so that each stays on its own. */
	for (call = 0; call < MANY_CALLS && ok; call++) {
		for (i = 0; i < MANY_OPS; i++) {
			n = call * MANY_OPS + i;
			ops[i] = op_part(&bo, BASE + n * 2 * PAGE, n * 13 % 256 * PAGE, PAGE, 0, 0);
		}

		ok = !vm_bind(&nv, vm, ops, MANY_OPS);
	}

	took = now_ns() - start;
	check(ok, "%u mappings in %u calls", MANY_CALLS * MANY_OPS, call);

	diag("%lld ms", (long long)took / 1000000);

	for (i = 0; i < 60 && ok; i++) {
		n = i * 7919 * 211 % (MANY_CALLS * MANY_OPS);
		ok = card_reads(&ch, BASE + n * 2 * PAGE, 0x1000000 + n * 13 % 256);
	}

	check(ok, "the card finds their pages");
	check(is_absent(fault_at(&nv, vm, BASE + 77777 * 2 * PAGE + PAGE, true)),
	      "and none between them");
	start = now_ns();
	equal(vm_unmap(&nv, vm, BASE, 2 * GIB), 0, "unmap of all of them");
	diag("%lld ms", (long long)(now_ns() - start) / 1000000);
	check(is_absent(fault_at(&nv, vm, BASE + 77777 * 2 * PAGE, true)), "they are gone");

	/* With the address space there, a few empty tables may stay. */
	check(free_before - vram_free(&nv) <= 5 * MIB, "so are most of their tables");
	free(ops);
}

static void t_large(void)
{
	struct drm_nvfifo_vm_bind_op ops[64];
	uint32_t i, flushes;
	int64_t start;
	bool ok = true;
	struct bo bo;

	world();
	if ((nv.dev.chipset != 0x84 && nv.dev.chipset != 0xa3) || getenv("NVFIFO_SHORT")) {
		skip("1 GiB of 4 KiB pages # SKIP run on G84 and GT215, not with NVFIFO_SHORT");
		return;
	}

	bo = sys_bo(&nv, 16 * MIB);

	for (i = 0; i < 4096; i += 5)
		bo.map[i * 1024] = 0x2000000 + i;

	for (i = 0; i < 64; i++)
		ops[i] = op_part(&bo, BASE + 64 * KIB + i * 16 * MIB, 0, 16 * MIB, 0, 12);

	flushes = stat_of(tlb_flushes);
	start = now_ns();
	equal(vm_bind(&nv, vm, ops, 64), 0, "1 GiB of 4 KiB pages in one call");

	diag("%lld ms", (long long)(now_ns() - start) / 1000000);
	flushes = stat_of(tlb_flushes) - flushes;

	for (i = 0; i < 50 && ok; i++)
		ok = card_reads(&ch, BASE + 64 * KIB + (i * 331 % 64) * 16 * MIB + i * 80 * PAGE,
				0x2000000 + i * 80);

	check(ok, "the card finds them");
	check(!ctl_present() || flushes == 1, "after one flush");
	equal(vm_unmap(&nv, vm, BASE + 64 * KIB + 300 * MIB + PAGE, 400 * MIB), 0,
	      "400 MiB go from the middle");
	check(card_reads(&ch, BASE + 64 * KIB + 300 * MIB - 12 * MIB + 80 * PAGE, 0x2000000 + 80),
	      "the mapping before it stays");
	check(is_absent(fault_at(&nv, vm, BASE + 64 * KIB + 500 * MIB, true)), "they are gone");
	equal(vm_unmap(&nv, vm, BASE, 2 * GIB), 0, "the rest goes");
}

/* --- Asynchronous
 * ---------------------------------------------------------------------------------- */

/* A fence that the test signals: its channel waits for a word. */
struct hold {
	struct nv *nv;
	struct ch ch;
	struct bo bo;
	uint32_t sync;
};

static struct hold hold_new(struct nv *n)
{
	struct hold h = {.nv = n};

	h.ch = ch_new(n, new_vm(n));
	h.bo = sys_bo(n, PAGE);
	new_object(&h.ch, SEM, map(n, h.ch.vm, &h.bo), PAGE);
	h.ch.nv = n;
	p_acquire(&h.ch, SEM, 0, 1);
	h.sync = h.ch.done;
	need(!ch_submit(&h.ch), "SUBMIT");

	return h;
}

static void hold_release(struct hold *h)
{
	*(volatile uint32_t *)h->bo.map = 1;
}

static bool still_waits(uint32_t sync)
{
	msleep(HOLD_MS);
	return sync_status(&nv, sync) == 0;
}

static void t_async(void)
{
	struct hold h;
	uint32_t done, s2, other;
	struct ch c;
	struct bo a;

	world();

	/* Calls of this address space wait in here, so its channels are made before. */
	c = ch_new(&nv, vm);
	new_object(&c, PROBE, BASE, 256 * KIB);
	other = new_vm(&nv);
	a = sys_bo(&nv, 256 * KIB);
	a.map[0] = 0xa5;
	done = sync_new(&nv);
	s2 = sync_new(&nv);
	equal(vm_bind_when(&nv, vm, op_map(&a, BASE), 0, done), 0, "asynchronous map");
	equal((uint32_t)sync_finish(&nv, done), 1, "its fence signals");
	check(card_reads(&ch, BASE, 0xa5), "the card sees it");
	equal(vm_bind_async(&nv, vm, NULL, 0, NULL, 0), 0, "asynchronous call of nothing");
	equal(vm_bind_when(&nv, vm, op_unmap(BASE, a.size), 0, 0), 0,
	      "asynchronous unmap, no fence");
	equal(vm_bind(&nv, vm, NULL, 0), 0, "a call of nothing waits for it");
	check(is_absent(fault_at(&nv, vm, BASE, true)), "it is gone");

	h = hold_new(&nv);
	equal(vm_bind_when(&nv, vm, op_map(&a, BASE), h.sync, done), 0,
	      "map that waits for a fence");
	check(still_waits(done), "it waits");
	check(is_absent(fault_at(&nv, other, BASE, false)), "other address spaces work");

	/* Work that waits for the map. */
	p_release(&c, PROBE, 0x1004, 0x600d);
	equal(ch_submit_sync(&c, done, s2), 0, "SUBMIT that waits for the map");
	check(still_waits(s2), "it waits too");
	hold_release(&h);
	equal((uint32_t)sync_finish(&nv, done), 1, "the map takes effect");
	equal((uint32_t)sync_finish(&nv, s2), 1, "and the work runs");
	equal(a.map[0x401], 0x600d, "in the old mapping");

	/* The other way round: unmap when the work is done. */
	h = hold_new(&nv);
	p_release(&c, PROBE, 0x1008, 0x600e);
	equal(ch_submit_sync(&c, h.sync, s2), 0, "SUBMIT that waits for a fence");
	equal(vm_bind_when(&nv, vm, op_unmap(BASE, a.size), s2, done), 0,
	      "unmap that waits for it");
	check(still_waits(done), "it waits");
	check(card_reads(&ch, BASE, 0xa5), "the mapping is there before the unmap");
	hold_release(&h);
	equal((uint32_t)sync_finish(&nv, done), 1, "it takes effect");
	equal(a.map[0x402], 0x600e, "after the work");
	check(is_absent(fault_at(&nv, vm, BASE, true)), "the mapping is gone");
	check(ch_works(&ch), "the channel works");
}

/* Calls for one address space take effect in order, in any order of their fences. */
static void t_async_order(void)
{
	uint32_t done[8], i, other;
	struct bo a, b, s;
	struct hold h;
	bool none = true;

	world();
	a = sys_bo(&nv, 256 * KIB);
	b = sys_bo(&nv, 256 * KIB);
	s = vram_bo(&nv, 256 * KIB);

	for (i = 0; i < 64; i++) {
		a.map[i * 1024] = 0xaa00 + i;
		b.map[i * 1024] = 0xbb00 + i;
	}

	for (i = 0; i < 8; i++)
		done[i] = sync_new(&nv);

	h = hold_new(&nv);
	equal(vm_bind_when(&nv, vm, op_map(&a, BASE), h.sync, done[0]), 0, "a map that waits");
	refused(vm_bind_when(&nv, vm, op_map(&b, BASE), 0, done[7]), EEXIST,
		"a map over one that waits is refused at once");
	check(!sync_has_fence(&nv, done[7]), "without a fence");
	equal(
	    vm_bind_when(&nv, vm,
			 op_part(&b, BASE + 16 * PAGE, 0, 32 * PAGE, DRM_NVFIFO_VM_BIND_REPLACE, 0),
			 0, done[1]),
	    0, "a replacement after it");
	equal(vm_bind_when(&nv, vm, op_unmap(BASE + 32 * PAGE, 8 * PAGE), 0, done[2]), 0,
	      "an unmap of a part after that");
	equal(vm_bind_when(&nv, vm, op_part(&a, BASE + 34 * PAGE, 0, PAGE, 0, 0), 0, done[3]), 0,
	      "a map of the range that it frees");
	equal(vm_bind_when(&nv, vm, op_part(&s, BASE + GIB, 0, 256 * KIB, 0, 16), 0, done[4]), 0,
	      "large pages elsewhere");
	msleep(HOLD_MS);

	for (i = 0; i < 5; i++)
		none &= !sync_status(&nv, done[i]);

	check(none, "none of them takes effect before the first");
	other = new_vm(&nv);
	equal(vm_map_at(&nv, other, &a, BASE, 0, 0), 0, "another address space does not wait");
	hold_release(&h);
	equal((uint32_t)sync_finish(&nv, done[4]), 1, "the last one signals");

	for (i = 0; i < 5; i++)
		check(sync_status(&nv, done[i]) == 1, "so has number %u", i);

	check(card_reads(&ch, BASE + 15 * PAGE, 0xaa0f) &&
		  card_reads(&ch, BASE + 16 * PAGE, 0xbb00) &&
		  card_reads(&ch, BASE + 31 * PAGE, 0xbb0f) &&
		  card_reads(&ch, BASE + 34 * PAGE, 0xaa00) &&
		  card_reads(&ch, BASE + 40 * PAGE, 0xbb18) &&
		  card_reads(&ch, BASE + 48 * PAGE, 0xaa30),
	      "the result is that of their order");
	check(is_absent(fault_at(&nv, vm, BASE + 33 * PAGE, true)), "the unmapped page is gone");
	check(card_writes(&ch, BASE + GIB + 0x20000, 1), "the large pages work");
}

static void t_async_timeline(void)
{
	struct drm_nvfifo_sync s[2];
	struct drm_nvfifo_vm_bind_op op;
	uint32_t tl, out, i;
	struct hold h[3];
	struct bo a;
	bool ok = true;

	world();
	a = sys_bo(&nv, 64 * KIB);
	tl = sync_new(&nv);
	out = sync_new(&nv);

	for (i = 0; i < 3; i++) {
		struct drm_nvfifo_sync point = {
		    .flags = DRM_NVFIFO_SYNC_SIGNAL | DRM_NVFIFO_SYNC_TIMELINE,
		    .handle = tl,
		    .timeline_value = i + 1,
		};

		h[i] = hold_new(&nv);
		ok &= !submit_raw(&nv, h[i].ch.id, NULL, 0, &point, 1, NULL);
	}

	need(ok, "SUBMITs that signal points");

	for (i = 0; i < 3; i++) {
		s[0] = (struct drm_nvfifo_sync){
		    .flags = DRM_NVFIFO_SYNC_WAIT | DRM_NVFIFO_SYNC_TIMELINE,
		    .handle = tl,
		    .timeline_value = i + 1,
		};
		s[1] = (struct drm_nvfifo_sync){
		    .flags = DRM_NVFIFO_SYNC_SIGNAL | DRM_NVFIFO_SYNC_TIMELINE,
		    .handle = out,
		    .timeline_value = (i + 1) * 10,
		};
		op = op_part(&a, BASE + i * PAGE, i * PAGE, PAGE, 0, 0);
		ok &= !vm_bind_async(&nv, vm, &op, 1, s, 2);
	}

	check(ok, "binds that wait for points and signal points");
	s[0].timeline_value = 4;
	refused(vm_bind_async(&nv, vm, &op, 1, s, 1), EINVAL, "a point that is never reached");

	for (i = 0; i < 3; i++) {
		check(timeline_wait_ms(&nv, out, (i + 1) * 10, HOLD_MS) == -ETIME,
		      "point %u is not reached before its fence", (i + 1) * 10);
		hold_release(&h[i]);
		check(!timeline_wait_ms(&nv, out, (i + 1) * 10, WAIT_MS), "but after it");
		check(card_writes(&ch, BASE + i * PAGE, i) && a.map[i * 1024] == i,
		      "with the mapping there");
	}
}

/* Many at once, and a fence in each. */
static void t_async_many(void)
{
	uint32_t i, n = 300, tl;
	struct drm_nvfifo_vm_bind_op op;
	struct drm_nvfifo_sync s[2];
	struct hold h;
	struct bo a;
	bool ok = true;

	world();
	a = sys_bo(&nv, 64 * KIB);

	for (i = 0; i < 16; i++)
		a.map[i * 1024] = 0xe00 + i;

	tl = sync_new(&nv);
	h = hold_new(&nv);

	for (i = 0; i < n && ok; i++) {
		op = op_part(&a, BASE + i % 20 * PAGE, i % 16 * PAGE, PAGE,
			     DRM_NVFIFO_VM_BIND_REPLACE, 0);
		s[0] = (struct drm_nvfifo_sync){
		    .flags = DRM_NVFIFO_SYNC_SIGNAL | DRM_NVFIFO_SYNC_TIMELINE,
		    .handle = tl,
		    .timeline_value = i + 1,
		};
		s[1] = sync_wait_for(h.sync);
		ok = !vm_bind_async(&nv, vm, &op, 1, s, i % 7 ? 1 : 2);
	}

	check(ok, "%u asynchronous calls", n);
	check(timeline_wait_ms(&nv, tl, 1, HOLD_MS) == -ETIME, "wait for one fence");
	hold_release(&h);
	check(!timeline_wait_ms(&nv, tl, n, WAIT_MS), "and take effect");

	for (i = 0; i < 20; i++)
		ok &= card_reads(&ch, BASE + i * PAGE, 0xe00 + (280 + i) % 16);

	check(ok, "the last ones last");
}

struct waiter {
	struct hold *hold;
	pthread_t thread;
	pthread_t target;
	unsigned int ms;
	volatile bool over;	/* the target's call has returned */
};

static void *release_later(void *arg)
{
	struct waiter *w = arg;

	msleep(w->ms);
	hold_release(w->hold);
	return NULL;
}

static void *signal_later(void *arg)
{
	struct waiter *w = arg;

	while (!w->over) {
		msleep(w->ms);
		pthread_kill(w->target, SIGUSR1);
	}

	return NULL;
}

static void on_signal(int sig)
{
	(void)sig;
}

/* A synchronous call waits for earlier asynchronous ones. */
static void t_sync_after_async(void)
{
	struct drm_nvfifo_vm_bind_op op;
	struct drm_nvfifo_vm_bind b;
	struct sigaction act = {.sa_handler = on_signal}, old;
	struct waiter w;
	struct hold h;
	uint32_t done;
	struct bo a;
	int ret;

	world();
	a = sys_bo(&nv, 64 * KIB);
	a.map[0] = 0x51;
	done = sync_new(&nv);
	h = hold_new(&nv);
	need(!vm_bind_when(&nv, vm, op_map(&a, BASE), h.sync, done), "VM_BIND");
	w = (struct waiter){.hold = &h, .ms = 150};
	need(!pthread_create(&w.thread, NULL, release_later, &w), "pthread_create");
	equal(vm_map_at(&nv, vm, &a, BASE + MIB, 0, 0), 0, "a map after one that waits");
	equal(sync_status(&nv, done), 1, "comes after it");
	pthread_join(w.thread, NULL);
	check(card_reads(&ch, BASE, 0x51) && card_reads(&ch, BASE + MIB, 0x51), "both are there");

	/* An interrupted call must not change anything. */
	h = hold_new(&nv);
	need(!vm_bind_when(&nv, vm, op_unmap(BASE, PAGE), h.sync, done), "VM_BIND");
	sigaction(SIGUSR1, &act, &old);
	w = (struct waiter){.target = pthread_self(), .ms = 100};
	need(!pthread_create(&w.thread, NULL, signal_later, &w), "pthread_create");

	op = op_map(&a, BASE + 2 * MIB);
	b = (struct drm_nvfifo_vm_bind){.vm_id = vm, .ops = {sizeof(op), 1, (uintptr_t)&op}};
	ret = ioctl(nv.fd, DRM_IOCTL_NVFIFO_VM_BIND, &b);
	w.over = true;
	check(ret == -1 && errno == EINTR, "a signal ends the wait");
	pthread_join(w.thread, NULL);
	sigaction(SIGUSR1, &old, NULL);
	equal(sync_status(&nv, done), 0, "the one that it waited for still waits");
	hold_release(&h);
	equal((uint32_t)sync_finish(&nv, done), 1, "until its fence signals");
	check(is_absent(fault_at(&nv, vm, BASE + 2 * MIB, true)),
	      "the interrupted call has done nothing");
	equal(bind1(op), 0, "and can be made again");
}

/* Wait until 256 KiB more are free. */
static bool vram_grows(uint64_t free)
{
	int64_t start = now_ns();

	while (vram_free(&nv) - free < 256 * KIB && may_come(start))
		;

	return vram_free(&nv) - free >= 256 * KIB;
}

/* Close BOs while calls that map or unmap them wait. */
static void t_async_close(void)
{
	struct hold h;
	uint32_t done;
	uint64_t free;
	struct bo v, s;

	world();
	h = hold_new(&nv);
	done = sync_new(&nv);
	need(!vm_map_at(&nv, vm, &data, BASE + GIB, 0, 0), "map");

	free = vram_free(&nv);
	v = vram_bo(&nv, 256 * KIB);
	s = sys_bo(&nv, 64 * KIB);
	s.map[5] = 0x5;
	need(!vm_bind_when(&nv, vm, op_map(&v, BASE), h.sync, 0), "VM_BIND");
	need(!vm_bind_when(&nv, vm, op_map(&s, BASE + GIB + MIB), 0, done), "VM_BIND");
	equal(bo_close(&nv, v.handle), 0, "GEM_CLOSE of a BO that will be mapped");
	equal(bo_close(&nv, s.handle), 0, "and another");
	check(free - vram_free(&nv) >= 256 * KIB, "its memory stays");
	hold_release(&h);
	need(sync_finish(&nv, done) == 1, "fence");
	check(card_writes(&ch, BASE + 0x34560, 0x77) && card_reads(&ch, BASE + 0x34560, 0x77) &&
		  card_reads(&ch, BASE + GIB + MIB + 20, 5),
	      "they are mapped");

	h = hold_new(&nv);
	free = vram_free(&nv);
	need(!vm_bind_when(&nv, vm, op_unmap(BASE, 256 * KIB), h.sync, done), "VM_BIND");
	msleep(HOLD_MS);
	check(card_reads(&ch, BASE + 0x34560, 0x77), "a mapping that is to go");
	equal(vram_free(&nv), free, "keeps the memory");
	hold_release(&h);
	need(sync_finish(&nv, done) == 1, "fence");

	check(vram_grows(free), "until it is gone");

	/* An unmap waits, and the BO is closed meanwhile. */
	v = vram_bo(&nv, 256 * KIB);
	free = vram_free(&nv);
	need(!vm_map_at(&nv, vm, &v, BASE, 0, 16), "map");
	h = hold_new(&nv);
	need(!vm_bind_when(&nv, vm, op_unmap(BASE + 64 * KIB, 64 * KIB), h.sync, 0), "VM_BIND");
	need(!vm_bind_when(&nv, vm, op_unmap(BASE, 256 * KIB), 0, done), "VM_BIND");
	equal(bo_close(&nv, v.handle), 0, "GEM_CLOSE while its unmap waits");
	check(card_writes(&ch, BASE + 0x3fffc, 1), "it is mapped");
	hold_release(&h);
	need(sync_finish(&nv, done) == 1, "fence");

	check(vram_grows(free), "its memory goes when it is done");
	check(is_absent(fault_at(&nv, vm, BASE, true)), "the mapping too");
}

/* Another file with two calls that wait for this file's fence; the second one's fence. */
static int waiting_binds(struct nv *n, const struct hold *h, uint32_t *space)
{
	int fd = sync_export(&nv, h->sync), out;
	uint32_t wait, done;
	struct bo v;

	need(fd >= 0, "export of a sync file");

	nv_open(n);
	*space = new_vm(n);
	wait = sync_new(n);
	done = sync_new(n);
	need(!sync_import(n, wait, fd), "import of a sync file");
	close(fd);
	v = vram_bo(n, 256 * KIB);
	need(!vm_bind_when(n, *space, op_map(&v, BASE), wait, 0), "VM_BIND");
	need(!vm_bind_when(n, *space, op_unmap(BASE + PAGE, 64 * KIB), 0, done), "VM_BIND");
	out = sync_export(n, done);
	need(out >= 0, "export of a sync file");

	return out;
}

static bool vram_back(uint64_t want)
{
	vram_wait(&nv, want);

	if (vram_free(&nv) != want)
		diag("%llu bytes of VRAM are free, not %llu", (unsigned long long)vram_free(&nv),
		     (unsigned long long)want);

	return vram_free(&nv) == want;
}

/* Destroy address spaces and files while calls wait: their resources must be free at once. */
static void t_async_end(void)
{
	uint32_t space, i;
	uint64_t free;
	struct hold h;
	struct nv n;
	int fence;

	world();

	for (i = 0; i < 2; i++) {
		h = hold_new(&nv);
		free = vram_free(&nv);
		fence = waiting_binds(&n, &h, &space);
		if (i) {
			nv_close(&n);
		} else {
			equal(vm_destroy(&n, space), 0, "VM_DESTROY while calls wait");
			nv_close(&n);
		}

		check(sync_file_finish(fence) == -ECANCELED, "%s: fences end with ECANCELED",
		      i ? "close" : "VM_DESTROY");
		check(vram_back(free), "%s: all memory comes back", i ? "close" : "VM_DESTROY");
		equal(sync_status(&nv, h.sync), 0,
		      "the fence that they waited for is not disturbed");
		hold_release(&h);
		equal((uint32_t)sync_finish(&nv, h.sync), 1, "and ends");
		close(fence);
	}

	/* A channel keeps its address space, so calls that wait there are still carried out. */
	{
		uint32_t own = new_vm(&nv), done = sync_new(&nv);
		struct ch c = ch_new(&nv, own);

		h = hold_new(&nv);
		new_object(&c, PROBE, BASE, PAGE);
		need(!vm_bind_when(&nv, own, op_map(&data, BASE), h.sync, done), "VM_BIND");
		equal(vm_destroy(&nv, own), 0, "VM_DESTROY, but a channel is in there");
		check(still_waits(done), "waiting calls go on waiting");
		hold_release(&h);
		equal((uint32_t)sync_finish(&nv, done), 1, "and is done");
		p_release(&c, PROBE, 0x20, 0x7e11);
		check(ch_run(&c) == 1 && data.map[8] == 0x7e11, "the channel sees it");
	}

	check(ch_works(&ch), "the channel works");
}

/* Kill a process in which one thread's call waits for another waiting call. */
static void t_async_kill(void)
{
	uint64_t free;
	struct hold h;
	int status, p[2], fd;
	pid_t pid;
	char b;

	world();
	h = hold_new(&nv);
	free = vram_free(&nv);
	fd = sync_export(&nv, h.sync);
	need(fd >= 0 && !pipe(p), "pipe");
	pid = fork();
	need(pid >= 0, "fork");

	if (!pid) {
		uint32_t space, wait;
		struct nv n;
		struct bo v;

		tap_env_set = false;
		nv_open(&n);
		space = new_vm(&n);
		wait = sync_new(&n);
		v = vram_bo(&n, 256 * KIB);
		if (sync_import(&n, wait, fd) ||
		    vm_bind_when(&n, space, op_map(&v, BASE), wait, 0) || write(p[1], "x", 1) != 1)
			_exit(1);
		vm_unmap(&n, space, BASE, 64 * KIB);
		_exit(2);
	}

	close(fd);
	close(p[1]);
	need(read(p[0], &b, 1) == 1, "the child gets ready");
	close(p[0]);
	msleep(HOLD_MS);
	check(!waitpid(pid, &status, WNOHANG), "a process waits in VM_BIND");
	kill(pid, SIGKILL);
	check(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status), "it can be killed");
	check(vram_back(free), "all memory comes back");
	hold_release(&h);
	equal((uint32_t)sync_finish(&nv, h.sync), 1, "the fence that it waited for ends");
	check(ch_works(&ch), "the channel works");
}

static void *sync_bind(void *arg)
{
	(void)arg;
	return (void *)(intptr_t)vm_unmap(&nv, vm, BASE, PAGE);
}

/* Remove the card while calls wait. */
static void t_async_unbind(void)
{
	pthread_t thread;
	struct hold h;
	uint32_t done;
	struct ch c;
	struct nv n;
	struct bo v;
	int fence, ret;
	void *res;

	world();
	h = hold_new(&nv);
	done = sync_new(&nv);
	v = vram_bo(&nv, 256 * KIB);
	need(!vm_bind_when(&nv, vm, op_map(&v, BASE), h.sync, done), "VM_BIND");
	fence = sync_export(&nv, done);
	need(fence >= 0, "export of a sync file");
	need(!pthread_create(&thread, NULL, sync_bind, NULL), "pthread_create");
	msleep(HOLD_MS);
	equal(card_bind(false), 0, "unbind while a call waits, and another one for it");
	ret = sync_file_finish(fence);
	check(ret == -ENODEV, "the fence ends with ENODEV (%d)", ret);
	pthread_join(thread, &res);
	refused((int)(intptr_t)res, ENODEV, "the call that is not asynchronous");
	refused(vm_bind_when(&nv, vm, op_unmap(BASE, PAGE), 0, done), ENODEV, "a new one");
	equal(card_bind(true), 0, "bind");

	nv_close(&nv);
	close(fence);
	nv_open(&n);
	c = ch_new(&n, new_vm(&n));
	check(ch_works(&c), "a new file works");
}

/* Pages of 16 KiB, for those who ask for them. */
static void t_medium_pages(void)
{
	bool has_medium;
	struct bo v;
	int ret;

	world();
	has_medium = nvfifo_chipset_is_gt215(nv.dev.chipset);
	equal(!!(nv.dev.page_sizes & 1 << 14), has_medium, "offered on GT215 and later");
	v = vram_bo(&nv, 64 * KIB);
	ret = vm_map_at(&nv, vm, &v, BASE, 0, 14);
	if (has_medium)
		equal((uint32_t)ret, 0, "a page of 16 KiB");
	else
		refused(ret, EINVAL, "a page of 16 KiB before GT215");
	nv_close(&nv);
}

static const struct test tests[] = {
    TEST(t_medium_pages),   TEST(t_partial),	    TEST(t_page_choice),  TEST(t_ends),
    TEST(t_replace),	    TEST(t_replace_beside), TEST(t_flushes),
    TEST(t_flush_for_channel),
    TEST(t_protection),	    TEST(t_attributes),	  TEST(t_compression),
    TEST(t_atomic),	    TEST_ONCE(t_random),	  TEST(t_many_mappings),
    TEST(t_large),	    TEST(t_async),	  TEST(t_async_order),
    TEST(t_async_timeline), TEST(t_async_many),	  TEST(t_sync_after_async),
    TEST(t_async_close),    TEST(t_async_end),	  TEST(t_async_kill),
    TEST(t_async_unbind),
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
