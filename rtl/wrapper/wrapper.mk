# SPDX-License-Identifier: Apache-2.0
# Wrappers for a user's logic. ofr_board_axis with its defaults is linted, and run, in the example that
# takes it (rtl/channel/channel.mk).
LINT_TOPS += ofr_board_axis:N=3:W=16:L=32:CHANNELS=1:WIRES=2
LINT_V += rtl/wrapper/ofr_axis_wishbone.v
LINT_TOPS += ofr_axis_wishbone ofr_axis_wishbone:W=16:ENDS=1 ofr_axis_wishbone:W=64:ENDS=16

# The Wishbone slave over channels, and its twins: the same, but for what wishbone_twins.sed changes
WRAPPER_T := rtl/wrapper/test
TESTS += $(WRAPPER_T)/wishbone_test.sh
$(WRAPPER_T)/wishbone_test.sh: $(B)/wrapper/wishbone $(B)/wrapper/wishbone_twins
$(B)/wrapper/twins/ofr_axis_wishbone.v: rtl/wrapper/ofr_axis_wishbone.v $(WRAPPER_T)/wishbone_twins.sed
	@mkdir -p $(@D)
	@sed -f $(WRAPPER_T)/wishbone_twins.sed $< > $@
$(B)/wrapper/wishbone: rtl/wrapper/ofr_axis_wishbone.v
$(B)/wrapper/wishbone_twins: $(B)/wrapper/twins/ofr_axis_wishbone.v
$(B)/wrapper/wishbone $(B)/wrapper/wishbone_twins: $(WRAPPER_T)/axis_wishbone_tb.v $(CHANNEL_V) rtl/regs/ofr_defs.vh
	@mkdir -p $(@D)
	@echo "verilator: $(@F)"
	@$(SHORT_VERILATOR) --binary --timing -j 1 -O3 --language 1800-2017 -Wno-WIDTH -Wno-INITIALDLY \
	    --x-assign unique --x-initial unique -Irtl/regs --top-module axis_wishbone_tb --Mdir $@.v \
	    -o $(abspath $@) $(filter %.v,$^) > $@.log 2>&1 || { cat $@.log; exit 1; }

DOCS += docs-wrapper
.PHONY: docs-wrapper
docs-wrapper: $(B)/wrapper/wishbone $(B)/docs/stamp
	@sh rtl/wrapper/draw.sh rtl/wrapper
	@WAVEDROM=$(B)/docs/bin/wavedrompy sh $(WAVES)/draw.sh svg rtl/wrapper/*.json
