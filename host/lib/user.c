// SPDX-License-Identifier: Apache-2.0
// Programs on the boards' user cores (block USER): loaded, started, held, watched. Several boards
// get the same word at once, each its own request.
#include <stdlib.h>
#include <string.h>

#include "boards.h"
#include "moves.h"

enum {
    PLACE_WORDS = 7, // struct torus_place of firmware/user/outflank_user.h, at address 4
    FIRST_MOST = 4 + 4 * PLACE_WORDS,
    TURN_WORDS = 32, // between two looks at the lease
    DRAIN_SECONDS = 3,
    JAL = 0x6f, // opcode of a jump
};

static const char *const causes[] = {
    NULL,
    "an instruction that there is not",
    "an address that is not aligned",
    "ebreak",
    "an access where nothing is, or that is refused there",
    "unknown",
    NULL, // its own end
};
enum { CAUSES = sizeof causes / sizeof *causes };

// By its first word, or that one's first byte.
static bool is_program(uint32_t first)
{
    return (first & 0x7f) == JAL;
}

// Boards that are asked at once.
struct crowd {
    struct torus *t;
    const uint8_t (*at)[3]; // NULL: all, by their number
    unsigned boards;
    struct request *q;
};

static const uint8_t *place_of(const struct crowd *c, unsigned i, uint8_t at[3])
{
    if (c->at)
        return c->at[i];
    node_at(c->t, i, at);
    return at;
}

// What SHAPE says of a board's user's core.
struct core {
    unsigned ends; // of channels: 0 to ends - 1; STATE.MID has a bit for each
    size_t memory; // bytes
};

// That of a board that has one.
static int want_core(struct torus *t, const uint8_t at[3], struct core *core)
{
    uint32_t shape = 0;
    char place[16];
    *core = (struct core){0};
    if (!t->k[0])
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    int error = torus_read(t, at, OFR_USER_SHAPE, &shape);
    if (error != TORUS_OK)
        return error;
    if (!shape)
        return fail(t, TORUS_E_USAGE, "%s: the board is built without a user's core",
                    place_text(t, at, place));
    unsigned ends = FIELD(shape, OFR_USER_SHAPE_ENDS);
    if (!ends || ends > OFR_USER_STATE_MID_BITS)
        return fail(t, TORUS_E_PROTOCOL,
                    "%s: the board says that its user's core has %u ends, there are 1 to %d",
                    place_text(t, at, place), ends, OFR_USER_STATE_MID_BITS);
    *core = (struct core){ends, (size_t)1 << FIELD(shape, OFR_USER_SHAPE_RAM)};
    return TORUS_OK;
}

// All have one, with memory for so many bytes, and none is there twice. c->q is to be freed in any
// case.
static int crowd_begin(struct crowd *c, struct torus *t, const uint8_t (*at)[3], unsigned boards,
                       size_t bytes)
{
    uint8_t seen[MAX_BOARDS / 8] = {0}, here[3];
    char place[16];
    *c = (struct crowd){t, at, at ? boards : node_count(t), NULL};
    if (!t->k[0])
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    if (!c->boards || c->boards > node_count(t))
        return fail(t, TORUS_E_USAGE, "%u boards: there are 1 to %u", c->boards, node_count(t));
    for (unsigned i = 0; i < c->boards; i++) {
        const uint8_t *p = place_of(c, i, here);
        struct core core;
        if (!inside(t, p))
            return TORUS_E_USAGE;
        uint32_t bit = pack_at(p);
        if (seen[bit / 8] >> bit % 8 & 1)
            return fail(t, TORUS_E_USAGE, "%s is there twice", place_text(t, p, place));
        seen[bit / 8] |= (uint8_t)(1 << bit % 8);
        int error = want_core(t, p, &core);
        if (error != TORUS_OK)
            return error;
        if (bytes > core.memory)
            return fail(t, TORUS_E_USAGE, "a program of %zu bytes: the memory at %s has %zu", bytes,
                        place_text(t, p, place), core.memory);
    }
    c->q = calloc(c->boards, sizeof *c->q);
    return c->q ? TORUS_OK : fail(t, TORUS_E_MEMORY, "no memory for %u boards", c->boards);
}

