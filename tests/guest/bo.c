// SPDX-License-Identifier: MIT
/*
 * Buffers: memory types and sizes, allocation of VRAM, labels, sharing by dma-buf, unpaged DMA
 * objects that point to them. Also their lines in debugfs and fdinfo.
 *
 * Guards memory; BO_CREATE, VRAM and shared buffers (uapi.rst), on each generation.
 */
#include "nvfifo_text.h"
#include "raw.h"

#include <ctype.h>

static struct nv nv;
static uint32_t vm;
static struct ch ch;

#define SEM  0x1234
#define PAGE 4096ull
#define SEEN_SEM	0x5ee
#define BASE (32 * GIB)

static void world(void)
{
	nv_open(&nv);
	vm = new_vm(&nv);
	ch = ch_new(&nv, vm);
}

static struct bo bo_flags(uint32_t domain, uint32_t flags, uint64_t size)
{
	struct bo bo;
	int ret = bo_create_flags(&nv, &bo, domain, flags, size);

	need(!ret, "BO_CREATE: %s", strerror(-ret));
	return bo;
}

static struct drm_nvfifo_bo_info info_of(const struct bo *bo)
{
	struct drm_nvfifo_bo_info info;

	need(!bo_info(&nv, bo->handle, &info), "BO_INFO");
	return info;
}

static int map_part(const struct bo *bo, uint64_t va, uint64_t offset, uint64_t range,
		    uint32_t flags, uint32_t shift)
{
	struct drm_nvfifo_vm_bind_op op = op_map(bo, va);

	op.bo_offset = offset;
	op.range = range;
	op.flags = flags;
	op.page_shift = shift;
	return vm_bind(&nv, vm, &op, 1);
}

/* --- Words, for the card ------------------------------------------------------------------ */

static void access_word(uint64_t va, uint32_t value, bool write)
{
	object_destroy(&nv, ch.id, SEM);
	new_object(&ch, SEM, va & ~(PAGE - 1), PAGE);
	if (write)
		p_release(&ch, SEM, va % PAGE, value);
	else
		p_acquire(&ch, SEM, va % PAGE, value);
}

static bool card_writes(uint64_t va, uint32_t value)
{
	access_word(va, value, true);
	return ch_run(&ch) == 1;
}

static bool card_reads(uint64_t va, uint32_t value)
{
	int ret;

	access_word(va, value, false);
	ret = ch_run(&ch);
	if (ret != 1)
		diag("0x%llx does not hold 0x%x: %d", (unsigned long long)va, value, ret);
	return ret == 1;
}

/* --- Flags and sizes ------------------------------------------------------------------------- */

static void t_flags(void)
{
	struct drm_nvfifo_bo_info info;
	struct bo c, w, v, o;

	world();
	c = bo_flags(DRM_NVFIFO_DOMAIN_SYSTEM, 0, 3 * PAGE);
	w = bo_flags(DRM_NVFIFO_DOMAIN_SYSTEM, DRM_NVFIFO_BO_WC, 5 * PAGE);
	v = bo_flags(DRM_NVFIFO_DOMAIN_VRAM, 0, 3 * PAGE);
	o = bo_flags(DRM_NVFIFO_DOMAIN_VRAM, DRM_NVFIFO_BO_CONTIGUOUS, 192 * KIB);
	info = info_of(&c);
	check(info.domain == DRM_NVFIFO_DOMAIN_SYSTEM && info.size == 3 * PAGE && !info.flags &&
		  info.page_shift == 12 && !info.tags && !info.pad && info.mmap_offset == c.offset,
	      "BO_INFO of cached memory");
	info = info_of(&w);
	check(info.domain == DRM_NVFIFO_DOMAIN_SYSTEM && info.size == 5 * PAGE &&
		  info.flags == DRM_NVFIFO_BO_WC && info.page_shift == 12,
	      "of write-combined memory");
	info = info_of(&v);
	check(info.domain == DRM_NVFIFO_DOMAIN_VRAM && info.size == 64 * KIB &&
		  info.flags == (DRM_NVFIFO_BO_WC | DRM_NVFIFO_BO_CONTIGUOUS) &&
		  info.page_shift == 16 && !info.tags,
	      "of VRAM, which is in one piece where it can be");
	info = info_of(&o);
	check(info.size == 192 * KIB && info.flags == (DRM_NVFIFO_BO_WC | DRM_NVFIFO_BO_CONTIGUOUS),
	      "of VRAM in one piece");
	check(c.offset && w.offset && v.offset && o.offset && c.offset != w.offset &&
		  v.offset != o.offset && c.offset != v.offset,
	      "each has its own mmap offset");
	check(!(c.offset % PAGE) && !(w.offset % PAGE), "of whole pages");

	/* The CPU maps system memory cached or write-combined. */
	bo_mmap(&nv, &c);
	bo_mmap(&nv, &w);
	need(!vm_map_at(&nv, vm, &c, BASE, 0, 0) && !vm_map_at(&nv, vm, &w, BASE + MIB, 0, 0) &&
		 !vm_map_at(&nv, vm, &w, BASE + 2 * MIB, DRM_NVFIFO_VM_BIND_NOSNOOP, 0),
	     "map");
	c.map[1024] = 0xc0;
	w.map[1024] = 0xc1;
	check(card_reads(BASE + PAGE, 0xc0), "the card reads cached memory");
	check(card_reads(BASE + MIB + PAGE, 0xc1) && card_reads(BASE + 2 * MIB + PAGE, 0xc1),
	      "and write-combined memory, snooped and not");
	check(card_writes(BASE + 4, 0xc2) && c.map[1] == 0xc2, "it writes cached memory");
	check(card_writes(BASE + MIB + 4, 0xc3) && w.map[1] == 0xc3 &&
		  card_writes(BASE + 2 * MIB + 8, 0xc4) && w.map[2] == 0xc4,
	      "and write-combined memory");
	memset(w.map, 0x5a, w.size);
	check(w.map[0] == 0x5a5a5a5a && w.map[5 * 1024 - 1] == 0x5a5a5a5a,
	      "so does the CPU, to the end");
}

