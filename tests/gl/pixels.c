// SPDX-License-Identifier: MIT
/*
 * Features that only desktop OpenGL has, of all that comes after vertices: polygons as lines and
 * points, stipple, samples, smooth lines and points. Small pictures, compared with those of another
 * driver:
 *
 *	pixels FILE [NAME]		draw them all, or one
 *	pixels --compare A B [NAME]	as TAP: whether two such files agree, but for one picture
 *	pixels --same A B	as TAP: whether two such files are equal to the byte
 */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#include "tests/gl/pictures.h"

/* Pixels, from the lower left; vertices lie in the middle of pixels */
static void pixel_coordinates(void)
{
	glMatrixMode(GL_PROJECTION);
	glLoadIdentity();
	glOrtho(0, WIDTH, 0, HEIGHT, -1, 1);
	glMatrixMode(GL_MODELVIEW);
	glLoadIdentity();
	glTranslatef(0.5f, 0.5f, 0);
}

static void corner(int x, int y, float red, float green, float blue)
{
	glColor3f(red, green, blue);
	glVertex2i(x, y);
}

/* --- polygons as lines and points --- */

/* Two triangles, one seen from the front and one from behind. No line passes between two pixels. */
static void two_triangles(int y)
{
	glBegin(GL_TRIANGLES);
	corner(3, y, 1, 0, 0);
	corner(28, y, 0, 1, 0);
	corner(3, y + 14, 0, 0, 1);
	corner(35, y, 1, 1, 0);
	corner(35, y + 14, 0, 1, 1);
	corner(60, y, 1, 0, 1);
	glEnd();
}

