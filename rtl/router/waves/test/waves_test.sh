#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The waveforms of the READMEs are what the RTL does: drawn anew they are the same, and each SVG is of
# the JSON beside it. Twins: a router that does otherwise, a JSON that was edited.
. tests/tap.sh
. rtl/router/waves/test/drawn.sh
: "${B:=build}"
waves=rtl/router/waves
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
shown="$work/log $work/out"

# same FOLDER: its JSON files are the tree's, all of them
same() {
    for scene in $(scenes $waves); do
        cmp "$1/$scene.json" "$waves/$scene.json" || return 1
    done
}

sh $waves/draw.sh json "$work" > "$work/log" 2>&1 && same "$work" > "$work/out" 2>&1
result $? 'the waveforms are of this RTL; if it was changed on purpose: make docs'
for json in "$work"/*.json; do
    scene=$(basename "$json" .json)
    is_picture "$waves/$scene.svg" "$waves/$scene.json" || echo "$scene.svg: make docs"
    grep -q "router/waves/$scene.svg" rtl/README.md || echo "$scene.svg: rtl/README.md does not show it"
done > "$work/out" 2>&1
[ ! -s "$work/out" ]
result $? 'each picture is of its JSON, and shown'
is_picture rtl/router/pipeline.svg rtl/router/pipeline.dot
result $? 'the pipeline is of its dot file; if that was changed: make docs'
if [ -x "$B/docs/bin/wavedrompy" ]; then
    mkdir "$work/svg"
    cp $waves/*.json "$work/svg/"
    WAVEDROM=$B/docs/bin/wavedrompy sh $waves/draw.sh svg "$work"/svg/*.json > "$work/log" 2>&1 &&
        for svg in "$work"/svg/*.svg; do
            cmp "$svg" "$waves/$(basename "$svg")" || exit 1
        done > "$work/out" 2>&1
    result $? 'drawn anew the pictures are the same'
else
    skip 'drawn anew the pictures are the same' 'no wavedrompy: make docs gets it'
fi

mkdir "$work/rtl" "$work/twin"
cp rtl/router/*.v "$work/rtl/"
sed -i 's/tx_poison  *<= .*/tx_poison <= 1'"'"'b0;/' "$work/rtl/ofr_output.v"
! cmp -s "$work/rtl/ofr_output.v" rtl/router/ofr_output.v &&
    RTL=$work/rtl sh $waves/draw.sh json "$work/twin" > "$work/log" 2>&1 &&
    ! same "$work/twin" > "$work/out" 2>&1 && grep -q 'abort.json' "$work/out"
result $? 'twin: a router that poisons no tail draws another abort'
sed 's/01/10/' $waves/ready.json > "$work/ready.json"
! is_picture $waves/ready.svg "$work/ready.json"
result $? 'twin: a JSON that was edited is not that of its picture'
finish
