// SPDX-License-Identifier: Apache-2.0
// lint-flags: -Isim/cosim
//
// chatter: says to a board over its UART what no host of ours says, drawn from a seed: frames with
// a good CRC and any mode, operation, path and data, answers among them; others with a bit that is
// wrong, parts of frames, noise; up to four of them behind each other. What it hears back is read
// and not looked at. For runs whose pins are compared (bitsim). A lease may be taken by it, and so
// a board that it has spoken to be somebody's for a minute.
//
//     chatter SOCKET COUNT [SEED [SECONDS]]
//
// SOCKET: of the board, a Unix socket. COUNT: how often it speaks. SECONDS: how long it waits for
// an answer (5). Exit status: 0 all was said; 1 the board has gone; 2 wrong use.
#include "number.h"
#include "protocol.h"
#include "rng.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PAUSE_MS = 1000, MOST = 4 };

static uint32_t any(struct rng *rng)
{
    return (uint32_t)rng_next(rng);
}

// A frame of any content; half of its words are 0 or small, as those of hosts are.
static void draw_frame(struct rng *rng, uint8_t frame[OFR_FRAME_BYTES])
{
    static const unsigned modes[] = {OFR_MODE_PATH, OFR_MODE_ADDRESS, OFR_MODE_COLLECTIVE,
                                     OFR_MODE_BULK};
    uint32_t word[OFR_FRAME_WORDS] = {0};

    for (unsigned i = 0; i < OFR_FRAME_WORDS; i++)
        word[i] = rng_below(rng, 2) ? any(rng) : any(rng) & rng_below(rng, 4096);
    unsigned mode = rng_below(rng, 4) ? modes[rng_below(rng, 4)] : rng_below(rng, 16);
    word[0] = OFR_FRAME_SYNC | mode << 8 | OFR_PROTOCOL_VERSION << 12 | (word[0] & 0xfff) << 16;
    if (rng_below(rng, 4))
        word[1] &= ~(uint32_t)(OFR_RESPONSE | OFR_LEVEL_MASK);
    if (rng_below(rng, 2)) // hops that there may be
        word[2] = (word[2] & 0xffff) | rng_below(rng, 4) << 21;
    for (unsigned i = 0; i < OFR_FRAME_WORDS; i++)
        ofr_put32(frame + 4 * i, word[i]);
    ofr_put32(frame + OFR_FRAME_BYTES - 4, ofr_crc32(frame, OFR_FRAME_BYTES - 4));
}

// What it says next; returns its length.
static size_t draw(struct rng *rng, uint8_t said[MOST * OFR_FRAME_BYTES])
{
    size_t length = 0;

    for (unsigned left = 1 + rng_below(rng, MOST); left; left--) {
        uint8_t *frame = said + length;
        size_t bytes = OFR_FRAME_BYTES;
        draw_frame(rng, frame);
        switch (rng_below(rng, 8)) {
        case 0:
            frame[rng_below(rng, OFR_FRAME_BYTES)] ^= (uint8_t)(1u << rng_below(rng, 8));
            break;
        case 1:
            bytes = rng_below(rng, OFR_FRAME_BYTES);
            break;
        case 2:
            for (unsigned i = 0; i < OFR_FRAME_BYTES; i++)
                frame[i] = (uint8_t)any(rng);
            break;
        default:
            break;
        }
        length += bytes;
    }
    return length;
}

// Until nothing has come for a while. Returns false when the board has gone.
static bool listen_for(int fd, int milliseconds, unsigned long *heard)
{
    uint8_t bytes[1024];

    for (;; milliseconds = PAUSE_MS) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int ready = poll(&wait, 1, milliseconds);
        if (ready == 0)
            return true;
        ssize_t got = ready > 0 ? read(fd, bytes, sizeof bytes) : -1;
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        *heard += got > 0 ? (unsigned long)got : 0;
    }
}

static bool say(int fd, const uint8_t *bytes, size_t length)
{
    while (length) {
        ssize_t done = send(fd, bytes, length, MSG_NOSIGNAL);
        if (done < 0 && errno != EINTR)
            return false;
        bytes += done > 0 ? done : 0;
        length -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    if (argc < 3 || argc > 5 || strlen(argv[1]) >= sizeof at.sun_path) {
        fputs("usage: chatter SOCKET COUNT [SEED [SECONDS]]\n", stderr);
        return 2;
    }
    unsigned long count = number("chatter", "COUNT", argv[2], 1000000), said = 0, heard = 0;
    unsigned long seed = argc > 3 ? number("chatter", "SEED", argv[3], UINT32_MAX) : 1;
    unsigned long seconds = argc > 4 ? number("chatter", "SECONDS", argv[4], 3600) : 5;
    struct rng rng = {seed};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    memcpy(at.sun_path, argv[1], strlen(argv[1]));
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) < 0) {
        fprintf(stderr, "chatter: %s: %s\n", argv[1], strerror(errno));
        return 2;
    }
    bool good = true;
    for (unsigned long i = 0; i < count && good; i++) {
        uint8_t bytes[MOST * OFR_FRAME_BYTES];
        size_t length = draw(&rng, bytes);
        said += length;
        good = say(fd, bytes, length) && listen_for(fd, (int)(1000 * seconds), &heard);
    }
    close(fd);
    if (!good)
        fputs("chatter: the board has gone\n", stderr);
    printf("chatter: seed %lu, %lu bytes said, %lu heard\n", seed, said, heard);
    return !good;
}
