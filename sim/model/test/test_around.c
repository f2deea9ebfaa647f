// SPDX-License-Identifier: Apache-2.0
// Destination tables around dead links against brute force, by a torus and a walk of its own: every
// entry is safe, and is the freest that is; so every pair with a legal entry gets one. SEED=n
// replays.
#include "around.h"
#include "exact.h"
#include "ofr_regs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 64, LINKS = 3 * MOST };

static uint64_t seed;

// ---- A torus by walking

struct net {
    unsigned n, k[3], nodes;
    bool both;                                // at distance k/2 either way
    bool dead[MOST][6];                       // link over port p of a node
    unsigned from[LINKS], port[LINKS], links; // all links, their + ends
};

static unsigned place(const struct net *net, unsigned node, unsigned dim)
{
    for (unsigned i = 0; i < dim; i++)
        node /= net->k[i];
    return node % net->k[dim];
}

static unsigned step(const struct net *net, unsigned node, unsigned port)
{
    unsigned stride = 1, dim = port / 2, k = net->k[dim], c = place(net, node, dim);
    for (unsigned i = 0; i < dim; i++)
        stride *= net->k[i];
    return node - c * stride + (port % 2 ? (c + k - 1) % k : (c + 1) % k) * stride;
}

static bool exists(const struct net *net, unsigned node, unsigned port)
{
    unsigned k = net->k[port / 2];
    return k > 2 || (k == 2 && place(net, node, port / 2) == port % 2);
}

// Hops in one direction of a dimension.
static unsigned hops(const struct net *net, unsigned dim, unsigned s, unsigned t, bool minus)
{
    unsigned count = 0;
    for (; place(net, s, dim) != place(net, t, dim); count++)
        s = step(net, s, 2 * dim + minus);
    return count;
}

// Minimal ports of a dimension, as a mask.
static unsigned minimal(const struct net *net, unsigned dim, unsigned s, unsigned t, bool both)
{
    unsigned plus = hops(net, dim, s, t, false), minus = hops(net, dim, s, t, true);
    if (!plus)
        return 0;
    if (net->k[dim] == 2)
        return exists(net, s, 2 * dim) ? 1 : 2;
    return plus < minus ? 1 : minus < plus ? 2 : both ? 3 : 1;
}

static unsigned distance(const struct net *net, unsigned s, unsigned t)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < net->n; i++) {
        unsigned plus = hops(net, i, s, t, false), minus = hops(net, i, s, t, true);
        sum += plus < minus ? plus : minus;
    }
    return sum;
}

// Does the way in dimension order avoid dead links?
static bool clean(const struct net *net, unsigned s, unsigned t)
{
    for (unsigned dim = 0; dim < net->n; dim++)
        for (unsigned m; (m = minimal(net, dim, s, t, false)); s = step(net, s, 2 * dim + m / 2))
            if (net->dead[s][2 * dim + m / 2])
                return false;
    return true;
}

// Does it from everywhere that minimal hops over live links lead to?
static bool clean_everywhere(const struct net *net, unsigned s, unsigned t)
{
    bool seen[MOST] = {false};
    unsigned stack[MOST], height = 0;
    stack[height++] = s;
    seen[s] = true;
    while (height) {
        unsigned at = stack[--height];
        if (!clean(net, at, t))
            return false;
        for (unsigned port = 0; port < 2 * net->n; port++) {
            bool leads = minimal(net, port / 2, at, t, net->both) >> port % 2 & 1;
            unsigned to = leads ? step(net, at, port) : at;
            if (net->dead[at][port] || seen[to])
                continue;
            seen[to] = true;
            stack[height++] = to;
        }
    }
    return true;
}

static struct net new_net(unsigned x, unsigned y, unsigned z, bool both)
{
    struct net net = {.n = z ? 3 : 2, .k = {x, y, z ? z : 1}, .both = both};
    net.nodes = net.k[0] * net.k[1] * net.k[2];
    for (unsigned node = 0; node < net.nodes; node++)
        for (unsigned port = 0; port < 2 * net.n; port += 2)
            if (exists(&net, node, port)) {
                net.from[net.links] = node;
                net.port[net.links++] = port;
            }
    return net;
}

