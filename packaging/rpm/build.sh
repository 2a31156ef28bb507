#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# build.sh: makes dist/quadrille-VERSION-1.x86_64.rpm of what stage.sh lays out.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bash packaging/stage.sh "$work/stage"
rpmbuild -bb --quiet --target x86_64-linux --define "_topdir $work" --define "staged $work/stage" \
    --define "release_version $version" packaging/rpm/quadrille.spec >"$work/log" 2>&1 || {
    tail -40 "$work/log" >&2
    exit 1
}
install -m 644 "$work"/RPMS/x86_64/quadrille-*.rpm dist
echo "make: built dist/quadrille-$version-1.x86_64.rpm"
