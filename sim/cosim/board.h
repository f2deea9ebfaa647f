// SPDX-License-Identifier: Apache-2.0
// A board in simulation: RTL or golden behind one interface. An RTL board can have a golden node
// beside it (its shadow) that gets the same link inputs and register accesses; whatever differs is
// counted and the first difference kept.
#ifndef BOARD_H
#define BOARD_H

#include "fw.h"
#include "link.h"
#include "logic.h"
#include "node.h"
#include "rtl_board.h"

// BOARD_SMALL: RTL too, the build for an iCE40 HX8K; two dimensions.
enum board_kind { BOARD_RTL, BOARD_GOLDEN, BOARD_SMALL };

// Boards with channels have collectives, too, of as many children, and datagrams, with room for so
// many packets.
enum { BOARD_CHANNELS = LOGIC_ENDS, BOARD_COLLECTIVES = 4, BOARD_DATAGRAMS = 4 };
// And RTL boards a user's core on demand, which has so many of the first ends.
enum { BOARD_USER = 4 };

struct board;

struct board_options {
    enum board_kind kind;
    bool shadow;       // not BOARD_GOLDEN: a golden node beside it
    bool reliable;     // not BOARD_GOLDEN: with ends of reliable links
    bool phy;          // BOARD_RTL of two dimensions without a shadow: with their physical layer
    unsigned n;        // dimensions, 2 or 3
    unsigned channels; // their ends: 0, or BOARD_CHANNELS (board_may_have_channels())
    bool user;         // BOARD_RTL with channels, without a shadow: with a user's core
    const struct logic *logic; // with channels: at their pins; NULL: all that comes is taken
    uint64_t serial;           // the state that an RTL board wakes up in is drawn from it
    uint64_t break_at;         // cycle from which the shadow is given wrong credits, 0: never
};

// May a board of that kind have channels? Of BOARD_RTL one with two dimensions and reliable links.
bool board_may_have_channels(enum board_kind kind, unsigned n, bool reliable);

// NULL when memory is short or the options are out of range.
struct board *board_new(const struct board_options *options);
void board_free(struct board *board);

// A reset, as a board has one at power-up or by a button: memories keep what is in them.
void board_reset(struct board *board);

// Link outputs, as they stand between two steps.
const struct ofr_router_out *board_out(const struct board *board);

// A port's end of a reliable link, before board_step(). in: what the cable brings; golden: what the
// golden end beside it shows, which RTL's own must show, too. Returns the word that it sends.
uint64_t board_link(struct board *board, unsigned port, const struct ofr_link_in *in,
                    const struct ofr_link_out *golden);

// One clock cycle. in: what the links bring, of an RTL board with ends of its own to its shadow.
void board_step(struct board *board, const struct ofr_node_in *in);

// With a physical layer: what the cables bring from now on; instead of board_step(), a step, which
// returns what the board has put out, as of struct rtl_board_ops. And the ports whose link is up.
void board_cables_in(struct board *board, const struct rtl_cable_pins *pins);
uint64_t board_cables(struct board *board);
uint32_t board_links_up(const struct board *board);

// UART, as bytes. RTL boards take 40 cycles a byte, golden ones none.
void board_uart_send(struct board *board, uint8_t byte);
bool board_uart_receive(struct board *board, uint8_t *byte);
// Bytes that board_uart_send() has not got rid of yet.
size_t board_uart_backlog(const struct board *board);

// Golden: lets the firmware do what it can without simulated time. Returns whether it did anything.
bool board_poll_firmware(struct board *board);

// Golden: a step would change nothing that matters.
bool board_idle(const struct board *board);

// Golden, and idle: so many cycles at once, in which nothing is done but time goes on.
void board_skip(struct board *board, uint64_t cycles);

bool board_trapped(const struct board *board);

// NODE.TIME between two steps, quarters of a cycle beyond it, and the rank that its links tell.
uint32_t board_time(struct board *board, uint16_t *rank, unsigned *part);
// What it is beyond that, 0 to 1 cycle; 0 of an RTL board without a golden model.
double board_time_part(const struct board *board);

// How often its counters have been latched.
uint64_t board_snapshots(const struct board *board);

// Comparison with the shadow.
struct board_verdict {
    uint64_t counters_equal, counters_differ; // of all snapshots
    uint64_t rounds;                          // whole snapshots
    const char *difference;                   // first one (a pin, a register or a counter), or NULL
};
struct board_verdict board_verdict(const struct board *board);

#endif
