// SPDX-License-Identifier: Apache-2.0
// The management protocol: the one definition that host and firmware share.
//
//     host --- frames over a UART ---> firmware of the board it is plugged into (the gateway)
//          --- management packets ---> firmware of any other board
//
// FRAMES. Both ways a frame is 8 words of 32 bits (32 bytes, each word low byte first):
//     word 0     bits 7:0 OFR_FRAME_SYNC; 11:8 mode; 15:12 protocol version;
//                27:16 coordinates; 31:28 aggregate
//     words 1-6  the message
//     word 7     CRC-32 (IEEE 802.3) of words 0 to 6
// A receiver looks for SYNC, waits for 32 bytes and checks version and CRC; where they do not fit
// it goes on looking one byte further in what it has, so a damaged or cut-off frame never costs an
// intact one. Nothing is acknowledged at this level: a request without a reply is sent again. One
// thing goes across versions: an intact request of another version is answered with status
// BAD_VERSION, in a frame of the board's own.
//
// MESSAGES. 24 bytes, which are also the payload of a management packet:
//     word 0     op (4:0), level (6:5), response (7), arg (15:8; in a response: status),
//                session (31:16)
//     word 1     sequence number (15:0), hop index (20:16), hop count (25:21)
//     words 2-5  data d0 to d3
// Words 2, 3 and bits 11:0 of word 4 hold the path of a directed message with more than 0, 10 and
// 20 hops: 3 bits a hop (a port, x+ = 0), hops 0 to 9 in word 2 from bit 0 on, 10 to 19 in word 3,
// 20 to 23 in word 4. So a message with a path of 1 to 10 hops has d1 to d3 for data, one of
// 21 to 24 hops d3 and bits 31:12 of d2, one without a path all four. "Short" operations use d3 and
// the high half of d2 only, and go anywhere; "wide" ones d1 to d3; "addressed" ones all four.
//
// MODES. OFR_MODE_PATH: along the path in the message; no hops means the gateway itself. Each
// firmware on the way sends the message as a DIRECTED packet out of port path[index]; the next
// writes the port it arrived at into path[index] and increments index. Where index = count it is
// executed, and the response goes back by the same steps reversed: so the host gets its own path
// back. A port whose link is down turns the message round with status NO_LINK.
// OFR_MODE_ADDRESS: to the coordinates in frame word 0, in-order class; the response goes to the
// coordinates in the request's header word 2 (SOURCE). Taken by configured boards only.
// OFR_MODE_COLLECTIVE: to all nodes, itself included; one response with all data combined by
// `aggregate`. It spreads as a tree, by address: the gateway sends the message to the other nodes
// of its line along z at level 2 and of that along y at level 1, with the aggregate in word 1, bits
// 31:16, and at level 0 to those of its row. A node that gets it at level 2 does the same along y
// and in its row, at level 1 in its row, and answers when all of those have; bits 31:16 of word 1
// of the response: how many nodes. Sent again before all have answered, it is sent on to those that
// have not, and PENDING says at once how many are missing (d0; what a neighbour in the tree answers
// for counts one) and the first of them (d1, node number x + kx y + kx ky z). A status other than
// OK: the first such answer's status, its data as it is, and bits 31:16 of word 1 are its node
// number.
//
// SESSIONS. A host picks a random session number (1 to 65535), which anybody may know, and numbers
// its requests from a random number on; it has at most one request under way to each board. A
// writing operation that comes a second time (same session and sequence number as the last one) is
// answered from the stored response, so a retry never acts twice. Reading operations are just done
// again.
//
// LEASE. Writing operations need the write lease of the board, which one host has at a time: they
// are made in the session of the lease, another number, which only its owner knows. OP_LEASE takes
// it, for a time (BOARD.CLOCK tells the board's second). A host takes it first from the board with
// the lowest serial number (where boards go by address only, that at the origin), which makes the
// number up, then from all others, in that order, with the same one; where one says BUSY it gives
// all back, so two hosts never keep half each. BUSY says whose it is, by the number of the session
// that asked for it, and since when; never the lease's own number: nothing does but the answer to
// who takes it. Renewing, taking over and giving back carry a token of 32 bits besides, for which a
// write has no room: the host's choice, and secret too. A dead host's lease runs out, or is taken
// over by who has its token. Writes do not renew it. A write outside of it: NO_LEASE.
// What was staged can be committed in the same lease only.
//
// TABLES. A board's routing is in two tables, each of which the hardware has twice, as the active
// one and as its shadow, which is written: the IDN table with its settings (block OFR), and the
// destination table for broken cables (block PINS). They are programmed as one. OP_TABLE fills the
// shadow of either, a bank of it by its number; first comes bank SETTINGS, which begins a table:
// what was staged is dropped. OP_STAGE verifies all of it by its CRC and gives it a generation.
// OP_COMMIT makes it active, both tables at once, so a board has the old ones or the new ones
// whole, whenever host or power fail. All three are short, with a word of entries a message, so
// that they go over directed routes too: where destination tables are or were in use, as those of
// the boards differ and addresses may not work before they are active, one board after the other.
// Else they go to all at once, with three words.
// Where nothing but destinations is another, OP_CHANGE says so in few messages, and OP_COMMIT makes
// that active; what the hardware has of the IDN table, OFR.COMMIT's generation too, stays as it is.
// It says all destinations that are not FREE, or those that are to change, from the table in force.
//
// KEY. OP_KEY sets a 64-bit key (0: none). While a board has one, taking its lease, or taking it
// over, must be preceded by OP_UNLOCK with the key: LOCKED where it was not. Then taking over needs
// no other token. So every write needs the key: whoever does not have it has no session to write
// in.
//
// WATCH. OP_WATCH asks a board which of its links are up, and to be told when that is no longer so:
// it then sends the response once more, by the same way back, with status CHANGED and what is up
// now. It sends that report again and again, after 2^17 cycles and each time twice as long, at most
// 2^30, until somebody sends an OP_WATCH anew: so a report is not lost for good, and no board sends
// more than that, whatever its links do. Who asked last is told, nobody else. Of the two ends of a
// link that falls, at least one has a way to who asked all boards along a tree of shortest paths:
// the one that is nearer to it.
//
// BULK. A message has 16 bytes of data in a frame of 32. An OP_MOVE with OFR_MOVE_BULK has none:
// d0 says how many bytes, and these are in bulk frames, 24 in each, in place of a message:
//     word 0     as above, but mode OFR_MODE_BULK + the low 3 bits of the OP_MOVE's sequence
//                number; 27:16 coordinates of the board whose end it is; 31:28 the number of the
//                frame, from 0 on
// To an end, they come behind the request. Each is taken only where it is the next one, of that
// OP_MOVE, from the same host; the response comes when all have been taken, or there is no room
// for more, and says how many bytes have gone: all before these and none behind them. Where one is
// damaged or lost no response comes; the request that comes again then is answered with what has
// gone, and ends it. The host sends what is left with the next OP_MOVE.
// From an end, they come before the response, which says how many bytes that were; the board keeps
// them until the next writing operation, and sends them all again with it if the request comes
// again. So neither way a byte is moved twice, or given up.
// Frames, requests and packets keep their order between host and board, so a bulk frame of an
// earlier OP_MOVE never comes after the request of a later one. Bulk frames are never answered. To
// other boards they go as packets, with OFR_BULK_PACKET in the header where the length is.
//
// SNAPSHOTS. Counters are latched by anybody, and read by the number of their snapshot, 32 bits
// that the host makes up (0: none yet). STALE: another was latched since; d3 its number, under
// which these can be read: it is as good.
#ifndef OFR_PROTOCOL_H
#define OFR_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "ofr_regs.h"

