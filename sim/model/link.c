// SPDX-License-Identifier: Apache-2.0
#include "link.h"

#include <string.h>

enum { GAP, HIGH, FLITS, CRC, HUNT };       // where sender and receiver are in a frame
enum { MIDDLE, TAIL, POISONED_TAIL, JOIN }; // kinds of frames with flits
enum { HOLD = 10, SILENT = 7, STUCK = 15 }; // ticks
enum { RETRY_HEADERS = 0xc0, RING_MASK = 63, SEQ = 15 };
enum { INFO_DATA = 1 << 10 };

uint16_t ofr_link_half_word(unsigned info)
{
    // Columns of the check matrix: what has an odd weight, and is no power of two
    static const uint8_t column[11] = {7, 11, 13, 14, 19, 21, 22, 25, 26, 28, 31};
    unsigned check = 0;
    for (unsigned i = 0; i < 11; i++)
        if (info >> i & 1)
            check ^= column[i];
    return (uint16_t)(check << 11 | info);
}

bool ofr_link_legal(uint16_t half_word)
{
    unsigned info = half_word & 0x7ff, zeros = info & INFO_DATA ? 0x300 : 0x3c0;
    return ofr_link_half_word(info) == half_word && !(info & zeros);
}

uint16_t ofr_link_crc(uint16_t crc, uint64_t word, unsigned bits)
{
    // What four bits add: it is most of the time that boardsim's links take
    static const uint16_t four[16] = {0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5,
                                      0x60c6, 0x70e7, 0x8108, 0x9129, 0xa14a, 0xb16b,
                                      0xc18c, 0xd1ad, 0xe1ce, 0xf1ef};
    for (; bits & 3; bits--)
        crc = (uint16_t)(crc << 1 ^ four[(crc >> 15 ^ word >> (bits - 1)) & 1]);
    for (unsigned i = bits; i > 0; i -= 4)
        crc = (uint16_t)(crc << 4 ^ four[(crc >> 12 ^ word >> (i - 4)) & 15]);
    return crc;
}

static uint64_t sync_word(const struct ofr_link *l)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < l->shape.flit_bits; i += 16)
        word |= (uint64_t)OFR_LINK_SYNC << i;
    return word;
}

static bool two_words(const struct ofr_link *l)
{
    return l->shape.flit_bits == 16;
}

static bool is_up(const struct ofr_link *l)
{
    return l->train.state == OFR_LINK_UP;
}

static bool listens(const struct ofr_link *l)
{
    return is_up(l) || l->train.state == OFR_LINK_READY;
}

bool ofr_link_tick(const struct ofr_link *l)
{
    return l->time + 1 == 1U << l->shape.tick;
}

// What this cycle's parts tell each other.
struct wires {
    bool tick, up, listens;
    bool good, up_frame, hello;
    bool plain; // no item instead of sequence numbers and credits
    uint16_t low, high;
    bool nak;          // say that a frame is wanted
    bool moves, waits; // the window
    unsigned item;     // of hellos and of what an end that is up says
    uint8_t expects;   // before this cycle
    bool wants;        // likewise
    bool retry_write;
    unsigned retry_at;
    uint64_t retry_value;
    unsigned retry_read;
    bool between, sent, closes;
    bool quick; // the frame that is closed goes at once
};

// --- Sender: packer ------------------------------------------------------------------------------

static bool must_close(const struct ofr_link *l)
{
    const struct ofr_link_packer *p = &l->packer;
    return p->flits == OFR_LINK_FRAME_FLITS || p->head || (p->tail && p->poison) ||
           (l->window.idle && p->flits && (l->shape.shared || l->framer.at == GAP));
}

static bool packers_turn(const struct ofr_link *l)
{
    return !l->shape.shared || !(l->time & 1);
}

static bool tx_ready(const struct ofr_link *l)
{
    return !is_up(l) || (packers_turn(l) && !l->window.full && !must_close(l));
}

