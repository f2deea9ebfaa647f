// SPDX-License-Identifier: Apache-2.0
// libtorus: discover, program and measure a torus of Outflank boards through one of them.
//
//     struct torus *t;
//     if (torus_open(&t, "unix:/tmp/board0", NULL) != TORUS_OK)       // plugged into one board
//         errx(2, "%s", torus_detail(t));                             // t is there even so
//     if (torus_discover(t) != TORUS_OK) ...                          // who is where
//     struct torus_preset p = torus_preset_default(TORUS_OFR);
//     if (torus_program(t, &p) != TORUS_OK) ...                       // coordinates, tables
//     struct torus_run run = torus_run_default();
//     struct torus_result result;
//     if (torus_run(t, &run, &result) != TORUS_OK) ...
//     torus_close(t);
//
// Every function returns TORUS_OK or an error; torus_strerror() says what kind, torus_detail() what
// exactly, where, and what to do, in one line. Everything ends: see struct torus_options. A handle
// is for one thread at a time; there is no state outside of handles. Link with -ltorus.
//
// Structures of options may get more members at their ends without a new soname: their `size` says
// how much of one there is, and torus_..._default() sets it. All other structures are as they are
// as long as the soname is.
#ifndef LIBTORUS_H
#define LIBTORUS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Version and errors ------------------------------------------------------------------------------

// Version of this header, and of the library that it goes with; torus_version() is that of the
// library that is there, as "0.2.0".
#define TORUS_VERSION_MAJOR 0
#define TORUS_VERSION_MINOR 2
#define TORUS_VERSION_PATCH 0
const char *torus_version(void);

enum torus_error {
    TORUS_OK = 0,
    TORUS_E_USAGE,     // an argument out of range, or out of order
    TORUS_E_TRANSPORT, // cannot open, or the connection broke
    TORUS_E_TIMEOUT,   // no answer
    TORUS_E_PROTOCOL,  // an answer that makes no sense, or another protocol version
    TORUS_E_BUSY,      // another session has the write lease
    TORUS_E_LOCKED,    // the boards have a key
    TORUS_E_MISCABLED, // what was discovered is no torus; see torus_fault()
    TORUS_E_UNKNOWN,   // the boards are not programmed, or the torus is not discovered
    TORUS_E_MIXED,     // boards with different table generations: torus_program_resume(), _abort()
    TORUS_E_BOARD,     // a board refused: bus error, bad argument; boards' clocks differ
    TORUS_E_FAILED,    // a check failed: packets lost or damaged, counters that do not fit
    TORUS_E_MEMORY,
    TORUS_E_LEASE,     // the write lease ran out, or was taken over, in the middle of something
    TORUS_E_CANCELLED, // torus_options.cancelled said so
};

struct torus;

// Byte streams ------------------------------------------------------------------------------------

// A connection to a board. read: waits up to `milliseconds` (0: not at all) for at least a byte;
// returns how many (at most `bytes`), 0 for none yet, -1 when the connection is broken. write:
// waits up to `milliseconds` for room; returns how many it took, 0 or -1 likewise. close frees ctx.
struct torus_transport {
    int (*read)(void *ctx, void *to, size_t bytes, int milliseconds);
    int (*write)(void *ctx, const void *from, size_t bytes, int milliseconds);
    void (*close)(void *ctx);
    void *ctx;
};

// Handle ------------------------------------------------------------------------------------------

struct torus_options {
    size_t size;       // sizeof(struct torus_options): torus_options_default()
    double timeout;    // seconds without any answer before giving up (default 30; 0: default); of
                       // a board that was waited for in vain, until it is heard again, and once
                       // `cancelled` says so, 2, or 8 round trips if that is more
    double retry;      // seconds before a request is first sent again (default 0.5; 0: default)
    unsigned window;   // requests under way at once, 1 to 7 (0: 4; discover, counters 7)
    uint16_t session;  // session number, which others see (0: random)
    uint64_t key;      // unlocks boards that have a key (0: none); others need none
    uint32_t token;    // of the write leases that are taken, a secret (0: random)
    bool take_over;    // take leases over whose token this is, or with the key: torus_lease()
    const char *label; // what others are told who has the lease, 8 bytes at most (NULL: $USER)
    unsigned baud;     // usb, tty: bits per second (0: default, 115200)
    // Looked at several times a second: true ends the call that is under way with
    // TORUS_E_CANCELLED, generators stopped, the lease given back. A program that has begun to
    // write goes on, unless it is staged over directed routes (destinations), of which nothing is
    // left then. NULL: never.
    bool (*cancelled)(void *ctx);
    // Is shown every frame of 32 bytes, keys too; torusctl --debug decodes them. NULL: none.
    void (*frame)(void *ctx, bool sent, const uint8_t bytes[32]);
    // Is told, at most ten times a second, how far a call has come: `done` of `total` (0: nobody
    // knows) of what it counts, as "boards" or "cycles". NULL: nobody wants to know.
    void (*progress)(void *ctx, const char *what, double done, double total);
    void *ctx; // of these three
};
// The defaults, in a structure of `size` bytes.
void torus_options_init(struct torus_options *options, size_t size);
static inline struct torus_options torus_options_default(void)
{
    struct torus_options options;
    torus_options_init(&options, sizeof options);
    return options;
}

// Opens a connection. `where`: "usb" (the one board on USB) or "usb:SERIAL" (or the place on the
// bus, as "usb:1-2.3"), "unix:PATH" (socket), "tcp:PORT" (of this machine: torusctl serve --tcp),
// or "tty:PATH" or a path below /dev (pty, serial port: raw, 8N1, no flow control, at
// options->baud, for this process alone). A board that another process of this user shares
// (torus_share()) is reached through that. options may be NULL: the defaults. *out is a handle even
// on failure (for the detail; close it), or NULL if there is no memory. Does not talk to the board
// yet. TORUS_E_USAGE: also options without a size, or with something set that this library is too
// old for.
int torus_open(struct torus **out, const char *where, const struct torus_options *options);

// What could be opened: boards on USB, sockets of simulators and of shared boards that somebody
// listens at. Nothing is opened or asked; a serial line cannot be told from others and is not in
// it.
struct torus_stream {
    char where[128]; // for torus_open()
    char what[64];   // for people
};
// Up to `room` of them; returns how many there are.
unsigned torus_list(struct torus_stream *out, unsigned room);

