// SPDX-License-Identifier: Apache-2.0
#include "check.h"

#include "gen.h"
#include "lfsr.h"
#include "packet.h"

#include <string.h>

unsigned ofr_check_bin(uint32_t lifetime)
{
    unsigned shift = 0; // octave: lifetime >> shift is 8 to 15
    if (lifetime < 8)
        return lifetime;
    while (lifetime >> shift > 15)
        shift++;
    return 8 * shift + (lifetime >> shift);
}

uint32_t ofr_check_bin_low(unsigned bin)
{
    if (bin < 16)
        return bin;
    if (bin >= 240)
        return UINT32_MAX;
    unsigned shift = bin / 8 - 1;
    return (uint32_t)(8 + bin % 8) << shift;
}

static void clear(struct ofr_check *c)
{
    c->received = c->arrived = c->errors = c->count = c->max = 0;
    c->sum = 0;
    c->stage1 = c->stage2 = c->stage3 = c->stage4 = false;
    c->clearing = true;
    c->clear_bin = 0;
}

void ofr_check_init(struct ofr_check *c, unsigned n, unsigned flit_bits)
{
    memset(c, 0, sizeof *c);
    c->n = (uint8_t)n;
    c->flit_bits = (uint8_t)flit_bits;
    clear(c);
}

// FROM <= t < TO, all modulo 2^32 and less than 2^31 apart.
static bool in_window(const struct ofr_check *c, uint32_t t)
{
    return (int32_t)(t - c->from) >= 0 && (int32_t)(t - c->to) < 0;
}

// Takes one flit. Returns 1 if it ends a good generator packet, -1 a bad one, else 0.
static int take_flit(struct ofr_check *c, const struct ofr_flit *flit, unsigned me)
{
    unsigned w = c->flit_bits, words = w / 16, index = c->index;
    uint64_t mask = w == 64 ? ~(uint64_t)0 : ((uint64_t)1 << w) - 1;
    uint64_t data = flit->data & mask, step = ofr_payload_step(c->payload, w);
    uint64_t expected = (flit->last ? ~c->payload : c->payload) & mask;
    unsigned bound = 2 / words;                    // flit with SOURCE
    unsigned time = w == 16 ? 5 : w == 32 ? 2 : 1; // flit with the time stamp's last word

    if (index == 0) { // nodes of n = 2 do not look at z
        unsigned where = c->n == 3 ? 0xfff : 0xff;
        c->good = (data & where) == me && (data >> OFR_PKT_LEG_LSB & 1);
        c->is_gen = false;
    }
    if (index == bound) {
        unsigned kind_lsb = OFR_PKT_KIND_LSB - bound * w;
        c->is_gen = (data >> kind_lsb & 15) == OFR_PKT_KIND_GEN;
        c->payload = w != 64 ? data : (~(data >> 32) & 0xffffffffU) << 32 | data >> 32;
    } else if (index > bound && index <= time) {
        if (w == 64)
            c->good = c->good && data >> 32 == c->payload >> 32;
        c->payload = step ^ (w == 64 ? data & 0xffffffffU : data);
    } else if (index > time) {
        c->good = c->good && data == expected;
        c->payload = step;
    }
    if (w == 16 && index == 4)
        c->stamp = (c->stamp & 0xffff0000U) | (uint32_t)data;
    else if (w == 16 && index == 5)
        c->stamp = (c->stamp & 0xffffU) | (uint32_t)data << 16;
    else if (w != 16 && index == time)
        c->stamp = (uint32_t)data;

    c->index = (uint8_t)(flit->last ? 0 : index > time ? index : index + 1);
    if (!flit->last || flit->poison || !c->is_gen)
        return 0;
    return c->good && index > time ? 1 : -1;
}

void ofr_check_step(struct ofr_check *c, const struct ofr_flit *flit, uint32_t now,
                    const struct ofr_config *config)
{
    if (!flit->valid && ofr_check_idle(c))
        return;
    bool clearing = c->clearing;
    c->written = c->stage4;
    if (c->stage4)
        c->histogram[c->hit_bin]++;
    c->stage4 = c->stage3;
    c->stage3 = c->stage2 && c->in_window;
    if (c->stage3) {
        c->count++;
        c->sum = (c->sum + c->lifetime) & 0xffffffffffffU;
        if (c->lifetime > c->max)
            c->max = c->lifetime;
        c->hit_bin = (uint8_t)ofr_check_bin(c->lifetime);
    }
    c->stage2 = c->stage1;
    if (c->stage1) {
        c->lifetime = c->end - c->stamp;
        c->in_window = !c->window || in_window(c, c->stamp);
        c->arrived += in_window(c, c->end);
    }
    c->stage1 = false;
    if (flit->valid) {
        int result = take_flit(c, flit, ofr_coord_word(&config->me, c->n));
        if (!clearing) {
            c->received += result > 0;
            c->errors += result < 0;
            c->stage1 = result > 0;
        }
        c->end = now;
    }
    if (clearing) {
        c->histogram[c->clear_bin] = 0;
        c->clearing = c->clear_bin != OFR_CHECK_BINS - 1;
        c->clear_bin++;
    }
}

uint32_t ofr_check_read(struct ofr_check *c, unsigned offset)
{
    uint32_t value;
    switch (offset) {
    case OFR_CHECK_CONTROL:
        return (uint32_t)c->window << OFR_CHECK_CONTROL_WINDOW_LSB;
    case OFR_CHECK_FROM:
        return c->from;
    case OFR_CHECK_TO:
        return c->to;
    case OFR_CHECK_RECEIVED:
        return c->received;
    case OFR_CHECK_ARRIVED:
        return c->arrived;
    case OFR_CHECK_ERRORS:
        return c->errors;
    case OFR_CHECK_COUNT:
        return c->count;
    case OFR_CHECK_SUM_LOW:
        return (uint32_t)c->sum;
    case OFR_CHECK_SUM_HIGH:
        return (uint32_t)(c->sum >> 32);
    case OFR_CHECK_MAX:
        return c->max;
    case OFR_CHECK_BIN:
        return c->bin;
    case OFR_CHECK_BIN_COUNT:
        value = c->histogram[c->bin] - (c->written && c->hit_bin == c->bin);
        c->bin++;
        return c->clearing ? 0 : value;
    default:
        return 0;
    }
}

void ofr_check_write(struct ofr_check *c, unsigned offset, uint32_t v)
{
    switch (offset) {
    case OFR_CHECK_CONTROL:
        c->window = v >> OFR_CHECK_CONTROL_WINDOW_LSB & 1;
        clear(c);
        break;
    case OFR_CHECK_FROM:
        c->from = v;
        break;
    case OFR_CHECK_TO:
        c->to = v;
        break;
    case OFR_CHECK_BIN:
        c->bin = (uint8_t)v;
        break;
    default:
        break;
    }
}

bool ofr_check_idle(const struct ofr_check *c)
{
    return !c->stage1 && !c->stage2 && !c->stage3 && !c->stage4 && !c->written && !c->clearing;
}
