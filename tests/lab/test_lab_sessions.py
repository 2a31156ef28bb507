# SPDX-License-Identifier: BSD-3-Clause
"""Open MPI's session directories: each lab has its own, whoever has had hosts of the same names before."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab_traffic import needs_namespaces
from ordinary_user import OrdinaryUser

from quadrille.installation import mpi_prefix
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import ready_made
from quadrille.lab.session_directory import session_directory

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(120)]


def test_an_ordinary_user_starts_jobs_on_hosts_of_names_that_root_has_used(
    ordinary_user: OrdinaryUser,
) -> None:
    up = ordinary_user.lab("up", "unlimited:hosts=2", "--name", "t-names")
    assert up.returncode == 0, up.stderr
    # What a job that root has killed leaves; within his user namespace he has root's number.
    left = [path for path in (Path("/tmp/ompi.h0.0"), Path("/tmp/ompi.h1.0")) if not path.exists()]
    for path in left:
        path.mkdir(mode=0o700)
    try:
        job = ordinary_user.lab("run", "--lab", "t-names", "--mpi", "ompi4", "--", "hostname")
    finally:
        for path in left:
            path.rmdir()
        down = ordinary_user.lab("down", "t-names")
    assert sorted(job.stdout.split()) == ["h0", "h1"], job.stderr
    assert down.returncode == 0, down.stderr


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5"])
def test_what_a_job_shares_on_its_hosts_goes_with_the_lab(mpi: str, tmp_path: Path) -> None:
    if mpi != "ompi4" and mpi_prefix(mpi) is None:
        pytest.skip(f"{mpi} is not installed here")
    # The second process to say where its host's is kills who started it, who can then remove nothing.
    say = f"cd {tmp_path}; echo $PMIX_SERVER_TMPDIR > $(hostname); [ $(ls | wc -l) = 2 ] && kill -9 $PPID"
    with Lab.up(ready_made("unlimited", hosts=2), "t-sessions") as lab:
        own = session_directory(lab.directory)
        lab.run(["sh", "-c", f"{say}; sleep 30"], mpi=mpi, timeout_s=60)
        used = {file.name: Path(file.read_text(encoding="utf-8").strip()) for file in tmp_path.iterdir()}
        assert set(used) == {"h0", "h1"}
        assert all(path.is_relative_to(own) for path in used.values()), used
        assert any(path.exists() for path in used.values())
    assert not own.exists()
