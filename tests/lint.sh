#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Lint as a test: TAP, one result for each tool and thing. Started by build/tests/lint, which sets
#   B, JOBS      build folder, how many at a time
#   REPORT       build/report/report, which knows what a module is made from
#   LINT_V       Verilog files;  LINT_TOPS  modules, as module or module:PARAM=VALUE:...
#   LINT_C       C files besides those of the tree;  LINT_CFLAGS  flags they need
# What passed is remembered by a hash of all it depends on, in $B/lint/cache, and not run again.
# FULL=1 (make lint, make soak): clang's analyzer, too, which takes nine tenths of the time for C, and
# Yosys with all parameters; else a module is shown to it once, as first named, two fifths of the rest.
#
# Called with arguments it runs one check: lint.sh NUMBER KIND THING, result in $B/lint/NUMBER.

: "${B:=build}" "${JOBS:=2}" "${LINT_CFLAGS:=-std=c11}"
cache=$B/lint/cache
short=
[ -n "${FULL:-}" ] || short='--checks=-clang-analyzer-*'

# Text files of the tree; a source archive has no git.
sources() {
    if [ -d .git ] || [ -f .git ]; then
        git ls-files --cached --others --exclude-standard
    else
        find . -path "./$B" -prune -o -type f -print | sed 's|^\./||'
    fi | while read -r f; do [ -f "$f" ] && echo "$f"; done
}

c_and_headers() {
    { sources | grep -E '\.(c|h|cpp)$'; for f in $LINT_C; do echo "$f"; done; } | sort -u
}

# The folders of LINT_V, for `include, each behind -I: worked out once, for all checks
include_flags() { echo "${LINT_INCLUDE:?}"; }

# ---- checks: print what is wrong, and fail ------------------------------------------------------

top_of() { echo "${1%%:*}"; }

# What a module is made from; a tool that reads all of rtl/ takes several times as long.
files_of() { cat "$B/lint/files/$(top_of "$1")"; }

# The parameters of module:A=1:B=2, each as PREFIX A=1
parameters() { # THING PREFIX SEPARATOR
    case $1 in *:*) ;; *) return ;; esac
    echo "${1#*:}" | tr ':' '\n' | while IFS='=' read -r name value; do
        printf '%s%s%s%s ' "$2" "$name" "$3" "$value"
    done
}

check_verilator() {
    # shellcheck disable=SC2046,SC2086
    verilator --lint-only -Wall --language 1800-2017 $(include_flags) \
        --top-module "$(top_of "$1")" $(parameters "$1" -G =) $(files_of "$1") 2>&1
}

check_icarus() {
    top=$(top_of "$1")
    # A "sorry" about constant selects is Icarus's own limit (it then takes the whole vector as
    # sensitivity, which is right too). Everything else that it says is an error here.
    # shellcheck disable=SC2046,SC2086
    iverilog -g2012 -Wall -Wno-timescale $(include_flags) -s "$top" $(parameters "$1" "-P$top." =) \
        -o /dev/null $(files_of "$1") > "$2.icarus" 2>&1
    status=$?
    grep -v -e 'sorry: constant selects in always_\* processes' \
        -e 'all bits will be included' "$2.icarus" && status=1
    rm -f "$2.icarus"
    return $status
}

check_yosys() {
    # shellcheck disable=SC2086
    yosys -p "read_verilog -sv -defer $(include_flags) $(files_of "$1")
        hierarchy -check -top $(top_of "$1") $(parameters "$1" '-chparam ' ' ')
        proc; check -assert" > "$2.yosys" 2>&1
    status=$?
    grep -E 'Warning|ERROR|found and reported' "$2.yosys" |
        grep -v -e 'found and reported 0 problems' -e 'Warnings: ' > "$2.said" && status=1
    [ $status = 0 ] || { cat "$2.said"; tail -n 3 "$2.yosys"; }
    rm -f "$2.yosys" "$2.said"
    return $status
}

