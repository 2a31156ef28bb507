#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# install_native.sh BUILD FOLDER: puts what a build folder holds for users into FOLDER: libraries, programs, settings.
set -euo pipefail
build=$1 folder=$2
install -d "$folder"
install -m 755 "$build"/libquadrille*.so "$folder"
find "$build" -maxdepth 1 -name 'libsodium.so.*' -exec install -m 755 {} "$folder" \;
find "$build" -maxdepth 1 -type f -name 'quadrille-*' -perm -u+x -exec install -m 755 {} "$folder" \;
install -m 644 "$(dirname "$0")/../src/base/settings.def" "$folder"
