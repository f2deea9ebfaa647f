// SPDX-License-Identifier: Apache-2.0
// RV32I, small and readable: no CSR, no interrupts, no pipeline.
//
// Memory port: the signals and the timing of PicoRV32's native interface. mem_valid rises with
// address, data and strobes and all stay until mem_ready; mem_ready may come in the same cycle or
// any time later and mem_rdata counts in that cycle; then mem_valid is low for at least one cycle.
// mem_addr is a multiple of 4; mem_wstrb is 0 for a read; mem_instr marks a fetch. With EARLY,
// mem_addr is there one cycle before mem_valid rises, so that a memory with a register behind it
// answers as soon as one without; rst is to last two cycles then.
//
// Cycles with a memory that answers one cycle after mem_valid: 3, branch 4, load and store 6; with
// one that answers at once: 2, 3, 4. The states:
//
//   FETCH  the instruction is coming; on mem_ready it is decoded into registers, and the register
//          file (block RAM) is read with the addresses straight from mem_rdata
//   EXEC   one adder does everything: sum, compare, address, jump target. Then rd and pc are
//          written. A branch stays a second cycle, turned into a jump or into nothing
//   MEM    a load or store waits for mem_ready, with the sum as the address; then back to EXEC,
//          turned into nothing
//   TRAP   stopped until rst
//
// With SMALL, for a memory that is slow anyway: the register file has one port, so rs1 and rs2 are
// read in turn, a cycle more; a shift is a bit a cycle, with one more for how far.
//
// A trap leaves pc at the instruction that caused it and writes neither rd nor memory:
// ILLEGAL (CSR instructions too), MISALIGNED (load, store, or a jump's or taken branch's target),
// EBREAK (ecall too). FENCE and FENCE.I do nothing, for nothing is cached.
`default_nettype none
`include "ofr_defs.vh"

