// SPDX-License-Identifier: Apache-2.0
#include "decide.h"

// n >= 4: a set's vectors cover all nu-links of s and t (Remark 1), at most 8 of them. With two or
// more unequal dimensions each of them is left over its - while the next one, cyclically, is
// overshot; the equal ones are left by + and by -, in groups so that there is room. With one
// unequal dimension it is overshot with the first group's +, and left over its - with the last
// group's, as in eq. 13 and 14.
static void cover(struct ofr_table *table, unsigned n, unsigned set)
{
    unsigned unequal[OFR_MAX_DIMS], equal[OFR_MAX_DIMS], u = 0, e = 0, count = 0;
    for (unsigned i = 0; i < n; i++) {
        if (set >> i & 1)
            equal[e++] = i;
        else
            unequal[u++] = i;
    }
    for (unsigned j = 0; u > 1 && j < u; j++, count++) {
        table->lambda[set][count][unequal[j]] = -1;
        table->lambda[set][count][unequal[(j + 1) % u]] = 1;
    }
    unsigned room = (OFR_TABLE_INDEXES - count) / 2, groups = e < room ? e : room;
    for (unsigned g = 0; g < groups; g++, count += 2) {
        for (unsigned i = g; i < e; i += groups) {
            table->lambda[set][count][equal[i]] = 1;
            table->lambda[set][count + 1][equal[i]] = -1;
        }
        if (u == 1 && g == 0)
            table->lambda[set][count][unequal[0]] = 1;
        if (u == 1 && g + 1 == groups)
            table->lambda[set][count][unequal[0]] = -1;
    }
    table->valid[set] = (uint8_t)((1u << count) - 1);
}

void ofr_table_reset(struct ofr_table *table, unsigned n)
{
    // Example 1: both vectors in general position, all six where one coordinate is equal
    // (eq. 4, 5), given with the unequal coordinate first.
    static const int8_t general2[2][2] = {{1, -1}, {-1, 1}};
    static const int8_t line2[6][2] = {{-1, 1}, {0, 1}, {1, 1}, {-1, -1}, {0, -1}, {1, -1}};
    // Example 2: eq. 9, 10; eq. 11, 12 (the equal coordinate first); eq. 13, 14 (the unequal
    // coordinate last).
    static const int8_t general3[6][3] = {{0, -1, 1}, {0, 1, -1}, {-1, 0, 1},
                                          {1, 0, -1}, {-1, 1, 0}, {1, -1, 0}};
    static const int8_t plane3[4][3] = {{0, -1, 1}, {0, 1, -1}, {1, 0, 0}, {-1, 0, 0}};
    static const int8_t line3[4][3] = {{1, 0, 1}, {-1, 0, 0}, {0, 1, -1}, {0, -1, 0}};

    *table =
        (struct ofr_table){.delta = 2, .eta = 32, .rule_a = true, .rule_b = true, .oidn = true};
    for (unsigned beta = 1; beta < 1u << n; beta++)
        table->widn |= (uint64_t)1 << beta;

    for (unsigned set = 0; n > 3 && set + 1 < 1u << n; set++)
        cover(table, n, set);
    for (unsigned set = 0; n == 2 && set < 3; set++) {
        table->valid[set] = set ? 0x3f : 0x03;
        for (unsigned j = 0; j < (set ? 6 : 2); j++)
            for (unsigned i = 0; i < 2; i++)
                table->lambda[set][j][i] = set ? line2[j][set == 1 ? 1 - i : i] : general2[j][i];
    }
    for (unsigned set = 0; n == 3 && set < 7; set++) {
        unsigned equal = (set & 1) + (set >> 1 & 1) + (set >> 2 & 1);
        const int8_t(*from)[3] = equal == 0 ? general3 : equal == 1 ? plane3 : line3;
        table->valid[set] = equal == 0 ? 0x3f : 0x0f;
        // Equal coordinates come first in the example, in order, then the unequal ones.
        for (unsigned i = 0, e = 0, u = equal; i < 3; i++) {
            unsigned column = set >> i & 1 ? e++ : u++;
            for (unsigned j = 0; j < OFR_TABLE_INDEXES; j++)
                table->lambda[set][j][i] = table->valid[set] >> j & 1 ? from[j][column] : 0;
        }
    }
}

// a + b modulo k, for -k <= a + b < 2k.
static uint8_t modulo(int sum, int k)
{
    return (uint8_t)(sum < 0 ? sum + k : sum >= k ? sum - k : sum);
}

// What the geometry of a decision depends on.
struct pair {
    const struct ofr_torus *torus;
    enum ofr_tie tie;
    const struct ofr_coord *s, *t;
};

// Sign g_i of dimension i: the normalising of lambda.
static int sign_of(const struct pair *x, unsigned i)
{
    return ofr_dim_minimal(x->torus, i, x->s->c[i], x->t->c[i], OFR_TIE_PLUS) == 2 ? -1 : 1;
}