check_names() { # of registers
    # shellcheck disable=SC2046,SC2086
    verilator --xml-only --language 1800-2017 -Wno-lint $(include_flags) --Mdir "$2.xml" \
        --xml-output "$2.xml/top.xml" --top-module "$(top_of "$1")" $(parameters "$1" -G =) \
        $(files_of "$1") > "$2.said" 2>&1 || { cat "$2.said"; return 1; }
    awk -f tests/names.awk "$2.xml/top.xml" "$2.xml/top.xml" > "$2.said"
    cat "$2.said"
    rm -rf "$2.xml"
    [ ! -s "$2.said" ]
}

# All files at once: started for each, it would take five times as long.
check_format() {
    c_and_headers | xargs -r clang-format --dry-run -Werror 2>&1
}

c_flags() { echo "$LINT_CFLAGS -I$(dirname "$1") $(sed -n 's|^// lint-flags: ||p' "$1")"; }

check_tidy() {
    # shellcheck disable=SC2046,SC2086
    clang-tidy --quiet ${short:+"$short"} "$1" -- $(c_flags "$1") 2>&1
}

check_spdx() {
    sources | grep -E '\.(c|h|cpp|v|vh|sh|mk|py|S|ld)$|^Makefile$|^\.ci/run$' |
        while read -r f; do
            head -n 2 "$f" | grep -q 'SPDX-License-Identifier: Apache-2.0' ||
                echo "$f: no SPDX line in its first two lines"
        done
}

check_text() {
    sources | grep -E '\.(c|h|cpp|v|vh|sh|py|S|ld|mk|txt)$|(^|/)Makefile$|^\.ci/run$' |
        grep -v -E '^rtl/report' |
        while read -r f; do
            awk -v name="$f" -v tabs="$(case $f in *.mk | *Makefile) echo 1 ;; *) echo 0 ;; esac)" \
                -v wide="$(case $f in *.c | *.h | *.cpp | *.v | *.vh) echo 0 ;; *) echo 1 ;; esac)" '
                { chars = $0; gsub(/[\200-\277]/, "", chars) }
                !wide && length(chars) > 100 { print name ":" FNR ": over 100 columns" }
                !tabs && /\t/ { print name ":" FNR ": a tab" }
                /[ \t]$/ { print name ":" FNR ": blanks at the end of the line" }
                /\r/ { print name ":" FNR ": a carriage return" }' "$f"
        done
}

check_nettype() {
    sources | grep -E '\.v$' | while read -r f; do
        grep -q '^`default_nettype none' "$f" || echo "$f: no \`default_nettype none"
        module=$(basename "$f" .v)
        [ "$(grep -c '^ *module ' "$f")" = 1 ] && grep -q "^module $module\\b" "$f" ||
            echo "$f: it should have one module, $module"
    done
}

check_ports() { # one form of declaration, a line each; `output wire logic` with `// a net` behind it
    sources | grep -E '\.v$' | while read -r f; do
        awk -v name="$f" '
            /^ *(input|output|inout) / && !/^ *(input +wire logic|output logic|inout +wire logic) / &&
                !/^ *output wire logic .*, *\/\/ a net: / && head { print name ":" FNR ": a port is input  wire logic or output logic" }
            /^ *module / { head = 1 }
            /\);$/ { head = 0 }' "$f"
    done
}

check_casts() { # no operator with one operand before one: Yosys takes ~W'(x) for (~W)'(x)
    sources | grep -E '\.v$' | while read -r f; do
        sed 's|//.*||' "$f" | grep -n -E "[-+~!&|^][A-Za-z0-9_]+'\(" |
            sed "s|:.*|: an operator before a cast: put the cast in a localparam, or in parentheses|; s|^|$f:|"
    done
}

check_listed() { # every design file is linted
    sources | grep -E '^rtl/.*\.v$' | grep -v -E '/test/' | while read -r f; do
        case " $LINT_V " in *" $f "*) ;; *) echo "$f is not in LINT_V of its folder's .mk" ;; esac
    done
}

check_mode() { # the runner starts tests by their names
    sources | grep -E '_test\.sh$' | while read -r f; do
        [ -x "$f" ] || echo "$f: not executable; chmod +x"
    done
}

