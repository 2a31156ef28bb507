# SPDX-License-Identifier: BSD-3-Clause
"""`Lab`: one emulated cluster, from Python. The command line is a thin layer over this class."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from quadrille.errors import QuadrilleError
from quadrille.lab import faults
from quadrille.lab import namespaces as ns
from quadrille.lab.counters import LabCounters, read_counters
from quadrille.lab.ending import end_lab
from quadrille.lab.launch import Job, launcher_line
from quadrille.lab.running import RunResult, run_job
from quadrille.lab.session_directory import make_session_directory, remove_session_directory
from quadrille.lab.state import LabState, claim, find_lab, labs_locked, read_state
from quadrille.lab.topology import Topology
from quadrille.lab.truth import truth_of

_QUADRILLE = "from quadrille.cli import main; main()"


class Lab:
    """A lab that is up. As a context manager it is taken down at the end of the block."""

    def __init__(self, directory: Path, state: LabState) -> None:
        """Take hold of the lab in `directory`, described by `state`."""
        self.directory = directory
        self.state = state

    @classmethod
    def up(cls, topology: Topology, name: str | None = None, user_namespace: bool | None = None) -> Lab:
        """Build `topology` and return it as a lab called `name` (default: the topology's own name).

        `user_namespace`: True builds inside a new user namespace, False as root; None takes what is possible.
        Raises QuadrilleError when the machine does not allow it or a lab of that name is up.
        """
        inside_user = _choose_mode(user_namespace)
        with labs_locked():
            lab_id = name or topology.name
            end_lab(lab_id, only_dead=True)
            directory, lock = claim(lab_id)
        try:
            make_session_directory(directory)
            (directory / "topology.json").write_text(topology.model_dump_json(), encoding="utf-8")
            _start_keeper(directory, lock, inside_user)
        except BaseException:
            os.close(lock)
            remove_session_directory(directory)
            shutil.rmtree(directory, ignore_errors=True)
            raise
        os.close(lock)
        state = read_state(directory)
        if state is None:
            raise QuadrilleError(f"lab {lab_id} went down while it came up; see {directory}/keeper.log")
        return cls(directory, state)

    @classmethod
    def find(cls, name: str | None = None) -> Lab:
        """Return the lab `name`, or the only one that is up. Raises QuadrilleError, UsageError."""
        return cls(*find_lab(name))

    def launcher(
        self,
        mpi: str = "ompi4",
        ranks: int | None = None,
        per_host: int | None = None,
        environment: Mapping[str, str] | None = None,
        hosts: Sequence[str] = (),
    ) -> list[str]:
        """Return the launcher line, to be followed by a program and its arguments.

        `hosts`: those to use, in the order in which ranks fill them; default: all.
        """
        job = Job(mpi, ranks, per_host, dict(environment or {}), tuple(hosts))
        return launcher_line(self.directory, self.state, job)

    def run(
        self,
        program: Sequence[str],
        mpi: str = "ompi4",
        ranks: int | None = None,
        per_host: int | None = None,
        environment: Mapping[str, str] | None = None,
        quadrille: bool = False,
        capture: bool = True,
        timeout_s: float | None = 600,
    ) -> RunResult:
        """Run an MPI program on the lab, under `quadrille run` where `quadrille`; return how it ended.

        The lab file's events happen while it runs. Raises QuadrilleError when it takes longer than
        `timeout_s`.
        """
        line = [*self.launcher(mpi, ranks, per_host, environment), *program]
        if quadrille:
            line = [sys.executable, "-c", _QUADRILLE, "run", "--", *line]
        return run_job(self.directory, self.state, line, capture, timeout_s)

    def on_host(self, host: str, command: Sequence[str], timeout_s: float = 60) -> str:
        """Run `command` on `host`; return its stdout. Raises QuadrilleError when it fails or is too slow."""
        try:
            done = subprocess.run(
                self.enter(host, command), capture_output=True, text=True, timeout=timeout_s, check=False
            )
        except subprocess.TimeoutExpired:
            raise QuadrilleError(f"{host}: {command[0]}: still running after {timeout_s:g} s") from None
        if done.returncode != 0:
            raise QuadrilleError(f"{host}: {command[0]}: exit code {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def counters(self) -> LabCounters:
        """Return what the ports and hosts have counted since the lab came up."""
        return read_counters(self.state)

    def truth(self) -> dict[str, Any]:
        """Return the network as it was built, in the words of a network model."""
        return truth_of(self.state)

    def freeze(self, host: str, cables: bool = True) -> int:
        """Stop every process of `host` and pull its cables; return how many processes."""
        return faults.act(self.state, "freeze", host, cables)

    def kill(self, host: str) -> int:
        """Kill every process of `host` and pull its cables; return how many processes."""
        return faults.act(self.state, "kill", host)

    def thaw(self, host: str) -> int:
        """Plug the cables of `host` in and let its stopped processes go on; return how many processes."""
        return faults.act(self.state, "thaw", host)

    def enter(self, host: str, command: Sequence[str]) -> list[str]:
        """Return the command line that runs `command` on `host` with the caller's environment."""
        self.state.host(host)
        return [str(self.directory / "enter"), host, *command]

    def down(self) -> None:
        """End every process inside the lab, then the lab. Harmless when it is down already."""
        with labs_locked():
            end_lab(self.state.lab_id)

    def __enter__(self) -> Lab:
        """Return the lab itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the lab down."""
        self.down()


def _choose_mode(user_namespace: bool | None) -> bool:
    if user_namespace is not True and ns.may_unshare(ns.NEWNET):
        return False
    if user_namespace is not False and ns.may_unshare(ns.NEWUSER | ns.NEWNET):
        return True
    raise QuadrilleError(
        "a lab needs network namespaces, and this machine gives them neither to this user nor inside a user "
        "namespace; run as root (sudo), or allow user namespaces (sysctl -w user.max_user_namespaces=10000)"
    )


def _start_keeper(directory: Path, lock: int, user_namespace: bool) -> None:
    reader, writer = os.pipe()
    command = [sys.executable, "-m", "quadrille.lab.keeper", str(directory), str(lock), str(writer)]
    if user_namespace:
        command.append("--user-namespace")
    with (directory / "keeper.log").open("w") as log:
        subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(lock, writer),
            start_new_session=True,
            cwd="/",
            check=False,
        )
    os.close(writer)
    with os.fdopen(reader) as stream:
        text = stream.readline()
    answer: dict[str, Any] = json.loads(text) if text else {}
    if "ready" not in answer:
        log_text = (directory / "keeper.log").read_text(encoding="utf-8", errors="replace").strip()
        reason = answer.get("error") or log_text or "its keeper ended without a word"
        raise QuadrilleError(f"lab {directory.name} cannot be built: {reason}")
