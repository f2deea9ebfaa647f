// SPDX-License-Identifier: Apache-2.0
// The OFR decision (paper, sec. 3): admissible IDNs, their profit, the choice. Pure functions.
//
// The rules below are normative for RTL, model, firmware and torussim alike. They are the paper's
// section 3 with every reading that it leaves open fixed; s is the source (the deciding node), t
// the destination, per dimension i: k_i the size, d_i = ofr_dim_distance(s_i, t_i).
//
// Directions. M(a, b): the minimal directions from a to b, per dimension, with the tie register's
//   meaning of distance exactly k_i/2 (`plus`: + only; `both`: + and -). A direction is + or -;
//   M_i(s, t) are the mu-links of dimension i, all other existing links are nu-links.
// Sign. g_i is - where M_i(s, t) is {-}, else + (so + at distance k_i/2 and where s_i = t_i). A
//   lambda of the table is relative to g_i: +1 is the mu side.
// Delta. Clamped per dimension to D_i = min(Delta, floor(k_i/2)).
// OIDN (eq. 2, 3), lambda from the table's set {i : s_i = t_i}:
//     lambda_i = +1: q_i = t_i + g_i D_i     (where s_i = t_i this is eq. 3: s_i + D_i)
//     lambda_i = -1: q_i = s_i - g_i D_i     (eq. 3: s_i - D_i)
//     lambda_i =  0: q_i = floor(S_i/2), S_i = 2 s_i + g_i d_i (the shorter way; s_i if s_i = t_i)
//   all modulo k_i.
// WIDN (eq. 1): beta_i = 0: q_i as for lambda_i = 0; beta_i = 1: q_i = floor((S_i + k_i)/2) mod
//   k_i (so s_i + floor(k_i/2) where s_i = t_i).
// Small dimensions. k_i = 1: lambda_i != 0 or beta_i = 1 drops the candidate. k_i = 2: beta_i = 1
//   drops it, and so does lambda_i != 0 where s_i != t_i; where s_i = t_i, lambda_i = +-1 is the
//   one neighbour (eq. 3 gives it by itself, but for Delta = 0, where q_i = s_i).
// Dropped too: q = s, q = t; no i with M_i(s, q) \ M_i(s, t) nonempty (the leg from s leaves over
//   no nu-link of s); no i with M_i(q, t) \ M_i(s, t) nonempty (the leg to t arrives over no
//   nu-link of t: a link into t is told by the direction in which it is travelled). Ties count as
//   the tie register says, in all three sets.
// Profit (eq. 15, 16). u*: least used slots over all existing links of s. For a choice (a
//   candidate q, or the minimal route with q = t): m = |M(s, q)|, S the used slots summed over
//   M(s, q), u_q = S / m, D = d(s, q) + d(q, t), d = d(s, t), E = 16 eta:
//     profit = f + (E d) / (16 D), f = u* m / S;
//     f = 1 if S = 0, or if rule b is on and u* = 0;
//     profit = 0 if rule a is on and all links of M(s, q) have all slots used.
// Choice (eq. 17): the minimal route unless a candidate has more profit; among those the most
//   profit, the first wins ties, OIDNs by table index before WIDNs by beta. Always the minimal
//   route if d(s, t) < 2.
#ifndef OFR_DECIDE_H
#define OFR_DECIDE_H

#include "torus.h"

enum {
    OFR_TABLE_DIMS = 6,                          // of a torus on which there are decisions
    OFR_TABLE_INDEXES = 8,                       // lambda vectors per set of equal coordinates
    OFR_MAX_CANDIDATES = OFR_TABLE_INDEXES + 64, // OIDNs, then WIDNs
};

// The IDN table and its parameters (register block OFR). Sets: bit i is 1 when s_i = t_i.
struct ofr_table {
    int8_t lambda[1 << OFR_TABLE_DIMS][OFR_TABLE_INDEXES][OFR_TABLE_DIMS]; // -1, 0, 1; + a mu-link
    uint8_t valid[1 << OFR_TABLE_DIMS]; // bit j: entry j is there
    uint64_t widn;                      // bit beta (eq. 1)
    uint8_t delta;                      // hops
    uint8_t eta;                        // 4.4 fixed point
    bool rule_a;                        // profit 0 if none of a choice's links has a free slot
    bool rule_b;                        // u* = 0 makes the first term 1 for every choice
    bool oidn;                          // use the table's OIDNs
};

// Profit pi = num / den (eq. 15, 16), den > 0, not reduced. n = 3, k = 16, 8 slots: num < 2^19,
// den < 2^16 (the common factor 16 included).
struct ofr_profit {
    uint32_t num, den;
};

enum ofr_kind { OFR_MINIMAL = 0, OFR_OIDN = 1, OFR_WIDN = 2 };

