// SPDX-License-Identifier: Apache-2.0
// A torus with bitstreams in it: boards at their pins, which bitsim simulates (sim/bitstream).
#ifndef AT_PINS_H
#define AT_PINS_H

struct sim;

enum { AT_PINS_BOARDS = 16 }; // as many as bitsim takes

// Where a letter of --boards is b, the program becomes bitsim of such boards, with the options as
// bitsim has them. Comes back where none is.
void at_pins(struct sim *s);

#endif
