# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille show`: the words for each example, and its exit codes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quadrille.model.contract import ModelHost
from quadrille.model.quantities import in_order, measured_text, ranges, rate_text, share_text

EXAMPLES = Path(__file__).resolve().parents[3] / "schemas" / "examples"
EXPECTED = Path(__file__).with_name("expected_descriptions")


def show(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from quadrille.cli import main; main()", "show", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("name", ["full", "islands", "minimal", "three_buses", "tree"])
def test_an_example_is_told_as_expected(name: str) -> None:
    result = show(EXAMPLES / f"network_model_{name}.json")
    assert result.returncode == 0, result.stderr
    assert result.stdout == (EXPECTED / f"{name}.txt").read_text(encoding="utf-8")


def test_json_is_the_normalised_file() -> None:
    path = EXAMPLES / "network_model_full.json"
    assert show(path, "--json").stdout == path.read_text(encoding="utf-8")


def test_svg_is_written_beside_the_words(tmp_path: Path) -> None:
    drawing = tmp_path / "network.svg"
    assert "h0..h3" in show(EXAMPLES / "network_model_full.json", "--svg", drawing).stdout
    assert ElementTree.parse(drawing).getroot().tag.endswith("svg")


def test_a_missing_a_wrong_and_an_unwritable_file_exit_with_2(tmp_path: Path) -> None:
    missing = show(tmp_path / "none.json")
    assert (missing.returncode, missing.stdout) == (2, "")
    assert "none.json cannot be read" in missing.stderr
    (tmp_path / "ring.json").write_text('{"segments": [{"hosts": ["a"], "kind": "ring"}]}', encoding="utf-8")
    wrong = show(tmp_path / "ring.json")
    assert wrong.returncode == 2
    assert "segments[0].kind: expected 'switch' or 'bus', found \"ring\"" in wrong.stderr
    unwritable = show(EXAMPLES / "network_model_full.json", "--svg", tmp_path / "no" / "x.svg")
    assert unwritable.returncode == 2 and "cannot be written" in unwritable.stderr


def test_numbered_hosts_in_a_row_become_a_range() -> None:
    assert ranges(["h0", "h1", "h2", "h4", "h5", "x"]) == ["h0..h2", "h4", "h5", "x"]
    assert ranges(["n08.a", "n09.a", "n10.a", "n11.b"]) == ["n08.a..n10.a", "n11.b"]
    assert ranges(["10.0.0.1", "10.0.0.2", "10.0.0.3"]) == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
    assert in_order(["h10", "h2", "b"]) == ["b", "h2", "h10"]


def test_a_value_is_told_with_what_is_not_certain_of_it() -> None:
    def text(value: float | None, *interval: float | None) -> str:
        intervals = {"to_host_bit_s": interval} if interval else {}
        host = ModelHost.model_validate({"name": "a", "to_host_bit_s": value, "intervals": intervals})
        return measured_text(host, "to_host_bit_s", rate_text)

    assert text(None) == "unknown"
    assert text(25e6) == text(25e6, 24e6, 26e6) == "25 Mbit/s"
    assert text(25e6, 20e6, 30e6) == "25 Mbit/s (20 to 30 Mbit/s)"
    assert text(1e9, 0.8e9, 1.2e9) == "1 Gbit/s (800 Mbit/s to 1.2 Gbit/s)"
    assert text(25e6, 20e6, None) == "at least 20 Mbit/s"


@pytest.mark.parametrize(
    ("share", "text"), [(0, "0 %"), (0.0037, "0.37 %"), (0.123, "12 %"), (0.996, "100 %"), (1, "100 %")]
)
def test_shares_are_percentages_without_exponents(share: float, text: str) -> None:
    assert share_text(share) == text
