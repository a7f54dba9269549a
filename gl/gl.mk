# SPDX-License-Identifier: MIT
# libnvfifo-nouveau, which `nvfifo gl` preloads; paths from the top of the tree.

# All but what takes the place of the C library's calls; the test brings a driver of its own.
GL_CORE_SRCS := gl/file.c gl/bo.c gl/chan.c gl/nvif.c gl/capture.c
GL_SRCS := $(GL_CORE_SRCS) gl/preload.c

# One program, linked with GL_CORE_SRCS
GL_TESTS := tests/gl/translate.c

# Without nouveau_drm.h, which comes with libdrm's headers, there is no library.
ifneq ($(wildcard /usr/include/libdrm/nouveau_drm.h),)
LIBNVFIFO_NOUVEAU := build/lib/libnvfifo-nouveau.so
endif

$(patsubst %.c,build/pic/%.o,$(GL_SRCS)) $(patsubst %.c,build/san/%.o,$(GL_CORE_SRCS) $(GL_TESTS)): \
	USER_CFLAGS += -fvisibility=hidden

build/lib/libnvfifo-nouveau.so: $(patsubst %.c,build/pic/%.o,$(GL_SRCS)) gl/libnvfifo-nouveau.map
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libnvfifo-nouveau.so \
		-Wl,--version-script=gl/libnvfifo-nouveau.map -o $@ $(filter %.o,$^) $(LDLIBS)

# Programs that use OpenGL, with the machine's own libraries; they know nothing of nvfifo.
GL_PROGRAMS := build/gl/steps build/gl/scene build/gl/features

.PHONY: gl-programs
gl-programs: $(GL_PROGRAMS)

build/gl/%: tests/gl/%.c tests/tap.h
	@mkdir -p $(@D)
	$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< -lEGL -lGLESv2
