// SPDX-License-Identifier: Apache-2.0
// What the firmware's files share: register access, the parts of a message, and who calls whom.
#ifndef OFR_FW_PARTS_H
#define OFR_FW_PARTS_H

#include "fw.h"

// The target's image runs from the flash, and reads its constants there.
#if defined OFR_TARGET && !defined OFR_IN_RAM
#define OFR_IN_FLASH
#endif

// Registers ---------------------------------------------------------------------------------------

#ifdef OFR_TARGET

static inline uint32_t hal_read(struct fw *fw, uint32_t address)
{
    (void)fw;
    return *(volatile uint32_t *)address;
}

static inline void hal_write(struct fw *fw, uint32_t address, uint32_t value)
{
    (void)fw;
    *(volatile uint32_t *)address = value;
}

// Did the hardware refuse an access since the last call?
static inline bool hal_bus_error(struct fw *fw)
{
    if (!(hal_read(fw, OFR_BASE_BOARD + OFR_BOARD_BUS_ERROR) & OFR_BOARD_BUS_ERROR_COUNT_MASK))
        return false;
    hal_write(fw, OFR_BASE_BOARD + OFR_BOARD_BUS_ERROR, 0);
    return true;
}

#else

static inline uint32_t hal_read(struct fw *fw, uint32_t address)
{
    bool err = false;
    uint32_t value = fw->hal.read(fw->hal.ctx, address, &err);
    fw->hal_error |= err;
    return err ? 0 : value;
}

static inline void hal_write(struct fw *fw, uint32_t address, uint32_t value)
{
    bool err = false;
    fw->hal.write(fw->hal.ctx, address, value, &err);
    fw->hal_error |= err;
}

static inline bool hal_bus_error(struct fw *fw)
{
    bool err = fw->hal_error;
    fw->hal_error = false;
    return err;
}

#endif

#define FIELD(value, name) ((value) >> name##_LSB & ((1u << name##_BITS) - 1))

static inline uint32_t node_read(struct fw *fw, uint32_t offset)
{
    return hal_read(fw, OFR_BASE_NODE + offset);
}

static inline void node_write(struct fw *fw, uint32_t offset, uint32_t value)
{
    hal_write(fw, OFR_BASE_NODE + offset, value);
}

// The board's serial number, its bits 31 to 0 and 63 to 32: in the flash, where the image runs from
// there and has been given one (flash.S); else the hardware's.
static inline void board_serial(struct fw *fw, uint32_t serial[2])
{
#ifdef OFR_IN_FLASH
    extern const volatile uint32_t fw_flash_serial[2];
    serial[0] = fw_flash_serial[0];
    serial[1] = fw_flash_serial[1];
    if ((serial[0] & serial[1]) != 0xffffffff)
        return;
#endif
    serial[0] = hal_read(fw, OFR_BASE_BOARD + OFR_BOARD_SERIAL_LOW);
    serial[1] = hal_read(fw, OFR_BASE_BOARD + OFR_BOARD_SERIAL_HIGH);
}

static inline bool configured(struct fw *fw)
{
    return node_read(fw, OFR_NODE_CONTROL) & OFR_NODE_CONTROL_CONFIGURED_MASK;
}

// NODE.COORD packed as in packet headers: x 3:0, y 7:4, z 11:8.
static inline uint32_t coordinates(struct fw *fw)
{
    uint32_t c = node_read(fw, OFR_NODE_COORD);
    return (c & 15) | (c >> 4 & 0xf0) | (c >> 8 & 0xf00);
}

static inline unsigned link_ports(struct fw *fw)
{
    return 2 * FIELD(node_read(fw, OFR_NODE_SHAPE), OFR_NODE_SHAPE_N);
}

// The parts of a message --------------------------------------------------------------------------

static inline void copy_message(uint32_t *to, const uint32_t *from)
{
#pragma GCC unroll 6
    for (unsigned i = 0; i < OFR_MESSAGE_WORDS; i++)
        to[i] = from[i];
}

static inline unsigned hop_index(const uint32_t *m)
{
    return m[1] >> 16 & 31;
}

static inline unsigned hop_count(const uint32_t *m)
{
    return m[1] >> 21 & 31;
}

static inline unsigned session_of(const uint32_t *m)
{
    return m[0] >> 16;
}

static inline unsigned arg_of(const uint32_t *m)
{
    return m[0] >> 8 & 0xff;
}

static inline void respond(uint32_t *m, enum ofr_status status)
{
    m[0] = (m[0] & 0xffff007f) | OFR_RESPONSE | (uint32_t)status << 8;
}

// Same session, sequence number and operation?
static inline bool same_request(const uint32_t *a, const uint32_t *b)
{
    return !((a[0] ^ b[0]) & (0xffff0000 | OFR_OP_MASK)) && !((a[1] ^ b[1]) & 0xffff);
}

