// SPDX-License-Identifier: Apache-2.0
// libtorus' messages and collectives, on boards 2x2 with sockets argv[1]/boardN.sock, as calls;
// every result is compared with what it must be. Then with two more processes at other boards,
// which act for members, too. argv[2]: largest message in bytes; argv[3]: of a few more, 0: none;
// argv[4]: only `messages`, `groups`, `others` or `few`. TAP.
#define _GNU_SOURCE
#include <libtorus.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char subject[] = "messages";
#include "calls.h"
#include "left.h"
#include "now.h"

enum { MEMBERS = 4, MOST = 1 << 21 };

static const struct torus_end a = {{0, 0, 0}, 6}, b = {{1, 0, 0}, 7}, // a to b
    c = {{1, 1, 0}, 6}, d = {{0, 1, 0}, 7};                           // c to d
static uint8_t bytes_out[MOST], bytes_in[MOST];

// ---- Messages -----------------------------------------------------------------------------------

// A message of so many bytes goes there, and comes as it was.
static bool passes(const struct torus_end *from, const struct torus_end *to, size_t bytes)
{
    struct torus_message m[2] = {
        {.end = *from, .data = bytes_out, .bytes = bytes, .other = 1},
        {.end = *to, .take = true, .data = bytes_in, .bytes = sizeof bytes_in, .other = 0}};
    fill(bytes_out, bytes, 1);
    memset(bytes_in, 0, bytes);
    return torus_messages(t, m, 2, 60) == TORUS_OK && m[0].whole && m[1].whole &&
           m[0].moved == bytes && m[1].moved == bytes && memcmp(bytes_in, bytes_out, bytes) == 0;
}

static bool both_ways(size_t bytes)
{
    static uint8_t other[4096];
    struct torus_message m[4] = {
        {.end = a, .data = bytes_out, .bytes = bytes, .other = 1},
        {.end = b, .take = true, .data = bytes_in, .bytes = bytes, .other = 0},
        {.end = b, .data = bytes_out, .bytes = bytes, .other = -1}, // who sends is not said
        {.end = a, .take = true, .data = other, .bytes = bytes, .other = -1}};
    fill(bytes_out, bytes, 5);
    return torus_messages(t, m, 4, 60) == TORUS_OK && memcmp(bytes_in, bytes_out, bytes) == 0 &&
           memcmp(other, bytes_out, bytes) == 0;
}

static void messages(size_t largest, size_t large)
{
    struct torus_message twice[2] = {{.end = a, .data = bytes_out, .bytes = 1, .other = -1},
                                     {.end = a, .data = bytes_out, .bytes = 1, .other = -1}};
    struct torus_end outside = {{2, 0, 0}, 0}, none = {{1, 0, 0}, 8};
    size_t n = 0;
    bool good = true;
    says(torus_message_send(t, &outside, "x", 1, 1), TORUS_E_USAGE, "outside of the torus",
         "a node outside");
    says(torus_message_send(t, &none, "x", 1, 1), TORUS_E_USAGE, "ends 0 to 7",
         "an end that there is not");
    says(torus_message_send(t, &a, "x", 1, 1), TORUS_E_USAGE, "not software's",
         "an end that is not open");
    result(torus_channel_open(t, &a, &b, 60) == TORUS_OK &&
               torus_channel_open(t, &c, &d, 60) == TORUS_OK,
           "two channels are open");
    for (size_t bytes = 0; bytes <= largest && good; bytes++)
        good = passes(&a, &b, bytes);
    result(good, "of every length, one at a time");
    result(both_ways(largest) && both_ways(1), "both ways at once");
    for (size_t bytes = 1; bytes <= large && good; bytes *= 2)
        good = passes(bytes & 0x55555 ? &c : &d, bytes & 0x55555 ? &d : &c, bytes);
    result(good, "long ones, of more than there is room for");
    says(torus_messages(t, twice, 2, 1), TORUS_E_USAGE, "two messages at once",
         "two at once to an end");
    result(torus_message_send(t, &a, bytes_out, 100, 60) == TORUS_OK, "one is sent");
    memset(bytes_in, 0x5a, 100);
    says(torus_message_recv(t, &b, bytes_in, 33, 60, &n), TORUS_E_USAGE, "of 100 bytes has come",
         "and is longer than its room");
    result(n == 100 && memcmp(bytes_in, bytes_out, 33) == 0 && bytes_in[33] == 0x5a &&
               passes(&a, &b, 5),
           "what fits is there, and the next one is whole");
    says(torus_message_recv(t, &b, bytes_in, 8, 0.05, &n), TORUS_E_TIMEOUT, "nothing comes",
         "nothing comes");
    says(torus_message_send(t, &a, bytes_out, 4000, 0.05), TORUS_E_TIMEOUT, "takes nothing",
         "nobody takes");
    result(torus_channel_abort(t, &b) == TORUS_OK, "its other end is aborted");
    says(torus_message_send(t, &a, "x", 1, 60), TORUS_E_FAILED, "aborted, the other end said",
         "it is broken");
    result(torus_channel_close(t, &c, 60) == TORUS_OK, "the other is closed");
    says(torus_message_recv(t, &d, bytes_in, 8, 60, &n), TORUS_E_FAILED, "closed",
         "nothing comes any more");
    torus_channel_abort(t, &a);
}

