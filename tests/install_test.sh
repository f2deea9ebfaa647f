#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `make install` and `make deb` make: the manual pages say all options and functions, completion
# completes, the example compiles against the installed library and runs, the package has all of it.
. tests/boards.sh
top=$(pwd)
to=$dir/root

quiet() {
    "$@" > "$dir/out" 2>&1
}

installed() {
    for f in bin/torusctl bin/boardsim bin/torussim lib/libtorus.a lib/libtorus.so.1 \
        include/libtorus.h include/ofr_regs.h lib/pkgconfig/torus.pc share/man/man1/torusctl.1 \
        share/man/man1/boardsim.1 share/man/man1/torussim.1 share/man/man3/libtorus.3 \
        share/bash-completion/completions/torusctl lib/udev/rules.d/70-outflank.rules \
        share/doc/outflank/examples/loads.c share/outflank/fw.hex share/outflank/outflank.py; do
        [ -f "$to/opt/x/$f" ] || { echo "# $f is not there"; return 1; }
    done
    [ -z "$(find "$to" -type f ! -path "$to/opt/x/*")" ]
}

# helps COMMAND: its help, and that of the commands that it lists.
helps() {
    "$1" --help
    for command in $("$1" --help | sed -n '/^Commands:/,/^`/s/^  \([a-z_]*\) .*/\1/p'); do
        "$1" "$command" --help
    done
}

# page PAGE COMMAND: PAGE names all options of COMMAND --help.
page() {
    sed 's/\\-/-/g' "$1" > "$dir/page"
    for option in $(helps "$2" | grep -o -e '--[a-z][a-z-]*' | sort -u | grep -v -e '--help' \
        -e '--usage' -e '--version'); do
        grep -q -e "$option\\b" "$dir/page" || { echo "# $option is not in $1"; return 1; }
    done
    groff -man -Tutf8 -ww "$1" 2>&1 > /dev/null | sed 's/^/# /' > "$dir/out"
    [ ! -s "$dir/out" ]
}

# Every function of the header has its page, in which it is named; the pages' examples compile.
functions() { # FOLDER
    : > "$dir/out"
    for f in $(grep -o '\btorus_[a-z0-9_]*(' host/lib/libtorus.h | tr -d '(' | sort -u); do
        page=$(sed -n 's/^\.so man3\///p' "$1/$f.3" 2>> "$dir/out")
        grep -q "^$f,\|, $f[, ]" "$1/${page:-$f.3}" || echo "$f is not named" >> "$dir/out"
    done
    for f in "$1"/*.3; do
        (cd "$1/.." && groff -man -Tutf8 -ww "man3/${f##*/}" 2>&1 > /dev/null) >> "$dir/out"
    done
    sed 's/^/# /' "$dir/out"
    [ ! -s "$dir/out" ]
}
page_examples() {
    for f in host/lib/pages/*.c; do
        "${CC:-gcc}" -Wall -Wextra -Werror -std=c11 -I"$to/opt/x/include" -o "$dir/page" "$f" \
            -L"$to/opt/x/lib" -ltorus > "$dir/out" 2>&1 || return 1
        grep -q 'EXAMPLES' "$to/opt/x/share/man/man3/$(basename "$f" .c).3" || return 1
    done
}

# completes WORDS... WANTED: the last of WORDS, being typed, becomes WANTED among others.
completes() {
    PATH="$to/opt/x/bin:$PATH" bash -c '
        source "$1"; shift
        wanted=${*: -1}
        COMP_WORDS=("${@:1:$#-1}")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _torusctl 2> /dev/null
        for word in "${COMPREPLY[@]}"; do [ "$word" = "$wanted" ] && exit 0; done
        printf "# %s\n" "${COMPREPLY[@]}"
        exit 1' bash "$to/opt/x/share/bash-completion/completions/torusctl" "$@"
}

example() {
    # shellcheck disable=SC2046
    PKG_CONFIG_PATH="$to/opt/x/lib/pkgconfig" sh -c '
        "$1" -Wall -Wextra -Werror -std=c11 -o "$3" "$2" \
            $(pkg-config --define-variable=prefix="$4" --cflags --libs torus)' sh "${CC:-gcc}" \
        "$to/opt/x/share/doc/outflank/examples/loads.c" "$dir/loads" "$to/opt/x" \
        > "$dir/out" 2>&1
}

run_example() {
    LD_LIBRARY_PATH="$to/opt/x/lib" timeout 120 "$dir/loads" "unix:$dir/board0.sock" \
        > "$dir/out" 2>&1
}

# Files of the source tree that what is installed names, and that are not installed. In FOLDER, and
# in the helps of its programs.
cited() { # FOLDER
    for program in torusctl boardsim torussim; do
        helps "$1/bin/$program" > "$dir/help.$program"
    done
    find "$1" "$dir"/help.* -type f ! -path '*/bin/*' ! -name '*.so*' ! -name '*.a' ! -name '*.hex' |
        while read -r f; do
            sed 's/\\-/-/g; s/\\&//g' "$f" | grep -noE \
                -e '\b[A-Za-z0-9_/-]*[A-Za-z0-9_-]\.(c|h|md|v|vh|json|mk|sh|py|S|ld)\b' \
                -e '\b(boards|constraints|firmware|host|rtl|sim|tests)/[A-Za-z0-9_/.-]*[a-z]' |
                while IFS=: read -r line name; do
                    if [ -z "$(find "$1" -name "${name##*/}")" ] &&
                        [ -n "$(find boards constraints firmware host rtl sim tests \
                            -name "${name##*/}")" ]; then
                        echo "# ${f##*/}:$line: $name"
                    fi
                done
        done | sort -u > "$dir/out"
    head -n 20 "$dir/out"
    [ ! -s "$dir/out" ]
}

check 'make install' quiet make -s install B="$B" DESTDIR="$to" PREFIX=/opt/x
check 'everything is there, and nothing besides' installed
for command in torusctl boardsim; do
    check "$command.1: all options" page "$to/opt/x/share/man/man1/$command.1" \
        "$to/opt/x/bin/$command"
done
sed 's/thresholds/threshold/g' "$B/torusctl.1" > "$dir/torusctl.1"
check 'broken twin: an option that the page lacks is found' \
    status 1 page "$dir/torusctl.1" "$to/opt/x/bin/torusctl"
check 'libtorus: a page for every function' functions "$to/opt/x/share/man/man3"
cp -r "$to/opt/x/share/man/man3" "$dir/man3"
sed -i 's/torus_find, //' "$dir/man3/torus_discover.3"
check 'broken twin: a function that the page lacks is found' status 1 functions "$dir/man3"
check "libtorus: the pages' examples compile" page_examples
check 'nothing installed names a file that is not' cited "$to/opt/x"
cp -r "$to/opt/x" "$dir/cites"
echo '// As rtl/regs/README.md says.' >> "$dir/cites/include/libtorus.h"
check 'broken twin: a header that does is found' status 1 cited "$dir/cites"
rm -r "$dir/cites"
check 'completion: commands' completes torusctl disc discover
check 'completion: options' completes torusctl run --patt --pattern
check 'completion: routings' completes torusctl program --routing o ofr
check 'completion: formats after =' completes torusctl run --format = js json
check 'completion: nothing for nonsense' status 1 completes torusctl zz zz
version() {
    [ "$(PKG_CONFIG_PATH="$to/opt/x/lib/pkgconfig" pkg-config --modversion torus)" = \
        "$("$to/opt/x/bin/torusctl" --version | sed 's/torusctl //')" ] &&
        [ "$("$to/opt/x/bin/boardsim" --version)" = "boardsim $(sh tests/version.sh)" ] &&
        [ "$("$to/opt/x/bin/torussim" --version)" = "torussim $(sh tests/version.sh)" ]
}
check 'version: that of the library is that of the programs' version
check 'example: at most 40 lines' [ "$(wc -l < host/examples/loads.c)" -le 40 ]
check 'example: compiles against the installed library' example
start --dims 2x2 --boards golden
check 'example: runs' run_example
check 'example: measures' says '^load 0.3: accepted 0.[23]'
check 'example: the simulator ends' stop
check 'example: no board, one line' status 1 run_example
check 'example: one line' one_line

# Installed programs, far from the build folder.
build=$B
mv "$to/opt/x" "$dir/moved"
B=$dir/moved
check 'installed: RTL boards' start --dims 2x1
check 'installed: run the firmware' torus ping --count 3
check 'installed: end' stop
mkdir -p "$dir/alone/bin"
cp "$B/bin/boardsim" "$dir/alone/bin/"
B=$dir/alone
check 'installed without the firmware: status 2' status 2 boardsim --dims 2x1 --sockets "$dir"
check 'installed without the firmware: one line' one_line
check 'installed without the firmware: says where it looked' says 'alone/bin/../share/outflank'
B=$build

if command -v dpkg-shlibdeps > /dev/null; then
    check 'make deb' quiet make -s deb B="$B"
    package=$(tail -n 1 "$dir/out")
    check 'deb: dependencies found' sh -c "dpkg-deb -f '$top/$package' Depends |
        grep 'libc6' | grep 'libjansson4' | grep 'libftdi1' > '$dir/out'"
    check 'deb: contents' sh -c "dpkg-deb -c '$top/$package' > '$dir/out'"
    check 'deb: the program' says ' root/root .* ./usr/bin/torusctl$'
    check 'deb: pages are compressed' says './usr/share/man/man3/libtorus.3.gz$'
    check 'deb: unpacks' dpkg-deb -x "$package" "$dir/deb"
    check 'deb: and runs' quiet "$dir/deb/usr/bin/torusctl" --help
else
    skip 'make deb' 'no dpkg-dev'
fi
finish
