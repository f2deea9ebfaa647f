// SPDX-License-Identifier: Apache-2.0
#include "run/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The variables by which a process knows that mpirun, or another's launcher, has started it.
static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
static const char *const numbers[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
enum { SIZES = sizeof sizes / sizeof *sizes, NUMBERS = sizeof numbers / sizeof *numbers };

bool net_ranks_several(void)
{
    bool several = false;
    for (int i = 0; i < SIZES; i++) {
        const char *size = getenv(sizes[i]);
        several = several || (size && atoi(size) > 1);
    }
    return several;
}

// Not the first of them.
static bool launched_behind(void)
{
    for (int i = 0; i < NUMBERS; i++) {
        const char *number = getenv(numbers[i]);
        if (number)
            return atoi(number) > 0;
    }
    return false;
}

bool net_ranks_quiet(void)
{
    bool behind = launched_behind();
    if (behind && !freopen("/dev/null", "w", stdout))
        exit(1);
    return behind;
}

static void out_of_memory(void)
{
    fputs("torussim: out of memory\n", stderr);
    exit(1); // and so do the others
}

char *net_parcel_more(struct net_parcel *parcel, size_t size)
{
    if (parcel->size + size > parcel->capacity) {
        parcel->capacity = 2 * (parcel->size + size);
        char *more = realloc(parcel->bytes, parcel->capacity);
        if (!more)
            out_of_memory();
        parcel->bytes = more;
    }
    parcel->size += size;
    return parcel->bytes + parcel->size - size;
}

#ifdef NET_MPI
#include <mpi.h>
#include <pthread.h>

enum { ASK, ANSWER, TELL, DONE, PARCEL }; // tags

// MPI is the process's own, and so is this.
static struct {
    bool begun;
    int rank, ranks;
    int done;             // of rank 0: ranks that are
    pthread_mutex_t lock; // of the others: around all calls of MPI
} self = {.ranks = 1, .lock = PTHREAD_MUTEX_INITIALIZER};

static void leave(int status, void *unused)
{
    (void)unused;
    if (self.begun && status)
        MPI_Abort(MPI_COMM_WORLD, status);
    net_ranks_end();
}

void net_ranks_begin(void)
{
    bool by_mpi = getenv("PMIX_RANK") != NULL;
    for (int i = 0; i < SIZES; i++)
        by_mpi = by_mpi || getenv(sizes[i]);
    if (!by_mpi)
        return;
    int level;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &self.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &self.ranks);
    self.begun = true;
    on_exit(leave, NULL);
}

void net_ranks_end(void)
{
    if (self.begun)
        MPI_Finalize();
    self.begun = false;
}

char *net_ranks_share(const char *text)
{
    if (self.ranks == 1)
        return NULL;
    int size = text ? (int)strlen(text) + 1 : 0;
    MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
    char *copy = malloc((size_t)size);
    if (!copy)
        return NULL;
    if (text)
        memcpy(copy, text, (size_t)size);
    MPI_Bcast(copy, size, MPI_CHAR, 0, MPI_COMM_WORLD);
    return copy;
}

