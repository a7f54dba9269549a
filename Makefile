# SPDX-License-Identifier: MIT
#
# Every entry point a person needs; `make help` lists them. The kernel's build
# reads Kbuild instead of this file.

KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/nvfifo
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
VIMDIR ?= $(PREFIX)/share/vim/vimfiles
VSCODEDIR ?= $(PREFIX)/share/nvfifo/vscode
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
CHIPSET ?= g84
KERNEL ?= 6.12
# Empty it to go on when a new compiler finds something to warn about.
WERROR ?= -Werror
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' packaging/dkms.conf)

# Not the first of those in the files below.
.DEFAULT_GOAL := module
# The files below use these in prerequisites, which make expands when it reads them.
host_objs = $(patsubst %.c,build/host/%.o,$(1))
san_objs = $(patsubst %.c,build/san/%.o,$(1))
test_bins = $(addprefix build/tests/,$(basename $(notdir $(1))))
# Each names its sources, with paths from here.
include $(wildcard sim/core.mk sim/transport.mk lib/lib.mk tools/tools.mk tests/tests.mk gl/gl.mk)
# Objects that an older one of these files has made may lack an option.
MAKEFILES_READ := $(MAKEFILE_LIST)
include $(wildcard tools/playground/playground.mk)
# Each is a program that runs in the guest and prints TAP.
GUEST_TESTS := $(sort $(wildcard tests/guest/*.c))

USER_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra $(WERROR) -I. -Ihw -Iuapi -Ilib -Isim -MMD -MP
SAN_CFLAGS := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined
# One compilation serves programs and shared libraries; without a library's symbols to
# interpose, its functions are inlined as in a program.
HOST_CFLAGS := -fPIC -fno-semantic-interposition
# Where vm.mmap_rnd_bits is 32, the random address of a PIE may lie in the heap of gcc 12's ASan.
SAN_LDFLAGS := -no-pie
LDLIBS := -lpthread -lm

# A line such as "  CC      file" for each command; V=1 shows the commands, -s nothing.
ifeq ($(V),1)
brief =
else ifneq ($(findstring s,$(filter-out --%,$(firstword -$(MAKEFLAGS)))),)
brief = @
else
brief = @printf '  %-7s %s\n' $(1) $@;
endif

NVSIM := build/sim/nvsim
LIBNVFIFO := build/lib/libnvfifo.a
LIBNVFIFO_SO := build/lib/libnvfifo.so.$(VERSION)
LIBNVFIFO_MODEL := build/lib/$(LIBMODEL_SONAME)
NVFIFO := build/bin/nvfifo
GUEST_TEST_BINS := $(patsubst tests/guest/%.c,build/guest/tests/%,$(GUEST_TESTS))
GUEST := build/guest/nvfifo build/guest/bench build/guest/bench_faults build/guest/nouveau build/guest/nv build/guest/compare build/guest/side_nvfifo build/guest/side_nouveau build/guest/raw_ioctl \
	 $(GUEST_TEST_BINS) $(FUZZ_BINS)
BENCH_MODEL := build/bench/model build/bench/test_vfio build/bench/test_vhost
SIM_TEST_BINS := $(call test_bins,$(SIM_TESTS) $(SIM_RECORD_TESTS) $(SIM_GRCTX_TESTS))
TRANSPORT_TEST_BINS := $(call test_bins,$(SIM_TRANSPORT_TESTS))
LIB_TEST_BINS := $(call test_bins,$(LIB_TESTS) $(TOOLS_TESTS))
GL_TEST_BINS := $(if $(LIBNVFIFO_NOUVEAU),$(call test_bins,$(GL_TESTS)))
TEST_BINS := $(SIM_TEST_BINS) $(TRANSPORT_TEST_BINS) $(LIB_TEST_BINS) $(GL_TEST_BINS)

# Said before anything is built or fetched for it.
ifneq ($(filter lib tools sim man install-tools host-tests guest,$(MAKECMDGOALS)),)
ifeq ($(shell command -v $(firstword $(CC))),)
$(error $(firstword $(CC)) is not installed: on Debian, apt install gcc libc6-dev libdrm-dev)
endif
endif
# Text in quotes of the shell, which must not run what a variable has.
quoted = '$(subst ','\'',$(value $(1)))'
CHIPSETS_KNOWN := $(shell sed -n 's/^chipsets="\(.*\)"/\1/p' testbox/lib.sh)
ifneq ($(filter demo gl-demo bench bench-gl bench-nouveau testbox-shell,$(MAKECMDGOALS)),)
ifeq ($(shell printf '%s\n' $(CHIPSETS_KNOWN) | grep -ixF -e $(call quoted,CHIPSET)),)
$(error CHIPSET '$(value CHIPSET)' is none of $(CHIPSETS_KNOWN))
endif
endif
ifneq ($(filter testbox-shell nouveau-on-sim compare-nouveau,$(MAKECMDGOALS)),)
ifeq ($(shell printf '%s\n' $(call quoted,KERNEL) | grep -E '^(debug|6\.(1[2-9]|[2-9][0-9])|[7-9]\.[0-9]+)$$'),)
$(error KERNEL '$(value KERNEL)' is none of 6.12 and later; say 6.12, or the newest of Debian 13's backports)
endif
endif

.PHONY: dist docs deb man all module install uninstall dkms-install dkms-uninstall sim lib tools install-tools \
	uninstall-tools fuzz fuzz-record fuzz-push fuzz-ioctl setup demo test test-all setup-all test-loaded test-debug test-piglit test-gl-nouveau test-quirks playground test-playground fresh kunit in-tree \
	bench bench-nouveau bench-pt bench-gl bench-model \
	testbox testbox-shell compare-nouveau gl-demo stick test-stick check uml uml-module host-tests list-host-tests \
	guest clean help

all: module

module: ## build nvfifo.ko for the running kernel, or for KDIR=... (the default target)
	@test -e "$(KDIR)/Makefile" || { \
		echo "No kernel headers in $(KDIR): install linux-headers-$$(uname -r) or give KDIR=..." >&2; exit 1; }
	$(MAKE) -C "$(KDIR)" M="$(CURDIR)" modules

RELEASE = $(shell $(MAKE) -s --no-print-directory -C "$(KDIR)" kernelrelease)
# The kernel build leaves it out where there is no System.map. Packages do it later.
DEPMOD = $(if $(INSTALL_MOD_PATH),,depmod $(RELEASE))

MODPROBE_D = etc/modprobe.d

install: module ## install nvfifo.ko for that kernel, not to be loaded by itself (as root)
	install -d "$(INSTALL_MOD_PATH)/$(MODPROBE_D)"
	install -m 644 packaging/modprobe.d/nvfifo.conf "$(INSTALL_MOD_PATH)/$(MODPROBE_D)"
	$(MAKE) -C "$(KDIR)" M="$(CURDIR)" INSTALL_MOD_DIR=updates modules_install
	$(DEPMOD)

uninstall: ## remove what install put there (as root)
	rm -f "$(INSTALL_MOD_PATH)/$(MODPROBE_D)/nvfifo.conf"
	rm -f "$(INSTALL_MOD_PATH)/lib/modules/$(RELEASE)/updates"/nvfifo.ko*
	$(DEPMOD)

DRIVER_FOLDERS := $(patsubst %/,%,$(wildcard driver/*/))
DKMS_DIR = $(DESTDIR)/usr/src/nvfifo-$(VERSION)

