#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# FuseSoC core files: their files are there, those of a part with its dependencies' are what the report's
# program finds for its module, its parameters are the module's, and FuseSoC lints it, and runs the bench
# of those that have one. TAP.
. tests/tap.sh
: "${B:=build}" "${REPORT:=$B/report/report}"
work=$(mktemp -d) || exit 1
shown="$work/said"
trap 'rm -rf "$work"' EXIT
parts='router routing link link_cabled channels board board_axis axis_wishbone' # those that have a target lint
version=$(sh tests/version.sh)

# In folder TREE, all paths from there
core_of() { grep -l "^name: outflank:torus:$1:$version\$" rtl/*/*.core; }
files_in() { # CORE FILE
    sed -n '/^    files:/,/^    [d-z]*:$/s|^      - \([a-z0-9_/]*\.vh\{0,1\}\).*|\1|p' "$1" |
        sed "s|^|$(dirname "$1")/|"
}
needs() { sed -n 's/^      - outflank:torus://p' "$1"; }
top_of() { sed -n '/^    toplevel: /{s///p;q}' "$1"; }
bench_less() { sed '/^  tb:/,/^$/d' "$1"; } # CORE FILE

# Of a part and, once each, of what it needs
cores() {
    todo=$1 done=
    while [ -n "$todo" ]; do
        name=${todo%% *} rest=${todo#"${todo%% *}"}
        todo=${rest# }
        case " $done " in *" $name "*) continue ;; esac
        core=$(core_of "$name")
        [ -n "$core" ] || { echo "outflank:torus:$name:$version: no such core" >&2; continue; }
        echo "$core"
        done="$done $name"
        bench_less "$core" > "$work/core"
        for n in $(needs "$work/core"); do todo="${todo:+$todo }$n"; done
    done
}

# The Verilog that a module is made from, and what of it is included
wanted() {
    # shellcheck disable=SC2046
    set -- $("$report" files "$1" $(find rtl -name '*.v' -not -path '*/test/*'))
    printf '%s\n' "$@"
    headers "$@"
}
headers() {
    for h in $(sed -n 's/^ *`include "\(.*\)".*/\1/p' "$@"); do
        h=$(find rtl -name "$h")
        echo "$h"
        headers "$h"
    done
}

# same PART: in $work/said what is too many (<) or missing (>)
same() {
    top=$(top_of "$(core_of "$1")")
    for core in $(cores "$1"); do
        mkdir -p "$work/$(dirname "$core")"
        bench_less "$core" > "$work/$core"
        (cd "$work" && files_in "$core")
    done | sort > "$work/has"
    wanted "$top" | sort -u > "$work/wants"
    diff "$work/has" "$work/wants" > "$work/differ"
    sed -n '/^[<>]/p' "$work/differ"
    [ -s "$work/wants" ] && [ ! -s "$work/differ" ]
}

parameters() { # PART: the same two ways
    core=$(core_of "$1")
    sed -n '/^parameters:/,$s/^  \([A-Z_0-9]*\): .*/\1/p' "$core" | sort > "$work/has"
    top=$(top_of "$core")
    sed -n 's/^ *parameter  *\(int  *\)\{0,1\}\([A-Z_0-9]*\) *=.*/\2/p' "$(find rtl -name "$top.v")" |
        sort > "$work/wants"
    [ -s "$work/wants" ] && diff "$work/has" "$work/wants"
}

# FuseSoC of fusesoc_tools.txt, once; without a network no more than two minutes are spent on it.
tools() {
    cmp -s tests/fusesoc_tools.txt "$B/fusesoc/installed" && return
    timeout 120 sh -c "python3 -m venv --clear '$B/fusesoc' && '$B/fusesoc/bin/pip' -q --retries 0 --timeout 15 \
        install --require-hashes -r tests/fusesoc_tools.txt" > "$work/said" 2>&1 &&
        cp tests/fusesoc_tools.txt "$B/fusesoc/installed"
}

