// SPDX-License-Identifier: Apache-2.0
#include "channel.h"

#include "packet.h"

#include <string.h>

enum {
    IDLE = OFR_CHANNEL_STATE_STATE_IDLE,
    LISTEN = OFR_CHANNEL_STATE_STATE_LISTEN,
    OPENING = OFR_CHANNEL_STATE_STATE_OPENING,
    OPEN = OFR_CHANNEL_STATE_STATE_OPEN,
    CLOSING = OFR_CHANNEL_STATE_STATE_CLOSING,
    DRAIN = OFR_CHANNEL_STATE_STATE_DRAIN,
    ENDED = OFR_CHANNEL_STATE_STATE_ENDED,
    TIME_BITS = 24, // of the counter of cycles
    GOES_ON = 1,    // CODE of a DATA packet in whose message another follows
    ENDS_WITH = 2,  // ... plus the bytes in the last flit: the message ends here
};

typedef struct ofr_channel_end end_t;

bool ofr_channel_init(struct ofr_channel *ch, const struct ofr_channel_shape *shape)
{
    unsigned w = shape->flit_bits, l = shape->slot_flits, r = shape->room;
    if ((shape->n != 2 && shape->n != 3) || (w != 16 && w != 32 && w != 64) || l * w < 256 ||
        l < 8 || l > OFR_CHANNEL_FLITS || (l & (l - 1)) || shape->ends < 1 ||
        shape->ends > OFR_CHANNEL_ENDS || r < 2 || r > OFR_CHANNEL_ROOM || (r & (r - 1)))
        return false;
    memset(ch, 0, sizeof *ch);
    ch->shape = *shape;
    ch->head_flits = (uint8_t)ofr_channel_head_flits(w);
    ch->time = OFR_CHANNEL_CONTROL_TIME_RESET;
    ch->turn = shape->ends;
    ch->op = OFR_CHANNEL_NOTHING;
    return true;
}

static unsigned flit_bytes(const struct ofr_channel *ch)
{
    return ch->shape.flit_bits / 8U;
}

// Flits that carry the byte count of all types but DATA, padded to four in all.
static unsigned control_flits(const struct ofr_channel *ch)
{
    return ch->shape.flit_bits == 16 ? 8 : 4;
}

static uint64_t flit_mask(const struct ofr_channel *ch)
{
    return ~(uint64_t)0 >> (64 - ch->shape.flit_bits);
}

// ---- Output pins --------------------------------------------------------------------------------

// One slot is that of the packet being sent.
static bool is_full(const struct ofr_channel *ch, unsigned e)
{
    const end_t *x = &ch->end[e];
    return (uint8_t)(x->packed - x->seq) >= OFR_CHANNEL_OUT - 1;
}

static bool takes_beat(const struct ofr_channel *ch, unsigned e)
{
    const end_t *x = &ch->end[e];
    switch (x->state) {
    case OPEN:
        return x->skip || !is_full(ch, e);
    case CLOSING:
        return x->mid && (x->skip || !is_full(ch, e));
    case DRAIN:
    case ENDED:
        return true;
    default:
        return x->skip;
    }
}

// A connection begins in this cycle; nothing else moves.
static bool begins_now(const struct ofr_channel *ch)
{
    return ch->op == OFR_CHANNEL_WRITTEN &&
           (ch->what == OFR_CHANNEL_COMMAND_OPEN || ch->what == OFR_CHANNEL_COMMAND_LISTEN);
}

int ofr_channel_ready(const struct ofr_channel *ch)
{
    return takes_beat(ch, ch->grant) && !begins_now(ch) ? ch->grant : -1;
}

// Who can give a beat in the next cycle: of those that have one now, in turn.
static unsigned next_grant(const struct ofr_channel *ch, const struct ofr_channel_in *in)
{
    unsigned ends = ch->shape.ends;
    for (unsigned i = 1; i <= ends; i++) {
        unsigned e = (ch->grant + i) % ends;
        if (in->s[e].valid && takes_beat(ch, e))
            return e;
    }
    return ch->grant;
}

// There is something for the consumer's port.
static bool offers(const end_t *x)
{
    return x->freed != x->expect || x->mark;
}

// The consumer has taken all.
static bool is_empty(const end_t *x)
{
    return !offers(x) && !x->shown.valid;
}

struct ofr_beat ofr_channel_m(const struct ofr_channel *ch, unsigned e)
{
    return ch->end[e].shown;
}

struct ofr_flit ofr_channel_tx(const struct ofr_channel *ch)
{
    return ch->out;
}

// ---- Ends ---------------------------------------------------------------------------------------

static bool is_free(const struct ofr_channel *ch, unsigned e)
{
    const end_t *x = &ch->end[e];
    return (x->state == IDLE || x->state == ENDED) && is_empty(x) && !x->want_reset &&
           !(ch->busy && ch->turn == e) && !(ch->sent && ch->sent_end == e);
}

