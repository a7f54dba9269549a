// SPDX-License-Identifier: MIT
/*
 * Random programs in GLSL. All that they compute is exact, so that each driver has to draw the
 * same bits:
 *
 *	random FILE FIRST COUNT		draw the programs of COUNT seeds
 *	random --compare A B FIRST	as TAP: whether two such files agree
 *	random --show SEED		the three shaders of a seed
 *
 * A grammar of text forms makes the programs. "$" and a letter in a form stand for another form
 * of that letter's table. Shifts, divisors and indices stay in the ranges that GLSL defines. Floats
 * are integers below 2048, so that no order of roundings shows.
 */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "tests/tap.h"

#define SIZE	  32	/* pixels of a target's side */
#define CELLS	  8	/* triangles in a row */
#define TARGETS	  4
#define TEXT_SIZE 262144

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static void die(const char *what, const char *more)
{
	fprintf(stderr, "random: %s%s\n", what, more);
	exit(2);
}

/* --- numbers --- */

static uint64_t number_state;

/* splitmix64 */
static uint32_t number(uint32_t below)
{
	uint64_t z = number_state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)((z ^ z >> 31) >> 32) % below;
}

/* --- grammar --- */

/* Forms of one letter. The first ones have no others inside: they end an expression. */
struct table {
	char letter;
	unsigned int ends;
	const char *forms[64];
};

static const struct table expressions[] = {
	{ 'c', 20, { "0", "1", "2", "3", "5", "7", "15", "16", "31", "255", "1000", "65535", "65536",
		     "(-1)", "(-2)", "(-7)", "12345", "0x7fffffff", "(-0x7fffffff)", "0x12345678" } },
	{ 't', 3, { "2", "3", "5", "($i & 3)", "(int(fx) & 3)" } },
	{ 'i', 8, { "x", "y", "crossed", "n0", "n1", "number.x", "number.w", "front",
		    "i0", "i1", "i1", "$c", "$c", "($i + $i)", "($i - $i)", "($i * $i)", "($i & $i)",
		    "($i | $i)", "($i ^ $i)", "($i << ($i & 15))", "($i >> ($i & 15))",
		    "($b ? $i : $i)", "min($i, $i)", "max($i, $i)", "clamp($i, -100, 1000)", "abs($i)",
		    "sign($i)", "(~$i)", "(-$i)", "(($i >> 1) / (($i >> 3) | 1))",
		    "(($i & 0x7fffffff) % (($i & 0x7fff) | 1))", "($i / 7)", "(($i & 0xffffff) % 10)",
		    "int($u)", "int($f)", "int($b)", "$v.x", "$v.w", "$v[$i & 3]", "ints[$i & 7]",
		    "plain[$i & 7]", "lists[$i & 3][$i & 3]", "pairs[$i & 1].list[$i & 3]",
		    "pairs[0].number", "block.vectors[$i & 3].y", "fetch($i)", "size($i)",
		    "floatBitsToInt($f)", "(true ? $i : 0)" } },
	{ 'u', 4, { "ux", "3u", "0xffffffffu", "0x80000001u",
		    "u0", "u0", "($u + $u)", "($u * $u)", "($u >> ($u & 15u))",
		    "($u << ($u & 15u))", "($u ^ $u)", "($u & ~$u)", "min($u, $u)", "max($u, $u)",
		    "($u / ($u | 1u))", "($u % ($u | 1u))", "($u / 10u)", "($u % 100u)", "uint($i)",
		    "($b ? $u : $u)", "pairs[1].bits", "pairs[$i & 1].bits", "uvec4($v).z",
		"uint(float($u & 0xffffu))" } },
	{ 'f', 5, { "fx", "fy", "smooth_x", "straight_y", "4.0",
		    "f0", "f0", "f1", "low($f + $f)", "low($f * $f)", "low($f - $f)", "min($f, $f)",
		    "max($f, $f)", "abs($f)", "(-$f)", "floor($f * 0.25)", "ceil($f * 0.5)",
		    "trunc($f * 0.125)", "(fract($f * 0.25) * 4.0)", "mod($f, 8.0)", "roundEven($f * 0.25)",
		    "sign($f)", "float($i & 1023)", "float($u & 255u)", "($b ? $f : $f)",
		    "low($f * $f + $f)", "(step($f, $f) * 3.0)", "clamp($f, -7.0, 99.0)", "$w.x", "$w.z",
		    "$w[$i & 3]", "low(dot($w, $w))", "floats[$i & 3]", "pairs[0].real",
		    "block.reals[$i & 3].x", "texel($i, $i)", "level($i, $i)", "cube($i)", "nearer($i, $f)",
		    "slope_x", "slope_y", "either($f, $f, $b)" } },
	{ 'b', 2, { "bx", "(y > 9)",
		    "b0", "($i < $i)", "($i == $i)", "($i >= $i)", "($f < $f)", "($f != $f)",
		    "($f >= $f)", "($u < $u)", "($u == $u)", "($b && $b)", "($b || $b)", "($b != $b)", "(!$b)",
		    "bool($i & 1)", "any(lessThan($v, $v))", "all(notEqual($v, $v))",
		    "any(equal($w, $w))", "(pairs[0].list[1] > $i)" } },
	{ 'v', 2, { "number", "ivec4(x, y, crossed, 7)",
		    "v0", "v0", "ivec4($i, $i, $i, $i)", "($v + $v)", "($v - $v)", "($v * $i)",
		"($v ^ $v.yxwz)",
		    "($v << ($v & 15))", "($v >> ($i & 7))", "min($v, $v)", "abs($v)",
		    "ivec4(lessThan($v, $v))", "ivec4($w)", "(-$v)", "(~$v)", "block.vectors[$i & 3]",
		    "vectors[$i & 3]", "($b ? $v : $v)", "either($v, $v, lessThan($w, $w))",
		"lists[$i & 3]" } },
	{ 'w', 2, { "vec4(fx, fy, 1.0, 2.0)", "block.reals[1]",
		    "w0", "w0", "vec4($f, $f, $f, $f)", "low($w + $w)", "low($w * $w)", "low($w * $f)",
		    "$w.wzxx", "$w.xxzy", "min($w, $w)", "abs($w)", "floor($w * 0.5)", "vec4($v & 255)",
		    "mix($w, $w, equal($v, $v))", "block.reals[$i & 3]", "low(block.matrix * $w)",
		    "low($w * block.matrix)" } },
	{ 'I', 1, { "i0", "i0", "i1", "pairs[0].number", "pairs[1].list[$i & 3]", "ints[$i & 7]",
		    "v0.y", "v0[$i & 3]", "lists[$i & 3].z", "pairs[$i & 1].list[$i & 3]" } },
	{ 'U', 1, { "u0", "pairs[0].bits", "pairs[$i & 1].bits" } },
	{ 'F', 1, { "f0", "f1", "pairs[1].real", "floats[$i & 3]", "w0.x", "w0[$i & 3]" } },
};

