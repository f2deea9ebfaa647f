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
    ch->head_flits = w == 16 ? 6 : 3;
    ch->time = OFR_CHANNEL_CONTROL_TIME_RESET;
    ch->turn = shape->ends;
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

// The packet being sent is this end's: its slot is not free yet.
static bool is_sending(const struct ofr_channel *ch, unsigned e)
{
    return ch->busy && ch->turn == e && ch->type == OFR_CHANNEL_HEAD_TYPE_DATA;
}

static bool is_full(const struct ofr_channel *ch, unsigned e)
{
    const end_t *x = &ch->end[e];
    return (uint8_t)(x->packed - x->seq + is_sending(ch, e)) >= OFR_CHANNEL_OUT;
}

bool ofr_channel_s_ready(const struct ofr_channel *ch, unsigned e)
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

// All received has been taken.
static bool is_empty(const end_t *x)
{
    return !x->shown && x->freed == x->expect;
}

struct ofr_beat ofr_channel_m(const struct ofr_channel *ch, unsigned e)
{
    const end_t *x = &ch->end[e];
    struct ofr_beat m = {.valid = x->shown, .data = x->shown_data};
    m.keep = (uint8_t)((1U << flit_bytes(ch)) - 1);
    if (x->shown_code >= ENDS_WITH) {
        m.last = true;
        m.keep = (uint8_t)((1U << (x->shown_code - ENDS_WITH)) - 1);
    }
    if (!x->shown)
        m = (struct ofr_beat){.valid = x->mark && is_empty(x), .last = true, .user = true};
    return m;
}

struct ofr_flit ofr_channel_tx(const struct ofr_channel *ch)
{
    return ch->out;
}

// ---- Ends ---------------------------------------------------------------------------------------

