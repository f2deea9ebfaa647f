// SPDX-License-Identifier: Apache-2.0
// Register block OFR: the IDN table in three banks of one block RAM, its parameters, the commit.
// sim/model/ofr_unit.h says what it does.
`default_nettype none
`include "ofr_defs.vh"

module ofr_table #(
    parameter int N = 3 // dimensions, 2 or 3
) (
    input  wire logic        clk,
    input  wire logic        rst,

    // Register strobes (rtl/README.md).
    input  wire logic        reg_we,
    input  wire logic [11:0] reg_adr,
    input  wire logic [31:0] reg_wdat,
    output logic [31:0]      reg_rdat,
    output logic             reg_err,

    input  wire logic        hold,  // a decision is under way, or starts: keep the active table
    input  wire logic [2:0]  set,   // bit i: s_i = t_i
    input  wire logic [2:0]  index,
    output logic [6:0]       entry, // a cycle later: VALID, lambda Z, Y, X

    output logic [3:0]       delta, // of the active table
    output logic [7:0]       eta,
    output logic             rule_a,
    output logic             rule_b,
    output logic             oidn,
    output logic [7:0]       widn,
    output logic [15:0]      generation
);
    // Table entry {set, index} after reset: Examples 1 and 2 (ofr_table_reset() in the model).
    function automatic [6:0] example(input [5:0] at);
        reg [2:0] j;
        reg [1:0] a, b, c;
        reg       there;
        begin
            j = at[2:0];
            // a, b, c: the example's columns; equal coordinates first (n = 2: the unequal first).
            a = 2'd0; b = 2'd0; c = 2'd0;
            there = 1'b0;
            if (N == 2) begin
                case (at[5:3])
                    3'd0: begin
                        there = j < 3'd2;
                        a = j == 3'd0 ? 2'd1 : 2'd3;
                        b = j == 3'd0 ? 2'd3 : 2'd1;
                    end
                    3'd1, 3'd2: begin
                        there = j < 3'd6;
                        a = j == 3'd0 || j == 3'd3 ? 2'd3 : j == 3'd2 || j == 3'd5 ? 2'd1 : 2'd0;
                        b = j < 3'd3 ? 2'd1 : 2'd3;
                    end
                    default: there = 1'b0;
                endcase
                example = !there ? 7'd0 : at[3] ? {3'b100, a, b} : {3'b100, b, a};
            end else begin
                case (at[5:3])
                    3'd0: begin // eq. 9, 10
                        there = j < 3'd6;
                        a = j < 3'd2 ? 2'd0 : j[0] ? 2'd1 : 2'd3;
                        b = j == 3'd2 || j == 3'd3 ? 2'd0 : j == 3'd0 || j == 3'd5 ? 2'd3 : 2'd1;
                        c = j > 3'd3 ? 2'd0 : j[0] ? 2'd3 : 2'd1;
                    end
                    3'd1, 3'd2, 3'd4: begin // eq. 11, 12
                        there = j < 3'd4;
                        a = j == 3'd2 ? 2'd1 : j == 3'd3 ? 2'd3 : 2'd0;
                        b = j == 3'd0 ? 2'd3 : j == 3'd1 ? 2'd1 : 2'd0;
                        c = j == 3'd0 ? 2'd1 : j == 3'd1 ? 2'd3 : 2'd0;
                    end
                    3'd3, 3'd5, 3'd6: begin // eq. 13, 14
                        there = j < 3'd4;
                        a = j == 3'd0 ? 2'd1 : j == 3'd1 ? 2'd3 : 2'd0;
                        b = j == 3'd2 ? 2'd1 : j == 3'd3 ? 2'd3 : 2'd0;
                        c = j == 3'd0 ? 2'd1 : j == 3'd2 ? 2'd3 : 2'd0;
                    end
                    default: there = 1'b0;
                endcase
                case (at[5:3])
                    3'd0, 3'd1, 3'd3: example = {1'b1, c, b, a};
                    3'd2:             example = {1'b1, c, a, b};
                    3'd5:             example = {1'b1, b, c, a};
                    default:          example = at[5:3] == 3'd4 ? {1'b1, a, c, b} : {1'b1, b, a, c};
                endcase
                if (!there)
                    example = 7'd0;
            end
        end
    endfunction

    // Writes.
    wire in_block  = reg_adr[11:8] == 4'(`OFR_OFR_PARAM >> 8);
    wire mine      = in_block && {reg_adr[7:5], reg_adr[1:0]} == 5'd0;
    wire [2:0] sel = reg_adr[4:2];
    localparam logic [2:0] PARAM  = 3'(`OFR_OFR_PARAM >> 2);
    localparam logic [2:0] WIDN   = 3'(`OFR_OFR_WIDN >> 2);
    localparam logic [2:0] ADDR   = 3'(`OFR_OFR_ADDR >> 2);
    localparam logic [2:0] DATA   = 3'(`OFR_OFR_DATA >> 2);
    localparam logic [2:0] CRC    = 3'(`OFR_OFR_CRC >> 2);
    localparam logic [2:0] COMMIT = 3'(`OFR_OFR_COMMIT >> 2);

    wire bad_lambda = reg_wdat[1:0] == 2'd2 || reg_wdat[3:2] == 2'd2 || reg_wdat[5:4] == 2'd2;
    wire we_data    = reg_we && mine && sel == DATA && !bad_lambda;
    wire we_addr    = reg_we && mine && sel == ADDR;
    wire we_commit  = reg_we && mine && sel == COMMIT;
    assign reg_err  = reg_we && in_block &&
                      (!mine || sel == CRC || sel > COMMIT || (sel == DATA && bad_lambda));

    localparam logic [14:0] PARAM_RESET = 15'(`OFR_OFR_PARAM_RESET);
    localparam logic [7:0]  WIDN_RESET  = 8'(`OFR_OFR_WIDN_RESET);

    reg [14:0] param_q;
    reg [7:0]  widn_q;
    reg [5:0]  addr_q;
    reg [15:0] generation_q;
    reg [1:0]  shadow_q; // 1 or 2
    reg [1:0]  bank_q;   // the active one
    assign generation = generation_q;

    // A commit waits for the end of a decision that is under way.
    reg  pending_q, zero_q;
    wire zero   = we_commit ? reg_wdat[15:0] == 16'd0 : zero_q;
    wire commit = (we_commit || pending_q) && !hold;

    always_ff @(posedge clk) begin
        if (reg_we && mine && sel == PARAM)
            param_q <= reg_wdat[14:0];
        if (reg_we && mine && sel == WIDN)
            widn_q <= reg_wdat[7:0];
        if (we_addr)
            addr_q <= reg_wdat[5:0];
        else if (we_data)
            addr_q <= addr_q + 6'd1;
        if (we_commit)
            generation_q <= reg_wdat[15:0];
        zero_q    <= zero;
        pending_q <= (we_commit || pending_q) && hold;
        if (commit && !zero)
            shadow_q <= ~shadow_q;
        if (commit) begin
            bank_q <= shadow_q;
            {oidn, rule_b, rule_a, eta, delta} <= param_q;
            widn <= widn_q;
        end
        if (rst || (commit && zero)) begin
            bank_q <= 2'd0;
            {oidn, rule_b, rule_a, eta, delta} <= PARAM_RESET;
            widn <= WIDN_RESET;
        end
        if (rst) begin
            param_q      <= PARAM_RESET;
            widn_q       <= WIDN_RESET;
            addr_q       <= 6'(`OFR_OFR_ADDR_RESET);
            generation_q <= 16'(`OFR_OFR_COMMIT_RESET);
            shadow_q     <= 2'd1;
            pending_q    <= 1'b0;
        end
    end

    // The banks. No reset: bank 0 is initial content, the others are what was written. Nothing is
    // written in reset: at the first one shadow_q may be 0, and bank 0 would be lost for good.
    (* ram_style = "block", no_rw_check *) reg [6:0] mem [0:255];
    initial
        for (int i = 0; i < 256; i++)
            mem[i] = i < 64 ? example(6'(i)) : 7'd0;
    always_ff @(posedge clk) begin
        if (we_data && !rst)
            mem[{shadow_q, addr_q}] <= reg_wdat[6:0];
        entry <= mem[{bank_q, set, index}];
    end

    // CRC-32, reflected, four bits a cycle: the low nibble with the write, the high one after it.
    function automatic [31:0] crc4(input [31:0] crc, input [3:0] data);
        begin
            crc4 = crc ^ {28'd0, data};
            for (int i = 0; i < 4; i++)
                crc4 = {1'b0, crc4[31:1]} ^ (crc4[0] ? 32'hEDB88320 : 32'd0);
        end
    endfunction
    reg [31:0] crc_q;
    reg [2:0]  high_q;
    reg        second_q;
    always_ff @(posedge clk) begin
        high_q   <= reg_wdat[6:4];
        second_q <= we_data;
        if (we_data || second_q)
            crc_q <= crc4(crc_q, second_q ? {1'b0, high_q} : reg_wdat[3:0]);
        if (rst || (we_addr && reg_wdat[5:0] == 6'd0)) begin
            crc_q    <= '1;
            second_q <= 1'b0;
        end
    end

    // In pairs that share a select, which take a LUT each.
    wire        high    = mine && sel[2] && !sel[1]; // CRC, COMMIT
    wire        low     = mine && !sel[2] && !sel[1]; // PARAM, WIDN
    wire        at      = mine && sel == ADDR;
    wire [15:0] of_high = {16{high}} & (sel[0] ? generation_q : ~crc_q[15:0]);
    wire [14:0] of_low  = {15{low}} & (sel[0] ? {7'd0, widn_q} : param_q);
    assign reg_rdat = {{16{high && !sel[0]}} & ~crc_q[31:16],
                       of_high | {1'b0, of_low} | {10'd0, {6{at}} & addr_q}};

    /* verilator lint_off UNUSEDSIGNAL */
    wire unused = &{1'b0, reg_wdat[31:16]};
    /* verilator lint_on UNUSEDSIGNAL */
endmodule

`default_nettype wire
