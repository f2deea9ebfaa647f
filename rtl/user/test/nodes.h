// SPDX-License-Identifier: Apache-2.0
// Four Verilated user cores in a ring, end 0 of each joined with end 1 of the next
// (2 with 3): by wires that take and give a beat when they like, or by golden channels. In every
// cycle, whatever the programs do, a register is read and compared with what was written last, and
// the pins are watched.
#ifndef NODES_H
#define NODES_H

#include "channels.h"
#include "packet.h"
#include "rng.h"
#include "user_shim.h"

#include <stdio.h>

enum {
    NODES = 4,
    BYTES = W / 8,
    RAM = 16384,
    CONSOLE = 64,
    L = 256 / W < 8 ? 8 : 256 / W, // of the channels
    PACKETS = 64,
};

struct packet {
    uint64_t flit[L];
    unsigned flits;
};

struct node {
    struct user_rtl *rtl;
    struct user_pins in;
    struct user_outs out, was;
    uint16_t was_ready; // m_ready a cycle ago
    bool was_reset;
    unsigned quiet; // cycles since it was held, and not drained
    // What its registers must say
    bool run, drain, stopped;
    uint32_t mem_addr;
    // Wires: the beat on the way to each end; offered: it shows
    struct ofr_beat way[ENDS];
    bool offered[ENDS];
    // Channels
    struct ofr_channels channels;
    struct ofr_channels_pins pins;
    struct ofr_config config;
    struct packet sent, queue[PACKETS];
    unsigned first, count, flit;
};

struct bench {
    struct node node[NODES];
    struct rng rng;
    uint64_t cycle, seed;
    bool channels;  // else wires
    unsigned slow;  // permille of cycles in which a wire does nothing
    unsigned flips; // permille of beats with a wrong bit: what a bench must find
    uint64_t failures, beats, checks;
};

void fail(struct bench *b, unsigned n, const char *what, uint64_t is, uint64_t should);

void bench_begin(struct bench *b, uint64_t seed, bool channels);
void bench_end(struct bench *b);
// A cycle. reset: a bit a node.
void step(struct bench *b, unsigned reset);
void steps(struct bench *b, unsigned count);

// The board's accesses, three cycles or more each. A write: whether it was taken.
uint32_t reads(struct bench *b, unsigned n, unsigned offset);
bool writes(struct bench *b, unsigned n, unsigned offset, uint32_t value);
void load(struct bench *b, unsigned n, uint32_t address, const uint32_t *word, unsigned words);
uint32_t peek(struct bench *b, unsigned n, uint32_t address);
unsigned state(struct bench *b, unsigned n); // STATE of register STATE
unsigned cause(struct bench *b, unsigned n);
// Text that has been printed, taken out; it ends with 0. room: bytes, that included.
unsigned console(struct bench *b, unsigned n, char *text, unsigned room);

// All held, nothing on the way in any wire or channel; channels are joined anew.
void settle(struct bench *b);
// End 0 of the node: its channel is broken.
void abort_channel(struct bench *b, unsigned n);

#endif
