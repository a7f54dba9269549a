// SPDX-License-Identifier: MIT
/*
 * Features of desktop OpenGL up to the rasteriser: conditional rendering, transform feedback, geometry
 * programs, primitives with adjacency, layers. Small pictures, compared with those of another driver:
 *
 *	pipeline FILE [NAME]		draw them all, or one
 *	pipeline --compare A B [NAME]	as TAP: whether two such files agree, but for one picture
 *	pipeline --same A B	as TAP: whether two such files are equal to the byte
 */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "tests/gl/pictures.h"

static GLuint compile(GLenum type, const char *source)
{
	const char *parts[] = { "#version 150\n", source };

	return compile_parts(type, parts, 2);
}

/* @varyings: of transform feedback, all in one buffer, or none */
static GLuint program(const char *vertex, const char *geometry, const char *fragment,
		      const char *const *varyings, GLsizei count)
{
	GLuint name = glCreateProgram();

	glAttachShader(name, compile(GL_VERTEX_SHADER, vertex));
	if (geometry)
		glAttachShader(name, compile(GL_GEOMETRY_SHADER, geometry));
	glAttachShader(name, compile(GL_FRAGMENT_SHADER, fragment));
	glBindAttribLocation(name, 0, "position");
	glBindAttribLocation(name, 1, "extra");
	if (count)
		glTransformFeedbackVaryings(name, count, varyings, GL_INTERLEAVED_ATTRIBS);
	link_program(name);
	return name;
}

static const char plain_vertex[] =
	"in vec4 position;\n"
	"in vec4 extra;\n"
	"out vec4 data;\n"
	"void main() { gl_Position = position; data = extra; }\n";

static const char plain_fragment[] =
	"in vec4 data;\n"
	"out vec4 result;\n"
	"void main() { result = data; }\n";

/* Vertices of eight floats: position and color */
static void vertices(const GLfloat *values, GLsizei count)
{
	GLuint buffer;

	glGenBuffers(1, &buffer);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	glBufferData(GL_ARRAY_BUFFER, count * 32, values, GL_STATIC_DRAW);
	glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 32, NULL);
	glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 32, (const void *)16);
	glEnableVertexAttribArray(0);
	glEnableVertexAttribArray(1);
}

static void rectangle(float x0, float y0, float x1, float y1, float red, float green)
{
	const GLfloat values[] = {
		x0, y0, 0, 1, red, green, 0, 1, x1, y0, 0, 1, red, green, 0, 1,
		x0, y1, 0, 1, red, green, 1, 1, x1, y1, 0, 1, red, green, 1, 1,
	};

	vertices(values, 4);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* --- conditional rendering --- */

/* A query of a rectangle that is seen, or is not */
static GLuint occlusion(float z, GLenum target)
{
	GLuint query;

	glGenQueries(1, &query);
	glEnable(GL_DEPTH_TEST);
	glDepthFunc(z > 0 ? GL_NEVER : GL_ALWAYS);
	glBeginQuery(target, query);
	rectangle(-1, -1, -0.5f, -0.5f, 1, z);
	glEndQuery(target);
	glDisable(GL_DEPTH_TEST);
	glDepthFunc(GL_LESS);
	return query;
}

static void draw_conditions(void)
{
	/* Without a wait, drivers may draw before they know. */
	static const GLenum modes[] = {
		GL_QUERY_WAIT, GL_QUERY_BY_REGION_WAIT, GL_QUERY_WAIT_INVERTED,
		GL_QUERY_BY_REGION_WAIT_INVERTED,
	};
	unsigned int i;

	program(plain_vertex, NULL, plain_fragment, NULL, 0);
	for (i = 0; i < 2 * ARRAY_LEN(modes); i++) {
		GLuint query = occlusion((float)(i % 2), GL_SAMPLES_PASSED);
		float x = -1 + 0.25f * (float)i;

		glBeginConditionalRender(query, modes[i / 2]);
		rectangle(x, -0.4f, x + 0.2f, 0.4f, 0, 1);
		glScissor(8 * (GLint)i, 40, 6, 8);
		glEnable(GL_SCISSOR_TEST);
		glClearColor(0, 0, 1, 1);
		glClear(GL_COLOR_BUFFER_BIT);
		glDisable(GL_SCISSOR_TEST);
		glEndConditionalRender();
	}
}

/* --- transform feedback --- */

/* Draw @count vertices from the bound buffer, and return a buffer with the output. */
static GLuint feedback(GLenum draw, GLenum kind, GLsizei count, GLsizeiptr bytes)
{
	GLuint buffer;

	glGenBuffers(1, &buffer);
	glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
	glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER, bytes, NULL, GL_STREAM_COPY);
	glEnable(GL_RASTERIZER_DISCARD);
	glBeginTransformFeedback(kind);
	glDrawArrays(draw, 0, count);
	glEndTransformFeedback();
	glDisable(GL_RASTERIZER_DISCARD);
	return buffer;
}

