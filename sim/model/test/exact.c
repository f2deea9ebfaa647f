// SPDX-License-Identifier: Apache-2.0
#include "exact.h"

#include <gmp.h>

// All that is known here is what a link is, and nothing else. Distances are found by stepping.

static int has_link(int k, int c, int dir)
{
    if (k == 2)
        return dir > 0 ? c == 0 : c == 1;
    return k > 2;
}

// Steps from a to b going dir, or -1 where there is no way.
static int walk(int k, int a, int b, int dir)
{
    int steps = 0;
    while (a != b) {
        if (!has_link(k, a, dir))
            return -1;
        a = (a + dir + k) % k;
        steps++;
    }
    return steps;
}

static int hops(int k, int a, int b)
{
    int up = walk(k, a, b, 1), down = walk(k, a, b, -1);
    return up < 0 ? down : down < 0 ? up : up < down ? up : down;
}

// Is going dir a minimal way from a to b?
static bool minimal(const struct ofr_sample *x, int i, int a, int b, int dir)
{
    int k = x->torus.k[i], mine = walk(k, a, b, dir), other = walk(k, a, b, -dir);
    if (a == b || mine < 0)
        return false;
    if (other < 0 || mine < other)
        return true;
    return mine == other && (dir > 0 || x->tie == OFR_TIE_BOTH);
}

// Sets q to floor(v) mod k.
static int floor_mod(const mpq_t v, int k)
{
    mpz_t z;
    mpz_init(z);
    mpz_fdiv_q(z, mpq_numref(v), mpq_denref(v));
    int r = (int)mpz_fdiv_ui(z, (unsigned long)k);
    mpz_clear(z);
    return r;
}

// (s_i + t_i + beta k)/2 with t_i unrolled to lie on the shorter way from s_i: eq. 1.
static int middle(const struct ofr_sample *x, int i, int beta)
{
    int k = x->torus.k[i], s = x->s.c[i], t = x->t.c[i];
    bool down = s != t && !minimal(x, i, s, t, 1);
    int unrolled = down ? s - hops(k, s, t) : s + hops(k, s, t);
    mpq_t v;
    mpq_init(v);
    mpq_set_si(v, s + unrolled + beta * k, 2);
    mpq_canonicalize(v);
    int q = floor_mod(v, k);
    mpq_clear(v);
    return q;
}

static bool oidn(const struct ofr_sample *x, const struct ofr_table *table, const int8_t *normal,
                 int *q)
{
    for (int i = 0; i < x->torus.n; i++) {
        int k = x->torus.k[i], s = x->s.c[i], t = x->t.c[i];
        int delta = table->delta > k / 2 ? k / 2 : table->delta, raw;
        bool up = s == t || minimal(x, i, s, t, 1), down = !up;
        int lambda = down ? -normal[i] : normal[i]; // Example 2: "w.l.o.g. positively oriented"
        if (lambda == 0) {
            q[i] = middle(x, i, 0);
            continue;
        }
        if (k <= 1 || (k == 2 && s != t))
            return false;
        if (s == t)
            raw = s + lambda * delta; // eq. 3
        else if (lambda == -1)
            raw = down ? t - delta : s - delta; // eq. 2
        else
            raw = up ? t + delta : s + delta;
        q[i] = (raw + 16 * k) % k;
    }
    return true;
}

static bool widn(const struct ofr_sample *x, unsigned beta, int *q)
{
    for (int i = 0; i < x->torus.n; i++) {
        if (beta >> i & 1 && x->torus.k[i] <= 2)
            return false;
        q[i] = middle(x, i, beta >> i & 1);
    }
    return true;
}

static bool uses_nu_links(const struct ofr_sample *x, const int *q)
{
    bool leaves = false, arrives = false, is_s = true, is_t = true;
    for (int i = 0; i < x->torus.n; i++) {
        int s = x->s.c[i], t = x->t.c[i];
        is_s = is_s && q[i] == s;
        is_t = is_t && q[i] == t;
        for (int dir = -1; dir <= 1; dir += 2) {
            bool nu = !minimal(x, i, s, t, dir);
            leaves = leaves || (nu && minimal(x, i, s, q[i], dir));
            arrives = arrives || (nu && minimal(x, i, q[i], t, dir));
        }
    }
    return leaves && arrives && !is_s && !is_t;
}

// Eq. 15 (and 16, with q = t).
static void profit(mpq_t pi, const struct ofr_sample *x, const struct ofr_table *table,
                   const int *q)
{
    int least = 1000, links = 0, used = 0, direct = 0, detour = 0;
    bool full = true;
    for (int i = 0; i < x->torus.n; i++) {
        int k = x->torus.k[i], s = x->s.c[i], t = x->t.c[i];
        direct += hops(k, s, t);
        detour += hops(k, s, q[i]) + hops(k, q[i], t);
        for (int dir = -1; dir <= 1; dir += 2) {
            int u = x->used[2 * i + (dir < 0)];
            if (has_link(k, s, dir) && u < least)
                least = u;
            if (!minimal(x, i, s, q[i], dir))
                continue;
            links++;
            used += u;
            full = full && u >= x->slots;
        }
    }
    mpq_set_ui(pi, 0, 1);
    if (table->rule_a && full)
        return;
    mpq_t average, first, second;
    mpq_inits(average, first, second, NULL);
    mpq_set_ui(average, (unsigned)used, (unsigned)links);
    mpq_canonicalize(average);
    mpq_set_ui(first, (unsigned)least, 1);
    if ((least == 0 && mpq_sgn(average) == 0) || (table->rule_b && least == 0))
        mpq_set_ui(first, 1, 1);
    else
        mpq_div(first, first, average);
    mpq_set_ui(second, (unsigned)direct, (unsigned)detour);
    mpq_canonicalize(second);
    mpq_set_ui(pi, table->eta, 16); // eta itself, then eta d / d~
    mpq_canonicalize(pi);
    mpq_mul(second, second, pi);
    mpq_add(pi, first, second);
    mpq_clears(average, first, second, NULL);
}

struct ofr_decision exact_decide(const struct ofr_sample *x, const struct ofr_table *table)
{
    struct ofr_decision best = {OFR_MINIMAL, x->t};
    int q[OFR_MAX_DIMS], t[OFR_MAX_DIMS], direct = 0;
    unsigned set = 0, n = x->torus.n;
    for (unsigned i = 0; i < n; i++) {
        t[i] = x->t.c[i];
        direct += hops(x->torus.k[i], x->s.c[i], t[i]);
        if (x->s.c[i] == t[i])
            set += 1u << i;
    }
    if (direct < 2)
        return best;
    mpq_t most, pi;
    mpq_inits(most, pi, NULL);
    profit(most, x, table, t);
    for (unsigned j = 0; j < OFR_TABLE_INDEXES + (1u << n); j++) {
        bool wide = j >= OFR_TABLE_INDEXES, there;
        unsigned beta = j - OFR_TABLE_INDEXES;
        if (wide)
            there = (table->widn >> beta & 1) && widn(x, beta, q);
        else
            there = table->oidn && (table->valid[set] >> j & 1) &&
                    oidn(x, table, table->lambda[set][j], q);
        if (!there || !uses_nu_links(x, q))
            continue;
        profit(pi, x, table, q);
        if (mpq_cmp(pi, most) <= 0)
            continue;
        mpq_set(most, pi);
        best.kind = wide ? OFR_WIDN : OFR_OIDN;
        for (unsigned i = 0; i < n; i++)
            best.q.c[i] = (uint8_t)q[i];
    }
    mpq_clears(most, pi, NULL);
    return best;
}
