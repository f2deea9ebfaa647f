// SPDX-License-Identifier: Apache-2.0
#include "run/ranks.h"

#include <stdlib.h>
#include <string.h>

#ifdef NET_MPI
#include <mpi.h>
#include <pthread.h>

enum { ASK, ANSWER, TELL, DONE }; // tags

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
    static const char *const started[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
    bool by_mpi = false;
    for (int i = 0; i < 3; i++)
        by_mpi = by_mpi || getenv(started[i]);
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

int net_rank(void)
{
    return self.rank;
}

int net_ranks(void)
{
    return self.ranks;
}

#else

void net_ranks_begin(void)
{
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

#endif
