# SPDX-License-Identifier: BSD-3-Clause
"""A minimal Debian 12 in a folder, for tests that install packages as an administrator would."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

_MOUNTS = "mount -t tmpfs tmpfs /dev/shm; mount -t sysfs sysfs /sys; mount -t tmpfs tmpfs /tmp"
_MANAGERS_OWN = ("var/lib/dpkg", "var/lib/apt", "var/lib/rpm", "var/lib/systemd", "var/log", "var/cache")


@dataclass(frozen=True)
class Debian:
    """A root folder; each command has mounts and process numbers of its own, which end with it."""

    folder: Path

    def run(self, *command: str, **environment: str) -> str:
        """Run `command` in it as root; return what it says. It must succeed."""
        entering = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        done = subprocess.run(
            [*entering, f"--root={self.folder}", "sh", "-ec", f'{_MOUNTS}; exec "$@"', "sh", *command],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/tmp", **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def as_user(self, *command: str, **environment: str) -> str:
        """Run `command` as a user without privilege."""
        nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        return self.run(*nobody, *command, **environment)

    def install(self, *packages: str) -> None:
        """Install by apt: names, or files as absolute paths inside."""
        options = ["-y", "-q", "--no-install-recommends"]
        self.run("apt-get", "install", *options, *packages, DEBIAN_FRONTEND="noninteractive")

    def files(self) -> set[str]:
        """Return all files and folders but for what package managers keep for themselves."""
        found = set()
        for folder, folders, files in os.walk(self.folder):
            at = os.path.relpath(folder, self.folder)
            folders[:] = [name for name in folders if os.path.normpath(f"{at}/{name}") not in _MANAGERS_OWN]
            found.update(os.path.normpath(f"{at}/{name}") for name in [*folders, *files])
        return found