enum {
    OFR_PROTOCOL_VERSION = 5,
    OFR_FRAME_SYNC = 0xa5,
    OFR_FRAME_WORDS = 8,
    OFR_FRAME_BYTES = 4 * OFR_FRAME_WORDS,
    OFR_MESSAGE_WORDS = 6,
    OFR_MESSAGE_BYTES = 4 * OFR_MESSAGE_WORDS,
    OFR_MAX_HOPS = 24,
    OFR_WIDE_HOPS = 10, // longest path that leaves d1 to d3 to data
    OFR_OP_MASK = 0x1f,
    OFR_LEVEL_LSB = 5,
    OFR_LEVEL_MASK = 0x60,
    OFR_RESPONSE = 0x80,
};

enum ofr_mode {
    OFR_MODE_PATH = 0,
    OFR_MODE_ADDRESS = 1,
    OFR_MODE_COLLECTIVE = 2,
    OFR_MODE_BULK = 8, // to 15: with the tag, bits 2:0 (BULK)
};

// How a collective combines the data words of the responses.
enum ofr_aggregate {
    OFR_AGG_SUM = 0,    // four sums modulo 2^32
    OFR_AGG_TOTALS = 1, // d0, d1: a sum of 64 bits, low word first; d2, d3: sums
    OFR_AGG_AND = 2,
    OFR_AGG_OR = 3,
    OFR_AGG_MIN = 4, // four unsigned minima
    OFR_AGG_MAX = 5,
    OFR_AGG_SPAN = 6,   // d0, d1: and of all d0, d1; d2, d3: or of all d0, d1
    OFR_AGG_RESULT = 7, // d0, d1: a sum of 64 bits; d2: a sum; d3: a maximum
};

