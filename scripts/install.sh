#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# install.sh PREFIX: puts the native parts into PREFIX/lib/quadrille/native, the Python package into an environment
# beside them, and the command into PREFIX/bin, the unit of the link helper into PREFIX/lib/systemd/system, man pages into
# PREFIX/share/man.
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -eq 1 ] && [ -n "$1" ] || {
    echo "make: no target folder; write make install PREFIX=/opt/quadrille" >&2
    exit 2
}
prefix=$(realpath -m "$1")
if [[ "$prefix" =~ [[:space:]:] ]]; then
    echo "make: PREFIX '$prefix' holds a space or colon, which LD_PRELOAD cannot name" >&2
    exit 2
fi
home=$prefix/lib/quadrille

install -d "$prefix/bin"
bash scripts/install_native.sh build "$home/native"
install -D -m 644 .libaegis/*/LICENSE "$prefix/share/doc/quadrille/libaegis.LICENSE"

# Out of a copy, because setuptools would write into build/ of the source tree.
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r pyproject.toml README.md LICENSE python "$copy"
bash scripts/python_environment.sh "$home/venv" "$home/venv/.complete" --upgrade "$copy"
# Where systemd looks if PREFIX is /usr or /usr/local; from elsewhere `systemctl link` takes it.
install -d "$prefix/lib/systemd/system" "$prefix/share/quadrille"
sed "s|@PREFIX@|$prefix|" scripts/quadrille-link-helper.service >"$prefix/lib/systemd/system/quadrille-link-helper.service"
chmod 644 "$prefix/lib/systemd/system/quadrille-link-helper.service"
install -m 644 scripts/link-helper.toml "$prefix/share/quadrille"
ln -sfn ../lib/quadrille/venv/bin/quadrille "$prefix/bin/quadrille"
bash scripts/man_pages.sh "$prefix/bin/quadrille" "$prefix/share/man/man1"
echo "make: installed $("$prefix/bin/quadrille" --version) into $prefix"
