# SPDX-License-Identifier: Apache-2.0
# The router: lint in the shapes that differ most. Its test is the lockstep with the golden model,
# sim/cosim.

LINT_V += $(sort $(wildcard rtl/router/*.v))
LINT_TOPS += ofr_router:N=2:W=32:L=8:C=8 ofr_router:N=2:W=16:L=16:C=4:LUTRAM=0
LINT_TOPS += ofr_router:N=3:W=64:L=4:C=5
LINT_TOPS += ofr_router:N=3:W=32:L=128:C=8 ofr_credit ofr_credit:C=5

# The example of the router alone.
TESTS += rtl/router/alone/test/alone_test.sh
LINT_V += rtl/router/alone/ring4.v
LINT_TOPS += ring4

TESTS += rtl/router/test/parameters.sh rtl/router/test/formal.sh rtl/router/test/checks_test.sh
# make formal: those of ofr_input too
FORMAL += $(B)/tests/formal_router
$(B)/tests/formal_router:
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nFULL=1 exec sh rtl/router/test/formal.sh\n' > $@ && chmod +x $@
