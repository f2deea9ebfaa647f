# SPDX-License-Identifier: Apache-2.0
# A scene of scenes.txt as WaveDrom JSON, from what waves_tb printed:
#     awk -v scene=NAME -f waves.awk scenes.txt run.txt
# or another bench with scenes of its own.

function flit(value) { # a header, or letter and number
    return value ~ /^(aa|bb|cc)00/ ? substr(value, 1, 1) (substr(value, 5) + 0) : "head"
}

FNR == NR {
    if ($1 == "scene") {
        on = $2 == scene
        if (on) { cycles = $3; title = $0; sub(/^scene [^ ]* [0-9]* /, "", title) }
    } else if (on && !/^#/) {
        rows++
        group[rows] = $1; signal[rows] = $2; valid[rows] = $3; ready[rows] = $4
    }
    next
}
/^[0-9]+ [a-z]/ && $1 < cycles {
    for (i = 2; i < NF; i += 2) now[$i] = $(i + 1)
    clock = clock (clock == "" ? "p" : ".")
    for (r = 1; r <= rows; r++) {
        value = now[signal[r]]
        if (valid[r] != "" && now[valid[r]] != "1") value = "x"
        wide = signal[r] ~ /(_(data|credit|received|adr|dat_[rw])|t(data|keep)\[[0-9]+\])$/
        same = clock != "p" && value "" == last[r] "" && !taken[r]
        taken[r] = wide && value != "x" && ready[r] != "" && (ready[r] == 1 || now[ready[r]] == 1)
        if (same) { wave[r] = wave[r] "."; continue }
        last[r] = value
        wave[r] = wave[r] (value == "x" || !wide ? value : "=")
        if (wide && value != "x")
            label[r] = label[r] (label[r] == "" ? "" : ", ") "\"" \
                (signal[r] ~ /_data$/ ? flit(value) : value) "\""
    }
}
END {
    if (!rows || length(clock) != cycles) {
        print "waves.awk: scene " scene ": not in scenes.txt, or the run is too short" > "/dev/stderr"
        exit 1
    }
    printf "{\"signal\": [\n  {\"name\": \"clk\", \"wave\": \"%s\"}", clock
    for (r = 1; r <= rows; r++) {
        if (group[r] != group[r - 1]) {
            sub(/,/, " ", group[r])
            printf "%s,\n  [\"%s\"", (r > 1 ? "]" : ""), group[r]
            sub(/ /, ",", group[r])
        }
        printf ",\n    {\"name\": \"%s\", \"wave\": \"%s\"%s}", signal[r], wave[r], \
            (label[r] == "" ? "" : ", \"data\": [" label[r] "]")
    }
    printf "]],\n  \"head\": {\"text\": \"%s\", \"tick\": 0}}\n", title
}
