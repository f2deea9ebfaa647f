// SPDX-License-Identifier: Apache-2.0
// The local port's model by itself: destinations against their definitions, time stamps, streaming,
// generator to checker, histogram edges, mailbox, destination table.
#include "local.h"
#include "packet.h"
#include "pattern.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

enum { MAX_MESSAGES = 64 };

struct rig {
    struct ofr_local local;
    struct ofr_config config;
    struct ofr_local_in in;
};

static void rig_init(struct rig *r, unsigned n, unsigned w, const uint8_t *k)
{
    memset(r, 0, sizeof *r);
    struct ofr_shape shape = {.n = (uint8_t)n, .flit_bits = (uint8_t)w, .slot_flits = 1024};
    assert_true(ofr_local_init(&r->local, &shape, NULL));
    r->config.configured = true;
    r->config.torus.n = (uint8_t)n;
    for (unsigned i = 0; i < n; i++)
        r->config.torus.k[i] = k[i];
    r->in.config = &r->config;
    r->in.li_ready[0] = r->in.li_ready[1] = r->in.li_ready[2] = true;
}

static struct ofr_flit rig_out(const struct rig *r)
{
    return ofr_local_out(&r->local, &r->config);
}

static void rig_step(struct rig *r)
{
    ofr_local_step(&r->local, &r->in);
    r->in.time++;
}

static bool rig_write(struct rig *r, unsigned offset, uint32_t value)
{
    return ofr_local_write(&r->local, offset, value, &r->config);
}

static void generate(struct rig *r, unsigned pattern, unsigned cls, uint32_t messages,
                     unsigned packets, unsigned flits, uint32_t period)
{
    assert_true(rig_write(r, OFR_GEN_MESSAGES, messages));
    assert_true(rig_write(r, OFR_GEN_PERIOD, period));
    assert_true(rig_write(r, OFR_GEN_LENGTH, flits | packets << 16));
    assert_true(rig_write(r, OFR_GEN_START, r->in.time + 10));
    assert_true(
        rig_write(r, OFR_GEN_CONTROL,
                  1 | cls << OFR_GEN_CONTROL_CLASS_LSB | pattern << OFR_GEN_CONTROL_PATTERN_LSB));
}

// Runs until done; header bits of each packet's first 64 bits. Returns packets.
static unsigned collect(struct rig *r, uint64_t *header, unsigned max)
{
    unsigned packets = 0, bit = 0;
    uint64_t bits = 0;
    for (unsigned cycle = 0; cycle < 200000; cycle++) {
        struct ofr_flit f = rig_out(r);
        if (f.valid) {
            if (bit < 64)
                bits |= f.data << bit;
            bit += r->local.gen.flit_bits;
            if (f.last) {
                assert_true(packets < max);
                header[packets++] = bits;
                bits = 0;
                bit = 0;
            }
        }
        rig_step(r);
        if (ofr_local_read(&r->local, OFR_GEN_STATUS) == OFR_GEN_STATUS_DONE_MASK &&
            !r->local.next.valid && !r->local.user.valid)
            return packets; // all have left the port
    }
    fail_msg("the generator does not finish");
    return 0;
}

// ---- Destinations -------------------------------------------------------------------------------

static unsigned log2_of(unsigned v)
{
    unsigned bits = 0;
    while (v > 1) {
        v >>= 1;
        bits++;
    }
    return bits;
}

