# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille-simulated-exchange`: all-to-all exchanges on a simulated switch, and wrong usage."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from quadrille.installation import native_program


def simulate(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = native_program("quadrille-simulated-exchange")
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60, check=False)


def exchanges(*arguments: str) -> list[dict[str, Any]]:
    done = simulate(*arguments)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_budgets_grow_on_fast_links_and_nothing_is_dropped() -> None:
    found = exchanges("--hosts", "16", "--exchanges", "3")
    assert [one["exchange"] for one in found] == [1, 2, 3]
    assert found[-1]["of_limit"] > 0.88
    assert found[-1]["least_budget"] > 100
    assert all(one["dropped"] == 0 for one in found)


def test_budgets_of_slow_links_stay_and_jumbo_frames_come_near_the_limit() -> None:
    words = ["--hosts", "4", "--bytes", "262144", "--rate", "1", "--mtu", "9000", "--buffer", "128"]
    last = exchanges(*words, "--budget", "6", "--exchanges", "2")[-1]
    assert last["of_limit"] > 0.92
    assert last["most_budget"] == 6


def test_what_is_lost_is_sent_again() -> None:
    assert exchanges("--hosts", "4", "--loss", "1", "--exchanges", "1")[0]["data_resent"] > 0


def test_wrong_usage_is_refused() -> None:
    done = simulate("--rate", "0")
    assert done.returncode == 2
    assert "--rate" in done.stderr
