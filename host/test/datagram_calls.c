// SPDX-License-Identifier: Apache-2.0
// libtorus' datagrams, on the boards at argv[1], 2x1 or 2x2, as calls: all lengths and classes to
// all boards, what waits, what has no room, what is dropped and why, what others left half done.
// argv[2]: only these. TAP.
#include <libtorus.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char subject[] = "datagrams";
#include "calls.h"
#include "ofr_regs.h"

enum { MOST = 2040, ROOM = 4, SECONDS = 20 };

static const uint8_t here[3] = {0, 0, 0}, there[3] = {1, 0, 0};
static const struct torus_end to = {.at = {1, 0, 0}, .end = 9};

static bool comes(const uint8_t at[3], const uint8_t source[3], unsigned end, const uint8_t *data,
                  size_t bytes)
{
    static uint8_t got[MOST];
    struct torus_end from;
    size_t n;
    return torus_datagram_recv(t, at, got, sizeof got, SECONDS, &n, &from) == TORUS_OK &&
           n == bytes && !memcmp(got, data, n) && from.end == end && !memcmp(from.at, source, 3);
}

// Each is of other bytes, to another end.
static bool goes(const uint8_t from[3], const uint8_t at[3], enum torus_traffic traffic,
                 size_t bytes)
{
    static unsigned seed;
    uint8_t data[MOST];
    struct torus_end end = {.end = (uint8_t)(++seed % 16)};
    memcpy(end.at, at, 3);
    fill(data, bytes, seed);
    return torus_datagram_send(t, from, &end, traffic, data, bytes, SECONDS) == TORUS_OK &&
           comes(at, from, end.end, data, bytes);
}

static bool attach(bool software)
{
    return torus_datagram_attach(t, here, software) == TORUS_OK &&
           torus_datagram_attach(t, there, software) == TORUS_OK;
}

static uint32_t value(const uint8_t at[3], unsigned offset)
{
    uint32_t v = 0;
    torus_read(t, at, offset, &v);
    return v;
}

static void all(void)
{
    size_t most = torus_datagram_most(t);
    const size_t bytes[] = {0, 1, 3, 4, 5, most - 5, most};
    bool good = true;
    for (unsigned i = 0; i < sizeof bytes / sizeof *bytes; i++)
        good = good && goes(here, there, (enum torus_traffic)(i % 3), bytes[i]);
    result(good && goes(there, here, TORUS_DEROUTE, 10), "of all lengths and classes, and back");
    result(goes(here, here, TORUS_INORDER, 7), "to itself");

    static const uint8_t data[8] = "12345678";
    good = true;
    for (unsigned i = 0; i < ROOM; i++)
        good = good &&
               torus_datagram_send(t, here, &to, TORUS_INORDER, data, 1 + i, SECONDS) == TORUS_OK;
    for (unsigned i = 0; i < ROOM; i++)
        good = good && comes(there, here, to.end, data, 1 + i);
    result(good, "as many as there is room for wait");
    uint8_t part[4] = "....";
    size_t n;
    good = torus_datagram_send(t, here, &to, TORUS_MINIMAL, data, 8, SECONDS) == TORUS_OK &&
           torus_datagram_recv(t, there, part, 3, SECONDS, &n, NULL) == TORUS_OK;
    result(good && n == 8 && !memcmp(part, "123.", 4), "what there is no room for is thrown away");
    says(torus_datagram_recv(t, there, part, 3, 0, &n, NULL), TORUS_E_TIMEOUT, "no datagram",
         "and then there is none");
}

// A consumer that takes nothing: they are counted, the sender goes on.
static void no_room(void)
{
    uint32_t before = value(there, OFR_DATAGRAM_NO_ROOM);
    uint32_t kept = value(there, OFR_DATAGRAM_RECEIVED);
    bool good = true;
    for (unsigned i = 0; i < 2 * ROOM + 4; i++)
        good =
            good && torus_datagram_send(t, here, &to, TORUS_MINIMAL, "x", 1, SECONDS) == TORUS_OK;
    // The last one may be on its way yet
    for (unsigned i = 0; i < 100 && value(there, OFR_DATAGRAM_NO_ROOM) +
                                            value(there, OFR_DATAGRAM_RECEIVED) - before - kept <
                                        2 * ROOM + 4;
         i++)
        ;
    kept = value(there, OFR_DATAGRAM_RECEIVED) - kept;
    result(good && kept >= ROOM && kept <= ROOM + 2 &&
               value(there, OFR_DATAGRAM_NO_ROOM) - before == 2 * ROOM + 4 - kept,
           "one that takes nothing: the others are counted");
    for (unsigned i = 0; i < kept; i++)
        good = good && comes(there, here, to.end, (const uint8_t *)"x", 1);
    result(good && goes(here, there, TORUS_MINIMAL, 4), "and what waited comes, and new ones");
}

