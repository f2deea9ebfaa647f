// SPDX-License-Identifier: Apache-2.0
// Links: what their ends say, from block LINKS of the nodes' registers, over directed routes, so
// that it works with any cables and whether boards are programmed or not.
#include <math.h>
#include <string.h>

#include "boards.h"

enum { REGISTERS = 10, PORT_BYTES = 0x40, WIRE_BITS = 16 };

// In the order of struct raw. They are read one after the other, while time goes on: the time since
// it came up before all the time for which it was up, and that before the damaged frames in it, so
// that the former is not the longer and the bound of errors not too low.
static const uint16_t registers[REGISTERS] = {
    OFR_LINKS_SINCE,  OFR_LINKS_UP,  OFR_LINKS_STATE, OFR_LINKS_LONGEST,  OFR_LINKS_FALLS,
    OFR_LINKS_FRAMES, OFR_LINKS_CRC, OFR_LINKS_RETRY, OFR_LINKS_PEER_LOW, OFR_LINKS_PEER_HIGH};
struct raw {
    uint32_t since, up, state, longest, falls, frames, crc, retry, peer_low, peer_high;
};

int read_node(struct torus *t, unsigned board, const uint16_t *offset, unsigned count,
              uint32_t *value)
{
    struct request q[READ_SOME];
    for (unsigned i = 0; i < count; i++)
        to_board(t, &q[i], board, OFR_OP_READ, 0, (unsigned)OFR_SEL_NODE | offset[i], 0);
    int error = ask_boards(t, q, count, "read a link's registers");
    for (unsigned i = 0; i < count && error == TORUS_OK; i++)
        value[i] = q[i].r[5];
    return error;
}

static unsigned field(uint32_t value, unsigned lsb, unsigned bits)
{
    return value >> lsb & ((1u << bits) - 1);
}

int read_phy(struct torus *t, unsigned board, unsigned port, struct torus_phy *out)
{
    // The bits before the errors in them, so that no rate is too low, and behind them again: fewer
    // are of another lock. STATE last: what is locked then was so before.
    uint16_t offset[READ_SOME] = {(uint16_t)(OFR_LINKS_STATE + PORT_BYTES * port)};
    uint32_t value[READ_SOME] = {0};
    memset(out, 0, sizeof *out);
    int error = read_node(t, board, offset, 1, value);
    if (error != TORUS_OK || !(value[0] & OFR_LINKS_STATE_PHY_MASK))
        return error;
    unsigned wires = field(value[0], OFR_LINKS_STATE_BITS_LSB, OFR_LINKS_STATE_BITS_BITS);
    wires = wires < TORUS_WIRES ? wires : TORUS_WIRES;
    unsigned words = (wires + 1) / 2;
    offset[words + 2] = offset[0];
    offset[0] = (uint16_t)(OFR_LINKS_SEEN + PORT_BYTES * port);
    offset[words + 1] = offset[0];
    for (unsigned i = 0; i < words; i++)
        offset[1 + i] = (uint16_t)(OFR_LINKS_WIRES + PORT_BYTES * port + 4 * i);
    error = read_node(t, board, offset, words + 3, value);
    uint32_t state = value[words + 2];
    *out = (struct torus_phy){.wires = wires,
                              .locked = state & OFR_LINKS_STATE_LOCKED_MASK,
                              .stopped = state & OFR_LINKS_STATE_STOPPED_MASK,
                              .lost = state & OFR_LINKS_STATE_LOST_MASK,
                              .test = state & OFR_LINKS_STATE_BERT_MASK};
    for (unsigned w = 0; w < wires && error == TORUS_OK; w++) {
        uint32_t bits = value[1 + w / 2] >> w % 2 * WIRE_BITS;
        out->wire[w].eye = field(bits, OFR_LINKS_WIRES_EYE_LSB, OFR_LINKS_WIRES_EYE_BITS);
        if (!out->locked || !value[0] || value[words + 1] < value[0])
            continue; // the rest is of a lock before
        out->bits = value[0];
        out->wire[w].place = field(bits, OFR_LINKS_WIRES_PLACE_LSB, OFR_LINKS_WIRES_PLACE_BITS);
        out->wire[w].errors = field(bits, OFR_LINKS_WIRES_ERRORS_LSB, OFR_LINKS_WIRES_ERRORS_BITS);
    }
    return error;
}

