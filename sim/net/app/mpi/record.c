// SPDX-License-Identifier: Apache-2.0
// The recorder: a library that `torussim record` puts before Open MPI's (LD_PRELOAD). It sees a C
// program's calls by MPI's profiling interface, passes them on, and at MPI_Finalize writes what
// this rank did into $TORUSSIM_RECORD/RANK, in torussim's format (read_own.c), with `ranks N'
// before it and
// `# end' behind it.
//
// Between two calls is computation: by the thread's processor time, so that a machine with fewer
// processors than ranks does not show in it; $TORUSSIM_CLOCK `wall': by the wall clock. The time in
// a call is not kept, it is what a replay finds out. A blocking call is waited for; what MPI_Isend
// and MPI_Irecv begin goes on until a wait or a test that finds it ended. Collectives are messages
// as in collective.h. A call that sends and is not among these makes the recording fail; it says so
// in a line and leaves out `# end'.
#if __has_include(<mpi.h>) // else there is nothing to lint
#include <mpi.h>

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/collective.h"

enum { CALC, SEND, RECV };

#define NOTHING    (-1L)
#define COLLECTIVE ((uint64_t)1 << 31) // in a tag; above it is the communicator's number

struct op {
    uint8_t kind;
    int peer;      // in MPI_COMM_WORLD; MPI_ANY_SOURCE: not known yet
    double amount; // ns or bytes
    uint64_t tag;
    long first;     // of `after`
    unsigned count; // how many
};

struct request {
    MPI_Request handle;
    long op;
    bool any; // source or tag become known when it ends
};

struct communicator {
    uint64_t number;
    int rank, size;
    int *world; // per member: its rank in MPI_COMM_WORLD
};

static struct {
    struct op *op;
    long ops, op_room;
    long *after;
    long afters, after_room;
    struct request *request;
    long requests, request_room;
    long last;   // what the next operation waits for; NOTHING: none
    double left; // when the last call ended, ns
    int depth;   // of calls in each other
    int rank, size, key;
    uint64_t numbers; // of communicators made here
    bool on, bad, wall;
} r = {.last = NOTHING};

