// SPDX-License-Identifier: Apache-2.0
// Collectives over a group: a tree of channels that joins its members, each a board. A subtree is a
// range of ranks, so every channel of a member leads to a range of ranks, going round behind the
// last: whichever member is the root, what it has for those beyond a channel is one piece, and goes
// on as pieces of it. All that a member forwards begins before it has come whole.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boards.h"
#include "moves.h"
#include "parts.h"

// What a message's head says of the call.
enum kind { BARRIER = 1, BROADCAST, REDUCE, ALL_REDUCE, SCATTER, GATHER };

enum { SIDES = 3 }; // channels of a member: to its parent, to two children

struct torus_group {
    struct torus *t;
    unsigned members, end; // end: the first one's number
    double seconds;
    uint8_t (*at)[3];
    bool *acts; // for which members we do
    char broken[WIDTH];
    bool left; // broken, and boards did not answer that have ends of ours
};

// What a member's channel leads to.
struct side {
    int peer; // the member there, -1: none
    struct torus_end end, other;
    unsigned from, count; // ranks beyond it: from, from + 1, ... modulo all
};

static void child(const struct torus_group *g, unsigned from, unsigned to, struct side *s)
{
    s->peer = from < to ? (int)from : -1;
    s->from = from;
    s->count = to - from;
    s->other = (struct torus_end){.end = (uint8_t)g->end};
    if (s->peer >= 0)
        memcpy(s->other.at, g->at[from], 3);
}

// Of member m: in the tree whose root is member 0, each node has the ranks from its own up to
// `end`, and gives its children those above its own, in two halves.
static void sides_of(const struct torus_group *g, unsigned m, struct side s[SIDES])
{
    unsigned lo = 0, end = g->members, half, which = 0;
    int parent = -1;
    for (;;) {
        half = lo + 1 + (end - lo) / 2;
        if (m == lo)
            break;
        parent = (int)lo;
        which = m < half ? 1 : 2;
        lo = m < half ? lo + 1 : half;
        end = m < half ? half : end;
    }
    s[0] = (struct side){
        .peer = parent, .from = end < g->members ? end : 0, .count = g->members - (end - m)};
    if (parent >= 0) {
        s[0].other.end = (uint8_t)(g->end + which);
        memcpy(s[0].other.at, g->at[parent], 3);
    }
    child(g, m + 1, half, &s[1]);
    child(g, half, end, &s[2]);
    for (unsigned i = 0; i < SIDES; i++) {
        s[i].end.end = (uint8_t)(g->end + i);
        memcpy(s[i].end.at, g->at[m], 3);
    }
}

// Behind the last rank comes the first.
static unsigned wrap(const struct torus_group *g, unsigned rank)
{
    return rank < g->members ? rank : rank - g->members;
}

// How far behind `from` a rank is.
static unsigned behind(const struct torus_group *g, unsigned from, unsigned rank)
{
    return wrap(g, rank + g->members - from);
}

// Which of a member's channels leads to the root; -1: it is the root.
static int toward(const struct torus_group *g, const struct side s[SIDES], unsigned m,
                  unsigned root)
{
    for (int i = 0; i < SIDES && m != root; i++)
        if (s[i].peer >= 0 && behind(g, s[i].from, root) < s[i].count)
            return i;
    return -1;
}

// ---- Groups -------------------------------------------------------------------------------------

static bool answers(int error)
{
    return error != TORUS_E_TIMEOUT && error != TORUS_E_TRANSPORT;
}

// Whatever has happened: our ends are free, and the other ends are told. Where boards do not
// answer, or others keep the lease, nothing can be: the ends of both sides notice the silence, and
// it is the error.
static int abort_all(struct torus_group *g)
{
    struct torus *t = g->t;
    char detail[WIDTH] = "";
    t->uncut++;
    int error = lease_turn(t), first = error;
    bool leased = error == TORUS_OK;
    snprintf(detail, sizeof detail, "%s", torus_detail(t));
    for (unsigned m = 0; m < g->members && leased; m++) {
        struct side s[SIDES];
        sides_of(g, m, s);
        for (unsigned i = 0; i < SIDES && g->acts[m] && answers(error); i++) {
            error = s[i].peer >= 0 ? torus_channel_abort(t, &s[i].end) : TORUS_OK;
            if (error != TORUS_OK && first == TORUS_OK) {
                snprintf(detail, sizeof detail, "%s", torus_detail(t));
                first = error;
            }
        }
    }
    if (first != TORUS_OK)
        fail(t, first, "%s", detail);
    if (leased)
        first = lease_done(t, first);
    t->uncut--;
    return first;
}