// Operations. (w): writing. [short], [wide], [addressed] as above.
enum ofr_op {
    // arg 0 [wide]: d1, d2 the board's serial number, d3 OFR_INFO_*.
    // arg 1, 2, 3 [short]: these one by one in d3, for long paths.
    OFR_OP_PING = 1,
    // [short] d2 31:16: a selector. Response: d3 its value.
    OFR_OP_READ = 2,
    // [addressed] d0, d1: four selectors, low half of d0 first. Response: d0 to d3. arg 1: latch
    // the counters first, as OP_SNAPSHOT, d2 their number.
    OFR_OP_READ4 = 3,
    // (w) [short] d2 31:16: offset of a register in the node; d3: value. BAD_ARG for the registers
    // of blocks NI, PINS and LINKS and OFR.COMMIT, BUS_ERROR where the hardware refuses.
    OFR_OP_WRITE = 4,
    // (w) [short] d3: OFR_CONFIG_*: sizes, coordinates, tie, and whether configured.
    OFR_OP_CONFIGURE = 5,
    // The lease. [short] arg 2:0: enum ofr_lease; 7:3: for 2^n/16 seconds; d3: the token, not 0.
    // Take, take over, in the host's session: d2 31:16 the lease's session number, 0: make one up.
    // Response: d2 31:16 is it. Renew, give back, in the lease's session. Label, in that session
    // too: d2 31:16 0 or 1, d3 four bytes of a text that others are told.
    OFR_OP_LEASE = 6,
    // [short] the key, before taking the lease in the same session. d2 31:16: bits 15:0 of the
    // token that it will be taken with. arg 0: d3 the low word, to be kept; then arg 1: d3 the high
    // one.
    OFR_OP_UNLOCK = 7,
    // (w) [short] set the key: in two halves, as OP_UNLOCK, without the token.
    OFR_OP_KEY = 8,
    // (w) [short, or with more than one word addressed] into the shadow of a table (TABLES). arg
    // 1:0: words, 1 to 3: d3, d0, d1. arg 7:4: enum ofr_bank. d2 31:16: its first entry there.
    // AGAIN
    // while the destination table clears itself.
    OFR_OP_TABLE = 9,
    // (w) [short] verify it. d2 31:16: generation, not 0; d3: CRC-32 of ofr_table_words() of its
    // OP_TABLEs, xor OFR.CRC, so that what has come to the hardware counts too. BAD_CRC: d3 is what
    // it is.
    // NOT_STAGED: no table was begun in this lease.
    OFR_OP_STAGE = 10,
    // (w) [short] make it active. d2, d3 as in the OP_STAGE: NOT_STAGED if that was not, in this
    // lease. arg 1 [wide]: what OP_CHANGEs said; d1 the descriptor, d2 31:16 the generation, d3 as
    // the last response said: NOT_STAGED if that is another.
    OFR_OP_COMMIT = 11,
    // (w) [wide] destinations, where nothing else is to be another (TABLES). arg OFR_CHANGE_BEGIN:
    // they
    // begin, and all others are FREE, with OFR_CHANGE_COPY as they are in force. d1 11:0:
    // coordinates
    // of the first one; then, low ones first, 21 digits (OFR_CHANGE_*). AGAIN as OP_TABLE.
    // NOT_STAGED:
    // they were not begun in this lease. Response: d1 the active table, as OFR_FW_ACTIVE; d2
    // NODE.COORD; d3 CRC-32's register of d1 to d3 of the OP_CHANGEs so far, from all ones on, with
    // OFR_CHANGE_COPY from d3 of the OP_COMMIT on that made active what is in force, 0: none did.
    OFR_OP_CHANGE = 12,
    // (w) [addressed] set the generator up, stopped. arg 3:0 pattern, 5:4 class, 7:6 low bits of
    // the generation: MIXED where it is not the active one's. d0 PERIOD, d1 MESSAGES, d2 LENGTH, d3
    // seed: GEN.SEED = ofr_node_seed(seed, coordinates). Latches the counters, under a number of
    // its own: session (31:16) and sequence number.
    OFR_OP_GEN = 13,
    // (w) [wide] arg 1: start the generator at NODE.TIME = d1, clear the checker, set its window to
    // d2 up to d3 (d2 = d3: no window). LATE where d1 is past. arg 2, to all only: the same with d1
    // to d3 in cycles from now, the gateway's now; boards get it as arg 3 (no path), whose response
    // is that of OP_TOTALS, of what OP_GEN latched: STALE, and nothing done, where that is gone.
    // arg 0: stop it.
    OFR_OP_START = 14,
    // [addressed] latch all counters of this board; d0: number of the snapshot, not 0. Not a second
    // time where the last one has that number. Reading them gives AGAIN until the copy is made.
    // arg 1: the same when NODE.TIME is d3, or as soon after as the firmware looks
    // (OFR_FW_LATCHED); LATE where that is past. Until then reading counters and OFR_FW_LATCHED
    // gives AGAIN.
    OFR_OP_SNAPSHOT = 15,
    // [addressed] arg: first counter; d0: number of the snapshot. Response: its counters from there
    // on, packed in d0 to d3 as said at the end of this file; word 1 bits 23:16: how many.
    OFR_OP_COUNTERS = 16,
    // [addressed] of snapshot number d0: d0, d1: flits sent over links, low word first, less the
    // length of a management packet for every packet (modulo 2^64), so that management leaves
    // nothing: what is left, divided by how much longer the generator's packets are, are those.
    // All flits where GEN.LENGTH is that very length. d2, d3: OIDN, WIDN, bits 31:0. For
    // OFR_AGG_TOTALS.
    OFR_OP_TOTALS = 17,
    // [short] by a path: d3: ports whose link is up (bit 0: x+). From then on reports (WATCH).
    OFR_OP_WATCH = 19,
    // (w) [addressed] beats of a message between d0 to d3, low bytes first, and an end of this
    // board that is software's (CHANNEL.ATTACH; BAD_ARG where it is not): as many as there is room
    // for now, or as have come, at most OFR_MOVE_BYTES (word 1; beats that are not a message's last
    // are whole). arg: OFR_MOVE_*. Response: word 1, how many bytes that were, and how they end.
    // With OFR_MOVE_BULK, by address only, they are beside it (BULK), d0 how many, at most
    // OFR_BULK_TO or OFR_BULK_FROM; in the response how many that were.
    OFR_OP_MOVE = 20,
};

