# SPDX-License-Identifier: Apache-2.0
# Whether waveforms in a folder of the tree are those of the RTL. Test scripts source this behind
# tests/tap.sh.
# shellcheck shell=sh

# scenes HERE: their names
scenes() { sed -n 's/^scene \([^ ]*\) .*/\1/p' "$1/scenes.txt"; }

# is_picture SVG JSON: drawn of it, by draw.sh
is_picture() { grep -q "^<!-- $(sha256sum < "$2" | cut -c 1-64) -->\$" "$1"; }

# are_drawn NEW HERE: two results for each scene of folder HERE: its JSON is the one in NEW, drawn
# now, and its picture is of it and in HERE/README.md. What is said is in $work/out.
are_drawn() {
    for scene in $(scenes "$2"); do
        cmp "$1/$scene.json" "$2/$scene.json" > "$work/out" 2>&1
        result $? "$scene: the waveform is of this RTL; if it was changed on purpose: make docs"
        is_picture "$2/$scene.svg" "$2/$scene.json" && grep -q "($scene.svg)" "$2/README.md"
        result $? "$scene: the picture is of its JSON, and shown"
    done
}
