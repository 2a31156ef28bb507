# SPDX-License-Identifier: BSD-3-Clause
"""Collectives of NumPy-free mpi4py: buffers, blocks of any length, pickled objects, sub-communicators.

Asks who executed them.
"""

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
        counts = [i + 1 for i in range(comm.size)]
        places = [i * (i + 1) // 2 for i in range(comm.size)]
        sent = array("i", [comm.rank * 100 + i for i in range(comm.size) for _ in range(counts[i])])
        mine = comm.rank + 1
        received = array("i", [0] * (comm.size * mine))
        of_each = ([mine] * comm.size, [i * mine for i in range(comm.size)])
        comm.Alltoallv([sent, (counts, places), MPI.INT], [received, of_each, MPI.INT])
        check(list(received) == [i * 100 + comm.rank for i in range(comm.size) for _ in range(mine)])
        gathered = array("i", [0] * len(sent)) if comm.rank == 0 else None
        at_root = [gathered, (counts, places), MPI.INT] if comm.rank == 0 else None
        comm.Gatherv([array("i", [comm.rank] * mine), MPI.INT], at_root, root=0)
        check(gathered is None or list(gathered) == [i for i in range(comm.size) for _ in range(counts[i])])
        share = array("i", [0] * mine)
        comm.Reduce_scatter([array("i", [1] * len(sent)), MPI.INT], [share, MPI.INT], counts, MPI.SUM)
        check(list(share) == [comm.size] * mine)
    total_failures = world.allreduce(failures)
    total_replaced = world.allreduce(replaced)
    if world.rank == 0:
        print(f"checks={checks * world.size} failures={total_failures} replaced={total_replaced}")


main()