// Sharing: what torusctl serve does. Opens as torus_open() does, but the board itself, and offers a
// Unix socket, in a folder that only this user can enter, where torus_open() of her other processes
// finds it by the board's own name. TORUS_E_TRANSPORT: another process has or shares it. What comes
// there is the caller's to pass on, whole frames of 32 bytes, each answer to who asked;
// torus_close() removes the socket.
int torus_share(struct torus **out, const char *where, const struct torus_options *options);
const char *torus_share_path(const struct torus *t); // of the socket; NULL: not shared
// What to poll(): first the socket, for connections, then the board, for bytes from it and, if
// `writing`, for room. Returns how many, at most `room`.
unsigned torus_share_poll(struct torus *t, struct pollfd *fds, unsigned room, bool writing);
int torus_share_accept(struct torus *t); // a connection, non-blocking; -1: none
// Bytes from and to the board, as they are, without waiting: how many; 0: none, -1: it is gone.
int torus_share_read(struct torus *t, void *to, size_t bytes);
int torus_share_write(struct torus *t, const void *from, size_t bytes);

// The same over a stream of one's own.
int torus_open_transport(struct torus **out, struct torus_transport transport,
                         const struct torus_options *options);

// Stops the generators that this handle has started and could not stop before, gives the write
// lease back if it has it or could not give it back before (an answer is waited for for a second at
// most), and closes.
void torus_close(struct torus *t);
// Lets others at the board: closes the connection until torus_back() opens it again (not: a board
// that this handle shares, a transport of one's own; while the lease is held). In between nothing
// is asked. For programs that look now and then; and after TORUS_E_TRANSPORT, to find the board
// anew.
void torus_rest(struct torus *t);
// As torus_open(): by the process that shares the board now, or without one. Where it fails it may
// be tried again.
int torus_back(struct torus *t);
// Does the connection go through another process, which shares the board? Then nobody waits for it.
bool torus_shared(const struct torus *t);
// Did torus_open(), torus_share() or torus_back() fail as another process has the board? They wait
// for it for a second, and say which one.
bool torus_taken(const struct torus *t);

const char *torus_strerror(int error);           // kind of error, never NULL
const char *torus_detail(const struct torus *t); // the last error in one line; "" after success

// This handle's session number.
uint16_t torus_session(const struct torus *t);

// Boards ------------------------------------------------------------------------------------------

enum { TORUS_PORTS = 6, TORUS_MAX_HOPS = 24, TORUS_COUNTERS = 129 };

// Ports: x+ 0, x- 1, y+ 2, y- 3, z+ 4, z- 5. "x+", ...; 6: "local"; "?" for another number.
const char *torus_port_name(unsigned port);
int torus_port_named(const char *name); // 0 to 5, -1 if unknown

// Nodes are numbered x + kx y + kx ky z, in a torus of kx x ky x kz (1: dimension absent).
unsigned torus_node(const uint8_t k[3], const uint8_t at[3]);
void torus_node_at(const uint8_t k[3], unsigned node, uint8_t at[3]);

// Counters of a board, index 0 to TORUS_COUNTERS - 1 as ofr_regs.h has them: "delivered",
// "x+.adaptive.flits", ... False: a torus of so many dimensions has no such counter (a port).
enum { TORUS_NAME = 32 };
bool torus_counter_name(unsigned index, unsigned dims, char name[TORUS_NAME]);
int torus_counter_named(const char *name, unsigned dims); // -1 if unknown
// Do the boards attached to or discovered count this? Small ones (NODE.SHAPE.COUNT) do not count
// all, and FLITS of all VCs as the adaptive one's. What is not counted is 0 in torus_counters().
bool torus_counter_built(const struct torus *t, unsigned index);

struct torus_board {
    uint64_t serial;
    uint8_t dims;    // 2 or 3: the ports it has are 0 to 2 dims - 1
    uint8_t links;   // ports whose link is up, bit p
    bool configured; // as it says itself
    bool placed;     // coordinates known
    uint8_t at[3];   // coordinates in the torus, as discovered (as programmed: after program)
    uint8_t hops;    // directed path from the board we are plugged into
    uint8_t path[TORUS_MAX_HOPS];
    int peer[TORUS_PORTS];         // board at the other end of the cable at port p, -1: none
    int8_t peer_port[TORUS_PORTS]; // and its port
};

// Finds all boards that cables lead to, over directed routes (breadth first), whatever the cabling
// and whether configured or not; recognises the torus; gives every board coordinates (see
// torus_keep()). TORUS_E_MISCABLED: it is no torus, see torus_fault(); the
// boards found are there all the same.
int torus_discover(struct torus *t);

// Coordinates that boards shall have. All of a torus can only be moved together, so the next
// discovers, where they find a torus of these sizes, give theirs to as many of these boards as is
// possible. Else, and for count 0, boards keep those that they have been programmed with, if all
// that have some agree; else (0, 0, 0) is the board with the lowest serial number.
struct torus_place {
    uint64_t serial;
    uint8_t at[3];
};
int torus_keep(struct torus *t, const uint8_t k[3], const struct torus_place *places,
               unsigned count);

// Writes what discover found into the boards: sizes, coordinates, tie `both`. From then on they can
// be reached by address, and torus_attach() works; torus_program() does it too where it was not
// done.
int torus_assign(struct torus *t);

// A quick look instead, for boards that are configured: reads the torus' sizes from the board we
// are plugged into, and checks that all boards answer and agree. TORUS_E_UNKNOWN: not configured.
// TORUS_E_MIXED: half programmed.
int torus_attach(struct torus *t);

// What discover found, valid until the next discover. Number of boards, 0 before; board i.
unsigned torus_boards(const struct torus *t);
const struct torus_board *torus_board(const struct torus *t, unsigned i);
// Sizes (1: dimension absent), after discover or attach: returns dimensions (2 or 3), or 0.
unsigned torus_sizes(const struct torus *t, uint8_t k[3]);
// Faults of the cabling, one line each: fault i, or NULL.
const char *torus_fault(const struct torus *t, unsigned i);
// What kind of fault i is. Each wrong cable is one fault, and each cable that there are too few;
// a seam that is twisted or mirrored is one more, before the cables in it.
enum torus_fault_kind {
    TORUS_FAULT_NONE,      // there is no fault i
    TORUS_FAULT_BOARD,     // a board: missing, silent, unlike the others, one too many
    TORUS_FAULT_MISSING,   // no cable where there should be one
    TORUS_FAULT_SWAPPED,   // cables of which each is in another one's place
    TORUS_FAULT_DOUBLED,   // a second cable between two boards, which belongs elsewhere
    TORUS_FAULT_LOOPED,    // from a board to itself
    TORUS_FAULT_MISPLACED, // any other wrong cable
    TORUS_FAULT_TWIST,     // all round a ring cables go to the row so many further on
    TORUS_FAULT_MIRROR,    // or to the rows in the opposite order
    TORUS_FAULT_LINK,      // an end of a link that does not come up since its two ends do not fit
};
// A cable and its ends, -1 where a fault is not about one. board[0], port[0]: the end that may stay
// (missing: the + end). to, to_port: where the other end belongs; to = -1: to a board that is
// missing or, where to_port is -1 too, nowhere: the cable is one too many.
struct torus_cable {
    int board[2];
    int8_t port[2];
    int to;
    int8_t to_port;
};
// cable may be NULL.
enum torus_fault_kind torus_fault_kind(const struct torus *t, unsigned i,
                                       struct torus_cable *cable);
