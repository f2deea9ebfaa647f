// SPDX-License-Identifier: Apache-2.0
// libtorus' calls of channels, datagrams and collectives on 2x2 boards, each behind each, from
// nothing and with all of them open: what each says (by libtorus.h), that it ends, and that nothing
// is left in the torus. argv[1]: where the boards' sockets are; argv[2]: so many pairs, drawn from
// SEED, 0: all; or argv[2], argv[3]: the calls of a pair. TAP.
#define _POSIX_C_SOURCE 200809L
#include <libtorus.h>
#include <ofr_regs.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char subject[] = "pairs";
#include "calls.h"
#include "left.h"
#include "now.h"

enum {
    BOARDS = 4,
    WORDS = 3,
    BYTES = 5,     // of a message
    TREE_END = 0,  // the first of a tree's ends,
    GROUP_END = 4, // a group's three
    LIMIT = 20,    // seconds that a call may take, on a busy machine
    HANG = 120,    // and after which it is not waited for
};
static const struct torus_end a = {{0, 0, 0}, 7}, b = {{1, 0, 0}, 7};
static const double soon = 0.02, later = 10; // seconds that a call waits for the other side

// What is there, by what the calls have said.
enum state { NEW, OPEN, CLOSING, ENDED, ABORTED, STATES };
static enum state channel;
static unsigned sent, taken; // messages of this channel
static unsigned given, got;  // datagrams
static unsigned seed;        // of a collective's words
static struct torus_tree *tree;
static struct torus_group *group;
static bool tree_broken, group_broken, group_told; // a call has told of it
static char what[200];

static void hangs(int signal)
{
    static const char said[] = "not ok 1 - pairs: a call hangs: ";
    (void)signal;
    if (write(1, said, sizeof said - 1) && write(1, what, strlen(what)) && write(1, "\n", 1))
        _exit(1);
    _exit(2);
}

// ---- Calls: true: it says what it is to say -----------------------------------------------------

struct answer {
    int error;
    const char *words; // in the detail, where it is an error
};
static const struct answer fine = {TORUS_OK, ""};

static bool is(int error, struct answer wanted)
{
    bool good = error == wanted.error && (!error || strstr(torus_detail(t), wanted.words));
    if (!good)
        printf("# error %d: %s\n# not %d: %s\n", error, error ? torus_detail(t) : "", wanted.error,
               wanted.words);
    return good;
}

static bool opens(void)
{
    static const struct answer busy = {TORUS_E_BOARD, "is busy"};
    struct answer wanted = channel == OPEN || channel == CLOSING ? busy : fine;
    bool good = is(torus_channel_open(t, &a, &b, later), wanted);
    if (!wanted.error)
        channel = OPEN;
    return good;
}

static const struct answer unjoined[STATES] = {
    [NEW] = {TORUS_E_USAGE, "torus_channel_open()"},
    [CLOSING] = {TORUS_E_FAILED, "closing"},
    [ENDED] = {TORUS_E_FAILED, "closed"},
    [ABORTED] = {TORUS_E_FAILED, "broken: aborted"},
};

static bool sends(void)
{
    uint8_t data[BYTES];
    size_t went = 0;
    fill(data, sizeof data, sent);
    bool good = is(torus_channel_send(t, &a, data, sizeof data, soon, &went), unjoined[channel]);
    sent += channel == OPEN;
    return good && went == (channel == OPEN ? sizeof data : 0);
}

static bool takes(void)
{
    static const struct answer nothing = {TORUS_E_TIMEOUT, "nothing comes"};
    uint8_t data[64] = {0}, want[BYTES];
    size_t came = 0;
    bool whole = false, there = taken < sent;
    struct answer wanted = channel == NEW || channel == ABORTED ? unjoined[channel]
                           : there || channel == ENDED          ? fine
                                                                : nothing;
    fill(want, sizeof want, taken);
    bool good = is(torus_channel_recv(t, &b, data, sizeof data, soon, &came, &whole), wanted);
    taken += there;
    return good && whole == there && came == (there ? sizeof want : 0) && !memcmp(data, want, came);
}

static bool closes(void)
{
    static const struct answer waits = {TORUS_E_TIMEOUT, "has not taken all"};
    bool open = channel == OPEN || channel == CLOSING, all = sent == taken;
    struct answer wanted = channel == ENDED || (open && all) ? fine
                           : open                            ? waits
                                                             : unjoined[channel];
    bool good = is(torus_channel_close(t, &a, all ? later : soon), wanted);
    if (open)
        channel = all ? ENDED : CLOSING;
    return good;
}

