// SPDX-License-Identifier: Apache-2.0
// The torus recognised in the graph of boards and cables: of all sizes and places of the boards
// those for which the fewest cables have to be pulled and plugged in. It is searched for, from
// several boards on: where a few cables of many are wrong, and where a seam is twisted or mirrored,
// what is found is the best there is; of tori in ruins it is a good one.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "boards.h"
#include "layout.h"

enum { LONGEST = 16, SMALL = 64, STARTS = 2 };

struct candidate {
    uint8_t k[3];
    bool exact;      // as many nodes as boards
    unsigned bound;  // it costs at least so much
    unsigned likely; // boards in rings of these lengths
    unsigned cost;   // of what was found
};

struct search {
    struct torus *t;
    unsigned origin, cables;
    // Of each dimension and length: boards in such a ring or line; those of them in rings.
    unsigned likely[3][LONGEST + 1], closed[3][LONGEST + 1];
    struct candidate *list;
    unsigned count;
    struct layout best, work;
    unsigned best_likely; // of the best's sizes
    bool any;
};

// Boards in the ring or line through `board` in dimension `dim`; above LONGEST: too long.
static unsigned ring_length(const struct torus *t, unsigned board, unsigned dim, bool *closed)
{
    unsigned length = 1;
    *closed = false;
    for (unsigned way = 0; way < 2; way++) {
        unsigned port = 2 * dim + way, b = board;
        while (t->boards[b].peer[port] >= 0 && t->boards[b].peer_port[port] == (int)(port ^ 1)) {
            b = (unsigned)t->boards[b].peer[port];
            *closed = b == board;
            if (*closed)
                return length;
            if (++length > LONGEST)
                return length;
        }
    }
    return length;
}

static int by_promise(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->exact != y->exact)
        return x->exact ? -1 : 1;
    if (x->likely != y->likely)
        return x->likely > y->likely ? -1 : 1;
    return (x->bound > y->bound) - (x->bound < y->bound);
}

// What these sizes cost at least: so many cables are wrong as there is no room for, or as there are
// rings of other lengths; so the cables needed are short of as many.
static unsigned least_cost(const struct search *s, const uint8_t k[3])
{
    unsigned nodes = (unsigned)k[0] * k[1] * k[2], needed = 0, spare = 0, rings = 0;
    for (unsigned d = 0; d < s->t->dims; d++) {
        needed += k[d] > 2 ? nodes : k[d] == 2 ? nodes / 2 : 0;
        spare += k[d] == 2 ? nodes / 2 : 0;
        for (unsigned length = 1; length <= LONGEST; length++)
            rings += length != k[d] ? s->closed[d][length] / length : 0;
    }
    unsigned wrong = s->cables > needed + spare ? s->cables - needed - spare : 0;
    wrong = rings > wrong ? rings : wrong;
    if (s->t->board_count > nodes)
        needed += s->t->dims * (s->t->board_count - nodes);
    return needed > s->cables ? needed - s->cables + wrong : wrong;
}

// All sizes that there could be.
static void list_candidates(struct search *s)
{
    const struct torus *t = s->t;
    for (unsigned n = 0; n < LONGEST * LONGEST * (t->dims == 3 ? LONGEST : 1); n++) {
        uint8_t k[3] = {(uint8_t)(1 + n % LONGEST), (uint8_t)(1 + n / LONGEST % LONGEST),
                        (uint8_t)(1 + n / LONGEST / LONGEST)};
        unsigned nodes = (unsigned)k[0] * k[1] * k[2], likely = 0;
        if (nodes > 2 * t->board_count || t->board_count > 2 * nodes)
            continue;
        for (unsigned d = 0; d < t->dims; d++)
            likely += s->likely[d][k[d]];
        s->list[s->count++] = (struct candidate){.k = {k[0], k[1], k[2]},
                                                 .exact = nodes == t->board_count,
                                                 .bound = least_cost(s, k),
                                                 .likely = likely,
                                                 .cost = UINT_MAX};
    }
    qsort(s->list, s->count, sizeof *s->list, by_promise);
}

