#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The models of the ECP5's block RAM and multiplier, against what Lattice's guides (FPGA-TN-02204 and
# -02205) say of them: random accesses of ports of all widths against a plain array of bits, in
# all modes of writing, with enables; random products. What they have no model of ends the simulation.
# And broken twins. SEED replays.
. tests/tap.sh
: "${SEED:=$$}"
echo "# SEED=$SEED"
work=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM
shown=$work/out

# Names of a bus's pins for a connection: pins PIN SIGNAL COUNT
pins() {
    for i in $(seq 0 $(($3 - 1))); do
        printf ', .%s%s(%s[%s])' "$1" "$i" "$2" "$i"
    done
}
# The words that it starts with: 18 bits, 16 to a parameter, 20 bits apart.
initial=$(awk 'BEGIN {
    for (n = 0; n < 64; n++) {
        printf ", .INITVAL_%02X(320'"'"'h", n
        for (i = 15; i >= 0; i--)
            printf "%05x", ((n * 16 + i) * 40503 + 977) % 262144
        printf ")"
    }
}')
cat > "$work/ram.v" << V
module bench #(parameter int WA = 18, parameter int WB = 18, parameter MODE = 0, SEED = 1);
    localparam NAME = MODE == 0 ? "NORMAL" : MODE == 1 ? "WRITETHROUGH" : "READBEFOREWRITE";
    function [17:0] word(input int i);
        word = 18'(i * 40503 + 977);
    endfunction
    reg [17:0] da = 0, db = 0, oa, ob;
    reg [13:0] aa = 0, ab = 0;
    reg ca = 0, cb = 0, wa = 0, wb = 0, cs = 0, ra = 0, rb = 0, clk = 0;
    wire [17:0] qa, qb;
    DP16KD #(.DATA_WIDTH_A(WA), .DATA_WIDTH_B(WB), .WRITEMODE_A(NAME), .WRITEMODE_B(NAME)$initial)
    ram (.CLKA(clk), .CLKB(clk), .CEA(ca), .CEB(cb), .WEA(wa), .WEB(wb), .RSTA(ra), .RSTB(rb),
        .OCEA(1'b1), .OCEB(1'b1), .CSA0(cs), .CSA1(1'b0), .CSA2(1'b0), .CSB0(1'b0), .CSB1(1'b0),
        .CSB2(cs)$(pins DIA da 18)$(pins DIB db 18)$(pins ADA aa 14)$(pins ADB ab 14)$(pins DOA qa 18
    )$(pins DOB qb 18));

    // Bits as they lie: eight of nine are reached by ports of 1, 2 and 4 bits.
    reg [0:0] bits [0:18431];
    function int first(input int width, input [13:0] ad);
        first = width == 36 ? ad / 32 * 36 : width == 18 ? ad / 16 * 18 :
            ad / 8 * 9 + (width == 9 ? 0 : ad % 8 / width * width);
    endfunction
    function writes(input int width, input [13:0] ad, input int bit_);
        writes = width < 18 || ad[bit_ / 9];
    endfunction
    reg [35:0] x, want_a = 0, want_b = 0;
    int seed = SEED, at, other, met = 0;
    task step; begin
        // The last row of it only, so that the ports meet.
        {da, db} = {\$random(seed), \$random(seed)};
        aa = \$random(seed) | 14'h3fc0;
        ab = \$random(seed) | 14'h3fc0;
        {ca, cb, wa, wb} = \$random(seed) | \$random(seed);
        cs = \$random(seed) % 8 == 0;
        // What is left when both write the same bit is not defined, nor tried.
        if (WA == 36 || (first(WA, aa) < first(WB, ab) + WB && first(WB, ab) < first(WA, aa) + WA &&
                wa))
            wb = 0;
        // A reset comes with the enable and without a write.
        ra = WA != 36 && ca && !cs && !wa && \$random(seed) % 4 == 0;
        rb = WB != 36 && cb && !cs && !wb && \$random(seed) % 4 == 0;
        #1;
        // What they show.
        if (WA != 36 && ca && !cs && !(wa && MODE == 0)) begin
            want_a = 0;
            for (int i = 0; i < WA; i++) begin
                at = first(WA, aa) + i;
                want_a[i] = wa && MODE == 1 && writes(WA, aa, i) ? da[i] : bits[at];
                other = at - first(WB, ab);
                if (wb && cb && other >= 0 && other < WB && writes(WB, ab, other)) begin
                    want_a[i] = !want_a[i];
                    met++;
                end
            end
        end
        if (cb && !cs && !(wb && MODE == 0)) begin
            want_b = 0;
            for (int i = 0; i < WB; i++) begin
                at = first(WB, ab) + i;
                want_b[i] = wb && MODE == 1 && writes(WB, ab, i) ? db[i] : bits[at];
                other = at - first(WA, aa);
                if (wa && ca && other >= 0 && other < WA && writes(WA, aa, other)) begin
                    want_b[i] = !want_b[i];
                    met++;
                end
            end
        end
        if (ra) want_a = 0;
        if (rb) want_b = 0;
        // What they write.
        x = {db, da};
        if (wb && cb && !cs)
            for (int i = 0; i < WB; i++)
                if (writes(WB, ab, i)) bits[first(WB, ab) + i] = db[i];
        if (wa && ca && !cs)
            for (int i = 0; i < WA; i++)
                if (writes(WA, aa, i)) bits[first(WA, aa) + i] = x[i];
        clk = 1;
        #1 clk = 0;
        #1;
        if (WA == 36 ? {qb, qa} !== want_b : (qa !== want_a[17:0] || qb !== want_b[17:0])) begin
            \$display("WRONG: %h %h, not %h %h", qa, qb, want_a, want_b);
            \$finish;
        end
    end endtask
    initial begin
        for (int i = 0; i < 1024; i++)
            for (int j = 0; j < 18; j++) bits[i * 18 + j] = word(i) >> j;
        for (int n = 0; n < 3000; n++) step;
        \$display("good, met %0d", met);
        \$finish;
    end
