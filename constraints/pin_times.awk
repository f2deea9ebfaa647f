# SPDX-License-Identifier: Apache-2.0
# From nextpnr's SDF of a board whose cables' wires are sampled as they come (LINK 3): by how much a data wire of a
# cable may be later or earlier than its clock, between pads. half: half a period, ps; wires: data wires a port. Pads
# themselves are not in it, and count for nothing where both ends' are alike. Times are the slow ones, in ps.
function known(what, where) {
    if (what == "") {
        print "pin-times: no " where " in the SDF: not a netlist of such a board" > "/dev/stderr"
        failed = 1
        exit 2
    }
    return what
}
function cell(pin) {
    sub(/\/[^\/]*$/, "", pin)
    return pin
}
{ gsub(/\\/, "") }
$1 == "(INTERCONNECT" {
    sub(/^\(/, "", $4)
    ahead[$3] = $4 + 0
    from[$3] = $2
    to[$2] = $3
}
$1 == "(INSTANCE" { sub(/\)$/, "", $2); instance = $2 }
$1 == "(IOPATH" { sub(/^\(/, "", $4); path[instance "/" $2] = $4 + 0 }
$1 == "(SETUPHOLD" { sub(/\)$/, "", $3); sub(/^\(/, "", $6); setup[instance "/" $3] = $6 + 0 }
END {
    if (failed)
        exit 2
    split("x+ x- y+ y-", name, " ")
    for (p = 0; p < 4; p++) {
        pad = "cable_tx_clk[" p "]$sb_io/D_OUT_0"
        inverter = cell(known(from[pad], pad))
        for (i = 0; i < 4; i++)
            if ((inverter "/I" i) in ahead)
                clk_out[p] = ahead[inverter "/I" i] + path[inverter "/I" i] + ahead[pad]
        known(clk_out[p], inverter)
        for (w = 0; w < wires; w++) {
            i = wires * p + w
            pad = "cable_tx[" i "]$sb_io/D_OUT_0"
            register = cell(known(from[pad], pad))
            out[i] = known(ahead[register "/CLK"], register "/CLK") + path[register "/CLK"] + ahead[pad]
            pad = "cable_rx[" i "]$sb_io/D_IN_0"
            register = cell(known(to[pad], pad))
            into[i] = ahead[to[pad]] + known(setup[to[pad]], to[pad])
            buffer = known(to["cable_rx_clk[" p "]$sb_io/D_IN_0"], "cable_rx_clk[" p "]")
            clk_in[p] = ahead[buffer] + path[buffer] + known(ahead[register "/CLK"], register "/CLK")
        }
    }
    print "from  to  a data wire may be later by, ns  earlier by, ns"
    for (p = 0; p < 4; p++) {
        q = p % 2 ? p - 1 : p + 1
        later = earlier = 1e9
        for (w = 0; w < wires; w++) {
            slack = half + clk_out[p] + clk_in[q] - out[wires * p + w] - into[wires * q + w]
            if (slack < later)
                later = slack
            slack = half - clk_out[p] - clk_in[q] + out[wires * p + w] + ahead[to["cable_rx[" wires * q + w "]$sb_io/D_IN_0"]]
            if (slack < earlier)
                earlier = slack
        }
        printf "%-4s  %-2s  %30.1f  %14.1f\n", name[p + 1], name[q + 1], later / 1000, earlier / 1000
    }
}
