// SPDX-License-Identifier: Apache-2.0
// The board's SoC: core, memory, UART, timer, board registers, and a Wishbone port to the node's
// registers. Address map and registers: rtl/regs/outflank.json ("map", "soc_blocks").
//
// RAM answers the core one cycle after mem_valid. RAM that holds the firmware has a register behind
// it, since block RAM may take half of a cycle to its data (an ECP5's 5.6 ns); the core gives its
// address a cycle early, so that this takes none more. All else is registered on the way there and
// back, so that it is not in the core's critical path: UART, timer and board answer after 2 cycles,
// node and flash after 2 more than they take. Registers are written as whole words.
//
// An access that ends in wb_err, or where nothing is, reads 0 and is counted in BOARD.BUS_ERROR. A
// trap stops the core; with BOARD.RESTART it starts again at its reset address (registers, memory
// and the other blocks keep their state), and the firmware finds TRAP_CAUSE not NONE.
`default_nettype none
`include "ofr_defs.vh"

module ofr_soc #(
    parameter int CORE = 0,                 // see ofr_core
    parameter int SMALL = 0,                // FLASH: fewer cells, more cycles: rv32i, ofr_uart,
                                            // ofr_flash
    parameter int FLASH = 0,                // 1: firmware runs from SPI flash, RAM is for data only
    parameter int RAM_BYTES = 16384,        // a multiple of 4, at least 64; addresses wrap round
    parameter INIT = "",                    // RAM's $readmemh file of 32-bit words
    parameter int FLASH_OFFSET = 262144,    // FLASH: of the firmware, in bytes; 0, 4, ... 2^24 - 4
    parameter int FLASH_WAKE_CYCLES = 511,  // FLASH: see ofr_flash
    parameter int UART_DIVISOR = 104,       // cycles a bit after reset, 4 to 65535
    parameter int RX_DEPTH = 256,           // UART receive FIFO, bytes: a power of 2, 4 to 512
    parameter int TIMER_BITS = 64,          // 33 to 64
    parameter int CLOCK_HZ = 12_000_000     // of clk, for BOARD.CLOCK
) (
    input  wire logic        clk,
    input  wire logic        rst,
    input  wire logic        uart_rx,
    output logic             uart_tx,
    input  wire logic [63:0] serial,    // the board's serial number, constant
    output logic             wb_cyc,    // Wishbone B4 classic; held until ack or err
    output logic             wb_stb,
    output logic             wb_we,
    output logic [11:0]      wb_adr,    // byte address in the node, bits 1:0 are 0
    output logic [31:0]      wb_dat_w,
    input  wire logic [31:0] wb_dat_r,
    input  wire logic        wb_ack,
    input  wire logic        wb_err,
    output logic             flash_csn, // idle unless FLASH
    output logic             flash_sck,
    output logic             flash_mosi,
    input  wire logic        flash_miso,
    output logic             trapped    // the core has stopped for good (for a lamp)
);
    generate
        if (CORE < 0 || CORE > 1 || FLASH < 0 || FLASH > 1 || RAM_BYTES < 64 ||
            RAM_BYTES % 4 != 0 || UART_DIVISOR < 4 || UART_DIVISOR > 65535 || RX_DEPTH < 4 ||
            RX_DEPTH > 512 || (RX_DEPTH & (RX_DEPTH - 1)) != 0 || TIMER_BITS < 33 ||
            TIMER_BITS > 64 || FLASH_OFFSET < 0 || FLASH_OFFSET >= 1 << 24 ||
            FLASH_OFFSET % 4 != 0 || FLASH_WAKE_CYCLES < 1 || FLASH_WAKE_CYCLES > 511 ||
            CLOCK_HZ < 1)
            ofr_soc_parameters_out_of_range bad ();
    endgenerate

    localparam logic [31:0] RESET_ADDR =
        FLASH != 0 ? `OFR_BASE_FLASH + FLASH_OFFSET : `OFR_BASE_RAM;
    localparam int RAM_BITS = $clog2(RAM_BYTES);
    localparam int EARLY = CORE == 0 && FLASH == 0 ? 1 : 0; // the register behind the RAM: rdata_q

    // ---- Core -----------------------------------------------------------------------------------
    logic        core_rst, mem_valid, mem_instr, mem_follows, mem_ready, trap;
    logic [31:0] mem_wdata, mem_rdata, trap_pc;
    /* verilator lint_off UNUSEDSIGNAL */
    logic [31:0] mem_addr;  // bits 1:0 are 0
    /* verilator lint_on UNUSEDSIGNAL */
    logic [3:0]  mem_wstrb;
    logic [2:0]  trap_cause;
    ofr_core #(
        .CORE(CORE), .RESET_ADDR(RESET_ADDR), .EARLY(EARLY), .SMALL(SMALL)
    ) core (.rst(core_rst), .*);

    // ---- RAM ------------------------------------------------------------------------------------
    // EARLY: whether an address is the RAM's is known from the cycle before, so that only the
    // adder's low bits are on the way to the RAM.
    logic        in_ram, in_ram_q, ram_select, ram_ready_q;
    logic [31:0] ram_rdata;
    assign in_ram     = mem_addr[31:28] == 4'(`OFR_BASE_RAM >> 28);
    assign ram_select = EARLY != 0 ? in_ram_q : in_ram;
    always_ff @(posedge clk)
        in_ram_q <= in_ram;
    ofr_ram #(.BYTES(RAM_BYTES), .INIT(INIT)) ram (
        .clk, .addr(mem_addr[RAM_BITS-1:2]), .wdata(mem_wdata), .rdata(ram_rdata),
        .select(mem_valid && ram_select), .wstrb(mem_wstrb)
    );

    // ---- Everything else: WAIT for a request, SERVE it, DONE: answer ----------------------------
    typedef enum logic [1:0] {WAIT, SERVE, DONE} state_t;
    state_t      state_q;
    logic [31:2] adr_q;
    logic        write_q;
    logic [31:0] rdata_q;  // what was read; 0 when not DONE, or from RAM if EARLY
    assign mem_ready = ram_ready_q || state_q == DONE;
    assign mem_rdata = ram_ready_q && EARLY == 0 ? ram_rdata : rdata_q;

    logic to_node, to_flash, to_io, to_uart, to_timer, to_board;
    assign to_node  = adr_q[31:28] == 4'(`OFR_BASE_NODE >> 28) && adr_q[27:12] == 0;
    assign to_flash = adr_q[31:28] == 4'(`OFR_BASE_FLASH >> 28) && !write_q && FLASH != 0;
    assign to_io    = adr_q[31:28] == 4'(`OFR_BASE_UART >> 28) && adr_q[27:14] == 0;
    assign to_uart  = to_io && adr_q[13:12] == 2'(`OFR_BASE_UART >> 12);
    assign to_timer = to_io && adr_q[13:12] == 2'(`OFR_BASE_TIMER >> 12);
    assign to_board = to_io && adr_q[13:12] == 2'(`OFR_BASE_BOARD >> 12);

    logic serve, bus_error, flash_ready;
    logic [31:0] uart_rdat, timer_rdat, board_rdat, flash_rdata;
    assign serve     = state_q == SERVE;
    assign bus_error = serve && (to_node ? wb_err :
                                 !to_flash && !to_uart && !to_timer && !to_board);

    always_ff @(posedge clk) begin
        ram_ready_q <= mem_valid && ram_select && !ram_ready_q;
        rdata_q     <= 0;
        case (state_q)
            WAIT: begin
                if (EARLY != 0) rdata_q <= ram_rdata;
                adr_q   <= mem_addr[31:2];
                write_q <= mem_wstrb != 0;
                if (mem_valid && !ram_select) state_q <= SERVE;
            end
            SERVE: begin
                rdata_q <= (to_node && !wb_err ? wb_dat_r : 0) | (to_flash ? flash_rdata : 0) |
                           (to_uart ? uart_rdat : 0) | (to_timer ? timer_rdat : 0) |
                           (to_board ? board_rdat : 0);
                if (to_node ? wb_ack || wb_err : to_flash ? flash_ready : 1'b1) state_q <= DONE;
            end
            default: state_q <= WAIT;
        endcase
        if (rst) begin
            ram_ready_q <= 0;
            state_q     <= WAIT;
        end
    end

    assign wb_cyc   = serve && to_node;
    assign wb_stb   = wb_cyc;
    assign wb_we    = write_q;
    assign wb_adr   = {adr_q[11:2], 2'b00};
    assign wb_dat_w = mem_wdata;

    generate
        if (FLASH != 0) begin : g_flash
            logic fetched_q; // what was read last is an instruction
            ofr_flash #(.WAKE_CYCLES(FLASH_WAKE_CYCLES), .SMALL(SMALL)) flash (
                .clk, .rst, .valid(serve && to_flash), .addr(adr_q[23:2]),
                .follows(mem_follows && mem_instr && fetched_q), .ready(flash_ready),
                .rdata(flash_rdata), .flash_csn, .flash_sck, .flash_mosi, .flash_miso
            );
            always_ff @(posedge clk)
                if (flash_ready)
                    fetched_q <= mem_instr;
        end else begin : g_ram_only
            /* verilator lint_off UNUSEDSIGNAL */
            logic unused;
            assign unused = ^{flash_miso, mem_follows};
            /* verilator lint_on UNUSEDSIGNAL */
            assign {flash_ready, flash_rdata} = '0;
            assign {flash_csn, flash_sck, flash_mosi} = 3'b100;
        end
    endgenerate

    // ---- UART and timer -------------------------------------------------------------------------
    ofr_uart #(.DIVISOR(UART_DIVISOR), .DEPTH(RX_DEPTH), .SMALL(SMALL)) uart (
        .clk, .rst, .rx(uart_rx), .tx(uart_tx), .we(serve && to_uart && write_q),
        .re(serve && to_uart && !write_q), .adr({adr_q[3:2], 2'b00}), .wdat(mem_wdata),
        .rdat(uart_rdat)
    );
    ofr_timer #(.BITS(TIMER_BITS)) timer (
        .clk, .rst, .re(serve && to_timer && !write_q), .adr({adr_q[3:2], 2'b00}),
        .rdat(timer_rdat)
    );

    // ---- Board registers; trap and restart ------------------------------------------------------
    logic [31:0] trap_pc_q;
    // fetch_error_q: the last fetch was a bus error; it reads 0, which is an illegal instruction
    logic [2:0]  cause_q;
    logic [7:0]  errors_q;
    logic [11:0] error_adr_q;
    logic        restart_q, restarting_q, restarted_q, trap_seen_q, fetch_error_q, board_write;
    logic [4:0]  board_adr;
    assign board_adr   = {adr_q[4:2], 2'b00};
    assign core_rst    = rst || restarting_q || (EARLY != 0 && restarted_q); // EARLY: two cycles
    assign trapped     = trap && !restart_q;
    assign board_write = serve && to_board && write_q;

    always_ff @(posedge clk) begin
        // A core that fetches ahead may trap while a fetch is under way: the answer must not come
        // to the core that has started again.
        restarting_q <= trap && restart_q && !restarting_q && !mem_valid;
        restarted_q  <= rst || restarting_q;
        trap_seen_q  <= trap && !restarting_q;
        if (trap && !trap_seen_q) begin
            trap_pc_q <= trap_pc;
            cause_q   <= fetch_error_q ? 3'(`OFR_BOARD_TRAP_CAUSE_BUS) : trap_cause;
        end
        if (mem_ready && mem_instr && state_q != DONE) fetch_error_q <= 0; // from RAM
        if (serve && mem_instr) fetch_error_q <= bus_error;
        if (bus_error) begin
            if (errors_q != '1) errors_q <= errors_q + 1;
            error_adr_q <= {adr_q[11:2], 2'b00};
        end
        if (board_write && board_adr == 5'(`OFR_BOARD_BUS_ERROR)) begin
            errors_q    <= 0;
            error_adr_q <= 0;
        end
        if (board_write && board_adr == 5'(`OFR_BOARD_RESTART)) restart_q <= mem_wdata[0];
        if (rst) begin
            restarting_q  <= 0;
            trap_pc_q     <= 0;
            cause_q       <= `OFR_BOARD_TRAP_CAUSE_NONE;
            trap_seen_q   <= 0;
            fetch_error_q <= 0;
            errors_q      <= 0;
            error_adr_q   <= 0;
            restart_q     <= 1'(`OFR_BOARD_RESTART_RESET);
        end
    end

    logic [31:0] bus_errors, serial_low, serial_high;
    assign {serial_high, serial_low} = serial;
    assign bus_errors = (32'(errors_q) << `OFR_BOARD_BUS_ERROR_COUNT_LSB) |
                        (32'(error_adr_q) << `OFR_BOARD_BUS_ERROR_ADDR_LSB);
    always_comb
        case (board_adr)
            5'(`OFR_BOARD_SERIAL_LOW):  board_rdat = serial_low;
            5'(`OFR_BOARD_SERIAL_HIGH): board_rdat = serial_high;
            5'(`OFR_BOARD_TRAP_PC):     board_rdat = trap_pc_q;
            5'(`OFR_BOARD_TRAP_CAUSE):  board_rdat = 32'(cause_q);
            5'(`OFR_BOARD_RESTART):     board_rdat = 32'(restart_q);
            5'(`OFR_BOARD_BUS_ERROR):   board_rdat = bus_errors;
            5'(`OFR_BOARD_CLOCK):       board_rdat = 32'(CLOCK_HZ);
            default:                    board_rdat = 0;
        endcase
endmodule
`default_nettype wire
