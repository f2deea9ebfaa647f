// SPDX-License-Identifier: Apache-2.0
// Text traces of liballprof (LogGOPSim's tracer), a file a rank: FILE is that of rank 0, with one
// "-0" in its name, the others' have their rank there. A line a call,
//   MPI_Name:START:arguments of the C call:END
// times in us; a datatype as NUMBER,SIZE[,...]; a communicator as NUMBER,RANK,SIZE. What passes
// between two calls is computation; a call waits for all before it, but for what MPI_Isend and
// MPI_Irecv began, which is waited for by MPI_Wait and MPI_Waitall (requests 8 bytes apart, as in
// Open MPI). Collectives are those of collective.h. Taken are the calls listed below, on
// communicators of all ranks; others that send are refused, the rest takes its time.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "app/collective.h"
#include "app/read.h"

enum { MAX_FIELDS = 16, REQUEST_BYTES = 8 };

struct request {
    uint64_t at;
    uint32_t op;
};

struct trace {
    struct net_reader *reader;
    struct net_application *app;
    uint32_t rank;
    uint32_t last; // what the next one waits for; NET_NO_OP: nothing
    double now;    // us; the end of the call before
    bool begun;
    struct request *open;
    size_t opened, room;
    char *field[MAX_FIELDS];
    unsigned fields;
    // Of a collective: the step at hand, its first operation
    unsigned step;
    uint32_t first;
};

enum { COLLECTIVE = 1u << 30 }; // bit of the tags of collectives

// Adds an operation that waits for the last one; not `behind` it if it is to go on beside.
static bool add(struct trace *t, struct net_op op, uint32_t *number)
{
    op.rank = t->rank;
    return net_read_op(t->reader, t->app, op, number) &&
           (t->last == NET_NO_OP || net_read_after(t->reader, t->app, *number, t->last, false));
}

// A number at the start of text, up to `most`; what comes behind it must be its end or one of
// `behind`.
static uint64_t number_in(struct trace *t, const char *text, const char *behind, uint64_t most)
{
    char *at = (char *)text;
    uint64_t value = 0;
    if (!net_read_number(&at, most, &value) || (*at && !strchr(behind, *at)))
        net_reader_wrong(t->reader, "`%.20s' should be a number up to %llu", text,
                         (unsigned long long)most);
    return value;
}

// Of a request, or of several of which this is the first.
static uint64_t request_of(struct trace *t, unsigned field)
{
    return number_in(t, t->field[field], ",", UINT64_MAX);
}

static unsigned rank_of(struct trace *t, unsigned field)
{
    uint64_t rank = number_in(t, t->field[field], "", UINT64_MAX);
    if (rank >= t->app->ranks)
        net_reader_wrong(t->reader, "there is no rank %s", t->field[field]);
    return (unsigned)rank;
}

// count times the size of the datatype in the field behind it.
static uint64_t bytes_of(struct trace *t, unsigned count)
{
    const char *comma = strchr(t->field[count + 1], ',');
    if (!comma)
        net_reader_wrong(t->reader, "datatype `%.20s' should be NUMBER,SIZE", t->field[count + 1]);
    uint64_t items = number_in(t, t->field[count], "", INT32_MAX);
    uint64_t size = comma ? number_in(t, comma + 1, ",", INT32_MAX) : 0;
    if (items * size > INT32_MAX)
        net_reader_wrong(t->reader, "more than 2147483647 bytes");
    return items * size;
}

static void check_communicator(struct trace *t, unsigned field)
{
    const char *rank = strchr(t->field[field], ','), *last = strrchr(t->field[field], ',');
    bool whole = rank && rank != last && strspn(rank + 1, "0123456789,") == strlen(rank + 1) &&
                 strtoull(last + 1, NULL, 10) == t->app->ranks;
    if (!whole)
        net_reader_wrong(t->reader, "communicator `%.40s' is not one of all %u ranks",
                         t->field[field], t->app->ranks);
    else if (strtoull(rank + 1, NULL, 10) != t->rank)
        net_reader_wrong(t->reader, "communicator `%.40s': this is the file of rank %u",
                         t->field[field], t->rank);
}

