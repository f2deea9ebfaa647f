// SPDX-License-Identifier: Apache-2.0
// A Jacobi stencil on a board's channels: a tile of cells in memory, each of which becomes the mean
// of its four neighbours, again and again; before each time the tile's edges go to the boards next
// door, and theirs come into the halo round it. README.md has the messages.
//
// A cell is a signed integer of 32 bits, fixed point as its user likes; the mean is the sum of the
// four, 34 bits, shifted right by two: rounded down.
`default_nettype none

// Ends 5 to 7 are others', and two bits of the sum are for rounding.
/* verilator lint_off UNUSEDSIGNAL */

module jacobi #(
    parameter int LOG  = 13, // 2^LOG words of memory: a tile and its halo. 4 to 16
    parameter int LINE = 7   // 2^LINE words: the longest row, with its halo. 2 to 8
) (
    input  wire logic         clk,
    input  wire logic         rst,
    output logic              idle, // nothing is done until a beat comes
    // To and from the channels' ends: 0 to 3 are the boards at x-, x+, y-, y+; 4 is the host
    output logic [7:0]        m_axis_tvalid,
    input  wire logic [7:0]   m_axis_tready,
    output logic [255:0]      m_axis_tdata,
    output logic [31:0]       m_axis_tkeep,
    output logic [7:0]        m_axis_tlast,
    input  wire logic [7:0]   s_axis_tvalid,
    output logic [7:0]        s_axis_tready,
    input  wire logic [255:0] s_axis_tdata,
    input  wire logic [31:0]  s_axis_tkeep,
    input  wire logic [7:0]   s_axis_tlast,
    input  wire logic [7:0]   s_axis_tuser
);
    localparam logic [1:0] LOAD = 2'd0, EXCHANGE = 2'd1, SWEEP = 2'd2, REPLY = 2'd3;
    localparam logic [31:0] GOOD = 32'd0, SIZE = 32'd1, LENGTH = 32'd2, BROKEN = 32'd3;

    generate
        if (LOG < 4 || LOG > 16 || LINE < 2 || LINE > 8) jacobi_parameters_out_of_range bad ();
    endgenerate

    logic [1:0]     state_q;
    logic [1:0]     at_q; // word of the host's message, or of the answer: 2 is a cell
    logic [7:0]     width_q, height_q;
    logic [3:0]     sides_q; // where there is a board
    logic [31:0]    left_q;  // iterations
    logic [7:0]     early_q; // of them, before the cycles are counted
    logic [31:0]    status_q, cycles_q;
    logic           timed_q; // cycles are counted
    logic [LOG-1:0] bottom_q; // first word of the lowest row
    logic [7:0]     col_q, row_q;
    logic           row_end, tile_end;
    logic [LOG-1:0] stride, wide;

    assign stride   = LOG'(width_q) + LOG'(2);
    assign wide     = LOG'(width_q);
    assign row_end  = col_q == width_q + 8'd1;
    assign tile_end = row_end && row_q == height_q + 8'd1;
    assign idle     = state_q == LOAD && s_axis_tvalid[4:0] == '0;

    // ---- Memory ---------------------------------------------------------------------------------

    // What is read shows a cycle later, and stays while its address does.
    logic [31:0]    mem [0:2**LOG-1];
    logic [31:0]    read_q, write_data;
    logic [LOG-1:0] read_d, read_at_q, write_at;
    logic           write;
    always_ff @(posedge clk) begin
        read_q    <= mem[read_d];
        read_at_q <= read_d;
        if (write) mem[write_at] <= write_data;
    end

    // ---- What comes -----------------------------------------------------------------------------

    logic [3:0]     got_q; // sides whose edge has come
    logic [4:0]     want, pick;
    logic [31:0]    word;
    logic           comes, last, whole, broken;
    always_comb begin
        want   = state_q == LOAD ? 5'b10000 : state_q == EXCHANGE ? {1'b0, sides_q & ~got_q} : '0;
        want   = want & s_axis_tvalid[4:0];
        pick   = want & (~want + 5'd1); // the lowest
        comes  = want != '0;
        last   = (pick & s_axis_tlast[4:0]) != '0;
        broken = (pick & s_axis_tuser[4:0]) != '0;
        whole  = 1'b1;
        word   = '0;
        for (int i = 0; i < 5; i++)
            if (pick[i]) begin
                word  = s_axis_tdata[32*i+:32];
                whole = &s_axis_tkeep[4*i+:4];
            end
    end
    assign s_axis_tready = {3'b000, pick};

    // Where a side's next word goes, and how many are to come
    logic [4*LOG-1:0] halo_q;
    logic [31:0]    halo_left_q;
    logic [LOG-1:0] halo_at;
    logic [7:0]     halo_left;
    logic           halo; // a word of one comes
    always_comb begin
        halo_at   = '0;
        halo_left = '0;
        for (int i = 0; i < 4; i++)
            if (pick[i]) begin
                halo_at   = halo_q[LOG*i+:LOG];
                halo_left = halo_left_q[8*i+:8];
            end
        halo = state_q == EXCHANGE && comes && !broken;
    end

    // ---- What goes ------------------------------------------------------------------------------

    logic [2:0]     side_q;  // whose edge goes; 4: all have gone
    logic           shown_q; // its word is read
    logic [7:0]     edge_left_q;
    logic [LOG-1:0] edge_start, edge_step;
    logic [7:0]     edge_words;
    logic           goes, edge_goes, answer_ends;
    always_comb begin
        edge_start = stride + LOG'(1);
        if (side_q[1:0] == 2'd1) edge_start = stride + wide;
        if (side_q[1:0] == 2'd3) edge_start = bottom_q - stride + LOG'(1);
        edge_step   = side_q[1] ? LOG'(1) : stride;
        edge_words  = side_q[1] ? width_q : height_q;
        answer_ends = at_q == 2'd1 ? status_q != GOOD
                                   : at_q == 2'd2 && col_q == width_q && row_q == height_q;
        m_axis_tvalid = '0;
        m_axis_tlast  = '0;
        if (state_q == EXCHANGE && shown_q) begin
            m_axis_tvalid[side_q] = 1'b1;
            m_axis_tlast[side_q]  = edge_left_q == 8'd1;
        end
        if (state_q == REPLY) begin
            m_axis_tvalid[4] = 1'b1;
            m_axis_tlast[4]  = answer_ends;
        end
        goes      = (m_axis_tvalid & m_axis_tready) != '0;
        edge_goes = state_q == EXCHANGE && goes;
    end
    assign m_axis_tkeep = '1;
    assign m_axis_tdata = {8{state_q != REPLY || at_q == 2'd2 ? read_q
                                              : at_q == 2'd0  ? status_q : cycles_q}};

    // ---- A sweep --------------------------------------------------------------------------------

    // The words come in order, a cycle each. With a word at (row + 1, col) there are those of the
    // rows row and row - 1 above it, and of them and it those one column and two to the left: so
    // the mean of (row, col - 1) is known. Its old value was read a row ago: it goes where it was.
    logic [31:0]        line1 [0:2**LINE-1]; // the row above
    logic [31:0]        line2 [0:2**LINE-1]; // the one above that
    logic [31:0]        above, above_q, here, here_q, left_cell_q, below_q;
    logic [33:0]        sum;
    assign here  = line1[col_q[LINE-1:0]];
    assign above = line2[col_q[LINE-1:0]];
    assign sum   = {{2{above_q[31]}}, above_q} + {{2{below_q[31]}}, below_q} +
                   {{2{here[31]}}, here} + {{2{left_cell_q[31]}}, left_cell_q};
    always_ff @(posedge clk)
        if (state_q == SWEEP) begin
            line1[col_q[LINE-1:0]] <= read_q;
            line2[col_q[LINE-1:0]] <= here;
            below_q     <= read_q;
            above_q     <= above;
            here_q      <= here;
            left_cell_q <= here_q;
        end

    always_comb begin
        write      = 1'b0;
        write_at   = read_at_q;
        write_data = word;
        if (state_q == LOAD) write = comes && at_q == 2'd2;
        if (state_q == EXCHANGE) begin
            write    = halo;
            write_at = halo_at;
        end
        if (state_q == SWEEP) begin
            write      = row_q >= 8'd2 && col_q >= 8'd2;
            write_at   = read_at_q - stride - LOG'(1);
            write_data = sum[33:2];
        end
    end

    // read_d: in LOAD it is where the next cell goes, which is not read.
    always_comb begin
        read_d = read_at_q;
        case (state_q)
            LOAD:
                if (at_q != 2'd2) read_d = '0;
                else if (comes) read_d = read_at_q + LOG'(1);
            EXCHANGE:
                if (side_q[2]) read_d = '0;
                else if (!shown_q) read_d = edge_start;
                else if (goes) read_d = read_at_q + edge_step;
            SWEEP: read_d = read_at_q + LOG'(1);
            default:
                if (at_q != 2'd2) read_d = stride + LOG'(1);
                else if (goes) read_d = read_at_q + (col_q == width_q ? LOG'(3) : LOG'(1));
        endcase
    end

    // ---- Control --------------------------------------------------------------------------------

    logic        exchanged, fits;
    logic [31:0] status; // of the host's message, with this word
    assign exchanged = side_q[2] && got_q == sides_q;
    assign fits = word[7:0] != '0 && word[15:8] != '0 && word[15:8] < 8'd254 &&
                  {1'b0, word[7:0]} + 9'd2 <= 9'(2**LINE);
    always_comb begin
        status = status_q;
        if (at_q == 2'd0) status = fits ? GOOD : SIZE;
        else if (status_q == GOOD && at_q == 2'd1) begin
            if (word[23:0] <= {16'd0, word[31:24]}) status = SIZE;
        end else if (status_q == GOOD) begin
            if (tile_end != last) status = LENGTH;
            if (!tile_end && &read_at_q) status = SIZE;
        end
        if (status == GOOD && last && (at_q != 2'd2 || !whole)) status = LENGTH;
    end

    always_ff @(posedge clk) begin
        if (timed_q) cycles_q <= cycles_q + 32'd1;

        if (state_q == LOAD && comes) begin
            if (broken) at_q <= 2'd0; // whatever it was to be
            else begin
                status_q <= status;
                if (at_q != 2'd2) at_q <= at_q + 2'd1;
                if (at_q == 2'd0) {sides_q, height_q, width_q} <= word[19:0];
                if (at_q == 2'd1) {early_q, left_q} <= {word[31:24], 8'd0, word[23:0]};
                if (at_q == 2'd2 && col_q == '0) bottom_q <= read_at_q;
                cycles_q <= '0;
                col_q    <= at_q != 2'd2 || row_end ? 8'd0 : col_q + 8'd1;
                row_q    <= at_q != 2'd2 ? 8'd0 : row_end ? row_q + 8'd1 : row_q;
                if (last) begin
                    state_q <= status == GOOD ? EXCHANGE : REPLY;
                    at_q    <= 2'd0;
                end
            end
        end

        if (state_q == EXCHANGE) begin
            if (!side_q[2] && (!sides_q[side_q[1:0]] || (edge_goes && edge_left_q == 8'd1))) begin
                side_q  <= side_q + 3'd1;
                shown_q <= 1'b0;
            end else if (!side_q[2]) shown_q <= 1'b1;
            if (!shown_q) edge_left_q <= edge_words;
            else if (edge_goes) edge_left_q <= edge_left_q - 8'd1;
            for (int i = 0; i < 4; i++)
                if (halo && pick[i]) begin
                    halo_q[LOG*i+:LOG]  <= halo_at + (i < 2 ? stride : LOG'(1));
                    halo_left_q[8*i+:8] <= halo_left - 8'd1;
                    got_q[i]            <= last;
                end
            if (exchanged) begin
                state_q <= SWEEP;
                timed_q <= early_q == '0;
                if (early_q != '0) early_q <= early_q - 8'd1;
            end
            if (comes && (broken || last != (halo_left == 8'd1))) begin
                state_q  <= REPLY;
                status_q <= broken ? BROKEN : LENGTH;
                timed_q  <= 1'b0;
            end
        end else begin // the next one begins
            side_q      <= 3'd0;
            shown_q     <= 1'b0;
            got_q       <= '0;
            halo_q      <= {bottom_q + LOG'(1), LOG'(1), stride + wide + LOG'(1), stride};
            halo_left_q <= {width_q, width_q, height_q, height_q};
        end

        if (state_q == EXCHANGE) {col_q, row_q} <= '0;
        if (state_q == SWEEP) begin
            col_q <= row_end ? 8'd0 : col_q + 8'd1;
            row_q <= row_end ? row_q + 8'd1 : row_q;
            if (tile_end) begin
                left_q  <= left_q - 32'd1;
                state_q <= left_q == 32'd1 ? REPLY : EXCHANGE;
                if (left_q == 32'd1) timed_q <= 1'b0;
            end
        end

        if (state_q == REPLY) begin
            if (at_q != 2'd2) {row_q, col_q} <= {8'd1, 8'd1};
            if (goes) begin
                if (at_q != 2'd2) at_q <= at_q + 2'd1;
                else begin
                    col_q <= col_q == width_q ? 8'd1 : col_q + 8'd1;
                    if (col_q == width_q) row_q <= row_q + 8'd1;
                end
                if (answer_ends) begin
                    state_q <= LOAD;
                    at_q    <= 2'd0;
                end
            end
        end

        if (rst) begin
            state_q <= LOAD;
            at_q    <= 2'd0;
            timed_q <= 1'b0;
        end
    end
endmodule

`default_nettype wire
