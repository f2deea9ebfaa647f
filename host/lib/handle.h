// SPDX-License-Identifier: Apache-2.0
// What every layer of libtorus stands on: the handle, its last error, the time. Not installed.
// Layers include only what is below them (README.md): handle.h, stream.h, request.h, boards.h,
// tables.h, measure.h.
#ifndef TORUS_HANDLE_H
#define TORUS_HANDLE_H

#include <string.h>

#include "libtorus.h"
#include "protocol.h"

#define API __attribute__((visibility("default")))

enum { MAX_BOARDS = 4096, WIDTH = 240, MAX_WINDOW = 7, MAX_REPORTS = 8 };

struct fault {
    char text[WIDTH];
    enum torus_fault_kind kind;
    struct torus_cable cable;
};

// The write lease of all boards (session.c).
struct lease {
    uint16_t session; // writes are made in it; 0: we have none
    uint16_t behind;  // of one that boards may still have, as it could not be given back; or 0
    uint32_t token;
    unsigned time;  // asked for: 2^time / 16 seconds
    double since;   // monotonic seconds: when it was last taken or renewed,
    uint32_t cycle; // and NODE.TIME of the board we are plugged into
    unsigned depth; // operations under way that need it
    bool kept;      // by torus_lease()
    bool single;    // of the board we are plugged into only: others are not known
};

// What a board has reported: its links that are up.
struct report {
    unsigned board;
    uint32_t links;
};

struct torus {
    struct torus_options options;
    bool options_bad;  // had no size, or more in them than is known here
    unsigned uncut;    // what is under way is not cancelled
    double progressed; // monotonic time when somebody was last told
    char detail[WIDTH];

    // Streams.
    struct torus_transport transport;
    // What to wait for, for its bytes and, if `writing`, for room. NULL: not known.
    unsigned (*poll)(void *ctx, struct pollfd *fds, unsigned room, bool writing);
    const char *(*silent)(void *ctx); // why it may not answer; NULL, or is NULL: not known
    bool alone;                       // never to be reached by what another process shares
    struct share *share;              // by us, NULL: not shared
    char *where;                      // as torus_open() was told, NULL: a transport
    bool taken;                       // it could not be opened, as another process has it
    bool resting;                     // closed by torus_rest()
    bool shared;                      // it goes through another process, which shares the board
    int hold;                         // a socket's lock: its file's number + 1, 0: none

    // Frames and requests.
    uint16_t session, seq;
    bool window_wanted;     // options.window was given
    enum ofr_status status; // of the last request that failed by its answer
    struct lease lease;
    unsigned collectives;         // done so far
    double round_trip, last_good; // seconds; smoothed, monotonic time of the last good answer
    double kept_gap;              // seconds before sending again, from a request that was
    uint8_t in_vain[512];         // by address, a bit each: waited for in vain, not heard since
    bool all_in_vain;             // so of a collective
    uint8_t rx[OFR_FRAME_BYTES];
    unsigned rx_count;
    bool heeds;    // a report ends what is under way
    bool reported; // by a board, that its links have changed, since all were last asked for them
    struct report report[MAX_REPORTS];
    unsigned reports; // more than there is room for: some are not known

    // Boards and topology.
    struct torus_board *boards; // by discover
    unsigned board_count, board_room;
    unsigned dims;
    uint8_t k[3]; // 0: unknown
    unsigned slots, slot_flits, flit_bytes;
    bool shapes; // of all boards are known, not only that of the board we are plugged into:
    bool generator, checker, all_counters; // built into all of them
    bool pins;                             // into any
    bool good;                             // the graph is a torus, or attach found one
    bool attached;
    bool addressed;           // all boards can be reached by address
    double clock;             // cycles a second of the board we are plugged into, 0: not read yet
    bool gaps;                // discovered: a torus all of whose faults are missing cables, boards
    struct torus_place *kept; // torus_keep()
    unsigned kept_count;
    uint8_t kept_k[3];
    struct fault *faults;
    unsigned fault_count, fault_room;
    unsigned missing, absent; // of them, cables and boards that are not there
    bool faults_lost;         // there was no memory for one

    // Tables.
    struct torus_table in_force;  // that this handle has written, its destinations ours,
    uint32_t *committed;          // by what CRC boards did, by coordinates
    uint32_t active;              // descriptor and generation; 0: not known
    struct torus_changes changes; // of the last program
    struct torus_preset preset;   // as last read or written
    enum torus_traffic traffic;   // class of its packets
    unsigned generation;

    // Measurement.
    double collective_flits;   // link flits of a collective, 0: not worked out yet
    bool started;              // generators may run that this handle has started
    unsigned ahead;            // cycles from now to the start of a run, 0: to be guessed
    struct one_time *one_time; // of the boards (measure.h), NULL: not looked at yet
};

// Structures of options, of which callers may have an older or a newer form. All of `from` that is
// known; false: it has no size, or something set that is unknown here. The other way round.
bool options_take(void *to, size_t room, const void *from);
void options_give(void *to, size_t size, const void *from, size_t known);

// A handle with the options, NULL without memory.
struct torus *handle_new(const struct torus_options *options);
int options_check(struct torus *t);
void handle_free(struct torus *t);
// Frees what is known of the boards' clocks: others may be meant by the next request.
void clocks_forget(struct torus *t);

// Records the error and returns it.
__attribute__((format(printf, 3, 4))) int fail(struct torus *t, int error, const char *format, ...);
int ok(struct torus *t);

uint32_t random_word(void); // that nobody can guess; not 0
double monotonic(void);     // seconds
void pause_seconds(double seconds);
// The same between two looks at traffic that may last: TORUS_E_CANCELLED where it shall not go on.
int wait_more(struct torus *t, double seconds);
bool is_cancelled(const struct torus *t); // shall it end? Asks whoever has opened the handle
int look_cancelled(struct torus *t);
// In the middle of what is else not cancelled (t->uncut): here it may be.
int cancel_point(struct torus *t);
// Tells options.progress, now and then.
void progress(struct torus *t, const char *what, double done, double total);

// "(3,0)", in 3 dimensions "(3,0,1)"; a place outside of 2 dimensions has 3, too. "4x4", "3x4x5".
const char *place_text(const struct torus *t, const uint8_t at[3], char text[16]);
const char *size_text(const struct torus *t, char text[16]);

// Coordinates as in packet headers: x 3:0, y 7:4, z 11:8.
static inline uint32_t pack_at(const uint8_t at[3])
{
    return at[0] | (uint32_t)at[1] << 4 | (uint32_t)at[2] << 8;
}

// Of the torus as discovered or attached to.
static inline unsigned node_count(const struct torus *t)
{
    return (unsigned)t->k[0] * t->k[1] * t->k[2];
}

// Can all boards that there are be asked by address? Of a torus, or of one in which boards are
// missing, which destination tables lead around.
static inline bool reached(const struct torus *t)
{
    return t->good || (t->gaps && t->absent);
}

// So many there are, and where each is.
static inline unsigned there(const struct torus *t)
{
    return t->absent ? t->board_count : node_count(t);
}

static inline void there_at(const struct torus *t, unsigned board, uint8_t at[3])
{
    if (t->absent)
        memcpy(at, t->boards[board].at, 3);
    else
        torus_node_at(t->k, board, at);
}

static inline unsigned node_of(const struct torus *t, const uint8_t at[3])
{
    return torus_node(t->k, at);
}

static inline void node_at(const struct torus *t, unsigned node, uint8_t at[3])
{
    torus_node_at(t->k, node, at);
}

#endif
