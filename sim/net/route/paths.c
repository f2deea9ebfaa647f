// SPDX-License-Identifier: Apache-2.0
#include "route/paths.h"

#include <string.h>

static enum ofr_tie model_tie(const struct net_paths *paths)
{
    return paths->tie == NET_TIE_PLUS ? OFR_TIE_PLUS : OFR_TIE_BOTH;
}

// Of two directions in a dimension keeps the drawn one (NET_TIE_RANDOM).
static uint32_t drawn(const struct net_paths *paths, uint32_t ports, uint32_t draw)
{
    for (unsigned i = 0; paths->tie == NET_TIE_RANDOM && i < paths->torus.n; i++)
        if ((ports >> 2 * i & 3) == 3)
            ports &= ~((draw >> i & 1 ? 1u : 2u) << 2 * i);
    return ports;
}

// ---- Presets ofr-2013 and ofr-literal: their candidates
// ------------------------------------------

// Halfway between s and t in a dimension, or its antipode (wrap).
static uint8_t midpoint(const struct net_paths *paths, unsigned dim, unsigned s, unsigned t,
                        unsigned wrap)
{
    unsigned k = paths->torus.k[dim];
    if (paths->preset == NET_PRESET_LITERAL)
        return (uint8_t)((s + t + (wrap ? k : 0)) / 2 % k);
    unsigned apart = s > t ? s - t : t - s;
    unsigned mid = (2 * apart > k ? (s + t) % k : s + t) / 2;
    return (uint8_t)((mid + (wrap ? k / 2 : 0)) % k);
}

static bool outflank(const struct net_paths *paths, const struct ofr_coord *s,
                     const struct ofr_coord *t, const int8_t *lambda, struct ofr_coord *q)
{
    for (unsigned i = 0; i < paths->torus.n; i++) {
        unsigned k = paths->torus.k[i];
        unsigned step = paths->table.delta < k / 2 ? paths->table.delta : k / 2;
        bool minus = ofr_dim_minimal(&paths->torus, i, s->c[i], t->c[i], OFR_TIE_PLUS) == 2;
        if (lambda[i] == 0) {
            q->c[i] = midpoint(paths, i, s->c[i], t->c[i], 0);
            continue;
        }
        if (k == 1 || (k == 2 && s->c[i] != t->c[i]))
            return false;
        // lambda > 0: on from t the way that the packet goes; else back from s.
        unsigned from = lambda[i] > 0 ? t->c[i] : s->c[i];
        q->c[i] = (uint8_t)((from + ((lambda[i] > 0) != minus ? step : k - step)) % k);
    }
    return true;
}

static bool wraparound(const struct net_paths *paths, const struct ofr_coord *s,
                       const struct ofr_coord *t, unsigned beta, struct ofr_coord *q)
{
    for (unsigned i = 0; i < paths->torus.n; i++) {
        if (beta >> i & 1 && paths->torus.k[i] <= 2)
            return false;
        q->c[i] = midpoint(paths, i, s->c[i], t->c[i], beta >> i & 1);
    }
    return true;
}

static unsigned paper_ways(const struct net_paths *paths, const struct ofr_coord *s,
                           const struct ofr_coord *t, struct ofr_way *ways)
{
    const struct ofr_torus *torus = &paths->torus;
    const struct ofr_table *table = &paths->table;
    unsigned n = torus->n, set = 0, count = 1;
    for (unsigned i = 0; i < n; i++)
        set |= (unsigned)(s->c[i] == t->c[i]) << i;
    for (unsigned j = 0; table->oidn && j < OFR_TABLE_INDEXES; j++) {
        if (!(table->valid[set] >> j & 1))
            continue;
        struct ofr_way *way = &ways[count++];
        *way = (struct ofr_way){.kind = OFR_OIDN, .index = (uint8_t)j};
        if (outflank(paths, s, t, table->lambda[set][j], &way->q))
            ofr_way_judge(torus, model_tie(paths), s, t, way);
    }
    for (unsigned b = 0; b < 1u << n; b++) {
        unsigned beta = b;
        if (paths->preset == NET_PRESET_2013) { // the last dimension runs fastest
            beta = 0;
            for (unsigned i = 0; i < n; i++)
                beta |= (b >> i & 1) << (n - 1 - i);
        }
        if (!(table->widn >> beta & 1))
            continue;
        struct ofr_way *way = &ways[count++];
        *way = (struct ofr_way){.kind = OFR_WIDN, .index = (uint8_t)beta};
        if (wraparound(paths, s, t, beta, &way->q))
            ofr_way_judge(torus, model_tie(paths), s, t, way);
    }
    return count;
}

// ---- Orthants
// ------------------------------------------------------------------------------------

