# SPDX-License-Identifier: BSD-3-Clause
"""Clusters made up for tests of the rules: four healthy hosts on one switch, changed a little each."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from quadrille.doctor.finding import Case, Finding, Rule, case_of
from quadrille.model.model_file import parse_model
from quadrille.probe.lines import ErrorLine, HostLine
from quadrille.probe.recorded_job import recorded_lines

Document = dict[str, Any]
Change = Callable[[Document], object]
"""Changes {"hosts": [host lines], "model": the model, "errors": [error lines]} in place."""


def healthy() -> Document:
    """Return what the prober says of a cluster without a fault."""
    lines = recorded_lines()
    hosts = [line for line in lines if line["type"] == "host"]
    model = next(line["model"] for line in lines if line["type"] == "model")
    return {"hosts": hosts, "model": model, "errors": []}


def made_case(*changes: Change) -> Case:
    """Return the healthy cluster after `changes`."""
    document = deepcopy(healthy())
    for change in changes:
        change(document)
    model = document["model"]
    return case_of(
        [HostLine.model_validate(host) for host in document["hosts"]],
        parse_model(json.dumps(model)) if model is not None else None,
        [ErrorLine.model_validate(error) for error in document["errors"]],
    )


def found(rule: Rule, *changes: Change) -> list[Finding]:
    """Return what `rule` says of the healthy cluster after `changes`."""
    return list(rule(made_case(*changes)))


def setting(host: int, *path: str | int, to: Any) -> Change:
    """Return the change of one host's setting."""

    def change(document: Document) -> None:
        place: Any = document["hosts"][host]["settings"]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return change


def everywhere(*path: str | int, to: Any) -> Change:
    """Return the change of every host's setting."""

    def change(document: Document) -> None:
        for host in range(len(document["hosts"])):
            setting(host, *path, to=to)(document)

    return change


def counted(phase: str, **counts: int) -> Change:
    """Return the change of the first host's counters."""
    return lambda document: document["hosts"][0]["counters"][phase].update(counts)


def model_host(index: int, **values: Any) -> Change:
    """Return the change of one host in the model; intervals are dropped."""

    def change(document: Document) -> None:
        host = document["model"]["hosts"][index]
        host.pop("intervals", None)
        host.update(values)

    return change


def segment(**values: Any) -> Change:
    """Return the change of the model's only segment; intervals are dropped."""

    def change(document: Document) -> None:
        one = document["model"]["segments"][0]
        one.pop("intervals", None)
        one.update(values)

    return change


def warning(topic: str, text: str, *hosts: str) -> Change:
    """Return the addition of a warning to the model."""
    return lambda document: document["model"]["warnings"].append(
        {"topic": topic, "text": text, "hosts": list(hosts)}
    )


def error(kind: str, text: str) -> Change:
    """Return the change to a run that failed."""

    def change(document: Document) -> None:
        document["model"] = None
        document["errors"].append({"type": "error", "kind": kind, "text": text})

    return change


def two_segments(trunk_bit_s: float, lossless: bool) -> Change:
    """Return the change to two segments of two hosts with a trunk between them."""

    def change(document: Document) -> None:
        model = document["model"]
        one = model["segments"][0]
        one.update(hosts=["h0", "h1"], lossless=lossless)
        model["segments"].append({**deepcopy(one), "name": "s1", "hosts": ["h2", "h3"]})
        for host in model["hosts"][2:]:
            host["segment"] = "s1"
        model["trunks"] = [
            {
                "name": "t",
                "between": ["s0", "s1"],
                "forward_bit_s": trunk_bit_s,
                "backward_bit_s": trunk_bit_s,
            }
        ]

    return change
