// SPDX-License-Identifier: Apache-2.0
// A second soft core, for a user's program: its own memory, a timer, ends of channels, a console,
// and registers through which the board loads, starts, watches and stops it (block USER; what the
// program sees: PROGRAM and STREAM). The program has no way to the board's registers, and no
// register here waits for it: README.md.
`include "ofr_defs.vh"
`default_nettype none

module ofr_user #(
    parameter int W          = 32,    // bits of a beat, 16, 32 or 64: as the channels'
    parameter int ENDS       = 4,     // ends of channels, 1 to 16
    parameter int RAM_BYTES  = 16384, // a power of 2, 1 KiB to 128 KiB
    parameter int CONSOLE    = 256,   // bytes of console, a power of 2, 8 to 1024
    parameter int TIMER_BITS = 64     // 33 to 64
) (
    input  wire logic                clk,
    input  wire logic                rst,
    // The board's register strobes, see rtl/README.md; what is read is there in the same cycle
    input  wire logic                reg_we,
    input  wire logic [11:0]         reg_adr,
    input  wire logic [31:0]         reg_wdat,
    output logic [31:0]              reg_rdat,
    output logic                     reg_err,
    // To the channels' s_axis_*, end 0 lowest; see ofr_channel
    output logic [ENDS-1:0]          m_axis_tvalid,
    input  wire logic [ENDS-1:0]     m_axis_tready,
    output logic [W*ENDS-1:0]        m_axis_tdata,
    output logic [W/8*ENDS-1:0]      m_axis_tkeep,
    output logic [ENDS-1:0]          m_axis_tlast,
    // From the channels' m_axis_*
    input  wire logic [ENDS-1:0]     s_axis_tvalid,
    output logic [ENDS-1:0]          s_axis_tready,
    input  wire logic [W*ENDS-1:0]   s_axis_tdata,
    input  wire logic [W/8*ENDS-1:0] s_axis_tkeep,
    input  wire logic [ENDS-1:0]     s_axis_tlast,
    input  wire logic [ENDS-1:0]     s_axis_tuser
);
    localparam int RAM_BITS = $clog2(RAM_BYTES);
    localparam int EB = ENDS > 1 ? $clog2(ENDS) : 1;

    generate
        if ((W != 16 && W != 32 && W != 64) || ENDS < 1 || ENDS > 16 || RAM_BYTES < 1024
            || RAM_BYTES > 131072 || (RAM_BYTES & (RAM_BYTES - 1)) != 0 || CONSOLE < 8
            || CONSOLE > 1024 || (CONSOLE & (CONSOLE - 1)) != 0 || TIMER_BITS < 33
            || TIMER_BITS > 64)
            ofr_user_parameters_out_of_range bad ();
    endgenerate

    // ---- The board's registers: nothing that the program does is in the way of an access --------

    typedef enum logic [1:0] {WAIT, SERVE, DONE, STOPPED} state_t; // of an access to no memory
    state_t              state_q;
    logic                run_q, ran_q, drain_q, trap, trapped_q, stopped;
    logic [RAM_BITS-2:0] load_q; // MEM_ADDR's word; its top bit: the memory has ended
    logic [2:0]          cause_q, shown;
    logic [7:0]          code_q, lost;
    logic [31:2]         pc_q, adr_q;
    logic [31:0]         ram_rdata, console_data;
    logic [ENDS-1:0]     mid;
    wire logic [31:0] adr = {20'b0, reg_adr};
    always_comb
        case (adr)
            `OFR_USER_CONTROL:  reg_err = reg_we && (&reg_wdat[1:0] || reg_wdat[31:2] != 0);
            `OFR_USER_MEM_ADDR:
                reg_err = reg_we && (reg_wdat[1:0] != 0 || reg_wdat[31:RAM_BITS] != 0);
            `OFR_USER_MEM_DATA: reg_err = reg_we && (run_q || load_q[RAM_BITS-2]);
            `OFR_USER_CONSOLE:  reg_err = reg_we && reg_wdat > 32'(shown);
            default:            reg_err = 1'b0;
        endcase
    wire logic we = reg_we && !reg_err;
    wire logic load = we && adr == `OFR_USER_MEM_DATA;
    wire logic take = we && adr == `OFR_USER_CONSOLE;
    assign stopped = trap || state_q == STOPPED;

    always_ff @(posedge clk) begin
        ran_q <= run_q;
        if (we && adr == `OFR_USER_CONTROL)
            {drain_q, run_q} <= reg_wdat[1:0];
        if (we && adr == `OFR_USER_MEM_ADDR)
            load_q <= {1'b0, reg_wdat[RAM_BITS-1:2]};
        if (load)
            load_q <= load_q + (RAM_BITS - 1)'(1);
        if (rst) begin
            {run_q, ran_q, drain_q} <= '0;
            load_q <= '0;
        end
    end
    always_comb
        case (adr)
            `OFR_USER_SHAPE:        reg_rdat = {19'b0, 5'(RAM_BITS), 3'b0, 5'(ENDS)};
            `OFR_USER_CONTROL:      reg_rdat = {30'b0, drain_q, run_q};
            `OFR_USER_STATE:
                reg_rdat = {16'(mid), code_q, 1'b0, cause_q, 2'b0, run_q && stopped,
                            run_q && !stopped};
            `OFR_USER_PC:           reg_rdat = {pc_q, 2'b0};
            `OFR_USER_ADDR:         reg_rdat = {adr_q, 2'b0};
            `OFR_USER_MEM_ADDR:     reg_rdat = 32'({load_q, 2'b0});
            `OFR_USER_MEM_DATA:     reg_rdat = run_q || load_q[RAM_BITS-2] ? '0 : ram_rdata;
            `OFR_USER_CONSOLE:      reg_rdat = {16'b0, lost, 5'b0, shown};
            `OFR_USER_CONSOLE_DATA: reg_rdat = console_data;
            default:                reg_rdat = '0;
        endcase

    // ---- Core and memory: as in ofr_soc, a register behind the memory, addresses a cycle early --

    logic        mem_valid, mem_instr, mem_ready, ready_q;
    logic [31:0] mem_wdata, rdata_q;
    /* verilator lint_off UNUSEDSIGNAL */
    logic [31:0] mem_addr; // bits 1:0 are 0
    /* verilator lint_on UNUSEDSIGNAL */
    logic [3:0]  mem_wstrb;
    logic [2:0]  trap_cause;
    wire logic   core_rst = rst || !run_q || !ran_q; // two cycles and more
    /* verilator lint_off PINCONNECTEMPTY */
    ofr_core #(.CORE(0), .RESET_ADDR(32'h0), .EARLY(1)) core (
        .clk, .rst(core_rst), .mem_valid, .mem_instr, .mem_follows(), .mem_ready, .mem_addr,
        .mem_wdata, .mem_wstrb, .mem_rdata(rdata_q), .trap, .trap_pc(), .trap_cause
    );
    /* verilator lint_on PINCONNECTEMPTY */

    // The port is the core's while it runs, else the board's: no access waits for another
    logic in_ram_q; // a cycle later, as addresses are early
    always_ff @(posedge clk)
        in_ram_q <= mem_addr[31:RAM_BITS] == 0;
    ofr_ram #(.BYTES(RAM_BYTES)) ram (
        .clk, .addr(run_q ? mem_addr[RAM_BITS-1:2] : load_q[RAM_BITS-3:0]),
        .wdata(run_q ? mem_wdata : reg_wdat), .rdata(ram_rdata),
        .select(run_q ? mem_valid && in_ram_q : load), .wstrb(run_q ? mem_wstrb : {4{load}})
    );

    // ---- What is not memory: WAIT for a request, SERVE it, DONE: answer; STOPPED: never ---------

    logic        write_q, whole_q, fetch_q;
    logic [31:0] ends_rdat, time_rdat, program_rdat;
    logic [10:0] room;
    assign mem_ready = ready_q || state_q == DONE;

    wire logic [31:0] offset = {27'b0, adr_q[4:2], 2'b0};
    wire logic to_program = adr_q[31:5] == 27'(`OFR_BASE_PROGRAM >> 5)
        && offset <= `OFR_PROGRAM_SHAPE;
    wire logic to_ends = adr_q[31:9] == 23'(`OFR_BASE_STREAM >> 9) && {1'b0, adr_q[8:5]} < 5'(ENDS);
    logic refused;
    wire logic serve = state_q == SERVE;
    wire logic wrong = !to_program && !to_ends || fetch_q || write_q && !whole_q
        || to_ends && write_q && refused;
    wire logic writes = serve && write_q && !wrong;
    wire logic exits = writes && to_program && offset == `OFR_PROGRAM_EXIT;

    always_ff @(posedge clk) begin
        ready_q <= mem_valid && in_ram_q && !ready_q;
        rdata_q <= '0;
        case (state_q)
            WAIT: begin
                rdata_q <= ram_rdata;
                if (mem_valid && !in_ram_q) begin
                    adr_q   <= mem_addr[31:2];
                    write_q <= mem_wstrb != 0;
                    whole_q <= &mem_wstrb;
                    fetch_q <= mem_instr;
                    state_q <= SERVE;
                end
            end
            SERVE: begin
                rdata_q <= to_ends ? ends_rdat : program_rdat;
                state_q <= wrong || exits ? STOPPED : DONE;
            end
            DONE: state_q <= WAIT;
            STOPPED: ;
        endcase
        if (core_rst) begin
            ready_q <= 1'b0;
            state_q <= WAIT;
        end
        if (rst)
            adr_q <= '0;
    end

    // What stopped it, and where it is
    always_ff @(posedge clk) begin
        trapped_q <= trap && !core_rst;
        if (mem_valid && mem_instr)
            pc_q <= mem_addr[31:2];
        if (trap && !trapped_q && !core_rst)
            cause_q <= trap_cause;
        if (serve && wrong && !core_rst)
            cause_q <= 3'(`OFR_USER_STATE_CAUSE_BUS);
        if (exits && !core_rst) begin
            cause_q <= 3'(`OFR_USER_STATE_CAUSE_EXIT);
            code_q <= mem_wdata[7:0];
        end
        if (rst || run_q && !ran_q) begin
            cause_q <= 3'(`OFR_USER_STATE_CAUSE_NONE);
            code_q <= '0;
        end
        if (rst)
            pc_q <= '0;
    end

    // ---- Timer, console, ends -------------------------------------------------------------------

    always_comb
        case (offset)
            `OFR_PROGRAM_TIME_LOW,
            `OFR_PROGRAM_TIME_HIGH: program_rdat = time_rdat;
            `OFR_PROGRAM_CONSOLE:   program_rdat = 32'(room);
            `OFR_PROGRAM_SHAPE:     program_rdat = {20'b0, 4'(W / 8), 3'b0, 5'(ENDS)};
            default:                program_rdat = '0;
        endcase
    ofr_timer #(.BITS(TIMER_BITS)) timer (
        .clk, .rst, .re(serve && to_program && !write_q && !offset[3]), .adr(offset[3:0]),
        .rdat(time_rdat)
    );
    wire logic prints = writes && run_q && to_program && offset == `OFR_PROGRAM_CONSOLE;
    ofr_user_console #(.DEPTH(CONSOLE)) console (
        .clk, .rst, .clear(run_q && !ran_q),
        .put(prints),
        .char(mem_wdata[7:0]), .room, .take, .taken(reg_wdat[2:0]), .count(shown),
        .data(console_data), .lost
    );
    ofr_user_ends #(.W(W), .ENDS(ENDS)) ends (
        .clk, .rst, .forget(!run_q), .drain(drain_q), .we(writes && run_q && to_ends),
        .sel(adr_q[5 +: EB]), .adr(offset[4:0]), .wdat(mem_wdata), .rdat(ends_rdat), .refused, .mid,
        .m_axis_tvalid, .m_axis_tready, .m_axis_tdata, .m_axis_tkeep, .m_axis_tlast,
        .s_axis_tvalid, .s_axis_tready, .s_axis_tdata, .s_axis_tkeep, .s_axis_tlast, .s_axis_tuser
    );
endmodule
`default_nettype wire
