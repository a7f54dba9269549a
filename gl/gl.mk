# SPDX-License-Identifier: MIT
# libnvfifo-nouveau, which `nvfifo gl` preloads; paths from the top of the tree.

# All but what takes the place of the C library's calls; the test brings a driver of its own.
GL_CORE_SRCS := gl/file.c gl/bo.c gl/chan.c gl/nvif.c gl/capture.c lib/nvfifo_text.c
GL_SRCS := $(GL_CORE_SRCS) gl/preload.c gl/node.c
# The same with the model in the program's own process
GL_NODE_MODEL_SRCS := gl/node_model.c gl/model_device.c gl/model_buffer.c
GL_MODEL_SRCS := $(GL_CORE_SRCS) gl/preload.c $(GL_NODE_MODEL_SRCS) $(MODEL_SRCS) $(LIB_SRCS)

# One program, linked with GL_CORE_SRCS
GL_TESTS := tests/gl/translate.c

# Without nouveau_drm.h, which comes with libdrm's headers, there is no library.
ifneq ($(wildcard /usr/include/libdrm/nouveau_drm.h),)
LIBNVFIFO_NOUVEAU := build/lib/libnvfifo-nouveau.so build/lib/libnvfifo-nouveau-model.so
endif

$(call host_objs,$(GL_SRCS) $(GL_NODE_MODEL_SRCS)) $(patsubst %.c,build/san/%.o,$(GL_CORE_SRCS) $(GL_TESTS)): \
	USER_CFLAGS += -fvisibility=hidden

build/lib/libnvfifo-nouveau.so: $(call host_objs,$(GL_SRCS)) gl/libnvfifo-nouveau.map
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libnvfifo-nouveau.so \
		-Wl,--version-script=gl/libnvfifo-nouveau.map -o $@ $(filter %.o,$^) $(LDLIBS)

build/host/gl/model_device.o: USER_CFLAGS += -I/usr/include/libdrm

build/lib/libnvfifo-nouveau-model.so: $(call host_objs,$(GL_MODEL_SRCS)) \
		gl/libnvfifo-nouveau-model.map
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libnvfifo-nouveau-model.so \
		-Wl,--version-script=gl/libnvfifo-nouveau-model.map -o $@ $(filter %.o,$^) $(LDLIBS)

# Programs that use OpenGL, with the machine's own libraries; they know nothing of nvfifo.
GL_PROGRAMS := build/gl/steps build/gl/scene build/gl/features build/gl/pixels build/gl/pipeline build/gl/random \
	build/gl/compute build/gl/gbm

.PHONY: gl-programs
gl-programs: $(GL_PROGRAMS) build/gl/libreadback.so build/gl/libunsent.so

build/gl/features build/gl/pixels build/gl/pipeline: tests/gl/pictures.h
build/gl/features build/gl/pixels build/gl/pipeline build/gl/random build/gl/scene build/gl/compute: tests/gl/context.h
# Desktop OpenGL
build/gl/pixels build/gl/pipeline build/gl/random: GL_LIBRARY := -lGL

# The package with gbm.h need not be there.
build/gl/gbm: GL_LIBRARY := -lGLESv2 -l:libgbm.so.1

build/gl/%: tests/gl/%.c tests/tap.h
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< -lEGL $(or $(GL_LIBRARY),-lGLESv2)

# A benchmark, on the model or on llvmpipe
build/bench/gl: tests/bench/gl.c tests/gl/context.h
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< -lEGL -lGLESv2

build/gl/lib%.so: tests/gl/%.c
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -fPIC -fvisibility=hidden -shared -o $@ $<
