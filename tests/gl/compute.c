// SPDX-License-Identifier: MIT
/*
 * Compute programs of OpenGL ES 3.1, which Mesa's nv50 has on the GT215 and its successors. Each program
 * fills a buffer, and the test computes the same words on the processor. TAP. A group is one warp,
 * because Mesa 22.3.6 lays shared variables over the block's number, which a second warp still needs.
 */
#define GL_GLEXT_PROTOTYPES
#include <GLES3/gl31.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "tests/tap.h"

#define GROUPS	8u
#define THREADS 32u		/* of a group: one warp */
#define COUNT	(GROUPS * THREADS)

static GLuint buffers[2];	/* results, of the binding points 0 and 1 */
static uint32_t results[COUNT], extra[COUNT];

static GLuint program(const char *body)
{
	const char *parts[] = {
		"#version 310 es\n"
		"precision highp float;\nprecision highp int;\n"
		"precision highp sampler2D;\nprecision highp uimage2D;\n"
		"layout(local_size_x = 32) in;\n"
		"layout(std430, binding = 0) buffer Results { uint result[]; };\n"
		"layout(std430, binding = 1) buffer Extra { uint extra[]; };\n"
		"#define I gl_GlobalInvocationID.x\n"
		"#define L gl_LocalInvocationIndex\n",
		body,
	};
	GLuint name = glCreateProgram(), shader = glCreateShader(GL_COMPUTE_SHADER);
	char log[1000] = "";
	GLint ok;

	glShaderSource(shader, 2, parts, NULL);
	glCompileShader(shader);
	glAttachShader(name, shader);
	glLinkProgram(name);
	glGetProgramiv(name, GL_LINK_STATUS, &ok);
	if (!ok) {
		glGetShaderInfoLog(shader, sizeof(log), NULL, log);
		tap_diag("%s", log);
		glGetProgramInfoLog(name, sizeof(log), NULL, log);
		tap_diag("%s", log);
	}
	return name;
}

/* Both buffers begin as zeros. */
static void start(void)
{
	int i;

	memset(results, 0, sizeof(results));
	for (i = 0; i < 2; i++) {
		glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[i]);
		glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof(results), results, GL_DYNAMIC_COPY);
		glBindBufferBase(GL_SHADER_STORAGE_BUFFER, i, buffers[i]);
	}
}

static void read_buffer(GLuint buffer, uint32_t *words)
{
	void *p;

	memset(words, 0xee, sizeof(results));
	glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
	p = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, sizeof(results), GL_MAP_READ_BIT);
	if (p)
		memcpy(words, p, sizeof(results));
	glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
}

static void finish(void)
{
	glMemoryBarrier(GL_ALL_BARRIER_BITS);
	read_buffer(buffers[0], results);
	read_buffer(buffers[1], extra);
}

static void run(const char *body)
{
	start();
	glUseProgram(program(body));
	glDispatchCompute(GROUPS, 1, 1);
	finish();
}

static void check(const char *name, uint32_t (*want)(uint32_t i))
{
	uint32_t i;

	for (i = 0; i < COUNT && results[i] == want(i); i++)
		;
	if (!tap(i == COUNT && !glGetError(), "%s", name) && i < COUNT)
		tap_diag("word %u: %08x, want %08x", i, results[i], want(i));
}

static uint32_t want_ids(uint32_t i)
{
	return i | (i % THREADS) << 8 | (i / THREADS) << 16 | GROUPS << 24;
}

static uint32_t want_arithmetic(uint32_t i)
{
	return i * 2654435761u / (i % 7 + 1) + (i * 77 % 13) + ((int32_t)(i - 100) >> 2);
}

static uint32_t want_reversed(uint32_t i)
{
	return (i / THREADS * THREADS + THREADS - 1 - i % THREADS) * 3;
}

static uint32_t want_sum(uint32_t i)
{
	uint32_t first = i / THREADS * THREADS;

	return THREADS * first + THREADS * (THREADS - 1) / 2;
}

static uint32_t want_local(uint32_t i)
{
	uint32_t a[16], n;

	for (n = 0; n < 16; n++)
		a[n] = n * n + i;
	for (n = 0; n < 16; n++)
		a[(n + i) & 15] += a[(n * 5) & 15];
	return a[i & 15] ^ a[(i + 7) & 15] << 8;
}

static uint32_t want_loop(uint32_t i)
{
	uint32_t n = i + 1, steps = 0;

	while (n != 1) {
		n = n & 1 ? 3 * n + 1 : n / 2;
		steps++;
	}
	return steps;
}

static uint32_t want_texel(uint32_t i)
{
	return (i & 15) * 16 | (i >> 4) * 16 << 8;
}

static uint32_t want_image(uint32_t i)
{
	return i * 257 + 1;
}

static uint32_t want_square(uint32_t i)
{
	return i * i;
}

static uint32_t want_uniform(uint32_t i)
{
	return 1000 + i % 4 * 10 + i;
}

static uint32_t want_indirect(uint32_t i)
{
	return i < 3 * THREADS ? i + 5 : 0;
}