static const struct table simple = { 's', 0, {
	"$I = $i;", "$I += $i;", "$I ^= $i;", "$I++;", "i0--;", "$U = $u;", "$U ^= $u;",
	"$F = low($f);", "$F = low($f);", "b0 = $b;", "v0 = $v;", "v0.zx = $v.yw;", "v0.xzw += $v.wzx;",
	"w0 = low($w);", "w0.wx = low($w).zy;", "pairs[0] = pairs[$i & 1];",
	"pairs[$i & 1] = pairs[1];", "vectors[$i & 3] = $v;", "vectors[$i & 3][$i & 3] ^= $i;",
	"lists[$i & 3] = $v;",
} };

/* A function does not call others. */
static const struct table calls = { 'k', 0, {
	"change(i0, f1, pairs[0]);", "change(ints[3], w0.y, pairs[$i & 1]);", "$I = early($i, u0);",
	"v0 = both($v, $b);", "change(v0.x, pairs[1].real, pairs[0]);",
} };

static const struct table within_loop = { 'l', 0, {
	"if ($b) break;", "if ($b) continue;", "if ($b) {\n$Sbreak;\n}", "if ($b) {\n$Scontinue;\n}",
} };

static const struct table compound = { 'p', 0, {
	"if ($b) {\n$S}", "if ($b) {\n$S} else {\n$S}", "if ($b) {\n$S} else if ($b) {\n$S} else {\n$S}",
	"for ($n = 0; $n < $t; $n++) {\n$S$S}", "for ($n = 7; $n > $t; $n -= 2) {\n$S$S}",
	"$n = 0;\nwhile ($n < 6 && $b) {\n$n++;\n$S}", "$n = 0;\ndo {\n$S} while (++$n < $t && $b);",
	"$n = 0;\nwhile (true) {\nif (++$n > 4 || $b) break;\n$S}",
	"switch ($i & 3) {\ncase 0:\n$Sbreak;\ncase 1:\n$Scase 2:\n$Sbreak;\ndefault:\n$S}",
	"switch ($u & 7u) {\ncase 5u:\n$Sdefault:\n$Sbreak;\ncase 1u:\ncase 2u:\n$S}",
} };

struct text {
	char *at, *end;
	int levels;		/* of statements inside each other, that are still allowed */
	int loops;		/* around this place */
	bool in_function;
};

static void put(struct text *t, const char *words)
{
	size_t length = strlen(words);

	if ((size_t)(t->end - t->at) <= length)
		die("a program is too long", "");
	memcpy(t->at, words, length + 1);
	t->at += length;
}

static const struct table *table_of(char letter)
{
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(expressions); i++) {
		if (expressions[i].letter == letter)
			return &expressions[i];
	}
	die("the grammar has no table of a letter", "");
	return NULL;
}

static const char *choose(const struct table *table, bool end)
{
	unsigned int count = 0;

	while (count < ARRAY_LEN(table->forms) && table->forms[count])
		count++;
	return table->forms[number(end ? table->ends : count)];
}

