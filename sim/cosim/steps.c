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
#include <unistd.h>

enum {
    SPINS = 4000, // looks at the barrier before giving the core away
};

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

// All threads meet here. Some cycles take microseconds, so they look before they sleep.
static void meet(struct sim *s)
{
    unsigned round = atomic_load(&s->round);
    if (atomic_fetch_add(&s->arrived, 1) + 1 == s->threads) {
        atomic_store(&s->arrived, 0);
        atomic_store(&s->round, round + 1);
        return;
    }
    for (unsigned spins = 0; atomic_load(&s->round) == round; spins++)
        if (spins >= SPINS)
            sched_yield();
}

// A thread's share of BATCH cycles. What a board sees is `latency` cycles old, so each goes on for
// that many before the next one, and the threads, need to follow.
static void run_batch(struct sim *s, unsigned thread)
{
    uint32_t from = s->boards * thread / s->threads;
    uint32_t to = s->boards * (thread + 1) / s->threads;
    uint64_t end = s->cycle + BATCH;
    void (*step)(struct sim *, uint32_t, uint64_t, uint64_t *) = s->link_end  ? step_linked
                                                                 : s->phy_end ? step_phy
                                                                 : s->clocks  ? step_own_clock
                                                                              : step_board;
    for (uint64_t cycle = s->cycle, until; cycle < end; cycle = until) {
        until = end - cycle < s->o.latency ? end : cycle + s->o.latency;
        for (uint32_t n = from; n < to; n++)
            for (uint64_t at = cycle; at < until; at++)
                step(s, n, at, &s->last_flit[thread]);
        if (s->threads > 1)
            meet(s);
    }
    if (s->threads > 1)
        meet(s); // nobody looks at s->cycle any more
}

static void *work(void *arg)
{
    struct worker *w = arg;
    for (;;) {
        while (sem_wait(&w->sim->go[w->number])) {
            // a signal came
        }
        if (w->sim->quit)
            return NULL;
        run_batch(w->sim, w->number);
    }
}

void step_batch(struct sim *s)
{
    for (unsigned t = 1; t < s->threads; t++)
        sem_post(&s->go[t]);
    run_batch(s, 0);
    s->cycle += BATCH;
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
