// SPDX-License-Identifier: Apache-2.0
// Credits of one link port and VC: slots downstream, as cumulative counts modulo 16, and the bubble
// rule. Pure functions; RTL: rtl/router/ofr_credit.v. Used by the router model and torussim alike.
#ifndef OFR_CREDIT_H
#define OFR_CREDIT_H

#include <stdbool.h>

enum { OFR_CREDIT_MASK = 15 }; // cumulative counts are modulo 16

// The most that ofr_credit_used() can be of a VC of `slots`, 2 to 8: all the bits that tell 0 to
// `slots` apart.
static inline unsigned ofr_credit_most(unsigned slots)
{
    return slots | slots >> 1 | slots >> 2 | slots >> 3;
}

// Slots in use downstream, of a VC of `slots`: what was sent less what has come back. More than
// `slots`: the neighbour breaks the contract.
static inline unsigned ofr_credit_used(unsigned sent, unsigned returned, unsigned slots)
{
    return (sent - returned) & ofr_credit_most(slots);
}

// Free slots of a VC of `slots`, of which `used` are in use; never less than none.
static inline unsigned ofr_credit_free(unsigned used, unsigned slots)
{
    return used < slots ? slots - used : 0;
}

// The bubble rule (Adaptive Bubble Router; Versaci 2013, sec. 2): may a packet take a slot of an
// escape ring that has `free` of them downstream? It goes on in its ring with one, and enters the
// ring (from the local port, another dimension, the adaptive VC, or the other escape VC) with two,
// so that a ring never fills up and always moves.
static inline bool ofr_bubble_allows(unsigned free, bool goes_on)
{
    return free >= (goes_on ? 1U : 2U);
}

// The injection threshold: may a packet from the local port take a slot of a VC that has `free` of
// them downstream? Where it may not, the decision on a way (struct ofr_sample) sees all as used.
static inline bool ofr_threshold_allows(unsigned free, unsigned threshold)
{
    return free > threshold;
}

#endif
