// SPDX-License-Identifier: Apache-2.0
// Writing operations: registers, configuration, tables, generator.
#include "fw_parts.h"

static bool drained(struct fw *fw)
{
    return node_read(fw, OFR_NODE_STATUS) & OFR_NODE_STATUS_DRAINED_MASK;
}

static enum ofr_status op_write(struct fw *fw, const uint32_t *m)
{
    unsigned offset = m[4] >> 16;
    if (!plain_register(offset) || offset == OFR_OFR_COMMIT ||
        (offset >= OFR_BLOCK_PINS && offset < OFR_BLOCK_CHANNEL) ||
        (offset >= OFR_BLOCK_LINKS && offset < OFR_BLOCK_DATAGRAM))
        return OFR_BAD_ARG;
    if (offset >= OFR_OFR_PARAM && offset < OFR_COUNT_SNAPSHOT)
        table_drop(fw); // the shadow is no longer what was said
    // TIE of a board at work: it leaves the torus for the write, if it is drained
    bool leaves = offset == OFR_NODE_TIE && configured(fw) && drained(fw);
    if (leaves)
        node_write(fw, OFR_NODE_CONTROL, 0);
    node_write(fw, offset, m[5]);
    if (leaves)
        node_write(fw, OFR_NODE_CONTROL, OFR_NODE_CONTROL_CONFIGURED_MASK);
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
    if (!drained(fw))
        return OFR_AGAIN; // what is here is discarded first
    node_write(fw, OFR_NODE_SIZE, size);
    node_write(fw, OFR_NODE_COORD, coord);
    node_write(fw, OFR_NODE_TIE, tie);
    if (hal_bus_error(fw))
        return OFR_AGAIN; // a directed packet came by in between
    node_write(fw, OFR_NODE_CONTROL, on << OFR_NODE_CONTROL_CONFIGURED_LSB);
    return OFR_OK;
}

static bool has_generator(struct fw *fw)
{
    return node_read(fw, OFR_NODE_SHAPE) & OFR_NODE_SHAPE_GEN_MASK;
}

// It goes to all boards, also for what only some of them send; those without a generator take it.
static enum ofr_status op_gen(struct fw *fw, uint32_t *m)
{
    unsigned arg = arg_of(m);
    if (hop_count(m) || (arg & 15) > OFR_GEN_CONTROL_PATTERN_FIXED)
        return OFR_BAD_ARG;
    if (arg >> 6 != (fw->active & 3)) {
        m[5] = fw->active;
        return OFR_MIXED;
    }
    if (has_generator(fw)) {
        node_write(fw, OFR_GEN_CONTROL,
                   (arg & 15) << OFR_GEN_CONTROL_PATTERN_LSB | (arg >> 4 & 3)
                                                                   << OFR_GEN_CONTROL_CLASS_LSB);
        node_write(fw, OFR_GEN_PERIOD, m[2]);
        node_write(fw, OFR_GEN_MESSAGES, m[3]);
        node_write(fw, OFR_GEN_LENGTH, m[4]);
        node_write(fw, OFR_GEN_SEED, ofr_node_seed(m[5], coordinates(fw)));
    }
    fw->snapshot_gen = (uint32_t)session_of(m) << 16 | (m[1] & 0xffff);
    return snapshot_take(fw, fw->snapshot_gen, 0);
}

// Cycles that the writes of OP_START may take.
enum { START_MARGIN = 512 };

static enum ofr_status op_start(struct fw *fw, uint32_t *m)
{
    uint32_t control = node_read(fw, OFR_GEN_CONTROL) & ~(uint32_t)OFR_GEN_CONTROL_ENABLE_MASK;
    bool count = arg_of(m) == 3; // and tell what OP_GEN latched
    if (arg_of(m) == 2 || arg_of(m) > 3 || (count && hop_count(m)) ||
        (arg_of(m) && hop_count(m) > OFR_WIDE_HOPS))
        return OFR_BAD_ARG;
    if (count) { // before anything is done
        enum ofr_status status = snapshot_check(fw, m, fw->snapshot_gen);
        if (status != OFR_OK)
            return status;
    }
    if (arg_of(m) || has_generator(fw))
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
    if (count)
        totals(fw, m);
    return OFR_OK;
}

enum ofr_status write_operation(struct fw *fw, uint32_t *m)
{
    unsigned op = m[0] & OFR_OP_MASK;
    if (op == OFR_OP_LEASE)
        return op_lease(fw, m);
    if (op == OFR_OP_UNLOCK)
        return op_unlock(fw, m);
    enum ofr_status status = may_write(fw, m);
    if (status != OFR_OK)
        return status;
    hal_bus_error(fw); // forget older ones
    switch (op) {
    case OFR_OP_WRITE:
        status = op_write(fw, m);
        break;
    case OFR_OP_CONFIGURE:
        status = op_configure(fw, m);
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
    case OFR_OP_CHANGE:
        status = op_change(fw, m);
        break;
    case OFR_OP_GEN:
        status = op_gen(fw, m);
        break;
    case OFR_OP_MOVE:
        status = op_move(fw, m);
        break;
    default: // OFR_OP_START: no other is left
        status = op_start(fw, m);
    }
    if (status == OFR_OK && hal_bus_error(fw))
        status = OFR_BUS_ERROR;
    return status;
}
