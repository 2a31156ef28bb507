# SPDX-License-Identifier: BSD-3-Clause
"""`python -m quadrille.suites.sanitized FOLDER KIND`: MPI programs with a sanitized library, in a lab.

FOLDER holds the libraries built with `QUADRILLE_SANITIZE`, KIND is address or thread. The programs are those
of the usual build, and the MPI libraries as they are: memory that these lose does not count, nor races
outside of the instrumented code. Exit code 1 when something is found.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from quadrille import termination
from quadrille.errors import QuadrilleError
from quadrille.installation import mpi_prefix
from quadrille.suites.forced import SETTINGS
from quadrille.suites.lab_job import Ended, SuiteLab

_ABI = {"ompi4": "ompi", "ompi5": "ompi", "mpich": "mpich"}


@dataclass(frozen=True)
class Job:
    """One run of a test program. What `fails` by itself under some MPIs in a lab is not run there."""

    ranks: int
    name: str
    arguments: str = ""
    needs_forced: bool = False
    fails: tuple[str, ...] = ()


_JOBS = (
    Job(5, "collectives", "brief"),
    Job(4, "collectives", "stress 5 300"),
    Job(3, "pending", "isend"),
    Job(3, "pending", "rma", fails=("ompi4",)),
    Job(3, "threads", "2 5"),
    Job(3, "life_cycle", "20"),
    Job(2, "after_errors", "operation", needs_forced=True),
    Job(2, "after_errors", "leftovers", fails=("mpich",)),  # its MPI_Ibcast has one code for all errors
    Job(3, "handles", "20"),
    Job(5, "topology", fails=("ompi4", "mpich")),
    Job(5, "topology", "adjacent", fails=("ompi4", "ompi5")),
    Job(5, "nonblocking"),
    Job(5, "persistent"),
    Job(6, "neighbors"),
    Job(3, "uneven_calls"),
)
_MARKS = ("AddressSanitizer", "ThreadSanitizer", "runtime error:", "LeakSanitizer")
_LIMIT_S = 300
# Memory that an MPI library has not freed is no part of this. UCX patches calls that sanitizers watch.
_OPTIONS = {
    "address": {
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "UCX_MEM_EVENTS": "n",
    },
    "thread": {
        "TSAN_OPTIONS": "halt_on_error=0:exitcode=66:ignore_noninstrumented_modules=1",
        "UCX_MEM_EVENTS": "n",
        # Memory at a given address, which the sanitizer may have.
        "PMIX_MCA_gds": "hash",
    },
}
_RUNTIME = {"address": ("libasan.so", "libubsan.so"), "thread": ("libtsan.so",)}


@dataclass(frozen=True)
class SanitizedLibrary:
    """The library in `folder`, built by sanitizers of `kind`; `programs`: where the test programs are."""

    folder: Path
    kind: str
    programs: Path

    @property
    def preload(self) -> str:
        """Return what each rank loads first: the sanitizers' own libraries."""
        found = [
            subprocess.run(["gcc", f"-print-file-name={one}"], capture_output=True, text=True, check=True)
            for one in _RUNTIME[self.kind]
        ]
        return ":".join(str(Path(one.stdout.strip()).resolve()) for one in found)


def told(ended: Ended) -> bool:
    """Return whether a sanitizer said something, or the program failed."""
    return ended.exit_code != 0 or any(mark in ended.output for mark in _MARKS)


def first_words(ended: Ended) -> str:
    """Return what a sanitizer said first, with its stack, or else the end of the output."""
    lines = ended.output.splitlines()
    for place, line in enumerate(lines):
        if any(mark in line for mark in _MARKS):
            return "\n".join(lines[place : place + 40])
    return ended.tail


def run_programs(library: SanitizedLibrary, lab: SuiteLab, mpi: str, settings: list[str]) -> int:
    """Run all programs under `mpi` with each setting; return how many told something."""
    found = 0
    for setting in settings:
        is_forced = "QUADRILLE_ALGORITHM" in SETTINGS[setting]
        for job in _JOBS:
            program = library.programs / f"{job.name}-{_ABI[mpi]}"
            if not program.exists() or mpi in job.fails or (job.needs_forced and not is_forced):
                continue
            ended = lab.run(
                mpi,
                job.ranks,
                [str(program), *job.arguments.split()],
                SETTINGS[setting],
                _LIMIT_S,
                _OPTIONS[library.kind],
                preload=library.preload,
            )
            print(
                f"{mpi} {setting} {job.name} {job.arguments}: {'FOUND' if told(ended) else 'ok'}", flush=True
            )
            if told(ended):
                found += 1
                print(first_words(ended), flush=True)
    return found


def main() -> int:
    """Run what is asked for under each MPI that is installed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("kind", choices=list(_OPTIONS))
    parser.add_argument("--programs", type=Path, default=Path("build/tests"))
    parser.add_argument("--mpi", action="append", choices=list(_ABI), default=[])
    parser.add_argument("--setting", action="append", choices=list(SETTINGS), default=[])
    asked = parser.parse_args()
    library = SanitizedLibrary(asked.folder.resolve(), asked.kind, asked.programs.resolve())
    os.environ["QUADRILLE_NATIVE_DIR"] = str(library.folder)
    found = 0
    with termination.as_interrupt():
        lab = SuiteLab(f"sanitized-{asked.kind}", "unlimited:hosts=3")
        try:
            for mpi in asked.mpi or _ABI:
                if mpi == "ompi4" or mpi_prefix(mpi) is not None:
                    found += run_programs(library, lab, mpi, asked.setting or list(SETTINGS))
        finally:
            lab.close()
    print(f"{asked.kind}: {found} programs in which something was found")
    return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except QuadrilleError as error:
        print(f"sanitized: {error}", file=sys.stderr)
        sys.exit(2)