// Boards too many or too few.
static unsigned odd_boards(const struct layout *l)
{
    return l->nodes > l->boards ? l->nodes - l->boards : l->boards - l->nodes;
}

static bool better(const struct search *s, const struct layout *l, unsigned likely)
{
    const struct layout *b = &s->best;
    if (!s->any || layout_cost(l) != layout_cost(b))
        return !s->any || layout_cost(l) < layout_cost(b);
    if (l->wrong + l->missing != b->wrong + b->missing)
        return l->wrong + l->missing < b->wrong + b->missing;
    if (odd_boards(l) != odd_boards(&s->best))
        return odd_boards(l) < odd_boards(&s->best);
    return likely > s->best_likely;
}

// A torus of these sizes, from this board on. luck: as for layout_grow(); up to 1: a quick look.
// False: out of memory.
static bool try_layout(struct search *s, struct candidate *c, unsigned start, unsigned luck)
{
    layout_sizes(&s->work, c->k);
    layout_grow(&s->work, start, luck);
    if (!layout_shift(&s->work))
        return false;
    layout_settle(&s->work);
    if (luck > 1)
        layout_polish(&s->work);
    uint8_t zero[3] = {0};
    if (s->work.node[s->origin] != NOWHERE)
        torus_node_at(s->work.k, (unsigned)s->work.node[s->origin], zero);
    layout_turn(&s->work, zero);
    if (layout_cost(&s->work) < c->cost)
        c->cost = layout_cost(&s->work);
    if (better(s, &s->work, c->likely)) {
        layout_copy(&s->best, &s->work);
        s->best_likely = c->likely;
        s->any = true;
    }
    return true;
}

// Can it be better than the best? In small tori also where it costs as much at least: three boards
// of 2x2 are no line of three because that has a node for each.
static bool worth_it(const struct search *s, const struct candidate *c)
{
    unsigned cost = layout_cost(&s->best);
    return !s->any || c->bound < cost || (s->t->board_count < SMALL && cost && c->bound == cost);
}

// All sizes that are nearly as good as the best, from other boards on: in small tori all, from
// each.
static bool try_more(struct search *s)
{
    unsigned boards = s->t->board_count, cost = layout_cost(&s->best), most = cost + cost / 2;
    unsigned starts = boards < SMALL ? boards : SMALL * SMALL / boards + STARTS;
    for (unsigned i = 0; i < s->count; i++) {
        struct candidate *c = &s->list[i];
        bool good = boards < SMALL ? worth_it(s, c) : c->cost <= most;
        for (unsigned n = 0; n < 2 * starts && good; n++)
            if (!try_layout(s, c, (s->origin + n / 2 * boards / starts) % boards, n + 2))
                return false;
    }
    return true;
}

static bool find_layout(struct search *s)
{
    struct torus *t = s->t;
    for (unsigned b = 0; b < t->board_count; b++) {
        if (t->boards[b].serial < t->boards[s->origin].serial)
            s->origin = b;
        for (unsigned p = 0; p < 2 * t->dims; p++)
            s->cables += t->boards[b].peer[p] >= 0; // at both ends
        for (unsigned d = 0; d < t->dims; d++) {
            bool closed;
            unsigned length = ring_length(t, b, d, &closed);
            if (length <= LONGEST) {
                s->likely[d][length]++;
                s->closed[d][length] += closed;
            }
        }
    }
    s->cables /= 2;
    list_candidates(s);
    for (unsigned i = 0; i < s->count; i++)
        if (worth_it(s, &s->list[i]))
            if (!try_layout(s, &s->list[i], s->origin, 0) ||
                !try_layout(s, &s->list[i], s->origin, 1))
                return false;
    return !layout_cost(&s->best) || try_more(s);
}

