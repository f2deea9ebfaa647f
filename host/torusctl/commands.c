// SPDX-License-Identifier: Apache-2.0
// All commands, in the order in which help and manual list them.
#include "command.h"

extern const struct command command_list, command_discover, command_link, command_info,
    command_program, command_run, command_bench, command_counters, command_snapshot, command_time,
    command_monitor, command_diff, command_ping, command_trace, command_bandwidth, command_latency,
    command_bert, command_channel, command_datagram, command_collective, command_load,
    command_start, command_console, command_b_eff, command_osu, command_reg, command_key,
    command_serve, command_stop, command_flash;

const struct command *const commands[] = {
    &command_list,
    &command_discover,
    &command_link,
    &command_info,
    &command_program,
    &command_run,
    &command_bench,
    &command_counters,
    &command_snapshot,
    &command_time,
    &command_monitor,
    &command_diff,
    &command_ping,
    &command_trace,
    &command_bandwidth,
    &command_latency,
    &command_bert,
    &command_channel,
    &command_datagram,
    &command_collective,
    &command_load,
    &command_start,
    &command_console,
    &command_b_eff,
    &command_osu,
    &command_reg,
    &command_key,
    &command_serve,
    &command_stop,
    &command_flash,
    NULL,
};
