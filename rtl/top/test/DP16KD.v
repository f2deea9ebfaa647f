// SPDX-License-Identifier: Apache-2.0
// Model of the ECP5's block RAM, as Lattice's memory usage guide (FPGA-TN-02204) describes it: 18
// Kbit, two ports of 1, 2, 4, 9 or 18 bits, or one that writes and one that reads 36. Without the
// output registers and with chip select 0: another mode ends the simulation. A reset is synchronous
// and makes 0 of what its port shows; asynchronous, without the port's enable, with its write, or
// of 36 bits it ends the simulation, too.
//
// It holds 2,048 words of nine bits; ports of 1, 2 and 4 bits do not reach the ninth. Port A of 36
// bits writes {DIB, DIA}, port B reads {DOB, DOA}: so does Yosys 0.70, and so do Lattice's
// generator, which takes word bits 17:0 from PDPW16KD's DO35 to DO18, and nextpnr, whose DOA these
// are. (PDPW16KD itself, if somebody instantiates it, is crossed: its DO0 is bit 18.) In ports of
// 18 and 36 bits the lowest address bits enable nine bits each of a write. What a port reads while
// the other writes there is not defined: it is the complement of what was there, so that nobody
// can rely on it. Outputs are 0 at first. The clocks of two ports in use must be the same.
`default_nettype none

module DP16KD #(
    parameter int DATA_WIDTH_A = 18,
    parameter int DATA_WIDTH_B = 18,
    parameter REGMODE_A = "NOREG",
    parameter REGMODE_B = "NOREG",
    parameter RESETMODE = "SYNC",
    parameter ASYNC_RESET_RELEASE = "SYNC",
    parameter CSDECODE_A = "0b000",
    parameter CSDECODE_B = "0b000",
    parameter WRITEMODE_A = "NORMAL", // what DOA shows of a write: NORMAL nothing new,
    parameter WRITEMODE_B = "NORMAL", // WRITETHROUGH the new data, READBEFOREWRITE the old
    parameter CLKAMUX = "CLKA", // Yosys names them; not looked at
    parameter CLKBMUX = "CLKB",
    parameter GSR = "ENABLED",
    // 16 words of 18 bits each, 20 bits apart.
    parameter [319:0] INITVAL_00 = 320'h0,
    parameter [319:0] INITVAL_01 = 320'h0,
    parameter [319:0] INITVAL_02 = 320'h0,
    parameter [319:0] INITVAL_03 = 320'h0,
    parameter [319:0] INITVAL_04 = 320'h0,
    parameter [319:0] INITVAL_05 = 320'h0,
    parameter [319:0] INITVAL_06 = 320'h0,
    parameter [319:0] INITVAL_07 = 320'h0,
    parameter [319:0] INITVAL_08 = 320'h0,
    parameter [319:0] INITVAL_09 = 320'h0,
    parameter [319:0] INITVAL_0A = 320'h0,
    parameter [319:0] INITVAL_0B = 320'h0,
    parameter [319:0] INITVAL_0C = 320'h0,
    parameter [319:0] INITVAL_0D = 320'h0,
    parameter [319:0] INITVAL_0E = 320'h0,
    parameter [319:0] INITVAL_0F = 320'h0,
    parameter [319:0] INITVAL_10 = 320'h0,
    parameter [319:0] INITVAL_11 = 320'h0,
    parameter [319:0] INITVAL_12 = 320'h0,
    parameter [319:0] INITVAL_13 = 320'h0,
    parameter [319:0] INITVAL_14 = 320'h0,
    parameter [319:0] INITVAL_15 = 320'h0,
    parameter [319:0] INITVAL_16 = 320'h0,
    parameter [319:0] INITVAL_17 = 320'h0,
    parameter [319:0] INITVAL_18 = 320'h0,
    parameter [319:0] INITVAL_19 = 320'h0,
    parameter [319:0] INITVAL_1A = 320'h0,
    parameter [319:0] INITVAL_1B = 320'h0,
    parameter [319:0] INITVAL_1C = 320'h0,
    parameter [319:0] INITVAL_1D = 320'h0,
    parameter [319:0] INITVAL_1E = 320'h0,
    parameter [319:0] INITVAL_1F = 320'h0,
    parameter [319:0] INITVAL_20 = 320'h0,
    parameter [319:0] INITVAL_21 = 320'h0,
    parameter [319:0] INITVAL_22 = 320'h0,
    parameter [319:0] INITVAL_23 = 320'h0,
    parameter [319:0] INITVAL_24 = 320'h0,
    parameter [319:0] INITVAL_25 = 320'h0,
    parameter [319:0] INITVAL_26 = 320'h0,
    parameter [319:0] INITVAL_27 = 320'h0,
    parameter [319:0] INITVAL_28 = 320'h0,
    parameter [319:0] INITVAL_29 = 320'h0,
    parameter [319:0] INITVAL_2A = 320'h0,
    parameter [319:0] INITVAL_2B = 320'h0,
    parameter [319:0] INITVAL_2C = 320'h0,
    parameter [319:0] INITVAL_2D = 320'h0,
    parameter [319:0] INITVAL_2E = 320'h0,
    parameter [319:0] INITVAL_2F = 320'h0,
    parameter [319:0] INITVAL_30 = 320'h0,
    parameter [319:0] INITVAL_31 = 320'h0,
    parameter [319:0] INITVAL_32 = 320'h0,
    parameter [319:0] INITVAL_33 = 320'h0,
    parameter [319:0] INITVAL_34 = 320'h0,
    parameter [319:0] INITVAL_35 = 320'h0,
    parameter [319:0] INITVAL_36 = 320'h0,
    parameter [319:0] INITVAL_37 = 320'h0,
    parameter [319:0] INITVAL_38 = 320'h0,
    parameter [319:0] INITVAL_39 = 320'h0,
    parameter [319:0] INITVAL_3A = 320'h0,
    parameter [319:0] INITVAL_3B = 320'h0,
    parameter [319:0] INITVAL_3C = 320'h0,
    parameter [319:0] INITVAL_3D = 320'h0,
    parameter [319:0] INITVAL_3E = 320'h0,
    parameter [319:0] INITVAL_3F = 320'h0
) (
    input  wire logic  DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11,
        DIA12, DIA13,
    DIA14, DIA15, DIA16, DIA17, ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9,
    ADA10, ADA11, ADA12, ADA13, CSA0, CSA1, CSA2, CEA, OCEA, CLKA, WEA, RSTA,
    input  wire logic  DIB0, DIB1, DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8, DIB9, DIB10, DIB11,
        DIB12, DIB13,
    DIB14, DIB15, DIB16, DIB17, ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9,
    ADB10, ADB11, ADB12, ADB13, CSB0, CSB1, CSB2, CEB, OCEB, CLKB, WEB, RSTB,
    output logic  DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7, DOA8, DOA9, DOA10, DOA11, DOA12,
        DOA13,
    DOA14, DOA15, DOA16, DOA17, DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9,
    DOB10, DOB11, DOB12, DOB13, DOB14, DOB15, DOB16, DOB17
);
`ifdef YOSYS
    // When outputs change, ps after their clock, as nextpnr has it for speed grade 6: for mapping
    // (constraints/bitstream.sh), which would else take them for as early as a constant.
    specify
        (posedge CLKA *> ({DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7,
            DOA6, DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} : 18'bx)) = 5610;
        (posedge CLKB *> ({DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7,
            DOB6, DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} : 18'bx)) = 5610;
    endspecify
`else
    wire [17:0] di_a = {DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8,
        DIA7, DIA6, DIA5, DIA4, DIA3, DIA2, DIA1, DIA0};
    wire [13:0] ad_a = {ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3,
        ADA2, ADA1, ADA0};
    wire [17:0] di_b = {DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8,
        DIB7, DIB6, DIB5, DIB4, DIB3, DIB2, DIB1, DIB0};
    wire [13:0] ad_b = {ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3,
        ADB2, ADB1, ADB0};
    wire logic  sel_a = CEA && !CSA0 && !CSA1 && !CSA2;
    wire logic  sel_b = CEB && !CSB0 && !CSB1 && !CSB2;
    reg [17:0]  do_a = 18'd0, do_b = 18'd0;
    assign {DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6,
        DOA5, DOA4, DOA3, DOA2, DOA1, DOA0} = do_a;
    assign {DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6,
        DOB5, DOB4, DOB3, DOB2, DOB1, DOB0} = do_b;

    localparam logic [20479:0] INIT = {
        INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C,
        INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
        INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34,
        INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
        INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C,
        INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
        INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24,
        INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
        INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C,
        INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
        INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14,
        INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
        INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C,
        INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
        INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04,
        INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00
    };
    // Rows of four words, which ports of all widths share.
    /* verilator lint_off MULTIDRIVEN */
    reg [35:0] mem [0:511];
    /* verilator lint_on MULTIDRIVEN */
    initial
        for (int i = 0; i < 512; i++)
            mem[i] = {INIT[i * 40 + 20 +: 18], INIT[i * 40 +: 18]};

    // Where in its row a port's bits are, and which: those that are read, those that are written.
    function automatic int place(input int width, input [4:0] ad);
        place = width == 36 ? 0 : width == 18 ? 32'(ad[4]) * 18 : 32'(ad[4:3]) * 9 +
            (width == 4 ? 32'(ad[2]) * 4 : width == 2 ? 32'(ad[2:1]) * 2 :
             width == 1 ? 32'(ad[2:0]) : 0);
    endfunction
    function automatic [35:0] enabled(input int width, input [3:0] ad);
        enabled = width == 36 ? {{9{ad[3]}}, {9{ad[2]}}, {9{ad[1]}}, {9{ad[0]}}} :
            width == 18 ? {18'd0, {9{ad[1]}}, {9{ad[0]}}} : (36'd1 << width) - 36'd1;
    endfunction
    wire int    at_a = place(DATA_WIDTH_A, ad_a[4:0]), at_b = place(DATA_WIDTH_B, ad_b[4:0]);
    wire [35:0] mask_a = sel_a && WEA ? enabled(DATA_WIDTH_A, ad_a[3:0]) << at_a : 36'd0;
    wire [35:0] mask_b = sel_b && WEB && DATA_WIDTH_A != 36 ?
        enabled(DATA_WIDTH_B, ad_b[3:0]) << at_b : 36'd0;
    wire [35:0] data_a = (DATA_WIDTH_A == 36 ? {di_b, di_a} : 36'(di_a)) << at_a;
    wire [35:0] data_b = 36'(di_b) << at_b;
    wire logic  meet = ad_a[13:5] == ad_b[13:5];

    wire [35:0] old_a = mem[ad_a[13:5]], old_b = mem[ad_b[13:5]];
    wire [35:0] with_a = (old_a & ~mask_a) | (data_a & mask_a);
    wire [35:0] with_b = (old_b & ~mask_b) | (data_b & mask_b);
    /* verilator lint_off WIDTH */
    localparam bit THROUGH_A = WRITEMODE_A == "WRITETHROUGH", KEEP_A = WRITEMODE_A == "NORMAL";
    localparam bit THROUGH_B = WRITEMODE_B == "WRITETHROUGH", KEEP_B = WRITEMODE_B == "NORMAL";
    /* verilator lint_on WIDTH */
    wire [35:0] show_a = ((THROUGH_A ? with_a : old_a) ^ (meet ? mask_b : 36'd0)) >> at_a;
    wire [35:0] show_b = ((THROUGH_B ? with_b : old_b) ^ (meet ? mask_a : 36'd0)) >> at_b;
    localparam logic [35:0] ALL = 36'hf_ffff_ffff;
    localparam logic [17:0] READ_A = DATA_WIDTH_A >= 18 ? ALL[17:0] : ~(ALL[17:0] << DATA_WIDTH_A);
    localparam logic [17:0] READ_B = DATA_WIDTH_B >= 18 ? ALL[17:0] : ~(ALL[17:0] << DATA_WIDTH_B);

    // Both write into the same row: each writes what both do.
    always @(posedge CLKA) begin
        if (mask_a != 36'd0)
            mem[ad_a[13:5]] <= meet ? (with_a & ~mask_b) | (data_b & mask_b) : with_a;
        if (DATA_WIDTH_A != 36 && sel_a && !(WEA && KEEP_A))
            do_a <= RSTA ? 18'd0 : show_a[17:0] & READ_A;
        if (DATA_WIDTH_B == 36 && sel_b)
            do_a <= show_b[17:0];
    end
    always @(posedge CLKB) begin
        if (mask_b != 36'd0)
            mem[ad_b[13:5]] <= meet ? (with_b & ~mask_a) | (data_a & mask_a) : with_b;
        if (DATA_WIDTH_B == 36 && sel_b)
            do_b <= show_b[35:18];
        else if (DATA_WIDTH_B != 36 && sel_b && !(WEB && KEEP_B))
            do_b <= RSTB ? 18'd0 : show_b[17:0] & READ_B;
    end

    // Without effect on what is modelled: output registers' enables, an asynchronous reset's mode.
    wire logic unused = ^{OCEA, OCEB, ASYNC_RESET_RELEASE == "SYNC", GSR == "ENABLED",
        show_a[35:18]};
    initial
        if (REGMODE_A != "NOREG" || REGMODE_B != "NOREG" || CSDECODE_A != "0b000" ||
                CSDECODE_B != "0b000" || (DATA_WIDTH_B == 36) != (DATA_WIDTH_A == 36)) begin
            $display("DP16KD: a mode without a model");
            $finish;
        end
    always @(posedge CLKA)
        if ((RSTA && (RESETMODE != "SYNC" || !sel_a || WEA || DATA_WIDTH_A == 36)) ||
                (RSTB && (RESETMODE != "SYNC" || !sel_b || WEB || DATA_WIDTH_B == 36))) begin
            $display("DP16KD: a reset without a model");
            $finish;
        end
`endif
endmodule

`default_nettype wire
