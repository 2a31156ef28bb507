# SPDX-License-Identifier: BSD-3-Clause
"""The program of a launcher line is found behind whatever options stand before it."""

from __future__ import annotations

import shlex

import pytest

from quadrille.launcher_program import split_line
from quadrille.launchers import Launcher


def split(line: str, position: int = 0) -> tuple[str, str]:
    found = split_line(Launcher(tuple(shlex.split(line)), position, "ompi", "", None))
    return shlex.join(found.launcher), shlex.join(found.program)


@pytest.mark.parametrize(
    ("launcher", "program"),
    [
        ("mpirun -np 4 --hostfile hosts", ""),
        ("mpirun -np 4 --hostfile hosts", "./app -n 3"),
        ("mpirun --mca plm_rsh_agent /bin/sh -np 2", "true x"),
        ("mpirun --oversubscribe", "/bin/true"),
        ("mpirun --allow-run-as-root --new-option 17 -np 2", "/bin/true"),
        ("mpirun -x PATH=/bin:/usr/bin -np 2", ""),
        ("mpiexec -launcher ssh -launcher-exec /bin/sh -genv FI_TCP_IFACE eth0 -n 4", "./app"),
        ("srun --ntasks=4 -p short", "./app"),
    ],
)
def test_launcher_and_program_are_told_apart(launcher: str, program: str) -> None:
    assert split(f"{launcher} {program}") == (launcher, program)


def test_two_dashes_end_the_launchers_options() -> None:
    assert split("mpirun -np 2 -- sh -c x") == ("mpirun -np 2", "sh -c x")


def test_wrappers_in_front_are_left_alone() -> None:
    assert split("timeout 60 mpirun -np 2 ./app", 2) == ("timeout 60 mpirun -np 2", "./app")
