// SPDX-License-Identifier: Apache-2.0
// A part of the nodes with its events: what one thread simulates. Parts meet by mail only: a packet
// that begins to go over a link to another part, an ACK, a packet that comes back with a NAK. All
// are due a look-ahead after they were sent, or later.
//
// Order. At one time by kind of event: links that become free, NAKs, arrivals, births of an
//   application's messages, injections. Arrivals
//   of one time at a node: by a hash of seed, time and place, then by place. Nothing else of one
//   time and kind meets: so what a node does depends neither on what the parts are nor on others'
//   events of that time. ACKs that are due by a time free their slots before anything of that time
//   looks at them.
#ifndef NET_PART_H
#define NET_PART_H

#include "measure/result.h"
#include "packet/links.h"
#include "packet/wheel.h"
#include "traffic/schedule.h"

// Indexes: ARRIVE the place of the link back, FREE and NAK that of the link, BIRTH and INJECT the
// node.
enum net_kind { NET_FREE, NET_NAK, NET_ARRIVE, NET_BIRTH, NET_INJECT };

// AGAIN is FREE, an ACK's time after it. Of ARRIVE, which carries the packet: from the part's own
// links, from others'. NAK, which carries it, too: of those that waited for nothing on the way
// back.
enum net_which_line { LINE_FREE, LINE_AGAIN, LINE_OWN, LINE_OTHERS, LINE_INJECT, LINE_NAK };

// A generator: the packet that it offers next.
struct net_source {
    uint64_t born;
    uint64_t minimal; // leg of the minimal route, net_pack_leg(); NET_TIE_RANDOM draws it anew
    uint32_t message, packet; // numbers; NET_NO_MESSAGE: none before or behind it
    uint32_t packets;         // of the message
    uint32_t destination;
    uint32_t at;      // where its ways are, struct net_part
    uint32_t ways;    // count; 0: before the first message
    uint32_t chosen;  // 1 + the way that a packet keeps from try to try; 0: none yet
    uint32_t in_time; // packets that entered before the last generation period ended
};

// A packet, or an ACK: only `vc` of the packet counts.
struct net_mail {
    uint64_t time;  // when it is there
    uint32_t place; // of the link there, as of its event
    struct net_packet packet;
};

struct net_box {
    uint32_t count, capacity, taken;
    struct net_mail *mail; // in the order of time where they arrive
};

enum net_mail_kind { MAIL_ARRIVE, MAIL_ACK, MAIL_NAK, MAIL_KINDS };

struct net_post { // from one part to another
    struct net_box box[MAIL_KINDS];
};

struct net_latest { // of several arrivals at one time the last one at a node
    uint32_t run, place;
};

struct net_part {
    const struct net_config *config;
    struct net_times times;
    // What all parts share; written only where it is of a node of the part.
    struct net_links links;
    const struct net_paths *paths;
    struct net_schedule *schedule;
    const struct ofr_coord *coord;
    const uint16_t *exists; // ports with a link, per node
    struct net_source *sources;
    // [node][max_ways]: of the sources' messages. Where there are counts: all ways from node 0.
    struct ofr_way *ways;
    const uint16_t *way_count;
    uint32_t max_ways;
    uint64_t *sink_free; // when the link to the sink is free
    uint64_t *nak_until; // until when a link counts as NAKed, by place; with nak_gate only

    // The part's own.
    struct net_wheel wheel;
    struct net_result result;
    struct net_latest *latest; // by node, from the part's first on
    uint32_t *same_node;       // by place in a run of arrivals: the one before at that node
    uint32_t runs, run_capacity;
    uint32_t parts;
    const uint32_t *bounds; // first node of each part, then the number of nodes
    struct net_post *out;   // [part]: what it gets
    uint64_t counted;       // until then packets on links are counted
    uint64_t gate;          // packets that have waited longer are not derouted, units
    uint64_t nak_gate;      // a link counts as NAKed for so long, units; 0: none does
    uint64_t numbers;       // of the consumed packets' messages, added up
    uint64_t progress;      // when a packet was accepted or consumed last
    bool look_ahead;        // fetching ahead pays
    bool out_of_memory;
};

// Sets out the first packets of all nodes.
void net_part_start(struct net_part *part);

// Simulates all events before `until`, units.
void net_part_run(struct net_part *part, uint64_t until);

// Takes in, and out of the posts, what parts have sent it; posts[from * stride]. now: units; all
// was sent before.
void net_part_deliver(struct net_part *part, uint64_t now, struct net_post *posts, uint32_t stride);

#endif
