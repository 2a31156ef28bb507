# SPDX-License-Identifier: BSD-3-Clause
"""What makes a site of the documents: pages that lie outside of docs/, and links to files of the source.

The README, ARCHITECTURE, CHANGELOG and CONTRIBUTING become pages. A link to any other file of the source tree
leads to a copy of it under source/; one to a folder becomes its text. A link to what does not exist ends the
build, as all of MkDocs's own warnings do (`--strict`).
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from outside of docs/, and whatever files of the source any page links to."""
    for name, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text(encoding="utf-8")))
    for file in list(files.documentation_pages()):
        for target in _linked_sources(file.src_uri, file.content_string):
            copy = f"source/{target}"
            if files.get_file_from_path(copy) is None:
                files.append(File.generated(config, copy, abs_src_path=str(ROOT / target)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links at pages and copies."""
    here = page.file.src_uri
    pieces: list[str] = []
    end = 0
    for code in _CODE.finditer(markdown):
        pieces += [_rewritten(markdown[end : code.start()], here), code[0]]
        end = code.end()
    return "".join([*pieces, _rewritten(markdown[end:], here)])


def _rewritten(text: str, here: str) -> str:
    def one(link: re.Match[str]) -> str:
        mark, words, target = link.groups()
        path, hash_sign, anchor = target.partition("#")
        source = _source_of(here, path)
        if source is None:
            return link[0]
        if (ROOT / source).is_dir():
            return words
        there = os.path.relpath(_place_of(source), PurePosixPath(here).parent)
        return f"{mark}[{words}]({there}{hash_sign}{anchor})"

    return _LINK.sub(one, text)


def _linked_sources(here: str, markdown: str) -> list[str]:
    """Return the files of the source tree, by their path in it, that a page links to; no pages."""
    found = [_source_of(here, link[3].partition("#")[0]) for link in _LINK.finditer(_CODE.sub("", markdown))]
    return [
        source
        for source in found
        if source is not None and (ROOT / source).is_file() and _place_of(source).startswith("source/")
    ]


def _source_of(here: str, target: str) -> str | None:
    """Return the path in the source tree of what page `here` links to; None: it is no file of ours.

    Raises PluginError where there is no such file.
    """
    if not target or re.match(r"[a-z]+:", target):
        return None
    written = next((name for name, page in PAGES.items() if page == here), f"docs/{here}")
    source = os.path.normpath(PurePosixPath(written).parent / target)
    if source.startswith("..") or not (ROOT / source).exists():
        raise PluginError(f"{written} links to {target}, which is not there")
    return source


def _place_of(source: str) -> str:
    """Return where a file of the source tree is in the site."""
    if source in PAGES:
        return PAGES[source]
    return source.removeprefix("docs/") if source.startswith("docs/") else f"source/{source}"
