// SPDX-License-Identifier: Apache-2.0
// torusctl flash: writes a board's image with openFPGALoader. Asks no board of ours.
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl.h"

enum { LOADER_MAX = 16 };

// The boards of constraints/, and what openFPGALoader wants to hear for each.
static const struct loader {
    const char *board, *name, *type; // type: of the file; NULL: bytes as they are
    const char *part;                // the FPGA, as an image says; NULL: an iCE40's, which does not
    bool no_ftdi;                    // another chip writes it, which --chip does not choose
} loaders[] = {
    {"ice40hx8k-b-evn", "ice40_generic", NULL, NULL, false},
    {"ulx3s-85f", "ulx3s", "bit", "LFE5U-85F-", false},
    {"ulx3s-45f", "ulx3s", "bit", "LFE5U-45F-", false},
    {"ulx3s-25f", "ulx3s", "bit", "LFE5U-25F-", false},
    {"ulx3s-12f", "ulx3s", "bit", "LFE5U-12F-", false},
    {"ulx3s-85f-wide", "ulx3s", "bit", "LFE5U-85F-", false},
    {"ulx3s-85f-small", "ulx3s", "bit", "LFE5U-85F-", false},
    {"ulx3s-25f-small", "ulx3s", "bit", "LFE5U-25F-", false},
    {"icepi-zero", "icepi-zero", "bit", "LFE5U-25F-", false},
    {"ecp5-evn", "ecp5_evn", "bit", "LFE5UM5G-85F-", false},
    {"colorlight-i9", "colorlight-i9", "bit", "LFE5U-45F-", true},
};

enum { LOADERS = sizeof loaders / sizeof loaders[0] };

static struct {
    const char *board, *chip;
} set;

static const struct argp_option options[] = {
    {"board", 'B', "BOARD", 0,
     "what it is: ice40hx8k-b-evn, ulx3s-85f, ulx3s-45f, ulx3s-25f, ulx3s-12f, ulx3s-85f-wide, "
     "ulx3s-85f-small, ulx3s-25f-small, icepi-zero, ecp5-evn or colorlight-i9; must be there",
     1},
    {"chip", 'C', "SERIAL", 0,
     "the serial number of the FTDI chip on it, where several boards are plugged in", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    (void)state;
    if (key == 'B')
        set.board = arg;
    else if (key == 'C')
        set.chip = arg;
    else
        return false;
    return true;
}

static const struct loader *find(const char *board)
{
    for (size_t i = 0; board && i < LOADERS; i++)
        if (!strcmp(loaders[i].board, board))
            return &loaders[i];
    return NULL;
}

enum { FIRMWARE = 256 * 1024 }; // in the flash of an iCE40 (constraints/ice40hx8k-b-evn.json)

// Why what is in a file cannot be what such an FPGA starts from, or NULL: an ECP5's begins with its
// name, as ecppack writes it, and its last command is ISC_PROGRAM_DONE (Lattice FPGA-TN-02039); an
// iCE40's begins with the word that starts its configuration (Lattice TN1248), and the firmware
// stands behind it.
static const char *unfit(const struct loader *l, const char *image)
{
    static const char ice40[] = {0x7e, (char)0xaa, (char)0x99, 0x7e};
    static const char done[] = {0x5e, 0, 0, 0};
    char head[128] = "", tail[16] = "";
    FILE *f = fopen(image, "r");
    if (!f)
        return strerror(errno);
    size_t got = fread(head, 1, sizeof head, f);
    long bytes = fseek(f, 0, SEEK_END) ? 0 : ftell(f);
    size_t last = fseek(f, -(long)sizeof tail, SEEK_END) ? 0 : fread(tail, 1, sizeof tail, f);
    fclose(f);
    if (!(l->part ? memmem(head, got, l->part, strlen(l->part))
                  : memmem(head, got, ice40, sizeof ice40)))
        return "not one for this board's FPGA: make bitstream tells where its image is";
    if (!(l->part ? memmem(tail, last, done, sizeof done) != NULL : bytes > FIRMWARE))
        return l->part ? "its end is not there: make bitstream makes a whole one"
                       : "it has no firmware: make bitstream tells where the image with both is";
    return NULL;
}

static int prepare(struct args *a)
{
    const struct loader *l = find(set.board);
    const char *image = a->rest_count ? a->rest[0] : NULL;
    char *argv[LOADER_MAX], known[256] = "";
    char path[PATH_MAX];
    struct stat st;
    pid_t child;
    int n = 0, status;

    snprintf(known, sizeof known, set.board ? "say one of " : "say --board: ");
    for (size_t i = 0; i < LOADERS; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 loaders[i].board);
    if (!l)
        return set.board ? wrong("board", set.board, known) : wrong("command", "flash", known);
    if (set.chip && l->no_ftdi)
        return wrong("chip", set.chip, "this board has no FTDI chip: plug in one board alone");
    if (!image)
        return wrong("command", "flash", "say which IMAGE: make bitstream tells where it is");
    if (stat(image, &st))
        return wrong("image", image, strerror(errno));
    if (!S_ISREG(st.st_mode) || !st.st_size)
        return wrong("image", image, "not a file with something in it");
    // A name that the loader does not take for an option
    if ((size_t)snprintf(path, sizeof path, "%s%s", *image == '-' ? "./" : "", image) >=
        sizeof path)
        return wrong("image", image, strerror(ENAMETOOLONG));
    const char *why = unfit(l, image);
    if (why)
        return wrong("image", image, why);

    argv[n++] = (char *)"openFPGALoader";
    argv[n++] = (char *)"-b";
    argv[n++] = (char *)l->name;
    if (set.chip) {
        argv[n++] = (char *)"--ftdi-serial";
        argv[n++] = (char *)set.chip;
    }
    if (l->type) {
        argv[n++] = (char *)"--file-type";
        argv[n++] = (char *)l->type;
    }
    argv[n++] = (char *)"--write-flash";
    argv[n++] = path;
    argv[n] = NULL;
    fflush(stdout);
    errno = posix_spawnp(&child, argv[0], NULL, NULL, argv, environ);
    if (errno)
        return wrong("program", argv[0],
                     errno == ENOENT
                         ? "is not installed: apt-get install openfpgaloader (icepi-zero: its "
                           "release 1.0 or newer)"
                         : strerror(errno));
    signal(SIGINT, SIG_IGN); // it is the loader's to end cleanly
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    wrong("image", image, "openFPGALoader has not written it");
    return 1;
}

const struct command command_flash = {
    .name = "flash",
    .arguments = "IMAGE",
    .most = 1,
    .summary = "write a board's image into its flash, by openFPGALoader",
    .about = "Writes an image that make bitstream has made, bitstream and firmware, into the flash "
             "of a board, and starts it: openFPGALoader does it, which must be installed. The exit "
             "status is 0 when it says that it is written.",
    .examples = "flash --board ulx3s-85f build/bitstream/ulx3s-85f/flash.bin\n",
    .options = options,
    .option = option,
    .prepare = prepare,
};
