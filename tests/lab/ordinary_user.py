# SPDX-License-Identifier: BSD-3-Clause
"""Somebody without any privilege, who uses the lab's command line as root's tests do."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


class OrdinaryUser:
    """The user `nobody`, whose home is `home` and whose labs' run directories are in `labs`."""

    def __init__(self, home: Path) -> None:
        """Give him `home`. Skips the test where nobody can become him or he cannot read this Python."""
        if os.geteuid() != 0 or shutil.which("setpriv") is None:
            pytest.skip("changes its user, which only root can, by setpriv")
        user = pwd.getpwnam("nobody")
        os.chown(home, user.pw_uid, user.pw_gid)
        # Up to the temporary folder that all may enter.
        for parent in (home, *home.parents):
            mode = parent.stat().st_mode
            if mode & 0o055 != 0o055:
                parent.chmod(mode | 0o055)
        self.labs = home / "labs"
        self._become = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        self._environment = {**os.environ, "QUADRILLE_LAB_DIR": str(self.labs), "HOME": str(home)}
        if self._run(sys.executable, "-c", "import quadrille").returncode != 0:
            pytest.skip("an ordinary user cannot read this Python environment")

    def lab(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `quadrille lab` with `arguments` as this user."""
        return self._run(sys.executable, "-c", "from quadrille.cli import main; main()", "lab", *arguments)

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self._become, *command],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
