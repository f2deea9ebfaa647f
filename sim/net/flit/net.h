// SPDX-License-Identifier: Apache-2.0
// The flit engine, net_flit_engine of run/engine.h: what is simulated stands in sim.h, the settings
// in config/flit.h.
#ifndef NET_FLIT_NET_H
#define NET_FLIT_NET_H

#include "run/engine.h"

#endif
