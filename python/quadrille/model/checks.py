# SPDX-License-Identifier: BSD-3-Clause
"""What must hold of a model as a whole; src/network/model_checks.cpp does the same in the same words."""

from __future__ import annotations

import json
from collections.abc import Iterator

from quadrille.model.contract import Expected, NetworkModel

_MEASURED_SECTIONS = ("hosts", "segments", "trunks", "islands", "delay_classes", "mpi_costs")


def complaints(model: NetworkModel) -> Iterator[str]:
    """Yield what is wrong, path first. `model` has every name filled in, and lists all segments' hosts."""
    yield from _interval_keys(model)
    yield from _places(model)
    yield from _hosts(model)
    yield from _trunks(model)
    yield from _islands(model)
    yield from _intervals(model)


def _interval_keys(model: NetworkModel) -> Iterator[str]:
    for section in _MEASURED_SECTIONS:
        for index, entry in enumerate(getattr(model, section)):
            for key in sorted(entry.intervals):
                field = type(entry).model_fields.get(key)
                measured = field and any(
                    isinstance(note, Expected) and note.measured for note in field.metadata
                )
                if not measured or getattr(entry, key) is None:
                    yield f"{section}[{index}].intervals.{key}: no measured value of this name beside it"


def _places(model: NetworkModel) -> Iterator[str]:
    seen: set[str] = set()
    for index, segment in enumerate(model.segments):
        if segment.label in seen:
            yield f"segments[{index}].name: {_quoted(segment.label)} is the name of another segment too"
        seen.add(segment.label)
    for index, junction in enumerate(model.junctions):
        if junction in seen:
            yield f"junctions[{index}]: {_quoted(junction)} is the name of another segment or junction too"
        seen.add(junction)


def _hosts(model: NetworkModel) -> Iterator[str]:
    segment_of: dict[str, str] = {}
    for index, segment in enumerate(model.segments):
        for position, host in enumerate(segment.hosts):
            if host in segment_of:
                before = _quoted(segment_of[host])
                yield f"segments[{index}].hosts[{position}]: {_quoted(host)} is in segment {before} already"
            segment_of[host] = segment.label
    seen: set[str] = set()
    labels = {segment.label for segment in model.segments}
    for index, entry in enumerate(model.hosts):
        if entry.name in seen:
            yield f"hosts[{index}].name: {_quoted(entry.name)} is the name of another host too"
        seen.add(entry.name)
        if entry.segment is None:
            continue
        if entry.segment not in labels:
            yield f"hosts[{index}].segment: there is no segment {_quoted(entry.segment)}"
        elif segment_of.get(entry.name) != entry.segment:
            where, host = _quoted(entry.segment), _quoted(entry.name)
            yield f"hosts[{index}].segment: segment {where} does not list host {host}"


def _trunks(model: NetworkModel) -> Iterator[str]:
    group = {name: name for name in (*(segment.label for segment in model.segments), *model.junctions)}
    names: set[str] = set()
    for index, trunk in enumerate(model.trunks):
        if trunk.label in names:
            yield f"trunks[{index}].name: {_quoted(trunk.label)} is the name of another trunk too"
        names.add(trunk.label)
        first, second = trunk.between
        for end in (first, second):
            if end not in group:
                yield f"trunks[{index}].between: there is no segment or junction {_quoted(end)}"
                return
        if group[first] == group[second]:
            ends = f"{_quoted(first)} and {_quoted(second)}"
            yield f"trunks[{index}].between: {ends} are joined already; trunks form a tree"
        merged = group[first]
        group = {name: group[second] if root == merged else root for name, root in group.items()}


def _islands(model: NetworkModel) -> Iterator[str]:
    hosts = {host.name for host in model.hosts}
    names: set[str] = set()
    island_of: dict[str, str] = {}
    for index, island in enumerate(model.islands):
        if island.name in names:
            yield f"islands[{index}].name: {_quoted(island.name)} is the name of another island too"
        names.add(island.name)
        if len(island.hosts) < 2:
            yield f"islands[{index}].hosts: an island has at least two"
        for position, host in enumerate(island.hosts):
            place = f"islands[{index}].hosts[{position}]"
            if host not in hosts:
                yield f"{place}: there is no host {_quoted(host)}"
            elif host in island_of:
                yield f"{place}: {_quoted(host)} is in island {_quoted(island_of[host])} already"
            island_of[host] = island.name


def _intervals(model: NetworkModel) -> Iterator[str]:
    for section in _MEASURED_SECTIONS:
        for index, entry in enumerate(getattr(model, section)):
            for key, (low, high) in entry.intervals.items():
                if not low <= getattr(entry, key) or (high is not None and getattr(entry, key) > high):
                    yield f"{section}[{index}].intervals.{key}: does not hold the value beside it"


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