static unsigned frame_kind(const struct ofr_link_packer *p)
{
    return p->join ? JOIN : !p->tail ? MIDDLE : p->poison ? POISONED_TAIL : TAIL;
}

// The wire takes a word.
static bool goes(const struct ofr_link *l, const struct ofr_link_in *in)
{
    return in->phy_tx_ready && (!l->shape.shared || (l->time & 1));
}

// One flit into the open frame, or the frame's header when it is complete. With all frames sent it
// is closed when the wire takes a header, and goes at once.
static void pack(struct ofr_link *l, const struct ofr_flit *tx, struct wires *w)
{
    struct ofr_link_packer *p = &l->packer, before = *p;
    const struct ofr_link_framer *f = &l->framer;
    bool idle = l->window.idle && !l->shape.shared;
    unsigned place = l->window.close & (OFR_LINK_WINDOW - 1);
    bool taken = tx->valid && l->out.tx_ready;
    bool drop = before.open ? before.drop : !w->up;
    bool store = w->up && taken && !drop;
    w->closes = w->up && packers_turn(l) && (must_close(l) || before.tail) && !store &&
                !l->window.full && (!idle || w->between);
    w->quick =
        w->closes && idle && !f->run && !(f->due && f->late) && !l->window.back && !l->window.late;
    if (taken) {
        p->open = !tx->last;
        p->drop = drop;
    }
    if (store) {
        w->retry_at = place * OFR_LINK_FRAME_FLITS + before.flits;
        w->retry_value = tx->data;
        p->flits++;
        p->head = !before.open;
        p->tail = tx->last;
        p->poison = tx->poison;
        p->join = before.tail;
        if (p->head)
            p->vc = tx->vc;
    }
    if (w->closes) {
        w->retry_at = RETRY_HEADERS + place;
        w->retry_value = ofr_link_half_word(INFO_DATA | (unsigned)before.vc << 6 |
                                            frame_kind(&before) << 4 | (before.flits - 1));
    }
    w->retry_write = store || w->closes;
    if (w->closes || !w->up) {
        p->flits = 0;
        p->head = p->tail = p->join = false;
    }
}

// --- Sender: window ------------------------------------------------------------------------------

// Returns the next `send`.
static uint8_t window_step(struct ofr_link *l, const struct wires *w, bool acked, bool nak)
{
    struct ofr_link_window *u = &l->window, before = *u;
    uint8_t ack = acked ? w->high >> 4 & SEQ : before.ack;
    bool goes_back = w->between && (before.back || before.late);
    uint8_t send = goes_back ? before.ack : (before.send + w->sent) & SEQ;
    // Kept until it is seen to: `send` may by then be 16 behind `close`, which looks like 0
    bool late =
        (before.late && !goes_back) || ((before.close - send) & SEQ) > ((before.close - ack) & SEQ);
    l->counts.retries += goes_back;
    u->close = (before.close + w->closes) & SEQ;
    u->send = send;
    u->ack = ack;
    u->back = (before.back && !w->between) || nak;
    u->late = late;
    u->may_send = send != before.close && !u->back && !late;
    // Not with frames of a flit each when acknowledgements take long: the last places are for
    // longer ones
    u->idle = send == before.close && ((before.close - before.ack) & SEQ) < OFR_LINK_EARLY;
    if (!w->up) {
        u->close = u->ack = 0;
        u->back = u->late = u->may_send = u->idle = false;
        if (w->between)
            u->send = 0;
    }
    u->full = ((u->close - u->ack) & SEQ) >= OFR_LINK_WINDOW;
    return send;
}

// --- Sender: framer ------------------------------------------------------------------------------

static uint16_t own_shape(const struct ofr_link_shape *s)
{
    unsigned log2l = 0;
    while (1U << log2l < s->slot_flits)
        log2l++;
    return (uint16_t)(OFR_LINK_VERSION << 12 | s->flit_bits / 32 << 10 | log2l << 6 |
                      s->slots << 2 | (s->n == 3) << 1 | s->serial);
}

