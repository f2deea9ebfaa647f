# SPDX-License-Identifier: Apache-2.0
# Wrappers for a user's logic. ofr_board_axis with its defaults is linted, and run, in the example that
# takes it (rtl/channel/channel.mk).
LINT_TOPS += ofr_board_axis:N=3:W=16:L=32:CHANNELS=1:WIRES=2
