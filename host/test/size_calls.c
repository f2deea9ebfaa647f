// SPDX-License-Identifier: Apache-2.0
// Messages of all sizes over a torus of 4x4 or more, through libtorus: of every length to argv[2]
// bytes, then of every power of two, and one more or less, to argv[3]; four at once, which cross,
// beside a channel from which nobody takes anything, and an all-reduce of as many words of all
// boards between. argv[1]: where the boards' sockets are. TAP.
#include <libtorus.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char subject[] = "sizes";
#include "calls.h"
#include "left.h"

enum {
    WAYS = 4,
    MOST = 1 << 20,       // bytes of a message
    MOST_WORDS = 1 << 10, // of a member: all of them go through the host
    MEMBERS = 64,
    GROUP_END = 4,
    PATIENCE = 60, // seconds in which nothing moves
};
static const struct torus_end ways[WAYS][2] = {
    {{{0, 0, 0}, 0}, {{2, 3, 0}, 0}},
    {{{2, 3, 0}, 1}, {{0, 0, 0}, 1}}, // the way back
    {{{3, 1, 0}, 0}, {{1, 2, 0}, 0}},
    {{{0, 0, 0}, 2}, {{1, 0, 0}, 2}}, // of the same board as the first
};
static const struct torus_end giver = {{1, 1, 0}, 3}, stopped = {{2, 3, 0}, 3};
static uint8_t out[WAYS][MOST + 1], in[WAYS][MOST + 1];

static bool pass(size_t bytes)
{
    struct torus_message m[2 * WAYS];
    for (unsigned w = 0; w < WAYS; w++) {
        fill(out[w], bytes, w + 1);
        memset(in[w], 0, bytes);
        m[2 * w] = (struct torus_message){
            .end = ways[w][0], .data = out[w], .bytes = bytes, .other = 2 * (int)w + 1};
        m[2 * w + 1] = (struct torus_message){
            .end = ways[w][1], .take = true, .data = in[w], .bytes = MOST + 1, .other = 2 * (int)w};
    }
    bool good = torus_messages(t, m, 2 * WAYS, PATIENCE) == TORUS_OK;
    for (unsigned w = 0; w < WAYS && good; w++)
        good = m[2 * w + 1].whole && m[2 * w + 1].moved == bytes && !memcmp(in[w], out[w], bytes);
    if (!good)
        printf("# %zu bytes: %s\n", bytes, torus_detail(t));
    return good;
}

static bool sums(struct torus_group *g, unsigned members, size_t words)
{
    static int32_t data[MEMBERS][MOST_WORDS];
    int32_t *values[MEMBERS] = {NULL};
    for (unsigned m = 0; m < members; m++) {
        values[m] = data[m];
        for (size_t i = 0; i < words; i++)
            data[m][i] = (int32_t)((m + 1) * (uint32_t)(i + 3));
    }
    bool good = torus_all_reduce(g, TORUS_SUM, values, words) == TORUS_OK;
    uint32_t all = members * (members + 1) / 2;
    for (unsigned m = 0; m < members && good; m++)
        for (size_t i = 0; i < words && good; i++)
            good = data[m][i] == (int32_t)(all * (uint32_t)(i + 3));
    if (!good)
        printf("# all-reduce of %zu words: %s\n", words, torus_detail(t));
    return good;
}

// Until there is no more room.
static bool fill_up(void)
{
    static const uint8_t zeros[64];
    size_t sent = 0, all = 0;
    int error = TORUS_OK;
    for (; error == TORUS_OK && all < 100000; all += sent)
        error = torus_channel_send(t, &giver, zeros, sizeof zeros, 0, &sent);
    return error == TORUS_E_TIMEOUT && all;
}

static void sizes(size_t each, size_t largest)
{
    struct torus_group_options o = torus_group_options_default();
    struct torus_group *g = NULL;
    uint8_t k[3];
    torus_sizes(t, k);
    unsigned members = (unsigned)k[0] * k[1] * k[2];
    bool good = members <= MEMBERS && torus_channel_open(t, &giver, &stopped, 10) == TORUS_OK;
    for (unsigned w = 0; w < WAYS; w++)
        good = good && torus_channel_open(t, &ways[w][0], &ways[w][1], 10) == TORUS_OK;
    o.end = GROUP_END;
    o.seconds = PATIENCE;
    result(good && torus_group_open(&g, t, &o, NULL, 0) == TORUS_OK, "all is open");
    result(fill_up(), "one takes nothing: at last there is no room");
    for (size_t bytes = 0; bytes <= each && good; bytes++)
        good = pass(bytes) && (bytes % 16 || sums(g, members, bytes / 4));
    result(good, "every length, four at once, and an all-reduce now and then");
    for (size_t power = 1; power <= largest && good; power *= 2) {
        for (size_t bytes = power - 1; bytes <= power + 1 && good; bytes++)
            good = pass(bytes);
        good = good && sums(g, members, power / 4 < MOST_WORDS ? power / 4 : MOST_WORDS);
    }
    result(good, "every power of two, and one more or less");
    struct torus_channel c = {0};
    result(torus_channel_state(t, &stopped, &c) == TORUS_OK && c.open && c.waits,
           "what nobody takes still waits");
    result(torus_group_close(g) == TORUS_OK && torus_channel_abort(t, &giver) == TORUS_OK &&
               torus_channel_abort(t, &stopped) == TORUS_OK,
           "it is aborted, the group closed");
    good = true;
    for (unsigned w = 0; w < WAYS; w++)
        good = torus_channel_close(t, &ways[w][0], 10) == TORUS_OK && good;
    result(good && all_free() && drained(), "all are closed, every end is free, all is drained");
}

int main(int argc, char **argv)
{
    char where[256];
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 4)
        return 2;
    snprintf(where, sizeof where, "unix:%s/board0.sock", argv[1]);
    if (torus_open(&t, where, NULL) != TORUS_OK || torus_attach(t) != TORUS_OK) {
        fprintf(stderr, "%s\n", t ? torus_detail(t) : "no memory");
        torus_close(t);
        return 2;
    }
    size_t largest = strtoul(argv[3], NULL, 10);
    sizes(strtoul(argv[2], NULL, 10), largest < MOST ? largest : MOST);
    torus_close(t);
    printf("1..%d\n", number);
    return failures != 0;
}
