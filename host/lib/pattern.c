// SPDX-License-Identifier: Apache-2.0
// Traffic patterns, by name, and the load that saturates a torus. The patterns are the model's.
#include <string.h>

#include "../../sim/model/pattern.h"
#include "handle.h"

API const char *torus_pattern_name(enum torus_pattern pattern)
{
    return (unsigned)pattern < TORUS_PATTERNS ? ofr_pattern_name(pattern) : NULL;
}

API int torus_pattern_named(const char *name)
{
    int pattern = ofr_pattern_named(name);
    return pattern < TORUS_PATTERNS ? pattern : -1;
}

API const char *torus_pattern_missing(enum torus_pattern pattern, unsigned dims, const uint8_t k[3])
{
    struct ofr_torus torus = {.n = (uint8_t)dims};
    memcpy(torus.k, k, dims);
    return ofr_pattern_missing(&torus, pattern);
}

API double torus_gamma0(unsigned dims, const uint8_t k[3])
{
    double least = 0;
    for (unsigned i = 0; i < dims; i++) {
        double size = k[i], load;
        if (k[i] < 2)
            continue;
        load = k[i] == 2 ? 2 : k[i] % 2 ? 8 * size / (size * size - 1) : 8 / size;
        if (least <= 0 || load < least)
            least = load;
    }
    return least;
}
