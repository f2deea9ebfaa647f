// SPDX-License-Identifier: Apache-2.0
// The OFR decision (paper, sec. 3): admissible IDNs, their profit, the choice. Pure functions.
#ifndef OFR_DECIDE_H
#define OFR_DECIDE_H

#include "torus.h"

enum {
    OFR_TABLE_INDEXES = 8,                       // lambda vectors per set of equal coordinates
    OFR_MAX_CANDIDATES = OFR_TABLE_INDEXES + 64, // OIDNs, then WIDNs
};

// The IDN table and its parameters (register block OFR). Sets: bit i is 1 when s_i = t_i.
struct ofr_table {
    int8_t lambda[1 << OFR_MAX_DIMS][OFR_TABLE_INDEXES][OFR_MAX_DIMS]; // -1, 0, 1; a mu-link is +
    uint8_t valid[1 << OFR_MAX_DIMS];                                  // bit j: entry j is there
    uint64_t widn;                                                     // bit beta (eq. 1)
    uint8_t delta;                                                     // hops
    uint8_t eta;                                                       // 4.4 fixed point
    bool rule_a; // profit 0 if none of a choice's links has a free slot
    bool rule_b; // u* = 0 makes the first term 1 for every choice
    bool oidn;   // use the table's OIDNs
};

// Profit pi = num / den (eq. 15, 16), den > 0. n = 3, k = 16, 24 slots: num < 2^17, den < 2^12.
struct ofr_profit {
    uint32_t num, den;
};

enum ofr_kind { OFR_MINIMAL = 0, OFR_OIDN = 1, OFR_WIDN = 2 };

struct ofr_candidate {
    enum ofr_kind kind;
    uint8_t index;      // table index, or beta
    struct ofr_coord q; // the IDN (eq. 1, 2, 3)
    unsigned distance;  // d(s, q) + d(q, t) (eq. 6)
    struct ofr_profit profit;
    bool admissible; // q is neither s nor t, and each leg has a nu-link
};

struct ofr_decision {
    enum ofr_kind kind; // OFR_MINIMAL: no derouting
    struct ofr_coord q; // the IDN, or t
};

// Reset table for n dimensions: Example 1 (n = 2), Example 2 (n = 3), none else; Delta 2, eta 2.
void ofr_table_reset(struct ofr_table *table, unsigned n);

// Everything the decision sees. used[p]: slots in use of port p's adaptive VC, in flight included,
// 0 .. slots; slots: C, 1 .. 24.
struct ofr_sample {
    struct ofr_torus torus;
    enum ofr_tie tie;
    struct ofr_coord s, t;
    uint8_t slots;
    uint8_t used[OFR_MAX_PORTS];
};

// All candidates in order (OIDNs by index, then WIDNs by beta), inadmissible ones marked.
// Returns how many. `minimal` gets the minimal route's profit (eq. 16).
unsigned ofr_candidates(const struct ofr_sample *sample, const struct ofr_table *table,
                        struct ofr_candidate out[OFR_MAX_CANDIDATES], struct ofr_profit *minimal);

// The choice (eq. 17): the minimal route wins ties, then the first candidate; none if d(s,t) < 2.
struct ofr_decision ofr_decide(const struct ofr_sample *sample, const struct ofr_table *table);

#endif
