#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The flit engines on three threads under ThreadSanitizer: no two of them touch the same memory
# unordered; twins without a meeting of the threads are found. TAP. ThreadSanitizer wants no
# random addresses.
. sim/net/test/torussim.sh

# built NAME FILE SED: $work/NAME with that change in FILE.c
built()
{
    mkdir -p "$work/$1.d"
    objects=$B/sim/net/study/experiments.o sources=
    for source in sim/net/*/*.c; do
        case $source in
        sim/net/test/*) ;;
        sim/net/flit/deadlock.c | sim/net/dragonfly/deadlock.c) objects="$objects $B/${source%.c}.o" ;;
        sim/net/flit/* | sim/net/dragonfly/* | sim/net/run/together.c)
            copy=$work/$1.d/$(echo "$source" | tr / _)
            if [ "$source" = "sim/net/$2.c" ]; then sed "$3" "$source" > "$copy"; else cp "$source" "$copy"; fi
            [ "$source" != "sim/net/$2.c" ] || ! cmp -s "$source" "$copy" || return 1
            sources="$sources $copy"
            ;;
        *) objects="$objects $B/${source%.c}.o" ;;
        esac
    done
    # shellcheck disable=SC2046,SC2086
    gcc -std=c11 -g -O1 -fsanitize=thread $net_flags -o "$work/$1" \
        $sources $objects "$B/net/libofr.a" -ljansson -lm -lpthread $(pkg-config --libs ompi-c 2> "$work/pkg")
}
# quiet PROGRAM SETTINGS
quiet()
{
    # shellcheck disable=SC2086
    TSAN_OPTIONS='halt_on_error=1 exitcode=66' timeout 600 setarch -R "$work/$1" run --engine flit $2 \
        --threads 3 --warm-up 100 --batches 2 --batch-cycles 100 > "$work/out" 2> "$work/err"
}
raced() { ! quiet "$@" && grep -q 'ThreadSanitizer: data race' "$work/err"; }

built good none ''
result $? 'it is built'
while read -r settings; do
    quiet good "$settings"
    result $? "$settings"
done << 'END'
--topology torus:4x4x4 --message-words 8 --duplex full --load 0.6
--topology torus:5x7 --lanes 2 --service output --load 0.9
--topology torus:6x5 --duplex full --routing duato --load 0.9
--topology mesh:5x5 --duplex full --routing triplex --load 0.9
--topology torus:6x5 --routing duato --load 0.9
--topology mesh:5x5 --routing triplex --class non-minimal --deroute-after 10 --deroute-probability 0.1 --load 0.9
--topology torus:6x6 --routing triplex --switching wormhole --in-order 0.4 --long-words 200 --load 0.4
--topology torus:6x6 --routing duato --switching wormhole --flow next-cycle --load 0.4
--topology torus:5x4 --routing chaos --load 0.9
--topology torus:3x3 --load 0.002
--topology torus:5x4 --routing duato --link-latency 1x4 --load 0.9
--topology torus:3x4 --routing ofr --link-latency 3 --load 0.002
--topology torus:6x6 --routing triplex --switching wormhole --flow next-cycle --link-latency 5 --load 0.4
--topology dragonfly:2 --routing pb --traffic adv+1 --load 0.4
--topology dragonfly:2 --routing ofar --misrouting nrg --global-latency 3 --load 0.5
--topology dragonfly:2 --routing valiant --load 0.0005
END
built first flit/parts 's/net_flit_until(part, step) == step + 1/step \&\& part->apart/' && raced first '--topology torus:6x6 --load 0.9'
result $? 'channels and connections at once are found'
built apart flit/parts 's/net_flit_until(part, step) == step + 1/!step/' && raced apart '--topology torus:6x6 --routing duato --load 0.9'
result $? "so is a packet that leaves while the node before looks whether there is room"
built owner flit/sim 's/if (!slot \&\& !net_flit_is_here(sim, ch->node\[!end\]))/if (0)/' &&
    raced owner '--topology torus:6x6 --load 0.9'
result $? "so is a header that another node's part looks at"
built mail flit/cut 's/memset(part->mail\[part->turn & 1\]/memset(part->mail[~part->turn \& 1]/' &&
    raced mail '--topology torus:6x6 --duplex full --load 0.9'
result $? "so is mail of a link that is cut, cleared while it is read"
built told flit/parts 's/turn = part->turn & 1/turn = 0/' && raced told '--topology torus:6x6 --duplex full --load 0.9'
result $? "so is what a part tells before the others have read what it told"
built box dragonfly/parts 's/box\[~part->turn & 1\]/box[part->turn \& 1]/' &&
    raced box '--topology dragonfly:2 --routing valiant --load 0.4'
result $? "so is mail that is taken while it is written"
finish