// From the patterns' definitions in the paper and in rtl/local/README.md, on node numbers.
static struct ofr_coord expected(const struct ofr_torus *t, const struct ofr_coord *me,
                                 unsigned pattern, unsigned message)
{
    unsigned id = ofr_node_id(t, me), bits = log2_of(ofr_nodes(t)), to = 0;
    struct ofr_coord d = *me;
    switch (pattern) {
    case OFR_GEN_CONTROL_PATTERN_BUTTERFLY:
        return ofr_node_coord(t, id ^ 1U << message % bits);
    case OFR_GEN_CONTROL_PATTERN_TRANSPOSE:
        if (t->n == 2) {
            d.c[0] = me->c[1];
            d.c[1] = me->c[0];
            return d;
        }
        return ofr_node_coord(t, (id >> bits / 2) | (id & ((1U << bits / 2) - 1)) << bits / 2);
    case OFR_GEN_CONTROL_PATTERN_BITREVERSE:
        for (unsigned i = 0; i < bits; i++)
            to |= (id >> i & 1) << (bits - 1 - i);
        return ofr_node_coord(t, to);
    case OFR_GEN_CONTROL_PATTERN_ROTATE3D:
        for (unsigned i = 0; i < 3; i++)
            d.c[i] = me->c[(i + 1) % 3];
        return d;
    case OFR_GEN_CONTROL_PATTERN_COMPLEMENT:
        for (unsigned i = 0; i < t->n; i++)
            d.c[i] = (uint8_t)(t->k[i] - 1 - me->c[i]);
        return d;
    case OFR_GEN_CONTROL_PATTERN_TORNADO:
        for (unsigned i = 0; i < t->n; i++)
            d.c[i] = (uint8_t)((me->c[i] + (t->k[i] + 1) / 2 - 1) % t->k[i]);
        return d;
    default:
        d.c[0] = (uint8_t)((me->c[0] + 1) % t->k[0]);
        return d;
    }
}

static bool exists(const struct ofr_torus *t, unsigned pattern)
{
    unsigned nodes = ofr_nodes(t);
    bool power = true;
    for (unsigned i = 0; i < t->n; i++)
        power = power && (t->k[i] & (t->k[i] - 1)) == 0;
    switch (pattern) {
    case OFR_GEN_CONTROL_PATTERN_BUTTERFLY:
    case OFR_GEN_CONTROL_PATTERN_BITREVERSE:
        return power;
    case OFR_GEN_CONTROL_PATTERN_TRANSPOSE:
        return t->n == 2 ? t->k[0] == t->k[1] : power && log2_of(nodes) % 2 == 0;
    case OFR_GEN_CONTROL_PATTERN_ROTATE3D:
        return t->n == 3 && t->k[0] == t->k[1] && t->k[1] == t->k[2];
    default:
        return true;
    }
}

static void test_patterns(void **state)
{
    (void)state;
    static const uint8_t sizes[][4] = {{2, 4, 4, 0}, {2, 8, 8, 0},  {3, 4, 4, 4}, {3, 8, 8, 8},
                                       {2, 3, 5, 0}, {3, 16, 8, 8}, {2, 2, 2, 0}, {3, 2, 4, 2},
                                       {3, 3, 3, 3}, {2, 5, 5, 0},  {3, 3, 4, 5}, {2, 16, 16, 0}};
    unsigned checked = 0;
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct ofr_torus t = {.n = sizes[s][0]};
        memcpy(t.k, &sizes[s][1], t.n);
        for (unsigned pattern = OFR_GEN_CONTROL_PATTERN_BUTTERFLY;
             pattern <= OFR_GEN_CONTROL_PATTERN_NEIGHBOUR; pattern++) {
            assert_int_equal(exists(&t, pattern), !ofr_pattern_missing(&t, pattern));
            if (!exists(&t, pattern))
                continue;
            for (unsigned id = 0; id < ofr_nodes(&t); id++) {
                struct rig r;
                uint64_t header[14];
                rig_init(&r, t.n, 64, t.k);
                r.config.me = ofr_node_coord(&t, id);
                generate(&r, pattern, OFR_PKT_CLASS_MINIMAL, 14, 1, 4, 256);
                assert_int_equal(collect(&r, header, 14), 14);
                for (unsigned m = 0; m < 14; m++) {
                    struct ofr_header h = ofr_header_unpack(header[m]);
                    struct ofr_coord to = expected(&t, &r.config.me, pattern, m);
                    assert_int_equal(h.target, ofr_coord_word(&to, t.n));
                    to = ofr_pattern_destination(&t, pattern, &r.config.me, m);
                    assert_int_equal(h.target, ofr_coord_word(&to, t.n));
                    assert_int_equal(h.dest, h.target);
                    assert_int_equal(h.source, ofr_coord_word(&r.config.me, t.n));
                    assert_int_equal(h.kind, OFR_PKT_KIND_GEN);
                    assert_int_equal(h.seq, m);
                    assert_int_equal(h.leg, 1);
                    assert_int_equal(h.mgmt, 0);
                    assert_int_equal(h.cls, OFR_PKT_CLASS_MINIMAL);
                    checked++;
                }
            }
        }
    }
    print_message("# %u destinations\n", checked);
}

