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

#endif