// ---- Collectives --------------------------------------------------------------------------------

static struct torus_group *group;
static const bool *acts; // NULL: for all

static bool is_ours(unsigned m)
{
    return !acts || acts[m];
}

enum { MOST_WORDS = 1 << 12, KINDS = 6 };
static int32_t words[MEMBERS][MOST_WORDS], sum[MOST_WORDS];
static uint8_t block[MEMBERS][4 * MOST_WORDS], all[MEMBERS * 4 * MOST_WORDS];

static int32_t word(unsigned m, size_t i)
{
    return (int32_t)((m + 1) * 2654435761u * (uint32_t)(i + 3));
}

static int32_t reduced(enum torus_reduction operation, size_t i)
{
    int32_t r = word(0, i);
    for (unsigned m = 1; m < MEMBERS; m++) {
        int32_t w = word(m, i);
        r = operation == TORUS_SUM   ? (int32_t)((uint32_t)r + (uint32_t)w)
            : operation == TORUS_MIN ? (w < r ? w : r)
            : operation == TORUS_MAX ? (w > r ? w : r)
                                     : r | w;
    }
    return r;
}

// One collective of `size` bytes or words. *error: what it returned; false: or the result is wrong.
static bool collective(unsigned kind, unsigned root, enum torus_reduction operation, size_t size,
                       int *error)
{
    void *data[MEMBERS] = {NULL};
    int32_t *values[MEMBERS] = {NULL};
    bool good = true;
    for (unsigned m = 0; m < MEMBERS; m++) {
        if (!is_ours(m))
            continue;
        data[m] = block[m];
        values[m] = words[m];
        for (size_t i = 0; i < size; i++) {
            words[m][i] = word(m, i);
            block[m][i] = (uint8_t)(kind == 1 && m != root ? 0 : m + i);
        }
    }
    for (size_t i = 0; i < MEMBERS * size; i++)
        all[i] = kind == 4 ? (uint8_t)(i / size * 3 + i % size) : 0;
    switch (kind) {
    case 0:
        *error = torus_barrier(group);
        break;
    case 1:
        *error = torus_broadcast(group, root, data, size);
        break;
    case 2:
        *error = torus_reduce(group, root, operation, values, sum, size);
        break;
    case 3:
        *error = torus_all_reduce(group, operation, values, size);
        break;
    case 4:
        *error = torus_scatter(group, root, all, data, size);
        break;
    default:
        *error = torus_gather(group, root, data, all, size);
    }
    for (unsigned m = 0; m < MEMBERS && !*error; m++)
        for (size_t i = 0; i < size && is_ours(m); i++) {
            good &= kind != 1 || block[m][i] == (uint8_t)(root + i);
            good &= kind != 2 || m != root || sum[i] == reduced(operation, i);
            good &= kind != 2 || words[m][i] == word(m, i); // as they were
            good &= kind != 3 || words[m][i] == reduced(operation, i);
            good &= kind != 4 || block[m][i] == (uint8_t)(m * 3 + i);
        }
    for (size_t i = 0; i < MEMBERS * size && kind == 5 && is_ours(root) && !*error; i++)
        good &= all[i] == (uint8_t)(i / size + i % size);
    return good && !*error;
}

static const char *const kinds[KINDS] = {"barrier",    "broadcast", "reduce",
                                         "all-reduce", "scatter",   "gather"};