static double now(void)
{
    struct timespec t;
    clock_gettime(r.wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void fail(const char *what, const char *why)
{
    if (r.on && !r.bad)
        fprintf(stderr, "torussim record: rank %d: %s: %s\n", r.rank, what, why);
    r.bad = true;
}

static bool room(void **at, long count, long *have, size_t size)
{
    if (count < *have)
        return true;
    long more = *have ? 2 * *have : 1024;
    void *larger = realloc(*at, (size_t)more * size);
    if (!larger) {
        fail("recording", "out of memory");
        return false;
    }
    *at = larger;
    *have = more;
    return true;
}

// Adds to what the newest operation waits for.
static void after(long op)
{
    void *at = r.after;
    if (r.bad || op == NOTHING || !room(&at, r.afters, &r.after_room, sizeof *r.after))
        return;
    r.after = at;
    r.after[r.afters++] = op;
    r.op[r.ops - 1].count++;
}

// A new operation, which waits for the last one. Its number.
static long add(struct op op)
{
    void *at = r.op;
    if (r.bad || !room(&at, r.ops, &r.op_room, sizeof *r.op))
        return NOTHING;
    r.op = at;
    op.first = r.afters;
    op.count = 0;
    r.op[r.ops++] = op;
    after(r.last);
    return r.ops - 1;
}

// Every call begins and ends with these.
static void enter(void)
{
    if (r.depth++ || !r.on || r.bad)
        return;
    double ns = now() - r.left;
    if (ns > 0)
        r.last = add((struct op){.kind = CALC, .amount = ns});
}

static void leave(void)
{
    if (--r.depth == 0)
        r.left = now();
}

static bool recording(void)
{
    return r.on && !r.bad && r.depth == 1;
}

// ---- Communicators

static int forget(MPI_Comm comm, int key, void *value, void *extra)
{
    struct communicator *c = value;
    (void)comm;
    (void)key;
    (void)extra;
    free(c->world);
    free(c);
    return MPI_SUCCESS;
}

// To be called by all members of a new communicator. The first one names it.
static void know(MPI_Comm comm)
{
    int inter;
    if (comm == MPI_COMM_NULL || !r.on)
        return;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter) {
        fail("an intercommunicator", "is not recorded");
        return;
    }
    struct communicator *c = calloc(1, sizeof *c);
    MPI_Group group, all;
    PMPI_Comm_rank(comm, &c->rank);
    PMPI_Comm_size(comm, &c->size);
    c->world = malloc((size_t)c->size * sizeof *c->world);
    int *members = malloc((size_t)c->size * sizeof *members);
    for (int i = 0; i < c->size; i++)
        members[i] = i;
    PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Group_translate_ranks(group, c->size, members, all, c->world);
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    free(members);
    // 2^20 ranks that make 2^11 each; tags of 31 bits are below it.
    if (c->rank == 0)
        c->number = r.numbers++ << 20 | (uint64_t)r.rank;
    PMPI_Bcast(&c->number, 1, MPI_UINT64_T, 0, comm);
    if (c->number >= (uint64_t)1 << 31)
        fail("communicators", "one rank made more than 2048");
    PMPI_Comm_set_attr(comm, r.key, c);
}

// NULL: it is not known.
static const struct communicator *known(MPI_Comm comm, const char *call)
{
    void *value;
    int found = 0;
    if (comm != MPI_COMM_NULL)
        PMPI_Comm_get_attr(comm, r.key, &value, &found);
    if (found)
        return value;
    fail(call, "its communicator was made by a call that is not recorded");
    return NULL;
}

// ---- Messages

static double bytes_of(int count, MPI_Datatype type)
{
    int size = 0;
    PMPI_Type_size(type, &size);
    return (double)count * size;
}

static uint64_t tag_of(const struct communicator *c, int tag)
{
    return c->number << 32 | (uint32_t)tag;
}

// A send or receive; NOTHING: none, to or from MPI_PROC_NULL.
static long message(int kind, double bytes, int peer, int tag, MPI_Comm comm, const char *call)
{
    const struct communicator *c = known(comm, call);
    if (!c || peer == MPI_PROC_NULL)
        return NOTHING;
    bool any = peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG;
    return add((struct op){.kind = (uint8_t)kind,
                           .peer = any ? MPI_ANY_SOURCE : c->world[peer],
                           .amount = bytes,
                           .tag = any ? c->number << 32 : tag_of(c, tag)});
}

// What a receive from any was.
static void settle(long op, const MPI_Status *status, MPI_Comm comm, const char *call)
{
    const struct communicator *c = comm == MPI_COMM_NULL ? NULL : known(comm, call);
    if (op == NOTHING || !c || r.op[op].peer != MPI_ANY_SOURCE)
        return;
    r.op[op].peer = c->world[status->MPI_SOURCE];
    r.op[op].tag = tag_of(c, status->MPI_TAG);
}

static void remember(MPI_Request handle, long op)
{
    void *at = r.request;
    if (op == NOTHING || r.bad || !room(&at, r.requests, &r.request_room, sizeof *r.request))
        return;
    r.request = at;
    r.request[r.requests++] =
        (struct request){handle, op, r.op[op].kind == RECV && r.op[op].peer == MPI_ANY_SOURCE};
}

// Communicators of receives from any: by the operation, as a request does not say it.
static struct {
    long op;
    MPI_Comm comm;
} * wild;
static long wilds, wild_room;

static void remember_wild(long op, MPI_Comm comm)
{
    void *at = wild;
    if (op == NOTHING || r.bad || !room(&at, wilds, &wild_room, sizeof *wild))
        return;
    wild = at;
    wild[wilds].op = op;
    wild[wilds++].comm = comm;
}

// A request has ended: the operation that it began. NOTHING: none is known.
static long ended(MPI_Request handle, const MPI_Status *status)
{
    for (long i = r.requests - 1; i >= 0; i--) {
        if (r.request[i].handle != handle)
            continue;
        long op = r.request[i].op;
        for (long w = 0; r.request[i].any && w < wilds; w++)
            if (wild[w].op == op) {
                settle(op, status, wild[w].comm, "MPI_Wait");
                wild[w] = wild[--wilds];
                break;
            }
        r.request[i] = r.request[--r.requests];
        return op;
    }
    return NOTHING;
}

// What comes then waits for these requests.
static void wait_for(int count, const MPI_Request *handles, const MPI_Status *statuses,
                     const int *which)
{
    if (!recording())
        return;
    long join = NOTHING;
    for (int i = 0; i < count; i++) {
        int at = which ? which[i] : i;
        long op = ended(handles[at], &statuses[i]);
        if (op == NOTHING)
            continue;
        if (join == NOTHING)
            join = add((struct op){.kind = CALC});
        after(op);
    }
    if (join != NOTHING)
        r.last = join;
}

struct member {
    const struct communicator *c;
    unsigned step;
    long first;
};

static void join_step(struct member *m)
{
    if (r.bad || m->first == r.ops)
        return;
    long end = r.ops, join = add((struct op){.kind = CALC});
    if (join == NOTHING)
        return;
    r.after[r.afters - 1] = m->first; // instead of what the step itself waited for
    for (long op = m->first + 1; op < end; op++)
        after(op);
    r.last = join;
    m->first = r.ops;
}

static void on_step(void *context, unsigned step, bool receive, unsigned peer, uint64_t bytes)
{
    struct member *m = context;
    if (step != m->step)
        join_step(m);
    m->step = step;
    add((struct op){.kind = receive ? RECV : SEND,
                    .peer = m->c->world[peer],
                    .amount = (double)bytes,
                    .tag = m->c->number << 32 | COLLECTIVE});
}

static void collective(enum net_collective kind, int root, const uint64_t *out, const uint64_t *in,
                       bool same, MPI_Comm comm, const char *call)
{
    if (!recording())
        return;
    const struct communicator *c = known(comm, call);
    if (!c)
        return;
    struct net_collective_call what = {
        kind, (unsigned)c->rank, (unsigned)c->size, (unsigned)root, out, in, same};
    struct member m = {c, UINT_MAX, r.ops};
    if (r.last == NOTHING) // so that a step always waits for something
        r.last = add((struct op){.kind = CALC});
    m.first = r.ops;
    net_collective(&what, on_step, &m);
    join_step(&m);
}

// Of as many parts as the communicator has members.
static void collective_v(enum net_collective kind, int root, const int *counts, MPI_Datatype type,
                         MPI_Comm comm, const char *call)
{
    int size;
    PMPI_Comm_size(comm, &size);
    uint64_t *bytes = calloc((size_t)size, sizeof *bytes);
    for (int i = 0; bytes && i < size; i++)
        bytes[i] = (uint64_t)bytes_of(counts[i], type);
    if (bytes)
        collective(kind, root, bytes, bytes, false, comm, call);
    else
        fail(call, "out of memory");
    free(bytes);
}

// ---- Begin and end

static void begin(void)
{
    const char *folder = getenv("TORUSSIM_RECORD"), *clock = getenv("TORUSSIM_CLOCK");
    r.on = folder && *folder;
    r.wall = clock && !strcmp(clock, "wall");
    PMPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &r.size);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &r.key, NULL);
    know(MPI_COMM_WORLD);
    know(MPI_COMM_SELF);
    r.depth = 0;
    r.left = now();
}