static bool aborts(void)
{
    bool good = is(torus_channel_abort(t, &a), fine);
    good = is(torus_channel_abort(t, &b), fine) && good; // what has come is thrown away
    if (channel == OPEN || channel == CLOSING)
        channel = ABORTED;
    sent = taken = 0;
    return good;
}

static bool looks(void)
{
    struct torus_channel c = {0};
    bool open = channel == OPEN, on = open || channel == CLOSING;
    return is(torus_channel_state(t, &a, &c), fine) && c.open == open && c.free == !on &&
           (!open || c.sent == BYTES * sent) && !c.collective &&
           !c.reason == (channel == NEW || on);
}

static bool messages(void)
{
    uint8_t out[100], in[100] = {0};
    struct torus_message m[2] = {{.end = b, .data = out, .bytes = sizeof out, .other = 1},
                                 {.end = a, .take = true, .data = in, .bytes = sizeof in}};
    bool open = channel == OPEN;
    fill(out, sizeof out, 9);
    bool good = is(torus_messages(t, m, 2, open ? later : soon), unjoined[channel]);
    return good && m[0].whole == open && m[1].whole == open &&
           (!open || !memcmp(in, out, sizeof in));
}

static bool datagram_goes(void)
{
    uint8_t data = (uint8_t)given++;
    return is(torus_datagram_send(t, a.at, &b, TORUS_MINIMAL, &data, 1, later), fine);
}

static bool datagram_comes(void)
{
    static const struct answer none = {TORUS_E_TIMEOUT, "no datagram"};
    uint8_t data = 0;
    size_t bytes = 0;
    bool there = got < given;
    bool good = is(torus_datagram_recv(t, b.at, &data, 1, there ? later : 0, &bytes, NULL),
                   there ? fine : none);
    good = good && bytes == there && data == (there ? (uint8_t)got : 0);
    got += there;
    return good;
}

static bool tree_opens(void)
{
    static const struct answer taken_already = {TORUS_E_BOARD, "in a group"};
    struct torus_tree_options o = torus_tree_options_default();
    struct torus_tree *g;
    o.software = true;
    o.seconds = later;
    bool good = is(torus_tree_open(&g, t, &o, NULL, 0), tree ? taken_already : fine);
    if (tree)
        return good && !g;
    tree = g;
    tree_broken = false;
    return good;
}

static bool tree_closes(void)
{
    bool good = is(torus_tree_close(tree), fine);
    tree = NULL;
    return good;
}

static bool group_opens(void)
{
    static const struct answer busy = {TORUS_E_BOARD, "is busy"};
    struct torus_group_options o = torus_group_options_default();
    struct torus_group *g;
    o.end = GROUP_END;
    o.seconds = later;
    bool good = is(torus_group_open(&g, t, &o, NULL, 0), group ? busy : fine);
    if (group)
        return good && !g;
    group = g;
    group_broken = group_told = false;
    return good;
}

static bool group_closes(void)
{
    static const struct answer found = {TORUS_E_FAILED, "broken: aborted"};
    bool good = is(torus_group_close(group), group_broken && !group_told ? found : fine);
    group = NULL;
    return good;
}

// One of their streams is aborted.
static bool breaks(unsigned from, bool *broken)
{
    struct torus_end end = {.at = {1, 0, 0}};
    struct torus_channel c;
    for (unsigned i = 0; i < 3; i++) {
        end.end = (uint8_t)(from + i);
        if (!is(torus_channel_state(t, &end, &c), fine))
            return false;
        if (c.open) {
            *broken = true;
            return is(torus_channel_abort(t, &end), fine);
        }
    }
    return *broken;
}

static bool tree_breaks(void)
{
    return breaks(TREE_END, &tree_broken);
}

static bool group_breaks(void)
{
    return breaks(GROUP_END, &group_broken);
}

enum kind { BARRIER, BROADCAST, SCATTER, GATHER, REDUCE, ALL_REDUCE };

