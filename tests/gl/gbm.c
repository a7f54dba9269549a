// SPDX-License-Identifier: MIT
/*
 * A program that draws with libgbm and EGL's platform gbm. A surface has two buffers that change
 * places. Another buffer goes from libgbm to EGL as a descriptor, which keeps the buffer. Argument: the node, by default /dev/dri/renderD128.
 */
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl3.h>
#include <GLES2/gl2ext.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/tap.h"

/* Of gbm.h, whose package is not needed to run a program */
#define GBM_FORMAT_XRGB8888	0x34325258
#define GBM_BO_USE_RENDERING	(1 << 2)
#define GBM_BO_USE_LINEAR	(1 << 4)
#define GBM_BO_IMPORT_FD	0x5503
#define GBM_BO_TRANSFER_READ	(1 << 0)

struct gbm_import_fd_data {
	int fd;
	uint32_t width, height, stride, format;
};

struct gbm_device *gbm_create_device(int fd);
void gbm_device_destroy(struct gbm_device *device);
struct gbm_surface *gbm_surface_create(struct gbm_device *device, uint32_t width, uint32_t height,
				       uint32_t format, uint32_t flags);
void gbm_surface_destroy(struct gbm_surface *surface);
struct gbm_bo *gbm_surface_lock_front_buffer(struct gbm_surface *surface);
void gbm_surface_release_buffer(struct gbm_surface *surface, struct gbm_bo *bo);
struct gbm_bo *gbm_bo_create(struct gbm_device *device, uint32_t width, uint32_t height,
			     uint32_t format, uint32_t flags);
struct gbm_bo *gbm_bo_import(struct gbm_device *device, uint32_t type, void *buffer,
			     uint32_t flags);
void gbm_bo_destroy(struct gbm_bo *bo);
int gbm_bo_get_fd(struct gbm_bo *bo);
uint32_t gbm_bo_get_stride(struct gbm_bo *bo);
void *gbm_bo_map(struct gbm_bo *bo, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
		 uint32_t flags, uint32_t *stride, void **map);
void gbm_bo_unmap(struct gbm_bo *bo, void *map);

#define DRM_MAJOR	226

#define WIDTH	96
#define HEIGHT	64
#define LARGE	2048	/* pixels; a buffer of 16 MiB */
#define ROUNDS	40	/* buffers of that size do not fit into 256 MiB */

static struct gbm_device *device;
static EGLDisplay display;

/* A color with a rectangle of another color in the lower left corner, as OpenGL sees it */
static void draw(float red, float green)
{
	glDisable(GL_SCISSOR_TEST);
	glClearColor(red, green, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glEnable(GL_SCISSOR_TEST);
	glScissor(0, 0, 16, 8);
	glClearColor(0, 0, 1, 1);
	glClear(GL_COLOR_BUFFER_BIT);
}

/* Whether a buffer has the picture of draw(); rows of a window begin at the top. */
static int has(struct gbm_bo *bo, uint32_t color, int from_top)
{
	uint32_t stride = 0, x, y, wrong = 0;
	void *map = NULL;
	const char *rows = gbm_bo_map(bo, 0, 0, WIDTH, HEIGHT, GBM_BO_TRANSFER_READ, &stride, &map);

	if (!rows)
		return 0;

	for (y = 0; y < HEIGHT; y++) {
		const uint32_t *row = (const void *)(rows + (size_t)y * stride);
		uint32_t line = from_top ? HEIGHT - 1 - y : y;

		for (x = 0; x < WIDTH; x++) {
			uint32_t want = line < 8 && x < 16 ? 0xff : color;

			wrong += (row[x] & 0xffffff) != want;
		}
	}
	gbm_bo_unmap(bo, map);
	if (wrong)
		printf("# %u pixels are wrong\n", wrong);
	return !wrong;
}

static int make_context(struct gbm_surface **surface, EGLSurface *window)
{
	static const EGLint config_wants[] = {
		EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT,
		EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_ALPHA_SIZE, 0, EGL_NONE,
	};
	static const EGLint context_wants[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE };
	EGLConfig configs[64], config = NULL;
	EGLint count = 0, format, i;
	EGLContext context;

	eglBindAPI(EGL_OPENGL_ES_API);
	eglChooseConfig(display, config_wants, configs, 64, &count);
	for (i = 0; i < count && !config; i++) {
		if (eglGetConfigAttrib(display, configs[i], EGL_NATIVE_VISUAL_ID, &format) &&
		    format == GBM_FORMAT_XRGB8888)
			config = configs[i];
	}
	if (!config)
		return 0;

	*surface = gbm_surface_create(device, WIDTH, HEIGHT, GBM_FORMAT_XRGB8888,
				      GBM_BO_USE_RENDERING);
	if (!*surface)
		return 0;

	*window = eglCreatePlatformWindowSurface(display, config, *surface, NULL);
	context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wants);
	return eglMakeCurrent(display, *window, *window, context);
}

