// SPDX-License-Identifier: Apache-2.0
// A torus of given sizes laid over the graph of boards and cables. Every cable from a + to a - port
// says where its two boards are to each other; some of them are wrong. Growing a region from one
// board over the cables that look right gives nearly all boards their place; shift.c moves regions
// that came in over a wrong cable.
#include "layout.h"

#include <stdlib.h>
#include <string.h>

bool layout_new(struct layout *l, const struct torus_board *board, unsigned boards, unsigned dims,
                unsigned nodes)
{
    *l = (struct layout){.board = board, .boards = boards, .dims = dims, .k = {1, 1, 1}};
    l->node = calloc(boards, sizeof *l->node);
    l->board_at = calloc(nodes, sizeof *l->board_at);
    l->next = calloc(nodes, sizeof *l->next);
    l->scratch = calloc(16 * (size_t)boards, sizeof *l->scratch);
    return l->node && l->board_at && l->next && l->scratch;
}

void layout_free(struct layout *l)
{
    free(l->node);
    free(l->board_at);
    free(l->next);
    free(l->scratch);
}

void layout_copy(struct layout *to, const struct layout *from)
{
    int *node = to->node, *board_at = to->board_at;
    uint16_t(*next)[TORUS_PORTS] = to->next;
    unsigned *scratch = to->scratch;
    *to = *from;
    to->next = memcpy(next, from->next, from->nodes * sizeof *next);
    to->node = memcpy(node, from->node, from->boards * sizeof *node);
    to->board_at = memcpy(board_at, from->board_at, from->nodes * sizeof *board_at);
    to->scratch = scratch;
}

void layout_sizes(struct layout *l, const uint8_t k[3])
{
    memcpy(l->k, k, 3);
    l->nodes = (unsigned)k[0] * k[1] * k[2];
    for (unsigned b = 0; b < l->boards; b++)
        l->node[b] = NOWHERE;
    for (unsigned n = 0; n < l->nodes; n++)
        for (unsigned p = 0; p < TORUS_PORTS; p++) {
            uint8_t at[3];
            unsigned size = k[p / 2];
            torus_node_at(k, n, at);
            at[p / 2] = (uint8_t)((at[p / 2] + (p % 2 ? size - 1 : 1)) % size);
            l->next[n][p] = (uint16_t)torus_node(k, at);
        }
}

int layout_link(const struct layout *l, unsigned board, unsigned port)
{
    const struct torus_board *b = &l->board[board];
    bool link = port < 2 * l->dims && l->k[port / 2] > 1 && b->peer[port] >= 0 &&
                b->peer[port] != (int)board && b->peer_port[port] == (int)(port ^ 1);
    return link ? b->peer[port] : NOWHERE;
}

bool layout_needs(const struct layout *l, unsigned node, unsigned port)
{
    uint8_t at[3];
    if (l->k[port / 2] != 2)
        return l->k[port / 2] > 2;
    torus_node_at(l->k, node, at);
    return at[port / 2] == port % 2;
}

// Growing -----------------------------------------------------------------------------------------

// A step along a dimension or, where one of 2 has but one cable of two, to the other board.
static int across(const struct layout *l, int board, unsigned port)
{
    int c = layout_link(l, (unsigned)board, port);
    return c >= 0 || l->k[port / 2] != 2 ? c : layout_link(l, (unsigned)board, port ^ 1);
}

// How far a cable is to be doubted, 0 to 3. One from b to c along i is right where going along
// another dimension first ends at the same board as going there afterwards: squares that agree.
static unsigned doubt(const struct layout *l, unsigned b, unsigned port)
{
    int c = layout_link(l, b, port);
    unsigned agree = 0, differ = 0;
    for (unsigned d = 0; d < 2 * l->dims; d++) {
        unsigned j = d / 2;
        if (j == port / 2 || l->k[j] == 1 || (l->k[j] == 2 && d % 2))
            continue;
        int beside = across(l, (int)b, d), there = across(l, c, d);
        if (beside < 0 || there < 0)
            continue; // no square: a cable is missing or loops back
        int also = layout_link(l, (unsigned)beside, port);
        if (also >= 0)
            *(also == there ? &agree : &differ) += 1;
    }
    return agree && !differ ? 0 : agree > differ ? 1 : agree == differ ? 2 : 3;
}

