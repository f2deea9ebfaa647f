// SPDX-License-Identifier: Apache-2.0
// A cable is pulled, or a board begins anew, in the middle of a collective: what the calls say, how
// long they take, and that the same boards then work in a new group. boardsim's boards at DIR, with
// channels, do what --at says meanwhile. TAP.
//
//   fault_calls DIR barrier|sum|group|groups calm|CYCLE
//
// CYCLE: of --at. barrier, sum: in hardware. group: by software; groups: by two processes at two
// boards. calm: nothing happens; says from which cycle to which the call took.
#define _POSIX_C_SOURCE 200809L
#include <libtorus.h>
#include <ofr_regs.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST = 16,
    BARRIERS = 8, // one after the other
    TREE_WORDS = 24,
    GROUP_WORDS = 96,
    TOKEN = 0x5eed,
    FIRST_END = 4, // of the software's group; a tree has those below
    LOOKS = 10000,
    TICK = 12,     // CHANNEL.CONTROL: a stream is silent after 4 times 2^13 cycles, not 2^19
    SECONDS = 2,   // in which nothing moves, for a call
    PATIENCE = 20, // for the call as a whole: that, some time-outs more, on a busy machine
};
static const double answer = 0.5; // seconds in which a board does not

static const char *subject;
static struct torus *t;     // under it
static struct torus *later; // after what happened: as patient as others are
static const char *folder;
static unsigned members;
static bool calm, software, two;
static uint32_t when; // it happens
static struct torus_tree *tree;
static struct torus_group *group;
static bool acts[MOST];
static int32_t data[MOST][GROUP_WORDS], *values[MOST];

#include "left.h"
#include "now.h"

static int number, failures;

static void result(bool good, const char *name)
{
    printf("%sok %d - %s: %s\n", good ? "" : "not ", ++number, subject, name);
    if (!good)
        printf("# %s; %s\n", torus_detail(t), torus_detail(later));
    failures += !good;
}

static struct torus *at_board(unsigned board, double timeout, bool take_over)
{
    char where[256];
    struct torus *opened;
    struct torus_options o = torus_options_default();
    o.timeout = timeout;
    o.retry = 0.2;
    o.window = 1; // so that the cycles are the same each time
    o.token = TOKEN;
    o.take_over = take_over;
    snprintf(where, sizeof where, "unix:%s/board%u.sock", folder, board);
    if (torus_open(&opened, where, &o) == TORUS_OK)
        return opened;
    fprintf(stderr, "fault_calls: %s\n", opened ? torus_detail(opened) : "no memory");
    exit(2);
}

static bool ours(unsigned m)
{
    return !two || acts[m];
}

// ---- The collective -----------------------------------------------------------------------------

static bool opens(bool join)
{
    struct torus_tree_options hard = torus_tree_options_default();
    struct torus_group_options soft = torus_group_options_default();
    hard.software = true;
    hard.shape = TORUS_CHAIN;
    hard.seconds = soft.seconds = SECONDS;
    soft.end = FIRST_END;
    soft.acts = two ? acts : NULL;
    soft.join = join;
    return software ? torus_group_open(&group, t, &soft, NULL, 0) == TORUS_OK
                    : torus_tree_open(&tree, t, &hard, NULL, 0) == TORUS_OK;
}

static int closes(void)
{
    int error = software ? torus_group_close(group) : torus_tree_close(tree);
    group = NULL;
    tree = NULL;
    return error;
}

static int calls(bool barrier)
{
    unsigned words = software ? GROUP_WORDS : TREE_WORDS;
    for (unsigned m = 0; m < members; m++) {
        values[m] = ours(m) ? data[m] : NULL;
        for (unsigned i = 0; i < words; i++)
            data[m][i] = (int32_t)(1000 * m + i);
    }
    if (!barrier)
        return software ? torus_all_reduce(group, TORUS_SUM, values, words)
                        : torus_tree_all_reduce(tree, TORUS_SUM, values, words);
    int error = TORUS_OK;
    for (unsigned i = 0; i < BARRIERS && error == TORUS_OK; i++)
        error = torus_tree_barrier(tree);
    return error;
}

static bool right(void)
{
    unsigned words = software ? GROUP_WORDS : TREE_WORDS;
    for (unsigned m = 0; m < members; m++)
        for (unsigned i = 0; i < words && ours(m); i++)
            if ((unsigned)data[m][i] != 1000 * (members * (members - 1) / 2) + members * i)
                return false;
    return true;
}