/*
 * Mesa 22.3.6 gives a texture function in a loop the same registers for arguments and results, even
 * for arguments from outside of the loop. So the second turn has other arguments.
 */
static bool is_texture_form(const char *form)
{
	static const char *const names[] = { "fetch(", "texel(", "level(", "cube(", "nearer(" };
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		if (!strncmp(form, names[i], strlen(names[i])))
			return true;
	}
	return false;
}

static const char *choose_expression(const struct text *t, char letter, bool end)
{
	const char *form;

	do {
		form = choose(table_of(letter), end);
	} while ((t->loops || t->in_function) && is_texture_form(form));
	return form;
}

static void put_statements(struct text *t);

/* The counter of the loop around this place; there are at most three. */
static const char *const counters[] = { "n0", "n0", "n1", "n2" };

/* Expressions end at DEPTH 4. */
static void put_form(struct text *t, const char *form, int depth)
{
	char word[4] = "";

	for (; *form; form++) {
		if (*form != '$') {
			word[0] = *form;
			put(t, word);
			continue;
		}
		form++;
		if (*form == 'S') {
			put_statements(t);
		} else if (*form == 'n') {
			put(t, counters[t->loops]);
		} else {
			put_form(t, choose_expression(t, *form, depth >= 4), depth + 1);
		}
	}
}

static void put_statement(struct text *t)
{
	const char *form;
	bool loop;

	if (t->levels <= 0 || number(3)) {
		if (t->loops && !number(8))
			form = choose(&within_loop, false);
		else if (!t->in_function && !number(8))
			form = choose(&calls, false);
		else
			form = choose(&simple, false);
		/* The arguments of a function are simple. */
		t->levels -= 10;
		put_form(t, form, number(3));
		t->levels += 10;
	} else {
		form = choose(&compound, false);
		loop = strstr(form, "$n");
		t->levels--;
		t->loops += loop;
		put_form(t, form, number(3));
		t->loops -= loop;
		t->levels++;
	}
	put(t, "\n");
}

static void put_statements(struct text *t)
{
	uint32_t i, count = 1 + number(2);

	for (i = 0; i < count; i++)
		put_statement(t);
}

/* --- programs --- */

enum stage {
	STAGE_VERTEX,
	STAGE_GEOMETRY,
	STAGE_FRAGMENT,
	STAGES
};

struct program {
	char *shaders[STAGES];
	enum stage stage;	/* stage of the random part */
	bool geometry;		/* there is a geometry shader */
};

static const char header[] =
	"#version 330\n"
	"struct pair {\n\tint number;\n\tfloat real;\n\tint list[4];\n\tuint bits;\n};\n"
	"uniform int plain[8];\n"
	"layout(std140) uniform Block {\n\tivec4 vectors[4];\n\tvec4 reals[4];\n\tmat4 matrix;\n} block;\n"
	"uniform isampler2D signed_texels;\n"
	"uniform sampler2DArray layers;\n"
	"uniform sampler2D levels;\n"
	"uniform samplerCube faces;\n"
	"uniform sampler2DShadow depths;\n"
	"uniform isamplerBuffer line;\n"
	"float low(float v) { return v - 1024.0 * floor(v * 0.0009765625); }\n"
	"vec4 low(vec4 v) { return v - 1024.0 * floor(v * 0.0009765625); }\n"
	"float either(float a, float b, bool second) { return second ? b : a; }\n"
	"ivec4 either(ivec4 a, ivec4 b, bvec4 c) { return ivec4(c.x ? b.x : a.x, c.y ? b.y : a.y, "
	"c.z ? b.z : a.z, c.w ? b.w : a.w); }\n"
	"float byte(float v) { return floor(v * 255.0 + 0.5); }\n"
	"int fetch(int n)\n{\n"
	"\treturn texelFetch(signed_texels, ivec2(n & 7, n >> 3 & 7), 0).x ^ texelFetch(line, n & 63).x;\n}\n"
	"int size(int n) { return textureSize(levels, plain[7]).x * n + textureSize(layers, 0).z; }\n"
	"float texel(int n, int m)\n{\n"
	"\treturn byte(textureLodOffset(layers, vec3((vec2(n & 31, m & 31) * 0.5 + 0.25) * 0.125, "
	"float(m >> 3 & 3)), 0.0, ivec2(1, -2)).y);\n}\n"
	"float level(int n, int m)\n{\n"
	"\treturn byte(textureLod(levels, (vec2(n & 7, m & 7) + 0.5) * 0.125, float(n >> 3 & 3)).z) + "
	"byte(texelFetch(levels, ivec2(n & 3, m & 3), 1).x);\n}\n"
	"float cube(int n)\n{\n"
	"\tvec2 minor = (vec2(n & 7, n >> 3 & 7) * 2.0 - 7.0) * 0.125;\n"
	"\tfloat major = (n & 64) != 0 ? 1.0 : -1.0;\n"
	"\tvec3 to = vec3(minor, major);\n"
	"\tif ((n & 128) != 0)\n\t\tto = to.zxy;\n"
	"\telse if ((n & 256) != 0)\n\t\tto = to.yzx * 2.0;\n"
	"\treturn byte(textureLod(faces, to, 0.0).x);\n}\n"
	"float nearer(int n, float than)\n{\n"
	"\treturn 5.0 * textureLod(depths, vec3((vec2(n & 7, n >> 3 & 7) + 0.5) * 0.125, "
	"(mod(abs(than), 8.0) + 0.5) * 0.125), 0.0);\n}\n";

