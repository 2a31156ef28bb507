# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille-simulate`: calls on simulated networks end with the right data; wrong usage is one line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from quadrille.installation import native_program

MODELS = Path(__file__).resolve().parents[1] / "schemas" / "examples"
LEAVES = "leaf-spine:leaf=2:spines=2"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = native_program("quadrille-simulate")
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)


def simulated(*arguments: str) -> dict[str, Any]:
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def complaint(*arguments: str) -> str:
    done = run(*arguments)
    assert done.returncode == 2, done.stdout
    lines = done.stderr.splitlines()
    assert len(lines) == 1
    return lines[0]


@pytest.mark.parametrize(
    "operation",
    [
        "barrier",
        "bcast",
        "reduce",
        "allreduce",
        "allgather",
        "alltoall",
        "gather",
        "scatter",
        "reduce_scatter_block",
        "scan",
        "exscan",
        "alltoallv",
    ],
)
def test_every_collective_ends_with_the_right_data_on_leaves_and_spines(operation: str) -> None:
    words = ["--bytes", "6000", "--ranks", "12", "--ranks-per-host", "2", "--network", LEAVES, "--calls", "2"]
    found = simulated(operation, *words, "--loss", "0.5")
    assert found["contents"] == "checked"
    assert [call["time_ns"] > 0 for call in found["calls"]] == [True, True]


@pytest.mark.parametrize("blocks", ["equal", "power-law", "one-sender", "sparse"])
@pytest.mark.parametrize("algorithm", ["granted", "gathered", "ordered"])
def test_blocks_may_differ_as_they_like(blocks: str, algorithm: str) -> None:
    words = ["--bytes", "3000", "--ranks", "12", "--ranks-per-host", "3", "--blocks", blocks]
    assert simulated("alltoallv", *words, "--algorithm", algorithm)["contents"] == "checked"


def test_the_same_seed_is_the_same_simulation() -> None:
    words = ["alltoall", "--bytes", "20000", "--ranks", "8", "--network", LEAVES, "--loss", "2"]
    one, again, another = (simulated(*words, "--seed", seed)["calls"] for seed in ("1", "1", "2"))
    assert [call["time_ns"] for call in one] == [call["time_ns"] for call in again]
    assert [call["time_ns"] for call in one] != [call["time_ns"] for call in another]


def test_budgets_grow_on_fast_links_and_nothing_is_dropped() -> None:
    words = ["--bytes", "65536", "--network", "switch:hosts=16:rate=25", "--budget", "15"]
    found = simulated("alltoall", *words, "--no-processors")["calls"][-1]
    assert found["of_limit"] > 0.95
    assert found["least_budget"] > 100
    assert found["dropped"] == 0


def test_budgets_of_slow_links_stay_and_jumbo_frames_come_near_the_limit() -> None:
    words = ["--bytes", "262144", "--network", "switch:hosts=4:rate=1:mtu=9000:buffer=128", "--budget", "6"]
    found = simulated("alltoall", *words, "--no-processors", "--calls", "2")["calls"][-1]
    assert found["of_limit"] > 0.93
    assert found["most_budget"] == 6


def test_what_is_lost_is_sent_again() -> None:
    found = simulated("alltoall", "--bytes", "65536", "--ranks", "4", "--loss", "1", "--calls", "1")
    assert found["calls"][0]["data_resent"] > 0


def test_processors_and_late_ranks_take_time() -> None:
    words = ["alltoall", "--bytes", "16384", "--ranks", "8", "--calls", "1"]
    free, usual, late = (
        simulated(*words, *more)["calls"][0]["time_ns"]
        for more in (["--no-processors"], [], ["--late-ranks", "2", "--late-us", "5000"])
    )
    assert free < usual < late
    assert late > 5_000_000


def test_memory_of_many_communicators_is_that_of_two_and_a_little() -> None:
    words = ["alltoall", "--algorithm", "granted", "--bytes", "1000", "--ranks", "64", "--calls"]
    bytes_of = {
        communicators: simulated(*words, str(communicators), "--communicators", str(communicators))["calls"][
            -1
        ]["engine_bytes_per_rank"]
        for communicators in (1, 2, 16, 64)
    }
    # Up to 1024 flows a rank stay as they are; of one that sleeps stay 48 bytes.
    most = bytes_of[1] + 1024 * 2000
    assert bytes_of[1] < bytes_of[2] < bytes_of[16] < most
    assert bytes_of[64] < most + 64 * 64 * 64


