# SPDX-License-Identifier: BSD-3-Clause
"""The places that a launcher would fill: from a host file, a list on the command line, or a model."""

from __future__ import annotations

import re
from pathlib import Path

from quadrille.errors import UsageError
from quadrille.model.contract import NetworkModel

Places = dict[str, int]
"""Ranks that each host takes, in the order in which the launcher fills hosts."""

_MOST_PLACES = 65536
_OPTIONS = ("slots", "max_slots", "max-slots", "binding", "ifname", "user")  # of Open MPI and MPICH


def places_in_host_file(path: Path) -> Places:
    """Return the places of a host file of Open MPI (`node slots=4`) or MPICH (`node:4`).

    A line without a number gives one place, as does each repetition of it. Raises UsageError naming the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--hostfile {path}: cannot be read ({error})") from None
    places: Places = {}
    for number, line in enumerate(lines, start=1):
        words = line.split("#")[0].split()
        if words:
            _add(places, words[0], words[1:], f"{path}, line {number}")
    if not places:
        raise UsageError(f"--hostfile {path}: no host in it")
    return places


def places_in_list(text: str) -> Places:
    """Return the places of `node01:4,node02:4`. Raises UsageError naming the part."""
    places: Places = {}
    for part in text.split(","):
        _add(places, part.strip(), [], f"--hosts {text}")
    return places


def places_in_model(model: NetworkModel) -> Places:
    """Return one place on each host of the model."""
    return {host.name: 1 for host in model.hosts}


def _add(places: Places, host: str, options: list[str], where: str) -> None:
    name, colon, count = host.partition(":")
    for option in options:
        if option.split("=")[0] not in _OPTIONS:
            raise UsageError(f"{where}: {option!r}: expected HOST, HOST slots=4 or HOST:4")
    slots = next((option[6:] for option in options if option.startswith("slots=")), count if colon else "1")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise UsageError(f"{where}: {host!r} is no host name")
    if not re.fullmatch(r"[0-9]{1,5}", slots) or not 1 <= int(slots) <= _MOST_PLACES:
        raise UsageError(f"{where}: {host}: {slots!r} places; give 1 or more")
    places[name] = places.get(name, 0) + int(slots)
