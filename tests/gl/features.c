// SPDX-License-Identifier: MIT
/*
 * Features of OpenGL ES 3.0, a small picture of each, as bytes in a file. The files of two drivers
 * are compared picture by picture.
 *
 *	features FILE [NAME]		draw them all, or one
 *	features --compare A B [NAME]	as TAP: whether two such files agree, but for one picture
 *	features --same A B	as TAP: whether two such files are equal to the byte
 *
 * A picture has a tolerance for each byte, 0 where the result is exact. A picture that depends on
 * edges and rounding also has a number of pixels that may differ by more.
 */
#include <GLES3/gl3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gl/pictures.h"

/* --- programs --- */

static GLuint compile(GLenum type, const char *head, const char *source)
{
	const char *parts[] = { "#version 300 es\nprecision highp float;\nprecision highp int;\n", head,
				source };

	return compile_parts(type, parts, 3);
}

static GLuint program(const char *vertex, const char *fragment)
{
	GLuint name = glCreateProgram();

	glAttachShader(name, compile(GL_VERTEX_SHADER, "", vertex));
	glAttachShader(name, compile(GL_FRAGMENT_SHADER, "", fragment));
	link_program(name);
	return name;
}

/* Position and four more numbers, as they are */
static const char plain_vertex[] =
	"layout(location = 0) in vec4 position;\n"
	"layout(location = 1) in vec4 extra;\n"
	"out vec4 data;\n"
	"void main() { gl_Position = position; data = extra; }\n";

static const char plain_fragment[] =
	"in vec4 data;\n"
	"out vec4 result;\n"
	"void main() { result = data; }\n";

static void attributes(const GLfloat *vertices)
{
	glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 32, vertices);
	glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 32, vertices + 4);
	glEnableVertexAttribArray(0);
	glEnableVertexAttribArray(1);
}

/* A rectangle; data runs from (u0, v0) to (u1, v1), then z and w for all of it */
static void rectangle(float x0, float y0, float x1, float y1, const GLfloat data[6])
{
	const GLfloat vertices[] = {
		x0, y0, 0, 1, data[0], data[1], data[4], data[5],
		x1, y0, 0, 1, data[2], data[1], data[4], data[5],
		x0, y1, 0, 1, data[0], data[3], data[4], data[5],
		x1, y1, 0, 1, data[2], data[3], data[4], data[5],
	};

	attributes(vertices);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void colored(float x0, float y0, float x1, float y1, float red, float green, float blue,
		    float alpha)
{
	const GLfloat data[] = { red, green, red, green, blue, alpha };

	rectangle(x0, y0, x1, y1, data);
}

/* Cell @n of a grid of @columns x @rows over the picture */
static void cell(unsigned int n, unsigned int columns, unsigned int rows, const GLfloat data[6])
{
	float w = 2.0f / (float)columns, h = 2.0f / (float)rows;
	unsigned int column = n % columns, row = n / columns;
	float x = -1 + w * (float)column, y = -1 + h * (float)row;

	rectangle(x, y, x + w, y + h, data);
}

/* --- points and lines --- */

static void draw_lines(void)
{
	/* to all sides from the middle of a pixel, in two colors; the last two leave the picture */
	static const GLfloat ends[][2] = {
		{ 20, 0 }, { 17, 9 }, { 5, 13 }, { 0, 16 }, { -7, 12 }, { -18, 5 }, { -20, 0 },
		{ -16, -11 }, { 0, -15 }, { 12, -14 }, { 90, 37 }, { -90, 61 },
	};
	GLfloat vertices[ARRAY_LEN(ends)][2][8];
	unsigned int i, k;

	for (i = 0; i < ARRAY_LEN(ends); i++) {
		for (k = 0; k < 2; k++) {
			GLfloat *v = vertices[i][k];

			v[0] = ((float)k * ends[i][0] + 0.5f) / (WIDTH / 2.0f);
			v[1] = ((float)k * ends[i][1] + 0.5f) / (HEIGHT / 2.0f);
			v[2] = 0;
			v[3] = 1;
			v[4] = (float)k;
			v[5] = 1 - (float)k;
			v[6] = 0.5f;
			v[7] = 1;
		}
	}
	program(plain_vertex, plain_fragment);
	attributes(vertices[0][0]);
	glDrawArrays(GL_LINES, 0, 2 * ARRAY_LEN(ends));
}

static void draw_wide_lines(void)
{
	glLineWidth(5);
	draw_lines();
	glLineWidth(1);
}

static void draw_strips_of_lines(void)
{
	static const GLfloat vertices[] = {
		-0.8f, -0.7f, 0, 1, 1, 0, 0, 1, 0.1f, -0.9f, 0, 1, 0, 1, 0, 1,
		-0.2f, 0.6f, 0, 1, 0, 0, 1, 1, -0.9f, 0.8f, 0, 1, 1, 1, 0, 1,
		0.3f, -0.6f, 0, 1, 1, 0, 1, 1, 0.9f, 0.2f, 0, 1, 0, 1, 1, 1,
		0.2f, 0.9f, 0, 1, 1, 1, 1, 1, 0.7f, 0.7f, 0, 1, 1, 0, 0, 1,
	};

	program(plain_vertex, plain_fragment);
	attributes(vertices);
	glDrawArrays(GL_LINE_LOOP, 0, 4);
	glDrawArrays(GL_LINE_STRIP, 4, 4);
}

static void points(const char *fragment)
{
	GLfloat vertices[8][8];
	unsigned int i;

	for (i = 0; i < 8; i++) {
		GLfloat *v = vertices[i];

		v[0] = -0.8f + 0.5f * (float)(i % 4);
		v[1] = i < 4 ? -0.5f : 0.45f;
		v[2] = 0;
		v[3] = 1;
		v[4] = 1 + 2 * (float)i;
		v[5] = 0.1f * (float)i;
		v[6] = 0.5f;
		v[7] = 1;
	}

	program("layout(location = 0) in vec4 position;\n"
		"layout(location = 1) in vec4 extra;\n"
		"out vec4 data;\n"
		"void main() { gl_Position = position; gl_PointSize = extra.x; data = extra; }\n",
		fragment);
	attributes(vertices[0]);
	glDrawArrays(GL_POINTS, 0, 8);
}

static void draw_points(void)
{
	points("in vec4 data;\n"
	       "out vec4 result;\n"
	       "void main() { result = data.yzyw; }\n");
}

/*
 * Mesa 22.3.6 puts gl_PointCoord into POINT_COORD_REPLACE_MAP. Mesa 25.0.7 leaves this map empty, as
 * its NV50 driver only looks for generic inputs of the program. So the coordinates are 0 on any
 * card. With that Mesa, llvmpipe's picture is drawn with zeros.
 */
static bool coordinates_are_lost(void)
{
	const char *mesa = strstr((const char *)glGetString(GL_VERSION), "Mesa ");

	return mesa && atoi(mesa + strlen("Mesa ")) >= 25;
}

static void draw_point_coordinates(void)
{
	bool is_reference = strstr((const char *)glGetString(GL_RENDERER), "llvmpipe");

	if (is_reference && coordinates_are_lost())
		points("in vec4 data;\n"
		       "out vec4 result;\n"
		       "void main() { result = vec4(0, 0, data.yw); }\n");
	else
		points("in vec4 data;\n"
		       "out vec4 result;\n"
		       "void main() { result = vec4(gl_PointCoord, data.yw); }\n");
}

/* --- textures --- */

static const char sample_2d[] =
	"in vec4 data;\n"
	"uniform sampler2D image;\n"
	"out vec4 result;\n"
	"void main() { result = texture(image, data.xy); }\n";

static uint8_t noise_at(unsigned int n)
{
	return (n * 2654435761u ^ n * 40503u) >> 13;
}

static GLuint texture(GLenum target, GLint min, GLint mag, GLint wrap)
{
	GLuint name;

	glGenTextures(1, &name);
	glBindTexture(target, name);
	glTexParameteri(target, GL_TEXTURE_MIN_FILTER, min);
	glTexParameteri(target, GL_TEXTURE_MAG_FILTER, mag);
	glTexParameteri(target, GL_TEXTURE_WRAP_S, wrap);
	glTexParameteri(target, GL_TEXTURE_WRAP_T, wrap);
	glTexParameteri(target, GL_TEXTURE_WRAP_R, wrap);
	return name;
}

static const uint8_t *noise(unsigned int size)
{
	static uint8_t bytes[64 * 64 * 4 * 6];
	unsigned int i;

	for (i = 0; i < size && i < sizeof(bytes); i++)
		bytes[i] = noise_at(i);
	return bytes;
}

static void noise_texture(GLint min, GLint mag, GLint wrap, int width, int height)
{
	texture(GL_TEXTURE_2D, min, mag, wrap);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
		     noise((unsigned int)(width * height * 4)));
}

