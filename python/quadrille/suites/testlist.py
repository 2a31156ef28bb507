# SPDX-License-Identifier: BSD-3-Clause
"""Reads the `testlist` files of MPICH's test suite: programs, ranks, arguments, what counts as passed.

A line is `PROGRAM RANKS [arg=WORD]... [env=NAME=VALUE]... [timeLimit=S] [mem=GB] [resultTest=RULE]`. In
`testlist.in` a word such as `@coll_error@` in front stands for a comment sign where the suite is configured
without that group.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDERS = (
    "coll",
    "comm",
    "topo",
    "errors/coll",
    "errors/comm",
    "errors/topo",
    "errors/attr",
    "errors/group",
    "errors/session",
    "errhan",
    "attr",
    "threads/coll",
    "threads/comm",
    "threads/init",
    "threads/pt2pt",
    "session",
    "group",
    "init",
    "info",
)
"""What is run, in this order: what Quadrille takes over first, then what it may disturb."""

MOST_RANKS = 16
"""Tests of more ranks are left out: the same programs again, and one machine has to carry all ranks."""
MOST_MEMORY_GB = 4.0
"""Tests that ask for more are left out: messages above 2 GiB on every rank."""

_GUARD = re.compile(r"^@\w+@")


@dataclass(frozen=True)
class SuiteTest:
    """One line of a testlist; `rule` is its resultTest, empty for the usual one."""

    folder: str
    program: str
    ranks: int
    arguments: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    time_limit_s: float | None = None
    memory_gb: float = 0.0
    rule: str = ""
    launcher_arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return what tells it from all others, as it would be typed."""
        variables = [f"{name}={value}" for name, value in self.environment]
        return " ".join([f"{self.folder}/{self.program}", str(self.ranks), *self.arguments, *variables])


def parse_testlist(folder: str, text: str) -> Iterator[SuiteTest]:
    """Yield the tests of one testlist, also those that are only there where the suite is so configured."""
    for line in text.splitlines():
        words = _GUARD.sub("", line.strip()).split()
        if len(words) < 2 or words[0].startswith("#") or not words[1].isdigit():
            continue
        yield _test(folder, words)


def _test(folder: str, words: list[str]) -> SuiteTest:
    options: dict[str, list[str]] = {}
    for word in words[2:]:
        key, _, value = word.partition("=")
        options.setdefault(key, []).append(value)
    pairs = tuple((name, value) for name, _, value in (one.partition("=") for one in options.get("env", [])))
    return SuiteTest(
        folder,
        words[0],
        int(words[1]),
        tuple(options.get("arg", [])),
        pairs,
        float(options["timeLimit"][0]) if "timeLimit" in options else None,
        float(options.get("mem", ["0"])[0]),
        options.get("resultTest", [""])[0],
        tuple(options.get("mpiexecarg", [])),
    )


def read_tests(sources: Path, most_ranks: int = MOST_RANKS) -> list[SuiteTest]:
    """Return the tests below `sources`, MPICH's `test/mpi`, each once, those too large left out."""
    found: dict[str, SuiteTest] = {}
    for folder in FOLDERS:
        for name in ("testlist", "testlist.in"):
            path = sources / folder / name
            if path.exists():
                for test in parse_testlist(folder, path.read_text(encoding="utf-8")):
                    if test.ranks <= most_ranks and test.memory_gb <= MOST_MEMORY_GB:
                        found.setdefault(test.name, test)
    return list(found.values())


def passes(test: SuiteTest, exit_code: int, output: str) -> bool:
    """Return whether a run counts as passed by the suite's rule; stray lines are allowed, as MPIs warn."""
    said_so = any(line.strip() in ("No Errors", "No errors", "Test Skipped") for line in output.splitlines())
    if test.rule in ("TestStatus", "TestErrFatal"):
        return exit_code != 0
    if test.rule == "TestStatusNoErrors":
        return said_so and exit_code != 0
    return said_so and exit_code == 0
