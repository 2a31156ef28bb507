# SPDX-License-Identifier: BSD-3-Clause
"""Runs a job on a lab: starts it, lets the lab file's events happen, watches the CPU, writes it all down.

One loop in one thread: it waits for the job, but never past the next event or the next look at the cores.
"""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from quadrille import termination
from quadrille.errors import QuadrilleError
from quadrille.lab import faults
from quadrille.lab.cpu import CpuReport, CpuWatch, report_json
from quadrille.lab.namespaces import parent_death_signal
from quadrille.lab.state import LabState

LAST_RUN = "last_run.json"
_LOOK_EVERY_S = 1.0


@dataclass(frozen=True)
class RunResult:
    """How a job ended. `exit_code` as a shell gives it; `output` only where it was captured."""

    exit_code: int
    wall_s: float
    cpu: CpuReport
    output: str


@dataclass(frozen=True)
class _Action:
    at_s: float
    host: str
    action: str


def run_job(
    directory: Path,
    state: LabState,
    command: Sequence[str],
    capture: bool = False,
    timeout_s: float | None = None,
) -> RunResult:
    """Run `command`, a launcher line with its program, and return how it ended.

    With `capture` stdout and stderr are returned together. After `timeout_s` the job is terminated and
    QuadrilleError raised. The same facts go to `last_run.json` in the lab's run directory.
    """
    with _output_file(directory, capture) as output:
        started, began = datetime.now(UTC), time.monotonic()
        with CpuWatch() as watch:
            child = subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT if capture else None,
                stdin=subprocess.DEVNULL if capture else None,
                preexec_fn=parent_death_signal(signal.SIGTERM),
            )
            with _signals_passed_to(child):
                in_time = _attend(child, directory, state, watch, timeout_s)
        wall = time.monotonic() - began
        text = _text_of(output)
    _restore(state)
    code = child.returncode if child.returncode >= 0 else 128 - child.returncode
    _write_down(directory, state, command, started, wall, code, watch.report)
    if not in_time:
        raise QuadrilleError(
            f"{command[0]}: still running after {timeout_s:g} s, ended it; output: {text[-2000:]}"
        )
    return RunResult(code, wall, watch.report, text)


def _attend(
    child: subprocess.Popen[bytes], directory: Path, state: LabState, watch: CpuWatch, timeout_s: float | None
) -> bool:
    began = time.monotonic()
    actions = _schedule(state)
    next_look = began + _LOOK_EVERY_S
    while True:
        due = [next_look, *([began + actions[0].at_s] if actions else [])]
        if timeout_s is not None:
            due.append(began + timeout_s)
        try:
            child.wait(timeout=max(min(due) - time.monotonic(), 0.001))
            return True
        except subprocess.TimeoutExpired:
            now = time.monotonic()
        while actions and now >= began + actions[0].at_s:
            action = actions.pop(0)
            faults.act(state, action.action, action.host)
        if now >= next_look:
            watch.look()
            next_look += _LOOK_EVERY_S
        if timeout_s is not None and now >= began + timeout_s:
            _terminate(child)
            return False


def _schedule(state: LabState) -> list[_Action]:
    actions = []
    for event in state.parsed_topology().event:
        actions.append(_Action(event.after_s, event.host, event.action))
        if event.for_s is not None:
            actions.append(_Action(event.after_s + event.for_s, event.host, "thaw"))
    return sorted(actions, key=lambda action: action.at_s)


def _restore(state: LabState) -> None:
    """Undo what events did to hosts, so that each run finds the lab as it was built."""
    for host in {event.host for event in state.parsed_topology().event}:
        try:
            faults.act(state, "thaw", host)
        except QuadrilleError:
            return  # the lab was taken down while the job ran


def _terminate(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(timeout=5)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


@contextmanager
def _signals_passed_to(child: subprocess.Popen[bytes]) -> Iterator[None]:
    def pass_on(number: int, _frame: object) -> None:
        # A terminal's Ctrl-C goes to the whole group; a second one would make mpirun give up its orderly end.
        if number != signal.SIGINT or not sys.stdin.isatty():
            child.send_signal(number)

    with termination.handled((signal.SIGINT, *termination.ENDING), pass_on):
        yield


@contextmanager
def _output_file(directory: Path, capture: bool) -> Iterator[IO[bytes] | None]:
    # A file, not a pipe: a rank that outlives its launcher must not keep us waiting for the pipe's end.
    if not capture:
        yield None
        return
    path = directory / f"output-{time.monotonic_ns()}"
    with path.open("w+b") as stream:
        path.unlink()
        yield stream


def _text_of(output: IO[bytes] | None) -> str:
    if output is None:
        return ""
    output.seek(0)
    return output.read().decode(errors="replace")


def _write_down(
    directory: Path,
    state: LabState,
    command: Sequence[str],
    started: datetime,
    wall_s: float,
    exit_code: int,
    cpu: CpuReport,
) -> None:
    record: dict[str, Any] = {
        "lab": state.lab_id,
        "command": list(command),
        "started": started.isoformat(timespec="milliseconds"),
        "wall_s": wall_s,
        "exit_code": exit_code,
        "cpu": report_json(cpu),
        "warning": cpu.warning(),
    }
    partial = directory / f"{LAST_RUN}.partial"
    try:
        partial.write_text(json.dumps(record, indent=1), encoding="utf-8")
        partial.replace(directory / LAST_RUN)
    except FileNotFoundError:
        return  # the lab was taken down while the job ran, and its directory with it
    except OSError as error:  # the job has run, and what it ended with counts
        with contextlib.suppress(OSError):
            partial.unlink()
        print(f"quadrille: {directory / LAST_RUN} cannot be written: {error.strerror}", file=sys.stderr)