static bool reason_given(int error)
{
    static const char *const words[] = {
        "no answer",     "not configured",         "is broken",     "begun anew",
        "nothing moves", "nothing comes",          "takes nothing", "a link on the way",
        "is closed",     "closed by the other end"};
    bool good = error == TORUS_E_FAILED || error == TORUS_E_TIMEOUT || error == TORUS_E_UNKNOWN;
    for (unsigned i = 0; i < sizeof words / sizeof *words && good; i++)
        if (strstr(torus_detail(t), words[i]))
            return true;
    return false;
}

// What happens meanwhile ends it with an error that says so, in time, or comes too late. False: it
// came too late.
static bool fails(bool barrier)
{
    double began = now();
    int error = calls(barrier);
    double took = now() - began;
    printf("# %.2f s: error %d, %s\n", took, error, error ? torus_detail(t) : "none");
    if (error == TORUS_OK) {
        result(barrier || right(), "it is done: right");
        return false;
    }
    result(reason_given(error), "an error that says why");
    result(took < PATIENCE, "in time");
    began = now();
    result(calls(barrier) != TORUS_OK, "the next call: an error");
    result(now() - began < PATIENCE, "in time");
    return true;
}

// ---- What is done about it ----------------------------------------------------------------------

static bool around(void)
{
    struct torus_preset preset = torus_preset_default(TORUS_OFR);
    struct torus_table table;
    struct torus_destination *list = NULL;
    unsigned none = 0, count = 0;
    int error = torus_discover(later);
    if (error == TORUS_E_MISCABLED && torus_gaps(later))
        error = TORUS_OK;
    if (error == TORUS_OK)
        error = torus_preset_here(later, &preset, &table);
    if (error == TORUS_OK)
        error = torus_around(later, &table, &list, &count, &none);
    if (error == TORUS_OK) {
        table.destinations = list;
        table.destination_count = count;
        error = count ? torus_program_table(later, &table) : torus_program(later, &preset);
    }
    free(list);
    if (error != TORUS_OK)
        printf("# %s\n", torus_detail(later));
    return error == TORUS_OK && !none;
}

// The same boards, in a new group.
static void again(bool barrier)
{
    struct torus *first = t;
    uint8_t k[3], at[MOST][3];
    t = later;
    torus_sizes(t, k);
    for (unsigned m = 0; m < members; m++)
        torus_node_at(k, m, at[m]);
    if (!software)
        result(torus_tree_clear(t, (const uint8_t(*)[3])at, members) == TORUS_OK, "cleared");
    result(all_free(), "all ends are free");
    two = false;
    bool opened = opens(false);
    result(opened, "a new group");
    if (opened) {
        result(calls(barrier) == TORUS_OK && (barrier || right()), "works");
        result(closes() == TORUS_OK && all_free(), "closed, and all ends are free");
    }
    t = first;
}

// ---- The other process --------------------------------------------------------------------------

enum { OPEN = 'o', CALL = 'c', CLOSE = 'x' };
static int to_other, from_other;

static char heard(int fd)
{
    char byte = 0;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    return poll(&wait, 1, 120000) == 1 && read(fd, &byte, 1) == 1 ? byte : 0;
}

static bool say(int fd, char byte)
{
    return write(fd, &byte, 1) == 1;
}

// At the last board, for the second half of the members: y: as it must be, l: it came too late.
static int other(int in, int out)
{
    bool good = true, late = false;
    t = at_board(members - 1, calm ? 60 : answer, false);
    for (char order; (order = heard(in)) != 0;) {
        if (order == OPEN) {
            good = torus_attach(t) == TORUS_OK && opens(true);
        } else if (order == CALL) {
            double began = now();
            int error = calls(false);
            printf("# the other one: %.2f s: error %d, %s\n", now() - began, error,
                   error ? torus_detail(t) : "none");
            late = error == TORUS_OK;
            good = late ? right() : reason_given(error) && now() - began < PATIENCE;
        } else if (order == CLOSE) {
            int error = calm ? TORUS_OK : torus_attach(t); // what it knew may be gone
            if (error == TORUS_OK)
                error = closes();
            good = calm || late || error == TORUS_OK;
            if (!good)
                printf("# the other one: %s\n", torus_detail(t));
        }
        if (!say(out, (char)(!good ? 'n' : late ? 'l' : 'y')))
            break;
    }
    torus_close(t);
    return 0;
}

