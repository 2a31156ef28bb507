# SPDX-License-Identifier: BSD-3-Clause
"""umbc-memory: what a sort takes is known before it runs, tables 3.1, 4.1, 4.3 and 4.5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quadrille.bench.contention import SortRequest, predict
from quadrille.errors import QuadrilleError
from quadrille.lab.ready_made import resolve
from quadrille.report.formatting import percent_text, size_text
from quadrille.report.tables import table
from quadrille.reproduce.experiment import Data, Effect, Experiment, Published
from quadrille.reproduce.programs import bench as run_bench
from quadrille.reproduce.sorts import paper
from quadrille.reproduce.sorts.judging import NOT_MEASURED
from quadrille.reproduce.sorts.measuring import VECTORS_EXCHANGE, figures
from quadrille.reproduce.sorts.showing import points_table
from quadrille.reproduce.workbench import Workbench

_GIB, _MIB, _KIB = 1 << 30, 1 << 20, 1 << 10
_NODE_MEMORY = "24G"
_LOCAL = "constant-local"
_VECTORS = 147_456
_MIB_OF_A_NODE = (32, 128, 256)
"""Of both arrays of a node's two processes, in the runs whose memory is compared with the prediction.

What the MPI library takes beside them is up to 170 KiB of a process.
"""
_EXACT = 0.02
_ONE_CALL = ("--warmup", "1", "--calls", "1", "--blocks", "2", "--seconds", "0.1")


def _predicted(doubles: int, memory: str) -> list[dict[str, Any]]:
    wanted = SortRequest(paper.NODES, paper.PER_NODE, paper.VECTORS, doubles, memory, _NODE_MEMORY)
    return [row.model_dump() for row in predict(wanted)]


def _measure(bench: Workbench, data: Data) -> None:
    """Predict the paper's tables; run sorts that fit and one that does not."""
    data |= {"global": _predicted(paper.DOUBLES, "constant-global"), "points": [], "refused": None}
    data["local"] = {str(doubles): _predicted(doubles, _LOCAL) for doubles in paper.BY_MEMORY_S}
    bench.save()
    if bench.launcher is not None:
        _run(bench, data, bench.launcher, (1, 4, 16))
        return
    with bench.lab(resolve("unlimited:hosts=2"), "umbc-memory") as lab:
        doubles = [mib * _MIB // (2 * 8 * _VECTORS // 2) for mib in _MIB_OF_A_NODE]
        _run(bench, data, lab.launcher(per_host=2), doubles[:2] if bench.quick else doubles)
        _refuse(bench, data, lab.launcher(per_host=2), _too_many_doubles())


def _run(bench: Workbench, data: Data, line: list[str], doubles: Sequence[int]) -> None:
    for m in doubles:
        bench.announce(f"m = {m}")
        given = ["--vectors", str(_VECTORS), "--doubles", str(m), *_ONE_CALL, "--without-library"]
        points = run_bench(line, VECTORS_EXCHANGE, [0], given)
        data["points"] += [{"way": "MPI library"} | figures(point, "native") for point in points]


def _too_many_doubles() -> int:
    """Return an m for which this machine lacks a fifth of the memory."""
    available = predict(SortRequest((1,), 1, _VECTORS, 1))[0].available_bytes
    return int(1.2 * available / (2 * 8 * _VECTORS))


def _refuse(bench: Workbench, data: Data, line: list[str], most: int) -> None:
    bench.announce(f"m = {most}, which must be refused")
    try:
        run_bench(line, VECTORS_EXCHANGE, [0], ["--vectors", str(_VECTORS), "--doubles", str(most)])
        data["refused"] = ""
    except QuadrilleError as error:
        data["refused"] = next((text for text in str(error).splitlines() if "can be used" in text), "")
    bench.save()


def as_printed(rows: list[dict[str, Any]]) -> tuple[tuple[int, int, int], ...]:
    """Return the rows' arrays in GB, on a process in MB, for a pair in kB, as the paper rounds them."""
    return tuple(
        (
            round(row["global_bytes"] / _GIB),
            int(row["local_bytes"] / _MIB + 0.5),
            round(row["block_bytes"] / _KIB),
        )
        for row in rows
    )


def _judge(data: Data) -> list[Effect]:
    return [_tables(data), _limit(data), _predicted_is_taken(data), _refused(data), _swapped(data)]


def _tables(data: Data) -> Effect:
    name = "predicted: tables 4.1 and 4.3 as printed"
    if "local" not in data:
        return Effect(name, None, NOT_MEASURED)
    pairs = [
        (data["global"], paper.PREDICTED_GLOBAL),
        (data["local"][str(paper.DOUBLES)], paper.PREDICTED_LOCAL),
    ]
    equal = [as_printed(rows) == printed for rows, printed in pairs]
    return Effect(
        name, all(equal), f"{sum(equal)} of 2 tables, {3 * len(paper.NODES)} sizes each", exact=True
    )


def _limit(data: Data) -> Effect:
    """All of the row that swapped or failed has to be refused, nothing of the row that ran."""
    name = "table 4.5: what swapped at 1024 N is refused on nodes of 24 GB, what ran at 512 N is not"
    if "local" not in data:
        return Effect(name, None, NOT_MEASURED)
    fits = {doubles: [row["fits"] for row in rows] for doubles, rows in data["local"].items()}
    seen = not any(fits["1024"]) and all(fits["512"])
    why = ", ".join(f"{m} N: {sum(not one for one in found)} of 5 refused" for m, found in fits.items())
    why = f"{why}; ERR of 810 N on 36 nodes is the library's memory, not the arrays'"
    return Effect(name, seen, why, exact=True)


def _predicted_is_taken(data: Data) -> Effect:
    name = f"a run takes what was predicted, within {_EXACT:.0%}"
    taken = [point["grown_bytes"] / point["arrays_bytes"] for point in data.get("points", [])]
    if not taken:
        return Effect(name, None, NOT_MEASURED)
    why = f"{', '.join(f'{share:.1%}' for share in taken)} of the prediction"
    return Effect(name, max(abs(share - 1) for share in taken) <= _EXACT, why, exact=True)


def _refused(data: Data) -> Effect:
    name = "what this machine does not have is refused with the figures before it is allocated"
    refused = data.get("refused")
    if refused is None:
        return Effect(name, None, NOT_MEASURED)
    return Effect(name, bool(refused), refused or "it was not", exact=True)


def _swapped(data: Data) -> Effect:
    name = "table 4.5: runs near the limit swap, and their times are a disk's"
    swapped = [point for point in data.get("points", []) if point["swapped"]]
    if not swapped:
        why = "nothing swapped, as what may swap is refused; a run that does is marked"
        return Effect(name, None, why, must_appear=False)
    return Effect(name, True, f"{len(swapped)} runs swapped and are marked", must_appear=False)


def _show(data: Data) -> str:
    if "local" not in data:
        return ""
    head = ["m / N", "nodes", "an array", "on a process", "for a pair", "both on a node", "of 24 GB"]
    head += ["before the run", "the paper's run"]
    rows = []
    for doubles, found in data["local"].items():
        for row, seconds in zip(found, paper.BY_MEMORY_S[int(doubles)], strict=True):
            sizes = (row["global_bytes"], row["local_bytes"], row["block_bytes"], row["node_bytes"])
            share = percent_text(100 * row["node_bytes"] / row["available_bytes"])
            verdict = "fits" if row["fits"] else "refused"
            time = "ERR" if seconds is None else f"{seconds:.2f} s"
            rows.append([doubles, str(row["nodes"]), *map(size_text, sizes), share, verdict, time])
    parts = ["<h2>Predicted, on nodes of 24 GB with 8 processes</h2>", table(head, rows)]
    return "\n".join([*parts, "<h2>Runs</h2>", points_table(data), _taken_table(data)])


def _taken_table(data: Data) -> str:
    rows = [
        [str(point["doubles"]), size_text(point["arrays_bytes"]), size_text(point["grown_bytes"])]
        for point in data.get("points", [])
    ]
    return table(["m", "both arrays of a process, predicted", "taken"], rows)


EXPERIMENT = Experiment(
    id="umbc-memory",
    title="UMBC: memory predicted before a sort runs",
    paper=paper.PAPER,
    published=(
        Published("tables 4.1, 4.3", "an array, on a process, for a pair", "6 GB, 729 MB, 93 312 kB"),
        Published("table 4.5, m = 800 N", "seconds on 1 to 36 nodes", "1.79 3.05 3.73 5.01 6.73"),
        Published("table 4.5, m = 810 N", "the same", "1.80 2.83 3.30 5.54 ERR"),
        Published("table 4.5, m = 1024 N", "the same", "85.00 170.62 ERR ERR ERR: it swaps, then fails"),
    ),
    setting=(
        "Predictions: for the paper's nodes of 24 GB, nine tenths of it usable. Runs: two hosts of two "
        "processes on this machine, what their resident memory grows by, and a sort that it cannot hold."
    ),
    measure=_measure,
    judge=_judge,
    show=_show,
)