static void t_swap(struct gbm_surface *surface, EGLSurface window)
{
	struct gbm_bo *front[2];

	draw(1, 0);
	tap(eglSwapBuffers(display, window), "buffers change places");
	front[0] = gbm_surface_lock_front_buffer(surface);
	draw(0, 1);
	eglSwapBuffers(display, window);
	front[1] = gbm_surface_lock_front_buffer(surface);
	tap(front[0] && has(front[0], 0xff0000, 1), "the first one has its picture");
	tap(front[1] && has(front[1], 0x00ff00, 1), "the second one has another");
	gbm_surface_release_buffer(surface, front[0]);
	gbm_surface_release_buffer(surface, front[1]);
}

/* EGL draws to a buffer of which it has the descriptor only. */
static int draw_to(int fd, uint32_t stride)
{
	const EGLint attributes[] = {
		EGL_WIDTH, WIDTH, EGL_HEIGHT, HEIGHT, EGL_LINUX_DRM_FOURCC_EXT, GBM_FORMAT_XRGB8888,
		EGL_DMA_BUF_PLANE0_FD_EXT, fd, EGL_DMA_BUF_PLANE0_OFFSET_EXT, 0,
		EGL_DMA_BUF_PLANE0_PITCH_EXT, (EGLint)stride, EGL_NONE,
	};
	PFNGLEGLIMAGETARGETRENDERBUFFERSTORAGEOESPROC target =
		(PFNGLEGLIMAGETARGETRENDERBUFFERSTORAGEOESPROC)(void *)
		eglGetProcAddress("glEGLImageTargetRenderbufferStorageOES");
	PFNEGLCREATEIMAGEKHRPROC create =
		(PFNEGLCREATEIMAGEKHRPROC)(void *)eglGetProcAddress("eglCreateImageKHR");
	PFNEGLDESTROYIMAGEKHRPROC destroy =
		(PFNEGLDESTROYIMAGEKHRPROC)(void *)eglGetProcAddress("eglDestroyImageKHR");
	GLuint buffer, frame;
	EGLImageKHR image;
	int complete;

	if (!target || !create || !destroy)
		return 0;

	image = create(display, EGL_NO_CONTEXT, EGL_LINUX_DMA_BUF_EXT, NULL, attributes);
	if (image == EGL_NO_IMAGE_KHR)
		return 0;

	glGenRenderbuffers(1, &buffer);
	glBindRenderbuffer(GL_RENDERBUFFER, buffer);
	target(GL_RENDERBUFFER, image);
	glGenFramebuffers(1, &frame);
	glBindFramebuffer(GL_FRAMEBUFFER, frame);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
	complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
	draw(1, 1);
	glFinish();
	glBindFramebuffer(GL_FRAMEBUFFER, 0);
	glDeleteFramebuffers(1, &frame);
	glDeleteRenderbuffers(1, &buffer);
	destroy(display, image);
	return complete && glGetError() == GL_NO_ERROR;
}

