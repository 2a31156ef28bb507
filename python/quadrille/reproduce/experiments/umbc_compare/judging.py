# SPDX-License-Identifier: BSD-3-Clause
"""Whether B overtakes C, by which of its calls, and what removes that."""

from __future__ import annotations

from quadrille.report.formatting import time_text
from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.experiments.umbc_compare.measuring import C_FIRST, CONNECTED, LIBRARY, OURS, A, B, C

_SMALL = 0.5
_AS_LATER = 1.6
"""A first call that opens no connection takes no longer than this times a later one: caches are cold, too."""
_NOT_MEASURED = "not measured in this run"


def processes(data: Data) -> list[int]:
    """Return the numbers of processes that were measured."""
    return sorted({point["ranks"] for point in data.get("points", [])})


def time_of(data: Data, job: str, exchange: str, ranks: int, which: str = "first_ns") -> float | None:
    """Return the least over rounds of first calls, or of later ones: what the machine adds is left out."""
    wanted = (job, exchange, ranks)
    found = [
        point[which]
        for point in data.get("points", [])
        if (point["job"], point["exchange"], point["ranks"]) == wanted
    ]
    return float(min(found)) if found else None


def judge(data: Data) -> list[Effect]:
    """Return what table 4.6 shows, why it does, and what Quadrille makes of it."""
    return [_counts(data), _overtakes(data), _later(data), _whichever(data), _connected(data), _ours(data)]


_Pairs = dict[int, tuple[float, float]]


def _pairs(data: Data, job: str, one: tuple[str, str], other: tuple[str, str]) -> _Pairs:
    """Return the times of two (exchange, which) by processes, where both are known."""
    found = {}
    for ranks in processes(data):
        times = [time_of(data, job, exchange, ranks, which) for exchange, which in (one, other)]
        if times[0] is not None and times[1] is not None:
            found[ranks] = (times[0], times[1])
    return found


def _words(pairs: _Pairs) -> str:
    return ", ".join(f"{time_text(a)} and {time_text(b)} on {ranks}" for ranks, (a, b) in pairs.items())


def _counts(data: Data) -> Effect:
    name = "A stays below half of C on each number of processes"
    pairs = _pairs(data, LIBRARY, (A, "first_ns"), (C, "first_ns"))
    if not pairs:
        return Effect(name, None, _NOT_MEASURED)
    return Effect(name, all(a < _SMALL * c for a, c in pairs.values()), _words(pairs))


def _overtakes(data: Data) -> Effect:
    name = "B, called before C, grows with the processes and overtakes it"
    pairs = _pairs(data, LIBRARY, (B, "first_ns"), (C, "first_ns"))
    if len(pairs) < 2:
        return Effect(name, None, _NOT_MEASURED)
    times = [b for b, _ in pairs.values()]
    most = pairs[max(pairs)]
    return Effect(name, times == sorted(times) and most[0] > most[1], _words(pairs))


def _later(data: Data) -> Effect:
    name = "why: only its first call does, later ones stay below C"
    pairs = _pairs(data, LIBRARY, (B, "later_ns"), (C, "later_ns"))
    if not pairs:
        return Effect(name, None, _NOT_MEASURED)
    return Effect(name, all(b < c for b, c in pairs.values()), _words(pairs))


def _whichever(data: Data) -> Effect:
    """The same connections serve both, so the second alltoallv finds them open."""
    name = "why: where C comes first, C's first call is long and B's is as its later ones"
    firsts, laters = (_pairs(data, C_FIRST, (B, which), (C, which)) for which in ("first_ns", "later_ns"))
    most = max(firsts.keys() & laters.keys(), default=0)
    if most == 0:
        return Effect(name, None, _NOT_MEASURED)
    (b, c), (later_b, later_c) = firsts[most], laters[most]
    times = [time_text(time) for time in (b, later_b, c, later_c)]
    why = f"on {most}: B {times[0]}, later {times[1]}; C {times[2]}, later {times[3]}"
    return Effect(name, b < _AS_LATER * later_b and c > _AS_LATER * later_c, why)


def _connected(data: Data) -> Effect:
    name = "why: where MPI_Init connects all processes, B's first call is as its later ones"
    pairs = _pairs(data, CONNECTED, (B, "first_ns"), (B, "later_ns"))
    if not pairs:
        return Effect(name, None, "not measured in this run: it is Open MPI's own setting")
    return Effect(name, all(b < _AS_LATER * later for b, later in pairs.values()), _words(pairs))


def _ours(data: Data) -> Effect:
    name = "by Quadrille's datagrams B stays below C, first calls included"
    pairs = _pairs(data, OURS, (B, "first_ns"), (C, "first_ns"))
    if not pairs:
        return Effect(name, None, _NOT_MEASURED)
    return Effect(name, all(b < c for b, c in pairs.values()), _words(pairs))