static const GLfloat whole[6] = { 0, 0, 1, 1, 0, 1 };

static void draw_nearest(void)
{
	program(plain_vertex, sample_2d);
	noise_texture(GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE, 16, 12);
	rectangle(-1, -1, 1, 1, whole);
}

static void draw_linear(void)
{
	program(plain_vertex, sample_2d);
	noise_texture(GL_LINEAR, GL_LINEAR, GL_CLAMP_TO_EDGE, 16, 12);
	rectangle(-1, -1, 1, 1, whole);
}

static void draw_perspective(void)
{
	static const GLfloat vertices[] = {
		-1, -1, 0, 1, 0, 0, 0, 0, 1, -1, 0, 1, 4, 0, 0, 0,
		-3, 3, 0, 4, 0, 4, 0, 0, 3, 3, 0, 4, 4, 4, 0, 0,
	};

	program(plain_vertex, sample_2d);
	noise_texture(GL_LINEAR, GL_LINEAR, GL_REPEAT, 8, 8);
	attributes(vertices);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void draw_wrap(void)
{
	static const GLint modes[] = { GL_REPEAT, GL_MIRRORED_REPEAT, GL_CLAMP_TO_EDGE };
	static const GLfloat data[6] = { -1.5f, -1.5f, 2.5f, 2.5f, 0, 1 };
	unsigned int i;

	program(plain_vertex, sample_2d);
	for (i = 0; i < 6; i++) {
		noise_texture(GL_NEAREST, i < 3 ? GL_NEAREST : GL_LINEAR, modes[i % 3], 4, 4);
		cell(i, 3, 2, data);
	}
}

/* Random blocks of 4 x 4, of sizes that no block divides */
static void draw_compressed(void)
{
	static const struct {
		GLenum format;
		GLsizei block;
	} rows[] = {
		{ 0x83f0, 8 }, { 0x83f1, 8 }, { 0x83f2, 16 }, { 0x83f3, 16 },	/* S3TC */
		{ 0x8dbb, 8 }, { 0x8dbd, 16 },					/* RGTC */
	};
	unsigned int i;

	program(plain_vertex, sample_2d);
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		GLsizei size = 4 * 3 * rows[i].block;

		texture(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE);
		glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
		glCompressedTexImage2D(GL_TEXTURE_2D, 0, rows[i].format, 14, 10, 0, size,
				       noise((unsigned int)size));
		cell(i, 3, 2, whole);
	}
}

/* Sizes that are no powers of two, also of levels */
static void draw_odd_sizes(void)
{
	unsigned int i;

	program(plain_vertex, sample_2d);
	for (i = 0; i < 4; i++) {
		noise_texture(GL_NEAREST_MIPMAP_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE, 37 + 4 * (int)i,
			      21 + (int)i);
		glGenerateMipmap(GL_TEXTURE_2D);
		cell(i, 2, 2, whole);
	}
}

struct format {
	GLenum internal, format, type;
};

static void draw_format(const struct format *f, unsigned int n)
{
	texture(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE);
	glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
	glTexImage2D(GL_TEXTURE_2D, 0, (GLint)f->internal, 8, 4, 0, f->format, f->type, noise(1024));
	cell(n, 4, 5, whole);
}

