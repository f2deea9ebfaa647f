// SPDX-License-Identifier: Apache-2.0
// Time: boards and what is on their cables, cycle by cycle, on several threads.
#include "steps.h"

#include "basics.h"
#include "clocks.h"
#include "falls.h"
#include "ledger.h"
#include "phy_cables.h"
#include "reliable.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SPINS = 4000,     // looks at what others do before giving the core away
    ALONE_LEAST = 16, // batches
    ALONE_MOST = 1024,
};

#define HELD_UP 1e-3 // seconds for which nobody waits for a board where each thread has a core

struct worker {
    struct sim *sim;
    unsigned number;
};

// One cycle of board n with reliable links, of its own clock or of the one for all.
static void step_linked(struct sim *s, uint32_t n, uint64_t cycle, uint64_t *last_flit)
{
    struct ofr_node_in *in = &s->in[n];
    bool run = !s->clocks || clock_runs(s, n, cycle);

    step_links(s, n, cycle, run, in, last_flit);
    for (unsigned p = 0; p < 2U * s->o.torus.n && run; p++) {
        struct ofr_flit sent = board_out(s->board[n])->tx[p];
        sent.valid = sent.valid && in->tx_ready[p];
        ledger_see(s, n, p, &sent);
    }
    if (run)
        board_step(s->board[n], in);
    if (cycle % FIRMWARE_EVERY == 0 && (!s->clocks || clock_is_on(s, n, cycle)))
        board_poll_firmware(s->board[n]);
    if (s->clocks)
        clock_sees(s, n, cycle);
}

// One cycle of board n: what its cables bring, its step, what it shows to its cables.
static void step_board(struct sim *s, uint32_t n, uint64_t cycle, uint64_t *last_flit)
{
    unsigned now = (unsigned)(cycle % LINE);
    unsigned then = (unsigned)((cycle + LINE - s->o.latency) % LINE);
    struct ofr_node_in *in = &s->in[n];

    for (unsigned p = 0; p < 2U * s->o.torus.n; p++) {
        struct cable_end far = s->peer[n][p];
        if (!link_pins(s, n, p, true, in))
            continue;
        in->rx[p] = s->line[far.board][far.port].flit[then];
        link_brings(s, n, p, &in->rx[p]);
        memcpy(in->tx_credit[p], s->line[far.board][far.port].credit[then], OFR_VCS);
    }
    const struct ofr_router_out *out = board_out(s->board[n]);
    for (unsigned p = 0; p < 2U * s->o.torus.n; p++) {
        s->line[n][p].flit[now] = link_takes(s, n, p, &out->tx[p]);
        ledger_see(s, n, p, &out->tx[p]);
        memcpy(s->line[n][p].credit[now], out->rx_credit[p], OFR_VCS);
        if (out->tx[p].valid)
            *last_flit = cycle;
    }
    board_step(s->board[n], in);
    if (cycle % FIRMWARE_EVERY == 0)
        board_poll_firmware(s->board[n]);
}

// What a board sees is `latency` cycles old, so each goes on for that many, a stretch, before the
// next one. Of the boards each thread takes its share, one by one, so that they stay in its cache;
// the first thread, which waits for all of them, takes what others have not begun in time. Where
// others want the cores, a thread that has begun a board and is then not running keeps it waiting:
// then it works alone for a while. Which thread steps a board makes no difference.
static void step_one(struct sim *s, uint32_t n, unsigned thread)
{
    void (*step)(struct sim *, uint32_t, uint64_t, uint64_t *) = s->link_end  ? step_linked
                                                                 : s->phy_end ? step_phy
                                                                 : s->clocks  ? step_own_clock
                                                                              : step_board;
    for (uint64_t at = s->from, until = s->until; at < until; at++)
        step(s, n, at, &s->last_flit[thread]);
    atomic_fetch_add(&s->done, 1);
}

static uint32_t first_of(const struct sim *s, unsigned share)
{
    if (s->threads <= 1) // one has them all
        return share ? s->boards : 0;
    return s->boards * share / s->threads;
}

