# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille-simulated-broadcast`: times of broadcasts on a simulated switch, and wrong usage."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from quadrille.installation import native_program

RATE = 100e6 / 8e3  # bytes a millisecond


def simulate(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = native_program("quadrille-simulated-broadcast")
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=30, check=False)


def times(*arguments: str) -> dict[int, dict[str, Any]]:
    done = simulate(*arguments)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {line["hosts"]: line for line in lines}


def test_a_tree_takes_a_message_a_level_and_multicast_one_in_all() -> None:
    found = times("--hosts", "2,8,32", "--bytes", "20000")
    one_ms = 20_000 / RATE
    for levels, hosts in ((1, 2), (3, 8), (5, 32)):
        assert 1.0 < found[hosts]["multicast_ns"] / 1e6 / one_ms < 1.25
        assert 1.0 < found[hosts]["binomial_ns"] / 1e6 / one_ms / levels < 1.25


def test_hosts_that_broadcast_in_turn_take_longer_than_one_of_them() -> None:
    one, all_of_them = (times("--hosts", "8", "--bytes", "336", *more)[8] for more in ((), ("--in-turn",)))
    assert all_of_them["multicast_ns"] > 4 * one["multicast_ns"]


def test_what_is_lost_is_sent_again() -> None:
    assert times("--hosts", "8", "--bytes", "200000", "--loss", "5")[8]["multicast_ns"] > 200_000 / RATE * 1e6


def test_wrong_usage_is_refused() -> None:
    done = simulate("--hosts", "1")
    assert done.returncode == 2
    assert "--hosts" in done.stderr
