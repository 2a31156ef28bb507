# SPDX-License-Identifier: BSD-3-Clause
"""A profile as a table for the terminal, with a word on what it stands for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from rich.table import Table
from rich.text import Text

from quadrille.report.formatting import count_text, percent_text, size_text, time_text
from quadrille.trace.profile import Profile, Row
from quadrille.trace.reading import Trace


def parts_table(profile: Profile) -> Table:
    """Return what the run consists of."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("the run's time", no_wrap=True)
    for heading in ("of it", "calls a rank"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("what Quadrille can do", overflow="fold")
    for cells in part_cells(profile):
        table.add_row(*cells)
    return table


def part_cells(profile: Profile) -> Iterator[tuple[str, str, str, str]]:
    """Yield of each part its name, its share of the run, how many calls a rank makes, and the verdict."""
    for part in profile.parts:
        share = percent_text(_share(part.time_s, profile.run_s))
        yield part.name, share, count_text(part.calls) if part.calls else "–", part.verdict


def table_of(profile: Profile, most_rows: int) -> Table:
    """Return the rows that take most of the time."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("call", "from", "executed by"):
        table.add_column(heading, overflow="fold")
    for heading in ("size", "ranks", "calls", "of the run", "waiting", "moving a call", "saved"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in profile.rows[:most_rows]:
        table.add_row(
            row.function.removeprefix("MPI_"),
            Text(site_text(row.site)),  # brackets in it are no markup
            row.algorithm.partition(":")[0],
            row_size_text(row),
            ranks_text(row),
            str(row.calls),
            percent_text(_share(row.time_s, profile.run_s)),
            "–" if row.ranks is None else percent_text(_share(row.waiting_s, row.time_s)),
            time_text(row.call_s * 1e9),
            _saved_text(row),
        )
    return table


def notes_on(trace: Trace, profile: Profile, joint: int, most_rows: int) -> Iterator[str]:
    """Yield what a reader has to know of the table."""
    inside = sum(row.time_s for row in profile.rows)
    collective_s = sum(row.time_s for row in profile.rows if row.ranks is not None)
    share = percent_text(_share(collective_s, profile.run_s))
    span = "from the first to the last" if not profile.parts else "from MPI_Init to MPI_Finalize"
    yield (
        f"{joint} collective calls in {time_text(profile.run_s * 1e9)} {span}; "
        f"the mean rank spends {share} of it in collectives"
    )
    if not profile.parts:
        yield "of calls of other kinds nothing is known: the job ended early, or an older Quadrille ran it"
    yield f"clocks of hosts are aligned within {time_text(trace.uncertainty_ns)}"
    saved = sum(row.saved_s for row in profile.rows if row.saved_s is not None)
    yield (
        f"saved against the MPI library, by what both took in trials: {time_text(saved * 1e9)}"
        if saved >= 0
        else f"lost against the MPI library, by what both took in trials: {time_text(-saved * 1e9)}"
    )
    if len(profile.rows) > most_rows:
        rest = sum(row.time_s for row in profile.rows[most_rows:])
        yield f"{len(profile.rows) - most_rows} rows more, {percent_text(_share(rest, inside))} of the time"
    yield from warnings_of(trace)


def warnings_of(trace: Trace) -> Iterator[str]:
    """Yield what is missing in a trace."""
    if trace.missing:
        yield (
            f"no trace of {len(trace.missing)} of {trace.ranks} ranks ({_first(trace.missing)}): their "
            "calls, and those of others with them, are left out; is the folder on a file system of all hosts?"
        )
    if trace.cut:
        yield (
            f"the traces of ranks {_first(trace.cut)} end early: the job did, or a disk was full; "
            "no drift is known"
        )


def _first(ranks: Sequence[int]) -> str:
    return ", ".join(map(str, ranks[:8])) + (" ..." if len(ranks) > 8 else "")


def site_text(site: str) -> str:
    """Return a call site as FILE+0xOFFSET, with the nearest known function."""
    place, _, function = site.partition(" ")
    # Of C++ without the arguments.
    return f"{PurePath(place).name} ({function.partition('(')[0]})" if function else PurePath(place).name


def row_size_text(row: Row) -> str:
    """Return the size of a row's calls; a dash where none is known."""
    return "–" if row.ranks is None and row.bytes == 0 else size_text(row.bytes)


def ranks_text(row: Row) -> str:
    """Return how many ranks a row's calls have; a dash for those that are no collectives."""
    return "–" if row.ranks is None else str(row.ranks)


def _share(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole > 0 else None


def _saved_text(row: Row) -> str:
    if row.saved_s is None:
        return "–"
    sign = "" if row.saved_s >= 0 else "-"
    return sign + time_text(abs(row.saved_s) * 1e9)
