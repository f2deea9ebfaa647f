#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a Debian package of $B/deb/root, where `make deb` has installed everything. The libraries
# that it depends on are found in the programs.
set -eu
: "${B:=build}"
version=$(sh tests/version.sh)
architecture=$(dpkg --print-architecture)
root=$B/deb/root
package=$B/outflank_${version}_$architecture.deb

find "$root/usr/share/man" -type f -exec gzip -9n {} +
chmod -R u+rwX,go+rX,go-w "$root"
# dpkg-shlibdeps wants the tree of a source package.
mkdir -p "$B/deb/debian" "$root/DEBIAN"
printf 'Source: outflank\n\nPackage: outflank\nArchitecture: any\n' > "$B/deb/debian/control"
depends=$(cd "$B/deb" && dpkg-shlibdeps -O -Sroot --ignore-missing-info root/usr/bin/* \
    root/usr/lib/libtorus.so.1 2> shlibdeps.log | sed -n 's/^shlibs:Depends=//p')
[ -n "$depends" ] || { cat "$B/deb/shlibdeps.log" >&2; exit 1; }
cat > "$root/DEBIAN/control" << CONTROL
Package: outflank
Version: $version
Architecture: $architecture
Maintainer: The Outflank project <outflank@localhost>
Installed-Size: $(du -sk "$root/usr" | cut -f 1)
Depends: $depends
Recommends: graphviz, gnuplot-nox | gnuplot
Section: electronics
Priority: optional
Description: torus interconnect for FPGA boards: host tools and simulators
 torusctl finds, programs, measures and watches a torus of Outflank boards, libtorus does so for
 other programs; boardsim simulates the boards, torussim large networks.
CONTROL
printf 'activate-noawait ldconfig\n' > "$root/DEBIAN/triggers"
dpkg-deb --build --root-owner-group "$root" "$package" > /dev/null
echo "$package"
