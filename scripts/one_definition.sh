#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Links the core library of one MPI's ABI by link-time optimisation, which compares what its files say of each type: fails where two
# of a name differ (one-definition rule), of which neither the compiler nor the usual linker knows. Not optimised, as only types
# are looked at. Two of one name inside files that are compiled joined are an error of the compiler.
#   one_definition.sh [TARGET...]       (quadrille-ompi unless named)
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- quadrille-ompi

cmake -S . -B build/one-definition -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_COMPILER=g++ -DCMAKE_C_COMPILER=gcc \
    -DCMAKE_AR="$(command -v gcc-ar)" -DCMAKE_RANLIB="$(command -v gcc-ranlib)" \
    -DCMAKE_CXX_FLAGS='-O0 -flto -fno-fat-lto-objects' \
    -DCMAKE_SHARED_LINKER_FLAGS='-O0 -flto=auto -Wodr -Werror=odr -Wlto-type-mismatch -Werror=lto-type-mismatch' >/dev/null
cmake --build build/one-definition --target "$@"
echo "one-definition: no two definitions of a name in $*"
