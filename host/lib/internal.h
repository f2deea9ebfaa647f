// SPDX-License-Identifier: Apache-2.0
// What the files of libtorus share. Not installed.
#ifndef TORUS_INTERNAL_H
#define TORUS_INTERNAL_H

#include "libtorus.h"
#include "protocol.h"

#define API __attribute__((visibility("default")))

enum { MAX_BOARDS = 4096, MAX_FAULTS = 64, WIDTH = 240, MAX_WINDOW = 7 };

struct fault {
    char text[WIDTH];
    enum torus_fault_kind kind;
    struct torus_cable cable;
};

struct torus {
    struct torus_transport transport;
    struct torus_options options;
    uint16_t session, seq;
    bool window_wanted;           // options.window was given
    bool wrote;                   // we may hold leases
    unsigned collectives;         // done so far
    double collective_flits;      // link flits of a collective, 0: not worked out yet
    unsigned ahead;               // cycles from now to the start of a run, 0: to be guessed
    double round_trip, last_good; // seconds; smoothed, monotonic time of the last good answer
    double kept_gap;              // seconds before sending again, from a request that was
    uint8_t rx[OFR_FRAME_BYTES];
    unsigned rx_count;
    char detail[WIDTH];

    struct torus_board *boards; // by discover
    unsigned board_count, board_room;
    unsigned dims;
    uint8_t k[3]; // 0: unknown
    unsigned slots, slot_flits, flit_bytes;
    bool generator, checker, pins; // built in
    bool good;                     // the graph is a torus, or attach found one
    bool attached;
    bool gaps;                  // discovered: a torus all of whose faults are missing cables
    struct torus_preset preset; // as last read or written
    enum torus_traffic traffic; // class of its packets
    unsigned generation;
    struct fault *faults;
    unsigned fault_count, missing; // missing: of them, cables that are not there
    struct alignment *alignment;   // of the boards' clocks (align.c), NULL: not looked at yet
};

enum state { WAITING, SENT, DONE, FAILED };

// A request and its response. Set mode, to, aggregate, m[0] by request_*(), then exchange().
struct request {
    enum ofr_mode mode;
    uint32_t to; // coordinates (x 3:0, y 7:4, z 11:8)
    enum ofr_aggregate aggregate;
    uint32_t m[OFR_MESSAGE_WORDS], r[OFR_MESSAGE_WORDS];
    enum state state;
    enum ofr_status status;
    double sent, first, gap; // monotonic seconds
    bool resent;
    double moved;     // when PENDING last said another number of boards,
    uint32_t missing; // this one
};

// Records the error and returns it.
__attribute__((format(printf, 3, 4))) int fail(struct torus *t, int error, const char *format, ...);
int ok(struct torus *t);
double monotonic(void);
void pause_seconds(double seconds);

// A handle with the options, NULL without memory.
struct torus *handle_new(const struct torus_options *options);

// Over USB (usb.c): opens a board's FTDI chip, by its serial number or place on the bus, NULL: the
// only one.
int usb_open(struct torus *t, const char *wanted);

// Messages: by path (hops = 0: the gateway), by address, to all.
void by_path(struct request *q, const uint8_t *path, unsigned hops, unsigned op, unsigned arg);
void by_address(struct request *q, uint32_t to, unsigned op, unsigned arg);
void to_all(struct request *q, enum ofr_aggregate aggregate, unsigned op, unsigned arg);
uint32_t pack_at(const uint8_t at[3]);
const char *port_name(unsigned port);

// Does all requests, `window` at a time. At most one of them may be a writing one to the same board
// unless window is 1. TORUS_OK: all have an answer, whose status is to be looked at.
// TORUS_E_TIMEOUT: some have none (state FAILED). The detail names the first.
int exchange(struct torus *t, struct request *q, unsigned count);
// One request. Statuses other than OFR_OK become errors with a detail that begins with `what`.
int ask(struct torus *t, struct request *q, const char *what);
int status_error(struct torus *t, const struct request *q, const char *what);
// A collective over all boards: m is the message (4 data words); result: combined data, may be
// NULL.
int ask_all(struct torus *t, enum ofr_aggregate aggregate, unsigned op, unsigned arg,
            const uint32_t data[4], uint32_t result[4], const char *what);
unsigned torus_nodes(const struct torus *t);
// Node number and coordinates.
unsigned node_of(const struct torus *t, const uint8_t at[3]);
void node_at(const struct torus *t, unsigned node, uint8_t at[3]);
// The number of the board we are plugged into (clock.c).
int gateway_node(struct torus *t, unsigned *node);

