# SPDX-License-Identifier: Apache-2.0
# The generator of register addresses, and its test.

REGS += regs-generate
TESTS += rtl/regs/regs_test.sh
LINT_C += rtl/regs/gen_regs.c

$(B)/regs/gen_regs: rtl/regs/gen_regs.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $< -ljansson

rtl/regs/regs_test.sh: $(B)/regs/gen_regs

# Not a rule for the files themselves: they are checked in, and whatever depends on them is not to be
# made again on every make. The tests fail when they differ from the definition.
.PHONY: regs-generate
regs-generate: $(B)/regs/gen_regs
	$< rtl/regs/outflank.json rtl/regs/ofr_defs.vh firmware/ofr_regs.h rtl/regs/README.md
