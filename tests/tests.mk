# SPDX-License-Identifier: Apache-2.0
# The test runner, its own test, and lint.

$(B)/tests/run_tests: tests/run_tests.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $<

TESTS += tests/run_tests_test.sh tests/lint_test.sh tests/deps_test.sh tests/boards_test.sh \
    tests/small_boards_test.sh tests/mend_test.sh tests/install_test.sh tests/demo_test.sh \
    tests/clocks_test.sh tests/links_test.sh tests/link_test.sh tests/demo_small.sh \
    tests/readme_test.sh tests/patterns_test.sh tests/fusesoc_test.sh

# Tests that have a short form in make test; make soak runs all of each, FULL=1.
WHOLE := tests/demo_test.sh tests/boards_test.sh tests/clocks_test.sh tests/links_test.sh host/test/fabric_test.sh \
    host/test/message_test.sh host/test/pair_test.sh host/test/b_eff_test.sh host/test/user_test.sh host/test/tree_test.sh host/test/fault_test.sh \
    $(B)/tests/test_usb_faults $(B)/tests/lint
SOAK += $(B)/tests/whole_soak
$(B)/tests/whole_soak: $(WHOLE)
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nset -e\nexport FULL=1\nfor t in $(WHOLE); do\n    case $$t in *.sh) sh $$t ;; *) $$t ;; esac\ndone\n' > $@ && \
	    chmod +x $@

tests/boards_test.sh tests/small_boards_test.sh tests/mend_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl
tests/link_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl $(B)/twin/crc/bin/boardsim
tests/links_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl $(B)/twin/rebase/bin/boardsim
tests/install_test.sh: $(PROGRAMS)
tests/patterns_test.sh: $(B)/bin/torusctl $(B)/bin/torussim $(B)/bin/bench
tests/demo_small.sh tests/readme_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl
tests/demo_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl $(B)/tests/usb_machine \
    $(B)/tests/usb_attach
tests/clocks_test.sh: $(B)/bin/boardsim $(B)/bin/torusctl \
    $(B)/twin/elastic/bin/boardsim

tests/lint_test.sh tests/fusesoc_test.sh: $(B)/report/report

# Lint reads its lists from the environment that this script sets.
LINT_TESTS := $(B)/tests/lint
TESTS += $(LINT_TESTS)

REPORT := $(B)/report/report

$(B)/tests/lint: $(REPORT) FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' "export B='$(B)' JOBS='$(JOBS)' REPORT='$(REPORT)' LINT_CFLAGS='$(LINT_CFLAGS)'" \
	    "export LINT_V='$(sort $(LINT_V))' LINT_TOPS='$(sort $(LINT_TOPS))'" \
	    "export LINT_C='$(sort $(LINT_C))'" 'exec sh tests/lint.sh' > $@.new
	@chmod +x $@.new && mv $@.new $@

# Size and speed. ECP5 tools that Debian 12 does not have come from PyPI into a virtual environment,
# versions and hashes in ecp5_tools.txt, unless nextpnr-ecp5 is on the PATH. SEEDS placements each;
# ALL=1 builds rows that are up to date, too.
export ECP5_BIN := $(B)/ecp5/bin
SEEDS ?= 3

TESTS += tests/report_test.sh $(B)/tests/report
LINT_C += tests/report.c

$(REPORT): tests/report.c tests/verilog_inputs.c tests/verilog_inputs.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $(filter %.c,$^) -ljansson

$(B)/tests/report: $(REPORT)
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexec $(REPORT) check\n' > $@.new && chmod +x $@.new && mv $@.new $@

tests/report_test.sh: $(REPORT)

$(B)/ecp5/stamp: tests/ecp5_tools.txt
	@sh tests/ecp5_tools.sh > /dev/null 2>&1 || { \
	    echo 'ecp5: no nextpnr-ecp5 that is new enough, getting that of tests/ecp5_tools.txt'; \
	    python3 -m venv $(B)/ecp5 && $(B)/ecp5/bin/pip -q install --require-hashes -r $< || { \
	        echo 'ecp5: the tools could not be installed (is there a network?)' >&2; \
	        exit 1; }; }
	@mkdir -p $(@D) && touch $@

# The same with what iCE40 bitstreams take, whatever is on the PATH.
$(B)/ecp5/ice40: tests/ecp5_tools.txt tests/ice40_tools.txt
	@{ [ -x $(B)/ecp5/bin/pip ] || python3 -m venv $(B)/ecp5; } && \
	    $(B)/ecp5/bin/pip -q install --require-hashes $(^:%=-r %) || { \
	    echo 'ice40: the tools could not be installed (is there a network?)' >&2; exit 1; }
	@touch $@

report: $(REPORT) $(B)/ecp5/stamp
	@$(REPORT) run $(if $(ALL),-a) -j $(JOBS) -s $(SEEDS) $(B)/report/builds
	@$(MAKE) --no-print-directory report-boards

report-check: $(REPORT)
	@$(REPORT) check

