// SPDX-License-Identifier: Apache-2.0
// Regions of a layout that came in over wrong cables, moved to where their other cables lead.
//
// A cable that does not fit says by how far the board at its far end would have to be moved. For
// each such distance: which boards, moved by it, make the most cables fit? Those that fit now and
// join a board that moves to one that stays are lost, those off by that distance won where their
// near end stays and their far end moves. A minimum cut: the near ends are joined to the source
// (stay), the far ends to the sink (move), boards by the cables that fit.
#include "layout.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200, SMALL = 64 };

struct cut {
    const struct layout *l;
    unsigned *off; // of each + cable, board * 3 + dimension: by how much it does not fit, as a node
    int8_t *flow;  // along it, -1 to 1
    uint8_t *in, *out; // of each board: what is left of its edges from the source and to the sink
    int *by;           // how the search came to a board: board * 6 + port of that one
    unsigned *queue;
    bool *move;
};

enum { FITS = 0, NO_LINK = 0xffffffff, UNSEEN = -1, FIRST = -2 };

static unsigned offset(const struct layout *l, unsigned b, unsigned dim)
{
    int c = layout_link(l, b, 2 * dim);
    if (c < 0 || l->node[b] == NOWHERE || l->node[c] == NOWHERE)
        return NO_LINK;
    uint8_t want[3], is[3];
    torus_node_at(l->k, layout_beside(l, (unsigned)l->node[b], 2 * dim), want);
    torus_node_at(l->k, (unsigned)l->node[c], is);
    for (unsigned d = 0; d < 3; d++)
        want[d] = (uint8_t)((want[d] + l->k[d] - is[d]) % l->k[d]);
    return torus_node(l->k, want);
}

static unsigned sum(const struct layout *l, unsigned node, unsigned by)
{
    uint8_t a[3], b[3];
    torus_node_at(l->k, node, a);
    torus_node_at(l->k, by, b);
    for (unsigned d = 0; d < 3; d++)
        a[d] = (uint8_t)((a[d] + b[d]) % l->k[d]);
    return torus_node(l->k, a);
}

static unsigned negative(const struct layout *l, unsigned node)
{
    uint8_t at[3];
    torus_node_at(l->k, node, at);
    for (unsigned d = 0; d < 3; d++)
        at[d] = (uint8_t)((l->k[d] - at[d]) % l->k[d]);
    return torus_node(l->k, at);
}

// May one more unit go from board b out of its port p? Then also where to.
static int onward(const struct cut *t, unsigned b, unsigned p)
{
    int c = layout_link(t->l, b, p);
    if (c < 0)
        return NOWHERE;
    unsigned e = p % 2 ? (unsigned)c * 3 + p / 2 : b * 3 + p / 2;
    if (t->off[e] != FITS)
        return NOWHERE;
    return (p % 2 ? -t->flow[e] : t->flow[e]) < 1 ? c : NOWHERE;
}

// One more unit from the source to the sink. False: there is no way left.
static bool augment(struct cut *t)
{
    const struct layout *l = t->l;
    unsigned head = 0, tail = 0;
    for (unsigned b = 0; b < l->boards; b++) {
        t->by[b] = t->in[b] ? FIRST : UNSEEN;
        if (t->in[b])
            t->queue[tail++] = b;
    }
    while (head < tail) {
        unsigned b = t->queue[head++];
        if (t->out[b]) {
            t->out[b]--;
            while (t->by[b] != FIRST) {
                unsigned from = (unsigned)t->by[b] / TORUS_PORTS,
                         p = (unsigned)t->by[b] % TORUS_PORTS;
                if (p % 2)
                    t->flow[b * 3 + p / 2]--;
                else
                    t->flow[from * 3 + p / 2]++;
                b = from;
            }
            t->in[b]--;
            return true;
        }
        for (unsigned p = 0; p < 2 * l->dims; p++) {
            int c = onward(t, b, p);
            if (c >= 0 && t->by[c] == UNSEEN) {
                t->by[c] = (int)(b * TORUS_PORTS + p);
                t->queue[tail++] = (unsigned)c;
            }
        }
    }
    return false;
}

