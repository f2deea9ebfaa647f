// SPDX-License-Identifier: Apache-2.0
// Links watched (protocol.h, WATCH): who asked last for them is told when one comes or goes.
#include "fw_parts.h"

enum { FIRST_GAP = 1 << 17, LAST_GAP = 1 << 30 }; // cycles until a report goes once more

static uint32_t links_up(struct fw *fw)
{
    return FIELD(node_read(fw, OFR_NODE_STATUS), OFR_NODE_STATUS_LINK_UP);
}

void op_watch(struct fw *fw, uint32_t *m)
{
    m[5] = fw->watched = links_up(fw);
    fw->report_gap = 0;
    copy_message(fw->report, m);
    respond(fw->report, OFR_CHANGED);
}

void watch_links(struct fw *fw)
{
    uint32_t up = links_up(fw), now = hal_read(fw, OFR_BASE_TIMER + OFR_TIMER_LOW);
    if (!fw->report[0] || fw->out_full ||
        (fw->report_gap ? now - fw->reported < fw->report_gap : up == fw->watched))
        return;
    fw->reported = now;
    if (!fw->report_gap)
        fw->report_gap = FIRST_GAP;
    else if (fw->report_gap < LAST_GAP)
        fw->report_gap *= 2;
    fw->report[5] = up;
    respond_by_path(fw, fw->report, hop_index(fw->report));
}