static void draw_again(GLuint buffer, GLenum kind, GLsizei count)
{
	program(plain_vertex, NULL, plain_fragment, NULL, 0);
	glBindBuffer(GL_ARRAY_BUFFER, buffer);
	glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 32, NULL);
	glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 32, (const void *)16);
	glDrawArrays(kind, 0, count);
}

/* A zigzag from left to right, which turns after every @step vertices */
static void zigzag(GLsizei count, GLsizei step)
{
	GLfloat values[16][8];
	GLsizei i;

	for (i = 0; i < count; i++) {
		GLfloat *v = values[i];

		v[0] = -0.9f + 1.8f * (float)i / (float)(count - 1);
		v[1] = i / step % 2 ? 0.8f : -0.7f;
		v[2] = 0;
		v[3] = 1;
		v[4] = (float)(i % 3) / 2;
		v[5] = (float)(i % 5) / 4;
		v[6] = (float)i / (float)count;
		v[7] = 1;
	}
	vertices(values[0], count);
}

static const char *const feedback_names[] = { "gl_Position", "data" };

static void draw_feedback(void)
{
	GLuint buffer;

	program(plain_vertex, NULL, plain_fragment, feedback_names, 2);
	zigzag(9, 1);
	buffer = feedback(GL_TRIANGLE_STRIP, GL_TRIANGLES, 9, 21 * 32);
	draw_again(buffer, GL_TRIANGLES, 21);
}

/* The buffer ends before the draw does. */
static void draw_short_feedback(void)
{
	GLuint buffer, query, written = 0;

	program(plain_vertex, NULL, plain_fragment, feedback_names, 2);
	zigzag(9, 1);
	glGenQueries(1, &query);
	glBeginQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
	buffer = feedback(GL_TRIANGLE_STRIP, GL_TRIANGLES, 9, 4 * 3 * 32 + 64);
	glEndQuery(GL_TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &written);
	draw_again(buffer, GL_TRIANGLES, 3 * (GLsizei)written);
}

/* --- geometry programs --- */

static void draw_geometry(void)
{
	program(plain_vertex,
		"layout(points) in;\n"
		"layout(triangle_strip, max_vertices = 8) out;\n"
		"in vec4 data[1];\n"
		"out vec4 color;\n"
		"void corner(float x, float y)\n"
		"{\n"
		"	gl_Position = gl_in[0].gl_Position + vec4(x, y, 0.0, 0.0);\n"
		"	color = vec4(data[0].xy, x + 0.5, 1.0);\n"
		"	EmitVertex();\n"
		"}\n"
		"void main()\n"
		"{\n"
		"	for (int i = 0; i < 2; i++) {\n"
		"		float y = 0.2 * float(i);\n"
		"		corner(-0.06, y);\n"
		"		corner(0.06, y);\n"
		"		corner(-0.06, y + 0.15);\n"
		"		corner(0.06, y + 0.15);\n"
		"		EndPrimitive();\n"
		"	}\n"
		"}\n",
		"in vec4 color;\n"
		"out vec4 result;\n"
		"void main() { result = color; }\n",
		NULL, 0);
	zigzag(11, 1);
	glDrawArrays(GL_POINTS, 0, 11);
}

/* Each triangle's neighbors give it its color. */
static const char adjacent_geometry[] =
	"layout(triangles_adjacency) in;\n"
	"layout(triangle_strip, max_vertices = 3) out;\n"
	"in vec4 data[6];\n"
	"flat out vec4 color;\n"
	"void main()\n"
	"{\n"
	"	for (int i = 0; i < 6; i += 2) {\n"
	"		gl_Position = gl_in[i].gl_Position;\n"
	"		color = vec4(data[1].x, data[3].y, data[5].z + 0.1 * float(gl_PrimitiveIDIn), 1.0);\n"
	"		EmitVertex();\n"
	"	}\n"
	"}\n";

static const char flat_fragment[] =
	"flat in vec4 color;\n"
	"out vec4 result;\n"
	"void main() { result = color; }\n";

static void draw_adjacency(void)
{
	program(plain_vertex, adjacent_geometry, flat_fragment, NULL, 0);
	zigzag(16, 2);
	glDrawArrays(GL_TRIANGLE_STRIP_ADJACENCY, 0, 16);
}

