// SPDX-License-Identifier: Apache-2.0
// See fw.h and protocol.h. From the bottom: fw_poll() moves frames and packets; route() decides
// whether a message is for us; execute() does an operation and turns the message into its response.
#include "fw.h"

#ifdef OFR_TARGET

static inline uint32_t hal_read(struct fw *fw, uint32_t address)
{
    (void)fw;
    return *(volatile uint32_t *)address;
}

static inline void hal_write(struct fw *fw, uint32_t address, uint32_t value)
{
    (void)fw;
    *(volatile uint32_t *)address = value;
}

// Did the hardware refuse an access since the last call?
static bool hal_bus_error(struct fw *fw)
{
    if (!(hal_read(fw, OFR_BASE_BOARD + OFR_BOARD_BUS_ERROR) & OFR_BOARD_BUS_ERROR_COUNT_MASK))
        return false;
    hal_write(fw, OFR_BASE_BOARD + OFR_BOARD_BUS_ERROR, 0);
    return true;
}

#else

static uint32_t hal_read(struct fw *fw, uint32_t address)
{
    bool err = false;
    uint32_t value = fw->hal.read(fw->hal.ctx, address, &err);
    fw->hal_error |= err;
    return err ? 0 : value;
}

static void hal_write(struct fw *fw, uint32_t address, uint32_t value)
{
    bool err = false;
    fw->hal.write(fw->hal.ctx, address, value, &err);
    fw->hal_error |= err;
}

static bool hal_bus_error(struct fw *fw)
{
    bool err = fw->hal_error;
    fw->hal_error = false;
    return err;
}

#endif

#define FIELD(value, name) ((value) >> name##_LSB & ((1u << name##_BITS) - 1))

static inline uint32_t node_read(struct fw *fw, uint32_t offset)
{
    return hal_read(fw, OFR_BASE_NODE + offset);
}

static inline void node_write(struct fw *fw, uint32_t offset, uint32_t value)
{
    hal_write(fw, OFR_BASE_NODE + offset, value);
}

static uint32_t timer(struct fw *fw)
{
    return hal_read(fw, OFR_BASE_TIMER + OFR_TIMER_LOW);
}

static bool configured(struct fw *fw)
{
    return node_read(fw, OFR_NODE_CONTROL) & OFR_NODE_CONTROL_CONFIGURED_MASK;
}

// NODE.COORD packed as in packet headers: x 3:0, y 7:4, z 11:8.
static uint32_t coordinates(struct fw *fw)
{
    uint32_t c = node_read(fw, OFR_NODE_COORD);
    return (c & 15) | (c >> 4 & 0xf0) | (c >> 8 & 0xf00);
}

static void copy(uint32_t *to, const uint32_t *from, unsigned words)
{
    while (words--)
        *to++ = *from++;
}

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

enum { CRC_AT = 4 * (OFR_FRAME_WORDS - 1) }; // bytes before the CRC

// The parts of a message --------------------------------------------------------------------------

static unsigned hop_index(const uint32_t *m)
{
    return m[1] >> 16 & 31;
}

static unsigned hop_count(const uint32_t *m)
{
    return m[1] >> 21 & 31;
}

static void set_hop_index(uint32_t *m, unsigned index)
{
    m[1] = (m[1] & ~((uint32_t)31 << 16)) | (uint32_t)index << 16;
}

static unsigned session_of(const uint32_t *m)
{
    return m[0] >> 16;
}

static unsigned arg_of(const uint32_t *m)
{
    return m[0] >> 8 & 0xff;
}

static void respond(uint32_t *m, enum ofr_status status)
{
    m[0] = (m[0] & 0xffff007f) | OFR_RESPONSE | (uint32_t)status << 8;
}

// Same session, sequence number and operation?
static bool same_request(const uint32_t *a, const uint32_t *b)
{
    return !((a[0] ^ b[0]) & (0xffff0000 | OFR_OP_MASK)) && !((a[1] ^ b[1]) & 0xffff);
}

// Lease and key -----------------------------------------------------------------------------------

static void lease_expire(struct fw *fw)
{
    if (fw->lease && (timer(fw) - fw->lease_start) >> fw->lease_time)
        fw->lease = 0;
}

static void lease_take(struct fw *fw, unsigned session)
{
    if (fw->lease != session)
        fw->lease_time = OFR_LEASE_DEFAULT;
    fw->lease = (uint16_t)session;
    fw->lease_start = timer(fw);
}

static bool has_key(const struct fw *fw)
{
    return fw->key[0] | fw->key[1];
}

// The 64-bit key in OP_UNLOCK and OP_KEY. False: BAD_ARG, or only its low half as yet (*half).
static bool take_key(struct fw *fw, const uint32_t *m, uint32_t key[2], bool *half)
{
    *half = false;
    switch (arg_of(m)) {
    case 0:
        key[0] = m[4];
        key[1] = m[5];
        return hop_count(m) <= OFR_WIDE_HOPS;
    case 1:
        fw->half_key = m[5];
        fw->half_session = (uint16_t)session_of(m);
        *half = true;
        return false;
    case 2:
        key[0] = fw->half_key;
        key[1] = m[5];
        return fw->half_session == session_of(m);
    }
    return false;
}