// Every node is drawn, about equally often; all packets of a message go to one node.
static void test_uniform(void **state)
{
    (void)state;
    static const uint8_t sizes[][4] = {{2, 3, 5, 0}, {2, 4, 4, 0}, {3, 2, 3, 5}, {3, 4, 4, 4}};
    enum { MESSAGES = 20000 };
    static uint64_t header[2 * MESSAGES];
    for (unsigned s = 0; s < 4; s++) {
        struct ofr_torus t = {.n = sizes[s][0]};
        memcpy(t.k, &sizes[s][1], t.n);
        unsigned nodes = ofr_nodes(&t), hits[64] = {0}, pairs[64][64] = {{0}}, before = 0;
        struct rig r;
        rig_init(&r, t.n, 64, t.k);
        assert_true(rig_write(&r, OFR_GEN_SEED, s));
        generate(&r, OFR_GEN_CONTROL_PATTERN_UNIFORM, OFR_PKT_CLASS_DEROUTE, MESSAGES, 2, 4, 0);
        assert_int_equal(collect(&r, header, 2 * MESSAGES), 2 * MESSAGES);
        for (unsigned m = 0; m < MESSAGES; m++) {
            struct ofr_header h = ofr_header_unpack(header[2 * m]);
            struct ofr_coord c = {{h.target & 15, h.target >> 4 & 15, h.target >> 8}};
            assert_true(ofr_inside(&t, &c));
            assert_int_equal(h.target, ofr_header_unpack(header[2 * m + 1]).target);
            unsigned id = ofr_node_id(&t, &c);
            hits[id]++;
            if (m)
                pairs[before][id]++;
            before = id;
        }
        // Chi-square with nodes - 1 degrees of freedom: mean nodes - 1, deviation sqrt(2 nodes);
        // six deviations. Likewise successive pairs.
        double chi = 0, chi2 = 0, mean = (double)MESSAGES / nodes;
        for (unsigned i = 0; i < nodes; i++)
            chi += (hits[i] - mean) * (hits[i] - mean) / mean;
        for (unsigned i = 0; i < nodes * nodes; i++) {
            unsigned count = pairs[i / nodes][i % nodes];
            double d = count - mean / nodes;
            chi2 += d * d / (mean / nodes);
        }
        assert_true((chi - nodes) * (chi - nodes) < 36 * 2.0 * nodes);
        assert_true((chi2 - nodes * nodes) * (chi2 - nodes * nodes) < 72.0 * nodes * nodes);
    }
}

// ---- Generator to checker -----------------------------------------------------------------------

// What leaves is delivered to the same node `delay` cycles later.
static void test_loop(void **state)
{
    (void)state;
    enum { DELAY = 37 };
    static const unsigned widths[] = {16, 32, 64};
    for (unsigned i = 0; i < 3; i++) {
        unsigned w = widths[i], flits = ofr_min_flits(w), cycles = 0, first = 0;
        struct rig r;
        struct ofr_flit line[DELAY] = {{0}};
        rig_init(&r, 2, w, (const uint8_t[]){4, 4});
        r.config.me = (struct ofr_coord){{3, 2}};
        for (unsigned j = 0; j < 300; j++)
            rig_step(&r); // the checker clears
        assert_true(rig_write(&r, OFR_GEN_TARGET, 0x23));
        // 2.5 packet times a message of 3 packets: a queue builds up, the line is always busy
        generate(&r, OFR_GEN_CONTROL_PATTERN_FIXED, OFR_PKT_CLASS_MINIMAL, 20, 3, flits,
                 flits * 640);
        uint32_t start = r.in.time + 10;
        uint64_t sum = 0;
        for (unsigned j = 0; j < 5000; j++) {
            r.in.lo = line[j % DELAY];
            line[j % DELAY] = rig_out(&r);
            if (line[j % DELAY].valid && !cycles++)
                first = j;
            if (line[j % DELAY].valid)
                assert_int_equal(j - first, cycles - 1); // not one idle cycle
            rig_step(&r);
        }
        for (unsigned p = 0; p < 60; p++) { // packet p's tail is first + (p + 1) flits - 1 + DELAY
            uint32_t born = start + (p / 3) * flits * 640 / 256;
            sum += start - 10 + first + (p + 1) * flits - 1 + DELAY - born;
        }
        assert_int_equal(cycles, 60 * flits);
        assert_int_equal(ofr_local_read(&r.local, OFR_GEN_OFFERED), 60);
        assert_int_equal(ofr_local_read(&r.local, OFR_GEN_SENT), 60);
        assert_int_equal(ofr_local_read(&r.local, OFR_CHECK_RECEIVED), 60);
        assert_int_equal(ofr_local_read(&r.local, OFR_CHECK_ERRORS), 0);
        assert_int_equal(ofr_local_read(&r.local, OFR_CHECK_COUNT), 60);
        assert_int_equal(ofr_local_read(&r.local, OFR_CHECK_SUM_LOW), sum);
        unsigned histogram = 0;
        assert_true(rig_write(&r, OFR_CHECK_BIN, 0));
        for (unsigned b = 0; b < OFR_CHECK_BINS; b++)
            histogram += ofr_local_read(&r.local, OFR_CHECK_BIN_COUNT);
        assert_int_equal(histogram, 60);
    }
}

