// SPDX-License-Identifier: Apache-2.0
// Queues that wait for each other: can packets wait in a circle?
//
// A packet is in one queue, of a link and a VC, and waits there for one of the outputs of the next
// node. The escape queues must bring every packet on, whatever happens in the others (Duato, IEEE
// TPDS 4, 1993; packets are stored whole, so what they left behind does not matter). So the
// dependencies of escape queues on escape queues have no cycle; or each cycle is a ring by itself,
// in which a packet goes on into the one next queue with a free slot, while everything that enters
// the ring, from the generator, other queues and other rings, needs two, so that a bubble stays
// (Carrion et al., HiPC 1997; Puente et al., J. Parallel Distrib. Comput. 61, 2001).
//
// Pure functions on memory of the caller's. Used by deadlock.h, which is about boards, and by
// torussim, whose routings are its own.
#ifndef OFR_WAITS_H
#define OFR_WAITS_H

#include <stddef.h>

#include "torus.h"

enum { OFR_QUEUE_VCS = 3 }; // adaptive (no escape), VS1, VS2: as OFR_VC_*

// A graph of queues. Queue (node, port, vc) has the number (node * ports + port) * 3 + vc, ports =
// 2 n; it is of the link that leaves the node over that port. What waits: masks of queues of one
// node, bit 3 port + vc; [0] those for which a free slot is enough, [1] those that need two.
struct ofr_waits {
    const struct ofr_torus *torus;
    // Of the node behind the queue's link, for whose outputs packets in the queue wait.
    const uint64_t *(*queue)(const void *of, uint32_t queue);
    // Of the node itself, for whose outputs packets from its local port wait.
    const uint64_t *(*local)(const void *of, uint32_t node);
    const void *of;
};

enum ofr_verdict {
    OFR_NO_CHECK, // nothing was looked at
    OFR_ACYCLIC,
    OFR_ESCAPABLE, // cyclic, but rings with a bubble only
    OFR_DEADLOCK,  // a cycle, in `queue`
    OFR_NO_ESCAPE, // a packet in queue[0] has no escape
    OFR_DEAD_LINK, // a packet's escape, queue[0], is of a link that is down
    OFR_UNKNOWN,   // a cycle in `queue` that may be none of messages (torussim, engine flit)
};

enum { OFR_AT_LOCAL = OFR_MAX_PORTS }; // the "port" of a packet that is at its source's local port

struct ofr_waiting {
    uint32_t node; // number, ofr_node_id()
    uint8_t port, vc;
    uint8_t slots; // that what comes into it from the one before it in a cycle needs, 1 or 2
};

enum { OFR_CYCLE_SHOWN = 256 };

struct ofr_deadlock {
    enum ofr_verdict verdict;
    uint32_t queues, dependencies; // escape queues that are used, and what they wait for
    uint32_t rings;
    // OFR_DEADLOCK: a cycle. With `ring` it is one by itself that is entered with one slot.
    struct ofr_waiting queue[OFR_CYCLE_SHOWN];
    unsigned length; // of the cycle, at most so many are shown
    bool ring;
    uint32_t toward; // OFR_DEAD_LINK: the node that the packet is on its way to
};

// Bytes of memory (aligned as for malloc) for a torus' graph. The verdict on one: OFR_ACYCLIC,
// OFR_ESCAPABLE or OFR_DEADLOCK.
size_t ofr_waits_bytes(const struct ofr_torus *torus);
struct ofr_deadlock ofr_waits_judge(const struct ofr_waits *waits, void *memory);

#endif
