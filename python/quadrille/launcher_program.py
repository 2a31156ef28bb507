# SPDX-License-Identifier: BSD-3-Clause
"""Tells a launcher line's program from the launcher's own words.

Which options take values is a launcher's secret. The options that MPI users write are listed; behind any
other one, the first word that names something executable is taken for the program.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quadrille.launchers import Launcher

# Words that follow an option, by its name without the dashes: Open MPI 4 and 5, Hydra, srun.
_TWO_VALUES = {"mca", "gmca", "omca", "prtemca", "pmixmca", "genv", "env"}
_ONE_VALUE = {
    *("n", "np", "c", "N", "npernode", "npersocket", "ppn", "perhost", "rr", "grr"),
    *("host", "H", "hosts", "hostfile", "machinefile", "machine", "f", "default-hostfile", "w", "nodelist"),
    *("x", "genvlist", "envlist", "wdir", "wd", "path", "prefix", "app"),
    *("configfile", "tune", "am", "timeout"),
    *("map-by", "bind-to", "rank-by", "rankfile", "rf", "cpu-set", "cpu-list", "display", "output"),
    *("launcher", "launcher-exec", "bootstrap", "bootstrap-exec", "rmk", "iface", "localhost", "topolib"),
    *("p", "partition", "A", "account", "J", "job-name", "t", "time", "o", "e", "mpi", "ntasks", "nodes"),
    *("output-filename", "stdin", "report-uri", "ntasks-per-node", "cpus-per-task", "mem", "constraint", "C"),
    "export",
}


@dataclass(frozen=True)
class Split:
    """A launcher line in two: what starts ranks, and the program with its arguments, empty where none is."""

    launcher: list[str]
    program: list[str]


def split_line(launcher: Launcher) -> Split:
    """Return the line of `launcher` without its program, and the program."""
    line = list(launcher.argv)
    end = launcher.position + 1
    end += words_of_launcher(line[end:])
    return Split(line[:end], line[end + 1 :] if line[end : end + 1] == ["--"] else line[end:])


def words_of_launcher(words: Sequence[str]) -> int:
    """Return how many of `words`, which stand behind a launcher, are its own: up to `--` or the program."""
    index = 0
    after_unknown_option = False
    while index < len(words):
        word = words[index]
        if word == "--":
            return index
        if word.startswith("-") and len(word) > 1:
            values = _values_of(word)
            after_unknown_option = values is None
            index += 1 + (values or 0)
        elif not after_unknown_option or _executable(word):
            return index
        else:
            after_unknown_option = False
            index += 1
    return len(words)


def _values_of(option: str) -> int | None:
    name = option.lstrip("-")
    if "=" in name:
        return 0
    if name in _TWO_VALUES:
        return 2
    return 1 if name in _ONE_VALUE else None


def _executable(word: str) -> bool:
    found = shutil.which(word)
    return found is not None and Path(found).is_file() and os.access(found, os.X_OK)
