# SPDX-License-Identifier: BSD-3-Clause
"""Places joined by links, seen as trees from their middles: how a network is told and drawn."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Branch:
    """A place with what hangs below it."""

    place: str
    link: int | None = None
    """Index of the link to the place above."""
    below: list[Branch] = field(default_factory=list)


def trees(places: dict[str, int], links: list[tuple[str, str]]) -> list[Branch]:
    """Return one tree for each connected part, the middle of it on top.

    `places`: the number of hosts by name; of two middles the one with fewer hosts is taken. A link that
    closes a loop is left out.
    """
    neighbours: dict[str, list[tuple[str, int]]] = {name: [] for name in places}
    for index, (first, second) in enumerate(links):
        neighbours[first].append((second, index))
        neighbours[second].append((first, index))
    found = []
    seen: set[str] = set()
    for name in places:
        if name in seen:
            continue
        part = list(_distances(neighbours, name))
        seen.update(part)
        top = min(part, key=lambda place: (max(_distances(neighbours, place).values()), places[place]))
        found.append(_grow(neighbours, top))
    return found


def _distances(neighbours: dict[str, list[tuple[str, int]]], start: str) -> dict[str, int]:
    distance = {start: 0}
    queue = [start]
    for name in queue:
        for other, _ in neighbours[name]:
            if other not in distance:
                distance[other] = distance[name] + 1
                queue.append(other)
    return distance


def _grow(neighbours: dict[str, list[tuple[str, int]]], top: str) -> Branch:
    root = Branch(top)
    seen = {top}
    queue = [root]
    for branch in queue:
        for other, link in neighbours[branch.place]:
            if other not in seen:
                seen.add(other)
                branch.below.append(Branch(other, link))
                queue.append(branch.below[-1])
    return root
