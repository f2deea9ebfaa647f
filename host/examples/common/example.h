// SPDX-License-Identifier: Apache-2.0
// What the examples share: a torus that is opened and programmed, ends of channels joined where a
// kernel has its pins, vectors of words to kernels and from them. What goes wrong is one line on
// stderr and ends the program: status 2, or 1 where a result is not what it must be.
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <libtorus.h>

enum {
    KERNEL_END = 4,   // of a board: its kernel's, for the host
    SOFTWARE_END = 5, // joined with it: the host's
};

struct example {
    const char *name; // of the program
    struct torus *t;
    uint8_t k[3]; // sizes of the torus, 1: a dimension that is not there
    unsigned nodes;
    unsigned connection; // number of all connections of this run
};

// Never returns: what, then the library's detail if `e` says that a call has failed.
_Noreturn void example_fail(const struct example *e, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// A call of libtorus that must succeed.
void example_good(const struct example *e, int error);

// Opens the torus at `where`, whose boards must have channels, and programs it where nobody has.
// alone: no other process writes, so the lease is held from here on.
void example_begin(struct example *e, const char *name, const char *where, bool alone);
void example_end(struct example *e);

// Coordinates of node n.
void example_at(const struct example *e, unsigned node, uint8_t at[3]);
// "AxB", 1 to `most` each; or a number, 1 to `most`. What it is for, in the error.
void example_pair(const struct example *e, const char *text, const char *what, unsigned most,
                  unsigned pair[2]);
unsigned example_number(const struct example *e, const char *text, const char *what, unsigned least,
                        unsigned most);
void *example_memory(const struct example *e, size_t count, size_t size);

// Two ends to be joined; software: the host's, otherwise a kernel's pins.
struct example_join {
    struct torus_end from, to;
    bool from_software, to_software;
};
// Joins them all, and waits until all are open; closes them all, and waits.
void example_join(const struct example *e, const struct example_join *list, unsigned count);
void example_part(const struct example *e, const struct example_join *list, unsigned count);

// A message of words to the kernel of each node, or from it; by software's ends, all at once.
struct example_words {
    unsigned node;
    uint32_t *word;
    size_t words; // to be sent; room, and then what came
};
void example_send(const struct example *e, const struct example_words *list, unsigned count);
void example_receive(const struct example *e, struct example_words *list, unsigned count,
                     double seconds);

#endif