static void collectives(size_t largest)
{
    static const size_t sizes[] = {0, 1, 5, 37};
    char name[64];
    int error;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        bool good = true;
        for (unsigned root = 0; root < (kind && kind != 3 ? MEMBERS : 1); root++)
            for (unsigned i = 0; i < 4 && good; i++)
                for (int o = 0; o < (kind == 2 || kind == 3 ? 4 : 1) && good; o++)
                    good = collective(kind, root, (enum torus_reduction)o,
                                      i && root == 2 ? largest : sizes[i], &error);
        snprintf(name, sizeof name, "%s: of every root and operation", kinds[kind]);
        result(good, name);
    }
    bool good = true;
    for (unsigned pair = 0; pair < KINDS * KINDS && good; pair++)
        good = collective(pair / KINDS, pair % MEMBERS, TORUS_SUM, 3, &error) &&
               collective(pair % KINDS, pair / MEMBERS % MEMBERS, TORUS_MAX, 9, &error);
    result(good, "every pair of collectives, in every order");
    says(torus_broadcast(group, 4, NULL, 0), TORUS_E_USAGE, "members are 0 to 3", "no such root");
    says(torus_broadcast(group, 0, NULL, 1), TORUS_E_USAGE, "has no data", "no data");
    says(torus_reduce(group, 0, (enum torus_reduction)4, NULL, NULL, 0), TORUS_E_USAGE, "reduction",
         "no such operation");
    says(torus_gather(group, 0, (void *[]){all, all, all, all}, NULL, 1), TORUS_E_USAGE,
         "no memory for the data of all", "no room at the root");
    result(collective(0, 0, TORUS_SUM, 0, &error), "which has broken nothing");
}

static void groups(size_t largest)
{
    static const uint8_t order[3][3] = {{1, 1, 0}, {0, 0, 0}, {1, 0, 0}},
                         twice[2][3] = {{1, 1, 0}, {1, 1, 0}}, outside[1][3] = {{0, 2, 0}};
    struct torus_group_options o = torus_group_options_default();
    struct torus_group *g;
    int32_t one = 1, two = 2, three = 3;
    o.end = 14;
    says(torus_group_open(&g, t, &o, NULL, 0), TORUS_E_USAGE, "at most 13", "ends beyond the last");
    o.end = 6;
    says(torus_group_open(&g, t, &o, NULL, 0), TORUS_E_USAGE, "ends 0 to 7",
         "ends that boards do not have");
    result(all_free(), "and nothing is left open");
    says(torus_group_open(&g, t, NULL, twice, 2), TORUS_E_USAGE, "twice", "a member twice");
    says(torus_group_open(&g, t, NULL, outside, 1), TORUS_E_USAGE, "outside", "a member outside");
    o.join = true;
    o.end = 0;
    says(torus_group_open(&g, t, &o, NULL, 0), TORUS_E_FAILED, "open the group first",
         "one that nobody has opened cannot be joined");
    result(torus_group_open(&group, t, NULL, NULL, 0) == TORUS_OK, "one of all boards");
    says(torus_group_open(&g, t, NULL, order, 3), TORUS_E_BOARD, "busy",
         "another of the same ends");
    collectives(largest);
    o.join = false;
    o.end = 3;
    result(torus_group_open(&g, t, &o, order, 3) == TORUS_OK, "another one beside it");
    result(torus_all_reduce(g, TORUS_SUM, (int32_t *[]){&one, &two, &three}, 1) == TORUS_OK &&
               one == 6 && two == 6 && three == 6,
           "of three, in another order");
    struct torus_end its = {{1, 1, 0}, 4};
    result(torus_channel_abort(t, &its) == TORUS_OK, "a channel of it is aborted");
    says(torus_barrier(g), TORUS_E_FAILED, "aborted", "that breaks it");
    says(torus_barrier(g), TORUS_E_FAILED, "the group is broken", "and it stays broken");
    result(torus_group_close(g) == TORUS_OK, "until it is closed");
    result(torus_barrier(group) == TORUS_OK && torus_group_close(group) == TORUS_OK && all_free(),
           "the first one is none the worse, and closed; nothing is left open");
    group = NULL;
}

// ---- Other processes ----------------------------------------------------------------------------

