# SPDX-License-Identifier: BSD-3-Clause
"""The settings under which suites run: as users have it, all calls tried, and sets of algorithms forced.

Together the sets hold every algorithm of `src/algorithms/algorithms.def`, as a test checks.
"""

from __future__ import annotations

_MULTICAST = (
    "bcast:multicast,allgather:multicast,allgatherv:multicast,allreduce:multicast,barrier:multicast,"
    "alltoall:granted,alltoallv:granted,gatherv:granted,reduce:in_order,scan:chain,exscan:chain,"
    "gather:linear,scatter:linear,scatterv:linear,reduce_scatter:pairwise,reduce_scatter_block:pairwise,"
    "neighbor_alltoallv:granted"
)
_HIERARCHICAL = (
    "bcast:hierarchical,reduce:hierarchical,allreduce:hierarchical,allgather:hierarchical,alltoall:hierarchical,"
    "barrier:hierarchical,gather:hierarchical,scatter:hierarchical,reduce_scatter_block:hierarchical,"
    "alltoallv:gathered,allgatherv:ring,gatherv:linear:window=1,reduce_scatter:recursive_halving,"
    "scan:recursive_doubling,exscan:recursive_doubling"
)
_RECURSIVE = (
    "bcast:scatter_allgather,reduce:chain:segment=1024,allreduce:rabenseifner,allgather:recursive_doubling,"
    "alltoall:bruck,barrier:dissemination,gather:binomial,scatter:binomial,reduce_scatter_block:recursive_halving,"
    "reduce_scatter:recursive_halving,scan:recursive_doubling,exscan:recursive_doubling,alltoallv:ordered,"
    "gatherv:linear"
)
_TREES = (
    "bcast:tree,reduce:tree,allreduce:tree,allgather:tree,alltoall:gathered,barrier:binomial,"
    "alltoallv:ordered:partners=1:window=3,scan:chain:segment=1024,exscan:chain:segment=1024"
)
_RINGS = (
    "bcast:circulant:segment=1024,reduce:binomial,allreduce:ring,allgather:ring,alltoall:ordered,"
    "allgatherv:ring,gather:linear:window=2:piece_bytes=1024"
)
_PLAIN = (
    "bcast:chain:segment=1024,allreduce:in_order,allgather:bruck,alltoall:pairwise,reduce:in_order:segment=1024,"
    "barrier:dissemination"
)
_DOUBLING = "bcast:binomial,allreduce:recursive_doubling"
_TWO_LEVEL = "barrier:two_level,bcast:two_level,reduce:two_level,allreduce:two_level"

SETTINGS: dict[str, dict[str, str]] = {
    "unforced": {},
    "multicast": {"QUADRILLE_ALGORITHM": _MULTICAST},
    "hierarchical": {"QUADRILLE_ALGORITHM": _HIERARCHICAL},
    "recursive": {"QUADRILLE_ALGORITHM": _RECURSIVE},
    "tried": {"QUADRILLE_TRIAL_FLOOR": "0"},
    "trees": {"QUADRILLE_ALGORITHM": _TREES},
    "rings": {"QUADRILLE_ALGORITHM": _RINGS},
    "plain": {"QUADRILLE_ALGORITHM": _PLAIN},
    "doubling": {"QUADRILLE_ALGORITHM": _DOUBLING},
    "two_level": {"QUADRILLE_ALGORITHM": _TWO_LEVEL},
}
"""Variables of each setting, by its name."""

NATIVE = "native"
"""The setting without Quadrille."""


def chosen(names: list[str]) -> dict[str, dict[str, str]]:
    """Return the settings of these names, all where none is named. REQUIRES: the names exist."""
    return {name: SETTINGS[name] for name in names or SETTINGS}
