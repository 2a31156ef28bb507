# SPDX-License-Identifier: BSD-3-Clause
"""Describes the rooms of src for Graphviz: `python scripts/house.py [ROOT] | dot -Tsvg > docs/house.svg`.

A box is a folder directly under src, with its files and lines without tests; the folders in it are its rooms.
An arrow means that files of the upper box include files of the lower one; what follows from other arrows is
left out.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

from tidy import OWN_INCLUDE

OF_TESTS = re.compile(r"_(test|benchmark|fuzz)\.|/fuzz/|/fake/")


class House:
    """What stands in src: rooms with files and lines, and which box includes which."""

    def __init__(self, src: Path) -> None:
        """Read all sources under `src`."""
        self.files: dict[str, Counter[str]] = defaultdict(Counter)
        self.lines: Counter[str] = Counter()
        self.below: dict[str, set[str]] = defaultdict(set)
        for path in sorted(src.rglob("*")):
            name = path.relative_to(src).as_posix()
            if path.suffix not in {".cpp", ".h", ".c", ".def"} or OF_TESTS.search(name) or "/" not in name:
                continue
            box = name.split("/")[0]
            text = path.read_text(encoding="utf-8")
            self.files[box][Path(name).parent.as_posix()] += 1
            self.lines[box] += text.count("\n")
            targets = {included.split("/")[0] for included in OWN_INCLUDE.findall(text) if "/" in included}
            self.below[box] |= targets - {box}
        for targets in self.below.values():
            targets &= self.files.keys()

    def reached(self, box: str, without: str = "") -> set[str]:
        """Return all that `box` includes, directly or not, on ways that do not begin with `without`."""
        found: set[str] = set()
        waiting = [below for below in self.below[box] if below != without]
        while waiting:
            one = waiting.pop()
            if one not in found:
                found.add(one)
                waiting += self.below[one]
        return found

    def arrows(self) -> list[tuple[str, str]]:
        """Return who includes whom, without what follows from other arrows."""
        return [
            (box, below)
            for box in sorted(self.files)
            for below in sorted(self.below[box])
            if below not in self.reached(box, without=below)
        ]


def label(house: House, box: str) -> str:
    """Return the text of a box, its lines flush left."""
    rooms = house.files[box]
    lines = [box, f"{rooms.total()} files, {house.lines[box]} lines"]
    lines += [
        f"{room.removeprefix(box + '/')} {count}" for room, count in sorted(rooms.items()) if room != box
    ]
    return "".join(f"{line}\\l" for line in lines)


def draw(house: House) -> str:
    """Return the picture in Graphviz's language."""
    boxes = [f'"{box}" [label="{label(house, box)}"];' for box in sorted(house.files)]
    arrows = [f'"{box}" -> "{below}";' for box, below in house.arrows()]
    style = (
        'node [shape=box, style="rounded,filled", fillcolor="#f4f7fb", fontname="sans-serif", fontsize=11];'
    )
    return "\n".join(["digraph house {", style, *boxes, *arrows, "}"])


if __name__ == "__main__":
    print(draw(House(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]) / "src")))
