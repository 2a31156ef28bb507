# SPDX-License-Identifier: BSD-3-Clause
"""Times the ring in every order on every network, the orders one after the other in each round.

`data["networks"]` has an entry a network: `topology` and `truth` (None on a real cluster), the probed
`model`, and `runs`: `order` and `seed`, `bytes` of a message, `step_ns`, `ring` (the host at each place) and
`gave_right` (the share of steps in which the place gave to its right neighbour).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve
from quadrille.order.mapping import order_ranks
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.eco_ring.networks import (
    CART_CREATE,
    CLUSTER,
    FULL,
    HOST_ORDER,
    NETWORKS,
    QUICK,
    RANDOM_ORDER,
    RANK_FILE,
)
from quadrille.reproduce.experiments.eco_ring.ring_program import RingRun, run_ring
from quadrille.reproduce.programs import model_file, probe
from quadrille.reproduce.workbench import Workbench


@dataclass(frozen=True)
class _Attempt:
    """One order: how ranks are started, and what the program is told."""

    order: str
    launcher: Callable[[], Sequence[str]]
    word: str
    seed: int = 0


def measure(bench: Workbench, data: Data) -> None:
    """Measure on emulated networks, or on the cluster of the given launcher."""
    networks = data["networks"] = {}
    if bench.launcher is not None:
        entry = networks[CLUSTER] = {"topology": None, "truth": None, "runs": []}
        _measure_on(bench, None, entry)
        return
    for network in NETWORKS:
        if bench.quick and not network.in_short_form:
            continue
        with bench.lab(resolve(network.topology), f"ring-{network.name}") as lab:
            entry = {"topology": network.topology, "truth": lab.truth(), "runs": []}
            networks[network.name] = entry
            bench.announce(network.title)
            _measure_on(bench, lab, entry)


def _measure_on(bench: Workbench, lab: Lab | None, entry: dict[str, Any]) -> None:
    line = lab.launcher() if lab is not None else bench.launcher or []
    bench.announce("  probe")
    entry["model"] = probe(line, seed=1, shared=bench.folder).model
    bench.save()
    form = QUICK if bench.quick else FULL
    with model_file(entry["model"], bench.folder) as path:
        attempts = list(_attempts(line, lab, path, form.seeds))
        for number in range(form.rounds):
            for size, steps in form.steps.items():
                bench.announce(f"  round {number + 1} of {form.rounds}: {size} B, every order")
                for attempt in attempts:
                    run = RingRun(attempt.word, steps, size, attempt.seed)
                    about = {"order": attempt.order, "seed": attempt.seed, "bytes": size}
                    entry["runs"].append(about | run_ring(attempt.launcher(), path, run))
                    bench.save()


def _attempts(line: Sequence[str], lab: Lab | None, model: str, seeds: int) -> Iterator[_Attempt]:
    def in_order() -> Sequence[str]:
        return line if lab is None else lab.launcher()  # whose file of a lab the last one asked for holds

    yield _Attempt(HOST_ORDER, in_order, "world")
    for seed in range(1, seeds + 1):
        yield _Attempt(RANDOM_ORDER, in_order, "random", seed)
    yield _Attempt(CART_CREATE, in_order, "topology")
    if lab is not None:
        places = dict.fromkeys(lab.state.hosts, 1)
        hosts = order_ranks(Path(model), places, len(places), ["--ring"]).hosts
        yield _Attempt(RANK_FILE, lambda: lab.launcher(hosts=hosts), "world")
