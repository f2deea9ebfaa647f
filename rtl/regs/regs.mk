# SPDX-License-Identifier: Apache-2.0
# The generator of register addresses, and its test.

REGS += rtl/regs/ofr_defs.vh
TESTS += rtl/regs/regs_test.sh
LINT_C += rtl/regs/gen_regs.c

$(B)/regs/gen_regs: rtl/regs/gen_regs.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $< -ljansson

rtl/regs/regs_test.sh: $(B)/regs/gen_regs

# Writes the C header and the documentation too.
.PHONY: rtl/regs/ofr_defs.vh
rtl/regs/ofr_defs.vh: $(B)/regs/gen_regs
	$< rtl/regs/outflank.json $@ firmware/ofr_regs.h rtl/regs/README.md