# fuse TARGET FOLDER PART PARAMETERS...: FuseSoC reads no settings of the user's, and make nothing of the part before
fuse() {
    target=$1 from=$2 part=$3
    shift 3
    rm -rf "$work/build"
    XDG_CONFIG_HOME=$work XDG_CACHE_HOME=$work XDG_DATA_HOME=$work timeout 300 "$B/fusesoc/bin/fusesoc" \
        --cores-root "$from" run --build-root "$work/build" --target="$target" "outflank:torus:$part" "$@" \
        > "$work/said" 2>&1
}
lint() { fuse lint "$@"; }

report=$(realpath "$REPORT")
for core in rtl/*/*.core; do
    for f in $(files_in "$core"); do [ -f "$f" ] || echo "$core: no $f"; done
    [ -n "$(files_in "$core")" ] || echo "$core: no files"
    [ "$(head -n 1 "$core")" = CAPI=2: ] || echo "$core: its first line is not CAPI=2:"
    grep -q "^name: outflank:torus:[a-z_]*:$version\$" "$core" || echo "$core: not outflank:torus:NAME:$version"
done > "$work/said"
[ ! -s "$work/said" ]
result $? "core files: their files are there, version $version"
for part in $parts; do
    same "$part" > "$work/said" 2>&1
    result $? "$part: the files that its module is made from, no others"
    parameters "$part" > "$work/said" 2>&1
    result $? "$part: its module's parameters"
done

# twin SED CORE CHECK PART SAID: what CHECK says of a part whose core file is changed so
twin() (
    cd "$work/twin" || exit 1
    sed -i "$1" "$2"
    ! "$3" "$4" > "$work/said" && grep -qxF "$5" "$work/said" && [ "$(grep -c '^[<>]' "$work/said")" = 1 ]
)
mkdir "$work/twin"
cp -r rtl "$work/twin/rtl"
twin '/ofr_link_crc\.v/d' rtl/link/link.core same link '> rtl/link/ofr_link_crc.v'
result $? 'twin: a file left out is found'
twin 's/^      - ofr_channel.v/&\n      - ofr_channel_more.v/' rtl/channel/channels.core \
    same channels '< rtl/channel/ofr_channel_more.v'
result $? 'twin: a file too many is found'
twin '/outflank:torus:buffer$/d' rtl/router/router.core same router '> rtl/router/ofr_buffer.v'
result $? 'twin: a dependency left out is found'
twin '/^  ENDS: /d' rtl/channel/channels.core parameters channels '> ENDS'
result $? 'twin: a parameter left out is found'

if tools; then
    for part in $parts; do
        lint rtl "$part"
        result $? "fusesoc lints $part"
    done
    lint rtl router --L 64
    result $? 'fusesoc lints router --L 64'
    ! lint rtl router --L 12 && grep -q ofr_router_parameters_out_of_range "$work/said"
    result $? 'twin: --L 12 is refused by the router'
    ! lint "$work/twin/rtl" link && grep -q ofr_link_crc "$work/said"
    result $? 'twin: fusesoc does not lint a link without a file'
    fuse sim rtl routing && grep -qx '12 of 12 flits arrived' "$work/said"
    result $? 'fusesoc runs four routers in a ring'
    fuse sim rtl axis_wishbone && grep -q '^6000 messages, .*: right' "$work/said"
    result $? 'fusesoc runs channels behind a Wishbone slave'
    rm -rf "$work/twin/rtl"
    cp -r rtl "$work/twin/rtl"
    sed -i "s/ send(4'd2);//" "$work/twin/rtl/router/alone/test/ring4_tb.v"
    fuse sim "$work/twin/rtl" routing && grep -qx '6 of 12 flits arrived' "$work/said"
    result $? 'twin: with a packet that is not sent fewer arrive'
    sed -i 's/^endmodule/    logic nobody;\n&/' "$work/twin/rtl/channel/ofr_channels.v"
    ! lint "$work/twin/rtl" channels && grep -q "UNUSEDSIGNAL.*'nobody'" "$work/said"
    result $? 'twin: a signal that nobody uses is a warning, which fails'
else
    skip 'fusesoc lints each part' 'FuseSoC of tests/fusesoc_tools.txt is not to be had (is there a network?)'
fi
finish