module rv32i #(
    parameter logic [31:0] RESET_ADDR = 32'h0000_0000, // byte address, a multiple of 4
    parameter int          EARLY = 0,                  // 1: mem_addr a cycle before mem_valid
    parameter int          SMALL = 0                   // 1: fewer cells, more cycles; not EARLY
) (
    input  wire logic        clk,
    input  wire logic        rst,       // synchronous, active high; registers keep their values
    output logic             mem_valid,
    output logic             mem_instr,
    output logic             mem_follows, // of a fetch: 4 behind the one before
    input  wire logic        mem_ready,
    output logic [31:0]      mem_addr,  // byte address, bits 1:0 are 0
    output logic [31:0]      mem_wdata,
    output logic [3:0]       mem_wstrb, // a bit a byte; 0: read
    input  wire logic [31:0] mem_rdata,
    output logic             trap,      // stopped
    output logic [31:0]      trap_pc,   // while trap: address of the instruction that stopped it
    output logic [2:0]       trap_cause // while trap: OFR_BOARD_TRAP_CAUSE_*
);

    generate
        if (EARLY != 0 && SMALL != 0)
            rv32i_parameters_out_of_range bad ();
    endgenerate

    typedef enum logic [1:0] {FETCH, EXEC, MEM, TRAP} state_t;
    state_t state_q;
    logic   reading, waits; // SMALL: EXEC, but rs1 is being read, or a shift is under way

    // ---- Decode: combinational from mem_rdata, into registers at the end of FETCH ---------------
    logic [31:0] instr;
    logic [4:0]  opcode;
    logic [2:0]  f3;
    assign instr  = mem_rdata;
    assign opcode = instr[6:2];
    assign f3     = instr[14:12];

    logic is_load, is_misc, is_opimm, is_auipc, is_store, is_op, is_lui, is_branch, is_jalr, is_jal,
          is_system;
    assign is_load   = opcode == 5'b00000;
    assign is_misc   = opcode == 5'b00011;
    assign is_opimm  = opcode == 5'b00100;
    assign is_auipc  = opcode == 5'b00101;
    assign is_store  = opcode == 5'b01000;
    assign is_op     = opcode == 5'b01100;
    assign is_lui    = opcode == 5'b01101;
    assign is_branch = opcode == 5'b11000;
    assign is_jalr   = opcode == 5'b11001;
    assign is_jal    = opcode == 5'b11011;
    assign is_system = opcode == 5'b11100;

    logic f7_zero, f7_alt, shift, legal, environment;
    assign f7_zero = {instr[31], instr[29:25]} == 0 && !instr[30];
    assign f7_alt  = {instr[31], instr[29:25]} == 0 && instr[30];
    assign shift   = f3[1:0] == 2'b01;
    assign legal   = instr[1:0] == 2'b11 &&
                     (is_lui || is_auipc || is_jal || (is_jalr && f3 == 0) ||
                      (is_load && f3 != 3 && f3 != 6 && f3 != 7) ||
                      (is_store && f3 < 3) || (is_branch && f3 != 2 && f3 != 3) ||
                      (is_misc && f3 < 2) || (is_opimm && (!shift || f7_zero)) ||
                      (is_op && f7_zero) || (is_opimm && f7_alt && f3 == 5) ||
                      (is_op && f7_alt && (f3 == 0 || f3 == 5)));
    assign environment = is_system && instr[1:0] == 2'b11 && {instr[31:21], instr[19:7]} == 0;

    logic [31:0] imm, imm_i, imm_s, imm_b, imm_u, imm_j;
    assign imm_i = {{21{instr[31]}}, instr[30:20]};
    assign imm_s = {{21{instr[31]}}, instr[30:25], instr[11:7]};
    assign imm_b = {{20{instr[31]}}, instr[7], instr[30:25], instr[11:8], 1'b0};
    assign imm_u = {instr[31:12], 12'b0};
    assign imm_j = {{12{instr[31]}}, instr[19:12], instr[20], instr[30:21], 1'b0};
    assign imm   = is_store ? imm_s : is_branch ? imm_b : is_lui || is_auipc ? imm_u :
                   is_jal ? imm_j : imm_i;

    logic alu;
    assign alu = is_op || is_opimm;

    // What EXEC does. The result is the OR of its sources, of which all but the wanted are 0.
    logic [31:0] imm_q;
    logic [4:0]  rd_q;
    logic [2:0]  f3_q;
    logic use_pc_q, use_rs1_q, use_imm_q, subtract_q, unsigned_q;   // operands
    logic res_sum_q, res_lt_q, res_shift_q, res_link_q;             // results
    logic [1:0] logic_q;                                            // 0 none, 1 xor, 2 or, 3 and
    logic arithmetic_q, load_q, store_q, branch_q, jump_q, write_q, illegal_q, ebreak_q;

    // ---- Register file: x0 is never written and stays at its initial 0 --------------------------
    logic [31:0] regs [0:31];
    logic [31:0] a, rs2, result, shift_out;
    logic [31:0] pc_q;
    logic [4:0]  distance; // of a shift
    logic        write;
    initial for (int i = 0; i < 32; i++) regs[i] = 0;
    always_ff @(posedge clk)
        if (write) regs[rd_q] <= result;

    // One shifter to the right; to the left with the bits' order turned round before and after.
    function automatic [31:0] reversed(input [31:0] v);
        for (int i = 0; i < 32; i++) reversed[i] = v[31 - i];
    endfunction
    generate
        if (SMALL == 0) begin : g_fast
            logic [31:0] rs1_q, rs2_q;
            always_ff @(posedge clk)
                if (state_q == FETCH) begin
                    rs1_q <= regs[instr[19:15]];
                    rs2_q <= regs[instr[24:20]];
                end
            assign a       = (pc_q & {32{use_pc_q}}) | (rs1_q & {32{use_rs1_q}});
            assign rs2     = rs2_q;
            assign reading = 1'b0;
            assign waits   = 1'b0;
            logic [31:0] shift_in, shift_16, shift_8, shift_4, shift_2, shift_1;
            logic        fill;
            assign fill      = arithmetic_q && rs1_q[31];
            assign shift_in  = f3_q[2] ? rs1_q : reversed(rs1_q);
            assign shift_16  = distance[4] ? {{16{fill}}, shift_in[31:16]} : shift_in;
            assign shift_8   = distance[3] ? {{8{fill}}, shift_16[31:8]} : shift_16;
            assign shift_4   = distance[2] ? {{4{fill}}, shift_8[31:4]} : shift_8;
            assign shift_2   = distance[1] ? {{2{fill}}, shift_4[31:2]} : shift_4;
            assign shift_1   = distance[0] ? {fill, shift_2[31:1]} : shift_2;
            assign shift_out = f3_q[2] ? shift_1 : reversed(shift_1);
        end else begin : g_small
            logic [31:0] read_q, a_q; // what the register file gave; a, which shifts
            logic [4:0]  rs2_q, left_q, address;
            logic        reading_q, counts_q, first;
            assign address = reading ? rs2_q : instr[19:15];
            assign first   = reading || !waits; // not of a shift's cycles: a is made anew
            always_ff @(posedge clk) begin
                if (state_q == FETCH || reading) read_q <= regs[address];
                if (state_q == FETCH) rs2_q <= instr[24:20];
                reading_q <= state_q == FETCH && mem_ready;
                counts_q  <= state_q == EXEC && waits && !reading;
                left_q    <= counts_q ? left_q - 5'd1 : distance;
                if (reading || (state_q == EXEC && (branch_q || counts_q)))
                    a_q <= !first ? (f3_q[2] ? {arithmetic_q && a_q[31], a_q[31:1]} :
                                               {a_q[30:0], 1'b0}) :
                           (pc_q & {32{reading ? use_pc_q : 1'b1}}) |
                           (read_q & {32{reading && use_rs1_q}});
                if (rst) begin
                    reading_q <= 1'b0;
                    counts_q  <= 1'b0;
                end
            end
            assign a         = a_q;
            assign rs2       = read_q;
            assign reading   = reading_q;
            assign waits     = res_shift_q && !(counts_q && left_q == 0);
            assign shift_out = a_q;
        end
    endgenerate

    // ---- Arithmetic -----------------------------------------------------------------------------
    logic [31:0] b, sum;
    logic carry, lt, taken;
    /* verilator lint_off UNUSEDSIGNAL */
    logic lowest;  // only makes the carry in
    /* verilator lint_on UNUSEDSIGNAL */
    assign b = (use_imm_q ? imm_q : rs2) ^ {32{subtract_q}};
    assign distance = b[4:0];
    assign {carry, sum, lowest} = {1'b0, a, 1'b1} + {1'b0, b, subtract_q};
    assign lt = !unsigned_q && a[31] == b[31] ? a[31] : !carry;             // b is inverted here

    logic [31:0] bitwise;
    assign bitwise = logic_q == 1 ? a ^ b : logic_q == 2 ? a | b : logic_q == 3 ? a & b : 0;
    // A branch compares with the xor, of an inverted b
    assign taken = (f3_q[2] ? lt : &bitwise) ^ f3_q[0];

    // ---- Loads and stores -----------------------------------------------------------------------
    // In MEM the sum has been there since EXEC: so its low bits come from registers.
    logic [31:0] loaded;
    logic [15:0] load_half;
    logic [7:0]  load_byte;
    logic [1:0]  byte_q;
    always_ff @(posedge clk)
        byte_q <= sum[1:0];
    assign load_half = byte_q[1] ? mem_rdata[31:16] : mem_rdata[15:0];
    assign load_byte = byte_q[0] ? load_half[15:8] : load_half[7:0];
    assign loaded = f3_q[1] ? mem_rdata :
                    f3_q[0] ? {{16{load_half[15] && !f3_q[2]}}, load_half} :
                    {{24{load_byte[7] && !f3_q[2]}}, load_byte};

    logic [31:0] pc4;
    logic transfer, misaligned, stop, follows_q;
    assign pc4        = pc_q + 4;
    assign transfer   = load_q || store_q;
    assign misaligned = transfer && (f3_q[1] && sum[1:0] != 0 || f3_q[0] && sum[0]) ||
                        jump_q && sum[1];
    assign stop       = illegal_q || ebreak_q || misaligned;

    assign mem_valid = (state_q == FETCH || state_q == MEM) && !rst;
    assign mem_instr = state_q == FETCH;
    assign mem_follows = follows_q;
    // EXEC: of what comes next; where it is not the last cycle, of nothing
    logic next;
    assign next      = EARLY != 0 && state_q == EXEC && !transfer && !jump_q;
    assign mem_addr  = {state_q == FETCH ? pc_q[31:2] : next ? pc4[31:2] : sum[31:2], 2'b00};
    assign mem_wdata = f3_q[1] ? rs2 : f3_q[0] ? {2{rs2[15:0]}} : {4{rs2[7:0]}};
    logic [3:0] lanes;
    assign lanes     = f3_q[1] ? 4'b1111 : f3_q[0] ? 4'b0011 : 4'b0001;
    assign mem_wstrb = state_q == MEM && store_q ? lanes << byte_q : 4'b0000;

    // ---- Result and next pc ---------------------------------------------------------------------
    assign result = (sum & {32{res_sum_q}}) | bitwise | (shift_out & {32{res_shift_q}}) |
                    (pc4 & {32{res_link_q}}) | (loaded & {32{load_q}}) | {31'b0, lt && res_lt_q};
    // Not in reset: what the core wakes up with may look like a write, of x0 too.
    assign write  = !rst && write_q &&
                    (state_q == EXEC ? !load_q && !stop && !reading && !waits :
                                        state_q == MEM && mem_ready);

    always_ff @(posedge clk) begin
        case (state_q)
            FETCH: begin
                imm_q        <= imm;
                rd_q         <= instr[11:7];
                f3_q         <= f3;
                use_pc_q     <= is_auipc || is_jal;
                use_rs1_q    <= !is_auipc && !is_jal && !is_lui;
                use_imm_q    <= !is_op && !is_branch;
                subtract_q   <= is_branch || (alu && f3[2:1] == 1) ||
                                (is_op && f3 == 0 && instr[30]);
                unsigned_q   <= is_branch ? f3[1] : f3[0];
                arithmetic_q <= instr[30];
                res_sum_q    <= (alu && f3 == 0) || is_lui || is_auipc;
                res_lt_q     <= alu && f3[2:1] == 1;
                res_shift_q  <= alu && shift;
                res_link_q   <= is_jal || is_jalr;
                logic_q      <= is_branch || (alu && f3 == 4) ? 2'd1 :
                                alu && f3 == 6 ? 2'd2 : alu && f3 == 7 ? 2'd3 : 2'd0;
                load_q       <= is_load;
                store_q      <= is_store;
                branch_q     <= is_branch;
                jump_q       <= is_jal || is_jalr;
                write_q      <= instr[11:7] != 0 && !is_store && !is_branch && !is_misc;
                illegal_q    <= !legal && !environment;
                ebreak_q     <= environment;
                if (mem_ready) state_q <= EXEC;
            end
            EXEC:
                if (reading) begin
                end else if (stop) begin
                    trap_cause <= illegal_q ? `OFR_BOARD_TRAP_CAUSE_ILLEGAL :
                                  ebreak_q ? `OFR_BOARD_TRAP_CAUSE_EBREAK :
                                  `OFR_BOARD_TRAP_CAUSE_MISALIGNED;
                    state_q    <= TRAP;
                end else if (branch_q) begin
                    branch_q   <= 0;
                    jump_q     <= taken;
                    use_pc_q   <= 1;
                    use_rs1_q  <= 0;
                    use_imm_q  <= 1;
                    subtract_q <= 0;
                end else if (transfer) begin
                    state_q <= MEM;
                end else if (!waits) begin
                    pc_q      <= jump_q ? {sum[31:1], 1'b0} : pc4;
                    follows_q <= !jump_q;
                    state_q   <= FETCH;
                end
            MEM:
                if (mem_ready) begin
                    load_q  <= 0;
                    store_q <= 0;
                    write_q <= 0;
                    state_q <= EXEC;
                end
            TRAP: ;
        endcase
        if (rst) begin
            state_q   <= FETCH;
            pc_q      <= RESET_ADDR;
            follows_q <= 1'b0;
        end
    end

    assign trap    = state_q == TRAP;
    assign trap_pc = pc_q;
endmodule
`default_nettype wire
