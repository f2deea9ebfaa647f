// SPDX-License-Identifier: Apache-2.0
// Writes torusctl's manual page or its completion for bash, of the commands' own tables:
//
//     manual page|bash > FILE
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

// Page --------------------------------------------------------------------------------------------

// A text in roff: no hyphens, no requests.
static void roff(const char *text)
{
    bool start = true;
    for (; *text; text++) {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '\n' && text[1] == '\n') {
            fputs("\n.PP\n", stdout);
            text++;
        } else if (*text == '-') {
            fputs("\\-", stdout);
        } else if (*text == '\\') {
            fputs("\\e", stdout);
        } else {
            putchar(*text);
        }
        start = *text == '\n';
    }
}

// The same with @PATTERNS@ filled in.
static void roff_filled(const char *text)
{
    char *filled = fill_in(0, text, NULL);
    roff(filled);
    if (filled != text)
        free(filled);
}

static void page_option(const struct argp_option *o)
{
    fputs(".TP\n.B ", stdout);
    if (o->key > ' ' && o->key < 127)
        printf("\\-%c, ", o->key);
    fputs("\\-\\-", stdout);
    roff(o->name);
    if (o->arg) {
        fputs("=\\fI", stdout);
        roff(o->arg);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    roff_filled(o->doc);
    putchar('\n');
}

static void page_options(const struct argp_option *o)
{
    for (; o && (o->name || o->doc); o++)
        if (o->name)
            page_option(o);
}

// Names of the options that it shares with others.
static void page_shared(const struct command *c)
{
    const char *comma = "";
    fputs(".PP\nOptions described below: ", stdout);
    for (unsigned group = 1; group <= LAST_GROUP; group *= 2)
        for (const struct argp_option *o = group_options(group);
             c->groups & group && (o->name || o->doc); o++)
            if (o->name) {
                printf("%s\\-\\-", comma);
                roff(o->name);
                comma = ", ";
            }
    fputs(".\n", stdout);
}

static void page_examples(const struct command *c)
{
    const char *at = c->examples;
    char line[EXAMPLE];
    fputs(".PP\nEXAMPLES\n.nf\n", stdout);
    while (next_example(c, &at, line)) {
        roff(line);
        putchar('\n');
    }
    fputs(".fi\n", stdout);
}

static void page(void)
{
    fputs(".TH TORUSCTL 1 \"\" \"Outflank\" \"Outflank\"\n.SH NAME\n"
          "torusctl \\- bring up, measure and watch a torus of Outflank boards\n.SH SYNOPSIS\n"
          ".B torusctl\n.I COMMAND\n.B \\-t\n.I WHERE\n.RI [ argument \"...] [\" option ...]\n"
          ".SH DESCRIPTION\n",
          stdout);
    roff(
        "Talks to one board of a torus, by USB, a serial line or a simulator's socket, and through "
        "it to all. Places of boards, A and B, are coordinates, X,Y or X,Y,Z, as discover finds "
        "them: the board with the lowest serial number is the origin. With --names they may be "
        "names, of a "
        "file with a line a board: its serial number and its name, a word or in quotes, and "
        "remarks "
        "after #; so may those of a FILE of program's destinations, as a string. Text then has the "
        "name behind each place and serial number, (1,2) \"left\", errors too; in JSON and CSV "
        "coordinates stay what they are, and the name of at is besides in name, that of from and "
        "to "
        "in from_name and to_name, that of peer in peer_name, null or empty where there is none. "
        "What counters has printed so diff shows with its names. An option that does not "
        "apply to a command, or would do nothing as the command is used, is refused.\n");
    fputs(".SH COMMANDS\n", stdout);
    for (unsigned i = 0; commands[i]; i++) {
        const struct command *c = commands[i];
        printf(".SS %s", c->name);
        for (const char *at = c->arguments; at && *at; at++)
            if (*at == '\n')
                printf(" | %s", c->name);
            else if (at == c->arguments || at[-1] == '\n')
                printf(" %c", *at);
            else
                putchar(*at);
        putchar('\n');
        roff_filled(c->about);
        putchar('\n');
        page_options(c->options);
        page_shared(c);
        page_examples(c);
    }
    fputs(".SH OPTIONS OF SEVERAL COMMANDS\n", stdout);
    for (unsigned group = 1; group <= LAST_GROUP; group *= 2)
        page_options(group_options(group));
    fputs(".SH EXIT STATUS\n.TP\n.B 0\ngood\n.TP\n.B 1\n"
          "a check failed: wrong cables, mixed generations, packets lost, bad links\n.TP\n.B 2\n"
          "wrong use, no answer, or output that cannot be written; one line says what, where and "
          "what to do\n.SH SEE ALSO\n.BR boardsim (1),\n.BR torussim (1),\n.BR libtorus (3)\n",
          stdout);
}

// Completion --------------------------------------------------------------------------------------

// Words for the value of an option, to bash: files, or a list.
static void bash_values(const struct argp_option *o)
{
    char list[400] = "", names[400];
    if (!o->arg)
        return;
    if (strchr(o->arg, '|')) {
        snprintf(list, sizeof list, "%s", o->arg);
        list[strcspn(list, "[")] = 0;
    } else if (!strncmp(o->arg, "PATTERN", 7)) {
        char *filled = fill_in(0, "@PATTERNS@", NULL);
        snprintf(list, sizeof list, "all %s", filled);
        free(filled);
    } else if (!strcmp(o->arg, "WHERE")) {
        snprintf(list, sizeof list, "usb usb: unix: tty: tcp:");
    } else if (!strcmp(o->arg, "FILE") || !strcmp(o->arg, "STEM")) {
        snprintf(list, sizeof list, "FILES");
    } else {
        snprintf(list, sizeof list, "NONE");
    }
    for (char *c = list; *c; c++)
        *c = *c == '|' || *c == ',' ? ' ' : *c;
    snprintf(names, sizeof names, "--%s", o->name);
    if (o->key > ' ' && o->key < 127)
        snprintf(names, sizeof names, "-%c | --%s", o->key, o->name);
    printf("    %s) values='%s' ;;\n", names, list);
}

static void bash_names(const struct argp_option *o)
{
    for (; o && (o->name || o->doc); o++)
        if (o->name)
            printf(" --%s", o->name);
}

// Values of an option are the same in all commands that have it.
static void bash_all_values(void)
{
    char seen[2000] = " ", name[60];
    for (unsigned i = 0; commands[i]; i++)
        for (unsigned group = 0; group <= LAST_GROUP; group = group ? 2 * group : 1) {
            const struct argp_option *o = group ? group_options(group) : commands[i]->options;
            for (; o && (o->name || o->doc); o++) {
                snprintf(name, sizeof name, " %s ", o->name ? o->name : "");
                if (!o->name || strstr(seen, name))
                    continue;
                strncat(seen, name, sizeof seen - strlen(seen) - 1);
                bash_values(o);
            }
        }
}

static void bash(void)
{
    fputs("# SPDX-License-Identifier: Apache-2.0\n"
          "# Completion of torusctl for bash; made of its commands' tables.\n"
          "_torusctl()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local values= options= command= i\n"
          "    COMPREPLY=()\n"
          "    # bash splits at \"=\" and \":\".\n"
          "    [[ $word == = ]] && word=\n"
          "    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
          "        case ${COMP_WORDS[i]} in\n        ",
          stdout);
    for (unsigned i = 0; commands[i]; i++)
        printf("%s%s", i ? " | " : "", commands[i]->name);
    fputs(") command=${COMP_WORDS[i]} && break ;;\n        esac\n    done\n"
          "    case $before in\n",
          stdout);
    bash_all_values();
    fputs("    esac\n    case $command in\n", stdout);
    for (unsigned i = 0; commands[i]; i++) {
        printf("    %s) options='--help --usage --version", commands[i]->name);
        bash_names(commands[i]->options);
        for (unsigned group = 1; group <= LAST_GROUP; group *= 2)
            if (commands[i]->groups & group)
                bash_names(group_options(group));
        fputs("' ;;\n", stdout);
    }
    fputs("    *) options='--help --usage --version", stdout);
    bash_names(group_options(CONNECTION));
    bash_names(group_options(FORMAT));
    fputs("' ;;\n    esac\n"
          "    if [[ $values == FILES ]]; then\n"
          "        compopt -o filenames 2> /dev/null\n"
          "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
          "    elif [[ $values == NONE ]]; then\n"
          "        return\n"
          "    elif [[ -n $values ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\")\n"
          "    elif [[ $word == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
          "    elif [[ -n $command ]]; then\n"
          "        compopt -o filenames 2> /dev/null\n"
          "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
          "    else\n"
          "        mapfile -t COMPREPLY < <(compgen -W '",
          stdout);
    for (unsigned i = 0; commands[i]; i++)
        printf("%s%s", i ? " " : "", commands[i]->name);
    fputs("' -- \"$word\")\n    fi\n}\ncomplete -F _torusctl torusctl\n", stdout);
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "page"))
        page();
    else if (argc == 2 && !strcmp(argv[1], "bash"))
        bash();
    else
        return 2;
    return fclose(stdout) ? 2 : 0;
}
