# SPDX-License-Identifier: Apache-2.0
# A register ends in _q, and nothing else does. Reads the XML of `verilator --xml-only` twice (the
# types stand behind the modules): awk -f tests/names.awk x.xml x.xml. Prints what breaks the rule.
# A register is what a nonblocking assignment is to, or pin q of an ofr_link_slow, which is one;
# memories (unpacked arrays) are not looked at, nor what these parameters leave unused. A port has the name of its interface: an output that is a register may go without _q.

function attribute(name) { # of this tag; "" without
    if (!match($0, " " name "=\"[^\"]*\"")) return ""
    return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
}

# Tags stand on lines of their own. The left side is the assignment's second child; of what selects
# bits of something, that is the first.
function enter(tag) {
    child[depth]++
    nth = child[depth]
    above = tags[depth]
    skip[depth + 1] = skip[depth] || (above == "assigndly" ? nth != 2 : \
        (above == "sel" || above == "arraysel") && inside ? nth != 1 : 0)
    depth++
    tags[depth] = tag
    child[depth] = 0
    if (tag == "assigndly") inside = depth
}
function leave() {
    if (depth == inside) inside = 0
    if (depth == pin) pin = 0
    depth--
}
function report(  name) {
    for (name in variable) {
        if (memory[variable[name]]) continue
        if (is_register[name] && name !~ /_q$/ && !port[name])
            print where[name] ": " name ": a register ends in _q"
        if (!is_register[name] && used[name] && name ~ /_q$/)
            print where[name] ": " name ": _q, but it is no register"
    }
}

FNR == 1 { pass++ }
{ sub(/^ */, "") }
pass == 1 {
    if (/^<unpackarraydtype /) memory[attribute("id")] = 1
    if (/^<file /) file[attribute("id")] = attribute("filename")
    next
}
/^<\// { # an end
    if (/^<\/module>/) report()
    leave()
    next
}
/^</ {
    tag = $1
    gsub(/[<>\/]/, "", tag)
    enter(tag)
    if (tag == "module") {
        split("", variable); split("", is_register); split("", port); split("", where); split("", used)
    } else if (tag == "var" && attribute("localparam") attribute("param") == "") {
        name = attribute("name")
        variable[name] = attribute("dtype_id")
        port[name] = attribute("dir") == "output"
        split(attribute("loc"), at, ",")
        where[name] = file[at[1]] ":" at[2]
    } else if (tag == "varref") {
        used[attribute("name")] = 1
        if ((inside && !skip[depth]) || pin) is_register[attribute("name")] = 1
    } else if (tag == "instance") {
        slow = attribute("defName") ~ /^ofr_link_slow/
    } else if (tag == "port" && slow && attribute("name") == "q") {
        pin = depth
    }
    if (/\/>$/) leave()
}
