// SPDX-License-Identifier: Apache-2.0
// Plugs pulled, frames lost, boards without power, hosts killed, all over USB: nothing hangs, what
// is half programmed is said to be, and the next run mends it.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "usb_rig.h"

static const char program[] = "--session 77 program --routing por";

// At how many places of a session something happens: FULL=1 (make soak) all, else half of them.
static unsigned places(unsigned all)
{
    const char *full = getenv("FULL");
    return full && *full ? all : all / 2;
}

enum { TIME_OUT = 60 }; // of torusctl in seconds, as the rig sets it

// Bytes of a session that nothing happens to; -1: it failed.
static long session_bytes(struct rig *r, const char *arguments)
{
    mock_set_faults(r->mock, &mock_no_faults);
    if (torusctl(r, "usb", arguments) != 0)
        return -1;
    return mock_seen(r->mock).bytes;
}

static void replug(struct rig *r)
{
    mock_unplug(r->mock, 1);
    mock_plug(r->mock, r->port, 1);
    mock_set_faults(r->mock, &mock_no_faults);
}

// The boards as the session 77 left them: whole, or said to be mixed and mended. *mixed counts.
static bool recovers(struct rig *r, unsigned *mixed)
{
    switch (torusctl(r, "usb", "info")) {
    case 0:
        break;
    case 1:
        if (!says(r, "--resume or --abort") ||
            torusctl(r, "usb",
                     ++*mixed % 2 ? "--take-over program --resume"
                                  : "--take-over program --abort") != 0 ||
            torusctl(r, "usb", "info") != 0)
            return false;
        break;
    default:
        return false;
    }
    return torusctl(r, "usb", "--take-over program --routing ofr") == 0;
}

// One run of torusctl that ends with `event` after so many bytes. As the plug is pulled it must say
// so in one line, in time.
static bool pulled(struct rig *r, const char *arguments, long after, unsigned *events)
{
    struct mock_faults f = mock_no_faults;
    f.after = after;
    mock_set_faults(r->mock, &f);
    int status = torusctl(r, "usb", arguments);
    bool ok = status == 2 && one_complaint(r) && says(r, "the connection to the board broke") &&
              r->took < TIME_OUT;
    // The last frame is the lease given back: that nobody hears of it is no error. Nor that all was
    // done before.
    ok |= status == 0;
    *events += mock_seen(r->mock).event;
    replug(r);
    return ok;
}

static void unplug(struct rig *r)
{
    static const struct {
        const char *name, *arguments;
        unsigned places;
        bool writes;
    } sessions[] = {{"program", program, 130, true},
                    {"discover --assign", "--session 77 discover --assign", 40, true},
                    {"counters", "counters", 40, false}};
    rig_boards(r, "--dims 2x2 --boards golden", 1);
    torusctl(r, "usb", "program --routing ofr");
    for (unsigned s = 0; s < sizeof sessions / sizeof *sessions; s++) {
        long bytes = session_bytes(r, sessions[s].arguments), bad = -1;
        unsigned mixed = 0, done = 0, events = 0, all = places(sessions[s].places);
        torusctl(r, "usb", "program --routing ofr");
        for (unsigned n = 0; bytes > 0 && n < all && bad < 0; n++, done++) {
            // Evenly over the session, and over the bytes of a frame.
            long after = (long)(n * (uint64_t)bytes / all);
            if (!pulled(r, sessions[s].arguments, after, &events) ||
                !(sessions[s].writes ? recovers(r, &mixed) : !torusctl(r, "usb", "info")))
                bad = after;
        }
        if (bad >= 0)
            printf("# after %ld bytes\n", bad);
        check(r, bad < 0 && events >= all * 9 / 10 && (s || mixed >= all / 26),
              "%s, unplugged at %u places of %ld bytes: %u times half done, said and mended",
              sessions[s].name, events, bytes, mixed);
    }
    r->ctl = "twin/unplug/torusctl";
    unsigned events = 0;
    check(r, !pulled(r, "--timeout 1 --session 77 program --routing por", 500, &events) && events,
          "twin that does not say that the board is gone: found");
    r->ctl = NULL;
    rig_stop(r);
}