// Each single flipped bit of a packet, but the few that a router may change, makes it an error.
static void test_flipped_bits(void **state)
{
    (void)state;
    static const unsigned widths[] = {16, 32, 64};
    for (unsigned i = 0; i < 3; i++) {
        unsigned w = widths[i], flits = ofr_min_flits(w) + 3, n = 0, errors = 0;
        struct ofr_flit packet[32];
        struct rig r;
        rig_init(&r, 2, w, (const uint8_t[]){4, 4});
        generate(&r, OFR_GEN_CONTROL_PATTERN_FIXED, OFR_PKT_CLASS_MINIMAL, 1, 1, flits, 256);
        for (unsigned j = 0; j < 300; j++) {
            struct ofr_flit f = rig_out(&r);
            if (f.valid)
                packet[n++] = f;
            rig_step(&r);
        }
        assert_int_equal(n, flits);
        for (unsigned bit = 0; bit <= w * flits; bit++) {
            for (unsigned j = 0; j < flits; j++) {
                r.in.lo = packet[j];
                if (j == bit / w)
                    r.in.lo.data ^= (uint64_t)1 << bit % w;
                rig_step(&r);
            }
            r.in.lo.valid = false;
            // Not checked: z of a 2D target, class, DEST. A changed KIND is nobody's packet, a
            // changed MGMT is the mailbox's.
            bool free = (bit >= 8 && bit < 14) || bit == 15 || (bit >= 16 && bit < 32) ||
                        (bit >= 44 && bit < 48) || bit == w * flits;
            errors += !free;
            assert_int_equal(ofr_local_read(&r.local, OFR_CHECK_ERRORS), errors);
        }
    }
}

static void test_histogram(void **state)
{
    (void)state;
    for (unsigned b = 0; b < 240; b++) {
        uint32_t low = ofr_check_bin_low(b);
        assert_int_equal(ofr_check_bin(low), b);
        if (b > 0)
            assert_int_equal(ofr_check_bin(low - 1), b - 1);
        if (b >= 8) // no wider than an eighth of its lower edge
            assert_true(b == 239 || ofr_check_bin_low(b + 1) - low <= low / 8 + (low < 8));
    }
    assert_int_equal(ofr_check_bin(UINT32_MAX), 239);
    assert_int_equal(ofr_check_bin_low(240), UINT32_MAX);
    assert_int_equal(ofr_check_bin_low(8), 8);
    assert_int_equal(ofr_check_bin_low(16), 16);
    assert_int_equal(ofr_check_bin_low(17), 18);
    assert_int_equal(ofr_check_bin_low(239), 0xf0000000);
}

// ---- Mailbox ------------------------------------------------------------------------------------

