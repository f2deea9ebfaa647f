// SPDX-License-Identifier: Apache-2.0
// A user's logic at the channels' pins of simulated boards: `boardsim --logic FILE`, a shared
// object with the function below. logic_rtl.cpp makes one of a Verilog module; C may do as well.
#ifndef LOGIC_H
#define LOGIC_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stdbool.h>
#include <stdint.h>

enum { LOGIC_VERSION = 1, LOGIC_ENDS = 8 };

// In a cycle, a bit an end: what the board shows to the logic, ...
struct logic_in {
    uint16_t s_ready, m_valid, m_last, m_user; // m_user: broken
    uint64_t m_data[LOGIC_ENDS];
    uint8_t m_keep[LOGIC_ENDS];
};
// ... and the logic to the board.
struct logic_out {
    uint16_t s_valid, s_last, m_ready;
    uint64_t s_data[LOGIC_ENDS];
    uint8_t s_keep[LOGIC_ENDS];
};

struct logic {
    unsigned version, ends, width; // LOGIC_VERSION; as the boards' channels: 8, 32 bits
    // One for each board, after its reset; seed: of the state that no reset sets. NULL: no memory.
    void *(*create)(uint64_t seed);
    void (*destroy)(void *logic);
    void (*reset)(void *logic);
    // One clock cycle: *out may depend on *in.
    void (*cycle)(void *logic, const struct logic_in *in, struct logic_out *out);
    // Cycles would change nothing until a beat is offered or taken.
    bool (*idle)(const void *logic);
};

// What FILE has. The same each time.
const struct logic *outflank_logic(void);

#ifdef __cplusplus
}
#endif
#endif
