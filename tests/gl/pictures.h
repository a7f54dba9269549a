/* SPDX-License-Identifier: MIT */
/*
 * Programs that draw small pictures, as bytes in a file. The files of two drivers are compared
 * picture by picture. A picture has a tolerance for each byte, 0 where the result is exact. A
 * picture that depends on edges and rounding also has a number of pixels that may differ by more.
 * The program includes a header of OpenGL in front of this one.
 */
#ifndef TESTS_GL_PICTURES_H
#define TESTS_GL_PICTURES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "tests/tap.h"

#define WIDTH  64
#define HEIGHT 48
#define BYTES  (WIDTH * HEIGHT * 4)

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The program's name */
static const char *pictures_program;

struct feature {
	const char *name;
	void (*draw)(void);
	int tolerance;
	int outliers;	/* pixels */
};

static void die(const char *what, const char *more)
{
	fprintf(stderr, "%s: %s%s\n", pictures_program, what, more);
	exit(2);
}

static inline GLuint compile_parts(GLenum type, const char *const *parts, GLsizei count)
{
	GLuint shader = glCreateShader(type);
	char log[1000] = "";
	GLint ok;

	glShaderSource(shader, count, parts, NULL);
	glCompileShader(shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
	if (!ok) {
		glGetShaderInfoLog(shader, sizeof(log), NULL, log);
		die("a shader: ", log);
	}

	return shader;
}

/* Link a program, and use it. */
static inline void link_program(GLuint name)
{
	GLint ok;

	glLinkProgram(name);
	glGetProgramiv(name, GL_LINK_STATUS, &ok);
	if (!ok)
		die("a program does not link", "");
	glUseProgram(name);
}

/* A program's pictures, and the context that draws them */
struct pictures {
	struct context context;
	const struct feature *features;
	unsigned int count;
};

/* A new target each time, so that nothing of the last picture is left */
static void make_target(void)
{
	GLuint framebuffer, buffers[2];

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glGenRenderbuffers(2, buffers);
	glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, WIDTH, HEIGHT);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
				  buffers[0]);
	glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, WIDTH, HEIGHT);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
				  buffers[1]);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		die("no framebuffer", "");
	glViewport(0, 0, WIDTH, HEIGHT);
	glClearColor(0.125f, 0.25f, 0.375f, 0.5f);
	glClearDepthf(1);
	glClearStencil(0);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

static void draw_all(const struct pictures *p, const char *file, const char *only)
{
	static uint8_t pixels[BYTES];
	FILE *f = fopen(file, "wb");
	unsigned int i;
	GLenum error;

	if (!f)
		die("the file cannot be written", "");
	for (i = 0; i < p->count; i++) {
		memset(pixels, 0, sizeof(pixels));
		if (!only || !strcmp(p->features[i].name, only)) {
			make_target();
			p->features[i].draw();
			glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
			error = glGetError();
			if (error) {
				/* an empty picture, which fails the comparison */
				fprintf(stderr, "%s: %s: error %04x\n", p->context.program,
					p->features[i].name, error);
				memset(pixels, 0, sizeof(pixels));
			}
		}
		fwrite(pixels, 1, sizeof(pixels), f);
	}
	if (fclose(f))
		die("the file cannot be written", "");
}

static int difference(const uint8_t *a, const uint8_t *b)
{
	int i, most = 0;

	for (i = 0; i < 4; i++) {
		if (abs(a[i] - b[i]) > most)
			most = abs(a[i] - b[i]);
	}
	return most;
}

static void compare_one(const struct feature *f, const uint8_t *a, const uint8_t *b)
{
	int i, d, most = 0, differ = 0, beyond = 0, first = -1;
	bool empty = true;

	for (i = 0; i < BYTES; i += 4) {
		d = difference(a + i, b + i);
		differ += d != 0;
		beyond += d > f->tolerance;
		if (d > f->tolerance && first < 0)
			first = i;
		if (d > most)
			most = d;
		empty &= !memcmp(b + i, b, 4);
	}
	if (!tap(beyond <= f->outliers && !empty, "%s", f->name) && first >= 0)
		tap_diag("pixel %d, %d: %02x%02x%02x%02x, want %02x%02x%02x%02x", first / 4 % WIDTH,
			 first / 4 / WIDTH, a[first], a[first + 1], a[first + 2], a[first + 3], b[first],
			 b[first + 1], b[first + 2], b[first + 3]);
	if (differ)
		tap_diag("%d of %d pixels differ, by %d at most, %d by more than %d", differ,
			 WIDTH * HEIGHT, most, beyond, f->tolerance);
}

static void load(FILE *f, uint8_t *pixels)
{
	if (!f || fread(pixels, 1, BYTES, f) != BYTES)
		die("a file is too short", "");
}

static int compare(const struct pictures *p, const char *a, const char *b, const char *without)
{
	static uint8_t pixels[2][BYTES];
	FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
	unsigned int i;

	for (i = 0; i < p->count; i++) {
		load(f, pixels[0]);
		load(g, pixels[1]);
		if (without && !strcmp(p->features[i].name, without))
			tap_skip("%s # SKIP not on this card", without);
		else
			compare_one(&p->features[i], pixels[0], pixels[1]);
	}
	fclose(f);
	fclose(g);
	return tap_end();
}

/* By two kernel drivers under one Mesa, on the same card. A picture that failed is all zeros. */
static int same(const struct pictures *p, const char *a, const char *b)
{
	static uint8_t pixels[2][BYTES];
	FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
	unsigned int i;
	bool empty;
	int at;

	for (i = 0; i < p->count; i++) {
		load(f, pixels[0]);
		load(g, pixels[1]);
		empty = !pixels[0][0] && !memcmp(pixels[0], pixels[0] + 1, BYTES - 1);
		for (at = 0; at < BYTES && pixels[0][at] == pixels[1][at]; at++)
			;
		tap(at == BYTES && !empty, "%s", p->features[i].name);
		if (at < BYTES)
			tap_diag("byte %d of pixel %d, %d: %02x and %02x", at % 4, at / 4 % WIDTH,
				 at / 4 / WIDTH, pixels[0][at], pixels[1][at]);
	}
	fclose(f);
	fclose(g);
	return tap_end();
}

/* The main() of a program that draws */
static int pictures_main(const struct pictures *p, int argc, char **argv)
{
	pictures_program = p->context.program;
	if (argc >= 4 && !strcmp(argv[1], "--compare"))
		return compare(p, argv[2], argv[3], argc > 4 ? argv[4] : NULL);
	if (argc == 4 && !strcmp(argv[1], "--same"))
		return same(p, argv[2], argv[3]);
	if (argc != 2 && argc != 3)
		die("give the name of a file", "");
	context_make(&p->context);
	draw_all(p, argv[1], argc == 3 ? argv[2] : NULL);
	return 0;
}

#endif
