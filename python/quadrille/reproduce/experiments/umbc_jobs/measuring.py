# SPDX-License-Identifier: BSD-3-Clause
"""Times one job's exchange alone, beside another job's native ones, and beside its Quadrille ones.

`data["points"]`: figures of `sorts.measuring`, with `way`, `shared` (what the jobs share) and `beside`: None,
"native" or "quadrille".
"""

from __future__ import annotations

from collections.abc import Sequence

from quadrille.lab.ready_made import resolve
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.programs import bench_beside
from quadrille.reproduce.sorts.measuring import GRANTED, LIBRARY, OURS, VECTORS_EXCHANGE, Sort, figures
from quadrille.reproduce.workbench import Workbench

LINK, HOSTS = "link between leaves", "hosts"

_NETWORK = "umbc_leaf:ports=4,rate_mbit=25,trunk_mbit=50"
_ONE, _OTHER = ("h0", "h1", "h4", "h5"), ("h2", "h3", "h6", "h7")
_SAME = ("h0", "h1", "h2", "h3")
_SORT = Sort(73_728, 2, "constant-global")
_QUICK = ("--warmup", "2", "--calls", "2", "--blocks", "2", "--seconds", "1.3")
_FULL = ("--warmup", "2", "--calls", "5", "--blocks", "6", "--seconds", "13")


def measure(bench: Workbench, data: Data) -> None:
    """Measure two jobs across two leaves; on a real cluster two of the given launcher."""
    data |= {"truth": None, "points": []}
    given = [*_SORT.arguments(), *(_QUICK if bench.quick else _FULL)]
    if bench.launcher is not None:
        _add(bench, data, HOSTS, bench.launcher, bench.launcher, given)
        return
    with bench.lab(resolve(_NETWORK), "umbc-jobs") as lab:
        data["truth"] = lab.truth()
        _add(bench, data, LINK, lab.launcher(hosts=_ONE), lab.launcher(hosts=_OTHER), given)
        if not bench.quick:
            _add(bench, data, HOSTS, lab.launcher(hosts=_SAME), lab.launcher(hosts=_SAME), given)


def _add(
    bench: Workbench, data: Data, shared: str, line: Sequence[str], other: Sequence[str], given: Sequence[str]
) -> None:
    bench.announce(f"alone, and two jobs that share the {shared}")
    for beside, point in bench_beside(line, other, VECTORS_EXCHANGE, given, GRANTED):
        about = {"shared": shared, "beside": beside}
        data["points"].append(about | {"way": LIBRARY} | figures(point, "native"))
        if point["blocks"]["quadrille"]["executor"] == "quadrille":
            data["points"].append(about | {"way": OURS} | figures(point, "quadrille"))
    bench.save()