static void draw_formats(void)
{
	static const struct format formats[] = {
		{ GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE }, { GL_RGB8, GL_RGB, GL_UNSIGNED_BYTE },
		{ GL_R8, GL_RED, GL_UNSIGNED_BYTE }, { GL_RG8, GL_RG, GL_UNSIGNED_BYTE },
		{ GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5 },
		{ GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4 },
		{ GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1 },
		{ GL_RGB10_A2, GL_RGBA, GL_UNSIGNED_INT_2_10_10_10_REV },
		{ GL_SRGB8_ALPHA8, GL_RGBA, GL_UNSIGNED_BYTE }, { GL_SRGB8, GL_RGB, GL_UNSIGNED_BYTE },
		{ GL_LUMINANCE, GL_LUMINANCE, GL_UNSIGNED_BYTE },
		{ GL_LUMINANCE_ALPHA, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE },
		{ GL_ALPHA, GL_ALPHA, GL_UNSIGNED_BYTE }, { GL_R8_SNORM, GL_RED, GL_BYTE },
		{ GL_RG8_SNORM, GL_RG, GL_BYTE }, { GL_RGBA8_SNORM, GL_RGBA, GL_BYTE },
	};
	unsigned int i;

	program(plain_vertex, sample_2d);
	for (i = 0; i < ARRAY_LEN(formats); i++)
		draw_format(&formats[i], i);
}

static void draw_float_formats(void)
{
	static const struct format formats[] = {
		{ GL_R16F, GL_RED, GL_FLOAT }, { GL_RG16F, GL_RG, GL_FLOAT },
		{ GL_RGB16F, GL_RGB, GL_FLOAT }, { GL_RGBA16F, GL_RGBA, GL_FLOAT },
		{ GL_R32F, GL_RED, GL_FLOAT }, { GL_RG32F, GL_RG, GL_FLOAT },
		{ GL_RGB32F, GL_RGB, GL_FLOAT }, { GL_RGBA32F, GL_RGBA, GL_FLOAT },
		{ GL_R11F_G11F_B10F, GL_RGB, GL_FLOAT }, { GL_RGB9_E5, GL_RGB, GL_FLOAT },
	};
	static GLfloat texels[8 * 4 * 4];
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(texels); i++)
		texels[i] = (float)noise_at(i) / 200;
	program(plain_vertex, sample_2d);
	for (i = 0; i < ARRAY_LEN(formats); i++) {
		texture(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE);
		glTexImage2D(GL_TEXTURE_2D, 0, (GLint)formats[i].internal, 8, 4, 0, formats[i].format,
			     formats[i].type, texels);
		cell(i, 4, 3, whole);
	}
}

static const char sample_unsigned[] =
	"in vec4 data;\n"
	"uniform highp usampler2D image;\n"
	"out vec4 result;\n"
	"void main() { result = vec4(texture(image, data.xy) & 255u) / 255.0; }\n";

static const char sample_signed[] =
	"in vec4 data;\n"
	"uniform highp isampler2D image;\n"
	"out vec4 result;\n"
	"void main() { result = vec4(texture(image, data.xy) / 2) / 128.0 + 0.5; }\n";

static void draw_integers(void)
{
	static const struct format formats[] = {
		{ GL_RGBA8UI, GL_RGBA_INTEGER, GL_UNSIGNED_BYTE },
		{ GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE },
		{ GL_RG16UI, GL_RG_INTEGER, GL_UNSIGNED_SHORT },
		{ GL_RGBA16UI, GL_RGBA_INTEGER, GL_UNSIGNED_SHORT },
		{ GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT },
		{ GL_RGBA32UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT },
		{ GL_RGB10_A2UI, GL_RGBA_INTEGER, GL_UNSIGNED_INT_2_10_10_10_REV },
		{ GL_RGBA8I, GL_RGBA_INTEGER, GL_BYTE },
		{ GL_R8I, GL_RED_INTEGER, GL_BYTE },
		{ GL_RG8I, GL_RG_INTEGER, GL_BYTE },
	};
	unsigned int i;

	program(plain_vertex, sample_unsigned);
	for (i = 0; i < ARRAY_LEN(formats); i++) {
		if (i == 7)
			program(plain_vertex, sample_signed);
		draw_format(&formats[i], i);
	}
}

/* Each level has a color, and each cell another size of texels on the screen. */
static void colored_levels(GLint min)
{
	static uint8_t level[64 * 64 * 4];
	unsigned int i, k, size;

	texture(GL_TEXTURE_2D, min, GL_LINEAR, GL_REPEAT);
	for (i = 0; i < 7; i++) {
		size = 64 >> i;
		for (k = 0; k < size * size; k++) {
			level[k * 4] = (uint8_t)(i * 40);
			level[k * 4 + 1] = (uint8_t)(255 - i * 40);
			level[k * 4 + 2] = noise_at(i) & 0x80 ? 255 : 0;
			level[k * 4 + 3] = 255;
		}
		glTexImage2D(GL_TEXTURE_2D, (GLint)i, GL_RGBA8, (GLsizei)size, (GLsizei)size, 0, GL_RGBA,
			     GL_UNSIGNED_BYTE, level);
	}
}

static void draw_levels(void)
{
	GLfloat data[6] = { 0, 0, 0, 0, 0, 1 };
	unsigned int i;

	program(plain_vertex, sample_2d);
	for (i = 0; i < 8; i++) {
		colored_levels(i & 1 ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST_MIPMAP_LINEAR);
		data[2] = 0.125f * (float)(1 << i / 2);
		data[3] = 0.375f * (float)(1 << i / 2);
		cell(i, 4, 2, data);
	}
}

static void draw_generated_levels(void)
{
	unsigned int i;

	program(plain_vertex, sample_2d);
	noise_texture(GL_NEAREST_MIPMAP_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE, 64, 64);
	glGenerateMipmap(GL_TEXTURE_2D);
	for (i = 0; i < 4; i++) {
		glTexParameterf(GL_TEXTURE_2D, GL_TEXTURE_MIN_LOD, (GLfloat)(i + 1));
		cell(i, 2, 2, whole);
	}
}

static const char sample_cube[] =
	"in vec4 data;\n"
	"uniform samplerCube image;\n"
	"out vec4 result;\n"
	"void main() { result = texture(image, vec3(data.xy, data.z)); }\n";

