# SPDX-License-Identifier: BSD-3-Clause
"""A page's headings, paragraphs and tables as Markdown, with a picture in the place of a chart."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser

from quadrille.report.charts import Figure

_LEFT_OUT = frozenset({"script", "style", "svg"})
_HEADINGS = {"h2": "###", "h3": "####", "h4": "#####"}


def as_markdown(html: str, picture: Callable[[Figure], str] = lambda _: "") -> str:
    """Return the text of `html` as Markdown; `picture` returns what stands for a chart, or nothing."""
    reader = _Reader(picture)
    reader.feed(html)
    reader.close()
    lines = [line for line, before in zip(reader.lines, ["", *reader.lines], strict=False) if line or before]
    return "\n".join(lines).strip() + "\n"


def markdown_table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table; cells are text."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


class _Reader(HTMLParser):
    def __init__(self, picture: Callable[[Figure], str]) -> None:
        super().__init__(convert_charrefs=True)
        self._picture = picture
        self._figure: str | None = None
        self.lines: list[str] = []
        self._hidden = 0
        self._text = ""
        self._rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _LEFT_OUT:
            self._hidden += 1
            self._figure = "" if ("type", "application/json") in attrs else None
        elif tag == "table":
            self._end_paragraph()
            self._rows = []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th", "p", "li", *_HEADINGS):
            self._text = ""
        elif tag in ("br", "small"):
            self._text += " "

    def handle_endtag(self, tag: str) -> None:
        if tag in _LEFT_OUT:
            self._hidden -= 1
            if self._figure:
                self.lines += ["", self._picture(json.loads(self._figure)), ""]
            self._figure = None
        elif tag in ("td", "th") and self._rows:
            self._rows[-1].append(self._taken())
        elif tag == "table":
            self._end_table()
        elif tag in _HEADINGS:
            if text := self._taken():
                self.lines += ["", f"{_HEADINGS[tag]} {text}", ""]
        elif tag in ("p", "li", "pre"):
            self._end_paragraph()

    def handle_data(self, data: str) -> None:
        if self._figure is not None:
            self._figure += data
        elif not self._hidden:
            self._text += data

    def _taken(self) -> str:
        text, self._text = " ".join(self._text.split()), ""
        return text

    def _end_paragraph(self) -> None:
        if text := self._taken():
            self.lines += ["", text, ""]

    def _end_table(self) -> None:
        rows = [row for row in self._rows if row]
        self._rows = []
        if rows:
            width = max(map(len, rows))
            filled = [row + [""] * (width - len(row)) for row in rows]
            self.lines += ["", markdown_table(filled[0], filled[1:]), ""]
