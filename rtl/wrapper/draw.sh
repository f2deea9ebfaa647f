#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The waveforms of README.md, from a run of the RTL: draw.sh FOLDER writes FOLDER/SCENE.json for each
# scene of scenes.txt. From the top folder. make docs
set -eu
: "${B:=build}"
here=rtl/wrapper
for scene in $(sed -n 's/^scene \([^ ]*\) .*/\1/p' $here/scenes.txt); do
    "$B/wrapper/wishbone" "+scene=$scene" |
        awk -v scene="$scene" -f rtl/router/waves/waves.awk $here/scenes.txt - > "$1/$scene.json"
done
