// SPDX-License-Identifier: Apache-2.0
// torusctl: the command line of libtorus. Finds the command, then parses its options, opens the
// connection and runs it.
#define _GNU_SOURCE
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "ctl.h"

enum { MAX_OPTIONS = 128, MAX_CHILDREN = 12, ELSEWHERE = 0x4000 };

static void say_version(FILE *out, struct argp_state *state)
{
    (void)state;
    fprintf(out, "torusctl %s\n", torus_version());
}

__attribute__((visibility("default"))) void (*argp_program_version_hook)(
    FILE *, struct argp_state *) = say_version;

// All options of all commands, each once, hidden from help. key: its letter, or ELSEWHERE + index.
static void all_options(struct argp_option out[MAX_OPTIONS])
{
    unsigned count = 0;
    for (unsigned c = 0; commands[c]; c++)
        for (unsigned group = 0; group <= LAST_GROUP; group = group ? 2 * group : 1) {
            const struct argp_option *o = commands[c]->options;
            if (group)
                o = commands[c]->groups & group ? group_options(group) : NULL;
            for (; o && (o->name || o->doc); o++) {
                unsigned i = 0;
                while (o->name && i < count && strcmp(out[i].name, o->name) != 0)
                    i++;
                if (!o->name || i < count || count == MAX_OPTIONS - 1)
                    continue;
                out[count] = *o;
                out[count].flags = OPTION_HIDDEN;
                out[count].group = 0;
                if (o->key >= 256)
                    out[count].key = ELSEWHERE + (int)count;
                count++;
            }
        }
    memset(&out[count], 0, sizeof *out);
}

// Has the command an option of this name?
static bool has_option(const struct command *c, const char *name)
{
    for (unsigned group = 0; group <= LAST_GROUP; group = group ? 2 * group : 1) {
        const struct argp_option *o = group ? group_options(group) : c->options;
        for (; o && (o->name || o->doc) && (!group || c->groups & group); o++)
            if (o->name && !strcmp(o->name, name))
                return true;
    }
    return false;
}

// The command -----------------------------------------------------------------------------------

// input: the number of its word; left as it is where there is none.
static error_t find_command(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key == ARGP_KEY_ARG) {
        *(int *)state->input = state->next - 1;
        state->next = state->argc;
    }
    return 0; // any option
}

static char *list_commands(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    char *out = NULL;
    size_t size;
    FILE *f = open_memstream(&out, &size);
    if (!f)
        return (char *)text;
    fputs("Commands:\n", f);
    for (unsigned i = 0; commands[i]; i++)
        fprintf(f, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("`torusctl COMMAND --help' says more, with its options.\n"
          "Exit status: 0 good, 1 a check failed, 2 wrong use or no connection.",
          f);
    fclose(f);
    return out;
}

static int command_word(int argc, char **argv, const struct argp_option *all)
{
    const struct argp argp = {.options = all,
                              .parser = find_command,
                              .args_doc = "COMMAND",
                              .doc = "Brings up, measures and watches a torus of Outflank boards "
                                     "through one of them.\v ",
                              .help_filter = list_commands};
    int word = 0;
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &word))
        exit(2);
    return word;
}

// Its options ------------------------------------------------------------------------------------

struct parsing {
    struct args *args;
    const struct argp_option *elsewhere;
    unsigned children;
};

// An option that is not the command's: which have it is said.
static error_t parse_elsewhere(int key, char *arg, struct argp_state *state)
{
    const struct parsing *p = state->input;
    const struct argp_option *o = p->elsewhere;
    char of[300] = "";
    (void)arg;
    while (o->name && o->key != key)
        o++;
    if (!o->name)
        return ARGP_ERR_UNKNOWN;
    for (unsigned i = 0; commands[i]; i++)
        if (has_option(commands[i], o->name))
            snprintf(of + strlen(of), sizeof of - strlen(of), "%s%s", *of ? ", " : "",
                     commands[i]->name);
    argp_failure(state, 2, 0, "--%s does not apply here, it is an option of: %s", o->name, of);
    return 0;
}

static error_t parse_own(int key, char *arg, struct argp_state *state)
{
    const struct parsing *p = state->input;
    struct args *a = p->args;
    if (key == ARGP_KEY_INIT) {
        for (unsigned i = 0; i + 1 < p->children; i++)
            state->child_inputs[i] = a;
        state->child_inputs[p->children - 1] = (void *)p;
        return 0;
    }
    if (key == ARGP_KEY_ARG) {
        if (!*arg)
            argp_failure(state, 2, 0, "'': an argument is empty");
        bool room = a->rest_count < a->command->most;
        if (room)
            a->rest[a->rest_count++] = arg;
        for (; room && a->command->shares && state->next < state->argc; state->next++)
            if ((room = a->rest_count < a->command->most))
                a->rest[a->rest_count++] = state->argv[state->next];
        if (!room)
            argp_failure(state, 2, 0, "'%s' is one argument too many", arg);
        return 0;
    }
    bool option = key > 0 && key < ELSEWHERE;
    if (!option || !a->command->option || !a->command->option(key, arg, state))
        return ARGP_ERR_UNKNOWN;
    note_given(state, a, a->command->options, 0, key, arg);
    return 0;
}

