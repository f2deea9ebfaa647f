#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torussim --engine flit --threads: the same records on any number of threads, and twins without
# what that needs. What two threads do at once is looked at in threads_soak.sh. TAP.
. sim/net/test/torussim.sh

# on PROGRAM THREADS SETTINGS: its record without what depends on the clock
on()
{
    # shellcheck disable=SC2086
    timeout 300 "$1" run --engine flit $3 --threads "$2" --format csv 2> "$work/err" |
        sed -E 's/(,[^,]*){4}$//'
}
# same PROGRAM SETTINGS
same()
{
    on "$1" 1 "$2" > "$work/on1"
    [ "$(wc -l < "$work/on1")" = 2 ] || return 1
    for n in 2 3; do
        on "$1" $n "$2" > "$work/out"
        cmp -s "$work/on1" "$work/out" || return 1
    done
}
short='--warm-up 100 --batches 3 --batch-cycles 60'
while read -r settings; do
    same "$sim" "$short $settings"
    result $? "$settings"
done << 'END'
--topology torus:4x4x4 --message-words 8 --duplex full --load 0.6
--topology torus:5x7 --routing dally-seitz --lanes 2 --service output --load 0.9
--topology torus:6x5 --routing duato --load 0.9
--topology mesh:7x3 --routing duato --switching store-and-forward --load 0.9
--topology mesh:5x5 --routing triplex --class non-minimal --deroute-after 10 --deroute-probability 0.1 --load 0.9
--topology torus:2x2x2x2x2 --routing duato --service input --selection random --load 0.9
--topology torus:9 --routing dally-seitz --switching wormhole --flow next-cycle --load 0.4
--topology torus:6x6 --routing triplex --switching wormhole --in-order 0.4 --long-words 200 --load 0.4
--topology torus:5x4 --routing chaos --load 0.9
--topology torus:3x2 --load 0.002
--topology torus:5x7 --duplex full --lanes 2 --service output --load 0.9
--topology torus:6x5 --duplex full --routing duato --unrestricted-vcs 3 --load 0.9
--topology mesh:5x5 --duplex full --routing triplex --class non-minimal --deroute-after 10 --deroute-probability 0.1 --load 0.9
--topology torus:3x3 --duplex full --buffer-packets 3 --long-words 40 --load 0.9
--topology torus:2x3 --duplex full --switching store-and-forward --message-words 1 --load 0.1
END

# parts NAME FILE SED: cycle by cycle in one thread, the parts in either order.
parts()
{
    sed "$3" "sim/net/flit/$2.c" > "$work/$1.c"
    ! cmp -s "$work/$1.c" "sim/net/flit/$2.c" || return 1
    objects="sim/net/test/test_flit.c sim/model/test/exact_random.c $B/sim/net/study/experiments.o"
    for source in sim/net/*/*.c; do
        case $source in sim/net/test/* | sim/net/flit/$2.c | sim/net/cli/torussim.c) continue ;; esac
        objects="$objects $B/${source%.c}.o"
    done
    # shellcheck disable=SC2046,SC2086
    gcc -std=c11 -O1 $net_flags -Isim/model/test -o "$work/$1" \
        "$work/$1.c" $objects "$B/net/libofr.a" -lcmocka -ljansson -lm -lpthread \
        $(pkg-config --libs ompi-c 2> "$work/pkg") || return 1
    timeout 300 "$work/$1" 1 conservation > "$work/out" 2>&1
    grep -q 'not ok .*conservation' "$work/out"
}
parts order sim 's/sim->apart = .*/sim->apart = false;/'
result $? 'where a part goes on before all have made their connections, it is found'
parts owner sim 's/if (!slot \&\& !net_flit_is_here(sim, ch->node\[!end\]))/if (0)/'
result $? "nor may it look at a header in another part's node itself"
parts words sim 's/if (sim->channel\[sim->leaving\[i\]\].send\[1\])/if (0)/'
result $? "nor forget the words for its channels at another part's nodes"
parts late sim 's/mail->header, sim->now - 1)/mail->header, sim->now)/'
result $? "nor take a word that came over a link that is cut as one of a cycle later"
parts twice cut 's/memset(part->mail\[part->turn & 1\].*/(void)0;/'
result $? "nor take it twice"
parts deaf cut 's/for (unsigned rest = net_cut_coming.*/for (unsigned rest = 0; rest; rest \&= rest - 1)/'
result $? "nor miss that a word has left beyond a link that is cut"
finish
