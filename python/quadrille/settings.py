# SPDX-License-Identifier: BSD-3-Clause
"""Every environment variable of Quadrille, read from the table that the native library is built from.

`src/base/settings.def` is the only place where a variable of the library is declared; an installation keeps a
copy beside the native parts. What a value may be stands there too.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quadrille.errors import QuadrilleError, UsageError
from quadrille.installation import native_directory, settings_table
from quadrille.settings_files import written_settings

_LIBRARY = "libquadrille.so"
_TIMING_LIBRARY = "libquadrille-timing.so"  # sees the program's calls before the other
_TEXT = r'"((?:[^"\\]|\\.)*)"'
_ROW = re.compile(
    rf"^SETTING\(\w+,\s*(\w+),\s*(QUADRILLE_\w+),\s*{_TEXT},\s*{_TEXT},\s*{_TEXT},\s*{_TEXT}\)", re.MULTILINE
)
_COMMAND_LINE_ROW = re.compile(
    rf"^COMMAND_LINE_SETTING\((QUADRILLE_\w+),\s*{_TEXT},\s*{_TEXT},\s*{_TEXT}\)", re.MULTILINE
)


@dataclass(frozen=True)
class Setting:
    """One environment variable: its type (text, integer, flag, ...), default as text, unit and meaning.

    `legal`: its values separated by `|`, or `least..most`; empty where any text is one.
    """

    variable: str
    type: str
    default: str
    legal: str
    unit: str
    description: str
    command_line_only: bool = False

    @property
    def expected(self) -> str:
        """What it may be, in words; empty where any text is legal."""
        least, dots, most = self.legal.partition("..")
        if dots:
            return f"a whole number from {least} to {most}" if most else f"a whole number of {least} or more"
        values = self.legal.split("|")
        words = values[0] if len(values) == 1 else f"{', '.join(values[:-1])} or {values[-1]}"
        return f"any of {', '.join(values)}" if self.type == "topics" else words

    def allows(self, value: str) -> bool:
        """Whether `value` is legal. Empty stands for the default; unknown topics cost nobody anything."""
        if not value or not self.legal or self.type == "topics":
            return True
        least, dots, most = self.legal.partition("..")
        if not dots:
            return value in self.legal.split("|")
        return re.fullmatch("[0-9]+", value) is not None and int(least) <= int(value) <= int(
            most or 2**63 - 1
        )


def all_settings() -> list[Setting]:
    """Return every variable, those of the library first, in the order of its table.

    Raises QuadrilleError when the table is missing or has no rows.
    """
    table = settings_table()
    try:
        text = table.read_text(encoding="utf-8")
    except OSError as error:
        raise QuadrilleError(
            f"table of settings {table} cannot be read ({error.strerror}); reinstall"
        ) from error
    rows = [
        Setting(variable, kind, default, legal, unit, description.replace('\\"', '"'))
        for kind, variable, default, legal, unit, description in _ROW.findall(text)
    ]
    if not rows:
        raise QuadrilleError(f"table of settings {table} holds no row; install again")
    rows += [
        Setting(variable, "text", default, "", unit, description, command_line_only=True)
        for variable, default, unit, description in _COMMAND_LINE_ROW.findall(text)
    ]
    return rows


def job_environment(options: Mapping[str, str | None]) -> dict[str, str]:
    """Return the variables that put Quadrille into every rank of a job.

    `options` maps variables to what was asked for on the command line, None for what was not. Variables that
    the environment or a settings file holds go along, so that they reach remote hosts too; options win over
    the environment, which wins over files.

    Raises UsageError for a value that does not exist, or names a file that cannot be read.
    """
    known = {row.variable: row for row in all_settings() if not row.command_line_only}
    variables = written_settings(known)
    variables.update({name: os.environ[name] for name in sorted(known) if name in os.environ})
    variables.update({name: value for name, value in options.items() if value is not None})
    for name, value in variables.items():
        _check(known[name], value)
    if variables.get("QUADRILLE_MODEL"):
        variables["QUADRILLE_MODEL"] = _readable_model(variables["QUADRILLE_MODEL"])
    for folder in ("QUADRILLE_CACHE", "QUADRILLE_TRACE"):
        if variables.get(folder):
            variables[folder] = str(Path(variables[folder]).absolute())
    variables["QUADRILLE_JOB_SECRET"] = secrets.token_hex(16)
    is_timed = variables.get("QUADRILLE_TRACE") or variables.get("QUADRILLE_MESSAGES")
    libraries = [_TIMING_LIBRARY, _LIBRARY] if is_timed else [_LIBRARY]
    return {"LD_PRELOAD": _preload(libraries), **variables}


def unknown_variables() -> list[str]:
    """Return the QUADRILLE_* variables of the environment that no table knows: misspelt ones, mostly."""
    known = {setting.variable for setting in all_settings()}
    return sorted(name for name in os.environ if name.startswith("QUADRILLE_") and name not in known)


def _check(setting: Setting, value: str) -> None:
    if not setting.allows(value):
        option = f"--{setting.variable.removeprefix('QUADRILLE_').lower()}"
        raise UsageError(f"{option} (or {setting.variable}) is {value!r}; it can be {setting.expected}")


def _readable_model(name: str) -> str:
    """Return the absolute path of model file `name`: rank 0 may run in another folder."""
    path = Path(name).absolute()
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"model file {name} cannot be read ({error.strerror}); see `quadrille probe`"
        ) from error
    except ValueError as error:
        raise UsageError(f"model file {name} is no JSON ({error}); probe again") from error
    if not isinstance(content, dict):
        raise UsageError(f"model file {name} holds no JSON object; probe again")
    return str(path)


def _preload(names: Sequence[str]) -> str:
    """Return what is preloaded already and the libraries of these names, in this order, at its end."""
    words = [word for word in re.split(r"[\s:]+", os.environ.get("LD_PRELOAD", "")) if word]
    at = len(words)
    for name in reversed(names):
        library = str(native_directory() / name)
        if re.search(r"[\s:]", library):
            raise QuadrilleError(
                f"{library}: LD_PRELOAD cannot hold a space or colon; install to another folder"
            )
        if library in words:
            at = words.index(library)
        else:
            words.insert(at, library)
    return ":".join(words)