static int broken(struct torus_group *g, int error)
{
    snprintf(g->broken, sizeof g->broken, "%s", torus_detail(g->t));
    g->left = abort_all(g) != TORUS_OK;
    return fail(g->t, error, "%s", g->broken);
}

// The channel of member m to its parent: opened, or as another process has opened it.
static int join_up(struct torus_group *g, unsigned m, bool join)
{
    struct torus *t = g->t;
    struct side s[SIDES];
    struct torus_channel c;
    sides_of(g, m, s);
    if (!join)
        return s[0].peer < 0 ? TORUS_OK : torus_channel_open(t, &s[0].end, &s[0].other, g->seconds);
    for (unsigned i = 0; i < SIDES && g->acts[m]; i++) {
        if (s[i].peer < 0)
            continue;
        int error = torus_channel_state(t, &s[i].end, &c);
        if (error != TORUS_OK)
            return error;
        if (!c.open || pack_at(c.peer.at) != pack_at(s[i].other.at) ||
            c.peer.end != s[i].other.end) {
            char place[16];
            return fail(t, TORUS_E_FAILED,
                        "%s end %u is not open to member %d: open the group first, of these "
                        "members in this order",
                        place_text(t, g->at[m], place), s[i].end.end, s[i].peer);
        }
    }
    return TORUS_OK;
}

static int want_members(struct torus *t, const struct torus_group_options *o,
                        const uint8_t (*at)[3], unsigned members)
{
    char place[16];
    if (!t->k[0])
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    if (o->end > 16 - SIDES)
        return fail(t, TORUS_E_USAGE, "ends from %u on: at most %u, a member has three", o->end,
                    16 - SIDES);
    if (at && (!members || members > node_count(t)))
        return fail(t, TORUS_E_USAGE, "%u members: a group has 1 to %u", members, node_count(t));
    uint8_t seen[4096 / 8] = {0};
    for (unsigned m = 0; at && m < members; m++) {
        if (!inside(t, at[m]))
            return TORUS_E_USAGE;
        uint32_t bit = pack_at(at[m]);
        if (seen[bit / 8] >> bit % 8 & 1)
            return fail(t, TORUS_E_USAGE, "%s is a member twice", place_text(t, at[m], place));
        seen[bit / 8] |= (uint8_t)(1 << bit % 8);
    }
    return TORUS_OK;
}

API void torus_group_options_init(struct torus_group_options *options, size_t size)
{
    const struct torus_group_options standard = {.seconds = 30};
    options_give(options, size, &standard, sizeof standard);
}

API int torus_group_open(struct torus_group **out, struct torus *t,
                         const struct torus_group_options *options, const uint8_t (*at)[3],
                         unsigned members)
{
    struct torus_group_options o = torus_group_options_default();
    *out = NULL;
    if (options && !options_take(&o, sizeof o, options))
        return fail(t, TORUS_E_USAGE, "options of another library");
    int error = want_members(t, &o, at, members);
    if (error != TORUS_OK)
        return error;
    struct torus_group *g = calloc(1, sizeof *g);
    members = at ? members : node_count(t);
    if (g) {
        *g = (struct torus_group){.t = t, .members = members, .end = o.end, .seconds = o.seconds};
        g->at = calloc(members, sizeof *g->at);
        g->acts = calloc(members, sizeof *g->acts);
    }
    if (!g || !g->at || !g->acts) {
        fail(t, TORUS_E_MEMORY, "no memory for a group");
        error = TORUS_E_MEMORY;
    }
    for (unsigned m = 0; error == TORUS_OK && m < members; m++) {
        if (at)
            memcpy(g->at[m], at[m], 3);
        else
            node_at(t, m, g->at[m]);
        g->acts[m] = !o.acts || o.acts[m];
    }
    unsigned m = 0;
    for (; error == TORUS_OK && m < members; m++)
        error = join_up(g, m, o.join);
    if (error != TORUS_OK && m > 1 && !o.join) { // those that were opened, at both ends
        char detail[WIDTH];
        snprintf(detail, sizeof detail, "%s", torus_detail(t));
        t->uncut++;
        for (unsigned i = 1; i + 1 < m; i++) {
            struct side s[SIDES];
            sides_of(g, i, s);
            if (answers(torus_channel_abort(t, &s[0].end)))
                torus_channel_abort(t, &s[0].other);
            else
                break;
        }
        t->uncut--;
        snprintf(t->detail, sizeof t->detail, "%s", detail);
    }
    if (error == TORUS_OK) {
        *out = g;
    } else if (g) {
        free(g->at);
        free(g->acts);
        free(g);
    }
    return error;
}