static const char interface[] =
	" Data {\n\tflat ivec4 number;\n\tsmooth vec2 at;\n\tnoperspective vec2 straight;\n"
	"\tflat uint bits;\n}";

/* Variables of each function, for expressions */
static const char variables[] =
	"\tint i0 = x, i1 = y * 3, n0 = 0, n1 = 0, n2 = 0;\n"
	"\tuint u0 = ux;\n"
	"\tfloat f0 = fy, f1 = fx;\n"
	"\tbool b0 = bx;\n"
	"\tivec4 v0 = ivec4(1, 2, y, x);\n"
	"\tvec4 w0 = vec4(1.0, fx, fy, 5.0);\n"
	"\tint ints[8];\n\tfloat floats[4];\n\tivec4 vectors[4], lists[4];\n\tpair pairs[2];\n"
	"\tfor (int k = 0; k < 8; k++)\n\t\tints[k] = k * x + y;\n"
	"\tfor (int k = 0; k < 4; k++) {\n\t\tfloats[k] = float(k) + fx;\n"
	"\t\tvectors[k] = ivec4(k, x, y, crossed);\n"
	"\t\tlists[k] = ivec4(x, k, 9, y);\n\t}\n"
	"\tpairs[0] = pair(x, fx, int[4](x, y, crossed, 4), ux);\n"
	"\tpairs[1] = pair(y, 2.0, int[4](1, 2, 3, y), 5u);\n";

static const char hash[] =
	"\tsum = i0 ^ i1 * 3 ^ int(u0);\n"
	"\tsum ^= int(f0) + int(f1) * 9;\n"
	"\tmore = v0 + ivec4(low(w0)) * 1025;\n"
	"\tmore.x ^= ints[1] + ints[x & 7] * 3 + int(b0);\n"
	"\tmore.y ^= vectors[y & 3].x + lists[x & 3].z + pairs[0].number + pairs[1].list[x & 3];\n"
	"\tmore.z ^= pairs[x & 1].list[y & 3] + int(pairs[y & 1].bits) + int(floats[x & 3]);\n";

/* Few of these are variables: of integers beyond 32 registers see mesa.rst */
static const char inputs[] =
	"\tx = base.x;\n\ty = base.y;\n";

static const char globals[] =
	"int x = 0, y = 0, front = 1, sum = 0;\nuint bits = 0u;\n"
	"#define crossed (x * 17 - y * 5)\n#define ux (uint(x + 64 * y) ^ bits)\n#define fx float(x)\n"
	"#define fy float(y)\n"
	"#define bx ((x & 1) == 1)\n"
	"float smooth_x = 1.0, straight_y = 2.0, slope_x = 3.0, slope_y = 4.0;\n"
	"ivec4 number = ivec4(0), more = ivec4(0);\n";

static void put_function(struct text *t, const char *head, const char *tail)
{
	uint32_t i, count = 1 + number(3);

	put(t, head);
	put(t, variables);
	t->in_function = true;
	t->levels = 1;
	for (i = 0; i < count; i++)
		put_statement(t);
	put_form(t, tail, 1);
	t->in_function = false;
}

static void put_random_part(struct text *t)
{
	uint32_t i, count = 3 + number(8);

	put(t, globals);
	put_function(t, "void change(inout int a, inout float b, inout pair p)\n{\n",
		     "\ta += $i;\n\tif ($b)\n\t\treturn;\n\tb = low($f + b);\n\tp.list[$i & 3] ^= $i;\n}\n");
	put_function(t, "int early(int a, out uint b)\n{\n\tb = 3u;\n",
		     "\tfor (int k = 0; k < 3; k++) {\n\t\tif ($b)\n\t\t\treturn $i + k;\n\t\tb += $u;\n\t}\n"
		     "\treturn $i ^ a;\n}\n");
	put_function(t, "ivec4 both(ivec4 a, const bool b)\n{\n",
		     "\tif (b)\n\t\treturn a + $v;\n\treturn a.wzxx ^ $v;\n}\n");
	put(t, "void compute(ivec2 base)\n{\n");
	put(t, inputs);
	put(t, variables);
	t->levels = 3;
	for (i = 0; i < count; i++)
		put_statement(t);
	put(t, hash);
	put(t, "}\n");
}

