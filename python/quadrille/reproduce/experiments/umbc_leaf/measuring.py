# SPDX-License-Identifier: BSD-3-Clause
"""Times the exchange on the hosts of one leaf, on as many spread over both, and on all.

`data["points"]`: figures of `sorts.measuring`, with `way`, `uplink` and `placed`.
"""

from __future__ import annotations

from dataclasses import dataclass

from quadrille.errors import UsageError
from quadrille.lab.ready_made import resolve
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.sorts.measuring import VECTORS_EXCHANGE, Sort, timed
from quadrille.reproduce.workbench import Workbench

ONE_LEAF, SPREAD, BOTH = "one leaf", "as many, spread over two", "all of two leaves"
PLACES = (ONE_LEAF, SPREAD, BOTH)
WIDE, NARROW = "all ports at once", "half a port's rate"
UPLINKS = (WIDE, NARROW)


@dataclass(frozen=True)
class Form:
    """`ports` of a leaf in use, an even number; n that p^2 divides for one leaf's processes and both's."""

    ports: int
    rate_mbit: int
    sort: Sort
    given: tuple[str, ...]


QUICK = Form(
    4,
    25,
    Sort(36_864, 1, "constant-local"),
    ("--warmup", "1", "--calls", "2", "--blocks", "1", "--seconds", "0.7"),
)
FULL = Form(
    8,
    10,
    Sort(36_864, 1, "constant-local"),
    ("--warmup", "2", "--calls", "4", "--blocks", "3", "--seconds", "7"),
)


def measure(bench: Workbench, data: Data) -> None:
    """Measure on two leaves; a real cluster's are not known to a launcher line."""
    if bench.launcher is not None:
        raise UsageError(
            "umbc-leaf needs to know which hosts share a leaf; on a cluster run `quadrille bench contention` "
            "with the hosts of one leaf, and with hosts of two"
        )
    form = QUICK if bench.quick else FULL
    data |= {"truth": None, "points": []}
    leaves = [[f"h{leaf * form.ports + port}" for port in range(form.ports)] for leaf in (0, 1)]
    half = form.ports // 2
    places = {
        ONE_LEAF: leaves[0],
        SPREAD: leaves[0][:half] + leaves[1][:half],
        BOTH: leaves[0] + leaves[1],
    }
    for uplink in UPLINKS:
        trunk = form.rate_mbit * (form.ports if uplink == WIDE else 0.5)
        rates = f"rate_mbit={form.rate_mbit},trunk_mbit={trunk}"
        network = f"umbc_leaf:ports={form.ports},{rates}"
        with bench.lab(resolve(network), "umbc-leaf") as lab:
            data["truth"] = data["truth"] or lab.truth()
            for placed, hosts in places.items():
                bench.announce(f"uplink of {uplink}: {placed}")
                line = lab.launcher(hosts=hosts)
                given = [*form.sort.arguments(), *form.given]
                for way, point in timed(line, [VECTORS_EXCHANGE], given):
                    data["points"].append({"way": way, "uplink": uplink, "placed": placed} | point)
                bench.save()
