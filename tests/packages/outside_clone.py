# SPDX-License-Identifier: BSD-3-Clause
"""Commands as they are typed where there is no clone of the project."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_OF_THE_CLONE = ("PYTHONPATH", "QUADRILLE_NATIVE_DIR", "VIRTUAL_ENV")


def run_outside_clone(folder: Path, *command: str, environment: Mapping[str, str]) -> str:
    """Run `command` in `folder` without what leads to the clone; return what it says. It must succeed."""
    kept = {name: value for name, value in os.environ.items() if name not in _OF_THE_CLONE}
    done = subprocess.run(
        command,
        env={**kept, **environment},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
