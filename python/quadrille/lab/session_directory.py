# SPDX-License-Identifier: BSD-3-Clause
"""A lab's own folder for what the processes of an MPI job share on a host: Open MPI's session directory.

Open MPI 4 would use /tmp/ompi.HOST.UID. Hosts of different labs have the same names, and in a user namespace
everybody is uid 0: who came first would keep all others out. It is in /tmp, with a link to it in the run
directory, because that may be in memory (a job takes 8 MiB a host) or on a network file system.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
from pathlib import Path

from quadrille.errors import QuadrilleError

_LINK = "sessions"
_PARENT = Path("/tmp")


def make_session_directory(directory: Path) -> None:
    """Make the folder of the lab whose run directory is `directory`. Raises QuadrilleError when it cannot be.

    Nobody knows its name before, so that nobody else has taken it. The link comes first: the folder is then
    found and removed however `lab up` ends.
    """
    # Short: with the longest names of lab and host a Unix socket's path (108 bytes) beneath it still fits.
    path = _PARENT / f"{_prefix(directory)}{secrets.token_hex(3)}"
    try:
        (directory / _LINK).symlink_to(path)
        path.mkdir(mode=0o700)
    except OSError as error:
        raise QuadrilleError(f"{path}: cannot be made ({error.strerror})") from None


def session_directory(directory: Path) -> Path:
    """Return the folder of the lab whose run directory is `directory`. Raises OSError when there is none."""
    return (directory / _LINK).readlink()


def remove_session_directory(directory: Path) -> None:
    """Remove the folder and all in it, if there is one. REQUIRES: no process of the lab is left."""
    with contextlib.suppress(OSError):
        path = session_directory(directory)
        # Root may take down labs in a folder of somebody else, whose link may name anything.
        if path.parent == _PARENT and path.name.startswith(_prefix(directory)):
            shutil.rmtree(path, ignore_errors=True)


def _prefix(directory: Path) -> str:
    return f"qlab-{directory.name}-"
