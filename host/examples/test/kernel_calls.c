// SPDX-License-Identifier: Apache-2.0
// A kernel, NAME, given what cannot be: each gets the answer that says so, and then works. On a
// board alone: its peers are none. large: messages as long as its memory, too. TAP.
//
//   kernel_calls WHERE jacobi|gradients [large]
#include "example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 9000, GOOD = 0, SIZE = 1, LENGTH = 2 };

static struct example e;
static uint32_t word[MOST], answer[MOST];
static int number, failures;

// So many words to the kernel: this is its status, and so many words are its answer.
static void gives(size_t words, uint32_t status, size_t answers, const char *name)
{
    struct example_words out = {0, word, words}, in = {0, answer, MOST};
    example_send(&e, &out, 1);
    example_receive(&e, &in, 1, 60);
    bool good = in.words == answers && answer[0] == status;
    printf("%sok %d - %s: %s\n", good ? "" : "not ", ++number, e.name, name);
    if (!good)
        printf("# status %u, not %u; %zu words, not %zu\n", answer[0], status, in.words, answers);
    failures += !good;
}

static void tile(uint32_t width, uint32_t height, uint32_t iterations)
{
    memset(word, 0, sizeof word);
    word[0] = width | height << 8;
    word[1] = iterations;
    for (unsigned i = 2; i < MOST; i++)
        word[i] = i;
}

static void jacobi(bool large)
{
    tile(3, 2, 1);
    gives(1, LENGTH, 2, "a message of one word");
    gives(2, LENGTH, 2, "of no cells");
    gives(2 + 5 * 4 - 1, LENGTH, 2, "a cell is missing");
    gives(2 + 5 * 4 + 1, LENGTH, 2, "there is one too many");
    gives(2 + 5 * 4, GOOD, 8, "a tile");
    tile(3, 2, 0);
    gives(2 + 5 * 4, SIZE, 2, "no iterations");
    tile(0, 2, 1);
    gives(2 + 2 * 4, SIZE, 2, "no cells in a row");
    tile(3, 0, 1);
    gives(2 + 5 * 2, SIZE, 2, "no rows");
    tile(127, 1, 1);
    gives(2 + 129 * 3, SIZE, 2, "a row that is too long");
    tile(126, 1, 1);
    gives(2 + 128 * 3, GOOD, 2 + 126, "the longest row");
    if (large) {
        tile(126, 63, 1);
        gives(2 + 128 * 65, SIZE, 2, "more than the memory has");
        tile(126, 62, 1);
        gives(2 + 128 * 64, GOOD, 2 + 126 * 62, "all that it has");
    }
    tile(1, 1, 3);
    gives(2 + 9, GOOD, 3, "a tile of one cell");
}

static void gradients(bool large)
{
    memset(word, 0, sizeof word);
    gives(1, LENGTH, 2, "a message of one word");
    gives(2, LENGTH, 2, "of no vector");
    if (large) {
        gives(2 + 4097, SIZE, 2, "a vector that is too long");
        gives(2 + 4096, GOOD, 2 + 4096, "the longest");
    }
    gives(2 + 1, GOOD, 3, "of one word");
}

int main(int argc, char **argv)
{
    struct example_join host = {
        .from = {{0, 0, 0}, SOFTWARE_END}, .to = {{0, 0, 0}, KERNEL_END}, .from_software = true};
    e.name = "kernel_calls";
    if (argc < 3 || (strcmp(argv[2], "jacobi") && strcmp(argv[2], "gradients")))
        example_fail(&e, 2, "wrong use: kernel_calls WHERE jacobi|gradients [large]");
    example_begin(&e, argv[2], argv[1], true);
    example_join(&e, &host, 1);
    argv[2][0] == 'j' ? jacobi(argc > 3) : gradients(argc > 3);
    example_part(&e, &host, 1);
    example_end(&e);
    printf("1..%d\n", number);
    return failures != 0;
}
