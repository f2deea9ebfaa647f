// SPDX-License-Identifier: Apache-2.0
#include "gen.h"

#include "lfsr.h"
#include "packet.h"
#include "pattern.h"

#include <string.h>

static const uint64_t MASK40 = 0xffffffffffU; // 32.8 fixed point

// k_i - 1 of each dimension, at the places of the coordinates' bits.
static uint16_t mask_word(const struct ofr_torus *torus, unsigned n)
{
    unsigned word = 0;
    for (unsigned i = 0; i < n; i++)
        word |= ((torus->k[i] - 1U) & 15U) << (4 * i);
    return (uint16_t)word;
}

unsigned ofr_min_flits(unsigned flit_bits)
{
    return flit_bits == 64 ? 4 : 256 / flit_bits;
}

void ofr_gen_init(struct ofr_gen *g, unsigned n, unsigned flit_bits, unsigned slot_flits)
{
    memset(g, 0, sizeof *g);
    g->n = (uint8_t)n;
    g->flit_bits = (uint8_t)flit_bits;
    g->slot_flits = (uint16_t)slot_flits;
    g->seed = 1;
    g->lfsr = 1;
}

// ---- Destinations -------------------------------------------------------------------------------

// The bit position after p: the next in its dimension if the size has that bit, else bit 0 of the
// next dimension.
static unsigned next_position(const struct ofr_gen *g, unsigned p, unsigned mask)
{
    if ((p & 3) != 3 && (mask >> (p + 1) & 1))
        return p + 1;
    return p / 4 + 1U == g->n ? 0 : 4 * (p / 4 + 1);
}

// Coordinate `dim` of the destination, for the patterns that go by coordinate.
static unsigned draw_coordinate(const struct ofr_gen *g, const struct ofr_config *config)
{
    unsigned d = g->dim;
    if (g->uniform) // floor(r k / 4096): even to 1 in 4096
        return (ofr_lfsr_step12(g->lfsr) & 0xfff) * (config->torus.k[d] & 31U) >> 12 & 15;
    if (g->pattern == OFR_GEN_CONTROL_PATTERN_FIXED)
        return g->target >> (4 * d) & 15;
    return ofr_pattern_destination(&config->torus, g->pattern, &config->me, 0).c[d] & 15U;
}

// One cycle of working out the destination. BITREVERSE and the 3D TRANSPOSE walk over the bits of
// the node number one by one: they are needed once a run.
static void draw_step(struct ofr_gen *g, unsigned me, unsigned mask,
                      const struct ofr_config *config)
{
    bool p_valid = mask >> g->p & 1, q_valid = mask >> g->q & 1;
    switch (g->draw) {
    case OFR_DRAW_DONE:
        break;
    case OFR_DRAW_DIM: {
        unsigned c = draw_coordinate(g, config);
        g->dest = (uint16_t)((g->dest & ~(15U << (4 * g->dim))) | c << (4 * g->dim));
        if (g->uniform)
            g->lfsr = ofr_lfsr_step12(g->lfsr);
        if (g->dim + 1U == g->n)
            g->draw = OFR_DRAW_DONE;
        g->dim++;
        break;
    }
    case OFR_DRAW_FLY:
        if (p_valid) {
            g->dest = (uint16_t)(me ^ 1U << g->p);
            g->draw = OFR_DRAW_DONE;
        } else {
            g->p = (uint8_t)next_position(g, g->p, mask);
        }
        break;
    case OFR_DRAW_HALF: // p up and q down until they pass: p is at the middle of the valid bits
        if (!q_valid) {
            g->q = (g->q - 1) & 15;
        } else if (!p_valid) {
            g->p = (uint8_t)next_position(g, g->p, mask);
        } else if (g->p > g->q) {
            g->q = 0;
            g->draw = OFR_DRAW_WALK;
        } else {
            g->p = (uint8_t)next_position(g, g->p, mask);
            g->q = (g->q - 1) & 15;
        }
        break;
    case OFR_DRAW_WALK: { // bit q of the destination is bit p of this node
        bool move = !q_valid || p_valid;
        if (q_valid && p_valid)
            g->dest = (uint16_t)((g->dest & ~(1U << g->q)) | (me >> g->p & 1) << g->q);
        if (q_valid)
            g->p = (uint8_t)next_position(g, g->p, mask);
        if (move && g->q == (g->up ? 4 * g->n - 1 : 0))
            g->draw = OFR_DRAW_DONE;
        if (move)
            g->q = (g->up ? g->q + 1 : g->q - 1) & 15;
        break;
    }
    }
}