static void draw_polygon_modes(void)
{
	pixel_coordinates();
	glPolygonMode(GL_FRONT, GL_LINE);
	glPolygonMode(GL_BACK, GL_FILL);
	two_triangles(1);
	glPolygonMode(GL_FRONT, GL_POINT);
	glPolygonMode(GL_BACK, GL_LINE);
	two_triangles(17);
	glPolygonMode(GL_FRONT, GL_FILL);
	glPolygonMode(GL_BACK, GL_POINT);
	two_triangles(33);
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

static void draw_culled_outlines(void)
{
	pixel_coordinates();
	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	glEnable(GL_CULL_FACE);
	two_triangles(1);
	glCullFace(GL_FRONT);
	two_triangles(17);
	glFrontFace(GL_CW);
	two_triangles(33);
	glFrontFace(GL_CCW);
	glCullFace(GL_BACK);
	glDisable(GL_CULL_FACE);
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

/* Six corners around a middle; as a polygon there are only the outer edges. */
static void hexagon(GLenum primitive, int x, int y)
{
	static const int corners[6][2] = { { 14, 0 }, { 7, 11 }, { -7, 11 }, { -14, 0 },
					   { -7, -11 }, { 7, -11 } };
	int i;

	glBegin(primitive);
	for (i = 0; i < 6; i++)
		corner(x + corners[i][0], y + corners[i][1], 1, 1, 1);
	glEnd();
}

static void draw_polygon_edges(void)
{
	static const GLenum primitives[] = { GL_POLYGON, GL_TRIANGLE_FAN, GL_TRIANGLES, GL_QUAD_STRIP };
	int i;

	pixel_coordinates();
	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	for (i = 0; i < 4; i++)
		hexagon(primitives[i], 16 + i % 2 * 30, 12 + i / 2 * 23);
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

/* Edges that leave the screen, and corners beyond it */
static void draw_clipped_outlines(void)
{
	pixel_coordinates();
	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	glBegin(GL_QUADS);
	corner(-20, 21, 1, 0, 0);
	corner(40, -20, 0, 1, 0);
	corner(90, 30, 0, 0, 1);
	corner(20, 70, 1, 1, 1);
	glEnd();
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

/* Lines in front of and behind the same polygons, by an offset of its own kind */
static void draw_outline_offset(void)
{
	static const float offsets[] = { -1, 1 };
	int i;

	pixel_coordinates();
	glEnable(GL_DEPTH_TEST);
	glDepthFunc(GL_LESS);
	for (i = 0; i < 2; i++) {
		glBegin(GL_TRIANGLES);
		glColor3f(0.2f, 0.4f, 0.2f);
		glVertex3f(3 + 30 * (float)i, 3, 0);
		glVertex3f(30 + 30 * (float)i, 3, 0.5f);
		glVertex3f(3 + 30 * (float)i, 40, -0.5f);
		glEnd();
		glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
		glEnable(GL_POLYGON_OFFSET_LINE);
		glPolygonOffset(offsets[i], 4 * offsets[i]);
		glBegin(GL_TRIANGLES);
		glColor3f(1, 1, 0);
		glVertex3f(3 + 30 * (float)i, 3, 0);
		glVertex3f(30 + 30 * (float)i, 3, 0.5f);
		glVertex3f(3 + 30 * (float)i, 40, -0.5f);
		glEnd();
		glDisable(GL_POLYGON_OFFSET_LINE);
		glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
	}
	glDisable(GL_DEPTH_TEST);
}

/* Colors of the back, on its lines too */
static void draw_two_sided_outline(void)
{
	pixel_coordinates();
	glEnable(GL_LIGHTING);
	glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 1);
	glMaterialfv(GL_FRONT, GL_EMISSION, (const GLfloat[]){ 1, 0, 0, 1 });
	glMaterialfv(GL_BACK, GL_EMISSION, (const GLfloat[]){ 0, 0, 1, 1 });
	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	two_triangles(2);
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
	two_triangles(24);
	glLightModeli(GL_LIGHT_MODEL_TWO_SIDE, 0);
	glDisable(GL_LIGHTING);
}

/* --- stipple --- */

static void draw_polygon_stipple(void)
{
	GLubyte pattern[128];
	int i;

	for (i = 0; i < 128; i++)
		pattern[i] = (GLubyte)(i * 37 + i / 4);
	pixel_coordinates();
	glPolygonStipple(pattern);
	glEnable(GL_POLYGON_STIPPLE);
	glColor3f(1, 0.5f, 0.25f);
	glRecti(-1, -1, 60, 45);
	glDisable(GL_POLYGON_STIPPLE);
}

static void line(int x0, int y0, int x1, int y1)
{
	glBegin(GL_LINES);
	glVertex2i(x0, y0);
	glVertex2i(x1, y1);
	glEnd();
}

/* No line goes down: llvmpipe draws each piece by itself, and leaves out its first pixel there. */
static void draw_line_stipple(void)
{
	pixel_coordinates();
	glEnable(GL_LINE_STIPPLE);
	glColor3f(1, 1, 1);
	glLineStipple(1, 0x00ff);
	line(2, 2, 60, 2);
	line(60, 5, 2, 5);
	glLineStipple(3, 0x5f35);
	line(2, 8, 60, 8);
	glLineStipple(2, 0x3333);
	line(2, 12, 2, 44);
	glLineStipple(1, 0x7171);
	glBegin(GL_LINE_STRIP);
	glVertex2i(10, 12);
	glVertex2i(31, 12);
	glVertex2i(31, 21);
	glVertex2i(11, 21);
	glEnd();
	glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
	glBegin(GL_POLYGON);
	glVertex2i(40, 12);
	glVertex2i(57, 12);
	glVertex2i(57, 31);
	glEnd();
	glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
	glDisable(GL_LINE_STIPPLE);
}

/* --- flat colors, depth --- */

static void draw_flat_colors(void)
{
	pixel_coordinates();
	glShadeModel(GL_FLAT);
	two_triangles(1);
	glBegin(GL_TRIANGLE_STRIP);
	corner(3, 20, 1, 0, 0);
	corner(3, 40, 0, 1, 0);
	corner(20, 20, 0, 0, 1);
	corner(20, 40, 1, 1, 0);
	corner(71, 20, 0, 1, 1);
	corner(71, 40, 1, 0, 1);
	glEnd();
	glShadeModel(GL_SMOOTH);
}

/* Pixels beyond the planes have the depths of the ends of the range. */
static void draw_depth_clamp(void)
{
	pixel_coordinates();
	glEnable(GL_DEPTH_CLAMP);
	glEnable(GL_DEPTH_TEST);
	glDepthRange(0.25, 0.75);
	glBegin(GL_QUADS);
	glColor3f(1, 0, 0);
	glVertex3f(2, 2, -4);
	glVertex3f(60, 2, 4);
	glVertex3f(60, 44, 4);
	glVertex3f(2, 44, -4);
	glEnd();
	glDepthRange(0, 1);
	glDisable(GL_DEPTH_CLAMP);
	glBegin(GL_QUADS);
	glColor3f(0, 1, 0);
	glVertex3f(5, 5, 0.45f);
	glVertex3f(58, 5, 0.45f);
	glVertex3f(58, 20, -0.55f);
	glVertex3f(5, 20, -0.55f);
	glEnd();
	glDisable(GL_DEPTH_TEST);
}

/* A blit of depths alone leaves the stencil as it is. */
static void draw_depth_blit(void)
{
	GLuint framebuffer, buffer;
	GLint target;

	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glGenRenderbuffers(1, &buffer);
	glBindRenderbuffer(GL_RENDERBUFFER, buffer);
	glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8, WIDTH, HEIGHT);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
				  buffer);
	glClearDepth(0.5);
	glClearStencil(1);
	glClear(GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);

	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)target);
	glClearStencil(3);
	glClear(GL_STENCIL_BUFFER_BIT);
	glBlitFramebuffer(0, 0, 40, 30, 0, 0, 40, 30, GL_DEPTH_BUFFER_BIT, GL_NEAREST);
	glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)target);
	glClearDepth(1);

	pixel_coordinates();
	glEnable(GL_DEPTH_TEST);
	glEnable(GL_STENCIL_TEST);
	glStencilFunc(GL_EQUAL, 3, 0xff);
	glBegin(GL_QUADS);
	glColor3f(1, 1, 0);
	glVertex3f(1, 1, -0.5f);
	glVertex3f(60, 1, -0.5f);
	glVertex3f(60, 46, 0.5f);
	glVertex3f(1, 46, 0.5f);
	glEnd();
	glDisable(GL_STENCIL_TEST);
	glDisable(GL_DEPTH_TEST);
}

