# SPDX-License-Identifier: Apache-2.0
# The reliable link: lint. Its test is the lockstep with the golden model, sim/cosim/link.mk.

LINT_TOPS += ofr_link:N=3:W=32 ofr_link:N=2:W=16:L=32:C=4:SHARED=1:SERIAL=0 ofr_link:W=64:L=8:C=7