static bool is_open(const end_t *x)
{
    return x->state == OPEN || x->state == CLOSING || x->state == DRAIN;
}

// Below: old is the end as the cycle began, x as it becomes. What is done later in a cycle wins.

// The connection is over. The peer is told, with how much came; if it has told, too.
static void finish(const end_t *old, end_t *x, unsigned reason, bool told)
{
    x->mark = is_open(old) && reason != OFR_CHANNEL_STATE_REASON_CLOSED;
    x->state = ENDED;
    x->reason = (uint8_t)reason;
    x->told = told;
    x->want_reset = is_open(old) || (old->state == OPENING && !told);
    x->want_open = x->want_close = x->want_probe = x->want_state = false;
}

// A connection begins.
static void begin(end_t *x, unsigned state)
{
    x->state = (uint8_t)state;
    x->packed = x->seq = x->limit = x->expect = x->freed = 0;
    x->fill = x->at = 0;
    x->reason = x->age = 0;
    x->told = false;
    x->any_sent = x->any_received = x->any_heard = false;
    x->skip = x->mid;
    x->want_reset = false;
    x->want_open = state == OPENING;
}

static bool may_close(const end_t *x)
{
    return x->want_close && x->packed == x->seq && !x->mid;
}

static bool has_data(const end_t *x)
{
    return (x->state == OPEN || x->state == CLOSING) && x->packed != x->seq && x->seq != x->limit;
}

static bool wants(const end_t *x)
{
    return x->asks || x->want_state || has_data(x);
}

// The type of packet that goes first.
static unsigned wanted(const end_t *x)
{
    if (x->want_reset)
        return OFR_CHANNEL_HEAD_TYPE_RESET;
    if (x->want_open)
        return OFR_CHANNEL_HEAD_TYPE_OPEN;
    if (has_data(x))
        return OFR_CHANNEL_HEAD_TYPE_DATA;
    if (may_close(x))
        return OFR_CHANNEL_HEAD_TYPE_CLOSE;
    if (x->want_probe)
        return OFR_CHANNEL_HEAD_TYPE_PROBE;
    return OFR_CHANNEL_HEAD_TYPE_STATE;
}

// What is left of an end's cycle once its row has been dealt with.
static void write_row(const end_t *old, end_t *x)
{
    x->asks = x->want_reset || x->want_open || x->want_probe ||
              (x->want_close && old->packed == old->seq && !old->mid);
}

// The user's logic gives a beat. Bytes count in a message's last beat only: the lowest without a
// gap.
static void take_beat(struct ofr_channel *ch, unsigned e, const end_t *old, end_t *x,
                      const struct ofr_beat *s)
{
    unsigned slot = old->packed % OFR_CHANNEL_OUT, bytes = 0;
    bool ends = s->last || old->fill + 1U == (unsigned)(ch->shape.slot_flits - ch->head_flits);
    while (bytes < flit_bytes(ch) && s->keep >> bytes & 1)
        bytes++;
    if ((old->state == OPEN || old->state == CLOSING) && !old->skip) {
        ch->store[e].out[slot][old->fill] = s->data & flit_mask(ch);
        ch->store[e].out_last[slot][old->fill] = ends;
        x->out_code[slot] = (uint8_t)(s->last ? ENDS_WITH + bytes : GOES_ON);
        x->fill = ends ? 0 : (uint16_t)(old->fill + 1);
        x->packed = (uint8_t)(old->packed + ends);
    }
    x->mid = !s->last;
    if (s->last)
        x->skip = false;
}

