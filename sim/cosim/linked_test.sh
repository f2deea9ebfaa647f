#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Routers over reliable links: what is between the two broken in copies of links.c, and a credit
# lost on the model's side; all must be caught. TAP. B: the build folder.
set -u
. tests/tap.sh
B=${B:-build}
shape=2_32_8_8_1 link=2_32_8_8_0_1_8_16
work=$B/linked_test
mkdir -p "$work"
shown=$work/log

# twin NAME SED DESCRIPTION PATTERN TORUS SEED: a run in which links fall
twin()
{
    sed "$2" sim/cosim/links.c > "$work/links.c"
    if cmp -s "$work/links.c" sim/cosim/links.c; then
        echo "# nothing to break: $2" > "$shown"
        result 1 "$3: broken"
        return
    fi
    v=$B/lockstep/$shape/v
    gcc -std=c11 -O2 -Isim/cosim -Isim/model -Ifirmware -c -o "$work/links.o" "$work/links.c" > "$shown" 2>&1 &&
        g++ -o "$work/$1" "$B/sim/cosim/lockstep_links.o" "$work/links.o" "$v/rtl_router.o" \
            "$v"/verilated*.o "$v/Vofr_lockstep__ALL.a" "$B/link/$link/v/link_rtl.o" \
            "$B/link/$link/v/Vofr_link__ALL.a" "$B/liblockstep.a" "$B/libofr.a" -lpthread -lm >> "$shown" 2>&1 || {
        result 1 "$3: builds"
        return
    }
    "$work/$1" --torus "$5" --life 1 --load 900 --runs 1 --seed "$6" --cycles 100000 > "$shown" 2>&1
    [ $? = 1 ] && grep -q -E "^# .*($4)" "$shown"
    result $? "$3: caught"
}
"$B/lockstep/$shape/linked" --torus 2x1 --life 1 --load 900 --runs 3 --cycles 100000 > "$shown" 2>&1
result $? "unbroken: nothing is found"
twin rebase 's/in->tx_rebase\[port\] = .*/in->tx_rebase[port] = false;/' \
    "credits not re-based when a link comes back" 'not drained' 2x1 2
twin abort 's/in->rx_abort\[port\] = .*/in->rx_abort[port] = false;/' \
    "a cut packet that the router is not told of" 'not drained' 2x2 6
twin taken 's/in->tx_ready\[port\] = .*/in->tx_ready[port] = true;/' \
    "flits sent that the link does not take" 'source|flits|damaged' 2x1 3
"$B/lockstep/$shape/linked" --torus 2x1 --life 0 --load 900 --runs 1 --cycles 40000 --break 5000 > "$shown" 2>&1
[ $? = 1 ] && grep -q 'in the RTL, .* in the model' "$shown"
result $? "a credit lost on the model's side: caught"
for bad in '--life 2' '--torus 2x2x2' '--seed x'; do
    # shellcheck disable=SC2086
    "$B/lockstep/$shape/linked" $bad > /dev/null 2> "$work/log"
    [ $? = 2 ] && [ -s "$work/log" ]
    result $? "linked $bad: refused with status 2"
done
finish