// Bit i of the orthant: - in dimension i. Of size 2: the one way there is.
static struct net_leg orthant_leg(const struct net_paths *paths, const struct ofr_coord *s,
                                  const struct ofr_coord *t, unsigned orthant)
{
    struct net_leg leg = {0};
    for (unsigned i = 0; i < paths->torus.n; i++) {
        unsigned k = paths->torus.k[i], a = s->c[i], b = t->c[i];
        if (a == b)
            continue;
        bool minus = k == 2 ? a == 1 : orthant >> i & 1;
        leg.mu |= (uint16_t)(1u << ofr_port(i, minus));
        leg.left[i] = (uint8_t)(minus ? (a + k - b) % k : (b + k - a) % k);
    }
    return leg;
}

// Puts them behind `count` ways; returns how many ways there are then.
static unsigned orthant_ways(const struct net_paths *paths, const struct ofr_coord *s,
                             const struct ofr_coord *t, struct ofr_way *ways, unsigned count)
{
    unsigned n = paths->torus.n;
    for (unsigned o = 0; o < 1u << n; o++) {
        struct net_leg leg = orthant_leg(paths, s, t, o);
        unsigned distance = 0;
        bool admissible = leg.mu & ~ways[0].leave;
        for (unsigned i = 0; i < n; i++) {
            distance += leg.left[i];
            // Directions that it does not use are +: each way is listed once.
            bool minus = leg.mu >> (2 * i + 1) & 1;
            admissible = admissible && minus == (o >> i & 1);
        }
        ways[count++] = (struct ofr_way){.kind = NET_ORTHANT,
                                         .index = (uint8_t)o,
                                         .admissible = admissible,
                                         .arrive = 3,
                                         .leave = leg.mu,
                                         .distance = (uint16_t)distance,
                                         .q = *t};
    }
    return count;
}

// ---- Profit of ofr-2013
// --------------------------------------------------------------------------

// Free adaptive slots by dimension and by which of its two links count.
struct free_slots {
    int32_t of[OFR_MAX_DIMS][4];
};

static struct free_slots free_slots(const struct net_paths *paths, const struct ofr_load *load)
{
    struct free_slots f;
    for (unsigned i = 0; i < paths->torus.n; i++) {
        uint32_t there = load->ports >> 2 * i;
        int32_t plus = there & 1 ? load->slots - load->used[2 * i] : 0;
        int32_t minus = there & 2 ? load->slots - load->used[2 * i + 1] : 0;
        f.of[i][0] = 0;
        f.of[i][1] = plus;
        f.of[i][2] = minus;
        f.of[i][3] = plus + minus;
    }
    return f;
}

static inline int64_t free_of(const struct free_slots *f, unsigned n, uint32_t leave)
{
    int64_t free = 0;
    for (unsigned i = 0; i < n; i++)
        free += f->of[i][leave >> 2 * i & 3];
    return free;
}

// free: slots of the first leg's links; d: of the minimal way; least: u*.
static inline struct net_profit profit_2013(const struct net_paths *paths, unsigned slots,
                                            const struct ofr_way *way, int64_t free, unsigned d,
                                            unsigned least)
{
    int m = way->arrive;
    int64_t D = way->distance;
    if (free == 0)
        return (struct net_profit){0, 1};
    int64_t used = (int64_t)slots * m - free; // u m
    int64_t first = (int64_t)least * m;       // f = first / used
    if (least == 0)
        first = used = 1;
    if (used == 0)
        return (struct net_profit){1, 0};
    if (used < 0) {
        used = -used;
        first = -first;
    }
    return (struct net_profit){16 * first * D + (int64_t)paths->table.eta * d * used,
                               16 * used * D};
}

static unsigned choose_2013(const struct net_paths *paths, const struct ofr_load *load,
                            const struct ofr_way *ways, unsigned count)
{
    unsigned best = 0, d = ways[0].distance, least = ofr_least_used(load), n = paths->torus.n;
    const struct free_slots f = free_slots(paths, load);
    int64_t free = free_of(&f, n, ways[0].leave);
    if (least == 0 && free != 0) // the first term is 1 of all, and no way is shorter
        return 0;
    struct net_profit most = profit_2013(paths, load->slots, &ways[0], free, d, least);
    for (unsigned w = 1; w < count; w++) {
        if (!ways[w].admissible)
            continue;
        free = free_of(&f, n, ways[w].leave);
        struct net_profit p = profit_2013(paths, load->slots, &ways[w], free, d, least);
        if (p.num * most.den <= most.num * p.den)
            continue;
        most = p;
        best = w;
    }
    return best;
}

// ---- All
// -----------------------------------------------------------------------------------------

