# SPDX-License-Identifier: BSD-3-Clause
"""What recipes and packages of the wheel name is what the wheel needs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
# Wheels bring all that they need of it.
BROUGHT = {"plotly"}


def needed() -> dict[str, str]:
    """Return the least version of each package that the wheel needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions = dict(line.split(">=") for line in project["dependencies"])
    return {name: version for name, version in versions.items() if name not in BROUGHT}


@pytest.mark.parametrize(
    ("recipe", "line"),
    [
        ("conda/recipe.yaml", r"^    - (?!python |pip$|__glibc )([\w-]+) >=([\d.]+)$"),
        ("spack/spack_repo/quadrille/packages/quadrille/package.py", r'depends_on\("py-([\w-]+)@([\d.]+):"'),
    ],
    ids=["conda", "spack"],
)
def test_a_recipe_names_what_the_wheel_needs(recipe: str, line: str) -> None:
    text = (PACKAGING / recipe).read_text(encoding="utf-8")
    assert dict(re.findall(line, text, re.MULTILINE)) == needed()


def test_packages_hold_what_the_wheel_needs() -> None:
    text = (PACKAGING / "python_packages.txt").read_text(encoding="utf-8")
    held = set(re.findall(r"^([\w-]+)==", text, re.MULTILINE))
    assert needed().keys() <= held and not BROUGHT & held


def test_what_the_wheel_brings_is_left_out_of_what_it_needs() -> None:
    """packaging/wheel/build.sh does that by a line of sed."""
    script = (PACKAGING / "wheel" / "build.sh").read_text(encoding="utf-8")
    assert set(re.findall(r"""'/\^  "(\w+)>/d'""", script)) == BROUGHT
