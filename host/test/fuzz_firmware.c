// SPDX-License-Identifier: Apache-2.0
// The firmware under a fuzzer: what a host, or another board, may send it. The fuzzer's bytes are
// steps: raw bytes at the UART; a frame whose SYNC, version and CRC are put right, so that what is
// behind them is reached; a packet in a mailbox. Whatever came, an intact ping must be answered.
#include <stdlib.h>
#include <string.h>

#include "fake.h"

enum { NODES = 4 };

static struct fake_fabric *fabric;
static struct fake_board fresh[NODES];

static void make_right(uint8_t frame[OFR_FRAME_BYTES])
{
    frame[0] = OFR_FRAME_SYNC;
    frame[1] = (uint8_t)((frame[1] & 15) | OFR_PROTOCOL_VERSION << 4);
    ofr_put32(frame + OFR_FRAME_BYTES - 4, ofr_crc32(frame, OFR_FRAME_BYTES - 4));
}

static void to_board(struct torus_transport *wire, const uint8_t *bytes, size_t count)
{
    uint8_t answer[256];
    wire->write(wire->ctx, bytes, count, 0);
    while (wire->read(wire->ctx, answer, sizeof answer, 0) > 0) {
        // as fast as it comes
    }
}

static void ping(struct torus_transport *wire, const uint8_t *bytes, size_t count)
{
    uint8_t frame[OFR_FRAME_BYTES] = {0}, answer[1024];
    ofr_put32(frame + 4, OFR_OP_PING | 0xbeef0000);
    ofr_put32(frame + 8, 0x1234);
    make_right(frame);
    to_board(wire, bytes, count); // what is before it may be anything
    wire->write(wire->ctx, frame, sizeof frame, 0);
    for (unsigned i = 0; i < 4; i++)
        fake_settle(fabric);
    int n = wire->read(wire->ctx, answer, sizeof answer, 0);
    for (int at = 0; at + OFR_FRAME_BYTES <= n; at++)
        if (answer[at] == OFR_FRAME_SYNC &&
            ofr_get32(answer + at + 4) == (0xbeef0080 | OFR_OP_PING))
            return;
    abort(); // the fuzzer keeps what led here
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!fabric) {
        fabric = fake_new(2, 2, 1, false, 1);
        memcpy(fresh, fabric->board, sizeof fresh);
    }
    memcpy(fabric->board, fresh, sizeof fresh);
    struct fake_wire at = {&fabric->board[0], -1};
    struct torus_transport wire = fake_transport(&at);
    uint8_t frame[OFR_FRAME_BYTES];
    while (size > 1) {
        unsigned kind = *data & 3, board = *data >> 2 & 3, count = *data >> 4 & 15;
        size--;
        data++;
        size_t room = kind ? OFR_FRAME_BYTES - 4 : count + 1, n = size < room ? size : room;
        memset(frame, 0, sizeof frame);
        memcpy(frame, data, n);
        data += n;
        size -= n;
        if (kind == 0) {
            to_board(&wire, frame, n);
        } else if (kind == 3) { // a packet: as the network interface would show it
            uint32_t *mail = fabric->board[board].mail[0];
            for (unsigned i = 0; i < 8; i++)
                mail[i] = ofr_get32(frame + 4 * (i % 7));
            fabric->board[board].mail_count = 1;
            fabric->board[board].mail_word = 0;
            fake_settle(fabric);
        } else {
            make_right(frame);
            to_board(&wire, frame, sizeof frame);
        }
    }
    ping(&wire, data, size);
    return 0;
}
