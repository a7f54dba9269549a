// SPDX-License-Identifier: MIT
/*
 * Benchmark of the model's 3D unit by Mesa, in the program's own process: fragments and vertices
 * per second of processor time. Turns alternate, so that the state of the host is the same for
 * both, and the medians are printed. For llvmpipe the time is that of all its threads.
 *
 *	nvfifo gl --model=g96 build/bench/gl
 */
#include <GLES3/gl3.h>
#include <stdlib.h>
#include <time.h>

#include "../gl/context.h"
#include "../gl/program.h"
#include "median.h"

#define TURNS	 15
#define SIDE	 512	/* pixels of the target's side */
#define QUADS	 8	/* of the whole target a turn */
#define VERTICES 300000 /* of empty triangles a turn */
#define PLACES	 3	/* floats of a vertex */

static const char vertex_source[] =
    "#version 300 es\n"
    "layout(location = 0) in vec3 position;\n"
    "out vec4 shade;\n"
    "void main() { gl_Position = vec4(position, 1.0); shade = vec4(position.xyx, 1.0); }\n";

static const char fragment_source[] = "#version 300 es\n"
				      "precision highp float;\n"
				      "in vec4 shade;\n"
				      "out vec4 result;\n"
				      "void main() { result = shade; }\n";

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec + ts.tv_nsec * 1e-9;
}

static void die(const char *what)
{
	fprintf(stderr, "gl: %s\n", what);
	exit(2);
}

static void use_program(void)
{
	GLuint program = program_link(vertex_source, fragment_source);

	if (!program)
		die("the program does not link");
	glUseProgram(program);
}

static void make_target(void)
{
	GLuint framebuffer, buffer;

	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glGenRenderbuffers(1, &buffer);
	glBindRenderbuffer(GL_RENDERBUFFER, buffer);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, SIDE, SIDE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		die("no framebuffer");
	glViewport(0, 0, SIDE, SIDE);
}

/* A strip over the target, then triangles whose corners are all in one place */
static void make_vertices(void)
{
	static const GLfloat corners[] = {-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0};
	GLfloat *places = calloc(VERTICES, PLACES * sizeof(*places));
	GLuint buffer;

	if (!places)
		die("no memory");
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	glBufferData(GL_ARRAY_BUFFER, sizeof(corners) + VERTICES * PLACES * sizeof(*places), NULL,
		     GL_STATIC_DRAW);
	glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(corners), corners);
	glBufferSubData(GL_ARRAY_BUFFER, sizeof(corners), VERTICES * PLACES * sizeof(*places),
			places);
	glVertexAttribPointer(0, PLACES, GL_FLOAT, GL_FALSE, 0, NULL);
	glEnableVertexAttribArray(0);
	free(places);
}

static double draw_fragments(void)
{
	double start = now();
	int i;

	for (i = 0; i < QUADS; i++)
		glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
	glFinish();
	return now() - start;
}

static double draw_vertices(void)
{
	double start = now();

	glDrawArrays(GL_TRIANGLES, 4, VERTICES);
	glFinish();
	return now() - start;
}

/* Look whether the target shows the square: one corner is black, the opposite one is white. */
static void look(void)
{
	GLubyte first[4], last[4];

	glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, first);
	glReadPixels(SIDE - 1, SIDE - 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, last);
	if (first[0] || first[1] || first[2] || last[0] < 250 || last[1] < 250 || last[2] < 250)
		die("the target has not what was drawn");
}

int main(void)
{
	static const struct context wanted = {"gl", EGL_OPENGL_ES_API, EGL_OPENGL_ES3_BIT, 3, 0};
	double fragments[TURNS], vertices[TURNS];
	int i;

	context_make(&wanted);
	make_target();
	use_program();
	make_vertices();
	draw_fragments();
	look();
	for (i = 0; i < TURNS; i++) {
		fragments[i] = draw_fragments();
		vertices[i] = draw_vertices();
	}
	printf("fragments of a plain shader: %.2f million/s\n",
	       (double)QUADS * SIDE * SIDE / median(fragments, TURNS) / 1e6);
	printf("vertices of an array: %.2f million/s\n", VERTICES / median(vertices, TURNS) / 1e6);
	return 0;
}
