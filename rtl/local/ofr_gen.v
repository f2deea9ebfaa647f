// SPDX-License-Identifier: Apache-2.0
// Traffic generator (paper, sec. 4). Same as sim/model/gen.c, cycle for cycle.
// Message m is generated at START + floor(m PERIOD / 256); the unbounded source queue is the
// difference of OFFERED and SENT. Packets leave back to back.
`include "ofr_defs.vh"
`default_nettype none

module ofr_gen #(
    parameter int N = 2,  // dimensions, 2 or 3
    parameter int W = 32, // flit width in bits, 16, 32 or 64
    parameter int L = 16  // largest packet in flits, up to 1024
) (
    input  wire logic           clk,
    input  wire logic           rst,
    // Configuration: off while not configured; coordinates and sizes (x lowest), which may change
    // while nothing is generated and no packet is under way; NODE.TIME
    input  wire logic           configured,
    input  wire logic [4*N-1:0] me,
    input  wire logic [5*N-1:0] size,
    input  wire logic [31:0]    now,
    // Register strobes, see rtl/README.md
    input  wire logic           reg_we,
    input  wire logic [11:0]    reg_adr,
    input  wire logic [31:0]    reg_wdat,
    output logic [31:0]         reg_rdat,
    output logic                reg_err,
    // Flits to the local port; a flit is gone where take
    output logic                valid,
    output logic [W-1:0]        data,
    output logic                last,
    input  wire logic           take
);
    localparam int MIN_FLITS = W == 64 ? 4 : 256 / W;
    localparam int BOUND = W == 64 ? 0 : W == 32 ? 1 : 2; // flit with SOURCE
    localparam int STAMP = W == 64 ? 1 : W == 32 ? 2 : 5; // flit with the time stamp's last word
    localparam int DEST = W == 16 ? 1 : 0;                // flit with DEST
    localparam logic [3:0] TOP = 4'(4 * N - 1);           // highest position of a coordinate bit
    localparam logic [W-1:0] TAPS = W == 64 ? W'('h1b) : W == 32 ? W'('h400007) : W'('h2d);

    localparam logic [2:0] DONE = 0, DIM = 1, FLY = 2, HALF = 3, WALK = 4; // of draw_q

    // Registers
    logic        enable_q;
    logic [1:0]  class_q;
    logic [3:0]  pattern_q;
    logic [31:0] start_q, period_q, messages_q, seed_q;
    logic [11:0] flits_q, target_q;
    logic [15:0] packets_q;
    // Run
    logic        pend_q, run_q, done_q;
    logic [39:0] next_q, stamp_q;
    logic [31:0] left_q, offered_q, sent_q, lfsr_q;
    logic [15:0] packets_left_q, seq_q;
    // Destination
    logic [2:0]  draw_q;
    logic [1:0]  dim_q;
    logic [3:0]  p_q, q_q;
    logic        up_q;
    logic        uniform_q;     // the run's pattern is UNIFORM
    logic [11:0] dest_q, uni_q; // the destination; of UNIFORM, apart since the product comes late
    wire logic [11:0] dest = uniform_q ? uni_q : dest_q;
    // Output register
    logic         first_q;
    logic [2:0]   index_q;
    logic [11:0]  flits_left_q; // of this packet, the one in the register included
    logic [W-1:0] payload_q;

    // ---- Registers ------------------------------------------------------------------------------

    wire logic [31:0] adr = {20'b0, reg_adr};
    wire logic [1:0]  w_class = reg_wdat[`OFR_GEN_CONTROL_CLASS_LSB +: 2];
    wire logic [3:0]  w_pattern = reg_wdat[`OFR_GEN_CONTROL_PATTERN_LSB +: 4];
    wire logic        w_enable = reg_wdat[`OFR_GEN_CONTROL_ENABLE_LSB];
    wire logic [11:0] w_flits = reg_wdat[`OFR_GEN_LENGTH_FLITS_LSB +: 12];
    wire logic [15:0] w_packets = reg_wdat[`OFR_GEN_LENGTH_PACKETS_LSB +: 16];

    wire logic bad_control = w_class == 2'(`OFR_PKT_CLASS_DIRECTED)
        || w_pattern > 4'(`OFR_GEN_CONTROL_PATTERN_FIXED) || (w_enable && flits_q == 0);
    wire logic bad_length = w_flits < 12'(MIN_FLITS) || w_flits > 12'(L) || w_packets == 0;

    always_comb begin
        reg_err = reg_we && ((adr == `OFR_GEN_CONTROL && bad_control)
            || (adr == `OFR_GEN_LENGTH && bad_length));
        case (adr)
            `OFR_GEN_CONTROL:  reg_rdat = {20'b0, pattern_q, 2'b0, class_q, 3'b0, enable_q};
            `OFR_GEN_START:    reg_rdat = start_q;
            `OFR_GEN_PERIOD:   reg_rdat = period_q;
            `OFR_GEN_MESSAGES: reg_rdat = messages_q;
            `OFR_GEN_LENGTH:   reg_rdat = {packets_q, 4'b0, flits_q};
            `OFR_GEN_SEED:     reg_rdat = seed_q;
            `OFR_GEN_TARGET:   reg_rdat = {20'b0, target_q};
            `OFR_GEN_STATUS:   reg_rdat = {30'b0, done_q, pend_q || (run_q && !done_q)};
            `OFR_GEN_OFFERED:  reg_rdat = offered_q;
            `OFR_GEN_SENT:     reg_rdat = sent_q;
            default:           reg_rdat = '0;
        endcase
    end

    // ---- Destinations ---------------------------------------------------------------------------

    // Coordinates, sizes, sizes minus 1, padded; in registers: no run starts in the cycle behind a
    // write of them
    logic [15:0] me16_q, mask16_q;
    logic [19:0] size20_q;
    logic [15:0] me12_rot; // coordinate of the next dimension, for ROTATE3D
    always_ff @(posedge clk)
        for (int i = 0; i < 4; i++) begin
            me16_q[4*i +: 4]   <= i < N ? me[4*(i % N) +: 4] : 4'd0;
            mask16_q[4*i +: 4] <= i < N ? size[5*(i % N) +: 4] - 4'd1 : 4'd0;
            size20_q[5*i +: 5] <= i < N ? size[5*(i % N) +: 5] : 5'd0;
        end
    assign me12_rot = {4'b0, me16_q[3:0], me16_q[11:4]};
    wire logic flat = mask16_q[11:8] == 0;

    // 12 steps of the LFSR
    wire logic [11:0] fresh = lfsr_q[31:20] ^ lfsr_q[29:18] ^ lfsr_q[25:14] ^ lfsr_q[24:13];

    // One coordinate
    wire logic [3:0]  c = me16_q[{dim_q, 2'b0} +: 4];
    wire logic [3:0]  km = mask16_q[{dim_q, 2'b0} +: 4];
    wire logic [4:0]  halfway = {1'b0, c} + {2'b0, km[3:1]};
    wire logic [3:0]  wrapped = halfway[3:0] - km - 4'd1;
    wire logic [4:0]  k = dim_q == 0 ? size20_q[4:0] : dim_q == 1 ? size20_q[9:5] : size20_q[14:10];
    wire logic [16:0] product = {5'b0, fresh} * {12'b0, k};
    wire logic        unused_product = ^{product[16], product[11:0], size20_q[19:15]};
    logic [3:0] coord;
    always_comb begin
        case (pattern_q)
            4'(`OFR_GEN_CONTROL_PATTERN_TRANSPOSE):  coord = dim_q == 0 ? me16_q[7:4]
                : dim_q == 1 ? me16_q[3:0] : c;
            4'(`OFR_GEN_CONTROL_PATTERN_ROTATE3D):   coord = me12_rot[{dim_q, 2'b0} +: 4];
            4'(`OFR_GEN_CONTROL_PATTERN_COMPLEMENT): coord = km - c;
            4'(`OFR_GEN_CONTROL_PATTERN_TORNADO):    coord = halfway > {1'b0, km} ? wrapped
                : halfway[3:0];
            4'(`OFR_GEN_CONTROL_PATTERN_NEIGHBOUR):  coord = dim_q != 0 ? c
                : c == km ? 4'd0 : c + 4'd1;
            default:                                 coord = target_q[{dim_q, 2'b0} +: 4];
        endcase
    end

    // The bit position after p_q: the next in its dimension if the size has that bit, else bit 0
    // of the next dimension
    wire logic [3:0] p_inc = p_q + 4'd1;
    wire logic [1:0] p_dim = p_q[3:2] == 2'(N - 1) ? 2'd0 : p_q[3:2] + 2'd1;
    wire logic [3:0] p_next = p_q[1:0] != 2'd3 && mask16_q[p_inc] ? p_inc : {p_dim, 2'b0};
    wire logic       p_valid = mask16_q[p_q];
    wire logic       q_valid = mask16_q[q_q];

    // ---- Flow -----------------------------------------------------------------------------------

    wire logic endless = messages_q == 0;
    wire logic none_left = left_q == 0;
    wire logic waiting = offered_q != sent_q;
    wire logic [31:0] late = now - next_q[39:8];
    wire logic        unused_late = ^late[30:0];
    wire logic due = run_q && !done_q && (endless || !none_left) && !late[31];
    wire logic start = (!valid || (take && last)) && run_q && waiting && draw_q == DONE;
    wire logic load = start || (take && !last);
    wire logic [2:0] index = start ? 3'd0
        : index_q > 3'(STAMP) ? index_q : index_q + 3'd1;
    wire logic last_d = !start && flits_left_q == 12'd2;
    wire logic last_packet = packets_left_q == 16'd1;
    wire logic arm = pend_q && !valid;

    wire logic [31:0] stamp = stamp_q[39:8];
    wire logic [W-1:0] step = {payload_q[W-2:0], 1'b0} ^ (payload_q[W-1] ? TAPS : '0);
    wire logic [W-1:0] fill = flits_left_q == 12'd2 ? ~payload_q : payload_q;
    wire logic [31:0] route = {4'b0, dest, 2'b01, class_q, dest};
    wire logic [31:0] source = {seq_q, 4'(`OFR_PKT_KIND_GEN), me16_q[11:0]};
    logic [W-1:0] data_d, payload_d;
    generate
        if (W == 64) begin : g_64
            always_comb begin
                data_d = fill;
                payload_d = step;
                if (index == 0) begin
                    data_d = {source, route};
                    payload_d = {~source, source};
                end else if (index == 3'd1) begin
                    data_d = {payload_q[63:32], stamp};
                    payload_d = step ^ {32'b0, stamp};
                end
            end
        end else begin : g_small
            always_comb begin
                data_d = fill;
                if (W == 32) begin
                    case (index)
                        3'd0:    data_d = W'(route);
                        3'd1:    data_d = W'(source);
                        3'd2:    data_d = W'(stamp);
                        default: ;
                    endcase
                end else begin
                    case (index)
                        3'd0:    data_d = W'(route[15:0]);
                        3'd1:    data_d = W'(route[31:16]);
                        3'd2:    data_d = W'(source[15:0]);
                        3'd3:    data_d = W'(source[31:16]);
                        3'd4:    data_d = W'(stamp[15:0]);
                        3'd5:    data_d = W'(stamp[31:16]);
                        default: ;
                    endcase
                end
                payload_d = index == 3'(BOUND) ? data_d : index <= 3'(STAMP) ? step ^ data_d : step;
            end
        end
    endgenerate

    always_ff @(posedge clk) begin
        // Destination machine
        case (draw_q)
            DIM: begin
                dest_q[{dim_q, 2'b0} +: 4] <= coord;
                uni_q[{dim_q, 2'b0} +: 4] <= product[15:12];
                if (uniform_q)
                    lfsr_q <= {lfsr_q[19:0], fresh};
                if (dim_q == 2'(N - 1))
                    draw_q <= DONE;
                dim_q <= dim_q + 2'd1;
            end
            FLY:
                if (p_valid) begin
                    dest_q <= me16_q[11:0];
                    dest_q[p_q] <= !me16_q[p_q];
                    draw_q <= DONE;
                end else
                    p_q <= p_next;
            HALF: // p up and q down until they pass: p is at the middle of the valid bits
                if (!q_valid)
                    q_q <= q_q - 4'd1;
                else if (!p_valid)
                    p_q <= p_next;
                else if (p_q > q_q) begin
                    q_q <= 4'd0;
                    draw_q <= WALK;
                end else begin
                    p_q <= p_next;
                    q_q <= q_q - 4'd1;
                end
            WALK: begin // bit q of the destination is bit p of this node
                if (q_valid && p_valid)
                    dest_q[q_q] <= me16_q[p_q];
                if (q_valid)
                    p_q <= p_next;
                if (!q_valid || p_valid) begin
                    if (q_q == (up_q ? TOP : 4'd0))
                        draw_q <= DONE;
                    q_q <= up_q ? q_q + 4'd1 : q_q - 4'd1;
                end
            end
            default: ;
        endcase

        if (take && first_q)
            sent_q <= sent_q + 32'd1;
        if (due) begin
            offered_q <= offered_q + {16'b0, packets_q};
            next_q <= next_q + {8'b0, period_q};
            if (!endless)
                left_q <= left_q - 32'd1;
        end
        if (run_q && !endless && none_left && !waiting && !valid)
            done_q <= 1'b1;

        if (load) begin
            valid <= 1'b1;
            data <= data_d;
            last <= last_d;
            payload_q <= payload_d;
            flits_left_q <= start ? flits_q : flits_left_q - 12'd1;
            index_q <= index;
            first_q <= start;
            if (index == 3'(DEST) && last_packet) begin
                // The permutations but BUTTERFLY stay as they are
                dim_q <= 2'd0;
                if (uniform_q)
                    draw_q <= DIM;
                else if (pattern_q == 4'(`OFR_GEN_CONTROL_PATTERN_BUTTERFLY)) begin
                    p_q <= p_next;
                    draw_q <= FLY;
                end
            end
            if (index == 3'(STAMP)) begin
                seq_q <= seq_q + 16'd1;
                packets_left_q <= last_packet ? packets_q : packets_left_q - 16'd1;
                if (last_packet)
                    stamp_q <= stamp_q + {8'b0, period_q};
            end
        end else if (take)
            valid <= 1'b0;

        if (arm) begin
            pend_q <= 1'b0;
            run_q <= 1'b1;
            done_q <= 1'b0;
            next_q <= {start_q, 8'b0};
            stamp_q <= {start_q, 8'b0};
            left_q <= messages_q;
            offered_q <= '0;
            sent_q <= '0;
            packets_left_q <= packets_q;
            seq_q <= '0;
            lfsr_q <= seed_q == 32'h9e3779b9 ? 32'd1 : seed_q ^ 32'h9e3779b9;
            dest_q <= '0;
            uni_q <= '0;
            uniform_q <= pattern_q == 4'(`OFR_GEN_CONTROL_PATTERN_UNIFORM);
            dim_q <= 2'd0;
            p_q <= 4'd0;
            q_q <= TOP;
            up_q <= pattern_q == 4'(`OFR_GEN_CONTROL_PATTERN_TRANSPOSE);
            draw_q <= pattern_q == 4'(`OFR_GEN_CONTROL_PATTERN_BUTTERFLY) ? FLY
                : pattern_q == 4'(`OFR_GEN_CONTROL_PATTERN_BITREVERSE) ? WALK
                : pattern_q == 4'(`OFR_GEN_CONTROL_PATTERN_TRANSPOSE) && !flat ? HALF : DIM;
        end
        if (!configured) begin
            enable_q <= 1'b0;
            pend_q <= 1'b0;
            run_q <= 1'b0;
        end

        if (reg_we && !reg_err) begin
            case (adr)
                `OFR_GEN_CONTROL: begin
                    enable_q <= w_enable;
                    pend_q <= w_enable;
                    run_q <= 1'b0;
                    class_q <= w_class;
                    pattern_q <= w_pattern;
                end
                `OFR_GEN_START:    start_q <= reg_wdat;
                `OFR_GEN_PERIOD:   period_q <= reg_wdat;
                `OFR_GEN_MESSAGES: messages_q <= reg_wdat;
                `OFR_GEN_LENGTH: begin
                    flits_q <= w_flits;
                    packets_q <= w_packets;
                end
                `OFR_GEN_SEED:     seed_q <= reg_wdat;
                `OFR_GEN_TARGET:   target_q <= N == 3 ? reg_wdat[11:0] : {4'b0, reg_wdat[7:0]};
                default: ;
            endcase
        end

        if (rst) begin
            enable_q <= 1'b0;
            class_q <= '0;
            pattern_q <= '0;
            start_q <= '0;
            period_q <= '0;
            messages_q <= '0;
            seed_q <= 32'd1;
            flits_q <= '0;
            packets_q <= '0;
            target_q <= '0;
            pend_q <= 1'b0;
            run_q <= 1'b0;
            done_q <= 1'b0;
            offered_q <= '0;
            sent_q <= '0;
            draw_q <= DONE;
            valid <= 1'b0;
        end
    end
endmodule
`default_nettype wire
