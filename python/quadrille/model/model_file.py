# SPDX-License-Identifier: BSD-3-Clause
"""Reads a network model file, with errors that name path and value, and prints it normalised."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from quadrille.errors import UsageError
from quadrille.model.checks import complaints
from quadrille.model.contract import MODEL_FORMAT, MODEL_VERSION, Expected, NetworkModel

_DEEPEST = 9
_LONGEST_SHOWN = 60
_MOST_EXACT = 10**15  # below, every whole number is a float and an integer


class ModelError(ValueError):
    """A document that is no valid network model; the text opens with the path."""


def load_model(path: Path) -> NetworkModel:
    """Return the model in file `path`, names and hosts filled in. Raises UsageError naming path and value."""
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UsageError(
            f"model file {path} cannot be read ({error.strerror}); "
            "`quadrille probe -o MODEL -- LAUNCHER` writes one"
        ) from None
    except UnicodeDecodeError:
        raise UsageError(f"model file {path}: model: not valid JSON (not UTF-8 text)") from None
    try:
        return parse_model(text)
    except ModelError as error:
        raise UsageError(f"model file {path}: {error}") from None


def parse_model(text: str) -> NetworkModel:
    """Return the model in `text`, names and hosts filled in. Raises ModelError."""
    document = _document(text)
    _check_version(document)
    try:
        model = _filled_in(NetworkModel.model_validate(document))
    except ValidationError as error:
        raise ModelError(_words(error, document)) from None
    for complaint in complaints(model):
        raise ModelError(complaint)
    return model


def print_model(model: NetworkModel) -> str:
    """Return the file's text, one line for each host, segment and so on, as the native side prints it."""
    sections = []
    for key, value in _plain(model).items():
        line = _line(value)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            line = "[\n " + ",\n ".join(_line(entry) for entry in value) + "\n]"
        sections.append(f'"{key}":{line}')
    return "{\n" + ",\n".join(sections) + "\n}\n"


def _document(text: str) -> dict[str, Any]:
    if not text.strip(" \t\r\n"):
        raise ModelError("model: the file is empty; probe again")
    if _depth(text) > _DEEPEST:
        raise ModelError("model: not a network model: nested too deep")
    try:
        document = json.loads(
            text,
            object_pairs_hook=_without_twice,
            parse_constant=_refuse_constant,
            parse_float=_number,
            parse_int=_number,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ModelError(f"model: not valid JSON at {place} (truncated or edited?)") from None
    if not isinstance(document, dict):
        raise ModelError(f"model: expected an object, found {_shown(document)}")
    return document


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in re.sub(r'"(?:[^"\\]|\\.)*"', "", text):
        depth += (character in "[{") - (character in "]}")
        deepest = max(deepest, depth)
    return deepest


def _without_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise ModelError(f'model: key "{key}" stands twice in one object')
        seen[key] = value
    return seen


def _refuse_constant(name: str) -> float:
    raise ModelError(f"model: not valid JSON: {name} is no number (truncated or edited?)")


def _number(digits: str) -> int | float:
    value = int(digits) if len(digits) <= 20 and digits.lstrip("-").isdigit() else float(digits)
    if value in (float("inf"), float("-inf")):
        raise ModelError("model: not valid JSON: a number is too large")
    return value


def _check_version(document: dict[str, Any]) -> None:
    if "format" in document and document["format"] != MODEL_FORMAT:
        raise ModelError(f'format: expected "{MODEL_FORMAT}", found {_shown(document["format"])}')
    version = document.get("version", MODEL_VERSION)
    if type(version) is int and version > MODEL_VERSION:
        raise ModelError(
            f"version: {version} is newer than this program, which reads {MODEL_VERSION}; "
            "update Quadrille or probe again"
        )
    if type(version) is not int or version != MODEL_VERSION:
        raise ModelError(f"version: expected {MODEL_VERSION}, found {_shown(version)}")


def _filled_in(model: NetworkModel) -> NetworkModel:
    """Name what hand-written files leave unnamed, and list hosts of which only the segment is known."""
    content = model.model_dump()
    hosts = {host["name"]: host for host in reversed(content["hosts"])}
    for index, segment in enumerate(content["segments"]):
        segment["name"] = segment["name"] or f"segment{index}"
        for name in segment["hosts"]:
            if name not in hosts:
                hosts[name] = {"name": name}
                content["hosts"].append(hosts[name])
            if not hosts[name].get("segment"):
                hosts[name]["segment"] = segment["name"]
    for trunk in content["trunks"]:
        trunk["name"] = trunk["name"] or "-".join(trunk["between"])
        trunk["routes"] = trunk["routes"] or "unknown"
    return NetworkModel.model_validate(content)


def _words(error: ValidationError, document: dict[str, Any]) -> str:
    """Return the first thing wrong as `path: expected ..., found ...`."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    location = first["loc"]
    for key, length in (("intervals", 2), ("between", 1)):
        if key in location:  # judged as a whole
            location = location[: location.index(key) + length]
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location).lstrip(".")
    if first["type"] == "extra_forbidden":
        return f"{path}: not a key of this format; remove it or correct its spelling"
    if first["type"] == "missing" and location == first["loc"]:
        return f"{path}: missing; expected {_expected(location)}"
    found: Any = document
    for step in location:
        found = found[step]
    return f"{path}: expected {_expected(location)}, found {_shown(found)}"


def _expected(location: tuple[int | str, ...]) -> str:
    """Return the words of the key at `location`, or of an entry of the list or object there."""
    section, *rest = location
    field = NetworkModel.model_fields[str(section)]
    types = (field.annotation, *getattr(field.annotation, "__args__", ()))
    struct = next((part for part in types if isinstance(part, type) and issubclass(part, BaseModel)), None)
    inner = rest if struct and rest and isinstance(rest[0], str) else rest[1:]
    if struct and inner:
        key, *rest = inner
        field = struct.model_fields[str(key)]
    words = next(note for note in field.metadata if isinstance(note, Expected))
    return words.entry if rest else words.what


def _shown(value: Any) -> str:
    if isinstance(value, list | dict) and value:
        return "[...]" if isinstance(value, list) else "{...}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    """Return plain data: whole numbers without a fraction, no interval that says no more than its value."""
    if isinstance(value, BaseModel):
        entries = {key: _plain(getattr(value, key)) for key in type(value).model_fields}
        if "intervals" in entries:
            told = {
                key: pair
                for key, pair in entries.pop("intervals").items()
                if list(pair) != [entries[key]] * 2
            }
            order = [key for key in entries if key in told]
            return {**entries, "intervals": {key: told[key] for key in order}} if told else entries
        return entries
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and value.is_integer() and abs(value) <= _MOST_EXACT:
        return int(value)
    return value
