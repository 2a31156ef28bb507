# SPDX-License-Identifier: BSD-3-Clause
"""quadrille-partition: from a file of round trips to subnets by each statistic; wrong files are refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from quadrille.installation import native_program

HOSTS = ["h0", "h1", "h2", "h3"]


def samples(trips_ns: dict[tuple[int, int], list[int]]) -> dict[str, Any]:
    """Return the document for pairs of positions in HOSTS, messages of 16 000 B both ways."""
    pairs = [
        {"from": HOSTS[a], "to": HOSTS[b], "there_bytes": 16000, "back_bytes": 16000, "round_trips_ns": trips}
        for (a, b), trips in trips_ns.items()
    ]
    return {"hosts": HOSTS, "pairs": pairs}


def partition(folder: Path, content: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the program on a file of `content`."""
    path = folder / "samples.json"
    path.write_text(content, encoding="utf-8")
    program = native_program("quadrille-partition")
    return subprocess.run([program, path, *options], capture_output=True, text=True, timeout=20, check=False)


# Even and odd hosts; two of five round trips of h0 and h2 met a burst.
BURST = {
    (0, 2): [100, 101, 102, 4000, 5000],
    (1, 3): [100, 101, 102, 103, 104],
    (0, 1): [150, 151, 152, 153, 154],
    (0, 3): [150, 151, 152, 153, 154],
    (1, 2): [150, 151, 152, 153, 154],
    (2, 3): [150, 151, 152, 153, 154],
}


def test_minimum_and_median_see_through_a_burst_that_mean_and_maximum_do_not(tmp_path: Path) -> None:
    done = partition(tmp_path, json.dumps(samples(BURST)))
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    even_and_odd = [["h0", "h2"], ["h1", "h3"]]
    assert answer["partitions"]["minimum"] == even_and_odd
    assert answer["partitions"]["median"] == even_and_odd
    assert answer["partitions"]["mean"] != even_and_odd
    assert answer["partitions"]["maximum"] != even_and_odd
    assert (answer["cutoff"], answer["there_bytes"], answer["unmeasured_pairs"]) == (1.2, 16000, 0)


def test_one_statistic_and_another_cutoff_can_be_asked_for(tmp_path: Path) -> None:
    done = partition(tmp_path, json.dumps(samples(BURST)), "--statistic", "minimum", "--cutoff", "1.6")
    assert json.loads(done.stdout)["partitions"] == {"minimum": [HOSTS]}


def test_entries_of_a_pair_count_together_whichever_host_measured(tmp_path: Path) -> None:
    document = samples(BURST)
    document["pairs"].append({**document["pairs"][2], "from": 1, "to": 0, "round_trips_ns": [100]})
    done = partition(tmp_path, json.dumps(document), "--statistic", "minimum")
    assert json.loads(done.stdout)["partitions"]["minimum"] == [HOSTS]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"hosts": ["h0"', "not valid JSON"),
        ('{"pairs": []}', "hosts: expected a list"),
        ('{"hosts": ["h0"], "pairs": [{"from": "h9"}]}', 'as from, found "h9"'),
        (json.dumps(samples({(0, 1): [0]})), "pairs[0].round_trips_ns: expected times above 0"),
        ('{"hosts": ["h0"], "pairs": []}', "no size that was sent both ways"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(tmp_path: Path, content: str, said: str) -> None:
    done = partition(tmp_path, content)
    assert done.returncode == 1
    assert said in done.stderr
