// SPDX-License-Identifier: Apache-2.0
// Register block COUNT (rtl/regs/outflank.json): snapshot of all counters, what
// rtl/router/ofr_counters.v does, except that the copy takes no time: SNAPSHOT never reads 1.
#ifndef OFR_COUNTERS_H
#define OFR_COUNTERS_H

#include "router.h"

struct ofr_counters {
    uint64_t snapshot[OFR_COUNTS]; // 48 bits each; small: 32, saturating
    uint8_t index;                 // INDEX; 0 is shown from OFR_COUNTS on
    uint8_t n;                     // dimensions
    bool small;                    // only those of ofr_counters_in_small()
};

// n: dimensions, 2 or 3 (the layout is the same, counters that do not exist are 0). All counters;
// set `small` after it for those of rtl/router/ofr_counters_small.v.
void ofr_counters_init(struct ofr_counters *counters, unsigned n);

// Whether the small build has it. FLITS of a link counts there what it sends on all VCs, as VC 0's.
bool ofr_counters_in_small(unsigned n, unsigned index);

// Index of the counter that is copied last into a snapshot, for who watches the copy.
unsigned ofr_counters_last(const struct ofr_counters *counters);

// Byte offsets within the node's 4 KiB. A read of HIGH steps INDEX; offsets of other blocks are 0
// and nobody's business here.
uint32_t ofr_counters_read(struct ofr_counters *counters, unsigned offset);

// `live`: the node's counters after the step of the cycle in which the write is done; only
// SNAPSHOT looks at them.
void ofr_counters_write(struct ofr_counters *counters, unsigned offset, uint32_t value,
                        const uint64_t live[OFR_COUNTS]);

// Counter `index` of the snapshot; 0 from OFR_COUNTS on.
uint64_t ofr_counters_value(const struct ofr_counters *counters, unsigned index);

#endif
