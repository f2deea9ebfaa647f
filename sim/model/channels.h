// SPDX-License-Identifier: Apache-2.0
// A node's channels: the block, and the registers through which software or the node's collectives
// have ends (ATTACH): what rtl/channel/ofr_channels.v computes, every pin every cycle.
#ifndef OFR_CHANNELS_H
#define OFR_CHANNELS_H

#include "collective.h"

struct ofr_channels {
    struct ofr_channel block;
    uint16_t attached; // ends that software has, a bit an end
    uint8_t joined;    // ... that the collectives have
    uint8_t pairs;     // ends that these could have, the first ones
    bool waits;        // a beat of software's is on its way, to this end:
    uint8_t end;
    struct ofr_beat beat; // ... or is being written
    uint32_t high;
    const struct ofr_config *config; // of the last step; NULL: there was none
    bool take;                       // what this end shows has been taken
    uint8_t take_end;
    // In whose step a register was accessed: what the write behind it goes by, as the cycle began
    bool accessed;
    bool timed; // there was such an access: software's take cycles
    struct ofr_channels_seen {
        struct ofr_channel_seen end;
        bool mid, ready, comes, waits;
    } seen;
};

// The user's logic in one cycle, element e is end e's.
struct ofr_channels_pins {
    struct ofr_beat s[OFR_CHANNEL_ENDS];
    bool m_ready[OFR_CHANNEL_ENDS];
};

struct ofr_channels_in {
    const struct ofr_channels_pins *pins; // NULL: nothing is offered or taken
    // The collectives, likewise; ofr_collective_out's `to` and `from_ready` of this cycle
    const struct ofr_collective_out *collective;
    bool tx_ready;
    struct ofr_flit rx; // delivered to this node
    bool access;        // a register of the node is accessed in this cycle, in one of three at most
    const struct ofr_config *config;
};

// pairs: of the collectives' streams, 0 (none) to shape->ends. False where something is out of
// range.
bool ofr_channels_init(struct ofr_channels *c, const struct ofr_channel_shape *shape,
                       unsigned pairs);

// Output pins: the end whose TREADY is 1, or -1; what is offered to the user's logic; to the port.
int ofr_channels_ready(const struct ofr_channels *c);
struct ofr_beat ofr_channels_m(const struct ofr_channels *c, unsigned e);
struct ofr_flit ofr_channels_tx(const struct ofr_channels *c);

// What the collectives' stream p shows them: the beat that has come, and whether one that is given
// is taken.
struct ofr_beat ofr_channels_from(const struct ofr_channels *c, unsigned p);
bool ofr_channels_to_ready(const struct ofr_channels *c, unsigned p);

// One clock cycle.
void ofr_channels_step(struct ofr_channels *c, const struct ofr_channels_in *in);

// Registers of block CHANNEL by byte offset in the node: a read before the step of its cycle, a
// write behind it, also one to another offset. Behind a step without in->access any number of them:
// what a write began is finished before the next one. False: a bus error, nothing was written.
uint32_t ofr_channels_read(struct ofr_channels *c, unsigned offset);
bool ofr_channels_write(struct ofr_channels *c, unsigned offset, uint32_t value,
                        const struct ofr_config *config);

// In place of a write that is known to be refused, and takes the cycle that one would.
void ofr_channels_refused(struct ofr_channels *c);

// As ofr_channel_idle().
bool ofr_channels_idle(const struct ofr_channels *c);

#endif
