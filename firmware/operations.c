// SPDX-License-Identifier: Apache-2.0
// Which operation a message asks for, and the store that keeps a retry from acting twice.
#include "fw_parts.h"

// Does the operation in m and turns m into the response. arrival: port, 7 for the UART.
void execute(struct fw *fw, uint32_t *m, unsigned arrival)
{
    unsigned op = m[0] & OFR_OP_MASK;
    enum ofr_status status = OFR_OK;
    if (ofr_op_writes(op)) {
        // The same session, sequence number and operation again (and who asks for a lease knows its
        // token): the same answer again.
        if (same_request(fw->stored, m) && (op != OFR_OP_LEASE || fw->stored[5] == m[5])) {
            copy_message(m, fw->stored);
            if (bulk_again(fw))
                fw->asks = FW_NOBODY; // it comes behind them
            return;
        }
        status = write_operation(fw, m);
        respond(m, status);
        // What others ask must not push out the owner's.
        if (op != OFR_OP_UNLOCK && status != OFR_BUSY && status != OFR_NO_LEASE &&
            status != OFR_LOCKED) {
            copy_message(fw->stored, m);
            if (op != OFR_OP_MOVE)
                fw->bulking = fw->bulk_frames = 0;
        }
        return;
    }
    switch (op) {
    case OFR_OP_PING:
        status = op_ping(fw, m, arrival);
        break;
    case OFR_OP_READ:
        status = op_read(fw, m);
        break;
    case OFR_OP_READ4:
        status = op_read4(fw, m);
        break;
    case OFR_OP_SNAPSHOT:
        status = op_snapshot(fw, m);
        break;
    case OFR_OP_COUNTERS:
        status = op_counters(fw, m);
        break;
    case OFR_OP_TOTALS:
        status = op_totals(fw, m);
        break;
    case OFR_OP_WATCH:
        op_watch(fw, m);
        break;
    default:
        status = OFR_BAD_OP;
    }
    respond(m, status);
}
