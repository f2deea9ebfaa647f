#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# settings.sh BOARD: whether SEED, FLIPS, LEAST and ROUNDS, of the environment, are what a test of that board can
# do, before it builds for minutes: whole numbers from 1 (SEED: 0) on, or not set; FLIPS of an iCE40 only. Exit
# status 2, and a line: one is not.
for setting in "SEED=${SEED-}" "FLIPS=${FLIPS-}" "LEAST=${LEAST-}" "ROUNDS=${ROUNDS-}"; do
    case $setting in
    *= | SEED=0) ;;
    *=0* | *=*[!0-9]* | *=??????????*)
        echo "bitstream-test: $setting: say a number from 1 to 999999999" >&2
        exit 2
        ;;
    esac
done
case $1:${FLIPS-} in
ice40* | *:) ;;
*)
    echo "bitstream-test: $1: FLIPS is for an iCE40's bitstream" >&2
    exit 2
    ;;
esac