/* --- several samples to a pixel --- */

static GLuint picture_target;

/* A target of its own, of @samples, or of the most that there are */
static void start_samples(GLint samples)
{
	GLuint framebuffer, buffers[2];
	GLint most, bound;

	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
	picture_target = (GLuint)bound;
	glGetIntegerv(GL_MAX_SAMPLES, &most);
	if (samples > most || most == 4)
		samples = most;
	glGenFramebuffers(1, &framebuffer);
	glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
	glGenRenderbuffers(2, buffers);
	glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
	glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, WIDTH, HEIGHT);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
				  buffers[0]);
	glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
	glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH24_STENCIL8, WIDTH,
					 HEIGHT);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
				  buffers[1]);
	glClearColor(0.125f, 0.25f, 0.375f, 0.5f);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
	pixel_coordinates();
	glLoadIdentity();
}

/* The mean of the samples becomes the picture. */
static void resolve_samples(void)
{
	glBindFramebuffer(GL_DRAW_FRAMEBUFFER, picture_target);
	glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT, GL_NEAREST);
	glBindFramebuffer(GL_FRAMEBUFFER, picture_target);
}

static void star(void)
{
	glBegin(GL_TRIANGLE_FAN);
	corner(32, 24, 1, 1, 1);
	corner(2, 3, 1, 0, 0);
	corner(60, 9, 0, 1, 0);
	corner(55, 46, 0, 0, 1);
	corner(7, 41, 1, 1, 0);
	corner(18, 22, 0, 1, 1);
	glEnd();
}

static void draw_four_samples(void)
{
	start_samples(4);
	star();
	resolve_samples();
}

/* Multisampling off: each pixel has one color. */
static void draw_one_of_four(void)
{
	start_samples(4);
	glDisable(GL_MULTISAMPLE);
	star();
	glEnable(GL_MULTISAMPLE);
	resolve_samples();
}

/*
 * Edges in the middle of pixels have half of the samples on each side, whatever their number. An
 * edge after a fourth of the pixel has a fourth of four and of eight on its left.
 */
static void draw_halves(GLint samples)
{
	start_samples(samples);
	glColor3f(1, 1, 1);
	glRectf(3.5f, 2, 20, 20);
	glColor3f(1, 0.5f, 0);
	glRectf(30, 10.5f, 44, 40);
	if (samples > 2)
		glRectf(50, 4, 60.25f, 40);
	resolve_samples();
}

