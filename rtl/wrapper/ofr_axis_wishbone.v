// SPDX-License-Identifier: Apache-2.0
// ENDS AXI4-Stream port pairs as a Wishbone B4 slave, classic cycles, one clock: for a processor or
// DMA of the user's. Joined with the pins of the same names of ofr_board_axis or ofr_channels.
// Registers, errors and waveforms: README.md.
`default_nettype none

module ofr_axis_wishbone #(
    parameter int W    = 32, // width of the bus and of TDATA in bits, 16, 32 or 64
    parameter int ENDS = 2   // 1 to 16
) (
    input  wire logic                clk,
    input  wire logic                rst,
    // Answered in the cycle after: wb_ack, or wb_err, and then nothing was done
    input  wire logic                wb_cyc,
    input  wire logic                wb_stb,
    input  wire logic                wb_we,
    input  wire logic [5:0]          wb_adr,   // in words of W bits: 1:0 the register, 5:2 the end
    input  wire logic [W/8-1:0]      wb_sel,
    input  wire logic [W-1:0]        wb_dat_w, // the slave's DAT_I
    output logic [W-1:0]             wb_dat_r, // the slave's DAT_O
    output logic                     wb_ack,
    output logic                     wb_err,
    // To the ends, end 0 lowest
    output logic [ENDS-1:0]          s_axis_tvalid,
    input  wire logic [ENDS-1:0]     s_axis_tready,
    output logic [W*ENDS-1:0]        s_axis_tdata,
    output logic [W/8*ENDS-1:0]      s_axis_tkeep,
    output logic [ENDS-1:0]          s_axis_tlast,
    // From them
    input  wire logic [ENDS-1:0]     m_axis_tvalid,
    output logic [ENDS-1:0]          m_axis_tready,
    input  wire logic [W*ENDS-1:0]   m_axis_tdata,
    input  wire logic [W/8*ENDS-1:0] m_axis_tkeep,
    input  wire logic [ENDS-1:0]     m_axis_tlast,
    input  wire logic [ENDS-1:0]     m_axis_tuser
);
    localparam int BYTES = W / 8;
    localparam logic [1:0] STATUS = 2'd0, LAST = 2'd1, TX = 2'd2, RX = 2'd3;

    generate
        if ((W != 16 && W != 32 && W != 64) || ENDS < 1 || ENDS > 16)
            ofr_axis_wishbone_parameters_out_of_range bad ();
    endgenerate

    // ---- The end that is meant ------------------------------------------------------------------

    logic [15:0] chosen; // none, where there is no such end
    logic        is_end, room, valid, last, broken;
    logic [W-1:0]     data;
    logic [BYTES-1:0] keep;
    logic [3:0]       bytes;
    always_comb begin
        chosen = 16'd1 << wb_adr[5:2];
        {room, valid, last, broken} = '0;
        {data, keep} = '0;
        bytes = '0;
        for (int e = 0; e < ENDS; e++)
            if (chosen[e]) begin
                room   = !s_axis_tvalid[e];
                valid  = m_axis_tvalid[e];
                last   = m_axis_tlast[e];
                broken = m_axis_tuser[e];
                data   = m_axis_tdata[W*e +: W];
                keep   = m_axis_tkeep[BYTES*e +: BYTES];
            end
        for (int i = 0; i < BYTES; i++)
            bytes = bytes + 4'(keep[i]);
    end
    assign is_end = |chosen[ENDS-1:0];

    // ---- The bus --------------------------------------------------------------------------------

    logic strobe, whole, good;
    assign strobe = wb_cyc && wb_stb && !wb_ack && !wb_err;
    assign whole  = &wb_sel && room; // a write of a beat
    always_comb
        case (wb_adr[1:0])
        STATUS:  good = !wb_we;
        LAST:    good = wb_we && whole && wb_dat_w <= W'(BYTES);
        TX:      good = wb_we && whole;
        default: good = valid;
        endcase
    always_ff @(posedge clk) begin
        wb_ack   <= strobe && good && is_end && !rst;
        wb_err   <= strobe && !(good && is_end) && !rst;
        wb_dat_r <= wb_adr[1:0] == RX ? data
                                      : W'({room, bytes, 1'b0, broken, last, valid});
    end

    // ---- The ends -------------------------------------------------------------------------------

    logic does, takes;
    assign does  = strobe && wb_we && good;
    assign takes = does && wb_adr[1:0] == RX;
    for (genvar e = 0; e < ENDS; e++) begin : g_end
        logic [W-1:0]     data_q;
        logic [BYTES-1:0] keep_q;
        logic             valid_q, last_q;
        assign s_axis_tvalid[e]                = valid_q;
        assign s_axis_tdata[W*e +: W]          = data_q;
        assign s_axis_tkeep[BYTES*e +: BYTES]  = keep_q;
        assign s_axis_tlast[e]                 = last_q;
        assign m_axis_tready[e]                = takes && chosen[e];
        always_ff @(posedge clk) begin
            if (does && chosen[e] && wb_adr[1:0] == LAST) begin
                last_q <= 1'b1;
                keep_q <= BYTES'((9'd1 << wb_dat_w[3:0]) - 9'd1);
            end
            if (does && chosen[e] && wb_adr[1:0] == TX) begin
                valid_q <= 1'b1;
                data_q  <= wb_dat_w;
            end
            if (rst || (valid_q && s_axis_tready[e])) begin // the next one has all bytes
                {valid_q, last_q} <= '0;
                keep_q            <= '1;
            end
        end
    end
endmodule

`default_nettype wire
