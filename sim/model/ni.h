// SPDX-License-Identifier: Apache-2.0
// The network interface, the core's packet mailbox: what rtl/local/ofr_ni.v computes.
//
// All management packets are 32 bytes. The hardware stamps MGMT = 1, LEG = 1, SOURCE = this node,
// KIND = MGMT, and class INORDER unless DIRECTED was asked for; the rest is as written, padded
// with zeros. Receiving never pushes back: full, poisoned, misaddressed, wrong length: dropped and
// counted.
#ifndef OFR_NI_H
#define OFR_NI_H

#include "router.h"

enum {
    OFR_NI_BYTES = 32, // a packet, header included
    OFR_NI_WORDS = OFR_NI_BYTES / 4,
    OFR_NI_PACKETS = 4, // room of the receiving mailbox
};

struct ofr_ni {
    uint8_t n, flit_bits;
    // Sending
    uint32_t tx[OFR_NI_WORDS];
    uint8_t tx_count; // words written since TX_HEAD
    bool sending;
    uint8_t tx_index; // flit at the output
    struct ofr_flit out;
    // Receiving
    uint32_t rx[OFR_NI_PACKETS][OFR_NI_WORDS];
    uint8_t rx_read, rx_write, rx_used; // packets
    uint8_t rx_word;                    // next word that RX_DATA shows
    uint8_t rx_index;                   // of the next flit, up to one more than a packet has
    bool rx_drop;                       // the packet under way is not kept
    uint16_t dropped;
    // State in the cycle of the last step or read: what a write in that cycle was meant for
    bool was_ready, was_valid;
};

void ofr_ni_init(struct ofr_ni *ni, unsigned n, unsigned flit_bits);

// One cycle. take: the flit in ni->out goes into the local port. flit: of a management packet.
void ofr_ni_step(struct ofr_ni *ni, bool take, const struct ofr_flit *flit,
                 const struct ofr_config *config);

// Registers, by byte offset in the node; others read 0. A read of RX_DATA steps. A write returns
// false when refused (bus error): TX_* while not TX_READY, TX_DATA and TX_SEND without TX_HEAD.
uint32_t ofr_ni_read(struct ofr_ni *ni, unsigned offset);
bool ofr_ni_write(struct ofr_ni *ni, unsigned offset, uint32_t value,
                  const struct ofr_config *config);

// Nothing to do until a flit comes or a register is written.
bool ofr_ni_idle(const struct ofr_ni *ni);

#endif