// Our ends that other processes' members have left broken: nobody else takes what says so.
static int free_ended(struct torus_group *g, unsigned m)
{
    struct side s[SIDES];
    struct torus_channel c;
    int error = TORUS_OK;
    sides_of(g, m, s);
    for (unsigned i = 1; i < SIDES && error == TORUS_OK; i++) {
        if (s[i].peer < 0 || g->acts[s[i].peer])
            continue;
        error = torus_channel_state(g->t, &s[i].end, &c);
        if (error == TORUS_OK && !c.open && !c.free)
            error = torus_channel_abort(g->t, &s[i].end);
    }
    return error;
}

API int torus_group_close(struct torus_group *g)
{
    if (!g)
        return TORUS_OK;
    int error = ok(g->t); // what broke the group was told before
    for (unsigned m = 0; m < g->members && error == TORUS_OK && !*g->broken; m++) {
        struct side s[SIDES];
        sides_of(g, m, s);
        if (g->acts[m] && s[0].peer >= 0)
            error = torus_channel_close(g->t, &s[0].end, g->seconds);
        if (g->acts[m] && error == TORUS_OK)
            error = free_ended(g, m);
    }
    if (error != TORUS_OK)
        error = broken(g, error);
    else if (g->left) // they may answer now
        error = abort_all(g);
    free(g->at);
    free(g->acts);
    free(g);
    return error;
}

// ---- The engine ---------------------------------------------------------------------------------

// A member of a call under way.
struct acting {
    unsigned m, from, blocks; // of a scatter or gather: ranks of the blocks in `block`
    int up;                   // its channel toward the root, -1: it is the root
    struct side side[SIDES];
    struct part *send[SIDES], *take[SIDES]; // NULL: nothing goes that way
    uint8_t *sum;                           // as the network has them: what is reduced
    uint8_t *came[SIDES];                   // from below, to be reduced
    size_t reduced[SIDES];                  // words of it
    uint8_t *block;                         // of a scatter or gather: blocks that pass here
};

struct call {
    struct torus_group *g;
    enum kind kind;
    enum torus_reduction operation;
    unsigned root;
    size_t bytes;          // of a member's data, words included
    struct acting *acting; // a member, those that we do not act for too
    struct part *part;
    unsigned parts;
    uint8_t *memory; // of all of them
};

static bool goes_up(const struct call *c)
{
    return c->kind != BROADCAST && c->kind != SCATTER;
}

static bool goes_down(const struct call *c)
{
    return c->kind != REDUCE && c->kind != GATHER;
}

static bool reduces(const struct call *c)
{
    return c->kind == REDUCE || c->kind == ALL_REDUCE;
}

static bool has_blocks(const struct call *c)
{
    return c->kind == SCATTER || c->kind == GATHER;
}

static uint32_t reduce_two(enum torus_reduction operation, uint32_t a, uint32_t b)
{
    switch (operation) {
    case TORUS_SUM:
        return a + b;
    case TORUS_MIN:
        return (int32_t)a < (int32_t)b ? a : b;
    case TORUS_MAX:
        return (int32_t)a > (int32_t)b ? a : b;
    default:
        return a | b;
    }
}

// What has come from below into the member's sum. So many bytes of it are of all below.
static size_t reduce_more(const struct call *c, struct acting *a)
{
    size_t least = c->bytes / 4;
    for (unsigned i = 0; i < SIDES; i++) {
        size_t words = a->came[i] ? body_moved(a->take[i]) / 4 : least;
        for (size_t w = a->reduced[i]; a->came[i] && w < words; w++)
            ofr_put32(a->sum + 4 * w, reduce_two(c->operation, ofr_get32(a->sum + 4 * w),
                                                 ofr_get32(a->came[i] + 4 * w)));
        a->reduced[i] = words;
        least = words < least ? words : least;
    }
    return 4 * least;
}