dkms-install: ## hand the driver to DKMS, which builds it for each kernel (as root)
	install -d "$(DKMS_DIR)/uapi" "$(DKMS_DIR)/hw" $(patsubst %,"$(DKMS_DIR)/%",$(DRIVER_FOLDERS))
	install -m 644 Kbuild packaging/dkms.conf COPYING $(wildcard nvfifo_*.[ch]) "$(DKMS_DIR)"
	install -m 644 $(wildcard uapi/*.h) "$(DKMS_DIR)/uapi"
	for folder in $(DRIVER_FOLDERS); do install -m 644 $$folder/*.[ch] "$(DKMS_DIR)/$$folder" || exit; done
	install -m 644 $(wildcard hw/*.[ch]) "$(DKMS_DIR)/hw"
	install -d "$(DESTDIR)/$(MODPROBE_D)"
	install -m 644 packaging/modprobe.d/nvfifo.conf "$(DESTDIR)/$(MODPROBE_D)"
	test -n "$(DESTDIR)" || dkms install --force -m nvfifo -v $(VERSION)

dkms-uninstall: ## take it away from DKMS again (as root)
	rm -f "$(DESTDIR)/$(MODPROBE_D)/nvfifo.conf"
	test -n "$(DESTDIR)" || dkms remove -m nvfifo -v $(VERSION) --all
	rm -rf "$(DKMS_DIR)"

sim: $(NVSIM) ## build the model of the card, build/sim/nvsim

lib: $(LIBNVFIFO) $(LIBNVFIFO_SO) $(LIBNVFIFO_MODEL) ## build the user library, static and shared, in build/lib

tools: $(NVFIFO) $(LIBNVFIFO_NOUVEAU) ## build the nvfifo command, build/bin/nvfifo

install-tools: lib tools sim man ## install command, model, library, headers and examples below PREFIX (default /usr/local)
	install -d $(patsubst %,"$(DESTDIR)%",$(BINDIR) $(LIBDIR)/pkgconfig $(LIBDIR)/nvfifo $(INCLUDEDIR)/nvfifo \
		$(MANDIR)/man1 $(MANDIR)/man5 $(COMPLETIONDIR) $(ZSHDIR) $(FISHDIR) \
		$(VIMDIR)/syntax $(VIMDIR)/ftdetect $(VSCODEDIR)/syntaxes $(PYTHONDIR)/nvfifo \
		$(DOCDIR)/examples/python)
	install -m 755 $(NVFIFO) $(NVSIM) "$(DESTDIR)$(BINDIR)"
	install -m 644 $(LIBNVFIFO) "$(DESTDIR)$(LIBDIR)"
	install -m 644 $(LIBNVFIFO_SO) $(LIBNVFIFO_MODEL) "$(DESTDIR)$(LIBDIR)"
	$(if $(LIBNVFIFO_NOUVEAU),install -m 644 $(LIBNVFIFO_NOUVEAU) "$(DESTDIR)$(LIBDIR)/nvfifo")
	ln -sf $(notdir $(LIBNVFIFO_SO)) "$(DESTDIR)$(LIBDIR)/$(LIB_SONAME)"
	ln -sf $(LIB_SONAME) "$(DESTDIR)$(LIBDIR)/libnvfifo.so"
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' \
		-e 's|@VERSION@|$(VERSION)|' lib/nvfifo.pc.in >"$(DESTDIR)$(LIBDIR)/pkgconfig/nvfifo.pc"
	install -m 644 $(LIB_HEADERS) hw/nvfifo_fmt.h hw/nvfifo_code_names.h hw/nvfifo_code_table.h \
		hw/nvfifo_layout_table.h \
		uapi/nvfifo_drm.h "$(DESTDIR)$(INCLUDEDIR)/nvfifo"
	install -m 644 tools/man/nvfifo.1 build/man/*.1 "$(DESTDIR)$(MANDIR)/man1"
	install -m 644 tools/man/nvfifo-program.5 "$(DESTDIR)$(MANDIR)/man5"
	install -m 644 tools/completion/nvfifo "$(DESTDIR)$(COMPLETIONDIR)"
	install -m 644 tools/completion/_nvfifo "$(DESTDIR)$(ZSHDIR)"
	install -m 644 tools/completion/nvfifo.fish "$(DESTDIR)$(FISHDIR)"
	install -m 644 tools/vim/syntax/nvp.vim "$(DESTDIR)$(VIMDIR)/syntax"
	install -m 644 tools/vim/ftdetect/nvp.vim "$(DESTDIR)$(VIMDIR)/ftdetect"
	install -m 644 tools/vscode/*.json "$(DESTDIR)$(VSCODEDIR)"
	install -m 644 tools/vscode/syntaxes/nvp.tmLanguage.json "$(DESTDIR)$(VSCODEDIR)/syntaxes"
	install -m 644 $(wildcard examples/*.nvp examples/*.tbl examples/*.c examples/README.md) "$(DESTDIR)$(DOCDIR)/examples"
	install -m 644 examples/python/*.py "$(DESTDIR)$(DOCDIR)/examples/python"
	install -m 644 lib/python/nvfifo/*.py lib/python/nvfifo/py.typed "$(DESTDIR)$(PYTHONDIR)/nvfifo"
	install -m 644 tools/json-schema.json "$(DESTDIR)$(DOCDIR)"
	@test -n "$(DESTDIR)" || ldconfig 2>/dev/null || \
		echo "If programs do not find $(LIB_SONAME), run ldconfig as root, or set LD_LIBRARY_PATH=$(LIBDIR)."

# The pages of subcommands have the date of the command's own page.
MAN_DATE = $(shell sed -n 's/^\.TH NVFIFO 1 "\([^"]*\)".*/\1/p' tools/man/nvfifo.1)

# What --help says, as a page for each subcommand.
man: $(NVFIFO) $(NVSIM) ## make the manual pages of the subcommands, in build/man
	@mkdir -p build/man
	@$(NVFIFO) --help | sed -n 's/^  \([a-z][a-z]*\)  *\(.*\)/\1 \2/p' | while read -r name summary; do \
		$(NVFIFO) "$$name" --help | awk -v page="nvfifo-$$name" -v summary="$$summary" -v version=$(VERSION) \
			-v date="$(MAN_DATE)" -f tools/man/subcommand.awk >"build/man/nvfifo-$$name.1" || exit; done
	@$(NVSIM) --help | awk -v page=nvsim -v summary="software model of an NV50-family card" -v version=$(VERSION) \
		-v date="$(MAN_DATE)" -f tools/man/subcommand.awk >build/man/nvsim.1

docs: ## build the documentation as HTML, in build/docs/html
	@testbox/setup.sh docs
	@testbox/docs.sh

# From a checkout or from a tarball of one.
SOURCE_FILES = git ls-files -z 2>/dev/null || find . -path ./build -prune -o -type f -print0

dist: ## pack the checked out commit as build/nvfifo-VERSION.tar.xz
	@mkdir -p build
	@git archive --prefix=nvfifo-$(VERSION)/ -o build/nvfifo-$(VERSION).tar HEAD
	@xz -f -T0 build/nvfifo-$(VERSION).tar
	@ls build/nvfifo-$(VERSION).tar.xz

deb: ## make the Debian packages, in build/deb
	@command -v dpkg-buildpackage >/dev/null && command -v dh_dkms >/dev/null || { \
		echo "make deb: as root, apt install build-essential && apt build-dep ./packaging" >&2; exit 1; }
	@rm -rf build/deb
	@mkdir -p build/deb/nvfifo-$(VERSION)
	@{ $(SOURCE_FILES); } | xargs -0 cp -P --parents -t build/deb/nvfifo-$(VERSION)
	@cp -r packaging/debian build/deb/nvfifo-$(VERSION)/debian
	@cd build/deb/nvfifo-$(VERSION) && dpkg-buildpackage -us -uc
	@ls build/deb/*.deb

uninstall-tools: ## remove what install-tools put there
	rm -f "$(DESTDIR)$(BINDIR)/nvfifo" "$(DESTDIR)$(BINDIR)/nvsim" "$(DESTDIR)$(LIBDIR)/libnvfifo.a" "$(DESTDIR)$(LIBDIR)/libnvfifo.so" \
		"$(DESTDIR)$(LIBDIR)/$(LIB_SONAME)" "$(DESTDIR)$(LIBDIR)/$(notdir $(LIBNVFIFO_SO))" \
		"$(DESTDIR)$(LIBDIR)/$(LIBMODEL_SONAME)" \
		"$(DESTDIR)$(LIBDIR)/pkgconfig/nvfifo.pc" "$(DESTDIR)$(MANDIR)/man1/nvfifo.1" \
		"$(DESTDIR)$(MANDIR)/man5/nvfifo-program.5" \
		"$(DESTDIR)$(COMPLETIONDIR)/nvfifo" "$(DESTDIR)$(MANDIR)"/man1/nvfifo-*.1 "$(DESTDIR)$(MANDIR)/man1/nvsim.1" \
		"$(DESTDIR)$(ZSHDIR)/_nvfifo" "$(DESTDIR)$(FISHDIR)/nvfifo.fish" \
		"$(DESTDIR)$(VIMDIR)/syntax/nvp.vim" "$(DESTDIR)$(VIMDIR)/ftdetect/nvp.vim"
	rm -rf "$(DESTDIR)$(INCLUDEDIR)/nvfifo" "$(DESTDIR)$(LIBDIR)/nvfifo" "$(DESTDIR)$(DOCDIR)" \
		"$(DESTDIR)$(VSCODEDIR)" "$(DESTDIR)$(PYTHONDIR)/nvfifo"
	@rmdir "$(DESTDIR)$(PREFIX)/share/nvfifo" 2>/dev/null || true

fuzz: build/gen/nvfifo_tables.c ## look for input that breaks the library's parsers, until stopped; FUZZ_TIME=seconds
	@mkdir -p build/fuzz/corpus
	clang $(filter-out -MMD -MP,$(USER_CFLAGS)) -O1 -DNVFIFO_LIBFUZZER -fsanitize=fuzzer,address,undefined \
		$(addprefix -DNVFIFO_FUZZ_PARSER=,$(FUZZ_PARSER)) -o build/fuzz/parsers lib/tests/lib_fuzz.c $(LIB_SRCS) $(LDLIBS)
	build/fuzz/parsers -max_len=8192 $(if $(FUZZ_TIME),-max_total_time=$(FUZZ_TIME)) build/fuzz/corpus

fuzz-record: ## the same for records of the model
	@mkdir -p build/fuzz/records
	clang $(filter-out -MMD -MP,$(USER_CFLAGS)) -O1 -DNVFIFO_LIBFUZZER -fsanitize=fuzzer,address,undefined \
		-o build/fuzz/record sim/tests/test_record.c $(SIM_CORE_SRCS) $(SIM_TEST_SRCS) $(SIM_RECORD_TEST_SRCS) $(LDLIBS)
	build/fuzz/record -max_len=8192 $(if $(FUZZ_TIME),-max_total_time=$(FUZZ_TIME)) build/fuzz/records

fuzz-push: sim guest uml-module ## hostile pushbuffers beside witnesses, on each of CHIPSETS; FUZZ_TIME=seconds, FUZZ_SEED
	@tests/fuzz/run.sh push

fuzz-ioctl: sim guest uml-module ## hostile system calls, guided by KCOV, beside witnesses; as fuzz-push
	@tests/fuzz/run.sh ioctl

setup: ## install what make test needs from the distribution
	@testbox/setup.sh test

# exec: make ends with SIGTERM the process that it has started, not what that has started.
demo: ## boot a UML kernel with the model and run examples/ in it; CHIPSET=g80 ... mcp89
	@testbox/setup.sh demo
	@CHIPSET="$(CHIPSET)" exec testbox/demo.sh

test: setup ## library, command, model, KUnit and driver, which takes minutes; CHIPSETS, SUITES
	@tests/run.sh

test-all: setup-all ## the same and all the rest: every chip, unusual cards, fuzzers, QEMU, nouveau, Mesa, IGT, chromium
	@tests/run.sh all

setup-all:
	@testbox/setup.sh test-all

test-loaded: setup ## make test three times beside eight processes that only compute; LOAD, RUNS
	@tests/loaded.sh

test-debug: setup-all ## suites that race easily, on a kernel that finds races, which it builds; CHIPSETS, SUITES
	@tests/run.sh debug

test-piglit: ## tests of Debian's piglit with Mesa on the model; CHIPSETS
	@testbox/setup.sh piglit
	@tests/run.sh piglit

test-gl-nouveau: ## Mesa's pictures with the distribution's nouveau and with nvfifo, in QEMU; CHIPSETS, EVERY, OFFSET
	@testbox/setup.sh piglit
	@tests/run.sh gl-nouveau

playground: ## the card on a page: the command as WebAssembly and an editor, in build/playground
	@testbox/setup.sh playground
	@testbox/playground.sh

test-playground: ## the same in node and in chromium, which make test-all has, too
	@testbox/setup.sh test-playground
	@tests/run.sh playground browser

test-quirks: setup ## the points that no source decides, one by one and mixed; CHIPSETS, SUITES
	@tests/run.sh quirks

kunit: ## run the KUnit suites, or SUITES='nvfifo_pt*'
	@testbox/setup.sh kunit
	@tests/run.sh kunit

in-tree: ## put the driver into DIR=linux, a kernel tree, or write PATCHES=dir, a series on it
	@testbox/in-tree.sh $(if $(PATCHES),--patches $(call quoted,PATCHES)) $(if $(DIR),$(call quoted,DIR))

fresh: ## try both commands on freshly installed minimal Debians, in folders (as root); CASES="..." or "all"
	@testbox/fresh.sh $(CASES)

bench: bench-pt ## count MMIO accesses and measure time per SUBMIT, VM_BIND and page table entry
	@CHIPSET="$(CHIPSET)" exec testbox/bench.sh

bench-nouveau: sim guest build/bench/count.so ## nvfifo and nouveau side by side in QEMU on the same model; BOOTS=3, CHIPSET=g96
	@testbox/setup.sh testbox
	@CHIPSET="$(CHIPSET)" exec testbox/bench-nouveau.sh $(BOOTS)

bench-pt: setup ## time nvfifo's writing of page tables, and nouveau's
	@tests/bench/pt.sh

bench-gl: tools build/bench/gl ## fragments and vertices per second of the model, by this machine's Mesa; CHIPSET=g96
	@build/bin/nvfifo gl --model="$(CHIPSET)" build/bench/gl

bench-model: $(BENCH_MODEL) ## speed of the model: methods, M2MF, a register read over both transports
	@for program in $^; do $$program --round-trip || exit; done

testbox: sim guest ## run the driver's tests in QEMU with the distribution's kernels; KERNELS CPUS INTERRUPTS IOMMU SUITES
	@testbox/setup.sh testbox
	@testbox/testbox.sh

testbox-shell: sim guest ## a shell in that: nvfifo command, examples, module; CHIPSET=g80 ... mcp89, KERNEL=6.12
	@testbox/setup.sh testbox
	@testbox/run-qemu.sh --shell --chipset "$(CHIPSET)" --kernel "$(KERNEL)"

stick: ## an image for a USB stick that tries a card in one boot; DEVICE=/dev/sdX writes it there, after asking
	@test -z $(call quoted,DEVICE) || packaging/stick/write.sh --check $(call quoted,DEVICE)
	@testbox/setup.sh stick
	@packaging/stick/make.sh
	@test -z $(call quoted,DEVICE) || packaging/stick/write.sh $(call quoted,DEVICE)

test-stick: sim guest ## boot that image in QEMU, by BIOS and UEFI, with the model as the card; CASES="..."
	@testbox/setup.sh stick
	@packaging/stick/make.sh
	@tests/stick.py $(CASES)

check: ## compilers, kernels, checkpatch, sparse, kernel-doc, cppcheck, clang-tidy, shellcheck
	@testbox/setup.sh check
	@testbox/check.sh

gl-demo: sim ## a small scene by the distribution's Mesa on nvfifo on the model, beside llvmpipe's; CHIPSET=g80 ... mcp89
	@testbox/setup.sh gl
	@CHIPSET="$(CHIPSET)" exec testbox/gl-demo.sh

nouveau-on-sim: sim guest ## the distribution's own nouveau on the model; CHIPSETS=all or some names, KERNEL=6.12, RECORD=directory
	@testbox/nouveau-on-sim.sh --kernel "$(KERNEL)" $(if $(RECORD),--record "$(RECORD)") $(CHIPSETS)

compare-nouveau: sim guest ## what nouveau and nvfifo do to the model, register by register; CHIPSETS=all or some names, KERNEL=6.12
	@testbox/setup.sh testbox
	@testbox/compare-nouveau.sh --kernel "$(KERNEL)" $(CHIPSETS)

uml: setup ## build the UML kernel (once; kept in ~/.cache/nvfifo)
	@testbox/build-uml.sh >/dev/null

uml-module: uml ## build nvfifo.ko for the UML kernel: in build/uml-module, and with the suites in build/uml-kunit
	@testbox/build-module.sh

host-tests: $(TEST_BINS) ## build the tests that run on the host, in build/tests

# For tests/run.sh.
list-host-tests:
	@echo $(TEST_BINS)

guest: $(GUEST) $(COMPAT_BIN) ## build the programs that run in the guest, in build/guest

clean: ## remove everything that was built here (not the cached UML kernel)
	rm -rf build
	rm -f *.o *.ko *.mod *.mod.c .*.cmd hw/*.o hw/.*.cmd kunit/*.o kunit/.*.cmd kunit/data/*.inc kunit/data/.*.cmd modules.order Module.symvers
	rm -rf .tmp_versions

HELP = Without a card: tools demo gl-demo playground sim; \
	A card: module install uninstall dkms-install dkms-uninstall stick; \
	Library, packages and pages: lib install-tools uninstall-tools man docs dist deb; \
	Tests: setup test test-all kunit in-tree check host-tests test-stick test-playground test-loaded test-debug test-quirks test-piglit \
	test-gl-nouveau fresh testbox testbox-shell; \
	Fuzzing and comparison: fuzz fuzz-record fuzz-push fuzz-ioctl nouveau-on-sim compare-nouveau; \
	Measurements: bench bench-pt bench-gl bench-model bench-nouveau; \
	Parts: uml uml-module guest clean help

help: ## print this list
	@awk -v groups="$(HELP)" -F ': .*## |:.* ## ' '/^[a-z-]+:.* ## / { text[$$1] = $$2 } \
	function show(name,  line, n, i, word) { \
		line = sprintf("  %-17s", name); n = split(text[name], word, " "); delete text[name]; \
		for (i = 1; i <= n; i++) { \
			if (length(line) + length(word[i]) > 78) { print line; line = sprintf("%19s", "") } \
			line = line " " word[i] } \
		print line } \
	END { \
		m = split(groups, group, /; */); \
		for (g = 1; g <= m; g++) { \
			split(group[g], part, ": *"); print (g > 1 ? "\n" : "") part[1] ":"; k = split(part[2], name, " "); \
			for (j = 1; j <= k; j++) if (name[j] in text) show(name[j]) } \
		for (rest in text) if (!others++) print "\nOthers:"; \
		for (rest in text) show(rest) }' $(firstword $(MAKEFILE_LIST))

