/* SPDX-License-Identifier: MIT */
/*
 * The parts that the model leaves out, and says so. Documentation/not-modelled.rst has the same
 * rows; "make check" compares the two.
 */
#ifndef NVSIM_MISSING_H
#define NVSIM_MISSING_H

/* ROW(token, name of the kind) */
#define NVSIM_MISSING_ROWS(ROW) \
	ROW(INSTRUCTION, "an instruction of a program") \
	ROW(STEPS, "the time of a program") \
	ROW(LOCAL, "local memory without its buffer") \
	ROW(TEXTURE, "a texture") \
	ROW(ATTRIBUTE, "a vertex attribute") \
	ROW(BEGIN_D3D, "a draw of VERTEX_BEGIN_D3D") \
	ROW(CLIP, "a triangle far outside of the screen") \
	ROW(SMOOTH_POLYGON, "the smooth edge of a polygon") \
	ROW(BLEND, "a blend equation") \
	ROW(STENCIL, "a stencil operation") \
	ROW(COLOR, "a color format") \
	ROW(ZETA, "a depth format") \
	ROW(SAMPLES, "a mode of multisampling") \
	ROW(QUERY, "a query") \
	ROW(FORMAT_2D, "a format of 2D") \
	ROW(SHAPE_2D, "a shape of 2D") \
	ROW(OPERATION_2D, "an operation of 2D") \
	ROW(PATTERN_2D, "a pattern of 2D") \
	ROW(IMAGE_2D, "an image of the push buffer") \
	ROW(COLOR_KEY_2D, "the color key of 2D") \
	ROW(FILTER_2D, "the filter of a blit") \
	ROW(METHOD, "a method of a class that the model has") \
	ROW(VALUE, "a value of a method") \
	ROW(CLASS, "a method of a class of PGRAPH") \
	ROW(ENGINE, "a method of another engine")

#define NVSIM_MISSING_TOKEN(token, name) NVSIM_MISSING_##token,
enum nvsim_missing_kind {
	NVSIM_MISSING_ROWS(NVSIM_MISSING_TOKEN)
	NVSIM_MISSING_COUNT,
};
#undef NVSIM_MISSING_TOKEN

#endif