// Cables from a region outwards, the best first: those as good in the order in which they came.
enum { LEVELS = 10, NONE = 0xffff };
struct frontier {
    unsigned luck;
    uint16_t head[LEVELS], tail[LEVELS];
    uint16_t *next; // of each board and port
};

static void add(struct frontier *f, unsigned level, unsigned item)
{
    f->next[item] = NONE;
    if (f->head[level] == NONE)
        f->head[level] = (uint16_t)item;
    else
        f->next[f->tail[level]] = (uint16_t)item;
    f->tail[level] = (uint16_t)item;
}

static int take(struct frontier *f)
{
    for (unsigned i = 0; i < LEVELS; i++)
        if (f->head[i] != NONE) {
            unsigned item = f->head[i];
            f->head[i] = f->next[item];
            return (int)item;
        }
    return NOWHERE;
}

static void reach(const struct layout *l, struct frontier *f, unsigned b)
{
    uint8_t at[3];
    torus_node_at(l->k, (unsigned)l->node[b], at);
    for (unsigned p = 0; p < 2 * l->dims; p++) {
        int c = layout_link(l, b, p);
        if (c < 0 || l->node[c] != NOWHERE)
            continue;
        unsigned k = l->k[p / 2];
        bool round = k > 2 && at[p / 2] == (p % 2 ? 0 : k - 1);
        unsigned item = b * TORUS_PORTS + p;
        unsigned level = doubt(l, b, p);
        if (f->luck > 1 && (item + 1) * (2 * f->luck + 1) * 2654435761u >> 30 == 0)
            level++;
        add(f, f->luck % 2 ? level + round * LEVELS / 2 : 2 * level + round, item);
    }
}

// The region around a board; in `all`, from number `count` on, the boards in it. Returns how many
// there are then.
static unsigned grow_region(struct layout *l, unsigned start, unsigned luck, uint16_t *all,
                            unsigned count)
{
    struct frontier f = {.luck = luck, .next = (uint16_t *)(l->scratch + 8 * (size_t)l->boards)};
    memset(f.head, 0xff, sizeof f.head);
    l->node[start] = 0;
    all[count++] = (uint16_t)start;
    reach(l, &f, start);
    for (int item; (item = take(&f)) != NOWHERE;) {
        unsigned b = (unsigned)item / TORUS_PORTS, p = (unsigned)item % TORUS_PORTS;
        int c = layout_link(l, b, p);
        if (l->node[c] != NOWHERE)
            continue;
        l->node[c] = (int)layout_beside(l, (unsigned)l->node[b], p);
        all[count++] = (uint16_t)c;
        reach(l, &f, (unsigned)c);
    }
    return count;
}

// A region that no cable joins to what is there (board_at): to where most of it finds room.
static void fit_region(struct layout *l, const uint16_t *region, unsigned count)
{
    unsigned best = 0, best_room = 0;
    uint8_t by[3], at[3];
    for (unsigned shift = 0; shift < l->nodes && best_room < count; shift++) {
        unsigned room = 0;
        torus_node_at(l->k, shift, by);
        for (unsigned i = 0; i < count; i++) {
            torus_node_at(l->k, (unsigned)l->node[region[i]], at);
            for (unsigned d = 0; d < 3; d++)
                at[d] = (uint8_t)((at[d] + by[d]) % l->k[d]);
            room += l->board_at[torus_node(l->k, at)] == NOWHERE;
        }
        if (room > best_room) {
            best_room = room;
            best = shift;
        }
    }
    torus_node_at(l->k, best, by);
    for (unsigned i = 0; i < count; i++) {
        torus_node_at(l->k, (unsigned)l->node[region[i]], at);
        for (unsigned d = 0; d < 3; d++)
            at[d] = (uint8_t)((at[d] + by[d]) % l->k[d]);
        l->node[region[i]] = (int)torus_node(l->k, at);
        l->board_at[l->node[region[i]]] = region[i];
    }
}

