# SPDX-License-Identifier: Apache-2.0
#
# One command for each thing; `make help` lists them. Rules live beside what they build, in
# */*.mk fragments; this file has what crosses folders. Fragments append to:
#
#   PROGRAMS    what plain `make` builds
#   TESTS       test programs or scripts, run from the top folder without arguments; TAP on stdout
#   DEMO_usb DEMO_guest   what `make demo VIA=` needs besides
#   CHECK       those of them that `make check` runs: quick ones (tests/tests.mk)
#   FORMAL      proofs that `make formal` runs; those that take seconds are TESTS too
#   BENCH SOAK  programs that `make bench` / `make soak` run one after the other
#   LINT_V      Verilog files outside rtl/*/
#   LINT_TOPS   modules to lint, as module or module:PARAM=VALUE:...
#   LINT_C      C files for clang-tidy, besides those of the tree (generated ones, say)
#   LINT_CFLAGS flags that all need to be parsed; one file's own: a line `// lint-flags: ...` in it
#   DOCS        targets that draw pictures of the documents, which are checked in: `make docs`
#   REGS        targets that make generated files which are checked in: `make regs`
#   INSTALL_BIN INSTALL_LIB INSTALL_INCLUDE INSTALL_PC INSTALL_MAN1 INSTALL_MAN3 INSTALL_UDEV
#   INSTALL_BASH INSTALL_DOC INSTALL_SHARE   what `make install` copies
#               (BASH: completions, x.bash becomes x; PC: x.pc.in, in which @PREFIX@ and @VERSION@ are
#               replaced)
#
# It must parse on a machine that has only git and make: no $(shell) here or in a fragment that
# needs more than a POSIX system.

# The soft core, see rtl/core/core.mk; another one has another build folder.
CORE   ?= rv32i
B      ?= build$(addprefix /,$(filter-out rv32i,$(CORE)))
PREFIX ?= /usr/local
CC     := $(if $(filter default,$(origin CC)),gcc,$(CC))
CXX    := $(if $(filter default,$(origin CXX)),g++,$(CXX))
JOBS   ?= 2

# Of make demo.
DIMS ?= 4x4
VIA  ?= socket

CFLAGS   ?= -O2 -g
CFLAGS   += -std=c11 -Wall -Wextra -Werror
CPPFLAGS += -Isim/model -Ifirmware
LDLIBS   ?=

# Seconds a single test may take.
TEST_TIMEOUT ?= 900

