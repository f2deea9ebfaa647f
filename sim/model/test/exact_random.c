// SPDX-License-Identifier: Apache-2.0
#include "exact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t exact_seed(int argc, char **argv, uint64_t otherwise)
{
    const char *text = argc > 1 ? argv[1] : getenv("SEED");
    uint64_t seed = text && *text ? strtoull(text, NULL, 0) : otherwise;
    printf("# seed %llu\n", (unsigned long long)seed);
    return seed;
}

uint64_t exact_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void exact_random_table(struct ofr_table *table, unsigned n, uint64_t *state)
{
    memset(table, 0, sizeof *table);
    for (unsigned set = 0; set < 1u << n; set++) {
        table->valid[set] = (uint8_t)exact_random(state);
        for (unsigned j = 0; j < OFR_TABLE_INDEXES; j++)
            for (unsigned i = 0; i < n; i++)
                table->lambda[set][j][i] = (int8_t)((int)(exact_random(state) % 3) - 1);
    }
    uint64_t bits = exact_random(state);
    table->widn = exact_random(state) & ((1u << n) < 64 ? ((uint64_t)1 << (1u << n)) - 1 : ~0ull);
    table->delta = bits & 7 ? 1 + (bits >> 3 & 3) : bits >> 3 & 15;
    table->eta = bits >> 8 & 7 ? 8 + (bits >> 11 & 31) : bits >> 11 & 255;
    table->rule_a = bits >> 20 & 1;
    table->rule_b = bits >> 21 & 1;
    table->oidn = (bits >> 22 & 7) != 0;
}

void exact_random_used(struct ofr_sample *sample, uint64_t *state)
{
    uint64_t temper = exact_random(state);
    unsigned top = sample->slots + 1u;
    for (unsigned p = 0; p < OFR_MAX_PORTS; p++) {
        unsigned any = (unsigned)(exact_random(state) % top);
        switch (temper % 8) {
        case 0: // nearly full
            any = sample->slots - (unsigned)(exact_random(state) % 8 == 0);
            break;
        case 1: // none empty
            any = 1 + (unsigned)(exact_random(state) % sample->slots);
            break;
        case 2: // nearly empty
            any = (unsigned)(exact_random(state) % 4 == 0);
            break;
        case 3: // two values only: ties
            any = 2 + (unsigned)(exact_random(state) % 2);
            any = any > sample->slots ? sample->slots : any;
            break;
        default:
            break;
        }
        sample->used[p] = (uint8_t)any;
    }
}
