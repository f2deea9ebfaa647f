// SPDX-License-Identifier: Apache-2.0
// Reads 32-bit words from an SPI flash (command 03h, 24-bit address, mode 0, sck = clk / 2; that
// command's limit is 33 to 50 MHz for common parts). A word that follows the one before goes on in
// the same command: 66 cycles instead of 136; with SMALL who asks says that it does. The flash is
// woken from deep power-down first, which is where an iCE40 leaves it after configuration.
`default_nettype none

module ofr_flash #(
    parameter int WAKE_CYCLES = 511,  // from the wake command to the first read, 1 to 511:
                                      // more than the flash's tRES1 (3 us) in clk cycles
    parameter int IDLE_CYCLES = 5,    // cs high between two commands, 1 to 511: more than tSHSL
    parameter int SMALL = 0           // 1: `follows` is right
) (
    input  wire logic        clk,
    input  wire logic        rst,
    input  wire logic        valid, // request; address and valid stay until ready
    input  wire logic [21:0] addr,  // word, 0 is the flash's first byte
    input  wire logic        follows, // SMALL: it is behind the one that was asked for before
    output logic             ready, // for one cycle, with rdata
    output logic [31:0]      rdata, // little endian
    output logic             flash_csn,
    output logic             flash_sck,
    output logic             flash_mosi,
    input  wire logic        flash_miso
);

    typedef enum logic [1:0] {SHIFT, REST, OPEN} state_t;  // bits under way, cs high, cs low
    state_t      state_q;
    logic [8:0]  count_q;  // SHIFT: bits to come; REST: cycles to come
    logic [31:0] shift_q;  // out at the top, in at the bottom
    logic        sck_q, wake_q, ready_q, goes_on;

    assign flash_csn  = state_q == REST;
    assign flash_sck  = sck_q;
    assign flash_mosi = shift_q[31];
    assign rdata      = {shift_q[7:0], shift_q[15:8], shift_q[23:16], shift_q[31:24]};
    assign ready      = ready_q;

    generate
        if (SMALL != 0) begin : g_told
            assign goes_on = follows;
        end else begin : g_compared
            logic [21:0] next_q; // OPEN: the word that comes next without a new command
            logic        unused;
            assign goes_on = addr == next_q;
            assign unused  = follows;
            always_ff @(posedge clk)
                if (ready_q)
                    next_q <= addr + 1;
        end
    endgenerate

    always_ff @(posedge clk) begin
        ready_q <= 0;
        case (state_q)
            SHIFT: begin
                // The flash sends a bit at sck's fall; it is taken just before the next fall.
                sck_q <= !sck_q;
                if (sck_q) begin
                    shift_q <= {shift_q[30:0], flash_miso};
                    count_q <= count_q - 1;
                    if (count_q == 1) begin
                        state_q <= wake_q ? REST : OPEN;
                        ready_q <= !wake_q;
                        if (wake_q) count_q <= 9'(WAKE_CYCLES);
                    end
                end
            end
            REST: begin
                wake_q  <= 0;
                count_q <= count_q - 1;
                if (count_q == 0) begin
                    count_q <= count_q;
                    if (valid && !ready_q) begin
                        state_q <= SHIFT;
                        shift_q <= {8'h03, addr, 2'b00};
                        count_q <= 64;
                    end
                end
            end
            default:
                if (valid && !ready_q) begin
                    state_q <= goes_on ? SHIFT : REST;
                    count_q <= goes_on ? 32 : 9'(IDLE_CYCLES);
                end
        endcase
        if (rst) begin
            state_q <= SHIFT;
            shift_q <= {8'hab, 24'b0};
            count_q <= 8;
            sck_q   <= 0;
            wake_q  <= 1;
            ready_q <= 0;
        end
    end
endmodule
`default_nettype wire
