// SPDX-License-Identifier: Apache-2.0
// Dimensions of a torus, mesh or hypercube of engine flit; included before all else (net.mk). So
// many as two virtual channels a link leave room for (NET_FLIT_MAX_PLACES), and the nodes fit a
// checker.
#ifndef OFR_MAX_DIMS
#define OFR_MAX_DIMS 12
#endif