/* --- Labels ---------------------------------------------------------------------------------- */

/* The line of a buffer with this label in debugfs's dump; NULL if there is none. */
static char *line_of(const char *label)
{
	char *text = debug_text("nvfifo_dump"), *line, *save, *found = NULL;
	size_t n = strlen(label);

	for (line = strtok_r(text, "\n", &save); line && !found; line = strtok_r(NULL, "\n", &save))
		if (!strncmp(line, "bo ", 3) && strlen(line) > n &&
		    line[strlen(line) - n - 1] == ' ' && !strcmp(line + strlen(line) - n, label))
			found = strdup(line);

	free(text);
	return found;
}

static bool is_label(const char *label)
{
	char *line = line_of(label);

	free(line);
	return line != NULL;
}

static bool is_listed(const char *label, const char *domain, uint64_t size, const char *flags,
		      uint32_t tags)
{
	char *line = line_of(label), d[16] = "", f[16] = "";
	unsigned long long bytes = 0;
	unsigned int cells = 0;
	bool ok;

	ok = line && sscanf(line, "bo %15s %llu flags %15s tags %u", d, &bytes, f, &cells) == 4 &&
	     !strcmp(d, domain) && bytes == size && !strcmp(f, flags) && cells == tags;
	if (!ok)
		diag("listed as: %s", line ? line : "nothing");

	free(line);

	return ok;
}

static void t_labels(void)
{
	struct bo c, w, v, other;
	char longest[512], *text;
	uint32_t space;
	struct nv n;
	int fd;

	world();
	space = debug_last_vm();
	c = bo_flags(DRM_NVFIFO_DOMAIN_SYSTEM, 0, 3 * PAGE);
	w = bo_flags(DRM_NVFIFO_DOMAIN_SYSTEM, DRM_NVFIFO_BO_WC, PAGE);
	v = bo_flags(DRM_NVFIFO_DOMAIN_VRAM, 0, 256 * KIB);
	check(!bo_label(&nv, c.handle, "cached one") && !bo_label(&nv, w.handle, "combined") &&
		  !bo_label(&nv, v.handle, "texture (3)"),
	      "BO_LABEL");
	check(is_listed("cached one", "system", 3 * PAGE, "-", 0), "a cached BO is listed");
	check(is_listed("combined", "system", PAGE, "w", 0), "a write-combined one");
	check(is_listed("texture (3)", "vram", 256 * KIB, "wc", 0), "one of VRAM");
	need(!vm_map_at(&nv, vm, &v, BASE, 0, 0), "map");
	text = debug_text("nvfifo_vm/%u/mappings", space);
	check(strstr(text, " texture (3)\n"), "its mapping has the label");
	free(text);
	check(!bo_label(&nv, v.handle, "new"), "another label");
	check(is_listed("new", "vram", 256 * KIB, "wc", 0) && !is_label("texture (3)"),
	      "takes the place of the first");

	/* The label belongs to the BO, so all files see it. */
	fd = prime_export(&nv, c.handle);
	need(fd >= 0, "export");
	nv_open(&n);
	need(!prime_import(&n, fd, &other.handle), "import");
	close(fd);
	check(!bo_label(&n, other.handle, "shared"), "another file that has the BO labels it");
	check(is_listed("shared", "system", 3 * PAGE, "-", 0) && !is_label("cached one"),
	      "it is the same label");
	bo_close(&nv, c.handle);
	check(is_listed("shared", "system", 3 * PAGE, "-", 0), "it stays with the other file");
	nv_close(&n);
	check(!is_label("shared"), "and goes with the BO");

	memset(longest, 'L', sizeof(longest));
	need(nv.lim.label_size < sizeof(longest), "a label is short");
	longest[nv.lim.label_size] = '\0';
	check(!bo_label(&nv, w.handle, longest) && is_listed(longest, "system", PAGE, "w", 0),
	      "the longest label is shown as it is");
	check(!bo_label(&nv, w.handle, "short") && is_listed("short", "system", PAGE, "w", 0),
	      "a shorter one leaves nothing of it");
	check(!bo_label(&nv, w.handle, "") && !is_label("short"), "a label is taken away");
	if (nv.dev.features & DRM_NVFIFO_FEATURE_COMPRESSION) {
		struct drm_nvfifo_vm_bind_op op = op_map(&v, BASE + GIB);

		op.compression = DRM_NVFIFO_COMPRESSION_DOUBLE;
		need(!vm_bind(&nv, vm, &op, 1), "VM_BIND");
		check(is_listed("new", "vram", 256 * KIB, "wc", 8), "the list counts tags");
	}
}

/* --- VRAM in extents ---------------------------------------------------------------------------
 */

#define CHUNK (64 * KIB)

/* Size of the largest contiguous buffer that BO_CREATE returns */
static uint64_t largest(void)
{
	uint64_t low = 0, high = vram_free(&nv) / CHUNK;

	while (low < high) {
		uint64_t mid = (low + high + 1) / 2;
		struct bo bo;

		if (bo_create_flags(&nv, &bo, DRM_NVFIFO_DOMAIN_VRAM, DRM_NVFIFO_BO_CONTIGUOUS,
				    mid * CHUNK)) {
			high = mid - 1;
		} else {
			bo_close(&nv, bo.handle);
			low = mid;
		}
	}

	return low * CHUNK;
}

