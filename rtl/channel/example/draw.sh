#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The waveforms of README.md, from a run of two boards: draw.sh FOLDER writes FOLDER/SCENE.json for
# each scene of scenes.txt, and the run's output to FOLDER/run.txt. From the top folder. make docs
set -eu
: "${B:=build}"
here=rtl/channel/example
run=$(mktemp)
trap 'rm -f "$run"' EXIT
(cd "$B/firmware" && exec "$OLDPWD/$B/channel/example") > "$run"
for scene in $(sed -n 's/^scene \([^ ]*\) .*/\1/p' $here/scenes.txt); do
    sed -n "s/^$scene //p" "$run" |
        awk -v scene="$scene" -f rtl/router/waves/waves.awk $here/scenes.txt - > "$1/$scene.json"
done
grep '^board' "$run"