void layout_grow(struct layout *l, unsigned start, unsigned luck)
{
    uint16_t *all = (uint16_t *)l->scratch;              // by region
    unsigned *end = l->scratch + l->boards, regions = 0; // of each region in it
    for (unsigned n = 0; n < l->nodes; n++)
        l->board_at[n] = NOWHERE;
    for (unsigned i = 0, count = 0; count < l->boards; i++) {
        unsigned b = i ? i - 1 : start;
        if (l->node[b] == NOWHERE)
            end[regions++] = count = grow_region(l, b, luck, all, count);
    }
    // The largest stays where it is; then the next one.
    for (unsigned done = 0; done < regions; done++) {
        unsigned largest = 0, most = 0;
        for (unsigned r = 0; r < regions; r++) {
            unsigned size = (end[r] & 0xffff) - (r ? end[r - 1] & 0xffff : 0);
            if (!(end[r] >> 16) && size > most) {
                most = size;
                largest = r;
            }
        }
        fit_region(l, all + (largest ? end[largest - 1] & 0xffff : 0), most);
        end[largest] |= 1u << 16;
    }
}

// Settling ----------------------------------------------------------------------------------------

// How many cables of a board would fit if it were at this node; those that are needed count twice.
static unsigned fitting(const struct layout *l, unsigned board, unsigned node)
{
    unsigned count = 0;
    for (unsigned p = 0; p < 2 * l->dims; p++) {
        int c = layout_link(l, board, p);
        if (c >= 0 && l->node[c] == (int)layout_beside(l, node, p))
            count += layout_needs(l, node, p) ? 2 : 1;
    }
    return count;
}

static void count_cables(struct layout *l)
{
    l->right = l->spare = l->wrong = l->missing = 0;
    for (unsigned b = 0; b < l->boards; b++)
        for (unsigned p = 0; p < 2 * l->dims; p++) {
            const struct torus_board *board = &l->board[b];
            if (board->peer[p] < 0)
                continue;
            if (board->peer[p] == (int)b ? board->peer_port[p] < (int)p : board->peer[p] < (int)b)
                continue; // counted at its other end
            int c = layout_link(l, b, p);
            bool fits = c >= 0 && l->node[b] != NOWHERE &&
                        l->node[c] == (int)layout_beside(l, (unsigned)l->node[b], p);
            *(!fits                                      ? &l->wrong
              : layout_needs(l, (unsigned)l->node[b], p) ? &l->right
                                                         : &l->spare) += 1;
        }
    for (unsigned d = 0; d < l->dims; d++)
        l->missing += l->k[d] > 2 ? l->nodes : l->k[d] == 2 ? l->nodes / 2 : 0;
    l->missing -= l->right;
    for (unsigned b = 0; b < l->boards; b++)
        l->missing += l->node[b] == NOWHERE ? l->dims : 0;
}

void layout_settle(struct layout *l)
{
    uint16_t *left = (uint16_t *)l->scratch;
    unsigned lefts = 0;
    for (unsigned n = 0; n < l->nodes; n++)
        l->board_at[n] = NOWHERE;
    // Of boards on one node the one with the most cables that fit stays.
    for (unsigned b = 0; b < l->boards; b++) {
        if (l->node[b] == NOWHERE)
            continue;
        int *at = &l->board_at[l->node[b]];
        if (*at == NOWHERE ||
            fitting(l, b, (unsigned)l->node[b]) > fitting(l, (unsigned)*at, (unsigned)l->node[b]))
            *at = (int)b;
    }
    for (unsigned b = 0; b < l->boards; b++)
        if (l->node[b] == NOWHERE || l->board_at[l->node[b]] != (int)b) {
            l->node[b] = NOWHERE;
            left[lefts++] = (uint16_t)b;
        }
    // The others to where most of their cables lead, then anywhere.
    while (lefts) {
        unsigned best = 0, most = 0, node = 0;
        for (unsigned i = 0; i < lefts; i++)
            for (unsigned p = 0; p < 2 * l->dims; p++) {
                int c = layout_link(l, left[i], p);
                if (c < 0 || l->node[c] == NOWHERE)
                    continue;
                unsigned at = layout_beside(l, (unsigned)l->node[c], p ^ 1);
                unsigned fit = fitting(l, left[i], at);
                if (l->board_at[at] == NOWHERE && fit > most) {
                    most = fit;
                    best = i;
                    node = at;
                }
            }
        while (node < l->nodes && l->board_at[node] != NOWHERE)
            node++;
        if (node == l->nodes)
            break; // more boards than nodes
        l->node[left[best]] = (int)node;
        l->board_at[node] = left[best];
        left[best] = left[--lefts];
    }
    count_cables(l);
}

