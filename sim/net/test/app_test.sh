#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Applications on the command line: one that is known to the nanosecond, what the settings do, and
# mistakes. TAP.
. sim/net/test/torussim.sh

there_and_back() {
    printf 'torussim-application 1\nranks %s\nrank 0\ncalc 1000\nsend 1 512 7\nrecv 1 8\n' "$1"
    printf 'rank 1\nrecv 0 7\ncalc 500.5\nsend 0 1 8\n'
}
there_and_back 2 > "$work/app"
there_and_back 17 > "$work/large"
printf 'torussim-application 1\nranks 2\nrank 0\nrecv 1 8\n' > "$work/odd"

refuse 'No such file' run --application "$work/none"
refuse 'Is a directory' run --application "$work"
refuse 'odd, line 4: rank 1 sends 0' run --application "$work/odd"
refuse '17 ranks, the torus 16 nodes' run --application "$work/large" --topology 4x4
refuse 'pace' run --application "$work/app" --pace -1
refuse 'placement' run --application "$work/app" --placement near
refuse 'goes with --application only' run --pace 2
refuse 'goes with --application only' run --placement random
refuse 'do not go together' run --application "$work/app" --load 0.5
refuse 'do not go together' run --application "$work/app" --trace "$work/app"
refuse 'do not go together' run --application "$work/app" --message-packets 5
refuse 'no load' saturate --application "$work/app"
refuse 'no meaning' limit --application "$work/app"
refuse 'threads does not go with --application' run --application "$work/app" --threads 4
{
    printf 'torussim-application 1\nranks 2\nrank 0\n'
    for _ in $(seq 200); do echo 'calc 1e15'; done
    printf 'send 1 8 1\nrank 1\nrecv 0 1\n'
} > "$work/years"
refuse 'computes for 2e+08 s' run --application "$work/years"
sed 's/calc 1000$/calc 1e15/' "$work/app" > "$work/long"
refuse 'computes for 1e+12 s' run --application "$work/long" --pace 1e6

run() { "$sim" run --topology 4x4 --injection pipelined --format json "$@" > "$work/out"; }
# A hop: 64 + 80 + 204.8 + 200 + 64 + 80 ns.
run --application "$work/app"
json 'o["end"] == "drained" and o["traffic"] == "application" and
    abs(o["solution_us"] - (1500.5 + 2 * 692.8) / 1000) < 1e-6 and o["load_gamma0"] is None and
    o["units"]["solution_us"] == "us"'
result $? "time to solution, to the nanosecond"
run --application "$work/app" --pace 0
json 'abs(o["solution_us"] - 2 * 692.8 / 1000) < 1e-6'
result $? "without computation"
# A hop more each way costs 404.8 ns.
run --application "$work/app" --placement random --seed 5
json '(lambda x: x >= 0 and abs(x - round(x)) < 1e-6)((o["solution_us"] - 2.8861) / 0.8096)'
result $? "placed at random: whole hops more"
"$sim" sweep --topology 4x4 --application "$work/app" --routing dor,rdr,abr,por,ofr --format csv \
    > "$work/out" 2> "$work/err"
[ "$(grep -c '^packet' "$work/out")" = 5 ]
result $? "a sweep over the routings"
finish
