#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# circles.sh OBJECT...: do these object files call each other in a circle? Says which do, status 1.
# What calls what is what nm says: a symbol that one has and another wants.
[ $# -gt 0 ] || { echo 'circles.sh: no object files' >&2; exit 2; }
for object; do
    [ -f "$object" ] || { echo "circles.sh: $object is not there" >&2; exit 2; }
done
calls=$(nm -A -P --extern-only "$@" | awk '
    BEGIN { n = 0 }
    { sub(/:$/, "", $1) }
    $3 == "U" { wants[n] = $1; symbol[n++] = $2; next }
    $3 ~ /[A-Z]/ { has[$2] = $1 }
    END { for (i = 0; i < n; i++) if (symbol[i] in has && has[symbol[i]] != wants[i])
              print wants[i], has[symbol[i]] }' | sort -u)
[ -n "$calls" ] || { echo 'circles.sh: these object files have nothing to do with each other' >&2
    exit 2; }
said=$(echo "$calls" | tsort 2>&1 > /dev/null)
[ -z "$said" ] || { echo "$said" | sed 's/^tsort: //'; exit 1; }