// Steps what is left of that share of the boards. Returns whether there was anything.
static bool take(struct sim *s, unsigned share, unsigned thread)
{
    uint32_t first = first_of(s, share), boards = first_of(s, share + 1) - first;
    bool any = false;

    while ((uint32_t)atomic_load(&s->share[share].taken) < boards) {
        uint32_t n = (uint32_t)atomic_fetch_add(&s->share[share].taken, 1);
        if (n >= boards)
            break;
        step_one(s, first + n, thread);
        any = true;
    }
    return any;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// For the next batches the first thread works alone: twice as many as last time, if that was
// lately.
static void stay_alone(struct sim *s)
{
    atomic_store(&s->running, false);
    s->away = s->away < ALONE_LEAST ? ALONE_LEAST : s->away < ALONE_MOST ? 2 * s->away : ALONE_MOST;
    s->alone = s->away;
}

static void run_stretch(struct sim *s)
{
    bool late = false, together = atomic_load(&s->running);
    unsigned looks = 0;
    double since = 0;

    atomic_store(&s->done, 0);
    s->stretch++;
    for (unsigned t = 0; t < s->threads; t++)
        atomic_store(&s->share[t].taken, (uint64_t)s->stretch << 32);
    take(s, 0, 0);
    for (; atomic_load(&s->done) != s->boards; looks++) {
        for (unsigned t = 1; t < s->threads && (!together || looks >= s->patience); t++)
            late |= take(s, t, 0);
        if (looks == SPINS)
            since = now();
        if (looks >= SPINS)
            sched_yield();
    }
    if (!together)
        return;
    // Once they were late they are waited for less, and if they were not, more again
    s->patience = late ? s->patience / 2 : s->patience < SPINS ? s->patience + 1 : SPINS;
    if (looks > SPINS && now() - since > HELD_UP)
        stay_alone(s);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct sim *s = w->sim;

    for (;;) {
        while (sem_wait(&s->go[w->number])) {
            // a signal came
        }
        if (s->quit)
            return NULL;
        for (unsigned looks = 0; atomic_load(&s->running); looks++) {
            if (take(s, w->number, w->number))
                looks = 0;
            if (looks >= SPINS)
                sched_yield();
        }
    }
}

void step_batch(struct sim *s)
{
    uint64_t end = s->cycle + BATCH;
    int waiting;

    atomic_store(&s->running, s->threads > 1 && !s->alone);
    s->alone -= s->alone > 0;
    for (unsigned t = 1; t < s->threads && atomic_load(&s->running); t++)
        if (sem_getvalue(&s->go[t], &waiting) == 0 && waiting == 0)
            sem_post(&s->go[t]);
    for (s->from = s->cycle; s->from < end; s->from = s->until) {
        s->until = end - s->from < s->o.latency ? end : s->from + s->o.latency;
        run_stretch(s);
    }
    if (atomic_exchange(&s->running, false))
        s->away -= s->away / 8; // one batch that went well may be luck
    s->cycle = end;
}

void start_threads(struct sim *s)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    s->threads = s->o.threads ? s->o.threads : cores > 0 ? (unsigned)cores : 1;
    if (s->threads > s->boards)
        s->threads = s->boards;
    if (s->threads > MAX_THREADS)
        s->threads = MAX_THREADS;
    s->worker = allocate(s->threads, sizeof *s->worker);
    for (unsigned t = 0; t < s->threads; t++)
        atomic_store(&s->share[t].taken, UINT32_MAX); // nothing is to be done yet
    for (unsigned t = 1; t < s->threads; t++) {
        sem_init(&s->go[t], 0, 0);
        s->worker[t] = (struct worker){s, t};
        if (pthread_create(&s->thread[t], NULL, work, &s->worker[t]))
            die("cannot start %u threads", s->threads);
    }
}

void end_threads(struct sim *s)
{
    s->quit = true;
    for (unsigned t = 1; t < s->threads; t++) {
        sem_post(&s->go[t]);
        pthread_join(s->thread[t], NULL);
    }
    free(s->worker);
}

bool quiet(const struct sim *s)
{
    for (unsigned t = 0; t < s->threads; t++)
        if (s->cycle < s->last_flit[t] + 2 * MAX_LATENCY)
            return false;
    return true;
}

// Nothing in any golden board or on any cable, and no link on its way up: time may stand still.
bool idle(const struct sim *s)
{
    if (!quiet(s) || links_settling(s))
        return false;
    for (uint32_t n = 0; n < s->boards; n++)
        if (!board_idle(s->board[n]))
            return false;
    return true;
}
