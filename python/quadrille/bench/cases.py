# SPDX-License-Identifier: BSD-3-Clause
"""Benchmark cases: TOML files in `cases/`, each a set of collectives, sizes and ways to measure."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from quadrille.errors import UsageError

CASES = Path(__file__).parent / "cases"


class Case(BaseModel):
    """What the kernel is asked to measure; the command line may override each."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: str
    collectives: list[str] = Field(min_length=1)
    bytes: list[str] = Field(["1K"], min_length=1, description="sizes as the kernel takes them: 1, 32K, 2M")
    ranks: list[int] | None = Field(None, description="numbers of ranks; none: all")
    every_count: bool = False  # without `ranks`: 2, 4, 8, ... and all of the launcher
    calls: int = 5
    blocks: int = 4
    seconds: float = Field(10, gt=0, description="budget of a point")
    warm_up: int = 28  # beyond the longest trial of the library
    element_type: str = "double"
    in_place: bool = False
    blocks_only: bool = False  # no calls in turn
    root: int = 0
    skew_us: float = 0
    computing_scale: float = 1  # of timed computing: slower processors
    vectors: int = 1_492_992  # n of a parallel sort
    doubles: int = 1  # m
    memory: str = "constant-global"
    first: str = "native"  # of the two sides
    sync: str = "instant"
    seed: int = 1

    def kernel_arguments(self) -> list[str]:
        """Return the kernel's arguments."""
        arguments = ["--collective", ",".join(self.collectives), "--bytes", ",".join(self.bytes)]
        if self.ranks:
            arguments += ["--ranks", ",".join(str(count) for count in self.ranks)]
        arguments += [
            "--calls",
            str(self.calls),
            "--blocks",
            str(self.blocks),
            "--seconds",
            f"{self.seconds:g}",
        ]
        arguments += ["--warmup", str(self.warm_up), "--type", self.element_type, "--root", str(self.root)]
        arguments += ["--skew-us", f"{self.skew_us:g}", "--sync", self.sync, "--seed", str(self.seed)]
        arguments += ["--computing-scale", f"{self.computing_scale:g}"]
        arguments += ["--vectors", str(self.vectors), "--doubles", str(self.doubles), "--memory", self.memory]
        arguments += ["--first", self.first]
        flags = {"--in-place": self.in_place, "--blocks-only": self.blocks_only}
        return [*arguments, *(flag for flag, is_set in flags.items() if is_set)]


def case_names() -> list[str]:
    """Return the names of all cases, sorted."""
    return sorted(path.stem for path in CASES.glob("*.toml"))


def load_case(name: str) -> Case:
    """Return case `name`, a name in `cases/` or a path to a TOML file.

    Raises UsageError when there is none or it is wrong.
    """
    path = Path(name) if name.endswith(".toml") else CASES / f"{name}.toml"
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise UsageError(f"no case is called {name!r}; there are {', '.join(case_names())}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"case {path} is no TOML: {error}") from None
    return _checked(data, f"case {path}: ")


def with_options(case: Case, given: dict[str, Any]) -> Case:
    """Return `case` with what was given on the command line. Raises UsageError for a value it cannot have."""
    return _checked({**case.model_dump(), **given}, "--")


def _checked(data: dict[str, Any], where: str) -> Case:
    try:
        return Case.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"{where}{place}: {first['msg']}") from None
