// SPDX-License-Identifier: MIT
/*
 * An OpenGL ES 3.0 program, step by step; each step compares bytes. It knows nothing of nvfifo:
 * the same program is right on any driver.
 */
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

#define WIDTH  64
#define HEIGHT 48
#define BYTES  (WIDTH * HEIGHT * 4)

static uint8_t picture[BYTES], got[BYTES];

static EGLDisplay display;
static EGLContext context;

static void fill_picture(uint32_t seed)
{
	unsigned int i;

	for (i = 0; i < BYTES; i++) {
		seed = seed * 1664525 + 1013904223;
		picture[i] = seed >> 24;
	}
}

static bool same(void)
{
	unsigned int i;

	for (i = 0; i < BYTES; i++) {
		if (got[i] != picture[i]) {
			tap_diag("byte %u, pixel %u,%u: %02x, want %02x", i, i / 4 % WIDTH,
				 i / 4 / WIDTH, got[i], picture[i]);
			return false;
		}
	}
	return true;
}

static bool gl_ok(void)
{
	GLenum error = glGetError();

	if (error)
		tap_diag("glGetError() is %04x", error);
	return !error;
}

/* A framebuffer with a texture of the size of the picture, bound */
static GLuint target(GLuint *texture, const void *pixels)
{
	GLuint framebuffer;

	glGenTextures(1, texture);
	glBindTexture(GL_TEXTURE_2D, *texture);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, WIDTH, HEIGHT);
	if (pixels)
		glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE,
				pixels);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, *texture, 0);
	return framebuffer;
}

static void read_back(void)
{
	memset(got, 0x5a, sizeof(got));
	glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, got);
}

static bool make_context(void)
{
	static const EGLint config_wants[] = {
		EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_NONE,
	};
	static const EGLint context_wants[] = { EGL_CONTEXT_CLIENT_VERSION, 3, EGL_NONE };
	EGLint major = 0, minor = 0, count = 0;
	EGLConfig config = NULL;

	display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	tap(display != EGL_NO_DISPLAY, "eglGetPlatformDisplay");
	if (!tap(eglInitialize(display, &major, &minor), "eglInitialize"))
		return false;
	tap(eglBindAPI(EGL_OPENGL_ES_API) &&
	    eglChooseConfig(display, config_wants, &config, 1, &count) && count, "eglChooseConfig");
	context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wants);
	if (!tap(context != EGL_NO_CONTEXT &&
		 eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context),
		 "OpenGL ES 3.0 context"))
		return false;
	tap_diag("renderer %s, %s", glGetString(GL_RENDERER), glGetString(GL_VERSION));
	return tap(strstr((const char *)glGetString(GL_RENDERER), "NV") != NULL,
		   "the renderer is nouveau's");
}

static void test_upload(void)
{
	GLuint texture;

	fill_picture(1);
	target(&texture, picture);
	tap(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE && gl_ok(),
	    "framebuffer");
	read_back();
	tap(same() && gl_ok(), "texture upload and readback");
}

static void test_sub_image(void)
{
	static const uint8_t patch[8 * 4 * 4] = { 1, 2, 3, 4, 5, 6, 7, 8, [100] = 99, [127] = 42 };
	unsigned int x, y;
	GLuint texture;

	fill_picture(2);
	target(&texture, picture);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 13, 7, 8, 4, GL_RGBA, GL_UNSIGNED_BYTE, patch);
	for (y = 0; y < 4; y++)
		for (x = 0; x < 8 * 4; x++)
			picture[((7 + y) * WIDTH + 13) * 4 + x] = patch[y * 8 * 4 + x];
	read_back();
	tap(same() && gl_ok(), "glTexSubImage2D of a part");
}

static void test_blit(void)
{
	GLuint from, to, texture[2];

	fill_picture(3);
	from = target(&texture[0], picture);
	to = target(&texture[1], NULL);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
	glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT, GL_NEAREST);
	glBindFramebuffer(GL_FRAMEBUFFER, to);
	read_back();
	tap(same() && gl_ok(), "glBlitFramebuffer 1:1");
}

