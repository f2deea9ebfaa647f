// SPDX-License-Identifier: Apache-2.0
// libtorus' calls for users' programs on boardsim's boards: 0,0 has no user's core, 1,0 has one.
// TAP.
//
//     user_calls WHERE
static const char *subject = "user's programs";
#include "calls.h"
#include "ofr_regs.h"

enum { WORDS = 11, TURN = 0x6f };

static const uint8_t core[1][3] = {{1, 0, 0}}, none[1][3] = {{0, 0, 0}};

// A program's bytes: over the place, then these words.
static void program(uint8_t image[4 * WORDS], const uint32_t words[3])
{
    uint32_t all[WORDS] = {0x0200006f}; // j 0x20
    memcpy(all + 8, words, 3 * sizeof *words);
    for (unsigned i = 0; i < 4 * WORDS; i++)
        image[i] = (uint8_t)(all[i / 4] >> 8 * (i % 4));
}

static void refusals(const uint8_t *image, size_t bytes)
{
    static uint8_t large[32768] = {TURN};
    static const uint8_t twice[2][3] = {{1, 0, 0}, {1, 0, 0}}, outside[1][3] = {{7, 0, 0}};
    const struct torus_end end[3] = {{{1, 0, 0}, 0}, {{1, 0, 0}, 9}, {{0, 0, 0}, 0}};
    struct torus_user user;
    uint8_t byte[8];
    char text[8];
    size_t got;
    says(torus_user_load(t, none, 1, image, bytes), TORUS_E_USAGE, "without a user's core",
         "load where there is no core");
    says(torus_user_load(t, NULL, 0, image, bytes), TORUS_E_USAGE, "without a user's core",
         "load on all boards, one of which has no core");
    says(torus_user_load(t, core, 1, large, sizeof large), TORUS_E_USAGE, "32768 bytes",
         "load more than there is memory");
    says(torus_user_load(t, core, 1, image, 31), TORUS_E_USAGE, "no program", "load a piece");
    says(torus_user_load(t, core, 1, image + 4, bytes - 4), TORUS_E_USAGE, "no program",
         "load what does not begin with a jump");
    says(torus_user_load(t, twice, 2, image, bytes), TORUS_E_USAGE, "twice", "a board twice");
    says(torus_user_start(t, outside, 1, NULL), TORUS_E_USAGE, "outside", "a board outside");
    says(torus_user_stop(t, none, 1), TORUS_E_USAGE, "without", "stop where there is no core");
    says(torus_user_state(t, none[0], &user), TORUS_E_USAGE, "without", "state, likewise");
    says(torus_user_console(t, none[0], text, sizeof text, &got), TORUS_E_USAGE, "without",
         "console, likewise");
    says(torus_user_memory(t, core[0], 16380, byte, 8), TORUS_E_USAGE, "8 bytes",
         "memory beyond its end");
    says(torus_user_join(t, &end[0], &end[1], 1), TORUS_E_USAGE, "ends 0 to 3",
         "join an end that it has not");
    says(torus_user_join(t, &end[0], &end[2], 1), TORUS_E_USAGE, "without",
         "join with a board that has no core");
}

static void runs(void)
{
    static const uint32_t argument[4] = {1, 2, 3, 0xfffffff4};
    // x1 = PROGRAM; its console gets x1's low byte; for ever
    static const uint32_t words[3] = {
        (OFR_BASE_PROGRAM & 0xfffff000U) | 1 << 7 | 0x37,
        1U << 20 | 1U << 15 | 2U << 12 | (OFR_PROGRAM_CONSOLE & 31U) << 7 | 0x23, TURN};
    uint8_t image[4 * WORDS + 7], back[4 * WORDS + 7];
    char text[8] = {1, 1, 1, 1};
    size_t got = 0, bytes;
    program(image, words);
    struct torus_user user = {0};
    fill(image + 4 * WORDS, sizeof image - 4 * WORDS, 3); // an odd number of bytes behind it
    bytes = sizeof image;
    says(torus_user_start(t, core, 1, argument), TORUS_E_USAGE, "no program is loaded",
         "start before load");
    result(torus_user_load(t, core, 1, image, bytes) == TORUS_OK, "load");
    result(torus_user_memory(t, core[0], 1, back + 1, bytes - 1) == TORUS_OK &&
               !memcmp(image + 1, back + 1, bytes - 1),
           "what was loaded is there");
    result(torus_user_start(t, core, 1, argument) == TORUS_OK, "start");
    says(torus_user_memory(t, core[0], 0, back, 4), TORUS_E_BOARD, "torus_user_stop",
         "memory of a program that runs");
    result(torus_user_state(t, core[0], &user) == TORUS_OK && user.running && user.ends == 4 &&
               user.memory == 16384 && !user.cause && !strcmp(user.state, "running"),
           "it runs");
    result(torus_user_console(t, core[0], text, sizeof text, &got) == TORUS_OK && got == 1 &&
               text[0] == 0,
           "it has printed a byte");
    result(torus_user_stop(t, core, 1) == TORUS_OK, "stop");
    uint32_t place[7] = {9};
    result(torus_user_memory(t, core[0], 4, place, sizeof place) == TORUS_OK && place[0] == 0 &&
               place[1] == 1 && !memcmp(place + 2, argument, sizeof argument) && place[6] == 0,
           "it was told its place and its arguments");
    result(torus_user_state(t, core[0], &user) == TORUS_OK && !strcmp(user.state, "held"),
           "it is held");
    refusals(image, bytes);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc < 2)
        return 2;
    int error = torus_open(&t, argv[1], NULL);
    if (error == TORUS_OK)
        error = torus_attach(t);
    if (error != TORUS_OK) {
        fprintf(stderr, "user_calls: %s\n", t ? torus_detail(t) : "no memory");
        torus_close(t);
        return 2;
    }
    runs();
    printf("1..%d\n", number);
    torus_close(t);
    return failures != 0;
}
