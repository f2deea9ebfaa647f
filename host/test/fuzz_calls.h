// SPDX-License-Identifier: Apache-2.0
// What the fuzzer of libtorus (fuzz_host.c) asks of it, and the program that writes its seeds
// (fuzz_seeds.c). An input: a byte of FUZZ_*, the number of a call, then steps, each begun by a
// byte. Bit 0 says whether it is an answer to the last request: then 16 bytes of data come at the
// end, and where bits 1 to 3 are set the status, nodes and hops, and bytes 1 to 3 of the frame come
// before; else they are as in the request, the status OK. Bit 4: the version is in those bytes. Not
// an answer: so many bytes less one, bits 7:3, as they are; or, bit 1, nothing comes for once.
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include "libtorus.h"

enum {
    FUZZ_DISCOVER = 1, // before the call, else attach
    FUZZ_ANYWAY = 2,   // call even if that failed
    FUZZ_KNOWN = 4,    // neither: a torus that is known, discovered or attached to
    FUZZ_DEBUG = 8,    // frames are printed as by torusctl --debug
};
enum {
    FUZZ_ANSWER = 1,
    FUZZ_SILENCE = 2, // no answer
    FUZZ_STATUS = 2,
    FUZZ_NODES = 4,
    FUZZ_HEAD = 8,
    FUZZ_VERSION = 16,
};

extern const struct fuzz_call {
    const char *name; // of the function in libtorus.h
    int (*go)(struct torus *t);
} fuzz_calls[];
extern const unsigned fuzz_call_count;

// One request at a time, and everything the same each time.
struct torus_options fuzz_options(void);
// What goes before a call.
int fuzz_begin(struct torus *t, unsigned how);

#endif
