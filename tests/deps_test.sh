#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The installer of missing packages, on a machine made of fakes: what it would install, when it asks,
# and that it says so in one line when it cannot.

here=$(pwd)
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/bin"
. tests/tap.sh
shown="$dir/calls $dir/out"

fake() { # NAME: script on stdin
    { echo '#!/bin/sh'; cat; } > "$dir/bin/$1"
    chmod +x "$dir/bin/$1"
}

# Everything is installed but what $MISSING names; apt-get writes what it is called with.
all='make gcc g++ libc6-dev binutils pkg-config git ca-certificates verilator ccache yosys iverilog
    nextpnr-ice40 fpga-icestorm fpga-icestorm-chipdb gcc-riscv64-unknown-elf qemu-system-misc
    libjansson-dev graphviz libncurses-dev groff-base dpkg-dev libcmocka-dev libgmp-dev libftdi1-dev
    libusb-1.0-0-dev libumockdev-dev umockdev libopenmpi-dev openmpi-bin
    clang-format clang-tidy clang-14 libclang-rt-14-dev python3 python3-venv'
fake dpkg-query << F
for p in $(echo $all); do
    case " \$MISSING " in *" \$p "*) echo "\$p config-files" ;; *) echo "\$p installed" ;; esac
done
F
fake apt-get << 'F'
echo "$DEBIAN_FRONTEND: $*" >> "$CALLS"
case "$*" in *install*) exit "${INSTALL_STATUS:-0}" ;; esac
exit "${UPDATE_STATUS:-0}"
F
fake id << 'F'
echo "${FAKE_ID:-0}"
F
fake sudo << 'F'
echo "sudo" >> "$CALLS"
exec "$@"
F
fake python3 << 'F'
exit 1
F

deps() { # VARIABLE=VALUE..., GROUP among them: the argument; standard input empty, no terminal
    rm -f "$dir/calls" && : > "$dir/calls"
    env -u CI "CALLS=$dir/calls" "PATH=$dir/bin:$PATH" "$@" \
        sh -c "exec sh $here/tests/deps.sh \$GROUP" \
        > "$dir/out" 2>&1 < /dev/null
}

called() { grep -q -x "$1" "$dir/calls"; }
install='noninteractive: -q install -y --no-install-recommends'

deps && [ ! -s "$dir/calls" ] && [ ! -s "$dir/out" ]
result $? 'nothing is missing: silent, no call'
deps MISSING='yosys libjansson-dev' && called 'noninteractive: -q update' &&
    called "$install libjansson-dev yosys" && ! called sudo
result $? 'root: what is missing, only that, without asking'
deps MISSING='yosys libopenmpi-dev umockdev qemu-system-misc clang-14' GROUP=build && [ ! -s "$dir/calls" ]
result $? 'what only tests need is not missed for the programs'
deps MISSING='yosys verilator' GROUP=build && called "$install verilator"
result $? 'what they are built with is'
! deps GROUP=tests && [ "$(cat "$dir/out")" = 'deps: tests: say build, or nothing for all' ]
result $? 'another word is refused'
deps MISSING=python3-venv && called "$install python3-venv"
result $? 'venv is missing where Python cannot make one'
deps MISSING=yosys UPDATE_STATUS=100 && called "$install yosys"
result $? 'a failed update is no end'
! deps MISSING=yosys INSTALL_STATUS=100 &&
    [ "$(tail -n 1 "$dir/out")" = 'deps: apt-get could not install: yosys' ]
result $? 'a failed install is'
deps MISSING=yosys FAKE_ID=1000 CI=true && called sudo && called "$install yosys"
result $? 'CI, not root: sudo, without asking'
! deps MISSING=yosys FAKE_ID=1000 && [ ! -s "$dir/calls" ] &&
    grep -q 'run: sudo apt-get install yosys' "$dir/out"
result $? 'not root, nobody to ask: says what to run'
if command -v script > /dev/null 2>&1; then
    for answer in y n; do
        : > "$dir/calls"
        echo $answer | env -u CI "CALLS=$dir/calls" "PATH=$dir/bin:$PATH" MISSING=yosys FAKE_ID=1000 \
            script -q -e -c "sh $here/tests/deps.sh" /dev/null > "$dir/out" 2>&1
        status=$?
        if [ $answer = y ]; then
            [ $status = 0 ] && called sudo && called "$install yosys"
        else
            [ $status != 0 ] && [ ! -s "$dir/calls" ]
        fi
        result $? "not root, at a terminal: answer $answer"
    done
else
    for answer in y n; do
        skip "not root, at a terminal: answer $answer" 'no script(1)'
    done
fi

# The lists in the two files must be the same, or this test tests nothing.
rm "$dir/bin/dpkg-query"
fake dpkg-query < /dev/null
deps FAKE_ID=0
set -- $all
[ "$(sed -n "s/^$install //p" "$dir/calls" | tr ' ' '\n' | sort)" = "$(printf '%s\n' "$@" | sort)" ]
result $? 'a bare machine gets all of the list'
finish
