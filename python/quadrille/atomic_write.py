# SPDX-License-Identifier: BSD-3-Clause
"""Writes a file as a whole or not at all; finds another place for what was measured when its disk is full.

What stood in the file stays until the new text is on the disk, and a failed attempt leaves nothing behind
that would take room away. Only a file that cannot be replaced by another is written in place.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import tempfile
from pathlib import Path

from quadrille.errors import QuadrilleError, UsageError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_FIXED = frozenset({errno.EBUSY, errno.EACCES, errno.EPERM, errno.EROFS})
"""What is in the file may change, but not which file it is: one that is mounted into a container, or one in
a folder of somebody else. It is then written in place."""


def is_full(error: OSError) -> bool:
    """Return whether `error` says that there is no more room, of a disk or a quota."""
    return error.errno in _FULL


def cannot_write(error: OSError, name: str, remedy: str) -> QuadrilleError:
    """Return the error to raise. `name`: what and where, as `report r.html`; `remedy`: `give another -o`."""
    if is_full(error):
        return QuadrilleError(f"{name} cannot be written ({error.strerror}); make room there, or {remedy}")
    return UsageError(f"{name} cannot be written ({error.strerror}); {remedy}")


def check_place(path: Path, name: str, remedy: str) -> None:
    """Raise UsageError where `path` cannot be written, before what is to go there is measured in vain."""
    if path.is_dir():
        raise UsageError(f"{name} is a folder; give the name of a file")
    if path.exists() and not os.access(path, os.W_OK):
        raise UsageError(f"{name} may not be overwritten; {remedy}")
    if path.exists() and not path.is_file():
        return
    try:
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            return
    except OSError as error:
        if error.errno in _FIXED and path.exists():
            return
        raise UsageError(f"{name} cannot be written ({error.strerror}); {remedy}") from None


def write_whole(path: Path, text: str, name: str, remedy: str) -> None:
    """Put `text` into `path`, replacing what is there.

    Raises what `cannot_write` makes of an OSError; then the file is as it was.
    """
    try:
        _replace(path, text)
    except OSError as error:
        raise cannot_write(error, name, remedy) from None


def write_measured(path: Path, text: str, name: str, remedy: str) -> Path:
    """As `write_whole`; where there is no room, into the folder for temporary files, which is told on stderr.

    Returns the file that holds the text.
    """
    try:
        _replace(path, text)
    except OSError as error:
        place = refuge(path) if is_full(error) else None
        if place is None:
            raise cannot_write(error, name, remedy) from None
        with contextlib.suppress(OSError):
            _replace(place, text)
            print(f"quadrille: {path}: {error.strerror}; it is in {place} instead", file=sys.stderr)
            return place
        raise cannot_write(error, name, remedy) from None
    return path


def refuge(path: Path) -> Path | None:
    """Return another place for what does not fit into `path`; None where there is no other disk to try.

    It is the same for the same path and process.
    """
    try:
        folder = Path(tempfile.gettempdir())
        if folder.stat().st_dev == path.absolute().parent.stat().st_dev:
            return None
    except OSError:
        return None
    return folder / f"quadrille-{os.getpid()}-{path.name}"


def _replace(path: Path, text: str) -> None:
    data = text.encode("utf-8")
    if path.exists() and not path.is_file():  # a terminal, a pipe, /dev/null; a folder fails as it must
        path.write_bytes(data)
        return
    target = path.resolve()  # so that a link stays one
    try:
        _rename_over(target, data)
    except OSError as error:
        if error.errno not in _FIXED or not target.exists():
            raise
        target.write_bytes(data)


def _rename_over(target: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    partial = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.chmod(_usual_mode(target))
        partial.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def _usual_mode(path: Path) -> int:
    """Return the permissions that the file has, or would have got when made by open()."""
    if path.exists():
        return path.stat().st_mode & 0o7777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