// "missing", ...; NULL if unknown.
const char *torus_fault_name(enum torus_fault_kind kind);
// All of them are missing cables or boards: a table with destinations may still be programmed.
bool torus_gaps(const struct torus *t);

// What a board says of itself. hops = 0 and path = NULL: the one we are plugged into.
struct torus_identity {
    uint64_t serial;
    uint8_t dims, links, version; // version: of the protocol
    bool configured, has_key, leased, staged;
    uint8_t at[3];   // if configured
    uint8_t arrival; // port the request came in by, 7: UART
    double seconds;  // round trip
};
int torus_ping_path(struct torus *t, const uint8_t *path, unsigned hops,
                    struct torus_identity *out);
// By coordinates: the boards must be configured.
int torus_ping(struct torus *t, const uint8_t at[3], struct torus_identity *out);

// Tells fn of every board that has a place, where it is: as discovered or, after torus_attach(), by
// asking all of them. TORUS_E_UNKNOWN: neither has been done.
typedef void (*torus_place_fn)(void *ctx, uint64_t serial, const uint8_t at[3]);
int torus_places(struct torus *t, torus_place_fn fn, void *ctx);

// Coordinates of the board with this serial number, found the same way. TORUS_E_USAGE: there is
// none.
int torus_find(struct torus *t, uint64_t serial, uint8_t at[3]);

// A register of a node by its byte offset (ofr_regs.h, which is installed too), by coordinates; at
// = NULL: the board we are plugged into, configured or not. torus_write: TORUS_E_BOARD
// where the register does not take that value, or not now; torusctl reg says what it takes.
// torus_read has those of block BOARD besides: TORUS_BOARD + offset, up to OFR_BOARD_CLOCK.
#define TORUS_BOARD 0x6000
int torus_read(struct torus *t, const uint8_t at[3], unsigned offset, uint32_t *value);
int torus_write(struct torus *t, const uint8_t at[3], unsigned offset, uint32_t value);

// Links -------------------------------------------------------------------------------------------

enum torus_link_state {
    TORUS_LINK_DOWN,
    TORUS_LINK_TRAINS,
    TORUS_LINK_UP,
    TORUS_LINK_FAILED // the two ends do not fit
};

// What an end's physical layer has found of the wires that come to it, since it last locked: bits
// of each that were looked at, wrong ones, how many sampling points, half a bit apart, were good in
// training (0 to 2), which one is in use, in half bits, the earliest 0. `wires` 0: there is no such
// layer, or it does not show itself. Not locked: only the eyes mean something, 0 is a dead wire.
// Counting stops at 2^31 bits, and once a wire has 512 errors, until the next lock.
enum { TORUS_WIRES = 8 };
struct torus_phy {
    unsigned wires;
    bool locked;  // bits and words of the other end are found
    bool stopped; // no clock comes
    bool lost;    // words come faster than the board's clock takes them: clocks too far apart
    bool test;    // this end is in a bit error test
    double bits;
    struct torus_wire {
        double errors;
        unsigned eye, place;
    } wire[TORUS_WIRES];
};

// One end of a link, as it says itself. Where `reliable` is false, the link is a plain one, of
// which only the state is known. Numbers are since the board's reset, and stay at 2^32 - 1.
struct torus_link {
    enum torus_link_state state;
    bool reliable;
    unsigned why;         // it fell or may not come up, the last time: torus_link_why()
    uint64_t peer;        // serial number of the board at the other end when last heard; 0: unknown
    double up_seconds;    // for which it was up, in all
    double since_seconds; // since it came up or, where it is not up, since it fell
    double longest_seconds; // longest time for which it was down after it had been up
    uint32_t falls;         // how often it fell
    uint32_t frames;        // sent, with flits in them
    uint32_t crc;           // damaged frames received
    uint32_t retries;       // how often it went back to a lost frame
    double bits;            // that came while it was up
    struct torus_phy phy;
};

// The links at all ports of a board that torus_discover() has found, over directed routes: with any
// cables, and whether boards are programmed or not.
int torus_links(struct torus *t, unsigned board, struct torus_link links[TORUS_PORTS]);
const char *torus_link_state_name(enum torus_link_state state); // "down", ...; NULL if unknown
const char *torus_link_why(unsigned why);                       // "silence", ...; NULL if unknown

// What the rate of errors of a bit is below, with a confidence from 0 to 1, where so many were met
// in so many bits: the upper limit of a Poisson distribution's mean. Of torus_link, errors are
// `crc` and bits `bits`: several wrong bits in a frame are one error. NAN: arguments out of range.
double torus_error_bound(uint64_t errors, double bits, double confidence);

// A bit error test of a cable: both its ends send a PRBS, and count the wrong bits that come, for
// `seconds` of the board's clock, up to 86400; the link is down meanwhile, all others go on. It
// ends by itself, in hardware, whatever becomes of this program; in turns of 2^31 bits a wire at
// most, and once more whatever is left. Needs torus_discover(), and has the lease of all boards. A
// link that is not up is tested at this end alone; so is a cable that joins a port with itself.
// TORUS_E_USAGE: no such board or port. TORUS_E_BOARD: no physical layer that could.
struct torus_bert {
    double seconds;  // that it took, of the board's clock
    double rate;     // bits a second over a wire
    bool was_up, up; // the link, before and after
    unsigned ends;   // 2: both were read
    struct torus_bert_end {
        unsigned board, port;
        struct torus_phy phy; // bits and errors of all turns, the rest as of the last one
    } end[2];                 // the first: the nearer one
};
int torus_bert(struct torus *t, unsigned board, unsigned port, double seconds,
               struct torus_bert *out);

// Channels ----------------------------------------------------------------------------------------

