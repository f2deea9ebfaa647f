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
#include <ofr_regs.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    struct torus *t;
    struct torus_options options = torus_options_default();
    struct torus_run run = torus_run_default();
    struct torus_flow_options flow = torus_flow_options_default();
    char version[40];
    int error = torus_open(&t, "nonsense", &options);
    torus_close(t);
    snprintf(version, sizeof version, "%d.%d.%d", TORUS_VERSION_MAJOR, TORUS_VERSION_MINOR,
             TORUS_VERSION_PATCH);
    puts(torus_version());
    return error == TORUS_E_USAGE && !strcmp(version, torus_version()) && options.size == sizeof options &&
           run.cycles == 4000 && flow.cycles == 4000 && OFR_NODE_TIME % 4 == 0 ? 0 : 1;
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
# Every function of the header is there, or in the header.
complete()
{
    sed -n 's/^static inline .*\(torus_[a-z0-9_]*\)(void)$/\1/p' host/lib/libtorus.h > "$work/inline"
    [ "$(wc -l < "$work/inline")" = 5 ] || return 1
    grep -o '\btorus_[a-z0-9_]*(' host/lib/libtorus.h | tr -d '(' | grep -vxFf "$work/inline" |
        sort -u > "$work/header"
    nm -D --defined-only "$B/libtorus.so" | awk '{ print $NF }' | sort -u > "$work/library"
    missing=$(comm -23 "$work/header" "$work/library")
    [ -z "$missing" ] || { echo "# $missing"; return 1; }
}

check 'C, static' "$CC" -Wall -Wextra -Werror -std=c11 -Ihost/lib -Ifirmware -o "$work/static" "$work/p.c" \
    "$B/libtorus.a" -lftdi1 -lusb-1.0
check 'C++, shared' "$CXX" -Wall -Wextra -Werror -Ihost/lib -Ifirmware -o "$work/shared" "$work/p.cpp" \
    "-L$B" -ltorus
runs() { # PROGRAM: its version is that of everything
    [ "$(LD_LIBRARY_PATH=$B "$1")" = "$(sh tests/version.sh)" ]
}
check 'static runs' runs "$work/static"
check 'shared runs' runs "$work/shared"
check 'shared library shows torus_* only' shared_symbols
check 'static library shows torus_* only' static_symbols
check 'soname' soname
check 'all of libtorus.h is there' complete
finish