int MPI_Init(int *argc, char ***argv)
{
    int status = PMPI_Init(argc, argv);
    begin();
    return status;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    // Several threads in calls at once have no order.
    int most = required == MPI_THREAD_MULTIPLE ? MPI_THREAD_SERIALIZED : required;
    int status = PMPI_Init_thread(argc, argv, most, provided);
    if (*provided > most)
        *provided = most;
    begin();
    return status;
}

static void write_op(FILE *file, long at)
{
    const struct op *op = &r.op[at];
    if (op->kind == CALC)
        fprintf(file, "calc %.10g", op->amount);
    else if (op->kind == SEND)
        fprintf(file, "send %d %.0f %llu", op->peer, op->amount, (unsigned long long)op->tag);
    else
        fprintf(file, "recv %d %llu", op->peer, (unsigned long long)op->tag);
    bool usual = at == 0 ? op->count == 0 : op->count == 1 && r.after[op->first] == at - 1;
    if (!usual)
        fprintf(file, " after");
    for (unsigned i = 0; !usual && i < op->count; i++)
        fprintf(file, " %ld", r.after[op->first + i]);
    fputc('\n', file);
}

static void write_all(void)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%d", getenv("TORUSSIM_RECORD"), r.rank);
    for (long i = 0; i < r.ops; i++)
        if (r.op[i].kind == RECV && r.op[i].peer == MPI_ANY_SOURCE)
            fail("MPI_Irecv", "from any source, and its end was not seen");
    FILE *file = fopen(path, "w");
    if (file)
        fprintf(file, "ranks %d\nrank %d\n", r.size, r.rank);
    for (long i = 0; file && i < r.ops; i++)
        write_op(file, i);
    if (file && !r.bad)
        fprintf(file, "# end\n");
    bool good = file && !ferror(file);
    if (file && fclose(file))
        good = false;
    if (!good)
        fail(path, strerror(errno));
}