endmodule
V
ram() { # WIDTHS MODE [FILE]
    # shellcheck disable=SC2086
    iverilog -g2012 -Pbench.WA=${1% *} -Pbench.WB=${1#* } -Pbench.MODE="$2" -Pbench.SEED="$SEED" \
        -o "$work/sim" "$work/ram.v" "${3:-rtl/top/test/DP16KD.v}" > "$work/out" 2>&1 &&
        timeout 60 vvp -n "$work/sim" > "$work/out" 2>&1 && grep -q '^good, met [1-9]' "$work/out"
}
mode=0
for widths in '18 18' '9 9' '4 4' '2 2' '1 1' '18 9' '9 2' '1 18' '4 1'; do
    check "ports of $widths bits, mode $mode" ram "$widths" $mode
    mode=$(((mode + 1) % 3))
done
for mode in 1 2; do
    check "ports of 18 18 bits, mode $mode" ram '18 18' $mode
done
check 'one port writes 36 bits, the other reads them' ram '36 36' 0

twin() { # NAME WIDTHS MODE SED
    sed "$4" rtl/top/test/DP16KD.v > "$work/twin.v"
    if cmp -s "$work/twin.v" rtl/top/test/DP16KD.v; then
        result 1 "twin: $1: the change changes nothing"
        return
    fi
    ! ram "$2" "$3" "$work/twin.v" && grep -q WRONG "$work/out"
    result $? "twin: $1: found"
}
twin 'the halves of 36 bits exchanged' '36 36' 0 's/{di_b, di_a}/{di_a, di_b}/'
twin 'enables ignored' '18 18' 2 's/{9{ad\[1\]}}, {9{ad\[0\]}}} :/18'"'"'h3ffff} :/'
twin 'a port that shows what it writes' '18 18' 2 's/KEEP_A = WRITEMODE_A == "NORMAL"/KEEP_A = 1/'
twin 'a reset that does nothing' '9 9' 0 's/RSTB ? 18.d0 : //'
twin 'words of nine bits as if of eight' '4 9' 2 's/32'"'"'(ad\[4:3\]) \* 9/32'"'"'(ad[4:3]) * 8/'

cat > "$work/mult.v" << V
module bench #(parameter SEED = 1);
    reg [17:0] a, b;
    reg sa, sb;
    wire [35:0] p;
    int seed = SEED, n, i;
    reg signed [39:0] want, left;
    MULT18X18D mult (.SIGNEDA(sa), .SIGNEDB(sb), .SOURCEA(1'b0), .SOURCEB(1'b0)$(pins A a 18
    )$(pins B b 18)$(pins P p 36));
    initial begin
        for (n = 0; n < 5000; n++) begin
            {a, b, sa, sb} = {\$random(seed), \$random(seed)};
            // By shifting and adding; the sign bit counts negative.
            left = a;
            if (sa && a[17]) left = left - 40'h40000;
            want = 0;
            for (i = 0; i < 18; i++)
                if (b[i]) want = i == 17 && sb ? want - (left << i) : want + (left << i);
            #1 if (p !== want[35:0]) begin
                \$display("WRONG: %h * %h is %h, not %h", a, b, p, want);
                \$finish;
            end
        end
        \$display("good");
    end
endmodule
V
mult() {
    iverilog -g2012 -Pbench.SEED="$SEED" -o "$work/sim" "$work/mult.v" "$1" > "$work/out" 2>&1 &&
        timeout 60 vvp -n "$work/sim" > "$work/out" 2>&1 && grep -q '^good' "$work/out"
}
check 'products, signed and not' mult rtl/top/test/MULT18X18D.v
sed 's/SIGNEDB && b\[17\]/1'"'"'b0/' rtl/top/test/MULT18X18D.v > "$work/twin.v"
! mult "$work/twin.v" && grep -q WRONG "$work/out"
result $? 'twin: without the second sign: found'

refused() { # NAME CELL PARAMETERS [PINS]
    cat > "$work/bench.v" << V
module bench;
    reg clk = 1'b0;
    always #1 clk = !clk;
    $2 #($3) cell_ ($4);
    initial #10 begin
        \$display("it ran");
        \$finish;
    end
endmodule
V
    iverilog -g2012 -o "$work/sim" "$work/bench.v" "rtl/top/test/$2.v" > "$work/out" 2>&1 &&
        timeout 60 vvp -n "$work/sim" > "$work/out" 2>&1
    grep -q 'without a model' "$work/out" && ! grep -q 'it ran' "$work/out"
    result $? "refused: $1"
}
refused 'output registers of a RAM' DP16KD '.REGMODE_B("OUTREG")'
refused 'an asynchronous reset of a RAM' DP16KD '.RESETMODE("ASYNC")' \
    ".CLKA(clk), .RSTA(1'b1), .CEA(1'b1), .OCEA(1'b1)"
refused 'a RAM with 36 bits at one port only' DP16KD '.DATA_WIDTH_A(36)'
refused "a multiplier's registers" MULT18X18D '.REG_OUTPUT_CLK("CLK0")'
finish
