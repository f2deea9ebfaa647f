// SPDX-License-Identifier: Apache-2.0
// Reading operations: identity, registers, counters, histogram.
#include "fw_parts.h"

static uint64_t counter(struct fw *fw, unsigned index)
{
    node_write(fw, OFR_COUNT_INDEX, index);
    uint32_t low = node_read(fw, OFR_COUNT_LOW);
    return low | (uint64_t)node_read(fw, OFR_COUNT_HIGH) << 32;
}

// Goes on from where the last call of the same request ended, if that was no higher. Bins above
// that of the largest lifetime are empty, and not read.
static uint32_t bins_above(struct fw *fw, unsigned bin)
{
    bool on = bin >= fw->bins_at;
    unsigned end = on ? bin : ofr_bin(node_read(fw, OFR_CHECK_MAX)) + 1;
    uint32_t sum = 0;
    node_write(fw, OFR_CHECK_BIN, on ? fw->bins_at : bin);
    for (unsigned i = on ? fw->bins_at : bin; i < end; i++)
        sum += node_read(fw, OFR_CHECK_BIN_COUNT);
    fw->bins_sum = on ? fw->bins_sum - sum : sum;
    fw->bins_at = bin;
    return fw->bins_sum;
}

static uint32_t firmware_word(struct fw *fw, unsigned which, enum ofr_status *status)
{
    switch (which) {
    case OFR_FW_ACTIVE:
        return fw->active;
    case OFR_FW_STAGED:
        return fw->staged;
    case OFR_FW_PREVIOUS:
        return fw->previous;
    case OFR_FW_LEASE:
        lease_expire(fw);
        return lease_owner(fw);
    case OFR_FW_FRAMES_BAD:
        return fw->frames_bad;
    case OFR_FW_DROPPED:
        return fw->dropped;
    case OFR_FW_VERSION:
        return OFR_PROTOCOL_VERSION;
    case OFR_FW_KEY:
        return has_key(fw);
    case OFR_FW_SETUP: {
        uint32_t hash = node_read(fw, OFR_NODE_SHAPE) & ~OFR_SHAPE_MAY_DIFFER;
        hash = (hash << 5 | hash >> 27) ^ node_read(fw, OFR_NODE_SIZE);
        hash = (hash << 7 | hash >> 25) ^ node_read(fw, OFR_NODE_TIE);
        return (hash << 3 | hash >> 29) ^ OFR_PROTOCOL_VERSION;
    }
    case OFR_FW_GOT:
        return node_read(fw, OFR_CHECK_RECEIVED) + node_read(fw, OFR_CHECK_ERRORS);
    case OFR_FW_LATCHED:
        if (fw->armed)
            *status = OFR_AGAIN;
        return fw->latched;
    case OFR_FW_LABEL:
    case OFR_FW_LABEL2:
        return fw->label[which - OFR_FW_LABEL];
    case OFR_FW_STATUS:
        return node_read(fw, OFR_GEN_STATUS) | (uint32_t)(node_read(fw, OFR_CHECK_ERRORS) != 0)
                                                   << 16;
    }
    *status = OFR_BAD_ARG;
    return 0;
}

bool plain_register(unsigned offset)
{
    return !(offset & 3) && (offset < OFR_COUNT_SNAPSHOT || offset > OFR_NI_RX_NEXT);
}

static uint32_t selected(struct fw *fw, unsigned selector, enum ofr_status *status)
{
    unsigned which = selector & 0xfff;
    switch (selector & 0xf000) {
    case OFR_SEL_NODE:
        if (plain_register(which))
            return node_read(fw, which);
        break;
    case OFR_SEL_ABOVE:
        if (which <= 256)
            return bins_above(fw, which);
        break;
    case OFR_SEL_FIRMWARE:
        return firmware_word(fw, which, status);
    case OFR_SEL_BOARD:
        if (!(which & 3) && which <= OFR_BOARD_CLOCK)
            return hal_read(fw, OFR_BASE_BOARD + which);
        break;
    }
    *status = OFR_BAD_ARG;
    return 0;
}

static uint32_t ping_info(struct fw *fw, unsigned arrival)
{
    uint32_t info = (arrival & 7) << OFR_INFO_ARRIVAL_LSB;
    info |= FIELD(node_read(fw, OFR_NODE_SHAPE), OFR_NODE_SHAPE_N) << OFR_INFO_N_LSB;
    info |= FIELD(node_read(fw, OFR_NODE_STATUS), OFR_NODE_STATUS_LINK_UP) << OFR_INFO_LINKS_LSB;
    if (configured(fw))
        info |= 1u << OFR_INFO_CONFIGURED_LSB | coordinates(fw) << OFR_INFO_COORD_LSB;
    info |= (uint32_t)OFR_PROTOCOL_VERSION << OFR_INFO_VERSION_LSB;
    lease_expire(fw);
    info |= (uint32_t)has_key(fw) << OFR_INFO_KEY_LSB;
    info |= (uint32_t)(fw->lease != 0) << OFR_INFO_LEASED_LSB;
    info |= (uint32_t)(fw->staged != 0) << OFR_INFO_STAGED_LSB;
    return info;
}

