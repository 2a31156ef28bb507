# SPDX-License-Identifier: BSD-3-Clause
"""The results file of an experiment: all that its page is made from, kept up to date while it is measured."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from quadrille import __version__
from quadrille.atomic_write import cannot_write, write_measured
from quadrille.errors import UsageError


def machine_text() -> str:
    """Return this machine's system, processor and number of cores."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return ", ".join([platform.platform(), *models[:1], f"{os.cpu_count()} cores"])


State = Literal["running", "complete", "interrupted", "failed"]


class Record(BaseModel):
    """The whole file. `data` is the experiment's own."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["quadrille-reproduction"] = "quadrille-reproduction"
    version: Literal[1] = 1
    experiment: str
    command: list[str] = Field(description="that repeats it")
    quick: bool
    launcher: list[str] | None = Field(None, description="of a real cluster; none: emulated networks")
    quadrille_version: str = __version__
    git_commit: str | None = Field(
        None, description="of the source tree; ends in + where it was changed; none: installed, or unknown"
    )
    machine: str = Field(default_factory=machine_text)
    started: str = Field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    seconds: float = 0
    state: State = "running"
    error: str | None = None
    warnings: list[str] = Field(default=[], description="where the emulation, not the network, set the pace")
    data: dict[str, Any] = {}


class Recording:
    """A record and its file. Every `save` replaces the file as a whole, so that it is never half written.

    `place`: where it is, which is elsewhere once the disk was full.
    """

    def __init__(self, path: Path, record: Record) -> None:
        """Write the file for the first time. Raises UsageError when it cannot be written."""
        self.place = path
        self.record = record
        self.save()

    def save(self) -> None:
        """Bring the file up to date."""
        remedy = "give another folder with -o"
        try:
            self.place.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(error, str(self.place), remedy) from None
        text = self.record.model_dump_json(indent=1)
        self.place = write_measured(self.place, text, str(self.place), remedy)


def read_record(path: Path) -> Record:
    """Return the record in `path`. Raises UsageError that names the place inside the file and the value."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read ({error}); run the experiment first") from None
    try:
        return Record.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        value = str(first["input"])[:60]
        raise UsageError(f"{path}: {place} = {value!r}: {first['msg']}; run the experiment again") from None


@contextmanager
def data_of(path: Path) -> Iterator[None]:
    """Tell, where the data of the record in `path` lack what the block looks for, that they are other ones.

    Raises UsageError. The record's form is checked when it is read; its data are the experiment's own.
    """
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"{path}: its data are not of this version of the experiment ({type(error).__name__}: {error}); "
            "run the experiment again"
        ) from error
