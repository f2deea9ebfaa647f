// SPDX-License-Identifier: Apache-2.0
// One Verilated board (rtl/board/ofr_board.v) for C. There are nine builds: two and
// three dimensions, and the small one, whose firmware runs from SPI flash; each with plain links
// and with ends of reliable ones, words at its pins; two dimensions with these, channels and
// collectives, without and with a user's core; and two dimensions with the links' physical layer.
// All have these operations.
#ifndef RTL_BOARD_H
#define RTL_BOARD_H

#ifdef __cplusplus
extern "C" {
#endif

#include "link.h"
#include "logic.h"
#include "node.h"

struct rtl_board;

// What the board's register bus and its counters do in the present cycle: between two steps, the
// signals as they will be when the next step's clock edge comes.
struct rtl_monitor {
    bool we, re, refused; // written, read; a write is refused: nothing is written
    uint16_t adr;
    uint32_t wdat, rdat;
    bool copy; // counter copy_index of the snapshot being made is copy_value
    uint8_t copy_index;
    uint64_t copy_value;
};

// The board's pins to its SPI flash; idle where the firmware runs from RAM.
struct rtl_flash_pins {
    bool csn, sck, mosi;
};

// The pins of the cables: a bit a port, and WIRES bits a port.
struct rtl_cable_pins {
    uint32_t clk;
    uint64_t data;
};

struct rtl_board_ops {
    struct ofr_shape shape;
    // A board after its first reset, NULL when memory is short. seed: of the random state it wakes
    // up in.
    struct rtl_board *(*create)(uint64_t serial, uint64_t seed);
    void (*destroy)(struct rtl_board *board);
    void (*reset)(struct rtl_board *board);
    bool flash; // the firmware is in an SPI flash
    // One clock cycle. in: where links are plain.
    void (*step)(struct rtl_board *board, const struct ofr_node_in *in, bool uart_rx,
                 bool flash_miso);
    // Reliable links' ends, NULL where links are plain: what the cable brings to a port for the
    // next step (only phy_*), and what the end shows between two steps: word, phase, link_up,
    // state, why.
    void (*link_in)(struct rtl_board *board, unsigned port, const struct ofr_link_in *in);
    void (*link_out)(const struct rtl_board *board, unsigned port, struct ofr_link_out *out);
    // NODE.TIME between two steps, quarters of a cycle beyond it, and the rank that links tell.
    uint32_t (*time)(const struct rtl_board *board, uint16_t *rank, unsigned *part);
    // Output pins between two steps: the links' tx and rx_credit are filled in.
    void (*out)(const struct rtl_board *board, struct ofr_router_out *out);
    bool (*uart_tx)(const struct rtl_board *board);
    struct rtl_flash_pins (*flash_pins)(const struct rtl_board *board);
    bool (*trapped)(const struct rtl_board *board);
    struct rtl_monitor (*monitor)(const struct rtl_board *board);
    // Channels' pins, NULL: none. What they show between two steps, m_data and m_keep of those
    // with m_valid; and what a user's logic gives them in the next step, and on.
    void (*channels)(const struct rtl_board *board, struct logic_in *pins);
    void (*set_channels)(struct rtl_board *board, const struct logic_out *pins);
    // With a physical layer, else 0 and NULL: data wires of a cable each way; what cables bring
    // from now on, between two edges of the board's clock; the data that the board has put out with
    // its last edge, its clock for the other end being its own, inverted; ports whose link is up.
    unsigned wires;
    void (*cables_in)(struct rtl_board *board, const struct rtl_cable_pins *pins);
    uint64_t (*cables_out)(const struct rtl_board *board);
    uint32_t (*links_up)(const struct rtl_board *board);
};

extern const struct rtl_board_ops rtl_board_2, rtl_board_3, rtl_board_small;
extern const struct rtl_board_ops rtl_board_2_link, rtl_board_3_link, rtl_board_small_link;
extern const struct rtl_board_ops rtl_board_2_channels, rtl_board_2_user, rtl_board_2_phy;

// Cycles a UART bit takes in these builds, and what BOARD.CLOCK says.
enum { RTL_UART_DIVISOR = 4, RTL_CLOCK_HZ = 12000000 };

#ifdef __cplusplus
}
#endif
#endif