// Whether all below have come here, of a message without a body.
static bool all_below(const struct acting *a)
{
    for (int i = 0; i < SIDES; i++)
        if (i != a->up && a->take[i] && !a->take[i]->whole)
            return false;
    return true;
}

// Of a gather: bytes from the first block on that are here.
static size_t gathered(const struct call *c, const struct acting *a)
{
    size_t have = 0;
    for (unsigned done = 0; done < a->blocks;) {
        unsigned rank = wrap(c->g, a->from + done);
        int i = toward(c->g, a->side, a->m, rank);
        unsigned here = i < 0 ? 1 : a->side[i].count;
        size_t came = i < 0 ? c->bytes : body_moved(a->take[i]);
        have += came;
        if (came < here * c->bytes)
            break;
        done += here;
    }
    return have;
}

// What has come makes others ready.
static void step(void *ctx)
{
    struct call *c = ctx;
    for (unsigned n = 0; n < c->g->members; n++) {
        struct acting *a = &c->acting[n];
        size_t up = 0, down = 0;
        if (!c->g->acts[n])
            continue;
        if (reduces(c))
            up = reduce_more(c, a);
        else if (c->kind == GATHER)
            up = gathered(c, a);
        if (a->up < 0)
            down = c->kind == ALL_REDUCE ? up : c->bytes;
        else if (a->take[a->up] && c->kind != SCATTER)
            down = body_moved(a->take[a->up]);
        for (int i = 0; i < SIDES; i++) {
            struct part *p = a->send[i];
            if (!p)
                continue;
            if (i == a->up) {
                p->ready = up;
                p->held = c->kind == BARRIER && !all_below(a);
            } else if (c->kind == SCATTER) { // from its place on in what has come, or is the root's
                size_t at = behind(c->g, a->from, a->side[i].from) * c->bytes;
                size_t have = a->up < 0 ? at + p->bytes : body_moved(a->take[a->up]);
                size_t ready = have > at ? have - at : 0;
                p->ready = ready < p->bytes ? ready : p->bytes;
            } else {
                p->ready = down;
                p->held = c->kind == BARRIER && !(a->up < 0 ? all_below(a) : a->take[a->up]->whole);
            }
        }
    }
}

// ---- Calls --------------------------------------------------------------------------------------

static size_t memory_of(const struct call *c, const struct acting *a)
{
    size_t pieces = 0;
    for (int i = 0; i < SIDES && reduces(c); i++)
        pieces += i != a->up && a->side[i].peer >= 0;
    return c->bytes * (reduces(c) ? pieces + 1 : has_blocks(c) ? a->blocks : 0);
}

// A member's parts; its data are the body of a broadcast's.
static void set_up(struct call *c, struct acting *a, uint8_t **memory, uint8_t *data)
{
    uint8_t *body = has_blocks(c) || reduces(c) ? *memory : data;
    a->sum = a->block = *memory;
    *memory += c->bytes * (reduces(c) ? 1 : has_blocks(c) ? a->blocks : 0);
    for (int i = 0; i < SIDES; i++) {
        const struct side *s = &a->side[i];
        bool up = i == a->up;
        if (s->peer < 0)
            continue;
        struct part part = {.end = &s->end, .headed = true, .body = body, .bytes = c->bytes};
        ofr_put32(part.head, c->kind | (uint32_t)c->operation << 8 | (uint32_t)c->root << 16);
        ofr_put32(part.head + 4, (uint32_t)c->bytes);
        if (has_blocks(c)) {
            part.bytes = c->bytes * (up ? a->blocks : s->count);
            part.body = body + (up ? 0 : behind(c->g, a->from, s->from) * c->bytes);
        }
        if (up ? goes_up(c) : goes_down(c)) {
            a->send[i] = &c->part[c->parts++];
            *a->send[i] = part;
        }
        part.take = true;
        if (up ? goes_down(c) : goes_up(c)) {
            if (reduces(c) && !up) {
                part.body = a->came[i] = *memory;
                *memory += c->bytes;
            }
            a->take[i] = &c->part[c->parts++];
            *a->take[i] = part;
        }
    }
}

// Each part's other end's, where that is ours too.
static void pair(struct call *c, struct acting *a)
{
    for (int i = 0; i < SIDES; i++) {
        if (a->side[i].peer < 0 || !c->g->acts[a->side[i].peer])
            continue;
        struct acting *b = &c->acting[a->side[i].peer];
        unsigned k = a->side[i].other.end - c->g->end;
        if (a->send[i])
            a->send[i]->other = b->take[k];
        if (a->take[i])
            a->take[i]->other = b->send[k];
    }
}