static void killed(struct rig *r)
{
    enum { PLACES = 40 };
    unsigned mixed = 0, done = 0, events = 0;
    rig_boards(r, "--dims 2x2 --boards golden", 1);
    torusctl(r, "usb", "program --routing ofr");
    long bytes = session_bytes(r, program);
    for (unsigned n = 0; n < PLACES; n++, done++) {
        struct mock_faults f = mock_no_faults;
        f.event = MOCK_SIGNAL;
        f.signal = SIGKILL;
        f.after = (long)(n * (uint64_t)bytes / PLACES);
        mock_set_faults(r->mock, &f);
        bool dead = torusctl(r, "usb", program) == 128 + SIGKILL;
        events += dead;
        replug(r);
        if (!recovers(r, &mixed))
            break;
    }
    check(r, done == PLACES && events >= PLACES * 9 / 10 && mixed >= 1,
          "program, killed at %u places: %u times half done, said and mended", events, mixed);
    rig_stop(r);
}

// What is lost is sent again soon.
#define REPEAT "--session 77 --retry 0.1 "

// Frames one in a hundred: that the answers are right is for the boards' own check of the traffic.
static void frames(struct rig *r)
{
    static const struct {
        const char *name;
        double damage, drop, repeat, delay;
    } kinds[] = {{"damaged", 0.01, 0, 0, 0},
                 {"dropped", 0, 0.01, 0, 0},
                 {"repeated", 0, 0, 0.01, 0},
                 {"delayed", 0, 0, 0, 0.01},
                 {"of each kind", 0.01, 0.01, 0.01, 0.01}};
    static const char *const steps[] = {REPEAT "discover --assign", REPEAT "program --routing por",
                                        REPEAT "run --pattern uniform,tornado --load 0.2",
                                        REPEAT "--format csv counters --all", REPEAT "info"};
    rig_boards(r, "--dims 4x4 --boards golden", 1);
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct mock_faults f = mock_no_faults;
        f.damage = kinds[k].damage;
        f.drop = kinds[k].drop;
        f.repeat = kinds[k].repeat;
        f.delay = kinds[k].delay;
        mock_set_faults(r->mock, &f);
        unsigned faults = 0, step = 0;
        for (unsigned round = 0; faults < 5 && round < 20 && step % 5 == 0; round++) {
            unsigned n = 0;
            while (n < 5 && torusctl(r, "usb", steps[n]) == 0)
                n++;
            step = n;
            faults = mock_seen(r->mock).faults;
        }
        check(r, step == 5 && faults >= 5, "1%% of frames %s (%u): the main job", kinds[k].name,
              faults);
    }
    mock_set_faults(r->mock, &mock_no_faults);
    check(r, torusctl(r, "usb", "info") == 0 && says(r, "routing por"),
          "all boards are programmed");
    rig_stop(r);
}

// All boards lose their power while a host programs them.
static void reset(struct rig *r)
{
    enum { PLACES = 20 };
    unsigned done = 0, broken = 0;
    rig_boards(r, "--dims 2x2 --boards golden", 1);
    torusctl(r, "usb", "program --routing ofr");
    long bytes = session_bytes(r, program);
    for (unsigned n = 0; n < PLACES; n++, done++) {
        struct mock_faults f = mock_no_faults;
        f.event = MOCK_SIGNAL;
        f.signal = SIGUSR2;
        f.process = r->sim;
        f.after = (long)(n * (uint64_t)bytes / PLACES);
        mock_set_faults(r->mock, &f);
        int status =
            torusctl(r, "usb", "--timeout 3 --retry 0.1 --session 77 program --routing por");
        double took = r->took;
        bool last = f.after > bytes - 4 * 32 ||
                    !mock_seen(r->mock).event; // it is all done but for giving the lease back
        broken += status != 0;
        bool said = (status == 2 && one_line(r)) || (status == 1 && says(r, "--resume"));
        mock_set_faults(r->mock, &mock_no_faults);
        // Well done: so it is, after the boards came back; or nothing was left to do.
        if (status == 0 && !last)
            said = torusctl(r, "usb", "info") == 0 && says(r, "routing por");
        if (!(said || last) || took > TIME_OUT)
            break;
        if (torusctl(r, "usb", "discover --assign") != 0 ||
            torusctl(r, "usb", "program --routing ofr") != 0 || torusctl(r, "usb", "info") != 0)
            break;
    }
    if (done < PLACES)
        printf("# at place %u of %d\n", done, PLACES);
    check(r, done == PLACES && broken >= PLACES / 2,
          "program, boards without power in between at %u places: said %u times, next run works",
          done, broken);
    rig_stop(r);
}

int main(int argc, char **argv)
{
    struct rig *r = rig_new(argc, argv);
    unplug(r);
    killed(r);
    frames(r);
    reset(r);
    return rig_end(r);
}