// What an end that is up says next. Of hellos the first items are others.
static unsigned said_item(const struct ofr_link *l)
{
    return l->framer.item | (l->framer.item < OFR_LINK_SAYS_TIME) << 2;
}

static uint16_t item_data(const struct ofr_link *l, bool tells, const struct ofr_link_in *in)
{
    const struct ofr_link_shape *s = &l->shape;
    if (tells)
        switch (said_item(l)) {
        case OFR_LINK_SAYS_TIME:
            return l->shape.straight ? l->framer.went : (uint16_t)in->now;
        case OFR_LINK_SAYS_LAG:
            return l->out.lag; // as of before this cycle
        case OFR_LINK_SAYS_HIGH:
            return (uint16_t)(in->now >> 16);
        case OFR_LINK_SAYS_RANK:
            return in->rank;
        default:
            return (uint16_t)(in->now >> 32);
        }
    switch (l->framer.item) {
    case OFR_LINK_ITEM_SHAPE:
        return own_shape(s);
    case OFR_LINK_ITEM_RECEIVED:
        return (uint16_t)(in->rx_received[2] << 8 | in->rx_received[1] << 4 | in->rx_received[0]);
    case OFR_LINK_ITEM_FREED:
        return (uint16_t)(in->rx_credit[2] << 8 | in->rx_credit[1] << 4 | in->rx_credit[0]);
    default:
        return s->serial ? (uint16_t)(in->serial >> 16 * (l->framer.item - OFR_LINK_ITEM_SERIAL))
                         : 0;
    }
}

static unsigned next_item(const struct ofr_link *l)
{
    unsigned item = l->framer.item;
    if (l->framer.tell)
        return item == OFR_LINK_SAYS_TOP ? OFR_LINK_SAYS_TIME : item + 1;
    if (item >= OFR_LINK_ITEM_FREED)
        return 0;
    return item == OFR_LINK_ITEM_SHAPE && !l->shape.serial ? OFR_LINK_ITEM_RECEIVED : item + 1;
}