// OP_MOVE. Being a writing operation, one whose answer is lost moves nothing twice.
enum {
    OFR_MOVE_END_MASK = 0x0f, // of arg: the end
    OFR_MOVE_BULK = 0x10,
    OFR_MOVE_OTHER = 0x20,   // no end of a channel: instead of it an enum ofr_move_other
    OFR_MOVE_LAST = 0x40,    // to the end: the last of the bytes is its message's last, also of 0
    OFR_MOVE_TAKE = 0x80,    // from the end, up to a message's or the stream's last beat
    OFR_MOVE_MOST = 16,      // bytes
    OFR_MOVE_BYTES_LSB = 27, // 5 bits of word 1 of the request
    OFR_MOVE_MOVED_LSB = 16, // 5 bits of the response's: bytes
    OFR_MOVE_FLAGS_LSB = 20, // there: CHANNEL.RX.LAST, the last beat has gone or come; RX.BROKEN
    OFR_MOVE_STATE_LSB = 23, // there: CHANNEL.STATE, 9 bits, behind it all
};

// What else bytes are moved to or from.
enum ofr_move_other {
    // The node's collectives, where they are software's (COLLECTIVE.ATTACH). The flags are
    // COLLECTIVE.RX's, and in place of CHANNEL.STATE there is RX.VERDICT.
    OFR_MOVE_COLLECTIVE = 0,
    OFR_MOVE_PROGRAM = 1, // words into the user's core's memory (USER.MEM_DATA): no message
};

