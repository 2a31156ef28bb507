# SPDX-License-Identifier: BSD-3-Clause
"""The tables of UMBC's study as printed, and what its wire allows at least."""

from __future__ import annotations

PAPER = (
    "N. Mistry, J. Ramsey, B. Wiley, J. Yanchuck, X. Huang, M. K. Gobbert, C. Mineo, D. Mountain: Throughput "
    "Studies on the InfiniBand Interconnect via All-to-All Communications, UMBC, 2013."
)
NODES = (1, 3, 9, 18, 36)
PER_NODE = 8
VECTORS = 1_492_992
DOUBLES = 512
WIRE_BYTES_PER_S = 3.5e9
"""Section 2.1, of a node."""

GLOBAL_S = (1.14, 0.57, 0.25, 0.15, 0.11)
"""Table 4.2."""
LOCAL_S = (1.14, 1.64, 2.09, 2.28, 2.30)
"""Table 4.4."""
BY_MEMORY_S: dict[int, tuple[float | None, ...]] = {
    512: LOCAL_S,
    800: (1.79, 3.05, 3.73, 5.01, 6.73),
    810: (1.80, 2.83, 3.30, 5.54, None),
    1024: (85.00, 170.62, None, None, None),
}
"""Table 4.5, by m/N; None: ERR, a memory error."""
ALLTOALLV_INT_S = (0.01, 0.01, 0.10, 0.32, 0.59)
"""Table 4.6 B; the first is printed as < 0.01. A is < 0.01 throughout, C is table 4.2."""

PREDICTED_GLOBAL = ((6, 729, 93_312), (6, 243, 10_368), (6, 81, 1_152), (6, 41, 288), (6, 20, 72))
PREDICTED_LOCAL = (
    (6, 729, 93_312),
    (17, 729, 31_104),
    (51, 729, 10_368),
    (103, 729, 5_184),
    (205, 729, 2_592),
)
"""Tables 4.1 and 4.3: GB of an array, MB of it on a process, kB of it for a pair, by N."""


def least_s(nodes: int, doubles: int) -> float:
    """Return what the bytes that leave a node take on its wire: it keeps 1/N of its part of the array."""
    return VECTORS * doubles * 8 / nodes * (nodes - 1) / nodes / WIRE_BYTES_PER_S


def of_limit(nodes: int, doubles: int, seconds: float) -> float:
    """Return the share of the wire's rate that a time of the paper uses."""
    return least_s(nodes, doubles) / seconds