// A rank and the tag behind it.
static struct net_op message(struct trace *t, enum net_op_kind kind, unsigned field, uint64_t bytes)
{
    uint64_t peer = 0, tag = 0;
    if (*t->field[field] == '-' || *t->field[field + 1] == '-')
        net_reader_wrong(t->reader, "rank %s, tag %s: both must be known", t->field[field],
                         t->field[field + 1]);
    else {
        peer = rank_of(t, field);
        tag = number_in(t, t->field[field + 1], "", COLLECTIVE - 1);
    }
    return (struct net_op){.kind = (uint8_t)kind,
                           .peer = (uint32_t)peer,
                           .amount = kind == NET_OP_SEND ? bytes : 0,
                           .tag = tag};
}

static void open_request(struct trace *t, uint64_t at, uint32_t op)
{
    if (t->opened == t->room) {
        size_t more = t->room ? 2 * t->room : 64;
        struct request *larger = realloc(t->open, more * sizeof *larger);
        if (!larger) {
            net_reader_wrong(t->reader, "out of memory");
            return;
        }
        t->open = larger;
        t->room = more;
    }
    t->open[t->opened++] = (struct request){at, op};
}

// A join waits for the last operation and for what these requests began.
static void wait_for(struct trace *t, uint64_t at, uint64_t count)
{
    uint32_t join;
    if (count > UINT32_MAX / REQUEST_BYTES || !add(t, (struct net_op){.kind = NET_OP_CALC}, &join))
        return;
    for (size_t i = 0; i < t->opened;)
        if (t->open[i].at >= at && t->open[i].at - at < count * REQUEST_BYTES) {
            net_read_after(t->reader, t->app, join, t->open[i].op, false);
            t->open[i] = t->open[--t->opened];
        } else {
            i++;
        }
    t->last = join;
}

// What comes then waits for all of the step.
static void join_step(struct trace *t)
{
    uint32_t join, end = t->app->ops;
    if (t->first == end ||
        !net_read_op(t->reader, t->app, (struct net_op){.kind = NET_OP_CALC, .rank = t->rank},
                     &join))
        return;
    for (uint32_t o = t->first; o < end; o++)
        if (!net_read_after(t->reader, t->app, join, o, false))
            return;
    t->last = join;
    t->first = t->app->ops;
}

static void on_step(void *context, unsigned step, bool receive, unsigned peer, uint64_t bytes)
{
    struct trace *t = context;
    uint32_t number;
    if (step != t->step)
        join_step(t);
    t->step = step;
    if (!t->reader->bad)
        add(t,
            (struct net_op){.kind = receive ? NET_OP_RECV : NET_OP_SEND,
                            .peer = peer,
                            .amount = receive ? 0 : bytes,
                            .tag = COLLECTIVE},
            &number);
}

static void collective(struct trace *t, enum net_collective kind, unsigned root, uint64_t out,
                       uint64_t in, unsigned communicator)
{
    check_communicator(t, communicator);
    struct net_collective_call call = {kind, t->rank, t->app->ranks, root, &out, &in, true};
    if (t->reader->bad)
        return;
    t->step = UINT_MAX;
    t->first = t->app->ops;
    net_collective(&call, on_step, t);
    join_step(t);
}

enum call {
    SEND,
    RECV,
    ISEND,
    IRECV,
    SENDRECV,
    WAIT,
    WAITALL,
    BARRIER,
    BCAST,
    REDUCE,
    ALLREDUCE,
    GATHER,
    SCATTER,
    ALLGATHER,
    ALLTOALL,
    SCAN,
    LOCAL,
    CALLS,
};