static int read_port(struct torus *t, unsigned board, unsigned port, struct torus_link *out)
{
    uint16_t offset[REGISTERS];
    union {
        struct raw raw;
        uint32_t word[REGISTERS];
    } r;
    for (unsigned i = 0; i < REGISTERS; i++)
        offset[i] = (uint16_t)(registers[i] + PORT_BYTES * port);
    int error = read_node(t, board, offset, REGISTERS, r.word);
    if (error != TORUS_OK)
        return error;
    static const enum torus_link_state states[] = {
        TORUS_LINK_DOWN, TORUS_LINK_TRAINS, TORUS_LINK_TRAINS, TORUS_LINK_UP, TORUS_LINK_FAILED};
    unsigned now = field(r.raw.state, OFR_LINKS_STATE_NOW_LSB, OFR_LINKS_STATE_NOW_BITS);
    if (now >= sizeof states / sizeof *states)
        return fail(t, TORUS_E_PROTOCOL, "the link at port %s of board %016llx says STATE = 0x%08x",
                    torus_port_name(port), (unsigned long long)t->boards[board].serial,
                    r.raw.state);
    uint64_t tick = 1u << field(r.raw.state, OFR_LINKS_STATE_TICK_LSB, OFR_LINKS_STATE_TICK_BITS);
    double seconds = (double)tick / t->clock;
    *out = (struct torus_link){
        .state = states[now],
        .reliable = true,
        .why = field(r.raw.state, OFR_LINKS_STATE_WHY_LSB, OFR_LINKS_STATE_WHY_BITS),
        .peer = r.raw.peer_low | (uint64_t)r.raw.peer_high << 32,
        .up_seconds = r.raw.up * seconds,
        .since_seconds = r.raw.since * seconds,
        .longest_seconds = r.raw.longest * seconds,
        .falls = r.raw.falls,
        .frames = r.raw.frames,
        .crc = r.raw.crc,
        .retries = r.raw.retry,
        .bits = (double)r.raw.up * (double)tick *
                field(r.raw.state, OFR_LINKS_STATE_BITS_LSB, OFR_LINKS_STATE_BITS_BITS)};
    return r.raw.state & OFR_LINKS_STATE_PHY_MASK ? read_phy(t, board, port, &out->phy) : TORUS_OK;
}

// Of links that are not up: whether their ends do not fit. Each is a fault.
int check_links(struct torus *t)
{
    int error = TORUS_OK;
    for (unsigned i = 0; i < t->board_count && error == TORUS_OK; i++) {
        const struct torus_board *b = &t->boards[i];
        for (unsigned p = 0; p < 2u * b->dims && error == TORUS_OK; p++) {
            const uint16_t offset = (uint16_t)(OFR_LINKS_STATE + PORT_BYTES * p);
            uint32_t state = 0;
            if (b->links >> p & 1)
                continue;
            error = read_node(t, i, &offset, 1, &state);
            unsigned why = field(state, OFR_LINKS_STATE_WHY_LSB, OFR_LINKS_STATE_WHY_BITS);
            if (error == TORUS_OK && field(state, OFR_LINKS_STATE_NOW_LSB,
                                           OFR_LINKS_STATE_NOW_BITS) == OFR_LINKS_STATE_NOW_FAILED)
                fault(t, TORUS_FAULT_LINK, NULL,
                      "the link at port %s of board %016llx does not come up, its two ends do not "
                      "fit: %s; give both boards the same build",
                      torus_port_name(p), (unsigned long long)b->serial,
                      torus_link_why(why) ? torus_link_why(why) : "unknown reason");
        }
    }
    return error;
}

API int torus_links(struct torus *t, unsigned board, struct torus_link links[TORUS_PORTS])
{
    static const uint16_t what[] = {OFR_NODE_SHAPE, OFR_NODE_STATUS};
    uint32_t value[2];
    memset(links, 0, TORUS_PORTS * sizeof *links);
    if (board >= t->board_count)
        return fail(t, TORUS_E_USAGE, "there is no board %u: discover has found %u", board,
                    t->board_count);
    int error = read_clock(t);
    if (error == TORUS_OK)
        error = read_node(t, board, what, 2, value);
    for (unsigned p = 0; p < 2u * t->boards[board].dims && error == TORUS_OK; p++) {
        if (value[0] & OFR_NODE_SHAPE_LINKS_MASK)
            error = read_port(t, board, p, &links[p]);
        else if (value[1] >> (OFR_NODE_STATUS_LINK_UP_LSB + p) & 1)
            links[p].state = TORUS_LINK_UP;
    }
    return error;
}

API const char *torus_link_state_name(enum torus_link_state state)
{
    static const char *const name[] = {"down", "trains", "up", "failed"};
    return (unsigned)state < sizeof name / sizeof *name ? name[state] : NULL;
}

API const char *torus_link_why(unsigned why)
{
    static const char *const text[] = {
        "reset",           "disabled",           "no signal",
        "silence",         "other end fell",     "nothing acknowledged",
        "versions differ", "flit widths differ", "slots' flits differ",
        "slots differ",    "dimensions differ",  "refused by the other end"};
    return why < sizeof text / sizeof *text ? text[why] : NULL;
}

// The probability of at most n events where mean m are expected: of the terms m^k / k!, those up to
// n and all, both over the one at the lesser of n and m, from which they are followed either way.
static double at_most(double n, double m)
{
    double top = (double)(uint64_t)(n < m ? n : m), few = 0, all = 0, term = 1;
    for (double k = top; k >= 0 && term > 1e-18; term *= k / m, k--)
        few += term;
    all = few;
    term = m / (top + 1);
    for (double k = top + 1; k <= m || term > 1e-18 * all; k++, term *= m / k) {
        all += term;
        if (k <= n)
            few += term;
        if (all > 1e300)
            return 0; // n is that far below m
    }
    return few / all;
}

API double torus_error_bound(uint64_t errors, double bits, double confidence)
{
    double low = 0, high = 2 * (double)errors + 100;
    if (!(bits > 0) || !(confidence > 0 && confidence < 1))
        return NAN;
    for (unsigned i = 0; i < 60; i++) {
        double m = (low + high) / 2;
        if (at_most((double)errors, m) > 1 - confidence)
            low = m;
        else
            high = m;
    }
    return high < bits ? high / bits : 1;
}
