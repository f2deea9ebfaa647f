// SPDX-License-Identifier: Apache-2.0
// Frames over the UART and packets over the network interface. The gateway's core is what limits a
// host's requests, so these loops are written for its cycles: a word of a frame takes about 150 in
// each direction, a packet about 200.
#include "fw_parts.h"

// CRC-32 a byte at a time: table[i] is the exclusive or of the basis elements of i's bits.
#define CRC_BIT(i, b, value) ((i) >> (b)&1 ? OFR_U32(value) : 0)
#define CRC_1(i)                                                                                   \
    CRC_BIT(i, 0, 0x77073096) ^ CRC_BIT(i, 1, 0xee0e612c) ^ CRC_BIT(i, 2, 0x076dc419) ^            \
        CRC_BIT(i, 3, 0x0edb8832) ^ CRC_BIT(i, 4, 0x1db71064) ^ CRC_BIT(i, 5, 0x3b6e20c8) ^        \
        CRC_BIT(i, 6, 0x76dc4190) ^ CRC_BIT(i, 7, 0xedb88320)
#define CRC_4(i)  CRC_1(i), CRC_1((i) + 1), CRC_1((i) + 2), CRC_1((i) + 3)
#define CRC_16(i) CRC_4(i), CRC_4((i) + 4), CRC_4((i) + 8), CRC_4((i) + 12)
#define CRC_64(i) CRC_16(i), CRC_16((i) + 16), CRC_16((i) + 32), CRC_16((i) + 48)
static const uint32_t crc_table[256] = {CRC_64(0), CRC_64(64), CRC_64(128), CRC_64(192)};

static inline uint32_t crc_byte(uint32_t crc, uint8_t byte)
{
    return crc >> 8 ^ crc_table[(crc ^ byte) & 0xff];
}

// The same for a word, low byte first.
static inline uint32_t crc_word(uint32_t crc, uint32_t word)
{
    crc ^= word;
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++)
        crc = crc >> 8 ^ crc_table[crc & 0xff];
    return crc;
}

uint32_t crc_words(uint32_t crc, const uint32_t *words, unsigned count)
{
    while (count--)
        crc = crc_word(crc, *words++);
    return crc;
}

// What a frame and its CRC leave in the register.
#define CRC_GOOD OFR_U32(0xdebb20e3)

// Both the core and the hosts we build for are little-endian.
static inline uint8_t *bytes_of(uint32_t *words)
{
    return (uint8_t *)words;
}

// UART --------------------------------------------------------------------------------------------

// Looks at the UART in vain, in a whole frame, until others get their turn. On the target a look
// takes about 20 cycles, and at 4 cycles a bit a word comes or goes every 160; golden boards' UARTs
// are ready or will not be in this poll.
#ifdef OFR_TARGET
enum { LOOKS = 32 };
#else
enum { LOOKS = 1 };
#endif

// A small board's UART has bytes only (rtl/soc, SMALL), and its firmware runs from flash.
#ifdef OFR_IN_FLASH
enum { BYTES = 1 };
#else
enum { BYTES = 0 };
#endif

// Keeps the compiler from working out these two earlier than the register accesses before this.
#define AFTER_THAT(a, b) __asm__ volatile("" : "+r"(a), "+r"(b))

static inline bool uart_is(struct fw *fw, uint32_t mask)
{
    return hal_read(fw, OFR_BASE_UART + OFR_UART_STATUS) & mask;
}

void to_host(struct fw *fw, const uint32_t *m, unsigned mode, uint32_t from)
{
    if (fw->tx_count == FW_TX_FRAMES) {
        fw->dropped++;
        return;
    }
    uint32_t *frame = fw->tx[(fw->tx_first + fw->tx_count) % FW_TX_FRAMES];
    frame[0] =
        OFR_FRAME_SYNC | (uint32_t)mode << 8 | (uint32_t)OFR_PROTOCOL_VERSION << 12 | from << 16;
    copy_message(frame + 1, m);
    fw->tx_count++;
}

// As much of the first frame as the UART takes. The CRC is worked out while the words before it go
// out.
static bool send_words(struct fw *fw)
{
    uint32_t *frame = fw->tx[fw->tx_first], *from = frame + fw->tx_at, crc = fw->tx_crc;
    uint32_t *last = frame + OFR_FRAME_WORDS - 1;
    bool sent = false;
    for (unsigned looks = LOOKS;;) {
        if (!uart_is(fw, OFR_UART_STATUS_TX_READY_MASK)) {
            if (!--looks)
                break;
            continue;
        }
        sent = true;
        uint32_t word = from == last ? ~crc : *from;
        hal_write(fw, OFR_BASE_UART + OFR_UART_WORD, word);
        if (from == last) {
            from = frame;
            crc = 0xffffffff;
            fw->tx_first = (fw->tx_first + 1) % FW_TX_FRAMES;
            fw->tx_count--;
            break;
        }
        AFTER_THAT(crc, from); // while the word goes out
        crc = crc_word(crc, word);
        from++;
    }
    fw->tx_at = (uint8_t)(from - frame);
    fw->tx_crc = crc;
    return sent;
}

static bool send_bytes(struct fw *fw)
{
    uint32_t *frame = fw->tx[fw->tx_first], *last = frame + OFR_FRAME_WORDS - 1, crc = fw->tx_crc;
    unsigned from = fw->tx_at;
    bool sent = false;
    for (unsigned looks = LOOKS; looks;) {
        if (!uart_is(fw, OFR_UART_STATUS_TX_READY_MASK)) {
            looks--;
            continue;
        }
        sent = true;
        uint8_t byte = bytes_of(frame)[from++];
        hal_write(fw, OFR_BASE_UART + OFR_UART_DATA, byte);
        crc = crc_byte(crc, byte);
        if (from == OFR_FRAME_BYTES - 4) {
            *last = ~crc;
        } else if (from == OFR_FRAME_BYTES) {
            from = 0;
            crc = 0xffffffff;
            fw->tx_first = (fw->tx_first + 1) % FW_TX_FRAMES;
            fw->tx_count--;
            break;
        }
    }
    fw->tx_at = (uint8_t)from;
    fw->tx_crc = crc;
    return sent;
}