// A word on the wire whenever it takes one; the retry buffer's next word is read.
static void frame(struct ofr_link *l, const struct ofr_link_in *in, struct wires *w)
{
    struct ofr_link_framer *f = &l->framer, before = *f;
    bool two = two_words(l), go = goes(l, in);
    bool may = l->window.may_send || w->quick; // ... or must: an item waits for flits, up to a tick
    bool sync = before.run != 0, tell = w->up && before.due && (before.late || !may);
    bool data = w->up && may && !sync && !tell;
    bool hello = two ? before.hello : !w->up || tell;
    bool ends = go && before.at == FLITS && before.left == 0;
    bool header = go && (two ? before.at == HIGH : before.at == GAP && !sync);
    uint8_t send = l->window.send;
    bool acked = w->plain && w->listens, nak = acked && w->high >> 15;
    uint64_t word;

    w->item = before.item;
    w->sent = ends;
    l->counts.frames += ends;
    w->moves = acked && (w->high >> 4 & SEQ) != l->window.ack;
    w->waits = l->window.close != l->window.ack;
    uint8_t send_next = window_step(l, w, acked, nak);

    uint16_t start = (uint16_t)(w->quick ? w->retry_value : l->retry_data);
    uint16_t low = data ? start
                        : ofr_link_half_word((!w->up ? before.item << 3
                                              : tell ? said_item(l) << 3
                                                     : 0) |
                                             l->train.state);
    uint16_t high = hello ? item_data(l, two ? before.tell : tell, in)
                          : (uint16_t)(before.nak << 15 | in->rx_credit[before.credit] << 10 |
                                       before.credit << 8 | w->expects << 4 | send);
    switch (before.at) {
    case GAP:
        word = sync ? sync_word(l) : two ? low : (uint32_t)high << 16 | low;
        break;
    case HIGH:
        word = high;
        break;
    case FLITS:
        word = l->retry_data;
        break;
    default:
        word = before.crc;
    }
    unsigned place = before.place + (go && before.at == FLITS);
    bool flit_next = (before.at == FLITS && !ends) || (before.at == HIGH && before.data) ||
                     (!two && before.at == GAP && go && !sync);
    w->retry_read = flit_next
                        ? (send & (OFR_LINK_WINDOW - 1U)) * OFR_LINK_FRAME_FLITS + (place & 15)
                        : RETRY_HEADERS + (send_next & (OFR_LINK_WINDOW - 1U));

    f->nak = (before.nak && !(header && !hello)) || w->nak;
    if (header && !hello)
        f->credit = (before.credit + 1) % OFR_VCS;
    if (go) {
        l->out.phy_tx_word = word;
        f->went = (uint16_t)in->now;
        f->crc = (before.at == GAP && sync) || before.at == CRC
                     ? OFR_LINK_CRC_INIT
                     : ofr_link_crc(before.crc, word, l->shape.flit_bits);
        switch (before.at) {
        case GAP:
            f->left = start & 15;
            f->data = data;
            f->hello = !w->up || tell;
            f->tell = tell;
            f->due &= sync || data;
            if (sync)
                f->run--;
            else
                f->at = two ? HIGH : data ? FLITS : CRC;
            break;
        case HIGH:
            f->at = before.data ? FLITS : CRC;
            break;
        case FLITS:
            f->place = place;
            f->left--;
            if (ends)
                f->at = CRC;
            break;
        default:
            f->at = GAP;
            f->place = 0;
            if (before.hello)
                f->item = next_item(l);
        }
    }
    f->due |= l->shape.time && w->tick && l->odd;
    f->late = f->due && (before.late || (w->tick && !l->odd));
    if (nak || (w->tick && (!w->up || w->wants || l->train.hello)))
        f->run = OFR_LINK_RUN;
}

// --- Receiver ------------------------------------------------------------------------------------

static void hunt(struct ofr_link_receiver *r)
{
    r->at = HUNT;
    r->left = OFR_LINK_LOCK - 1;
    r->write = r->keep;
}

bool ofr_link_idle(const struct ofr_link *l)
{
    return !l->packer.flits && !l->packer.open && l->window.close == l->window.ack &&
           (l->rx.ahead || l->rx.read == l->rx.keep) && !l->rx.open;
}

bool ofr_link_between(const struct ofr_link *l)
{
    return l->rx.at == GAP || l->rx.at == HUNT;
}