/* Directions to all faces: each cell looks to the front or to the back, from near or far */
static void draw_cube(GLint filter, float blue)
{
	GLfloat data[6] = { -3, -3, 3, 3, 1, 1 };
	const uint8_t *bytes = noise(8 * 8 * 4 * 6);
	unsigned int i;

	program(plain_vertex, sample_cube);
	texture(GL_TEXTURE_CUBE_MAP, filter, filter, GL_CLAMP_TO_EDGE);
	for (i = 0; i < 6; i++)
		glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + i, 0, GL_RGBA8, 8, 8, 0, GL_RGBA,
			     GL_UNSIGNED_BYTE, bytes + i * 256);
	data[4] = blue;
	cell(0, 2, 1, data);
	data[4] = -blue;
	cell(1, 2, 1, data);
}

static void draw_cube_nearest(void)
{
	draw_cube(GL_NEAREST, 1.1f);
}

static void draw_cube_linear(void)
{
	draw_cube(GL_LINEAR, 4);
}

static const char sample_3d[] =
	"in vec4 data;\n"
	"uniform highp sampler3D image;\n"
	"out vec4 result;\n"
	"void main() { result = texture(image, data.xyz); }\n";

static const char sample_array[] =
	"in vec4 data;\n"
	"uniform highp sampler2DArray image;\n"
	"out vec4 result;\n"
	"void main() { result = texture(image, data.xyz); }\n";

static void draw_volume(GLenum target, const char *fragment, GLint filter, float scale)
{
	GLfloat data[6] = { 0, 0, 1, 1, 0, 1 };
	unsigned int i;

	program(plain_vertex, fragment);
	texture(target, filter, filter, GL_CLAMP_TO_EDGE);
	glTexImage3D(target, 0, GL_RGBA8, 16, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, noise(4096));
	for (i = 0; i < 8; i++) {
		data[4] = ((float)i + 0.4f) * scale;
		cell(i, 4, 2, data);
	}
}

static void draw_3d_nearest(void)
{
	draw_volume(GL_TEXTURE_3D, sample_3d, GL_NEAREST, 0.125f);
}

static void draw_3d_linear(void)
{
	draw_volume(GL_TEXTURE_3D, sample_3d, GL_LINEAR, 0.125f);
}

static void draw_array(void)
{
	draw_volume(GL_TEXTURE_2D_ARRAY, sample_array, GL_NEAREST, 1);
}

static const char sample_shadow[] =
	"in vec4 data;\n"
	"uniform highp sampler2DShadow image;\n"
	"out vec4 result;\n"
	"void main() { result = vec4(texture(image, data.xyz)); }\n";

static void draw_shadow(void)
{
	static const GLint functions[] = { GL_LESS, GL_LEQUAL, GL_GREATER, GL_GEQUAL, GL_EQUAL,
					   GL_NOTEQUAL, GL_ALWAYS, GL_NEVER };
	GLfloat data[6] = { 0, 0, 1, 1, 0.5f, 1 };
	uint32_t depth[64];
	unsigned int i;

	for (i = 0; i < 64; i++)
		depth[i] = (uint32_t)noise_at(i) << 24;
	program(plain_vertex, sample_shadow);
	texture(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, 8, 8, 0, GL_DEPTH_COMPONENT,
		     GL_UNSIGNED_INT, depth);
	for (i = 0; i < 8; i++) {
		glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, functions[i]);
		data[4] = i & 1 ? 0.5f : 0.3f;
		cell(i, 4, 2, data);
	}
}

static const char sample_many[] =
	"in vec4 data;\n"
	"uniform sampler2D image;\n"
	"uniform int kind;\n"
	"out vec4 result;\n"
	"void main()\n"
	"{\n"
	"	ivec2 at = ivec2(data.xy * 8.0);\n"
	"	if (kind == 0) result = texelFetch(image, at, 1);\n"
	"	if (kind == 1) result = vec4(vec2(textureSize(image, 0)), vec2(textureSize(image, 2))) / 64.0;\n"
	"	if (kind == 2) result = textureLod(image, data.xy, 2.0);\n"
	"	if (kind == 3) result = textureOffset(image, data.xy, ivec2(2, -3));\n"
	"	if (kind == 4) result = textureProj(image, vec3(data.xy * 2.0, 2.0));\n"
	"	if (kind == 5) result = texture(image, data.xy, 1.0);\n"
	"	if (kind == 6) result = textureGrad(image, data.xy, vec2(0.125, 0.0), vec2(0.0, 0.125));\n"
	"	if (kind == 7) result = texelFetchOffset(image, at, 0, ivec2(1, 2));\n"
	"}\n";

static void draw_functions(void)
{
	static const uint8_t *bytes;
	GLuint name = program(plain_vertex, sample_many);
	GLint kind = glGetUniformLocation(name, "kind");
	unsigned int i;

	texture(GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST, GL_NEAREST, GL_REPEAT);
	for (i = 0; i < 5; i++) {
		bytes = noise(1024 + i) + i;
		glTexImage2D(GL_TEXTURE_2D, (GLint)i, GL_RGBA8, 16 >> i, 16 >> i, 0, GL_RGBA,
			     GL_UNSIGNED_BYTE, bytes);
	}
	for (i = 0; i < 8; i++) {
		glUniform1i(kind, (GLint)i);
		cell(i, 4, 2, whole);
	}
}

/* In the vertex program */
static void draw_vertex_texture(void)
{
	program("layout(location = 0) in vec4 position;\n"
		"layout(location = 1) in vec4 extra;\n"
		"uniform sampler2D image;\n"
		"out vec4 data;\n"
		"void main() { gl_Position = position; data = textureLod(image, extra.xy, 0.0); }\n",
		plain_fragment);
	noise_texture(GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE, 16, 12);
	rectangle(-1, -1, 1, 1, whole);
}

/* Blits that are draws: smaller, larger, with a filter, of another format */
static void draw_blits(void)
{
	GLuint framebuffer[2], name;
	GLint target;

	glGetIntegerv(GL_FRAMEBUFFER_BINDING, &target);
	glGenFramebuffers(2, framebuffer);
	name = texture(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 32, 24, 0, GL_RGBA, GL_UNSIGNED_BYTE, noise(3072));
	glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer[0]);
	glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
	glBlitFramebuffer(0, 0, 30, 24, 0, 0, 10, 8, GL_COLOR_BUFFER_BIT, GL_NEAREST);
	glBlitFramebuffer(0, 0, 8, 8, 32, 0, 64, 24, GL_COLOR_BUFFER_BIT, GL_LINEAR);
	glBlitFramebuffer(4, 4, 12, 12, 0, 48, 32, 24, GL_COLOR_BUFFER_BIT, GL_NEAREST);
	name = texture(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB565, 32, 24, 0, GL_RGB, GL_UNSIGNED_SHORT_5_6_5,
		     noise(3072));
	glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer[1]);
	glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
	glBlitFramebuffer(0, 0, 32, 24, 32, 24, 64, 48, GL_COLOR_BUFFER_BIT, GL_NEAREST);
	glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)target);
}

