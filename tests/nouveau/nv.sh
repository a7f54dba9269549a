#!/bin/sh
# shellcheck shell=dash
# SPDX-License-Identifier: MIT
#
# In the guest, with no driver loaded: nv.c, between the marks that run-tap.py knows.

echo "# begin nv"
nv
echo "# end nv $?"
