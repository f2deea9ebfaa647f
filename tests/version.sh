#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The version, as 0.2.0: that of libtorus.h, which all that is installed has.
sed -n 's/^#define TORUS_VERSION_[A-Z]* *//p' host/lib/libtorus.h | paste -sd .
