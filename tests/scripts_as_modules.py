# SPDX-License-Identifier: BSD-3-Clause
"""Loads a program of scripts/ as a module, for its tests."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

_SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"


def script_module(name: str) -> ModuleType:
    """Return the module that `scripts/NAME.py` is."""
    found = importlib.util.spec_from_file_location(name, _SCRIPTS / f"{name}.py")
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module