/* By 2D, with a step of -1 from row to row */
static void test_flip(void)
{
	GLuint from, to, texture[2];
	uint8_t row[WIDTH * 4];
	unsigned int y;

	fill_picture(4);
	from = target(&texture[0], picture);
	to = target(&texture[1], NULL);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
	glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, HEIGHT, WIDTH, 0, GL_COLOR_BUFFER_BIT, GL_NEAREST);
	glBindFramebuffer(GL_FRAMEBUFFER, to);
	read_back();
	for (y = 0; y < HEIGHT / 2; y++) {
		uint8_t *low = picture + y * sizeof(row);
		uint8_t *high = picture + (HEIGHT - 1 - y) * sizeof(row);

		memcpy(row, low, sizeof(row));
		memcpy(low, high, sizeof(row));
		memcpy(high, row, sizeof(row));
	}
	tap(same() && gl_ok(), "glBlitFramebuffer upside down");
}

static void test_copy_texture(void)
{
	GLuint texture[2];
	unsigned int y;
	uint8_t *source = malloc(BYTES);

	fill_picture(5);
	memcpy(source, picture, BYTES);
	target(&texture[1], picture);
	fill_picture(6);
	glGenTextures(1, &texture[0]);
	glBindTexture(GL_TEXTURE_2D, texture[0]);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, WIDTH, HEIGHT);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, picture);
	glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 10, 20, 3, 5, 30, 12);
	glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture[0], 0);
	read_back();
	for (y = 0; y < 12; y++)
		memcpy(picture + ((20 + y) * WIDTH + 10) * 4, source + ((5 + y) * WIDTH + 3) * 4,
		       30 * 4);
	tap(same() && gl_ok(), "glCopyTexSubImage2D");
	free(source);
}

static void test_buffers(void)
{
	GLuint buffer[2];
	const void *map;

	fill_picture(7);
	glGenBuffers(2, buffer);
	glBindBuffer(GL_COPY_READ_BUFFER, buffer[0]);
	glBufferData(GL_COPY_READ_BUFFER, BYTES, picture, GL_STATIC_DRAW);
	glBindBuffer(GL_COPY_WRITE_BUFFER, buffer[1]);
	glBufferData(GL_COPY_WRITE_BUFFER, BYTES, NULL, GL_STATIC_READ);
	glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, 0, 0, BYTES);
	map = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, BYTES, GL_MAP_READ_BIT);
	memset(got, 0, sizeof(got));
	if (map)
		memcpy(got, map, BYTES);
	glUnmapBuffer(GL_COPY_WRITE_BUFFER);
	tap(same() && gl_ok(), "glCopyBufferSubData and glMapBufferRange");
}

static void test_fence(void)
{
	GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
	GLenum status = glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 10000000000ull);

	tap((status == GL_CONDITION_SATISFIED || status == GL_ALREADY_SIGNALED) && gl_ok(),
	    "glClientWaitSync");
	glDeleteSync(fence);
}

static GLuint shader(GLenum type, const char *source)
{
	GLuint name = glCreateShader(type);

	glShaderSource(name, 1, &source, NULL);
	glCompileShader(name);
	return name;
}

static GLuint program(void)
{
	static const char vertex[] = "#version 300 es\n"
		"layout(location = 0) in vec2 position;\n"
		"layout(location = 1) in vec4 color;\n"
		"out vec4 shade;\n"
		"void main() { gl_Position = vec4(position, 0.0, 1.0); shade = color; }\n";
	static const char fragment[] = "#version 300 es\n"
		"precision highp float;\n"
		"in vec4 shade;\n"
		"out vec4 result;\n"
		"void main() { result = shade; }\n";
	GLuint name = glCreateProgram();
	GLint linked = 0;

	glAttachShader(name, shader(GL_VERTEX_SHADER, vertex));
	glAttachShader(name, shader(GL_FRAGMENT_SHADER, fragment));
	glLinkProgram(name);
	glGetProgramiv(name, GL_LINK_STATUS, &linked);
	tap(linked && gl_ok(), "program compiles and links");
	return name;
}