// Streams of messages between ends of two boards, of any length, in order, each with its border;
// boards have ends where they are built with channels. An end is its pins', or software's; here it
// becomes software's, as fast as the board's core moves bytes (up to 384 a request; 16 through
// another process): not for speed. Needs a torus that is programmed, and the lease, which is taken
// for a moment each time; several hosts can have ends. `seconds` is how long to wait for the other
// side, 0: do what can be done now. TORUS_E_FAILED: the channel is broken or closed: the detail
// says why, and how many bytes have arrived. TORUS_E_USAGE: a node outside of the torus, an end
// that there is not or that is not open.
struct torus_end {
    uint8_t at[3];
    uint8_t end; // from 0
};

// Joins two ends, which may be of one board. TORUS_E_BOARD: one is busy, with whom is said, and
// what frees it; TORUS_E_TIMEOUT: there is no way there. After an error who had an end has it
// again.
int torus_channel_open(struct torus *t, const struct torus_end *from, const struct torus_end *to,
                       double seconds);

// Joins two ends, each for its user: software, as above, or who has the end in the board: the logic
// at its pins, or a user's core, for the ends that its program has. Until torus_channel_close() or
// _abort(), of either end. TORUS_E_BOARD: also, the logic there is inside a message.
enum torus_channel_user { TORUS_SOFTWARE, TORUS_PINS };
int torus_channel_join(struct torus *t, const struct torus_end *from,
                       enum torus_channel_user from_user, const struct torus_end *to,
                       enum torus_channel_user to_user, double seconds);

// Gives an end of software's back to who has it in the board; that of theirs stays. TORUS_E_BOARD:
// it is busy: close or abort it first. TORUS_E_USAGE: also, the board's collectives have it.
int torus_channel_release(struct torus *t, const struct torus_end *end);

// Sends a message, which may be empty. TORUS_E_TIMEOUT: there was room for *sent bytes of it only,
// as the other end takes nothing; the rest may follow by another call. Where a board stops
// answering (TORUS_E_FAILED) or the lease is lost (TORUS_E_LEASE) with bytes under way, nobody
// knows how many of these have gone: *sent is what certainly has, the detail how many more there
// may be. Abort it then.
int torus_channel_send(struct torus *t, const struct torus_end *from, const void *data,
                       size_t bytes, double seconds, size_t *sent);

// Receives the rest of a message, up to `room` bytes: *whole: its end has come. Neither a byte nor
// an end: the other side has closed the channel, and all of it has come; behind a part of a message
// that is one that was cut. room must be 8 at least.
// TORUS_E_TIMEOUT: *got bytes, and no more. What was under way may be lost as in send.
int torus_channel_recv(struct torus *t, const struct torus_end *to, void *data, size_t room,
                       double seconds, size_t *got, bool *whole);

// Closes it from either end: what was sent is still taken by the other side, which is waited for,
// and at the pins the message under way there. TORUS_E_TIMEOUT: not yet; close it again. abort: at
// once, whatever is under way, and what has come and was not taken is thrown away; but at the pins,
// where that is the logic's: the end is free once that has taken it.
int torus_channel_close(struct torus *t, const struct torus_end *end, double seconds);
int torus_channel_abort(struct torus *t, const struct torus_end *end);

// An end as it is. Of a board without channels TORUS_E_USAGE.
struct torus_channel {
    const char *state;  // "idle", "open", "ended", ...
    const char *reason; // why it has ended, "closed", ...; NULL: it has not
    struct torus_end peer;
    bool open, free;         // free: torus_channel_open() can have it
    bool software;           // not its pins', nor the board's collectives'
    bool waits;              // a beat has come for software, and is not taken
    uint32_t sent, received; // bytes of this connection, modulo 2^32
    uint32_t heard;          // that the other side has said to have received
    bool collective;         // the board's collectives have it (torus_tree_open())
};
int torus_channel_state(struct torus *t, const struct torus_end *end, struct torus_channel *out);

// Messages and collectives ------------------------------------------------------------------------

// Messages of any length over channels' ends that software has, and collectives over groups of
// boards, both by requests through the board plugged into, as channels. A process acts for as many
// ends, or members of a group, as it likes; the others are other processes', at this board or
// others: what each moves waits in its board for the other side, and the lease goes from one to the
// other. `seconds` is how long nothing may move: TORUS_E_TIMEOUT, and all can be done anew, with
// the rest. TORUS_E_FAILED: a channel is broken or closed, the detail says which and why.

struct torus_message {
    struct torus_end end;
    bool take;    // it comes from the end; false: it is sent
    void *data;   // what is sent, which is not written to; or room
    size_t bytes; // of it
    int other;    // which of these messages is this one at its other end, so that neither side is
                  // asked in vain; -1: none
    // Results, whether it failed or not
    size_t moved; // bytes that went, or came
    bool whole;   // and its end
};

// Sends and receives them all, at once; an end has one each way at most. TORUS_E_USAGE: also where
// more came than there was room for: that is thrown away, *moved says how long it was.
int torus_messages(struct torus *t, struct torus_message *message, unsigned count, double seconds);
// One of them. recv: *bytes as `moved`.
int torus_message_send(struct torus *t, const struct torus_end *from, const void *data,
                       size_t bytes, double seconds);
int torus_message_recv(struct torus *t, const struct torus_end *to, void *data, size_t room,
                       double seconds, size_t *bytes);

// Some boards, each a member, by their place in a list; joined by a tree of channels. A member has
// three ends for that, `end` toward member 0, the others away from it.
struct torus_group;
struct torus_group_options {
    size_t size;      // sizeof(struct torus_group_options): torus_group_options_default()
    unsigned end;     // number of the first of three ends, at each member (default 0)
    const bool *acts; // a member: does this process act for it? (NULL: for all)
    bool join;        // another process has opened the group, with the same members and `end`
    double seconds;   // how long nothing may move in a call (default 30)
};
void torus_group_options_init(struct torus_group_options *options, size_t size);
static inline struct torus_group_options torus_group_options_default(void)
{
    struct torus_group_options options;
    torus_group_options_init(&options, sizeof options);
    return options;
}
// Joins the members, at most one of a board; at = NULL: all boards, in the order of their node
// numbers. *out: NULL on an error, and nothing is left open. options may be NULL: the defaults.
// Errors as torus_channel_open(); TORUS_E_FAILED: nobody has opened what is to be joined.
int torus_group_open(struct torus_group **out, struct torus *t,
                     const struct torus_group_options *options, const uint8_t (*at)[3],
                     unsigned members);