uint32_t net_ranks_ask(uint32_t ended)
{
    uint32_t next;
    pthread_mutex_lock(&self.lock);
    MPI_Send(&ended, 1, MPI_UINT32_T, 0, ASK, MPI_COMM_WORLD);
    MPI_Recv(&next, 1, MPI_UINT32_T, 0, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_mutex_unlock(&self.lock);
    return next;
}

void net_ranks_tell(const char *text)
{
    pthread_mutex_lock(&self.lock);
    MPI_Send(text, (int)strlen(text) + 1, MPI_CHAR, 0, TELL, MPI_COMM_WORLD);
    pthread_mutex_unlock(&self.lock);
}

void net_ranks_done(void)
{
    pthread_mutex_lock(&self.lock);
    MPI_Send(NULL, 0, MPI_CHAR, 0, DONE, MPI_COMM_WORLD);
    pthread_mutex_unlock(&self.lock);
}

static void receive(const struct net_ranks_hooks *hooks, const MPI_Status *status)
{
    uint32_t number;
    int size, from = status->MPI_SOURCE;
    char *text;
    switch (status->MPI_TAG) {
    case ASK:
        MPI_Recv(&number, 1, MPI_UINT32_T, from, ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (number != UINT32_MAX)
            hooks->ended(hooks->context, number);
        number = hooks->next(hooks->context);
        MPI_Send(&number, 1, MPI_UINT32_T, from, ANSWER, MPI_COMM_WORLD);
        break;
    case TELL:
        MPI_Get_count(status, MPI_CHAR, &size);
        text = malloc((size_t)size);
        if (!text)
            MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Recv(text, size, MPI_CHAR, from, TELL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        hooks->told(hooks->context, text);
        free(text);
        break;
    default:
        MPI_Recv(NULL, 0, MPI_CHAR, from, DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        self.done++;
        break;
    }
}

int net_ranks_serve(const struct net_ranks_hooks *hooks)
{
    int come = self.ranks > 1;
    while (come) {
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &come, &status);
        if (come)
            receive(hooks, &status);
    }
    return self.ranks - 1 - self.done;
}

uint64_t net_ranks_least(uint64_t value)
{
    if (self.ranks > 1)
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    return value;
}

void net_ranks_add(uint64_t *sums, size_t count)
{
    if (self.ranks > 1)
        MPI_Allreduce(MPI_IN_PLACE, sums, (int)count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
}

void net_ranks_copy(int from, void *bytes, size_t size)
{
    if (self.ranks > 1)
        MPI_Bcast(bytes, (int)size, MPI_BYTE, from, MPI_COMM_WORLD);
}

uint64_t net_ranks_swap(uint64_t value, struct net_parcel *to, struct net_parcel *from)
{
    struct head {
        uint64_t value, size;
    };
    size_t ranks = (size_t)self.ranks;
    struct head *heads = calloc(ranks, sizeof *heads), *come = calloc(ranks, sizeof *come);
    MPI_Request *requests = malloc(2 * ranks * sizeof(MPI_Request));
    if (!heads || !come || !requests)
        out_of_memory();
    for (size_t r = 0; r < ranks; r++)
        heads[r] = (struct head){value, to[r].size};
    MPI_Alltoall(heads, 2, MPI_UINT64_T, come, 2, MPI_UINT64_T, MPI_COMM_WORLD);
    int count = 0;
    for (size_t r = 0; r < ranks; r++) {
        value = come[r].value < value ? come[r].value : value;
        from[r].size = 0;
        if (come[r].size)
            MPI_Irecv(net_parcel_more(&from[r], come[r].size), (int)come[r].size, MPI_BYTE, (int)r,
                      PARCEL, MPI_COMM_WORLD, &requests[count++]);
        if (to[r].size)
            MPI_Isend(to[r].bytes, (int)to[r].size, MPI_BYTE, (int)r, PARCEL, MPI_COMM_WORLD,
                      &requests[count++]);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    free(heads);
    free(come);
    free(requests);
    return value;
}

int net_rank(void)
{
    return self.rank;
}

int net_ranks(void)
{
    return self.ranks;
}

#else

#include "run/refuse.h"

// Each process would do all by itself.
void net_ranks_begin(void)
{
    if (launched_behind())
        exit(0); // another status might end rank 0 before its line
    if (net_ranks_several())
        net_refuse("built without MPI, so mpirun is of no use: install Open MPI's development "
                   "files (libopenmpi-dev) and build again");
}

void net_ranks_end(void)
{
}

int net_rank(void)
{
    return 0;
}

int net_ranks(void)
{
    return 1;
}

char *net_ranks_share(const char *text)
{
    (void)text;
    return NULL;
}

uint32_t net_ranks_ask(uint32_t ended)
{
    return ended;
}

void net_ranks_tell(const char *text)
{
    (void)text;
}

void net_ranks_done(void)
{
}

int net_ranks_serve(const struct net_ranks_hooks *hooks)
{
    (void)hooks;
    return 0;
}

uint64_t net_ranks_least(uint64_t value)
{
    return value;
}

void net_ranks_add(uint64_t *sums, size_t count)
{
    (void)sums;
    (void)count;
}

void net_ranks_copy(int from, void *bytes, size_t size)
{
    (void)from;
    (void)bytes;
    (void)size;
}

uint64_t net_ranks_swap(uint64_t value, struct net_parcel *to, struct net_parcel *from)
{
    (void)to;
    (void)from;
    return value;
}

#endif

bool net_ranks_any(bool value)
{
    return net_ranks_least(!value) == 0;
}
