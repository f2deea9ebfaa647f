// SPDX-License-Identifier: Apache-2.0
// Boards with a user's core, as --at of load, start, console and stop says.
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "ofr_regs.h"

static bool all(const char *at)
{
    return !at || !strcmp(at, "all");
}

bool users_good(const char *at)
{
    return all(at) || place_good(at);
}

bool users_several(const struct args *a, const char *at)
{
    return all(at) || a->names;
}

uint8_t (*users_find(struct torus *t, const char *at, unsigned *boards, unsigned *missing,
                     int *status))[3]
{
    uint8_t k[3], place[3];
    uint32_t shape = 0;
    *boards = 0;
    *status = attach_there(t, missing);
    if (*status)
        return NULL;
    torus_sizes(t, k);
    uint8_t(*found)[3] = calloc(all(at) ? (size_t)k[0] * k[1] * k[2] : 1, sizeof *found);
    if (!found) {
        *status = wrong("command", "user's programs", "out of memory");
        return NULL;
    }
    if (!all(at)) {
        *missing = 0;
        *status = place_find(t, at, found[(*boards)++]);
    }
    for (unsigned n = 0; all(at) && !*status && next_there(t, &n, place); n++) {
        int error = torus_read(t, place, OFR_USER_SHAPE, &shape);
        *status = error == TORUS_OK ? 0 : report(t, error);
        if (!*status && shape)
            memcpy(found[(*boards)++], place, sizeof place);
    }
    if (!*status && !*boards)
        *status = wrong("boards", "all", "none is built with a user's core (parameter USER)");
    if (*status) {
        free(found);
        found = NULL;
    }
    return found;
}