/* --- vertices --- */

static const GLfloat grid[] = {
	-1, -1, 0, 1, 1, 0, 0, 1, 0, -1, 0, 1, 0, 1, 0, 1, 1, -1, 0, 1, 0, 0, 1, 1,
	-1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1,
	-1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 0.5f, 0.5f, 0, 1,
};

static void draw_indexed(void)
{
	static const GLubyte bytes[] = { 0, 1, 4, 4, 3, 0 };
	static const GLushort shorts[] = { 9, 1, 2, 5, 5, 4, 1 };
	static const GLuint words[] = { 3, 4, 6, 7, 0xffffffff, 4, 5, 7, 8 };
	GLuint buffers[2];

	program(plain_vertex, plain_fragment);
	attributes(grid);
	glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_BYTE, bytes);
	glDrawElements(GL_TRIANGLES, 6, GL_UNSIGNED_SHORT, shorts + 1);
	glEnable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
	glGenBuffers(2, buffers);
	glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
	glBufferData(GL_ARRAY_BUFFER, sizeof(grid), grid, GL_STATIC_DRAW);
	glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
	glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(words), words, GL_STATIC_DRAW);
	attributes(NULL);
	glDrawElements(GL_TRIANGLE_STRIP, 9, GL_UNSIGNED_INT, NULL);
	glDisable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
	glBindBuffer(GL_ARRAY_BUFFER, 0);
	glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
}

/* Indices in buffers, from odd places on */
static void draw_index_buffers(void)
{
	static const GLubyte bytes[] = { 9, 9, 9, 0, 1, 3, 4, 9 };
	static const GLushort shorts[] = { 9, 4, 5, 7, 8, 9 };
	GLuint buffers[3];

	program(plain_vertex, plain_fragment);
	glGenBuffers(3, buffers);
	glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
	glBufferData(GL_ARRAY_BUFFER, sizeof(grid), grid, GL_STATIC_DRAW);
	attributes(NULL);
	glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[1]);
	glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(bytes), bytes, GL_STATIC_DRAW);
	glDrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_BYTE, (const void *)3);
	glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffers[2]);
	glBufferData(GL_ELEMENT_ARRAY_BUFFER, sizeof(shorts), shorts, GL_STATIC_DRAW);
	glDrawElements(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_SHORT, (const void *)2);
	glBindBuffer(GL_ARRAY_BUFFER, 0);
	glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
}

static void draw_instances(void)
{
	static const GLfloat corners[] = { 0, 0, 0.3f, 0, 0, 0.4f, 0.3f, 0.4f };
	static const GLfloat colors[] = { 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1 };

	program("layout(location = 0) in vec2 position;\n"
		"layout(location = 1) in vec4 extra;\n"
		"out vec4 data;\n"
		"void main()\n"
		"{\n"
		"	vec2 at = vec2(float(gl_InstanceID % 5), float(gl_InstanceID / 5)) * 0.4 - 1.0;\n"
		"	gl_Position = vec4(at + position, 0.0, 1.0);\n"
		"	data = extra * (float(gl_VertexID) * 0.25 + 0.25);\n"
		"}\n", plain_fragment);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
	glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, colors);
	glEnableVertexAttribArray(0);
	glEnableVertexAttribArray(1);
	glVertexAttribDivisor(1, 3);
	glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, 12);
	glVertexAttribDivisor(1, 0);
}

struct vertex_format {
	GLint count;
	GLenum type;
	GLboolean normalized;
};

static void draw_vertex_formats(void)
{
	static const struct vertex_format formats[] = {
		{ 4, GL_UNSIGNED_BYTE, GL_TRUE }, { 4, GL_BYTE, GL_TRUE }, { 4, GL_SHORT, GL_TRUE },
		{ 4, GL_UNSIGNED_SHORT, GL_TRUE }, { 4, GL_HALF_FLOAT, GL_FALSE },
		{ 4, GL_UNSIGNED_INT_2_10_10_10_REV, GL_TRUE }, { 4, GL_INT_2_10_10_10_REV, GL_TRUE },
		{ 2, GL_UNSIGNED_BYTE, GL_TRUE }, { 3, GL_UNSIGNED_BYTE, GL_TRUE },
		{ 1, GL_SHORT, GL_TRUE }, { 3, GL_HALF_FLOAT, GL_FALSE }, { 2, GL_UNSIGNED_SHORT, GL_TRUE },
		{ 4, GL_UNSIGNED_BYTE, GL_FALSE }, { 4, GL_BYTE, GL_FALSE }, { 2, GL_SHORT, GL_FALSE },
		{ 2, GL_FIXED, GL_FALSE },
	};
	static GLushort words[64];
	GLuint buffers[2];
	unsigned int i, k;

	for (k = 0; k < 64; k++)
		words[k] = (GLushort)(0x3000 + noise_at(k) * 8);
	program("layout(location = 0) in vec4 position;\n"
		"layout(location = 1) in vec4 extra;\n"
		"uniform float scale;\n"
		"out vec4 data;\n"
		"void main() { gl_Position = position; data = extra * scale + 0.1; }\n", plain_fragment);
	glGenBuffers(2, buffers);
	glBindBuffer(GL_ARRAY_BUFFER, buffers[1]);
	glBufferData(GL_ARRAY_BUFFER, sizeof(words), words, GL_STATIC_DRAW);
	for (i = 0; i < ARRAY_LEN(formats); i++) {
		unsigned int column = i % 4, row = i / 4;
		GLfloat x = (GLfloat)column * 0.5f - 1, y = (GLfloat)row * 0.5f - 1;
		const GLfloat corners[] = { x, y, x + 0.5f, y, x, y + 0.5f, x + 0.5f, y + 0.5f };
		GLint program_now;

		glGetIntegerv(GL_CURRENT_PROGRAM, &program_now);
		glUniform1f(glGetUniformLocation((GLuint)program_now, "scale"), i < 12 ? 1 : 0.004f);
		glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
		glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STREAM_DRAW);
		glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
		glBindBuffer(GL_ARRAY_BUFFER, buffers[1]);
		glVertexAttribPointer(1, formats[i].count, formats[i].type, formats[i].normalized, 12,
				      NULL);
		glEnableVertexAttribArray(0);
		glEnableVertexAttribArray(1);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	}
	glBindBuffer(GL_ARRAY_BUFFER, 0);
}