// Closes the channels of the members that we act for, once the others have taken all, and frees it
// in any case. Before torus_close(). NULL: nothing is done. Of a group that broke as boards did not
// answer it frees the ends there now: once torus_program*() has led around what is missing,
// torus_attach() has found that, and before these ends are joined anew. An error: a channel was
// found broken, of which no call has told before, or some ends are not free: torus_channel_abort()
// frees one.
int torus_group_close(struct torus_group *group);

// Every member does the same calls in the same order; a process does each once, for all members
// that it acts for: data[m] is member m's, NULL where another process acts for it. The network has
// words with their low byte first. TORUS_E_USAGE: an argument, and nothing has happened; any other
// error breaks the group: its ends are aborted, so that the other members get an error too, who
// else waited for ever, in this call or, where their part of it was done, in their next; and it can
// only be closed. TORUS_E_FAILED: also, members do not do the same. TORUS_E_TIMEOUT: also, a board
// does not answer.
enum torus_reduction { TORUS_SUM, TORUS_MIN, TORUS_MAX, TORUS_OR }; // SUM: modulo 2^32
int torus_barrier(struct torus_group *group);
// The root's bytes to all.
int torus_broadcast(struct torus_group *group, unsigned root, void *const *data, size_t bytes);
// All members' words, each with all others' in its place: at the root, in *result; at all, in
// place.
int torus_reduce(struct torus_group *group, unsigned root, enum torus_reduction operation,
                 int32_t *const *values, int32_t *result, size_t words);
int torus_all_reduce(struct torus_group *group, enum torus_reduction operation,
                     int32_t *const *values, size_t words);
// `all`, of the root alone, has `bytes` of each member, in their order.
int torus_scatter(struct torus_group *group, unsigned root, const void *all, void *const *data,
                  size_t bytes);
int torus_gather(struct torus_group *group, unsigned root, void *const *data, void *all,
                 size_t bytes);

// Collectives in hardware -------------------------------------------------------------------------

// Groups of boards that are built with collectives: each board's block gets its place in a tree
// over channels, whose ends 0 and up become its, and does operations without a host. Its user is
// the logic at the board's pins; or software, here: for trials, a word a request. A board is in one
// group. Errors as torus_channel_open(); TORUS_E_USAGE: also, a board built without, or with too
// few children for that shape; TORUS_E_BOARD: a block is not at rest.
struct torus_tree;
enum torus_tree_shape {
    TORUS_TREE,  // in dimension order, as deep as the torus is wide: for barriers, short vectors
    TORUS_CHAIN, // all in a row with the root in its middle: for long ones
};
struct torus_tree_options {
    size_t size;   // sizeof(struct torus_tree_options): torus_tree_options_default()
    unsigned root; // a member, by its place in the list (default 0)
    enum torus_tree_shape shape;
    bool software;  // the user, in place of the pins
    double seconds; // how long nothing may move in a call (default 30)
};
void torus_tree_options_init(struct torus_tree_options *options, size_t size);
static inline struct torus_tree_options torus_tree_options_default(void)
{
    struct torus_tree_options options;
    torus_tree_options_init(&options, sizeof options);
    return options;
}
// Forms the group: at most one member of a board; at = NULL: all boards, in the order of their node
// numbers. *out: NULL on an error, and nothing is left open. options may be NULL: the defaults.
int torus_tree_open(struct torus_tree **out, struct torus *t,
                    const struct torus_tree_options *options, const uint8_t (*at)[3],
                    unsigned members);
// Frees it; the group stays, for the logic at the pins. NULL: nothing is done.
void torus_tree_keep(struct torus_tree *tree);
// Ends it in any case, and frees it: what is under way is left, the channels are aborted, their
// ends and the blocks become their pins' again. NULL: nothing is done.
int torus_tree_close(struct torus_tree *tree);
// The same at these boards, whoever has formed their groups. All must answer, or nothing is done:
// where a cable or a board was lost, torus_program*() leads around it first.
int torus_tree_clear(struct torus *t, const uint8_t (*at)[3], unsigned members);

// A member's place: its parent, -1 of the root; its distance from the root in edges; its place in
// the order of members, by which scatter and gather go.
struct torus_tree_place {
    int parent;
    unsigned depth, order;
};
struct torus_tree_place torus_tree_place(const struct torus_tree *tree, unsigned member);

// Operations of a group whose user is software, by this process for all members. TORUS_E_FAILED:
// a member's verdict is bad, the detail says which and why, or it is in the group no more;
// TORUS_E_TIMEOUT: nothing moves, or a board does not answer, and the operation has been left. It
// can only be closed then, and no result is written. values[m]: member m's words, `words` of them;
// `all` has those of each member, in the order of the list.
int torus_tree_barrier(struct torus_tree *tree);
// The root's to all.
int torus_tree_broadcast(struct torus_tree *tree, int32_t *const *values, size_t words);
// The root's parts to the members, its own included; the members' to the root.
int torus_tree_scatter(struct torus_tree *tree, const int32_t *all, int32_t *const *values,
                       size_t words);
int torus_tree_gather(struct torus_tree *tree, int32_t *const *values, int32_t *all, size_t words);
// Each with all others' in its place: at the root, in *result; at all, in place.
int torus_tree_reduce(struct torus_tree *tree, enum torus_reduction operation,
                      int32_t *const *values, int32_t *result, size_t words);
int torus_tree_all_reduce(struct torus_tree *tree, enum torus_reduction operation,
                          int32_t *const *values, size_t words);

// A user's programs -------------------------------------------------------------------------------

// Boards that are built with a user's core run a C program of the user's beside the firmware, with
// memory, ends of channels (0 and up) and a console of its own. Whatever it does, the board stays
// as it is. It is a flat image from address 0 on; made by what comes with the sources, it begins
// with a jump over the 28 bytes that torus_user_start() writes. Several boards are asked at once:
// at[boards], none of them twice, NULL: all. Needs a torus that is attached to, and, to write, the
// lease. TORUS_E_USAGE: also, a board that is built without such a core.

// Holds the program that is there, ends its streams, and loads this one. TORUS_E_USAGE: also, no
// program, or more than there is memory, and nothing was done.
int torus_user_load(struct torus *t, const uint8_t (*at)[3], unsigned boards, const void *image,
                    size_t bytes);
// From its beginning, on all boards: their place in this list is the number that a program there is
// told, with how many there are and four words (NULL: 0). Of a program that has run, initialised
// variables are as it left them. One that runs begins anew. TORUS_E_USAGE: also, none is loaded at
// one of them, and all are held.
int torus_user_start(struct torus *t, const uint8_t (*at)[3], unsigned boards,
                     const uint32_t argument[4]);