static void paint(unsigned int x, unsigned int y, unsigned int width, unsigned int height,
		  const uint8_t color[4])
{
	unsigned int i, j;

	for (j = y; j < y + height; j++)
		for (i = x; i < x + width; i++)
			memcpy(picture + (j * WIDTH + i) * 4, color, 4);
}

static void test_clear(void)
{
	static const uint8_t all[4] = { 255, 51, 0, 204 }, part[4] = { 0, 0, 255, 0 };
	GLuint texture;

	fill_picture(8);
	target(&texture, picture);
	glClearColor(1, 0.2f, 0, 0.8f);
	glClear(GL_COLOR_BUFFER_BIT);
	paint(0, 0, WIDTH, HEIGHT, all);
	read_back();
	tap(same() && gl_ok(), "glClear");

	glEnable(GL_SCISSOR_TEST);
	glScissor(5, 9, 20, 11);
	glClearColor(0, 0, 1, 0);
	glClear(GL_COLOR_BUFFER_BIT);
	glDisable(GL_SCISSOR_TEST);
	paint(5, 9, 20, 11, part);
	read_back();
	tap(same() && gl_ok(), "glClear with a scissor");
}

static void test_scaled_blit(void)
{
	GLuint from, to, texture[2];
	unsigned int x, y;
	uint8_t *source = malloc(BYTES);

	fill_picture(9);
	memcpy(source, picture, BYTES);
	from = target(&texture[0], picture);
	to = target(&texture[1], NULL);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, from);
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, to);
	glBlitFramebuffer(0, 0, WIDTH / 2, HEIGHT / 2, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT,
			  GL_NEAREST);
	glBindFramebuffer(GL_FRAMEBUFFER, to);
	read_back();
	for (y = 0; y < HEIGHT; y++)
		for (x = 0; x < WIDTH; x++)
			memcpy(picture + (y * WIDTH + x) * 4,
			       source + (y / 2 * WIDTH + x / 2) * 4, 4);
	tap(same() && gl_ok(), "glBlitFramebuffer at twice the size");
	free(source);
}

static void draw(GLenum mode, const GLfloat *positions, const GLfloat *colors, GLsizei count)
{
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, positions);
	glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, colors);
	glEnableVertexAttribArray(0);
	glEnableVertexAttribArray(1);
	glDrawArrays(mode, 0, count);
}

/* Two triangles cover a half of the target, so all pixels are the same on any driver. */
static void test_triangle(GLuint name)
{
	static const GLfloat positions[] = { -1, -1, 0, -1, -1, 1, 0, 1 };
	static const GLfloat colors[] = {
		0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1,
	};
	static const uint8_t green[4] = { 0, 255, 0, 255 };
	GLuint texture, query, samples = 0;

	fill_picture(10);
	target(&texture, picture);
	glViewport(0, 0, WIDTH, HEIGHT);
	glUseProgram(name);
	glGenQueries(1, &query);
	glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
	draw(GL_TRIANGLE_STRIP, positions, colors, 4);
	glEndQuery(GL_ANY_SAMPLES_PASSED);
	paint(0, 0, WIDTH / 2, HEIGHT, green);
	read_back();
	tap(same() && gl_ok(), "two triangles");
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
	tap(samples == 1 && gl_ok(), "occlusion query: %u", samples);
}

int main(void)
{
	GLuint name;

	if (!make_context())
		return tap_end();

	test_upload();
	test_sub_image();
	test_blit();
	test_flip();
	test_copy_texture();
	test_buffers();
	test_fence();
	name = program();
	test_clear();
	test_triangle(name);
	test_scaled_blit();
	tap(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT) &&
	    eglDestroyContext(display, context) && eglTerminate(display), "the end");
	return tap_end();
}
