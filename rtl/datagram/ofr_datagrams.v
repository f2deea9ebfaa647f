// SPDX-License-Identifier: Apache-2.0
// A node's datagrams: the block, whose user is the user's logic at the pins or, by register ATTACH,
// software, a beat a write. Registers: block DATAGRAM. Same as sim/model/datagrams.c, every pin
// every cycle. See README.md.
`include "ofr_defs.vh"
`default_nettype none

module ofr_datagrams #(
    parameter int N    = 2,   // as in ofr_datagram
    parameter int W    = 32,
    parameter int L    = 128,
    parameter int ROOM = 4
) (
    input  wire logic           clk,
    input  wire logic           rst,
    input  wire logic [4*N-1:0] me,
    input  wire logic [5*N-1:0] size,
    // Register strobes, see rtl/README.md
    input  wire logic           reg_we,
    input  wire logic [11:0]    reg_adr,
    input  wire logic [31:0]    reg_wdat,
    output logic [31:0]         reg_rdat,
    output logic                reg_err,
    // The user's logic, as in ofr_datagram
    input  wire logic           s_axis_tvalid,
    output logic                s_axis_tready,
    input  wire logic [W-1:0]   s_axis_tdata,
    input  wire logic [W/8-1:0] s_axis_tkeep,
    input  wire logic           s_axis_tlast,
    input  wire logic [15:0]    s_axis_tdest,
    input  wire logic [1:0]     s_axis_tuser,
    output logic                m_axis_tvalid,
    input  wire logic           m_axis_tready,
    output logic [W-1:0]        m_axis_tdata,
    output logic [W/8-1:0]      m_axis_tkeep,
    output logic                m_axis_tlast,
    output logic [11:0]         m_axis_tid,
    output logic [3:0]          m_axis_tdest,
    // The local port, as in ofr_datagram
    output logic                tx_valid,
    input  wire logic           tx_ready,
    output logic [W-1:0]        tx_data,
    output logic                tx_last,
    input  wire logic           tx_unreachable,
    input  wire logic           rx_valid,
    input  wire logic [W-1:0]   rx_data,
    input  wire logic           rx_last,
    input  wire logic           rx_poison
);
    wire logic [31:0] adr = {20'b0, reg_adr};
    logic           attached_q; // software has the pair
    logic           giving_q, taking_q; // inside a datagram that is given, that is taken
    logic           take_q;
    logic [17:0]    to_q;
    logic           waits_q, last_q; // software's beat
    logic [W-1:0]   data_q;
    logic [W/8-1:0] keep_q;
    logic           s_valid, s_ready, s_last, m_valid;
    logic [31:0]    block_rdat;

    wire logic m_ready = attached_q ? take_q : m_axis_tready;
    wire logic giving = s_valid && s_ready ? !s_last : giving_q;
    wire logic taking = m_valid && m_ready ? !m_axis_tlast : taking_q;

    // ---- Writes ---------------------------------------------------------------------------------

    wire logic ready = attached_q && !waits_q;
    wire logic comes = attached_q && m_valid;
    always_comb
        case (adr)
            `OFR_DATAGRAM_ATTACH:  reg_err = reg_we && (giving || taking || waits_q);
            `OFR_DATAGRAM_TX_TO:   reg_err = reg_we && (!ready || giving_q);
            `OFR_DATAGRAM_TX_END:  reg_err = reg_we && (!ready || reg_wdat[3:0] > 4'(W / 8));
            `OFR_DATAGRAM_TX_HIGH,
            `OFR_DATAGRAM_TX_DATA: reg_err = reg_we && !ready;
            `OFR_DATAGRAM_RX_NEXT: reg_err = reg_we && !comes;
            default:               reg_err = 1'b0;
        endcase
    wire logic we = reg_we && !reg_err;

    logic [W-1:0] data_d;
    generate
        if (W == 64) begin : g_high
            logic [31:0] high_q;
            always_ff @(posedge clk) begin
                if (we && adr == `OFR_DATAGRAM_TX_HIGH)
                    high_q <= reg_wdat;
                if (rst)
                    high_q <= '0;
            end
            assign data_d = {high_q, reg_wdat};
        end else begin : g_low
            wire logic unused = ^reg_wdat;
            assign data_d = reg_wdat[W-1:0];
        end
    endgenerate

    always_ff @(posedge clk) begin
        giving_q <= giving;
        taking_q <= taking;
        take_q <= we && adr == `OFR_DATAGRAM_RX_NEXT;
        if (waits_q && s_ready) begin
            waits_q <= 1'b0;
            last_q <= 1'b0;
        end
        if (we && adr == `OFR_DATAGRAM_ATTACH) begin
            attached_q <= reg_wdat[`OFR_DATAGRAM_ATTACH_REGISTERS_LSB];
            last_q <= 1'b0;
        end
        if (we && adr == `OFR_DATAGRAM_TX_TO)
            to_q <= reg_wdat[17:0];
        if (we && adr == `OFR_DATAGRAM_TX_END) begin
            last_q <= 1'b1;
            for (int i = 0; i < W / 8; i++)
                keep_q[i] <= reg_wdat[3:0] > 4'(i);
        end
        if (we && adr == `OFR_DATAGRAM_TX_DATA) begin
            waits_q <= 1'b1;
            data_q <= data_d;
        end
        if (rst)
            {attached_q, giving_q, taking_q, take_q, waits_q, last_q, to_q} <= '0;
    end

    assign s_valid = attached_q ? waits_q : s_axis_tvalid;
    assign s_last = attached_q ? last_q : s_axis_tlast;
    assign s_axis_tready = s_ready && !attached_q;
    assign m_axis_tvalid = m_valid && !attached_q;

    // ---- Reads ----------------------------------------------------------------------------------

    logic [3:0] bytes;
    always_comb begin
        bytes = '0;
        for (int i = 0; i < W / 8; i++)
            bytes = bytes + 4'(m_axis_tkeep[i]);
    end
    wire logic [63:0] shown = comes ? 64'(m_axis_tdata) : '0;
    always_comb
        case (adr)
            `OFR_DATAGRAM_ATTACH:  reg_rdat = {31'b0, attached_q};
            `OFR_DATAGRAM_TX_TO:   reg_rdat = {14'b0, to_q};
            `OFR_DATAGRAM_TX:      reg_rdat = {30'b0, waits_q ? !last_q : giving_q, ready};
            `OFR_DATAGRAM_RX:
                reg_rdat = comes ? {4'b0, m_axis_tid, 4'b0, m_axis_tdest, bytes, 1'b0, !taking_q,
                                    m_axis_tlast, 1'b1} : '0;
            `OFR_DATAGRAM_RX_HIGH: reg_rdat = shown[63:32];
            `OFR_DATAGRAM_RX_DATA: reg_rdat = shown[31:0];
            default:               reg_rdat = block_rdat;
        endcase

    ofr_datagram #(.N(N), .W(W), .L(L), .ROOM(ROOM)) block (
        .clk, .rst, .me, .size, .reg_adr, .reg_rdat(block_rdat), .s_axis_tvalid(s_valid),
        .s_axis_tready(s_ready), .s_axis_tdata(attached_q ? data_q : s_axis_tdata),
        .s_axis_tkeep(attached_q ? keep_q : s_axis_tkeep), .s_axis_tlast(s_last),
        .s_axis_tdest(attached_q ? to_q[15:0] : s_axis_tdest),
        .s_axis_tuser(attached_q ? to_q[17:16] : s_axis_tuser), .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready), .m_axis_tdata, .m_axis_tkeep, .m_axis_tlast, .m_axis_tid,
        .m_axis_tdest, .tx_valid, .tx_ready, .tx_data, .tx_last, .tx_unreachable, .rx_valid,
        .rx_data, .rx_last, .rx_poison
    );
endmodule
`default_nettype wire