// One of them, by the boards or by software; results where it succeeds, an error where a stream is
// broken.
static bool collective(enum kind kind, bool hard)
{
    static const struct answer hard_broken = {TORUS_E_FAILED, "a stream between members is broken"},
                               soft_broken = {TORUS_E_FAILED, "broken"};
    int32_t data[BOARDS][WORDS], was[BOARDS][WORDS], all[BOARDS][WORDS], before[BOARDS][WORDS];
    int32_t *values[BOARDS], sum[WORDS] = {0};
    void *bytes[BOARDS];
    int error;
    seed++;
    for (unsigned m = 0; m < BOARDS; m++) {
        bytes[m] = values[m] = data[m];
        fill((uint8_t *)data[m], sizeof data[m], seed + 31 * m);
        fill((uint8_t *)all[m], sizeof all[m], seed + 7 + 5 * m);
        for (unsigned i = 0; i < WORDS; i++)
            sum[i] = (int32_t)((uint32_t)sum[i] + (uint32_t)data[m][i]);
    }
    memcpy(was, data, sizeof was);
    memcpy(before, all, sizeof before);
    if (hard)
        error = kind == BARRIER     ? torus_tree_barrier(tree)
                : kind == BROADCAST ? torus_tree_broadcast(tree, values, WORDS)
                : kind == SCATTER   ? torus_tree_scatter(tree, all[0], values, WORDS)
                : kind == GATHER    ? torus_tree_gather(tree, values, all[0], WORDS)
                : kind == REDUCE    ? torus_tree_reduce(tree, TORUS_SUM, values, all[0], WORDS)
                                    : torus_tree_all_reduce(tree, TORUS_SUM, values, WORDS);
    else
        error = kind == BARRIER     ? torus_barrier(group)
                : kind == BROADCAST ? torus_broadcast(group, 0, bytes, sizeof *data)
                : kind == SCATTER   ? torus_scatter(group, 0, all, bytes, sizeof *data)
                : kind == GATHER    ? torus_gather(group, 0, bytes, all, sizeof *data)
                : kind == REDUCE    ? torus_reduce(group, 0, TORUS_SUM, values, all[0], WORDS)
                                    : torus_all_reduce(group, TORUS_SUM, values, WORDS);
    bool broken = hard ? tree_broken : group_broken;
    bool good = is(error, !broken ? fine : hard ? hard_broken : soft_broken);
    group_told = group_told || (broken && !hard);
    for (unsigned m = 0; m < BOARDS && good && !broken; m++) {
        const int32_t *here = kind == BROADCAST    ? was[0]
                              : kind == SCATTER    ? before[m]
                              : kind == ALL_REDUCE ? sum
                                                   : was[m];
        const int32_t *there = kind == GATHER ? was[m] : kind == REDUCE && !m ? sum : before[m];
        good = !memcmp(data[m], here, sizeof data[m]) && !memcmp(all[m], there, sizeof all[m]);
    }
    return good;
}

static bool programs(void)
{
    struct torus_preset p = torus_preset_default(++seed % 2 ? TORUS_OFR : TORUS_ABR);
    return is(torus_program(t, &p), fine);
}

static void count(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    (void)at;
    (void)counters;
    ++*(unsigned *)ctx;
}

static bool snapshot(void)
{
    unsigned boards = 0;
    return is(torus_counters(t, count, &boards), fine) && boards == BOARDS;
}

enum needs { NOTHING, TREE, GROUP };
static const struct call {
    const char *name;
    bool (*does)(void);
    enum needs needs;
    int kind; // of a collective, if it has no function
} call[] = {
    {"open", opens, NOTHING, 0},
    {"send", sends, NOTHING, 0},
    {"recv", takes, NOTHING, 0},
    {"close", closes, NOTHING, 0},
    {"abort", aborts, NOTHING, 0},
    {"state", looks, NOTHING, 0},
    {"messages", messages, NOTHING, 0},
    {"datagram-send", datagram_goes, NOTHING, 0},
    {"datagram-recv", datagram_comes, NOTHING, 0},
    {"tree-open", tree_opens, NOTHING, 0},
    {"tree-barrier", NULL, TREE, BARRIER},
    {"tree-broadcast", NULL, TREE, BROADCAST},
    {"tree-scatter", NULL, TREE, SCATTER},
    {"tree-gather", NULL, TREE, GATHER},
    {"tree-reduce", NULL, TREE, REDUCE},
    {"tree-all-reduce", NULL, TREE, ALL_REDUCE},
    {"tree-break", tree_breaks, TREE, 0},
    {"tree-close", tree_closes, TREE, 0},
    {"group-open", group_opens, NOTHING, 0},
    {"barrier", NULL, GROUP, BARRIER},
    {"broadcast", NULL, GROUP, BROADCAST},
    {"scatter", NULL, GROUP, SCATTER},
    {"gather", NULL, GROUP, GATHER},
    {"reduce", NULL, GROUP, REDUCE},
    {"all-reduce", NULL, GROUP, ALL_REDUCE},
    {"group-break", group_breaks, GROUP, 0},
    {"group-close", group_closes, GROUP, 0},
    {"program", programs, NOTHING, 0},
    {"snapshot", snapshot, NOTHING, 0},
};
enum { CALLS = sizeof call / sizeof *call };