// The first destination of a run.
static void draw_first(struct ofr_gen *g, unsigned mask)
{
    bool flat = g->n == 2 || (mask >> 8 & 15) == 0;
    g->dest = 0;
    g->uniform = g->pattern == OFR_GEN_CONTROL_PATTERN_UNIFORM;
    g->dim = 0;
    g->p = 0;
    g->q = (uint8_t)(4 * g->n - 1);
    g->up = g->pattern == OFR_GEN_CONTROL_PATTERN_TRANSPOSE;
    g->draw = g->pattern == OFR_GEN_CONTROL_PATTERN_BUTTERFLY            ? OFR_DRAW_FLY
              : g->pattern == OFR_GEN_CONTROL_PATTERN_BITREVERSE         ? OFR_DRAW_WALK
              : g->pattern == OFR_GEN_CONTROL_PATTERN_TRANSPOSE && !flat ? OFR_DRAW_HALF
                                                                         : OFR_DRAW_DIM;
}

// The destination of the next message; the permutations but BUTTERFLY stay as they are.
static void draw_next(struct ofr_gen *g, unsigned mask)
{
    g->dim = 0;
    if (g->uniform) {
        g->draw = OFR_DRAW_DIM;
    } else if (g->pattern == OFR_GEN_CONTROL_PATTERN_BUTTERFLY) {
        g->p = (uint8_t)next_position(g, g->p, mask);
        g->draw = OFR_DRAW_FLY;
    }
}

// ---- Packets ------------------------------------------------------------------------------------

// Puts flit `index` into the output register.
static void load_flit(struct ofr_gen *g, unsigned index, bool last, unsigned me)
{
    unsigned w = g->flit_bits, words = w / 16;
    struct ofr_header h = {.target = g->dest,
                           .cls = g->cls,
                           .leg = 1,
                           .dest = g->dest,
                           .source = (uint16_t)me,
                           .kind = OFR_PKT_KIND_GEN,
                           .seq = g->seq};
    uint64_t header = ofr_header_pack(&h), step = ofr_payload_step(g->payload, w);
    uint32_t stamp = (uint32_t)(g->stamp >> 8);
    uint64_t data;
    if (words == 4) {
        uint64_t bound = header >> 32;
        if (index == 0) {
            data = header;
            g->payload = (~bound & 0xffffffffU) << 32 | bound;
        } else if (index == 1) {
            data = (g->payload & ~(uint64_t)0xffffffffU) | stamp;
            g->payload = step ^ stamp;
        } else {
            data = last ? ~g->payload : g->payload;
            g->payload = step;
        }
    } else {
        uint64_t mask = w == 16 ? 0xffff : 0xffffffffU;
        unsigned bound = 2 / words, time = 4 / words; // first flit of SOURCE, of the time stamp
        if (index < 6 / words) {
            data = (index < time ? header >> (w * index) : stamp >> (w * (index - time))) & mask;
            if (index >= bound)
                g->payload = index == bound ? data : step ^ data;
        } else {
            data = (last ? ~g->payload : g->payload) & mask;
            g->payload = step;
        }
    }
    g->out.data = data;
    g->out.last = last;
    g->out.valid = true;
}

// Index of the flit with the last word of the time stamp.
static unsigned stamp_flit(unsigned flit_bits)
{
    return flit_bits == 16 ? 5 : flit_bits == 32 ? 2 : 1;
}

static void arm(struct ofr_gen *g, unsigned mask)
{
    g->pend = false;
    g->run = true;
    g->done = false;
    g->next = (uint64_t)g->start << 8;
    g->stamp = g->next;
    g->left = g->messages;
    g->offered = 0;
    g->sent = 0;
    g->packets_left = g->packets;
    g->seq = 0;
    g->lfsr = ofr_lfsr_seed(g->seed);
    draw_first(g, mask);
}

void ofr_gen_step(struct ofr_gen *g, bool take, uint32_t now, const struct ofr_config *config)
{
    if (ofr_gen_idle(g)) {
        if (!config->configured)
            g->enable = g->run = false;
        return;
    }
    unsigned me = ofr_coord_word(&config->me, g->n), mask = mask_word(&config->torus, g->n);
    bool run = g->run, valid = g->out.valid, was_last = g->out.last, first = g->first;
    bool due = run && !g->done && (g->messages == 0 || g->left != 0) &&
               (int32_t)(now - (uint32_t)(g->next >> 8)) >= 0;
    bool waiting = g->offered != g->sent;
    bool start = (!valid || (take && was_last)) && run && waiting && g->draw == OFR_DRAW_DONE;
    bool go_on = take && !was_last;
    bool finished = run && g->messages != 0 && g->left == 0 && !waiting && !valid;

    draw_step(g, me, mask, config);
    if (take && first)
        g->sent++;
    if (due) {
        g->offered += g->packets;
        g->next = (g->next + g->period) & MASK40;
        if (g->messages != 0)
            g->left--;
    }
    if (finished)
        g->done = true;

    if (start || go_on) {
        unsigned time = stamp_flit(g->flit_bits), dest = g->flit_bits == 16;
        unsigned index = start ? 0 : g->index > time ? g->index : g->index + 1U;
        g->flits_left = (uint16_t)((start ? g->flits : g->flits_left) - 1);
        load_flit(g, index, g->flits_left == 0, me);
        g->index = (uint8_t)index;
        g->first = start;
        if (index == dest && g->packets_left == 1)
            draw_next(g, mask);
        if (index == time) {
            g->seq++;
            if (g->packets_left == 1) {
                g->packets_left = g->packets;
                g->stamp = (g->stamp + g->period) & MASK40;
            } else {
                g->packets_left--;
            }
        }
    } else if (take) {
        g->out.valid = false;
    }

    if (g->pend && !valid)
        arm(g, mask);
    if (!config->configured) {
        g->enable = false;
        g->pend = false;
        g->run = false;
    }
}

