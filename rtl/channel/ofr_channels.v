// SPDX-License-Identifier: Apache-2.0
// A node's channels: the block, whose ends have pins of the user's logic or, by register ATTACH,
// registers through which software has them, a beat a write, or are the node's collectives'.
// Registers: block CHANNEL. Same as sim/model/channels.c, every pin every cycle. See README.md.
`include "ofr_defs.vh"
`default_nettype none

module ofr_channels #(
    parameter int N    = 2,   // as in ofr_channel
    parameter int W    = 32,
    parameter int L    = 128,
    parameter int ENDS = 8,
    parameter int ROOM = 4,
    parameter int PAIRS = 0, // of the collectives' streams, 0 (none) to ENDS: ends 0 to PAIRS - 1
    localparam int PORTS = PAIRS > 0 ? PAIRS : 1 // at the pins
) (
    input  wire logic                  clk,
    input  wire logic                  rst,
    input  wire logic [4*N-1:0]        me,
    input  wire logic [5*N-1:0]        size,
    // Register strobes, see rtl/README.md
    input  wire logic                  reg_early, // there will be one in the next cycle
    input  wire logic                  reg_we,
    input  wire logic [11:0]           reg_adr,
    input  wire logic [31:0]           reg_wdat,
    output logic [31:0]                reg_rdat,
    output logic                       reg_err,
    // The user's logic, as in ofr_channel
    input  wire logic [ENDS-1:0]       s_axis_tvalid,
    output logic [ENDS-1:0]            s_axis_tready,
    input  wire logic [W*ENDS-1:0]     s_axis_tdata,
    input  wire logic [W/8*ENDS-1:0]   s_axis_tkeep,
    input  wire logic [ENDS-1:0]       s_axis_tlast,
    output logic [ENDS-1:0]            m_axis_tvalid,
    input  wire logic [ENDS-1:0]       m_axis_tready,
    output logic [W*ENDS-1:0]          m_axis_tdata,
    output logic [W/8*ENDS-1:0]        m_axis_tkeep,
    output logic [ENDS-1:0]            m_axis_tlast,
    output logic [ENDS-1:0]            m_axis_tuser,
    // The collectives; what is offered to them is at m_axis_tdata, tlast, tuser
    output logic [PORTS-1:0]           from_tvalid,
    input  wire logic [PORTS-1:0]      from_tready,
    input  wire logic [PORTS-1:0]      to_tvalid,
    output logic [PORTS-1:0]           to_tready,
    input  wire logic [W*PORTS-1:0]    to_tdata,
    input  wire logic [W/8*PORTS-1:0]  to_tkeep,
    input  wire logic [PORTS-1:0]      to_tlast,
    // The local port, as in ofr_channel
    output logic                       tx_valid,
    input  wire logic                  tx_ready,
    output logic [W-1:0]               tx_data,
    output logic                       tx_last,
    input  wire logic                  rx_valid,
    input  wire logic [W-1:0]          rx_data,
    input  wire logic                  rx_last,
    input  wire logic                  rx_poison
);
    localparam int EB = ENDS > 1 ? $clog2(ENDS) : 1;
    localparam int KB = $clog2(W / 8 + 1); // bits of a count of bytes
    generate
        if (PAIRS < 0 || PAIRS > ENDS)
            ofr_channels_parameters_out_of_range bad ();
    endgenerate

    wire logic [31:0] adr = {20'b0, reg_adr};
    logic [ENDS-1:0]     attached_q; // software has the end
    logic [ENDS-1:0]     joined;     // the collectives have it
    logic                joins;      // ... could have the one that is selected
    logic [ENDS-1:0]     s_valid, s_ready, s_last, m_valid, m_ready, room, mid;
    logic [W*ENDS-1:0]   s_data;
    logic [W/8*ENDS-1:0] s_keep;
    logic [EB-1:0]       sel;
    logic                free, block_err;
    logic [31:0]         block_rdat;

    // ---- Sending: one beat for all ends. It goes only where there is room, which nothing but a
    // command can take away, so it never waits for long -----------------------------------------

    logic           waits_q, last_q;
    logic [EB-1:0]  end_q;
    logic [W-1:0]   data_q;
    logic [W/8-1:0] keep_q;
    wire logic mine = attached_q[sel];
    wire logic ready = mine && room[sel] && !waits_q;
    wire logic comes = mine && m_valid[sel];
    always_comb
        case (adr)
            `OFR_CHANNEL_ATTACH:  reg_err = reg_we && (!free || mid[sel] || waits_q);
            `OFR_CHANNEL_COMMAND: reg_err = block_err || (reg_we && waits_q);
            `OFR_CHANNEL_TX_END:
                reg_err = reg_we && (!mine || waits_q || reg_wdat[3:0] > 4'(W / 8));
            `OFR_CHANNEL_TX_HIGH: reg_err = reg_we && !mine;
            `OFR_CHANNEL_TX_DATA: reg_err = reg_we && !ready;
            `OFR_CHANNEL_RX_NEXT: reg_err = reg_we && !comes;
            default:              reg_err = block_err;
        endcase
    // A command that is refused here is none for the block
    wire logic [11:0] block_adr = waits_q && adr == `OFR_CHANNEL_COMMAND
        ? 12'(`OFR_NODE_ID) : reg_adr;
    wire logic we = reg_we && !reg_err;
    wire logic gone = waits_q && s_ready[end_q];

    logic [W-1:0] data_d;
    generate
        if (W == 64) begin : g_high
            logic [31:0] high_q;
            always_ff @(posedge clk) begin
                if (we && adr == `OFR_CHANNEL_TX_HIGH)
                    high_q <= reg_wdat;
                if (rst)
                    high_q <= '0;
            end
            assign data_d = {high_q, reg_wdat};
        end else begin : g_low
            assign data_d = reg_wdat[W-1:0];
        end
    endgenerate

    logic [EB-1:0] take_end_q;
    logic          take_q;
    always_ff @(posedge clk) begin
        take_q <= we && adr == `OFR_CHANNEL_RX_NEXT;
        take_end_q <= sel;
        if (we && adr == `OFR_CHANNEL_ATTACH)
            attached_q[sel] <= reg_wdat[`OFR_CHANNEL_ATTACH_REGISTERS_LSB] &&
                !(joins && reg_wdat[`OFR_CHANNEL_ATTACH_COLLECTIVE_LSB]);
        if (gone) begin
            waits_q <= 1'b0;
            last_q <= 1'b0;
        end
        if (we && adr == `OFR_CHANNEL_SELECT && !waits_q)
            last_q <= 1'b0;
        if (we && adr == `OFR_CHANNEL_TX_END) begin
            last_q <= 1'b1;
            for (int i = 0; i < W / 8; i++)
                keep_q[i] <= reg_wdat[3:0] > 4'(i);
        end
        if (we && adr == `OFR_CHANNEL_TX_DATA) begin
            waits_q <= 1'b1;
            end_q <= sel;
            data_q <= data_d;
        end
        if (rst) begin
            attached_q <= '0;
            {waits_q, last_q, take_q} <= '0;
        end
    end

    logic [ENDS-1:0]     own_valid, own_last, own_ready; // of whose an end is but for collectives
    logic [W*ENDS-1:0]   own_data;
    logic [W/8*ENDS-1:0] own_keep;
    always_comb
        for (int i = 0; i < ENDS; i++) begin
            own_valid[i] = attached_q[i] ? waits_q && end_q == EB'(i) : s_axis_tvalid[i];
            own_last[i] = attached_q[i] ? last_q : s_axis_tlast[i];
            own_data[W*i +: W] = attached_q[i] ? data_q : s_axis_tdata[W*i +: W];
            own_keep[W/8*i +: W/8] = attached_q[i] ? keep_q : s_axis_tkeep[W/8*i +: W/8];
            own_ready[i] = attached_q[i] ? take_q && take_end_q == EB'(i) : m_axis_tready[i];
        end
    assign s_axis_tready = s_ready & ~attached_q & ~joined;
    assign m_axis_tvalid = m_valid & ~attached_q & ~joined;

    generate
        if (PAIRS != 0) begin : g_pairs
            logic [PAIRS-1:0] joined_q;
            assign joins = 32'(sel) < PAIRS;
            assign joined = ENDS'(joined_q);
            for (genvar i = 0; i < PAIRS; i++) begin : g_pair
                always_ff @(posedge clk) begin
                    if (we && adr == `OFR_CHANNEL_ATTACH && sel == EB'(i))
                        joined_q[i] <= reg_wdat[`OFR_CHANNEL_ATTACH_COLLECTIVE_LSB];
                    if (rst)
                        joined_q[i] <= 1'b0;
                end
            end
            always_comb begin
                {s_valid, s_last, s_data} = {own_valid, own_last, own_data};
                {s_keep, m_ready} = {own_keep, own_ready};
                for (int i = 0; i < PAIRS; i++)
                    if (joined_q[i]) begin
                        s_valid[i] = to_tvalid[i];
                        s_last[i] = to_tlast[i];
                        s_data[W*i +: W] = to_tdata[W*i +: W];
                        s_keep[W/8*i +: W/8] = to_tkeep[W/8*i +: W/8];
                        m_ready[i] = from_tready[i];
                    end
            end
            assign from_tvalid = m_valid[PAIRS-1:0] & joined_q;
            assign to_tready = s_ready[PAIRS-1:0] & joined_q;
        end else begin : g_no_pairs
            wire logic unused = ^{from_tready, to_tvalid, to_tdata, to_tkeep, to_tlast};
            assign {joins, joined, from_tvalid, to_tready} = '0;
            assign {s_valid, s_last, s_data} = {own_valid, own_last, own_data};
            assign {s_keep, m_ready} = {own_keep, own_ready};
        end
    endgenerate

    // ---- Receiving: the registers show what is at the end's port --------------------------------

    wire logic [W-1:0]   m_data = m_axis_tdata[W*sel +: W];
    wire logic [W/8-1:0] m_keep = m_axis_tkeep[W/8*sel +: W/8];
    logic [KB-1:0] bytes;
    always_comb begin
        bytes = '0;
        for (int i = 0; i < W / 8; i++)
            bytes = bytes + KB'(m_keep[i]);
    end
    wire logic [63:0] shown = comes && !m_axis_tuser[sel] ? 64'(m_data) : '0;
    always_comb
        case (adr)
            `OFR_CHANNEL_SHAPE:   reg_rdat = {20'b0, 4'(ROOM), 3'b0, 5'(ENDS)};
            `OFR_CHANNEL_ATTACH:  reg_rdat = {30'b0, joined[sel], mine};
            `OFR_CHANNEL_TX:      reg_rdat = {29'b0, waits_q, mid[sel], ready};
            `OFR_CHANNEL_RX:
                reg_rdat = comes ? {24'b0, 4'(bytes), 1'b0, m_axis_tuser[sel], m_axis_tlast[sel],
                                    1'b1} : '0;
            `OFR_CHANNEL_RX_HIGH: reg_rdat = shown[63:32];
            `OFR_CHANNEL_RX_DATA: reg_rdat = shown[31:0];
            default:              reg_rdat = block_rdat;
        endcase

    ofr_channel #(.N(N), .W(W), .L(L), .ENDS(ENDS), .ROOM(ROOM)) block (
        .clk, .rst, .me, .size, .reg_early, .reg_we, .reg_adr(block_adr), .reg_wdat,
        .reg_rdat(block_rdat), .reg_err(block_err), .sel, .free, .room, .mid,
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
        .s_axis_tkeep(s_keep), .s_axis_tlast(s_last), .m_axis_tvalid(m_valid),
        .m_axis_tready(m_ready), .m_axis_tdata, .m_axis_tkeep, .m_axis_tlast, .m_axis_tuser,
        .tx_valid, .tx_ready, .tx_data, .tx_last, .rx_valid, .rx_data, .rx_last, .rx_poison
    );
endmodule
`default_nettype wire