static void test_memory(void)
{
	run("void main() { result[I] = I | L << 8 | gl_WorkGroupID.x << 16 |"
	    " gl_NumWorkGroups.x << 24; }");
	check("numbers of threads and groups", want_ids);

	run("void main() { result[I] = I * 2654435761u / (I % 7u + 1u) + (I * 77u % 13u) +"
	    " uint(int(I - 100u) >> 2); }");
	check("integers", want_arithmetic);

	run("shared uint s[32];\n"
	    "void main() { s[L] = I * 3u; memoryBarrierShared(); barrier(); result[I] = s[31u - L]; }");
	check("shared memory behind a barrier", want_reversed);

	run("shared uint total;\n"
	    "void main() { if (L == 0u) total = 0u; memoryBarrierShared(); barrier();\n"
	    "atomicAdd(total, I); memoryBarrierShared(); barrier(); result[I] = total; }");
	check("atomic addition in shared memory", want_sum);

	run("void main() { uint a[16]; for (uint n = 0u; n < 16u; n++) a[n] = n * n + I;\n"
	    "for (uint n = 0u; n < 16u; n++) a[(n + I) & 15u] += a[(n * 5u) & 15u];\n"
	    "result[I] = a[I & 15u] ^ a[(I + 7u) & 15u] << 8; }");
	check("an array with computed indices: local memory", want_local);

	run("void main() { uint n = I + 1u, steps = 0u; while (n != 1u) {\n"
	    "if ((n & 1u) != 0u) n = 3u * n + 1u; else n = n / 2u; steps++; } result[I] = steps; }");
	check("a loop whose threads part", want_loop);
}

static void test_atomics(void)
{
	uint32_t i, seen[COUNT] = { 0 };

	run("void main() { result[I] = atomicAdd(extra[0], 1u); atomicMax(extra[1], I);\n"
	    "atomicMin(extra[2], I); atomicOr(extra[3], 1u << (I & 31u)); atomicXor(extra[4], I);\n"
	    "atomicAnd(extra[5], I); if (I == 77u) atomicExchange(extra[6], I);\n"
	    "if (I == 5u) atomicCompSwap(extra[7], 0u, 99u); }");
	for (i = 0; i < COUNT; i++) {
		if (results[i] < COUNT)
			seen[results[i]]++;
	}
	for (i = 0; i < COUNT && seen[i] == 1; i++)
		;
	tap(i == COUNT, "atomicAdd() gives each thread a number of its own");
	tap(extra[0] == COUNT && extra[1] == COUNT - 1 && extra[2] == 0 && extra[3] == ~0u &&
	    extra[4] == 0 && extra[5] == 0 && extra[6] == 77 && extra[7] == 99,
	    "other atomic operations on memory");
}

static void test_textures(void)
{
	static uint8_t texels[16 * 16 * 4];
	GLuint texture, image;
	uint32_t i;

	for (i = 0; i < 256; i++) {
		texels[4 * i] = (i & 15) * 16;
		texels[4 * i + 1] = (i >> 4) * 16;
	}
	glGenTextures(1, &texture);
	glBindTexture(GL_TEXTURE_2D, texture);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, 16, 16);
	glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 16, 16, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);

	run("uniform sampler2D t;\n"
	    "void main() { vec4 c = texelFetch(t, ivec2(I & 15u, I >> 4), 0) * 255.0 + 0.5;\n"
	    "result[I] = uint(c.r) | uint(c.g) << 8; }");
	check("texels of a texture", want_texel);

	run("uniform sampler2D t;\n"
	    "void main() { vec2 at = (vec2(I & 15u, I >> 4) + 0.5) / 16.0;\n"
	    "vec4 c = textureLod(t, at, 0.0) * 255.0 + 0.5; result[I] = uint(c.r) | uint(c.g) << 8; }");
	check("a texture by coordinates", want_texel);

	glGenTextures(1, &image);
	glBindTexture(GL_TEXTURE_2D, image);
	glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, 16, 16);
	glBindImageTexture(0, image, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
	run("layout(r32ui, binding = 0) uniform uimage2D m;\n"
	    "void main() { imageStore(m, ivec2(I & 15u, I >> 4), uvec4(I * 257u)); }");
	run("layout(r32ui, binding = 0) uniform uimage2D m;\n"
	    "void main() { result[I] = imageLoad(m, ivec2(I & 15u, I >> 4)).r + 1u; }");
	check("an image, stored and loaded", want_image);
}

static void test_launches(void)
{
	static const GLuint counts[] = { 9, 3, 1, 1 };
	GLuint name, buffer;

	start();
	name = program("uniform uint base[4];\nvoid main() { result[I] = base[I & 3u] + I; }");
	glUseProgram(name);
	glUniform1uiv(glGetUniformLocation(name, "base"), 4, (const GLuint[]){ 1000, 1010, 1020, 1030 });
	glDispatchCompute(GROUPS, 1, 1);
	finish();
	check("uniforms", want_uniform);

	start();
	glUseProgram(program("void main() { result[I] = I; }"));
	glDispatchCompute(GROUPS, 1, 1);
	glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
	glUseProgram(program("void main() { result[I] *= I; }"));
	glDispatchCompute(GROUPS, 1, 1);
	finish();
	check("two launches, the second one with the first one's results", want_square);

	start();
	glGenBuffers(1, &buffer);
	glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, buffer);
	glBufferData(GL_DISPATCH_INDIRECT_BUFFER, sizeof(counts), counts, GL_STATIC_DRAW);
	glUseProgram(program("void main() { result[I] = I + 5u; }"));
	glDispatchComputeIndirect(sizeof(counts[0]));
	finish();
	check("a launch whose size is in a buffer", want_indirect);
}

int main(void)
{
	const struct context context = { "compute", EGL_OPENGL_ES_API, EGL_OPENGL_ES3_BIT, 3, 1 };

	context_make(&context);
	glGenBuffers(2, buffers);
	test_memory();
	test_atomics();
	test_textures();
	test_launches();
	return tap_end();
}
