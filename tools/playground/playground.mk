# SPDX-License-Identifier: MIT
# The playground: command, library and model as WebAssembly, and a page around them.
# Paths from the top of the tree.
PLAYGROUND := build/playground
PLAYGROUND_EMCC ?= emcc

PLAYGROUND_SRCS := $(filter-out tools/model/pages.c,$(TOOLS_SRCS)) tools/playground/pages.c $(LIB_SRCS)
PLAYGROUND_OBJS := $(patsubst %.c,build/wasm/%.o,$(PLAYGROUND_SRCS))
PLAYGROUND_FILES := $(wildcard tools/playground/page/*) tools/vscode/syntaxes/nvp.tmLanguage.json
PLAYGROUND_TEXTS := $(wildcard examples/*.nvp Documentation/guides/course/*)

# emscripten has no headers of Linux and libdrm; the command uses their types and numbers only.
PLAYGROUND_INCLUDE := build/wasm/include
PLAYGROUND_MULTIARCH = $(shell $(CC) -print-multiarch)

# The card has 64 MiB, and as much memory of the system beside it. All is less than 256 MiB.
PLAYGROUND_CFLAGS := -std=gnu11 -Os -g0 -Wall -Wextra $(WERROR) -include tools/playground/linux_errno.h -D__linux__ -DMODEL_VRAM=67108864ULL \
	-DMODEL_SYSTEM=67108864ULL -isystem $(PLAYGROUND_INCLUDE) -isystem /usr/include/libdrm -I. -Ihw -Iuapi -Ilib -Isim -Ibuild/gen -MMD -MP
# A call that a browser has not, such as posix_spawnp() of "nvfifo report", ends the command.
PLAYGROUND_LDFLAGS := -O2 -g0 -sERROR_ON_UNDEFINED_SYMBOLS=0 -sMODULARIZE=1 -sEXPORT_NAME=createNvfifo -sENVIRONMENT=worker,node \
	-sINVOKE_RUN=0 -sEXIT_RUNTIME=1 -sFORCE_FILESYSTEM=1 -sEXPORTED_RUNTIME_METHODS=FS,callMain \
	-sINITIAL_MEMORY=201326592 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=267386880

.PHONY: playground-files
playground-files: $(PLAYGROUND)/nvfifo.js $(PLAYGROUND)/texts.json $(patsubst %,$(PLAYGROUND)/%,$(notdir $(PLAYGROUND_FILES)))
	@echo "$(PLAYGROUND) is ready for a web server: python3 -m http.server -d $(PLAYGROUND)"

# Beside it, /usr/include has a C library that is not emscripten's.
$(PLAYGROUND_INCLUDE)/linux: tools/playground/playground.mk
	@mkdir -p $(PLAYGROUND_INCLUDE)
	@ln -sfn /usr/include/asm-generic $(PLAYGROUND_INCLUDE)/asm-generic
	@ln -sfn /usr/include/$(PLAYGROUND_MULTIARCH)/asm $(PLAYGROUND_INCLUDE)/asm
	@ln -sfn /usr/include/libdrm $(PLAYGROUND_INCLUDE)/drm
	@ln -sfn /usr/include/linux $@

build/wasm/%.o: %.c tools/playground/playground.mk | $(PLAYGROUND_INCLUDE)/linux $(NVFIFO_VERSION_H)
	@mkdir -p $(@D)
	$(call brief,EMCC)$(PLAYGROUND_EMCC) $(PLAYGROUND_CFLAGS) -c -o $@ $<

# emcc writes nvfifo.wasm beside it. Its JavaScript packages lie where only Debian's own node looks.
$(PLAYGROUND)/nvfifo.js: $(PLAYGROUND_OBJS)
	@mkdir -p $(@D)
	$(call brief,EMLD)NODE_PATH=/usr/share/nodejs $(PLAYGROUND_EMCC) $(PLAYGROUND_LDFLAGS) -o $@ $^ -lm

$(PLAYGROUND)/texts.json: tools/playground/texts.mjs $(PLAYGROUND_TEXTS)
	@mkdir -p $(@D)
	$(call brief,GEN)node $< $(PLAYGROUND_TEXTS) >$@.new && mv $@.new $@

define playground_file
$(PLAYGROUND)/$(notdir $(1)): $(1)
	@mkdir -p $$(@D)
	@cp $$< $$@
endef
$(foreach file,$(PLAYGROUND_FILES),$(eval $(call playground_file,$(file))))

-include $(shell find build/wasm -name '*.d' 2>/dev/null)