int MPI_Finalize(void)
{
    enter();
    if (r.on)
        write_all();
    r.on = false;
    return PMPI_Finalize();
}

// ---- Calls

// Passes a call on and records it then.
#define CALL(name, parameters, arguments, what)                                                    \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        static const char call[] = "MPI_" #name;                                                   \
        (void)call;                                                                                \
        enter();                                                                                   \
        int status = PMPI_##name arguments;                                                        \
        if (recording()) {                                                                         \
            what;                                                                                  \
        }                                                                                          \
        leave();                                                                                   \
        return status;                                                                             \
    }

#define BLOCKING_SEND(name)                                                                        \
    CALL(name, (const void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm),  \
         (buf, count, type, peer, tag, comm),                                                      \
         long op = message(SEND, bytes_of(count, type), peer, tag, comm, call);                    \
         r.last = op == NOTHING ? r.last : op)
BLOCKING_SEND(Send)
BLOCKING_SEND(Ssend)
BLOCKING_SEND(Rsend)
BLOCKING_SEND(Bsend)

#define BEGUN_SEND(name)                                                                           \
    CALL(name,                                                                                     \
         (const void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,         \
          MPI_Request *request),                                                                   \
         (buf, count, type, peer, tag, comm, request),                                             \
         remember(*request, message(SEND, bytes_of(count, type), peer, tag, comm, call)))
BEGUN_SEND(Isend)
BEGUN_SEND(Issend)
BEGUN_SEND(Irsend)
BEGUN_SEND(Ibsend)

int MPI_Recv(void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    MPI_Status own;
    enter();
    status = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Recv(buf, count, type, peer, tag, comm, status);
    if (recording()) {
        long op = message(RECV, 0, peer, tag, comm, "MPI_Recv");
        settle(op, status, comm, "MPI_Recv");
        r.last = op == NOTHING ? r.last : op;
    }
    leave();
    return result;
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    enter();
    int result = PMPI_Irecv(buf, count, type, peer, tag, comm, request);
    if (recording()) {
        long op = message(RECV, 0, peer, tag, comm, "MPI_Irecv");
        if (peer == MPI_ANY_SOURCE || tag == MPI_ANY_TAG)
            remember_wild(op, comm);
        remember(*request, op);
    }
    leave();
    return result;
}

// Both at once, and what comes then waits for both.
static void exchange(double bytes, int to, int send_tag, int from, int recv_tag, MPI_Comm comm,
                     const MPI_Status *status, const char *call)
{
    long send = message(SEND, bytes, to, send_tag, comm, call);
    long recv = message(RECV, 0, from, recv_tag, comm, call);
    settle(recv, status, comm, call);
    if (send != NOTHING && recv != NOTHING) {
        long join = add((struct op){.kind = CALC});
        after(send);
        after(recv);
        r.last = join;
    } else if (send != NOTHING || recv != NOTHING) {
        r.last = send != NOTHING ? send : recv;
    }
}

int MPI_Sendrecv(const void *out, int count, MPI_Datatype type, int to, int send_tag, void *in,
                 int in_count, MPI_Datatype in_type, int from, int recv_tag, MPI_Comm comm,
                 MPI_Status *status)
{
    MPI_Status own;
    enter();
    status = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Sendrecv(out, count, type, to, send_tag, in, in_count, in_type, from,
                               recv_tag, comm, status);
    if (recording())
        exchange(bytes_of(count, type), to, send_tag, from, recv_tag, comm, status, "MPI_Sendrecv");
    leave();
    return result;
}

int MPI_Sendrecv_replace(void *buf, int count, MPI_Datatype type, int to, int send_tag, int from,
                         int recv_tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Status own;
    enter();
    status = status == MPI_STATUS_IGNORE ? &own : status;
    int result =
        PMPI_Sendrecv_replace(buf, count, type, to, send_tag, from, recv_tag, comm, status);
    if (recording())
        exchange(bytes_of(count, type), to, send_tag, from, recv_tag, comm, status,
                 "MPI_Sendrecv_replace");
    leave();
    return result;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Status own;
    MPI_Request handle = *request;
    enter();
    status = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Wait(request, status);
    wait_for(1, &handle, status, NULL);
    leave();
    return result;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Status own;
    MPI_Request handle = *request;
    enter();
    status = status == MPI_STATUS_IGNORE ? &own : status;
    int result = PMPI_Test(request, flag, status);
    if (*flag)
        wait_for(1, &handle, status, NULL);
    leave();
    return result;
}

