# SPDX-License-Identifier: BSD-3-Clause
"""The patterns that ECO's paper compares, by the algorithms that carry them out here.

A comparison lists the patterns it takes. `PLANNED` joins as one more: no algorithm is forced, and Quadrille
chooses from the probed model, the MPI library included.
"""

from __future__ import annotations

from dataclasses import dataclass

MPI_LIBRARY = "MPI library"
"""Measured beside every pattern, in the same processes."""

_TREE_COLLECTIVES = ("bcast", "allreduce", "allgather")
_STAR_CHILDREN = 1_000_000  # more than any communicator has ranks: all are the root's


@dataclass(frozen=True)
class Pattern:
    """A name and, for each collective, the algorithm that is forced: `tree:kind=eco:k=2`."""

    name: str
    algorithms: tuple[tuple[str, str], ...]

    def forced(self) -> str:
        """Return the value of QUADRILLE_ALGORITHM, empty where nothing is forced."""
        return ",".join(f"{collective}:{algorithm}" for collective, algorithm in self.algorithms)


def _tree(name: str, parameters: str) -> Pattern:
    return Pattern(name, tuple((collective, f"tree:{parameters}") for collective in _TREE_COLLECTIVES))


def heap(children: int) -> Pattern:
    """Return the k-ary tree of the paper's benchmarks: blind to the network, wrapped around from the root."""
    return _tree(f"tree (k = {children})", f"kind=heap:k={children}")


def eco(children: int) -> Pattern:
    """Return ECO's tree over the segments of the model, with a k-ary tree inside each."""
    return _tree(f"ECO (k = {children})", f"kind=eco:k={children}")


def in_turn(pattern: Pattern) -> Pattern:
    """Return the broadcast of a tree in which a rank sends one message after the other, as PVM did."""
    algorithms = ((name, f"{how}:in_turn=1") for name, how in pattern.algorithms if name == "bcast")
    return Pattern(pattern.name, tuple(algorithms))


STAR = _tree("star", f"kind=heap:k={_STAR_CHILDREN}")
SPANNING_TREE = _tree("minimum spanning tree", "kind=mst")
RING = _tree("ring", "kind=heap:k=1")
BUTTERFLY = Pattern(
    "butterfly",
    (("bcast", "binomial"), ("allreduce", "recursive_doubling"), ("allgather", "recursive_doubling")),
)
"""CHARMM's: exchanges with partners twice as far in every round; a broadcast reaches twice as many ranks in
every round. Its gather-to-all needs a power of two of ranks."""

PLANNED = Pattern("planned by Quadrille", ())
