# SPDX-License-Identifier: Apache-2.0
# Experiment files as a C table, net_builtins.
BEGIN { print "#include \"study/experiment.h\"\n\nconst struct net_builtin net_builtins[] = {" }
FNR == 1 {
    if (NR > 1) print "    },"
    name = FILENAME
    sub(/.*\//, "", name)
    sub(/\.json$/, "", name)
    printf "    {\"%s\",\n", name
}
{
    gsub(/\\/, "\\\\")
    gsub(/"/, "\\\"")
    printf "     \"%s\\n\"\n", $0
}
END { print "    },\n    {0},\n};" }
