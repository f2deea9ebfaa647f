// SPDX-License-Identifier: Apache-2.0
// The board's firmware: management protocol (protocol.h) between UART, network interface and the
// registers. All state is in struct fw; the same source runs on the soft core and in the host
// build. Nothing in it waits: what is not ready is tried again at the next fw_poll().
#ifndef OFR_FW_H
#define OFR_FW_H

#include "hal.h"
#include "protocol.h"

enum { FW_TX_FRAMES = 8 }; // frames waiting for the UART

// Who asks for something, in place of coordinates.
enum { FW_HOST = 0x1000, FW_NOBODY = 0x1001 };

struct fw {
#ifndef OFR_TARGET
    struct fw_hal hal;
    bool hal_error; // a bus error since last asked
#endif
    // Towards the host.
    uint32_t tx[FW_TX_FRAMES][OFR_FRAME_WORDS];
    uint8_t tx_first, tx_count, tx_at; // tx_at: next word of the first frame, or byte
    uint32_t tx_crc;                   // of its words before that
    // From the host: what has come of a frame.
    uint32_t rx[OFR_FRAME_WORDS];
    uint8_t rx_count; // bytes
    uint32_t rx_crc;  // register, of those
    // The packet that waits for the network interface: TX_HEAD, the message, the header's last
    // word.
    bool out_full;
    uint32_t out[OFR_FRAME_WORDS];

    // The last writing operation's response, to be given again.
    uint32_t stored[OFR_MESSAGE_WORDS];
    // Bulk frames of the last OP_MOVE: those taken from an end, to be given again with it.
    uint32_t bulk[OFR_BULK_FROM / 4];
    uint16_t asks;    // coordinates or FW_HOST of whom a request is from that may have bulk frames
    uint16_t bulk_to; // such a one, whose frames these are
    uint16_t bulk_left; // bytes that are to come
    uint8_t bulk_arg;
    uint8_t bulk_code;   // of the next frame: tag and number
    uint8_t bulk_frames; // in `bulk`
    uint8_t bulking;     // what is under way (channel.c)
    uint8_t beat;        // bytes of a beat of what is moved to or from
    uint16_t port;       // and where its registers are

    uint32_t snapshot;     // number of the last snapshot, 0: none yet
    uint32_t snapshot_gen; // of that which OP_GEN latched
    uint32_t latch_at;     // NODE.TIME at which to latch the next one, if `armed`
    uint32_t latched;      // NODE.TIME just before the last one
    bool armed;

    uint32_t clock, clock_at;                 // sixteenths of a second; TIMER.LOW of the last one
    uint8_t polls;                            // until the clock is looked at again
    uint16_t lease, owner;                    // its session, 0: none; the session that took it
    uint32_t token, lease_since, lease_until; // of `clock`
    uint32_t label[2];
    uint32_t random;
    uint32_t key[2], half_key;
    uint32_t half_from, unlocked; // session and low half of the token: who sent the low half; the
                                  // key

    uint32_t active, staged, previous; // generation, descriptor << 16
    uint32_t staged_crc, active_crc;   // that OP_STAGE said; that OP_COMMIT did last
    uint32_t table_crc;                // register, of the OP_TABLEs so far
    uint32_t entries_crc;              // what OFR.CRC would say, where there is no OFR unit
    uint16_t descriptor;               // theirs
    uint8_t routing;                   // theirs, NODE.ROUTING: select 1:0, threshold 5:2
    uint8_t begun;                     // in this lease: 0 nothing, or which kind (table.c)
    uint8_t shadow;                    // of the destination table: what is in it (table.c)

    uint32_t bins_at, bins_sum; // histogram bins added up so far in this request

    uint32_t report[OFR_MESSAGE_WORDS]; // to whoever watches, [0] = 0: nobody yet
    uint32_t watched;                   // links that were up when last asked
    uint32_t reported, report_gap; // TIMER.LOW of the last report; cycles to the next, 0: none yet

    uint32_t frames_bad, dropped;

    // Collectives under way, or the last ones, by role: for our row, our plane, our host.
    struct fw_collective {
        uint32_t request[OFR_MESSAGE_WORDS]; // [0] = 0: none yet
        uint32_t data[4];
        uint16_t answered[3]; // a bit a target: the nodes of our line along x, y, z
        uint16_t count;       // nodes that answered
        uint16_t bad;         // node number of the first bad answer
        uint16_t reply_to;    // coordinates of who asked
        uint8_t missing;      // targets
        uint8_t left, at;     // next to be sent to: along dimension left - 1 (0: none) so far on
        uint8_t aggregate, status;
        uint8_t k[3];       // the torus' sizes
        uint8_t me[3];      // our coordinates
        uint16_t me_packed; // as in packet headers
    } all[3];
};

// Set up a struct fw. In the host build fw->hal must be set already, and is kept.
void fw_init(struct fw *fw);

// Do what there is to do now: a bounded amount of work (at most four packets in, a frame in, or as
// many bulk frames as a request has, and a frame out, twelve packets of collectives out). True if
// anything was done, so that a caller can go on until false.
bool fw_poll(struct fw *fw);

#endif
