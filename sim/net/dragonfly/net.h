// SPDX-License-Identifier: Apache-2.0
// The Dragonfly's engine, net_dragonfly_engine of run/engine.h: what is simulated stands in sim.h,
// the settings in config/dragonfly.h.
#ifndef NET_DRAGONFLY_NET_H
#define NET_DRAGONFLY_NET_H

#include "run/engine.h"

#endif