// Does all of it, with c->acting as begin() has left it; then it is to be ended.
static int run(struct call *c)
{
    step(c);
    struct torus *t = c->g->t;
    int error = move_parts(t, c->part, c->parts, c->g->seconds, step, c);
    if (error == TORUS_E_USAGE) { // our arguments were good: an end is not what it was
        char detail[WIDTH];
        snprintf(detail, sizeof detail, "%s", torus_detail(t));
        error =
            fail(t, TORUS_E_FAILED, "a board has begun anew, or its end was taken: %.180s", detail);
    }
    return error == TORUS_OK ? error : broken(c->g, error);
}

static void end(struct call *c)
{
    free(c->acting);
    free(c->part);
    free(c->memory);
}

static int want_call(const struct call *c, void *const *data)
{
    struct torus_group *g = c->g;
    struct torus *t = g->t;
    char place[16];
    if (*g->broken)
        return fail(t, TORUS_E_FAILED, "the group is broken, close it: %.180s", g->broken);
    if (c->root >= g->members)
        return fail(t, TORUS_E_USAGE, "root %u: members are 0 to %u", c->root, g->members - 1);
    if (c->bytes > UINT32_MAX || c->bytes > SIZE_MAX / 8 / g->members)
        return fail(t, TORUS_E_USAGE, "%zu bytes: too many", c->bytes);
    for (unsigned m = 0; m < g->members && c->bytes; m++)
        if (g->acts[m] && (!data || !data[m]))
            return fail(t, TORUS_E_USAGE, "member %u, %s, has no data", m,
                        place_text(t, g->at[m], place));
    return TORUS_OK;
}

// data: of those that we act for, may be NULL where there are none to be had.
static int begin(struct call *c, void *const *data)
{
    struct torus_group *g = c->g;
    int error = want_call(c, data);
    if (error != TORUS_OK)
        return error;
    c->acting = calloc(g->members, sizeof *c->acting);
    c->part = calloc(g->members, 2 * SIDES * sizeof *c->part);
    size_t bytes = 0;
    for (unsigned m = 0; m < g->members && c->acting; m++) {
        struct acting *a = &c->acting[m];
        if (!g->acts[m])
            continue;
        sides_of(g, m, a->side);
        a->m = m;
        a->up = toward(g, a->side, m, c->root);
        const struct side *up = a->up < 0 ? NULL : &a->side[a->up];
        a->from = up ? wrap(g, up->from + up->count) : a->side[0].from;
        a->blocks = up ? g->members - up->count : g->members;
        bytes += memory_of(c, a);
    }
    c->memory = malloc(bytes + 1);
    if (!c->acting || !c->part || !c->memory) {
        fail(g->t, TORUS_E_MEMORY, "no memory for %zu bytes of a collective", bytes);
        return TORUS_E_MEMORY;
    }
    uint8_t *memory = c->memory;
    for (unsigned m = 0; m < g->members; m++)
        if (g->acts[m])
            set_up(c, &c->acting[m], &memory, data ? data[m] : NULL);
    for (unsigned m = 0; m < g->members; m++)
        if (g->acts[m])
            pair(c, &c->acting[m]);
    return TORUS_OK;
}

API int torus_barrier(struct torus_group *g)
{
    struct call c = {.g = g, .kind = BARRIER};
    int error = begin(&c, NULL);
    if (error == TORUS_OK)
        error = run(&c);
    end(&c);
    return error;
}

API int torus_broadcast(struct torus_group *g, unsigned root, void *const *data, size_t bytes)
{
    struct call c = {.g = g, .kind = BROADCAST, .root = root, .bytes = bytes};
    int error = begin(&c, data);
    if (error == TORUS_OK)
        error = run(&c);
    end(&c);
    return error;
}

// Words as the network has them, and back.
static void words_out(uint8_t *to, const int32_t *from, size_t words)
{
    for (size_t i = 0; i < words; i++)
        ofr_put32(to + 4 * i, (uint32_t)from[i]);
}

static void words_in(int32_t *to, const uint8_t *from, size_t words)
{
    for (size_t i = 0; i < words; i++)
        to[i] = (int32_t)ofr_get32(from + 4 * i);
}

