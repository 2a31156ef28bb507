# SPDX-License-Identifier: BSD-3-Clause
"""The lab's doors, as small shell scripts in its run directory.

`enter HOST COMMAND...` runs a command on a host with the caller's environment. `agent` is what MPI launchers
call in the place of ssh: it takes a host name or address and, as ssh does, joins its arguments for a shell
and passes no environment on, so that nothing works here that a real cluster would not let work.
"""

from __future__ import annotations

import shlex
import stat
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from quadrille.lab.state import LabState

_ENTER = """#!/bin/sh
# Runs a command on a host of lab {lab}: enter HOST COMMAND [ARGUMENT...]
case "$1" in
{cases}
*) echo "enter: lab {lab} has no host $1; it has {names}" >&2; exit 2 ;;
esac
shift
case "$(readlink "$net")" in
"net:[$inode]") ;;
*) echo "enter: lab {lab} is gone; start it again with quadrille lab up" >&2; exit 1 ;;
esac
{user}
exec nsenter $user --net="$net" --uts="$uts" --mount="$mnt" --ipc="$ipc" -- \\
  /bin/sh -c 'cd "$0" 2>/dev/null || cd /; exec "$@"' "$PWD" "$@"
"""

_USER = """user=
if [ "$(readlink /proc/self/ns/user)" != "$(readlink {path})" ]; then
  user="--user={path} --preserve-credentials"
fi"""

_AGENT = """#!/bin/sh
# Stands for ssh in lab {lab}: agent [OPTION...] HOST COMMAND...
while :; do
  case "$1" in
  -[lpoiF]) shift 2 ;;
  -*) shift ;;
  *) break ;;
  esac
done
host=$1
shift
cd "${{HOME:-/}}" 2>/dev/null || cd /
exec env -i HOME="$HOME" USER="${{USER:-root}}" LOGNAME="${{LOGNAME:-root}}" SHELL=/bin/sh \\
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \\
  {enter} "$host" /bin/sh -c "$*"
"""

_LAUNCHER = """#!/bin/sh
# Starts {program} on host {host} of lab {lab}, as somebody logged in there would.
{settings}exec {enter} {host} {program} "$@"
"""


def write_entrance(directory: Path, state: LabState) -> None:
    """Write `enter` and `agent` into the run directory."""
    cases = []
    for host in state.hosts.values():
        aliases = [host.name, host.address]
        if host.admin_address:
            aliases += [f"{host.name}-admin", host.admin_address]
        paths = " ".join(f"{kind}={path}" for kind, path in host.namespaces.items())
        cases.append(f"{'|'.join(aliases)}) {paths} inode={host.network_inode} ;;")
    user = _USER.format(path=state.user_namespace) if state.user_namespace else "user="
    names = " ".join(state.hosts)
    enter = directory / "enter"
    _write_script(enter, _ENTER.format(lab=state.lab_id, cases="\n".join(cases), names=names, user=user))
    _write_script(directory / "agent", _AGENT.format(lab=state.lab_id, enter=shlex.quote(str(enter))))


def write_launcher(
    path: Path,
    state: LabState,
    program: Path,
    host: str,
    settings: Mapping[str, str] = MappingProxyType({}),
    defaults: Mapping[str, str] = MappingProxyType({}),
) -> Path:
    """Write the script `path` that runs `program` on `host` with `settings` exported; return it.

    `defaults` are exported too, unless the caller's environment has them.

    REQUIRES: `path` is RUN DIRECTORY/KIND/NAME, and NAME the usual name of such a launcher, so that whoever
    reads a launcher line knows what it is.
    """
    path.parent.mkdir(exist_ok=True)
    exports = "".join(f"export {key}={shlex.quote(value)}\n" for key, value in settings.items())
    for key, value in defaults.items():
        exports += f'[ -n "${key}" ] || export {key}={shlex.quote(value)}\n'
    text = _LAUNCHER.format(
        program=shlex.quote(str(program)),
        host=host,
        lab=state.lab_id,
        settings=exports,
        enter=shlex.quote(str(path.parent.parent / "enter")),
    )
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        _write_script(path, text)
    return path


def _write_script(path: Path, text: str) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.chmod(partial.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    partial.replace(path)