# A target that does not exist, or a file that is missing; also with -n
.DEFAULT:
	+@testbox/no-target.sh $(call quoted,@)

$(NVSIM): $(call host_objs,$(SIM_CORE_SRCS) $(SIM_TRANSPORT_SRCS))
$(NVFIFO): $(call host_objs,$(TOOLS_SRCS)) $(LIBNVFIFO)
$(NVSIM) $(NVFIFO):
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

build/guest/nvfifo: $(call host_objs,$(TOOLS_SRCS)) $(LIBNVFIFO)
$(GUEST_TEST_BINS): build/guest/tests/%: build/host/tests/guest/%.o $(call host_objs,$(RIG_SRCS)) $(LIBNVFIFO)
build/guest/bench: build/host/tests/bench/bench.o $(call host_objs,$(RIG_SRCS)) $(LIBNVFIFO)
build/guest/bench_faults: build/host/tests/bench/faults.o $(call host_objs,$(RIG_SRCS)) $(LIBNVFIFO)
$(FUZZ_BINS): $(call host_objs,$(RIG_SRCS)) $(LIBNVFIFO)
build/guest/nouveau: $(call host_objs,tests/nouveau/nouveau.c tests/nouveau/client.c lib/nvfifo_text.c)
build/guest/nv: $(call host_objs,tests/nouveau/nv.c $(RIG_SRCS)) $(LIBNVFIFO)
build/guest/compare: $(call host_objs,tests/nouveau/compare.c tests/nouveau/compare_nouveau.c \
	tests/nouveau/compare_nvfifo.c tests/nouveau/client.c $(RIG_SRCS)) $(LIBNVFIFO)
