#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The waveforms of the READMEs, from a run of the RTL under Icarus.
#     draw.sh json FOLDER   writes FOLDER/SCENE.json for each scene of scenes.txt
#     draw.sh svg JSON...   writes the SVG beside each, with the JSON's hash in it (WAVEDROM: the tool)
# RTL: where rtl/router is, another than the tree's in a test. From the top folder. make docs
set -eu
here=rtl/router/waves
case $1 in
json)
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    iverilog -g2012 -Irtl/regs -s waves_tb -o "$work/run" $here/test/waves_tb.v \
        "${RTL:-rtl/router}"/*.v rtl/ofr/*.v > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    for scene in $(sed -n 's/^scene \([^ ]*\) .*/\1/p' $here/scenes.txt); do
        vvp -N "$work/run" "+scene=$scene" > "$work/$scene.txt"
        awk -v scene="$scene" -f $here/waves.awk $here/scenes.txt "$work/$scene.txt" \
            > "$2/$scene.json"
    done
    ;;
svg)
    shift
    for json; do
        svg=${json%.json}.svg
        "$WAVEDROM" --input "$json" --svg "$svg"
        printf '\n<!-- %s -->\n' "$(sha256sum < "$json" | cut -c 1-64)" >> "$svg"
    done
    ;;
*) sed -n '3,7s/^# //p' "$0" >&2; exit 2 ;;
esac
