# SPDX-License-Identifier: BSD-3-Clause
"""Plans from a probed model, end to end: what is replaced is right and no slower, on whichever hosts."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lab_traffic import needs_namespaces
from probe_trial import lab_name, probe, skip_without_prober
from steal_time import Timing

from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve
from quadrille.reproduce.programs import bench

pytestmark = [pytest.mark.alone, pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(240)]

NOISE = 1.1
"""Two series of the same calls differ by up to a tenth in their medians while other tests run."""
NO_TIMES_S = 1
"""For a point of which only who executed it and its results are looked at."""


@dataclass(frozen=True)
class Probed:
    """A lab and the model file of its network."""

    lab: Lab
    model: Path

    def bench(self, collectives: str, size: int, seconds: float = 4, **job: Any) -> list[dict[str, Any]]:
        """Measure, each point for so long; the benchmark checks every result of every rank."""
        options = ["--calls", "4", "--blocks", "2", "--seconds", str(seconds), "--model", str(self.model)]
        points = bench(self.lab.launcher(**job), collectives, [size], options)
        assert [point["wrong_results"] for point in points] == [0] * (collectives.count(",") + 1)
        return points


def probed(topology: str, folder: Path) -> Iterator[Probed]:
    skip_without_prober()
    with Lab.up(resolve(topology), lab_name(f"t-{topology.partition(':')[0]}")) as lab:
        trial = probe(lab.launcher(), folder)
        assert trial.model is not None, trial.stderr
        model = folder / "probed.json"
        model.write_text(json.dumps(trial.model), encoding="utf-8")
        yield Probed(lab, model)


@pytest.fixture(scope="module")
def buses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Probed]:
    yield from probed("eco_three_buses", tmp_path_factory.mktemp("buses"))


def executor(point: dict[str, Any]) -> str:
    return str(point["blocks"]["quadrille"]["executor"])


def ratio(point: dict[str, Any]) -> float:
    ours, native = point["blocks"]["quadrille"], point["blocks"]["native"]
    return float(statistics.median(ours["samples_ns"]) / statistics.median(native["samples_ns"]))


def test_a_broadcast_over_buses_is_taken_over_and_faster(buses: Probed, timing: Timing) -> None:
    (point,) = buses.bench("bcast", 16_000)
    assert executor(point) == "quadrille"
    with timing.judged():
        assert ratio(point) < 0.95


def test_the_model_serves_some_of_its_hosts_in_another_order(buses: Probed, timing: Timing) -> None:
    hosts = ["h7", "h2", "h3", "h0", "h5"]
    (point,) = buses.bench("bcast", 16_000, hosts=hosts)
    assert (point["ranks"], executor(point)) == (5, "quadrille")
    with timing.judged():
        assert ratio(point) < NOISE


def test_several_ranks_a_host_get_right_results(buses: Probed) -> None:
    collectives = "bcast,reduce,allreduce,allgather,alltoall"
    points = buses.bench(collectives, 4000, NO_TIMES_S, hosts=["h0", "h1", "h2", "h3"], per_host=2)
    assert {point["ranks"] for point in points} == {8}
    assert any(executor(point) == "quadrille" for point in points)


def with_islands(probed: Probed, folder: Path, *islands: list[str]) -> Probed:
    model = json.loads(probed.model.read_text(encoding="utf-8"))
    model["islands"] = [{"name": f"i{number}", "hosts": hosts} for number, hosts in enumerate(islands)]
    path = folder / "islands.json"
    path.write_text(json.dumps(model), encoding="utf-8")
    return Probed(probed.lab, path)


def test_islands_are_left_to_the_mpi_library_inside(
    buses: Probed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    joined = with_islands(buses, tmp_path, ["h0", "h1", "h6"], ["h2", "h3"])
    (inside,) = joined.bench("bcast", 16_000, NO_TIMES_S, hosts=["h0", "h1", "h6"])
    assert executor(inside) == "mpi"
    points = joined.bench("reduce,allgather", 4000, NO_TIMES_S, ranks=7)
    assert any(executor(point) == "quadrille" for point in points)
    by_library = [
        f"{name}:hierarchical:host=library:leaders=0:segment=1408" for name in ("bcast", "allreduce")
    ]
    monkeypatch.setenv("QUADRILLE_ALGORITHM", ",".join(by_library))
    points = joined.bench("bcast,allreduce", 8000, NO_TIMES_S, ranks=13, per_host=2)
    assert all(executor(point) == "quadrille" for point in points)


def test_on_one_switch_no_replaced_call_is_slower(tmp_path: Path, timing: Timing) -> None:
    for switch in probed("one_switch:hosts=6,rate_mbit=20", tmp_path):
        points = switch.bench("bcast,allgather,alltoall", 16_000)
        slower = {point["collective"]: ratio(point) for point in points if executor(point) != "mpi"}
        with timing.judged():
            assert all(value < NOISE for value in slower.values()), slower
