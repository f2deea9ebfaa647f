// SPDX-License-Identifier: Apache-2.0
// Collectives in hardware: blocks of boards (block COLLECTIVE) made a group, and freed again. Who
// is whose parent is sim/model/group.h's.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boards.h"
#include "group.h"
#include "moves.h"
#include "tree.h"

static void tree_free(struct torus_tree *g)
{
    free(g->at);
    free(g->place);
    free(g);
}

// ---- Forming a group ----------------------------------------------------------------------------

static int want_options(struct torus *t, const struct torus_tree_options *o, unsigned members)
{
    if (!t->k[0])
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    if (!members || members > node_count(t) || members > OFR_GROUP_MOST)
        return fail(t, TORUS_E_USAGE, "%u members: a group has 1 to %u", members, node_count(t));
    if (o->root >= members)
        return fail(t, TORUS_E_USAGE, "root %u: members are 0 to %u", o->root, members - 1);
    if (o->shape != TORUS_TREE && o->shape != TORUS_CHAIN)
        return fail(t, TORUS_E_USAGE, "shape %d: a tree or a chain", (int)o->shape);
    return TORUS_OK;
}

static int want_members(const struct torus_tree *g)
{
    struct torus *t = g->t;
    char place[16];
    uint8_t seen[MAX_BOARDS / 8] = {0};
    for (unsigned m = 0; m < g->members; m++) {
        if (!inside(t, g->at[m]))
            return TORUS_E_USAGE;
        uint32_t bit = pack_at(g->at[m]);
        if (seen[bit / 8] >> bit % 8 & 1)
            return fail(t, TORUS_E_USAGE, "%s is a member twice", place_text(t, g->at[m], place));
        seen[bit / 8] |= (uint8_t)(1 << bit % 8);
    }
    return TORUS_OK;
}

// Most children that all boards have.
static int find_children(const struct torus_tree *g, unsigned *children)
{
    struct torus *t = g->t;
    char place[16];
    *children = OFR_COLLECTIVE_CHILDREN;
    for (unsigned m = 0; m < g->members; m++) {
        uint32_t shape = 0;
        int error = torus_read(t, g->at[m], OFR_COLLECTIVE_SHAPE, &shape);
        if (error != TORUS_OK)
            return error;
        unsigned has = FIELD(shape, OFR_COLLECTIVE_SHAPE_CHILDREN);
        if (!has)
            return fail(t, TORUS_E_USAGE, "%s: the board is built without collectives",
                        place_text(t, g->at[m], place));
        *children = has < *children ? has : *children;
    }
    return TORUS_OK;
}

static int find_places(struct torus_tree *g, const struct torus_tree_options *o)
{
    struct torus *t = g->t;
    struct ofr_torus torus = {.n = (uint8_t)t->dims};
    unsigned children;
    int error = find_children(g, &children);
    if (error != TORUS_OK)
        return error;
    struct ofr_coord *coord = calloc(g->members, sizeof *coord);
    if (!coord)
        return fail(t, TORUS_E_MEMORY, "no memory for a group");
    memcpy(torus.k, t->k, sizeof t->k);
    for (unsigned m = 0; m < g->members; m++)
        memcpy(coord[m].c, g->at[m], sizeof g->at[m]);
    bool chain = o->shape == TORUS_CHAIN;
    enum ofr_group_shape shape = !chain         ? OFR_GROUP_TREE
                                 : children < 2 ? OFR_GROUP_LINE
                                                : OFR_GROUP_CHAIN;
    bool formed = ofr_group_form(&torus, coord, g->members, o->root, shape, children, g->place);
    free(coord);
    return formed ? TORUS_OK
                  : fail(t, TORUS_E_USAGE,
                         "a tree in %u dimensions needs boards with %u children, there are such "
                         "with %u: make it a chain",
                         t->dims, t->dims + 1, children);
}

// A write that a block takes at rest only.
static int write_at_rest(const struct torus_tree *g, unsigned m, unsigned offset, uint32_t value)
{
    struct torus *t = g->t;
    char place[16];
    int error = torus_write(t, g->at[m], offset, value);
    if (error != TORUS_E_BOARD)
        return error;
    return fail(t, TORUS_E_BOARD,
                "%s: its collectives are in an operation, or its end is not taken",
                place_text(t, g->at[m], place));
}

static int set_place(const struct torus_tree *g, unsigned m)
{
    const struct ofr_group_member *p = &g->place[m];
    uint32_t has = 0, sizes[2] = {0, 0};
    for (unsigned i = 0; i < p->children; i++) {
        has |= 1U << i;
        sizes[i / 2] |= (uint32_t)p->size[i] << (i % 2 ? OFR_COLLECTIVE_SIZE_LOW_CHILD1_LSB : 0);
    }
    int error = write_at_rest(g, m, OFR_COLLECTIVE_PLACE,
                              (uint32_t)(p->parent >= 0) << OFR_COLLECTIVE_PLACE_PARENT_LSB |
                                  has << OFR_COLLECTIVE_PLACE_CHILDREN_LSB);
    if (error == TORUS_OK)
        error = write_at_rest(g, m, OFR_COLLECTIVE_SIZE_LOW, sizes[0]);
    if (error == TORUS_OK)
        error = write_at_rest(g, m, OFR_COLLECTIVE_SIZE_HIGH, sizes[1]);
    if (error == TORUS_OK)
        error = write_at_rest(g, m, OFR_COLLECTIVE_ATTACH, g->software);
    return error;
}

