# SPDX-License-Identifier: BSD-3-Clause
"""What `--fabric auto` comes to: whether the messages of a job go over the provider.

The first job of a program on some hosts leaves what messages it sends. Before the next one starts, its hosts
exchange such messages both ways for a few seconds, and it takes the faster one, as all later ones do until
that is thirty days old. Where nothing is known, or the provider cannot do all that the program asks for, its
messages stay with the MPI library.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from quadrille import __version__
from quadrille.atomic_write import write_whole
from quadrille.errors import QuadrilleError
from quadrille.fabric.other_transport import other_transports
from quadrille.fabric.program_messages import BothWays, ProgramMessages, Trial
from quadrille.fabric.variables import check_mpi, fabric_variables, what_is_missing
from quadrille.launcher_program import Split, split_line
from quadrille.launchers import Launcher
from quadrille.report.formatting import size_text

WORTH = 0.95
"""The provider is taken where the program's messages take at most this part of the library's time."""
LEAST_SHARE = 0.05
"""Programs that spend less of their run in messages are left as they are, and nothing is measured."""
_Kept = TypeVar("_Kept", bound=BaseModel)
_LINKED_TO = {"ompi": b"libmpi.so.40", "mpich": b"libmpi.so.12"}
_EXPIRY_S = 30 * 86400
_LONGEST_HOST_FILE = 1 << 20
_SCHEDULERS: Mapping[str, tuple[str, ...]] = {
    "SLURM_JOB_ID": (
        "SLURM_CLUSTER_NAME",
        "SLURM_JOB_PARTITION",
        "SLURM_JOB_NUM_NODES",
        "SLURM_TASKS_PER_NODE",
    ),
    "PBS_JOBID": ("PBS_QUEUE", "PBS_NUM_NODES", "PBS_NP"),
    "LSB_JOBID": ("LSB_QUEUE", "LSB_DJOB_NUMPROC"),
    "NSLOTS": ("QUEUE", "NHOSTS", "NSLOTS"),
}
"""By what shows a scheduler's job (Grid Engine's last): what tells its kind of hosts, and their number."""


@dataclass(frozen=True)
class Choice:
    """Whether the provider is taken, why, for people; and the file that the job is to leave, if any."""

    on: bool
    why: str
    leaves: Path | None = None

    @property
    def told(self) -> str:
        """Return the line that `run` writes."""
        return f"--fabric auto: {'on' if self.on else 'off'}; {self.why}"


def choose(
    launcher: Launcher, variables: Mapping[str, str], announce: Callable[[str], None] | None
) -> Choice:
    """Return the choice for a job of `launcher` with `variables`.

    `announce` is told before something is measured; None: nothing is measured, the choice is what would be.
    """
    line = split_line(launcher)
    mpi = _mpi_of(launcher, line)
    if reason := _cannot(launcher, line, mpi):
        return Choice(False, reason)
    over = {**variables, "QUADRILLE_FABRIC": "on", "QUADRILLE_COLLECTIVES": "off"}
    try:
        over.update(fabric_variables(over, launcher.mpi))
        check_mpi(launcher)
    except QuadrilleError as error:
        return Choice(False, str(error).removeprefix("--fabric on: "))
    known = _Known.of(launcher, line, variables)
    sent = _read(known.sent, ProgramMessages)
    if sent is None:
        if variables.get("QUADRILLE_COLLECTIVES") == "off":
            return Choice(False, f"what {known.name} sends is learnt by a job that takes over collectives")
        why = f"this job leaves what messages {known.name} sends, and the next one tries them both ways"
        return Choice(False, why, known.sent)
    if reason := _not_worth_trying(launcher, sent, known.name):
        return Choice(False, reason)
    both = _read(known.both, BothWays)
    if both is None:
        if announce is None:
            return Choice(False, f"messages like those of {known.name} would be tried both ways first")
        announce(f"--fabric auto: trying messages like those of {known.name} both ways")
        try:
            both = Trial(line.launcher, mpi, known.sent, sent, over).both_ways()
        except QuadrilleError as error:
            return Choice(False, f"the trial failed: {error}")
        _keep(known.both, both)
    return Choice(both.ratio <= WORTH, f"{_told(both, known.name)} ({known.both})")


@dataclass(frozen=True)
class _Known:
    """The files of what is known of a program on its hosts, and its name, for people."""

    sent: Path
    both: Path
    name: str

    @classmethod
    def of(cls, launcher: Launcher, line: Split, variables: Mapping[str, str]) -> _Known:
        folder = _cache_folder(variables) / "fabric"
        program = shutil.which(line.program[0]) or line.program[0]
        # The second word is a verb or a script with many programs; more of them are input.
        words = [str(Path(program).resolve()), *line.program[1:2], "", *_hosts(line)]
        words += [launcher.mpi, launcher.version, str(launcher.path), __version__]
        words += [f"{name}={value}" for name, value in variables.items() if _matters(name)]
        key = hashlib.sha256("\0".join(words).encode()).hexdigest()[:16]
        return cls(folder / f"{key}-sent.json", folder / f"{key}-both.json", Path(program).name)


def _hosts(line: Split) -> list[str]:
    """Return what tells hosts and ranks: the launcher's words, what its files hold, and this host.

    A scheduler's next job has other hosts: there those of a queue or partition are alike, if equally many.
    """
    scheduler = next((fields for shown, fields in _SCHEDULERS.items() if shown in os.environ), None)
    hosts = [socket.gethostname()]
    if scheduler is not None:
        hosts = [f"{name}={os.environ.get(name, '')}" for name in scheduler]
    return [*hosts, *(_without_file(word, scheduler is not None) for word in line.launcher)]


def _without_file(word: str, by_shape: bool) -> str:
    """Return a launcher's word, or what the file holds that it names: of a list of hosts their number."""
    option, is_option, name = word.rpartition("=")
    try:
        file = Path(name)
        if not file.is_file() or file.stat().st_size > _LONGEST_HOST_FILE:
            return word
        held = file.read_bytes()
    except (OSError, ValueError):
        return word  # no file of ours
    lines = held.splitlines()
    told = f"{len(lines)} lines, {len(set(lines))} hosts" if by_shape else hashlib.sha256(held).hexdigest()
    return f"{option}{is_option}{told}"


