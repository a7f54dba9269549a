// SPDX-License-Identifier: MIT
/*
 * A library to preload into the programs of piglit. It prints a line with a checksum for each
 * picture that a test reads back, so that the pictures of two drivers can be compared:
 *
 *	READBACK glReadPixels 250x250 1908 1406 5f3c2a10
 *
 * The checksum is "nothing" if glReadPixels wrote nothing. The checksum is left out
 * if the pixels are not plain rows.
 *
 * piglit finds all functions of OpenGL by glXGetProcAddressARB(), with EGL too.
 * The lines go to stdout like those of the test, which keeps their order.
 */
#define _GNU_SOURCE	/* RTLD_NEXT */
#include <GL/gl.h>
#include <GL/glext.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#define EXPORT __attribute__((visibility("default")))

static void (*real_read_pixels)(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format,
				GLenum type, void *pixels);
static void (*real_get_tex_image)(GLenum target, GLint level, GLenum format, GLenum type,
				  void *pixels);
static void (*get_integer)(GLenum name, GLint *value);
static void (*get_level)(GLenum target, GLint level, GLenum name, GLint *value);

/* Of types whose elements are components, the size; 0 for others */
static unsigned int component_bytes(GLenum type)
{
	switch (type) {
	case GL_UNSIGNED_BYTE:
	case GL_BYTE:
		return 1;
	case GL_UNSIGNED_SHORT:
	case GL_SHORT:
	case GL_HALF_FLOAT:
		return 2;
	case GL_UNSIGNED_INT:
	case GL_INT:
	case GL_FLOAT:
		return 4;
	default:
		return 0;
	}
}

static unsigned int components(GLenum format)
{
	switch (format) {
	case GL_RED:
	case GL_GREEN:
	case GL_BLUE:
	case GL_ALPHA:
	case GL_LUMINANCE:
	case GL_INTENSITY:
	case GL_DEPTH_COMPONENT:
	case GL_STENCIL_INDEX:
	case GL_RED_INTEGER:
	case GL_ALPHA_INTEGER:
		return 1;
	case GL_RG:
	case GL_RG_INTEGER:
	case GL_LUMINANCE_ALPHA:
		return 2;
	case GL_RGB:
	case GL_BGR:
	case GL_RGB_INTEGER:
		return 3;
	case GL_RGBA:
	case GL_BGRA:
	case GL_RGBA_INTEGER:
		return 4;
	default:
		return 0;
	}
}

/* Return: 0 for a format or a type that no test of the list uses. */
static unsigned int pixel_bytes(GLenum format, GLenum type)
{
	switch (type) {
	case GL_UNSIGNED_INT_24_8:
	case GL_UNSIGNED_INT_8_8_8_8:
	case GL_UNSIGNED_INT_8_8_8_8_REV:
	case GL_UNSIGNED_INT_2_10_10_10_REV:
	case GL_UNSIGNED_INT_10F_11F_11F_REV:
	case GL_UNSIGNED_INT_5_9_9_9_REV:
		return 4;
	case GL_FLOAT_32_UNSIGNED_INT_24_8_REV:
		return 8;
	default:
		return components(format) * component_bytes(type);
	}
}

/* Do the pixels lie in the program's memory, one row behind the other? */
static bool rows_are_plain(GLint *alignment)
{
	static const GLenum others[] = { GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS, GL_PACK_SKIP_PIXELS,
					 GL_PACK_SKIP_IMAGES, GL_PIXEL_PACK_BUFFER_BINDING };
	unsigned int i;
	GLint value;

	for (i = 0; i < ARRAY_LEN(others); i++) {
		value = 0;
		get_integer(others[i], &value);
		if (value)
			return false;
	}

	get_integer(GL_PACK_ALIGNMENT, alignment);
	return true;
}

static uint32_t checksum(uint32_t sum, const uint8_t *bytes, size_t count)
{
	size_t i;

	/* FNV-1a */
	for (i = 0; i < count; i++)
		sum = (sum ^ bytes[i]) * 0x01000193;
	return sum;
}

/* Rows of pixels in the program's memory */
struct picture {
	GLint width, rows;
	GLenum format, type;
	void *pixels;
};

