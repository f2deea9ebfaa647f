// SPDX-License-Identifier: Apache-2.0
// The rules of a stream of flits (rtl/README.md), said once and used from both sides: what
// sends asserts them, what takes may assume them (ASSUME = 1, in proofs only). For `OFR_CHECK`
// builds; it has no outputs.
`default_nettype none

module ofr_flit_rules #(
    parameter int L      = 8, // the most flits a packet has, a power of two
    parameter int ASSUME = 0
) (
    input wire logic       clk,
    input wire logic       rst,
    input wire logic       valid,
    input wire logic       ready,
    input wire logic [1:0] vc,
    input wire logic       last
);
    localparam int LW = $clog2(L);

    logic          started_q = 1'b0;
    logic          open_q;           // inside a packet
    logic          held_q, last_q;   // a flit was not taken in the cycle before; a tail
    logic [1:0]    vc_q;             // the packet's, or that flit's
    logic [LW-1:0] flits_q;          // of the packet, before this one
    always_ff @(posedge clk) begin
        started_q <= started_q || rst;
        held_q    <= valid && !ready;
        last_q    <= last;
        if (valid)
            vc_q <= vc;
        if (valid && ready) begin
            open_q  <= !last;
            flits_q <= last ? '0 : flits_q + 1'b1;
        end
        if (rst) begin
            open_q  <= 1'b0;
            held_q  <= 1'b0;
            flits_q <= '0;
        end
    end

    logic stays, one_vc, long_enough, short_enough;
    assign stays        = !held_q || (valid && vc == vc_q && last == last_q);
    assign one_vc       = !valid || (open_q ? vc == vc_q : vc != 2'd3); // never mixed
    assign long_enough  = !(valid && last) || |(flits_q >> 2) || &flits_q[1:0]; // four flits
    assign short_enough = !(valid && !last) || !(&flits_q);

`ifdef FORMAL
    always_comb
        if (started_q && !rst) begin
            if (ASSUME != 0) begin
                assume (stays && one_vc && long_enough && short_enough);
            end else begin
                assert (stays);
                assert (one_vc);
                assert (long_enough);
                assert (short_enough);
            end
        end
`else
    always_ff @(posedge clk)
        if (ASSUME == 0 && started_q && !rst) begin
            assert (stays);
            assert (one_vc);
            assert (long_enough);
            assert (short_enough);
        end
`endif
endmodule

`default_nettype wire