static void pieces_contents(struct bo *big, uint64_t va, uint64_t at4k, uint32_t pieces)
{
	uint32_t i;
	bool ok = true;

	for (i = 0, ok = true; i < pieces && ok; i++)
		ok = card_reads(va + i * CHUNK, 0) && card_reads(at4k + (i + 1) * CHUNK - 4, 0);

	check(ok, "every piece of it is zeroed");

	for (i = 0; i < pieces && ok; i++)
		ok = card_writes(va + i * CHUNK, 0xa0000 + i) &&
		     card_writes(at4k + (i + 1) * CHUNK - 4, 0xb0000 + i);

	for (i = 0; i < pieces && ok; i++)
		ok = card_reads(at4k + i * CHUNK, 0xa0000 + i) &&
		     card_reads(va + (i + 1) * CHUNK - 4, 0xb0000 + i);

	check(ok, "every border of its extents, through pages of both sizes");

	/* A mapping of its middle, from inside one extent to inside another. */
	need(!map_part(big, at4k + 64 * MIB, 3 * CHUNK + 5 * PAGE, 4 * CHUNK, 0, 0), "map");
	check(card_reads(at4k + 64 * MIB + CHUNK - 5 * PAGE, 0xa0004) &&
		  card_reads(at4k + 64 * MIB + 2 * CHUNK - 5 * PAGE - 4, 0xb0004) &&
		  card_reads(at4k + 64 * MIB + 4 * CHUNK - 5 * PAGE, 0xa0007),
	      "a mapping of its middle");
}

static void pieces_mark(struct bo *bo, uint32_t n, uint64_t va, uint32_t pieces)
{
	uint32_t i;
	bool ok = true;

	for (i = 0; i < n; i += i < 2 * pieces ? 1 : 2) {
		need(!map_part(&bo[i], va, 0, CHUNK, 0, 0), "map");
		ok &= card_writes(va, 0xd0000 + i);
		if (i < 2 * pieces)
			ok &= card_writes(va + CHUNK - 4, 0xe0000 + i);
		need(!vm_unmap(&nv, vm, va, CHUNK), "unmap");
	}

	check(ok, "marks are written");
}

static void pieces_no_object(const struct bo *big)
{
	struct drm_nvfifo_object_create o;

	o = (struct drm_nvfifo_object_create){
	    .channel_id = ch.id,
	    .handle = 0x55,
	    .oclass = NVFIFO_CLASS_DMA_RW,
	    .access = DRM_NVFIFO_ACCESS_RW,
	    .flags = DRM_NVFIFO_OBJECT_UNPAGED,
	    .size = big->size,
	    .bo_handle = big->handle,
	    .user = DRM_NVFIFO_USER_BOTH,
	};
	refused(nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o), EINVAL,
		"no unpaged DMA object of VRAM in pieces");
}

static void pieces_neighbours(struct bo *bo, uint32_t n, uint32_t pieces, struct bo *rest)
{
	uint32_t i;
	bool ok = true;

	check(!bo_create(&nv, rest, DRM_NVFIFO_DOMAIN_VRAM, vram_free(&nv)),
	      "one BO takes all that is left");
	equal(vram_free(&nv), 0, "nothing is free");

	for (i = 1, ok = true; i < 2 * pieces && i < n && ok; i += 2) {
		need(!map_part(&bo[i], BASE + 4 * GIB, 0, CHUNK, 0, 0), "map");
		ok = card_reads(BASE + 4 * GIB, 0xd0000 + i) &&
		     card_reads(BASE + 4 * GIB + CHUNK - 4, 0xe0000 + i);
		need(!vm_unmap(&nv, vm, BASE + 4 * GIB, CHUNK), "unmap");
	}

	check(ok, "the BOs between the extents keep their contents");
}

static void pieces_in_one(uint32_t n)
{
	struct bo big, one;

	refused(
	    bo_create_flags(&nv, &big, DRM_NVFIFO_DOMAIN_VRAM, DRM_NVFIFO_BO_CONTIGUOUS, 2 * CHUNK),
	    ENOSPC, "128 KiB in one piece");
	equal(vram_free(&nv), (n + 1) / 2 * CHUNK, "nothing is lost by that");
	check(!bo_create_flags(&nv, &one, DRM_NVFIFO_DOMAIN_VRAM, DRM_NVFIFO_BO_CONTIGUOUS, CHUNK),
	      "64 KiB in one piece");
	bo_close(&nv, one.handle);
}