check_readme() { # every folder tells where to start
    sources | grep / | grep -v -E '^\.ci/' | sed 's|/[^/]*$||' | sort -u | while read -r d; do
        case $d in */test | */lib | */data | tests/*) continue ;; esac
        [ -f "$d/README.md" ] || echo "$d: no README.md"
    done
}

# What a check depends on, as text to hash; nothing where it is too quick to remember.
depends() { # KIND THING
    case $1 in
    verilator | icarus | yosys | names)
        [ "$1" != names ] || cat tests/names.awk
        echo "$2 $(files_of "$2")"
        # shellcheck disable=SC2046
        cat $(files_of "$2") $(find $(include_flags | sed 's/-I//g') -maxdepth 1 -name '*.vh')
        ;;
    tidy)
        c_flags "$2"
        cat .clang-tidy
        # Preprocessed, so that the headers count; with comments, which carry NOLINT.
        # shellcheck disable=SC2046
        gcc -E -C $(c_flags "$2" | sed 's/--target=[^ ]*//') "$2" 2> /dev/null || cat "$2"
        ;;
    esac
}

if [ $# = 3 ]; then
    number=$1 kind=$2 thing=$3 key=
    out=$B/lint/$number
    depends "$kind" "$thing" > "$out.depends"
    if [ -s "$out.depends" ]; then
        hash=$(cat tests/lint.sh "$out.depends" | sha256sum)
        key=$cache/$kind-${hash%% *}
    fi
    rm "$out.depends"
    # What passes with the analyzer passes without it
    [ -z "$key" ] || [ "$kind" != tidy ] || [ -z "$short" ] || [ -e "$key" ] || key=$key-short
    if [ -n "$key" ] && [ -e "$key" ]; then
        echo good > "$out.status"
        exit 0
    fi
    "check_$kind" "$thing" "$out" > "$out.text"
    status=$?
    case $kind in spdx | text | nettype | ports | casts | listed | mode | readme) [ -s "$out.text" ] && status=1 ;; esac
    if [ $status = 0 ]; then
        echo good > "$out.status"
        [ -z "$key" ] || : > "$key"
    else
        echo bad > "$out.status"
    fi
    exit 0
fi

rm -rf "$B"/lint/[0-9]* "$B/lint/files"
mkdir -p "$cache" "$B/lint/files"
find "$cache" -type f -mtime +14 -exec rm -f {} +

c_files=$({ sources | grep -E '\.c$'; for f in $LINT_C; do echo "$f"; done; } | sort -u)
{
    for kind in spdx text nettype ports casts listed mode readme format; do echo "$kind tree"; done
    for f in $c_files; do echo "tidy $f"; done
    shown=
    for top in $LINT_TOPS; do
        kinds='verilator icarus names'
        [ -z "${FULL:-}" ] && [ "$(top_of "$top")" = "$shown" ] || kinds="$kinds yosys"
        shown=$(top_of "$top")
        for kind in $kinds; do echo "$kind $top"; done
    done
} | awk '{ print NR, $0 }' > "$B/lint/list"

for top in $LINT_TOPS; do top_of "$top"; done | sort -u | while read -r top; do
    # shellcheck disable=SC2086
    "$REPORT" files "$top" $LINT_V > "$B/lint/files/$top"
done

LINT_INCLUDE=$({ echo rtl/regs; for f in $LINT_V; do dirname "$f"; done; } | sort -u |
    sed 's/^/-I/' | tr '\n' ' ')
export B LINT_V LINT_C LINT_TOPS LINT_CFLAGS LINT_INCLUDE
xargs -P "$JOBS" -n 3 sh tests/lint.sh < "$B/lint/list"

failed=0
while read -r number kind thing; do
    if [ "$(cat "$B/lint/$number.status" 2> /dev/null)" = good ]; then
        echo "ok $number - lint: $kind $thing"
    else
        failed=1
        echo "not ok $number - lint: $kind $thing"
        head -n 40 "$B/lint/$number.text" 2> /dev/null | sed 's/^/# /'
    fi
done < "$B/lint/list"
echo "1..$(wc -l < "$B/lint/list")"
exit $failed