/* An attribute without an array, and integers */
static void draw_constant_attributes(void)
{
	static const GLint integers[] = { 1, -2, 300, 4, 50, -6, 7, 8 };
	static const GLfloat corners[] = { -1, -1, 1, -1, -1, 1, 1, 1 };

	program("layout(location = 0) in vec2 position;\n"
		"layout(location = 1) in vec4 extra;\n"
		"layout(location = 2) in ivec2 number;\n"
		"out vec4 data;\n"
		"void main()\n"
		"{\n"
		"	gl_Position = vec4(position, 0.0, 1.0);\n"
		"	data = extra + vec4(number, number) * 0.001;\n"
		"}\n", plain_fragment);
	glDisableVertexAttribArray(1);
	glVertexAttrib4f(1, 0.2f, 0.4f, 0.6f, 0.8f);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
	glVertexAttribIPointer(2, 2, GL_INT, 0, integers);
	glEnableVertexAttribArray(0);
	glEnableVertexAttribArray(2);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glDisableVertexAttribArray(2);
}

/* Through the eye, behind it, and far outside of the screen */
static void draw_clipped(void)
{
	static const GLfloat vertices[] = {
		/* a floor that begins behind the eye */
		-4, -1, -3, -1, 1, 0, 0, 1, 4, -1, -3, -1, 0, 1, 0, 1, 0, -0.2f, 3, 5, 0, 0, 1, 1,
		/* beyond the far plane at one corner */
		-0.9f, 0.9f, 0, 1, 1, 1, 0, 1, -0.9f, 0.1f, 0, 1, 0, 1, 1, 1, 0.9f, 0.5f, 3, 1, 1, 0, 1, 1,
		/* a corner far away */
		0.5f, 0.9f, 0, 1, 0, 0, 1, 1, 0.5f, 0.7f, 0, 1, 1, 0, 0, 1, 5000, 0.8f, 0, 1, 0, 1, 0, 1,
	};

	program(plain_vertex, plain_fragment);
	attributes(vertices);
	glDrawArrays(GL_TRIANGLES, 0, 9);
}

static void draw_flat(void)
{
	program("layout(location = 0) in vec4 position;\n"
		"layout(location = 1) in vec4 extra;\n"
		"flat out vec4 data;\n"
		"void main() { gl_Position = position; data = extra; }\n",
		"flat in vec4 data;\n"
		"out vec4 result;\n"
		"void main() { result = data; }\n");
	attributes(grid);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 9);
	glEnable(GL_CULL_FACE);
	glCullFace(GL_FRONT);
	glDrawArrays(GL_TRIANGLE_FAN, 2, 6);
	glDisable(GL_CULL_FACE);
}

static void draw_offset(void)
{
	static const GLfloat slope[] = {
		-1, -1, -0.5f, 1, 1, 0, 0, 1, 1, -1, 0.5f, 1, 1, 0, 0, 1,
		-1, 1, -0.5f, 1, 0, 0, 1, 1, 1, 1, 0.5f, 1, 0, 0, 1, 1,
	};
	unsigned int i;

	program(plain_vertex, plain_fragment);
	glEnable(GL_DEPTH_TEST);
	glEnable(GL_POLYGON_OFFSET_FILL);
	glDepthFunc(GL_LESS);
	for (i = 0; i < 4; i++) {
		glPolygonOffset(-(float)(i & 1), -(float)(i & 2));
		glEnable(GL_SCISSOR_TEST);
		glScissor(0, 0, 64, 48 - (GLint)i * 12);
		attributes(slope);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		glPolygonOffset(-(float)(i & 1) * 1.5f, -(float)(i & 2));
		colored(-1, -1, 1, 1, 0.2f * (float)i, 1, 0, 1);
	}
	glDisable(GL_SCISSOR_TEST);
	glDisable(GL_POLYGON_OFFSET_FILL);
	glDisable(GL_DEPTH_TEST);
}

/* --- programs --- */

static void draw_derivatives(void)
{
	static const GLfloat data[6] = { 0, 0, 8, 6, 0, 1 };

	program(plain_vertex,
		"in vec4 data;\n"
		"out vec4 result;\n"
		"void main()\n"
		"{\n"
		"	vec2 p = data.xy * data.xy;\n"
		"	result = vec4(dFdx(p.x), dFdy(p.y), fwidth(data.x * data.y), 1.0);\n"
		"}\n");
	rectangle(-1, -1, 1, 1, data);
}

static void draw_flow(void)
{
	program(plain_vertex,
		"in vec4 data;\n"
		"out vec4 result;\n"
		"void main()\n"
		"{\n"
		"	vec2 at = data.xy * 3.0 - vec2(2.0, 1.5), z = vec2(0.0);\n"
		"	int i;\n"
		"	for (i = 0; i < 20; i++) {\n"
		"		z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + at;\n"
		"		if (dot(z, z) > 4.0) break;\n"
		"	}\n"
		"	if (i == 20) discard;\n"
		"	result = vec4(float(i) / 20.0, float(i & 3) / 3.0, float(i) > 4.0 ? 1.0 : 0.0, 1.0);\n"
		"}\n");
	rectangle(-1, -1, 1, 1, whole);
}

