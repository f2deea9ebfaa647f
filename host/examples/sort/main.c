// SPDX-License-Identifier: Apache-2.0
// A distributed sort: every board's host has some of the keys, and then a piece of the sorted
// whole. Sample sort over libtorus: samples are gathered, splitters broadcast, pieces go from each
// to each as messages, all at once. Each process compares its pieces with what the host's own sort
// gives.
//
//   sort WHERE[,WHERE...] KEYS [--kind random|equal|sorted|reverse] [--seed N] [--one]
//
// A process a WHERE: it is plugged into that board, and acts for every so-many-th of all boards.
#define _GNU_SOURCE
#include "example.h"

#include <ofr_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_KEYS = 1 << 20,
    PLACES = 16,     // processes
    FIRST_END = 3,   // of a board: for pieces; a group has those before
    PIECE_ENDS = 5,  // at once
    PACKET_HEAD = 3, // flits of these boards' packets
    PAYLOAD = 13,
    SECONDS = 60, // in which nothing moves
};

enum kind { RANDOM, EQUAL, SORTED, REVERSE };

struct options {
    char *where[PLACES];
    unsigned places, keys, seed;
    enum kind kind;
    bool one;
};

// Keys are made different by where they were at first, so that many equal ones are shared, too.
typedef uint64_t item; // key << 32 | index

struct sort {
    struct example e;
    const struct options *o;
    unsigned place, members; // this process; of the group: all boards
    bool *acts;              // a member
    struct torus_group *group;
    item *all;       // as it begins: member m has those from first_of(m)
    item *golden;    // sorted by the host
    item *splitter;  // members - 1
    item **own;      // of a member that is ours: sorted
    uint32_t **part; // ... its piece of the result
    unsigned *count;
    uint32_t cycles[2]; // of the exchange; of the same through one board
    double bound[2];
};

static unsigned first_of(const struct sort *s, unsigned member)
{
    return (unsigned)((uint64_t)s->o->keys * member / s->members);
}

static unsigned share_of(const struct sort *s, unsigned member)
{
    return first_of(s, member + 1) - first_of(s, member);
}

static int by_item(const void *a, const void *b)
{
    item x = *(const item *)a, y = *(const item *)b;
    return (x > y) - (x < y);
}

