// SPDX-License-Identifier: Apache-2.0
#include "run/engine.h"

#include "run/ranks.h"

const struct net_engine *net_engine(const struct net_config *config)
{
    if (config->engine == NET_ENGINE_PACKET)
        return &net_packet_engine;
    return config->dragonfly.a ? &net_dragonfly_engine : &net_flit_engine;
}

// Units between two instants: 50 us, and a quarter of the watchdog's time.
static uint64_t interval(uint64_t watchdog)
{
    uint64_t us = 1000 * NET_UNITS_PER_NS, most = 50 * us;
    uint64_t least = watchdog / 4 > us / 10 ? watchdog / 4 : us / 10;
    return watchdog && least < most ? least : most;
}

struct net_result net_run(const struct net_config *config, double limit_us, atomic_bool *stop,
                          _Atomic float *progress)
{
    const struct net_engine *engine = net_engine(config);
    struct net_sim *sim = engine->open(config);
    if (!sim)
        return (struct net_result){.end = NET_NO_MEMORY};
    uint64_t watchdog = (uint64_t)(config->watchdog_us * 1000 * NET_UNITS_PER_NS);
    uint64_t step = interval(watchdog), at = 0;
    uint64_t since = UINT64_MAX; // packets are on their way since then; UINT64_MAX: none are
    for (;;) {
        struct net_watch w = engine->watch(sim, at);
        if (w.generated == w.consumed)
            since = UINT64_MAX;
        if (w.out_of_memory)
            return engine->result(sim, NET_NO_MEMORY, at);
        if (w.next == UINT64_MAX)
            return engine->result(sim, NET_DRAINED, w.last);
        if (w.next >= at + step) { // nothing happens at the instants in between
            at = w.next / step * step;
            w = engine->watch(sim, at);
        }
        bool stopped = stop && atomic_load(stop);
        if (config->ranks > 1 ? net_ranks_any(stopped) : stopped)
            return engine->result(sim, NET_INTERRUPTED, at);
        if (progress)
            atomic_store(progress, (float)w.consumed / (float)w.packets);
        double limit = limit_us * 1000 * NET_UNITS_PER_NS * (double)w.packets;
        if (limit > 0 && engine->lifetimes && engine->lifetimes(sim, at) > limit)
            return engine->result(sim, NET_LIMITED, at);
        if (w.generated > w.consumed && since > at)
            since = at;
        uint64_t still = w.progress > since ? w.progress : since;
        if (watchdog && since <= at && at > still + watchdog)
            return engine->result(sim, NET_STUCK, at);
        at += step;
        engine->advance(sim, at);
    }
}
