# SPDX-License-Identifier: MIT
# Sources and tests of libnvfifo; paths from the top of the tree.
LIB_SRCS := \
	hw/nvfifo_code_names.c \
	lib/nvfifo_asm.c \
	lib/nvfifo_calc_kind.c \
	lib/nvfifo_calc_table.c \
	lib/nvfifo_advice.c \
	lib/nvfifo_bind.c \
	lib/nvfifo_boards.c \
	lib/nvfifo_classes.c \
	lib/nvfifo_coredump.c \
	lib/nvfifo_dev.c \
	lib/nvfifo_disasm.c \
	lib/nvfifo_capture.c \
	lib/nvfifo_capture_prog.c \
	lib/nvfifo_event.c \
	lib/nvfifo_exec.c \
	lib/nvfifo_explain.c \
	lib/nvfifo_explain_functions.c \
	lib/nvfifo_explain_step.c \
	lib/nvfifo_explain_table.c \
	build/gen/nvfifo_tables.c \
	lib/nvfifo_form.c \
	lib/nvfifo_json.c \
	lib/nvfifo_lex.c \
	lib/nvfifo_lint.c \
	lib/nvfifo_log.c \
	lib/nvfifo_log_cards.c \
	lib/nvfifo_log_groups.c \
	lib/nvfifo_log_mend.c \
	lib/nvfifo_log_text.c \
	lib/nvfifo_method_table.c \
	lib/nvfifo_methods.c \
	lib/nvfifo_names.c \
	lib/nvfifo_near.c \
	lib/nvfifo_paste.c \
	lib/nvfifo_paste_dump.c \
	lib/nvfifo_paste_libdrm.c \
	lib/nvfifo_paste_source.c \
	lib/nvfifo_prog.c \
	lib/nvfifo_row.c \
	lib/nvfifo_reg.c \
	lib/nvfifo_table.c \
	lib/nvfifo_text.c

# In the shared library only: it loads the model
LIB_SO_SRCS := lib/nvfifo_model_load.c

# Each is a program of its own that prints TAP; they run at the top of the tree.
LIB_TESTS := \
	lib/tests/lib_asm.c \
	lib/tests/lib_bind.c \
	lib/tests/lib_boards.c \
	lib/tests/lib_calc.c \
	lib/tests/lib_card.c \
	lib/tests/lib_class.c \
	lib/tests/lib_coredump.c \
	lib/tests/lib_docs.c \
	lib/tests/lib_event.c \
	lib/tests/lib_explain.c \
	lib/tests/lib_formats.c \
	lib/tests/lib_capture.c \
	lib/tests/lib_fuzz.c \
	lib/tests/lib_golden.c \
	lib/tests/lib_headers.c \
	lib/tests/lib_hex.c \
	lib/tests/lib_lint.c \
	lib/tests/lib_log.c \
	lib/tests/lib_methods.c \
	lib/tests/lib_paste.c \
	lib/tests/lib_prog.c \
	lib/tests/lib_push.c \
	lib/tests/lib_reg.c \
	lib/tests/lib_stream.c \
	lib/tests/lib_wait.c

# For programs; nvfifo_fmt.h and the uapi header come with them.
LIB_HEADERS := \
	lib/nvfifo.h \
	lib/nvfifo_decode.h \
	lib/nvfifo_calc.h \
	lib/nvfifo_advice.h \
	lib/nvfifo_bind.h \
	hw/nvfifo_command.h \
	hw/nvfifo_fmt_user.h \
	lib/nvfifo_coredump.h \
	lib/nvfifo_capture.h \
	lib/nvfifo_event.h \
	lib/nvfifo_exec.h \
	lib/nvfifo_explain.h \
	lib/nvfifo_lint.h \
	lib/nvfifo_prog.h \
	lib/nvfifo_push.h \
	lib/nvfifo_row.h \
	lib/nvfifo_reg.h

# Changes when programs must be compiled anew.
LIB_SONAME := libnvfifo.so.0
LIBMODEL_SONAME := libnvfifo-model.so.0

# Names of classes and methods for the push builder, written by a program from the table.
NVFIFO_CLASS_H := build/gen/nvfifo_class.h
LIB_HEADERS += $(NVFIFO_CLASS_H)
lib tools install-tools host-tests: $(NVFIFO_CLASS_H)
build/san/lib/tests/lib_push.o build/san/lib/tests/lib_class.o: $(NVFIFO_CLASS_H)
build/san/lib/tests/lib_push.o build/san/lib/tests/lib_class.o: USER_CFLAGS += -Ibuild/gen

MKCLASS_SRCS := lib/mkclass.c lib/nvfifo_classes.c lib/nvfifo_form.c lib/nvfifo_method_table.c \
	lib/nvfifo_methods.c lib/nvfifo_near.c lib/nvfifo_text.c hw/nvfifo_code_names.c
$(NVFIFO_CLASS_H): $(MKCLASS_SRCS) lib/nvfifo_methods.h
	@mkdir -p $(@D)
	$(call brief,LD)$(CC) $(USER_CFLAGS) -o build/gen/mkclass $(MKCLASS_SRCS) $(LDLIBS)
	$(call brief,GEN)build/gen/mkclass >$@.new
	@mv $@.new $@

# The tables of messages, words and boards, which the program carries as text, in the order of reading
EXPLAIN_TABLES := $(patsubst %,lib/explain/%.tbl,common pscnv nouveau-old nvidia libdrm nvfifo nouveau reader)
CALC_TABLES := lib/calc/nv50.tbl
BOARD_TABLES := lib/boards.tbl
build/gen/nvfifo_tables.c: $(EXPLAIN_TABLES) $(CALC_TABLES) $(BOARD_TABLES) lib/lib.mk
	@mkdir -p $(@D)
	$(call brief,GEN){ \
		echo '#include "nvfifo_table.h"'; \
		for table in explain $(EXPLAIN_TABLES) calc $(CALC_TABLES) board $(BOARD_TABLES); do \
			case $$table in \
			*.tbl) printf '{ "%s",\n' $$table; sed 's/^#.*//; s/["\\]/\\&/g; s/.*/"&\\n"/' $$table; echo '},' ;; \
			*) echo "$$end const struct nvfifo_source nvfifo_$${table}_sources[] = {"; end='{ 0 } };' ;; \
			esac; \
		done; \
		echo "$$end"; \
	} >$@.new && mv $@.new $@