static void t_pieces(void)
{
	uint64_t free_before, block, va = BASE, at4k = BASE + GIB;
	struct drm_nvfifo_bo_info info;
	uint32_t n = 0, i, pieces = 24;
	struct bo *bo, big, rest, one;
	int ret;

	world();
	free_before = vram_free(&nv);
	block = largest();
	check(block >= free_before / 2, "VRAM is in large pieces at first");
	diag("%llu KiB are free, the largest piece has %llu KiB",
	     (unsigned long long)free_before / 1024, (unsigned long long)block / 1024);
	bo = calloc(free_before / CHUNK + 1, sizeof(*bo));
	need(bo, "calloc");

	while (!(ret = bo_create(&nv, &bo[n], DRM_NVFIFO_DOMAIN_VRAM, CHUNK)))
		n++;
	refused(ret, ENOSPC, "VRAM is full of BOs of 64 KiB");
	equal(n, free_before / CHUNK, "as many as fit");
	equal(vram_free(&nv), 0, "nothing is free");
	refused(bo_create(&nv, &one, DRM_NVFIFO_DOMAIN_VRAM, 1), ENOSPC, "one more byte");
	check(ch_works(&ch), "the channel works");

	/* Mark all buffers: the marks of freed ones must not appear again, the others must stay. */
	pieces_mark(bo, n, va, pieces);

	for (i = 0; i < n; i += 2)
		bo_close(&nv, bo[i].handle);
	equal(vram_free(&nv), (n + 1) / 2 * CHUNK, "every second one is freed");
	pieces_in_one(n);
	check(!bo_create(&nv, &big, DRM_NVFIFO_DOMAIN_VRAM, pieces * CHUNK),
	      "%u times 64 KiB in pieces", pieces);
	info = info_of(&big);
	check(!(info.flags & DRM_NVFIFO_BO_CONTIGUOUS) && info.size == pieces * CHUNK &&
		  info.page_shift == 16,
	      "BO_INFO says so");
	need(!map_part(&big, va, 0, big.size, 0, 16), "64 KiB pages of it");
	need(!map_part(&big, at4k, 0, big.size, 0, 12), "4 KiB pages of it");
	pieces_contents(&big, va, at4k, pieces);
	pieces_no_object(&big);
	pieces_neighbours(bo, n, pieces, &rest);

	for (i = 1; i < n; i += 2)
		bo_close(&nv, bo[i].handle);

	bo_close(&nv, rest.handle);
	bo_close(&nv, big.handle);
	equal(vram_free(&nv), n / 2 * CHUNK + ((n + 1) / 2 - pieces) * CHUNK,
	      "mapped memory is not free");
	need(!vm_unmap(&nv, vm, BASE, 4 * GIB), "unmap");

	/* Tables that wait to be used again may be in the way a little. */
	vm_destroy(&nv, vm);
	chan_destroy(&nv, ch.id);
	check(vram_free(&nv) >= free_before, "all of it is free again");
	check(largest() >= block, "the largest piece is as large as before");
	free(bo);
}

/* Create and free BOs of many sizes: none may contain bytes of another one. */
static void t_churn(void)
{
	struct {
		struct bo bo;
		uint64_t va;
		uint32_t mark;
	} slot[40] = {0};

	/* In QEMU each store is a message, so clearing is slow. */
	const uint32_t steps = getenv("NVFIFO_SLOW_BARS") ? 100 : 400;
	uint32_t step, rng = 12345, failed = 0, pieces = 0, i;
	uint64_t free_before, block;
	bool ok = true;

	world();
	free_before = vram_free(&nv);
	block = largest();

	for (step = 0; step < steps && ok; step++) {
		uint64_t size;

		rng = rng * 1664525 + 1013904223;
		i = rng >> 8 & 31;
		if (rng >> 30 == 3)
			i += 8;
		if (slot[i].bo.handle) {
			ok = card_reads(slot[i].va, slot[i].mark) &&
			     card_reads(slot[i].va + slot[i].bo.size - 4, slot[i].mark);
			need(!vm_unmap(&nv, vm, slot[i].va, slot[i].bo.size), "unmap");
			bo_close(&nv, slot[i].bo.handle);
			slot[i].bo.handle = 0;
			continue;
		}
		size = ((rng >> 14 & 15) < 12 ? 1 + (rng >> 18 & 7) : (rng >> 18 & 63)) * CHUNK +
		       CHUNK;
		if (bo_create(&nv, &slot[i].bo, DRM_NVFIFO_DOMAIN_VRAM, size)) {
			slot[i].bo.handle = 0;
			failed++;
			ok = vram_free(&nv) < size;
			continue;
		}
		pieces += !(info_of(&slot[i].bo).flags & DRM_NVFIFO_BO_CONTIGUOUS);
		slot[i].va = BASE + i * 64 * MIB;
		slot[i].mark = 0x40000000 + step;
		need(!vm_map_at(&nv, vm, &slot[i].bo, slot[i].va, 0, 0), "map");
		ok = card_reads(slot[i].va, 0) && card_reads(slot[i].va + size - 4, 0) &&
		     card_writes(slot[i].va, slot[i].mark) &&
		     card_writes(slot[i].va + size - 4, slot[i].mark);
	}

	check(ok, "%u steps, %u without room, %u BOs in pieces", step, failed, pieces);

	for (i = 0; i < ARRAY_SIZE(slot); i++)
		if (slot[i].bo.handle)
			bo_close(&nv, slot[i].bo.handle);
	vm_destroy(&nv, vm);
	chan_destroy(&nv, ch.id);
	check(vram_free(&nv) >= free_before && largest() >= block,
	      "all of it is back in large pieces");
}

/* --- dma-bufs ------------------------------------------------------------------------------------
 */

