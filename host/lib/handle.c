// SPDX-License-Identifier: Apache-2.0
// What every layer stands on: a handle's memory, its last error, the time.
#define _GNU_SOURCE
#include "handle.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

int fail(struct torus *t, int error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(t->detail, sizeof t->detail, format, args);
    va_end(args);
    return error;
}

int ok(struct torus *t)
{
    t->detail[0] = 0;
    return TORUS_OK;
}

API const char *torus_strerror(int error)
{
    static const char *const text[] = {
        [TORUS_OK] = "success",
        [TORUS_E_USAGE] = "wrong argument",
        [TORUS_E_TRANSPORT] = "no connection",
        [TORUS_E_TIMEOUT] = "no answer",
        [TORUS_E_PROTOCOL] = "protocol error",
        [TORUS_E_BUSY] = "another session has the write lease",
        [TORUS_E_LOCKED] = "the boards have a key",
        [TORUS_E_MISCABLED] = "not cabled as a torus",
        [TORUS_E_UNKNOWN] = "not programmed",
        [TORUS_E_MIXED] = "mixed table generations",
        [TORUS_E_BOARD] = "refused by a board",
        [TORUS_E_FAILED] = "check failed",
        [TORUS_E_MEMORY] = "out of memory",
        [TORUS_E_LEASE] = "the write lease is lost",
        [TORUS_E_CANCELLED] = "cancelled",
    };
    if (error < 0 || (size_t)error >= sizeof text / sizeof *text)
        return "unknown error";
    return text[error];
}

API const char *torus_detail(const struct torus *t)
{
    return t ? t->detail : "out of memory";
}

// Structures of options
// -----------------------------------------------------------------------------

bool options_take(void *to, size_t room, const void *from)
{
    size_t size;
    memcpy(&size, from, sizeof size);
    const uint8_t *bytes = from;
    if (size <= sizeof size)
        return false;
    for (size_t i = room; i < size; i++) // unknown here
        if (bytes[i])
            return false;
    memset(to, 0, room);
    memcpy(to, from, size < room ? size : room);
    memcpy(to, &room, sizeof room);
    return true;
}

void options_give(void *to, size_t size, const void *from, size_t known)
{
    memset(to, 0, size);
    memcpy(to, from, size < known ? size : known);
    memcpy(to, &size, sizeof size);
}

API void torus_options_init(struct torus_options *options, size_t size)
{
    const struct torus_options defaults = {.size = sizeof defaults, .timeout = 30, .retry = 0.5};
    options_give(options, size, &defaults, sizeof defaults);
}

// -------------------------------------------------------------------------------------------------

double monotonic(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int wait_more(struct torus *t, double seconds)
{
    int error = look_cancelled(t);
    if (error == TORUS_OK)
        pause_seconds(seconds);
    return error;
}

bool is_cancelled(const struct torus *t)
{
    return t->options.cancelled && t->options.cancelled(t->options.ctx);
}

int cancel_point(struct torus *t)
{
    if (is_cancelled(t))
        return fail(t, TORUS_E_CANCELLED, "stopped before its end");
    return TORUS_OK;
}

int look_cancelled(struct torus *t)
{
    return t->uncut ? TORUS_OK : cancel_point(t);
}

void progress(struct torus *t, const char *what, double done, double total)
{
    double now = monotonic();
    if (!t->options.progress || now < t->progressed + 0.1)
        return;
    t->progressed = now;
    t->options.progress(t->options.ctx, what, done, total);
}

void pause_seconds(double seconds)
{
    struct timespec wait = {.tv_sec = (time_t)seconds};
    wait.tv_nsec = (long)(1e9 * (seconds - (double)wait.tv_sec));
    nanosleep(&wait, NULL);
}

const char *place_text(const struct torus *t, const uint8_t at[3], char text[16])
{
    bool solid = t->dims ? t->dims == 3 || at[2] : at[2];
    snprintf(text, 16, solid ? "(%u,%u,%u)" : "(%u,%u)", at[0], at[1], at[2]);
    return text;
}

const char *size_text(const struct torus *t, char text[16])
{
    snprintf(text, 16, t->dims == 3 ? "%ux%ux%u" : "%ux%u", t->k[0], t->k[1], t->k[2]);
    return text;
}

uint32_t random_word(void)
{
    static const uint32_t odd = 2654435769; // where there is no better: each call another
    struct timespec now;
    uint32_t word;
    if (getrandom(&word, sizeof word, 0) == sizeof word)
        return word ? word : 1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    word = ((uint32_t)now.tv_nsec ^ (uint32_t)getpid() << 16) * odd;
    return word ? word : 1;
}

struct torus *handle_new(const struct torus_options *options)
{
    struct torus *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    torus_options_init(&t->options, sizeof t->options);
    t->options_bad = options && !options_take(&t->options, sizeof t->options, options);
    if (!(t->options.timeout > 0))
        t->options.timeout = 30;
    if (!(t->options.retry > 0))
        t->options.retry = 0.5;
    t->window_wanted = t->options.window > 0;
    if (!t->options.window)
        t->options.window = 4;
    if (t->options.window > MAX_WINDOW)
        t->options.window = MAX_WINDOW;
    t->session = t->options.session;
    while (!t->session)
        t->session = (uint16_t)random_word();
    // A session number may have been used before: not the same answers again.
    t->seq = (uint16_t)random_word();
    return t;
}

int options_check(struct torus *t)
{
    return t->options_bad ? fail(t, TORUS_E_USAGE,
                                 "struct torus_options: begin with torus_options_default(), and "
                                 "set nothing that libtorus %s has not",
                                 torus_version())
                          : TORUS_OK;
}

void clocks_forget(struct torus *t)
{
    free(t->one_time);
    t->one_time = NULL;
}

void handle_free(struct torus *t)
{
    clocks_forget(t);
    free(t->boards);
    free(t->kept);
    free(t->faults);
    free((void *)t->in_force.destinations);
    free(t->committed);
    free(t->where);
    free(t);
}