static void put_vertex_shader(struct text *t, bool random)
{
	put(t, header);
	put(t, "in vec4 position;\nin ivec4 bytes;\nin vec4 shorts;\nin uint words;\nout");
	put(t, interface);
	put(t, " to;\n");
	if (random)
		put_random_part(t);
	put(t, "void main()\n{\n\tgl_Position = position;\n"
	       "\tgl_Position.y += position.w * float(gl_InstanceID);\n"
	       "\tto.number = ivec4(bytes.xzw, gl_VertexID);\n\tto.bits = words;\n"
	       "\tto.at = (gl_Position.xy / position.w + 1.0) * float(16);\n\tto.straight = to.at.yx * 2.0;\n");
	if (random)
		put(t, "\tnumber = bytes;\n\tsmooth_x = shorts.x;\n\tstraight_y = shorts.w;\n"
		       "\tcompute(ivec2(gl_VertexID & 63, gl_InstanceID * 5 + 3));\n\tto.number = more;\n"
		       "\tto.bits = uint(sum);\n");
	put(t, "}\n");
}

static void put_geometry_shader(struct text *t, bool random)
{
	put(t, header);
	put(t, "layout(triangles) in;\nlayout(triangle_strip, max_vertices = 9) out;\nin");
	put(t, interface);
	put(t, " from[3];\nout");
	put(t, interface);
	put(t, " to;\n");
	if (random)
		put_random_part(t);
	put(t, "void main()\n{\n\tint times = 1;\n");
	if (random)
		put(t, "\tnumber = from[1].number;\n\tbits = from[2].bits;\n"
		       "\tcompute(ivec2(gl_PrimitiveIDIn, 5 - gl_PrimitiveIDIn));\n\ttimes = 1 + (sum & 1);\n");
	put(t, "\tfor (int k = 0; k < times; k++) {\n\t\tfor (int j = 0; j < 3; j++) {\n"
	       "\t\t\tgl_Position = gl_in[j].gl_Position;\n\t\t\tgl_PrimitiveID = gl_PrimitiveIDIn * 3 + k;\n"
	       "\t\t\tto.at = from[j].at;\n\t\t\tto.straight = from[j].straight;\n");
	if (random)
		put(t, "\t\t\tto.number = more + k;\n\t\t\tto.bits = uint(sum);\n");
	else
		put(t, "\t\t\tto.number = from[j].number;\n\t\t\tto.bits = from[j].bits + uint(k);\n");
	put(t, "\t\t\tEmitVertex();\n\t\t}\n\t\tEndPrimitive();\n\t}\n}\n");
}

static void put_fragment_shader(struct text *t, bool random)
{
	put(t, header);
	put(t, "in");
	put(t, interface);
	put(t, " from;\nlayout(location = 0) out vec4 color;\nlayout(location = 1) out ivec4 signeds;\n"
	       "layout(location = 2) out uvec4 unsigneds;\nlayout(location = 3) out vec4 reals;\n");
	if (random)
		put_random_part(t);
	else
		put(t, "int sum;\nivec4 more;\n");
	/* Not gl_FragCoord: see Documentation/mesa.rst for Mesa 25. */
	put(t, "void main()\n{\n\tivec2 here = ivec2(floor(from.straight.yx * 0.5));\n");
	if (random) {
		put(t, "\tfront = int(gl_FrontFacing) + gl_PrimitiveID;\n\tnumber = from.number;\n"
		       "\tsmooth_x = floor(from.at.x);\n\tstraight_y = floor(from.straight.y + 0.5);\n"
		       "\tvec2 flow = vec2(here);\n"
		       "\tslope_x = dFdx(flow.x * 3.0 + flow.y * flow.x);\n"
		       "\tslope_y = fwidth(flow.y * flow.y) + byte(texture(levels, (flow * 2.0 + 0.5) * 0.125).x);\n"
		       "\tcompute(here);\n");
	} else {
		put(t, "\tsum = int(from.bits) + int(floor(from.at.x)) + 64 * int(floor(from.straight.x + 0.5));\n"
		       "\tmore = from.number;\n");
	}
	if (!number(3))
		put(t, "\tif ((sum & 7) == 3)\n\t\tdiscard;\n");
	if (!number(3))
		put(t, "\tgl_FragDepth = float(sum & 255) / 256.0;\n");
	else
		put(t, "\tgl_FragDepth = 0.0;\n");
	put(t, "\tcolor = vec4(sum & 255, sum >> 8 & 255, sum >> 16 & 255, sum >> 24 & 255) / 255.0;\n"
	       "\tsigneds = more;\n\tunsigneds = uvec4(more.wzxx) & 0xffffu;\n"
	       "\treals = vec4(more & 0xffff);\n}\n");
}

