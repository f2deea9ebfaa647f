// SPDX-License-Identifier: Apache-2.0
// Measurement: counters (counters.c), one time for all boards (one_time.c), counters at one instant
// of it (snapshot.c), the traffic engine (traffic.c), streams (streams.c), and on these runs of a
// pattern (run.c) and of streams (flow.c).
#ifndef TORUS_MEASURE_H
#define TORUS_MEASURE_H

#include "tables.h"

// Flits of a management packet.
static inline unsigned message_flits(const struct torus *t)
{
    return 1u << ofr_message_flits_log2(t->flit_bytes);
}

// Counters of all boards, of the snapshot of that number; once all are read, `each` is called.
// Where another host has latched since, its snapshot is read instead, unless it must be just_that:
// then that is TORUS_E_BOARD, status OFR_STALE.
int read_counters(struct torus *t, uint32_t number, bool just_that,
                  void (*each)(void *ctx, const uint8_t at[3], const uint64_t *counters),
                  void *ctx);

// One time (one_time.c) ---------------------------------------------------------------------------

// What is known of the boards' NODE.TIME.
struct one_time {
    bool shared;  // one clock, as it seems
    bool kept;    // the boards keep one time by themselves
    bool differ;  // a run has shown that it is not so
    double error; // kept: cycles by which any two may be apart
};

// By how many cycles any two boards may be apart; 0: they share a clock.
double clocks_error(const struct torus *t);
// A lifetime below 0: a packet came before it was generated. So the boards' clocks are apart.
static inline bool below_zero(uint32_t lifetime)
{
    return lifetime >> 31;
}
// The error that a run ends with when it shows that clocks are apart. Once after it, where the
// boards seemed to share a clock: true, and they do no longer. So then it is to be done again.
int clocks_differ(struct torus *t);
bool clocks_doubted(struct torus *t);

// Waits until all NODE.TIME are the same. TORUS_E_BOARD: they do not become so.
int clocks_ready(struct torus *t);
// Only looks: *same is whether they are.
int clocks_known(struct torus *t, bool *same);

// Traffic -----------------------------------------------------------------------------------------

// Are a run's settings possible? Fills in packet_flits. Whether boards have generators and checkers
// is not looked at.
int check_run(struct torus *t, struct torus_run *run);
// What is not built in, for an error's text; NULL: nothing.
const char *traffic_missing(bool generator, bool checker);
// PERIOD and the number of messages for the load wanted. 0: the load is out of range.
uint32_t messages_of(const struct torus_run *run, uint32_t *ticks);

// The write lease, for what takes so many cycles, setting up and reading besides: so no renewal
// falls into the window. As lease_begin().
int lease_for_cycles(struct torus *t, double cycles);
// stop_all() after an error, whose detail stays.
void leave_silent(struct torus *t);

// What generators have sent and checkers got so far; ended: all have sent what they were to send.
struct traffic_seen {
    uint64_t sent, arrived; // packets; arrived: damaged ones, too
    bool ended;
};

// What is to be sent, and how it is started and looked at: a pattern (run.c) or streams
// (streams.c). Each function gives the library's error.
struct traffic {
    struct torus *t;
    uint32_t warmup, cycles; // the window, from the first message on
    uint32_t start;          // NODE.TIME of the first message
    // Generators set up, stopped.
    int (*set_up)(struct traffic *w);
    // All of them begin t->ahead cycles from now, which is w->start. *again: OFR_LATE where a board
    // was told too late, OFR_STALE where they are to be set up anew; some may have begun then.
    int (*begin)(struct traffic *w, enum ofr_status *again);
    int (*look)(struct traffic *w, struct traffic_seen *seen);
    // What was measured.
    int (*read)(struct traffic *w);
};
// From setting up to the end of the window of the clock of the board we are plugged into.
int traffic_go(struct traffic *w);
// In a lease: all of it, until all packets are there and read. After an error all is silent.
int traffic_measure(struct traffic *w);

// Streams, at most one from and one to each board.
struct flows {
    struct traffic w; // begins with it
    struct torus_flow *flow;
    unsigned count;
    struct request *q; // room for two a flow, by flows_prepare(): to be freed
    uint32_t ticks, messages, flits;
    bool untimed; // NODE.TIMEs may differ
    bool same;    // no lifetime is below 0
};
// Settings of all sorts. TORUS_OK and no f->q: there is nothing to do.
int flows_prepare(struct flows *f, struct torus_run *run);
// All requests of f->q; statuses other than OFR_OK become errors. *late (NULL: none may be): one
// was that.
int flows_ask(struct flows *f, unsigned count, const char *what, bool *late);

#endif
