# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of all tests on emulated networks."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from ordinary_user import OrdinaryUser
from steal_time import timing

from quadrille.installation import native_directory

__all__ = ["provider", "timing"]


@pytest.fixture
def provider() -> None:
    """Skip where the libfabric provider is not built."""
    if not (native_directory() / "libquadrille-fi.so").exists():
        pytest.skip("the provider is not built: libfabric's headers are not installed")


@pytest.fixture
def ordinary_user() -> Iterator[OrdinaryUser]:
    """Somebody without privilege; skips where nobody can be that.

    His home is not pytest's: each pytest that starts, also one that a test runs, closes the folder of all
    to others.
    """
    with tempfile.TemporaryDirectory(prefix="quadrille-nobody-") as home:
        yield OrdinaryUser(Path(home))
