# SPDX-License-Identifier: BSD-3-Clause
"""A launcher and a prober that say what was recorded, for tests of what stands above them.

The lines are those of the native prober; `recorded_lines.jsonl` holds a whole run of it on four hosts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).with_name("recorded_lines.jsonl")

_LAUNCHER = """#!/bin/sh
# Answers like Open MPI's mpirun and starts one process of the program.
[ "$1" = --version ] && { echo "mpirun (Open MPI) 4.1.4"; exit 0; }
while [ $# -gt 0 ]; do
  case "$1" in */quadrille-probe-*) exec "$@" ;; esac
  shift
done
exit 99
"""


@dataclass(frozen=True)
class RecordedJob:
    """Where the launcher is, and the folder to take the native programs from."""

    launcher: Path
    native_directory: Path

    def arguments(self) -> list[str]:
        """Return what the prober was called with."""
        return (self.native_directory / "arguments").read_text(encoding="utf-8").splitlines()


def recorded_job(folder: Path, lines: Iterable[str | dict[str, Any]], ending: str = "") -> RecordedJob:
    """Make a launcher below `folder` whose prober says `lines`; `ending` is shell to run after them."""
    native = folder / "native"
    native.mkdir()
    (native / "libquadrille.so").touch()
    said = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (native / "lines").write_text("".join(f"{line}\n" for line in said), encoding="utf-8")
    prober = f"""#!/bin/sh
printf '%s\\n' "$@" > {native}/arguments
cat {native}/lines
{ending}
"""
    launcher = folder / "mpirun"
    for path, text in ((native / "quadrille-probe-ompi", prober), (launcher, _LAUNCHER)):
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    return RecordedJob(launcher, native)


def recorded_lines() -> list[dict[str, Any]]:
    """Return the whole recorded run."""
    return [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
