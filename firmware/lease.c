// SPDX-License-Identifier: Apache-2.0
// The write lease and the key (protocol.h, LEASE and KEY).
#include "fw_parts.h"

// Sixteenths of a second, from a timer of 32 bits that may go round every minute: so it is to be
// called more often than that. Ends a lease whose time is up, which so is up for good.
void lease_expire(struct fw *fw)
{
    uint32_t now = hal_read(fw, OFR_BASE_TIMER + OFR_TIMER_LOW);
    uint32_t tick = hal_read(fw, OFR_BASE_BOARD + OFR_BOARD_CLOCK) >> 4;
    for (; tick && now - fw->clock_at >= tick; fw->clock_at += tick)
        fw->clock++;
    if (fw->lease && (int32_t)(fw->clock - fw->lease_until) >= 0)
        lease_end(fw);
}

void lease_end(struct fw *fw)
{
    fw->lease = 0;
    fw->token = fw->label[0] = fw->label[1] = fw->unlocked = 0;
    fw->begun = 0;
    fw->stored[0] = 0; // what was answered in it is not to be answered again
    fw->bulking = 0;
}

uint32_t lease_owner(const struct fw *fw)
{
    uint32_t seconds = (fw->clock - fw->lease_since) >> 4;
    return fw->lease ? fw->owner | (seconds < 0xffff ? seconds : 0xffff) << 16 : 0;
}

bool has_key(const struct fw *fw)
{
    return fw->key[0] | fw->key[1];
}

// A session number that nobody can know: the token is secret, and the time it comes at is any.
static uint16_t make_session(struct fw *fw, uint32_t token)
{
    uint32_t serial[2];
    board_serial(fw, serial);
    uint32_t v = fw->random ^ token ^ hal_read(fw, OFR_BASE_TIMER + OFR_TIMER_LOW) ^ serial[0];
    do {
        v += v == 0;
        v ^= v << 13;
        v ^= v >> 17;
        v ^= v << 5;
    } while (!(v >> 16));
    fw->random = v;
    return (uint16_t)(v >> 16);
}

static void lease_time(struct fw *fw, const uint32_t *m)
{
    fw->lease_until = fw->clock + ((uint32_t)1 << (arg_of(m) >> OFR_LEASE_TIME_LSB));
}

static enum ofr_status take(struct fw *fw, uint32_t *m, bool over)
{
    uint32_t token = m[5];
    unsigned lease = m[4] >> 16;
    if (fw->lease && lease == fw->lease && token == fw->token) { // once more, by its owner
        lease_time(fw, m);
        return OFR_OK;
    }
    if (has_key(fw) && fw->unlocked != ((uint32_t)session_of(m) << 16 | (token & 0xffff)))
        return OFR_LOCKED;
    if (fw->lease && !(over && (has_key(fw) || token == fw->token))) {
        m[5] = lease_owner(fw);
        return OFR_BUSY;
    }
    lease_end(fw);
    if (!lease)
        lease = make_session(fw, token);
    fw->lease = (uint16_t)lease;
    fw->token = token;
    fw->owner = (uint16_t)session_of(m);
    fw->lease_since = fw->clock;
    lease_time(fw, m);
    m[4] = (m[4] & 0xffff) | (uint32_t)lease << 16;
    return OFR_OK;
}

enum ofr_status op_lease(struct fw *fw, uint32_t *m)
{
    unsigned what = arg_of(m) & 7, index = m[4] >> 16;
    if (what > OFR_LEASE_LABEL || arg_of(m) >> OFR_LEASE_TIME_LSB > OFR_LEASE_TIME_MAX)
        return OFR_BAD_ARG;
    if (what == OFR_LEASE_LABEL) {
        if (index > 1)
            return OFR_BAD_ARG;
    } else if (!m[5]) {
        return OFR_BAD_ARG;
    }
    lease_expire(fw);
    if (what <= OFR_LEASE_TAKE_OVER)
        return take(fw, m, what);
    if (what != OFR_LEASE_LABEL && fw->token != m[5]) {
        m[5] = lease_owner(fw);
        return OFR_NO_LEASE;
    }
    enum ofr_status status = may_write(fw, m);
    if (status != OFR_OK)
        return status;
    if (what == OFR_LEASE_RENEW)
        lease_time(fw, m);
    else if (what == OFR_LEASE_RELEASE)
        lease_end(fw);
    else
        fw->label[index] = m[5];
    return OFR_OK;
}

// The two halves of a key, each from the same session, with the same high half of d2: true with the
// second one.
static bool whole_key(struct fw *fw, const uint32_t *m, uint32_t key[2])
{
    uint32_t from = (uint32_t)session_of(m) << 16 | m[4] >> 16;
    if (!arg_of(m)) {
        fw->half_key = m[5];
        fw->half_from = from;
        return false;
    }
    key[0] = fw->half_key;
    key[1] = m[5];
    return fw->half_from == from;
}

enum ofr_status op_unlock(struct fw *fw, const uint32_t *m)
{
    uint32_t key[2];
    if (arg_of(m) > 1)
        return OFR_BAD_ARG;
    if (!whole_key(fw, m, key))
        return arg_of(m) ? OFR_BAD_ARG : OFR_OK;
    uint32_t from = fw->half_from;
    fw->half_from = 0;
    if (key[0] != fw->key[0] || key[1] != fw->key[1])
        return OFR_LOCKED;
    fw->unlocked = from;
    return OFR_OK;
}

enum ofr_status op_key(struct fw *fw, const uint32_t *m)
{
    uint32_t key[2];
    if (arg_of(m) > 1)
        return OFR_BAD_ARG;
    if (!whole_key(fw, m, key))
        return arg_of(m) ? OFR_BAD_ARG : OFR_OK;
    fw->half_from = 0;
    fw->key[0] = key[0];
    fw->key[1] = key[1];
    return OFR_OK;
}

enum ofr_status may_write(struct fw *fw, uint32_t *m)
{
    lease_expire(fw);
    if (fw->lease && fw->lease == session_of(m))
        return OFR_OK;
    m[5] = lease_owner(fw);
    return OFR_NO_LEASE;
}