static void draw_primitive_numbers(void)
{
	program(plain_vertex, NULL,
		"out vec4 result;\n"
		"void main() { result = vec4(float(gl_PrimitiveID) / 8.0, 1.0, 0.0, 1.0); }\n",
		NULL, 0);
	zigzag(10, 1);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 10);
}

/* Layers of a texture, each by its own primitive, then side by side */
static void draw_layers(void)
{
	GLuint texture, layered;
	GLint screen;
	unsigned int i;

	glGetIntegerv(GL_FRAMEBUFFER_BINDING, &screen);
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
	glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8, 16, 48, 4, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
	glGenFramebuffers(1, &layered);
	glBindFramebuffer(GL_FRAMEBUFFER, layered);
	glFramebufferTexture(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0);
	glViewport(0, 0, 16, 48);
	glClearColor(0, 0, 0.5f, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	program(plain_vertex,
		"layout(triangles) in;\n"
		"layout(triangle_strip, max_vertices = 3) out;\n"
		"in vec4 data[3];\n"
		"flat out vec4 color;\n"
		"void main()\n"
		"{\n"
		"	for (int i = 0; i < 3; i++) {\n"
		"		gl_Layer = gl_PrimitiveIDIn % 4;\n"
		"		gl_Position = gl_in[i].gl_Position;\n"
		"		color = data[2];\n"
		"		EmitVertex();\n"
		"	}\n"
		"}\n",
		flat_fragment, NULL, 0);
	zigzag(8, 1);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 8);
	for (i = 0; i < 4; i++) {
		glBindFramebuffer(GL_READ_FRAMEBUFFER, layered);
		glFramebufferTextureLayer(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, texture, 0,
					  (GLint)i);
		glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)screen);
		glBlitFramebuffer(0, 0, 16, 48, 16 * (GLint)i, 0, 16 * (GLint)i + 16, 48,
				  GL_COLOR_BUFFER_BIT, GL_NEAREST);
	}
	glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)screen);
}

/* --- programs --- */

/*
 * A fragment program that computes so many numbers from the pixel's place, and then uses them all.
 * They are integers below 16, so that each operation on floats is exact. Mesa 22.3.6 has 64
 * registers for the halves of integers, and 128 for floats.
 */
static const char *fragment_of_many(unsigned int count)
{
	static char text[16384];
	unsigned int i;
	size_t at;

	at = (size_t)snprintf(text, sizeof(text),
			      "out vec4 result;\n"
			      "float low(float v) { return v - 16.0 * floor(v * 0.0625); }\n"
			      "void main()\n"
			      "{\n"
			      "	float x = floor(gl_FragCoord.x) + 64.0 * floor(gl_FragCoord.y);\n"
			      "	float sum = 0.0, all = 0.0;\n");
	for (i = 0; i < count; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "	float a%u = low(floor(x * %u.0 * 0.125));\n", i,
				       2 * i + 3);
	for (i = count; i-- > 0;)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
				       "	sum = low(sum * 3.0 + a%u * a%u); all += sum;\n", i,
				       i * 7 % count);
	snprintf(text + at, sizeof(text) - at,
		 "	result = vec4(sum * 17.0, low(all) * 17.0, low(a%u + all) * 17.0, 255.0) / 255.0;\n"
		 "}\n", count / 2);
	return text;
}

/* A register that a program has not allocated reads 0, one that it has does not. */
static void draw_registers(void)
{
	program(plain_vertex, NULL, fragment_of_many(90), NULL, 0);
	rectangle(-1, -1, 1, 1, 0, 0);
}

static const struct feature features[] = {
	{ "conditional rendering", draw_conditions, 0, 0 },
	{ "transform feedback", draw_feedback, 1, 6 },
	{ "transform feedback to a short buffer", draw_short_feedback, 1, 6 },
	{ "a geometry program", draw_geometry, 1, 6 },
	{ "a strip with adjacency", draw_adjacency, 1, 6 },
	{ "numbers of primitives", draw_primitive_numbers, 1, 6 },
	{ "layers", draw_layers, 1, 6 },
	{ "a program with many registers", draw_registers, 0, 0 },
};

int main(int argc, char **argv)
{
	static const struct pictures pictures = {
		.context = { "pipeline", EGL_OPENGL_API, EGL_OPENGL_BIT, 0, 0 },
		.features = features,
		.count = ARRAY_LEN(features),
	};

	return pictures_main(&pictures, argc, argv);
}
