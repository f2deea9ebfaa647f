// SPDX-License-Identifier: Apache-2.0
#include "pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct pool {
    net_task *task;
    void *context;
    atomic_bool *stop;
    uint32_t tasks;
    _Atomic uint32_t next, running;
    _Atomic float *progress; // per task
};

static void *work(void *argument)
{
    struct pool *pool = argument;
    while (!atomic_load(pool->stop)) {
        uint32_t number = atomic_fetch_add(&pool->next, 1);
        if (number >= pool->tasks)
            break;
        pool->task(pool->context, number, &pool->progress[number]);
        atomic_store(&pool->progress[number], 1);
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

bool net_pool(uint32_t jobs, uint32_t tasks, net_task *task, void *context, atomic_bool *stop)
{
    jobs = jobs < tasks ? jobs : tasks;
    struct pool pool = {.task = task, .context = context, .stop = stop, .tasks = tasks};
    pthread_t *threads = calloc(jobs + 1, sizeof *threads);
    pool.progress = calloc(tasks + 1, sizeof *pool.progress);
    bool made = threads && pool.progress, bar = isatty(STDERR_FILENO);
    double start = net_seconds();
    uint32_t begun = 0;
    while (made && begun < jobs) {
        atomic_fetch_add(&pool.running, 1);
        made = pthread_create(&threads[begun], NULL, work, &pool) == 0;
        if (made)
            begun++;
        else
            atomic_fetch_sub(&pool.running, 1);
    }
    while (bar && atomic_load(&pool.running)) {
        draw(&pool, start);
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    }
    for (uint32_t i = 0; i < begun; i++)
        pthread_join(threads[i], NULL);
    if (bar)
        fprintf(stderr, "\r%79s\r", "");
    free(threads);
    free(pool.progress);
    return made || begun > 0;
}