// The word that came in the cycle before. A frame with flits is kept if it is the expected one.
static void receive(struct ofr_link *l, const struct ofr_link_in *in, struct wires *w)
{
    struct ofr_link_receiver *r = &l->rx;
    bool step = r->in && (!l->shape.shared || (l->time & 1));
    uint64_t word = r->word;
    bool sync = (word & 0xffff) == OFR_LINK_SYNC;
    bool is_data = r->low & INFO_DATA, wants = r->wants;
    uint64_t looked_at = ~UINT64_C(0);
    unsigned gap = (r->high - r->expects) & SEQ;

    for (unsigned i = l->shape.crc_check; i < 16; i++)
        looked_at &= ~(UINT64_C(1) << i);
    r->good = false;
    if (step) {
        uint16_t crc = ofr_link_crc(r->crc, word, l->shape.flit_bits);
        bool bad = false, time = false;
        // The word in front of the one that may say TIME
        bool before = r->at == GAP ? two_words(l) || sync : r->at == CRC || r->at == HUNT;
        l->ring[r->write] = word;
        switch (r->at) {
        case HUNT:
            crc = OFR_LINK_CRC_INIT;
            if (sync && r->left == 0)
                r->at = GAP;
            r->left = sync ? r->left - 1 : OFR_LINK_LOCK - 1;
            break;
        case GAP:
            if (sync) {
                crc = OFR_LINK_CRC_INIT;
                break;
            }
            bad = !ofr_link_legal((uint16_t)word);
            r->low = word & 0x7ff;
            if (!two_words(l))
                r->high = (uint16_t)(word >> 16);
            r->left = word & 15;
            r->write = (r->write + 1) & RING_MASK;
            r->at = two_words(l) ? HIGH : word & INFO_DATA ? FLITS : CRC;
            break;
        case HIGH:
            r->high = (uint16_t)word;
            r->at = is_data ? FLITS : CRC;
            break;
        case FLITS:
            r->write = (r->write + 1) & RING_MASK;
            if (r->left-- == 0)
                r->at = CRC;
            break;
        default:
            bad = (word ^ r->crc) & looked_at;
            r->good = !bad;
            time = r->good && r->low == (OFR_LINK_SAYS_TIME << 3 | OFR_LINK_UP);
            crc = OFR_LINK_CRC_INIT;
            r->at = GAP;
            if (r->good && (is_data || (r->low & 0x3f) == OFR_LINK_UP)) {
                if (gap == 0)
                    wants = false;
                else if (!(gap & 8))
                    wants = true;
            }
            if (r->good && w->listens && is_data && gap == 0) {
                r->keep = r->write;
                r->expects = (r->expects + 1) & SEQ;
            } else {
                r->write = r->keep;
                if (r->ahead) {
                    r->read = r->keep;
                    r->flits = 0;
                }
            }
            r->ahead = false;
        }
        r->crc = crc;
        if (time && l->shape.time)
            r->lag = (uint16_t)(r->came - 4 * r->came_older - r->high);
        if (before) {
            r->came = (uint16_t)in->now;
            r->came_older = r->older;
        }
        if (bad) {
            l->counts.bad++;
            wants = true;
            hunt(r);
        }
    }
    r->older = in->phy_rx_valid ? !l->shape.shared && in->phy_rx_late : l->shape.shared && r->in;
    if (!w->listens)
        r->lag = OFR_LINK_LAG_UNKNOWN;
    wants = wants && w->listens;
    w->nak = wants && (!r->wants || w->tick);
    r->wants = wants;
    r->in = in->phy_rx_valid || (r->in && !step);
    if (in->phy_rx_valid)
        r->word = in->phy_rx_word;
    if (!w->listens) {
        r->keep = r->write = 0;
        r->expects = 0;
    }
}

static bool rx_moves(const struct ofr_link *l)
{
    return is_up(l) && l->train.up_before && l->rx.read != l->rx.keep && !l->rx.ahead &&
           (!l->shape.shared || !(l->time & 1));
}

static bool rx_last(const struct ofr_link_receiver *r)
{
    return r->flits == 1 ? r->kind == TAIL || r->kind == POISONED_TAIL
                         : r->flits == 2 && r->kind == JOIN;
}

// Kept frames to the router, a flit a cycle; the next one's header while its CRC is waited for, so
// that the first flit comes out when that is good. Returns the ring's word to read.
static unsigned drain(struct ofr_link *l, const struct wires *w)
{
    struct ofr_link_receiver *r = &l->rx;
    bool moves = rx_moves(l), last = rx_last(r);
    bool early = !l->shape.shared && r->read == r->keep && r->flits == 0 && r->at == CRC &&
                 r->low & INFO_DATA;
    unsigned at = (r->read + (moves || early)) & RING_MASK;
    r->ahead |= early;
    if ((moves || early) && r->flits == 0) {
        unsigned low = (unsigned)l->ring_data;
        r->flits = (low & 15) + 1;
        r->kind = low >> 4 & 3;
        r->next_vc = low >> 6 & 3;
        if (!r->open)
            r->vc = r->next_vc;
    } else if (moves) {
        r->flits--;
        r->open = !last;
        if (last)
            r->vc = r->next_vc;
    }
    r->read = (uint8_t)at;
    if (!w->listens) {
        r->read = 0;
        r->flits = 0;
        r->open = false;
        r->ahead = false;
    }
    return at;
}

