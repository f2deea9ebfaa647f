# SPDX-License-Identifier: Apache-2.0
# A manual page of a group of functions, out of libtorus.h, which is the one place where they are
# described: awk -v page=NAME -v title=TEXT -v groups='TITLE|TITLE' -v example=FILE -f pages.awk
# libtorus.h. groups: titles of the header's sections. names=1: the names of the functions instead.

function escaped(line) {
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    return line ~ /^[.']/ ? "\\&" line : line
}

function mode(next_mode) {
    if (next_mode == now)
        return
    if (now == "code")
        text = text ".fi\n.RE\n"
    if (next_mode == "code")
        text = text ".PP\n.RS\n.nf\n"
    if (next_mode == "words")
        text = text ".PP\n"
    now = next_mode
}

/^\/\/ .* -----*$/ {
    mode("")
    name = $0
    sub(/^\/\/ /, "", name)
    sub(/ -+$/, "", name)
    inside = index("|" groups "|", "|" name "|") > 0
    if (inside)
        text = text ".SS " name "\n"
    next
}
/^#/ { inside = inside && !/__cplusplus/ }
!inside { next }
skips { # an inline function's body
    skips = $0 != "}"
    next
}
/^$/ {
    mode("")
    next
}
/^\/\// {
    mode("words")
    line = $0
    sub(/^\/\/ ?/, "", line)
    text = text escaped(line) "\n"
    next
}
{
    mode("code")
    line = $0
    if (sub(/^static inline /, "", line)) {
        line = line ";"
        skips = 1
    }
    text = text escaped(line) "\n"
    if (match(line, /torus_[a-z0-9_]+\(/) && line !~ /^ /) {
        function_name = substr(line, RSTART, RLENGTH - 1)
        names = names ? names "\n" function_name : function_name
    }
}

END {
    mode("")
    if (names_only) {
        print names
        exit
    }
    gsub(/\n/, ", ", names)
    print ".TH " toupper(page) " 3 \"\" \"Outflank\" \"Outflank\""
    print ".SH NAME\n" names " \\- " title
    print ".SH SYNOPSIS\n.nf\n.B #include <libtorus.h>\n"
    print "cc prog.c $(pkg\\-config \\-\\-cflags \\-\\-libs torus)\n.fi"
    printf ".SH DESCRIPTION\n%s", text
    print ".SH RETURN VALUE\nWhere a function gives an int and nothing else is said:"
    print "TORUS_OK or an error, of which\n.BR torus_detail (3)\nsays in one line what, where and what to do."
    print ".SH EXAMPLES\n.nf"
    while ((getline line < example) > 0)
        if (line !~ /SPDX/)
            print escaped(line)
    print ".fi\n.SH SEE ALSO\n.BR libtorus (3),\n.BR torusctl (1)"
}