// The register of all of them: value at the first one, and `step` more at each.
static int write_each(const struct crowd *c, unsigned offset, uint32_t value, uint32_t step)
{
    uint8_t here[3];
    if (!c->q) // crowd_begin() has failed
        return TORUS_E_MEMORY;
    for (unsigned i = 0; i < c->boards; i++) {
        by_address(&c->q[i], pack_at(place_of(c, i, here)), OFR_OP_WRITE, 0);
        c->q[i].m[4] = (uint32_t)offset << 16;
        c->q[i].m[5] = value + i * step;
    }
    int error = exchange(c->t, c->q, c->boards);
    for (unsigned i = 0; i < c->boards && error == TORUS_OK; i++)
        error = status_error(c->t, &c->q[i], "write a register of a user's core");
    return error;
}

// ---- Loading ------------------------------------------------------------------------------------

// Ends the streams of a held program, and messages that it had begun: its ends are for the next
// one.
static int free_ends(struct torus *t, const uint8_t at[3])
{
    static const uint16_t offset[4] = {OFR_CHANNEL_STATE, OFR_CHANNEL_ATTACH, OFR_CHANNEL_STATE,
                                       OFR_CHANNEL_ATTACH};
    uint32_t value[4] = {0}, its = 0, state = 0;
    struct core core;
    char place[16];
    double until = monotonic() + DRAIN_SECONDS;
    int error = want_core(t, at, &core);
    for (unsigned e = 0; e < core.ends && error == TORUS_OK; e++) {
        error = torus_write(t, at, OFR_CHANNEL_SELECT, e);
        if (error == TORUS_OK)
            error = read_four(t, at, offset, value);
        unsigned is = FIELD(value[0], OFR_CHANNEL_STATE_STATE);
        if (error != TORUS_OK || value[1]) // others than the program have it
            continue;
        its |= 1U << (OFR_USER_STATE_MID_LSB + e);
        if (is != OFR_CHANNEL_STATE_STATE_IDLE && is != OFR_CHANNEL_STATE_STATE_ENDED)
            error = torus_write(t, at, OFR_CHANNEL_COMMAND, OFR_CHANNEL_COMMAND_ABORT);
    }
    if (error == TORUS_OK)
        error = torus_write(t, at, OFR_USER_CONTROL, OFR_USER_CONTROL_DRAIN_MASK);
    do {
        bool late = is_late(until);
        if (error == TORUS_OK)
            error = torus_read(t, at, OFR_USER_STATE, &state);
        if (error == TORUS_OK && state & its && late)
            error = fail(t, TORUS_E_TIMEOUT, "%s: the last program's message does not end",
                         place_text(t, at, place));
    } while (error == TORUS_OK && state & its);
    return error == TORUS_OK ? torus_write(t, at, OFR_USER_CONTROL, 0) : error;
}

static uint32_t word_of(const uint8_t *from, size_t bytes, size_t n)
{
    uint32_t word = 0;
    for (size_t i = 0; i < 4 && n + i < bytes; i++)
        word |= (uint32_t)from[n + i] << 8 * i;
    return word;
}

API int torus_user_load(struct torus *t, const uint8_t (*at)[3], unsigned boards, const void *image,
                        size_t bytes)
{
    struct crowd c;
    uint8_t here[3];
    const uint8_t *from = image;
    if (bytes < FIRST_MOST || !is_program(from[0]))
        return fail(
            t, TORUS_E_USAGE,
            "%zu bytes are no program: it begins with a jump over the %d bytes from address "
            "4 on that say where it runs",
            bytes, 4 * PLACE_WORDS);
    int error = crowd_begin(&c, t, at, boards, bytes);
    if (error == TORUS_OK)
        error = lease_begin(t, 0);
    if (error == TORUS_OK) {
        error = write_each(&c, OFR_USER_CONTROL, 0, 0);
        for (unsigned i = 0; i < c.boards && error == TORUS_OK; i++) {
            error = free_ends(t, place_of(&c, i, here));
            if (error == TORUS_OK)
                error = lease_keep(t);
        }
        if (error == TORUS_OK)
            error = write_each(&c, OFR_USER_MEM_ADDR, 0, 0);
        // The first word, by which a program is known, is 0 until all others are there.
        for (size_t n = 0; n < bytes && error == TORUS_OK; n += 4) {
            error = write_each(&c, OFR_USER_MEM_DATA, n ? word_of(from, bytes, n) : 0, 0);
            if (error == TORUS_OK && n / 4 % TURN_WORDS == 0)
                error = lease_keep(t);
            progress(t, "bytes", (double)(n + 4 < bytes ? n + 4 : bytes), (double)bytes);
        }
        if (error == TORUS_OK)
            error = write_each(&c, OFR_USER_MEM_ADDR, 0, 0);
        if (error == TORUS_OK)
            error = write_each(&c, OFR_USER_MEM_DATA, word_of(from, bytes, 0), 0);
        error = lease_done(t, error);
    }
    free(c.q);
    return error;
}

