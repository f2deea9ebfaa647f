// SPDX-License-Identifier: Apache-2.0
// Constants of the link's frames; sim/model/link.h has the same.
`ifndef OFR_LINK_VH
`define OFR_LINK_VH

`define OFR_LINK_SYNC     16'h039F // at least 6 bits away from every legal first half-word
`define OFR_LINK_CRC_INIT 16'hFFFF
`define OFR_LINK_RUN      20       // SYNC words of a run
`define OFR_LINK_LOCK     19       // ... of which so many tell the receiver where frames begin

// States, as frames without flits carry them
`define OFR_LINK_DOWN     3'd0
`define OFR_LINK_TRAIN    3'd1     // hears the other end, and it fits
`define OFR_LINK_READY    3'd2     // has the other end's counts
`define OFR_LINK_UP       3'd3
`define OFR_LINK_FAILED   3'd4     // the ends do not fit

// Items of hellos
`define OFR_LINK_ITEM_SHAPE    3'd0
`define OFR_LINK_ITEM_SERIAL   3'd1 // to 4: 16 bits each, low ones first
`define OFR_LINK_ITEM_RECEIVED 3'd5
`define OFR_LINK_ITEM_FREED    3'd6

// Items of frames without flits of an end that is up
`define OFR_LINK_SAYS_TIME     3'd3 // quarters of cycles, as the word in front of this one went
`define OFR_LINK_SAYS_LAG      3'd4 // when the last TIME came, less what it said
`define OFR_LINK_SAYS_HIGH     3'd5 // NODE.TIME, bits 29 to 14
`define OFR_LINK_SAYS_RANK     3'd6 // who measures time, and how far it is to there
`define OFR_LINK_SAYS_TOP      3'd7 // NODE.TIME, bits 31 and 30
`define OFR_LINK_LAG_UNKNOWN   16'h8000

// Why the link is not up
`define OFR_LINK_WHY_RESET    4'd0
`define OFR_LINK_WHY_DISABLED 4'd1
`define OFR_LINK_WHY_PHY      4'd2  // the physical layer has lost its lock
`define OFR_LINK_WHY_SILENT   4'd3  // no good frame for 8 ticks
`define OFR_LINK_WHY_PEER     4'd4  // the other end has gone down
`define OFR_LINK_WHY_STUCK    4'd5  // nothing acknowledged for 16 ticks
`define OFR_LINK_WHY_VERSION  4'd6  // 6 to 10: the ends differ in this
`define OFR_LINK_WHY_W        4'd7
`define OFR_LINK_WHY_L        4'd8
`define OFR_LINK_WHY_C        4'd9
`define OFR_LINK_WHY_N        4'd10
`define OFR_LINK_WHY_REFUSED  4'd11 // the other end says that they do not fit

`define OFR_LINK_VERSION  4'd2

`endif
