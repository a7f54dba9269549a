/* SPDX-License-Identifier: MIT */
/*
 * The methods that the engines should get, and their comparison with the model's record. Classes
 * and commands come from the hardware documents, not from the driver or the model.
 */
#ifndef NVFIFO_TESTS_EXPECT_H
#define NVFIFO_TESTS_EXPECT_H

#include "nvfifo_crc.h"
#include "raw.h"

/* --- Classes ------------------------------------------------------------------- */

enum {
	VP2 = 1 << 0,
	VP3 = 1 << 1,
	G80 = 1 << 2,
	G84_G98 = 1 << 3,		/* up to G98, without G80 */
	G200_MCP79 = 1 << 4,
	GT215_GT218 = 1 << 5,
	MCP89 = 1 << 6,
	VP4 = GT215_GT218 | MCP89,
	ALL_CHIPS = G80 | G84_G98 | G200_MCP79 | VP4,
};

static inline unsigned int chip_groups(uint32_t chipset)
{
	switch (chipset) {
	case 0x50:
		return G80;
	case 0x84:
	case 0x86:
	case 0x92:
	case 0x94:
	case 0x96:
		return G84_G98 | VP2;
	case 0x98:
		return G84_G98 | VP3;
	case 0xa0:
		return G200_MCP79 | VP2;
	case 0xaa:
	case 0xac:
		return G200_MCP79 | VP3;
	case 0xa3:
	case 0xa5:
	case 0xa8:
		return GT215_GT218;
	case 0xaf:
		return MCP89;
	}

	return 0;
}

#define CLASS_NULL	0x0030

static const struct class {
	uint32_t oclass;
	uint32_t engine;
	unsigned int chips;
} classes[] = {
	{ CLASS_NULL, 1, ALL_CHIPS },
	{ 0x502d, 1, ALL_CHIPS },
	{ 0x5039, 1, ALL_CHIPS },
	{ 0x5097, 1, G80 | G84_G98 },
	{ 0x8297, 1, G84_G98 },
	{ 0x8397, 1, G200_MCP79 },
	{ 0x8597, 1, GT215_GT218 },
	{ 0x8697, 1, MCP89 },
	{ 0x50c0, 1, ALL_CHIPS },
	{ 0x85c0, 1, VP4 },
	{ 0x0012, 1, G80 },	{ 0x0019, 1, G80 },	{ 0x0043, 1, G80 },
	{ 0x0044, 1, G80 },	{ 0x004a, 1, G80 },	{ 0x0057, 1, G80 },
	{ 0x005d, 1, G80 },	{ 0x005f, 1, G80 },	{ 0x0072, 1, G80 },
	{ 0x305c, 1, G80 },	{ 0x3064, 1, G80 },	{ 0x3066, 1, G80 },
	{ 0x307b, 1, G80 },	{ 0x308a, 1, G80 },	{ 0x5062, 1, G80 },
	{ 0x5089, 1, G80 },
	{ 0x3174, 2, G80 },	{ 0x8274, 2, VP2 },	{ 0x88b3, 2, VP3 },	{ 0x85b3, 2, VP4 },
	{ 0x4075, 3, G80 },	{ 0x85b5, 3, VP4 },
	{ 0x4176, 4, G80 },	{ 0x7476, 4, VP2 },	{ 0x88b2, 4, VP3 },	{ 0x85b2, 4, VP4 },
	{ 0x74c1, 5, VP2 },	{ 0x88b4, 5, VP3 },
	{ 0x74b0, 6, VP2 },	{ 0x88b1, 6, VP3 },	{ 0x85b1, 6, GT215_GT218 },
	{ 0x86b1, 6, MCP89 },
};

static inline const struct class *class_of(uint32_t chipset, uint32_t oclass)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(classes); i++)
		if (classes[i].oclass == oclass && classes[i].chips & chip_groups(chipset))
			return &classes[i];
	return NULL;
}

static inline int object_engine(struct nv *nv, uint32_t chan, uint32_t handle, uint32_t oclass)
{
	struct drm_nvfifo_object_create c = {
		.channel_id = chan,
		.handle = handle,
		.type = DRM_NVFIFO_OBJECT_ENGINE,
		.oclass = oclass,
	};

	return nv_ioctl(nv->fd, DRM_IOCTL_NVFIFO_OBJECT_CREATE, &c);
}

/* --- Expected events ------------------------------------------------------------- */

struct sent {
	uint32_t engine, subc, mthd, data;
	uint32_t oclass;
};

struct expect {
	struct sent *list;
	uint32_t n, room;
	uint32_t crc;
};