// The boards from which the sink can still be reached: the fewest that a minimum cut moves.
static void find_movers(struct cut *t)
{
    const struct layout *l = t->l;
    unsigned head = 0, tail = 0;
    for (unsigned b = 0; b < l->boards; b++) {
        t->move[b] = t->out[b] > 0;
        if (t->move[b])
            t->queue[tail++] = b;
    }
    while (head < tail) {
        unsigned b = t->queue[head++];
        for (unsigned p = 0; p < 2 * l->dims; p++) {
            int c = layout_link(l, b, p);
            if (c >= 0 && !t->move[c] && onward(t, (unsigned)c, p ^ 1) == (int)b) {
                t->move[c] = true;
                t->queue[tail++] = (unsigned)c;
            }
        }
    }
}

// Moves what a minimum cut for this distance says, if that makes more cables fit. `wanted`: so many
// are off by it.
static bool move_by(struct cut *t, struct layout *l, unsigned by, unsigned wanted)
{
    unsigned flow = 0, back = negative(l, by);
    memset(t->flow, 0, 3 * (size_t)l->boards);
    memset(t->in, 0, l->boards);
    memset(t->out, 0, l->boards);
    for (unsigned e = 0; e < 3 * l->boards; e++) {
        if (t->off[e] != by && t->off[e] != back)
            continue;
        unsigned b = e / 3, c = (unsigned)layout_link(l, b, 2 * (e % 3));
        t->in[t->off[e] == by ? b : c]++;
        t->out[t->off[e] == by ? c : b]++;
    }
    while (augment(t))
        if (++flow == wanted)
            return false;
    find_movers(t);
    for (unsigned b = 0; b < l->boards; b++)
        if (t->move[b])
            l->node[b] = (int)sum(l, (unsigned)l->node[b], by);
    return true;
}

// One move, of the distance by which most cables are off. count: one a node, of zeros; left so.
static bool move_once(struct cut *t, struct layout *l, unsigned *count)
{
    bool moved = false;
    unsigned off = 0;
    for (unsigned e = 0; e < 3 * l->boards; e++) {
        t->off[e] = e % 3 < l->dims ? offset(l, e / 3, e % 3) : NO_LINK;
        if (t->off[e] != FITS && t->off[e] != NO_LINK) {
            unsigned back = negative(l, t->off[e]);
            count[back < t->off[e] ? back : t->off[e]]++;
            off++;
        }
    }
    // A large torus of which so much does not fit is of other sizes.
    bool hopeless = l->boards > SMALL && 3 * off > l->dims * l->boards;
    while (!moved && !hopeless) {
        unsigned best = 0;
        for (unsigned n = 1; n < l->nodes; n++)
            if (count[n] > count[best])
                best = n;
        if (!count[best])
            break;
        moved = move_by(t, l, best, count[best]);
        count[best] = 0;
    }
    memset(count, 0, l->nodes * sizeof *count);
    return moved;
}

bool layout_shift(struct layout *l)
{
    size_t n = l->boards;
    struct cut t = {.l = l,
                    .off = calloc(3 * n, sizeof *t.off),
                    .flow = calloc(3 * n, 1),
                    .in = calloc(n, 1),
                    .out = calloc(n, 1),
                    .by = calloc(n, sizeof *t.by),
                    .queue = calloc(n, sizeof *t.queue),
                    .move = calloc(n, sizeof *t.move)};
    unsigned *count = calloc(l->nodes, sizeof *count);
    bool good = t.off && t.flow && t.in && t.out && t.by && t.queue && t.move && count;
    for (unsigned round = 0; good && round < ROUNDS && move_once(&t, l, count); round++)
        continue;
    free(t.off);
    free(t.flow);
    free(t.in);
    free(t.out);
    free(t.by);
    free(t.queue);
    free(t.move);
    free(count);
    return good;
}
