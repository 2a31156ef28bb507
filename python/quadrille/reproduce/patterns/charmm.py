# SPDX-License-Identifier: BSD-3-Clause
"""The collectives of one step of CHARMM as ECO's section 6.2 names them, on eight ranks and as one kernel.

The paper gives neither sizes nor counts ("a large number of gather-to-all and reduce-to-all operations, as
well as broadcasts"). Here: 500 atoms of three doubles; a step sums their forces over all ranks and gathers
their coordinates from all ranks; one step of ten broadcasts the coordinates.
"""

from __future__ import annotations

from quadrille.reproduce.patterns.comparison import Calls

_RANKS = 8
_VECTOR_BYTES = 500 * 3 * 8

CHARMM_STEP = (
    Calls("allreduce", _VECTOR_BYTES),
    Calls("allgather", _VECTOR_BYTES // _RANKS),
    Calls("bcast", _VECTOR_BYTES, times=0.1),
)

CHARMM_KERNEL = Calls("charmm_step", _VECTOR_BYTES)
"""The three calls in a row, a tenth of the vector broadcast in each step; blocks as the ranks are many."""

HOW_A_STEP_IS_TIMED = (
    "The paper times a whole run of CHARMM; here a step's communication is its calls' medians added up: a "
    "reduce-to-all of 12 000 B, a gather-to-all of 1500 B a rank and a tenth of a broadcast of 12 000 B. The "
    "paper gives neither sizes nor counts, so only ratios compare. As one kernel, the three calls are made "
    "in a row, 1200 B broadcast in each step, and timed as one."
)
