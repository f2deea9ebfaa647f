// SPDX-License-Identifier: Apache-2.0
// Constants of the physical layer; README.md: blocks, control words, training.
`ifndef OFR_LINK_PHY_VH
`define OFR_LINK_PHY_VH

// Control words, in every half-word: what the end that sends them does. Eight zeros in a row and
// wires that differ within a beat, so that no PRBS looks like one; 4 bits or more apart.
`define OFR_PHY_SEEKS  16'h005A // trains
`define OFR_PHY_LOCKED 16'h00A5 // hears the other end
`define OFR_PHY_WORDS  16'h0069 // sends words

`define OFR_PHY_BLOCKS 4 // of LOCKED that an end sends when it knows that the other one hears it
`define OFR_PHY_HEARS  2 // control words by which it knows
`define OFR_PHY_MISSES 8 // control words that are none: the lock is lost
`define OFR_PHY_SLIP   3 // control words not found: double data rate looks half a cycle back
`define OFR_PHY_CLOSED 4 // errors of 128 bits: a sampling point that is no good

// x^7 + x^6 + 1: the next bit of a PRBS whose last seven are s, the newest in bit 0
`define OFR_PHY_PRBS(s) (s[6] ^ s[5])

`endif
