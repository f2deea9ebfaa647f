# SPDX-License-Identifier: Apache-2.0
# The deepest stack, in bytes: the frames along any chain of calls from main(), of gcc's
# -fcallgraph-info=su files. Exit status 1, with a line on stderr, where there is no bound: a
# recursion, a call by pointer, a frame of a size that is not fixed, a function nobody knows.
# libgcc's few are leaves that use no stack.

function refuse(text)
{
    print text > "/dev/stderr"
    wrong = 1
}

function depth(f,    i, n, callees, deepest, d)
{
    if (f in known)
        return known[f]
    if (f ~ /^__(mulsi3|ashldi3|lshrdi3)$/)
        return 0
    if (!(f in frame) || f in above) {
        refuse((f in above ? "recursion: " : "no frame known: ") f)
        return 0
    }
    above[f]
    n = split(calls[f], callees, " ")
    for (i = 1; i <= n; i++) {
        d = depth(callees[i])
        if (d > deepest)
            deepest = d
    }
    delete above[f]
    return known[f] = frame[f] + deepest
}

/^node:/ && / bytes / {
    split($0, part, "\"")
    if ($0 !~ / bytes \(static\)/)
        refuse("frame of " part[2] " is not fixed")
    sub(/ bytes .*/, "", part[4])
    sub(/.*\\n/, "", part[4])
    frame[part[2]] = part[4]
}

/^edge:/ {
    split($0, part, "\"")
    calls[part[2]] = calls[part[2]] " " part[4]
}

END {
    bytes = depth("main")
    if (wrong)
        exit 1
    print bytes
}