bool uart_send(struct fw *fw)
{
    return BYTES ? send_bytes(fw) : send_words(fw);
}

// Throws away the first byte, and more up to the next that could start a frame.
static void rx_skip(struct fw *fw)
{
    uint8_t *bytes = bytes_of(fw->rx);
    unsigned from = 1, left = 0;
    while (from < fw->rx_count && bytes[from] != OFR_FRAME_SYNC)
        from++;
    fw->frames_bad += from;
    fw->rx_crc = 0xffffffff;
    for (; from < fw->rx_count; from++, left++) {
        bytes[left] = bytes[from];
        fw->rx_crc = crc_byte(fw->rx_crc, bytes[left]);
    }
    fw->rx_count = (uint8_t)left;
}

// What has come of a frame, and its CRC: words; bytes only where what was thrown away before left
// an odd number.
static void receive_more(struct fw *fw)
{
    uint8_t *start = bytes_of(fw->rx), *to = start + fw->rx_count, *end = start + OFR_FRAME_BYTES;
    uint32_t crc = fw->rx_crc;
    for (unsigned looks = LOOKS; to != end;) {
        bool whole = !BYTES && !((to - start) & 3);
        if (!uart_is(fw, whole ? OFR_UART_STATUS_RX_WORD_MASK : OFR_UART_STATUS_RX_VALID_MASK)) {
            if (!--looks)
                break;
        } else if (whole) {
            uint32_t word = hal_read(fw, OFR_BASE_UART + OFR_UART_WORD);
            fw->rx[(to - start) >> 2] = word;
            to += 4;
            crc = crc_word(crc, word);
        } else {
            *to = (uint8_t)hal_read(fw, OFR_BASE_UART + OFR_UART_DATA);
            crc = crc_byte(crc, *to++);
        }
    }
    fw->rx_count = (uint8_t)(to - start);
    fw->rx_crc = crc;
}

void frame_done(struct fw *fw)
{
    fw->rx_count = 0;
    fw->rx_crc = 0xffffffff;
}

bool uart_receive(struct fw *fw, bool *any)
{
    unsigned before = fw->rx_count;
    if (!before &&
        !uart_is(fw, BYTES ? OFR_UART_STATUS_RX_VALID_MASK : OFR_UART_STATUS_RX_WORD_MASK))
        return false;
    receive_more(fw);
    *any |= fw->rx_count != before;
    if (fw->rx_count < OFR_FRAME_BYTES)
        return false;
    *any = true;
    if ((fw->rx[0] & 0xff) != OFR_FRAME_SYNC || fw->rx_crc != CRC_GOOD) {
        rx_skip(fw);
        return false;
    }
    if ((fw->rx[0] >> 12 & 15) == OFR_PROTOCOL_VERSION)
        return true;
    if (!(fw->rx[0] >> 8 & OFR_MODE_BULK) && !(fw->rx[1] & OFR_RESPONSE)) {
        respond(fw->rx + 1, OFR_BAD_VERSION);
        to_host(fw, fw->rx + 1, OFR_MODE_PATH, 0);
    }
    frame_done(fw);
    return false;
}

// Network -----------------------------------------------------------------------------------------

static inline bool network_ready(struct fw *fw)
{
    return node_read(fw, OFR_NI_STATUS) & OFR_NI_STATUS_TX_READY_MASK;
}

static inline void network_write(struct fw *fw, const uint32_t *m, uint32_t head, uint32_t seq)
{
    node_write(fw, OFR_NI_TX_HEAD, head);
    // The hardware stamps source and kind.
    node_write(fw, OFR_NI_TX_DATA, seq << (OFR_PKT_SEQ_LSB - 32));
#pragma GCC unroll 6
    for (unsigned i = 0; i < OFR_MESSAGE_WORDS; i++)
        node_write(fw, OFR_NI_TX_DATA, m[i]);
    node_write(fw, OFR_NI_TX_SEND, 1);
}

static void to_network(struct fw *fw, const uint32_t *m, uint32_t head, uint32_t seq)
{
    if (network_ready(fw)) {
        network_write(fw, m, head, seq);
        return;
    }
    fw->out[0] = head;
    copy_message(fw->out + 1, m);
    fw->out[OFR_FRAME_WORDS - 1] = seq;
    fw->out_full = true;
}

void to_port(struct fw *fw, const uint32_t *m, unsigned port)
{
    to_network(fw, m,
               port << OFR_PKT_TARGET_X_LSB | (uint32_t)OFR_PKT_CLASS_DIRECTED << OFR_PKT_CLASS_LSB,
               OFR_MESSAGE_BYTES);
}

void to_address(struct fw *fw, const uint32_t *m, uint32_t to, unsigned seq)
{
    to_network(fw, m,
               to | (uint32_t)OFR_PKT_CLASS_INORDER << OFR_PKT_CLASS_LSB | to << OFR_PKT_DEST_X_LSB,
               seq);
}

bool network_send(struct fw *fw)
{
    if (!network_ready(fw))
        return false;
    network_write(fw, fw->out + 1, fw->out[0], fw->out[OFR_FRAME_WORDS - 1]);
    fw->out_full = false;
    return true;
}