// The consumers' side: the flit that the RAM shows goes to its end's port, and the next is looked
// for. An end keeps the RAM for its packet as long as its consumer takes; else the one that was
// found a cycle ago or more has it, of those whose port is empty, in turn; or the end that a packet
// has come for, to be at its port at once.
static void show(struct ofr_channel *ch, const end_t *olds, const struct ofr_channel_in *in,
                 int comes, int begins)
{
    unsigned ends = ch->shape.ends, cur = ch->cur;
    const end_t *old = &olds[cur];
    end_t *x = &ch->end[cur];
    bool goes_on = false, had_next = ch->has_next;
    for (unsigned e = 0; e < ends; e++)
        if (in->m_ready[e])
            ch->end[e].shown.valid = false;
    if (begins < 0 && offers(old) && (!old->shown.valid || in->m_ready[cur])) {
        unsigned code = ch->mem_code, bytes = code < ENDS_WITH ? flit_bytes(ch) : code - ENDS_WITH;
        if (old->freed == old->expect) {
            x->shown = (struct ofr_beat){.valid = true, .last = true, .user = true};
            x->mark = false;
        } else {
            x->shown = (struct ofr_beat){.valid = true,
                                         .data = ch->mem_data,
                                         .keep = (uint8_t)((1U << bytes) - 1),
                                         .last = code >= ENDS_WITH};
            goes_on = code == 0;
            x->at = goes_on ? (uint16_t)(old->at + 1) : 0;
            x->freed = (uint8_t)(old->freed + !goes_on);
            if (!goes_on && is_open(old) && x->state != ENDED)
                x->want_state = true;
        }
    }
    if (begins >= 0)
        ch->cur = (uint8_t)begins;
    else if (!goes_on && had_next)
        ch->cur = ch->next;
    else if (!goes_on && comes >= 0)
        ch->cur = (uint8_t)comes;
    if (!had_next || (begins < 0 && !goes_on)) {
        unsigned from = ch->next;
        ch->has_next = false;
        for (unsigned i = 1; i <= ends && !ch->has_next; i++) {
            unsigned e = (from + i) % ends;
            if (!offers(&olds[e]) || olds[e].shown.valid || e == cur || (had_next && e == from))
                continue;
            ch->next = (uint8_t)e;
            ch->has_next = true;
        }
    }
    x = &ch->end[ch->cur];
    ch->mem_data = ch->store[ch->cur].in[x->freed % ch->shape.room][x->at];
    ch->mem_code = ch->store[ch->cur].in_code[x->freed % ch->shape.room][x->at];
}

// The ends are looked at one by one.
static void look(const end_t *old, end_t *x, bool ticks)
{
    if (old->state == DRAIN && is_empty(old)) {
        finish(old, x, OFR_CHANNEL_STATE_REASON_CLOSED, false);
        return;
    }
    if (!ticks || (!is_open(old) && old->state != OPENING))
        return;
    if (old->age == 3) {
        finish(old, x, OFR_CHANNEL_STATE_REASON_SILENT, false);
        return;
    }
    x->age = (uint8_t)(old->age + 1);
    if (old->age != 0) {
        x->want_open = x->want_open || old->state == OPENING;
        x->want_probe = x->want_probe || is_open(old);
        x->want_close = x->want_close || old->state == CLOSING;
    }
}

// ---- Packets that came --------------------------------------------------------------------------

static unsigned head_field(const struct ofr_channel *ch, unsigned lsb, unsigned bits)
{
    return ch->head >> lsb & ((1U << bits) - 1);
}
#define HEAD(field) head_field(ch, OFR_CHANNEL_HEAD_##field##_LSB, OFR_CHANNEL_HEAD_##field##_BITS)

// The packet is of this end's connection.
static bool is_of(const struct ofr_channel *ch, const end_t *old)
{
    if (old->state == IDLE || (old->state == LISTEN && HEAD(TYPE) != OFR_CHANNEL_HEAD_TYPE_OPEN))
        return false;
    return ch->known == (ch->source | HEAD(FROM) << 12) && ch->known_conn == HEAD(CONN);
}

// A DATA packet's bytes.
static uint32_t bytes_of(const struct ofr_channel *ch, unsigned flits, unsigned code)
{
    return flits * flit_bytes(ch) - (code == GOES_ON ? 0 : flit_bytes(ch) - (code - ENDS_WITH));
}

static bool has_room(const struct ofr_channel *ch, const end_t *old)
{
    return (uint8_t)(old->expect - old->freed) != ch->shape.room;
}

// A count has been found, which was this, or nothing: it is written in the next cycle, or one later
// where a register's access is ahead. That one finds it as it was.
static void found(struct ofr_channel_count *c, bool any, uint32_t was, unsigned e)
{
    *c = (struct ofr_channel_count){.age = 2, .end = (uint8_t)e, .was = any ? was : 0};
}

// It is not written yet.
static bool is_due(const struct ofr_channel *ch, const struct ofr_channel_count *c)
{
    return c->age == 2 || (c->age == 1 && ch->access);
}

static uint32_t shown(const struct ofr_channel_count *c, unsigned e, bool any, uint32_t count)
{
    return !any ? 0 : c->age != 0 && c->end == e ? c->was : count;
}