static int want_reduction(struct torus_group *g, enum torus_reduction operation, size_t words)
{
    if ((unsigned)operation > TORUS_OR)
        return fail(g->t, TORUS_E_USAGE, "reduction %u: sum, min, max, or", (unsigned)operation);
    return words > UINT32_MAX / 4 ? fail(g->t, TORUS_E_USAGE, "%zu words: too many", words)
                                  : TORUS_OK;
}

// Reduces to the root, of an all-reduce and on to all; the result of member m is then in its sum.
static int reduce(struct call *c, int32_t *const *values, size_t words)
{
    int error = want_reduction(c->g, c->operation, words);
    c->bytes = 4 * words;
    if (error == TORUS_OK)
        error = begin(c, (void *const *)values);
    if (error != TORUS_OK)
        return error;
    for (unsigned m = 0; m < c->g->members; m++)
        if (c->g->acts[m])
            words_out(c->acting[m].sum, words ? values[m] : NULL, words);
    return run(c);
}

API int torus_reduce(struct torus_group *g, unsigned root, enum torus_reduction operation,
                     int32_t *const *values, int32_t *result, size_t words)
{
    struct call c = {.g = g, .kind = REDUCE, .operation = operation, .root = root};
    bool ours = root < g->members && g->acts[root];
    if (ours && words && !result)
        return fail(g->t, TORUS_E_USAGE, "the root has no room for the result");
    int error = reduce(&c, values, words);
    if (error == TORUS_OK && ours)
        words_in(result, c.acting[root].sum, words);
    end(&c);
    return error;
}

API int torus_all_reduce(struct torus_group *g, enum torus_reduction operation,
                         int32_t *const *values, size_t words)
{
    struct call c = {.g = g, .kind = ALL_REDUCE, .operation = operation};
    int error = reduce(&c, values, words);
    for (unsigned m = 0; m < g->members && error == TORUS_OK; m++)
        if (g->acts[m])
            words_in(words ? values[m] : NULL, c.acting[m].sum, words);
    end(&c);
    return error;
}

// The root's blocks, in the order of ranks, to those of the call or back.
static void blocks(struct call *c, uint8_t *all, bool in)
{
    const struct acting *a = &c->acting[c->root];
    for (unsigned m = 0; m < c->g->members && c->bytes; m++) {
        uint8_t *block = a->block + behind(c->g, a->from, m) * c->bytes;
        memcpy(in ? block : all + m * c->bytes, in ? all + m * c->bytes : block, c->bytes);
    }
}

// Member m's own.
static uint8_t *own_block(const struct call *c, unsigned m)
{
    const struct acting *a = &c->acting[m];
    return a->block + behind(c->g, a->from, m) * c->bytes;
}

static int want_all(struct torus_group *g, unsigned root, const void *all, size_t bytes)
{
    return bytes && root < g->members && g->acts[root] && !all
               ? fail(g->t, TORUS_E_USAGE, "the root has no memory for the data of all")
               : TORUS_OK;
}

API int torus_scatter(struct torus_group *g, unsigned root, const void *all, void *const *data,
                      size_t bytes)
{
    struct call c = {.g = g, .kind = SCATTER, .root = root, .bytes = bytes};
    int error = want_all(g, root, all, bytes);
    if (error == TORUS_OK)
        error = begin(&c, data);
    if (error == TORUS_OK) {
        if (g->acts[root])
            blocks(&c, (uint8_t *)(uintptr_t)all, true);
        error = run(&c);
    }
    for (unsigned m = 0; m < g->members && error == TORUS_OK && bytes; m++)
        if (g->acts[m])
            memcpy(data[m], own_block(&c, m), bytes);
    end(&c);
    return error;
}

API int torus_gather(struct torus_group *g, unsigned root, void *const *data, void *all,
                     size_t bytes)
{
    struct call c = {.g = g, .kind = GATHER, .root = root, .bytes = bytes};
    int error = want_all(g, root, all, bytes);
    if (error == TORUS_OK)
        error = begin(&c, data);
    if (error == TORUS_OK) {
        for (unsigned m = 0; m < g->members && bytes; m++)
            if (g->acts[m])
                memcpy(own_block(&c, m), data[m], bytes);
        error = run(&c);
    }
    if (error == TORUS_OK && g->acts[root])
        blocks(&c, all, false);
    end(&c);
    return error;
}