// Holds it, whatever it does.
int torus_user_stop(struct torus *t, const uint8_t (*at)[3], unsigned boards);
// Joins two ends of programs, as torus_channel_open(), which is for software's. Loading and
// torus_channel_abort() end it.
int torus_user_join(struct torus *t, const struct torus_end *from, const struct torus_end *to,
                    double seconds);

struct torus_user {
    const char *state; // "held", "running"; "ended" by itself; "stopped" by what it did wrong:
    const char *cause; // NULL: nothing
    unsigned ends;     // of channels that it has
    size_t memory;     // bytes
    bool running, ended;
    uint8_t code;     // that it ended with
    uint32_t pc;      // address of the instruction that it is at, or was at last
    uint32_t address; // of its last access outside of its memory
    unsigned lost;    // bytes that the console had no room for since the start, 255: or more
};
int torus_user_state(struct torus *t, const uint8_t at[3], struct torus_user *out);
// Takes what it has printed, up to `room` bytes, 4 at least: any bytes, without a 0 at the end.
int torus_user_console(struct torus *t, const uint8_t at[3], char *text, size_t room,
                       size_t *bytes);
// What is in the memory of a program that is held. TORUS_E_BOARD: it is not.
int torus_user_memory(struct torus *t, const uint8_t at[3], uint32_t address, void *data,
                      size_t bytes);

// Datagrams ---------------------------------------------------------------------------------------

// Single packets to any node, where boards are built with datagrams: in no order; dropped, and
// counted there (block DATAGRAM), where there is no room. A node's are its pins', or software's
// (torus_datagram_attach()), here a beat a request: for tools and trials, not for speed. Needs a
// torus that is programmed, and the lease, which is taken for each. TORUS_E_USAGE: a node outside
// of the torus, a board without datagrams, or whose datagrams are its pins'.
enum torus_traffic { TORUS_INORDER, TORUS_MINIMAL, TORUS_DEROUTE }; // class of packets

// Whose a board's datagrams are; the rest of one that another process has left half given or half
// taken is thrown away. What waits there to be taken stays. TORUS_E_BOARD: the logic at the pins is
// inside one.
int torus_datagram_attach(struct torus *t, const uint8_t at[3], bool software);

// Most bytes of one: what a packet has room for.
size_t torus_datagram_most(const struct torus *t);

// Sends one, which may be empty, from the board `from` to a node and an end there, a number from 0
// to 15 that is only carried, and returns as the network has taken it: whether it arrives the other
// board counts. TORUS_E_FAILED: it was dropped, the detail says why: no way there by the tables in
// force, say. TORUS_E_TIMEOUT: not taken in time; it may yet go, and what became of it the next
// call can be told in place of its own. TORUS_E_USAGE: also, more bytes than a packet has room for.
int torus_datagram_send(struct torus *t, const uint8_t from[3], const struct torus_end *to,
                        enum torus_traffic traffic, const void *data, size_t bytes, double seconds);

// Takes the first one that has come; *bytes: how many it has, of which there are as many in data as
// there is room for, the others are thrown away. *from, unless NULL: who sent it, and to which end
// here. TORUS_E_TIMEOUT: none has come.
int torus_datagram_recv(struct torus *t, const uint8_t at[3], void *data, size_t room,
                        double seconds, size_t *bytes, struct torus_end *from);

// Programming -------------------------------------------------------------------------------------

// TORUS_CUSTOM: a struct torus_table of one's own.
enum torus_routing { TORUS_ABR = 1, TORUS_POR, TORUS_OFR, TORUS_DOR, TORUS_RDR, TORUS_CUSTOM = 7 };

// A routing's settings. threshold: injection threshold in slots (a packet enters where more are
// free; default C/2 is 255). delta: Delta in hops, clamped to half the smallest size above 1.
struct torus_preset {
    enum torus_routing routing;
    bool tie_both;     // distance k/2: either way (default), or as published the + one
    uint8_t threshold; // 0 to 15, or 255: C/2
    uint8_t delta;     // 0 to 7
};
struct torus_preset torus_preset_default(enum torus_routing routing);
const char *torus_routing_name(enum torus_routing routing); // "abr", ...; NULL if unknown
int torus_routing_named(const char *name);                  // enum torus_routing, or 0

// All that makes a routing: what a preset stands for, to be changed at will.
enum torus_select { TORUS_MOST_FREE, TORUS_RANDOM_FREE, TORUS_LOWEST, TORUS_SELECT_RDR };
enum { TORUS_VECTORS = 8 }; // lambda vectors a set, at most
// For broken cables, what a node does with packets to a destination, management by address
// included: as sent; derouting becomes minimal; in order, over the escape channels; so to the node
// `via` and from there on; discarded and counted.
enum torus_pin { TORUS_FREE, TORUS_NO_DEROUTE, TORUS_ESCAPE, TORUS_IDN, TORUS_UNREACHABLE };
struct torus_destination {
    bool from_all;          // at all nodes but `to`, else at `from`
    uint8_t from[3], to[3]; // coordinates; z is 0 in 2 dimensions
    enum torus_pin mode;
    uint8_t via[3]; // TORUS_IDN only, else 0
};
struct torus_table {
    uint8_t dims; // 2 or 3, as the torus
    enum torus_traffic traffic;
    enum torus_select select;
    bool tie_both;
    uint8_t threshold; // slots, below the slots of a VC, or 255: C/2
    uint8_t delta;     // hops, at most half of each size above 1
    uint8_t eta;       // in 1/16 (eq. 15)
    bool rule_a;       // profit 0 if none of a choice's links has a free slot
    bool rule_b;       // u* = 0 makes the first term of the profit 1 for every choice
    bool oidn;         // use the lambda vectors
    uint8_t widn;      // mask, bit beta = sum beta_i 2^i (eq. 1), 1 to 2^dims - 1
    // Set s: bit i is 1 where source and destination have the same coordinate i (below 2^dims).
    uint8_t count[8];                   // vectors of set s
    int8_t lambda[8][TORUS_VECTORS][3]; // -1, 0, 1 (eq. 2, 3), +1 the side of a minimal link
    // Each pair of from and to once; all others are TORUS_FREE. The caller's memory.
    const struct torus_destination *destinations;
    unsigned destination_count; // 0: the boards' destination tables are off
};
// The preset in full, for `dims` dimensions. TORUS_E_USAGE, without detail: no such preset.
int torus_preset_table(const struct torus_preset *preset, unsigned dims, struct torus_table *out);
// The same as torus_program() would have it in this torus: Delta at most half of each size.
int torus_preset_here(struct torus *t, const struct torus_preset *preset, struct torus_table *out);
// What is wrong with a table in itself: one line in `text`, TORUS_E_USAGE; else TORUS_OK.
int torus_table_check(const struct torus_table *table, char text[120]);