static void refusals(void)
{
    static const struct torus_end outside = {.at = {2, 0, 0}};
    struct torus_end end = to;
    uint8_t data[MOST] = {0}, got[1];
    size_t n;
    says(torus_datagram_send(t, here, &outside, TORUS_MINIMAL, "x", 1, 1), TORUS_E_USAGE,
         "outside of the torus", "to a node outside");
    says(torus_datagram_send(t, outside.at, &to, TORUS_MINIMAL, "x", 1, 1), TORUS_E_USAGE,
         "outside of the torus", "from a node outside");
    says(torus_datagram_send(t, here, &to, TORUS_MINIMAL, data, torus_datagram_most(t) + 1, 1),
         TORUS_E_USAGE, "at most", "longer than a packet");
    says(torus_datagram_send(t, here, &to, (enum torus_traffic)3, "x", 1, 1), TORUS_E_USAGE,
         "class 3", "a class that there is not");
    end.end = 16;
    says(torus_datagram_send(t, here, &end, TORUS_MINIMAL, "x", 1, 1), TORUS_E_USAGE, "0 to 15",
         "an end that there is not");
    result(attach(false), "they are the pins'");
    says(torus_datagram_send(t, here, &to, TORUS_MINIMAL, "x", 1, 1), TORUS_E_USAGE,
         "logic's at its pins", "sending what is not ours");
    says(torus_datagram_recv(t, here, got, 1, 0, &n, NULL), TORUS_E_USAGE, "logic's at its pins",
         "taking it");
    result(attach(true), "they are software's again");
}

// A table that has no way there: the board says so. Management goes by it too, so it is of a board
// that the host is not plugged into, to one of another row, where it has nothing to say.
static void nowhere(void)
{
    static const struct torus_end far = {.at = {0, 1, 0}};
    struct torus_destination way = {.from = {1, 0, 0}, .to = {0, 1, 0}, .mode = TORUS_UNREACHABLE};
    struct torus_preset preset = torus_preset_default(TORUS_OFR);
    struct torus_table table;
    bool good = torus_datagram_attach(t, far.at, true) == TORUS_OK &&
                torus_preset_here(t, &preset, &table) == TORUS_OK;
    table.destinations = &way;
    table.destination_count = 1;
    result(good && torus_program_table(t, &table) == TORUS_OK, "a table without a way");
    uint32_t sent = value(there, OFR_DATAGRAM_SENT);
    says(torus_datagram_send(t, there, &far, TORUS_MINIMAL, "x", 1, SECONDS), TORUS_E_FAILED,
         "no way there", "is said");
    result(value(there, OFR_DATAGRAM_SENT) == sent, "and not counted as sent");
    result(torus_program(t, &preset) == TORUS_OK && goes(there, far.at, TORUS_DEROUTE, 5),
           "with one again it goes");
    result(torus_datagram_attach(t, far.at, false) == TORUS_OK, "that board's are its pins' again");
}

// Half a datagram that another process has given, or taken.
static void left(void)
{
    bool good = torus_lease(t, 60) == TORUS_OK &&
                torus_write(t, here, OFR_DATAGRAM_TX_TO, 1) == TORUS_OK &&
                torus_write(t, here, OFR_DATAGRAM_TX_DATA, 0x55555555) == TORUS_OK &&
                torus_write(t, here, OFR_DATAGRAM_TX_DATA, 0x66666666) == TORUS_OK &&
                torus_release(t) == TORUS_OK;
    result(good && goes(here, there, TORUS_MINIMAL, 9), "half given: nothing of it is sent");
    good = torus_datagram_send(t, here, &to, TORUS_MINIMAL, "123456789", 9, SECONDS) == TORUS_OK;
    for (unsigned i = 0; i < 100 && !value(there, OFR_DATAGRAM_RX); i++)
        ;
    good = good && torus_lease(t, 60) == TORUS_OK &&
           torus_write(t, there, OFR_DATAGRAM_RX_NEXT, 0) == TORUS_OK &&
           torus_release(t) == TORUS_OK;
    result(good && goes(here, there, TORUS_MINIMAL, 11), "half taken: nothing of it comes");
    good = torus_datagram_send(t, here, &to, TORUS_MINIMAL, "123456789", 9, SECONDS) == TORUS_OK;
    for (unsigned i = 0; i < 100 && !value(there, OFR_DATAGRAM_RX); i++)
        ;
    good = good && torus_lease(t, 60) == TORUS_OK &&
           torus_write(t, there, OFR_DATAGRAM_RX_NEXT, 0) == TORUS_OK &&
           torus_write(t, here, OFR_DATAGRAM_TX_DATA, 1) == TORUS_OK &&
           torus_release(t) == TORUS_OK;
    result(good && attach(false) && attach(true) && goes(here, there, TORUS_MINIMAL, 2),
           "and both, as they change hands");
}

int main(int argc, char **argv)
{
    char where[256];
    const char *only = argc > 2 ? argv[2] : NULL;
    struct torus_options options = torus_options_default();
    snprintf(where, sizeof where, "unix:%s/board0.sock", argc > 1 ? argv[1] : ".");
    options.timeout = 60;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (torus_open(&t, where, &options) != TORUS_OK || torus_attach(t) != TORUS_OK) {
        fprintf(stderr, "%s\n", t ? torus_detail(t) : "no memory");
        return 2;
    }
    result(attach(true), "software takes them");
    if (!only || !strcmp(only, "all"))
        all();
    if (!only) {
        no_room();
        refusals();
    }
    if (!only || !strcmp(only, "nowhere"))
        nowhere();
    if (!only || !strcmp(only, "left"))
        left();
    result(attach(false), "and gives them back");
    torus_close(t);
    printf("1..%d\n", number);
    return failures != 0;
}
