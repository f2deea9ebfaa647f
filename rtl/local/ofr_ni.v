// SPDX-License-Identifier: Apache-2.0
// Network interface, the core's packet mailbox. Same as sim/model/ni.c, cycle for cycle.
// Packets of 32 bytes. Sending: hardware stamps MGMT, LEG, CLASS, SOURCE and KIND, and pads with
// zeros. Receiving: room for 4, never pushes back; what cannot be kept is dropped and counted.
`include "ofr_defs.vh"
`default_nettype none

module ofr_ni #(
    parameter int N = 2, // dimensions, 2 or 3
    parameter int W = 32 // flit width in bits, 16, 32 or 64
) (
    input  wire logic           clk,
    input  wire logic           rst,
    input  wire logic [4*N-1:0] me,
    // Register strobes, see rtl/README.md
    input  wire logic           reg_we,
    input  wire logic           reg_re,
    input  wire logic [11:0]    reg_adr,
    input  wire logic [31:0]    reg_wdat,
    output logic [31:0]         reg_rdat,
    output logic                reg_err,
    // Flits to the local port; a flit is gone where take
    output logic                tx_valid,
    output logic [W-1:0]        tx_data,
    output logic                tx_last,
    input  wire logic           tx_take,
    // Flits of delivered management packets
    input  wire logic           rx_valid,
    input  wire logic [W-1:0]   rx_data,
    input  wire logic           rx_last,
    input  wire logic           rx_poison
);
    localparam int FLITS = 256 / W;          // a packet
    localparam int FB = $clog2(FLITS);       // bits of a flit's index
    localparam int LANES = W == 64 ? 4 : 2;  // memories of 16 bits side by side
    localparam int ROWS = 16 / LANES;        // rows of them in a packet
    localparam int RB = $clog2(ROWS);

    wire logic [31:0] adr = {20'b0, reg_adr};

    // ---- Sending --------------------------------------------------------------------------------

    logic          sending_q;
    logic [3:0]    count_q; // words written since TX_HEAD
    logic [FB-1:0] index_q; // flit at the output

    wire logic we_head = reg_we && adr == `OFR_NI_TX_HEAD && !sending_q;
    wire logic we_data = reg_we && adr == `OFR_NI_TX_DATA && !sending_q && count_q != 0;
    wire logic we_send = reg_we && adr == `OFR_NI_TX_SEND && !sending_q && count_q != 0;
    wire logic is_tx = adr == `OFR_NI_TX_HEAD || adr == `OFR_NI_TX_DATA || adr == `OFR_NI_TX_SEND;
    assign reg_err = reg_we && is_tx && (sending_q || (count_q == 0 && adr != `OFR_NI_TX_HEAD));

    // A word as it is stored: stamped
    logic [31:0] word;
    always_comb begin
        word = reg_wdat;
        if (adr == `OFR_NI_TX_HEAD) begin
            if (reg_wdat[`OFR_PKT_CLASS_LSB +: 2] != 2'(`OFR_PKT_CLASS_DIRECTED))
                word[`OFR_PKT_CLASS_LSB +: 2] = 2'(`OFR_PKT_CLASS_INORDER);
            word[`OFR_PKT_LEG_LSB] = 1'b1;
            word[`OFR_PKT_MGMT_LSB] = 1'b1;
        end else if (count_q == 4'd1)
            word[15:0] = {4'(`OFR_PKT_KIND_MGMT), 12'(me)};
    end
    wire logic [2:0] word_adr = adr == `OFR_NI_TX_HEAD ? 3'd0 : count_q[2:0];
    wire logic       word_we = we_head || (we_data && !count_q[3]);

    // Memory: rows of LANES x 16 bits, written by 32, read ahead by one flit
    wire logic [FB-1:0] index_d = tx_take ? index_q + FB'(1) : index_q;
    logic [W-1:0] flit;
    generate
        if (W == 64) begin : g_tx64
            logic [31:0] low [0:3], high [0:3];
            logic [31:0] low_q, high_q;
            logic        low_there_q, high_there_q; // written, else 0
            always_ff @(posedge clk) begin
                if (word_we && !word_adr[0])
                    low[word_adr[2:1]] <= word;
                if (word_we && word_adr[0])
                    high[word_adr[2:1]] <= word;
                low_q <= low[index_d];
                high_q <= high[index_d];
                low_there_q <= {index_d, 1'b0} < count_q[2:0] || count_q[3];
                high_there_q <= {index_d, 1'b1} < count_q[2:0] || count_q[3];
            end
            assign flit = {high_there_q ? high_q : '0, low_there_q ? low_q : '0};
        end else begin : g_tx
            logic [31:0] words [0:7];
            logic [31:0] word_q;
            logic        there_q; // written, else 0
            wire logic [2:0] row_d = W == 16 ? index_d[FB-1:FB-3] : index_d[2:0];
            always_ff @(posedge clk) begin
                if (word_we)
                    words[word_adr] <= word;
                word_q <= words[row_d];
                there_q <= row_d < count_q[2:0] || count_q[3];
            end
            wire logic [31:0] padded = there_q ? word_q : '0;
            assign flit = W == 16 && index_q[0] ? W'(padded[31:16]) : W'(padded);
        end
    endgenerate
    assign tx_valid = sending_q;
    assign tx_data = flit;
    assign tx_last = &index_q;

    always_ff @(posedge clk) begin
        index_q <= index_d;
        if (tx_take && tx_last) begin
            sending_q <= 1'b0;
            count_q <= '0;
        end
        if (we_head)
            count_q <= 4'd1;
        if (we_data && !count_q[3])
            count_q <= count_q + 4'd1;
        if (we_send)
            sending_q <= 1'b1;
        if (rst) begin
            sending_q <= 1'b0;
            count_q <= '0;
            index_q <= '0;
        end
    end

    // ---- Receiving ------------------------------------------------------------------------------

    logic [1:0]  read_q, write_q;
    logic [2:0]  used_q;   // packets waiting
    logic [3:0]  shown_q;  // next word that RX_DATA shows
    logic [FB:0] rx_index_q;
    logic        drop_q;
    logic [15:0] dropped_q;

    wire logic directed = rx_data[`OFR_PKT_CLASS_LSB +: 2] == 2'(`OFR_PKT_CLASS_DIRECTED);
    wire logic drop = rx_index_q == 0 ? used_q[2] || (!directed && rx_data[4*N-1:0] != me) : drop_q;
    wire logic commit = rx_valid && rx_last && !rx_poison && !drop
        && rx_index_q == (FB + 1)'(FLITS - 1);
    wire logic store = rx_valid && !drop && !rx_index_q[FB];
    wire logic waiting = used_q != 0;
    wire logic next = reg_we && adr == `OFR_NI_RX_NEXT && waiting;

    logic [16*LANES-1:0] row_r; // of the word shown
    wire logic [RB+1:0] write_row = {write_q, rx_index_q[FB-1 -: RB]};
    wire logic [RB+1:0] read_row = {read_q, shown_q[2 -: RB]};
    generate
        for (genvar i = 0; i < LANES; i++) begin : g_lane
            logic [15:0] lane [0:4*ROWS-1];
            logic [15:0] lane_q;
            wire logic we = store && (W != 16 || rx_index_q[0] == 1'(i));
            always_ff @(posedge clk) begin
                if (we)
                    lane[write_row] <= rx_data[W == 16 ? 0 : 16*i +: 16];
                lane_q <= lane[read_row];
            end
            assign row_r[16*i +: 16] = lane_q;
        end
    endgenerate
    logic [31:0] shown;
    generate
        if (W == 64) begin : g_half
            assign shown = shown_q[0] ? row_r[63:32] : row_r[31:0];
        end else begin : g_whole
            assign shown = row_r;
        end
    endgenerate

    always_comb begin
        case (adr)
            `OFR_NI_STATUS:  reg_rdat = {dropped_q, 14'b0, waiting, !sending_q};
            `OFR_NI_RX_DATA: reg_rdat = waiting && !shown_q[3] ? shown : '0;
            default:         reg_rdat = '0;
        endcase
    end

    always_ff @(posedge clk) begin
        if (rx_valid) begin
            drop_q <= drop;
            if (rx_last)
                rx_index_q <= '0;
            else if (!rx_index_q[FB])
                rx_index_q <= rx_index_q + (FB + 1)'(1);
            if (rx_last && !commit && !(&dropped_q))
                dropped_q <= dropped_q + 16'd1;
        end
        if (commit)
            write_q <= write_q + 2'd1;
        if (reg_re && adr == `OFR_NI_RX_DATA && waiting && !shown_q[3])
            shown_q <= shown_q + 4'd1;
        if (next) begin
            read_q <= read_q + 2'd1;
            shown_q <= '0;
        end
        used_q <= used_q + {2'b0, commit} - {2'b0, next};
        if (rst) begin
            read_q <= '0;
            write_q <= '0;
            used_q <= '0;
            shown_q <= '0;
            rx_index_q <= '0;
            dropped_q <= '0;
        end
    end
endmodule
`default_nettype wire
