# SPDX-License-Identifier: BSD-3-Clause
"""What one-way times show, and their page, from made data."""

from __future__ import annotations

from typing import Any

from quadrille.bench.pingpong import MPI, PROVIDER_PACKET
from quadrille.reproduce.catalogue import find_experiment

EXPERIMENT = find_experiment("gamma-pingpong")


def line(way: str, size: int, median_us: float) -> dict[str, Any]:
    return {
        "way": way,
        "pattern": "pingpong",
        "bytes": size,
        "window": 1,
        "messages": 100,
        "median_ns": 1000 * median_us,
        "tenth_ns": 900 * median_us,
        "ninetieth_ns": 1100 * median_us,
        "cpu_ns": 2000 * median_us,
        "correct": True,
    }


def data(frames_64_us: float, frames_64k_us: float, frames_1m_us: float) -> dict[str, Any]:
    """Make both networks; 1 MiB takes 44 555 us at 200 Mbit/s and full frames."""
    lines = [line(PROVIDER_PACKET, 65536, frames_64k_us), line(PROVIDER_PACKET, 1 << 20, frames_1m_us)]
    short = [line(PROVIDER_PACKET, 64, frames_64_us), line(MPI, 64, 10)]
    return {
        "runs": [
            {"network": "no rate limit", "rate_mbit": None, "lines": short, "missing": {}},
            {"network": "200 Mbit/s", "rate_mbit": 200, "lines": lines, "missing": {"packet": "forbidden"}},
        ]
    }


def seen(made: dict[str, Any]) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge(made)]


def test_effects_are_seen_where_they_are() -> None:
    assert seen(data(6, 2_900, 45_000)) == [True, True, True]


def test_effects_are_not_seen_where_they_are_not() -> None:
    assert seen(data(11, 9_000, 60_000)) == [False, False, False]


def test_of_several_turns_the_median_counts() -> None:
    made = data(6, 2_900, 45_000)
    made["runs"][0]["lines"] += [line(PROVIDER_PACKET, 64, 30), line(PROVIDER_PACKET, 64, 7)]
    assert seen(made)[0] is True


def test_nothing_measured_shows_nothing() -> None:
    assert seen({}) == [None, None, None]
    assert EXPERIMENT.show({}) == ""


def test_the_page_names_what_was_not_measured() -> None:
    page = EXPERIMENT.show(data(6, 2_900, 45_000))
    assert "frames by packet socket: not measured: forbidden" in page
    assert page.count("<h2>") == 2
