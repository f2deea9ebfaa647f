#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The size table's bookkeeping: a row is out of date when, and only when, something it was made from
# changed; the table of bars is what the rows say. On a small tree with a small flow in place of the
# real one.

B=${B:-build}
report=$(pwd)/$B/report/report
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/tap.sh
shown=out
cd "$dir" || exit 1
mkdir -p rtl/a rtl/link rtl/regs tests/report

current() { "$report" check > out 2>&1; }
stale() { # the row that is: NAME
    ! current && grep -q "^not ok .*: $1\$" out && [ "$(grep -c '^not ok' out)" = 1 ]
}
run() { "$report" run -s 3 build > out 2>&1; }

cat > tests/synth.sh <<'S'
out=$1 target=$2
shift 7
mkdir -p "$out"
case "$*" in *broken.v*) echo 'synthesize: ERROR: broken on purpose' >&2; exit 1 ;; esac
printf '=== wrap ===\n   SB_DFF 10\n=== dut ===\n   SB_LUT4 100\n   SB_DFFE 20\n   SB_DFFSR 1\n' \
    > "$out/stat.txt"
for s in 1 2 3; do
    case $s in 1) f=70 ;; 2) f=50 ;; 3) f=60 ;; esac
    echo '{"fmax": {"clk": {"achieved": '$f'}}, "utilization": {"ICESTORM_LC": {"used": 120}},
        "critical_paths": [{"from": "<async>", "to": "posedge clk", "path": [{"delay": 99,
        "type": "logic", "from": {"cell": "no"}, "to": {"cell": "no"}}]},
        {"from": "posedge clk", "to": "posedge clk", "path": [
        {"delay": 1.5, "type": "clk-to-q", "from": {"cell": "u.here_SB_LUT4_x"},
        "to": {"cell": "x"}},
        {"delay": 2.5, "type": "routing", "from": {"cell": "x"}, "to": {"cell": "u.there"}},
        {"delay": 0.5, "type": "logic", "from": {"cell": "x"}, "to": {"cell": "u.there'$s'"}}]}]}' \
        > "$out/seed-$s.json"
done
S
cat > rtl/report.json <<'J'
{"builds": [
  {"name": "one", "target": "ice40-hx8k", "top": "one", "freq": 50,
   "bars": {"lut": 100, "fmax": 60}},
  {"name": "two", "target": "ice40-hx8k", "top": "two", "freq": 50, "bars": {"cells": 109}},
  {"name": "bad", "target": "ice40-hx8k", "top": "broken", "freq": 50}]}
J
printf '// a comment\nmodule one; sub s (); assign a = `OFR_A; endmodule\n' > rtl/a/one.v
printf 'module sub; endmodule\n' > rtl/a/sub.v
printf '`include "ofr_link.vh"\nmodule two; // sub\nendmodule\n' > rtl/a/two.v
printf 'localparam FRAME = 8;\n' > rtl/link/ofr_link.vh
printf 'module broken; endmodule\n' > tests/report/broken.v
printf '`define OFR_A 1\n`define OFR_AB 2\n' > rtl/regs/ofr_defs.vh
printf '# rtl\n\ntext before\n' > rtl/README.md
printf '# Results\n\ntext before\n' > tests/RESULTS.md

run
[ $? = 1 ] && grep -q '^| one | ice40-hx8k | 100 | 21 | 0 | 0 | 110 | 60.0 (70.0) | `here` to `there3`: 1 levels, logic 2.0' \
    rtl/README.md
result $? 'figures of a build: median, cells less the shell, the register to register path'
grep -q '^| one, ice40-hx8k | lut <= 100, fmax >= 60 | 100, 60.0 | yes |' tests/RESULTS.md &&
    grep -q '^| two, ice40-hx8k | cells <= 109 | 110 | \*\*no\*\* |' tests/RESULTS.md &&
    grep -q '^text before' tests/RESULTS.md
result $? 'bars, met and missed, are in the results'
grep -q '^| bad .* \*\*failed\*\* | synthesize: ERROR: broken on purpose |' rtl/README.md
result $? 'a failed build is said'
stale bad
result $? 'and is no row that counts'
sed -i 's/,$/&/; /"bad"/d; s/109}},/109}}]}/' rtl/report.json
run && current
result $? 'rows are up to date after a run'
grep -q '^text before' rtl/README.md && ! grep -q '^| bad' rtl/README.md
result $? 'the text around is kept, a build that is gone is not'
run && ! grep -q building out
result $? 'what is up to date is not built again'
echo 'text after' >> rtl/README.md
printf '// another comment\nmodule   one;\n sub s ();  assign a = `OFR_A;\n%s\nendmodule\n' \
    '`ifdef OFR_CHECK two
`ifdef FORMAL
x
`else
y
`endif
z
`endif' > rtl/a/one.v
printf '`define OFR_A 1\n`define OFR_AB 3\n' > rtl/regs/ofr_defs.vh
current
result $? 'comments, blanks, properties and macros that do not occur do not matter'
printf 'module sub; wire x; endmodule\n' > rtl/a/sub.v
stale one
result $? 'a module below changed'
run && [ "$(grep -c building out)" = 1 ] && current && grep -q '^text after' rtl/README.md
result $? 'only that row is built again'
printf '`define OFR_A 2\n`define OFR_AB 3\n' > rtl/regs/ofr_defs.vh
stale one
result $? 'a macro changed'
run
printf 'localparam FRAME = 9;\n' > rtl/link/ofr_link.vh
stale two
result $? 'a header that it includes changed'
run
sed -i 's/"cells": 109/"cells": 110/' rtl/report.json
! current && [ "$(grep -c '^not ok' out)" = 1 ] && grep -q '^not ok .*the bars' out
result $? 'a bar that is another does not make a row old, but the table of bars'
"$report" bars > out 2>&1 && current && grep -q '| cells <= 110 | 110 | yes |' tests/RESULTS.md
result $? 'which is made again without a build'
sed -i 's/| 110 | yes |/| 109 | yes |/' tests/RESULTS.md
! current && grep -q '^not ok .*the bars' out
result $? 'a figure written by hand is found'
"$report" bars
sed -i 's/^| two .*/| two | ice40-hx8k | 1 | 1 |/' rtl/README.md
! "$report" bars > out 2>&1 && grep -q 'two is not in' out && run && current
result $? 'a row of another form is made again'
sed -i 's/"name": "two", \(.*\)"freq": 50/"name": "two", \1"freq": 51/' rtl/report.json
stale two
result $? 'a parameter of the build changed'
run
echo '# changed' >> tests/synth.sh
! current && [ "$(grep -c '^not ok' out)" = 2 ]
result $? 'the flow changed'
run
rm rtl/a/two.v
stale two
result $? 'a module is gone'
sed -i 's/"lut": 100/"luts": 100/' rtl/report.json
"$report" check > out 2>&1
[ $? = 2 ] && [ "$(wc -l < out)" = 1 ] && grep -q 'a bar is lut, cells, ram or fmax' out
result $? 'a bar that is none is refused'
finish