def _matters(variable: str) -> bool:
    return variable.startswith("QUADRILLE_FABRIC_") or variable in ("QUADRILLE_BULK", "QUADRILLE_PATHS")


def _cannot(launcher: Launcher, line: Split, mpi: str | None) -> str:
    """Return why messages of this line cannot be tried; empty: they can."""
    if not line.program:
        return "the line names no program that a launcher starts"
    if mpi is None:
        return f"which MPI library {line.program[0]} uses cannot be told"
    if ":" in line.program:
        return "the line starts several programs"
    others = other_transports(launcher, os.environ)
    return f"`{others[0].word}` chooses another transport" if others else ""


def _mpi_of(launcher: Launcher, line: Split) -> str | None:
    """Return the launcher's MPI library; behind srun the one that the program is linked to."""
    if launcher.mpi != "srun" or not line.program:
        return None if launcher.mpi == "unknown" else launcher.mpi
    try:
        program = Path(shutil.which(line.program[0]) or line.program[0]).read_bytes()
    except OSError:
        return None
    return next((mpi for mpi, name in _LINKED_TO.items() if name in program), None)


def _not_worth_trying(launcher: Launcher, sent: ProgramMessages, name: str) -> str:
    if not any(sent.partners) or sent.share < LEAST_SHARE:
        return f"{name} spends {100 * sent.share:.0f} % of its run in messages"
    if sent.one_sided and what_is_missing(launcher):
        return f"{name} calls one-sided operations, which this MPI library lacks over libfabric"
    if sent.synchronous_sends and sent.matched_receives and _loses_matched(launcher):
        return f"{name} may receive synchronous sends by MPI_Mrecv, which Open MPI 4 never acknowledges there"
    return ""


def _loses_matched(launcher: Launcher) -> bool:
    return launcher.mpi == "ompi" and re.match(r"v?[0-4]\.", launcher.version) is not None


def _told(both: BothWays, name: str) -> str:
    sizes = ", ".join(
        f"{size_text(size.bytes)} {size.provider_ns / size.library_ns:.2f}" for size in both.sizes
    )
    return f"messages like those of {name} take {both.ratio:.2f} of the time over it ({sizes})"


def _cache_folder(variables: Mapping[str, str]) -> Path:
    """As the native library looks for it."""
    if named := variables.get("QUADRILLE_CACHE"):
        return Path(named)
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if base.is_absolute():
        return base / "quadrille"
    return Path.home() / ".cache" / "quadrille"


def _read(path: Path, kind: type[_Kept]) -> _Kept | None:
    """Return what a file holds; None where it is missing, broken, or old."""
    try:
        if time.time() - path.stat().st_mtime > _EXPIRY_S:
            return None
        return kind.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _keep(path: Path, both: BothWays) -> None:
    """A folder that cannot be written costs the next job the same trial, and nothing else."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, both.model_dump_json(indent=1) + "\n", str(path), "")
    except (OSError, QuadrilleError) as error:
        print(f"quadrille: --fabric auto: {error}; the next job tries again", file=sys.stderr)