// Exchanges what is at two nodes.
static void exchange_nodes(struct layout *l, unsigned m, unsigned n)
{
    int a = l->board_at[m], b = l->board_at[n];
    l->board_at[m] = b;
    l->board_at[n] = a;
    if (a != NOWHERE)
        l->node[a] = (int)n;
    if (b != NOWHERE)
        l->node[b] = (int)m;
}

// How well what is at two nodes fits; a cable between the two counts at either.
static unsigned fitting_at(const struct layout *l, unsigned m, unsigned n)
{
    int a = l->board_at[m], b = l->board_at[n];
    return (a == NOWHERE ? 0 : fitting(l, (unsigned)a, m)) +
           (b == NOWHERE ? 0 : fitting(l, (unsigned)b, n));
}

void layout_polish(struct layout *l)
{
    enum { MOST = 96, ROUNDS = 8 };
    unsigned node[MOST];
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned count = 0;
        bool any = false;
        for (unsigned n = 0; n < l->nodes && count < MOST; n++) {
            bool whole = l->board_at[n] != NOWHERE;
            for (unsigned p = 0; p < 2 * l->dims && whole; p++) {
                int c = layout_link(l, (unsigned)l->board_at[n], p);
                whole =
                    !layout_needs(l, n, p) || (c >= 0 && l->node[c] == (int)layout_beside(l, n, p));
            }
            if (!whole)
                node[count++] = n;
        }
        for (unsigned i = 0; i < count; i++)
            for (unsigned j = 0; j < i; j++) {
                unsigned before = fitting_at(l, node[i], node[j]);
                exchange_nodes(l, node[i], node[j]);
                if (fitting_at(l, node[i], node[j]) > before)
                    any = true;
                else
                    exchange_nodes(l, node[i], node[j]);
            }
        if (!any)
            break;
    }
    count_cables(l);
}

void layout_turn(struct layout *l, const uint8_t wanted[3])
{
    uint8_t zero[3] = {wanted[0], wanted[1], wanted[2]}, at[3];
    for (unsigned d = 0; d < 3; d++) { // that way round where more cables are needed ones
        unsigned needed = 0, spare = 0;
        for (unsigned b = 0; b < l->boards && l->k[d] == 2; b++) {
            int c = layout_link(l, b, 2 * d);
            if (c < 0 || l->node[b] == NOWHERE ||
                l->node[c] != (int)layout_beside(l, (unsigned)l->node[b], 2 * d))
                continue;
            torus_node_at(l->k, (unsigned)l->node[b], at);
            *(at[d] == zero[d] ? &needed : &spare) += 1;
        }
        zero[d] ^= spare > needed;
    }
    for (unsigned n = 0; n < l->nodes; n++)
        l->board_at[n] = NOWHERE;
    for (unsigned b = 0; b < l->boards; b++) {
        if (l->node[b] == NOWHERE)
            continue;
        torus_node_at(l->k, (unsigned)l->node[b], at);
        for (unsigned d = 0; d < 3; d++)
            at[d] = (uint8_t)((at[d] + l->k[d] - zero[d]) % l->k[d]);
        l->node[b] = (int)torus_node(l->k, at);
        l->board_at[l->node[b]] = (int)b;
    }
    count_cables(l);
}
