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

uint8_t (*users_find(struct torus *t, const char *at, unsigned *boards, int *status))[3]
{
    uint8_t k[3];
    unsigned nodes = 1;
    uint32_t shape = 1;
    int error = torus_attach(t);
    if (error == TORUS_OK)
        error = names_learn(t);
    *boards = 0;
    *status = error == TORUS_OK ? 0 : report(t, error);
    if (*status)
        return NULL;
    torus_sizes(t, k);
    if (all(at))
        nodes = (unsigned)k[0] * k[1] * k[2];
    uint8_t(*found)[3] = calloc(nodes, sizeof *found);
    if (!found)
        *status = wrong("command", "user's programs", "out of memory");
    for (unsigned n = 0; n < nodes && !*status; n++) {
        if (all(at)) {
            torus_node_at(k, n, found[*boards]);
            error = torus_read(t, found[*boards], OFR_USER_SHAPE, &shape);
            *status = error == TORUS_OK ? 0 : report(t, error);
        } else {
            *status = place_find(t, at, found[0]);
        }
        *boards += shape != 0;
    }
    if (!*status && !*boards)
        *status = wrong("boards", "all", "none is built with a user's core (parameter USER)");
    if (*status) {
        free(found);
        found = NULL;
    }
    return found;
}
