#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fetch_libaegis.sh FOLDER: puts the C sources of libaegis (MIT) into FOLDER. PyPI's source distribution of pyaegis has
# them; Debian has no package. The version and its checksum are in libaegis.txt.
set -euo pipefail
folder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "make: fetching libaegis into $folder" >&2
PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore .venv/bin/python -m pip download -q --retries 5 --no-deps \
    --no-binary :all: --require-hashes -d "$work" -r "$(dirname "$0")/libaegis.txt"
tar -xzf "$work"/pyaegis-*.tar.gz -C "$work" --strip-components 1
mkdir -p "$(dirname "$folder")"
rm -rf "$folder"
cp "$work/LICENSE" "$work/c_src/"
mv "$work/c_src" "$folder"
touch "$folder/LICENSE"
