# SPDX-License-Identifier: BSD-3-Clause
"""Writes the model file: as a whole or not at all."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from quadrille import __version__
from quadrille.atomic_write import check_place, write_measured
from quadrille.errors import QuadrilleError
from quadrille.model.contract import NetworkModel
from quadrille.model.model_file import ModelError, parse_model, print_model


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
    """A file that will hold a model. Tried before the measurement, so that it is not made in vain."""

    def __init__(self, path: Path) -> None:
        """Look whether `path` can be written; what is in it stays. Raises UsageError when it cannot."""
        self._path = path
        check_place(path, f"model file {path}", "give another -o")

    def write(self, model: NetworkModel) -> Path:
        """Replace the file by `model`; return where it is: elsewhere if the disk is full."""
        return write_measured(self._path, print_model(model), f"model file {self._path}", "give another -o")
