#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What guest_machine.sh needs: QEMU and busybox, installed (as root, or with sudo), and Debian's stock
# kernel with its modules, unpacked into build/guest.
set -eu
: "${B:=build}"
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
if ! command -v qemu-system-x86_64 > /dev/null || ! command -v busybox > /dev/null; then
    $as_root apt-get -q install -y --no-install-recommends qemu-system-x86 busybox-static
fi
ls "$B"/guest/boot/vmlinuz-* > /dev/null 2>&1 && exit 0

# Only what is whole gets its name.
new=$B/guest.new
fetch() {
    package=$(apt-cache depends linux-image-amd64 |
        sed -n 's/.*Depends: \(linux-image-[^ ]*\).*/\1/p')
    [ -n "$package" ] || return 1
    rm -rf "$new" && mkdir -p "$new/deb"
    (cd "$new/deb" && apt-get -q -o APT::Sandbox::User="$(id -un)" download "$package")
}
fetch || { $as_root apt-get -q update && fetch; } || {
    echo 'guest: the package that linux-image-amd64 stands for cannot be had' >&2
    exit 1
}
dpkg-deb -x "$new"/deb/*.deb "$new"
rm -rf "$new/deb" "$B/guest"
mv "$new" "$B/guest"
