// SPDX-License-Identifier: Apache-2.0
// One Verilated link end with its physical layer, ofr_link_cabled, and the pins of its cable. It
// has two clocks: the board's and the one that comes over the cable. The shape is fixed when this
// is compiled.
#ifndef PHY_RTL_H
#define PHY_RTL_H

#ifdef __cplusplus
extern "C" {
#endif

#include "link.h"

enum { PHY_WIRES = 64 }; // at most

struct phy_rtl;

struct phy_status {
    bool locked, stopped, retrain;
    uint8_t eye[PHY_WIRES], place[PHY_WIRES]; // 0 to 2; half bits, 0 to 15; DDR: bits
    uint8_t tap[PHY_WIRES], width[PHY_WIRES]; // DDR: delay at the pin, good ones side by side
    uint16_t errors[PHY_WIRES];               // in `seen` bits of each wire
    uint32_t seen;
};

struct ofr_link_shape phy_rtl_shape(void);
unsigned phy_rtl_wires(void);
// Double data rate; then the delays that each input has, 1: none, and how many are half a bit.
bool phy_rtl_double(void);
unsigned phy_rtl_taps(void);
unsigned phy_rtl_half(void);

// There are ends that are one of four with one logic (ofr_link_four), which have a cycle of four.
bool phy_rtl_mixed(void);

// An end that trains for 2^tune bits, 8 to 31; what reset leaves alone is random from `seed`. NULL
// when memory is short. Reset it. four: it is one of four.
struct phy_rtl *phy_rtl_new(uint64_t seed, unsigned tune, bool four);
void phy_rtl_free(struct phy_rtl *end);

// Edges: of the board's clock, with the pins towards the router (phy_* of `in` are not looked at),
// and of the one that comes, with the bits at the pins.
void phy_rtl_clk(struct phy_rtl *end, bool level, const struct ofr_link_in *in, bool rst,
                 bool bert);
void phy_rtl_rx_clk(struct phy_rtl *end, bool level, uint64_t bits);

// The next edge ends a cycle of this end: only then its pins are looked at.
bool phy_rtl_turn(const struct phy_rtl *end);
// Towards the router, and between link and physical layer: phy_* of `in` are filled in.
void phy_rtl_out(const struct phy_rtl *end, struct ofr_link_out *out, struct ofr_link_in *in);
// The cable's data pins; its clock is the board's, inverted, or with DDR a quarter of a period
// late.
uint64_t phy_rtl_bits(const struct phy_rtl *end);
// The delay that the end wants at an input pin, 0 to phy_rtl_taps() - 1.
unsigned phy_rtl_tap(const struct phy_rtl *end, unsigned wire);
// Words that found the FIFO full while the layer was up.
uint64_t phy_rtl_lost(const struct phy_rtl *end);
struct phy_status phy_rtl_status(const struct phy_rtl *end);
struct ofr_link_counts phy_rtl_counts(const struct phy_rtl *end);

#ifdef __cplusplus
}
#endif
#endif
