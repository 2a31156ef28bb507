# SPDX-License-Identifier: BSD-3-Clause
"""Programs started without a model and with QUADRILLE_PROBE=auto: they measure once, then use the cache.

Whatever cannot be measured, the program runs and its results are right.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lab_jobs import block_datagrams_to
from lab_traffic import needs_namespaces
from probe_trial import lab_name
from steal_time import Timing

from quadrille.errors import QuadrilleError
from quadrille.installation import mpi_prefix, native_directory
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve

pytestmark = [pytest.mark.alone, pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(180)]

ABI = {"ompi4": "ompi", "ompi5": "ompi", "mpich": "mpich"}
# Its own deadline, the end of its service, and a machine that other tests keep busy.
LONGEST_PROBE_US = 7_000_000


@pytest.fixture(scope="module")
def switch() -> Iterator[Lab]:
    with Lab.up(resolve("one_switch:hosts=4,rate_mbit=25"), lab_name("t-start")) as found:
        yield found


@dataclass(frozen=True)
class Start:
    """What the log says of a start, and the whole output."""

    model: str
    probe_us: int
    output: str


def start(lab: Lab, cache: Path, mpi: str = "ompi4", program: str = "late_rank 0", **variables: str) -> Start:
    """Run a test program on `lab` and return where its model came from; its results must be right."""
    if mpi != "ompi4" and mpi_prefix(mpi) is None:
        pytest.skip(f"{mpi} is not installed here")
    name, *arguments = program.split()
    try:
        path = native_directory() / "tests" / f"{name}-{ABI[mpi]}"
    except QuadrilleError as missing:
        pytest.skip(str(missing))
    prefix = mpi_prefix(mpi)
    libraries = {} if prefix is None else {"LD_LIBRARY_PATH": str(prefix / "lib")}
    environment = {"QUADRILLE_LOG": "start", "QUADRILLE_PROBE": "auto", "QUADRILLE_CACHE": str(cache)}
    environment |= {**libraries, **variables}
    result = lab.run([str(path), *arguments], mpi=mpi, environment=environment, quadrille=True, timeout_s=120)
    assert result.exit_code == 0, result.output
    failures = re.search(r"failures=(\d+)", result.output)
    assert failures is None or failures[1] == "0", result.output
    found = re.search(r"event=start .*model=(\w+) probe_us=(\d+) ", result.output)
    assert found is not None, result.output
    return Start(found[1], int(found[2]), result.output)


def kept(cache: Path) -> Path:
    """Return the one file of the cache."""
    (only,) = cache.iterdir()
    return only


def segments_in(model: Path) -> set[frozenset[str]]:
    found = json.loads(model.read_text(encoding="utf-8"))
    return {frozenset(segment["hosts"]) for segment in found["segments"]}


@pytest.mark.parametrize("mpi", ["ompi4", pytest.param("ompi5", marks=pytest.mark.slow), "mpich"])
def test_the_first_start_measures_and_the_second_finds_it_in_the_cache(
    switch: Lab, tmp_path: Path, mpi: str
) -> None:
    cache = tmp_path / "cache"
    first = start(switch, cache, mpi)
    assert first.model == "measured", first.output
    assert first.probe_us < LONGEST_PROBE_US
    assert segments_in(kept(cache)) == {frozenset({"h0", "h1", "h2", "h3"})}
    second = start(switch, cache, mpi)
    assert second.model == "cache", second.output
    assert second.probe_us < first.probe_us


def test_an_expired_model_is_measured_again(switch: Lab, tmp_path: Path) -> None:
    assert start(switch, tmp_path).model == "measured"
    os.utime(kept(tmp_path), (0, 0))
    assert start(switch, tmp_path).model == "measured"
    assert start(switch, tmp_path).model == "cache"
    assert start(switch, tmp_path, QUADRILLE_MODEL_EXPIRY_S="0").model == "measured"


@pytest.mark.parametrize("contents", ["", '{"segments": [{"hosts": ["h0"', '{"segments": []}'])
def test_a_broken_model_in_the_cache_is_measured_again_and_replaced(
    switch: Lab, tmp_path: Path, contents: str
) -> None:
    assert start(switch, tmp_path).model == "measured"
    kept(tmp_path).write_text(contents, encoding="utf-8")
    again = start(switch, tmp_path)
    assert again.model == "measured", again.output
    assert start(switch, tmp_path).model == "cache"


def test_other_hosts_have_a_model_of_their_own(switch: Lab, tmp_path: Path) -> None:
    assert start(switch, tmp_path).model == "measured"
    name = lab_name("t-start-2")
    with Lab.up(resolve("two_switches_one_trunk:hosts=4,rate_mbit=25,trunk_mbit=10"), name) as other:
        # Of the same names and addresses: only the kernel's namespaces tell them apart.
        assert start(other, tmp_path).model == "measured"
    assert len(list(tmp_path.iterdir())) == 2


def test_switched_off_or_without_need_nothing_is_measured(switch: Lab, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    off = start(switch, cache, QUADRILLE_PROBE="off")
    assert (off.model, off.probe_us < 1000) == ("none", True), off.output
    with Lab.up(resolve("one_switch:hosts=2,rate_mbit=25"), lab_name("t-start-two")) as two:
        assert start(two, cache).model == "none"
    assert not cache.exists()


def test_a_folder_that_cannot_be_written_is_no_cache_and_no_complaint(switch: Lab, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way", encoding="utf-8")
    for _ in range(2):
        found = start(switch, blocked)
        assert found.model == "measured", found.output
        assert str(blocked) not in found.output


@pytest.fixture(scope="module")
def buses() -> Iterator[Lab]:
    with Lab.up(resolve("eco_three_buses"), lab_name("t-start-buses")) as found:
        yield found


def test_results_are_right_with_a_model_measured_on_buses(buses: Lab, tmp_path: Path, timing: Timing) -> None:
    for origin in ("measured", "cache"):
        found = start(buses, tmp_path, program="collectives stress 2 30", QUADRILLE_TRIALS="2")
        with timing.judged():  # what is not measured within its time is left
            assert found.model == origin, found.output


def test_where_a_host_hears_no_udp_the_program_runs_without_a_model(tmp_path: Path) -> None:
    with Lab.up(resolve("one_switch:hosts=4,rate_mbit=25"), lab_name("t-start-udp")) as lab:
        block_datagrams_to(lab, "h3")
        told = start(lab, tmp_path, program="collectives stress 2 60", QUADRILLE_TRIALS="2")
        assert told.model == "none", told.output
        assert told.output.count("event=probe model=none reason=") == 1
        assert told.probe_us < LONGEST_PROBE_US
        assert "h3" in told.output
        assert not list(tmp_path.iterdir())
