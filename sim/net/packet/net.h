// SPDX-License-Identifier: Apache-2.0
// The engine: generators, routers with output queues, links with ACK and NAK, sinks. Packets are
// stored and forwarded whole; time is in units of 1/60 ns.
//
// Node. The generator holds an unbounded queue of messages; one packet at a time goes to the
//   router, on ticks of a fixed grid from time 0, strictly after its generation, and the next
//   one, or the same again, not before the router's ACK or NAK is back. Pipelined: no ticks, the
//   next one goes as soon as the link to the router is free, or when the router, which was full,
//   has room for the one before it (found by trying it again, as above).
// Queues. Every outgoing link has three of C slots: adaptive, VS1 (escape toward an IDN), VS2
//   (escape toward the destination). An arriving packet is put into a queue at once, or NAKed. A
//   slot is held until the ACK comes back: packets in flight count as used. A NAKed packet goes
//   back into its queue, in front of those that entered it later.
// Link. ACK and NAK go over the reverse channel, take its time and go before packets; then VS2,
//   VS1, adaptive.
// Routing. The freest adaptive queue among the minimal directions, the lowest port on a tie; none
//   free: dimension order in the escape queue, with 1 free slot to go on in the same queue, 2 to
//   enter it. A packet from the generator needs more than `throttle` free slots in either, or
//   `escape_throttle` in the escape; one in the network may need more than one, too
//   (`transit_throttle`), and injection may wait for all of the node's queues (`node_throttle`),
//   and after NAKs that came back to the node (`nak_gate`, `nak_ports`). DOR: the escape only. RDR:
//   a minimal dimension drawn per packet and node, its adaptive queue, then the escape.
// Sink. The consumption queue has C slots, one freed when sending to the sink starts.
// Order of what happens at one time: part.h.
//
// Threads and MPI ranks. The nodes are dealt out to parts, slabs of the last dimension where it is
//   large enough, a thread each, on one rank or on all of them (config.ranks). Nothing that a node
//   does is felt at another before the latency of a link and the time of an ACK on it have passed
//   (the look-ahead): so all parts simulate a window of that length, exchange what crosses, and go
//   on with the window that begins at the next event. A record is the same to the bit for any
//   number of threads and ranks, and every rank has all of it. With links without latency there is
//   one part. Between ranks only what crosses in a window goes; each has memory for all nodes'
//   links.
#ifndef NET_NET_H
#define NET_NET_H

#include "run/engine.h"

#endif
