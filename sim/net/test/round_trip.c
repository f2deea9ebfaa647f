// SPDX-License-Identifier: Apache-2.0
// How far two processors are from each other: ns that a line of memory takes from the first to the
// second and back. Where they share a cache it is some 55, where they do not 330; a virtual
// machine's may change from one to the other at any time.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 100000, FIRST = 1000 };

static _Alignas(128) atomic_uint turn;

static void stay_on(int processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void wait_for(unsigned value)
{
    while (atomic_load(&turn) != value)
        ;
}

static void *answer(void *context)
{
    stay_on(1);
    for (unsigned i = 0; i < ROUNDS; i++) {
        wait_for(2 * i + 1);
        atomic_store(&turn, 2 * i + 2);
    }
    return context;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(void)
{
    pthread_t other;
    double start = 0;
    stay_on(0);
    if (pthread_create(&other, NULL, answer, NULL))
        return 1;
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (i == FIRST)
            start = now();
        atomic_store(&turn, 2 * i + 1);
        wait_for(2 * i + 2);
    }
    printf("%.0f\n", (now() - start) / (ROUNDS - FIRST));
    return pthread_join(other, NULL);
}
