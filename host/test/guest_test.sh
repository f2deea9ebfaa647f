#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torusctl over USB in a real kernel: Debian's, in QEMU, with the boards of a boardsim outside of it
# plugged in by USB/IP. The same counters as over the socket; a plug pulled in flight. TAP; skipped
# where QEMU, busybox or a kernel is missing. `make guest` fetches them.
set -u
: "${B:=build}"
work=$(mktemp -d "${TMPDIR:-/tmp}/outflank.XXXXXX") || exit 2
sim=
# shellcheck disable=SC2317
finish() {
    [ -n "$sim" ] && kill "$sim" 2>/dev/null && wait "$sim" 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 2' INT TERM

skip() {
    echo "ok 1 - a real kernel # SKIP $1: make guest gets it"
    echo '1..1'
    exit 0
}
command -v qemu-system-x86_64 > /dev/null || skip 'no qemu-system-x86_64'
busybox=$(command -v busybox) || skip 'no busybox'
kernel=$(ls "$B"/guest/boot/vmlinuz-* 2>/dev/null | tail -n 1)
[ -n "$kernel" ] || skip 'no kernel'
modules=$B/guest/lib/modules/${kernel##*/vmlinuz-}/kernel/drivers

number=0 failed=0
check() { # NAME COMMAND...
    name=$1
    shift
    number=$((number + 1))
    if "$@"; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        failed=$((failed + 1))
        tail -n 30 "$work/console" | tr -d '\r' | sed 's/^/# /'
    fi
}

boards() { # starts boards with all state as new
    [ -n "$sim" ] && kill "$sim" && wait "$sim" 2>/dev/null
    : > "$work/log"
    "$B/bin/boardsim" --usbip 0 --threads 1 --dims 2x2 --boards golden --sockets "$work" \
        > "$work/log" 2>&1 &
    sim=$!
    tries=0
    until grep -q 'board0.sock' "$work/log" || [ $tries -ge 200 ]; do
        tries=$((tries + 1))
        sleep 0.05
    done
    port=$(sed -n 's/.*127.0.0.1 port //p' "$work/log")
}

# The job, as sh; $t is torusctl with its transport. Waiting depends on when traffic starts.
job='$t discover && $t program --routing dor && $t run --pattern uniform --load 0.2 &&
    $t --format csv counters --all > /counters'

# --- The guest's files ----------------------------------------------------------------------------
root=$work/root
mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev" "$root/modules" "$root/lib64"
cp "$busybox" "$root/bin/busybox"
cp "$B/bin/torusctl" "$B/tests/usb_attach" "$root/bin/"
for library in $(ldd "$B/bin/torusctl" | grep -o '/[^ ]*'); do
    mkdir -p "$root${library%/*}"
    cp -L "$library" "$root$library"
done
order=
for module in usb/common/usb-common usb/core/usbcore usb/usbip/usbip-core usb/usbip/vhci-hcd \
    usb/serial/usbserial usb/serial/ftdi_sio \
    virtio/virtio_ring virtio/virtio virtio/virtio_pci_legacy_dev virtio/virtio_pci_modern_dev \
    virtio/virtio_pci; do
    [ -f "$modules/$module.ko" ] || continue # or built in
    cp "$modules/$module.ko" "$root/modules/"
    order="$order ${module##*/}"
done
for module in "$modules/../net/core/failover" "$modules/net/net_failover" \
    "$modules/net/virtio_net"; do
    cp "$module.ko" "$root/modules/"
    order="$order ${module##*/}"
done
boards
cat > "$root/init" << END
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev
for m in $order; do insmod /modules/\$m.ko || echo "GUEST insmod \$m failed"; done
ifconfig lo up
ifconfig eth0 10.0.2.15 up
plug() { usb_attach 10.0.2.2 $port 1-1 && sleep 1; }
echo "GUEST attach \$(plug > /dev/null 2>&1; echo \$?)"
echo "GUEST driver \$(ls /dev | grep -c ttyUSB)"
t='torusctl -t usb --session 7 --timeout 20 --retry 10'
{ $job; } > /out 2>&1
echo "GUEST job \$?"
sed 's/^/GUEST out /' /out
sed 's/^/GUEST counter /' /counters
echo "GUEST back \$(sleep 1; ls /dev | grep -c ttyUSB)"
torusctl -t usb ping --count 100000 > /ping 2> /err &
sleep 2
torusctl -t usb ping > /second 2>&1
echo "GUEST second \$? \$(cat /second)"
echo 0 > /sys/devices/platform/vhci_hcd.0/detach
wait \$!
echo "GUEST unplugged \$? \$(grep -c . /ping) \$(cat /err)"
torusctl -t usb ping > /none 2>&1
echo "GUEST none \$? \$(cat /none)"
sleep 1
plug > /dev/null 2>&1
torusctl -t usb info > /info 2>&1
echo "GUEST again \$? \$(cat /info)"
poweroff -f
END
chmod +x "$root/init"
(cd "$root" && find . | "$busybox" cpio -o -H newc 2>/dev/null | gzip -1) > "$work/initrd"

# --- Run ------------------------------------------------------------------------------------------
timeout 240 qemu-system-x86_64 -accel tcg -m 512 -nographic -no-reboot -kernel "$kernel" \
    -initrd "$work/initrd" -append 'console=ttyS0 quiet panic=-1' \
    -netdev user,id=n -device virtio-net-pci,netdev=n > "$work/console" 2>&1 < /dev/null
said() { tr -d '\r' < "$work/console" | grep -q -- "GUEST $1"; }

check 'guest: a board is plugged in' said 'attach 0'
check "guest: the kernel's driver made serial ports of its channels" said 'driver 2'
check 'guest: discover, program, run, counters' said 'job 0'
check 'guest: a 2x2 torus' said 'out 4 boards, a 2x2 torus'
check "guest: the channel is the kernel's again" said 'back 2'
check 'guest: a second process is told who has the board' \
    said 'second 2 .*in use by process [0-9]* (torusctl)$'
check 'guest: unplugged in flight: status 2 and a line' \
    said 'unplugged 2 [1-9][0-9]* torusctl: .*the connection to the board broke$'
check 'guest: no board then' said 'none 2 torusctl: usb: no board'
check 'guest: plugged in again' said 'again 0 .*routing dor'

tr -d '\r' < "$work/console" | sed -n 's/^GUEST counter //p' |
    grep -v -e '\.stall_' -e '\.high_water' > "$work/guest.csv"
boards
t="$B/bin/torusctl -t unix:$work/board0.sock --session 7 --timeout 20 --retry 10"
eval "$(echo "$job" | sed "s|/counters|$work/counters|")" > "$work/out" 2>&1
grep -v -e '\.stall_' -e '\.high_water' "$work/counters" > "$work/socket.csv"
same() { [ "$(wc -l < "$work/guest.csv")" -gt 200 ] && cmp "$work/guest.csv" "$work/socket.csv"; }
check 'guest: the same counters as over the socket' same
echo "1..$number"
[ $failed -eq 0 ]
