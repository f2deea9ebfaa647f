#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lint itself: a clean small tree passes, and each fault put into it is found by the check for it.

here=$(pwd)
report=$here/${B:-build}/report/report
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
. tests/tap.sh
shown=out

fresh() {
    rm -rf "$dir/t"
    mkdir -p "$dir/t/tests" "$dir/t/rtl/regs" && cd "$dir/t" || exit 1
    cp "$here/tests/lint.sh" "$here/tests/names.awk" tests/
    cp "$here/.clang-format" "$here/.clang-tidy" .
    for d in tests rtl/regs; do echo "# $d" > $d/README.md; done
    cat > rtl/regs/top.v <<'V'
// SPDX-License-Identifier: Apache-2.0
`default_nettype none
module top #(
    parameter int W = 4
) (
    input  wire logic         clk,
    input  wire logic [W-1:0] a,
    output logic [W-1:0]      q
);
    always_ff @(posedge clk) q <= a;
endmodule
`default_nettype wire
V
    cat > tests/good.c <<'C'
// SPDX-License-Identifier: Apache-2.0
int twice(const int *p);

int twice(const int *p)
{
    return p ? 2 * *p : 0;
}
C
}

lint() { # TOP
    B=build JOBS=2 REPORT="$report" LINT_V="$(echo rtl/regs/*.v)" LINT_TOPS=$1 LINT_C='' LINT_CFLAGS=-std=c11 \
        sh tests/lint.sh > out 2>&1
}

expect_clean() { # NAME TOP
    lint "$2" && ! grep -q '^not ok' out && grep -q "^ok .* yosys $2" out
    result $? "$1"
}

expect() { # NAME, TOP, the check that finds it
    ! lint "$2" && grep -q "^not ok .* lint: $3" out
    result $? "found: $1"
}

fresh
expect_clean 'a clean tree passes' top
expect_clean 'with a parameter, too' top:W=8
lint 'top top:W=8' && [ "$(grep -c 'yosys top' out)" = 1 ] && [ "$(grep -c 'icarus top' out)" = 2 ]
result $? 'Yosys is shown a module once'
FULL=1 lint 'top top:W=8' && [ "$(grep -c '^ok .* yosys top' out)" = 2 ]
result $? 'and with all parameters in the full lint'
sed -i 's/q <= a;/q <= {a, 1'"'b0"'};/' rtl/regs/top.v
expect 'a width (and what passed before is not remembered)' top 'verilator top'
fresh
sed -i 's/parameter int W = 4/parameter int W = 4, parameter int V = 4/; s/q <= a;/q <= a[V-1:0];/' \
    rtl/regs/top.v
expect_clean 'a width that is right by default' top
expect 'and wrong with a parameter' top:V=3 'verilator top:V=3'
fresh
sed -i 's/always_ff.*/logic u; always_ff @(posedge clk) q <= u ? a : q;/' rtl/regs/top.v
expect 'a wire that nothing drives' top 'yosys top'
fresh
sed -i 's/always_ff.*/always_comb if (clk) q = a;/' rtl/regs/top.v
expect 'a latch' top 'verilator top'
fresh
sed -i 's/always_ff.*/nothing_there u (.clk(clk));/' rtl/regs/top.v
expect 'a missing module' top 'icarus top'
fresh
sed -i 's/^ *always_ff.*/    return q;/' rtl/regs/top.v
expect 'a syntax error' top 'yosys top'
fresh
sed -i 's/always_ff.*/logic [W-1:0] b_q; always_ff @(posedge clk) {b_q[1:0], b_q[W-1:2]} <= a; assign q = b_q;/' \
    rtl/regs/top.v
expect_clean 'a register that is written in parts' top
sed -i 's/b_q/b/g' rtl/regs/top.v
expect 'a register without _q' top 'names top'
fresh
sed -i 's/always_ff.*/logic [W-1:0] b_q; assign b_q = a; always_ff @(posedge clk) q <= b_q;/' rtl/regs/top.v
expect 'a wire with _q' top 'names top'
fresh
sed -i 's/input  wire logic         clk/input  logic              clk/' rtl/regs/top.v
expect 'a port of another form' top 'ports'
fresh
sed -i '/default_nettype none/d' rtl/regs/top.v
expect 'no default_nettype none' top 'nettype'
fresh
mv rtl/regs/top.v rtl/regs/other.v
expect 'a module in a file of another name' top 'nettype'
fresh
mkdir rtl/x && cp rtl/regs/top.v rtl/x/hidden.v
expect 'a Verilog file that lint is not told of' top 'listed'
expect 'a folder without README' top 'readme'
fresh
sed -i 1d tests/good.c
expect 'a missing SPDX line' top 'spdx'
fresh
printf '// %0100d\n' 1 >> tests/good.c
expect 'a long line' top 'text'
fresh
printf '#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\nif true; then\n\ttrue\nfi\n' > tests/t.sh
expect 'a tab' top 'text'
fresh
printf '#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\ntrue\n' > tests/some_test.sh
expect 'a test that cannot be started' top 'mode'
fresh
sed -i 's/    return/  return/' tests/good.c
expect 'wrong layout' top 'format tree'
fresh
sed -i 's/2 \* \*p/*p == *p/' tests/good.c
expect 'the same on both sides' top 'tidy tests/good.c'
fresh
sed -i 's/p ? 2 \* \*p : 0/p ? 0 : *p/' tests/good.c
unset FULL
expect_clean 'a null pointer followed is for the analyzer' top
export FULL=1
expect 'with it (and what passed without it is not remembered): a null pointer followed' top \
    'tidy tests/good.c'
finish