static void draw_halves_of_two(void)
{
	draw_halves(2);
}

static void draw_halves_of_eight(void)
{
	draw_halves(8);
}

/* Planes that cross in the middle of pixels, by the depth of each sample */
static void draw_sample_depth(void)
{
	start_samples(4);
	glEnable(GL_DEPTH_TEST);
	glBegin(GL_TRIANGLES);
	glColor3f(1, 0, 0);
	glVertex3f(2, 2, 0.9f);
	glVertex3f(62, 7, -0.9f);
	glVertex3f(11, 46, 0.3f);
	glColor3f(0, 1, 0);
	glVertex3f(3, 40, -0.7f);
	glVertex3f(60, 44, 0.6f);
	glVertex3f(30, 1, -0.2f);
	glEnd();
	glDisable(GL_DEPTH_TEST);
	resolve_samples();
}

static void draw_sample_stencil(void)
{
	start_samples(4);
	glEnable(GL_STENCIL_TEST);
	glStencilFunc(GL_ALWAYS, 1, 0xff);
	glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
	star();
	glStencilFunc(GL_EQUAL, 0, 0xff);
	glBegin(GL_TRIANGLES);
	corner(1, 47, 1, 1, 1);
	corner(1, 1, 1, 1, 1);
	corner(63, 20, 1, 1, 1);
	glEnd();
	glDisable(GL_STENCIL_TEST);
	resolve_samples();
}

static void draw_sample_mask(void)
{
	start_samples(4);
	glEnable(GL_SAMPLE_MASK);
	glSampleMaski(0, 5);
	star();
	glDisable(GL_SAMPLE_MASK);
	resolve_samples();
}

static void draw_sample_blending(void)
{
	start_samples(4);
	glEnable(GL_BLEND);
	glBlendFunc(GL_ONE, GL_ONE);
	star();
	glBegin(GL_TRIANGLES);
	corner(5, 45, 0.25f, 0.5f, 0);
	corner(9, 1, 0, 0.25f, 0.5f);
	corner(61, 20, 0.5f, 0, 0.25f);
	glEnd();
	glDisable(GL_BLEND);
	resolve_samples();
}

static void draw_alpha_to_one(void)
{
	start_samples(4);
	glEnable(GL_SAMPLE_ALPHA_TO_ONE);
	glColor4f(0.5f, 0.75f, 1, 0.25f);
	glRectf(3, 3, 40.5f, 40.5f);
	glDisable(GL_SAMPLE_ALPHA_TO_ONE);
	resolve_samples();
}

/* Samples are counted: a rectangle of 10 x 8 pixels has 320, which a bar shows. */
static void draw_counted_samples(void)
{
	GLuint query, count = 0;

	start_samples(4);
	glGenQueries(1, &query);
	glBeginQuery(GL_SAMPLES_PASSED, query);
	glColor3f(1, 0, 0);
	glRectf(3, 3, 13, 11);
	glEndQuery(GL_SAMPLES_PASSED);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &count);
	glColor3f(0, 1, 0);
	glRectf(0, 20, (float)count / 10, 24);
	resolve_samples();
}

/* One color to all samples of a pixel: a blit from a target of one sample */
static void draw_upsampled(void)
{
	GLuint target;

	pixel_coordinates();
	star();
	glGetIntegerv(GL_FRAMEBUFFER_BINDING, (GLint *)&target);
	start_samples(4);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, target);
	glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT, GL_NEAREST);
	glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, (GLint *)&target);
	glBindFramebuffer(GL_READ_FRAMEBUFFER, target);
	resolve_samples();
}

/* --- smooth lines and points --- */

static void start_smooth(GLenum what)
{
	pixel_coordinates();
	glEnable(GL_BLEND);
	glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
	glEnable(what);
}

static void end_smooth(GLenum what)
{
	glDisable(what);
	glDisable(GL_BLEND);
	glLineWidth(1);
	glPointSize(1);
}