// The stream of member m to its parent.
static int join_up(const struct torus_tree *g, unsigned m)
{
    static const uint32_t collectives[2] = {OFR_CHANNEL_ATTACH_COLLECTIVE_MASK,
                                            OFR_CHANNEL_ATTACH_COLLECTIVE_MASK};
    const struct ofr_group_member *p = &g->place[m];
    if (p->parent < 0)
        return TORUS_OK;
    struct torus_end child = {.end = 0}, parent = {.end = (uint8_t)(1 + p->slot)};
    memcpy(child.at, g->at[m], 3);
    memcpy(parent.at, g->at[p->parent], 3);
    return join_ends(g->t, &parent, &child, collectives, g->seconds);
}

// No member is in another group.
static int are_free(const struct torus_tree *g)
{
    struct torus *t = g->t;
    char place[16];
    for (unsigned m = 0; m < g->members; m++) {
        uint32_t value = 0;
        int error = torus_read(t, g->at[m], OFR_COLLECTIVE_PLACE, &value);
        if (error != TORUS_OK)
            return error;
        if (value)
            return fail(
                t, TORUS_E_BOARD,
                "%s is in a group: torus_tree_clear() ends it, as does collective all --clear",
                place_text(t, g->at[m], place));
    }
    return TORUS_OK;
}

static int form(struct torus_tree *g)
{
    struct torus *t = g->t;
    int error = lease_turn(t);
    if (error != TORUS_OK)
        return error;
    for (unsigned m = 0; error == TORUS_OK && m < g->members; m++) {
        error = set_place(g, m);
        if (error == TORUS_OK)
            error = lease_keep(t);
    }
    for (unsigned m = 0; error == TORUS_OK && m < g->members; m++) {
        error = join_up(g, m);
        if (error == TORUS_OK)
            error = lease_keep(t);
    }
    // All streams are there: no member counts operations yet
    for (unsigned m = 0; error == TORUS_OK && m < g->members; m++)
        error = write_at_rest(g, m, OFR_COLLECTIVE_CONTROL, OFR_COLLECTIVE_CONTROL_CLEAR_MASK);
    return lease_done(t, error);
}

API void torus_tree_options_init(struct torus_tree_options *options, size_t size)
{
    const struct torus_tree_options standard = {.seconds = 30};
    options_give(options, size, &standard, sizeof standard);
}

API int torus_tree_open(struct torus_tree **out, struct torus *t,
                        const struct torus_tree_options *options, const uint8_t (*at)[3],
                        unsigned members)
{
    struct torus_tree_options o = torus_tree_options_default();
    *out = NULL;
    if (options && !options_take(&o, sizeof o, options))
        return fail(t, TORUS_E_USAGE, "options of another library");
    members = at ? members : node_count(t);
    int error = want_options(t, &o, members);
    if (error != TORUS_OK)
        return error;
    struct torus_tree *g = calloc(1, sizeof *g);
    if (g) {
        *g = (struct torus_tree){
            .t = t, .members = members, .seconds = o.seconds, .software = o.software};
        g->at = calloc(members, sizeof *g->at);
        g->place = calloc(members, sizeof *g->place);
    }
    if (!g || !g->at || !g->place) {
        if (g)
            tree_free(g);
        return fail(t, TORUS_E_MEMORY, "no memory for a group");
    }
    for (unsigned m = 0; m < members; m++) {
        if (at)
            memcpy(g->at[m], at[m], 3);
        else
            node_at(t, m, g->at[m]);
    }
    error = want_members(g);
    if (error == TORUS_OK)
        error = find_places(g, &o);
    if (error == TORUS_OK)
        error = are_free(g);
    if (error != TORUS_OK) {
        tree_free(g);
        return error;
    }
    error = form(g);
    if (error == TORUS_OK) {
        *out = g;
        return TORUS_OK;
    }
    char detail[WIDTH];
    snprintf(detail, sizeof detail, "%s", torus_detail(t));
    t->uncut++;
    torus_tree_close(g);
    t->uncut--;
    return fail(t, error, "%s", detail);
}

API struct torus_tree_place torus_tree_place(const struct torus_tree *g, unsigned member)
{
    if (member >= g->members)
        return (struct torus_tree_place){.parent = -1};
    return (struct torus_tree_place){.parent = g->place[member].parent,
                                     .depth = g->place[member].depth,
                                     .order = g->place[member].order};
}

// ---- Ending it ----------------------------------------------------------------------------------

