# SPDX-License-Identifier: BSD-3-Clause
"""Reads and writes results files: JSON lines, each checked against the contracts."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from quadrille.atomic_write import cannot_write, is_full, refuge
from quadrille.contracts import RESULTS_LINE, RESULTS_SCHEMA, EndLine, PointLine, ProgramLine, RunLine
from quadrille.errors import QuadrilleError, UsageError

Line = RunLine | PointLine | ProgramLine | EndLine


@dataclass
class Run:
    """A `run` line with the points that follow it."""

    facts: RunLine
    points: list[PointLine] = field(default_factory=list)
    end: EndLine | None = None


@dataclass
class Results:
    """All lines of some results files, in order."""

    runs: list[Run] = field(default_factory=list)
    programs: list[ProgramLine] = field(default_factory=list)

    def points(self) -> list[PointLine]:
        """Return every point of every run."""
        return [point for run in self.runs for point in run.points]

    def take(self, line: Line) -> bool:
        """Add a line; False, and nothing added, for a line of a run before any run."""
        if isinstance(line, RunLine):
            self.runs.append(Run(line))
        elif isinstance(line, ProgramLine):
            self.programs.append(line)
        elif not self.runs:
            return False
        elif isinstance(line, PointLine):
            self.runs[-1].points.append(line)
        else:
            self.runs[-1].end = line
        return True


@dataclass(frozen=True)
class _Kept:
    """So many bytes of a file, and what its last line lacks."""

    size: int
    end: bytes


class ResultsWriter:
    """Appends checked lines to a file; each is on disk before the next is taken.

    What stood in the file stays until the first line is known: a launcher that does not start costs nothing.
    One writer at a time has a file, or points would stand below another's run line. Where the disk is full,
    what was written stays valid, and the lines that follow go to a file of their own in the folder for
    temporary files, if that is on another disk: `paths` names both.
    """

    def __init__(self, path: Path, append: bool = False) -> None:
        """Open `path`; `append`: keep its whole lines. Raises UsageError when it cannot be written."""
        self.paths = [path]
        self._run: RunLine | None = None
        self._kept: _Kept | None = None  # of what is in the file, until that is cut to it
        try:
            if path.is_file():
                self._kept = _whole_lines_of(path) if append else _Kept(0, b"")
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise cannot_write(error, f"results file {path}", "give another -o") from None
        if path.is_file() and _is_taken(self._file):
            self._file.close()
            raise UsageError(f"results file {path} is being written by another run; give another -o")

    def write(self, line: Line) -> None:
        """Append one line. Raises QuadrilleError when it finds no room anywhere."""
        try:
            self._append(line)
        except OSError as error:
            self._go_on_elsewhere(line, error)
        if isinstance(line, RunLine):
            self._run = line

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _append(self, line: Line) -> None:
        text = (line.model_dump_json(by_alias=True) + "\n").encode()
        if self._kept is not None:
            self._file.truncate(self._kept.size)
            text = self._kept.end + text
            self._kept = None
        data = memoryview(text)
        try:
            whole = os.fstat(self._file.fileno()).st_size
            while data:
                data = data[self._file.write(data) or 0 :]
        except OSError:
            # Half a line would spoil what stands before it for whoever appends.
            with contextlib.suppress(OSError):
                self._file.truncate(whole)
            raise

    def _go_on_elsewhere(self, line: Line, error: OSError) -> None:
        full = self.paths[-1]
        kept = f"results file {full}: {error.strerror}; what was measured before is in it"
        place = refuge(full) if is_full(error) and len(self.paths) == 1 else None
        try:
            if place is None:
                raise error
            self._file.close()
            self._file = place.open("wb", buffering=0)
            self.paths.append(place)
            if self._run is not None and not isinstance(line, RunLine):
                self._append(self._run)
            self._append(line)
        except OSError:
            raise QuadrilleError(f"{kept}, what came last is lost; make room, or give another -o") from None
        print(f"quadrille: {kept}, what follows goes to {place}", file=sys.stderr)


class KeepingWriter:
    """Passes lines on to another writer and keeps them."""

    def __init__(self, writer: ResultsWriter) -> None:
        """Keep what is written from now on."""
        self._writer = writer
        self.results = Results()

    def write(self, line: Line) -> None:
        """Pass on and keep one line."""
        self._writer.write(line)
        self.results.take(line)


def read_results(paths: list[Path]) -> Results:
    """Return the lines of all files together.

    Raises UsageError for a file that cannot be read or is no results file, QuadrilleError for one without
    any point or program, naming file and line. An unfinished last line (an interrupted run) is left out.
    """
    results = Results()
    for path in paths:
        before = len(results.points()) + len(results.programs)
        _read_file(path, results)
        if len(results.points()) + len(results.programs) == before:
            raise QuadrilleError(
                f"results file {path} holds no measured point; run `quadrille bench -o {path}` again"
            )
    return results


def _is_taken(file: IO[bytes]) -> bool:
    """Take the file for us alone, as long as it is open; return whether somebody else has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # a file system without locks
    return False


def _whole_lines_of(path: Path) -> _Kept:
    """Return all but an unfinished last line, which another one behind it would make a wrong one."""
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    try:
        json.loads(data[whole:])
    except ValueError:
        return _Kept(whole, b"")
    return _Kept(len(data), b"\n")


def _read_file(path: Path, results: Results) -> None:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"results file {path} cannot be read ({error.strerror}); see `quadrille bench`"
        ) from None
    except UnicodeDecodeError:
        raise UsageError(
            f"{path} is no results file (not text); `quadrille bench -o FILE` writes one"
        ) from None
    if not text.strip():
        raise QuadrilleError(f"results file {path} is empty; run `quadrille bench -o {path}` again")
    lines = text.removesuffix("\n").split("\n")  # and not at what Unicode calls a line's end
    begun = Results()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        cut_off = number == len(lines) and not text.endswith("\n")
        found = _parse(f"{path}:{number}", line, cut_off)
        if found is not None and not begun.take(found):
            raise UsageError(
                f"{path}:{number}: a {found.type} line before any run line; this is no results file"
            )
    results.runs += begun.runs
    results.programs += begun.programs


def _parse(where: str, line: str, cut_off: bool) -> Line | None:
    try:
        data = json.loads(line)
    except ValueError:
        if cut_off:
            return None
        raise UsageError(f"{where}: no JSON; this is no results file of `quadrille bench`") from None
    if not isinstance(data, dict) or data.get("type") not in ("run", "point", "program", "end"):
        raise UsageError(
            f"{where}: no results line (`type` is missing or unknown); was it written by something else?"
        )
    if data["type"] == "run" and data.get("schema") != RESULTS_SCHEMA:
        raise UsageError(
            f"{where}: results schema {data.get('schema')!r}; this version reads {RESULTS_SCHEMA}, so rerun"
        )
    try:
        return RESULTS_LINE.validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"{where}: {place}: {first['msg']}; this is no results file of this version"
        ) from None
