# SPDX-License-Identifier: BSD-3-Clause
"""Link helpers on emulated hosts, and who asks them."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from quadrille.lab.lab import Lab

PATIENCE_S = 20
AS_THE_UNIT = [
    *("setpriv", "--no-new-privs", "--inh-caps=-all"),
    "--bounding-set=-all,+sys_admin,+net_admin,+net_raw",
]
"""What scripts/quadrille-link-helper.service leaves it."""
NOBODY, GAMES, DAEMON = 65534, 5, 1
"""Users that every Debian has, by number."""


def write_rules(path: Path, address: str, rules: Sequence[tuple[Sequence[int], str]]) -> Path:
    """Write a rules file: at `address` of eth0's network, users by number and their ports."""
    text = f'[[network]]\ninterface = "eth0"\naddress = "{address}/16"\n'
    for users, ports in rules:
        named = ", ".join(f'"{user}"' for user in users)
        text += f'[[network.rule]]\nusers = [{named}]\nports = "{ports}"\n'
    path.write_text(text, encoding="utf-8")
    return path


class RunningHelper:
    """A link helper on a host of a lab."""

    def __init__(self, lab: Lab, host: str, rules: Path, path: Path) -> None:
        """Start it; `wait` says when it serves."""
        command = [
            *AS_THE_UNIT,
            sys.executable,
            "-c",
            "from quadrille.cli import main; main()",
            "link-helper",
        ]
        self.path = path
        self.process = subprocess.Popen(
            lab.enter(host, [*command, "--rules", str(rules), "--socket", str(path)]),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def wait(self) -> RunningHelper:
        """Return when ranks may ask."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("eth0: "), line
        return self

    def end(self) -> str:
        """Have it end as systemd does; return what it said."""
        self.process.terminate()
        output, _ = self.process.communicate(timeout=PATIENCE_S)
        assert self.process.returncode == 0, output
        return output


@contextlib.contextmanager
def serving(
    lab: Lab, hosts: Sequence[str], rules: Sequence[Path], folder: Path
) -> Iterator[list[RunningHelper]]:
    """Have a helper on each of `hosts`, at HOST.sock in `folder`, with the rules at its place."""
    started = [
        RunningHelper(lab, host, of, folder / f"{host}.sock") for host, of in zip(hosts, rules, strict=True)
    ]
    try:
        yield [one.wait() for one in started]
    finally:
        for one in started:
            one.process.kill()
            one.process.wait()
            assert one.process.stdout is not None
            one.process.stdout.close()


def as_user(uid: int, command: Sequence[str]) -> list[str]:
    """Return the line that runs `command` as somebody without any privilege."""
    return ["setpriv", "--reuid", str(uid), "--regid", str(uid), "--clear-groups", "--", *command]


def interfaces(lab: Lab, host: str) -> list[str]:
    """Return the names of the interfaces of `host`."""
    listed = lab.on_host(host, ["ip", "-br", "link"])
    return sorted(line.split()[0].partition("@")[0] for line in listed.splitlines())


def wait_until_gone(lab: Lab, host: str, interface: str) -> None:
    """Return when the kernel has removed it."""
    end = time.monotonic() + PATIENCE_S
    while interface in interfaces(lab, host):
        assert time.monotonic() < end, f"{interface} is still on {host}"
        time.sleep(0.05)
