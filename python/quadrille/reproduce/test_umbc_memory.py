# SPDX-License-Identifier: BSD-3-Clause
"""What predictions and runs show of a sort's memory, from predictions and made runs."""

from __future__ import annotations

from typing import Any

import pytest

from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.experiments import umbc_memory
from quadrille.reproduce.sorts import paper

EXPERIMENT = find_experiment("umbc-memory")


@pytest.fixture(name="data")
def measured() -> dict[str, Any]:
    """Return real predictions, and runs as they should be."""
    run = {"way": "MPI library", "nodes": 2, "ranks": 4, "doubles": 14, "bytes": 64, "median_ns": 1e6}
    run |= {"samples_ns": [1e6], "stalls": 0, "limit_ns": None, "swapped": False}
    run |= {"arrays_bytes": 1_000_000, "grown_bytes": 1_010_000}
    return {
        "global": umbc_memory._predicted(512, "constant-global"),
        "local": {str(m): umbc_memory._predicted(m, "constant-local") for m in paper.BY_MEMORY_S},
        "points": [run],
        "refused": "quadrille-bench: 24.0 GiB can be used",
    }


def seen(data: dict[str, Any]) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge(data)]


def test_what_is_right_is_seen_and_swapping_need_not_be(data: dict[str, Any]) -> None:
    assert seen(data) == [True, True, True, True, None]
    assert not any(effect.failed for effect in EXPERIMENT.judge(data))


def test_each_wrong_figure_is_noticed(data: dict[str, Any]) -> None:
    data["global"][4]["block_bytes"] += 1024
    data["local"]["1024"][4]["fits"] = True
    data["points"][0]["grown_bytes"] = 1_100_000
    data["refused"] = ""
    data["points"][0]["swapped"] = True
    assert seen(data) == [False, False, False, False, True]


def test_nothing_measured_shows_nothing() -> None:
    assert seen({}) == [None] * 5
    assert EXPERIMENT.show({}) == ""


def test_the_page_has_table_4_5_with_what_is_refused(data: dict[str, Any]) -> None:
    page = EXPERIMENT.show(data)
    assert page.count("refused") == 5 and page.count("ERR") == 4
    assert "170.62 s" in page


def test_what_is_to_be_refused_is_more_than_there_is() -> None:
    assert umbc_memory._too_many_doubles() > 100