PROGRAMS :=
TESTS :=
FORMAL :=
BENCH :=
SOAK :=
DEMO_usb :=
DEMO_guest :=
LINT_V := $(wildcard rtl/*/*.v)
LINT_TOPS :=
LINT_C :=
LINT_CFLAGS := -std=gnu11 -Isim/model -Isim/model/test -Isim/cosim -Ifirmware -Ihost/lib -Itests/lib
REGS :=
DOCS :=
INSTALL_BIN :=
INSTALL_LIB :=
INSTALL_INCLUDE :=
INSTALL_PC :=
INSTALL_MAN1 :=
INSTALL_MAN3 :=
INSTALL_UDEV :=
INSTALL_BASH :=
INSTALL_DOC :=
INSTALL_SHARE :=

# What Verilator makes is compiled through ccache: its library is the same for all of it.
OBJCACHE ?= ccache
export B CC CXX OBJCACHE
# Of blocks whose tests run for seconds: -Os, its default, is compiled for half as long again, and no faster.
SHORT_VERILATOR := MAKEFLAGS="OPT_FAST=-O1 OPT_SLOW=-O0" verilator

# Without -j on the command line, build with JOBS jobs.
ifeq ($(filter -j% --jobserver%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(JOBS)
endif
.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: all help deps check test lint formal demo bench soak report report-check regs docs install deb clean format \
    FORCE

all:

FRAGMENTS := $(sort $(wildcard rtl/*/*.mk sim/*/*.mk firmware/*.mk host/*.mk constraints/*.mk \
    tests/*.mk))
# Here, as fragments before that of sim/model name it
MODEL_H := $(wildcard sim/model/*.h) firmware/ofr_regs.h
include $(FRAGMENTS)

# Remade before anything else is, because it is included: so whatever is missing is installed first.
# The programs and the demo over the socket need less than the tests.
DEPS := $(if $(filter-out all demo install deb $(B)/bin/%,$(or $(MAKECMDGOALS),all))$(filter-out \
    socket,$(VIA)),all,build)
ifneq ($(filter-out clean help deps format,$(or $(MAKECMDGOALS),all)),)
include $(B)/deps-$(DEPS).mk
endif

$(B)/deps-%.mk: tests/deps.sh
	@mkdir -p $(@D)
	@sh tests/deps.sh $(filter build,$*)
	@touch $@

all: $(PROGRAMS)

deps:
	@sh tests/deps.sh

## Tests -------------------------------------------------------------------------------------------

# One more than processors: many tests wait for boards, hosts and clocks most of their time.
RUN_TESTS = $(B)/tests/run_tests -j $$(($(JOBS) + 1)) -t $(TEST_TIMEOUT) -l $(B)/log

# What takes longest begins first, or one processor would have nothing to do at the end.
LONG_TESTS := tests/clocks_test.sh $(B)/tests/bitstream_ping $(B)/tests/lint tests/boards_test.sh host/test/fabric_test.sh \
    host/test/serve_test.sh

test: $(B)/tests/run_tests $(PROGRAMS) $(TESTS)
	@$(RUN_TESTS) $(LONG_TESTS) $(filter-out $(LONG_TESTS),$(TESTS))

check: $(B)/tests/run_tests $(PROGRAMS) $(CHECK)
	@$(RUN_TESTS) $(CHECK)

formal: $(B)/tests/run_tests $(FORMAL)
	@$(RUN_TESTS) -v $(FORMAL)

lint: $(B)/tests/run_tests $(LINT_TESTS)
	@FULL=1 $(RUN_TESTS) -v $(LINT_TESTS)

demo: $(PROGRAMS) $(DEMO_$(VIA))
	@DIMS='$(DIMS)' VIA='$(VIA)' sh tests/demo.sh

bench: $(PROGRAMS) $(BENCH)
	@test -n '$(strip $(BENCH))' || { echo 'make bench: there is no benchmark yet' >&2; exit 2; }
	@set -e; for b in $(BENCH); do $$b; done

HOURS ?= 1
soak: $(PROGRAMS) $(SOAK)
	@test -n '$(strip $(SOAK))' || { echo 'make soak: there is no soak test yet' >&2; exit 2; }
	@set -e; for s in $(SOAK); do HOURS='$(HOURS)' $$s; done

regs: $(REGS)

docs: $(DOCS)

format:
	clang-format -i $$(git ls-files --cached --others --exclude-standard '*.c' '*.h' '*.cpp')

## Install -----------------------------------------------------------------------------------------

install: $(PROGRAMS) $(INSTALL_BIN) $(INSTALL_LIB) $(INSTALL_INCLUDE) $(INSTALL_PC) \
    $(INSTALL_MAN1) $(INSTALL_MAN3) $(INSTALL_UDEV) $(INSTALL_BASH) $(INSTALL_DOC) \
    $(INSTALL_SHARE)
	@set -e; to='$(DESTDIR)$(PREFIX)'; \
	put() { mode=$$1; dir=$$to/$$2; shift 2; [ $$# -gt 0 ] || return 0; mkdir -p "$$dir"; \
	    for f; do rm -f "$$dir/$${f##*/}"; cp -P "$$f" "$$dir/"; \
	        [ -L "$$f" ] || chmod $$mode "$$dir/$${f##*/}"; echo "$$dir/$${f##*/}"; done; }; \
	put 755 bin $(INSTALL_BIN); \
	put 644 lib $(INSTALL_LIB); \
	put 644 include $(INSTALL_INCLUDE); \
	put 644 share/man/man1 $(INSTALL_MAN1); \
	put 644 share/man/man3 $(INSTALL_MAN3); \
	put 644 lib/udev/rules.d $(INSTALL_UDEV); \
	put 644 share/doc/outflank/examples $(INSTALL_DOC); \
	put 644 share/outflank $(INSTALL_SHARE); \
	for f in $(INSTALL_BASH); do \
	    name=$${f##*/}; dir=$$to/share/bash-completion/completions; mkdir -p "$$dir"; \
	    cp "$$f" "$$dir/$${name%.bash}"; chmod 644 "$$dir/$${name%.bash}"; \
	    echo "$$dir/$${name%.bash}"; done; \
	for f in $(INSTALL_PC); do \
	    mkdir -p "$$to/lib/pkgconfig"; name=$${f##*/}; \
	    sed "s|@PREFIX@|$(PREFIX)|g; s|@VERSION@|$$(sh tests/version.sh)|" "$$f" > "$$to/lib/pkgconfig/$${name%.in}"; \
	    echo "$$to/lib/pkgconfig/$${name%.in}"; done

# A Debian package of what `make install` installs: $(B)/outflank_VERSION_ARCHITECTURE.deb.
deb:
	@rm -rf $(B)/deb
	@$(MAKE) --no-print-directory install DESTDIR=$(B)/deb/root PREFIX=/usr > $(B)/install.log
	@sh tests/deb.sh

clean:
	rm -rf $(B)

help:
	@echo 'make            build the programs into $(B)/bin'
	@echo 'make demo       a torus of boards, brought up and measured; DIMS=4x4 (default), 4x4x4, 3x5'
	@echo '                LINK=reliable (default), plain: faster'
	@echo '                VIA=usb or guest: over USB, on a made-up machine or in QEMU, and compared'
	@echo 'make example-NAME   an application on a torus of boards: jacobi, gradients or sort (host/examples)'
	@echo 'make check      of every folder what is quick, for the inner loop: at most three minutes after a build'
	@echo 'make test       all tests, lint included; the last line counts them'
	@echo 'make lint       only lint, with clang'\''s analyzer'
	@echo 'make formal     proofs of the properties that stand in rtl/'
	@echo 'make bench      throughput of the routings; make soak HOURS=n  long random runs'
	@echo 'make fuzz       the protocol of host and firmware under libFuzzer; FUZZ_SECONDS=30 each'
	@echo 'make guest      torusctl over USB in a real kernel, in QEMU; fetches 100 MB the first time'
	@echo 'make report     size and speed on iCE40 and ECP5, into rtl/README.md, and all boards with three placements each (hours), or BOARDS="name ..."'
	@echo 'make bitstream BOARD=name [SERIAL=...]   a bitstream and what goes into the flash: constraints/README.md'
	@echo 'make release    the bitstreams of all boards, or of BOARDS="name ...", in one package with firmware and sums'
	@echo 'make flash BOARD=name [SERIAL=...]       what was built into the flash of a board, by openFPGALoader'
	@echo 'make bitstream-test BOARD=name [FLIPS=N] the bitstream decoded and run beside its RTL; N wrong bits'
	@echo 'make pin-times BOARD=name how far apart the wires of its cables may come, where nothing trains them'
	@echo 'make docs       the waveforms and the pipeline of the READMEs, drawn anew'
	@echo 'make regs       what is generated from rtl/regs/outflank.json'
	@echo 'make deps       install all Debian packages that are missing (the others do so for what they need)'
	@echo 'make install    PREFIX=/usr/local DESTDIR='
	@echo 'make deb        a Debian package of the same, $(B)/outflank_VERSION_ARCHITECTURE.deb'
	@echo 'make format     clang-format all C'
	@echo 'make clean      remove $(B)'
	@echo 'make riscv-tests DIR=path   the soft core on riscv-tests, for whoever has them'
	@echo 'CORE=picorv32 PICORV32=path/to/picorv32.v make ...   boards with that core, in $(B)/picorv32'
	@echo 'JOBS=n (2) or -jn: how many at a time; TEST_TIMEOUT=seconds (900)'
