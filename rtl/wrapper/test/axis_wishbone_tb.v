// SPDX-License-Identifier: Apache-2.0
// ofr_axis_wishbone in front of ofr_channel, whose two ends are joined with each other and whose
// packets come back to it. A master sends messages into both ends, takes what comes, and does all
// that is refused; a ledger has every beat.
//   +seed=N +messages=N; +scene=NAME: instead, the pins for a waveform of ../scenes.txt
`include "ofr_defs.vh"
`default_nettype none

module axis_wishbone_tb;
    localparam int ENDS = 2, BEATS = 1024; // more than are under way
    localparam int STATUS = 0, LAST = 1, TX = 2, RX = 3;
    logic        clk = 0, rst = 1;
    logic        wb_cyc = 0, wb_stb = 0, wb_we = 0, wb_ack, wb_err;
    logic [5:0]  wb_adr = 0;
    logic [3:0]  wb_sel = 0;
    logic [31:0] wb_dat_w = 0, wb_dat_r;
    logic [1:0]  s_axis_tvalid, s_axis_tready, s_axis_tlast;
    logic [1:0]  m_axis_tvalid, m_axis_tready, m_axis_tlast, m_axis_tuser;
    logic [63:0] s_axis_tdata, m_axis_tdata;
    logic [7:0]  s_axis_tkeep, m_axis_tkeep;
    logic        reg_early = 0, reg_we = 0, reg_err, tx_valid, tx_ready = 1, tx_last;
    logic        rx_valid = 0, rx_last = 0;
    logic [11:0] reg_adr = 0;
    logic [31:0] reg_wdat = 0, tx_data, rx_data = 0;

    ofr_axis_wishbone #(.W(32), .ENDS(ENDS)) dut (.*);
    /* verilator lint_off PINMISSING */
    ofr_channel #(.N(2), .W(32), .L(16), .ENDS(ENDS), .ROOM(2)) channel (
        .clk, .rst, .me(8'd0), .size({5'd1, 5'd2}), .reg_early, .reg_we, .reg_adr, .reg_wdat,
        .reg_err,
        .s_axis_tvalid, .s_axis_tready, .s_axis_tdata, .s_axis_tkeep, .s_axis_tlast,
        .m_axis_tvalid, .m_axis_tready, .m_axis_tdata, .m_axis_tkeep, .m_axis_tlast,
        .m_axis_tuser, .tx_valid, .tx_ready, .tx_data, .tx_last, .rx_valid, .rx_data, .rx_last,
        .rx_poison(1'b0)
    );
    /* verilator lint_on PINMISSING */
    always #5 clk = !clk; // the bench's tasks drive at the falling edge

    int seed, messages;
    bit [31:0] dice;
    function automatic int below(input int n);
        dice  = dice * 32'd1664525 + 32'd1013904223;
        below = int'(dice[31:16]) % n;
    endfunction
    task automatic wrong(input string what, input int have, input int want);
        $display("wrong: %0s: %0h, not %0h; +seed=%0d", what, have, want, seed);
        $fatal(0);
    endtask

    // What is sent comes back, a cycle later
    bit steady = 0;
    always @(posedge clk) begin
        {rx_valid, rx_last, rx_data} <= {tx_valid && tx_ready, tx_last, tx_data};
        tx_ready <= steady || below(8) != 0;
    end

    // ---- What the pins may do -------------------------------------------------------------------

    // An access is answered in the cycle after, once, and refused by README.md's rules alone
    bit        asked = 0, good;
    bit [1:0]  held = 0;
    logic [63:0] data;
    logic [7:0]  keep;
    logic [1:0]  last;
    always @(posedge clk) if (!rst) begin
        if (wb_ack !== (asked && good)) wrong("wb_ack", wb_ack, asked && good);
        if (wb_err !== (asked && !good)) wrong("wb_err", wb_err, asked && !good);
        asked = wb_cyc && wb_stb && !asked;
        case (wb_adr[1:0])
        STATUS:  good = !wb_we;
        LAST:    good = wb_we && wb_sel == 15 && !s_axis_tvalid[wb_adr[2]] && wb_dat_w <= 4;
        TX:      good = wb_we && wb_sel == 15 && !s_axis_tvalid[wb_adr[2]];
        default: good = m_axis_tvalid[wb_adr[2]];
        endcase
        good = good && wb_adr[5:2] < ENDS;
        for (int e = 0; e < ENDS; e++) begin // a beat that is offered stays
            if (held[e] && (!s_axis_tvalid[e] || s_axis_tlast[e] != last[e] ||
                            s_axis_tdata[32*e +: 32] != data[32*e +: 32] ||
                            s_axis_tkeep[4*e +: 4] != keep[4*e +: 4]))
                wrong("a beat that was offered has changed", s_axis_tdata[32*e +: 32],
                      data[32*e +: 32]);
            if (s_axis_tvalid[e] && !s_axis_tlast[e] && s_axis_tkeep[4*e +: 4] != 15)
                wrong("bytes amid a message", s_axis_tkeep[4*e +: 4], 15);
            if (m_axis_tready[e] && m_axis_tvalid[e] &&
                !(asked && wb_we && wb_adr == 4 * e + RX))
                wrong("a beat was taken by an access to", wb_adr, 4 * e + RX);
        end
        held = s_axis_tvalid & ~s_axis_tready;
        {data, keep, last} = {s_axis_tdata, s_axis_tkeep, s_axis_tlast};
    end

    // ---- The master -----------------------------------------------------------------------------

    logic [31:0] value; // read
    bit          ok;    // not refused
    task access(input bit we, input int e, input int r, input [31:0] write, input [3:0] sel);
        {wb_cyc, wb_stb, wb_we, wb_adr, wb_sel, wb_dat_w} <= {2'b11, we, 6'(4 * e + r), sel, write};
        do @(posedge clk); while (!wb_ack && !wb_err);
        {ok, value} = {wb_ack, wb_dat_r};
        @(negedge clk);
        // Then nothing, or what looks like another access, but is outside of a cycle
        case (steady ? 0 : below(4))
        0, 1:    {wb_cyc, wb_stb} <= 2'b00;
        2:       {wb_cyc, wb_stb} <= 2'b01;
        default: {wb_cyc, wb_stb} <= 2'b10;
        endcase
        {wb_we, wb_adr, wb_dat_w} <= {1'b1, 6'(4 * below(ENDS) + 1 + below(3)), 32'(below(5))};
        repeat (steady ? 1 : below(3)) @(negedge clk);
    endtask
    task refused(input bit we, input int e, input int r, input [31:0] write, input [3:0] sel);
        access(we, e, r, write, sel);
        if (ok) wrong("not refused: register", r, e);
    endtask

    task set(input [11:0] adr, input [31:0] what);
        {reg_early, reg_adr, reg_wdat} <= {1'b1, adr, what};
        @(negedge clk) {reg_early, reg_we} <= 2'b01;
        @(negedge clk) reg_we <= 0;
        repeat (4) @(negedge clk);
    endtask
    task join_ends;
        for (int e = 1; e >= 0; e--) begin // the one that listens first
            set(12'(`OFR_CHANNEL_SELECT), e);
            set(12'(`OFR_CHANNEL_PEER), {8'd0, 8'd7, 4'(1 - e), 12'd0});
            set(12'(`OFR_CHANNEL_COMMAND),
                e ? `OFR_CHANNEL_COMMAND_LISTEN : `OFR_CHANNEL_COMMAND_OPEN);
        end
        repeat (100) @(negedge clk);
    endtask

    // ---- Messages and the ledger ----------------------------------------------------------------

    logic [31:0] sent_data [ENDS*BEATS]; // by end that sends, and beat
    int          sent_bytes[ENDS*BEATS]; // of the message's last beat, -1: another one
    int          sent[ENDS], got[ENDS], left[ENDS], done[ENDS], bytes, refusals;
    bit          amid[ENDS]; // ... a message

    task send_beat(input int e);
        int n;
        logic [31:0] beat;
        bit is_last;
        if (!amid[e]) begin
            if (done[e] == messages) return;
            left[e] = below(3) ? below(10) : below(150);
        end
        n = left[e] < 4 ? left[e] : 4;
        // A message of whole beats can end with one that has no bytes
        is_last = left[e] < 4 || (left[e] == 4 && below(2) == 0);
        if (is_last) begin
            access(1, e, LAST, n, 15);
            if (!ok) return;
        end
        beat = {16'(below(65536)), 16'(below(65536))};
        access(1, e, TX, beat, 15);
        if (!ok && is_last) wrong("refused behind LAST: end", e, e);
        if (!ok) begin
            refusals++;
            return;
        end
        sent_data[BEATS*e + sent[e] % BEATS] = beat;
        sent_bytes[BEATS*e + sent[e] % BEATS] = is_last ? n : -1;
        sent[e]++;
        left[e] -= n;
        amid[e] = !is_last;
        done[e] += is_last;
        bytes += n;
    endtask

    task take_beat(input int e);
        int at, n;
        logic [31:0] mask;
        access(0, e, STATUS, 0, 4'(below(16)));
        if (value[31:9] != 0 || value[3:2] != 0) wrong("STATUS", value, 0);
        if (!value[0]) begin
            access(0, e, RX, 0, 15); // one may have come
            refusals += !ok;
            return;
        end
        if (got[e] >= sent[1-e]) wrong("a beat that nobody gave: end", e, 1 - e);
        at = BEATS * (1 - e) + got[e] % BEATS;
        n = sent_bytes[at] < 0 ? 4 : sent_bytes[at];
        mask = n == 4 ? 32'hffffffff : (32'd1 << 8 * n) - 32'd1;
        if (value[7:4] != n) wrong("bytes of a beat", value[7:4], n);
        if (value[1] != (sent_bytes[at] >= 0)) wrong("last of a message", value[1], sent_bytes[at]);
        repeat (1 + below(2)) begin // reading takes nothing
            access(0, e, RX, 0, 15);
            if (!ok) wrong("RX is refused: end", e, e);
            if ((value ^ sent_data[at]) & mask) wrong("a beat", value, sent_data[at]);
        end
        access(1, e, RX, below(65536), 4'(below(16)));
        if (!ok) wrong("taking is refused: end", e, e);
        got[e]++;
    endtask

    task mistake(input int e);
        case (below(6))
        0: refused(below(2), ENDS + below(16 - ENDS), below(4), below(5), 15); // no such end
        1: refused(1, e, STATUS, below(65536), 15);
        2: refused(0, e, LAST, 0, 15);
        3: refused(0, e, TX, 0, 15);
        4: refused(1, e, LAST, 5 + below(1000), 15);
        default: refused(1, e, LAST + below(2), below(5), 4'(below(15)));
        endcase
    endtask

    // ---- Waveforms ------------------------------------------------------------------------------

    string scene = "";
    int    shown = -1; // cycles since the scene began
    string registers[4];
    initial begin
        registers[0] = "STATUS"; registers[1] = "LAST"; registers[2] = "TX"; registers[3] = "RX";
    end
    always @(posedge clk) if (shown >= 0) begin
        $write("%0d wb_cyc %b wb_stb %b wb_we %b wb_ack %b wb_err %b", shown, wb_cyc, wb_stb, wb_we,
               wb_ack, wb_err);
        $write(" wb_adr %0s wb_dat_w %0h wb_dat_r %0h", registers[wb_adr[1:0]], wb_dat_w, wb_dat_r);
        $write(" writes %b reads %b answered %b", wb_stb && wb_we, wb_ack && !wb_we,
               wb_ack || wb_err);
        $write(" s_axis_tvalid[0] %b s_axis_tready[0] %b s_axis_tdata[0] %0h", s_axis_tvalid[0],
               s_axis_tready[0], s_axis_tdata[31:0]);
        $write(" s_axis_tkeep[0] %0h s_axis_tlast[0] %b", s_axis_tkeep[3:0], s_axis_tlast[0]);
        $write(" m_axis_tvalid[0] %b m_axis_tready[0] %b m_axis_tdata[0] %0h m_axis_tlast[0] %b\n",
               m_axis_tvalid[0], m_axis_tready[0], m_axis_tdata[31:0], m_axis_tlast[0]);
        shown = shown + 1;
    end
    task show;
        int sender;
        sender = 0;
        if (scene == "read") sender = 1;
        steady = 1;
        repeat (2) @(negedge clk);
        if (scene == "refused") begin // no end is joined yet, so nothing goes on
            shown = 0;
            @(negedge clk);
            access(1, 0, TX, 32'h101, 15);
            access(1, 0, TX, 32'h102, 15);
        end else begin
            join_ends;
            if (scene == "write") shown = 0;
            @(negedge clk);
            access(1, sender, TX, 32'h101, 15);
            repeat (4 * sender) @(negedge clk); // its turn is taken for a cycle or two
            access(1, sender, LAST, 3, 15);
            access(1, sender, TX, 32'h102, 15);
            if (scene == "read") begin
                repeat (100) @(negedge clk);
                shown = 0;
                repeat (2) begin
                    @(negedge clk);
                    access(0, 0, STATUS, 0, 15);
                    access(0, 0, RX, 0, 15);
                    access(1, 0, RX, 0, 15);
                end
            end
        end
        repeat (30) @(negedge clk);
        $finish;
    endtask

    // ---- The run --------------------------------------------------------------------------------

    int       limit;
    bit [1:0] stopped = 0; // consumers
    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        if (!$value$plusargs("messages=%d", messages)) messages = 3000;
        if (!$value$plusargs("scene=%s", scene)) scene = "";
        dice = seed;
        bytes = 0;
        refusals = 0;
        for (int e = 0; e < ENDS; e++) begin
            sent[e] = 0;
            got[e] = 0;
            left[e] = 0;
            done[e] = 0;
            amid[e] = 0;
        end
        repeat (4) @(negedge clk);
        rst <= 0;
        @(negedge clk);
        if (scene != "") show;
        join_ends;
        limit = 400 * messages;
        while (done[0] < messages || done[1] < messages || got[0] < sent[1] ||
               got[1] < sent[0]) begin
            int e;
            e = below(ENDS);
            if (below(500) == 0) stopped = below(4);
            if (done[0] == messages && done[1] == messages) stopped = 0;
            case (below(8))
            0: mistake(e);
            1, 2, 3: send_beat(e);
            default: if (!stopped[e]) take_beat(e);
            endcase
            if (--limit == 0) wrong("hangs, beats taken", got[0] + got[1], sent[0] + sent[1]);
        end
        if (refusals < messages / 10)
            wrong("refused for want of room or of a beat", refusals, messages / 10);
        $display("%0d messages, %0d beats, %0d bytes: right; +seed=%0d", done[0] + done[1],
                 sent[0] + sent[1], bytes, seed);
        $finish;
    end
endmodule

`default_nettype wire