static void parse(int argc, char **argv, const struct argp_option *all, struct args *a)
{
    const struct command *c = a->command;
    struct argp_option elsewhere[MAX_OPTIONS];
    const struct argp others = {.options = elsewhere, .parser = parse_elsewhere};
    struct argp_child children[MAX_CHILDREN] = {{0}};
    struct parsing p = {.args = a, .elsewhere = elsewhere};
    char *doc = NULL;
    unsigned count = 0;
    for (; all->name; all++)
        if (!has_option(c, all->name))
            elsewhere[count++] = *all;
    memset(&elsewhere[count], 0, sizeof *elsewhere);
    for (unsigned group = 1; group <= LAST_GROUP; group *= 2)
        if (c->groups & group)
            children[p.children++].argp = group_argp(group);
    children[p.children++].argp = &others;
    size_t size;
    FILE *f = open_memstream(&doc, &size);
    if (!f)
        exit(2);
    fprintf(f, "%s\v%s\n\nExamples:", c->summary, c->about);
    const char *at = c->examples;
    char line[EXAMPLE];
    while (next_example(c, &at, line))
        fprintf(f, "\n  %s", line);
    fclose(f);
    const struct argp argp = {.options = c->options,
                              .parser = parse_own,
                              .args_doc = c->arguments,
                              .doc = doc,
                              .children = children,
                              .help_filter = fill_in};
    if (argp_parse(&argp, argc, argv, c->shares ? ARGP_IN_ORDER : 0, NULL, &p))
        exit(2);
    free(doc);
}

// ------------------------------------------------------------------------------------------------

static bool has_baud(const char *where)
{
    return !strncmp(where, "usb", 3) || !strncmp(where, "tty:", 4) || !strncmp(where, "/dev/", 5);
}

// Options that do nothing as they are used here are refused: who gave one meant something by it.
static int refuse_idle(const struct args *a)
{
    const struct command *c = a->command;
    for (unsigned i = 0; i < a->given_count; i++) {
        const struct given *o = &a->given[i];
        const char *why = c->idle ? c->idle(a, o) : NULL;
        char name[40];
        if (!why && !strcmp(o->name, "baud") && a->where && !has_baud(a->where))
            why = "of usb and tty: only, a socket has no such rate; leave it out";
        snprintf(name, sizeof name, "--%s", o->name);
        if (why)
            return wrong("option", name, why);
    }
    return GO_ON;
}

// Finds the command and takes its options. GO_ON or, where it is wrong, the exit status or the end
// of the program; one line has said why.
static int command_line(int argc, char **argv, struct args *a)
{
    struct argp_option all[MAX_OPTIONS];
    static char name[40]; // argp keeps it
    char list[300] = "say one of ";
    all_options(all);
    int word = command_word(argc, argv, all);
    for (unsigned i = 0; commands[i]; i++) {
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 commands[i]->name);
        if (word && !strcmp(argv[word], commands[i]->name))
            a->command = commands[i];
    }
    if (!word || !a->command)
        return wrong("command", word ? argv[word] : "", list);
    // The rest as if it were a program of its own.
    snprintf(name, sizeof name, "torusctl %s", a->command->name);
    memmove(&argv[word], &argv[word + 1], (size_t)(argc - word) * sizeof *argv);
    argv[0] = name;
    parse(argc - 1, argv, all, a);
    return refuse_idle(a);
}

static int run(struct args *a)
{
    if (a->names && !names_read(a->names))
        return 2;
    int status = a->command->prepare ? a->command->prepare(a) : GO_ON;
    if (status != GO_ON)
        return status;
    if (!a->where)
        return wrong("command", a->command->name,
                     "say where the board is: -t usb, usb:SERIAL, unix:PATH, tty:PATH or tcp:PORT");
    if (a->key_file && (a->options.key = key_read(a->key_file)) == 0)
        return 2;
    if (a->command->groups & WRITING || a->command->shares) { // so that it ends tidily
        interrupt_note();
        a->options.cancelled = interrupted;
        a->options.progress = progress_of_call;
    }
    a->options.frame = a->debug ? debug_frame : NULL;
    struct torus *t;
    a->options.token = token_load();
    int error = (a->command->shares ? torus_share : torus_open)(&t, a->where, &a->options);
    status = error == TORUS_OK ? a->command->run(t, a) : report(t, error);
    if (interrupted(NULL)) // torus_close() waits a second only
        torus_release(t);
    torus_close(t);
    return status;
}

// What is started beside a shared board is looked at before that is. Its options' values are left
// behind in that command's file, where nobody reads them.
static int look_at_started(const struct args *a)
{
    char *argv[MAX_REST + 2] = {(char *)"torusctl"};
    struct args of = {.options = torus_options_default(), .run = torus_run_default()};
    for (unsigned i = 0; i < a->rest_count; i++)
        argv[i + 1] = (char *)a->rest[i];
    of.where = a->where; // as it will be told
    if (!a->command->shares || !a->rest_count)
        return GO_ON;
    if (command_line((int)a->rest_count + 1, argv, &of) != GO_ON)
        return 2;
    return of.command->shares ? wrong("command", of.command->name, "it shares the board already")
                              : GO_ON;
}

int main(int argc, char **argv)
{
    struct args a = {.options = torus_options_default(), .run = torus_run_default()};
    output_guard();
    argp_err_exit_status = 2;
    int status = command_line(argc, argv, &a);
    if (status != GO_ON || !a.command)
        return status;
    status = look_at_started(&a);
    return status == GO_ON ? run(&a) : status;
}
