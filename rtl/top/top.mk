# SPDX-License-Identifier: Apache-2.0
# Board tops; the models of vendors' cells that they need outside of a vendor's chip are in test/.
TOP_MODELS := $(wildcard rtl/top/test/*.v)
LINT_V += $(TOP_MODELS)
LINT_TOPS += ice40hx8k_b_evn ulx3s ulx3s_wide ecp5_evn icepi_zero colorlight_i9 ulx3s:N=2:L=16 ulx3s:N=2:W=16:L=16:C=2:LINK_SERIAL=0:WIRES=2:CLKI_DIV=2:CLKFB_DIV=3:CLKOP_DIV=19:CLKOS_DIV=17
TESTS += rtl/top/test/pll_test.sh rtl/top/test/ecp5_cells_test.sh rtl/top/test/link_pins_test.sh
SOAK += $(B)/tests/link_pins_soak
$(B)/tests/link_pins_soak: rtl/top/top.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nLONG=1 exec rtl/top/test/link_pins_test.sh\n' > $@ && chmod +x $@