static pid_t fork_other(void)
{
    int there[2], back[2];
    for (unsigned m = 0; m < members; m++)
        acts[m] = m >= members / 2;
    if (pipe(there) || pipe(back))
        return -1;
    pid_t pid = fork();
    if (!pid) {
        close(there[1]);
        close(back[0]);
        _exit(other(there[0], back[1]));
    }
    close(there[0]);
    close(back[1]);
    to_other = there[1];
    from_other = back[0];
    for (unsigned m = 0; m < members; m++)
        acts[m] = !acts[m];
    return pid;
}

// ---- All of it ----------------------------------------------------------------------------------

static uint32_t cycle_of(struct torus *board)
{
    uint32_t value = 0;
    torus_read(board, NULL, OFR_NODE_TIME, &value);
    return value;
}

// It has, where it comes too late for the call. One of the two boards may have begun anew.
static void await(void)
{
    for (unsigned i = 0; i < LOOKS && cycle_of(t) < when + 64 && cycle_of(later) < when + 64; i++)
        ;
}

static void nothing_happens(bool barrier)
{
    uint32_t from = cycle_of(t);
    bool good = (!two || say(to_other, CALL)) && calls(barrier) == TORUS_OK &&
                (barrier || right()) && (!two || heard(from_other) == 'l');
    printf("# cycles %u %u\n", from, cycle_of(t));
    result(good, "done");
    good = !two || (say(to_other, CLOSE) && heard(from_other) != 'n');
    result(closes() == TORUS_OK && good, "closed");
}

static void something_happens(bool barrier)
{
    bool good = !two || say(to_other, CALL), failed = fails(barrier);
    char said = two ? heard(from_other) : 'y';
    if (two)
        result(good && (said == 'y' || said == 'l'), "the other one: likewise");
    await();
    if (!software) {
        double began = now();
        closes(); // what answers
        result(now() - began < PATIENCE, "the group is left, in time");
    }
    result(around(), "programmed around what is missing");
    if (two)
        result(say(to_other, CLOSE) && heard(from_other) != 'n', "the other one closes its part");
    if (software) // what came too late, it meets here; and what it knew may be gone
        result((torus_attach(t) == TORUS_OK && closes() == TORUS_OK) || !failed,
               "the group is closed");
    again(barrier);
}

// So that what is silent is found out soon.
static bool ticks_fast(void)
{
    uint8_t k[3], at[3];
    int error = torus_lease(t, 0);
    torus_sizes(t, k);
    for (unsigned m = 0; m < members && error == TORUS_OK; m++) {
        torus_node_at(k, m, at);
        error = torus_write(t, at, OFR_CHANNEL_CONTROL, TICK);
    }
    return error == TORUS_OK && torus_release(t) == TORUS_OK;
}

int main(int argc, char **argv)
{
    uint8_t k[3];
    pid_t pid = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 4 || (strcmp(argv[2], "barrier") && strcmp(argv[2], "sum") &&
                     strcmp(argv[2], "group") && strcmp(argv[2], "groups"))) {
        fprintf(stderr, "fault_calls: wrong use: DIR barrier|sum|group|groups calm|CYCLE\n");
        return 2;
    }
    folder = argv[1];
    subject = argv[2];
    calm = !strcmp(argv[3], "calm");
    when = (uint32_t)strtoul(argv[3], NULL, 10);
    bool barrier = !strcmp(subject, "barrier");
    software = subject[0] == 'g';
    two = !strcmp(subject, "groups");
    signal(SIGPIPE, SIG_IGN);
    t = at_board(0, calm ? 60 : answer, false);
    if (torus_attach(t) != TORUS_OK) {
        fprintf(stderr, "fault_calls: %s\n", torus_detail(t));
        return 2;
    }
    torus_sizes(t, k);
    members = (unsigned)k[0] * k[1] * k[2];
    if (members > MOST)
        return 2;
    later = at_board(1, 60, true);
    if (two)
        pid = fork_other();
    bool opened =
        ticks_fast() && opens(false) && (!two || (say(to_other, OPEN) && heard(from_other) == 'y'));
    result(opened, "a group");
    if (opened && calm)
        nothing_happens(barrier);
    else if (opened)
        something_happens(barrier);
    if (two) {
        close(to_other);
        waitpid(pid, NULL, 0);
    }
    torus_close(t);
    torus_close(later);
    printf("1..%d\n", number);
    return failures != 0;
}
