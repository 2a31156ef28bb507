# SPDX-License-Identifier: BSD-3-Clause
"""`python -m quadrille.suites DIR`: runs the suites found in DIR in a lab, and prints how they came out.

DIR/mpich holds MPICH's sources (or its test/mpi), DIR/mpi4py those of mpi4py, DIR/imb the programs of IMB.
Nothing is fetched. Exit code 1: a test passes without Quadrille and fails with it; 2: could not run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from quadrille import termination
from quadrille.errors import QuadrilleError
from quadrille.installation import mpi_prefix
from quadrille.suites.compiling import SuiteCompiler
from quadrille.suites.forced import SETTINGS, chosen
from quadrille.suites.imb_suite import ImbSuite
from quadrille.suites.lab_job import SuiteLab
from quadrille.suites.mpi4py_suite import Mpi4pySuite
from quadrille.suites.mpich_suite import MpichSuite
from quadrille.suites.records import Records, compare, table
from quadrille.suites.testlist import MOST_RANKS

_MPIS = ("ompi4", "mpich", "ompi5")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="test_suites.sh", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument(
        "--results", type=Path, default=Path("build/suites"), help="folder for programs and results"
    )
    parser.add_argument(
        "--mpi", action="append", choices=_MPIS, default=[], help="one MPI only; may be repeated"
    )
    parser.add_argument(
        "--setting", action="append", choices=list(SETTINGS), default=[], help="may be repeated"
    )
    parser.add_argument("--only", default="", metavar="REGEX", help="tests whose names match")
    parser.add_argument("--part", action="append", choices=["mpich", "mpi4py", "imb"], default=[])
    parser.add_argument(
        "--topology", default="unlimited:hosts=3", help="the lab, as `quadrille lab up` takes it"
    )
    parser.add_argument("--name", default="suites", help="the lab's name")
    parser.add_argument("--patience", type=float, default=90, metavar="S", help="how long a test may take")
    parser.add_argument(
        "--most-ranks", type=int, default=MOST_RANKS, metavar="N", help="leave larger tests of MPICH's out"
    )
    parser.add_argument("--table", action="store_true", help="only print what is known already")
    return parser.parse_args()


def main() -> int:
    """Run what is asked for; print the table of all that is known."""
    asked = _arguments()
    records = Records(asked.results / "results.jsonl")
    if not asked.table:
        with termination.as_interrupt():
            _run(asked, records)
    comparisons = compare(records)
    print(table(comparisons))
    return 1 if any(one.only_without for one in comparisons) else 0


def _run(asked: argparse.Namespace, records: Records) -> None:
    lab = SuiteLab(asked.name, asked.topology)
    try:
        if not asked.part or "mpich" in asked.part:
            _mpich(asked, records, lab)
        if not asked.part or "mpi4py" in asked.part:
            _mpi4py(asked, records, lab)
        if not asked.part or "imb" in asked.part:
            _imb(asked, records, lab)
    finally:
        lab.close()


def _mpich(asked: argparse.Namespace, records: Records, lab: SuiteLab) -> None:
    roots = (asked.folder / "mpich" / "test" / "mpi", asked.folder / "mpich")
    sources = next((root.resolve() for root in roots if (root / "coll").is_dir()), None)
    if sources is None:
        _tell(f"no sources of MPICH's tests in {asked.folder}/mpich: skipped")
        return
    for mpi in _installed(asked.mpi or _MPIS):
        compiler = SuiteCompiler(mpi, sources, (asked.results / "programs" / mpi).resolve())
        suite = MpichSuite(mpi, compiler, lab, records, asked.patience, _tell, asked.most_ranks)
        suite.run(chosen(asked.setting), asked.only)


def _mpi4py(asked: argparse.Namespace, records: Records, lab: SuiteLab) -> None:
    sources = (asked.folder / "mpi4py").absolute()
    if not (sources / "test" / "main.py").exists() or not (sources / "venv" / "bin" / "python").exists():
        _tell(f"no test/main.py and venv/bin/python in {sources}: skipped")
        return
    for mpi in _installed(asked.mpi or _MPIS):
        suite = Mpi4pySuite(mpi, sources, lab, records, asked.patience, _tell)
        suite.run(chosen(asked.setting or ["unforced", "multicast", "hierarchical", "recursive"]), asked.only)


def _imb(asked: argparse.Namespace, records: Records, lab: SuiteLab) -> None:
    programs = (asked.folder / "imb").resolve()
    if not any(programs.glob("IMB-*")):
        _tell(f"no programs of IMB in {programs}: skipped")
        return
    for _ in _installed(["impi"]):
        suite = ImbSuite("impi", programs, lab, records, asked.patience, _tell)
        suite.run(chosen(asked.setting or ["unforced", "multicast", "hierarchical", "recursive"]), asked.only)


def _installed(mpis: Iterable[str]) -> Iterator[str]:
    for mpi in mpis:
        if mpi == "ompi4" or mpi_prefix(mpi) is not None:
            yield mpi
        else:
            _tell(f"{mpi} is not installed: skipped")


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except QuadrilleError as error:
        _tell(f"test-suites: {error}")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
