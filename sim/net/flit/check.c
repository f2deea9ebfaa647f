// SPDX-License-Identifier: Apache-2.0
// What must be true after every cycle.
#include <stdlib.h>

#include "flit/sim.h"

// Words of a buffer within its room and its packets' length; NULL, or what is wrong.
static const char *check_buffer(const struct net_sim *sim, const struct net_flit_buffer *b,
                                uint32_t room)
{
    bool one = b->packet[0] != NET_FLIT_NO_PACKET, two = b->packet[1] != NET_FLIT_NO_PACKET;
    if ((!one && (two || b->in[0] || b->out)) || (!two && b->in[1]))
        return "an empty buffer has words";
    for (unsigned i = 0; i < (two ? 2u : one); i++)
        if (b->length[i] != sim->packets[b->packet[i]].length || b->in[i] > b->length[i])
            return "more words came into a buffer than a packet has";
    if (b->out > b->in[0])
        return "more words left a buffer than came";
    if (two && (b->in[0] < b->length[0] || !b->out))
        return "a buffer took a second packet before the first was in and on its way";
    return (unsigned)b->in[0] - b->out + b->in[1] > room ? "a buffer is too full" : NULL;
}

// Counts where each packet's words are.
static void count(const struct net_flit_buffer *b, uint32_t *words)
{
    for (unsigned i = 0; i < 2; i++)
        if (b->packet[i] != NET_FLIT_NO_PACKET)
            words[b->packet[i]] += (unsigned)b->in[i] - (i ? 0 : b->out);
}

const char *net_flit_check(const struct net_sim *sim)
{
    const char *wrong = NULL;
    uint32_t *words = calloc(sim->capacity + 1, sizeof *words), flying = 0;
    uint64_t born = 0, injected = 0;
    for (size_t i = 0; words && !wrong && i < (size_t)sim->nodes * sim->places; i++) {
        bool local = (i + 1) % sim->places == 0;
        wrong = check_buffer(sim, &sim->input[i].b, local ? NET_MAX_WORDS : sim->room);
        wrong = wrong ? wrong : check_buffer(sim, &sim->output[i].b, sim->room);
        count(&sim->input[i].b, words);
        count(&sim->output[i].b, words);
    }
    for (uint32_t node = 0; words && node < sim->nodes; node++) {
        const struct net_flit_node *n = &sim->node[node];
        born += n->created;
        injected += n->injected;
        if (n->deliver != NET_FLIT_NONE) { // words that are delivered already
            const struct net_flit_buffer *b =
                &sim->input[(size_t)node * sim->places + n->deliver].b;
            words[b->packet[0]] += b->out;
        }
    }
    for (uint32_t i = 0; words && !wrong && i < sim->capacity; i++) {
        flying += words[i] != 0;
        if (words[i] && words[i] != sim->packets[i].length)
            wrong = "words of a packet are lost or doubled";
    }
    if (words && !wrong && flying != sim->in_flight)
        wrong = "packets are lost or doubled";
    if (!wrong && (sim->injected != sim->delivered + sim->in_flight || injected > born))
        wrong = "what entered is not what was delivered and what is on its way";
    free(words);
    return wrong;
}
