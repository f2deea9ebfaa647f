// SPDX-License-Identifier: Apache-2.0
// What a C program on a node's user core has: messages to other nodes' programs, time, a console.
// The calls are those of libtorus where there is one of the name, without its handle: the end of a
// channel is a number from 0 on, and whoever starts the programs joins the ends.
//
// A program has its memory, its ends and nothing else. What it does wrong (a store outside, an
// instruction that there is not) stops it and nothing else: USER.STATE and USER.PC of
// rtl/regs/README.md tell where.
#ifndef OUTFLANK_USER_H
#define OUTFLANK_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where this program runs and what it was started with: the loader writes it before the start.
struct torus_place {
    uint32_t node, nodes; // of those that run the program: 0 to nodes - 1
    uint32_t argument[4];
    uint32_t result; // by the program: address of what the loader may read when it has ended
};
extern volatile struct torus_place torus_place; // at address 4

// Cycles since the board's reset.
uint64_t torus_time(void);

// Bytes to the console. None waits: those without room are lost, and counted for the reader.
void torus_print(const char *text);
void torus_print_number(uint32_t number); // decimal
size_t torus_print_room(void);            // bytes that are not lost for sure

// Ends the program, code 0 to 255. So does main() with what it returns.
void torus_exit(int code) __attribute__((noreturn));

enum torus_moved {
    TORUS_MORE,   // not finished: nothing more can be moved now
    TORUS_WHOLE,  // the message is through
    TORUS_LONG,   // likewise, but longer than the room: the rest was thrown away
    TORUS_BROKEN, // the stream has ended; no message begins here until it is joined anew
    TORUS_USAGE,  // an argument of a collective: nothing has happened
    TORUS_OTHER,  // members of a collective did not call the same; see there
};

// A message that is on its way, either direction. done: bytes moved, kept up by the calls.
struct torus_transfer {
    unsigned end;
    uint8_t *data;
    size_t bytes; // of the message; to receive: room
    size_t done;
    bool over;
};

// Moves what can be moved now and never waits. TORUS_MORE: call it again. Several transfers may be
// under way at several ends, and one each way at one end.
enum torus_moved torus_send_some(struct torus_transfer *t);
enum torus_moved torus_recv_some(struct torus_transfer *t);

// The same to the end of the message. got: its bytes that are in data. Sending ends with
// TORUS_WHOLE.
enum torus_moved torus_message_send(unsigned end, const void *data, size_t bytes);
enum torus_moved torus_message_recv(unsigned end, void *data, size_t room, size_t *got);

// Collectives of all that run the program, joined as a ring: end 0 with end 1 of the next one, as
// `torusctl start --ring` does. A member is torus_place.node. All do the same calls in the same
// order, when no message of their own is under way at these two ends. TORUS_WHOLE: done. Else the
// ring is out of step: those who call are told, now or by their next call, every later call here
// ends so too, and what was to come is undefined. Calls in which each member waits for another to
// take what it sends (each as its own broadcast's root) wait until whoever started them holds them.
enum torus_reduction { TORUS_SUM, TORUS_MIN, TORUS_MAX, TORUS_OR }; // SUM: modulo 2^32
enum torus_moved torus_barrier(void);
// The root's bytes to all.
enum torus_moved torus_broadcast(unsigned root, void *data, size_t bytes);
// All members' words, each with all others' in its place: at the root, in *result, which may be
// its `values` and is not looked at elsewhere; at all, in place.
enum torus_moved torus_reduce(unsigned root, enum torus_reduction operation, const int32_t *values,
                              int32_t *result, size_t words);
enum torus_moved torus_all_reduce(enum torus_reduction operation, int32_t *values, size_t words);
// `all`, of the root alone, has `bytes` of each member, in their order.
enum torus_moved torus_scatter(unsigned root, const void *all, void *data, size_t bytes);
enum torus_moved torus_gather(unsigned root, const void *data, void *all, size_t bytes);

#endif