static void make_program(struct program *p, uint32_t seed)
{
	static const enum stage stages[] = { STAGE_VERTEX, STAGE_GEOMETRY, STAGE_FRAGMENT, STAGE_FRAGMENT };
	static void (*const put_shader[STAGES])(struct text *t, bool random) = {
		put_vertex_shader, put_geometry_shader, put_fragment_shader,
	};
	int i;

	number_state = seed;
	p->stage = stages[number(ARRAY_LEN(stages))];
	p->geometry = p->stage == STAGE_GEOMETRY || !number(4);
	for (i = 0; i < STAGES; i++) {
		struct text t = { 0 };

		p->shaders[i] = malloc(TEXT_SIZE);
		if (!p->shaders[i])
			die("no memory", "");
		t.at = p->shaders[i];
		t.end = t.at + TEXT_SIZE;
		put_shader[i](&t, p->stage == (enum stage)i);
	}
}

static void free_program(struct program *p)
{
	int i;

	for (i = 0; i < STAGES; i++)
		free(p->shaders[i]);
}

/* --- drawing --- */

struct target {
	const char *name;
	GLenum internal, format, type;
	unsigned int bytes;	/* of a pixel, as it is read */
};

static const struct target targets[TARGETS] = {
	{ "colors", GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, 4 },
	{ "signed integers", GL_RGBA32I, GL_RGBA_INTEGER, GL_INT, 16 },
	{ "unsigned integers", GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT, 16 },
	{ "floats", GL_RGBA32F, GL_RGBA, GL_FLOAT, 16 },
};

/* All targets of a picture */
#define PICTURE_BYTES (SIZE * SIZE * (4 + 3 * 16))

static void make_targets(void)
{
	static GLenum buffers[TARGETS];
	GLuint framebuffer, name[TARGETS + 1];
	GLenum i;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glGenRenderbuffers(TARGETS + 1, name);
	for (i = 0; i < TARGETS; i++) {
		buffers[i] = GL_COLOR_ATTACHMENT0 + i;
		glBindRenderbuffer(GL_RENDERBUFFER, name[i]);
		glRenderbufferStorage(GL_RENDERBUFFER, targets[i].internal, SIZE, SIZE);
		glFramebufferRenderbuffer(GL_FRAMEBUFFER, buffers[i], GL_RENDERBUFFER, name[i]);
	}
	glBindRenderbuffer(GL_RENDERBUFFER, name[TARGETS]);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, SIZE, SIZE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, name[TARGETS]);
	glDrawBuffers(TARGETS, buffers);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		die("no framebuffer", "");
	glViewport(0, 0, SIZE, SIZE);
	glEnable(GL_DEPTH_TEST);
	glDepthFunc(GL_LEQUAL);
}

static void clear_targets(void)
{
	static const GLint signeds[] = { 1, -2, 3, -4 };
	static const GLuint unsigneds[] = { 1, 2, 3, 65535 };
	static const float reals[] = { 0.25f, 0.5f, 0.75f, 1 };

	glClearBufferfv(GL_COLOR, 0, reals);
	glClearBufferiv(GL_COLOR, 1, signeds);
	glClearBufferuiv(GL_COLOR, 2, unsigneds);
	glClearBufferfv(GL_COLOR, 3, reals);
	glClearBufferfi(GL_DEPTH_STENCIL, 0, 0.501f, 0);
}

/* Four by eight triangles, and as many by the second instance. No edge meets a middle of a pixel. */
static void make_vertices(void)
{
	static const float corners[3][2] = { { 0, 0 }, { 4.25f, 0 }, { 0, 4.25f } };
	static struct {
		float position[4];
		int8_t bytes[4];
		int16_t shorts[4];
		uint32_t words;
	} v[CELLS * CELLS / 2 * 3];
	static uint16_t indices[ARRAY_LEN(v)];
	GLuint name[3];
	float w;
	int i, k;

	for (i = 0; i < (int)ARRAY_LEN(v); i++) {
		/* Powers of two, so that the division is exact */
		w = (float)(1 << (i * 5 / 3 & 3));
		v[i].position[0] = w * ((float)(i / 3 % CELLS * 4) + corners[i % 3][0] - 16) / 16;
		v[i].position[1] = w * ((float)(i / 3 / CELLS * 4) + corners[i % 3][1] - 16) / 16;
		v[i].position[3] = w;
		for (k = 0; k < 4; k++) {
			v[i].bytes[k] = (int8_t)(i * 37 + k * 91);
			v[i].shorts[k] = (int16_t)(i * 3 + k);
		}
		v[i].words = (uint32_t)i / 3 * 0x01234567u;
		/* Half of the triangles show their backs. */
		k = i / 3 & 1 && i % 3 ? i / 3 * 3 + 3 - i % 3 : i;
		indices[i] = (uint16_t)k;
	}
	glGenVertexArrays(1, name);
	glBindVertexArray(name[0]);
	glGenBuffers(2, name + 1);
	glBindBuffer(GL_ARRAY_BUFFER, name[1]);
	glBufferData(GL_ARRAY_BUFFER, sizeof(v), v, GL_STATIC_DRAW);
	glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, name[2]);
	glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(indices), indices, GL_STATIC_DRAW);
	glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(v[0]), (void *)0);
	glVertexAttribIPointer(1, 4, GL_BYTE, sizeof(v[0]), (void *)16);
	glVertexAttribPointer(2, 4, GL_SHORT, GL_FALSE, sizeof(v[0]), (void *)20);
	glVertexAttribIPointer(3, 1, GL_UNSIGNED_INT, sizeof(v[0]), (void *)28);
	for (i = 0; i < 4; i++)
		glEnableVertexAttribArray((GLuint)i);
}

