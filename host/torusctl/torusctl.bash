# SPDX-License-Identifier: Apache-2.0
# Completion of torusctl for bash. Commands and options are torusctl's own, from its --help.
_torusctl()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} help
    help=$(torusctl --help 2> /dev/null) || return
    COMPREPLY=()
    # bash splits at "=" and ":".
    [[ $word == = ]] && word=
    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
    case $before in
    -f | --format) mapfile -t COMPREPLY < <(compgen -W 'text json csv' -- "$word") ;;
    -r | --routing) mapfile -t COMPREPLY < <(compgen -W 'abr por ofr dor rdr' -- "$word") ;;
    --tie) mapfile -t COMPREPLY < <(compgen -W 'both plus' -- "$word") ;;
    -p | --pattern)
        mapfile -t COMPREPLY < <(compgen -W 'uniform butterfly transpose bitreverse rotate3d
            complement tornado neighbour all' -- "$word")
        ;;
    -t | --transport) mapfile -t COMPREPLY < <(compgen -W 'usb usb: unix: tty:' -- "$word") ;;
    --svg | --thresholds | --plot | program | diff)
        compopt -o filenames 2> /dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        ;;
    *)
        if [[ $word == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$(grep -o -e '--[a-z][a-z-]*' <<< "$help")" \
                -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -W "$(sed -n '/^Commands:/,/^[A-Z]/s/^  \([a-z]*\) .*/\1/p' \
                <<< "$help")" -- "$word")
        fi
        ;;
    esac
}
complete -F _torusctl torusctl
