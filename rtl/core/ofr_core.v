// SPDX-License-Identifier: Apache-2.0
// The board's core, whichever it is: all that the SoC wants is PicoRV32's native memory port (see
// rv32i.v) and `trap`. A core that does not say where and why it stopped has trap_pc 0 and cause
// UNKNOWN. `make CORE=picorv32` chooses (core.mk); PicoRV32's source is the user's, it is not here.
`default_nettype none
`include "ofr_defs.vh"

module ofr_core #(
    parameter int CORE = 0,                            // 0: rv32i, 1: PicoRV32
    parameter logic [31:0] RESET_ADDR = 32'h0000_0000, // byte address, a multiple of 4
    parameter int EARLY = 0,                           // see rv32i; not with PicoRV32
    parameter int SMALL = 0                            // likewise
) (
    input  wire logic        clk,
    input  wire logic        rst, // synchronous; not while a transfer is under way, unless all
                                      // that answers it is reset, too
    output logic             mem_valid, // 0 while rst, whatever the core wakes up with
    output logic             mem_instr,
    output logic             mem_follows, // as in rv32i
    input  wire logic        mem_ready,
    output logic [31:0]      mem_addr,  // byte address, bits 1:0 are 0
    output logic [31:0]      mem_wdata,
    output logic [3:0]       mem_wstrb, // a bit a byte; 0: read
    input  wire logic [31:0] mem_rdata,
    output logic             trap,      // stopped; a fetch may still be under way
    output logic [31:0]      trap_pc,   // while trap: address of the instruction that stopped it
    output logic [2:0]       trap_cause // while trap: OFR_BOARD_TRAP_CAUSE_*
);
    logic valid;
    assign mem_valid = valid && !rst;

    generate
        if (CORE == 1) begin : g_picorv32
            assign trap_pc     = '0;
            assign mem_follows = 1'b0;
            assign trap_cause = `OFR_BOARD_TRAP_CAUSE_UNKNOWN;
            /* verilator lint_off PINMISSING */
            picorv32 #(
                .PROGADDR_RESET(RESET_ADDR), .ENABLE_COUNTERS(0), .ENABLE_COUNTERS64(0),
                .CATCH_MISALIGN(1), .CATCH_ILLINSN(1)
            ) core (
                .clk, .resetn(!rst), .trap, .mem_valid(valid), .mem_instr, .mem_ready, .mem_addr,
                .mem_wdata, .mem_wstrb, .mem_rdata, .pcpi_wr(1'b0), .pcpi_rd(32'd0),
                .pcpi_wait(1'b0), .pcpi_ready(1'b0), .irq(32'd0)
            );
            /* verilator lint_on PINMISSING */
        end else begin : g_rv32i
            rv32i #(.RESET_ADDR(RESET_ADDR), .EARLY(EARLY), .SMALL(SMALL)) core (
                .clk, .rst, .mem_valid(valid), .mem_instr, .mem_follows, .mem_ready, .mem_addr,
                .mem_wdata, .mem_wstrb, .mem_rdata, .trap, .trap_pc, .trap_cause
            );
        end
    endgenerate
endmodule
`default_nettype wire
