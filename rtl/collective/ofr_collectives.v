// SPDX-License-Identifier: Apache-2.0
// A node's collectives: the block, whose place in its group is in registers, and whose user is the
// user's logic at the pins or, by register ATTACH, software, a beat a write. Registers: block
// COLLECTIVE. Same as sim/model/collectives.c, every pin every cycle. See README.md.
`include "ofr_defs.vh"
`default_nettype none

module ofr_collectives #(
    parameter int W        = 32, // as in ofr_collective
    parameter int CHILDREN = 4
) (
    input  wire logic                      clk,
    input  wire logic                      rst,
    // Register strobes, see rtl/README.md
    input  wire logic                      reg_we,
    input  wire logic [11:0]               reg_adr,
    input  wire logic [31:0]               reg_wdat,
    output logic [31:0]                    reg_rdat,
    output logic                           reg_err,
    // The user's logic, as in ofr_collective
    input  wire logic                      s_axis_tvalid,
    output logic                           s_axis_tready,
    input  wire logic [W-1:0]              s_axis_tdata,
    input  wire logic [W/8-1:0]            s_axis_tkeep,
    input  wire logic                      s_axis_tlast,
    input  wire logic [6:0]                s_axis_tuser,
    output logic                           m_axis_tvalid,
    input  wire logic                      m_axis_tready,
    output logic [W-1:0]                   m_axis_tdata,
    output logic [W/8-1:0]                 m_axis_tkeep,
    output logic                           m_axis_tlast,
    output logic [1:0]                     m_axis_tuser,
    // The streams' ends, as in ofr_collective
    input  wire logic [CHILDREN:0]         from_tvalid,
    output logic [CHILDREN:0]              from_tready,
    input  wire logic [W*(CHILDREN+1)-1:0] from_tdata,
    input  wire logic [CHILDREN:0]         from_tlast,
    input  wire logic [CHILDREN:0]         from_tuser,
    output logic [CHILDREN:0]              to_tvalid,
    input  wire logic [CHILDREN:0]         to_tready,
    output logic [W*(CHILDREN+1)-1:0]      to_tdata,
    output logic [W/8*(CHILDREN+1)-1:0]    to_tkeep,
    output logic [CHILDREN:0]              to_tlast
);
    localparam int KB = $clog2(W / 8 + 1); // bits of a count of bytes
    localparam int PAIRS = CHILDREN + 1;

    wire logic [31:0] adr = {20'b0, reg_adr};
    logic                   parent_q, attached_q; // software has the user's side
    logic [CHILDREN-1:0]    children_q;
    logic [12*CHILDREN-1:0] sizes_q;
    logic                   busy, s_valid, s_ready, s_last, m_valid;
    logic [2:0]             reason;
    logic [CHILDREN:0]      broken, waits;
    logic [6:0]             s_user;
    logic [W-1:0]           s_data;
    logic [W/8-1:0]         s_keep;

    // ---- Writes ---------------------------------------------------------------------------------

    logic           waits_q, last_q, take_q, leave_q, clear_q;
    logic [PAIRS-1:0] drop_q;
    logic [6:0]     user_q;
    logic [W-1:0]   data_q;
    logic [W/8-1:0] keep_q;
    // Nothing has begun, and nothing of the operation before is still to be taken
    wire logic free = !busy && !s_valid && !m_valid;
    wire logic ready = attached_q && !waits_q;
    wire logic comes = attached_q && m_valid;
    always_comb
        case (adr)
            `OFR_COLLECTIVE_PLACE, `OFR_COLLECTIVE_SIZE_LOW, `OFR_COLLECTIVE_SIZE_HIGH,
            `OFR_COLLECTIVE_ATTACH:  reg_err = reg_we && !free;
            `OFR_COLLECTIVE_CONTROL:
                reg_err = reg_we && reg_wdat[`OFR_COLLECTIVE_CONTROL_CLEAR_LSB] && !free;
            `OFR_COLLECTIVE_TX_OP:   reg_err = reg_we && !ready;
            `OFR_COLLECTIVE_TX_END:  reg_err = reg_we && (!ready || reg_wdat[3:0] > 4'(W / 8));
            `OFR_COLLECTIVE_TX_HIGH: reg_err = reg_we && !ready;
            `OFR_COLLECTIVE_TX_DATA: reg_err = reg_we && !ready;
            `OFR_COLLECTIVE_RX_NEXT: reg_err = reg_we && !comes;
            default:                 reg_err = 1'b0;
        endcase
    wire logic we = reg_we && !reg_err;
    wire logic commands = we && adr == `OFR_COLLECTIVE_CONTROL;

    logic [W-1:0] data_d;
    generate
        if (W == 64) begin : g_high
            logic [31:0] high_q;
            always_ff @(posedge clk) begin
                if (we && adr == `OFR_COLLECTIVE_TX_HIGH)
                    high_q <= reg_wdat;
                if (rst)
                    high_q <= '0;
            end
            assign data_d = {high_q, reg_wdat};
        end else begin : g_low
            assign data_d = reg_wdat[W-1:0];
        end
    endgenerate

    always_ff @(posedge clk) begin
        take_q <= we && adr == `OFR_COLLECTIVE_RX_NEXT;
        leave_q <= commands && reg_wdat[`OFR_COLLECTIVE_CONTROL_LEAVE_LSB];
        clear_q <= commands && reg_wdat[`OFR_COLLECTIVE_CONTROL_CLEAR_LSB];
        drop_q <= commands ? reg_wdat[`OFR_COLLECTIVE_CONTROL_DROP_LSB +: PAIRS] : '0;
        if (we && adr == `OFR_COLLECTIVE_PLACE) begin
            parent_q <= reg_wdat[`OFR_COLLECTIVE_PLACE_PARENT_LSB];
            children_q <= reg_wdat[`OFR_COLLECTIVE_PLACE_CHILDREN_LSB +: CHILDREN];
        end
        for (int i = 0; i < CHILDREN; i++)
            if (we && adr == (i < 2 ? `OFR_COLLECTIVE_SIZE_LOW : `OFR_COLLECTIVE_SIZE_HIGH))
                sizes_q[12*i +: 12] <= reg_wdat[16 * (i % 2) +: 12];
        if (waits_q && s_ready) begin
            waits_q <= 1'b0;
            last_q <= 1'b0;
        end
        if (we && adr == `OFR_COLLECTIVE_ATTACH) begin
            attached_q <= reg_wdat[`OFR_COLLECTIVE_ATTACH_REGISTERS_LSB];
            last_q <= 1'b0;
        end
        if (we && adr == `OFR_COLLECTIVE_TX_OP)
            user_q <= reg_wdat[6:0];
        if (we && adr == `OFR_COLLECTIVE_TX_END) begin
            last_q <= 1'b1;
            for (int i = 0; i < W / 8; i++)
                keep_q[i] <= reg_wdat[3:0] > 4'(i);
        end
        if (we && adr == `OFR_COLLECTIVE_TX_DATA) begin
            waits_q <= 1'b1;
            data_q <= data_d;
        end
        if (rst) begin
            {parent_q, attached_q, children_q, sizes_q, user_q} <= '0;
            {waits_q, last_q, take_q, leave_q, clear_q, drop_q} <= '0;
        end
    end

    assign s_valid = attached_q ? waits_q : s_axis_tvalid;
    assign s_last = attached_q ? last_q : s_axis_tlast;
    assign s_data = attached_q ? data_q : s_axis_tdata;
    assign s_keep = attached_q ? keep_q : s_axis_tkeep;
    assign s_user = attached_q ? user_q : s_axis_tuser;
    assign s_axis_tready = s_ready && !attached_q;
    assign m_axis_tvalid = m_valid && !attached_q;

    // ---- Reads ----------------------------------------------------------------------------------

    logic        was_q; // busy, a cycle ago
    logic [15:0] good_q, failed_q;
    always_ff @(posedge clk) begin
        was_q <= busy;
        if (was_q && !busy) begin
            good_q <= good_q + 16'(reason == 3'd0);
            failed_q <= failed_q + 16'(reason != 3'd0);
        end
        if (rst)
            {was_q, good_q, failed_q} <= '0;
    end

    logic [KB-1:0] bytes;
    always_comb begin
        bytes = '0;
        for (int i = 0; i < W / 8; i++)
            bytes = bytes + KB'(m_axis_tkeep[i]);
    end
    wire logic [47:0] sizes = 48'(sizes_q);
    wire logic [63:0] shown = comes ? 64'(m_axis_tdata) : '0;
    always_comb
        case (adr)
            `OFR_COLLECTIVE_SHAPE:     reg_rdat = 32'(CHILDREN);
            `OFR_COLLECTIVE_PLACE:     reg_rdat = {24'b0, 4'(children_q), 3'b0, parent_q};
            `OFR_COLLECTIVE_SIZE_LOW:  reg_rdat = {4'b0, sizes[23:12], 4'b0, sizes[11:0]};
            `OFR_COLLECTIVE_SIZE_HIGH: reg_rdat = {4'b0, sizes[47:36], 4'b0, sizes[35:24]};
            `OFR_COLLECTIVE_STATE:
                reg_rdat = {11'b0, 5'(waits), 3'b0, 5'(broken), 1'b0, reason, 3'b0, busy};
            `OFR_COLLECTIVE_COUNT:     reg_rdat = {failed_q, good_q};
            `OFR_COLLECTIVE_ATTACH:    reg_rdat = {31'b0, attached_q};
            `OFR_COLLECTIVE_TX:        reg_rdat = {31'b0, ready};
            `OFR_COLLECTIVE_RX:
                reg_rdat = comes ? {24'b0, 4'(bytes), m_axis_tuser, m_axis_tlast, 1'b1} : '0;
            `OFR_COLLECTIVE_RX_HIGH:   reg_rdat = shown[63:32];
            `OFR_COLLECTIVE_RX_DATA:   reg_rdat = shown[31:0];
            default:                   reg_rdat = '0;
        endcase

    ofr_collective #(.W(W), .CHILDREN(CHILDREN)) block (
        .clk, .rst, .has_parent(parent_q), .children(children_q), .sizes(sizes_q),
        .leave(leave_q), .drop(drop_q), .clear(clear_q), .busy, .reason, .broken, .waits,
        .s_axis_tvalid(s_valid), .s_axis_tready(s_ready), .s_axis_tdata(s_data),
        .s_axis_tkeep(s_keep), .s_axis_tlast(s_last), .s_axis_tuser(s_user),
        .m_axis_tvalid(m_valid), .m_axis_tready(attached_q ? take_q : m_axis_tready),
        .m_axis_tdata, .m_axis_tkeep, .m_axis_tlast, .m_axis_tuser,
        .from_tvalid, .from_tready, .from_tdata, .from_tlast, .from_tuser,
        .to_tvalid, .to_tready, .to_tdata, .to_tkeep, .to_tlast
    );
endmodule
`default_nettype wire
