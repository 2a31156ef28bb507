# SPDX-License-Identifier: BSD-3-Clause
"""Which segments and junctions of a network stand on which side of a trunk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def places_behind(trunk: dict[str, Any], trunks: Sequence[dict[str, Any]]) -> set[str]:
    """Return the names that its first end reaches without `trunk`; `trunks` are all of the network.

    The second end among them: another way joins the two.
    """
    others = [other["between"] for other in trunks if other is not trunk]
    side, queue = {trunk["between"][0]}, [trunk["between"][0]]
    for place in queue:
        for one, other in others:
            for here, there in ((one, other), (other, one)):
                if here == place and there not in side:
                    side.add(there)
                    queue.append(there)
    return side