// Bulk frames.
enum {
    OFR_BULK_BYTES = OFR_MESSAGE_BYTES, // of a frame
    OFR_BULK_TO = 16 * OFR_BULK_BYTES,  // bytes of an OP_MOVE, to an end
    OFR_BULK_FROM = 8 * OFR_BULK_BYTES, // and from one
    // A packet's header, SEQ: these 8 bits, number of the frame (11:8), tag (14:12), to the host
    OFR_BULK_PACKET = 0x80 | OFR_BULK_BYTES,
    OFR_BULK_TAG_LSB = 4, // above the number
    OFR_BULK_TO_HOST = 0x80,
};

// Frames of so many bytes.
static inline unsigned ofr_bulk_frames(unsigned bytes)
{
    unsigned frames = 0; // the core divides by hand
    for (unsigned room = 0; room < bytes; room += OFR_BULK_BYTES)
        frames++;
    return frames;
}

// A management packet, its header's 8 bytes and a message, has 2^this flits.
static inline unsigned ofr_message_flits_log2(unsigned flit_bytes)
{
    return flit_bytes == 2 ? 4 : flit_bytes == 4 ? 3 : 2;
}

// Is it one of those marked (w), or does it prepare for one?
static inline bool ofr_op_writes(unsigned op)
{
    return (op >= OFR_OP_WRITE && op <= OFR_OP_START) || op == OFR_OP_MOVE;
}

// What OP_TABLE fills, and the bits of an entry.
enum ofr_bank {
    // One word, of which the "first entry" is the descriptor (16 bits, the host's): OFR.PARAM
    // (15:0), OFR.WIDN (23:16), NODE.ROUTING select (25:24) and threshold (29:26).
    OFR_BANK_SETTINGS = 0,
    OFR_BANK_IDN = 1,          // OFR.DATA values, 8 bits each: all, in order
    OFR_BANK_DESTINATIONS = 2, // PINS.DATA values, 16 bits each, in any order: 0 where none is said
    OFR_BANKS = 3,
};

// A digit of OP_CHANGE says of a destination its mode, as in PINS.DATA, and goes on to the next
// one: in x, then y, then z, by NODE.SIZE; IDN is followed by three digits of coordinates, x first.
// OFR_CHANGE_MORE and the two behind it: 2, 4 or 8 more are as the last one that this message has
// said, FREE where it has said none. From OFR_CHANGE_SKIP on: 1 to 8 stay as they are.
enum {
    OFR_CHANGE_MORE = 5,
    OFR_CHANGE_SKIP = 8,
    OFR_CHANGE_BEGIN = 1, // bits of arg
    OFR_CHANGE_COPY = 2,
    OFR_CHANGE_FIRST = 3, // digits before it are coordinates
    OFR_CHANGE_DIGITS = 24,
};

// Digit i of a message; behind the last one 0.
static inline unsigned ofr_change_digit(const uint32_t *m, unsigned i)
{
    return i < OFR_CHANGE_DIGITS ? m[3 + i / 8] >> i % 8 * 4 & 15 : 0;
}

enum ofr_lease {
    OFR_LEASE_TAKE = 0,
    OFR_LEASE_TAKE_OVER = 1,
    OFR_LEASE_RENEW = 2,
    OFR_LEASE_RELEASE = 3,
    OFR_LEASE_LABEL = 4,
    OFR_LEASE_TIME_LSB = 3,
    OFR_LEASE_TIME_MAX = 20, // 18 hours
};