// Requests and statuses of a call on many; free both.
static MPI_Request *copies(int count, const MPI_Request *requests, MPI_Status **statuses)
{
    MPI_Request *handles = malloc(((size_t)count + 1) * sizeof *handles);
    *statuses = malloc(((size_t)count + 1) * sizeof **statuses);
    if (handles && *statuses)
        memcpy(handles, requests, (size_t)count * sizeof *handles);
    else
        fail("MPI_Waitall", "out of memory");
    return handles;
}

static void hand_over(int count, MPI_Request *handles, MPI_Status *statuses, MPI_Status *to)
{
    if (to != MPI_STATUSES_IGNORE && count > 0)
        memcpy(to, statuses, (size_t)count * sizeof *statuses);
    free(handles);
    free(statuses);
}

int MPI_Waitall(int count, MPI_Request *requests, MPI_Status *to)
{
    MPI_Status *statuses;
    enter();
    MPI_Request *handles = copies(count, requests, &statuses);
    int result = PMPI_Waitall(count, requests, statuses);
    wait_for(count, handles, statuses, NULL);
    hand_over(count, handles, statuses, to);
    leave();
    return result;
}

int MPI_Testall(int count, MPI_Request *requests, int *flag, MPI_Status *to)
{
    MPI_Status *statuses;
    enter();
    MPI_Request *handles = copies(count, requests, &statuses);
    int result = PMPI_Testall(count, requests, flag, statuses);
    if (*flag)
        wait_for(count, handles, statuses, NULL);
    hand_over(*flag ? count : 0, handles, statuses, to);
    leave();
    return result;
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *to)
{
    MPI_Status *statuses;
    enter();
    MPI_Request *handles = copies(count, requests, &statuses);
    int result = PMPI_Waitany(count, requests, index, statuses);
    if (*index != MPI_UNDEFINED)
        wait_for(1, handles, statuses, index);
    hand_over(1, handles, statuses, to == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : to);
    leave();
    return result;
}

int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *to)
{
    MPI_Status *statuses;
    enter();
    MPI_Request *handles = copies(count, requests, &statuses);
    int result = PMPI_Testany(count, requests, index, flag, statuses);
    if (*flag && *index != MPI_UNDEFINED)
        wait_for(1, handles, statuses, index);
    hand_over(*flag, handles, statuses, to == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : to);
    leave();
    return result;
}

#define SOME(name)                                                                                 \
    int MPI_##name(int count, MPI_Request *requests, int *some, int *indices, MPI_Status *to)      \
    {                                                                                              \
        MPI_Status *statuses;                                                                      \
        enter();                                                                                   \
        MPI_Request *handles = copies(count, requests, &statuses);                                 \
        int result = PMPI_##name(count, requests, some, indices, statuses);                        \
        int ends = *some == MPI_UNDEFINED ? 0 : *some;                                             \
        wait_for(ends, handles, statuses, indices);                                                \
        hand_over(ends, handles, statuses, to);                                                    \
        leave();                                                                                   \
        return result;                                                                             \
    }
SOME(Waitsome)
SOME(Testsome)

int MPI_Request_free(MPI_Request *request)
{
    MPI_Status none = {0};
    enter();
    if (recording())
        ended(*request, &none);
    int result = PMPI_Request_free(request);
    leave();
    return result;
}

// ---- Collectives

#define BYTES(count, type) uint64_t bytes = (uint64_t)bytes_of(count, type)

CALL(Barrier, (MPI_Comm comm), (comm), collective(NET_BARRIER, 0, NULL, NULL, true, comm, call))
CALL(Bcast, (void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm),
     (buf, count, type, root, comm), BYTES(count, type);
     collective(NET_BROADCAST, root, &bytes, NULL, true, comm, call))