// ---- Registers ----------------------------------------------------------------------------------

uint32_t ofr_gen_read(const struct ofr_gen *g, unsigned offset)
{
    switch (offset) {
    case OFR_GEN_CONTROL:
        return (uint32_t)g->enable << OFR_GEN_CONTROL_ENABLE_LSB |
               (uint32_t)g->cls << OFR_GEN_CONTROL_CLASS_LSB |
               (uint32_t)g->pattern << OFR_GEN_CONTROL_PATTERN_LSB;
    case OFR_GEN_START:
        return g->start;
    case OFR_GEN_PERIOD:
        return g->period;
    case OFR_GEN_MESSAGES:
        return g->messages;
    case OFR_GEN_LENGTH:
        return (uint32_t)g->flits << OFR_GEN_LENGTH_FLITS_LSB | (uint32_t)g->packets
                                                                    << OFR_GEN_LENGTH_PACKETS_LSB;
    case OFR_GEN_SEED:
        return g->seed;
    case OFR_GEN_TARGET:
        return g->target;
    case OFR_GEN_STATUS:
        return (uint32_t)(g->pend || (g->run && !g->done)) << OFR_GEN_STATUS_RUNNING_LSB |
               (uint32_t)g->done << OFR_GEN_STATUS_DONE_LSB;
    case OFR_GEN_OFFERED:
        return g->offered;
    case OFR_GEN_SENT:
        return g->sent;
    default:
        return 0;
    }
}

static uint32_t field(uint32_t value, unsigned lsb, unsigned bits)
{
    return value >> lsb & ((1U << bits) - 1);
}

bool ofr_gen_write(struct ofr_gen *g, unsigned offset, uint32_t v)
{
    switch (offset) {
    case OFR_GEN_CONTROL: {
        bool enable = field(v, OFR_GEN_CONTROL_ENABLE_LSB, OFR_GEN_CONTROL_ENABLE_BITS);
        unsigned cls = field(v, OFR_GEN_CONTROL_CLASS_LSB, OFR_GEN_CONTROL_CLASS_BITS);
        unsigned pattern = field(v, OFR_GEN_CONTROL_PATTERN_LSB, OFR_GEN_CONTROL_PATTERN_BITS);
        if (cls == OFR_PKT_CLASS_DIRECTED || pattern > OFR_GEN_CONTROL_PATTERN_FIXED ||
            (enable && g->flits == 0))
            return false;
        g->enable = enable;
        g->pend = enable;
        g->run = false;
        g->cls = (uint8_t)cls;
        g->pattern = (uint8_t)pattern;
        break;
    }
    case OFR_GEN_START:
        g->start = v;
        break;
    case OFR_GEN_PERIOD:
        g->period = v;
        break;
    case OFR_GEN_MESSAGES:
        g->messages = v;
        break;
    case OFR_GEN_LENGTH: {
        unsigned flits = field(v, OFR_GEN_LENGTH_FLITS_LSB, OFR_GEN_LENGTH_FLITS_BITS);
        unsigned packets = field(v, OFR_GEN_LENGTH_PACKETS_LSB, OFR_GEN_LENGTH_PACKETS_BITS);
        if (flits < ofr_min_flits(g->flit_bits) || flits > g->slot_flits || packets == 0)
            return false;
        g->flits = (uint16_t)flits;
        g->packets = (uint16_t)packets;
        break;
    }
    case OFR_GEN_SEED:
        g->seed = v;
        break;
    case OFR_GEN_TARGET:
        g->target = (uint16_t)(v & (g->n == 3 ? 0xfff : 0xff));
        break;
    default:
        break;
    }
    return true;
}

bool ofr_gen_idle(const struct ofr_gen *g)
{
    return !g->pend && !(g->run && !g->done) && !g->out.valid && g->draw == OFR_DRAW_DONE;
}