// What one is told to do, and what has become of that.
struct order {
    unsigned kind, root, pause_ms; // kind KINDS: joins the group; KINDS + 1: leaves it; + 2: ends
    size_t size;
};
struct reply {
    int error;
    bool good;
    double began, ended;
    char detail[240];
};
enum { OTHERS = 2 };
static int to_other[OTHERS], from_other[OTHERS];

static bool read_all(int fd, void *to, size_t bytes)
{
    for (size_t n = 0; n < bytes;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        ssize_t got = poll(&wait, 1, 120000) == 1 ? read(fd, (char *)to + n, bytes - n) : 0;
        if (got <= 0)
            return false;
        n += (size_t)got;
    }
    return true;
}

// Of process 0, this one, and the others; the last one has a member of its own.
static struct torus_group_options share(unsigned process)
{
    static const bool which[OTHERS + 1][MEMBERS] = {
        {true, false, false, false}, {false, true, true, false}, {false, false, false, true}};
    struct torus_group_options o = torus_group_options_default();
    o.acts = acts = which[process];
    o.join = process > 0;
    o.seconds = 8;
    return o;
}

static int serve(unsigned process, const char *where, int in, int out)
{
    struct order order;
    int error = torus_open(&t, where, NULL);
    bool attached = false; // only once it is told something: others may be slow
    while (read_all(in, &order, sizeof order) && order.kind != KINDS + 2) {
        struct torus_group_options o = share(process);
        struct reply reply = {.error = error};
        poll(NULL, 0, (int)order.pause_ms);
        if (error == TORUS_OK && !attached)
            error = reply.error = torus_attach(t);
        attached = true;
        reply.began = now();
        if (!error && order.kind < KINDS)
            reply.good = collective(order.kind, order.root, TORUS_SUM, order.size, &reply.error);
        else if (!error)
            reply.error = order.kind == KINDS ? torus_group_open(&group, t, &o, NULL, 0)
                                              : torus_group_close(group);
        reply.ended = now();
        snprintf(reply.detail, sizeof reply.detail, "%s", torus_detail(t));
        if (write(out, &reply, sizeof reply) != sizeof reply)
            break;
    }
    torus_close(t);
    return 0;
}

// The last one waits before.
static bool tell(unsigned kind, unsigned root, size_t size, unsigned pause_ms)
{
    bool good = true;
    for (unsigned i = 0; i < OTHERS; i++) {
        struct order order = {kind, root, i == OTHERS - 1 ? pause_ms : 0, size};
        good &= write(to_other[i], &order, sizeof order) == sizeof order;
    }
    return good;
}

// What has become of all: the last one's beginning, the first one's end. An error is all others' or
// -1.
static bool hear(struct reply *all_of_them)
{
    bool heard = true;
    for (unsigned i = 0; i < OTHERS; i++) {
        struct reply r = {.error = -1};
        heard &= read_all(from_other[i], &r, sizeof r);
        if (r.error)
            printf("# another: error %d, %s\n", r.error, r.detail);
        if (!i)
            *all_of_them = r;
        all_of_them->good &= r.good;
        all_of_them->error = r.error == all_of_them->error ? r.error : -1;
        all_of_them->began = r.began > all_of_them->began ? r.began : all_of_them->began;
        all_of_them->ended = r.ended < all_of_them->ended ? r.ended : all_of_them->ended;
        if (strstr(r.detail, "do not do the same"))
            snprintf(all_of_them->detail, sizeof r.detail, "%s", r.detail);
    }
    return heard;
}

static bool told(const struct reply *reply, const char *words)
{
    return reply->error == TORUS_E_FAILED && strstr(reply->detail, words);
}

static bool open_both(void)
{
    struct torus_group_options o = share(0);
    struct reply reply;
    return torus_group_open(&group, t, &o, NULL, 0) == TORUS_OK && tell(KINDS, 0, 0, 0) &&
           hear(&reply) && !reply.error;
}

static bool close_both(void)
{
    struct reply reply;
    bool good = tell(KINDS + 1, 0, 0, 0) && torus_group_close(group) == TORUS_OK && hear(&reply) &&
                !reply.error;
    group = NULL;
    return good;
}

