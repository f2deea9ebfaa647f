// SPDX-License-Identifier: Apache-2.0
#include "counters.h"

#include "ofr_regs.h"

#include <string.h>

static const uint64_t MASK = (UINT64_C(1) << 48) - 1;

void ofr_counters_init(struct ofr_counters *counters, unsigned n)
{
    (void)n;
    memset(counters, 0, sizeof *counters);
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
            counters->snapshot[i] = live[i] & MASK;
}