static void t_own_dma_buf(void)
{
	uint32_t again = 0, theirs = 0;
	struct bo s, v;
	uint32_t *p;
	struct nv n;
	int fd;

	world();
	s = sys_bo(&nv, 64 * KIB);
	s.map[7] = 0x77;
	fd = prime_export(&nv, s.handle);
	need(fd >= 0, "PRIME_HANDLE_TO_FD: %s", strerror(-fd));
	check(!prime_import(&nv, fd, &again) && again == s.handle,
	      "a file's own dma-buf is the same handle");
	p = mmap(NULL, s.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	check(p != MAP_FAILED && p[7] == 0x77, "mmap of the dma-buf");
	if (p != MAP_FAILED) {
		p[8] = 0x88;
		check(s.map[8] == 0x88, "is the same memory");
		munmap(p, s.size);
	}

	equal(lseek(fd, 0, SEEK_END), s.size, "the dma-buf has the BO's size");
	nv_open(&n);
	need(!prime_import(&n, fd, &theirs), "import");
	need(!prime_import(&n, fd, &again), "import");
	check(theirs == again, "so it is when another file imports it twice");

	close(fd);
	v = vram_bo(&nv, 64 * KIB);
	fd = prime_export(&nv, v.handle);
	check(fd >= 0 && !prime_import(&n, fd, &theirs), "VRAM is shared between files");
	close(fd);
	check(prime_export(&nv, 0x7fff) == -ENOENT, "nor a handle that does not exist");
}

static int vgem_load(void)
{
	const char *path = getenv("VGEM");
	int fd = open(path ? path : "/src/build/uml-module/vgem.ko", O_RDONLY | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return -errno;

	if (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST)
		ret = -errno;

	close(fd);

	return ret;
}

static int vgem_import(int vgem, const struct drm_mode_create_dumb *dumb, uint32_t *theirs,
		       struct bo *b)
{
	struct drm_prime_handle p = {.handle = dumb->handle, .flags = DRM_CLOEXEC | DRM_RDWR};
	struct drm_nvfifo_bo_info info;
	int i;
	bool ok = true;

	need(!nv_ioctl(vgem, DRM_IOCTL_PRIME_HANDLE_TO_FD, &p), "vgem: PRIME_HANDLE_TO_FD");
	equal(prime_import(&nv, p.fd, &b->handle), 0, "import of vgem's buffer");
	need(!bo_info(&nv, b->handle, &info), "BO_INFO");
	check(info.domain == DRM_NVFIFO_DOMAIN_SYSTEM && info.size == dumb->size &&
		  info.flags == DRM_NVFIFO_BO_IMPORTED && info.page_shift == 12,
	      "BO_INFO describes it");
	b->size = info.size;
	check(!bo_label(&nv, b->handle, "vgem's") && is_listed("vgem's", "system", b->size, "i", 0),
	      "so does debugfs");
	need(!vm_map_at(&nv, vm, b, BASE, 0, 0), "map");

	for (i = 0; i < 64 && ok; i += 3)
		ok = card_reads(BASE + i * PAGE + 20, 0x9e300 + i);

	check(ok, "the card reads it");

	for (i = 0; i < 64 && ok; i += 5)
		ok = card_writes(BASE + i * PAGE + 24, 0x9e400 + i) &&
		     theirs[i * 1024 + 6] == 0x9e400u + i;

	check(ok, "the card writes it, and vgem's mapping has it");
	refused(vm_map_at(&nv, vm, b, BASE + GIB, DRM_NVFIFO_VM_BIND_NOSNOOP, 0), EINVAL,
		"no unsnooped mapping of it");
	{
		uint32_t again;

		check(!prime_import(&nv, p.fd, &again) && again == b->handle,
		      "imported again it is the same handle");
	}

	return p.fd;
}

static void vgem_gets_no_vram(int vgem)
{
	struct drm_prime_handle p = {0};
	int ret;
	struct bo s;

	/* Other devices cannot import VRAM. */
	s = vram_bo(&nv, 64 * KIB);
	p.fd = prime_export(&nv, s.handle);
	need(p.fd >= 0, "PRIME_HANDLE_TO_FD of VRAM");
	ret = nv_ioctl(vgem, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p);
	check(ret < 0, "vgem cannot import VRAM (%d)", ret);
	close(p.fd);
	bo_close(&nv, s.handle);
}

static void vgem_imports(int vgem)
{
	struct drm_prime_handle p = {0};
	int fd;
	struct bo s;
	uint32_t handle, *ours;

	s = sys_bo(&nv, 64 * KIB);
	need(!vm_map_at(&nv, vm, &s, BASE, 0, 0), "map");
	fd = prime_export(&nv, s.handle);
	need(fd >= 0, "PRIME_HANDLE_TO_FD");
	p = (struct drm_prime_handle){.fd = fd};
	equal(nv_ioctl(vgem, DRM_IOCTL_PRIME_FD_TO_HANDLE, &p), 0, "vgem imports a BO");
	handle = p.handle;
	check(card_writes(BASE + 0x5008, 0x0f), "the card writes it");
	ours = mmap(NULL, s.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	need(ours != MAP_FAILED, "mmap of the dma-buf");
	check(ours[0x1402] == 0x0f, "the dma-buf's mapping has it");
	ours[0x1403] = 0x10;
	check(card_reads(BASE + 0x500c, 0x10), "and the other way round");

	close(fd);
	bo_unmap(&s);
	bo_close(&nv, s.handle);
	need(!vm_unmap(&nv, vm, BASE, s.size), "unmap");
	check(ours[0x1402] == 0x0f, "it lives on with vgem");

	munmap(ours, s.size);
	{
		struct drm_gem_close c = {.handle = handle};

		nv_ioctl(vgem, DRM_IOCTL_GEM_CLOSE, &c);
	}
}

/* Another DRM driver's memory, and this one's for another driver. */
static void t_vgem(void)
{
	struct drm_mode_create_dumb dumb = {.width = 256, .height = 256, .bpp = 32};
	struct drm_mode_map_dumb map = {0};
	int vgem, fd, i, ret;
	struct bo b = {0};
	uint32_t *theirs;

	world();
	ret = vgem_load();
	if (ret) {
		skip("vgem # SKIP there is no such module (%s)", strerror(-ret));
		return;
	}

	vgem = node_of("card", 0, "vgem");
	need(vgem >= 0, "vgem has a node");
	need(!nv_ioctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), "vgem: CREATE_DUMB");
	map.handle = dumb.handle;
	need(!nv_ioctl(vgem, DRM_IOCTL_MODE_MAP_DUMB, &map), "vgem: MAP_DUMB");
	theirs = mmap(NULL, dumb.size, PROT_READ | PROT_WRITE, MAP_SHARED, vgem, (off_t)map.offset);
	need(theirs != MAP_FAILED, "vgem: mmap");

	for (i = 0; i < 64; i++)
		theirs[i * 1024 + 5] = 0x9e300 + i;

	fd = vgem_import(vgem, &dumb, theirs, &b);
	close(fd);
	bo_close(&nv, b.handle);
	munmap(theirs, dumb.size);
	{
		struct drm_mode_destroy_dumb d = {.handle = dumb.handle};

		nv_ioctl(vgem, DRM_IOCTL_MODE_DESTROY_DUMB, &d);
	}

	check(card_reads(BASE + 5 * PAGE + 24, 0x9e405),
	      "the mapping keeps it when all others let go");
	need(!vm_unmap(&nv, vm, BASE, b.size), "unmap");

	vgem_gets_no_vram(vgem);

	/*
	 * The other way round. nvfifo maps the page before vgem does: the kernel's check of DMA
	 * mappings reports a second device's, unless it comes from a dma-buf.
	 */
	vgem_imports(vgem);
	close(vgem);
	equal((uint32_t)(syscall(SYS_delete_module, "vgem", O_NONBLOCK) ? errno : 0), 0,
	      "vgem can be unloaded: nothing of it is held");
	check(ch_works(&ch), "the channel works");
}

/* --- fdinfo
 * ---------------------------------------------------------------------------------------- */

/* Value of a key, bytes if it has a unit; -1 if it is not there. */
static int64_t fdinfo(int fd, const char *key, char *string)
{
	char path[64], *text, *line, *save;
	int64_t value = -1;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	text = file_text(path);
	need(text, "%s", path);

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		size_t n = strlen(key);
		const char *end;
		__u64 number;

		if (strncmp(line, key, n) || line[n] != ':')
			continue;
		line += n + 1;
		while (isspace((unsigned char)*line))
			line++;
		if (string)
			snprintf(string, 64, "%s", line);
		end = nvfifo_text_read(line, 10, &number);
		value = (int64_t)number;
		if (end && !strcmp(end, " KiB"))
			value *= 1024;
		else if (end && !strcmp(end, " MiB"))
			value *= 1024 * 1024;
	}

	free(text);

	return value;
}

static void t_fdinfo(void)
{
	int64_t vram0, sys0, v;
	struct bo s, vr, e;
	char text[64];
	uint32_t handle;
	struct nv n;
	int fd;

	world();
	fdinfo(nv.fd, "drm-driver", text);
	check(!strcmp(text, "nvfifo"), "drm-driver");
	fdinfo(nv.fd, "drm-pdev", text);
	check(!strcmp(text, card_slot()), "drm-pdev");
	check(fdinfo(nv.fd, "drm-client-id", NULL) > 0, "drm-client-id");
	nv_open(&n);
	check(fdinfo(n.fd, "drm-client-id", NULL) != fdinfo(nv.fd, "drm-client-id", NULL),
	      "another file has another one");
	vram0 = fdinfo(nv.fd, "drm-total-vram", NULL);
	sys0 = fdinfo(nv.fd, "drm-total-system", NULL);
	check(vram0 == 0 && sys0 >= (int64_t)ch.push.size, "total memory of both sorts");

	vr = vram_bo(&nv, 1 * MIB);
	vram_bo(&nv, 64 * KIB);
	s = sys_bo(&nv, 256 * KIB);
	equal((uint64_t)fdinfo(nv.fd, "drm-total-vram", NULL), 1 * MIB + 64 * KIB,
	      "drm-total-vram");
	equal((uint64_t)fdinfo(nv.fd, "drm-resident-vram", NULL), 1 * MIB + 64 * KIB,
	      "drm-resident-vram");
	equal((uint64_t)(fdinfo(nv.fd, "drm-total-system", NULL) - sys0), 256 * KIB,
	      "drm-total-system");
	v = fdinfo(nv.fd, "drm-resident-system", NULL);
	check(v >= (int64_t)ch.push.size && v <= fdinfo(nv.fd, "drm-total-system", NULL),
	      "drm-resident-system is a part of it");
	need(!vm_map_at(&nv, vm, &s, BASE, 0, 0), "map");
	v = fdinfo(nv.fd, "drm-resident-system", NULL);
	check(v >= (int64_t)(ch.push.size + s.size), "memory that the card has mapped is resident");
	equal((uint64_t)fdinfo(nv.fd, "drm-shared-system", NULL), 0, "nothing is shared");
	fd = prime_export(&nv, s.handle);
	need(fd >= 0 && !prime_import(&n, fd, &handle), "share");
	close(fd);
	equal((uint64_t)fdinfo(nv.fd, "drm-shared-system", NULL), s.size, "drm-shared-system");
	equal((uint64_t)fdinfo(n.fd, "drm-shared-system", NULL), s.size, "of both files");
	equal((uint64_t)fdinfo(n.fd, "drm-total-system", NULL), s.size, "it counts for both");
	nv_close(&n);
	equal((uint64_t)fdinfo(nv.fd, "drm-shared-system", NULL), 0, "it is shared no longer");
	e = vr;
	bo_close(&nv, e.handle);
	equal((uint64_t)fdinfo(nv.fd, "drm-total-vram", NULL), 64 * KIB,
	      "a closed BO does not count");
}

/* --- Unpaged DMA objects
 * ------------------------------------------------------------------------------ */

static struct drm_nvfifo_object_create unpaged(struct ch *c, const struct bo *bo, uint32_t access,
					       uint64_t start, uint64_t size)
{
	return (struct drm_nvfifo_object_create){
	    .channel_id = c->id,
	    .handle = 0x42,
	    .oclass = NVFIFO_CLASS_DMA_RW,
	    .access = access,
	    .flags = DRM_NVFIFO_OBJECT_UNPAGED,
	    .start = start,
	    .size = size,
	    .bo_handle = bo->handle,
	    .user = DRM_NVFIFO_USER_BOTH,
	};
}

static int object(struct drm_nvfifo_object_create o)
{
	return nv_ioctl(nv.fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &o);
}

/* A channel of its own uses the object; the reason of its fault, or -1 for none. */
static int try_unpaged(struct drm_nvfifo_object_create o, uint32_t offset, bool write,
		       uint32_t value)
{
	struct ch c = ch_new(&nv, vm);
	struct drm_nvfifo_channel_query q;
	int ret;

	o.channel_id = c.id;
	ret = object(o);
	need(!ret, "OBJECT_CREATE: %s", strerror(-ret));

	if (write)
		p_release(&c, o.handle, offset, value);
	else
		p_acquire(&c, o.handle, offset, value);

	ret = ch_run(&c);
	q = ch_query(&c);
	chan_destroy(&nv, c.id);
	vm_unmap(&nv, vm, c.push_va, c.push.size);
	bo_close(&nv, c.push.handle);
	if (ret == 1)
		return -1;

	return q.state == DRM_NVFIFO_CHANNEL_DEAD && q.error == DRM_NVFIFO_ERROR_SEMAPHORE &&
		       q.fault
		   ? (int)q.fault_reason
		   : -2;
}

static void unpaged_bo(struct bo *bo, const char *what, uint64_t va)
{
	struct drm_nvfifo_object_create o;

	need(!vm_map_at(&nv, vm, bo, va, 0, 0), "map");
	o = unpaged(&ch, bo, DRM_NVFIFO_ACCESS_RW, 0, bo->size);
	check(try_unpaged(o, 0x24, true, 0x111) == -1 && card_reads(va + 0x24, 0x111),
	      "%s: written past the page tables", what);
	check(card_writes(va + bo->size - 4, 0x222), "%s: written through them", what);
	if (bo->size > 64 * KIB)
		o = unpaged(&ch, bo, DRM_NVFIFO_ACCESS_RW, bo->size - 64 * KIB, 64 * KIB);

	check(try_unpaged(o, (uint32_t)o.size - 4, false, 0x222) == -1,
	      "%s: read past them, to the end", what);
	o = unpaged(&ch, bo, DRM_NVFIFO_ACCESS_RW, 0x400, 0x100);
	check(try_unpaged(o, 0x10, true, 0x333) == -1 && card_reads(va + 0x410, 0x333),
	      "%s: an object of a part", what);
	equal((uint32_t)try_unpaged(o, 0x100, true, 0xbad), NVFIFO_FAULT_DMAOBJ_LIMIT,
	      "a write past it is outside of the limit");
	check(card_reads(va + 0x500, 0), "%s: and has changed nothing", what);
	o = unpaged(&ch, bo, DRM_NVFIFO_ACCESS_RO, 0, bo->size);
	check(try_unpaged(o, 0x24, false, 0x111) == -1, "%s: a read-only object can be read", what);
	equal((uint32_t)try_unpaged(o, 0x24, true, 0xbad), NVFIFO_FAULT_PAGE_READ_ONLY,
	      "it cannot be written");
	o = unpaged(&ch, bo, DRM_NVFIFO_ACCESS_RW, 0, bo->size);
	o.user = DRM_NVFIFO_USER_SUPERVISOR;
	equal((uint32_t)try_unpaged(o, 0x24, false, 0x111), NVFIFO_FAULT_PAGE_SUPERVISOR_ONLY,
	      "an object for supervisors");
	o.flags |= DRM_NVFIFO_OBJECT_SUPERVISOR;
	check(try_unpaged(o, 0x24, false, 0x111) == -1, "%s: which a supervisor's object is", what);
	need(!vm_unmap(&nv, vm, va, bo->size), "unmap");
}

#define SUBMITS		8

static void t_unpaged(void)
{
	struct drm_nvfifo_object_create o;
	struct bo v, s, w;
	uint64_t free;
	struct ch c;

	world();
	v = bo_flags(DRM_NVFIFO_DOMAIN_VRAM, DRM_NVFIFO_BO_CONTIGUOUS, 128 * KIB);
	s = bo_flags(DRM_NVFIFO_DOMAIN_SYSTEM, 0, PAGE);
	w = bo_flags(DRM_NVFIFO_DOMAIN_SYSTEM, DRM_NVFIFO_BO_WC, PAGE);
	unpaged_bo(&v, "VRAM", BASE);
	unpaged_bo(&s, "cached memory", BASE + GIB);
	unpaged_bo(&w, "write-combined memory", BASE + GIB);
	bo_mmap(&nv, &s);
	check(s.map[9] == 0x111, "the CPU sees the same");

	/* Its memory stays until the channel ends, because the card may still hold the object. */
	c = ch_new(&nv, vm);
	o = unpaged(&c, &v, DRM_NVFIFO_ACCESS_RW, 0, v.size);
	need(!object(o), "OBJECT_CREATE");

	bo_close(&nv, v.handle);
	free = vram_free(&nv);
	p_release(&c, 0x42, 0x800, 0x800);
	p_acquire(&c, 0x42, 0x800, 0x800);
	equal((uint32_t)ch_run(&c), 1, "the object works when the BO is closed");
	equal(object_destroy(&nv, c.id, 0x42), 0, "OBJECT_DESTROY");
	equal(vram_free(&nv), free, "the memory is not free yet");
	check(ch_works(&c), "the channel works");
	chan_destroy(&nv, c.id);
	check(vram_free(&nv) >= free + 128 * KIB, "it is when the channel is gone");
}

/* --- debugfs
 * ------------------------------------------------------------------------------------------ */

static bool translates(uint32_t space, uint64_t va, const char *a, const char *b)
{
	char *text = debug_translate(space, va);
	bool ok = strstr(text, a) && (!b || strstr(text, b));

	if (!ok) {
		char *line, *save;

		diag("0x%llx without '%s' or '%s':", (unsigned long long)va, a, b ? b : "");
		for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
			diag("  %s", line);
	}

	free(text);

	return ok;
}

static void debugfs_mappings(uint32_t space)
{
	char *text;

	text = debug_text("nvfifo_vm/%u/mappings", space);
	check(strstr(text, "0800000000-0800007fff system 0000000000 kind 00 comp 0 ro"),
	      "mappings: a read-only one");
	check(strstr(text,
		     "0801000000-0801002fff system 0000001000 kind 00 comp 0 supervisor nosnoop"),
	      "the supervisor's, not snooped");
	check(strstr(text, "0840000000-084001ffff vram 0000010000 kind 00 comp 0 label look\n"),
	      "VRAM, from its middle");
	free(text);
}

static void debugfs_tables(uint32_t space)
{
	char *text;

	text = debug_text("nvfifo_vm/%u/tables", space);
	check(strstr(text, "pde 040 ") && strstr(text, "pde 042 "), "tables: one for each region");
	check(has_pde(text, NVFIFO_PT_4K) && has_pde(text, NVFIFO_PT_64K), "of both sizes");
	check(strstr(text, "pte 0840000000-084001ffff ") ||
		  strstr(text, "pte 0840000000-084000ffff "),
	      "with the pages of VRAM");
	check(strstr(text, " 4 KiB pages, ") && strstr(text, " 64 KiB pages, 8192 entries, ") &&
		  strstr(text, ", block of ") && strstr(text, ", kind 00 ro\n") &&
		  strstr(text, ", kind 00 supervisor\n"),
	      "entries in words");
	check(has_pte(text, PTE_READ_ONLY | PTE_TARGET(3),
		      PTE_READ_ONLY | PTE_TARGET(NVFIFO_TARGET_SYS_SNOOP)),
	      "read-only pages");
	check(has_pte(text, PTE_SUPERVISOR | PTE_TARGET(3),
		      PTE_SUPERVISOR | PTE_TARGET(NVFIFO_TARGET_SYS_NOSNOOP)),
	      "and the supervisor's");
	free(text);
}

static void t_debugfs(void)
{
	char path[400], word[64];
	struct bo s, w, v;
	uint32_t space;
	uint64_t at;

	world();
	space = debug_last_vm();
	s = sys_bo(&nv, 64 * KIB);
	w = bo_flags(DRM_NVFIFO_DOMAIN_SYSTEM, DRM_NVFIFO_BO_WC, 64 * KIB);
	v = bo_flags(DRM_NVFIFO_DOMAIN_VRAM, 0, 256 * KIB);
	bo_label(&nv, v.handle, "look");
	need(!map_part(&s, BASE, 0, 8 * PAGE, DRM_NVFIFO_VM_BIND_READ_ONLY, 0) &&
		 !map_part(&w, BASE + 16 * MIB, PAGE, 3 * PAGE,
			   DRM_NVFIFO_VM_BIND_NOSNOOP | DRM_NVFIFO_VM_BIND_SUPERVISOR, 0) &&
		 !map_part(&v, BASE + GIB, 64 * KIB, 128 * KIB, 0, 0),
	     "map");
	s.map[3 * 1024] = 0xdeb00001;
	check(card_writes(BASE + GIB + 64 * KIB + 0x40, 0xdeb00002), "the card writes VRAM");

	debugfs_mappings(space);
	debugfs_tables(space);

	check(translates(space, BASE + 3 * PAGE, "CPU      deb00001\n", NULL),
	      "translate: system memory");
	check(translates(space, BASE + GIB + 64 * KIB + 0x40, "CPU      deb00002\n", NULL),
	      "VRAM");
	check(translates(space, BASE + 16 * MIB, "SYSRAM_NOSNOOP", NULL),
	      "memory that is not snooped, for supervisors");
	check(translates(space, BASE + GIB + 64 * KIB + 0x40, "memory   ",
			 nvfifo_chipset_is_igp(nv.dev.chipset) ? "SYSRAM_NOSNOOP" : "VRAM"),
	      "where VRAM is");
	check(translates(space, BASE + 8 * PAGE, "PDE      040 ", "fault    PAGE_NOT_PRESENT\n"),
	      "a hole among pages");
	check(translates(space, 900 * GIB, "fault    PT_NOT_PRESENT\n", NULL),
	      "a region with nothing");
	check(translates(space, BASE + 300 * MIB, "fault    P", NULL),
	      "past all pages of a region");
	at = BASE + GIB + 0x1000c;
	snprintf(word, sizeof(word), "address  %010llx\n", (unsigned long long)at);
	check(translates(space, at, word, NULL), "it says which address");
	snprintf(path, sizeof(path), "%s/nvfifo_vm/%u/translate", debug_dir(), space);
	check(file_write(path, "nonsense") == -EINVAL &&
		  file_write(path, "0x10000000000") == -EINVAL &&
		  file_write(path, "0x1001") == -EINVAL && file_write(path, "") <= 0,
	      "a text that is no address is refused");

	snprintf(path, sizeof(path), "%s/nvfifo_vm/%u", debug_dir(), space);
	chan_destroy(&nv, ch.id);
	vm_destroy(&nv, vm);
	check(access(path, F_OK), "the files go with the address space");
}

static const struct test tests[] = {
    TEST(t_flags), TEST(t_labels), TEST_ONCE(t_pieces),  TEST_ONCE(t_churn),   TEST(t_own_dma_buf),
    TEST(t_vgem),  TEST(t_fdinfo), TEST(t_unpaged), TEST(t_debugfs), 
};

int main(int argc, char **argv)
{
	return run_tests(argc, argv, tests, ARRAY_SIZE(tests));
}