build/guest/side_nvfifo: build/host/tests/bench/side_nvfifo.o $(call host_objs,$(RIG_SRCS)) $(LIBNVFIFO)
build/guest/side_nouveau: build/host/tests/bench/side_nouveau.o $(call host_objs,$(RIG_SRCS)) $(LIBNVFIFO)
build/guest/raw_ioctl: build/host/examples/raw_ioctl.o
$(GUEST):
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -static -o $@ $^ $(LDLIBS)

build/bench/model: $(call host_objs,tests/bench/model.c $(SIM_CORE_SRCS) $(SIM_TEST_SRCS))
build/bench/test_v%: build/host/sim/tests/test_v%.o $(call host_objs,$(SIM_TRANSPORT_LIB_SRCS))
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
# A plugin of QEMU.
build/bench/count.so: tests/bench/count.c tests/bench/mark.h
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) -fPIC -fvisibility=hidden -shared -o $@ $<

build/bench/model:
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(LIBNVFIFO): $(call host_objs,$(LIB_SRCS))
	@mkdir -p $(@D)
	@rm -f $@
	$(call brief,AR)$(AR) rcs $@ $^

# With the names that programs load, so that they run from build/lib
$(LIBNVFIFO_SO): $(call host_objs,$(LIB_SRCS) $(LIB_SO_SRCS)) lib/libnvfifo.map
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(LIB_SONAME) \
		-Wl,--version-script=lib/libnvfifo.map -o $@ $(filter %.o,$^) $(LDLIBS)
	@ln -sf $(@F) build/lib/$(LIB_SONAME)
	@ln -sf $(LIB_SONAME) build/lib/libnvfifo.so

