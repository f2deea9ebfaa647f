// SPDX-License-Identifier: Apache-2.0
// Node 1 of a ring of four, its links and local port driven by +scene=NAME (scenes.txt). Prints its
// pins in every cycle from the scene's first on: "name value" by name, after the cycle's number.
`include "ofr_defs.vh"
`default_nettype none

module waves_tb;
    localparam int W = 32;
    logic          clk = 0, rst = 1;
    // Driven: x- receives, x+ sends. Ports x+ x- y+ y- are bits 0 to 3.
    logic          rx_valid = 0, rx_last = 0, rx_abort = 0, tx_ready = 1;
    logic [W-1:0]  rx_data = 0, li_data = 0, lo_data;
    logic          li_valid = 0, li_last = 0, lo_ready = 1, lo_valid, lo_last;
    logic [2:0]    li_ready;
    logic [3:0]    tx_valid, tx_last, tx_poison;
    logic [4*W-1:0] tx_data;
    logic [47:0]   rx_credit, rx_received;
    logic          shown = 0;
    int            cycle = 0;
    logic [8*16-1:0] scene; // characters

    ofr_routing #(.N(2), .W(W), .L(8), .C(2)) node (
        .clk, .rst, .configured(1'b1), .k({5'd1, 5'd4}), .me({4'd0, 4'd1}), .tie_both(1'b1),
        .select(2'd0), .escape(2'd0), .threshold(4'd0), .watchdog_time(5'd0), .ring_wait_time(4'd8),
        .seed_we(rst), .seed(32'd1), .watchdog_clear(1'b0), .drained(), .watchdog(), .cycle(),
        .dropped(), .link_up(4'b0011), .rx_valid({2'b00, rx_valid, 1'b0}), .rx_vc(8'd0),
        .rx_data({{2*W{1'b0}}, rx_data, {W{1'b0}}}), .rx_last({2'b00, rx_last, 1'b0}),
        .rx_poison(4'd0), .rx_abort({2'b00, rx_abort, 1'b0}), .rx_credit, .rx_received, .tx_valid,
        .tx_ready({3'b111, tx_ready}), .tx_vc(), .tx_data, .tx_last, .tx_poison, .tx_credit(48'd0),
        .tx_base(48'd0), .tx_rebase(4'd0), .li_valid, .li_ready, .li_vc(2'd1), .li_data, .li_last,
        .lo_valid, .lo_ready, .lo_data, .lo_last, .lo_poison(), .reg_we(1'b0), .reg_adr(12'd0),
        .reg_wdat(32'd0), .reg_rdat(), .reg_err(), .generation(), .ev_flit(), .ev_flit_vc(),
        .ev_packet(), .ev_packet_vc(), .ev_stall_credit(), .ev_stall_alloc(), .ev_stall_vc(),
        .ev_refused(), .ev_discarded(), .ev_injected(), .ev_delivered(), .ev_poisoned(), .ev_oidn(),
        .ev_widn(), .used()
    );

    always #5 clk = !clk;
    always @(posedge clk) begin
        if (shown) begin
            cycle <= cycle + 1;
            $write("%0d rx_valid %b rx_data %h rx_last %b rx_abort %b", cycle, rx_valid, rx_data,
                   rx_last, rx_abort);
            $write(" rx_credit %0d rx_received %0d", rx_credit[15:12], rx_received[15:12]);
            $write(" tx_valid %b tx_ready %b tx_data %h tx_last %b tx_poison %b", tx_valid[0],
                   tx_ready, tx_data[W-1:0], tx_last[0], tx_poison[0]);
            $write(" li_valid %b li_ready[1] %b li_data %h li_last %b", li_valid, li_ready[1],
                   li_data, li_last);
            $display(" lo_valid %b lo_ready %b lo_data %h lo_last %b", lo_valid, lo_ready, lo_data,
                     lo_last);
        end
    end

    // A packet's flit: the header's words ROUTE and DEST, or what counts up
    function automatic [W-1:0] flit(input int number, input [3:0] to, input [7:0] name);
        flit = number == 0 ? {12'd0, to, 2'b01, 2'(`OFR_PKT_CLASS_MINIMAL), 8'd0, to}
                           : {name, 8'd0, 16'(number)};
    endfunction
    // `count` flits of a packet of `length` come over link x-
    task arrive(input int count, length, input [3:0] to);
        for (int f = 0; f < count; f++) begin
            rx_valid <= 1;
            rx_last  <= f == length - 1;
            rx_data  <= flit(f, to, 8'haa);
            @(posedge clk);
        end
        rx_valid <= 0;
    endtask
    task inject(input int length, input [3:0] to, input [7:0] name);
        for (int f = 0; f < length; f++) begin
            li_valid <= 1;
            li_last  <= f == length - 1;
            li_data  <= flit(f, to, name);
            do @(posedge clk); while (!li_ready[1]);
        end
        li_valid <= 0;
    endtask

    initial begin
        if (!$value$plusargs("scene=%s", scene)) $finish;
        repeat (8) @(posedge clk);
        rst <= 0;
        repeat (60) @(posedge clk); // what is set up after a reset is done by then
        shown <= 1;
        @(posedge clk);
        case (scene)
            "credit": arrive(5, 5, 4'd2);
            "ready":
                fork
                    arrive(5, 5, 4'd2);
                    begin
                        repeat (6) @(posedge clk);
                        tx_ready <= 0;
                        repeat (3) @(posedge clk);
                        tx_ready <= 1;
                    end
                join
            "abort": begin
                arrive(2, 6, 4'd2);
                @(posedge clk);
                rx_abort <= 1;
                @(posedge clk);
                rx_abort <= 0;
            end
            "local-in":
                fork
                    begin
                        inject(4, 4'd2, 8'haa);
                        inject(4, 4'd2, 8'hbb);
                        inject(4, 4'd2, 8'hcc);
                    end
                    begin
                        tx_ready <= 0;
                        repeat (10) @(posedge clk);
                        tx_ready <= 1;
                    end
                join
            "local-out":
                fork
                    arrive(5, 5, 4'd1);
                    begin
                        repeat (5) @(posedge clk);
                        lo_ready <= 0;
                        repeat (2) @(posedge clk);
                        lo_ready <= 1;
                    end
                join
            default: begin
                $display("waves_tb: there is no scene %s", scene);
                $finish;
            end
        endcase
        repeat (24) @(posedge clk);
        $finish;
    end
endmodule

`default_nettype wire
