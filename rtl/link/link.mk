# SPDX-License-Identifier: Apache-2.0
# The reliable link: lint and proofs. Its test is the lockstep with the golden model,
# sim/cosim/link.mk; at the pins of a cable: sim/cosim/phy.mk.

LINT_TOPS += ofr_link:N=3:W=32 ofr_link:N=2:W=16:L=32:C=4:SHARED=1:SERIAL=0 ofr_link:W=64:L=8:C=7 \
    ofr_link:N=2:W=16:L=16:C=4:SHARED=1:SERIAL=0:SLOW=4 ofr_link:N=3:W=32:SHARED=1:SERIAL=0:SLOW=4
LINT_TOPS += ofr_link_fifo:W=16:A=2
# Its physical layer, and both together
LINT_V += $(wildcard rtl/link/phy/*.v)
LINT_TOPS += ofr_link_cabled ofr_link_cabled:W=16:WIRES=1 ofr_link_cabled:W=64:L=8:C=7:WIRES=64 \
    ofr_link_cabled:N=2:W=16:L=32:C=4:SHARED=1:SERIAL=0:WIRES=3 \
    ofr_link_cabled:CELLS=1:TAPS=16:HALF=8 ofr_link_cabled:CELLS=1:W=16:WIRES=8 ofr_link_phy:CELLS=2:TAPS=16

TESTS += rtl/link/test/formal.sh rtl/link/test/fifo_test.sh
FORMAL += rtl/link/test/formal.sh $(B)/tests/test_link
