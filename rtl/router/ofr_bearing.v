// SPDX-License-Identifier: Apache-2.0
// Where a coordinate lies, in one dimension: here, outside of the torus, which directions are
// minimal. Comparisons with registers, not distances. Combinational.
`default_nettype none

module ofr_bearing (
    input  wire logic [3:0] t,       // the coordinate
    input  wire logic [3:0] me,      // this node's
    input  wire logic [3:0] top,     // the largest
    input  wire logic [3:0] half,    // the farthest that is minimal along +
    input  wire logic       wraps,   // half lies behind the wrap cable: half < me
    input  wire logic       both,    // half may be reached along - as well
    output logic            here,
    output logic            outside,
    output logic            plus,
    output logic            minus    // with plus: at half, and + is the escape's direction
);
    // a > b, in a form that takes four LUTs and no carry chain
    function automatic logic above(input logic [3:0] a, input logic [3:0] b);
        above = (a[3:2] > b[3:2]) || (a[3:2] == b[3:2] && a[1:0] > b[1:0]);
    endfunction

    logic ahead, near;
    assign here    = t == me;
    assign outside = above(t, top);
    assign ahead   = above(t, me);
    assign near    = !above(t, half);
    assign plus    = wraps ? ahead || near : ahead && near; // never when here
    assign minus   = !here && (!plus || (both && t == half));
endmodule

`default_nettype wire
