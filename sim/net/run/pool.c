// SPDX-License-Identifier: Apache-2.0
#include "run/pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "run/ranks.h"

struct pool {
    net_task *task;
    void *context;
    atomic_bool *stop;
    uint32_t tasks;
    struct net_store *store;
    _Atomic uint32_t next, running;
    _Atomic float *progress; // per task
};

// The next task of rank 0; UINT32_MAX: none.
static uint32_t next(void *context)
{
    struct pool *pool = context;
    if (atomic_load(pool->stop) || atomic_load(&pool->next) >= pool->tasks)
        return UINT32_MAX;
    uint32_t number = atomic_fetch_add(&pool->next, 1);
    return number < pool->tasks ? number : UINT32_MAX;
}

static void ended(void *context, uint32_t number)
{
    struct pool *pool = context;
    atomic_store(&pool->progress[number], 1);
}

static void told(void *context, const char *text)
{
    struct pool *pool = context;
    net_store_take(pool->store, text);
}

static void *work(void *argument)
{
    struct pool *pool = argument;
    uint32_t number = UINT32_MAX;
    while (!atomic_load(pool->stop)) {
        number = net_rank() ? net_ranks_ask(number) : next(pool);
        if (number == UINT32_MAX)
            break;
        pool->task(pool->context, number, &pool->progress[number]);
        ended(pool, number);
    }
    atomic_fetch_sub(&pool->running, 1);
    return NULL;
}

double net_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw(const struct pool *pool, double start)
{
    enum { WIDTH = 40 };
    double done = 0;
    uint32_t whole = 0;
    for (uint32_t i = 0; i < pool->tasks; i++) {
        float part = atomic_load(&pool->progress[i]);
        done += part;
        whole += part >= 1;
    }
    double left = done > 0 ? (net_seconds() - start) * (pool->tasks - done) / done : 0;
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < WIDTH * done / pool->tasks ? '=' : ' ';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %u of %u, %.0f s left  ", bar, whole, pool->tasks, left);
}

bool net_pool(uint32_t jobs, uint32_t tasks, net_task *task, void *context, atomic_bool *stop,
              struct net_store *store)
{
    jobs = jobs < tasks ? jobs : tasks;
    struct pool pool = {
        .task = task, .context = context, .stop = stop, .tasks = tasks, .store = store};
    const struct net_ranks_hooks hooks = {&pool, next, ended, told};
    pthread_t *threads = calloc(jobs + 1, sizeof *threads);
    pool.progress = calloc(tasks + 1, sizeof *pool.progress);
    bool made = threads && pool.progress;
    bool bar = net_rank() == 0 && isatty(STDERR_FILENO);
    double start = net_seconds(), drawn = 0;
    uint32_t begun = 0;
    while (made && begun < jobs) {
        atomic_fetch_add(&pool.running, 1);
        made = pthread_create(&threads[begun], NULL, work, &pool) == 0;
        if (made)
            begun++;
        else
            atomic_fetch_sub(&pool.running, 1);
    }
    bool serve = net_rank() == 0 && net_ranks() > 1 && pool.progress;
    while ((bar && atomic_load(&pool.running)) ||
           (serve && (net_ranks_serve(&hooks) || atomic_load(&pool.running)))) {
        if (bar && net_seconds() - drawn > 0.2) {
            drawn = net_seconds();
            draw(&pool, start);
        }
        nanosleep(&(struct timespec){.tv_nsec = serve ? 2000000 : 200000000}, NULL);
    }
    for (uint32_t i = 0; i < begun; i++)
        pthread_join(threads[i], NULL);
    if (net_rank())
        net_ranks_done();
    if (bar)
        fprintf(stderr, "\r%79s\r", "");
    free(threads);
    free(pool.progress);
    return made || begun > 0;
}

uint32_t net_pool_jobs(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 && net_ranks() == 1 ? (uint32_t)processors : 1;
}