// --- Training ------------------------------------------------------------------------------------

static enum ofr_link_why difference(uint16_t ours, uint16_t theirs)
{
    unsigned bits = ours ^ theirs;
    return bits >> 12 & 15  ? OFR_LINK_WHY_VERSION
           : bits >> 10 & 3 ? OFR_LINK_WHY_W
           : bits >> 6 & 15 ? OFR_LINK_WHY_L
           : bits >> 2 & 15 ? OFR_LINK_WHY_C
                            : OFR_LINK_WHY_N;
}

static void set_counts(struct ofr_link *l, uint16_t packed)
{
    for (unsigned v = 0; v < OFR_VCS; v++)
        l->out.tx_credit[v] = packed >> 4 * v & SEQ;
}

static void fall(struct ofr_link *l, enum ofr_link_why why)
{
    l->train.state = OFR_LINK_DOWN;
    l->train.timer = 0;
    l->train.want = 0;
    l->out.why = why;
}

static void fail(struct ofr_link *l, enum ofr_link_why why)
{
    l->train.state = OFR_LINK_FAILED;
    l->train.timer = 0;
    l->out.why = why;
}

static void train(struct ofr_link *l, const struct ofr_link_in *in, const struct wires *w)
{
    struct ofr_link_training *t = &l->train, before = *t;
    unsigned said = w->low & 7, what = w->low >> 3 & 7;
    uint16_t shape = own_shape(&l->shape);
    bool silent = w->tick && before.timer == SILENT && !w->good;
    bool fits = w->high == shape, refuses = w->hello && said == OFR_LINK_FAILED;

    t->up_before = w->up;
    if (w->good)
        t->hello = w->hello;
    t->rebase = false;
    if (w->tick && t->timer != HOLD)
        t->timer++;
    if (w->good && before.state != OFR_LINK_DOWN)
        t->timer = 0;
    t->stuck = !w->waits || w->moves ? 0 : (t->stuck + w->tick) & 15;
    if (w->listens && w->plain && (w->high >> 8 & 3) < OFR_VCS)
        l->out.tx_credit[w->high >> 8 & 3] = w->high >> 10 & SEQ;

    switch (before.state) {
    case OFR_LINK_DOWN:
        if (!w->hello || before.timer != HOLD)
            break;
        if (what == before.want) {
            t->want++;
            if (what != OFR_LINK_ITEM_SHAPE)
                l->out.peer = l->out.peer >> 16 | (uint64_t)w->high << 48;
            if (what == (l->shape.serial ? OFR_LINK_ITEM_SERIAL + 3U : OFR_LINK_ITEM_SHAPE)) {
                t->state = OFR_LINK_TRAIN;
                t->timer = 0;
                t->want = OFR_LINK_ITEM_RECEIVED;
            }
        }
        if (refuses)
            fail(l, OFR_LINK_WHY_REFUSED);
        else if (what == OFR_LINK_ITEM_SHAPE && !fits)
            fail(l, difference(shape, w->high));
        break;
    case OFR_LINK_TRAIN:
        if (w->hello && said == OFR_LINK_DOWN) {
            t->want = OFR_LINK_ITEM_RECEIVED;
        } else if (w->hello && what == OFR_LINK_ITEM_RECEIVED) {
            set_counts(l, w->high);
            t->rebase = true;
            t->want = OFR_LINK_ITEM_FREED;
        } else if (w->hello && what == before.want) {
            set_counts(l, w->high);
            t->state = OFR_LINK_READY;
        }
        break;
    case OFR_LINK_READY:
        if (w->up_frame || (w->hello && said == OFR_LINK_READY))
            t->state = OFR_LINK_UP;
        if (w->hello && said == OFR_LINK_DOWN)
            fall(l, OFR_LINK_WHY_PEER);
        break;
    case OFR_LINK_UP:
        if (w->hello && said != OFR_LINK_READY)
            fall(l, OFR_LINK_WHY_PEER);
        break;
    default:
        if (silent || (w->hello && what == OFR_LINK_ITEM_SHAPE && fits && !refuses))
            fall(l, l->out.why);
    }
    if (refuses && (before.state == OFR_LINK_TRAIN || before.state == OFR_LINK_READY))
        fail(l, OFR_LINK_WHY_REFUSED);
    if (before.state != OFR_LINK_DOWN && before.state != OFR_LINK_FAILED) {
        if (silent)
            fall(l, OFR_LINK_WHY_SILENT);
        else if (w->up && w->tick && before.stuck == STUCK)
            fall(l, OFR_LINK_WHY_STUCK);
    }
    if (!in->enable || !in->phy_up)
        fall(l, in->enable ? OFR_LINK_WHY_PHY : OFR_LINK_WHY_DISABLED);
}