// What has come of a block's operations, up to its rest: thrown away. Software must be its user.
static int throw_away(struct torus *t, const uint8_t at[3])
{
    static const uint16_t offset[4] = {OFR_COLLECTIVE_STATE, OFR_COLLECTIVE_RX, OFR_COLLECTIVE_TX,
                                       OFR_COLLECTIVE_SHAPE};
    uint32_t value[4] = {0};
    int error = TORUS_OK;
    unsigned most = 64; // more than lies in the block and its streams' ends, once it is left
    for (unsigned idle = 0; idle < 3 && most && error == TORUS_OK; most--) {
        error = read_four(t, at, offset, value);
        bool comes = FIELD(value[1], OFR_COLLECTIVE_RX_VALID);
        bool busy = FIELD(value[0], OFR_COLLECTIVE_STATE_BUSY);
        if (error == TORUS_OK && comes)
            error = torus_write(t, at, OFR_COLLECTIVE_RX_NEXT, 0);
        else if (error == TORUS_OK && busy && FIELD(value[2], OFR_COLLECTIVE_TX_READY)) {
            // Inside a message that it still wants the end of, or before another: the last one
            error = torus_write(t, at, OFR_COLLECTIVE_TX_OP, 0);
            if (error == TORUS_OK)
                error = torus_write(t, at, OFR_COLLECTIVE_TX_END, 0);
            if (error == TORUS_OK)
                error = torus_write(t, at, OFR_COLLECTIVE_TX_DATA, 0);
        } else
            idle++;
    }
    return error;
}

// One board's block and its streams' ends: the pins', and at rest.
static int clear_board(struct torus *t, const uint8_t at[3])
{
    struct torus_end end = {.end = 0};
    uint32_t shape = 0, attached = 0;
    int error = torus_read(t, at, OFR_COLLECTIVE_SHAPE, &shape);
    unsigned children = FIELD(shape, OFR_COLLECTIVE_SHAPE_CHILDREN);
    char place[16];
    if (error == TORUS_OK && !children)
        return fail(t, TORUS_E_USAGE, "%s: the board is built without collectives",
                    place_text(t, at, place));
    memcpy(end.at, at, 3);
    if (error == TORUS_OK)
        error = torus_write(t, at, OFR_COLLECTIVE_CONTROL,
                            OFR_COLLECTIVE_CONTROL_LEAVE_MASK | OFR_COLLECTIVE_CONTROL_DROP_MASK);
    for (; error == TORUS_OK && end.end <= children; end.end++) {
        struct torus_channel c;
        error = torus_channel_state(t, &end, &c);
        if (error == TORUS_OK && c.collective)
            error = torus_channel_abort(t, &end);
    }
    if (error == TORUS_OK)
        error = torus_read(t, at, OFR_COLLECTIVE_ATTACH, &attached);
    if (error == TORUS_OK && attached)
        error = throw_away(t, at);
    for (end.end = 0; error == TORUS_OK && end.end <= children; end.end++) {
        error = torus_write(t, at, OFR_CHANNEL_SELECT, end.end);
        if (error == TORUS_OK)
            error = torus_read(t, at, OFR_CHANNEL_ATTACH, &attached);
        if (error == TORUS_OK && attached & OFR_CHANNEL_ATTACH_COLLECTIVE_MASK)
            error = torus_write(t, at, OFR_CHANNEL_ATTACH, 0);
    }
    if (error == TORUS_OK)
        error = torus_write(t, at, OFR_COLLECTIVE_PLACE, 0);
    if (error == TORUS_OK)
        error = torus_write(t, at, OFR_COLLECTIVE_CONTROL, OFR_COLLECTIVE_CONTROL_CLEAR_MASK);
    return error == TORUS_OK ? torus_write(t, at, OFR_COLLECTIVE_ATTACH, 0) : error;
}

API int torus_tree_clear(struct torus *t, const uint8_t (*at)[3], unsigned members)
{
    char detail[WIDTH] = "";
    if (!t->k[0])
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    for (unsigned m = 0; m < members; m++)
        if (!inside(t, at[m]))
            return TORUS_E_USAGE;
    int first = lease_turn(t);
    if (first != TORUS_OK)
        return first;
    // All of them, whatever becomes of one
    for (unsigned m = 0; m < members; m++) {
        int error = clear_board(t, at[m]);
        if (error == TORUS_OK)
            error = lease_keep(t);
        if (error != TORUS_OK && first == TORUS_OK) {
            snprintf(detail, sizeof detail, "%s", torus_detail(t));
            first = error;
        }
        if (error == TORUS_E_TRANSPORT || error == TORUS_E_CANCELLED)
            break;
    }
    if (first != TORUS_OK)
        fail(t, first, "%s", detail);
    return lease_done(t, first);
}

API void torus_tree_keep(struct torus_tree *g)
{
    if (g)
        tree_free(g);
}

API int torus_tree_close(struct torus_tree *g)
{
    if (!g)
        return TORUS_OK;
    int error = torus_tree_clear(g->t, (const uint8_t(*)[3])g->at, g->members);
    tree_free(g);
    return error;
}
