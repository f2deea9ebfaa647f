// SPDX-License-Identifier: Apache-2.0
// The SoC of a golden board: the firmware, compiled for this machine, and what its register
// accesses do. It takes no simulated time.
#ifndef GOLDEN_SOC_H
#define GOLDEN_SOC_H

#include "byte_fifo.h"
#include "fw.h"
#include "node.h"

struct golden_soc {
    struct ofr_node *node; // whose registers it has
    uint64_t serial;       // the board's serial number
    uint32_t clock_hz;     // what BOARD.CLOCK says
    uint32_t divisor;      // what UART.DIVISOR says; bytes take no time
    uint64_t cycle;        // of the board: who steps the node counts them
    uint64_t reset_at;     // cycle of the last reset
    uint64_t snapshots;    // how often its counters have been latched
    struct byte_fifo to_board, from_board;
    struct fw fw;
};

// A reset, behind one of the node. Before the first one all above `cycle` is set.
void golden_soc_reset(struct golden_soc *soc);

// Lets the firmware do what it can, between two steps of the node. Returns whether it did anything.
bool golden_soc_poll(struct golden_soc *soc);

#endif
