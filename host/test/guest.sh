#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What guest_test.sh needs: QEMU and busybox, installed (as root, or with sudo), and Debian's stock
# kernel with its modules, unpacked into build/guest.
set -eu
: "${B:=build}"
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
if ! command -v qemu-system-x86_64 > /dev/null || ! command -v busybox > /dev/null; then
    $as_root apt-get -q install -y --no-install-recommends qemu-system-x86 busybox-static
fi
ls "$B"/guest/boot/vmlinuz-* > /dev/null 2>&1 && exit 0
package=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-[^ ]*\).*/\1/p')
[ -n "$package" ] || { echo 'guest: there is no linux-image-amd64' >&2; exit 1; }
mkdir -p "$B/guest/deb"
(cd "$B/guest/deb" && apt-get -q download "$package")
dpkg-deb -x "$B"/guest/deb/*.deb "$B/guest"
rm -rf "$B/guest/deb"
