# SPDX-License-Identifier: BSD-3-Clause
"""`scripts/tidy.py`: names that are brought in for nothing, and which files are checked joined."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from scripts_as_modules import script_module


@pytest.fixture(scope="module")
def tidy() -> ModuleType:
    return script_module("tidy")


@pytest.mark.parametrize(
    ("text", "unused"),
    [
        ("using probe::Heard;\nint f();\n", ["Heard"]),
        ("  using ::base::utc::Time;\n", ["Time"]),
        ("using probe::Heard;\nHeard f();\n", []),
        ("namespace short_one = quadrille::wire;\nint f();\n", ["short_one"]),
        ("namespace short_one = quadrille::wire;\nshort_one::Port f();\n", []),
        ("using namespace quadrille;\nusing Shape = int;\n", []),
    ],
)
def test_names_that_a_file_brings_in_and_never_uses_are_found(
    tidy: ModuleType, text: str, unused: list[str]
) -> None:
    assert tidy.unused_names(text) == unused


def test_only_cpp_files_that_are_compiled_alike_are_joined(
    tidy: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tidy, "JOINED", tmp_path)
    options = {f"a{number}.cpp": "-O2" for number in range(11)}
    options |= {"b.cpp": "-O1", "c.c": "-O2", "d.c": "-O2"}
    entries = {
        Path(name): {"directory": "/", "file": name, "command": f"g++ {option} -o {name}.o -c {name}"}
        for name, option in options.items()
    }
    found = tidy.batches(list(entries), entries)
    assert sorted(len(batch) for batch in found) == [1, 1, 1, 1, 10]
    (joined,) = tmp_path.iterdir()
    assert joined.read_text(encoding="utf-8").splitlines() == [f'#include "a{n}.cpp"' for n in range(10)]
    assert entries[joined]["command"].startswith("g++ -O2 -o ")
    assert entries[joined]["command"].endswith(f" -c {joined}")