static int by_key(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Where the piece for `to` begins among a member's sorted items.
static unsigned piece(const struct sort *s, unsigned member, unsigned to)
{
    unsigned low = 0, high = share_of(s, member);
    if (to == 0)
        return 0;
    if (to == s->members)
        return high;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (s->own[member][middle] < s->splitter[to - 1])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void draw(struct sort *s)
{
    const struct options *o = s->o;
    uint64_t state = o->seed;
    s->all = example_memory(&s->e, o->keys, sizeof *s->all);
    s->golden = example_memory(&s->e, o->keys, sizeof *s->golden);
    for (unsigned i = 0; i < o->keys; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t key = (uint32_t)(state >> 32);
        key = o->kind == EQUAL     ? o->seed
              : o->kind == SORTED  ? i
              : o->kind == REVERSE ? o->keys - i
                                   : key;
        s->all[i] = (item)key << 32 | i;
    }
    memcpy(s->golden, s->all, o->keys * sizeof *s->all);
    qsort(s->golden, o->keys, sizeof *s->golden, by_item);
}

// ---- The group ----------------------------------------------------------------------------------

static void open_group(struct sort *s)
{
    struct torus_group_options options = torus_group_options_default();
    struct timespec pause = {0, 50000000};
    options.acts = s->acts;
    options.join = s->place > 0;
    for (unsigned tries = 0;; tries++) { // the first process opens it
        int error = torus_group_open(&s->group, s->e.t, &options, NULL, s->members);
        if (!options.join || error != TORUS_E_FAILED || tries == 1200) {
            example_good(&s->e, error);
            return;
        }
        nanosleep(&pause, NULL);
    }
}

// Samples to the first member, splitters from it.
static void split(struct sort *s)
{
    unsigned p = s->members;
    size_t bytes = p * sizeof(item), between = (p - 1) * sizeof(item);
    item *samples = example_memory(&s->e, (size_t)p * p, sizeof *samples);
    void **data = example_memory(&s->e, p, sizeof(void *));
    for (unsigned m = 0; m < p; m++) {
        if (!s->acts[m])
            continue;
        s->own[m] = example_memory(&s->e, share_of(s, m), sizeof(item));
        memcpy(s->own[m], s->all + first_of(s, m), share_of(s, m) * sizeof(item));
        qsort(s->own[m], share_of(s, m), sizeof(item), by_item);
        item *mine = data[m] = example_memory(&s->e, p, sizeof(item));
        for (unsigned i = 0; i < p; i++)
            mine[i] = s->own[m][(uint64_t)share_of(s, m) * i / p];
    }
    example_good(&s->e, torus_gather(s->group, 0, data, s->acts[0] ? samples : NULL, bytes));
    if (s->acts[0]) {
        qsort(samples, (size_t)p * p, sizeof *samples, by_item);
        for (unsigned i = 1; i < p; i++)
            s->splitter[i - 1] = samples[(size_t)i * p];
    }
    for (unsigned m = 0; m < p; m++)
        if (s->acts[m])
            memcpy(data[m], s->splitter, between);
    example_good(&s->e, torus_broadcast(s->group, 0, data, between));
    for (unsigned m = 0; m < p; m++)
        if (s->acts[m]) {
            memcpy(s->splitter, data[m], between);
            free(data[m]);
        }
    free(data);
    free(samples);
}

// ---- From each to each --------------------------------------------------------------------------

// In round r member m and this one have a channel with each other; m itself: none.
static unsigned partner(const struct sort *s, unsigned m, unsigned round)
{
    return (round + s->members - m) % s->members;
}

static struct torus_end end_of(const struct sort *s, unsigned m, unsigned round)
{
    struct torus_end end = {.end = (uint8_t)(FIRST_END + round % PIECE_ENDS)};
    example_at(&s->e, m, end.at);
    return end;
}

// All channels of a round; the first process does it.
static void ends(const struct sort *s, unsigned round, bool open)
{
    for (unsigned m = 0; m < s->members && s->place == 0; m++) {
        struct torus_end from = end_of(s, m, round), to = end_of(s, partner(s, m, round), round);
        if (partner(s, m, round) <= m)
            continue;
        example_good(&s->e, open ? torus_channel_open(s->e.t, &from, &to, SECONDS)
                                 : torus_channel_close(s->e.t, &from, SECONDS));
    }
}

// A member's piece is put behind those that it has.
static void keep(struct sort *s, unsigned m, const uint8_t *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        s->part[m][s->count[m] + i] = (uint32_t)bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 |
                                      (uint32_t)bytes[4 * i + 2] << 16 |
                                      (uint32_t)bytes[4 * i + 3] << 24;
    s->count[m] += count;
}

// The keys of a piece, as bytes. Returns how many keys.
static unsigned take_piece(const struct sort *s, unsigned from, unsigned to, uint8_t **bytes)
{
    unsigned first = piece(s, from, to), count = piece(s, from, to + 1) - first;
    *bytes = example_memory(&s->e, count, 4);
    for (unsigned i = 0; i < 4 * count; i++)
        (*bytes)[i] = (uint8_t)(s->own[from][first + i / 4] >> (32 + 8 * (i % 4)));
    return count;
}

// Some rounds at once: a message to and from each partner.
static void exchange(struct sort *s, unsigned from, unsigned to)
{
    size_t most = 2 * (size_t)s->members * (to - from);
    struct torus_message *list = example_memory(&s->e, most, sizeof *list);
    unsigned *whose = example_memory(&s->e, most, sizeof *whose), count = 0;
    for (unsigned r = from; r < to; r++)
        for (unsigned m = 0; m < s->members; m++) {
            unsigned far = partner(s, m, r), share = share_of(s, far);
            if (!s->acts[m] || far == m)
                continue;
            uint8_t *bytes;
            unsigned keys = take_piece(s, m, far, &bytes);
            // Of a pair that are both ours, the lower one's two messages come first
            int base = s->acts[far] ? (int)count - 1 : -1, low = -1;
            for (int i = base; i >= 0 && far < m && low < 0; i--)
                if (whose[i] == far && list[i].end.end == end_of(s, far, r).end && !list[i].take)
                    low = i;
            list[count] = (struct torus_message){
                .end = end_of(s, m, r), .data = bytes, .bytes = 4 * (size_t)keys, .other = -1};
            list[count + 1] = (struct torus_message){.end = end_of(s, m, r),
                                                     .take = true,
                                                     .data = example_memory(&s->e, share + 2, 4),
                                                     .bytes = 4 * ((size_t)share + 2),
                                                     .other = -1};
            if (low >= 0) {
                list[count].other = low + 1;
                list[low + 1].other = (int)count;
                list[count + 1].other = low;
                list[low].other = (int)count + 1;
            }
            whose[count] = whose[count + 1] = m;
            count += 2;
        }
    example_good(&s->e, torus_messages(s->e.t, list, count, SECONDS));
    for (unsigned i = 0; i < count; i++) {
        if (list[i].take)
            keep(s, whose[i], list[i].data, (unsigned)(list[i].moved / 4));
        free(list[i].data);
    }
    free(list);
    free(whose);
}

static uint32_t now(const struct sort *s)
{
    uint32_t cycle;
    example_good(&s->e, torus_read(s->e.t, NULL, OFR_NODE_TIME, &cycle));
    return cycle;
}

static void all_to_all(struct sort *s)
{
    for (unsigned m = 0; m < s->members; m++) {
        if (!s->acts[m])
            continue;
        uint8_t *bytes;
        s->part[m] = example_memory(&s->e, s->o->keys, sizeof **s->part);
        unsigned keys = take_piece(s, m, m, &bytes);
        keep(s, m, bytes, keys);
        free(bytes);
    }
    for (unsigned r = 0; r < s->members; r += PIECE_ENDS) {
        unsigned to = r + PIECE_ENDS < s->members ? r + PIECE_ENDS : s->members;
        for (unsigned i = r; i < to; i++)
            ends(s, i, true);
        example_good(&s->e, torus_barrier(s->group));
        uint32_t from = now(s);
        exchange(s, r, to);
        example_good(&s->e, torus_barrier(s->group));
        s->cycles[0] += now(s) - from;
        for (unsigned i = r; i < to; i++)
            ends(s, i, false);
    }
    for (unsigned m = 0; m < s->members; m++)
        if (s->acts[m])
            qsort(s->part[m], s->count[m], sizeof **s->part, by_key);
}

// ---- What it could be ---------------------------------------------------------------------------

static double flits(unsigned keys)
{
    unsigned packets = (keys + PAYLOAD - 1) / PAYLOAD;
    return (double)keys + PACKET_HEAD * (double)packets;
}

static unsigned distance(const struct sort *s, unsigned a, unsigned b)
{
    uint8_t x[3], y[3];
    unsigned hops = 0;
    example_at(&s->e, a, x);
    example_at(&s->e, b, y);
    for (unsigned d = 0; d < 3; d++) {
        unsigned far = x[d] > y[d] ? (unsigned)(x[d] - y[d]) : (unsigned)(y[d] - x[d]);
        hops += far < s->e.k[d] - far ? far : s->e.k[d] - far;
    }
    return hops;
}

// By one process, which knows all pieces: the busiest local port, or all hops over all links.
static void bounds(struct sort *s)
{
    double hops = 0, links = 0, n = flits(s->o->keys);
    for (unsigned d = 0; d < 3; d++)
        links += s->e.k[d] > 2 ? 2.0 * s->members : s->e.k[d] == 2 ? s->members : 0;
    for (unsigned m = 0; m < s->members; m++) {
        double out = 0, in = 0;
        for (unsigned f = 0; f < s->members; f++) {
            double there = flits(piece(s, m, f + 1) - piece(s, m, f)),
                   back = flits(piece(s, f, m + 1) - piece(s, f, m));
            out += f == m ? 0 : there;
            in += f == m ? 0 : back;
            hops += there * distance(s, m, f);
        }
        s->bound[0] = out > s->bound[0] ? out : s->bound[0];
        s->bound[0] = in > s->bound[0] ? in : s->bound[0];
    }
    if (links > 0 && hops / links > s->bound[0])
        s->bound[0] = hops / links;
    s->bound[1] = 2 * n * (s->members - 1) / s->members;
}

// All keys to the first board, and back.
static void through_one(struct sort *s)
{
    unsigned most = s->o->keys / s->members + 1;
    void **data = example_memory(&s->e, s->members, sizeof(void *));
    uint32_t *whole = example_memory(&s->e, (size_t)most * s->members, 4);
    for (unsigned m = 0; m < s->members; m++)
        data[m] = s->acts[m] ? example_memory(&s->e, most, 4) : NULL;
    uint32_t from = now(s);
    void *all = s->acts[0] ? whole : NULL;
    example_good(&s->e, torus_gather(s->group, 0, data, all, 4 * (size_t)most));
    example_good(&s->e, torus_scatter(s->group, 0, all, data, 4 * (size_t)most));
    example_good(&s->e, torus_barrier(s->group));
    s->cycles[1] = now(s) - from;
    for (unsigned m = 0; m < s->members; m++)
        free(data[m]);
    free(data);
    free(whole);
}

// ---- The result ---------------------------------------------------------------------------------

// Keys that are wrong, of all members; the largest piece.
static unsigned check(struct sort *s, unsigned *largest)
{
    unsigned p = s->members, place = 0, wrong = 0;
    int32_t **values = example_memory(&s->e, p, sizeof(int32_t *)),
            *counts = example_memory(&s->e, p, sizeof *counts); // of a member that is ours
    for (unsigned m = 0; m < p; m++)
        if (s->acts[m]) {
            values[m] = m == s->place ? counts : example_memory(&s->e, p, sizeof **values);
            values[m][m] = (int32_t)s->count[m];
        }
    example_good(&s->e, torus_all_reduce(s->group, TORUS_SUM, values, p));
    *largest = 0;
    for (unsigned m = 0; m < p; m++) {
        unsigned count = (unsigned)counts[m];
        *largest = count > *largest ? count : *largest;
        for (unsigned i = 0; i < count && s->acts[m]; i++)
            wrong +=
                place + i >= s->o->keys || s->part[m][i] != (uint32_t)(s->golden[place + i] >> 32);
        place += count;
    }
    unsigned lost = place > s->o->keys ? place - s->o->keys : s->o->keys - place, ours = wrong;
    for (unsigned m = 0; m < p; m++)
        if (s->acts[m]) {
            values[m][0] = (int32_t)ours; // once a process
            ours = 0;
        }
    example_good(&s->e, torus_all_reduce(s->group, TORUS_SUM, values, 1));
    wrong = (unsigned)counts[0] + lost;
    for (unsigned m = 0; m < p; m++)
        free(values[m]);
    free(values);
    return wrong;
}

static int process(const struct options *o, unsigned place)
{
    struct sort s = {.o = o, .place = place};
    unsigned largest;
    example_begin(&s.e, "sort", o->where[place], o->places == 1);
    s.members = s.e.nodes;
    s.acts = example_memory(&s.e, s.members, sizeof *s.acts);
    s.own = example_memory(&s.e, s.members, sizeof *s.own);
    s.part = example_memory(&s.e, s.members, sizeof *s.part);
    s.count = example_memory(&s.e, s.members, sizeof *s.count);
    s.splitter = example_memory(&s.e, s.members, sizeof *s.splitter);
    for (unsigned m = 0; m < s.members; m++)
        s.acts[m] = m % o->places == place;
    draw(&s);
    open_group(&s);
    split(&s);
    all_to_all(&s);
    if (o->one)
        through_one(&s);
    unsigned wrong = check(&s, &largest);
    example_good(&s.e, torus_group_close(s.group));
    if (place == 0) {
        printf("%u keys on %u boards, %u processes; the largest piece: %u, %.2f of a fair share\n",
               o->keys, s.members, o->places, largest, (double)largest * s.members / o->keys);
        printf("pieces from each to each: %u cycles", s.cycles[0]);
        if (o->places == 1) {
            bounds(&s);
            printf("; the wires would take %.0f", s.bound[0]);
        }
        if (o->one)
            printf("; to one board and back: %u cycles, the wires %.0f", s.cycles[1], s.bound[1]);
        printf("\nresult: %s\n", wrong ? "WRONG" : "equal to the host's, bit by bit");
        if (wrong)
            fprintf(stderr, "sort: %u keys are wrong or lost\n", wrong);
    }
    for (unsigned m = 0; m < s.members; m++) {
        free(s.own[m]);
        free(s.part[m]);
    }
    free(s.acts);
    free(s.own);
    free(s.part);
    free(s.count);
    free(s.splitter);
    free(s.all);
    free(s.golden);
    example_end(&s.e);
    return wrong != 0;
}

static struct options read_options(const struct example *e, int argc, char **argv)
{
    static const char *const kinds[] = {"random", "equal", "sorted", "reverse"};
    struct options o = {.seed = 1};
    if (argc < 3)
        example_fail(e, 2,
                     "wrong use: sort WHERE[,WHERE...] KEYS [--kind random|equal|sorted|"
                     "reverse] [--seed N] [--one]");
    for (char *w = strtok(argv[1], ","); w; w = strtok(NULL, ",")) {
        if (o.places == PLACES)
            example_fail(e, 2, "%d processes are too many, %d may be", PLACES + 1, PLACES);
        o.where[o.places++] = w;
    }
    if (!o.places)
        example_fail(e, 2, "WHERE is empty: a board's transport, as for torusctl -t");
    o.keys = example_number(e, argv[2], "KEYS", 1, MOST_KEYS);
    for (int i = 3; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        unsigned kind = 0;
        if (!strcmp(argv[i], "--one")) {
            o.one = true;
            continue;
        }
        while (kind < 4 && strcmp(value, kinds[kind]))
            kind++;
        if (!strcmp(argv[i], "--seed") && *value)
            o.seed = example_number(e, value, "--seed", 0, 1000000000);
        else if (!strcmp(argv[i], "--kind") && kind < 4)
            o.kind = (enum kind)kind;
        else
            example_fail(e, 2, "%s %s: --kind random, equal, sorted or reverse, --seed N, --one",
                         argv[i], value);
        i++;
    }
    return o;
}

int main(int argc, char **argv)
{
    struct example e = {.name = "sort"};
    struct options o = read_options(&e, argc, argv);
    example_begin(&e, "sort", o.where[0], false); // programs the torus, once
    if (e.nodes < 2 || o.places > e.nodes)
        example_fail(&e, 2, "%u boards: a sort wants 2 at least, and one for each of %u processes",
                     e.nodes, o.places);
    if (o.keys < e.nodes)
        example_fail(&e, 2, "%u keys: fewer than there are boards, %u", o.keys, e.nodes);
    example_end(&e);
    fflush(stdout);
    pid_t child[PLACES] = {0};
    for (unsigned i = 1; i < o.places; i++) {
        child[i] = fork();
        if (child[i] < 0)
            example_fail(&e, 2, "no process can be started");
        if (!child[i])
            return process(&o, i);
    }
    int result = process(&o, 0), status;
    for (unsigned i = 1; i < o.places; i++) {
        waitpid(child[i], &status, 0);
        result = WIFEXITED(status) && WEXITSTATUS(status) <= result ? result : 2;
    }
    return result;
}
