#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torusctl over USB in a real kernel: Debian's, in QEMU, with the boards of a boardsim outside of it
# plugged in by USB/IP; a plug pulled in flight. (tests/demo_test.sh does the whole job there.) TAP;
# skipped where QEMU, busybox or a kernel cannot be had.
. tests/boards.sh
. host/test/guest_machine.sh
guest_pid=
trap 'guest_stop; clean_up' EXIT

missing=$(guest_missing)
if [ -n "$missing" ]; then
    skip 'a real kernel' "$missing: make guest gets it"
    finish
fi

# In the guest, a line of sh; its output in $dir/out.
there() {
    guest "$@" > "$dir/out" 2>&1
}

start --usbip 0 --dims 2x2 --boards golden
port=$(sed -n 's/.*127.0.0.1 port //p' "$dir/log")
GUEST_SECONDS=800
check 'guest: Linux starts' guest_start "$dir/guest"
check 'guest: a board is plugged in' there plug "$port"
check "guest: the kernel's driver made serial ports of its channels" there ports 2
check 'guest: discover' there torusctl -t usb discover
check 'guest: a 2x2 torus' says '4 boards, a 2x2 torus'
check 'guest: program' there torusctl -t usb program --routing dor
check "guest: the channel is the kernel's again" there wait_for ports 2
there 'torusctl -t usb ping --count 1000000 > /ping 2> /err &'
check 'guest: one process' there 'wait_for [ -s /ping ]'
check 'guest: a second process' status 2 there torusctl -t usb ping
check 'guest: is told who has the board' says 'in use by process [0-9]* (torusctl)$'
check 'guest: unplugged in flight' \
    status 2 there 'echo 0 > /sys/devices/platform/vhci_hcd.0/detach; wait $!'
there 'grep -c . /ping; cat /err'
check 'guest: a line says so' says '^torusctl: .*the connection to the board broke$'
check 'guest: there were answers before' says '^[1-9][0-9]*$'
check 'guest: no board then' status 2 there torusctl -t usb ping
check 'guest: says so' says 'torusctl: usb: no board'
check 'guest: plugged in again' there plug "$port"
check 'guest: info' there torusctl -t usb info
check 'guest: the same torus' says 'routing dor'
check 'guest: boards end well' stop

finish