static void t_share(void)
{
	struct gbm_bo *bo = gbm_bo_create(device, WIDTH, HEIGHT, GBM_FORMAT_XRGB8888,
					  GBM_BO_USE_RENDERING | GBM_BO_USE_LINEAR);
	struct gbm_import_fd_data data = {
		.fd = -1, .width = WIDTH, .height = HEIGHT, .format = GBM_FORMAT_XRGB8888,
	};

	if (bo) {
		data.fd = gbm_bo_get_fd(bo);
		data.stride = gbm_bo_get_stride(bo);
	}
	if (!tap(data.fd >= 0, "a buffer has a descriptor"))
		return;

	tap(draw_to(data.fd, data.stride), "EGL draws to the descriptor's buffer");
	tap(has(bo, 0xffff00, 0), "libgbm sees what EGL has drawn");
	tap(lseek(data.fd, 0, SEEK_END) >= (off_t)(HEIGHT * data.stride), "the descriptor has its size");
	gbm_bo_destroy(bo);

	bo = gbm_bo_import(device, GBM_BO_IMPORT_FD, &data, GBM_BO_USE_RENDERING);
	tap(bo && has(bo, 0xffff00, 0), "the descriptor has kept the buffer");
	close(data.fd);
	tap(bo && has(bo, 0xffff00, 0), "the imported buffer stays when the descriptor is closed");
	if (bo)
		gbm_bo_destroy(bo);

	data.fd = open("/dev/null", O_RDWR);
	tap(!gbm_bo_import(device, GBM_BO_IMPORT_FD, &data, GBM_BO_USE_RENDERING),
	    "a file that is no buffer cannot be imported");
	close(data.fd);
}

/* Memory is freed when buffer and descriptor are, in either order. */
static void t_memory(void)
{
	struct gbm_bo *bo;
	int round, fd = -1;

	for (round = 0; round < ROUNDS; round++) {
		bo = gbm_bo_create(device, LARGE, LARGE, GBM_FORMAT_XRGB8888, GBM_BO_USE_RENDERING);
		if (!bo)
			break;
		fd = gbm_bo_get_fd(bo);
		if (round & 1)
			close(fd);
		gbm_bo_destroy(bo);
		if (!(round & 1))
			close(fd);
		if (fd < 0)
			break;
	}
	tap(round == ROUNDS, "%u buffers of 16 MiB, one after the other", ROUNDS);
}

/* All of it with an open file of the node */
static void play(const char *node)
{
	struct gbm_surface *surface = NULL;
	EGLSurface window = NULL;
	struct stat st;
	int fd = open(node, O_RDWR | O_CLOEXEC);

	if (!tap(fd >= 0, "%s is there", node))
		return;

	tap(!fstat(fd, &st) && S_ISCHR(st.st_mode) && st.st_rdev >> 8 == DRM_MAJOR,
	    "it is a node of DRM");
	device = gbm_create_device(fd);
	if (!tap(device != NULL, "libgbm takes it"))
		return;

	display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, device, NULL);
	tap(eglInitialize(display, NULL, NULL), "EGL takes libgbm's device");
	if (!tap(make_context(&surface, &window), "a context draws to a surface"))
		return;

	tap(!strncmp((const char *)glGetString(GL_RENDERER), "NV", 2), "the renderer is nouveau's");
	t_swap(surface, window);
	t_share();
	t_memory();
	eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	eglDestroySurface(display, window);
	gbm_surface_destroy(surface);
	eglTerminate(display);
	gbm_device_destroy(device);
	close(fd);
}

/* The second turn has another channel, when the first one's is gone. */
int main(int argc, char **argv)
{
	const char *node = argc > 1 ? argv[1] : "/dev/dri/renderD128";

	play(node);
	play(node);
	return tap_end();
}