static void test_mailbox(void **state)
{
    (void)state;
    static const unsigned widths[] = {16, 32, 64};
    for (unsigned i = 0; i < 3; i++) {
        struct rig r;
        rig_init(&r, 3, widths[i], (const uint8_t[]){4, 4, 4});
        r.config.me = (struct ofr_coord){{1, 2, 3}};
        assert_false(rig_write(&r, OFR_NI_TX_SEND, 0));
        assert_false(rig_write(&r, OFR_NI_TX_DATA, 0));
        for (unsigned packet = 0; packet < 6; packet++) {
            bool directed = packet & 1;
            assert_true(ofr_local_read(&r.local, OFR_NI_STATUS) & OFR_NI_STATUS_TX_READY_MASK);
            assert_true(rig_write(&r, OFR_NI_TX_HEAD, 0x0abc2321 | (directed ? 0x3000 : 0)));
            assert_true(rig_write(&r, OFR_NI_TX_DATA, 0x5678ffff));
            assert_true(rig_write(&r, OFR_NI_TX_DATA, packet));
            for (unsigned j = 0; j < 6 && !directed; j++) // the eighth word is one too many
                assert_true(rig_write(&r, OFR_NI_TX_DATA, 0xbeef0000 + j));
            assert_true(rig_write(&r, OFR_NI_TX_SEND, 0));
            assert_false(rig_write(&r, OFR_NI_TX_HEAD, 0));
            for (unsigned j = 0; j < 20; j++) {
                r.in.lo = rig_out(&r); // back to itself
                rig_step(&r);
            }
        }
        r.in.lo.valid = false;
        // Of six, four are kept; 0x2321 is class 2 and is sent in order
        assert_int_equal(ofr_local_read(&r.local, OFR_NI_STATUS), 0x00020003);
        for (unsigned packet = 0; packet < 4; packet++) {
            assert_int_equal(ofr_local_read(&r.local, OFR_NI_RX_DATA),
                             packet & 1 ? 0x0abcf321 : 0x0abcc321);
            assert_int_equal(ofr_local_read(&r.local, OFR_NI_RX_DATA), 0x56782321);
            assert_int_equal(ofr_local_read(&r.local, OFR_NI_RX_DATA), packet);
            for (unsigned j = 0; j < 6; j++)
                assert_int_equal(ofr_local_read(&r.local, OFR_NI_RX_DATA),
                                 (packet & 1) || j == 5 ? 0 : 0xbeef0000 + j); // no leftovers
            assert_true(rig_write(&r, OFR_NI_RX_NEXT, 0));
        }
        assert_int_equal(ofr_local_read(&r.local, OFR_NI_STATUS), 0x00020001);
    }
}

// Management overtakes a user packet whose VC is not ready, but never breaks into one.
static void test_management_first(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, 2, 32, (const uint8_t[]){4, 4});
    generate(&r, OFR_GEN_CONTROL_PATTERN_FIXED, OFR_PKT_CLASS_DEROUTE, 2, 1, 8, 256);
    r.in.li_ready[OFR_LVC_DEROUTE] = false;
    for (unsigned j = 0; j < 40; j++)
        rig_step(&r);
    assert_true(rig_out(&r).valid);
    assert_int_equal(rig_out(&r).vc, OFR_LVC_DEROUTE);
    assert_true(rig_write(&r, OFR_NI_TX_HEAD, 0));
    assert_true(rig_write(&r, OFR_NI_TX_SEND, 0));
    for (unsigned j = 0; j < 2; j++) { // its header is looked up
        assert_int_equal(rig_out(&r).vc, OFR_LVC_DEROUTE);
        rig_step(&r);
    }
    for (unsigned j = 0; j < 8; j++) {
        assert_int_equal(rig_out(&r).vc, OFR_LVC_MGMT);
        rig_step(&r);
    }
    r.in.li_ready[OFR_LVC_DEROUTE] = true;
    assert_int_equal(rig_out(&r).vc, OFR_LVC_DEROUTE);
    rig_step(&r);
    assert_true(rig_write(&r, OFR_NI_TX_HEAD, 0));
    assert_true(rig_write(&r, OFR_NI_TX_SEND, 0));
    for (unsigned j = 0; j < 7; j++) {
        assert_int_equal(rig_out(&r).vc, OFR_LVC_DEROUTE);
        rig_step(&r);
    }
    assert_int_equal(rig_out(&r).vc, OFR_LVC_MGMT);
}

// ---- Destination table --------------------------------------------------------------------------

