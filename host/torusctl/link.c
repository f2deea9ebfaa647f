// SPDX-License-Identifier: Apache-2.0
// torusctl link: every link's two ends.
#include <math.h>
#include <stdio.h>

#include "ctl.h"

enum { CONFIDENCE = 256 };

static struct {
    bool all;
    double confidence; // from 0 to 1; 0: not given
} set;

static const struct argp_option options[] = {
    {"all", 'A', 0, 0, "ports that have never had a link, too", 1},
    {"confidence", CONFIDENCE, "PERCENT", 0, "of the error rate's bound (default 95)", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    if (key == 'A')
        set.all = true;
    else if (key == CONFIDENCE)
        set.confidence = number(state, arg, 1, 99.9999) / 100;
    else
        return false;
    return true;
}

static const struct column columns[] = {
    {"board", "board", 0, 0},
    {"port", "port", -1, 0},
    {"serial", "serial number", 0, 0},
    {"state", "state", -1, 0},
    {"peer", "other end", 0, 0},
    {"since", "since s", 0, 0},
    {"up", NULL, 0, 0},
    {"falls", "falls", 0, 0},
    {"why", "last fall", -1, 0},
    {"longest_outage", "longest s", 0, 0},
    {"frames", "frames", 0, 0},
    {"crc", "damaged", 0, 0},
    {"retries", "retries", 0, 0},
    {"bits", NULL, 0, 0},
    {"error_rate_below", "errors a bit below", 0, 0},
    {"locked", NULL, 0, 0},
    {"eyes", "eyes", -1, 0},
    {"wire_bits", NULL, 0, 0},
    {"wire_errors", "wire errors", 0, 0},
    {"wire_error_rate_below", "a bit below", 0, 0},
    {0},
};

// A number of a reliable link; null of a plain one.
static json_t *count(const struct torus_link *l, uint32_t value)
{
    return l->reliable ? json_integer(value) : json_null();
}

static json_t *real(const struct torus_link *l, double value)
{
    return l->reliable && !isnan(value) ? json_real(value) : json_null();
}

// What the physical layer has found, null where there is none: of all wires together, but the eyes,
// a digit a wire.
static void put_wires(json_t *to, const struct torus_phy *phy, double confidence)
{
    char eyes[TORUS_WIRES + 1] = "";
    double errors = 0, bits = phy->bits * phy->wires;
    for (unsigned w = 0; w < phy->wires; w++) {
        eyes[w] = (char)(phy->stopped ? '-' : '0' + phy->wire[w].eye % 10);
        errors += phy->wire[w].errors;
    }
    double bound = torus_error_bound((uint64_t)errors, bits, confidence);
    bool there = phy->wires != 0;
    json_object_set_new(to, "locked", there ? json_boolean(phy->locked) : json_null());
    json_object_set_new(to, "eyes", there ? json_string(eyes) : json_null());
    json_object_set_new(to, "wire_bits", there ? json_real(bits) : json_null());
    json_object_set_new(to, "wire_errors", there ? json_real(errors) : json_null());
    json_object_set_new(to, "wire_error_rate_below",
                        there && !isnan(bound) ? json_real(bound) : json_null());
}

static json_t *row(const struct torus *t, unsigned board, unsigned port, const struct torus_link *l)
{
    const struct torus_board *b = torus_board(t, board);
    uint64_t peer = l->peer              ? l->peer
                    : b->peer[port] >= 0 ? torus_board(t, (unsigned)b->peer[port])->serial
                                         : 0;
    const char *why = torus_link_why(l->why);
    double confidence = set.confidence > 0 ? set.confidence : 0.95;
    double bound = torus_error_bound(l->crc, l->bits, confidence);
    json_t *is = json_pack(
        "{s:i,s:s,s:o,s:s,s:o,s:o,s:o,s:o,s:s?,s:o,s:o,s:o,s:o,s:o,s:o}", "board", (int)board,
        "port", torus_port_name(port), "serial", json_serial(b->serial), "state",
        torus_link_state_name(l->state), "peer", peer ? json_serial(peer) : json_null(), "since",
        real(l, l->since_seconds), "up", real(l, l->up_seconds), "falls", count(l, l->falls), "why",
        l->reliable ? (why ? why : "unknown") : NULL, "longest_outage", real(l, l->longest_seconds),
        "frames", count(l, l->frames), "crc", count(l, l->crc), "retries", count(l, l->retries),
        "bits", real(l, l->bits), "error_rate_below", real(l, bound));
    if (is)
        put_wires(is, &l->phy, confidence);
    return is;
}

// There is another end, or was one.
static bool was_there(const struct torus_link *l)
{
    return l->state != TORUS_LINK_DOWN || l->up_seconds > 0;
}

static int do_link(struct torus *t, const struct args *a)
{
    struct torus_link links[TORUS_PORTS];
    int error = discover(t);
    bool bad = false, any = false;
    if (error != TORUS_OK && error != TORUS_E_MISCABLED)
        return report(t, error);
    error = TORUS_OK;
    struct table *rows = table_begin(a, "links", columns);
    for (unsigned i = 0; i < torus_boards(t) && error == TORUS_OK; i++) {
        error = torus_links(t, i, links);
        for (unsigned p = 0; p < 2u * torus_board(t, i)->dims && error == TORUS_OK; p++) {
            bool shown = set.all || was_there(&links[p]);
            if (shown)
                table_row(rows, row(t, i, p, &links[p]));
            any |= shown;
            bad |= links[p].state != TORUS_LINK_UP && was_there(&links[p]);
        }
    }
    if (error != TORUS_OK) {
        table_drop(rows);
        return report(t, error);
    }
    if (!any)
        table_note(rows, "no port has had a link since the board was reset; --all lists them");
    table_end(rows, json_pack("{s:f}", "confidence", set.confidence > 0 ? set.confidence : 0.95));
    return bad;
}

const struct command command_link = {
    .name = "link",
    .summary = "every link: state, both ends, errors, outages",
    .about =
        "Every end of every link, over directed routes, so with any cables, programmed or not: its "
        "state, the board at the other end, for how long it has been up or down, how often it fell "
        "and why the last time, the longest outage; frames sent, damaged frames received, how "
        "often "
        "it went back to a lost frame; and what the rate of bit errors of what it receives is "
        "below, with a confidence of 95% or --confidence. Damaged frames are what is counted, so "
        "several wrong bits in a frame are one error. All is since the board's reset. Of a "
        "physical "
        "layer: the eye of each wire that comes, a digit a wire, sampling points that were good in "
        "training, 0 to 2 (0: the wire is dead), and wrong bits of those that it looks at, since "
        "it "
        "last trained: while the link is up its control words, 1 in 128. Ports that "
        "have never had a link are left out unless --all is given; of plain links only the state "
        "is "
        "known. The exit status is 1 where a link is down that has been up, or does not come up "
        "because its ends do not fit.",
    .examples = "link\nlink --format json > links.json\nlink --confidence 99 --format csv\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | FORMAT,
    .options = options,
    .option = option,
    .run = do_link,
};