static void set_link(struct net *net, unsigned link, bool dead)
{
    net->dead[net->from[link]][net->port[link]] = dead;
    net->dead[step(net, net->from[link], net->port[link])][net->port[link] + 1] = dead;
}

// ---- The table against it

static bool everywhere[MOST][MOST]; // clean_everywhere() of all pairs

static bool free_is_safe(const struct net *net, const struct ofr_programmed *p, unsigned s,
                         unsigned t)
{
    struct ofr_candidate candidate[OFR_MAX_CANDIDATES];
    struct ofr_profit profit;
    struct ofr_sample sample = {.torus = p->torus,
                                .tie = p->tie,
                                .s = ofr_node_coord(&p->torus, s),
                                .t = ofr_node_coord(&p->torus, t),
                                .slots = 4};
    unsigned count = ofr_candidates(&sample, p->table, candidate, &profit);
    for (unsigned i = 0; i < count && distance(net, s, t) > 1; i++) {
        unsigned q = ofr_node_id(&p->torus, &candidate[i].q);
        if (candidate[i].admissible && (!everywhere[s][q] || !everywhere[q][t]))
            return false;
    }
    return everywhere[s][t];
}

// The least hops by a node with two clean legs; 0: there is none.
static unsigned shortest(const struct net *net, unsigned s, unsigned t)
{
    unsigned best = 0;
    for (unsigned q = 0; q < net->nodes; q++) {
        unsigned d = distance(net, s, q) + distance(net, q, t);
        if (q != s && q != t && clean(net, s, q) && clean(net, q, t) && (!best || d < best))
            best = d;
    }
    return best;
}

static unsigned modes[5], tables;

// Returns whether some pair is unreachable.
static bool compare(const struct net *net, const struct ofr_programmed *p, const uint16_t *entry)
{
    bool cut = false;
    for (unsigned i = 0; i < net->nodes * net->nodes; i++)
        everywhere[i / net->nodes][i % net->nodes] =
            clean_everywhere(net, i / net->nodes, i % net->nodes);
    for (unsigned s = 0; s < net->nodes; s++)
        for (unsigned t = 0; t < net->nodes; t++) {
            unsigned e = entry[s * net->nodes + t], mode = e >> OFR_PINS_DATA_MODE_LSB, d = 0;
            unsigned want = OFR_PINS_DATA_MODE_FREE;
            if (s == t || free_is_safe(net, p, s, t))
                ;
            else if (everywhere[s][t])
                want = OFR_PINS_DATA_MODE_MINIMAL;
            else if (clean(net, s, t))
                want = OFR_PINS_DATA_MODE_ESCAPE;
            else if ((d = shortest(net, s, t)))
                want = OFR_PINS_DATA_MODE_IDN;
            else
                want = OFR_PINS_DATA_MODE_UNREACHABLE;
            if (mode != want)
                fail_msg("%ux%ux%u, %u to %u: mode %u, should be %u", net->k[0], net->k[1],
                         net->k[2], s, t, mode, want);
            if (mode == OFR_PINS_DATA_MODE_IDN) {
                unsigned q = (e & 15) + net->k[0] * ((e >> 4 & 15) + net->k[1] * (e >> 8 & 15));
                assert_true(q != s && q != t && clean(net, s, q) && clean(net, q, t));
                assert_int_equal(distance(net, s, q) + distance(net, q, t), d);
            }
            modes[mode]++;
            cut |= mode == OFR_PINS_DATA_MODE_UNREACHABLE;
        }
    tables++;
    return cut;
}

