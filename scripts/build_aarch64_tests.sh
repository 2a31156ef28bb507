#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# build_aarch64_tests.sh: cross-compiles for 64-bit ARM what tests/packages/test_aarch64.py runs under qemu-user, with the
# compiler of wheels; `make wheel ARCHITECTURE=aarch64` has left it and what it sees in .wheel/aarch64.
set -euo pipefail
cd "$(dirname "$0")/.."
export WHEEL_ROOT=$PWD/.wheel/aarch64 WHEEL_ARCHITECTURE=aarch64
[ -e "$WHEEL_ROOT/system/.complete" ] || {
    echo "make: no compiler for aarch64 yet; run make wheel ARCHITECTURE=aarch64" >&2
    exit 1
}
cmake -S . -B "$WHEEL_ROOT/tests" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DQUADRILLE_MPI_DIR=/none \
    -DCMAKE_TOOLCHAIN_FILE="$PWD/packaging/wheel/zig.cmake" -DQUADRILLE_GOOGLETEST=/usr/src/googletest >"$WHEEL_ROOT/tests.log"
cmake --build "$WHEEL_ROOT/tests" --target quadrille-plan quadrille_wire_pair quadrille_{base,schedule,network,wire}_test
