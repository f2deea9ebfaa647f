#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No circle of calls between the files of libtorus, nor between those of torusctl, nor between both;
# and in libtorus none that goes from a lower layer to a higher one. A file's layer is the header that
# it includes of these, which each include the one before.
set -u
. tests/tap.sh
: "${B:=build}" "${CC:=gcc}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

objects() { # FOLDER: of the files that are there
    for file in "$1"/*.c; do echo "$B/${file%.c}.o"; done
}
# shellcheck disable=SC2046
no_circle() { sh tests/circles.sh $(for folder; do objects "$folder"; done); }

# shellcheck disable=SC2046
each_name_once() { # or torusctl's twins, which are linked with the library's objects, are not made
    nm -P --extern-only --defined-only $(objects host/lib; objects host/torusctl | grep -v /manual.o) |
        awk '$2 ~ /[A-Z]/ { print $1 }' | sort | uniq -d > "$work/twice"
    sed 's/^/# twice: /' "$work/twice"
    [ ! -s "$work/twice" ]
}

# Each layer's header includes that below it.
layers='handle request boards tables measure'
headers_in_order()
{
    below=
    for layer in $layers; do
        included=$(sed -n 's/^#include "\(.*\)\.h"/\1/p' "host/lib/$layer.h" | tr '\n' ' ')
        case $below in
        '') [ "$included" = 'libtorus protocol ' ] ;;
        *) [ "$included" = "$below " ] ;;
        esac || { echo "# $layer.h includes $included"; return 1; }
        below=$layer
    done
}

# A file's row in the README names it, once; and no file is there that has no row.
each_has_a_row()
{
    for file in host/lib/*.[ch]; do
        [ "$(grep -c "^| .*\`${file##*/}\`.* |" host/lib/README.md)" = 1 ] ||
            { echo "# ${file##*/}: not one row in host/lib/README.md"; return 1; }
    done
}

each_test_has_a_row()
{
    for file in host/test/*.*; do
        [ "$(grep -c "^| .*\`${file##*/}\`.* |" host/README.md)" = 1 ] ||
            { echo "# ${file##*/}: not one row in host/README.md"; return 1; }
    done
}

check 'libtorus: no circle of calls' no_circle host/lib
check 'torusctl: no circle of calls' no_circle host/torusctl
check 'both: no circle of calls' no_circle host/lib host/torusctl
check 'both: each name once' each_name_once
check 'libtorus: each layer stands on the one below' headers_in_order
check 'libtorus: every file has its row in the README' each_has_a_row
check 'tests: every file has its row in the README' each_test_has_a_row

# Twin: a file low down that calls one high up is found, and so are the files between.
echo 'int torus_run(void); int ok(void); int ok(void) { return torus_run(); }' > "$work/handle.c"
twin() # shellcheck disable=SC2046
{
    "$CC" -c -o "$work/handle.o" "$work/handle.c" || return 1
    ! sh tests/circles.sh "$work/handle.o" $(objects host/lib | grep -v /handle.o) \
        > "$work/out" 2>&1 && grep -q '/handle.o' "$work/out" && grep -q '/run.o' "$work/out"
}
check 'twin: a call from the lowest file to the highest is found' twin
finish
