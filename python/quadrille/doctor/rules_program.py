# SPDX-License-Identifier: BSD-3-Clause
"""Whether a program is one that a preloaded library can reach: told from its file, without running it."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSegment, DynamicTag
from elftools.elf.elffile import ELFFile

from quadrille.doctor.finding import Finding

_CAPABILITIES = "security.capability"
_MPI_LIBRARIES = ("libmpi", "libmpich", "libmpicxx", "libmpifort")


@dataclass(frozen=True)
class ProgramFile:
    """What a program's file says; `needed`: libraries it names, None where it is no ELF program."""

    path: Path
    needed: tuple[str, ...] | None = None
    is_dynamic: bool = True
    is_privileged: bool = False


def read_program(words: list[str]) -> ProgramFile | None:
    """Return what is known of the program that `words` start; None where this host does not have it."""
    found = shutil.which(words[0]) if words else None
    if found is None:
        return None
    path = Path(found)
    privileged = _is_privileged(path)
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            dynamic = [one for one in elf.iter_segments() if isinstance(one, DynamicSegment)]
            needed = tuple(_library(tag) for one in dynamic for tag in one.iter_tags("DT_NEEDED"))
            interpreted = any(one.header.p_type == "PT_INTERP" for one in elf.iter_segments())
    except (ELFError, OSError):
        return ProgramFile(path, is_privileged=privileged)
    return ProgramFile(path, needed, interpreted, privileged)


def program(words: list[str]) -> Iterator[Finding]:
    """Find why Quadrille could not take part in the program of the launcher line."""
    if not words:
        return
    file = read_program(words)
    if file is None:
        yield Finding(
            "program_not_found",
            "note",
            "the program is not on this host, so it could not be looked at",
            f"{shlex.join(words)}: not found here",
            "run `quadrille doctor` where the program is, if you want it examined",
        )
    elif file.needed is not None and not file.is_dynamic:
        yield _unreachable("static_program", file.path, "statically linked", "link it dynamically")
    elif file.is_privileged:
        yield _unreachable(
            "privileged_program",
            file.path,
            "setuid, setgid, or has file capabilities, so that the system ignores preloaded libraries",
            "take the privilege away from the file: `chmod ug-s FILE`, `setcap -r FILE`",
        )
    elif file.needed is not None and not any(name.startswith(_MPI_LIBRARIES) for name in file.needed):
        yield Finding(
            "no_mpi_library",
            "note",
            "the program itself names no MPI library. That is usual for scripts' interpreters and "
            "programs that "
            "use MPI through another library; a program with MPI linked in statically cannot be reached",
            f"{file.path} needs {', '.join(file.needed) or 'no library'}",
            "`QUADRILLE_LOG=start quadrille run -- LAUNCHER PROGRAM` says whether Quadrille took part",
        )


def _library(tag: DynamicTag) -> str:
    name: str = tag.needed  # type: ignore[attr-defined]  # set for tags of this type alone
    return name


def _is_privileged(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
        attributes = os.listxattr(path)
    except OSError:
        return False
    return bool(mode & (stat.S_ISUID | stat.S_ISGID)) or _CAPABILITIES in attributes


def _unreachable(kind: str, path: Path, why: str, remedy: str) -> Finding:
    return Finding(
        kind,
        "error",
        "Quadrille cannot take part in this program",
        f"{path} is {why}",
        remedy,
    )