// A packet of this end's connection.
static void receive(struct ofr_channel *ch, const end_t *old, end_t *x)
{
    unsigned type = HEAD(TYPE), code = HEAD(CODE);
    bool is_data = type == OFR_CHANNEL_HEAD_TYPE_DATA,
         is_reset = type == OFR_CHANNEL_HEAD_TYPE_RESET;
    bool illegal = is_data ? old->state == DRAIN || code < GOES_ON ||
                                 code > ENDS_WITH + flit_bytes(ch) || ch->crowded
                           : type > OFR_CHANNEL_HEAD_TYPE_RESET;

    // A peer that knows nothing of us has forgotten its count
    if (!is_data && !(is_reset && code == OFR_CHANNEL_STATE_REASON_REFUSED)) {
        found(&ch->come_heard, old->any_heard, old->heard, HEAD(TO));
        x->heard = ch->word;
        x->any_heard = true;
    }
    if (old->state == ENDED) {
        if (!is_reset)
            x->want_reset = true;
    } else if (is_reset) {
        finish(old, x, code & 7, true);
    } else if (is_open(old) && type == OFR_CHANNEL_HEAD_TYPE_OPEN && old->expect != 0) {
        finish(old, x, OFR_CHANNEL_STATE_REASON_REFUSED, false); // the peer was reset
    } else if (ch->seq != old->expect) {
        finish(old, x, OFR_CHANNEL_STATE_REASON_LOST, false);
    } else if (illegal) {
        finish(old, x, OFR_CHANNEL_STATE_REASON_ILLEGAL, false);
    } else {
        x->age = 0;
        x->want_open = false;
        x->limit = (uint8_t)HEAD(LIMIT);
        if (is_data) {
            found(&ch->come_received, old->any_received, old->received, HEAD(TO));
            x->received = (old->any_received ? old->received : 0) + bytes_of(ch, ch->length, code);
            x->any_received = true;
            x->expect = (uint8_t)(old->expect + 1);
        } else if (type != OFR_CHANNEL_HEAD_TYPE_STATE) {
            x->want_state = true;
        }
        if (!is_open(old))
            x->state = OPEN;
        if (type == OFR_CHANNEL_HEAD_TYPE_CLOSE) {
            x->state = DRAIN;
            x->want_close = x->want_probe = false;
        }
    }
}

// A flit of a packet that is whole so far.
static bool is_good(const struct ofr_channel *ch, const struct ofr_flit *rx)
{
    unsigned i = ch->index, first = ch->head_flits;
    return !rx->poison && i >= first && i < ch->shape.slot_flits;
}

// The last flit of a channel packet comes.
static bool has_come(const struct ofr_channel *ch, const struct ofr_flit *rx)
{
    return rx->valid && rx->last && is_good(ch, rx) && ch->kind == OFR_PKT_KIND_CHANNEL;
}

// The fields of a header, and the payload into the room of the end that it is for.
static void take_flit(struct ofr_channel *ch, const end_t *old, const struct ofr_flit *rx)
{
    unsigned w = ch->shape.flit_bits, i = ch->index, first = ch->head_flits, per = 64 / w;
    bool good = is_good(ch, rx);
    ch->spoiled = false;
    if (!rx->valid)
        return;
    uint64_t d = rx->data & flit_mask(ch);
    // At W = 64 a flit later, as the packet before may still be due
    unsigned late = w == 64;
    uint64_t f = late ? ch->first : d;
    ch->first = d;
    if (i == OFR_PKT_SRC_X_LSB / w + late) {
        ch->source = f >> OFR_PKT_SRC_X_LSB % w & 0xfff;
        ch->kind = f >> OFR_PKT_KIND_LSB % w & 15;
    }
    if (i == OFR_PKT_SEQ_LSB / w + late)
        ch->seq = f >> OFR_PKT_SEQ_LSB % w & 0xff;
    if (i == per)
        ch->head = w == 16 ? (ch->head & 0xffff0000U) | (uint32_t)d : (uint32_t)d;
    else if (w == 16 && i == per + 1)
        ch->head = (ch->head & 0xffff) | (uint32_t)d << 16;
    if (i == first)
        ch->word = w == 16 ? (ch->word & 0xffff0000U) | (uint32_t)d : (uint32_t)d;
    else if (w == 16 && i == first + 1)
        ch->word = (ch->word & 0xffff) | (uint32_t)d << 16;
    unsigned to = HEAD(TO);
    if (i == first)
        ch->crowded = false;
    if (i >= first && i < ch->shape.slot_flits && to < ch->shape.ends) {
        unsigned slot = old[to].expect % ch->shape.room;
        if (has_room(ch, &old[to])) {
            ch->store[to].in[slot][i - first] = d;
            ch->store[to].in_code[slot][i - first] =
                (uint8_t)(rx->last ? HEAD(CODE) & (w == 64 ? 15 : 7) : 0);
        } else {
            ch->crowded = true;
        }
    }
    ch->spoiled = rx->last && !good;
    if (rx->last && good)
        ch->length = (uint16_t)(i + 1 - first);
    if (rx->last)
        ch->index = 0;
    else if (i <= ch->shape.slot_flits)
        ch->index++;
}

// ---- Sending ------------------------------------------------------------------------------------

// Wants to send a packet; the answer to strangers, `ends`, has a turn like an end's.
static bool asks(const struct ofr_channel *ch, const end_t *olds, unsigned e)
{
    unsigned ends = ch->shape.ends;
    return e == ends ? ch->reply && !(ch->busy && ch->turn == ends) : wants(&olds[e]);
}

