# SPDX-License-Identifier: BSD-3-Clause
"""What came of each test under each MPI and setting, kept line by line, so that a stopped run can go on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from quadrille.suites.forced import NATIVE

Verdict = Literal["passed", "failed", "unsteady", "not built"]
"""unsteady: failed, but passed when it was repeated alone."""

Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Outcome:
    """One test under one MPI and one setting; `tail` is the end of what it said where it failed."""

    suite: str
    mpi: str
    test: str
    setting: str
    verdict: Verdict
    seconds: float = 0.0
    tail: str = ""

    @property
    def key(self) -> Key:
        """Return what no other outcome has."""
        return (self.suite, self.mpi, self.test, self.setting)


class Records:
    """All outcomes, in memory and in a file of JSON lines."""

    def __init__(self, path: Path) -> None:
        """Read what an earlier run left in `path`; a last line that was cut off is dropped."""
        self._path = path
        self._outcomes: dict[Key, Outcome] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    outcome = Outcome(**json.loads(line))
                except (ValueError, TypeError):
                    continue
                self._outcomes[outcome.key] = outcome

    def __iter__(self) -> Iterator[Outcome]:
        """Yield all outcomes."""
        return iter(self._outcomes.values())

    def find(self, suite: str, mpi: str, test: str, setting: str) -> Outcome | None:
        """Return the outcome, where it is known."""
        return self._outcomes.get((suite, mpi, test, setting))

    def add(self, outcome: Outcome) -> None:
        """Keep an outcome; a later one of the same test takes the place of the earlier."""
        self._outcomes[outcome.key] = outcome
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")


@dataclass(frozen=True)
class Comparison:
    """The counts of one suite under one MPI and setting, against the same tests without Quadrille."""

    suite: str
    mpi: str
    setting: str
    passes_both: int
    fails_both: int
    only_without: tuple[Outcome, ...]
    """Pass without and fail with Quadrille."""
    only_with: int
    """Fail without and pass with it."""
    unsteady: tuple[Outcome, ...]


def compare(outcomes: Iterable[Outcome]) -> list[Comparison]:
    """Return one comparison for each suite, MPI and setting, in the order in which they first came."""
    by_key = {one.key: one for one in outcomes}
    groups: dict[tuple[str, str, str], list[tuple[Outcome, Outcome]]] = {}
    for one in by_key.values():
        native = by_key.get((one.suite, one.mpi, one.test, NATIVE))
        if one.setting != NATIVE and native is not None and one.verdict != "not built":
            groups.setdefault((one.suite, one.mpi, one.setting), []).append((native, one))
    return [_comparison(*names, pairs) for names, pairs in groups.items()]


def _comparison(suite: str, mpi: str, setting: str, pairs: list[tuple[Outcome, Outcome]]) -> Comparison:
    def failed(one: Outcome) -> bool:
        return one.verdict == "failed"

    kinds = Counter((failed(native), failed(with_it)) for native, with_it in pairs)
    return Comparison(
        suite,
        mpi,
        setting,
        kinds[False, False],
        kinds[True, True],
        tuple(one for native, one in pairs if failed(one) and not failed(native)),
        kinds[True, False],
        tuple(one for native, one in pairs if one.verdict == "unsteady"),
    )


def table(comparisons: list[Comparison]) -> str:
    """Return the comparisons as a table in Markdown, and below it what fails with Quadrille only."""
    lines = [
        "| suite | MPI | setting | passes both | fails both | fails only with Quadrille "
        "| fails only without |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in comparisons:
        lines.append(
            f"| {one.suite} | {one.mpi} | {one.setting} | {one.passes_both} | {one.fails_both} "
            f"| {len(one.only_without)} | {one.only_with} |"
        )
    for one in comparisons:
        for test in one.only_without:
            lines += [
                "",
                f"{test.suite}, {test.mpi}, {test.setting}: `{test.test}` fails only with Quadrille:",
            ]
            lines += [f"    {line}" for line in test.tail.splitlines()]
        for test in one.unsteady:
            lines += [
                "",
                f"{test.suite}, {test.mpi}, {test.setting}: `{test.test}` failed, passed when repeated:",
            ]
            lines += [f"    {line}" for line in test.tail.splitlines()]
    return "\n".join(lines) + "\n"