static void draw_builtins(void)
{
	static const GLfloat back[] = {
		-1, 0, 0, 1, 0, 0, 0, 0, -1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0,
		1, 1, 0, 1, 0, 0, 0, 0,
	};

	program(plain_vertex,
		"in vec4 data;\n"
		"out vec4 result;\n"
		"void main()\n"
		"{\n"
		"	result = vec4(gl_FragCoord.xy / 64.0, gl_FrontFacing ? 1.0 : 0.25, gl_FragCoord.z);\n"
		"}\n");
	rectangle(-1, -1, 1, 0, whole);
	attributes(back);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* --- targets --- */

static void draw_blending(void)
{
	static const GLenum factors[][2] = {
		{ GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA }, { GL_ONE, GL_ONE }, { GL_DST_COLOR, GL_ZERO },
		{ GL_ONE_MINUS_DST_COLOR, GL_ONE_MINUS_SRC_COLOR },
		{ GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_ALPHA }, { GL_SRC_ALPHA_SATURATE, GL_DST_ALPHA },
		{ GL_ONE_MINUS_DST_ALPHA, GL_SRC_COLOR }, { GL_CONSTANT_ALPHA, GL_ONE_MINUS_CONSTANT_COLOR },
	};
	static const GLenum equations[] = { GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT,
					    GL_MIN, GL_MAX };
	static const GLfloat data[6] = { 0, 0, 1, 1, 0.4f, 0.7f };
	unsigned int i;

	program(plain_vertex, plain_fragment);
	colored(-1, -1, 1, 1, 0.8f, 0.3f, 0.6f, 0.4f);
	glEnable(GL_BLEND);
	glBlendColor(0.2f, 0.4f, 0.6f, 0.8f);
	for (i = 0; i < 20; i++) {
		glBlendFunc(factors[i % 8][0], factors[i % 8][1]);
		glBlendEquation(equations[i / 8]);
		if (i >= 16)
			glBlendEquationSeparate(equations[i % 5], equations[i % 4 + 1]);
		if (i & 1)
			glBlendFuncSeparate(factors[i % 8][0], factors[i % 8][1], GL_ONE, GL_SRC_ALPHA);
		cell(i, 5, 4, data);
	}
	glDisable(GL_BLEND);
	glBlendEquation(GL_FUNC_ADD);
}

static void draw_masks(void)
{
	static const GLfloat data[6] = { 0, 0, 1, 1, 0.4f, 0.7f };
	GLboolean on[4];
	unsigned int i, k;

	program(plain_vertex, plain_fragment);
	for (i = 0; i < 16; i++) {
		for (k = 0; k < 4; k++)
			on[k] = i >> k & 1;
		glColorMask(on[0], on[1], on[2], on[3]);
		cell(i, 4, 4, data);
	}
	glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

/* Three targets of different formats, shown beside each other */
static void draw_targets(void)
{
	static const GLenum buffers[] = { GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1,
					  GL_COLOR_ATTACHMENT2 };
	static const GLenum formats[] = { GL_RGBA8, GL_RG8, GL_RGB10_A2 };
	GLuint framebuffer, renderbuffers[3];
	GLint target;
	unsigned int i;

	program(plain_vertex,
		"in vec4 data;\n"
		"layout(location = 0) out vec4 first;\n"
		"layout(location = 1) out vec4 second;\n"
		"layout(location = 2) out vec4 third;\n"
		"void main() { first = data; second = data.yzxw; third = 1.0 - data.zxyw; }\n");
	glGetIntegerv(GL_FRAMEBUFFER_BINDING, &target);
	glGenFramebuffers(1, &framebuffer);
	glGenRenderbuffers(3, renderbuffers);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	for (i = 0; i < 3; i++) {
		glBindRenderbuffer(GL_RENDERBUFFER, renderbuffers[i]);
		glRenderbufferStorage(GL_RENDERBUFFER, formats[i], 20, 48);
		glFramebufferRenderbuffer(GL_FRAMEBUFFER, buffers[i], GL_RENDERBUFFER, renderbuffers[i]);
	}
	glDrawBuffers(3, buffers);
	glViewport(0, 0, 20, 48);
	rectangle(-1, -1, 1, 1, whole);
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)target);
	for (i = 0; i < 3; i++) {
		glReadBuffer(buffers[i]);
		glBlitFramebuffer(0, 0, 20, 48, (GLint)i * 21, 0, (GLint)i * 21 + 20, 48,
				  GL_COLOR_BUFFER_BIT, GL_NEAREST);
	}
	glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)target);
}

static void draw_stencil(void)
{
	static const GLenum operations[] = { GL_INCR, GL_DECR, GL_INVERT, GL_REPLACE, GL_INCR_WRAP,
					     GL_DECR_WRAP, GL_ZERO, GL_KEEP };
	static const GLenum functions[] = { GL_LESS, GL_LEQUAL, GL_GREATER, GL_GEQUAL, GL_EQUAL,
					    GL_NOTEQUAL, GL_ALWAYS };
	GLfloat data[6] = { 0, 0, 1, 1, 0, 1 };
	unsigned int i;

	program(plain_vertex, plain_fragment);
	glEnable(GL_STENCIL_TEST);
	glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
	for (i = 0; i < 24; i++) {
		glStencilMask(i & 1 ? 0xff : 0x7d);
		glStencilFunc(functions[i % 7], 3, 0xf);
		glStencilOp(operations[i % 8], operations[(i + 3) % 8], operations[(i + 5) % 8]);
		cell(i, 6, 4, whole);
		cell((i * 7 + 1) % 24, 6, 4, whole);
	}
	glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
	glStencilMask(0);
	for (i = 0; i < 8; i++) {
		glStencilFunc(GL_EQUAL, 1 << i, 1u << i);
		glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
		data[4] = (float)(i + 1) / 8;
		rectangle(-1, -1, 1, 1, data);
	}
	glDisable(GL_STENCIL_TEST);
	glStencilMask(0xff);
}