// Whose turn it is to send, a packet each: one is asked a cycle, the next one where others want to.
// -1: that one does not want to.
static int next_turn(struct ofr_channel *ch, const end_t *olds, bool picked)
{
    unsigned all = ch->shape.ends + 1U, e = ch->asked;
    bool want = asks(ch, olds, e), others = false;
    for (unsigned i = 1; i < all; i++)
        others = others || asks(ch, olds, (e + i) % all);
    if (others && (!want || picked))
        ch->asked = (uint8_t)((e + 1) % all);
    return want ? (int)e : -1;
}

// The answer to strangers is sent next.
static void answer(struct ofr_channel *ch)
{
    ch->busy = true;
    ch->turn = ch->shape.ends;
    ch->type = OFR_CHANNEL_HEAD_TYPE_RESET;
    ch->step = ch->payload = 0;
    ch->send_seq = ch->send_limit = 0;
    ch->code = OFR_CHANNEL_STATE_REASON_REFUSED;
    ch->bytes = 0;
}

// A packet of this end is sent next, if it still wants to.
static void pick(struct ofr_channel *ch, unsigned e, const end_t *old, end_t *x)
{
    if (!wants(old))
        return;
    ch->busy = true;
    ch->turn = (uint8_t)e;
    ch->type = (uint8_t)wanted(old);
    ch->step = ch->payload = 0;
    ch->send_seq = old->seq;
    ch->send_limit = (uint8_t)(old->freed + ch->shape.room);
    ch->code = old->reason;
    ch->bytes = old->any_received ? old->received : 0;
    x->want_state = x->want_reset = false;
    if (ch->type == OFR_CHANNEL_HEAD_TYPE_DATA) {
        ch->code = old->out_code[old->seq % OFR_CHANNEL_OUT];
        x->seq++;
    }
    if (ch->type == OFR_CHANNEL_HEAD_TYPE_OPEN)
        x->want_open = false;
    if (ch->type == OFR_CHANNEL_HEAD_TYPE_CLOSE)
        x->want_close = x->want_probe = false;
    if (ch->type == OFR_CHANNEL_HEAD_TYPE_PROBE)
        x->want_probe = false;
    write_row(old, x);
}

static struct ofr_flit header_flit(const struct ofr_channel *ch, const struct ofr_config *config)
{
    unsigned w = ch->shape.flit_bits, k = ch->step, per = 64 / w;
    bool is_reply = ch->turn == ch->shape.ends;
    const end_t *x = &ch->end[is_reply ? 0 : ch->turn];
    unsigned peer = is_reply ? ch->reply_peer : x->peer;
    struct ofr_header h = {.target = peer & 0xfff,
                           .cls = OFR_PKT_CLASS_INORDER,
                           .leg = 1,
                           .dest = peer & 0xfff,
                           .source = ofr_coord_word(&config->me, ch->shape.n),
                           .kind = OFR_PKT_KIND_CHANNEL,
                           .seq = ch->send_seq};
    uint32_t head = (uint32_t)ch->type << OFR_CHANNEL_HEAD_TYPE_LSB |
                    (uint32_t)ch->code << OFR_CHANNEL_HEAD_CODE_LSB |
                    (uint32_t)(peer >> 12) << OFR_CHANNEL_HEAD_TO_LSB |
                    (uint32_t)(is_reply ? ch->reply_from : ch->turn) << OFR_CHANNEL_HEAD_FROM_LSB |
                    (uint32_t)ch->send_limit << OFR_CHANNEL_HEAD_LIMIT_LSB |
                    (uint32_t)(is_reply ? ch->reply_conn : x->conn) << OFR_CHANNEL_HEAD_CONN_LSB;
    uint64_t data = k < per       ? ofr_header_pack(&h) >> (w * k)
                    : k * w < 128 ? head >> (w * (k - per))
                                  : 0;
    return (struct ofr_flit){.valid = true, .vc = OFR_LVC_USER, .data = data & flit_mask(ch)};
}

static struct ofr_flit payload_flit(const struct ofr_channel *ch)
{
    unsigned w = ch->shape.flit_bits, slot = ch->send_seq % OFR_CHANNEL_OUT;
    struct ofr_flit f = {.valid = true, .vc = OFR_LVC_USER};
    if (ch->type == OFR_CHANNEL_HEAD_TYPE_DATA) {
        f.data = ch->store[ch->turn].out[slot][ch->payload];
        f.last = ch->store[ch->turn].out_last[slot][ch->payload];
    } else {
        f.data = w == 16 ? ch->bytes >> (16 * ch->payload) : ch->bytes;
        f.last = ch->head_flits + ch->payload + 1U == control_flits(ch);
    }
    f.data &= flit_mask(ch);
    return f;
}