enum ofr_status {
    OFR_OK = 0,
    OFR_BUSY = 1,       // another host has the lease: d3 as OFR_FW_LEASE
    OFR_LOCKED = 2,     // the board has a key
    OFR_BAD_OP = 3,     // unknown operation
    OFR_BAD_ARG = 4,    // an argument out of range
    OFR_BUS_ERROR = 5,  // the hardware refused a register access: d3 its offset
    OFR_AGAIN = 6,      // the counters are being copied, or the node is not drained: ask anew
    OFR_PENDING = 7,    // a collective is under way
    OFR_BAD_CRC = 8,    // what is in the tables' shadows is not what was meant
    OFR_NOT_STAGED = 9, // nothing, another table, or in another lease
    OFR_LATE = 10,      // the start is past: d3 NODE.TIME
    OFR_NO_LINK = 11,   // a directed message met a port whose link is down
    OFR_NOT_CONFIGURED = 12,
    OFR_MIXED = 13,       // the active table is of another generation: d3 of which
    OFR_BAD_VERSION = 14, // the frame is of another version of the protocol than the response
    OFR_NO_LEASE = 15,    // not made in the lease's session: d3 as OFR_FW_LEASE
    OFR_STALE = 16,       // another snapshot was latched since: d3 its number
    OFR_CHANGED = 17,     // no answer but a report: what OP_WATCH said is no longer so
};

// Is a message from a board a report (WATCH), and no answer?
static inline bool ofr_is_report(const uint32_t *m)
{
    return (m[0] & (OFR_OP_MASK | OFR_RESPONSE | 0xff00)) ==
           (OFR_OP_WATCH | OFR_RESPONSE | (uint32_t)OFR_CHANGED << 8);
}

// d3 of OP_PING.
enum {
    OFR_INFO_ARRIVAL_LSB = 0, // 3 bits: the port the message arrived at; 7: the UART
    OFR_INFO_N_LSB = 3,       // 2 bits: dimensions
    OFR_INFO_LINKS_LSB = 5,   // 6 bits: ports whose link is up
    OFR_INFO_CONFIGURED_LSB = 11,
    OFR_INFO_COORD_LSB = 12,   // 12 bits: coordinates, if configured
    OFR_INFO_VERSION_LSB = 24, // 4 bits: protocol version
    OFR_INFO_KEY_LSB = 28,     // has a key
    OFR_INFO_LEASED_LSB = 29,  // somebody has the lease
    OFR_INFO_STAGED_LSB = 30,  // a table is staged and not committed
};

// d3 of OP_CONFIGURE.
enum {
    OFR_CONFIG_SIZE_LSB = 0,   // 3 x 4 bits: size - 1 of x, y, z
    OFR_CONFIG_COORD_LSB = 12, // 3 x 4 bits
    OFR_CONFIG_TIE_LSB = 24,   // NODE.TIE
    OFR_CONFIG_ON_LSB = 25,    // NODE.CONTROL.CONFIGURED
};

// Selectors of OP_READ and OP_READ4: bits 15:12 what, 11:0 which.
enum {
    OFR_SEL_NODE = 0x0000,     // a register of the node, by offset (not NI, COUNT)
    OFR_SEL_ABOVE = 0x4000,    // packets in the checker's bins from this one on
    OFR_SEL_FIRMWARE = 0x5000, // OFR_FW_*
    OFR_SEL_BOARD = 0x6000,    // a register of block BOARD, by offset
};

// What of SHAPE boards of one torus may differ in: parts that a board can be built without.
#define OFR_SHAPE_MAY_DIFFER                                                                       \
    (OFR_NODE_SHAPE_MINIMAL_MASK | OFR_NODE_SHAPE_GEN_MASK | OFR_NODE_SHAPE_CHECK_MASK |           \
     OFR_NODE_SHAPE_PINS_MASK | OFR_NODE_SHAPE_COUNT_MASK | OFR_NODE_SHAPE_LINKS_MASK)

