// SPDX-License-Identifier: Apache-2.0
// Which port is joined to which.
#include "cables.h"

#include "basics.h"
#include "falls.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void unplug(struct sim *s, struct cable_end end)
{
    struct cable_end *far = &s->peer[end.board][end.port];
    link_fall(s, end);
    if (far->board >= 0)
        s->peer[far->board][far->port] = (struct cable_end){-1, -1};
    *far = (struct cable_end){-1, -1};
}

void plug(struct sim *s, struct cable_end a, struct cable_end b)
{
    unplug(s, a);
    unplug(s, b);
    s->peer[a.board][a.port] = b;
    s->peer[b.board][b.port] = a;
    link_fall(s, a);
}

struct cable_end facing_end(const struct sim *s, struct cable_end end)
{
    const struct ofr_torus *t = &s->o.torus;
    struct ofr_coord at = ofr_node_coord(t, (uint32_t)end.board);
    struct ofr_coord to = ofr_neighbour(t, at, (unsigned)end.port);
    if (t->k[end.port / 2] < 2)
        return (struct cable_end){-1, -1};
    return (struct cable_end){(int)ofr_node_id(t, &to), end.port ^ 1};
}

struct cable_end torus_cable(const struct sim *s, struct cable_end end)
{
    struct ofr_coord at = ofr_node_coord(&s->o.torus, (uint32_t)end.board);
    if (!(ofr_existing_ports(&s->o.torus, &at) >> end.port & 1))
        return (struct cable_end){-1, -1};
    return facing_end(s, end);
}

void cable_torus(struct sim *s)
{
    for (uint32_t n = 0; n < s->boards; n++)
        for (int p = 0; p < OFR_LINKS; p++)
            s->peer[n][p] = (struct cable_end){-1, -1};
    for (uint32_t n = 0; n < s->boards; n++)
        for (int p = 0; p < 2 * s->o.torus.n; p++) {
            struct cable_end end = {(int)n, p}, far = torus_cable(s, end);
            if (far.board >= 0)
                plug(s, end, far);
        }
}

const char *read_end(const struct sim *s, const char *text, struct cable_end *end)
{
    char *at;
    errno = 0;
    unsigned long board = strtoul(text, &at, 10);
    if (errno || at == text || *at != '.' || board >= s->boards)
        return NULL;
    const char *dim = strchr("xyz", at[1]);
    if (!at[1] || !dim || dim - "xyz" >= s->o.torus.n || (at[2] != '+' && at[2] != '-'))
        return NULL;
    end->board = (int)board;
    end->port = (int)ofr_port((unsigned)(strchr("xyz", at[1]) - "xyz"), at[2] == '-');
    return at + 3;
}

bool read_cable(const struct sim *s, const char *text, struct cable_end *a, struct cable_end *b)
{
    const char *rest = read_end(s, text, a);
    *b = (struct cable_end){-1, -1};
    if (rest && *rest == ':')
        rest = read_end(s, rest + 1, b);
    return rest && !*rest;
}

void change_cables(struct sim *s)
{
    for (size_t i = 0; i < s->o.plugs; i++) {
        struct cable_end a, b;
        if (!read_cable(s, s->o.plug[i], &a, &b))
            die("--cable %s: write 5.x+ to pull a cable, 5.x+:7.y- to plug one; boards are 0 to "
                "%u, ports x+ x- y+ y-%s",
                s->o.plug[i], s->boards - 1, s->o.torus.n == 3 ? " z+ z-" : "");
        if (b.board < 0)
            unplug(s, a);
        else
            plug(s, a, b);
    }
}

void read_pulls(struct sim *s)
{
    s->pull = allocate(s->o.pulls + 1, sizeof *s->pull);
    for (size_t i = 0; i < s->o.pulls; i++) {
        struct pull *u = &s->pull[i];
        const char *rest = read_end(s, s->o.pull[i], &u->end);
        char extra;
        if (!rest || sscanf(rest, "@%" SCNu64 "-%" SCNu64 "%c", &u->from, &u->to, &extra) != 2 ||
            u->from >= u->to)
            die("--pull %s: write 5.x+@20000-40000, a port and the cycles from which and up to "
                "which its plug is out",
                s->o.pull[i]);
        if (s->peer[u->end.board][u->end.port].board < 0)
            die("--pull %s: there is no cable", s->o.pull[i]);
    }
}