# make check, the inner loop: for every folder with sources what is quick, three minutes after a build at
# most (some 200 s of work). Lint is not in it: make lint, which remembers what passed. tests/check_test.sh fails for a folder
# that is not here, and for one whose tests are not of it.
T := $(B)/tests/
CHECK_constraints   := constraints/board_test.sh
CHECK_firmware/user := $(T)user_32_4
CHECK_firmware      := $(T)test_firmware firmware/test/size_test.sh
CHECK_host/examples := tests/install_test.sh
CHECK_host/examples/common := host/examples/test/examples_test.sh
CHECK_host/examples/gradients := host/examples/test/examples_test.sh
CHECK_host/examples/jacobi := host/examples/test/examples_test.sh
CHECK_host/examples/sort := host/examples/test/examples_test.sh
CHECK_host/lib      := $(addprefix $(T)test_,torus destinations mend cables snapshot cancel interleave) \
                       host/test/lib_test.sh host/test/fuzz_test.sh
CHECK_host/lib/pages := tests/install_test.sh
CHECK_host/python   := host/test/python_test.sh
CHECK_host/test     := $(CHECK_host/lib)
CHECK_host/torusctl := $(T)test_relay host/test/torusctl_test.sh host/test/layers_test.sh
CHECK_rtl/board     := $(T)test_node $(T)node_user rtl/board/test/teeth.sh
CHECK_rtl/channel   := $(T)channel_2_32_32_4_4 $(T)channel_twin_credit
CHECK_rtl/channel/example := rtl/channel/example/test/example_test.sh
CHECK_rtl/collective := $(T)collective_32_4 $(T)collective_twin_length
CHECK_rtl/core      := $(T)core_rv32i rtl/core/test/riscv_tests_test.sh
CHECK_rtl/datagram  := $(T)datagram_3_32_128_4 $(T)datagram_twin_room rtl/datagram/test/parameters.sh
CHECK_rtl/link      := rtl/link/test/fifo_test.sh $(T)link_2_16_32_4_1_0_8_16
CHECK_rtl/link/phy  := $(T)phy_2_16_16_4_0_1_11_16_1
CHECK_rtl/local     := $(T)local-lockstep-2-32-0 $(T)local-lockstep-3-32-0
CHECK_rtl/ofr       := $(T)ofr_unit_n2_c8_mul1 $(T)test_logs
CHECK_rtl/regs      := rtl/regs/regs_test.sh
CHECK_rtl/router    := $(T)counters-2-1-0 $(T)counters_twins
CHECK_rtl/router/alone := rtl/router/alone/test/alone_test.sh
CHECK_rtl/router/waves := rtl/router/waves/test/waves_test.sh
CHECK_rtl/soc       := $(addprefix $(T)soc_,ram flash timer)
CHECK_rtl/top       := rtl/top/test/pll_test.sh
CHECK_rtl/user      := $(T)user_32_4 rtl/user/test/parameters.sh
CHECK_rtl/wrapper   := rtl/channel/example/test/example_test.sh
CHECK_sim/bitstream := sim/bitstream/ice40_test.sh
CHECK_sim/cosim     := $(addprefix $(T),lockstep_2_16_16_4_0 rate_2_32_8_8_1 rate_2_16_16_4_0 bench_phases) \
                       sim/cosim/layers_test.sh
CHECK_sim/model     := $(T)test_local $(T)test_escape
CHECK_sim/net       := sim/net/test/cli_test.sh
CHECK_sim/net/app   := $(T)test_app sim/net/test/app_test.sh
CHECK_sim/net/app/examples := sim/net/test/record_test.sh
CHECK_sim/net/app/mpi := sim/net/test/record_test.sh
CHECK_sim/net/cli   := sim/net/test/cli_test.sh
CHECK_sim/net/config := sim/net/test/cli_test.sh
CHECK_sim/net/dragonfly := $(T)test_dragonfly
CHECK_sim/net/flit  := $(T)test_flit
CHECK_sim/net/limit := $(T)test_limit sim/net/test/limit_test.sh
CHECK_sim/net/measure := $(T)test_steady
CHECK_sim/net/output := sim/net/test/view_test.sh
CHECK_sim/net/packet := $(addprefix $(T)test_,net wheel)
CHECK_sim/net/route := $(addprefix $(T)test_,paths rivals)
CHECK_sim/net/run   := sim/net/test/cli_test.sh
CHECK_sim/net/study := sim/net/test/reproduce_test.sh
CHECK_sim/net/topo  := $(T)test_paths
CHECK_sim/net/traffic := $(addprefix $(T)test_,traffic pairs arrivals)
CHECK_tests         := $(addprefix tests/,run_tests_test.sh deps_test.sh patterns_test.sh check_test.sh)
CHECK_tests/lib     := $(T)link_2_16_32_4_1_0_8_16
CHECK_tests/report  := tests/report_test.sh
CHECK_FOLDERS := $(patsubst CHECK_%,%,$(filter-out CHECK_FOLDERS,$(filter CHECK_%,$(.VARIABLES))))
CHECK := $(sort $(foreach f,$(CHECK_FOLDERS),$(CHECK_$f)))
TESTS += tests/check_test.sh
# A line a folder: its name, then its tests.
tests/check_test.sh: $(B)/tests/check
$(B)/tests/check: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' $(foreach f,$(sort $(CHECK_FOLDERS)),'$f $(CHECK_$f)') > $@
$(foreach t,$(CHECK),$(if $(filter $t,$(TESTS)),,$(error tests.mk: CHECK has $t, which is no test)))
