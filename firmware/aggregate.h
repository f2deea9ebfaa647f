// SPDX-License-Identifier: Apache-2.0
// How the answers of many boards become one (protocol.h, enum ofr_aggregate), and when a start that
// all share is: for the firmware's collectives, and for a host that asks the boards one by one. The
// firmware's copies are inlined where they are used once: that is smaller than a call.
#ifndef OUTFLANK_AGGREGATE_H
#define OUTFLANK_AGGREGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

// a: the four words that no answer has been added to yet.
static inline void aggregate_begin(unsigned aggregate, uint32_t a[4])
{
    bool ones = aggregate == OFR_AGG_AND || aggregate == OFR_AGG_MIN;
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++)
        a[i] = ones || (aggregate == OFR_AGG_SPAN && i < 2) ? 0xffffffff : 0;
}

static inline void aggregate_sum64(uint32_t *a, const uint32_t *d)
{
    a[0] += d[0];
    a[1] += d[1] + (a[0] < d[0]);
}

// Adds to a[4] the answer d[4] of a node, or where `part` of several, added up already.
static inline void aggregate_add(unsigned aggregate, uint32_t *a, const uint32_t *d, bool part)
{
    switch (aggregate) {
    case OFR_AGG_SUM:
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            a[i] += d[i];
        break;
    case OFR_AGG_AND:
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            a[i] &= d[i];
        break;
    case OFR_AGG_OR:
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            a[i] |= d[i];
        break;
    case OFR_AGG_MIN:
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            a[i] = d[i] < a[i] ? d[i] : a[i];
        break;
    case OFR_AGG_MAX:
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            a[i] = d[i] > a[i] ? d[i] : a[i];
        break;
    case OFR_AGG_SPAN:
        a[0] &= d[0];
        a[1] &= d[1];
        a[2] |= part ? d[2] : d[0];
        a[3] |= part ? d[3] : d[1];
        break;
    case OFR_AGG_TOTALS:
        aggregate_sum64(a, d);
        a[2] += d[2];
        a[3] += d[3];
        break;
    case OFR_AGG_RESULT:
        aggregate_sum64(a, d);
        a[2] += d[2];
        a[3] = d[3] > a[3] ? d[3] : a[3];
        break;
    }
}

// Is message m a start whose times count from the time at which it is given?
static inline bool starts_from_now(const uint32_t *m)
{
    return (m[0] & OFR_OP_MASK) == OFR_OP_START && (m[0] >> 8 & 0xff) == 2;
}

// Makes such a start, given at time `now`, the same for all boards: times as they are (argument 3).
static inline void start_at(uint32_t *m, uint32_t now)
{
    m[0] |= 1u << 8;
#pragma GCC unroll 3
    for (unsigned i = 3; i < 6; i++)
        m[i] += now;
}

#endif