/* Return: false if the pixels are not plain rows; then neither is set. Bytes: @row of pixels, @stride. */
static bool picture_rows(const struct picture *p, size_t *row, size_t *stride)
{
	GLint alignment = 4;

	*row = (size_t)p->width * pixel_bytes(p->format, p->type);
	if (p->width <= 0 || p->rows <= 0 || !*row || !rows_are_plain(&alignment))
		return false;

	*stride = (*row + (size_t)alignment - 1) / (size_t)alignment * (size_t)alignment;
	return true;
}

static uint32_t picture_checksum(const struct picture *p, size_t row, size_t stride)
{
	uint32_t sum = 0x811c9dc5;
	GLint i;

	for (i = 0; i < p->rows; i++)
		sum = checksum(sum, (const uint8_t *)p->pixels + (size_t)i * stride, row);

	return sum;
}

static void report(const char *function, const struct picture *p)
{
	size_t row, stride;

	printf("READBACK %s %dx%d %04x %04x", function, p->width, p->rows, p->format, p->type);
	if (picture_rows(p, &row, &stride))
		printf(" %08x", picture_checksum(p, row, stride));
	printf("\n");
}

/*
 * Does glReadPixels write nothing, as where it is an error? A call has left the memory as it was, but
 * the same picture may have been in it before. So this function repeats the call with other bytes
 * there, and puts the old ones back.
 */
static bool writes_nothing(GLint x, GLint y, const struct picture *p, size_t size)
{
	uint8_t *bytes = p->pixels, *had = malloc(size), *other = malloc(size);
	bool nothing = false;
	size_t i;

	if (had && other) {
		memcpy(had, bytes, size);
		for (i = 0; i < size; i++)
			other[i] = (uint8_t)~had[i];

		memcpy(bytes, other, size);
		real_read_pixels(x, y, p->width, p->rows, p->format, p->type, p->pixels);
		nothing = !memcmp(bytes, other, size);
		memcpy(bytes, had, size);
	}

	free(had);
	free(other);
	return nothing;
}

static void read_pixels(GLint x, GLint y, GLsizei width, GLsizei height, GLenum format, GLenum type,
			void *pixels)
{
	const struct picture p = { width, height, format, type, pixels };
	size_t row, stride;
	uint32_t before = 0;
	const bool plain = picture_rows(&p, &row, &stride);

	if (plain)
		before = picture_checksum(&p, row, stride);
	real_read_pixels(x, y, width, height, format, type, pixels);

	if (plain && picture_checksum(&p, row, stride) == before &&
	    writes_nothing(x, y, &p, (size_t)(height - 1) * stride + row))
		printf("READBACK glReadPixels %dx%d %04x %04x nothing\n", width, height, format, type);
	else
		report("glReadPixels", &p);
}

static void get_tex_image(GLenum target, GLint level, GLenum format, GLenum type, void *pixels)
{
	GLint width = 0, height = 0, depth = 0;
	struct picture p = { .format = format, .type = type, .pixels = pixels };

	real_get_tex_image(target, level, format, type, pixels);
	get_level(target, level, GL_TEXTURE_WIDTH, &width);
	get_level(target, level, GL_TEXTURE_HEIGHT, &height);
	get_level(target, level, GL_TEXTURE_DEPTH, &depth);
	p.width = width;
	p.rows = height * depth;
	report("glGetTexImage", &p);
}

typedef void (*gl_function)(void);

EXPORT gl_function glXGetProcAddressARB(const GLubyte *name);

EXPORT gl_function glXGetProcAddressARB(const GLubyte *name)
{
	static gl_function (*real)(const GLubyte *name);
	gl_function function;
	void *symbol;

	if (!real) {
		symbol = dlsym(RTLD_NEXT, "glXGetProcAddressARB");
		/* The C standard has no conversion from a pointer to an object. */
		memcpy(&real, &symbol, sizeof(symbol));
		get_integer = (void (*)(GLenum, GLint *))real((const GLubyte *)"glGetIntegerv");
		get_level = (void (*)(GLenum, GLint, GLenum, GLint *))real((const GLubyte *)
									    "glGetTexLevelParameteriv");
	}

	function = real(name);
	if (!strcmp((const char *)name, "glReadPixels")) {
		real_read_pixels = (__typeof__(real_read_pixels))function;
		return (gl_function)read_pixels;
	}
	if (!strcmp((const char *)name, "glGetTexImage")) {
		real_get_tex_image = (__typeof__(real_get_tex_image))function;
		return (gl_function)get_tex_image;
	}

	return function;
}
