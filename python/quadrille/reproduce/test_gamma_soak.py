# SPDX-License-Identifier: BSD-3-Clause
"""What samples of memory show, and their page, from made data."""

from __future__ import annotations

from typing import Any

import pytest

from quadrille.errors import UsageError
from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.durations import seconds_of

EXPERIMENT = find_experiment("gamma-soak")


def job(
    leak_bytes: float, wrong: int = 0, opened: int = 0, left: int = 0, calls: int = 600_000
) -> dict[str, Any]:
    """Make a job of two ranks whose heaps settle, and which lose `leak_bytes` a call."""
    samples = []
    for number in range(21):
        done = calls * number // 20
        settled = 5000 + 500 * number / (1 + number) + (number % 2)
        kib = round(settled + leak_bytes * done / 1024)
        machine = {"tcp_pages": [7, 7], "udp_pages": [0, 0], "kernel_kib": [50_000, 50_000]}
        of_ranks = {"calls": [done, done], "wrong": [wrong, 0], "threads": [4, 4]}
        memory = {"resident_kib": [kib + 15_000] * 2, "anonymous_kib": [kib] * 2}
        sockets = [9 + opened * number, 9]
        samples.append({"seconds": number, **of_ranks, **memory, "sockets": sockets, **machine})
    after = {"h0": 4 + left, "h1": 4}
    return {"ranks": 2, "exit_code": 0, "samples": samples, "output": [], "sockets_after": after}


def data(*jobs: dict[str, Any]) -> dict[str, Any]:
    return {"truth": None, "sockets_before": {"h0": 4, "h1": 4}, "jobs": list(jobs)}


def seen(made: dict[str, Any]) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge(made)]


def test_a_heap_that_settles_is_flat() -> None:
    assert seen(data(job(0), job(0))) == [True] * 5


def test_two_bytes_a_call_are_a_leak_in_any_job() -> None:
    assert seen(data(job(0), job(2))) == [True, False, True, True, True]


def test_wrong_values_failed_jobs_and_sockets_are_told() -> None:
    failed = {**job(0), "exit_code": 1, "output": ["peer lost"]}
    assert seen(data(job(0, wrong=3)))[0] is False
    assert seen(data(job(0), failed))[0] is False
    assert "peer lost" in EXPERIMENT.show(data(failed))
    assert seen(data(job(0, opened=1)))[2] is False
    assert seen(data(job(0, left=1)))[3] is False


def test_a_short_run_does_not_claim_a_million_calls() -> None:
    assert seen(data(job(0, calls=30_000)))[4] is None


def test_nothing_measured_shows_nothing() -> None:
    assert seen({}) == [None] * 5
    begun: dict[str, Any] = {"ranks": 0, "exit_code": None, "samples": [], "output": [], "sockets_after": {}}
    assert seen(data(begun))[1:] == [None] * 4
    assert EXPERIMENT.show({}) == ""


def test_the_page_states_the_slope_with_its_error() -> None:
    page = EXPERIMENT.show(data(job(0), job(0.25)))
    assert "±" in page and page.count("<tr>") >= 3


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("1.5m", 90), ("24h", 86_400)])
def test_durations_have_a_unit(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["90", "", "h", "-1s", "0s", "1d"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="24h"):
        seconds_of(text)
