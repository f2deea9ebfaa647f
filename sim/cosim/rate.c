// SPDX-License-Identifier: Apache-2.0
// Rate and latency of the RTL router in exact cycles: three routers in a row on a 4x4 (4x4x4)
// torus, joined by wires. One TAP line a figure.
#include "ofr_regs.h"
#include "packet.h"
#include "rtl_router.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROW = 3,   // routers at x = 0, 1, 2
    PLUS = 0,  // port x+
    MINUS = 1, // port x-
    WARM_UP = 400,
    WINDOW = 2000,
    HOP = 4,       // cycles from pin to pin
    HOP_IDN_16 = 5 // at an IDN, W = 16: waits for the destination in flit 1
};

struct row {
    struct ofr_shape shape;
    struct rtl_router *router[ROW];
    struct ofr_config config[ROW];
    struct ofr_router_out out[ROW];
    struct ofr_router_in in[ROW];
    struct ofr_table table;
    unsigned cycle;
};

static unsigned number;
static bool failed;

static void check(bool ok, const char *what, unsigned got, unsigned expected)
{
    failed = failed || !ok;
    printf("%sok %u - %s: %u", ok ? "" : "not ", ++number, what, got);
    if (!ok)
        printf(" instead of %u", expected);
    printf("\n");
}

static void row_init(struct row *r)
{
    *r = (struct row){.shape = rtl_router_shape()};
    ofr_table_reset(&r->table, r->shape.n);
    for (unsigned i = 0; i < ROW; i++) {
        r->router[i] = rtl_router_new(i);
        if (!r->router[i]) {
            fprintf(stderr, "rate: out of memory\n");
            exit(2);
        }
        r->config[i] = (struct ofr_config){.configured = true,
                                           .torus = {.n = r->shape.n, .k = {4, 4, 4}},
                                           .me = {{(uint8_t)i}},
                                           .ring_wait_time = 8,
                                           .table = &r->table};
        rtl_router_out(r->router[i], &r->out[i]);
    }
}

static void row_free(struct row *r)
{
    for (unsigned i = 0; i < ROW; i++)
        rtl_router_free(r->router[i]);
}

// The wires along x; all other links are idle.
static void wire(struct row *r)
{
    for (unsigned i = 0; i < ROW; i++) {
        struct ofr_router_in *in = &r->in[i];
        memset(in, 0, sizeof *in);
        in->lo_ready = true;
        for (unsigned p = 0; p < 2U * r->shape.n; p++)
            in->link_up[p] = in->tx_ready[p] = true;
        if (i > 0)
            in->rx[MINUS] = r->out[i - 1].tx[PLUS];
        if (i + 1 < ROW)
            memcpy(in->tx_credit[PLUS], r->out[i + 1].rx_credit[MINUS], OFR_VCS);
    }
}

static void step(struct row *r)
{
    for (unsigned i = 0; i < ROW; i++) {
        rtl_router_step(r->router[i], &r->in[i], &r->config[i]);
        rtl_router_out(r->router[i], &r->out[i]);
    }
    r->cycle++;
}

// Flit `position` of a packet with this header; the rest is the position.
static struct ofr_flit flit(const struct row *r, uint64_t header, unsigned position,
                            unsigned length, unsigned vc)
{
    unsigned bits = r->shape.flit_bits;
    uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    uint64_t data = position * bits < 64 ? header >> (position * bits) & mask : position;
    return (struct ofr_flit){
        .valid = true, .vc = (uint8_t)vc, .data = data, .last = position + 1 == length};
}

// One stream from node 0's local port to node 2's: flits on both links and out of the local port in
// a window, and the first header flit's cycle at each.
static void stream(unsigned class, unsigned length)
{
    struct row r;
    struct ofr_header header = {.target = 2, .dest = 2, .cls = (uint8_t) class, .leg = 1};
    unsigned position = 0, count[ROW] = {0}, first[ROW + 1] = {0};
    char text[128];
    row_init(&r);
    for (unsigned i = 0; i < WARM_UP + WINDOW; i++) {
        wire(&r);
        if (r.cycle >= 48) { // the tables of coordinates have been written
            if (!first[0])
                first[0] = r.cycle;
            r.in[0].li = flit(&r, ofr_header_pack(&header), position, length, OFR_LVC_USER);
            if (r.out[0].li_ready[OFR_LVC_USER])
                position = (position + 1) % length;
        }
        const struct ofr_flit *pins[ROW] = {&r.out[0].tx[PLUS], &r.out[1].tx[PLUS], &r.out[2].lo};
        for (unsigned j = 0; j < ROW; j++) {
            if (pins[j]->valid && !first[j + 1])
                first[j + 1] = r.cycle;
            count[j] += pins[j]->valid && r.cycle >= WARM_UP;
        }
        step(&r);
    }
    row_free(&r);
    static const char *const where[ROW] = {"local port to link", "link to link",
                                           "link to local port"};
    for (unsigned j = 0; j < ROW; j++) {
        snprintf(text, sizeof text, "W=%u class %u, packets of %u flits, %s, flits in %d cycles",
                 r.shape.flit_bits, class, length, where[j], WINDOW);
        check(count[j] == WINDOW, text, count[j], WINDOW);
        snprintf(text, sizeof text, "W=%u class %u, %s, cycles from pin to pin", r.shape.flit_bits,
                 class, where[j]);
        check(first[j + 1] - first[j] == HOP, text, first[j + 1] - first[j], HOP);
    }
}

// A packet that changes its target at node 1, its IDN: cycles from pin to pin, and what leaves.
static void at_idn(unsigned length)
{
    struct row r;
    struct ofr_header header = {.target = 1, .dest = 2, .cls = OFR_PKT_CLASS_DEROUTE, .seq = 77};
    unsigned begin = 48, seen = 0, got = 0, bits;
    uint64_t left = 0;
    char text[128];
    row_init(&r);
    bits = r.shape.flit_bits;
    unsigned expected = bits == 16 ? HOP_IDN_16 : HOP;
    while (r.cycle < 128) {
        wire(&r);
        if (r.cycle >= begin && r.cycle < begin + length)
            r.in[1].rx[MINUS] =
                flit(&r, ofr_header_pack(&header), r.cycle - begin, length, OFR_VC_ADAPTIVE);
        if (r.out[1].tx[PLUS].valid) {
            if (!seen)
                seen = r.cycle;
            if (got * bits < 64)
                left |= r.out[1].tx[PLUS].data << (got * bits);
            got++;
        }
        step(&r);
    }
    row_free(&r);
    struct ofr_header after = ofr_header_unpack(left);
    snprintf(text, sizeof text, "W=%u at the IDN, cycles from pin to pin", bits);
    check(seen - begin == expected, text, seen - begin, expected);
    snprintf(text, sizeof text, "W=%u at the IDN, flits that leave", bits);
    check(got == length, text, got, length);
    snprintf(text, sizeof text, "W=%u at the IDN, target and destination change places", bits);
    check(after.target == 2 && after.dest == 1 && after.leg == 1 && after.seq == 77, text,
          after.target, 2);
}

int main(void)
{
    struct ofr_shape shape = rtl_router_shape();
    unsigned shortest = 256U / shape.flit_bits < 4 ? 4 : 256U / shape.flit_bits;
    stream(OFR_PKT_CLASS_MINIMAL, shortest);
    stream(OFR_PKT_CLASS_MINIMAL, shape.slot_flits);
    stream(OFR_PKT_CLASS_INORDER, shape.slot_flits);
    at_idn(shortest);
    printf("1..%u\n", number);
    return failed ? 1 : 0;
}