static GLenum bind_texture(GLenum unit, GLenum target, GLint filter)
{
	GLuint name;

	glActiveTexture(GL_TEXTURE0 + unit);
	glGenTextures(1, &name);
	glBindTexture(target, name);
	if (target == GL_TEXTURE_BUFFER)
		return target;
	glTexParameteri(target, GL_TEXTURE_MIN_FILTER, filter);
	glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
	return target;
}

static void make_textures(void)
{
	static uint8_t bytes[8 * 8 * 4 * 4 * 2];
	static int32_t words[64];
	float depths[64];
	GLuint buffer;
	GLint i;

	for (i = 0; i < (int)sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 73 + (i >> 5) * 11);
	for (i = 0; i < 64; i++) {
		words[i] = (int32_t)((uint32_t)i * 0x9e3779b9u);
		depths[i] = (float)(i * 5 % 8) / 8;
	}
	bind_texture(0, GL_TEXTURE_2D, GL_NEAREST);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA16I, 8, 8, 0, GL_RGBA_INTEGER, GL_SHORT, bytes);
	bind_texture(1, GL_TEXTURE_2D_ARRAY, GL_NEAREST);
	glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8, 8, 8, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
	bind_texture(2, GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST);
	for (i = 0; i < 4; i++)
		glTexImage2D(GL_TEXTURE_2D, i, GL_RGBA8, 8 >> i, 8 >> i, 0, GL_RGBA, GL_UNSIGNED_BYTE,
			     bytes + 64 * i);
	bind_texture(3, GL_TEXTURE_CUBE_MAP, GL_NEAREST);
	for (i = 0; i < 6; i++)
		glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)i, 0, GL_RGBA8, 8, 8, 0, GL_RGBA,
			     GL_UNSIGNED_BYTE, bytes + 100 * i);
	bind_texture(4, GL_TEXTURE_2D, GL_NEAREST);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, 8, 8, 0, GL_DEPTH_COMPONENT, GL_FLOAT, depths);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_TEXTURE_BUFFER, buffer);
	glBufferData(GL_TEXTURE_BUFFER, sizeof(words), words, GL_STATIC_DRAW);
	bind_texture(5, GL_TEXTURE_BUFFER, 0);
	glTexBuffer(GL_TEXTURE_BUFFER, GL_R32I, buffer);
}

static void make_block(void)
{
	static struct {
		int32_t vectors[4][4];
		float reals[4][4], matrix[4][4];
	} block;
	GLuint buffer;
	int i, k;

	for (i = 0; i < 4; i++) {
		for (k = 0; k < 4; k++) {
			block.vectors[i][k] = (i * 4 + k) * 0x1357 - 0x4000;
			block.reals[i][k] = (float)(i * 7 + k);
			block.matrix[i][k] = (float)((i * 5 + k * 3) % 8);
		}
	}
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_UNIFORM_BUFFER, buffer);
	glBufferData(GL_UNIFORM_BUFFER, sizeof(block), &block, GL_STATIC_DRAW);
	glBindBufferBase(GL_UNIFORM_BUFFER, 0, buffer);
}