// The next packet's header as it enters the router, and its local VC; all of it is taken.
static struct ofr_header next_header(struct rig *r, unsigned *vc)
{
    uint64_t bits = 0;
    unsigned w = r->local.gen.flit_bits, got = 0;
    for (unsigned cycle = 0; cycle < 100; cycle++) {
        struct ofr_flit f = rig_out(r);
        if (f.valid && got < 64) {
            bits |= f.data << got;
            *vc = f.vc;
        }
        assert_true(!f.valid || f.vc == *vc); // one VC a packet
        got += f.valid ? w : 0;
        rig_step(r);
        if (f.valid && f.last)
            return ofr_header_unpack(bits);
    }
    fail_msg("no packet");
    return (struct ofr_header){0};
}

static void clear_pins(struct rig *r)
{
    for (unsigned j = 0; j < 2 * 4096 && ofr_local_read(&r->local, OFR_PINS_CLEAR); j++)
        rig_step(r);
    assert_int_equal(ofr_local_read(&r->local, OFR_PINS_CLEAR), 0);
    rig_step(r);
}

// What CLEAR reads in a cycle is what a write to DATA meets in that cycle.
static void clears_as_it_says(struct rig *r)
{
    unsigned refused = 0;
    assert_true(rig_write(r, OFR_PINS_CLEAR, 0));
    for (bool clearing = true; clearing; refused += clearing) {
        clearing = ofr_local_read(&r->local, OFR_PINS_CLEAR);
        assert_int_equal(ofr_pins_idle(&r->local.pins), false);
        rig_step(r);
        assert_int_equal(rig_write(r, OFR_PINS_DATA, 0), !clearing);
    }
    assert_int_equal(refused, r->config.torus.n == 3 ? 4096 : 256);
    assert_true(ofr_pins_idle(&r->local.pins));
}

// One entry, and no other; in the shadow bank.
static void pin(struct rig *r, unsigned t, unsigned value)
{
    assert_true(rig_write(r, OFR_PINS_CLEAR, 0));
    clear_pins(r);
    assert_true(rig_write(r, OFR_PINS_ADDR, t));
    assert_true(rig_write(r, OFR_PINS_DATA, value));
}

// What each mode makes of each class and of management, by its definition in the register map.
static void check_mode(struct rig *r, unsigned mode, unsigned cls, bool mgmt, unsigned t,
                       unsigned q)
{
    bool here = q == ofr_coord_word(&r->config.me, r->config.torus.n);
    bool via = mode == OFR_PINS_DATA_MODE_IDN && !here;
    unsigned sent = mgmt ? OFR_PKT_CLASS_INORDER : cls, want = sent, vc = 99;
    uint64_t pinned = r->local.pinned;
    if (mode == OFR_PINS_DATA_MODE_MINIMAL && want == OFR_PKT_CLASS_DEROUTE)
        want = OFR_PKT_CLASS_MINIMAL;
    if (mode == OFR_PINS_DATA_MODE_ESCAPE || mode == OFR_PINS_DATA_MODE_IDN)
        want = OFR_PKT_CLASS_INORDER;
    if (mode == OFR_PINS_DATA_MODE_UNREACHABLE)
        want = OFR_PKT_CLASS_DIRECTED;

    pin(r, t, q | mode << OFR_PINS_DATA_MODE_LSB);
    assert_true(rig_write(r, OFR_PINS_CONTROL, 1));
    assert_int_equal(ofr_local_read(&r->local, OFR_PINS_ADDR),
                     (t + 1) & (r->config.torus.n == 3 ? 0xfff : 0xff));
    if (mgmt) {
        assert_true(rig_write(r, OFR_NI_TX_HEAD, t | t << 16));
        assert_true(rig_write(r, OFR_NI_TX_SEND, 0));
    } else {
        assert_true(rig_write(r, OFR_GEN_TARGET, t));
        generate(r, OFR_GEN_CONTROL_PATTERN_FIXED, cls, 1, 1, ofr_min_flits(r->local.gen.flit_bits),
                 256);
    }
    struct ofr_header h = next_header(r, &vc);
    assert_int_equal(h.cls, want);
    assert_int_equal(h.leg, !via);
    assert_int_equal(h.mgmt, mgmt);
    assert_int_equal(h.dest, t);
    assert_int_equal(h.epoch, r->config.epoch);
    if (mode == OFR_PINS_DATA_MODE_UNREACHABLE)
        assert_int_equal(h.target & 15, 15); // no port has this number
    else
        assert_int_equal(h.target, via ? q : t);
    assert_int_equal(vc, mgmt                            ? OFR_LVC_MGMT
                         : sent == OFR_PKT_CLASS_DEROUTE ? OFR_LVC_DEROUTE
                                                         : OFR_LVC_USER);
    bool changed = mode != OFR_PINS_DATA_MODE_UNREACHABLE && (via || want != sent);
    assert_int_equal(r->local.pinned, pinned + changed);
}

