# SPDX-License-Identifier: BSD-3-Clause
"""Writes the model file: as a whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from quadrille import __version__
from quadrille.errors import QuadrilleError, UsageError
from quadrille.model.contract import NetworkModel
from quadrille.model.model_file import ModelError, parse_model, print_model
from quadrille.whole_file import is_full, write_measured


def completed(found: dict[str, Any], now: datetime | None = None) -> NetworkModel:
    """Return the prober's model, checked, with its provenance complete.

    Raises QuadrilleError when it is no valid model: the prober and this program are of different versions.
    """
    created = (now or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ")
    provenance = found.get("provenance") or {}
    known = {key: value for key, value in provenance.items() if value not in (None, "")}
    complete = {"created": created, "quadrille_version": __version__, **known}
    try:
        return parse_model(json.dumps({**found, "provenance": complete}))
    except ModelError as error:
        raise QuadrilleError(
            f"the prober's model is not valid ({error}); are prober and command line of one version?"
        ) from None


class ModelOutput:
    """A file that will hold a model. Made before the measurement, so that it is not made in vain."""

    def __init__(self, path: Path) -> None:
        """Take a place beside `path`. Raises UsageError when nothing can be written there."""
        self._path = path
        if path.is_dir():
            raise UsageError(f"model file {path} is a folder; give the name of a file")
        if path.exists() and not os.access(path, os.W_OK):
            raise UsageError(f"model file {path} may not be overwritten; give another name")
        try:
            descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        except OSError as error:
            raise UsageError(
                f"model file {path} cannot be written ({error.strerror}); give a name in an existing "
                "folder that you may write to"
            ) from None
        os.close(descriptor)
        self._temporary = Path(name)

    def write(self, model: NetworkModel) -> Path:
        """Replace the file by `model`; return where it is: elsewhere if the disk is full."""
        try:
            with self._temporary.open("w", encoding="utf-8") as file:
                file.write(print_model(model))
                file.flush()
                os.fsync(file.fileno())
            umask = os.umask(0)
            os.umask(umask)
            self._temporary.chmod(0o666 & ~umask)
            self._temporary.replace(self._path)
        except OSError as error:
            self.discard()
            if not is_full(error):
                raise QuadrilleError(
                    f"model file {self._path} cannot be written: {error.strerror}"
                ) from error
            return write_measured(
                self._path, print_model(model), f"model file {self._path}", "give another -o"
            )
        return self._path

    def discard(self) -> None:
        """Remove what was not written."""
        with contextlib.suppress(OSError):
            self._temporary.unlink()