// A flit leaves; those behind the headers are fetched before. The last header flit waits for the
// packet before to be counted. True where no flit is left to be fetched: the next packet can have
// its turn.
static bool send(struct ofr_channel *ch, const struct ofr_channel_in *in)
{
    if (ch->out.valid && !in->tx_ready)
        return !ch->busy;
    bool moves = ch->fetched.valid, fetches = moves && ch->busy && ch->step == ch->head_flits;
    if (moves) {
        ch->out = ch->fetched;
        ch->fetched.valid = false;
    } else if (ch->busy &&
               !((ch->sent || is_due(ch, &ch->gone_sent)) && ch->step + 1 == ch->head_flits)) {
        ch->out = header_flit(ch, in->config);
        fetches = ++ch->step == ch->head_flits;
    } else {
        ch->out.valid = false;
    }
    if (!fetches)
        return !ch->busy;
    ch->fetched = payload_flit(ch);
    ch->payload++;
    if (!ch->fetched.last)
        return false;
    if (ch->type == OFR_CHANNEL_HEAD_TYPE_DATA) {
        ch->sent = true;
        ch->sent_end = ch->turn;
        ch->sent_code = ch->code;
        ch->sent_flits = ch->payload;
    }
    if (ch->turn == ch->shape.ends)
        ch->reply = false;
    ch->busy = false;
    return true;
}

// ---- One cycle ----------------------------------------------------------------------------------

// What a write has to be done: a value of COMMAND, OFR_CHANNEL_NAME, or nothing.
static unsigned command_of(unsigned offset, uint32_t value)
{
    return offset == OFR_CHANNEL_COMMAND ? value
           : offset == OFR_CHANNEL_PEER  ? OFR_CHANNEL_NAME
                                         : 0;
}

// A command, for the end that is selected. What may have changed since it was written: the peer has
// ended what is to be closed. True where a connection begins.
static bool obey(unsigned what, const end_t *old, end_t *x)
{
    if (what == OFR_CHANNEL_NAME) {
        x->named = true;
        x->want_reset = false; // of the old peer's last packet, just come
    }
    if (what == OFR_CHANNEL_COMMAND_CLOSE && old->state == OPEN) {
        x->state = CLOSING;
        x->want_close = true;
    }
    if (what == OFR_CHANNEL_COMMAND_ABORT && old->state != IDLE && old->state != ENDED)
        finish(old, x, OFR_CHANNEL_STATE_REASON_ABORTED, false);
    if (what == OFR_CHANNEL_COMMAND_OPEN)
        begin(x, OPENING);
    if (what == OFR_CHANNEL_COMMAND_LISTEN)
        begin(x, LISTEN);
    if (what != 0)
        write_row(old, x);
    return what == OFR_CHANNEL_COMMAND_OPEN || what == OFR_CHANNEL_COMMAND_LISTEN;
}

static void count_sent(struct ofr_channel *ch, const end_t *olds)
{
    const end_t *old = &olds[ch->sent_end];
    end_t *x = &ch->end[ch->sent_end];
    found(&ch->gone_sent, old->any_sent, old->sent, ch->sent_end);
    x->sent = (old->any_sent ? old->sent : 0) + bytes_of(ch, ch->sent_flits, ch->sent_code);
    x->any_sent = true;
    ch->sent = false;
    write_row(old, x);
}

// A packet has come. True where it is of no connection here.
static bool deal(struct ofr_channel *ch, const end_t *olds, bool had_reply)
{
    unsigned to = HEAD(TO);
    if (to < ch->shape.ends && is_of(ch, &olds[to])) {
        receive(ch, &olds[to], &ch->end[to]);
        write_row(&olds[to], &ch->end[to]);
        return false;
    }
    if (HEAD(TYPE) != OFR_CHANNEL_HEAD_TYPE_RESET && !had_reply) {
        ch->reply = true;
        ch->reply_peer = (uint16_t)(ch->source | HEAD(FROM) << 12);
        ch->reply_conn = (uint8_t)HEAD(CONN);
        ch->reply_from = (uint8_t)to;
    }
    return true;
}

