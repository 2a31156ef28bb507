# SPDX-License-Identifier: BSD-3-Clause
"""Collectives of NumPy-free mpi4py: buffers, pickled objects, sub-communicators; asks who executed them."""

import ctypes
from array import array

from mpi4py import MPI


def executed_by_quadrille() -> bool:
    text = ctypes.create_string_buffer(256)
    try:
        ctypes.CDLL(None).quadrille_last_execution(text, len(text))
    except AttributeError:
        return False
    return text.value.startswith(b"executor=quadrille")


def main() -> None:
    world = MPI.COMM_WORLD
    failures = replaced = checks = 0

    def check(holds: bool) -> None:
        nonlocal failures, replaced, checks
        checks += 1
        failures += not holds
        replaced += executed_by_quadrille()

    for comm in [world, world.Dup(), world.Split(0, -world.rank)]:
        total = array("d", [0.0] * 100)
        comm.Allreduce(array("d", [comm.rank + i for i in range(100)]), total)
        ranks = comm.size * (comm.size - 1) / 2
        check(list(total) == [ranks + comm.size * i for i in range(100)])
        check(comm.bcast({"from": comm.rank}, root=1) == {"from": 1})
        received = array("i", [0] * comm.size)
        comm.Alltoall(array("i", [comm.rank * 100 + i for i in range(comm.size)]), received)
        check(list(received) == [i * 100 + comm.rank for i in range(comm.size)])
        gathered = array("i", [0] * comm.size)
        gathered[comm.rank] = comm.rank + 7
        comm.Allgather(MPI.IN_PLACE, gathered)
        check(list(gathered) == [i + 7 for i in range(comm.size)])
        comm.Barrier()
        check(True)
    total_failures = world.allreduce(failures)
    total_replaced = world.allreduce(replaced)
    if world.rank == 0:
        print(f"checks={checks * world.size} failures={total_failures} replaced={total_replaced}")


main()
