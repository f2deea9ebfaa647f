// SPDX-License-Identifier: Apache-2.0
// See fw.h and protocol.h. fw_poll() moves frames (wire.c) and packets; route() decides whether a
// message is for us; execute() (operations.c) does an operation and turns the message into its
// response; collective.c spreads it over the torus.
#include "fw_parts.h"
#include "ring_wait.h"

static void set_hop_index(uint32_t *m, unsigned index)
{
    m[1] = (m[1] & ~((uint32_t)31 << 16)) | (uint32_t)index << 16;
}

void respond_by_path(struct fw *fw, const uint32_t *m, unsigned index)
{
    if (index)
        to_port(fw, m, ofr_path_get(m, index - 1));
    else
        to_host(fw, m, OFR_MODE_PATH, 0);
}

// Moves a message along its path, or executes it here. arrival: 7 when it comes from the UART.
static void route(struct fw *fw, uint32_t *m, unsigned arrival)
{
    unsigned index = hop_index(m), count = hop_count(m);
    if (count > OFR_MAX_HOPS || index > count || (m[0] & OFR_RESPONSE && arrival > 5)) {
        fw->dropped++;
        return;
    }
    if (!(m[0] & OFR_RESPONSE)) {
        if (arrival < 6) {
            if (index == count) {
                fw->dropped++;
                return;
            }
            ofr_path_set(m, index, arrival);
            set_hop_index(m, ++index);
        }
        if (index < count) {
            unsigned port = ofr_path_get(m, index);
            uint32_t up = node_read(fw, OFR_NODE_STATUS) >> OFR_NODE_STATUS_LINK_UP_LSB;
            if (port < link_ports(fw) && up >> port & 1) {
                to_port(fw, m, port);
                return;
            }
            respond(m, OFR_NO_LINK);
        } else {
            execute(fw, m, arrival);
        }
    } else {
        if (!index) {
            fw->dropped++;
            return;
        }
        set_hop_index(m, --index);
        ofr_path_set(m, index, arrival);
    }
    respond_by_path(fw, m, index);
}

// Is there such a node in the torus?
static bool is_node(struct fw *fw, uint32_t to)
{
    uint32_t k = node_read(fw, OFR_NODE_SIZE);
    return (to & 15) < (k & 31) && (to >> 4 & 15) < (k >> 8 & 31) && to >> 8 < (k >> 16 & 31);
}

static void take_bulk_frame(struct fw *fw)
{
    uint32_t word0 = fw->rx[0], to = word0 >> 16 & 0xfff;
    unsigned code = (word0 >> 4 & 0x70) | word0 >> 28; // tag and number
    if (!configured(fw) || !is_node(fw, to))
        fw->dropped++;
    else if (to == coordinates(fw))
        bulk_take(fw, fw->rx + 1, code, FW_HOST);
    else
        to_address(fw, fw->rx + 1, to, OFR_BULK_PACKET | code << 8);
}

// Does what was asked, by whom that may get bulk frames. True: it is to have the answer now.
static bool execute_for(struct fw *fw, uint32_t *m, unsigned who)
{
    fw->asks = (uint16_t)who;
    execute(fw, m, 7);
    bool now = fw->asks == who;
    fw->asks = FW_NOBODY;
    return now;
}

static void take_frame(struct fw *fw)
{
    uint32_t word0 = fw->rx[0], to = word0 >> 16 & 0xfff, *m = fw->rx + 1;
    if (word0 >> 8 & OFR_MODE_BULK) {
        take_bulk_frame(fw);
        return;
    }
    if (m[0] & (OFR_RESPONSE | OFR_LEVEL_MASK) || !session_of(m)) {
        fw->dropped++;
        return;
    }
    switch (word0 >> 8 & 15) {
    case OFR_MODE_PATH:
        if (hop_index(m))
            fw->dropped++;
        else
            route(fw, m, 7);
        return;
    case OFR_MODE_ADDRESS:
        if (!configured(fw)) {
            respond(m, OFR_NOT_CONFIGURED);
        } else if (to == coordinates(fw)) {
            if (!execute_for(fw, m, FW_HOST))
                return;
        } else if (is_node(fw, to) && !hop_count(m)) {
            to_address(fw, m, to, OFR_MESSAGE_BYTES);
            return;
        } else {
            respond(m, OFR_BAD_ARG);
        }
        to_host(fw, m, OFR_MODE_ADDRESS, to);
        return;
    case OFR_MODE_COLLECTIVE:
        if (configured(fw) && word0 >> 28 <= OFR_AGG_RESULT && !hop_count(m)) {
            collective_request(fw, FOR_HOST, m, word0 >> 28, 0);
            return;
        }
        respond(m, configured(fw) ? OFR_BAD_ARG : OFR_NOT_CONFIGURED);
        to_host(fw, m, OFR_MODE_COLLECTIVE, 0);
        return;
    }
    fw->dropped++;
}

