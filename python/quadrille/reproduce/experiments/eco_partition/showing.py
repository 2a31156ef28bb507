# SPDX-License-Identifier: BSD-3-Clause
"""The page of eco-partition: networks as built and as found, who was right how often, sorted round trips."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

from quadrille.report.charts import NATIVE_COLOUR, QUADRILLE_COLOUR, Figure, layout
from quadrille.report.formatting import escape
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.report.topology_picture import topology_svg
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.eco_partition.frame_times import host_name, with_frame_times
from quadrille.reproduce.experiments.eco_partition.judging import QUADRILLE, rows
from quadrille.reproduce.model_drawing import model_drawing
from quadrille.reproduce.programs import STATISTICS

_VALUE: dict[str, Callable[[list[int]], float]] = {
    "minimum": min,
    "mean": statistics.fmean,
    "median": statistics.median,
    "maximum": max,
}
_X_AXIS = {"title": {"text": "pairs of hosts, in order"}}
_Y_AXIS = {"title": {"text": "message time, us (log)"}, "type": "log"}
_NAMES = {"mixed": "Mixed network", "equal": "Two equal networks", "cluster": "The cluster"}


def show(data: Data) -> str:
    """Return the sections between the paper's values and the command to repeat it."""
    parts = []
    for name, network in data.get("networks", {}).items():
        parts += [f"<h2>{_NAMES[name]}</h2>", _pictures(network)]
    parts += ["<h2>Who was right how often</h2>", _scores(data)]
    for name, network in data.get("networks", {}).items():
        for condition, repetitions in network["conditions"].items():
            parts.append(_charts(name, network, condition, repetitions))
    return "\n".join(parts)


def _pictures(network: dict[str, Any]) -> str:
    """Return the physical network (a) beside what the probe found (b), as the paper's figure has them."""
    built = topology_svg(network["truth"]) if network["truth"] else "<p>Not known: a real cluster.</p>"
    models = [one["model"] for one in _successful(network)]
    found = model_drawing(models[0]) if models else "<p>No probe succeeded.</p>"
    return (
        f'<div class="charts"><div><h4>a) as it was built</h4>{built}</div>'
        f"<div><h4>b) as Quadrille found it (first repetition)</h4>{found}</div></div>"
    )


def _successful(network: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for found in network["conditions"].values() for one in found if "model" in one]


def _scores(data: Data) -> str:
    ways = [*STATISTICS, QUADRILLE]
    head = ["network", "traffic", *(f"20 % rule, {way}" for way in STATISTICS), QUADRILLE]
    cells = [
        [_NAMES[row.network], escape(row.condition)]
        + [str(row.scores[way]) if way in row.scores else "–" for way in ways]
        for row in rows(data)
    ]
    note = (
        '<p class="quiet">Repetitions whose partition was exactly that of the network as built. Falsified '
        "samples: one round trip of twenty, drawn at random from those of the quiet network. The rule uses "
        "round trips alone; Quadrille's model comes from a probe just before, in which hosts also load the "
        "network.</p>"
    )
    return table(head, cells, numbers_from=2) + note if cells else "<p>What is right is not known here.</p>"


def _charts(name: str, network: dict[str, Any], condition: str, repetitions: list[dict[str, Any]]) -> str:
    measured = [_as_partitioned(network, one) for one in repetitions if "samples" in one]
    if not measured:
        return ""
    figures = "".join(chart_cell(_sorted_chart(network, measured[0], way)) for way in STATISTICS)
    return f"<h3>{_NAMES[name]}, {escape(condition)}: message times in order</h3>" + (
        f'<div class="charts">{figures}</div>'
        '<p class="quiet">First repetition, half of each pair&#x27;s round trip. The rule can only be right '
        "where the pairs of one network stand below all others of their hosts.</p>"
    )


def _as_partitioned(network: dict[str, Any], repetition: dict[str, Any]) -> dict[str, Any]:
    samples: dict[str, Any] = repetition["samples"]
    return with_frame_times(samples, repetition["model"]) if network["truth"] else samples


def _sorted_chart(network: dict[str, Any], samples: dict[str, Any], statistic: str) -> Figure:
    """Return the message times of all pairs in rising order, those inside one network marked."""
    truth = network["truth"]
    segment = {host["name"]: host["segment"] for host in truth["hosts"]} if truth else {}
    times = sorted(
        (_VALUE[statistic](trips) / 2e3, pair) for pair, trips in _small_messages(samples).items() if trips
    )
    data = []
    groups = [
        ("in one network", True, QUADRILLE_COLOUR, "circle"),
        ("across", False, NATIVE_COLOUR, "diamond"),
    ]
    for label, inside, colour, symbol in groups if segment else [("pairs", None, QUADRILLE_COLOUR, "circle")]:
        points = [
            (place, time, f"{one} – {other}")
            for place, (time, (one, other)) in enumerate(times, start=1)
            if inside is None or (segment[one] == segment[other]) == inside
        ]
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": label,
                "x": [point[0] for point in points],
                "y": [point[1] for point in points],
                "text": [point[2] for point in points],
                "marker": {"size": 7, "color": colour, "symbol": symbol},
                "hovertemplate": "%{text}: %{y:.1f} us<extra></extra>",
            }
        )
    return {"data": data, "layout": layout(f"by the {statistic}", _X_AXIS, _Y_AXIS)}


def _small_messages(samples: dict[str, Any]) -> dict[tuple[str, str], list[int]]:
    """Return the round trips of each pair at the size that most pairs have, as the partition uses them."""
    by_size: dict[tuple[int, int], dict[tuple[str, str], list[int]]] = {}
    for entry in samples["pairs"]:
        size = (entry["there_bytes"], entry["back_bytes"])
        one, other = sorted((host_name(samples, entry["from"]), host_name(samples, entry["to"])))
        by_size.setdefault(size, {}).setdefault((one, other), []).extend(entry["round_trips_ns"])
    both_ways = [size for size in by_size if size[0] == size[1]]
    return by_size[max(both_ways, key=lambda size: (len(by_size[size]), size))] if both_ways else {}
