// SPDX-License-Identifier: MIT
/*
 * A small scene by OpenGL ES 3.0, as a picture in a file. It has a shaded triangle by a vertex
 * buffer and a matrix, and two triangles that cross, with a depth buffer.
 *
 *	scene FILE		draw; a PPM of 96 x 72
 *	scene --compare A B N	whether no byte of two such pictures differs by more than N
 */
#include <GLES3/gl3.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "program.h"

#define WIDTH  96
#define HEIGHT 72

static const char vertex_source[] =
	"#version 300 es\n"
	"layout(location = 0) in vec3 position;\n"
	"layout(location = 1) in vec3 color;\n"
	"uniform mat4 matrix;\n"
	"out vec3 shade;\n"
	"void main() { gl_Position = matrix * vec4(position, 1.0); shade = color; }\n";

static const char fragment_source[] =
	"#version 300 es\n"
	"precision highp float;\n"
	"in vec3 shade;\n"
	"out vec4 result;\n"
	"void main() { result = vec4(shade, 1.0); }\n";

static const GLfloat vertices[] = {
	/* shaded */
	-0.9f, -0.8f, 0.5f, 1, 0, 0, 0.1f, -0.7f, 0.5f, 0, 1, 0, -0.5f, 0.9f, 0.5f, 0, 0, 1,
	/* crossing */
	0.0f, -0.6f, -0.8f, 1, 1, 0, 0.9f, -0.2f, 0.8f, 1, 0.5f, 0, 0.3f, 0.8f, 0, 1, 1, 0.5f,
	0.9f, -0.7f, -0.8f, 0, 1, 1, 0.1f, -0.1f, 0.8f, 0, 0.5f, 1, 0.8f, 0.7f, 0, 0.5f, 1, 1,
};

static void die(const char *what)
{
	fprintf(stderr, "scene: %s\n", what);
	exit(2);
}

static GLuint make_program(void)
{
	GLuint program = program_link(vertex_source, fragment_source);

	if (!program)
		die("the program does not link");
	return program;
}

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
	glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT16, WIDTH, HEIGHT);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffers[1]);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		die("no framebuffer");
}

static void draw(GLuint program)
{
	static const GLfloat matrix[16] = { 0.9f, 0.1f, 0, 0, -0.1f, 0.9f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
	GLuint buffer;

	glViewport(0, 0, WIDTH, HEIGHT);
	glClearColor(0.125f, 0.125f, 0.25f, 1);
	glClearDepthf(1);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	glBufferData(GL_ARRAY_BUFFER, sizeof(vertices), vertices, GL_STATIC_DRAW);
	glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 24, NULL);
	glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 24, (const void *)12);
	glEnableVertexAttribArray(0);
	glEnableVertexAttribArray(1);
	glUseProgram(program);
	glUniformMatrix4fv(glGetUniformLocation(program, "matrix"), 1, GL_FALSE, matrix);
	glEnable(GL_DEPTH_TEST);
	glDrawArrays(GL_TRIANGLES, 0, 9);
}

static void save(const char *name)
{
	static uint8_t pixels[WIDTH * HEIGHT * 4];
	FILE *f = fopen(name, "wb");
	int x, y;

	if (!f)
		die("the file cannot be written");
	glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	fprintf(f, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
	for (y = HEIGHT - 1; y >= 0; y--)
		for (x = 0; x < WIDTH; x++)
			fwrite(pixels + (y * WIDTH + x) * 4, 1, 3, f);
	if (fclose(f))
		die("the file cannot be written");
}

static void load(const char *name, uint8_t *pixels)
{
	FILE *f = fopen(name, "rb");
	int width, height;

	if (!f || fscanf(f, "P6 %d %d 255%*c", &width, &height) != 2 || width != WIDTH ||
	    height != HEIGHT || fread(pixels, 3, WIDTH * HEIGHT, f) != WIDTH * HEIGHT)
		die("no picture of this size");
	fclose(f);
}

static int compare(const char *a, const char *b, int tolerance)
{
	static uint8_t pixels[2][WIDTH * HEIGHT * 3];
	int i, difference, most = 0, differ = 0;

	load(a, pixels[0]);
	load(b, pixels[1]);
	for (i = 0; i < WIDTH * HEIGHT * 3; i++) {
		difference = abs(pixels[0][i] - pixels[1][i]);
		if (difference)
			differ++;
		if (difference > most)
			most = difference;
	}
	printf("%d of %d bytes differ, by %d at most\n", differ, WIDTH * HEIGHT * 3, most);
	return most > tolerance;
}

int main(int argc, char **argv)
{
	static const struct context wanted = { "scene", EGL_OPENGL_ES_API, EGL_OPENGL_ES3_BIT, 3, 0 };
	if (argc == 5 && !strcmp(argv[1], "--compare"))
		return compare(argv[2], argv[3], atoi(argv[4]));
	if (argc != 2)
		die("give the name of a file");
	context_make(&wanted);
	make_target();
	draw(make_program());
	save(argv[1]);
	return glGetError() ? 1 : 0;
}