// ---- What is left -------------------------------------------------------------------------------

// All is ended, and nothing is there of it.
static bool clean(void)
{
    bool good = aborts();
    if (tree)
        good = tree_closes() && good;
    if (group)
        good = group_closes() && good;
    while (good && got < given)
        good = datagram_comes();
    return good && all_free() && drained();
}

// ---- Pairs --------------------------------------------------------------------------------------

static unsigned calls_made;

static bool does(const struct call *c)
{
    alarm(HANG);
    double began = now();
    bool good = c->does ? c->does() : collective((enum kind)c->kind, c->needs == TREE);
    double took = now() - began;
    calls_made++;
    if (took > LIMIT)
        printf("# it took %.1f s\n", took);
    return good && took <= LIMIT;
}

// Is there something that they can be called with? Else they are no pair.
static bool can(const struct call *one, const struct call *two, bool ready)
{
    bool has = ready || one->needs == NOTHING;
    if (!ready && two->needs == TREE)
        has = has && one->does == tree_opens;
    if (!ready && two->needs == GROUP)
        has = has && one->does == group_opens;
    return has && !(one->does == tree_closes && two->needs == TREE) &&
           !(one->does == group_closes && two->needs == GROUP);
}

// From nothing, or with all of them open.
static bool pair(const struct call *one, const struct call *two, bool ready)
{
    snprintf(what, sizeof what, "%s, then %s%s", one->name, two->name, ready ? ", all open" : "");
    alarm(HANG);
    const char *at = "opening";
    bool good = !ready || (opens() && tree_opens() && group_opens());
    if (good) {
        at = "the first";
        good = does(one);
    }
    if (good) {
        at = "the second";
        good = does(two);
    }
    if (good) {
        at = "what is left";
        good = clean();
    }
    if (!good)
        printf("# %s: %s\n", what, at);
    return good;
}

// So many of those with these names, NULL: any.
static void pairs(unsigned most, const char *first, const char *second)
{
    const char *text = getenv("SEED");
    uint32_t random = text ? (uint32_t)strtoul(text, NULL, 0) : 1;
    static const struct call *list[2 * CALLS * CALLS][2];
    static bool ready[2 * CALLS * CALLS];
    unsigned all = 0, done = 0;
    bool good = is(torus_datagram_attach(t, a.at, true), fine) &&
                is(torus_datagram_attach(t, b.at, true), fine);
    for (unsigned p = 0; p < 2 * CALLS * CALLS; p++) {
        const struct call *one = &call[p / 2 / CALLS], *two = &call[p / 2 % CALLS];
        if (can(one, two, p & 1) && (!first || !strcmp(one->name, first)) &&
            (!second || !strcmp(two->name, second))) {
            list[all][0] = one, list[all][1] = two;
            ready[all++] = p & 1;
        }
    }
    if (!most || most > all)
        most = all;
    printf("# %u pairs of %u; SEED=%u\n", most, all, random);
    for (; done < most && good; done++) {
        random = random * 1664525 + 1013904223;
        unsigned p = most == all ? done : (random >> 8) % all;
        good = pair(list[p][0], list[p][1], ready[p]);
    }
    printf("# %u pairs, %u calls\n", done, calls_made);
    result(good && done, most == all ? "each behind each" : "drawn, each behind another");
    alarm(HANG);
    result(good && opens() && sends() && takes() && messages() && closes() && clean(),
           "the torus is as usable afterwards, and drained");
}

int main(int argc, char **argv)
{
    char where[256];
    struct torus_options options = torus_options_default();
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 3)
        return 2;
    snprintf(where, sizeof where, "unix:%s/board0.sock", argv[1]);
    options.timeout = 60;
    signal(SIGALRM, hangs);
    alarm(HANG);
    if (torus_open(&t, where, &options) != TORUS_OK || torus_attach(t) != TORUS_OK) {
        fprintf(stderr, "%s\n", t ? torus_detail(t) : "no memory");
        return 2;
    }
    if (argc > 3)
        pairs(0, argv[2], argv[3]);
    else
        pairs((unsigned)strtoul(argv[2], NULL, 10), NULL, NULL);
    torus_tree_close(tree);
    torus_group_close(group);
    torus_close(t);
    printf("1..%d\n", number);
    return failures != 0;
}