$(LIBNVFIFO_MODEL): $(call host_objs,$(MODEL_SRCS)) tools/model/libnvfifo-model.map $(LIBNVFIFO_SO)
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(LIBMODEL_SONAME) \
		-Wl,--version-script=tools/model/libnvfifo-model.map -o $@ $(filter %.o,$^) $(LIBNVFIFO_SO) $(LDLIBS)

# Each test is one file with a main() of its own.
define test_rule
$(call test_bins,$(1)): $(call san_objs,$(1) $(2))
	@mkdir -p $$(@D)
	$$(call brief,LD)$$(CC) $$(USER_CFLAGS) $$(SAN_CFLAGS) $$(SAN_LDFLAGS) $$(CFLAGS) $$(LDFLAGS) -o $$@ $$^ $$(LDLIBS)
endef
$(foreach t,$(SIM_TESTS),$(eval $(call test_rule,$(t),$(SIM_CORE_SRCS) $(SIM_TEST_SRCS))))
$(foreach t,$(SIM_RECORD_TESTS),$(eval $(call test_rule,$(t),$(SIM_CORE_SRCS) $(SIM_TEST_SRCS) $(SIM_RECORD_TEST_SRCS))))
$(foreach t,$(SIM_GRCTX_TESTS),$(eval $(call test_rule,$(t),$(SIM_GRCTX_SRCS))))
$(foreach t,$(SIM_TRANSPORT_TESTS),$(eval $(call test_rule,$(t),$(SIM_TRANSPORT_LIB_SRCS))))
$(foreach t,$(GL_TESTS),$(eval $(call test_rule,$(t),$(GL_CORE_SRCS))))
$(foreach t,$(LIB_TESTS),$(eval $(call test_rule,$(t),$(LIB_SRCS))))
$(foreach t,$(TOOLS_TESTS),$(eval $(call test_rule,$(t),$(LIB_SRCS) $(MODEL_SRCS))))

build/host/%.o: %.c $(MAKEFILES_READ)
	@mkdir -p $(@D)
	$(call brief,CC)$(CC) $(USER_CFLAGS) $(HOST_CFLAGS) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

build/san/%.o: %.c $(MAKEFILES_READ)
	@mkdir -p $(@D)
	$(call brief,CC)$(CC) $(USER_CFLAGS) $(SAN_CFLAGS) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<

-include $(shell find build/host build/san -name '*.d' 2>/dev/null)