def test_large_memory_is_shared_and_said_to_be() -> None:
    words = ["alltoall", "--bytes", "1048576", "--ranks", "16", "--ranks-per-host", "8", "--calls", "1"]
    assert simulated(*words)["contents"] == "shared memory"


def tree() -> dict[str, Any]:
    """Return a model of two switches that a trunk joins."""
    hosts = [f"h{number}" for number in range(4)]
    rates = {"from_host_bit_s": 1e9, "to_host_bit_s": 1e9}
    return {
        "format": "quadrille-network-model",
        "version": 1,
        "hosts": [{"name": name, "segment": f"s{number // 2}", **rates} for number, name in enumerate(hosts)],
        "segments": [
            {"name": "s0", "hosts": hosts[:2], "kind": "switch"},
            {"name": "s1", "hosts": hosts[2:], "kind": "switch"},
        ],
        "trunks": [{"name": "t0", "between": ["s0", "s1"], "forward_bit_s": 1e8, "backward_bit_s": 1e8}],
    }


def refused(tmp_path: Path, model: dict[str, Any]) -> str:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(model))
    return complaint("alltoall", "--bytes", "1000", "--network", str(path))


def test_a_models_file_is_a_network_whose_trunk_sets_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(tree()))
    found = simulated("alltoall", "--bytes", "100000", "--network", str(path))
    assert found["limit_set_by"] == "trunk t0"
    assert found["calls"][-1]["of_limit"] > 0.6


def test_a_network_with_a_cycle_is_refused(tmp_path: Path) -> None:
    model = tree()
    model["trunks"].append({**model["trunks"][0], "name": "t1"})
    assert "trunks form a tree" in refused(tmp_path, model)


def test_a_rate_of_zero_is_refused(tmp_path: Path) -> None:
    for change in ("host", "trunk"):
        model = tree()
        if change == "host":
            model["hosts"][1]["to_host_bit_s"] = 0
        else:
            model["trunks"][0]["forward_bit_s"] = 0
        assert "0 bit/s carries nothing" in refused(tmp_path, model)


def test_what_is_no_switch_is_refused() -> None:
    words = ["alltoall", "--bytes", "1000", "--network"]
    assert "is a bus" in complaint(*words, str(MODELS / "network_model_three_buses.json"))
    assert "island" in complaint(*words, str(MODELS / "network_model_islands.json"))
    assert "no/such/file" in complaint(*words, "no/such/file")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nonsense", "--bytes", "1"], "nonsense"),
        (["gatherv", "--bytes", "1", "--ranks", "4"], "gatherv"),
        (["alltoall", "--bytes", "1", "--ranks", "16777216"], "24 bits"),
        (["alltoall", "--bytes", "1", "--ranks", "4", "--ranks-per-host", "513"], "512"),
        (["alltoall", "--ranks", "4"], "--bytes"),
        (["alltoall", "--bytes", "1", "--ranks", "4", "--algorithm", "magic"], "magic"),
        (["alltoall", "--bytes", "1", "--ranks", "4", "--algorithm", "mpi"], "not known"),
        (["alltoallv", "--bytes", "1", "--ranks", "4", "--blocks", "odd"], "odd"),
        (["bcast", "--bytes", "1", "--ranks", "4", "--root", "4"], "--root 4"),
        (["alltoall", "--bytes", "1", "--ranks", "4", "--network", "switch:rate=0"], "rate=0"),
        (["alltoall", "--bytes", "1", "--ranks", "4", "--network", "switch:speed=1"], "speed=1"),
        (["alltoall", "--bytes", "1", "--ranks", "9", "--network", "switch:hosts=8"], "9 ranks"),
    ],
)
def test_wrong_usage_is_one_line(arguments: list[str], told: str) -> None:
    assert told in complaint(*arguments)
