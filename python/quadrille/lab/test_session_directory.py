# SPDX-License-Identifier: BSD-3-Clause
"""A lab's folder for MPI's sessions: whose it is, and that nothing else is ever removed in its place."""

from __future__ import annotations

import stat
import tempfile
from pathlib import Path

import pytest

from quadrille.lab.session_directory import (
    make_session_directory,
    remove_session_directory,
    session_directory,
)

LONGEST_BENEATH = len("/ompi.fifteen-letters.0/pid.4194304/0/0/pmix-4194304") + 1
SOCKET_PATH = 108


@pytest.fixture
def run_directory(tmp_path: Path) -> Path:
    directory = tmp_path / ("t-" + 29 * "s")  # as long as a lab's name may be
    directory.mkdir()
    return directory


def test_it_is_its_users_alone_and_goes_with_all_in_it(run_directory: Path) -> None:
    make_session_directory(run_directory)
    path = session_directory(run_directory)
    try:
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
        assert len(str(path)) + LONGEST_BENEATH <= SOCKET_PATH
        (path / "ompi.h0.0").mkdir()
    finally:
        remove_session_directory(run_directory)
    assert not path.exists()


def test_a_link_that_names_something_else_removes_nothing(run_directory: Path) -> None:
    of_another_lab = Path(tempfile.mkdtemp(prefix="qlab-another-", dir="/tmp"))
    elsewhere = run_directory.parent / f"qlab-{run_directory.name}-000000"
    elsewhere.mkdir()
    link = run_directory / "sessions"
    try:
        for other in (of_another_lab, elsewhere):
            link.symlink_to(other)
            remove_session_directory(run_directory)
            assert other.is_dir()
            link.unlink()
    finally:
        of_another_lab.rmdir()
