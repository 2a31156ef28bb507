# SPDX-License-Identifier: BSD-3-Clause
"""The verbs of `quadrille lab` as a user calls them: what they print, how they refuse."""

from __future__ import annotations

import json

import pytest
from lab_traffic import needs_namespaces, quadrille

from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import ready_made

pytestmark = [pytest.mark.lab, needs_namespaces, pytest.mark.timeout(120)]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["up", "nowhere.toml"], 2, "nowhere.toml: cannot be read"),
        (["up", "one_switch:rate_mbit=0"], 2, "switch[0].rate_mbit = 0"),
        (["up", "one_switch", "--name", "No Good"], 2, "lab name 'No Good'"),
        (["status", "--lab", "t-none"], 1, "lab t-none is not up"),
        (["down", "t-none"], 2, "no lab is called t-none"),
        (["exec", "--lab", "t-none", "h0", "--", "true"], 1, "lab t-none is not up"),
        (["exec", "h0", "--lab", "t-none", "--", "true"], 2, "--lab: options stand before HOST"),
    ],
)
def test_wrong_calls_end_with_one_line_and_the_right_code(arguments: list[str], code: int, said: str) -> None:
    result = quadrille("lab", *arguments)
    assert (result.returncode, said in result.stderr) == (code, True), result.stderr
    assert "Traceback" not in result.stderr


def test_status_shows_the_tree_and_its_data() -> None:
    with Lab.up(ready_made("two_switches_one_trunk", hosts=4), "t-status"):
        text = quadrille("lab", "status", "--lab", "t-status", "--interval", "0.1")
        data = quadrille("lab", "status", "--lab", "t-status", "--interval", "0.1", "--json")
        truth = quadrille("lab", "truth", "--lab", "t-status")
    assert "trunk to s1 50 Mbit/s" in text.stdout
    assert all(f"h{number} 50 Mbit/s" in text.stdout for number in range(4))
    assert set(json.loads(data.stdout)["ports"]) >= {"h0", "h3", "trunk0.a"}
    segments = json.loads(truth.stdout)["segments"]
    assert [segment["hosts"] for segment in segments] == [["h0", "h2"], ["h1", "h3"]]
