#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# numbers.sh NAME=VALUE...: whether these settings of a test are whole numbers from 1 (SEED: 0) on, or not set,
# before it builds for minutes. Exit status 2, and a line: one is not.
for setting in "$@"; do
    case $setting in
    *= | SEED=0) ;;
    *=0* | *=*[!0-9]* | *=??????????*)
        echo "bitstream-test: $setting: say a number from 1 to 999999999" >&2
        exit 2
        ;;
    esac
done