struct ofr_candidate {
    enum ofr_kind kind;
    uint8_t index;      // table index, or beta
    struct ofr_coord q; // the IDN (eq. 1, 2, 3); undefined where a small dimension drops it
    unsigned distance;  // d(s, q) + d(q, t) (eq. 6), hops
    struct ofr_profit profit;
    bool admissible; // q is neither s nor t, and each leg has a nu-link; else distance, profit: 0
};

struct ofr_decision {
    enum ofr_kind kind; // OFR_MINIMAL: no derouting
    struct ofr_coord q; // the IDN, or t
};

// A choice without its congestion: what ofr_candidate says before anybody looks at a slot. Kept by
// torussim while a message lasts.
struct ofr_way {
    uint8_t kind;       // enum ofr_kind
    uint8_t index;      // table index, or beta
    bool admissible;    // as in ofr_candidate; true for the minimal route
    uint8_t arrive;     // |M(q, t)|; the minimal route: |M(s, t)|; where not admissible: 0
    uint16_t leave;     // M(s, q), bit p is port p; where not admissible: 0
    uint16_t distance;  // D = d(s, q) + d(q, t), hops; where not admissible: 0
    struct ofr_coord q; // the IDN; t for the minimal route
};

enum { OFR_MAX_WAYS = 1 + OFR_MAX_CANDIDATES };

// Congestion at the deciding node: used[p], slots as in ofr_sample (any C up to 255); ports: those
// that exist, as a mask.
struct ofr_load {
    const uint8_t *used;
    uint32_t ports;
    uint8_t slots;
};

// Reset table for n dimensions: Example 1 (n = 2), Example 2 (n = 3), none (n = 1), and for n = 4
// to 6, which the RTL does not have, vectors that cover all nu-links (Remark 1); Delta 2, eta 2,
// all WIDNs, both rules, OIDNs on. (Example 2 names one of each kind of set; the others are it
// with the coordinates renamed, the order of dimensions kept.)
void ofr_table_reset(struct ofr_table *table, unsigned n);

// Everything the decision sees. used[p]: slots in use of port p's adaptive VC, in flight included,
// 0 .. slots, and all of them where it takes no packet from the local port now: where the link is
// down, or its free slots are not more than the injection threshold. slots: C, 1 .. 24. Entries of
// ports without a link are ignored.
struct ofr_sample {
    struct ofr_torus torus;
    enum ofr_tie tie;
    struct ofr_coord s, t;
    uint8_t slots;
    uint8_t used[OFR_MAX_PORTS];
};

// The minimal route as out[0], then all candidates in order (as ofr_candidates). Returns how many.
unsigned ofr_ways(const struct ofr_torus *torus, enum ofr_tie tie, const struct ofr_coord *s,
                  const struct ofr_coord *t, const struct ofr_table *table,
                  struct ofr_way out[OFR_MAX_WAYS]);

// The minimal route alone.
struct ofr_way ofr_way_minimal(const struct ofr_torus *torus, enum ofr_tie tie,
                               const struct ofr_coord *s, const struct ofr_coord *t);

// Fills in admissible, arrive, leave and distance of a way over way->q (the dropped q apart).
void ofr_way_judge(const struct ofr_torus *torus, enum ofr_tie tie, const struct ofr_coord *s,
                   const struct ofr_coord *t, struct ofr_way *way);

// The choice among ways[0 .. count - 1], ways[0] being the minimal route (eq. 15 to 17): its index.
unsigned ofr_choose(const struct ofr_load *load, const struct ofr_table *table,
                    const struct ofr_way *ways, unsigned count);

// u* (eq. 15): least used slots over all existing links; UINT8_MAX without any.
unsigned ofr_least_used(const struct ofr_load *load);

// Profit (eq. 15, 16) of an admissible way, d = d(s, t) >= 1.
struct ofr_profit ofr_way_profit(const struct ofr_load *load, const struct ofr_table *table,
                                 const struct ofr_way *way, unsigned d);

// All candidates in order (OIDNs by index, then WIDNs by beta), inadmissible ones marked. Only
// valid table entries and WIDNs in the mask are listed; the rule on d(s, t) < 2 is not applied.
// Returns how many. `minimal` gets the minimal route's profit (eq. 16; 0/1 where s = t).
unsigned ofr_candidates(const struct ofr_sample *sample, const struct ofr_table *table,
                        struct ofr_candidate out[OFR_MAX_CANDIDATES], struct ofr_profit *minimal);

// The choice (eq. 17).
struct ofr_decision ofr_decide(const struct ofr_sample *sample, const struct ofr_table *table);

// Cycles of rtl/ofr/ofr_unit.v from start to done, for n = 2 or 3, with multipliers or without.
unsigned ofr_unit_cycles(unsigned n, bool mul);

#endif
