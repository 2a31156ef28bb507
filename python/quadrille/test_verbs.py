# SPDX-License-Identifier: BSD-3-Clause
"""A verb is found by the name of its module, and a program starts without what other verbs load."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import pytest
import typer.main

from quadrille import commands
from quadrille.cli import build_app

NAMED_ALIKE = {found.name for found in pkgutil.iter_modules(commands.__path__)} - {"passed_sockets"}
VERBS = {*NAMED_ALIKE, "link-helper"}


def names(app: typer.Typer) -> list[str]:
    group = typer.main.get_command(app)
    return sorted(group.commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("verb", sorted(NAMED_ALIKE))
def test_the_module_of_a_verb_has_its_name(verb: str) -> None:
    assert names(build_app(verb)) == [verb]


@pytest.mark.parametrize("word", ["", "--help", "nonsense", "link-helper"])
def test_without_a_module_of_that_name_all_are_there(word: str) -> None:
    assert names(build_app(word)) == sorted(VERBS)


def test_run_starts_without_what_other_verbs_load() -> None:
    look = "import sys; from quadrille.cli import build_app; build_app('run')"
    look += "; print([name for name in ('pydantic', 'pyroute2', 'plotly', 'jinja2') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
