#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# stage.sh FOLDER: lays out below FOLDER what Debian and RPM packages install: the wheel that `make wheel` has left in dist,
# and what it needs from PyPI, in an environment of its own, in the same places as `make install PREFIX=/usr` has them.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$1
home=$root/usr/lib/quadrille
venv=$home/venv
packages=$venv/lib/python3/site-packages
share=$root/usr/share
pythons=(3.11 3.12 3.13 3.14)

wheel=$(find dist -name "quadrille-*_x86_64.whl" 2>/dev/null | sort -V | tail -1)
[ -n "$wheel" ] || {
    echo "make: no wheel in dist to make a package of; \`make wheel\` builds it" >&2
    exit 1
}

# Whatever this machine has, for glibc 2.28 and the Python named.
fetch() { # PYTHON ARGUMENT...
    local tags=() tag
    for tag in 2_28 2_27 2_17; do tags+=(--platform "manylinux_${tag}_x86_64"); done
    .venv/bin/python -m pip install -q --disable-pip-version-check --no-warn-conflicts --retries 5 --no-compile --upgrade \
        --only-binary :all: "${tags[@]}" --python-version "$1" -c packaging/python_packages.txt "${@:2}"
}

rm -rf "$root"
fetch "${pythons[0]}" --target "$packages" "$wheel"
# One part is compiled for each Python; its files have different names, so that they stand beside each other.
for python in "${pythons[@]:1}"; do
    fetch "$python" --target "$root/other" --no-deps pydantic_core
    cp -n "$root"/other/pydantic_core/*.so "$packages/pydantic_core"
done
mkdir -p "$venv/bin"
for python in "${pythons[@]}"; do
    ln -s python3 "$venv/lib/python$python"
    ln -s "/usr/bin/python$python" "$venv/bin/python$python"
done
printf 'home = /usr/bin\ninclude-system-site-packages = false\n' >"$venv/pyvenv.cfg"

mkdir -p "$share/man" "$share/quadrille"
mv "$packages/share/man/man1" "$share/man"
mv "$packages/quadrille/native" "$home/native"
# Of the packages beside it: commands, add-ons for notebooks, and what would have modules be commands.
rm -rf "$root/other" "$packages"/{bin,share}
find "$packages" -name '*.py' -exec sed -i '1{/^#!/d}' {} + -exec chmod a-x {} +

install -D -m 755 packaging/quadrille "$root/usr/bin/quadrille"
install -m 644 scripts/link-helper.toml "$share/quadrille"
install -d "$root/usr/lib/systemd/system"
sed 's|@PREFIX@|/usr|' scripts/quadrille-link-helper.service >"$root/usr/lib/systemd/system/quadrille-link-helper.service"

completion() { # SHELL FILE
    mkdir -p "$(dirname "$2")"
    _QUADRILLE_COMPLETE=source_$1 .venv/bin/quadrille | sed '/./,$!d' >"$2"
}
completion bash "$share/bash-completion/completions/quadrille"
completion fish "$share/fish/vendor_completions.d/quadrille.fish"
completion zsh "$share/zsh/site-functions/_quadrille"
# zsh reads the file when it completes for the first time, and then wants an answer too.
echo '_quadrille_completion "$@"' >>"$share/zsh/site-functions/_quadrille"
# Whatever umask and setgid folders there are.
chmod -R u=rwX,go=rX,g-s "$root"
