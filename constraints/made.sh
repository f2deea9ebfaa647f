#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# made.sh BOARD OUT: exit status 0: the bitstream in OUT was made (bitstream.sh) of the inputs that there are
# now. $BOARD_FACTS is the program constraints/board.c.
facts=$("$BOARD_FACTS" facts "$1") || exit 2
eval "$facts"
[ "$(cat "$2/made-from" 2> /dev/null)" = "${inputs:?} ${serial:?}" ]