// Programs all boards: sizes, coordinates and tie where they differ (after torus_discover), and
// tables, staged in the boards' shadow banks, verified by CRC, then committed with a new generation
// number: a board has the old tables or the new ones whole. After torus_attach only what can differ
// is written. On an error that leaves boards with different tables the detail says so.
int torus_program(struct torus *t, const struct torus_preset *preset);
// The same with a table of one's own. TORUS_E_USAGE, and nothing is written: torus_table_check(),
// other dimensions than the torus', Delta above half a size, threshold not below the slots, a
// destination outside of the torus, destinations where a board is built without that table, or not
// safe (torus_table_safe()).
//
// Where there are destinations, or a board has a destination table, torus_program*() discover the
// torus (if that was not done) and stage and commit both tables over directed routes, which no
// table can cut, so that it goes where cables are missing, too (torus_discover said
// TORUS_E_MISCABLED, and all faults are of that kind; only with destinations). TORUS_E_FAILED: all
// is programmed, but as the destinations are, not all boards answer by address; another program
// takes them back.
//
// Where this handle has written the table that boards have, and the next one differs in its
// destinations only, boards are sent those alone, packed, and commit them: in many fewer requests.
// Boards that have another table by then are found out, and all are sent the whole one.
int torus_program_table(struct torus *t, const struct torus_table *table);
// Of the last torus_program*(): false: it wrote whole tables.
struct torus_changes {
    unsigned changed;  // destinations at boards that have other entries than before
    unsigned sent;     // that boards were sent: each those, or all not TORUS_FREE if that is fewer
    unsigned requests; // in so many
};
bool torus_changes(const struct torus *t, struct torus_changes *out);
// Destinations around missing cables (torus_gaps()) of the torus as discovered, for a table that
// has none yet: each pair of nodes has as much freedom as is safe. *destinations: to be freed;
// NULL where no pair needs an entry. *unreachable: how many of the *count entries are
// TORUS_UNREACHABLE: none for one missing cable where two dimensions have size 2 or more, or two
// where all have 3 or more.
// TORUS_E_USAGE: as torus_program_table(), or there are destinations; TORUS_E_MEMORY.
int torus_around(struct torus *t, const struct torus_table *table,
                 struct torus_destination **destinations, unsigned *count, unsigned *unreachable);
// Is a table safe in this torus? TORUS_E_USAGE, besides what torus_program_table() says it for:
// packets can wait for each other in a circle, or come to a cable that is missing (of which one
// knows after torus_discover() only); the detail names the first channels. All that programs asks
// this first.
int torus_table_safe(struct torus *t, const struct torus_table *table);
// Has a link of the torus as discovered come or gone since? One request a board, over directed
// routes; a board that does not answer in the time-out counts as a change. TORUS_E_UNKNOWN:
// discover first.
// From then on boards report on their own, to who asked them last, as long as the connection is
// open.
int torus_links_changed(struct torus *t, bool *changed);
// Waits until a board reports that a link of its has come or gone since torus_links_changed(), for
// `seconds` at most. A report that came during another call is found at once.
int torus_links_wait(struct torus *t, double seconds, bool *reported);
// Instead of torus_discover(), where boards have reported: takes what they said into what discover
// found, and asks only the ends of those links. *known: it fits, and the error is as
// torus_discover()'s; else discover.
int torus_links_follow(struct torus *t, bool *known);
// After a program that was cut short: finish it, or go back to the tables before it.
// TORUS_E_UNKNOWN: there is nothing to mend. Tables cannot be read back from boards: where the one
// wanted is not a preset, `custom` must be it (TORUS_E_USAGE: it is not, by a hash of 11 bits).
int torus_program_resume(struct torus *t, const struct torus_table *custom);
int torus_program_abort(struct torus *t, const struct torus_table *custom);

// What is programmed; of a table of one's own the settings that a preset has. TORUS_E_MIXED (with
// *preset, *generation of one board) if boards differ, or a table is staged somewhere and not
// committed. generation 0: nothing yet, preset->routing is 0.
int torus_programmed(struct torus *t, struct torus_preset *preset, unsigned *generation);
// How many boards have their destination table on.
int torus_destinations_on(struct torus *t, unsigned *boards);

// The write lease ---------------------------------------------------------------------------------

// One session at a time may write. Every function that writes takes the lease on all boards, first
// from that with the lowest serial number, and gives it back at its end; TORUS_E_BUSY: another
// session has it, the detail says whose it is and since when. torus_run() and the others that
// measure have it from their first write to their last read, so what they say is of one routing and
// one traffic. A lease is for a time of the boards' clocks, is asked for as long as what is to be
// done, and renewed in between. TORUS_E_LEASE: it was lost all the same, and what was under way is
// not done: nothing is committed in another lease than it was staged in, and no result is given.
//
// Takes it for `seconds` at least (0: 60; at most 65536), or prolongs it, and keeps it over the
// calls that follow, until torus_release() or torus_close(). A process that is killed leaves it
// until its time is up; one with the same `token` in its options and with `take_over` takes it over
// at once. While boards have a key, every lease and every take-over needs it (and no token).
int torus_lease(struct torus *t, double seconds);
int torus_release(struct torus *t);
// Who has the lease of the board we are plugged into.
struct torus_owner {
    uint16_t session; // 0: nobody
    unsigned seconds; // for how long now
    char label[9];    // "": none, or not told this board
};
int torus_owner(struct torus *t, struct torus_owner *out);

// Sets the key that leases need (0: none), on all boards.
int torus_set_key(struct torus *t, uint64_t key);

// Measuring ---------------------------------------------------------------------------------------

enum torus_pattern {
    TORUS_UNIFORM,
    TORUS_BUTTERFLY,
    TORUS_TRANSPOSE,
    TORUS_BITREVERSE,
    TORUS_ROTATE3D,
    TORUS_COMPLEMENT,
    TORUS_TORNADO,
    TORUS_NEIGHBOUR,
    TORUS_PATTERNS
};
// Their names are the paper's words, in all tools: "transposition" is TORUS_TRANSPOSE,
// "transposition3d" TORUS_ROTATE3D; "transpose", "rotate3d", "bit-reverse", "neighbor" are taken.
const char *torus_pattern_name(enum torus_pattern pattern); // NULL if unknown
int torus_pattern_named(const char *name);                  // -1 if unknown
// Why a pattern does not exist in this torus, or NULL if it does.
const char *torus_pattern_missing(enum torus_pattern pattern, unsigned dims, const uint8_t k[3]);

