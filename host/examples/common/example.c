// SPDX-License-Identifier: Apache-2.0
#include "example.h"

#include <ofr_regs.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 60 }; // seconds in which nothing moves, or an end does not open

void example_fail(const struct example *e, int status, const char *format, ...)
{
    va_list list;
    fflush(stdout);
    fprintf(stderr, "%s: ", e->name);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    torus_close(e->t);
    exit(status);
}

void example_good(const struct example *e, int error)
{
    if (error != TORUS_OK)
        example_fail(e, 2, "%s", torus_detail(e->t));
}

void example_begin(struct example *e, const char *name, const char *where, bool alone)
{
    *e = (struct example){.name = name};
    example_good(e, torus_open(&e->t, where, NULL));
    int error = torus_attach(e->t);
    if (error == TORUS_E_UNKNOWN) {
        struct torus_preset ofr = torus_preset_default(TORUS_OFR);
        example_good(e, torus_discover(e->t));
        error = torus_program(e->t, &ofr);
    }
    example_good(e, error);
    torus_sizes(e->t, e->k);
    e->nodes = (unsigned)e->k[0] * e->k[1] * e->k[2];
    uint32_t shape = 0, peer = 0;
    example_good(e, torus_read(e->t, NULL, OFR_CHANNEL_SHAPE, &shape));
    if (!shape)
        example_fail(e, 2, "%s: the boards are built without channels (boardsim --channels 8)",
                     where);
    if (!alone)
        return;
    example_good(e, torus_lease(e->t, 0));
    // Another number than the last time's, whoever had the end then.
    example_good(e, torus_write(e->t, NULL, OFR_CHANNEL_SELECT, SOFTWARE_END));
    example_good(e, torus_read(e->t, NULL, OFR_CHANNEL_PEER, &peer));
    e->connection = ((peer >> OFR_CHANNEL_PEER_CONN_LSB) + 1) & 255;
}

void example_end(struct example *e)
{
    torus_close(e->t);
    e->t = NULL;
}

void example_at(const struct example *e, unsigned node, uint8_t at[3])
{
    for (unsigned d = 0; d < 3; d++) {
        at[d] = (uint8_t)(node % e->k[d]);
        node /= e->k[d];
    }
}

unsigned example_number(const struct example *e, const char *text, const char *what, unsigned least,
                        unsigned most)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || n < least || n > most)
        example_fail(e, 2, "%s: %s is a number from %u to %u", text, what, least, most);
    return (unsigned)n;
}

void example_pair(const struct example *e, const char *text, const char *what, unsigned most,
                  unsigned pair[2])
{
    char rest;
    if (sscanf(text, "%4ux%4u%c", &pair[0], &pair[1], &rest) != 2 || !pair[0] || !pair[1] ||
        pair[0] > most || pair[1] > most)
        example_fail(e, 2, "%s: %s is WIDTHxHEIGHT, 1 to %u each", text, what, most);
}

void *example_memory(const struct example *e, size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p)
        example_fail(e, 2, "no memory for %zu x %zu bytes", count, size);
    return p;
}

// ---- Ends ---------------------------------------------------------------------------------------

static void command(const struct example *e, const struct torus_end *end, uint32_t what)
{
    example_good(e, torus_write(e->t, end->at, OFR_CHANNEL_SELECT, end->end));
    example_good(e, torus_write(e->t, end->at, OFR_CHANNEL_COMMAND, what));
}

static void join(const struct example *e, const struct torus_end *end, bool software,
                 const struct torus_end *peer, uint32_t what)
{
    uint32_t node =
        peer->at[0] | (uint32_t)peer->at[1] << 4 | (uint32_t)peer->at[2] << 8; // as in PEER
    example_good(e, torus_write(e->t, end->at, OFR_CHANNEL_SELECT, end->end));
    example_good(e, torus_write(e->t, end->at, OFR_CHANNEL_ATTACH, software));
    example_good(e, torus_write(e->t, end->at, OFR_CHANNEL_PEER,
                                node | (uint32_t)peer->end << OFR_CHANNEL_PEER_END_LSB |
                                    e->connection << OFR_CHANNEL_PEER_CONN_LSB));
    command(e, end, what);
}

// Waits until the end is in this state.
static void wait_for(const struct example *e, const struct torus_end *end, const char *state)
{
    struct torus_channel now;
    for (unsigned looks = 0;; looks++) {
        example_good(e, torus_channel_state(e->t, end, &now));
        if (!strcmp(now.state, state))
            return;
        if (looks == 10000 || now.reason)
            example_fail(e, 2, "board (%u,%u,%u), end %u is %s%s%s, not %s", end->at[0], end->at[1],
                         end->at[2], end->end, now.state, now.reason ? ": " : "",
                         now.reason ? now.reason : "", state);
    }
}

void example_join(const struct example *e, const struct example_join *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        join(e, &list[i].to, list[i].to_software, &list[i].from, OFR_CHANNEL_COMMAND_LISTEN);
    for (unsigned i = 0; i < count; i++)
        join(e, &list[i].from, list[i].from_software, &list[i].to, OFR_CHANNEL_COMMAND_OPEN);
    for (unsigned i = 0; i < count; i++)
        wait_for(e, &list[i].from, "open");
}

void example_part(const struct example *e, const struct example_join *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        command(e, &list[i].from, OFR_CHANNEL_COMMAND_CLOSE);
    for (unsigned i = 0; i < count; i++) {
        wait_for(e, &list[i].from, "ended");
        wait_for(e, &list[i].to, "ended");
    }
}

// ---- Words --------------------------------------------------------------------------------------

// The boards' words have their low byte first.
static void pack(uint8_t *to, const uint32_t *from, size_t words)
{
    for (size_t i = 0; i < 4 * words; i++)
        to[i] = (uint8_t)(from[i / 4] >> 8 * (i % 4));
}

static void unpack(uint32_t *to, const uint8_t *from, size_t words)
{
    memset(to, 0, 4 * words);
    for (size_t i = 0; i < 4 * words; i++)
        to[i / 4] |= (uint32_t)from[i] << 8 * (i % 4);
}

static void move(const struct example *e, struct example_words *list, unsigned count, bool take,
                 double seconds)
{
    struct torus_message *m = example_memory(e, count, sizeof *m);
    for (unsigned i = 0; i < count; i++) {
        m[i].end.end = SOFTWARE_END;
        example_at(e, list[i].node, m[i].end.at);
        m[i].take = take;
        m[i].bytes = 4 * list[i].words;
        m[i].data = example_memory(e, list[i].words, 4);
        m[i].other = -1;
        if (!take)
            pack(m[i].data, list[i].word, list[i].words);
    }
    example_good(e, torus_messages(e->t, m, count, seconds));
    for (unsigned i = 0; i < count; i++) {
        if (take && m[i].moved % 4)
            example_fail(e, 2, "node %u: a message of %zu bytes, no words", list[i].node,
                         m[i].moved);
        list[i].words = m[i].moved / 4;
        if (take)
            unpack(list[i].word, m[i].data, list[i].words);
        free(m[i].data);
    }
    free(m);
}

void example_send(const struct example *e, const struct example_words *list, unsigned count)
{
    struct example_words *copy = example_memory(e, count, sizeof *copy);
    memcpy(copy, list, count * sizeof *copy);
    move(e, copy, count, false, PATIENCE);
    free(copy);
}

void example_receive(const struct example *e, struct example_words *list, unsigned count,
                     double seconds)
{
    move(e, list, count, true, seconds);
}