static bool around(const struct net *net, uint64_t *random)
{
    uint8_t up[MOST];
    uint16_t entry[MOST * MOST];
    struct ofr_table table;
    struct ofr_programmed p = {.torus = {.n = (uint8_t)net->n},
                               .tie = net->both ? OFR_TIE_BOTH : OFR_TIE_PLUS,
                               .table = &table,
                               .up = up};
    for (unsigned i = 0; i < net->n; i++)
        p.torus.k[i] = (uint8_t)net->k[i];
    ofr_table_reset(&table, net->n);
    if (exact_random(random) % 4 == 0)
        exact_random_table(&table, net->n, random);
    for (unsigned node = 0; node < net->nodes; node++) {
        up[node] = 0xff;
        for (unsigned port = 0; port < 6; port++)
            up[node] &= (uint8_t) ~(net->dead[node][port] << port);
    }
    void *memory = malloc(ofr_around_bytes(&p.torus));
    assert_non_null(memory);
    uint32_t unreachable = ofr_around(&p, entry, memory);
    free(memory);
    bool cut = compare(net, &p, entry);
    assert_int_equal(cut, unreachable != 0);
    return cut;
}

static void every_one(void **state)
{
    (void)state;
    static const uint8_t sizes[][3] = {{4, 4}, {5, 3}, {3, 3, 3}, {2, 3, 4}, {2, 2}, {6, 2}};
    uint64_t random = seed;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned both = 0; both < 2; both++) {
            struct net net = new_net(sizes[i][0], sizes[i][1], sizes[i][2], both);
            for (unsigned link = 0; link < net.links; link++) {
                set_link(&net, link, true);
                assert_false(around(&net, &random));
                set_link(&net, link, false);
            }
            assert_false(around(&net, &random)); // all FREE
        }
}

// All pairs of links; how many of them cut some pair of nodes off.
static unsigned every_two(unsigned x, unsigned y, bool both, uint64_t *random)
{
    struct net net = new_net(x, y, 0, both);
    unsigned cut = 0;
    for (unsigned a = 0; a < net.links; a++)
        for (unsigned b = 0; b < a; b++) {
            set_link(&net, a, true);
            set_link(&net, b, true);
            cut += around(&net, random);
            set_link(&net, a, false);
            set_link(&net, b, false);
        }
    return cut;
}

static void twos(void **state)
{
    (void)state;
    uint64_t random = seed + 1;
    for (unsigned both = 0; both < 2; both++) {
        assert_int_equal(every_two(3, 3, both, &random), 0);
        assert_int_equal(every_two(4, 2, both, &random), 12); // of 66
    }
    assert_int_equal(every_two(4, 4, true, &random), 0);
    for (unsigned i = 0; i < 12; i++) {
        struct net net = new_net(4, 4, 4, i & 1);
        unsigned a = exact_random(&random) % net.links, b = exact_random(&random) % net.links;
        set_link(&net, a, true);
        set_link(&net, b, true);
        assert_false(around(&net, &random));
    }
}

// Any number of dead links, also so many that nodes are alone.
static void many(void **state)
{
    (void)state;
    uint64_t random = seed + 2;
    unsigned cut = 0;
    for (unsigned i = 0; i < 150; i++) {
        struct net net = new_net(1 + exact_random(&random) % 6, 1 + exact_random(&random) % 4,
                                 exact_random(&random) % 3, exact_random(&random) & 1);
        for (unsigned j = exact_random(&random) % 10; net.links && j > 0; j--)
            set_link(&net, exact_random(&random) % net.links, true);
        cut += around(&net, &random);
    }
    print_message("# %u of 150 cut somebody off\n", cut);
    assert_true(cut > 10 && cut < 140);
    print_message("# %u tables: %u free, %u minimal, %u escape, %u IDN, %u unreachable\n", tables,
                  modes[0], modes[1], modes[2], modes[3], modes[4]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_one),
        cmocka_unit_test(twos),
        cmocka_unit_test(many),
    };
    seed = exact_seed(argc, argv, 1);
    if (getenv("ONLY")) // for the twins
        cmocka_set_test_filter(getenv("ONLY"));
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("around", tests, NULL, NULL);
}
