#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# install_packages.sh [LIST]: installs the system packages of LIST (packages.txt beside this) that are missing. Touches neither network nor
# apt when none is.
set -euo pipefail
list=${1:-$(dirname "$0")/packages.txt}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

if ! command -v dpkg-query >/dev/null; then
    echo "make: no Debian packages here; install by hand what stands in $list" >&2
    exit 0
fi
required=() optional=()
while read -r mark name; do
    case "$mark" in
        '' | '#'*) ;;
        '?') is_installed "$name" || optional+=("$name") ;;
        *) is_installed "$mark" || required+=("$mark") ;;
    esac
done <"$list"
[ ${#required[@]} -eq 0 ] && [ ${#optional[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "make: neither root nor sudo; ask an administrator for: ${required[*]} ${optional[*]}" >&2
        exit 1
    }
    as_root=(sudo)
fi
# Another apt may hold the locks, as on a machine that has just booted: wait for it, up to five minutes each.
apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 "$@" </dev/null
}
update_lists() {
    local deadline=$((SECONDS + 300)) log
    until log=$(apt update 2>&1); do
        if [[ "$log" != *"Could not get lock"* ]] || [ $SECONDS -ge $deadline ]; then
            echo "$log" >&2
            return 1
        fi
        sleep 3
    done
}
echo "make: installing system packages: ${required[*]} ${optional[*]}" >&2
update_lists
[ ${#required[@]} -eq 0 ] || apt install -y --no-install-recommends "${required[@]}"
for name in "${optional[@]}"; do
    apt install -y --no-install-recommends "$name" || echo "make: optional package $name is not to be had here" >&2
done
