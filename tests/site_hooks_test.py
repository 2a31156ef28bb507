# SPDX-License-Identifier: BSD-3-Clause
"""Links of the documents lead to pages, or to copies of the source, on the site that `make site` makes."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace

import pytest
from mkdocs.exceptions import PluginError

from scripts_as_modules import script_module


@pytest.fixture(scope="module")
def hooks() -> ModuleType:
    return script_module("site_hooks")


def shown(hooks: ModuleType, page: str, markdown: str) -> str:
    text: str = hooks.on_page_markdown(
        markdown, SimpleNamespace(file=SimpleNamespace(src_uri=page)), None, None
    )
    return text


@pytest.mark.parametrize(
    ("page", "written", "there"),
    [
        ("index.md", "[a](docs/fabric.md#keys)", "[a](fabric.md#keys)"),
        ("index.md", "![a](docs/quadrille.svg)", "![a](quadrille.svg)"),
        ("guide.md", "[a](../README.md)", "[a](index.md)"),
        ("guide.md", "[a](fabric.md)", "[a](fabric.md)"),
        ("decisions/README.md", "[a](../../ARCHITECTURE.md)", "[a](../architecture.md)"),
        ("decisions/README.md", "[a](../../Makefile)", "[a](../source/Makefile)"),
        ("programs.md", "[a](programs)", "a"),
        (
            "guide.md",
            "[a](#here) and [b](https://example.org/x)",
            "[a](#here) and [b](https://example.org/x)",
        ),
        (
            "guide.md",
            "`[a](nowhere.md)`\n```\n[b](nowhere.md)\n```",
            "`[a](nowhere.md)`\n```\n[b](nowhere.md)\n```",
        ),
    ],
)
def test_a_link_leads_to_where_its_file_is_on_the_site(
    hooks: ModuleType, page: str, written: str, there: str
) -> None:
    assert shown(hooks, page, written) == there


@pytest.mark.parametrize("target", ["nowhere.md", "../src/none.h", "../../outside"])
def test_a_link_to_nothing_ends_the_build(hooks: ModuleType, target: str) -> None:
    with pytest.raises(PluginError, match="not there"):
        shown(hooks, "guide.md", f"[a]({target})")
