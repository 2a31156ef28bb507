# SPDX-License-Identifier: BSD-3-Clause
"""`scripts/test_suites.sh` on a small suite: one test passes, one fails, one fails with Quadrille only."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.lab, pytest.mark.mpi, pytest.mark.timeout(280)]

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
  int rank;
  const char *preloaded = getenv("LD_PRELOAD");
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  int wrong = WRONG(preloaded != NULL && strstr(preloaded, "libquadrille.so") != NULL);
  if (rank == 0) puts(wrong ? "Found 1 errors" : " No Errors");
  MPI_Finalize();
  return 0;
}
"""
WRONG = {"good": "0", "theirs": "1", "ours": "(x)"}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Return a folder with what a suite of MPICH's kind consists of."""
    sources = tmp_path / "mpich"
    for folder in ("coll", "util", "include", "dtpools/src", "dtpools/include"):
        (sources / folder).mkdir(parents=True)
    for name in ("mtest", "mtest_single", "mtest_common"):
        (sources / "util" / f"{name}.c").write_text("typedef int nothing;\n", encoding="utf-8")
    for name, wrong in WRONG.items():
        text = f"#define WRONG(x) {wrong}\n{PROGRAM}"
        (sources / "coll" / f"{name}.c").write_text(text, encoding="utf-8")
    (sources / "coll" / "Makefile.am").touch()
    (sources / "coll" / "old.c").write_text("int main(void) { return MPI_Nowhere(); }\n", encoding="utf-8")
    (sources / "coll" / "testlist").write_text("good 3\ntheirs 2\nours 2\nold 2\n", encoding="utf-8")
    return tmp_path


def test_what_fails_only_with_quadrille_is_named_and_is_the_exit_code(suite: Path) -> None:
    command = [ROOT / "scripts" / "test_suites.sh", suite, "--mpi", "ompi4", "--setting", "unforced"]
    options = ["--results", suite / "results", "--name", "suite-of-three"]

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*map(str, [*command, *options]), *more], capture_output=True, text=True, timeout=240, check=False
        )

    done = run()
    assert done.returncode == 1, done.stdout + done.stderr
    assert "| mpich | ompi4 | unforced | 1 | 1 | 1 | 0 |" in done.stdout
    assert "`coll/ours 2` fails only with Quadrille" in done.stdout
    assert "ompi4 native: coll/old 2: not built" in done.stderr
    assert "mpi4py" in done.stderr and "imb" in done.stderr, "what is missing is told"
    again = run("--only", "good")
    assert again.returncode == 1 and "not built" not in again.stderr, "what is known is not run again"
