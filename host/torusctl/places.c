// SPDX-License-Identifier: Apache-2.0
// Places and paths as they are written on the command line; attaching.
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ctl.h"

static bool parse_at(const char *text, uint8_t at[3])
{
    unsigned v[3] = {0, 0, 0};
    char extra;
    bool good = isdigit((unsigned char)text[0]);
    if (sscanf(text, "%u,%u,%u%c", &v[0], &v[1], &v[2], &extra) != 3) {
        v[2] = 0;
        good &= sscanf(text, "%u,%u%c", &v[0], &v[1], &extra) == 2;
    }
    for (unsigned i = 0; i < 3; i++) {
        good &= v[i] <= 15;
        at[i] = (uint8_t)v[i];
    }
    return good;
}

bool place_is(const char *text)
{
    uint8_t at[3];
    uint64_t serial;
    return parse_at(text, at) || name_serial(text, &serial);
}

bool place_good(const char *text)
{
    if (place_is(text))
        return true;
    wrong("place", text,
          names_given() ? "write X,Y or X,Y,Z, each from 0 to 15, or a name of the file of --names"
                        : "write X,Y or X,Y,Z, each from 0 to 15");
    return false;
}

int place_find(struct torus *t, const char *text, uint8_t at[3])
{
    uint64_t serial;
    if (parse_at(text, at))
        return 0;
    if (!name_serial(text, &serial))
        return 2;
    int error = torus_find(t, serial, at);
    return error == TORUS_OK ? 0 : report(t, error);
}

bool parse_path(const char *text, uint8_t path[TORUS_MAX_HOPS], unsigned *hops)
{
    const char *at = text;
    for (*hops = 0; *at; (*hops)++) {
        unsigned port = 0;
        while (port < TORUS_PORTS && strncmp(at, torus_port_name(port), 2) != 0)
            port++;
        if (port == TORUS_PORTS || (at[2] && at[2] != ',') || (at[2] && !at[3]) ||
            *hops == TORUS_MAX_HOPS) {
            wrong("path", text, "write up to 24 ports as x+,x+,y-");
            return false;
        }
        path[*hops] = (uint8_t)port;
        at += at[2] ? 3 : 2;
    }
    return true;
}

int attach_there(struct torus *t, unsigned *missing)
{
    uint8_t k[3], at[3];
    char said[256], place[PLACE];
    int error = torus_attach(t);
    *missing = 0;
    if (error == TORUS_OK)
        error = names_learn(t);
    if (error != TORUS_E_TIMEOUT || !torus_sizes(t, k))
        return error == TORUS_OK ? 0 : report(t, error);
    snprintf(said, sizeof said, "%s", torus_detail(t));
    if (discover(t) == TORUS_E_MISCABLED && torus_gaps(t)) {
        unsigned dims = torus_sizes(t, k);
        for (unsigned node = 0; next_missing(t, &node, at); node++) {
            fprintf(stderr, "torusctl: no board at %s\n", place_called(at, dims, place));
            ++*missing;
        }
    }
    if (!*missing)
        fprintf(stderr, "torusctl: %s\n", said);
    return *missing ? 0 : 2;
}

bool next_there(const struct torus *t, unsigned *node, uint8_t at[3])
{
    uint8_t k[3];
    torus_sizes(t, k);
    for (; *node < (unsigned)k[0] * k[1] * k[2]; ++*node) {
        torus_node_at(k, *node, at);
        if (!torus_gaps(t) || board_at(t, at[0], at[1], at[2]))
            return true;
    }
    return false;
}

int attach(struct torus *t, unsigned *missing)
{
    struct torus_preset preset;
    unsigned generation;
    int status = attach_there(t, missing);
    if (status)
        return status;
    int error = torus_programmed(t, &preset, &generation);
    return error == TORUS_OK ? 0 : report(t, error);
}

int discover(struct torus *t)
{
    int error = torus_discover(t);
    for (unsigned i = 0; i < torus_boards(t); i++) {
        const struct torus_board *b = torus_board(t, i);
        const char *name = name_of(b->serial);
        if (b->placed && name && !place_call(b->at, name))
            return TORUS_E_MEMORY;
    }
    return error;
}

int attach_or_discover(struct torus *t)
{
    uint8_t k[3];
    int error = torus_attach(t);
    if (error == TORUS_E_UNKNOWN || error == TORUS_E_MIXED || error == TORUS_E_BOARD ||
        (error == TORUS_E_TIMEOUT && torus_sizes(t, k))) // the board we are plugged into answers
        return discover(t);
    return error == TORUS_OK ? names_learn(t) : error;
}

int rest(struct torus *t, double seconds)
{
    int error = TORUS_OK;
    bool said = false;
    torus_rest(t);
    for (double left = seconds, nap; left > 0 && !interrupted(NULL); left -= nap) {
        nap = left < 0.1 ? left : 0.1;
        nanosleep(&(const struct timespec){.tv_nsec = (long)(1e9 * nap)}, NULL);
    }
    while (!interrupted(NULL) && (error = torus_back(t)) == TORUS_E_TRANSPORT && torus_taken(t)) {
        if (!said)
            fprintf(stderr, "torusctl: %s; waiting for it\n", torus_detail(t));
        said = true;
    }
    return error;
}

bool look_anew(const struct torus *t, int error, unsigned *broke)
{
    return error == TORUS_E_TRANSPORT && (!(*broke)++ || torus_shared(t));
}

void put_apart(const struct args *a, double apart)
{
    if (a->format == TEXT && apart > 0)
        printf("boards with clocks of their own, one time: at most %.1f cycles apart\n", apart);
}
