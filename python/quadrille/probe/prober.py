# SPDX-License-Identifier: BSD-3-Clause
"""Runs the native prober under the user's launcher, and gives up on it when it falls silent.

After an error line little is waited for: launchers may hang for ever on a host that stopped.

The launcher leads a process group of its own, so that nothing of it is left when we end. What it writes
beside the prober's lines is kept and shown only when something went wrong.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import IO, Any

from pydantic import ValidationError

from quadrille.errors import QuadrilleError, UsageError
from quadrille.launcher_program import split_line
from quadrille.launchers import detect_launcher
from quadrille.native_job import NativeJob, Start, ended_with_us, line_of_type, prepare, started
from quadrille.probe.lines import (
    PROBER_LINE,
    CheckLine,
    Difference,
    ErrorLine,
    HostLine,
    ModelLine,
    ProgressLine,
)
from quadrille.progress import Progress

SILENCE_S = 60.0
"""The prober says something before each of its rounds, none of which lasts longer than a few seconds."""

ERROR_PATIENCE_S = 5.0
"""How long a launcher may be silent after the prober's error, to which other ranks may add theirs."""

_LINES_KEPT = 20
_LOOK_EVERY_S = 1.0
_STARTING = "starting the job"


@dataclass(frozen=True)
class ProberJob:
    """A launcher line to probe with, without or with a program, and the prober's own arguments."""

    launcher_line: list[str]
    arguments: list[str]
    mpi: str | None = None
    silence_s: float = SILENCE_S


@dataclass
class ProberReport:
    """All that the prober said; `noise`: the launcher's last other lines."""

    hosts: list[HostLine] = field(default_factory=list)
    model: dict[str, Any] | None = None
    differences: list[Difference] | None = None
    errors: list[ErrorLine] = field(default_factory=list)
    phase: str = _STARTING
    exit_code: int = 0
    noise: deque[str] = field(default_factory=lambda: deque(maxlen=_LINES_KEPT))


def run_prober(job: ProberJob) -> ProberReport:
    """Run the prober to its end, however that comes; `require_success` judges it.

    A launcher that hangs after an error line is ended, and the report has that error.

    Raises UsageError for a launcher line that cannot be used, QuadrilleError when the prober is not built,
    the launcher cannot be started, or nothing was heard for `silence_s`. KeyboardInterrupt goes through.
    """
    launcher = detect_launcher(job.launcher_line)
    split = split_line(launcher)
    if ":" in split.program:
        raise UsageError(
            "the launcher line starts several programs, parted by colons, and only the hosts of the first "
            "would be measured; give a line for all hosts, without programs, such as "
            "`mpirun -np 16 --hostfile hosts`"
        )
    start = prepare(NativeJob("quadrille-probe", split.launcher, job.arguments, job.mpi))
    return _run(start, job.silence_s)


def require_success(report: ProberReport) -> None:
    """Raise QuadrilleError with the reason, if the prober failed; the launcher's last words go before it."""
    if report.exit_code == 0 and not report.errors:
        if report.model is None and report.differences is None and not report.hosts:
            _show(report.noise)
            raise QuadrilleError(
                "the launcher ended with exit code 0, but the prober gave no model; does the same launcher "
                "line start `hostname` on every host?"
            )
        return
    if len(report.errors) > 1 and len({error.text for error in report.errors}) == 1:
        raise QuadrilleError(
            f"{report.errors[0].text}. {len(report.errors)} ranks said so, each for itself: the launcher's "
            "MPI is another than the prober's; name it with --mpi ompi|mpich|impi"
        )
    if report.errors:
        raise QuadrilleError(report.errors[0].text)
    _show(report.noise)
    raise QuadrilleError(
        f"the launcher ended with exit code {report.exit_code} during: {report.phase}. Its last lines stand "
        "above; does the same launcher line start `hostname` on every host?"
    )


def _run(start: Start, silence_s: float) -> ProberReport:
    process = started(start, stderr=subprocess.PIPE, process_group=0)
    report = ProberReport()
    with ended_with_us(process, own_group=True), Progress() as progress:
        assert process.stdout is not None and process.stderr is not None
        lines: SimpleQueue[str | None] = SimpleQueue()
        for stream in (process.stdout, process.stderr):
            threading.Thread(target=_read, args=(stream, lines), daemon=True).start()
        _take_all(lines, report, process, progress, silence_s)
        report.exit_code = _exit_code(process, silence_s, report)
    return report


def _read(stream: IO[str], lines: SimpleQueue[str | None]) -> None:
    for text in stream:
        lines.put(text)
    lines.put(None)


def _take_all(
    lines: SimpleQueue[str | None],
    report: ProberReport,
    process: subprocess.Popen[str],
    progress: Progress,
    silence_s: float,
) -> None:
    """Take lines until both streams have ended, or the launcher has and left them to somebody else.

    Silence is an error, unless the prober told one before.
    """
    open_streams, heard = 2, time.monotonic()
    while open_streams > 0:
        ended = process.poll() is not None
        try:
            text = lines.get(timeout=min(silence_s, _LOOK_EVERY_S))
        except Empty:
            if ended:
                return
            if time.monotonic() - heard >= _patience_s(report, silence_s):
                if report.errors:
                    return
                _show(report.noise)
                raise QuadrilleError(_silence(report.phase, silence_s)) from None
            continue
        heard = time.monotonic()
        if text is None:
            open_streams -= 1
        else:
            _take(text, report, progress)


def _patience_s(report: ProberReport, silence_s: float) -> float:
    return min(silence_s, ERROR_PATIENCE_S) if report.errors else silence_s


def _silence(phase: str, silence_s: float) -> str:
    text = f"nothing was heard from the prober for {silence_s:g} s; the job was ended during: {phase}. "
    if phase == _STARTING:
        return text + "Does the same launcher line start `hostname` on every host?"
    return text + "Look for a host that hangs; does the MPI library itself get through between all hosts?"


def _exit_code(process: subprocess.Popen[str], silence_s: float, report: ProberReport) -> int:
    try:
        return process.wait(timeout=_patience_s(report, silence_s))
    except subprocess.TimeoutExpired:
        if report.errors:
            return 1  # it is ended with us; the error is what counts
        raise QuadrilleError(
            f"the launcher did not end within {silence_s:g} s after the prober had; it was ended. "
            f"The last phase was: {report.phase}"
        ) from None


def _take(text: str, report: ProberReport, progress: Progress) -> None:
    data = line_of_type(text)
    try:
        line = PROBER_LINE.validate_python(data) if data is not None else None
    except ValidationError:  # somebody else's JSON
        line = None
    if isinstance(line, ProgressLine):
        report.phase = line.purpose
        progress.show(line.share, 1, line.purpose)
    elif isinstance(line, HostLine):
        report.hosts.append(line)
    elif isinstance(line, ModelLine):
        report.model = line.model
    elif isinstance(line, CheckLine):
        report.differences = line.differences
    elif isinstance(line, ErrorLine):
        report.errors.append(line)
    elif text.strip():
        report.noise.append(text.rstrip())


def _show(noise: deque[str]) -> None:
    for text in noise:
        print(f"  {text}", file=sys.stderr)
