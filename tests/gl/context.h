/* SPDX-License-Identifier: MIT */
/*
 * A context of EGL without a window or a surface. The program includes a header of OpenGL in front
 * of this one.
 */
#ifndef TESTS_GL_CONTEXT_H
#define TESTS_GL_CONTEXT_H

#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <stdio.h>
#include <stdlib.h>

struct context {
	const char *program;	/* name, for messages */
	EGLenum api;
	EGLint renderable;
	EGLint major, minor;	/* version; 0 for the present one */
};

static inline void context_need(int ok, const struct context *c, const char *what)
{
	if (ok)
		return;

	fprintf(stderr, "%s: no %s\n", c->program, what);
	exit(2);
}

/* Make a context, or end the program. */
static inline void context_make(const struct context *c)
{
	const EGLint config_wants[] = {
		EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, c->renderable, EGL_NONE,
	};
	const EGLint context_wants[] = {
		c->major ? EGL_CONTEXT_MAJOR_VERSION : EGL_NONE, c->major,
		EGL_CONTEXT_MINOR_VERSION, c->minor, EGL_NONE,
	};
	EGLDisplay display;
	EGLContext context;
	EGLConfig config = NULL;
	EGLint count = 0;

	display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	context_need(eglInitialize(display, NULL, NULL), c, "display");
	eglBindAPI(c->api);
	context_need(eglChooseConfig(display, config_wants, &config, 1, &count) && count, c,
		     "configuration");
	context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wants);
	context_need(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context), c,
		     "context");
	fprintf(stderr, "%s: %s\n", c->program, (const char *)glGetString(GL_RENDERER));
}

#endif
