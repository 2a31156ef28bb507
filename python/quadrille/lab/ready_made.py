# SPDX-License-Identifier: BSD-3-Clause
"""Finds ready-made topologies and reads their `NAME:key=value,...` form."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quadrille.errors import UsageError
from quadrille.lab.topologies import mixed, switched
from quadrille.lab.topology import Topology, load_topology, parse_topology

Generator = Callable[..., dict[str, Any]]

_GENERATORS: tuple[Generator, ...] = (
    switched.one_switch,
    switched.unlimited,
    switched.gigabit,
    switched.two_switches_one_trunk,
    switched.three_levels,
    mixed.eco_three_buses,
    mixed.eco_cmu_psc,
    mixed.eco_table7,
    switched.umbc_leaf,
    switched.hp_port_groups,
    switched.two_sites,
    switched.gamma_dual,
)
READY_MADE: dict[str, Generator] = {function.__name__: function for function in _GENERATORS}


def resolve(text: str) -> Topology:
    """Return the topology that `text` names: a lab file, or NAME or NAME:key=value,... of a ready-made one.

    Raises UsageError when it is neither, or wrong.
    """
    name, _, rest = text.partition(":")
    if name in READY_MADE:
        return ready_made(name, **_parameters(name, rest))
    if text.endswith(".toml") or Path(text).exists():
        return load_topology(Path(text))
    raise UsageError(
        f"{text}: neither a lab file nor one of {', '.join(READY_MADE)}; see `quadrille lab topologies`"
    )


def ready_made(name: str, **parameters: object) -> Topology:
    """Return ready-made topology `name` with `parameters` in place of its defaults."""
    data = {"name": name, **READY_MADE[name](**parameters)}
    return parse_topology(data, name)


def signature(name: str) -> dict[str, object]:
    """Return the parameters of a ready-made topology with their defaults."""
    return {key: found.default for key, found in inspect.signature(READY_MADE[name]).parameters.items()}


def _parameters(name: str, text: str) -> dict[str, object]:
    known = signature(name)
    given: dict[str, object] = {}
    for part in text.split(",") if text else []:
        key, equals, value = part.partition("=")
        if not equals or key not in known:
            raise UsageError(f"{name}: {part!r}: write key=value with one of {', '.join(known)}")
        given[key] = _convert(f"{name}:{key}", value, known[key])
    return given


def _convert(where: str, value: str, default: object) -> object:
    if isinstance(default, bool):
        words = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
        if value not in words:
            raise UsageError(f"{where} = {value!r}: write on or off")
        return words[value]
    try:
        return int(value) if isinstance(default, int) and value.lstrip("-").isdigit() else float(value)
    except ValueError:
        raise UsageError(f"{where} = {value!r}: not a number") from None