CALL(Reduce,
     (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
     (out, in, count, type, op, root, comm), BYTES(count, type);
     collective(NET_REDUCE, root, &bytes, NULL, true, comm, call))
CALL(Allreduce, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (out, in, count, type, op, comm), BYTES(count, type);
     collective(NET_ALLREDUCE, 0, &bytes, NULL, true, comm, call))
CALL(Scan, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (out, in, count, type, op, comm), BYTES(count, type);
     collective(NET_SCAN, 0, &bytes, NULL, true, comm, call))
CALL(Exscan, (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (out, in, count, type, op, comm), BYTES(count, type);
     collective(NET_SCAN, 0, &bytes, NULL, true, comm, call))
CALL(Gather,
     (const void *out, int count, MPI_Datatype type, void *in, int in_count, MPI_Datatype in_type,
      int root, MPI_Comm comm),
     (out, count, type, in, in_count, in_type, root, comm),
     BYTES(out == MPI_IN_PLACE ? 0 : count, out == MPI_IN_PLACE ? MPI_BYTE : type);
     collective(NET_GATHER, root, &bytes, NULL, true, comm, call))
CALL(Gatherv,
     (const void *out, int count, MPI_Datatype type, void *in, const int *counts, const int *at,
      MPI_Datatype in_type, int root, MPI_Comm comm),
     (out, count, type, in, counts, at, in_type, root, comm),
     BYTES(out == MPI_IN_PLACE ? 0 : count, out == MPI_IN_PLACE ? MPI_BYTE : type);
     collective(NET_GATHER, root, &bytes, NULL, true, comm, call))
// Receivers need not say how much: only sends count.
CALL(Scatter,
     (const void *out, int count, MPI_Datatype type, void *in, int in_count, MPI_Datatype in_type,
      int root, MPI_Comm comm),
     (out, count, type, in, in_count, in_type, root, comm), int rank;
     PMPI_Comm_rank(comm, &rank); BYTES(rank == root ? count : 0, rank == root ? type : MPI_BYTE);
     collective(NET_SCATTER, root, &bytes, &bytes, true, comm, call))
CALL(Scatterv,
     (const void *out, const int *counts, const int *at, MPI_Datatype type, void *in, int in_count,
      MPI_Datatype in_type, int root, MPI_Comm comm),
     (out, counts, at, type, in, in_count, in_type, root, comm), int rank;
     uint64_t none = 0; PMPI_Comm_rank(comm, &rank);
     if (rank == root) collective_v(NET_SCATTER, root, counts, type, comm, call);
     else collective(NET_SCATTER, root, &none, &none, true, comm, call))
CALL(Allgather,
     (const void *out, int count, MPI_Datatype type, void *in, int in_count, MPI_Datatype in_type,
      MPI_Comm comm),
     (out, count, type, in, in_count, in_type, comm), BYTES(in_count, in_type);
     collective(NET_ALLGATHER, 0, &bytes, &bytes, true, comm, call))
CALL(Allgatherv,
     (const void *out, int count, MPI_Datatype type, void *in, const int *counts, const int *at,
      MPI_Datatype in_type, MPI_Comm comm),
     (out, count, type, in, counts, at, in_type, comm),
     collective_v(NET_ALLGATHER, 0, counts, in_type, comm, call))
CALL(Alltoall,
     (const void *out, int count, MPI_Datatype type, void *in, int in_count, MPI_Datatype in_type,
      MPI_Comm comm),
     (out, count, type, in, in_count, in_type, comm), BYTES(in_count, in_type);
     collective(NET_ALLTOALL, 0, &bytes, &bytes, true, comm, call))
CALL(Alltoallv,
     (const void *out, const int *counts, const int *at, MPI_Datatype type, void *in,
      const int *in_counts, const int *in_at, MPI_Datatype in_type, MPI_Comm comm),
     (out, counts, at, type, in, in_counts, in_at, in_type, comm),
     collective_v(NET_ALLTOALL, 0, out == MPI_IN_PLACE ? in_counts : counts,
                  out == MPI_IN_PLACE ? in_type : type, comm, call))
CALL(Reduce_scatter,
     (const void *out, void *in, const int *counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (out, in, counts, type, op, comm), collective_v(NET_ALLTOALL, 0, counts, type, comm, call))
CALL(Reduce_scatter_block,
     (const void *out, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     (out, in, count, type, op, comm), BYTES(count, type);
     collective(NET_ALLTOALL, 0, &bytes, &bytes, true, comm, call))

// ---- Communicators that are made: at a barrier's cost

#define MAKES(name, parameters, arguments)                                                         \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        enter();                                                                                   \
        int status = PMPI_##name arguments;                                                        \
        if (recording())                                                                           \
            know(*made);                                                                           \
        leave();                                                                                   \
        return status;                                                                             \
    }
MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
MAKES(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
MAKES(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
      (comm, type, key, info, made))
MAKES(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
MAKES(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
      (comm, group, tag, made))
MAKES(Cart_create,
      (MPI_Comm comm, int n, const int *sizes, const int *rings, int reorder, MPI_Comm *made),
      (comm, n, sizes, rings, reorder, made))
MAKES(Cart_sub, (MPI_Comm comm, const int *keep, MPI_Comm *made), (comm, keep, made))
MAKES(Graph_create,
      (MPI_Comm comm, int n, const int *index, const int *edges, int reorder, MPI_Comm *made),
      (comm, n, index, edges, reorder, made))

// ---- What is not recorded

#define NOT(name, parameters, arguments)                                                           \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        fail("MPI_" #name, "this call is not recorded");                                           \
        return PMPI_##name arguments;                                                              \
    }
NOT(Ibarrier, (MPI_Comm c, MPI_Request *q), (c, q))
NOT(Ibcast, (void *b, int n, MPI_Datatype t, int o, MPI_Comm c, MPI_Request *q), (b, n, t, o, c, q))
NOT(Ireduce,
    (const void *s, void *b, int n, MPI_Datatype t, MPI_Op p, int o, MPI_Comm c, MPI_Request *q),
    (s, b, n, t, p, o, c, q))
NOT(Iallreduce,
    (const void *s, void *b, int n, MPI_Datatype t, MPI_Op p, MPI_Comm c, MPI_Request *q),
    (s, b, n, t, p, c, q))
NOT(Igather,
    (const void *s, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, int o, MPI_Comm c,
     MPI_Request *q),
    (s, n, t, b, m, u, o, c, q))
NOT(Iscatter,
    (const void *s, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, int o, MPI_Comm c,
     MPI_Request *q),
    (s, n, t, b, m, u, o, c, q))
NOT(Iallgather,
    (const void *s, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c,
     MPI_Request *q),
    (s, n, t, b, m, u, c, q))
NOT(Ialltoall,
    (const void *s, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c,
     MPI_Request *q),
    (s, n, t, b, m, u, c, q))
NOT(Ialltoallv,
    (const void *s, const int *n, const int *d, MPI_Datatype t, void *b, const int *m, const int *e,
     MPI_Datatype u, MPI_Comm c, MPI_Request *q),
    (s, n, d, t, b, m, e, u, c, q))
NOT(Alltoallw,
    (const void *s, const int *n, const int *d, const MPI_Datatype *t, void *b, const int *m,
     const int *e, const MPI_Datatype *u, MPI_Comm c),
    (s, n, d, t, b, m, e, u, c))
NOT(Neighbor_alltoall,
    (const void *s, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c),
    (s, n, t, b, m, u, c))
NOT(Neighbor_allgather,
    (const void *s, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c),
    (s, n, t, b, m, u, c))
NOT(Neighbor_alltoallv,
    (const void *s, const int *n, const int *d, MPI_Datatype t, void *b, const int *m, const int *e,
     MPI_Datatype u, MPI_Comm c),
    (s, n, d, t, b, m, e, u, c))
NOT(Start, (MPI_Request * q), (q))
NOT(Startall, (int n, MPI_Request *q), (n, q))
NOT(Mrecv, (void *b, int n, MPI_Datatype t, MPI_Message *m, MPI_Status *s), (b, n, t, m, s))
NOT(Imrecv, (void *b, int n, MPI_Datatype t, MPI_Message *m, MPI_Request *q), (b, n, t, m, q))
NOT(Cancel, (MPI_Request * q), (q))
NOT(Win_create, (void *b, MPI_Aint n, int d, MPI_Info i, MPI_Comm c, MPI_Win *w),
    (b, n, d, i, c, w))
NOT(Win_allocate, (MPI_Aint n, int d, MPI_Info i, MPI_Comm c, void *b, MPI_Win *w),
    (n, d, i, c, b, w))
NOT(Intercomm_create, (MPI_Comm l, int a, MPI_Comm p, int b, int t, MPI_Comm *m),
    (l, a, p, b, t, m))
NOT(Comm_spawn,
    (const char *x, char **a, int n, MPI_Info i, int o, MPI_Comm c, MPI_Comm *m, int *e),
    (x, a, n, i, o, c, m, e))

#endif