/* In all directions, of two widths, with colors and depths from one end to the other */
static void draw_smooth_lines(void)
{
	static const int ends[][2] = { { 20, 0 }, { 19, 6 }, { 13, 13 }, { 4, 19 }, { 0, 20 },
				       { -7, 18 }, { -16, 11 }, { -20, 2 } };
	unsigned int i;

	start_smooth(GL_LINE_SMOOTH);
	for (i = 0; i < ARRAY_LEN(ends); i++) {
		glLineWidth(i & 1 ? 1 : 3.5f);
		glBegin(GL_LINES);
		corner(32 + ends[i][0] / 4, 24 + ends[i][1] / 4, 1, 1, 0);
		corner(32 + ends[i][0], 24 + ends[i][1], 0, 1, 1);
		glEnd();
	}
	end_smooth(GL_LINE_SMOOTH);
}

/*
 * llvmpipe's points of Mesa 22.3.6 are disks without a soft border. A border pixel then differs by
 * half of the color at most, and the corner of a square by all of it.
 */
static void draw_smooth_points(void)
{
	static const float sizes[] = { 3.5f, 5, 6, 7.5f, 9, 13 };
	unsigned int i;

	start_smooth(GL_POINT_SMOOTH);
	for (i = 0; i < ARRAY_LEN(sizes); i++) {
		glPointSize(sizes[i]);
		glBegin(GL_POINTS);
		glColor3f(1, 0.5f, 0);
		glVertex2f(9 + 20 * (float)(i % 3), 10 + 22 * (float)(i / 3));
		glEnd();
	}
	end_smooth(GL_POINT_SMOOTH);
}

/* The share of a pixel multiplies alpha, and colors stay. */
static void draw_alpha_of_smooth_lines(void)
{
	start_smooth(GL_LINE_SMOOTH);
	glDisable(GL_BLEND);
	glLineWidth(5);
	glColor4f(1, 1, 1, 0.5f);
	glBegin(GL_LINES);
	glVertex2f(5, 5);
	glVertex2f(55, 5);
	glVertex2f(5, 20.25f);
	glVertex2f(55, 20.25f);
	glVertex2f(5.25f, 30);
	glVertex2f(5.25f, 44);
	glEnd();
	end_smooth(GL_LINE_SMOOTH);
}

/* Drivers differ by a pixel at an end of a line. */
static const struct feature features[] = {
	{ "polygons as lines and points", draw_polygon_modes, 1, 2 },
	{ "culling of such polygons", draw_culled_outlines, 1, 3 },
	{ "edges of polygons", draw_polygon_edges, 1, 4 },
	{ "edges that leave the screen", draw_clipped_outlines, 1, 8 },
	{ "offsets of lines", draw_outline_offset, 1, 3 },
	{ "colors of lines seen from behind", draw_two_sided_outline, 1, 2 },
	{ "polygon stipple", draw_polygon_stipple, 0, 0 },
	{ "line stipple", draw_line_stipple, 0, 1 },
	{ "flat colors", draw_flat_colors, 0, 0 },
	{ "depths beyond the planes", draw_depth_clamp, 0, 0 },
	{ "a blit of depths alone", draw_depth_blit, 0, 0 },
	{ "four samples", draw_four_samples, 1, 0 },
	{ "four samples of one color", draw_one_of_four, 1, 0 },
	{ "halves of two samples", draw_halves_of_two, 1, 0 },
	{ "halves of eight samples", draw_halves_of_eight, 1, 0 },
	{ "depths of samples", draw_sample_depth, 1, 0 },
	{ "stencil of samples", draw_sample_stencil, 1, 0 },
	{ "a mask of samples", draw_sample_mask, 1, 0 },
	{ "blending of samples", draw_sample_blending, 1, 0 },
	{ "alpha to one", draw_alpha_to_one, 1, 0 },
	{ "a count of samples", draw_counted_samples, 1, 0 },
	{ "one color to four samples", draw_upsampled, 1, 0 },
	{ "smooth lines", draw_smooth_lines, 2, 0 },
	{ "smooth points", draw_smooth_points, 130, 0 },
	{ "alpha of smooth lines", draw_alpha_of_smooth_lines, 1, 0 },
};

int main(int argc, char **argv)
{
	static const struct pictures all = {
		{ "pixels", EGL_OPENGL_API, EGL_OPENGL_BIT, 0, 0 }, features, ARRAY_LEN(features),
	};

	return pictures_main(&all, argc, argv);
}
