# SPDX-License-Identifier: BSD-3-Clause
"""A second job on the same hosts goes on with what the first one's trials have found."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_jobs import counts, program
from lab_traffic import needs_namespaces, topology

from quadrille.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(120)]

LEARNT = 'reason="tried by an earlier job"'


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 80, "buffer_kib": 32}],
        "hosts": [{"names": ["h0..h2"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-learnt") as up:
        yield up


def exchange(lab: Lab, cache: Path, **others: str) -> str:
    environment = {
        "QUADRILLE_LOG": "plan",
        "QUADRILLE_LEARN": "on",
        "QUADRILLE_CACHE": str(cache),
        "QUADRILLE_CHECK_DECISIONS": "on",
        **others,
    }
    command = [program("exchange_times", "ompi4"), "32768", "80"]
    result = lab.run(command, ranks=3, environment=environment, quadrille=True, timeout_s=60)
    assert counts(result)["wrong"] == 0
    return result.output


def test_a_second_job_tries_nothing(lab: Lab, tmp_path: Path) -> None:
    assert "event=trial" in exchange(lab, tmp_path)
    kept = list(tmp_path.iterdir())
    assert len(kept) == 1 and kept[0].name.startswith("verdicts-"), kept
    second = exchange(lab, tmp_path)
    assert "event=trial" not in second
    assert LEARNT in second, second


def test_a_summary_tells_what_the_trials_of_this_job_have_saved(lab: Lab, tmp_path: Path) -> None:
    first = exchange(lab, tmp_path, QUADRILLE_SUMMARY="on")
    told = re.search(
        r"spent ([\d.]+) of ([\d.]+) s .* in blocking .* executed (\d+) of (\d+) collectives(.*)", first
    )
    assert told is not None, first
    assert 0 < float(told[1]) <= float(told[2])
    on_rank_0 = re.findall(r"event=calls .* calls=(\d+) by_quadrille=(\d+)", first)
    assert int(told[3]) == 3 * sum(int(ours) for _, ours in on_rank_0)
    assert int(told[4]) == 3 * sum(int(calls) for calls, _ in on_rank_0)
    won = re.search(r"event=plan collective=alltoall .*chosen=alltoall", first) is not None
    assert ("by this job's trials" in told[5]) == won, first
    second = exchange(lab, tmp_path, QUADRILLE_SUMMARY="on")
    assert " in blocking collectives" in second and "by this job's trials" not in second, second


def test_it_tries_again_where_something_else_has_changed_or_nothing_is_to_be_learnt(
    lab: Lab, tmp_path: Path
) -> None:
    exchange(lab, tmp_path)
    assert "event=trial" in exchange(lab, tmp_path, QUADRILLE_WIRE="off"), "another set of candidates"
    assert "event=trial" in exchange(lab, tmp_path, QUADRILLE_LEARN="off")


@pytest.mark.parametrize("kind", ["broken", "a folder", "none to be had"])
def test_a_cache_that_cannot_be_used_is_as_good_as_an_empty_one(lab: Lab, tmp_path: Path, kind: str) -> None:
    cache = tmp_path / "cache"
    if kind == "none to be had":
        cache.write_text("no folder", encoding="utf-8")
    else:
        exchange(lab, cache)
        (file,) = cache.iterdir()
        if kind == "broken":
            file.write_bytes(b"quadrille verdicts 1\n\xff\x00 half a li")
        else:
            file.unlink()
            file.mkdir()
    assert "event=trial" in exchange(lab, cache)