static void attach(GLuint program, GLenum type, const char *words)
{
	GLuint shader = glCreateShader(type);
	char log[1000] = "";
	GLint ok;

	glShaderSource(shader, 1, &words, NULL);
	glCompileShader(shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
	if (!ok) {
		glGetShaderInfoLog(shader, sizeof(log), NULL, log);
		die("a shader: ", log);
	}
	glAttachShader(program, shader);
	glDeleteShader(shader);
}

static GLuint link_program(const struct program *p)
{
	static const char *const attributes[] = { "position", "bytes", "shorts", "words" };
	static const char *const textures[] = { "signed_texels", "layers", "levels", "faces", "depths", "line" };
	static const GLint plain[8] = { 3, -1, 1000000, 7, -70000, 255, 16, 1 };
	GLuint i, name = glCreateProgram();
	char log[1000] = "";
	GLint ok;

	attach(name, GL_VERTEX_SHADER, p->shaders[STAGE_VERTEX]);
	if (p->geometry)
		attach(name, GL_GEOMETRY_SHADER, p->shaders[STAGE_GEOMETRY]);
	attach(name, GL_FRAGMENT_SHADER, p->shaders[STAGE_FRAGMENT]);
	for (i = 0; i < ARRAY_LEN(attributes); i++)
		glBindAttribLocation(name, i, attributes[i]);
	glLinkProgram(name);
	glGetProgramiv(name, GL_LINK_STATUS, &ok);
	if (!ok) {
		glGetProgramInfoLog(name, sizeof(log), NULL, log);
		die("a program does not link: ", log);
	}
	glUseProgram(name);
	glUniform1iv(glGetUniformLocation(name, "plain"), 8, plain);
	for (i = 0; i < ARRAY_LEN(textures); i++)
		glUniform1i(glGetUniformLocation(name, textures[i]), (GLint)i);
	i = glGetUniformBlockIndex(name, "Block");
	if (i != GL_INVALID_INDEX)
		glUniformBlockBinding(name, i, 0);
	return name;
}

static void draw(uint32_t seed, uint8_t *picture)
{
	struct program program;
	GLuint name, i;
	GLenum error;

	make_program(&program, seed);
	name = link_program(&program);
	clear_targets();
	glDrawElementsInstanced(GL_TRIANGLES, CELLS * CELLS / 2 * 3, GL_UNSIGNED_SHORT, NULL, 2);
	for (i = 0; i < TARGETS; i++) {
		glReadBuffer(GL_COLOR_ATTACHMENT0 + i);
		glReadPixels(0, 0, SIZE, SIZE, targets[i].format, targets[i].type, picture);
		picture += SIZE * SIZE * targets[i].bytes;
	}
	glDeleteProgram(name);
	free_program(&program);
	error = glGetError();
	if (error) {
		fprintf(stderr, "random: seed %u: error %04x\n", seed, error);
		exit(2);
	}
}

static int draw_all(const char *file, uint32_t first, uint32_t count)
{
	static const struct context wanted = { "random", EGL_OPENGL_API, EGL_OPENGL_BIT, 3, 3 };
	static uint8_t picture[PICTURE_BYTES];
	FILE *f = fopen(file, "wb");
	uint32_t i;

	if (!f)
		die("the file cannot be written", "");
	context_make(&wanted);
	make_targets();
	make_vertices();
	make_textures();
	make_block();
	for (i = 0; i < count; i++) {
		draw(first + i, picture);
		fwrite(picture, 1, sizeof(picture), f);
		fflush(f);
	}
	if (fclose(f))
		die("the file cannot be written", "");
	return 0;
}

/* --- comparison --- */

static const char *const stage_names[STAGES] = { "vertex", "geometry", "fragment" };

/* Pixels that differ, of all targets, and where the first one is */
static int compare_pixels(const uint8_t *a, const uint8_t *b, int *first, const char **target)
{
	int i, k, count = 0;

	for (i = 0; i < TARGETS; i++) {
		for (k = 0; k < SIZE * SIZE; k++) {
			if (memcmp(a, b, targets[i].bytes) && !count++) {
				*first = k;
				*target = targets[i].name;
			}
			a += targets[i].bytes;
			b += targets[i].bytes;
		}
	}
	return count;
}

static void compare_one(uint32_t seed, const uint8_t *a, const uint8_t *b)
{
	const char *target = "";
	struct program program;
	int first = 0, count;

	make_program(&program, seed);
	count = compare_pixels(a, b, &first, &target);
	if (!tap(!count, "program %u, %s", seed, stage_names[program.stage]))
		tap_diag("%d pixels of all targets differ, first %d, %d of the %s", count, first % SIZE,
			 first / SIZE, target);
	free_program(&program);
}

static int compare(const char *a, const char *b, uint32_t first)
{
	static uint8_t pictures[2][PICTURE_BYTES];
	FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");

	if (!f || !g)
		die("a file cannot be read", "");
	while (fread(pictures[1], 1, PICTURE_BYTES, g) == PICTURE_BYTES) {
		/* A picture that is missing differs. */
		if (fread(pictures[0], 1, PICTURE_BYTES, f) != PICTURE_BYTES)
			memset(pictures[0], 0xee, PICTURE_BYTES);
		compare_one(first++, pictures[0], pictures[1]);
	}
	fclose(f);
	fclose(g);
	return tap_end();
}

static int show(uint32_t seed)
{
	struct program program;
	int i;

	make_program(&program, seed);
	for (i = 0; i < STAGES; i++) {
		if (i != STAGE_GEOMETRY || program.geometry)
			printf("// %s\n%s\n", stage_names[i], program.shaders[i]);
	}
	free_program(&program);
	return 0;
}

static uint32_t seed_of(const char *words)
{
	if (!isdigit((unsigned char)*words))
		die("a seed is a number, not ", words);
	return (uint32_t)strtoul(words, NULL, 10);
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "--compare"))
		return compare(argv[2], argv[3], seed_of(argv[4]));
	if (argc == 3 && !strcmp(argv[1], "--show"))
		return show(seed_of(argv[2]));
	if (argc != 4)
		die("give FILE, FIRST and COUNT", "");
	return draw_all(argv[1], seed_of(argv[2]), seed_of(argv[3]));
}