// q_i halfway between s_i and t_i, the shorter way (wrap = 0) or round the torus (wrap = 1): eq. 1,
// and eq. 2 with lambda_i = 0.
static uint8_t midpoint(const struct pair *x, unsigned i, unsigned wrap)
{
    int k = x->torus->k[i], s = x->s->c[i];
    int d = (int)ofr_dim_distance(x->torus, i, x->s->c[i], x->t->c[i]);
    int sum = 2 * s + sign_of(x, i) * d + (wrap ? k : 0);
    return modulo((sum + 2 * k) / 2 - k, k); // + 2k: floor, not truncation, where sum is negative
}

// The IDN of a lambda vector (eq. 2, 3); false where a small dimension drops it.
static bool outflank(const struct pair *x, const int8_t *lambda, unsigned delta,
                     struct ofr_coord *q)
{
    for (unsigned i = 0; i < x->torus->n; i++) {
        int k = x->torus->k[i], s = x->s->c[i], t = x->t->c[i], g = sign_of(x, i);
        int step = delta < (unsigned)k / 2 ? (int)delta : k / 2;
        if (lambda[i] == 0) {
            q->c[i] = midpoint(x, i, 0);
            continue;
        }
        if (k == 1 || (k == 2 && s != t))
            return false;
        q->c[i] = lambda[i] > 0 ? modulo(t + g * step, k) : modulo(s - g * step, k);
    }
    return true;
}

// The IDN of a beta vector (eq. 1); false where a small dimension drops it.
static bool wraparound(const struct pair *x, unsigned beta, struct ofr_coord *q)
{
    for (unsigned i = 0; i < x->torus->n; i++) {
        unsigned wrap = beta >> i & 1;
        if (wrap && x->torus->k[i] <= 2)
            return false;
        q->c[i] = midpoint(x, i, wrap);
    }
    return true;
}

void ofr_way_judge(const struct ofr_torus *torus, enum ofr_tie tie, const struct ofr_coord *s,
                   const struct ofr_coord *t, struct ofr_way *way)
{
    uint32_t mu = ofr_minimal_ports(torus, s, t, tie);
    uint32_t leave = ofr_minimal_ports(torus, s, &way->q, tie);
    uint32_t arrive = ofr_minimal_ports(torus, &way->q, t, tie);
    // q = s has no link to leave over, q = t none to arrive over: they fail here, too.
    if (!(leave & ~mu) || !(arrive & ~mu))
        return;
    way->admissible = true;
    way->arrive = (uint8_t)__builtin_popcount(arrive);
    way->leave = (uint16_t)leave;
    way->distance = (uint16_t)(ofr_distance(torus, s, &way->q) + ofr_distance(torus, &way->q, t));
}

struct ofr_way ofr_way_minimal(const struct ofr_torus *torus, enum ofr_tie tie,
                               const struct ofr_coord *s, const struct ofr_coord *t)
{
    uint32_t mu = ofr_minimal_ports(torus, s, t, tie);
    return (struct ofr_way){.kind = OFR_MINIMAL,
                            .admissible = true,
                            .arrive = (uint8_t)__builtin_popcount(mu),
                            .leave = (uint16_t)mu,
                            .distance = (uint16_t)ofr_distance(torus, s, t),
                            .q = *t};
}

unsigned ofr_ways(const struct ofr_torus *torus, enum ofr_tie tie, const struct ofr_coord *s,
                  const struct ofr_coord *t, const struct ofr_table *table,
                  struct ofr_way out[OFR_MAX_WAYS])
{
    const struct pair x = {torus, tie, s, t};
    unsigned n = torus->n, count = 0, set = 0;
    for (unsigned i = 0; i < n; i++)
        set |= (unsigned)(s->c[i] == t->c[i]) << i;

    out[count++] = ofr_way_minimal(torus, tie, s, t);
    for (unsigned j = 0; table->oidn && j < OFR_TABLE_INDEXES; j++) {
        if (!(table->valid[set] >> j & 1))
            continue;
        struct ofr_way *way = &out[count++];
        *way = (struct ofr_way){.kind = OFR_OIDN, .index = (uint8_t)j};
        if (outflank(&x, table->lambda[set][j], table->delta, &way->q))
            ofr_way_judge(torus, tie, s, t, way);
    }
    for (unsigned beta = 0; beta < 1u << n; beta++) {
        if (!(table->widn >> beta & 1))
            continue;
        struct ofr_way *way = &out[count++];
        *way = (struct ofr_way){.kind = OFR_WIDN, .index = (uint8_t)beta};
        if (wraparound(&x, beta, &way->q))
            ofr_way_judge(torus, tie, s, t, way);
    }
    return count;
}

unsigned ofr_least_used(const struct ofr_load *x)
{
    unsigned least = UINT8_MAX;
    for (uint32_t rest = x->ports; rest; rest &= rest - 1) {
        unsigned used = x->used[__builtin_ctz(rest)];
        least = used < least ? used : least;
    }
    return least;
}

