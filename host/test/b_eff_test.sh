#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torusctl b_eff and osu on golden boards: every size is there, nothing is faster than the wires, means
# are what they say; what they have opened they close; wrong use. FULL=1: 4x4, up to 1 KiB.
# Twin: one that leaves its channels open. TAP.
. tests/boards.sh

dims=2x2 most=64 count=7
[ -z "${FULL:-}" ] || dims=4x4 most=1024 count=11

start --dims $dims --boards golden --channels 8 --wait
check 'programmed' torus program
check 'b_eff' torus --format json b_eff --max-size $most
check 'every size of two rings, none faster than the wires' json "len(d['sizes']) == 2 * $count and
    d['sizes_count'] == $count and all(0 < r['percent'] < 100 for r in d['sizes']) and
    [r['bytes'] for r in d['sizes'][:$count]] == [1 << i for i in range($count)]"
check 'means over the sizes, and of both rings' json "
    abs(sum(r['bytes_per_cycle'] for r in d['sizes'][:$count]) / $count - d['natural']) < 1e-9 and
    abs(d['natural'] * d['random'] - d['b_eff'] ** 2) < 1e-9"
# Time that stood still inside an answer of several frames would go on only as it is asked for again
check 'nothing is asked for again' torus --timeout 20 --retry 100 b_eff --max-size 1024 --rings 1 --repetitions 1
check 'b_eff once more, with a plot' torus b_eff --max-size 4 --rings 0 --plot "$dir/rings"
check 'said' says 'b_eff of 3 sizes up to 4 B'
check 'the plot is there' test -s "$dir/rings.svg" -a -s "$dir/rings.png"
for test in 'latency 0,0 1,1' 'bw 0,0 1,0' 'bibw 1,1 0,1' allreduce barrier; do
    options='--max-size 64'
    [ "$test" != barrier ] || options=
    # shellcheck disable=SC2086
    check "osu $test" torus --format json osu $options $test
    check 'none faster than the wires' json \
        "all(r['cycles'] > 0 for r in d['sizes']) and len(d['sizes']) == (
        1 if d['sizes'][0]['curve'] == 'barrier' else 5 if d['sizes'][0]['curve'] == 'allreduce' else
        7) and all(0 < r['least'] < r['cycles'] for r in d['sizes']) and
        all(abs(r['percent'] * r['cycles'] / r['least'] - 100) < 1e-6 for r in d['sizes'])"
done
# Sizes beyond one that takes too long are not measured: a build to which each does
timeout 600 "$B/twin/short/torusctl" --timeout 120 -t "unix:$dir/board0.sock" --format json b_eff \
    --max-size $most --repetitions 1 > "$dir/out" 2>&1
check 'sizes that take too long: null, and so are the means' json "d['b_eff'] is None and
    d['natural'] is None and d['sizes'][0]['cycles'] > 0 and d['sizes'][$count - 1]['cycles'] is None"
check 'a barrier' torus osu barrier
check 'has its bound beside it' says 'least'
check 'a size below a word' torus --format json osu --max-size 2 latency 0,0 1,0
check 'is measured' json "[r['bytes'] for r in d['sizes']] == [1, 2]"
check 'but has no vector: status 2' status 2 torus osu --max-size 3 allreduce
check 'said' says '4 at least'
check 'no test: status 2' status 2 torus osu
check 'said' says 'say latency'
check 'no such test: status 2' status 2 torus osu speed
check 'no places: status 2' status 2 torus osu bw 0,0
check 'ended well' stop

start --dims 2x2 --boards golden --channels 8 --wait
torus program
"$B/twin/rings/torusctl" -t "unix:$dir/board0.sock" b_eff --max-size 1 --rings 0 > "$dir/out" 2>&1
check 'twin: one that leaves its channels open: found out' status 2 torus b_eff --max-size 1
check 'said, with what to do' says 'busy.*abort'
torus channel 0,0:0
check 'and they stay open' says '  open '
check 'all ends of all boards are aborted' torus channel all --abort
check 'and free' torus b_eff --max-size 1
check 'one size is one' says 'b_eff of 1 size of 1 B'
stop
finish
