// SPDX-License-Identifier: Apache-2.0
#include "counters.h"

#include "ofr_regs.h"

#include <string.h>

static const uint64_t MASK = (UINT64_C(1) << 48) - 1;

void ofr_counters_init(struct ofr_counters *counters, unsigned n)
{
    memset(counters, 0, sizeof *counters);
    counters->n = (uint8_t)n;
}

bool ofr_counters_in_small(unsigned n, unsigned index)
{
    if (index < OFR_COUNTER_NODE_BASE) // FLITS on VC 0, of links
        return index % 12 == OFR_COUNTER_FLITS && index / 12 < 2 * n;
    if (index < OFR_COUNTER_LINK_BASE)
        return index != OFR_COUNTER_REFUSED && index != OFR_COUNTER_HOPS;
    return index < OFR_COUNTER_LINK_BASE + 3 * 2 * n;
}

unsigned ofr_counters_last(const struct ofr_counters *counters)
{
    return counters->small ? OFR_COUNTER_LINK_BASE + 3 * 2 * counters->n - 1 : OFR_COUNTS - 1;
}

static uint64_t small_value(unsigned n, unsigned index, const uint64_t live[OFR_COUNTS])
{
    uint64_t value = live[index];
    if (!ofr_counters_in_small(n, index))
        return 0;
    if (index < OFR_COUNTER_NODE_BASE)
        value += live[index + 4] + live[index + 8]; // VS1, VS2
    return value < UINT32_MAX ? value : UINT32_MAX;
}

uint64_t ofr_counters_value(const struct ofr_counters *counters, unsigned index)
{
    return index < OFR_COUNTS ? counters->snapshot[index] : 0;
}

uint32_t ofr_counters_read(struct ofr_counters *counters, unsigned offset)
{
    uint64_t shown = ofr_counters_value(counters, counters->index);
    switch (offset) {
    case OFR_COUNT_INDEX:
        return counters->index;
    case OFR_COUNT_LOW:
        return (uint32_t)shown;
    case OFR_COUNT_HIGH:
        counters->index++;
        return (uint32_t)(shown >> 32);
    default:
        return 0;
    }
}

void ofr_counters_write(struct ofr_counters *counters, unsigned offset, uint32_t value,
                        const uint64_t live[OFR_COUNTS])
{
    if (offset == OFR_COUNT_INDEX)
        counters->index = (uint8_t)value;
    if (offset == OFR_COUNT_SNAPSHOT)
        for (unsigned i = 0; i < OFR_COUNTS; i++)
            counters->snapshot[i] =
                counters->small ? small_value(counters->n, i, live) : live[i] & MASK;
}
