# SPDX-License-Identifier: MIT
# The playground: command, library and model as WebAssembly, and a page around them.
# Paths from the top of the tree.
PLAYGROUND := build/playground
PLAYGROUND_EMCC ?= emcc
# Where nvfifo.js and nvfifo.wasm lie. testbox/playground.sh names the folder in which they were kept.
PLAYGROUND_ENGINE ?= build/wasm/engine

PLAYGROUND_SRCS := $(filter-out tools/model/pages.c,$(TOOLS_SRCS)) tools/playground/pages.c $(LIB_SRCS)
PLAYGROUND_OBJS := $(patsubst %.c,build/wasm/%.o,$(PLAYGROUND_SRCS))
PLAYGROUND_STATIC := $(patsubst %,tools/playground/page/%,index.html style.css icon.svg)
PLAYGROUND_MODULES := $(wildcard tools/playground/page/*.js)
PLAYGROUND_TEXTS := $(wildcard examples/*.nvp Documentation/guides/course/*)
PLAYGROUND_GRAMMAR := tools/vscode/syntaxes/nvp.tmLanguage.json
PLAYGROUND_PACK := tools/playground/pack.mjs

# emscripten has no headers of Linux and libdrm; the command uses their types and numbers only.
PLAYGROUND_INCLUDE := build/wasm/include
PLAYGROUND_MULTIARCH = $(shell $(CC) -print-multiarch)

# The card has 64 MiB, and as much memory of the system beside it. All is less than 256 MiB. Warnings
# are no errors here: each file has passed the machine's compiler, and emscripten's is another one.
PLAYGROUND_CFLAGS := -std=gnu11 -Os -g0 -Wall -Wextra -include tools/playground/linux_errno.h -D__linux__ -DMODEL_VRAM=67108864ULL \
	-DMODEL_SYSTEM=67108864ULL -isystem $(PLAYGROUND_INCLUDE) -isystem /usr/include/libdrm -I. -Ihw -Iuapi -Ilib -Isim -MMD -MP
# A call that a browser has not, such as posix_spawnp() of "nvfifo report", ends the command.
PLAYGROUND_LDFLAGS := -O2 -g0 -sERROR_ON_UNDEFINED_SYMBOLS=0 -sMODULARIZE=1 -sEXPORT_NAME=createNvfifo -sENVIRONMENT=worker,node \
	-sINVOKE_RUN=0 -sEXIT_RUNTIME=1 -sFORCE_FILESYSTEM=1 -sEXPORTED_RUNTIME_METHODS=FS,callMain \
	-sINITIAL_MEMORY=201326592 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=267386880

.PHONY: playground-files playground-engine
playground-files: $(PLAYGROUND)/engine.js $(PLAYGROUND)/playground.js $(patsubst %,$(PLAYGROUND)/%,$(notdir $(PLAYGROUND_STATIC)))
	@echo "$(PLAYGROUND) is ready: open $(PLAYGROUND)/index.html, or python3 -m http.server -d $(PLAYGROUND)"

playground-engine: $(PLAYGROUND_ENGINE)/nvfifo.js

# Beside it, /usr/include has a C library that is not emscripten's. The version has no commit, so that
# a kept engine fits each commit with the same sources.
$(PLAYGROUND_INCLUDE)/nvfifo_version.h: tools/playground/playground.mk
	@mkdir -p $(PLAYGROUND_INCLUDE)
	@ln -sfn /usr/include/asm-generic $(PLAYGROUND_INCLUDE)/asm-generic
	@ln -sfn /usr/include/$(PLAYGROUND_MULTIARCH)/asm $(PLAYGROUND_INCLUDE)/asm
	@ln -sfn /usr/include/libdrm $(PLAYGROUND_INCLUDE)/drm
	@ln -sfn /usr/include/linux $(PLAYGROUND_INCLUDE)/linux
	@echo '#define NVFIFO_VERSION "$(VERSION)"' >$@

build/wasm/%.o: %.c tools/playground/playground.mk | $(PLAYGROUND_INCLUDE)/nvfifo_version.h
	@mkdir -p $(@D)
	$(call brief,EMCC)$(PLAYGROUND_EMCC) $(PLAYGROUND_CFLAGS) -c -o $@ $<

# emcc writes nvfifo.wasm beside it. Its JavaScript packages lie where only Debian's own node looks.
build/wasm/engine/nvfifo.js: $(PLAYGROUND_OBJS)
	@mkdir -p $(@D)
	$(call brief,EMLD)NODE_PATH=/usr/share/nodejs $(PLAYGROUND_EMCC) $(PLAYGROUND_LDFLAGS) -o $@ $^ -lm

build/wasm/texts.json: tools/playground/texts.mjs $(PLAYGROUND_TEXTS)
	@mkdir -p $(@D)
	$(call brief,GEN)node $< $(PLAYGROUND_TEXTS) >$@.new && mv $@.new $@

$(PLAYGROUND)/engine.js: $(PLAYGROUND_ENGINE)/nvfifo.js $(PLAYGROUND_PACK) $(PLAYGROUND_MODULES)
	@mkdir -p $(@D)
	$(call brief,GEN)node $(PLAYGROUND_PACK) engine $(PLAYGROUND_ENGINE) >$@.new && mv $@.new $@

$(PLAYGROUND)/playground.js: build/wasm/texts.json $(PLAYGROUND_GRAMMAR) $(PLAYGROUND_PACK) $(PLAYGROUND_MODULES)
	@mkdir -p $(@D)
	$(call brief,GEN)node $(PLAYGROUND_PACK) page $< $(PLAYGROUND_GRAMMAR) >$@.new && mv $@.new $@

define playground_file
$(PLAYGROUND)/$(notdir $(1)): $(1)
	@mkdir -p $$(@D)
	@cp $$< $$@
endef
$(foreach file,$(PLAYGROUND_STATIC),$(eval $(call playground_file,$(file))))

-include $(shell find build/wasm -name '*.d' 2>/dev/null)