static bool is_free(const struct ofr_channel *ch, unsigned e)
{
    const end_t *x = &ch->end[e];
    return (x->state == IDLE || x->state == ENDED) && is_empty(x) && !x->mark && !x->want_reset &&
           !(ch->busy && ch->turn == e);
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

// The type of packet that the end has to send now, -1: none.
static int wanted(const end_t *x)
{
    bool open = x->state == OPEN || x->state == CLOSING;
    if (x->want_reset)
        return OFR_CHANNEL_HEAD_TYPE_RESET;
    if (x->want_open)
        return OFR_CHANNEL_HEAD_TYPE_OPEN;
    if (open && x->packed != x->seq && x->seq != x->limit)
        return OFR_CHANNEL_HEAD_TYPE_DATA;
    if (x->want_close && x->packed == x->seq && !x->mid)
        return OFR_CHANNEL_HEAD_TYPE_CLOSE;
    if (x->want_probe)
        return OFR_CHANNEL_HEAD_TYPE_PROBE;
    if (x->want_state)
        return OFR_CHANNEL_HEAD_TYPE_STATE;
    return -1;
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

// The consumer's side: what is at its port in the next cycle.
static void show(const struct ofr_channel *ch, unsigned e, const end_t *old, end_t *x, bool taken)
{
    if (taken && old->shown) {
        bool ends = old->shown_code != 0;
        x->at = ends ? 0 : (uint16_t)(old->at + 1);
        x->freed = (uint8_t)(old->freed + ends);
        if (ends && is_open(old))
            x->want_state = true;
    } else if (taken) {
        x->mark = false;
    }
    unsigned slot = x->freed % ch->shape.room;
    x->shown = x->freed != old->expect;
    x->shown_data = ch->store[e].in[slot][x->at];
    x->shown_code = ch->store[e].in_code[slot][x->at];
}

static void tick(const end_t *old, end_t *x)
{
    if (!is_open(old) && old->state != OPENING)
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
    return old->peer == (ch->source | HEAD(FROM) << 12) && old->conn == HEAD(CONN);
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
        x->limit = (uint8_t)HEAD(LIMIT);
        if (is_data) {
            x->received = (old->any_received ? old->received : 0) + bytes_of(ch, ch->length, code);
            x->any_received = true;
            x->expect = (uint8_t)(old->expect + 1);
        } else if (type != OFR_CHANNEL_HEAD_TYPE_STATE) {
            x->want_state = true;
        }
        if (!is_open(old)) {
            x->state = OPEN;
            x->want_open = false;
        }
        if (type == OFR_CHANNEL_HEAD_TYPE_CLOSE) {
            x->state = DRAIN;
            x->want_close = x->want_probe = false;
        }
    }
}

// The fields of a header, and the payload into the room of the end that it is for.
static void take_flit(struct ofr_channel *ch, const end_t *old, const struct ofr_flit *rx)
{
    unsigned w = ch->shape.flit_bits, i = ch->index, first = ch->head_flits, per = 64 / w;
    ch->arrived = rx->valid && rx->last;
    if (!rx->valid)
        return;
    uint64_t d = rx->data & flit_mask(ch);
    if (i == OFR_PKT_SRC_X_LSB / w) {
        ch->source = d >> OFR_PKT_SRC_X_LSB % w & 0xfff;
        ch->kind = d >> OFR_PKT_KIND_LSB % w & 15;
    }
    if (i == OFR_PKT_SEQ_LSB / w)
        ch->seq = d >> OFR_PKT_SEQ_LSB % w & 0xff;
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
    ch->good = !rx->poison && i >= first && i < ch->shape.slot_flits;
    ch->length = (uint16_t)(i + 1 - first);
    if (rx->last)
        ch->index = 0;
    else if (i <= ch->shape.slot_flits)
        ch->index++;
}

// ---- Sending ------------------------------------------------------------------------------------

// What is sent next, in turn, a packet each; the answer to strangers has a turn like an end's.
static void pick(struct ofr_channel *ch)
{
    unsigned ends = ch->shape.ends;
    ch->busy = false;
    for (unsigned i = 1; i <= ends + 1; i++) {
        unsigned e = (ch->turn + i) % (ends + 1);
        int type = e == ends ? ch->reply ? OFR_CHANNEL_HEAD_TYPE_RESET : -1 : wanted(&ch->end[e]);
        if (type < 0)
            continue;
        ch->busy = true;
        ch->turn = (uint8_t)e;
        ch->type = (uint8_t)type;
        ch->step = ch->payload = 0;
        ch->send_seq = ch->send_limit = 0;
        ch->code = OFR_CHANNEL_STATE_REASON_REFUSED;
        if (e == ends)
            return;
        end_t *x = &ch->end[e];
        ch->send_seq = x->seq;
        ch->send_limit = (uint8_t)(x->freed + ch->shape.room);
        ch->code = x->reason;
        x->want_state = false;
        if (type == OFR_CHANNEL_HEAD_TYPE_DATA) {
            ch->code = x->out_code[x->seq % OFR_CHANNEL_OUT];
            x->seq++;
        }
        if (type == OFR_CHANNEL_HEAD_TYPE_RESET)
            x->want_reset = false;
        if (type == OFR_CHANNEL_HEAD_TYPE_OPEN)
            x->want_open = false;
        if (type == OFR_CHANNEL_HEAD_TYPE_CLOSE)
            x->want_close = x->want_probe = false;
        if (type == OFR_CHANNEL_HEAD_TYPE_PROBE)
            x->want_probe = false;
        return;
    }
}

// The flit of the packet under way that comes next.
static struct ofr_flit next_flit(const struct ofr_channel *ch, const struct ofr_config *config)
{
    unsigned w = ch->shape.flit_bits, k = ch->step, first = ch->head_flits;
    bool is_reply = ch->turn == ch->shape.ends;
    const end_t *x = &ch->end[is_reply ? 0 : ch->turn];
    unsigned peer = is_reply ? ch->reply_peer : x->peer;
    uint32_t bytes = !is_reply && x->any_received ? x->received : 0;
    struct ofr_flit f = {.valid = true, .vc = OFR_LVC_USER};

    if (k < first) {
        struct ofr_header h = {.target = peer & 0xfff,
                               .cls = OFR_PKT_CLASS_INORDER,
                               .leg = 1,
                               .dest = peer & 0xfff,
                               .source = ofr_coord_word(&config->me, ch->shape.n),
                               .kind = OFR_PKT_KIND_CHANNEL,
                               .seq = ch->send_seq};
        uint32_t head =
            (uint32_t)ch->type << OFR_CHANNEL_HEAD_TYPE_LSB |
            (uint32_t)ch->code << OFR_CHANNEL_HEAD_CODE_LSB |
            (uint32_t)(peer >> 12) << OFR_CHANNEL_HEAD_TO_LSB |
            (uint32_t)(is_reply ? ch->reply_from : ch->turn) << OFR_CHANNEL_HEAD_FROM_LSB |
            (uint32_t)ch->send_limit << OFR_CHANNEL_HEAD_LIMIT_LSB |
            (uint32_t)(is_reply ? ch->reply_conn : x->conn) << OFR_CHANNEL_HEAD_CONN_LSB;
        unsigned per = 64 / w;
        f.data = k < per       ? ofr_header_pack(&h) >> (w * k)
                 : k * w < 128 ? head >> (w * (k - per))
                               : 0;
    } else if (ch->type == OFR_CHANNEL_HEAD_TYPE_DATA) {
        unsigned slot = (uint8_t)(x->seq - 1) % OFR_CHANNEL_OUT;
        f.data = ch->store[ch->turn].out[slot][ch->payload];
        f.last = ch->store[ch->turn].out_last[slot][ch->payload];
    } else {
        f.data = w == 16 ? bytes >> (16 * ch->payload) : bytes;
        f.last = k + 1 == control_flits(ch);
    }
    f.data &= flit_mask(ch);
    return f;
}

// Packets leave without an idle cycle as long as there are some.
static void send(struct ofr_channel *ch, const struct ofr_channel_in *in)
{
    bool moves = !ch->out.valid || in->tx_ready;
    if (ch->busy && moves) {
        ch->out = next_flit(ch, in->config);
        if (is_sending(ch, ch->turn) && ch->out.last) {
            end_t *x = &ch->end[ch->turn];
            x->sent = (x->any_sent ? x->sent : 0) + bytes_of(ch, ch->payload + 1U, ch->code);
            x->any_sent = true;
        }
        if (ch->step >= ch->head_flits)
            ch->payload++;
        ch->step++;
        if (!ch->out.last)
            return;
        if (ch->turn == ch->shape.ends)
            ch->reply = false;
        pick(ch);
    } else if (!ch->busy) {
        if (moves)
            ch->out.valid = false;
        pick(ch);
    }
}

// ---- One cycle ----------------------------------------------------------------------------------

void ofr_channel_step(struct ofr_channel *ch, const struct ofr_channel_in *in, bool reg_we,
                      unsigned offset, uint32_t value)
{
    unsigned ends = ch->shape.ends, to = HEAD(TO);
    bool bit = ch->count >> ch->time & 1, ticks = ch->was && !bit;
    bool is_channel = ch->arrived && ch->good && ch->kind == OFR_PKT_KIND_CHANNEL;
    bool is_mine = is_channel && to < ends && is_of(ch, &ch->end[to]);
    bool is_strange = is_channel && !is_mine, had_reply = ch->reply;
    uint32_t command = reg_we && offset == OFR_CHANNEL_COMMAND ? value : 0;
    end_t *selected = &ch->end[ch->select], old[OFR_CHANNEL_ENDS];
    struct ofr_beat m[OFR_CHANNEL_ENDS];
    bool ready[OFR_CHANNEL_ENDS];

    for (unsigned e = 0; e < ends; e++) {
        old[e] = ch->end[e];
        ready[e] = ofr_channel_s_ready(ch, e);
        m[e] = ofr_channel_m(ch, e);
    }
    send(ch, in);
    if (command == OFR_CHANNEL_COMMAND_CLOSE) {
        selected->state = CLOSING;
        selected->want_close = true;
    }
    for (unsigned e = 0; e < ends; e++) {
        end_t *x = &ch->end[e];
        if (in->s[e].valid && ready[e])
            take_beat(ch, e, &old[e], x, &in->s[e]);
        show(ch, e, &old[e], x, m[e].valid && in->m_ready[e]);
        if (is_mine && e == to)
            receive(ch, &old[e], x);
        else if (ticks)
            tick(&old[e], x);
        if (old[e].state == DRAIN && is_empty(&old[e]))
            finish(&old[e], x, OFR_CHANNEL_STATE_REASON_CLOSED, false);
    }
    if (command == OFR_CHANNEL_COMMAND_ABORT)
        finish(&old[ch->select], selected, OFR_CHANNEL_STATE_REASON_ABORTED, false);
    if (command == OFR_CHANNEL_COMMAND_OPEN)
        begin(selected, OPENING);
    if (command == OFR_CHANNEL_COMMAND_LISTEN)
        begin(selected, LISTEN);

    if (is_strange && HEAD(TYPE) != OFR_CHANNEL_HEAD_TYPE_RESET && !had_reply) {
        ch->reply = true;
        ch->reply_peer = (uint16_t)(ch->source | HEAD(FROM) << 12);
        ch->reply_conn = (uint8_t)HEAD(CONN);
        ch->reply_from = (uint8_t)to;
    }
    if (((ch->arrived && !ch->good) || is_strange) && ch->dropped != UINT16_MAX)
        ch->dropped++;
    take_flit(ch, old, &in->rx);

    ch->was = bit;
    ch->count = (ch->count + 1) & ((1U << TIME_BITS) - 1);
    if (reg_we && offset == OFR_CHANNEL_CONTROL)
        ch->time = value & OFR_CHANNEL_CONTROL_TIME_MASK;
    if (reg_we && offset == OFR_CHANNEL_PEER) {
        selected->peer = (uint16_t)value;
        selected->conn = (uint8_t)(value >> OFR_CHANNEL_PEER_CONN_LSB);
        selected->named = true;
    }
    if (reg_we && offset == OFR_CHANNEL_SELECT)
        ch->select = value & OFR_CHANNEL_SELECT_END_MASK;
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
        return x->any_sent ? x->sent : 0;
    case OFR_CHANNEL_RECEIVED:
        return x->any_received ? x->received : 0;
    case OFR_CHANNEL_HEARD:
        return x->any_heard ? x->heard : 0;
    case OFR_CHANNEL_DROPPED:
        return ch->dropped;
    case OFR_CHANNEL_HEAD:
        return ch->head;
    default:
        return 0;
    }
}

bool ofr_channel_refused(const struct ofr_channel *ch, unsigned offset, uint32_t value,
                         const struct ofr_config *config)
{
    const end_t *x = &ch->end[ch->select];
    switch (offset) {
    case OFR_CHANNEL_CONTROL:
        return (value & OFR_CHANNEL_CONTROL_TIME_MASK) >= TIME_BITS;
    case OFR_CHANNEL_SELECT:
        return (value & OFR_CHANNEL_SELECT_END_MASK) >= ch->shape.ends;
    case OFR_CHANNEL_PEER:
        for (unsigned i = 0; i < 3; i++)
            if ((value >> (4 * i) & 15) >= (i < ch->shape.n ? config->torus.k[i] : 1U))
                return true;
        return !is_free(ch, ch->select);
    case OFR_CHANNEL_COMMAND:
        switch (value) {
        case OFR_CHANNEL_COMMAND_OPEN:
        case OFR_CHANNEL_COMMAND_LISTEN:
            return !is_free(ch, ch->select) || !x->named;
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
