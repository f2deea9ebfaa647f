#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The libraries as an engineer gets them: a program that includes nothing but libtorus.h compiles as C
# and as C++, links with either library, and neither shows any symbol but torus_*.
set -u
. tests/tap.sh
: "${B:=build}" "${CC:=gcc}" "${CXX:=g++}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

cat > "$work/p.c" << 'C'
#include <libtorus.h>

int main(void)
{
    struct torus *t;
    int error = torus_open(&t, "nonsense", 0);
    torus_close(t);
    return error == TORUS_E_USAGE ? 0 : 1;
}
C
cp "$work/p.c" "$work/p.cpp"

only_torus() # symbols on stdin
{
    awk '{ print $NF }' | grep -v '^torus_' > "$work/others"
    [ ! -s "$work/others" ] || { sed 's/^/# /' "$work/others"; return 1; }
}

shared_symbols() { nm -D --defined-only "$B/libtorus.so" | only_torus; }
static_symbols() { nm -g --defined-only "$B/libtorus.a" | grep ' [A-Z] ' | only_torus; }
soname() { readelf -d "$B/libtorus.so" | grep -q 'SONAME.*libtorus\.so\.1'; }
# Every function of the header is there.
complete()
{
    grep -o '\btorus_[a-z0-9_]*(' host/lib/libtorus.h | tr -d '(' | sort -u > "$work/header"
    nm -D --defined-only "$B/libtorus.so" | awk '{ print $NF }' | sort -u > "$work/library"
    missing=$(comm -23 "$work/header" "$work/library")
    [ -z "$missing" ] || { echo "# $missing"; return 1; }
}

check 'C, static' "$CC" -Wall -Wextra -Werror -std=c11 -Ihost/lib -o "$work/static" "$work/p.c" \
    "$B/libtorus.a" -lftdi1 -lusb-1.0
check 'C++, shared' "$CXX" -Wall -Wextra -Werror -Ihost/lib -o "$work/shared" "$work/p.cpp" \
    "-L$B" -ltorus
check 'static runs' "$work/static"
check 'shared runs' env "LD_LIBRARY_PATH=$B" "$work/shared"
check 'shared library shows torus_* only' shared_symbols
check 'static library shows torus_* only' static_symbols
check 'soname' soname
check 'all of libtorus.h is there' complete
finish
