#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# serial.sh [SERIAL]: the serial number as all have it, in small letters, or nothing where none is given.
# Exit status 2: it is none.
given=${1:-}
own=$(printf %s "$given" | tr 'A-F' 'a-f')
case $own in
*[!0-9a-f]* | 0000000000000000 | ffffffffffffffff) own=bad ;;
esac
if [ -n "$given" ] && [ ${#own} != 16 ]; then
    echo "bitstream: SERIAL=$given: a serial number is 16 hex digits, neither all 0 nor all f" >&2
    exit 2
fi
[ -z "$given" ] || echo "$own"
