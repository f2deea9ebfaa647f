// SPDX-License-Identifier: Apache-2.0
// Moves of bytes between the host and an end of a channel (channel.c), a request each: what
// messages (messages.c) are made of, and what all calls that go by turns share. Needs boards.h.
#ifndef TORUS_MOVES_H
#define TORUS_MOVES_H

// A field of a register's value, by its name in ofr_regs.h; at most 31 bits.
static inline unsigned field_of(uint32_t value, unsigned lsb, unsigned bits)
{
    return value >> lsb & ((1U << bits) - 1);
}
#define FIELD(value, name) field_of(value, name##_LSB, name##_BITS)

// The registers of an end that a turn goes by.
struct seen {
    uint32_t state, tx, rx, data;
};

// What an OP_MOVE has done.
struct moved {
    unsigned bytes;
    bool last, broken; // the last of them is a message's end; the stream's
    struct seen now;   // only state
};

// Where such a request may go: else the error is said.
int want_node(struct torus *t, const struct torus_end *e);
// Most bytes of a request to an end, or from it; a frame's worth of them is cheaper without bulk
// frames.
unsigned move_most(const struct torus *t, bool take);
// Sets up the request for up to move_most() bytes, to the end (those of data) or from it; arg:
// OFR_MOVE_LAST, OFR_MOVE_TAKE. data has room for as many, and stays until the answer.
void move_ask(struct request *q, const struct torus_end *e, unsigned arg, unsigned bytes,
              uint8_t *data);
// What the answer says; into data, which is move_ask()'s, came what is taken.
int move_answer(struct torus *t, const struct torus_end *e, const struct request *q, uint8_t *data,
                struct moved *out);
// The error where a request's answer is missing, so that nobody knows how much it has moved: what
// was a timeout is none, as the rest must not follow.
int move_unsure(struct torus *t, const struct torus_end *e, const struct request *q, int error);
// Does the end, as it was behind a move to it, send what it takes?
int want_sending(struct torus *t, const struct torus_end *e, const struct seen *s);
// Has it, as it was behind a move from it, come to the stream's end (*ended), or to a bad one?
int want_coming(struct torus *t, const struct torus_end *e, const struct moved *m, bool *ended);

// As torus_channel_open(), but the ends, from's first, become whose CHANNEL.ATTACH says.
int join_ends(struct torus *t, const struct torus_end *from, const struct torus_end *to,
              const uint32_t attach[2], double seconds);
// Up to four registers of the board's node at once.
int read_four(struct torus *t, const uint8_t at[3], const uint16_t offset[4], uint32_t value[4]);

// lease_begin() for a turn; others are given some seconds to end theirs.
int lease_turn(struct torus *t);
// "(1,0) end 3"
const char *end_text(const struct torus *t, const struct torus_end *e, char text[24]);
// Is that time over? Then a turn is the last. Also where it is no number: never for ever.
bool is_late(double until);
// Without the lease, for 10 ms at most: between two turns.
int pause_turn(struct torus *t, double until);

#endif