// Where board b shall be: false, nothing is said of it. kept: as torus_keep() has it, else as the
// board says itself.
static bool wanted(const struct torus *t, const struct torus_board *b, const uint8_t k[3],
                   bool kept, uint8_t at[3])
{
    for (unsigned i = 0; kept && i < t->kept_count; i++)
        if (t->kept[i].serial == b->serial) {
            memcpy(at, t->kept[i].at, 3);
            return true;
        }
    memcpy(at, b->at, 3);
    return !kept && b->configured && at[0] < k[0] && at[1] < k[1] && at[2] < k[2];
}

// By how much all are to be moved for most boards to be where they shall be, as a node number of a
// torus of sizes k: where[b] is the node of board b as found.
static unsigned move_by(const struct torus *t, const uint8_t k[3], const int *where,
                        unsigned *votes)
{
    bool kept = t->kept_count && !memcmp(k, t->kept_k, 3);
    unsigned best = 0, said = 0;
    for (unsigned b = 0; b < t->board_count; b++) {
        uint8_t at[3], from[3];
        said += !kept && t->boards[b].configured;
        if (where[b] == NOWHERE || !wanted(t, &t->boards[b], k, kept, at))
            continue;
        torus_node_at(k, (unsigned)where[b], from);
        for (unsigned d = 0; d < 3; d++)
            at[d] = (uint8_t)((at[d] + k[d] - from[d]) % k[d]);
        unsigned by = torus_node(k, at);
        if (++votes[by] > votes[best] || (votes[by] == votes[best] && by < best))
            best = by;
    }
    return kept || votes[best] == said ? best : 0;
}

static bool place_boards(struct torus *t, struct layout *l)
{
    unsigned *votes = calloc(l->nodes, sizeof *votes);
    if (!votes)
        return false;
    uint8_t zero[3];
    torus_node_at(l->k, move_by(t, l->k, l->node, votes), zero);
    for (unsigned d = 0; d < 3; d++)
        zero[d] = (uint8_t)((l->k[d] - zero[d]) % l->k[d]);
    layout_turn(l, zero);
    free(votes);
    memcpy(t->k, l->k, 3);
    for (unsigned b = 0; b < t->board_count; b++) {
        struct torus_board *board = &t->boards[b];
        board->placed = l->node[b] != NOWHERE;
        memset(board->at, 0, sizeof board->at);
        if (board->placed)
            torus_node_at(l->k, (unsigned)l->node[b], board->at);
    }
    return true;
}

// Sizes and places of the boards.
static int find_places(struct torus *t)
{
    struct search s = {.t = t};
    unsigned nodes = 2 * t->board_count;
    bool good = (s.list = calloc(LONGEST * LONGEST * LONGEST, sizeof *s.list)) &&
                layout_new(&s.best, t->boards, t->board_count, t->dims, nodes) &&
                layout_new(&s.work, t->boards, t->board_count, t->dims, nodes) && find_layout(&s);
    good = good && place_boards(t, &s.best);
    layout_free(&s.best);
    layout_free(&s.work);
    free(s.list);
    return good ? TORUS_OK : fail(t, TORUS_E_MEMORY, "out of memory");
}

int judge(struct torus *t)
{
    int error = check_cables(t);
    if (error == TORUS_OK && t->faults_lost)
        error = fail(t, TORUS_E_MEMORY, "out of memory for the list of faults");
    if (error != TORUS_OK)
        return error;
    t->gaps = t->fault_count && t->fault_count == t->missing + t->absent;
    if (t->fault_count)
        return fail(t, TORUS_E_MISCABLED, "%s%s", t->faults[0].text,
                    t->fault_count > 1 ? " (and more)" : "");
    t->good = true;
    return ok(t);
}

int recognise(struct torus *t)
{
    int error = find_places(t);
    return error == TORUS_OK ? judge(t) : error;
}