// ---- Starting and holding -----------------------------------------------------------------------

// A word of a held core's memory, under the lease.
static int read_word(struct torus *t, const uint8_t at[3], uint32_t address, uint32_t *word)
{
    int error = torus_write(t, at, OFR_USER_MEM_ADDR, address);
    if (error == TORUS_OK)
        error = torus_read(t, at, OFR_USER_MEM_DATA, word);
    if (error == TORUS_OK)
        error = lease_keep(t);
    return error;
}

// A held core's memory begins as a program does? Before the first load it is 0.
static int want_program(struct torus *t, const uint8_t at[3])
{
    uint32_t word = 0;
    char place[16];
    int error = read_word(t, at, 0, &word);
    if (error == TORUS_OK && !is_program(word))
        error = fail(t, TORUS_E_USAGE, "%s: no program is loaded: load one there, then start it",
                     place_text(t, at, place));
    return error;
}

API int torus_user_start(struct torus *t, const uint8_t (*at)[3], unsigned boards,
                         const uint32_t argument[4])
{
    struct crowd c;
    uint8_t here[3];
    int error = crowd_begin(&c, t, at, boards, 0);
    if (error == TORUS_OK)
        error = lease_begin(t, 0);
    if (error == TORUS_OK) {
        uint32_t place[PLACE_WORDS] = {0, c.boards};
        if (argument)
            memcpy(place + 2, argument, 4 * sizeof *argument);
        error = write_each(&c, OFR_USER_CONTROL, 0, 0);
        for (unsigned i = 0; i < c.boards && error == TORUS_OK; i++)
            error = want_program(t, place_of(&c, i, here));
        if (error == TORUS_OK)
            error = write_each(&c, OFR_USER_MEM_ADDR, 4, 0);
        for (unsigned i = 0; i < PLACE_WORDS && error == TORUS_OK; i++)
            error = write_each(&c, OFR_USER_MEM_DATA, place[i], i ? 0 : 1);
        if (error == TORUS_OK)
            error = write_each(&c, OFR_USER_CONTROL, OFR_USER_CONTROL_RUN_MASK, 0);
        error = lease_done(t, error);
    }
    free(c.q);
    return error;
}

API int torus_user_stop(struct torus *t, const uint8_t (*at)[3], unsigned boards)
{
    struct crowd c;
    int error = crowd_begin(&c, t, at, boards, 0);
    if (error == TORUS_OK)
        error = lease_begin(t, 0);
    if (error == TORUS_OK)
        error = lease_done(t, write_each(&c, OFR_USER_CONTROL, 0, 0));
    free(c.q);
    return error;
}

API int torus_user_join(struct torus *t, const struct torus_end *from, const struct torus_end *to,
                        double seconds)
{
    char text[24];
    const struct torus_end *both[2] = {from, to};
    for (unsigned i = 0; i < 2; i++) {
        struct core core;
        int error = want_core(t, both[i]->at, &core);
        if (error != TORUS_OK)
            return error;
        if (both[i]->end >= core.ends)
            return fail(t, TORUS_E_USAGE, "%s: a program there has ends 0 to %u",
                        end_text(t, both[i], text), core.ends - 1);
    }
    return torus_channel_join(t, from, TORUS_PINS, to, TORUS_PINS, seconds);
}