// --- One clock edge ------------------------------------------------------------------------------

static void update_outputs(struct ofr_link *l)
{
    struct ofr_link_out *o = &l->out;
    o->phase = l->time & 1;
    o->state = l->train.state;
    o->link_up = l->train.up_before;
    o->rx_abort = l->train.up_before && !is_up(l);
    o->tx_rebase = l->train.rebase;
    o->tx_ready = tx_ready(l);
    o->lag = l->rx.lag;
    o->says = l->shape.time && l->rx.good && is_up(l) &&
              (l->rx.low & (INFO_DATA | 7)) == OFR_LINK_UP && l->rx.low & 0x38;
    o->says_what = l->rx.low >> 3 & 7;
    o->says_data = l->rx.high;
    o->rx.valid = rx_moves(l) && l->rx.flits;
    o->rx.vc = (uint8_t)l->rx.vc;
    o->rx.data = l->ring_data;
    o->rx.last = rx_last(&l->rx);
    o->rx.poison = o->rx.last && l->rx.kind == POISONED_TAIL;
}

void ofr_link_init(struct ofr_link *l, const struct ofr_link_shape *shape)
{
    memset(l, 0, sizeof *l);
    l->shape = *shape;
    l->framer.crc = OFR_LINK_CRC_INIT;
    l->framer.run = OFR_LINK_RUN;
    l->train.hello = true;
    l->out.phy_tx_word = sync_word(l);
    hunt(&l->rx);
    update_outputs(l);
}

void ofr_link_step(struct ofr_link *l, const struct ofr_link_in *in)
{
    struct wires w = {.tick = ofr_link_tick(l),
                      .up = is_up(l),
                      .listens = listens(l),
                      .good = l->rx.good,
                      .low = l->rx.low,
                      .high = l->rx.high,
                      .expects = l->rx.expects,
                      .wants = l->rx.wants};
    w.between = goes(l, in) && l->framer.at == GAP;
    w.up_frame = w.good && (w.low & INFO_DATA || (w.low & 7) == OFR_LINK_UP);
    w.hello = w.good && !w.up_frame;
    w.plain = w.good && (w.low & INFO_DATA || (w.low & 0x3f) == OFR_LINK_UP);
    l->counts.ups += w.up && !l->train.up_before;
    l->counts.downs += l->out.rx_abort;

    unsigned ring_read = drain(l, &w);
    uint64_t ring_data = l->ring[ring_read];
    receive(l, in, &w);
    pack(l, &in->tx, &w);
    frame(l, in, &w);
    train(l, in, &w);

    l->ring_data = l->shape.slow ? l->ring[ring_read] : ring_data;
    uint64_t retry_data = l->retry[w.retry_read];
    if (w.retry_write)
        l->retry[w.retry_at] = w.retry_value;
    l->retry_data = l->shape.slow ? l->retry[w.retry_read] : retry_data;
    l->odd ^= w.tick;
    l->time = (l->time + 1) & ((1U << l->shape.tick) - 1);
    update_outputs(l);
}