void net_paths_init(struct net_paths *paths, const struct net_config *config)
{
    static const int8_t general[6][3] = {{-1, 1, 0}, {-1, 0, 1}, {1, -1, 0},
                                         {0, -1, 1}, {1, 0, -1}, {0, 1, -1}};
    unsigned n = config->torus.n;
    *paths =
        (struct net_paths){.torus = config->torus,
                           .preset = config->preset,
                           .tie = config->tie,
                           .derouting = config->oidn || config->widn,
                           .orthants = config->orthants || (config->preset == NET_PRESET_2013 &&
                                                            config->routing == NET_POR)};
    struct ofr_table *table = &paths->table;
    ofr_table_reset(table, n);
    table->delta = (uint8_t)config->delta;
    table->eta = (uint8_t)(config->eta * 16);
    // POR of ofr-2013 has orthants instead of WIDNs.
    bool widn = config->widn && (config->orthants || !paths->orthants);
    table->oidn = config->oidn;
    table->widn = widn ? table->widn : 0;
    if (config->preset == NET_PRESET_LITERAL)
        table->rule_a = table->rule_b = false;
    if (config->preset != NET_PRESET_2013)
        return;
    if (widn)
        table->widn |= 1; // not always minimal here
    if (n != 3)
        return;
    for (unsigned j = 0; j < 6; j++)
        memcpy(table->lambda[0][j], general[j], 3);
    for (unsigned i = 0; i < 3; i++) {
        table->valid[7 & ~(1u << i)] = 0x0a; // of Example 2 the two that turn back nowhere
    }
}

bool net_paths_alike(const struct net_paths *paths)
{
    bool alike = paths->preset == NET_PRESET_OFR; // the others' midpoints are of bare coordinates
    for (unsigned i = 0; i < paths->torus.n; i++)
        alike = alike && paths->torus.k[i] != 2; // there node 0 has + only, node 1 -
    return alike;
}

unsigned net_paths_most(const struct net_paths *paths)
{
    unsigned corners = 1u << paths->torus.n; // WIDNs, orthants
    return paths->derouting ? 1 + OFR_TABLE_INDEXES + (paths->orthants ? 2 : 1) * corners : 1;
}

unsigned net_ways(const struct net_paths *paths, const struct ofr_coord *s,
                  const struct ofr_coord *t, bool prune, struct ofr_way ways[OFR_MAX_WAYS])
{
    unsigned count = 1, kept = 0;
    ways[0] = ofr_way_minimal(&paths->torus, model_tie(paths), s, t);
    if (paths->preset != NET_PRESET_OFR)
        count = paper_ways(paths, s, t, ways);
    else
        count = ofr_ways(&paths->torus, model_tie(paths), s, t, &paths->table, ways);
    if (paths->orthants)
        count = orthant_ways(paths, s, t, ways, count);
    if (!prune)
        return count;
    for (unsigned w = 0; w < count; w++)
        if (ways[w].admissible)
            ways[kept++] = ways[w];
    return kept;
}

unsigned net_ways_kept(const struct net_paths *paths, const struct ofr_coord *s,
                       const struct ofr_coord *t, struct ofr_way *ways)
{
    struct ofr_way all[OFR_MAX_WAYS];
    unsigned count = net_ways(paths, s, t, true, all);
    memcpy(ways, all, count * sizeof *ways);
    return count;
}

unsigned net_choose(const struct net_paths *paths, const struct ofr_load *load,
                    const struct ofr_way *ways, unsigned count, uint32_t draw)
{
    struct ofr_way one_way[OFR_MAX_WAYS];
    if (count <= 1 || ways[0].distance < 2)
        return 0;
    if (paths->tie == NET_TIE_RANDOM) {
        for (unsigned w = 0; w < count; w++) {
            one_way[w] = ways[w];
            one_way[w].leave = (uint16_t)drawn(paths, ways[w].leave, draw);
        }
        ways = one_way;
    }
    if (paths->preset != NET_PRESET_2013)
        return ofr_choose(load, &paths->table, ways, count);
    return choose_2013(paths, load, ways, count);
}

struct net_profit net_way_profit(const struct net_paths *paths, const struct ofr_load *load,
                                 const struct ofr_way *way, unsigned d)
{
    if (d == 0)
        return (struct net_profit){0, 1};
    if (paths->preset == NET_PRESET_2013) {
        const struct free_slots f = free_slots(paths, load);
        return profit_2013(paths, load->slots, way, free_of(&f, paths->torus.n, way->leave), d,
                           ofr_least_used(load));
    }
    struct ofr_profit p = ofr_way_profit(load, &paths->table, way, d);
    return (struct net_profit){p.num, p.den};
}

struct net_leg net_leg(const struct net_paths *paths, const struct ofr_coord *a,
                       const struct ofr_coord *b, uint32_t draw)
{
    uint32_t mu = ofr_minimal_ports(&paths->torus, a, b, model_tie(paths));
    struct net_leg leg = {.mu = (uint16_t)drawn(paths, mu, draw)};
    for (unsigned i = 0; i < paths->torus.n; i++)
        leg.left[i] = (uint8_t)ofr_dim_distance(&paths->torus, i, a->c[i], b->c[i]);
    return leg;
}

struct net_leg net_first_leg(const struct net_paths *paths, const struct ofr_coord *s,
                             const struct ofr_coord *t, const struct ofr_way *way, uint32_t draw)
{
    if (way->kind == NET_ORTHANT)
        return orthant_leg(paths, s, t, way->index);
    return net_leg(paths, s, &way->q, draw);
}
