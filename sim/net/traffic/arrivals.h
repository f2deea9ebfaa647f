// SPDX-License-Identifier: Apache-2.0
// When a node's messages are born. A message's number says its time, and a draw is by position
// (random.h): nothing is stored, and any thread can say when any message was born.
//
//   burst       every period of all nodes at once (paper, sec. 4); number m is born at m periods
//   staggered   every period, from a phase on that is drawn per node
//   bernoulli   in each slot with the same probability
//   onoff       the same in slots of a node that is on, none in others; how long it is on and off
//               is geometric (a Markov-modulated process), and the first slot is as any other
//
// A slot is the time that a packet takes on the generator's link: no sooner can a node make two.
// In all but burst the number is that of the slot. Mean over all: a message a period and node.
#ifndef NET_ARRIVALS_H
#define NET_ARRIVALS_H

#include "config/config.h"

enum { NET_MAX_ARRIVAL_SLOTS = 1 << 22 };

struct net_arrivals {
    enum net_arrival kind;
    uint64_t seed;
    uint32_t numbers;            // messages are numbered 0 .. numbers - 1, not all of them there
    uint32_t messages;           // burst, staggered: of each node
    double step;                 // units from one number to the next
    double period;               // in numbers
    uint64_t birth, leave, join; // probabilities in 2^-32: of a birth, of on to off, of off to on
    uint64_t on;                 // and of being on
};

// NULL, or what is wrong, in `message` (of `size` bytes), with a configuration of a pattern.
const char *net_arrivals_check(const struct net_config *config, char *message, unsigned size);

void net_arrivals_init(struct net_arrivals *arrivals, const struct net_config *config);

// Number of the node's message after `message` (NET_NO_MESSAGE: its first); NET_NO_MESSAGE: none.
uint32_t net_arrivals_next(const struct net_arrivals *arrivals, uint32_t node, uint32_t message);

// Units.
static inline uint64_t net_arrivals_born(const struct net_arrivals *arrivals, uint32_t message)
{
    return (uint64_t)(message * arrivals->step);
}

#endif