// What is done in the next cycle; done: in this one. sent: a packet was to be counted as this cycle
// began; near: the next packet can have its turn, and turns: has it; last: the end that gives a
// message's last beat, which may want to send then; or -1.
static void next_op(struct ofr_channel *ch, const end_t *olds, const struct ofr_channel_in *in,
                    enum ofr_channel_op done, bool sent, bool near, bool turns, int last)
{
    bool due = is_due(ch, &ch->come_received);
    bool picked =
        done == OFR_CHANNEL_ANSWER || (done == OFR_CHANNEL_PICK && wants(&olds[ch->op_end]));
    int turn = next_turn(ch, olds, picked);
    if (done == OFR_CHANNEL_PICK || done == OFR_CHANNEL_ANSWER || done == OFR_CHANNEL_EVENT ||
        due) // what was received may be told
        near = false;
    if (turn < 0)
        turn = last;
    ch->due = has_come(ch, &in->rx) || (ch->due && done != OFR_CHANNEL_EVENT);
    ch->command = ch->command && done != OFR_CHANNEL_WRITTEN;
    ch->access = in->early;
    if (in->early) {
        ch->op = OFR_CHANNEL_NOTHING;
    } else if (ch->due && !due) {
        ch->op = OFR_CHANNEL_EVENT;
    } else if (ch->command) {
        ch->op = OFR_CHANNEL_WRITTEN;
        ch->op_end = ch->select;
    } else if (sent && done != OFR_CHANNEL_COUNTS) {
        ch->op = OFR_CHANNEL_COUNTS;
        ch->op_end = ch->sent_end;
    } else if (near && turn >= 0) {
        ch->op_end = (uint8_t)turn;
        ch->op = !turns                   ? OFR_CHANNEL_NOTHING
                 : turn == ch->shape.ends ? OFR_CHANNEL_ANSWER
                                          : OFR_CHANNEL_PICK;
    } else if (done != OFR_CHANNEL_WALK) {
        ch->op = OFR_CHANNEL_WALK;
        ch->op_end = ch->walk;
    } else {
        ch->op = OFR_CHANNEL_NOTHING;
    }
}

void ofr_channel_accessed(struct ofr_channel *ch)
{
    ch->op = OFR_CHANNEL_NOTHING;
    ch->access = true;
}

void ofr_channel_written(struct ofr_channel *ch, bool reg_we, unsigned offset, uint32_t value)
{
    end_t *x = &ch->end[ch->select];
    ch->command = true;
    ch->what = (uint8_t)(reg_we ? command_of(offset, value) : 0);
    if (ch->op != OFR_CHANNEL_EVENT) { // what came goes first
        ch->op = OFR_CHANNEL_WRITTEN;
        ch->op_end = ch->select;
    }
    if (!reg_we)
        return;
    if (offset == OFR_CHANNEL_PEER) {
        x->peer = (uint16_t)value;
        x->conn = (uint8_t)(value >> OFR_CHANNEL_PEER_CONN_LSB);
    }
    if (offset == OFR_CHANNEL_CONTROL)
        ch->time = value & OFR_CHANNEL_CONTROL_TIME_MASK;
    if (offset == OFR_CHANNEL_SELECT)
        ch->select = value & OFR_CHANNEL_SELECT_END_MASK;
}

// Bit TIME of the count of cycles falls: the low five bits change together, each of the others in
// its own of 32 cycles.
static bool falls(const struct ofr_channel *ch)
{
    uint32_t mask = (2U << ch->time) - 1;
    return (ch->count & mask) == (ch->time < 5 ? mask : mask - 31 + ch->time);
}

void ofr_channel_step(struct ofr_channel *ch, const struct ofr_channel_in *in, bool reg_we,
                      unsigned offset, uint32_t value)
{
    unsigned ends = ch->shape.ends, to = HEAD(TO), e = ch->op_end;
    bool ticks = falls(ch);
    bool had_reply = ch->reply, had_sent = ch->sent, strange = false;
    enum ofr_channel_op done = ch->op;
    int ready = ofr_channel_ready(ch), begins = -1, comes = -1;
    bool gives = ready >= 0 && in->s[ready].valid;
    unsigned granted = next_grant(ch, in);
    end_t old[OFR_CHANNEL_ENDS];
    memcpy(old, ch->end, ends * sizeof *old);

    bool near = !ch->busy || ch->step + 1 >= ch->head_flits, turns = send(ch, in);
    next_op(ch, old, in, done, had_sent, near, turns, gives && in->s[ready].last ? ready : -1);
    struct ofr_channel_count *counts[] = {&ch->gone_sent, &ch->come_received, &ch->come_heard};
    for (unsigned i = 0; i < 3; i++)
        counts[i]->age = (uint8_t)(counts[i]->age - (counts[i]->age != 0));
    // One end's row a cycle
    switch (done) {
    case OFR_CHANNEL_EVENT:
        comes = to < ends ? (int)to : -1;
        strange = deal(ch, old, had_reply);
        break;
    case OFR_CHANNEL_WRITTEN:
        if (obey(ch->what, &old[e], &ch->end[e]))
            begins = (int)e;
        break;
    case OFR_CHANNEL_COUNTS:
        count_sent(ch, old);
        break;
    case OFR_CHANNEL_PICK:
        pick(ch, e, &old[e], &ch->end[e]);
        break;
    case OFR_CHANNEL_ANSWER:
        answer(ch);
        break;
    case OFR_CHANNEL_WALK:
        if (old[e].named) {
            look(&old[e], &ch->end[e], ch->left != 0);
            write_row(&old[e], &ch->end[e]);
        }
        ch->walk = (uint8_t)((e + 1) % ends);
        ch->left = (uint8_t)(ch->left - (ch->left != 0));
        break;
    default:
        break;
    }
    if (ticks)
        ch->left = (uint8_t)ends;
    ch->grant = (uint8_t)granted;
    if (gives)
        take_beat(ch, (unsigned)ready, &old[ready], &ch->end[ready], &in->s[ready]);
    show(ch, old, in, comes, begins);
    if ((ch->spoiled || strange) && ch->dropped != UINT16_MAX)
        ch->dropped++;
    take_flit(ch, old, &in->rx);
    // Whose packet it is to be is read two cycles ahead
    ch->known = ch->knows;
    ch->known_conn = ch->knows_conn;
    to = HEAD(TO);
    ch->knows = to < ends ? ch->end[to].peer : 0;
    ch->knows_conn = to < ends ? ch->end[to].conn : 0;

    ch->count = (ch->count + 1) & ((1U << TIME_BITS) - 1);
    if (in->writes)
        ofr_channel_written(ch, reg_we, offset, value);
}