// What the firmware knows.
enum {
    OFR_FW_ACTIVE = 0,     // generation (15:0) and descriptor (31:16) of the active table
    OFR_FW_STAGED = 1,     // of the staged one, 0: none
    OFR_FW_PREVIOUS = 2,   // of the one before the active
    OFR_FW_LEASE = 3,      // who has the lease: the session that took it (15:0), 0: nobody; for
                           // how many seconds now (31:16, at most 65535)
    OFR_FW_FRAMES_BAD = 4, // bytes of frames thrown away
    OFR_FW_DROPPED = 5,    // packets the firmware could not pass on
    OFR_FW_VERSION = 6,    // OFR_PROTOCOL_VERSION
    OFR_FW_KEY = 7,        // 1: there is a key
    OFR_FW_SETUP = 8,      // a hash of SIZE, TIE, the protocol version, and SHAPE but for what
                           // may differ (OFR_SHAPE_MAY_DIFFER)
    OFR_FW_GOT = 9,        // CHECK.RECEIVED + CHECK.ERRORS
    OFR_FW_STATUS = 10,    // GEN.STATUS; bit 16: CHECK.ERRORS is not 0
    OFR_FW_LATCHED = 11,   // NODE.TIME just before the last snapshot was latched
    OFR_FW_LABEL = 12,     // of who has the lease: four bytes of text, low one first,
    OFR_FW_LABEL2 = 13,    // and four more
};

// Seed of a board's generator: differs between boards, the same on every run.
static inline uint32_t ofr_node_seed(uint32_t seed, uint32_t coordinates)
{
    uint32_t v = seed ^ (coordinates + 1) << 16 ^ (coordinates + 1) << 3;
    v ^= v << 13;
    v ^= v >> 17;
    v ^= v << 5;
    return v ? v : 1;
}

// Bin of CHECK's histogram for a lifetime in cycles, 0 to 239 (CHECK.BIN).
static inline unsigned ofr_bin(uint32_t lifetime)
{
    unsigned bin = 0;
    while (lifetime > 15) {
        lifetime >>= 1;
        bin += 8;
    }
    return bin + lifetime;
}

// Path entry: a port (0 to 5; 7 for none). i: 0 to OFR_MAX_HOPS - 1. m: a message.
static inline unsigned ofr_path_get(const uint32_t *m, unsigned i)
{
    unsigned word = 2;
    while (i >= 10) {
        i -= 10;
        word++;
    }
    return m[word] >> (i + i + i) & 7;
}

static inline void ofr_path_set(uint32_t *m, unsigned i, unsigned port)
{
    unsigned word = 2;
    while (i >= 10) {
        i -= 10;
        word++;
    }
    unsigned lsb = i + i + i;
    m[word] = (m[word] & ~((uint32_t)7 << lsb)) | (uint32_t)port << lsb;
}

// CRC-32 (IEEE 802.3: reflected, 0xEDB88320, start and final inversion) step over one byte, by
// halves. `crc` starts at 0xFFFFFFFF; the result is inverted.
static inline uint32_t ofr_crc32_byte(uint32_t crc, uint8_t byte)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    crc ^= byte;
    crc = crc >> 4 ^ table[crc & 15];
    return crc >> 4 ^ table[crc & 15];
}

// That of a frame's bytes before its CRC, say; a word in a frame, low byte first.
static inline uint32_t ofr_crc32(const uint8_t *bytes, unsigned count)
{
    uint32_t crc = 0xffffffff;
    while (count--)
        crc = ofr_crc32_byte(crc, *bytes++);
    return ~crc;
}

// What an OP_TABLE says: words[0] bank (7:0, as in arg) and first entry (31:16), then the words of
// entries. Returns how many words that are. A table's CRC is that of these words of all its
// OP_TABLEs.
static inline unsigned ofr_table_words(const uint32_t *m, uint32_t words[4])
{
    words[0] = (m[4] & 0xffff0000) | (m[0] >> 8 & 0xf0);
    words[1] = m[5];
    words[2] = m[2];
    words[3] = m[3];
    return 1 + (m[0] >> 8 & 3);
}

static inline void ofr_put32(uint8_t *to, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static inline uint32_t ofr_get32(const uint8_t *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

// Counters in OP_COUNTERS responses are a string of bytes, low byte of d0 first: a value from 1 on
// in LEB128 (7 bits a byte, low ones first, bit 7: more follow); or 0x00 n: n + 1 counters of 0.

#endif