// gamma0, the load that saturates the bisection under uniform traffic and minimal routing, in flits
// per cycle and node: the least over the dimensions of 8/k for even k > 2, 8k/(k^2 - 1) for odd k,
// 2 for k = 2 (a mesh axis). 0 if all sizes are 1.
double torus_gamma0(unsigned dims, const uint8_t k[3]);

struct torus_run {
    size_t size; // sizeof(struct torus_run): torus_run_default()
    enum torus_pattern pattern;
    double load;              // offered, in flits per cycle and node, header included; > 0
    unsigned packet_flits;    // 0: the longest that fits a slot
    unsigned message_packets; // packets a message, 1 to 65535 (default 1)
    unsigned warmup, cycles;  // cycles before the window, and of the window (1000, 4000)
    uint32_t seed;            // of the destinations (default 1)
};
void torus_run_init(struct torus_run *run, size_t size);
static inline struct torus_run torus_run_default(void)
{
    struct torus_run run;
    torus_run_init(&run, sizeof run);
    return run;
}

// Stops all boards' generators, whoever has started them: with `take_over` also those of a session
// that still has the lease.
int torus_stop(struct torus *t);

struct torus_result {
    double offered, accepted; // flits per cycle and node: asked for, delivered in the window
    double gamma0;            // torus_gamma0()
    double mean, p99;         // lifetime in cycles, of packets generated in the window; p99: upper
    uint32_t max;             // end of its histogram bin (12% wide). max: largest
    double oidn, widn;        // derouted packets / all
    double link_use;          // flits per cycle and link in the window: hops x accepted / links
    double hops;              // links a packet took on average, from the flit counters over the
                              // run without management (a few packets' uncertainty; where
                              // packets have management's length, with other tools')
    uint64_t sent, received;  // packets, over the whole run
    uint32_t errors;          // packets delivered damaged or at the wrong node
    uint32_t packet_flits;
    uint32_t measured; // packets in the window's histogram
    uint32_t start;    // NODE.TIME of the first message
    double apart;      // clocks of any two boards were at most so many cycles apart, by what was
                       // measured; 0: they share one
};

// Runs traffic from all boards' generators, which start in the same cycle, until all packets are
// delivered, and reads checkers and counters. It goes by the boards' one time, which is waited for
// (torus_one_time()). TORUS_E_FAILED: lost or damaged packets (result is filled
// in). TORUS_E_USAGE: the pattern does not exist in this size.
// While boards are missing and destination tables lead around them (program --around), those that
// are there run; what has a missing board as its destination is discarded where it is sent, and is
// of `sent` what is neither in `received` nor in `errors`.
int torus_run(struct torus *t, const struct torus_run *run, struct torus_result *result);

// The histogram of lifetimes behind a result, until the next run, anybody's (then TORUS_E_LEASE):
// count[i] packets of more than torus_bin_end(i - 1) - 1 and less than torus_bin_end(i) cycles,
// over all boards.
enum { TORUS_BINS = 240 };
int torus_histogram(struct torus *t, const struct torus_result *result, uint32_t count[TORUS_BINS]);
double torus_bin_end(unsigned bin); // first lifetime in cycles above a bin

// Streams from board to board, at most one from and one to each; all other boards are silent.
struct torus_flow_options {
    size_t size;             // sizeof(struct torus_flow_options): torus_flow_options_default()
    double load;             // offered by a source, in flits per cycle, header included (default 1)
    unsigned packet_flits;   // 0: the longest that fits a slot
    unsigned warmup, cycles; // cycles before the window, and of the window (1000, 4000)
    bool untimed; // the boards' one time is not waited for (torus_one_time()): where they have
                  // none, accepted and mean are below 0
};
void torus_flow_options_init(struct torus_flow_options *options, size_t size);
static inline struct torus_flow_options torus_flow_options_default(void)
{
    struct torus_flow_options options;
    torus_flow_options_init(&options, sizeof options);
    return options;
}
struct torus_flow {
    uint8_t from[3], to[3]; // coordinates, not the same
    // Results. accepted: flits per cycle delivered in the window. mean, max: lifetime in cycles
    // from generation to the tail's delivery, of the `measured` packets generated in the window.
    double accepted, mean;
    uint32_t sent, received, errors, measured, max;
    double apart; // as in struct torus_result
};
// Runs them all at once until all packets are there; also while boards are missing, as torus_run().
// Errors as torus_run.
int torus_flows(struct torus *t, const struct torus_flow_options *options, struct torus_flow *flow,
                unsigned count);

// Waits until all boards have one NODE.TIME, and tells how good it is. Over reliable links boards
// keep one by themselves: that of the board with the least NODE.TIME_STATE.ROOT. On other links
// they have to share a clock and a reset; TORUS_E_BOARD where they do not, or where one time is not
// found. torus_run(), torus_flows() and torus_snapshot() look and wait by themselves. Boards that
// share a clock, but were not reset at once, look the same where they are within some thousand
// cycles: a run shows it by a lifetime below 0, and ends with TORUS_E_BOARD. board: NULL or one a
// node, in the order of node numbers. *error: any two are at most so many cycles apart; 0: they
// share a clock.
struct torus_time {
    double ppm;  // its clock runs faster by so many millionths than that of the board we are
                 // plugged into
    double left; // cycles that it was ahead of its neighbour, when they last compared
};
int torus_one_time(struct torus *t, struct torus_time *board, double *error);

// Latches the counters of all boards, then calls `each` for every board in order of node numbers
// with its TORUS_COUNTERS values, indexed as torus_counter_name() has them.
int torus_counters(struct torus *t,
                   void (*each)(void *ctx, const uint8_t at[3], const uint64_t *counters),
                   void *ctx);

// The same, where all latch at one instant of their one NODE.TIME (torus_one_time()). late: NULL,
// or one a node in the order of node numbers: cycles after the instant at which it has latched, to
// 32 either way (0 where no board is). *residual: any two have latched at most so many cycles
// apart.
int torus_snapshot(struct torus *t, double *late, double *residual,
                   void (*each)(void *ctx, const uint8_t at[3], const uint64_t *counters),
                   void *ctx);

#ifdef __cplusplus
}
#endif
#endif
