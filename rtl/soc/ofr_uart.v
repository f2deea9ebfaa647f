// SPDX-License-Identifier: Apache-2.0
// UART, 8N1, with a receive FIFO in block RAM, deep enough for a whole frame of the host protocol,
// since the firmware polls. A byte whose stop bit is not 1 is dropped; one that finds the FIFO full
// is lost and sets OVERRUN. Both ways four bytes can be had at once: a frame is whole words. With
// SMALL they cannot: DATA alone, STATUS.RX_WORD is 0.
`default_nettype none
`include "ofr_defs.vh"

module ofr_uart #(
    parameter int DIVISOR = 104,  // DIVISOR after reset: cycles a bit, 4 to 65535
    parameter int DEPTH = 256,    // receive FIFO: a power of 2, 4 to 512; it holds DEPTH + 3 bytes,
                                  // DEPTH - 1 with SMALL
    parameter int SMALL = 0       // 1: no WORD
) (
    input  wire logic        clk,
    input  wire logic        rst,
    input  wire logic        rx,  // asynchronous
    output logic             tx,
    input  wire logic        we,  // strobes of one cycle, at least two cycles apart
    input  wire logic        re,
    input  wire logic [3:0]  adr, // OFR_UART_*
    input  wire logic [31:0] wdat,
    output logic [31:0]      rdat // combinational
);
    localparam int A = $clog2(DEPTH);

    logic [15:0] divisor_q;

    // ---- Transmitter: start bit, 8 data bits from the low one on, stop bit; 1 or 4 times --------
    localparam int BITS = SMALL != 0 ? 10 : 40;
    localparam int LEFT = $clog2(BITS + 1);
    logic [15:0]     tx_count_q;
    logic [LEFT-1:0] tx_left_q;
    logic [BITS-1:0] tx_bits_q, tx_load;
    logic            tx_ready, tx_word;
    assign tx_ready = tx_left_q == 0;
    assign tx       = tx_bits_q[0];
    assign tx_word  = SMALL == 0 && adr == `OFR_UART_WORD;
    generate
        if (SMALL != 0) begin : g_byte
            logic unused;
            assign tx_load = {1'b1, wdat[7:0], 1'b0};
            assign unused  = ^wdat[31:16];
        end else begin : g_word
            assign tx_load = {1'b1, wdat[31:24], 2'b01, wdat[23:16], 2'b01, wdat[15:8], 2'b01,
                              wdat[7:0], 1'b0} | {{30{!tx_word}}, 10'd0};
        end
    endgenerate

    always_ff @(posedge clk) begin
        if (!tx_ready) begin
            tx_count_q <= tx_count_q - 1;
            if (tx_count_q == 0) begin
                tx_count_q <= divisor_q - 1;
                tx_bits_q  <= {1'b1, tx_bits_q[BITS-1:1]};
                tx_left_q  <= tx_left_q - 1;
            end
        end else if (we && (adr == `OFR_UART_DATA || tx_word)) begin
            tx_count_q <= divisor_q - 1;
            tx_bits_q  <= tx_load;
            tx_left_q  <= LEFT'(tx_word ? BITS : 10);
        end
        if (rst) begin
            tx_left_q <= 0;
            tx_bits_q <= '1;
        end
    end

    // ---- Receiver: every bit is sampled in its middle, the start bit too ------------------------
    logic        rx_meta_q, rx_q, rx_write;
    logic [15:0] rx_count_q;
    logic [3:0]  rx_left_q;  // bits to come; 0: waiting for a start bit
    logic [7:0]  rx_bits_q;
    assign rx_write = rx_left_q == 1 && rx_count_q == 0 && rx_q;  // a good stop bit

    always_ff @(posedge clk) begin
        rx_meta_q <= rx;
        rx_q      <= rx_meta_q;
        rx_count_q <= rx_count_q - 1;
        if (rx_left_q == 0) begin
            rx_count_q <= {1'b0, divisor_q[15:1]} - 1;
            if (!rx_q) rx_left_q <= 10;
        end else if (rx_count_q == 0) begin
            rx_count_q <= divisor_q - 1;
            rx_left_q  <= rx_left_q == 10 && rx_q ? 0 : rx_left_q - 1;  // no start bit: a glitch
            if (rx_left_q != 1) rx_bits_q <= {rx_q, rx_bits_q[7:1]};
        end
        if (rst) begin
            rx_meta_q <= 1;
            rx_q      <= 1;
            rx_left_q <= 0;
        end
    end

    // ---- Receive FIFO, and the word in front of it ----------------------------------------------
    logic [7:0]   fifo [0:DEPTH-1];
    logic [7:0]   head_q;
    logic [A-1:0] in_q, in_next, out_q;
    logic         takes, overrun_q, full, read;
    logic [31:0]  word;
    logic [2:0]   have_q; // bytes in word
    assign in_next = in_q + 1;
    assign full    = in_next == out_q;
    assign read    = re && adr == `OFR_UART_DATA && have_q != 0;
    generate
        if (SMALL != 0) begin : g_head
            // The byte stays in the FIFO, and at its output, until it is read
            logic there;
            assign there = have_q[0] || (in_q != out_q && !rx_write);
            assign takes = read;
            assign word  = 32'(head_q);
            always_ff @(posedge clk)
                have_q <= {2'b00, !rst && !read && there};
        end else begin : g_front
            logic        fetch_q, read_word;
            logic [31:0] word_q, word_d;
            logic [2:0]  left;
            assign takes     = in_q != out_q && !have_q[2] && !fetch_q && !rx_write;
            assign read_word = re && adr == `OFR_UART_WORD && have_q[2];
            assign left      = read_word ? 3'd0 : have_q - 3'(read);
            assign word      = word_q;
            always_comb begin
                word_d = read ? {8'd0, word_q[31:8]} : word_q;
                if (fetch_q) word_d[8*left[1:0] +: 8] = head_q;
            end
            always_ff @(posedge clk) begin
                fetch_q <= takes && !rst;
                word_q  <= word_d;
                have_q  <= rst ? 3'd0 : left + 3'(fetch_q);
            end
        end
    endgenerate

    always_ff @(posedge clk) begin
        if (rx_write && !full) fifo[in_q] <= rx_bits_q;
        if (!rx_write) head_q <= fifo[out_q];  // never both at once: block RAMs differ there
    end
    always_ff @(posedge clk) begin
        if (rx_write && !full) in_q <= in_next;
        if (takes) out_q <= out_q + 1;
        if (re && adr == `OFR_UART_STATUS) overrun_q <= 0;
        if (rx_write && full) overrun_q <= 1;
        if (rst) begin
            in_q      <= '0;
            out_q     <= '0;
            overrun_q <= 0;
        end
    end

    // ---- Registers ------------------------------------------------------------------------------
    always_ff @(posedge clk)
        if (rst) divisor_q <= 16'(DIVISOR);
        else if (we && adr == `OFR_UART_DIVISOR) divisor_q <= wdat[15:0];

    logic [31:0] status;
    assign status = (32'(have_q != 0) << `OFR_UART_STATUS_RX_VALID_LSB) |
                    (32'(tx_ready) << `OFR_UART_STATUS_TX_READY_LSB) |
                    (32'(overrun_q) << `OFR_UART_STATUS_OVERRUN_LSB) |
                    (32'(have_q[2]) << `OFR_UART_STATUS_RX_WORD_LSB);
    assign rdat = adr == `OFR_UART_DATA ? 32'(word[7:0]) :
                  adr == `OFR_UART_WORD ? (SMALL != 0 ? 0 : word) :
                  adr == `OFR_UART_STATUS ? status :
                  adr == `OFR_UART_DIVISOR ? 32'(divisor_q) : 0;
endmodule
`default_nettype wire
