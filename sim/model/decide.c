// SPDX-License-Identifier: Apache-2.0
#include "decide.h"

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

// Sign g_i of dimension i: the normalising of lambda.
static int sign_of(const struct ofr_sample *x, unsigned i)
{
    return ofr_dim_minimal(&x->torus, i, x->s.c[i], x->t.c[i], OFR_TIE_PLUS) == 2 ? -1 : 1;
}

// q_i halfway between s_i and t_i, the shorter way (wrap = 0) or round the torus (wrap = 1): eq. 1,
// and eq. 2 with lambda_i = 0.
static uint8_t midpoint(const struct ofr_sample *x, unsigned i, unsigned wrap)
{
    int k = x->torus.k[i], s = x->s.c[i];
    int d = (int)ofr_dim_distance(&x->torus, i, x->s.c[i], x->t.c[i]);
    int sum = 2 * s + sign_of(x, i) * d + (wrap ? k : 0);
    return modulo((sum + 2 * k) / 2 - k, k); // + 2k: floor, not truncation, where sum is negative
}

// The IDN of a lambda vector (eq. 2, 3); false where a small dimension drops it.
static bool outflank(const struct ofr_sample *x, const int8_t *lambda, unsigned delta,
                     struct ofr_coord *q)
{
    for (unsigned i = 0; i < x->torus.n; i++) {
        int k = x->torus.k[i], s = x->s.c[i], t = x->t.c[i], g = sign_of(x, i);
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
static bool wraparound(const struct ofr_sample *x, unsigned beta, struct ofr_coord *q)
{
    for (unsigned i = 0; i < x->torus.n; i++) {
        unsigned wrap = beta >> i & 1;
        if (wrap && x->torus.k[i] <= 2)
            return false;
        q->c[i] = midpoint(x, i, wrap);
    }
    return true;
}

static uint8_t least_used(const struct ofr_sample *x)
{
    uint32_t ports = ofr_existing_ports(&x->torus, &x->s);
    uint8_t least = UINT8_MAX;
    for (unsigned p = 0; p < 2u * x->torus.n; p++)
        if (ports >> p & 1 && x->used[p] < least)
            least = x->used[p];
    return least;
}

// Profit (eq. 15, 16) of a choice whose first links are `ports` (not empty), of length D >= d.
static struct ofr_profit profit(const struct ofr_sample *x, const struct ofr_table *table,
                                uint32_t ports, unsigned d, unsigned D)
{
    unsigned m = 0, sum = 0, least = least_used(x);
    bool room = false;
    for (unsigned p = 0; p < 2u * x->torus.n; p++) {
        if (!(ports >> p & 1))
            continue;
        m++;
        sum += x->used[p];
        room = room || x->used[p] < x->slots;
    }
    if (table->rule_a && !room)
        return (struct ofr_profit){0, 1};
    unsigned first = least * m; // f = first / sum
    if (sum == 0 || (table->rule_b && least == 0))
        first = sum = 1;
    return (struct ofr_profit){16 * first * D + table->eta * d * sum, 16 * sum * D};
}

// Fills in all but kind, index and q.
static void judge(const struct ofr_sample *x, const struct ofr_table *table,
                  struct ofr_candidate *c)
{
    uint32_t mu = ofr_minimal_ports(&x->torus, &x->s, &x->t, x->tie);
    uint32_t leave = ofr_minimal_ports(&x->torus, &x->s, &c->q, x->tie);
    uint32_t arrive = ofr_minimal_ports(&x->torus, &c->q, &x->t, x->tie);
    // q = s has no link to leave over, q = t none to arrive over: they fail here, too.
    if (!(leave & ~mu) || !(arrive & ~mu))
        return;
    c->admissible = true;
    c->distance = ofr_distance(&x->torus, &x->s, &c->q) + ofr_distance(&x->torus, &c->q, &x->t);
    c->profit = profit(x, table, leave, ofr_distance(&x->torus, &x->s, &x->t), c->distance);
}

unsigned ofr_candidates(const struct ofr_sample *sample, const struct ofr_table *table,
                        struct ofr_candidate out[OFR_MAX_CANDIDATES], struct ofr_profit *minimal)
{
    unsigned n = sample->torus.n, count = 0, set = 0;
    unsigned d = ofr_distance(&sample->torus, &sample->s, &sample->t);
    for (unsigned i = 0; i < n; i++)
        set |= (unsigned)(sample->s.c[i] == sample->t.c[i]) << i;

    for (unsigned j = 0; table->oidn && j < OFR_TABLE_INDEXES; j++) {
        if (!(table->valid[set] >> j & 1))
            continue;
        struct ofr_candidate *c = &out[count++];
        *c = (struct ofr_candidate){.kind = OFR_OIDN, .index = (uint8_t)j};
        if (outflank(sample, table->lambda[set][j], table->delta, &c->q))
            judge(sample, table, c);
    }
    for (unsigned beta = 0; beta < 1u << n; beta++) {
        if (!(table->widn >> beta & 1))
            continue;
        struct ofr_candidate *c = &out[count++];
        *c = (struct ofr_candidate){.kind = OFR_WIDN, .index = (uint8_t)beta};
        if (wraparound(sample, beta, &c->q))
            judge(sample, table, c);
    }
    *minimal = (struct ofr_profit){0, 1};
    if (d > 0)
        *minimal =
            profit(sample, table,
                   ofr_minimal_ports(&sample->torus, &sample->s, &sample->t, sample->tie), d, d);
    return count;
}

struct ofr_decision ofr_decide(const struct ofr_sample *sample, const struct ofr_table *table)
{
    struct ofr_candidate candidates[OFR_MAX_CANDIDATES];
    struct ofr_decision best = {OFR_MINIMAL, sample->t};
    struct ofr_profit most;
    if (ofr_distance(&sample->torus, &sample->s, &sample->t) < 2)
        return best;
    unsigned count = ofr_candidates(sample, table, candidates, &most);
    for (unsigned i = 0; i < count; i++) {
        const struct ofr_candidate *c = &candidates[i];
        if (!c->admissible ||
            (uint64_t)c->profit.num * most.den <= (uint64_t)most.num * c->profit.den)
            continue;
        most = c->profit;
        best = (struct ofr_decision){c->kind, c->q};
    }
    return best;
}

unsigned ofr_unit_cycles(unsigned n, bool mul)
{
    if (mul)
        return n == 2 ? 16 : 20;
    return n == 2 ? 64 : 63;
}