static inline void expect_add(struct expect *e, struct sent s)
{
	if (e->n == e->room) {
		e->room = e->room ? 2 * e->room : 256;
		e->list = realloc(e->list, e->room * sizeof(*e->list));
		need(e->list, "realloc");
	}

	e->list[e->n++] = s;
	e->crc = nvfifo_crc32_word(e->crc, s.engine << 20 | s.subc << 16 | s.mthd);
	e->crc = nvfifo_crc32_word(e->crc, s.data);
}

static inline void expect_forget(struct expect *e)
{
	free(e->list);
	memset(e, 0, sizeof(*e));
}

/* Each record costs system calls: they are read where counts and CRCs differ, or on demand. */
static inline bool expect_check_at(int line, const struct expect *e, uint32_t hw_id, bool all,
				   const char *what)
{
	uint32_t count = ctl(NVSIM_CTL_REC_COUNT, hw_id), crc = ctl(NVSIM_CTL_REC_CRC, hw_id), i;
	bool same = count == e->n && crc == e->crc;
	struct rec r;

	if (same && !all)
		return check_at(__FILE__, line, true, "%s: %u methods", what, count);

	ctl(NVSIM_CTL_REC_SEEK, 0);

	for (i = 0; i < e->n; i++) {
		const struct sent *s = &e->list[i];

		if (!rec_next(hw_id, &r)) {
			same = false;
			break;
		}

		if (r.engine == s->engine && r.subc == s->subc && r.mthd == s->mthd &&
		    r.data == s->data && r.oclass == s->oclass && r.channel == hw_id)
			continue;
		same = false;
		diag("method %u is engine %u subchannel %u method 0x%x data 0x%x class 0x%x,", i,
		     r.engine, r.subc, r.mthd, r.data, r.oclass);
		diag("not engine %u subchannel %u method 0x%x data 0x%x class 0x%x", s->engine,
		     s->subc, s->mthd, s->data, s->oclass);
		break;
	}

	if (!same)
		diag("%u methods with CRC 0x%08x, not %u with 0x%08x", count, crc, e->n, e->crc);

	return check_at(__FILE__, line, same, "%s: %u methods", what, e->n);
}

#define expect_check(e, hw_id, what)	 expect_check_at(__LINE__, e, hw_id, false, what)
#define expect_check_all(e, hw_id, what) expect_check_at(__LINE__, e, hw_id, true, what)

/* --- A parser of the pusher's words ---------------------------------------------------- */

struct object {
	uint32_t handle;
	uint32_t oclass;
	uint32_t engine;
};

struct parser {
	struct object objects[32];
	uint32_t num_objects;
	struct object bound[8];
	uint32_t subc, mthd, left;
	bool same_method, count_comes;
	bool wrong;			/* a word that is not a command, a handle that is nothing */
};

static inline void parser_object(struct parser *p, uint32_t handle, uint32_t oclass,
				 uint32_t engine)
{
	need(p->num_objects < ARRAY_SIZE(p->objects), "the test has too many objects");
	p->objects[p->num_objects++] = (struct object){ handle, oclass, engine };
}

static inline void parser_method(struct parser *p, uint32_t data, struct expect *e)
{
	struct object *o = &p->bound[p->subc];
	uint32_t i;

	if (p->mthd && p->mthd < 0x100)
		return;

	if (!p->mthd) {
		for (i = 0; i < p->num_objects && p->objects[i].handle != data; i++)
			;
		if (i == p->num_objects) {
			p->wrong = true;
			return;
		}

		*o = p->objects[i];
	}

	if (!o->engine) {
		p->wrong = true;
		return;
	}

	expect_add(e, (struct sent){ o->engine, p->subc, p->mthd, data, o->oclass });
}

static inline void parser_word(struct parser *p, uint32_t w, struct expect *e)
{
	if (p->count_comes) {
		p->left = w & 0xffffff;
		p->count_comes = false;
	} else if (p->left) {
		parser_method(p, w, e);
		if (!p->same_method)
			p->mthd = (p->mthd + 4) & 0x1ffc;
		p->left--;
	} else if ((w & 0xe0030003) == 0 || (w & 0xe0030003) == 0x40000000 ||
		   (w & 0xffff0003) == 0x00030000) {
		p->mthd = w & 0x1ffc;
		p->subc = w >> 13 & 7;
		p->same_method = w & 0x40030000;
		p->count_comes = w & 0x00030000;
		p->left = p->count_comes ? 0 : w >> 18 & 0x7ff;
	} else if ((w & 0xffff0003) != 0x00010000 || !(w & 0xfff0)) {
		/* A mask that has one of the channel's bits, which are all, changes nothing. */
		p->wrong = true;
	}
}

#endif