static void processes(void)
{
    struct reply reply;
    int error;
    bool good = true;
    bool opened = open_both();
    result(opened, "a group of three processes");
    if (!opened)
        return;
    for (unsigned kind = 0; kind < KINDS && good; kind++)
        for (unsigned root = 0; root < MEMBERS && good; root++)
            good = tell(kind, root, 50, 0) && collective(kind, root, TORUS_SUM, 50, &error) &&
                   hear(&reply) && reply.good;
    result(good, "every collective, of every root");
    good = tell(0, 0, 0, 400) && collective(0, 0, TORUS_SUM, 0, &error);
    result(good && hear(&reply) && reply.good && reply.ended >= reply.began,
           "nobody leaves a barrier before the last has come to it");
    result(close_both() && all_free(), "it is closed, and nothing left open");

    opened = open_both();
    result(opened && tell(0, 0, 0, 0), "one more: the others do a barrier");
    if (!opened)
        return;
    good = collective(1, 0, TORUS_SUM, 8, &error);
    result(hear(&reply) && told(&reply, "do not do the same"),
           "while this one broadcasts: they have an error");
    if (good) // what it had to do was done: it sent
        error = torus_barrier(group);
    result(error == TORUS_E_FAILED, "and this one, if not before, in its next call");
    result(close_both() && all_free(), "and nothing is left open");

    // Long before the other one's patience is at its end.
    struct torus_group_options o = share(0);
    o.seconds = 1;
    opened = torus_group_open(&group, t, &o, NULL, 0) == TORUS_OK && tell(KINDS, 0, 0, 0) &&
             hear(&reply) && !reply.error;
    result(opened, "one more: the others do nothing");
    if (!opened)
        return;
    says(torus_barrier(group), TORUS_E_TIMEOUT, "nothing comes", "this one has an error, in time");
    double began = now();
    result(tell(0, 0, 0, 0) && hear(&reply) && told(&reply, "aborted") && now() - began < 6,
           "and the others, as soon as they do something");
    result(close_both() && all_free(), "and nothing is left open");
    acts = NULL;
}

// A little of it, for boards that are slow to simulate.
static void few(void)
{
    int error;
    result(torus_group_open(&group, t, NULL, NULL, 0) == TORUS_OK, "a group");
    if (!group)
        return;
    result(collective(3, 0, TORUS_SUM, 6, &error), "all-reduce");
    result(collective(4, 2, TORUS_SUM, 9, &error), "scatter");
    result(torus_group_close(group) == TORUS_OK, "closed");
}

static pid_t fork_other(unsigned process, const char *folder)
{
    int there[2], back[2];
    char where[200];
    snprintf(where, sizeof where, "unix:%s/board%u.sock", folder, process);
    if (pipe(there) || pipe(back))
        return -1;
    pid_t pid = fork();
    if (!pid) {
        for (unsigned i = 0; i + 1 < process; i++)
            close(to_other[i]);
        close(there[1]);
        close(back[0]);
        _exit(serve(process, where, there[0], back[1]));
    }
    close(there[0]);
    close(back[1]);
    to_other[process - 1] = there[1];
    from_other[process - 1] = back[0];
    return pid;
}

int main(int argc, char **argv)
{
    char where[200];
    pid_t other[OTHERS];
    const char *only = argc > 4 ? argv[4] : "";
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 4)
        return 2;
    snprintf(where, sizeof where, "unix:%s/board0.sock", argv[1]);
    signal(SIGPIPE, SIG_IGN);
    for (unsigned i = 0; i < OTHERS; i++)
        other[i] = fork_other(i + 1, argv[1]);
    int error = torus_open(&t, where, NULL);
    if (error == TORUS_OK)
        error = torus_attach(t);
    if (error != TORUS_OK) {
        fprintf(stderr, "message_calls: %s\n", t ? torus_detail(t) : "no memory");
        torus_close(t);
        return 2;
    }
    size_t largest = strtoul(argv[2], NULL, 10), large = strtoul(argv[3], NULL, 10);
    if (!*only || !strcmp(only, "messages"))
        messages(largest < 4096 ? largest : 4096, large < MOST ? large : MOST);
    if (!*only || !strcmp(only, "groups"))
        groups(largest < MOST_WORDS ? largest : MOST_WORDS);
    if (!*only || !strcmp(only, "others"))
        processes();
    if (!strcmp(only, "few"))
        few();
    for (unsigned i = 0; i < OTHERS; i++) {
        close(to_other[i]);
        waitpid(other[i], NULL, 0);
    }
    printf("1..%d\n", number);
    torus_close(t);
    return failures != 0;
}