// operations.c: does the operation in m and turns m into the response. arrival: port, 7: UART.
void execute(struct fw *fw, uint32_t *m, unsigned arrival);

// read.c
enum ofr_status op_ping(struct fw *fw, uint32_t *m, unsigned arrival);
enum ofr_status op_read(struct fw *fw, uint32_t *m);
enum ofr_status op_read4(struct fw *fw, uint32_t *m);
enum ofr_status op_snapshot(struct fw *fw, const uint32_t *m);
// Latches the counters, unless the last ones are of that number. later: NODE.TIME, 0: now.
enum ofr_status snapshot_take(struct fw *fw, uint32_t number, const uint32_t *later);
void snapshot_latch(struct fw *fw); // now
// OFR_OK where the last snapshot is of that number, and the copy made; else d3 which is.
enum ofr_status snapshot_check(struct fw *fw, uint32_t *m, uint32_t number);
enum ofr_status op_counters(struct fw *fw, uint32_t *m);
enum ofr_status op_totals(struct fw *fw, uint32_t *m);
void totals(struct fw *fw, uint32_t *m); // of the last snapshot, into d0 to d3
// Blocks whose registers may be read and written one by one: not NI (the firmware's own), and COUNT
// and the checker's histogram have operations of their own.
bool plain_register(unsigned offset);

// watch.c. watch_links: reports a change, if there is one.
void op_watch(struct fw *fw, uint32_t *m);
void watch_links(struct fw *fw);

// fw.c: a response goes back by the port that its path names, or to the host. index: hops left.
void respond_by_path(struct fw *fw, const uint32_t *m, unsigned index);

// write.c: a writing operation, once lease and key allow it.
enum ofr_status write_operation(struct fw *fw, uint32_t *m);

// table.c. table_drop: what was begun or staged is not to be committed.
enum ofr_status op_table(struct fw *fw, const uint32_t *m);
enum ofr_status op_change(struct fw *fw, uint32_t *m);
enum ofr_status op_stage(struct fw *fw, uint32_t *m);
enum ofr_status op_commit(struct fw *fw, const uint32_t *m);
void table_drop(struct fw *fw);

// channel.c
enum ofr_status op_move(struct fw *fw, uint32_t *m);
// A bulk frame has come. code: its tag and number; from: coordinates, or FW_HOST.
void bulk_take(struct fw *fw, const uint32_t *words, unsigned code, unsigned from);
// The last OP_MOVE has come again, its answer is in m: are bulk frames to go before it?
bool bulk_again(struct fw *fw);
// One of them goes, or the answer behind them, where there is room. False: nothing has.
bool bulk_send(struct fw *fw);

// lease.c. may_write: is it made in the lease's session? Else d3 who has the lease.
enum ofr_status may_write(struct fw *fw, uint32_t *m);
enum ofr_status op_lease(struct fw *fw, uint32_t *m);
enum ofr_status op_unlock(struct fw *fw, const uint32_t *m);
enum ofr_status op_key(struct fw *fw, const uint32_t *m);
void lease_expire(struct fw *fw); // if its time is up
void lease_end(struct fw *fw);
uint32_t lease_owner(const struct fw *fw); // OFR_FW_LEASE
bool has_key(const struct fw *fw);

// wire.c. CRC-32's register after these words, low byte first.
uint32_t crc_words(uint32_t crc, const uint32_t *words, unsigned count);
// Messages on their way out. to_* of the network send now if the network interface is
// ready, else keep the packet for network_send(): its slot (fw->out) must be free. from:
// coordinates, and a bulk frame's number above them. seq: OFR_MESSAGE_BYTES, or a bulk frame's.
void to_host(struct fw *fw, const uint32_t *m, unsigned mode, uint32_t from);
void to_port(struct fw *fw, const uint32_t *m, unsigned port);
void to_address(struct fw *fw, const uint32_t *m, uint32_t to, unsigned seq);
bool network_send(struct fw *fw);
bool uart_send(struct fw *fw);
// A frame from the host: true and fw->rx holds it, until frame_done().
bool uart_receive(struct fw *fw, bool *any);
void frame_done(struct fw *fw);

// collective.c. role: what the collective covers, dimensions role to 0 from here on.
enum { FOR_ROW = 0, FOR_PLANE = 1, FOR_HOST = 2, ROLES = 3 };
void collective_request(struct fw *fw, unsigned role, const uint32_t *m, unsigned aggregate,
                        uint32_t reply_to);
// Gives a response that came by address to the collective it belongs to. False: to none.
bool collective_response(struct fw *fw, const uint32_t *m, uint32_t from);
// Sends to the next target that has not answered, where some are left. False: no room.
bool collective_step(struct fw *fw, unsigned role);

#endif
