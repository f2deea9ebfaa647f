// SPDX-License-Identifier: Apache-2.0
// The target's whole program, compiled as one: so the compiler knows that there is one struct fw,
// and who calls whom, which makes it a tenth smaller, and faster. Small, but for what moves words.
#include "fw_parts.h" // what they share is of no function's size

// NOLINTBEGIN(bugprone-suspicious-include)
#pragma GCC push_options
#ifdef OFR_IN_RAM
#pragma GCC optimize("O2")
#endif
#include "wire.c"
#pragma GCC pop_options

#include "channel.c"
#include "collective.c"
#include "fw.c"
#include "lease.c"
#include "operations.c"
#include "read.c"
#include "table.c"
#include "watch.c"
#include "write.c"

#include "main.c"
// NOLINTEND(bugprone-suspicious-include)
