// SPDX-License-Identifier: Apache-2.0
// The reliable links of a torus: at every port that is cabled an end of a link, in the golden model
// and, where there is one, in RTL, which must be alike in every cycle; between the ends cables with
// bit errors, bursts and plugs that are pulled. They are below the routers' pins: links_cycle()
// fills in what fabric_cycle() leaves alone with `linked`. Everything follows from the seed.
#ifndef LINKS_H
#define LINKS_H

#include "link.h"
#include "router.h"

// Link ends in RTL, link_rtl.h; behind pointers, so that a program can do without.
struct link_rtl;
struct link_rtl_ops {
    struct ofr_link_shape (*shape)(void);
    struct link_rtl *(*create)(uint64_t seed);
    void (*destroy)(struct link_rtl *end);
    void (*reset)(struct link_rtl *end);
    void (*step)(struct link_rtl *end, const struct ofr_link_in *in);
    void (*out)(const struct link_rtl *end, struct ofr_link_out *out);
};

// Of lockstep: the link ends that it has below the routers' ports; NULL: plain links. In
// lockstep_plain.c or lockstep_links.c.
const struct link_rtl_ops *lockstep_links(void);

struct links_options {
    struct ofr_torus torus;
    struct ofr_link_shape shape;
    const struct link_rtl_ops *rtl; // NULL: golden ends alone
    uint64_t seed;
    unsigned latency; // longest cable, cycles, 1 to WIRE_LATENCY; each is drawn from 1 to this
    unsigned pace;    // words: one every so many cycles; 0: one in three, at random
};

struct links;

// NULL when memory is short.
struct links *links_new(const struct links_options *options);
void links_free(struct links *links);

// Input pins of all routers at their links, from all routers' output pins and the links' own.
// Elements a node.
void links_cycle(struct links *links, const struct ofr_router_out *const out[],
                 struct ofr_router_in in[]);
// The same cycle's step of all ends; then RTL and golden ends are compared.
void links_step(struct links *links);

// A node's ends are in reset for so many cycles from the next links_cycle() on, 1 at least.
void links_reset(struct links *links, uint32_t node, unsigned cycles);
// A cable's plug is out for so many cycles.
void links_pull(struct links *links, uint32_t node, unsigned port, unsigned cycles);
// From now on so many bits are wrong, and so often a burst begins, of a word; 40 words in the mean.
void links_noise(struct links *links, double error_rate, double burst_rate);
// From now on no bit is wrong, and all plugs are in.
void links_calm(struct links *links);

bool links_up(const struct links *links);   // all, at both ends
bool links_idle(const struct links *links); // no flit is in any
// First thing in which an end in RTL is not its model, or NULL; and whose it is.
const char *links_error(const struct links *links, uint32_t *node);
// A damaged frame was taken, as its CRC fits: from here on packets may be wrong.
bool links_unseen(const struct links *links);

// Sums over all ends, resets included. errors: words that came out wrong.
struct links_totals {
    uint64_t ends, words, errors, frames, bad, retries, falls;
    uint64_t apart_max; // longest time for which two ends disagreed on being up, cycles
};
struct links_totals links_totals(const struct links *links);
// Two ends have disagreed on being up for longer than they may: 16 ticks and twice a frame's way
// (rtl/link/README.md).
bool links_apart(const struct links *links);

#endif