/* The front of a face counts up, the back down; a failed depth test sets a bit. */
static void draw_two_sided_stencil(void)
{
	GLfloat vertices[] = {
		-1, -1, 0.5f, 1, 0, 0, 0, 0, 1, -1, -0.5f, 1, 0, 0, 0, 0, -1, 1, 0.5f, 1, 0, 0, 0, 0,
		1, 1, 0.5f, 1, 0, 0, 0, 0, 0.5f, -1, -0.5f, 1, 0, 0, 0, 0, -1, 0, 0.9f, 1, 0, 0, 0, 0,
	};
	unsigned int i;

	program(plain_vertex, plain_fragment);
	glEnable(GL_DEPTH_TEST);
	colored(-0.5f, -0.5f, 0.5f, 0.5f, 0.2f, 0.4f, 0.6f, 1);
	glEnable(GL_STENCIL_TEST);
	glStencilFunc(GL_ALWAYS, 0x80, 0xff);
	glStencilOpSeparate(GL_FRONT, GL_KEEP, GL_REPLACE, GL_INCR);
	glStencilOpSeparate(GL_BACK, GL_KEEP, GL_INVERT, GL_DECR_WRAP);
	attributes(vertices);
	glDrawArrays(GL_TRIANGLES, 0, 6);
	glDisable(GL_DEPTH_TEST);
	glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
	for (i = 0; i < 8; i++) {
		glStencilFunc(GL_EQUAL, 1 << i, 1u << i);
		colored(-1, -1, 1, 1, (float)i / 8, 1 - (float)i / 8, 0, 1);
	}
	glDisable(GL_STENCIL_TEST);
}

static void draw_depth_formats(void)
{
	static const GLenum formats[] = { GL_DEPTH_COMPONENT16, GL_DEPTH_COMPONENT24,
					  GL_DEPTH_COMPONENT32F, GL_DEPTH32F_STENCIL8 };
	GLfloat slope[] = { -1, -1, -1, 1, 1, 0, 0, 1, 1, -1, 1, 1, 1, 0, 0, 1,
			    -1, 1, -1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 1 };
	GLuint buffer;
	unsigned int i;

	program(plain_vertex, plain_fragment);
	glEnable(GL_DEPTH_TEST);
	glEnable(GL_SCISSOR_TEST);
	for (i = 0; i < 4; i++) {
		glGenRenderbuffers(1, &buffer);
		glBindRenderbuffer(GL_RENDERBUFFER, buffer);
		glRenderbufferStorage(GL_RENDERBUFFER, formats[i], WIDTH, HEIGHT);
		glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, 0);
		glFramebufferRenderbuffer(GL_FRAMEBUFFER, i == 3 ? GL_DEPTH_STENCIL_ATTACHMENT :
					  GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffer);
		glScissor((GLint)i * 16, 0, 16, 48);
		glClear(GL_DEPTH_BUFFER_BIT);
		attributes(slope);
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
		colored(-1, -1, 1, 1, 0, 0, 1, 1);
	}
	glDisable(GL_SCISSOR_TEST);
	glDisable(GL_DEPTH_TEST);
}

static void draw_own_depth(void)
{
	program(plain_vertex,
		"in vec4 data;\n"
		"out vec4 result;\n"
		"void main() { result = data; gl_FragDepth = fract(data.x * 4.0) * data.w; }\n");
	glEnable(GL_DEPTH_TEST);
	colored(-1, -1, 1, 1, 0.1f, 0.1f, 0, 0.5f);
	rectangle(-1, -1, 1, 1, whole);
	glDisable(GL_DEPTH_TEST);
}

static const struct feature features[] = {
	{ "a texture, nearest texels", draw_nearest, 0, 0 },
	{ "a texture, linear filter", draw_linear, 2, 0 },
	{ "a texture in perspective", draw_perspective, 2, 40 },
	{ "wrap modes", draw_wrap, 2, 0 },
	{ "textures of odd sizes", draw_odd_sizes, 1, 0 },
	{ "formats of textures", draw_formats, 1, 0 },
	{ "formats of floats", draw_float_formats, 1, 0 },
	{ "formats of integers", draw_integers, 1, 0 },
	{ "levels", draw_levels, 2, 0 },
	{ "generated levels", draw_generated_levels, 3, 0 },
	{ "a cube map, nearest texels", draw_cube_nearest, 0, 30 },
	{ "a cube map, linear filter", draw_cube_linear, 2, 60 },
	{ "a 3D texture, nearest texels", draw_3d_nearest, 0, 0 },
	{ "a 3D texture, linear filter", draw_3d_linear, 2, 0 },
	{ "an array of textures", draw_array, 0, 0 },
	{ "comparison with depth", draw_shadow, 0, 0 },
	{ "functions of textures", draw_functions, 0, 0 },
	{ "a texture in the vertex program", draw_vertex_texture, 1, 0 },
	{ "blits that are draws", draw_blits, 2, 0 },
	{ "derivatives", draw_derivatives, 1, 0 },
	{ "loops and discarded pixels", draw_flow, 1, 10 },
	{ "inputs of a fragment program", draw_builtins, 1, 0 },
	{ "lines", draw_lines, 3, 8 },
	{ "wide lines", draw_wide_lines, 3, 6 },
	{ "strips and loops of lines", draw_strips_of_lines, 3, 2 },
	{ "points", draw_points, 1, 0 },
	{ "coordinates in points", draw_point_coordinates, 1, 0 },
	{ "compressed textures", draw_compressed, 1, 0 },
	{ "indexed vertices", draw_indexed, 1, 6 },
	{ "indices in buffers", draw_index_buffers, 1, 6 },
	{ "instances", draw_instances, 1, 6 },
	{ "formats of vertices", draw_vertex_formats, 1, 6 },
	{ "attributes without arrays", draw_constant_attributes, 1, 0 },
	{ "clipped triangles", draw_clipped, 2, 12 },
	{ "flat values, culled faces", draw_flat, 0, 6 },
	{ "depth with an offset", draw_offset, 1, 6 },
	{ "blending", draw_blending, 2, 0 },
	{ "masks of colors", draw_masks, 0, 0 },
	{ "three targets", draw_targets, 1, 0 },
	{ "stencil", draw_stencil, 0, 0 },
	{ "stencil of two sides", draw_two_sided_stencil, 0, 10 },
	{ "formats of depth", draw_depth_formats, 1, 6 },
	{ "depth by the program", draw_own_depth, 1, 6 },
};

int main(int argc, char **argv)
{
	static const struct pictures all = {
		{ "features", EGL_OPENGL_ES_API, EGL_OPENGL_ES3_BIT, 3, 0 }, features, ARRAY_LEN(features),
	};

	return pictures_main(&all, argc, argv);
}