bool ofr_channel_room(const struct ofr_channel *ch, unsigned e)
{
    return takes_beat(ch, e);
}

bool ofr_channel_idle(const struct ofr_channel *ch)
{
    for (unsigned e = 0; e < ch->shape.ends; e++) {
        const end_t *x = &ch->end[e];
        if (is_open(x) || x->state == OPENING || wants(x) || (offers(x) && !x->shown.valid))
            return false;
    }
    return !ch->command && !ch->due && !ch->busy && !ch->fetched.valid && !ch->out.valid &&
           !ch->sent && !ch->reply && !ch->spoiled && ch->index == 0;
}

// ---- Registers ----------------------------------------------------------------------------------

uint32_t ofr_channel_read(const struct ofr_channel *ch, unsigned offset)
{
    const end_t *x = &ch->end[ch->select];
    switch (offset) {
    case OFR_CHANNEL_CONTROL:
        return ch->time;
    case OFR_CHANNEL_SELECT:
        return ch->select;
    case OFR_CHANNEL_PEER:
        return x->named ? x->peer | (uint32_t)x->conn << OFR_CHANNEL_PEER_CONN_LSB : 0;
    case OFR_CHANNEL_STATE:
        return (uint32_t)x->state << OFR_CHANNEL_STATE_STATE_LSB |
               (uint32_t)x->reason << OFR_CHANNEL_STATE_REASON_LSB |
               (uint32_t)x->told << OFR_CHANNEL_STATE_TOLD_LSB |
               (uint32_t)is_free(ch, ch->select) << OFR_CHANNEL_STATE_FREE_LSB;
    case OFR_CHANNEL_SENT:
        return shown(&ch->gone_sent, ch->select, x->any_sent, x->sent);
    case OFR_CHANNEL_RECEIVED:
        return shown(&ch->come_received, ch->select, x->any_received, x->received);
    case OFR_CHANNEL_HEARD:
        return shown(&ch->come_heard, ch->select, x->any_heard, x->heard);
    case OFR_CHANNEL_DROPPED:
        return ch->dropped;
    default:
        return 0;
    }
}

struct ofr_channel_seen ofr_channel_see(const struct ofr_channel *ch)
{
    const end_t *x = &ch->end[ch->select];
    return (struct ofr_channel_seen){x->state, x->named, is_free(ch, ch->select)};
}

bool ofr_channel_refused(const struct ofr_channel *ch, unsigned offset, uint32_t value,
                         const struct ofr_config *config)
{
    struct ofr_channel_seen now = ofr_channel_see(ch);
    return ofr_channel_was_refused(ch, &now, offset, value, config);
}

bool ofr_channel_was_refused(const struct ofr_channel *ch, const struct ofr_channel_seen *x,
                             unsigned offset, uint32_t value, const struct ofr_config *config)
{
    switch (offset) {
    case OFR_CHANNEL_CONTROL:
        return (value & OFR_CHANNEL_CONTROL_TIME_MASK) >= TIME_BITS;
    case OFR_CHANNEL_SELECT:
        return (value & OFR_CHANNEL_SELECT_END_MASK) >= ch->shape.ends;
    case OFR_CHANNEL_PEER:
        for (unsigned i = 0; i < 3; i++)
            if ((value >> (4 * i) & 15) >= (i < ch->shape.n ? config->torus.k[i] : 1U))
                return true;
        return !x->free;
    case OFR_CHANNEL_COMMAND:
        switch (value) {
        case OFR_CHANNEL_COMMAND_OPEN:
        case OFR_CHANNEL_COMMAND_LISTEN:
            return !x->free || !x->named;
        case OFR_CHANNEL_COMMAND_CLOSE:
            return x->state != OPEN;
        case OFR_CHANNEL_COMMAND_ABORT:
            return x->state == IDLE || x->state == ENDED;
        default:
            return true;
        }
    default:
        return false;
    }
}
