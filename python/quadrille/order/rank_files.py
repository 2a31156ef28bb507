# SPDX-License-Identifier: BSD-3-Clause
"""What launchers read to start each rank on its host, out of the hosts in rank order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True)
class RankFile:
    """One form of such a file: how it is written, and the launcher's line that reads it."""

    text: Callable[[Sequence[str]], str]
    launcher_line: str


def _open_mpi_rank_file(hosts: Sequence[str]) -> str:
    taken: dict[str, int] = {}
    lines = []
    for rank, host in enumerate(hosts):
        slot = taken.get(host, 0)
        taken[host] = slot + 1
        lines.append(f"rank {rank}={host} slot={slot}\n")
    return "".join(lines)


def _open_mpi_host_file(hosts: Sequence[str]) -> str:
    return "".join(f"{host}\n" for host in hosts)


def _mpich_machine_file(hosts: Sequence[str]) -> str:
    return "".join(f"{host}:{len(list(run))}\n" for host, run in groupby(hosts))


RANK_FILES = {
    "ompi-hostfile": RankFile(_open_mpi_host_file, "mpirun -np {ranks} --hostfile {file} --map-by seq"),
    "ompi-rankfile": RankFile(_open_mpi_rank_file, "mpirun -np {ranks} --rankfile {file}"),
    "mpich-machinefile": RankFile(_mpich_machine_file, "mpiexec -n {ranks} -machinefile {file}"),
}
"""By the name that the command line gives them."""
