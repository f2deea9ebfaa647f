// SPDX-License-Identifier: Apache-2.0
#include "group.h"

#include <string.h>

struct group {
    const struct ofr_torus *torus;
    const struct ofr_coord *member;
    unsigned count;
};

// ---- Tree ---------------------------------------------------------------------------------------

// Steps from s to t in dimension d the shorter way, negative in direction -.
static int offset(const struct ofr_torus *torus, unsigned d, const struct ofr_coord *s,
                  const struct ofr_coord *t)
{
    int k = torus->k[d], steps = (t->c[d] - s->c[d] + k) % k;
    return steps > k / 2 ? steps - k : steps;
}

// They agree in the first `dims` dimensions.
static bool agree(const struct ofr_coord *a, const struct ofr_coord *b, unsigned dims)
{
    return memcmp(a->c, b->c, dims) == 0;
}

// a is nearer to `from` than b is, of the dimensions from d on the first that differs.
static bool is_nearer(const struct group *g, unsigned d, const struct ofr_coord *from,
                      const struct ofr_coord *a, const struct ofr_coord *b)
{
    for (; d < g->torus->n; d++) {
        unsigned x = ofr_dim_distance(g->torus, d, from->c[d], a->c[d]);
        unsigned y = ofr_dim_distance(g->torus, d, from->c[d], b->c[d]);
        if (x != y)
            return x < y;
    }
    return false;
}

// Of those that agree with m in dimensions 0 to d: the one that all others hang on.
static unsigned leader(const struct group *g, unsigned d, unsigned m, unsigned root)
{
    unsigned best = m;
    for (unsigned i = g->count; i-- > 0;)
        if (agree(&g->member[i], &g->member[m], d + 1) &&
            !is_nearer(g, d + 1, &g->member[root], &g->member[best], &g->member[i]))
            best = i;
    return best;
}

// In the ring of dimension d of `root`, of which the members m leads those at its place: the place
// before it on the way out. In direction + each hangs on the one before, the first on the root;
// likewise in direction -, where the first may hang on the first in + (not `both`).
static unsigned before(const struct group *g, unsigned d, unsigned m, unsigned root, bool both)
{
    int at = offset(g->torus, d, &g->member[root], &g->member[m]), best = 0;
    unsigned found = root;
    for (unsigned i = 0; i < g->count; i++) {
        if (!agree(&g->member[i], &g->member[m], d))
            continue;
        int o = offset(g->torus, d, &g->member[root], &g->member[i]);
        bool out = at > 0 ? o < at && o > best : o < 0 && o > at && (best >= 0 || o < best);
        bool first = !both && at < 0 && o > 0 && best >= 0 && (best == 0 || o < best);
        if (out || first) {
            best = o;
            found = i;
        }
    }
    return best == 0 ? root : leader(g, d, found, root);
}

// A member roots the rings of the dimensions from `from` on, and has up to `has` children in the
// one before. Each ring wants a child, those of the lowest dimensions get two, while there are
// enough.
static bool has_both(const struct group *g, unsigned children, unsigned from, unsigned has,
                     unsigned d)
{
    return children >= has + (g->torus->n - from) + (d - from) + 1;
}

static unsigned tree_parent(const struct group *g, unsigned m, unsigned root, unsigned children)
{
    for (unsigned d = 0, from = 0, has = 0; d < g->torus->n; d++) {
        if (g->member[m].c[d] == g->member[root].c[d])
            continue;
        unsigned l = leader(g, d, m, root);
        bool both = has_both(g, children, from, has, d);
        if (l == m)
            return before(g, d, m, root, both);
        root = l;
        from = d + 1;
        has = both ? 1 : 2;
    }
    return root;
}

// ---- Chain --------------------------------------------------------------------------------------

// A node's place on a way through the whole torus, from neighbour to neighbour.
static unsigned snake(const struct ofr_torus *torus, const struct ofr_coord *s)
{
    unsigned place = 0;
    for (unsigned d = torus->n; d-- > 0;)
        place = place * torus->k[d] + (place % 2 ? torus->k[d] - 1U - s->c[d] : s->c[d]);
    return place;
}

static unsigned chain_parent(const struct group *g, unsigned m, unsigned root, unsigned forward,
                             const struct ofr_group_member *to)
{
    // order: places on that way
    unsigned at = (to[m].order + g->count - to[root].order) % g->count;
    unsigned next = (to[m].order + (at <= forward ? g->count - 1 : 1)) % g->count, i = 0;
    while (to[i].order != next)
        i++;
    return i;
}

// ---- Both ---------------------------------------------------------------------------------------

static bool is_legal(const struct group *g, unsigned root, enum ofr_group_shape shape,
                     unsigned children)
{
    unsigned most = shape == OFR_GROUP_TREE ? g->torus->n + 1U : shape == OFR_GROUP_CHAIN ? 2 : 1;
    if (g->torus->n < 1 || g->torus->n > 3 || g->count > OFR_GROUP_MOST || root >= g->count ||
        children < most || children > OFR_COLLECTIVE_CHILDREN)
        return false;
    for (unsigned i = 0; i < g->count; i++) {
        if (!ofr_inside(g->torus, &g->member[i]))
            return false;
        for (unsigned j = 0; j < i; j++)
            if (agree(&g->member[i], &g->member[j], g->torus->n))
                return false;
    }
    return true;
}

bool ofr_group_form(const struct ofr_torus *torus, const struct ofr_coord *member, unsigned count,
                    unsigned root, enum ofr_group_shape shape, unsigned children,
                    struct ofr_group_member *to)
{
    const struct group g = {torus, member, count};
    if (count == 0 || !is_legal(&g, root, shape, children))
        return false;
    memset(to, 0, count * sizeof *to);
    for (unsigned m = 0; shape != OFR_GROUP_TREE && m < count; m++)
        for (unsigned i = 0; i < count; i++)
            to[m].order += snake(torus, &member[i]) < snake(torus, &member[m]);
    unsigned forward = shape == OFR_GROUP_CHAIN ? count / 2 : count - 1;
    for (unsigned m = 0; m < count; m++)
        to[m].parent =
            (int16_t)(m == root                 ? -1
                      : shape == OFR_GROUP_TREE ? (int)tree_parent(&g, m, root, children)
                                                : (int)chain_parent(&g, m, root, forward, to));
    for (unsigned m = 0; m < count; m++) {
        if (to[m].parent < 0)
            continue;
        struct ofr_group_member *p = &to[to[m].parent];
        to[m].slot = p->children;
        p->child[p->children++] = (uint16_t)m;
    }
    // Each member counts in all subtrees that it is in; its place follows from those before
    for (unsigned m = 0; m < count; m++)
        for (unsigned i = m; to[i].parent >= 0; i = (unsigned)to[i].parent)
            to[to[i].parent].size[to[i].slot]++;
    for (unsigned m = 0; m < count; m++) {
        to[m].order = to[m].depth = 0;
        for (unsigned i = m; to[i].parent >= 0; i = (unsigned)to[i].parent) {
            const struct ofr_group_member *p = &to[to[i].parent];
            to[m].order++;
            to[m].depth++;
            for (unsigned s = 0; s < to[i].slot; s++)
                to[m].order = (uint16_t)(to[m].order + p->size[s]);
        }
    }
    return true;
}
