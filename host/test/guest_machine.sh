# SPDX-License-Identifier: Apache-2.0
# A guest to run torusctl in: Debian's stock kernel in QEMU, to be sourced. `make guest` fetches what
# it needs.
#
#   guest_missing          says what is missing, nothing if all is there
#   guest_start DIR        boots one; its files, and what its console says (DIR/console), in DIR
#   guest COMMAND...       runs a line of sh in it: output and exit status; 99: the guest is gone
#   guest_stop             ends it

guest_missing() {
    command -v qemu-system-x86_64 > /dev/null || { echo 'no qemu-system-x86_64'; return; }
    command -v busybox > /dev/null || { echo 'no busybox'; return; }
    [ -n "$(guest_kernel)" ] || echo 'no kernel'
}

guest_kernel() {
    ls "$B"/guest/boot/vmlinuz-* 2>/dev/null | tail -n 1
}

# Its files: busybox, torusctl with its libraries, the kernel's modules. It takes commands from its
# second serial port.
guest_files() { # ROOT KERNEL
    root=$1 modules=$B/guest/lib/modules/${2##*/vmlinuz-}/kernel/drivers order=
    mkdir -p "$root/bin" "$root/proc" "$root/sys" "$root/dev" "$root/modules"
    cp "$(command -v busybox)" "$root/bin/busybox"
    cp "$B/bin/torusctl" "$B/tests/usb_attach" "$root/bin/"
    for library in $(ldd "$B/bin/torusctl" | grep -o '/[^ ]*'); do
        mkdir -p "$root${library%/*}"
        cp -L "$library" "$root$library"
    done
    for module in usb/common/usb-common usb/core/usbcore usb/usbip/usbip-core usb/usbip/vhci-hcd \
        usb/serial/usbserial usb/serial/ftdi_sio \
        virtio/virtio_ring virtio/virtio virtio/virtio_pci_legacy_dev \
        virtio/virtio_pci_modern_dev virtio/virtio_pci \
        ../net/core/failover net/net_failover net/virtio_net; do
        [ -f "$modules/$module.ko" ] || continue # or built in
        cp "$modules/$module.ko" "$root/modules/"
        order="$order ${module##*/}"
    done
    cat > "$root/init" << END
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin TERM=dumb
mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev
for m in $order; do insmod /modules/\$m.ko || echo "insmod \$m failed"; done
ifconfig lo up
ifconfig eth0 10.0.2.15 up
exec < /dev/ttyS1 > /dev/ttyS1 2>&1
stty raw -echo
# wait_for COMMAND...: for two minutes at most. plug PORT: also where the server, or the port here,
# has not seen yet that a plug was pulled; until both channels are serial ports.
wait_for() { n=0; until "\$@"; do [ \$n -lt 1200 ] || return 1; n=\$((n + 1)); sleep 0.1; done; }
ports() { [ "\$(ls /dev | grep -c ttyUSB)" = "\$1" ]; }
plug() { wait_for usb_attach 10.0.2.2 "\$1" 1-1 2> /dev/null && wait_for ports 2; }
echo 'GUEST status 0'
while read -r line; do
    eval "\$line"
    echo "GUEST status \$?"
done
poweroff -f
END
    chmod +x "$root/init"
}

guest_start() {
    guest_dir=$1
    kernel=$(guest_kernel)
    mkdir -p "$guest_dir"
    guest_files "$guest_dir/root" "$kernel"
    (cd "$guest_dir/root" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) \
        > "$guest_dir/initrd"
    mkfifo "$guest_dir/port.in" "$guest_dir/port.out"
    # Both ends of the pipes are open here, so that nothing blocks; that QEMU is gone is said in them.
    exec 8<> "$guest_dir/port.in" 9<> "$guest_dir/port.out"
    (
        trap 'kill $qemu' TERM
        timeout "${GUEST_SECONDS:-3600}" qemu-system-x86_64 -accel tcg -m 512 -display none \
            -no-reboot -kernel "$kernel" -initrd "$guest_dir/initrd" \
            -append 'console=ttyS0 quiet panic=-1' \
            -netdev user,id=n -device virtio-net-pci,netdev=n -monitor none -serial stdio \
            -chardev "pipe,id=c,path=$guest_dir/port" -serial chardev:c \
            > "$guest_dir/console" 2>&1 < /dev/null &
        qemu=$!
        wait $qemu
        echo 'GUEST gone' >&9
    ) &
    guest_pid=$!
    guest_answer
}

guest_answer() {
    while IFS= read -r line <&9; do
        case $line in
        'GUEST status '*) return "${line##* }" ;;
        'GUEST gone') return 99 ;;
        *) printf '%s\n' "$line" ;;
        esac
    done
}

guest() {
    printf '%s\n' "$*" >&8
    guest_answer
}

guest_stop() {
    [ -n "${guest_pid:-}" ] || return 0
    kill "$guest_pid" 2>/dev/null
    wait "$guest_pid" 2>/dev/null
    guest_pid=
    exec 8>&- 9>&-
}