// fields: between the name and END, START included
static const struct {
    const char *name;
    enum call call;
    unsigned fields;
} calls[] = {
    {"MPI_Send", SEND, 7},           {"MPI_Ssend", SEND, 7},
    {"MPI_Rsend", SEND, 7},          {"MPI_Recv", RECV, 8},
    {"MPI_Isend", ISEND, 8},         {"MPI_Irecv", IRECV, 8},
    {"MPI_Sendrecv", SENDRECV, 13},  {"MPI_Wait", WAIT, 3},
    {"MPI_Waitall", WAITALL, 4},     {"MPI_Barrier", BARRIER, 2},
    {"MPI_Bcast", BCAST, 6},         {"MPI_Reduce", REDUCE, 8},
    {"MPI_Allreduce", ALLREDUCE, 7}, {"MPI_Gather", GATHER, 9},
    {"MPI_Scatter", SCATTER, 9},     {"MPI_Allgather", ALLGATHER, 8},
    {"MPI_Alltoall", ALLTOALL, 8},   {"MPI_Scan", SCAN, 7},
    {"MPI_Init", LOCAL, 0},          {"MPI_Init_thread", LOCAL, 0},
    {"MPI_Initialized", LOCAL, 0},   {"MPI_Finalize", LOCAL, 0},
    {"MPI_Comm_rank", LOCAL, 0},     {"MPI_Comm_size", LOCAL, 0},
    {"MPI_Get_count", LOCAL, 0},     {"MPI_Get_processor_name", LOCAL, 0},
    {"MPI_Wtime", LOCAL, 0},
};

static void do_call(struct trace *t, enum call call)
{
    uint32_t send, recv;
    switch (call) {
    case SEND:
    case ISEND:
        check_communicator(t, 6);
        if (!t->reader->bad && add(t, message(t, NET_OP_SEND, 4, bytes_of(t, 2)), &send)) {
            if (call == ISEND)
                open_request(t, request_of(t, 7), send);
            else
                t->last = send;
        }
        break;
    case RECV:
    case IRECV:
        check_communicator(t, 6);
        if (!t->reader->bad && add(t, message(t, NET_OP_RECV, 4, 0), &recv)) {
            if (call == IRECV)
                open_request(t, request_of(t, 7), recv);
            else
                t->last = recv;
        }
        break;
    case SENDRECV:
        check_communicator(t, 11);
        if (!t->reader->bad && add(t, message(t, NET_OP_SEND, 4, bytes_of(t, 2)), &send) &&
            add(t, message(t, NET_OP_RECV, 9, 0), &recv)) {
            uint64_t none = UINT64_MAX - 2 * REQUEST_BYTES;
            open_request(t, none, send);
            open_request(t, none + REQUEST_BYTES, recv);
            wait_for(t, none, 2);
        }
        break;
    case WAIT:
        wait_for(t, request_of(t, 1), 1);
        break;
    case WAITALL:
        wait_for(t, request_of(t, 2), number_in(t, t->field[1], "", UINT32_MAX));
        break;
    case BARRIER:
        collective(t, NET_BARRIER, 0, 0, 0, 1);
        break;
    case BCAST:
        collective(t, NET_BROADCAST, rank_of(t, 4), bytes_of(t, 2), 0, 5);
        break;
    case REDUCE:
        collective(t, NET_REDUCE, rank_of(t, 6), bytes_of(t, 3), 0, 7);
        break;
    case ALLREDUCE:
        collective(t, NET_ALLREDUCE, 0, bytes_of(t, 3), 0, 6);
        break;
    case GATHER:
    case SCATTER: // what every rank but the root gives or gets
        collective(t, call == GATHER ? NET_GATHER : NET_SCATTER, rank_of(t, 7),
                   bytes_of(t, call == GATHER ? 2 : 5), bytes_of(t, call == GATHER ? 2 : 5), 8);
        break;
    case ALLGATHER:
    case ALLTOALL:
        collective(t, call == ALLGATHER ? NET_ALLGATHER : NET_ALLTOALL, 0, bytes_of(t, 2),
                   bytes_of(t, 5), 7);
        break;
    case SCAN:
        collective(t, NET_SCAN, 0, bytes_of(t, 3), 0, 6);
        break;
    default:
        break;
    }
}