// ---- Watching -----------------------------------------------------------------------------------

API int torus_user_state(struct torus *t, const uint8_t at[3], struct torus_user *out)
{
    static const uint16_t offset[4] = {OFR_USER_STATE, OFR_USER_PC, OFR_USER_ADDR,
                                       OFR_USER_CONSOLE};
    uint32_t value[4] = {0};
    struct core core;
    int error = want_core(t, at, &core);
    if (error == TORUS_OK)
        error = read_four(t, at, offset, value);
    unsigned state = FIELD(value[0], OFR_USER_STATE_STATE);
    unsigned cause = FIELD(value[0], OFR_USER_STATE_CAUSE);
    bool stopped = state == OFR_USER_STATE_STATE_STOPPED;
    bool ended = stopped && cause == OFR_USER_STATE_CAUSE_EXIT;
    *out = (struct torus_user){
        .state = ended                                   ? "ended"
                 : stopped                               ? "stopped"
                 : state == OFR_USER_STATE_STATE_RUNNING ? "running"
                                                         : "held",
        .cause = cause < CAUSES ? causes[cause] : "unknown",
        .ends = core.ends,
        .memory = core.memory,
        .running = state == OFR_USER_STATE_STATE_RUNNING,
        .ended = ended,
        .code = FIELD(value[0], OFR_USER_STATE_CODE),
        .pc = value[1],
        .address = value[2],
        .lost = FIELD(value[3], OFR_USER_CONSOLE_LOST),
    };
    return error;
}

API int torus_user_console(struct torus *t, const uint8_t at[3], char *text, size_t room,
                           size_t *bytes)
{
    static const uint16_t offset[4] = {OFR_USER_CONSOLE, OFR_USER_CONSOLE_DATA, OFR_USER_CONSOLE,
                                       OFR_USER_CONSOLE_DATA};
    uint32_t value[4] = {0};
    struct core core;
    bool begun = false;
    *bytes = 0;
    int error = want_core(t, at, &core);
    while (error == TORUS_OK && room - *bytes >= sizeof value[1]) {
        error = read_four(t, at, offset, value);
        unsigned count = FIELD(value[0], OFR_USER_CONSOLE_COUNT);
        if (error != TORUS_OK || !count)
            break;
        if (!begun) { // the bytes may have gone to another host meanwhile
            error = lease_turn(t);
            begun = error == TORUS_OK;
            continue;
        }
        error = torus_write(t, at, OFR_USER_CONSOLE, count);
        for (unsigned i = 0; i < count && i < sizeof value[1] && error == TORUS_OK; i++)
            text[(*bytes)++] = (char)(value[1] >> 8 * i);
        if (error == TORUS_OK)
            error = lease_keep(t);
    }
    return begun ? lease_done(t, error) : error;
}

API int torus_user_memory(struct torus *t, const uint8_t at[3], uint32_t address, void *data,
                          size_t bytes)
{
    uint32_t control = 0, word = 0;
    uint8_t *to = data;
    struct core core;
    char place[16];
    int error = want_core(t, at, &core);
    if (error == TORUS_OK && (address > core.memory || bytes > core.memory - address))
        error = fail(t, TORUS_E_USAGE, "%zu bytes from 0x%x on: the memory at %s has %zu", bytes,
                     address, place_text(t, at, place), core.memory);
    if (error == TORUS_OK)
        error = lease_begin(t, 0);
    if (error != TORUS_OK)
        return error;
    error = torus_read(t, at, OFR_USER_CONTROL, &control);
    if (error == TORUS_OK && control & OFR_USER_CONTROL_RUN_MASK)
        error = fail(t, TORUS_E_BOARD, "%s: its program has the memory: torus_user_stop()",
                     place_text(t, at, place));
    for (size_t i = 0; i < bytes && error == TORUS_OK; i++) {
        uint32_t from = address + (uint32_t)i;
        if (i == 0 || from % 4 == 0)
            error = read_word(t, at, from & ~3U, &word);
        to[i] = (uint8_t)(word >> 8 * (from % 4));
    }
    return lease_done(t, error);
}
