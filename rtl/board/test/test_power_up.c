// SPDX-License-Identifier: Apache-2.0
// Boards that wake up in different random states do the same after reset, cycle by cycle: pins,
// register accesses, snapshots. TAP. Usage: test_power_up [SEED], or SEED in the environment.
#include "protocol.h"
#include "rtl_board.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BOARDS = 40,
    CYCLES = 24000,
    PING_AT = 16000, // the firmware in RAM listens by then
    BIT = RTL_UART_DIVISOR,
    PING_CYCLES = 10 * BIT * OFR_FRAME_BYTES,
};

static int tests, failures;

static void check(int good, const char *what)
{
    printf("%sok %d - %s\n", good ? "" : "not ", ++tests, what);
    failures += !good;
}

static void make_ping(uint8_t *frame)
{
    uint32_t word[OFR_FRAME_WORDS] = {
        OFR_FRAME_SYNC | OFR_MODE_PATH << 8 | OFR_PROTOCOL_VERSION << 12,
        OFR_OP_PING | 1 << 16, // session 1
        1,                     // sequence number, no hops: this board
    };
    for (unsigned i = 0; i < OFR_FRAME_WORDS; i++) {
        if (i == OFR_FRAME_WORDS - 1)
            word[i] = ofr_crc32(frame, 4 * i);
        for (unsigned k = 0; k < 4; k++)
            frame[4 * i + k] = (uint8_t)(word[i] >> 8 * k);
    }
}

// Level of the board's rx in this cycle.
static bool uart_level(unsigned cycle, const uint8_t *frame)
{
    if (cycle < PING_AT || cycle >= PING_AT + PING_CYCLES)
        return true;
    unsigned at = (cycle - PING_AT) / BIT, bit = at % 10;
    return bit == 9 || (bit && frame[at / 10] >> (bit - 1) & 1);
}

static void mix(uint64_t *hash, uint64_t value)
{
    *hash = (*hash ^ value) * UINT64_C(0x100000001b3);
    *hash ^= *hash >> 29;
}

// What is seen of the board in this cycle.
static uint64_t digest(const struct rtl_board_ops *ops, const struct rtl_board *board)
{
    struct ofr_router_out out = {0};
    struct rtl_monitor m = ops->monitor(board);
    struct rtl_flash_pins flash = ops->flash_pins(board);
    uint64_t hash = 1;
    ops->out(board, &out);
    for (unsigned p = 0; p < 2U * ops->shape.n; p++) {
        const struct ofr_flit *tx = &out.tx[p];
        mix(&hash, tx->valid);
        if (tx->valid) {
            mix(&hash, tx->data);
            mix(&hash, (uint64_t)tx->vc << 2 | (uint64_t)tx->last << 1 | tx->poison);
        }
        for (unsigned v = 0; v < OFR_VCS; v++)
            mix(&hash, out.rx_credit[p][v]);
    }
    mix(&hash, (uint64_t)ops->uart_tx(board) << 4 | (uint64_t)flash.csn << 3 |
                   (uint64_t)flash.sck << 2 | (uint64_t)flash.mosi << 1 | ops->trapped(board));
    mix(&hash, (uint64_t)m.we << 2 | (uint64_t)m.re << 1 | m.copy);
    if (m.we || m.re)
        mix(&hash, m.adr);
    if (m.we)
        mix(&hash, m.wdat);
    if (m.re)
        mix(&hash, m.rdat);
    if (m.copy) {
        mix(&hash, m.copy_index);
        mix(&hash, m.copy_value);
    }
    return hash;
}

// Runs a board; the first cycle that differs from `want`, CYCLES: none. `set`: writes `want`
// instead. *bits: cycles in which it sent zeros. `noise`: a cycle from which the line is 0 for as
// long as 12 bits take.
static unsigned run(const struct rtl_board_ops *ops, uint64_t seed, uint64_t *want, bool set,
                    unsigned noise, unsigned *bits)
{
    struct rtl_board *board = ops->create(0x0123456789abcdef, seed);
    struct ofr_node_in in;
    uint8_t frame[OFR_FRAME_BYTES];
    unsigned cycle = 0;
    if (!board) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    make_ping(frame);
    memset(&in, 0, sizeof in);
    *bits = 0;
    for (; cycle < CYCLES; cycle++) {
        uint64_t seen = digest(ops, board);
        if (set)
            want[cycle] = seen;
        if (seen != want[cycle])
            break;
        *bits += !ops->uart_tx(board);
        bool noisy = cycle >= noise && cycle < noise + 12 * BIT;
        ops->step(board, &in, uart_level(cycle, frame) && !noisy, cycle / 3 & 1);
    }
    ops->destroy(board);
    return cycle;
}

static void test_board(const char *name, const struct rtl_board_ops *ops, uint64_t seed)
{
    static uint64_t want[CYCLES];
    unsigned bits, same = 0;
    char text[160];
    run(ops, seed, want, true, CYCLES, &bits);
    snprintf(text, sizeof text, "%s: %s", name,
             ops->flash ? "it runs" : "it answers a ping over its UART");
    check(ops->flash || bits > 0, text);
    for (unsigned i = 1; i < BOARDS; i++) {
        unsigned differs = run(ops, seed + i, want, false, CYCLES, &bits);
        if (differs < CYCLES)
            printf("# seed %" PRIu64 ": cycle %u differs\n", seed + i, differs);
        same += differs == CYCLES;
    }
    snprintf(text, sizeof text, "%s: %u of %d boards do the same for %d cycles from any state",
             name, same + 1, BOARDS, CYCLES);
    check(same == BOARDS - 1, text);
    if (!ops->flash) {
        snprintf(text, sizeof text, "%s: a board whose ping is damaged is told apart", name);
        check(run(ops, seed, want, false, PING_AT + 300, &bits) < CYCLES, text);
    }
}

int main(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : getenv("SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 1;
    printf("# seed %" PRIu64 "; again: SEED=%" PRIu64 "\n", seed, seed);
    test_board("2D", &rtl_board_2, seed);
    test_board("3D", &rtl_board_3, seed);
    test_board("small", &rtl_board_small, seed);
    printf("1..%d\n", tests);
    return failures != 0;
}