enum ofr_status op_ping(struct fw *fw, uint32_t *m, unsigned arrival)
{
    uint32_t serial[2];
    board_serial(fw, serial);
    switch (arg_of(m)) {
    case 0:
        if (hop_count(m) > OFR_WIDE_HOPS)
            return OFR_BAD_ARG;
        m[3] = serial[0];
        m[4] = serial[1];
        m[5] = ping_info(fw, arrival);
        return OFR_OK;
    case 1:
    case 2:
        m[5] = serial[arg_of(m) - 1];
        return OFR_OK;
    case 3:
        m[5] = ping_info(fw, arrival);
        return OFR_OK;
    }
    return OFR_BAD_ARG;
}

void snapshot_latch(struct fw *fw)
{
    fw->armed = false;
    fw->latched = node_read(fw, OFR_NODE_TIME);
    node_write(fw, OFR_COUNT_SNAPSHOT, 1);
}

enum ofr_status snapshot_take(struct fw *fw, uint32_t number, const uint32_t *later)
{
    if (number == fw->snapshot)
        return OFR_OK;
    if (later && (int32_t)(*later - node_read(fw, OFR_NODE_TIME)) < 0)
        return OFR_LATE;
    fw->snapshot = number;
    if (later) {
        fw->armed = true;
        fw->latch_at = *later;
    } else {
        snapshot_latch(fw);
    }
    return OFR_OK;
}

enum ofr_status op_snapshot(struct fw *fw, const uint32_t *m)
{
    if (hop_count(m) || !m[2] || arg_of(m) > 1)
        return OFR_BAD_ARG;
    return snapshot_take(fw, m[2], arg_of(m) ? m + 5 : 0);
}

enum ofr_status snapshot_check(struct fw *fw, uint32_t *m, uint32_t number)
{
    if (number != fw->snapshot) {
        m[5] = fw->snapshot;
        return OFR_STALE;
    }
    return fw->armed || node_read(fw, OFR_COUNT_SNAPSHOT) & 1 ? OFR_AGAIN : OFR_OK;
}

enum ofr_status op_read(struct fw *fw, uint32_t *m)
{
    enum ofr_status status = OFR_OK;
    fw->bins_at = ~0u;
    m[5] = selected(fw, m[4] >> 16, &status);
    return status;
}

void totals(struct fw *fw, uint32_t *m)
{
    uint64_t sum = 0;
    unsigned end = link_ports(fw) * 3 * 4;
    uint32_t shape = node_read(fw, OFR_NODE_SHAPE), length = node_read(fw, OFR_GEN_LENGTH);
    unsigned log2 = ofr_message_flits_log2(FIELD(shape, OFR_NODE_SHAPE_W8));
    bool alike = FIELD(length, OFR_GEN_LENGTH_FLITS) == 1u << log2;
    for (unsigned i = 0; i < end; i += 4) {
        sum += counter(fw, i + OFR_COUNTER_FLITS);
        if (!alike)
            sum -= counter(fw, i + OFR_COUNTER_PACKETS) << log2;
    }
    m[2] = (uint32_t)sum;
    m[3] = (uint32_t)(sum >> 32);
    m[4] = (uint32_t)counter(fw, OFR_COUNTER_OIDN);
    m[5] = (uint32_t)counter(fw, OFR_COUNTER_WIDN);
}

enum ofr_status op_totals(struct fw *fw, uint32_t *m)
{
    if (hop_count(m))
        return OFR_BAD_ARG;
    enum ofr_status status = snapshot_check(fw, m, m[2]);
    if (status == OFR_OK)
        totals(fw, m);
    return status;
}

enum ofr_status op_read4(struct fw *fw, uint32_t *m)
{
    enum ofr_status status = OFR_OK;
    if (hop_count(m))
        return OFR_BAD_ARG;
    uint32_t low = m[2], high = m[3];
    if (arg_of(m) && !m[4])
        return OFR_BAD_ARG;
    fw->bins_at = ~0u;
    if (arg_of(m))
        snapshot_take(fw, m[4], 0);
    m[2] = selected(fw, low & 0xffff, &status);
    m[3] = selected(fw, low >> 16, &status);
    m[4] = selected(fw, high & 0xffff, &status);
    m[5] = selected(fw, high >> 16, &status);
    return status;
}

enum ofr_status op_counters(struct fw *fw, uint32_t *m)
{
    unsigned index = arg_of(m), first = index, used = 0;
    uint8_t bytes[16] = {0}, *zeros = 0;
    if (hop_count(m) || index >= OFR_COUNTERS)
        return OFR_BAD_ARG;
    enum ofr_status status = snapshot_check(fw, m, m[2]);
    if (status != OFR_OK)
        return status;
    for (; index < OFR_COUNTERS; index++) {
        uint64_t value = counter(fw, index);
        if (!value) {
            if (zeros) {
                ++*zeros;
                continue;
            }
            if (used + 2 > sizeof bytes)
                break;
            zeros = &bytes[used + 1];
            used += 2;
            continue;
        }
        zeros = 0;
        uint8_t code[7];
        unsigned n = 0;
        for (; value; value >>= 7)
            code[n++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        if (used + n > sizeof bytes)
            break;
        for (unsigned i = 0; i < n; i++)
            bytes[used++] = code[i];
    }
    for (unsigned i = 0; i < 4; i++)
        m[2 + i] = (uint32_t)bytes[4 * i] | (uint32_t)bytes[4 * i + 1] << 8 |
                   (uint32_t)bytes[4 * i + 2] << 16 | (uint32_t)bytes[4 * i + 3] << 24;
    m[1] = (m[1] & 0xffff) | (uint32_t)(index - first) << 16;
    return OFR_OK;
}
