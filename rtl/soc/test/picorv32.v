// SPDX-License-Identifier: Apache-2.0
// Not PicoRV32: a test double with its ports that has, like it, a fetch under way when it traps.
// rv32i behind a word of prefetch: after each fetch it asks for the next word, wanted or not. As
// there, a transfer that has begun stays until mem_ready, in a trap too; only reset cuts it off.
`default_nettype none

module picorv32 #(
    parameter [0:0]  ENABLE_COUNTERS   = 1,
    parameter [0:0]  ENABLE_COUNTERS64 = 1,
    parameter [0:0]  CATCH_MISALIGN    = 1,
    parameter [0:0]  CATCH_ILLINSN     = 1,
    parameter [31:0] PROGADDR_RESET    = 0
) (
    input  wire logic        clk,
    input  wire logic        resetn,
    output logic             trap,
    output logic             mem_valid,
    output logic             mem_instr,
    input  wire logic        mem_ready,
    output logic [31:0]      mem_addr,
    output logic [31:0]      mem_wdata,
    output logic [3:0]       mem_wstrb,
    input  wire logic [31:0] mem_rdata,
    input  wire logic        pcpi_wr,
    input  wire logic [31:0] pcpi_rd,
    input  wire logic        pcpi_wait,
    input  wire logic        pcpi_ready,
    input  wire logic [31:0] irq
);
    logic        want, want_instr, hit, got, demand_q, known_q, have_q;
    logic [31:0] want_addr, want_wdata, next_q, word_q;
    logic [3:0]  want_wstrb;
    assign hit = want && want_instr && have_q && want_addr == next_q;
    assign got = hit || (mem_valid && mem_ready && demand_q);

    rv32i #(.RESET_ADDR(PROGADDR_RESET)) core (
        .clk, .rst(!resetn), .mem_valid(want), .mem_instr(want_instr), .mem_follows(),
        .mem_ready(got), .mem_addr(want_addr), .mem_wdata(want_wdata), .mem_wstrb(want_wstrb),
        .mem_rdata(hit ? word_q : mem_rdata), .trap, .trap_pc(), .trap_cause()
    );

    always_ff @(posedge clk) begin
        if (hit) begin
            have_q <= 0;
            next_q <= next_q + 4;
        end
        if (mem_valid && mem_ready) begin
            mem_valid <= 0;
            if (!demand_q) begin
                have_q <= 1;
                word_q <= mem_rdata;
            end else if (mem_instr) begin
                known_q <= 1;
                have_q  <= 0;
                next_q  <= mem_addr + 4;
            end
        end else if (!mem_valid && want && !hit) begin
            {mem_valid, demand_q, mem_instr} <= {2'b11, want_instr};
            {mem_addr, mem_wdata, mem_wstrb} <= {want_addr, want_wdata, want_wstrb};
        end else if (!mem_valid && known_q && !have_q && !trap) begin
            {mem_valid, demand_q, mem_instr} <= 3'b101;
            {mem_addr, mem_wstrb}            <= {next_q, 4'b0000};
        end
        if (!resetn) {mem_valid, known_q, have_q} <= '0;
    end

    logic unused;
    assign unused = ^{ENABLE_COUNTERS, ENABLE_COUNTERS64, CATCH_MISALIGN, CATCH_ILLINSN, pcpi_wr,
                      pcpi_rd, pcpi_wait, pcpi_ready, irq};
endmodule
`default_nettype wire
