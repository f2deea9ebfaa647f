// SPDX-License-Identifier: Apache-2.0
// The program's ends of channels as registers (block STREAM of rtl/regs/outflank.json): a beat a
// write, and what has come, to be looked at as often as one likes. Nothing waits: what there is no
// room for, or what has not come, is refused.
`include "ofr_defs.vh"
`default_nettype none

module ofr_user_ends #(
    parameter int W    = 32, // bits of a beat, 16, 32 or 64
    parameter int ENDS = 4,  // 1 to 16
    localparam int EB  = ENDS > 1 ? $clog2(ENDS) : 1
) (
    input  wire logic                clk,
    input  wire logic                rst,
    input  wire logic                forget, // TX_END and TX_HIGH, as a program starts
    input  wire logic                drain,  // begun messages end, what comes is thrown away
    // Accesses, 3 cycles apart or more
    input  wire logic                we,
    input  wire logic [EB-1:0]       sel,
    input  wire logic [4:0]          adr,    // OFR_STREAM_*
    input  wire logic [31:0]         wdat,
    output logic [31:0]              rdat,   // combinational
    output logic                     refused, // this write would be; combinational
    output logic [ENDS-1:0]          mid,    // inside a message, or a beat is offered
    // To the channels' s_axis_*, and from their m_axis_*
    output logic [ENDS-1:0]          m_axis_tvalid,
    input  wire logic [ENDS-1:0]     m_axis_tready,
    output logic [W*ENDS-1:0]        m_axis_tdata,
    output logic [W/8*ENDS-1:0]      m_axis_tkeep,
    output logic [ENDS-1:0]          m_axis_tlast,
    input  wire logic [ENDS-1:0]     s_axis_tvalid,
    output logic [ENDS-1:0]          s_axis_tready,
    input  wire logic [W*ENDS-1:0]   s_axis_tdata,
    input  wire logic [W/8*ENDS-1:0] s_axis_tkeep,
    input  wire logic [ENDS-1:0]     s_axis_tlast,
    input  wire logic [ENDS-1:0]     s_axis_tuser
);
    localparam int KB = $clog2(W / 8 + 1); // bits of a count of bytes

    wire logic [31:0] reg_adr = {27'b0, adr};
    logic [ENDS-1:0] inside_q;
    wire logic comes = s_axis_tvalid[sel];
    always_comb
        case (reg_adr)
            `OFR_STREAM_TX_END:  refused = wdat > 32'(W / 8);
            `OFR_STREAM_TX_DATA: refused = m_axis_tvalid[sel];
            `OFR_STREAM_RX_NEXT: refused = !comes;
            default:             refused = 1'b0;
        endcase
    wire logic write = we && !refused;
    wire logic give = write && reg_adr == `OFR_STREAM_TX_DATA;

    // ---- Sending: a beat an end, that is offered until it is taken ------------------------------

    logic           last_q;
    logic [KB-1:0]  bytes_q;
    logic [W/8-1:0] keep;
    logic [W-1:0]   data_d;
    always_comb
        for (int i = 0; i < W / 8; i++)
            keep[i] = !last_q || bytes_q > KB'(i);
    always_ff @(posedge clk) begin
        if (write && reg_adr == `OFR_STREAM_TX_END) begin
            last_q <= 1'b1;
            bytes_q <= wdat[KB-1:0];
        end
        if (give || forget || rst)
            last_q <= 1'b0;
    end
    generate
        if (W == 64) begin : g_high
            logic [31:0] high_q;
            always_ff @(posedge clk) begin
                if (write && reg_adr == `OFR_STREAM_TX_HIGH)
                    high_q <= wdat;
                if (forget || rst)
                    high_q <= '0;
            end
            assign data_d = {high_q, wdat};
        end else begin : g_low
            assign data_d = wdat[W-1:0];
        end
    endgenerate

    always_ff @(posedge clk) begin
        for (int i = 0; i < ENDS; i++) begin
            if (m_axis_tready[i])
                m_axis_tvalid[i] <= 1'b0;
            if (give && sel == EB'(i)) begin
                m_axis_tvalid[i] <= 1'b1;
                m_axis_tdata[W*i +: W] <= data_d;
                m_axis_tkeep[W/8*i +: W/8] <= keep;
                m_axis_tlast[i] <= last_q;
                inside_q[i] <= !last_q;
            end else if (drain && inside_q[i] && !m_axis_tvalid[i]) begin
                m_axis_tvalid[i] <= 1'b1;
                m_axis_tkeep[W/8*i +: W/8] <= '0;
                m_axis_tlast[i] <= 1'b1;
                inside_q[i] <= 1'b0;
            end
        end
        if (rst) begin
            m_axis_tvalid <= '0;
            inside_q <= '0;
        end
    end
    assign mid = inside_q | m_axis_tvalid;

    // ---- Receiving: what is offered stays until it is taken, so it can be read where it is ------

    logic [ENDS-1:0] take_q;
    always_ff @(posedge clk)
        for (int i = 0; i < ENDS; i++)
            take_q[i] <= write && reg_adr == `OFR_STREAM_RX_NEXT && sel == EB'(i) && !rst;
    assign s_axis_tready = take_q | {ENDS{drain}};

    wire logic [W/8-1:0] s_keep = s_axis_tkeep[W/8*sel +: W/8];
    wire logic [W-1:0]   s_data = s_axis_tdata[W*sel +: W];
    wire logic [63:0]    shown = comes && !s_axis_tuser[sel] ? 64'(s_data) : '0;
    logic [KB-1:0]       bytes;
    always_comb begin
        bytes = '0;
        for (int i = 0; i < W / 8; i++)
            bytes = bytes + KB'(s_keep[i]);
    end
    always_comb
        case (reg_adr)
            `OFR_STREAM_TX:      rdat = {30'b0, inside_q[sel], !m_axis_tvalid[sel]};
            `OFR_STREAM_RX:
                rdat = comes ? {24'b0, 4'(bytes), 1'b0, s_axis_tuser[sel], s_axis_tlast[sel], 1'b1}
                    : '0;
            `OFR_STREAM_RX_HIGH: rdat = shown[63:32];
            `OFR_STREAM_RX_DATA: rdat = shown[31:0];
            default:             rdat = '0;
        endcase
endmodule
`default_nettype wire
