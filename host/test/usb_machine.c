// SPDX-License-Identifier: Apache-2.0
// usb_machine [--drop P] PORT COMMAND [ARGUMENT...]: runs a command on a machine that umockdev
// makes up, with board 0 of the USB/IP server at that port of 127.0.0.1 plugged in; its exit
// status. 2: wrong use. --drop: frames are lost with probability P.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mock_usb.h"

int main(int argc, char **argv)
{
    struct mock_faults faults = mock_no_faults;
    int at = 1, status;
    char *end = NULL;
    if (argc > 3 && !strcmp(argv[1], "--drop")) {
        faults.drop = strtod(argv[2], NULL);
        at = 3;
    }
    unsigned long port = argc > at + 1 ? strtoul(argv[at], &end, 10) : 0;
    if (!port || port > 65535 || *end) {
        fprintf(stderr, "usage: usb_machine [--drop P] PORT COMMAND [ARGUMENT...]\n");
        return 2;
    }
    struct mock *mock = mock_new(argv, 1);
    mock_plug(mock, (unsigned)port, 1);
    mock_set_faults(mock, &faults);
    pid_t pid = fork();
    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(argv[at + 1], argv + at + 1);
        perror(argv[at + 1]);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        perror("usb_machine");
        return 2;
    }
    mock_free(mock);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