static void test_pins(void **state)
{
    (void)state;
    static const unsigned widths[] = {16, 32, 64};
    for (unsigned i = 0; i < 6; i++) {
        struct rig r;
        unsigned n = 2 + i / 3, t = n == 3 ? 0x321 : 0x31, q = n == 3 ? 0x132 : 0x13;
        rig_init(&r, n, widths[i % 3], (const uint8_t[]){4, 4, 4});
        r.config.me = (struct ofr_coord){{2, 1, 0}};
        assert_false(rig_write(&r, OFR_PINS_DATA, 0)); // clears itself after reset
        assert_false(rig_write(&r, OFR_PINS_CONTROL, 1));
        assert_int_equal(ofr_local_read(&r.local, OFR_PINS_CONTROL), 0);
        clear_pins(&r);
        assert_false(rig_write(&r, OFR_PINS_DATA, 5 << OFR_PINS_DATA_MODE_LSB));
        clears_as_it_says(&r);
        for (unsigned mode = 0; mode <= OFR_PINS_DATA_MODE_UNREACHABLE; mode++) {
            for (unsigned cls = OFR_PKT_CLASS_INORDER; cls <= OFR_PKT_CLASS_DEROUTE; cls++) {
                r.config.epoch = !r.config.epoch;
                check_mode(&r, mode, cls, false, t, q);
                check_mode(&r, mode, cls, false, t, 0x012); // by way of this node: no IDN
                check_mode(&r, mode, cls, true, t, q);
            }
        }
        // An entry is one destination's; there is none when off, or in the shadow bank alone. It
        // stays while the shadow bank is written, and when banks change places once more, as the
        // shadow was made a copy; another one is written into that. A copy of a table that is off
        // is FREE.
        enum { OTHER, OFF, SHADOW, ALONE, STAYS, TWICE, CHANGED, COPY, OFF_COPY, WAYS };
        for (unsigned way = 0; way < WAYS; way++) {
            unsigned vc, pinned = OFR_PINS_DATA_MODE_IDN << OFR_PINS_DATA_MODE_LSB | q;
            assert_true(rig_write(&r, OFR_PINS_CONTROL, 0));
            pin(&r, t, 0);
            assert_true(rig_write(&r, OFR_PINS_CONTROL, 1));
            pin(&r, t, pinned);
            if (way != SHADOW)
                assert_true(rig_write(&r, OFR_PINS_CONTROL, 1));
            assert_int_equal(ofr_local_read(&r.local, OFR_PINS_CLEAR), way != SHADOW);
            if (way == OFF || way == OFF_COPY)
                assert_true(rig_write(&r, OFR_PINS_CONTROL, 0));
            clear_pins(&r);
            if (way == STAYS || way == COPY)
                pin(&r, t, OFR_PINS_DATA_MODE_UNREACHABLE << OFR_PINS_DATA_MODE_LSB);
            if (way == ALONE)
                pin(&r, t + 1, 0);
            if (way == CHANGED) {
                assert_true(rig_write(&r, OFR_PINS_ADDR, t + 1));
                assert_true(rig_write(&r, OFR_PINS_DATA,
                                      OFR_PINS_DATA_MODE_UNREACHABLE << OFR_PINS_DATA_MODE_LSB));
            }
            if (way == COPY || way == OFF_COPY) {
                assert_true(rig_write(&r, OFR_PINS_CLEAR, OFR_PINS_CLEAR_COPY_MASK));
                clear_pins(&r);
            }
            if (way == ALONE || way >= TWICE) {
                assert_true(rig_write(&r, OFR_PINS_CONTROL, 1));
                clear_pins(&r);
            }
            bool there = way >= STAYS && way <= COPY;
            assert_true(rig_write(&r, OFR_GEN_TARGET, way == OTHER ? t + 2 : t));
            generate(&r, OFR_GEN_CONTROL_PATTERN_FIXED, OFR_PKT_CLASS_DEROUTE, 1, 1,
                     ofr_min_flits(r.local.gen.flit_bits), 256);
            struct ofr_header h = next_header(&r, &vc);
            assert_int_equal(h.cls, there ? OFR_PKT_CLASS_INORDER : OFR_PKT_CLASS_DEROUTE);
            assert_int_equal(h.leg, !there);
            assert_int_equal(h.target, there ? q : h.dest);
        }
    }
}