static bool read_line(struct trace *t)
{
    char *rest = t->reader->line, *word, *name = strsep(&rest, ":");
    unsigned which = 0;
    t->fields = 0;
    while ((word = strsep(&rest, ":")) && t->fields < MAX_FIELDS)
        t->field[t->fields++] = word;
    while (which < sizeof calls / sizeof *calls && strcmp(calls[which].name, name) != 0)
        which++;
    if (which == sizeof calls / sizeof *calls)
        return net_reader_wrong(t->reader, "%.40s is not among the calls that are taken", name);
    enum call call = calls[which].call;
    if (word || t->fields < 2 || (call != LOCAL && t->fields != calls[which].fields + 1))
        return net_reader_wrong(t->reader, "%s with %u fields behind it", name, t->fields);
    // MPI_Init has no start, MPI_Finalize no end.
    const char *start = t->field[0], *end = t->field[t->fields - 1];
    char *behind[2];
    double from = strtod(start, &behind[0]), to = strtod(end, &behind[1]);
    if (*start == '-')
        from = t->begun ? t->now : to;
    if (*end == '-')
        to = from;
    if ((*start != '-' && (behind[0] == start || *behind[0])) ||
        (*end != '-' && (behind[1] == end || *behind[1])))
        return net_reader_wrong(t->reader, "times %.20s and %.20s should be numbers", start, end);
    if (!(from >= 0 && to >= from && to < 1e18) || (t->begun && from < t->now))
        return net_reader_wrong(t->reader, "times %.20s and %.20s do not go on", start, end);
    double ns = t->begun ? (from - t->now) * 1000 : 0;
    if (call == LOCAL && t->begun)
        ns = (to - t->now) * 1000;
    if (ns > 1e15)
        return net_reader_wrong(t->reader, "more than 1e15 ns between two calls");
    t->now = to;
    t->begun = true;
    if (ns > 0) {
        uint32_t calc;
        struct net_op op = {.kind = NET_OP_CALC, .amount = net_read_units(ns)};
        if (!add(t, op, &calc))
            return false;
        t->last = calc;
    }
    do_call(t, call);
    return !t->reader->bad;
}

// All lines of a rank's file, from the one at hand on.
static void read_rank(struct trace *t)
{
    t->last = NET_NO_OP;
    t->begun = false;
    t->opened = 0;
    do {
        const char *line = t->reader->line;
        if (*line && *line != '#')
            read_line(t);
    } while (net_reader_next(t->reader));
    if (t->opened && !t->reader->bad)
        net_reader_wrong(t->reader, "%zu requests are never waited for", t->opened);
}

bool net_read_allprof(struct net_reader *reader, struct net_application **app)
{
    const char *zero = strrchr(reader->path, '/'), *path = reader->path;
    zero = strstr(zero ? zero : path, "-0");
    if (!zero || strstr(zero + 1, "-0"))
        return net_reader_wrong(reader, "this is a trace of liballprof: name the file of rank 0, "
                                        "with one -0 in its name");
    char other[PATH_MAX];
    int head = (int)(zero - path) + 1;
    const char *tail = zero + 1 + strspn(zero + 1, "0");
    uint32_t ranks = 0;
    FILE *file;
    do {
        snprintf(other, sizeof other, "%.*s%u%s", head, path, ++ranks, tail);
        file = fopen(other, "r");
        if (file)
            fclose(file);
    } while (file && ranks < NET_MAX_RANKS);
    *app = net_application_new(ranks);
    if (!*app)
        return net_reader_wrong(reader, "out of memory");
    struct trace t = {.reader = reader, .app = *app};
    read_rank(&t);
    for (t.rank = 1; t.rank < ranks && !reader->bad; t.rank++) {
        struct net_reader next;
        snprintf(other, sizeof other, "%.*s%u%s", head, path, t.rank, tail);
        reader->bad = !net_reader_open(&next, other, reader->wrong, reader->size);
        t.reader = &next;
        if (!reader->bad && net_reader_next(&next))
            read_rank(&t);
        reader->bad = reader->bad || next.bad;
        net_reader_close(&next);
    }
    free(t.open);
    return !reader->bad;
}