static enum ofr_status op_unlock(struct fw *fw, const uint32_t *m)
{
    uint32_t key[2];
    bool half;
    if (!take_key(fw, m, key, &half))
        return half ? OFR_OK : OFR_BAD_ARG;
    fw->half_session = 0;
    if (has_key(fw) && (key[0] != fw->key[0] || key[1] != fw->key[1]))
        return OFR_LOCKED;
    lease_take(fw, session_of(m));
    return OFR_OK;
}

static enum ofr_status op_key(struct fw *fw, const uint32_t *m)
{
    uint32_t key[2];
    bool half;
    if (!take_key(fw, m, key, &half))
        return half ? OFR_OK : OFR_BAD_ARG;
    fw->half_session = 0;
    copy(fw->key, key, 2);
    return OFR_OK;
}

static enum ofr_status op_lease(struct fw *fw, uint32_t *m)
{
    switch (arg_of(m)) {
    case 0:
    case 2:
        if (m[5] > 30)
            return OFR_BAD_ARG;
        fw->lease_time = m[5] ? (uint8_t)m[5] : OFR_LEASE_DEFAULT;
        return OFR_OK;
    case 1:
        fw->lease = 0;
        return OFR_OK;
    }
    return OFR_BAD_ARG;
}

// May this session write? Takes or renews the lease. May fill d3.
static enum ofr_status may_write(struct fw *fw, uint32_t *m)
{
    unsigned op = m[0] & OFR_OP_MASK, session = session_of(m);
    lease_expire(fw);
    if (op == OFR_OP_LEASE && arg_of(m) == 2 && fw->lease && fw->lease == m[4] >> 16 &&
        !has_key(fw))
        fw->lease = 0;
    if (fw->lease && fw->lease != session) {
        m[5] = fw->lease;
        return OFR_BUSY;
    }
    if (op == OFR_OP_UNLOCK)
        return OFR_OK; // takes the lease itself, with the right key
    if (op == OFR_OP_LEASE && arg_of(m) == 1)
        return OFR_OK; // nobody's or ours: it is free in any case
    if (!fw->lease && has_key(fw))
        return OFR_LOCKED;
    lease_take(fw, session);
    return OFR_OK;
}

// Reading -----------------------------------------------------------------------------------------

static unsigned link_ports(struct fw *fw)
{
    return 2 * FIELD(node_read(fw, OFR_NODE_SHAPE), OFR_NODE_SHAPE_N);
}

static bool snapshot_busy(struct fw *fw)
{
    return node_read(fw, OFR_COUNT_SNAPSHOT) & 1;
}

static uint64_t counter(struct fw *fw, unsigned index)
{
    node_write(fw, OFR_COUNT_INDEX, index);
    uint32_t low = node_read(fw, OFR_COUNT_LOW);
    return low | (uint64_t)node_read(fw, OFR_COUNT_HIGH) << 32;
}

static uint64_t link_sum(struct fw *fw, unsigned k)
{
    uint64_t sum = 0;
    unsigned end = link_ports(fw) * 3 * 4;
    for (unsigned i = k; i < end; i += 4)
        sum += counter(fw, i);
    return sum;
}

// Goes on from where the last call of the same request ended, if that was no higher.
static uint32_t bins_below(struct fw *fw, unsigned bin)
{
    if (bin < fw->bins_at)
        fw->bins_at = fw->bins_sum = 0;
    node_write(fw, OFR_CHECK_BIN, fw->bins_at);
    for (; fw->bins_at < bin; fw->bins_at++)
        fw->bins_sum += node_read(fw, OFR_CHECK_BIN_COUNT);
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
        return fw->lease;
    case OFR_FW_FRAMES_BAD:
        return fw->frames_bad;
    case OFR_FW_DROPPED:
        return fw->dropped;
    case OFR_FW_VERSION:
        return OFR_PROTOCOL_VERSION;
    case OFR_FW_KEY:
        return has_key(fw);
    case OFR_FW_SETUP: {
        uint32_t hash = node_read(fw, OFR_NODE_SHAPE);
        hash = (hash << 5 | hash >> 27) ^ node_read(fw, OFR_NODE_SIZE);
        hash = (hash << 7 | hash >> 25) ^ node_read(fw, OFR_NODE_TIE);
        return (hash << 3 | hash >> 29) ^ OFR_PROTOCOL_VERSION;
    }
    case OFR_FW_GOT:
        return node_read(fw, OFR_CHECK_RECEIVED) + node_read(fw, OFR_CHECK_ERRORS);
    case OFR_FW_STATUS:
        return node_read(fw, OFR_GEN_STATUS) | (uint32_t)(node_read(fw, OFR_CHECK_ERRORS) != 0)
                                                   << 16;
    }
    *status = OFR_BAD_ARG;
    return 0;
}