// What a decision sees of the load: per dimension and pair of its ports (bit 0: +, bit 1: -) the
// slots in use and, from bit 16 on, how many ports these are (of ports without a link: anything,
// and no way leaves there); and u*.
struct sums {
    uint32_t of[OFR_MAX_DIMS][4];
    unsigned least, slots;
};

enum { ONE_PORT = 1 << 16 };

static void add_up(const struct ofr_load *x, struct sums *sums)
{
    sums->least = ofr_least_used(x);
    sums->slots = x->slots;
    for (unsigned i = 0; x->ports >> 2 * i; i++) {
        uint32_t *of = sums->of[i];
        of[0] = 0;
        of[1] = x->used[2 * i] + (uint32_t)ONE_PORT;
        of[2] = x->used[2 * i + 1] + (uint32_t)ONE_PORT;
        of[3] = of[1] + of[2];
    }
}

// Profit (eq. 15, 16) of a way (its first links not empty), d = d(s, t).
static inline struct ofr_profit profit(const struct sums *x, const struct ofr_table *table,
                                       const struct ofr_way *way, unsigned d)
{
    uint32_t both = 0;
    for (unsigned i = 0, rest = way->leave; rest; i++, rest >>= 2)
        both += x->of[i][rest & 3];
    unsigned m = both / ONE_PORT, sum = both % ONE_PORT, D = way->distance;
    if (table->rule_a && sum >= m * x->slots) // no link has a free slot
        return (struct ofr_profit){0, 1};
    unsigned first = x->least * m; // f = first / sum
    if (sum == 0 || (table->rule_b && x->least == 0))
        first = sum = 1;
    return (struct ofr_profit){16 * first * D + table->eta * d * sum, 16 * sum * D};
}

struct ofr_profit ofr_way_profit(const struct ofr_load *load, const struct ofr_table *table,
                                 const struct ofr_way *way, unsigned d)
{
    struct sums sums;
    add_up(load, &sums);
    return profit(&sums, table, way, d);
}

unsigned ofr_choose(const struct ofr_load *load, const struct ofr_table *table,
                    const struct ofr_way *ways, unsigned count)
{
    unsigned best = 0, d = ways[0].distance;
    if (d < 2)
        return 0;
    struct sums sums;
    add_up(load, &sums);
    struct ofr_profit most = profit(&sums, table, &ways[0], d);
    // f <= 1 and D >= d for every way, so none has more than 1 + eta; where the minimal route has
    // that, nothing needs to be compared.
    if ((uint64_t)16 * most.num == (uint64_t)(16 + table->eta) * most.den)
        return 0;
    for (unsigned i = 1; i < count; i++) {
        if (!ways[i].admissible)
            continue;
        struct ofr_profit p = profit(&sums, table, &ways[i], d);
        if ((uint64_t)p.num * most.den <= (uint64_t)most.num * p.den)
            continue;
        most = p;
        best = i;
    }
    return best;
}

static struct ofr_load load_of(const struct ofr_sample *x)
{
    return (struct ofr_load){x->used, ofr_existing_ports(&x->torus, &x->s), x->slots};
}

unsigned ofr_candidates(const struct ofr_sample *sample, const struct ofr_table *table,
                        struct ofr_candidate out[OFR_MAX_CANDIDATES], struct ofr_profit *minimal)
{
    struct ofr_way ways[OFR_MAX_WAYS];
    const struct ofr_load load = load_of(sample);
    unsigned count = ofr_ways(&sample->torus, sample->tie, &sample->s, &sample->t, table, ways);
    unsigned d = ways[0].distance;
    struct sums sums;
    add_up(&load, &sums);
    for (unsigned i = 1; i < count; i++) {
        const struct ofr_way *w = &ways[i];
        out[i - 1] = (struct ofr_candidate){.kind = w->kind, .index = w->index, .q = w->q};
        if (!w->admissible)
            continue;
        out[i - 1].admissible = true;
        out[i - 1].distance = w->distance;
        out[i - 1].profit = profit(&sums, table, w, d);
    }
    *minimal = d > 0 ? profit(&sums, table, &ways[0], d) : (struct ofr_profit){0, 1};
    return count - 1;
}

struct ofr_decision ofr_decide(const struct ofr_sample *sample, const struct ofr_table *table)
{
    struct ofr_way ways[OFR_MAX_WAYS];
    const struct ofr_load load = load_of(sample);
    if (ofr_distance(&sample->torus, &sample->s, &sample->t) < 2)
        return (struct ofr_decision){OFR_MINIMAL, sample->t};
    unsigned count = ofr_ways(&sample->torus, sample->tie, &sample->s, &sample->t, table, ways);
    const struct ofr_way *best = &ways[ofr_choose(&load, table, ways, count)];
    return (struct ofr_decision){best->kind, best->q};
}

unsigned ofr_unit_cycles(unsigned n, bool mul)
{
    if (mul)
        return n == 2 ? 17 : 21;
    return n == 2 ? 63 : 62;
}
