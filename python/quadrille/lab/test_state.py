# SPDX-License-Identifier: BSD-3-Clause
"""Where labs are written down: not in a folder that somebody else has prepared."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from quadrille.errors import QuadrilleError
from quadrille.lab.state import own_temporary_folder


def test_a_folder_of_ones_own_is_made_once_and_for_nobody_else(tmp_path: Path) -> None:
    made = own_temporary_folder(tmp_path)
    assert own_temporary_folder(tmp_path) == made == tmp_path / f"quadrille-{os.getuid()}"
    assert made.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_somebody_else_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / f"quadrille-{os.getuid()}").symlink_to(elsewhere)
    with pytest.raises(QuadrilleError, match="set QUADRILLE_LAB_DIR"):
        own_temporary_folder(tmp_path)


def test_a_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = own_temporary_folder(tmp_path)
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)
    mine.rename(tmp_path / f"quadrille-{other}")
    with pytest.raises(QuadrilleError, match="no folder of yours"):
        own_temporary_folder(tmp_path)
