// SPDX-License-Identifier: Apache-2.0
// The write lease and the key (protocol.h, SESSIONS and KEY).
#include "fw_parts.h"

static uint32_t timer(struct fw *fw)
{
    return hal_read(fw, OFR_BASE_TIMER + OFR_TIMER_LOW);
}

void lease_expire(struct fw *fw)
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

bool has_key(const struct fw *fw)
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

enum ofr_status op_unlock(struct fw *fw, const uint32_t *m)
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

enum ofr_status op_key(struct fw *fw, const uint32_t *m)
{
    uint32_t key[2];
    bool half;
    if (!take_key(fw, m, key, &half))
        return half ? OFR_OK : OFR_BAD_ARG;
    fw->half_session = 0;
    fw->key[0] = key[0];
    fw->key[1] = key[1];
    return OFR_OK;
}

enum ofr_status op_lease(struct fw *fw, uint32_t *m)
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
enum ofr_status may_write(struct fw *fw, uint32_t *m)
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