// Takes the packet that waits in the network interface. The slot for one of ours must be free.
static void network_receive(struct fw *fw)
{
    uint32_t p[OFR_FRAME_WORDS], *m = p + 2;
#pragma GCC unroll 8
    for (unsigned i = 0; i < OFR_FRAME_WORDS; i++)
        p[i] = node_read(fw, OFR_NI_RX_DATA);
    node_write(fw, OFR_NI_RX_NEXT, 1);
    uint32_t from = p[1] & 0xfff, seq = p[1] >> 16;
    bool managed = (p[1] >> (OFR_PKT_KIND_LSB - 32) & 15) == OFR_PKT_KIND_MGMT;
    if (managed && (seq & 0xff) == OFR_BULK_PACKET) {
        unsigned code = seq >> 8;
        if (code & OFR_BULK_TO_HOST)
            to_host(fw, m, OFR_MODE_BULK | (code >> OFR_BULK_TAG_LSB & 7), from | code << 12);
        else
            bulk_take(fw, m, code, from);
    } else if (!managed || seq != OFR_MESSAGE_BYTES) {
        fw->dropped++;
    } else if (FIELD(p[0], OFR_PKT_CLASS) == OFR_PKT_CLASS_DIRECTED) {
        unsigned port = FIELD(p[0], OFR_PKT_TARGET_X);
        if (port < 6)
            route(fw, m, port);
        else
            fw->dropped++;
    } else if (m[0] & OFR_RESPONSE) {
        if (!collective_response(fw, m, from))
            to_host(fw, m, OFR_MODE_ADDRESS, from);
    } else if (m[0] & OFR_LEVEL_MASK) {
        unsigned level = m[0] >> OFR_LEVEL_LSB & 3;
        if (level < ROLES)
            collective_request(fw, level - 1, m, m[1] >> 16 & 15, from);
        else
            fw->dropped++;
    } else if (hop_count(m)) {
        fw->dropped++;
    } else {
        if (execute_for(fw, m, from))
            to_address(fw, m, from, OFR_MESSAGE_BYTES);
    }
}

bool fw_poll(struct fw *fw)
{
    bool any = false;
    if (fw->armed && (int32_t)(node_read(fw, OFR_NODE_TIME) - fw->latch_at) >= 0)
        snapshot_latch(fw);
    if (!(++fw->polls & 7))
        watch_links(fw);
    if (!fw->polls)
        lease_expire(fw);
    if (fw->tx_count)
        any = uart_send(fw);
    if (fw->out_full)
        any |= network_send(fw);
    if (fw->bulking)
        any |= bulk_send(fw);
    for (unsigned i = 0; i < 4 && !fw->out_full; i++) {
        if (!(node_read(fw, OFR_NI_STATUS) & OFR_NI_STATUS_RX_VALID_MASK))
            break;
        network_receive(fw);
        any = true;
    }
    // Bulk frames come one behind the other, and the UART holds eight.
    bool bulk = true;
    for (unsigned i = 0; i < OFR_BULK_TO / OFR_BULK_BYTES && bulk; i++) {
        if (fw->out_full || !uart_receive(fw, &any))
            break;
        bulk = fw->rx[0] >> 8 & OFR_MODE_BULK;
        take_frame(fw);
        frame_done(fw);
    }
    for (unsigned role = 0; role < ROLES; role++)
        for (unsigned i = 0; i < 4 && fw->all[role].left && collective_step(fw, role); i++)
            any = true;
    return any;
}

// Boards with their firmware in flash have cables of two wires (rtl/board/ofr_board.v, LINK 3).
enum { FLASH_CABLE_BITS = 2 };

static void set_ring_wait(struct fw *fw)
{
    uint32_t shape = node_read(fw, OFR_NODE_SHAPE);
    unsigned width = 8 * FIELD(shape, OFR_NODE_SHAPE_W8), cycles = 1;
    unsigned bits = FIELD(node_read(fw, OFR_LINKS_STATE), OFR_LINKS_STATE_BITS);
#ifdef OFR_IN_FLASH
    bits = FLASH_CABLE_BITS; // of four links with one logic the register says what that can take
#endif
    for (unsigned done = bits; bits && done < width; done += bits)
        cycles++;
    node_write(fw, OFR_NODE_RING_WAIT,
               ofr_ring_wait(FIELD(shape, OFR_NODE_SHAPE_L), cycles, link_ports(fw) + 1));
}

void fw_init(struct fw *fw)
{
#ifdef OFR_TARGET
    *fw = (struct fw){.rx_crc = 0xffffffff, .tx_crc = 0xffffffff, .asks = FW_NOBODY};
#ifdef OFR_IN_FLASH
    // As the hardware does with its own (rtl/board/ofr_node.v): boards of one bitstream have theirs
    // from here
    uint32_t serial[2];
    board_serial(fw, serial);
    node_write(fw, OFR_NODE_SEED, serial[0] ^ serial[1]);
#endif
#else
    struct fw_hal hal = fw->hal;
    *fw = (struct fw){.hal = hal, .rx_crc = 0xffffffff, .tx_crc = 0xffffffff, .asks = FW_NOBODY};
#endif
    set_ring_wait(fw);
}
