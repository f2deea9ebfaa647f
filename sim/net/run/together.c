// SPDX-License-Identifier: Apache-2.0
#include "run/together.h"

#include <pthread.h>
#include <sched.h>

#include "config/config.h"

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

void net_barrier_wait(struct net_barrier *barrier)
{
    enum { LOOKS = 2000 };
    unsigned turn = atomic_load_explicit(&barrier->turn, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&barrier->arrived, 1, memory_order_acq_rel) + 1 ==
        barrier->parties) {
        atomic_store_explicit(&barrier->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&barrier->turn, turn + 1, memory_order_release);
        return;
    }
    for (unsigned looks = 0; atomic_load_explicit(&barrier->turn, memory_order_acquire) == turn;
         looks++)
        if (looks < LOOKS)
            relax();
        else
            sched_yield();
}

struct crew {
    void (*work)(void *context, unsigned number);
    void *context;
    pthread_mutex_t gate; // held until all threads are there
    bool ready;
};

struct member {
    struct crew *crew;
    unsigned number;
};

static void *begin(void *context)
{
    const struct member *member = context;
    struct crew *crew = member->crew;
    pthread_mutex_lock(&crew->gate);
    pthread_mutex_unlock(&crew->gate);
    if (crew->ready)
        crew->work(crew->context, member->number);
    return NULL;
}

bool net_together(unsigned count, void (*work)(void *context, unsigned number),
                  bool (*agree)(void *context, bool there), void *context)
{
    struct crew crew = {.work = work, .context = context};
    pthread_t thread[NET_MAX_THREADS];
    struct member member[NET_MAX_THREADS] = {{&crew, 0}};
    unsigned made = 1;
    pthread_mutex_init(&crew.gate, NULL);
    pthread_mutex_lock(&crew.gate);
    for (unsigned i = 1; i < count; i++)
        member[i] = (struct member){&crew, i};
    while (made < count && !pthread_create(&thread[made], NULL, begin, &member[made]))
        made++;
    crew.ready = agree ? agree(context, made == count) : made == count;
    pthread_mutex_unlock(&crew.gate);
    begin(&member[0]);
    while (--made)
        pthread_join(thread[made], NULL);
    pthread_mutex_destroy(&crew.gate);
    return crew.ready;
}
