/* SPDX-License-Identifier: MIT */
/* A program of two shaders. The program includes a header of OpenGL in front of this one. */
#ifndef TESTS_GL_PROGRAM_H
#define TESTS_GL_PROGRAM_H

static inline void program_attach(GLuint program, GLenum type, const char *source)
{
	GLuint shader = glCreateShader(type);

	glShaderSource(shader, 1, &source, NULL);
	glCompileShader(shader);
	glAttachShader(program, shader);
}

/* Return: the program, or 0 if it does not link. */
static inline GLuint program_link(const char *vertex_source, const char *fragment_source)
{
	GLuint program = glCreateProgram();
	GLint linked = 0;

	program_attach(program, GL_VERTEX_SHADER, vertex_source);
	program_attach(program, GL_FRAGMENT_SHADER, fragment_source);
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &linked);

	return linked ? program : 0;
}

#endif
