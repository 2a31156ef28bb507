# SPDX-License-Identifier: BSD-3-Clause
"""Cases: every file can be used, wrong ones are refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from quadrille.bench.cases import case_names, load_case
from quadrille.cli import build_app
from quadrille.errors import UsageError


@pytest.mark.parametrize("name", case_names())
def test_every_case_gives_kernel_arguments(name: str) -> None:
    arguments = load_case(name).kernel_arguments()
    assert "--collective" in arguments and "--bytes" in arguments
    assert load_case(name).description


def test_unknown_case_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"'alltoal'.*alltoall"):
        load_case("alltoal")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('description = "x"\ncollectives = ["bcast"]\nbytes = []\n', "bytes"),
        ('description = "x"\ncollectives = ["bcast"]\nbytes = ["1"]\nspeed = 1\n', "speed"),
        ("description = ", "no TOML"),
    ],
)
def test_wrong_case_file_is_refused_with_its_key(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "case.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=complaint):
        load_case(str(path))


def test_an_option_that_cannot_be_is_refused_by_its_name(tmp_path: Path) -> None:
    command = ["bench", "--seconds", "0", "-o", str(tmp_path / "r.jsonl"), "--", "mpirun"]
    refused = CliRunner().invoke(build_app(), command).exception
    assert isinstance(refused, UsageError) and "--seconds: " in str(refused)


def test_what_a_gate_was_recorded_in_is_not_written_over(tmp_path: Path) -> None:
    recorded = tmp_path / "recorded.jsonl"
    recorded.write_text("kept")
    command = ["bench", "bcast", "--gate", str(recorded), "-o", str(recorded), "--", "mpirun"]
    refused = CliRunner().invoke(build_app(), command).exception
    assert isinstance(refused, UsageError) and "give another -o" in str(refused)
    assert recorded.read_text() == "kept"


def test_file_overrides_reach_the_kernel(tmp_path: Path) -> None:
    path = tmp_path / "case.toml"
    path.write_text(
        'description = "x"\ncollectives = ["bcast", "scan"]\nbytes = ["1", "2K"]\nranks = [2, 4]\n'
        "in_place = true\nskew_us = 250\nseconds = 0.5\n"
    )
    text = " ".join(load_case(str(path)).kernel_arguments())
    for part in ("--collective bcast,scan", "--bytes 1,2K", "--ranks 2,4", "--in-place", "--skew-us 250"):
        assert part in text