// Blocks whose registers may be read and written one by one: not NI (ours), and COUNT and the
// checker's histogram have operations of their own.
static bool plain_register(unsigned offset)
{
    return !(offset & 3) && offset <= OFR_CHECK_BIN_COUNT &&
           (offset < OFR_COUNT_SNAPSHOT || offset > OFR_NI_RX_NEXT);
}

static uint32_t selected(struct fw *fw, unsigned selector, enum ofr_status *status)
{
    unsigned which = selector & 0xfff, what = selector & 0xf000;
    bool of_snapshot = what == OFR_SEL_LOW || what == OFR_SEL_HIGH || what == OFR_SEL_LINKS ||
                       what == OFR_SEL_LINKS_HIGH;
    if (of_snapshot && snapshot_busy(fw)) {
        *status = OFR_AGAIN;
        return 0;
    }
    switch (what) {
    case OFR_SEL_NODE:
        if (plain_register(which))
            return node_read(fw, which);
        break;
    case OFR_SEL_LOW:
    case OFR_SEL_HIGH:
        if (which < OFR_COUNTERS) {
            uint64_t value = counter(fw, which);
            return what == OFR_SEL_LOW ? (uint32_t)value : (uint32_t)(value >> 32);
        }
        break;
    case OFR_SEL_LINKS:
        if (which < 4)
            return (uint32_t)link_sum(fw, which);
        break;
    case OFR_SEL_LINKS_HIGH:
        if (which < 4)
            return (uint32_t)(link_sum(fw, which) >> 32);
        break;
    case OFR_SEL_BELOW:
        if (which <= 256)
            return bins_below(fw, which);
        break;
    case OFR_SEL_FIRMWARE:
        return firmware_word(fw, which, status);
    case OFR_SEL_BOARD:
        if (!(which & 3) && which <= OFR_BOARD_BUS_ERROR)
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

static enum ofr_status op_ping(struct fw *fw, uint32_t *m, unsigned arrival)
{
    uint32_t serial[2] = {hal_read(fw, OFR_BASE_BOARD + OFR_BOARD_SERIAL_LOW),
                          hal_read(fw, OFR_BASE_BOARD + OFR_BOARD_SERIAL_HIGH)};
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

static enum ofr_status op_snapshot(struct fw *fw, const uint32_t *m)
{
    uint32_t id = (uint32_t)session_of(m) << 16 | (m[1] & 0xffff);
    if (id != fw->snapshot_id) {
        fw->snapshot_id = id;
        node_write(fw, OFR_COUNT_SNAPSHOT, 1);
    }
    return OFR_OK;
}

static enum ofr_status op_read4(struct fw *fw, uint32_t *m)
{
    enum ofr_status status = OFR_OK;
    if (hop_count(m))
        return OFR_BAD_ARG;
    uint32_t low = m[2], high = m[3];
    fw->bins_at = 0;
    fw->bins_sum = 0;
    if (arg_of(m))
        op_snapshot(fw, m);
    m[2] = selected(fw, low & 0xffff, &status);
    m[3] = selected(fw, low >> 16, &status);
    m[4] = selected(fw, high & 0xffff, &status);
    m[5] = selected(fw, high >> 16, &status);
    return status;
}

static enum ofr_status op_counters(struct fw *fw, uint32_t *m)
{
    unsigned index = arg_of(m), first = index, used = 0;
    uint8_t bytes[16] = {0}, *zeros = 0;
    if (hop_count(m) || index >= OFR_COUNTERS)
        return OFR_BAD_ARG;
    if (snapshot_busy(fw))
        return OFR_AGAIN;
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

// Writing -----------------------------------------------------------------------------------------

static enum ofr_status op_write(struct fw *fw, const uint32_t *m)
{
    unsigned offset = m[4] >> 16;
    if (!plain_register(offset) || offset == OFR_OFR_COMMIT)
        return OFR_BAD_ARG;
    if (offset >= OFR_OFR_PARAM && offset < OFR_COUNT_SNAPSHOT)
        fw->staged = 0; // the shadow bank is no longer what was verified
    node_write(fw, offset, m[5]);
    return OFR_OK;
}

static enum ofr_status op_configure(struct fw *fw, const uint32_t *m)
{
    uint32_t v = m[5], size = 0, coord = 0;
    for (unsigned i = 0; i < 3; i++) {
        unsigned k = (v >> (OFR_CONFIG_SIZE_LSB + 4 * i) & 15) + 1;
        unsigned c = v >> (OFR_CONFIG_COORD_LSB + 4 * i) & 15;
        if (c >= k)
            return OFR_BAD_ARG;
        size |= (uint32_t)k << 8 * i;
        coord |= (uint32_t)c << 8 * i;
    }
    if (link_ports(fw) == 4 && size >> 16 != 1)
        return OFR_BAD_ARG;
    uint32_t tie = v >> OFR_CONFIG_TIE_LSB & 1, on = v >> OFR_CONFIG_ON_LSB & 1;
    if (on && configured(fw) && node_read(fw, OFR_NODE_SIZE) == size &&
        node_read(fw, OFR_NODE_COORD) == coord && node_read(fw, OFR_NODE_TIE) == tie)
        return OFR_OK; // nothing to change, so nothing is interrupted
    node_write(fw, OFR_NODE_CONTROL, 0);
    node_write(fw, OFR_NODE_SIZE, size);
    node_write(fw, OFR_NODE_COORD, coord);
    node_write(fw, OFR_NODE_TIE, tie);
    node_write(fw, OFR_NODE_CONTROL, on << OFR_NODE_CONTROL_CONFIGURED_LSB);
    return OFR_OK;
}

static enum ofr_status op_table(struct fw *fw, const uint32_t *m)
{
    unsigned first = (arg_of(m) & 15) * 4, words = arg_of(m) >> 4;
    unsigned entries = link_ports(fw) == 4 ? 32 : 64;
    if (!words || words > 3 || first + 4 * words > entries || hop_count(m) > OFR_WIDE_HOPS)
        return OFR_BAD_ARG;
    fw->staged = 0;
    node_write(fw, OFR_OFR_ADDR, first);
    for (unsigned i = 0; i < words; i++)
        for (unsigned j = 0; j < 32; j += 8)
            node_write(fw, OFR_OFR_DATA, m[3 + i] >> j & 0xff);
    return OFR_OK;
}

static enum ofr_status op_stage(struct fw *fw, uint32_t *m)
{
    if (!(m[5] & 0xffff) || hop_count(m) > OFR_WIDE_HOPS)
        return OFR_BAD_ARG;
    fw->staged = 0;
    uint32_t crc = node_read(fw, OFR_OFR_CRC);
    if (crc != m[4]) {
        m[5] = crc;
        return OFR_BAD_CRC;
    }
    node_write(fw, OFR_OFR_PARAM, m[3] & 0xffff);
    node_write(fw, OFR_OFR_WIDN, m[3] >> 16 & 0xff);
    fw->routing = m[3] >> 24 & 0x3f;
    fw->staged = m[5];
    return OFR_OK;
}

static enum ofr_status op_commit(struct fw *fw, const uint32_t *m)
{
    uint32_t generation = m[5] & 0xffff;
    if (generation && generation == (fw->active & 0xffff))
        return OFR_OK;
    if (!generation || generation != (fw->staged & 0xffff))
        return OFR_NOT_STAGED;
    node_write(fw, OFR_NODE_ROUTING,
               (uint32_t)(fw->routing & 3) << OFR_NODE_ROUTING_SELECT_LSB |
                   (uint32_t)(fw->routing >> 2) << OFR_NODE_ROUTING_THRESHOLD_LSB);
    node_write(fw, OFR_OFR_COMMIT, generation);
    fw->previous = fw->active;
    fw->active = fw->staged;
    fw->staged = 0;
    return OFR_OK;
}

static enum ofr_status op_gen(struct fw *fw, uint32_t *m)
{
    unsigned arg = arg_of(m);
    if (hop_count(m) || (arg & 15) > OFR_GEN_CONTROL_PATTERN_FIXED)
        return OFR_BAD_ARG;
    if (arg >> 6 != (fw->active & 3)) {
        m[5] = fw->active;
        return OFR_MIXED;
    }
    node_write(fw, OFR_GEN_CONTROL,
               (arg & 15) << OFR_GEN_CONTROL_PATTERN_LSB | (arg >> 4 & 3)
                                                               << OFR_GEN_CONTROL_CLASS_LSB);
    node_write(fw, OFR_GEN_PERIOD, m[2]);
    node_write(fw, OFR_GEN_MESSAGES, m[3]);
    node_write(fw, OFR_GEN_LENGTH, m[4]);
    node_write(fw, OFR_GEN_SEED, ofr_node_seed(m[5], coordinates(fw)));
    return OFR_OK;
}

// Cycles that the writes of OP_START may take.
enum { START_MARGIN = 512 };

static enum ofr_status op_start(struct fw *fw, uint32_t *m)
{
    uint32_t control = node_read(fw, OFR_GEN_CONTROL) & ~(uint32_t)OFR_GEN_CONTROL_ENABLE_MASK;
    if (hop_count(m) > OFR_WIDE_HOPS || arg_of(m) > 1)
        return OFR_BAD_ARG;
    node_write(fw, OFR_GEN_CONTROL, control);
    if (!arg_of(m))
        return OFR_OK;
    node_write(fw, OFR_GEN_START, m[3]);
    node_write(fw, OFR_CHECK_FROM, m[4]);
    node_write(fw, OFR_CHECK_TO, m[5]);
    node_write(fw, OFR_CHECK_CONTROL, m[4] != m[5]);
    uint32_t now = node_read(fw, OFR_NODE_TIME), ahead = m[3] - now;
    if (ahead < START_MARGIN || ahead >> 31) {
        m[5] = now;
        return OFR_LATE;
    }
    node_write(fw, OFR_GEN_CONTROL, control | OFR_GEN_CONTROL_ENABLE_MASK);
    return op_snapshot(fw, m);
}

static bool writing(unsigned op)
{
    return op >= OFR_OP_WRITE && op <= OFR_OP_START;
}

static enum ofr_status write_operation(struct fw *fw, uint32_t *m)
{
    enum ofr_status status = may_write(fw, m);
    if (status != OFR_OK)
        return status;
    hal_bus_error(fw); // forget older ones
    switch (m[0] & OFR_OP_MASK) {
    case OFR_OP_WRITE:
        status = op_write(fw, m);
        break;
    case OFR_OP_CONFIGURE:
        status = op_configure(fw, m);
        break;
    case OFR_OP_LEASE:
        status = op_lease(fw, m);
        break;
    case OFR_OP_UNLOCK:
        status = op_unlock(fw, m);
        break;
    case OFR_OP_KEY:
        status = op_key(fw, m);
        break;
    case OFR_OP_TABLE:
        status = op_table(fw, m);
        break;
    case OFR_OP_STAGE:
        status = op_stage(fw, m);
        break;
    case OFR_OP_COMMIT:
        status = op_commit(fw, m);
        break;
    case OFR_OP_UNSTAGE:
        fw->staged = 0;
        break;
    case OFR_OP_GEN:
        status = op_gen(fw, m);
        break;
    case OFR_OP_START:
        status = op_start(fw, m);
        break;
    }
    if (status == OFR_OK && hal_bus_error(fw))
        status = OFR_BUS_ERROR;
    return status;
}

// Does the operation in m and turns m into the response. arrival: port, 7 for the UART.
static void execute(struct fw *fw, uint32_t *m, unsigned arrival)
{
    unsigned op = m[0] & OFR_OP_MASK;
    enum ofr_status status = OFR_OK;
    if (writing(op)) {
        // The same session, sequence number and operation again: the same answer again.
        if (same_request(fw->stored, m)) {
            copy(m, fw->stored, OFR_MESSAGE_WORDS);
            return;
        }
        status = write_operation(fw, m);
        respond(m, status);
        if (status != OFR_BUSY) // what another session asks must not push out the holder's
            copy(fw->stored, m, OFR_MESSAGE_WORDS);
        return;
    }
    switch (op) {
    case OFR_OP_PING:
        status = op_ping(fw, m, arrival);
        break;
    case OFR_OP_READ:
        fw->bins_at = fw->bins_sum = 0;
        m[5] = selected(fw, m[4] >> 16, &status);
        break;
    case OFR_OP_READ4:
        status = op_read4(fw, m);
        break;
    case OFR_OP_SNAPSHOT:
        status = op_snapshot(fw, m);
        break;
    case OFR_OP_COUNTERS:
        status = op_counters(fw, m);
        break;
    default:
        status = OFR_BAD_OP;
    }
    respond(m, status);
}

// Towards the host --------------------------------------------------------------------------------

// Looks at the UART in one fw_poll(). On the target a byte comes or goes every 40 cycles, about as
// long as a look takes; golden boards' UARTs are always ready or will not be in this poll.
#ifdef OFR_TARGET
enum { SEND_LOOKS = 24, RECEIVE_LOOKS = 24 };
#else
enum { SEND_LOOKS = OFR_FRAME_BYTES, RECEIVE_LOOKS = OFR_FRAME_BYTES };
#endif

static void to_host(struct fw *fw, const uint32_t *m, enum ofr_mode mode, uint32_t from)
{
    if (fw->tx_count == FW_TX_FRAMES) {
        fw->dropped++;
        return;
    }
    uint32_t *frame = fw->tx[(fw->tx_first + fw->tx_count) % FW_TX_FRAMES];
    frame[0] = OFR_FRAME_SYNC | (uint32_t)mode << 8 | (uint32_t)OFR_PROTOCOL_VERSION << 12 |
               (from & 0xfff) << 16;
    copy(frame + 1, m, OFR_MESSAGE_WORDS);
    fw->tx_count++;
}

// Both the core and the hosts we build for are little-endian.
static uint8_t *bytes_of(uint32_t *words)
{
    return (uint8_t *)words;
}

// The CRC is worked out while the bytes before it go out: a byte takes 40 cycles or more.
static bool uart_send(struct fw *fw)
{
    if (!fw->tx_count)
        return false;
    uint32_t *frame = fw->tx[fw->tx_first], crc = fw->tx_crc;
    unsigned n = fw->tx_byte;
    bool sent = false;
    // Not a wait: ends after so many looks.
    for (unsigned looks = SEND_LOOKS; looks; looks--) {
        if (!(hal_read(fw, OFR_BASE_UART + OFR_UART_STATUS) & OFR_UART_STATUS_TX_READY_MASK))
            continue;
        uint8_t byte = bytes_of(frame)[n];
        hal_write(fw, OFR_BASE_UART + OFR_UART_DATA, byte);
        sent = true;
        crc = crc_byte(crc, byte);
        if (++n == CRC_AT)
            frame[OFR_FRAME_WORDS - 1] = ~crc;
        if (n == OFR_FRAME_BYTES) {
            n = 0;
            crc = 0xffffffff;
            fw->tx_first = (fw->tx_first + 1) % FW_TX_FRAMES;
            fw->tx_count--;
            break;
        }
    }
    fw->tx_byte = (uint8_t)n;
    fw->tx_crc = crc;
    return sent;
}

// Towards the network -----------------------------------------------------------------------------

static bool network_ready(struct fw *fw)
{
    return node_read(fw, OFR_NI_STATUS) & OFR_NI_STATUS_TX_READY_MASK;
}

static void network_write(struct fw *fw, const uint32_t *m, uint32_t head)
{
    node_write(fw, OFR_NI_TX_HEAD, head);
    // The hardware stamps source and kind.
    node_write(fw, OFR_NI_TX_DATA, (uint32_t)OFR_MESSAGE_BYTES << (OFR_PKT_SEQ_LSB - 32));
    for (unsigned i = 0; i < OFR_MESSAGE_WORDS; i++)
        node_write(fw, OFR_NI_TX_DATA, m[i]);
    node_write(fw, OFR_NI_TX_SEND, 1);
}

// Sends now if possible, else keeps it for network_send().
static void to_network(struct fw *fw, const uint32_t *m, uint32_t head)
{
    if (network_ready(fw)) {
        network_write(fw, m, head);
        return;
    }
    fw->out[0] = head;
    copy(fw->out + 1, m, OFR_MESSAGE_WORDS);
    fw->out_full = true;
}

static void to_port(struct fw *fw, const uint32_t *m, unsigned port)
{
    to_network(fw, m,
               port << OFR_PKT_TARGET_X_LSB | (uint32_t)OFR_PKT_CLASS_DIRECTED
                                                  << OFR_PKT_CLASS_LSB);
}

static void to_address(struct fw *fw, const uint32_t *m, uint32_t to)
{
    to_network(fw, m,
               to | (uint32_t)OFR_PKT_CLASS_INORDER << OFR_PKT_CLASS_LSB |
                   to << OFR_PKT_DEST_X_LSB);
}

static bool network_send(struct fw *fw)
{
    if (!fw->out_full || !network_ready(fw))
        return false;
    network_write(fw, fw->out + 1, fw->out[0]);
    fw->out_full = false;
    return true;
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
    // A response: back by the port that the path names, or here.
    if (index)
        to_port(fw, m, ofr_path_get(m, index - 1));
    else
        to_host(fw, m, OFR_MODE_PATH, 0);
}

// Collectives
// --------------------------------------------------------------------------------------

enum { FOR_HOST = 0, FOR_ROW = 1 };

static void take_setup(struct fw *fw, struct fw_collective *all)
{
    uint32_t size = node_read(fw, OFR_NODE_SIZE), coord = node_read(fw, OFR_NODE_COORD);
    for (unsigned i = 0; i < 3; i++) {
        all->k[i] = size >> 8 * i & 31;
        all->me[i] = coord >> 8 * i & 15;
    }
}

static unsigned node_number(const struct fw_collective *all, unsigned x, unsigned y, unsigned z)
{
    return x + all->k[0] * (y + all->k[1] * z);
}

static void combine(struct fw_collective *all, const uint32_t *d, bool row)
{
    uint32_t *a = all->data;
    if (all->aggregate == OFR_AGG_SUM64) {
        for (unsigned i = 0; i < 4; i += 2) {
            a[i] += d[i];
            a[i + 1] += d[i + 1] + (a[i] < d[i]);
        }
        return;
    }
    if (all->aggregate == OFR_AGG_RESULT) {
        a[0] += d[0];
        a[1] += d[1] + (a[0] < d[0]);
        a[2] += d[2];
        a[3] = d[3] > a[3] ? d[3] : a[3];
        return;
    }
    if (all->aggregate == OFR_AGG_SPAN) {
        a[0] &= d[0];
        a[1] &= d[1];
        a[2] |= row ? d[2] : d[0];
        a[3] |= row ? d[3] : d[1];
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        switch (all->aggregate) {
        case OFR_AGG_SUM:
            a[i] += d[i];
            break;
        case OFR_AGG_AND:
            a[i] &= d[i];
            break;
        case OFR_AGG_OR:
            a[i] |= d[i];
            break;
        case OFR_AGG_MIN:
            a[i] = d[i] < a[i] ? d[i] : a[i];
            break;
        case OFR_AGG_MAX:
            a[i] = d[i] > a[i] ? d[i] : a[i];
            break;
        }
    }
}

static bool has_answered(const struct fw_collective *all, unsigned target)
{
    return all->answered[target >> 5] >> (target & 31) & 1;
}

// Node number of a target: of a row, the node that was asked.
static unsigned target_node(const struct fw_collective *all, unsigned target)
{
    if (target < all->rows)
        return all->me[0] + (unsigned)all->k[0] * target; // rows are numbered y + ky z
    return node_number(all, target - all->rows, all->me[1], all->me[2]);
}

// The response, final or PENDING, to whoever asked.
static void collective_answer(struct fw *fw, unsigned role)
{
    struct fw_collective *all = &fw->all[role];
    uint32_t m[OFR_MESSAGE_WORDS];
    copy(m, all->request, 2);
    copy(m + 2, all->data, 4);
    respond(m, all->status);
    m[1] = (m[1] & 0xffff) | (uint32_t)(all->status ? all->bad : all->count) << 16;
    if (role == FOR_ROW) {
        if (!all->missing)
            to_address(fw, m, all->reply_to);
        return;
    }
    if (all->missing) {
        unsigned first = 0;
        while (has_answered(all, first))
            first++;
        respond(m, OFR_PENDING);
        m[2] = all->missing;
        m[3] = target_node(all, first);
    }
    to_host(fw, m, OFR_MODE_COLLECTIVE, 0);
}

// A target's response. The network interface's slot must be free, for the answer.
static void collective_take(struct fw *fw, unsigned role, const uint32_t *m, unsigned target)
{
    struct fw_collective *all = &fw->all[role];
    unsigned status = arg_of(m);
    bool row = target < all->rows;
    if (target >= all->targets || has_answered(all, target))
        return;
    all->answered[target >> 5] |= (uint32_t)1 << (target & 31);
    if (status && !all->status) {
        all->status = (uint8_t)status;
        all->bad = (uint16_t)(row ? m[1] >> 16 : target_node(all, target));
        copy(all->data, m + 2, 4);
    } else if (!all->status) {
        combine(all, m + 2, row);
    }
    all->count += row && !status ? m[1] >> 16 : 1;
    if (!--all->missing)
        collective_answer(fw, role);
}

static void collective_sweep(struct fw_collective *all)
{
    all->next = 0;
    all->y = all->z = 0;
}

static void collective_request(struct fw *fw, unsigned role, const uint32_t *m, unsigned aggregate,
                               uint32_t reply_to)
{
    struct fw_collective *all = &fw->all[role];
    if (same_request(all->request, m)) {
        all->reply_to = (uint16_t)reply_to;
        collective_answer(fw, role);
        if (all->missing)
            collective_sweep(all);
        return;
    }
    take_setup(fw, all);
    copy(all->request, m, OFR_MESSAGE_WORDS);
    all->request[1] &= 0xffff;
    all->aggregate = (uint8_t)aggregate;
    all->reply_to = (uint16_t)reply_to;
    for (unsigned i = 0; i < 4; i++)
        all->data[i] = aggregate == OFR_AGG_AND || aggregate == OFR_AGG_MIN ||
                               (aggregate == OFR_AGG_SPAN && i < 2)
                           ? 0xffffffff
                           : 0;
    for (unsigned i = 0; i < sizeof all->answered / 4; i++)
        all->answered[i] = 0;
    all->count = all->bad = all->status = all->rows = 0;
    all->missing = all->k[0];
    if (role == FOR_HOST) {
        unsigned own = all->me[1] + (unsigned)all->k[1] * all->me[2];
        all->rows = (uint16_t)((unsigned)all->k[1] * all->k[2]);
        all->missing = (uint16_t)(all->k[0] + all->rows - 1);
        all->answered[own >> 5] |= (uint32_t)1 << (own & 31);
    }
    all->targets = (uint16_t)(all->rows + all->k[0]);
    collective_sweep(all);
}

// Sends the collective to the next target that has not answered.
static bool collective_step(struct fw *fw, unsigned role)
{
    struct fw_collective *all = &fw->all[role];
    if (all->next >= all->targets || fw->out_full)
        return false;
    unsigned target = all->next++, x = target - all->rows;
    bool row = target < all->rows, answered = has_answered(all, target);
    uint32_t to = all->me[0] | (uint32_t)all->y << 4 | (uint32_t)all->z << 8;
    if (row && ++all->y == all->k[1]) {
        all->y = 0;
        all->z++;
    }
    if (answered)
        return true;
    uint32_t m[OFR_MESSAGE_WORDS];
    copy(m, all->request, OFR_MESSAGE_WORDS);
    if (row) {
        m[0] |= OFR_ROW;
        m[1] |= (uint32_t)all->aggregate << 16;
        to_address(fw, m, to);
        return true;
    }
    m[0] &= ~(uint32_t)OFR_ROW;
    if (x == all->me[0]) {
        execute(fw, m, 7);
        collective_take(fw, role, m, target);
    } else {
        to_address(fw, m, x | (uint32_t)all->me[1] << 4 | (uint32_t)all->me[2] << 8);
    }
    return true;
}

// Gives a response that came by address to the collective it belongs to. False: to none.
static bool collective_response(struct fw *fw, const uint32_t *m, uint32_t from)
{
    unsigned x = from & 15, y = from >> 4 & 15, z = from >> 8;
    for (unsigned role = FOR_HOST; role <= FOR_ROW; role++) {
        struct fw_collective *all = &fw->all[role];
        if (!all->request[0] || !same_request(all->request, m))
            continue;
        bool row = m[0] & OFR_ROW;
        if (role == FOR_HOST && row && x == all->me[0])
            collective_take(fw, role, m, y + all->k[1] * z);
        else if (!row && y == all->me[1] && z == all->me[2] && x < all->k[0])
            collective_take(fw, role, m, all->rows + x);
        return true;
    }
    return false;
}

// Frames and packets in ---------------------------------------------------------------------------

static void take_frame(struct fw *fw)
{
    uint32_t word0 = fw->rx[0], to = word0 >> 16 & 0xfff, *m = fw->rx + 1;
    if (m[0] & (OFR_RESPONSE | OFR_ROW) || !session_of(m)) {
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
            execute(fw, m, 7);
        } else {
            uint32_t k = node_read(fw, OFR_NODE_SIZE);
            if ((to & 15) < (k & 31) && (to >> 4 & 15) < (k >> 8 & 31) &&
                to >> 8 < (k >> 16 & 31) && !hop_count(m)) {
                to_address(fw, m, to);
                return;
            }
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
        if (left < CRC_AT)
            fw->rx_crc = crc_byte(fw->rx_crc, bytes[left]);
    }
    fw->rx_count = (uint8_t)left;
}

static bool uart_receive(struct fw *fw)
{
    uint8_t *bytes = bytes_of(fw->rx);
    unsigned n = fw->rx_count;
    uint32_t crc = fw->rx_crc;
    bool any = false;
    for (unsigned looks = RECEIVE_LOOKS; looks && n < OFR_FRAME_BYTES; looks--) {
        if (!(hal_read(fw, OFR_BASE_UART + OFR_UART_STATUS) & OFR_UART_STATUS_RX_VALID_MASK)) {
            if (!n)
                break; // nothing has begun
            continue;
        }
        uint8_t byte = (uint8_t)hal_read(fw, OFR_BASE_UART + OFR_UART_DATA);
        any = true;
        if (!n && byte != OFR_FRAME_SYNC) {
            fw->frames_bad++;
            continue;
        }
        bytes[n++] = byte;
        if (n <= CRC_AT)
            crc = crc_byte(crc, byte);
    }
    fw->rx_count = (uint8_t)n;
    fw->rx_crc = crc;
    if (n < OFR_FRAME_BYTES || fw->out_full)
        return any;
    if ((fw->rx[0] >> 12 & 15) != OFR_PROTOCOL_VERSION || fw->rx[OFR_FRAME_WORDS - 1] != ~crc) {
        rx_skip(fw);
    } else {
        fw->rx_count = 0;
        fw->rx_crc = 0xffffffff;
        take_frame(fw);
    }
    return true;
}

static bool network_receive(struct fw *fw)
{
    if (fw->out_full || !(node_read(fw, OFR_NI_STATUS) & OFR_NI_STATUS_RX_VALID_MASK))
        return false;
    uint32_t p[OFR_FRAME_WORDS], *m = p + 2;
    for (unsigned i = 0; i < OFR_FRAME_WORDS; i++)
        p[i] = node_read(fw, OFR_NI_RX_DATA);
    node_write(fw, OFR_NI_RX_NEXT, 1);
    uint32_t from = p[1] & 0xfff;
    if ((p[1] >> (OFR_PKT_KIND_LSB - 32) & 15) != OFR_PKT_KIND_MGMT ||
        p[1] >> 16 != OFR_MESSAGE_BYTES) {
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
    } else if (m[0] & OFR_ROW) {
        collective_request(fw, FOR_ROW, m, m[1] >> 16 & 15, from);
    } else if (hop_count(m)) {
        fw->dropped++;
    } else {
        execute(fw, m, 7);
        to_address(fw, m, from);
    }
    return true;
}

bool fw_poll(struct fw *fw)
{
    bool any = uart_send(fw);
    any |= network_send(fw);
    for (unsigned i = 0; i < 4 && network_receive(fw); i++)
        any = true;
    any |= uart_receive(fw);
    for (unsigned role = FOR_HOST; role <= FOR_ROW; role++)
        for (unsigned i = 0; i < 4 && collective_step(fw, role); i++)
            any = true;
    return any;
}

void fw_init(struct fw *fw)
{
#ifdef OFR_TARGET
    *fw = (struct fw){.rx_crc = 0xffffffff, .tx_crc = 0xffffffff};
#else
    struct fw_hal hal = fw->hal;
    *fw = (struct fw){.hal = hal, .rx_crc = 0xffffffff, .tx_crc = 0xffffffff};
#endif
}