// A header that waits obeys its entry as it is when it leaves, 3 cycles after the banks change
// places at the latest.
static void test_pins_while_waiting(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, 2, 32, (const uint8_t[]){4, 4});
    assert_true(rig_write(&r, OFR_GEN_TARGET, 0x11));
    generate(&r, OFR_GEN_CONTROL_PATTERN_FIXED, OFR_PKT_CLASS_DEROUTE, 1, 1, 8, 256);
    r.in.li_ready[OFR_LVC_DEROUTE] = r.in.li_ready[OFR_LVC_USER] = false;
    for (unsigned j = 0; j < 40; j++)
        rig_step(&r);
    assert_int_equal(rig_out(&r).vc, OFR_LVC_DEROUTE);
    pin(&r, 0x11, OFR_PINS_DATA_MODE_ESCAPE << OFR_PINS_DATA_MODE_LSB);
    assert_int_equal(rig_out(&r).vc, OFR_LVC_DEROUTE);
    assert_true(rig_write(&r, OFR_PINS_CONTROL, 1));
    for (unsigned j = 0; j < 2; j++) {
        assert_int_equal(rig_out(&r).data >> OFR_PKT_CLASS_LSB & 3, OFR_PKT_CLASS_DEROUTE);
        rig_step(&r);
    }
    assert_int_equal(rig_out(&r).vc, OFR_LVC_DEROUTE);
    assert_int_equal(rig_out(&r).data >> OFR_PKT_CLASS_LSB & 3, OFR_PKT_CLASS_INORDER);
}

static void test_refusals(void **state)
{
    (void)state;
    struct rig r;
    rig_init(&r, 2, 32, (const uint8_t[]){4, 4});
    assert_false(rig_write(&r, OFR_GEN_CONTROL, 1));             // no length yet
    assert_false(rig_write(&r, OFR_GEN_LENGTH, 7 | 1 << 16));    // under 32 bytes
    assert_false(rig_write(&r, OFR_GEN_LENGTH, 1025 | 1 << 16)); // over a slot
    assert_false(rig_write(&r, OFR_GEN_LENGTH, 8));              // no packet
    assert_true(rig_write(&r, OFR_GEN_LENGTH, 8 | 1 << 16));
    assert_false(rig_write(&r, OFR_GEN_CONTROL, 3 << OFR_GEN_CONTROL_CLASS_LSB)); // directed
    assert_false(rig_write(&r, OFR_GEN_CONTROL, 9 << OFR_GEN_CONTROL_PATTERN_LSB));
    assert_true(rig_write(&r, OFR_GEN_CONTROL, 1));
    r.config.configured = false; // off while not configured
    rig_step(&r);
    assert_int_equal(ofr_local_read(&r.local, OFR_GEN_CONTROL), 0);
    assert_int_equal(ofr_local_read(&r.local, OFR_GEN_STATUS), 0);
    struct ofr_local local;
    static const struct ofr_shape bad[] = {{.n = 4, .flit_bits = 32, .slot_flits = 16},
                                           {.n = 2, .flit_bits = 24, .slot_flits = 16},
                                           {.n = 2, .flit_bits = 32, .slot_flits = 7},
                                           {.n = 2, .flit_bits = 32, .slot_flits = 1025}};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(ofr_local_init(&local, &bad[i], NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_flipped_bits),
        cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_mailbox),
        cmocka_unit_test(test_management_first),
        cmocka_unit_test(test_pins),
        cmocka_unit_test(test_pins_while_waiting),
        cmocka_unit_test(test_refusals),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
