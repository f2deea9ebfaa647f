// SPDX-License-Identifier: Apache-2.0
// The destination table for broken cables (registers PINS): an entry per destination, in block RAM.
// Looks up the header that is next at the local port and changes its class and route. Same as
// sim/model/pins.c. There are two banks: one is looked up in, the other, the shadow bank, is
// written, until CONTROL makes them change places. A reset leaves the table off, and clears the
// shadow bank, one entry a cycle. What becomes the shadow bank is made a copy of the active one, an
// entry every other cycle, so what changes is all that need be written; nobody ever sees an entry
// that was not written.
`include "ofr_defs.vh"
`default_nettype none

module ofr_pins #(
    parameter int N = 2 // dimensions, 2 or 3: 256 or 4096 entries a bank
) (
    input  wire logic           clk,
    input  wire logic           rst,
    input  wire logic [4*N-1:0] me,
    // Register strobes, see rtl/README.md
    input  wire logic           reg_we,
    input  wire logic [11:0]    reg_adr,
    input  wire logic [31:0]    reg_wdat,
    output logic [31:0]         reg_rdat,
    output logic                reg_err,
    input  wire logic [4*N-1:0] look,    // target of the header that may be at the port in 2 cycles
    // Header word ROUTE, whose target was `look` two cycles before
    input  wire logic [15:0]    head,
    output logic [15:0]         head_out,
    output logic                pinned   // the table changes its class or route
);
    localparam int A = 4 * N; // bits of a destination

    logic         enable_q, clearing_q;
    logic         copy_q, got_q; // clearing_q: makes a copy; whose next entry has been read
    logic         bank_q;   // which one is looked up in
    logic [A-1:0] addr_q, clear_q;
    // {mode, q}: the memory's output, and the register behind it, as what comes out of a block RAM
    // is too late to go on with. Either with whether the table was on in the cycle of the read.
    logic         on_q, active_q;
    logic [A+2:0] read_q, entry_q;

    // ---- Registers ------------------------------------------------------------------------------

    wire logic [31:0] adr = {20'b0, reg_adr};
    wire logic [2:0]  w_mode = reg_wdat[`OFR_PINS_DATA_MODE_LSB +: 3];
    wire logic        to_data = reg_we && adr == `OFR_PINS_DATA;
    wire logic        to_on = reg_we && adr == `OFR_PINS_CONTROL &&
        reg_wdat[`OFR_PINS_CONTROL_ENABLE_LSB];
    assign reg_err = (to_data && (clearing_q || w_mode > 3'(`OFR_PINS_DATA_MODE_UNREACHABLE))) ||
        (to_on && clearing_q);
    wire logic        we_data = to_data && !reg_err;
    wire logic        commit = to_on && !reg_err;
    wire logic        clear = reg_we && adr == `OFR_PINS_CLEAR;
    wire logic        reads = clearing_q && copy_q && !got_q;
    wire logic        unused = ^{reg_wdat[31:15], reg_wdat[11:A-1]};

    always_comb begin
        case (adr)
            `OFR_PINS_CONTROL: reg_rdat = {31'b0, enable_q};
            `OFR_PINS_CLEAR:   reg_rdat = {31'b0, clearing_q};
            `OFR_PINS_ADDR:    reg_rdat = 32'(addr_q);
            default:           reg_rdat = '0;
        endcase
    end

    always_ff @(posedge clk) begin
        on_q <= enable_q;
        active_q <= on_q;
        clear_q <= clear_q + A'(clearing_q && !reads);
        got_q   <= reads;
        if (&clear_q && !reads)
            clearing_q <= 1'b0;
        if (we_data)
            addr_q <= addr_q + A'(1);
        bank_q <= bank_q ^ commit;
        if (reg_we && adr == `OFR_PINS_CONTROL && !reg_err)
            enable_q <= commit;
        if (reg_we && adr == `OFR_PINS_ADDR)
            addr_q <= reg_wdat[A-1:0];
        if (rst || commit || clear) begin
            clearing_q <= 1'b1;
            copy_q     <= !rst && (commit || reg_wdat[`OFR_PINS_CLEAR_COPY_LSB]);
            got_q      <= 1'b0;
            clear_q    <= '0;
        end
        if (rst) begin
            enable_q <= 1'b0;
            bank_q   <= 1'b0;
            on_q     <= 1'b0;
            active_q <= 1'b0;
            addr_q   <= '0;
        end
    end

    // ---- Table ----------------------------------------------------------------------------------

    // One port writes, or reads what is copied; the other one looks up.
    (* no_rw_check *)
    logic [A+2:0] table_mem [0:2**(A+1)-1];
    logic [A+2:0] kept_q;
    wire logic         mem_we = clearing_q ? !reads : we_data;
    wire logic [A:0]   mem_adr = {bank_q ^ !reads, clearing_q ? clear_q : addr_q};
    wire logic [A+2:0] mem_d = !clearing_q ? {w_mode, reg_wdat[A-1:0]} :
                               copy_q && enable_q ? kept_q : '0;
    always_ff @(posedge clk) begin
        if (mem_we)
            table_mem[mem_adr] <= mem_d;
        else
            kept_q <= table_mem[mem_adr];
        read_q <= table_mem[{bank_q, look}];
        entry_q <= read_q;
    end

    // ---- Header ---------------------------------------------------------------------------------

    wire logic [2:0] mode = entry_q[A+2:A];
    wire logic [1:0] class_f = head[`OFR_PKT_CLASS_LSB +: 2];
    always_comb begin
        head_out = head;
        pinned = 1'b0;
        if (active_q && class_f != 2'(`OFR_PKT_CLASS_DIRECTED))
            case (mode)
                3'(`OFR_PINS_DATA_MODE_MINIMAL):
                    if (class_f == 2'(`OFR_PKT_CLASS_DEROUTE)) begin
                        head_out[`OFR_PKT_CLASS_LSB +: 2] = 2'(`OFR_PKT_CLASS_MINIMAL);
                        pinned = 1'b1;
                    end
                3'(`OFR_PINS_DATA_MODE_ESCAPE), 3'(`OFR_PINS_DATA_MODE_IDN): begin
                    head_out[`OFR_PKT_CLASS_LSB +: 2] = 2'(`OFR_PKT_CLASS_INORDER);
                    pinned = class_f != 2'(`OFR_PKT_CLASS_INORDER);
                    if (mode[0] && entry_q[A-1:0] != me) begin
                        head_out[11:0] = 12'(entry_q[A-1:0]);
                        head_out[`OFR_PKT_LEG_LSB] = 1'b0;
                        pinned = 1'b1;
                    end
                end
                3'(`OFR_PINS_DATA_MODE_UNREACHABLE): begin
                    // Over a port that does not exist: the router discards and counts it
                    head_out[`OFR_PKT_CLASS_LSB +: 2] = 2'(`OFR_PKT_CLASS_DIRECTED);
                    head_out[3:0] = '1;
                end
                default: ;
            endcase
    end
endmodule
`default_nettype wire
