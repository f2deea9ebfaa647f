// SPDX-License-Identifier: Apache-2.0
// The IDNs between which the OFR unit decides, for all pairs of nodes. Worked out once for sources
// that are alike: shifts of the torus along a dimension of any size but 2, which is a mesh axis,
// shift the IDNs with them.
#ifndef OFR_DETOURS_H
#define OFR_DETOURS_H

#include <stddef.h>

#include "decide.h"

enum { OFR_MAX_DETOURS = OFR_TABLE_INDEXES + 8 }; // n <= 3

struct ofr_detours {
    const struct ofr_torus *torus;
    uint8_t *count;                   // [class of s * nodes + t shifted by -s]
    uint16_t (*idn)[OFR_MAX_DETOURS]; // likewise, shifted by -s
};

// Bytes of memory (aligned as for malloc) for a torus of n <= 3, sizes 1 to 16.
size_t ofr_detours_bytes(const struct ofr_torus *torus);
struct ofr_detours ofr_detours(const struct ofr_torus *torus, enum ofr_tie tie,
                               const struct ofr_table *table, void *memory);

// The IDNs of a pair that are admissible: node numbers, in the order of the candidates; none where
// the OFR unit does not decide (s = t, or next to each other). Returns how many.
unsigned ofr_detours_of(const struct ofr_detours *d, const struct ofr_coord *s,
                        const struct ofr_coord *t, uint32_t q[OFR_MAX_DETOURS]);

#endif