// A preset or a custom table in 16 bits, which boards keep beside the generation.
uint32_t describe(const struct torus_preset *p);
uint32_t describe_table(const struct torus_table *table);
struct torus_preset described(uint32_t word); // a custom one: only its routing
enum torus_traffic described_traffic(uint32_t word);
bool described_destinations(uint32_t word); // a custom one that has some
// OFR.DATA values, 2^dims sets of 8; returns how many.
unsigned table_bytes(const struct torus_table *table, uint8_t out[64]);
// OFR.PARAM (15:0), OFR.WIDN (23:16), NODE.ROUTING's select (25:24) and threshold (29:26).
uint32_t table_parameters(const struct torus_table *table);

// Destination tables (destinations.c): registers PINS of all boards, over directed routes as
// discovered.
// What is wrong with a list in itself: a line in `text`, false.
bool destinations_check(const struct torus_table *table, char text[120]);
// Likewise in this torus: TORUS_E_USAGE.
int destinations_fit(struct torus *t, const struct torus_table *table);
// TORUS_E_USAGE: a board is built without the table.
int destinations_built(struct torus *t);
// What PINS.ADDR holds when a table is whole, 1 to 254: which generation's it is. There: 0, when
// there is none; DESTINATIONS_WORK, while it is written.
enum { DESTINATIONS_WORK = 255 };
unsigned destinations_tag(unsigned generation);
// Off; then, with all off, entries cleared and written, and the tag; then on.
int destinations_off(struct torus *t);
int destinations_write(struct torus *t, const struct torus_table *table, unsigned generation);
int destinations_on(struct torus *t);
// The same short writing operation to `count` boards from number `first` on, by path. high: d2,
// bits 31:16; value: d3.
int write_boards(struct torus *t, unsigned first, unsigned count, unsigned op, unsigned arg,
                 unsigned high, uint32_t value, const char *what);

// A lifetime below 0: a packet came before it was generated. So the boards' clocks are apart.
static inline bool below_zero(uint32_t lifetime)
{
    return lifetime >> 31;
}
// One time for all boards (align.c): sees to it that all NODE.TIME are the same, and aligns them
// where they are not, or may no longer be. Then clocks_error() says how far they may be apart
// within the next so many cycles, in cycles; 0: boards that share a clock.
int clocks_ready(struct torus *t);
// The error that a run ends with when it shows that it is not so. Once after it, where the boards
// seemed to share a clock: true, and they do no longer. So then it is to be done again.
int clocks_differ(struct torus *t);
bool clocks_doubted(struct torus *t);
// Only looks: *same is whether they are.
int clocks_known(struct torus *t, bool *same);
double clocks_error(const struct torus *t, double cycles);
void clocks_forget(struct torus *t); // frees what is known
// By pings (clock.c), a value a node: what its NODE.TIME is ahead of that of the board we are
// plugged into, in cycles, and by how much that may be wrong either way. *gateway: that board.
int clocks_compare(struct torus *t, double *ahead, double *wrong, unsigned *gateway);
// A few packets along each of these, at most one from and one to each board (flow.c): the mean
// lifetime, which may be below 0, where the clocks are up to `apart` cycles apart either way. They
// are sent `later` cycles later than they could be.
int flow_lifetimes(struct torus *t, struct torus_flow *flow, unsigned count, uint32_t apart,
                   uint32_t later);
// Waits for a NODE.TIME of the board we are plugged into.
int wait_time(struct torus *t, uint32_t until);
// Counters of all boards as latched; once all are read, `each` is called.
int read_counters(struct torus *t,
                  void (*each)(void *ctx, const uint8_t at[3], const uint64_t *counters),
                  void *ctx);
// Of a run (run.c): are its settings possible? Fills in packet_flits.
int check_run(struct torus *t, struct torus_run *run);
// PERIOD and the number of messages for the load wanted. 0: the load is out of range.
uint32_t messages_of(const struct torus_run *run, uint32_t *ticks);

// Recognises the torus in what discover found: sizes, coordinates, faults.
int recognise(struct torus *t);
// Compares every cable with what the boards' coordinates want (cables.c): faults.
int check_cables(struct torus *t);
// Notes a fault. cable: NULL if it is not about one.
__attribute__((format(printf, 4, 5))) void fault(struct torus *t, enum torus_fault_kind kind,
                                                 const struct torus_cable *cable,
                                                 const char *format, ...);

#endif
